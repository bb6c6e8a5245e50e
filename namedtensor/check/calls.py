"""Evaluate calls with constant arguments in a file, without running the file.

model = net.module(emb[512], layers=6)      the sizes of a module
small = make(heads=4)                       what a formula that is made inside `make` is made of
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from namedtensor.axes import Axis
from namedtensor.check.pieces import Piece, Program, is_formula
from namedtensor.check.running import bound_by, future, is_plain, said, statements_of
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula

#: The most different arguments with which a function that makes formulas is tried.
MOST_CALLS = 4


class Unknown(Exception):
    """Something that is not known without running more; its text says what."""


def constant(node: ast.expr, names: Mapping[str, Any], own: Mapping[str, str]) -> Any:
    """Give the value of an expression of constants and module-level names.

    `own` are names that functions bind, with those functions. Raises: Unknown for any other expression.
    """
    if isinstance(node, ast.Name):
        if node.id in own:
            raise Unknown(f"{node.id} is known only when {own[node.id]} runs")
        if node.id not in names:
            raise Unknown(f"{node.id} is not known")
        return names[node.id]
    if isinstance(node, ast.Attribute):
        owner = constant(node.value, names, own)
        found = vars(owner) if inspect.ismodule(owner) else None
        if node.attr.startswith("_") or (found is not None and node.attr not in found):
            raise Unknown(f"{ast.unparse(node)} is not known")
        if not hasattr(owner, node.attr):
            raise Unknown(f"{ast.unparse(node)} is not known")
        return getattr(owner, node.attr)
    if isinstance(node, ast.Subscript):
        axis, size = constant(node.value, names, own), constant(node.slice, names, own)
        if isinstance(axis, Axis) and isinstance(size, int):
            return axis[size]
        raise Unknown(f"{ast.unparse(node)} is no axis with a size")
    if isinstance(node, ast.BinOp):
        a, b = constant(node.left, names, own), constant(node.right, names, own)
        if isinstance(a, int) and isinstance(b, int):
            return number_of(node.op, a, b)
    if isinstance(node, ast.Tuple | ast.List):
        parts = [constant(part, names, own) for part in node.elts]
        return tuple(parts) if isinstance(node, ast.Tuple) else parts
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict" and not node.args:
        return {k.arg: constant(k.value, names, own) for k in node.keywords}
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise Unknown(f"{ast.unparse(node)} is no constant") from None


def number_of(operator: ast.operator, a: int, b: int) -> int:
    """Compute with two sizes.

    Raises: Unknown where the result is no size.
    """
    if isinstance(operator, ast.Mult):
        return a * b
    if isinstance(operator, ast.FloorDiv) and b:
        return a // b
    if isinstance(operator, ast.Add):
        return a + b
    if isinstance(operator, ast.Sub):
        return a - b
    raise Unknown(f"{type(operator).__name__} of {a} and {b} is no size")


def bound_inside(statement: ast.stmt) -> dict[str, str]:
    """Give the names that functions inside a statement bind, each with its function."""
    found: dict[str, str] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for part in ast.walk(node):
                if isinstance(part, ast.arg):
                    found[part.arg] = getattr(node, "name", "a lambda")
                elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found[part.id] = getattr(node, "name", "a lambda")
    return found


# ----------------------------------------------------------------- formulas that functions make


@dataclass(slots=True)
class Scope:
    """The names that are known around a function's body, and why others are not."""

    names: dict[str, Any]
    unknown: dict[str, str] = field(default_factory=dict)
    imports: bool = False

    def may_define(self, function: ast.FunctionDef) -> bool:
        """Say whether a definition may run: without imports it calls nothing but our own names."""
        ours = all(map(is_formula, function.decorator_list))
        return ours and (self.imports or is_plain(function))


def made_inside(
    program: Program,
    piece: Piece,
    around: list[ast.FunctionDef],
    made: ast.FunctionDef,
    scope: Scope,
) -> Iterator[Formula | NamedTensorError]:
    """Make a formula that stands inside functions, once for each call of them whose arguments are known.

    Of the functions' bodies, assignments run that call nothing but our own names, and definitions.
    Raises: Unknown where the formula needs what they compute otherwise.
    """
    maker, *rest = around
    for given in _arguments(program, maker, scope):
        inner = _run(program, piece, maker, given, [*rest, made][0])
        if rest:
            yield from made_inside(program, piece, rest, made, inner)
            continue
        for name in _needed(made):
            if name in inner.unknown:
                raise Unknown(f"it is made inside {maker.name}, and {inner.unknown[name]}")
        if not inner.may_define(made):
            raise Unknown(f"it is made inside {maker.name}, which is not run")
        try:
            _execute(program, piece, made, inner.names)
        except NamedTensorError as error:
            yield error
            continue
        except Exception as error:
            raise Unknown(f"it is made inside {maker.name}: {said(error)}") from None
        if isinstance(found := inner.names.get(made.name), Formula):
            yield found


