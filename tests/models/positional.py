"""The documents' formulas in positional torch, written without names: twins that tests trust.

Sequences are rows: (..., positions, features). Weights come in the order of the formulas' axes,
WQ as (head, emb, key), W1 as (emb, hid).
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

Weights = dict[str, Tensor]
Function = Callable[[Tensor], Tensor]


def sinusoids(n: int, d: int, first: int = 0, last: int | None = None) -> Tensor:
    """Sine in the even columns and cosine in the odd ones, both counted from `first`."""
    table = torch.zeros(n, d, dtype=torch.float64)
    for row in range(n):
        for column in range(d):
            place, feature = row + first, column + first
            angle = place / 10000 ** (2 * (feature // 2) / (d if last is None else last))
            table[row, column] = math.sin(angle) if feature % 2 == 0 else math.cos(angle)
    return table


def future(n: int, p: int) -> Tensor:
    """-inf above the diagonal, 0 elsewhere."""
    return torch.full((n, p), -math.inf, dtype=torch.float64).triu(1)


def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    return torch.softmax(scores if mask is None else scores + mask, -1) @ V


def multihead(Q: Tensor, K: Tensor, V: Tensor, w: Weights, mask: Tensor | None = None) -> Tensor:
    """Head by head, the results laid side by side and projected by one matrix."""
    WQ, WK, WV, WO = w["WQ"], w["WK"], w["WV"], w["WO"]
    heads = [attention(Q @ WQ[i], K @ WK[i], V @ WV[i], mask=mask) for i in range(WQ.shape[0])]
    return torch.cat(heads, -1) @ WO.reshape(-1, WO.shape[-1])


def ffn(X: Tensor, w: Weights) -> Tensor:
    return torch.clamp(X @ w["W1"] + w["b1"], min=0) @ w["W2"] + w["b2"]


def norm(X: Tensor, w: Weights, eps: float = 1e-5) -> Tensor:
    return nn.functional.layer_norm(X, X.shape[-1:], w["gamma"], w["beta"], eps)


def around(f: Function, after: Weights, X: Tensor, placement: str, eps: float = 1e-5) -> Tensor:
    """A sub-layer with its residual, and its norm in one of three places."""
    match placement:
        case "between":
            return norm(f(X), after, eps) + X
        case "post":
            return norm(X + f(X), after, eps)
        case "pre":
            return X + f(norm(X, after, eps))
    raise AssertionError(placement)


def under(weights: Weights, *path: Any) -> Weights:
    """Give the weights below a name, without it."""
    prefix = ".".join(map(str, path)) + "."
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def torch_attention(w: Weights) -> Weights:
    """Give weights of ours the names and the order of torch.nn.MultiheadAttention."""
    emb = w["WO"].shape[-1]
    rows = [w[name].transpose(1, 2).reshape(-1, emb) for name in ("WQ", "WK", "WV")]
    zeros = torch.zeros(3 * emb, dtype=torch.float64)
    return {
        "in_proj_weight": torch.cat(rows),
        "in_proj_bias": zeros,
        "out_proj.weight": w["WO"].reshape(-1, emb).T,
        "out_proj.bias": zeros[:emb],
    }


def torch_layer(w: Weights, attentions: dict[str, str], norms: dict[str, str]) -> Weights:
    """Give a layer's weights the names and the order of torch's Transformer layers."""
    named = {
        "linear1.weight": w["ffn.W1"].T,
        "linear1.bias": w["ffn.b1"],
        "linear2.weight": w["ffn.W2"].T,
        "linear2.bias": w["ffn.b2"],
    }
    for theirs, ours in attentions.items():
        named |= {f"{theirs}.{n}": x for n, x in torch_attention(under(w, ours)).items()}
    for theirs, ours in norms.items():
        named |= {f"{theirs}.weight": w[f"{ours}.gamma"], f"{theirs}.bias": w[f"{ours}.beta"]}
    return named


ENCODER_LAYER = ({"self_attn": "multihead"}, {"norm1": "norm1", "norm2": "norm2"})
DECODER_LAYER = (
    {"self_attn": "masked", "multihead_attn": "multihead"},
    {"norm1": "norm1", "norm2": "norm2", "norm3": "norm3"},
)


def torch_stack(stack: nn.Module, weights: Weights, name: str, *given: Any, **masks: Any) -> Tensor:
    """Run torch's own encoder or decoder on weights of ours, whose layers are encoder.0, ..."""
    layer = ENCODER_LAYER if name == "encoder" else DECODER_LAYER
    named = {
        f"layers.{i}.{n}": x
        for i in range(len(stack.layers))
        for n, x in torch_layer(
            under(weights, name, i) or under(weights, name, "layers", i), *layer
        ).items()
    }
    last = under(weights, f"{name}_norm") or under(weights, name, "norm")
    if last:
        named |= {"norm.weight": last["gamma"], "norm.bias": last["beta"]}
    return functional_call(stack, named, given, masks)
