"""New tensors drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from namedtensor.axes import Axis
from namedtensor.errors import (
    AxisSizeError,
    KindError,
    NamedTensorError,
    first_line,
)
from namedtensor.operations.axis_functions import AxisFunction, named_operand, wants
from namedtensor.operations.creation import created, library_of, sized_axes
from namedtensor.plans import layout_of
from namedtensor.shape import sized, spaced
from namedtensor.tensor import NamedTensor


def _random(
    name: str,
    word: str,
    axes: Any,
    before: tuple[Any, ...],
    generator: Any,
    dtype: Any,
    device: Any,
    backend: Any,
) -> NamedTensor:
    library = library_of(backend, dtype, device, generator)
    named = sized_axes(name, axes)
    source = library.function("generator_of")
    make = library.function(word)

    def draw(shape: Any, dtype: Any, device: Any) -> Any:
        return make(shape, *before, source(generator, device), dtype, device)

    return created(name, named, library, draw, (), dtype, device)


def normal(
    *axes: Any, generator: Any = None, dtype: Any = None, device: Any = None, backend: Any = None
) -> Any:
    """Draw from the normal distribution with mean 0 and variance 1.

    >>> import numpy as np
    >>> normal("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("normal", "random_normal", axes, (), generator, dtype, device, backend)


def uniform(
    *axes: Any, generator: Any = None, dtype: Any = None, device: Any = None, backend: Any = None
) -> Any:
    """Draw evenly from [0, 1).

    >>> import numpy as np
    >>> uniform("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("uniform", "random_uniform", axes, (), generator, dtype, device, backend)


def randint(
    low: int,
    high: int,
    *axes: Any,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    backend: Any = None,
) -> Any:
    """Draw whole numbers evenly from low, ..., high - 1.

    >>> import numpy as np
    >>> randint(0, 5, "seq[3]", generator=np.random.default_rng(0)).kind
    'int'
    """
    if not all(isinstance(b, (int, np.integer)) for b in (low, high)) or low >= high:
        raise KindError(
            f"randint({low!r}, {high!r}, ...)",
            "the bounds are two whole numbers, the first below the second",
            hint="nt.randint(0, 10, seq[5]) draws from 0, ..., 9",
        )
    return _random(
        "randint", "random_integers", axes, (low, high), generator, dtype, device, backend
    )


def _bind_categorical(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("categorical", axes, 1, "nt.categorical[vocab](P)")
    (axis,) = axes

    def categorical(P: NamedTensor, generator: Any = None) -> NamedTensor:
        named_operand(f"categorical[{axis.name}]", P, axis)
        if P.kind != "float":
            raise KindError(
                f"categorical[{axis.name}](P)",
                f"P holds {P.kind} numbers, and probabilities are real",
                [("P", spaced(P.sizes))],
                f"nt.softmax[{axis.name}](P)",
            )
        rest = tuple([a for a in P.axes if a != axis.name])
        if P.size(axis) == 0:
            raise AxisSizeError(
                f"categorical[{axis.name}](P)",
                f"axis {axis.name} is 0 in P, and there is nothing to draw",
                [("P", spaced(P.sizes))],
                "check the size first: P.size(ax) > 0",
            )
        data = P.positional("P.numpy", (*[sized(a, None) for a in rest], axis))
        try:
            drawn = P.layout.backend.function("categorical")(data, generator)
        except (RuntimeError, ValueError, TypeError, AttributeError) as error:
            raise NamedTensorError(
                f"categorical[{axis.name}](P)",
                f"{P.layout.backend} cannot draw: {first_line(error)}",
                [("P", spaced(P.sizes))],
                f"probabilities are 0 or more and not all 0, as nt.softmax[{axis.name}] gives them; "
                "a generator is of P's library",
            ) from error
        return NamedTensor(drawn, layout_of(rest, "int", P.layout.backend))

    return categorical


categorical = AxisFunction(
    "categorical",
    _bind_categorical,
    "Draw an index along an axis with probabilities proportional to P: R^ax -> [|ax|].",
)
