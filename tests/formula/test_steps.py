"""nt.steps tells each written sub-expression with its axes, sizes and costs, for shapes and for data."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from transformer_named import forward_pass

seq, emb, hid, key, val, head, chans, out, kernel, vocab = axes(
    "seq emb hid key val head chans out kernel vocab"
)
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def project(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def twice(X: R[emb], *, inner: project, V: R[hid, emb]) -> R[emb]:
    Y = nt.relu(inner(X))
    return V @ hid @ Y


@formula
def convolve(X: R[chans, seq], *, W: R[out, chans, kernel[3]]) -> R[out, seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel[3]](X)


@formula
def faulty(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, hid]:
    Y = nt.tanh(X)
    return blunder(Y, W)


@formula
def blunder(Y: R[seq, emb], W: R[emb, hid]) -> R[seq, hid]:
    Z = Y * 2.0
    return Z @ hid @ W


@formula
def too_far(X: R[seq], I: Z[emb]) -> R[emb]:
    Y = X + 1.0
    return nt.exp(Y[seq(I)])


SHAPES = ("key[64] seq'[10]", "key[64] seq[20]", "seq[20] val[32]")


def counted(function, *arguments):
    with FlopCounterMode(display=False) as counter:
        function(*arguments)
    return counter.get_total_flops()


def line_of(text):
    with open(__file__, encoding="utf-8") as source:
        return next(n for n, line in enumerate(source, 1) if text in line)


def test_each_row_is_a_sub_expression_as_written_in_order_of_evaluation():
    table = nt.steps(att, *SHAPES)
    assert [row.text for row in table.rows] == [
        "Q @ key @ K",
        "Q @ key @ K / nt.sqrt(abs(key))",
        "nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))",
        "V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))",
    ]
    assert {row.line for row in table.rows} == {line_of("return V @ seq @ nt.softmax[seq](Q @ key")}


def test_a_row_has_axes_uses_sizes_flops_bytes_and_kernel():
    scores, scaled, weights, result = nt.steps(att, *SHAPES).rows
    assert set(scores.axes) == {"seq'", "seq"}
    assert scores.uses == ("key",)
    assert dict(scores.sizes) == {"seq'": 10, "seq": 20}
    assert scores.flops == 2 * 64 * 10 * 20
    assert scores.bytes == 4 * (64 * 10 + 64 * 20 + 10 * 20)
    assert (scaled.uses, scaled.flops, scaled.multiply_adds) == ((), 200, 0)
    assert weights.uses == ("seq",)
    assert result.flops == 2 * 10 * 20 * 32
    assert {row.kernel for row in (scores, scaled, weights, result)} == {"attention"}
    assert scores.shape == nt.Shape("seq[20] seq'[10]")


def test_kernels_are_those_of_the_library_that_holds_the_data():
    arguments = [nt.ones(shape) for shape in SHAPES]
    assert {row.kernel for row in nt.steps(att, *arguments).rows} == {""}
    arguments = [X.to("torch") for X in arguments]
    assert {row.kernel for row in nt.steps(att, *arguments).rows} == {"attention"}


def test_further_axes_are_counted_and_no_step_uses_them():
    table = nt.steps(att, "batch[3] key[64] seq'[10]", *SHAPES[1:])
    assert table.rows[0].flops == 3 * 2 * 64 * 10 * 20
    assert [row.uses for row in table.rows] == [("key",), (), ("seq",), ("seq",)]


def test_what_is_not_given_has_its_declared_axes_and_takes_known_sizes():
    table = nt.steps(twice, "emb[4]", inner={"W": "emb[4] hid[5]"})
    assert [dict(row.sizes) for row in table.rows] == [{"hid": 5}, {"hid": 5}, {"emb": 4}]
    assert table.rows[-1].parameters == ("V",)


def test_an_open_size_leaves_costs_open():
    table = nt.steps(project, "emb[4]")
    assert [row.flops for row in table.rows] == [None, None]
    assert [dict(row.sizes) for row in table.rows] == [{"hid": None}, {"hid": None}]
    assert "?" in table.text()


def test_a_call_of_a_formula_is_one_row_with_its_own_rows_inside():
    table = nt.steps(twice, "seq[7] emb[4]", inner={"W": "emb[4] hid[5]"})
    call, relu, last = table.rows
    assert call.text == "inner(X)"
    assert [row.text for row in call.rows] == ["W @ emb @ X", "W @ emb @ X + b"]
    assert call.flops == sum(row.flops for row in call.rows) == 2 * 7 * 4 * 5 + 7 * 5
    assert call.parameters == ("inner.W", "inner.b")
    assert {row.kernel for row in call.rows} == {"linear"}
    assert relu.rows == last.rows == ()
    assert [depth for depth, _ in table.every()] == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_data_give_the_range_of_each_step(library):
    X = nt.tensor(np.array([[1.0, -2.0], [3.0, 4.0]]), "seq emb").to(library)
    table = nt.steps(lambda X: nt.relu(X) * 2.0, X)
    assert [row.range for row in table.rows] == [(0.0, 4.0), (0.0, 8.0)]
    assert "0 .. 8" in table.text()


def test_shapes_give_no_range():
    assert all(row.range is None for row in nt.steps(att, *SHAPES).rows)


def test_a_fault_in_a_body_ends_the_table_and_is_marked():
    table = nt.steps(faulty, "seq[3] emb[4]", W="emb[4] hid[5]")
    tanh, call = table.rows
    assert tanh.error is None
    assert call.text == "blunder(Y, W)"
    assert [row.text for row in call.rows] == ["Y * 2.0", "Z @ hid @ W"]
    assert [row.error is None for row in call.rows] == [True, False]
    assert isinstance(table.error, nt.AxisMissingError)
    assert call.rows[-1].line == line_of("return Z @ hid @ W")
    assert "Z @ hid @ W  <- here" in table.text()


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_fault_in_the_data_is_marked_where_it_happens(library):
    X = nt.tensor(np.arange(3.0), "seq").to(library)
    I = nt.tensor(np.array([0, 7]), "emb").to(library)
    table = nt.steps(too_far, X, I)
    assert isinstance(table.error, nt.IndexRangeError)
    assert [row.error is None for row in table.rows] == [True, False]
    assert table.rows[-1].text == "Y[seq(I)]"


def test_arguments_that_do_not_fit_are_refused():
    with pytest.raises(nt.AxisMissingError, match="has no axis key"):
        nt.steps(att, "seq'[3]", *SHAPES[1:])
    with pytest.raises(nt.AxisSizeError, match="axis key is"):
        nt.steps(att, "key[63] seq'[3]", *SHAPES[1:])
    with pytest.raises(nt.NamedTensorError, match="has no argument U"):
        nt.steps(att, *SHAPES, U="key[3]")
    with pytest.raises(nt.KindError, match="computes nothing"):
        nt.steps(3)


def test_a_plain_function_has_steps_too():
    def f(X, W, scale=2.0):
        return nt.softmax[seq](X @ emb @ W * scale)

    table = nt.steps(f, "seq[3] emb[4]", "emb[4] hid[5]", scale=3.0)
    assert [row.text for row in table.rows] == [
        "X @ emb @ W",
        "X @ emb @ W * scale",
        "nt.softmax[seq](X @ emb @ W * scale)",
    ]
    assert table.flops == 2 * 3 * 4 * 5 + 2 * 15


def test_a_loop_is_one_row_that_counts_its_steps():
    def recur(h, X, W):
        return nt.scan[seq](lambda h, x: nt.tanh(W @ emb @ h + x)[hid >> emb], h, X)

    table = nt.steps(recur, "emb[4]", "seq[6] hid[4]", "emb[4] hid[4]")
    loop = table.rows[-1]
    assert loop.times == 6
    assert loop.multiply_adds == 6 * 4 * 4
    assert loop.uses[0] == "seq"
    assert [row.text for row in loop.rows][:1] == ["W @ emb @ h"]


@formula
def scanned(X: R[seq, hid], h: R[hid], W: R[hid, emb]) -> R[seq, hid]:
    return nt.scan[seq](lambda h, x: nt.tanh(W @ hid @ h + x[hid >> emb])[emb >> hid], h, X)


@formula
def doubled(X: R[seq, hid], h: R[hid], W: R[hid, emb]) -> R[seq, hid]:
    return scanned(X, h, W) * 2.0


def test_a_call_that_gives_its_loop_s_result_is_no_loop_itself():
    shapes = "seq[6] hid[4]", "hid[4]", "hid[4] emb[4]"
    whole, inner = nt.steps(doubled, *shapes), nt.steps(scanned, *shapes)
    call = whole.rows[0]
    assert (call.text, call.times, call.rows[0].times) == ("scanned(X, h, W)", 1, 6)
    assert (call.flops, call.bytes) == (inner.flops, inner.bytes)


def test_what_a_cell_s_kernel_runs_has_its_name_in_the_step_and_around_it():
    @formula
    def rnn(
        X: R[seq, emb], h: R[hid], W: R[chans, emb, hid], U: R[chans, hid, seq_]
    ) -> R[seq, hid]:
        def step(h, x):
            u, x = (U @ hid @ h)[seq_ >> hid], W @ emb @ x
            r, z = [nt.sigmoid(u[chans(k)] + x[chans(k)]) for k in range(2)]
            return (1 - z) * nt.tanh(r * u[chans(2)] + x[chans(2)]) + z * h

        return nt.exp(nt.scan[seq](step, h, X))

    shapes = "seq[6] emb[4]", "hid[4]", "chans[3] emb[4] hid[4]", "chans[3] hid[4] seq'[4]"
    table = nt.steps(rnn, *shapes)
    *inside, after = table.every()
    assert {row.kernel for _, row in inside} == {"gru"}
    assert (after[1].text[:6], after[1].kernel) == ("nt.exp", "")
    looped = nt.steps(doubled, "seq[6] hid[4]", "hid[4]", "hid[4] emb[4]")
    assert {row.kernel for _, row in looped.every()} == {""}


def test_a_kernel_inside_of_a_step_has_its_name_at_the_parts_that_it_takes():
    @formula
    def normed(X: R[seq, emb], *, W: R[emb, hid], g: R[hid]) -> R[hid]:
        def step(h, x):
            return h + nt.softmax[hid](nt.standardize[hid](W @ emb @ x) * g)

        return nt.fold[seq](step, nt.zeros(hid[4]), X)

    table = nt.steps(normed, "seq[6] emb[3]", W="emb[3] hid[4]", g="hid[4]")
    _, product, centred, scaled, weights, total = [row for _, row in table.every()][1:]
    assert (product.kernel, weights.kernel, total.kernel) == ("", "", "")
    assert (centred.kernel, scaled.kernel) == ("layer_norm", "layer_norm")


def test_an_index_times_an_argument_is_counted_where_it_meets_its_sizes():
    @formula
    def biased(S: R[seq_, seq], slope: R) -> R[seq_, seq]:
        distance = slope * nt.abs(nt.iota(seq_) - nt.iota(seq))
        return S - distance

    table = nt.steps(biased, "seq'[2] seq[5]")
    assert [(row.text, row.flops) for row in table] == [("S - distance", 2 * 10)]
    assert table.rows[0].shape == nt.Shape("seq'[2] seq[5]")


def test_what_is_looked_up_is_not_multiplied():
    def embed(I, E):
        return nt.one_hot(I, vocab[100]) @ vocab @ E

    I = nt.tensor(np.array([1, 2, 3]), "seq")
    table = nt.steps(embed, I, nt.ones("vocab[100] emb[8]"))
    assert table.rows[-1].kernel == "lookup"
    assert table.multiply_adds == 0


def test_layers_that_repeat_are_one_row_with_their_number():
    @formula
    def deep(X: R[emb], *, inner: twice) -> R[emb]:
        for _ in range(5):
            X = X + inner(X)
        return nt.exp(X)

    table = nt.steps(deep, "seq[7] emb[4]", inner={"V": "hid[5] emb[4]"})
    assert [(row.text, row.times) for row in table.rows] == [
        ("inner(X)", 5),
        ("X + inner(X)", 5),
        ("nt.exp(X)", 1),
    ]
    once = nt.steps(twice, "seq[7] emb[4]", V="hid[5] emb[4]")
    assert table.rows[0].flops == 5 * once.flops
    assert "inner(X)  x 5" in table.text()


# ------------------------------------------------------------------------------ counts agree


def test_a_product_counts_as_torch_counts_it():
    table = nt.steps(lambda X, W: X @ emb @ W, "batch[3] seq[7] emb[5]", "emb[5] hid[11]")
    assert table.flops == counted(torch.matmul, torch.ones(3, 7, 5), torch.ones(5, 11))


def test_attention_counts_as_torch_counts_it():
    def positional(Q, K, V):
        return torch.softmax(Q @ K.mT / 8.0, -1) @ V

    table = nt.steps(att, *SHAPES)
    found = counted(positional, torch.ones(10, 64), torch.ones(20, 64), torch.ones(20, 32))
    assert 2 * table.multiply_adds == found
    assert table.flops - found == 2 * 10 * 20


def test_a_convolution_counts_as_torch_counts_it():
    table = nt.steps(convolve, "batch[2] chans[3] seq[12]", W="out[5] chans[3] kernel[3]")
    found = counted(F.conv1d, torch.ones(2, 3, 12), torch.ones(5, 3, 3))
    assert 2 * table.multiply_adds == found
    assert table.rows[-1].kernel == "convolution"


def test_an_encoder_layer_counts_as_torch_counts_it():
    d, ff, h = 16, 24, 2
    layer = forward_pass.EncoderLayer.module(
        *axes(f"emb[{d}] hid[{ff}] head[{h}] key[{d // h}] val[{d // h}]")
    )
    theirs = torch.nn.TransformerEncoderLayer(d, h, ff, batch_first=True)
    found = counted(theirs, torch.ones(3, 5, d))
    table = layer.steps("batch[3] seq[5] emb[16]")
    assert 2 * table.multiply_adds == found
    assert next(row.text for row in table.rows if row.rows) == "multihead(X[seq >> seq_], X, X)"


# ------------------------------------------------------------------------------ documents


DOCUMENT = r"""
$Q \in \mathbb{R}^{\text{seq'} \times \text{key}}$, $K \in \mathbb{R}^{\text{seq}\times\text{key}}$

$f(Q,K) = \underset{\text{seq}}{\text{softmax}}\left(Q \underset{\text{key}}{\cdot} K \right)$

$g(Q,K) = 2 f(Q, K)$
"""


def test_formulas_of_documents_have_steps_in_their_own_words():
    document = nt.latex.read(DOCUMENT)
    table = nt.steps(document["f"], *SHAPES[:2])
    product, weights = table.rows
    assert product.text == r"Q \underset{\text{key}}{\cdot} K"
    assert (product.line, product.uses, product.flops) == (4, ("key",), 2 * 64 * 200)
    assert weights.uses == ("seq",)


def test_calls_in_documents_are_folded():
    call, result = nt.steps(nt.latex.read(DOCUMENT)["g"], *SHAPES[:2]).rows
    assert (call.text, len(call.rows)) == ("f(Q, K)", 2)
    assert result.flops == 200


# ------------------------------------------------------------------------------ forms


def test_the_table_as_text():
    text = nt.steps(att, *SHAPES).text()
    assert text.splitlines()[0] == "att: 4 steps, 38,800 flops"
    assert "shape" in text.splitlines()[1]
    assert "25,600" in text


def test_the_table_as_html_is_static_and_escaped():
    page = nt.steps(twice, "seq[7] emb[4]", inner={"W": "emb[4] hid[5]"})._repr_html_()
    assert "<script" not in page
    assert "<details>" in page
    page = nt.steps(lambda X: X[seq >> seq_], "seq[3]")._repr_html_()
    assert "&gt;&gt;" in page


def test_the_table_as_latex_is_an_array():
    text = nt.steps(lambda X: X[seq >> seq_] * 100.0, "seq[3] a_b[2]").latex()
    assert text.startswith(r"\begin{array}")
    assert r"a\_b" in text


def test_rows_are_data():
    table = nt.steps(att, *SHAPES)
    assert len(table) == 4
    assert list(table) == list(table.rows)
    assert math.prod(dict(table.rows[0].sizes).values()) == 200
    assert table.rows == nt.steps(att, *SHAPES).rows


# ------------------------------------------------------------------------------ debugging


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_bodies_see_numbers_while_debugging(library):
    seen = []

    @formula
    def inside(X: R[seq]) -> R[seq]:
        seen.append(type(X) is nt.NamedTensor)
        return X * 2.0

    @formula
    def around(X: R[seq]) -> R[seq]:
        return inside(X) + 1.0

    X = nt.tensor(np.arange(3.0), seq).to(library)
    first = around(X)
    with nt.debug():
        again = around(X)
        around(X)
    nt.testing.assert_close(first, again)
    assert seen[-2:] == [True, True]
    assert not any(seen[:-2])
    count = len(seen)
    around(X)
    assert len(seen) == count


def test_rows_are_found_by_their_places():
    table = nt.steps(att, *SHAPES)
    assert (table[0], table[-1]) == (table.rows[0], table.rows[-1])
    assert table[:2] == table.rows[:2]
