"""A torch.nn.Module whose parameters are those after a formula's semicolon."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from namedtensor.axes import Axis, parse_axes, shown
from namedtensor.backends import get_backend
from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    first_line,
    kind_of_thing,
    nearest,
)
from namedtensor.formula import Formula
from namedtensor.formula.bundle import same_parameters
from namedtensor.formula.signature import Parameter, Space
from namedtensor.formula.steps import steps_of
from namedtensor.nn.closed_over import hold_nothing_closed_over
from namedtensor.nn.initialise import Initialiser, roles_of, start
from namedtensor.nn.recomputing import recomputing
from namedtensor.plans import Plan, layout_of
from namedtensor.shape import spaced
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

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, FormulaModule):
            self._hold_bundle(name, value)
        super().__setattr__(name, value)
        if name in self.__dict__.get("settings", ()) and isinstance(value, torch.nn.Module):
            self.settings = {**self.settings, name: value}  # a function that is lifted

    def _hold_bundle(self, name: str, value: FormulaModule) -> None:
        """Raise BackendError where a bundle would get the parameters of another formula."""
        bundle = next((p.bundle for p in self.formula.signature.parameters if p.name == name), None)
        if bundle is not None and not same_parameters(value.formula, bundle):
            raise BackendError(
                f"{self.formula.name}.module(...).{name} = {value.formula.name}.module(...)",
                f"{name} holds the parameters of {bundle.name}, and {value.formula.name} has others",
                hint=f"declare it so, {name}: {value.formula.name}, or give it {bundle.name}.module(...)",
            )

    # ------------------------------------------------------------------------------ state dicts

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if hasattr(destination, "_metadata"):
            destination._metadata.setdefault(prefix[:-1], {})["axes"] = {
                name: list(space.names) for name, space in self._own_spaces()
            }

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        """Take stored tensors by the names of their axes, which a state dict's metadata has."""
        stored = local_metadata.get("axes", {})
        for name, space in self._own_spaces():
            data = state_dict.get(prefix + name)
            if not isinstance(data, torch.Tensor):
                continue
            if name not in stored:
                _take_in_order(prefix + name, data, space)
            elif tuple(stored[name]) != space.names:
                places = _places(self.formula.name, prefix + name, stored[name], space)
                state_dict[prefix + name] = data.permute(places)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _own_spaces(self) -> Iterator[tuple[str, Space]]:
        """List this module's own parameters with their declared axes."""
        for parameter in self.formula.signature.parameters:
            if parameter.after and parameter.space is not None:
                yield parameter.name, parameter.space

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

    def gather(self, key: list[Any], arrays: list[Any], modes: bool) -> bool:
        """Add what a plan depends on to `key`, and the data to `arrays`; see formula.door.

        A graph compiler is given dtypes, of which layouts are made outside of its graph.
        """
        found = self.formula.door.read(self, modes)
        if found is None:
            return False
        arrays += found[0]
        key += found[1] if compiling() else self.formula.door.key_of(found[1], modes)
        return True

    def forward(self, *arguments: Any, **named: Any) -> Any:
        if _DISTRIBUTED and torch.distributed.is_initialized():
            show_to_wrappers()
        found = self.formula.call_known(arguments, named, self)
        if found is not None:
            return found
        given = {**self.settings, **self.named_values(), **named}
        return self.formula.call_any(arguments, given, self)

    # ----------------------------------------------------------------------------------- states

    def reading(self, plan: Plan, arrays: list[Any]) -> list[Any]:
        """Give copies of the states that a result depends on: what is stored must not change them."""
        if not plan.used or not torch.is_grad_enabled():
            return arrays
        if not compiling() and recomputing():
            raise BackendError(
                f"{self.formula.name}.module(...)(...)",
                f"a checkpoint runs it again, its result depends on {self._path_of(plan, arrays)}, and "
                "that has been updated since",
                hint="leave it out of the checkpoint, or let the result depend on what is given",
            )
        found = list(arrays)
        for place in plan.used:
            found[place] = found[place].clone()
        return found

    def _path_of(self, plan: Plan, arrays: Sequence[Any]) -> str:
        held = [arrays[place] for place in plan.used]
        return ", ".join([n for n, b in self.named_buffers() if any(b is x for x in held)])

    def store(self, updates: dict[str, torch.Tensor]) -> None:
        """Keep new values of states, by path; once, also where a checkpoint runs the body again."""
        if not compiling() and recomputing():
            return
        for path, new in updates.items():
            owner: Any = self
            *bundles, name = path.split(".")
            for bundle in bundles:
                owner = owner._modules[bundle]
            if compiling():
                owner._buffers[name].copy_(new)
                continue
            try:
                owner._buffers[name].copy_(new)
            except RuntimeError as error:
                raise BackendError(
                    f"{self.formula.name}.module(...)(...)",
                    f"torch cannot store {path} in place here: {first_line(error)}",
                    hint="give the buffers to torch.func.functional_call, stacked where it is under vmap, "
                    "or call the module in eval()",
                ) from None

    def steps(self, *arguments: Any, **named: Any) -> Any:
        """Tell step by step what a call computes and costs; see nt.steps."""
        return steps_of(self.formula, arguments, named, self)

    def extra_repr(self) -> str:
        return repr(self.formula)


