"""Python names in the notation's letters, and back."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from namedtensor.latex.printing.names import axis_letters, identifier, joined, letters, parts
from namedtensor.latex.reading.reader import parse_expression
from namedtensor.latex.reading.words import LETTERS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName, Binary, Letter, Number, Scripts

HERE = Span(0, 0)

WRITTEN = {
    "X": "X",
    "W1": "W^1",
    "W12": "W^{12}",
    "WQ": "W^Q",
    "b2": "b^2",
    "hT": "h^T",
    "gamma": r"\gamma",
    "sigma2": r"\sigma^2",
    "d_k": "d_k",
    "d_model": r"d_{\text{model}}",
    "X0": "X^0",
    "mha": r"\text{mha}",
    "MHA": r"\text{MHA}",
    "norm1": r"\text{norm1}",
    "norm_S": r"\text{norm}_S",
    "phi_A": r"\phi_A",
    "self_attention": r"\text{self-attention}",
    "yhat": r"\hat{y}",
    "xbar1": r"\bar{x}^1",
    "Lcal": r"\mathcal{L}",
    "X_": "X'",
    "lambda_": r"\lambda",
    "lambda__": r"\lambda'",
    "P__E": "P^E",
    "h_t__l": "h_t^l",
    "W1_k": "W_k^1",
    "text_W": r"\text{W}",
    "ell": r"\ell",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_name_is_written_in_letters(name):
    assert letters(name) == WRITTEN[name]


@pytest.mark.parametrize("name", WRITTEN)
def test_letters_are_read_back_as_the_name(name):
    assert identifier(parse_expression(letters(name))) == name


words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
names = st.one_of(words, st.sampled_from(sorted(LETTERS)), st.builds("{}_{}".format, words, words))


@given(names.filter(lambda name: not keyword.iskeyword(name)))
def test_every_python_name_is_told_from_every_other(name):
    assert joined(parts(name)) == name


def test_a_name_that_computes_has_no_python_name():
    before = Binary(HERE, "-", Letter(HERE, "l"), Number(HERE, 1))
    assert identifier(Scripts(HERE, Letter(HERE, "W"), sup=before)) is None
    assert identifier(Scripts(HERE, Letter(HERE, "W"), sup=Number(HERE, 0.5))) is None
    assert identifier(Number(HERE, 1)) is None


@pytest.mark.parametrize(
    ("axis", "macros", "underset"),
    [
        ("emb", r"\name{emb}", r"\text{emb}"),
        ("seq'", r"\name{seq}'", r"\text{seq}'"),
        ("seq''", r"\name{seq}''", r"\text{seq}''"),
        ("emb*", r"\name{emb}^*", r"\text{emb}^*"),
        ("emb**", r"\name{emb}^{**}", r"\text{emb}^{**}"),
        ("seq'*", r"\name{seq}'^*", r"\text{seq}'^*"),
        ("hidden_1", r"\name{hidden}_1", r"\text{hidden}_1"),
        ("hidden_12", r"\name{hidden}_{12}", r"\text{hidden}_{12}"),
        ("head_key", r"\name{head\_key}", r"\text{head\_key}"),
    ],
)
def test_an_axis_is_written_in_both_dialects_and_read_back(axis, macros, underset):
    assert axis_letters(axis) == macros
    assert axis_letters(axis, "underset") == underset
    for text in (macros, underset):
        read = parse_expression(f"|{text}|").axis
        assert isinstance(read, AxisName)
        assert read.name == axis
