"""A contraction of windows is a convolution, a sum of overlapping ones a transposed convolution.

The greatest number of each window, or its mean, is a pooling. Paddings, strides and dilations fold in.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.formula.rewrite.patterns import each_term, is_number, op
from namedtensor.operations.contraction import DOT
from namedtensor.operations.elementwise import MUL
from namedtensor.operations.reductions import MAX, MEAN
from namedtensor.operations.windows import OVERLAP_ADD, PAD, POOL, UNROLL, count_of
from namedtensor.plans.code import Literal
from namedtensor.primitives import Call, Node, Type, combine, number, primitive, table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL
from namedtensor.primitives.sizes import as_node


@dataclass(frozen=True, slots=True)
class Window:
    """The windows along one axis: the axis and size of a window, the steps, and the padding at both ends."""

    kernel: str
    size: Node
    stride: Node
    dilation: Node
    before: Node
    after: Node

    @property
    def steps(self) -> tuple[Node, ...]:
        return self.stride, self.dilation, self.before, self.after


def _seen_through(node: Node, filling: float) -> tuple[Node, dict[str, Window]]:
    """Give the tensor under windows and the Window of each axis, with the padding by `filling` if any."""
    one, zero = number(1), number(0)
    found: dict[str, Window] = {}
    while True:
        entry = node.operation.primitive
        axis, *kernel = node.operation.params if entry in (UNROLL, POOL, PAD) else (None,)
        if entry is PAD and axis in found:
            _, before, after, value = node.operands
            known = found[axis]
            if known.before is not zero or known.after is not zero:
                return node, found
            if not is_number(value, filling):
                return node, found
            found[axis] = replace(known, before=before, after=after)
        elif kernel and axis not in found and kernel[0] not in found:
            k, *steps = node.operands[1:]
            stride, dilation = steps or (one if entry is UNROLL else k, one)
            found[axis] = Window(kernel[0], k, stride, dilation, zero, zero)
        else:
            return node, found
        node = node.operands[0]


@dataclass(frozen=True, slots=True)
class Parts:
    """The axes of a weight: those of its windows, summed ones, those it shares with X, and new ones.

    `seqs` are X's axes, in the order of their windows.
    """

    seqs: tuple[str, ...]
    kernels: tuple[str, ...]
    chans: tuple[str, ...]
    groups: tuple[str, ...]
    outs: tuple[str, ...]


def _parts(
    X: Node, W: Node, summed: Sequence[str], pairs: dict[str, str], bias: Sequence[Node]
) -> Parts | None:
    """Sort the axes of a convolution; None if it is something else, or the kernel does not take it."""
    kernels = set(pairs.values())
    if not pairs or len(pairs) > 3 or any(o.type.weak or o.type.kind != "float" for o in (X, W)):
        return None
    chans = tuple([a for a in summed if a not in kernels])
    if not all(W.type.has(k) and not X.type.has(k) for k in kernels):
        return None
    if not all(X.type.has(a) and not W.type.has(a) and a not in chans for a in pairs):
        return None
    if not all(X.type.has(a) and W.type.has(a) for a in chans):
        return None
    free = [a for a in W.type.names if a not in kernels and a not in chans]
    groups = tuple([a for a in free if X.type.has(a)])
    outs = tuple([a for a in free if not X.type.has(a)])
    for b in bias:
        own = {*groups, *outs}
        if b.type.host or b.type.weak or b.type.kind != "float" or set(b.type.names) != own:
            return None
    return Parts(tuple(pairs), tuple(pairs.values()), chans, groups, outs)


def _with_bias(
    node: Node, shared: Collection[Node], kernel: Callable[[Node, list[Node]], Node | None]
) -> Node | None:
    """Find the kernel of a product; in a sum, those of its products, each with its bias if it has one.

    If a product was renamed, its bias gets the names from before the renaming.
    """
    if node.name != "add":
        return kernel(node, [])
    made: list[Node] = []
    parts = list(each_term(node, shared))
    # few terms of a long sum are products of windows: they are found before any bias is tried
    products = [p for p in parts if kernel(p.operands[0] if p.name == "rename" else p, [])]
    for product, bias in itertools.product(products, list(parts)):
        if product is bias or product not in parts or bias not in parts:
            continue
        names = product.operation.params[0] if product.name == "rename" else ()
        own = _before(names, bias)
        found = kernel(product.operands[0] if names else product, [own])
        if found is not None:
            made.append(apply_node(table()["rename"](names), (found,)) if names else found)
            parts.remove(product)
            parts.remove(bias)
    if not made:
        return None
    return functools.reduce(lambda a, b: op("add", a, b), [*made, *parts])


def _before(names: Sequence[tuple[str, str]], bias: Node) -> Node:
    """Give a bias the names from before the renaming of its product."""
    if any(bias.type.has(old) for old, _ in names):
        return bias
    back = tuple([(new, old) for old, new in names if bias.type.has(new)])
    return apply_node(table()["rename"](back), (bias,)) if back else bias


def convolution(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """W @ (chans, kernel) @ unroll[seq, kernel](X) + b: up to three axes of X are seen in windows."""
    return _with_bias(node, shared, _convolved)


def transposed_convolution(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """overlap_add[seq, kernel](W @ chans @ X) + b, over up to three axes of X."""
    return _with_bias(node, shared, _transposed)


def _convolved(product: Node, bias: list[Node]) -> Node | None:
    if product.operation.primitive is not DOT or len(product.operands) != 2:
        return None
    summed = product.operation.params[0]
    for W, windows in (product.operands, product.operands[::-1]):
        X, found = _seen_through(windows, 0.0)
        pairs = {axis: window.kernel for axis, window in found.items()}
        plain = (number(1), number(0), number(0))
        cut = all(w.stride is w.size and w.steps[1:] == plain for w in found.values())
        if cut or not set(pairs.values()) <= set(summed):
            continue  # windows side by side are matrices, whose product is faster
        parts = _parts(X, W, summed, pairs, bias)
        if parts is not None:
            steps = [step for window in found.values() for step in window.steps]
            return apply_node(CONV(parts, len(bias)), (X, W, *bias, *steps))
    return None


def _transposed(top: Node, bias: list[Node]) -> Node | None:
    product = top
    pairs: dict[str, str] = {}
    steps: list[Node] = []
    while product.operation.primitive is OVERLAP_ADD:
        axis, kernel = product.operation.params
        if axis in pairs or kernel in pairs or axis in pairs.values():
            return None
        stride, dilation, before = (*product.operands[1:4], number(1), number(1), number(0))[:3]
        pairs[axis] = kernel
        steps += [stride, dilation, before, as_node(product.type.size(axis))]
        product = product.operands[0]
    names: tuple[tuple[str, str], ...] = ()
    if product.name == "rename" and pairs:  # of a channel: it was moved below the windows
        names = product.operation.params[0]
        product, bias = product.operands[0], [_before(names, b) for b in bias]
        if {a for both in names for a in both} & {*pairs, *pairs.values()}:
            return None
    contracted = product.operation.primitive is DOT
    if not (contracted or product.operation is MUL) or len(product.operands) != 2:
        return None
    summed = product.operation.params[0] if contracted else ()
    for W, X in (product.operands, product.operands[::-1]):
        parts = _parts(X, W, summed, pairs, bias)
        if parts is not None:
            found = apply_node(CONV_TRANSPOSE(parts, len(bias)), (X, W, *bias, *steps))
            return apply_node(table()["rename"](names), (found,)) if names else found
    return None


def _result(call: Call, sizes: dict[str, Any]) -> Type:
    """Give X's axes without the channels, with these sizes, and the weight's own."""
    parts = call.params[0]
    X, W = call.types[:2]
    for axis in (*parts.chans, *parts.groups):
        call.agree(axis, (0, 1))
    axes = {a: sizes.get(a, s) for a, s in X.axes if a not in parts.chans}
    return X.with_axes((*axes.items(), *[(a, W.size(a)) for a in parts.outs]))


def _each_axis(call: Any, values: Sequence[Any]) -> dict[str, Sequence[Any]]:
    """Give what stands after the tensors for each axis: four numbers of its windows."""
    parts, biases = call.params
    rest = values[2 + biases :]
    return {axis: rest[4 * i : 4 * i + 4] for i, axis in enumerate(parts.seqs)}


def _conv_rule(call: Call) -> Type:
    parts = call.params[0]
    sizes = {}
    for axis, kernel in zip(parts.seqs, parts.kernels, strict=True):
        stride, dilation, before, after = _each_axis(call, call.values)[axis]
        padded = combine("add", combine("add", call.types[0].size(axis), before), after)
        sizes[axis] = count_of(padded, call.types[1].size(kernel), stride, dilation)
    return _result(call, sizes)


def _transposed_rule(call: Call) -> Type:
    steps = _each_axis(call, call.values)
    return _result(call, {axis: steps[axis][3] for axis in call.params[0].seqs})


def _lower(emit: Any, call: Any, x: Any, w: Any, values: Sequence[Any], transposed: bool) -> Any:
    """Bring X to (rows, groups * channels, axes) and W to torch's order, and name what is unusual."""
    parts, biases = call.params
    seqs = tuple([a for a in x.axes if a in parts.seqs])
    kernels = [parts.kernels[parts.seqs.index(a)] for a in seqs]
    rest = tuple([a for a in x.axes if a not in (*seqs, *parts.chans, *parts.groups)])
    rows, every = (rest,) * bool(rest), (*parts.groups, *parts.outs)
    inner = [(*parts.groups, *parts.chans), parts.outs] if transposed else [every, parts.chans]
    given = [
        _joined(emit, x, (*rows, (*parts.groups, *parts.chans), *[(a,) for a in seqs])),
        _joined(emit, w, (*inner, *[(k,) for k in kernels])),
        *[_joined(emit, b, (every,)) for b in values[:biases]],
    ]
    steps = _each_axis(call, (x, w, *values))
    own = [steps[a] for a in seqs]
    named = _unusual("stride", [s for s, *_ in own]) | _unusual("dilation", [d for _, d, *_ in own])
    if transposed:
        named |= {"before": tuple([b for *_, b, _ in own]), "size": tuple([n for *_, n in own])}
    else:
        named |= _ends([(b, a) for *_, b, a in own])
    if parts.groups:
        named["groups"] = emit.product_of(w.type, parts.groups)
    word = f"conv_transpose{len(seqs)}d" if transposed else f"conv{len(seqs)}d"
    code = emit.call(word, *given, **named)
    axes = (*rest, *every, *seqs)
    if len(rest) > 1 or len(every) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "convolved")


