"""An argument, x of f(x) = ..., is not what another section, or a line below, declares with its letter."""

import re

import numpy as np
import pytest

from namedtensor import AxisMissingError, tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(1)
a, X = rng.normal(size=4), rng.normal(size=(5, 4))
GIVEN = dict.fromkeys(("u", "p", "z", "p_1", "z_1"), tensor(X, "batch", "emb"))
GIVEN |= {"a": tensor(a, "node")}


SIGNAL = r"a signal $x \in \mathbb{R}^{\text{node}}$ has $$s = \sum_{\text{node}} x.$$"


@pytest.mark.parametrize(
    "said",
    [
        r"Here $\operatorname{LeakyReLU}(x) = \max(x, 0.2x)$ and",
        r"$$\operatorname{LeakyReLU}(x) = \max(x, 0.2x)$$ and",
    ],
)
@pytest.mark.parametrize("between", ["Later,", "\n# Signals\nNow,"])
def test_a_function_of_numbers_takes_any_tensor(said, between):
    text = rf"""Let $a \in \mathbb{{R}}^{{\text{{node}}}}$. {said}
$$e_{{\text{{node}}(i), \text{{node}}'(j)}}
= \operatorname{{LeakyReLU}}(a_{{\text{{node}}(i)}} - a_{{\text{{node}}(j)}}).$$
{between} {SIGNAL}"""
    apart = a[:, None] - a
    same(called(text, "e", GIVEN), np.maximum(apart, 0.2 * apart), "node", "node'")


def test_a_declaration_below_is_another_letter_where_calls_do_not_fit_it():
    text = r"""$$f(x) = \sum_{\text{emb}} x^2$$ is the energy.
Let $u \in \mathbb{R}^{\text{batch} \times \text{emb}}$ and $$e = f(u).$$
Let $x \in \mathbb{R}^{\text{batch} \times \text{emb} \times \text{time}}$."""
    same(called(text, "e", GIVEN), (X**2).sum(1), "batch")


def test_a_declaration_below_is_the_argument_s_where_calls_fit_it():
    text = r"$$f(x) = \sum_{\text{emb}} x^2$$ where $x \in \mathbb{R}^{\text{emb}}$. "
    assert str(read(text)["f"]) == "f(x: R[emb]) -> R"


TRIPLET = r"""# Triplet
For $a, p \in \mathbb{R}^{\text{batch} \times \text{emb}}$,
$$L(a, p) = \sum_{\text{batch}, \text{emb}} (a - p)^2.$$
# Pairs
"""
PAIR = r"$$\mathcal{D}(p, z) = - p \underset{\text{emb}}{\cdot} z$$"
CALL = (
    r"and, for $p_1, z_1 \in \mathbb{R}^{\text{batch} \times \text{emb}}$, "
    r"$$J = \underset{\text{batch}}{\mathrm{mean}}\, \mathcal{D}(p_1, z_1).$$"
)


@pytest.mark.parametrize("call", ["", CALL])
@pytest.mark.parametrize("before", ["", TRIPLET])
def test_arguments_without_a_declaration_are_alike(before, call):
    document = read(before + PAIR + call)
    assert str(document["D"]) == "D(p: R[emb], z: R[emb]) -> R"
    same(called(before + PAIR + call, "D", GIVEN), -(X * X).sum(1), "batch")
    if call:
        same(called(before + PAIR + call, "J", GIVEN), -(X * X).sum(1).mean())


def test_a_declaration_right_below_is_the_argument_s_whatever_calls_give():
    text = r"""\[ f(Z) = Z - \underset{\text{batch}}{\text{mean}} Z \]
for $Z \in \mathbb{R}^{\text{emb}}$. Let $G \in \mathbb{R}^{\text{emb}}$. \[ y = f(G) \]"""
    assert [(f.code, f.line) for f in read(text).check()] == [("axis-missing", 1)]


def test_what_counts_elements_is_a_whole_number():
    text = r"""Let $x \in \mathbb{R}^{\text{time}}$.
\[ f(x, \delta)_{\text{time}(t)} =
\begin{cases} x_{\text{time}(t - \delta)} & t > \delta \\ 0 & \text{otherwise} \end{cases} \]
\[ g(x, \delta) = f(x, \delta) + x \]"""
    assert read(text).check() == []


