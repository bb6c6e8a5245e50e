"""What kind of statement a piece of mathematics is: a declaration, a definition, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from namedtensor.latex import words
from namedtensor.latex.faults import Fault
from namedtensor.latex.parser import Parser
from namedtensor.latex.pieces import Piece, pieces_of
from namedtensor.latex.rows import DOTS, RELATIONS, WIDE, outer
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Call,
    Constraint,
    Declaration,
    Definition,
    Dots,
    Expression,
    Indexed,
    Induction,
    Items,
    Letter,
    Relation,
    Scripts,
    Signature,
    Space,
    Statement,
)
from namedtensor.latex.tokens import Token

DEFINING = {"=": "=", ":=": "=", "<-": "<-"}


class Found:
    """A statement, and what its reader noticed on the way."""

    __slots__ = ("named", "positional", "statement")

    def __init__(self, statement: Statement, named: bool, positional: bool) -> None:
        self.statement = statement
        self.named = named
        self.positional = positional


def found_in(line: Sequence[Token]) -> list[Found | Fault]:
    """Read the statements of one row."""
    found: list[Found | Fault] = []
    if is_dots(line):
        return [Found(Induction(_span(line)), False, False)]
    for piece in pieces_of(line):
        try:
            read = read_piece(piece)
        except Fault as fault:
            found.append(fault)
            continue
        except RecursionError:
            found.append(
                Fault(
                    "limit-nesting",
                    "this formula is nested too deep to be read",
                    _span(piece.tokens),
                )
            )
            continue
        if _is_condition(piece, read) and found:
            last = found[-1]
            condition = _relation_of(read)
            if (
                isinstance(last, Found)
                and isinstance(last.statement, Definition)
                and condition is not None
            ):
                last.statement = replace(last.statement, condition=condition)
                continue
        found += read
    return found


def is_dots(line: Sequence[Token]) -> bool:
    meant = [token for token in line if token.kind != "tab" and token.text not in WIDE]
    if not meant:
        return False
    first = meant[0].text
    if first == "\\vdotswithin":
        return True
    return all(
        token.text in DOTS or token.text == "\\ldots" or token.text in (".", ",") for token in meant
    ) and any(token.text in DOTS or token.text == "\\ldots" for token in meant)


def _span(tokens: Sequence[Token]) -> Span:
    span = tokens[0].span
    for token in tokens:
        span = span | token.span
    return span


def _is_condition(piece: Piece, read: Sequence[Found]) -> bool:
    if len(read) != 1 or not isinstance(read[0].statement, Constraint):
        return False
    if piece.word is not None:
        text = piece.word.text.lower().strip(" .,;:").lstrip("\\")
        return text in words.WHEN or text.split(" ")[0] in ("if", "for", "when")
    return _is_range(read[0].statement.relation)


def _is_range(relation: Expression) -> bool:
    if not isinstance(relation, Relation):
        return False
    last = relation.rest[-1][1]
    return isinstance(last, Items) and any(isinstance(part, Dots) for part in last.parts)


def _relation_of(read: Sequence[Found]) -> Expression | None:
    statement = read[0].statement
    return statement.relation if isinstance(statement, Constraint) else None


def read_piece(piece: Piece) -> list[Found]:
    tokens = [token for token in piece.tokens if token.text not in WIDE]
    span = _span(tokens)
    outside = [token.text for token in outer(tokens)]
    if ":" in outside and any(text in ("\\rightarrow", "\\mapsto") for text in outside):
        return signature(tokens, span)
    parser = Parser(tokens)
    statement = _related(parser, span)
    return [Found(statement, parser.named, parser.positional)]


def signature(tokens: list[Token], span: Span) -> list[Found]:
    """Read f : R^a x R^b -> R^c."""
    parser = Parser(tokens)
    names = parser.listing(words.RELATION + 1)
    if parser.peek().text != ":":
        raise parser.unexpected()
    parser.at += 1
    domain = _spaces(parser)
    if parser.peek().text not in ("\\rightarrow", "\\mapsto"):
        raise parser.unexpected()
    parser.at += 1
    codomain = _spaces(parser)
    if parser.peek() is not parser.stop:
        raise parser.unexpected()
    if len(codomain) != 1:
        raise Fault("syntax-signature", "a signature has one space after its arrow", span)
    return [
        Found(Signature(span, name, domain, codomain[0]), parser.named, parser.positional)
        for name in (names.parts if isinstance(names, Items) and not names.bracket else (names,))
    ]


def _spaces(parser: Parser) -> tuple[Space, ...]:
    spaces: list[Space] = []
    while True:
        if parser.peek().text == "(":
            parser.at += 1
            spaces += _spaces(parser)
            if parser.peek().text != ")":
                raise parser.unexpected()
            parser.at += 1
        else:
            space = parser.space()
            if space is None:
                raise Fault(
                    "syntax-space",
                    "a space such as \\mathbb{R}^{...} should stand here",
                    parser.peek().span,
                )
            spaces.append(space)
        if parser.peek().text not in ("\\times", ","):
            return tuple(spaces)
        parser.at += 1


def _related(parser: Parser, span: Span) -> Statement:
    """Read a statement that a relation makes."""
    sides: list[Expression] = []
    ops: list[str] = []
    while True:
        if ops and ops[-1] == "in":
            space = parser.space()
            sides.append(space if space is not None else parser.listing(words.RELATION + 1))
        else:
            sides.append(parser.listing(words.RELATION + 1))
        token = parser.peek()
        if token is parser.stop:
            break
        op = _relation_at(parser)
        if op is None:
            raise parser.unexpected()
        ops.append(op)
    return classified(span, sides, ops)


def _relation_at(parser: Parser) -> str | None:
    text: str | None = parser.peek().text
    if text in ("\\underset", "\\overset"):
        text = parser.operator_below()
        if text in words.RELATIONS:
            parser.at += 1
            parser.group()
            parser.group()
            return words.RELATIONS[text]
        return None
    if text not in words.RELATIONS or text not in RELATIONS | {"\\mid"}:
        return None
    parser.at += 1
    return words.RELATIONS[text]


def classified(span: Span, sides: list[Expression], ops: list[str]) -> Statement:
    """Say what kind of statement a chain of relations is."""
    first = sides[0]
    if not ops:
        return Constraint(span, first)
    rest = tuple(zip(ops, sides[1:], strict=True))
    relation = Relation(span, first, rest)
    if ops == ["in"] and isinstance(sides[1], Space):
        names = first.parts if isinstance(first, Items) and not first.bracket else (first,)
        if all(_is_name(name) or isinstance(name, Dots) for name in names):
            return Declaration(span, names, sides[1])
        return Constraint(span, relation)
    if (
        ops[0] in DEFINING
        and set(ops) <= set(DEFINING)
        and is_target(first)
        and not _is_range(relation)
    ):
        if not any(isinstance(side, Items) and not side.bracket for side in sides):
            return Definition(span, first, sides[1], DEFINING[ops[0]], tuple(sides[2:]))
    return Constraint(span, relation)


def is_target(target: Expression) -> bool:
    """Say whether something can be defined: a name, a function of names, an element."""
    if isinstance(target, Call):
        given = (*target.arguments, *target.parameters)
        return (
            not target.axes
            and _is_name(target.function)
            and bool(given)
            and all(_is_argument(g) for g in given)
        )
    if isinstance(target, Indexed):
        return _is_name(target.base) and all(isinstance(item, At) for item in target.items)
    return _is_name(target)


def _is_argument(given: Expression) -> bool:
    return _is_name(given)


def _is_name(name: Expression) -> bool:
    while isinstance(name, Scripts):
        name = name.base
    return isinstance(name, Letter)
