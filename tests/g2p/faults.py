"""Faults of the machine, made on purpose."""

import errno
import os


def fill_the_disk(monkeypatch, after: int = 0) -> None:
    """Let forcing a file to the disk fail as on a full one, after so many that succeed."""
    fsync = os.fsync
    left = after

    def full(handle: int) -> None:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left -= 1
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
