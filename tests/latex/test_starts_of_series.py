r"""The starts of series: declared, \theta_0 \in R^param, or defined in chains, m_0 = v_0 = 0."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.errors import NamedTensorError
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(1)
g, u = rng.normal(size=(4, 3)), rng.normal(size=3)
GIVEN = {"g": tensor(g, "step", "param")}
STARTS = ("u", "theta_0", "theta0", "theta__T_1", "theta__T_plus_1")
GIVEN |= dict.fromkeys(STARTS, tensor(u, "param"))
HEAD = r"Let $g \in \mathbb{R}^{\text{step}:T \times \text{param}}$"
SPACE = r"\in \mathbb{R}^{\text{param}}"
RULE = r"$$\theta_t = \theta_{t-1} - 0.1 g_{\text{step}(t)}$$"
ABOVE = r"$$\theta^t = \theta^{t-1} - 0.1 g_{\text{step}(t)}$$"
ELEMENTS = r"$$\theta_{\text{step}(t)} = \theta_{\text{step}(t-1)} - 0.1 g_{\text{step}(t)}$$"
BACK = r"$$\theta_t = \theta_{t+1} - 0.1 g_{\text{step}(t)}$$"


def descent() -> np.ndarray:
    return u - 0.1 * np.cumsum(g, axis=0)


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD} and $\theta_0 {SPACE}$. {RULE}",
        rf"{HEAD} and $\theta_0, u {SPACE}$. {RULE}",
        rf"{HEAD}. {RULE} with $\theta_0 {SPACE}$ given.",
        rf"{HEAD} and $\theta_0 {SPACE}$. For $t = 1, \ldots, T$, {RULE}",
        f"# A\n{HEAD} and $\\theta_0 {SPACE}$.\n## B\n{RULE}",
        rf"{HEAD} and $\theta^0 {SPACE}$. {ABOVE}",
        rf"{HEAD} and $\theta_0 {SPACE}$. {ELEMENTS}",
        rf"{HEAD} and $\theta^0 {SPACE}$. {ELEMENTS}",
        rf"{HEAD} and $\theta_0 {SPACE}$. Put $\theta_{{\text{{step}}(0)}} = \theta_0$. {RULE}",
        rf"{HEAD} and $u {SPACE}$. Start with $\theta_{{\text{{step}}(0)}} = u$. {RULE}",
        rf"{HEAD} and $u {SPACE}$. Start with $\theta_{{\text{{step}}(0)}} = u$. {ELEMENTS}",
        rf"{HEAD} and $u {SPACE}$. Initially $\theta_0 = u$. {RULE}",
    ],
)
def test_a_start_is_declared_or_defined(text):
    same(called(text, "theta", GIVEN), descent(), "step", "param")


@pytest.mark.parametrize("within", ["", r", \qquad t = 1, \ldots, T"])
def test_a_declared_element_after_the_last_starts_what_runs_backwards(within):
    text = rf"{HEAD} and $\theta_{{T+1}} {SPACE}$. {BACK[:-2]}{within}$$"
    wanted = u - 0.1 * np.cumsum(g[::-1], axis=0)[::-1]
    same(called(text, "theta", GIVEN), wanted, "step", "param")


@pytest.mark.parametrize(
    "start", [rf" and $\theta_0 {SPACE}$.", rf", $u {SPACE}$ and $\theta_0 = u$."]
)
def test_other_formulas_name_the_start_and_powers_of_members(start):
    said = r"$$L = \sum_{\text{param}} (\theta_T - \theta_0)^2 + \sum_{\text{param}} \theta_T^2.$$"
    last = descent()[-1]
    same(called(HEAD + start + RULE + said, "L", GIVEN), ((last - u) ** 2 + last**2).sum())


def test_a_function_takes_the_start():
    text = rf"{HEAD}. For $\theta_0 {SPACE}$ let $$f(\theta_0) = \sum_{{\text{{step}}}} \theta$$ where {RULE}"
    assert [p.name for p in read(text)["f"].signature.parameters] == ["theta_0", "g"]
    same(called(text, "f", GIVEN), descent().sum(0), "param")


def test_a_start_that_nothing_gives_is_an_error():
    (found,) = read(f"{HEAD}. {RULE}").check()
    assert "theta_{step:0} is neither declared nor defined" in found.message


TWO = (
    r"\begin{align}m_t &= 0.9 m_{t-1} + g_{\text{step}(t)} \\ v_t &= 0.8 v_{t-1} + m_t^2\end{align}"
)


def moments() -> np.ndarray:
    m, v, found = np.zeros(3), np.zeros(3), []
    for row in g:
        m = 0.9 * m + row
        v = 0.8 * v + m**2
        found.append(v)
    return np.array(found)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}. Start with $m_0 = v_0 = 0$.\n{TWO}",
        f"{HEAD}. $$m_0 = v_0 = 0$$ and\n{TWO}",
        f"{HEAD}.\n{TWO}\nwith $m_0 = v_0 = 0$.",
        f"{HEAD}. With $m_0 := v_0 := 0$,\n{TWO}",
        f"{HEAD}. With $m_0, v_0 = 0$,\n{TWO}",
        f"{HEAD}. With $m_0 = 0$ and $v_0 = 0$,\n{TWO}",
        f"{HEAD}. Initially $m_0 = v_0 = 0$ and\n{TWO}",
        rf"{HEAD}. With $m_{{\text{{step}}(0)}} = v_{{\text{{step}}(0)}} = 0$,{chr(10)}{TWO}",
        f"{HEAD}. With $m_0 = v_0 = 0 {SPACE}$,\n{TWO}",
        f"{HEAD} and $m_0, v_0 {SPACE}$, which are $m_0 = v_0 = 0$.\n{TWO}",
        f"# A\n{HEAD}. Start with $m_0 = v_0 = 0$.\n## Adam\n{TWO}",
        f"# A\n{HEAD}.\n## B\n$m_0 = v_0 = 0$\n{TWO}\n## C\n$m_0 = v_0 = 1$\n{TWO.replace('0.9', '0.7')}",
    ],
)
def test_each_of_a_chain_is_defined(text):
    document = read(text)
    assert document.check() == []
    found = [d for d in document.definitions.definitions if d.letters and d.key.startswith("v@")]
    same(document.library.of(found[0])(GIVEN["g"]), moments(), "step", "param")


X = r"Let $x \in \mathbb{R}^{\text{in}}$. "
x = rng.normal(size=4)
GIVEN["x"] = tensor(x, "in")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"$$y = z = \sum_{\text{in}} x$$ and $$w = z + y$$", 2 * x.sum()),
        (r"$$a = b = c = \sum_{\text{in}} x$$ and $$w = a + b c$$", x.sum() + x.sum() ** 2),
        (
            r"Let $\alpha = \beta = 0.5$. $$w = \alpha \sum_{\text{in}} x + \beta$$",
            x.sum() / 2 + 0.5,
        ),
        (
            r"Let $b = \sum_{\text{in}} x$. $$a = b = \sum_{\text{in}} x$$ $$w = a + b$$",
            2 * x.sum(),
        ),
    ],
)
def test_a_chain_gives_its_names_one_value(text, wanted):
    same(called(X + text, "w", GIVEN), np.asarray(wanted))


def test_a_chain_leaves_what_is_declared():
    text = (
        X + r"Let $b \in \mathbb{R}$. $$a = b = \sum_{\text{in}} x$$ $$w = b + \sum_{\text{in}} x$$"
    )
    assert [p.name for p in read(text)["w"].signature.parameters] == ["x", "b"]


def test_the_names_of_a_chain_can_be_asked_for():
    document = read(X + r"$$y = z = \sum_{\text{in}} x$$")
    assert document.names == ("y", "z")


ENDS = r"Let $F \in \mathbb{R}^{\text{param}}$ and $q \in \mathbb{R}$. Start from $P_T = F$. "


@pytest.mark.parametrize(
    "said",
    [
        r"For $t = T - 1, T - 2, \ldots, 0$, let $$P_t = q P_{t+1} + F.$$",
        r"For $t = T - 1, \ldots, 0$, let $$K_t = q P_{t+1}, \quad P_t = K_t + F.$$",
        r"$$P_t = q P_{t+1} + F, \qquad t = T-1, T-2, \dots, 0$$",
        r"For $t = 0, \ldots, T - 1$, let $$P_t = q P_{t+1} + F.$$",
    ],
)
def test_a_series_goes_down_from_its_last_member(said):
    document = read(ENDS + said)
    assert document.check() == []
    found = document.bind(T=3)["P_0"](F=tensor(u, "param"), q=0.5)
    same(found, u * (1 + 0.5 + 0.25 + 0.125), "param")
    with pytest.raises(NamedTensorError, match=r"hint: choose .*document\.bind\(T="):
        document["P_0"](F=tensor(u, "param"), q=0.5)


def test_a_name_beside_its_plain_one_is_a_label():
    text = r"""Let $x \in \mathbb{R}^{\text{param}}$ and $Q, Q_f \in \mathbb{R}^{\text{param}}$.
