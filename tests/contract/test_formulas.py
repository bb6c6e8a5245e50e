"""Formulas as the contract writes them: attention and the feed-forward network."""

import math

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, hid, key, val, head = axes("batch seq emb hid key val head")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    """Masked attention."""
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def att_of_one(Q: R[key], K: R[key, seq], V: R[seq, val], M: R[seq]) -> R[val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


CAUSAL = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def positional_attention(q, k, v, m):
    """Attend: q is ... x query x key, k ... x seq x key, v ... x seq x val, m query x seq."""
    score = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]) + m
    weight = np.exp(score - score.max(-1, keepdims=True))
    return weight / weight.sum(-1, keepdims=True) @ v


def positional_ffn(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2


@pytest.fixture
def parameters(draw):
    shapes = {"W1": "emb[4] hid[6]", "b1": "hid[6]", "W2": "hid[6] emb[4]", "b2": "emb[4]"}
    drawn = {name: draw(shape) for name, shape in shapes.items()}
    return {n: X for n, (X, _) in drawn.items()}, [x for _, x in drawn.values()]


# ----------------------------------------------------------------------------------------- values


def test_attention_is_positional_attention(draw):
    (Q, q), (K, k), (V, v) = draw("seq'[5] key[4]"), draw("seq[3] key[4]"), draw("seq[3] val[2]")
    M, m = draw("seq[3] seq'[5]")
    expected = positional_attention(q, k, v, m.T)
    assert_close(att(Q, K, V, M).to("numpy"), nt.tensor(expected, seq_, val))


def test_a_mask_by_its_indices_takes_its_sizes_from_the_call(draw):
    (Q, q), (K, k), (V, v) = draw("seq'[3] key[4]"), draw("seq[3] key[4]"), draw("seq[3] val[2]")
    expected = positional_attention(q, k, v, np.where(np.tri(3) > 0, 0.0, -np.inf))
    assert_close(att(Q, K, V, CAUSAL).to("numpy"), nt.tensor(expected, seq_, val))


def test_batch_and_head_are_lifted(draw):
    Q, q = draw("batch[2] head[3] seq'[5] key[4]")
    K, k = draw("batch[2] head[3] seq[6] key[4]")
    V, v = draw("batch[2] head[3] seq[6] val[2]")
    M, m = draw("seq'[5] seq[6]")
    expected = positional_attention(q, k, v, m)
    assert_close(att(Q, K, V, M).to("numpy"), nt.tensor(expected, batch, head, seq_, val))


def test_axes_that_only_some_arguments_have_are_lifted(draw):
    (Q, q), (K, k) = draw("batch[2] seq'[5] key[4]"), draw("head[3] seq[6] key[4]")
    (V, v), (M, m) = draw("seq[6] val[2]"), draw("seq'[5] seq[6]")
    expected = positional_attention(q[:, None], k[None], v, m)
    assert_close(att(Q, K, V, M).to("numpy"), nt.tensor(expected, batch, head, seq_, val))


def test_the_order_of_stored_axes_means_nothing(draw):
    (Q, q), (K, k), (V, v) = draw("key[4] seq'[5]"), draw("key[4] seq[3]"), draw("val[2] seq[3]")
    M, m = draw("seq'[5] seq[3]")
    expected = positional_attention(q.T, k.T, v.T, m)
    assert_close(att(Q, K, V, M).to("numpy"), nt.tensor(expected, seq_, val))


def test_parameters_stand_after_the_star(draw, parameters):
    named, arrays = parameters
    X, x = draw("seq[3] emb[4]")
    expected = nt.tensor(positional_ffn(x, *arrays), seq, emb)
    assert_close(FFN(X, **named).to("numpy"), expected)
    assert_close(FFN(X=X, **named).to("numpy"), expected)


# ---------------------------------------------------------------------------------------- hygiene


def test_a_query_for_each_seq_attends_to_another_seq(draw):
    """The seq of Q passes through, though the body contracts a seq of its own."""
    (Q, q), (K, k), (V, v) = draw("seq[3] key[4]"), draw("seq[5] key[4]"), draw("seq[5] val[2]")
    M, m = draw("seq[5]")
    expected = positional_attention(q, k, v, m)
    result = att_of_one(Q, K, V, M)
    assert_close(result.to("numpy"), nt.tensor(expected, seq, val))


def test_an_extra_axis_with_the_name_of_an_inner_one_passes_through(draw, parameters):
    named, arrays = parameters
    X, x = draw("hid[3] emb[4]")
    expected = nt.tensor(positional_ffn(x, *arrays), hid, emb)
    assert_close(FFN(X, **named).to("numpy"), expected)


def test_an_extra_axis_of_a_parameter_passes_through_too(draw, parameters):
    named, (w1, _, w2, b2) = parameters
    (X, x), (b1, several) = draw("emb[4]"), draw("head[2] hid[6]")
    expected = np.stack([positional_ffn(x, w1, b, w2, b2) for b in several])
    found = FFN(X, **{**named, "b1": b1})
    assert_close(found.to("numpy"), nt.tensor(expected, head, emb))


def test_extra_axes_of_one_name_in_two_arguments_are_one_axis(draw):
    (Q, q), (K, k), (V, v) = (
        draw("head[2] key[4]"),
        draw("head[2] seq[3] key[4]"),
        draw("seq[3] val[2]"),
    )
    M, m = draw("seq[3]")
    expected = positional_attention(q[:, None], k, v, m)[:, 0]
    assert_close(att_of_one(Q, K, V, M).to("numpy"), nt.tensor(expected, head, val))


def test_an_extra_axis_that_the_result_declares_is_refused(draw):
    Q, K, V = draw("seq'[3] key[4] val[2]")[0], draw("seq[3] key[4]")[0], draw("seq[3] val[2]")[0]
    with pytest.raises(nt.AxisClashError) as caught:
        att(Q, K, V, draw("seq[3] seq'[3]")[0])
    assert caught.value.why == ("Q has an extra axis val, which att also gives to its result")


def test_formulas_nest_and_stay_hygienic(draw, parameters):
    named, arrays = parameters

    @formula
    def twice(X: R[hid, emb], *, ffn: FFN) -> R[hid, emb]:
        return ffn(X + ffn(X))

    X, x = draw("hid[3] emb[4] seq[2]")
    flat = x.transpose(0, 2, 1)
    expected = positional_ffn(flat + positional_ffn(flat, *arrays), *arrays)
    assert_close(twice(X, ffn=named).to("numpy"), nt.tensor(expected, hid, seq, emb))


def test_errors_speak_of_the_axes_of_the_caller(draw, parameters):
    named, _ = parameters
    X = draw("hid[3] emb[5]")[0]
    with pytest.raises(nt.AxisSizeError) as caught:
        FFN(X, **named)
    assert str(caught.value) == (
        "FFN(X, W1, b1, W2, b2): axis emb is 5 in X and 4 in W1\n"
        "  X  : hid[3] emb[5]   declared R[emb]\n"
        "  W1 : emb[4] hid[6]   declared R[emb, hid]\n"
        "  b1 : hid[6]   declared R[hid]\n"
        "  W2 : hid[6] emb[4]   declared R[hid, emb]\n"
        "  b2 : emb[4]   declared R[emb]\n"
        "hint: one name has one size in a formula: select as many of both, "
        "X[emb[:4]]"
    )


def test_an_error_inside_a_body_shows_no_fresh_name(draw):
    @formula
    def wrong(X: R[emb], Y: R[seq]) -> R:
        return X @ hid @ Y

    with pytest.raises(nt.AxisMissingError) as caught:
        wrong(draw("hid[3] emb[4]")[0], draw("seq[2]")[0])
    head, _, rest = str(caught.value).partition("  File ")
    assert head == "dot[hid](X, Y): X has no axis hid\n  X : hid[3] emb[4]\n  Y : seq[2]\n"
    assert rest.partition("\n")[2] == (
        "    return X @ hid @ Y\n"
        "           ^^^^^^^^^^^\n"
        "hint: the hid that X shows is the caller's, and passes through a formula that does not "
        "declare it for X"
    )


# ------------------------------------------------------------------------------------------- asks


def test_the_shape_of_a_result_needs_no_data():
    found = att.shape(
        "batch head key[64] seq'[128]",
        "batch head key[64] seq[100]",
        "head seq[100] val[32]",
        "seq seq'",
    )
    assert found == nt.Shape("batch head seq'[128] val[32]")
    assert FFN.shape("seq[7] emb[512]") == nt.Shape("seq[7] emb[512]")
    assert FFN.shape("hid[7] emb[512]", W1="emb[512] hid[64]") == nt.Shape("hid[7] emb[512]")


def test_the_code_of_a_call_can_be_read(draw, parameters):
    named, _ = parameters
    assert FFN.code(draw("seq[3] emb[4]")[0], **named).startswith("def FFN(X, W1, b1, W2, b2):")


def test_a_formula_shows_its_signature():
    assert repr(FFN) == (
        "FFN(X: R[emb]; W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]"
    )
    assert att.__doc__ == "Masked attention."
    assert att.__name__ == "att"


def test_a_module_holds_what_follows_the_star():
    ffn = FFN.module(emb[4], hid[6], dtype=torch.float64)
    assert isinstance(ffn, torch.nn.Module)
    sizes = {name: tuple(p.shape) for name, p in ffn.named_parameters()}
    assert sizes == {"W1": (4, 6), "b1": (6,), "W2": (6, 4), "b2": (4,)}
    x = np.random.default_rng(0).standard_normal((3, 4))
    arrays = [p.detach().numpy() for p in ffn.parameters()]
    found = ffn(nt.tensor(torch.tensor(x), seq, emb)).detach().to("numpy")
    assert_close(found, nt.tensor(positional_ffn(x, *arrays), seq, emb))


def test_undecorated_code_runs_operation_by_operation(draw):
    (Q, q), (K, k), (V, v) = draw("seq'[5] key[4]"), draw("seq[3] key[4]"), draw("seq[3] val[2]")
    found = V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(Q.size(key)))
    expected = positional_attention(q, k, v, 0.0)
    assert_close(found.to("numpy"), nt.tensor(expected, seq_, val))
