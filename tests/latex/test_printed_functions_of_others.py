"""A function of arrays is printed by its name and its axes; what a step calls is printed before it."""

import numpy as np
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid, seq, chans, height = axes("emb hid seq chans height")
cumulate = nt.lift(lambda x: np.cumsum(x), "seq -> seq")
both = nt.lift(lambda x: (x.sum(0), x.sum(1)), "seq emb -> emb, seq")


@formula
def stem(
    X: R[chans, height], *, net: nt.lift["chans height -> chans'[5] height'"], W: R["chans'", hid]
) -> R[hid]:
    return W @ "chans'" @ nt.sum["height'"](nt.relu(net(X)))


@formula
def running(X: R[seq, emb]) -> R[seq, emb]:
    a, b = both(X)
    return cumulate(X) * a + b


def rows(formula):
    text = formula.latex("underset")
    assert not nt.latex.read(text).check()
    return [line.removesuffix(r" \\") for line in text.splitlines()[1:-1]]


def test_a_parameter_that_is_a_function_is_declared_with_its_axes():
    expected = [
        r"X &\in \mathbb{R}^{\text{chans}, \text{height}}",
        r"W &\in \mathbb{R}^{\text{chans}', \text{hid}}",
        r"\text{net} &\colon \mathbb{R}^{\text{chans}, \text{height}}"
        r" \rightarrow \mathbb{R}^{\text{chans}':5, \text{height}'}",
        r"\text{stem}(X; W) &= W \underset{\text{chans}'}{\cdot} \sum_{\text{height}'}"
        r" \text{ReLU}(\text{net}(X))",
    ]
    assert rows(stem) == expected
    assert rows(stem.module("chans'[5]", hid[2], net=torch.nn.Conv1d(3, 5, 2))) == expected


def test_each_result_of_a_function_is_a_function():
    declared = [row for row in rows(running) if r"\colon" in row]
    square = r"\mathbb{R}^{\text{seq}, \text{emb}}"
    assert declared == [
        r"\text{lifted} &\colon \mathbb{R}^{\text{seq}} \rightarrow \mathbb{R}^{\text{seq}}",
        rf"\text{{lifted}}_{{1}} &\colon {square} \rightarrow \mathbb{{R}}^{{\text{{emb}}}}",
        rf"\text{{lifted}}_{{2}} &\colon {square} \rightarrow \mathbb{{R}}^{{\text{{seq}}}}",
    ]


@formula
def field(X: R[emb], *, W: R[emb, hid], U: R[hid, emb]) -> R[emb]:
    return U @ hid @ nt.tanh(W @ emb @ X)


@formula
def flow(X: R[emb], t: R[seq], *, by: field) -> R[seq, emb]:
    return nt.scan[seq](lambda x, h: x + h * by(x), X, t)


def test_a_formula_that_a_step_calls_is_printed_before():
    text = flow.latex()
    document = nt.latex.read(text)
    assert list(document)[:2] == ["field", "flow"]
    assert not document.check()
