"""The check of Python files held to what happens when they run.

    python -m tests.check.against_runs [FIRST LAST]

Drawn programs are written as files and changed in one place at a time. Each file is checked, and its
formula is run on made-up numbers, at three sets of sizes where it declares none. An error of a file that
runs at some sizes is a false alarm. A file that is refused at all sizes and has no error, with nothing said
to be unchecked, is a miss.
"""

from __future__ import annotations

import ast
import copy
import itertools
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor.check.formulas import Report, check_program
from namedtensor.check.pieces import program_in
from namedtensor.formula import Formula
from tests.check.structures import CALLS, SEEDS
from tests.laws import programs
from tests.laws.agreement import written
from tests.laws.draft import NEW_NAMES, Program

HEAD = """\
import namedtensor as nt
from namedtensor import Axis as A, B, R, Z, axes, formula

"""
#: What a name of an axis is replaced by, beside the names of the same text.
ABSENT = "absent"


# ------------------------------------------------------------------------------------------ files


def file_of(program: Program, sized: bool) -> str:
    """Write a drawn program as a file; with `sized`, its inputs' axes have sizes."""
    text = written(program, "@formula")
    if not sized:
        return HEAD + text
    tree = ast.parse(text)
    definition = tree.body[-1]
    assert isinstance(definition, ast.FunctionDef)
    sizes = {a: n for X in program.inputs for a, n in X.sizes.items()}
    given = definition.args
    for argument in [*given.args, *given.kwonlyargs]:
        for node in ast.walk(argument):
            if isinstance(node, ast.Constant):
                node.value = f"{node.value}[{sizes[node.value]}]"
    return HEAD + ast.unparse(tree) + "\n"


def changes(text: str, choices: random.Random) -> Iterator[tuple[str, str]]:
    """Give texts with one change, each with its sort."""
    tree = ast.parse(text)
    definitions = [s for s in ast.walk(tree) if isinstance(s, ast.FunctionDef)]
    axes = axis_names(tree)
    used = {n.id for d in definitions for n in ast.walk(d) if isinstance(n, ast.Name)}
    names = sorted({n.value for n in _axes(tree) if not axes}) + sorted(axes & used) + [ABSENT]
    places: dict[str, list[tuple[ast.AST, Callable[[Any], Any]]]] = {}

    def offer(sort: str, node: ast.AST, change: Callable[[Any], Any]) -> None:
        places.setdefault(sort, []).append((node, change))

    for definition in definitions:
        values = [n.arg for n in ast.walk(definition) if isinstance(n, ast.arg)]
        values += [
            n.id
            for n in ast.walk(definition)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ]
        for note in [
            definition.returns,
            *[a.annotation for a in [*definition.args.args, *definition.args.kwonlyargs]],
        ]:
            sort = "result" if note is definition.returns else "declared axis"
            for node in ast.walk(note) if note is not None else ():
                if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in "RZB":
                    offer(f"{sort} left out", node, lambda old: _without(old, choices))
                if _is_axis(node, axes):
                    offer(sort, node, lambda old: _named(old, names, axes, choices))
        for node in [n for s in definition.body for n in ast.walk(s)]:
            if _is_axis(node, axes):
                offer("axis", node, lambda old: _named(old, names, axes, choices))
            elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                offer(
                    "number", node, lambda old: ast.Constant(old.value + choices.choice((-1, 1, 2)))
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
                offer("setting", node, lambda old: ast.Constant(not old.value))
            elif isinstance(node, ast.Call):
                if node.args:
                    offer("operand left out", node, _less)
                for keyword in node.keywords:
                    offer("setting left out", node, lambda old, k=keyword.arg: _unset(old, k))
                    offer("setting misspelt", node, lambda old, k=keyword.arg: _misspelt(old, k))
            elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.RShift | ast.MatMult):
                offer("operand left out", node, lambda old: old.left)
            elif (
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in values
            ):
                offer(
                    "other value",
                    node,
                    lambda old, v=values: ast.Name(choices.choice(v), ast.Load()),
                )
            elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "nt":
                offer("name misspelt", node, lambda old: ast.Attribute(old.value, old.attr + "s"))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                offer("brackets left out", node, lambda old: old.value)
    for sort, found in places.items():
        node, change = choices.choice(found)
        node._chosen = True  # type: ignore[attr-defined]
        new = ast.fix_missing_locations(_Replace(change).visit(copy.deepcopy(tree)))
        del node._chosen  # type: ignore[attr-defined]
        changed = ast.unparse(new) + "\n"
        if changed != ast.unparse(tree) + "\n":
            yield sort, changed


class _Replace(ast.NodeTransformer):
    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.change = change

    def visit(self, node: ast.AST) -> Any:
        if getattr(node, "_chosen", False):
            return self.change(node)
        return self.generic_visit(node)


