"""What each command does. Apart from the options, so that `--help` need not load torch."""

import argparse

from transformer_named.g2p.checkpoint import Story, read_checkpoint
from transformer_named.g2p.cli import given_settings
from transformer_named.g2p.corpus import Corpus, load_corpus
from transformer_named.g2p.demo import demo
from transformer_named.g2p.dictionary import Pronunciation, read_word_list
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.evaluation import evaluate, pronounce, sample
from transformer_named.g2p.files import write_whole
from transformer_named.g2p.folders import RunFolder, latest_run
from transformer_named.g2p.run import open_run, resumed_settings, tell_end, train
from transformer_named.g2p.settings import PRESETS
from transformer_named.g2p.split import split_words
from transformer_named.g2p.symbols import spelling_ids


def run_train(arguments: argparse.Namespace) -> int:
    """Train, and print where everything is."""
    _check_count("--validation-words", arguments.validation_words, least=0)
    _check_count("--save-seconds", arguments.save_seconds, least=0)
    folder = RunFolder(arguments.out)
    checkpoint = folder.checkpoint
    given = given_settings(arguments)
    words = tuple(read_word_list(arguments.test_words)) if arguments.test_words else None
    if arguments.resume:
        if "preset" in arguments:
            raise G2PError("--resume keeps the settings of the run; leave --preset out")
        resume = read_checkpoint(checkpoint)
        settings = resumed_settings(resume, given)
        words = words or resume.story.test_words
    elif checkpoint.exists():
        raise G2PError(f"{checkpoint} exists; go on with --resume, or name another folder in --out")
    else:
        resume = None
        settings = PRESETS[getattr(arguments, "preset", "small")].with_given(given)
    _, training = train(
        settings,
        load_corpus(arguments.dictionary, words),
        folder,
        resume=resume,
        save_seconds=arguments.save_seconds,
        validation_words=arguments.validation_words,
    )
    print(folder)
    return tell_end(training)


def run_eval(arguments: argparse.Namespace) -> int:
    """Score a trained model, and print phoneme and word error rate."""
    _check_count("--beams", arguments.beams)
    checkpoint, speller, device = open_run(_folder(arguments), arguments.device)
    corpus = load_corpus(arguments.dictionary, checkpoint.story.test_words)
    words = _words_to_score(arguments, corpus, checkpoint.story)
    score, predicted = evaluate(
        speller, words, corpus.dictionary, device=device, beams=arguments.beams
    )
    print(f"{score}; {checkpoint.path}, step {checkpoint.story.step:,}")
    if arguments.predictions:
        write_whole(arguments.predictions, predictions_table(predicted, corpus).encode())
        print(f"predictions {arguments.predictions}")
    return 0


def _words_to_score(arguments: argparse.Namespace, corpus: Corpus, story: Story) -> list[str]:
    """Take the run's test words, or those given, which must not have been trained on."""
    words = list(corpus.split.test)
    if arguments.test_words:
        words = sorted(set(read_word_list(arguments.test_words)))
        split_words(corpus.dictionary, words)
        trained = sorted(set(words) & set(corpus.split.train))
        if trained:
            raise G2PError(
                f"{len(trained):,} words of {arguments.test_words} were trained on, as "
                f"{trained[0]!r}; train with --test-words {arguments.test_words}"
            )
    if corpus.fingerprint != story.fingerprint:
        raise G2PError("the run was trained on other words; give its --dictionary")
    if arguments.words is not None:
        _check_count("--words", arguments.words)
        words = sample(words, arguments.words)
    if not words:
        raise G2PError("there are no words to score")
    return words


def predictions_table(predicted: dict[str, Pronunciation], corpus: Corpus) -> str:
    """Write a line for each word: word, prediction and references, between tabs."""
    return "".join(
        "\t".join([word, " ".join(spoken), *map(" ".join, corpus.dictionary[word])]) + "\n"
        for word, spoken in predicted.items()
    )


def run_say(arguments: argparse.Namespace) -> int:
    """Print the pronunciation of each word."""
    _check_count("--beams", arguments.beams)
    for word in arguments.word:
        spelling_ids(word)
    _, speller, device = open_run(_folder(arguments), arguments.device)
    spoken = pronounce(speller, arguments.word, device=device, beams=arguments.beams)
    width = max(map(len, arguments.word))
    for word in arguments.word:
        print(f"{word:<{width}}  {' '.join(spoken[word])}")
    return 0


def _folder(arguments: argparse.Namespace) -> RunFolder:
    return RunFolder(arguments.out) if arguments.out else latest_run()


def _check_count(name: str, value: float, least: int = 1) -> None:
    if not value >= least:
        raise G2PError(f"{name} is {value}; it must be at least {least}")


COMMANDS = {"train": run_train, "eval": run_eval, "say": run_say, "demo": demo}
