"""What every test shares: fixed seeds, an empty compiler, the tries of hypothesis, the names of doctests."""

import gc
import random
import sys

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, settings

import namedtensor

# Read as programs, not as modules: pages are run by nbmake, benchmarks by `make bench`, and the positional
# twins of faults are for a checker that a benchmark asks; what strangers wrote is only checked.
collect_ignore_glob = [
    "notebooks/*.py",
    "benchmarks/*",
    "tests/check/positional/*",
    "tests/check/strangers/*",
]

# How long one case takes says more about the machine than about the code.
settings.register_profile(
    "check",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
)
settings.load_profile("check")  # `make fuzz` has its own: tests/fuzz.py


# What is imported and collected stays until the end: looking for garbage among it is a tenth of the time.
@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(50_000, 20, 10)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Seed every generator, and forget what torch compiled, so that a test is alone in company too.

    torch counts how often it compiled one line, such as the call of any module, and stops at its limit.
    """
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()


@pytest.fixture(autouse=True)
def names_of_doctests(doctest_namespace):
    """Let a docstring say nt and np as its module's users do."""
    doctest_namespace["nt"] = namedtensor
    doctest_namespace["np"] = np
