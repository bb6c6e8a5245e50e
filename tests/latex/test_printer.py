"""Formulas as LaTeX: what each construct looks like, and no more parentheses than needed."""

import math

import pytest

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.errors import KindError
from namedtensor.latex.printing.forms import FORMS
from namedtensor.latex.printing.pieces import figure
from namedtensor.latex.printing.printer import latex_of
from namedtensor.primitives import table
from namedtensor.primitives.notation import KERNEL, Special
from tests.latex.fixtures import in_turn
from tests.latex.formulas import FORMULAS

seq, seq_, emb, hid, head, val, row, col = axes("seq seq' emb hid head val row col")


def body(function, dialect="macros"):
    """Print what a formula is defined as."""
    text = formula(function).latex(dialect).split("\n\n")[-1]
    return text.split("&= ", 1)[1].split(" \\\\\n")[0].removesuffix("\n\\end{aligned}$$")


def clauses(function, dialect="macros"):
    """Print a formula's definition and its where-clauses, without declarations."""
    lines = formula(function).latex(dialect).split("\n\n")[-1].splitlines()[1:-1]
    first = next(i for i, line in enumerate(lines) if "&=" in line)
    return [line.removesuffix(r" \\") for line in lines[first:]]


def test_the_attention_of_document_001_prints_as_the_document_has_it():
    attention, multi_head = FORMULAS["named_tensors.MHA"].latex("underset").split("\n\n")
    assert attention == FORMULAS["named_tensors.att"].latex("underset")
    assert (
        multi_head
        == r"""$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
W^Q, W^K &\in \mathbb{R}^{\text{head}, \text{emb}, \text{key}} \\
W^V &\in \mathbb{R}^{\text{head}, \text{emb}, \text{val}} \\
W^O &\in \mathbb{R}^{\text{head}, \text{val}, \text{emb}} \\
\text{MHA}(X; W^Q, W^K, W^V, W^O) &= [W^O \underset{\text{head}, \text{val}}{\cdot} \text{att}(Q, K, V, M)]_{\text{seq}' \rightarrow \text{seq}} \\
Q &= W^Q \underset{\text{emb}}{\cdot} [X]_{\text{seq} \rightarrow \text{seq}'} \\
K &= W^K \underset{\text{emb}}{\cdot} X \\
V &= W^V \underset{\text{emb}}{\cdot} X \\
M_{\text{seq}':i, \text{seq}:j} &= \begin{cases} 0.0 & j \leq i \\ -\infty & \text{otherwise} \end{cases}
\end{aligned}$$"""  # noqa: E501
    )


def test_the_style_file_has_macros_for_axes():
    assert (
        FORMULAS["named_tensors.att"].latex()
        == r"""$$\begin{aligned}
Q &\in \mathbb{R}^{\name{key} \times \name{seq}'} \\
K &\in \mathbb{R}^{\name{key} \times \name{seq}} \\
V &\in \mathbb{R}^{\name{seq} \times \name{val}} \\
M &\in \mathbb{R}^{\name{seq} \times \name{seq}'} \\
\text{att}(Q, K, V, M) &= V \ndot{\name{seq}} \nfun{\name{seq}}{softmax}\left( \frac{Q \ndot{\name{key}} K}{\sqrt{|\name{key}|}} + M \right)
\end{aligned}$$"""  # noqa: E501
    )


def test_a_dialect_that_is_not_there():
    with pytest.raises(KindError) as error:
        FORMULAS["named_tensors.att"].latex("tex")
    assert str(error.value) == (
        "latex('tex'): there is no dialect 'tex'\n"
        'hint: "macros" or "ndef" for the style file, "underset" for plain LaTeX'
    )


def test_axes_may_have_macros_of_their_own():
    greatest, hidden, pair = axes("max hidden_1 head_key")

    def f(X: R[seq, seq_, pair, greatest, hidden]):
        return X @ seq @ X + nt.sum[greatest](X)

    assert (
        formula(f).latex("ndef")
        == r"""$$\ndef{\seq}{seq}
\ndef{\hidden}{hidden}
\begin{aligned}
X &\in \mathbb{R}^{\seq \times \seq' \times \name{head\_key} \times \name{max} \times \hidden_1} \\
f(X) &= X \ndot{\seq} X + \nsum{\name{max}} X
\end{aligned}$$"""
    )


# ------------------------------------------------------------------------------ parentheses


