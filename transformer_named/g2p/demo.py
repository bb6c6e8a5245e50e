"""The whole job in under four minutes on two cores: train, score unseen words, show them."""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from transformer_named.g2p.corpus import Corpus, load_corpus
from transformer_named.g2p.dictionary import Pronunciation, read_word_list
from transformer_named.g2p.evaluation import chunks, pronounce, sample
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.metrics import nearest, score
from transformer_named.g2p.run import tell_end, train
from transformer_named.g2p.settings import PRESETS
from transformer_named.g2p.speller import Speller

DEVICE = "cpu"
SHOWN = 12
CHUNK = 1024
SCORING_SECONDS = 40.0


def demo(arguments: argparse.Namespace) -> int:
    """Train, score and show; an earlier demo in the folder is replaced."""
    start = time.monotonic()
    words = read_word_list(arguments.test_words) if arguments.test_words else None
    settings = PRESETS["small"].with_given({"seconds": arguments.seconds})
    corpus = load_corpus(arguments.dictionary, words)
    parts = corpus.split
    print(
        f"CMUdict: {len(parts.train):,} words to train on, {len(parts.test):,} unseen words to "
        f"test on; training for {arguments.seconds:.0f} s"
    )
    folder = RunFolder(arguments.out)
    speller, training = train(settings, corpus, folder)
    status = tell_end(training)
    if not training.finished:
        return status
    predicted = _score(speller, corpus)
    print()
    _show(predicted, corpus)
    print()
    print(folder)
    print(f"\nall in {time.monotonic() - start:.0f} s; try: {program()} g2p say transformer")
    return 0


def program() -> str:
    """Say how our command is called in this folder: by its name, by its path, or through Python."""
    own = Path(sys.executable).with_name("transformer-named")
    found = shutil.which(own.name)
    if found is not None and os.path.realpath(found) == os.path.realpath(own):
        return own.name
    near = own if not own.is_relative_to(Path.cwd()) else own.relative_to(Path.cwd())
    if own.exists():
        return str(near)
    return f"{near.with_name(Path(sys.executable).name)} -m transformer_named"


def _score(speller: Speller, corpus: Corpus) -> dict[str, Pronunciation]:
    """Score the test words chunk by chunk, as many as fit into the time, and say how many."""
    words = sample(corpus.split.test, len(corpus.split.test))
    predicted: dict[str, Pronunciation] = {}
    for chunk in chunks(words, CHUNK, SCORING_SECONDS):
        predicted |= pronounce(speller, chunk, device=DEVICE)
    result = score((spoken, corpus.dictionary[word]) for word, spoken in predicted.items())
    part = "all" if result.words == len(words) else f"the first by hash of {len(words):,}"
    print(f"unseen words: {result} ({part})")
    return predicted


def _show(predicted: dict[str, Pronunciation], corpus: Corpus) -> None:
    """Print a dozen of the words, each prediction beside the nearest pronunciation."""
    shown = list(predicted)[:SHOWN]
    word_width = max(len("word"), *map(len, shown))
    width = max(len("predicted"), *(len(" ".join(predicted[word])) for word in shown))
    print(f"  {'word':<{word_width}}  {'predicted':<{width}}  dictionary")
    for word in shown:
        spoken = predicted[word]
        errors, reference = nearest(spoken, corpus.dictionary[word])
        mark = " " if not errors else "x"
        print(f"{mark} {word:<{word_width}}  {' '.join(spoken):<{width}}  {' '.join(reference)}")
