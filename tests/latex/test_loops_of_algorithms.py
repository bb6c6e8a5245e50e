r"""Loops of algorithms and of prose: counted, with steps that read each other, and those that are not run."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read

RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(4, 4)) * 0.3
b = RANDOM.normal(size=4)
GIVEN = {"A": nt.tensor(A, "n n'"), "b": nt.tensor(b, "n"), "x": nt.tensor(np.ones(4), "n")}

DATA = (
    r"Let $A \in \mathbb{R}^{\mathsf{n}[4] \times \mathsf{n'}[4]}$ and $b \in \mathbb{R}^{\mathsf{n}[4]}$."
    "\n\n"
)
PLAIN = (
    r"Let $A \in \mathbb{R}^{\text{n}:4, \text{n}':4}$ and $b \in \mathbb{R}^{\text{n}:4}$." "\n\n"
)
#: one step of x <- A x + b, in the two dialects
STEP = r"$x \gets \sum_{\mathsf{n'}} A\, x_{\mathsf{n} \to \mathsf{n'}} + b$"
PLAIN_STEP = r"x \leftarrow \sum_{\text{n}'} A \odot x_{\text{n} \to \text{n}'} + b"


def algorithm(*lines):
    steps = "\n".join(line.replace("STEP", STEP) for line in lines)
    return (
        f"{DATA}\\begin{{algorithm}}\n\\begin{{algorithmic}}\n{steps}\n"
        "\\end{algorithmic}\n\\end{algorithm}\n"
    )


def steps_of(count, x=b):
    for _ in range(count):
        x = A @ x + b
    return x


def found(text, name="x", **numbers):
    document = read(text)
    assert document.check() == []
    formula = (document.bind(**numbers) if numbers else document)[name]
    result = formula(**{p.name: GIVEN[p.name] for p in formula.signature.parameters})
    return result.numpy("n") if result.axes else result.numpy()


def test_steps_one_after_the_other_read_what_was_set_before():
    text = algorithm(
        r"\State $x \gets b$", r"\State STEP", r"\State $x \gets x / \sum_{\mathsf{n}} x$"
    )
    wanted = steps_of(1) / steps_of(1).sum()
    np.testing.assert_allclose(found(text), wanted)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\FOR{$k = 1, \dots, 5$}", r"\ENDFOR"),
        (r"\For{$k = 1, 2, \ldots, 5$}", r"\EndFor"),
        (r"\For{$k = 1$ to $5$}", r"\EndFor"),
        (r"\For{$k \in \{1, \dots, 5\}$}", r"\EndFor"),
        (r"\For{$k = 0, \dots, 4$ \textbf{do}}", r"\EndFor"),
        (r"\For{$5$ iterations}", r"\EndFor"),
        (r"\For{$k \leftarrow 1$ \KwTo $5$}{", "}"),
    ],
)
def test_a_loop_runs_as_often_as_its_head_says(begin, end):
    text = algorithm(r"\State $x \gets b$", begin, r"\State STEP", end)
    np.testing.assert_allclose(found(text), steps_of(5))


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\For{$k = 1, \dots, K$}", r"\EndFor"),
        (r"\While{not converged}", r"\EndWhile"),
        (r"\Repeat", r"\Until{$\sum_{\mathsf{n}} |x - b| < \epsilon$}"),
        (r"\Repeat{the end}{", "}"),
        (r"\Loop", r"\EndLoop"),
    ],
)
def test_how_many_steps_nothing_counts_is_chosen(begin, end):
    text = algorithm(r"\State $x \gets b$", begin, r"\State STEP", end)
    letter = "K" if "K" in begin else "steps"
    np.testing.assert_allclose(found(text, **{letter: 3}), steps_of(3))
    document = read(text)
    with pytest.raises(LatexError, match=f"x needs a number for {letter}") as raised:
        document["x"](**{k: GIVEN[k] for k in "Ab"})
    assert f'document.bind({letter}=2)["x"]' in str(raised.value)


@pytest.mark.parametrize(
    "prose",
    [
        r"Start with $x \leftarrow b$. For $k = 1, \dots, 5$:" "\n\n$$STEP$$\n\nand return $x$.",
        r"Start with $x \leftarrow b$ and repeat $5$ times" "\n\n$$STEP .$$\n",
        r"We start at $x = b$. Repeat for $5$ steps:" "\n\n$$STEP$$\n",
        r"1. Set $x \leftarrow b$." "\n" r"2. For $k = 1, \dots, 5$: $STEP$." "\n3. Return $x$.\n",
        r"1. $x \leftarrow b$" "\n" r"2. for $k = 1, \ldots, 5$:" "\n   - $STEP$\n",
        r"It starts from $x \leftarrow b$. In each of $5$ iterations it sets" "\n$$STEP$$\n",
    ],
)
def test_a_loop_may_be_told_in_prose(prose):
    np.testing.assert_allclose(found(PLAIN + prose.replace("STEP", PLAIN_STEP)), steps_of(5))


def test_a_step_reads_what_the_steps_before_it_made():
    text = algorithm(
        r"\State $x \gets b$, $m \gets 0$",
        r"\For{$k = 1, \dots, 5$}",
        r"\State $g \gets \sum_{\mathsf{n'}} A\, x_{\mathsf{n} \to \mathsf{n'}} - b$ \Comment{for $m = 3$}",
        r"\State $m \gets 0.9 m + g / k$",
        r"\State $x \gets x - 0.1 m$",
        r"\EndFor",
    )
    x, m = b, 0
    for k in range(1, 6):
        m = 0.9 * m + (A @ x - b) / k
        x = x - 0.1 * m
    np.testing.assert_allclose(found(text), x)
    np.testing.assert_allclose(found(text, "m"), m)


def test_a_name_may_be_set_twice_in_a_step_and_have_an_exponent_or_a_subscript():
    text = algorithm(
        r"\State $v_{\text{old}} \gets b$, $\hat u \gets 0$",
        r"\For{$k = 1, \dots, 3$}",
        r"\State $\hat u \gets 0.9 \hat u + 0.1 v_{\text{old}}^2$",
        r"\State $v_{\text{old}} \gets v_{\text{old}} + \hat u$",
        r"\State $v_{\text{old}} \gets v_{\text{old}} / \sqrt{\hat u + 1}$",
        r"\EndFor",
        r"\State $y \gets v_{\text{old}}^2$",
    )
    v, u = b, 0
    for _ in range(3):
        u = 0.9 * u + 0.1 * v**2
        v = (v + u) / np.sqrt(u + 1)
    np.testing.assert_allclose(found(text, "y"), v**2)


def test_two_loops_may_change_one_name_one_after_the_other_or_one_in_the_other():
    after = algorithm(
        r"\State $x \gets b$",
        r"\State $s \gets 3 x$",
        r"\For{$k = 1, \dots, 4$}",
        r"\State STEP",
        r"\EndFor",
        r"\For{$k = 1, \dots, 2$}",
        r"\State $x \gets 2 x$",
        r"\EndFor",
        r"\State $x \gets x - s$",
    )
    np.testing.assert_allclose(found(after), 4 * steps_of(4) - 3 * b)
    inside = algorithm(
        r"\State $x \gets b$",
        r"\For{$k = 1, \dots, K$}",
        r"\State $s \gets 0$",
        r"\For{$j = 1, \dots, 3$}",
        r"\State $s \gets s + j x / k$",
        r"\EndFor",
        r"\State $x \gets \sum_{\mathsf{n'}} A\, s_{\mathsf{n} \to \mathsf{n'}} + b$",
        r"\EndFor",
    )
    x = b
    for k in (1, 2):
        x = A @ (6 * x / k) + b
    np.testing.assert_allclose(found(inside, K=2), x)


def test_what_is_defined_by_a_changing_name_changes_with_it():
    """A loss that the text defines is that of the parameters which a step has."""
    text = (
        PLAIN
        + r"""Let $\theta \in \mathbb{R}^{\text{n}:4}$. The residual is