def test_what_a_norm_without_axes_is_of_is_no_number():
    assert read(r"\[ f(h) = \frac{\|h\|_1}{\|h\|_2} \]").check() == []


def test_an_argument_has_the_axis_below_the_function_whatever_the_letter_is_elsewhere():
    text = r"""Let $x \in \mathbb{R}^{\text{emb}}$ and $Y \in \mathbb{R}^{\text{seq}, \text{emb}}$.
\[ \underset{\text{seq}}{\text{centred}}(x) = x - \underset{\text{seq}}{\text{mean}} x \]
\[ Z = \underset{\text{seq}}{\text{centred}}(Y) \]"""
    Y = np.array([[1.0, 2.0], [3.0, 5.0]])
    same(called(text, "Z", {"Y": tensor(Y, "seq emb")}), Y - Y.mean(0), "seq", "emb")


BODY = r"Let $W \in \mathbb{R}^{\text{emb}, \text{hid}}$. "
BODIES = [
    (r"f(x) = \sum_{\text{hid}} \tanh(W \underset{\text{emb}}{\cdot} x)", "emb"),
    (r"f(x) = \sum_{\text{hid}} h, \quad h = W \underset{\text{emb}}{\cdot} x", "emb"),
    (r"f(x) = \sum_{\text{hid}} h(x), \quad h(z) = W \underset{\text{emb}}{\cdot} z", "emb"),
    (r"f(x) = x_{\text{seq} \to \text{seq}'} \underset{\text{emb}}{\cdot} x", "emb, seq"),
    (r"f(x) = x_{\text{seq} \to \text{seq}'} \underset{\text{seq}'}{\cdot} W", "seq"),
    (r"f(x) = \|x\|_{\text{emb}}", "emb"),
    (r"f(x) = \sum_{\text{seq}} h(x), \quad h(z) = z - \sum_{\text{emb}} z", "seq, emb"),
]


@pytest.mark.parametrize(("body", "axes"), BODIES)
def test_an_argument_has_the_axes_that_nothing_else_brings(body, axes):
    document = read(rf"{BODY}$${body}$$")
    assert str(document["f"]).split("R[")[1].split("]")[0] == axes


def test_an_argument_has_the_axes_that_its_calls_give_and_elements_need():
    text = rf"""{BODY}Let $X \in \mathbb{{R}}^{{\text{{seq}}, \text{{hid}}}}$.
$$f(x) = x \odot P, \quad P_{{\text{{seq}}(i), \text{{hid}}(j)}} = i j, \qquad Y = f(X \odot X)$$"""
    assert str(read(text)["f"]) == "f(x: R[hid, seq]) -> R[hid, seq]"


def test_a_letter_that_is_made_of_the_argument_is_the_function_s():
    text = r"""Let $c = x - \underset{\text{emb}}{\text{mean}}\, x$.

$$f(x) = \sum_{\text{emb}} c^2$$"""
    same(called(text, "f", {"x": tensor(a, "emb")}), a.var() * 4)


def test_a_call_may_give_the_axes_of_the_body_s_own_tensors():
    formula = read(r"Let $w \in \mathbb{R}^{\text{emb}}$. $$f(x, y) = x + w y$$")["f"]
    assert str(formula) == "f(x: R, y: R; w: R[emb]) -> R[emb]"
    A, w = tensor(X, "batch", "emb"), tensor(a, "emb")
    same(formula(A, A, w=w), X + a * X, "batch", "emb")
    same(formula(A, 2.0, w=w), X + 2 * a, "batch", "emb")
    same(formula(1.0, 2.0, w=w), 1 + 2 * a, "emb")


@pytest.mark.parametrize("op", [">", r"\neq", r"\le"])
def test_a_condition_is_an_argument_like_others(op):
    text = rf"Let $a \in \mathbb{{R}}^{{\text{{node}}}}$. $$g(z) = 2z, \qquad y = g(a {op} 0)$$"
    holds = {">": a > 0, r"\neq": a != 0, r"\le": a <= 0}[op]
    same(called(text, "y", {"a": tensor(a, "node")}), 2 * holds, "node")


