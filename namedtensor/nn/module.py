"""A torch.nn.Module whose parameters are those after a formula's semicolon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from namedtensor.axes import Axis, parse_axes
from namedtensor.backends import get_backend
from namedtensor.compilers import compiling
from namedtensor.errors import AxisNameError, AxisSizeError, KindError, kind_of_thing
from namedtensor.formula import Formula
from namedtensor.formula.signature import Parameter
from namedtensor.nn.initialise import Initialiser, roles_of, start
from namedtensor.plans import layout_of
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.torch_pytree import show_to_wrappers

_DISTRIBUTED = torch.distributed.is_available()


class FormulaModule(torch.nn.Module):
    """Hold a formula's parameters; called with its arguments, as named tensors.

    Parameters have the formula's names and are stored in declared order; a bundle is a submodule.
    """

    def __init__(self, formula: Formula, sizes: dict[str, int], settings: dict[str, Any]) -> None:
        super().__init__()
        self.formula = formula
        self.sizes = sizes
        self.settings = settings

    def named_values(self) -> dict[str, Any]:
        """Give the parameters as named tensors, and the bundles as modules."""
        values: dict[str, Any] = {}
        for parameter in self.formula.signature.parameters:
            if not parameter.after:
                continue
            if parameter.setting:
                if parameter.name in self.settings:
                    values[parameter.name] = self.settings[parameter.name]
                continue
            held = getattr(self, parameter.name)
            if isinstance(held, torch.Tensor):
                held = _named(self.formula, parameter, held)
            values[parameter.name] = held
        return values

    def gather(self, key: list[Any], arrays: list[Any]) -> bool:
        """Add what a plan depends on to `key`, and the data to `arrays`; see formula.door.

        A graph compiler is given dtypes, of which layouts are made outside of its graph.
        """
        found = self.formula.door.read(self)
        if found is None:
            return False
        arrays += found[0]
        key += found[1] if compiling() else self.formula.door.key_of(found[1])
        return True

    def forward(self, *arguments: Any, **named: Any) -> Any:
        if _DISTRIBUTED and torch.distributed.is_initialized():
            show_to_wrappers()
        found = self.formula.call_known(arguments, named, self)
        if found is not None:
            return found
        return self.formula(*arguments, **{**self.settings, **self.named_values(), **named})

    def extra_repr(self) -> str:
        return repr(self.formula)


def _named(formula: Formula, parameter: Parameter, data: torch.Tensor) -> NamedTensor:
    backend = get_backend("torch")
    assert parameter.space is not None
    if data.ndim != len(parameter.space.names):
        raise AxisNameError(
            f"{formula.name}.module(...)",
            f"its parameter {parameter.name} has sizes {tuple(data.shape)}",
            [(parameter.name, repr(parameter.space))],
            "put a tensor there that has the declared axes, in their order",
        )
    return NamedTensor(data, layout_of(parameter.space.names, backend.kind_of(data.dtype), backend))


def make_module(
    formula: Formula, axes: Any, init: Any, dtype: Any, device: Any, settings: dict[str, Any]
) -> FormulaModule:
    """Make a formula's module with these sizes."""
    sizes = _sizes(formula, parse_axes(axes))
    known = {p.name for p in formula.signature.parameters if p.setting}
    named = _size_names(formula) - known
    sizes |= {_named_size(n): int(settings.pop(n)) for n in list(settings) if n in named}
    for name in settings:
        if name not in known:
            raise AxisNameError(
                f"{formula.name}.module(...)",
                f"{formula.name} has no setting {name}",
                hint=repr(formula),
            )
    wanted = dict(init or {})
    dtype = _floating(formula, dtype)
    module = _build(formula, sizes, wanted, dtype, device, settings, "")
    if wanted:
        raise AxisNameError(
            f"{formula.name}.module(...)",
            f"init names {', '.join(wanted)}, which is no parameter",
            hint=f"the parameters are {', '.join(n for n, _ in module.named_parameters())}",
        )
    return module


def _floating(formula: Formula, dtype: Any) -> Any:
    """Read a dtype of torch or its name; parameters hold real numbers."""
    try:
        found = get_backend("torch").function("dtype_of")(dtype)
    except TypeError:
        found = torch.bool
    if found is not None and not (found.is_floating_point or found.is_complex):
        raise KindError(
            f"{formula.name}.module(...)",
            f"parameters hold real numbers, and dtype is {dtype}",
            hint="dtype=torch.float32",
        )
    return found


