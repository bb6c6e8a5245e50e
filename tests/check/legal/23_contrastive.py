"""A symmetric contrastive loss: softmax over texts and over images."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, emb = axes("batch emb")
batch_ = batch.prime


@formula
def clip(T: R[batch, emb], I: R[batch_, emb], *, t: R) -> R:
    S = T @ emb @ I * nt.exp(t)
    same = nt.eye(batch, batch_)
    across = nt.sum[batch, batch_](nt.log_softmax[batch_](S) * same)
    down = nt.sum[batch, batch_](nt.log_softmax[batch](S) * same)
    return -(across + down) / (2 * abs(batch))