$$r = \sum_{\text{n}'} A \odot \theta_{\text{n} \to \text{n}'} - b$$
and the loss $$\ell = \sum_{\text{n}} r^2 .$$
Starting at $\theta \leftarrow b$, repeat $5$ times
$$\theta \leftarrow \theta - 0.1 \nabla_{\theta} \ell.$$
"""
    )
    theta = b
    for _ in range(5):
        theta = theta - 0.2 * A.T @ (A @ theta - b)
    np.testing.assert_allclose(found(text, r"\theta"), theta)


def test_a_declared_tensor_that_begins_with_a_number_has_its_axes():
    loss = r"Let $w \in \mathbb{R}^{\mathsf{n}[4]}$ and \[ \ell = \sum_{\mathsf{n}} (w - b)^2 . \]"
    text = algorithm(
        r"\State $w \gets 0$",
        r"\For{$k = 1, \dots, 3$}",
        r"\State $g \gets \nabla_w \ell$",
        r"\State $w \gets w - g / \sqrt{1 + \sum_{\mathsf{n}} g^2}$",
        r"\EndFor",
    )
    w = np.zeros(4)
    for _ in range(3):
        g = 2 * (w - b)
        w = w - g / np.sqrt(1 + g @ g)
    np.testing.assert_allclose(found(text.replace(DATA, DATA + loss + "\n\n"), "w"), w)


def test_members_that_an_algorithm_sets_by_the_letter_of_its_loop_stay_a_series():
    text = algorithm(
        r"\State $x^{(0)} \gets b$",
        r"\For{$k = 1, \dots, 5$}",
        r"\State $x^{(k)} \gets \sum_{\mathsf{n'}} A\, x^{(k-1)}_{\mathsf{n} \to \mathsf{n'}} + b$",
        r"\EndFor",
        r"\State $x \gets x^{(5)}$",
    )
    np.testing.assert_allclose(found(text), steps_of(5))


@pytest.mark.parametrize(
    ("begin", "end", "why"),
    [
        (r"\For{each example $i$}", r"\EndFor", "different things"),
        (r"\For{$k = 1, \dots, 5$} \If{it rains}", r"\EndIf \EndFor", "a choice"),
        (r"\If{$\sum_{\mathsf{n}} x > 2$ and it rains}", r"\EndIf", "a choice"),
        (r"\For{$k = 1, \dots, 5$} \For{$j = 1, \dots, k$}", r"\EndFor \EndFor", "in a loop"),
    ],
)
def test_a_loop_that_is_not_run_is_said(begin, end, why):
    text = algorithm(r"\State $x \gets b$", begin, r"\State STEP", end, r"\State $y \gets 2 x$")
    document = read(text)
    assert any(why in finding.message for finding in document.check())
    with pytest.raises(LatexError):
        document["y"](**{k: GIVEN[k] for k in "Ab"})


def test_a_choice_holds_where_its_relation_does():
    text = algorithm(
        r"\State $x \gets b$",
        r"\For{$k = 1, \dots, 4$}",
        r"\State $s \gets \sqrt{\sum_{\mathsf{n}} x^2}$",
        r"\If{$s > 1$} \State $x \gets x / s$ \EndIf",
        r"\If{$k \le 2$} \State $r \gets 0.5$ \State $y \gets 2 x$",
        r"\Else \State $r \gets 0.1$ \State $y \gets x$ \EndIf",
        r"\State $x \gets x + r \sum_{\mathsf{n'}} A\, y_{\mathsf{n} \to \mathsf{n'}} + b$",
        r"\EndFor",
    )
    x = b
    for k in range(1, 5):
        s = np.linalg.norm(x)
        x = x / s if s > 1 else x
        rate, y = (0.5, 2 * x) if k <= 2 else (0.1, x)
        x = x + rate * (A @ y) + b
    np.testing.assert_allclose(found(text), x)


def test_a_choice_may_stand_outside_of_loops_and_in_braces():
    head = r"$s \leftarrow \sum_{\mathsf{n}} b$\; \eIf{$s > 0$}{$x \leftarrow b$\;}{$x \leftarrow -b$\;}"
    np.testing.assert_allclose(found(algorithm(head)), b if b.sum() > 0 else -b)
    below = head.replace("> 0", "> 100")
    np.testing.assert_allclose(found(algorithm(below)), -b)


def test_a_step_that_changes_the_axes_is_an_error_on_its_line():
    text = algorithm(
        r"\State $x \gets b$",
        r"\For{$k = 1, \dots, 5$}",
        r"\State $x \gets \sum_{\mathsf{n}} A\, x$",
        r"\EndFor",
    )
    (finding,) = [f for f in read(text).check() if f.code == "series-shape"]
    assert finding.line == 7
    assert finding.message == (
        "a step of this loop changes x, and what it makes of it has n' too and lacks n"
    )


def test_an_update_that_is_told_to_be_repeated_in_other_words_is_noted():
    text = PLAIN + f"Start with $x \\leftarrow b$. We iterate until it rests:\n\n$${PLAIN_STEP}$$\n"
    assert read(text).check() == []
    other = f"Start with $x \\leftarrow b$. The map, which is iterated, is\n$${PLAIN_STEP}$$\n"
    (note,) = read(PLAIN + other).check()
    assert (note.severity, note.line) == ("note", 4)
    assert note.message == "x is updated once: how often is not said in a way that is read"


def test_a_python_module_has_what_an_algorithm_ends_with():
    text = algorithm(r"\State $x \gets b$", r"\For{$k = 1, \dots, 2$}", r"\State STEP", r"\EndFor")
    module: dict[str, object] = {}
    exec(read(text).python(), module)
    result = module["x"](A=GIVEN["A"], b=GIVEN["b"])  # type: ignore[operator]
    np.testing.assert_allclose(result.numpy("n"), steps_of(2))
    assert read(text).names == ("x",)


RESIDUALS = r"""
Let $C \in \mathbb{R}^{\mathsf{stage}[Q] \times \mathsf{code} \times \mathsf{n}}$ and
$u \in \mathbb{R}^{\mathsf{n}}$.
\begin{algorithm}\begin{algorithmic}
\State $r \gets u$
\State $v \gets 0$
\For{$q = 1, \dots, Q$}
  \State $k \gets \underset{\mathsf{code}}{\mathrm{argmin}}
    \sum_{\mathsf{AXIS}} (r - C_{\mathsf{stage}(q)})^2$
  \State $v \gets v + C_{\mathsf{stage}(q), \mathsf{code}(k)}$
  \State $r \gets r - C_{\mathsf{stage}(q), \mathsf{code}(k)}$
