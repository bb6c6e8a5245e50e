"""Ratios of distributions and sums of exponentials that are meant: information, energies, two ways."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

word, topic, state, time, image, text = axes("word topic state time image text")


@formula
def information(S: R[word, topic]) -> R[()]:
    joint = nt.softmax[word, topic](S)
    apart = nt.sum[topic](joint) * nt.sum[word](joint)
    return nt.sum[word, topic](joint * (nt.log(joint) - nt.log(apart)))


@formula
def divergence(P: R[word, topic], Q: R[word, topic]) -> R[word]:
    p, q = nt.softmax[topic](P), nt.softmax[topic](Q)
    return nt.sum[topic](p * nt.log(p / q))


@formula
def free_energy(E: R[time, state]) -> R[()]:
    return nt.mean[time](nt.logsumexp[state](E) - nt.mean[state](E))


@formula
def fluctuation(E: R[time, state]) -> R[()]:
    return nt.sum[...](nt.logsumexp[state](E) - nt.mean[time](E))


@formula
def cross_entropy(S: R[time, word], y: Z[time]) -> R[()]:
    return nt.mean[time](nt.logsumexp[word](S) - S[word(y)])


@formula
def both_ways(S: R[image, text], same: R[image, text]) -> R[()]:
    by_text = nt.logsumexp[text](S) - nt.sum[text](S * same)
    by_image = nt.logsumexp[image](S) - nt.sum[image](S * same)
    return nt.mean[image](by_text) + nt.mean[text](by_image)
