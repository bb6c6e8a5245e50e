"""Find the modules of formulas that a torch module calls, by running it once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from namedtensor.errors import KindError, kind_of_thing


def look_at_calls(
    call: str,
    module: Any,
    args: Sequence[Any],
    named: Mapping[str, Any],
    look: Callable[[str, Any, Any, Any], None],
) -> None:
    """Run a torch module; give `look` the place, the module and the arguments of each formula's module.

    No buffer changes, and no generator moves. Raises: KindError where the module holds none.
    """
    import torch

    parts = {n: part for n, part in module.named_modules() if hasattr(part, "named_values")}
    if not parts:
        raise KindError(
            f"{call}({kind_of_thing(module)})",
            f"{kind_of_thing(module)} holds no module of a formula",
            hint="make one: ffn.module(emb[512], hid[2048])",
        )
    hooks = [
        part.register_forward_pre_hook(functools.partial(look, place), with_kwargs=True)
        for place, part in parts.items()
    ]
    buffers = {name: data.clone() for name, data in module.named_buffers()}
    try:
        with torch.no_grad(), torch.random.fork_rng():
            torch.func.functional_call(module, buffers, tuple(args), dict(named))
    finally:
        for hook in hooks:
            hook.remove()
