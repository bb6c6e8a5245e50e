"""What a drawn structure is: formulas with bundles, stacks, states, settings and options; a module of them.

A number gives a structure. Its text is Python that can be pasted; beside it stands what the module holds,
path by path, so that a second reading (tests.laws.positional) needs nothing of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.laws.draft import Choices

#: The axes of texts; a name that ends in _ is the primed axis.
AXES = "batch seq emb hid key out vocab layer time seq_ emb_"
#: Axes that are inside of a formula alone, so that each bundle may have other sizes.
INSIDE = ("hid", "key")
NAMES = ("W", "b", "g", "U", "gamma", "W1", "weight", "V", "bias", "A", "s", "C", "D1", "q", "r")
BUNDLES = ("att", "ffn", "norm", "inner", "net", "mix", "cell", "first", "last", "part")
STACKS = ("layers", "blocks", "more", "deep", "rest", "tail", "tower", "chain")
KINDS = "parameter optional state count bundle absent stack stacked lift setting".split()
FUNCTIONS = ("tanh", "sigmoid", "sin", "softplus", "relu")


@dataclass
class Part:
    """A name after a form's first arguments, or a setting: `kind` is one of KINDS."""

    name: str
    kind: str
    axes: tuple[str, ...] = ()
    form: Form | None = None
    default: Any = None
    late: bool = True
    read: bool = False  # whether the body looks into it

    @property
    def text(self) -> str:
        space = f"R[{', '.join(self.axes)}]" if self.axes else "R"
        name = self.form.name if self.form else ""
        return {
            "parameter": f"{self.name}: {space}",
            "optional": f"{self.name}: {space} = None",
            "state": f"{self.name}: nt.State[{space}]",
            "count": f"{self.name}: nt.State[Z]",
            "bundle": f"{self.name}: {name}" if self.late else f"{self.name}: nt.one[{name}]",
            "absent": f"{self.name}: {name} = None",
            "stack": f"{self.name}: nt.each[{name}]",
            "stacked": f'{self.name}: nt.each[{name}, "stacked"]',
            "lift": f'{self.name}: nt.lift["emb -> emb"]',
            "setting": f"{self.name}: {type(self.default).__name__} = {self.default!r}",
        }[self.kind]


@dataclass
class Form:
    """A formula: its arguments over the axes of the stream, what stands after, its body and results."""

    name: str
    axes: tuple[str, ...]
    arity: int = 1
    parts: list[Part] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: list[tuple[str, ...]] = field(default_factory=list)
    first: str = ""  # the declaration of the first argument, where it is not over the axes

    @property
    def states(self) -> bool:
        return self.holds("state", "count")

    def holds(self, *kinds: str) -> bool:
        """Say whether it, or what it holds, has parts of some kinds."""
        return any(p.kind in kinds or (p.form and p.form.holds(*kinds)) for p in self.parts)

    @property
    def own(self) -> bool:
        """Say whether it has parameters of its own, which are never left out."""
        return any(p.kind == "parameter" for p in self.parts)

    @property
    def every_axis(self) -> list[str]:
        """List the axes that it declares, and those of its bundles."""
        found = [] if self.first else list(self.axes)
        found += ["seq"] if self.first else []
        for axes in self.results:
            found += axes
        for part in self.parts:
            found += part.form.every_axis if part.form else part.axes
            found += [part.name] * (part.kind == "stacked")
        return list(dict.fromkeys(found))

    @property
    def text(self) -> str:
        space = f"R[{', '.join(self.axes)}]"
        head = [f"X: {self.first or space}"] + ([f"Y: {space}"] if self.arity > 1 else [])
        head += [p.text for p in self.parts if p.kind == "setting" and not p.late]
        after = [p.text for p in self.parts if p.kind != "setting" or p.late]
        head += ["*", *after] if after else []
        given = [f"R[{', '.join(axes)}]" if axes else "R" for axes in self.results]
        result = given[0] if len(given) == 1 else f"tuple[{', '.join(given)}]"
        lines = "\n".join([f"    {line}" for line in self.lines])
        return f"@formula\ndef {self.name}({', '.join(head)}) -> {result}:\n{lines}\n"


