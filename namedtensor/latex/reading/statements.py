"""What kind of statement a piece of mathematics is: a declaration, a definition, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.parser import Parser
from namedtensor.latex.reading.parting import ARROWS, Piece, pieces_of
from namedtensor.latex.reading.rows import WIDE, is_dots, outer
from namedtensor.latex.reading.tokens import Fault, Token
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Binary,
    Call,
    Constraint,
    Declaration,
    Definition,
    Dots,
    Expression,
    Indexed,
    Induction,
    Is,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    Signature,
    Space,
    Statement,
    Unary,
    Under,
)
from namedtensor.latex.walk import all_of, depth_of, texts_of
from namedtensor.primitives.notation import RELATION

DEFINING = {"=": "=", ":=": "=", "equiv": "=", "<-": "<-"}
#: Relations that say of what is defined between which numbers it lies.
BOUNDING = frozenset(("<", "<=", ">", ">=", "approx"))

#: Commands of the style file.
NOTATION = frozenset(("\\ndot", "\\nbin", "\\nfun", "\\nsum", "\\ncat", "\\nmatrix"))

#: A tree may be this deep, so that whoever walks over it has room on the stack.
DEPTH = 250


@dataclass(slots=True)
class Found:
    """A statement, and what was noticed while it was read.

    `named` says that it holds what only the notation has, `positional` that it holds what the
    notation does not have, `generic` that its axes stand for any, `said` that it says something;
    `part_of` says why it is set aside all the same.
    """

    statement: Statement
    named: bool = False
    positional: bool = False
    generic: bool = False
    said: bool = True
    part_of: str = ""


@dataclass(slots=True)
class Failed:
    """A piece that cannot be read: why, where it stands, and whether it looks like the notation.

    `defines` says that a sign such as = stands first among its relations; `letters` are those in it.
    """

    fault: Fault
    span: Span
    named: bool
    relates: bool
    defines: bool = False
    letters: frozenset[str] = frozenset()


def found_in(line: Sequence[Token]) -> list[Found | Failed]:
    """Read the statements of one row."""
    if is_dots(line):
        return [Found(Induction(span_of(line)))]
    found: list[Found | Failed] = []
    for piece in pieces_of(line):
        tokens = [token for token in piece.tokens if token.text not in WIDE]
        try:
            read = read_piece(tokens)
        except Fault as fault:
            if piece.relates or not piece.remarks:
                found.append(failed(fault, tokens, looks_named(tokens), piece.relates))
            continue
        if not _is_condition_of(found, piece, read):
            found += _of_signature(found[-1:], read) or read
    return found


def _of_signature(before: Sequence[Found | Failed], read: Sequence[Found]) -> list[Found]:
    r"""Read x \mapsto 2 x behind a signature, f : R^a \to R^a, as what defines its function."""
    last = before[0] if before else None
    signature = last.statement if isinstance(last, Found) else None
    relation = getattr(read[0].statement, "relation", None)
    if not isinstance(signature, Signature) or not isinstance(relation, Relation):
        return []
    if relation.ops != ("mapsto",):
        return []
    sides = [_applied(signature.name, relation.first), relation.rest[0][1]]
    return [replace(read[0], statement=s) for s in classified(relation.span, sides, ["="])]


def failed(fault: Fault, tokens: Sequence[Token], named: bool, relates: bool) -> Failed:
    """Note that tokens cannot be read, and what can be said of them all the same."""
    defines = next(_relations(tokens), "") in DEFINING
    letters = frozenset([token.text.lstrip("\\") for token in tokens])
    return Failed(fault, span_of(tokens), named, relates, defines, letters)


def _relations(tokens: Sequence[Token]) -> Iterator[str]:
    r"""List the relations outside of brackets, and those with something above: \overset{def}{=}."""
    outside = {token.span.start for token in outer(tokens)}
    for at, token in enumerate(tokens):
        alone = [t.kind for t in (*tokens[at - 1 : at], *tokens[at + 1 : at + 2])] == [
            "open",
            "close",
        ]
        if token.text in words.RELATIONS and (alone or token.span.start in outside):
            yield words.RELATIONS[token.text]


def span_of(tokens: Sequence[Token]) -> Span:
    """Give the span of tokens."""
    return Span(min([t.span.start for t in tokens]), max([t.span.end for t in tokens]))


def looks_named(tokens: Sequence[Token]) -> bool:
    """Say whether tokens hold what only the notation has."""
    for at, token in enumerate(tokens):
        if token.kind == "axis" or token.text in NOTATION:
            return True
        if token.kind == "word" and at > 1 and tokens[at - 1].kind == "open":
            before = tokens[at - 2]
            after = next((t.text for t in tokens[at + 1 :] if t.kind != "prime"), "")
            script = before.kind in ("sub", "sup") and after in (
                ":",
                "[",
                "\\times",
                "\\rightarrow",
            )
            if script or before.text == "\\underset":
                return True
            if before.kind in ("sub", "sup") and _takes_axes(tokens[max(0, at - 6) : at - 2]):
                return True
    return False


def _takes_axes(before: Sequence[Token]) -> bool:
    """Say whether a script of what ends here holds axes: that of a sum, of a product's sign, of R."""
    if not before:
        return False
    last = before[-1].text
    return last in words.BIG or last in words.PRODUCTS or any(t.text == "\\mathbb" for t in before)


