"""Steps: a formula's written sub-expressions one by one, with axes, sizes and costs, for shapes or data.

The rows come from one trace, whose table of origins (`primitives.origins`) says what was written where and
in which order. What a row costs is the cost of its operations, which their entries tell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from namedtensor.axes import Axis, parse_axes, shown
from namedtensor.backends import backend_of
from namedtensor.doors import door
from namedtensor.errors import (
    AxisNameError,
    KindError,
    NamedTensorError,
    Place,
    kind_of_thing,
)
from namedtensor.formula.arguments import Given
from namedtensor.formula.called import look_at_calls
from namedtensor.formula.formula import Formula
from namedtensor.formula.lifting import Leaf, tensors_of
from namedtensor.formula.rewrite import Fired, rewrite
from namedtensor.formula.shapes import given_values, is_shape, read
from namedtensor.formula.signature import Parameter, R, Signature, Space
from namedtensor.formula.trace import Trace
from namedtensor.operations.recurrence import recurs, rounds_of
from namedtensor.operations.reductions import MAX, MIN, records_of
from namedtensor.operations.training import MODE
from namedtensor.plans import LIBRARY_ERRORS, compile_plan
from namedtensor.plans.compile import guess
from namedtensor.primitives import Acts, Cost, Node, combine
from namedtensor.primitives.node import ARGUMENT, apply_node, only_in, operands_first
from namedtensor.primitives.origins import Origins
from namedtensor.shape import Shape
from namedtensor.tensor import NamedTensor, SymbolicTensor, symbol
from namedtensor.tensor.apply import capturing, type_of

#: Operations, multiply-adds among them, and bytes.
Costs = tuple[int | None, int | None, int | None]

#: Bytes of one number where no tensor tells its dtype.
BYTES = {"bool": 1, "int": 8, "float": 4, "complex": 8}


@dataclass(frozen=True, slots=True)
class Row:
    """One written sub-expression.

    `axes` are the result's and `sizes` pairs of name and size, None where a size is open; `uses` are the
    axes that it uses up or acts along. `flops` counts a multiply-add as two and any other operation on
    numbers as one; `multiply_adds` is how many there are of those, and twice that is what
    torch.utils.flop_counter counts; `bytes` is what is read and written. All are of this operation alone, as
    it is written, and None where a size is open; what is defined by its indices costs nothing. `kernel` is
    the rule that took it, or all that is inside of it, or the loop that it stands in, or empty. `parameters`
    are those that it reads, by name. `range` is the least and the greatest number, where data is given. A
    call of another formula has `rows` of its own, and all that they cost; `times` says how often it is
    repeated, and its costs count them all. `error` is what went wrong here.
    """

    text: str
    place: Place | None
    axes: tuple[str, ...]
    uses: tuple[str, ...]
    sizes: tuple[tuple[str, int | None], ...]
    flops: int | None = 0
    multiply_adds: int | None = 0
    bytes: int | None = 0
    kernel: str = ""
    parameters: tuple[str, ...] = ()
    range: tuple[float, float] | None = None
    rows: tuple[Row, ...] = ()
    times: int = 1
    error: NamedTensorError | None = field(default=None, compare=False)

    @property
    def line(self) -> int:
        """The line of its file, or 0 where nobody knows it."""
        return self.place.line if self.place is not None else 0

    @property
    def file(self) -> str:
        return self.place.file if self.place is not None else ""

    @property
    def shape(self) -> Shape:
        return Shape.of(self.sizes)


@dataclass(frozen=True, slots=True, repr=False)
class Steps:
    """The steps of a formula, a module or a function: `rows`, and what they add up to.

    `error` is what stopped them, which the last row has too.
    """

    name: str
    rows: tuple[Row, ...]
    error: NamedTensorError | None = None

    @property
    def flops(self) -> int | None:
        return _sum([row.flops for row in self.rows])

    @property
    def multiply_adds(self) -> int | None:
        return _sum([row.multiply_adds for row in self.rows])

    @property
    def bytes(self) -> int | None:
        return _sum([row.bytes for row in self.rows])

    def every(self) -> Iterator[tuple[int, Row]]:
        """Give all rows with their depth, those inside of a row after it."""
        yield from _every(self.rows, 0)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def text(self, depth: int | None = None) -> str:
        """Write the table; rows inside of others are shown up to a depth."""
        written: str = door("display.steps.text_of")(self, depth)
        return written

    def latex(self) -> str:
        """Write the table as a LaTeX array."""
        written: str = door("display.steps.latex_of")(self)
        return written

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        written: str = door("display.steps.html_of")(self)
        return written


def _every(rows: Sequence[Row], depth: int) -> Iterator[tuple[int, Row]]:
    for row in rows:
        yield depth, row
        yield from _every(row.rows, depth + 1)


def steps(f: Any, /, *arguments: Any, **named: Any) -> Steps:
    """Tell step by step what a formula, a module or a function computes, and what each step costs.

    Arguments are shapes or tensors; tensors also give the least and the greatest number of each step. What is
    not given has its declared axes, of open sizes. A call that fails has the steps up to the failing one.

    Raises: KindError, and NamedTensorError where the arguments themselves do not fit.

    >>> from transformer_named.formulated import Attention
    >>> table = steps(Attention, "seq'[10] key[64]", "seq[20] key[64]", "seq[20] val[32]")
    >>> [(row.text, row.uses, row.flops) for row in table.rows[:2]]
    [('Q @ key @ K', ('key',), 25600), ('Q @ key @ K / nt.sqrt(abs(key))', (), 200)]
    """
    if isinstance(f, Formula):
        return steps_of(f, arguments, named)
    if isinstance(getattr(f, "formula", None), Formula):
        return steps_of(f.formula, arguments, named, f)
    if hasattr(f, "named_modules"):
        if any(backend_of(x) is not None for x in (*arguments, *named.values())):
            return _steps_of_parts(f, arguments, named)
        names = {id(data): path for path, data in f.named_parameters()}
        return steps_of_function(f, arguments, named, f.forward, type(f).__name__, names)
    if not callable(f):
        raise KindError(
            f"steps({kind_of_thing(f)})",
            f"{kind_of_thing(f)} computes nothing",
            hint="give a formula, a module, or a function of named tensors: nt.steps(f, X)",
        )
    return steps_of_function(f, arguments, named)


def _steps_of_parts(module: Any, args: Sequence[Any], named: dict[str, Any]) -> Steps:
    """Give the steps of each formula's module that a torch module calls, which itself takes arrays."""
    rows: list[Row] = []
    errors: list[NamedTensorError] = []

    def look(place: str, part: Any, given: Any, more: Any) -> None:
        found = steps_of(part.formula, given, more, part)
        last = found.rows[-1] if found.rows else Row("", None, (), (), ())
        row = Row(
            f"{place}(...)",
            None,
            last.axes,
            (),
            last.sizes,
            flops=found.flops,
            multiply_adds=found.multiply_adds,
            bytes=found.bytes,
            range=last.range,
            rows=found.rows,
            error=found.error,
        )
        rows.append(row)
        if found.error is not None:
            errors.append(found.error)
            raise found.error

    name = type(module).__name__
    try:
        look_at_calls("steps", module, args, named, look)
    except NamedTensorError as error:
        if error not in errors:
            raise
    return Steps(name, tuple(rows), errors[0] if errors else None)


