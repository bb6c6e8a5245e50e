"""Tensors and shapes as HTML: what the page says, and that it stays small and static."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import namedtensor as nt
from tests.display.tables import numbers, read

seq, emb, head = nt.axes("seq emb head")
NAMES = ["seq", "seq'", "emb", "head", "batch"]


def page(X) -> str:
    """Give a tensor's page without its style."""
    return re.sub("<style>.*</style>", "", X._repr_html_())


def test_one_axis():
    assert page(nt.tensor([1.5, -2.0], seq)) == (
        '<div class="namedtensor">'
        '<div class="shape">seq[2], float64</div>'
        '<div class="scroll"><table>'
        '<tr><th class="axis" colspan="2">seq</th></tr>'
        '<tr><th class="column">0</th><th class="column">1</th></tr>'
        "<tr><td>1.5</td><td>-2.0</td></tr>"
        "</table></div></div>"
    )


def test_two_axes():
    assert page(nt.tensor([[1, 20], [3, 4]], seq.prime, emb)) == (
        '<div class="namedtensor">'
        '<div class="shape">seq&#x27;[2] x emb[2], int64</div>'
        '<div class="scroll"><table>'
        '<tr><th></th><th></th><th class="axis" colspan="2">emb</th></tr>'
        '<tr><th></th><th></th><th class="column">0</th><th class="column">1</th></tr>'
        '<tr><th class="axis" rowspan="2">seq&#x27;</th>'
        '<th class="row">0</th><td>1</td><td>20</td></tr>'
        '<tr><th class="row">1</th><td>3</td><td>4</td></tr>'
        "</table></div></div>"
    )


def test_each_record_of_further_axes_has_its_table():
    X = nt.tensor(np.arange(8).reshape(2, 2, 2), head, seq, emb)
    assert [caption for caption, _ in read(page(X))] == ["head(0)", "head(1)"]
    assert len(numbers(page(X))) == 8


@pytest.mark.parametrize(
    ("data", "title", "number"),
    [
        (3.5, "float64", "3.5"),
        (np.array(True), "bool", "True"),
        (torch.tensor(2, dtype=torch.int32), "int32 torch", "2"),
        (torch.tensor(1.0, requires_grad=True), "float32 torch, requires_grad", "1"),
    ],
)
def test_a_single_number_has_no_table(data, title, number):
    assert page(nt.tensor(data, ())) == (
        f'<div class="namedtensor"><div class="shape">{title}</div><div>{number}</div></div>'
    )


@pytest.mark.parametrize(
    ("shape", "empty"), [("seq[0] emb[3]", "seq[0]"), ("seq[2] emb[0]", "emb[0]")]
)
def test_an_axis_of_size_0_is_named(shape, empty):
    assert f"<div>no numbers along {empty}</div>" in page(nt.zeros(shape))


@pytest.mark.parametrize(
    ("data", "cells"),
    [
        (np.array([True, False]), ["True", "False"]),
        (np.array([1, -200]), ["1", "-200"]),
        (np.array([0.0, -np.inf, np.nan]), ["0", "-inf", "nan"]),
        (np.array([0.25, 3.0]), ["0.25", "3.00"]),
        (np.array([1e-3, 1.0]), ["0.001", "1.000"]),
        (np.array([1e-9, 1.0]), ["1e-09", "1"]),
        (np.array([1 + 2j, 3.0]), ["1+2j", "3+0j"]),
        (torch.tensor([1.5, 2.0], dtype=torch.bfloat16), ["1.5", "2.0"]),
        (torch.tensor([1.5, 2.0]).to(torch.float8_e5m2), ["1.5", "2.0"]),
        (torch.tensor([1 + 2j, 3.0]).conj(), ["1-2j", "3-0j"]),
        (torch.tensor([1.0, 2.0], requires_grad=True) * 2, ["2", "4"]),
    ],
)
def test_numbers_of_every_kind(data, cells):
    assert list(numbers(page(nt.tensor(data, seq))).values()) == cells


def test_an_index_defined_tensor_shows_its_rule_until_its_sizes_are_known():
    rule = lambda i, j: nt.where(j <= i, 0.0, -nt.inf)
    unsized = nt.define[seq.prime, seq](rule)
    assert "where(" in page(unsized)
    assert read(page(unsized)) == []
    sized = nt.define["seq'[2]", "seq[2]"](rule)
    assert "where(" in page(sized)
    assert numbers(page(sized))[frozenset({("seq'", 0), ("seq", 1)})] == "-inf"
    assert numbers(page(sized))[frozenset({("seq'", 1), ("seq", 0)})] == "0"


