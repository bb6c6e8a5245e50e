"""Document 000's formulas against torch."""

import functools
import itertools
import math

import pytest
import torch
from torch import nn
from torch.func import functional_call

import namedtensor as nt
from namedtensor.testing import assert_close
from tests.models import positional
from tests.models.agreement import CLOSE, agree, ids, real
from tests.models.weights import ATTENTION, NETWORK, NORM, draw
from transformer_named import formulated, forward_pass

FORMS = ["literal", "published"]

QUERIES = {"Q": real("batch head seq' key"), "K": real("batch head seq key", 1)}


def test_OneHot():
    agree(
        lambda x, W: formulated.OneHot(x, formulated.vocab[11]) @ formulated.vocab @ W,
        lambda x, W: nn.functional.one_hot(x, 11).double() @ W,
        "batch seq emb",
        x=ids("batch seq", 11),
        W=real("vocab emb"),
    )


def test_OneHot_of_a_given_size():
    x, _ = ids("batch seq", 11)
    found = formulated.OneHot(nt.tensor(x, "batch", "seq"), formulated.vocab[11])
    expected = nn.functional.one_hot(x, 11)
    torch.testing.assert_close(
        found.torch("batch", "seq", "vocab"), expected, check_dtype=False, **CLOSE
    )


def test_Softmax():
    agree(
        formulated.Softmax,
        lambda X: torch.softmax(X, -1),
        "batch seq vocab",
        X=real("batch seq vocab"),
    )


def test_Attention():
    agree(
        formulated.Attention,
        lambda Q, K, V: nn.functional.scaled_dot_product_attention(Q, K, V),
        "batch head seq' val",
        **QUERIES,
        V=real("batch head seq val"),
    )


def test_Mask():
    agree(
        lambda X: nt.softmax["seq"](formulated.Mask(X)),
        lambda X: torch.softmax(X + positional.future(7, 6), -1),
        "batch seq' seq",
        X=real("batch seq' seq"),
    )


def test_Mask_puts_minus_infinity_in_the_future_and_keeps_the_rest():
    X = torch.arange(16.0).reshape(4, 4)
    found = formulated.Mask(nt.tensor(X, "seq'", "seq")).torch("seq'", "seq")
    for i, j in itertools.product(range(4), repeat=2):
        assert found[i, j] == (-math.inf if j > i else X[i, j])


@pytest.mark.parametrize("form", FORMS)
def test_MaskedAttention(form):
    agree(
        functools.partial(formulated.MaskedAttention, form=form),
        lambda Q, K, V: nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True),
        "batch head seq' val",
        **QUERIES,
        V=real("batch head seq val"),
    )


def test_Concat_lays_the_heads_side_by_side():
    agree(
        formulated.Concat,
        lambda X: torch.cat(list(X.unbind(1)), -1),
        "batch seq concat",
        X=real("batch head seq val"),
    )


def test_Concat_times_WO_is_one_contraction_over_head_and_val():
    X, _ = real("head seq val")
    WO, _ = real("head val emb")
    heads = nt.tensor(X, "head", "seq", "val")
    weight = nt.tensor(WO, "head", "val", "emb")
    concat = formulated.concat
    literal = formulated.Concat(heads) @ concat @ weight[("head", "val") >> concat]
    assert_close(literal, heads @ ("head", "val") @ weight, rtol=1e-12, atol=1e-12)


def inputs():
    return {
        "Q": real("batch seq' emb"),
        "K": real("batch seq emb", 1),
        "V": real("batch seq emb", 2),
    }


def test_MultiHead():
    agree(
        formulated.MultiHead,
        lambda Q, K, V, **w: positional.multihead(Q, K, V, w),
        "batch seq' emb",
        **inputs(),
        **draw(ATTENTION),
    )


@pytest.mark.parametrize("masked", [False, True])
def test_MultiHead_is_torch_MultiheadAttention(masked):
    module = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    mask = positional.future(7, 6) if masked else None

    def attend(Q, K, V, **w):
        weights = positional.torch_attention(w)
        return functional_call(module, weights, (Q, K, V), {"attn_mask": mask})[0]

    agree(
        formulated.MaskedMultiHead if masked else formulated.MultiHead,
        attend,
        "batch seq' emb",
        **inputs(),
        **draw(ATTENTION, head=2, key=4, val=4),
    )


@pytest.mark.parametrize("form", FORMS)
def test_MaskedMultiHead(form):
    agree(
        functools.partial(formulated.MaskedMultiHead, form=form),
        lambda Q, K, V, **w: positional.multihead(Q, K, V, w, positional.future(7, 6)),
        "batch seq' emb",
        **inputs(),
        **draw(ATTENTION),
    )


def test_FFN():
    agree(
        formulated.FFN,
        lambda X, **w: positional.ffn(X, w),
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(NETWORK),
    )


@pytest.mark.parametrize("eps", [1e-5, 0.3])
def test_LayerNorm(eps):
    agree(
        functools.partial(formulated.LayerNorm, eps=eps),
        lambda X, **w: positional.norm(X, w, eps),
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(NORM),
    )


