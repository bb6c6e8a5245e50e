r"""A letter that is declared and is a function too, z and z(x), or a series too, C and C^k with C^0 given."""

import numpy as np
import pytest

import namedtensor as nt

GENERATOR = np.random.default_rng(9)

VAE = r"""
# A variational autoencoder

Let $x \in \mathbb{R}^{\text{pixel}}$ be an image and $z \in \mathbb{R}^{\text{latent}}$ its code.
The encoder gives the parameters of a Gaussian,

$$
\begin{aligned}
h &= \tanh(W \underset{\text{pixel}}{\cdot} x) \\
\text{enc}(x) &= (U \underset{\text{hid}}{\cdot} h, S \underset{\text{hid}}{\cdot} h) \\
W &\in \mathbb{R}^{\text{hid}, \text{pixel}} \\
U, S &\in \mathbb{R}^{\text{latent}, \text{hid}}
\end{aligned}
$$

With $\epsilon \in \mathbb{R}^{\text{latent}}$ drawn from a standard normal, the code is

$$
\begin{aligned}
(\mu, s) &= \text{enc}(x) \\
z(x, \epsilon) &= \mu + \exp(s / 2) \odot \epsilon
\end{aligned}
$$

and the decoder $\text{dec}(z) = \sigma(V \underset{\text{latent}}{\cdot} z)$ with
$V \in \mathbb{R}^{\text{pixel}, \text{latent}}$. The loss is

$$
\mathcal{L}(x, \epsilon) = \sum_{\text{pixel}} (x - \text{dec}(z(x, \epsilon)))^2
    + \frac{1}{2} \sum_{\text{latent}} (\mu^2 + \exp(s) - s - 1)
$$
"""

CLUSTERS = r"""
# Soft clusters

Data $X \in \mathbb{R}^{\text{point} \times \text{dim}}$,
centres $C \in \mathbb{R}^{\text{cluster} \times \text{dim}}$.

$$
\begin{aligned}
D(X, C) &= \sum_{\text{dim}} (X - C)^2 \\
R &= \underset{\text{cluster}}{\text{softmax}}(-\beta D(X, C)) \\
\text{update}(X, C, \beta) &= \frac{R \underset{\text{point}}{\cdot} X}{\sum_{\text{point}} R}
\end{aligned}
$$

where $\beta \in \mathbb{R}$ is the stiffness. Iterating, $C^{k} = \text{update}(X, C^{k-1}, \beta)$ with
$C^0 \in \mathbb{R}^{\text{cluster} \times \text{dim}}$ given, and $\text{fit}(X) = C^{5}$.
"""


def drawn(sizes):
    return GENERATOR.normal(size=sizes)


def test_a_declared_letter_is_a_function_before_brackets():
    document = nt.latex.read(VAE)
    assert document.check() == []
    x, epsilon, W, U, S, V = map(drawn, (5, 3, (4, 5), (3, 4), (3, 4), (5, 3)))
    h = np.tanh(W @ x)
    mu, s = U @ h, S @ h
    decoded = 1 / (1 + np.exp(-V @ (mu + np.exp(s / 2) * epsilon)))
    expected = ((x - decoded) ** 2).sum() + (mu**2 + np.exp(s) - s - 1).sum() / 2
    found = document["L"](
        nt.tensor(x, "pixel"),
        nt.tensor(epsilon, "latent"),
        W=nt.tensor(W, "hid pixel"),
        U=nt.tensor(U, "latent hid"),
        S=nt.tensor(S, "latent hid"),
        V=nt.tensor(V, "pixel latent"),
    )
    np.testing.assert_allclose(found.item(), expected)


def test_a_declared_letter_has_members_where_the_first_is_given():
    document = nt.latex.read(CLUSTERS)
    assert document.check() == []
    X, C, beta = drawn((6, 2)), drawn((3, 2)), 0.7
    given = nt.tensor(X, "point dim"), nt.tensor(np.array(beta), ()), nt.tensor(C, "cluster dim")
    found = document["fit"](given[0], beta=given[1], C0=given[2])
    for _ in range(5):
        weights = np.exp(-beta * ((X[:, None] - C) ** 2).sum(-1))
        weights /= weights.sum(1, keepdims=True)
        C = weights.T @ X / weights.sum(0)[:, None]
    np.testing.assert_allclose(found.numpy("cluster", "dim"), C)