def test_a_condition_counts_among_the_arguments():
    (found,) = read(
        r"Let $a \in \mathbb{R}^{\text{node}}$. $$g(u, z) = u z, \qquad y = g(a > 0)$$"
    ).check()
    assert found.message == "g takes 2 arguments, u and z, and 1 is given"


@pytest.mark.parametrize("body", [r"\rho \le k", r"k > \rho", r"\rho < k"])
def test_what_is_compared_with_a_tensor_of_the_axis_may_be_a_number(body):
    text = rf"""Let $\rho \in \mathbb{{R}}^{{\text{{img}}}}$.
$$f(k) = \underset{{\text{{img}}}}{{\text{{mean}}}}\, \mathbb{{1}}[{body}]$$"""
    assert str(read(text)["f"]) == "f(k: R; rho: R[img]) -> R"


def test_what_is_equal_to_a_tensor_has_its_axis():
    text = r"""Let $y \in [C]^{\text{ex}}$.
$$f(p) = \underset{\text{ex}}{\text{mean}}\, \mathbb{1}[p = y]$$"""
    assert "p: R[ex]" in str(read(text)["f"])


@pytest.mark.parametrize(
    "said",
    [
        r"$$y = 2 v$$",
        r"$$y_{\text{node}(i)} = 2 v_{\text{node}(i)}$$",
        r"$$y_i = 2 v_i, \qquad i = 1, \ldots, n$$",
        r"where $y = 2 v$.",
    ],
)
@pytest.mark.parametrize("act", [r"\underset{\text{node}}{\text{mean}} (v y)", r"y - v y"])
def test_an_argument_has_those_axes_of_what_its_section_defines_by_its_letter(said, act):
    text = rf"Let $v \in \mathbb{{R}}^{{\text{{node}}:n}}$. $$f(v, y) = {act}$$ {said}"
    wanted = (a**2).mean() if "mean" in act else a - a * a
    same(read(text)["f"](GIVEN["a"], GIVEN["a"]), wanted, *[] if "mean" in act else ["node"])


def test_what_another_section_defines_by_its_letter_says_nothing_of_an_argument():
    text = r"""Let $v \in \mathbb{R}^{\text{node}}$.
## A
$$f(v, y) = \underset{\text{node}}{\text{mean}} (v y)$$
## B
$$y = 2 v$$"""
    assert str(read(text)["f"]) == "f(v: R[node], y: R) -> R"


@pytest.mark.parametrize("where", ["${}$", "$${}$$"])
def test_an_argument_without_a_declaration_may_have_the_axes_of_the_other_sides(where):
    given = r"# A" "\n" r"Let $v \in \mathbb{R}^{\text{node}}$, $$z = 3 v, \quad h = \sigma(z).$$"
    rule = where.replace("{}", r"\sigma'(z) = \sigma(z) (1 - \sigma(z)) = h \odot (1 - h)")
    assert [f for f in read(f"{given}\n# B\nNow {rule}").check() if f.severity != "note"] == []
    held = rule.replace(r"h \odot (1 - h)", r"\sigma(z) + h")
    assert [f.code for f in read(f"{given}\n# B\nNow {held}").check()] == ["declared-shape"]


def test_a_function_that_only_has_a_signature_may_be_given_parameters():
    text = r"""Let $f \colon \mathbb{R}^{\text{a}} \to \mathbb{R}^{\text{b}}$,
$x \in \mathbb{R}^{\text{a}}$ and $W \in \mathbb{R}^{\text{a}, \text{b}}$.
$$y = \sum_{\text{b}} f(x; W)$$"""
    assert read(text).check() == []
    (found,) = read(text.replace(r"sum_{\text{b}}", r"sum_{\text{a}}")).check()
    assert (found.code, found.line) == ("axis-missing", 3)


