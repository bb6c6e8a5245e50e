"""Tensors as text: axes and sizes before the numbers."""

import numpy as np
import pytest
import torch

import namedtensor as nt

seq, emb = nt.axes("seq emb")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (3.5, "NamedTensor(3.5)"),
        (np.array(True), "NamedTensor(True)"),
        (torch.tensor(3.5), "NamedTensor(float32 torch)\n3.5"),
        (
            torch.tensor(3.5, requires_grad=True),
            "NamedTensor(float32 torch, requires_grad)\n3.5",
        ),
    ],
)
def test_a_single_number(data, text):
    assert repr(nt.tensor(data, ())) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (np.array([True, False]), "seq[2], bool)\n[ True False]"),
        (np.array([1, -20], dtype=np.int8), "seq[2], int8)\n[  1 -20]"),
        (np.array([np.nan, -np.inf]), "seq[2], float64)\n[ nan -inf]"),
        (np.array([1 + 2j]), "seq[1], complex128)\n[1.+2.j]"),
        (np.zeros(0), "seq[0], float64)\n[]"),
        (np.array([1e-3, 1.0, 100.0]), "seq[3], float64)\n[  0.001   1.    100.   ]"),
        (np.array([1e-9, 1.0]), "seq[2], float64)\n[1.e-09 1.e+00]"),
        (torch.tensor([1.5]).bfloat16(), "seq[1], bfloat16 torch)\n[1.5]"),
        (torch.tensor([1.5]).to(torch.float8_e5m2), "seq[1], float8_e5m2 torch)\n[1.5]"),
        (torch.tensor([1 + 2j]).conj(), "seq[1], complex64 torch)\n[1.-2.j]"),
        (torch.tensor([1 + 2j]).conj().imag, "seq[1], float32 torch)\n[-2.]"),
        (
            torch.ones(1, requires_grad=True) * 2,
            "seq[1], float32 torch, requires_grad)\n[2.]",
        ),
        (
            torch.empty(2, device="meta"),
            "seq[2], float32 torch meta)\n(its numbers cannot be read)",
        ),
        (
            torch.ones(2).to_sparse(),
            "seq[2], float32 torch)\n(its numbers cannot be read)",
        ),
    ],
)
def test_one_axis(data, text):
    assert repr(nt.tensor(data, seq)) == f"NamedTensor({text}"


def test_two_axes():
    assert repr(nt.tensor([[1.0, 2.5], [3.0, 4.0]], seq.prime, emb)) == (
        "NamedTensor(seq'[2] x emb[2], float64)\n[[1.  2.5]\n [3.  4. ]]"
    )


def test_the_middle_of_many_numbers_is_left_out():
    X = nt.tensor(np.arange(100).reshape(4, 25), seq, emb)
    assert repr(X) == (
        "NamedTensor(seq[4] x emb[25], int64)\n"
        "[[ 0  1 ... 23 24]\n"
        " [25 26 ... 48 49]\n"
        " [50 51 ... 73 74]\n"
        " [75 76 ... 98 99]]"
    )


def test_only_the_numbers_shown_are_read():
    X = nt.tensor(torch.ones(1).expand(10**9, 10**9), seq, emb)
    assert repr(X).endswith("[1. 1. ... 1. 1.]]")


def test_what_would_fill_pages_is_not_laid_out():
    many = " ".join(f"a{i}[2]" for i in range(15))
    assert repr(nt.zeros(many)).endswith(", float64)\n(too many numbers to lay out)")
    assert len(repr(nt.zeros("a[9] b[9] c[9] d[9] e[9] f[9]"))) < 3000
    assert repr(nt.zeros(" ".join(f"a{i}[1]" for i in range(60)))).endswith("[0.]" + "]" * 59)


def test_inside_vmap_the_shape_is_shown():
    texts = []

    def look(x):
        texts.append(repr(nt.tensor(x, seq)))
        return x

    torch.func.vmap(look)(torch.ones(2, 3))
    assert texts == ["NamedTensor(seq[3], float32 torch)\n(its numbers cannot be read)"]
