"""Write parts of a formula as short plain text, for error messages."""

from __future__ import annotations

from collections.abc import Iterable

from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Contract,
    Derivative,
    Expression,
    Floor,
    Indexed,
    Is,
    Items,
    Letter,
    Number,
    Relation,
    Renaming,
    Root,
    Scripts,
    SizedAxis,
    Text,
    Unary,
    Under,
)

_SIGNS = {"odot": "*", "times": "*"}


def wording(expression: Expression, depth: int = 3) -> str:
    """Write a part of a formula as plain text; deeply nested parts become "...".

    >>> from namedtensor.latex.source import Span
    >>> at = Span(0, 0)
    >>> wording(Binary(at, "+", Scripts(at, Letter(at, "b"), sup=Number(at, 1)), Letter(at, "X")))
    'b^1 + X'
    """
    match expression:
        case Letter(text=text) | Text(text=text):
            return text
        case Number(value=value):
            return repr(value)
        case AxisName(name=name):
            return name
        case AxisSize(axis=axis):
            return f"|{axis.name}|"
        case Scripts():
            return _scripts(expression, max(depth - 1, 1))
    return _composed(expression, depth - 1) if depth > 0 else "..."


def _composed(part: Expression, depth: int) -> str:
    match part:
        case Indexed(base=base, items=items):
            listed = ", ".join(_item(i, depth) for i in items)
            return f"{_tight(base, depth)}_{{{listed}}}"
        case Contract(left=left, right=right, axes=axes):
            return f"{_tight(left, depth)} .{_under(axes)} {_tight(right, depth)}"
        case Binary(op=op, left=left, right=right):
            sign = _SIGNS.get(op, op)
            return f"{_operand(left, op, depth)} {sign} {_operand(right, op, depth)}"
        case Call(function=Letter(text="!"), arguments=(number,)):
            return f"{_tight(number, depth)}!"
        case Call(function=Letter(text="(!)"), arguments=(n, k)):
            return f"binom({wording(n, depth)}, {wording(k, depth)})"
        case Call(function=function, axes=axes, arguments=arguments, parameters=parameters):
            listed = ", ".join(wording(a, depth) for a in arguments)
            if parameters:
                listed += "; " + ", ".join(wording(p, depth) for p in parameters)
            return f"{wording(function, depth)}{_under(axes)}({listed})"
        case Big(op=op, axes=axes, lower=lower, body=body):
            over = _under(axes) if lower is None else f"_{{{wording(lower, depth)}}}"
            return f"{op}{over} {wording(body, depth)}"
        case Unary(op=op, operand=operand):
            return f"{op}{' ' if op.isalpha() else ''}{_tight(operand, depth)}"
        case Under(operand=operand):
            return wording(operand, depth + 1)
        case Root(operand=operand):
            return f"sqrt({wording(operand, depth)})"
        case Bars(operand=operand, double=double):
            bar = "||" if double else "|"
            return f"{bar}{wording(operand, depth)}{bar}"
        case Floor(op=op, operand=operand):
            return f"{op}({wording(operand, depth)})"
        case Relation(first=first, rest=rest):
            return " ".join([wording(first, depth), *[f"{o} {wording(x, depth)}" for o, x in rest]])
        case Is(subject=subject, what=what):
            return f"{wording(subject, depth)} {what}"
        case Derivative(of=of, by=by):
            below = "" if by is None else f"/d{_tight(by, depth)}"
            return f"d{_tight(of, depth)}{below}"
        case Items(parts=parts, bracket=bracket):
            closing = {"(": ")", "[": "]", "{": "}"}.get(bracket, "")
            return bracket + ", ".join(wording(p, depth) for p in parts) + closing
        case _:
            return type(part).__name__.lower()


def _scripts(name: Scripts, depth: int) -> str:
    text = _tight(name.base, depth) + "'" * name.primes
    for mark, script in (("_", name.sub), ("^", name.sup)):
        if script is not None:
            written = wording(script, depth)
            text += mark + (written if len(written) == 1 else f"{{{written}}}")
    return text


def _item(item: At | Renaming, depth: int) -> str:
    if isinstance(item, At):
        return f"{item.axis.name}({wording(item.at, depth)})"
    return f"{_side(item.before)} -> {_side(item.after)}"


def _side(axes: tuple[SizedAxis, ...]) -> str:
    names = ", ".join(a.axis.name for a in axes)
    return names if len(axes) == 1 else f"({names})"


def _under(axes: Iterable[AxisName]) -> str:
    names = ",".join(a.name for a in axes)
    return f"_{names}" if names else ""


def _tight(part: Expression, depth: int) -> str:
    """Write an operand, in parentheses if it is a sum, a product or the like."""
    text = wording(part, depth)
    loose = isinstance(part, (Binary, Contract, Unary, Big, Relation))
    return f"({text})" if loose and text != "..." else text


def _operand(part: Expression, op: str, depth: int) -> str:
    if isinstance(part, Binary) and op == "+" and part.op in ("+", "-", "*", "/"):
        return wording(part, depth)
    if isinstance(part, Contract) and op in ("+", "-"):
        return wording(part, depth)
    return _tight(part, depth)
