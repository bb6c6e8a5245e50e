"""How many wrong axes are noticed: every formula of the repository, changed by one axis at a time.

    python -m tests.check.mutation [FILE...]

Each axis that a formula names is replaced by each other axis that it names, each renaming is left out,
and each axis is left out of each declaration. A change is noticed where checking its file gives an error
or a warning; it is legal where the tree of the result stays the same. All others are listed.
"""

from __future__ import annotations

import ast
import copy
import itertools
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from namedtensor.axes import Axis
from namedtensor.check.formulas import Unknown, choices, traced
from namedtensor.check.meaning import remarks
from namedtensor.check.pieces import is_formula, program_in
from namedtensor.check.running import run, statements_of
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula

ROOT = Path(__file__).parents[2]
FILES = ["README.md", "transformer_named", "notebooks"]


def python_files(names: list[str]) -> Iterator[Path]:
    for name in names:
        path = ROOT / name
        yield from sorted(path.glob("*.py")) if path.is_dir() else [path]


def changes(
    definition: ast.FunctionDef, names: dict[str, Any]
) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    """Give each change of one axis: its sort, what it is, and the changed definition."""
    nodes = list(ast.walk(definition))
    used = [n for n in nodes if isinstance(n, ast.Name) and isinstance(names.get(n.id), Axis)]
    scope = sorted({n.id for n in used})
    declared = {id(n) for note in _annotations(definition) for n in ast.walk(note)}
    for node in used:
        for other in scope:
            if other != node.id:
                place = f"line {node.lineno}: {node.id} -> {other}"
                sort = "declared axis" if id(node) in declared else "axis in the body"
                yield sort, place, _changed(definition, node, ast.Name(other, ast.Load()))
    for node in nodes:
        if isinstance(node, ast.Subscript) and _renames(node):
            place = f"line {node.lineno}: without {ast.unparse(node)[-40:]}"
            yield "renaming left out", place, _changed(definition, node, node.value)
        if id(node) in declared and isinstance(node, ast.Subscript):
            axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for i in range(len(axes)):
                rest = [a for j, a in enumerate(axes) if j != i]
                new: ast.expr = node.value
                if rest:
                    new = ast.Subscript(node.value, ast.Tuple(rest, ast.Load()), ast.Load())
                place = f"line {node.lineno}: {ast.unparse(node)} -> {ast.unparse(new)}"
                yield "axis left out of a declaration", place, _changed(definition, node, new)


def _annotations(definition: ast.FunctionDef) -> list[ast.expr]:
    given = definition.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [n for n in (definition.returns, *[a.annotation for a in every]) if n is not None]


def _renames(node: ast.Subscript) -> bool:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return all(isinstance(p, ast.BinOp) and isinstance(p.op, ast.RShift) for p in parts)


def _changed(definition: ast.FunctionDef, old: ast.AST, new: ast.expr) -> ast.FunctionDef:
    """Copy a definition with one node replaced."""

    path = list(_path(definition, old))
    whole = copy.deepcopy(definition)
    target: Any = whole
    for name, place in path[:-1]:
        target = getattr(target, name) if place is None else getattr(target, name)[place]
    name, place = path[-1]
    if place is None:
        setattr(target, name, copy.deepcopy(new))
    else:
        getattr(target, name)[place] = copy.deepcopy(new)
    return ast.fix_missing_locations(whole)


def _path(root: ast.AST, wanted: ast.AST) -> list[tuple[str, int | None]]:
    for name, value in ast.iter_fields(root):
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if child is wanted:
                return [(name, place)]
            if isinstance(child, ast.AST):
                found = _path(child, wanted)
                if found:
                    return [(name, place), *found]
    return []


def seen_in(formula: Formula, definition: ast.FunctionDef) -> tuple[bool, list[Any]]:
    """Say whether checking a formula gives an error or a warning, and give its trees."""
    trees: list[Any] = []
    try:
        for settings, certain in choices(formula, definition):
            try:
                written, _ = traced(formula, settings)
            except NamedTensorError:
                return True, trees
            except Exception:
                if certain:
                    return True, trees
                continue
            trees.append(written.results)
            if remarks(written):
                return True, trees
    except Unknown:
        pass
    return False, trees


def measure(files: list[str], out: Any = sys.stdout, every: int = 1) -> tuple[int, int, int]:
    """Print what is not noticed, and give how many changes there were, were legal, were noticed.

    One in `every` changes of a definition is tried.
    """
    count: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    legal: Counter[str] = Counter()
    for path in python_files(files):
        program = program_in(str(path.relative_to(ROOT)), path.read_text())
        if not any("formula" in piece.code for piece in program.pieces):
            continue
        ran = run(program, True)
        names = ran.names
        definitions = [
            s
            for _, s in statements_of(program)
            if isinstance(s, ast.FunctionDef) and any(map(is_formula, s.decorator_list))
        ]
        known = [d for d in definitions if isinstance(names.get(d.name), Formula)]
        originals = {d.name: names[d.name] for d in known}
        base = {d.name: seen_in(originals[d.name], d) for d in known}
        for place, definition in enumerate(known):
            if base[definition.name][0]:
                continue  # a fault that is taught
            for sort, what, changed in itertools.islice(changes(definition, names), 0, None, every):
                count[sort] += 1
                seen, trees = _run(changed, names)
                if not seen and trees == base[definition.name][1]:
                    legal[sort] += 1
                elif not seen:
                    for later in known[place + 1 :]:
                        if not base[later.name][0] and not seen:
                            seen, _ = _run(later, names)
                    for later in known[place + 1 :]:
                        names[later.name] = originals[later.name]
                    if not seen:
                        print(f"{path.relative_to(ROOT)}: {definition.name}: {what}", file=out)
                noticed[sort] += seen
                names[definition.name] = originals[definition.name]
    print(f"{'':32}{'changes':>9}{'legal':>9}{'noticed':>9}{'share':>9}", file=out)
    for sort in count:
        share = noticed[sort] / max(1, count[sort] - legal[sort])
        line = f"{sort:32}{count[sort]:9}{legal[sort]:9}{noticed[sort]:9}{share:9.1%}"
        print(line, file=out)
    total, fine, found = count.total(), legal.total(), noticed.total()
    print(f"{'all':32}{total:9}{fine:9}{found:9}{found / (total - fine):9.1%}", file=out)
    return total, fine, found


def _run(definition: ast.FunctionDef, names: dict[str, Any]) -> tuple[bool, list[Any]]:
    """Define a changed formula, and say whether checking it finds fault."""
    code = compile(ast.Module([definition], []), "<changed>", "exec")
    try:
        exec(code, names)
    except NamedTensorError:
        return True, []
    formula = names[definition.name]
    return seen_in(formula, definition)


if __name__ == "__main__":
    os.chdir(ROOT)
    warnings.simplefilter("ignore")
    measure(sys.argv[1:] or FILES)
