"""Cards: a formula as MathML that needs no script, LaTeX, Python and declared shapes; a module's sizes."""

import importlib
import pkgutil
import re
from xml.etree import ElementTree

import pytest

import namedtensor as nt
import transformer_named
from namedtensor import R, formula
from namedtensor.display.mathml import mathml

emb, hid, seq, key, head = nt.axes("emb hid seq key head")
seq_ = seq.prime


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


@formula
def stack(X: R[emb], scale: float = 2.0, *, inner: FFN) -> R[emb]:
    return scale * inner(X)


def formulas():
    """Give the formulas of the models, by name."""
    found = {}
    for module in pkgutil.walk_packages(transformer_named.__path__, "transformer_named."):
        if not module.name.endswith("__main__"):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, nt.Formula):
                    found[thing.name] = thing
    return found


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (
            r"A \underset{\text{emb}}{\cdot} B",
            '<mrow><mi>A</mi><mspace width=".22em"/><munder><mo>⋅</mo><mtext>emb</mtext></munder>'
            '<mspace width=".22em"/><mi>B</mi></mrow>',
        ),
        (
            r"\underset{\text{emb}}{\text{max}}",
            "<munder><mtext>max</mtext><mtext>emb</mtext></munder>",
        ),
        (r"\text{seq}'", "<mtext>seq′</mtext>"),
        (r"W^1", "<msup><mi>W</mi><mn>1</mn></msup>"),
        (r"X'", "<msup><mi>X</mi><mo>′</mo></msup>"),
        (
            r"\frac{1}{\sqrt{|a|}}",
            '<mfrac><mn>1</mn><msqrt><mrow><mo stretchy="false" lspace="0" rspace="0">|</mo><mi>a</mi>'
            '<mo stretchy="false" lspace="0" rspace="0">|</mo></mrow></msqrt></mfrac>',
        ),
        (
            r"\sum_{\text{seq}} X",
            "<mrow><munder><mo>∑</mo><mtext>seq</mtext></munder><mi>X</mi></mrow>",
        ),
        (
            r"\text{softmax} \text{score}",
            '<mrow><mtext>softmax</mtext><mspace width=".22em"/><mtext>score</mtext></mrow>',
        ),
        (
            r"\text{f}(x)",
            '<mrow><mtext>f</mtext><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo></mrow>',
        ),
        (r"i \text{ odd}", "<mrow><mi>i</mi><mtext>\u00a0odd</mtext></mrow>"),
        (r"= -\infty", '<mrow><mo>=</mo><mo form="prefix">−</mo><mi>∞</mi></mrow>'),
        (r"a - b", "<mrow><mi>a</mi><mo>−</mo><mi>b</mi></mrow>"),
        (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\gamma \mathbb{R}", "<mrow><mi>γ</mi><mi>ℝ</mi></mrow>"),
        (r"a < b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
        (
            r"\left( a \right)",
            '<mrow><mo stretchy="true">(</mo><mi>a</mi><mo stretchy="true">)</mo></mrow>',
        ),
    ],
)
def test_each_sign_has_its_element(latex, said):
    page = mathml(f"$${latex}$$")
    assert page == f'<math display="block" style="width:max-content">{said}</math>'


def test_the_formulas_of_the_models_are_math_without_a_command_left_over():
    count = 0
    for name, found in formulas().items():
        try:
            latex = found.latex("underset")
        except nt.NamedTensorError:
            continue
        page = mathml(latex)
        root = ElementTree.fromstring(page)
        assert "\\" not in page, name
        for letters in root.iter("mi"):
            assert (
                letters.text in ("exp", "log", "max", "min", "sin", "cos", "tanh")
                or len(letters.text) == 1
            )
        for kind, parts in (("mfrac", 2), ("munder", 2), ("msub", 2), ("msup", 2), ("msubsup", 3)):
            assert all(len(part) == parts for part in root.iter(kind)), name
        words = set(re.findall(r"\\text\{([^}]*)\}", latex)) - {""}
        shown = {part.text.rstrip("′").replace("\u00a0", " ") for part in root.iter("mtext")}
        assert words == shown
        count += 1
    assert count > 40


def test_a_card_has_equation_axes_python_and_latex():
    page = FFN._repr_html_()
    assert "<math" in page
    assert r"\underset{\text{hid}}{\cdot}" in page
    assert "return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2" in page
    rows = re.findall(r'<tr><th class="row">(\w+)</th><td>(.*?)</td><td>(\w+)</td></tr>', page)
    told = [(name, re.sub("<[^>]*>", "", axes), role) for name, axes, role in rows]
    assert told == [
        ("X", "emb", "argument"),
        ("W1", "emb hid", "parameter"),
        ("b1", "hid", "parameter"),
        ("W2", "hid emb", "parameter"),
        ("b2", "emb", "parameter"),
    ]
    assert not re.search(r"<script|javascript:|https?:", page)
    assert len(page) < 20_000


def test_bundles_and_settings_are_told_and_what_cannot_be_printed_has_a_card_all_the_same():
    page = stack._repr_html_()
    assert "the parameters of FFN" in page
    assert "a setting: 2.0" in page

    @formula(trace=False)
    def odd(X: R[emb]) -> R[emb]:
        return X if float(nt.sum[emb](X)) > 0 else -X

    assert "odd(X: R[emb])" in odd._repr_html_()
    assert "<math" not in odd._repr_html_()


def test_a_module_s_card_counts_its_parameters():
    page = stack.module(emb[16], hid[64])._repr_html_()
    assert "stack: 2,128 parameters" in page
    assert (
        re.sub("<[^>]*>", " ", page).split("share")[1].split()
        == (
            "inner.W1 emb [16] hid [64] 1,024 48.1% inner.b1 hid [64] 64 3.0% "
            "inner.W2 hid [64] emb [16] 1,024 48.1% inner.b2 emb [16] 16 0.8% in all 2,128"
        ).split()
    )


def test_explanations_do_not_name_what_only_the_inside_of_a_formula_tells_apart():
    from namedtensor.operations.renaming import RENAME

    assert RENAME((("head·", "head"),)).write(("X",)) == "X"
    assert RENAME((("head·", "head"), ("a", "b"))).write(("X",)) == "X[a >> b]"


def test_a_module_s_card_counts_as_its_summary_does():
    @formula
    def moved(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return W @ emb @ X

    @formula
    def net(
        X: R[emb], *, layers: nt.each[moved], a: moved, b: moved, mean: nt.State[R[emb]]
    ) -> R[hid]:
        return layers[0](X - mean) + a(X) + b(X)

    one = moved.module(emb[3], hid[2])
    model = net.module(emb[3], hid[2], layers=2, a=one, b=one)
    page = re.sub("<[^>]*>", " ", model._repr_html_())
    assert nt.summary(model).count == 18
    assert "net: 18 parameters" in page
    assert "layers.1.W" in page
    assert "tied to a.W" in page
    assert "mean" not in page  # a state is no parameter
