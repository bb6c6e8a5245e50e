"""Functions as papers write them: expectations, positive parts, norms, lists, joins, determinants, top-k."""

import numpy as np
import pytest

from namedtensor import NamedTensor, tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError

rng = np.random.default_rng(0)
M, a, z, p = (
    rng.normal(size=(3, 4)),
    rng.normal(size=5),
    rng.normal(size=(5, 4)),
    rng.normal(size=4),
)
R, T, W = rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=(3, 3))
GIVEN = {
    "M": tensor(M, "out", "in"),
    "a": tensor(a, "batch"),
    "z": tensor(z, "batch", "emb"),
    "p": tensor(p, "emb"),
    "R": tensor(R, "group", "emb"),
    "X": tensor(R, "chan", "emb"),
    "S": tensor(T, "chan", "emb"),
    "W": tensor(W, "row", "col"),
    "m": 0.4,
    "c": 2.0,
}
DECLARED = r"""
Let $M \in \mathbb{R}^{\text{out} \times \text{in}}$, $a \in \mathbb{R}^{\text{batch}}$,
$z \in \mathbb{R}^{\text{batch} \times \text{emb}}$, $p \in \mathbb{R}^{\text{emb}}$,
$R \in \mathbb{R}^{\text{group}:G \times \text{emb}}$, $X, S \in \mathbb{R}^{\text{chan} \times \text{emb}}$,
$W \in \mathbb{R}^{\text{row} \times \text{col}}$, and $m, c \in \mathbb{R}$.
"""


def run(body: str, more: str = "") -> tuple[NamedTensor, list[str]]:
    """Run Y = body with what it takes; give the notes of the check too, which finds nothing else."""
    document = read(f"{DECLARED}\n{more}\n$$Y = {body}$$")
    found = document.check()
    assert {f.severity for f in found} <= {"note"}, [str(f) for f in found]
    formula = document["Y"]
    return formula(**{n.name: GIVEN[n.name] for n in formula.signature.parameters}), [
        f.message for f in found
    ]


def same(Y: NamedTensor, axes: str, wanted: object) -> None:
    assert {*Y.axes} == {*axes.split()}
    np.testing.assert_allclose(Y.numpy(*axes.split()), wanted)


# ------------------------------------------------------------------------------------ expectation

EXPECTATIONS = [
    r"\underset{\text{emb}}{\mathbb{E}}[z]",
    r"\underset{\text{emb}}{\mathbb{E}} z",
    r"\underset{\text{emb}}{\mathbb{E}}\left[ z \right]",
    r"\underset{\text{emb}}{\mathbb{E}}(z)",
    r"\mathbb{E}_{\text{emb}}[z]",
    r"\mathbb{E}_{\text{emb}} z",
    r"\underset{\text{emb}}{\operatorname{E}}[z]",
    r"\operatorname{E}_{\text{emb}}[z]",
    r"\underset{\text{emb}}{\mathrm{E}}[z]",
    r"\underset{\text{emb}}{E}[z]",
]


@pytest.mark.parametrize("text", EXPECTATIONS)
def test_an_expectation_over_an_axis_is_the_mean_along_it(text):
    Y, notes = run(text)
    same(Y, "batch", z.mean(1))
    assert notes == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\underset{\text{batch}}{\mathbb{E}} \sum_{\text{emb}} z^2", (z**2).sum(1).mean()),
        (r"\underset{\text{batch}, \text{emb}}{\mathbb{E}}[z^2]", (z**2).mean()),
        (r"\underset{\text{batch}, \text{emb}}{\mathbb{E}}[z]^2", z.mean() ** 2),
        (
            r"\mathbb{E}_{\text{batch}}\left[\mathbb{E}_{\text{emb}}[z]^2\right]",
            (z.mean(1) ** 2).mean(),
        ),
    ],
)
def test_expectations_reach_as_far_as_their_brackets(text, wanted):
    same(run(text)[0], "", wanted)


def test_an_expectation_stands_beside_a_number_that_is_called_so():
    Y, _ = run(r"E \underset{\text{emb}}{\mathbb{E}}[z]", "With $E = 3$ experts,")
    same(Y, "batch", 3 * z.mean(1))


def test_an_expectation_that_a_document_defines_is_its_own():
    text = r"$$\mathbb{E}(v) = \sum_{\text{emb}} v$$"
    same(run(r"\mathbb{E}(z)", text)[0], "batch", z.sum(1))


def test_an_expectation_over_nothing_says_how_its_axis_is_written():
    document = read(DECLARED + r"$$Y = \sum_{\text{batch}} \mathbb{E}[z]$$")
    (found,) = document.check()
    assert found.hint.startswith(r"a mean names its axis, \underset{\text{ax}}{\mathbb{E}}")


