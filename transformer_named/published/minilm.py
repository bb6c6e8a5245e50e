"""all-MiniLM-L6-v2: an encoder of six layers whose mean over the words is a sentence's vector."""

from pathlib import Path
from typing import Any

import torch

import namedtensor as nt
from namedtensor import R, formula
from transformer_named.published.formulas import emb, seq_
from transformer_named.published.models import Transformer
from transformer_named.published.names import BERT

batch = nt.axes("batch")

SIZES = dict(vocab=30522, emb=384, hid=1536, kv=12, key=32, layers=6, kinds=2)
#: What the file has beside the weights of the encoder.
MORE = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}


@formula
def sentence(X: R[seq_, emb], M: R[seq_]) -> R[emb]:
    """Average the real words of a sentence, at length 1: x / |x| with x = sum_seq' (M X) / sum_seq' M."""
    x = nt.sum[seq_](X * M) / nt.sum[seq_](M)
    return x / nt.norm[emb](x)


def encoder(**sizes: Any) -> Transformer:
    """Make the encoder, without weights."""
    model = Transformer(pre=False, scores=False, eps=1e-12, **{**SIZES, **sizes})
    return model.eval()


def load(file: Path, dtype: torch.dtype = torch.float32) -> Transformer:
    """Make the encoder with the weights of a safetensors file."""
    model = encoder(dtype=dtype)
    left = nt.load(model, file, BERT, strict=False)
    if left.unfilled or set(left.unused) - MORE:
        nt.load(model, file, BERT)  # which says what does not fit
    return model


def states(model: Transformer, ids: list[list[int]], mask: list[list[int]]) -> list[Any]:
    """Give the states of padded sentences before and after each layer; `mask` is 1 at real words."""
    dtype = next(model.parameters()).dtype
    closed = torch.zeros(len(mask), len(mask[0]), dtype=dtype)
    closed = closed.masked_fill(torch.tensor(mask) == 0, -torch.inf)
    with torch.no_grad():
        return model.states(
            nt.tensor(torch.tensor(ids), batch, seq_), nt.tensor(closed, batch, "seq")
        )


def embed(model: Transformer, ids: list[list[int]], mask: list[list[int]]) -> Any:
    """Give the vector of each sentence, in R[batch, emb], of length 1."""
    X = states(model, ids, mask)[-1]
    M = nt.tensor(torch.tensor(mask, dtype=next(model.parameters()).dtype), batch, seq_)
    return sentence(X, M)


def similarities(X: Any) -> Any:
    """Give the cosine similarity of each two vectors of length 1."""
    return X @ emb @ X[batch >> batch.prime]
