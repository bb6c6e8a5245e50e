r"""What lectures leave unsaid: rows x_i, members W^g of each gate, the root of \sigma^2, the last step."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.errors import NamedTensorError
from namedtensor.latex import read

rng = np.random.default_rng(0)
x = rng.normal(size=(9, 2))
mu = x[:3] + 0.1
CENTRES = r"""Points $x \in \mathbb{R}^{\text{pt} \times \text{dim}}$,
centres $\mu \in \mathbb{R}^{\text{clus} \times \text{dim}}$.
"""


def errors(document):
    return [str(f) for f in document.check() if f.severity != "note"]


def run(text, name, **given):
    document = read(text)
    assert errors(document) == []
    found = document[name](**given)
    return found.numpy(*found.axes)


def points():
    return {"x": tensor(x, "pt", "dim"), "mu": tensor(mu, "clus", "dim")}


@pytest.mark.parametrize(
    "nearest",
    [
        r"$$z_i = \arg\min_{k} \lVert x_i - \mu_k \rVert^2$$",
        r"$$z_n = \operatorname{argmin}_j \lVert \mu_j - x_n \rVert$$",
    ],
)
def test_one_index_of_a_matrix_is_that_of_its_rows(nearest):
    distances = ((x[:, None] - mu) ** 2).sum(-1)
    np.testing.assert_array_equal(run(CENTRES + nearest, "z", **points()), distances.argmin(1) + 1)


def test_an_index_that_was_found_is_one_of_the_axis_on_which_it_was_looked_for():
    text = CENTRES + r"$$z_i = \arg\min_{k} \lVert x_i - \mu_k \rVert^2$$"
    text += r"The objective is $J = \sum_i \lVert x_i - \mu_{z_i} \rVert^2$."
    distances = ((x[:, None] - mu) ** 2).sum(-1)
    np.testing.assert_allclose(run(text, "J", **points()), distances.min(1).sum())


def test_an_update_of_rows_is_one_of_each_row():
    text = CENTRES + r"$$z_i = \arg\min_{k} \lVert x_i - \mu_k \rVert^2$$"
    text += r"$$\mu_k \leftarrow \frac{\sum_{i : z_i = k} x_i}{|\{ i : z_i = k \}|}$$"
    chosen = ((x[:, None] - mu) ** 2).sum(-1).argmin(1)
    wanted = [x[chosen == k].mean(0) for k in range(3)]
    np.testing.assert_allclose(run(text, "mu", **points()), wanted)


def test_two_indices_of_which_neither_has_a_range_are_rows_and_other_rows():
    text = CENTRES + r"$$q_{ij} = \frac{(1 + \lVert x_i - x_j \rVert^2)^{-1}}"
    text += r"{\sum_{k \neq l} (1 + \lVert x_k - x_l \rVert^2)^{-1}}$$"
    near = 1 / (1 + ((x[:, None] - x) ** 2).sum(-1))
    wanted = near / (near.sum() - np.trace(near))
    np.testing.assert_allclose(run(text, "q", x=points()["x"]), wanted)


def test_a_range_whose_end_is_no_size_leaves_an_index_at_its_place():
    text = r"""Let $x \in \mathbb{R}^{\text{time}}$. Frames have $N$ samples:
$$f_{\text{frame}(m), \text{lag}(k)} = x_{\text{time}(2 m + k)}, \quad k = 1, \dots, N$$
and $w_{\text{lag}(k)} = k$. $$S_{\text{frame}(m)} = \sum_{k=1}^{N} w_k f_{m,k}$$"""
    assert errors(read(text)) == []


@pytest.mark.parametrize("axis", ["batch", "time"])
def test_what_is_acted_on_along_the_axis_has_no_elements(axis):
    text = rf"""Let $g \in \mathbb{{R}}^{{\text{{{axis}}} \times \text{{par}}}}$.
$$m_i = \sum_{{\text{{{axis}}}}} g_i$$"""
    assert any("g_i is neither declared nor defined" in said for said in errors(read(text)))


def test_elements_of_what_is_made_of_names_with_scripts():
    text = r"""Let $Z^A, Z^B \in \mathbb{R}^{\text{batch} \times \text{feat}}$ and
