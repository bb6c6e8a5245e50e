"""The M step of a mixture of words: expected counts of each topic, divided by their sum."""

import namedtensor as nt
from namedtensor import R, axes, formula

doc, word, topic = axes("doc word topic")


@formula
def words(C: R[doc, word], L: R[doc, topic]) -> R[topic, word]:
    counts = nt.softmax[topic](L) @ doc @ C
    return counts / nt.sum[word](counts)


@formula
def smoothed(C: R[doc, word], L: R[doc, topic]) -> R[topic, word]:
    counts = 2 * (nt.softmax[topic](L) @ doc @ C) + 0.1
    return counts / nt.sum[word](counts)