@dataclass(eq=False)
class Made:
    """What a module of a form holds: sizes, settings that it was made with, and its parts by name."""

    form: Form
    sizes: dict[str, int]
    settings: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)  # True, None, Made, lists of Made
    variable: str = ""
    count: int = 0  # layers of one that is stacked
    axis: str = ""

    def leaves(self, path: str = "") -> Iterator[tuple[str, Made, Part]]:
        """List parameters and states by their paths, in the order of a module."""
        for part in self.form.parts:
            held = self.parts.get(part.name)
            if (
                part.kind in ("parameter", "optional", "state", "count", "lift")
                and held is not None
            ):
                yield path + part.name, self, part
        for part in self.form.parts:
            held = self.parts.get(part.name)
            if isinstance(held, Made):
                yield from held.leaves(f"{path}{part.name}.")
            elif isinstance(held, list):
                for i, layer in enumerate(held):
                    yield from layer.leaves(f"{path}{part.name}.{i}.")

    def every(self) -> Iterator[tuple[str, Made]]:
        """List all that is held, by paths."""
        yield "", self
        for name, held in self.parts.items():
            inner = [("", held)] if isinstance(held, Made) else []
            inner = [(f".{i}", x) for i, x in enumerate(held)] if isinstance(held, list) else inner
            for place, x in inner:
                for path, found in x.every():
                    yield f"{name}{place}.{path}".rstrip("."), found

    def axes_of(self, part: Part) -> tuple[str, ...]:
        return (self.axis, *part.axes) if self.axis else part.axes

    def shape_of(self, part: Part) -> tuple[int, ...]:
        own = [self.sizes[a] for a in part.axes]
        return (self.count, *own) if self.axis else tuple(own)


@dataclass
class Structure:
    """Formulas, what makes a module of the last of them, and the axes of its argument."""

    seed: int
    forms: list[Form]
    made: Made
    before: list[str]  # lines that make modules which are given
    making: str  # what stands in root.module(...)
    lifted: dict[str, int]
    modes: list[str]  # paths of what is in eval() though the whole trains
    integer: bool

    @property
    def root(self) -> Form:
        return self.made.form

    @property
    def text(self) -> str:
        """The formulas."""
        return "\n\n".join([form.text for form in self.forms])

    @property
    def build(self) -> str:
        """The lines that make the module."""
        modes = [f"model.get_submodule({path!r}).eval()" for path in self.modes]
        return "\n".join([*self.before, f"model = {self.root.name}.module({self.making})", *modes])

    def given(self) -> list[list[tuple[str, int]]]:
        """The axes and sizes of the arguments."""
        sizes = self.made.sizes
        axes = ("seq",) if self.integer else self.root.axes
        extra = list(self.lifted.items())
        return [extra + [(a, sizes[a]) for a in axes]] * (1 if self.integer else self.root.arity)


# --------------------------------------------------------------------------------------- formulas


