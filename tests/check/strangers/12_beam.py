"""One step of a beam search."""

import namedtensor as nt
from namedtensor import R, axes, formula

beam, vocab, choice, both = axes("beam vocab choice both")


@formula
def step(scores: R[beam], logits: R[beam, vocab]) -> R[choice]:
    logp = nt.log_softmax[beam](logits)  # fault
    total = scores + logp
    return nt.maxk[both, choice[4]](total[(beam, vocab) >> both])
