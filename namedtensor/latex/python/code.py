"""Pieces of Python code: only the parentheses that are needed, and lines that are not too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH = 100
INDENT = "    "

# Python's binding powers, loosest first.
COMPARISON, OR, XOR, AND, SUM, PRODUCT, UNARY, POWER, POSTFIX = range(9)


@dataclass(frozen=True, slots=True)
class Atom:
    """What is never broken: a name, a number."""

    text: str
    level: int = POSTFIX
    height: int = 0

    @property
    def width(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Infix:
    """A symbol between two operands."""

    left: Code
    symbol: str
    right: Code
    level: int
    width: int = field(init=False)
    height: int = field(init=False)

    def __post_init__(self) -> None:
        _measure(self, self.left, self.right, more=len(self.symbol) + 2)


@dataclass(frozen=True, slots=True)
class Before:
    """Words before an operand: a sign, or the head of a lambda."""

    symbol: str
    operand: Code
    level: int
    width: int = field(init=False)
    height: int = field(init=False)

    def __post_init__(self) -> None:
        _measure(self, self.operand, more=len(self.symbol))


@dataclass(frozen=True, slots=True)
class Group:
    """Items in brackets after a head: a call, an index, or parentheses, whose head is empty."""

    head: Code
    brackets: str
    items: tuple[Code, ...]
    level: int = POSTFIX
    width: int = field(init=False)
    height: int = field(init=False)

    def __post_init__(self) -> None:
        _measure(self, self.head, *self.items, more=2 + 2 * max(0, len(self.items) - 1))


@dataclass(frozen=True, slots=True)
class After:
    """Words after an operand: the name of a method."""

    operand: Code
    text: str
    level: int = POSTFIX
    width: int = field(init=False)
    height: int = field(init=False)

    def __post_init__(self) -> None:
        _measure(self, self.operand, more=len(self.text))


Code = Atom | Infix | Before | After | Group
NOTHING = Atom("")


def _measure(code: Infix | Before | After | Group, *parts: Code, more: int) -> None:
    object.__setattr__(code, "width", sum(p.width for p in parts) + more)
    object.__setattr__(code, "height", 1 + max(p.height for p in parts))


# ------------------------------------------------------------------------------------- building


def wrapped(code: Code, level: int) -> Code:
    """Put parentheses around code that binds looser than its place asks for."""
    return code if code.level >= level else Group(NOTHING, "()", (code,))


def infix(left: Code, symbol: str, right: Code, level: int) -> Code:
    """Join two operands as Python reads them: from the left, but powers from the right.

    >>> a, b, c = map(Atom, "abc")
    >>> flat(infix(a, "-", infix(b, "-", c, SUM), SUM))
    'a - (b - c)'
    >>> flat(infix(infix(a, "**", b, POWER), "**", infix(b, "**", c, POWER), POWER))
    '(a ** b) ** b ** c'
    """
    if level == POWER:
        return Infix(wrapped(left, POSTFIX), symbol, wrapped(right, UNARY), level)
    # a < b < c is one comparison of three
    first = wrapped(left, level + 1 if level == COMPARISON else level)
    return Infix(first, symbol, wrapped(right, level + 1), level)


def contraction(left: Code, axes: str, right: Code) -> Code:
    """Write A @ ax @ B; a product on the left gets parentheses for the reader's sake."""
    plain = isinstance(left, Infix) and left.level == PRODUCT and left.symbol[0] != "@"
    first = Group(NOTHING, "()", (left,)) if plain else left
    return infix(first, f"@ {axes} @", right, PRODUCT)


def before(symbol: str, operand: Code) -> Code:
    """Write a sign before an operand."""
    return Before(symbol, wrapped(operand, POWER), UNARY)


def call(head: str, *items: Code) -> Code:
    """Write head(item, ...)."""
    return Group(Atom(head), "()", items)


def index(head: Code, *items: Code) -> Code:
    """Write head[item, ...]."""
    return Group(wrapped(head, POSTFIX), "[]", items)


def method(owner: Code, name: str, *items: Code) -> Code:
    """Write owner.name(item, ...)."""
    return Group(After(wrapped(owner, POSTFIX), f".{name}"), "()", items)


# ------------------------------------------------------------------------------------- writing


def flat(code: Code) -> str:
    """Write code on one line."""
    match code:
        case Atom(text=text):
            return text
        case Infix(left=left, symbol=symbol, right=right):
            return f"{flat(left)} {symbol} {flat(right)}"
        case Before(symbol=symbol, operand=operand):
            return f"{symbol}{flat(operand)}"
        case After(operand=operand, text=text):
            return f"{flat(operand)}{text}"
        case Group(head=head, brackets=brackets, items=items):
            return f"{flat(head)}{brackets[0]}{', '.join(map(flat, items))}{brackets[1]}"


def statement(start: str, code: Code, indent: int = 1) -> list[str]:
    """Write `start` and code, over several lines where one is too long.

    >>> print("\\n".join(statement("return ", call("f", Atom("x" * 60), Atom("y" * 60)), 0)))
    return f(
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,
        yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy,
    )
    """
    room = WIDTH - len(INDENT) * indent
    if len(start) + code.width > room and not isinstance(code, Group):
        code = Group(NOTHING, "()", (code,))
    first, *rest = _broken(code, room - len(start))
    return [INDENT * indent + line for line in (start + first, *rest)]


def _broken(code: Code, room: int, after: str = "") -> list[str]:
    """Write code inside of brackets, where a line may end anywhere."""
    if code.width + len(after) <= room or isinstance(code, Atom):
        return [flat(code) + after]
    if isinstance(code, Before):
        first, *rest = _broken(code.operand, room - len(code.symbol), after)
        return [code.symbol + first, *rest]
    if isinstance(code, After):
        return _broken(code.operand, room, code.text + after)
    if isinstance(code, Infix):
        return _broken_chain(code, room, after)
    lines = _broken(code.head, room) if code.head is not NOTHING else [""]
    tail = flat(Group(NOTHING, code.brackets, code.items)) + after
    if len(lines) > 1 and len(lines[-1]) + len(tail) <= room:
        return [*lines[:-1], lines[-1] + tail]
    lines[-1] += code.brackets[0]
    lines += [INDENT + line for line in _items(code, room - len(INDENT))]
    return [*lines, code.brackets[1] + after]


def _broken_chain(code: Infix, room: int, after: str) -> list[str]:
    """Begin a line with each operator of one chain, such as a + b - c."""
    chain: list[tuple[str, Code]] = []
    left: Code = code
    while isinstance(left, Infix) and left.level == code.level != POWER:
        chain.append((left.symbol, left.right))
        left = left.left
    if code.level == POWER:
        chain, left = [(code.symbol, code.right)], code.left
    lines = _broken(left, room)
    for symbol, operand in reversed(chain):
        first, *rest = _broken(operand, room - len(symbol) - 1)
        lines += [f"{symbol} {first}", *rest]
    lines[-1] += after
    return lines


def _items(code: Group, room: int) -> Sequence[str]:
    """Give each item its line; a comma after the last one where it makes no tuple of a single item."""
    last = (
        "," if len(code.items) > 1 or (code.head is not NOTHING and code.brackets == "()") else ""
    )
    ends = [*[","] * (len(code.items) - 1), last]
    return [
        line
        for item, end in zip(code.items, ends, strict=False)
        for line in _broken(item, room, end)
    ]
