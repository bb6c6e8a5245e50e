"""Choose the parts of a formula that get names: named in its body, index-defined, or long and shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from namedtensor.formula.written import Written, passed
from namedtensor.latex.printing.elements import Elements, constant, gathered
from namedtensor.latex.printing.names import letters
from namedtensor.latex.printing.stacks import Ladder, ladders_of
from namedtensor.latex.reading.words import FUNCTIONS
from namedtensor.operations.recurrence import Unfolded, kept_along, recurs, unfolded
from namedtensor.primitives import Node, table
from namedtensor.primitives.node import operands_first
from namedtensor.primitives.notation import SUM, Command, Infix, Word
from namedtensor.tensor.resize import made_by, meet, opened

if TYPE_CHECKING:
    from namedtensor.formula.declared import Declared

#: A part that is used in several places gets a name if its text is longer than this.
REPEATED = 24
#: If a text would be longer than LONG, its longest parts get names; a sum may have LINES lines of that
#: length. Parts nested deeper than DEEP get names too.
LONG = 110
LINES = 4
DEEP = 24


@dataclass(slots=True)
class Loop:
    """A recurrence, the letter of its index, and the names of its carries and of what it emits.

    A carry whose states are all kept has the name of the tensor that holds them; other carries have
    names of their own.
    """

    step: Unfolded
    index: str
    names: dict[int, str] = field(default_factory=dict)
    written: set[int] = field(default_factory=set)
    #: the names of long parts that the step uses more than once; the parts whose definition is written
    parts_of: dict[Node, str] = field(default_factory=dict)
    defined: set[Node] = field(default_factory=set)

    @property
    def own(self) -> tuple[Node, ...]:
        """What a step takes, its carries and its elements, and the carries after it."""
        return (*self.step.before, *self.step.after, *self.step.elements)

    def needed(self, place: int) -> list[int]:
        """List the results that are needed to compute one result, this one included."""
        found: set[int] = set()
        pending = [place]
        while pending:
            found.add(pending[-1])
            leaves = self.leaves(pending.pop())
            for both in (self.step.before, self.step.after):
                used = [i for i, h in enumerate(both) if h in leaves]
                pending += [i for i in used if i not in found]
        return sorted(found)

    def leaves(self, place: int) -> set[Node]:
        """Give all parts of the expression of a result."""
        return set(operands_first([self.step.results[place]]))

    def starts(self, place: int) -> list[int]:
        """List the carries whose earlier element is used, so that a first one must be written."""
        leaves = set().union(*[self.leaves(i) for i in self.needed(place)])
        return [i for i, h in enumerate(self.step.before) if h in leaves]

    def parts(self, place: int) -> tuple[Node, ...]:
        """Give the parts that a result is written from: starts, sequences, the step's expressions."""
        step, needed = self.step, self.needed(place)
        leaves = set().union(*[self.leaves(i) for i in needed])
        starts = [step.starts[i] for i in self.starts(place) if step.starts]
        runs = [
            X
            for i, (x, X) in enumerate(zip(step.elements, step.sequences, strict=True))
            if x in leaves or (not step.starts and i in needed)
        ]
        runs = [X for X in runs if not is_counter(X, step.axis)]
        return (*starts, *runs, *[step.results[i] for i in needed])

    def counters(self) -> list[Node]:
        """List the elements that count the steps: 0, 1, 2, ..."""
        pairs = zip(self.step.elements, self.step.sequences, strict=False)
        return [x for x, X in pairs if is_counter(X, self.step.axis)]

    def length(self, place: int) -> Any:
        """Give the size of the axis, or None if a sequence that is written for the result shows it."""
        step, leaves = self.step, set().union(*[self.leaves(i) for i in self.needed(place)])
        seen = [
            not is_counter(X, step.axis) and (x in leaves or not step.starts)
            for x, X in zip(step.elements, step.sequences, strict=True)
        ]
        return None if any(seen) else step.sequences[0].type.size(step.axis)


