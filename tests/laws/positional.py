"""A second reading of formulas with structure: positional torch, which pairs axes by name as it goes.

The text of a drawn structure runs with `WORDS` of this file in the place of the library's. Nothing is traced,
planned or fused: each operation permutes its operands, calls one function of torch, and names the result.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

# ------------------------------------------------------------------------------------------ axes


class Ax:
    """An axis: a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __rshift__(self, other: Ax) -> tuple[str, str]:
        return self.name, other.name

    def __call__(self, place: Any) -> tuple[str, Any]:
        return self.name, place

    def __abs__(self) -> int:
        return RUNNING[-1].size(self.name)


class Space:
    """A declaration: names of axes; `state` says that calls update it."""

    def __init__(self, axes: Any = (), state: bool = False) -> None:
        found = axes if isinstance(axes, tuple) else (axes,)
        self.axes = tuple([a.name for a in found])
        self.state = state


class Brackets:
    """R[...], nt.State[...], nt.each[...], nt.lift[...]: what stands in brackets is handed to `make`."""

    def __init__(self, make: Any, bare: Any = None) -> None:
        self.make = make
        self.bare = bare

    def __getitem__(self, given: Any) -> Any:
        return self.make(given)


class Bundles:
    """The declaration of a stack, one tensor for all of its layers or one bundle for each."""

    def __init__(self, form: Any) -> None:
        self.form, *how = form if isinstance(form, tuple) else (form,)
        self.stacked = bool(how)


# --------------------------------------------------------------------------------------- tensors


class P:
    """A positional tensor and the names of its axes."""

    def __init__(self, data: torch.Tensor, axes: tuple[str, ...]) -> None:
        assert data.ndim == len(axes) == len(set(axes)), (data.shape, axes)
        self.data = data
        self.axes = axes

    def at(self, axes: tuple[str, ...]) -> torch.Tensor:
        """Give the data in an order of axes, with size 1 where it has none."""
        own = [a for a in axes if a in self.axes]
        data = self.data.permute([self.axes.index(a) for a in own])
        return data.reshape([self.data.shape[self.axes.index(a)] if a in own else 1 for a in axes])

    def __matmul__(self, axes: Any) -> Half:
        return Half(self, axes)

    def __getitem__(self, key: Any) -> P:
        first, second = key
        if isinstance(second, P):
            return self.looked_up(first, second)
        if isinstance(second, int):
            place = self.axes.index(first)
            return P(self.data.select(place, second), self.axes[:place] + self.axes[place + 1 :])
        assert second not in self.axes
        return P(self.data, tuple([second if a == first else a for a in self.axes]))

    def looked_up(self, axis: str, index: P) -> P:
        place = self.axes.index(axis)
        data = self.data.movedim(place, 0)[index.data]
        return P(data, index.axes + self.axes[:place] + self.axes[place + 1 :])

    def along(self, axis: str, count: int) -> list[P]:
        """List the parts along an axis, which one that lacks it has everywhere."""
        if axis not in self.axes:
            return [self] * count
        return [self[axis, i] for i in range(self.data.shape[self.axes.index(axis)])]


def pairwise(function: Any) -> Any:
    """Make an operation of two tensors, or a tensor and a number, of one of torch."""

    def both(a: Any, b: Any) -> P:
        if not isinstance(b, P):
            return P(function(a.data, b), a.axes)
        if not isinstance(a, P):
            return P(function(a, b.data), b.axes)
        axes = a.axes + tuple([x for x in b.axes if x not in a.axes])
        return P(function(a.at(axes), b.at(axes)), axes)

    return both


for _name, _function in {
    "add": torch.add,
    "mul": torch.mul,
    "sub": torch.sub,
    "truediv": torch.true_divide,
}.items():
    setattr(P, f"__{_name}__", pairwise(_function))
P.__radd__ = pairwise(lambda a, b: b + a)  # type: ignore[attr-defined]
P.__rmul__ = pairwise(lambda a, b: b * a)  # type: ignore[attr-defined]
P.__rsub__ = pairwise(lambda a, b: b - a)  # type: ignore[attr-defined]
P.__neg__ = lambda self: P(-self.data, self.axes)  # type: ignore[attr-defined]


class Half:
    """W @ axes, which waits for its other operand."""

    def __init__(self, first: P, axes: Any) -> None:
        self.first = first
        self.axes = [a.name for a in (axes if isinstance(axes, tuple) else (axes,))]

    def __matmul__(self, second: P) -> P:
        first = self.first
        every = list(dict.fromkeys([*first.axes, *second.axes]))
        assert all(a in first.axes and a in second.axes for a in self.axes)
        left = [a for a in every if a not in self.axes]
        sizes = {a: n for X in (first, second) for a, n in zip(X.axes, X.data.shape, strict=True)}
        MULTIPLIED[0] += math.prod(sizes.values())
        data = torch.einsum(
            first.data,
            [every.index(a) for a in first.axes],
            second.data,
            [every.index(a) for a in second.axes],
            [every.index(a) for a in left],
        )
        return P(data, tuple(left))