def test_a_deep_rule_is_cut_short():
    X = nt.iota("seq[3]")
    for _ in range(50):
        X = X * X + 1
    assert len(page(X)) < 2000


def test_too_many_numbers_are_not_computed():
    assert "too many numbers to compute here" in page(nt.iota(f"seq[{10**15}]"))


def test_the_body_of_a_formula_shows_its_symbols():
    pages = []

    @nt.formula
    def look(X: nt.R[emb]) -> nt.R[emb]:
        pages.append(X._repr_html_())
        return X

    look(nt.ones("emb[2]"))
    assert pages[0].startswith("<pre>NamedTensor(")


def test_only_the_numbers_shown_are_read():
    X = nt.tensor(torch.zeros(1).expand(10**6, 10**6, 10**6), head, seq, emb)
    assert "and 999,996 more of these tables" in page(X)
    assert frozenset({("head", 999_999), ("seq", 999_999), ("emb", 999_999)}) in numbers(page(X))


def test_a_tensor_whose_numbers_are_out_of_reach_shows_its_shape():
    assert page(nt.tensor(torch.empty(2, device="meta"), seq)) == (
        '<div class="namedtensor"><div class="shape">'
        "seq[2], float32 torch meta</div>"
        "<div>(its numbers cannot be read)</div></div>"
    )


def test_a_shape_is_a_row_of_axes_over_a_row_of_sizes():
    html = nt.Shape("seq[7] seq'")._repr_html_()
    assert html.endswith(
        '<table><tr><th class="axis">seq</th><th class="axis">seq&#x27;</th></tr>'
        "<tr><td>7</td><td>open</td></tr></table></div>"
    )
    assert nt.Shape()._repr_html_() == "<pre>()</pre>"


@st.composite
def tensors(draw):
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, 5))]
    sizes = [draw(st.sampled_from([1, 2, 3, 8, 9, 12])) for _ in names[:3]]
    sizes += [draw(st.sampled_from([1, 2])) for _ in names[3:]]
    data = np.arange(np.prod(sizes)).reshape(sizes)
    return nt.tensor(torch.tensor(data) if draw(st.booleans()) else data, *names)


@given(tensors())
def test_every_number_stands_where_it_belongs_and_they_are_few(X):
    found = numbers(X._repr_html_())
    assert 0 < len(found) <= 4 * 9 * 9
    data = X.numpy(*X.axes)
    for record, number in found.items():
        place = dict(record)
        assert int(number) == data[tuple([place[name] for name in X.axes])]


@given(tensors())
def test_nothing_is_left_out_of_a_small_tensor(X):
    small = len(X.axes) <= 2 and all(size <= 9 for _, size in X.sizes)
    assert (len(numbers(X._repr_html_())) == X.shape.count) or not small


def test_dots_never_stand_for_one_row_or_column():
    assert "…" not in page(nt.zeros("seq[9] emb[9]"))
    assert "⋮" not in repr(nt.zeros("seq[21] emb[2]"))
    assert "⋮" in repr(nt.zeros("seq[22] emb[2]"))


@given(tensors())
def test_the_first_and_the_last_number_are_shown(X):
    found = numbers(X._repr_html_())
    assert frozenset((name, 0) for name in X.axes) in found
    assert frozenset((name, size - 1) for name, size in X.sizes) in found


def test_styles_reach_only_our_class_and_nothing_runs():
    html = nt.zeros("seq[2] emb[2]")._repr_html_()
    style = re.search("<style>(.*)</style>", html)[1]
    selectors = [s for rule in re.findall(r"([^{}]+)\{", style) for s in rule.split(",")]
    assert len(selectors) > 5
    assert all(selector.startswith(".namedtensor") for selector in selectors)
    assert not re.search(r"<script|javascript:|\son\w+=|https?:|#[0-9a-f]{3}", html)


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<table><tr><td>1</tr></table>", "</tr> closes <td>"),
        ("<table><tr>", r"left open: \['table', 'tr'\]"),
        ("</div>", "</div> closes nothing"),
    ],
)
def test_the_reader_sees_a_tag_that_is_not_closed(html, fault):
    with pytest.raises(AssertionError, match=fault):
        read(html)


def test_the_reader_sees_a_number_at_the_wrong_place():
    html = page(nt.tensor([[1, 2], [3, 4]], seq, emb))
    assert numbers(html.replace("<td>2</td>", "<td>5</td>")) != numbers(html)
    assert numbers(html.replace('"row">1', '"row">2')) != numbers(html)
    with pytest.raises(AssertionError, match="two numbers at"):
        numbers(html.replace('"row">1', '"row">0'))
