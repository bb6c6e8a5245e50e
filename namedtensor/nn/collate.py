"""Put examples together along a new axis, as a DataLoader asks for it: nt.collate[batch]."""

from __future__ import annotations

import functools
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from namedtensor.axes import Axes, lacks, naming, one_axis, shown, typed_axes, typed_axis
from namedtensor.backends import backend_of, get_backend
from namedtensor.backends.lazy import np
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    flag,
    kind_of_thing,
)
from namedtensor.plans import layout_of
from namedtensor.shape import shapes, spaced
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.diagnose import dtype_name, limits_of
from namedtensor.tensor.held import Held


class Masks(dict[str, NamedTensor]):
    """The mask of each axis that was padded: masks[seq] or masks["seq"]."""

    def __getitem__(self, axis: Axes) -> NamedTensor:
        return super().__getitem__(one_axis("masks[...]", axis).name)


class Collated:
    """nt.collate[batch], which puts examples together along one axis; workers get it pickled."""

    def __init__(self, axis: str) -> None:
        self.axis = axis

    def __call__(
        self,
        examples: Sequence[Any],
        pad: Mapping[Any, Any] | None = None,
        mask: bool = False,
    ) -> Any:
        if isinstance(examples, NamedTensor):
            raise KindError(
                f"{self!r}(X)".removeprefix("nt."),
                "X is one example, and a batch is made of a list of them",
                shapes(examples),
                f"{self!r}([X])",
            )
        if isinstance(examples, (str, bytes, Mapping)) or not isinstance(examples, Iterable):
            raise KindError(
                f"{self!r}({kind_of_thing(examples)})".removeprefix("nt."),
                f"a batch is made of a list of examples, and {kind_of_thing(examples)} is given",
                hint=f"{self!r}([X, Y])",
            )
        flag(f"{self!r}(...)".removeprefix("nt."), "mask", mask)
        if pad is not None and not isinstance(pad, Mapping):
            raise KindError(
                f"{self!r}(examples, pad)".removeprefix("nt."),
                f"pad is {kind_of_thing(pad)}, and says a number for each axis that is filled",
                hint=f"{self!r}(examples, pad={{seq: 0}})",
            )
        return _Batch(self.axis, list(examples), pad or {}).made(mask)

    def __repr__(self) -> str:
        return f"nt.collate[{self.axis}]"


class Collate:
    """Put examples together along a new axis, for a DataLoader.

        collate[batch](examples, pad={seq: 0}, mask=True) : R^seq, R^seq, ... -> R^{batch x seq}

    An example is a named tensor, a number, or dicts and tuples of them; text becomes a list. Axes of
    `pad` are filled with its number, behind, to the longest size in the batch; a dict gives a number for
    each name: {seq: {"ids": 0, "labels": -100}}. `mask=True` gives (batch, masks), where masks[seq] is
    true at what is no padding. For a DataLoader: functools.partial(nt.collate[batch], pad={seq: 0}).

    Raises: AxisSizeError, AxisMissingError, AxisClashError, KindError, BackendError.

    >>> rows = [nt.tensor([1, 2], "seq"), nt.tensor([3], "seq")]
    >>> nt.collate["batch"](rows, pad={"seq": 0}).numpy("batch", "seq").tolist()
    [[1, 2], [3, 0]]
    """

    __name__ = "collate"

    def __getitem__(self, axis: Axes) -> Collated:
        return (
            _collated(axis) if type(axis) is str else Collated(one_axis("collate[...]", axis).name)
        )

    def __call__(
        self,
        examples: Sequence[Any],
        pad: Mapping[Any, Any] | None = None,
        mask: bool = False,
    ) -> NoReturn:
        raise AxisMissingError(
            "collate(examples)", "the new axis is not named", hint="nt.collate[batch](examples)"
        )

    def __reduce__(self) -> str:
        return "collate"


@functools.lru_cache(maxsize=64)
def _collated(name: str) -> Collated:
    """Make nt.collate[axis] once for each name, because a program asks for it with each batch."""
    return Collated(one_axis("collate[...]", name).name)


collate = Collate()


_PLAIN = {int, float, bool}
#: Reads a named tensor's array faster than X.data does: a batch has many examples.
_DATA, _LAYOUT = [vars(Held)[name].__get__ for name in ("_data", "_layout")]
_DTYPE = operator.attrgetter("dtype")


