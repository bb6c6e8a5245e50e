"""Families, series by dots, recurrences, and updates: what they give."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex.python import python_of

GENERATOR = np.random.default_rng(5)


def draw(*axes):
    return nt.normal(*axes, generator=GENERATOR)


def same(found, expected, *axes):
    np.testing.assert_allclose(found.numpy(*axes), expected, rtol=1e-12, atol=1e-12)


FAMILY = nt.latex.read(
    r"""
$$\begin{aligned}
\gamma^l, \beta^l &\in \mathbb{R}^{\text{emb}} & l &= 1, \ldots, L \\
X &\in \mathbb{R}^{\text{emb}} \\
\text{LayerNorm}^l(X; \gamma^l, \beta^l) &=
    \frac{X - \underset{\text{emb}}{\text{mean}}(X)}{\sqrt{\underset{\text{emb}}{\text{var}}(X) + \epsilon}}
    \odot \gamma^l + \beta^l \\
f_k(X) &= X^k + k \\
Y &= \text{LayerNorm}^1(f_2(X)) + \text{LayerNorm}^2(X; \gamma^2, \beta^2) \\
Z &= \text{LayerNorm}^1(X) + \text{LayerNorm}^1(Y)
\end{aligned}$$
"""
)


def test_a_family_gives_its_members_by_index():
    family = FAMILY["LayerNorm"]
    assert repr(family) == "family LayerNorm^{l} over l"
    assert (
        repr(family[2])
        == "LayerNorm__2(X: R[emb]; gamma2: R[emb], beta2: R[emb], epsilon) -> R[emb]"
    )
    assert family[2] is FAMILY["LayerNorm^2"]
    assert family[2] is FAMILY[r"\text{LayerNorm}^2"]


def test_a_familys_index_counts_in_its_body():
    X = nt.tensor([1.0, 2.0], "emb")
    same(FAMILY["f"][3](X), [4, 11], "emb")
    same(FAMILY["f_2"](X), [3, 6], "emb")


def test_members_bring_their_own_letters_as_parameters():
    Y = FAMILY["Y"]
    assert repr(Y) == (
        "Y(X: R[emb]; gamma1: R[emb], gamma2: R[emb], beta1: R[emb], beta2: R[emb]) -> R[emb]"
    )
    X, g1, g2, b1, b2 = (draw("emb[4]") for _ in range(5))

    def norm(x, g, b):
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * g.numpy() + b.numpy()

    x = X.numpy()
    expected = norm(x**2 + 2, g1, b1) + norm(x, g2, b2)
    same(Y(X, gamma1=g1, gamma2=g2, beta1=b1, beta2=b2), expected, "emb")


def test_one_member_used_twice_has_one_set_of_parameters():
    assert "gamma1" in repr(FAMILY["Z"])
    assert [p.name for p in FAMILY["Z"].signature.parameters] == [
        "X",
        "gamma1",
        "gamma2",
        "beta1",
        "beta2",
    ]


def test_formulas_numbered_one_by_one_make_a_family_too():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}}$, $\phi_1(X) = \exp X$, $\phi_2(X) = \sum_{\text{a}} X$"
    )
    assert repr(document["phi"]) == "phi for 1, 2"
    assert document["phi"][2] is document["phi_2"]


DOTS = nt.latex.read(
    r"""
