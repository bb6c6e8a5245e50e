"""Trace every formula of a program on the symbols of its signature, and say what is wrong."""

from __future__ import annotations

import ast
import enum
import inspect
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from namedtensor.axes import Axis, parse_axes, shown
from namedtensor.check.calls import Scope, Unknown, bound_inside, constant, made_inside, makers_of
from namedtensor.check.holes import Stopped, behind_faults
from namedtensor.check.kinds import LETTERS, fitting, real
from namedtensor.check.meaning import Remark, Tree, listed, remarks, why_not_declared
from namedtensor.check.pieces import Piece, Program, declares_axes, is_formula, is_positional
from namedtensor.check.reached import Reached, branches
from namedtensor.check.running import Ran, place_of, run, said, statements_of
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
    NamedTensorError,
    TraceError,
)
from namedtensor.formula import Formula
from namedtensor.formula.written import Written, write
from namedtensor.latex.findings import Finding
from namedtensor.latex.source import Source, Span
from namedtensor.operations.training import MODE
from namedtensor.plans.compile import fold
from namedtensor.primitives import Node, number
from namedtensor.primitives.node import SIZE, apply_node, describe, operands_first
from namedtensor.primitives.origins import Origin, Origins
from namedtensor.tensor.symbolic import tracing

#: The codes of errors, by their classes.
CODES: dict[type[NamedTensorError], str] = {
    AxisMissingError: "axis-missing",
    AxisSizeError: "axis-size",
    AxisClashError: "axis-clash",
    AxisNameError: "axis-name",
    IndexRangeError: "index-range",
    KindError: "kind",
    TraceError: "trace",
}
#: The size that a body gets if it needs a number for an unknown size.
SOME_SIZE = 4
#: The value that is tried for a setting without a default, by its annotation.
_SOME: dict[Any, tuple[Any, ...]] = {int: (2,), float: (0.5,)}
#: The most choices of settings that are tried for one formula.
MOST_CHOICES = 24


#: A string that no body compares with: what it is otherwise.
ANOTHER = "another"
_KINDS = {"int": "whole numbers", "bool": "truth values"}


@dataclass(slots=True)
class Part:
    """A sub-expression: where it stands, and its shape."""

    source: Source
    span: Span
    shape: str


@dataclass(slots=True)
class Report:
    """What is known of one file: findings, how many formulas were traced, and which were not and why.

    `unreached` are lines of functions that no formula reached, and functions that none calls, each with why.
    """

    file: str
    findings: list[Finding] = field(default_factory=list)
    formulas: int = 0
    unchecked: list[tuple[str, str]] = field(default_factory=list)
    unreached: list[tuple[str, str]] = field(default_factory=list)
    refused: str = ""
    parts: list[Part] = field(default_factory=list)


def check_program(program: Program, imports: bool) -> Report:
    """Trace the formulas of a file and list what is wrong with them."""
    report = Report(program.file)
    ran = run(program, imports)
    report.refused = ran.stopped
    Check(program, ran, report, imports).all()
    return report


