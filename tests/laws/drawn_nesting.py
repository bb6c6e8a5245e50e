"""Programs whose constructs stand inside of each other, drawn at random.

Loops in the steps of loops, formulas that hold loops and are called in steps, stacks whose layers have
loops, positional functions, index-defined numbers and conditions: a number gives a text of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from tests.laws import by_hand, programs
from tests.laws.draft import Choices, Impossible, Input, Known, Program, known_input

#: Axes, whose sizes are drawn; a primed one has the size of the one without; `k` and `m` have their own.
AXES = ("a", "b", "seq")
FIXED = {"k": 2, "m": 3}
SIZES = (2, 3, 2, 3, 1, 2, 3, 4, 0)
#: Names of carries and elements, so few that an inner one often hides an outer one.
PARAMETERS = ("h", "c", "x", "y", "s")
#: No tensor of a program holds more numbers.
MOST = 64


@dataclass(frozen=True)
class Value:
    """What a text stands for. Axes in `soft` are there once a carry has all the axes that it gets."""

    text: str
    sizes: dict[str, int]
    kind: str
    soft: frozenset[str] = frozenset()

    @property
    def hard(self) -> dict[str, int]:
        return {a: n for a, n in self.sizes.items() if a not in self.soft}

    @property
    def base(self) -> str:
        return self.text.partition("[")[0]


@dataclass
class Made:
    """A formula that programs call: its parameters' axes, and its result's."""

    name: str
    before: list[Value]
    after: list[Value]
    result: Value
    named: set[str]
    layers: Made | None = None


@dataclass
class Scope:
    """What can be seen at one place of a text, and how deep it may still go."""

    values: list[Value]
    deeper: int
    indent: str
    running: frozenset[str] = frozenset()  # axes that loops around run along


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.choices = Choices(seed)
        self.sizes = {a: self.choices.of(SIZES) for a in AXES}
        self.lines: list[str] = []
        self.count = 0
        self.named: set[str] = set()
        self.formulas: list[Made] = []
        self.calls: set[str] = set()
        self.lifts: list[tuple[str, str, int, bool]] = []
        self.kinds = self.choices.of((("float",), ("float", "float", "int", "bool")))

    # ------------------------------------------------------------------------------------- pieces

    def name(self, stem: str = "t") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def axis(self, name: str) -> str:
        self.named.add(name)
        return repr(name)

    def size_of(self, name: str) -> int:
        return FIXED[name] if name in FIXED else self.sizes[name.rstrip("'")]

    def bound(self, scope: Scope, text: str, sizes: Any, kind: str, soft: Any = ()) -> Value:
        """Write a step of a body."""
        known = Value(self.name(), dict(sizes), kind, frozenset(soft) & frozenset(sizes))
        if records(known.sizes) > MOST:
            raise Impossible
        self.lines.append(f"{scope.indent}{known.text} = {text}")
        scope.values.append(known)
        return known

    def value(self, scope: Scope, test: Callable[[Value], Any] = bool) -> Value:
        """Choose what can be seen, the newer the likelier."""
        found = [v for v in scope.values if test(v)]
        if not found:
            raise Impossible
        newest = self.choices.below(3) < 2
        return (
            found[-1 - self.choices.below(min(2, len(found)))] if newest else self.choices.of(found)
        )

    def float(self, scope: Scope, test: Callable[[Value], Any] = bool) -> Value:
        return self.value(scope, lambda v: v.kind == "float" and test(v))

    def some_axes(
        self, scope: Scope, least: int = 0, most: int = 2, but: Any = ()
    ) -> dict[str, int]:
        """Choose axes that something in sight has."""
        axes = {a: n for v in scope.values for a, n in v.hard.items() if a not in but}
        found: dict[str, int] = {}
        for a in self.choices.some(axes, least, most):
            if records(found) * axes[a] <= MOST:
                found[a] = axes[a]
        return found

    def fit(self, scope: Scope, v: Value, axes: dict[str, int], kind: str) -> str:
        """Write a value over just these axes, of this kind."""
        choices = self.choices
        text, extra = v.text, [a for a in v.sizes if a not in axes]
        if any(a in v.soft for a in extra) or any(
            v.sizes[a] != axes[a] for a in v.sizes if a in axes
        ):
            raise Impossible
        have = v.kind
        if extra:
            over = ", ".join(map(self.axis, extra))
            if have == "bool":
                text = f"nt.any[{over}]({text})"
            else:
                word = (
                    choices.of(("sum", "mean", "max")) if all(v.sizes[a] for a in extra) else "sum"
                )
                have = "float" if word == "mean" else have
                text = f"nt.{word}[{over}]({text})"
        missing = [a for a in axes if a not in v.hard]
        if kind == "float":
            if have == "bool":
                text = f"nt.where({text}, {choices.of((1.0, 0.5, 2))}, {choices.of((-0.5, 0.0))})"
            elif have == "int":
                text = f"0.25 * {text}"
        elif kind == "int":
            if have == "float":
                text = f"nt.cast({text} > 0.1, int)"
            elif have == "bool":
                text = f"nt.cast({text}, int)"
        elif have != "bool":
            text = f"({text} > {0.1 if have == 'float' else 1})"
        for a in missing:
            text = self.with_axis(scope, text, a, axes[a], kind)
        return text

    def with_axis(self, scope: Scope, text: str, axis: str, size: int, kind: str) -> str:
        """Write a text that has a further axis."""
        found = [
            v for v in scope.values if v.hard.get(axis) == size and v.kind == "float" and not v.soft
        ]
        if not found:
            raise Impossible
        other = self.choices.of(found)
        rest = [a for a in other.sizes if a != axis]
        vector = (
            other.text if not rest else f"nt.sum[{', '.join(map(self.axis, rest))}]({other.text})"
        )
        if kind == "float":
            return f"({text} + 0.5 * {vector})"
        if kind == "int":
            return f"({text} + nt.cast({vector} > 0.1, int))"
        return f"({text} ^ ({vector} > 0.2))"

    def tame(self, text: str, kind: str) -> str:
        """Keep numbers small over many steps."""
        if kind != "float" or self.choices.one_in(3):
            return text
        return self.choices.of(("nt.tanh({})", "0.5 * ({})", "nt.sigmoid({})")).format(text)

    # ------------------------------------------------------------------------------------- bodies

    def body(self, scope: Scope, statements: int) -> None:
        """Write some steps."""
        for _ in range(statements):
            for _ in range(6):
                state = len(self.lines), len(scope.values)
                draw = self.choices.of(DEEP if scope.deeper else PLAIN)
                try:
                    draw(self, scope)
                    break
                except Impossible:
                    del self.lines[state[0] :], scope.values[state[1] :]

    def result(self, scope: Scope, axes: dict[str, int], kind: str) -> str:
        """Write what a body gives, over these axes."""
        for _ in range(6):
            try:
                return self.fit(scope, self.value(scope), axes, kind)
            except Impossible:
                continue
        raise Impossible

    @contextmanager
    def inside(
        self, scope: Scope, head: str, given: Sequence[Value], axis: str = ""
    ) -> Iterator[Scope]:
        """Write a function inside of a body; its parameters hide what has their names."""
        self.lines.append(f"{scope.indent}{head}")
        hidden = {*head.partition("(")[2].rstrip("):").split(", ")}
        values = [v for v in scope.values if v.base not in hidden]
        running = scope.running | ({axis} if axis else set())
        yield Scope([*values, *given], scope.deeper - 1, scope.indent + "    ", running)


def records(sizes: dict[str, int]) -> int:
    count = 1
    for n in sizes.values():
        count *= n
    return count


def agree(*values: Value) -> dict[str, int]:
    """Join axes that have one size each."""
    found: dict[str, int] = {}
    for v in values:
        for a, n in v.sizes.items():
            if found.setdefault(a, n) != n:
                raise Impossible
    return found


def softened(*values: Value) -> frozenset[str]:
    """Name the axes that only soft ones give to what is made of all values."""
    return frozenset().union(*[v.soft for v in values]) - {a for v in values for a in v.hard}


# ------------------------------------------------------------------------------------ plain steps


def pointwise(w: Writer, scope: Scope) -> None:
    x = w.float(scope)
    form = w.choices.of(
        ("nt.tanh({})", "0.5 * {} + 0.25", "nt.sigmoid({} - 0.5)", "-{}", "1.5 - {}")
    )
    w.bound(scope, form.format(x.text), x.sizes, "float", x.soft)


def two(w: Writer, scope: Scope) -> None:
    x = w.value(scope)
    y = w.value(scope, lambda v: v.kind == x.kind)
    forms = {
        "float": ("{} * {}", "{} + 0.5 * {}", "{} - {}", "nt.maximum({}, {})"),
        "int": ("{} + {}", "{} - {}", "nt.maximum({}, {})"),
        "bool": ("{} & {}", "{} | ~{}", "{} ^ {}"),
    }[x.kind]
    text = w.choices.of(forms).format(x.text, y.text)
    w.bound(scope, text, agree(x, y), x.kind, softened(x, y))


def chosen(w: Writer, scope: Scope) -> None:
    x, y = w.float(scope), w.float(scope)
    c = w.value(scope)
    test = {"bool": "{}", "float": "{} > 0.1", "int": "{} > 1"}[c.kind].format(c.text)
    other = w.choices.of((y.text, "0.0", "-1"))
    parts = (c, x, y) if other == y.text else (c, x)
    w.bound(scope, f"nt.where({test}, {x.text}, {other})", agree(*parts), "float", softened(*parts))


def compared(w: Writer, scope: Scope) -> None:
    x, y = w.float(scope), w.float(scope)
    w.bound(scope, f"{x.text} > {y.text}", agree(x, y), "bool", softened(x, y))


def reduced(w: Writer, scope: Scope) -> None:
    x = w.float(scope, lambda v: v.hard)
    axes = w.choices.some(x.hard, 1, 2)
    word = w.choices.of(("sum", "mean", "max")) if all(x.sizes[a] for a in axes) else "sum"
    over = ", ".join(map(w.axis, axes))
    rest = {a: n for a, n in x.sizes.items() if a not in axes}
    w.bound(scope, f"nt.{word}[{over}]({x.text})", rest, "float", x.soft)


def kept(w: Writer, scope: Scope) -> None:
    x = w.float(scope, lambda v: v.hard)
    (a,) = w.choices.some(x.hard, 1, 1)
    form = w.choices.of(("nt.softmax[{}]({})", "nt.cumsum[{}]({})", "nt.roll[{}]({}, 1)"))
    w.bound(scope, form.format(w.axis(a), x.text), x.sizes, "float", x.soft)


def contracted(w: Writer, scope: Scope) -> None:
    x = w.float(scope, lambda v: v.hard)
    (a,) = w.choices.some(x.hard, 1, 1)
    y = w.float(scope, lambda v: v.hard.get(a) == x.sizes[a])
    rest = {b: n for b, n in agree(x, y).items() if b != a}
    w.bound(scope, f"{x.text} @ {w.axis(a)} @ {y.text}", rest, "float", softened(x, y))


def by_size(w: Writer, scope: Scope) -> None:
    x = w.float(scope)
    y = w.value(scope, lambda v: v.hard)
    (a,) = w.choices.some(y.hard, 1, 1)
    form = w.choices.of(("{} - 0.5 * {}.size({})", "{} / (1 + {}.size({}))", "{} + {}.size({})"))
    form = form.replace("/", "*") if "/" in form else form
    w.bound(scope, form.format(x.text, y.text, w.axis(a)), x.sizes, "float", x.soft)


def counted(w: Writer, scope: Scope) -> None:
    """Numbers that their indices define, of a size that is known or open."""
    x = w.float(scope, lambda v: v.hard)
    (a,) = w.choices.some(x.hard, 1, 1)
    how = w.choices.below(5)
    if how == 0:
        text, sizes = f"{x.text} + 0.25 * nt.iota({w.axis(a)})", x.sizes
    elif how == 1:
        text, sizes = f"{x.text} * nt.iota(A({w.axis(a)})[{x.text}.size({w.axis(a)})])", x.sizes
    elif how == 2 and len(x.hard) > 1:
        row, col = w.choices.some(x.hard, 2, 2)
        rule = w.choices.of(("nt.where(j <= i, 1.0, 0.0)", "0.5 * i - j", "2 * i - j"))
        form = f"nt.define[{w.axis(row)}, {w.axis(col)}](lambda i, j: {rule})"
        text, sizes = f"{x.text} * {form}", x.sizes
    elif how == 3:
        text = f"nt.where(nt.define[{w.axis(a)}](lambda i: i > 0), {x.text}, 0.5)"
        sizes = x.sizes
    else:
        b = w.choices.of(("k", "m"))
        other = f"0.5 * nt.iota(A({w.axis(b)})[{FIXED[b]}])"
        text, sizes = f"{x.text} + {other}", {**x.sizes, b: FIXED[b]}
    w.bound(scope, text, sizes, "float", x.soft - {a for a in sizes if a not in x.sizes})


def whole_counted(w: Writer, scope: Scope) -> None:
    """Whole numbers along an axis."""
    x = w.value(scope, lambda v: v.hard)
    (a,) = w.choices.some(x.hard, 1, 1)
    text = f"nt.iota(A({w.axis(a)})[{x.text}.size({w.axis(a)})])"
    w.bound(scope, text, {a: x.sizes[a]}, "int")


def renamed(w: Writer, scope: Scope) -> None:
    x = w.value(scope, lambda v: any(a in AXES and a + "'" not in v.sizes for a in v.hard))
    a = w.choices.of([a for a in x.hard if a in AXES and a + "'" not in x.sizes])
    new = a + "'"
    sizes = {new if b == a else b: n for b, n in x.sizes.items()}
    text = f"{x.text}[A({w.axis(a)}) >> A({w.axis(new)})]"
    w.bound(scope, text, sizes, x.kind, x.soft)


def indexed(w: Writer, scope: Scope) -> None:
    x = w.value(scope, lambda v: any(v.hard.values()))
    a = w.choices.of([a for a, n in x.hard.items() if n])
    rest = {b: n for b, n in x.sizes.items() if b != a}
    whole = [v for v in scope.values if v.kind == "int" and a not in v.sizes]
    if whole and not w.choices.one_in(3):
        i = w.choices.of(whole)
        met = agree(Value("", rest, ""), i)
        soft = softened(Value("", rest, "", x.soft), i)
        index = (
            f"nt.maximum(0, 0 - nt.maximum(1 - {x.sizes[a]}, 0 - {i.text}))"
            if w.choices.one_in(2)
            else i.text
        )
        w.bound(scope, f"{x.text}[A({w.axis(a)})({index})]", met, x.kind, soft)
        return
    w.bound(scope, f"{x.text}[A({w.axis(a)})({w.choices.below(x.sizes[a])})]", rest, x.kind, x.soft)


def updated(w: Writer, scope: Scope) -> None:
    x = w.float(scope, lambda v: any(v.hard.values()))
    a = w.choices.of([a for a, n in x.hard.items() if n])
    whole = [v.text for v in scope.values if v.kind == "int" and not v.sizes]
    place = w.choices.of([*whole, "0"])
    y = w.float(scope, lambda v: a not in v.sizes)
    word = w.choices.of(("set", "add"))
    text = f"{x.text}.at[A({w.axis(a)})({place})].{word}({y.text})"
    w.bound(scope, text, agree(x, y), "float", softened(x, y))


def stacked(w: Writer, scope: Scope) -> None:
    x = w.float(scope, lambda v: "k" not in v.sizes)
    y = w.float(scope, lambda v: "k" not in v.sizes)
    text = f"nt.stack[{w.axis('k')}]({x.text}, {y.text})"
    w.bound(scope, text, {"k": 2, **agree(x, y)}, "float", softened(x, y))


def lifted(w: Writer, scope: Scope) -> None:
    """A positional function, written at the top or where it is called."""
    a = w.choices.of(AXES)
    how = w.choices.below(3)
    x = w.float(scope, lambda v: a in v.hard)
    given, rest = [x], {b: n for b, n in x.sizes.items() if b != a}
    if how == 0:
        function, pattern, sizes = "lambda u: 0.5 * u + u.sum()", f"{a} -> {a}", x.sizes
    elif how == 1:
        function, pattern, sizes = "lambda u: (u * u).sum()", f"{a} ->", rest
    else:
        y = w.float(scope, lambda v: a in v.hard)
        given = [x, y]
        rest = {b: n for b, n in agree(x, y).items() if b != a}
        function, pattern, sizes = "lambda u, v: (u * v).sum()", f"{a}, {a} ->", rest
    w.named.add(a)
    text = f"nt.lift({function}, {pattern!r})"
    if w.choices.one_in(2):
        name = f"lifted{len(w.lifts)}"
        w.lifts.append((name, text, how, True))
        text = name
    call = ", ".join([v.text for v in given])
    w.bound(scope, f"{text}({call})", sizes, "float", softened(*given))


# ------------------------------------------------------------------------------------------ loops


def counter(w: Writer, scope: Scope, axis: str, size: int) -> Value:
    """Count along an axis: a sequence that its indices define."""
    having = [v for v in scope.values if axis in v.hard]
    n = f"{w.choices.of(having).text}.size({w.axis(axis)})" if having else str(size)
    return Value(f"nt.iota(A({w.axis(axis)})[{n}])", {axis: size}, "int")


def loop(w: Writer, scope: Scope) -> None:
    choices = w.choices
    x = w.value(scope, lambda v: v.hard)
    (axis,) = choices.some(x.hard, 1, 1)
    size = x.sizes[axis]
    sequences = [x]
    if choices.one_in(3):
        sequences.append(w.value(scope, lambda v: v.hard.get(axis) == size))
    if choices.one_in(4):
        count = counter(w, scope, axis, size)
        sequences = [count] if choices.one_in(3) else [*sequences, count]
    word = choices.of(("scan", "scan", "fold"))
    emits = word == "scan" and choices.one_in(3)
    carries = choices.of((1, 1, 1, 2, 2, 3)) if not (emits and choices.one_in(4)) else 0
    finals, starts, seen = [], [], []
    single = carries == 1 and not choices.one_in(5)
    names = choices.some(PARAMETERS, 1 + len(sequences), 1 + len(sequences))
    for i in range(carries):
        kind = choices.of(w.kinds)
        final = w.some_axes(scope, but={axis})
        given = {a: final[a] for a in choices.some(final)}
        if not given and choices.one_in(2):
            numbers = {
                "float": ("0.0", "0", "1.0", "-1", "0.5"),
                "int": ("0", "1"),
                "bool": ("False", "True"),
            }
            start = choices.of(numbers[kind])
        else:
            start = w.result(scope, given, kind)
        text = names[0] if single else f"{names[0]}[{i}]"
        starts.append(start)
        finals.append((final, kind))
        seen.append(Value(text, final, kind, frozenset(final) - frozenset(given)))
    elements = [
        Value(name, {a: n for a, n in v.sizes.items() if a != axis}, v.kind, v.soft)
        for name, v in zip(names[1:], sequences, strict=True)
    ]
    parameters = ", ".join(names)
    step = w.name("step")
    with w.inside(scope, f"def {step}({parameters}):", [*seen, *elements], axis) as inner:
        w.body(inner, choices.below(3))
        given = [w.tame(w.result(inner, *final), final[1]) for final in finals]
        w.lines.append(f"{inner.indent}return {structure(given, single)}")
    emit, outs = "", []
    if emits:
        emit = w.name("emit")
        after = [Value(v.text, v.sizes, v.kind, v.soft) for v in seen]
        with w.inside(scope, f"def {emit}({parameters}):", [*after, *elements], axis) as inner:
            w.body(inner, choices.below(2))
            alone = choices.one_in(2)
            outs = [
                (w.some_axes(scope, but={axis}), choices.of(w.kinds))
                for _ in range(1 if alone else 1 + choices.below(2))
            ]
            given = [w.result(inner, *out) for out in outs]
            w.lines.append(f"{inner.indent}return {structure(given, alone)}")
    start = structure(starts, single)
    settings = (", reverse=True" if choices.one_in(3) else "") + (f", emit={emit}" if emits else "")
    told = ", ".join([v.text for v in sequences])
    call = f"nt.{word}[{w.axis(axis)}]({step}, {start}, {told}{settings})"
    longer = {} if emits or word == "fold" else {axis: size}
    results = [Value("", {**longer, **final}, kind) for final, kind in finals]
    if emits:
        first = unpacked(w, results, single)
        second = unpacked(w, [Value("", {axis: size, **o}, k) for o, k in outs], alone)
        w.lines.append(f"{scope.indent}{first[0]}, {second[0]} = {call}")
        scope.values += [*first[1], *second[1]]
    else:
        pattern, values = unpacked(w, results, single)
        w.lines.append(f"{scope.indent}{pattern} = {call}")
        scope.values += values
    if any(records(v.sizes) > MOST for v in scope.values[-4:]):
        raise Impossible


def structure(texts: Sequence[str], single: bool) -> str:
    """Write one thing, several, or nothing."""
    if not texts:
        return "None"
    return texts[0] if single else f"({', '.join(texts)},)"


def unpacked(w: Writer, values: Sequence[Value], single: bool) -> tuple[str, list[Value]]:
    """Name results of a loop."""
    if not values:
        return w.name("nothing"), []
    named = [Value(w.name(), v.sizes, v.kind) for v in values]
    listed = ", ".join([v.text for v in named])
    return (listed if single else f"({listed},)"), named


def associative(w: Writer, scope: Scope) -> None:
    """Combinations that are associative, some with loops and calls inside."""
    choices = w.choices
    x = w.float(scope, lambda v: v.hard)
    (axis,) = choices.some(x.hard, 1, 1)
    rest = {a: n for a, n in x.sizes.items() if a != axis}
    reverse = choices.of(("", ", reverse=True"))
    how = choices.below(5)
    head = f"nt.associative_scan[{w.axis(axis)}]"
    inner = [a for a in rest if a + "'" in rest and a not in x.soft and a + "'" not in x.soft]
    if how == 0:
        rule = choices.of(("nt.maximum(p, q)", "p + q", "nt.where(p > q, p, q)"))
        w.bound(scope, f"{head}(lambda p, q: {rule}, {x.text}{reverse})", x.sizes, "float", x.soft)
    elif how == 1:  # something from outside is added each time
        c = w.float(scope, lambda v: axis not in v.sizes)
        text = f"{head}(lambda p, q: p + q + {c.text}, {x.text}{reverse})"
        w.bound(scope, text, agree(x, c), "float", softened(x, c))
    elif how == 2:
        y = w.float(scope, lambda v: v.hard.get(axis) == x.sizes[axis])
        rule = "(p[0] * q[0], p[1] * q[0] + q[1])"
        text = f"{head}(lambda p, q: {rule}, (0.5 * {x.text}, {y.text}){reverse})"
        place = choices.below(2)
        sizes, soft = (x.sizes, x.soft) if place == 0 else (agree(x, y), softened(x, y))
        w.bound(scope, f"{text}[{place}]", sizes, "float", soft)
    elif how == 3:  # sums that a loop inside finds
        c = w.float(scope, lambda v: v.hard and axis not in v.sizes and not v.soft)
        (b,) = choices.some(c.hard, 1, 1)
        if b in x.sizes:
            raise Impossible
        step = f"nt.fold[{w.axis(b)}](lambda h, y: h + y, p + q, {c.text})"
        left = {a: n for a, n in c.sizes.items() if a != b}
        met = agree(x, Value("", left, ""))
        w.bound(
            scope,
            f"{head}(lambda p, q: {step}, {x.text}{reverse})",
            met,
            "float",
            softened(x, Value("", left, "")),
        )
    elif inner:  # products of matrices, by a loop
        row = inner[0]
        col = row + "'"
        step = (
            f"nt.fold['m'](lambda h, u, v: h + u * v, 0.0, p[A({w.axis(col)}) >> A('m')], "
            f"q[A({w.axis(row)}) >> A('m')])"
        )
        w.named.add("m")
        if "m" in x.sizes:
            raise Impossible
        w.bound(
            scope, f"{head}(lambda p, q: {step}, 0.5 * {x.text}{reverse})", x.sizes, "float", x.soft
        )
    else:
        raise Impossible


# ------------------------------------------------------------------------------- formulas, stacks


def called(w: Writer, scope: Scope) -> None:
    """Call a formula that is made before; whatever axes it does not declare pass through."""
    stacks = [f for f in w.formulas if f.layers]
    found = stacks if stacks and w.choices.one_in(2) else w.formulas
    if not found:
        raise Impossible
    f = w.choices.of(found)
    sizes: dict[str, int] = {}
    given = [argument(w, scope, f, p, sizes) for p in f.before]
    after = []
    named = f.after
    if f.layers is not None:
        layer = f.layers
        many = w.choices.of((2, 1, 2, 0))
        bundles = []
        for _ in range(many):
            own = [argument(w, scope, f, p, sizes) for p in layer.after]
            pairs = ", ".join([f"{p.text}={v.text}" for p, v in zip(layer.after, own, strict=True)])
            bundles.append(f"bound({layer.name}, {pairs})")
            given += own
        after.append(f"layers=[{', '.join(bundles)}]")
        named = []
    for p in named:
        v = argument(w, scope, f, p, sizes)
        after.append(f"{p.text}={v.text}")
        given.append(v)
    first = [v.text for v in given[: len(f.before)]]
    met = agree(*given)
    declared = {
        a for p in (*f.before, *f.after, *(f.layers.after if f.layers else ())) for a in p.sizes
    }
    result = {a: n for a, n in met.items() if a not in declared}
    for a, n in f.result.sizes.items():
        result[a] = sizes.get(a.rstrip("'"), n) if a not in FIXED else n
    if any(a in f.named for a in met if a not in declared):
        raise Impossible
    soft = softened(*given) - set(f.result.sizes)
    w.named |= f.named
    known = w.bound(scope, f"{f.name}({', '.join([*first, *after])})", result, f.result.kind, soft)
    w.calls.add(known.text)


def argument(w: Writer, scope: Scope, f: Made, p: Value, sizes: dict[str, int]) -> Value:
    """Choose an argument that has a parameter's axes, each with one size in a call."""

    def fits(v: Value) -> bool:
        return (
            v.kind == p.kind
            and all(a in v.hard and sizes.get(a, v.sizes[a]) == v.sizes[a] for a in p.sizes)
            and not any(a in f.named for a in v.sizes if a not in p.sizes)
        )

    v = w.value(scope, fits)
    sizes.update({a: v.sizes[a] for a in p.sizes})
    return v


