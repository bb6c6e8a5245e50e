"""The check of Python files says what runs say; `python -m tests.check.against_runs` measures more."""

import random

import pytest

from namedtensor.check import formulas
from namedtensor.check.formulas import check_program
from namedtensor.check.pieces import program_in
from tests.check import against_runs
from tests.check.against_runs import Counts, changes, compare, measure, measure_by_hand
from tests.check.structures import SEEDS
from tests.check.test_python_files import HEAD, check  # noqa: F401


def found(text, imports=True):
    """Check a body; give the severity, the code and the message of each finding, and what was left."""
    found.number += 1
    program = program_in(
        f"against_runs_{found.number}.py", HEAD + "from namedtensor import Z\n\n" + text
    )
    report = check_program(program, imports)
    said = [(f.severity, f.code, f.message, f.hint) for f in report.findings]
    return said, report.unchecked + report.unreached


found.number = 0

# ------------------------------------------------------------------------------------------ the law


def test_drawn_programs_and_their_changes_are_judged_as_they_run():
    counts = measure(0, 4)
    assert counts.wrong == []
    assert counts.files["run as drawn"] >= 3
    assert counts.files["run"] >= 8
    assert counts.files["refused"] >= 25


def test_files_by_hand_and_changes_of_some_are_judged_as_they_run(monkeypatch):
    few = {name: SEEDS[name] for name in ("deep", "tuples", "settings")}
    monkeypatch.setattr(against_runs, "SEEDS", few)
    counts = measure_by_hand(range(1))
    assert counts.wrong == []
    assert counts.files["run as drawn"] == len(few)
    assert counts.files["refused"] >= 20


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("remarks", lambda written: [], "miss"),  # sizes that never meet
        ("fitting", lambda paths, error, trial: {}, "false alarm"),  # an R that holds whole numbers
        ("further_choices", lambda formula, definition: [], None),  # said to be unreached instead
    ],
)
def test_a_checker_that_is_wrong_is_noticed(monkeypatch, name, value, kind):
    monkeypatch.setattr(formulas, name, value)
    counts = Counts()
    for text in (
        "@formula\ndef f(X: R['a']) -> R['a']:\n    return X + nt.pad['a'](X, 1, 0)\n",
        "@formula\ndef f(X: R['a'], I: R) -> R:\n    return X[A('a')(I)]\n",
        "@formula\ndef f(X: R['a'], k: int = 2) -> R:\n"
        "    return nt.sum['a' if k < 5 else 'b'](X) if k else nt.sum['b'](X)\n",
    ):
        sizes = [{"a": 3}, {"a": 4}]
        compare(counts, "by hand", against_runs.HEAD + text, "f", sizes, {"I": "int"})
    assert {k for k, *_ in counts.wrong} == ({kind} if kind else set())


def test_each_sort_of_change_is_made():
    texts = [SEEDS[name] for name in ("deep2", "helper", "conv", "settings", "mask")]
    sorts = {sort for text in texts for sort, _ in changes(text, random.Random(0))}
    assert sorts >= {
        *("axis", "declared axis", "declared axis left out", "result", "result left out", "number"),
        *("setting left out", "setting misspelt", "operand left out", "other value"),
        *("name misspelt", "brackets left out"),
    }


# ------------------------------------------------------------------------------------ what it found


@pytest.mark.parametrize(
    ("body", "letter"),
    [
        ("def f(X: R[seq, emb], T: R[seq]) -> R[seq]:\n    return X[emb(T)]\n", "T: Z[seq]"),
        ("def f(X: R[seq], M: R) -> R[seq]:\n    return nt.where(M, X, 0.0)\n", "M: B"),
        (
            "def f(X: R[seq, emb], T: R[seq], M: R[seq]) -> R[seq]:\n"
            "    return nt.where(M, X[emb(T + 0)], 0.0)\n",
            "T: Z[seq]",
        ),
    ],
)
def test_an_r_that_must_hold_other_numbers_is_a_warning_that_says_its_letter(body, letter):
    said, _ = found(f"@formula\n{body}")
    assert {(severity, code) for severity, code, *_ in said} == {("warning", "kind")}
    assert f"declare it: {letter}" in [hint for *_, hint in said]
    name = letter.partition(":")[0]
    mended = body.replace(f"{name}: R", f"{name}: {letter[len(name) + 2]}")
    again, _ = found(f"from namedtensor import B\n\n@formula\n{mended}")
    assert f"declare it: {letter}" not in [hint for *_, hint in again]


def test_numbers_that_no_kind_fits_are_an_error():
    said, _ = found(
        "@formula\ndef f(X: R[seq, emb], T: R[seq]) -> R[seq]:\n    return X[emb(T * 0.5)]\n"
    )
    assert [(severity, code) for severity, code, *_ in said] == [("error", "kind")]


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ("X + nt.pad[seq](X, 1, 0)", "size-unequal"),
        ("X[seq[1:]] * X", "size-unequal"),
        ("nt.unroll[seq, key[3]](X) @ key @ nt.ones(key[3]) + X", "size-unequal"),
        ("X[seq[1:3]] + nt.ones(seq[5])", "size-unequal"),
        ("X * nt.sum[key](nt.iota(key))", "axis-size"),
    ],
)
def test_sizes_that_are_never_equal_or_never_known_are_errors(result, code):
    said, _ = found(f"@formula\ndef f(X: R[seq]) -> R[seq]:\n    return {result}\n")
    assert [(severity, code) for severity, code, *_ in said] == [("error", code)]