def is_counter(X: Node, axis: str) -> bool:
    """Say whether a sequence is 0, 1, 2, ... along an axis."""
    return X.name == "iota" and X.operation.params == (axis,)


@dataclass(frozen=True, slots=True)
class StepFunction:
    """A recurrence inside another's step, as a function: its name, and what it takes of that step."""

    name: str
    parameters: dict[Node, str]


@dataclass(slots=True)
class Names:
    """The names of a formula's parts.

    `sized` are the index-defined parts that are declared with their sizes, because no other operand
    shows these sizes. `taken` are all Python identifiers in use.
    """

    of: dict[Node, str] = field(default_factory=dict)
    sized: set[Node] = field(default_factory=set)
    elements: Elements = field(default_factory=Elements)
    taken: set[str] = field(default_factory=set)
    loops: dict[Any, Loop] = field(default_factory=dict)
    #: Recurrences inside the step of another one; they are written as functions of what that step takes.
    functions: dict[Node, StepFunction] = field(default_factory=dict)
    ladders: list[Ladder] = field(default_factory=list)
    #: The sizes of the arguments' axes; a reader of the LaTeX takes them where no size is declared.
    given: dict[str, Any] = field(default_factory=dict)
    #: The operands that a call is written with, without those of a bundle that is passed on as one word.
    bundled: dict[Node, tuple[Node, ...]] = field(default_factory=dict)

    def loop(self, node: Node) -> Loop:
        """Give the recurrence of which a node is one result."""
        key = (*node.operation.params[:-1], node.operands)
        if key not in self.loops:
            step = unfolded(node)
            inner = [part for part in operands_first(step.results) if recurs(part)]
            carries = {*step.before, *step.after}
            if step.starts and carries & set(operands_first(inner)):
                # a recurrence in a step is a function, declared with the axes of its later carries
                step = replace(step, starts=node.operands[: len(step.starts)])
            self.loops[key] = Loop(step, self.fresh("tijklmn"))
        return self.loops[key]

    def inside(self, node: Node) -> tuple[Node, ...]:
        """Give the parts that a part is written from; one that is written by its elements has none."""
        if self.elements(node) or constant(node) is not None:
            return ()
        operands = self.bundled.get(node, node.operands)
        for ladder in self.ladders:
            if node in ladder.rungs:
                return ()
            if node in ladder.ends:
                return (*[s for s in ladder.starts if s is not None], *operands)
        if recurs(node):
            return self.loop(node).parts(node.operation.params[-1])
        if self.spread(node):
            return (without_repeats(node),)
        picked = gathered(node, self.elements)
        return operands if picked is None else (picked.base,)

    def is_given(self, axis: str, size: Any) -> bool:
        """Say whether a reader takes this size, of an argument's seq or seq', where none is declared."""
        while axis not in self.given and axis.endswith("'"):
            axis = axis[:-1]
        return axis not in self.given or self.given[axis] == size

    def spread(self, node: Node) -> dict[str, Any]:
        """Give the axes along which a tensor is repeated, innermost first, with their sizes."""
        found: dict[str, Any] = {}
        if not self.elements(node):
            while made := made_by(node):
                found.update({name: node.type.size(name) for name in made})
                node = node.operands[0]
        return dict(reversed(found.items()))

    def fresh(self, choices: Sequence[str]) -> str:
        """Choose a name that is not in use: one of these letters, else the first one with a number."""
        tries = [*choices, *[f"{choices[0]}{n}" for n in range(1, len(self.taken) + 2)]]
        name: str = next(t for t in tries if t not in self.taken)
        self.taken.add(name)
        return name


def without_repeats(node: Node) -> Node:
    """Give the tensor itself, without the axes along which it is repeated."""
    while made_by(node):
        node = node.operands[0]
    return node


