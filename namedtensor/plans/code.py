"""Positional code as data: expressions, the steps that name them, functions. Source is printed from it last.

Lowerings make expressions, and an emitter gathers them as steps. What changes code, such as the reuse
of memory, makes new data from data; nothing reads printed source.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.axes import shown
from namedtensor.primitives import Node, Type

# ------------------------------------------------------------------------------------ expressions


@dataclass(frozen=True, slots=True)
class Name:
    """A local: an argument, a size, or what a step computed."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """A function or module that the code takes from outside, such as a word of the vocabulary."""

    word: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a truth value, a text or None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Attribute:
    """owner.name"""

    owner: Code
    name: str


@dataclass(frozen=True, slots=True)
class Subscript:
    """owner[i, j]"""

    owner: Code
    indices: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """function(x, y, named=z)"""

    function: Code
    arguments: tuple[Code, ...]
    named: tuple[tuple[str, Code], ...] = ()


@dataclass(frozen=True, slots=True)
class Infix:
    """x * y, or of more operands x * y * z"""

    symbol: str
    operands: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """-x"""

    symbol: str
    operand: Code


@dataclass(frozen=True, slots=True)
class Lambda:
    """lambda x, y: body"""

    parameters: tuple[str, ...]
    body: Code


@dataclass(frozen=True, slots=True)
class Items:
    """(x, y), or a list [x, y]"""

    parts: tuple[Code, ...]
    brackets: str = "()"


Code = Name | Word | Literal | Attribute | Subscript | Apply | Infix | Prefix | Lambda | Items
_CODE = (Name, Word, Literal, Attribute, Subscript, Apply, Infix, Prefix, Lambda, Items)


@dataclass(frozen=True, slots=True)
class Value:
    """Positional data in a plan: its expression, its axes in storage order, its type."""

    code: Code
    axes: tuple[str, ...]
    type: Type

    @property
    def strong(self) -> bool:
        return not (self.type.weak or self.type.host)

    def place(self, axis: str) -> int:
        return self.axes.index(axis)

    def places(self, axes: Iterable[str]) -> tuple[int, ...]:
        return tuple([self.axes.index(a) for a in axes])


def code_of(x: Any) -> Code:
    """Give the expression of a value, or of Python's own numbers, texts, tuples and lists."""
    if isinstance(x, Value):
        return x.code
    if isinstance(x, _CODE):
        return x
    if isinstance(x, (tuple, list)):
        return Items(tuple([code_of(part) for part in x]), "()" if isinstance(x, tuple) else "[]")
    return Literal(x)


#: The expressions directly inside an expression, by its class; what is not here has none.
_PARTS: dict[type, Callable[[Any], tuple[Code, ...]]] = {
    Attribute: lambda code: (code.owner,),
    Subscript: lambda code: (code.owner, *code.indices),
    Apply: lambda code: (code.function, *code.arguments, *[part for _, part in code.named]),
    Infix: lambda code: code.operands,
    Prefix: lambda code: (code.operand,),
    Lambda: lambda code: (code.body,),
    Items: lambda code: code.parts,
}


def parts_of(code: Code) -> tuple[Code, ...]:
    """Give the expressions directly inside an expression."""
    parts = _PARTS.get(type(code))
    return parts(code) if parts else ()


def leaves_of(code: Code) -> list[Code]:
    """List the names, words and literals of an expression from left to right, with repetitions."""
    found: list[Code] = []
    waiting = [code]
    while waiting:
        code = waiting.pop()
        parts = _PARTS.get(type(code))
        inside = parts(code) if parts else ()
        if inside:
            waiting += reversed(inside)
        else:
            found.append(code)
    return found


def names_in(codes: Iterable[Code]) -> list[str]:
    """List the locals that expressions read, with repetitions."""
    return [leaf.name for code in codes for leaf in leaves_of(code) if isinstance(leaf, Name)]