# ---------------------------------------------------------------------------------- positive part

hinge = np.maximum(1 - a, 0)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\sum_{\text{batch}} [1 - a]_+", hinge.sum()),
        (r"\sum_{\text{batch}} (1 - a)_+", hinge.sum()),
        (r"\sum_{\text{batch}} \left( 1 - a \right)_{+}", hinge.sum()),
        (r"\sum_{\text{batch}} \{1 - a\}_+", hinge.sum()),
        (r"\sum_{\text{batch}} [1 - a]_+^2", (hinge**2).sum()),
        (r"\sum_{\text{batch}} [1 - a]^2_+", (hinge**2).sum()),
        (r"\sum_{\text{batch}} (a)_+", np.maximum(a, 0).sum()),
        (r"\underset{\text{batch}}{\mathrm{mean}} [1 - a]_+", hinge.mean()),
        (r"\underset{\text{batch}}{\mathrm{mean}} \left[1 - a\right]_+", hinge.mean()),
        (r"\underset{\text{batch}}{\mathrm{mean}} (1 - a)_+^2", (hinge**2).mean()),
        (r"\mathbb{E}_{\text{batch}} [1 - a]_+", hinge.mean()),
        (r"\max_{\text{batch}} (1 - a)_+", hinge.max()),
        (
            r"\underset{\text{batch}}{\mathrm{mean}} [m - \sum_{\text{emb}} z]_+",
            np.maximum(0.4 - z.sum(1), 0).mean(),
        ),
        (r"\sum_{\text{batch}} a [m + a]_+", (a * np.maximum(0.4 + a, 0)).sum()),
    ],
)
def test_a_bracket_with_a_plus_below_is_its_positive_part(text, wanted):
    same(run(text)[0], "", wanted)


# ------------------------------------------------------------------------------------------ norms

flat, v = abs(M), abs(p)


@pytest.mark.parametrize(
    ("text", "axes", "wanted"),
    [
        (r"M / \|M\|_F", "out in", M / np.linalg.norm(M)),
        (r"\frac{M}{\lVert M \rVert_F}", "out in", M / np.linalg.norm(M)),
        (r"M / \|M\|_{\mathrm{F}}", "out in", M / np.linalg.norm(M)),
        (r"\|M\|_F^2", "", (M**2).sum()),
        (r"\|M\|^2_F", "", (M**2).sum()),
        (r"\|p\|_2", "", np.linalg.norm(p)),
        (r"\|p\|_2^2", "", (p**2).sum()),
        (r"\|p\|_1", "", v.sum()),
        (r"\|p\|_\infty", "", v.max()),
        (r"\|p - c\|_{\infty}", "", abs(p - 2).max()),
        (r"\|p\|_{2, \text{emb}}", "", np.linalg.norm(p)),
        (r"\|M\|_{1, \text{in}}", "out", flat.sum(1)),
        (r"\|M\|_{\text{in}, \infty}", "out", flat.max(1)),
        (r"\|M\|_{F, \text{out}, \text{in}}", "", np.linalg.norm(M)),
    ],
)
def test_norms_are_over_the_axes_that_they_can_mean(text, axes, wanted):
    Y, notes = run(text)
    same(Y, axes, wanted)
    if r"\text" in text:
        assert notes == []
    else:
        (note,) = notes
        assert "names no axes: it is over" in note


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        (r"\|M\|_2", [r"\|M\|_{\text{out}, \text{in}}", r"\|M\|_{\text{in}}"]),
        (r"\|M\|_1", [r"\|M\|_{1, \text{out}, \text{in}}", r"\|M\|_{1, \text{in}}"]),
        (r"\|M\|_\infty", [r"\|M\|_{\infty, \text{out}, \text{in}}", r"\|M\|_{\infty, \text{in}}"]),
        (r"\|M a\|_F", [r"\|M a\|_{\text{out}, \text{in}, \text{batch}}"]),
    ],
)
def test_norms_that_may_mean_several_are_refused_and_the_hint_works(text, hints):
    document = read(DECLARED + f"$$Y = {text}$$")
    (found,) = document.check()
    assert (found.severity, found.code) == ("error", "no-axis")
    with pytest.raises(LatexError) as refused:
        document["Y"](**{n.name: GIVEN[n.name] for n in document["Y"].signature.parameters})
    for hint in hints:
        assert hint in found.hint
        assert hint in str(refused.value)
        run(hint)


NORMS = {r"\|y\|": 2, r"\|y\|_2": 2, r"\|y\|_1": 1}


