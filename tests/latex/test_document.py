"""A document gives its statements, its names and its formulas."""

import numpy as np
import pytest

import namedtensor as nt

NOTES = r"""# Notes

Let $X \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ and
$W^Q, W^K \in \mathbb{R}^{\text{emb}:d, \text{key}:d_k}$.

$$ f(X; W) = \underset{\text{seq}}{\text{softmax}}
    \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{d_k}} \right) $$

where

$$ Q = W^Q \underset{\text{emb}}{\cdot} X_{\text{seq} \rightarrow \text{seq}'} $$

and $K = W^K \underset{\text{emb}}{\cdot} X$. <!-- named: ok undefined -->

# Another section

Here $X \in \mathbb{R}^{\text{hid}}$ is another letter, and $g(X) = 2X + 1$, $|\text{hid}| = 4$.
"""
DOCUMENT = nt.latex.read(NOTES, "notes.md")


def test_the_statements_are_listed_in_the_order_of_the_text():
    kinds = [s.kind for s in DOCUMENT.statements]
    assert kinds == [
        "declaration",
        "declaration",
        "definition",
        "definition",
        "definition",
        "declaration",
        "definition",
        "constraint",
    ]
    assert [s.line for s in DOCUMENT.statements] == [3, 4, 6, 11, 13, 17, 17, 17]
    assert DOCUMENT.statements[0].text == r"X \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}"
    assert DOCUMENT.statements[0].tree is None
    assert repr(DOCUMENT.statements[6]) == "definition in line 17: g(X) = 2X + 1"


def test_a_definition_has_the_tree_that_its_formula_traces_to():
    hid = nt.axes("hid")

    @nt.formula
    def g(X: nt.R[hid[4]]) -> nt.R[hid]:
        return 2 * X + 1

    view = next(s for s in DOCUMENT.statements if s.text.startswith("g"))
    assert view.tree is g.written().results[0]


def test_a_definition_that_cannot_be_evaluated_has_no_tree():
    document = nt.latex.read(r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = \sum_{\text{b}} X$")
    assert document.statements[1].tree is None


def test_what_is_no_notation_is_set_aside():
    document = nt.latex.read(r"$f(x) = x^2$ and $a^\top b$ and $$\int f \, dx = 1$$")
    assert document.names == ("f",)
    assert len(document.asides) >= 1


def test_the_names_are_those_that_can_be_asked_for():
    assert DOCUMENT.names == ("f", "Q", "K", "g")
    assert "f" in DOCUMENT
    assert "h" not in DOCUMENT
    assert repr(DOCUMENT) == "Document('notes.md': f, Q, K, g)"
    for name in DOCUMENT.names:
        DOCUMENT[name]


def test_a_document_gives_its_names_one_after_another():
    document = nt.latex.read(r"Let $X \in \mathbb{R}^{\text{emb}}$. $$f(X) = X + 1$$ $$g(X) = 2X$$")
    assert list(document) == ["f", "g"]
    assert {name: document[name] for name in document}.keys() == {"f", "g"}
    with pytest.raises(nt.latex.LatexError, match="the document defines no 0\n"):
        document[0]


def test_where_clauses_stand_in_following_blocks():
    f = DOCUMENT["f"]
    assert repr(f) == "f(X: R[seq, emb]; WQ: R[emb, key], WK: R[emb, key]) -> R[seq, seq']"
    generator = np.random.default_rng(0)
    X, WQ, WK = (
        nt.normal(axes, generator=generator)
        for axes in ("seq[3] emb[2]", "emb[2] key[5]", "emb[2] key[5]")
    )
    found = f(X, WQ=WQ, WK=WK).numpy("seq'", "seq")
    scores = (X.numpy("seq", "emb") @ WQ.numpy("emb", "key")) @ (
        X.numpy("seq", "emb") @ WK.numpy("emb", "key")
    ).T
    weights = np.exp(scores / np.sqrt(5))
    np.testing.assert_allclose(found, weights / weights.sum(1, keepdims=True))


def test_a_where_clause_is_a_formula_by_itself():
    assert repr(DOCUMENT["Q"]) == "Q(X: R[seq, emb]; WQ: R[emb, key]) -> R[key, seq']"


def test_a_letter_reused_in_another_section_is_another_letter():
    assert repr(DOCUMENT["g"]) == "g(X: R[hid[4]]) -> R[hid]"


def test_names_are_asked_for_as_they_are_written_or_as_python_writes_them():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{emb}}$, $\text{FFN}(X) = X + 1$, $X^0 = 2X$, $\mathrm{f}_3(X) = X$"
    )
    for name in ("FFN", r"\text{FFN}", r"\mathrm{FFN}"):
        assert document[name] is document["FFN"]
    for name in ("X0", "X^0", "X^{0}"):
        assert document[name] is document["X^0"]
    assert document.names == ("FFN", "X^0", "f_3")


