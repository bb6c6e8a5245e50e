"""Run as much of a file as its formulas need: the whole module, some statements, or none of its own.

A module is run as an import runs it, statement by statement, so that one fault does not hide the
next. Of cells and blocks, only the statements run that bind what a formula names. With
`imports=False` nothing runs but what makes axes, settings and formulas, and calls nothing except
our own operations.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import importlib
import inspect
import linecache
import symtable
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from namedtensor.axes import Axis
from namedtensor.check.pieces import (
    Piece,
    Program,
    UnreadableError,
    is_formula,
    parse,
    program_in,
)
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.formula import formulas_since
from namedtensor.primitives.origins import Origin, origin_of
from namedtensor.tensor import NamedTensor


@dataclass(slots=True)
class Ran:
    """The result of running a file: its names, its formulas, our own errors, and other failures."""

    names: dict[str, Any]
    formulas: list[Formula] = field(default_factory=list)
    errors: list[tuple[NamedTensorError, Origin | None]] = field(default_factory=list)
    stopped: str = ""
    unknown: dict[str, str] = field(default_factory=dict)


def run(program: Program, imports: bool) -> Ran:
    """Run a program as far as its formulas need it."""
    for piece in program.pieces:
        lines = piece.code.splitlines(keepends=True)
        linecache.cache[piece.source.name] = (len(piece.code), None, lines, piece.source.name)
    if not imports:
        return _read(program, {})
    if program.whole:
        return _import(program)
    return _run_needed(program)


@functools.lru_cache(maxsize=8)
def statements_of(program: Program) -> list[tuple[Piece, ast.stmt]]:
    """Give the statements of all pieces in their order."""
    return [(p, s) for p in program.pieces for s in parse(p.source, p.code).body]


# ------------------------------------------------------------------------------------- as an import


def _import(program: Program) -> Ran:
    """Import a module by running its statements, unless it was imported before."""
    path = Path(program.file).resolve()
    name, root = module_name(path)
    _enter(root)
    before = formulas_since(-1)[1]
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        files = {str(path), program.file}
        mine = [f for f in formulas_since(-1)[0] if _is_from(f, files) and _lives_in(f, known)]
        return Ran(vars(known), mine)
    module = types.ModuleType(name)
    module.__file__ = str(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    module.__package__ = package
    if path.name == "__init__.py":
        module.__path__ = [str(path.parent)]
    ran = Ran(vars(module))
    if package and package != name:
        try:
            importlib.import_module(package)
        except BaseException as error:
            ran.stopped = f"{program.file}: the import of {package} stops: {said(error)}"
            return ran
    sys.modules[name] = module
    _run_all(program, statements_of(program), ran, before, stops=True)
    if ran.stopped or ran.errors:
        sys.modules.pop(name, None)
    return ran


def module_name(path: Path) -> tuple[str, Path]:
    """Give the dotted name of a module, and the folder from which it is imported."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


_roots: list[Path] = []


def _enter(root: Path) -> None:
    """Import from a folder; modules imported from another one are forgotten."""
    if _roots and _roots[-1] == root:
        return
    if _roots:
        old = _roots.pop()
        sys.path.remove(str(old))
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and Path(file).parent == old and name != "__main__":
                del sys.modules[name]
    _roots.append(root)
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()


def _run_all(
    program: Program,
    statements: list[tuple[Piece, ast.stmt]],
    ran: Ran,
    before: int,
    stops: bool = False,
) -> None:
    """Run statements one by one; an error of ours is a finding, and another one may end the run."""
    flags = future(statements)
    names = {piece.source.name for piece in program.pieces}
    ran.names.setdefault("__name__", "__cells__")
    for piece, statement in statements:
        code = compile(
            ast.Module([statement], []), piece.source.name, "exec", flags, dont_inherit=True
        )
        try:
            exec(code, ran.names)
        except NamedTensorError as error:
            ran.errors.append((error, place_of(error, names)))
        except BaseException as error:
            if stops:
                line = f"{piece.source.name}:{_line(error, names) or statement.lineno}"
                ran.stopped = f"{line}: the import stops: {said(error)}"
                break
            for bound in bound_by(statement):
                ran.unknown[bound] = said(error)
        found, before = formulas_since(before)
        ran.formulas += [f for f in found if _is_from(f, names) and f not in ran.formulas]


def future(statements: list[tuple[Piece, ast.stmt]]) -> int:
    import __future__

    flags = 0
    for _, statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def _is_from(formula: Formula, files: set[str]) -> bool:
    code = getattr(inspect.unwrap(formula.function), "__code__", None)
    return code is not None and code.co_filename in files


def _lives_in(formula: Formula, module: types.ModuleType) -> bool:
    """Say whether a formula is of this module, and of none of its name that ran before it."""
    return getattr(inspect.unwrap(formula.function), "__globals__", None) is vars(module)


