"""Operations of numbers in the table of programs: elementwise, reductions, vectors, contractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from tests.laws.draft import (
    MOST_RECORDS,
    Draft,
    Impossible,
    Known,
    agree,
    all_or,
    has_axes,
    listed,
    new_name,
    number,
    number_kind,
    operation,
    some_of,
    union,
    wider,
)

# --- elementwise, of one operand

#: What keeps an operand in a domain: in our words and in the oracle's.
GUARDS = {
    "": ("{0}", "{0}"),
    "sin": ("nt.sin({0})", "D['sin']({0})"),
    "tanh": ("nt.tanh({0})", "D['tanh']({0})"),
    "half tanh": ("0.5 * nt.tanh({0})", "D['mul'](0.5, D['tanh']({0}))"),
    "inside": ("0.75 * nt.sin({0})", "D['mul'](0.75, D['sin']({0}))"),
    "fraction": ("0.5 + 0.25 * nt.sin({0})", "D['add'](0.5, D['mul'](0.25, D['sin']({0})))"),
    "positive": ("nt.abs({0}) + 0.5", "D['add'](D['abs']({0}), 0.5)"),
    "above 1": ("nt.abs({0}) + 1.5", "D['add'](D['abs']({0}), 1.5)"),
}

#: name: (guard, bound of the result, slope), both of the operand's bound m.
SMOOTH: dict[str, tuple[str, Callable[[float], float], Callable[[float], float]]] = {
    "exp": ("half tanh", lambda m: 2.0, lambda m: 1.0),
    "expm1": ("half tanh", lambda m: 1.0, lambda m: 1.0),
    "log": ("positive", lambda m: 1 + math.log(m + 1), lambda m: 2.0),
    "log1p": ("positive", lambda m: 1 + math.log(m + 2), lambda m: 1.0),
    "log2": ("positive", lambda m: 2 + 2 * math.log(m + 1), lambda m: 3.0),
    "log10": ("positive", lambda m: 1 + math.log(m + 1), lambda m: 1.0),
    "sqrt": ("positive", lambda m: math.sqrt(m + 1), lambda m: 0.75),
    "rsqrt": ("positive", lambda m: 1.5, lambda m: 1.5),
    "reciprocal": ("positive", lambda m: 2.0, lambda m: 4.0),
    "sin": ("", lambda m: 1.0, lambda m: 1.0),
    "cos": ("", lambda m: 1.0, lambda m: 1.0),
    "tan": ("sin", lambda m: 1.6, lambda m: 3.5),
    "asin": ("inside", lambda m: 1.0, lambda m: 1.2),
    "acos": ("inside", lambda m: 2.5, lambda m: 1.2),
    "atan": ("", lambda m: 1.6, lambda m: 1.0),
    "sinh": ("tanh", lambda m: 1.2, lambda m: 1.6),
    "cosh": ("tanh", lambda m: 1.6, lambda m: 1.2),
    "tanh": ("", lambda m: 1.0, lambda m: 1.0),
    "asinh": ("", lambda m: math.asinh(m) + 0.1, lambda m: 1.0),
    "acosh": ("above 1", lambda m: math.acosh(m + 1.6), lambda m: 0.9),
    "atanh": ("inside", lambda m: 1.0, lambda m: 1.8),
    "erf": ("", lambda m: 1.0, lambda m: 1.2),
    "sigmoid": ("", lambda m: 1.0, lambda m: 0.25),
    "silu": ("", lambda m: m, lambda m: 1.2),
    "gelu": ("", lambda m: m, lambda m: 1.2),
    "softplus": ("", lambda m: m + 0.7, lambda m: 1.0),
    "elu": ("", lambda m: m + 1, lambda m: 1.0),
    "cbrt": ("positive", lambda m: m + 1, lambda m: 0.6),
    "digamma": ("positive", lambda m: 2 + math.log(m + 1), lambda m: 5.0),
    "lgamma": ("positive", lambda m: 1 + m * math.log(m + 1), lambda m: 2 + math.log(m + 1)),
    "erfc": ("", lambda m: 2.0, lambda m: 1.2),
    "erfinv": ("inside", lambda m: 0.9, lambda m: 1.3),
    "exp2": ("half tanh", lambda m: 1.5, lambda m: 0.5),
    "logit": ("fraction", lambda m: 1.1, lambda m: 1.4),
    "logsigmoid": ("", lambda m: m + 0.7, lambda m: 1.0),
    "mish": ("", lambda m: m + 1, lambda m: 1.2),
    "selu": ("", lambda m: 1.1 * m + 1.8, lambda m: 1.8),
    "sinc": ("", lambda m: 1.0, lambda m: 1.6),
    "softsign": ("", lambda m: 1.0, lambda m: 1.0),
    "hardsigmoid": ("", lambda m: 1.0, lambda m: 0.2),
    "hardswish": ("", lambda m: m, lambda m: 1.5),
    "hardtanh": ("", lambda m: 1.0, lambda m: 1.0),
    "leaky_relu": ("", lambda m: m, lambda m: 1.0),
    "relu6": ("", lambda m: 6.0, lambda m: 1.0),
}  # fmt: skip


#: Functions made of straight lines, which keep whole numbers whole or not: floats are asked alone.
BROKEN = {"hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "relu6"}


@operation(*SMOOTH)
def smooth(draft: Draft, name: str) -> int:
    x = draft.operand("float" if name in BROKEN else "float int")
    known = draft.values[x]
    guard, bound, slope = SMOOTH[name]
    if known.most > 50:
        raise Impossible
    ours, theirs = GUARDS[guard]
    m = bound(known.most)
    draft.kinks |= guard in ("positive", "above 1") or name in BROKEN
    error = slope(known.most) * (known.error + known.most + 1) + 4 * m
    setting = ", slope=0.01" if name == "leaky_relu" else ""
    return draft.step(
        name,
        f"nt.{name}({ours})",
        f"D['{name}']({theirs}{setting})",
        [x],
        Known(known.sizes, "float", m, None, error),
    )


@operation("relu", "abs", "neg", "square", "sign", "floor", "ceil", "round", "trunc")
def exactly(draft: Draft, name: str) -> int:
    """Functions that keep exact numbers exact; those that jump want them so."""
    jumps = name in ("sign", "floor", "ceil", "round", "trunc")
    kinds = "float int bool" if name == "neg" else "float int"
    x = draft.operand(kinds, lambda known: known.exact or not jumps)
    known = draft.values[x]
    text = "-{0}" if name == "neg" else f"nt.{name}({{0}})"
    m = known.most + 1
    grain, error = known.grain, known.error
    if name == "square":
        m = known.most**2
        grain = None if grain is None else 2 * grain
        error = 2 * known.most * error + m if grain is None else 0.0
    draft.kinks |= name != "neg" and name != "square"
    kind = number_kind(known.kind) if name == "neg" else known.kind
    return draft.step(
        name, text, f"D['{name}']({{0}})", [x], Known(known.sizes, kind, m, grain, error)
    )


@operation("isnan", "isinf", "isfinite")
def tests(draft: Draft, name: str) -> int:
    x = draft.operand("float int inf")
    known = draft.values[x]
    return draft.step(
        name, f"nt.{name}({{0}})", f"D['{name}']({{0}})", [x], Known(known.sizes, "bool", 1, 0)
    )


@operation("cast")
def cast(draft: Draft, name: str) -> int:
    # no whole number is nan or inf
    kind = draft.choices.of(("float", "bool") if draft.special else ("float", "int", "bool"))
    x = draft.operand("float int bool", lambda known: known.exact)
    known = draft.values[x]
    grain = known.grain if kind == "float" else 0
    return draft.step(
        name,
        f"nt.cast({{0}}, {kind})",
        f"D['cast']({{0}}, kind={kind})",
        [x],
        Known(known.sizes, kind, 1 if kind == "bool" else known.most, grain),
    )


@operation("real", "imag", "conj", "angle")
def of_complex(draft: Draft, name: str) -> int:
    try:
        x = draft.operand("complex")
    except Impossible:
        x = draft.new_input(draft.some_axes(0, 2), "complex")
    known = draft.values[x]
    if name == "angle":  # of numbers to the right of 0, where it does not jump
        m, error = 2.0, 4 * (known.error + known.most + 1)
        text = "nt.angle(nt.abs({0}) + 0.5 + 0 * {0})"
        define = "D['angle'](D['add'](D['add'](D['abs']({0}), 0.5), D['mul'](0, {0})))"
        draft.kinks = True
    else:
        m, error = known.most, known.error
        text, define = f"nt.{name}({{0}})", f"D['{name}']({{0}})"
    kind = "complex" if name == "conj" else "float"
    return draft.step(name, text, define, [x], Known(known.sizes, kind, m, None, error + m))


@operation("dropout")
def dropout(draft: Draft, name: str) -> int:
    """With a probability of 0 it is the identity: other ones have no one result."""
    x = draft.operand("float")
    return draft.step(name, "nt.dropout({0}, 0.0)", "{0}", [x], replace(draft.values[x]))


# --- elementwise, of two operands

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "logical_and": "&", "logical_or": "|", "logical_xor": "^",
}  # fmt: skip


@operation("add", "sub", "mul", often=6)
def arithmetic(draft: Draft, name: str) -> int:
    x = draft.operand("float int bool complex")
    first = draft.values[x]
    sign = OPERATORS[name]
    if draft.choices.one_in(3):
        if first.kind == "bool":
            raise Impossible
        c = number(draft)
        second = Known({}, "float" if "." in c else "int", abs(float(c)), 1)
        text, define, operands = f"{{0}} {sign} {c}", f"D['{name}']({{0}}, {c})", [x]
        if draft.choices.one_in(2):
            text, define = f"{c} {sign} {{0}}", f"D['{name}']({c}, {{0}})"
    else:
        y = draft.meeting(first, "float int bool complex")
        second = draft.values[y]
        text, define, operands = f"{{0}} {sign} {{1}}", f"D['{name}']({{0}}, {{1}})", [x, y]
    kind = number_kind(first.kind, second.kind)
    sizes = union(first.sizes, second.sizes)
    both = first.exact and second.exact
    if name == "mul":
        m = first.most * second.most
        grain = first.grain + second.grain if both else None  # type: ignore[operator]
        error = first.most * second.error + second.most * first.error + m
    else:
        m = first.most + second.most
        grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
        error = first.error + second.error + m
    return draft.step(
        name, text, define, operands, Known(sizes, kind, m, grain, 0.0 if both else error)
    )


@operation("div", often=3)
def division(draft: Draft, name: str) -> int:
    x = draft.operand("float int bool complex")
    first = draft.values[x]
    if draft.choices.one_in(2):
        y = draft.meeting(first, "float int")
        second = draft.values[y]
        draft.kinks = True
        m = 2 * first.most
        error = 2 * first.error + 4 * m * (second.error + second.most + 1) + m
        return draft.step(
            name,
            "{0} / (nt.abs({1}) + 0.5)",
            "D['div']({0}, D['add'](D['abs']({1}), 0.5))",
            [x, y],
            Known(union(first.sizes, second.sizes), wider("float", first.kind), m, None, error),
        )
    c = draft.choices.of((2, 4.0, 3, -0.5))
    grain = None if first.grain is None or c == 3 else first.grain + 2
    m = first.most * 2
    return draft.step(
        name,
        f"{{0}} / {c}",
        f"D['div']({{0}}, {c})",
        [x],
        Known(
            first.sizes,
            wider("float", first.kind),
            m,
            grain,
            0.0 if grain is not None else 2 * first.error + m,
        ),
    )


@operation("floordiv", "mod")
def whole_division(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: known.exact)
    known = draft.values[x]
    c = draft.choices.of((2, 3, -2) if known.kind == "int" else (2, 0.5, -2.0))
    sign = "//" if name == "floordiv" else "%"
    kind = wider(known.kind, "float" if isinstance(c, float) else "int")
    draft.kinks = True
    m = known.most * 2 + 1 if name == "floordiv" else 3.0
    grain = 0 if name == "floordiv" else known.grain
    return draft.step(
        name,
        f"{{0}} {sign} {c}",
        f"D['{name}']({{0}}, {c})",
        [x],
        Known(known.sizes, kind, m, max(grain, 1)),  # type: ignore[type-var]
    )


@operation("pow")
def power(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: known.most <= 20)
    known = draft.values[x]
    c = draft.choices.of((2, 3, 0.5, -1, -0.5))
    if isinstance(c, int) and c > 0:
        m = known.most**c
        grain = None if known.grain is None else c * known.grain
        error = 0.0 if grain is not None else c * known.most ** (c - 1) * known.error + 4 * m
        return draft.step(
            name,
            f"{{0}} ** {c}",
            f"D['pow']({{0}}, {c})",
            [x],
            Known(known.sizes, known.kind, max(m, 1), grain, error),
        )
    draft.kinks = True
    m = max(math.sqrt(known.most + 1), 2.0)
    return draft.step(
        name,
        f"(nt.abs({{0}}) + 0.5) ** {c}",
        f"D['pow'](D['add'](D['abs']({{0}}), 0.5), {c})",
        [x],
        Known(known.sizes, "float", m, None, 4 * (known.error + known.most + 1) + 4 * m),
    )


@operation("maximum", "minimum", "hypot", "logaddexp", "atan2")
def of_two(draft: Draft, name: str) -> int:
    x = draft.operand("float int")
    first = draft.values[x]
    y = draft.meeting(first, "float int")
    second = draft.values[y]
    sizes = union(first.sizes, second.sizes)
    error = first.error + second.error
    text, define = f"nt.{name}({{0}}, {{1}})", f"D['{name}']({{0}}, {{1}})"
    if name in ("maximum", "minimum"):
        draft.kinks = True
        both = first.exact and second.exact
        grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
        m = max(first.most, second.most)
        known = Known(sizes, wider(first.kind, second.kind), m, grain, error + (0.0 if both else m))
        return draft.step(name, text, define, [x, y], known)
    if max(first.most, second.most) > 50:
        raise Impossible
    m = first.most + second.most + 2
    if name == "atan2":  # the angle jumps where the second is negative and the first 0
        text = "nt.atan2({0}, nt.abs({1}) + 0.5)"
        define = "D['atan2']({0}, D['add'](D['abs']({1}), 0.5))"
    draft.kinks |= name != "logaddexp"
    known = Known(sizes, "float", m, None, 2 * (error + m) + 4 * m)
    return draft.step(name, text, define, [x, y], known)


@operation("copysign", "heaviside", "isclose")
def signs(draft: Draft, name: str) -> int:
    exact = lambda known: known.exact
    x = draft.operand("float", exact)
    first = draft.values[x]
    y = draft.meeting(first, "float", exact)
    second = draft.values[y]
    if not second.exact:
        raise Impossible
    sizes = union(first.sizes, second.sizes)
    draft.kinks = True
    text, define = f"nt.{name}({{0}}, {{1}})", f"D['{name}']({{0}}, {{1}})"
    if name == "isclose":
        text = "nt.isclose({0}, {1}, 0.25, 0.25)"
        define = "D['isclose']({0}, {1}, rtol=0.25, atol=0.25)"
        return draft.step(name, text, define, [x, y], Known(sizes, "bool", 1, 0))
    if name == "copysign":  # of nothing that is 0, whose sign nobody keeps
        text = "nt.copysign({0}, nt.cast(nt.where({1} > 0, 1.0, -1.0), like={1}))"
        define = "D['copysign']({0}, D['where'](D['gt']({1}, 0), 1.0, -1.0))"
    m = max(first.most, second.most, 1.0)
    grain = max(first.grain, second.grain)  # type: ignore[type-var]
    return draft.step(name, text, define, [x, y], Known(sizes, "float", m, grain))


@operation("eq", "ne", "lt", "le", "gt", "ge")
def comparison(draft: Draft, name: str) -> int:
    """Numbers that are compared are exact: rounded ones could be equal on one way and not on another."""
    exact = lambda known: known.exact
    x = draft.operand("float int bool", exact)
    first = draft.values[x]
    sign = OPERATORS[name]
    if draft.choices.one_in(2):
        c = draft.choices.of((0, 0.5, 1, -1.0))
        return draft.step(
            name,
            f"{{0}} {sign} {c}",
            f"D['{name}']({{0}}, {c})",
            [x],
            Known(first.sizes, "bool", 1, 0),
        )
    y = draft.meeting(first, "float int bool", exact)
    if not draft.values[y].exact:
        raise Impossible
    sizes = union(first.sizes, draft.values[y].sizes)
    return draft.step(
        name,
        f"{{0}} {sign} {{1}}",
        f"D['{name}']({{0}}, {{1}})",
        [x, y],
        Known(sizes, "bool", 1, 0),
    )


def truth(draft: Draft, sizes: dict[str, int]) -> int:
    """Choose truth values that agree with these sizes, or make them by a comparison."""
    try:
        return draft.operand("bool", lambda known: agree(sizes, known.sizes))
    except Impossible:
        return draft.partner(Known(sizes, "bool", 1, 0), "bool")


@operation("logical_and", "logical_or", "logical_xor", "logical_not")
def logic(draft: Draft, name: str) -> int:
    try:
        x = draft.operand("bool")
    except Impossible:
        x = comparison(draft, "gt")
    first = draft.values[x]
    if name == "logical_not":
        return draft.step(name, "~{0}", "D['logical_not']({0})", [x], first)
    y = truth(draft, first.sizes)
    sizes = union(first.sizes, draft.values[y].sizes)
    return draft.step(
        name,
        f"{{0}} {OPERATORS[name]} {{1}}",
        f"D['{name}']({{0}}, {{1}})",
        [x, y],
        Known(sizes, "bool", 1, 0),
    )


@operation("where", often=3)
def where(draft: Draft, name: str) -> int:
    x = draft.operand("float int")
    first = draft.values[x]
    c = truth(draft, first.sizes)
    sizes = union(first.sizes, draft.values[c].sizes)
    if draft.choices.one_in(2):
        other = draft.choices.of(("0.0", "-1", "2.5"))
        second = Known({}, "float" if "." in other else "int", abs(float(other)), 1)
        text, define, operands = (
            f"nt.where({{0}}, {{1}}, {other})",
            f"D['where']({{0}}, {{1}}, {other})",
            [c, x],
        )
    else:
        y = draft.meeting(Known(sizes, "float", 1, 0), "float int")
        second = draft.values[y]
        text, define, operands = "nt.where({0}, {1}, {2})", "D['where']({0}, {1}, {2})", [c, x, y]
    both = first.exact and second.exact
    grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
    m = max(first.most, second.most)
    known = Known(
        union(sizes, second.sizes),
        wider(first.kind, second.kind),
        m,
        grain,
        0.0 if both else max(first.error, second.error) + m,
    )
    return draft.step(name, text, define, operands, known)


@operation("clip")
def clip(draft: Draft, name: str) -> int:
    x = draft.operand("float")
    known = draft.values[x]
    draft.kinks = True
    return draft.step(
        name,
        "nt.clip({0}, -0.5, 1.0)",
        "D['clip']({0}, low=-0.5, high=1.0)",
        [x],
        replace(known, most=1.0, grain=None if known.grain is None else max(known.grain, 1)),
    )


# --- reductions and vectors


@operation("sum", often=4)
@operation("nansum", "nanmean", "quantile")
@operation("prod", "mean", "var", "std", "norm", "logsumexp", "max", "min", often=2)
def reduction(draft: Draft, name: str) -> int:
    kinds = "float int" + " bool" * (name == "sum") + " complex" * (name in ("sum", "mean"))
    x = draft.operand(kinds, has_axes)
    known = draft.values[x]
    least = 1 if name in ("mean", "nanmean", "quantile", "var", "std", "max", "min") else 0
    axes = some_of(draft, known, size=least)
    n = math.prod(known.sizes[a] for a in axes)
    sizes = {a: s for a, s in known.sizes.items() if a not in axes}
    m, error, grain = known.most, known.error, known.grain
    text, define = (
        f"nt.{name}[{all_or(axes, known)}]({{0}})",
        f"D['{name}']({{0}}, [{listed(axes)}])",
    )
    kind = wider("float", known.kind)
    if name in ("sum", "nansum"):
        kind = number_kind(known.kind)
        m, error = m * n, n * error + n * n * m
    elif name == "prod":
        kind, m = number_kind(known.kind), max(m, 1.0) ** n
        error = n * m * (error + 1)
        grain = None if grain is None else grain * n
    elif name in ("mean", "nanmean"):
        error, grain = error + (n + 1) * m, None
    elif name == "quantile":
        q = draft.choices.of((0.0, 0.25, 0.5, 1.0))
        text = f"nt.quantile[{listed(axes)}]({{0}}, {q})"
        define = f"D['quantile']({{0}}, [{listed(axes)}], q={q})"
        error, grain = error + 4 * m, None
        draft.kinks = True
    elif name == "var":
        error, grain = 4 * m * (error + (n + 2) * m), None
        m = m * m
    elif name == "std":  # where the variance is near 0 the root magnifies: keep away from it
        text, define = (
            f"nt.std[{listed(axes)}]({{0}}) ** 2",
            f"D['square'](D['std']({{0}}, [{listed(axes)}]))",
        )
        error, grain = 8 * m * (error + (n + 2) * m), None
        m = m * m
    elif name == "norm":
        text, define = (
            f"nt.norm[{listed(axes)}]({{0}}) ** 2",
            f"D['square'](D['norm']({{0}}, [{listed(axes)}]))",
        )
        error, grain = 8 * n * m * (error + (n + 2) * m), None
        m = n * m * m
    elif name == "logsumexp":
        if m > 50 or n == 0:
            raise Impossible
        error, grain, m = error + (n + 4) * (m + n), None, m + math.log(n + 1)
    else:
        kind = known.kind
        draft.kinks = True
    if name in ("std", "norm"):
        draft.kinks = True  # no gradient where all is equal
    if grain is not None:
        error = 0.0
    return draft.step(name, text, define, [x], Known(sizes, kind, m, grain, error), axes)


@operation("any", "all", "count")
def of_truth(draft: Draft, name: str) -> int:
    x = truth(draft, draft.some_axes(1))
    known = draft.values[x]
    axes = some_of(draft, known)
    n = math.prod(known.sizes[a] for a in axes)
    sizes = {a: s for a, s in known.sizes.items() if a not in axes}
    kind = "int" if name == "count" else "bool"
    return draft.step(
        name,
        f"nt.{name}[{all_or(axes, known)}]({{0}})",
        f"D['{name}']({{0}}, [{listed(axes)}])",
        [x],
        Known(sizes, kind, max(n, 1), 0),
        axes,
    )


@operation("softmax", "log_softmax", "standardize", often=3)
def vector(draft: Draft, name: str) -> int:
    x = draft.operand("float int" + " inf" * (name == "softmax"), has_axes)
    known = draft.values[x]
    axes = some_of(draft, known)
    n = math.prod(known.sizes[a] for a in axes)
    if known.most > 50:
        raise Impossible
    text, define = f"nt.{name}[{listed(axes)}]({{0}})", f"D['{name}']({{0}}, [{listed(axes)}])"
    m, error = 1.0, 2 * known.error + (n + 4) * (known.most + 1)
    if name == "log_softmax":
        m = 2 * known.most + math.log(n + 1)
        error = 2 * known.error + (n + 4) * (known.most + n + 1)
    elif name == "standardize":
        text = f"nt.standardize[{listed(axes)}]({{0}}, 0.25)"
        define = f"D['standardize']({{0}}, [{listed(axes)}], eps=0.25)"
        m = math.sqrt(n) + 1
        error = 8 * (1 + known.most) * (known.error + (n + 2) * known.most + m)
    return draft.step(name, text, define, [x], Known(known.sizes, "float", m, None, error), axes)


@operation("argmax", "argmin", "argmax_index", "argmin_index", "argsort", "sort")
def ordering(draft: Draft, name: str) -> int:
    """Equal numbers keep their order and the first is the greatest, so exact numbers have one answer."""
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    axis = some_of(draft, known, 1, 1, 0 if "sort" in name else 1)
    draft.kinks = True
    sizes, kind, m, grain = dict(known.sizes), "int", 4.0, 0
    more = ""
    if name.endswith("index"):
        del sizes[axis[0]]
    elif name == "sort":
        kind, m, grain = known.kind, known.most, known.grain  # type: ignore[assignment]
    if "sort" in name and draft.choices.one_in(2):
        more = ", descending=True"
    return draft.step(
        name,
        f"nt.{name}[{axis[0]!r}]({{0}}{more})",
        f"D['{name}']({{0}}, {axis!r}{more})",
        [x],
        Known(sizes, kind, m, grain),
        axis,
    )


@operation("maxk", "mink", "argmaxk", "argmink", "argmaxk_index", "argmink_index")
def top(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1)
    k = new_name(draft, known)
    count = draft.choices.below(known.sizes[axis] + 1)
    draft.kinks = True
    sizes = {a: n for a, n in known.sizes.items() if a != axis} | {k: count}
    kind, m, grain = "int", 4.0, 0
    if name in ("maxk", "mink"):
        kind, m, grain = known.kind, known.most, known.grain  # type: ignore[assignment]
    elif name in ("argmaxk", "argmink"):
        sizes[axis] = known.sizes[axis]
    return draft.step(
        name,
        f"nt.{name}[{axis!r}, A({k!r})[{count}]]({{0}})",
        f"D['{name}']({{0}}, {axis!r}, {k!r}, {count})",
        [x],
        Known(sizes, kind, m, grain),
        [axis, k],
    )


@operation("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "flip", "roll")
def along(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axes = some_of(draft, known, 1, 3 if name == "flip" else 1)
    n = max(math.prod(known.sizes[a] for a in axes), 1)
    text, define = f"nt.{name}[{listed(axes)}]({{0}})", f"D['{name}']({{0}}, [{listed(axes)}])"
    m, error, grain, kind = known.most, known.error, known.grain, known.kind
    if name == "roll":
        shift = draft.choices.of((1, -1, 3, 0, -5))
        text = f"nt.roll[{listed(axes)}]({{0}}, {shift})"
        define = f"D['roll']({{0}}, [{listed(axes)}], shift={shift})"
    elif name == "cumsum":
        m, error = m * n, n * error + n * n * m
    elif name == "cumprod":
        m = max(m, 1.0) ** n
        error, grain = n * m * (error + 1), None if grain is None else grain * n
    elif name == "logcumsumexp":
        if m > 50:
            raise Impossible
        error, grain, kind, m = error + (n + 4) * (m + n), None, "float", m + math.log(n + 1)
    draft.kinks |= name in ("cummax", "cummin")
    if grain is not None:
        error = 0.0
    return draft.step(name, text, define, [x], Known(known.sizes, kind, m, grain, error), axes)


# --- contraction


@operation("dot", often=8)
def contraction(draft: Draft, name: str) -> int:
    """Two to four operands; each axis under the dot is an axis of at least two of them."""
    x = draft.operand("float int bool complex", has_axes)
    first = draft.values[x]
    places, knowns = [x], [first]
    count = draft.choices.of((2, 2, 2, 3, 3, 4))
    for _ in range(count - 1):
        sizes = union(*[known.sizes for known in knowns])
        y = draft.meeting(Known(sizes, "float", 1, 0), "float int bool complex", has_axes)
        places.append(y)
        knowns.append(draft.values[y])
    sizes = union(*[known.sizes for known in knowns])
    if math.prod(sizes.values()) > 16 * MOST_RECORDS:
        raise Impossible
    shared = [
        a for a in sizes if sum(a in known.sizes for known in knowns) > 1 and a != draft.lifted
    ]
    axes = draft.choices.some(shared, min(1, len(shared)))
    rest = {a: n for a, n in sizes.items() if a not in axes}
    n = max(math.prod(sizes[a] for a in axes), 1)
    m = n * math.prod(max(known.most, 1e-9) for known in knowns)
    both = all(known.exact for known in knowns)
    grain = sum(known.grain or 0 for known in knowns) if both else None
    error = 0.0
    if not both:
        error = (n + count) * m + sum(known.error * m / max(known.most, 1e-9) for known in knowns)
    kind = number_kind(*[known.kind for known in knowns])
    if count == 2 and axes and draft.choices.one_in(2):
        text = f"{{0}} @ ({listed(axes)},) @ {{1}}"
    else:
        holes = ", ".join(f"{{{i}}}" for i in range(count))
        text = f"nt.dot[{listed(axes) or '()'}]({holes})"
    define = f"D['dot']({', '.join(f'{{{i}}}' for i in range(count))}, axes=[{listed(axes)}])"
    return draft.step(name, text, define, places, Known(rest, kind, m, grain, error), axes)
