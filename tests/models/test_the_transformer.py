"""Document 002 against torch's own attention, encoder and decoder."""

import functools
import itertools
import math

import pytest
import torch
from torch import nn
from torch.func import functional_call

import namedtensor as nt
from tests.models import positional
from tests.models.agreement import CLOSE, agree, model_agrees, randomize, real
from tests.models.weights import ATTENTION, NETWORK, NORM, draw, on_numpy
from transformer_named import the_transformer
from transformer_named.models import TheTransformer
from transformer_named.placement import PLACEMENTS

EPS = 0.04
SIZES = {"d": 8, "d_ff": 9, "d_k": 4, "d_v": 4, "h": 2, "N": 2}
TORCH_HEADS = {"head": 2, "key": 4, "val": 4}


def test_Attention():
    agree(
        the_transformer.Attention,
        lambda Q, K, V: nn.functional.scaled_dot_product_attention(Q, K, V),
        "batch head seq' val",
        Q=real("batch head seq' key"),
        K=real("batch head seq key"),
        V=real("batch head seq val"),
    )


def test_Attention_with_a_mask():
    agree(
        the_transformer.Attention,
        lambda Q, K, V, M: nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=M),
        "batch head seq' val",
        Q=real("batch head seq' key"),
        K=real("batch head seq key"),
        V=real("batch head seq val"),
        M=real("seq' seq"),
    )


def inputs():
    return {
        "Q": real("batch seq' emb"),
        "K": real("batch seq emb", 1),
        "V": real("batch seq emb", 2),
    }


def test_MultiHead():
    agree(
        the_transformer.MultiHead,
        lambda Q, K, V, **w: positional.multihead(Q, K, V, w),
        "batch seq' emb",
        **inputs(),
        **draw(ATTENTION),
    )


def test_the_literal_MultiHead_projects_the_values_by_WK():
    agree(
        functools.partial(the_transformer.MultiHead, form="literal"),
        lambda Q, K, V, **w: positional.multihead(Q, K, V, w | {"WV": w["WK"]}),
        "batch seq' emb",
        **inputs(),
        **draw(ATTENTION, val=5),
    )


torch_attention = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)


def attend(Q, K, V, w, mask=None):
    weights = positional.torch_attention(w)
    return functional_call(torch_attention, weights, (Q, K, V), {"attn_mask": mask})[0]


def bound(**w):
    return functools.partial(the_transformer.MultiHead, **w)


def test_the_first_use_of_attention_asks_the_encoder():
    agree(
        lambda y, z, **w: the_transformer.encoder_decoder_attention(y, z, bound(**w)),
        lambda y, z, **w: attend(y, z, z, w),
        "batch seq' emb",
        y=real("batch seq' emb"),
        z=real("batch seq emb"),
        **draw(ATTENTION, **TORCH_HEADS),
    )


def test_the_second_use_of_attention_asks_the_layer_before():
    agree(
        lambda x, **w: the_transformer.encoder_self_attention(x, bound(**w)),
        lambda x, **w: attend(x, x, x, w),
        "batch seq emb",
        x=real("batch seq emb"),
        **draw(ATTENTION, **TORCH_HEADS),
    )


def test_the_third_use_of_attention_asks_the_past():
    agree(
        lambda y, **w: the_transformer.decoder_self_attention(y, bound(**w)),
        lambda y, **w: attend(y, y, y, w, positional.future(7, 7)),
        "batch seq' emb",
        y=real("batch seq' emb"),
        **draw(ATTENTION, **TORCH_HEADS),
    )


def encoder_parameters():
    return (
        draw(ATTENTION, "multihead", 1, **TORCH_HEADS)
        | draw(NORM, "norm1", 2)
        | draw(NETWORK, "ffn", 3)
        | draw(NORM, "norm2", 4)
    )


def decoder_parameters():
    return (
        encoder_parameters() | draw(ATTENTION, "masked", 5, **TORCH_HEADS) | draw(NORM, "norm3", 6)
    )