def steps_of_function(
    f: Callable[..., Any],
    arguments: Sequence[Any],
    named: dict[str, Any],
    like: Callable[..., Any] | None = None,
    name: str = "",
    held: Mapping[int, str] | None = None,
) -> Steps:
    """Give the steps of a function, whose arguments are those of `like`.

    Arrays that it closes over count as arguments; `held` has the names of those that are parameters.
    """
    whole = Whole(f, held or {})
    name = name or getattr(f, "__name__", type(f).__name__)
    made = _as_formula(whole, like or f, name, arguments, named)
    return steps_of(made, arguments, named, whole=whole)


@dataclass(slots=True)
class Whole:
    """Run a function as the body of a formula: keep all its results, and take in the data it closes over."""

    function: Callable[..., Any]
    held: Mapping[int, str]
    results: list[Node] = field(default_factory=list)
    taken: dict[int, tuple[NamedTensor, SymbolicTensor]] = field(default_factory=dict)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before, MODE.asked = MODE.asked, None  # each module has its own mode
        token = capturing.set(self.take)
        try:
            found = self.function(*args, **kwargs)
        finally:
            capturing.reset(token)
            MODE.asked = before
        parts = list(found) if isinstance(found, (tuple, list)) else [found]
        tensors = [part for part in parts if isinstance(part, NamedTensor)]
        self.results = [part.node for part in tensors if isinstance(part, SymbolicTensor)]
        return tensors[0] if tensors else found

    def take(self, X: NamedTensor) -> SymbolicTensor:
        """Make a symbol of data, one for each array."""
        key = id(X.data)
        if key not in self.taken:
            name = self.held.get(key, f"given{len(self.taken) + 1}")
            self.taken[key] = X, symbol(name, type_of(X))
        return self.taken[key][1]


