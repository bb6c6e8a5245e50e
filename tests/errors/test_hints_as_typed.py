"""Wrong calls that a newcomer makes: our error, and a hint that works as it is written."""

import re
from pathlib import Path

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

batch, seq, emb, hid, vocab = axes("batch seq emb hid vocab")
chans, new = axes("chans new")
X = nt.ones(seq[3], emb[4])
I = nt.tensor([0, 2], batch)


@formula
def lin(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def recurrent(X: R[emb], *, W: R[emb, "emb'"]) -> R["emb'"]:
    return W @ emb @ X


@formula
def twice(X: R[chans], *, W: R["chans'", chans]) -> R["chans'"]:
    return W @ chans @ X


def hint_of(call):
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    return str(caught.value).split("hint: ")[1]


def typed(hint):
    return re.findall("`([^`]+)`", hint)


def test_the_hint_for_a_size_quotes_a_name_with_a_prime():
    hint = hint_of(lambda: recurrent.module(emb[4]))
    assert hint == 'recurrent.module(emb[4], "emb\'[512]")'
    assert eval(hint).W.shape == (4, 512)


def test_a_new_name_for_an_axis_is_one_that_the_tensor_lacks():
    W = nt.ones("chans'[2] chans[3] seq[4] seq'[5]")
    hint = hint_of(lambda: twice(nt.ones("chans[3] seq[6]"), W=W))
    (code,) = re.findall(r"W\[.*\]", hint)
    assert eval(code, {"W": W}).shape == nt.Shape("chans'[2] chans[3] seq''[4] seq'[5]")


def test_a_declared_axis_of_two_sizes_is_cut_and_gets_no_other_name():
    W = nt.ones("chans'[2] chans[3]")
    hint = hint_of(lambda: twice(nt.ones(chans[4]), W=W))
    (code,) = re.findall(r"X\[.*\]", hint)
    X = eval(code, {"X": nt.ones(chans[4]), "chans": chans})
    assert twice(X, W=W).shape == nt.Shape("chans'[2]")


def test_an_axis_alone_in_brackets_gets_three_codes_that_run():
    index, part, renamed = typed(hint_of(lambda: X[seq]))
    assert eval(index).shape == nt.Shape("emb[4]")
    assert eval(part).shape == nt.Shape("seq[1] emb[4]")
    assert eval(renamed).shape == nt.Shape("seq'[3] emb[4]")


def test_an_axis_where_a_number_belongs_is_told_its_size():
    hint = hint_of(lambda: nt.sqrt(emb))
    assert "abs(emb)" in hint
    assert "nt.tensor" not in hint
    assert 'nt.Axis("emb\'")' in hint_of(lambda: X / emb.prime)


def test_one_hot_asks_for_the_size_of_its_own_axis():
    with pytest.raises(nt.AxisSizeError, match=r"one_hot\(I, vocab\): vocab has no size") as caught:
        nt.one_hot(I, vocab)
    assert str(caught.value).endswith("hint: give it one: vocab[512]")
    assert nt.one_hot(I, vocab[512]).size(vocab) == 512


def test_one_hot_in_a_formula_still_finds_the_size():
    @formula
    def look(J: nt.Z[batch], E: R[vocab, emb]) -> R[batch, emb]:
        return E @ vocab @ nt.one_hot(J, vocab)

    assert look(I, nt.ones(vocab[3], emb[4])).shape == nt.Shape("batch[2] emb[4]")


@pytest.mark.parametrize("word", ["dot", "matmul", "bmm"])
def test_a_product_as_a_method_is_answered_with_a_contraction(word):
    Y = nt.ones(emb[4], hid[2])
    hint = hint_of(lambda: getattr(X, word)(Y))
    assert eval(hint.strip("`"), {**globals(), "Y": Y}).shape == nt.Shape("seq[3] hid[2]")


def test_masked_fill_is_answered_with_where():
    hint = hint_of(lambda: X.masked_fill(X > 0, 0.0))
    assert nt.sum[...](eval(hint)).item() == 0


@pytest.mark.parametrize("init", ["xavier", torch.nn.init.zeros_])
def test_init_that_is_no_dict_is_an_error_of_ours(init):
    with pytest.raises(nt.KindError, match="not a dict") as caught:
        lin.module(emb[4], hid[3], init=init)
    keywords = str(caught.value).split("hint: ")[1]
    module = eval(f"lin.module(emb[4], hid[3], {keywords})")
    assert not module.W.any()


def test_options_that_are_no_function_are_an_error_of_ours():
    with pytest.raises(nt.KindError, match="options is a dict") as caught:
        nt.parameters(lin.module(emb[4], hid[3]), {"lr": 1.0})
    options = eval(str(caught.value).split("hint: ")[1])
    assert nt.parameters(lin.module(emb[4], hid[3]), options)[0]["weight_decay"] == 0.1


def test_explain_of_no_formula_is_an_error_of_ours():
    with pytest.raises(nt.KindError, match="an int is no formula"):
        nt.explain(3)


def test_save_speaks_of_save():
    assert "nt.save(" in hint_of(lambda: nt.save(3, {}))
    assert "nt.load(" in hint_of(lambda: nt.load(3, {}))


def test_a_file_in_a_folder_that_is_missing_is_an_error_of_ours(tmp_path: Path):
    with pytest.raises(nt.WeightsError, match=r"W.pt cannot be written: No such file"):
        nt.save(lin.module(emb[4], hid[3]), tmp_path / "missing" / "W.pt")


@pytest.mark.parametrize("draw", [nt.gamma, nt.exponential, nt.poisson])
def test_a_tensor_as_a_parameter_of_a_distribution_is_not_printed(draw):
    with pytest.raises(nt.KindError) as caught:
        draw(X, seq[3])
    assert len(str(caught.value).splitlines()) == 2


def stars():
    return nt.derivative(lambda X: X * X)(nt.ones(emb[4]))


Y = stars()
foo = nt.ones("foo'[4]")


@pytest.mark.parametrize(
    "call",
    [
        lambda: Y.numpy(),
        lambda: Y.numpy(emb),
        lambda: nt.sum["foo"](Y),
        lambda: Y["emb*(7)"],
        lambda: Y["emb*[::0]"],
        lambda: nt.stack["emb*"](Y, Y),
        lambda: Y["emb* -> emb"],
        lambda: float(Y),
        lambda: Y.T,
        lambda: nt.split["foo'"](foo, 2),
        lambda: nt.unroll["foo'", "kernel"](foo),
        lambda: nt.pad["foo'"](foo, 0.5, 1),
        lambda: nt.Axis("foo'") + 1,
        lambda: nt.Axis("foo'").base,
        lambda: nt.ones("foo'"),
    ],
)
def test_axes_with_primes_and_stars_are_typed_as_python_reads_them(call):
    hint = hint_of(call)
    bare = re.compile(r"(?<![\w\"'* ])(?:emb|foo)['*]+(?=[\](\[,)])")
    assert not bare.search(re.sub(r'"[^"]*"', '""', hint)), hint
    for code in typed(hint):
        if not {"X", "W"} & set(re.findall(r"\w+", code)):
            eval(code, {"nt": nt, "emb": emb, "Y": Y, "foo": foo})


def test_a_number_for_which_no_axes_are_declared_is_declared_as_python_reads_it():
    @formula
    def scaled(X: R[emb], a: float = 2.0) -> R[emb]:
        return X * a

    hint = hint_of(lambda: scaled(nt.ones(emb[4]), a=nt.tensor(3.0)))
    assert hint == "declare it: a: R"
