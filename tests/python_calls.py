"""Count the calls that Python makes: a number that does not depend on what else the machine does."""

import gc
import sys
from collections.abc import Callable
from typing import Any


def python_calls(run: Callable[[], object], of_c: bool = False) -> int:
    """Count the Python functions that run, and with `of_c` those in C that they call."""
    count, before = 0, sys.getprofile()
    events = ("call", "c_call") if of_c else ("call",)

    def look(frame: Any, event: str, given: Any) -> None:
        nonlocal count
        count += event in events

    collects = gc.isenabled()
    gc.disable()  # what ends with garbage is not run by this call
    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return count
