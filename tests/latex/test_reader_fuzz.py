"""No text crashes the reader, or keeps it busy: real formulas, mutated, and the worst that TeX can say.

`make fuzz` runs the generated tests here for as long as it is told.
"""

import gc
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from namedtensor import latex
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import Aside
from tests.python_calls import python_calls

HERE = Path(__file__).parent
DOCUMENTS = [
    path.read_text(encoding="utf-8")
    for path in sorted(
        [*HERE.glob("corpus/*.md"), *HERE.glob("corpus/*.tex"), *HERE.glob("*_encoder.md")]
    )
]

#: What breaks things: halves of pairs, commands without arguments, definitions, odd characters.
FRAGMENTS = (
    r"{ } ( ) [ ] \{ \} | \| _ ^ & \\ $ $$ \left \right \left( \right) \left. \right. \middle|"
    r" \begin{cases} \end{cases} \begin{aligned} \end{aligned} \begin{array}{cc} \end{array} \frac"
    r" \sqrt \underset \overset \nfun \ndot \nbin \nsum \ncat \nmatrix \name \text \text{a} \name{a}"
    r" \mathbb \mathbb{R} \in = : := \rightarrow \ldots \vdots \sum \max \lim \partial \hat \mathbf"
    r" \mathop \newcommand{\x}[1]{#1} \def\y#1{#1#1} \x \y \let\a=\b \quad , ; . % # #1 ~ \not"
    r" \operatorname {\cal {\rm \cal \iffalse \fi ` ``` <!-- --> \substack \cdot - + * / ' 1 12.5 .5 x"
    r" \alpha \infty \foo é α ∈ ℝ \verb| \tag \label \big \mid \forall \bigl > \ \, \phantom"
    r" \mathord \ndef{\z}{z} \z \DeclareMathOperator{\op}{op} \op \def \newcommand \end{document}"
).split(" ") + ["\n", "\n\n", "\x00", "\t", "    "]

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(" ".join)
names = st.sampled_from(["notes.md", "paper.tex", "<text>", "notes.txt"])


@st.composite
def mutated(draw):
    """Draw a piece of a real document, and change it in a few places."""
    document = draw(st.sampled_from(DOCUMENTS))
    start = draw(st.integers(0, len(document) - 1))
    text = document[start : start + draw(st.sampled_from([80, 400, 1500]))]
    if draw(st.booleans()):
        text = "$$" + text.replace("$$", "") + "$$"
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(text)))
        to = at + draw(st.integers(0, 12))
        how = draw(st.sampled_from(["cut", "put", "repeat", "move"]))
        if how == "cut":
            text = text[:at] + text[to:]
        elif how == "put":
            many = draw(st.sampled_from([1, 1, 3, 120]))
            text = text[:at] + draw(st.sampled_from(FRAGMENTS)) * many + text[at:]
        elif how == "repeat":
            text = text[:at] + text[at:to] * draw(st.integers(2, 50)) + text[to:]
        else:
            source = draw(st.integers(0, len(text)))
            text = text[:at] + text[source : source + 20] + text[at:]
    return text


def check(text, name):
    """Read a text: all that is found stands in it, can be shown, and can be compared."""
    reading = statements_of(Source(text, name))
    for finding in reading.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.code in str(finding)
    for statement in reading.statements:
        assert 0 <= statement.span.start <= statement.span.end <= len(text)
        assert statement == statement
        assert hash(statement) == hash(statement)
        assert repr(statement)
        if isinstance(statement, Aside):
            assert statement.why
            assert statement.text == text[statement.span.start : statement.span.end]
    return reading


@settings(deadline=None)
@given(mutated(), names)
def test_mutated_formulas_are_read_or_refused(text, name):
    check(text, name)


@settings(deadline=None)
@given(texts, names)
def test_fragments_in_any_order_are_read_or_refused(text, name):
    check(text, name)


@settings(deadline=None)
@given(st.text(max_size=200), names)
def test_any_text_is_read_or_refused(text, name):
    check(text, name)
    check("$$" + text + "$$", name)


