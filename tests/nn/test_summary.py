"""nt.summary counts a module's parameters by formula, and nt.steps follows whole models, on any device."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from tests.errors.check import check
from tests.python_calls import python_calls
from transformer_named import formulated, forward_pass
from transformer_named.models import FormulatedTransformer

seq, emb, hid, vocab = axes("seq emb hid vocab")
seq_ = seq.prime
PAPER = {"s": 37_000, "d_model": 512, "d_ff": 2048, "d_k": 64, "d_v": 64, "h": 8, "N": 6}
SMALL = {"s": 50, "d_model": 16, "d_ff": 32, "d_k": 8, "d_v": 8, "h": 2, "N": 3}

#: Document 000, Parameters: the lines of lambda, in the document's order.
MULTIHEAD = 6 * (8 * (512 * 64 + 512 * 64 + 512 * 64) + 8 * 64 * 512)
FFNET = 6 * (512 * 2048 + 2048 + 2048 * 512 + 512)
LINES = [
    ("embedding Embedding", 37_000 * 512),
    ("encoder MultiHead  x 6", MULTIHEAD),
    ("encoder FFN  x 6", FFNET),
    ("encoder LayerNorm  x 12", 6 * 4 * 512),
    ("decoder MaskedMultiHead  x 6", MULTIHEAD),
    ("decoder MultiHead  x 6", MULTIHEAD),
    ("decoder FFN  x 6", FFNET),
    ("decoder LayerNorm  x 18", 6 * 6 * 512),
]


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def back(X: R[hid], *, W: R[emb, hid]) -> R[emb]:
    return W @ hid @ X


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = forward_pass.Embedding.module(vocab[20], emb[8])
        self.layers = torch.nn.Sequential(
            *[formulated.FFN.module(emb[8], hid[16]) for _ in range(4)]
        )

    def forward(self, x):
        Y = self.layers(self.embedding(x))
        We = nt.tensor(self.embedding.We, vocab, emb)
        return nt.softmax[vocab](Y @ emb @ We)


def test_the_lines_of_the_documents_parameter_table():
    table = nt.summary(FormulatedTransformer(**PAPER, device="meta"))
    assert [(row.text, row.count) for row in table.rows] == LINES
    assert table.count == forward_pass.parameter_count(**PAPER) == 63_045_632
    assert table.bytes == 4 * 63_045_632
    assert sum(row.share for row in table.rows) == pytest.approx(1.0)


def test_each_parameter_has_its_axes_and_sizes():
    table = nt.summary(FormulatedTransformer(**PAPER, device="meta"))
    WQ = table.rows[1].parameters[0]
    assert (WQ.name, WQ.axes, WQ.sizes) == ("WQ", ("head", "emb", "key"), (8, 512, 64))
    assert (WQ.count, WQ.bytes) == (8 * 512 * 64, 4 * 8 * 512 * 64)


def test_a_parameter_that_is_shared_counts_once():
    first, second = project.module(emb[3], hid[4]), back.module(emb[3], hid[4])
    second.W = first.W
    table = nt.summary(torch.nn.ModuleDict({"first": first, "second": second}))
    assert table.count == 12
    assert table.rows[1].parameters[0].tied == "first.W"
    assert "tied to first.W" in table.text()


def test_modules_of_torch_are_counted_by_their_sizes():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), project.module(emb[4], hid[2]))
    table = nt.summary(model)
    assert [row.formula for row in table.rows] == ["Linear", "project"]
    assert table.rows[0].parameters[0].shape == "(4, 3)"
    assert table.count == 3 * 4 + 4 + 8


def test_a_summary_as_text_html_and_latex():
    table = nt.summary(project.module(emb[3], hid[4]))
    assert table.text().splitlines() == [
        "project: 12 parameters, 48 bytes",
        "part    shape           count bytes   share",
        "project                    12    48 100.0 %",
        "  W     emb[3] x hid[4]    12    48",
    ]
    assert "<script" not in table._repr_html_()
    assert "emb[3] x hid[4]" in table._repr_html_()
    assert table.latex().startswith(r"\begin{array}")


def test_what_holds_nothing_is_refused():
    with pytest.raises(nt.KindError, match="holds no parameters"):
        nt.summary(3)


# ------------------------------------------------------------------------------ steps of models


def test_the_steps_of_a_model_fold_its_layers():
    table = nt.steps(FormulatedTransformer(**SMALL), nt.Z["seq[5]"], nt.Z["seq'[4]"])
    folded = [(row.text, row.times) for row in table.rows if row.rows]
    assert folded == [
        ("embedding(x, form=form)", 1),
        ("layer(X, placement=placement, eps=eps)", 3),
        ("embedding(y[seq_ >> seq], form=form)", 1),
        ("layer(Y, Z, form=form, placement=placement, eps=eps)", 3),
        ("scores(Y if decoder_norm is None else decoder_norm(Y, eps=eps), We=embedding.We)", 1),
    ]
    assert set(table.rows[-1].axes) == {"seq'", "vocab"}
    assert table.rows[-1].parameters == ("embedding.We",)
    one = FormulatedTransformer(**{**SMALL, "N": 1})
    once = nt.steps(one, nt.Z["seq[5]"], nt.Z["seq'[4]"])
    assert table.rows[1].flops == 3 * once.rows[1].flops
    assert table.multiply_adds == sum(row.multiply_adds for row in table.rows)


def test_the_steps_of_a_sequential_model_with_data():
    model = Words()
    table = nt.steps(model, nt.tensor(torch.tensor([1, 2, 3]), seq))
    assert [(row.text, row.times) for row in table.rows] == [
        ("self.embedding(x)", 1),
        ("self.layers(self.embedding(x))", 4),
        ("Y @ emb @ We", 1),
        ("nt.softmax[vocab](Y @ emb @ We)", 1),
    ]
    assert 0 <= table.rows[-1].range[0] <= table.rows[-1].range[1] <= 1
    assert "embedding.We" in table.rows[0].parameters


def test_a_bare_sequential_model_has_steps():
    model = torch.nn.Sequential(project.module(emb[3], hid[4]), back.module(emb[3], hid[4]))
    table = nt.steps(model, "seq[2] emb[3]")
    assert [row.text for row in table.rows] == ["project(...)", "back(...)"]
    assert table.flops == 2 * (2 * 2 * 3 * 4)
    table = nt.steps(model, nt.ones("seq[2] emb[3]", backend="torch"))
    assert [row.text for row in table.rows] == ["project(...)", "back(...)"]
    assert table.rows[0].range is not None


def test_steps_and_summaries_take_no_more_calls_for_each_layer_of_many():
    def counted(layers):
        model = of_layers(layers)

        def run():
            nt.steps(model, "batch[8] seq[2048] emb[16384]")
            nt.summary(model)

        return python_calls(run, of_c=True)

    counted(2)
    assert counted(12) - counted(8) < 1.1 * (counted(6) - counted(2))


def test_a_function_may_close_over_data():
    W = nt.tensor(np.ones((3, 4)), "emb hid")
    table = nt.steps(lambda X: X @ emb @ W, nt.ones("seq[2] emb[3]"))
    assert table.rows[0].range == (3.0, 3.0)


def of_layers(count):
    """Give a Transformer of so many layers that fit no machine."""
    sizes = axes("emb[16384] hid[65536] head[128] key[128] val[128]")
    layers = [forward_pass.EncoderLayer.module(*sizes, device="meta") for _ in range(count)]
    return torch.nn.Sequential(*layers)


def test_a_model_of_200_billion_parameters_has_steps_and_a_summary():
    model = of_layers(64)
    table, counted = nt.steps(model, "batch[8] seq[2048] emb[16384]"), nt.summary(model)
    assert counted.count > 200e9
    assert [(row.times, row.rows[0].text) for row in table.rows] == [(64, "X[seq >> seq_]")]
    assert [row.times for row in counted.rows] == [64, 64, 128]
    assert table.multiply_adds > 64 * 8 * 2048 * 12 * 16384**2


def test_stacked_layers_are_one_loop():
    @formula
    def layer(X: R[emb], *, W: R[emb, hid]) -> R[emb]:
        return X + (W @ emb @ X) @ hid @ W

    @formula
    def plain(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
        for one in layers:
            X = one(X)
        return X

    @formula
    def stacked(X: R[emb], *, layers: nt.each[layer, "stacked"]) -> R[emb]:
        return layers(X)

    sizes = emb[3], hid[5]
    one = plain.module(*sizes, layers=4).steps("seq[2] emb[3]")
    other = stacked.module(*sizes, layers=4).steps("seq[2] emb[3]")
    assert [row.times for row in one.rows] == [row.times for row in other.rows] == [4]
    assert one.multiply_adds == other.multiply_adds == 4 * 2 * (2 * 3 * 5)
    table = nt.summary(stacked.module(*sizes, layers=4))
    assert table.rows[0].parameters[0].axes == ("layers", "emb", "hid")


def test_whole_numbers_are_declared_by_their_space():
    table = nt.steps(lambda I: nt.one_hot(I, vocab[9]), Z["seq[5]"])
    assert dict(table.rows[0].sizes) == {"seq": 5, "vocab": 9}


class Positional(torch.nn.Module):
    """A model of others, which takes arrays and names them inside."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.BatchNorm1d(8))
        self.inner = torch.nn.ModuleList([project.module(emb[8], hid[4])])

    def forward(self, x):
        return self.inner[0](nt.tensor(self.first(x), seq, emb)).torch(seq, hid)


