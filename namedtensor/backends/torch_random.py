"""Draw gammas from a generator by a private function of torch: no public function does."""

from __future__ import annotations

from typing import Any

import torch


def standard_gamma(shape: Any, generator: Any) -> Any:
    """Draw one gamma for each shape parameter; without the door, from torch's own generator alone."""
    if hasattr(torch, "_standard_gamma"):
        return torch._standard_gamma(shape, generator)
    if generator is not None:
        raise TypeError("this version draws gammas without a generator only")
    return torch.distributions.Gamma(shape, 1.0).sample()