def _is_condition_of(found: Sequence[Found | Failed], piece: Piece, read: Sequence[Found]) -> bool:
    """Put a range or a condition into the definition before it, if it belongs there.

    A range belongs to all of the row that its index is of: a_k and b_k of "a_k = .., b_k = .., k = 1, .., n".
    """
    last = found[-1] if found else None
    if len(read) != 1 or not isinstance(last, Found) or not isinstance(last.statement, Definition):
        return False
    relation, word = condition_of(read[0].statement), piece.word.split(" ")[0]
    target = getattr(read[0].statement, "target", None)
    number = target is not None and not isinstance(target, Indexed) and word == "for"  # for n = 3
    if relation is None or number:
        return False
    ranged = is_range(relation) or _bounds_index_of(relation, last.statement.target)
    if not (word in words.WHEN or (not piece.word and ranged)):
        return False
    if words.denies(piece.word):
        relation = Unary(relation.span, "not", relation)
    owners = _ranged(found, relation)
    if (
        not owners
        and is_range(relation)
        and not _index_letters(relation) & texts_of(last.statement)
    ):
        return False  # it is of another row
    for one in owners or [last]:
        assert isinstance(one.statement, Definition)
        before = one.statement.condition
        span = last.statement.span | read[0].statement.span if one is last else one.statement.span
        both = relation if before is None else Logic(span, "and", (before, relation))
        one.statement = replace(one.statement, condition=both, span=span)
    return True


def _bounds_index_of(relation: Expression, target: Expression) -> bool:
    """Say whether a relation bounds the index of an element by a number: t >= 2 behind h_{seq(t)} = ..."""
    if not isinstance(relation, Relation) or len(relation.rest) != 1:
        return False
    ((op, bound),) = relation.rest
    places = [item.at for item in target.indices] if isinstance(target, Indexed) else []
    return op in {"<", "<=", ">", ">="} and isinstance(bound, Number) and relation.first in places


def _ranged(found: Sequence[Found | Failed], relation: Expression) -> list[Found]:
    """List the definitions at the end of a row of whose targets a range gives an index."""
    if not is_range(relation):
        return []
    indices = _index_letters(relation)
    several: list[Found] = []
    for one in reversed(found):
        if not isinstance(one, Found) or not isinstance(one.statement, Definition):
            break
        if one.statement.condition is not None:
            break
        if indices & texts_of(one.statement.target):
            several.append(one)
    return several


def _index_letters(relation: Expression) -> set[str]:
    """List the letters whose range a relation gives."""
    return texts_of(getattr(relation, "first", None))


