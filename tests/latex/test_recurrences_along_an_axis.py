"""Recurrences along an axis, written by their elements: each is one loop, which prints and reads back."""

import re

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.check.documents import look_at
from namedtensor.latex import LatexError, read
from tests.latex.fixtures import in_turn

GENERATOR = np.random.default_rng(11)
LENGTHS = (1, 2, 5)

HEAD = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}:n, \text{emb}} \\
h, c &\in \mathbb{R}^{\text{emb}} \\
%s
\end{aligned}$$
"""
STYLED = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\seq[n] \times \emb} \\
h, c &\in \mathbb{R}^{\emb} \\
%s
\end{aligned}$$
"""


def written(rows, styled=False):
    """Write rows such as A[t] = A[t-1] + X[t] in one of the dialects; |.| is |seq|."""
    out = []
    for row in rows:
        head, _, body = row.partition(" = ")
        out.append(f"{head} &= {body}")
    text = " \\\\\n".join(out).replace("|.|", r"|\text{seq}|")
    text = text.replace("[", r"_{\seq(" if styled else r"_{\text{seq}:").replace(
        "]", ")}" if styled else "}"
    )
    if not styled:
        return HEAD % text
    axes = "\\ndef{\\seq}{seq}\\ndef{\\emb}{emb}\n"
    return axes + STYLED % text.replace(r"|\text{seq}|", r"|\seq|")


def forwards(step, start, x, carry=()):
    found = []
    for row in x:
        start = step(start, row)
        found.append(start)
    return np.array(found)


def lstm(x, h, c, place):
    found = []
    for row in x:
        c = 0.5 * c + np.tanh(h + row)
        h = np.tanh(c) * row
        found.append((h, c)[place])
    return np.array(found)


def before(x, h):
    states = np.concatenate([h[None], forwards(lambda a, r: 0.5 * a + r, h, x)])
    return states[:-1] * x


def half(a, row):
    return 0.5 * a + row


def from_first(step, x):
    return np.concatenate([x[:1], forwards(step, x[0], x[1:]).reshape(-1, 2)])


def gradients(x, h):
    states = forwards(lambda a, r: np.tanh(a + r), h, x)
    deltas = forwards(
        lambda d, both: d * (1 - both[0] ** 2) + both[1], 0, np.stack([states, x], 1)[::-1]
    )[::-1]
    return deltas * np.concatenate([h[None], states[:-1]])


LSTM = [
    r"H[0] = h",
    r"C[0] = c",
    r"C[t] = 0.5 C[t-1] + \tanh(H[t-1] + X[t])",
    r"H[t] = \tanh(C[t]) \odot X[t]",
]
HALF = ["A[0] = h", "A[t] = 0.5 A[t-1] + X[t]"]