SUMS = {
    "X + Y - Z": lambda X, Y, Z: X + Y - Z,
    "X - (Y - Z)": lambda X, Y, Z: X - (Y - Z),
    "X - (-Y)": lambda X, Y, Z: X - -Y,
    "-X + Y": lambda X, Y, Z: -X + Y,
    "-(X + Y)": lambda X, Y, Z: -(X + Y),
    "-(X \\odot Y)": lambda X, Y, Z: -(X * Y),
    "-X \\odot Y": lambda X, Y, Z: (-X) * Y,
    "X \\odot (Y + Z)": lambda X, Y, Z: X * (Y + Z),
    "X \\odot Y \\odot Z": lambda X, Y, Z: X * Y * Z,
    "X \\odot (Y \\odot Z)": lambda X, Y, Z: X * (Y * Z),
    "2 X": lambda X, Y, Z: 2 * X,
    "2 X + Y": lambda X, Y, Z: 2 * X + Y,
    "X \\odot 2": lambda X, Y, Z: X * 2,
    "-2 \\odot X": lambda X, Y, Z: -2 * X,
    "X \\odot (-2)": lambda X, Y, Z: X * -2,
    "-2 X": lambda X, Y, Z: -(2 * X),
    "2 \\odot (X + Y)": lambda X, Y, Z: 2 * (X + Y),
    "X^2": lambda X, Y, Z: X**2,
    "(-X)^2": lambda X, Y, Z: (-X) ** 2,
    "-X^2": lambda X, Y, Z: -(X**2),
    "(X^2)^3": lambda X, Y, Z: (X**2) ** 3,
    "X^{Y + Z}": lambda X, Y, Z: X ** (Y + Z),
    "X^{(Y + Z)/X}": lambda X, Y, Z: X ** ((Y + Z) / X),
    "2^X": lambda X, Y, Z: 2**X,
    "\\frac{X + Y}{Z}": lambda X, Y, Z: (X + Y) / Z,
    "\\frac{\\frac{X}{Y}}{Z}": lambda X, Y, Z: X / Y / Z,
    "\\left( \\frac{X}{Y} \\right)^2": lambda X, Y, Z: (X / Y) ** 2,
    "\\exp X": lambda X, Y, Z: nt.exp(X),
    "\\exp(X + Y)": lambda X, Y, Z: nt.exp(X + Y),
    "\\exp 2 X": lambda X, Y, Z: nt.exp(2 * X),
    "\\exp X^2": lambda X, Y, Z: nt.exp(X**2),
    "\\exp((-X)^2)": lambda X, Y, Z: nt.exp((-X) ** 2),
    "(\\exp X)^2": lambda X, Y, Z: nt.exp(X) ** 2,
    "\\exp X \\odot Y": lambda X, Y, Z: nt.exp(X) * Y,
    "\\exp \\sin X": lambda X, Y, Z: nt.exp(nt.sin(X)),
    "X - \\exp(-Y)": lambda X, Y, Z: X - nt.exp(-Y),
    "\\text{ReLU}(X)": lambda X, Y, Z: nt.relu(X),
    "\\text{ReLU}(X) + Y": lambda X, Y, Z: nt.relu(X) + Y,
    "\\max(X, Y + Z)": lambda X, Y, Z: nt.maximum(X, Y + Z),
    "\\sqrt{X + Y}": lambda X, Y, Z: nt.sqrt(X + Y),
    "\\left| X + Y \\right|": lambda X, Y, Z: nt.abs(X + Y),
    "\\left\\lfloor X \\right\\rfloor": lambda X, Y, Z: nt.floor(X),
    "(X > Y) \\odot Z": lambda X, Y, Z: (X > Y) * Z,
    "(X + Y) \\bmod Z": lambda X, Y, Z: (X + Y) % Z,
    "X \\bmod Y + Z": lambda X, Y, Z: X % Y + Z,
}


@pytest.mark.parametrize("text", SUMS)
def test_parentheses_stand_where_they_are_needed(text):
    function = SUMS[text]

    def f(X: R[seq], Y: R[seq], Z: R[seq]):
        return function(X, Y, Z)

    assert body(f) == text