@settings(deadline=None)
@given(mutated())
def test_a_mutated_preamble_is_taken_or_left(text):
    statements_of(Source(r"$Y = \ax \ndot{\seq} B$", "notes.md"), [Source(text, "mine.sty")])


# ------------------------------------------------------------------------------- the worst

N = 10_000

WORST = {
    "braces": "$$" + "{" * N + "$$",
    "closed braces": "$$" + "{" * N + "}" * N + "$$",
    "brackets": "$$" + "(" * N + "$$",
    "sized brackets": "$$" + r"\left(" * N + "$$",
    "fractions": r"$$\name{a}" + r"\frac{" * N + "$$",
    "scripts": "$$x" + "^{x" * 5000 + "}" * 5000 + "$$",
    "indices": "$$x" + r"_{\text{a}(x" * 3000 + ")+1}" * 3000 + "$$",
    "sums": r"$$Y = \name{a}" + "+a" * 9000 + "$$",
    "bars": r"$$Y = \name{a}" + "|" * 9000 + "$$",
    "pairs of bars": r"$$Y = \name{a}" + "|a|" * 6000 + "$$",
    "rows": r"$$\begin{aligned} a" + r"\\ &= a" * (N // 4) + r"\end{aligned}$$",
    "commas": "$$a = b" + ", c" * N + "$$",
    "statements": "$$a = b" + ", c = d" * (N // 4) + "$$",
    "dots": "$$a = b" + r", \ldots" * (N // 4) + "$$",
    "points": "$$a" + "." * N + "$$",
    "cells": "$$" + "&" * N + "$$",
    "words": "$$" + r"\text{ and } " * (N // 4) + "$$",
    "dollars": "$ " * N,
    "double dollars": "$$ " * N,
    "ticks": "` " * N,
    "fences": "```\n" * N,
    "openings": r"\[ " * N,
    "environments": r"\begin{align} " * (N // 4),
    "nested environments": "$$" + r"\begin{aligned}" * (N // 4) + "$$",
    "unfinished definitions": r"\newcommand{\a}{ " * (N // 4),
    "false conditions": r"\iffalse " * N,
    "comments": "<!-- " * N,
    "headings": "# x\n" * N,
    "titles": "Abc\n\n" * N,
    "accents": "$$" + r"\hat" * N + "$$",
    "negations": "$$" + r"\not" * N + "$$",
    "relations": r"$$\name{a}" + "=a" * 9000 + "$$",
    "sets in sets": r"$$Y \in " + r"[ \in " * 5000 + "$$",
    "primes": r"$$Y = \name{a}" + "'" * 9000 + "$$",
    "indentation": "    $x$\n\n" * (N // 4),
    "quotations": "> $$\n" * N,
    "letters": "$$" + "x" * N + "$$",
    "doubling macros": "".join(
        rf"\def\{a}{{\{b}\{b}}}" for a, b in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    + r"\def\k{x}"
    + r"$\a$ " * 2000,
}


@pytest.mark.parametrize("kind", WORST)
def test_the_worst_is_read_in_work_that_grows_with_its_length(kind):
    """Ten thousand of anything take a moment, not minutes."""
    text = WORST[kind]
    assert python_calls(lambda: check(text, "notes.md"), of_c=True) < 500 * len(text)


def test_a_document_of_twice_the_length_takes_twice_the_work():
    document = "\n\n".join(text for text in DOCUMENTS if "\\begin{document}" not in text)
    counts, found = [], []
    for text in (document, document + "\n\n" + document):
        source = Source(text, "notes.md")
        run = partial(lambda source: found.append(statements_of(source)), source)
        counts.append(python_calls(run, of_c=True))
    few, many = [len(reading.statements) for reading in found]
    assert many == 2 * few > 60
    assert counts[1] < 2.05 * counts[0]


def test_a_short_text_is_read_without_a_walk_through_what_its_process_holds(monkeypatch):
    """To count, move or collect what lives takes longer than reading, in a process that holds much."""
    walks = []
    for name in ("get_freeze_count", "freeze", "unfreeze", "collect"):
        monkeypatch.setattr(gc, name, lambda *_, walk=name: walks.append(walk) or 1)
    latex.read(DOCUMENTS[0])
    assert walks == []
    assert gc.isenabled()