@pytest.mark.parametrize("names", [("A", "B"), ("Z_1", "Z_2")])
def test_a_function_that_uses_its_argument_through_definitions_alone_takes_it(names):
    """Z is what the section defines, and the argument of s."""
    one, other = names
    document = read(
        r"Let $X \in \mathbb{R}^{\text{seq}, \text{emb}}$ and $U \in \mathbb{R}^{\text{emb}, \text{ffn}:4}$."
        r" $$Z = X \underset{\text{emb}}{\cdot} U, \qquad Y = 2 s(Z)$$ The halves are"
        rf" $$[{one}]_{{\text{{gate}}(c)}} = Z_{{\text{{ffn}}(c)}}, \qquad"
        rf" [{other}]_{{\text{{gate}}(c)}} = Z_{{\text{{ffn}}(c+2)}}, \quad c = 1, 2,$$"
        rf" $$s(Z) = {one} \odot \exp({other})$$"
    )
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    rng = np.random.default_rng(0)
    Z, X, U = rng.normal(size=(2, 4)), rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    found = document["s"](tensor(Z, "seq", "ffn")).numpy("seq", "gate")
    np.testing.assert_allclose(found, Z[:, :2] * np.exp(Z[:, 2:]))
    given = {"X": tensor(X, "seq", "emb"), "U": tensor(U, "emb", "ffn")}
    found = document["Y"](**given).numpy("seq", "gate")
    np.testing.assert_allclose(found, 2 * (X @ U)[:, :2] * np.exp((X @ U)[:, 2:]))


def test_elements_of_a_name_with_a_number_are_along_axes_of_their_own():
    document = read(
        r"Let $Z \in \mathbb{R}^{\text{ffn}:4}$. "
        r"$$[Z_1]_{\text{gate}(c)} = Z_{\text{ffn}(c)}, \quad c = 1, 2$$"
    )
    assert document.check() == []


@pytest.mark.parametrize("given", ["", r"$$x = y^2$$ "])
@pytest.mark.parametrize(
    ("formulas", "expected"),
    [
        (r"$$h = 2 x$$ then $$f(x) = x + h$$", lambda y: 3 * y),
        (r"$$h = 2 x$$ then $$f(x) = h$$", lambda y: 2 * y),
        (r"$$k = 2 x$$ $$h = k + 1$$ then $$f(x) = h$$", lambda y: 2 * y + 1),
    ],
)
def test_what_is_made_of_an_argument_is_made_of_what_a_call_gives(given, formulas, expected):
    """Also where the document defines the argument's letter."""
    text = r"Let $x, y \in \mathbb{R}^{\text{emb}}$. " + given + formulas + r" $$g = f(y)$$"
    y = np.array([1.0, 2.0, 3.0])
    same(called(text, "g", {"y": tensor(y, "emb")}), expected(y), "emb")


@pytest.mark.parametrize("sign", ["=", r"\leftarrow"])
def test_the_declaration_of_an_argument_is_not_that_of_a_value_elsewhere(sign):
    text = (
        r"Let $S \in \mathbb{R}^{\text{up}, \text{out}}$."
        "\n\n"
        r"$$ f(v) = \frac{v}{1 + \sum_{\text{out}} v^2}, \qquad v \in \mathbb{R}^{\text{out}} $$"
        "\n\n"
        rf"$$ v {sign} f(S) $$"
    )
    S = np.array([[1.0, 2.0], [0.5, -1.0]])
    found = read(text)["v"](tensor(S, "up", "out"))
    np.testing.assert_allclose(found.numpy("up", "out"), S / (1 + (S**2).sum(1, keepdims=True)))


FAR = r"""
# Notation

$X \in \mathbb{R}^{\text{ens}:M, \text{lat}}$ is an ensemble.

# Scores

$$\text{spread}(X) = \sum_{\text{ens}, \text{ens}'} BODY$$
"""


@pytest.mark.parametrize(
    "body",
    [
        r"|X - X_{\text{ens} \to \text{ens}'}|",
        r"|X_{\text{ens} \to \text{ens}'} - X|",
        r"\sqrt{(X - [X]_{\text{ens} \to \text{ens}'})^2}",
    ],
)
def test_an_argument_is_not_asked_for_an_axis_that_its_renaming_makes(body):
    document = read(FAR.replace("BODY", body))
    X = np.arange(6.0).reshape(3, 2) ** 2
    wanted = np.abs(X[:, None] - X[None]).sum((0, 1))
    np.testing.assert_allclose(document["spread"](tensor(X, "ens lat")).numpy("lat"), wanted)


