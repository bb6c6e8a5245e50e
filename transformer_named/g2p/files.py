"""Write files whole or not at all."""

import contextlib
import os
from pathlib import Path

from transformer_named.g2p.errors import G2PError, reason


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the file, force it to the disk, then rename over the old file.

    At any moment the path holds the old content or the new, never a part of it.

    Raises: G2PError when the disk is full or the folder cannot be written; the old file stays.
    """
    beside = path.with_name(path.name + ".partial")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        kept = "; the earlier one is intact" if path.is_file() else ""
        raise G2PError(f"cannot write {path}: {reason(error)}{kept}") from None


def _sync_folder(folder: Path) -> None:
    """Force the rename itself to the disk, where the system lets a folder be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_folder(path: Path) -> None:
    """Make a folder and those above it.

    Raises: G2PError when it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise G2PError(f"cannot make the folder {path}: {reason(error)}") from None
