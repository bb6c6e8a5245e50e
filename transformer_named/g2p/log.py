"""The training log: one JSON object on each line."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_named.g2p.errors import G2PError, reason
from transformer_named.g2p.files import write_whole


@dataclass(frozen=True)
class Entry:
    """What one line tells: the mean loss since the line before, and the state at this step.

    loss is in nats for each phoneme; examples_per_second a rate over the same steps; seconds counts
    training so far; validation_per is there where the run was checked on validation words.
    """

    step: int
    loss: float
    examples_per_second: float
    learning_rate: float
    seconds: float
    validation_per: float | None = None


class Log:
    """A log file that a resumed run goes on with."""

    def __init__(self, path: Path, keep: int) -> None:
        """Open the log, keeping the entries up to a step and dropping what came after it."""
        self.path = path
        self.entries = [entry for entry in read_log(path) if entry.step <= keep] if keep else []
        write_whole(path, "".join(map(_line, self.entries)).encode())

    def add(self, entry: Entry) -> None:
        """Append an entry.

        Raises: G2PError when the file cannot be written.
        """
        self.entries.append(entry)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(entry))
        except OSError as error:
            raise G2PError(f"cannot write {self.path}: {reason(error)}") from None


def _line(entry: Entry) -> str:
    return json.dumps(asdict(entry)) + "\n"


def read_log(path: Path) -> list[Entry]:
    """Read the entries of a log; a last line cut short by a kill is left out.

    Raises: G2PError when the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    except OSError as error:
        raise G2PError(f"cannot read {path}: {reason(error)}") from None
    entries = []
    for line in text.splitlines():
        try:
            entries.append(Entry(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return entries