def test_sizes_that_are_equal_somewhere_are_no_error():
    for result in ("X[seq[:4]] + nt.ones(seq[4])", "X[seq[1:]] + nt.ones(seq[5])"):
        said, _ = found(f"@formula\ndef f(X: R[seq]) -> R[seq]:\n    return {result}\n")
        assert said == []


def test_what_runs_only_inside_another_formula_is_said_unless_one_calls_it():
    bias = "@formula\ndef f(X: R[seq]) -> R[seq, key]:\n    return X + nt.iota(key)\n\n"
    said, _ = found(bias)
    assert [(severity, code) for severity, code, *_ in said] == [("warning", "axis-size")]
    outer = "@formula\ndef g(X: R[seq], Y: R[key]) -> R[seq, key]:\n    return Y + f(X)\n"
    assert found(bias + outer) == ([], [])


def test_a_list_of_indices_is_held_to_a_size_that_is_known():
    said, _ = found("@formula\ndef f(X: R[seq[2]]) -> R[seq]:\n    return X[seq[[0, 2]]]\n")
    assert [(severity, code) for severity, code, *_ in said] == [("error", "index-range")]
    fine = "@formula\ndef f(X: R[seq[2]]) -> R[seq]:\n    return X[seq[[0, -2]]]\n"
    assert found(fine) == ([], [])


LAST = "        return nt.sum[hid](X)\n    return nt.sum[seq](X)\n"


@pytest.mark.parametrize(
    ("head", "test"),
    [
        ("X: R[seq], how: str = 'a'", "if how != 'a' and how != 'b':"),
        ("X: R[seq], a: bool = False, b: bool = False", "if a and b:"),
        ("X: R[seq], k: int = 3", "if k > 8:"),
        ("X: R[seq], n: norm = None", "if n is not None:"),
        ("X: R[seq], how: str = 'a'", "if how == 'b' and nt.absent:"),
    ],
)
def test_the_lines_behind_a_condition_are_reached(head, test):
    norm = "@formula\ndef norm(X: R[seq], *, g: R[seq]) -> R[seq]:\n    return X * g\n\n"
    head = head.replace(", n:", ", *, n:")
    said, _ = found(f"{norm}@formula\ndef f({head}) -> R:\n    {test}\n{LAST}")
    assert [severity for severity, *_ in said] == ["error"]


@pytest.mark.parametrize("option", [[], ["--no-import"]])
@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (
            "@formula\ndef f(X: R[seq], k=None) -> R:\n    if k is not None:\n" + LAST,
            "line 10 of f",
        ),
        ("@formula\ndef f(X: R[seq]) -> R:\n    if X.size(seq) > 9:\n" + LAST, "line 10 of f"),
        (
            "def h(X, k=1):\n    if k > 1:\n        X = X + 1\n        X = nt.sum[hid](X)\n"
            "    return X\n\n@formula\ndef f(X: R[seq]) -> R:\n    return nt.sum[seq](h(X))\n",
            "lines 9 to 10 of h",
        ),
    ],
)
def test_lines_that_no_choice_reaches_are_said_not_to_be_checked(check, option, code, lines):  # noqa: F811
    status, out, _ = check({"a.py": HEAD + code}, *option)
    assert status == 0
    assert f"a.py: not checked: {lines}: no choice of settings that was tried reaches it\n" in out
    assert out.endswith("1 formula of Python in it, 1 place not checked: no findings\n")


@pytest.mark.parametrize(
    "code",
    [
        "@formula\ndef f(X: R[seq], k: str = 'a') -> R:\n    if k == 'a':\n        return nt.sum[seq](X)\n"
        "    raise ValueError(k)\n",
        "def unused(X):\n    if X:\n        return 1\n    return 2\n\n"
        "@formula\ndef f(X: R[seq]) -> R:\n    return nt.sum[seq](X)\n",
        "@formula\ndef f(X: R[seq], act: str = 'relu') -> R[seq]:\n"
        "    if act == 'none':\n        return X\n    return getattr(nt, act)(X)\n",
        "@formula\ndef f(X: R[seq], *, W: R[seq] = None) -> R[seq]:\n"
        "    if W is not None:\n        X = (\n            X\n            * W\n        )\n    return X\n",
    ],
)
def test_a_body_that_is_looked_at_as_a_whole_has_nothing_left(code):
    assert found(code) == ([], [])


def test_without_imports_a_formula_that_a_call_makes_is_said_not_to_be_checked():
    made = "def g(X: R[seq]) -> R:\n    return nt.sum[hid](X)\n\nf = formula(g)\n"
    assert found(made, imports=False) == ([], [("g", "what makes it is not run")])
    said, left = found(made)
    assert ([code for _, code, *_ in said], left) == (["axis-missing"], [])
