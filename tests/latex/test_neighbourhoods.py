r"""Sets of indices that a condition says: sums over \mathcal{N}(i), and how many there are of it."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

A = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
H = np.array([[1.0, -2], [3, 0.5], [-4, 5], [6, 7]])
GIVEN = {"A": tensor(A, "node", "node'"), "H": tensor(H, "node", "feat")}
DECLARED = (
    r"$A \in \{0,1\}^{\text{node}:n, \text{node}':n}$, "
    r"$H \in \mathbb{R}^{\text{node}:n, \text{feat}}$. "
)
EDGE = r"A_{\text{node}(i), \text{node}'(j)} = 1"
STYLE = r"A_{\name{node}(i), \name{node}'(j)} = 1"
OTHERS = 1 - np.eye(4)
DEGREE = A.sum(1)


def numbers(defined, formula, given=GIVEN):
    return called(DECLARED + f"$${defined}$$ $$Y_{{\\text{{node}}(i)}} = {formula}$$", "Y", given)


SETS = [
    (rf"\mathcal{{N}}(i) = \{{ j : {EDGE} \}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal{{N}}(i) = \{{ j \mid {EDGE} \}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal{{N}}(i) := \{{ j : {EDGE} \}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal{{N}}(i) = \left\{{ j : {EDGE} \right\}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal{{N}}(i) = \{{ j : {STYLE} \}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal N_i = \{{ j : {EDGE} \}}", r"\mathcal N_i", A),
    (rf"\mathcal{{N}}_{{i}} = \{{ j \in [n] : {EDGE} \}}", r"\mathcal{N}_{i}", A),
    (rf"N(i) = \{{ j : {EDGE}, j \ne i \}}", "N(i)", A * OTHERS),
    (rf"\mathcal{{N}}(k) = \{{ j : {EDGE.replace('(i)', '(k)')} \}}", r"\mathcal{N}(i)", A),
    (rf"\mathcal{{N}}(j) = \{{ i : {EDGE} \}}", r"\mathcal{N}(i)", A.T),
    (
        rf"\mathcal{{N}}(i) = \{{ j : {EDGE} \}}",
        r"\mathcal{N}(i) \cup \{i\}",
        np.maximum(A, np.eye(4)),
    ),
    (rf"\mathcal{{N}}(i) = \{{ j : {EDGE} \}}", r"\mathcal{N}(i) \setminus \{i\}", A * OTHERS),
    (rf"\mathcal{{M}}(i) = \{{ j : {EDGE} \}}", rf"\{{ k : {EDGE.replace('(j)', '(k)')} \}}", A),
]


@pytest.mark.parametrize(("defined", "of", "weights"), SETS)
@pytest.mark.parametrize("index", ["j", "k", "l"])
def test_a_sum_is_over_the_set(defined, of, weights, index):
    found = numbers(defined, rf"\sum_{{{index} \in {of}}} H_{{\text{{node}}({index})}}")
    same(found, weights @ H, "node", "feat")


@pytest.mark.parametrize(("defined", "of", "weights"), SETS)
def test_the_bars_of_a_set_count_it(defined, of, weights):
    same(numbers(defined, f"|{of}|"), weights.sum(1), "node")


NEAR = rf"\mathcal{{N}}(i) = \{{ j : {EDGE} \}}"


def test_a_maximum_is_over_the_set_and_of_none_of_it_is_the_least_number():
    found = numbers(NEAR, r"\max_{j \in \mathcal{N}(i)} H_{\text{node}(j)}")
    wanted = np.where(A[:, :, None] == 1, H[None], -np.inf).max(1)
    assert set(found.axes) == {"node", "feat"}
    np.testing.assert_allclose(found.numpy("node", "feat"), wanted)


def test_the_mean_over_no_neighbours_is_nan():
    mean = r"\frac{1}{|\mathcal{N}(i)|} \sum_{j \in \mathcal{N}(i)} H_{\text{node}(j)}"
    with np.errstate(invalid="ignore", divide="ignore"):
        found = numbers(NEAR, mean)
        wanted = (A @ H) / DEGREE[:, None]
    np.testing.assert_allclose(found.numpy("node", "feat"), wanted)
    assert np.isnan(wanted[3]).all()
    assert not np.isnan(wanted[:3]).any()


def test_sets_of_both_ends_of_an_edge_are_counted_apart():
    degrees = r"\sqrt{(1 + |\mathcal{N}(i)|) (1 + |\mathcal{N}(j)|)}"
    found = numbers(
        NEAR, rf"\sum_{{j \in \mathcal{{N}}(i)}} \frac{{1}}{{{degrees}}} H_{{\text{{node}}(j)}}"
    )
    weights = A / np.sqrt(np.outer(1 + DEGREE, 1 + DEGREE))
    same(found, weights @ H, "node", "feat")


def test_the_neighbours_of_an_index_that_is_the_set_s_own_letter():
    text = DECLARED + (
        rf"$${NEAR}$$ $$Y_{{\text{{node}}(j)}} = \sum_{{k \in \mathcal{{N}}(j)}} H_{{\text{{node}}(k)}}$$"
    )
    same(called(text, "Y", GIVEN), A @ H, "node", "feat")


def test_a_set_is_looked_for_in_the_sections_around():
    other = NEAR.replace("(i), \\text{node}'(j)", "(j), \\text{node}'(i)")
    use = r"= \sum_{j \in \mathcal{N}(i)} H_{\text{node}(j)}$$"
    text = (
        f"{DECLARED} $${NEAR}$$\n\n# A\n\n$$Y_{{\\text{{node}}(i)}} {use}\n\n"
        f"# B\n\n$${other}$$ $$Z_{{\\text{{node}}(i)}} {use}\n"
    )
    same(called(text, "Y", GIVEN), A @ H, "node", "feat")
    same(called(text, "Z", GIVEN), A.T @ H, "node", "feat")


def test_a_set_in_prose_is_known():
    text = DECLARED + (
        rf"Write ${NEAR}$ for the neighbours. "
        r"$$Y_{\text{node}(i)} = \sum_{j \in \mathcal{N}(i)} H_{\text{node}(j)}$$"
    )
    same(called(text, "Y", GIVEN), A @ H, "node", "feat")


def test_the_hint_for_a_set_that_is_only_named_makes_it_known():
    text = (
        r"$H \in \mathbb{R}^{\text{node}:n, \text{feat}}$. "
        r"$$Y_{\text{node}(i)} = \sum_{LOW} H_{\text{node}(j)}$$"
    )
    found = read(text.replace("LOW", r"j \in \mathcal{N}(i)"))
    [finding] = found.check()
    below = r"j : M_{\text{node}(i), \text{node}'(j)} = 1"
    space = r"M \in \{0, 1\}^{\text{node}, \text{node}'}"
    assert finding.message.endswith("runs over N(i), which is no range")
    assert finding.hint == f"write {below} below it, with {space}"
    with pytest.raises(LatexError, match="which is no range"):
        found["Y"](H=GIVEN["H"])
    mended = f"${space}$. " + text.replace("LOW", below)
    same(called(mended, "Y", {**GIVEN, "M": GIVEN["A"]}), A @ H, "node", "feat")


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{j \in \mathcal{N}(i, k)} H_{\text{node}(j)}",
        r"\sum_{j \in \mathcal{N}} H_{\text{node}(j)}",
        r"\sum_{j \in \mathcal{M}(i)} H_{\text{node}(j)}",
        r"\sum_{j \in \{ k \in \mathcal{B} : H_{\text{node}(k), \text{feat}(1)} > 0 \}} H_{\text{node}(j)}",
    ],
)
def test_another_set_is_not_taken_for_it(formula):
    found = read(DECLARED + rf"$${NEAR}$$ $$Y_{{\text{{node}}(i)}} = {formula}$$")
    assert found.check() != []
    with pytest.raises(LatexError):
        found["Y"](H=GIVEN["H"])


def test_a_set_that_no_operator_reaches_over_is_set_aside():
    found = read(DECLARED + r"$$Y_{\text{feat}} = \{ x : x > 0 \}$$ $$Z = \sum_{\text{node}} H$$")
    assert found.names == ("Z",)


def test_a_set_of_another_section_is_known_where_only_one_gives_it():
    text = (
        f"{DECLARED}\n\n# A\n\n$${NEAR}$$\n\n# B\n\n"
        r"$$Y_{\text{node}(i)} = \sum_{j \in \mathcal{N}(i)} H_{\text{node}(j)}$$"
    )
    same(called(text, "Y", GIVEN), A @ H, "node", "feat")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            r"\begin{cases} 2 & \text{if } j \in \mathcal{N}(i) \\ 1 & \text{else} \end{cases}",
            1 + A,
        ),
        (r"\begin{cases} 2 & j \notin \mathcal{N}(i) \\ 1 & \text{else} \end{cases}", 2 - A),
        (r"3 \cdot \mathbb{1}[j \in \mathcal{N}(i) \cup \{i\}]", 3 * np.maximum(A, np.eye(len(A)))),
    ],
)
def test_a_condition_asks_for_members_of_a_set(body, wanted):
    text = DECLARED + rf"$${NEAR}$$ $$Y_{{\text{{node}}(i), \text{{node}}'(j)}} = {body}$$"
    same(called(text, "Y", {"A": GIVEN["A"]}), wanted, "node", "node'")


@pytest.mark.parametrize(
    "sum_",
    [
        r"\sum_{j \in \mathcal{N}(i)} h_{\text{node}(j)}",
        r"\sum_{j=1}^n [j \in \mathcal{N}(i)] h_{\text{node}(j)}",
    ],
)
def test_a_set_that_nothing_says_is_no_normal_distribution(sum_):
    text = rf"Let $h \in \mathbb{{R}}^{{\text{{node}}:n}}$. $$m_{{\text{{node}}(i)}} = {sum_}$$"
    document = read(text)
    assert not any("distributed" in aside.why for aside in document.asides)
