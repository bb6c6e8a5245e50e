"""Programs of 3 to 12 operations give the same on every way that they can run."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
import torch

import namedtensor as nt
from namedtensor.primitives import table
from tests import programs as command
from tests.laws import agreement, draft, programs, shrinking
from tests.laws.test_the_table_is_complete import ELSEWHERE, NOT_OPERATIONS
from tests.shares import first

#: What `make check` runs: so many blocks of so many programs; `make check-long` runs further ones.
BLOCKS, LONG, EACH = 10, 22, 125


@pytest.mark.parametrize("block", first(BLOCKS, range(BLOCKS + LONG)))
def test_every_way_to_run_a_program_gives_the_same(block):
    for seed in range(EACH * block, EACH * (block + 1)):
        program = programs.program(seed)
        try:
            agreement.hold(program, seed, compiled=seed == EACH * block)
        except agreement.Disagreement as error:
            pytest.fail(shrinking.report(seed, program, error))


def test_a_thousand_programs_are_tried_and_four_thousand_with_the_long_ones():
    assert BLOCKS * EACH >= 1_000
    assert (BLOCKS + LONG) * EACH >= 4_000


def test_programs_have_3_to_12_operations():
    sizes = [len(programs.program(seed).steps) for seed in range(300)]
    assert min(sizes) == 3
    assert max(sizes) == 12


def test_the_same_number_gives_the_same_program():
    assert programs.program(7) == programs.program(7)
    assert programs.program(7) != programs.program(8)


def test_every_primitive_of_the_table_is_drawn():
    drawn = Counter(name for seed in range(4000) for name in programs.program(seed).primitives)
    assert {name for name in draft.TABLE if drawn[name] == 0} == set()
    others = set(table()) - NOT_OPERATIONS - set(ELSEWHERE) - set(drawn)
    assert others == set(), f"enter {others} in the table of tests/laws/draft.py"


def test_every_kernel_is_reached():
    """A program that is meant for a kernel is not always planned as one; some are."""
    written_as = table()["attention"].notation
    kernels = {
        name for name, entry in table().items() if entry.notation is written_as
    } - NOT_OPERATIONS
    kernels -= set(ELSEWHERE) - set(draft.TABLE)
    reached: set[str] = set()
    for seed in range(4000):
        program = programs.program(seed)
        if not kernels - reached & set(program.primitives) or program.faulty:
            continue
        if not set(program.primitives) & (kernels - reached):
            continue
        runs = agreement.Runs(program)
        made = runs.formula()
        with suppress(nt.KindError):  # of two dtypes, which torch does not multiply
            runs.call(made, runs.named("torch"))
        reached |= {
            name
            for known in made.plans.values()
            for _, plan in known
            for name in planned(plan.nodes)
        }
        if kernels <= reached:
            return
    assert kernels - reached == set()


def planned(nodes: Any) -> set[str]:
    """Name the operations of a plan."""
    seen: set[Any] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.operands
    return {node.name for node in seen}


# ------------------------------------------------------------------------------- the law can fail


class Planted:
    """The library with one function replaced."""

    def __init__(self, **replaced: Any) -> None:
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(nt, name)


def traced(X: Any) -> bool:
    return type(X) is not nt.NamedTensor


def on_torch(X: Any) -> bool:
    return not traced(X) and isinstance(X.data, torch.Tensor)


def refusing(X: Any) -> Any:
    if on_torch(X):
        raise nt.AxisClashError("tanh(X)", "planted")
    return nt.tanh(X)


def crashing(X: Any) -> Any:
    if traced(X):
        raise KeyError("planted")
    return nt.tanh(X)


def writing(X: Any) -> Any:
    result = nt.tanh(X)
    if not traced(X) and not on_torch(X) and X.data.flags.writeable:
        X.data[...] = 0
    return result


def without_gradient(X: Any) -> Any:
    return nt.tanh(X.detach()) + 0 * X if on_torch(X) else nt.tanh(X)


FAULTS = {
    "numbers that only torch gets wrong": (
        lambda X: nt.tanh(X) * 1.01 if on_torch(X) else nt.tanh(X),
        "numbers: eager torch for eager numpy",
    ),
    "numbers that only a formula gets wrong": (
        lambda X: nt.tanh(X) + 0.001 if traced(X) else nt.tanh(X),
        "numbers: formula",
    ),
    "another dtype in a formula": (
        lambda X: nt.cast(nt.tanh(X), int) if traced(X) else nt.tanh(X),
        "kind: formula",
    ),
    "an error on one way alone": (refusing, "AxisClashError for a result: eager torch"),
    "an error that is not ours": (crashing, "foreign KeyError: formula"),
    "an input that is written to": (writing, "changed: "),
    "a wrong gradient": (without_gradient, "gradient: X"),
    "a number that everyone gets wrong": (lambda X: nt.tanh(X) + 0.125, "numbers: the definitions"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_shrunk(fault, monkeypatch):
    wrong, said = FAULTS[fault]
    monkeypatch.setitem(agreement.WORDS, "nt", Planted(tanh=wrong))
    for seed in range(3000):
        program = programs.program(seed)
        if "tanh" not in program.primitives or program.faulty:
            continue
        error = shrinking.failure(program, seed)
        if error is not None and str(error).startswith(said):
            break
    assert str(error).startswith(said), error
    small = shrinking.shrunk(program, seed, error.kind, seconds=300)
    assert len(small.steps) == 1
    assert "nt.tanh(" in small.steps[0].text  # matrices keep their numbers small by it, too


def test_a_failure_is_printed_as_python_that_runs(monkeypatch, tmp_path):
    monkeypatch.setitem(agreement.WORDS, "nt", Planted(tanh=lambda X: nt.tanh(X) + traced(X)))
    seed = next(
        s for s in range(3000) if "tanh" in programs.program(s).primitives and shrinking.find(s)
    )
    said = shrinking.report(seed, *shrinking.find(seed))
    text = said.partition("\n\n")[2]
    assert said.startswith(f"program {seed} of ")
    assert "nt.tanh(X0)" in text
    path = tmp_path / "program.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert "eager numpy NamedTensor(" in done.stdout
    assert "formula on torch, fuse=True NamedTensor(" in done.stdout


def test_what_the_contract_allows_and_the_library_refuses_is_seen():
    program = programs.program(0)
    step = replace(program.steps[-1], text="nt.sum['nowhere']({0})")
    refused = replace(program, steps=(*program.steps[:-1], step))
    with pytest.raises(agreement.Disagreement, match="refused AxisMissingError"):
        agreement.hold(refused, 0)


def test_what_the_contract_refuses_and_the_library_takes_is_seen():
    program = replace(programs.program(0), faulty=True)
    with pytest.raises(agreement.Disagreement, match="accepted"):
        agreement.hold(program, 0)


@pytest.mark.parametrize("number", [4712, 5468])
def test_a_formula_may_give_the_dtype_of_its_complex_data_s_parts(number):
    program = programs.program(number)
    assert "complex64" in {X.dtype for X in program.inputs}
    dtypes = ("float32", "float64", "float16")
    numbers = [agreement.Numbers((), 1.0, "float", dtype) for dtype in dtypes]
    agreement.same_dtype(program, numbers[:1], numbers[1:2], "a formula")
    with pytest.raises(agreement.Disagreement, match="dtype"):
        agreement.same_dtype(program, numbers[2:], numbers[1:2], "a formula")


# ------------------------------------------------------------------------------------- the command


def test_the_command_counts_programs_and_says_how_fast(capsys):
    assert command.main(["--cases", "30", "--workers", "1"]) == 0
    assert "30 programs on " in capsys.readouterr().out


def test_the_command_fails_with_a_program_that_can_be_pasted(capsys, monkeypatch):
    monkeypatch.setitem(agreement.WORDS, "nt", Planted(tanh=lambda X: nt.tanh(X) + traced(X)))
    seed = next(
        s for s in range(3000) if "tanh" in programs.program(s).primitives and shrinking.find(s)
    )
    assert command.main(["--block", str(seed), "1"]) == 1
    printed = capsys.readouterr().out
    assert "def program(X0" in printed
    assert printed.endswith(f"block {seed} 1 1 0\n")


def test_a_process_of_the_command_ends_when_whoever_started_it_is_gone():
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.programs", "--block", "0", "1000000"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert child.poll() is None
    child.stdin.close()
    assert child.wait(timeout=120) == 1


def test_the_command_does_not_call_it_a_success_if_nothing_was_tried():
    assert command.main(["--cases", "10", "--seconds", "0"]) == 1