def test_a_torch_module_that_names_its_data_inside_is_explained_and_followed():
    model, x = Positional(), torch.randn(3, 5)
    before = torch.get_rng_state()
    assert nt.explain(model, x) == "inner.0: project on torch\n  as written: no rule applies"
    table = nt.steps(model, x)
    assert [(row.text, row.flops, len(row.rows)) for row in table] == [("inner.0(...)", 192, 1)]
    assert table.rows[0].rows[0].text == "W @ emb @ X"
    assert "inner.0(...)" in str(table)
    # neither trains the model
    assert model.first[1].num_batches_tracked == 0
    assert torch.equal(torch.get_rng_state(), before)


def test_formulas_in_sequential_are_explained_once_for_each_place():
    model = torch.nn.Sequential(project.module(emb[8], hid[4]), back.module(emb[8], hid[4]))
    X = nt.ones("seq[3] emb[8]", backend="torch")
    lines = nt.explain(model, X).splitlines()
    assert [line for line in lines if " on " in line] == ["0: project on torch", "1: back on torch"]


def test_a_torch_module_without_formulas_is_told_so():
    for call, word in ((nt.explain, "explain"), (nt.steps, "steps")):
        check(
            lambda call=call: call(torch.nn.Linear(5, 8), torch.ones(2, 5)),
            nt.KindError,
            f"{word}(a Linear): a Linear holds no module of a formula\n"
            "hint: make one: ffn.module(emb[512], hid[2048])",
        )