PLAIN: list[Any] = [
    pointwise, two, two, chosen, compared, reduced, kept, contracted, by_size, counted, counted,
    whole_counted, renamed, indexed, indexed, updated, stacked, lifted, called, called,
]  # fmt: skip
DEEP: list[Any] = [*PLAIN, *[loop] * 16, *[associative] * 4, *[called] * 16]


def formula(w: Writer) -> None:
    """Write a formula; half of them give what has the axes of their first argument, as layers do."""
    choices = w.choices
    own, w.named = w.named, set()
    name = f"f{len(w.formulas) + 1}"
    before, after = [], []
    for i in range(1 + choices.below(2)):
        sizes = {a: w.sizes[a] for a in choices.some(AXES, 1 if i == 0 else 0, 2)}
        before.append(Value(f"X{i}", sizes, "float"))
    for i in range(choices.of((0, 1, 2, 1))):
        sizes = {a: w.sizes[a] for a in choices.some(AXES, 0, 2)}
        after.append(Value(f"W{i}", sizes, "float"))
    scope = Scope([*before, *after], 2, "    ")
    w.lines += ["@made", ""]
    head = len(w.lines) - 1
    w.body(scope, 1 + choices.below(3))
    endo = choices.one_in(2)
    axes = before[0].sizes if endo else w.some_axes(scope)
    result = Value("", dict(axes), "float")
    w.lines.append(f"    return {w.tame(w.result(scope, result.sizes, 'float'), 'float')}")
    w.lines += ["", ""]
    star = ["*"] if after else []
    texts = [f"{v.text}: R{bracket(v.sizes)}" for v in before]
    texts += [*star, *[f"{v.text}: R{bracket(v.sizes)}" for v in after]]
    w.lines[head] = f"def {name}({', '.join(texts)}) -> R{bracket(axes)}:"
    declared = {a for v in (*before, *after) for a in v.sizes}
    w.formulas.append(Made(name, before, after, result, w.named | declared))
    w.named |= own


