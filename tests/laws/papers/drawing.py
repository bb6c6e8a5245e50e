"""Draw documents: sections, declarations that win and lose, functions that call each other, series."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.laws.papers.tree import (
    Along,
    Apply,
    Binary,
    Block,
    Call,
    Cases,
    Declare,
    Define,
    Dot,
    Element,
    Elements,
    Expr,
    Index,
    Layer,
    Layers,
    Letter,
    Number,
    Paper,
    Power,
    Reduce,
    Rename,
    Section,
    Size,
    Softmax,
    parts,
)

AXES = "seq emb hid key head tok time vocab chan word layer val".split()
LETTERS = [
    *"A B C D K M Q S U V W X Y Z a b c u v w x y z".split(),
    *"beta gamma delta eta theta mu nu xi rho phi omega Gamma Omega Phi Psi".split(),
]
LOCALS = "A B H S Z V h s z Q Y".split()
NAMES = "f g att mix norm score MLP step read enc dec layer q r p F G loss gate".split()
SMALL = "alpha tau lambda kappa".split()
TITLES = (
    "Setting|Model|The encoder|Notation|Attention|Training|Data|Method|Loss|Appendix|Details".split(
        "|"
    )
)
UNDECLARED = ["a", "b", "x", "y", "u", "v"]
#: Arguments that are the number of a place.
COUNTS = ("m", "t", "k")
Axes = frozenset[str]
NONE: Axes = frozenset()


@dataclass
class Function:
    definition: Define
    section: Section
    free: dict[str, Axes]
    inner: Axes  # all axes that occur inside
    #: an argument that is the number of a place
    counts: bool = False


@dataclass
class Scene:
    """What may be used in a body: letters with axes, leaves such as A_{seq(t-1)}, numbers of places."""

    section: Section
    letters: dict[str, Axes]
    leaves: list[tuple[Expr, Axes]] = field(default_factory=list)
    indices: dict[str, str] = field(default_factory=dict)  # the index of a loop, and its axis
    wanted: set[str] = field(default_factory=set)  # arguments not used yet
    axis_sizes: bool = True
    block: list[object] | None = None  # where local definitions go
    arguments: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)  # letters that locals may not have
    calls: bool = True


class Drawer:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        r = self.r
        names = r.sample(AXES, r.choice([2, 3, 3, 4]))
        sizes = [2, 3, 4, 5]
        r.shuffle(sizes)
        self.sizes = dict(zip(names, sizes, strict=False))
        if r.random() < 0.4:
            a = r.choice(names)
            self.sizes[a + "'"] = self.sizes[a]
        self.paper = Paper(
            [],
            self.sizes,
            r.choice(["plain", "plain", "macros", "ndef"]),
            r.choice(["md", "md", "tex"]),
            length=r.choice([1, 2, 3]),
        )
        self.functions: list[Function] = []
        self.unused_names = r.sample(NAMES, len(NAMES))
        self.undeclared = r.random() < 0.35
        self.sized = r.random() < 0.2
        self.last = r.choice(["L", "L", "2", "3"])
        if self.undeclared:
            self.pool = [x for x in LETTERS if x not in UNDECLARED]
        else:
            self.pool = list(LETTERS)
        self.families: dict[str, Axes] = {}
        self.everywhere: dict[str, list[tuple[Section, Axes]]] = {}
        self.locals = list(LOCALS)
        self.used_defined: set[str] = set()

    # axes

    def some(self, low: int = 0, high: int = 3) -> Axes:
        names = list(self.sizes)
        return frozenset(self.r.sample(names, min(self.r.randint(low, high), len(names))))

    def other(self, axes: Iterable[str]) -> str | None:
        rest = [a for a in self.sizes if a not in axes]
        return self.r.choice(rest) if rest else None

    # letters

    def visible(self, section: Section) -> dict[str, Axes]:
        """Give what a section sees: its own letters, then those around it."""
        found: dict[str, Axes] = {}
        at: Section | None = section
        while at is not None:
            for block in at.blocks:
                for s in block.statements:
                    if isinstance(s, Declare) and not s.family:
                        for x in s.letters:
                            found.setdefault(x, frozenset(s.axes))
            at = at.around
        return found

    def declare(self, section: Section, names: list[str], axes: Axes, family: bool = False) -> None:
        r = self.r
        order = sorted(axes)
        r.shuffle(order)
        statement = Declare(tuple(names), tuple(order), sized=self.sized, family=family)
        homes = [b for b in section.blocks if all(isinstance(s, Declare) for s in b.statements)]
        if homes and r.random() < 0.7:
            r.choice(homes).statements.append(statement)
        else:
            block = Block([statement], r.choice(["prose", "prose", "aligned", "apart"]))
            section.blocks.insert(r.randint(0, len(section.blocks)), block)
        for x in names:
            self.everywhere.setdefault(x, []).append((section, axes))

    def fresh(self, scene: Scene, axes: Axes) -> Expr:
        """Give a letter with these axes, declared in the section or around it."""
        section = scene.section
        fitting = [x for x, own in scene.letters.items() if own == axes]
        if fitting:
            x = self.r.choice(fitting)
            scene.wanted.discard(x)
            scene.taken.add(x)
            return Letter(x, axes)
        r = self.r
        around = []
        at = section.around
        while at is not None:
            around.append(at)
            at = at.around
        # a letter of the sections around may be declared anew here, unless this section used that one
        home = r.choice([section, section, *around])
        free = [
            x
            for x in self.pool
            if x not in self.everywhere
            and x not in scene.taken
            and x not in scene.letters
            and x not in self.used_defined
        ]
        name = r.choice(free) if free else f"{r.choice(self.pool)}^{r.randint(1, 9)}"
        self.declare(home, [name], axes)
        scene.letters[name] = axes
        scene.taken.add(name)
        return Letter(name, axes)

    # expressions

    def leaf(self, axes: Axes, scene: Scene) -> Expr:
        r = self.r
        choices: list[Expr] = []
        for x, own in scene.letters.items():
            if own == axes:
                choices += [Letter(x, own)] * (6 if x in scene.wanted else 1)
            elif own > axes and r.random() < (0.8 if x in scene.wanted else 0.15):
                over = tuple(sorted(own - axes))
                op = r.choice(["sum", "mean", "sum", "max"])
                choices.append(Reduce(op, over, Letter(x, own), axes))
        for e, own in scene.leaves:
            if own == axes:
                choices += [e] * 3
        if choices and r.random() < 0.85:
            found = r.choice(choices)
            self.used(found, scene)
            return found
        if not axes and r.random() < 0.5:
            return self.scalar(scene)
        return self.fresh(scene, axes)

    def used(self, e: Expr, scene: Scene) -> None:
        for p in parts(e):
            if isinstance(p, Letter):
                scene.wanted.discard(p.name)
                scene.taken.add(p.name)

    def scalar(self, scene: Scene) -> Expr:
        r = self.r
        if scene.indices and r.random() < 0.4:
            i = r.choice(list(scene.indices))
            return Binary("/", Index(i), Number(r.choice([2, 4, 10])), NONE)
        if r.random() < 0.3:
            name = r.choice(SMALL)
            scene.taken.add(name)
            if name not in self.everywhere:
                self.declare(self.paper.sections[0], [name], NONE)
            return Letter(name, NONE)
        return Number(r.choice([2, 0.5, 3, 0.1, 1]))

    def positive(self, axes: Axes, scene: Scene, depth: int) -> Expr:
        body = self.draw(axes, scene, depth - 1)
        kind = self.r.random()
        if kind < 0.4:
            inner: Expr = Power(body, 2, axes)
        elif kind < 0.7:
            inner = Apply("exp", Apply("tanh", body, axes), axes)
        else:
            inner = Apply("sigma", body, axes)
        return Binary("+", Number(1), inner, axes)

    def draw(self, axes: Axes, scene: Scene, depth: int) -> Expr:
        r = self.r
        if depth <= 0:
            return self.leaf(axes, scene)
        ways = [
            "leaf",
            "add",
            "add",
            "times",
            "apply",
            "power",
            "scale",
            "dot",
            "dot",
            "reduce",
            "reach",
        ]
        if axes:
            ways += ["softmax", "divide", "rename", "rename"]
        if scene.calls and self.functions:
            ways += ["call"] * 4
        if scene.block is not None:
            ways += ["local"] * 3
            if axes:
                ways += ["along"] * 2
            ways += ["last", "layers"]
            if axes:
                ways += ["elements"]
        if scene.indices:
            ways += ["element"] * 3
        elif axes != frozenset(self.sizes):
            ways += ["element"]
        for _ in range(6):
            found = getattr(self, "by_" + r.choice(ways))(axes, scene, depth)
            if found is not None:
                return found  # type: ignore[no-any-return]
        return self.leaf(axes, scene)

    def by_leaf(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        return self.leaf(axes, scene)

    def subset(self, axes: Axes) -> Axes:
        return frozenset([a for a in sorted(axes) if self.r.random() < 0.6])

    def by_add(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        left, right = axes, axes if self.r.random() < 0.6 else self.subset(axes)
        if self.r.random() < 0.3:
            left, right = right, left
        return Binary(
            self.r.choice("+-"),
            self.draw(left, scene, depth - 1),
            self.draw(right, scene, depth - 1),
            axes,
        )

    def by_times(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        left, right = axes, self.subset(axes)
        if self.r.random() < 0.3:
            left, right = right, left
        return Binary(
            "*", self.draw(left, scene, depth - 1), self.draw(right, scene, depth - 1), axes
        )

    def by_divide(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        return Binary(
            "/",
            self.draw(axes, scene, depth - 1),
            self.positive(self.subset(axes), scene, depth - 1),
            axes,
        )

    def by_apply(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        op = self.r.choice(
            ["tanh", "tanh", "sigma", "relu", "sin", "cos", "sqrt", "log", "exp", "abs"]
        )
        if op in ("sqrt", "log"):
            return Apply(op, self.positive(axes, scene, depth), axes)
        body = self.draw(axes, scene, depth - 1)
        if op == "exp":
            body = Apply("tanh", body, axes)
        return Apply(op, body, axes)

    def by_power(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        return Power(self.draw(axes, scene, depth - 1), self.r.choice([2, 2, 3]), axes)

    def by_scale(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        return Binary("*", self.scalar(scene), self.draw(axes, scene, depth - 1), axes)

    def by_dot(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        over = self.other(axes)
        if over is None:
            return None
        left = axes | {over}
        right = self.subset(axes) | {over}
        if self.r.random() < 0.5:
            left, right = right, left
        e: Expr = Dot(
            (over,), self.draw(left, scene, depth - 1), self.draw(right, scene, depth - 1), axes
        )
        if self.r.random() < 0.3:
            e = Binary("/", e, Apply("sqrt", Size(over), NONE), axes)
        return e

    def by_reduce(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        over = self.other(axes)
        if over is None:
            return None
        every = [over]
        further = self.other(axes | {over})
        if further and self.r.random() < 0.25:
            every.append(further)
        op = self.r.choice(["sum", "sum", "mean", "max", "min", "var"])
        e: Expr = Reduce(op, tuple(every), self.draw(axes | set(every), scene, depth - 1), axes)
        if op == "sum" and self.r.random() < 0.2:
            e = Binary("/", e, Size(every[0]), axes)
        return e

    def by_reach(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        """A sum or a mean of a square, or the square of a sum or a mean."""
        over = self.other(axes)
        if over is None:
            return None
        wide = axes | {over}
        body = Binary("-", self.leaf(wide, scene), self.leaf(wide, scene), wide)
        op = self.r.choice(["sum", "mean", "max"])
        if self.r.random() < 0.5:
            return Reduce(op, (over,), Power(body, 2, wide), axes)
        return Power(Reduce(op, (over,), body, axes), 2, axes)

    def by_softmax(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        return Softmax(self.r.choice(sorted(axes)), self.draw(axes, scene, depth - 1), axes)

    def by_rename(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        primed = [a for a in self.sizes if a.endswith("'")]
        if not primed:
            return None
        prime = primed[0]
        plain = prime.rstrip("'")
        pairs = [(o, n) for o, n in ((plain, prime), (prime, plain)) if n in axes and o not in axes]
        if not pairs:
            return None
        old, new = pairs[0]
        return Rename(old, new, self.draw(axes - {new} | {old}, scene, depth - 1), axes)

    def by_element(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        r = self.r
        if scene.indices and r.random() < 0.8:
            i, axis = r.choice(list(scene.indices.items()))
            if axis in axes:
                return None
            place: Expr = Index(i)
        else:
            found = self.other(axes)
            if found is None:
                return None
            axis = found
            place = Number(r.randint(1, self.sizes[axis]))
            if r.random() < 0.2:
                place = Index(f"|{axis}|")
        body = self.fresh(scene, axes | {axis})
        return Element(body, ((axis, place),), axes)

    def by_call(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        r = self.r
        f = r.choice(self.functions)
        d = f.definition
        given = d.given
        if any(g is None for g in given):
            if f.inner & axes != NONE:
                return None
            arguments = [self.draw(axes | f.inner, scene, depth - 2) for _ in given]
            if len({repr_of(a) for a in arguments}) < len(arguments):
                return None
            self.bodies(f, scene)
            return Call(d.name, tuple(arguments), axes)
        result = d.body.axes
        extra = axes - result
        if not result <= axes or extra & f.inner or (f.counts and not scene.indices):
            return None
        # a letter of one name with other axes would be two parameters of one name
        for x, own in f.free.items():
            if scene.letters.get(x, own) != own or x in scene.arguments:
                return None
        arguments = []
        for k, g in enumerate(given):
            assert g is not None
            if f.counts and k == len(given) - 1:
                i = r.choice(list(scene.indices))
                arguments.append(Index(i))
                continue
            plus = extra if k == 0 else self.subset(extra)
            arguments.append(self.draw(g | plus, scene, depth - 2))
        if len({repr_of(a) for a in arguments}) < len(arguments):
            return None
        parameters: tuple[Expr, ...] | None = None
        if d.parameters:
            spaces = [f.free.get(p, NONE) for p in d.parameters]
            parameters = tuple([self.fresh(scene, own) for own in spaces])
        self.bodies(f, scene)
        composed = (
            len(arguments) == 1
            and isinstance(arguments[0], Call)
            and arguments[0].parameters is None
            and parameters is None
            and len(arguments[0].arguments) >= 1
            and r.random() < 0.5
        )
        return Call(d.name, tuple(arguments), axes, parameters, composed)

    def bodies(self, f: Function, scene: Scene) -> None:
        scene.taken.update(f.free)

    # local definitions

    def name(self, scene: Scene) -> str | None:
        """Give a name for a local definition that nothing in this block means otherwise."""
        free = [
            x
            for x in self.locals
            if x not in scene.taken
            and x not in scene.letters
            and x not in self.families
            and x not in self.visible(scene.section)
        ]
        return self.r.choice(free) if free else None

    def by_local(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        body = self.draw(axes, scene, depth - 1)
        if isinstance(body, (Letter, Number)):
            return body
        name = self.name(scene)
        if name is None or scene.block is None or scene.indices:
            return body
        scene.block.append(Define(name, body))
        self.put(name, axes, scene)
        return Letter(name, axes)

    def put(self, name: str, axes: Axes, scene: Scene) -> None:
        scene.letters[name] = axes
        scene.taken.add(name)
        self.used_defined.add(name)

    def inside(self, scene: Scene, **more: object) -> Scene:
        inner = Scene(
            scene.section,
            scene.letters,
            list(scene.leaves),
            dict(scene.indices),
            scene.wanted,
            block=None,
            taken=scene.taken,
            arguments=scene.arguments,
        )
        return inner

    def by_along(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        r = self.r
        axis = r.choice(sorted(axes))
        name = self.name(scene)
        if name is None or scene.block is None:
            return None
        scene.taken.add(name)
        rest = axes - {axis}
        first, backwards = r.random() < 0.35, r.random() < 0.3
        index = r.choice([i for i in "ttikj" if i not in scene.letters])
        start_scene = self.inside(scene)
        start: Expr
        if first:
            edge: Expr = Index(f"|{axis}|") if backwards else Number(1)
            start = Element(self.fresh(scene, axes), ((axis, edge),), rest)
        elif r.random() < 0.25:
            start = Number(0)
        else:
            start = self.draw(rest, start_scene, 1)
        inner = self.inside(scene)
        inner.indices[index] = axis
        back = Element(Letter(name, axes), ((axis, Index(index, 1 if backwards else -1)),), rest)
        inner.leaves += [(back, rest)] * 3
        partner = self.name(scene) if r.random() < 0.2 and not first else None
        if partner is not None:  # two series that need each other
            scene.taken.add(partner)
            other = Element(Letter(partner, axes), back.places, rest)
            again = self.inside(scene)
            again.indices[index] = axis
            again.leaves += [(back, rest), (other, rest)]
            step = Binary("+", Binary("*", self.draw(rest, again, 1), other, rest), back, rest)
            scene.block.append(
                Along(
                    partner,
                    axis,
                    index,
                    self.draw(rest, self.inside(scene), 1),
                    step,
                    first,
                    backwards,
                )
            )
            self.used_defined.add(partner)
            inner.leaves += [(other, rest)] * 4
        body = self.draw(rest, inner, depth)
        if partner is not None and not any(p is other for p in parts(body)):
            body = Binary("+", body, other, rest)
        if not any(p is back for p in parts(body)):
            body = Binary(r.choice("+-"), Binary("*", Number(0.5), back, rest), body, rest)
        here = Index(index)
        if not any(
            isinstance(p, Element)
            and isinstance(p.body, Letter)
            and p.body.name not in (name, partner)
            and p.places[0][0] == axis
            for p in parts(body)
        ):
            part = Element(self.fresh(inner, axes), ((axis, here),), rest)
            body = Binary(r.choice("+*"), part, body, rest)
        if isinstance(start, Number):  # the axes of a bare 0 are those of the step
            body = Binary("+", body, self.fresh(inner, rest), rest)
        scene.block.append(Along(name, axis, index, start, body, first, backwards))
        self.put(name, axes, scene)
        return Letter(name, axes)

    def by_last(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        axis = self.other(axes)
        if axis is None:
            return None
        whole = self.by_along(axes | {axis}, scene, depth)
        if not isinstance(whole, Letter):
            return None
        return Element(whole, ((axis, Index(f"|{axis}|")),), axes)

    def by_layers(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        r = self.r
        name = self.name(scene)
        if name is None or scene.block is None:
            return None
        scene.taken.add(name)
        start = self.draw(axes, self.inside(scene), 1)
        inner = self.inside(scene)
        back = Layer(name, Index("l", -1), axes)
        inner.leaves += [(back, axes)] * 3
        if r.random() < 0.4:
            over = r.choice(sorted(axes)) if axes else None
            own = frozenset([over] if over else [])
            known = [x for x, s in self.families.items() if s == own and x not in self.used_defined]
            if known:
                family = r.choice(known)
            else:
                free = [
                    x
                    for x in self.pool
                    if x not in self.everywhere
                    and x not in scene.taken
                    and x not in self.used_defined
                ]
                if not free:
                    return None
                family = r.choice(free)
                self.declare(scene.section, [family], own, family=True)
                self.families[family] = own
            scene.taken.add(family)
            inner.leaves += [(Layer(family, Index("l"), own), own)] * 4
        body = self.draw(axes, inner, depth)
        if not any(p is back for p in parts(body)):
            body = Binary("+", back, body, axes)
        last = self.last
        scene.block.append(Layers(name, "l", start, body, last))
        self.used_defined.add(name)
        # a member further down is as good as the last one, where the last is a number
        place: Expr = Index("L") if last == "L" else Number(int(last))
        return Layer(name, place, axes)

    def by_elements(self, axes: Axes, scene: Scene, depth: int) -> Expr | None:
        r = self.r
        name = self.name(scene)
        if name is None or scene.block is None:
            return None
        scene.taken.add(name)
        if any(i in scene.letters for i in "ijk"):
            return None
        over = r.sample(sorted(axes), min(len(axes), r.choice([1, 1, 2])))
        letters = r.sample([i for i in "ijk" if i not in scene.letters], len(over))
        rest = axes - set(over)
        inner = self.inside(scene)
        inner.indices.update(zip(letters, over, strict=True))
        body = self.draw(rest, inner, min(depth, 2))
        sized = {
            i
            for p in parts(body)
            if isinstance(p, Element) and isinstance(p.body, Letter)
            for i in [getattr(x, "name", "") for _, x in p.places]
        }
        for letter, axis in zip(letters, over, strict=True):
            if letter not in sized:
                part = Element(self.fresh(inner, rest | {axis}), ((axis, Index(letter)),), rest)
                body = Binary("+", part, body, rest)
        if r.random() < 0.6:
            other: Expr = Index(letters[1]) if len(letters) == 2 else Number(r.randint(1, 3))
            relation = r.choice(["<", r"\leq", "=", ">", r"\neq"])
            second = Number(r.choice([0, 1, 0.5])) if not rest else self.draw(rest, inner, 1)
            if r.random() < 0.5:
                body, second = second, body
            if body.axes == rest == second.axes:
                body = Cases((Index(letters[0]), relation, other), body, second, rest)
        scene.block.append(Elements(name, tuple(zip(over, letters, strict=True)), body))
        self.put(name, axes, scene)
        return Letter(name, axes)

    # sections

    def function(self, section: Section) -> None:
        r = self.r
        if not self.unused_names:
            return
        if self.undeclared and r.random() < 0.3:
            self.polymorphic(section)
            return
        name = self.unused_names.pop()
        scene = Scene(section, self.visible(section))
        for x, homes in self.everywhere.items():  # declared in one other section only
            families = [s for s in self.declarations() if s.family and x in s.letters]
            if x not in scene.letters and len(homes) == 1 and r.random() < 0.15 and not families:
                scene.letters[x] = homes[0][1]
        scene.taken.add(name)
        scene.block = []
        arguments = []
        for _ in range(r.choice([1, 1, 2, 2, 3])):
            if scene.letters and r.random() < 0.6:
                x = r.choice(sorted(scene.letters))
                if "^" in x or x in COUNTS:
                    continue
            else:
                found = self.fresh(scene, self.some(1, 2))
                assert isinstance(found, Letter)
                x = found.name
            if x not in arguments and "^" not in x:
                arguments.append(x)
        result = self.some(0, 2)
        scene.wanted = set(arguments)
        scene.arguments = set(arguments)
        counts = r.random() < 0.12
        count = r.choice([COUNTS[0], *COUNTS])
        if counts:
            scene.letters[count] = NONE
            scene.wanted.add(count)
            if count not in self.everywhere:
                self.declare(self.paper.sections[0], [count], NONE)
        body = self.draw(result, scene, r.choice([2, 3, 3, 4]))
        for x in sorted(scene.wanted):
            if counts and x == count:
                body = Binary("+", body, Binary("/", Letter(x, NONE), Number(4), NONE), result)
                continue
            axes = scene.letters[x]
            over = tuple(sorted(axes - result))
            e: Expr = Letter(x, axes)
            e = Reduce(r.choice(["sum", "mean"]), over, e, axes & result) if over else e
            body = Binary("+", body, e, result)
        given: list[Axes | None] = [scene.letters[x] for x in arguments]
        if counts:
            arguments.append(count)
            given.append(NONE)
        if not arguments:
            return
        definition = Define(name, body, tuple(arguments), tuple(given))
        local = {s.name for s in scene.block}  # type: ignore[attr-defined]
        statements = [definition, *scene.block]
        free: dict[str, Axes] = {}
        inner = set()
        for p in parts(statements):
            if isinstance(p, Letter) and p.name not in local and p.name not in arguments:
                free[p.name] = p.axes
            if isinstance(p, Expr):
                inner |= p.axes
            if isinstance(p, Call):
                for f in self.functions:
                    if f.definition.name == p.function:
                        free.update(f.free)
        parameters = [x for x in free if x in scene.letters and "^" not in x and free[x]]
        if parameters and r.random() < 0.4:
            r.shuffle(parameters)
            definition.parameters = tuple(parameters[: r.randint(1, 3)])
        if (
            len(statements) == 1
            and r.random() < 0.08
            and not counts
            and not definition.parameters
            and all(given)
        ):
            definition.arrow = True
        style = r.choice(["aligned", "aligned", "apart", "gather"])
        if (
            len(statements) > 1
            and r.random() < 0.3
            and not any(isinstance(s, (Along, Layers, Elements)) for s in statements)
        ):
            style = "where"
        else:
            r.shuffle(statements)
        if style == "apart" and len(statements) > 1:
            style = "aligned"
        block = Block(statements, style)  # type: ignore[arg-type]
        section.blocks.insert(r.randint(0, len(section.blocks)), block)
        self.functions.append(Function(definition, section, free, frozenset(inner), counts))

    def declarations(self) -> list[Declare]:
        return [
            s
            for section in self.paper.sections
            for b in section.blocks
            for s in b.statements
            if isinstance(s, Declare)
        ]

    def polymorphic(self, section: Section) -> None:
        """A function whose arguments are declared nowhere: its calls give their axes."""
        r = self.r
        name = self.unused_names.pop()
        letters = r.sample(UNDECLARED, r.choice([1, 2]))
        axis = r.choice([a for a in self.sizes if not a.endswith("'")])
        over = frozenset([axis])
        if len(letters) == 2:
            left, right = (Letter(x, over) for x in letters)
            body: Expr = r.choice(
                [
                    Reduce("sum", (axis,), Power(Binary("-", left, right, over), 2, over), NONE),
                    Dot((axis,), left, right, NONE),
                    Apply(
                        "exp",
                        Binary(
                            "*",
                            Number(-0.1),
                            Reduce("mean", (axis,), Binary("*", left, right, over), NONE),
                            NONE,
                        ),
                        NONE,
                    ),
                ]
            )
        else:
            one = Letter(letters[0], over)
            body = r.choice(
                [
                    Reduce("max", (axis,), one, NONE),
                    Apply("sqrt", Reduce("sum", (axis,), Power(one, 2, over), NONE), NONE),
                    Reduce("mean", (axis,), Apply("tanh", one, over), NONE),
                ]
            )
        definition = Define(name, body, tuple(letters), (None,) * len(letters))
        section.blocks.insert(r.randint(0, len(section.blocks)), Block([definition], "aligned"))
        self.functions.append(Function(definition, section, {}, over))

    def draw_paper(self) -> Paper:
        r = self.r
        count = r.choice([1, 2, 2, 3, 4])
        titles = r.sample(TITLES, count)
        open_sections: list[Section] = []
        for k, title in enumerate(titles):
            level = 1 if k == 0 else r.randint(1, min(3, open_sections[-1].level + 1))
            open_sections = [s for s in open_sections if s.level < level]
            around = open_sections[-1] if open_sections else None
            section = Section(level, title, [], around)
            open_sections.append(section)
            self.paper.sections.append(section)
            if around is not None and r.random() < 0.35:
                self.again(section)
            for _ in range(r.choice([1, 1, 2, 2, 3])):
                self.function(section)
        return self.paper

    def again(self, section: Section) -> None:
        """Declare a letter of the sections around anew, with other axes: the nearer one wins."""
        seen = [x for x in self.visible(section) if "^" not in x and x not in self.families]
        if seen:
            x, axes = self.r.choice(seen), self.some(1, 2)
            if x not in COUNTS:
                self.declare(section, [x], axes)


def repr_of(e: Expr) -> str:
    return e.name if isinstance(e, Letter) else str(id(e))


def drawn(seed: int) -> Paper:
    return Drawer(seed).draw_paper()
