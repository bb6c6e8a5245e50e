"""Derivatives of formulas, which are formulas (paper, section 5): the input's axes come back with a star.

f : R^S -> R^T,   derivative(f)(X) in R^{T x S*},   (df/dX)_{t,s*} = d f(X)_t / d X_s

The body of a derivative runs the body of f on symbols that have only the declared axes, differentiates the
result, and substitutes the arguments for the symbols. Further axes lift: one derivative for each record.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from namedtensor.axes import Axis, shown
from namedtensor.errors import (
    AxisClashError,
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.formula.bundle import Bundle, Stack, formula_of, opened, settings_of
from namedtensor.formula.formula import Formula, P
from namedtensor.formula.keys import mode_of
from namedtensor.formula.rewrite.engine import in_plain_forms
from namedtensor.formula.signature import Parameter, R, Signature, Space
from namedtensor.formula.state import Cell, nothing_runs
from namedtensor.formula.written import DerivedFrom, name_part, names_kept, writing
from namedtensor.operations.calculus import By, complex_result, of_function, starred
from namedtensor.operations.derivatives import change, gradients, lifted
from namedtensor.operations.derivatives import derivative as derived
from namedtensor.operations.expanding import ALIKE, EXPAND
from namedtensor.operations.simplification import identity_axes
from namedtensor.primitives import Node, Type, number
from namedtensor.primitives.node import operands_first
from namedtensor.shape import shapes, spaced
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply, symbol


@overload
def derivative(f: Formula[P, Any], by: By = 0) -> Formula[P, NamedTensor]: ...
@overload
def derivative(f: Callable[..., Any], by: By = 0) -> Callable[..., NamedTensor]: ...
def derivative(f: Callable[..., Any], by: By = 0) -> Any:
    """Give the function of all partial derivatives of f with respect to an argument.

        derivative(f)(X)_{t, s*} = d f(X)_t / d X_s

    Of a formula it is a formula: declared axes are starred, extra ones lift, one derivative for each.
    `by` is an argument's place or name, or a parameter's, "att.WQ"; a tuple of them gives a tuple. An
    axis that is starred already gets another star, so that second derivatives have emb* emb**.

    Source: Chiang, Rush and Barak, section 5.

    Raises: DerivativeError where an operation has no rule; AxisNameError where f has no such argument.

    >>> import namedtensor as nt
    >>> X = nt.tensor([1.0, 2.0], "emb")
    >>> derivative(lambda X: X * X)(X).numpy("emb", "emb*")
    array([[2., 0.],
           [0., 4.]])
    """
    return _of("derivative", f, by)


@overload
def grad(f: Formula[P, Any], by: By = 0) -> Formula[P, NamedTensor]: ...
@overload
def grad(f: Callable[..., Any], by: By = 0) -> Callable[..., NamedTensor]: ...
def grad(f: Callable[..., Any], by: By = 0) -> Any:
    """Give the gradient of a function to single numbers, with the axes of X: X + grad lines up.

        grad(f)(X)_s = d f(X) / d X_s

    Of a formula it is a formula, whose extra axes lift, one gradient for each. `by` is an argument's
    place or name, or a parameter's, "att.WQ"; a tuple of them gives a tuple.

    Source: Chiang, Rush and Barak, section 5.

    Raises: AxisSizeError where f(X) has axes; DerivativeError where an operation has no rule.

    >>> import namedtensor as nt
    >>> X = nt.tensor([1.0, 2.0], "emb")
    >>> grad(lambda X: nt.sum["emb"](X * X))(X).numpy("emb")
    array([2., 4.])
    """
    return _of("grad", f, by)


@overload
def differential(f: Formula[P, Any], by: By = 0) -> Formula[..., NamedTensor]: ...
@overload
def differential(f: Callable[..., Any], by: By = 0) -> Callable[..., NamedTensor]: ...
def differential(f: Callable[..., Any], by: By = 0) -> Any:
    """Give the change of f(X) for a small change dX: the derivative times dX, but never built.

        differential(f)(X, dX)_t = sum_s d f(X)_t / d X_s dX_s

    Of a formula it is a formula that takes dX after the other arguments, or by name: (X, Y, dX=dX).

    Source: Chiang, Rush and Barak, section 5.

    Raises: DerivativeError where an operation has no rule; AxisNameError where dX has other axes than X.

    >>> import namedtensor as nt
    >>> X, dX = nt.tensor([1.0, 2.0], "emb"), nt.tensor([1.0, 0.5], "emb")
    >>> differential(lambda X: X * X)(X, dX).numpy("emb")
    array([2., 2.])
    """
    return _of("differential", f, by)


def _of(name: str, f: Callable[..., Any], by: By) -> Any:
    if not callable(f):
        raise KindError(
            f"{name}(f)",
            f"f is {kind_of_thing(f)}, and not a formula or a function of named tensors",
            hint=f"nt.{name}(f)(X), with f a formula",
        )
    parts = by if isinstance(by, tuple) else (by,)
    if not parts or not all([isinstance(part, (int, str)) for part in parts]):
        raise KindError(
            f"{name}(f, by)",
            f"by is {kind_of_thing(by) if parts else 'an empty tuple'}, and an argument goes by its "
            "place or its name",
            hint=f'nt.{name}(f)(X), or nt.{name}(f, by="X")(X) by a name',
        )
    if isinstance(f, Formula) and f.traced:
        return Derived(name, f, by)
    _hold_no_module(name, f, parts)
    return of_function(name, f, by, _plain)


def _hold_no_module(name: str, f: Any, parts: Sequence[int | str]) -> None:
    """Raise AxisNameError if a module is differentiated by a name: only its formula has the names."""
    named = [part for part in parts if isinstance(part, str)]
    formula = getattr(f, "formula", None)
    if named and isinstance(formula, Formula):
        raise AxisNameError(
            f"{name}({formula.name}.module(...), {named[0]!r})",
            f"a call of a module is given arguments alone, by their places, and no {named[0]}",
            hint=f"derive its formula: nt.{name}({formula.name}, by={named[0]!r})(X, **model.named_values())",
        )


def _plain(Y: Any) -> Any:
    """Put the stable form of what a symbolic result spells out, such as a softmax, in its place."""
    return SymbolicTensor(in_plain_forms([Y.node])[0]) if isinstance(Y, SymbolicTensor) else Y


# ------------------------------------------------------------------------------------- formulas


class Derived(Formula):
    """The derivative, gradient or differential of a formula."""

    def __init__(self, what: str, of: Formula, by: By) -> None:
        self.what = what
        self.of = of
        self.by = by
        self.several = isinstance(by, tuple)
        self.call = f"{what}({of.name}{'' if by == 0 else f', {by!r}'})"
        self.places = tuple([_place(self, b) for b in (by if isinstance(by, tuple) else (by,))])
        if of.signature.several:
            raise NamedTensorError(
                self.call,
                f"{of.name} gives {len(of.signature.results or ())} tensors, and one is derived",
                hint="derive a formula that gives one of them",
            )
        paths = tuple([place.path for place in self.places])
        changes = tuple([p.change for p in self.places]) if what == "differential" else ()
        self.derived = DerivedFrom(of.name, paths, changes, of.derived)
        super().__init__(self._body(), self._signature(), fuse=of.fused)
        self.threads = False
        self.made_by = (Derived, (what, of, by))

    # ------------------------------------------------------------------------------ signature

    def _signature(self) -> Signature:
        """Make the signature: the arguments of f and the changes; the declared axes of the derivative."""
        parameters = [replace(p, state=False) for p in self.of.signature.parameters]
        python = list(self.of.signature.python.parameters.values())
        if self.what == "differential":
            at = sum(not p.after for p in parameters)
            for place in self.places:
                name = place.change
                if name in self.of.signature.python.parameters:
                    raise AxisClashError(
                        self.call,
                        f"{self.of.name} has an argument {name}, which is the name of {place.path}'s change",
                        hint=f"call the argument of {self.of.name} otherwise",
                    )
                empty = inspect.Parameter.empty
                late = any(p.default is not empty for p in parameters[:at])
                kind = (
                    inspect.Parameter.KEYWORD_ONLY
                    if late
                    else inspect.Parameter.POSITIONAL_OR_KEYWORD
                )
                parameters.insert(at, Parameter(name, place.space, None, False, empty))
                python.insert(at, inspect.Parameter(name, kind, annotation=place.space))
                at += 1
        return Signature(
            tuple(parameters),
            self._results(),
            self.several and self.what != "differential",
            inspect.Signature(python),
        )

    def _results(self) -> tuple[Space, ...] | None:
        results = self.of.signature.results
        if self.what == "grad":
            if results is not None and results[0].names:
                raise AxisSizeError(
                    self.call,
                    f"{self.of.name} gives {results[0]}, and a gradient is of a single number",
                    hint=f"sum over them in the body; nt.derivative({self.of.name}) keeps them",
                )
            return tuple([_real(p.space, p.space.axes) for p in self.places])
        if results is None:
            return None
        (result,) = results
        if self.what == "differential":
            return (_real(result, result.axes),)
        return tuple(
            [_real(result, (*result.axes, *_starred(p, result.names))) for p in self.places]
        )

    # ----------------------------------------------------------------------------------- body

    def _body(self) -> Callable[..., Any]:
        python = self.of.signature.python

        def body(*args: Any, **named: Any) -> Any:
            changes = {p.path: named.pop(p.change, None) for p in self.places}
            if self.what == "differential":
                own = len(self.of.signature.before)
                args, given = args[:own], args[own:]
                changes |= dict(zip(changes, given, strict=False))
            bound = python.bind(*args, **named)
            bound.apply_defaults()
            found = self._found(bound.arguments, changes)
            return tuple(found) if self.signature.several else found[0]

        body.__name__ = body.__qualname__ = f"{self.what}_{self.of.name}"
        body.__doc__ = f"Give the {self.what} of {self.of.name} by {self.places[0].path}."
        body.names_parts = True  # type: ignore[attr-defined]  # its locals are none of the formula's
        return body

    def _found(self, values: dict[str, Any], changes: dict[str, Any]) -> list[Any]:
        """Differentiate f on symbols with the declared axes, then lift the result over the arguments."""
        leaves: dict[str, tuple[Space, Any, Any]] = {}
        by = {place.path for place in self.places}
        inner = {
            p.name: _entered(p, p.name, values[p.name], by, leaves)
            for p in self.of.signature.parameters
        }
        for place in self.places:
            self._check(place, leaves)
        with names_kept(self.of.function), nothing_runs():
            result = self.of(**inner)
        if isinstance(result, tuple):  # a derivative does not update states
            result, _ = result
        Y = result.node if isinstance(result, SymbolicTensor) else number(result)
        (Y,) = in_plain_forms([Y], writing())
        parts = [leaves[place.path][2].node for place in self.places]
        nodes = self._trees(Y, parts, leaves, changes)
        for name, node in zip("IJKL", filter(identity_axes, operands_first(nodes)), strict=False):
            name_part(name, SymbolicTensor(node))
        given = {leaf.node: value for _, value, leaf in leaves.values()}
        for place, part in zip(self.places, parts, strict=True):
            if changes[place.path] is not None:
                given[_change_of(place, part)] = changes[place.path]
        results = lifted(nodes, given)
        reached = set(operands_first([Y, *parts]))
        extra = _extra_axes([v for v in leaves.values() if v[2].node in reached])
        tensors = [leaves[place.path][1] for place in self.places]
        return [
            _finished(r, extra, tensors[i if len(results) == len(tensors) else 0])
            for i, r in enumerate(results)
        ]

    def _trees(
        self, Y: Node, parts: Sequence[Node], leaves: Mapping[str, Any], changes: Mapping[str, Any]
    ) -> list[Node]:
        if self.what == "grad":
            if Y.type.axes:
                raise self._has_axes(Y, leaves)
            if Y.type.kind == "complex":
                shapes = [(path, spaced(value.sizes)) for path, (_, value, _) in leaves.items()]
                raise complex_result(f"{self.call}(...)", f"{self.of.name}(...)", shapes)
            return gradients(Y, parts, writing())
        if self.what == "differential":
            pairs = zip(self.places, parts, strict=True)
            return [change(Y, {part: _change_of(place, part) for place, part in pairs}, writing())]
        return [
            derived(
                Y,
                part,
                dict(zip(place.space.names, stars, strict=True)),
                writing(),
            )
            for place, part in zip(self.places, parts, strict=True)
            for stars in [[a.name for a in _starred(place, Y.type.names)]]
        ]

    def _has_axes(self, Y: Node, leaves: Mapping[str, Any]) -> AxisSizeError:
        shapes = [(path, spaced(value.sizes)) for path, (_, value, _) in leaves.items()]
        axes = ", ".join(map(shown, Y.type.names))
        return AxisSizeError(
            f"{self.call}(...)",
            f"{self.of.name} gives a tensor over {axes}, and a gradient is of a single number",
            shapes,
            f"sum over them in the body; nt.derivative({self.of.name}) keeps them",
        )

    def _check(self, place: Place, leaves: Mapping[str, Any]) -> None:
        found = leaves.get(place.path)
        if found is None:
            raise AxisNameError(
                f"{self.call}(...)",
                f"{place.path} is not given, and the derivative is by it",
                hint=_what_to_give(place.path, leaves),
            )
        _, value, leaf = found
        if leaf.kind != "float":
            raise KindError(
                f"{self.call}(...)",
                f"{place.path} holds {leaf.kind} numbers, and derivatives are by real ones",
                shapes(value, labels=[place.path]) if hasattr(value, "sizes") else [],
                f"nt.real({place.path}) or nt.imag({place.path})"
                if leaf.kind == "complex"
                else f'{place.path}.to("float32")',
            )


def _what_to_give(path: str, leaves: Mapping[str, Any]) -> str:
    """Say in a hint how to pass the missing tensor, or how long the stack is that lacks it."""
    words = path.split(".")
    for n, word in enumerate(words):
        stack = ".".join([*words[:n], ""])
        given = [p.removeprefix(stack).split(".")[0] for p in leaves if p.startswith(stack)]
        if word.isdigit() and given and word not in given:
            last = ".".join([*words[:n], str(max(map(int, given))), *words[n + 1 :]])
            return f'there are {len({*given})} in {stack[:-1]}, and the last goes by "{last}"'
    if len(words) == 1:
        return f"give it: {path}=..."
    bundle, name = ".".join(words[:-1]), words[-1]
    return f"give it in {bundle}: dict(..., {name}=...), or a module that has it: dict({name}=True)"


@dataclass(frozen=True, slots=True)
class Place:
    """A tensor of a formula's signature to differentiate by: its path and its space."""

    path: str
    space: Space

    @property
    def change(self) -> str:
        """The name of its change."""
        return f"d{self.path.replace('.', '_')}"