AXES = {
    r"\nsum{\name{seq}} X": lambda X, Y: nt.sum[seq](X),
    r"\nsum{\name{seq} \\ \name{emb}} X": lambda X, Y: nt.sum[seq, emb](X),
    r"\nsum{\name{seq}} X \odot Y": lambda X, Y: nt.sum[seq](X * Y),
    r"\left( \nsum{\name{seq}} X \right) \odot Y": lambda X, Y: nt.sum[seq](X) * Y,
    r"X \odot \nsum{\name{seq}} Y": lambda X, Y: X * nt.sum[seq](Y),
    r"\left( X \odot \nsum{\name{seq}} Y \right) \odot X": lambda X, Y: X * nt.sum[seq](Y) * X,
    r"\nsum{\name{seq}} X + Y": lambda X, Y: nt.sum[seq](X) + Y,
    r"\nsum{\name{seq}} (X + Y)": lambda X, Y: nt.sum[seq](X + Y),
    r"-\nsum{\name{seq}} X \odot Y": lambda X, Y: -nt.sum[seq](X * Y),
    r"\prod_{\name{seq}} X": lambda X, Y: nt.prod[seq](X),
    r"\nfun{\name{seq}}{softmax} X": lambda X, Y: nt.softmax[seq](X),
    r"\nfun{\name{seq}}{softmax}(X + Y)": lambda X, Y: nt.softmax[seq](X + Y),
    r"\nfun{\name{seq}}{softmax} X \odot Y": lambda X, Y: nt.softmax[seq](X) * Y,
    r"\nfun{\name{seq}}{max} X": lambda X, Y: nt.max[seq](X),
    r"\nfun{\name{seq}}{log-softmax} X": lambda X, Y: nt.log_softmax[seq](X),
    r"\left\| X \right\|_{\name{emb}}": lambda X, Y: nt.norm[emb](X),
    r"X \ndot{\name{seq}} Y": lambda X, Y: X @ seq @ Y,
    r"X \ndot{\name{seq} \\ \name{emb}} Y": lambda X, Y: X @ (seq, emb) @ Y,
    r"X \ndot{} Y": lambda X, Y: nt.dot[()](X, Y),
    r"X \ndot{\name{seq}} (Y \ndot{} Y)": lambda X, Y: X @ seq @ nt.dot[()](Y, Y),
    r"\nfun{\name{seq}}{contract}(X, Y, X)": lambda X, Y: nt.dot[seq](X, Y, X),
    r"X_{\name{seq} \rightarrow \name{seq}'}": lambda X, Y: X[seq >> seq_],
    r"[X + Y]_{\name{seq} \rightarrow \name{seq}'}": lambda X, Y: (X + Y)[seq >> seq_],
    r"X_{\name{seq} \rightarrow \name{emb}, \name{emb} \rightarrow \name{seq}}": lambda X, Y: X[
        seq >> emb, emb >> seq
    ],
    r"X_{(\name{seq}, \name{emb}) \rightarrow \name{val}}": lambda X, Y: X[(seq, emb) >> val],
    r"X_{\name{emb} \rightarrow (\name{head}[8], \name{val})}": lambda X, Y: X[
        emb >> (head[8], val)
    ],
    r"X_{\name{seq}(1)}": lambda X, Y: X[seq(0)],
    r"X_{\name{seq}(3), \name{emb}(1)}": lambda X, Y: X[seq(2), emb(0)],
    r"X_{\name{seq}(-1)}": lambda X, Y: X[seq(-1)],
    r"X_{\name{seq}(|\name{seq}|)}": lambda X, Y: X[seq(abs(seq) - 1)],
    r"X_{\name{seq}(|\name{seq}| - 2 + 1)}": lambda X, Y: X[seq(abs(seq) - 2)],
    r"\nfun{\name{seq}}{range}(X, 3, 5)": lambda X, Y: X[seq[2:5]],
    r"\nfun{\name{seq}}{from}(X, 2)": lambda X, Y: X[seq[1:]],
    r"\nfun{\name{seq}}{until}(X, 3)": lambda X, Y: X[seq[:3]],
    r"\nfun{\name{seq}}{every}(X, 2)": lambda X, Y: X[seq[::2]],
    r"\text{set}(X_{\name{seq}(1)}, 0.0)": lambda X, Y: X.at[seq(0)].set(0.0),
    r"\text{add}(X_{\name{seq}(\text{range}(2, 3))}, 1.0)": lambda X, Y: X.at[seq[1:3]].add(1.0),
    r"\nfun{\name{seq}}{concat}(X, Y)": lambda X, Y: nt.concat[seq](X, Y),
    r"\nfun{\name{seq} \\ \name{val}}{unroll}(X, 3)": lambda X, Y: nt.unroll[seq, val[3]](X),
    r"\nfun{\name{seq} \\ \name{val}}{maxk}(X, 5)": lambda X, Y: nt.maxk[seq, val[5]](X),
    r"\nfun{\name{seq}}{sort} X": lambda X, Y: nt.sort[seq](X),
    r"\nfun{\name{seq}}{sort-descending} X": lambda X, Y: nt.sort[seq](X, descending=True),
    r"\nfun{\name{seq}}{standardize}(X, 10^{-5})": lambda X, Y: nt.standardize[seq](X),
    r"\nfun{\name{seq}}{pad}(X, 1, 2, 0)": lambda X, Y: nt.pad[seq](X, 1, 2),
    r"\text{float32}(X)": lambda X, Y: nt.cast(X, "float32"),
    r"\text{dropout}(X, 0.1)": lambda X, Y: nt.dropout(X, 0.1),
    r"\begin{cases} X & X > Y \\ Y & \text{otherwise} \end{cases}": lambda X, Y: nt.where(
        X > Y, X, Y
    ),
    r"\begin{cases} X & X > Y \\ 0.0 & X = 0 \lor (Y > 0 \land \lnot (X = Y)) \\ Y & \text{otherwise}"
    r" \end{cases}": lambda X, Y: nt.cases((X, X > Y), (0.0, (X == 0) | ((Y > 0) & ~(X == Y))), Y),
    r"\nfun{\name{seq}}{count}(X > Y)": lambda X, Y: nt.count[seq](X > Y),
    r"[[X]_{\name{emb} \rightarrow (\name{head}[2], \name{val})}]_{(\name{head}, \name{seq}) \rightarrow"
    r" \name{head\_seq}}": lambda X, Y: X.rearrange("seq (head val) -> (head seq) val", head=2),
}