$$\hat Z^A = Z^A - \underset{\text{batch}}{\text{mean}} Z^A, \qquad \hat Z^B = (Z^B)^2.$$
$$C = \frac{1}{|\text{batch}|} \hat Z^A \underset{\text{batch}}{\odot}
\hat Z^B_{\text{feat} \to \text{feat}'}$$
$$L = \sum_i (1 - C_{ii})^2 + \lambda \sum_i \sum_{j \neq i} C_{ij}^2$$"""
    a, b = rng.normal(size=(2, 5, 3))
    C = (a - a.mean(0)).T @ b**2 / 5
    own = np.diag(C)
    wanted = ((1 - own) ** 2).sum() + 0.3 * ((C**2).sum() - (own**2).sum())
    given = {"Z__A": tensor(a, "batch", "feat"), "Z__B": tensor(b, "batch", "feat")}
    np.testing.assert_allclose(run(text, "L", lambda_=0.3, **given), wanted)


@pytest.mark.parametrize("script", ["^", "_"])
def test_what_is_declared_and_defined_for_each_member_is_so_for_every_one(script):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{in}}}}$. For each gate $g \in \{{r, z\}}$ let
$W{script}g \in \mathbb{{R}}^{{\text{{in}} \times \text{{hid}}}}$ and
$b{script}g \in \mathbb{{R}}^{{\text{{hid}}}}$, and
$$a{script}g = \sigma(W{script}g \underset{{\text{{in}}}}{{\odot}} x + b{script}g).$$
$$y = a{script}r - 2 a{script}z$$"""
    document = read(text)
    assert errors(document) == []
    W, b, v = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3)), rng.normal(size=4)
    found = document["y"]
    named = {p.name.replace("_", ""): p.name for p in found.signature.parameters}
    given = {named["x"]: tensor(v, "in")}
    given |= {named[f"W{g}"]: tensor(w, "in", "hid") for g, w in zip("rz", W, strict=True)}
    given |= {named[f"b{g}"]: tensor(w, "hid") for g, w in zip("rz", b, strict=True)}
    gates = 1 / (1 + np.exp(-(v @ W + b)))
    np.testing.assert_allclose(found(**given).numpy("hid"), gates[0] - 2 * gates[1])


def test_what_begins_a_series_is_declared_by_the_space_behind_it():
    text = r"""With $H^{(0)} = X \in \mathbb{R}^{\text{node} \times \text{hid}}$ let
$$H^{(l)} = \text{relu}(H^{(l-1)} - 1), \qquad y = \sum_{\text{node}} (H^{(2)} + X).$$"""
    X = rng.normal(size=(3, 2)) + 2
    step = np.maximum(np.maximum(X - 1, 0) - 1, 0)
    np.testing.assert_allclose(run(text, "y", X=tensor(X, "node", "hid")), (step + X).sum(0))


GAUSS = r"""The encoder gives $\mu, \log \sigma^2 \in \mathbb{R}^{\text{lat}}$, and
$z = \mu + \sigma \odot \epsilon$ with $\epsilon \in \mathbb{R}^{\text{lat}}$.
$$D = \frac{1}{2} \sum_{\text{lat}} (\mu^2 + \sigma^2 - \log \sigma^2 - 1)$$"""


def test_the_logarithm_of_a_variance_declares_the_variance_and_its_root():
    m, v, e = rng.normal(size=(3, 4)) ** 2
    given = {"mu": tensor(m, "lat"), "sigmasq": tensor(v, "lat")}
    np.testing.assert_allclose(
        run(GAUSS, "z", epsilon=tensor(e, "lat"), **given), m + np.sqrt(v) * e
    )
    wanted = (m**2 + v - np.log(v) - 1).sum() / 2
    np.testing.assert_allclose(run(GAUSS, "D", **given), wanted)