def deep(w: Writer) -> None:
    """Write a stack: its layer may hold loops, and a loop may run it."""
    choices = w.choices
    layers = [
        f
        for f in w.formulas
        if f.after and len(f.before) == 1 and f.before[0].sizes == f.result.sizes and not f.layers
    ]
    if not layers:
        return
    layer = choices.of(layers)
    name = f"f{len(w.formulas) + 1}"
    X = layer.before[0]
    how = choices.below(3)
    sizes = dict(X.sizes)
    free = [a for a in AXES if a not in layer.named]
    if how == 0 or not free:
        lines = ["for layer in layers:", "    X = layer(X)", "return X"]
        result = dict(sizes)
    else:
        axis = free[0]
        sizes[axis] = w.sizes[axis]
        lines = [
            "def run(h, x):",
            "    h = 0.5 * h + x",
            "    for layer in layers:",
            "        h = layer(h)",
            "    return h",
            "",
            f"return nt.{'fold' if how == 1 else 'scan'}[{axis!r}](run, 0.0, X)",
        ]
        result = dict(X.sizes) if how == 1 else dict(sizes)
    w.lines += [
        "@made",
        f"def {name}(X: R{bracket(sizes)}, *, layers: each({layer.name})) -> R{bracket(result)}:",
        *[f"    {line}" if line else "" for line in lines],
        "",
        "",
    ]
    declared = set(sizes)
    w.formulas.append(
        Made(
            name,
            [Value("X", sizes, "float")],
            [],
            Value("", result, "float"),
            layer.named | declared,
            layer,
        )
    )


