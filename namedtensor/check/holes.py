"""Continue after a fault: a value that could not be computed is a hole, and what uses a hole is a hole.

    A = Q @ val @ K          a fault: A is a hole
    Y = nt.softmax[seq](A)   meets a hole, and is one
    B = V @ key @ W          meets none, and is looked at

A body is run once more, statement by statement. In a statement that fails, the parts after the failing one
that do not contain it are computed by themselves.
"""

from __future__ import annotations

import ast
import copy
import itertools
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from namedtensor.errors import NamedTensorError, stretch
from namedtensor.primitives.origins import own_place

#: The most faults of one body that are reported.
MOST_FAULTS = 20


class Hole:
    """The value of a name whose value could not be computed."""


class Stopped(BaseException):
    """Raised at the end of a body whose result is a hole; user code does not catch it."""


#: Nodes that compute their parts under conditions, or with names of their own.
_UNSURE = (
    *(ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension),
    *(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
)
#: Where an expression begins and ends: lines count from 1, columns from 0 and in bytes.
Stretch = tuple[tuple[int, int], tuple[int, int]]


@dataclass(slots=True)
class Holes:
    """The faults of one body, in the order in which they were met.

    `names` are those that the body reads from outside; `inside` says what functions inside it read.
    """

    formula: str
    file: str
    names: dict[str, Any]
    inside: dict[str, set[str]]
    faults: list[NamedTensorError] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    hole: Hole = field(default_factory=Hole)

    def meets(self, place: int, names: dict[str, Any]) -> bool:
        """Say whether a statement reads a name that is a hole; the parts that read none are computed."""
        parts = _head(self.statements[place])
        if not self._reads_a_hole(parts, names):
            return False
        for part in parts:
            self._compute(self._without_holes(part, names), names)
        return True

    def _without_holes(self, part: ast.AST, names: dict[str, Any]) -> list[ast.expr]:
        """Give the largest parts of an expression that read no hole."""
        if isinstance(part, _UNSURE):
            return []
        found = []
        for child in _children(part):
            if self._reads_a_hole([child], names):
                found += self._without_holes(child, names)
            else:
                found.append(child)
        return found

    def _reads_a_hole(self, parts: list[ast.AST], names: dict[str, Any]) -> bool:
        waiting, seen = _read(parts), set()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            if isinstance(names.get(name), Hole):
                return True
            waiting |= self.inside.get(name, set()) - seen
        return False

    def failed(self, place: int, error: Exception, names: dict[str, Any]) -> None:
        """Keep a fault, and look at what else stands in its statement."""
        self._keep(error)
        self._others(_head(self.statements[place]), error.__traceback__, names)

    def _keep(self, error: Exception) -> None:
        if isinstance(error, NamedTensorError) and len(self.faults) < MOST_FAULTS:
            where = own_place(error.__traceback__)
            if where is not None:
                error.add_place(self.formula, where)
            self.faults.append(error)

    def _others(
        self, parts: list[ast.AST], trace: types.TracebackType | None, names: dict[str, Any]
    ) -> None:
        """Compute the parts after the one that failed."""
        failed = _stretch(trace)
        if trace is None or failed is None:
            return
        for part in parts:
            for other in _behind(part, failed):
                whole = not self._reads_a_hole([other], names)
                self._compute([other] if whole else self._without_holes(other, names), names)

    def _compute(self, parts: list[ast.expr], names: dict[str, Any]) -> None:
        """Compute expressions of a body one by one, and keep their faults."""
        for other in parts:
            if isinstance(other, ast.Constant | ast.Name | ast.Slice | ast.Starred):
                continue
            code = compile(ast.Expression(other), self.file, "eval", dont_inherit=True)
            try:
                eval(code, {**self.names, **names})
            except Exception as error:
                error.__traceback__ = inner = error.__traceback__ and error.__traceback__.tb_next
                self._keep(error)
                self._others([other], inner, names)

    def stop(self) -> None:
        """End a body whose result is a hole."""
        raise Stopped


def behind_faults(
    formula: str, function: Callable[..., Any], definition: ast.FunctionDef
) -> tuple[Callable[..., Any], Holes] | None:
    """Make a function that continues after a fault; None if that is not possible."""
    if not isinstance(function, types.FunctionType):
        return None
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Nonlocal) for n in ast.walk(definition)):
        return None
    code = function.__code__
    holes = Holes(formula, code.co_filename, {}, dict(_functions(definition)))
    holes.names = {
        **function.__globals__,
        "__holes__": holes,
        "__locals__": locals,
        "__Fault__": Exception,
    }
    made = copy.deepcopy(definition)
    made.decorator_list, made.returns = [], None
    given = made.args
    for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
        argument.annotation = None
    given.defaults, given.kw_defaults = [], [None] * len(given.kwonlyargs)
    made.body = _guarded(made.body, holes)
    outer = ast.FunctionDef(
        name="__outer__",
        args=ast.arguments([], [], None, [], [], None, []),
        body=[*[_assign(name, ast.Constant(None)) for name in code.co_freevars], made],
        decorator_list=[],
    )
    module = ast.fix_missing_locations(ast.Module([outer], []))
    try:
        found = _inside(compile(module, code.co_filename, "exec", dont_inherit=True), code.co_name)
    except (SyntaxError, ValueError):
        return None
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple([cells[name] for name in found.co_freevars])
    held = {name: cell.cell_contents for name, cell in cells.items() if _is_filled(cell)}
    run = types.FunctionType(found, holes.names, code.co_name, function.__defaults__, closure)
    run.__kwdefaults__ = function.__kwdefaults__
    holes.names = {**holes.names, **held}
    return run, holes