def test_an_unlisted_parameter_is_told_in_the_documentation():
    document = nt.latex.read(
        r"$x \in \mathbb{R}^{\text{a}}$, $w, b \in \mathbb{R}^{\text{a}}$, $f(x; w) = w x + b$",
        "notes.md",
    )
    assert repr(document["f"]) == "f(x: R[a]; w: R[a], b: R[a]) -> R[a]"
    assert document["f"].__doc__ == (
        "f, as notes.md defines it in line 1.\n\n    f(x; w) = w x + b\n\n"
        "b: declared, and not in its list."
    )


def test_a_formula_is_printed_compiled_shaped_and_made_a_module():
    f = DOCUMENT["f"]
    assert f.shape("seq[3] emb[2]", WK="emb[2] key[5]", WQ="emb[2] key[5]") == "seq[3] seq'[3]"
    assert r"Q &= W^Q \ndot{\name{emb}} X_{\name{seq} \rightarrow \name{seq}'}" in f.latex()
    X = nt.ones("seq[3] emb[2]")
    assert "softmax" in f.code(X, WQ=nt.ones("emb[2] key[5]"), WK=nt.ones("emb[2] key[5]"))
    module = f.module("emb[2] key[5]")
    assert [n for n, _ in module.named_parameters()] == ["WQ", "WK"]
    assert module(nt.cast(X.to("torch"), "float32")).shape == "seq[3] seq'[3]"


def test_sizes_take_their_values_from_arguments_or_from_their_user():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{seq}:n, \text{hid}:4d}$, $f(X) = \frac{X}{d} + n$,"
        r" $P_{\text{seq}:i} = i / n$, $P \in \mathbb{R}^{\text{seq}:n}$"
    )
    X = nt.ones("seq[3] hid[8]")
    np.testing.assert_allclose(document["f"](X).numpy("seq", "hid"), np.full((3, 8), 3.5))
    np.testing.assert_allclose(document.bind(n=4)["P"]().numpy("seq"), [0.25, 0.5, 0.75, 1])


def test_chosen_sizes_are_held_against_the_arguments():
    document = nt.latex.read(r"$X \in \mathbb{R}^{\text{seq}:n}$, $f(X) = 2X$").bind(n=4)
    assert repr(document["f"]) == "f(X: R[seq[4]]) -> R[seq]"
    with pytest.raises(nt.AxisSizeError, match=r"axis seq is 3 in X and 4 in the declaration"):
        document["f"](nt.ones("seq[3]"))


def test_a_declared_size_in_numbers_is_part_of_the_signature():
    document = nt.latex.read(r"$X \in \mathbb{R}^{\text{seq}:3}$, $f(X) = 2X$")
    assert repr(document["f"]) == "f(X: R[seq[3]]) -> R[seq]"


def test_small_numbers_are_settings():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = \frac{1}{X + \epsilon}$, $g(X) = f(X) + \varepsilon$"
    )
    zero = nt.zeros("a[1]")
    assert document["f"](zero).numpy() == pytest.approx(1e5)
    assert document["f"](zero, epsilon=0.5).numpy() == 2
    assert document.bind(epsilon=0.1)["f"](zero).numpy() == pytest.approx(10)
    assert repr(document["g"]) == "g(X: R[a]; varepsilon) -> R[a]"


def test_signatures_declare_arguments_and_results():
    document = nt.latex.read(
        r"$f \colon \mathbb{R}^{\text{a}} \times \mathbb{R} \rightarrow \mathbb{R}^{\text{b}}$"
        r" $f(x, \alpha) = \alpha x_{\text{a} \rightarrow \text{b}}$"
    )
    assert repr(document["f"]) == "f(x: R[a], alpha: R) -> R[b]"
    assert document["f"](nt.ones("a[2]"), 3.0).shape == "b[2]"


