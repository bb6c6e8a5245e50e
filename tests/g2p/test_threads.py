import time

import pytest
import torch

from transformer_named.g2p.threads import HOLD_SECONDS, TRIAL_STEPS, Threads


class Machine:
    """A clock that a step moves by as long as it takes with the threads of the moment."""

    def __init__(self, monkeypatch, cores: int) -> None:
        self.clock = 0.0
        self.threads = cores
        self.seconds = {1: 1.0, 2: 1.0}
        monkeypatch.setattr(time, "monotonic", lambda: self.clock)
        monkeypatch.setattr(torch, "get_num_threads", lambda: cores)
        monkeypatch.setattr(torch, "set_num_threads", lambda n: setattr(self, "threads", n))

    def run(self, threads: Threads, steps: int) -> list[int]:
        used = []
        for _ in range(steps):
            with threads.step(work=10):
                used.append(self.threads)
                self.clock += self.seconds[self.threads]
        return used


@pytest.fixture
def machine(monkeypatch):
    return Machine(monkeypatch, cores=2)


@pytest.mark.parametrize(("idle", "best"), [(True, 2), (False, 1)])
def test_the_faster_number_of_threads_is_held(machine, idle, best):
    machine.seconds[2] = 0.6 if idle else 10.0
    threads = Threads()
    machine.run(threads, 3 + 2 * TRIAL_STEPS)
    assert set(machine.run(threads, 10)) == {best}


def test_both_are_tried_again_when_others_come_and_go(machine):
    machine.seconds[2] = 0.6
    threads = Threads()
    for slow in (10.0, 0.6, 10.0):
        machine.seconds[2] = slow
        machine.run(threads, int(2 * HOLD_SECONDS / min(slow, 1.0)))
        last = machine.run(threads, TRIAL_STEPS)
        assert last.count(1 if slow > 1 else 2) >= TRIAL_STEPS // 2


def test_a_choice_that_has_lost_is_not_tried_to_the_end(machine):
    machine.seconds[2] = 10.0
    threads = Threads()
    assert machine.run(threads, 3 + TRIAL_STEPS + 10).count(2) == 1


def test_a_fixed_number_stays(machine):
    assert set(machine.run(Threads(fixed=2), 50)) == {2}


def test_one_core_has_no_choice(monkeypatch):
    assert set(Machine(monkeypatch, cores=1).run(Threads(), 50)) == {1}