def test_CrossEntropy():
    scores, axes = real("batch seq vocab")
    agree(
        formulated.CrossEntropy,
        lambda y, yhat: -(y * yhat.log()).sum(-1),
        "batch seq",
        y=(torch.softmax(scores, -1), axes),
        yhat=(torch.softmax(-2 * scores, -1), axes),
    )


def test_the_literal_encoding_counts_both_axes_from_1_and_the_published_one_from_0():
    zero = nt.tensor(torch.zeros(6, 8, dtype=torch.float64), "seq", "emb")
    for form, first in [("literal", 1), ("published", 0)]:
        found = (forward_pass.Wp(form=form, emb=formulated.emb[8]) + zero).torch("seq", "emb")
        torch.testing.assert_close(found, positional.sinusoids(6, 8, first), **CLOSE)


def test_the_literal_encoding_has_the_numbers_that_the_document_gives():
    zero = nt.tensor(torch.zeros(6, 8, dtype=torch.float64), "seq", "emb")
    found = (forward_pass.Wp(emb=formulated.emb[8]) + zero).torch("seq", "emb")
    pos, i = 3, 2  # the document counts both from 1
    assert float(found[pos - 1, 2 * i - 1]) == pytest.approx(math.sin(pos / 10000 ** (2 * i / 8)))
    assert float(found[pos - 1, 2 * i]) == pytest.approx(math.cos(pos / 10000 ** (2 * i / 8)))


def embedded(x, We, form):
    X = nn.functional.embedding(x, We)
    if form == "published":
        return X * math.sqrt(8) + positional.sinusoids(x.shape[-1], 8)
    return X + positional.sinusoids(x.shape[-1], 8, first=1)


@pytest.mark.parametrize("form", FORMS)
def test_Embedding(form):
    agree(
        functools.partial(forward_pass.Embedding, form=form),
        functools.partial(embedded, form=form),
        "batch seq emb",
        x=ids("batch seq", 11),
        We=real("vocab emb"),
    )


def test_the_scores_use_the_embeddings():
    agree(
        formulated.scores,
        lambda Y, We: Y @ We.T,
        "batch seq' vocab",
        Y=real("batch seq' emb"),
        We=real("vocab emb"),
    )


def test_the_loss_is_a_sum_of_cross_entropies():
    agree(
        forward_pass.loss,
        lambda Y, y: nn.functional.cross_entropy(Y.transpose(1, 2), y, reduction="none").sum(-1),
        "batch",
        Y=real("batch seq' vocab"),
        y=ids("batch seq'", 11),
    )


def test_the_loss_is_the_document_s_composition():
    Y, y = real("seq' vocab")[0], ids("seq'", 11)[0]
    scores, truth = nt.tensor(Y, "seq'", "vocab"), nt.tensor(y, "seq'")
    one_hot = nt.one_hot(truth, formulated.vocab[11]) * 1.0
    literal = nt.sum["seq'"](formulated.CrossEntropy(one_hot, formulated.Softmax(scores)))
    assert_close(literal, forward_pass.loss(scores, truth), rtol=1e-6, atol=1e-6)


def test_the_loss_stays_finite_where_a_probability_is_0():
    Y = torch.tensor([[0.0, -2000.0]], dtype=torch.float64)
    scores = nt.tensor(Y, "seq'", "vocab")
    assert forward_pass.loss(scores, nt.tensor(torch.tensor([1]), "seq'")).item() == 2000.0


def test_samples_follow_the_last_row_s_probabilities():
    draws = 20_000
    Y = torch.randn(3, 5, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    scores = nt.tensor(Y.expand(draws, 3, 5), "batch", "seq'", "vocab")
    drawn = forward_pass.sample(scores, torch.Generator().manual_seed(5)).torch("batch")
    share = torch.bincount(drawn, minlength=5) / draws
    torch.testing.assert_close(
        share, torch.softmax(Y[-1], -1), check_dtype=False, rtol=0, atol=0.015
    )


def test_the_parameter_count_of_the_document():
    sizes = {"s": 37_000, "d_model": 512, "d_ff": 2048, "d_k": 64, "d_v": 64, "h": 8, "N": 6}
    assert forward_pass.parameter_count(**sizes) == 63_045_632


def named(*sizes, axes):
    return nt.tensor(torch.ones(sizes), axes)


@pytest.mark.parametrize(
    "call",
    [
        lambda: forward_pass.Wp(emb=formulated.emb[2], form="best"),
        lambda: formulated.MaskedAttention(
            named(2, 3, axes="seq' key"),
            named(4, 3, axes="seq key"),
            named(4, 5, axes="seq val"),
            form="best",
        ),
        lambda: forward_pass.Embedding(
            nt.tensor(torch.tensor([1]), "seq"), form="best", We=named(3, 2, axes="vocab emb")
        ),
    ],
    ids=["Wp", "MaskedAttention", "Embedding"],
)
def test_an_unknown_form_is_refused(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == "form is 'literal' or 'published', not 'best'"