# ---------------------------------------------------------------------------- formulas and calls


class Held:
    """The parameters of a form with their values: P, Held, lists of Held, functions, None."""

    def __init__(
        self,
        form: Form,
        values: dict[str, Any],
        settings: dict[str, Any] | None = None,
        training: bool | None = None,
    ) -> None:
        self.form = form
        self.values = values
        self.settings = settings or {}
        self.training = training

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        before = list(self.form.before)[: len(args)]
        settings = {n: v for n, v in self.settings.items() if n not in before}
        return self.form.run(self, args, {**settings, **self.values, **named})


class Together(Held):
    """A stack whose parameters have one more axis: its layers run one after the other."""

    def __init__(self, form: Form, values: Any, axis: str, count: int, settings: Any = None):
        super().__init__(form, values, settings)
        self.axis, self.count = axis, count

    def __call__(self, X: Any, *args: Any, **named: Any) -> Any:
        for i in range(self.count):
            values = _layer(self.values, self.axis, i)
            layer = Held(self.form, values, self.settings, self.training)
            X = layer(X, *args, **named)
        return X


def _layer(values: Mapping[str, Any], axis: str, i: int) -> dict[str, Any]:
    return {
        n: Held(v.form, _layer(v.values, axis, i), v.settings, v.training)
        if isinstance(v, Held)
        else v[axis, i]
        if isinstance(v, P)
        else v
        for n, v in values.items()
    }


class Frame:
    """A body that runs: what it was given, whose states it updates, and its mode."""

    def __init__(
        self, held: Held | None, values: dict[str, Any], training: bool, above: Frame | None
    ) -> None:
        self.above = above
        self.held = held
        self.values = values
        self.training = training

    def size(self, axis: str) -> int:
        for X in self.values.values():
            if isinstance(X, P) and axis in X.axes:
                return X.data.shape[X.axes.index(axis)]
        raise AssertionError(f"no {axis}")


RUNNING: list[Frame] = []
#: How many multiply-adds contractions have taken.
MULTIPLIED = [0]
#: The mode of plain calls.
MODE = [True]
_fresh = itertools.count()


class Form:
    """A function with declared axes."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.name = function.__name__
        notes = inspect.get_annotations(function)
        self.declared = {n: _space(notes.get(n)) for n in inspect.signature(function).parameters}
        self.before = {
            n: p
            for n, p in inspect.signature(function).parameters.items()
            if p.kind is not p.KEYWORD_ONLY
        }
        self.states = [n for n, s in self.declared.items() if isinstance(s, Space) and s.state]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call it as a function of a body: what it updates is its caller's."""
        return self.run(None, args, named)

    def run(self, held: Held | None, args: Any, named: dict[str, Any]) -> Any:
        bound = inspect.signature(self.function).bind(*args, **named)
        bound.apply_defaults()
        values = dict(bound.arguments)
        back: dict[str, str] = {}
        values = {n: self._hidden(self.declared[n], v, back) for n, v in values.items()}
        above = RUNNING[-1] if RUNNING else None
        mode = above.training if above else MODE[0]
        if held is not None and held.training is not None:
            mode = held.training
        RUNNING.append(Frame(held, values, mode, above))
        try:
            result = self.function(**values)
        finally:
            RUNNING.pop()
        result, new = _parted(result)
        for name, value in new.items():
            self._store(name, value, values, held, above)
        return _shown(result, {v: k for k, v in back.items()})

    def _store(
        self, name: str, value: Any, values: Any, held: Held | None, above: Frame | None
    ) -> None:
        if not isinstance(value, P):
            value = values[name] * 0 + value
        if held is not None:
            held.values[name] = P(value.at(held.values[name].axes), held.values[name].axes)
            return
        assert above is not None
        for own, X in above.values.items():
            if X is values[name]:
                self._store(own, value, above.values, above.held, above.above)

    def _hidden(self, space: Any, X: Any, back: dict[str, str]) -> Any:
        """Give axes that are not declared names that no body says."""
        if isinstance(X, P) and isinstance(space, Space):
            for axis in X.axes:
                if axis not in space.axes:
                    back.setdefault(axis, f"{axis}.{next(_fresh)}")
            names = [a if a in space.axes else back[a] for a in X.axes]
            return X if tuple(names) == X.axes else P(X.data, tuple(names))
        if isinstance(X, Held) and not isinstance(X, Together):
            inner = {n: X.form._hidden(X.form.declared[n], v, back) for n, v in X.values.items()}
            same = all(inner[n] is v for n, v in X.values.items())
            return X if same else Held(X.form, inner, X.settings, X.training)
        if isinstance(X, list):
            inner_list = [self._hidden(space, v, back) for v in X]
            return X if all(a is b for a, b in zip(X, inner_list, strict=True)) else inner_list
        return X