def _needed(made: ast.FunctionDef) -> list[str]:
    """Give the names that a formula reads: in its body, its annotations and its decorators."""
    own = {n.arg for n in ast.walk(made) if isinstance(n, ast.arg)}
    return [n.id for n in ast.walk(made) if isinstance(n, ast.Name) and n.id not in own]


def _arguments(program: Program, maker: ast.FunctionDef, scope: Scope) -> list[Scope]:
    """Give the arguments of a maker: those of each call in the file, or else the defaults."""
    found: list[Scope] = []
    for _, statement in statements_of(program):
        own = bound_inside(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == maker.name:
                given = _bound(maker, node, scope, own)
                if all(given.names != other.names for other in found):
                    found.append(given)
    sure = [given for given in found if not given.unknown]
    plain = ast.Call(ast.Name(maker.name, ast.Load()), [], [])
    return (sure or found[:1])[:MOST_CALLS] or [_bound(maker, plain, scope, {})]


def _bound(maker: ast.FunctionDef, call: ast.Call, scope: Scope, own: dict[str, str]) -> Scope:
    """Bind the arguments of a call to those of a function, as far as they are constants."""
    given = maker.args
    plain = [*given.posonlyargs, *given.args]
    values: dict[str, ast.expr] = {}
    values |= dict(
        zip([a.arg for a in plain[len(plain) - len(given.defaults) :]], given.defaults, strict=True)
    )
    values |= {
        a.arg: d for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None
    }
    defaults = set(map(id, values.values()))
    values |= {a.arg: v for a, v in zip(plain, call.args, strict=False)}
    values |= {k.arg: k.value for k in call.keywords if k.arg}
    bound = Scope({}, {}, scope.imports)
    for argument in [*plain, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]:
        name = argument.arg
        if name not in values:
            bound.unknown[name] = f"nothing says what its {name} is"
            continue
        try:
            outside = {} if id(values[name]) in defaults else own
            bound.names[name] = constant(values[name], scope.names, outside)
        except Unknown as why:
            bound.unknown[name] = str(why)
    bound.names = {
        **{n: v for n, v in scope.names.items() if n not in bound.unknown},
        **bound.names,
    }
    bound.unknown = {
        **{n: w for n, w in scope.unknown.items() if n not in bound.names},
        **bound.unknown,
    }
    return bound


def _run(
    program: Program, piece: Piece, maker: ast.FunctionDef, scope: Scope, until: ast.FunctionDef
) -> Scope:
    """Run the harmless statements of a function's body, up to the wanted definition."""
    for statement in maker.body:
        if statement is until:
            break
        needs = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name)]
        missing = next((n for n in needs if n in scope.unknown), None)
        simple = isinstance(statement, ast.Assign | ast.AnnAssign) and is_plain(statement)
        why = ""
        defines = isinstance(statement, ast.FunctionDef) and scope.may_define(statement)
        if defines or (simple and missing is None):
            try:
                _execute(program, piece, statement, scope.names)
            except Exception as error:
                why = said(error)
        elif missing is not None:
            why = scope.unknown[missing]
        else:
            why = f"line {statement.lineno} is not run"
        for name in bound_by(statement):
            if why:
                scope.unknown[name] = why
                scope.names.pop(name, None)
            else:
                scope.unknown.pop(name, None)
    return scope


def _execute(program: Program, piece: Piece, statement: ast.stmt, names: dict[str, Any]) -> None:
    flags = future(statements_of(program))
    module = ast.Module([statement], [])
    exec(compile(module, piece.source.name, "exec", flags, dont_inherit=True), names)


def makers_of(statement: ast.stmt) -> Iterator[tuple[list[ast.FunctionDef], ast.FunctionDef]]:
    """Give the formulas that stand inside functions, each with the functions around it, outermost first."""

    def look(node: ast.AST, around: list[ast.FunctionDef]) -> Iterator[Any]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                if around and any(map(is_formula, child.decorator_list)):
                    yield around, child
                yield from look(child, [*around, child])
            else:
                yield from look(child, around)

    yield from look(ast.Module([statement], []), [])
