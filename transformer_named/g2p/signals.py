"""Let Ctrl-C end a run between two steps."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C, or request to terminate, into a flag; a second interrupts at once."""
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    stopped = False

    def stop(kind: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        for each, handler in before.items():
            signal.signal(each, handler)

    for kind in before:
        signal.signal(kind, stop)
    try:
        yield lambda: stopped
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
