"""`nt.show`: the reader's order, words and panels; small static pages of any tensor whatever."""

import colorsys
import re
import subprocess
import sys
import tracemalloc
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import namedtensor as nt
from namedtensor.display.colours import colour_of

seq, emb, head, batch = nt.axes("seq emb head batch")
seq_ = seq.prime
WORDS = "the cat sat".split()


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def att():
    return nt.softmax[seq](nt.tensor(np.arange(18.0).reshape(2, 3, 3), head, seq_, seq))


def test_rows_and_columns_are_the_readers():
    X = nt.tensor([[1, 2], [3, 4]], seq, emb)
    text = repr(nt.show(X, rows=emb, columns=seq))
    assert text == (
        "NamedTensor(emb[2] x seq[2], int64)\n       seq\n       0  1\nemb 0  1  3\n    1  2  4"
    )
    assert repr(nt.show(X, rows="emb")) == repr(nt.show(X, columns="seq")) == text


def test_words_stand_at_their_axis(att):
    lines = repr(nt.show(att, rows=seq_, columns=seq, by=head, labels={seq: WORDS})).splitlines()
    assert lines[1] == "head(0)"
    assert lines[3].split() == WORDS
    assert lines[4].split()[:2] == ["seq'", "0"]


def test_words_go_with_indexing_and_with_functions_and_are_no_part_of_the_tensor(att):
    shown = nt.show(att, columns=seq, labels={seq: WORDS, "seq'": WORDS})
    picked = shown[head(1)][seq[1:]][seq_[[2, 0]]]
    assert repr(picked).splitlines()[2].split() == ["cat", "sat"]
    assert [line.split()[-3] for line in repr(picked).splitlines()[3:]] == ["sat", "the"]
    assert repr(shown.then(nt.softmax[seq])).splitlines()[3].split() == WORDS
    assert "cat" not in repr(shown.then(nt.sum[seq]))[:60]
    assert repr(shown[seq(0)]).count("the") == 1 * 1
    assert "the" not in repr(shown.tensor)


def test_by_gives_every_index_a_table():
    X = nt.tensor(np.zeros((9, 2, 2)), head, seq, emb)
    text = repr(nt.show(X, by=head))
    assert [f"head({i})" in text for i in range(9)] == [True] * 9
    assert "and 5 more" in repr(X)


def test_a_lone_rows_axis_and_axes_that_are_left_over():
    X = nt.tensor(np.arange(4).reshape(2, 2), seq, emb)
    assert repr(nt.show(X, rows=seq, by=emb)).splitlines()[2] == "seq  0  1"
    Y = nt.show(nt.zeros("a[2] b[2] seq[2] emb[2]"), rows="a", by="b")
    assert (Y.view.rows, Y.view.columns, Y.view.outer) == ("a", "emb", ("seq", "b"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            dict(rows="key"),
            "nt.show(X, ...): X has no axis key\n  X : seq[2] emb[3]\n"
            "hint: X has seq and emb: name one of them",
        ),
        (
            dict(labels={seq: ["a"]}),
            "nt.show(X, ...): labels has 1 words for seq, whose size is 2\n  X : seq[2] emb[3]\n"
            "hint: give one word for each index of seq",
        ),
        (
            dict(rows=seq, columns=seq),
            'nt.show(X, ...): seq is named twice\nhint: name it once; "seq\'" is a second copy',
        ),
    ],
)
def test_what_does_not_fit_is_refused(wrong, said):
    with pytest.raises(nt.NamedTensorError) as caught:
        nt.show(nt.zeros("seq[2] emb[3]"), **wrong)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (
            np.zeros(2),
            "nt.show(X): X is a bare array, and its axes have no names\n"
            'hint: nt.show(nt.tensor(X, "seq emb"))',
        ),
        (
            "seq",
            "nt.show(X): X is a str, not a named tensor\nhint: nt.diagram(f) draws a formula",
        ),
    ],
)
def test_only_named_tensors_are_shown(thing, said):
    with pytest.raises(nt.NamedTensorError) as caught:
        nt.show(thing)
    assert str(caught.value) == said


