"""Cross entropy spelled out: the log-sum-exp is over positions."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

batch, seq, vocab = axes("batch seq vocab")


@formula
def nll(logits: R[batch, seq, vocab], target: Z[batch, seq]) -> R[()]:
    norm = nt.logsumexp[seq](logits)  # fault
    picked = logits[vocab(target)]
    return nt.mean[batch, seq](nt.sum[vocab](norm) - picked)
