"""Memory does not grow with the calls: caches are bounded (`make check-long` makes 200,000 calls)."""

import sys
from pathlib import Path

import pytest

from tests.project.interpreter import python

#: With the warm-up these are 10,000 calls; a cache without a bound adds 12 MB or more.
CALLS, LIMIT = 6_000, 9


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.skipif("coverage" in sys.modules, reason="coverage itself takes memory")
def test_calls_of_ever_new_sizes_names_orders_and_settings_take_no_more_memory():
    print(python("-m", "tests.project.long_run", str(CALLS), str(LIMIT)))