class Check:
    """The checking of one file that was run."""

    def __init__(self, program: Program, ran: Ran, report: Report, imports: bool) -> None:
        self.imports = imports
        self.program = program
        self.ran = ran
        self.report = report
        self.places = Places(program)
        self.defined = {
            (piece.source.name, line): node
            for piece, statement in statements_of(program)
            for node in ast.walk(statement)
            if isinstance(node, ast.FunctionDef)
            for line in (node.lineno, *[d.lineno for d in node.decorator_list[:1]])
        }
        self.seen: set[Any] = set()
        self.remarked: list[dict[Remark, tuple[Origin, ...]]] = []
        #: the kinds of what the formula that is looked at declares R
        self.kinds: dict[str, str] = {}
        wanted = any(branches(statement) for _, statement in statements_of(program))
        wanted = wanted or any(map(declares_axes, self.defined.values()))
        self.reached = Reached(frozenset(self.places.pieces), wanted)

    def one(self, definition: ast.FunctionDef) -> None:
        """Check the formulas that one definition makes."""
        for formula in self.ran.formulas:
            if self.definition(formula) is definition:
                self.formula(formula, definition)
                self.report.formulas += 1
        for piece, statement in statements_of(self.program):
            for around, made in makers_of(statement):
                if made is definition:
                    self.closure(piece, around, made)

    def all(self) -> None:
        for error, place in self.ran.errors:
            self.add(self.fault(error, place, ""))
        lines = set()
        for formula in self.ran.formulas:
            definition = self.definition(formula)
            if definition is not None:
                lines.add(id(definition))
            try:
                self.formula(formula, definition)
                self.report.formulas += 1
            except Unknown as why:
                self.report.unchecked.append((formula.name, str(why)))
        for piece, statement in statements_of(self.program):
            for around, made in [] if self.ran.stopped else list(makers_of(statement)):
                if id(made) not in lines:
                    lines.add(id(made))
                    self.closure(piece, around, made)
            self.left_out(piece, statement, lines)
        self.modules()
        self.unreached()
        self.plain()
        self.report.findings.sort(key=lambda f: (f.rank[0], f.source.name, f.span.start))

    def closure(self, piece: Piece, around: list[ast.FunctionDef], made: ast.FunctionDef) -> None:
        """Check a formula that is made inside a function which the file does not run."""
        scope = Scope(dict(self.ran.names), dict(self.ran.unknown), self.imports)
        try:
            for found in list(made_inside(self.program, piece, around, made, scope)):
                if isinstance(found, NamedTensorError):
                    self.add(self.fault(found, self.name_of(made, piece.source.name), ""))
                else:
                    self.formula(found, made)
            self.report.formulas += 1
        except Unknown as why:
            self.report.unchecked.append((made.name, str(why)))

    def left_out(self, piece: Piece, statement: ast.stmt, known: set[int]) -> None:
        """Name the formulas that were not made, and why."""
        for node in ast.walk(statement):
            run = self.imports and not self.ran.stopped
            if not run and isinstance(node, ast.Call) and is_formula(node) and node.args:
                # formula(f), where f is no formula of its own
                self.report.unchecked.append(
                    (ast.unparse(node.args[0]), "what makes it is not run")
                )
            if not isinstance(node, ast.FunctionDef) or not any(
                map(is_formula, node.decorator_list)
            ):
                continue
            found = {id(d) for (file, line), d in self.defined.items() if id(d) in known}
            same = self.defined.get((piece.source.name, node.lineno))
            if same is None or id(same) in found:
                continue
            span = self.places.span(piece.source.name, node.lineno, 0, node.lineno, 1)
            if any(f.source is span[0] and self._covers(f, node) for f in self.report.findings):
                continue  # what was wrong with its signature is said
            if self.ran.stopped:
                why = "the file could not be imported"
            else:
                names = [n for n in _names(node) if n in self.ran.unknown]
                why = f"{names[0]}: {self.ran.unknown[names[0]]}" if names else "it is not run"
                if not names and node.name in self.ran.unknown:
                    why = self.ran.unknown[node.name]
            self.report.unchecked.append((node.name, why))

    @staticmethod
    def _covers(finding: Finding, node: ast.FunctionDef) -> bool:
        first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
        return first <= finding.line <= (node.end_lineno or node.lineno)

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef]]:
        """Give each function that the file defines, and where."""
        for (file, line), function in self.defined.items():
            if line == function.lineno:
                yield file, function

    def unreached(self) -> None:
        """Name the lines that no formula reached in functions that ran, but for those that have a fault."""
        faults = [f for f in self.report.findings if f.severity == "error"]
        for file, function in self.functions():
            if any(f.source.name == file and self._covers(f, function) for f in faults):
                continue
            for first, last in self.reached.missed(file, function):
                lines = f"line {first}" if first == last else f"lines {first} to {last}"
                why = "no choice of settings that was tried reaches it"
                self.report.unreached.append((f"{lines} of {function.name}", why))

    def plain(self) -> None:
        """Name the functions that declare axes and were not looked at, since they are no formulas."""
        made = [self.definition(formula) for formula in self.ran.formulas]
        said = {name for name, _ in self.report.unchecked}
        for file, function in self.functions():
            if function in made or function.name in said:
                continue
            if is_positional(function):
                why = "it is positional code, which is held to its pattern where it is called"
                self.report.unreached.append((function.name, why))
            elif declares_axes(function) and not self.reached.entered(file, function):
                why = "it is no formula, and none that was traced calls it"
                self.report.unreached.append((function.name, why))

    def definition(self, formula: Formula) -> ast.FunctionDef | None:
        code = inspect.unwrap(formula.function).__code__
        found = self.places.piece(code.co_filename, code.co_firstlineno)
        if found is None:
            return None
        return self.defined.get((found.source.name, code.co_firstlineno))

    # --------------------------------------------------------------------------- one formula

    def formula(self, formula: Formula, definition: ast.FunctionDef | None) -> None:
        """Trace a formula for each choice of its settings."""
        self.remarked, self.kinds = [], {}
        found = len(self.report.findings)
        for settings, certain in choices(formula, definition):
            self.choice(formula, definition, settings, certain)
        if definition is not None and self.missed(formula, definition):
            for settings in further_choices(formula, definition):
                if len(self.report.findings) > found or not self.missed(formula, definition):
                    break
                self.choice(formula, definition, settings, False)
        for remark in dict.fromkeys(itertools.chain.from_iterable(self.remarked)):
            # an argument is left unused where no choice of the settings uses it
            if not remark.argument or all(remark in found for found in self.remarked):
                self.remark(remark, formula, definition)

    def missed(self, formula: Formula, definition: ast.FunctionDef) -> list[tuple[int, int]]:
        return self.reached.missed(
            inspect.unwrap(formula.function).__code__.co_filename, definition
        )

    def choice(
        self,
        formula: Formula,
        definition: ast.FunctionDef | None,
        settings: dict[str, Any],
        certain: bool,
    ) -> None:
        """Trace a formula with some settings, in training, and outside of it where it asks."""
        for mode in (True, False):
            if not self.trace(formula, definition, settings, certain, mode):
                break

    def trace(
        self,
        formula: Formula,
        definition: ast.FunctionDef | None,
        settings: dict[str, Any],
        certain: bool,
        mode: bool,
    ) -> bool:
        """Trace a formula once; say whether its body asks for the mode."""
        origins = Origins()
        try:
            with self.reached.noting():
                written, asked = traced(
                    formula, settings, mode=mode, origins=origins, kinds=self.kinds
                )
        except NamedTensorError as error:
            self.parts(origins)
            if ANOTHER in settings.values() and ANOTHER in str(error):
                return False
            if isinstance(error, KindError) and self.fit(formula, definition, settings, error):
                return self.trace(formula, definition, settings, certain, mode)
            if isinstance(error, TraceError) and not formula.traced:
                raise Unknown("its body runs on data: @formula(trace=False)") from None
            head, also = self.head(formula, definition), _with(settings)
            if _is_of_result(error, formula):
                fault = self.fault(error, head, also)
                if self.why(formula, settings, mode, error.call):
                    self.seen.add((fault.source.name, fault.span, fault.code))
                else:
                    self.add(fault)
                return False
            for each in [error, *self.further(formula, definition, settings, mode)]:
                self.add(self.fault(each, head, also))
            return False
        except Exception as error:
            # with settings that are no valid choice anything may be raised, but an unknown name is a fault
            misspelt = isinstance(error, AttributeError | NameError) and ANOTHER not in str(error)
            if settings and not certain and not misspelt:
                return False
            if any(p.setting and p.default is None for p in formula.signature.parameters):
                raise Unknown(f"its body raises {said(error)}") from None
            place = self._raised(error)
            if isinstance(error, NameError) and error.name in self.ran.unknown:
                raise Unknown(f"{error.name}: {self.ran.unknown[error.name]}") from None
            if place is None or not formula.traced or not self.imports:
                raise Unknown(f"its body raises {said(error)}") from None
            source, span = self.places.of(place) or self.head_span(formula, definition)
            message = f"{formula.name}(...): the body raises {said(error)}{_with(settings)}"
            self.add(Finding("error", "body-raises", message, source, span))
            return False
        self.parts(origins)
        self.remarked.append({r: places_of(written, r.node) for r in remarks(written)})
        return asked

    def fit(
        self,
        formula: Formula,
        definition: ast.FunctionDef | None,
        settings: dict[str, Any],
        error: KindError,
    ) -> bool:
        """Find other kinds for arguments declared R with which the body runs, and name their letter."""

        def trial(kinds: Mapping[str, str]) -> NamedTensorError | None:
            try:
                traced(formula, settings, kinds=kinds)
            except NamedTensorError as found:
                return found
            except Exception:  # a body is the user's, and may raise anything
                return None
            return None

        spaces = real(formula)
        paths = [path for path in spaces if path not in self.kinds]
        found = fitting(paths, error, lambda kinds: trial({**self.kinds, **kinds}))
        self.kinds |= found
        for path, kind in found.items():
            if LETTERS[kind]:
                name = path.rpartition(".")[2]
                source, span = self.argument(name, definition) or self.head_span(
                    formula, definition
                )
                shape = repr(spaces[path]).removeprefix("R")
                message = f"{path} is declared R, and the body needs {_KINDS[kind]}: {error.call}"
                hint = f"declare it: {name}: {LETTERS[kind]}{shape}"
                self.add(Finding("warning", "kind", message, source, span, error.operands, hint))
        return bool(found)

    def further(
        self,
        formula: Formula,
        definition: ast.FunctionDef | None,
        settings: dict[str, Any],
        mode: bool,
    ) -> list[NamedTensorError]:
        """Run a faulty body once more, and give all faults that do not follow from another one."""
        guarded = definition and behind_faults(formula.name, formula.body.function, definition)
        if not guarded:
            return []
        before = formula.body.function
        formula.body.function, holes = guarded
        try:
            traced(formula, settings, mode=mode, kinds=self.kinds)
        except Stopped:
            pass
        except NamedTensorError as error:  # of its result
            holes.faults.append(error)
        except Exception:  # a body is the user's: what it raises now comes of a hole
            return holes.faults
        finally:
            formula.body.function = before
        return holes.faults

    def why(self, formula: Formula, settings: dict[str, Any], mode: bool, call: str) -> bool:
        """Say where a result got axes other than the declared ones, if its tree tells."""
        signature = formula.body.signature
        if len(signature.results or ()) != 1:
            return False
        formula.body.signature = replace(signature, gives=None)
        try:
            written, _ = traced(formula, settings, mode=mode, kinds=self.kinds)
        except NamedTensorError:
            return False
        finally:
            formula.body.signature = signature
        (space,), names = signature.results or (), set(written.results[0].type.names)
        missing, more = set(space.names) - names, names - set(space.names)
        got = [f"lacks {listed(missing)}"] if missing else []
        got += [f"has {listed(more)} too"] if more else []
        own, code = self.definition(formula), inspect.unwrap(formula.function).__code__
        lines = range(code.co_firstlineno, ((own and own.end_lineno) or 0) + 1)
        for remark in why_not_declared(Tree(written), more, missing):
            places = places_of(written, remark.node)
            inside = [p for p in places if p.file == code.co_filename and p.line in lines]
            place = next(filter(None, map(self.places.of, inside if own else places)), None)
            if place is not None:
                message = (
                    f"{call}: the result {' and '.join(got)}; declared is {space}{_with(settings)}; "
                    f"{remark.message}"
                )
                shapes = self.shapes(remark)
                self.add(Finding("error", remark.code, message, *place, shapes, remark.hint))
                return True
        return False

    def _raised(self, error: Exception) -> Origin | None:
        return place_of(error, {piece.source.name for piece in self.program.pieces})

    def remark(self, remark: Remark, formula: Formula, definition: ast.FunctionDef | None) -> None:
        """Turn a remark into a finding, unless it is about the body of another file's formula."""
        origins = [o for found in self.remarked for o in found.get(remark, ())]
        found = next(filter(None, map(self.places.of, origins)), None)
        if found is None:
            if origins:
                return
            found = self.argument(remark.argument, definition)
        if remark.code == "axis-size" and not remark.certain and self.is_read(formula):
            return
        source, span = found or self.head_span(formula, definition)
        shapes = self.shapes(remark)
        severity = "error" if remark.certain else "warning"
        self.add(Finding(severity, remark.code, remark.message, source, span, shapes, remark.hint))

    def is_read(self, formula: Formula) -> bool:
        """Say whether another function of the file reads a formula by its name."""
        own = self.definition(formula)
        inside = {id(n) for n in ast.walk(own)} if own is not None else set()
        nodes = [n for function in self.defined.values() for n in ast.walk(function)]
        return any(getattr(n, "id", "") == formula.name and id(n) not in inside for n in nodes)

    @staticmethod
    def shapes(remark: Remark) -> tuple[tuple[str, str], ...]:
        """Give the shapes of the tensors that a remark is about."""
        operands = remark.node.operands if remark.node is not None else ()
        return tuple([(describe(o), shape_text(o)) for o in operands if not o.type.host])

    def argument(self, name: str, definition: ast.FunctionDef | None) -> tuple[Source, Span] | None:
        """Give the place of an argument in a definition."""
        for node in ast.walk(definition) if definition is not None and name else ():
            if isinstance(node, ast.arg) and node.arg == name:
                file = next(f for (f, _), d in self.defined.items() if d is definition)
                end = node.end_lineno or node.lineno
                return self.places.span(
                    file, node.lineno, node.col_offset, end, node.end_col_offset or 0
                )
        return None

    def parts(self, origins: Origins) -> None:
        """Keep the shapes of the sub-expressions, for those who look at them."""
        for node, origin in origins:
            found = self.places.of(origin) if isinstance(origin, Origin) else None
            if found is not None and not node.type.host:
                shape = shape_text(node)
                key = (found[0].name, found[1], shape)
                if key not in self.seen:
                    self.seen.add(key)
                    self.report.parts.append(Part(*found, shape))

    # ------------------------------------------------------------------------------- findings

    def head(self, formula: Formula, definition: ast.FunctionDef | None) -> Origin | None:
        """Give the place of a formula's name in its definition."""
        code = inspect.unwrap(formula.function).__code__
        return None if definition is None else self.name_of(definition, code.co_filename)

    @staticmethod
    def name_of(definition: ast.FunctionDef, file: str) -> Origin:
        start = definition.col_offset + len("def ")
        end = start + len(definition.name)
        return Origin(file, definition.lineno, start, definition.lineno, end)

    def head_span(
        self, formula: Formula, definition: ast.FunctionDef | None
    ) -> tuple[Source, Span]:
        head = self.head(formula, definition)
        found = self.places.of(head) if head is not None else None
        return found or (self.program.pieces[0].source, Span(0, 1))

    def fault(self, error: NamedTensorError, head: Origin | None, also: str) -> Finding:
        """Make the finding of an error: at the innermost place that lies in this file."""
        chosen: tuple[Source, Span] | None = None
        calls = []
        for name, place in error.places:
            found = self.places.of(place) if isinstance(place, Origin) else None
            if chosen is None and found is not None:
                chosen = found
            elif isinstance(place, Origin):
                where = f"line {place.line}" if found else f"{place.file}, line {place.line}"
                how = "inside" if chosen is None else "called in"
                text = " ".join(place.text.split())
                calls.append(f"{how} {name}, {where}{f': {text}' if text else ''}")
        if chosen is None and head is not None:
            chosen = self.places.of(head)
        source, span = chosen or (self.program.pieces[0].source, Span(0, 1))
        code = next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), "refused")
        if error.why.startswith("the body"):
            code = "result-shape"
        return Finding(
            "error",
            code,
            f"{error.call}: {error.why}{also}",
            source,
            span,
            error.operands,
            error.hint,
            calls=tuple(calls),
        )

    def add(self, finding: Finding) -> None:
        """Keep a finding, once: what is wrong in a formula shows in each that calls it, too."""
        key = (finding.source.name, finding.span, finding.code)
        if finding.severity == "error" and key in self.seen:
            return
        if (*key, finding.message) not in self.seen and not silenced(finding):
            self.seen |= {key, (*key, finding.message)}
            self.report.findings.append(finding)

    # -------------------------------------------------------------------------------- modules

    def modules(self) -> None:
        """Check each `formula.module(emb[512], ...)` whose sizes are constants."""
        for piece, statement in statements_of(self.program):
            own = bound_inside(statement)
            for node in ast.walk(statement):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "module"
                ):
                    try:
                        formula = constant(node.func.value, self.ran.names, own)
                    except Unknown:
                        continue  # nothing says that it is a formula
                    if isinstance(formula, Formula):
                        try:
                            self.module(piece, node, formula, own)
                        except Unknown as why:
                            text = ast.unparse(node)
                            short = text if len(text) <= 60 else f"{ast.unparse(node.func)}(...)"
                            told = f"line {node.lineno}: {why}"
                            self.report.unchecked.append((short, told))

    def module(
        self, piece: Piece, node: ast.Call, formula: Formula, own: Mapping[str, str]
    ) -> None:
        """Make a module without numbers, and trace its formula with its sizes.

        Raises: Unknown where a size or a setting is no constant, or the module needs what is not here.
        """
        end = node.end_lineno or node.lineno
        place = Origin(
            piece.source.name, node.lineno, node.col_offset, end, node.end_col_offset or 0
        )
        try:
            given = [constant(a, self.ran.names, own) for a in node.args]
            settings = {
                k.arg or "**": constant(k.value, self.ran.names, own) for k in node.keywords
            }
            if "**" in settings or not all(isinstance(a, Axis | str) for a in given):
                raise Unknown("its sizes are no constants")
            axes = parse_axes(given)
            plain = {n: v for n, v in settings.items() if n not in ("init", "dtype", "device")}
            formula.module(*axes, **plain, device="meta")
            sizes: dict[str, int] = {a.name: a.size for a in axes if isinstance(a.size, int)}
            names = {p.name for p in formula.signature.parameters if p.setting}
            chosen = {n: v for n, v in plain.items() if n in names}
            options, _ = next(choices(formula, self.definition(formula)))
            traced(formula, {**options, **chosen}, sizes)
        except NamedTensorError as error:
            self.misfit(error, place, piece)
        except Unknown:
            raise
        except Exception as error:  # a body is the user's, and may raise anything
            raise Unknown(said(error)) from None

    def misfit(self, error: NamedTensorError, place: Origin, piece: Piece) -> None:
        """Say what is wrong with a module's sizes, unless its formula is at fault for all sizes."""
        found = [self.places.of(p) for _, p in error.places if isinstance(p, Origin)]
        inner = [(f[0].name, f[1]) for f in found if f is not None]
        if any((*where, code) in self.seen for where in inner for code in CODES.values()):
            return
        source, span = self.places.of(place) or (piece.source, Span(0, 1))
        calls = [f"inside {n}, line {p.line}: {' '.join(p.text.split())}" for n, p in error.places]
        fault = self.fault(error, place, "")
        self.add(replace(fault, source=source, span=span, calls=tuple(calls)))


