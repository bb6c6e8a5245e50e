"""Hold the reader to what drawn documents say, and count what it makes of them."""

from __future__ import annotations

import random
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor.latex import read
from tests.laws.papers.drawing import COUNTS, LETTERS, drawn
from tests.laws.papers.tree import (
    Along,
    Block,
    Declare,
    Define,
    Elements,
    Evaluator,
    Expr,
    Frame,
    Layer,
    Layers,
    Letter,
    Paper,
    Section,
    Value,
    Wrong,
    parts,
)
from tests.laws.papers.writing import written


class Failure(Exception):
    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind


def numbers(
    paper: Paper, name: str, axes: tuple[str, ...], extra: dict[str, int] | None = None
) -> Any:
    """Give the data of a letter: the same for a name and its axes, whatever their order."""
    order = sorted(axes)
    sizes = {**paper.sizes, **(extra or {})}
    seed = zlib.crc32(f"{name} {order}".encode())
    array = np.random.default_rng(seed).uniform(-1, 1, [sizes[a] for a in order])
    return np.transpose(array, [order.index(a) for a in axes]) if axes else np.float64(array)


def functions(paper: Paper) -> Iterator[tuple[Define, Block, Section]]:
    for section in paper.sections:
        for block in section.blocks:
            for s in block.statements:
                if isinstance(s, Define) and s.arguments is not None:
                    yield s, block, section


def given(definition: Define, paper: Paper) -> list[frozenset[str]]:
    """Give the axes on which a function is called: those of the letters, for what is not declared."""
    inner = frozenset().union(*[g or frozenset() for g in definition.given])
    for p in parts(definition.body):
        if isinstance(p, Expr):
            inner |= p.axes
    return [inner if g is None else g for g in definition.given]


def parameter(name: str) -> str:
    return {"lambda": "lambda_"}.get(name, name.replace("^", ""))


def shuffled(paper: Paper, seed: int) -> Paper:
    """Put the blocks of each section in another order, and the rows of each display."""
    r = random.Random(seed)
    sections: dict[int, Section] = {}
    for old in paper.sections:
        blocks = []
        for block in old.blocks:
            rows = list(block.statements)
            if block.style != "where":
                r.shuffle(rows)
            blocks.append(Block(rows, block.style))
        r.shuffle(blocks)
        around = sections[id(old.around)] if old.around else None
        sections[id(old)] = Section(old.level, old.title, blocks, around)
    return replace(paper, sections=list(sections.values()))


def relettered(paper: Paper, seed: int) -> Paper:
    """Write other letters for all letters, each for one."""
    r = random.Random(seed)
    used = {
        x
        for p in parts([s.blocks for s in paper.sections])
        for x in (
            [p.name]
            if isinstance(p, (Letter, Layer, Along, Layers, Elements, Define))
            else p.letters
            if isinstance(p, Declare)
            else ()
        )
    }
    used |= {x for f, _, _ in functions(paper) for x in f.arguments or ()}
    plain = sorted(x for x in used if x in LETTERS and not any(y.startswith(x + "^") for y in used))
    new = [x for x in LETTERS if x not in used or x in plain]
    return replace(paper, rename=dict(zip(plain, r.sample(new, len(plain)), strict=True)))


def expected(
    paper: Paper, found: tuple[Define, Block, Section], extra: int | None = None
) -> tuple[Value, dict[str, Value], dict[str, set[frozenset[str]]]]:
    """Give what a function gives on the drawn data, the data, and the letters that it asked for.

    The argument of number `extra` has an axis `more` besides its own.
    """
    definition = found[0]
    evaluator = Evaluator(paper, lambda name, axes: numbers(paper, name, axes))
    arguments = {}
    for k, (name, axes) in enumerate(
        zip(definition.arguments or (), given(definition, paper), strict=True)
    ):
        if k == extra:
            order = ("more", *sorted(axes))
            arguments[name] = Value(order, numbers(paper, name, order, {"more": 2}))
        elif name in COUNTS and not axes:
            arguments[name] = Value((), np.float64(2))
        else:
            order = tuple(sorted(axes))
            arguments[name] = Value(order, numbers(paper, name, order))
    with np.errstate(all="ignore"):
        value = evaluator.call(found, list(arguments.values()), {})
    return value, arguments, evaluator.asked


