"""New tensors drawn at random: outside of formulas at once, in a body anew at each call.

What is drawn has mean 0 and scale 1 where it says nothing else: mean + scale * nt.normal(seq[5]).
The same generator in the same state gives the same numbers. Parameters are plain numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from namedtensor.axes import Axis, axis_code, parse_axes, typed_axes
from namedtensor.backends.lazy import np
from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisClashError,
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    TraceError,
    first_line,
)
from namedtensor.operations.axis_functions import axis_function, named_operand, wants
from namedtensor.operations.constants import made, noise_in_body, refuse_place
from namedtensor.operations.creation import (
    AxesSpec,
    Device,
    DType,
    created,
    dtype_name,
    library_of,
    sized_axes,
)
from namedtensor.operations.elementwise import log, log1p, maximum, where
from namedtensor.operations.indexing import index
from namedtensor.operations.ordering import argsort
from namedtensor.operations.reductions import needs_a_record
from namedtensor.plans import Emitter, Lowered, Value, layout_of
from namedtensor.primitives import Call, Traits, Type, primitive
from namedtensor.primitives.notation import Word
from namedtensor.primitives.traits import uses_first
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.apply import steps_traced
from namedtensor.tensor.symbolic import on_symbols

if TYPE_CHECKING:
    import torch

#: A source of random numbers, of the library that draws.
Generator: TypeAlias = "np.random.Generator | torch.Generator | None"

#: What stands for 0 where its logarithm would be infinite.
_LEAST = 1e-37


def _random(
    name: str,
    word: str,
    axes: tuple[AxesSpec, ...],
    before: tuple[float, ...],
    generator: Generator,
    dtype: DType,
    device: Device,
    backend: str | None,
) -> NamedTensor:
    if not compiling() and on_symbols.get():
        refuse_place(name, device, backend)
        return noise_in_body(
            name, word, axes, before, generator, dtype_name(dtype) if dtype else None
        )
    library = library_of(backend, dtype, device, generator)
    named = sized_axes(name, axes)
    source = library.function("generator_of")
    make = library.function(word)

    def draw(shape: Any, dtype: Any, device: Any) -> Any:
        return make(shape, *before, source(generator, device), dtype, device)

    return created(name, named, library, draw, (), dtype, device)


def _short(value: object) -> str:
    """Write a number, or say what stands in its place."""
    return repr(value) if isinstance(value, (bool, int, float)) else "..."


def _above_0(call: str, name: str, value: float) -> None:
    """Raise KindError unless a parameter of a distribution is a finite number above 0."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
        value, bool
    )
    if not number or not 0 < value < np.inf:
        raise KindError(
            call,
            f"the {name} is a plain number above 0",
            hint=f"give a number: nt.{call.split('(')[0]}(1.0, "
            f"{'1.0, ' if call.startswith('beta') else ''}seq[5])",
        )


# --------------------------------------------------------------------------------- real numbers


