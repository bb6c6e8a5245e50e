"""Operations of axes in the table of programs: renaming, indexing, windows, recurrence, matrices, kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tests.laws.draft import (
    NAMES,
    NEW_NAMES,
    Draft,
    Impossible,
    Known,
    agree,
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

# --- renaming and reshaping


ANY = "float int bool complex inf"


@operation("rename", often=3)
def rename(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    before = some_of(draft, known)
    taken = [draft.lifted, *[a for a in known.sizes if a not in before]]
    free = dict.fromkeys(a for a in (*before, *NEW_NAMES, *NAMES[:3]) if a not in taken)
    after = draft.choices.some(free, len(before), len(before))
    pairs = dict(zip(before, after, strict=True))
    sizes = {pairs.get(a, a): n for a, n in known.sizes.items()}
    text = ", ".join(f"A({a!r}) >> A({b!r})" for a, b in pairs.items())
    return draft.step(
        name,
        f"{{0}}[{text}]",
        f"D['rename']({{0}}, {{{{{str(pairs)[1:-1]}}}}})",
        [x],
        replace(known, sizes=sizes),
        [*before, *after],
    )


@operation("merge", "split", often=2)
def regroup(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, lambda known: len(known.sizes) >= (2 if name == "merge" else 1))
    known = draft.values[x]
    if name == "merge":
        axes = some_of(draft, known, 2)
        into = draft.choices.of((new_name(draft, known), axes[0]))
        sizes = {a: n for a, n in known.sizes.items() if a not in axes}
        sizes[into] = math.prod(known.sizes[a] for a in axes)
        return draft.step(
            name,
            f"{{0}}[({', '.join(f'A({a!r})' for a in axes)}) >> A({into!r})]",
            f"D['merge']({{0}}, {axes!r}, {into!r})",
            [x],
            replace(known, sizes=sizes),
            [*axes, into],
        )
    (axis,) = some_of(draft, known, 1, 1)
    n = known.sizes[axis]
    first = draft.choices.of([d for d in range(1, n + 1) if n % d == 0] or [1, 2])
    second = n // first
    free = [a for a in (*NEW_NAMES, "p", "q") if a not in known.sizes]
    if len(free) < 2:
        raise Impossible
    p, q = draft.choices.some(free, 2, 2)
    sizes = {a: s for a, s in known.sizes.items() if a != axis} | {p: first, q: second}
    parts = [f"A({p!r})[{first}]", f"A({q!r})[{second}]"]
    if draft.choices.one_in(2):
        parts[1] = f"A({q!r})"
    return draft.step(
        name,
        f"{{0}}[A({axis!r}) >> ({', '.join(parts)})]",
        f"D['split_axis']({{0}}, {axis!r}, {{{{{p!r}: {first}, {q!r}: {second}}}}})",
        [x],
        replace(known, sizes=sizes),
        [axis, p, q],
    )


@operation("rearrange")
def rearrange(draft: Draft, name: str) -> int:
    """einops' words: names without primes, all axes of the tensor in the pattern."""
    plain = lambda known: len(known.sizes) >= 2 and all(a.isidentifier() for a in known.sizes)
    x = draft.operand(
        ANY, lambda known: plain(known) and not {"sum", "lambda", "len"} & {*known.sizes}
    )
    known = draft.values[x]
    axes = list(known.sizes)
    order = draft.choices.some(axes, len(axes))
    a, b = order[:2]
    into = f"{a}_{b}"
    if into in known.sizes or draft.lifted in known.sizes:
        raise Impossible
    rest = order[2:]
    text = f"{' '.join(axes)} -> {' '.join([*rest, f'({a} {b})'])}"
    sizes = {c: known.sizes[c] for c in rest} | {into: known.sizes[a] * known.sizes[b]}
    return draft.step(
        name,
        f"{{0}}.rearrange({text!r})",
        f"D['merge']({{0}}, [{a!r}, {b!r}], {into!r})",
        [x],
        replace(known, sizes=sizes),
        [*axes, into],
    )


# --- indexing, windows, joining


@operation("at", "slice", "listed", often=2)
def indexing(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 0 if name == "slice" else 1)
    n = known.sizes[axis]
    sizes = dict(known.sizes)
    if name == "at":
        i = draft.choices.below(2 * n) - n
        del sizes[axis]
        text, define = f"{{0}}[A({axis!r})({i})]", f"D['at']({{0}}, {axis!r}, {i})"
    elif name == "slice":
        bounds = (None, 1, 0, -1, 2, -3, 5)
        start, stop = draft.choices.of(bounds), draft.choices.of(bounds)
        step = draft.choices.of((None, None, 2, -1, -2))
        written = ":".join("" if b is None else str(b) for b in (start, stop, step)).removesuffix(
            ":"
        )
        sizes[axis] = len(range(n)[slice(start, stop, step)])
        if ":" not in written:
            written += ":"
        text = f"{{0}}[A({axis!r})[{written}]]"
        define = f"D['slice']({{0}}, {axis!r}, slice({start}, {stop}, {step}))"
    else:
        chosen = [draft.choices.below(2 * n) - n for _ in range(1 + draft.choices.below(3))]
        sizes[axis] = len(chosen)
        text = f"{{0}}[A({axis!r})[{chosen!r}]]"
        parts = ", ".join(f"D['at']({{0}}, {axis!r}, {i})" for i in chosen)
        define = f"D['stack']({parts}, axis={axis!r})"
    return draft.step(name, text, define, [x], replace(known, sizes=sizes), [axis])