@pytest.mark.parametrize("text", AXES)
def test_what_has_axes_shows_them(text):
    function = AXES[text]

    def f(X: R[seq, emb], Y: R[seq, emb]):
        return function(X, Y)

    assert body(f) == text


def test_plain_latex_puts_axes_under_operators():
    def f(X: R[seq, emb], Y: R[seq, emb]):
        return nt.max[seq](X @ emb @ Y[seq >> seq_]) + nt.sum[seq, emb](X[seq(0)] * Y)

    assert body(f, "underset") == (
        r"\underset{\text{seq}}{\max}(X \underset{\text{emb}}{\cdot} [Y]_{\text{seq} \rightarrow"
        r" \text{seq}'}) + \sum_{\text{seq}, \text{emb}} X_{\text{seq}:1} \odot Y"
    )


# ------------------------------------------------------------------------------------- names


def test_whole_numbers_divide_to_whole_numbers_between_brackets():
    def f(X: R[seq], I: Z[seq]):
        return X * (abs(seq) // 2) + I // 2 + X // 2.0 + nt.floor(X / 2)

    assert body(f) == (
        r"X \odot \left\lfloor \frac{|\name{seq}|}{2} \right\rfloor + \left\lfloor \frac{I}{2}"
        r" \right\rfloor + \text{floordiv}(X, 2.0) + \left\lfloor \frac{X}{2} \right\rfloor"
    )


def test_a_power_is_told_from_a_name():
    def f(X: R[seq], X2: R[seq], d_k: R[seq], x_: R[seq]):
        return X**2 + X**3 + X2**2 + d_k**2 + x_**2

    assert body(f) == "(X)^2 + X^3 + (X^2)^2 + (d_k)^2 + (x')^2"


def test_the_inverse_of_each_number_of_a_matrix_is_no_power():
    def f(X: R[row, col]):
        return X**-1 + nt.sum[row](X) ** -1

    assert body(f) == r"\text{power}(X, -1) + \left( \nsum{\name{row}} X \right)^{-1}"


def test_parts_print_below_with_their_names():
    def f(X: R[seq]):
        scores = X + 1
        weights = nt.softmax[seq](scores)
        return weights * scores

    assert clauses(f) == [
        r"f(X) &= \text{weights} \odot \text{scores}",
        r"\text{weights} &= \nfun{\name{seq}}{softmax} \text{scores}",
        r"\text{scores} &= X + 1",
    ]


def test_a_part_named_like_a_function_is_written_out():
    def f(X: R[seq]):
        softmax = X + 1
        return nt.softmax[seq](softmax)

    assert clauses(f) == [r"f(X) &= \nfun{\name{seq}}{softmax}(X + 1)"]


def test_what_a_long_text_repeats_gets_a_name():
    def f(X: R[seq], Y: R[seq]):
        def once(X, Y):
            return nt.sigmoid(X * Y) + nt.softmax[seq](X - Y)

        return once(X, Y) * nt.exp(once(X, Y))

    assert clauses(f) == [
        r"f(X, Y) &= Z \odot \exp Z",
        r"Z &= \text{sigmoid}(X \odot Y) + \nfun{\name{seq}}{softmax}(X - Y)",
    ]


def test_steps_without_end_stay_readable():
    def f(X: R[seq], W: R[seq, seq_]):
        h = X
        for _ in range(200):
            h = nt.tanh((h @ seq @ W)[seq_ >> seq] + h * h)
        return h

    written = formula(f).written()
    text = latex_of(written)
    assert len(text) < 40_000
    assert max(map(len, text.splitlines())) < 400


def test_long_sums_are_broken_into_lines():
    def f(X: R[seq], Y: R[seq]):
        return sum([nt.sigmoid(X + i) * Y for i in range(1, 12)], start=X)

    lines = clauses(f)
    assert lines[0].startswith(r"f(X, Y) &= X + \text{sigmoid}(X + 1) \odot Y + ")
    assert all(line.startswith(r"&\quad + \text{sigmoid}") for line in lines[1:])
    assert len(lines) > 1


# ---------------------------------------------------------------------------- index-defined


def test_an_index_defined_tensor_prints_by_its_elements():
    def f(X: R[seq, emb]):
        def wave(p, i):
            return nt.where(i % 2 == 0, nt.sin(p / 10000 ** (i / abs(emb))), nt.cos((p + 2) * i))

        P = nt.define[seq, emb](wave)
        return X + P

    assert clauses(f) == [
        "f(X) &= X + P",
        r"P_{\name{emb}(i), \name{seq}(j)} &= \begin{cases} \sin \frac{j - 1}{10000^{(i - 1)/|\name{emb}|}}"
        r" & i \text{ odd} \\ \cos((j + 1) \cdot (i - 1)) & \text{otherwise} \end{cases}",
    ]


def test_an_axis_that_the_rule_ignores_is_an_axis_all_the_same():
    def f(X: R[seq, emb]):
        return X + nt.define[seq, emb](lambda i, j: i + 1)

    assert clauses(f)[1] == r"P_{\name{seq}(i), \name{emb}(j)} &= i"


def test_an_index_defined_tensor_that_meets_no_sizes_is_declared_with_its_own():
    def f(X: R[seq]):
        return X * nt.sum[emb](nt.define[emb[5]](lambda i: i * i))

    assert clauses(f) == [
        r"f(X) &= X \odot \nsum{\name{emb}} P",
        r"P &\in \mathbb{Z}^{\name{emb}[5]}",
        r"P_{\name{emb}(i)} &= (i - 1) \cdot (i - 1)",
    ]


def test_a_rule_without_end_is_written_in_parts():
    def f(X: R[seq]):
        i = nt.iota(seq)
        for _ in range(30):
            i = i + i * 2
        return X + i

    text = formula(f).latex()
    assert len(text) < 10_000
    assert r"_{\name{seq}(j)} &= " in text


def test_indices_take_letters_that_are_free():
    def f(i: R[seq], X: R[seq]):
        return X * i * nt.iota(seq)

    assert clauses(f)[1] == r"P_{\name{seq}(j)} &= j - 1"


# ------------------------------------------------------------------------------ declarations


def test_kinds_and_sizes_are_declared():
    def f(X: R[seq, emb[512]], I: Z[seq], m: B[seq], c: R) -> Z[seq]:
        return nt.where(m & (X[emb(0)] > c), I, 0)

    assert formula(f).latex("underset").splitlines()[1:-1] == [
        r"X &\in \mathbb{R}^{\text{seq}, \text{emb}:512} \\",
        r"I &\in \mathbb{Z}^{\text{seq}} \\",
        r"m &\in \mathbb{B}^{\text{seq}} \\",
        r"c &\in \mathbb{R} \\",
        r"f &\colon \mathbb{R}^{\text{seq}, \text{emb}:512} \times \mathbb{Z}^{\text{seq}} \times"
        r" \mathbb{B}^{\text{seq}} \times \mathbb{R} \rightarrow \mathbb{Z}^{\text{seq}} \\",
        r"f(X, I, m, c) &= \begin{cases} I & m \land X_{\text{emb}:1} > c \\ 0 & \text{otherwise}"
        r" \end{cases}",
    ]


def test_several_results_stand_in_parentheses():
    def f(X: R[seq]) -> tuple[R[seq], R]:
        return X + 1, nt.sum[seq](X)

    assert body(f) == r"(X + 1, \nsum{\name{seq}} X)"


def test_settings_away_from_their_defaults_are_part_of_the_name():
    lnorm = FORMULAS["named_tensors.lnorm"]

    def f(X: R[emb], *, norm: lnorm):
        return norm(X, eps=0.5)

    assert clauses(f) == [r"f(X; \text{norm}) &= \text{lnorm-eps=0.5}(X; \text{norm})"]


def test_a_part_of_a_bundle_shows_its_owner():
    FFN = FORMULAS["named_tensors.FFN"]

    def f(X: R[emb], *, ffn: FFN):
        return ffn.W1 @ emb @ X

    assert body(f) == r"W_{\text{ffn}}^1 \ndot{\name{emb}} X"


# ----------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (-3, "-3"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.25, "0.25"),
        (10000.0, "10000.0"),
        (1e-05, "10^{-5}"),
        (-1e-05, "-10^{-5}"),
        (2.5e-07, r"2.5 \cdot 10^{-7}"),
        (1e12, r"1.0 \cdot 10^{12}"),
        (123456789.0, "123456789.0"),
        (math.inf, r"\infty"),
        (-math.inf, r"-\infty"),
        (math.pi, r"\pi"),
        (math.nan, r"\text{nan}"),
        (True, r"\text{true}"),
        (False, r"\text{false}"),
        (2 + 0.5j, r"\text{complex}(2.0, 0.5)"),
    ],
)
def test_numbers_are_written_so_that_they_read_the_same(value, text):
    assert figure(value)[0] == text


