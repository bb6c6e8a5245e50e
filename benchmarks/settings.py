"""How much a run of the benchmarks measures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Say whether to take many pairs (`long`), and to compile the big model too (`compiled`)."""

    long: bool = False
    compiled: bool = False

    def pairs(self, short: int, long: int | None = None) -> int:
        """Give the number of pairs to time: the first in a short run, the second in a long one."""
        return (long or 4 * short) if self.long else short