def test_the_root_of_a_declared_square_has_elements_and_the_function_of_the_letter_stays():
    text = r"""Let $\sigma^2, x \in \mathbb{R}^{\text{feat}}$.
$$q = \sum_i \sigma_i x_i \qquad p = \sigma(x) + \sigma^4$$"""
    v, u = rng.normal(size=(2, 4)) ** 2
    given = {"sigmasq": tensor(v, "feat"), "x": tensor(u, "feat")}
    np.testing.assert_allclose(run(text, "q", **given), np.sqrt(v) @ u)
    np.testing.assert_allclose(run(text, "p", **given), 1 / (1 + np.exp(-u)) + v**2)


def test_what_is_held_to_a_number_defines_no_function():
    text = r"""Let $W \in \mathbb{R}^{\text{a} \times \text{b}}$. The columns are kept at unit norm:
$\underset{\text{a}}{\text{norm}} W = 1$. $$s = \sum_{\text{b}} \underset{\text{a}}{\text{norm}} (2 W)$$"""
    W = rng.normal(size=(3, 2))
    assert "norm" not in read(text).names
    wanted = 2 * np.linalg.norm(W, axis=0).sum()
    np.testing.assert_allclose(run(text, "s", W=tensor(W, "a", "b")), wanted)


@pytest.mark.parametrize(("letter", "name"), [("d", "d"), (r"\delta", "delta")])
def test_a_letter_before_brackets_in_an_index_is_a_factor(letter, name):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{time}}}}$ and $w \in \mathbb{{R}}^{{\text{{tap}}:K}}$.
With dilation ${letter}$,
$$y_{{\text{{time}}(t)}} = \sum_{{k=1}}^{{K}} w_{{\text{{tap}}(k)}} x_{{\text{{time}}(t - {letter} (k-1))}}$$
where samples before the start are zero."""
    u, w = rng.normal(size=7), rng.normal(size=3)
    wanted = [sum(w[k] * u[t - 2 * k] for k in range(3) if t >= 2 * k) for t in range(7)]
    found = run(text, "y", x=tensor(u, "time"), w=tensor(w, "tap"), **{name: 2})
    np.testing.assert_allclose(found, wanted)


PARAMETERS = r"""Let $x \in \mathbb{R}^{\text{in}}$, $W \in \mathbb{R}^{\text{in} \times \text{hid}}$ and
$v \in \mathbb{R}^{\text{hid}}$. The parameters are $\theta = (W, v)$.
"""
NET = r"v \underset{\text{hid}}{\odot} \tanh(W \underset{\text{in}}{\odot} x)"


@pytest.mark.parametrize("f", [r"f(x; \theta)", r"f_\theta(x)", "f(x; W, v)"])
def test_a_function_of_the_letter_of_a_list_takes_what_it_uses_of_it(f):
    call = f.replace("W, v", r"\theta")
    text = PARAMETERS + rf"$${f} = {NET}$$ $$L(\theta) = ({call} - 1)^2$$"
    u, W, v = rng.normal(size=3), rng.normal(size=(3, 2)), rng.normal(size=2)
    given = {"x": tensor(u, "in"), "W": tensor(W, "in", "hid"), "v": tensor(v, "hid")}
    np.testing.assert_allclose(run(text, "L", **given), (np.tanh(u @ W) @ v - 1) ** 2)


@pytest.mark.parametrize(
    ("f", "other", "names"),
    [
        (r"f(x; \theta)", r"f(x; \bar\theta)", ("Wbar", "vbar")),
        ("f(x; W, v)", r"f(x; \theta')", ("W_", "v_")),
        (r"f_\theta(x)", r"f_{\theta'}(x)", ("W_", "v_")),
        (r"f_\theta(x)", r"f_{\hat\theta}(x)", ("What", "vhat")),
        (r"f(x; \theta)", r"f(x; \phi)", ("W_phi", "v_phi")),
        (r"f_\theta(x)", r"f_\xi(x)", ("W_xi", "v_xi")),
        (r"f(x; \theta)", r"f(x; \theta_{\text{old}})", ("W_old", "v_old")),
    ],
)
def test_a_mark_at_the_letter_of_a_list_is_one_at_each_of_it(f, other, names):
    call = f.replace("W, v", r"\theta")
    text = PARAMETERS + rf"$${f} = {NET}$$ $$D = {call} - {other}$$"
    u, W, v = rng.normal(size=3), rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 2))
    given = {"x": tensor(u, "in"), "W": tensor(W[0], "in", "hid"), "v": tensor(v[0], "hid")}
    given |= {names[0]: tensor(W[1], "in", "hid"), names[1]: tensor(v[1], "hid")}
    values = [np.tanh(u @ a) @ b for a, b in zip(W, v, strict=True)]
    np.testing.assert_allclose(run(text, "D", **given), values[0] - values[1])


@pytest.mark.parametrize("other", [r"\phi", r"\xi"])
def test_parameters_that_are_declared_one_by_one_have_others_of_their_kind(other):
    text = r"""Let $x \in \mathbb{R}^{\text{in}}$, $\theta^1 \in \mathbb{R}^{\text{in} \times \text{hid}}$
    and $\theta^2 \in \mathbb{R}^{\text{hid}}$.
    $$f(x; \theta) = \theta^2 \underset{\text{hid}}{\odot} \tanh(\theta^1 \underset{\text{in}}{\odot} x)$$
    $$L(\theta) = f(x; \theta) - f(x; OTHER)$$""".replace("OTHER", other)
    u, W, v = rng.normal(size=3), rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 2))
    given = {"x": tensor(u, "in")}
    for name, a, b in zip(("theta", other[1:]), W, v, strict=True):
        given |= {f"{name}1": tensor(a, "in", "hid"), f"{name}2": tensor(b, "hid")}
    values = [np.tanh(u @ a) @ b for a, b in zip(W, v, strict=True)]
    np.testing.assert_allclose(run(text, "L", **given), values[0] - values[1])


def test_a_mark_stands_beside_the_number_of_a_parameter():
    text = r"""Let $x, W_1, W_2 \in \mathbb{R}^{\text{in}}$, together $\theta = (W_1, W_2)$.
    $$f(x; \theta) = \sum_{\text{in}} W_1 x + W_2$$ $$D = f(x; \theta) - f(x; \theta_{\text{old}})$$"""
    u, a, b, c, d = rng.normal(size=(5, 3))
    given = {"x": u, "W_1": a, "W_2": b, "W_1__old": c, "W_2__old": d}
    given = {name: tensor(value, "in") for name, value in given.items()}
    np.testing.assert_allclose(run(text, "D", **given), ((a - c) @ u) + b - d)


@pytest.mark.parametrize("upto", ["", r", \qquad t = 2, \dots, T"])
def test_the_last_step_is_that_of_the_axis(upto):
    text = r"""Let $x \in \mathbb{R}^{\text{time}}$. With $s_1 = x_{\text{time}(1)}$ and
