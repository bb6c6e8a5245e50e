"""The scope in which a formula is checked: names stand for symbols of their declared shapes.

The same evaluator runs formulas and checks them. Here a failure becomes a finding, and the value of that
part is UNKNOWN. What is computed from it is UNKNOWN too, without another finding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from namedtensor.errors import NamedTensorError
from namedtensor.latex.check import failing
from namedtensor.latex.check.look import look_at
from namedtensor.latex.documents.resolver import Resolver
from namedtensor.latex.documents.scopes import Declared, Meaning, Place
from namedtensor.latex.documents.scripts import Indices, key, match
from namedtensor.latex.evaluation.by_elements import SIZE_OF
from namedtensor.latex.evaluation.conditions import held_by
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.identifiers import is_setting
from namedtensor.latex.evaluation.values import (
    UNKNOWN,
    ArgumentsError,
    NoAxisError,
    NotNotationError,
    UndefinedError,
    UnsettledError,
    Value,
)
from namedtensor.latex.syntax import Call, Expression, Scripts
from namedtensor.latex.walk import walk

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


class CheckScope(Resolver):
    """Know the names of one statement, and report its failures.

    `arguments` are the values of the formula's own arguments. A `lenient` statement may use names that
    only prose introduces. With `sizes`, every unknown name is a size. `around` is the scope of the
    formula whose where-clause the statement is.
    """

    def __init__(
        self,
        checker: Checker,
        place: Place,
        indices: Indices | None = None,
        arguments: dict[str, Value] | None = None,
        lenient: bool = False,
        sizes: bool = False,
        around: CheckScope | None = None,
        owner: int = 0,
        believing: bool = True,
    ) -> None:
        inner = {**(around.indices if around else {}), **(indices or {})}
        given = {**(around.arguments if around else {}), **(arguments or {})}
        super().__init__(checker.names, place, inner, given)
        self.checker = checker
        self.lenient = lenient
        self.sizes = sizes
        self.believing = believing
        self.owner: int = around.owner if around else owner
        #: letters from another section -> whether the same is surely meant, as no other section has one
        self.foreign: dict[str, bool] = {}
        self.borrowed: frozenset[str] = around.borrowed if around else frozenset()
        #: arguments that another section declares
        self.far: dict[str, Declared] = around.far if around else {}
        self.bundles: set[int] = set()

    # ------------------------------------------------------------------------- names and sizes

    def own(self, name: Expression, text: str) -> Value | None:
        """Give an argument, an index, or a size."""
        if text in self.indices and self.names.counts(text, self.place):
            return self.checker.size_symbol(text)
        if text in self.arguments:
            far = self.far.get(text)
            if far is None:
                return self.arguments[text]
            self.checker.borrow(name, far)
            sure = text not in self.borrowed
            return self._foreign(text, sure, lambda: self.arguments[text])
        if self.sizes and self.names.sizes_named(text):
            return self.checker.size_symbol(text)
        return None

    def lifted(self) -> set[str]:
        """List the axes over which the call lifts, of arguments that are declared nowhere."""
        defined = self.names.defined_at(self.place)
        if defined is None or defined.call is None:
            return set()
        return self.checker.linker.linked(defined).lifted(self.arguments)

    def meant(self, name: Expression, meaning: Meaning) -> Value:
        """Give the symbol of what the document means by a name; what another section says may be another."""
        names, text = self.names, key(name, self.indices) or ""
        given = meaning.declared or meaning.defined
        if meaning.kind != "function" and given and not names.inherits(self.place, given.place):
            if names.is_size_here(text, self.place):
                return self.checker.size_symbol(text)
            if given.place.index > self.place.index and meaning.kind == "value":
                self.checker.defined_below(name, given.name)
            self.checker.borrow(name, given)
            sure = names.is_only(text, given)
            return self._foreign(text, sure, lambda: self._meant(meaning))
        return self._meant(meaning)

    def _foreign(self, text: str, sure: bool, give: Callable[[], Value]) -> Value:
        """Use a letter's meaning in another section; UNKNOWN on the second try, after a failure."""
        if not self.believing:
            return UNKNOWN
        self.foreign[text] = sure
        return give()

    def _meant(self, meaning: Meaning) -> Value:
        checker, defined = self.checker, meaning.defined
        own = defined is not None and defined.place.block == self.place.block
        if meaning.kind == "size":
            return checker.size_symbol(meaning.key)
        if meaning.kind == "stack" and defined is not None:
            return checker.stacked(defined, self if own else None)
        if meaning.kind == "function" and meaning.defined is not None:
            return checker.function(meaning.defined)
        if meaning.defined is not None and self.names.gives_size(meaning.defined.statement):
            return checker.size_symbol(meaning.key)
        if meaning.defined is not None:
            leaf = checker.series_leaf(meaning.defined, self if own else None)
            if leaf is not None:
                return leaf
            return checker.value_of(meaning.defined, self if meaning.kind == "where" else None)
        if meaning.declared is not None:
            return checker.declared_value(meaning.declared)
        return UNKNOWN

    def unwritten(self, name: Expression, text: str) -> Value | None:
        """Find a name without a definition: an index, an argument, a signature, X^{L-1} between dots."""
        if self.sizes and text.startswith(SIZE_OF):
            return None  # a word such as size-range, for the length of a range
        if text in self.indices or self.sizes or text in self.names.lengths:
            return self.checker.size_symbol(text)
        known = self.checker.argument_named(text, self.place)
        if known is not None:
            return known
        signature = self.names.signatures.get(text)
        if signature is not None:
            return self.checker.promised(signature, self.place)
        function = self.copied(name)
        if function is not None:
            return function
        if isinstance(name, Scripts) and self.place.block in self.checker.dotted:
            member = self.checker.member(name, self.place)
            if member is not None:
                return self.checker.value_of(member)
        return self._counted(name) if isinstance(name, Scripts) else None

    def _counted(self, name: Scripts) -> Value | None:
        """Give a value of x^t from declarations of x^1 and x^2, if all of these have one shape."""
        every = self.checker.names.declared_members(name, self.place)
        members = [d for d in every if match(name, d.name, tuple(self.indices), {})]
        if not members:
            return None
        same = all(d.space == members[0].space for d in members)
        return self.checker.declared_value(members[0]) if same else UNKNOWN

    def size(self, axis: str) -> Value:
        """Give the symbol |axis|."""
        return self.checker.size_symbol(f"|{axis}|")

    # ------------------------------------------------------------------------- what happens

    def seen(self, where: Expression, value: Value, guarded: bool = False) -> Value:
        """Keep the value of a part, and check its axes."""
        checker = self.checker
        checker.values[id(where)] = value
        if not self.lenient:
            value = checker.values[id(where)] = look_at(checker, where, value, guarded)
        return value

    def derived(self, value: Value, by: Value) -> tuple[Value, Value]:
        """Give both as they are: the shape of a derivative is found, which all names of a tensor have."""
        return value, by

    def noted(self, where: Expression, message: str, hint: str, code: str = "no-axis") -> None:
        """Add a note on the meaning that was chosen for a part."""
        if not self.lenient:
            self.checker.report.note(code, where.span, message, hint=hint)

    def written(self, part: Expression) -> str:
        """Give the text of a part in the document."""
        return self.checker.source.written(part.span)

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Report a failure, and go on with UNKNOWN or a value that is likely."""
        checker = self.checker
        value: Value = UNKNOWN
        if isinstance(error, UndefinedError):
            if not self.lenient and id(where) not in self.bundles:
                value = failing.undefined(checker, where)
        elif isinstance(error, UnsettledError):
            checker.report.error("no-axis", where.span, error.why, error.operands, error.hint)
        elif isinstance(error, NoAxisError):
            value = failing.no_axis(checker, where)
        elif isinstance(error, ArgumentsError):
            failing.wrong_arguments(checker, where, error)
        elif not isinstance(error, NotNotationError):
            value = failing.failed(checker, where, error)
        elif not self.lenient:
            failing.not_followed(checker, where, error)
        checker.values[id(where)] = value
        return value

    def expect_bundles(self, body: Any) -> None:
        """Allow undeclared names for bundles, W in f(X; W), and for words, plain in form = plain."""
        for part in walk(body):
            if isinstance(part, Call) and held_by(part) is None:
                self.bundles |= {id(p) for p in part.parameters}
                settings = [a for a in part.arguments if is_setting(a)]
                self.bundles |= {id(value) for s in settings for _, value in s.rest}


def evaluated(scope: CheckScope, body: Expression, find: Callable[[Evaluator], Value]) -> Value:
    """Evaluate a body; an error that was not reported at a part of it is reported at the body."""
    try:
        return find(Evaluator(scope))
    except NamedTensorError as error:
        if not scope.checker.report.any_in(body.span):
            return scope.failed(body, error)
        return UNKNOWN
