"""Groups of parameters for optimisers, by name and axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from namedtensor.errors import KindError, kind_of_thing
from namedtensor.tensor.wrong_calls import call_passed

if TYPE_CHECKING:
    import torch


def parameters(
    module: torch.nn.Module, options: Callable[[str, Any], Mapping[str, Any] | None]
) -> list[dict[str, Any]]:
    """Group a module's parameters for an optimiser, by the options that a function gives for each.

    `options(name, axes)` gives what the optimiser shall do with a parameter, or None to leave it out; the
    axes are names, or None where a parameter is no formula's. What is tied counts once.

    Raises: KindError where it gives something else.

    >>> from namedtensor import R, axes, formula
    >>> emb, hid = axes("emb hid")
    >>> @formula
    ... def lin(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    ...     return W @ emb @ X + b
    >>> groups = parameters(
    ...     lin.module(emb[2], hid[3]),
    ...     lambda name, axes: {"weight_decay": 0.1 if len(axes) > 1 else 0.0},
    ... )
    >>> [(group["weight_decay"], len(group["params"])) for group in groups]
    [(0.1, 1), (0.0, 1)]
    """
    if not hasattr(module, "named_modules"):
        raise KindError(
            "parameters(module, options)",
            f"module is {kind_of_thing(module)}, which holds no parameters",
            hint='nt.parameters(f.module(emb[512]), lambda name, axes: {"weight_decay": 0.1})',
        )
    if not callable(options):
        raise KindError(
            "parameters(module, options)",
            f"options is {kind_of_thing(options)}, and not a function of a parameter's name and axes",
            hint='lambda name, axes: {"weight_decay": 0.1}',
        )
    known: dict[str, tuple[str, ...]] = {}
    for prefix, part in module.named_modules():
        own = getattr(part, "axes", None) if hasattr(part, "named_values") else None
        for name, axes in (own or {}).items():
            known[f"{prefix}.{name}" if prefix else name] = axes
    groups: list[dict[str, Any]] = []
    for name, parameter in module.named_parameters():
        given = name, _axes(module, name, parameter, known)
        wanted = call_passed(options, given, _other_options)
        if wanted is None:
            continue
        if not isinstance(wanted, Mapping):
            raise KindError(
                "parameters(module, options)",
                f"options gave {wanted!r} for {name}, and an optimiser takes options by name",
                hint='lambda name, axes: {"weight_decay": 0.1}, or None to leave it out',
            )
        group = next((g for g in groups if _options(g) == dict(wanted)), None)
        if group is None:
            groups.append({"params": [parameter], **wanted})
        else:
            group["params"].append(parameter)
    return groups


def _other_options(why: str) -> KindError:
    return KindError(
        "parameters(module, options)",
        f"options is given a parameter's name and its axes, and {why}",
        hint='lambda name, axes: {"weight_decay": 0.1}',
    )


def _axes(
    module: torch.nn.Module,
    name: str,
    parameter: torch.Tensor,
    known: Mapping[str, tuple[str, ...]],
) -> tuple[str, ...] | None:
    """Give the axes of a parameter; parts of a parametrized one have its axes where sizes are equal."""
    owner, mark, last = name.rpartition("parametrizations.")
    if not mark:
        return known.get(name)
    whole = last.split(".")[0]
    axes = known.get(owner + whole)
    if axes is None:
        return None
    sizes = getattr(module.get_submodule(owner.rstrip(".")), whole).shape
    if len(sizes) != parameter.ndim:
        return () if not parameter.ndim else None
    pairs = list(zip(axes, sizes, parameter.shape, strict=True))
    fits = all([size in (1, full) for _, full, size in pairs])
    return tuple([axis for axis, full, size in pairs if size == full]) if fits else None


def _options(group: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name != "params"}