$$s_t = \beta s_{t-1} + (1 - \beta) x_{\text{time}(t)}UPTO$$
the forecast is $f = s_T$.""".replace("UPTO", upto)
    u, total = rng.normal(size=5), 0.0
    for at, one in enumerate(u):
        total = 0.3 * total + 0.7 * one if at else one
    np.testing.assert_allclose(run(text, "f", x=tensor(u, "time"), beta=0.3), total)


def test_ones_of_an_index_stand_along_the_axis_of_which_it_is_one():
    text = r"""Let $y \in [\text{vocab}]^{\text{seq}}$.
$$q = 0.9 \, \text{onehot}(y) + 0.1 / |\text{vocab}|$$"""
    document = read(text)
    assert errors(document) == []
    found = document.bind(vocab=4)["q"](tensor(np.array([1, 3]), "seq")).numpy("seq", "vocab")
    np.testing.assert_allclose(found, 0.9 * np.eye(4)[[1, 3]] + 0.025)


def test_what_is_spaced_is_a_product_and_not_a_call():
    text = r"""Let $m, z \in \mathbb{R}^{\text{seq}}$. $$a = m \, (z) \qquad b = m (z)$$"""
    assert len(errors(read(text))) == 1


def test_an_index_that_is_compared_with_a_class_is_one_of_a_class():
    text = r"""Let $s \in \mathbb{R}^{\text{ex} \times \text{cls}}$ and $y \in [\text{cls}]^{\text{ex}}$.