@pytest.mark.parametrize("norm", NORMS)
def test_a_norm_in_a_function_of_any_tensor_is_over_what_the_calls_give_it(norm):
    text = DECLARED + rf"$$u(y) = \frac{{y}}{{{norm}}}$$"
    with pytest.raises(LatexError, match="is the norm of what has no axes here"):
        read(text)["u"](GIVEN["p"])
    document = read(text + r"$$Y = u(p)$$")
    (note,) = document.check()
    p = GIVEN["p"].numpy(*GIVEN["p"].axes)
    assert note.message.endswith(f"over {', '.join(GIVEN['p'].axes)}")
    same(document["Y"](GIVEN["p"]), " ".join(GIVEN["p"].axes), p / np.linalg.norm(p, NORMS[norm]))


def test_norms_of_elements_are_over_what_is_left():
    text = r"""Let $z \in \mathbb{R}^{\text{batch}:n \times \text{emb}}$.
$$D_{\text{batch}(i), \text{batch}'(j)} = \|z_{\text{batch}(i)} - z_{\text{batch}(j)}\|_2^2$$
$$L = \sum_{i=1}^n \|z_{\text{batch}(i)}\|_1$$"""
    document = read(text)
    assert {f.severity for f in document.check()} == {"note"}
    wanted = ((z[:, None] - z[None]) ** 2).sum(2)
    same(document["D"](GIVEN["z"]), "batch batch'", wanted)
    same(document["L"](GIVEN["z"]), "", abs(z).sum())


# ------------------------------------------------------------------------------------------ lists


@pytest.mark.parametrize(
    ("text", "axes", "wanted"),
    [
        (r"\mathrm{mean}(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})", "emb", R.mean(0)),
        (
            r"\mathrm{mean}(R_{\text{group}(1)}, R_{\text{group}(2)}, \ldots, R_{\text{group}(G)})",
            "emb",
            R.mean(0),
        ),
        (r"\mathrm{mean}(\{R_{\text{group}(1)}, \dots, R_{\text{group}(G)}\})", "emb", R.mean(0)),
        (r"\mathrm{mean}\{R_{\text{group}(1)}, \dots, R_{\text{group}(G)}\}", "emb", R.mean(0)),
        (r"\operatorname{std}(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})", "emb", R.std(0)),
        (r"\max(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})", "emb", R.max(0)),
        (r"\min\{R_{\text{group}(1)}, \ldots, R_{\text{group}(|\text{group}|)}\}", "emb", R.min(0)),
        (r"\max(R_{\text{group}(2)}, \ldots, R_{\text{group}(4)})", "emb", R[1:4].max(0)),
        (
            r"\mathrm{mean}(\tanh R_{\text{group}(1)}, \ldots, \tanh R_{\text{group}(G)})",
            "emb",
            np.tanh(R).mean(0),
        ),
        (
            r"R - \mathrm{mean}(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})",
            "group emb",
            R - R.mean(0),
        ),
        (r"\frac{1}{G} (R_{\text{group}(1)} + \cdots + R_{\text{group}(G)})", "emb", R.mean(0)),
        (
            r"R_{\text{group}(1)} + R_{\text{group}(2)} + \ldots + R_{\text{group}(G)}",
            "emb",
            R.sum(0),
        ),
    ],
)
def test_listed_elements_are_those_of_the_axis(text, axes, wanted):
    Y, notes = run(text)
    same(Y, axes, wanted)
    assert notes == []


def test_the_elements_of_a_definition_are_each_held_to_the_list():
    text = r"""
Let $R \in \mathbb{R}^{\text{prompt} \times \text{group}:G}$.
$$A_{\text{group}(i)} =
\frac{R_{\text{group}(i)} - \mathrm{mean}(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})}
{\mathrm{std}(R_{\text{group}(1)}, \ldots, R_{\text{group}(G)})}$$"""
    document = read(text)
    assert document.check() == []
    Y = document["A"](R=tensor(R, "prompt", "group"))
    same(Y, "prompt group", (R - R.mean(1, keepdims=True)) / R.std(1, keepdims=True))


@pytest.mark.parametrize(
    "listed",
    [r"M, \ldots, W", r"R_{\text{group}(1)}, R_{\text{group}(3)}, \ldots, R_{\text{group}(G)}"],
)
def test_a_list_that_does_not_go_on_is_refused(listed):
    document = read(DECLARED + rf"$$Y = \sum_{{\text{{emb}}}} \mathrm{{mean}}({listed})$$")
    (found,) = document.check()
    assert "does not say how it goes on" in found.message


# ---------------------------------------------------------------------------------- concatenation


