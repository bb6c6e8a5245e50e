"""Turn a failure in positional code into an error that names the axis, the sizes and their owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.errors import BackendError, KindError, NamedTensorError, first_line
from namedtensor.plans.compile import no_number
from namedtensor.primitives import Operation
from namedtensor.tensor.labels import caller_labels
from namedtensor.tensor.splits import refuse_splits

#: What a library raises where it refuses its operands; others, such as a lack of memory, pass as
#: they are.
REFUSALS = (
    RuntimeError,
    IndexError,
    ValueError,
    TypeError,
    NotImplementedError,
    OverflowError,
)


def of_two_devices(
    call: str, data: Sequence[tuple[str, Any]], shapes: Sequence[tuple[str, str]]
) -> BackendError:
    """Make the error of tensors on more than one device; one on the device meta holds no numbers."""
    devices: dict[str, str] = {}
    for label, x in data:
        devices.setdefault(str(x.device), label)
    places = ", ".join([f"{w} is on {device}" for device, w in devices.items()])
    first, second = list(devices)[:2]
    hint = f'move one: {devices[second]}.to("{first}")'
    if "meta" in devices:
        full = devices[first if second == "meta" else second]
        hint = f'meta holds sizes and no numbers: for shapes alone {full}.to("meta")'
    return BackendError(call, places, shapes, hint)


def diagnose(operation: Operation, operands: Sequence[Any], error: Exception) -> Exception:
    """Give the error that the user should see for a library's error."""
    from namedtensor.tensor.apply import checked, typed

    checked(operation, operands)
    labels = caller_labels(operands)
    pairs = zip(labels, operands, strict=True)
    data = [(w, x) for w, x in pairs if hasattr(x, "sizes") and not hasattr(x, "node")]
    shapes = typed(labels, operands)
    call = operation.write(labels)
    if isinstance(error, ZeroDivisionError):  # of sizes, as in 1 / abs(seq)
        return no_number(call, error, shapes)
    found = operation.primitive.diagnose
    if found is not None:
        sizes = [dict(x.sizes) if hasattr(x, "sizes") else {} for x in operands]
        words = found(operation, labels, [getattr(x, "data", x) for x in operands], sizes)
        if words is not None:
            kind, why, hint = words
            raise kind(call, why, shapes, hint)
    refuse_splits(call, data, shapes, error)
    if len({str(x.device) for _, x in data}) > 1:
        return of_two_devices(call, data, shapes)
    dtypes = {str(x.dtype): w for w, x in data if x.layout.kind in ("float", "complex")}
    if len(dtypes) > 1:
        places = ", ".join(f"{w} is {d}" for d, w in dtypes.items())
        first, second = list(dtypes)[:2]
        hint = f"give both one dtype: {dtypes[second]}.to({first})"
        raise KindError(call, places, shapes, hint)
    if type(error).__name__.endswith("LinAlgError"):
        raise NamedTensorError(
            call,
            f"{operation.name} has no value for some matrix in {labels[0]}",
            shapes,
            "inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a "
            "positive definite one",
        ) from error
    if type(error) not in REFUSALS or "memory" in str(error):
        return error
    if isinstance(error, OverflowError) or "without overflow" in str(error):
        refuse_unfitting(call, operands, data, shapes)
        if operation.name == "neg":
            refuse_unsigned(call, data, shapes)
    hint = _dtype_hint(data)
    kinds = (TypeError, NotImplementedError, OverflowError)
    refused = KindError if isinstance(error, kinds) else NamedTensorError
    library = data[0][1].layout.backend.name if data else "Python"
    raise refused(
        call, f"{library} cannot compute it: {first_line(error)}", shapes, hint
    ) from error


def refuse_unfitting(
    call: str,
    operands: Sequence[Any],
    data: Sequence[tuple[str, Any]],
    shapes: Sequence[tuple[str, str]],
) -> None:
    """Raise KindError where a plain number does not fit the dtype of the data beside it."""
    for number in [x for x in operands if type(x) in (int, float)]:
        for label, x in data:
            kind = x.layout.kind
            if kind not in ("int", "float") or (kind == "int") is not (type(number) is int):
                continue
            low, high = limits_of(x.data)
            if not low <= number <= high:
                wide = "int64" if kind == "int" and abs(number) < 1 << 63 else "float64"
                raise KindError(
                    call,
                    f"{label} holds {dtype_name(x.data)} numbers, which cannot hold {number!r}",
                    shapes,
                    f'give the tensor a wider dtype: {label}.to("{wide}")',
                ) from None


def refuse_unsigned(
    call: str, data: Sequence[tuple[str, Any]], shapes: Sequence[tuple[str, str]]
) -> None:
    """Raise KindError where unsigned numbers are to be negated."""
    label, x = data[0]
    raise KindError(
        call,
        f"{label} holds {dtype_name(x.data)} numbers, which are never below 0",
        shapes,
        f'give the tensor a wider dtype: {label}.to("int64")',
    ) from None


def limits_of(x: Any) -> tuple[Any, Any]:
    """Give the least and the greatest number that an array's dtype holds."""
    from namedtensor.backends import backend_of

    found = backend_of(x)
    assert found is not None
    low, high = found.module.limits(x)
    return low, high


def dtype_name(x: Any) -> str:
    return str(x.dtype).removeprefix("torch.")


def _dtype_hint(data: Sequence[tuple[str, Any]]) -> str:
    held = ", ".join(f"{label} holds {x.dtype}" for label, x in data)
    return f"look at the numbers: {held}" if held else "look at the numbers"