def tensor(v: Value, backend: str = "numpy") -> Any:
    if not v.axes:
        return float(v.array)
    found = nt.tensor(np.ascontiguousarray(v.array), " ".join(v.axes))
    return found if backend == "numpy" else found.to(backend)


def compare(result: Any, value: Value, kind: str, what: str) -> None:
    axes = value.axes
    if not isinstance(result, nt.NamedTensor):
        result = nt.tensor(result)
    if "lifted" in kind and set(result.axes) < set(axes):  # the same for all records
        shape = [
            n for a, n in zip(axes, np.shape(value.array), strict=True) if a not in result.axes
        ]
        rest = [a for a in axes if a not in result.axes]
        result = result + nt.tensor(np.zeros(shape), " ".join(rest))
    if set(result.axes) != set(axes):
        raise Failure(f"{kind}: axes", f"{what}: {result.shape} for {axes}")
    array = np.asarray(result.to("numpy").numpy(*axes) if axes else result.numpy(), dtype=float)
    if not np.allclose(array, value.array, rtol=1e-6, atol=1e-8, equal_nan=True):
        raise Failure(kind, f"{what}: {array!r}\nfor {value.array!r}")


def call(
    formula: Any,
    arguments: dict[str, Value],
    asked: dict[str, set[frozenset[str]]],
    paper: Paper,
    what: str,
    backend: str = "numpy",
) -> Any:
    names = [p.name for p in formula.signature.parameters]

    def spelled(n: str) -> str:
        return parameter(paper.rename.get(n, n))

    values: dict[str, Any] = {spelled(n): tensor(v, backend) for n, v in arguments.items()}
    for name, spaces in asked.items():
        if len(spaces) == 1:
            order = tuple(sorted(next(iter(spaces))))
            values.setdefault(
                spelled(name), tensor(Value(order, numbers(paper, name, order)), backend)
            )
    for name in {n.partition("^")[0] for n in asked}:
        if spelled(name) in values:
            continue
        members = sorted(
            n for n in asked if n.startswith(name + "^")
        )  # of a family, one on the other
        if not members:
            continue
        order = tuple(sorted(next(iter(asked[members[0]]))))
        values[spelled(name)] = tensor(
            Value(("l", *order), np.stack([numbers(paper, n, order) for n in members])), backend
        )
    for section in paper.sections:  # what no number asked for
        for p in parts(section.blocks):
            for name in p.letters if isinstance(p, Declare) and not p.family else ():
                if spelled(name) in names:
                    order = tuple(sorted(p.axes))
                    known = tensor(Value(order, numbers(paper, name, order)), backend)
                    values.setdefault(spelled(name), known)
    unknown = set(names) - set(values)
    missing = {spelled(n) for n in arguments} - set(names)
    if unknown or missing:
        raise Failure(
            "signature",
            f"{what}: asks for {sorted(unknown)}, does not take {sorted(missing)}: {formula!r}",
        )
    return formula(**{n: values[n] for n in names})


def known(paper: Paper) -> None:
    """Raise Failure where a letter is neither declared nor defined."""
    evaluator = Evaluator(paper, lambda name, axes: None)
    for section in paper.sections:
        for block in section.blocks:
            own = {
                s.name: set(s.arguments or ()) for s in block.statements if isinstance(s, Define)
            }
            open_ = {
                x
                for s in block.statements
                if isinstance(s, Define)
                for x, g in zip(s.arguments or (), s.given, strict=True)
                if g is None or x in COUNTS or s.arrow
            }
            needed = [Letter(x, frozenset()) for names in own.values() for x in names]
            for p in [*parts(block.statements), *needed]:
                if isinstance(p, (Letter, Layer)) and p.name not in open_:
                    try:
                        evaluator.find(p.name, Frame({}, block, section))
                    except Wrong as error:
                        raise Failure("drawn wrongly", str(error)) from error


def kind_of(said: str) -> str:
    """Give the code of a finding, or the words of a message that name no letter and no axis."""
    line = said.splitlines()[0]
    code = re.search(r"(?:error|warning)\[([a-z-]+)\]", line)
    if code and code[1] != "refused":
        return code[1]
    words = line.rpartition("]: ")[2].split()
    return " ".join(w.strip(",:") for w in words if re.fullmatch("[a-z]{2,},?:?", w))[:50]


