r"""Series whose letter indexes an axis are elements of it, however they are written: h_t, h^t, h_{seq(t)}."""

import itertools
import re

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called

rng = np.random.default_rng(0)
x, W, U = rng.normal(size=(4, 2)), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
v = rng.normal(size=3)
GIVEN = {
    "x": tensor(x, "seq", "in"),
    "W": tensor(W, "in", "hid"),
    "U": tensor(U, "hid", "hid'"),
    "v": tensor(v, "hid"),
    "r": tensor([1.0, 2.0, 3.0, 4.0], "time"),
    "V": tensor([0.5, 0.2, 0.1, 0.7], "time"),
    "gamma": 0.5,
}


def states() -> np.ndarray:
    h, found = np.zeros(3), []
    for row in x:
        h = np.tanh(row @ W + h @ U)
        found.append(h @ v)
    return np.array(found)


HEAD = r"""
Let $x \in \mathbb{R}^{\text{seq}:T \times \text{in}}$, $W \in \mathbb{R}^{\text{in} \times \text{hid}}$,
$U \in \mathbb{R}^{\text{hid} \times \text{hid}'}$ and $v \in \mathbb{R}^{\text{hid}}$.
"""
STEP = (
    r"h(t) &= \tanh\left(x_{\text{seq}(t)} \underset{\text{in}}{\cdot} W + "
    r"(h(t-1) \underset{\text{hid}}{\cdot} U)_{\text{hid}' \rightarrow \text{hid}}\right)"
)
OUT = r"y(t) &= h(t) \underset{\text{hid}}{\cdot} v"
#: A member with its number, as it is written.
MEMBERS = {
    "above": lambda name, at: f"{name}^{{{at}}}",
    "below": lambda name, at: f"{name}_{{{at}}}",
    "element": lambda name, at: rf"{name}_{{\text{{seq}}({at})}}",
}
DECLARED = ["", r"h \in \mathbb{R}^{\text{hid}}", r"h(t) \in \mathbb{R}^{\text{hid}}"]
DECLARED.append(r"h \in \mathbb{R}^{\text{seq} \times \text{hid}}")
RANGES = ["", r"t = 1, \ldots, T", r"t = 1, \ldots, |\text{seq}|", "t"]


def written(text: str, member) -> str:
    for name, at in itertools.product("hy", ["t-1", "t", "0"]):
        text = text.replace(f"{name}({at})", member(name, at))
    return text


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("within", RANGES)
@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize("member", MEMBERS)
def test_a_recurrence_is_read_however_it_is_written(member, declared, within, together):
    rows = [STEP, OUT]
    if together:
        rows = ["\n\\begin{align}\n" + " \\\\\n".join(rows) + "\n\\end{align}\n"]
    else:
        rows = [f"\n$${row.replace('&', '')}$$\n" for row in rows]
    said = f" for ${within}$." if within else ""
    first = f"The state is ${declared}$, with " if declared else "Start with "
    text = HEAD + first + "$h(0) = 0$.\n" + "".join([row + said for row in rows])
    found = called(written(text, MEMBERS[member]), "y", GIVEN)
    assert found.axes == ("seq",)
    assert np.allclose(found.numpy("seq"), states())


REWARDS = r"Let $r, V \in \mathbb{R}^{\text{time}:T}$ and $\gamma \in \mathbb{R}$." + "\n"
LAST = r"$$A_T = r_{\text{time}(T)}$$ "
AFTER = r"$$A_{T+1} = 0$$ "
BACK = r"$$A_t = r_{\text{time}(t)} + \gamma A_{t+1}$$ "
FIRST = r"$$A_1 = r_{\text{time}(1)}$$ "
FORTH = r"$$A_t = r_{\text{time}(t)} + \gamma A_{t-1}$$ "
DELTA = r"$$\delta_t = r_{\text{time}(t)} + \gamma V_{\text{time}(t+1)} - V_{\text{time}(t)}$$ "
ENDS = r"and $$\delta_T = r_{\text{time}(T)} - V_{\text{time}(T)}.$$ "
SUM = r"$$A = \sum_{t=1}^T \gamma^t \delta_t$$"
BACKWARDS = [3.25, 4.5, 5.0, 4.0]
FORWARDS = [1.0, 2.5, 4.25, 6.125]
DELTAS = [0.6, 1.85, 3.25, 3.3]
SUMS = [2.75, 4.3, 4.9, 3.3]


@pytest.mark.parametrize("last", ["T", "n"])
@pytest.mark.parametrize("elements", [False, True])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LAST + BACK, BACKWARDS),
        (LAST + BACK + r"for $t = 1, \ldots, T$.", BACKWARDS),
        (LAST + BACK + r"for $t = T-1, \ldots, 1$.", BACKWARDS),
        (LAST + BACK + r"for $t = 1, \ldots, T-1$.", BACKWARDS),
        (LAST + BACK + r"for $t < T$.", BACKWARDS),
        (AFTER + BACK, BACKWARDS),
        (AFTER + BACK + r"for $t = 1, \ldots, T$.", BACKWARDS),
        (FIRST + FORTH, FORWARDS),
        (FIRST + FORTH + r"for $t = 1, \ldots, T$.", FORWARDS),
        (FIRST + FORTH + r"for $t = 2, \ldots, T$.", FORWARDS),
        (FIRST + FORTH + r"for $t > 1$.", FORWARDS),
        (r"$$A_0 = 0$$ " + FORTH, FORWARDS),
        (DELTA + "for $t < T$ " + ENDS + SUM, 1.375),
        (DELTA + r"for $t = 1, \ldots, T-1$ " + ENDS + SUM, 1.375),
        (DELTA + "for $t < T$ " + ENDS + r"$$A = \delta + 1$$", np.array(DELTAS) + 1),
        (
            DELTA + ENDS + r"$$A_T = \delta_T$$ $$A_t = \delta_t + \gamma A_{t+1}$$",
            SUMS,
        ),
    ],
)
def test_members_with_definitions_of_their_own_are_read(text, expected, elements, last):
    if elements:
        for name, at in itertools.product(
            ["A", r"\delta"], ["t", "T", "{t+1}", "{t-1}", "{T+1}", "0", "1"]
        ):
            text = text.replace(f"{name}_{at} ", rf"{name}_{{\text{{time}}({at.strip('{}')})}} ")
            text = text.replace(f"{name}_{at}$", rf"{name}_{{\text{{time}}({at.strip('{}')})}}$")
    text = re.sub(r"(?<![a-z])T(?![a-z])", last, REWARDS + text)
    found = called(text, "A", GIVEN)
    axes = ("time",) if np.ndim(expected) else ()
    assert found.axes == axes
    assert np.allclose(found.numpy(*axes), expected)