\EndFor
\end{algorithmic}\end{algorithm}
"""


def test_steps_that_read_each_other_are_checked():
    document = read(RESIDUALS.replace("AXIS", "n"))
    assert not document.check()
    C, u = RANDOM.normal(size=(3, 5, 4)), RANDOM.normal(size=4)
    left = u.copy()
    for book in C:
        left -= book[((left - book) ** 2).sum(1).argmin()]
    given = {"C": nt.tensor(C, "stage code n"), "u": nt.tensor(u, "n")}
    np.testing.assert_allclose(document["v"](**given).numpy("n"), u - left)
    (found,) = read(RESIDUALS.replace("AXIS", "stage")).check()
    assert (found.severity, found.code, found.line) == ("error", "axis-missing", 9)


BACKWARDS = r"""Let $r, d \in \mathbb{R}^{\text{env}:N, \text{time}:T}$,
$v \in \mathbb{R}^{\text{env}:N, \text{tick}:T+1}$,
$A \in \mathbb{R}^{\text{env}:N, \text{time}:T}$ and $c \in \mathbb{R}$.
"""


@pytest.mark.parametrize(
    "loop",
    [
        r"""\begin{algorithm} $g \gets 0$\;
\For{$t = T, \dots, 1$}{
  $\delta \gets r_{\text{time}(t)} + c v_{\text{tick}(t+1)} - v_{\text{tick}(t)}$\;
  $g \gets \delta + c (1 - d_{\text{time}(t)}) g$\;
  $A_{\text{time}(t)} \gets g$\;
}
\end{algorithm}""",
        r"""\begin{algorithm}\begin{algorithmic}
