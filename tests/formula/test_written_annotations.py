"""Annotations that `from __future__ import annotations` leaves as text."""

from __future__ import annotations

import pytest

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_same

seq, emb, hid = axes("seq emb hid")


@formula
def project(X: R[emb], *, W: R[emb, hid], p: float = 1.0) -> R[hid]:
    return W @ emb @ X * p


@formula
def outer(X: R[emb], I: Z[seq], *, proj: project) -> tuple[R[hid], Z[seq]]:
    return proj(X), I + 1


def test_text_is_read_as_a_signature():
    assert repr(project) == "project(X: R[emb]; W: R[emb, hid], p) -> R[hid]"
    found = project(nt.ones("emb[2]"), W=nt.ones("emb[2] hid[3]"), p=0.5)
    assert_same(found, nt.full("hid[3]", 1.0))


def test_text_names_bundles_and_several_results():
    W = nt.ones("emb[2] hid[3]")
    first, second = outer(nt.ones("emb[2]"), nt.tensor([1, 2], seq), proj={"W": W})
    assert_same(first, nt.full("hid[3]", 2.0))
    assert second.numpy().tolist() == [2, 3]


def test_text_may_name_local_axes_and_closures():
    def build(width):
        inner = nt.Axis("inner")

        @formula
        def summed(X: R[inner]) -> R:
            return nt.sum[inner](X) * width

        return summed

    assert build(2.0)(nt.ones("inner[3]")).item() == 6.0


def test_text_that_names_no_axis_is_refused():
    with pytest.raises(nt.AxisNameError) as caught:

        @formula
        def wrong(X: R[nowhere]) -> R:  # noqa: F821
            return X

    assert str(caught.value) == (
        "@formula wrong: the annotation X: R[nowhere] names an axis that is not defined "
        "(name 'nowhere' is not defined)\n"
        'hint: define it first: seq, emb = nt.axes("seq emb")'
    )


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (emb, "emb"),
        ((seq, emb), "seq, emb"),
        (list[R[emb]], "list[R[emb]]"),
        (tuple[R[emb], ...], "tuple[R[emb], ...]"),
        (nt.one[project], "one[project]"),
    ],
)
def test_a_result_that_is_declared_and_no_space_is_refused(note, said):
    def give(X):
        return X

    give.__annotations__ = {"X": R[emb], "return": note}
    with pytest.raises(nt.AxisNameError) as caught:
        formula(give)
    assert str(caught.value) == (
        f"@formula give: the result is declared as {said}, which is no space\n"
        "hint: -> R[seq, emb], or -> tuple[R[seq, emb], R] for several results"
    )
