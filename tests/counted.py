"""Count what a program asks of torch: numbers that do not depend on what else the machine does."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import ref

import torch
from torch.utils._python_dispatch import TorchDispatchMode


def is_view(function: Any) -> bool:
    """Say whether an operation of torch computes nothing: its result is its operand in another shape."""
    returned = [r.alias_info for r in function._schema.returns]
    return "view" in str(function) or any(a is not None and not a.is_write for a in returned)


class _Counted(TorchDispatchMode):
    """Note each operation that computes, and how many numbers live at once at most."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels: Counter[str] = Counter()
        self.most = 0
        self.made: list[ref[Any]] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if not is_view(function):
            self.kernels[str(function.overloadpacket).removeprefix("aten.")] += 1
            if isinstance(result, torch.Tensor):
                self.made.append(ref(result))
                living = [x for known in self.made if (x := known()) is not None]
                self.most = max(self.most, sum(x.numel() for x in living))
        return result


def kernels(run: Callable[[], object]) -> Counter[str]:
    """Count the operations of torch that compute something, by name; the first call is not counted."""
    run()
    with _Counted() as counted:
        run()
    return counted.kernels


def most_numbers(run: Callable[[], object]) -> int:
    """Say how many numbers are held at once at most, of those that a call computes."""
    run()
    with _Counted() as counted:
        run()
    return counted.most
