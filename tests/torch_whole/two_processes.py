"""One of two processes that train the small model together: python -m ... RANK FOLDER.

Each takes its half of the sentences. What comes out is saved by the first, for the test to compare.
"""

import os
import sys
import warnings
from copy import deepcopy
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.experimental import implicit_replication
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.parallel import DistributedDataParallel

from namedtensor.sharding import shard
from tests.torch_whole.model import Model, batch, loss, words


def start():
    """Give the same model and sentences in every process."""
    torch.manual_seed(0)
    return Model(dtype=torch.float64), words(4)


def trained(model, x):
    """Give a model's parameters after one step on these sentences."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    loss(model, x).backward()
    optimizer.step()
    return model.state_dict()


def replicated(model, half, **settings):
    """Train copies whose gradients are averaged (DDP)."""
    trained(DistributedDataParallel(model, **settings), half)
    return model.state_dict()


def sharded(model, half, **settings):
    """Train one copy whose parameters are split between the processes, layer by layer (FSDP2)."""
    for layer in model.layers:
        fully_shard(layer, **settings)
    found = trained(fully_shard(model, **settings), half)
    return {name: parameter.full_tensor() for name, parameter in found.items()}


def split(model, x, axes):
    """Train one copy whose axes are split between the processes (DTensor)."""
    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("model",))
    shard(model, mesh, dict.fromkeys(axes, "model"))
    assert any(parameter.to_local().shape != parameter.shape for parameter in model.parameters())
    with implicit_replication(), sdpa_kernel(SDPBackend.MATH):
        found = trained(model, shard(x, mesh, {}))
    return {name: parameter.full_tensor() for name, parameter in found.items()}


def main(rank, folder):
    warnings.simplefilter("error")
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model, x = start()
    half = x[batch[2 * rank : 2 * rank + 2]]
    bfloat16 = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    found = {
        "replicated": replicated(deepcopy(model), half),
        "replicated, looking for unused parameters": replicated(
            deepcopy(model), half, find_unused_parameters=True
        ),
        "sharded": sharded(deepcopy(model), half),
        "split by head and hid": split(deepcopy(model), x, ("head", "hid")),
        "split by vocab": split(deepcopy(model), x, ("vocab",)),
        "sharded in bfloat16": sharded(deepcopy(model).float(), half, mp_policy=bfloat16),
    }
    if rank == 0:
        torch.save(found, Path(folder) / "found.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
    sys.stderr.flush()
    # gloo's threads may outlive the group on a busy machine, and end Python's own exit by abort()
    os._exit(0)