\State $g \gets 0$
\For{$t = T, T - 1, \ldots, 1$}
  \State $\delta \gets r_{\text{time}(t)} + c v_{\text{tick}(t+1)} - v_{\text{tick}(t)}$
  \State $g \gets \delta + c (1 - d_{\text{time}(t)}) g$
  \State $A_{\text{time}(t)} \gets g$
\EndFor
\end{algorithmic}\end{algorithm}""",
    ],
)
def test_a_loop_that_counts_down_runs_backwards(loop):
    document = read(BACKWARDS + loop, "notes.tex")
    assert not document.check()
    r, d, v = RANDOM.normal(size=(2, 3)), RANDOM.uniform(size=(2, 3)), RANDOM.normal(size=(2, 4))
    g, wanted = np.zeros(2), []
    for t in (2, 1, 0):
        g = r[:, t] + 0.9 * v[:, t + 1] - v[:, t] + 0.9 * (1 - d[:, t]) * g
        wanted.append(g)
    given = {
        "r": nt.tensor(r, "env time"),
        "d": nt.tensor(d, "env time"),
        "v": nt.tensor(v, "env tick"),
        "c": 0.9,
    }
    result = document["A"](**given).numpy("env", "time")
    np.testing.assert_allclose(result, np.stack(wanted[::-1], 1))
    np.testing.assert_allclose(document["g"](**given).numpy("env"), g)


def test_steps_with_a_size_of_their_own_are_taken_from_the_last_to_the_first():
    text = r"""Let $x \in \mathbb{R}^{\text{px}}$ and $s \in \mathbb{R}^{\text{step}:S}$.
\begin{algorithm}\begin{algorithmic}
\For{$k = S, \dots, 1$}
\State $x \gets s_{\text{step}(k)} x + k$
\EndFor
\end{algorithmic}\end{algorithm}"""
    document = read(text, "notes.tex")
    assert not document.check()
    x, s = RANDOM.normal(size=2), RANDOM.normal(size=3)
    result = document["x"](x=nt.tensor(x, "px"), s=nt.tensor(s, "step")).numpy()
    for k in (3, 2, 1):
        x = s[k - 1] * x + k
    np.testing.assert_allclose(result, x)
