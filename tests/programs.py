"""Run drawn programs on every way, as many as told: `make fuzz` does, and a million stand in RESULTS.md.

    python -m tests.programs --first 0 --cases 1000000
    python -m tests.programs --first 250000 --cases 750000      # resume, or share among machines

A program's number gives the program, so that ranges of numbers can be run anywhere and in any order. A
failure is shrunk and printed as Python that can be pasted; the rest goes on, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import secrets
import subprocess
import sys
import threading
import time
from multiprocessing.pool import ThreadPool

#: A worker is one process for so many programs: plans are kept, and a fresh process forgets them.
BLOCK = 10_000
#: One in so many programs is also printed as LaTeX, read, written as Python, and derived on symbols
#: (`--printed 0`: none).
PRINTED = 10
#: Programs between two collections of what plans leave behind.
COLLECTED = 1000
#: Plans of single operations that a worker keeps.
PLANS = 20_000
#: Failures that are shrunk and shown in full by one worker; the others are only counted.
SHOWN = 3


def run_block(first: int, count: int, until: float, every: int, compiled: int) -> int:
    """Run some programs in this process; print failures and, last, how many ran and failed."""
    import torch

    from tests.laws import agreement, derived, printed, programs, shrinking

    torch.set_num_threads(1)
    # names and orders come in any number here: what is planned again and again takes a tenth of the time
    sys.modules["namedtensor.tensor.apply"].MOST_PLANS = PLANS  # type: ignore[attr-defined]
    # what is loaded stays; what plans leave behind is collected now and then
    gc.collect()
    gc.freeze()
    gc.disable()
    often = agreement.OFTEN["compiled"]
    failed = ran = ways = 0
    for seed in range(first, first + count):
        if time.time() > until:
            break
        program = programs.program(seed)
        ran += 1
        try:
            tried = agreement.hold(program, seed, compiled=seed % (compiled or often) == 0)
            ways += len(tried)
            if every and seed % every == 0:
                ways += len(printed.hold(program)) + len(derived.hold(program))
        except agreement.Disagreement as error:
            failed += 1
            print(f"program {seed}: {error}", flush=True)
            if failed <= SHOWN and shrinking.failure(program, seed):
                print(shrinking.report(seed, program, error), flush=True)
        except Exception as error:
            failed += 1
            print(f"program {seed}: {type(error).__name__}: {error}", flush=True)
        if ran % COLLECTED == 0:
            gc.collect()
    print(f"block {first} {ran} {failed} {ways}", flush=True)
    return int(failed > 0)


def end_with_the_parent() -> None:
    """End this process when the one that started it is gone, however it went."""

    def wait() -> None:
        sys.stdin.read()  # ends when nobody holds the other end of the pipe
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000, help="how many (1,000,000)")
    parser.add_argument("--first", type=int, help="the number of the first (any: nobody has tried)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time (2)")
    parser.add_argument(
        "--printed", type=int, default=PRINTED, help="print and derive one in so many (10)"
    )
    parser.add_argument("--compiled", type=int, default=0, help="compile one in so many (5,003)")
    parser.add_argument("--block", nargs=2, type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    until = time.time() + chosen.seconds
    if chosen.block:
        return run_block(*chosen.block, until, chosen.printed, chosen.compiled)
    first = secrets.randbelow(10**12) if chosen.first is None else chosen.first
    return run_all(first, chosen, until)


def run_all(first: int, chosen: argparse.Namespace, until: float) -> int:
    """Share blocks of programs among processes, and add up what they say."""
    cases, workers = chosen.cases, chosen.workers
    start = time.time()
    ran = failed = ways = 0

    def said(block: tuple[int, int]) -> tuple[tuple[int, int], str, int] | None:
        """What one process prints of its programs, and its exit status (None: the time is over)."""
        if time.time() >= until:
            return None
        command = [sys.executable, "-m", "tests.programs", "--block", *map(str, block)]
        command += ["--seconds", str(until - time.time())]
        command += ["--printed", str(chosen.printed), "--compiled", str(chosen.compiled)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:  # `communicate` would let go of the pipe while the child still runs
            assert child.stdout is not None
            return block, child.stdout.read(), child.wait()

    blocks = [(at, min(BLOCK, first + cases - at)) for at in range(first, first + cases, BLOCK)]
    with ThreadPool(workers) as pool:
        for block, printed, status in filter(None, pool.imap_unordered(said, blocks)):
            *shown, last = printed.rstrip("\n").split("\n")
            if shown:
                print("\n".join(shown), flush=True)
            if last.startswith("block "):
                did, bad, how = map(int, last.split()[2:])
            else:
                print(f"{last}\nthe process for {block} died with status {status}")
                did, bad, how = 0, 1, 0
            ran, failed, ways = ran + did, failed + bad, ways + how
            took = time.time() - start
            print(
                f"programs {block[0]:,} to {block[0] + did:,} done: {ran:,} in {took:.0f} s, "
                f"{ran / took:.0f} a second, {failed} failed",
                flush=True,
            )
    took = time.time() - start
    print(
        f"{ran:,} programs on {ways:,} ways in {took:.0f} s, {ran / took:.0f} programs a second "
        f"with {workers} processes: {failed} failed"
    )
    return int(failed > 0 or ran == 0)


if __name__ == "__main__":
    if "--block" in sys.argv:
        end_with_the_parent()
    sys.exit(main(sys.argv[1:]))