def names_of(written: Written, taken: Iterable[str] = ()) -> Names:
    """Choose names for a formula's parts; `taken` are names that none of them may have."""
    names = Names(taken=_identifiers(written) | set(taken))
    _name_ladders(written, names)
    for node in operands_first(written.results):
        if node.name == "call":
            before, after = passed(node, written.called[node.operation.params[0]])
            parts = [part for part in (*before, *after) if isinstance(part, Node)]
            names.bundled[node] = tuple(parts)
    order = list(operands_first(written.results, names.inside))
    _name_locals(written, names, set(order))
    _name_elements(written, names, order)
    open_ = _open_in_steps(names, order)
    _name_recurrences(names, [node for node in order if recurs(node)], open_)
    _name_in_steps(names, order, open_)
    _name_repeated(written, names, order, open_)
    return names


def _name_ladders(written: Written, names: Names) -> None:
    """Name the results of a stack's layers: as the body names the last one, or as the first input."""
    names.ladders = ladders_of(written)
    own = {node: name for name, node in reversed(written.locals.items())}
    letters = set()
    scripts = _scripts([*written.called.values()]) if names.ladders else set()
    for ladder in names.ladders:
        ladder.index = names.fresh([*[c for c in "lkmnij" if c not in scripts], "l"])
        ladder.last = str(ladder.count)
        if ladder.stack not in written.counted and not _picks_layers(written, ladder):
            ladder.last = names.fresh([*[c for c in "LNKMT" if c not in scripts], "L"])
        for end, start in zip(ladder.ends, ladder.starts, strict=True):
            name = own.get(end, "")
            if not name and start is not None and start.name == "argument":
                name = str(start.operation.params[0])
            if not name or "." in name or name in letters:
                name = names.fresh("XYZH")
            letters.add(name)
            ladder.letters.append(name)
            names.of[end] = name


def _scripts(formulas: list[Declared]) -> set[str]:
    """List the letters that are scripts in names of formulas and parameters, as k in W^k and N in F_N.

    Such a letter is not used as the number of a layer: a reader would take it for that in W^k too.
    """
    found: set[str] = set()
    for formula in formulas:  # the loop adds to this list
        for name in [formula.name, *[p.name for p in formula.signature.parameters]]:
            found.add(name.rpartition("_")[2] if "_" in name else name[1:])
        bundles = [p.bundle for p in formula.signature.parameters if p.bundle is not None]
        formulas += [bundle for bundle in bundles if bundle not in formulas]
    return found


def _picks_layers(written: Written, ladder: Ladder) -> bool:
    """Say whether a body uses a layer or its result outside the step that all layers share."""
    outside = operands_first(
        [*written.results, *[s for s in ladder.starts if s is not None]],
        lambda node: () if node in ladder.ends else node.operands,
    )
    return any(node in ladder.rungs or ladder.has(node) for node in outside)


def every_part(written: Written) -> Iterator[Node]:
    """List the parts of a formula, with the parts inside the steps of its recurrences."""

    def inside(node: Node) -> tuple[Node, ...]:
        return (*node.operands, *(unfolded(node).results if recurs(node) else ()))

    return operands_first(written.results, inside)


def axes_in(written: Written) -> set[str]:
    """Give the names of all axes that a formula's parts have."""
    return {n for node in every_part(written) for n in node.type.names}


def _identifiers(written: Written) -> set[str]:
    given = {p.name for p in written.signature.parameters}
    return {written.name, *given, *written.locals, *written.called}


def _name_locals(written: Written, names: Names, reached: set[Node]) -> None:
    """Take the names that the body gives to parts, unless such a name means something else in LaTeX."""
    words = {letters(name.replace("-", "_")) for name in _words()}
    others = {p.name for p in written.signature.parameters} | {written.name, *written.called}
    taken = words | {letters(name) for name in others}
    for name, node in written.locals.items():
        plain = node in reached and not names.elements(node) and node not in names.of
        plain = plain and all([node not in ladder.rungs for ladder in names.ladders])
        # a recurrence is written H_{seq(t)} = ..., so its name can have no other scripts
        plain = plain and not (recurs(node) and set(letters(name)) & set("^_'"))
        if plain and letters(name) not in taken:
            names.of[node] = name