def test_the_letter_of_a_rule_is_no_argument_of_the_same_name():
    document = nt.latex.read(DIFFUSION)
    assert document.check() == []
    beta, x, epsilon = GENERATOR.uniform(0, 0.2, 5), drawn((2, 3)), drawn((2, 3))
    given = nt.tensor(x, "height width"), nt.tensor(epsilon, "height width")
    for place, kept in enumerate(np.cumprod(1 - beta)):
        t = nt.tensor(np.array(place), ())
        found = document["q"](given[0], t, given[1], beta=nt.tensor(beta, "step"))
        expected = np.sqrt(kept) * x + np.sqrt(1 - kept) * epsilon
        np.testing.assert_allclose(found.numpy("height", "width"), expected)
    last = nt.tensor(np.array([0, 4]), "batch")  # expected is what the last place gives
    found = document["q"](given[0], last, given[1], beta=nt.tensor(beta, "step"))
    np.testing.assert_allclose(found.numpy("batch", "height", "width")[1], expected)


DIFFUSION = r"""
# Diffusion

A clean image is $x_0 \in \mathbb{R}^{\text{height} \times \text{width}}$, the schedule
$\beta \in \mathbb{R}^{\text{step}}$.

$$
\begin{aligned}
\bar{\alpha}_{\text{step}(0)} &= 1 \\
\bar{\alpha}_{\text{step}(t)} &= \bar{\alpha}_{\text{step}(t-1)} \cdot (1 - \beta)_{\text{step}(t)} \\
q(x_0, t, \epsilon) &= \sqrt{\bar{\alpha}_{\text{step}(t)}} \, x_0
    + \sqrt{1 - \bar{\alpha}_{\text{step}(t)}} \, \epsilon
\end{aligned}
$$

with noise $\epsilon \in \mathbb{R}^{\text{height} \times \text{width}}$ and $t \in [\text{step}]$.
"""


@pytest.mark.parametrize("first", [True, False])
def test_a_function_has_its_name_beside_elements_of_the_same_letter(first):
    rules = [
        r"$$\text{gain}(G) = G \underset{\text{rank}}{\cdot} w, \qquad w_{\text{rank}:r} = 1 / r$$",
        r"$$\text{gain}_k = \sum_{r=1}^{k} G_{\text{rank}:r} / r$$",
    ]
    text = r"Let $G \in \mathbb{R}^{\text{rank}:n}$. " + " ".join(rules if first else rules[::-1])
    document = nt.latex.read(text)
    assert document.check() == []
    G = drawn(4)
    terms = G / np.arange(1, 5)
    np.testing.assert_allclose(document[r"\text{gain}"](nt.tensor(G, "rank")).item(), terms.sum())
    found = document[r"\text{gain}_k"](nt.tensor(G, "rank"))
    np.testing.assert_allclose(found.numpy("rank"), terms.cumsum())


@pytest.mark.parametrize("power", [r"e^{-z}", r"e^{-(z)}"])
def test_e_below_a_power_is_the_number_beside_a_function_of_that_letter(power):
    document = nt.latex.read(
        r"Let $x, W \in \mathbb{R}^{\text{a}}$. "
        r"$$e(x) = \Lambda(W \underset{\text{a}}{\cdot} x), \qquad "
        rf"\Lambda(z) = \frac{{1}}{{1 + {power}}}$$"
    )
    assert document.check() == []
    given = nt.tensor([1.0, 2.0], "a")
    assert abs(float(document["e"](x=given, W=given)) - 1 / (1 + np.exp(-5))) < 1e-12


@pytest.mark.parametrize("letter", [r"\ddot D", "D", r"\Sigma"])
def test_the_square_of_what_only_prose_names_is_noted_as_the_letter_itself_is(letter):
    document = nt.latex.read(
        r"Let $Y \in \mathbb{R}^{\text{a}}$. "
        r"$$d = \sum_{\text{a}} LETTER \odot Y / \sum_{\text{a}} LETTER^2$$"
        r" with $LETTER$ made in the same way.".replace("LETTER", letter)
    )
    assert {(f.severity, f.code) for f in document.check()} == {("note", "undefined")}