class Places:
    """Where the lines that Python knows stand in a file's sources."""

    def __init__(self, program: Program) -> None:
        self.pieces: dict[str, list[Piece]] = {}
        for piece in program.pieces:
            for name in {piece.source.name, str(Path(piece.source.name).resolve())}:
                self.pieces.setdefault(name, []).append(piece)

    def piece(self, file: str, line: int) -> Piece | None:
        """Find the piece that a line of a file belongs to."""
        found = self.pieces.get(file, [])
        for piece in found:
            lines = piece.code.splitlines()
            if line <= len(lines) and lines[line - 1].strip():
                return piece
        return found[0] if found else None

    def span(
        self, file: str, line: int, column: int, end_line: int, end_column: int
    ) -> tuple[Source, Span]:
        piece = self.piece(file, line)
        assert piece is not None
        source, shift = piece.source, piece.shift
        start = source.offset(line, column + shift + 1)
        return source, Span(start, max(start, source.offset(end_line, end_column + shift + 1)))

    def of(self, origin: Origin) -> tuple[Source, Span] | None:
        """Give the span of an origin, if it lies in this file."""
        if origin.file not in self.pieces:
            return None
        if origin.column is None or origin.end_column is None:
            text = self.pieces[origin.file][0].source.line(origin.line)
            start = len(text) - len(text.lstrip())
            return self.span(origin.file, origin.line, start, origin.line, len(text))
        return self.span(
            origin.file, origin.line, origin.column, origin.end_line, origin.end_column
        )