$$L = \sum_{i} \sum_{j \neq y_i} \max(0, s_{ij} - s_{i y_i} + 1)$$"""
    s, y = rng.normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])
    apart = np.maximum(0, s - s[np.arange(5), y][:, None] + 1)
    apart[np.arange(5), y] = 0
    given = {"s": tensor(s, "ex", "cls"), "y": tensor(y, "ex")}
    np.testing.assert_allclose(run(text, "L", **given), apart.sum())


@pytest.mark.parametrize("end", ["T", "T - 1"])
def test_steps_up_to_an_end_that_nothing_gives_are_those_of_the_axis(end):
    last = "" if end == "T" else "_{t+1}"
    text = rf"""Let $r, v \in \mathbb{{R}}^{{\text{{step}}}}$ be rewards and values.
$$\delta_t = r_t - \gamma v{last or "_t"}, \qquad t = 1, \dots, {end}.$$"""
    r, v = rng.normal(size=(2, 6))
    wanted = r - 0.9 * v if end == "T" else r[:-1] - 0.9 * v[1:]
    given = {"r": tensor(r, "step"), "v": tensor(v, "step")}
    np.testing.assert_allclose(run(text, "delta", gamma=0.9, **given), wanted)


# ------------------------------------------------------------------------- normalised by elements

z = rng.normal(size=4)
S = rng.normal(size=(3, 4))
P = np.exp(S) / np.exp(S).sum(1, keepdims=True)
CLASSES = r"Let $z \in \mathbb{R}^{\text{class}:k}$ be the logits. "
SCORES = r"Scores $S \in \mathbb{R}^{\text{query}:n, \text{seq}:m}$. "


@pytest.mark.parametrize(
    "said",
    [
        r"$$p_c = \frac{\exp(z_c)}{\sum_{c'} \exp(z_{c'})}$$",
        r"$$p_i = \frac{e^{z_i}}{\sum_{i'=1}^k e^{z_{i'}}}$$",
    ],
)
def test_a_primed_letter_is_another_index(said):
    found = run(CLASSES + said, "p", z=tensor(z, "class"))
    np.testing.assert_allclose(found, np.exp(z) / np.exp(z).sum())


@pytest.mark.parametrize("below", ["S_{ij'}", "S_{i,j'}", "S_{i j'}"])
@pytest.mark.parametrize("over", ["j'", "j'=1}^{m"])
def test_a_primed_letter_may_stand_beside_another(below, over):
    said = rf"$$A_{{ij}} = \frac{{\exp(S_{{ij}})}}{{\sum_{{{over}}} \exp({below})}}$$"
    document = read(SCORES + said)
    assert errors(document) == []
    found = document["A"](S=tensor(S, "query", "seq")).numpy("query", "seq")
    np.testing.assert_allclose(found, P)
    (note,) = [f for f in document.check() if "taken as an element" in f.message]
    assert r"as S_{\text{query}:i, \text{seq}:j'}" in note.message


H = rng.normal(size=(3, 4))
v = rng.normal(size=4)
WEIGHTS = r"""Let $H \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ and $v \in \mathbb{R}^{\text{emb}:d}$.
$$a = \underset{\text{seq}}{\text{softmax}}(H \underset{\text{emb}}{\cdot} v)$$
"""


@pytest.mark.parametrize(
    "said", [r"The pooled state is $c = \sum_i a_i H_i$.", r"$$c = \sum_{j=1}^n a_j H_j$$"]
)
def test_elements_of_what_is_defined_as_a_whole_are_along_its_axis(said):
    a = np.exp(H @ v) / np.exp(H @ v).sum()
    found = run(WEIGHTS + said, "c", H=tensor(H, "seq", "emb"), v=tensor(v, "emb"))
    np.testing.assert_allclose(found, a @ H)


def test_an_index_of_the_shorter_of_two_lengths_stays_inside_of_both():
    text = r"""Rewards $r \in \mathbb{R}^{\text{time}:T}$ and values $V \in \mathbb{R}^{\text{time}:T+1}$.
    For $t = 1, \dots, T$, $$\delta_t = r_t + V_{t+1} - V_t$$
    $$A_t = \delta_t + \lambda A_{t+1}, \quad A_{T+1} = 0$$"""
    r, V = rng.normal(size=4), rng.normal(size=5)
    delta = r + V[1:] - V[:-1]
    wanted = [sum(0.5 ** (s - t) * delta[s] for s in range(t, 4)) for t in range(4)]
    found = run(text, "A", r=tensor(r, "time"), V=tensor(V, "time"), lambda_=0.5)
    np.testing.assert_allclose(found, wanted)


# ------------------------------------------------------------------------- densities of mixtures

MIXTURE = r"""Data $x \in \mathbb{R}^{\text{obs}:n, \text{feat}:d}$,
weights $\pi \in \mathbb{R}^{\text{comp}:K}$,
means $\mu \in \mathbb{R}^{\text{comp}:K, \text{feat}:d}$ and
deviations $\sigma \in \mathbb{R}^{\text{comp}:K}$.
"""
LOG = r"\log p_{ik} =\log \pi_k - \frac{d}{2} \log(2 \pi \sigma_k^2) - \frac{\|x_i - \mu_k\|^2}{2 \sigma_k^2}"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (r"$$LOG$$", "logp"),
        (r"$$LOG$$ $$r_{ik} = p_{ik} / \sum_{j=1}^K p_{ij}$$", "p"),
        (
            r"$$p = \pi (2\pi \sigma^2)^{-d/2} \exp(-\sum_{\text{feat}} (x - \mu)^2 / (2 \sigma^2))$$",
            "p",
        ),
    ],
)
def test_2_pi_beside_weights_that_are_called_pi_is_the_number(said, name):
    weights, s = np.array([0.2, 0.3, 0.5]), np.array([0.5, 1.0, 2.0])
    squares = ((x[:, None] - mu) ** 2).sum(-1)
    wanted = weights * np.exp(-squares / (2 * s**2)) / (2 * np.pi * s**2)
    document = read(MIXTURE + said.replace("LOG", LOG))
    assert errors(document) == []
    assert [f for f in document.check() if "3.14159, and not the" in f.message]
    given = {"x": tensor(x, "obs", "feat"), "mu": tensor(mu, "comp", "feat")}
    given |= {"pi": tensor(weights, "comp"), "sigma": tensor(s, "comp")}
    found = document[name](**given).numpy("obs", "comp")
    np.testing.assert_allclose(found, np.log(wanted) if name == "logp" else wanted)


def test_a_function_of_sigma_squared_takes_what_sigma_is_over():
    text = r"""Let $x, \mu, \sigma \in \mathbb{R}^{\text{dim}}$.
    $$\text{logN}(x; \mu, \sigma^2) =
    -\frac12 \sum_{\text{dim}} \Bigl(\log(2\pi\sigma^2) + \frac{(x-\mu)^2}{\sigma^2}\Bigr)$$
    $$q = \text{logN}(x; \mu, \sigma^2)$$"""
    values = rng.normal(size=(3, 4)) ** 2 + 0.1
    given = dict(zip(("x", "mu", "sigma"), (tensor(v, "dim") for v in values), strict=True))
    a, m, s = values
    wanted = -0.5 * (np.log(2 * np.pi * s**2) + (a - m) ** 2 / s**2).sum()
    np.testing.assert_allclose(run(text, "q", **given), wanted)


def test_a_parameter_that_nothing_declares_has_the_axes_that_calls_give():
    text = r"""Let $x, c \in \mathbb{R}^{\text{dim}}$.
    $$f(x; b) = \sum_{\text{dim}} (x - b)^2$$ $$q = f(x; c)$$"""
    found = run(text, "q", x=tensor(z, "dim"), c=tensor(v, "dim"))
    np.testing.assert_allclose(found, ((z - v) ** 2).sum())


def test_a_step_in_prose_of_what_nothing_gives_is_a_remark():
    text = r"""$X \in \mathbb{R}^{\text{batch}:b, \text{chan}:c}$
    $$\mu_B = \frac{1}{b} \sum_{\text{batch}} X$$
    At test time, averages are used: $\mu \leftarrow (1 - m) \mu + m \mu_B$."""
    document = read(text)
    assert errors(document) == []
    assert document.names == ("mu_B",)


# ------------------------------------------------------------------------- ranges and what is left out

SKIPGRAM = r"""$U, V \in \mathbb{R}^{\text{vocab} \times \text{emb}}$,
$w \in [\text{vocab}]^{\text{pos}[n]}$, $c = 2$.
$$L = -\frac1n \sum_{t=1}^{n} \sum_{\substack{-c \le j \le c \\ j \ne 0}} \log p(w_{t+j} \mid w_t)$$
where
$$p(o \mid i) = \frac{\exp(U_{\text{vocab}(i)} \cdot_{\text{emb}} V_{\text{vocab}(o)})}
{\sum_{\text{vocab}} \exp(U_{\text{vocab}(i)} \cdot_{\text{emb}} V)}$$
"""


@pytest.mark.parametrize(
    "said",
    [
        "Terms with $t + j$ outside of the text are left out.",
        "Words before the first and after the last one are ignored.",
    ],
)
def test_terms_that_are_left_out_are_no_terms_of_an_element_0(said):
    U, V = rng.normal(size=(2, 5, 3))
    w = np.array([0, 3, 2, 4, 1, 1])
    logp = U @ V.T - np.log(np.exp(U @ V.T).sum(1, keepdims=True))
    pairs = [(t, t + j) for t in range(6) for j in (-2, -1, 1, 2) if 0 <= t + j < 6]
    wanted = -sum(logp[w[t], w[s]] for t, s in pairs) / 6
    given = {"U": tensor(U, "vocab", "emb"), "V": tensor(V, "vocab", "emb"), "w": tensor(w, "pos")}
    np.testing.assert_allclose(run(SKIPGRAM + said, "L", **given), wanted)


@pytest.mark.parametrize(
    "below", [r"1 \le a, b \le 2", r"a, b \in \{1, 2\}", r"1 \le a \le 2, 1 \le b \le 2"]
)
@pytest.mark.parametrize("op", [r"\max", r"\sum"])
def test_letters_that_are_listed_share_the_range_behind_them(below, op):
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{row}} \times \text{{col}}}}$.
    $$P_{{\text{{row}}(i), \text{{col}}(j)}} =
    {op}_{{{below}}} X_{{\text{{row}}(2(i-1)+a), \text{{col}}(2(j-1)+b)}}$$"""
    X = rng.normal(size=(4, 6))
    blocks = X.reshape(2, 2, 3, 2)
    wanted = blocks.max((1, 3)) if op == r"\max" else blocks.sum((1, 3))
    np.testing.assert_allclose(run(text, "P", X=tensor(X, "row", "col")), wanted)