def steps_of(
    formula: Formula,
    arguments: Sequence[Any],
    named: dict[str, Any],
    module: Any = None,
    whole: Whole | None = None,
) -> Steps:
    """Give the steps of a formula; a module holds the parameters."""
    held = {} if module is None else {**module.settings, **module.named_values()}
    values = given_values(formula, tuple(arguments), {**held, **named}, "steps")
    given = read(formula, values, formula._mode(module), "steps")
    trace = Trace(formula.body, given, formula.fused, concrete=True)
    error: NamedTensorError | None = None
    fired: tuple[Fired, ...] = ()
    ranges: dict[Node, tuple[Any, Any]] = {}
    try:
        found = tuple([result.node for result in trace.run()])
        if formula.fused:
            fired = rewrite(
                tuple(whole.results) if whole else found, _library(given), trace.origins
            )[1]
    except NamedTensorError as failure:
        error = failure
    parts = parts_of(trace.origins)
    ran = error is None
    taken = list(whole.taken.values()) if whole else []
    if ran and _has_data([*tensors_of(given.leaves), *[X for X, _ in taken]], given.leaves):
        try:
            ranges = _ranges(trace, given, taken, _results(parts))
        except LIBRARY_ERRORS as failure:
            error = _found_on_data(formula, given, failure)
    after = {p.name for p in formula.signature.after}
    parameters = [leaf.path for leaf in given.leaves if leaf.path.split(".")[0] in after]
    parameters += whole.held.values() if whole else ()
    rows = Reader(given, parameters, fired, ranges).rows(parts)
    return Steps(formula.name, rows if error is None else marked(rows, error, ran), error)


def _library(given: Given) -> str:
    """Name the library on whose kernels the formula would run: torch, unless data is of another."""
    found = [X.layout.backend.name for X in tensors_of(given.leaves)]
    return found[0] if found else "torch"


def _has_data(tensors: Sequence[NamedTensor], leaves: Sequence[Leaf]) -> bool:
    """Say whether every argument, and all that is taken in, has numbers."""
    whole = all(type(leaf.tensor) is NamedTensor for leaf in leaves) and bool(leaves)
    return whole and all(str(getattr(X.data, "device", "")) != "meta" for X in tensors)


def _found_on_data(formula: Formula, given: Given, failure: Exception) -> NamedTensorError | None:
    """Make the error for what a library refused on the data; None if it refuses nothing."""
    try:
        formula._as_written(given, failure)
    except NamedTensorError as error:
        return error
    return None


# ------------------------------------------------------------------------------ what is given


