"""The same encoder-decoder in positional torch, written without names: the twin that tests trust.

`logits` spells every step with matmul, view and transpose; `torch_stack` builds torch's own
Transformer layers from the same weights. Weights come as a state dict of the named model.
"""

import math

import torch
from torch import Tensor, nn

Weights = dict[str, Tensor]


def positions(length: int, width: int) -> Tensor:
    """Sinusoids, sine in the even columns and cosine in the odd ones."""
    place = torch.arange(length, dtype=torch.float64)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10000.0) / width))
    table = torch.zeros(length, width, dtype=torch.float64)
    table[:, 0::2] = torch.sin(place * rate)
    table[:, 1::2] = torch.cos(place * rate)[:, : width // 2]
    return table


def embedded(table: Tensor, ids: Tensor) -> Tensor:
    width = table.shape[1]
    return nn.functional.embedding(ids, table) * math.sqrt(width) + positions(ids.shape[1], width)


def projected(X: Tensor, W: Tensor) -> Tensor:
    """b n e, with W: h e k -> b h n k, by one flat matmul."""
    heads, width, size = W.shape
    flat = X @ W.permute(1, 0, 2).reshape(width, heads * size)
    return flat.view(X.shape[0], X.shape[1], heads, size).transpose(1, 2)


def attention(w: Weights, at: str, X: Tensor, Y: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """Attend from X to Y, except where `hidden` (broadcast over b h n m) is true."""
    Q, K, V = (projected(Z, w[f"{at}.{name}"]) for Z, name in ((X, "WQ"), (Y, "WK"), (Y, "WV")))
    scores = Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1)
    heads = (weights @ V).transpose(1, 2).flatten(2)
    return heads @ w[f"{at}.WO"].flatten(0, 1), weights


def feed_forward(w: Weights, at: str, X: Tensor) -> Tensor:
    W1, b1, W2, b2 = (w[f"{at}.{name}"] for name in ("W1", "b1", "W2", "b2"))
    return torch.clamp(X @ W1 + b1, min=0) @ W2 + b2


def normed(w: Weights, at: str, X: Tensor) -> Tensor:
    return nn.functional.layer_norm(X, X.shape[-1:], w[f"{at}.gamma"], w[f"{at}.beta"], eps=1e-5)


def around(w: Weights, at: str, X: Tensor, sublayer, placement: str) -> Tensor:
    if placement == "pre":
        return X + sublayer(normed(w, at, X))
    if placement == "post":
        return normed(w, at, X + sublayer(X))
    assert placement == "between"
    return normed(w, at, sublayer(X)) + X


def encoder_layer(w: Weights, at: str, X: Tensor, hidden: Tensor, placement: str) -> Tensor:
    X = around(w, f"{at}.norm1", X, lambda X: attention(w, f"{at}.att", X, X, hidden)[0], placement)
    return around(w, f"{at}.norm2", X, lambda X: feed_forward(w, f"{at}.ffn", X), placement)


def decoder_layer(
    w: Weights, at: str, Y: Tensor, X: Tensor, hidden: Tensor, placement: str
) -> tuple[Tensor, Tensor]:
    future = torch.ones(Y.shape[1], Y.shape[1], dtype=torch.bool).triu(1)
    weights = []

    def cross(Y: Tensor) -> Tensor:
        result, seen = attention(w, f"{at}.cross", Y, X, hidden)
        weights.append(seen)
        return result

    Y = around(w, f"{at}.norm1", Y, lambda Y: attention(w, f"{at}.att", Y, Y, future)[0], placement)
    Y = around(w, f"{at}.norm2", Y, cross, placement)
    Y = around(w, f"{at}.norm3", Y, lambda Y: feed_forward(w, f"{at}.ffn", Y), placement)
    return Y, weights[0]


def logits(
    w: Weights, source: Tensor, target: Tensor, layers: int, placement: str
) -> tuple[Tensor, Tensor]:
    """Give the logits b m s and the last layer's cross-attention b h m n."""
    hidden = (source == 0)[:, None, None, :]
    X, Y = embedded(w["source_embed.We"], source), embedded(w["target_embed.We"], target)
    for n in range(layers):
        X = encoder_layer(w, f"encoder.{n}", X, hidden, placement)
    if placement == "pre":
        X = normed(w, "encoder_norm", X)
    for n in range(layers):
        Y, weights = decoder_layer(w, f"decoder.{n}", Y, X, hidden, placement)
    if placement == "pre":
        Y = normed(w, "decoder_norm", Y)
    return Y @ w.get("output.We", w["target_embed.We"]).T, weights


def _copy_attention(into: nn.MultiheadAttention, w: Weights, at: str) -> None:
    rows = [w[f"{at}.{name}"].permute(0, 2, 1).flatten(0, 1) for name in ("WQ", "WK", "WV")]
    into.in_proj_weight.copy_(torch.cat(rows))
    into.in_proj_bias.zero_()
    into.out_proj.weight.copy_(w[f"{at}.WO"].flatten(0, 1).T)
    into.out_proj.bias.zero_()


def _copy_norm(into: nn.LayerNorm, w: Weights, at: str) -> None:
    into.weight.copy_(w[f"{at}.gamma"])
    into.bias.copy_(w[f"{at}.beta"])


def _copy_feed_forward(into: nn.Module, w: Weights, at: str) -> None:
    into.linear1.weight.copy_(w[f"{at}.W1"].T)
    into.linear1.bias.copy_(w[f"{at}.b1"])
    into.linear2.weight.copy_(w[f"{at}.W2"].T)
    into.linear2.bias.copy_(w[f"{at}.b2"])


@torch.no_grad()
def torch_stack(w: Weights, layers: int, heads: int, placement: str) -> nn.Transformer:
    """Build torch's own nn.Transformer, whose head size is emb / heads, with the weights w."""
    emb, hid = w["encoder.0.ffn.W1"].shape
    options = {"batch_first": True, "norm_first": placement == "pre", "dtype": torch.float64}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(emb, heads, hid, 0.0, **options),
        layers,
        nn.LayerNorm(emb, dtype=torch.float64),
        enable_nested_tensor=False,
    )
    model = nn.Transformer(emb, heads, layers, layers, hid, 0.0, custom_encoder=encoder, **options)
    for n, layer in enumerate(model.encoder.layers):
        at = f"encoder.{n}"
        _copy_attention(layer.self_attn, w, f"{at}.att")
        _copy_feed_forward(layer, w, f"{at}.ffn")
        _copy_norm(layer.norm1, w, f"{at}.norm1")
        _copy_norm(layer.norm2, w, f"{at}.norm2")
    for n, layer in enumerate(model.decoder.layers):
        at = f"decoder.{n}"
        _copy_attention(layer.self_attn, w, f"{at}.att")
        _copy_attention(layer.multihead_attn, w, f"{at}.cross")
        _copy_feed_forward(layer, w, f"{at}.ffn")
        for name in ("norm1", "norm2", "norm3"):
            _copy_norm(getattr(layer, name), w, f"{at}.{name}")
    if placement == "pre":
        _copy_norm(model.encoder.norm, w, "encoder_norm")
        _copy_norm(model.decoder.norm, w, "decoder_norm")
    else:  # the published model has no norm after its stacks
        model.encoder.norm = model.decoder.norm = None
    return model.eval()


def torch_logits(
    w: Weights, source: Tensor, target: Tensor, layers: int, heads: int, placement: str
) -> Tensor:
    """Give the logits with torch's own layers."""
    stack = torch_stack(w, layers, heads, placement)
    hidden = source == 0
    future = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
    with torch.no_grad():
        Y = stack(
            embedded(w["source_embed.We"], source), embedded(w["target_embed.We"], target),
            tgt_mask=future, src_key_padding_mask=hidden, memory_key_padding_mask=hidden,
        )  # fmt: skip
        return Y @ w.get("output.We", w["target_embed.We"]).T