def is_word(name: str) -> bool:
    """Say whether a document would read a name as a known operation, as it reads relu and ReLU."""
    known = {*_words(), *FUNCTIONS}
    plain = name.lower().replace("_", "")
    return any(plain == word.lower().replace("_", "").replace("-", "") for word in known)


def _words() -> Iterator[str]:
    for entry in table().values():
        if isinstance(entry.notation, (Word, Command)):
            yield from (entry.notation.word, *entry.notation.also)


def _name_elements(written: Written, names: Names, order: list[Node]) -> None:
    """Name the parts that are defined by indices, by the body's own names where it has them."""
    settings_only = all(p.setting for p in written.signature.parameters)
    names.given = _sizes_given(written, order)
    own = {opened(n): name for name, n in reversed(written.locals.items()) if names.elements(n)}
    used: dict[str, Node] = {}
    users: dict[Node, list[Node]] = {}
    for node in order:
        for operand in names.inside(node):
            users.setdefault(operand, []).append(node)
    for node in order:
        if node not in names.of and gathered(node, names.elements):
            names.of[node] = names.fresh("PMDGCHBAST")
        if not names.elements(node):
            continue
        free = opened(node)
        found = node not in written.results and all(
            _finds_its_sizes(node, free, user) for user in users[node]
        )
        found = found and all(names.is_given(name, size) for name, size in node.type.axes)
        if not found and free is not node:
            names.sized.add(node)
        definition = node if node in names.sized else free
        name = own.get(free, "")
        if used.get(name, definition) is not definition or not name:
            name = next((n for n, d in used.items() if d is definition), "")
        if settings_only and written.results == (node,):
            name = written.name  # the formula has no other part: its own name is the tensor's
        names.of[node] = name or names.fresh("PMDGCHBAST")
        used[names.of[node]] = definition


def _sizes_given(written: Written, order: list[Node]) -> dict[str, Any]:
    """Give the size of each axis in the first argument that has it, as a reader of the LaTeX does."""
    found: dict[str, Any] = {}
    types = {n.operation.params[0]: n.type for n in order if n.name == "argument"}
    for parameter in written.signature.parameters:
        for name, size in types[parameter.name].axes if parameter.name in types else ():
            found.setdefault(name, size)
    return found


def _finds_its_sizes(node: Node, free: Node, user: Node) -> bool:
    """Say whether an index-defined operand would get its sizes from the other operands."""
    if free is node:
        return True
    if user.operation.params or user.name == "call":
        return False
    operands = [free if o is node else o for o in user.operands]
    return meet(operands) == list(user.operands)


def _name_recurrences(
    names: Names, nodes: list[Node], open_: Mapping[Node, Sequence[Node]]
) -> None:
    """Name recurrences: the tensors of their kept states, and the carries that are used and not kept."""
    for node in nodes:
        if node not in names.of:
            names.of[node] = names.fresh("HSCYZUVGQRABDEFKLMNOPTWX")
        if kept_along(node):
            names.loop(node).names[node.operation.params[-1]] = names.of[node]
    for node in nodes:
        loop = names.loop(node)
        for place in loop.needed(node.operation.params[-1]):
            if place not in loop.names:
                own = str(loop.step.before[place].operation.params[1])
                loop.names[place] = names.fresh([own.rstrip("0123456789"), *"hscabgpqruvwyz"])
    letters_of: dict[Node, str] = {}
    for node in nodes:
        for leaf in open_[node]:
            own = str(leaf.operation.params[1]).rstrip("0123456789")
            letters_of[leaf] = letters_of.get(leaf) or names.fresh([own, *"uvwyzabc"])
        if open_[node]:
            parameters = {leaf: letters_of[leaf] for leaf in open_[node]}
            names.functions[node] = StepFunction(names.fresh("GFUVK"), parameters)


