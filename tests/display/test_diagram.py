"""Diagrams: every axis is a line of one colour; contracted lines close, renamed ones change colour."""

import re
from xml.etree import ElementTree

import pytest

import namedtensor as nt
from namedtensor import R, formula
from namedtensor.display.colours import colour_of

seq, emb, hid, key, val, head, chans, kernel = nt.axes("seq emb hid key val head chans kernel")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


@formula
def heads(X: R[seq, emb], *, WQ: R[head, emb, key], WV: R[head, emb, val]) -> R[seq_, head, val]:
    M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    Q = WQ @ emb @ X
    return att(Q[seq >> seq_], Q, WV @ emb @ X, M)


@formula
def conv(X: R[chans, seq], *, W: R["chans'", chans, kernel]) -> R["chans'", seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel](X)


@formula
def gates(x: R[emb], c: R[hid], *, W: R[emb, hid]) -> tuple[R[hid], R]:
    i = nt.sigmoid(W @ emb @ x)
    return i * c + i, nt.sum[hid](2.0 * c)


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """Give the places of all boxes: left, top, right, bottom."""
    found = []
    for rect in ElementTree.fromstring(svg).findall("{*}rect"):
        if "x" in rect.attrib and "rx" in rect.attrib:
            x, y, w, h = (float(rect.attrib[k]) for k in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
    return found


def words(svg: str) -> list[str]:
    return [
        "".join(text.itertext())
        for text in ElementTree.fromstring(svg).iter()
        if text.tag.endswith("}text")
    ]


@pytest.mark.parametrize("f", [att, FFN, heads, conv, gates], ids=lambda f: f.name)
def test_boxes_do_not_overlap_and_stay_inside_of_the_picture(f):
    svg = nt.diagram(f).svg()
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = boxes(svg)
    assert len(found) >= 4
    for place, (x, y, u, v) in enumerate(found):
        assert x >= 0
        assert u <= width
        assert v <= height
        for a, b, c, d in found[place + 1 :]:
            assert u < a or c < x or v < b or d < y


def test_arguments_operations_and_the_result_are_named_with_their_axes():
    found = words(nt.diagram(FFN).svg())
    assert found[0] == "FFN(X; W1, b1, W2, b2)"
    for word in ("X", "W1", "b2", "· emb", "· hid", "relu", "+", "FFN", "emb hid"):
        assert word in found


@pytest.mark.parametrize("f", [att, FFN, heads, conv, gates], ids=lambda f: f.name)
def test_each_axis_has_its_one_colour(f):
    svg = nt.diagram(f).svg()
    named = dict(re.findall(r'<tspan fill="([^"]+)" font-weight="bold">([^<]+)</tspan>', svg))
    assert len(named) == len(set(named.values())) >= 2
    strokes = set(re.findall(r'stroke="(hsl[^"]+)"', svg))
    assert strokes == set(named)


def test_a_contracted_axis_closes_between_its_operands_and_goes_no_further():
    @formula
    def inner(A: R[emb], B: R[emb]) -> R:
        return A @ emb @ B

    svg = nt.diagram(inner).svg()
    arcs = re.findall(
        rf'd="M([\d.]+) ([\d.]+)C[^"]* ([\d.]+) ([\d.]+)" stroke="{re.escape(colour_of("emb"))}"',
        svg,
    )
    closed = [arc for arc in arcs if arc[1] == arc[3]]
    assert len(closed) == 1
    lowest = max(float(y) for *_, y in arcs)
    assert lowest == float(closed[0][1])


def test_a_renamed_line_changes_its_colour_in_the_middle():
    @formula
    def turn(A: R[seq]) -> R[seq_]:
        return A[seq >> seq_]

    svg = nt.diagram(turn).svg()
    halves = re.findall(r'd="M([\d.]+) ([\d.]+)V([\d.]+)" stroke="([^"]+)"', svg)
    before = [h for h in halves if h[3] == colour_of("seq")]
    after = [h for h in halves if h[3] == colour_of("seq'")]
    assert max(float(h[2]) for h in before) == min(float(h[1]) for h in after if "h" not in h[2])
    assert "seq → seq'" in words(svg)


def test_what_a_kernel_takes_is_framed_and_named():
    svg = nt.diagram(att).svg()
    assert "attention" in words(svg)
    assert "<mask" in svg
    assert repr(nt.diagram(att)) == "Diagram(att(Q, K, V, M): 10 parts, kernels: attention)"
    unfused = formula(fuse=False)(att.function)
    assert "<mask" not in nt.diagram(unfused).svg()


def test_a_kernel_is_framed_where_its_inside_was_rewritten_before():
    @formula
    def spelled(X: R[emb], *, W1: R[emb, hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
        return W2 @ hid @ nt.maximum(W1 @ emb @ X, 0.0) + b2

    picture = nt.diagram(spelled)
    assert [rule for rule, _ in picture.kernels].count("linear") == 1
    (taken,) = [
        {node.name for node in nodes} for rule, nodes in picture.kernels if rule == "linear"
    ]
    assert {"add", "dot"} <= taken
    assert "linear" in words(picture.svg())


def test_calls_are_folded_and_tensors_that_need_no_data_are_one_box_with_their_name():
    found = words(nt.diagram(heads).svg())
    assert "att" in found
    assert "M" in found
    assert not [word for word in found if "softmax" in word or "where" in word]


def test_shapes_put_sizes_at_the_axes_and_name_the_axes_that_pass_through():
    picture = nt.diagram(att, "batch[2] head[8] seq'[10] key[64]", V="seq[7] val[32] batch[2]")
    found = words(picture.svg())
    assert found[0] == "att(Q, K, V, M) for each batch[2], head[8]"
    assert "key[64] seq'[10]" in found
    with pytest.raises(nt.NamedTensorError, match="V has no axis seq"):
        nt.diagram(att, V="key val")


def test_a_module_is_drawn_with_its_sizes():
    torch = pytest.importorskip("torch")
    module = FFN.module(emb[4], hid[8])
    assert "emb[4] hid[8]" in words(nt.diagram(module).svg())
    assert "emb[4] hid[8]" in words(nt.diagram(module, nt.tensor(torch.ones(4), emb)).svg())


def test_a_picture_is_static_and_the_same_each_time():
    page = nt.diagram(FFN)._repr_html_()
    assert page == nt.diagram(FFN)._repr_html_()
    assert not re.search(r"<script|javascript:|\son\w+=|https?://(?!www.w3.org/2000/svg)", page)
    assert 'fill="currentColor"' in page
    assert nt.diagram(FFN)._repr_svg_() in page


def test_only_formulas_and_modules_are_drawn():
    with pytest.raises(nt.KindError) as caught:
        nt.diagram(3)
    assert str(caught.value) == (
        "nt.diagram(f): f is an int, not a formula\n"
        "hint: decorate it: @formula, with the axes of its arguments as R[seq, emb]"
    )


@formula
def layer(X: R["emb"], *, W: R["emb emb'"]) -> R["emb"]:
    return nt.relu(W @ "emb" @ X)["emb' -> emb"]


@formula
def tower(X: R["emb"], *, layers: nt.each[layer]) -> R["emb"]:
    for one in layers:
        X = X + one(X)
    return X


@formula
def lookout(X: R["emb"], *, layers: nt.each[layer]) -> R["emb"]:
    seen = []
    for one in layers:
        X = X + one(X)
        seen.append(X)
    return X * seen[0]


def test_layers_that_take_the_same_step_are_drawn_once():
    svg = nt.diagram(tower, layers=6).svg()
    assert "layers × 6" in svg
    assert "layers.*.W" in svg
    assert "layers.5" not in svg
    assert "5 parts" in repr(nt.diagram(tower, layers=6))
    assert len(nt.diagram(tower, layers=60).svg()) < len(svg) + 20


def test_as_many_layers_as_a_module_has_are_told():
    module = tower.module("emb[4] emb'[4]", layers=2)
    assert "layers × 2" in nt.diagram(module).svg()


def test_layers_whose_number_is_open_are_drawn_once():
    assert "layers × |layers|" in nt.diagram(tower).svg()


def test_layers_are_drawn_each_where_one_of_them_is_used_apart():
    svg = nt.diagram(lookout, layers=3).svg()
    assert "×" not in svg
    assert all(f"layers.{i}.W" in svg for i in range(3))
