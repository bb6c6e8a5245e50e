"""The whole models of the documents as torch modules, with sizes in their documents' letters.

| model | document | formula |
|---|---|---|
| `NamedTensorsTransformer` | 001: decoder only | `named_tensors.transformer` |
| `FormulatedTransformer` | 000: encoder and decoder, tied embeddings | `forward_pass.transformer_scores` |
| `TheTransformer` | 002: encoder and decoder stacks | `the_transformer.transformer` |
| `IntroductionTransformer` | 003: translation with padding, v1 and v2 | `introduction.translation_scores` |

Each gives the formula's module. A norm ends a stack whose placement leaves its sum unnormalised.
"""

from typing import Any

import namedtensor as nt
from transformer_named import forward_pass, introduction, named_tensors, the_transformer
from transformer_named.placement import open_ended


def _sizes(**sizes: int) -> list[Any]:
    return [nt.axes(f"{name}[{size}]") for name, size in sizes.items()]


def NamedTensorsTransformer(
    *,
    b: int,
    d_model: int,
    d_ff: int,
    d_k: int,
    d_v: int,
    h: int,
    L: int,
    placement: str = "between",
    **given: Any,
) -> Any:
    """Make document 001's Transformer: one-hot words to probabilities of every next word."""
    sizes = _sizes(vocab=b, emb=d_model, hid=d_ff, key=d_k, val=d_v, head=h)
    norm = open_ended(placement)
    return named_tensors.transformer.module(
        *sizes, layers=L, norm=norm, placement=placement, **given
    )


def FormulatedTransformer(
    *,
    s: int,
    d_model: int,
    d_ff: int,
    d_k: int,
    d_v: int,
    h: int,
    N: int,
    placement: str = "post",
    **given: Any,
) -> Any:
    """Make document 000's Transformer: symbols of x and y to scores of every next symbol of y.

    `forward_pass.Transformer(x, y, model=...)` gives its probabilities, `training_loss` what it learns by.
    """
    norm = open_ended(placement)
    return forward_pass.transformer_scores.module(
        *_sizes(vocab=s, emb=d_model, hid=d_ff, head=h, key=d_k, val=d_v),
        encoder=N,
        encoder_norm=norm,
        decoder=N,
        decoder_norm=norm,
        placement=placement,
        **given,
    )


def TheTransformer(
    *,
    d: int = 512,
    d_ff: int = 2048,
    d_k: int = 64,
    d_v: int = 64,
    h: int = 8,
    N: int = 6,
    placement: str = "post",
    **given: Any,
) -> Any:
    """Make document 002's Transformer; its sizes are the defaults, d_ff the published one's."""
    stack = {"layers": N, "norm": open_ended(placement)}
    return the_transformer.transformer.module(
        *_sizes(emb=d, hid=d_ff, head=h, key=d_k, val=d_v),
        encoder=stack,
        decoder=stack,
        placement=placement,
        **given,
    )


def IntroductionTransformer(
    *,
    source: int,
    target: int,
    d: int,
    d_ff: int,
    d_k: int,
    L: int,
    setting: str = "v1",
    form: str = "published",
    **given: Any,
) -> Any:
    """Make document 003's Transformer: words of x and y to scores of every next word of y.

    `form="published"` ends a v2 stack in a norm. `introduction.training_loss` is what it learns by.
    """
    norm = form == "published" and open_ended(introduction.SETTINGS[setting])
    return introduction.translation_scores.module(
        *_sizes(vocab=source, emb=d, hid=d_ff, key=d_k),
        introduction.vocab_[target],
        introduction.emb_[d],
        encoder=L,
        encoder_norm=norm,
        decoder=L,
        decoder_norm=norm,
        setting=setting,
        form=form,
        **given,
    )
