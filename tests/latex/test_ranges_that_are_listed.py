r"""A range of which all numbers are listed, i = 1, 2, 3, is a range; elements beside it count."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

t = np.array([1.0, 2.0, 3.0, 4.0])
DECLARED = [r"$t \in \mathbb{R}^{\text{s}:4}$. ", r"\ndef{\s}{s}$t \in \mathbb{R}^{\s[4]}$. "]
RANGES = [
    "i = 1,2,3",
    "i=1, 2, 3",
    "(i = 1, 2, 3)",
    r"\text{for } i = 1, 2, 3",
    r"i = 1, \ldots, 3",
    r"i = 1, 2, \ldots, 3",
    r"i \in \{1, 2, 3\}",
    r"1 \le i \le 3",
]
ALL = ["d_i = t_{i+1}", r"d_{\text{s}(i)} = t_{\text{s}(i+1)}"]
LAST = ["d_4 = 10", r"d_{\text{s}(4)} = 10"]


def value(text: str, **given: float) -> np.ndarray:
    """Give d for t, where nothing is found in the document but that elements are written short."""
    document = read(text)
    assert {(f.severity, f.code) for f in document.check()} <= {("note", "meaning")}
    assert document.names == ("d",)
    return document["d"](tensor(t, "s"), **given).numpy("s")


@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("between", [r", \quad ", r"\qquad ", "$$ and $$"])
@pytest.mark.parametrize("all_", ALL)
@pytest.mark.parametrize("last", LAST)
def test_an_element_beside_a_listed_range_counts(declared, range_, between, all_, last):
    text = rf"{declared}$${all_} \quad {range_}{between}{last}$$"
    np.testing.assert_allclose(value(text), [2, 3, 4, 10])


@pytest.mark.parametrize("range_", RANGES)
def test_a_listed_range_is_how_long_an_axis_is(range_):
    np.testing.assert_allclose(value(rf"{DECLARED[0]}$${ALL[1]} \quad {range_}$$"), [2, 3, 4])


@pytest.mark.parametrize("range_", ["i = 2, 3", r"\text{for } i = 2, 3", r"i \in \{2, \ldots, 3\}"])
def test_a_listed_range_may_begin_later(range_):
    text = rf"{DECLARED[0]}$$d_{{\text{{s}}(i)}} = t_{{\text{{s}}(i)}} \quad {range_}$$"
    found = read(text)["d"](tensor(t, "s")).numpy("s")
    np.testing.assert_allclose(found, [np.nan, 2, 3])


def test_the_first_element_may_stand_beside_a_range_too():
    text = rf"{DECLARED[0]}$$d_1 = 7 \qquad d_{{\text{{s}}(i)}} = t_{{\text{{s}}(i)}} \quad i = 2, 3, 4$$"
    np.testing.assert_allclose(value(text), [7, 2, 3, 4])


def test_a_sum_runs_over_a_listed_range():
    text = DECLARED[0] + r"$$f(t) = \sum_{i = 1, 2, 3} i \, t_{\text{s}(i)}$$"
    assert read(text)["f"](tensor(t, "s")).item() == 14


def test_an_element_of_a_letter_with_one_axis_within_its_size():
    """Where the range goes beyond the axis, or the axis has no size, t_i may be anything."""
    for size, upper in (("", 3), (":2", 3), (":n", 3)):
        text = rf"$t \in \mathbb{{R}}^{{\text{{s}}{size}}}$. $$d_i = t_i \quad i = 1, \ldots, {upper}$$"
        (note,) = read(text).check()
        assert (note.severity, note.code) == ("note", "not-notation")
        assert "it uses t as other notations do" in note.message


def test_a_declared_member_is_no_element():
    text = rf"{DECLARED[0]}Let $d_4 \in \mathbb{{R}}$. $$e = 2 d_4$$ $${ALL[1]} \quad i = 1, 2, 3$$"
    document = read(text)
    assert document["e"](d_4=5.0) == 10
    np.testing.assert_allclose(document["d"](tensor(t, "s")).numpy("s"), [2, 3, 4])


def test_a_letter_that_is_one_number_is_that_number():
    text = r"$X \in \mathbb{R}^{\text{a}}$. $$c = 3, \quad f(X) = c X$$"
    assert read(text)["f"](tensor([2.0], "a")).numpy("a") == [6]


@pytest.mark.parametrize(
    ("range_", "wanted"),
    [
        ("i = 1, 3", [1, np.nan, 3, np.nan]),
        ("i = 4, 2", [np.nan, 2, np.nan, 4]),
        (r"i \in \{1, 3\}", [1, np.nan, 3, np.nan]),
        (r"i \in \{2, 3\}", [np.nan, 2, 3, np.nan]),
    ],
)
def test_numbers_that_are_not_in_turn_are_those_alone(range_, wanted):
    text = rf"{DECLARED[0]}$$d_{{\text{{s}}(i)}} = t_{{\text{{s}}(i)}} \quad {range_}$$"
    document = read(text)
    assert document.names == ("d",)
    assert [f.code for f in document.check()] == ["nan"]
    np.testing.assert_allclose(document["d"](tensor(t, "s")).numpy("s"), wanted)


def test_a_range_from_0_is_refused():
    text = rf"{DECLARED[0]}$${ALL[1]} \quad i = 0, 1, 2$$"
    assert [f.code for f in read(text).check()] == ["index-range"]
    with pytest.raises(LatexError, match="i starts at 0, and indices count from 1"):
        read(text)["d"](tensor(t, "s"))
