"""Where runs lie, and the files that each one leaves."""

from dataclasses import dataclass
from pathlib import Path

RUNS = Path("runs")
FOLDER = RUNS / "g2p"
DEMO_FOLDER = RUNS / "g2p-demo"


@dataclass(frozen=True)
class RunFolder:
    """The files of a run."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """Weights, the optimiser's state and the run's story."""
        return self.path / "checkpoint.safetensors"

    @property
    def log(self) -> Path:
        """One JSON object for every few steps."""
        return self.path / "training.jsonl"

    @property
    def loss(self) -> Path:
        """A picture of the loss over the steps."""
        return self.path / "loss.png"

    @property
    def attention(self) -> Path:
        """A picture of the attention, spelling against phonemes."""
        return self.path / "attention.png"

    def __str__(self) -> str:
        """List the files by what they hold.

        >>> print(RunFolder(Path("runs/g2p")))
        checkpoint runs/g2p/checkpoint.safetensors
        log        runs/g2p/training.jsonl
        loss       runs/g2p/loss.png
        attention  runs/g2p/attention.png
        """
        names = ("checkpoint", "log", "loss", "attention")
        return "\n".join(f"{name:<10} {getattr(self, name)}" for name in names)


def latest_run() -> RunFolder:
    """Find the run under runs/ with the newest checkpoint, or else the one that train makes."""
    runs = [RunFolder(path) for path in RUNS.glob("*")]
    saved = [run for run in runs if run.checkpoint.exists()]
    return max(saved, key=lambda run: run.checkpoint.stat().st_mtime, default=RunFolder(FOLDER))