def test_a_letter_above_another_says_which_that_is_beside_its_square():
    text = r"""$x \in \mathbb{R}^{\text{pix}}$,
    $W^\mu, W^\sigma \in \mathbb{R}^{\text{pix} \times \text{lat}}$.
    $$\log \sigma^2 = W^\sigma \underset{\text{pix}}{\cdot} x$$ $$s = \sum_{\text{lat}} \sigma$$"""
    W = rng.normal(size=(4, 3))
    found = run(text, "s", x=tensor(z, "pix"), W__sigma=tensor(W, "pix", "lat"))
    np.testing.assert_allclose(found, np.exp(z @ W / 2).sum())


@pytest.mark.parametrize(
    ("said", "way"),
    [
        (
            r"\sum_{k=t}^{T} \gamma^{k-t} r_k",
            r"Equivalently $G_t = r_t + \gamma G_{t+1}$ with $G_{T+1} = 0$.",
        ),
        (
            r"\sum_{k=t}^{T} \gamma^{k-t} r_k",
            r"Thus $G_t = r_t + \gamma G_{t+1}$, $G_{T+1} = 0$, step by step.",
        ),
        (r"\sum_{k=1}^{t} \gamma^{t-k} r_k", r"or, with $G_0 = 0$, $G_t = \gamma G_{t-1} + r_t$."),
    ],
)
def test_a_recurrence_in_prose_of_what_a_display_gives_is_a_remark(said, way):
    text = rf"""Rewards $r \in \mathbb{{R}}^{{\text{{time}}:T}}$. $$G_t = {said}$$ {way}"""
    r = rng.normal(size=5)
    apart = np.arange(5)[:, None] - np.arange(5)
    apart = apart if "k=1" in said else -apart
    wanted = np.where(apart >= 0, 0.9 ** np.maximum(apart, 0), 0) @ r
    np.testing.assert_allclose(run(text, "G", r=tensor(r, "time"), gamma=0.9), wanted)