def axis_names(tree: ast.Module) -> set[str]:
    """Give the variables of a file that are axes."""
    found = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            text = ast.unparse(statement.value)
            if text.startswith(("axes(", "A(")) or text.endswith(".prime"):
                found |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def _is_axis(node: ast.AST, axes: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and node.id in axes
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _axes(tree: ast.AST) -> list[Any]:
    return [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and "[" not in n.value
    ]


def _named(old: Any, names: list[str], axes: set[str], choices: random.Random) -> ast.expr:
    if isinstance(old, ast.Name):
        other = choices.choice([n for n in names if n != old.id])
        return ast.Name(other, ast.Load()) if other in axes else ast.Constant(other)
    name, bracket, rest = old.value.partition("[")
    other = choices.choice([n for n in names if n != name] or [ABSENT])
    return ast.Name(other, ast.Load()) if other in axes else ast.Constant(other + bracket + rest)


def _without(old: ast.Subscript, choices: random.Random) -> ast.expr:
    axes = old.slice.elts if isinstance(old.slice, ast.Tuple) else [old.slice]
    place = choices.randrange(len(axes))
    rest = [a for i, a in enumerate(axes) if i != place]
    return ast.Subscript(old.value, ast.Tuple(rest, ast.Load()), ast.Load()) if rest else old.value


def _less(old: ast.Call) -> ast.expr:
    return ast.Call(old.func, old.args[:-1], old.keywords)


def _unset(old: ast.Call, name: str | None) -> ast.expr:
    return ast.Call(old.func, old.args, [k for k in old.keywords if k.arg != name])


def _misspelt(old: ast.Call, name: str | None) -> ast.expr:
    keywords = [ast.keyword(f"{k.arg}s", k.value) if k.arg == name else k for k in old.keywords]
    return ast.Call(old.func, old.args, keywords)


# ---------------------------------------------------------------------------------------- running

#: Sizes of names that a file does not say: the drawn program's, and two other sets.
OTHERS: tuple[dict[str, int], ...] = (
    dict.fromkeys(NEW_NAMES, 2) | {ABSENT: 2},
    {n: i for i, n in enumerate(("a", "b", "seq", "seq'", "sum", "lambda", "x0", *NEW_NAMES), 2)}
    | {ABSENT: 7},
)


#: Warnings that say under which condition a file runs: with other kinds, inside another formula.
TOLD = ("kind", "axis-size")
UNDECIDED = "refused where nothing is traced"
#: What a library says of numbers that have no inverse.
OF_NUMBERS = "has no value for some matrix"


def many(sizes: Sizes) -> Sizes:
    """Give more sizes to try, where a file does not say them all."""
    if len(sizes) == 1:
        return sizes
    names = sorted({name for each in sizes for name in each})
    draws = random.Random(0)
    return sizes + [{n: draws.randint(1, 6) for n in names} for _ in range(60)]


def data_for(
    formula: Formula[..., Any], sizes: dict[str, int], kinds: dict[str, str], zero: bool
) -> dict[str, Any]:
    """Make numbers for what a formula declares."""
    given: dict[str, Any] = {}
    rng = np.random.default_rng(0)
    for parameter in formula.signature.parameters:
        if parameter.bundle is not None:
            inner = data_for(parameter.bundle, sizes, kinds, zero)
            inner = {n: v for n, v in inner.items() if n in parameter.bundle.parameters_after}
            given[parameter.name] = [inner, inner] if parameter.stack else inner
        elif parameter.space is not None:
            space = parameter.space
            shape = [
                a.size if isinstance(a.size, int) else sizes.get(a.name, 3) for a in space.axes
            ]
            kind = kinds.get(parameter.name, {"Z": "int", "B": "bool"}.get(space.letter, "float"))
            if kind == "bool":
                array: Any = rng.random(shape) < 0.5
            elif kind == "int":
                array = rng.integers(0, 1 if zero else 3, shape)
            elif kind == "complex":
                array = rng.normal(size=shape) + 1j * rng.normal(size=shape)
            else:
                array = rng.normal(size=shape)
            given[parameter.name] = nt.tensor(np.asarray(array), *space.names)
    return given


Calls = Sequence[dict[str, Any]]
Sizes = list[dict[str, int]]


def refusal(text: str, name: str, sizes: Sizes, kinds: dict[str, str], calls: Calls = ()) -> str:
    """Say how a file is refused when it runs at each of these sizes; nothing where it runs at some.

    Numbers are of the kinds that are given and of those that are declared; whole ones are small, or all
    0. `calls` are settings to run with beside the defaults; it is refused where one of them is. A fault in
    what no result needs is undecided: a trace leaves it out.
    """
    scope: dict[str, Any] = {"__name__": "drawn"}
    try:
        exec(compile(text, "<drawn>", "exec"), scope)
    except Exception as error:
        return said(error)
    formula = scope[name]
    whole = nt.formula(formula.function, trace=False)
    why = ""
    for settings in ({}, *calls):
        ways = list(itertools.product(sizes, (False, True), (kinds, {}) if kinds else ({},)))
        refused = first_refusal(formula, ways, settings)
        if refused:
            return refused
        if first_refusal(whole, ways, settings):
            why = UNDECIDED
    return why


def first_refusal(formula: Formula[..., Any], ways: list[Any], settings: dict[str, Any]) -> str:
    """Say how a formula refuses all of these numbers; nothing where it takes some."""
    why = ""
    for sizes, zero, kinds in ways:
        given = data_for(formula, sizes, kinds, zero)
        try:
            formula(**(given | settings))
        except Exception as error:
            why = why or said(error)
        else:
            return ""
    return why


def said(error: Exception) -> str:
    ours = isinstance(error, nt.NamedTensorError)
    return f"{'' if ours else 'foreign '}{type(error).__name__}: {error}"


# --------------------------------------------------------------------------------------- comparing


@dataclass(slots=True)
class Counts:
    """How many files ran and were refused, and where the check was wrong."""

    files: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str, str]] = field(default_factory=list)


