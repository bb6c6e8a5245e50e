"""What is printed is named so that a reader takes it for nothing else, or is refused."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.latex import read

seq, emb = axes("seq emb")


@pytest.mark.parametrize("name", ["relu", "softmax", "ReLU", "log_softmax"])
@pytest.mark.parametrize("dialect", ["macros", "underset"])
def test_a_lifted_function_named_like_an_operation_has_a_name_of_its_own(name, dialect):
    def double(x):
        return x * 2

    double.__name__ = name
    lifted = nt.lift(double, "seq -> seq")

    @formula
    def f(X: R[seq]) -> R[seq]:
        return lifted(X) + nt.softmax[seq](X)

    text = f.latex(dialect)
    assert rf"\text{{lifted-{name.replace('_', '-')}}}(X)" in text
    document = read(text)
    assert document.check() == []
    with pytest.raises(nt.NamedTensorError, match="lifted"):  # nothing says what it does
        document["f"](X=nt.tensor(np.ones(2), "seq"))


def test_other_lifted_functions_keep_their_names():
    def mine(x):
        return x * 2

    lifted = nt.lift(mine, "seq -> seq")

    @formula
    def f(X: R[seq]) -> R[seq]:
        return lifted(X)

    assert r"\text{mine}(X)" in f.latex()


def test_a_bundle_named_like_its_formula_reads_back():
    @formula
    def FFN(X: R[emb], *, W: R[emb]) -> R[emb]:
        return X * W

    @formula
    def att(X: R[emb], *, att: FFN) -> R[emb]:
        return att(X) * 2

    document = read(att.latex())
    assert document.check() == []
    assert [p.name for p in document["att"].signature.parameters] == ["X", "att"]
