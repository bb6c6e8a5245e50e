"""Make a program that fails smaller, and write it as Python that can be pasted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.laws import programs
from tests.laws.agreement import Disagreement, Runs, by_definition, hold, written
from tests.laws.draft import Input, Known, Program, Step


def failure(program: Program, seed: int) -> Disagreement | None:
    """Try every way of a program; give how it fails, if it does."""
    try:
        hold(program, seed, every=True)
    except Disagreement as error:
        return error
    return None


def shrunk(program: Program, seed: int, kind: str, seconds: float = 30.0) -> Program:
    """Take away what a failure does not need: operations, inputs, axes, storage."""
    until = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in simpler(program):
            if time.monotonic() > until:
                return program
            try:
                error = failure(smaller, seed)
            except Exception:  # what was taken away was needed to write the program
                continue
            if error is not None and error.kind == kind:
                program, found = smaller, True
                break
    return program


def simpler(program: Program) -> Iterator[Program]:
    """List programs that are one thing simpler, the boldest first."""
    n = len(program.inputs)
    for result in program.results if len(program.results) > 1 else ():
        yield kept(program, [result])
    for step in reversed(program.steps):
        for value in step.operands:
            if value >= n and not program.faulty:
                yield kept(program, [value])
    for i in reversed(range(len(program.steps))):
        if (i + n) not in program.results:
            yield given(program, i)
    if program.inner is not None:
        yield replace(program, inner=None)
    if program.hidden:
        yield replace(program, hidden=frozenset())
    named = frozenset().union(*[step.named for step in program.steps])
    for axis in dict.fromkeys(a for X in program.inputs for a in X.axes):
        if axis not in named and "..." not in named:
            yield resized(program, axis, None)
            if any(X.sizes.get(axis, 1) != 1 for X in program.inputs):
                yield resized(program, axis, 1)
    for i, X in enumerate(program.inputs):
        for plainer in (replace(X, storage="plain"), replace(X, after=False), replace(X, seed=0)):
            if plainer != X:
                inputs = (*program.inputs[:i], plainer, *program.inputs[i + 1 :])
                yield in_order(replace(program, inputs=inputs))


def kept(program: Program, results: list[int]) -> Program:
    """Keep what these values need."""
    n = len(program.inputs)
    owners: list[Input | Step] = [*program.inputs, *program.steps]
    live = set(results)
    for i in range(len(owners) - 1, -1, -1):
        owner = owners[i]
        if i in live and isinstance(owner, Step):
            live.update(owner.operands)
    order = sorted(live)
    place = {old: new for new, old in enumerate(order)}
    steps = [
        replace(step, operands=tuple([place[v] for v in step.operands]))
        for i, step in enumerate(program.steps)
        if i + n in live
    ]
    inputs = tuple([X for i, X in enumerate(program.inputs) if i in live])
    axes = {a for X in inputs for a in X.axes}
    return replace(
        program,
        inputs=inputs,
        steps=tuple(steps),
        results=tuple([place[r] for r in results]),
        inner=None,
        hidden=program.hidden & axes,
    )


def given(program: Program, i: int) -> Program:
    """Give the program one of its values as an input, in place of computing it."""
    n = len(program.inputs)
    known = program.steps[i].known
    dtype = {"float": program.dtype, "int": "int64", "bool": "bool", "complex": "complex128"}[
        known.kind
    ]
    low, high = (-2, 2) if known.kind != "int" else (0, 1)
    X = Input(tuple(known.sizes), dict(known.sizes), dtype, low, high, i, "plain")
    moved = {v: v if v < n else v + 1 for v in range(n + len(program.steps))}
    moved[n + i] = n
    steps = [replace(s, operands=tuple([moved[v] for v in s.operands])) for s in program.steps]
    whole = replace(
        program,
        inputs=(*program.inputs, X),
        steps=tuple(steps),
        inner=None,
        results=tuple([moved[r] for r in program.results]),
    )
    return in_order(kept(whole, list(whole.results)))


def in_order(program: Program) -> Program:
    """Put parameters last, as a signature has them."""
    n = len(program.inputs)
    order = sorted(range(n), key=lambda i: program.inputs[i].after)
    place = {old: new for new, old in enumerate(order)}
    at = lambda v: place.get(v, v)
    return replace(
        program,
        inputs=tuple([program.inputs[i] for i in order]),
        steps=tuple([replace(s, operands=tuple(map(at, s.operands))) for s in program.steps]),
        results=tuple(map(at, program.results)),
    )


def resized(program: Program, axis: str, size: int | None) -> Program:
    """Give an axis that no operation names another size, or take it away."""

    def sizes(old: dict[str, int]) -> dict[str, int]:
        if size is not None:
            return {a: size if a == axis else n for a, n in old.items()}
        return {a: n for a, n in old.items() if a != axis}

    def known(old: Known) -> Known:
        return replace(old, sizes=sizes(old.sizes))

    inputs = [replace(X, axes=tuple(sizes(X.sizes)), sizes=sizes(X.sizes)) for X in program.inputs]
    steps = [replace(s, known=known(s.known)) for s in program.steps]
    return replace(
        program,
        inputs=tuple(inputs),
        steps=tuple(steps),
        hidden=program.hidden - ({axis} if size is None else set()),
    )


# ------------------------------------------------------------------------------------------ script


def script(program: Program, error: Disagreement) -> str:
    """Write a program with its numbers, and what to compare, as Python that runs as it stands."""
    runs = Runs(program, spread="gradient" in error.kind)
    names = [program.name(i) for i in range(len(program.inputs))]
    lines = [f"# {line}" for line in str(error).splitlines()]
    lines += [
        "import numpy as np",
        "import torch",
        "",
        "import namedtensor as nt",
        "from namedtensor import Axis as A",
        "from namedtensor import B, R, Z",
        "",
    ]
    for name, X, array in zip(names, program.inputs, runs.arrays, strict=True):
        lines.append(f"# {X.storage}, {X.dtype}")
        lines.append(f"{name} = {tensor_text(X, array)}")
    before = [name for name, X in zip(names, program.inputs, strict=True) if not X.after]
    after = [f"{name}={name}" for name, X in zip(names, program.inputs, strict=True) if X.after]
    call = ", ".join([*before, *after])
    lines += ["", "", written(program).rstrip(), "", ""]
    lines += [
        "def tried(way, run):",
        "    try:",
        "        print(way, run())",
        "    except Exception as error:",
        "        print(way, type(error).__name__, error)",
        "",
        "",
    ]
    there = ", ".join(
        [f'{n}.to("torch")' for n in before]
        + [f'{a.partition("=")[0]}={a.partition("=")[0]}.to("torch")' for a in after]
    )
    for library, arguments in (("numpy", call), ("torch", there)):
        lines.append(f'tried("eager {library}", lambda: program({arguments}))')
        for fuse in (True, False):
            lines.append(
                f'tried("formula on {library}, fuse={fuse}", '
                f"lambda: nt.formula(program, fuse={fuse})({arguments}))"
            )
    if not program.faulty:
        lines += ["", "# the definitions, with D = namedtensor.testing.definitions on records:"]
        lines += [f"# {line}" for line in by_definition(program).splitlines()]
    return "\n".join(lines) + "\n"


def tensor_text(X: Input, array: Any) -> str:
    """Write a named tensor with its numbers."""
    shape = f".reshape({array.shape})" if array.size == 0 else ""
    axes = ", ".join(map(repr, X.axes))
    numbers = str(array.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return (
        f"nt.tensor(np.array({numbers}, {str(array.dtype)!r}){shape}{', ' if axes else ''}{axes})"
    )


def report(seed: int, program: Program, error: Disagreement, seconds: float = 30.0) -> str:
    """Shrink a failure and write it down."""
    small = shrunk(program, seed, error.kind, seconds)
    found = failure(small, seed) or error
    sizes = f"{len(program.steps)} operations fails, and so does this one of {len(small.steps)}"
    head = f"program {seed} of {sizes}:"
    return f"{head}\n\n{script(small, found)}"


def find(seed: int) -> tuple[Program, Disagreement] | None:
    """Draw a program and try every way; give its failure."""
    program = programs.program(seed)
    error = failure(program, seed)
    return None if error is None else (program, error)