def _as_formula(
    run: Callable[..., Any],
    like: Callable[..., Any],
    name: str,
    arguments: Sequence[Any],
    named: dict[str, Any],
) -> Formula:
    """Make a formula of a function with the arguments of another: each tensor is declared as it is given."""
    python = inspect.signature(like)
    try:
        bound = python.bind(*arguments, **named)
    except TypeError as error:
        raise NamedTensorError(f"steps({name}, ...)", str(error), hint=f"{name}{python}") from None
    bound.apply_defaults()
    parameters = []
    for key, parameter in python.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise AxisNameError(
                f"steps({name}, ...)",
                f"{parameter} may be any number of arguments, and steps need their names",
                hint=f"give a function that names them: nt.steps(lambda X, Y: {name}(X, Y), ...)",
            )
        value = bound.arguments[key]
        late = parameter.kind is parameter.KEYWORD_ONLY
        parameters.append(Parameter(key, _space_of(value), None, late, parameter.default))

    def body(*args: Any, **kwargs: Any) -> Any:
        return run(*args, **kwargs)

    body.__name__ = body.__qualname__ = name
    return Formula(body, Signature(tuple(parameters), None, False, python))


def _space_of(value: Any) -> Space | None:
    """Give the space that a function's argument is declared in; None of what is no tensor."""
    if isinstance(value, Space):
        return value
    if isinstance(value, NamedTensor):
        axes = [Axis(name) for name in value.axes]
        return Space("R", R.kinds, tuple(axes))
    if is_shape(value):
        found = value if isinstance(value, Shape) else parse_axes(value)
        return Space("R", R.kinds, tuple([Axis(axis.name) for axis in found]))
    return None


# ------------------------------------------------------------------------------ what was written


@dataclass(slots=True)
class Part:
    """What one place made: nodes, or a body with what is written in it; a call gets its place at its end."""

    place: Place | None
    nodes: list[Node]
    inside: list[Part] = field(default_factory=list)
    name: str = ""
    done: bool = False

    def takes(self, node: Node, place: Place | None) -> bool:
        """Say whether a node that is noted next belongs to this part."""
        if self.name and self.place is None:
            return not self.done or node in self.nodes[-1:]
        return self.place == place and not self.done


def parts_of(origins: Origins) -> list[Part]:
    """Turn a table's log into sub-expressions as written; those of another body stand inside of its call."""
    levels: list[list[Part]] = [[]]
    for entry in origins.log():
        level = levels[-1]
        last = level[-1] if level else None
        if isinstance(entry, str):
            level.append(Part(None, [], [], entry))
            levels.append(level[-1].inside)
        elif entry is False:
            levels.pop()
        elif isinstance(entry, tuple):
            node, place = entry
            if last is not None and last.takes(node, place):
                last.nodes.append(node)
                if last.place is None:
                    _close(level, place)
            elif place is not None:
                level.append(Part(place, [node]))
        elif last is not None:
            last.done = True
    return levels[0]


def _close(level: list[Part], place: Place | None) -> None:
    """Give the call that ended last its place, if it has one; what entered it belongs to it."""
    call = level[-1]
    call.place = place
    while len(level) > 1 and place and level[-2].place == place and _only_enters(level[-2]):
        call.nodes = level.pop(-2).nodes + call.nodes


def _only_enters(part: Part) -> bool:
    """Say whether a part renames what a body is given, or is a step that was run again, to be widened."""
    return all(not n.operands or (n.name == "rename" and not part.name) for n in part.nodes)


def cost_of(node: Node) -> Cost:
    """Give the cost of one use: its entry's, or one operation for each record of what is pointwise."""
    entry = node.operation.primitive
    if entry.cost is not None:
        return entry.cost(node)
    records = records_of(node.type)
    if not entry.traits.pointwise:
        return Cost(read=records, written=records)
    read: Any = 0
    for operand in node.operands:
        if not operand.type.host:
            read = combine("add", read, records_of(operand.type))
    return Cost(others=records, read=read, written=records)


