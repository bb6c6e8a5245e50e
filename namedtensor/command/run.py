"""Run a formula of a document on random or given numbers; show what goes in and what comes out."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any

from namedtensor.command.files import CommandError, add_preamble, document_of
from namedtensor.command.inputs import (
    DIGITS,
    MOST,
    all_sizes,
    as_arguments,
    cut,
    drawn,
    given_arrays,
    inputs_of,
    read_numbers,
    read_sizes,
    refuse_large,
)
from namedtensor.display.text import text
from namedtensor.errors import BackendError, nearest
from namedtensor.formula import Formula
from namedtensor.formula.shapes import largest
from namedtensor.tensor import SymbolicTensor
from namedtensor.tensor.resize import resize

NAME = "run"
HELP = "evaluate a formula of a document"
_MEMBER = re.compile(r"(.+)\[(\d{1,9})\]")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    parser.add_argument(
        "--name", required=True, metavar="F", help="what to evaluate: att, or LayerNorm[1]"
    )
    parser.add_argument(
        "--size",
        nargs="+",
        action="extend",
        default=[],
        metavar="AXIS=N",
        help="sizes of axes, as key=64 seq=5; others are small",
    )
    parser.add_argument(
        "--bind",
        nargs="+",
        action="extend",
        default=[],
        metavar="L=N",
        help="numbers of the document: lengths of what it writes with dots, as L=6; epsilon=1e-6",
    )
    parser.add_argument(
        "--set",
        metavar="FILE.npz",
        help="inputs by name, their axes as declared; the others are drawn at random",
    )
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="seed of random inputs (0)"
    )
    parser.add_argument(
        "--backend", choices=("numpy", "torch"), default="numpy", help="library that computes"
    )
    add_preamble(parser)


def seed(word: str) -> int:
    """Read --seed: a whole number, 0 or more.

    >>> seed("12")
    12
    """
    if not word.isdecimal() or len(word) > DIGITS:
        raise ArgumentTypeError(f"{cut(word)} is no whole number of at most {DIGITS} digits")
    return int(word)


def perform(given: Namespace) -> int:
    """Evaluate a formula and print its inputs and its result."""
    formula = chosen(given)
    values, result = evaluated(given, formula)
    for path, X in values.items():
        print(described(path, X), end="\n\n")
    parts = result if isinstance(result, tuple) else (result,)
    for place, part in enumerate(parts):
        print(described(called(formula) + (f"[{place}]" if len(parts) > 1 else ""), part))
    return 0


def chosen(given: Namespace) -> Formula:
    """Read the document, and find the formula that the user named."""
    document = document_of(given.file, given.preamble)
    numbers = read_numbers(given.bind)
    return member(document.bind(**numbers) if numbers else document, given.name)


def evaluated(given: Namespace, formula: Formula) -> tuple[dict[str, Any], Any]:
    """Evaluate a formula; give its inputs by their paths, and its result."""
    sizes = read_sizes(given.size)
    inputs = inputs_of(formula)
    if not inputs:
        return {}, by_indices(formula, sizes)
    ready = given_arrays(given.set, inputs) if given.set else {}
    values = drawn(inputs, ready, sizes, given.seed)
    most = largest(formula, as_arguments(values))
    if most > MOST:
        raise CommandError(
            f"{called(formula)} would compute a tensor of {most:,} numbers; a command computes at most "
            f"{MOST:,}: choose smaller sizes, --size seq=5"
        )
    if given.backend == "torch":
        values = {path: in_torch(X) for path, X in values.items()}
    return values, formula(**as_arguments(values))


def member(document: Any, name: str) -> Formula:
    """Find the formula that a document defines under a name; `f[1]` is a member of a family.

    Raises: CommandError where there is no such formula.
    """
    match = _MEMBER.fullmatch(name)
    stem = match[1] if match else name
    if stem not in document:
        guess = nearest(stem, document.names)
        hint = f"did you mean {guess}?" if guess else f"there are: {', '.join(document.names)}"
        raise CommandError(f"--name {cut(name)}: the document defines no {cut(stem)}; {hint}")
    found = document[stem]
    if isinstance(found, Formula):
        if match:
            raise CommandError(f"--name {cut(name)}: {stem} is a formula, and not a family of them")
        return found
    if not match:
        raise CommandError(f"--name {cut(name)}: {name} is a family; choose one of it: {name}[1]")
    one: Formula = found[int(match[2])]
    return one


def by_indices(formula: Formula, sizes: dict[str, int]) -> Any:
    """Give the tensor of a formula that has no inputs, with sizes for its axes."""
    (node,) = formula.written().results
    known = all_sizes(dict(node.type.axes), sizes)
    refuse_large(formula.name, known)
    return SymbolicTensor(resize(node, known), node.type.names)


def in_torch(X: Any) -> Any:
    """Move a tensor to torch.

    Raises: CommandError where torch is not installed.
    """
    try:
        return X.to("torch")
    except BackendError as error:
        raise CommandError(f"--backend torch: {error.why}: {error.hint}") from None


def called(formula: Formula) -> str:
    """Write f(X; W)."""
    before = [p.name for p in formula.signature.before if not p.setting]
    after = [p.name for p in formula.signature.after if not p.setting]
    semicolon = f"; {', '.join(after)}" if after else ""
    return f"{formula.name}({', '.join(before)}{semicolon})"


def described(name: str, X: Any) -> str:
    """Write a tensor with its name, its shape, and its numbers.

    >>> import namedtensor as nt
    >>> print(described("X", nt.tensor([1.0, 2.0], "seq")))
    X : seq[2], float64
    seq  0  1
         1  2
    """
    head, _, numbers = text(X).partition("\n")
    inner = head.removeprefix("NamedTensor(").removesuffix(")")
    return f"{name} : {inner}\n{numbers}" if numbers else f"{name} = {inner}"