# ------------------------------------------------------------------------------------------ tracing


def traced(
    formula: Formula,
    settings: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
    mode: bool = True,
    origins: Origins | None = None,
    kinds: Mapping[str, str] | None = None,
) -> tuple[Written, bool]:
    """Trace a formula as its signature declares it; say whether its body asks for the mode.

    The bodies of formulas that it calls are taken in.
    """
    token = tracing.set(_some_number)
    before, MODE.asked = MODE.asked, False
    try:
        written = write(
            formula, dict(settings), sizes, whole=True, mode=mode, origins=origins, kinds=kinds
        )
        return written, MODE.asked is True
    finally:
        tracing.reset(token)
        MODE.asked = before


def _some_number(node: Node) -> Any:
    """Give a size that Python asks for a number: some number."""
    done: dict[Node, Node] = {}
    for part in operands_first([node]):
        operands = tuple([done[o] for o in part.operands])
        if part.operation.primitive is SIZE:
            done[part] = number(SOME_SIZE)
        elif operands == part.operands:
            done[part] = part
        else:
            done[part] = fold(part, operands) or apply_node(part.operation, operands)
    value = done[node].value
    return SOME_SIZE if value is None else value


def places_of(written: Written, node: Node | None) -> tuple[Origin, ...]:
    """Give the places of Python where a node is written."""
    found = written.origins[node] if node is not None else ()
    return tuple([place for place in found if isinstance(place, Origin)])


