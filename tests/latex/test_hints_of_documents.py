"""Hints of a document's findings and errors are LaTeX, and work when they are typed."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError
from namedtensor.latex.evaluation.hints import in_notation

rng = np.random.default_rng(0)
GIVEN = {
    "alpha": tensor(rng.normal(size=(4, 3)), "seq", "emb"),
    "B": tensor(rng.normal(size=3), "key"),
    "C_1": tensor(rng.normal(size=(4, 3)), "seq", "key"),
    "P": tensor(rng.normal(size=5), "pos"),
    "t": tensor(rng.normal(size=4), "pos'"),
    "M": tensor(rng.normal(size=(2, 3, 3)), "batch", "row", "col"),
    "a": tensor(rng.normal(size=3), "edge"),
    "x": tensor(rng.normal(size=3), "node"),
}
HEAD = r"""Let $\alpha \in \mathbb{R}^{\text{seq} \times \text{emb}}$, $B \in \mathbb{R}^{\text{key}}$,
$C_1 \in \mathbb{R}^{\text{seq} \times \text{key}}$, $P \in \mathbb{R}^{\text{pos}}$,
$t \in \mathbb{R}^{\text{pos}'}$, $M \in \mathbb{R}^{\text{batch} \times \text{row} \times \text{col}}$,
$a \in \mathbb{R}^{\text{edge}}$
and $x \in \mathbb{R}^{\text{node}}$."""


def run(body: str, more: str = "") -> None:
    document = read(f"{HEAD}\n{more}\n$$Y = {body}$$")
    formula = document["Y"]
    formula(**{p.name: GIVEN[p.name] for p in formula.signature.parameters})


#: A formula that fails, and the part of it for which the hint of the error stands.
TYPED = {
    r"\alpha \underset{\text{key}}{\cdot} B": r"\alpha",
    r"C_1 \underset{\text{emb}}{\cdot} \alpha": "C_1",
    r"(2 \alpha) \underset{\text{key}}{\cdot} B": r"(2 \alpha)",
    r"\underset{\text{key}}{\text{softmax}} \alpha": r"\underset{\text{key}}{\text{softmax}} \alpha",
    r"\text{softmax}(\alpha)": r"\text{softmax}(\alpha)",
    r"\sum \alpha": r"\sum \alpha",
    r"\|\alpha\|": r"\|\alpha\|",
    r"\alpha_{\text{seq} \rightarrow \text{emb}}": r"\alpha_{\text{seq} \rightarrow \text{emb}}",
    r"\det(M)": r"\det(M)",
    r"P + t_{\text{pos}' \rightarrow \text{pos}}": "P + t_{\\text{pos}' \\rightarrow \\text{pos}}",
    r"[\alpha ; \alpha]_{\text{key}}": r"[\alpha ; \alpha]_{\text{key}}",
    r"f(a)": "a",
}


@pytest.mark.parametrize("body", TYPED)
def test_the_hint_of_an_error_works_when_it_is_typed(body):
    more = r"With $f(x) = 2 x$ and "
    with pytest.raises(LatexError) as refused:
        run(body, more)
    hint = refused.value.finding.hint
    assert r"\text{" in hint
    typed = hint.split(": ")[-1].split(" or ")[0].removeprefix("choose another name, ")
    typed = typed.removeprefix("select as many of both, ").rstrip(", ")
    run(body.replace(TYPED[body], typed), more)


@pytest.mark.parametrize("body", TYPED)
def test_no_finding_writes_python(body):
    document = read(f"{HEAD}\n$$f(x) = 2 x$$\n$$Y = {body}$$")
    for found in document.check():
        assert not any(sign in found.hint for sign in (">>", "nt.", "->", ".size(")), found.hint


@pytest.mark.parametrize(
    ("python", "written"),
    [
        ("X[seq >> key]", r"X_{\text{seq} \rightarrow \text{key}}"),
        ('X["seq -> seq\'"]', r"X_{\text{seq} \rightarrow \text{seq}'}"),
        ("X[(a, b) >> c]", r"X_{(\text{a}, \text{b}) \rightarrow \text{c}}"),
        ("X[a >> (b[2], c)]", r"X_{\text{a} \rightarrow (\text{b}:2, \text{c})}"),
        ("nt.sum[seq](X)", r"\sum_{\text{seq}}(X)"),
        ("nt.maxk[seq, k[5]](X)", r"\underset{\text{seq}, \text{k}}{\text{maxk}}(X, 5)"),
        ("M[in[:3]]", r"\underset{\text{in}}{\text{until}}(M, 3)"),
        ("A @ emb @ B", r"A \underset{\text{emb}}{\cdot} B"),
        ("declare it, or ask a tensor: X.size(height)", r"state it, |\text{height}| = 5"),
        ("theta_{step:0} = ...", r"\theta_{\text{step}(0)} = ..."),
        ("A_k_{out' -> out''}", r"[A_k]_{\text{out}' \rightarrow \text{out}''}"),
        ('choose it: document.bind(L=2)["X^{L}"]', 'choose it: document.bind(L=2)["X^{L}"]'),
        ('select: X.to("torch")[seq[1:]]', ""),
    ],
)
def test_what_a_programmer_types_is_written_as_a_document_does(python, written):
    assert in_notation(python) == written
    assert in_notation(written) == written


def test_an_element_of_a_declared_tensor_is_offered_for_a_letter_with_its_index():
    text = r"""Let $g \in \mathbb{R}^{\text{node}:n \times \text{node}':n}$.
$$Y_{\text{node}(i)} = \sum_{j=1}^n 2 g_{ji}$$"""
    (found,) = [f for f in read(text).check() if f.code == "undefined"]
    hint = found.hint.split(" is ")[-1]
    assert read(text.replace("g_{ji}", hint)).check() == []


@pytest.mark.parametrize(
    "body", [r"\exp(\alpha)_k", r"(\alpha + 1)_k", r"(1 + \alpha)^+", r"\|\alpha\|_q"]
)
def test_what_is_no_name_is_not_offered_as_one(body):
    document = read(f"{HEAD}\n$$Y = \\sum_{{\\text{{seq}}}} {body}$$")
    for found in document.check():
        assert r"\in \mathbb{R}" not in found.hint
    with pytest.raises(LatexError) as refused:
        run(rf"\sum_{{\text{{seq}}}} {body}")
    assert "declare" not in refused.value.finding.hint


@pytest.mark.parametrize("sign", [r"\underset{\text{emb}}{\odot} W_g", "+ b"])
def test_a_function_that_ends_too_early_is_offered_brackets(sign):
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{tok}} \times \text{{emb}}}}$,
$b \in \mathbb{{R}}^{{\text{{exp}}}}$ and
$W_g \in \mathbb{{R}}^{{\text{{emb}} \times \text{{exp}}}}$.
$$P = \underset{{\text{{exp}}}}{{\text{{softmax}}}} \, X {sign}$$"""
    (found,) = [f for f in read(text).check() if f.severity == "error"]
    said, _, hint = found.hint.partition(": ")
    assert said == "put brackets around all that it acts on"
    mended = text.split("$$P = ")[0] + f"$$P = {hint}$$"
    assert [f for f in read(mended).check() if f.severity == "error"] == []