class _Batch:
    """One call: which axes are padded, with what, and to which size."""

    def __init__(self, axis: str, examples: list[Any], pad: Mapping[Any, Any]) -> None:
        self.axis = axis
        self.call = f"collate[{axis}](...)"
        self.examples = examples
        self.pad = {one_axis(self.call, a).name: value for a, value in pad.items()}
        #: for each padded axis its size in each example, and the tensor that has it
        self.lengths: dict[str, list[tuple[int, str] | None]] = {}

    def made(self, mask: bool) -> Any:
        if not self.examples:
            raise AxisSizeError(
                self.call,
                "there are no examples",
                hint="drop_last=True, or a batch that is not empty",
            )
        if self.pad:
            for place, example in enumerate(self.examples):
                self._measure(example, "", place)
            for axis in self.pad:
                if axis not in self.lengths:
                    raise AxisMissingError(
                        self.call,
                        f"no example has the axis {shown(axis)} that pad names",
                        hint=f"leave it out of pad: {shown(axis)}",
                    )
        batch = self._together(self.examples, "")
        return (batch, self._masks()) if mask else batch

    # ------------------------------------------------------------------------------------ sizes

    def _measure(self, example: Any, path: str, place: int) -> None:
        """Note the sizes of padded axes: within an example, an axis has one size."""
        if type(example) is NamedTensor:
            for axis, size in zip(example.axes, example.data.shape, strict=True):
                if axis in self.pad:
                    found = self.lengths.setdefault(axis, [None] * len(self.examples))
                    before = found[place] = found[place] or (size, path)
                    if before[0] != size:
                        raise AxisSizeError(
                            self.call,
                            f"axis {shown(axis)} is {before[0]} in {before[1]} and {size} in {path} of "
                            f"example {place}",
                            hint=f"rename one of them, and pad both: {shown(axis)}'",
                        )
        elif isinstance(example, Mapping):
            for name, part in example.items():
                self._measure(part, f"{path}.{name}" if path else str(name), place)
        elif isinstance(example, (tuple, list)):
            for i, part in enumerate(example):
                self._measure(part, f"{path}[{i}]", place)

    def _masks(self) -> Masks:
        """Make the mask of each padded axis: true where there is no padding."""
        masks = Masks()
        for axis, found in self.lengths.items():
            sizes = np.array([size for size, _ in [pair or (0, "") for pair in found]])
            inside = np.arange(sizes.max())[None, :] < sizes[:, None]
            backend = self.library
            data: Any = inside
            if backend.name == "torch":
                import torch

                data = torch.as_tensor(inside)
            masks[axis] = NamedTensor(data, layout_of((self.axis, axis), "bool", backend))
        return masks

    @functools.cached_property
    def library(self) -> Any:
        """The library of the first tensor; numbers alone become torch tensors, as in a DataLoader."""
        first = next((X for X in _leaves(self.examples[0]) if isinstance(X, NamedTensor)), None)
        return get_backend("torch") if first is None else first.layout.backend

    # --------------------------------------------------------------------------------- together

    def _together(self, parts: list[Any], path: str) -> Any:
        first = parts[0]
        kind = type(first)
        one_kind = len(set(map(type, parts))) == 1
        if kind is NamedTensor:
            return self._stacked(parts, path, one_kind)
        if kind is dict or isinstance(first, Mapping):

            def same_keys(part: Any) -> bool:
                return isinstance(part, Mapping) and part.keys() == first.keys()

            if not one_kind or set(map(len, parts)) != {len(first)}:
                self._differ(parts, path, same_keys)
            try:  # each example counts: these loops run in C
                columns = {n: list(map(operator.itemgetter(n), parts)) for n in first}
            except KeyError:
                self._differ(parts, path, same_keys)
            start = f"{path}." if path else ""
            return {n: self._together(column, f"{start}{n}") for n, column in columns.items()}
        if isinstance(first, (tuple, list)):
            if not one_kind or len(set(map(len, parts))) > 1:
                self._differ(parts, path, lambda p: type(p) is kind and len(p) == len(first))
            made = [
                self._together(list(column), f"{path}[{i}]")
                for i, column in enumerate(zip(*parts, strict=True))
            ]
            return kind(*made) if hasattr(first, "_fields") else tuple(made)
        if isinstance(first, (str, bytes)) or first is None:
            if not one_kind:
                self._differ(parts, path, lambda p: type(p) is kind)
            return parts
        return self._numbers(parts, path)

    def _differ(self, parts: list[Any], path: str, same: Callable[[Any], bool]) -> None:
        """Raise KindError where an example is made of other things than the first."""
        for place, part in enumerate(parts):
            if not same(part):
                raise KindError(
                    self.call,
                    f"{self._of(path, 0)} is {_made_of(parts[0])}, and {self._of(path, place)} "
                    f"{_made_of(part)}",
                    hint="give every example the same parts",
                )

    def _numbers(self, parts: list[Any], path: str) -> NamedTensor:
        """Put numbers together: Python's, numpy's, and arrays without axes."""
        odd = [] if set(map(type, parts)) <= _PLAIN else parts
        self._differ(odd, path, lambda part: not isinstance(part, NamedTensor))
        for place, part in enumerate(odd):
            plain = isinstance(part, numbers.Number) or getattr(part, "shape", None) == ()
            if not plain:
                what = self._of(path, place)
                raise BackendError(
                    self.call,
                    f"{what} is {kind_of_thing(part)}, and its axes have no names"
                    if hasattr(part, "shape")
                    else f"{what} is {kind_of_thing(part)}, and named tensors, numbers, dicts and "
                    "tuples are put together",
                    hint=naming("x", part),
                )
        backend = self.library
        if backend.name == "torch" and any([backend_of(part) is backend for part in odd]):
            import torch

            data: Any = torch.stack([torch.as_tensor(part) for part in parts])
        else:
            data = np.asarray(parts)
            # whole numbers that fit are the usual case, in which they need not be checked one by one
            if data.dtype.kind not in "ib" and any(
                [isinstance(part, int) and not -(1 << 63) <= part < 1 << 63 for part in parts]
            ):
                raise KindError(
                    self.call,
                    f"{path or 'X'} has a whole number beyond 64 bits",
                    hint="give real numbers: float(x)",
                )
            if backend.name == "torch":
                import torch

                data = torch.from_numpy(data)
        return NamedTensor(data, layout_of((self.axis,), backend.kind_of(data.dtype), backend))

    def _stacked(self, parts: list[Any], path: str, one_kind: bool) -> NamedTensor:
        """Stack named tensors along the new axis, each axis that is padded as long as the longest."""
        first = parts[0]
        layout = first._layout
        self.__dict__.setdefault("library", layout.backend)
        # each example counts: these loops run in C
        same = one_kind and set(map(_LAYOUT, parts)) == {layout}
        data = list(map(_DATA, parts)) if same else []
        if len(set(map(_DTYPE, data))) != 1:
            self._differ(parts, path, lambda part: type(part) is NamedTensor)
            self._hold(parts, path)
            data = [self._data(part, layout.axes) for part in parts]
        if self.axis in layout.axes:
            raise AxisClashError(
                self.call,
                f"{self._of(path, 0)} has an axis {shown(self.axis)} already",
                shapes(first, labels=[self._of(path, 0)]),
                f'rename it, X["{shown(self.axis)} -> {shown(self.axis)}\'"], or collate[other]',
            )
        longest = tuple(data[0].shape)
        if self.pad:
            pairs = zip(layout.axes, longest, strict=True)
            longest = tuple([self._longest(axis, size) for axis, size in pairs])
        whole = None
        if longest == data[0].shape:
            try:
                whole = layout.backend.function("stack")(data, 0)
            except (RuntimeError, ValueError):
                whole = None  # sizes differ
        if whole is None:
            whole = self._padded(parts, data, longest, path)
        axes = (self.axis, *layout.axes)
        return NamedTensor(whole, layout_of(axes, layout.kind, layout.backend))

    def _data(self, part: Any, axes: tuple[str, ...]) -> Any:
        return (
            part._data
            if part._layout.axes == axes
            else part.layout.backend.function("permute")(
                part.data, tuple([part.axes.index(a) for a in axes])
            )
        )

    def _longest(self, axis: str, size: int) -> int:
        found = self.lengths.get(axis)
        return size if found is None else max([pair[0] for pair in found if pair is not None])

    def _hold(self, parts: list[Any], path: str) -> None:
        """Raise where tensors differ in more than sizes and the order in which they are stored."""
        first = parts[0]
        for place, part in enumerate(parts):
            shapes = [
                (self._of(path, 0), spaced(first.sizes)),
                (self._of(path, place), spaced(part.sizes)),
            ]
            if set(part.axes) != set(first.axes):
                odd = sorted(set(part.axes) ^ set(first.axes))[0]
                owner = 0 if odd in first.axes else place
                raise AxisMissingError(
                    self.call,
                    f"{lacks(self._of(path, place if owner == 0 else 0), odd)}, which "
                    f"{self._of(path, owner)} has",
                    shapes,
                    "give every example the same axes",
                )
            if (
                part.layout.backend is not first.layout.backend
                or part.data.dtype != first.data.dtype
            ):
                raise KindError(
                    self.call,
                    f"{self._of(path, 0)} holds {first.data.dtype}, and {self._of(path, place)} "
                    f"{part.data.dtype}",
                    shapes,
                    'give every example one dtype: X.to("float32")',
                )

    def _padded(
        self, parts: list[Any], data: list[Any], longest: tuple[int, ...], path: str
    ) -> Any:
        """Fill up to the longest; refuse a size that differs and is not padded."""
        first = parts[0]
        values = set()
        for place, (part, x) in enumerate(zip(parts, data, strict=True)):
            for axis, size, wanted in zip(first.axes, x.shape, longest, strict=True):
                if size == wanted:
                    continue
                if axis not in self.pad:
                    raise AxisSizeError(
                        self.call,
                        f"axis {shown(axis)} is {wanted} in {self._of(path, 0)} and {size} in "
                        f"{self._of(path, place)}",
                        [
                            (self._of(path, 0), spaced(first.sizes)),
                            (self._of(path, place), spaced(part.sizes)),
                        ],
                        f"nt.collate[{typed_axes([self.axis])}](examples, pad={{{typed_axis(axis)}: 0}})",
                    )
                values.add(self._value(axis, path))
        if len(values) > 1:
            raise KindError(
                self.call,
                f"{path or 'X'} is padded along several axes with {' and '.join(map(str, sorted(values)))}",
                hint="give them one number",
            )
        (value,) = values
        self._hold_value(first, value, path)
        size = (len(parts), *longest)
        whole = (
            first.data.new_full(size, value)
            if hasattr(first.data, "new_full")
            else np.full(size, value, first.data.dtype)
        )
        for place, x in enumerate(data):
            inside: Any = (place, *[slice(size) for size in x.shape])
            whole[inside] = x
        return whole

    def _value(self, axis: str, path: str) -> Any:
        value = self.pad[axis]
        if isinstance(value, Mapping):
            name = path.rpartition(".")[2]
            if path not in value and name not in value:
                raise AxisNameError(
                    self.call,
                    f"pad has no number for {shown(axis)} of {path or 'X'}",
                    hint=f"pad={{{shown(axis)}: {{{name!r}: 0}}}}",
                )
            value = value.get(path, value.get(name))
        return value

    def _hold_value(self, first: Any, value: Any, path: str) -> None:
        fits = isinstance(value, numbers.Real)
        if fits and first.kind in ("int", "bool"):
            low, high = (0, 1) if first.kind == "bool" else limits_of(first.data)
            fits = float(value).is_integer() and low <= value <= high
        if not fits:
            raise KindError(
                self.call,
                f"{path or 'X'} holds {dtype_name(first.data)} numbers, and is padded with {value!r}",
                shapes(first, labels=[self._of(path, 0)]),
                "pad it with one of its own numbers",
            )

    def _of(self, path: str, place: int) -> str:
        return f"{path} of example {place}" if path else f"example {place}"


def _leaves(example: Any) -> list[Any]:
    if isinstance(example, Mapping):
        return [leaf for part in example.values() for leaf in _leaves(part)]
    if isinstance(example, (tuple, list)):
        return [leaf for part in example for leaf in _leaves(part)]
    return [example]


def _made_of(part: Any) -> str:
    if isinstance(part, Mapping):
        return f"a dict of {', '.join(map(str, part))}"
    if isinstance(part, (tuple, list)):
        return f"a {type(part).__name__} of {len(part)}"
    return "a named tensor" if isinstance(part, NamedTensor) else kind_of_thing(part)
