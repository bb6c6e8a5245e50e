"""One run's folder: start it or go on with it, train, and leave its pictures."""

from typing import Any

import torch

from transformer_named.g2p.checkpoint import Checkpoint, read_checkpoint
from transformer_named.g2p.corpus import Corpus
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.evaluation import evaluate, pronounce, sample
from transformer_named.g2p.files import make_folder
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.named import NamedSpeller
from transformer_named.g2p.plots import plot_attention, plot_loss
from transformer_named.g2p.progress import Progress
from transformer_named.g2p.settings import Settings, option
from transformer_named.g2p.signals import stop_on_interrupt
from transformer_named.g2p.speller import Speller
from transformer_named.g2p.training import Training, Watch

INTERRUPTED = 130
PICTURE_WORD = "transformer"
MAY_CHANGE = {"steps", "seconds", "device", "threads"}
"""Settings that a resumed run may be given anew."""


def build(settings: Settings) -> NamedSpeller:
    """Build an untrained speller on the settings' device.

    Raises: G2PError when the device is not there.
    """
    try:
        torch.zeros(1, device=settings.device)
    except (RuntimeError, AssertionError) as error:
        line = str(error).strip().splitlines()[0]
        raise G2PError(f"--device {settings.device} cannot be used: {line}") from None
    torch.manual_seed(settings.seed)
    return NamedSpeller(settings)


def load(checkpoint: Checkpoint, device: str) -> NamedSpeller:
    """Build the speller of a checkpoint.

    Raises: G2PError when the device is not there, or the weights do not fit.
    """
    checkpoint.refuse_small()
    settings = checkpoint.story.settings.with_given({"device": device})
    speller = build(settings)
    checkpoint.load_model(speller.module)
    return speller


def resumed_settings(checkpoint: Checkpoint, given: dict[str, Any]) -> Settings:
    """Take a checkpoint's settings, with those given anew.

    Raises: G2PError when a setting is given that the run cannot change any more.
    """
    before = checkpoint.story.settings
    for name, value in given.items():
        if name not in MAY_CHANGE and getattr(before, name) != value:
            raise G2PError(
                f"{checkpoint.path} was trained with {option(name)} {getattr(before, name)}; "
                f"{option(name)} {value} needs a new run in another --out"
            )
    return before.with_given(given)


def train(
    settings: Settings,
    corpus: Corpus,
    folder: RunFolder,
    *,
    resume: Checkpoint | None = None,
    save_seconds: float = 30.0,
    validation_words: int = 500,
) -> tuple[Speller, Training]:
    """Train within the budget, or until Ctrl-C; leave checkpoint, log and pictures in the folder.

    Raises: G2PError when a file cannot be written, or the run does not fit its checkpoint.
    """
    make_folder(folder.path)
    speller = build(settings) if resume is None else load(resume, settings.device)
    training = Training(
        speller,
        settings,
        corpus.examples(),
        folder,
        test_words=corpus.test_words,
        resume=resume,
    )
    held_out = sample(corpus.split.validation, validation_words)

    def validate() -> float:
        return evaluate(speller, held_out, corpus.dictionary, device=settings.device)[0].per

    with stop_on_interrupt() as stop, Progress() as progress:
        watch = Watch(stop, save_seconds, validate if held_out else None)
        training.run(watch, progress)
    plot_loss(folder.loss, training.log.entries)
    spoken = pronounce(speller, [PICTURE_WORD], device=settings.device)[PICTURE_WORD]
    plot_attention(folder.attention, speller, PICTURE_WORD, spoken, settings.device)
    return speller, training


def open_run(folder: RunFolder, device: str | None) -> tuple[Checkpoint, Speller, str]:
    """Read a run's checkpoint and build its speller, on the device given or the run's own."""
    checkpoint = read_checkpoint(folder.checkpoint)
    where = device or checkpoint.story.settings.device
    return checkpoint, load(checkpoint, where), where


def tell_end(training: Training) -> int:
    """Say how a training ended; the exit status."""
    at = f"step {training.step:,}, after {training.seconds:.0f} s"
    if training.finished:
        print(f"trained to {at}")
        return 0
    print(
        f"stopped at {at}; nothing is lost, go on with: "
        f"transformer-named g2p train --resume --out {training.folder.path}"
    )
    return INTERRUPTED