class Reader:
    """Make rows of the parts of a trace."""

    def __init__(
        self,
        given: Given,
        parameters: Collection[str],
        fired: Sequence[Fired],
        ranges: Mapping[Node, tuple[Any, Any]],
    ) -> None:
        self.parameters = parameters
        self.ranges = ranges
        self.sizes: dict[Node, int] = {}
        self.claimed: set[Node] = set()
        self.kernels = {
            place: one
            for one in fired
            for node in only_in(one.before, one.after)
            if not node.closed  # what depends on no argument may be written elsewhere too
            for place in one.table[node]
        }
        #: Loops that a kernel runs as a whole, by their places.
        self.cells = {
            place: one.rule
            for one in fired
            if recurs(one.before)
            for place in one.table[one.before]
        }
        self.bytes = dict(BYTES)
        for leaf in given.leaves:
            if type(leaf.tensor) is NamedTensor:
                self.bytes[leaf.tensor.kind] = leaf.tensor.data.dtype.itemsize

    def rows(self, parts: Sequence[Part], within: str = "") -> tuple[Row, ...]:
        """Give the rows of some parts, repeated ones joined; `within` is the rule that took all around."""
        found = [self._row(part, within) for part in parts]
        return together([row for row in found if row is not None])

    def _row(self, part: Part, within: str) -> Row | None:
        nodes = [n for n in part.nodes if not n.type.host]
        if not part.name and (not any(n.operands for n in nodes) or _is_open(nodes[-1])):
            return None
        rounds: Any = 1
        loops = [n for n in nodes if recurs(n) and not _stands_in(n, part.inside)]
        if not loops and any(p.name and not p.nodes for p in part.inside):
            # a loop that no line of the user's wrote, as that of stacked layers
            below = operands_first(
                nodes, lambda n: [o for o in n.operands if o not in self.claimed]
            )
            loops = [n for n in below if recurs(n)][-1:]
        around = self.sizes, self.claimed
        if loops:
            # an equal step of another loop has the same nodes, and sizes and numbers of its own
            self.sizes, self.claimed = self.sizes.copy(), self.claimed.copy()
        for loop in loops:
            rounds, pairs = rounds_of(loop)
            for own, outer in pairs:
                size = guess(self.sizes, outer)
                if isinstance(own, Node) and size is not None:
                    self.sizes[own] = size
            rounds = guess(self.sizes, rounds)
        if loops and part.place is not None:
            within = within or self.cells.get(part.place, "")
        rows = self.rows(part.inside, within)
        if loops:
            outside = self.claimed & set(operands_first([*loops, *nodes]))
            self.sizes, self.claimed = around[0], around[1] | outside
        # a loop's rule runs its step on the sizes outside, and what that makes is never computed
        made = self._claim([*loops, nodes[-1]] if loops else nodes)
        kernel = self.kernels.get(part.place) if part.place and not part.name else None
        own_rule = within or (kernel.rule if kernel is not None else "")
        taken = {row.kernel for row in rows} if rows else {own_rule}
        selects = kernel is not None and kernel.selects
        costs = [self._cost(n, selects) for n in made]
        result = nodes[-1] if nodes else None
        axes = result.type.axes if result is not None else ()
        names = tuple([shown(name) for name, _ in axes])
        own = [*dict.fromkeys([a for n in made for a in _acts(n)])]
        read = {shown(a) for n in made for o in n.operands for a in o.type.names}
        inner = [a for row in rows for a in row.uses]
        return Row(
            part.place.text if part.place is not None else f"{part.name}(...)",
            part.place,
            names,
            tuple(dict.fromkeys([*[a for a in own if a in read], *inner])),
            tuple([(n, guess(self.sizes, size)) for n, (_, size) in zip(names, axes, strict=True)]),
            *_added([*costs, *[_repeated(rounds, _costs(row)) for row in rows]]),
            taken.pop() if len(taken) == 1 else "",
            tuple(
                dict.fromkeys([*self._parameters(made), *[p for r in rows for p in r.parameters]])
            ),
            self.ranges.get(result) if result is not None else None,
            rows,
            rounds if rounds is not None else 1,
        )

    def _claim(self, nodes: Sequence[Node]) -> list[Node]:
        """List the nodes that a part computes: its own, and those below that no earlier part has."""
        found = []
        waiting = list(reversed(nodes))
        while waiting:
            node = waiting.pop()
            if node not in self.claimed and not node.type.host:
                self.claimed.add(node)
                found.append(node)
                waiting += node.operands
        return found

    def _cost(self, node: Node, selects: bool) -> Costs:
        """Count operations, multiply-adds and bytes of one node; None where a size is open."""
        if not node.operands or recurs(node) or any(map(_is_open, (node, *node.operands))):
            return 0, 0, 0  # what is of an open size is made again where it meets its sizes
        if node.closed:
            return 0, 0, 0  # index-defined: computed once, and only where a kernel has no index
        cost = cost_of(node)
        if selects and cost.multiply_adds:
            cost = Cost(read=cost.written, written=cost.written)
        adds, others = [guess(self.sizes, n) for n in (cost.multiply_adds, cost.others)]
        read, written = [guess(self.sizes, n) for n in (cost.read, cost.written)]
        kind = next((o.type.kind for o in node.operands if not o.type.host), node.type.kind)
        moved = _times(read, self.bytes[kind]), _times(written, self.bytes[node.type.kind])
        return _sum([_times(adds, 2), others]), adds, _sum(moved)

    def _parameters(self, nodes: Sequence[Node]) -> list[str]:
        found = []
        for node in nodes:
            for operand in node.operands:
                while operand.name == "rename":
                    operand = operand.operands[0]
                if operand.operation.primitive is ARGUMENT:
                    found.append(operand.operation.params[0])
        return [path for path in found if path in self.parameters]


