"""What is kept of a document while it is edited: the same is said as of a text that is read anew."""

import random
import re
from itertools import pairwise

import pytest

from docs.playground import answer
from namedtensor.check.documents import look_at
from namedtensor.latex import read
from namedtensor.latex.documents.kept import Ground, Kept
from namedtensor.latex.evaluation.evaluate import Evaluator
from tests.latex.fixtures import fixtures

PIECE = re.compile(
    r"\\[a-zA-Z]+(?:\{[^{}]*\})?|[A-Za-z]+|\d+|\^\{[^{}]*\}|[=+&-]|\${1,2}|\n\n|\\\\"
)


def edited(text: str, source: random.Random) -> str:
    """Change a text at a random place, as who types or moves paragraphs does."""
    pieces = list(PIECE.finditer(text))
    kind, one, other = source.randrange(6), source.choice(pieces), source.choice(pieces)
    if kind == 0:
        return text[: one.start()] + text[one.end() :]
    if kind == 1:
        return text[: one.start()] + other.group() + text[one.end() :]
    if kind == 2:
        return text[: one.end()] + source.choice("xXWQ 2") + text[one.end() :]
    parts = text.split("\n\n" if kind == 3 else "\n")
    here, there = source.randrange(len(parts)), source.randrange(len(parts))
    if kind == 3:
        parts[here], parts[there] = parts[there], parts[here]
        return "\n\n".join(parts)
    if kind == 4:
        del parts[here]
    else:
        parts.insert(there, parts[here])
    return "\n".join(parts)


def said(document) -> tuple[list[str], list[tuple[str, int, int, str]]]:
    """Give all that is said of a document, with the places of its parts."""
    findings = document.check()
    meant, parts = look_at(document)
    return (
        list(map(str, [*findings, *meant])),
        [
            (document.source.text[s.start : s.end], *_ends(s), p.shape)
            for p in parts
            for s in [p.span]
        ],
    )


def _ends(span) -> tuple[int, int]:
    return span.start, span.end


def faults(name: str, text: str, count: int) -> list[str]:
    """Edit a document some times, and name the edits after which something else is said."""
    source = random.Random(f"1 {name}")
    file = name if name.endswith((".md", ".tex")) else "x.md"
    found, before = [], read(text, file)
    said(before)
    for number in range(count):
        changed = edited(text, source)
        before = read(changed, file, before=before)
        if said(before) != said(read(changed, file)):
            found.append(f"{name}, edit {number}")
        text = changed if number % 2 else text
    return found


def test_after_any_edit_the_same_is_said_as_of_a_text_that_is_read_anew():
    some = list(fixtures())[::2]
    assert [fault for name, text in some for fault in faults(name, text, 1)] == []


def test_what_is_being_typed_is_said_drawn_and_written_whatever_it_says():
    source, failed = random.Random(2), []
    for name, text in list(fixtures())[1::2]:
        file = name if name.endswith((".md", ".tex")) else "x.md"
        changed = edited(text, source)
        try:
            answer.checked(changed, file)
            for place, _ in enumerate(answer.defined(changed, file)):
                answer.drawn(changed, file, place)
            answer.python(changed, file)
        except Exception as error:
            failed.append((name, changed, repr(error)))
    assert failed == []


def test_the_law_tells_of_what_is_kept_although_the_text_around_it_has_changed(monkeypatch):
    nothing = frozenset[str](), frozenset[str]()
    monkeypatch.setattr("namedtensor.latex.documents.kept._offered", lambda statement: nothing)
    before = read(NOTES)
    said(before)
    changed = NOTES.replace("seq", "tok", 1)
    assert said(read(changed, before=before)) != said(read(changed))


@pytest.fixture
def interpreted(monkeypatch):
    """List the parts of formulas that are interpreted."""
    found: list[str] = []
    value = Evaluator.value

    def noting(self, expression):
        found.append(type(expression).__name__)
        return value(self, expression)

    monkeypatch.setattr(Evaluator, "value", noting)
    return found


NOTES = r"""
Let $X \in \mathbb{R}^{\text{seq}, \text{emb}}$ be words, and
$W \in \mathbb{R}^{\text{emb}, \text{hid}}$ weights.

$$\begin{aligned}
f(X) &= \underset{\text{seq}}{\text{softmax}}(X) \\
g(X; W) &= \tanh(W \underset{\text{emb}}{\cdot} f(X)) \\
h(X) &= \underset{\text{emb}}{\text{mean}} \, \frac{X - X}{X}
\end{aligned}$$
"""


def after(old: str, new: str, interpreted) -> int:
    """Count what is interpreted for the meaning of axes after an edit."""
    before = read(NOTES)
    said(before)
    document = read(NOTES.replace(old, new), before=before)
    interpreted.clear()
    look_at(document)
    return len(interpreted)


def test_prose_that_changes_leaves_all_formulas_known(interpreted):
    assert after("be words", "be many more words", interpreted) == 0


def test_what_a_formula_does_not_read_leaves_it_known(interpreted):
    everything = after("seq", "tok", interpreted)
    own = after(r"\frac{X - X}{X}", r"\frac{X - X}{X + 1}", interpreted)
    called = after(r"{\text{softmax}}(X)", r"{\text{softmax}}(2 X)", interpreted)
    assert 0 < own < called <= everything


def test_places_move_with_their_statements():
    before = read(NOTES)
    said(before)
    document = read("One line more.\n" + NOTES, before=before)
    parts = look_at(document)[1]
    texts = [NOTES[p.span.start - 15 : p.span.end - 15] for p in parts]
    assert texts == [document.source.text[p.span.start : p.span.end] for p in parts]
    assert r"\underset{\text{seq}}{\text{softmax}}(X)" in texts


def test_of_two_definitions_of_one_name_each_has_its_own_ground():
    document = read(
        r"$X \in \mathbb{R}^{\text{seq}}$, $f(X) = \exp X$" + "\n\n" + r"$f(X) = \tanh X$"
    )
    one, other = [document.grounds.of(d).content for d, _ in document.made()]
    assert one != other


def test_so_much_is_kept_and_no_more(monkeypatch):
    monkeypatch.setattr("namedtensor.latex.documents.kept.MOST", 10)
    kept = Kept()
    grounds = [Ground(number, ()) for number in range(30)]
    for ground in grounds:
        kept.answer("what", ground, lambda: ((), "found"))
    assert 5 <= len(kept._answers) <= 10
    kept.answer("what", grounds[-1], lambda: pytest.fail("known, and found again"))


def test_what_macros_say_is_read_again():
    text = r"$X \in \mathbb{R}^{\text{seq}}$, $f(X) = \half X$"
    texts = [rf"$\newcommand{{\half}}{{{body}}}$ {text}" for body in (r"\frac12", "2")]
    documents = [read(texts[0])]
    for one in texts[1:]:
        documents.append(read(one, before=documents[-1]))
    assert all(a["f"].latex() != b["f"].latex() for a, b in pairwise(documents))
