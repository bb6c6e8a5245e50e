"""The evaluator: it hands each part of a formula to the reader of its kind, and reports what fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.errors import NamedTensorError, first_line
from namedtensor.latex.evaluation.hints import in_notation
from namedtensor.latex.evaluation.indices import plain
from namedtensor.latex.evaluation.values import (
    UNKNOWN,
    ArgumentsError,
    NotNotationError,
    Scope,
    Value,
)
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import Call, Expression, Letter, Scripts
from namedtensor.tensor.labels import operand_words

Reader = Callable[["Evaluator", Any], Value]

#: The function that evaluates each kind of expression; `evaluate` fills this table.
READERS: dict[type, Reader] = {}


#: A condition, and whether it holds.
Guard = tuple[Expression, bool]

Use = Callable[["Evaluator", Call, Sequence[Value], Sequence[Expression]], Value]


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """The meaning of a word.

    `use` applies the word in a formula. A `raw` word gets its arguments unevaluated. `along` is the
    function that takes axes first; with `or_several` it needs no axes if it has several arguments.
    """

    name: str
    use: Use
    raw: bool = False
    along: Any = None
    or_several: bool = False


class Evaluator:
    """Evaluate the parts of a formula in a scope.

    `bound` are the indices that the formula itself binds. With `exact`, a quotient of whole numbers must
    be whole, as for sizes. `guards` are conditions around the part: where they do not hold, its value is
    not used, so an index may lie outside its axis there. `guarded` says that some guard is more than the
    end of an index's range.
    """

    def __init__(
        self,
        scope: Scope,
        bound: Mapping[Expression, Value] | None = None,
        exact: bool = False,
        guards: tuple[Guard, ...] = (),
        guarded: bool = False,
    ) -> None:
        self.scope = scope
        self.bound: dict[Expression, Value] = dict(bound or {})
        self.exact = exact
        self.guards = guards
        self.guarded = guarded

    def value(self, expression: Expression) -> Value:
        """Evaluate an expression: to a named tensor, a number, a position or a function."""
        reader = READERS.get(type(expression))
        if reader is None:
            return self.refuse(expression, "says nothing that can be computed")
        found = self.scope.seen(expression, reader(self, expression), self.guarded)
        if type(found) is not tuple:
            return found
        text = wording(expression)
        return self.fail(
            expression,
            ArgumentsError,
            f"{text} gives {len(found)} results, and stands here for one",
            f"name them, Y, Z = {text}, or take one: {text}_1",
        )

    def results(self, call: Call) -> Value | tuple[Value, ...]:
        """Evaluate a call to one value, or to a tuple of several results."""
        found: Value | tuple[Value, ...] = self.scope.seen(call, READERS[Call](self, call))
        return found

    def extent(self, expression: Expression) -> Value:
        """Evaluate a size: a whole number, or a symbolic size."""
        return plain(Evaluator(self.scope, self.bound, exact=True).value(expression))

    def exactly(self, exact: bool = True) -> Evaluator:
        """Give an evaluator that takes quotients of sizes for whole numbers, as they are in indices."""
        return Evaluator(self.scope, self.bound, exact, self.guards, self.guarded)

    # ---------------------------------------------------------------- what the subjects call

    def inside(self, bound: Mapping[Expression, Value]) -> Evaluator:
        """Give an evaluator with more bound names."""
        inner = {**self.bound, **bound}
        return Evaluator(self.scope, inner, self.exact, self.guards, self.guarded)

    def under(self, *guards: Guard, ends: bool = False) -> Evaluator:
        """Give an evaluator with more guards, each a condition and whether it holds.

        With `ends` they are only the ends of ranges, which the indices know themselves.
        """
        guarded = self.guarded or (bool(guards) and not ends)
        return Evaluator(self.scope, self.bound, self.exact, (*self.guards, *guards), guarded)

    def attempt(
        self,
        where: Expression,
        operation: Callable[..., Value],
        operands: Sequence[Value],
        named: Sequence[Expression] = (),
    ) -> Value:
        """Apply an operation to values; `named` are the expressions that gave them.

        If a value is UNKNOWN, so is the result. A failure goes to the scope.
        """
        for value, expression in zip(operands, named, strict=False):
            if is_function(value):
                return self.fail(
                    expression,
                    ArgumentsError,
                    f"{wording(expression)} is a function, and stands here without arguments",
                    f"apply it: {wording(expression)}(X)",
                )
            if hasattr(type(value), "bundle"):
                return self.fail(
                    expression,
                    ArgumentsError,
                    f"{wording(expression)} stands for several parameters, and here for one tensor",
                    f"name one of them: {wording(expression)}^1",
                )
        if any(value is UNKNOWN for value in operands):
            return UNKNOWN
        given = [plain(value) for value in operands]
        words = list(zip(given, named, strict=False))
        token = operand_words.set(
            lambda x: next((wording(e) for value, e in words if value is x), None)
        )
        try:
            return operation(*given)
        except NamedTensorError as error:
            words = [(wording(part), part) for part in named]
            return self.scope.failed(where, of_formula(error, where, words, self.scope))
        except OverflowError:
            return self.fail(where, NamedTensorError, f"{wording(where)} is too large for a number")
        except (ArithmeticError, ValueError) as error:
            return self.scope.failed(where, NamedTensorError(wording(where), first_line(error)))
        finally:
            operand_words.reset(token)

    def fail(
        self,
        where: Expression,
        kind: type[NamedTensorError],
        why: str,
        hint: str = "",
        operands: Sequence[tuple[str, str]] = (),
    ) -> Value:
        """Report a failure that the evaluator found itself."""
        return self.scope.failed(where, kind(wording(where), why, operands, in_notation(hint)))

    def refuse(self, where: Expression, why: str, hint: str = "") -> Value:
        """Report a part to which the notation gives no meaning."""
        return self.fail(where, NotNotationError, f"{wording(where)} {why}", hint)

    def numbers(self, expression: Expression) -> Value:
        """Give the value of an expression that must be numbers; UNKNOWN otherwise."""
        return self.attempt(expression, lambda value: value, [self.value(expression)], [expression])


def of_formula(
    error: NamedTensorError,
    where: Expression,
    named: Sequence[tuple[str, Expression]],
    scope: Scope,
) -> NamedTensorError:
    """Write an operation's error in the words of the formula; an error with a place does not change."""
    if type(error).__init__ is not NamedTensorError.__init__:
        return error
    names = [(word, scope.written(part)) for word, part in named]
    kinds = [isinstance(part, (Letter, Scripts)) for _, part in named]
    names = [(w, t if is_name else f"[{t}]") for (w, t), is_name in zip(names, kinds, strict=True)]
    return type(error)(wording(where), error.why, error.operands, in_notation(error.hint, names))


def is_function(value: Value) -> bool:
    """Say whether a value is a function: one that the document defines, or a known word."""
    return type(value) is Word or hasattr(type(value), "apply")
