r"""Forms of method sections: parameters W_1 of f(X; W), recurrences by cases, T of T + 1 elements."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(7)


def loud(text):
    return [f for f in read(text).check() if f.severity != "note"]


# ------------------------------------------------------------------------------- own parameters

LAYER = r"""With $X \in \mathbb{R}^{\text{in}}$ and $W \in \mathbb{R}^{\text{in}, \text{in}'}$ let
$$f(X; W) = [\tanh(W \underset{\text{in}}{\cdot} X)]_{\text{in}' \to \text{in}}$$
"""
X, W1, W2 = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
TWICE = np.tanh(np.tanh(X @ W1) @ W2)


@pytest.mark.parametrize(
    ("marks", "names"),
    [("_1 _2", "W_1 W_2"), ("^1 ^2", "W1 W2"), ("_a _b", "W_a W_b"), ("' ''", "W_ W__")],
)
def test_a_scripted_parameter_of_a_call_is_one_of_its_own(marks, names):
    first, second = marks.split()
    text = LAYER + f"$$Y = f(f(X; W{first}); W{second})$$"
    given = dict(zip(names.split(), (tensor(W1, "in in'"), tensor(W2, "in in'")), strict=True))
    same(called(text, "Y", {"X": tensor(X, "in"), **given}), TWICE, "in")


def test_each_layer_has_the_parameters_that_its_number_names():
    text = LAYER + r"$$X^l = f(X^{l-1}; W^l), \qquad l = 1, \ldots, 2$$"
    given = {"X0": tensor(X, "in"), "W": tensor([W1, W2], "l in in'")}
    given |= {"W1": tensor(W1, "in in'"), "W2": tensor(W2, "in in'")}
    same(called(text, "X^2", {"X": tensor(X, "in"), **given}), TWICE, "in")


def test_sizes_that_do_not_fit_in_a_call_are_reported_there():
    text = r"""Let $P \in \mathbb{R}^{\text{a}:2h}$ and $Q \in \mathbb{R}^{\text{a}:h}$.
$$f(X, Y) = \tanh(X + Y)$$

$$Z = f(P, Q)$$"""
    assert [(f.code, f.line) for f in loud(text)] == [("axis-size", 4)]


# ------------------------------------------------------------------------------- sizes of elements

SIGNED = r"""$$d \colon \mathbb{R}^{\text{a}:%s} \to \mathbb{R}^{\text{a}:%s}$$
$$d(X)_{\text{a}(i)} = %s$$"""


@pytest.mark.parametrize(
    ("sizes", "body"),
    [
        (("2h", "h"), r"X_{\text{a}(2i - 1)}"),
        (("2h", "h"), r"\max_{b \in \{0, 1\}} X_{\text{a}(2i - b)}"),
        (("h", "2h"), r"X_{\text{a}(\lceil i/2 \rceil)}"),
        (("n", "n-2"), r"X_{\text{a}(i)} + X_{\text{a}(i+2)}"),
    ],
)
def test_the_elements_of_a_function_are_those_of_its_signature(sizes, body):
    assert not loud(SIGNED % (*sizes, body))


@pytest.mark.parametrize(
    ("sizes", "body"),
    [
        (("2h", "h"), r"X_{\text{a}(2i + 1)}"),
        (("h", "2h"), r"X_{\text{a}(i)}"),
        (("n", "n-1"), r"X_{\text{a}(i+2)}"),
    ],
)
def test_elements_beyond_those_of_the_argument_are_found(sizes, body):
    assert [f.code for f in loud(SIGNED % (*sizes, body))] == ["index-range"]


STATES = r"Let $V \in \mathbb{R}^{\text{state}:T+1}$ and $r \in \mathbb{R}^{\text{step}:T}$."
V, r = rng.normal(size=5), rng.normal(size=4)
RUN = {"V": tensor(V, "state"), "r": tensor(r, "step")}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"V_{\text{state}(t)} + r_{\text{step}(t)}", V[:-1] + r),
        (r"r_{\text{step}(t)} + V_{\text{state}(t+1)} - V_{\text{state}(t)}", r + np.diff(V)),
        (
            r"\begin{cases} r_{\text{step}(t+1)} & t < T \\ V_{\text{state}(T+1)} & t = T \end{cases}",
            np.append(r[1:], V[-1]),
        ),
    ],
)
def test_steps_take_the_first_elements_of_a_longer_axis(body, wanted):
    same(called(rf"{STATES} $$v_{{\text{{step}}(t)}} = {body}$$", "v", RUN), wanted, "step")


@pytest.mark.parametrize("index", ["t+2", "t-1"])
def test_steps_beyond_the_longer_axis_are_found(index):
    text = (
        STATES
        + rf"$$v_{{\text{{step}}(t)}} = r_{{\text{{step}}(t)}} + V_{{\text{{state}}({index})}}$$"
    )
    assert [f.code for f in loud(text)] == ["index-range"]


# ------------------------------------------------------------------------------- recurrences by cases

START, STEP = r"r_{\text{step}(t)}", r"r_{\text{step}(t)} + e_{\text{step}(t%s1)} / 2"


def halved(numbers):
    found, last = [], 0.0
    for number in numbers:
        last = number + last / 2
        found.append(last)
    return np.array(found)


@pytest.mark.parametrize(
    ("start", "others", "way"),
    [
        ("t = 1", "t > 1", "-"),
        ("t = 1", r"t \ge 2", "-"),
        ("t = 1", r"\text{otherwise}", "-"),
        ("t = 1", r"t = 2, \ldots, T", "-"),
        ("t = T", "t < T", "+"),
        (r"t = |\text{step}|", r"\text{else}", "+"),
    ],
)
def test_a_recurrence_may_be_given_by_cases(start, others, way):
    rows = [rf"{START} & {start}", rf"{STEP % way} & {others}"]
    wanted = halved(r) if way == "-" else halved(r[::-1])[::-1]
    for said in (rows, rows[::-1]):
        body = rf"\begin{{cases}} {said[0]} \\ {said[1]} \end{{cases}}"
        text = rf"Let $r \in \mathbb{{R}}^{{\text{{step}}:T}}$. $$e_{{\text{{step}}(t)}} = {body}$$"
        same(called(text, "e", RUN), wanted, "step")


CHAIN = r"""Let $E \in \mathbb{R}^{\text{time}:T, \text{state}:S}$,
$A \in \mathbb{R}^{\text{state}', \text{state}}$
and $\alpha, \beta \in \mathbb{R}^{\text{time}:T, \text{state}:S}$.
"""
E, A = rng.random((4, 3)), rng.random((3, 3))
PATHS = {"E": tensor(E, "time state"), "A": tensor(A, "state' state")}


@pytest.mark.parametrize(
    "start",
    [
        r"[s \le 2] E_{\text{time}(1), \text{state}(s)}",
        r"\mathbb{1}[s \le 2] E_{\text{time}(1), \text{state}(s)}",
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_a_start_by_elements_of_two_axes_begins_a_recurrence_along_one(start, apart):
    first = rf"\alpha_{{\text{{time}}(1), \text{{state}}(s)}} &= {start}"
    rule = (
        r"\alpha_{\text{time}(t)} &= E_{\text{time}(t)} \odot (A \underset{\text{state}'}{\cdot} "
        r"[\alpha_{\text{time}(t-1)}]_{\text{state} \to \text{state}'})"
    )
    between = r"\end{aligned}$$ and $$\begin{aligned}" if apart else r"\\"
    text = rf"{CHAIN}$$\begin{{aligned}} {first} {between} {rule} \end{{aligned}}$$"
    found = [E[0] * (np.arange(3) < 2)]
    for t in (1, 2, 3):
        found.append(E[t] * (found[-1] @ A))
    same(called(text, r"\alpha", PATHS), np.stack(found), "time", "state")


@pytest.mark.parametrize(
    "start", [r"[s \ge 2]", r"\begin{cases} 1 & s \ge 2 \\ 0 & s = 1 \end{cases}"]
)
def test_a_recurrence_may_go_down_from_whole_numbers(start):
    text = (
        CHAIN
        + rf"""$$\begin{{aligned}}
\beta_{{\text{{time}}(T), \text{{state}}(s)}} &= {start} \\
\beta_{{\text{{time}}(t)}} &= [A \underset{{\text{{state}}}}{{\cdot}} (E_{{\text{{time}}(t+1)}} \odot
  \beta_{{\text{{time}}(t+1)}})]_{{\text{{state}}' \to \text{{state}}}}, \qquad t = T-1, \dots, 1
\end{{aligned}}$$"""
    )
    found = [np.array([0.0, 1.0, 1.0])]
    for t in (3, 2, 1):
        found.append(A @ (E[t] * found[-1]))
    same(called(text, r"\beta", PATHS), np.stack(found[::-1]), "time", "state")


# ------------------------------------------------------------------------------- conditions and indices


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (
            r"r = s - 2, \text{ $s$ is even, and } r \ne 2",
            lambda r, s: r == s - 2 and s % 2 == 0 and r != 2,
        ),
        (
            r"r = s - 2, s \text{ even, and } r \ne 2",
            lambda r, s: r == s - 2 and s % 2 == 0 and r != 2,
        ),
        (r"r = s, \text{ or } s = 6", lambda r, s: r == s or s == 6),
        (r"r = s, r = s - 1, \text{ or } s = 6", lambda r, s: r in (s, s - 1) or s == 6),
        (r"r < s, \text{ and } s < 4", lambda r, s: r < s < 4),
    ],
)
def test_conditions_may_be_listed_and_joined_by_the_last_comma(condition, holds):
    text = (
        rf"$$A_{{\text{{a}}(r), \text{{b}}(s)}} = \begin{{cases}} 1 & \text{{if }} {condition} \\ 0 & "
        r"\text{otherwise} \end{cases}, \qquad r = 1, \ldots, 6, \; s = 1, \ldots, 6$$"
    )
    wanted = [[float(holds(r, s)) for s in range(1, 7)] for r in range(1, 7)]
    same(called(text, "A", {}), wanted, "a", "b")


@pytest.mark.parametrize("declared", ["", r", $z \in [V]^{\text{state}:2N+1}$"])
@pytest.mark.parametrize(("blank", "symbol"), [("1", 0), ("V", 2)])
def test_indices_of_data_and_numbers_among_the_cases_count_alike(declared, blank, symbol):
    text = rf"""Let $y \in [V]^{{\text{{label}}:N}}$, $x \in \mathbb{{R}}^{{\text{{tok}}:V}}${declared}.
$$z_{{\text{{state}}(s)}} = \begin{{cases}} y_{{\text{{label}}(s/2)}}
  & s \text{{ even}} \\ {blank} & s \text{{ odd}}
\end{{cases}}, \qquad s = 1, \ldots, 2N+1$$
$$e_{{\text{{state}}(s)}} = x_{{\text{{tok}}(z_{{\text{{state}}(s)}})}}$$
$$c_{{\text{{tok}}(k)}} = \sum_{{s=1}}^{{2N+1}} [z_{{\text{{state}}(s)}} = k], \qquad k = 1, \ldots, V$$"""
    labels, x = np.array([1, 0]), np.array([0.5, 1.5, 2.5])
    z = np.array([symbol, 1, symbol, 0, symbol])
    given = {"y": tensor(labels, "label"), "x": tensor(x, "tok")}
    document = read(text).bind(V=3)
    same(document["e"](**given), x[z], "state")
    same(document["c"](y=given["y"]), np.bincount(z, minlength=3), "tok")


# ------------------------------------------------------------------------------- prose

WINDOW = r"""%s
$$y_{\text{time}(t)} = \sum_{j=1}^{3} k_{\text{tap}(j)} x_{\text{time}(t + j - 2)}$$
%s"""
SAID = r"Let $x \in \mathbb{R}^{\text{time}}$ and $k \in \mathbb{R}^{\text{tap}:3}$."


@pytest.mark.parametrize(
    "parts",
    [
        (SAID, r"where we take $x$ to be zero beyond its ends."),
        (SAID, r"Outside of the recording, $x$ is zero."),
        (SAID + r" We pad $x$ with zeros.", ""),
        (SAID + r" Let $x = 0$ outside of the recording.", ""),
        (
            r"Let $k \in \mathbb{R}^{\text{tap}:3}$ and $x \in \mathbb{R}^{\text{time}}$, padded with $0$.",
            "",
        ),
        (SAID, "with zero padding at both ends."),
        (SAID, "Indices outside of the record count as zero."),
        (SAID, r"where $x_{\text{time}(i)}$ is taken to be zero for $i < 1$."),
        (SAID, "Terms whose index lies beyond the record are left out."),
        (SAID + " Values before the first and after the last are zero.", ""),
    ],
)
def test_prose_may_say_that_a_tensor_is_zero_outside_of_its_axis(parts):
    x, k = rng.normal(size=5), rng.normal(size=3)
    given = {"x": tensor(x, "time"), "k": tensor(k, "tap")}
    same(called(WINDOW % parts, "y", given), np.convolve(x, k[::-1], "same"), "time")


@pytest.mark.parametrize(
    "said",
    [
        "",
        r"Outside of the recording, $k$ is zero.",
        "Zeros of $x$ are kept.",
        "There is no zero padding.",
    ],
)
def test_a_window_that_leaves_its_axis_is_found(said):
    assert [f.code for f in loud(WINDOW % (SAID, said))] == ["index-range"]


SOFT = r"""Let $X \in \mathbb{R}^{\text{a}}$ and $\tau > 0$.
$$p = \underset{\text{a}}{\text{softmax}} (X / \tau)$$
%s
$$p = \underset{\text{a}}{\text{softmax}} X$$"""


@pytest.mark.parametrize(
    "said", [r"With $\tau = 1$ this is", "In the special case of one temperature,"]
)
def test_a_display_for_a_value_that_is_tried_does_not_define_again(said):
    assert "tau" in str(read(SOFT % said)["p"].signature)


def test_a_display_for_another_time_defines_again():
    assert "tau" not in str(read(SOFT % "At test time, we use")["p"].signature)


def test_a_remark_in_a_display_is_held_to_the_axes():
    text = (SOFT % r"With $\tau = 1$ this is").replace(
        r"\text{a}}{\text{softmax}} X$", r"\text{b}}{\text{softmax}} X$"
    )
    assert [f.code for f in loud(text)] == ["axis-missing"]


def test_what_prose_says_that_data_satisfy_does_not_define_them():
    text = r"""We observe $A, Z \in \mathbb{R}^{\text{unit}, \text{arm}}$, and
$Y \in \mathbb{R}^{\text{unit}}$: consistency says that $Y = \sum_{\text{arm}} A \odot Z$.
$$m = \underset{\text{unit}}{\text{mean}} Y$$"""
    Y = rng.normal(size=4)
    same(called(text, "m", {"Y": tensor(Y, "unit")}), Y.mean())


def test_a_script_that_is_a_tensor_elsewhere_only_names():
    text = r"""Let $V, v \in \mathbb{R}^{\text{step}:T}$.
$$L_V = \sum_{t=1}^{T} (v_{\text{step}(t)} - V_{\text{step}(t)})^2, \qquad L = 2 L_V$$"""
    v, V = rng.normal(size=3), rng.normal(size=3)
    same(
        called(text, "L", {"v": tensor(v, "step"), "V": tensor(V, "step")}),
        2 * ((v - V) ** 2).sum(),
    )


def test_a_function_of_a_number_that_prose_bounds_is_kept():
    text = r"""Let $X \in \mathbb{R}^{\text{a}}$, and let $b \ge 2$ be the number of bits.
$$q(x) = \begin{cases} 2^b & x > 2^b \\ x & \text{otherwise} \end{cases}$$"""
    x = np.array([3.0, 5.0, -9.0])
    same(read(text)["q"](tensor(x, "a"), b=2), [3.0, 4.0, -9.0], "a")


# ------------------------------------------------------------------------------- gradients

FIT = r"""Let $X \in \mathbb{R}^{\text{n}, \text{in}}$,
$y \in \mathbb{R}^{\text{n}}$, $w \in \mathbb{R}^{\text{in}}$
and $\lambda \ge 0$.
$$\ell = \frac{1}{2} \sum_{\text{n}} (y - w \underset{\text{in}}{\cdot} X)^2
  + \frac{\lambda}{2} \sum_{\text{in}} w^2$$
$$\frac{\partial \ell}{\partial w}
  = -(y - w \underset{\text{in}}{\cdot} X) \underset{\text{%s}}{\cdot} X + \lambda w$$"""


def test_a_gradient_that_a_display_gives_is_a_formula():
    data, y, w = rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=2)
    given = {"X": tensor(data, "n in"), "y": tensor(y, "n"), "w": tensor(w, "in"), "lambda_": 0.3}
    found = called(FIT % "n", r"\frac{\partial \ell}{\partial w}", given)
    same(found, -(y - data @ w) @ data + 0.3 * w, "in")


def test_a_gradient_with_other_axes_is_found():
    assert loud(FIT % "in")


def test_a_gradient_by_what_nothing_gives_is_noted():
    text = (FIT % "n").replace(r"\partial w}", r"\partial u}")
    assert not loud(text)
    assert [f.code for f in read(text).check()] == ["undefined"]


# ------------------------------------------------------------------------------- small and end numbers

NOISE = r"""# A
The noise is $\epsilon \in \mathbb{R}^{\text{pix}}$, and $x \in \mathbb{R}^{\text{pix}}$.
$$z = x + 2 \epsilon$$
# B
$$v = %s$$
"""
x, noise = rng.normal(size=3), rng.normal(size=3)


def test_noise_of_another_section_is_no_small_number():
    given = {"x": tensor(x, "pix"), "epsilon": tensor(noise, "pix")}
    same(called(NOISE % r"3 \epsilon - x / 2", "v", given), 3 * noise - x / 2, "pix")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\frac{x}{\sqrt{\sum_{\text{pix}} x^2 + \epsilon}}", x / np.sqrt((x**2).sum() + 1e-5)),
        (r"x / (\sum_{\text{pix}} x + \epsilon)", x / (x.sum() + 1e-5)),
        (r"\log(x^2 + \epsilon)", np.log(x**2 + 1e-5)),
    ],
)
def test_beside_noise_of_another_section_a_small_number_keeps_from_zero(body, wanted):
    same(called(NOISE % body, "v", {"x": tensor(x, "pix"), "epsilon": 1e-5}), wanted, "pix")


@pytest.mark.parametrize("end", [r"\min", r"\text{min}"])
def test_the_least_and_the_greatest_that_nothing_gives_are_numbers(end):
    low, high = (rf"\beta_{{{e}}}" for e in (end, end.replace("min", "max")))
    text = rf"""The schedule $\beta \in \mathbb{{R}}^{{\text{{step}}:T}}$ is linear,
$$\beta_{{\text{{step}}(t)}} = {low} + \frac{{t - 1}}{{T - 1}} ({high} - {low})$$
and $y = \text{{clip}}(\beta, {low}, {high})$."""
    assert not loud(text)
    found = read(text).bind(T=4)[r"\beta"](beta_min=0.5, beta_max=2.0)
    same(found, [0.5, 1.0, 1.5, 2.0], "step")


def test_the_letter_below_a_function_is_a_number_that_its_body_uses():
    text = r"""Let $y, t \in \mathbb{R}^{\text{a}}$ and
$$H_\kappa(u) = \begin{cases} u^2 / 2 & |u| \le \kappa \\
\kappa |u| - \kappa^2 / 2 & \text{else} \end{cases}$$
$$L = \sum_{\text{a}} H_\kappa(y - t)$$"""
    assert not loud(text)
    found = read(text)["L"](y=tensor([3.0, 0.5], "a"), t=tensor([0.0, 0.0], "a"), kappa=2.0)
    same(found, 2 * (3 - 1) + 0.125)


def test_numbers_below_a_function_choose_its_members():
    text = r"""Let $y \in \mathbb{R}^{\text{a}}$ and
$$p_k(u) = u^k / k$$
$$L = \sum_{\text{a}} (p_2(y) + p_3(y))$$"""
    y = np.array([1.0, 2.0])
    same(called(text, "L", {"y": tensor(y, "a")}), (y**2 / 2 + y**3 / 3).sum())