def is_equation(statement: Statement) -> bool:
    """Say whether a statement says what names are, as a definition does: Y_1, Y_2 = X is one too."""
    relation = getattr(statement, "relation", None)
    if not isinstance(relation, Relation):
        return isinstance(statement, Definition)
    names = relation.first.parts if isinstance(relation.first, Items) else (relation.first,)
    return relation.rest[0][0] in DEFINING and all(map(is_target, names))


def condition_of(statement: Statement) -> Expression | None:
    """Give what a statement says as a condition: behind an if, A_{i, j} = 1 is no definition."""
    if isinstance(statement, Definition) and statement.op == "=":
        said = tuple([("=", part) for part in (statement.body, *statement.chain)])
        return Relation(statement.span, statement.target, said)
    relation = statement.relation if isinstance(statement, Constraint) else None
    return relation if isinstance(relation, (Relation, Is, Logic)) else None


def is_range(relation: Expression) -> bool:
    """Say whether a relation gives the values of an index: l = 1, ..., L.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> is_range(parse_expression("l = 1"))
    False
    """
    if not isinstance(relation, Relation):
        return False
    op, last = relation.rest[-1]
    if not isinstance(last, Items) or last.bracket != ("{" if op == "in" else ""):
        return False
    return any(isinstance(part, Dots) for part in last.parts)


def read_piece(tokens: Sequence[Token]) -> list[Found]:
    """Read one piece, which may be several statements of one name or with one body."""
    span = span_of(tokens)
    outside = [token.text for token in outer(tokens)]
    parser = Parser(tokens)
    try:
        arrows = outside[outside.index(":") :] if ":" in outside else []
        if "\\mapsto" in arrows:
            statements = _mapped(parser, span)
        elif ARROWS.intersection(arrows):
            statements = _signatures(parser, span)
        else:
            statements = _related(parser, span)
    except RecursionError:
        raise too_deep(span) from None
    if len(tokens) > DEPTH and any(depth_of(statement) > DEPTH for statement in statements):
        raise too_deep(span)
    said = not (isinstance(statements[0], Constraint) and not _says(statements[0].relation))
    generic = parser.generic or any(_stands_for_many(s) for s in statements)
    return [Found(s, parser.named, parser.positional, generic, said) for s in statements]


def too_deep(span: Span) -> Fault:
    return Fault(
        "limit-nesting",
        f"this formula's tree is more than {DEPTH} deep",
        span,
        "part it into several statements",
    )


def _says(relation: Expression) -> bool:
    return isinstance(relation, Relation) and relation.rest[0][0] != "mid"


def _mapped(parser: Parser, span: Span) -> list[Statement]:
    r"""Read f : x \mapsto 2 x, which is f(x) = 2 x."""
    name = parser.listing(RELATION + 1)
    parser.expect(":")
    given = parser.listing(RELATION + 1)
    parser.expect("\\mapsto")
    found = classified(span, [_applied(name, given), parser.listing(RELATION + 1)], ["="])
    parser.expect_end()
    return found


def _applied(name: Expression, given: Expression) -> Call:
    """Give a function of what stands before an arrow, one name or several in brackets."""
    arguments = given.parts if isinstance(given, Items) else (given,)
    return Call(name.span, name, (), arguments, (), "(")


def _signatures(parser: Parser, span: Span) -> list[Statement]:
    """Read f : R^a x R^b -> R^c."""
    names = parser.listing(RELATION + 1)
    parser.expect(":")
    domain = _spaces(parser)
    parser.expect(*ARROWS)
    codomain = _spaces(parser)
    parser.expect_end()
    if len(codomain) != 1:
        raise Fault(
            "syntax-signature", "a signature has one space after its arrow", codomain[1].span
        )
    listed = isinstance(names, Items) and not names.bracket
    return [
        Signature(span, name, domain, codomain[0])
        for name in (names.parts if listed and isinstance(names, Items) else (names,))
    ]


