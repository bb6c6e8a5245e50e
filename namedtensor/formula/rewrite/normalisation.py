"""Normalisation written out is layer_norm or rms_norm."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from namedtensor.formula.rewrite.patterns import each_term, factors, terms
from namedtensor.formula.rewrite.spelled import squared
from namedtensor.operations.reductions import MEAN, VAR
from namedtensor.operations.renaming import MERGE, RENAME
from namedtensor.operations.training import STORED
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Type, combine, number, primitive, table
from namedtensor.primitives.node import apply_node, operands_first, without
from namedtensor.primitives.notation import KERNEL
from namedtensor.primitives.sizes import as_node


def spelled_standardize(node: Node) -> Node | None:
    """(X - mean X) / sqrt(var X + eps), also with std, is standardize."""
    if node.name != "div":
        return None
    top, bottom = node.operands
    if top.name != "sub" or top.operands[1].name != "mean":
        return None
    X, mean = top.operands
    if mean.operands[0] is not X or X.type.kind == "complex":
        return None
    eps = _root_of(bottom, "var", mean.operation.params, X)
    if eps is None:
        return None
    return apply_node(table()["standardize"](*mean.operation.params), (X, eps))


def _root_of(node: Node, name: str, params: Any, X: Node) -> Node | None:
    """Read sqrt(name[ax](X) + eps) and give eps."""
    if name == "var" and node.name == "std" and node.operation.params == params:
        return number(0.0) if node.operands[0] is X else None
    if node.name != "sqrt":
        return None
    parts = terms(node.operands[0])
    found = [
        p for p in parts if p.name == name and p.operation.params == params and p.operands[0] is X
    ]
    rest = [p for p in parts if p not in found]
    if len(found) != 1 or len(rest) > 1 or any(not p.type.host for p in rest):
        return None
    return rest[0] if rest else number(0.0)


def layer_norm(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """standardize[ax](X) * gamma + beta with gamma and beta over just ax."""
    for core, gamma, beta in _weighed(node, shared):
        (axes,) = core.operation.params
        X, eps = core.operands
        if all(set(w.type.names) == set(axes) for w in (gamma, *beta)):
            return apply_node(LAYER_NORM(axes, bool(beta)), (X, gamma, *beta, eps))
    return None


def channel_norm(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """standardize[ax](X) * gamma + beta with gamma and beta over other axes of X, the channels.

    Over the places of each channel it is instance norm; over the batch too, batch norm; over the
    channels of a group and their places, group norm.
    """
    for core, gamma, beta in _weighed(node, shared):
        (axes,) = core.operation.params
        X, eps = core.operands
        channels = set(gamma.type.names)
        if not channels or channels == set(axes) or not channels <= set(X.type.names):
            continue
        if all(set(w.type.names) == channels for w in beta):
            return apply_node(CHANNEL_NORM(axes, bool(beta)), (X, gamma, *beta, eps))
    return None


def group_norm(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """Channels that are split into groups, standardized in each with its places, weighed and merged.

    Gain and shift may stand on either side of the merging.
    """
    if node.name == "merge" and node.operands[0] not in shared:
        parts, channel = node.operation.params
        for core, gamma, beta in _weighed(node.operands[0], shared):
            unsplit = [_merged(w, parts, channel) for w in (gamma, *beta)]
            found = _in_groups(core, parts, channel, unsplit)
            if found is not None:
                return found
    for top, gamma, beta in _weighed(node, shared, _is_merged):
        merged = _below_names(top)
        core = merged.operands[0]
        if core.name != "standardize" or core in shared or merged in shared:
            continue
        parts, channel = merged.operation.params
        found = _in_groups(core, parts, channel, [gamma, *beta])
        if found is None or merged is top:
            return found
        if dict(top.operation.params[0]).get(channel, channel) == channel:
            return apply_node(top.operation, (found,))
    return None


def _below_names(node: Node) -> Node:
    """Look below a renaming: the names of axes that lift stay above a merging."""
    return node.operands[0] if node.operation.primitive is RENAME else node


def _is_merged(node: Node) -> bool:
    return _below_names(node).operation.primitive is MERGE


def _merged(w: Node, parts: tuple[str, ...], channel: str) -> Node | None:
    """Give weights of the parts of channels as weights of the channels."""
    if w.name == "split" and w.operation.params[:2] == (channel, parts):
        return w.operands[0]
    return apply_node(MERGE(parts, channel), (w,)) if set(w.type.names) == set(parts) else None


def _in_groups(
    core: Node, parts: tuple[str, ...], channel: str, weights: list[Node | None]
) -> Node | None:
    """Give the kernel for a standardized split of channels whose weights are by channel."""
    (axes,) = core.operation.params
    whole, eps = core.operands
    given = [w for w in weights if w is not None and w.type.names == (channel,)]
    if whole.name != "split" or whole.operation.params[:2] != (channel, parts) or len(parts) != 2:
        return None
    if parts[0] in axes or parts[1] not in axes or len(given) < len(weights):
        return None
    if whole.type.kind != "float":
        return None
    sizes = [as_node(whole.type.size(part)) for part in parts]
    places = tuple([a for a in axes if a != parts[1]])
    operation = GROUP_NORM((channel, *places), len(weights) > 1)
    return apply_node(operation, (whole.operands[0], *given, *sizes, eps))


def _weighed(
    node: Node,
    shared: Collection[Node],
    is_core: Callable[[Node], bool] = lambda node: node.name == "standardize",
) -> Iterator[tuple[Node, Node, list[Node]]]:
    """Read standardize[ax](X) * gamma + beta of real numbers, in any order, beta or not.

    Or another core than standardize. What is used elsewhere too is left, because a kernel would compute
    it again.
    """
    parts = list(itertools.islice(each_term(node), 3))
    if len(parts) > 2:
        return
    for product in parts:
        beta = without(parts, product)
        scaled = factors(product)
        core = [f for f in scaled if is_core(f)]
        gamma = [f for f in scaled if not is_core(f)]
        if len(core) != 1 or len(gamma) != 1 or any(w.type.weak for w in (*gamma, *beta)):
            continue
        if core[0].operands[0].type.kind == "float" and core[0] not in shared:
            yield core[0], gamma[0], beta


def _norm_rule(call: Call) -> Type:
    axes = call.params[0]
    call.need(0, axes)
    for i in range(1, len(call.types)):
        for axis in call.types[i].names:
            call.agree(axis, (0, i))
    return call.types[0]


def _lower_norm(word: str) -> Any:
    def lower(emit: Any, call: Any, x: Any, *rest: Any) -> Any:
        *weights, eps = rest
        # the weights' own order is free; the normalised axes go last
        axes = tuple([a for a in x.axes if a in call.params[0]])
        moved = emit.permute(x, (*[a for a in x.axes if a not in axes], *axes))
        codes = [emit.permute(w, axes) for w in weights]
        if word == "layer_norm" and len(codes) == 1:
            codes.append(None)
        code = emit.call(word, moved, emit.sizes_of(x.type, axes), *codes, eps)
        return emit.bind(code, moved.axes, call.type, "normed")

    return lower


LAYER_NORM = primitive("layer_norm", _norm_rule, _lower_norm("layer_norm"), notation=KERNEL)


def _lower_channel_norm(emit: Any, call: Any, x: Any, *rest: Any) -> Any:
    *weights, eps = rest
    summed, told = call.params[0], call.operation.primitive is TOLD_NORM
    by_channel = weights[0].axes
    inside = [a for a in x.axes if a in by_channel and a in summed]
    groups = [a for a in x.axes if a in by_channel and a not in summed]
    places = [a for a in x.axes if a not in by_channel and a in summed]
    batch = [a for a in x.axes if a not in by_channel and a not in summed]
    before = [a for a in places if x.place(a) < x.place(groups[0])] if groups else []
    after = [a for a in places if a not in before]
    if not batch and not inside and x.axes == (*before, *groups, *after) and before:
        order, word, more = [before, groups, after], "batch_norm", []
    else:
        order, word = [batch, [*groups, *inside], places], "group_norm"
        more = [emit.product_of(x.type, groups)]
    first, channels, last = order
    if told and word != "batch_norm":
        return emit.value(apply_node(CHANNEL_NORM(summed, call.params[1]), call.node.operands))
    axes = (*first, *channels, *last)
    code = emit.permute(x, axes)
    several = len(first) != 1 or len(channels) != 1
    if several:
        parts = [emit.product_of(x.type, first), emit.product_of(x.type, channels)]
        parts += [emit.size(x.type.size(a)) for a in last]
        code = emit.call("reshape", code, tuple(parts))
    codes = [emit.flat(emit.permute(w, channels), channels) for w in weights]
    codes += [None] * (2 - len(codes))
    if told:
        code = emit.call("batch_norm_told", code, *codes, eps)
        found = emit.bind(code, (), Type((), host=True), "told")
        emit.several[call.node.operands] = replace(found, axes=tuple(channels))
        code = emit.subscript(found, 0)
    else:
        code = emit.call(word, code, *more, *codes, eps)
    if several:
        code = emit.call("reshape", code, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "normed")


CHANNEL_NORM = primitive("channel_norm", _norm_rule, _lower_channel_norm, notation=KERNEL)


def _group_rule(call: Call) -> Type:
    """The sizes of the two parts of the channels stand before eps."""
    *_, groups, inside, _ = call.values
    n = call.types[0].size(call.params[0][0])
    call.guards.append((n, combine("mul", groups, inside)))
    return _norm_rule(call)


def _lower_group_norm(emit: Emitter, call: Lowered, x: Value, *rest: Value) -> Value:
    *weights, groups, _, eps = rest
    channel, *places = call.params[0]
    batch = [a for a in x.axes if a != channel and a not in places]
    places = [a for a in x.axes if a in places]
    axes = (*batch, channel, *places)
    code = emit.permute(x, axes).code
    sizes = [emit.size(call.type.size(a)) for a in (channel, *places)]
    if len(batch) != 1:
        code = emit.call("reshape", code, (emit.product_of(x.type, batch), *sizes))
    shift = weights[1].code if len(weights) > 1 else None
    code = emit.call("group_norm", code, groups, weights[0], shift, eps)
    if len(batch) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "normed")


GROUP_NORM = primitive("group_norm", _group_rule, _lower_group_norm, notation=KERNEL)


# --------------------------------------- means and variances that a state needs of the same data


def _lower_told(place: int, otherwise: str) -> Any:
    """Take the mean or the variance from the kernel, or compute it if another kernel runs."""

    def lower(emit: Any, call: Any, normed: Any) -> Any:
        (norm,) = call.node.operands
        if norm.operands not in emit.several:
            plain = table()[otherwise](norm.operation.params[0])
            return emit.value(apply_node(plain, norm.operands[:1]))
        found = emit.several[norm.operands]
        code = emit.subscript(found, place)
        if len(found.axes) > 1:
            code = emit.call("reshape", code, emit.sizes_of(call.type, found.axes))
        return emit.bind(code, found.axes, call.type, otherwise)

    return lower


def _told_rule(call: Call) -> Type:
    return call.types[0].without(call.params[0])


#: channel_norm that also gives its means and variances, if only new values of states need them.
TOLD_NORM = primitive("told_norm", _norm_rule, _lower_channel_norm, notation=KERNEL)
TOLD_MEAN = primitive("told_mean", _told_rule, _lower_told(1, "mean"), notation=KERNEL)
TOLD_VAR = primitive("told_var", _told_rule, _lower_told(2, "var"), notation=KERNEL)


def told(nodes: tuple[Node, ...]) -> dict[Node, Node]:
    """Find the means and variances that only new states need, of data that is normalised with them.

    Gives the replacements of these and of the norms: batch norm's kernel computes both.
    """
    stored = [n for n in nodes if n.operation.primitive is STORED]
    if not stored:
        return {}
    plain = set(operands_first([n for n in nodes if n.operation.primitive is not STORED]))
    norms = {
        (n.operands[0], frozenset(n.operation.params[0])): n
        for n in plain
        if n.operation.primitive is CHANNEL_NORM
    }
    found: dict[Node, Node] = {}
    for node in operands_first(stored):
        entry = {MEAN: TOLD_MEAN, VAR: TOLD_VAR}.get(node.operation.primitive)
        if entry is None or node in plain:
            continue
        norm = norms.get((node.operands[0], frozenset(node.operation.params[0])))
        if norm is not None:
            found[norm] = apply_node(TOLD_NORM(*norm.operation.params), norm.operands)
            found[node] = apply_node(entry(*norm.operation.params[:1]), (found[norm],))
    return found


def rms_norm(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """X / sqrt(mean[ax](X * X) + eps) * gamma."""
    scaled = factors(node)
    if len(scaled) != 2:
        return None
    for core, gamma in (scaled, scaled[::-1]):
        if core.name != "div" or core.operands[0].type.host:
            continue
        X, root = core.operands
        if core in shared or root in shared:
            continue
        means = (
            [p for p in terms(root.operands[0]) if p.name == "mean"] if root.name == "sqrt" else []
        )
        if len(means) != 1 or squared(means[0].operands[0]) is not X:
            continue
        (axes,) = means[0].operation.params
        eps = [p for p in terms(root.operands[0]) if p is not means[0]]
        if len(eps) > 1 or any(not e.type.host for e in eps):
            continue
        if set(gamma.type.names) != set(axes) or gamma.type.weak or X.type.kind != "float":
            continue
        return apply_node(RMS_NORM(axes), (X, gamma, eps[0] if eps else number(0.0)))
    return None


RMS_NORM = primitive("rms_norm", _norm_rule, _lower_norm("rms_norm"), notation=KERNEL)