def _stands_in(node: Node, parts: Sequence[Part]) -> bool:
    """Say whether a node is of one of some parts: what a call gives may be a loop of its own body."""
    return any(node in part.nodes or _stands_in(node, part.inside) for part in parts)


def _is_open(node: Node) -> bool:
    """Say whether a node is of index-defined tensors that have yet to meet their sizes."""
    return not node.type.host and any(size is None for _, size in node.type.axes)


def _costs(row: Row) -> Costs:
    return row.flops, row.multiply_adds, row.bytes


def _added(costs: Sequence[Costs]) -> Costs:
    return _sum([c[0] for c in costs]), _sum([c[1] for c in costs]), _sum([c[2] for c in costs])


def _repeated(rounds: int | None, costs: Costs) -> Costs:
    return _times(rounds, costs[0]), _times(rounds, costs[1]), _times(rounds, costs[2])


def _acts(node: Node) -> list[str]:
    acts: Acts = node.operation.primitive.traits.acts(node.operation.params)
    made = {shown(name) for name in acts.makes}  # what enters a call keeps its name
    return [a for name in (*acts.uses, *acts.along) if (a := shown(name)) not in made]


def _sum(numbers: Sequence[int | None]) -> int | None:
    """Add up; None where one of them is not known."""
    known = [n for n in numbers if n is not None]
    return sum(known) if len(known) == len(numbers) else None


def _times(rounds: int | None, number: int | None) -> int | None:
    return None if rounds is None or number is None else rounds * number


# ------------------------------------------------------------------------------ what repeats


