"""Published models as formulas, against the positional code of a careful user of torch.

The models and their twins stand in tests/models/architectures.py, which has the sizes too. Tokens go
to the best 2 of 8 experts, each with 5/4 of its share of slots.
"""

from collections.abc import Callable, Iterator
from functools import partial

import torch

from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from tests.models.architectures import MODELS

THREADS = 1
SIZES = {"kh": 3, "kw": 3, "kh'": 2, "kw'": 2, "gate": 4}


def rows(settings: Settings) -> Iterator[Line]:
    for model in MODELS:
        arrays = model.drawn({**SIZES, **model.large}, torch.float32)
        given = model.named(arrays)
        ours, theirs = partial(model.ours, given), partial(model.theirs, arrays)
        torch.testing.assert_close(ours(), theirs(), rtol=1e-2, atol=1e-3)

        def trained(
            run: Callable[[], tuple[torch.Tensor, ...]], arrays: list[torch.Tensor] = arrays
        ) -> Callable[[], None]:
            def step() -> None:
                for leaf in arrays:
                    leaf.grad = None
                torch.autograd.backward([result.sum() for result in run()])

            return step

        both = compare_runs(trained(ours), trained(theirs), settings.seconds(1.5))
        with torch.no_grad():
            forward = compare_runs(ours, theirs, settings.seconds(1))
        goal = 1.3 if "experts" in model.name else 1.1
        yield Row(f"{model.name}, forward", forward, goal)
        yield Row(f"{model.name}, forward and backward", both, goal)
