"""Pictures of a run: the loss over the steps, and which letters each phoneme looks at."""

import io
from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure

from transformer_named.g2p.dictionary import Pronunciation
from transformer_named.g2p.examples import pad
from transformer_named.g2p.files import write_whole
from transformer_named.g2p.log import Entry
from transformer_named.g2p.speller import Speller
from transformer_named.g2p.symbols import phoneme_ids, spelling_ids


def plot_loss(path: Path, entries: Sequence[Entry]) -> None:
    """Draw the training loss, and the validation error rate where it was measured.

    Raises: G2PError when the file cannot be written.
    """
    figure = Figure(figsize=(7, 4), layout="constrained")
    left = figure.subplots()
    left.plot([entry.step for entry in entries], [entry.loss for entry in entries], color="C0")
    left.set_yscale("log")
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_formatter("{x:g}")
    left.set_xlabel("step")
    left.set_ylabel("training loss, nats for each phoneme", color="C0")
    checks = [(e.step, 100 * e.validation_per) for e in entries if e.validation_per is not None]
    if checks:
        right = left.twinx()
        right.plot(*zip(*checks, strict=True), "o-", color="C1")
        right.set_ylim(bottom=0)
        right.set_ylabel("phoneme error rate on validation words, %", color="C1")
    _save(figure, path)


def plot_attention(
    path: Path, speller: Speller, word: str, spoken: Pronunciation, device: str
) -> None:
    """Draw the last decoder layer's cross-attention, head by head: spelling against phonemes.

    A row is the step that predicts its phoneme, the last one the end.

    Raises: G2PError when the file cannot be written.
    """
    source = pad([spelling_ids(word)]).long().to(device)
    target = torch.tensor([phoneme_ids(spoken)[:-1]], device=device)
    speller.module.eval()
    with torch.no_grad():
        weights = speller.attention(source, target)[0].float().cpu().numpy()
    heads = len(weights)
    size = (1.2 + heads * (0.6 + 0.22 * len(word)), 1.2 + 0.26 * (len(spoken) + 1))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, heads, sharey=True, squeeze=False)[0]
    for number, (panel, weight) in enumerate(zip(panels, weights, strict=True), start=1):
        image = panel.imshow(weight, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        panel.set_xticks(range(len(word)), list(word))
        panel.set_yticks(range(len(spoken) + 1), [*spoken, "end"])
        panel.set_title(f"head {number}", fontsize="medium")
    figure.colorbar(image, ax=list(panels), label="attention")
    figure.suptitle(f"{word}: {' '.join(spoken)}")
    _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    write_whole(path, content.getvalue())