def with_parts(code: Code, parts: Sequence[Code]) -> Code:
    """Replace the expressions directly inside an expression, in the order of parts_of."""
    match code:
        case Attribute(_, name):
            return Attribute(parts[0], name)
        case Subscript():
            return Subscript(parts[0], tuple(parts[1:]))
        case Apply(_, arguments, named):
            count = len(arguments) + 1
            pairs = zip([word for word, _ in named], parts[count:], strict=True)
            return Apply(parts[0], tuple(parts[1:count]), tuple(pairs))
        case Infix(symbol, _):
            return Infix(symbol, tuple(parts))
        case Prefix(symbol, _):
            return Prefix(symbol, parts[0])
        case Lambda(parameters, _):
            return Lambda(parameters, parts[0])
        case Items(_, brackets):
            return Items(tuple(parts), brackets)
    return code


def replaced(code: Code, given: Mapping[str, Code]) -> Code:
    """Substitute expressions for locals."""
    if isinstance(code, Name):
        return given.get(code.name, code)
    return with_parts(code, [replaced(part, given) for part in parts_of(code)])


# ------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Step:
    """Compute an expression and name the result, which has these axes in storage order.

    `type` is None if the result is neither a tensor nor a number of the formula. `node` is the part of the
    tree that the step computes; one part may need several steps.
    """

    name: str
    code: Code
    axes: tuple[str, ...] = ()
    type: Type | None = None
    node: Node | None = None

    @property
    def word(self) -> str:
        """The function or operator that gives the result; "" where the step only names something."""
        match self.code:
            case Apply(Word(word) | Name(word), _, _) | Apply(Attribute(_, word), _, _):
                return word
            case Infix(symbol, _) | Prefix(symbol, _):
                return symbol
        return ""

    @property
    def operands(self) -> tuple[str, ...]:
        """The locals that the step reads, each once, in order."""
        return tuple(dict.fromkeys(names_in([self.code])))

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The sizes of the axes: numbers, or symbols that the code reads when it runs."""
        return () if self.type is None else tuple([self.type.size(a) for a in self.axes])


@dataclass(frozen=True, slots=True)
class Sizes:
    """Read an array's sizes into locals; None for a size that is not needed."""

    owner: Code
    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """Stop the call unless these tests are true."""

    tests: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """Return values."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function: of a plan, of sizes alone (`kept` for the next call), or of single indices.

    `tells` says whether the axes of results are printed beside the code.
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    kept: bool = False
    tells: bool = True


@dataclass(frozen=True, slots=True)
class Loop:
    """Run some statements for each element of an expression's value."""

    name: str
    over: Code
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Delete locals that are not read again."""

    names: tuple[str, ...]


Statement = Step | Sizes | Guard | Return | Function | Loop | Release


def codes_in(body: Iterable[Statement]) -> Iterator[Code]:
    """Give every expression of some statements."""
    for statement in body:
        match statement:
            case Step():
                yield statement.code
            case Sizes():
                yield statement.owner
            case Guard():
                yield Word("mismatch")
                yield from statement.tests
            case Return():
                yield from [value.code for value in statement.values]
            case Loop():
                yield statement.over
                yield from codes_in(statement.body)
            case Function():
                if statement.kept:
                    yield Word("kept")
                yield from codes_in(statement.body)


def words_in(body: Iterable[Statement]) -> list[str]:
    """List the words from outside that some statements use, each once, in order."""
    leaves = [leaf for code in codes_in(body) for leaf in leaves_of(code)]
    return list(dict.fromkeys([leaf.word for leaf in leaves if isinstance(leaf, Word)]))


# --------------------------------------------------------------------------------------- printing

#: The precedence of operators, as in Python.
_HOLDS = {
    "and": 1,
    **dict.fromkeys(["==", "!=", "<", "<=", ">", ">="], 2),
    "|": 3,
    "^": 4,
    "&": 5,
    **dict.fromkeys(["+", "-"], 6),
    **dict.fromkeys(["*", "/", "//", "%", "@"], 7),
    "**": 9,
}
_POWER, _SIGN, _ATOM = 9, 8, 10


def held(code: Code) -> int:
    """Give the precedence of an expression's outermost operator."""
    match code:
        case Infix(symbol, _):
            return _HOLDS[symbol]
        case Prefix() | Lambda():
            return _SIGN
        case Literal() | Word():
            return _SIGN if printed(code).startswith("-") else _ATOM
    return _ATOM