def _space(note: Any) -> Any:
    if isinstance(note, Brackets):
        return note.bare
    return note


def _parted(result: Any) -> tuple[Any, dict[str, Any]]:
    if isinstance(result, dict):
        return (), result
    if isinstance(result, tuple) and isinstance(result[-1], dict):
        rest = result[:-1]
        return rest[0] if len(rest) == 1 else rest, result[-1]
    return result, {}


def _shown(result: Any, back: dict[str, str]) -> Any:
    if isinstance(result, tuple):
        return tuple([_shown(part, back) for part in result])
    return P(result.data, tuple([back.get(a, a) for a in result.axes]))


# ------------------------------------------------------------------------------------- functions


def each(function: Any) -> Any:
    return lambda X: P(function(X.data), X.axes)


def over(function: Any) -> Any:
    """Make nt.f[axis](X) of a function of the data and a place."""

    def made(axes: Any) -> Any:
        names = [a.name for a in (axes if isinstance(axes, tuple) else (axes,))]

        def call(X: P, *more: Any) -> P:
            return function(X, names, *more)

        return call

    return Brackets(made)


def _reduced(function: Any) -> Any:
    def reduce(X: P, names: list[str]) -> P:
        places = tuple([X.axes.index(a) for a in names])
        return P(function(X.data, places), tuple([a for a in X.axes if a not in names]))

    return over(reduce)


def _standardize(X: P, names: list[str], eps: float = 1e-5) -> P:
    places = [X.axes.index(a) for a in names]
    var, mean = torch.var_mean(X.data, places, correction=0, keepdim=True)
    return P((X.data - mean) / torch.sqrt(var + eps), X.axes)


def _scan(every: bool) -> Any:
    def scan(axis: Ax) -> Any:
        def call(step: Any, carry: Any, X: P) -> P:
            found = []
            for x in X.along(axis.name, 0):
                carry = step(carry, x)
                found.append(carry)
            if not every:
                return carry
            axes = found[0].axes
            return P(torch.stack([h.at(axes) for h in found]), (axis.name, *axes))

        return call

    return Brackets(scan)


def _stack(axis: Ax) -> Any:
    def call(*parts: P) -> P:
        axes = tuple(dict.fromkeys([a for X in parts for a in X.axes]))
        data = torch.broadcast_tensors(*[X.at(axes) for X in parts])
        return P(torch.stack(data), (axis.name, *axes))

    return call


def _dropout(X: P, p: float) -> P:
    """Drop nothing or everything: what is drawn in between is no law."""
    assert p in (0.0, 1.0)
    return P(X.data * 0.0, X.axes) if RUNNING[-1].training and p else X


class _Lift:
    def __init__(self, pattern: str) -> None:
        self.axis = pattern.split(" -> ")[0]


def lifted(function: Any, pattern: str) -> Any:
    """Make what a body calls of a function of arrays along one axis, which comes last."""

    def call(X: P) -> P:
        rest = tuple([a for a in X.axes if a != pattern])
        return P(function(X.at((*rest, pattern))), (*rest, pattern))

    return call


class nt:
    """The library's names, as far as bodies say them."""

    relu, tanh, sigmoid = each(torch.relu), each(torch.tanh), each(torch.sigmoid)
    sin, softplus = each(torch.sin), each(torch.nn.functional.softplus)
    sqrt = staticmethod(lambda x: x**0.5)
    sum = _reduced(torch.sum)
    mean = _reduced(torch.mean)
    softmax = over(lambda X, n: P(torch.softmax(X.data, X.axes.index(n[0])), X.axes))
    standardize = over(_standardize)
    scan, fold = _scan(True), _scan(False)
    stack = Brackets(_stack)
    dropout = staticmethod(_dropout)
    training = staticmethod(lambda: RUNNING[-1].training)
    update = staticmethod(lambda **states: states)
    State = Brackets(lambda space: Space(tuple([Ax(a) for a in _space(space).axes]), state=True))
    each = Brackets(Bundles)
    one = Brackets(lambda form: form)
    lift = Brackets(_Lift)


@contextmanager
def mode(training: bool) -> Iterator[None]:
    MODE.append(MODE[0])
    MODE[0] = training
    try:
        yield
    finally:
        MODE[0] = MODE.pop()


def words(names: str) -> dict[str, Any]:
    """Give what a text may say; a name that ends in _ is the primed axis."""
    axes = {n: Ax(n.replace("_", "'")) for n in names.split()}
    space = Brackets(lambda axes: Space(axes), Space())
    return {
        **axes,
        "nt": nt,
        "formula": Form,
        "R": space,
        "Z": space,
        "checkpoint": lambda f, *args, **_: f(*args),
    }