#: One in so many documents is also printed, and written as Python.
OFTEN = 10

VARIANTS = ("as drawn", "shuffled", "relettered")


def hold(seed: int, variant: str = "as drawn") -> list[str]:
    """Raise Failure unless the document of this number is read as it says."""
    return hold_paper(varied(drawn(seed), variant, seed), seed)


def varied(paper: Paper, variant: str, seed: int) -> Paper:
    if variant == "shuffled":
        return shuffled(paper, seed)
    return relettered(paper, seed) if variant == "relettered" else paper


def hold_paper(paper: Paper, seed: int, backend: str = "numpy") -> list[str]:
    text = written(paper, seed)
    known(paper)
    tried = []
    wanted = []
    for found in functions(paper):
        for extra in (None, seed % len(found[0].arguments or ())):
            if extra is not None and found[0].given[extra] is None:
                continue
            try:
                wanted.append((found, extra, *expected(paper, found, extra)))
            except Wrong as error:
                raise Failure("drawn wrongly", f"{found[0].name}: {error}") from error
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        host = f"paper.{paper.host}"
        try:
            document = read(text, host)
            findings = [*document.findings, *document.check()]
        except nt.NamedTensorError as error:
            raise Failure(f"refused: reading, {kind_of(str(error))}", str(error)) from error
        for severity in ("error", "warning"):
            for f in findings:
                if f.severity == severity:
                    raise Failure(f"false {severity}: {f.code}", str(f))
        whole = document.bind(L=paper.length) if "L" in text and any_layers(paper) else document
        for found, extra, value, arguments, asked in wanted:
            what = found[0].name + (
                "" if extra is None else f", {found[0].arguments[extra]} with more"
            )
            key = parameter(paper.rename.get(found[0].name, found[0].name))
            try:
                formula = whole[key]
            except nt.NamedTensorError as error:
                raise Failure(
                    f"refused: {type(error).__name__}: {kind_of(str(error))}", f"{what}: {error}"
                ) from error
            kind = "wrong numbers" if extra is None else "wrong numbers, lifted"
            try:
                result = call(formula, arguments, asked, paper, what, backend)
            except nt.NamedTensorError as error:
                lifted = "lifted " if extra is not None else ""
                raise Failure(
                    f"refused: {lifted}{type(error).__name__}: {kind_of(str(error))}",
                    f"{what}: {error}",
                ) from error
            compare(result, value, kind, what)
            tried.append("function")
        if seed % OFTEN == 0:
            tried += again(whole, paper, wanted, text)
    return tried


def any_layers(paper: Paper) -> bool:
    return any(
        isinstance(p, Layers) and p.last == "L" for s in paper.sections for p in parts(s.blocks)
    )


def again(document: Any, paper: Paper, wanted: list[Any], text: str) -> list[str]:
    """Hold a document's Python, and each formula as it is printed, to the same numbers."""
    module: dict[str, Any] = {"__name__": "printed"}
    try:
        source = document.python()
        exec(compile(source, "<written>", "exec"), module)
    except Exception as error:
        raise Failure(
            f"python: {type(error).__name__}: {kind_of(str(error))}", f"{error}"
        ) from error
    tried = []
    for found, extra, value, arguments, asked in wanted:
        if extra is not None:
            continue
        name = found[0].name
        key = parameter(paper.rename.get(name, name))
        ways = {"python": lambda: module[key]}
        for dialect in ("underset", "macros"):
            ways[dialect] = lambda dialect=dialect: read(document[key].latex(dialect))[key]
        for way, make in ways.items():
            try:
                result = call(make(), arguments, asked, paper, name)
            except Failure as error:
                raise Failure(f"{way}: {error.kind}", str(error)) from error
            except Exception as error:
                said = "" if way == "python" else "\n" + document[key].latex(way)
                raise Failure(
                    f"{way}: {type(error).__name__}: {kind_of(str(error))}",
                    f"{name}: {error}{said}",
                ) from error
            compare(
                result,
                value,
                f"{way}: wrong numbers",
                name + "\n" + (source if way == "python" else document[key].latex(way)),
            )
            tried.append(way)
    return tried
