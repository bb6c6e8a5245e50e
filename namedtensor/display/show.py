"""`nt.show`: look at a tensor in the order, in the words and by the axes that the reader chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from namedtensor.axes import (
    Axes,
    Axis,
    AxisIndex,
    AxisSelection,
    distinct,
    one_axis,
    parse_axes,
    shown,
)
from namedtensor.display import heat, html
from namedtensor.display.text import text_of
from namedtensor.display.view import View
from namedtensor.errors import AxisSizeError, BackendError, KindError, kind_of_thing
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, tensor

Words = Mapping[Any, Iterable[Any]]


class Shown:
    """A tensor as `nt.show` shows it: text, HTML, SVG, or a figure of matplotlib.

    `then` and indexing go on with the tensor and keep the words at its axes.
    """

    def __init__(self, view: View, arranged: Mapping[str, Any]) -> None:
        self.view = view
        self._arranged = arranged

    @property
    def tensor(self) -> NamedTensor:
        """The tensor that is shown."""
        found: NamedTensor = self.view.X
        return found

    def then(self, f: Callable[[NamedTensor], NamedTensor]) -> Shown:
        """Show f of the tensor; an axis keeps its words while it keeps its size.

        >>> import namedtensor as nt
        >>> X = nt.show(nt.zeros("seq[2]"), labels={"seq": ["the", "cat"]})
        >>> X.then(nt.softmax["seq"])
        NamedTensor(seq[2], float64)
        seq  the  cat
             0.5  0.5
        """
        return self._again(f(self.tensor), self.view.words)

    def __getitem__(self, record: Any) -> Shown:
        given = record if isinstance(record, tuple) else (record,)
        words = dict(self.view.words)
        for part in given:
            if isinstance(part, AxisSelection) and part.name in words:
                words[part.name] = _picked(part, words[part.name])
            elif isinstance(part, AxisIndex):
                words.pop(part.name, None)
        return self._again(self.tensor[record], words)

    def _again(self, X: NamedTensor, words: Mapping[str, Sequence[str]]) -> Shown:
        sizes = dict(X.sizes)
        kept = {name: w for name, w in words.items() if sizes.get(name) == len(w)}
        arranged = {
            key: value if key != "by" else tuple([n for n in value if n in sizes])
            for key, value in self._arranged.items()
            if key == "by" or value in sizes
        }
        return show(X, labels=kept, **arranged)

    def svg(self) -> str:
        """Draw the tensor as one SVG, whose text has the colour of the page around it."""
        return heat.picture(self.view)

    def figure(self) -> Any:
        """Draw the tensor as a figure of matplotlib, for a paper."""
        from namedtensor.display.figure import figure

        return figure(self.view)

    def __repr__(self) -> str:
        return text_of(self.view, 12 if self._arranged.get("by") else 4)

    def _repr_html_(self) -> str:
        return html.shown_page(self.view)


def show(
    X: Any,
    *,
    rows: Axes | None = None,
    columns: Axes | None = None,
    by: Axes = (),
    labels: Words | None = None,
) -> Shown:
    """Show a tensor with one axis down, one across, and a table or map for each index of others.

        show(X; rows=seq, columns=vocab, by=head, labels={seq: words})

    Left out, rows and columns are the last two axes in the order that the tensor's formula declares.
    Departs: labels stand in the display alone; they are no part of the tensor.

    Raises: AxisMissingError, AxisNameError, AxisSizeError, BackendError, KindError.

    >>> import namedtensor as nt
    >>> nt.show(nt.tensor([[1, 2], [3, 4]], "seq vocab"), rows="vocab", labels={"seq": ["the", "cat"]})
    NamedTensor(vocab[2] x seq[2], int64)
             seq
             the  cat
    vocab 0    1    3
          1    2    4
    """
    X = _tensor(X)
    call = "nt.show(X, ...)"
    down, across = [None if a is None else _own(X, call, a) for a in (rows, columns)]
    panels = tuple([_own(X, call, axis) for axis in parse_axes(by)])
    distinct(call, [Axis(n) for n in (down, across, *panels) if n is not None])
    free = [n for n in X.reading_order if n not in (down, across, *panels)]
    if across is None and free:
        across = free.pop()
    if down is None and free:
        down = free.pop()
    if across is None:
        down, across = None, down
    if labels is not None and not isinstance(labels, Mapping):
        raise KindError(
            call,
            f"labels is {kind_of_thing(labels)}, and says words for each axis",
            shapes(X),
            'nt.show(X, labels={"seq": ["the", "cat"]})',
        )
    words = {_own(X, call, axis): _as_words(w) for axis, w in (labels or {}).items()}
    for name, own in words.items():
        if len(own) != X.size(name):
            raise AxisSizeError(
                call,
                f"labels has {len(own)} words for {shown(name)}, whose size is {X.size(name)}",
                shapes(X),
                f"give one word for each index of {shown(name)}",
            )
    arranged = {
        "rows": down if rows is not None else None,
        "columns": across if columns is not None else None,
    }
    kept = {key: value for key, value in arranged.items() if value is not None}
    return Shown(View(X, down, across, (*free, *panels), words), {**kept, "by": panels})


def _tensor(X: Any) -> Any:
    if isinstance(X, NamedTensor):
        if hasattr(X, "node") and X.node.type.host:
            raise KindError(
                "nt.show(X)", "X is a size inside a formula's body, which has no numbers yet"
            )
        if hasattr(X, "node"):
            X.data  # noqa: B018  in words where a size is open or the body runs on symbols
        return X
    if isinstance(X, (bool, int, float, complex)):
        return tensor(X, ())
    if hasattr(X, "shape") and hasattr(X, "dtype"):
        raise BackendError(
            "nt.show(X)",
            "X is a bare array, and its axes have no names",
            hint='nt.show(nt.tensor(X, "seq emb"))',
        )
    raise KindError(
        "nt.show(X)",
        f"X is {kind_of_thing(X)}, not a named tensor",
        hint="nt.diagram(f) draws a formula",
    )


def _own(X: Any, call: str, axis: Any) -> str:
    """Read the name of an axis that the tensor has."""
    name = one_axis(call, axis).name
    if name not in X.axes:
        raise X.missing(call, name)
    return name


def _as_words(words: Iterable[Any]) -> tuple[str, ...]:
    return tuple([" ".join(str(word).split()) for word in words])


def _picked(part: Any, words: Sequence[str]) -> Sequence[str]:
    """Give the words of the indices that a range or a list of an axis selects."""
    chosen = part.chosen
    if isinstance(chosen, slice):
        return words[chosen]
    try:
        places = list(chosen)
    except TypeError:
        return ()
    if len(places) == len(words) and all(
        isinstance(p, bool) or str(p) in ("True", "False") for p in places
    ):
        return [word for word, kept in zip(words, places, strict=True) if kept]
    return [words[int(place)] for place in places]