def _place(derived: Derived, by: Any) -> Place:
    """Find an argument by its place, or an argument or a parameter by its name."""
    f = derived.of
    paths = dict(f.signature.paths())
    before = [p.name for p in f.signature.before]
    if isinstance(by, int) and not isinstance(by, bool) and 0 <= by < len(before):
        by = before[by]
    if by in paths:
        return Place(by, paths[by])
    if isinstance(by, str) and (space := _space_in_stack(f.signature, by)) is not None:
        return Place(by, space)
    if isinstance(by, int):
        why = f"{f.name} has {len(before)} argument(s), and argument {by} is asked for"
        hint = "arguments count from 0; a parameter goes by its name"
    else:
        why = f"{f.name} has no tensor {by!r}"
        hint = f"one of {', '.join(paths) or 'none'}"
    raise AxisNameError(derived.call, why, hint=hint)


def _space_in_stack(signature: Signature, path: str) -> Space | None:
    """Find what is declared for a parameter in any bundle of a stack: layers.5.W."""
    head, _, rest = path.partition(".")
    found = next((p for p in signature.parameters if p.name == head and p.after), None)
    if found is None or not rest:
        return None if found is None else found.space
    if found.stack:
        number, _, rest = rest.partition(".")
        if not number.isdecimal():
            return None
    return None if found.bundle is None else _space_in_stack(found.bundle.signature, rest)