def _open_in_steps(names: Names, roots: Sequence[Node]) -> dict[Node, list[Node]]:
    """Find for each part the carries and elements of steps around it that its value depends on."""
    bound = {leaf for loop in names.loops.values() for leaf in loop.own}
    found: dict[Node, dict[Node, None]] = {}
    for node in operands_first(roots, names.inside):
        parts = {leaf: None for part in names.inside(node) for leaf in found[part]}
        own = names.loop(node).own if recurs(node) else ()
        found[node] = {leaf: None for leaf in parts if leaf not in own}
        if node in bound:
            found[node] = {node: None}
    return {node: list(leaves) for node, leaves in found.items()}


def _name_in_steps(names: Names, order: list[Node], open_: Mapping[Node, Sequence[Node]]) -> None:
    """Name long parts that a step uses more than once; such a part has a value at each step."""
    loops = [(names.loop(node), node.operation.params[-1]) for node in order if recurs(node)]
    for loop in names.loops.values():
        needed = {i for own, place in loops if own is loop for i in loop.needed(place)}
        results = [loop.step.results[i] for i in sorted(needed)]
        inner = list(operands_first(results, names.inside))
        uses = Counter([operand for node in inner for operand in names.inside(node)])
        uses.update(results)
        width: dict[Node, int] = {}
        for node in inner:
            width[node] = _own_width(node) + sum([width[o] for o in names.inside(node)])
            own = bool(open_[node]) and set(open_[node]) <= set(loop.own)
            free = node.operands and not recurs(node) and node not in loop.step.results
            if own and free and uses[node] > 1 and width[node] > REPEATED:
                loop.parts_of[node] = names.fresh("YZUHTS")
                width[node] = 1


def _name_repeated(
    written: Written, names: Names, order: list[Node], open_: Mapping[Node, Sequence[Node]]
) -> None:
    """Name long parts that are used more than once, and parts of what is too long or too deeply nested.

    A tensor that is repeated along an axis gets a name, because it is defined by its elements.
    """
    results = written.results
    uses: dict[Node, int] = {}
    for node in order:
        for operand in names.inside(node):
            uses[operand] = uses.get(operand, 0) + 1
    width: dict[Node, int] = {}
    depth: dict[Node, int] = {}
    bound = {node for node, leaves in open_.items() if leaves}
    rungs = {node for ladder in names.ladders for node in ladder.rungs}

    def name(node: Node) -> None:
        names.of[node] = names.fresh("YZUHTS")
        width[node], depth[node] = len(names.of[node]), 0

    for node in order:
        inner = names.inside(node)
        width[node] = _own_width(node) + sum([width[o] for o in inner])
        depth[node] = max([depth[o] for o in inner], default=-1) + 1
        while inner and width[node] > (LONG * LINES if _breaks(node) else LONG):
            widest = max(inner, key=lambda o: width[o])
            if width[widest] < REPEATED or widest in bound or widest in rungs:
                break
            name(widest)
            width[node] = _own_width(node) + sum([width[o] for o in inner])
        repeated = node not in bound and names.spread(node)
        if repeated and node not in names.of and node not in rungs:
            names.of[node] = names.fresh("PMDGCHBAST")
        if node in names.of:
            width[node], depth[node] = len(names.of[node]), 0
        elif (
            node not in results
            and node not in rungs
            and node not in bound
            and (depth[node] > DEEP or (uses.get(node, 0) > 1 and width[node] > REPEATED))
        ):
            name(node)


def _breaks(node: Node) -> bool:
    """Say whether the text of a part may be broken into lines: only a sum may."""
    notation = node.operation.primitive.notation
    return isinstance(notation, Infix) and notation.level == SUM


def _own_width(node: Node) -> int:
    """Count roughly the characters that an operation adds to the text of its operands."""
    notation = node.operation.primitive.notation
    if isinstance(notation, Infix):
        return 3
    if node.name == "call":
        return len(node.operation.params[0]) + 2
    own = sum([len(p) + 1 for p in _texts(node.operation.params)])
    return own + (len(notation.word) + 2 if isinstance(notation, (Word, Command)) else 2)


def _texts(params: tuple[Any, ...]) -> Iterator[str]:
    for param in params:
        if isinstance(param, tuple):
            yield from _texts(param)
        elif isinstance(param, str):
            yield param
