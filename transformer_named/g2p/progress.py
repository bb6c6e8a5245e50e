"""The progress bar of a training run."""

import sys
from types import TracebackType

from tqdm import tqdm

from transformer_named.g2p.log import Entry
from transformer_named.g2p.settings import Settings


class Progress:
    """A bar with the loss, the rate and the time left; a line now and then where no one watches."""

    def __init__(self, silent: bool = False) -> None:
        watched = sys.stderr.isatty()
        self._validation = ""
        self._bar: tqdm[None] = tqdm(
            total=1.0,
            bar_format="{percentage:3.0f} %|{bar:30}| {desc}",
            mininterval=0.2 if watched else 10.0,
            disable=silent,
            ascii=None if watched else True,
        )

    def show(self, entry: Entry, settings: Settings) -> None:
        """Show the state at an entry of the log."""
        if entry.validation_per is not None:
            self._validation = f"  PER {100 * entry.validation_per:.1f} %"
        left = duration(settings.left(entry.step, entry.seconds))
        self._bar.set_description_str(
            f"step {entry.step:,}  loss {entry.loss:.3f}{self._validation}  "
            f"{entry.examples_per_second:,.0f} words/s  {left} left",
            refresh=False,
        )
        self._bar.update(settings.fraction(entry.step, entry.seconds) - self._bar.n)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.refresh()
        self._bar.close()


def duration(seconds: float) -> str:
    """Write a duration as minutes or hours.

    >>> duration(75.2), duration(7325)
    ('1:15', '2:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
