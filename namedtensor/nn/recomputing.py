"""Whether torch computes a forward pass again for its gradients: the one door to torch's word on it."""

from __future__ import annotations

import torch


def recomputing() -> bool:
    """Say whether a backward pass runs in this thread, as it does where a checkpoint runs a body again."""
    return bool(torch._C._current_graph_task_id() != -1)