STRANGE = {
    "empty": lambda: nt.zeros("seq[0] emb[3]"),
    "single number": lambda: nt.tensor(3.5, ()),
    "number of Python": lambda: 3,
    "nan": lambda: nt.tensor([[np.nan, -np.inf], [np.inf, 1.0]], seq, emb),
    "all nan": lambda: nt.tensor([[np.nan] * 3] * 2, seq, emb),
    "constant": lambda: nt.zeros("seq[3] emb[20]"),
    "complex": lambda: nt.tensor(np.ones((20, 3)) * (1 + 2j), seq, emb),
    "bool": lambda: nt.tensor(np.eye(20) > 0, seq, emb),
    "int8": lambda: nt.tensor(np.eye(20, dtype=np.int8) * -128, seq, emb),
    "huge": lambda: nt.tensor(np.full((3, 30), 1e300), seq, emb),
    "ten axes": lambda: nt.zeros(" ".join(f"a{i}[3]" for i in range(10))),
    "bfloat16": lambda: nt.tensor(torch.ones(3, 20).bfloat16(), seq, emb),
    "meta": lambda: nt.tensor(torch.ones(3, 20, device="meta"), seq, emb),
    "gradient": lambda: nt.tensor(torch.ones(3, 20, requires_grad=True) * 2, seq, emb),
    "view of 10 GB": lambda: nt.tensor(torch.ones(1).expand(50_000, 50_000), seq, emb),
    "numpy view of 10 GB": lambda: nt.tensor(np.broadcast_to(1.0, (50_000, 50_000)), seq, emb),
    "as large as numbers get": lambda: nt.tensor(np.tile([1e308, -1e308], (9, 10)), seq, emb),
    "fake": lambda: nt.tensor(FakeTensorMode().from_tensor(torch.ones(3, 20)), seq, emb),
    "rule": lambda: nt.define["seq'[20]", "seq[20]"](lambda i, j: nt.where(j <= i, 0.0, -nt.inf)),
    "long": lambda: nt.zeros("seq[100000]"),
    "read-only strides": lambda: nt.tensor(np.arange(60.0).reshape(3, 20)[::-1, ::2], seq, emb),
}


@pytest.mark.parametrize("name", STRANGE)
def test_no_tensor_is_too_strange_and_none_is_copied_whole(name):
    X = STRANGE[name]()
    tracemalloc.start()
    shown = nt.show(X)
    texts = repr(shown), shown._repr_html_(), shown.svg()
    more = (repr(X), X._repr_html_()) if isinstance(X, nt.NamedTensor) else ()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
    assert all(len(text.encode()) <= 20_000 for text in (*texts, *more))
    ElementTree.fromstring(shown.svg())


@pytest.mark.parametrize("size", [3, 11, 64, 500])
@pytest.mark.parametrize("heads", [1, 8, 40])
def test_a_page_stays_small_whatever_the_size(size, heads):
    words = [f"a-rather-long-word-number-{i}" for i in range(size)]
    numbers = np.random.default_rng(0).normal(size=(heads, size, size))
    shown = nt.show(nt.tensor(numbers, head, seq_, seq), by=head, labels={seq: words, seq_: words})
    assert len(shown._repr_html_().encode()) <= 20_000
    assert len(shown.tensor._repr_html_().encode()) <= 20_000


def test_a_page_is_static_and_its_colours_are_those_around_it(att):
    page = nt.show(att, labels={seq: ["<b>", "&", "c"]})._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert not re.search(r"<script|javascript:|\son\w+=|https?://(?!www.w3.org/2000/svg)", page)
    assert 'fill="currentColor"' in page
    assert page.count("<style>") == 1


def test_few_numbers_are_written_into_their_cells_and_many_are_summed_up():
    few = nt.show(nt.tensor([[0.25, -3.0]], seq, emb)).svg()
    assert ">0.25<" in few
    assert ">-3.00<" in few
    many = nt.show(nt.tensor(np.linspace(-1, 3, 900).reshape(30, 30), seq, emb)).svg()
    assert ">min -1, mean 1, max 3<" in many


def test_stronger_numbers_have_stronger_colours():
    from namedtensor.display.heat import Scale

    both = Scale(-1.0, 2.0).levels(np.array([-2.0, -1.0, 0.0, 1.0, 2.0, np.nan]))
    assert both.tolist() == [1, 4, 8, 12, 15, 0]
    one = Scale(0.0, 2.0).levels(np.array([0.0, 1.0, 2.0, -np.inf]))
    assert one.tolist() == [8, 12, 15, 0]


def test_matplotlib_is_imported_for_a_figure_alone(att):
    shown = nt.show(att, by=head, labels={seq: WORDS})
    figure = shown.figure()
    titles = [place.get_title() for place in figure.axes[:2]]
    assert titles == ["head(0)", "head(1)"]
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == WORDS
    code = (
        "import sys, namedtensor as nt; s = nt.show(nt.zeros('a[3] b[3]')); s.svg(); s._repr_html_(); "
        "print('matplotlib' in sys.modules, 'torch' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "False"]
    with pytest.raises(nt.BackendError, match="its numbers cannot be read"):
        nt.show(nt.tensor(torch.ones(2, device="meta"), seq)).figure()


@pytest.mark.parametrize("name", ["seq", "emb", "vocab", "batch", "one", "two", "three", "four"])
def test_names_of_axes_can_be_read_on_light_pages_and_on_dark_ones(name):
    hue, saturation, light = map(float, re.findall(r"[\d.]+", colour_of(name)))
    parts = colorsys.hls_to_rgb(hue / 360, light / 100, saturation / 100)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    bright = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (bright + 0.05) > 4  # of white
    assert (bright + 0.05) / 0.057 > 4  # of the page when it is dark


def test_an_axis_has_one_colour_in_every_picture():
    one = nt.show(nt.zeros("seq[2] emb[2]")).svg()
    other = nt.show(nt.zeros("emb[3] row[2]")).svg()
    colour = lambda svg, axis: re.search(rf'fill="([^"]+)">{axis}<', svg)[1]
    assert colour(one, "emb") == colour(other, "emb") != colour(one, "seq")
