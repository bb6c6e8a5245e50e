r"""What method sections of papers write: letters used again, numbers in prose, ends of axes, algorithms."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import called, same

X = np.array([[1.0, -2.0, 0.5], [0.3, 4.0, -1.0]])
x = np.array([1.0, 3.0, 4.0])
EMB = r"Let $x \in \mathbb{R}^{\text{emb}}$." "\n\n"


def findings(text):
    return [str(f) for f in read(text, "paper.tex").check() if f.severity != "note"]


# ------------------------------------------------------------------------ letters used again


def test_an_argument_that_another_section_declares_otherwise_takes_its_shape_from_each_call():
    text = r"""
\section{Codes} The code is $z \in \mathbb{R}^{\text{pos}, \text{emb}}$.
\section{Views} Two views are $A, B \in \mathbb{R}^{\text{batch}, \text{emb}}$.
\[ \text{std}(z) = z - \underset{\text{batch}}{\text{mean}} z \]
\[ C(A, B) = \text{std}(A) \underset{\text{batch}, \text{emb}}{\cdot} \text{std}(B) \]
"""
    assert findings(text) == []
    document = read(text, "paper.tex")
    centred = X - X.mean(0)
    given = nt.tensor(X, "batch emb")
    same(document["std"](z=given), centred, "batch", "emb")
    same(document["C"](A=given, B=given), (centred**2).sum())


def test_an_argument_that_another_section_declares_keeps_the_declaration_that_its_body_fits():
    text = r"""
\section{One} $z \in \mathbb{R}^{\text{pos}, \text{emb}}$
\section{Two} \[ g(z) = \underset{\text{emb}}{\text{softmax}} z \]
"""
    assert [p.name for p in read(text, "paper.tex")["g"].signature.parameters] == ["z"]
    with pytest.raises(nt.NamedTensorError, match="z has no axis pos"):
        read(text, "paper.tex")["g"](z=nt.tensor(x, "emb"))


def test_a_number_in_prose_is_nearer_than_what_another_section_declares():
    text = r"""
\section{One} $x \in \mathbb{R}^{\text{emb}}$
\[ f(x) = c x \]
with $c = 2.5$.
\section{Two} The columns are $c \in \mathbb{R}^{\text{col}}$.
"""
    same(read(text, "paper.tex")["f"](x=nt.tensor(x, "emb")), 2.5 * x, "emb")
    assert "col" not in read(text, "paper.tex")["f"].latex()


def test_a_function_in_prose_is_nearer_than_what_a_display_of_another_section_defines():
    text = (
        EMB
        + r"""
\section{One} \[ f = \sum_{\text{emb}} x \]
\section{Two} A block, here $f(h; v) = h \odot v$ with $h, v \in \mathbb{R}^{\text{emb}}$:
\[ g(h; v) = f(h; v) + h \]
"""
    )
    given = {"h": nt.tensor(x, "emb"), "v": nt.tensor(x, "emb")}
    same(read(text, "paper.tex")["g"](**given), x * x + x, "emb")


@pytest.mark.parametrize("shown", [r"Y = \tanh X", r"Y_{\text{seq}(t)} = \tanh X_{\text{seq}(t)}"])
def test_an_equation_in_prose_is_held_to_what_a_display_defines(shown):
    text = (
        r"""Let $X \in \mathbb{R}^{\text{seq}, \text{emb}}$.
\[ """
        + shown
        + r""" \]
Equivalently $Y = \sum_{\text{seq}} X$.
"""
    )
    assert [f.code for f in read(text).check()] == ["declared-shape"]
    same(read(text)["Y"](X=nt.tensor(X, "seq emb")), np.tanh(X), "seq", "emb")


def test_a_letter_beside_a_formula_may_be_called_as_the_function_that_gives_it():
    text = (
        EMB
        + r"""
\[ C(x) = 2 x \]
\[ L(x) = \sum_{\text{emb}} C^2 (1 - C), \qquad C = C(x) \]
"""
    )
    same(called(text, "L", {"x": nt.tensor(x, "emb")}), (4 * x**2 * (1 - 2 * x)).sum())


def test_a_prime_makes_another_letter():
    text = (
        EMB
        + r"""With base $\beta = 3$,