def _spaces(parser: Parser) -> tuple[Space, ...]:
    """Read spaces with a times sign or a comma between them."""
    spaces: list[Space] = []
    while True:
        space = parser.space()
        if space is not None:
            spaces.append(space)
        elif parser.peek().text == "(":
            parser.deeper()
            parser.at += 1
            spaces += _spaces(parser)
            parser.expect(")")
            parser.depth -= 1
        else:
            token = parser.peek()
            span = token.span if token is not parser.stop else parser.span(max(0, parser.at - 1))
            raise Fault(
                "syntax-space", "a space should stand here", span, "write \\mathbb{R}^{...}"
            )
        if parser.peek().text not in ("\\times", ","):
            return tuple(spaces)
        parser.at += 1


def _related(parser: Parser, span: Span) -> list[Statement]:
    """Read a statement that relations make, or none does."""
    sides: list[Expression] = [_numbers_alone(parser) or parser.listing(RELATION + 1)]
    ops: list[str] = []
    while parser.peek() is not parser.stop:
        op = parser.take_relation()
        if op is None:
            raise parser.unexpected()
        ops.append(op)
        space = parser.space() if op == "in" or (op == "=" and ops[0] == "in") else None
        sides.append(space or parser.listing(RELATION + 1))
    return classified(span, sides, ops)


def _numbers_alone(parser: Parser) -> Space | None:
    r"""Read \{0, 1\}^{seq} where nothing else stands, as beside a name in a table, or \in before a space."""
    start, last = parser.at, parser.tokens[parser.end - 1 : parser.end]
    beside = parser.peek().text == "\\in"
    if [t.kind for t in last] != ["close"] or not (
        beside or parser.peek().text in ("\\{", "[", "(")
    ):
        return None
    named, positional = parser.named, parser.positional
    parser.at += beside
    try:
        space = parser.space()
    except Fault:
        space = None
    if space is not None and space.axes and parser.peek() is parser.stop:
        return space
    parser.at, parser.named, parser.positional = start, named, positional
    return None


def _of_elements(left: Expression) -> Expression:
    """Take P_{row(i), col(j)}(t) on a left side for the elements of a function P of t."""
    match left:
        case Binary(how="juxtaposed", left=Indexed() as element, right=Letter() as given):
            behind = given.span.end < left.span.end  # a bracket
            index = given in [i.at for i in element.indices]
            if behind and not index and isinstance(element.base, Letter):
                call = Call(left.span, element.base, (), (given,))
                return Indexed(left.span, call, element.items)
    return left


def classified(span: Span, sides: Sequence[Expression], ops: Sequence[str]) -> list[Statement]:
    """Say what kind of statement a chain of relations is."""
    if not ops:
        return [Constraint(span, sides[0])]
    first = _of_elements(sides[0])
    sides = [first, *sides[1:]]
    if ops[-1] == "=:":  # what stands left is what the right side names
        before = classified(span, sides[:-1], ops[:-1]) if ops[1:] else []
        return [*before, *classified(span, sides[:-3:-1], ["="])]
    if ops[-1] == "in" and len(ops) > 1 and isinstance(sides[-1], Space):
        said = classified(span, sides[:-1], ops[:-1])
        if isinstance(said[0], Definition) and is_name(first):
            names = (first, *[name for name in sides[1:-2] if is_name(name)])
            return [*said, Declaration(span, names, sides[-1])]
    if ops[0] == "=" and is_target(first) and not isinstance(sides[1], Number):
        last = next((at for at, op in enumerate(ops) if op not in DEFINING), len(ops))
        if last < len(ops) and set(ops[last:]) <= {"in", *BOUNDING}:  # f(x) = ... \ge 0
            where = Relation(span, first, tuple(zip(ops[last:], sides[last + 1 :], strict=True)))
            return [*classified(span, sides[: last + 1], ops[:last]), Constraint(span, where)]
    about = ops[0] in {*BOUNDING, "propto"} and ops[1:2] in (["="], [":="])
    if about and is_target(sides[1]) and not (isinstance(sides[2], Number) or is_name(sides[2])):
        estimate = Relation(span, first, ((ops[0], sides[1]),))  # J \approx g = ..., J \ge L = ...
        return [Constraint(span, estimate), *classified(span, sides[1:], ops[1:])]
    if ops[0] == "in" and isinstance(sides[1], Space) and set(ops[1:]) <= {"="}:
        names = first.parts if isinstance(first, Items) and not first.bracket else (first,)
        if all(is_name(name) or isinstance(name, Dots) for name in names):
            return [Declaration(span, names, sides[1])]
    relation = Relation(span, first, tuple(zip(ops, sides[1:], strict=True)))
    loose = any(isinstance(side, Items) and not side.bracket for side in sides)
    held = isinstance(first, Call) and bool(first.axes) and isinstance(sides[1], Number)
    if set(ops) <= set(DEFINING) and is_target(first) and not loose and not held:  # norm_{ax} W = 1
        return [Definition(span, first, sides[1], DEFINING[ops[0]], tuple(sides[2:]))]
    if len(sides) == 2 and DEFINING.get(ops[0]) == "=":
        parted = _parted(span, *sides)
        if parted:
            return parted
    return [Constraint(span, relation)]