$$q(x) = \sum_{\text{param}} Q \odot x^2, \qquad q_f(x) = \sum_{\text{param}} Q_f \odot x^2$$
$$c = q(x) + q_f(x)$$"""
    document = read(text)
    assert document.check() == []
    assert str(document["q_f"]) == "q_f(x: R[param]; Q_f: R[param]) -> R"
    same(
        document["c"](x=tensor(u, "param"), Q=tensor(u, "param"), Q_f=tensor(u, "param")),
        2 * (u**3).sum(),
    )


def test_an_index_beside_a_plain_name_counts():
    text = r"""Let $x \in \mathbb{R}^{\text{param}}$ and $g, W \in \mathbb{R}^{\text{part}:E, \text{param}}$.
$$F_e(x) = W_e \odot x, \qquad F(x) = \sum_{e=1}^E g_e \odot F_e(x)$$"""
    document, W = read(text), rng.normal(size=(2, 3))
    assert [f for f in document.check() if f.code != "meaning"] == []
    whole = tensor(W, "part", "param")
    same(document["F"](x=tensor(u, "param"), g=whole, W=whole), (W * W * u).sum(0), "param")
    text = r"Let $x \in \mathbb{R}^{\text{param}}$. $$F_k(x) = k x$$ $$F(x) = F_1(x) + F_2(x)$$"
    same(called(text, "F", {"x": tensor(u, "param")}), 3 * u, "param")


@pytest.mark.parametrize("end", ["T - 1", "T-1"])
def test_the_length_of_a_series_that_starts_at_0_is_a_number_in_formulas(end):
    text = (
        r"Let $x, w_0 \in \mathbb{R}^{\text{f}}$. "
        rf"$$w_{{t+1}} = w_t - x, \quad t = 0, \dots, {end}$$ "
        r"$$v = \frac{1}{T} \sum_{t=1}^T w_t, \qquad u = w_T / T$$"
    )
    X, W = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    given = {"x": tensor(X, "f"), "w_0": tensor(W, "f")}
    same(called(text, "v", given, {"T": 3}), W - 2 * X, "f")
    same(called(text, "u", given, {"T": 3}), W / 3 - X, "f")


@pytest.mark.parametrize("name", ["h'", "h'_{t-1}", "g_{t-1}"])
def test_a_letter_with_a_prime_is_no_member_of_the_series(name):
    text = rf"""Let $x_t \in \mathbb{{R}}^{{\text{{in}}}}$, $h_t \in \mathbb{{R}}^{{\text{{hid}}}}$,
