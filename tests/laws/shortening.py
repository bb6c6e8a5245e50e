"""Make a text that fails shorter: leave out statements, put parts of expressions in their place."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.laws import programs
from tests.laws.drawn_nesting import HIDDEN, Nested, bracket, hand, pruned


def shortened(program: Nested, fails: Callable[[Nested], bool], seconds: float = 60.0) -> Nested:
    """Give a shorter program that means something and fails too."""
    until = time.monotonic() + seconds
    found = True
    while found and time.monotonic() < until:
        found = False
        for shorter in candidates(program):
            if time.monotonic() > until:
                break
            if fails(shorter):
                program, found = shorter, True
                break
    return program


def candidates(program: Nested) -> Iterator[Nested]:
    """List programs that have one thing less, as far as they mean something by hand."""
    tree = ast.parse(program.source)
    if program.hidden:
        inputs = [
            replace(
                X,
                axes=tuple([a for a in X.axes if a != HIDDEN]),
                sizes={a: n for a, n in X.sizes.items() if a != HIDDEN},
            )
            for X in program.inputs
        ]
        yield from meaning(replace(program, inputs=tuple(inputs), hidden=frozenset()), tree)
    for count in range(sum(1 for _ in edits(tree))):
        other = copy.deepcopy(tree)
        edit = next(e for i, e in enumerate(edits(other)) if i == count)
        edit()
        yield from meaning(program, other)


def edits(tree: ast.AST) -> Iterator[Callable[[], None]]:
    """List what can be done to a tree, the boldest first."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            for i in range(len(body)):
                yield lambda body=body, i=i: body.pop(i)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            continue
        for name, value in ast.iter_fields(node):
            places = [(name, None)] if isinstance(value, ast.expr) else []
            if isinstance(value, list):
                places = [(name, i) for i, v in enumerate(value) if isinstance(v, ast.expr)]
            for field, i in places:
                old = value if i is None else value[i]
                if (
                    isinstance(old, ast.Tuple)
                    and isinstance(node, ast.Return)
                    and len(old.elts) > 1
                ):
                    for j in range(len(old.elts)):
                        yield lambda old=old, j=j: old.elts.pop(j)
                for part in parts(old):

                    def put(
                        node: Any = node, field: str = field, i: Any = i, part: Any = part
                    ) -> None:
                        if i is None:
                            setattr(node, field, part)
                        else:
                            getattr(node, field)[i] = part

                    yield put
        if isinstance(node, ast.Call):
            for i in range(len(node.keywords)):
                yield lambda node=node, i=i: node.keywords.pop(i)
            for i in range(len(node.args)):
                yield lambda node=node, i=i: node.args.pop(i)


def parts(node: ast.expr) -> list[ast.expr]:
    """List the parts that may stand for an expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Compare):
        return [node.left]
    if isinstance(node, ast.Call):
        return [a for a in node.args if not isinstance(a, ast.Lambda)]
    if isinstance(node, ast.Subscript):
        spaces = isinstance(node.value, ast.Name) and node.value.id in "RZB"
        return [node.value] if isinstance(node.value, (ast.Name, ast.Call)) and not spaces else []
    return []


def inputs_of(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.args, *function.args.kwonlyargs]


def meaning(program: Nested, tree: ast.AST) -> Iterator[Nested]:
    """Give the program of a tree, with the axes of its results, if it means something by hand."""
    pruned(tree)
    function = next(
        (f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == "program"), None
    )
    if function is None or len(inputs_of(function)) != len(program.inputs):
        return
    used = {n.id for line in function.body for n in ast.walk(line) if isinstance(n, ast.Name)}
    keep = []
    for part in (function.args.args, function.args.kwonlyargs):
        for argument in list(part):
            keep.append(argument.arg in used)
            if not keep[-1]:
                part.remove(argument)
    function.args.kw_defaults = [None] * len(function.args.kwonlyargs)
    names = inputs_of(function)
    renamed = {}
    for i, argument in enumerate(names):
        renamed[argument.arg] = argument.arg[0] + str(i)
    inputs = tuple([X for X, kept in zip(program.inputs, keep, strict=True) if kept])
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in renamed:
            node.id = renamed[node.id]
        if isinstance(node, ast.arg) and node in names:
            node.arg = renamed[node.arg]
    function.returns = None
    other = replace(
        program, inputs=inputs, source=ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    )
    try:
        found = hand(other, programs.arrays(other, True))
    except Exception:  # what was taken away was needed
        return
    letter = {"int": "Z", "bool": "B"}
    arrows = [
        letter.get(x.kind, "R") + bracket({a: 0 for a in x.axes if a not in other.hidden})
        for x in found
    ]
    arrow = arrows[0] if len(arrows) == 1 else f"tuple[{', '.join(arrows)}]"
    function.returns = ast.parse(arrow, mode="eval").body
    sample = program.outs[0]
    yield replace(
        other,
        source=ast.unparse(ast.fix_missing_locations(tree)) + "\n",
        outs=tuple([replace(sample, sizes=x.sizes, kind=x.kind) for x in found]),
        results=tuple(range(len(inputs), len(inputs) + len(found))),
    )
