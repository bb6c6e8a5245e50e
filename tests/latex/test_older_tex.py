r"""TeX's own \choose and \over, and differences that a condition keeps inside."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import called, same

x = np.array([1.0, 4.0, 9.0, 16.0])
VECTOR = r"$x \in \mathbb{R}^{\text{seq}}$. "
GIVEN = {"x": nt.tensor(x, "seq")}


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"{|\text{seq}| \choose 2} + \sum_{\text{seq}} x", 36.0),
        (r"2 {|\text{seq}| \choose {1 + 1}} + \sum_{\text{seq}} x", 42.0),
        (r"{1 \over |\text{seq}|} \sum_{\text{seq}} x", x.mean()),
        (r"{\sum_{\text{seq}} x \over {|\text{seq}| \choose 2}}", x.sum() / 6),
        (r"\sqrt{{\sum_{\text{seq}} x^2 \over 2}}", np.sqrt((x**2).sum() / 2)),
        (r"\sum_{\text{seq}} x + |\text{seq}|^{-1}", x.sum() + 0.25),
    ],
)
def test_it_reads_as_what_it_is(formula: str, wanted: float) -> None:
    same(called(rf"{VECTOR} $$y = {formula}$$", "y", GIVEN), wanted)


@pytest.mark.parametrize("formula", [r"1 + x \over 2", r"x \choose 2"])
def test_without_braces_it_is_said(formula: str) -> None:
    (said,) = read(rf"{VECTOR} $$y = {formula} + \sum_{{\text{{seq}}}} x$$").check()
    assert "is not known here" in said.message


@pytest.mark.parametrize(
    "where", [r"\quad i > 1", r"\quad i \ge 2", r"\quad i = 2, \dots, |\text{seq}|"]
)
def test_a_condition_keeps_a_difference_inside(where: str) -> None:
    text = rf"{VECTOR} $$y_{{\text{{seq}}(i)}} = x_{{\text{{seq}}(i)}} - x_{{\text{{seq}}(i-1)}}, {where}$$"
    same(called(text, "y", GIVEN), [np.nan, 3.0, 5.0, 7.0], "seq")


def test_a_range_from_one_does_not() -> None:
    text = (
        rf"{VECTOR} $$y_{{\text{{seq}}(i)}} = x_{{\text{{seq}}(i)}} - x_{{\text{{seq}}(i-1)}}, "
        r"\quad i = 1, \dots, |\text{seq}|$$"
    )
    assert [f.code for f in read(text).check()] == ["index-range"]


@pytest.mark.parametrize(
    "where", [r"i > 1", r"i = 2, \dots, |\text{seq}|", r"i \in \{2, \dots, |\text{seq}|\}"]
)
@pytest.mark.parametrize("at", ["i-2", "i+1"])
def test_what_a_condition_lets_out_is_refused(where: str, at: str) -> None:
    text = rf"{VECTOR} $$y_{{\text{{seq}}(i)}} = x_{{\text{{seq}}({at})}}, \quad {where}$$"
    assert "index-range" in [f.code for f in read(text).check()]