def _stretch(trace: types.TracebackType | None) -> Stretch | None:
    """Give the expression of a function that was being computed."""
    if trace is None:
        return None
    line, last, column, end = stretch(trace.tb_frame.f_code, trace.tb_lasti)
    if line is None or last is None or column is None or end is None:
        return None
    return (line, column), (last, end)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _inside(code: types.CodeType, name: str) -> types.CodeType:
    """Find the code of the function that is defined in the outermost one."""
    outer = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


# ------------------------------------------------------------------------------------- statements


def _guarded(body: list[ast.stmt], holes: Holes) -> list[ast.stmt]:
    """Skip each statement that uses a hole, and bind its names to holes."""
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(
            statement, ast.Pass | ast.Break | ast.Continue | ast.Global | ast.FunctionDef
        ):
            found.append(statement)
            continue
        number = ast.Constant(len(holes.statements))
        holes.statements.append(copy.deepcopy(statement))
        bound = sorted(_bound(statement))
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and inner:
                setattr(statement, name, _guarded(inner, holes))
        for case in [*getattr(statement, "cases", ()), *getattr(statement, "handlers", ())]:
            case.body = _guarded(case.body, holes)
        lost: list[ast.stmt] = [_assign(name, _asked("hole")) for name in bound]
        if _returns(statement):
            lost = [ast.Expr(ast.Call(_asked("stop"), [], []))]
        names = ast.Call(ast.Name("__locals__", ast.Load()), [], [])
        told = ast.Call(_asked("failed"), [number, ast.Name("__error__", ast.Load()), names], [])
        caught = ast.ExceptHandler(
            ast.Name("__Fault__", ast.Load()), "__error__", [ast.Expr(told), *lost]
        )
        tried = ast.Try([statement], [caught], [], [])
        test = ast.Call(_asked("meets"), [number, names], [])
        checked = ast.If(test, lost or [ast.Pass()], [tried])
        found.append(ast.copy_location(checked, statement))
    return found


def _asked(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("__holes__", ast.Load()), name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in _own(statement))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement without the bodies of functions in it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own(child)


def _bound(statement: ast.stmt) -> set[str]:
    """Give the names that a statement binds, or whose values it changes in place."""
    found = set()
    for node in _own(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        target: ast.AST | None = None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            target = node.value.func
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = node
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
            if isinstance(target, ast.Name):
                found.add(target.id)
    return found


def _head(statement: ast.stmt) -> list[ast.AST]:
    """Give the parts of a statement that it computes itself: of a loop, what it loops over."""
    if isinstance(statement, ast.For):
        return [statement.iter]
    if isinstance(statement, ast.If | ast.While):
        return [statement.test]
    if isinstance(statement, ast.With):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.Match):
        return [statement.subject]
    if isinstance(statement, ast.Try):
        return []
    return [statement]


def _read(parts: list[ast.AST]) -> set[str]:
    return {
        node.id
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _functions(definition: ast.FunctionDef) -> Iterator[tuple[str, set[str]]]:
    """Give the functions inside a body by their names, with the names that each reads."""
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef) and node is not definition:
            yield node.name, _read([node])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, _read([node.value])


def _behind(part: ast.AST, failed: Stretch) -> Iterator[ast.expr]:
    """Give the largest expressions behind the one that failed, which do not contain it."""
    path = _path(part, failed)
    for outer, inner in itertools.pairwise(path):
        if isinstance(outer, _UNSURE):
            return
        for child in _children(outer):
            ends = (inner.end_lineno, inner.end_col_offset)  # type: ignore[attr-defined]
            if (child.lineno, child.col_offset) >= ends:
                yield child


def _children(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            child = child.value
        if isinstance(child, ast.Starred):
            child = child.value
        loads = isinstance(getattr(child, "ctx", None) or ast.Load(), ast.Load)
        if isinstance(child, ast.expr) and loads and not isinstance(child, ast.Slice | ast.Lambda):
            yield child


def _path(part: ast.AST, failed: Stretch) -> list[ast.AST]:
    """Give the nodes from a statement down to the smallest one that holds a stretch."""
    node: Any = part
    if hasattr(part, "lineno"):
        start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        if start > failed[0] or failed[1] > end:
            return []
    for child in ast.iter_child_nodes(part):
        found = _path(child, failed)
        if found:
            return [part, *found] if hasattr(part, "lineno") else found
    return [part] if hasattr(part, "lineno") else []
