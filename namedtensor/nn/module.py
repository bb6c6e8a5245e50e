"""A torch.nn.Module whose parameters are those after a formula's semicolon."""

from __future__ import annotations

import fnmatch
import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import torch

from namedtensor.axes import Axis, axis_code, distinct, parse_axes, shown
from namedtensor.backends import get_backend
from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    first_line,
    kind_of_thing,
    nearest,
)
from namedtensor.formula import Formula
from namedtensor.formula.bundle import Bundle, fits, same_parameters
from namedtensor.formula.door import Structure, structure_of
from namedtensor.formula.formula import T
from namedtensor.formula.signature import Parameter, Space, named_size
from namedtensor.formula.stacked import Stacked, Widened, stacked, widened
from namedtensor.formula.steps import steps_of
from namedtensor.formula.written import Holding
from namedtensor.nn.closed_over import hold_no_settings, hold_nothing_closed_over
from namedtensor.nn.initialise import OTHER, Initialiser, roles_of, start
from namedtensor.nn.recomputing import recomputing
from namedtensor.operations.training import training
from namedtensor.plans import Plan, layout_of
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.wrong_calls import call_passed

parameter_empty = inspect.Parameter.empty

#: What a module holds in place of a deleted member.
_GONE = object()

#: The name by which a call of another formula reaches `forward` through torch's hooks.
_OTHER = " formula"


