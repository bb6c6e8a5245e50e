"""Certain mends of Python: a change under the caret, if no other change mends the fault.

    Q @ val @ K        error: Q has no axis val; the hint offers `Q @ key @ K`
    Q @ key @ K        the formula has no fault now: val becomes key

What a hint offers is certain if it changes one axis, or the order of arguments, and removes the fault without
causing another. If a change of another axis under the caret would do so too, or a change in the declarations,
the fault can be read in two ways, and nothing is offered. Nothing of the file runs.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from namedtensor.axes import Axis
from namedtensor.check.calls import Unknown
from namedtensor.check.formulas import Check, Places, Report
from namedtensor.check.pieces import Piece, Program, is_formula
from namedtensor.check.running import Ran, future, run, statements_of
from namedtensor.errors import NamedTensorError
from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source, Span

#: The findings of one file for which mends are looked for, and the changes that are tried for one.
MOST_LOOKED_AT = 10
MOST_TRIED = 200
_CODE = re.compile("`([^`]+)`")

#: Replacements of stretches of a piece's code, from left to right.
Edits = tuple[tuple[Span, str], ...]


def with_mends(program: Program, findings: list[Finding]) -> list[Finding]:
    """Add to each finding its certain mend, if there is one."""
    found, left = list(findings), MOST_LOOKED_AT
    places, ran = Places(program), None
    for number, finding in enumerate(findings):
        piece = places.piece(finding.source.name, finding.line)
        offered = _CODE.search(finding.hint)
        if finding.severity == "error" and piece is not None and offered and left:
            left -= 1
            ran = run(program, False) if ran is None else ran
            mend = _Fault(program, piece, finding, ran).mend()
            found[number] = replace(finding, mend=mend)
    return found


class _Fault:
    """One finding, with the statement that it lies in, and what that statement names."""

    def __init__(self, program: Program, piece: Piece, finding: Finding, ran: Ran) -> None:
        self.program, self.piece, self.finding, self.ran = program, piece, finding, ran
        self.code = Source(piece.code)
        self.span = Span(*[self._inside(at) for at in (finding.span.start, finding.span.end)])
        own = [s for p, s in statements_of(program) if p is piece]
        line = finding.line
        self.statement = next((s for s in own if s.lineno <= line <= (s.end_lineno or 0)), None)
        self.flags = future(statements_of(program))

    def _inside(self, at: int) -> int:
        line, column = self.finding.source.position(at)
        return self.code.offset(line, column - self.piece.shift)

    def mend(self) -> Mend | None:
        """Give the mend that is certain, if there is one."""
        definition = self._definition(self.statement)
        fault = Counter([(self.finding.code, self.finding.message)])
        before = self._found(())
        if definition is None or before is None or not fault <= before:
            return None  # this fault shows only when the file runs
        wanted, mending = before - fault, []
        offered = list(dict.fromkeys(self._offered()))
        for edits in dict.fromkeys([*offered, *self._others(definition, offered)][:MOST_TRIED]):
            after = self._found(edits)
            if after is not None and after <= wanted:
                mending.append(edits)
                if len(mending) > 1 or edits not in offered:
                    return None
        return self._as_mend(mending[0]) if mending else None

    def _definition(self, statement: ast.stmt | None) -> ast.FunctionDef | None:
        """Find the innermost formula that the finding lies in."""
        found = None
        for node in ast.walk(statement) if statement is not None else ():
            if not isinstance(node, ast.FunctionDef) or not any(
                map(is_formula, node.decorator_list)
            ):
                continue
            if node.lineno <= self.finding.line <= (node.end_lineno or 0):
                found = node
        return found

    def _found(self, edits: Edits) -> Counter[tuple[str, str]] | None:
        """Check the formula with these changes; None where that cannot be done."""
        assert self.statement is not None
        first, last = self.statement.lineno, self.statement.end_lineno or 0
        for node in getattr(self.statement, "decorator_list", ()):
            first = min(first, node.lineno)
        code = _edited(self.piece.code, edits)
        lines = [x if first <= n <= last else "" for n, x in enumerate(code.split("\n"), 1)]
        try:
            piece = replace(self.piece, code="\n".join(lines))
            program = replace(self.program, pieces=(piece,))
            ((_, statement),) = statements_of(program)
            definition = self._definition(statement)
            if definition is None:
                return None
            ran = replace(self.ran, errors=[], formulas=[])
            if definition is statement:
                if not any(f.name == definition.name for f in self.ran.formulas):
                    return None
                names = dict(self.ran.names)
                module = ast.Module([definition], [])
                exec(compile(module, piece.source.name, "exec", self.flags, True), names)
                ran = replace(ran, names=names, formulas=[names[definition.name]])
            report = Report(program.file)
            Check(program, ran, report, False).one(definition)
        except (Unknown, NamedTensorError, SyntaxError, ValueError):
            return None
        if report.unchecked or not report.formulas:
            return None
        return Counter([(f.code, f.message) for f in report.findings])

    # -------------------------------------------------------------------------------- changes

    def _offered(self) -> Iterator[Edits]:
        """Give the change to each expression in the hint: of an axis, or of the order of arguments."""
        text = self.piece.code[self.span.start : self.span.end]
        for code in _CODE.findall(self.finding.hint):
            differ = _differences(_parsed(text), _parsed(code)) or []
            old, new = Source(f"({text}\n)"), Source(f"({code}\n)")
            edits = []
            for here, there in differ:
                place, put = _span(old, here), _span(new, there)
                at = self.span.start - 1
                moved = Span(place.start + at, place.end + at)
                edits.append((moved, new.text[put.start : put.end]))
            texts = Counter(self.piece.code[span.start : span.end] for span, _ in edits)
            if texts == Counter(put for _, put in edits) or self._is_axis(edits):
                yield tuple(edits)

    def _is_axis(self, edits: list[tuple[Span, str]]) -> bool:
        """Say whether a change is that of one axis into others, all of which the file knows."""
        put = [_parsed(text) for _, text in edits]
        return len(put) == 1 and all(
            isinstance(self.ran.names.get(node.id), Axis)
            for node in ast.walk(put[0] or ast.Constant(None))
            if isinstance(node, ast.Name)
        )

    def _others(self, definition: ast.FunctionDef, offered: list[Edits]) -> Iterator[Edits]:
        """Give each other change of one axis: under the caret, and elsewhere to or from what is put there."""
        named = [n for n in ast.walk(definition) if isinstance(n, ast.Name)]
        axes = [n for n in named if isinstance(self.ran.names.get(n.id), Axis)]
        words = sorted({n.id for n in axes})
        put = [(_word(self.piece.code[s.start : s.end]), new) for e in offered for s, new in e]
        given = definition.args
        notes = [a.annotation for a in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
        declared = {id(n) for note in notes if note for n in ast.walk(note)}
        for node in axes:
            span = _span(self.code, node)
            tried = {old if node.id == new else new for old, new in put if node.id in (old, new)}
            if self.span.start <= span.start and span.end <= self.span.end:
                tried = set(words)
            elif id(node) in declared:
                tried |= {old for old, _ in put if old in words}
            yield from [((span, word),) for word in sorted(tried - {node.id})]

    def _as_mend(self, edits: Edits) -> Mend:
        """Write a change as an edit of the text that the finding lies in."""
        start, end = edits[0][0].start, edits[-1][0].end
        inside = tuple([(Span(s.start - start, s.end - start), text) for s, text in edits])
        text = _edited(self.piece.code[start:end], inside)
        back = [self.code.position(at) for at in (start, end)]
        places = [self.finding.source.offset(n, c + self.piece.shift) for n, c in back]
        return Mend(Span(*places), text)


def _edited(code: str, edits: Edits) -> str:
    for span, text in reversed(edits):
        code = code[: span.start] + text + code[span.end :]
    return code


def _word(text: str) -> str:
    return text.strip("\"'")


def _parsed(code: str) -> ast.expr | None:
    try:
        return ast.parse(f"({code}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _span(source: Source, node: ast.expr) -> Span:
    ends = ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
    lines = [(n, source.line(n).encode()[:column].decode()) for n, column in ends]
    return Span(*[source.offset(n, len(before) + 1) for n, before in lines])


def _differences(old: Any, new: Any) -> list[tuple[ast.expr, ast.expr]] | None:
    """Give the names, strings and tuples of them in which two expressions differ; None where more does."""
    if _is_name(old) and _is_name(new):
        return [] if ast.dump(old) == ast.dump(new) else [(old, new)]
    if type(old) is not type(new) or old is None:
        return None
    if isinstance(old, ast.AST):
        old, new = ([value for _, value in ast.iter_fields(node)] for node in (old, new))
    if not isinstance(old, list):
        return [] if old == new else None
    if len(old) != len(new):
        return None
    found = []
    for pair in zip(old, new, strict=True):
        differ = [] if pair == (None, None) else _differences(*pair)
        if differ is None:
            return None
        found += differ
    return found


def _is_name(node: Any) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(_is_name, node.elts))
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
