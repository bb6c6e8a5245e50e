"""How an operation is written in LaTeX, as data: printers read it one way, readers the other.

| Notation | Prints | Operations |
|---|---|---|
| `Word("ReLU")` | `\\text{ReLU}(X)`, `\\nfun{\\name{seq}}{softmax} X` | functions with an upright name |
| `Command("exp")` | `\\exp X` | functions that LaTeX has a command for |
| `Infix("+", SUM)` | `X + Y` | operators between two operands |
| `Before("-", MINUS)` | `-X` | operators before one |
| `Large("sum")` | `\\nsum{\\name{seq}} X`, `\\sum_{\\text{seq}} X` | operators that reach over a product |
| `Special("frac")` | as its printer decides | forms of their own: fractions, roots, indices |
| `Unwritten(...)` | nothing | kernels, which no formula is written with |
"""

from __future__ import annotations

from dataclasses import dataclass

#: How tightly a form holds together, to readers and writers: what is looser than its place has parentheses.
OR, AND, NOT, RELATION, CUP, SUM, REACH, DOT, MINUS, PREFIX, FUNCTION, JUXTAPOSED, SCRIPT, ATOM = (
    range(14)
)


@dataclass(frozen=True, slots=True)
class Word:
    """An upright word before its operands, the operation's axes under it.

    `also` are other words for the same operation, which are read and never printed. `otherwise` is
    the word where the operation's last parameter is true, which Python says by `flag`. With `sized`
    the last operand is the size of the last axis: \\nfun{\\name{seq} \\\\ \\name{k}}{maxk}(X, 5) is
    maxk[seq, k[5]](X). Operands after that size are Python's `settings`.
    """

    word: str
    also: tuple[str, ...] = ()
    otherwise: str = ""
    flag: str = "descending"
    sized: bool = False
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A function that LaTeX has a command for; the word without its backslash."""

    word: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Infix:
    """A sign between two operands, as LaTeX writes it. Operands of `+`, `-` and dots group to the left."""

    sign: str
    level: int
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Before:
    """A sign before its operand."""

    sign: str
    level: int


@dataclass(frozen=True, slots=True)
class Large:
    """An operator that reaches over the product after it: sum, prod."""

    word: str


@dataclass(frozen=True, slots=True)
class Special:
    """A form of its own, known by name to who prints and to who reads; `word` is what it begins with."""

    form: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class Unwritten:
    """No form: `why` says who makes the operation instead."""

    why: str


Notation = Word | Command | Infix | Before | Large | Special | Unwritten

#: The notation of what the rewriter puts in place of a formula's parts.
KERNEL = Unwritten("a kernel takes the place of parts of a formula when it runs")