def normal(
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw from the normal distribution with mean 0 and variance 1.

        normal : R^axes;  density exp(-x^2 / 2) / sqrt(2 pi)

    Raises: AxisSizeError where an axis has no size, BackendError where the library refuses.

    >>> import numpy as np
    >>> nt.normal("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("normal", "random_normal", axes, (), generator, dtype, device, backend)


def uniform(
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw evenly from [0, 1).

        uniform : [0, 1)^axes

    Raises: AxisSizeError where an axis has no size, BackendError where the library refuses.

    >>> import numpy as np
    >>> nt.uniform("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("uniform", "random_uniform", axes, (), generator, dtype, device, backend)


def exponential(
    rate: float,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw waiting times: density rate exp(-rate x) for x >= 0, of mean 1 / rate.

        exponential(rate) : R^axes

    Raises: KindError unless the rate is above 0, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.exponential(2.0, "seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    _above_0(f"exponential({_short(rate)}, ...)", "rate", rate)
    even = _random("exponential", "random_uniform", axes, (), generator, dtype, device, backend)
    times: NamedTensor = -log1p(-even) / rate
    return times


def laplace(
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw from the Laplace distribution: density exp(-|x|) / 2, of mean 0 and variance 2.

        laplace : R^axes

    Raises: AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.laplace("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    even = 2 * _random("laplace", "random_uniform", axes, (), generator, dtype, device, backend) - 1
    return where(even < 0, log1p(even), -log1p(-even))


def gumbel(
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw from the Gumbel distribution: density exp(-x - exp(-x)), of mean 0.5772.

        gumbel : R^axes

    The greatest of log P + gumbel is drawn with probability P. Raises: AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.gumbel("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    even = _random("gumbel", "random_uniform", axes, (), generator, dtype, device, backend)
    drawn: NamedTensor = -log(maximum(-log1p(-even), _LEAST))
    return drawn


def gamma(
    shape: float,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw from the gamma distribution: density x^(shape - 1) exp(-x) / Gamma(shape), of mean shape.

        gamma(shape) : R^axes

    Raises: KindError unless the shape is above 0, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.gamma(2.0, "seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    _above_0(f"gamma({_short(shape)}, ...)", "shape", shape)
    return _random(
        "gamma", "random_gamma", axes, (float(shape),), generator, dtype, device, backend
    )


def beta(
    a: float,
    b: float,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw from the beta distribution: density x^(a-1) (1-x)^(b-1) / B(a, b), of mean a / (a + b).

        beta(a, b) : [0, 1]^axes

    Raises: KindError unless a and b are above 0, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.beta(2.0, 3.0, "seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    _above_0(f"beta({_short(a)}, {_short(b)}, ...)", "first parameter", a)
    _above_0(f"beta({_short(a)}, {_short(b)}, ...)", "second parameter", b)
    return _random(
        "beta", "random_beta", axes, (float(a), float(b)), generator, dtype, device, backend
    )


# ------------------------------------------------------------- truth values and whole numbers


def bernoulli(
    p: float,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw truth values that are true with probability p.

        bernoulli(p) : {0,1}^axes

    For a tensor of probabilities compare: nt.uniform(seq[5]) < P.
    Raises: KindError unless p is a number from 0 to 1, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.bernoulli(0.5, "seq[3]", generator=np.random.default_rng(0)).kind
    'bool'
    """
    if not isinstance(p, (int, float, np.integer, np.floating)) or not 0 <= p <= 1:
        raise KindError(
            f"bernoulli({p!r}, ...)",
            "the probability is a plain number from 0 to 1",
            hint="nt.bernoulli(0.5, seq[5]); for a tensor P of probabilities nt.uniform(seq[5]) < P",
        )
    if dtype is not None and dtype_name(dtype) != "bool":
        raise KindError(
            f"bernoulli({p!r}, ..., dtype={dtype_name(dtype)})",
            "what is drawn are truth values",
            hint=f"nt.cast(nt.bernoulli({p!r}, seq[5]), '{dtype_name(dtype)}')",
        )
    even = _random("bernoulli", "random_uniform", axes, (), generator, None, device, backend)
    drawn: NamedTensor = even < float(p)
    return drawn


def randint(
    low: int,
    high: int,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw whole numbers evenly from low, ..., high - 1.

        randint(low, high) : {low, ..., high - 1}^axes

    Raises: KindError unless the bounds are whole numbers in order, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.randint(0, 5, "seq[3]", generator=np.random.default_rng(0)).kind
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


def poisson(
    rate: float,
    *axes: AxesSpec,
    generator: Generator = None,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw counts: k with probability rate^k exp(-rate) / k!, of mean and variance rate.

        poisson(rate) : N^axes

    Raises: KindError unless the rate is above 0, AxisSizeError, BackendError.

    >>> import numpy as np
    >>> nt.poisson(2.0, "seq[3]", generator=np.random.default_rng(0)).kind
    'int'
    """
    _above_0(f"poisson({_short(rate)}, ...)", "rate", rate)
    return _random(
        "poisson", "random_poisson", axes, (float(rate),), generator, dtype, device, backend
    )


def permutation(
    *axes: AxesSpec,
    generator: Generator = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Draw an order of the indices of the first axis, for each record of the others.

        permutation : {0, ..., |ax| - 1}^{ax x others};  X[ax(permutation(ax[n]))] is X, shuffled

    Raises: AxisSizeError where an axis has no size, AxisNameError where none is named, BackendError.

    >>> import numpy as np
    >>> P = nt.permutation("seq[3]", generator=np.random.default_rng(0))
    >>> nt.sort["seq"](P).numpy()
    array([0, 1, 2])
    """
    named = parse_axes(axes)
    if not named:
        raise AxisNameError("permutation()", "no axis is named", hint="nt.permutation(seq[5])")
    if compiling() or not on_symbols.get():
        backend = library_of(backend, None, device, generator).name
    # numbers of few bits would often be equal
    even = _random(
        "permutation", "random_uniform", named, (), generator, "float64", device, backend
    )
    return argsort[sized(named[0].name, None)](even)


# ---------------------------------------------------------------------------- from what is there


def _one_and_new(axes: tuple[Axis, ...]) -> tuple[Axis, Axis]:
    """Read the axis that is drawn from, and the one of those that are drawn, with its size."""
    wants("choice", axes, 2, "nt.choice[seq, draw[5]](X)")
    axis, new = axes
    if new.size is None:
        raise AxisSizeError(
            f"choice[{axis!r}, {new!r}]",
            f"{new.name} has no size: how many?",
            hint=f"nt.choice[{typed_axes([axis.name])}, {axis_code(new.name, 5)}](X)",
        )
    return axis, new


@axis_function(first=_one_and_new)
def choice(
    axes: tuple[Axis, Axis], X: NamedTensor, replace: bool = True, generator: Generator = None
) -> NamedTensor:
    """Draw records of X along an axis, each as likely, onto a new one; no record twice unless replaced.

        choice_{ax,new} : R^ax -> R^new

    The same records are drawn for all other axes. nt.categorical draws with probabilities.
    Raises: AxisNameError, AxisMissingError, AxisClashError, AxisSizeError where there are too few,
    TraceError inside of a formula.

    >>> import numpy as np
    >>> X = nt.tensor([5, 6, 7], "seq")
    >>> drawn = nt.choice["seq", "draw[3]"](X, replace=False, generator=np.random.default_rng(0))
    >>> nt.sort["draw"](drawn).numpy()
    array([5, 6, 7])
    """
    axis, new = axes
    call = f"choice[{axis.name}, {new!r}]"
    named_operand(call, X, axis)
    if isinstance(X, SymbolicTensor) and not X.node.closed:
        raise TraceError(
            f"{call}(X)",
            "a formula's body has no data to draw from",
            shapes(X),
            f"draw indices and index: X[{axis.name}(nt.randint(0, 5, {new!r}))]",
        )
    size, count = int(X.size(axis)), int(new.size or 0)
    if count > (size if not replace else count if size else 0):
        raise AxisSizeError(
            f"{call}(X)",
            f"axis {axis.name} is {size} in X, which has no {count} records to draw"
            f"{'' if replace else ' without drawing one twice'}",
            shapes(X),
            f"nt.choice[{typed_axes([axis.name])}, {axis_code(new.name, size)}](X)",
        )
    if new.name in X.axes:
        raise AxisClashError(
            f"{call}(X)",
            f"X already has an axis {new.name}",
            shapes(X),
            "give the new axis another name",
        )
    on = X.device if X.layout.backend.name == "torch" else None
    place, library = sized(axis.name, None), X.layout.backend.name
    if replace:
        drawn = randint(0, max(size, 1), new, generator=generator, device=on, backend=library)
    else:
        order = permutation(new.name + f"[{size}]", generator=generator, device=on, backend=library)
        drawn = order[sized(new.name, None)[:count]]
    return index[place](X, drawn)


def _lower_categorical(emit: Emitter, call: Lowered, P: Value) -> Any:
    (axis,), generator = call.params
    rest = [a for a in P.axes if a != axis]
    source = None if generator is None else emit.hold("generator", generator)
    code = emit.call("categorical", emit.permute(P, (*rest, axis)), source)
    return emit.bind(code, rest, call.type, "drawn")


def _categorical_rule(call: Call) -> Type:
    axes = call.params[0]
    needs_a_record(call, axes)
    return call.types[0].without(axes).of_kind("int")


#: categorical(axes, generator), in a body.
CATEGORICAL = primitive(
    "categorical",
    _categorical_rule,
    _lower_categorical,
    effect=True,
    notation=Word("categorical"),
    traits=Traits(fresh=True, stepped=True, acts=uses_first),
)


@axis_function(first=lambda axes: axes[0], example="nt.categorical[vocab](P)")
def categorical(axis: Axis, P: NamedTensor, generator: Generator = None) -> NamedTensor:
    """Draw an index along an axis with probabilities proportional to P, for each of the others anew.

        categorical_ax : R^ax -> {0, ..., |ax| - 1}

    Raises: AxisNameError, AxisMissingError, KindError unless P is real, AxisSizeError where it is empty,
    NamedTensorError where some are negative or all are 0, TraceError in the step of a recurrence.

    >>> import numpy as np
    >>> P = nt.tensor([0.0, 1.0], "vocab")
    >>> nt.categorical["vocab"](P, generator=np.random.default_rng(0))
    NamedTensor(1)
    """
    if not compiling() and steps_traced.get():  # it would draw the same numbers for all indices
        raise TraceError(
            f"categorical[{axis.name}](P)",
            "the step of a recurrence runs once, on symbols, and categorical draws from data",
            hint="draw uniform numbers in the step, and compare them with nt.cumsum of P",
        )
    named_operand(f"categorical[{axis.name}]", P, axis)
    if P.kind != "float":
        raise KindError(
            f"categorical[{axis.name}](P)",
            f"P holds {P.kind} numbers, and probabilities are real",
            shapes(P, labels="P"),
            f"nt.softmax[{typed_axes([axis.name])}](P)",
        )
    if isinstance(P, SymbolicTensor):
        return made(CATEGORICAL((axis.name,), generator), P)
    rest = tuple([a for a in P.axes if a != axis.name])
    if P.size(axis) == 0:
        raise AxisSizeError(
            f"categorical[{axis.name}](P)",
            f"axis {axis.name} is 0 in P, and there is nothing to draw",
            shapes(P, labels="P"),
            f"check the size first: P.size({typed_axes([axis.name])}) > 0",
        )
    data = P.positional("P.numpy", (*[sized(a, None) for a in rest], axis))
    try:
        drawn = P.layout.backend.function("categorical")(data, generator)
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        raise NamedTensorError(
            f"categorical[{axis.name}](P)",
            f"{P.layout.backend} cannot draw: {first_line(error)}",
            shapes(P, labels="P"),
            f"probabilities are 0 or more and not all 0, as nt.softmax[{axis.name}] gives them; "
            "a generator is of P's library",
        ) from error
    return NamedTensor(drawn, layout_of(rest, "int", P.layout.backend))