@pytest.mark.parametrize(
    ("target", "element", "below"),
    [
        (r"c_{\text{class}(k)}", r"x_{\text{class}(k), \text{shot}(j)}", "k'"),
        ("c_k", "x_{k,j}", "k'"),
        ("c_k", "x_{k,j}", "k'=1}^{K"),
        ("c_k", "x_{kj}", "l"),
    ],
)
def test_a_function_takes_elements_of_what_its_argument_is_named_after(target, element, below):
    text = r"""Points $x \in \mathbb{R}^{\text{class}[K] \times \text{shot}[m] \times \text{in}}$, a query
    $q \in \mathbb{R}^{\text{in}}$, and $f(x) = \tanh(W \underset{\text{in}}{\cdot} x)$ with
    $W \in \mathbb{R}^{\text{in} \times \text{emb}}$. $$TARGET = \frac1m \sum_{j=1}^m f(ELEMENT)$$
    $$p_k = \frac{\exp(-\|f(q) - c_k\|^2)}{\sum_{BELOW} \exp(-\|f(q) - c_{INDEX}\|^2)}$$"""
    text = text.replace("TARGET", target).replace("ELEMENT", element)
    text = text.replace("BELOW", below).replace("INDEX", below.partition("=")[0])
    points, W, q = rng.normal(size=(4, 3, 2)), rng.normal(size=(2, 5)), rng.normal(size=2)
    squares = ((np.tanh(q @ W) - np.tanh(points @ W).mean(1)) ** 2).sum(1)
    given = {"x": tensor(points, "class", "shot", "in"), "q": tensor(q, "in")}
    found = run(text, "p", W=tensor(W, "in", "emb"), **given)
    np.testing.assert_allclose(found, np.exp(-squares) / np.exp(-squares).sum())