#: What is written, what numpy gives, and the operation that gives it.
FORMS = {
    "before the first": (["f(X, h) = A", *HALF], lambda x, h, c: forwards(half, h, x), "scan"),
    "the rule first": (["f(X, h) = A", *HALF[::-1]], lambda x, h, c: forwards(half, h, x), "scan"),
    "from zero": (
        ["f(X) = A", "A[0] = 0", "A[t] = A[t-1] + X[t]"],
        lambda x, h, c: np.cumsum(x, 0),
        "scan",
    ),
    "from the first, a sum": (
        ["f(X) = A", "A[1] = X[1]", "A[t] = A[t-1] + X[t]"],
        lambda x, h, c: np.cumsum(x, 0),
        "associative_scan",
    ),
    "from the first, a greatest": (
        ["f(X) = A", "A[1] = X[1]", r"A[t] = \max(A[t-1], X[t])"],
        lambda x, h, c: np.maximum.accumulate(x, 0),
        "associative_scan",
    ),
    "from the first, no sum": (
        ["f(X) = A", "A[1] = X[1]", "A[t] = 0.5 A[t-1] + X[t]"],
        lambda x, h, c: from_first(half, x),
        "concat",
    ),
    "from the first, with its range": (
        ["f(X) = A", "A[1] = X[1]", r"A[t] = 0.5 A[t-1] + X[t], \quad t = 2, \ldots, n"],
        lambda x, h, c: from_first(half, x),
        "concat",
    ),
    "from the first, the next": (
        ["f(X) = A", "A[1] = X[1]", "A[t+1] = 0.5 A[t] + X[t+1]"],
        lambda x, h, c: from_first(half, x),
        "concat",
    ),
    "the next from the inputs": (
        ["f(X, h) = A", "A[1] = h", "A[t+1] = 0.5 A[t] + X[t]"],
        lambda x, h, c: np.concatenate([h[None], forwards(half, h, x[:-1]).reshape(-1, 2)]),
        "concat",
    ),
    "from the inputs before": (
        ["f(X, h) = A", "A[1] = h", r"A[t] = 0.5 A[t-1] + X[t-1], \quad t = 2, \ldots, n"],
        lambda x, h, c: np.concatenate([h[None], forwards(half, h, x[:-1]).reshape(-1, 2)]),
        "concat",
    ),
    "backwards from the inputs after": (
        ["f(X, h) = A", "A[n] = h", "A[t-1] = 0.5 A[t] + X[t]"],
        lambda x, h, c: np.concatenate([h[None], forwards(half, h, x[:0:-1]).reshape(-1, 2)])[::-1],
        "concat",
    ),
    "backwards": (
        ["f(X, h) = A", "A[|.|+1] = h", "A[t] = 0.5 A[t+1] + X[t]"],
        lambda x, h, c: forwards(half, h, x[::-1])[::-1],
        "scan",
    ),
    "backwards from n + 1": (
        ["f(X, h) = A", "A[n+1] = h", "A[t] = 0.5 A[t+1] + X[t]"],
        lambda x, h, c: forwards(half, h, x[::-1])[::-1],
        "scan",
    ),
    "backwards from the last": (
        ["f(X) = A", "A[|.|] = X[|.|]", "A[t] = 0.5 A[t+1] + X[t]"],
        lambda x, h, c: from_first(half, x[::-1])[::-1],
        "concat",
    ),
    "backwards from the last, with its range": (
        ["f(X) = A", "A[n] = X[n]", r"A[t] = 0.5 A[t+1] + X[t], \quad t = n-1, \ldots, 1"],
        lambda x, h, c: from_first(half, x[::-1])[::-1],
        "concat",
    ),
    "backwards from the last, a sum": (
        ["f(X) = A", "A[n] = X[n]", "A[t] = A[t+1] + X[t]"],
        lambda x, h, c: np.cumsum(x[::-1], 0)[::-1],
        "associative_scan",
    ),
    "LSTM, its state": (["f(X, h, c) = H", *LSTM], lambda x, h, c: lstm(x, h, c, 0), "scan"),
    "LSTM, its memory": (["f(X, h, c) = C", *LSTM], lambda x, h, c: lstm(x, h, c, 1), "scan"),
    "both of an LSTM": (
        ["f(X, h, c) = H + 2 C", *LSTM],
        lambda x, h, c: lstm(x, h, c, 0) + 2 * lstm(x, h, c, 1),
        "add",
    ),
    "what is made of each": (
        ["f(X, h) = Y", *HALF, r"Y[t] = A[t] \odot X[t]"],
        lambda x, h, c: forwards(half, h, x) * x,
        "mul",
    ),
    "what is made of the one before": (
        ["f(X, h) = Y", *HALF, r"Y[t] = A[t-1] \odot X[t]"],
        lambda x, h, c: before(x, h),
        "scan",
    ),
    "what is made of the one after": (
        ["f(X, h) = Y", "A[|.|+1] = h", "A[t] = 0.5 A[t+1] + X[t]", r"Y[t] = A[t+1] \odot X[t]"],
        lambda x, h, c: before(x[::-1], h)[::-1],
        "scan",
    ),
    "gradients of a network": (
        [
            "f(X, h) = G",
            "A[0] = h",
            r"A[t] = \tanh(A[t-1] + X[t])",
            "D[n+1] = 0",
            r"D[t] = D[t+1] \odot (1 - A[t]^2) + X[t]",
            r"G[t] = D[t] \odot A[t-1]",
        ],
        lambda x, h, c: gradients(x, h),
        "scan",
    ),
    "first one way, then the other": (
        ["f(X, h, c) = B", *HALF, "B[n+1] = c", "B[t] = 0.5 B[t+1] + A[t]"],
        lambda x, h, c: forwards(half, c, forwards(half, h, x)[::-1])[::-1],
        "scan",
    ),
    "Adam": (
        ["f(X) = Y", "M[0] = 0", "M[t] = 0.9 M[t-1] + 0.1 X[t]", r"Y[t] = \frac{M[t]}{1 - 0.9^t}"],
        lambda x, h, c: (
            forwards(lambda m, r: 0.9 * m + 0.1 * r, 0, x)
            / (1 - 0.9 ** np.arange(1, len(x) + 1)[:, None])
        ),
        "div",
    ),
    "softmax as it comes": (
        [
            "f(X) = D[|.|]",
            r"M[0] = -\infty",
            "D[0] = 0",
            r"M[t] = \max(M[t-1], X[t])",
            r"D[t] = D[t-1] \odot \exp(M[t-1] - M[t]) + \exp(X[t] - M[t])",
        ],
        lambda x, h, c: np.exp(x - x.max(0)).sum(0),
        "scan",
    ),
    "a fold": (["f(X, h) = A[|.|]", *HALF], lambda x, h, c: forwards(half, h, x)[-1], "scan"),
    "a fold up to n": (["f(X, h) = A[n]", *HALF], lambda x, h, c: forwards(half, h, x)[-1], "scan"),
    "a fold backwards": (
        ["f(X, h) = A[1]", "A[n+1] = h", "A[t] = 0.5 A[t+1] + X[t]"],
        lambda x, h, c: forwards(half, h, x[::-1])[-1],
        "scan",
    ),
    "the last from the first": (
        ["f(X) = A[|.|]", "A[1] = X[1]", "A[t] = 0.5 A[t-1] + X[t]"],
        lambda x, h, c: from_first(half, x)[-1],
        "at",
    ),
    "a mean": (
        [r"f(X) = \frac{1}{n} A[n]", "A[0] = 0", "A[t] = A[t-1] + X[t]"],
        lambda x, h, c: x.mean(0),
        "mul",
    ),
    "counting": (
        ["f(X, h) = A", "A[0] = h", "A[t] = t A[t-1] + X[t]"],
        lambda x, h, c: forwards(
            lambda a, both: both[0] * a + both[1:],
            h,
            np.c_[np.arange(1, len(x) + 1), x],
        ),
        "scan",
    ),
    "with a whole tensor": (
        ["f(X, h) = A", "A[0] = h", r"A[t] = A[t-1] + X[t] - X[1] + \sum_{\text{seq}} X"],
        lambda x, h, c: forwards(lambda a, r: a + r - x[0] + x.sum(0), h, x),
        "scan",
    ),
    "along nothing": (
        ["f(X, h) = A + 0 X", "A[0] = h", "A[t] = 0.5 A[t-1]"],
        lambda x, h, c: forwards(lambda a, r: 0.5 * a, h, x),
        "add",
    ),
    "a name with a script": (
        ["f(X, h) = 2 {B_1}", "{B_1}[0] = h", "{B_1}[t] = 0.5 {B_1}[t-1] + X[t]"],
        lambda x, h, c: 2 * forwards(half, h, x),
        "mul",
    ),
    "a name with a prime": (
        ["f(X, h) = s'", "s'[0] = h", "s'[t] = 0.5 s'[t-1] + X[t]"],
        lambda x, h, c: forwards(half, h, x),
        "scan",
    ),
}


