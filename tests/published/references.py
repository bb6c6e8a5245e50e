"""Hold the published weights to recorded results; `make demo-weights` runs it where they are installed.

    python -m tests.published.references [FOLDER]

The folder has minilm_reference.npz and smollm2_reference.npz: ids, masks, states and scores that the
publishers' own code gave.
"""

import sys
from pathlib import Path

import numpy as np
import torch

from transformer_named.published import commands, minilm, smollm
from transformer_named.published.models import generate

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"


def encoder(folder: Path) -> float:
    """Give the greatest difference of a state or a vector, in float64, on real words."""
    reference = np.load(folder / "minilm_reference.npz")
    file = commands.found(commands.MINILM, "model") / "model.safetensors"
    model = minilm.load(file, torch.float64)
    ids, mask = reference["input_ids"].tolist(), reference["attention_mask"].tolist()
    real = reference["attention_mask"].astype(bool)
    layers = zip(minilm.states(model, ids, mask), reference["hidden_states_f64"], strict=True)
    worst = max(
        [np.abs(X.numpy("batch", "seq'", "emb") - wanted)[real].max() for X, wanted in layers]
    )
    vectors = minilm.embed(model, ids, mask).numpy("batch", "emb")
    return float(max(worst, np.abs(vectors - reference["embedding_normalized_f64"]).max()))


def decoder(folder: Path) -> tuple[float, bool]:
    """Give the greatest difference of a score, in float32, and whether the greedy words are the same."""
    reference = np.load(folder / "smollm2_reference.npz")
    file = smollm.read(next(commands.found(commands.SMOLLM, "").glob("*.gguf")))
    model = smollm.load(file)
    ids = reference["input_ids"][0].tolist()
    found = smollm.scores(model, ids).numpy("seq'", "vocab")
    wanted = reference["greedy_ids"][0].tolist()[len(ids) :]
    same = [list(generate(model, ids, len(wanted), room=room)) == wanted for room in (None, 64)]
    tokenizer, _ = smollm.tokenizer_of(file)
    text = str(reference["text"])
    return float(np.abs(found - reference["logits_f32"][0]).max()), all(same) and (
        tokenizer.encode(text).ids == ids
    )


def main(folder: Path = FOLDER) -> int:
    """Print what was found; fail where it is more than is promised."""
    if not folder.exists():
        print(f"no recorded results in {folder}: not compared")
        return 0
    difference = encoder(folder)
    print(f"all-MiniLM-L6-v2: states and vectors differ by {difference:.1e} at most, in float64")
    scores, same = decoder(folder)
    print(
        f"SmolLM2-135M: scores differ by {scores:.1e} at most; ids and greedy words equal: {same}"
    )
    return 0 if difference < 1e-10 and scores < 1e-4 and same else 1


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