\[ f(x) = \beta x \]
\[ \beta'(x) = \beta x^2 \]
"""
    )
    same(called(text, "f", {"x": nt.tensor(x, "emb")}), 3 * x, "emb")


def test_a_script_of_letters_that_are_names_elsewhere_is_no_product():
    text = r"""
Let $r, h^{re}, h^{im} \in \mathbb{R}^{\text{emb}}$.
\[ n = \sum_{\text{emb}} ((h^{re})^2 + (h^{im})^2) \]
\section{Two} \[ e = \sum_{\text{emb}} r \]
"""
    n = read(text, "paper.tex")["n"]
    assert [p.name for p in n.signature.parameters] == ["h__re", "h__im"]


# ------------------------------------------------------------------------------ what is written


def test_a_number_of_prose_stands_before_brackets():
    text = (
        EMB
        + r"""The update with learning rate $\eta$ is
\[ y = x - \eta \left( x + 1 \right) . \]
"""
    )
    assert findings(text) == []
    same(read(text)["y"](x=nt.tensor(x, "emb"), eta=0.5), x - 0.5 * (x + 1), "emb")


def test_an_identity_stands_before_brackets():
    text = r"""$C \in \mathbb{R}^{\text{a}, \text{b}}$
\[ y = \sum_{\text{a}, \text{b}} I_{\text{a}, \text{b}} (1 - C)^2 \]
"""
    C = X[:, :2]
    same(called(text, "y", {"C": nt.tensor(C, "a b")}), ((1 - np.diag(C)) ** 2).sum())


def test_a_function_acts_on_what_square_brackets_join():
    text = (
        EMB
        + r"""
\[ f(x) = \underset{\text{emb}}{\mathrm{max}} \; [x \,;\, -x]_{\text{emb}} \]
\[ g(x) = \tanh [x ; 2 x]_{\text{emb}} \]
"""
    )
    given = {"x": nt.tensor(x, "emb")}
    same(called(text, "f", given), abs(x).max())
    same(called(text, "g", given), np.tanh([*x, *(2 * x)]), "emb")


@pytest.mark.parametrize("end", [r"\in [0, 30]", r"\in \mathbb{R}", r"\ge 0", r"\approx 26", "> 0"])
def test_a_definition_says_where_its_values_lie(end):
    text = EMB + rf"\[ f(x) = \sum_{{\text{{emb}}}} x^2 {end} . \]"
    same(called(text, "f", {"x": nt.tensor(x, "emb")}), (x**2).sum())


def test_a_space_behind_the_definition_of_a_function_is_held_to_it():
    text = EMB + r"\[ f(x) = \sum_{\text{emb}} x \in \mathbb{R}^{\text{emb}} \]"
    assert [f.code for f in read(text).check()] == ["declared-shape"]


def test_a_declared_epsilon_that_is_listed_is_a_parameter():
    text = (
        EMB
        + r"""with $\varepsilon \in \mathbb{R}$,
\[ f(x; \varepsilon) = (1 + \varepsilon) x \]
"""
    )
    same(called(text, "f", {"x": nt.tensor(x, "emb"), "varepsilon": 2.0}), 3 * x, "emb")


def test_pictures_are_no_part_of_the_document():
    text = "\\section{A}\n" + EMB + r"\includegraphics[width=3cm]{figures/none.pdf}"
    assert read(text, "paper.tex").check() == []


def test_the_steps_of_an_algorithm_begin_with_a_number():
    text = r"""
Let $U \in \mathbb{R}^{\text{low}, \text{high}}$.
\begin{algorithm}
\STATE $b \gets 0$
\STATE $c \gets \underset{\text{high}}{\text{softmax}}(b)$
\STATE $b \gets b + U \odot c$
\end{algorithm}
"""
    assert findings(text) == []


# ------------------------------------------------------------------------------ axes and their ends


def test_the_distances_of_all_pairs_are_along_an_axis_and_its_copy():
    text = r"""$P \in \mathbb{R}^{\text{node}, \text{xyz}}$
\[ d_{ij} = \sum_{\text{xyz}} (P_{\text{node}:i} - P_{\text{node}:j})^2 \]
"""
    found = read(text)["d"](P=nt.tensor(X, "node xyz"))
    same(found, ((X[:, None] - X) ** 2).sum(2), "node", "node'")


@pytest.mark.parametrize(
    "end", [r"x_{\text{time}(|\text{time}|+1)}", r"x_{\text{time}(T+1)}", r"x_{T+1}"]
)
@pytest.mark.parametrize("mark", [r"\text{time}(t%s)", "t%s"])
def test_what_is_given_after_the_last_element_stands_there(end, mark):
    text = rf"""$x \in \mathbb{{R}}^{{\text{{time}}:T}}$ and ${end} = 0$.
\[ d_{{{mark % ""}}} = x_{{{mark % ""}}} - x_{{{mark % "+1"}}} \]
for $t = 1, \dots, T$."""
    assert findings(text) == []
    same(read(text)["d"](x=nt.tensor(x, "time")), x - [3, 4, 0], "time")


def test_what_is_given_before_the_first_element_stands_for_elements_written_short():
    text = r"""$x \in \mathbb{R}^{\text{time}:T}$ and $x_0 = 0$.
\[ d_t = x_t - x_{t-1} \]
for $t = 1, \dots, T$."""
    same(read(text)["d"](x=nt.tensor(x, "time")), x - [0, 1, 3], "time")


@pytest.mark.parametrize("also", ["", r" and $1 \le a \le |\text{k}|$"])
def test_a_range_behind_a_display_is_that_of_its_definition_by_elements(also):
    text = rf"""$X \in \mathbb{{R}}^{{\text{{seq}}}}$, $K \in \mathbb{{R}}^{{\text{{k}}}}$
\begin{{align}}
U_{{\text{{seq}}(i), \text{{k}}(a)}} &= X_{{\text{{seq}}(i + a - 1)}} \\
Y &= U \underset{{\text{{k}}}}{{\cdot}} K
\end{{align}}
for $1 \le i \le |\text{{seq}}| - |\text{{k}}| + 1${also}."""
    given = {"X": nt.tensor(x, "seq"), "K": nt.tensor(np.array([1.0, 10.0]), "k")}
    same(called(text, "Y", given), x[:-1] + 10 * x[1:], "seq")


FREQUENCIES = r"""Let $\tau \in \mathbb{R}$.
\begin{align}
\omega_{\text{freq}(i)} &= 2^{1 - i} \\
\gamma(\tau) &= [\omega \tau ; \tanh(\omega \tau)]_{\text{freq}}
\end{align}
"""


def test_the_size_of_an_axis_that_nothing_takes_is_chosen():
    omega = np.array([1.0, 0.5, 0.25])
    same(read(FREQUENCIES).bind(freq=3)["omega"](), omega, "freq")
    found = called(FREQUENCIES, "gamma", {"tau": 3.0}, {"freq": 3})
    same(found, [*(3 * omega), *np.tanh(3 * omega)], "freq")


def test_a_function_of_numbers_alone_may_ask_for_a_size_of_the_document():
    text = (
        EMB
        + r"""The bits per dimension of $\ell \in \mathbb{R}$ are
\[ b(\ell) = \frac{\ell}{|\text{emb}|} . \]
"""
    )
    same(called(text, "b", {"ell": 6.0}, {"emb": 3}), 2.0)
    assert "axis-missing" in findings(text.replace("|\\text{emb}|", "|\\text{hid}|"))[0]


# ------------------------------------------------------------------------------ beyond the ends

SHORT = r"""$u \in \mathbb{R}^{\text{seq}}$, $k \in \mathbb{R}^{\text{order}[3]}$
\[ y_{\text{seq}(t)} = \sum_{i=1}^{3} k_{\text{order}(i)} u_{\text{seq}(INDEX)} \]
"""
U, KERNEL = np.array([1.0, 3.0, 4.0, 5.0]), np.array([1.0, 10.0, 100.0])
TAPS = {"u": nt.tensor(U, "seq"), "k": nt.tensor(KERNEL, "order")}


@pytest.mark.parametrize(
    ("index", "least"), [("t - i + 1", -1), ("t - i", -2), (r"|\text{seq}| - t", 0)]
)
def test_a_difference_of_indices_does_not_count_from_the_end(index, least):
    with pytest.raises(nt.NamedTensorError, match=f"index {least} lies outside axis seq"):
        read(SHORT.replace("INDEX", index))["y"](**TAPS)


def test_an_index_that_lies_before_the_first_for_all_sizes_is_an_error():
    text = SHORT.replace("INDEX", "t - i + 1")
    assert [f.code for f in read(text).check()] == ["index-range"]
    assert "can be -1" in str(read(text).check()[0])


@pytest.mark.parametrize(
    "sum_", [r"\sum_{s=1}^{t}", r"\sum_{s=1}^{\min(t, 4)}", r"\sum_{s} [s \le t]"]
)
@pytest.mark.parametrize("size", ["", ":4", ":n"])
def test_an_index_that_a_sum_or_a_bracket_keeps_inside_is_none(sum_, size):
    text = rf"""$u, h \in \mathbb{{R}}^{{\text{{seq}}{size}}}$
\[ y_{{\text{{seq}}(t)}} = {sum_} h_{{\text{{seq}}(t - s + 1)}} u_{{\text{{seq}}(s)}} \]"""
    given = {"u": nt.tensor(U, "seq"), "h": nt.tensor(U[::-1].copy(), "seq")}
    same(
        called(text, "y", given),
        np.convolve(U, U[::-1])[:4],
        "seq",
    )


def test_an_axis_is_turned_round():
    text = SHORT.replace("INDEX", r"|\text{seq}| - t + 1")
    same(called(text, "y", TAPS), 111 * U[::-1], "seq")


@pytest.mark.parametrize(
    "zeros",
    [
        r"$u_{\text{seq}(s)} = 0$ for $s < 1$",
        r"$u_{\text{seq}(s)} = 0$ if $s \le 0$",
        r"$u_{\text{seq}(0)} = u_{\text{seq}(-1)} = 0$",
        r"$u_{\text{seq}(0)} = 0$ and $u_{\text{seq}(-1)} = 0$",
    ],
)
@pytest.mark.parametrize("index", ["t - i + 1", "t - 2"])
def test_zeros_stand_before_the_first_element(zeros, index):
    text = SHORT.replace("INDEX", index) + f"where {zeros}."
    before = np.array([0, 0, *U])
    taps = [before[2:], before[1:-1], before[:-2]] if "i" in index else [before[:-2]] * 3
    same(called(text, "y", TAPS), KERNEL @ taps, "seq")


def test_zeros_stand_after_the_last_element():
    text = SHORT.replace("INDEX", "t + i - 1")
    text += r"with $u_{\text{seq}(s)} = 0$ for $s > |\text{seq}|$."
    after = np.array([*U, 0, 0])
    same(called(text, "y", TAPS), KERNEL @ [after[:-2], after[1:-1], after[2:]], "seq")


def test_a_bracket_lets_a_window_go_beyond_the_last_element():
    text = SHORT.replace("INDEX", "t + i - 1").replace(" \\]", r" [t + i \le |\text{seq}| + 1] \]")
    after = np.array([*U, 0, 0])
    same(called(text, "y", TAPS), KERNEL @ [after[:-2], after[1:-1], after[2:]], "seq")


# ------------------------------------------------------------------------------ sentences


def test_a_display_does_not_end_in_a_sentence_that_goes_on_otherwise():
    text = r"""With $p, q \in [0, 1]^{\text{vocab}}$ the draft is kept with probability
\[ a(p, q) = \sum_{\text{vocab}} \min(p, q), \]
otherwise a new one is drawn."""
    p = np.array([0.2, 0.8])
    given = {"p": nt.tensor(p, "vocab"), "q": nt.tensor(p[::-1].copy(), "vocab")}
    same(called(text, "a", given), 0.4)


def test_messages_between_all_pairs_follow_their_distances():
    text = r"""$x \in \mathbb{R}^{\text{node}, \text{xyz}}$
\begin{align}
r_{ij} &= \sum_{\text{xyz}} (x_{\text{node}(i)} - x_{\text{node}(j)})^2 \\
m_{ij} &= \sum_{\text{xyz}} x_{\text{node}(j)} - r_{ij} \\
y_{\text{node}(i)} &= \sum_{j \ne i} m_{ij}
\end{align}"""
    m = X.sum(1) - ((X[:, None] - X) ** 2).sum(2)
    found = read(text)["y"](x=nt.tensor(X, "node xyz"))
    same(found, m.sum(1) - np.diag(m), "node")


# ------------------------------------------------------------------------------ other sections' letters


def test_a_function_that_all_know_is_no_tensor_of_another_section():
    text = r"""
\section{Rendering} The densities are $\sigma \in \mathbb{R}^{\text{ray}}$.
\section{Gates} \[ f(x; v) = \sigma(v \odot x), \quad x, v \in \mathbb{R}^{\text{emb}} \]
"""
    f = read(text, "paper.tex")["f"]
    given = nt.tensor(x, "emb")
    same(f(x=given, v=given), 1 / (1 + np.exp(-x * x)), "emb")


def test_a_section_that_declares_a_letter_multiplies_with_it():
    text = r"\section{A} $\sigma, x \in \mathbb{R}^{\text{emb}}$ \[ y = \sigma (1 + x) \]"
    given = nt.tensor(x, "emb")
    same(read(text, "paper.tex")["y"](sigma=given, x=given), x * (1 + x), "emb")


def test_epsilon_is_a_small_number_where_its_section_says_nothing_else():
    text = r"""
\section{Mixing} with $\epsilon \in [0, 1]^{\text{batch}}$
\section{Norms} with $x \in \mathbb{R}^{\text{emb}}$
\[ f(x) = \frac{x}{\sqrt{\sum_{\text{emb}} x^2 + \epsilon}} \]
"""
    found = read(text, "paper.tex").bind(epsilon=1.0)["f"](x=nt.tensor(x, "emb"))
    same(found, x / np.sqrt((x * x).sum() + 1), "emb")


def test_a_power_of_a_primed_letter_is_a_power():
    text = EMB + r"\[ f(x) = \sum_{\text{emb}} x'^2 + \sum_{\text{emb}} {x'}^3, \quad x' = 2 x \]"
    same(called(text, "f", {"x": nt.tensor(x, "emb")}), (4 * x**2 + 8 * x**3).sum())


@pytest.mark.parametrize(
    "step", ["x^k = 2 x^{k-1} + 1", "x_k = 2 x_{k-1} + 1", "x^{(k)} = 2 x^{(k-1)} + 1"]
)
def test_a_series_begins_with_the_letter_that_is_declared(step):
    text = EMB + rf"\[ {step}, \quad k = 1, \dots, K \]"
    name = "x_K" if "_" in step else "x^K"
    same(called(text, name, {"x": nt.tensor(x, "emb")}, {"K": 2}), 4 * x + 3, "emb")


def test_the_range_of_another_member_is_its_own():
    text = r"""$R \in \mathbb{R}^{\text{time}}$
\[ G_{\text{time}(t)} = R_{\text{time}(t)} + G_{\text{time}(t+1)} \]
\[ G_{\text{time}(|\text{time}|+1)} = 0 \]
\[ G^{(1)}_{\text{time}(t)} = R_{\text{time}(t+1)}, \qquad 1 \le t \le |\text{time}| - 1 \]"""
    same(called(text, "G", {"R": nt.tensor(x, "time")}), np.cumsum(x[::-1])[::-1], "time")


@pytest.mark.parametrize("given", [r"and $%s$.", r"\[ %s \]"])
def test_a_logarithm_is_a_name_beside_a_letter_of_another_section(given):
    text = r"""
\section{A} $Z \in \mathbb{R}^{\text{centre}}$ \[ y = \sum_{\text{centre}} \log Z \]
\section{B} $f \in \mathbb{R}^{\text{tag}}$ """
    text += given % r"\log Z = \log \sum_{\text{tag}} \exp f" + r" \[ p = \exp(f - \log Z) \]"
    document, e = read(text, "paper.tex"), np.exp(x)
    same(document["p"](f=nt.tensor(x, "tag")), e / e.sum(), "tag")
    same(document["y"](Z=nt.tensor(x, "centre")), np.log(x).sum())