$$\begin{aligned}
X^0 &\in \mathbb{R}^{\text{emb}} \\
W^1 &\in \mathbb{R}^{\text{emb}, \text{hid}}, W^2 \in \mathbb{R}^{\text{hid}, \text{emb}} \\
\text{FFN}(X^0; W) &= W^2 \underset{\text{hid}}{\cdot} \tanh(W^1 \underset{\text{emb}}{\cdot} X^0) \\
X^1 &= \text{FFN}^1(X^0) + X^0 \\
&\vdots \\
X^L &= \text{FFN}^L(X^{L-1}) + X^{L-1} \\
O &= 2 X^L
\end{aligned}$$
"""
)


def layers(x, weights):
    for W1, W2 in weights:
        x = np.tanh(x @ W1.numpy("emb", "hid")) @ W2.numpy("hid", "emb") + x
    return x


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_series_by_dots_runs_with_a_chosen_length(length):
    O = DOTS.bind(L=length)["O"]
    bundles = [p.name for p in O.signature.parameters if p.bundle]
    assert bundles == [f"FFN__{i}" for i in range(1, length + 1)]
    weights = [(draw("emb[3] hid[4]"), draw("hid[4] emb[3]")) for _ in bundles]
    x = draw("emb[3]")
    given = {n: {"W1": a, "W2": b} for n, (a, b) in zip(bundles, weights, strict=True)}
    same(O(x, **given), 2 * layers(x.numpy(), weights), "emb")


def test_members_of_a_series_are_asked_for_by_their_number_or_by_the_length():
    document = DOTS.bind(L=3)
    assert repr(document["X^2"]) == "X2(X0: R[emb]; FFN__1, FFN__2) -> R[emb]"
    assert repr(document["X^L"]) == "X3(X0: R[emb]; FFN__1, FFN__2, FFN__3) -> R[emb]" or (
        document["X^L"].name == "X__L"
    )
    assert document["X"].module("emb[3] hid[4]") is not None


def test_a_long_series_runs():
    O = DOTS.bind(L=60)["O"]
    module = O.module("emb[3] hid[4]")
    assert len(list(module.parameters())) == 120
    assert module(nt.ones("emb[3]", dtype="float32").to("torch")).shape == "emb[3]"


def test_a_first_member_written_otherwise_leaves_the_step_to_the_last():
    document = nt.latex.read(
        r"""
