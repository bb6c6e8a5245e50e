"""A layout is what a plan depends on: the axes in storage order, the kind, the library."""

from __future__ import annotations

import itertools
from typing import Any
from weakref import WeakValueDictionary

from namedtensor.axes import FRESH
from namedtensor.backends import Backend, get_backend
from namedtensor.compilers import MAKING, STORE, caches_closed, constant_for_compilers, keep

#: How many layouts the cache keeps; older ones live as long as something refers to them.
MOST = 1024


class Layout:
    """Hold the axes of stored data in order; equal layouts are one object.

    Plans are cached by layouts, whose hash is their identity: a call costs one lookup.
    """

    __slots__ = ("__weakref__", "axes", "backend", "code", "hides", "kind")

    def __init__(self, axes: tuple[str, ...], kind: str, backend: Backend) -> None:
        self.axes = axes
        #: Whether there are axes that a formula's body does not know.
        self.hides = any([name.endswith(FRESH) for name in axes])
        self.kind = kind
        self.backend = backend
        # text, which a graph compiler takes for a constant where it makes a number dynamic
        number = next(_serial)
        self.code = f"layout {number}"
        _numbered[number] = self

    def __repr__(self) -> str:
        return f"<{self.kind} {' '.join(self.axes)} in {self.backend}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return layout_of, (self.axes, self.kind, self.backend)

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: Any) -> Layout:
        return self


_serial = itertools.count()
_numbered: WeakValueDictionary[int, Layout] = WeakValueDictionary()


def layout_by_number(number: int) -> Layout:
    """Find a layout by its number, which a graph compiler can hold where it cannot hold objects."""
    return _numbered[number]


@constant_for_compilers
def _layout_name(axes: tuple[str, ...], kind: str, backend: str) -> str:
    """Give the name under which a layout is kept for graph compilers."""

    def make() -> Layout:
        return Layout(axes, kind, get_backend(backend))

    return STORE.name(("layout", axes, kind, backend), make)


_Key = tuple[tuple[str, ...], str, Backend]
_layouts: dict[_Key, Layout] = {}
_living: WeakValueDictionary[_Key, Layout] = WeakValueDictionary()


def layout_of(axes: tuple[str, ...], kind: str, backend: Backend) -> Layout:
    """Give the one layout of these axes, kind and library."""
    key = (axes, kind, backend)
    layout = _layouts.get(key)
    if layout is None:
        if caches_closed():
            kept: Layout = getattr(STORE, _layout_name(axes, kind, backend.name))
            return kept
        with MAKING:
            layout = _living.get(key)
            if layout is None:
                layout = _living[key] = Layout(axes, kind, backend)
            keep(_layouts, key, layout, MOST)
    return layout
