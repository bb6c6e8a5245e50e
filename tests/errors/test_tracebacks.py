"""Tracebacks show the user's own lines: in a terminal ours are trimmed, in a notebook ten lines are enough."""

import re
import subprocess
import sys
import traceback

import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, hid, vocab = axes("seq emb hid vocab")
X = nt.ones("seq[2] emb[3]").to("torch")


@formula
def inner(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ "ebm" @ X


@formula
def outer(X: R[emb], *, lin: inner) -> R[hid]:
    Y = nt.tanh(X)
    return lin(Y)


@formula
def deep(X: R[emb], n: int) -> R[emb]:
    return X @ hid @ X if n == 0 else deep(X, n - 1)


def down(n):
    return down(n - 1) if n else X @ hid @ X


MODEL = torch.nn.Sequential(outer.module(emb[3], hid[4]))
CALLS = {
    "a formula in a formula in a module in Sequential": lambda: MODEL(X),
    "a formula": lambda: outer(X, lin={"W": nt.ones("emb[3] hid[4]").to("torch")}),
    "an operation": lambda: X @ hid @ X,
    "a function": lambda: nt.sum[hid](X),
    "formulas that call themselves": lambda: deep(X, 40),
    "a helper that calls itself": lambda: down(200),
}


def raised(call):
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    return caught.value


def names(error):
    return [f.f_globals["__name__"] for f, _ in traceback.walk_tb(error.__traceback__)]


def ours(error):
    return [name for name in names(error) if name.startswith("namedtensor")]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_notebook_shows_ten_lines_with_the_message_first(call):
    error = raised(call)
    lines = error._render_traceback_()
    assert len(lines) <= 10
    assert lines[0].startswith(f"{type(error).__name__}: {error.call}: {error.why}")
    assert any("^" in line for line in lines)
    assert any(line.startswith("hint: ") for line in lines)
    assert not any("torch/nn" in line or "namedtensor/" in line for line in lines)


def test_the_two_lines_that_matter_are_shown():
    shown = "\n".join(
        raised(CALLS["a formula in a formula in a module in Sequential"])._render_traceback_()
    )
    assert 'return W @ "ebm" @ X' in shown
    assert ": lin(Y)" in shown


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_terminal_shows_the_users_frames_and_two_of_ours_at_most(call):
    error = raised(call)
    assert len(ours(error)) <= 2
    assert __name__ in names(error)


def test_the_lines_of_bodies_stand_in_a_terminals_traceback_with_carets():
    said = "".join(traceback.format_exception(raised(CALLS["a formula"])))
    assert "in outer" in said
    assert "    return lin(Y)\n" in said
    assert re.search(r'    return W @ "ebm" @ X\n           [~^]{13}\n', said)


def test_carets_count_characters_and_not_bytes():
    α = nt.zeros("α[2]")
    with pytest.raises(nt.AxisMissingError) as caught:
        print(α, nt.sum[hid](α))
    line, carets = caught.value._render_traceback_()[-2:]
    assert line[carets.index("^") : carets.rindex("^") + 1] == "nt.sum[hid](α)"


def test_a_long_recursion_is_cut():
    error = raised(CALLS["formulas that call themselves"])
    assert len(str(error).splitlines()) < 15
    assert "more calls" in str(error)


def test_a_switch_keeps_the_whole_traceback(monkeypatch):
    monkeypatch.setenv("NAMEDTENSOR_TRACEBACK", "full")
    error = raised(CALLS["a formula"])
    assert len(ours(error)) > 5
    assert error._render_traceback_() == traceback.format_exception(error)


def test_nothing_is_patched_at_import():
    code = (
        "import sys; before = sys.excepthook, sys.unraisablehook; import namedtensor; "
        "assert (sys.excepthook, sys.unraisablehook) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_ipython_shows_what_the_error_renders():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    error = raised(CALLS["an operation"])
    shown = []
    shell._showtraceback = lambda kind, value, lines: shown.extend(lines)
    shell.showtraceback((type(error), error, error.__traceback__))
    assert shown == error._render_traceback_()


@formula
def words(I: Z[seq], *, E: R[vocab, emb]) -> R[seq, emb]:
    return E[vocab(I)]


@formula
def text(I: Z[seq], *, words: words) -> R[seq, emb]:
    return words(I)


TEXT = torch.nn.Sequential(text.module(vocab[3], emb[4]))
BEYOND = nt.tensor(torch.tensor([0, 5]), seq)
ON_DATA = {
    "an index beyond its axis": lambda: TEXT(BEYOND),
    "the same, not in a formula": lambda: nt.ones("vocab[3]", backend="torch")[vocab(BEYOND)],
    "two dtypes": lambda: words(BEYOND, E=X["seq -> vocab"]) @ emb @ X.to("float64"),
}


@pytest.mark.parametrize("call", ON_DATA.values(), ids=ON_DATA)
def test_what_data_alone_tells_has_no_traceback_of_a_library_before_it(call):
    error = raised(call)
    assert error.__context__ is None
    assert "During handling" not in "".join(traceback.format_exception(error))


def after_another_error():
    try:
        {}["a"]
    except KeyError:
        TEXT(BEYOND)


def test_what_the_user_was_handling_is_told():
    assert type(raised(after_another_error).__context__) is KeyError