#: Whether it was said that a state dict names no axes.
_said: set[str] = set()


def _take_in_order(name: str, data: torch.Tensor, space: Space) -> None:
    """Say, once, that the order of axes is believed where the sizes cannot tell."""
    if data.ndim == len(space.names) and len(set(data.shape)) < data.ndim and not _said:
        _said.add(name)
        warnings.warn(
            f"the state dict names no axes: {name}, of sizes {tuple(data.shape)}, is taken in declared "
            f"order, {space}",
            stacklevel=2,
        )


def _places(formula: str, name: str, stored: Sequence[str], space: Space) -> list[int]:
    """Find each declared axis among those of a stored tensor."""
    missing = [axis for axis in space.names if axis not in stored]
    more = [axis for axis in stored if axis not in space.names]
    if missing or more:
        order = " ".join(
            dict(zip(more, missing, strict=False)).get(axis, axis) for axis in space.names
        )
        old, new = (more or stored)[0], (missing or stored)[0]
        raise AxisMissingError(
            f"{formula}.module(...).load_state_dict(...)",
            f"{name} is stored over {', '.join(stored)}, and declared {space}",
            hint=f'rename what is stored: nt.tensor(state["{name}"], "{" ".join(stored)}")'
            f'["{old} -> {new}"].torch("{order}")',
        )
    return [stored.index(axis) for axis in space.names]


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
    given = parse_axes(axes)
    _hold_known(formula, given)
    sizes = _sizes(formula, given)
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
    hold_nothing_closed_over(formula)
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
        if parameter.lift is not None:
            _hold_function(module, parameter)
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
        kept_as = _STATE_DTYPES.get(parameter.space.letter, dtype) if parameter.state else dtype
        data = torch.empty(shape, dtype=kept_as, device=device)
        with torch.no_grad():
            own = init.pop(prefix + parameter.name, None)
            if own is not None:
                _fill(formula, prefix + parameter.name, data, own, parameter.space)
            elif parameter.state:
                data.zero_()
            else:
                roles = roles_of(formula, settings) if roles is None else roles
                start(roles.get(parameter.name), parameter.space.names, data)
        if parameter.state:
            module.register_buffer(parameter.name, data)
        else:
            setattr(module, parameter.name, torch.nn.Parameter(data))
    return module


#: What holds states of whole numbers and of truth values.
_STATE_DTYPES = {"Z": torch.int64, "B": torch.bool}