def bracket(sizes: Any) -> str:
    names = ", ".join([repr(a) for a in sizes])
    return f"[{names}]" if names else ""


# ----------------------------------------------------------------------------------- whole programs

#: How far rounding may move what so many steps made, in epsilons.
ERROR = 1e5
HIDDEN = "batch"


@dataclass(frozen=True)
class Nested(Program):
    """A program that is a text; `outs` is what is known of its results."""

    outs: tuple[Known, ...] = ()
    names: frozenset[str] = frozenset()
    single: bool = False  # whether torch may make single numbers of whole ones

    def known(self, value: int) -> Known:
        n = len(self.inputs)
        return known_input(self.inputs[value]) if value < n else self.outs[value - n]

    @property
    def named(self) -> frozenset[str]:
        return self.names


def draw(seed: int) -> Nested:
    """Draw a text, and the tensors that it is given."""
    w = Writer(seed)
    choices = w.choices
    for _ in range(choices.of((0, 1, 2, 3))):
        state = list(w.lines), list(w.formulas), set(w.named)
        try:
            formula(w)
        except Impossible:
            w.lines, w.formulas, w.named = state
    deep(w)
    dtype = choices.of(("float64", "float64", "float64", "float32"))
    inputs, values = [], []
    many = 2 + choices.below(3)
    for i in range(many):
        kind = "float" if i < 2 else choices.of(w.kinds)
        own = choices.some(w.sizes, 1 if i == 0 else 0, 3)
        if kind == "int":
            data, low, high = "int64", 0, 2
        else:
            data, low, high = (dtype if kind == "float" else "bool"), -1, 1
        after = i > 0 and choices.one_in(4)
        storage = choices.of(("plain", "plain", "turned", "strided", "reversed"))
        sizes = {a: w.sizes[a] for a in own}
        inputs.append(
            Input(tuple(own), sizes, data, low, high, choices.below(4096), storage, after)
        )
    inputs.sort(key=lambda X: X.after)
    values = [Value(f"{'W' if X.after else 'X'}{i}", X.sizes, X.kind) for i, X in enumerate(inputs)]
    w.lines += ["@made", ""]
    head = len(w.lines) - 1
    scope = Scope(list(values), 3, "    ")
    if w.formulas and choices.one_in(2):
        with suppress(Impossible):
            called(w, scope)
    w.body(scope, 1 + choices.below(3))
    loop(w, scope)
    w.body(scope, choices.below(2))
    made = scope.values[many:]
    results = [made[-1], *choices.some(made[:-1], 0, 2)]
    calls = [v for v in made[:-1] if v not in results and v.text in w.calls]
    results += calls[-1:] if choices.one_in(2) else []
    w.lines.append(f"    return {', '.join([v.text for v in results])}")
    letter = {"int": "Z", "bool": "B"}
    texts: list[str] = []
    for v, X in zip(values, inputs, strict=True):
        if X.after and "*" not in texts:
            texts.append("*")
        texts.append(f"{v.text}: {letter.get(v.kind, 'R')}{bracket(v.sizes)}")
    arrows = [f"{letter.get(v.kind, 'R')}{bracket(v.sizes)}" for v in results]
    arrow = arrows[0] if len(arrows) == 1 else f"tuple[{', '.join(arrows)}]"
    w.lines[head] = f"def program({', '.join(texts)}) -> {arrow}:"
    lifts = [f"{name} = {text}" for name, text, *_ in w.lifts]
    tree = ast.parse("\n".join([*lifts, *w.lines]))
    pruned(tree)
    source = ast.unparse(tree) + "\n"
    known = [Known(v.sizes, v.kind, 100.0, None, ERROR) for v in results]
    single = len(w.kinds) > 1 or "nt.iota" in source or "nt.define" in source
    return Nested(
        inputs=tuple(inputs),
        steps=(),
        results=tuple(range(many, many + len(results))),
        dtype=dtype,
        hidden=frozenset(),
        inner=None,
        faulty=False,
        kinks=True,
        source=source,
        outs=tuple(known),
        names=frozenset(w.named | {a for X in inputs for a in X.axes}),
        single=single,
    )


