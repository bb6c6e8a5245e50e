"""How much a run of the benchmarks measures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Say whether to measure for longer (`long`), and to compile the big model too (`compiled`)."""

    long: bool = False
    compiled: bool = False

    def seconds(self, short: float) -> float:
        """Say for how long to measure: four times as long in a long run."""
        return 4 * short if self.long else short