def test_numbers_and_sizes_are_tensors_without_axes():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}:n}$, $f(X) = n^2$, $g(X) = 3$, $h(X) = |\text{a}|$"
    )
    X = nt.ones("a[4]")
    assert [document[n](X).numpy().item() for n in "fgh"] == [16, 3, 4]


def test_a_formula_may_give_several_tensors():
    document = nt.latex.read(r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = (2X, \sum_{\text{a}} X)$")
    assert repr(document["f"]) == "f(X: R[a]) -> R[a], R"
    twice, total = document["f"](nt.ones("a[3]"))
    assert (twice.shape, total.numpy().item()) == (nt.Shape("a[3]"), 3)


def test_element_definitions_are_tensors_defined_by_their_indices():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}, \text{b}}$, $f(X) = X \underset{\text{b}}{\cdot} M$,"
        r" $M_{\text{b}:i, \text{c}:j} = \begin{cases} 1 & i = j \\ 0 & \text{otherwise} \end{cases}$,"
        r" $M \in \mathbb{R}^{\text{b}:n, \text{c}:2}$"
    )
    X = nt.tensor(np.arange(6.0).reshape(2, 3), "a", "b")
    np.testing.assert_array_equal(document["f"](X).numpy("a", "c"), X.numpy("a", "b")[:, :2])


def test_two_arguments_may_have_one_axis_in_different_sizes():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}:n}$, $Y \in \mathbb{R}^{\text{a}:m}$,"
        r" $f(X, Y) = \underset{\text{a}}{\text{concat}}(X, Y)$"
    )
    assert document["f"](nt.ones("a[2]"), nt.ones("a[3]")).shape == "a[5]"


def test_what_cannot_be_made_is_listed_with_its_error_beside_the_rest():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = 2X$, $g(X, X) = X$, $h(X) = f(X) + 1$"
    )
    tried = dict(document.attempts())
    assert isinstance(tried["g"], nt.latex.LatexError)
    assert [f.name for f in document.formulas] == ["f", "h"]
    assert "% g is left out: X stands twice among the arguments of g" in document.latex()
    assert "def h(" in document.python()
    assert "def g(" not in document.python()


def test_what_is_called_is_printed_before_its_caller():
    printed = nt.latex.read(r"$X \in \mathbb{R}^{\text{a}}$, $h(X) = f(X) + 1$, $f(X) = 2X$").latex(
        "underset"
    )
    assert printed.index("f(X) &= 2 X") < printed.index("h(X) &=")


def test_comments_silence_findings_on_their_line_and_the_next():
    assert DOCUMENT.silenced("undefined", 13)
    assert DOCUMENT.silenced("undefined", 14)
    assert not DOCUMENT.silenced("undefined", 12)
    assert not DOCUMENT.silenced("undeclared", 13)


def test_a_file_is_read_with_its_preambles(tmp_path):
    style = tmp_path / "style.sty"
    style.write_text(r"\ndef{\emb}{emb} \newcommand{\half}{\frac{1}{2}}")
    page = tmp_path / "page.md"
    page.write_text(r"$X \in \mathbb{R}^{\emb}$ and $f(X) = \half X$", encoding="utf-8-sig")
    for preamble in (style, [style], [str(style)]):
        document = nt.latex.read_file(page, preamble)
        assert repr(document["f"]) == "f(X: R[emb]) -> R[emb]"
    assert document.source.name == str(page)


def test_a_text_is_read_with_a_preamble():
    document = nt.latex.read(r"$f(x) = \half x$", preamble=r"\newcommand{\half}{\frac{1}{2}}")
    assert document["f"](nt.ones("a[1]")).numpy() == 0.5


def test_a_definition_is_linked_with_what_its_formula_takes():
    definition = DOCUMENT.statements[2].syntax
    linked = DOCUMENT.linked(definition)
    assert [(i.key, i.role) for i in linked.inputs] == [
        ("X", "argument"),
        ("W^{Q}", "parameter"),
        ("W^{K}", "parameter"),
    ]


def test_reading_notation_leaves_torch_unloaded():
    import subprocess
    import sys

    code = (
        "import sys, namedtensor as nt;"
        r"d = nt.latex.read(r'$f(x) = \exp x$');"
        "d['f'](nt.ones('a[2]'));"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