class FormulaModule(torch.nn.Module, Generic[T]):
    """Hold a formula's parameters; called with its arguments, as named tensors.

    Parameters have the formula's names and are stored in declared order; a bundle is a submodule, a
    stack of them a torch.nn.ModuleList.
    """

    #: The structure that the module holds, if it was read already.
    _structure: Structure | None = None
    #: The formula whose module holds this one as a bundle: its plan contains this computation, without a
    #: call.
    _holder: str = ""

    if TYPE_CHECKING:

        def __call__(self, *arguments: Any, **named: Any) -> T: ...

    def __init__(self, formula: Formula, sizes: dict[str, int], settings: dict[str, Any]) -> None:
        super().__init__()
        self.formula = formula
        self.sizes = sizes
        self.settings = settings
        # settings can be assigned: module.drop = 0.1; a lifted torch module is one of them
        self._named_settings = frozenset(
            [p.name for p in formula.signature.parameters if p.setting and p.name not in _OWN]
        )

    def register_forward_hook(self, hook: Any, **how: Any) -> Any:
        self._not_called("register_forward_hook(...)", hook)
        return super().register_forward_hook(hook, **how)

    def register_forward_pre_hook(self, hook: Any, **how: Any) -> Any:
        self._not_called("register_forward_pre_hook(...)", hook)
        return super().register_forward_pre_hook(hook, **how)

    def register_full_backward_hook(self, hook: Any, *how: Any, **more: Any) -> Any:
        self._not_called("register_full_backward_hook(...)", hook)
        return super().register_full_backward_hook(hook, *how, **more)

    def register_full_backward_pre_hook(self, hook: Any, *how: Any, **more: Any) -> Any:
        self._not_called("register_full_backward_pre_hook(...)", hook)
        return super().register_full_backward_pre_hook(hook, *how, **more)

    def _not_called(self, what: str, function: Any) -> None:
        """Warn that torch's hooks do not run for a module that another formula holds."""
        # torch's own sharding gathers its parameters by the holder's hooks
        if str(getattr(function, "__module__", "")).startswith("torch.dist"):
            return
        if not self._holder and "backward" in what:
            warnings.warn(
                f"{self.formula.name}.module(...).{what}: torch calls it for positional results, and "
                "those of this module are named: it never runs. A parameter's own hook sees its gradient, "
                "model.W.register_hook(f)",
                stacklevel=3,
            )
        if self._holder:
            warnings.warn(
                f"{self.formula.name}.module(...).{what}: {self._holder} holds this module and does not "
                "call it: what it computes is part of its plan, and this runs only where the module is "
                "called itself. Give what you look for as a result of the formula, or see nt.steps(model, X)",
                stacklevel=3,
            )

    def _hold_all(self) -> None:
        """Tell the modules inside that this one holds them, so that they are not called themselves."""
        for part in self.modules():
            if part is not self and isinstance(part, FormulaModule):
                part.__dict__["_holder"] = self.formula.name
                for kind in ("forward", "forward_pre", "backward", "backward_pre"):
                    word = kind.replace("backward", "full_backward")
                    for hook in getattr(part, f"_{kind}_hooks").values():
                        part._not_called(f"register_{word}_hook(...)", hook)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, FormulaModule):
            self._hold_bundle(name, value)
        for kind, stored in (("_parameters", torch.nn.Parameter), ("_buffers", torch.Tensor)):
            if name in vars(self).get(kind, ()) and not isinstance(value, (stored, type(None))):
                self._refuse_value(name, value)
        super().__setattr__(name, value)
        if name == "forward":
            self._not_called("forward = ...", value)
        if name in self.__dict__.get("_named_settings", ()):
            self.settings = {**self.settings, name: value}

    def _refuse_value(self, name: str, value: Any) -> None:
        """Raise for what a module does not store under this name; the hint says how to make it."""
        space = self.formula.signature[name].space if name in self.axes else None
        shapes, what, data = [], kind_of_thing(value), "X"
        if isinstance(value, NamedTensor):
            order = ", ".join([f'"{a}"' for a in (value.axes if space is None else space.names)])
            shapes, what, data = [("X", spaced(value.sizes))], "a named tensor", f"X.torch({order})"
        if space is not None:
            shapes.append((name, repr(space)))
        parameter = name in self._parameters
        kind = "Parameter" if isinstance(value, torch.Tensor) else "tensor"
        if isinstance(value, (bool, int, float)):
            hint = f"torch.nn.init.constant_(model.{name}, {value!r})"
        else:
            hint = f"model.{name} = " + (f"torch.nn.Parameter({data})" if parameter else data)
        raise KindError(
            f"{self.formula.name}.module(...).{name} = X",
            f"X is {what}, and {name} is stored as a {kind} of torch",
            shapes,
            hint,
        )

    def _hold_bundle(self, name: str, value: FormulaModule) -> None:
        """Raise BackendError where a bundle would get the parameters of another formula."""
        bundle = next((p.bundle for p in self.formula.signature.parameters if p.name == name), None)
        held = self._modules.get(name)
        if isinstance(held, FormulaModule):
            bundle = held.formula  # this formula may replace the declared one
        if bundle is None:
            return
        if not same_parameters(value.formula, bundle):
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
        """Permute stored tensors to the declared order of axes by the names in the state dict's metadata."""
        stored = local_metadata.get("axes", {})
        for name, space in self._own_spaces():
            data = state_dict.get(prefix + name)
            axes = stored.get(name)
            if isinstance(data, NamedTensor):
                axes = data.axes
                state_dict[prefix + name] = data = data.torch(*axes)
            if data is None:
                continue
            if not isinstance(data, torch.Tensor):
                raise KindError(
                    f"{self.formula.name}.module(...).load_state_dict(...)",
                    f"{prefix + name} of the state dict is {kind_of_thing(data)}, and no tensor",
                    [(prefix + name, repr(space))],
                    f'state["{prefix + name}"] = torch.as_tensor(state["{prefix + name}"])',
                )
            if axes is None:
                _take_in_order(self.formula.name, prefix + name, data, space)
            elif tuple(axes) != space.names:
                places = _places(self.formula.name, prefix + name, axes, space)
                state_dict[prefix + name] = data.permute(places)
            self._hold_stored(name, prefix + name, state_dict[prefix + name], space)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _hold_stored(self, name: str, path: str, data: torch.Tensor, space: Space) -> None:
        """Raise AxisSizeError where a stored tensor has another size than that of the module."""
        own: torch.Tensor | None = self._parameters.get(name)
        own = self._buffers.get(name) if own is None else own
        if own is None or torch.nn.parameter.is_lazy(own):
            return
        if own.ndim != data.ndim:
            if not own.ndim and data.shape == (1,):  # torch reads a single number in this form too
                return
            raise AxisNameError(
                f"{self.formula.name}.module(...).load_state_dict(...)",
                f"{path} of the state dict has sizes {tuple(data.shape)}, and {path} is declared {space}",
                [(path, spaced([*zip(space.names, own.shape, strict=True)]))],
                f"give a tensor of sizes {tuple(own.shape)}",
            )
        for axis, here, there in zip(space.names, own.shape, data.shape, strict=True):
            if here != there:
                raise AxisSizeError(
                    f"{self.formula.name}.module(...).load_state_dict(...)",
                    f"axis {shown(axis)} is {there} in {path} of the state dict and {here} in the module",
                    [(path, spaced([*zip(space.names, own.shape, strict=True)]))],
                    f"make the module with {axis_code(axis, there)}",
                )

    def _own_spaces(self) -> Iterator[tuple[str, Space]]:
        """List this module's own parameters with their declared axes."""
        for parameter in self.formula.signature.after:
            if parameter.space is not None:
                yield parameter.name, parameter.space

    def named_values(self) -> dict[str, Any]:
        """Give the parameters as named tensors, and the bundles as modules."""
        values: dict[str, Any] = {}
        for parameter in self.formula.signature.after:
            if parameter.setting:
                if parameter.name in self.settings:
                    values[parameter.name] = self.settings[parameter.name]
                continue
            held: Any = getattr(self, parameter.name, _GONE)
            if held is _GONE:
                raise BackendError(
                    f"{self.formula.name}.module(...)",
                    f"it holds no {parameter.name} any more",
                    [(parameter.name, repr(parameter.space or parameter.bundle))],
                    f"model.{parameter.name} = torch.nn.Parameter(data)",
                )
            if isinstance(held, torch.Tensor):
                held = _named(self.formula, parameter, held)
            elif parameter.stack:
                held = [_as_bundle(parameter, part) for part in held]
            elif parameter.bundle is not None:
                held = _as_bundle(parameter, held)
            values[parameter.name] = held
        return values

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The axes of each parameter and each state, by path: {"att.WQ": ("head", "emb", "key")}.

        A tensor that is held twice is listed twice.
        """
        found: dict[str, tuple[str, ...]] = {}
        for parameter in self.formula.signature.after:
            if parameter.setting:
                continue
            held = getattr(self, parameter.name, None)
            if parameter.bundle is None:
                if held is not None and parameter.space is not None:
                    found[parameter.name] = tuple(map(shown, parameter.space.names))
                continue
            parts = enumerate(held or ()) if parameter.stack else [("", held)]
            for i, part in parts:
                path = f"{parameter.name}.{i}." if parameter.stack else f"{parameter.name}."
                found |= {path + name: axes for name, axes in getattr(part, "axes", {}).items()}
        return found

    # --------------------------------------------------------------------- what can be asked

    def _given(self, named: dict[str, Any]) -> dict[str, Any]:
        return {**self.settings, **self.named_values(), **named}

    def shape(self, *arguments: Any, **named: Any) -> Any:
        """Give the shape of the result for arguments of these shapes, without data."""
        return self.formula.shape(*arguments, **self._given(named))

    def code(self, *arguments: Any, **named: Any) -> str:
        """Give the positional source that runs for these arguments, in this module's mode."""
        with training(self.training):
            return self.formula.code(*arguments, **self._given(named))

    def latex(self, dialect: str = "macros", **settings: Any) -> str:
        """Print the formula's equation, with the layers, settings and formulas that this module holds."""
        return self.formula.latex(dialect, **{**_holding(self).known, **settings})

    def call(self, other: Formula, *arguments: Any, **named: Any) -> Any:
        """Run another formula with this module's parameters, which it declares by the same names.

        It runs as a call of the module does, through torch's hooks, which shard parameters and gather them.

        Raises: BackendError where the module lacks a name that the formula declares.
        """
        if not isinstance(other, Formula):
            raise KindError(
                f"{self.formula.name}.module(...).call({kind_of_thing(other)})",
                "a formula is run with the module's parameters",
                hint="module.call(recall, Q, K, V) with recall a formula",
            )
        return self(*arguments, **named, **{_OTHER: other})

    def _call_other(self, other: Formula, arguments: Any, named: dict[str, Any]) -> Any:
        held = self.named_values()
        values = {n: held[n] for n in other.parameter_names if n in held}
        for parameter in other.signature.parameters:
            name = parameter.name
            needed = parameter.after and parameter.default is parameter_empty
            held_here = name in values or name in self.settings
            if needed and not held_here and name not in named:
                raise BackendError(
                    f"{self.formula.name}.module(...).call({other.name}, ...)",
                    f"{other.name} declares {name}, and the module holds "
                    f"{', '.join(self.formula.parameter_names) or 'nothing'}",
                    hint=f"give it: call({other.name}, ..., {name}=...)",
                )
            own = next((p for p in self.formula.signature.parameters if p.name == name), None)
            if (
                name in values
                and own is not None
                and own.space is not None
                and parameter.space is not None
            ):
                _hold_same(self.formula, other, own, parameter)
        settings = {
            n: v for n, v in self.settings.items() if n in other.signature.python.parameters
        }
        return other.call_any(arguments, {**settings, **values, **named}, self)

    def gather(self, key: list[Any], arrays: list[Any], modes: bool) -> bool:
        """Add what a plan depends on to `key`, and the data to `arrays`; see formula.door.

        A graph compiler gets dtypes; layouts are made from them outside of its graph.
        """
        structure = self._structure
        found = None if structure is None else structure.read(self, modes)
        if found is None and not compiling():
            structure = self._structure = structure_of(self)
            self._hold_all()
            found = None if structure is None else structure.read(self, modes)
        if found is None or structure is None:
            return False
        arrays += found[0]
        key += found[1] if compiling() else structure.key_of(self, found[1], modes)
        return True

    def forward(self, *arguments: Any, **named: Any) -> Any:
        if _OTHER in named:
            return self._call_other(named.pop(_OTHER), arguments, named)
        found = self.formula.call_known(arguments, named, self)
        if found is not None:
            return found
        given = {**self.settings, **self.named_values(), **named}
        return self.formula.call_any(arguments, given, self)

    # ----------------------------------------------------------------------------------- states

    def reading(self, plan: Plan, arrays: list[Any]) -> list[Any]:
        """Copy the states that a result depends on, so that storing new values does not change them."""
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

    def store(self, updates: dict[str, NamedTensor]) -> None:
        """Store new values of states by path, only once even if a checkpoint runs the body again."""
        if not compiling() and recomputing():
            return
        for path, given in updates.items():
            new = given.data
            owner: Any = self
            *bundles, name = path.split(".")
            for bundle in bundles:
                owner = owner._modules[bundle]
            if compiling():
                # torch loses what is copied into a buffer of one double number, and not into a view of it
                held = owner._buffers[name]
                held = held if held.ndim else held.view(1)
                held.copy_(new if new.ndim else new.view(1))
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

    def _repr_html_(self) -> str:
        from namedtensor.display.card import module_card
        from namedtensor.nn.summary import owners

        found = [(path, held) for path, _, each in owners(self) for held in each]
        return module_card(self.formula.name, found)

    def extra_repr(self) -> str:
        return repr(self.formula)