def _parted(span: Span, names: Expression, body: Expression) -> list[Statement]:
    """Define each of (Q, K) = f(X): as the first and the second result, or as what stands in its place."""
    if not isinstance(names, Items) or names.bracket not in ("", "(") or len(names.parts) < 2:
        return []
    if not all(is_target(name) and not isinstance(name, Call) for name in names.parts):
        return []
    count = len(names.parts)
    bodies: Sequence[Expression] = ()
    if isinstance(body, Number) and all(isinstance(name, Scripts) for name in names.parts):
        bodies = (body,) * count
    elif isinstance(body, Call):
        results = [Number(body.span, place + 1) for place in range(count)]
        bodies = [Scripts(body.span, Items(body.span, (body,), "["), sub=n) for n in results]
    elif isinstance(body, Items) and body.bracket in ("", "(") and len(body.parts) == count:
        bodies = () if any(isinstance(part, Dots) for part in body.parts) else body.parts
    return [Definition(span, *pair) for pair in zip(names.parts, bodies, strict=False)]


def is_target(target: Expression) -> bool:
    """Say whether something can be defined: a name, a function of names, an element."""
    if isinstance(target, Call):
        given = (*target.arguments, *target.parameters)
        function = target.function
        if not given or not is_name(function) or not all(is_name(each) for each in given):
            return False
        known = isinstance(function, Letter) and function.text in words.FUNCTIONS - words.VARYING
        if isinstance(function, Letter) and function.text in (words.FACTORIAL, words.BINOMIAL):
            return False
        return not (target.axes and known) and (target.bracket != "" or bool(target.axes))
    if isinstance(target, Indexed):
        base = target.base
        named = is_name(base) or (isinstance(base, Call) and is_target(base))
        places = [item.at for item in target.indices]
        if any(place in places[:i] for i, place in enumerate(places)):
            return False  # A_{row:i, col:i} = 1 says something of a diagonal
        return named and all(isinstance(item, At) for item in target.items)
    return is_name(target)


def _stands_for_many(statement: Statement) -> bool:
    """Say whether a statement speaks of any operator, or leaves out by dots what it speaks of."""
    if isinstance(statement, Signature):
        return not _is_function(statement.name)
    if not isinstance(statement, Constraint) or is_range(statement.relation):
        return False
    return any(all_of(Dots, statement.relation))


def _is_function(name: Expression) -> bool:
    """Say whether a signature can be that of a function, rather than of an operator."""
    if isinstance(name, Under):
        return isinstance(name.operand, Letter) and name.operand.text not in words.FUNCTIONS
    return is_name(name)


def is_name(name: Expression) -> bool:
    """Say whether something is a name, with scripts or without."""
    return isinstance(name.base if isinstance(name, Scripts) else name, Letter)