def test_pi_is_a_number_where_no_name_is_pi():
    assert figure(math.pi, frozenset({"pi"}))[0] == "3.141592653589793"


# ------------------------------------------------------------------------------------- table


def test_every_operation_has_a_notation():
    assert [name for name, entry in table().items() if entry.notation is None] == []


def test_every_special_form_is_printed():
    forms = {e.notation.form for e in table().values() if isinstance(e.notation, Special)}
    assert forms == set(FORMS)


def test_only_what_a_plan_puts_in_place_of_a_formula_s_parts_has_no_form():
    unwritten = {name for name, entry in table().items() if entry.notation is KERNEL}
    for name in unwritten - {"shared"}:  # the layers of a stack, which a plan has once
        assert "rewrite" in table()[name].rule.__module__, name


def test_a_kernel_is_never_written():
    from namedtensor.formula.rewrite import rewrite

    FFN = FORMULAS["named_tensors.FFN"]
    written = FFN.written()
    written.results, _ = rewrite(written.results, "torch")
    with pytest.raises(TypeError) as error:
        latex_of(written)
    assert str(error.value) == "linear is made by the rewriter, and never written"


@in_turn("name", FORMULAS, ["macros", "ndef", "underset"])
def test_every_formula_of_the_models_prints(name, dialect):
    text = FORMULAS[name].latex(dialect)
    assert text.startswith("$$\\ndef{" if dialect == "ndef" else "$$\\begin{aligned}\n")
    assert text.endswith("\n\\end{aligned}$$")
    assert text.count("{") == text.count("}")


def test_a_called_formula_is_printed_in_the_form_that_words_among_its_settings_choose():
    """It was printed in its default form, under a name that nothing calls."""
    emb = nt.Axis("emb")

    @nt.formula
    def Norm(X: nt.R[emb], *, gamma: nt.R[emb], kind: str = "layer") -> nt.R[emb]:
        return X * gamma if kind == "scaled" else nt.standardize[emb](X) * gamma

    @nt.formula
    def add(X: nt.R[emb], *, n: Norm, kind: str = "layer") -> nt.R[emb]:
        return X + n(X, kind=kind)

    assert r"\text{Norm-scaled}(X; \gamma) &= X \odot \gamma" in add.latex(kind="scaled")
    assert r"\text{Norm}(X; \gamma)" not in add.latex(kind="scaled")
    assert "standardize" in add.latex()