$$\begin{aligned}
x &\in \mathbb{R}^{\text{a}} \\
f(x) &= \sum_{\text{a}} x + 2x \\
y^1 &= f(x) \\
&\vdots \\
y^n &= f(y^{n-1})
\end{aligned}$$
"""
    )
    x = draw("a[2]")

    def f(v):
        return v.sum() + 2 * v

    same(document.bind(n=3)["y^n"](x), f(f(f(x.numpy()))), "a")
    same(document.bind(n=1)["y^n"](x), f(x.numpy()), "a")


STATES = r"""
$$\begin{aligned}
x^{(t)} &\in \mathbb{R}^{\text{in}} & t &= 1, \ldots, T \\
h^{(0)} &\in \mathbb{R}^{\text{hid}} \\
W &\in \mathbb{R}^{\text{hid}', \text{hid}}, U \in \mathbb{R}^{\text{in}, \text{hid}} \\
h^{(t)} &= \tanh(W \underset{\text{hid}'}{\cdot} [h^{(t-1)}]_{\text{hid} \rightarrow \text{hid}'}
    + U \underset{\text{in}}{\cdot} x^{(t)}) \\
y &= \sum_{\text{hid}} h^{(T)}
\end{aligned}$$
"""


def states(x, h, W, U):
    found = []
    for row in x:
        h = np.tanh(h @ W + row @ U)
        found.append(h)
    return np.stack(found)


def given_states(length):
    x, h, W, U = (
        draw(f"t[{length}] in[2]"),
        draw("hid[3]"),
        draw("hid'[3] hid[3]"),
        draw("in[2] hid[3]"),
    )
    expected = states(x.numpy("t", "in"), h.numpy(), W.numpy("hid'", "hid"), U.numpy("in", "hid"))
    return {"x": x, "h0": h, "W": W, "U": U}, expected


@pytest.mark.parametrize("length", [1, 4, 30])
def test_a_recurrence_runs_along_the_axis_of_its_index(length):
    document = nt.latex.read(STATES)
    given, expected = given_states(length)
    same(document["h"](**given), expected, "t", "hid")
    same(document["y"](**given), expected[-1].sum())
    assert document["h"](**given).shape == f"t[{length}] hid[3]"


def test_a_recurrence_with_a_chosen_length_has_its_shape_without_data():
    document = nt.latex.read(STATES).bind(T=6)
    assert repr(document["h"]) == (
        "h(x: R[t[6], in], h0: R[hid], W: R[hid', hid], U: R[in, hid]) -> R[t, hid]"
    )
    assert document["h"].shape() == "t[6] hid"
    with pytest.raises(nt.AxisSizeError, match="axis t is 4 in x and 6 in the declaration"):
        document["h"](**given_states(4)[0])


def test_a_recurrence_is_one_loop_for_every_length():
    h = nt.latex.read(STATES)["h"]
    assert repr(h) == "h(x: R[t, in], h0: R[hid], W: R[hid', hid], U: R[in, hid]) -> R[t, hid]"
    assert [node.name for node in h.written().results] == ["scan"]
    step = "lambda h, x: nt.tanh(W @ hid_ @ h[hid >> hid_] + U @ in_axis @ x)"
    assert f"return nt.scan[t]({step}, h0, x)" in python_of([h])
    again = nt.latex.read(h.latex())["h"]
    assert r"H_{\name{t}(t)} &= \tanh(W \ndot{\name{hid}'} [H_{\name{t}(t - 1)}]" in h.latex()
    assert python_of([again]) == python_of([h])


SUMS = r"$x^t \in \mathbb{R}^{\text{in}}$, $t = 1, \ldots, T$, $h^0 \in \mathbb{R}^{\text{in}}$, $$h^t = "


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        ("h^{t-1} + x^t + x^1", lambda h, x, t: h + x[t] + x[0]),
        ("h^{t-1} + x^t + x^2", lambda h, x, t: h + x[t] + x[1]),
        ("h^{t-1} + t x^t", lambda h, x, t: h + (t + 1) * x[t]),
        ("t h^{t-1} + x^t", lambda h, x, t: (t + 1) * h + x[t]),
        ("h^{t-1} + [t > 4] x^t", lambda h, x, t: h + (t >= 4) * x[t]),
        ("h^{t-1} + \\min(t, 4) x^t", lambda h, x, t: h + min(t + 1, 4) * x[t]),
        ("h^{t-1} + z, \\quad z = x^t [t < 4]", lambda h, x, t: h + (t < 3) * x[t]),
        ("\\frac{h^{t-1}}{1 - 2^{-t}} + x^t", lambda h, x, t: h / (1 - 2.0 ** -(t + 1)) + x[t]),
    ],
)
def test_a_series_is_a_loop_though_its_rule_computes_with_its_number(rule, step):
    h = nt.latex.read(f"{SUMS}{rule}$$")["h"]
    assert h.written().results[0].name == "scan"
    for length in (2, 5):
        x, state = draw(f"t[{length}] in[2]"), draw("in[2]")
        found, expected = state.numpy(), []
        for t in range(x.size("t")):
            found = step(found, x.numpy("t", "in"), t)
            expected.append(found)
        same(h(x=x, h0=state), np.stack(expected), "t", "in")


def test_a_member_with_a_definition_of_its_own_breaks_the_loop():
    document = nt.latex.read(
        r"$u \in \mathbb{R}^{\text{in}}$, " + SUMS + r"h^{t-1} + x^t, \quad h^4 = u$$"
    )
    x, state, u = draw("t[5] in[2]"), draw("in[2]"), draw("in[2]")
    found = document["h"](x=x, h0=state, u=u).numpy("t", "in")
    np.testing.assert_allclose(found[3:], [u.numpy(), u.numpy() + x.numpy("t", "in")[4]])


def test_a_letter_for_two_things_that_one_formula_takes_is_refused():
    document = nt.latex.read(
        r"$$x \in \mathbb{R}^{\text{a}}, \quad f(y; x) = y + x + g(y)$$"
        "\n\n## Elsewhere\n\n"
        r"$$x \in \mathbb{R}^{\text{b}}, \quad g(y) = y \underset{\text{b}}{\cdot} x$$"
    )
    with pytest.raises(nt.NamedTensorError, match="x stands for two things that f takes"):
        document["f"]


def test_a_recurrence_that_stops_before_the_end_of_its_axis_is_no_loop():
    document = nt.latex.read(
        r"$x \in \mathbb{R}^{\text{seq}:n}$, $h^0 \in \mathbb{R}$, $h_{\text{seq}:0} = h^0$,"
        r" $$h_{\text{seq}:t} = 2 h_{\text{seq}:t-1} + x_{\text{seq}:t} \quad t = 1, \ldots, n-1$$"
    )
    x = nt.tensor([1.0, 2.0, 3.0, 4.0, 5.0], "seq")
    assert document["h"](x=x, h0=1.0).shape == "seq[4]"


def test_a_recurrence_lifts_over_other_axes():
    document = nt.latex.read(STATES)
    given, _ = given_states(3)
    given["x"] = draw("batch[2] t[3] in[2]")
    found = document["h"](**given)
    for i in range(2):
        alone = {**given, "x": given["x"][nt.axes("batch")(i)]}
        same(found[nt.axes("batch")(i)], document["h"](**alone).numpy("t", "hid"), "t", "hid")


def test_a_recurrence_has_gradients_in_torch():
    import torch

    document = nt.latex.read(STATES)
    given, _ = given_states(3)
    given = {
        n: nt.tensor(torch.tensor(v.numpy(*v.axes), requires_grad=True), *v.axes)
        for n, v in given.items()
    }
    document["y"](**given).data.backward()
    for value in given.values():
        assert value.data.grad.abs().max() > 0


def test_a_recurrence_by_elements_runs_along_its_axis():
    document = nt.latex.read(
        r"""
$$\begin{aligned}
x &\in \mathbb{R}^{\text{seq}:n, \text{in}} \\
W &\in \mathbb{R}^{\text{hid}', \text{hid}}, U \in \mathbb{R}^{\text{in}, \text{hid}} \\
h_{\text{seq}:t} &= \tanh(
    W \underset{\text{hid}'}{\cdot} [h_{\text{seq}:t-1}]_{\text{hid} \rightarrow \text{hid}'}
    + U \underset{\text{in}}{\cdot} x_{\text{seq}:t}) \\
h_{\text{seq}:0} &= h^0 \\
h^0 &\in \mathbb{R}^{\text{hid}} \\
y &= \sum_{\text{hid}} h_{\text{seq}:n}
\end{aligned}$$
"""
    )
    given, expected = given_states(4)
    given["x"] = given["x"]["t -> seq"]
    assert document.names == ("h", "y")
    same(document["h"](**given), expected, "seq", "hid")
    same(document["y"](**given), expected[-1].sum())


def test_a_recurrence_by_elements_may_start_from_a_number():
    document = nt.latex.read(
        r"""
$$\begin{aligned}
x &\in \mathbb{R}^{\text{seq}:n, \text{in}} \\
W &\in \mathbb{R}^{\text{hid}', \text{hid}}, U \in \mathbb{R}^{\text{in}, \text{hid}} \\
h_{\text{seq}:0} &= 0 \\
h_{\text{seq}:t} &= \tanh(
    W \underset{\text{hid}'}{\cdot} [h_{\text{seq}:t-1}]_{\text{hid} \rightarrow \text{hid}'}
    + U \underset{\text{in}}{\cdot} x_{\text{seq}:t})
\end{aligned}$$
"""
    )
    given, _ = given_states(4)
    x, W, U = given["x"]["t -> seq"], given["W"], given["U"]
    expected = states(
        x.numpy("seq", "in"), np.zeros(3), W.numpy("hid'", "hid"), U.numpy("in", "hid")
    )
    same(document["h"](x=x, W=W, U=U), expected, "seq", "hid")


GATES = r"""
$$\begin{aligned}
x^t &\in \mathbb{R}^{\text{in}} & t &= 1, \ldots, T \\
W, V &\in \mathbb{R}^{\text{in}, \text{hid}}, U \in \mathbb{R}^{\text{hid}', \text{hid}} \\
h^0, c^0 &\in \mathbb{R}^{\text{hid}} \\
g^t &= \sigma(W \underset{\text{in}}{\cdot} x^t
    + U \underset{\text{hid}'}{\cdot} [h^{t-1}]_{\text{hid} \rightarrow \text{hid}'}) \\
c^t &= g^t \odot c^{t-1} + (1 - g^t) \odot u, \quad u = V \underset{\text{in}}{\cdot} x^t \\
h^t &= \tanh(c^t)
\end{aligned}$$
"""


def test_states_that_need_each_other_run_together():
    document = nt.latex.read(GATES)
    x, W, V = draw("t[5] in[2]"), draw("in[2] hid[3]"), draw("in[2] hid[3]")
    U, h0, c0 = draw("hid'[3] hid[3]"), draw("hid[3]"), draw("hid[3]")
    h, c, expected = h0.numpy(), c0.numpy(), []
    for row in x.numpy("t", "in"):
        g = 1 / (1 + np.exp(-(row @ W.numpy("in", "hid") + h @ U.numpy("hid'", "hid"))))
        c = g * c + (1 - g) * (row @ V.numpy("in", "hid"))
        h = np.tanh(c)
        expected.append(h)
    same(document["h"](x=x, W=W, V=V, U=U, h0=h0, c0=c0), np.stack(expected), "t", "hid")


def test_a_recurrence_may_look_back_twice():
    document = nt.latex.read(
        r"$a^0 \in \mathbb{R}^{\text{x}}$, $a^1 \in \mathbb{R}^{\text{x}}$, $n = 2, \ldots, N$,"
        r" $a^n = a^{n-1} + 2 a^{n-2}$"
    )
    given = {"a0": nt.tensor([1.0, 0.0], "x"), "a1": nt.tensor([0.0, 1.0], "x")}
    same(document["a^5"](**given), [10, 11], "x")
    same(document.bind(N=5)["a^N"](**given), [10, 11], "x")


def test_updates_follow_one_another():
    document = nt.latex.read(
        r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
X &\leftarrow X + 1 \\
X_{\text{seq}:1} &\leftarrow 0 \\
Y &= 2X
\end{aligned}$$
"""
    )
    same(document["Y"](nt.ones("seq[2] emb[2]")), [[0, 0], [4, 4]], "seq", "emb")
    same(document["X"](nt.ones("seq[2] emb[2]")), [[0, 0], [2, 2]], "seq", "emb")


def test_a_sum_over_a_family_adds_its_members():
    document = nt.latex.read(
        r"$s \in \mathbb{R}^{\text{a}}$, $f_k(s) = s^k$, $g(s) = \sum_{k=1}^{3} f_k(s)$"
    )
    same(document["g"](nt.tensor([1.0, 2.0], "a")), [3, 14], "a")


def test_two_index_letters_make_a_grid():
    document = nt.latex.read(
        r"""
$$\begin{aligned}
h^{0}_{t} &\in \mathbb{R}^{\text{a}} & l &= 1, \ldots, L & t &= 1, \ldots, T\\
f_{i,j}(X) &= i X + j \\
X &\in \mathbb{R}^{\text{a}}
\end{aligned}$$
"""
    )
    same(document["f"][2, 3](nt.ones("a[1]")), [5], "a")


WHOLE = r"""
$X \in \mathbb{R}^{\text{seq}, \text{emb}}$ and $W^l \in \mathbb{R}^{\text{emb}, \text{emb}'}$
for $l = 1, \ldots, L$.

$$\text{encode}(X; W) = X^L$$

where $X^0 = X$ and

$$X^l = \tanh(W^l \underset{\text{emb}}{\cdot} X^{l-1})_{\text{emb}' \rightarrow \text{emb}},
    \qquad l = 1, \ldots, L .$$
"""


def test_a_function_may_be_a_whole_stack_of_layers():
    weights = [draw("emb[3] emb'[3]") for _ in range(2)]
    X = draw("seq[2] emb[3]")
    x = X.numpy("seq", "emb")
    for W in weights:
        x = np.tanh(x @ W.numpy("emb", "emb'"))
    encode = nt.latex.read(WHOLE).bind(L=2)["encode"]
    assert repr(encode) == (
        "encode(X: R[seq, emb]; W1: R[emb, emb'], W2: R[emb, emb']) -> R[seq, emb]"
    )
    same(encode(X, W1=weights[0], W2=weights[1]), x, "seq", "emb")


def test_layers_whose_number_is_open_are_counted_along_an_axis_of_the_weights():
    weights = [draw("emb[3] emb'[3]") for _ in range(2)]
    X, document = draw("seq[2] emb[3]"), nt.latex.read(WHOLE)
    assert repr(document["encode"]) == "encode(X: R[seq, emb]; W: R[l, emb, emb'])"
    W = nt.stack["l"](*weights)
    expected = document.bind(L=2)["encode"](X, W1=weights[0], W2=weights[1])
    same(document["encode"](X, W=W), expected.numpy("seq", "emb"), "seq", "emb")


def test_a_member_that_is_used_does_not_ask_for_more():
    document = nt.latex.read(
        r"""$$\begin{aligned}
x, g^t, x^0 &\in \mathbb{R}^{\name{hid}} \\
x^t &= x^{t-1} - g^t \\
y &= x^3
\end{aligned}$$"""
    )
    assert document.check() == []
    assert str(document["x"]).startswith("x(g: R[t, hid], x0: R[hid])")
    g = nt.tensor(np.ones((4, 2)), "t hid")
    found = document["x"](g=g, x0=nt.tensor(np.zeros(2), "hid"))
    np.testing.assert_array_equal(found.numpy("t", "hid")[:, 0], [-1, -2, -3, -4])


@pytest.mark.parametrize(
    ("declared", "axes", "count"),
    [
        (r"x^1, \ldots, x^T", {"x": "t hid"}, 3),
        (r"x^1, \dots, x^T", {"x": "t hid"}, 4),
        (r"x^1, x^2, x^3", {"x1": "hid", "x2": "hid", "x3": "hid"}, 3),
    ],
)
def test_members_that_are_declared_one_by_one_or_by_dots_are_those_of_a_rule(declared, axes, count):
    document = nt.latex.read(
        rf"""$$\begin{{aligned}}
{declared} &\in \mathbb{{R}}^{{\name{{hid}}}} \\
h^0 &\in \mathbb{{R}}^{{\name{{hid}}}} \\
h^t &= \tanh(h^{{t-1}} + x^t) \\
y &= h^3
\end{{aligned}}$$"""
    )
    assert document.check() == []
    x, h = np.arange(2.0 * count).reshape(count, 2), np.array([0.5, -1.0])
    rows = {n: nt.tensor(x if "t" in a else x[int(n[1:]) - 1], a) for n, a in axes.items()}
    found = document["y"](h0=nt.tensor(h, "hid"), **rows)
    for row in x[:3]:
        h = np.tanh(h + row)
    np.testing.assert_allclose(found.numpy("hid"), h)


def test_a_series_starts_with_a_number_that_a_size_gives():
    document = nt.latex.read(
        r"""$$\begin{aligned}
M &\in \mathbb{R}^{\name{page} \times \name{page'}} \\
r^0 &= \frac{1}{|\name{page}|} \\
r^k &= [M \ndot{page} r^{k-1}]_{\name{page'} \rightarrow \name{page}} \\
\text{rank}(M) &= r^3
\end{aligned}$$"""
    )
    assert document.check() == []
    M = np.arange(9.0).reshape(3, 3) / 10
    found = document["rank"](nt.tensor(M, ["page", "page'"]))
    np.testing.assert_allclose(found.numpy("page"), np.full(3, 1 / 3) @ M @ M @ M)


def test_a_letter_with_the_number_of_steps_above_is_a_member_and_no_transpose():
    document = nt.latex.read(
        r"""Let $a, b \in \mathbb{R}^{\text{x}}$. The solution has the form $P = v \odot a$.
Start from $v^{0} = b$ and for $t = 1, \dots, T$: $$v^{t} = v^{t-1} + a$$
After $T$ steps $P = v^{T} \odot a$, and the cost is $c = \sum_{\text{x}} P$."""
    )
    a, b = np.arange(3.0), np.ones(3)
    given = {"a": nt.tensor(a, "x"), "b": nt.tensor(b, "x")}
    np.testing.assert_allclose(document.bind(T=4)["c"](**given).numpy(()), ((b + 4 * a) * a).sum())


def test_a_loss_in_prose_defines_the_letter_that_a_display_puts_a_mark_below():
    document = nt.latex.read(
        r"""Let $x \in \mathbb{R}^{\text{seq}}$ and $\eta = 0.5$. The loss is $\ell = \sum_{\text{seq}} x^2$.
$$\ell_\eta = \ell - \eta \sum_{\text{seq}} x$$"""
    )
    x = np.arange(3.0)
    found = document[r"\ell_{\eta}"](x=nt.tensor(x, "seq"))
    np.testing.assert_allclose(found.numpy(()), (x**2).sum() - 0.5 * x.sum())


STAR = r"""Let $f^0, g \in \mathbb{R}^{\text{row}}$. Repeat for $k = 1, \dots, K$
$$ f^k = f^{k-1} - 0.5 g $$
With the true $f^{%s} \in \mathbb{R}^{\text{row}}$, $$ d = \sum_{\text{row}} (f^0 - f^{%s})^2 $$"""


@pytest.mark.parametrize("sign", ["*", r"\star", r"\mathrm{true}"])
def test_a_star_is_no_member_of_a_series(sign):
    formula = nt.latex.read(STAR.replace("%s", sign))["d"]
    own = "f__true" if "true" in sign else "f__star"
    assert str(formula) == f"d(f0: R[row], {own}: R[row]) -> R"


EULER = r"""Let $e^0, g \in \mathbb{R}^{\text{box}}$.
$$e^k = e^{k-1} + g, \qquad k = 1, \ldots, K$$
and $\sigma(x) = 1 / (1 + e^{-x})$, $$s = \sigma(g) + e^{-g} + e^{2 g}$$"""


def test_a_series_e_stands_beside_the_exponential():
    document = nt.latex.read(EULER)
    g, start = np.array([0.1, 0.2]), np.array([1.0, 2.0])
    members = document.bind(K=3)["e^K"]
    same(members(e0=nt.tensor(start, "box"), g=nt.tensor(g, "box")), start + 3 * g, "box")
    wanted = 1 / (1 + np.exp(-g)) + np.exp(-g) + np.exp(2 * g)
    same(document["s"](g=nt.tensor(g, "box")), wanted, "box")
    assert not [f for f in document.check() if "e^{k-1}" in f.message]


ENDS = r"""
# Gain

Let $B, W \in \mathbb{R}^{\text{box}}$. The gain is $$K = B \underset{\text{box}}{\cdot} W$$ and $$y = K B$$

# Power

Let $\Gamma \in \mathbb{R}^{\text{box}, \text{box}'}$ and $h^0 \in \mathbb{R}^{\text{box}}$.
$$h^k = [\Gamma \underset{\text{box}}{\cdot} h^{k-1}]_{\text{box}' \to \text{box}}, \qquad k = 1, \ldots, K$$
"""


def test_the_end_of_a_series_is_not_the_tensor_of_another_section():
    document = nt.latex.read(ENDS).bind(K=2)
    B, W, start = draw("box[3]"), draw("box[3]"), draw("box[3]")
    G = draw("box[3] box'[3]")
    same(document["y"](B=B, W=W), (B.numpy() @ W.numpy()) * B.numpy(), "box")
    M = G.numpy("box'", "box")
    same(document["h^K"](Gamma=G, h0=start), M @ M @ start.numpy(), "box")


STILL = r"""
# Flow

Let $f, g \in \mathbb{R}^{\text{row}, \text{dir}:2}$.

# Iterations

$$\text{avg}(f)_{\text{row}(i)} = \tfrac12 \Bigl( & f_{\text{row}(i)} \\
& + f_{\text{row}(\max(i-1, 1))} \Bigr)$$
Start with no motion, $f^0 = 0$, and repeat for $k = 1, \dots, K$
$$f^k = \text{avg}(f^{k-1}) - g \odot \left( g \underset{\text{dir}}{\cdot} \text{avg}(f^{k-1}) + 1 \right)$$
"""


def test_a_series_that_starts_with_zero_has_the_axes_that_another_section_declares():
    g = draw("row[3] dir[2]")
    G, f = g.numpy("row", "dir"), np.zeros((3, 2))
    for _ in range(2):
        m = (f + f[[0, 0, 1]]) / 2
        f = m - G * ((G * m).sum(1) + 1)[:, None]
    same(nt.latex.read(STILL).bind(K=2)["f^K"](g=g), f, "row", "dir")


def test_a_sum_over_all_earlier_members_begins_with_the_given_one():
    text = r"Let $x^0 \in \mathbb{R}^{\text{c}}$. "
    text += r"$$x^l = \tanh\left(\sum_{m=0}^{l-1} x^m \right), \quad l = 1, \ldots, L$$"
    start = draw("c[2]")
    members = [start.numpy()]
    for _ in range(3):
        members.append(np.tanh(sum(members)))
    same(nt.latex.read(text).bind(L=3)["x^L"](x0=start), members[-1], "c")


def test_the_end_of_a_sum_that_the_text_speaks_of_may_have_a_subscript():
    text = r"Let $Y \in \mathbb{R}^{\text{time}}$. With $T_0$ periods before treatment, "
    document = nt.latex.read(text + r"$$h = \frac{1}{T_0} \sum_{t=1}^{T_0} Y_{\text{time}(t)}$$")
    assert document.check() == []
    Y = draw("time[5]")
    same(document.bind(T_0=3)["h"](Y=Y), Y.numpy()[:3].mean())