def program(seed: int) -> Nested:
    """Draw the program of a number: the first of its draws that means something by hand."""
    for attempt in range(40):
        try:
            found = draw(40 * seed + attempt)
            meant = hand(found, programs.arrays(found))
        except (Impossible, by_hand.Nonsense, KeyError):
            continue
        if [(x.sizes, x.kind) for x in meant] != [(k.sizes, k.kind) for k in found.outs]:
            continue
        return hidden(found, seed)
    raise Impossible


def hidden(program: Nested, seed: int) -> Nested:
    """Give some of the inputs an axis that the formula does not declare."""
    choices = Choices(seed + 10**9)
    if choices.one_in(2):
        return program
    size = choices.of((2, 3, 2, 1, 0))
    chosen = choices.some(range(len(program.inputs)), 1)
    inputs = [
        replace(X, axes=(*X.axes, HIDDEN), sizes={**X.sizes, HIDDEN: size}) if i in chosen else X
        for i, X in enumerate(program.inputs)
    ]
    wide = replace(program, inputs=tuple(inputs), hidden=frozenset({HIDDEN}))
    try:
        found = hand(wide, programs.arrays(wide))
    except by_hand.Nonsense:  # a carry may not lose it where plain Python runs
        return program
    return replace(
        wide,
        outs=tuple([replace(k, sizes=x.sizes) for k, x in zip(program.outs, found, strict=True)]),
    )


def pruned(tree: ast.AST) -> None:
    """Leave out what nobody reads: steps, functions, formulas."""
    found = True
    while found:
        found = False
        read = {
            n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            for line in list(body) if isinstance(body, list) else ():
                if isinstance(line, ast.FunctionDef):
                    given = {line.name, "program"} if line.name == "program" else {line.name}
                elif isinstance(line, ast.Assign):
                    given = {n.id for n in ast.walk(line.targets[0]) if isinstance(n, ast.Name)}
                else:
                    continue
                if not given & (read | {"program"}):
                    body.remove(line)
                    found = True


def hand(program: Nested, arrays: Sequence[Any]) -> list[by_hand.T]:
    """Run a program by hand."""
    words = dict(by_hand.WORDS)
    exec(compile(program.source, "<by hand>", "exec"), words)
    given = [by_hand.T(a, X.axes) for a, X in zip(arrays, program.inputs, strict=True)]
    before = [x for x, X in zip(given, program.inputs, strict=True) if not X.after]
    after = {
        program.name(i): x
        for i, (x, X) in enumerate(zip(given, program.inputs, strict=True))
        if X.after
    }
    found = words["program"](*before, **after)
    return list(map(by_hand.tensor, found if isinstance(found, tuple) else (found,)))
