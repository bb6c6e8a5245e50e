r"""What the left side of an equation names that is no letter: \log Z, p(y \mid x), E[z], \log |\det J|."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError

n = np.array([[1.0, 2, 0, 1], [0, 1, 1, 3]])
alpha = np.array([0.3, 0.5, 0.9, 0.2])
GIVEN = {"n": tensor(n, "doc", "vocab"), "alpha": tensor(alpha, "vocab")}
COUNTS = r"Let $n \in \mathbb{R}^{\text{doc}, \text{vocab}}$ and $\alpha \in \mathbb{R}^{\text{vocab}}$. "
TOTAL = r"\sum_{\text{vocab}} n \odot \alpha"


def document(text, notes=False):
    found = read(COUNTS + text)
    assert notes or [str(f) for f in found.check()] == []
    return found


def value(found, name, **more):
    formula = found[name]
    given = {**GIVEN, **more}
    return formula(**{p.name: given[p.name] for p in formula.signature.parameters})


def holds(found, name, expected, **more):
    result = value(found, name, **more)
    np.testing.assert_allclose(result.numpy(*(["doc"] if np.ndim(expected) else [])), expected)


LEFT = [
    r"\log p(n \mid \alpha)",
    r"\ln p(n | \alpha)",
    r"\log p_\theta(n \mid \alpha)",
    r"\log p(n \mid \alpha, q)",
    r"\log p(n)",
    r"\log p(x)",
    r"\log Z",
    r"\log Z_1",
    r"\Delta W",
    r"p(n \mid \alpha)",
    r"p(x \mid \theta)",
    r"\mathbb{E}[z]",
    r"\mathbb{E}[z^2]",
    r"\mathbb{E}[z_*]",
    r"\mathbb{E}_q[z]",
    r"\mathbb{E}_q[\log\theta]",
    r"\mathbb{E}_{q}\left[\log p(n \mid \theta)\right]",
    r"\operatorname{E}(z)",
    r"\mathbb{V}[f_*]",
    r"\operatorname{Var}[z]",
    r"\operatorname{Cov}[z, y]",
    r"\operatorname{KL}(q \,\|\, p)",
    r"\mathrm{KL}[q \| p]",
    r"\mathrm{KL}(q || p)",
    r"D_{\mathrm{KL}}(q \,\|\, p)",
    r"D_{\text{KL}}(q \parallel p)",
    r"\log |\det J|",
    r"\log \left| \det J \right|",
    r"\log \det J",
    r"\log \left| \det \frac{\partial f}{\partial x} \right|",
    r"|\det J|",
]


@pytest.mark.parametrize("left", LEFT)
def test_a_left_side_is_what_is_defined_and_stands_for_it_elsewhere(left):
    found = document(f"$${left} = {TOTAL}$$ Then $$u = 2 {left} + 1$$")
    holds(found, "u", 2 * (n @ alpha) + 1)
    holds(found, left, n @ alpha)
    assert [p.name for p in found["u"].signature.parameters] == ["n", "alpha"]


@pytest.mark.parametrize("left", LEFT)
def test_a_left_side_is_among_the_names(left):
    found = document(f"$${left} = {TOTAL}$$")
    assert len(found.names) == 1
    holds(found, found.names[0], n @ alpha)


def test_two_that_differ_in_what_they_are_of_are_two():
    found = document(
        rf"$$\mathbb{{E}}[z] = {TOTAL}, \qquad \mathbb{{E}}[z^2] = \sum_{{\text{{vocab}}}} n$$ "
        r"$$\operatorname{Var}[z] = \mathbb{E}[z^2] - \mathbb{E}[z]^2$$"
    )
    holds(found, r"\mathbb{E}[z]", n @ alpha)
    holds(found, r"\mathbb{E}[z^2]", n.sum(1))
    holds(found, r"\operatorname{Var}[z]", n.sum(1) - (n @ alpha) ** 2)


def test_the_logarithm_of_a_power_is_no_power_of_the_logarithm():
    found = document(rf"$$\log Z = {TOTAL}$$ $$u = n \log Z^2$$", notes=True)
    with pytest.raises(LatexError):
        value(found, "u")


def test_what_the_body_is_made_of_is_an_argument():
    found = document(
        r"$$\mathbb{E}[X] = \frac{1}{|\text{vocab}|} \sum_{\text{vocab}} X$$ $$u = \mathbb{E}[n]$$"
    )
    holds(found, "u", n.mean(1))


def test_a_divergence_of_what_it_is_made_of_is_a_function():
    found = document(
        r"$$\mathrm{KL}(q \,\|\, p) = \sum_{\text{vocab}} q \odot \log \frac{q}{p}$$ "
        r"$$u = \mathrm{KL}(\alpha \,\|\, 2 \alpha)$$"
    )
    holds(found, "u", -(alpha * np.log(2)).sum())


def test_what_a_where_clause_is_made_of_is_an_argument():
    found = document(
        r"$$\log p(x) = -r, \qquad r = \sum_{\text{vocab}} (x - \alpha)^2$$ $$u = \log p(n)$$"
    )
    holds(found, "u", -((n - alpha) ** 2).sum(1))


def test_a_determinant_of_what_is_given_is_computed():
    found = read(
        r"Let $J \in \mathbb{R}^{\text{a} \times \text{b}}$ and $s \in \mathbb{R}^{\text{c}}$. "
        r"$$\log | \underset{\text{a}, \text{b}}{\det} J | = \sum_{\text{c}} s$$"
    )
    assert found.names == ()


@pytest.mark.parametrize("left", [r"H[q]", r"q p", r"\frac{q}{p}", r"q + 1"])
def test_a_left_side_that_names_nothing_is_said(left):
    found = read(COUNTS + rf"$${left} = {TOTAL}$$")
    assert found.names == ()
    assert any("defines nothing" in str(f) for f in found.check())


def test_minus_a_name_defines_the_name():
    found = document(rf"$$-\log p(n \mid \alpha) = {TOTAL}$$ $$u = \log p(n \mid \alpha)$$")
    holds(found, "u", -(n @ alpha))


@pytest.mark.parametrize(
    ("heading", "expected"), [("## Scores", 1 - np.log(3)), ("# Scores", -1.0)]
)
def test_a_logarithm_of_what_a_section_around_gives_is_one(heading, expected):
    """In another section log Z is a name, and what this one says that it is: sum w = 2."""
    found = read(
        f"# Weights\n\nLet $Z = 3$ and $w \\in \\mathbb{{R}}^{{\\text{{emb}}}}$.\n\n{heading}\n\n"
        r"$$ \log Z = \sum_{\text{emb}} w $$ $$ y = w - \log Z $$"
    )
    result = found["y"](w=tensor(np.ones(2), "emb"))
    np.testing.assert_allclose(result.numpy("emb"), [expected, expected])


# ------------------------------------------------------------------------------------ signs

SIGNED = [
    (
        r"$$(h \ast x)_{\text{time}(n)} = \sum_{m=1}^{L} h_{\text{tap}(m)} "
        r"x_{\text{time}(((n - m) \bmod N) + 1)}$$",
        r"h \ast x",
        lambda h, x: sum(a * np.roll(x, m) for m, a in enumerate(h)),
    ),
    (
        r"$$(x \oplus x)_n = x_n + 1, \quad n = 1, \ldots, N$$",
        r"x \oplus x",
        lambda h, x: x + 1,
    ),
    (r"$$h \otimes x = \exp(h) \odot x$$", r"h \otimes x", lambda h, x: np.exp(h)[:, None] * x),
]


@pytest.mark.parametrize(("text", "name", "wanted"), SIGNED)
def test_two_names_with_a_sign_that_the_document_defines_are_a_name(text, name, wanted):
    head = r"$x \in \mathbb{R}^{\text{time}:N}$, $h \in \mathbb{R}^{\text{tap}:L}$. "
    document = read(head + text + rf"$$z = 2 ({name})$$")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    h, x = np.random.default_rng(1).normal(size=2), np.random.default_rng(2).normal(size=5)
    given = {"h": tensor(h, "tap"), "x": tensor(x, "time")}
    for asked, factor in ((name, 1), ("z", 2)):
        formula = document[asked]
        found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
        axes = [axis for axis in ("tap", "time") if axis in found.axes]
        np.testing.assert_allclose(found.numpy(*axes), factor * wanted(h, x))
    wrong = text.replace("=", r"= \sum_{\text{lag}}", 1)
    assert "axis-missing" in {f.code for f in read(head + wrong).check()}


def test_a_sum_that_is_indexed_on_the_left_is_no_name():
    text = r"$x, y \in \mathbb{R}^{\text{time}:N}$ $$(x + y)_{\text{time}(n)} = x_{\text{time}(n)} + 1$$"
    assert read(text).names == ()


@pytest.mark.parametrize("sign", ["*", r"\ast", r"\star"])
@pytest.mark.parametrize("used", ["g SIGN x", "(2 g) SIGN x", r"g SIGN (\exp x)"])
def test_a_sign_that_the_document_defines_is_that_between_other_names(sign, used):
    text = (
        r"$h, z, g, x \in \mathbb{R}^{\text{seq}:L}$. "
        rf"$$(h {sign} z)_{{\text{{seq}}(t)}} = "
        r"\sum_{s=1}^{t} h_{\text{seq}(t - s + 1)} z_{\text{seq}(s)}$$"
        rf"$$y = x \odot ({used.replace('SIGN', sign)}) + h {sign} z$$"
    )
    document = read(text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    g, x, h, z = np.random.default_rng(3).normal(size=(4, 5))
    a, b = (2 * g if "2" in used else g), (np.exp(x) if "exp" in used else x)

    def filtered(a, b):
        return np.convolve(a, b)[:5]

    found = document["y"](
        **{k: tensor(v, "seq") for k, v in zip("gxhz", (g, x, h, z), strict=True)}
    )
    np.testing.assert_allclose(found.numpy("seq"), x * filtered(a, b) + filtered(h, z))


def test_products_stay_products_beside_a_sign_that_is_defined():
    document = read(
        r"$h, z, g, x \in \mathbb{R}^{\text{seq}:L}$. "
        r"$$(h * z)_{\text{seq}(t)} = h_{\text{seq}(t)} + z_{\text{seq}(t)}$$"
        r"$$y = (g x) * (g \cdot x) $$"
    )
    found = document["y"](g=tensor([1.0, 2.0], "seq"), x=tensor([3.0, 4.0], "seq"))
    np.testing.assert_allclose(found.numpy("seq"), [6.0, 16.0])


@pytest.mark.parametrize(
    "text",
    [
        r"$$(h * z)_t = \sum_{s=1}^{t} h_{t-s+1} z_s$$ for $t = 1, \dots, L$.",
        r"We write $*$ for the convolution, $(h * z)_{\text{seq}(t)} = "
        r"\sum_{s=1}^{t} h_{\text{seq}(t-s+1)} z_{\text{seq}(s)}$.",
        r"$$(h \circ z)_{\text{seq}(t)} = \sum_{s=1}^{t} h_{\text{seq}(t-s+1)} z_{\text{seq}(s)}$$",
    ],
)
def test_a_sign_is_defined_in_prose_with_short_elements_or_as_a_circle(text):
    sign = r"\circ" if "circ" in text else "*"
    document = read(
        rf"Let $h, z, g, x \in \mathbb{{R}}^{{\text{{seq}}:L}}$. {text} $$y = g {sign} x$$"
    )
    g, x = np.random.default_rng(3).normal(size=(2, 5))
    found = document["y"](g=tensor(g, "seq"), x=tensor(x, "seq"))
    np.testing.assert_allclose(found.numpy("seq"), np.convolve(g, x)[:5])


@pytest.mark.parametrize(
    "said",
    [r"where $*$ denotes the causal convolution.", r"The convolution $\ast$ is over time."],
)
def test_a_sign_that_is_a_convolution_in_words_alone_is_no_product(said):
    document = read(rf"Let $g, x \in \mathbb{{R}}^{{\text{{seq}}}}$. $$y = g * x$$ {said}")
    with pytest.raises(LatexError, match="operator convolution, which is not defined"):
        document["y"](g=tensor(np.ones(2), "seq"), x=tensor(np.ones(2), "seq"))


TOLD = [
    r"\text{KL}(n \,\|\, \alpha)",
    r"- \mathbb{E}[n]",
    r"\mathbb{E}_{q}[n + Y]",
    r"\operatorname{Var}(n)",
    r"D_{\text{KL}}(q \,\|\, p)",
]


@pytest.mark.parametrize("told", TOLD)
def test_what_stands_between_a_name_and_its_formula_is_another_name_of_it(told):
    holds(document(rf"$$L = {told} = {TOTAL}$$"), "L", n @ alpha)


def test_a_name_between_that_the_document_defines_is_compared():
    text = (
        r"$$\text{KL}(a \,\|\, b) = \sum_{\text{vocab}} a \odot b$$ "
        r"$$L = \text{KL}(n \,\|\, \alpha) = n$$"
    )
    assert {f.code for f in document(text, notes=True).check()} != set()


def test_a_density_of_other_letters_is_another_one():
    text = (
        rf"$$\log p(n \mid \alpha) = {TOTAL}$$ "
        rf"$$w = \log p(n \mid \alpha) + \log p(\alpha) = \log p(n \mid \alpha) - 2$$"
    )
    holds(document(text), "w", n @ alpha - 2)


@pytest.mark.parametrize("log", [r"\log", r"\ln"])
@pytest.mark.parametrize("prose", ["", r"Only $f(x) = Z \, p(x)$ is known."])
def test_the_logarithm_of_a_function_that_formulas_use_itself_defines_it(log, prose):
    text = rf"{prose} $${log} f(x) = - \sum_{{\text{{vocab}}}} x^2$$ $$w = f(n) + \log f(n)$$"
    x = -(n**2).sum(1)
    holds(document(text), "w", np.exp(x) + x)


def test_the_logarithm_of_a_value_that_formulas_use_itself_defines_it():
    text = rf"$$\log Z = \sum_{{\text{{vocab}}}} \alpha$$ $$w = {TOTAL} / Z$$"
    holds(document(text), "w", n @ alpha / np.exp(alpha.sum()))


def test_the_logarithm_of_a_function_has_its_own_name_beside_a_size_of_that_letter():
    text = (
        r"$x \in \mathbb{R}^{\text{vocab}}$, $y \in \mathbb{R}^{\text{dim}:f}$ "
        r"$$\log f(x) = - \sum_{\text{vocab}} x^2$$ $$w = \sum_{\text{dim}} y - f$$"
    )
    holds(document(text), "w", 7 - 3, y=tensor(np.array([1.0, 2, 4]), "dim"))
    holds(document(text), r"\log f(x)", -(n**2).sum(1), x=tensor(n, "doc", "vocab"))


@pytest.mark.parametrize("word", ["div", "Lap"])
@pytest.mark.parametrize("name", ["f", r"f_\theta"])
def test_an_operator_before_a_function_names_another_one(word, name):
    text = (
        rf"\newcommand{{\op}}{{\operatorname{{{word}}}}} $${name}(x) = \alpha \odot x$$ "
        rf"$$\op {name}(x) = \sum_{{\text{{vocab}}}} x^2$$ "
        rf"$$w = \op {name}(n) + \sum_{{\text{{vocab}}}} {name}(n)$$"
    )
    holds(document(text), "w", (n**2).sum(1) + n @ alpha)


@pytest.mark.parametrize("body", [r"- \sum_{\text{vocab}} x^2", r"- \sum_{\text{vocab}} x \odot x"])
def test_the_logarithm_of_a_function_takes_what_nothing_else_gives(body):
    x = tensor(n, "doc", "vocab")
    holds(document(rf"$$\log f(x) = {body}$$"), r"\log f", -(n**2).sum(1), x=x)


@pytest.mark.parametrize(
    "said",
    [
        r"$$2 m = \sum_{\text{doc}, \text{vocab}} n$$",
        r"With $2m = \sum_{\text{doc}, \text{vocab}} n$,",
    ],
)
def test_a_multiple_of_what_nothing_else_gives_defines_it(said):
    total = document(rf"{said} $$Q = \frac{{{TOTAL}}}{{2m}} + m$$")
    holds(total, "Q", n @ alpha / n.sum() + n.sum() / 2)


def test_a_multiple_of_what_is_given_is_compared():
    text = r"$$2 m = \sum_{\text{vocab}} n$$ $$Q = m$$ $m \in \mathbb{R}^{\text{vocab}}$"
    assert [f.code for f in document(text, notes=True).check()] == ["declared-shape"]


def test_a_determinant_of_the_jacobian_of_a_function_is_named():
    text = (
        r"$J \in \mathbb{R}^{\text{vocab}, \text{vocab}'}$ $$f(x) = \alpha \odot x$$ "
        r"At $x \in \mathbb{R}^{\text{vocab}}$, $$\log |\det J_f(x)| = \sum_{\text{vocab}} \log \alpha$$ "
        r"$$w = \sum_{\text{vocab}} f(n) - \log |\det J|$$"
    )
    found = document(text, notes=True)
    assert [f for f in found.check() if f.severity != "note"] == []
    holds(found, r"\log |\det J_f(x)|", np.log(alpha).sum())


@pytest.mark.parametrize("name", [r"\mathcal{L}_{\mathrm{a}}", r"L_{\text{a}}", r"\ell_{\text{a}}"])
def test_the_derivative_of_a_name_with_a_word_below_is_asked_for_as_it_is_written(name):
    text = (
        rf"$${name} = \sum_{{\text{{vocab}}}} \alpha^2$$ "
        rf"$$\frac{{\partial {name}}}{{\partial \alpha}} = 2 \alpha$$"
    )
    found = document(text)
    for asked in (rf"\frac{{\partial {name}}}{{\partial \alpha}}", found.names[-1]):
        np.testing.assert_allclose(value(found, asked).numpy("vocab"), 2 * alpha)


@pytest.mark.parametrize(
    "form",
    [
        r"\nabla_A \underset{\text{vocab}}{\cdot} n",
        r"\nabla_A \ndot{\name{vocab}} n",
        r"\sum_{\text{vocab}} \nabla_A \odot n",
    ],
)
def test_a_gradient_that_a_display_names_is_a_letter_before_an_operator(form):
    holds(document(rf"$$\nabla_A = 3 \alpha, \qquad w = {form}$$"), "w", 3 * n @ alpha)


EVENTS = [r"p(y = 1 \mid x)", r"P(Y = 1 \mid x)", r"\Pr(Y = 0 \mid x)", r"p(z = 0)"]


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("beside", ["", r"$$p(x, z) = \sum_{\text{vocab}} x + z$$ "])
def test_the_chance_of_an_event_is_a_value(event, beside):
    text = (
        rf"$x \in \mathbb{{R}}^{{\text{{vocab}}}}$ {beside}"
        rf"$${event} = \sigma(\sum_{{\text{{vocab}}}} \alpha \odot x)$$ $$w = 1 - {event}$$"
    )
    holds(document(text), "w", 1 - 1 / (1 + np.exp(-n @ alpha)), x=tensor(n, "doc", "vocab"))
    wrong = text.replace(r"\sum_{\text{vocab}} \alpha", r"\sum_{\text{doc}} \alpha")
    assert [f.code for f in document(wrong, notes=True).check()] == ["axis-missing"]


@pytest.mark.parametrize("event", EVENTS[:3])
def test_the_chance_of_an_event_for_what_is_declared_nowhere_is_set_aside(event):
    text = rf"$${event} = \sigma(\sum_{{\text{{vocab}}}} \alpha \odot x)$$"
    assert [f for f in document(text, notes=True).check() if f.severity != "note"] == []


LAWS = [
    r"\mathcal{N}(x; m, \beta)",
    r"\mathcal{N}(m, I)",
    r"\prod_{i=1}^N \text{Bern}(x_i; m)",
    r"\sum_{\text{vocab}} \alpha \odot \operatorname{Dir}(m)",
    r"\text{Cat}(m)",
    r"\text{Beta}(x; 1, m)",
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("density", ["p(x)", r"p(x \mid z)", "q(u)"])
@pytest.mark.parametrize("signs", ["$", "$$"])
def test_how_something_is_distributed_is_no_formula(law, density, signs):
    text = rf"We take {signs}{density} = {law}{signs} and $$m = {TOTAL}$$"
    found = document(text, notes=True)
    assert [f for f in found.check() if f.severity != "note"] == []
    assert found.names == ("m",)


def test_the_gamma_function_is_no_law():
    holds(
        document(r"$$p(x) = \Gamma(x + 1)$$ $$w = p(\sum_{\text{vocab}} n)$$"), "w", [24.0, 120.0]
    )


def test_a_document_may_define_what_has_the_name_of_a_law():
    text = rf"$$\mathcal{{N}}(x, y) = x + 2 y$$ $$m = {TOTAL}$$ $$w = \mathcal{{N}}(m, 1)$$"
    holds(document(text), "w", n @ alpha + 2)