@pytest.mark.parametrize(
    "text",
    [
        r"[X ; S]_{\text{chan}}",
        r"[X, S]_{\text{chan}}",
        r"\left[ X \,;\, S \right]_{\text{chan}}",
        r"[X \mid S]_{\text{chan}}",
        r"[X \,\|\, S]_{\text{chan}}",
        r"\underset{\text{chan}}{[X; S]}",
        r"\underset{\text{chan}}{[X, S]}",
        r"\underset{\text{chan}}{\mathrm{concat}}(X, S)",
    ],
)
def test_brackets_with_an_axis_join_along_it(text):
    same(run(text)[0], "chan emb", np.concatenate([R, T]))


def test_three_are_joined_and_the_result_goes_on():
    Y, _ = run(r"\sum_{\text{chan}} [X ; S ; 2 X]_{\text{chan}} \odot p")
    same(Y, "emb", (3 * R.sum(0) + T.sum(0)) * p)


def test_brackets_without_an_axis_say_how_it_is_written():
    (found,) = read(DECLARED + r"$$Y = \sum_{\text{chan}} [X ; S]$$").check()
    assert r"[X ; S]_{\text{chan}}" in found.hint


# ------------------------------------------------------------------------------------ determinants


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\det W", np.linalg.det(W)),
        (r"\log |\det W|", np.log(abs(np.linalg.det(W)))),
        (r"\operatorname{tr} W", np.trace(W)),
        (r"\mathrm{tr}(W)", np.trace(W)),
    ],
)
def test_a_determinant_is_over_the_two_axes_of_its_operand(text, wanted):
    Y, notes = run(text)
    same(Y, "", wanted)
    (note,) = notes
    assert "names no axes: it is over row and col" in note


def test_the_determinant_of_a_jacobian():
    text = r"""Let $x \in \mathbb{R}^{\text{dim}}$ and $f(x) = x^3 + \sum_{\text{dim}} x$.
$$L(x) = \log \left| \det \frac{\partial f(x)}{\partial x} \right|$$"""
    document = read(text)
    assert {f.severity for f in document.check()} == {"note"}
    wanted = np.log(abs(np.linalg.det(np.diag(3 * p**2) + 1)))
    same(document["L"](tensor(p, "dim")), "", wanted)


@pytest.mark.parametrize("operand", ["p", "W \\odot R"])
def test_a_determinant_of_other_axes_has_a_hint_that_works(operand):
    document = read(DECLARED + rf"$$Y = \det({operand}) + 0 \sum_{{\text{{emb}}}} p$$")
    (found,) = document.check()
    assert (found.severity, found.code) == ("error", "no-axis")
    hint = found.hint.split(": ")[-1]
    assert hint.startswith(r"\underset{\text{")
    assert hint.count(r"\text{") == 3


# ------------------------------------------------------------------------------------------ top-k


@pytest.mark.parametrize(
    "name",
    [
        r"\mathrm{top}_2",
        r"\operatorname{top-2}",
        r"\mathrm{topk}_2",
        r"\operatorname{TopK}_2",
        r"\text{top-}2",
    ],
)
def test_top_k_along_two_axes_gives_the_numbers(name):
    for argument in ("(R)", r"\, R"):
        Y, _ = run(rf"\underset{{\text{{group}}, \text{{k}}}}{{{name}}}{argument}")
        same(Y, "k emb", -np.sort(-R, axis=0)[:2])


@pytest.mark.parametrize(
    "text",
    [
        r"\underset{\text{group}}{\mathrm{top}_k}(R)",
        r"\underset{\text{group}}{\mathrm{top}_k} R",
        r"\underset{\text{group}}{\mathrm{top}_2}(R)",
        r"\underset{\text{group}}{\operatorname{top-2}}(R)",
        r"\underset{\text{group}}{\operatorname{top-k}}(R)",
        r"\underset{\text{group}}{\operatorname{TopK}}(R, 2)",
        r"\underset{\text{group}}{\operatorname{TopK}}(R)",
        r"\mathrm{TopK}(R, 2)",
    ],
)
def test_top_k_along_one_axis_asks_what_is_meant_and_both_answers_work(text):
    document = read(DECLARED + f"$$Y = {text}$$")
    (found,) = [f for f in document.check() if f.code == "no-axis"]
    assert found.severity == "error"
    numbers, marks = [
        part.split(" for ")[0] for part in found.hint.split("write ")[1].split(", or ")
    ]
    numbers, marks = numbers.replace("k)", "2)"), marks.replace("k)", "2)")
    along, other = ("group", "emb") if "group" in text else ("emb", "group")
    given = GIVEN["R"].numpy(along, other)
    same(run(numbers)[0], f"k {other}", -np.sort(-given, axis=0)[:2])
    same(run(marks)[0], f"{along} {other}", given >= -np.sort(-given, axis=0)[1])