def choices(
    formula: Formula, definition: ast.FunctionDef | None
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Give the settings that a formula is traced with, and whether each must work.

    First all at their defaults, then all tensors left out that may be, then each choice of each
    setting in turn.

    Raises: Unknown where a setting has no default and nothing says what it may be.
    """
    empty = inspect.Parameter.empty
    first: dict[str, Any] = {}
    left_out: dict[str, Any] = {}
    others: list[tuple[dict[str, Any], bool]] = []
    for parameter in formula.signature.parameters:
        if parameter.optional:
            others.append(({parameter.name: True}, True))
        if parameter.bundle is not None:
            continue
        if parameter.space is not None:
            if parameter.default is not empty:
                left_out[parameter.name] = parameter.default
            continue
        note = formula.signature.python.parameters[parameter.name].annotation
        options, certain = _options(note, parameter, definition, formula)
        default = parameter.default
        if default is empty:
            if not options:
                if note is empty:
                    raise Unknown(f"{parameter.name} has no declared axes, and no default")
                raise Unknown(f"nothing says what its setting {parameter.name} may be")
            default = first[parameter.name] = options[0]
        others += [({parameter.name: o}, certain) for o in options if o != default]
    yield first, True
    if left_out:
        others.insert(0, (left_out, True))
    for choice, certain in others[:MOST_CHOICES]:
        yield {**first, **choice}, certain


def further_choices(formula: Formula, definition: ast.FunctionDef) -> Iterator[dict[str, Any]]:
    """Give settings for the lines that no choice has reached: other values, and several at once."""
    (first, _), *others = choices(formula, definition)
    single: dict[str, list[Any]] = {}
    for choice, _ in others:
        for name, value in choice.items():
            if name not in first or first[name] is not value:
                single.setdefault(name, []).append(value)
    for parameter in formula.signature.parameters:
        if not parameter.setting:
            continue
        default, name = first.get(parameter.name, parameter.default), parameter.name
        if isinstance(default, str):
            single.setdefault(name, []).append(ANOTHER)
        elif isinstance(default, int | float) and not isinstance(default, bool):
            numbers = _compared(name, definition, int | float)
            wider = dict.fromkeys(n + more for n in (*numbers, 0) for more in (0, 1, -1))
            single.setdefault(name, []).extend([n for n in wider if n != default])
    one = [{name: value} for name, values in single.items() for value in values]
    names = list(single)
    default_of = {p.name: p.default for p in formula.signature.parameters}
    all_ = itertools.product(*[[first.get(n, default_of[n]), *single[n]] for n in names])
    several = (dict(zip(names, values, strict=True)) for values in all_)
    for choice in itertools.islice(itertools.chain(one, several), 4 * MOST_CHOICES):
        yield {**first, **choice}


def _options(
    note: Any, parameter: Any, definition: ast.FunctionDef | None, formula: Formula
) -> tuple[list[Any], bool]:
    """Give the values that a setting may have, and whether its annotation says so."""
    if isinstance(note, str):
        try:
            note = eval(note, dict(formula.function.__globals__))
        except (NameError, AttributeError, TypeError, ValueError, SyntaxError):
            note = None  # as of a name that only type checkers import
    if get_origin(note) is Literal:
        return list(get_args(note)), True
    if note is bool or isinstance(parameter.default, bool):
        return [False, True], True
    if isinstance(note, type) and issubclass(note, enum.Enum):
        return list(note), True
    if isinstance(parameter.default, str) or note is str:
        return _compared(parameter.name, definition, str), False
    if parameter.default is inspect.Parameter.empty:
        return list(_SOME.get(note, ())), False
    return [], False


def _compared(name: str, definition: ast.FunctionDef | None, kind: Any) -> list[Any]:
    """Find the strings, or the numbers, that a body compares a setting with."""
    found: list[Any] = []
    for node in ast.walk(definition) if definition is not None else ():
        compared: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Name) and side.id == name for side in sides):
                compared = [part for side in sides for part in ast.walk(side)]
        elif isinstance(node, ast.Match) and getattr(node.subject, "id", "") == name:
            compared = [part for case in node.cases for part in ast.walk(case.pattern)]
        elif isinstance(node, ast.Subscript) and getattr(node.slice, "id", "") == name:
            compared = list(node.value.keys) if isinstance(node.value, ast.Dict) else []  # type: ignore[arg-type]
        found += [
            part.value
            for part in compared
            if isinstance(part, ast.Constant) and isinstance(part.value, kind)
        ]
    return list(dict.fromkeys(found))


def shape_text(node: Node) -> str:
    """Write a type for a reader: the axes, and the sizes that are plain numbers."""
    parts = [
        f"{shown(name)}[{size}]" if isinstance(size, int) else shown(name)
        for name, size in node.type.axes
    ]
    return " ".join(parts) or "a number"


# ------------------------------------------------------------------------------------------ wording


def silenced(finding: Finding) -> bool:
    """Say whether a comment silences a finding: `# axes: ok` for warnings, or with the rule's code."""
    source, span = finding.source, finding.span
    first, last = finding.line, source.position(max(span.start, span.end - 1))[0]
    before = source.line(first - 1).strip() if first > 1 else ""
    lines = [source.line(n) for n in range(first, last + 1)]
    if before.startswith("#"):
        lines.append(before)
    for line in lines:
        found = re.search(r"#\s*axes:\s*ok\b\s*([\w ,-]*)", line)
        if found:
            names = found[1].replace(",", " ").split()
            if finding.code in names or (not names and finding.severity != "error"):
                return True
    return False


def _is_of_result(error: NamedTensorError, formula: Formula) -> bool:
    """Say whether a body has run, and gave other axes than the declared ones."""
    return error.why.startswith("the body's result, over") and error.call.startswith(
        f"{formula.name}("
    )


def _with(settings: Mapping[str, Any]) -> str:
    if not settings:
        return ""
    return f" (with {', '.join(f'{n}={v!r}' for n, v in settings.items())})"


def _names(node: ast.AST) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