def bracketed(code: Code) -> list[tuple[Code, bool]]:
    """Give the expressions directly inside an expression, and which of them stand in brackets of their own.

    An expression of lower precedence than its operator needs gets brackets; powers group to the right, and
    comparisons are not chained. A product that is contracted gets brackets for readability.
    """
    parts = parts_of(code)
    least = [0] * len(parts)
    match code:
        case Infix(symbol, (first, *others)):
            own = _HOLDS[symbol]
            left, right = (own + 1, own - 1) if own == _POWER else (own + (own == 2), own + 1)
            least = [left, *[right] * len(others)]
            if symbol == "@" and isinstance(first, Infix) and first.symbol != "@":
                least[0] = own + 1
        case Prefix():
            least = [_SIGN + 1]
        case Attribute() | Subscript() | Apply():
            least[0] = _ATOM
    return [(part, held(part) < own) for part, own in zip(parts, least, strict=True)]


def printed(code: Code) -> str:
    """Print an expression as Python."""
    match code:
        case Name(text) | Word(text):
            return text
        case Literal(slice() as part):
            return f"{part.start or ''}:{part.stop or ''}"
        case Literal(value):
            text = repr(value)
            finite = not isinstance(value, float) or re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text)
            return text if finite else f"float('{text}')"
    texts = [f"({printed(part)})" if loose else printed(part) for part, loose in bracketed(code)]
    match code:
        case Attribute(_, name):
            return f"{texts[0]}.{name}"
        case Subscript():
            return f"{texts[0]}[{', '.join(texts[1:])}]"
        case Apply(_, arguments, named):
            words = [*[""] * len(arguments), *[f"{word}=" for word, _ in named]]
            return f"{texts[0]}({', '.join(map(operator.add, words, texts[1:]))})"
        case Infix(symbol, _):
            return f" {symbol} ".join(texts)
        case Prefix(symbol, _):
            return f"{symbol}{texts[0]}"
        case Lambda(parameters, _):
            return f"lambda {', '.join(parameters)}: {texts[0]}"
        case Items(parts, brackets):
            comma = "," if len(parts) == 1 and brackets == "()" else ""
            return f"{brackets[0]}{', '.join(texts)}{comma}{brackets[1]}"
    raise TypeError(f"{code!r} is no expression")


def print_functions(functions: Sequence[Function]) -> str:
    """Print functions one after the other."""
    return "\n".join(["\n".join([*_lines(function, True), ""]) for function in functions])


def _lines(statement: Statement, tells: bool) -> list[str]:
    match statement:
        case Step(name, code, axes, type_):
            return [f"{name} = {printed(code)}{_comment([(axes, type_)], tells)}"]
        case Sizes(owner, names):
            needed = [(i, name) for i, name in enumerate(names) if name is not None]
            if len(needed) == 1:
                ((place, name),) = needed
                return [f"{name} = {printed(owner)}.shape[{place}]"]
            return [f"{', '.join([name or '_' for name in names])} = {printed(owner)}.shape"]
        case Guard(tests):
            return [f"if not ({printed(Infix('and', tests))}):", "    mismatch()"]
        case Return(values):
            comment = _comment([(v.axes, v.type) for v in values], tells)
            return [f"return {', '.join([printed(v.code) for v in values])}{comment}"]
        case Release(names):
            return [f"del {', '.join(names)}"]
        case Loop(name, over, body):
            lines = [line for s in body for line in _lines(s, tells)]
            return [f"for {name} in {printed(over)}:", *["    " + line for line in lines]]
        case Function(name, parameters, body):
            head = ["@kept"] if statement.kept else []
            head.append(f"def {name}({', '.join(parameters)}):")
            lines = [line for s in _with_last(body) for line in _lines(s, statement.tells)]
            return [*head, *["    " + line for line in lines]]


def _with_last(body: Sequence[Statement]) -> Sequence[Statement]:
    """Return the value of the last step directly, without a name."""
    match body:
        case [*rest, Step() as step, Return((Value(Name(name), axes, type_),))] if (
            name == step.name
        ):
            return [*rest, Return((Value(step.code, axes, type_),))]
    return body


def _comment(results: Sequence[tuple[tuple[str, ...], Type | None]], tells: bool) -> str:
    """Print the axes of results as a comment; Python numbers need none."""
    if not tells or all(type_ is None or type_.host for _, type_ in results):
        return ""
    return "  # " + "; ".join([" ".join(map(shown, axes)) or "one number" for axes, _ in results])
