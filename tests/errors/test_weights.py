"""Weights named wrongly: the full text of each error."""

import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from tests.weights.models import attend, emb, grouped, head, hid, key, kv, project, two


def m():
    return project.module(emb[2], hid[3])


def g():
    return grouped.module(head[4], kv[2], key[3], emb[5])


def a():
    return attend.module(head[2], emb[3], key[4])


def tied():
    module = two.module(emb[2], hid[3])
    module.b = module.a
    return module


val = nt.axes("val")


@nt.formula
def valued(
    X: nt.R[emb], *, WQ: nt.R[head, emb, key], WV: nt.R[head, emb, val]
) -> nt.R[head, key, val]:
    return (WQ @ emb @ X) * (WV @ emb @ X)


def v():
    return valued.module(head[2], emb[3], key[4], "val[4]")


z = torch.zeros
NAMES = {"W": "w: hid emb", "b": "b"}
BOTH = {"{x}.W": "w", "{x}.b": "b"}

CASES = [
    case(
        "numbers that the module's dtype cannot hold",
        lambda: nt.load(
            project.module(emb[2], hid[3], dtype=torch.float16),
            {"W": torch.full((2, 3), 1e6), "b": z(3)},
        ),
        nt.WeightsError,
        """
load(project.module(...), {...}): W of the state dict has finite numbers beyond 65504, the greatest of torch.float16
hint: keep a wider dtype: nt.load(..., dtype=torch.float32)
""",
    ),
    case(
        "packed parts, one of which has another axis",
        lambda: nt.load(
            v(), {"a.qv": z(16, 3)}, {("WQ", "WV"): "qv: (two head key) emb"}, prefix="a."
        ),
        nt.AxisMissingError,
        """
load(valued.module(...), {...}): WV has val in place of key, which a.qv is said to have
  WQ   : head[2] emb[3] key[4]
  WV   : head[2] emb[3] val[4]
  a.qv : (two head key) emb
hint: say what each part has: "qv: (head key + head val) emb"
""",
    ),
    case(
        "two that differ under one name",
        lambda: nt.save(two.module(emb[2], hid[3]), {}, BOTH),
        nt.WeightsError,
        """
save(two.module(...), {...}): a.W and b.W differ, and both are w
hint: tie them, or name another tensor for one of them
""",
    ),
    case(
        "one of ours from two that differ",
        lambda: nt.load(
            tied(),
            {"w": z(2, 3), "v": z(2, 3) + 1, "b": z(3)},
            {"a.W": "w", "b.W": "v", "a.b": "b"},
        ),
        nt.WeightsError,
        """
load(two.module(...), {...}): a.W and b.W are one tensor, and w and v differ
hint: name one of them, or make a module that does not tie them
""",
    ),
    case(
        "names that are no table",
        lambda: nt.load(m(), {}, ["W"]),
        nt.AxisNameError,
        """
load(project.module(...), {...}): names are a list, and map ours to theirs
hint: nt.load(module, source, {"W": "net.weight: hid emb"})
""",
    ),
    case(
        "a name that is no text",
        lambda: nt.load(m(), {}, {3: "w"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): 3 is no name of ours
hint: {"W": "net.weight: hid emb"}
""",
    ),
    case(
        "a value that is no text",
        lambda: nt.load(m(), {}, {"W": 3}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): "W" is given an int, and not the name of a tensor
hint: {"W": "net.weight: hid emb"}; a dict or functions may follow the name
""",
    ),
    case(
        "unknown of ours",
        lambda: nt.load(m(), {}, {"w": "w: hid emb"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): the module has no tensor w
hint: it has W, b
""",
    ),
    case(
        "unknown pattern",
        lambda: nt.load(m(), {}, {"layers.{l}.W": "w"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): nothing in the module is named like layers.{l}.W
hint: it has W, b
""",
    ),
    case(
        "twice",
        lambda: nt.load(two.module(emb[2], hid[3]), {}, {"{x}.W": "w", "a.{y}": "v"}),
        nt.AxisClashError,
        """
load(two.module(...), {...}): a.W is named twice
hint: name each of ours once
""",
    ),
    case(
        "free hole",
        lambda: nt.load(m(), {}, {"W": "l.{l}: hid emb"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): {l} stands in l.{l}: hid emb, and our name does not say what it is
  W : emb[2] hid[3]
hint: write it in both names, or name an axis of W
""",
    ),
    case(
        "axes that cannot be read",
        lambda: nt.load(m(), {}, {"W": "w: hid & emb"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): cannot read axes from '& emb' in 'w: hid & emb'
hint: names, groups and sizes: "weight: (head key[64]) emb"
""",
    ),
    case(
        "unclosed",
        lambda: nt.load(m(), {}, {"W": "w: (hid emb"}),
        nt.AxisNameError,
        """
load(project.module(...), {...}): a group is not closed in 'w: (hid emb'
hint: "weight: (head key) emb"
""",
    ),
    case(
        "our axes",
        lambda: nt.load(m(), {}, {"W: hid key": "w: hid emb"}),
        nt.AxisMissingError,
        """
load(project.module(...), {...}): W has no axis emb, which w is said to have
  W : emb[2] hid[3]
  w : hid emb
hint: name it key
""",
    ),
    case(
        "our axes of plain",
        lambda: nt.load(torch.nn.Linear(2, 3), {}, {"weight: out": "w: out"}),
        nt.AxisNameError,
        """
load(Linear, {...}): weight has 2 axes, and out names 1
  weight : (3, 2)
hint: name each of its axes once
""",
    ),
    case(
        "parts that do not fit",
        lambda: nt.load(m(), {}, {"W: emb (a b[2])": "w: emb a b"}),
        nt.AxisSizeError,
        """
load(project.module(...), {...}): (a b[2]) does not part an axis of size 3
  W : emb[2] hid[3]
hint: state all sizes but one: (half two[2])
""",
    ),
    case(
        "more",
        lambda: nt.load(m(), {}, {"W": "w: hid embb"}),
        nt.AxisMissingError,
        """
load(project.module(...), {...}): W has no axis embb, which w is said to have
  W : emb[2] hid[3]
  w : hid embb
hint: name it emb
""",
    ),
    case(
        "less",
        lambda: nt.load(m(), {}, {"b": "b: hid", "W": "w: hid"}),
        nt.AxisMissingError,
        """
load(project.module(...), {...}): w is said to have no axis emb, which W has
  W : emb[2] hid[3]
  w : hid
hint: name each axis of W: w: emb hid
""",
    ),
    case(
        "twice axis",
        lambda: nt.load(m(), {}, {"W": "w: hid emb emb"}),
        nt.AxisClashError,
        """
load(project.module(...), {...}): w is said to have one axis twice
  W : emb[2] hid[3]
  w : hid emb emb
hint: name each axis once
""",
    ),
    case(
        "both",
        lambda: nt.load(a(), {}, {("WQ", "WK"): ("a: head key emb", "b: head key emb")}),
        nt.AxisNameError,
        """
load(attend.module(...), {...}): 2 of ours are to be made of 2 of theirs
hint: name one of ours for several of theirs, or one of theirs for several of ours
""",
    ),
    case(
        "plus",
        lambda: nt.load(a(), {}, {("WQ", "WK", "WV"): "a: (head key + head key) emb"}),
        nt.AxisNameError,
        """
load(attend.module(...), {...}): (head key + head key) emb has not one part for each of WQ, WK, WV
  WQ : head[2] emb[3] key[4]
  WK : head[2] emb[3] key[4]
  WV : head[2] emb[3] key[4]
  a  : (head key + head key) emb
hint: ("WQ", "WK"): "qk: (head key + kv key) emb"
""",
    ),
    case(
        "stated",
        lambda: nt.load(m(), {}, {"W": "w: hid[4] emb"}),
        nt.AxisSizeError,
        """
load(project.module(...), {...}): axis hid is 3 in W and 4 in the pattern
  W : emb[2] hid[3]
  w : hid[4] emb
hint: leave the size out: hid
""",
    ),
    case(
        "count",
        lambda: nt.load(a(), {}, {("WQ", "WK"): "a: part[3] head key emb"}),
        nt.AxisSizeError,
        """
load(attend.module(...), {...}): axis part is 3, and 2 of ours are named
  WQ : head[2] emb[3] key[4]
  WK : head[2] emb[3] key[4]
  a  : part[3] head key emb
hint: name one of ours for each index of part
""",
    ),
    case(
        "along none",
        lambda: nt.load(a(), {}, {("WQ", "WK"): "a: head key emb"}),
        nt.AxisNameError,
        """
load(attend.module(...), {...}): head key emb has no axis along which WQ, WK lie
  WQ : head[2] emb[3] key[4]
  WK : head[2] emb[3] key[4]
  a  : head key emb
hint: name it: ("WQ", "WK"): "qk: (two head key) emb"
""",
    ),
    case(
        "index",
        lambda: nt.load(a(), {}, {"WQ": ("a: key emb", "b: key emb", "c: key emb")}),
        nt.AxisSizeError,
        """
load(attend.module(...), {...}): axis head is 2 in WQ, and 3 of theirs are named
  WQ : head[2] emb[3] key[4]
  a  : key emb
hint: name one of theirs for each index of head
""",
    ),
    case(
        "sizes disagree",
        lambda: nt.load(g(), {}, {"WQ": "q: (head key) emb", "WK": "q: (kv key) emb"}),
        nt.AxisSizeError,
        """
load(grouped.module(...), {...}): q has sizes (12, 5) for WQ and (6, 5) for WK
  WK : kv[2] key[3] emb[5]
  q  : (kv key) emb
hint: give both the same sizes, or name another tensor for one of them
""",
    ),
    case(
        "function",
        lambda: nt.load(a(), {}, {("WQ", "WK"): ("q: head key emb", abs)}),
        nt.AxisNameError,
        """
load(attend.module(...), {...}): a function makes WQ
hint: one of ours, one of theirs with its axes, a function and perhaps its inverse: {"WQ": ("weight: hid emb", function, inverse)}
""",
    ),
    case(
        "function gave",
        lambda: nt.load(
            m(), {"w": z(3, 2), "b": z(3)}, {"b": "b", "W": ("w: hid emb", lambda W: W[hid(0)])}
        ),
        nt.AxisSizeError,
        """
load(project.module(...), {...}): the function for W gave emb[2], and W has emb[2] hid[3]
  W : emb[2] hid[3]
hint: give a named tensor of just these axes and sizes
""",
    ),
    case(
        "inverse",
        lambda: nt.save(m(), {}, {"b": "b", "W": ("w: hid emb", lambda W: W)}),
        nt.WeightsError,
        """
save(project.module(...), {...}): W was made by a function whose inverse is not known
hint: give it behind the function: ("w: hid emb", f, inverse)
""",
    ),
    case(
        "inverse gave",
        lambda: nt.save(m(), {}, {"b": "b", "W": ("w: hid emb", lambda W: W, lambda W: W[hid(0)])}),
        nt.AxisMissingError,
        """
save(project.module(...), {...}): the inverse for W gave emb[2], and w has hid, emb
  W : emb[2] hid[3]
hint: give a named tensor of just these axes
""",
    ),
    case(
        "missing",
        lambda: nt.load(m(), {"net.w": z(3, 2), "b": z(3)}, {"b": "b", "W": "w: hid emb"}),
        nt.WeightsError,
        """
load(project.module(...), {...}): the state dict has no tensor w
hint: nt.load(..., strict=False) leaves ours as it is
""",
    ),
    case(
        "unused",
        lambda: nt.load(
            m(),
            {"w": z(3, 2), "b": z(3), **{f"x{i}": z(1) for i in range(9)}},
            {"b": "b", "W": "w: hid emb"},
        ),
        nt.WeightsError,
        """
load(project.module(...), {...}): the state dict has x0, x1, x2, x3, x4, x5 and 3 more, which no name takes
hint: name them, or nt.load(..., strict=False) tells what is left
""",
    ),
    case(
        "unfilled",
        lambda: nt.load(m(), {"w": z(3, 2)}, {"W": "w: hid emb"}),
        nt.WeightsError,
        """
load(project.module(...), {...}): nothing fills b of the module
hint: name them, or nt.load(..., strict=False) tells what is left
""",
    ),
    case(
        "save left",
        lambda: nt.save(m(), {}, {"W": "w: hid emb"}),
        nt.WeightsError,
        """
save(project.module(...), {...}): no name takes b of the module
hint: name them, or nt.save(..., strict=False) leaves them out
""",
    ),
    case(
        "ndim",
        lambda: nt.load(m(), {"w": z(3, 2, 1), "b": z(3)}, {"b": "b", "W": "w: hid emb"}),
        nt.AxisMissingError,
        """
load(project.module(...), {...}): w has 3 axes, and 2 are named
  W : emb[2] hid[3]
  w : sizes (3, 2, 1), read as hid emb
hint: name its axes in stored order, as here: "w: hid emb 1"
""",
    ),
    case(
        "size",
        lambda: nt.load(a(), {"WQ": z(6, 3)}, {"WQ": "WQ: (head key) emb"}, strict=False),
        nt.AxisSizeError,
        """
load(attend.module(...), {...}): (head key) is 6 in WQ of the state dict and 8 in WQ of the module
  WQ : head[2] emb[3] key[4]
  WQ : sizes (6, 3), read as (head key) emb
hint: make the module with the sizes of the weights
""",
    ),
    case(
        "order",
        lambda: nt.load(m(), {"w": z(2, 3), "b": z(3)}, {"b": "b", "W": "w: hid emb"}),
        nt.AxisSizeError,
        """
load(project.module(...), {...}): hid is 2 in w of the state dict and 3 in W of the module
  W : emb[2] hid[3]
  w : sizes (2, 3), read as hid emb
hint: name the axes in the order in which they are stored
""",
    ),
    case(
        "kind",
        lambda: nt.load(
            m(), {"w": z(3, 2, dtype=torch.int8), "b": z(3)}, {"b": "b", "W": "w: hid emb"}
        ),
        nt.KindError,
        """
load(project.module(...), {...}): w holds torch.int8 and W torch.float32
hint: convert it first, as its numbers are meant, and give a state dict
""",
    ),
    case(
        "no module",
        lambda: nt.load(project, {}, {}),
        nt.BackendError,
        """
load(...): this is a Formula, and weights are held by modules
hint: make one: nt.load(ffn.module(emb[512], hid[2048]), ...)
""",
    ),
    case(
        "target",
        lambda: nt.save(m(), "weights.npz"),
        nt.BackendError,
        """
save(project.module(...), weights.npz): the target is weights.npz
hint: a dict, or a file: "model.safetensors", "model.pt"
""",
    ),
    case(
        "source",
        lambda: nt.load(m(), 3),
        nt.BackendError,
        """
load(project.module(...), {...}): the source is an int
hint: a state dict, or a file: "model.safetensors", "model.pt"
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_says_all_of_it(call, error, text):
    check(call, error, text)


def test_packed_parts_are_loaded_as_the_hint_says():
    module, qv = v(), torch.randn(16, 3)
    nt.load(module, {"a.qv": qv}, {("WQ", "WV"): "qv: (head key + head val) emb"}, prefix="a.")
    assert torch.equal(module.WV.detach(), qv[8:].reshape(2, 4, 3).transpose(1, 2))
