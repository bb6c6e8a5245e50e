"""Train a speller within a budget, with checkpoints from which a run can continue."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_named.g2p.checkpoint import Checkpoint, Story, save_checkpoint
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.examples import Examples, Order, mix
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.log import Entry, Log
from transformer_named.g2p.progress import Progress
from transformer_named.g2p.schedule import rate_factor
from transformer_named.g2p.settings import Settings
from transformer_named.g2p.speller import Speller
from transformer_named.g2p.threads import Threads

LOG_STEPS = 20
LARGEST_GRADIENT = 1.0
BETAS = (0.9, 0.98)


@dataclass(frozen=True)
class Watch:
    """Callbacks of a run: when to stop, how often to save, and how good the model is."""

    stop: Callable[[], bool] = lambda: False
    save_seconds: float = 30.0
    validate: Callable[[], float] | None = None


class Training:
    """One run: a speller, its optimiser, and how far they are."""

    def __init__(
        self,
        speller: Speller,
        settings: Settings,
        examples: Examples,
        folder: RunFolder,
        *,
        test_words: tuple[str, ...] | None = None,
        resume: Checkpoint | None = None,
    ) -> None:
        self.speller = speller
        self.settings = settings
        self.examples = examples.to(settings.device)
        self.folder = folder
        self.test_words = test_words
        self.step = 0
        self.seconds = 0.0
        self._threads = Threads(settings.threads)
        self._order = Order(examples, settings.batch, settings.seed)
        self._optimizer = torch.optim.AdamW(
            speller.module.parameters(),
            betas=BETAS,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        if resume is not None:
            self._go_on_from(resume)
        self.log = Log(folder.log, keep=self.step)
        self._window = _Window(self.step, self.seconds)

    @property
    def finished(self) -> bool:
        """Tell whether the budget is used up."""
        return self.settings.fraction(self.step, self.seconds) >= 1

    def run(self, watch: Watch, progress: Progress) -> bool:
        """Train until the budget is used up, then save; False when it was stopped before.

        Raises: G2PError when the loss is no longer a number, or a file cannot be written.
        """
        start = time.monotonic() - self.seconds
        saved = self.seconds
        self.speller.module.train()
        while not self.finished and not watch.stop():
            self._train_step()
            self.seconds = time.monotonic() - start
            if self.step % LOG_STEPS == 0:
                self._write_log(progress)
            if self.seconds - saved >= watch.save_seconds and not self.finished:
                self._save(watch, progress)
                self.seconds = time.monotonic() - start
                saved = self.seconds
        self._save(watch, progress)
        return self.finished

    def _train_step(self) -> None:
        settings = self.settings
        torch.manual_seed(mix(settings.seed, "step", self.step))
        factor = rate_factor(settings.fraction(self.step, self.seconds), settings.warmup)
        rate = settings.learning_rate * factor
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        multiple = 1 if settings.device == "cpu" else 8
        source, target = self.examples.batch(self._order.rows(self.step), multiple)
        with self._threads.step(source.numel() + target.numel()):
            loss = self._descend(source, target)
        self.step += 1
        self._window.add(loss, len(source), rate)

    def _descend(self, source: Tensor, target: Tensor) -> Tensor:
        """Take one step of the optimiser; the loss before it."""
        settings = self.settings
        with torch.autocast(
            torch.device(settings.device).type,
            dtype=torch.bfloat16,
            enabled=settings.precision == "bf16",
        ):
            loss = self.speller.loss(source, target, settings.smoothing)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.speller.module.parameters(), LARGEST_GRADIENT)
        self._optimizer.step()
        return loss.detach()

    def _write_log(self, progress: Progress, validation_per: float | None = None) -> None:
        entry = self._window.close(self.step, self.seconds, validation_per)
        if not math.isfinite(entry.loss):
            raise G2PError(
                f"the loss is {entry.loss} at step {entry.step}; lower --learning-rate "
                f"(it is {self.settings.learning_rate:g})"
            )
        self.log.add(entry)
        progress.show(entry, self.settings)
        self._window = _Window(self.step, self.seconds)

    def _save(self, watch: Watch, progress: Progress) -> None:
        validation_per = watch.validate() if watch.validate else None
        self.speller.module.train()
        if self._window.steps:
            self._write_log(progress, validation_per)
        story = Story(
            self.settings, self.step, self.seconds, self.examples.fingerprint, self.test_words
        )
        save_checkpoint(self.folder.checkpoint, story, self.speller.module, self._optimizer)

    def _go_on_from(self, checkpoint: Checkpoint) -> None:
        if checkpoint.story.fingerprint != self.examples.fingerprint:
            raise G2PError(f"{checkpoint.path} was trained on other words; start in another --out")
        checkpoint.load_optimizer(self.speller.module, self._optimizer)
        self.step = checkpoint.story.step
        self.seconds = checkpoint.story.seconds


class _Window:
    """The steps since the log's last line; their losses stay on the device until the next."""

    def __init__(self, step: int, seconds: float) -> None:
        self._from = (step, seconds)
        self._losses: list[Tensor] = []
        self._examples = 0
        self._rate = 0.0

    @property
    def steps(self) -> int:
        return len(self._losses)

    def add(self, loss: Tensor, examples: int, rate: float) -> None:
        self._losses.append(loss)
        self._examples += examples
        self._rate = rate

    def close(self, step: int, seconds: float, validation_per: float | None) -> Entry:
        return Entry(
            step=step,
            loss=float(torch.stack(self._losses).float().mean()),
            examples_per_second=self._examples / max(seconds - self._from[1], 1e-9),
            learning_rate=self._rate,
            seconds=seconds,
            validation_per=validation_per,
        )