def checked(text: str, number: int) -> Report:
    return check_program(program_in(f"drawn{number}.py", text), True)


_number = 0


def compare(
    counts: Counts, sort: str, text: str, name: str, sizes: Sizes, kinds: Any, calls: Calls = ()
) -> None:
    """Check a file and run it."""
    global _number
    _number += 1
    why = refusal(text, name, sizes, kinds, calls)
    if why == UNDECIDED:
        return
    try:
        report = checked(text, _number)
    except Exception as error:
        counts.wrong.append(("crash", sort, f"{type(error).__name__}: {error}", text))
        return
    finally:
        sys.modules.pop(f"drawn{_number}", None)
    errors = [f for f in report.findings if f.severity == "error"]
    told = [f for f in report.findings if f.severity == "error" or f.code in TOLD]
    left = report.unchecked or report.refused or report.unreached
    if why:
        counts.files["refused"] += 1
        if not (told or left):
            if OF_NUMBERS not in why and refusal(text, name, many(sizes), kinds, calls):
                counts.wrong.append(("miss", sort, why, text))
        elif not told:
            counts.files["refused, said to be unchecked"] += 1
            if "-v" in sys.argv:
                print("UNCHECKED", sort, why.splitlines()[0], left)
    else:
        counts.files["run"] += 1
        if sort == "as drawn":
            counts.files["run as drawn"] += 1
            counts.warned.update({f.code for f in report.findings if f.severity == "warning"})
        if errors:
            said = f"{errors[0].code}: {errors[0].message}"
            counts.wrong.append(("false alarm", sort, said, text))
        if left:
            counts.files["run, said to be unchecked"] += 1
            if "-v" in sys.argv:
                print("RUN UNCHECKED", sort, left)


def measure(first: int, last: int, mutants: bool = True) -> Counts:
    counts = Counts()
    for seed in range(first, last):
        program = programs.program(seed)
        kinds = {program.name(i): X.kind for i, X in enumerate(program.inputs)}
        own = {a: n for X in program.inputs for a, n in X.sizes.items()}
        sized = bool(seed % 2)
        sizes = [own] if sized else [own, *[o | {} for o in OTHERS]]
        text = file_of(program, sized)
        compare(counts, "as drawn", text, "program", sizes, kinds)
        if mutants:
            for sort, changed in changes(text, random.Random(seed)):
                compare(counts, sort, changed, "program", sizes, kinds)
    return counts


#: Sizes for the files by hand.
BY_HAND = "seq key val emb hid head layer seq' emb' hid' vocab chans kernel chans'".split()


def measure_by_hand(turns: range) -> Counts:
    """Compare the files by hand, and changes of them."""
    counts = Counts()
    sizes = [{n: i for i, n in enumerate(BY_HAND, 2)} | {ABSENT: 3, "vocab": 5, "layer": 3}]
    sizes += [dict.fromkeys([*BY_HAND, ABSENT], k) for k in (4, 6)]
    for place, (key, text) in enumerate(SEEDS.items()):
        last = [s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef)][-1]
        calls = CALLS.get(key, [])
        compare(counts, "as drawn", HEAD + text, last.name, sizes, {}, calls)
        for turn in turns:
            for sort, changed in changes(HEAD + text, random.Random(1000 * place + turn)):
                compare(counts, f"{sort} of {key}", changed, last.name, sizes, {}, calls)
    return counts


def main() -> None:
    warnings.simplefilter("ignore")
    args = [a for a in sys.argv[1:] if a.isdigit()]
    first, last = (int(a) for a in (args or ("0", "100")))
    started = time.process_time()
    by_hand = "by-hand" in sys.argv
    counts = measure_by_hand(range(first, last)) if by_hand else measure(first, last)
    shown: Counter[str] = Counter()
    for kind, sort, said, text in counts.wrong:
        key = f"{kind} | {said.splitlines()[0].split(':')[0]}"
        shown[key] += 1
        if shown[key] <= (40 if kind == "miss" else 2) and "-q" not in sys.argv:
            print(f"--- {kind} | {sort} | {said[:300]}")
            print(text.removeprefix(HEAD))
    print(dict(counts.files), dict(counts.warned))
    for key, n in shown.most_common():
        print(f"{n:5} {key}")
    print(Counter(k for k, *_ in counts.wrong), f"{time.process_time() - started:.1f} s")


if __name__ == "__main__":
    main()
