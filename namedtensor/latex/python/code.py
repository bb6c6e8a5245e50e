"""Write the code of plans as lines of Python, and break long lines inside brackets."""

from __future__ import annotations

from namedtensor.plans.code import (
    Apply,
    Attribute,
    Code,
    Infix,
    Items,
    Subscript,
    Word,
    bracketed,
    held,
    parts_of,
    printed,
)

WIDTH = 100
INDENT = "    "


def call(head: str, *items: Code, **named: Code) -> Code:
    """Write head(item, ..., name=item)."""
    return Apply(Word(head), items, tuple(named.items()))


def index(owner: Code, *items: Code) -> Code:
    """Write owner[item, ...]."""
    return Subscript(owner, items)


def is_word(code: Code) -> bool:
    """Say whether code is a name or a number."""
    return not parts_of(code)


def height(code: Code) -> int:
    """Say how deeply code is nested."""
    return max([1 + height(part) for part in parts_of(code)], default=0)


def statement(start: str, code: Code, indent: int = 1) -> list[str]:
    """Write `start` and code, on several lines if one would be too long.

    >>> print("\\n".join(statement("return ", call("f", Word("x" * 60), Word("y" * 60)), 0)))
    return f(
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,
        yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy,
    )
    """
    room = WIDTH - len(INDENT) * indent - len(start)
    fits = len(printed(code)) <= room or isinstance(code, (Apply, Subscript, Items))
    first, *rest = _broken(code, room) if fits else _between(code, room)
    return [INDENT * indent + line for line in (start + first, *rest)]


def _broken(code: Code, room: int, after: str = "") -> list[str]:
    """Write code that stands inside brackets, where a line may end anywhere."""
    text = printed(code)
    if len(text) + len(after) <= room or is_word(code):
        return [text + after]
    (first, loose), *others = bracketed(code)
    own = f"({printed(first)})" if loose else printed(first)
    match code:
        case Infix():
            return _chain(code, room, after)
        case Attribute(_, name):
            return _operand(first, loose, room, f".{name}{after}")
        case Apply(_, arguments, named):
            words = [*[""] * len(arguments), *[f"{word}=" for word, _ in named]]
            lines, brackets, comma = _operand(first, loose, room), "()", ","
        case Subscript(_, indices):
            words, brackets, comma = [""] * len(indices), "[]", "," if len(indices) > 1 else ""
            lines = _operand(first, loose, room)
        case Items(parts, brackets):
            words, others, lines, comma = [""] * len(parts), bracketed(code), [""], ","
        case _:  # a sign, or the head of a lambda
            sign = text.removesuffix(own)
            line, *rest = _operand(first, loose, room - len(sign), after)
            return [sign + line, *rest]
    tail = text.removeprefix(own) + after
    if len(lines) > 1 and len(lines[-1] + tail) <= room:
        return [*lines[:-1], lines[-1] + tail]
    lines[-1] += brackets[0]
    for place, (word, (part, _)) in enumerate(zip(words, others, strict=True), 1):
        end = "," if place < len(words) else comma
        line, *rest = _broken(part, room - len(INDENT) - len(word), end)
        lines += [INDENT + each for each in (word + line, *rest)]
    return [*lines, brackets[1] + after]


def _operand(code: Code, loose: bool, room: int, after: str = "") -> list[str]:
    """Write an operand; if it is `loose`, in brackets of its own."""
    text = f"({printed(code)}){after}"
    if not loose:
        return _broken(code, room, after)
    return [text] if len(text) <= room else _between(code, room, after)


def _between(code: Code, room: int, after: str = "") -> list[str]:
    """Write code on lines of its own between brackets."""
    return ["(", *[INDENT + line for line in _broken(code, room - len(INDENT))], f"){after}"]


def _chain(code: Infix, room: int, after: str) -> list[str]:
    """Write a chain such as a + b - c with each operator at the beginning of a line."""
    chain: list[tuple[str, Code, bool]] = []
    left: Code = code
    loose = False
    while isinstance(left, Infix) and not loose and held(left) == held(code):
        symbol = left.symbol
        (left, loose), *middle, (right, apart) = bracketed(left)
        signs = [symbol, *[f"{printed(part)} {symbol}" for part, _ in middle]]
        chain.append((" ".join(signs), right, apart))
    lines = _operand(left, loose, room)
    for sign, right, apart in reversed(chain):
        first, *rest = _operand(right, apart, room - len(sign) - 1)
        lines += [f"{sign} {first}", *rest]
    lines[-1] += after
    return lines