# ----------------------------------------------------------------------------------- stop-gradient


@pytest.mark.parametrize(
    "name",
    [
        r"\mathrm{sg}",
        r"\operatorname{stopgrad}",
        r"\text{stop\_gradient}",
        r"\text{stop-gradient}",
        r"\text{StopGrad}",
    ],
)
def test_a_stopped_gradient_is_the_same_numbers_and_derives_to_nothing(name):
    body = rf"p \underset{{\text{{emb}}}}{{\cdot}} {name}(z)"
    document = read(DECLARED + f"$$Y = {body}$$ where ${name}$ stops the gradient.")
    assert not document.check()
    same(run(body)[0], "batch", z @ p)
    assert "z.detach()" in document.python()


@pytest.mark.parametrize(("composed", "added"), [(r"f \circ g", 2), (r"g \circ f \circ g", 3)])
def test_functions_with_circles_between_them_are_called_from_the_last(composed, added):
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$f(z) = 2z, \quad g(z) = z + 1$$"
    y = read(rf"{text} $$y = ({composed})(x)$$")["y"]
    np.testing.assert_allclose(y(tensor([1.0, 2.0], "a")).numpy(), [2 + added, 4 + added])


NORM = (
    r"Let $h \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$, $W \in \mathbb{R}^{\text{emb}:d, \text{key}}$. "
    r"$$\underset{\text{emb}}{\text{Norm}}(x) = x / \lVert x \rVert_{\text{emb}}$$"
)


@pytest.mark.parametrize(("axis", "place"), [("seq", 0), ("emb", 1)])
def test_a_function_that_is_defined_along_one_axis_is_called_along_any(axis, place):
    document = read(NORM + rf"$$y = \underset{{\text{{{axis}}}}}{{\text{{Norm}}}}(h)$$")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    h = np.arange(1.0, 7).reshape(2, 3)
    found = document["y"](h=tensor(h, "seq emb"))
    np.testing.assert_allclose(
        found.numpy("seq", "emb"), h / np.linalg.norm(h, axis=place, keepdims=True)
    )


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        (
            r"q = \underset{\text{key}}{\text{Norm}}(W \underset{\text{emb}}{\cdot} h), \quad"
            r" y = \underset{\text{emb}}{\text{softmax}}\, q",
            "axis-missing",
        ),
        (r"y = \underset{\text{key}}{\text{Norm}}(h)", "axis-missing"),
        (r"y = \underset{\text{key}}{\text{Norm}}(h \underset{\text{emb}}{\cdot} W)", None),
    ],
)
def test_what_a_function_along_another_axis_gives_is_checked(formula, code):
    found = [f.code for f in read(NORM + f"$${formula}$$").check() if f.severity != "note"]
    assert found == ([code] if code else [])


@pytest.mark.parametrize("below", ["0.2", r"\alpha = 0.2", r"\beta"])
def test_the_slope_of_a_leaky_relu_may_stand_below_it(below):
    text = (
        r"Let $p \in \mathbb{R}^{\text{in}}$ and $\beta = 0.2$. $$y = \text{LeakyReLU}_{BELOW}(p)$$"
    )
    found = read(text.replace("BELOW", below))["y"](p=tensor(p, "in"))
    np.testing.assert_allclose(found.numpy(), np.where(p > 0, p, 0.2 * p))


@pytest.mark.parametrize("word", [r"\operatorname{tr}", r"\det", r"\log \det"])
@pytest.mark.parametrize("product", ["A B", "2 A B", "A^{-1} B", "(A + B) B"])
def test_a_trace_of_a_product_without_axes_is_not_guessed_at(word, product):
    text = (
        r"Let $A, B \in \mathbb{R}^{\text{a}, \text{a}'}$. $$f = "
        + rf"{word}\left( {product} \right)$$"
    )
    (found,) = [f for f in read(text).check() if f.severity == "error"]
    assert "may be meant as the product of matrices" in found.message
    for way in found.hint.removeprefix("write ").split(", or "):
        told = read(text.replace(product, way))
        assert [f for f in told.check() if f.severity == "error"] == []
    A, B = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([[1.0, -1.0], [4.0, 2.0]])
    if (word, product) == (r"\operatorname{tr}", "A B"):
        found = told["f"](A=tensor(A, "a a'"), B=tensor(B, "a a'"))
        np.testing.assert_allclose(found.numpy(), np.trace(A @ B))
