"""Use all cores, or one while other programs use them: whichever is measured to be faster.

The threads of an operation wait for each other. While another program holds a core, two threads can
be ten times slower than one; on an idle machine they are half as fast again. The last bits of a sum
hang on the number of threads, so a run that must be repeated to the bit fixes it.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

WARM_SECONDS = 2.0
HOLD_SECONDS = 15.0
TRIAL_STEPS = 4


class Threads:
    """Choose the number of threads of each step: try each for a few steps, hold the best a while."""

    def __init__(self, fixed: int | None = None) -> None:
        """Choose between all cores and one, or stay with a fixed number."""
        most = fixed or torch.get_num_threads()
        self.choices = (most,) if fixed else tuple(sorted({1, most}))
        self.now = self.choices[0]
        self._hold_until = time.monotonic() + WARM_SECONDS
        self._untried = list(self.choices)
        self._trial: list[float] = []
        self._pace: dict[int, float] = {}

    @contextmanager
    def step(self, work: int) -> Iterator[None]:
        """Run a step with the chosen number of threads; work is its size, in any unit."""
        torch.set_num_threads(self.now)
        start = time.monotonic()
        yield
        end = time.monotonic()
        if len(self.choices) > 1 and end >= self._hold_until:
            self._note((end - start) / work, end)

    def _note(self, pace: float, now: float) -> None:
        """Enter a step into the trial: some steps of each choice, or until it has lost."""
        if self._untried and self.now == self._untried[0]:
            self._trial.append(pace)
        best = min(self._pace.values(), default=math.inf)
        if len(self._trial) == TRIAL_STEPS or sum(self._trial) > best:
            self._pace[self._untried.pop(0)] = sum(self._trial)
            self._trial = []
        if self._untried:
            self.now = self._untried[0]
            return
        self.now = min(self.choices, key=self._pace.__getitem__)
        self._untried = list(self.choices)
        self._pace = {}
        self._hold_until = now + HOLD_SECONDS