class Writer:
    """Write one form: statements on the stream h, drawn one after the other."""

    def __init__(self, draft: Draft, axes: tuple[str, ...], depth: int, stateless: bool) -> None:
        self.draft = draft
        self.choices = draft.choices
        self.axes = axes
        self.depth = depth
        self.stateless = stateless
        self.parts: list[Part] = []
        self.lines: list[str] = []
        self.updates: dict[str, str] = {}
        self.arity = 1

    def name(self, pool: tuple[str, ...]) -> str:
        taken = {p.name for p in self.parts}
        free = [n for n in pool if n not in taken]
        return self.choices.of(free) if free else f"{pool[0]}_{len(taken)}"

    def part(self, kind: str, pool: tuple[str, ...] = NAMES, **more: Any) -> str:
        name = self.name(pool)
        self.parts.append(Part(name, kind, **more))
        return name

    def say(self, *lines: str) -> None:
        self.lines += lines

    # ---------------------------------------------------------------------------- plain statements

    def elementwise(self) -> None:
        self.say(f"h = nt.{self.choices.of(FUNCTIONS)}(h)")

    def vector(self) -> None:
        axes = tuple(self.choices.some(self.axes, 0, 2))
        name = self.part("parameter", axes=axes)
        self.say(f"h = h {self.choices.of('+*-')} {name}")

    def option(self) -> None:
        name = self.part("optional", axes=tuple(self.choices.some(self.axes, 1, 2)))
        if self.choices.one_in(2):
            self.say(f"if {name} is not None:", f"    h = h * {name}")
        else:
            self.say(f"h = nt.sin(h) if {name} is None else h + {name}")

    def matrix(self) -> None:
        name = self.part("parameter", axes=("emb", "emb_"))
        self.say(f"h = h + ({name} @ emb @ h)[emb_ >> emb]")

    def network(self) -> None:
        first = self.part("parameter", axes=("emb", "hid"))
        second = self.part("parameter", axes=("hid", "emb"))
        inside = f"{first} @ emb @ h"
        if self.choices.one_in(2):
            bias = self.part("optional", axes=("hid",))
            self.say(f"a = {inside}", f"a = a if {bias} is None else a + {bias}")
            inside = "a"
        self.say(f"h = {second} @ hid @ nt.{self.choices.of(FUNCTIONS)}({inside})")

    def attention(self) -> None:
        if "seq" not in self.axes:
            return self.network()
        q, k, v = [self.part("parameter", axes=("emb", "key")) for _ in range(3)]
        self.say(
            f"a = nt.softmax[seq](({q} @ emb @ h)[seq >> seq_] @ key @ ({k} @ emb @ h) / nt.sqrt(abs(key)))",
            f"h = h + ({v} @ key @ (({v} @ emb @ h) @ seq @ a))[seq_ >> seq]",
        )

    def reduction(self) -> None:
        axis = self.choices.of(self.axes)
        self.say(
            self.choices.of(
                [
                    "h = nt.standardize[emb](h)",
                    f"h = h - nt.mean[{axis}](h)",
                    "h = nt.softmax[emb](h)",
                    "h = h / nt.sqrt(abs(emb))",
                ]
            )
        )

    def setting(self) -> None:
        late = self.choices.one_in(2)
        kind = self.choices.below(5)
        default: Any = (0.5, "tanh", 2, False, 0.0)[kind]
        pool = ("scale", "how", "times", "flip", "p")[kind : kind + 1]
        if any(p.name == pool[0] for p in self.parts):
            return
        name = self.part("setting", pool, default=default, late=late)
        self.say(
            *[
                [f"h = h * {name}"],
                [f'h = nt.tanh(h) if {name} == "tanh" else nt.sin(h)'],
                [f"for _ in range({name}):", "    h = nt.sin(h)"],
                [f"h = -h if {name} else h"],
                [f"h = h + nt.dropout(h, {name})"],
            ][kind]
        )

    def mode(self) -> None:
        self.say(
            self.choices.of(
                ["h = h + nt.dropout(nt.tanh(h), 1.0)", "h = h * 0.5 if nt.training() else h"]
            )
        )

    def recurrence(self) -> None:
        if "seq" not in self.axes:
            return self.elementwise()
        rest = tuple([a for a in self.axes if a != "seq"])
        start = self.part("parameter", axes=rest)
        kind = self.choices.of(["scan", "fold"])
        inside = "nt.tanh(s + x)"
        if self.depth > 0 and self.choices.one_in(2):
            cell = self.draft.form(rest, self.depth - 1, stateless=True)
            if len(cell.results) == 1:
                name = self.part("bundle", BUNDLES, form=cell)
                inside = f"{name}({', '.join(['s + x'] * cell.arity)})"
        self.say(f"h = h * nt.{kind}[seq](lambda s, x: {inside}, {start}, h)")

    def state(self) -> None:
        if self.stateless or self.updates:
            return self.elementwise()
        if self.choices.one_in(3):
            name = self.part("count", ("seen", "n"))
            self.updates[name] = f"{name} + 1"
            return
        axes = tuple(self.choices.some(self.axes, 0, 2))
        name = self.part("state", ("m", "running", "mean"), axes=axes)
        rest = [a for a in self.axes if a not in axes]
        new = f"nt.mean[{', '.join(rest)}](h)" if rest else "h"
        self.say(f"new = 0.75 * {name} + 0.25 * {new}")
        style = self.choices.below(3)
        if style == 0:
            self.say(f"h = h - {name}")
        elif style == 1:
            self.say(f"h = h - new if nt.training() else h - {name}")
        self.updates[name] = "new"

    def lifted(self) -> None:
        name = self.part("lift", ("function", "outside"))
        self.say(f"h = h + {name}(h)")

    # ---------------------------------------------------------------------------------- structures

    def child(self) -> Form:
        return self.draft.form(self.axes, self.depth - 1, self.stateless)

    def call(self, name: str, form: Form, of: str = "h") -> str:
        """Write a call of a bundle, a layer or a formula, with settings now and then."""
        given = [of] + (["X"] if form.arity > 1 else [])
        before = [p for p in form.parts if p.kind == "setting" and not p.late]
        if before and self.choices.one_in(4):
            given.append(repr(changed(before[0].default)))
        elif self.choices.one_in(4):
            late = [p for p in form.parts if p.kind == "setting"]
            given += [f"{p.name}={changed(p.default)!r}" for p in late[:1]]
        return f"{name}({', '.join(given)})"

    def into(self, target: str, call: str, form: Form, sign: str = "") -> list[str]:
        """Write a call into a variable, of one result or two."""
        if len(form.results) > 1:
            return [f"a, c = {call}", f"{target} = {sign}a * c"]
        return [f"{target} = {sign}{call}"]

    def bundle(self) -> None:
        form = self.child()
        if self.choices.one_in(4):
            name = self.part("absent", BUNDLES, form=form)
            lines = self.into("h", self.call(name, form), form)
            self.say(f"if {name} is not None:", *[f"    {line}" for line in lines])
            return
        name = self.part("bundle", BUNDLES, form=form, late=not self.choices.one_in(4))
        for _ in range(1 + self.choices.one_in(3)):
            self.say(*self.into("h", self.call(name, form), form, self.choices.of(["", "h + "])))
        own = [p for p in form.parts if p.kind == "parameter" and set(p.axes) <= set(self.axes)]
        if own and self.choices.one_in(3):
            self.say(f"h = h + {name}.{own[0].name}")
            self.parts[-1].read = True

    def saved(self) -> None:
        form = self.child()
        if len(form.results) > 1 or form.arity > 1 or form.states:
            return self.bundle()
        name = self.part("bundle", BUNDLES, form=form)
        self.say(f"h = checkpoint({name}, h, use_reentrant=False)")

    def stack(self) -> None:
        form = self.child()
        layers = self.part("stack", STACKS, form=form)
        call = lambda name, of="h": self.call(name, form, of)
        style = self.choices.below(9)
        add = self.choices.of(["", "h + "])
        inside = lambda lines: [f"    {line}" for line in lines]
        if style <= 1:
            self.say(f"for each in {layers}:", *inside(self.into("h", call("each"), form, add)))
        elif style == 2:
            lines = self.into("h", call("each"), form, add)
            self.say(
                f"for i, each in enumerate({layers}):", *inside(lines), "    h = h * (i + 0.5)"
            )
        elif style == 3:
            lines = self.into("h", call("each"), form, add)
            self.say(f"for each in reversed({layers}):", *inside(lines))
        elif style == 4:
            lines = self.into("h", call(f"{layers}[0]"), form)
            self.say(f"if len({layers}) > 0:", *inside(lines))
            self.say(f"for each in {layers}[1:]:", *inside(self.into("h", call("each"), form, add)))
        elif style == 5:
            lines = self.into("k", call("each", "kept[-1]"), form)
            self.say("kept = [h]", f"for each in {layers}:", *inside([*lines, "kept.append(k)"]))
            self.say("h = nt.mean[layer](nt.stack[layer](*kept))")
        elif style == 6:
            lines = self.into("h", call("each"), form, add)
            lines += [f"if i == len({layers}) - 1:", "    h = nt.tanh(h)"]
            self.say(f"for i, each in enumerate({layers}):", *inside(lines))
            self.say(f"h = h / (1.0 + len({layers}))")
        elif style == 7:
            other = self.part("stack", STACKS, form=form)
            lines = self.into("h", call("one"), form, add) + self.into("h", call("two"), form, add)
            self.say(f"for one, two in zip({layers}, {other}):", *inside(lines))
        else:
            own = [p for p in form.parts if p.kind == "parameter" and set(p.axes) <= set(self.axes)]
            lines = self.into("h", call("each"), form, add)
            lines += [f"h = h * each.{own[0].name}"] if own else []
            self.parts[-1].read = bool(own)
            self.say(f"for each in {layers}:", *inside(lines))

    def stacked(self) -> None:
        form = self.draft.form(self.axes, self.depth - 1, stateless=True)
        if form.holds("stack", "stacked", "lift", "state", "count") or form.arity > 1:
            return self.stack()
        if len(form.results) > 1 or not form.own:
            return self.stack()
        layers = self.part("stacked", STACKS, form=form)
        self.say(f"h = {layers}(h)")

    def called(self) -> None:
        """Call a formula as a function, with what it asks for declared here."""
        form = self.child()
        given = []
        for part in form.parts:
            if part.kind == "setting":
                continue
            if part.kind in ("optional", "absent") and self.choices.one_in(3):
                continue
            pool = {"stack": STACKS, "stacked": STACKS}.get(
                part.kind, BUNDLES if part.form else (part.name, *NAMES)
            )
            if part.kind == "stacked":
                pool = (part.name,)
            if any(p.name == part.name for p in self.parts) and part.kind == "stacked":
                return
            name = self.part(part.kind, pool, axes=part.axes, form=part.form, read=part.read)
            given.append(f"{part.name}={name}")
        call = self.call(form.name, form)
        self.say(*self.into("h", f"{call[:-1]}{''.join([f', {g}' for g in given])})", form))