def indices(draft: Draft, sizes: dict[str, int], n: int, least: int | None = None) -> int:
    """Make an input of indices into an axis of n, counted from either end unless told the least."""
    return draft.new_input(sizes, "int", low=-n if least is None else least, high=n - 1)


@operation("index", often=3)
def by_tensor(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    own = {
        a: n for a, n in draft.some_axes(0, 2).items() if known.sizes.get(a, n) == n and a != axis
    }
    front = known.sizes[axis] == 4  # then no index counts from the end
    i = indices(draft, own, known.sizes[axis], 0 if front else None)
    sizes = union({a: n for a, n in known.sizes.items() if a != axis}, own)
    index = "nt.from_front({1})" if front else "{1}"
    text = draft.choices.of((f"{{0}}[A({axis!r})({index})]", f"nt.index[{axis!r}]({{0}}, {index})"))
    return draft.step(
        "from_front" if front else name,
        text,
        f"D['index']({{0}}, **{{{{{axis!r}: {{1}}}}}})",
        [x, i],
        replace(known, sizes=sizes),
        [axis],
    )


@operation("set_at", "add_at", "multiply_at", "max_at", "min_at")
def update(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    how = draft.choices.below(3)
    read = {a: s for a, s in known.sizes.items() if a != axis}
    places, used = [x], list[str]()
    if how == 0:
        i = draft.choices.below(2 * n) - n
        place, theirs = f"A({axis!r})({i})", f"{{{{{axis!r}: {i}}}}}"
    elif how == 1 or name in ("set_at", "multiply_at"):
        start = draft.choices.below(n + 1)
        read[axis] = n - start
        place, theirs = f"A({axis!r})[{start}:]", f"{{{{{axis!r}: slice({start}, None)}}}}"
    else:
        own = {a: s for a, s in draft.some_axes(0, 1).items() if known.sizes.get(a) != s}
        if any(a in known.sizes for a in own):
            raise Impossible
        i = indices(draft, own, n)
        places, place, theirs = [x, i], f"A({axis!r})({{1}})", f"{{{{{axis!r}: {{1}}}}}}"
        read |= own
        used = [*own]
    if draft.choices.one_in(3):
        value, second = number(draft), Known({}, "int", 3.0, 1)
        if known.kind == "int":
            value = str(int(float(value)))
    else:
        own = {a: s for a, s in read.items() if draft.sizes.get(a) == s}
        y = draft.new_input({a: own[a] for a in draft.choices.some(own, 0, 2)}, known.kind)
        second = draft.values[y]
        value = f"{{{len(places)}}}"
        places.append(y)
    both = known.exact
    m = known.most + 8 * second.most
    grain = max(known.grain, second.grain) if both else None  # type: ignore[type-var]
    if name == "multiply_at":
        m = known.most * max(second.most, 1.0)
        grain = known.grain + second.grain if both else None  # type: ignore[operator]
    draft.kinks |= name in ("max_at", "min_at")
    verb = name.removesuffix("_at")
    theirs_value = value if value.startswith("{") else f"D['full']({{{{}}}}, {value})"
    return draft.step(
        name,
        f"{{0}}.at[{place}].{verb}({value})",
        f"D['{name}']({{0}}, {theirs_value}, {theirs})",
        places,
        Known(dict(known.sizes), known.kind, m, grain, 0.0 if both else 8 * (known.error + m)),
        [axis, *used],  # an index's own axes are used up
    )


@operation("scatter")
def scatter(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1)
    n = known.sizes[axis]
    if draft.sizes.get(axis) != n:
        raise Impossible
    size = 1 + draft.choices.below(3)
    k = new_name(draft, known)
    i = draft.new_input({axis: n}, "int", low=-size, high=size - 1)
    rest = {a: s for a, s in known.sizes.items() if a != axis}
    m = known.most * max(n, 1)
    return draft.step(
        name,
        f"nt.scatter[{axis!r}, A({k!r})[{size}]]({{0}}, {{1}})",
        f"D['scatter']({{0}}, {{1}}, {axis!r}, {k!r}, {size})",
        [x, i],
        Known(
            rest | {k: size}, known.kind, m, known.grain, n * (known.error + m) * (not known.exact)
        ),
        [axis, k],
    )


@operation("overlap_add")
def overlap_add(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: len(known.sizes) > 1)
    known = draft.values[x]
    axis, kernel = some_of(draft, known, 2, 2, 1)
    n, k = known.sizes[axis], known.sizes[kernel]
    sizes = {a: s for a, s in known.sizes.items() if a != kernel} | {axis: n + k - 1}
    m = known.most * k
    how = ""
    if n and draft.choices.one_in(2):
        stride, dilation = 1 + draft.choices.below(3), 1 + draft.choices.below(2)
        whole = (n - 1) * stride + (k - 1) * dilation + 1
        before = draft.choices.below(min(whole, 2))
        sizes[axis] = whole - before + draft.choices.below(stride)
        how = f", stride={stride}, dilation={dilation}, padding=({before}, 0), size={sizes[axis]}"
    return draft.step(
        name,
        f"nt.overlap_add[{axis!r}, {kernel!r}]({{0}}{how})",
        f"D['overlap_add']({{0}}, {axis!r}, {kernel!r}{how})",
        [x],
        Known(sizes, known.kind, m, known.grain, k * (known.error + m) * (not known.exact)),
        [axis, kernel],
    )


@operation("one_hot")
def one_hot(draft: Draft, name: str) -> int:
    n = 1 + draft.choices.below(3)
    sizes = draft.some_axes(0, 2)
    i = draft.new_input(sizes, "int", low=0, high=n - 1)
    k = new_name(draft, Known(sizes, "int", 1, 0))
    return draft.step(
        name,
        f"nt.one_hot({{0}}, A({k!r})[{n}])",
        f"D['one_hot']({{0}}, {k!r}, {n})",
        [i],
        Known(sizes | {k: n}, "int", 1, 0),
        [k],
    )


@operation("upsample")
def upsample(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axes = some_of(draft, known, 1, 2)
    factor = 1 + draft.choices.below(3)
    linear = known.kind == "float" and draft.choices.one_in(2)
    if linear:
        known = replace(known, grain=None, error=known.error + 8 * known.most)
    return draft.step(
        name,
        f"nt.upsample[{listed(axes)},]({{0}}, {factor}, linear={linear})",
        f"D['upsample']({{0}}, [{listed(axes)}], {factor}, {linear})",
        [x],
        replace(known, sizes={a: n * factor if a in axes else n for a, n in known.sizes.items()}),
        list(axes),
    )


@operation("unroll", "pool", "pad", often=2)
def windows(draft: Draft, name: str) -> int:
    x = draft.operand("float int" if name == "pad" else ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 0 if name != "unroll" else 1)
    n = known.sizes[axis]
    sizes = dict(known.sizes)
    if name == "pad":
        before, after = draft.choices.below(3), draft.choices.below(3)
        value = draft.choices.of((0, 0, 1) if known.kind == "int" else (0.0, 0, -1.5))
        sizes[axis] = n + before + after
        known = replace(
            known,
            most=max(known.most, 1.5),
            grain=None if known.grain is None else max(known.grain, 1),
        )
        return draft.step(
            name,
            f"nt.pad[{axis!r}]({{0}}, {before}, {after}, {value})",
            f"D['pad']({{0}}, {axis!r}, {before}, {after}, value={value})",
            [x],
            replace(known, sizes=sizes),
            [axis],
        )
    k = new_name(draft, known)
    how = ""
    if known.kind != "complex" and n and draft.choices.one_in(2):
        size, known, how = moved_windows(draft, known, axis, name)
        sizes[axis] = known.sizes[axis]
    elif name == "unroll":
        size = 1 + draft.choices.below(n)
        sizes[axis] = n - size + 1
    else:
        size = draft.choices.of([d for d in (1, 2, 3, 4) if n % d == 0])
        sizes[axis] = n // size
    sizes[k] = size
    return draft.step(
        name,
        f"nt.{name}[{axis!r}, A({k!r})[{size}]]({{0}}{how})",
        f"D['{name}']({{0}}, {axis!r}, {k!r}, {size}{how})",
        [x],
        replace(known, sizes=sizes),
        [axis, k],
    )


def moved_windows(draft: Draft, known: Known, axis: str, name: str) -> tuple[int, Known, str]:
    """Draw a window, a stride, a dilation and a padding: what is seen, and how it is asked for."""
    n = known.sizes[axis]
    size, stride, dilation = [1 + draft.choices.below(3) for _ in range(3)]
    span = (size - 1) * dilation + 1
    ends = draft.choices.of((0, 1, (0, 2), "same"))
    if known.kind == "bool":
        ends = 0
    value = draft.choices.of((0, 0, 1) if known.kind == "int" else (0.0, 0, -1.5))
    whole = n + (ends if isinstance(ends, tuple) else (0,))[-1] + (2 if ends == 1 else 0)
    count = -(-n // stride) if ends == "same" else (whole - span) // stride + 1
    if count < 1 or (whole < span and ends != "same"):
        raise Impossible
    how = f", stride={stride}, dilation={dilation}"
    if ends != 0:
        how += f", padding={ends!r}, value={value}"
        most, grain = max(known.most, 1.5), known.grain
        known = replace(known, most=most, grain=None if grain is None else max(grain, 1))
    return size, replace(known, sizes={**known.sizes, axis: count}), how


@operation("concat", "stack", often=2)
def joining(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    first = draft.values[x]
    (axis,) = some_of(draft, first, 1, 1) if name == "concat" else [new_name(draft, first)]
    places, knowns = [x], [first]
    for _ in range(draft.choices.below(3)):
        rest = lambda known: {a: n for a, n in known.sizes.items() if a != axis}
        fits = lambda known: (
            (axis in known.sizes) == (name == "concat")
            and agree(union(*map(rest, knowns)), rest(known))
        )
        y = draft.operand("float int", fits)
        places.append(y)
        knowns.append(draft.values[y])
    sizes = union(*[{a: n for a, n in known.sizes.items() if a != axis} for known in knowns])
    sizes[axis] = sum(known.sizes[axis] for known in knowns) if name == "concat" else len(knowns)
    holes = ", ".join(f"{{{i}}}" for i in range(len(places)))
    both = all(known.exact for known in knowns)
    m = max(known.most for known in knowns)
    known = Known(
        sizes,
        wider(*[known.kind for known in knowns]),
        m,
        max(known.grain or 0 for known in knowns) if both else None,
        0.0 if both else max(known.error for known in knowns) + m,
    )
    return draft.step(
        name,
        f"nt.{name}[{axis!r}]({holes})",
        f"D['{name}']({holes}, axis={axis!r})",
        places,
        known,
        [axis],
    )


# --- index-defined parts


@operation("iota", often=3)
def index_defined(draft: Draft, name: str) -> int:
    """An identity, a count, a mask or cases by index, that take their sizes from what they meet."""
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    row = some_of(draft, known, 1, 1)[0]
    n = known.sizes[row]
    how = draft.choices.below(6)
    m = known.most
    grain, error = known.grain, known.error
    if how == 0:
        form, theirs, m = f"nt.iota({row!r})", f"D['iota']({row!r}, {n})", m + 4
        text, define = f"{{0}} + {form}", f"D['add']({{0}}, {theirs})"
    elif how == 1:
        form, theirs, m = f"nt.iota(A({row!r})[{n}])", f"D['iota']({row!r}, {n})", 4 * m
        text, define = f"{form} * {{0}}", f"D['mul']({theirs}, {{0}})"
        error *= 4
    else:
        row, col = some_of(draft, known, 2, 2)
        sizes = f"{{{{{row!r}: {known.sizes[row]}, {col!r}: {known.sizes[col]}}}}}"
        if how == 2:
            text = f"{{0}} * nt.eye({row!r}, {col!r})"
            same = f"D['eq'](D['iota']({row!r}, {known.sizes[row]}), D['iota']({col!r}, {known.sizes[col]}))"
            define = f"D['mul']({{0}}, {same})"
        elif how == 3:
            text = f"nt.where(nt.define[{row!r}, {col!r}](lambda i, j: j <= i), {{0}}, -1.0)"
            define = f"D['where'](D['define']({sizes}, lambda i, j: j <= i), {{0}}, -1.0)"
            m, grain = max(m, 1.0), None if grain is None else grain
        elif how == 4:
            rule = "lambda i, j: 2 * i - j"
            text = f"{{0}} + nt.define[{row!r}, {col!r}]({rule})"
            define, m = f"D['add']({{0}}, D['define']({sizes}, {rule}))", m + 12
        else:
            text = (
                f"{{0}} + nt.define[{row!r}, {col!r}](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))"
            )
            rule = "lambda i, j: 0.0 if j <= i else -inf"
            define = f"D['add']({{0}}, D['define']({sizes}, {rule}))"
            known = replace(known, infinite=True, kind="float")
        return draft.step(
            name,
            text,
            define,
            [x],
            replace(
                known,
                kind=wider("float", known.kind) if how in (3, 5) else number_kind(known.kind),
                most=m,
                grain=grain,
                error=0.0 if grain is not None else error + m,
            ),
            [row, col],
        )
    return draft.step(
        name,
        text,
        define,
        [x],
        replace(
            known,
            kind=number_kind(known.kind),
            most=m,
            grain=grain,
            error=0.0 if grain is not None else error + m,
        ),
        [row],
    )


@operation("size")
def by_size(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    m = known.most + n
    return draft.step(
        name,
        f"{{0}} - {{0}}.size({axis!r})",
        f"D['sub']({{0}}, {n})",
        [x],
        replace(known, most=m, error=0.0 if known.exact else known.error + m),
        [axis],
    )


# --- recurrence and matrices


@operation("associative_scan")
def associative(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    word, reverse = draft.choices.of(("maximum", "add")), draft.choices.one_in(2)
    m = known.most * (known.sizes[axis] if word == "add" else 1)
    draft.kinks |= word == "maximum"
    ours = f"(nt.{word}(p[0], q[0]),)" if word == "maximum" else "(p[0] + q[0],)"
    theirs = f"(D['{word}'](p[0], q[0]),)"
    return draft.step(
        name,
        f"nt.{name}[{axis!r}](lambda p, q: {ours}, ({{0}},), {reverse})[0]",
        f"D['{name}'](lambda p, q: {theirs}, ({{0}},), {axis!r}, {reverse})[0]",
        [x],
        replace(known, most=m),
        [axis],
    )


def started(h: str, *met: Sequence[str]) -> tuple[str, str]:
    """Write where a recurrence starts: a carry keeps its dtype, so it has that of all that the step meets.

    `met` are the axes of {0}, {1} ... that have no place in the carry. One axis that both have is left where
    there is one: torch gives a single number's dtype to nothing that has axes.
    """
    ours = theirs = h
    for i, axes in enumerate(met):
        ours = f"{ours} + 0 * nt.sum[{listed(axes)}]({{{i}}})"
        theirs = f"D['add']({theirs}, D['mul'](0, D['sum']({{{i}}}, [{listed(axes)}])))"
    return ours, theirs


@operation("scan")
def recurrence(draft: Draft, name: str) -> int:
    x = draft.operand("float", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    rest = {a: n for a, n in known.sizes.items() if a != axis}
    own = {a: n for a, n in rest.items() if draft.sizes.get(a) == n}
    h = draft.new_input({a: own[a] for a in draft.choices.some(own, 0, 2)}, "float")
    if not agree(rest, draft.values[h].sizes):
        raise Impossible
    m = 2.0 + 4 * known.most
    error = 4 * (known.error + 4 * m)
    start, theirs = started("{1}", [axis])
    return draft.step(
        name,
        f"nt.scan[{axis!r}](lambda h, x: 0.5 * h + x, {start}, {{0}})",
        f"D['scan'](lambda h, x: D['add'](D['mul'](0.5, h), x), {theirs}, {{0}}, {axis!r})",
        [x, h],
        Known(known.sizes, "float", m, None, error),
        [axis],
    )


@operation(
    "det",
    "inv",
    "solve",
    "trace",
    "diag",
    "cholesky",
    "slogdet",
    "matrix_exp",
    "pinv",
    "eigvalsh",
    "svdvals",
    "eigh",
    "eig",
    "svd",
    "qr",
    "solve_triangular",
    often=2,
)
def matrix(draft: Draft, name: str) -> int:
    """Functions of square matrices, made regular, symmetric or small by the text itself."""
    free = name in ("trace", "diag")
    if draft.special and not free:  # libraries refuse nan, each in its own functions
        raise Impossible
    if draft.bits < 24 and not free:
        raise Impossible
    square = lambda known: len(known.sizes) >= 2 and (free or known.most <= 4)
    try:
        x = draft.operand("float", square)
        known = draft.values[x]
        pairs = [
            (a, b)
            for a, n in known.sizes.items()
            for b, m in known.sizes.items()
            if a != b and n == m and (n > 0 or free) and draft.lifted not in (a, b)
        ]
        row, col = draft.choices.of(pairs) if pairs else ("", "")
    except Impossible:
        row = ""
    if not row:
        free_axes = [a for a in draft.sizes if a != draft.lifted]
        twins = [
            (a, b)
            for a in free_axes
            for b in free_axes
            if a != b and draft.sizes[a] == draft.sizes[b] and (draft.sizes[a] > 0 or free)
        ]
        if not twins:
            raise Impossible
        row, col = draft.choices.of(twins)
        x = draft.new_input({row: draft.sizes[row], col: draft.sizes[col]}, "float", low=-1, high=1)
        known = draft.values[x]
    n = known.sizes[row]
    others = {a: s for a, s in known.sizes.items() if a not in (row, col)}
    rc, named = f"{row!r}, {col!r}", [row, col]
    big = 8.0 * (n + 1)
    regular = f"(0.5 * nt.tanh({{0}}) + {big} * nt.eye(A({row!r})[{n}], A({col!r})[{n}]))"
    theirs = f"D['add'](D['mul'](0.5, D['tanh']({{0}})), D['mul']({big}, D['eye']({rc}, {n})))"
    # its numbers are of the size of the diagonal, and its inverse is well conditioned
    error = 16 * (n + 1) ** 2 * big * (known.error + known.most + 1)
    sizes, places, m = dict(known.sizes), [x], big + 1
    if name == "trace":
        text, define = f"nt.trace[{rc}]({{0}})", f"D['trace']({{0}}, {rc})"
        m = known.most * max(n, 1)
        known = Known(
            others, known.kind, m, known.grain, 0.0 if known.exact else n * known.error + n * m
        )
        return draft.step(name, text, define, places, known, named)
    if name == "diag":
        k = draft.choices.of((new_name(draft, known), row))
        text, define = f"nt.diag[{rc}, {k!r}]({{0}})", f"D['diag']({{0}}, {rc}, {k!r})"
        return draft.step(
            name, text, define, places, replace(known, sizes=others | {k: n}), [*named, k]
        )
    if name in ("cholesky", "eigvalsh", "eigh"):
        turned = f"{{0}}[A({row!r}) >> A({col!r}), A({col!r}) >> A({row!r})]"
        regular = regular.replace("nt.tanh({0})", f"(nt.tanh({{0}}) + nt.tanh({turned}))")
        back = f"D['rename']({{0}}, {{{{{row!r}: {col!r}, {col!r}: {row!r}}}}})"
        theirs = theirs.replace("D['tanh']({0})", f"D['add'](D['tanh']({{0}}), D['tanh']({back}))")
    if name == "matrix_exp":
        regular, theirs, m = (
            "(0.5 * nt.tanh({0}))",
            "D['mul'](0.5, D['tanh']({0}))",
            math.exp(0.5 * n) + 1,
        )
    if name in ("det", "slogdet"):
        sizes, m = others, (big + 1) ** n if name == "det" else n * math.log(big + 1) + 1
        error *= m
    if name in ("eigvalsh", "svdvals"):
        k = new_name(draft, known)
        sizes, rc2, named = others | {k: n}, f"{rc}, {k!r}", [*named, k]
        draft.kinks = True  # equal eigenvalues have no gradient
        text, define = f"nt.{name}[{rc2}]({regular})", f"D['{name}']({theirs}, {rc2})"
    elif name in PRODUCTS:  # the factors have no one sign: multiplied they are the matrix again
        k = new_name(draft, known)
        product = PRODUCTS[name].format(row=row, col=col, k=k)
        text, define = f"({product})(*nt.{name}[{rc}, {k!r}]({regular}))", theirs
        named, error = [*named, k], 16 * error
        draft.kinks = True
    elif name == "eig":  # in any order the eigenvalues add up to the trace
        k = new_name(draft, known)
        sizes, named, m = others, [*named, k], n * (big + 1)
        draft.kinks = True
        text = f"nt.real(nt.sum[{k!r}](nt.eig[{rc}, {k!r}]({regular})[0]))"
        define = f"D['trace']({theirs}, {rc})"
    elif name in ("solve", "solve_triangular"):
        own = {row: n} if draft.sizes.get(row) == n else None
        if own is None:
            raise Impossible
        b = draft.new_input(own, "float")
        places = [x, b]
        sizes, m = others | {col: n}, 2.0
        upper = ", upper=True" if name != "solve" and draft.choices.one_in(2) else ""
        text = f"nt.{name}[{rc}]({regular}, {{1}}{upper})"
        define = f"D['{name}']({theirs}, {{1}}, {rc}{upper})"
    else:
        text, define = f"nt.{name}[{rc}]({regular})", f"D['{name}']({theirs}, {rc})"
    return draft.step(name, text, define, places, Known(sizes, "float", m, None, error), named)


# --- what runs as one kernel: written as formulas are


@operation(
    "attention",
    "linear",
    "layer_norm",
    "rms_norm",
    "embedding",
    "cross_entropy",
    "convolution",
    "pooling",
    "channel_norm",
    "chain",
    often=2,
)
def idiom(draft: Draft, name: str) -> int:
    """Write what a kernel may compute; the shapes are looser than a kernel likes."""
    choices = draft.choices
    if draft.bits < 24:
        raise Impossible
    x = draft.operand("float", lambda known: has_axes(known) and known.most <= 30)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    if draft.sizes.get(axis) != n:
        raise Impossible
    others = [a for a in draft.sizes if a not in known.sizes and a != draft.lifted]
    more = {a: draft.sizes[a] for a in choices.some(others, choices.below(2), 1)}
    if name == "linear" or name == "chain":
        w = draft.new_input({axis: n} | more, "float")
        y = draft.step(
            "dot",
            f"{{0}} @ {axis!r} @ {{1}}",
            f"D['dot']({{0}}, {{1}}, axes=[{axis!r}])",
            [w, x],
            Known(
                union({a: s for a, s in known.sizes.items() if a != axis}, more),
                "float",
                2 * n * known.most,
                None,
                2 * n * (known.error + (n + 1) * known.most),
            ),
            [axis],
        )
        if name == "chain":
            if not more:
                raise Impossible
            end = {
                a: draft.sizes[a] for a in choices.some(draft.sizes, 0, 1) if a not in (axis, *more)
            }
            z = draft.new_input(
                more | {a: n for a, n in end.items() if a not in known.sizes}, "float"
            )
            return chained(draft, y, z, next(iter(more)))
        b = draft.new_input(more, "float")
        return plus(draft, y, b, name)
    if name in ("layer_norm", "channel_norm"):
        y = draft.step(
            "standardize",
            f"nt.standardize[{axis!r}]({{0}})",
            f"D['standardize']({{0}}, [{axis!r}], eps=1e-5)",
            [x],
            Known(
                known.sizes,
                "float",
                n + 1.0,
                None,
                400.0 * (1 + known.most) * (known.error + n * known.most + n),
            ),
            [axis],
        )
        weights = (
            {axis: n}
            if name == "layer_norm"
            else {a: s for a, s in known.sizes.items() if a != axis and draft.sizes.get(a) == s}
        )
        weights = dict(list(weights.items())[:1])
        g, b = draft.new_input(weights, "float"), draft.new_input(weights, "float")
        return plus(draft, times(draft, y, g), b, name)
    if name == "rms_norm":
        g = draft.new_input({axis: n}, "float")
        squares = f"D['mean'](D['square']({{0}}), [{axis!r}])"
        m = 2 * math.sqrt(n) * 2
        return draft.step(
            name,
            f"{{0}} / nt.sqrt(nt.mean[{axis!r}]({{0}} * {{0}}) + 0.25) * {{1}}",
            f"D['mul'](D['div']({{0}}, D['sqrt'](D['add']({squares}, 0.25))), {{1}})",
            [x, g],
            Known(
                union(known.sizes, {axis: n}),
                "float",
                m,
                None,
                16 * (1 + known.most) ** 2 * (known.error + n * known.most + 1),
            ),
            [axis],
        )
    if name in ("embedding", "cross_entropy"):
        i = draft.new_input(
            {
                a: s
                for a, s in draft.some_axes(0, 2).items()
                if a != axis and known.sizes.get(a, s) == s
            },
            "int",
            low=0,
            high=n - 1,
        )
        sizes = union({a: s for a, s in known.sizes.items() if a != axis}, draft.values[i].sizes)
        hot = f"nt.one_hot({{1}}, A({axis!r})[{n}])"
        if name == "embedding":
            text, define = (
                f"{{0}} @ {axis!r} @ {hot}",
                f"D['index']({{0}}, **{{{{{axis!r}: {{1}}}}}})",
            )
            return draft.step(name, text, define, [x, i], replace(known, sizes=sizes), [axis])
        text = f"-nt.log(nt.softmax[{axis!r}]({{0}})) @ {axis!r} @ {hot}"
        define = (
            f"D['index'](D['neg'](D['log_softmax']({{0}}, [{axis!r}])), **{{{{{axis!r}: {{1}}}}}})"
        )
        if known.most > 8:
            raise Impossible
        m = 2 * known.most + 4
        return draft.step(
            name,
            text,
            define,
            [x, i],
            Known(sizes, "float", m, None, math.exp(2 * known.most) * (known.error + 4 * m)),
            [axis],
        )
    if name in ("convolution", "pooling"):
        k = new_name(draft, known)
        size = 1 + choices.below(min(n, 3))
        if name == "pooling":
            size = choices.of([d for d in (1, 2, 3, 4) if n % d == 0])
            word = choices.of(("max", "mean"))
            draft.kinks |= word == "max"
            known = Known(
                known.sizes | {axis: n // size},
                "float",
                known.most,
                known.grain if word == "max" else None,
                0.0 if word == "max" and known.exact else known.error + size * known.most,
            )
            return draft.step(
                name,
                f"nt.{word}[{k!r}](nt.pool[{axis!r}, A({k!r})[{size}]]({{0}}))",
                f"D['{word}'](D['pool']({{0}}, {axis!r}, {k!r}, {size}), [{k!r}])",
                [x],
                known,
                [axis, k],
            )
        free = [a for a in known.sizes if a not in (axis, draft.lifted)]
        chans = [a for a in free if draft.sizes.get(a) == known.sizes[a]]
        over = choices.some(chans, choices.below(2), 1)
        inner = {a: known.sizes[a] for a in over}
        # a kernel's axis is new, and only this weight has it
        if k in draft.sizes:
            raise Impossible
        draft.sizes[k] = size
        w = draft.new_input({k: size} | inner | more, "float")
        count = size * math.prod(inner.values())
        sizes = (
            {a: s for a, s in known.sizes.items() if a not in over} | {axis: n - size + 1} | more
        )
        if over and choices.one_in(3):
            name = "transposed_convolution"
            return draft.step(
                name,
                f"nt.overlap_add[{axis!r}, {k!r}]({{1}} @ ({listed(over)},) @ {{0}})",
                f"D['overlap_add'](D['dot']({{1}}, {{0}}, axes=[{listed(over)}]), {axis!r}, {k!r})",
                [x, w],
                Known(
                    sizes | {axis: n + size - 1},
                    "float",
                    2 * count * known.most + 1,
                    None,
                    2 * count * (known.error + (count + 1) * known.most),
                ),
                [axis, k, *over],
            )
        dotted = [*over, k]
        return draft.step(
            name,
            f"{{1}} @ ({listed(dotted)},) @ nt.unroll[{axis!r}, A({k!r})[{size}]]({{0}})",
            f"D['dot']({{1}}, D['unroll']({{0}}, {axis!r}, {k!r}, {size}), axes=[{listed(dotted)}])",
            [x, w],
            Known(
                sizes,
                "float",
                2 * count * known.most + 1,
                None,
                2 * count * (known.error + (count + 1) * known.most),
            ),
            [axis, k, *over],
        )
    # attention: scores over axis, with perhaps a mask, then values
    keys = [
        a
        for a in known.sizes
        if a not in (axis, draft.lifted) and known.sizes[a] and draft.sizes.get(a) == known.sizes[a]
    ]
    if not keys:
        raise Impossible
    key = choices.of(keys)
    ask = new_name(draft, known)
    if ask in draft.sizes:
        raise Impossible
    draft.sizes[ask] = choices.of((2, 3, 1))
    q = draft.new_input({key: known.sizes[key], ask: draft.sizes[ask]}, "float", low=-1, high=1)
    m = known.most * known.sizes[key]
    scores = f"{{1}} @ {key!r} @ {{0}} / nt.sqrt({{0}}.size({key!r}))"
    theirs = f"D['div'](D['dot']({{1}}, {{0}}, axes=[{key!r}]), {known.sizes[key]} ** 0.5)"
    if choices.one_in(2):
        scores = (
            f"{scores} + nt.define[{ask!r}, {axis!r}](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))"
        )
        theirs = (
            f"D['add']({theirs}, D['define']({{{{{ask!r}: {draft.sizes[ask]}, {axis!r}: {n}}}}}, "
            "lambda i, j: 0.0 if j <= i else -inf))"
        )
    val = {a: s for a, s in more.items() if a not in (ask, key)}
    v = draft.new_input({axis: n} | val, "float")
    sizes = union(
        {a: s for a, s in known.sizes.items() if a not in (axis, key)}, {ask: draft.sizes[ask]}, val
    )
    return draft.step(
        name,
        f"{{2}} @ {axis!r} @ nt.softmax[{axis!r}]({scores})",
        f"D['dot']({{2}}, D['softmax']({theirs}, [{axis!r}]), axes=[{axis!r}])",
        [x, q, v],
        Known(
            sizes,
            "float",
            2.0,
            None,
            8 * n * (known.sizes[key] * known.error + m * (known.sizes[key] + 4) + n + 1),
        ),
        [axis, key, ask],
    )


#: How the factors of a matrix are multiplied.
PRODUCTS = {
    "eigh": "lambda w, V: nt.sum[{k!r}](V * w * V[A({row!r}) >> A({col!r})])",
    "svd": "lambda U, S, V: nt.sum[{k!r}](U * S * V)",
    "qr": "lambda Q, R: nt.dot[{k!r}](Q, R)",
}


#: A long short-term memory as its formula: the gates stand along an axis.
CELL = """nt.scan[{axis!r}](
        lambda s, x: (lambda G: (lambda c: (nt.sigmoid(G[A({k!r})(3)]) * nt.tanh(c), c))(
            nt.sigmoid(G[A({k!r})(1)]) * s[1] + nt.tanh(G[A({k!r})(2)]) * nt.sigmoid(G[A({k!r})(0)])
        ))({{1}} @ {emb!r} @ x + ({{2}} @ {hid!r} @ s[0])[A({other!r}) >> A({hid!r})] + {{3}}),
        ({start}, {start}), {{0}})[0]"""
CELL_BY_DEFINITION = """D['stack'](*[h for h, _ in recurrence(
        lambda s, x: (lambda G: (lambda c: (
            D['mul'](D['sigmoid'](D['at'](G, {k!r}, 3)), D['tanh'](c)), c))(
            D['add'](D['mul'](D['sigmoid'](D['at'](G, {k!r}, 1)), s[1]),
                D['mul'](D['tanh'](D['at'](G, {k!r}, 2)), D['sigmoid'](D['at'](G, {k!r}, 0))))
        ))(D['add'](D['add'](D['dot']({{1}}, x, axes=[{emb!r}]),
            D['rename'](D['dot']({{2}}, s[0], axes=[{hid!r}]), {{{{{other!r}: {hid!r}}}}})), {{3}})),
        ({start}, {start}), ({{0}},), {axis!r})], axis={axis!r})"""


@operation("cell")
def cell(draft: Draft, name: str) -> int:
    x = draft.operand("float", lambda known: has_axes(known) and known.most <= 4)
    known = draft.values[x]
    axis, emb = some_of(draft, known, 2, 2, 1)
    if draft.sizes.get(emb) != known.sizes[emb]:
        raise Impossible
    names = [a for a in NEW_NAMES if a not in known.sizes and a not in draft.sizes]
    if len(names) < 3:
        raise Impossible
    hid, other, k = draft.choices.some(names, 3, 3)
    size = 1 + draft.choices.below(2)
    draft.sizes |= {hid: size, other: size, k: 4}
    W = draft.new_input({k: 4, emb: known.sizes[emb], hid: size}, "float", low=-1, high=1)
    U = draft.new_input({k: 4, hid: size, other: size}, "float", low=-1, high=1)
    b = draft.new_input({k: 4, hid: size}, "float", low=-1, high=1)
    h = draft.new_input({hid: size}, "float", low=-1, high=1)
    words = {"axis": axis, "emb": emb, "hid": hid, "other": other, "k": k}
    start, theirs = started("{4}", [axis, emb], [k, emb], [k, other], [k])
    sizes = {a: n for a, n in known.sizes.items() if a != emb} | {hid: size}
    # each step can double what rounding did before it
    error = 4.0 ** known.sizes[axis] * 8 * (known.sizes[emb] + 4) * (known.error + known.most + 4)
    return draft.step(
        name,
        CELL.format(**words, start=start),
        CELL_BY_DEFINITION.format(**words, start=theirs),
        [x, W, U, b, h],
        Known(sizes, "float", 1.0, None, error),
        words.values(),
    )


def plus(draft: Draft, x: int, y: int, name: str) -> int:
    a, b = draft.values[x], draft.values[y]
    m = a.most + b.most
    known = Known(union(a.sizes, b.sizes), "float", m, None, a.error + b.error + m)
    return draft.step(name, "{0} + {1}", "D['add']({0}, {1})", [x, y], known)


def times(draft: Draft, x: int, y: int) -> int:
    a, b = draft.values[x], draft.values[y]
    m = a.most * b.most
    known = Known(
        union(a.sizes, b.sizes), "float", m, None, a.most * b.error + b.most * a.error + m
    )
    return draft.step("mul", "{0} * {1}", "D['mul']({0}, {1})", [x, y], known)


def chained(draft: Draft, x: int, y: int, axis: str) -> int:
    """Contract once more: A @ ax @ B @ bx @ C."""
    a, b = draft.values[x], draft.values[y]
    sizes = {c: n for c, n in union(a.sizes, b.sizes).items() if c != axis}
    n = max(a.sizes[axis], 1)
    m = n * a.most * b.most
    return draft.step(
        "chain",
        f"{{0}} @ {axis!r} @ {{1}}",
        f"D['dot']({{0}}, {{1}}, axes=[{axis!r}])",
        [x, y],
        Known(sizes, "float", m, None, n * b.most * a.error + (n + 2) * m),
        [axis],
    )
