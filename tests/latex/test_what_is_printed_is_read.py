"""The law of the printer: what it prints is read back as the very same tree, in both dialects."""

import random
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis, R, axes
from namedtensor.axes import BOUND, shown
from namedtensor.errors import NamedTensorError
from namedtensor.latex import LatexError, read, read_file
from namedtensor.latex.printing import dialects, forms, pieces
from namedtensor.latex.printing.elements import constant
from namedtensor.latex.printing.names import DIALECTS
from namedtensor.latex.printing.naming import axes_in
from namedtensor.latex.printing.pieces import Piece
from namedtensor.latex.printing.printer import latex_of
from namedtensor.primitives import table
from namedtensor.primitives.notation import JUXTAPOSED, KERNEL
from tests.latex.alike import alike
from tests.latex.corpus.subjects import DOCUMENTS
from tests.latex.expressions import g, random_formula
from tests.latex.fixtures import in_turn
from tests.latex.formulas import FORMULAS
from tests.latex.rendering import rendered
from tests.shares import first

#: So many formulas are drawn in each of four parts, and each is printed in both dialects.
COUNT = 250
PARTS = 4
#: From this part on `make check-long` draws.
LONG = 1

#: What is another tree each time it is made, has no one operation, or is made of sizes alone.
NEVER = {
    "scan",
    "associative_scan",
    "dropout",
    "rearrange",
    "alike",
    "cast_like",
    "picks",
    "open_size",
    "full",
    *"normal uniform randint beta gamma poisson categorical".split(),  # other numbers at each call
    *("dropout_mask", "polygamma"),  # what derivatives are made of
    "stored",  # the update of a state, which is printed as its value
    "lifted",  # a function of Python
    "detach",  # see tests/formula/test_stopped_gradients.py
    "from_front",  # which the notation has no need to say: an index counts from 1
}

#: Formulas that are read as another tree, or not at all, and why.
OTHERWISE = {
    "introduction.encoder_layer": "calls phi_A with a setting that is a word",
    "introduction.decoder_layer": "calls phi_A with a setting that is a word",
    "translation.DecoderStep": "calls recall without its mask",
    "encoder_decoder.DecoderStep": "calls recall without its mask",
    "forward_pass.Embedding": "has (i + 1) - 1, which reads as i",
}


def called(formula, found):
    """List a formula after those that it calls."""
    for inner in formula.written().called.values():
        called(inner, found)
    found.setdefault(formula.name, formula)
    return found


def has_stacks(formula):
    """Say whether a formula has stacks, whose number of layers is read as open: see test_systems."""
    bundles = [p.bundle for p in formula.signature.parameters if p.bundle is not None]
    return any(p.stack for p in formula.signature.parameters) or any(map(has_stacks, bundles))


def same(text, name, written):
    """Say whether a text defines the same tree under this name, but for names inside of steps."""
    return all(map(alike, read(text)[name].written().results, written.results))


@pytest.mark.parametrize("part", first(LONG, range(PARTS)))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=COUNT, deadline=None)
def test_what_is_printed_is_read_as_the_same_tree(part, seed):
    written = random_formula(random.Random(f"{part} {seed}"), depth=3).written()
    for dialect in ("macros", "underset"):
        before = [g.latex(dialect)] if written.called else []
        text = "\n\n".join([*before, latex_of(written, dialect)])
        assert same(text, "f", written), text


def test_every_construct_is_drawn():
    drawn = set()
    for seed in range(2 * PARTS * COUNT):
        pending = list(random_formula(random.Random(seed), depth=3).written().results)
        while pending:
            node = pending.pop()
            drawn.add(node.name)
            pending += node.operands
    wanted = {name for name, entry in table().items() if entry.notation is not KERNEL}
    assert wanted - drawn == NEVER


def _without_parentheses(patch):
    patch.setattr(pieces, "wrapped", lambda text, left="(", right=")": text)


def _with_fractions_upside_down(patch):
    def upside_down(forms, node):
        above, below = [forms.write(o).text for o in node.operands]
        return Piece(rf"\frac{{{below}}}{{{above}}}", JUXTAPOSED)

    patch.setitem(forms.FORMS, "fraction", upside_down)