def place_of(error: BaseException, files: set[str]) -> Origin | None:
    """Find the innermost expression of these files that an error passed through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            found = origin_of(trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next
    return found


def _line(error: BaseException, files: set[str]) -> int | None:
    found = place_of(error, files)
    return found.line if found else None


def said(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}{': ' if text else ''}{text}"


# --------------------------------------------------------------------------- what formulas need


def _run_needed(program: Program) -> Ran:
    """Run the formulas of cells, and the statements that bind what they name."""
    path = Path(program.file).resolve()
    _enter(path.parent)
    statements = statements_of(program)
    needed: set[str] = set()
    chosen: set[int] = set()
    waiting = [i for i, (_, s) in enumerate(statements) if _is_root(s)]
    while waiting:
        place = waiting.pop()
        if place in chosen:
            continue
        chosen.add(place)
        more = _referenced(statements[place][1]) - needed
        needed |= more
        waiting += [i for i, (_, s) in enumerate(statements) if more & bound_by(s)]
    ran = Ran({"__name__": "__cells__"})
    _run_all(program, [statements[i] for i in sorted(chosen)], ran, formulas_since(-1)[1])
    return ran


def _is_root(statement: ast.stmt) -> bool:
    """Say whether a statement makes a formula or an index-defined tensor, or prepares imports."""
    if isinstance(statement, ast.Expr):
        return ast.unparse(statement).startswith("sys.path.")
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return True
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        inside = [node for node in ast.walk(statement) if isinstance(node, ast.FunctionDef)]
        return any(map(is_formula, [d for node in inside for d in node.decorator_list]))
    return isinstance(statement, ast.Assign) and any(
        isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "define"
        for node in ast.walk(statement.value)
    )


def _table(statement: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(statement), "<statement>", "exec")


def bound_by(statement: ast.stmt) -> set[str]:
    """Give the names that a statement binds at the top."""
    top = _table(statement)
    return {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()} | {
        s.get_name() for s in top.get_symbols() if s.is_namespace()
    }


def _referenced(statement: ast.stmt) -> set[str]:
    """Give the names that a statement reads from the top, functions inside it too."""
    top = _table(statement)
    found = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    waiting = list(top.get_children())
    while waiting:
        table = waiting.pop()
        found |= {s.get_name() for s in table.get_symbols() if s.is_global()}
        waiting += table.get_children()
    return found


# ------------------------------------------------------------------------------ without any import

#: Python's own functions that may be called when no user code runs.
_HARMLESS: dict[str, Any] = {
    thing.__name__: thing
    for thing in (
        *(builtins.abs, builtins.all, builtins.any, builtins.max, builtins.min, builtins.sum),
        *(bool, complex, dict, enumerate, float, int, isinstance, len, list, range, reversed),
        *(round, sorted, str, tuple, zip, ValueError, TypeError, Exception),
    )
}
#: Attributes of axes and tensors that may be used then.
_ASKED = frozenset(
    [name for name in dir(Axis) if not name.startswith("_")]
    + [NamedTensor.size.__name__, NamedTensor.rearrange.__name__, "axes", "shape", "kind"]
)
#: What may be called outside of functions: it computes with no data.
_MAKING = frozenset("axes sizes Axis define grad derivative differential".split())
_PLAIN = (
    ast.Constant,
    ast.Name,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Slice,
    ast.Starred,
    ast.Lambda,
    ast.keyword,
    ast.Call,
    ast.Subscript,
    ast.Attribute,
    ast.ListComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.arguments,
    ast.arg,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Return,
    ast.If,
    ast.For,
    ast.Expr,
    ast.Pass,
    ast.Raise,
    ast.Assert,
    ast.FunctionDef,
)


def _read(program: Program, reading: dict[Path, Ran]) -> Ran:
    """Make the axes, settings and formulas of a file, and run nothing else of it."""
    path = Path(program.file).resolve()
    own = {**_HARMLESS, "print": lambda *_, **__: None}
    ran = Ran({"__name__": "__read__", "__builtins__": own})
    reading[path] = ran
    before = formulas_since(-1)[1]
    allowed: list[tuple[Piece, ast.stmt]] = []
    for piece, statement in statements_of(program):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            allowed.append((piece, statement))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for name, value in _imported(statement, path, reading, ran):
                ran.names[name] = value
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.FunctionDef) and is_plain(
            statement
        ):
            allowed.append((piece, _without_notes(statement)))
        else:
            for name in bound_by(statement):
                ran.unknown[name] = "what binds it is not run"
    _run_all(program, allowed, ran, before)
    return ran


def _without_notes(statement: ast.stmt) -> ast.stmt:
    """Leave out the annotations of a plain function: they may name what is not known."""
    if isinstance(statement, ast.FunctionDef) and not any(
        map(is_formula, statement.decorator_list)
    ):
        statement = copy.deepcopy(statement)
        statement.returns = None
        for node in ast.walk(statement):
            if isinstance(node, ast.arg):
                node.annotation = None
    return statement


def is_plain(statement: ast.stmt) -> bool:
    """Say whether a statement does nothing but call what is known to us."""
    bundles: set[str] = set()
    inside: list[ast.expr | None] = []
    if isinstance(statement, ast.FunctionDef):
        bundles = {argument.arg for argument in statement.args.kwonlyargs}
        given = statement.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        inside = [statement.returns, *[argument.annotation for argument in every]]
    else:
        calls = [node.func for node in _outside_of_lambdas(statement) if isinstance(node, ast.Call)]
        if any(_last_name(called) not in _MAKING for called in calls):
            return False
    for note in inside:
        if isinstance(note, ast.Constant) and isinstance(note.value, str):
            try:
                read = ast.parse(note.value, mode="eval")
            except SyntaxError:
                return False
            if not all(_is_plain_node(node, set()) for node in ast.walk(read.body)):
                return False
    return all(_is_plain_node(node, bundles) for node in ast.walk(statement))


def _is_plain_node(node: ast.AST, bundles: set[str]) -> bool:
    if not isinstance(node, _PLAIN):
        return False
    if isinstance(node, ast.Name):
        return not node.id.startswith("__")
    if isinstance(node, ast.arg):
        return not node.arg.startswith("__")
    if isinstance(node, ast.Attribute):
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        held = owner in bundles and not hasattr(NamedTensor, node.attr)
        asked = node.attr in _ASKED or held or _is_ours(owner)
        return asked and not node.attr.startswith("_")
    return True


def _outside_of_lambdas(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Lambda):
            yield from _outside_of_lambdas(child)


def _last_name(called: ast.expr) -> str:
    while isinstance(called, ast.Subscript | ast.Call):
        called = called.value if isinstance(called, ast.Subscript) else called.func
    return getattr(called, "attr", getattr(called, "id", ""))


def _is_ours(name: str) -> bool:
    return name in ("nt", "namedtensor", "math", "typing")


def _imported(
    statement: ast.Import | ast.ImportFrom, path: Path, reading: dict[Path, Ran], ran: Ran
) -> Iterator[tuple[str, Any]]:
    """Give what an import binds: our own names, Python's numbers, and what other files define."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            found = _own_module(alias.name)
            bound = alias.asname or alias.name
            if found is not None and _is_ours(bound):
                yield bound, found
            else:
                ran.unknown[bound.partition(".")[0]] = f"{alias.name} is not imported"
        return
    own = _own_module(statement.module or "") if statement.level == 0 else None
    other = None if own is not None else _file_of(statement, path)
    if other is not None and other not in reading:
        try:
            _read(program_in(str(other), other.read_text("utf-8-sig")), reading)
        except (OSError, UnicodeDecodeError, UnreadableError) as error:
            for alias in statement.names:
                ran.unknown[alias.asname or alias.name] = f"{other.name}: {said(error)}"
            return
    known = reading[other].names if other in reading else {}
    for alias in statement.names:
        bound = alias.asname or alias.name
        if own is not None and hasattr(own, alias.name):
            yield bound, getattr(own, alias.name)
        elif alias.name in known and not alias.name.startswith("__"):
            yield bound, known[alias.name]
        else:
            ran.unknown[bound] = f"{statement.module or '.'} is not imported"


def _own_module(name: str) -> Any:
    """Give our public names, or Python's numbers, without the modules that they come from."""
    import math
    import typing

    if name == "namedtensor":
        found = {
            n: value
            for n, value in vars(sys.modules[name]).items()
            if not n.startswith("_")
            and not isinstance(value, types.ModuleType)
            and n not in ("load", "save", "lift", "checked")
        }
        return types.SimpleNamespace(**found)
    if name == "math":
        return types.SimpleNamespace(
            **{n: v for n, v in vars(math).items() if not n.startswith("_")}
        )
    if name == "typing":
        return types.SimpleNamespace(Literal=typing.Literal, Any=typing.Any, Final=typing.Final)
    return None


def _file_of(statement: ast.ImportFrom, path: Path) -> Path | None:
    """Find the file that `from module import ...` reads, where it lies beside this one."""
    start = module_name(path)[1]
    if statement.level:
        start = path.parent
        for _ in range(statement.level - 1):
            start = start.parent
    target = start.joinpath(*(statement.module or "").split(".")) if statement.module else start
    for file in (target.with_suffix(".py"), target / "__init__.py"):
        if file.is_file():
            return file.resolve()
    return None
