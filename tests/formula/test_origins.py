"""Every part of a formula knows where it was written, and errors in a body point there."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.formula.trace import Trace
from namedtensor.primitives.node import noting
from namedtensor.primitives.origins import Origin, Origins

seq, emb, hid, key, val = axes("seq emb hid key val")
seq_ = seq.prime
n, m = nt.sizes("n m")


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ "ebm" @ X


@formula
def layer(X: R[emb], *, inner: project) -> R[hid]:
    Y = nt.standardize[emb](X)
    return inner(Y * 2.0)


@formula
def shifted(X: R[seq[n]], Y: R[seq[m]]) -> R[seq]:
    return X * 3.0 + helped(Y)


def helped(Y):
    return Y[seq[1:]]


@formula
def renamed(X: R[seq, emb]) -> R[seq, seq_]:
    return X @ emb @ {"ÄÖÜ": X}["ÄÖÜ"][seq >> seq_]


@formula
def whole(X: R[emb], Y: R[emb]) -> R[emb]:
    return same(X) - Y * abs(emb)


@formula
def same(X: R[emb]) -> R[emb]:
    return X


def traced(f, *args, **named):
    trace = Trace(f.body, f.arguments.read(f.arguments.bind(args, named), mode=True))
    trace.compile()
    return trace


def operands_of_attention():
    Q = nt.tensor(torch.ones(2, 4, 3), "batch key seq'")
    return Q, nt.ones("key[4] seq[5]").to("torch"), nt.ones("seq[5] val[6]").to("torch")


def line_of(text):
    """Find the line of this file on which a text first stands."""
    with open(__file__, encoding="utf-8") as source:
        return next(n for n, line in enumerate(source, 1) if text in line)


def test_each_written_sub_expression_has_its_origin():
    trace = traced(att, *operands_of_attention(), nt.zeros("seq[5] seq'[3]").to("torch"))
    texts = [origin.text for _, origin in trace.origins]
    assert texts == [
        "Q @ key @ K",
        "abs(key)",
        "nt.sqrt(abs(key))",
        "Q @ key @ K / nt.sqrt(abs(key))",
        "Q @ key @ K / nt.sqrt(abs(key)) + M",
        "nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)",
        "V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)",
    ]


def test_an_origin_has_file_line_and_columns():
    trace = traced(att, *operands_of_attention(), nt.zeros("seq[5] seq'[3]").to("torch"))
    node, origin = next(iter(trace.origins))
    line = line_of("Q @ key @ K")
    assert origin == Origin(__file__, line, 37, line, 48)
    assert trace.origins[node] == (origin,)


def test_a_kernel_has_the_origins_of_all_that_it_replaced():
    trace = traced(att, *operands_of_attention(), nt.zeros("seq[5] seq'[3]").to("torch"))
    (fired,) = trace.fired
    (kernel,) = trace.nodes
    assert fired.rule == "attention"
    whole_line = "V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)"
    texts = {origin.text for origin in trace.origins[kernel]}
    assert {
        whole_line,
        "Q @ key @ K",
        "nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)",
    } <= texts
    assert {origin.text for origin in fired.origins} == texts


def test_lines_and_columns_are_those_of_characters():
    trace = traced(renamed, nt.ones("seq[2] emb[3]"))
    texts = [origin.text for _, origin in trace.origins]
    last = '{"ÄÖÜ": X}["ÄÖÜ"][seq >> seq_]'
    assert texts == [last, f"X @ emb @ {last}"]


def test_calls_of_formulas_and_sizes_have_origins_and_one_node_may_have_several():
    trace = traced(whole, nt.ones("emb[3]"), nt.ones("emb[3]"))
    texts = [origin.text for _, origin in trace.origins]
    assert texts == ["same(X)", "abs(emb)", "Y * abs(emb)", "same(X) - Y * abs(emb)"]

    @formula
    def twice(X: R[emb]) -> R[emb]:
        return nt.exp(X) + nt.exp(X)

    trace = traced(twice, nt.ones("emb[3]"))
    exp = next(node for node, _ in trace.origins if node.name == "exp")
    assert [origin.column for origin in trace.origins[exp]] == [15, 27]


def test_a_formula_that_is_read_has_origins_too():
    written = att.written()
    (result,) = written.results
    (origin,) = written.origins[result]
    assert origin.text.startswith("V @ seq @ nt.softmax")


def test_origins_are_plain_data_that_a_reader_of_other_sources_fills():
    table = Origins()
    node = att.written().results[0]
    place = Origin("paper.tex", 3, 4, 3, 9)
    table.add(node, place)
    assert table[node] == (place,)
    assert pickle.loads(pickle.dumps(place)) == place


def test_nothing_is_noted_when_a_formula_runs(monkeypatch):
    X = nt.ones("emb[3]")
    whole(X, X)
    monkeypatch.setattr(Origins, "note", None)  # a call of it would fail
    whole(X, X)
    assert noting.get() is None
    with pytest.raises(TypeError):
        whole(X, nt.ones("seq[2] emb[3]"))  # a new plan: the body is traced


def test_an_error_points_at_the_sub_expression_in_the_inner_formula_and_at_its_callers():
    model = torch.nn.Sequential(layer.module("emb[3] hid[4]"))
    with pytest.raises(nt.AxisMissingError) as caught:
        model(nt.tensor(torch.ones(2, 3), "batch emb"))
    assert str(caught.value) == (
        "dot[ebm](W, X): W has no axis ebm\n"
        "  W : emb[3] hid[4]\n"
        "  X : batch[2] emb[3]\n"
        f'  File "{__file__}", line {line_of("ebm")}, in project\n'
        '    return W @ "ebm" @ X\n'
        "           ^^^^^^^^^^^^^\n"
        f"  called in layer, line {line_of('inner(Y * 2.0)')}: inner(Y * 2.0)\n"
        "hint: both have emb: `W @ emb @ X`"
    )


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_an_error_at_a_call_with_a_known_plan_points_there_too(library):
    X, Y, long = [nt.ones(f"seq[{n}] emb[2]").to(library) for n in (3, 4, 5)]
    shifted(X, Y)
    with pytest.raises(nt.AxisSizeError) as caught:
        shifted(X, long)
    said = str(caught.value)
    assert "return X * 3.0 + helped(Y)\n           ^^^^^^^^^^^^^^^^^^^" in said
    assert f"line {line_of('X * 3.0 + helped(Y)')}, in shifted" in said


def test_an_error_in_a_helper_of_the_user_points_into_the_helper():
    with pytest.raises(nt.AxisMissingError) as caught:
        helping(nt.ones("emb[3]"))
    assert f"line {line_of('return Y[seq[1:]]')}, in helping\n    return Y[seq[1:]]" in str(
        caught.value
    )


@formula
def helping(X: R[emb]) -> R[emb]:
    return helped(X)


def test_an_error_travels_through_pickle_with_its_places():
    with pytest.raises(nt.AxisMissingError) as caught:
        project(nt.ones("emb[3]"), W=nt.ones("emb[3] hid[4]"))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_without_columns_the_line_stands_alone(tmp_path):
    program = tmp_path / "model.py"
    program.write_text(inspect.getsource(_program).partition("\n")[2].replace("\n    ", "\n")[4:])
    command = [sys.executable, "-X", "no_debug_ranges", str(program)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[3:5] == [
        f'  File "{program}", line 8, in misspelt',
        '    return W @ "ebm" @ X',
    ]
    assert "^" not in said


def _program():
    import namedtensor as nt
    from namedtensor import R, axes, formula

    emb, hid = axes("emb hid")

    @formula
    def misspelt(X: R[emb], W: R[emb, hid]) -> R[hid]:
        return W @ "ebm" @ X

    try:
        misspelt(nt.ones(emb[3]), nt.ones("emb[3] hid[4]"))
    except nt.NamedTensorError as error:
        print(error)


def test_the_data_of_a_failing_call_are_not_in_its_text():
    with pytest.raises(nt.AxisMissingError) as caught:
        project(nt.tensor(np.array([7.25, 8.5, 9.75]), emb), W=nt.ones("emb[3] hid[4]"))
    assert "7.25" not in str(caught.value)
