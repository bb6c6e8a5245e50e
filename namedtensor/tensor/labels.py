"""Find what the caller calls an operand, for error messages only."""

from __future__ import annotations

import ast
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import Any

from namedtensor.errors import caller_frame, caller_variables, is_ours
from namedtensor.primitives.node import Node, noting
from namedtensor.primitives.origins import origin_of
from namedtensor.primitives.primitive import table

#: Gives an operand's words where an operation is read from a text, which has no variables.
operand_words: ContextVar[Callable[[Any], str | None] | None] = ContextVar(
    "operand_words", default=None
)


def letters() -> Iterator[str]:
    """Name operands in emitted code, and in messages where no variable holds them: A, ..., Z, A1, ..."""
    yield from "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from map("A{}".format, itertools.count(1))


def first_letters(count: int) -> tuple[str, ...]:
    """Give the names of this many operands."""
    return tuple(itertools.islice(letters(), count))


def caller_labels(operands: Sequence[Any]) -> tuple[str, ...]:
    """Give each operand the name of the caller's variable that holds it.

    Symbols that no variable holds are described by their expression, numbers by their digits,
    other temporaries by a free capital letter.
    """
    words = operand_words.get()
    scope = caller_variables() if words is None else {}
    labels: list[str] = []
    free = (w for w in letters() if w not in scope)
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            labels.append(repr(x))
            continue
        said = None if words is None else words(x)
        if said is not None:
            labels.append(said)
            continue
        held = [name for name, value in scope.items() if value is x and not name.startswith("_")]
        if held:
            labels.append(held[0])
        elif hasattr(x, "node"):
            labels.append(_as_written(x.node) or repr(x.node))
        else:
            labels.append(next(free))
    return tuple(labels)


def _as_written(node: Node) -> str:
    """Give the user's own expression for a part of a body that is being traced, or nothing."""
    table = noting.get()
    for place in table[node][-1:] if table is not None else ():
        return tight(" ".join(place.text.split()))
    return ""


def tight(text: str) -> str:
    """Write an expression so that it can be part of another: in parentheses, unless it is a name or a call.

    Text that Python cannot parse gives "".

    >>> tight("X + Y"), tight("nt.sum[seq](X)"), tight("a b")
    ('(X + Y)', 'nt.sum[seq](X)', '')
    """
    try:
        part = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    whole = isinstance(part, (ast.Name, ast.Call, ast.Subscript, ast.Attribute))
    return text if whole else f"({text})"


def holders(axes: Sequence[str], but: object) -> list[str]:
    """List the caller's variables that hold other tensors which have these axes."""
    return [
        name
        for name, value in caller_variables().items()
        if hasattr(type(value), "sizes")
        and value is not but
        and all(axis in value.axes for axis in axes)
    ]


def warn_caller(text: str) -> None:
    """Warn at the line of the user's code that called."""
    frame: FrameType | None = sys._getframe(1)
    depth = 2
    while frame is not None and is_ours(frame):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, stacklevel=depth - 1)


#: Comparisons that ask Python alone, and give a truth value.
_OF_PYTHON = (ast.In, ast.NotIn, ast.Is, ast.IsNot)


#: Functions of Python that compare what is in a list, by a number of each if one is given.
_BY_A_KEY = {function.__name__ for function in (max, min, sorted)}


def compared_by_python(X: Any) -> tuple[str, str]:
    """Give the call by which Python itself compares tensors, max(X, Y), and what to type instead."""
    frame = caller_frame()
    if frame is None or any([value is X for value in caller_variables().values()]):
        return "", ""
    text = " ".join(origin_of(frame.f_code, frame.f_lasti).text.split())
    try:
        part = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return "", ""
    match part:
        case ast.Call(func=ast.Name(id=word), args=[first, second]) if f"{word}imum" in table():
            pair = f"{ast.unparse(first)}, {ast.unparse(second)}"
            return text, f"`nt.{word}imum({pair})`"
        case ast.Call(func=ast.Name(id=word), args=[listed]) if word in _BY_A_KEY:
            key = "key=lambda X: nt.sum[...](X).item()"
            return text, f"compare a number of each: `{word}({ast.unparse(listed)}, {key})`"
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            said = f"any(one is {ast.unparse(left)} for one in {ast.unparse(right)})"
            return text, f"`{said if isinstance(part.ops[0], ast.In) else f'not {said}'}`"
        case ast.BoolOp(op=word, values=values):
            mark = " & " if isinstance(word, ast.And) else " | "
            return text, f"`{mark.join([f'({ast.unparse(value)})' for value in values])}`"
    return "", ""


def asked_of_truth(X: Any) -> str:
    """Write what the caller asks to be true or false, where it is a comparison that no name holds.

    0 < X < 1 asks twice, and is (0 < X) & (X < 1).
    """
    frame = caller_frame()
    if frame is None or any([value is X for value in caller_variables().values()]):
        return ""
    text = " ".join(origin_of(frame.f_code, frame.f_lasti).text.split())
    try:
        part = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(part, ast.Call) and len(part.args) == 1 and ast.unparse(part.func) == "bool":
        part = part.args[0]
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
        part = part.operand
    if not isinstance(part, ast.Compare) or any([isinstance(op, _OF_PYTHON) for op in part.ops]):
        return ""
    pairs = [
        ast.unparse(ast.Compare(left, [op], [right]))
        for left, op, right in zip(
            (part.left, *part.comparators), part.ops, part.comparators, strict=False
        )
    ]
    return pairs[0] if len(pairs) == 1 else " & ".join([f"({pair})" for pair in pairs])