def _hold_function(module: FormulaModule, parameter: Parameter) -> None:
    """Hold a function that the formula lifts; a torch module becomes a submodule."""
    given = module.settings.get(parameter.name, parameter.default)
    if given is inspect.Parameter.empty:
        raise BackendError(
            f"{module.formula.name}.module(...)",
            f"{parameter.name} is a function of arrays, and none is given",
            [(parameter.name, repr(parameter.lift))],
            f"{module.formula.name}.module(..., {parameter.name}=torch.nn.Linear(4, 4))",
        )
    parameter.lift(parameter.name, given)  # which refuses what is no function
    if isinstance(given, torch.nn.Module):
        _free(module, parameter.name)
        module.settings = {**module.settings, parameter.name: given}
        setattr(module, parameter.name, given)


def _free(module: FormulaModule, name: str) -> None:
    """Refuse a parameter's name that torch.nn.Module, or ours, has given to something else."""
    if hasattr(module, name):
        raise AxisNameError(
            f"{module.formula.name}.module(...)",
            f"a module has something else called {name}",
            hint=f"give the parameter another name, such as {name}_",
        )


def _fill(formula: Formula, name: str, data: torch.Tensor, own: Any, space: Space) -> None:
    """Fill a parameter by the caller's function, which may also give its numbers."""
    if not callable(own):
        raise KindError(
            f"{formula.name}.module(...)",
            f"init[{name!r}] is {kind_of_thing(own)}, and not a function that fills a tensor",
            hint=f"init={{{name!r}: torch.nn.init.zeros_}}",
        )
    filled = own(data)
    if filled is not None and filled is not data:
        data.copy_(_numbers(formula, name, data, filled, space))


def _numbers(formula: Formula, name: str, data: torch.Tensor, filled: Any, space: Space) -> Any:
    """Read what an initialiser gave: a named tensor by its names, an array, lists or a number."""
    call = f"{formula.name}.module(...)"
    hint = "fill the tensor that it is given, or give one of its shape"
    if isinstance(filled, NamedTensor):
        if set(filled.axes) != set(space.names):
            shape = spaced(list(zip(space.names, data.shape, strict=True)))
            raise AxisMissingError(
                call,
                f"init[{name!r}] gave {spaced(filled.sizes)}, and {name} has {shape}",
                hint=hint,
            )
        filled = filled.torch(*space.names)
    elif not isinstance(filled, torch.Tensor):
        try:
            filled = torch.as_tensor(np.asarray(filled, dtype=float))
        except (TypeError, ValueError):
            raise KindError(
                call,
                f"init[{name!r}] gave {kind_of_thing(filled)}, and {name} is filled with numbers",
                hint=hint,
            ) from None
    if filled.ndim and filled.shape != data.shape:
        raise AxisSizeError(
            call,
            f"init[{name!r}] gave sizes {tuple(filled.shape)}, and {name} has {tuple(data.shape)}",
            hint=hint,
        )
    return filled


def _hold_known(formula: Formula, axes: tuple[Axis, ...]) -> None:
    """Raise AxisNameError for an axis that the formula declares nowhere."""
    known = list(dict.fromkeys(_axes_of(formula)))
    for axis in axes:
        if axis.name not in known:
            guess = nearest(axis.name, known)
            raise AxisNameError(
                f"{formula.name}.module({', '.join(map(repr, axes))})",
                f"{formula.name} declares no axis {shown(axis.name)}",
                hint=f"did you mean {shown(guess)}?"
                if guess
                else f"leave it out; {formula.name} has {', '.join(map(shown, known)) or 'none'}",
            )


def _axes_of(formula: Formula) -> Iterator[str]:
    """List the axes that a formula declares, and those of its bundles."""
    for parameter in formula.signature.parameters:
        if parameter.bundle is not None:
            yield from _axes_of(parameter.bundle)
        elif parameter.space is not None:
            yield from parameter.space.names
    for space in formula.signature.results or ():
        yield from space.names


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