def _build(
    formula: Formula,
    sizes: dict[str, int],
    init: dict[str, Callable[[torch.Tensor], Any]],
    dtype: Any,
    device: Any,
    settings: dict[str, Any],
    prefix: str,
) -> FormulaModule:
    module = FormulaModule(formula, sizes, settings)
    roles: dict[str, Initialiser] | None = None
    for parameter in formula.signature.parameters:
        if not parameter.after or parameter.setting:
            continue
        _free(module, parameter.name)
        if parameter.bundle is not None:
            inner = _build(
                parameter.bundle, sizes, init, dtype, device, {}, f"{prefix}{parameter.name}."
            )
            setattr(module, parameter.name, inner)
            continue
        assert parameter.space is not None
        shape = [_size(formula, parameter, axis, sizes) for axis in parameter.space.axes]
        data = torch.empty(shape, dtype=dtype, device=device)
        with torch.no_grad():
            own = init.pop(prefix + parameter.name, None)
            if own is not None:
                _fill(formula, prefix + parameter.name, data, own)
            else:
                roles = roles_of(formula, settings) if roles is None else roles
                start(roles.get(parameter.name), parameter.space.names, data)
        setattr(module, parameter.name, torch.nn.Parameter(data))
    return module


def _free(module: FormulaModule, name: str) -> None:
    """Refuse a parameter's name that torch.nn.Module, or ours, has given to something else."""
    if hasattr(module, name):
        raise AxisNameError(
            f"{module.formula.name}.module(...)",
            f"a module has something else called {name}",
            hint=f"give the parameter another name, such as {name}_",
        )


def _fill(formula: Formula, name: str, data: torch.Tensor, own: Any) -> None:
    """Fill a parameter by the caller's function, which may also give a tensor of its shape."""
    if not callable(own):
        raise KindError(
            f"{formula.name}.module(...)",
            f"init[{name!r}] is {kind_of_thing(own)}, and not a function that fills a tensor",
            hint=f"init={{{name!r}: torch.nn.init.zeros_}}",
        )
    filled = own(data)
    if isinstance(filled, torch.Tensor) and filled is not data:
        if filled.shape != data.shape:
            raise AxisSizeError(
                f"{formula.name}.module(...)",
                f"init[{name!r}] gave sizes {tuple(filled.shape)}, and {name} has {tuple(data.shape)}",
                hint="fill the tensor that it is given, or give one of its shape",
            )
        data.copy_(filled)


def _sizes(formula: Formula, axes: tuple[Axis, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for axis in axes:
        if axis.size is None:
            raise AxisSizeError(
                f"{formula.name}.module({axis.name})",
                f"{axis.name} has no size",
                hint=f"give it one: {axis.name}[512]",
            )
        sizes[axis.name] = int(axis.size)
    return sizes


def _named_size(name: str) -> str:
    """Keep the sizes that have names beside those of axes."""
    return f"[{name}]"


def _size_names(formula: Formula) -> set[str]:
    """Collect the names of sizes in a formula's declarations and its bundles'."""
    found: set[str] = set()
    for parameter in formula.signature.parameters:
        if parameter.bundle is not None:
            found |= _size_names(parameter.bundle)
        elif parameter.space is not None:
            found |= {name for _, name in parameter.space.size_names}
    return found


def _size(formula: Formula, parameter: Parameter, axis: Axis, sizes: dict[str, int]) -> int:
    if axis.size is not None:
        return int(axis.size)
    assert parameter.space is not None
    named = parameter.space.size_name(axis.name)
    if named is not None and _named_size(named) in sizes:
        return sizes[_named_size(named)]
    if axis.name not in sizes:
        raise AxisSizeError(
            f"{formula.name}.module(...)",
            f"axis {axis.name} of the parameter {parameter.name} has no size",
            [(parameter.name, repr(parameter.space))],
            f"{formula.name}.module({', '.join(f'{n}[{s}]' for n, s in sizes.items())}"
            f"{', ' if sizes else ''}{axis.name}[512])",
        )
    return sizes[axis.name]