@pytest.mark.parametrize(
    ("space", "shape"),
    [
        (r"\text{a}:m \times \text{b}:n", "R[a, b]"),
        (r"\text{a}:4 \times \text{b}", "R[a[4], b]"),
        (r"\text{a}:2m \times \text{b}:n", "R[a, b]"),
        (r"\text{a}:m \times b:n", "R[a, b]"),
        (r"\text{a}: (m \times n) \times \text{b}:n", "R[a, b]"),
        (r"\text{a}: m \times n", "R[a]"),
        (r"\text{a}: 4 \times m, \text{b}", "R[a, b]"),
        (r"\text{a}':m \times \text{a}:m", "R[a', a]"),
    ],
)
def test_a_size_ends_where_the_next_axis_begins(space, shape):
    """It was refused, and of a:4 x b the size was 4 times b."""
    document = read(rf"Let $X \in \mathbb{{R}}^{{{space}}}$. $$f(X) = X + 1$$")
    assert str(document["f"].signature.parameters[0].space) == shape


@pytest.mark.parametrize("letter", ["I", r"\mathbf{I}"])
@pytest.mark.parametrize("axes", [r"\text{a}, \text{b}", r"\text{a}, \text{a}'"])
def test_an_identity_need_not_be_declared(letter, axes):
    other = "a'" if "'" in axes else "b"
    declared = r"Let $X \in \mathbb{R}^{\text{a}}$ and $Y \in \mathbb{R}^{OTHER}$.".replace(
        "OTHER", axes.partition(", ")[2]
    )
    document = read(f"{declared} $$f(X, Y) = X Y + {letter}_{{{axes}}}$$")
    assert document.check() == []
    X, Y = tensor([1.0, 2.0], "a"), tensor([3.0, 4.0], other)
    assert np.allclose(document["f"](X, Y).numpy("a", other), [[4, 4], [6, 9]])


PERCEPTRON = r"""Let $X \in \mathbb{R}^{\text{ex}:n, \text{feat}:d}$, $y \in \mathbb{R}^{\text{ex}:n}$. %s
$$ \begin{aligned}
m^{(i)} &= y_{\text{ex}(i)} \sum_{j=1}^{d} v^{(i-1)}_{\text{feat}(j)} X_{\text{ex}(i), \text{feat}(j)} \\
v^{(i)}_{\text{feat}(j)} &= v^{(i-1)}_{\text{feat}(j)}
  + y_{\text{ex}(i)} X_{\text{ex}(i), \text{feat}(j)} \, [m^{(i)} \le 0]
\end{aligned} $$"""


@pytest.mark.parametrize(
    "start",
    [
        r"Let $v^{(0)} = 0$, $v^{(0)} \in \mathbb{R}^{\text{feat}:d}$. For $i = 1, \ldots, n$,",
        r"Start with $v^{(0)} = 0$, where $v^{(0)} \in \mathbb{R}^{\text{feat}:d}$.",
        r"Let $v^{(0)} = 0$.",
        r"Let $v_{\text{ex}(0), \text{feat}(j)} = 0$.",
    ],
)
def test_elements_of_members_are_elements_along_both_axes(start):
    text = PERCEPTRON % start
    if "ex}(0)" in start:
        for index in ("i", "i-1"):
            text = text.replace(
                rf"v^{{({index})}}_{{\text{{feat}}(j)}}",
                rf"v_{{\text{{ex}}({index}), \text{{feat}}(j)}}",
            ).replace(f"m^{{({index})}}", rf"m_{{\text{{ex}}({index})}}")
    X, y = rng.normal(size=(5, 3)), np.array([1.0, -1, 1, 1, -1])
    v, rows = np.zeros(3), []
    for row, label in zip(X, y, strict=True):
        v = v + label * row * (label * (v @ row) <= 0)
        rows.append(v)
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["v"](X=tensor(X, "ex", "feat"), y=tensor(y, "ex"))
    np.testing.assert_allclose(found.numpy("ex", "feat"), rows)


@pytest.mark.parametrize("name", ["h_T", "h_{4}", "h^{(T)}"])
@pytest.mark.parametrize("behind", ["", "The last state is $h_T$."])
def test_an_element_of_a_series_along_an_axis_can_be_asked_for(name, behind):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{seq}}:T \times \text{{in}}}}$ and $h_0 = 0$.
$$ h_t = \tanh(x_t + h_{{t-1}}) $$ {behind}"""
    h = np.zeros(2)
    for row in x:
        h = np.tanh(row + h)
    document = read(text)
    np.testing.assert_allclose(document[name](x=GIVEN["x"]).numpy("in"), h)
    assert name not in document.names