#: Attributes of torch's modules, and of ours, whose names a setting may have.
_OWN = frozenset({*dir(FormulaModule), *vars(torch.nn.Module()), "formula", "settings", "sizes"})


def _holding(module: FormulaModule) -> Holding:
    """Describe what a module holds, for printers."""
    known = dict(module.settings)
    for parameter in module.formula.signature.after:
        if not parameter.setting:
            held: Any = getattr(module, parameter.name, None)
            if held is None:
                known[parameter.name] = None
            elif parameter.stack:
                known[parameter.name] = [_holding(layer) for layer in held]
            elif parameter.bundle is not None:
                known[parameter.name] = _holding(held)
    return Holding(module.formula, known)


def _as_bundle(parameter: Parameter, held: Any) -> Any:
    """Give a bundle's module, or, if its formula is not the declared one, a Bundle that runs that formula."""
    if not isinstance(held, FormulaModule) or held.formula is parameter.bundle:
        return held
    return Bundle(held.formula, held.named_values(), held.training, held.settings)


#: The formulas of which it was said that a state dict names no axes.
_said: set[str] = set()


def _take_in_order(formula: str, name: str, data: torch.Tensor, space: Space) -> None:
    """Warn, once for each formula, that axes of equal sizes are taken for stored in declared order."""
    same = data.ndim == len(space.names) and len(set(data.shape)) < data.ndim
    if same and formula not in _said:
        _said.add(formula)
        warnings.warn(
            f"the state dict names no axes: {name}, of sizes {tuple(data.shape)}, is taken in declared "
            f"order, {space}. A dict made of a state dict has lost them: copy.deepcopy(state) keeps them, "
            "and named tensors are read by their names",
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
    """Make a formula's module with these sizes, settings and bundles."""
    if axes and all([type(size) is int for size in axes]):
        raise AxisNameError(
            f"{formula.name}.module({', '.join(map(repr, axes))})",
            "sizes are those of axes, which have names",
            hint=f"`{formula.module_code(axes)}`",
        )
    given = parse_axes(axes)
    distinct(f"{formula.name}.module({', '.join(map(repr, given))})", given)
    _hold_known(formula, given, settings)
    _hold_parameters(formula, given)
    if init is not None and not isinstance(init, Mapping):
        raise KindError(
            f"{formula.name}.module(...)",
            f"init is {kind_of_thing(init)}, and not a dict from parameters to functions",
            hint='init={"*": torch.nn.init.zeros_}',
        )
    call = f"{formula.name}.module(...)"
    device_of(call, device)
    hold_nothing_closed_over(formula)
    build = Build(formula, dict(init or {}), real_dtype(call, dtype), device)
    module = build.module(formula, _sizes(formula, given), dict(settings), "")
    build.finish(module)
    _hold_sizes(module, given)
    return module


def _hold_parameters(formula: Formula, axes: tuple[Axis, ...]) -> None:
    """Raise AxisNameError for sizes of what seems to be parameters and stands before the star."""
    tensors = [p for p in formula.signature.before if p.space is not None]
    if formula.signature.after or len(tensors) < 2:
        return
    first, *others = tensors
    if first.space is not None and any(axis.name not in first.space.names for axis in axes):
        raise AxisNameError(
            f"{formula.name}.module({', '.join(map(repr, axes))})",
            f"{formula.name} has no parameters, and nothing takes these sizes",
            [(p.name, repr(p.space)) for p in tensors],
            f"parameters stand after a star: def {formula.name}({first}, *, "
            f"{', '.join(map(str, others))}); without any: {formula.name}.module()",
        )


def device_of(call: str, device: Any) -> torch.device | None:
    """Read a device of torch or its name."""
    try:
        return None if device is None else torch.device(device)
    except (RuntimeError, TypeError):
        raise BackendError(
            call,
            f"{device!r} is no device of torch",
            hint='`torch.device("cpu")`, or "cuda", "meta" and others by their names',
        ) from None


def real_dtype(call: str, dtype: Any) -> torch.dtype | None:
    """Read a dtype of torch or its name; parameters hold real numbers."""
    try:
        found: torch.dtype | None = get_backend("torch").function("dtype_of")(dtype)
    except TypeError:
        found = torch.bool
    if found is not None and not (found.is_floating_point or found.is_complex):
        raise KindError(
            call,
            f"parameters hold real numbers, and dtype is {dtype}",
            hint="dtype=torch.float32",
        )
    return found


class Build:
    """Make a module and all that it holds; `wanted` initialises parameters by name, pattern or axes."""

    def __init__(self, formula: Formula, wanted: dict[Any, Any], dtype: Any, device: Any) -> None:
        self.call = f"{formula.name}.module(...)"
        self.wanted = [(key, _axes_wanted(key), fill) for key, fill in wanted.items()]
        self.used: set[int] = set()
        self.dtype = dtype
        self.device = device
        self.roles: dict[Any, dict[str, Initialiser] | None] = {}
        self.held: dict[int, str] = {}

    def module(
        self, formula: Formula, sizes: dict[str, int], given: dict[str, Any], prefix: str
    ) -> FormulaModule:
        """Make a formula's module; `given` are its settings, named sizes and bundles."""
        known = {p.name for p in formula.signature.parameters if p.setting}
        bundles = {p.name for p in formula.signature.parameters if p.bundle is not None}
        asked = {p.name for p in formula.signature.parameters if p.space is not None and p.after}
        named = _size_names(formula) - known
        sizes = sizes | {named_size(n): int(given.pop(n)) for n in list(given) if n in named}
        for name in given:
            if name not in known | bundles and not (name in asked and _optional(formula, name)):
                own = [n for n in given if n in _axes_of(formula) and _is_count(given[n])]
                sizes_typed = ", ".join([axis_code(n, given[n]) for n in own])
                raise AxisNameError(
                    f"{formula.name}.module(...)",
                    f"{formula.name} has no setting or bundle {name}"
                    if bundles
                    else f"{formula.name} has no setting {name}",
                    hint=f"{name} is an axis: {formula.name}.module({sizes_typed})"
                    if name in own
                    else repr(formula),
                )
        settings = {n: v for n, v in given.items() if n in known}
        plain = [p for p in formula.signature.parameters if p.setting and p.lift is None]
        hold_no_settings(formula, {p.name: settings.get(p.name, p.default) for p in plain})
        module = FormulaModule(formula, sizes, settings)
        for parameter in formula.signature.parameters:
            name = parameter.name
            if parameter.lift is not None:
                _hold_function(module, parameter)
            if not parameter.after or parameter.setting:
                continue
            _free(module, name)
            path = prefix + name
            if parameter.optional and given.get(name) in (None, False):
                module.register_module(name, None)
            elif parameter.stack:
                module.add_module(name, self.stack(parameter, sizes, given.get(name), path))
            elif parameter.bundle is not None:
                inner = self.bundle(parameter.bundle, name, sizes, given.get(name), path)
                module.add_module(name, inner)
            elif parameter.default is None and not self.asks(given, name, path):
                if parameter.state:
                    module.register_buffer(name, None)
                else:
                    module.register_parameter(name, None)
            else:
                self.tensor(module, parameter, sizes, path, settings)
        module._structure = structure_of(module)
        module._hold_all()
        return module

    def asks(self, given: dict[str, Any], name: str, path: str) -> bool:
        """Say whether an optional parameter is asked for: b=True, or by an initial value."""
        if name in given and not isinstance(given[name], bool):
            raise KindError(
                self.call,
                f"{path} is {kind_of_thing(given[name])}, and the parameter is made or left out",
                hint=f"{name}=True makes it; init={{{path!r}: ...}} fills it",
            )
        return bool(given.get(name, any(key == path for key, _, _ in self.wanted)))

    # ---------------------------------------------------------------------------------- bundles

    def bundle(
        self, declared: Formula, name: str, sizes: dict[str, int], given: Any, path: str
    ) -> FormulaModule:
        """Make a bundle, by the declared formula or by another one, or take the module that is given."""
        if isinstance(given, FormulaModule):
            self.hold_fitting(declared, given.formula, path)
            self.hold_as_wide(declared, given.formula, path)
            return self.tied(given, path)
        if isinstance(given, Formula):
            if isinstance(declared, Widened):
                given = widened(given, declared.axis)
            if isinstance(declared, Stacked) and not isinstance(given, Stacked):
                given = stacked(given, declared.axis)
            self.hold_fitting(declared, given, path)
            return self.module(given, sizes, {}, f"{path}.")
        if given is None or given is True or isinstance(given, dict):
            if isinstance(declared, Stacked) and given is None:
                raise self.no_count(path, declared.layer)
            return self.module(
                declared, sizes, dict(given) if isinstance(given, dict) else {}, f"{path}."
            )
        if isinstance(declared, Stacked) and _is_count(given):
            return self.module(declared, sizes | {declared.axis: int(given)}, {}, f"{path}.")
        takes = [
            spaced([(a, None) for a in p.space.names]) for p in declared.signature.before if p.space
        ]
        gives = [
            spaced([(a, None) for a in space.names]) for space in declared.signature.results or ()
        ]
        raise KindError(
            self.call,
            f"{path} is {kind_of_thing(given)}, and holds the parameters of {declared.name}",
            hint=f'{name}: nt.lift["{", ".join(takes)} -> {", ".join(gives)}"] declares a module of torch'
            if isinstance(given, torch.nn.Module) and all([takes, gives])
            else f"a formula's module, a formula of the same arguments, or {name}=dict(...) with its "
            "settings",
        )

    def stack(
        self, parameter: Parameter, sizes: dict[str, int], given: Any, path: str
    ) -> torch.nn.ModuleList:
        """Make a stack of a number of new bundles, or of those in a list."""
        layer = parameter.bundle
        if _is_count(given):
            given = [None] * int(given)
        if not isinstance(given, (list, tuple, torch.nn.ModuleList)):
            raise self.no_count(path, layer, given)
        return torch.nn.ModuleList(
            [
                self.bundle(layer, f"{path}[{i}]", sizes, x, f"{path}.{i}")
                for i, x in enumerate(given)
            ]
        )

    def no_count(self, path: str, layer: Formula, given: Any = None) -> NamedTensorError:
        name = path.rpartition(".")[2]
        said = repr(given) if isinstance(given, (int, float)) else kind_of_thing(given)
        return KindError(
            self.call,
            f"{path} is a stack of {layer.name}, and "
            + (
                "how many there are is not given"
                if given is None
                else f"{said} is no number of them"
            ),
            hint=f"{name}=6, or {name}=[{layer.name}, {layer.name}]",
        )

    def hold_fitting(self, declared: Formula, given: Formula, path: str) -> None:
        """Raise BackendError unless a formula has the arguments and the results of another."""
        if not fits(given, declared) and not same_parameters(given, declared):
            raise BackendError(
                self.call,
                f"{path} is a bundle of {declared.name}, and {given.name} has other arguments or results",
                [(declared.name, repr(declared)), (given.name, repr(given))],
                f"declare {given.name} with the arguments of {declared.name}",
            )

    def hold_as_wide(self, declared: Formula, given: Formula, path: str) -> None:
        """Raise BackendError for a module of one layer where all layers are held together."""
        axis = getattr(declared, "axis", "")
        if axis != getattr(given, "axis", ""):
            raise BackendError(
                self.call,
                f"{path} holds all layers of a stack along {axis}, and a module of {given.name} holds one"
                if axis
                else f"{path} holds one layer, and the module of {given.name} holds a stack of them",
                hint="give a formula, or the settings in a dict; load_state_dict brings numbers",
            )

    def tied(self, module: FormulaModule, path: str) -> FormulaModule:
        """Take a module that is given; the same one if it is given twice."""
        first = self.held.setdefault(id(module), path)
        if first != path and any(True for _ in module.buffers()):
            raise BackendError(
                self.call,
                f"{path} and {first} are one module, which has states: each would update its own copy",
                hint="hold it once, and call it twice in the body",
            )
        return module

    # --------------------------------------------------------------------------------- tensors

    def tensor(
        self,
        module: FormulaModule,
        parameter: Parameter,
        sizes: dict[str, int],
        path: str,
        settings: dict[str, Any],
    ) -> None:
        """Make a parameter or a state, and fill it."""
        formula, space = module.formula, parameter.space
        assert space is not None
        shape = [_size(formula, parameter, axis, sizes) for axis in space.axes]
        dtype = _STATE_DTYPES.get(space.letter, self.dtype) if parameter.state else self.dtype
        data = torch.empty(shape, dtype=dtype, device=self.device)
        with torch.no_grad():
            own = self.initialiser(path, space)
            if own is not None:
                _fill(formula, path, data, own, space)
            elif parameter.state:
                data.zero_()
            else:
                start(self.role(formula, settings, parameter.name), space.names, data)
        if parameter.state:
            module.register_buffer(parameter.name, data)
        else:
            setattr(module, parameter.name, torch.nn.Parameter(data))

    def role(self, formula: Formula, settings: dict[str, Any], name: str) -> Initialiser | None:
        key = formula, tuple(map(repr, settings.items()))
        if key not in self.roles:
            self.roles[key] = roles_of(formula, settings)
        found = self.roles[key]
        return None if found is None else found.get(name, OTHER)

    def initialiser(self, path: str, space: Space) -> Any:
        """Find the initial value of a parameter: by its name first, then by a pattern, then by its axes."""
        found: tuple[int, Any] | None = None
        for i, (key, axes, fill) in enumerate(self.wanted):
            if axes is not None:
                rank = 3 if axes == set(space.names) else 0
            else:
                rank = 1 if key == path else 2 if fnmatch.fnmatchcase(path, key) else 0
            if rank:
                self.used.add(i)
                if found is None or rank < found[0]:
                    found = rank, fill
        return None if found is None else found[1]

    def finish(self, module: FormulaModule) -> None:
        """Raise AxisNameError where an initial value fits no parameter."""
        left = [
            (str(key), axes) for i, (key, axes, _) in enumerate(self.wanted) if i not in self.used
        ]
        for key, axes in left:
            found = [
                path
                for path, names in module.axes.items()
                if (fnmatch.fnmatchcase(path, key) if axes is None else axes == set(names))
            ]
            if found:
                raise AxisNameError(
                    self.call,
                    f"init names {key}, and {found[0]} came with a module that was given",
                    hint="give init where that module is made",
                )
        if left:
            raise AxisNameError(
                self.call,
                f"init names {', '.join([key for key, _ in left])}, which is no parameter",
                hint=f"the parameters are {', '.join(n for n, _ in module.named_parameters())}",
            )


def _is_count(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def _optional(formula: Formula, name: str) -> bool:
    return formula.signature[name].default is None


def _axes_wanted(key: Any) -> set[str] | None:
    """Read a key of `init` that tells axes: a tuple of them, an axis, or their names with blanks."""
    if isinstance(key, str) and " " not in key.strip():
        return None
    return {axis.name for axis in parse_axes(key if isinstance(key, (str, tuple)) else (key,))}


def _hold_same(formula: Formula, other: Formula, own: Parameter, wanted: Parameter) -> None:
    """Raise AxisMissingError where two formulas declare other axes for a parameter of one name."""
    mine = set() if own.space is None else set(own.space.names)
    theirs = set() if wanted.space is None else set(wanted.space.names)
    if mine != theirs:
        raise AxisMissingError(
            f"{formula.name}.module(...).call({other.name}, ...)",
            f"{own.name} is {own.space} in the module, and {other.name} declares {wanted.space}",
            hint=f"give it: call({other.name}, ..., {own.name}=...)",
        )


#: The dtypes of states of whole numbers and of truth values.
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
    parameter.lift(parameter.name, given)  # this refuses what is not a function
    if isinstance(given, torch.nn.Module):
        _free(module, parameter.name)
        module.settings = {**module.settings, parameter.name: given}
        setattr(module, parameter.name, given)


def _free(module: FormulaModule, name: str) -> None:
    """Refuse a parameter's name that is an attribute of torch.nn.Module or of ours."""
    if hasattr(type(module), name) or name in vars(module):
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
    real = data.is_floating_point() or data.is_complex()
    data.fill_(torch.nan if real else 0)

    def refusal(why: str) -> KindError:
        return KindError(
            f"{formula.name}.module(...)",
            f"init[{name!r}] is given the tensor to fill, and {why}",
            hint=f"init={{{name!r}: torch.nn.init.zeros_}}",
        )

    filled = call_passed(own, (data,), refusal)
    if filled is None and real and not data.is_meta and bool(data.isnan().any()):
        raise KindError(
            f"{formula.name}.module(...)",
            f"init[{name!r}] gave nothing, and has not filled the tensor that it is given",
            hint=f"fill it in place, init={{{name!r}: torch.nn.init.zeros_}}, or give its numbers",
        )
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


def _hold_known(formula: Formula, axes: tuple[Axis, ...], given: dict[str, Any]) -> None:
    """Raise AxisNameError for an axis that neither the formula nor the formulas given for bundles declare."""
    known = list(dict.fromkeys([*_axes_of(formula), *_axes_given(given)]))
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


def _hold_sizes(module: FormulaModule, given: tuple[Axis, ...]) -> None:
    """Raise AxisSizeError for a size that nothing has because the modules that have its axis were given."""
    if not given:
        return
    held = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    found: dict[str, dict[int, str]] = {}
    for path, axes in module.axes.items():
        for name, size in zip(axes, held[path].shape if path in held else (), strict=False):
            found.setdefault(name, {})[size] = path
    for axis in given:
        sizes = found.get(shown(axis.name), {})
        if sizes and int(axis.size or 0) not in sizes:
            size, path = next(iter(sizes.items()))
            raise AxisSizeError(
                f"{module.formula.name}.module({', '.join(map(repr, given))})",
                f"axis {shown(axis.name)} is {size} in {path}, and no parameter takes {axis.size}",
                [(path, spaced([*zip(module.axes[path], held[path].shape, strict=True)]))],
                f"leave {axis_code(axis.name, int(axis.size or 0))} out: what was made or declared "
                "with a size keeps it",
            )


def _axes_given(given: Any) -> Iterator[str]:
    """List the axes of formulas that are given for bundles."""
    if isinstance(given, Formula):
        yield from _axes_of(given)
    elif isinstance(given, (dict, list, tuple)):
        for part in given.values() if isinstance(given, dict) else given:
            yield from _axes_given(part)


def _axes_of(formula: Formula) -> list[str]:
    """List the axes that a formula declares, and those of its bundles."""
    return [name for space in formula.signature.spaces() for name in space.names]


def _sizes(formula: Formula, axes: tuple[Axis, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for axis in axes:
        if axis.size is None:
            raise AxisSizeError(
                f"{formula.name}.module({axis.name})",
                f"{axis.name} has no size",
                hint=f"give it one: {axis_code(axis.name, 512)}",
            )
        sizes[axis.name] = int(axis.size)
    return sizes


def _size_names(formula: Formula) -> set[str]:
    """Collect the names of sizes in a formula's declarations and its bundles'."""
    return {name for space in formula.signature.spaces() for _, name in space.size_names}


def _sized_code(sizes: dict[str, int]) -> list[str]:
    """Write axes with sizes as code: emb[512], or "seq'[512]" where a name is no word of Python."""
    return list(dict.fromkeys(axis_code(name, size) for name, size in sizes.items()))


def _size(formula: Formula, parameter: Parameter, axis: Axis, sizes: dict[str, int]) -> int:
    if axis.size is not None:
        return int(axis.size)
    assert parameter.space is not None
    named = parameter.space.size_key(axis.name)
    if named is not None and named in sizes:
        return sizes[named]
    if axis.name not in sizes:
        spaces = [own.space for own in formula.signature.after if own.space is not None]
        open_ = {a.name: 512 for s in spaces for a in s.axes if a.size is None}
        own = _axes_of(formula)  # of an outer formula's sizes, those that this one declares
        wanted = open_ | {n: s for n, s in sizes.items() if n in own} | {axis.name: 512}
        raise AxisSizeError(
            f"{formula.name}.module(...)",
            f"axis {axis.name} of the parameter {parameter.name} has no size",
            [(parameter.name, repr(parameter.space))],
            f"{formula.name}.module({', '.join(_sized_code(wanted))})",
        )
    return sizes[axis.name]
