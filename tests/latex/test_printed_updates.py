"""Updates, decompositions and other operations with words of their own are read as what was printed."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, Z, axes
from namedtensor.latex import LatexError, read

seq, emb, row, col, new, k = axes("seq emb row col new k")
DIALECTS = ["macros", "underset"]

UPDATES = {
    "at a number": lambda X, v, I: X.at[seq(2)].set(v),
    "at a number from the end": lambda X, v, I: X.at[seq(-2)].max(v),
    "multiplied": lambda X, v, I: X.at[seq(2)].multiply(v),
    "the greater in a range": lambda X, v, I: X.at[seq[1:]].max(v),
    "the smaller in a range": lambda X, v, I: X.at[seq[:2]].min(v),
    "in a range": lambda X, v, I: X.at[seq[1:]].set(v),
    "in all": lambda X, v, I: X.at[emb[:]].set(v),
    "at a tensor": lambda X, v, I: X.at[seq(I)].add(v),
    "the smaller at a tensor": lambda X, v, I: X.at[seq(I)].min(v),
    "in a range at a number": lambda X, v, I: X.at[seq[1:3], emb(0)].add(1.0),
    "at a number in a range": lambda X, v, I: X.at[emb(0), seq[-3:-1]].add(1.0),
    "in steps at a tensor": lambda X, v, I: X.at[emb[::2], seq(I + 1)].max(X[seq(0)][emb[::2]]),
    "backwards": lambda X, v, I: X.at[seq[::-1]].set(X),
    "of a range": lambda X, v, I: X[seq[1:]].at[seq[1:]].max(v),
    "of an element": lambda X, v, I: X[seq(1)].at[emb[1:3]].set(2),
    "of an update": lambda X, v, I: (X + 1).at[emb[:]].set(2).at[seq(0), emb(1)].min(3),
    "of what is renamed": lambda X, v, I: X[seq >> new].at[new(X.size(seq) - 1)].set(2),
    "in a range of a size": lambda X, v, I: X.at[seq[: X.size(seq) - 1]].set(2),
    "at what is counted": lambda X, v, I: X.at[seq(nt.iota(k[2]))].set(2),
    "at a list": lambda X, v, I: X.at[seq[[0, 2]]].set(2),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", UPDATES)
def test_an_update_is_read_as_the_same_update(name, dialect):
    def f(X: R[seq, emb], v: R[emb], I: Z[k]):
        return UPDATES[name](X, v, I)

    same(nt.formula(f), dialect)


def same(f, dialect):
    document = read(f.latex(dialect))
    assert [*document.findings, *document.check()] == []
    assert document[f.name].written().results == f.written().results


def close(found, expected):
    assert found.axes == expected.axes
    np.testing.assert_allclose(found.numpy(*found.axes), expected.numpy(*found.axes))


def test_extremes_at_a_place_have_words_of_their_own():
    @nt.formula
    def f(X: R[seq], v: R) -> R[seq]:
        return X.at[seq[1:]].max(v)

    assert f.latex("underset").splitlines()[-2] == (
        r"f(X, v) &= \text{max-at}(X_{\text{seq}:\text{from}(2)}, v)"
    )


def test_a_range_of_a_tensor_is_the_place_of_an_update_too():
    text = r"""$$\begin{aligned}
    X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
    f(X) &= \text{set}(\underset{\text{emb}}{\text{until}}(\underset{\text{seq}}{\text{from}}(X, 2), 1), 0.0)
    \end{aligned}$$"""
    X = nt.ones("seq[2] emb[2]")
    close(read(text)["f"](X), X.at[seq[1:], emb[:1]].set(0.0))


def test_what_is_no_place_is_refused():
    text = r"$$\begin{aligned} X &\in \mathbb{R}^{\text{seq}} \\ f(X) &= \text{set}(2 X, 0) \end{aligned}$$"
    with pytest.raises(LatexError, match="set takes a place in a tensor"):
        read(text)["f"].written()


MATRICES = {
    "qr": lambda A, b: nt.qr[row, col, k](A)[1],
    "svd": lambda A, b: nt.svd[row, col, k](A)[2],
    "eigh": lambda A, b: nt.eigh[row, col, k](A)[1],
    "eig": lambda A, b: nt.real(nt.eig[row, col, k](A)[0]),
    "lower": lambda A, b: nt.solve_triangular[row, col](A, b),
    "upper": lambda A, b: nt.solve_triangular[row, col](A, b, upper=True),
    "diagonal": lambda A, b: nt.diag[row, col, k](A),
    "diagonal that keeps an axis": lambda A, b: nt.diag[row, col, row](A),
    "scattered": lambda A, b: nt.scatter[row, k[4]](b, nt.argmax_index[col](A)),
    "added up": lambda A, b: nt.overlap_add[row, col](A),
    "added up in steps": lambda A, b: nt.overlap_add[row, col](A, stride=2, padding=1),
    "added up wider": lambda A, b: nt.overlap_add[row, col](
        A, stride=2, padding=(0, 1), dilation=2
    ),
    "contracted": lambda A, b: nt.dot[row, col](A, A, b),
    "last element": lambda A, b: A[row(-1)],
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", MATRICES)
def test_a_word_is_read_as_its_operation(name, dialect):
    def f(A: R[row, col], b: R[row]):
        return MATRICES[name](A, b)

    same(nt.formula(f), dialect)


@pytest.mark.parametrize("word", ["qr", "svd", "eigh", "eig"])
def test_the_word_of_a_decomposition_is_not_that_of_its_stacked_factors(word):
    text = rf"""$$\begin{{aligned}}
    A &\in \mathbb{{R}}^{{\text{{row}}, \text{{col}}}} \\
    f(A) &= \underset{{\text{{row}}, \text{{col}}, \text{{k}}}}{{\text{{{word}}}}} A
    \end{{aligned}}$$"""
    with pytest.raises(LatexError, match=f"{word} is not defined here"):
        read(text)["f"].written()


def test_a_scatter_into_two_axes_takes_two_indices_and_then_two_sizes():
    text = r"""$$\begin{aligned}
    X &\in \mathbb{R}^{\text{k}} \\
    I, J &\in \mathbb{Z}^{\text{k}} \\
    f(X, I, J) &= \underset{\text{k}, \text{seq}, \text{emb}}{\text{scatter}}(X, I, J, 3, 2)
    \end{aligned}$$"""
    X, I, J = nt.tensor([1.0, 5.0], "k"), nt.tensor([2, 0], "k"), nt.tensor([1, 1], "k")
    expected = nt.zeros("seq[3] emb[2]").at[seq(I), emb(J)].set(X)
    close(read(text)["f"](X, I, J), expected)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_product_of_three_over_no_axis_is_a_chain_of_dots(dialect):
    @nt.formula
    def f(X: R[seq], a: R, b: R) -> R[seq]:
        return nt.dot[()](X + 1, a, b - a)

    document = read(f.latex(dialect))
    assert document.check() == []
    X, a, b = nt.tensor([1.0, 2.0], "seq"), nt.tensor(3.0), nt.tensor(5.0)
    close(document["f"](X, a, b), f(X, a, b))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("longer", ["concat", "range", "list"])
def test_a_part_defined_by_its_indices_keeps_its_size_where_arguments_have_another(longer, dialect):
    made = {
        "concat": lambda X: nt.concat[seq](X, X),
        "range": lambda X: X[seq[1:]],
        "list": lambda X: X[seq[[0, 0]]],
    }[longer]

    @nt.formula
    def f(X: R[seq]) -> R[seq]:
        return made(X) * nt.iota(seq)

    document = read(f.latex(dialect))
    assert document.check() == []
    X = nt.tensor([1.0, 2.0, 4.0], "seq")
    close(document["f"](X), f(X))


def test_every_result_of_several_is_checked():
    text = r"""$$\begin{aligned}
    X &\in \mathbb{R}^{\text{seq}} \\
    f(X) &= (\sum_{\text{seq}} X, \sum_{\text{emb}} X)
    \end{aligned}$$"""
    assert [finding.code for finding in read(text).check()] == ["axis-missing"]


REPEATED = {
    "a tensor": lambda X, v: nt.define[k[3]](lambda i: X),
    "along two axes": lambda X, v: nt.define[k[3], new[2]](lambda i, j: X),
    "a number, contracted": lambda X, v: (
        nt.define[k[3]](lambda i: v) @ k @ nt.define[k[3]](lambda i: i)
    ),
    "summed up": lambda X, v: nt.sum[k](nt.define[k[3]](lambda i: nt.exp(X))),
    "of another size": lambda X, v: nt.define[k[3]](lambda i: nt.concat[seq](X, X)),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", REPEATED)
def test_what_is_repeated_along_an_axis_keeps_it(name, dialect):
    def f(X: R[seq], v: R):
        return REPEATED[name](X, v)

    made = nt.formula(f)
    same(made, dialect)
    names = {}
    exec(read(made.latex(dialect)).python(), names)
    X, v = nt.tensor([1.0, 2.0], "seq"), nt.tensor(3.0)
    close(names["f"](X, v), made(X, v))


DTYPES = "bool int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64 complex64 complex128"
CASTS = {
    "like whole numbers": lambda X, I: nt.cast(X, like=I),
    "complex": lambda X, I: nt.abs(nt.cast(X, complex) * (1 + 2j)),
    **{dtype: lambda X, I, dtype=dtype: nt.cast(X, dtype) for dtype in DTYPES.split()},
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASTS)
def test_a_cast_is_read_as_the_same_cast(name, dialect):
    def f(X: R[seq], I: Z[k]):
        return CASTS[name](X, I)

    same(nt.formula(f), dialect)