def torch_layer(kind, placement, w, names, *given, **masks):
    layer = kind(
        8,
        2,
        9,
        dropout=0.0,
        layer_norm_eps=EPS,
        batch_first=True,
        norm_first=placement == "pre",
        dtype=torch.float64,
    )
    dotted = {name.replace("__", "."): x for name, x in w.items()}
    return functional_call(layer, positional.torch_layer(dotted, *names), given, masks)


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_EncoderLayer_is_torch_s(placement):
    agree(
        functools.partial(the_transformer.EncoderLayer, placement=placement, eps=EPS),
        lambda x, **w: torch_layer(
            nn.TransformerEncoderLayer, placement, w, positional.ENCODER_LAYER, x
        ),
        "batch seq emb",
        x=real("batch seq emb"),
        **encoder_parameters(),
    )


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_DecoderLayer_is_torch_s(placement):
    mask = {"tgt_mask": positional.future(7, 7)}
    agree(
        functools.partial(the_transformer.DecoderLayer, placement=placement, eps=EPS),
        lambda y, z, **w: torch_layer(
            nn.TransformerDecoderLayer, placement, w, positional.DECODER_LAYER, y, z, **mask
        ),
        "batch seq' emb",
        y=real("batch seq' emb"),
        z=real("batch seq emb"),
        **decoder_parameters(),
    )


def literal_parts(w, *names):
    """The weights of sub-layers; in an attention the values are projected by WK."""
    dotted = {name.replace("__", "."): x for name, x in w.items()}
    bundles = [positional.under(dotted, name) for name in names]
    return [b | {"WV": b["WK"]} if "WK" in b else b for b in bundles]


def literal_encoder_layer(x, **w):
    multihead, ffn, norm1, norm2 = literal_parts(w, "multihead", "ffn", "norm1", "norm2")
    x = positional.norm(x + positional.multihead(x, x, x, multihead), norm1, EPS)
    return positional.norm(x + positional.ffn(x, ffn), norm2, EPS)


def literal_decoder_layer(y, z, **w):
    """The sub-layers in the order in which the document lists them."""
    masked, multihead, ffn = literal_parts(w, "masked", "multihead", "ffn")
    norm1, norm2, norm3 = literal_parts(w, "norm1", "norm2", "norm3")
    mask = positional.future(y.shape[-2], y.shape[-2])
    y = positional.norm(y + positional.multihead(y, y, y, masked, mask), norm1, EPS)
    y = positional.norm(y + positional.ffn(y, ffn), norm3, EPS)
    return positional.norm(y + positional.multihead(y, z, z, multihead), norm2, EPS)


def test_the_literal_EncoderLayer_projects_values_by_WK():
    agree(
        functools.partial(the_transformer.EncoderLayer, form="literal", eps=EPS),
        literal_encoder_layer,
        "batch seq emb",
        x=real("batch seq emb"),
        **encoder_parameters(),
    )


def test_the_literal_DecoderLayer_has_its_sublayers_in_the_order_listed():
    agree(
        functools.partial(the_transformer.DecoderLayer, form="literal", eps=EPS),
        literal_decoder_layer,
        "batch seq' emb",
        y=real("batch seq' emb"),
        z=real("batch seq emb"),
        **decoder_parameters(),
    )


def table(form, n=6, d=8):
    PE = the_transformer.PE(emb=the_transformer.emb[d], form=form)
    zero = nt.tensor(torch.zeros(n, d, dtype=torch.float64), "seq", "emb")
    return (PE + zero).torch("seq", "emb")


def test_positional_encoding():
    torch.testing.assert_close(table("formula"), positional.sinusoids(6, 8), **CLOSE)


def test_positional_encoding_by_its_wavelengths():
    expected = positional.sinusoids(6, 8, last=6)
    torch.testing.assert_close(table("wavelengths"), expected, **CLOSE)


@pytest.mark.parametrize(
    ("form", "longest"), [("formula", 10_000 ** (6 / 8)), ("wavelengths", 10_000)]
)
def test_the_wavelengths_are_a_geometric_progression_from_2_pi(form, longest):
    rates = torch.asin(table(form)[1, 0::2])
    wavelengths = (2 * math.pi / rates).tolist()
    assert wavelengths[0] == pytest.approx(2 * math.pi)
    assert wavelengths[-1] == pytest.approx(longest * 2 * math.pi)
    ratios = [b / a for a, b in itertools.pairwise(wavelengths)]
    assert ratios == pytest.approx([ratios[0]] * 3)


