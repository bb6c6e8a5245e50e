"""What is printed renders in KaTeX."""

import random

import pytest
import quickjs

from namedtensor.latex.printing.printer import KATEX_MACROS, latex_of
from tests.latex.expressions import random_formula
from tests.latex.fixtures import in_turn
from tests.latex.formulas import FORMULAS
from tests.latex.rendering import rendered


@in_turn("name", FORMULAS, ["macros", "ndef", "underset"])
def test_the_formulas_of_the_models_render(name, dialect):
    assert "<math" in rendered(FORMULAS[name].latex(dialect))


@pytest.mark.parametrize("seed", range(40))
def test_random_formulas_render(seed):
    written = random_formula(random.Random(seed)).written()
    for dialect in ("macros", "underset"):
        assert "<math" in rendered(latex_of(written, dialect))


def test_plain_latex_needs_no_macros():
    assert "<math" in rendered(FORMULAS["named_tensors.MHA"].latex("underset"), {})
    with pytest.raises(quickjs.JSException, match="Undefined control sequence: "):
        rendered(FORMULAS["named_tensors.MHA"].latex(), {})


@pytest.mark.parametrize(
    "broken",
    [r"\frac{X}", r"\left( X", r"X^2^3", r"\begin{cases} X", r"\nosuchcommand X", "X & Y_", "{X"],
)
def test_what_is_broken_does_not_render(broken):
    with pytest.raises(quickjs.JSException):
        rendered(f"$${broken}$$")


def test_each_macro_shows_what_it_is_for():
    shown = rendered(
        r"$$\ndef{\ax}{ax} A \ndot{\ax \\ \name{bx}'} B \nbin{\ax}{\star} \nfun{\ax}{log-softmax} C"
        r" \ncat{\ax} \nsum{\ax} D \ndot{} E$$"
    )
    for part in ("ax", "bx", "⋆", "softmax", "⊙", "⊕", "∑"):
        assert part in shown
    assert set(KATEX_MACROS) == {
        r"\name",
        r"\ndef",
        r"\nbin",
        r"\ndot",
        r"\ncat",
        r"\nsum",
        r"\nfun",
    }