def test_an_argument_does_not_get_an_axis_that_the_function_around_it_uses_up():
    document = read(
        r"""$$\begin{aligned}
x &\in \mathbb{R}^{\text{tok}, \text{emb}}, \quad W, V \in \mathbb{R}^{\text{emb}, \text{feat}} \\
g(x) &= W \underset{\text{emb}}{\cdot} x \\
f(x) &= \exp(g(x)) \\
\text{dec}(f) &= V \underset{\text{feat}}{\cdot} f \\
y &= \text{dec}(f(x))
\end{aligned}$$"""
    )
    a, V = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    found = document["dec"](f=tensor(a, "tok feat"), V=tensor(V, "emb feat"))
    np.testing.assert_allclose(found.numpy("tok emb"), a @ V.T)


NEAREST = r"""Let $D \in \mathbb{R}^{\text{item} \times \text{dim}}$ and $q \in \mathbb{R}^{\text{dim}}$.
$$d(x) = \min_{\text{item}} \sqrt{\sum_{\text{dim}} (D - x)^2}$$
"""
ITEMS, QUERY = rng.normal(size=(5, 3)), rng.normal(size=3)
DISTANCES = np.sqrt(((ITEMS - QUERY) ** 2).sum(1))


def test_an_argument_has_no_axis_that_no_call_gives_it():
    document = read(NEAREST + "$$y = d(q)$$")
    assert str(document["d"]) == "d(x: R[dim]; D: R[item, dim]) -> R"
    same(document["d"](tensor(QUERY, "dim"), D=tensor(ITEMS, "item", "dim")), DISTANCES.min())


def test_a_call_may_leave_out_an_axis_that_the_body_s_own_tensors_have():
    d, D = read(NEAREST)["d"], tensor(ITEMS, "item", "dim")
    same(d(tensor(QUERY, "dim"), D=D), DISTANCES.min())
    same(d(tensor(ITEMS + 1, "item", "dim"), D=D), np.sqrt(3))  # each with its own
    over = np.sqrt(((ITEMS[:, None] - X[:, None, :3].swapaxes(0, 1)) ** 2).sum(-1)).min(0)
    same(d(tensor(X[:, :3], "user", "dim"), D=D), over, "user")


def test_the_axis_of_the_innermost_operator_is_left_out_by_no_call():
    with pytest.raises(AxisMissingError, match="x has no axis dim"):
        read(NEAREST)["d"](tensor(a, "item"), D=tensor(X, "item", "dim"))


def test_an_argument_has_the_shape_that_a_member_of_its_series_is_declared_with():
    text = r"""Let $X \in \mathbb{R}^{\text{pt} \times \text{dim}}$ be points, and $M^{(0)} \in
\mathbb{R}^{\text{cluster} \times \text{dim}}$ the first centres.
$$D(X, M) = \sum_{\text{dim}} (X - M)^2, \qquad J(M) = \sum_{\text{pt}} \min_{\text{cluster}} D(X, M)$$
$$M^{(t+1)} = M^{(t)} / 2, \quad t = 0, \dots, 2$$"""
    document = read(text)
    assert document.check() == []
    assert str(document["D"]) == "D(X: R[pt, dim], M: R[cluster, dim]) -> R[pt, cluster]"
    assert str(document["J"]) == "J(M: R[cluster, dim]; X: R[pt, dim]) -> R"


def test_two_functions_may_be_told_apart_by_letters():
    text = r"""For $f \in \mathbb{R}^{\text{emb}}$ and temperatures $\tau_s, \tau_t \in \mathbb{R}_{>0}$,
$$p_s(f) = \underset{\text{emb}}{\text{softmax}} (f / \tau_s), \qquad
p_t(f) = \underset{\text{emb}}{\text{softmax}} (f / \tau_t).$$
For $S, T \in \mathbb{R}^{\text{emb}}$, $$L = -p_t(T) \underset{\text{emb}}{\cdot} \log p_s(S).$$"""
    S, T = rng.normal(size=(2, 3))
    given = {"S": tensor(S, "emb"), "T": tensor(T, "emb"), "tau_s": 0.5, "tau_t": 0.2}

    def softmax(x):
        return np.exp(x) / np.exp(x).sum()

    same(called(text, "L", given), -softmax(T / 0.2) @ np.log(softmax(S / 0.5)))


