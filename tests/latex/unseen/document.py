"""What a document of this room is: its text, faults to plant in it, and what its formulas give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..corpus.entry import Entry


@dataclass(frozen=True)
class Fault:
    """Replace `old`, which occurs once, by `new`; a finding must stand on its line, or on that of `at`."""

    old: str
    new: str
    at: str = ""


@dataclass(frozen=True)
class Unseen:
    """A correct document. `file` says its format; `beside` are files that lie next to it."""

    file: str
    text: str
    faults: Sequence[Fault] = ()
    runs: Sequence[Entry] = ()
    beside: Mapping[str, str] = field(default_factory=dict)

    def planted(self, fault: Fault) -> tuple[str, frozenset[int]]:
        """Plant a fault: the text, and the lines on which a finding is right."""
        if self.text.count(fault.old) != 1:
            raise ValueError(
                f"{self.file}: {fault.old!r} occurs {self.text.count(fault.old)} times"
            )
        start = self.text.index(fault.old)
        text = self.text[:start] + fault.new + self.text[start + len(fault.old) :]
        first = text.count("\n", 0, start) + 1
        lines = set(range(first, first + fault.new.count("\n") + 1))
        if fault.at:
            if text.count(fault.at) != 1:
                raise ValueError(f"{self.file}: {fault.at!r} occurs {text.count(fault.at)} times")
            lines.add(text.count("\n", 0, text.index(fault.at)) + 1)
        return text, frozenset(lines)