def _joined(emit: Any, value: Any, parts: Sequence[tuple[str, ...]]) -> Any:
    """Give a value with the axes of each part as one."""
    moved = emit.permute(value, tuple([a for part in parts for a in part]))
    if all(len(part) == 1 for part in parts):
        return moved
    sizes = tuple([emit.product_of(value.type, part) for part in parts])
    return emit.call("reshape", moved, sizes)


def _unusual(word: str, values: Sequence[Any], usual: int = 1) -> dict[str, Any]:
    """Name what is not 1 for every axis."""
    return {} if all(_is(value, usual) for value in values) else {word: tuple(values)}


def _is(value: Any, usual: int) -> bool:
    return bool(value.code == Literal(usual))


def _ends(ends: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    """Name the padding: one number for each axis where both ends have the same."""
    if all(_is(end, 0) for pair in ends for end in pair):
        return {}
    same = all(before.code == after.code for before, after in ends)
    return {"padding": tuple([before if same else (before, after) for before, after in ends])}


def _lower_conv(emit: Any, call: Any, x: Any, w: Any, *values: Any) -> Any:
    return _lower(emit, call, x, w, values, transposed=False)


def _lower_transposed(emit: Any, call: Any, x: Any, w: Any, *values: Any) -> Any:
    return _lower(emit, call, x, w, values, transposed=True)


CONV = primitive("convolution", _conv_rule, _lower_conv, notation=KERNEL)
CONV_TRANSPOSE = primitive(
    "transposed_convolution", _transposed_rule, _lower_transposed, notation=KERNEL
)


# -------------------------------------------------------------------------------------- pooling

#: The library's word for a reduction of windows, and what it takes padding to be.
WORDS = {MAX: ("max_pool", -math.inf), MEAN: ("avg_pool", 0.0)}


def pooling(node: Node) -> Node | None:
    """max[kernel](pool[seq, kernel](X)), or mean, over up to three axes."""
    word, filling = WORDS.get(node.operation.primitive, ("", 0.0))
    if not word:
        return None
    X, found = _seen_through(node.operands[0], filling)
    kernels = {window.kernel for window in found.values()}
    if kernels != set(node.operation.params[0]) or not 1 <= len(found) <= 3:
        return None
    if not all(X.type.has(a) for a in found) or X.type.weak or X.type.kind != "float":
        return None
    if word == "avg_pool" and any(w.dilation is not number(1) for w in found.values()):
        return None
    steps = [step for window in found.values() for step in (window.size, *window.steps)]
    return apply_node(POOLING(word, tuple(found)), (X, *steps))


def _pooling_rule(call: Call) -> Type:
    _, pooled = call.params
    axes = dict(call.types[0].axes)
    for i, axis in enumerate(pooled):
        k, stride, dilation, before, after = call.values[1 + 5 * i : 6 + 5 * i]
        padded = combine("add", combine("add", axes[axis], before), after)
        axes[axis] = count_of(padded, k, stride, dilation)
    return call.types[0].with_axes(axes.items())


def _lower_pooling(emit: Any, call: Any, x: Any, *steps: Any) -> Any:
    word, pooled = call.params
    by_axis = {axis: steps[5 * i : 5 * i + 5] for i, axis in enumerate(pooled)}
    own = tuple([a for a in x.axes if a in pooled])
    rest = tuple([a for a in x.axes if a not in pooled])
    sizes, strides, dilations, befores, afters = zip(*[by_axis[a] for a in own], strict=True)
    named = _unusual("dilation", dilations) | _ends(list(zip(befores, afters, strict=True)))
    if any(k.code != s.code for k, s in zip(sizes, strides, strict=True)):
        named["stride"] = strides
    rows = _joined(emit, x, (rest, *[(a,) for a in own]))
    code = emit.call(f"{word}{len(own)}d", rows, sizes, **named)
    if len(rest) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, (*rest, *own)))
    return emit.bind(code, (*rest, *own), call.type, "pooled")


POOLING = primitive("pooling", _pooling_rule, _lower_pooling, notation=KERNEL)