def _with_indices_from_zero(patch):
    patch.setattr(forms.Forms, "from_one", lambda self, node: self.write(node).text)


def _with_axes_left_out(patch):
    patch.setattr(dialects.Dialect, "dot", lambda self, axes: r"\ndot{}")


@pytest.mark.parametrize(
    "broken",
    [
        _without_parentheses,
        _with_fractions_upside_down,
        _with_indices_from_zero,
        _with_axes_left_out,
    ],
)
def test_the_law_fails_for_a_printer_that_is_broken(broken, monkeypatch):
    broken(monkeypatch)
    holds = []
    for seed in range(60):
        written = random_formula(random.Random(seed), depth=3).written()
        try:
            holds.append(written.called or same(latex_of(written), "f", written))
        except LatexError:
            holds.append(False)
    assert not all(holds)


@in_turn(
    "name",
    sorted(n for n in FORMULAS.keys() - OTHERWISE if not has_stacks(FORMULAS[n])),
    DIALECTS,
)
def test_the_formulas_of_the_models_are_read_as_the_same_trees(name, dialect):
    formula = FORMULAS[name]
    text = "\n\n".join([f.latex(dialect) for f in called(formula, {}).values()])
    assert same(text, formula.name, formula.written())


@in_turn("path", DOCUMENTS, DIALECTS)
def test_documents_are_printed_as_documents_that_say_the_same(path, dialect):
    document = read_file(path)
    text = document.latex(dialect)
    again = {formula.name: formula for formula in read(text).formulas}
    times = Counter([formula.name for formula in document.formulas])
    count = 0
    for formula in document.formulas:
        if times[formula.name] > 1:
            continue  # a name given twice stands for another thing in another section
        with suppress(NamedTensorError):  # what has an open length cannot be written yet
            written = formula.written()
            rendered(latex_of(written, dialect))
            # a number alone in its block is no named notation, and a bound index has no name to read
            hidden = any(shown(name) != name for name in axes_in(written))
            if constant(written.results[0]) is None and not hidden:
                assert again[formula.name].written().results == written.results, formula.name
                count += 1
    assert count or path.name == "refused.tex"


def test_an_axis_that_a_bound_index_hides_gets_a_name_of_its_own():
    seq = axes("seq")
    hidden = Axis.known(f"seq{BOUND}1", None)

    @nt.formula
    def f(X: R[seq]) -> R[seq]:
        return X * nt.sum[hidden](X[seq >> hidden] * X)

    assert (
        f.latex()
        .splitlines()[-2]
        .endswith(r"&= X \odot \nsum{\name{seq}'} X_{\name{seq} \rightarrow \name{seq}'} \odot X")
    )


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("norm", [{}, {"p": 1.5}, {"p": 3}]),
        ("f", [{"p": 0.5}, {"flipped": True}, {"how": "max"}]),
        ("gamma", [{"p": -1.0, "flipped": True}, {}]),
        ("d_model", [{"how": "max", "p": 1e-05}]),
    ],
)
@pytest.mark.parametrize("dialect", ["macros", "underset"])
def test_formulas_called_with_settings_are_read_back(name, given, dialect):
    """A call with a setting that is a number was printed as norm(X, p = 1.5), and nothing defined that."""
    emb = axes("emb")

    def body(X: R[emb], p: float = 2.0, how: str = "sum", flipped: bool = False) -> R:
        size = nt.sum[emb](X**2) if how == "sum" else nt.max[emb](X)
        return -p * size if flipped else p * size

    body.__name__ = body.__qualname__ = name
    called = nt.formula(body)

    @nt.formula
    def main(X: R[emb]) -> R:
        return sum([called(X, **settings) for settings in given], start=nt.sum[emb](X))

    X = nt.tensor([1.0, -2.0, 3.0], emb)
    document = read(main.latex(dialect))
    assert document.check() == []
    assert nt.testing.assert_close(document["main"](X), main(X)) is None
