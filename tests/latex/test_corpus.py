"""The corpus: documents that are correct read without findings, check clean, and run as computed."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import namedtensor as nt
import namedtensor.latex

from .corpus import refused
from .corpus.coverage import FEATURES, SUBJECTS, features_of
from .corpus.entry import Entry, axes_of, draw
from .corpus.subjects import ALL, DOCUMENTS

torch = pytest.importorskip("torch")

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


def named(pairs):
    return [pytest.param(path, entry, id=f"{path.stem}-{entry}") for path, entry in pairs]


every_entry = pytest.mark.parametrize(("path", "entry"), named(ALL))
with_gradients = pytest.mark.parametrize(
    ("path", "entry"), named([pair for pair in ALL if pair[1].gradients])
)


@functools.cache
def document(path: Path):
    return namedtensor.latex.read_file(path)


def formula(path: Path, entry: Entry):
    whole = document(path)
    found = whole.bind(**entry.chosen)[entry.name] if entry.chosen else whole[entry.name]
    return found if entry.member is None else found[entry.member]


def arrays(entry: Entry) -> dict[str, object]:
    random = np.random.default_rng(zlib.crc32(str(entry).encode()))
    return {name: draw(space, random) for name, space in entry.inputs.items()}


def tensor(space: object, array: object, library: str) -> object:
    if isinstance(space, Mapping):
        return {name: tensor(space[name], inner, library) for name, inner in array.items()}
    if not isinstance(space, str):
        return array
    data = torch.tensor(array) if library == "torch" else array
    return nt.tensor(data, " ".join(name for name, _ in axes_of(space)))


def call(path: Path, entry: Entry, given: dict[str, object]) -> object:
    return formula(path, entry)(**given)


def computed(path: Path, entry: Entry, drawn: dict[str, object], library: str) -> np.ndarray:
    """Call the formula of the document; the result's axes stand in the entry's order."""
    inputs = entry.inputs
    result = call(path, entry, {n: tensor(inputs[n], a, library) for n, a in drawn.items()})
    if not isinstance(result, nt.NamedTensor):
        assert entry.result == ""
        return np.asarray(result)
    assert set(result.axes) == set(entry.result.split()), str(result.shape)
    if library == "torch":
        return result.torch(*entry.result.split()).numpy()
    return result.numpy(*entry.result.split())


def assert_gives(path: Path, entry: Entry, library: str) -> None:
    drawn = arrays(entry)
    expected = np.asarray(entry.expected(*drawn.values()), dtype=float)
    with np.errstate(divide="ignore"):  # the log of a mask is -inf on purpose
        given = computed(path, entry, drawn, library)
    assert given.shape == expected.shape
    tolerance = 1e-6 if entry.torch_only else 1e-10
    np.testing.assert_allclose(given, expected, rtol=tolerance, atol=tolerance)


# ----------------------------------------------------------------------------- reading, checking


@every_document
def test_a_correct_document_reads_without_findings(path):
    told = refused.TOLD if path.stem == "refused" else []
    found = [str(finding) for finding in document(path).findings]
    assert len(found) == len(told)
    for note, part in zip(found, told, strict=True):
        assert "note[not-notation]: set aside: " in note
        assert part in note


@every_document
def test_a_correct_document_checks_without_errors_and_warnings(path):
    found = [f for f in document(path).check() if f.severity != "note"]
    assert [str(finding) for finding in found] == []


@every_document
def test_no_formula_in_named_notation_is_set_aside(path):
    shown = [
        aside.text
        for aside in document(path).asides
        if re.search(r"\\n(fun|dot|sum)|\\underset", aside.text)
    ]
    assert [text for text in shown if "\\colon" not in text] == []  # of unroll, for any axes


# ---------------------------------------------------------------------------------------- running


@every_entry
def test_a_formula_gives_what_it_says_on_torch(path, entry):
    assert_gives(path, entry, "torch")


@pytest.mark.parametrize(("path", "entry"), named([p for p in ALL if not p[1].torch_only]))
def test_a_formula_gives_what_it_says_on_numpy(path, entry):
    assert_gives(path, entry, "numpy")


def is_smooth(space):
    """Say whether a small change of the numbers keeps what they are."""
    kind = space.partition("~")[2].split()
    return not kind or kind[0] in ("positive", "definite", "probability")


@with_gradients
def test_the_gradients_are_those_of_finite_differences(path, entry):
    drawn = arrays(entry)
    spaces = entry.inputs
    given = {name: tensor(spaces[name], array, "torch") for name, array in drawn.items()}
    places = [n for n, space in spaces.items() if isinstance(space, str) and is_smooth(space)]
    for name in places:
        given[name].data.requires_grad_()
    result = call(path, entry, given).torch(*entry.result.split())
    random = np.random.default_rng(0)
    weights = random.standard_normal(tuple(result.shape))
    (result * torch.tensor(weights)).sum().backward()
    for name in places:
        change = random.standard_normal(drawn[name].shape)
        step = 1e-5
        sides = [
            np.sum(weights * entry.expected(*{**drawn, name: drawn[name] + s * change}.values()))
            for s in (step, -step)
        ]
        found = float((given[name].data.grad.numpy() * change).sum())
        assert found == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=1e-5, abs=1e-7), name


def defined_as_function(path, entry):
    """Say whether the document defines f(X; W) = ..., by its text."""
    return bool(
        re.search(rf"(\\text\{{|\\){re.escape(entry.name)}\}}?(\^\w)?\(", path.read_text("utf-8"))
    )


@pytest.mark.parametrize(
    ("path", "entry"), named([p for p in ALL if p[1].given and defined_as_function(*p)])
)
def test_arguments_stand_before_the_semicolon_in_the_order_of_the_formula(path, entry):
    parameters = formula(path, entry).signature.parameters
    assert [p.name for p in parameters if not p.after] == list(entry.given)


def liftable(pairs):
    """Those whose first argument has axes: another axis passes through."""
    return [
        (path, entry)
        for path, entry in pairs
        if entry.given
        and isinstance(next(iter(entry.given.values())), str)
        and not entry.torch_only
        and "~" not in next(iter(entry.given.values()))
    ]


@pytest.mark.parametrize(("path", "entry"), named(liftable(ALL)[::3]))
def test_a_formula_is_lifted_to_another_axis(path, entry):
    drawn = arrays(entry)
    first, space = next(iter(entry.given.items()))
    random = np.random.default_rng(1)
    copies = [drawn[first], draw(space, random)]
    wider = Entry(
        entry.name,
        lambda X, *others: np.stack([entry.expected(x, *others) for x in X]),
        f"copy {entry.result}",
        {**entry.given, first: f"copy[2] {space}"},
        entry.after,
        entry.chosen,
        entry.member,
    )
    stacked = {**drawn, first: np.stack(copies)}
    given = computed(path, wider, stacked, "numpy")
    expected = np.asarray(wider.expected(*stacked.values()))
    np.testing.assert_allclose(given, expected, rtol=1e-10, atol=1e-10)


# --------------------------------------------------------------------------------------- coverage


def test_the_corpus_holds_more_formulas_than_promised():
    assert len({(path, str(entry)) for path, entry in ALL}) >= 250


def test_both_dialects_are_met_and_mixed():
    texts = {path.name: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    macros = {name for name, text in texts.items() if "\\ndot" in text or "\\nfun" in text}
    plain = {name for name, text in texts.items() if "\\underset" in text}
    assert len(macros) >= 5
    assert len(plain) >= 5
    assert macros & plain


@pytest.mark.parametrize("feature", FEATURES)
def test_each_construct_is_met(feature):
    assert any(feature in features_of(document(path)) for path in DOCUMENTS)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_each_subject_has_a_formula(subject):
    assert SUBJECTS[subject] in {entry.name for _, entry in ALL}


# ------------------------------------------------------------------------------- the test can fail


@pytest.mark.parametrize(("path", "entry"), named(ALL[::15]))
def test_a_broken_expectation_fails(path, entry):
    def broken(*given):
        return np.asarray(entry.expected(*given), dtype=float) * 1.0001 + 0.0001

    changed = Entry(**{**vars(entry), "expected": broken})
    with pytest.raises(AssertionError):
        assert_gives(path, changed, "torch")


def test_an_expectation_over_other_axes_fails():
    path, entry = next(pair for pair in ALL if pair[1].name == "linear")
    with pytest.raises(AssertionError):
        assert_gives(path, Entry(**{**vars(entry), "result": "in"}), "numpy")


def test_a_broken_document_fails(tmp_path):
    path, entry = next(pair for pair in ALL if pair[1].name == "FFN")
    text = path.read_text(encoding="utf-8")
    broken = tmp_path / path.name
    broken.write_text(text.replace(r"+ b^1) + b^2", r"+ b^1) - b^2"), encoding="utf-8")
    assert text != broken.read_text(encoding="utf-8")
    with pytest.raises(AssertionError):
        assert_gives(broken, entry, "numpy")


# ----------------------------------------------------------------------------------------- refusals

REFUSED = next(path for path in DOCUMENTS if path.stem == "refused")


@pytest.mark.parametrize("part", refused.ASIDE)
def test_what_is_not_named_notation_is_set_aside_with_a_reason(part):
    aside = next(view for view in document(REFUSED).asides if part in view.text)
    assert aside.syntax.why == refused.ASIDE[part]


@pytest.mark.parametrize("name", refused.REFUSED)
def test_what_has_no_one_meaning_is_refused_when_it_is_called(name):
    space, says, hint = refused.REFUSED[name]
    argument = nt.ones(space)
    with pytest.raises(namedtensor.latex.LatexError) as caught:
        document(REFUSED)[name](argument)
    lines = str(caught.value).split("\n")
    assert lines[0].split(": ", 1)[1] == says
    assert lines[3:] == ([hint] if hint else [])


# ------------------------------------------------------------------------------------------ damage


@hypothesis.given(st.sampled_from(DOCUMENTS), st.data())
@hypothesis.settings(max_examples=40, deadline=None)
def test_a_damaged_document_is_read_and_checked_without_a_crash(path, data):
    text = path.read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    put = data.draw(
        st.sampled_from(["", "}", "{", "\\", "$", "^", "_", "&", "\\end{", text[:end][-9:]])
    )
    damaged = namedtensor.latex.read(text[:start] + put + text[end:], path.name)
    for finding in [*damaged.findings, *damaged.check()]:
        assert str(finding)


# --------------------------------------------------------------------------- other documents


@pytest.mark.parametrize("name", ["faulty_encoder.md", "mended_encoder.md", "plain_matrices.md"])
def test_a_document_is_read_and_checked_without_a_crash(name):
    read = namedtensor.latex.read_file(Path(__file__).parent / name)
    assert read.statements
    assert all(finding.span.start < len(read.source.text) for finding in read.check())


def test_plain_matrix_notation_is_set_aside_in_silence():
    read = namedtensor.latex.read_file(Path(__file__).parent / "plain_matrices.md")
    assert [str(finding) for finding in read.findings] == []
    assert [str(f) for f in read.check() if f.severity != "note"] == []
    assert len(read.asides) > 5