def arguments(f, length):
    drawn = {
        "X": nt.normal(f"seq[{length}] emb[2]", generator=GENERATOR),
        "h": nt.normal("emb[2]", generator=GENERATOR),
        "c": nt.normal("emb[2]", generator=GENERATOR),
    }
    given = [drawn[p.name] for p in f.signature.parameters]
    return given, (drawn["X"].numpy("seq", "emb"), drawn["h"].numpy(), drawn["c"].numpy())


def same(found, expected):
    np.testing.assert_allclose(
        found.numpy(*[a for a in ("seq", "emb") if a in found.axes]), expected, atol=1e-12
    )


@in_turn("form", FORMS, ["plain", "styled"], "style")
def test_a_recurrence_is_one_loop_that_prints_and_reads_back(form, style):
    styled = style == "styled"
    rows, expected, operation = FORMS[form]
    document = read(written(rows, styled))
    assert [str(f) for f in [*document.findings, *document.check()]] == []
    f = document["f"]
    assert [node.name for node in f.written().results] == [operation]
    assert set(f.shape().names) <= {"seq", "emb"}
    texts = [f.latex(dialect) for dialect in (("macros", "ndef") if styled else ("underset",))]
    again = [read(text)["f"] for text in texts]
    python = {}
    exec(document.python(), python)
    for length in LENGTHS:
        given, numbers = arguments(f, length)
        for formula in (f, *again, python["f"]):
            same(formula(*given), expected(*numbers))
    for text in texts:
        findings = [f for f in read(text).check() if f.severity != "note"]
        assert [str(f) for f in findings] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_printed_recurrence_is_the_same_tree(form):
    f = read(written(FORMS[form][0]))["f"]
    assert read(f.latex())["f"].written().results == f.written().results


I, J = r"\text{emb}:i", r"\text{emb}:j"

#: Rules that write the indices of all axes.
BY_ALL_INDICES = {
    "each by itself": (
        ["f(X, h) = A", "A[0] = h", f"A[t, {I}] = 0.5 A[t-1, {I}] + X[t, {I}]"],
        lambda x, h, c: forwards(half, h, x),
    ),
    "with its start": (
        [
            "f(X, h) = A",
            rf"A[|.|+1, {I}] = h_{{{I}}}",
            f"A[t, {I}] = 0.5 A[t+1, {I}] + X[t, {I}]",
        ],
        lambda x, h, c: forwards(half, h, x[::-1])[::-1],
    ),
    "from the first": (
        ["f(X) = A", f"A[1, {I}] = X[1, {I}]", f"A[t, {I}] = A[t-1, {I}] + X[t, {I}]"],
        lambda x, h, c: np.cumsum(x, 0),
    ),
    "with a sum over another index": (
        ["f(X, h) = A", "A[0] = h", rf"A[t, {I}] = X[t, {I}] \sum_j h_{{{J}}} A[t-1, {J}]"],
        lambda x, h, c: forwards(lambda a, r: r * (h @ a), h, x),
    ),
    "of two series": (
        [
            "f(X, h, c) = B",
            "A[0] = c",
            "B[0] = h",
            rf"A[t, {I}] = 0.5 A[t-1, {I}] + \sum_j X[t, {J}] B[t-1, {J}]",
            rf"B[t, {I}] = \tanh(A[t, {I}])",
        ],
        lambda x, h, c: forwards(
            lambda both, r: np.stack([m := 0.5 * both[0] + r @ both[1], np.tanh(m)]),
            np.stack([c, h]),
            x,
        )[:, 1],
    ),
    "of the one before": (
        [
            "f(X, h) = Y",
            "A[0] = h",
            f"A[t, {I}] = 0.5 A[t-1, {I}] + X[t, {I}]",
            rf"Y[t, {I}] = A[t-1, {I}] X[t, {I}]",
        ],
        lambda x, h, c: before(x, h),
    ),
}


@pytest.mark.parametrize("form", BY_ALL_INDICES)
def test_a_rule_may_write_the_indices_of_all_axes(form):
    rows, expected = BY_ALL_INDICES[form]
    document = read(written(rows))
    assert [str(f) for f in [*document.findings, *document.check()]] == []
    f = document["f"]
    again = read(f.latex("underset"))["f"]
    for length in LENGTHS:
        given, numbers = arguments(f, length)
        same(f(*given), expected(*numbers))
        same(again(*given), expected(*numbers))


def test_a_recurrence_along_two_axes_is_refused():
    rows = ["f(X) = A", f"A[t, {I}] = A[t-1, {I}] + A[t, {I}-1] + X[t, {I}]"]
    document = read(written(rows))
    refused, said = document.check()
    assert refused.code == "undefined"
    assert "and recurrences run along one axis" in said.message
    with pytest.raises(nt.NamedTensorError, match="A is not defined here"):
        document["f"].written()