@pytest.mark.parametrize("epsilon", [r"\epsilon", r"\varepsilon"])
def test_an_epsilon_that_divides_by_itself_is_a_number_and_one_beside_others_is_small(epsilon):
    name = epsilon[1:]
    text = r"Costs $C \in \mathbb{R}^{\text{src} \times \text{tgt}}$. "
    sharp = read(text + rf"$$K = \exp(-C / {epsilon})$$ $$P = \sum_{{\text{{src}}}} K$$")
    assert {p.name for p in sharp["P"].signature.parameters} == {"C", name}
    C = rng.normal(size=(2, 3))
    with pytest.raises(NamedTensorError) as asked:
        sharp["P"](C=tensor(C, "src", "tgt"))
    assert f"missing a required argument: '{name}'" in str(asked.value)
    found = sharp["P"](C=tensor(C, "src", "tgt"), **{name: 0.5}).numpy("tgt")
    np.testing.assert_allclose(found, np.exp(-2 * C).sum(0))
    steady = read(text + rf"$$K = C / (\underset{{\text{{src}}}}{{\text{{std}}}} C + {epsilon})$$")
    np.testing.assert_allclose(
        steady["K"](C=tensor(C, "src", "tgt")).numpy("src", "tgt"), C / (C.std(0) + 1e-5)
    )