def test_what_a_function_takes_is_taken_by_what_is_made_of_it_elsewhere():
    text = r"""Let $G \in \mathbb{R}^{\text{feat} \times \text{feat}'}$ and $y \in \mathbb{R}^{\text{feat}'}$.
$$\beta(\lambda) = A \underset{\text{feat}'}{\cdot} y, \qquad A = G + \lambda G$$
$$H = 2 A$$ $$\ell(\lambda) = \sum_{\text{feat}, \text{feat}'} H$$"""
    document = read(text)
    assert document.check() == []
    G = tensor(X, "feat", "feat'")
    same(document["H"](G=G, lambda_=0.5), 3 * X, "feat", "feat'")
    same(document["ell"](0.5, G=G), 3 * X.sum())


TABLE = r"""Let $X \in \mathbb{R}^{\text{node}, \text{emb}}$ and $Y \in \mathbb{R}^{\text{emb}}$.
$$ \text{scale}(X; OWN)_{\text{node}(i), \text{emb}(j)}
= X_{\text{node}(i), \text{emb}(j)} OWN_{\text{emb}(j)} $$
$$ \text{two}(X; OWN) = \text{scale}(2 \, \text{scale}(X; OWN); OWN) $$
$$ b = \text{two}(X; Y / 2) $$"""


@pytest.mark.parametrize("name", ["b", r"\text{two}"])
@pytest.mark.parametrize("own", ["w", r"\theta", r"\Theta"])
def test_a_parameter_that_nothing_declares_has_the_axes_that_the_body_asks_for(name, own):
    document = read(TABLE.replace("OWN", own))
    assert document.check() == []
    given = {"X": tensor(X, "node emb"), "Y": tensor(X[0], "emb")}
    if name != "b":
        given = {"X": given["X"], own.strip("\\"): tensor(X[0] / 2, "emb")}
    same(document[name](**given), 2 * X * (X[0] / 2) ** 2, "node", "emb")


def test_a_declared_result_is_held_to_what_such_a_parameter_gives():
    text = TABLE.replace("; OWN) $$", r"; OWN) \in \mathbb{R}^{\text{node}} $$").replace("OWN", "w")
    assert [f.code for f in read(text).check()] == ["declared-shape"]


BUNDLE = r"""
## One
Let $x \in \mathbb{R}^{\text{tok}, \text{emb}}$ and $g(x) = 2 x$.
## Two
Let $g \in \mathbb{R}^{\text{tok}, \text{emb}}$ and
$$ W^K, W^Q \in \mathbb{R}^{\text{key}, \text{emb}} . $$
$$ \begin{aligned}
E(g; W) &= \sum_{\text{tok}, \text{key}} Q \odot K, \\
K &= W^K \underset{\text{emb}}{\cdot} g, \qquad Q = W^Q \underset{\text{emb}}{\cdot} g
\end{aligned} $$
## Three
"""


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (r"$$ y = x + F(g(x)), \qquad F(g) = g \odot E(g; W) $$", lambda g, e, de: g * e),
        (r"$$ F(g) = 3 E(g; W) $$", lambda g, e, de: 3 * e),
        (r"$$ F(g) = - \frac{\partial E(g; W)}{\partial g} $$", lambda g, e, de: -de),
    ],
)
def test_a_function_of_another_section_is_called_with_its_bundle(said, wanted):
    document = read(BUNDLE + said)
    assert document.check() == []
    K, Q, g = rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), rng.normal(size=(3, 4))
    given = {"WK": tensor(K, "key emb"), "WQ": tensor(Q, "key emb"), "g": tensor(g, "tok emb")}
    energy, gradient = ((g @ K.T) * (g @ Q.T)).sum(), (g @ K.T) @ Q + (g @ Q.T) @ K
    expected = wanted(g, energy, gradient)
    same(document["F"](**given), expected, *["tok", "emb"][: np.ndim(expected)])