def _starred(place: Place, taken: Sequence[str]) -> tuple[Axis, ...]:
    """Give the starred axes of the tensor to differentiate by, each with enough stars to be distinct."""
    names = starred(place.space.names, taken)
    return tuple([Axis(names[axis.name], axis.size) for axis in place.space.axes])


def _real(space: Space, axes: Sequence[Axis]) -> Space:
    """Give a space of real numbers over axes; those that another space has keep its named sizes."""
    names = {axis.name for axis in axes}
    kept = tuple([pair for pair in space.size_names if pair[0] in names])
    return Space(R.letter, R.kinds, tuple(axes), kept)


def _entered(p: Parameter, path: str, value: Any, by: set[str], leaves: dict[str, Any]) -> Any:
    """Put a symbol with the declared axes in place of each tensor, and keep both."""
    if p.optional and value is None:
        return None
    if p.bundle is not None:
        found = {
            n: _entered(q, f"{path}.{n}", v, by, leaves)
            for n, (q, v) in opened(p, value, path).items()
        }
        if p.stack:
            return Stack(found.values())
        return Bundle(formula_of(p.bundle, value), found, mode_of(value), settings_of(value))
    if isinstance(value, Cell):
        value = value.value
    if p.space is None or value is None:
        return value
    if not isinstance(value, NamedTensor):
        if path not in by:
            return value
        leaves[path] = (p.space, value, symbol(path, Type((), "float")))
        return leaves[path][2]
    if path not in by and isinstance(value, SymbolicTensor) and value.node.closed:
        return value
    sizes = dict(value.node.type.axes if isinstance(value, SymbolicTensor) else value.sizes)
    axes = tuple([(a, sizes[a]) for a in p.space.names])
    leaves[path] = (p.space, value, symbol(path, Type(axes, value.kind)))
    return leaves[path][2]


def _extra_axes(leaves: Sequence[tuple[Space, Any, Any]]) -> dict[str, Any]:
    """Give the axes that arguments have beyond their declarations, with their sizes."""
    found: dict[str, Any] = {}
    for space, value, _ in leaves:
        for axis, size in getattr(value, "sizes", ()):
            if axis not in space.names:
                found.setdefault(axis, size)
    return found


def _change_of(place: Place, part: Node) -> Node:
    """Make the leaf that stands for the change of a part."""
    return symbol(place.change, part.type).node


def _finished(result: Any, extra: Mapping[str, Any], like: Any) -> Any:
    """Give a result the extra axes of the arguments, and the dtype of the tensor to differentiate by."""
    for axis, size in extra.items():
        if axis not in getattr(result, "axes", ()):
            result = apply(EXPAND(axis), result, size)
    weak = isinstance(result, SymbolicTensor) and result.node.type.weak
    if not isinstance(result, NamedTensor) or result.kind != "float" or weak:
        result = apply(ALIKE.plain, result, like)
    return result
