"""Try cases that nobody has tried yet, for as long as told: `make fuzz SECONDS=600`.

Runs every hypothesis test again and again with fresh seeds, and says how many cases it tried.
It stops at the first failure and shows the smallest case that fails; hypothesis remembers that
case in .hypothesis/ and tries it first the next time.

As a pytest plugin (-p tests.fuzz) this file ends a round when the time is up.
"""

import argparse
import os
import random
import re
import secrets
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "fuzz",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    max_examples=200,
    print_blob=True,
)

UNTIL = "FUZZ_UNTIL"
COUNTS = re.compile(r"(\d+) passing, (\d+) failing, and \d+ invalid test cases")


@pytest.hookimpl
def pytest_collection_modifyitems(items):
    """Keep only what generates its cases, in any order, so that a short run is fair to all."""
    items[:] = [item for item in items if getattr(item.obj, "is_hypothesis_test", False)]
    random.shuffle(items)


@pytest.hookimpl
def pytest_runtest_protocol(item):
    """Begin no further test when the time is up; the first one has its turn in any case."""
    if time.time() > float(os.environ[UNTIL]) and item is not item.session.items[0]:
        item.session.shouldstop = "the time is up"
        return True
    return None


def cases_in(statistics: str) -> int:
    """Add up the cases in what pytest --hypothesis-show-statistics prints.

    >>> cases_in("    - 90 passing, 1 failing, and 7 invalid test cases")
    91
    """
    return sum(int(passing) + int(failing) for passing, failing in COUNTS.findall(statistics))


def play_round(seed: int, until: float, where: list[str]) -> tuple[bool, str]:
    """Run the tests once with this seed; say whether they passed, and what was printed."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.fuzz", "--quiet", "--no-header"]
    command += ["--hypothesis-profile=fuzz", "--hypothesis-show-statistics"]
    done = subprocess.run(
        [*command, f"--hypothesis-seed={seed}", *where],
        env={**os.environ, UNTIL: str(until)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    stopped_by_time = done.returncode == pytest.ExitCode.INTERRUPTED and time.time() > until
    return done.returncode == 0 or stopped_by_time, done.stdout + done.stderr


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (60)")
    parser.add_argument("where", nargs="*", default=["tests"], help="which tests (tests)")
    chosen = parser.parse_args(words)
    start = time.time()
    until = start + chosen.seconds
    cases = rounds = 0
    while rounds == 0 or time.time() < until:
        seed = secrets.randbelow(2**32)
        passed, printed = play_round(seed, until, chosen.where)
        rounds += 1
        cases += cases_in(printed)
        took = f"{cases:,} cases in {time.time() - start:.0f} s"
        print(f"round {rounds}, seed {seed}: {took}", flush=True)
        if not passed:
            print(printed)
            print(f"found a failure after {took}" if cases else "no case was tried")
            return 1
    print(f"tried {took}; none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