SOFT = r"""Let $x \in \mathbb{R}^{\text{emb}}$ and $L, \lambda > 0$.
$$ \eta_\theta(x) = \max(x - \theta, 0), \qquad \theta \geq 0 $$
"""


@pytest.mark.parametrize(
    ("used", "wanted"),
    [
        (r"\eta_{\lambda / L}(x)", lambda x: np.maximum(x - 0.1, 0)),
        (r"\eta_{0.5}(2 x)", lambda x: np.maximum(2 * x - 0.5, 0)),
        (
            r"\eta_{\lambda}(x) + \eta_{2 \lambda}(\eta_{\lambda / 2}(x))",
            lambda x: np.maximum(x - 0.4, 0) + np.maximum(np.maximum(x - 0.2, 0) - 0.8, 0),
        ),
    ],
)
def test_an_expression_below_a_function_is_an_argument(used, wanted):
    document = read(rf"{SOFT}$$ y = {used} $$")
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["y"]
    given = {"x": tensor(a, "emb"), "lambda_": 0.4, "L": 4.0}
    given = {p.name: given[p.name] for p in found.signature.parameters}
    same(found(**given), wanted(a), "emb")
    same(document[r"\eta"](x=tensor(a, "emb"), theta=0.3), np.maximum(a - 0.3, 0), "emb")


def test_a_letter_below_a_function_is_a_member_as_before():
    document = read(rf"{SOFT}$$ y = \eta_\theta(x) $$")
    assert r"\eta_\theta" in document


@pytest.mark.parametrize(
    ("named", "used"), [(r"\eta(x, t)", r"\eta(x, b)"), (r"\eta_t(x)", r"\eta_{b / 1}(x)")]
)
def test_a_function_of_numbers_takes_a_tensor_for_what_is_called_a_number(named, used):
    text = rf"""Let $x, b \in \mathbb{{R}}^{{\text{{emb}}}}$.
$$ {named} = \max(x - t, 0), \qquad t \ge 0 $$
$$ y = {used} $$"""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["y"](x=tensor(a, "emb"), b=tensor(a[::-1].copy(), "emb"))
    same(found, np.maximum(a - a[::-1], 0), "emb")


ATTEND = r"""# A
$$f(Q, K, V) = V \dotp{kp} \underset{\text{kp}}{\text{softmax}}(Q \dotp{dk} K)$$
- queries $Q \in \mathbb{R}^{\text{qp} \times \text{dk}}$
- keys $K \in \mathbb{R}^{\text{kp} \times \text{dk}}$
- values $V \in \mathbb{R}^{\text{kp} \times \text{dv}}$
# B
$$g(X, Y) = CALL$$
with $X \in \mathbb{R}^{\text{qp} \times \text{emb}}$, $Y \in \mathbb{R}^{\text{kp} \times \text{emb}}$,
$U \in \mathbb{R}^{\text{dv} \times \text{emb}}$ and
$H \in \mathbb{R}^{\text{head} \times \text{dk} \times \text{emb}}$."""
HEADS = r"f(H \dotp{emb} X, H \dotp{emb} Y, U \dotp{emb} Y)"


@pytest.mark.parametrize(
    "call", [HEADS, rf"\sum_{{\text{{head}}}} {HEADS}", HEADS.replace("U", r"\frac{U}{2}")]
)
def test_a_call_with_more_axes_leaves_a_declaration_below_the_function_as_it_is(call):
    text = ATTEND.replace("CALL", call)
    document = read(re.sub(r"\\dotp{(\w+)}", r"\\underset{\\text{\1}}{\\cdot}", text))
    assert [f for f in document.check() if f.severity != "note"] == []
    said = str(document["f"].signature)
    assert said.startswith("(Q: R[qp, dk], K: R[kp, dk], V: R[kp, dv])")


def test_a_call_with_another_axis_says_that_a_declaration_is_anothers():
    other = r"$P \in \mathbb{R}^{\text{step} \times \text{kp}}$, $$c(P) = f(2 P)$$"
    text = r"""# A
$$f(Q) = \underset{\text{kp}}{\text{softmax}} Q$$
# B
Let $Q \in \mathbb{R}^{\text{qp} \times \text{kp}}$. """
    assert read(text + other).check() == []