def changed(value: Any) -> Any:
    """Give another value of a setting."""
    return {"0.5": 0.25, "tanh": "sin", "2": 1, "False": True, "0.0": 1.0}[str(value)]


#: How statements are drawn: what is plain, and what holds others.
PLAIN = (
    Writer.elementwise,
    Writer.vector,
    Writer.vector,
    Writer.option,
    Writer.matrix,
    Writer.network,
    Writer.attention,
    Writer.reduction,
    Writer.setting,
    Writer.setting,
    Writer.mode,
    Writer.recurrence,
    Writer.state,
    Writer.state,
    Writer.lifted,
)
HOLDING = (
    Writer.bundle,
    Writer.bundle,
    Writer.stack,
    Writer.stack,
    Writer.stack,
    Writer.stacked,
    Writer.stacked,
    Writer.called,
    Writer.called,
    Writer.saved,
)


class Draft:
    """Draw the formulas of a structure, those that others hold first."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.forms: list[Form] = []
        self.before: list[str] = []
        self.given: list[Made] = []

    def form(self, axes: tuple[str, ...], depth: int, stateless: bool, root: bool = False) -> Form:
        """Draw a form over these axes, or fewer; or take one that is there."""
        choices = self.choices
        again = [
            f for f in self.forms if f.axes == axes and not f.first and not (stateless and f.states)
        ]
        if again and not root and choices.one_in(3):
            return choices.of(again)
        stateless = stateless or (not root and choices.one_in(4))
        if stateless and not root and choices.one_in(3):
            axes = tuple([a for a in axes if a == "emb" or choices.one_in(2)])
        writer = Writer(self, axes, depth, stateless)
        first = ""
        start = "h = X"
        if root and "seq" in axes and "batch" not in axes and choices.one_in(4):
            table = writer.part("parameter", ("E",), axes=("vocab", "emb"))
            first, start = "Z[seq]", f"X = h = {table}[vocab(X)]"
        elif not choices.one_in(4):
            pass
        else:
            writer.arity = 2
            start = "h = X + nt.tanh(Y)"
        writer.say(start)
        for _ in range(1 + choices.below(3)):
            kinds = HOLDING if depth > 0 and not choices.one_in(3) else PLAIN
            choices.of(kinds)(writer)
        if not stateless and choices.one_in(2):
            writer.state()
        results = [axes]
        ends = ["h"]
        if choices.one_in(6):
            results, ends = [axes, axes], ["h", "nt.tanh(h)"]
        elif root and choices.one_in(4):
            weight = writer.part("parameter", axes=("emb", "out"))
            ends = [f"{weight} @ emb @ h"]
            results = [(*[a for a in axes if a != "emb"], "out")]
        if writer.updates or (any(p.kind in ("state", "count") for p in writer.parts)):
            ends.append(f"nt.update({', '.join([f'{n}={v}' for n, v in writer.updates.items()])})")
        writer.say(f"return {', '.join(ends)}")
        form = Form(
            f"f{len(self.forms)}", axes, writer.arity, writer.parts, writer.lines, results, first
        )
        self.forms.append(form)
        return form

    # ------------------------------------------------------------------------------------ modules

    def ready(self, form: Form) -> bool:
        """Say whether a module of a form needs nothing given but sizes."""
        return not any(
            p.kind in ("stack", "stacked", "lift")
            or (p.kind == "bundle" and not self.ready(p.form))  # type: ignore[arg-type]
            for p in form.parts
        )

    def make(
        self, form: Form, sizes: dict[str, int], path: str, wide: str = ""
    ) -> tuple[Made, list[str]]:
        """Draw a module of a form, and what is given to make it: arguments as text.

        One that is held `wide` holds all layers along that axis.
        """
        choices = self.choices
        made, given = Made(form, sizes), []
        for part in form.parts:
            name = part.name
            if part.kind == "setting":
                if choices.one_in(4):
                    made.settings[name] = changed(part.default)
                    given.append(f"{name}={made.settings[name]!r}")
            elif part.kind in ("parameter", "state", "count"):
                made.parts[name] = True
            elif part.kind == "lift":
                made.parts[name] = True
                serial = len(self.before)
                self.before.append(
                    f"v{serial} = torch.nn.Linear({sizes['emb']}, {sizes['emb']}, dtype=torch.float64)"
                )
                given.append(f"{name}=v{serial}")
            elif part.kind == "optional":
                here = choices.one_in(2)
                made.parts[name] = True if here else None
                given += [f"{name}=True"] if here else [f"{name}=False"] * choices.one_in(4)
            elif part.kind == "stacked":
                sizes.setdefault(name, choices.below(4))
                layer, text = self.held(part, sizes, f"{path}{name}.", name)
                count = sizes[name]
                if text == "None":
                    count = choices.below(4)
                    text = str(count)
                for _, inner in layer.every():
                    inner.axis, inner.count = name, count
                made.parts[name] = layer
                given.append(f"{name}={text}")
            elif part.kind == "stack":
                count = choices.of([2, 3, 1, 0, 2])
                inner, texts = [], []
                alike = choices.one_in(2) and self.ready(part.form)  # type: ignore[arg-type]
                for i in range(count):
                    layer, text = self.held(part, sizes, f"{path}{name}.{i}.", wide, alike)
                    inner.append(layer)
                    texts.append(text)
                made.parts[name] = inner
                plain = all(text == "None" for text in texts)
                given.append(f"{name}={count if plain else '[' + ', '.join(texts) + ']'}")
            elif part.kind == "absent" and choices.one_in(2):
                made.parts[name] = None
                given += [f"{name}=None"] * choices.one_in(3)
            else:
                held, text = self.held(part, sizes, f"{path}{name}.", wide)
                made.parts[name] = held
                if text == "None" and part.kind == "absent":
                    text = "True"
                given += [f"{name}={text}"] if text != "None" else []
        return made, given

    def held(
        self, part: Part, sizes: dict[str, int], path: str, wide: str, plain: bool = False
    ) -> tuple[Made, str]:
        """Draw what stands for a bundle, and its text: None for what is declared."""
        choices, form = self.choices, part.form
        assert form is not None
        ready = self.ready(form)
        if ready and (plain or choices.one_in(3)):
            return self.declared(form, sizes), "None"
        tied = [
            m
            for m in self.given
            if not wide and m.form is form and not form.states and same_stream(m.sizes, sizes)
        ]
        if tied and choices.one_in(2):
            found = choices.of(tied)
            return found, found.variable
        others = [
            f
            for f in self.forms
            if f is not form
            and self.ready(f)
            and (f.axes, f.arity, f.results, f.first) == (form.axes, form.arity, form.results, "")
            and not f.states
            and (not wide or f.own)
            and settings(form) in ([], settings(f))
        ]
        if others and not part.read and choices.one_in(3):
            other = choices.of(others)
            return self.declared(other, sizes), other.name
        if choices.one_in(2) and not wide:
            own = {a: 1 + choices.below(4) if a in INSIDE else s for a, s in sizes.items()}
            own = {a: s for a, s in own.items() if a not in STACKS}
            made, given = self.make(form, own, path)
            serial = len(self.before)
            made.variable = f"v{serial}"
            self.before.append(
                f"{made.variable} = {form.name}.module({arguments(made, given, self.forms)})"
            )
            self.given.append(made)
            return made, made.variable
        made, given = self.make(form, sizes, path, wide)
        return made, f"dict({', '.join(given)})"

    def declared(self, form: Form, sizes: dict[str, int]) -> Made:
        made = Made(form, sizes)
        for part in form.parts:
            if part.kind in ("parameter", "state", "count"):
                made.parts[part.name] = True
            elif part.kind in ("optional", "absent"):
                made.parts[part.name] = None
            elif part.kind == "bundle":
                made.parts[part.name] = self.declared(part.form, sizes)  # type: ignore[arg-type]
        return made


def same_stream(one: dict[str, int], other: dict[str, int]) -> bool:
    return all(one[a] == other[a] for a in one if a not in (*INSIDE, *STACKS))


def settings(form: Form) -> list[tuple[str, bool]]:
    return [(p.name, p.late) for p in form.parts if p.kind == "setting"]


def arguments(made: Made, given: list[str], forms: list[Form]) -> str:
    """Write what a module is made with: sizes of its axes, and of formulas that stand for others.

    A size is left out that no parameter takes, as modules that are given have sizes of their own.
    """
    named = {word for text in given for word in re.findall(r"\bf\d+\b", text)}
    found = [*made.form.every_axis, *[a for f in forms if f.name in named for a in f.every_axis]]
    taken: dict[str, set[int]] = {}
    for _, holder, part in made.leaves():
        for axis, size in zip(holder.axes_of(part), holder.shape_of(part), strict=True):
            taken.setdefault(axis, set()).add(size)
    sizes = {a: s for a, s in made.sizes.items() if s in taken.get(a, {s})}
    axes = [f"{a}[{sizes[a]}]" for a in dict.fromkeys(found) if a in sizes]
    axes = [f'"{text}"' if text.split("[")[0] in STACKS else text for text in axes]
    return ", ".join([*axes, *given, "dtype=torch.float64"])


def structure(seed: int) -> Structure:
    """Draw the structure of a number."""
    choices = Choices(seed)
    draft = Draft(choices)
    axes = choices.of([("batch", "seq", "emb"), ("seq", "emb"), ("emb",), ("batch", "emb")])
    root = draft.form(axes, 1 + choices.below(3), choices.one_in(2), root=True)
    sizes = {a.strip(): 1 + choices.below(4) for a in AXES.split()}
    sizes["emb_"], sizes["seq_"] = sizes["emb"], sizes["seq"]
    made, given = draft.make(root, sizes, "")
    lifted: dict[str, int] = {}
    if not root.states and choices.one_in(2):
        lifted = {choices.of(["time", "hid", "key", "layer"]): 2}
    held = [path for path, _ in made.every() if path and ".states" not in path]
    modes = choices.some(held, 1, 1) if held and choices.one_in(3) else []
    return Structure(
        seed,
        draft.forms,
        made,
        draft.before,
        arguments(made, given, draft.forms),
        lifted,
        modes,
        bool(root.first),
    )
