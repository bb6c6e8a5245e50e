"""Write expressions as LaTeX, with only the parentheses that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from namedtensor.formula.written import Written
from namedtensor.latex.printing.dialects import Dialect
from namedtensor.latex.printing.elements import Gathered, constant, counts, from_one
from namedtensor.latex.printing.names import joined, letters, parts
from namedtensor.latex.printing.naming import Loop, Names, is_word
from namedtensor.latex.printing.pieces import Piece, inside, joined_by, raised, wrapped
from namedtensor.latex.printing.stacks import Ladder
from namedtensor.operations.elementwise import ADD, EQ, MOD, MUL, SUB
from namedtensor.primitives import Node
from namedtensor.primitives.notation import (
    ATOM,
    DOT,
    JUXTAPOSED,
    MINUS,
    NOT,
    OR,
    PREFIX,
    REACH,
    RELATION,
    SCRIPT,
    SUM,
    Before,
    Command,
    Infix,
    Large,
    Special,
    Word,
)
from namedtensor.tensor.resize import made_by


class Forms:
    """Write the expressions of one formula in one dialect."""

    def __init__(self, written: Written, names: Names, dialect: Dialect) -> None:
        self.written = written
        self.names = names
        self.dialect = dialect
        self.indices: dict[str, str] = {}
        self.leaves: dict[Node, Piece] = {}
        self.declared: set[str] = set()
        #: the recurrence whose step is being written, and its named parts that are still to be defined
        self.loop: Loop | None = None
        self.met: list[Node] = []
        self.script = False
        self._defined: Node | None = None
        self.changes = written.changes
        self._climbed: Ladder | None = None
        self.leaves = self._steps(None)

    # ------------------------------------------------------------------------------ the whole

    def definition(self, node: Node) -> Piece:
        """Write the expression of a part that has a name, and not the name."""
        before, self._defined = self._defined, node
        try:
            return self.write(node)
        finally:
            self._defined = before

    def write(self, node: Node) -> Piece:
        """Write an expression."""
        if node in self.leaves and node is not self._defined:
            return self.leaves[node]
        if self.loop is not None and node in self.loop.parts_of and node is not self._defined:
            return self._part_of_step(self.loop, node)
        if node in self.names.of and node is not self._defined and not self.indices:
            return self.head(node)
        if self.indices:
            counted = self._by_index(node)
            if counted is not None:
                return counted
        number = constant(node)
        if number is not None:
            return self.write(number)
        notation = node.operation.primitive.notation
        match notation:
            case Infix():
                return self._infix(node, notation)
            case Before():
                return self._before(node, notation)
            case Word():
                return self._word(node, notation)
            case Command():
                return self._call(node, notation.word, list(node.operands), command=True)
            case Large():
                return self._large(node, notation)
            case Special():
                return FORMS[notation.form](self, node)
            case _:
                raise TypeError(f"{node.name} is made by the rewriter, and never written")

    def head(self, node: Node) -> Piece:
        """Write the name of a part; a recurrence inside a step is a function of what the step takes."""
        function = self.names.functions.get(node)
        if function is None:
            return self.letter(self.names.of[node])
        return self.applied(self.letter(function.name).text, list(function.parameters))

    def _part_of_step(self, loop: Loop, node: Node) -> Piece:
        if node not in loop.defined:
            loop.defined.add(node)
            self.met.append(node)
        return self.element(self.letter(loop.parts_of[node]).text, loop.step.axis, loop.index)

    def function_of_others(self, node: Node) -> str:
        """Name a lifted function of arrays; if it has several results, each result is a function."""
        lifted, place, *_ = node.operation.params
        name = lifted.name if lifted.name.isidentifier() else "lifted"
        name = f"lifted-{name}" if is_word(name) else name
        below = f"_{{{place + 1}}}" if len(lifted.outputs) > 1 else ""
        return rf"\text{{{name.replace('_', '-')}}}{below}"

    def element(self, name: str, axis: str, index: str) -> Piece:
        """Write the element of a tensor at a place."""
        name = f"{{{name}}}" if "_" in name and name[0] not in "{[" else name
        return Piece(f"{name}_{{{self.dialect.at(axis, index)}}}", SCRIPT)

    def letter(self, identifier: str) -> Piece:
        """Write a name; the direction of a derivative is \\partial X, by the argument X that changes."""
        if identifier in self.changes:
            return Piece(rf"\partial {self.argument(self.changes[identifier]).text}", JUXTAPOSED)
        text = letters(identifier)
        return Piece(text, SCRIPT if "^" in text else ATOM)

    def argument(self, path: str) -> Piece:
        """Write an argument; a parameter of a bundle has the bundle's name as subscript."""
        *bundle, name = path.split(".")
        return self._member([name, *bundle])

    def bundle(self, path: str) -> str:
        """Write a whole bundle; a layer has its number as superscript."""
        return self._member(path.split(".")[::-1]).text

    def _member(self, names: list[str]) -> Piece:
        words = [name for name in names if not name.isdecimal()]
        if len(words) == len(names):
            return self.letter("_".join(words))
        piece, below = self.letter(words[0]), [self.letter(name).text for name in words[1:]]
        if below:
            text = f"{{{piece.text}}}" if "_" in piece.text or "^" in piece.text else piece.text
            piece = Piece(f"{text}_{{{', '.join(below)}}}")
        layers = [name for name in names if name.isdecimal()]
        return raised(piece, ", ".join([self._layer(int(k), names) for k in layers]))

    def _layer(self, k: int, names: list[str]) -> str:
        """Write the number of a layer: l in the step of a stack, L for the last layer, else a number."""
        for ladder in self.names.ladders:
            if ladder.stack.split(".")[0] in names and k == ladder.count - 1:
                return ladder.index if ladder is self._climbed else ladder.last
        return str(k + 1)

    @contextmanager
    def climbing(self, ladder: Ladder | None) -> Iterator[None]:
        """While this is open, write the last layer's parts with the letter l: the step of a stack."""
        before, outer = self.leaves, self._climbed
        self.leaves, self._climbed = before | self._steps(ladder), ladder
        try:
            yield
        finally:
            self.leaves, self._climbed = before, outer

    def _steps(self, climbed: Ladder | None) -> dict[Node, Piece]:
        """Write the named parts of stacks, with the letter or number of their layer as superscript."""
        found = {}
        for ladder in self.names.ladders:
            here = ladder.index if ladder is climbed else ladder.last
            for node, name in self.names.of.items():
                if node in ladder.inside:
                    found[node] = raised(self.letter(name), here)
            for node, (i, k) in ladder.rungs.items():
                found[node] = raised(self.letter(ladder.letters[i]), str(k + 1))
            for node, name in zip(ladder.before, ladder.letters, strict=True):
                if ladder is climbed:
                    found[node] = raised(self.letter(name), f"{here} - 1")
        return found

    def elements(self, node: Node, indices: dict[str, str]) -> Piece:
        """Write the rule of an index-defined tensor; `indices` are the letters of its axes."""
        self.indices = indices
        try:
            return self.write(node)
        finally:
            self.indices = {}

    def picked(self, found: Gathered, indices: dict[str, str]) -> Piece:
        """Write the elements of a tensor as elements of the other tensor that they come from."""
        base = self.write(found.base)

        def letter(count: Node) -> str:
            return indices[count.operation.params[0]]

        items = [
            self.dialect.at(axis, from_one(place, lambda n: self.elements(n, indices).text, letter))
            for axis, place in found.places.items()
        ]
        text = base.text if base.plain else wrapped(base.text, "[", "]")
        return Piece(f"{text}_{{{', '.join(items)}}}", SCRIPT)

    # ----------------------------------------------------------------------- indices, from 1

    def _by_index(self, node: Node) -> Piece | None:
        """Write the parts that have a short form in indices from 1: i, i - 1, i odd, j <= i."""
        if counts(node):
            return self._shifted(node, -1)
        if made_by(node):
            return self.write(node.operands[0])
        if len(node.operands) != 2:
            return None
        first, second = node.operands
        step = second.value
        if counts(first) and type(step) is int and step > 0 and node.operation in (ADD, SUB):
            return self._shifted(first, step - 1 if node.operation is ADD else -step - 1)
        notation = node.operation.primitive.notation
        if isinstance(notation, Infix) and notation.level == RELATION:
            if counts(first) and counts(second):
                return Piece(
                    f"{self._index(first)} {notation.sign} {self._index(second)}", RELATION
                )
            odd = node.operation is EQ and first.operation is MOD and counts(first.operands[0])
            if odd and first.operands[1].value == 2 and type(step) is int and step in (0, 1):
                word = "even" if step else "odd"
                return Piece(rf"{self._index(first.operands[0])} \text{{ {word}}}", RELATION)
        return None

    def _index(self, count: Node) -> str:
        return self.indices[count.operation.params[0]]

    def _shifted(self, count: Node, step: int) -> Piece:
        text = self._index(count)
        return Piece(f"{text} {'+' if step > 0 else '-'} {abs(step)}", SUM) if step else Piece(text)

    def from_one(self, node: Node) -> str:
        """Write an index that counts from 0 as one that counts from 1; negative numbers stay."""
        value = node.value
        if type(value) is int:
            return str(value + 1 if value >= 0 else value)
        if node.operation is SUB and _is_one(node.operands[1]) and node not in self.names.of:
            whole = node.operands[0]
            if whole.operation is not ADD or not _is_one(whole.operands[1]):
                return self.write(whole).text
        return f"{inside(self.write(node), SUM)} + 1"

    # ------------------------------------------------------------------------------ operators

    def _infix(self, node: Node, notation: Infix) -> Piece:
        first, second = node.operands
        left, right = self.write(first), self.write(second)
        sign = notation.sign
        if node.operation is MUL:
            if first.value is not None and _follows_a_number(left, right):
                return Piece(f"{left.text} {right.text}", JUXTAPOSED)
            if self._single(first) and self._single(second):
                sign = r"\cdot"
        return joined_by(left, sign, right, notation.level, self._terms(notation, left))

    def _single(self, node: Node) -> bool:
        """Say whether a part is a single number: it has no axes, or is written by its elements."""
        return bool(self.indices) or not node.type.axes

    def _terms(self, notation: Infix, left: Piece) -> tuple[str, ...]:
        if notation.level not in (SUM, DOT):
            return ()
        return left.terms if left.terms and left.level == notation.level else (left.text,)

    def _before(self, node: Node, notation: Before) -> Piece:
        operand = self.write(node.operands[0])
        sign = notation.sign + ("" if notation.sign == "-" else " ")
        least = max(notation.level, PREFIX if notation.level == NOT else MINUS)
        bare = operand.level >= least and not operand.text.startswith("-")
        if bare or operand.prefix:
            opened = min(notation.level, operand.open)
            return Piece(f"{sign}{operand.text}", notation.level, opened)
        return Piece(f"{sign}{wrapped(operand.text)}", notation.level, notation.level)

    def _large(self, node: Node, notation: Large) -> Piece:
        sign = self.dialect.large(notation.word, node.operation.params[0])
        operand = self.write(node.operands[0])
        body = inside(operand, REACH)
        return Piece(f"{sign} {body}", REACH, min(REACH, operand.open), prefix=True)

    # ------------------------------------------------------------------------------ functions

    def _word(self, node: Node, notation: Word) -> Piece:
        params = node.operation.params
        word = notation.otherwise if notation.otherwise and params[-1] else notation.word
        return self._call(node, word, list(node.operands))

    def _call(
        self, node: Node, word: str, operands: Sequence[Node], command: bool = False
    ) -> Piece:
        head = self.dialect.function(word, axes_of(node), command)
        return self.applied(head, operands, bare=command or bool(axes_of(node)))

    def applied(self, head: str, operands: Sequence[Node], bare: bool = False) -> Piece:
        """Write a function before its operands; `bare` leaves out the parentheses of one."""
        pieces = [self.write(o) for o in operands]
        first = pieces[0]
        opens = first.text.startswith(("(", "[", r"\left(", r"\left["))
        if bare and len(pieces) == 1 and not opens and (first.level >= PREFIX or first.prefix):
            return Piece(f"{head} {first.text}", PREFIX, min(PREFIX, first.open), prefix=True)
        listed = ", ".join([inside(p, SUM if len(pieces) > 1 else OR) for p in pieces])
        return Piece(f"{head}{wrapped(listed)}", PREFIX, PREFIX, prefix=True)

    def bracketed(self, node: Node, below: str, letter: bool = False) -> Piece:
        """Write a part in square brackets with something below them; a letter needs no brackets."""
        piece = self.write(node)
        text = piece.text if letter and piece.plain else wrapped(piece.text, "[", "]")
        return Piece(f"{text}_{{{below}}}", SCRIPT)

    def small(self, node: Node) -> Piece:
        """Write a part in a subscript or superscript, where fractions are slanted, a / b."""
        before, self.script = self.script, True
        try:
            return self.write(node)
        finally:
            self.script = before

    def named(self, base: str, exponent: str) -> bool:
        """Say whether a base with an exponent would be read as a name in use: W^1 is the name W1."""
        stem = parts(base)
        return joined(replace(stem, sup=exponent)) in self.names.taken

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(self.names.taken)


Form = Callable[[Forms, Node], Piece]
#: The special forms by name.
FORMS: dict[str, Form] = {}


def special(form: str) -> Callable[[Form], Form]:
    """Register a function as the writer of a special form."""

    def keep(function: Form) -> Form:
        FORMS[form] = function
        return function

    return keep


def axes_of(node: Node) -> tuple[str, ...]:
    """Give the axes that an operation names."""
    params: Any = node.operation.params
    if params and isinstance(params[0], tuple):
        params = params[0]
    return tuple([p for p in params if isinstance(p, str)])


def _is_one(node: Node) -> bool:
    return type(node.value) is int and node.value == 1


def _follows_a_number(left: Piece, right: Piece) -> bool:
    """Say whether a product can be written without a sign, as 2 X."""
    digits = left.text.replace(".", "").isdigit()
    starts = right.text[:1].isalpha() or right.text.startswith((r"\text{", r"\sqrt"))
    greek = right.text.startswith("\\") and right.plain
    return digits and right.level >= SCRIPT and (starts or greek)