def whole(w, x, y, placement="post", closed=None):
    """torch's own stacks over representations with sinusoids added."""
    options = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64, "layer_norm_eps": EPS}
    first = placement == "pre"
    last = lambda: nn.LayerNorm(8, EPS, dtype=torch.float64) if first else None
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 9, norm_first=first, **options),
        2,
        last(),
        enable_nested_tensor=False,
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(8, 2, 9, norm_first=first, **options), 2, last()
    )
    x = x + positional.sinusoids(x.shape[1], 8)
    y = y + positional.sinusoids(y.shape[1], 8)
    z = positional.torch_stack(encoder, w, "encoder", x, src_key_padding_mask=closed)
    return positional.torch_stack(
        decoder,
        w,
        "decoder",
        y,
        z,
        tgt_mask=positional.future(y.shape[1], y.shape[1]),
        memory_key_padding_mask=closed,
    )


X, Y = real("batch seq emb")[0], real("batch seq' emb")[0]


def run(model, x, y, M=None):
    found = model(nt.tensor(x, "batch", "seq", "emb"), nt.tensor(y, "batch", "seq'", "emb"), M)
    return found.torch("batch", "seq'", "emb")


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_stacks_are_torch_s(placement):
    model = randomize(TheTransformer(**SIZES, eps=EPS, placement=placement, dtype=torch.float64))
    model_agrees(model, run(model, X, Y), lambda w: whole(w, X, Y, placement))


def test_the_literal_stacks():
    model = randomize(TheTransformer(**SIZES, eps=EPS, form="literal", dtype=torch.float64))

    def literal(w):
        x, y = X + positional.sinusoids(6, 8), Y + positional.sinusoids(7, 8)
        for i in range(2):
            x = literal_encoder_layer(x, **positional.under(w, "encoder", "layers", i))
        for i in range(2):
            y = literal_decoder_layer(y, x, **positional.under(w, "decoder", "layers", i))
        return y

    model_agrees(model, run(model, X, Y), literal)


def test_closed_positions_of_the_input_are_torch_s():
    closed = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    M = torch.zeros(2, 6, dtype=torch.float64).masked_fill(closed, -math.inf)
    model = randomize(TheTransformer(**SIZES, eps=EPS, dtype=torch.float64))
    found = run(model, X, Y, nt.tensor(M, "batch", "seq"))
    model_agrees(model, found, lambda w: whole(w, X, Y, closed=M))


@pytest.mark.parametrize("form", ["literal", "published"])
def test_the_future_of_y_does_not_change_its_past(form):
    model = randomize(TheTransformer(**SIZES, eps=EPS, form=form, dtype=torch.float64))
    changed = Y.clone()
    changed[:, 3:] += 1
    before, after = run(model, X, Y), run(model, X, changed)
    torch.testing.assert_close(after[:, :3], before[:, :3], rtol=0, atol=1e-13)
    assert not torch.allclose(after[:, 3:], before[:, 3:])


def test_closed_positions_do_not_change_the_result():
    model = randomize(TheTransformer(**SIZES, eps=EPS, dtype=torch.float64))
    M = torch.tensor([0.0, 0.0, 0.0, 0.0, -math.inf, -math.inf], dtype=torch.float64)
    padded = run(model, X, Y, nt.tensor(M, "seq"))
    torch.testing.assert_close(padded, run(model, X[:, :4], Y), **CLOSE)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_every_placement_runs(placement):
    model = randomize(TheTransformer(**SIZES, eps=EPS, placement=placement, dtype=torch.float64))
    assert run(model, X, Y).isfinite().all()


def test_the_model_runs_on_numpy():
    model = randomize(TheTransformer(**SIZES, eps=EPS, dtype=torch.float64))
    w = on_numpy(model)
    stacks = {n: {"layers": list(w[n]["layers"].values())} for n in ("encoder", "decoder")}
    x = nt.tensor(X.numpy(), "batch", "seq", "emb")
    y = the_transformer.transformer(
        x, nt.tensor(Y.numpy(), "batch", "seq'", "emb"), eps=EPS, **stacks
    )
    found = torch.as_tensor(y.numpy("batch", "seq'", "emb"))
    torch.testing.assert_close(found, run(model, X, Y).detach(), **CLOSE)
