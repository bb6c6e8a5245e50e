"""Tensors as text: axes and sizes before the numbers, names at rows and columns."""

import numpy as np
import pytest
import torch

import namedtensor as nt

seq, emb, head = nt.axes("seq emb head")


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    """Make the terminal 80 columns wide, or as many as asked for."""
    widen = lambda columns: monkeypatch.setenv("COLUMNS", str(columns))
    widen(80)
    return widen


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (3.5, "3.5"),
        (np.array(True), "True"),
        (np.float32(0.1), "0.1, float32"),
        (torch.tensor(3.5), "3.5, float32 torch"),
        (torch.tensor(1, device="meta"), "int64 torch meta: its numbers cannot be read"),
        (torch.tensor(3.5, requires_grad=True), "3.5, float32 torch, requires_grad"),
    ],
)
def test_a_single_number_stands_on_one_line(data, text):
    assert repr(nt.tensor(data, ())) == f"NamedTensor({text})"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (np.array([True, False]), "seq[2], bool)\nseq     0      1\n     True  False"),
        (np.array([1, -20], dtype=np.int8), "seq[2], int8)\nseq  0    1\n     1  -20"),
        (np.array([np.nan, -np.inf]), "seq[2], float64)\nseq    0     1\n     nan  -inf"),
        (np.array([1 + 2j]), "seq[1], complex128)\nseq     0\n     1+2j"),
        (np.zeros(0), "seq[0], float64)\nno numbers along seq[0]"),
        (
            np.array([1e-3, 1.0, 100.0]),
            "seq[3], float64)\nseq      0      1        2\n     0.001  1.000  100.000",
        ),
        (torch.tensor([1.5]).bfloat16(), "seq[1], bfloat16 torch)\nseq    0\n     1.5"),
        (
            torch.tensor([1.5]).to(torch.float8_e5m2),
            "seq[1], float8_e5m2 torch)\nseq    0\n     1.5",
        ),
        (torch.tensor([1 + 2j]).conj(), "seq[1], complex64 torch)\nseq     0\n     1-2j"),
        (torch.tensor([1 + 2j]).conj().imag, "seq[1], float32 torch)\nseq   0\n     -2"),
        (
            torch.ones(1, requires_grad=True) * 2,
            "seq[1], float32 torch, requires_grad)\nseq  0\n     2",
        ),
        (
            torch.empty(2, device="meta"),
            "seq[2], float32 torch meta)\n(its numbers cannot be read)",
        ),
    ],
)
def test_one_axis(data, text):
    assert repr(nt.tensor(data, seq)) == f"NamedTensor({text}"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([1e-9, 1.0], "1e-09  1"),
        ([0.25, 3.0], "0.25  3.00"),
        ([0.5, 2.345e-7, 0.0], "0.5  2.345e-07  0.0"),
        ([1e12, 1.0, 20.5], "1e+12  1.0  20.5"),
        ([123456.78, 0.25], "123456.8  0.2"),
        ([2e-3, 1.5e-3], "0.0020  0.0015"),
        ([2.5e-5, 1e-6], "2.5e-05  1e-06"),
    ],
)
def test_only_a_number_that_needs_an_exponent_has_one(data, words):
    assert repr(nt.tensor(data, seq)).splitlines()[-1].split() == words.split()


def test_rows_and_columns_carry_their_axis_names():
    assert repr(nt.tensor([[1.0, 2.5], [3.0, 4.0]], seq.prime, emb)) == (
        "NamedTensor(seq'[2] x emb[2], float64)\n"
        "        emb\n"
        "          0    1\n"
        "seq' 0  1.0  2.5\n"
        "     1  3.0  4.0"
    )


def test_the_middle_of_many_columns_is_left_out_where_there_is_no_room(terminal):
    X = nt.tensor(np.arange(100).reshape(4, 25), seq, emb)
    terminal(40)
    assert repr(X) == (
        "NamedTensor(seq[4] x emb[25], int64)\n"
        "       emb\n"
        "        0   1   2   3  …  21  22  23  24\n"
        "seq 0   0   1   2   3  …  21  22  23  24\n"
        "    1  25  26  27  28  …  46  47  48  49\n"
        "    2  50  51  52  53  …  71  72  73  74\n"
        "    3  75  76  77  78  …  96  97  98  99"
    )
    terminal(140)
    assert "…" not in repr(X)


@pytest.mark.parametrize("columns", [24, 33, 60, 80, 200])
@pytest.mark.parametrize("size", [1, 2, 7, 30, 1000])
def test_no_line_is_longer_than_the_terminal_and_the_last_column_is_there(terminal, columns, size):
    terminal(columns)
    X = nt.tensor(np.linspace(0, 1, 3 * size).reshape(3, size), seq, emb)
    _, _, heads, *rows = repr(X).splitlines()
    assert all(len(line) <= columns for line in (heads, *rows))
    assert heads.split()[-1] == str(size - 1)
    assert all(len(row) == len(heads) for row in rows)


def test_of_many_rows_the_first_and_last_are_shown():
    lines = repr(nt.tensor(np.arange(300).reshape(100, 3), seq, emb)).splitlines()
    assert len(lines) == 24
    assert lines[3].split() == ["seq", "0", "0", "1", "2"]
    assert lines[13].split() == ["⋮", "⋮", "⋮", "⋮"]
    assert lines[-1].split() == ["99", "297", "298", "299"]


def test_further_axes_have_a_table_for_each_record():
    lines = repr(nt.tensor(np.arange(24).reshape(6, 2, 2), head, seq, emb)).splitlines()
    assert [line for line in lines if line.startswith("head(")] == [
        f"head({i})" for i in (0, 1, 4, 5)
    ]
    assert lines[-1] == "and 2 more of these tables"


def test_a_result_is_shown_in_its_declared_order_however_it_is_stored():
    @nt.formula
    def doubled(X: nt.R[seq, emb]) -> nt.R[seq, emb]:
        return X * 2.0

    array = np.arange(6.0).reshape(2, 3)
    first = doubled(nt.tensor(array, seq, emb))
    second = doubled(nt.tensor(array.T.copy(), emb, seq))
    assert first.axes != second.axes
    assert (
        repr(first)
        == repr(second)
        == (
            "NamedTensor(seq[2] x emb[3], float64)\n"
            "       emb\n"
            "       0  1   2\n"
            "seq 0  0  2   4\n"
            "    1  6  8  10"
        )
    )


def test_only_the_numbers_shown_are_read():
    X = nt.tensor(torch.ones(1).expand(10**9, 10**9), seq, emb)
    assert repr(X).splitlines()[-1].split()[0] == "999999999"


def test_many_axes_stay_short():
    for many in (" ".join(f"a{i}[2]" for i in range(15)), "a[9] b[9] c[9] d[9] e[9] f[9]"):
        assert len(repr(nt.zeros(many))) < 6000
    assert repr(nt.zeros(" ".join(f"a{i}[1]" for i in range(60)))).endswith("a58 0  0")


def test_inside_vmap_the_shape_is_shown():
    texts = []

    def look(x):
        texts.append(repr(nt.tensor(x, seq)))
        return x

    torch.func.vmap(look)(torch.ones(2, 3))
    assert texts == ["NamedTensor(seq[3], float32 torch)\n(its numbers cannot be read)"]
