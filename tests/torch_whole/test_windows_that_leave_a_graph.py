"""The gradient of windows that overlap, when a compiled graph gives them away."""

from collections.abc import Callable

import pytest
import torch

import namedtensor as nt
from namedtensor import axes

seq, kernel = axes("seq kernel")


@pytest.fixture(autouse=True)
def nothing_compiled() -> None:
    torch.compiler.reset()


def gradient(f: Callable[[torch.Tensor], torch.Tensor]) -> list[float]:
    x = torch.arange(4.0, requires_grad=True)
    y = f(x)
    (y * torch.arange(6.0).reshape(y.shape)).sum().backward()
    assert x.grad is not None
    return x.grad.tolist()


def compiled(f: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    return torch.compile(f, backend="aot_eager", fullgraph=True)


def test_windows_that_leave_a_compiled_graph_have_their_gradient() -> None:
    def windows(x: torch.Tensor) -> torch.Tensor:
        return nt.unroll[seq, kernel[2]](nt.tensor(x, seq) * 2).torch(seq, kernel)

    def turned(x: torch.Tensor) -> torch.Tensor:
        return nt.unroll[seq, kernel[3]](nt.tensor(x, seq) * 2).torch(kernel, seq)

    def cut(x: torch.Tensor) -> torch.Tensor:
        seen = nt.unroll[seq, kernel[2]](nt.pad[seq](nt.tensor(x, seq), 1, 0, 0.0))
        return seen[seq[1:]].torch(seq, kernel)

    for f in (windows, turned, cut):
        assert gradient(compiled(f)) == gradient(f)


def test_windows_are_a_view_where_nothing_compiles() -> None:
    x = torch.arange(6.0)
    seen = nt.unroll[seq, kernel[3]](nt.tensor(x, seq)).torch(seq, kernel)
    assert seen.data_ptr() == x.data_ptr()


def test_torch_still_gets_the_gradient_of_unfold_wrong() -> None:
    """When this fails, torch is mended, and `windows` of the torch backend needs no copy."""

    def unfolded(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).unfold(0, 2, 1)

    assert gradient(unfolded) == [0, 6, 14, 10]
    assert gradient(compiled(unfolded)) == [0, 8, 16, 10]