def test_parameters_of_each_layer_may_be_declared_in_another_section():
    document = nt.latex.read(
        r"""# Parameters

1. for each of the $L$ layers $\ell$: $W^\ell \in \mathbb{R}^{\text{a} \times \text{b}}$

# Forward

Let $X^0 \in \mathbb{R}^{\text{a}}$. For $\ell = 1, \ldots, L$:

$$X^\ell = [ W^\ell \underset{\text{a}}{\cdot} X^{\ell-1} ]_{\text{b} \to \text{a}}$$""",
        "notes.md",
    )
    W, X = np.arange(12.0).reshape(3, 2, 2), np.array([1.0, -2.0])
    found = document.bind(L=3)["X^L"](X0=nt.tensor(X, "a"), W=nt.tensor(W, "ell a b"))
    np.testing.assert_allclose(found.numpy("a"), X @ W[0] @ W[1] @ W[2])


CLASH = r"""
$$
\begin{aligned}
X &\in \mathbb{R}^{\text{dst}, \text{emb}}, \quad Y \in \mathbb{R}^{\text{src}, \text{emb}} \\
\text{att}(X, Y) &= A \underset{\text{src}}{\cdot} Y \\
A &= \underset{\text{src}}{\text{softmax}} (X \underset{\text{emb}}{\cdot} Y)
\end{aligned}
$$
"""
BEHIND = [
    r"and $\text{mlp}(x; A) = \tanh(A \underset{\text{emb}}{\cdot} x)$ "
    r"with $A \in \mathbb{R}^{\text{emb}, \text{hid}}$ and $x \in \mathbb{R}^{\text{emb}}$",
    "\n"
    r"$$\text{mlp}(x; A) = \tanh(A \underset{\text{emb}}{\cdot} x)$$ "
    r"with weights $A \in \mathbb{R}^{\text{emb}, \text{hid}}$ and $x \in \mathbb{R}^{\text{emb}}$.",
]


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("first", [True, False])
def test_a_letter_of_one_function_is_not_the_parameter_of_another(behind, first):
    document = nt.latex.read(f"{CLASH}\n\n{behind}" if first else f"{behind}\n\n{CLASH}")
    assert not [f for f in document.check() if f.severity != "note"]
    X, Y, A = (GENERATOR.normal(size=shape) for shape in ((2, 3), (4, 3), (3, 5)))
    e = np.exp(X @ Y.T)
    found = document["att"](nt.tensor(X, "dst emb"), nt.tensor(Y, "src emb"))
    np.testing.assert_allclose(found.numpy("dst emb"), e / e.sum(1, keepdims=True) @ Y)
    found = document["mlp"](nt.tensor(X, "b emb"), A=nt.tensor(A, "emb hid"))
    np.testing.assert_allclose(found.numpy("b hid"), np.tanh(X @ A))


@pytest.mark.parametrize("body", ["2 d_{\\text{ex}(i)}", "d_{\\text{ex}(i)} + d_{\\text{ex}(1)}"])
def test_elements_of_a_section_are_no_size_of_another(body):
    document = nt.latex.read(
        rf"""## In
Let $Y \in \mathbb{{R}}^{{\text{{seq}}:T, \text{{vocab}}:v}}$ and $d \in \mathbb{{R}}^{{\text{{ex}}}}$.
$$ m = \frac{{1}}{{v}} \sum_{{\text{{vocab}}}} Y $$
## Loss
$$ v_{{\text{{ex}}(i)}} = {body} $$
$$ L = \sum_{{\text{{ex}}}} (d - v) $$"""
    )
    assert document.check() == []
    d, Y = np.array([1.0, 4.0]), np.arange(6.0).reshape(2, 3)
    v = 2 * d if body.startswith("2") else d + 1
    np.testing.assert_allclose(document["L"](d=nt.tensor(d, "ex")).item(), (d - v).sum())
    found = document["m"](Y=nt.tensor(Y, "seq vocab"))
    np.testing.assert_allclose(found.numpy("seq"), Y.mean(1))


def test_a_size_beside_a_series_is_that_of_the_section_s_axis():
    document = nt.latex.read(
        r"""## In
Let $d \in \{0, 1\}^{\text{ex}:n}$ and $n_1 = \sum_{\text{ex}} d$, $n_0 = \sum_{\text{ex}} (1 - d)$.
$$ p = n_1 / n $$
## Pairs
Let $w \in \mathbb{R}^{\text{pair}:n}$. $$ m = \frac{1}{n} \sum_{\text{pair}} w $$"""
    )
    assert [f for f in document.check() if f.severity != "note"] == []
    assert document["m"](w=nt.tensor([1.0, 3, 5], "pair")).item() == 3
    assert document["p"](d=nt.tensor([1.0, 0, 0, 0], "ex")).item() == 0.25