def together(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Join repeated calls, or repeated runs of calls, into one row for each, which says how often it runs."""
    kept: list[Row] = []
    alike = [_alike(row) for row in rows]
    at = 0
    while at < len(rows):
        length, times = _repeats(rows, alike, at)
        for i in range(length):
            same = [rows[at + i + k * length] for k in range(times)]
            kept.append(_joined(same) if times > 1 else same[0])
        at += length * times
    return tuple(kept)


def _repeats(rows: Sequence[Row], alike: Sequence[Any], at: int) -> tuple[int, int]:
    """Find the shortest run of rows with a call that stands here more than once."""
    for length in range(1, (len(rows) - at) // 2 + 1):
        first = alike[at : at + length]
        if not any(rows[i].rows for i in range(at, at + length)):
            continue
        times = 1
        while alike[at + times * length : at + (times + 1) * length] == first:
            times += 1
        if times > 1:
            return length, times
    return 1, 1


def _alike(row: Row) -> Any:
    """Give what rows have in common that are the same step of two layers: all but names."""
    inside = tuple([_alike(part) for part in row.rows])
    text = "" if inside else row.text
    sizes = frozenset(row.sizes)
    return text, sizes, row.uses, row.flops, row.bytes, row.kernel, row.times, inside


def _joined(rows: Sequence[Row]) -> Row:
    first = rows[0]
    parameters = dict.fromkeys([path for row in rows for path in row.parameters])
    return replace(
        first,
        flops=_times(len(rows), first.flops),
        multiply_adds=_times(len(rows), first.multiply_adds),
        bytes=_times(len(rows), first.bytes),
        parameters=tuple(parameters),
        range=_widest([row.range for row in rows]),
        times=first.times * len(rows),
    )


def _widest(ranges: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    known = [r for r in ranges if r is not None]
    return (min(r[0] for r in known), max(r[1] for r in known)) if known else None


# ------------------------------------------------------------------------------ data, and faults


def _results(parts: Sequence[Part]) -> list[Node]:
    """List the result of each part that is not inside of a loop."""
    found = []
    for part in parts:
        nodes = [n for n in part.nodes if not n.type.host]
        if not any(map(recurs, nodes)):
            found += _results(part.inside)
        found += nodes[-1:]
    return found


def _ranges(
    trace: Trace,
    given: Given,
    taken: Sequence[tuple[NamedTensor, SymbolicTensor]],
    nodes: Sequence[Node],
) -> dict[Node, tuple[Any, Any]]:
    """Compute the least and the greatest number of each step, in one run over the data."""
    wanted = [n for n in dict.fromkeys(nodes) if _has_range(n)]
    ends = tuple([apply_node(end(n.type.names), (n,)) for n in wanted for end in (MIN, MAX)])
    if not ends:
        return {}
    arguments = [
        (path, outer.with_axes(zip(axes, [s for _, s in outer.axes], strict=True)), axes)
        for path, outer, axes in trace.arguments
    ]
    arguments += [(S.node.operation.params[0], S.node.type, X.axes) for X, S in taken]
    plan = compile_plan("steps", ends, arguments, trace._backend())
    data = plan.run(*given.data, *[X.data for X, _ in taken])
    found = [part.item() for part in (data if len(ends) > 1 else (data,))]
    return dict(zip(wanted, zip(found[::2], found[1::2], strict=True), strict=True))


def _has_range(node: Node) -> bool:
    sizes = [size for _, size in node.type.axes]
    return node.type.kind in ("int", "float") and all(isinstance(s, int) and s for s in sizes)


def marked(rows: Sequence[Row], error: NamedTensorError, ran: bool) -> tuple[Row, ...]:
    """Mark the step that failed, in the calls that lead to it; nothing stands after it.

    `ran` says that all steps were there, and one of them failed on data.
    """
    return _mark(tuple(rows), [place for _, place in reversed(error.places)], error, ran)


def _mark(
    rows: tuple[Row, ...], places: Sequence[Place], error: NamedTensorError, ran: bool
) -> tuple[Row, ...]:
    place = places[0] if places else None
    last = rows[-1] if rows else None
    if last is not None and last.place is None:  # a call that did not end
        deep = len(places) > 1
        if deep and place is not None:
            last = replace(last, text=place.text, place=place)
        inside = _mark(last.rows, places[1:] if deep else places, error, ran)
        return (*rows[:-1], replace(last, rows=inside, error=error))
    for i, row in reversed(list(enumerate(rows))):
        if place is not None and row.place == place and (ran or row is last):
            inside = (
                _mark(row.rows, places[1:], error, ran) if row.rows and places[1:] else row.rows
            )
            return (*rows[:i], replace(row, rows=inside, error=error))
    text = place.text if place is not None else error.call
    return (*rows, Row(text, place, (), (), (), error=error))