$W \in \mathbb{{R}}^{{\text{{in}} \times \text{{hid}}}}$ and
$U \in \mathbb{{R}}^{{\text{{hid}}' \times \text{{hid}}}}$.
For $t = 1, \dots, T$, from $h_0 = 0$:
$$\begin{{aligned}}
{name} &= [h_{{t-1}}]_{{\text{{hid}} \to \text{{hid}}'}} \\
h_t &= \tanh(W \underset{{\text{{in}}}}{{\odot}} x_t + U \underset{{\text{{hid}}'}}{{\odot}} {name})
\end{{aligned}}$$"""
    document, rng = read(text), np.random.default_rng(3)
    assert [f for f in document.check() if f.severity == "error"] == []
    x, W, U = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=(2, 2))
    h = np.zeros(2)
    for row in x:
        h = np.tanh(row @ W + h @ U)
    found = document["h"](
        x=tensor(x, "t", "in"), W=tensor(W, "in", "hid"), U=tensor(U, "hid'", "hid")
    )
    np.testing.assert_allclose(found.numpy("t", "hid")[-1], h)


def test_a_series_is_not_over_the_axes_of_a_letter_of_another_section():
    text = r"""# Jacobi
$A \in \mathbb{R}^{\text{row}:n \times \text{col}:n}$ and
$b \in \mathbb{R}^{\text{row}:n}$, with $x^{(0)} = 0$.
$$x^{(k+1)}_{\text{col}(i)} = \frac{1}{A_{\text{row}(i), \text{col}(i)}} \left( b_{\text{row}(i)} -
\sum_{j \ne i} A_{\text{row}(i), \text{col}(j)} \, x^{(k)}_{\text{col}(j)} \right), \qquad i = 1, \dots, n.$$
# Interpolation
Nodes $x \in \mathbb{R}^{\text{node}:m}$. $$s = \sum_{\text{node}} x$$"""
    A, b = np.array([[3.0, 1.0], [-1.0, 4.0]]), np.array([1.0, 2.0])
    x = np.zeros(2)
    for _ in range(3):
        x = (b - (A - np.diag(np.diag(A))) @ x) / np.diag(A)
    found = read(text)["x^{(3)}"](A=tensor(A, "row", "col"), b=tensor(b, "row"))
    np.testing.assert_allclose(found.numpy("col"), x)


@pytest.mark.parametrize(
    "before",
    [
        r"Returns are discounted, $G_{\text{time}(T)} = r_{\text{time}(T)}$ and",
        r"With $G_{\text{time}(T)} = r_{\text{time}(T)}$,",
    ],
)
def test_the_last_element_is_given_in_prose(before):
    text = rf"""Let $r \in \mathbb{{R}}^{{\text{{time}}:T}}$ and $\gamma \in \mathbb{{R}}$. {before}
$$ G_{{\text{{time}}(t)}} = r_{{\text{{time}}(t)}} + \gamma G_{{\text{{time}}(t+1)}}, \quad t < T. $$"""
    found = read(text)["G"](r=tensor([1.0, 2.0, 3.0], "time"), gamma=0.5)
    np.testing.assert_allclose(found.numpy(), [2.75, 3.5, 3.0])


@pytest.mark.parametrize("half", ["1/2", r"\frac{1}{2}"])
@pytest.mark.parametrize("ahead", [False, True])
def test_half_steps_are_a_series_between_the_steps(half, ahead):
    text = r"""Let $q_0, p_0 \in \mathbb{R}^{\text{dim}}$ and $h \in \mathbb{R}$ be a step size.
$$ \begin{aligned} p_{l - HALF} &= p_{l-1} - \frac{h}{2} q_{l-1} \\ q_l &= q_{l-1} + h p_{l-HALF} \\
p_l &= p_{l-HALF} - \frac{h}{2} q_l \end{aligned} $$"""
    if ahead:
        text = text.replace("l - HALF", "l-HALF").replace("{l-HALF}", "{l + HALF}")
        text = text.replace("l-1", "k").replace("_l", "_{l+1}").replace("_k", "_l")
        text = text.replace("_{k}", "_l")
    q, p = np.array([1.0, -2.0]), np.array([0.5, 0.3])
    given = {"q_0": tensor(q, "dim"), "p_0": tensor(p, "dim"), "h": 0.1}
    for _ in range(3):
        p = p - 0.05 * q
        q = q + 0.1 * p
        p = p - 0.05 * q
    document = read(text.replace("HALF", half))
    np.testing.assert_allclose(document["q_3"](**given).numpy("dim"), q)
    np.testing.assert_allclose(document["p_3"](**given).numpy("dim"), p)


@pytest.mark.parametrize("start", ["m_0", "m^0"])
@pytest.mark.parametrize(
    "rule",
    [
        r"m_t = a m_{t-1} + y_{\text{time}(t)}",
        r"m_{\text{time}(t)} = a m_{\text{time}(t-1)} + y_{\text{time}(t)}",
    ],
)
def test_a_start_that_another_section_declares_begins_the_only_series_of_its_letter(start, rule):
    text = rf"""# Model
Data are $y \in \mathbb{{R}}^{{\text{{time}}:T \times \text{{state}}}}$, with $a \in \mathbb{{R}}$, and
before them we have the mean ${start} \in \mathbb{{R}}^{{\text{{state}}}}$.
# Filter
$${rule}$$"""
    document = read(text)
    assert [f for f in document.check() if f.severity == "error"] == []
    y, m = np.arange(6.0).reshape(3, 2), [np.array([1.0, 2.0])]
    for row in y:
        m.append(0.5 * m[-1] + row)
    name = next(p.name for p in document["m"].signature.parameters if p.name.startswith("m"))
    found = document["m"](y=tensor(y, "time state"), a=0.5, **{name: tensor(m[0], "state")})
    np.testing.assert_allclose(found.numpy("time state"), m[1:])