REFUSED = {
    "both ways": (
        ["f(X, h) = A", "A[0] = h", "A[t] = A[t-1] + A[t+1] + X[t]"],
        "A_{seq:t} looks at elements before it and after it, and a recurrence takes one way",
    ),
    "no start": (
        ["f(X) = A", "A[t] = 0.5 A[t-1] + X[t]"],
        "A_{seq:0} is neither declared nor defined",
    ),
    "no end": (
        ["f(X) = A", "A[t] = 0.5 A[t+1] + X[t]"],
        "A_{seq:|seq|+1} is neither declared nor defined",
    ),
    "before the first": (
        ["f(X) = Y", "A[1] = X[1]", "A[t] = A[t-1] + X[t]", "Y[t] = 2 A[t-1]"],
        "A_{seq:0} is neither declared nor defined",
    ),
    "itself": (
        ["f(X, h) = A", "A[0] = h", "A[t] = A[t-1] + A[t]"],
        "A_{seq:t} is made of itself",
    ),
    "all of itself": (
        ["f(X, h) = A", "A[0] = h", r"A[t] = A[t-1] + \sum_{\text{seq}} A"],
        "A_{seq:t} is made of itself",
    ),
    "one way and the other": (
        ["f(X, h) = A", *HALF[:1], "B[n+1] = h", "A[t] = A[t-1] + B[t]", "B[t] = B[t+1] + A[t]"],
        "A_{seq:t} looks at elements before it and after it, and a recurrence takes one way",
    ),
    "two ahead": (
        ["f(X, h) = A", "A[n+1] = h", "A[t] = A[t+2] + X[t]"],
        "A_{seq:t} looks further than to the next element, and a recurrence does not",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_cannot_be_followed_is_refused_by_the_check_too(form):
    rows, why = REFUSED[form]
    document = read(written(rows))
    assert why in [finding.message for finding in document.check()]
    f = document["f"]
    for call in (f.written, f.shape, lambda: f(*arguments(f, 3)[0])):
        with pytest.raises(nt.NamedTensorError) as error:
            call()
        assert error.value.why == why
    assert "is left out" in document.latex()


def test_a_recurrence_that_looks_back_twice_runs_along_what_is_known():
    f = read(written(["f(X, h, c) = A", "A[1] = h", "A[2] = c", "A[t] = A[t-1] + A[t-2] + X[t]"]))[
        "f"
    ]
    given, (x, h, c) = arguments(f, 4)
    third = h + c + x[2]
    same(f(*given), [h, c, third, third + c + x[3]])


@pytest.mark.parametrize("form", ["backwards from the last", "from the first, no sum"])
def test_no_first_element_is_an_index_outside(form):
    f = read(written(FORMS[form][0]))["f"]
    with pytest.raises(
        nt.NamedTensorError, match=r"index (0|1) lies outside axis seq, which is 0 in X"
    ):
        f(*arguments(f, 0)[0])


def test_a_recurrence_that_stops_has_the_elements_up_to_there():
    rows = ["f(X, h) = A", "A[1] = h", r"A[t+1] = A[t] + X[t], \quad t = 1, \ldots, 2"]
    f = read(written(rows))["f"]
    given, (x, h, _) = arguments(f, 5)
    same(f(*given), [h, h + x[0], h + x[0] + x[1]])


def test_an_element_of_indices_in_data_counts_as_they_do():
    document = read(
        r"""
$$\begin{aligned}
E &\in \mathbb{R}^{\text{vocab}:n, \text{emb}} \\
I &\in [n]^{\text{seq}} \\
f(E, I) &= A + 0 B \\
A_{\text{seq}:0} &= 0 \\
A_{\text{seq}:t} &= 0.5 A_{\text{seq}:t-1} + E_{\text{vocab}:I_{\text{seq}:t}} \\
B_{\text{seq}:t} &= E_{\text{vocab}:I_{\text{seq}:t}} \\
g(E, I) &= E_{\text{vocab}:I_{\text{seq}:1}}
\end{aligned}$$
"""
    )
    E, I = nt.normal("vocab[4] emb[2]", generator=GENERATOR), nt.tensor([3, 0, 1], "seq")
    rows = E.numpy("vocab", "emb")[I.numpy()]
    same(document["f"](E, I), forwards(half, 0, rows))
    same(document["g"](E, I), rows[0])


def test_a_series_that_looks_ahead_without_end_is_refused():
    document = read(
        r"$x^t \in \mathbb{R}^{\text{a}}$, $t = 1, \ldots, T$, $$d^t = 2 d^{t+1} + x^t$$"
    )
    with pytest.raises(
        nt.NamedTensorError, match="each member needs the next one, and none is given"
    ):
        document["d^1"]
    given = read(
        r"$x^t, g \in \mathbb{R}^{\text{a}}$, $t = 1, \ldots, T$,"
        r" $$d^t = 0.5 d^{t+1} + x^t, \quad d^{800} = g$$"
    )["d^1"]
    found = given(x=nt.ones("t[800] a[1]"), g=nt.ones("a[1]"))
    np.testing.assert_allclose(found.numpy(), [2.0])


def test_a_recurrence_has_gradients_in_torch_along_both_ways():
    import torch

    f = read(written(FORMS["gradients of a network"][0]))["f"]
    given, _ = arguments(f, 4)
    given = [nt.tensor(torch.tensor(v.numpy(*v.axes), requires_grad=True), *v.axes) for v in given]
    nt.sum["seq", "emb"](f(*given)).data.backward()
    assert all(v.data.grad.abs().max() > 0 for v in given)


def test_a_recurrence_backwards_on_one_that_counts_by_another_letter_is_read():
    text = r"""$$\begin{aligned}
    X &\in \mathbb{R}^{\text{seq}} \\
    f(X) &= S \\
    S_{\text{seq}:|\text{seq}|} &= H_{\text{seq}:|\text{seq}|} \\
    S_{\text{seq}:t} &= \max(S_{\text{seq}:t + 1}, H_{\text{seq}:t}) \\
    H_{\text{seq}:|\text{seq}|} &= X_{\text{seq}:|\text{seq}|} \\
    H_{\text{seq}:i} &= H_{\text{seq}:i + 1} + X_{\text{seq}:i}
    \end{aligned}$$"""
    X = nt.tensor([1.0, -5.0, 3.0, 2.0], "seq")
    assert read(text).check() == []
    assert read(text)["f"](X).numpy().tolist() == [5.0, 5.0, 5.0, 2.0]


@pytest.mark.parametrize(
    "start", [r"starting from $S$.", r"for $t = 2, \ldots, T$. We start from $S$."]
)
def test_a_start_in_prose_behind_the_display_counts(start):
    text = (
        r"$x \in \mathbb{R}^{\text{day}:T}$. "
        r"$$s_{\text{day}(t)} = 2 s_{\text{day}(t-1)} + x_{\text{day}(t)}$$ "
        + start.replace("$S$", r"$s_{\text{day}(1)} = 7$")
    )
    found = read(text)["s"](x=nt.tensor([1.0, 2.0, 3.0], "day"))
    np.testing.assert_allclose(found.numpy("day"), [7.0, 16.0, 35.0])


@pytest.mark.parametrize(
    "rules",
    [
        r"h_{\text{seq}(0)} = 0, \qquad h_{\text{seq}(t)} = X_{\text{seq}(t)} + 0.5 h_{\text{seq}(t-1)}",
        r"""h_{\text{seq}(0)} = 0, \qquad
h_{\text{seq}(t)} = X_{\text{seq}(t)} +
\left[ V \underset{\text{emb}}{\cdot} h_{\text{seq}(t-1)} \right]_{\text{emb}' \to \text{emb}}""",
        r"""c_{\text{seq}(0)} = 1, \qquad h_{\text{seq}(t)} = X_{\text{seq}(t)} c_{\text{seq}(t-1)}, \qquad
c_{\text{seq}(t)} = \tanh h_{\text{seq}(t)}""",
    ],
)
def test_what_uses_a_recurrence_that_begins_with_a_number_is_held_to_its_axes(rules):
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{seq}}, \text{{emb}}}}$ and
$V \in \mathbb{{R}}^{{\text{{emb}}, \text{{emb}}'}}$, $w \in \mathbb{{R}}^{{\text{{out}}}}$.
\[ {rules} \]
\[ y = \sum_{{\text{{out}}}} h \odot X \]"""
    assert [f.code for f in read(text).check()] == ["axis-missing"]
    assert read(text.replace(r"sum_{\text{out}}", r"sum_{\text{emb}}")).check() == []


def test_a_step_that_does_not_take_what_its_rule_gives_is_reported():
    text = r"""Let $K \in \mathbb{R}^{\text{age}, \text{age}'}$, $D \in \mathbb{R}^{\text{day}}$,
$v^0 = 1$. \[ v^k = K \underset{\text{age}'}{\cdot} w^k, \quad
w^k = [v^{k-1}]_{\text{day} \to \text{age}'} \]"""
    (found,) = read(text).check()
    assert (found.code, found.line) == ("axis-missing", 3)
    assert read(text.replace(r"\text{day} \to", r"\text{age} \to")).check() == []


def test_a_series_whose_length_is_not_chosen_says_so_when_it_is_printed():
    text = r"""Let $c \in \mathbb{R}^{\text{emb}}$ and $x \in \mathbb{R}^{\text{time}:T, \text{emb}}$.
$$x_{\text{time}(1)} = c, \qquad x_{\text{time}(t+1)} = 2 x_{\text{time}(t)}, \quad t = 1, \ldots, T - 1$$"""
    document = read(text)
    with pytest.raises(LatexError, match="needs a number for T") as caught:
        document["x"].latex()
    (code,) = re.findall("choose it: (.*)", str(caught.value))
    assert r"\name{time}[1]" in eval(code).latex()
    assert r"\name{time}[3]" in document.bind(T=4)["x"].latex()


def test_two_displays_may_have_recurrences_of_one_letter_along_different_axes():
    rule = r"""$$\begin{aligned}
X &\in \mathbb{R}^{\text{AXIS}, \text{emb}} \\
C_{\text{AXIS}:0} &= 0 \\
C_{\text{AXIS}:t} &= C_{\text{AXIS}:t-1} + X_{\text{AXIS}:t} \\
y &= \sum_{\text{AXIS}} C
\end{aligned}$$
"""
    assert read(rule.replace("AXIS", "seq") + "\n" + rule.replace("AXIS", "time")).check() == []


def test_a_rule_is_held_to_the_start_below_it():
    text = r"""Let $p \in \mathbb{R}^{\text{a}}$, $A \in \mathbb{R}^{\text{a}, \text{a}'}$,
$d \in \mathbb{R}^{\text{b}}$. \[ x^k = [x^{k-1} \underset{\text{a}}{\cdot} A]_{\text{a}' \to \text{b}}, \quad
x^0 = p \]"""
    assert [f.code for f in read(text).check()] == ["series-shape"]
    assert read(text.replace(r"\to \text{b}", r"\to \text{a}")).check() == []


#: Rules of a tensor that nothing declares, a part of one of them, and what stands there by mistake.
ALONG_ANOTHER = [
    (
        (r"s_{\text{seq}:0} = 0", r"s_{\text{seq}:t} = a s_{\text{seq}:t-1} + u_{\text{seq}:t}"),
        1,
        -2,
    ),
    (
        (r"s_{\text{seq}:0} = 0", r"s_{\text{seq}:t} = a s_{\text{seq}:t-1} + u_{\text{seq}:t}"),
        1,
        0,
    ),
    (
        (r"s_{\text{seq}:0} = 0", r"s_{\text{seq}:t} = a s_{\text{seq}:t-1} + u_{\text{seq}:t}"),
        0,
        0,
    ),
    (
        (
            r"s_{\text{seq}:0} = s_{\text{seq}:-1} = 0",
            r"s_{\text{seq}:t} = s_{\text{seq}:t-1} + a s_{\text{seq}:t-2} + u_{\text{seq}:t}",
        ),
        1,
        -2,
    ),
    (
        (
            r"s_{\text{seq}:i, \text{chan}:j} = s_{\text{seq}:i-1, \text{chan}:j} "
            r"+ u_{\text{seq}:i, \text{chan}:j}",
            r"s_{\text{seq}:0, \text{chan}:j} = 0",
        ),
        0,
        2,
    ),
]


@pytest.mark.parametrize("axis", ["row", "chan"])
@pytest.mark.parametrize(("rules", "wrong", "place"), ALONG_ANOTHER)
def test_an_element_of_itself_along_another_axis_is_reported_where_it_stands(
    rules, wrong, place, axis
):
    head = r"""Let $u \in \mathbb{R}^{\text{seq} \times \text{chan}}$ and $a \in \mathbb{R}^{\text{chan}}$.
$$\begin{aligned}
"""
    text = (
        head + " \\\\\n".join(rule.replace(" = ", " &= ") for rule in rules) + "\n\\end{aligned}$$"
    )
    assert [str(f) for f in read(text).check() if f.severity != "note"] == []
    parts = rules[wrong].split(r"\text{seq}")
    at = place % (len(parts) - 1)
    changed = r"\text{seq}".join(parts[: at + 1]) + rf"\text{{{axis}}}"
    changed += r"\text{seq}".join(parts[at + 1 :])
    faulty = [changed if i == wrong else rule for i, rule in enumerate(rules)]
    text = (
        head + " \\\\\n".join(rule.replace(" = ", " &= ") for rule in faulty) + "\n\\end{aligned}$$"
    )
    lines = [f.line for f in read(text).check() if f.severity == "error"]
    assert 3 + wrong in lines, (text, read(text).check())


# ------------------------------------------------------------------------- parts of a step

STEP = r"$$k = \tanh(u_{AT})$$"
TWO = r"$$k = \tanh(u_{AT}), \quad m = \exp(u_{AT} - k)$$"
METHODS = [
    STEP + r"$$u_{NEXT} = u_{AT} + h k, \qquad t = 1, \ldots, N$$",
    r"$$u_{NEXT} = u_{AT} + h k, \qquad t = 1, \ldots, N$$ with " + STEP,
    r"$$u_{NEXT} = u_{AT} + h k, \quad k = \tanh(u_{AT}), \qquad t = 1, \ldots, N$$",
    TWO + r"$$u_{NEXT} = u_{AT} + h (m - m + k), \qquad t = 1, \ldots, N$$",
    r"$$u_{NEXT} = u_{AT} + h w, \qquad t = 1, \ldots, N$$ with $$w = 2 k - k$$ and " + STEP,
]
PLACES = [
    (r"\text{step}(t)", r"\text{step}(t+1)", r"\text{step}(1)"),
    (r"\text{step}(t-1)", r"\text{step}(t)", r"\text{step}(0)"),
]


@pytest.mark.parametrize(("at", "then", "first"), PLACES)
@pytest.mark.parametrize("method", METHODS)
def test_what_a_step_is_made_of_has_the_index_of_the_step(method, at, then, first):
    text = r"$h \in \mathbb{R}$, $u_0 \in \mathbb{R}^{\text{emb}:d}$. "
    text += method.replace("AT", at).replace("NEXT", then) + f" where $u_{{{first}}} = u_0$."
    assert [str(f) for f in read(text).check() if f.severity != "note"] == []
    start = GENERATOR.normal(size=3)
    found = read(text).bind(N=4)["u"](u_0=nt.tensor(start, "emb"), h=0.1)
    wanted = forwards(lambda u, _: u + 0.1 * np.tanh(u), start, range(4))
    np.testing.assert_allclose(found.numpy("step emb")[-4:], wanted)
    wrong = text.replace(r"\tanh(u", r"\sum_{\text{seq}} \tanh(u")
    assert "axis-missing" in {f.code for f in read(wrong).check()}


def test_what_a_series_that_counts_by_a_letter_is_made_of_stands_above_it_too():
    text = r"$h \in \mathbb{R}$, $u_0 \in \mathbb{R}^{\text{emb}:d}$. $$k = \tanh(u_{t-1})$$"
    text += r"$$u_t = u_{t-1} + h k, \qquad t = 1, \ldots, N$$"
    start = GENERATOR.normal(size=3)
    found = read(text)["u_4"](u_0=nt.tensor(start, "emb"), h=0.1)
    wanted = forwards(lambda u, _: u + 0.1 * np.tanh(u), start, range(4))
    np.testing.assert_allclose(found.numpy("emb"), wanted[-1])


def test_a_letter_that_says_something_else_is_no_index_of_a_step():
    text = r"$t \in \mathbb{R}$, $u_0 \in \mathbb{R}^{\text{emb}:d}$. $$k = \sum_{s=1}^3 t s$$"
    text += r"$$u_{\text{step}(t)} = u_{\text{step}(t-1)} + k, \qquad t = 1, \ldots, N$$"
    text += r" where $u_{\text{step}(0)} = u_0$."
    found = read(text).bind(N=2)["u"](u_0=nt.zeros("emb[1]"), t=2.0)
    np.testing.assert_allclose(found.numpy("step emb")[:, 0], [12, 24])


# --------------------------------------------------------- series that are given by their elements

JACOBI = r"""$A \in \mathbb{R}^{\text{row}:n, \text{col}:n}$, $b \in \mathbb{R}^{\text{row}:n}$. BEGIN
$$x^{(k+1)}_{\text{col}(i)} = \frac{1}{A_{\text{row}(i), \text{col}(i)}} \left( b_{\text{row}(i)} -
\sum_{j \ne i} A_{\text{row}(i), \text{col}(j)} \, x^{(k)}_{\text{col}(j)} \right),
\qquad i = 1, \dots, n.$$"""


@pytest.mark.parametrize("begin", ["Start with $x^{(0)} = 0$:", "$$x^{(0)} = 0$$"])
def test_a_series_whose_elements_are_given_begins_with_a_number(begin):
    text = JACOBI.replace("BEGIN", begin)
    assert [str(f) for f in read(text).check() if f.severity != "note"] == []
    a, b = 4 * np.eye(3) + 1, np.array([1.0, 2.0, 3.0])
    x = np.zeros(3)
    for _ in range(3):
        x = (b - (a - np.diag(np.diag(a))) @ x) / np.diag(a)
    given = {"A": nt.tensor(a, "row col"), "b": nt.tensor(b, "row")}
    np.testing.assert_allclose(read(text)["x^{(3)}"](**given).numpy("col"), x)
    wrong = text.replace(r"x^{(k)}_{\text{col}(j)}", r"x^{(k)}_{\text{row}(j)}")
    assert "axis-missing" in {f.code for f in read(wrong).check()}


def test_a_range_of_another_section_is_none_of_a_series_that_has_its_own_start():
    text = r"""# A
$v^0 \in \mathbb{R}^{\text{emb}}$. $$v^k = v^{k-1} / 2, \qquad k = 1, \ldots, K$$
# B
$x^0 \in \mathbb{R}^{\text{emb}}$. $$x^{k+1} = x^k / 3$$"""
    start = GENERATOR.normal(size=3)
    found = read(text)["x^1"](x0=nt.tensor(start, "emb"))
    np.testing.assert_allclose(found.numpy("emb"), start / 3)


def test_a_recurrence_over_what_only_indices_give_takes_its_size_when_it_is_chosen():
    text = r"""$$P_{\text{seq}:t} = t^2$$
$$s_{\text{seq}:0} = 0, \quad s_{\text{seq}:t} = 2 s_{\text{seq}:t-1} + P_{\text{seq}:t}$$
$$y = \sum_{\text{seq}} s$$"""
    document = read(text)
    assert document.check() == []
    assert look_at(document)[0] == []
    with pytest.raises(nt.AxisSizeError, match="seq"):
        document["y"]()
    assert float(document.bind(seq=3)["y"]()) == 1 + 6 + 21


def test_a_recurrence_with_an_input_that_has_an_axis_twice_is_checked():
    text = r"""Let $X \in \mathbb{R}^{\text{seq}, \text{emb}}$, $W \in \mathbb{R}^{\text{emb}, \text{emb}}$.
$$h_{\text{seq}:0} = 0, \quad
h_{\text{seq}:t} = \tanh(W \underset{\text{emb}}{\cdot} X_{\text{seq}:t}) + h_{\text{seq}:t-1}$$"""
    assert "repeated" in [f.code for f in read(text).check()]


PAST = r"""Let $x \in \mathbb{R}^{\text{t}:T}$ and $a \in \mathbb{R}^{\text{lag}:p}$.
$$y_{\text{t}(i)} = x_{\text{t}(i)} + %s$$"""


@pytest.mark.parametrize(
    ("past", "weights"),
    [
        (r"\sum_{l=1}^{\min(i-1, p)} a_{\text{lag}(l)} y_{\text{t}(i-l)}", [0.5, 0.25, 0, 0]),
        (r"\sum_{l=1}^{\min(p, i-1)} y_{\text{t}(i-l)} a_{\text{lag}(l)}", [0.5, 0.25, 0, 0]),
        (r"\sum_{l=1}^{i-1} 0.5 y_{\text{t}(i-l)}", [0.5] * 4),
        (r"\sum_{s=1}^{i-1} 0.5 y_{\text{t}(s)}", [0.5] * 4),
        (r"\sum_{s < i} 0.5 y_{\text{t}(s)}", [0.5] * 4),
    ],
)
def test_a_sum_over_earlier_elements_of_its_own(past, weights):
    document = nt.latex.read(PAST % past)
    assert [f for f in document.check() if f.severity != "note"] == []
    x = GENERATOR.normal(size=5)
    y: list[float] = []
    for i in range(5):
        y.append(x[i] + sum(weights[lag] * y[i - lag - 1] for lag in range(i)))
    formula = document["y"]
    given = {"x": nt.tensor(x, "t"), "a": nt.tensor([0.5, 0.25], "lag")}
    found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
    np.testing.assert_allclose(found.numpy("t"), y)


DELAY = r"""Let $x \in \mathbb{R}^{\text{t}:T}$. With a delay of $M$ samples,
$$y_{\text{t}(i)} = \begin{cases} x_{\text{t}(i)} + 0.5 y_{\text{t}(i-M)} & i > M \\
x_{\text{t}(i)} & \text{otherwise} \end{cases}$$"""


@pytest.mark.parametrize("delay", [1, 2, 3, 9])
@pytest.mark.parametrize("written", [False, True])
def test_a_delay_of_several_samples(delay, written):
    document = nt.latex.read(DELAY.replace("M", str(delay)) if written else DELAY)
    document = document if written else document.bind(M=delay)
    x = GENERATOR.normal(size=6)
    y = x.copy()
    for i in range(delay, 6):
        y[i] = x[i] + 0.5 * y[i - delay]
    np.testing.assert_allclose(document["y"](x=nt.tensor(x, "t")).numpy("t"), y)


def test_a_delay_without_a_number_asks_for_it():
    with pytest.raises(LatexError, match=r"needs a number for M") as caught:
        read(DELAY)["y"](x=nt.tensor(np.ones(6), "t"), M=2)
    assert 'document.bind(M=2)["y"]' in str(caught.value)


RULE, FIRST = r"x_{\text{t}(i)} + 0.5 y_{\text{t}(i-1)}", r"x_{\text{t}(i)}"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (rf"{RULE} & i > 1 \\ {FIRST} & \text{{otherwise}}", 1),
        (rf"{FIRST} & i \le 1 \\ {RULE} & i > 1", 1),
        (rf"{FIRST} & i < 2 \\ {RULE} & \text{{otherwise}}", 1),
        (rf"{RULE} & \text{{if }} i \ge 2 \\ {FIRST} & \text{{else}}", 1),
        (rf"{FIRST} & i \le 2 \\ {RULE} & i > 2", 2),
        (rf"{RULE} & i > 3 \\ {FIRST} & \text{{otherwise}}", 3),
    ],
)
def test_a_rule_that_begins_behind_the_first_elements(rows, first):
    text = (
        r"Let $x \in \mathbb{R}^{\text{t}:T}$. $$y_{\text{t}(i)} = \begin{cases} %s \end{cases}$$"
    )
    document = nt.latex.read(text % rows)
    assert [f for f in document.check() if f.severity != "note"] == []
    x = GENERATOR.normal(size=5)
    y = x.copy()
    for i in range(first, 5):
        y[i] = x[i] + 0.5 * y[i - 1]
    np.testing.assert_allclose(document["y"](x=nt.tensor(x, "t")).numpy("t"), y)


MUTUAL = r"""Let $\pi \in \Delta^{\text{state}:K}$ and $B \in \mathbb{R}^{\text{t}:T, \text{state}}$.
\begin{align*}
b_{\text{t}(1)} &= \pi \odot B_{\text{t}(1)} \\
a_{\text{t}(i)} &= b_{\text{t}(i)} / \sum_{\text{state}} b_{\text{t}(i)} \\
b_{\text{t}(i)} &= B_{\text{t}(i)} \odot a_{\text{t}(i-1)}, \qquad i \ge 2
\end{align*}"""


def test_a_bound_behind_a_rule_is_of_that_rule_alone():
    document = nt.latex.read(MUTUAL)
    assert [f for f in document.check() if f.severity != "note"] == []
    B, start = GENERATOR.uniform(1, 2, (4, 3)), np.array([0.2, 0.3, 0.5])
    a = []
    for row in B:
        start = row * start / (row * start).sum()
        a.append(start)
    given = {"B": nt.tensor(B, "t", "state"), "pi": nt.tensor([0.2, 0.3, 0.5], "state")}
    np.testing.assert_allclose(document["a"](**given).numpy("t", "state"), a)


def moved(rows, step, backwards=False):
    """Append a few rows, each made of the one before it."""
    for _ in range(3):
        rows.append(step(*rows))
    return np.stack(rows[::-1] if backwards else rows)


def upwind(*rows):
    return np.concatenate([rows[0][:1], rows[-1][1:] - 0.5 * np.diff(rows[-1])])


def diffused(*rows):
    return np.pad(rows[-1][1:-1] + 0.2 * np.diff(rows[-1], 2), 1)


def tree(*rows):
    return np.append(0.3 * rows[-1][1:] + 0.7 * rows[-1][:-1], 0.0)


@pytest.mark.parametrize(
    ("first", "cases", "step"),
    [
        (
            "1",
            r"U[k, i] - 0.5 (U[k, i] - U[k, i-1]) & i > 1 \\ U[1, 1] & i = 1",
            upwind,
        ),
        (
            "1",
            r"0 & \text{if } i = 1 \text{ or } i = m \\ "
            r"U[k, i] + 0.2 (U[k, i+1] - 2 U[k, i] + U[k, i-1]) & \text{otherwise}",
            diffused,
        ),
        (
            "n",
            r"0.3 U[k+1, i+1] + 0.7 U[k+1, i] & i < m \\ 0 & \text{otherwise}",
            tree,
        ),
    ],
)
def test_elements_made_of_neighbours_one_step_before_follow_along_that_axis(first, cases, step):
    whole = "k" if first == "n" else "k+1"
    text = (
        r"Let $f \in \mathbb{R}^{\text{grid}:m}$, $U \in \mathbb{R}^{\text{time}:n, \text{grid}:m}$. "
        rf"$$\begin{{aligned}} U[{first}, i] &= f_{{\text{{grid}}(i)}} \\ "
        rf"U[{whole}, i] &= \begin{{cases}} {cases} \end{{cases}} \end{{aligned}}$$"
    )
    text = re.sub(r"U\[(\S+), (\S+)\]", r"U_{\\text{time}(\1), \\text{grid}(\2)}", text)
    text = text.replace(r"U_{\text{time}(1), \text{grid}(1)} &", r"f_{\text{grid}(1)} &")
    document = nt.latex.read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    f = GENERATOR.normal(size=5)
    found = document.bind(n=4)["U"](f=nt.tensor(f, "grid")).numpy("time", "grid")
    np.testing.assert_allclose(found, moved([f], step, backwards=first == "n"))
