"""Wrong uses of a drawn structure: each is refused in the library's own words."""

from __future__ import annotations

import copy
import itertools
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

import namedtensor as nt
from tests.laws.agreement import Disagreement
from tests.laws.draft import Choices

Wrong = tuple[str, Callable[[], Any]]


def misused(case: Any) -> None:
    """Raise Disagreement where a wrong use passes in silence, or ends in an error of somebody else."""
    model = case.module()
    model(*case.named(case.data()))
    met = []
    wrong = (made_wrongly(case), called_wrongly(case, model), changed_wrongly(case))
    for name, use in [*of_wrong_size(case, model), *itertools.chain(*wrong)]:
        try:
            met.append((f"{name}: silence", str(use())))
        except nt.NamedTensorError as error:
            if not str(error).strip():
                met.append((f"{name}: says nothing", ""))
        except Exception as error:
            met.append((f"{name}: {type(error).__name__}", str(error)))
    if met:
        error = Disagreement(
            "wrong uses", "\n".join([f"{kind}\n{text[:300]}" for kind, text in met])
        )
        error.kinds = [kind for kind, _ in met]  # type: ignore[attr-defined]
        raise error


def of_wrong_size(case: Any, model: Any) -> Iterator[Wrong]:
    """Give a parameter, in whichever layer, one number more along an axis, where its twin cannot be run."""
    from tests.laws import structures

    choices = Choices(case.drawn.seed + 3)
    wide = [
        (p, i) for p, (_, shape, _) in case.leaves.items() for i, n in enumerate(shape) if n > 1
    ]
    given = case.named(case.data())
    for path, place in choices.some(wide, 0, 3):
        data = case.numbers[path]
        more = torch.cat([data, data.narrow(place, 0, 1)], place)
        try:
            case.run_twin(case.twin({**case.numbers, path: more}), case.data())
            continue  # nothing reads it, or its size is its own
        except (RuntimeError, AssertionError):
            pass
        kind = case.leaves[path][2]
        if kind == "lift":
            continue  # torch's own module

        def changed(path: str = path, more: Any = more, kind: str = kind) -> Any:
            again = case.module()
            again(*given)
            owner = again.get_submodule(path.rpartition(".")[0])
            held = owner._parameters if kind in ("parameter", "optional") else owner._buffers
            held[path.rpartition(".")[2]] = (
                torch.nn.Parameter(more) if held is owner._parameters else more
            )
            return again(*given)

        yield f"another size of a {kind} in a module", changed
        if case.drawn.root.holds("lift") or structures.replaced(case.drawn.made):
            continue
        if structures.early(case.drawn.made):
            continue
        numbers = {**case.numbers, path: more}
        values = case.values(case.drawn.made, numbers.__getitem__, "torch")
        yield f"another size of a {kind}", lambda v=values: case.root(*given, **v)


def made_wrongly(case: Any) -> Iterator[Wrong]:
    drawn = case.drawn
    choices = Choices(drawn.seed)

    def making(text: str, before: str = "") -> Callable[[], Any]:
        def make() -> Any:
            scope = dict(case.scope)
            lines = [*drawn.before, before, f"model = {drawn.root.name}.module({text})"]
            exec(compile("\n".join(lines), "<wrong>", "exec", dont_inherit=True), scope)
            return scope["model"](*case.named(case.data()))

        return make

    text = drawn.making
    yield "an unknown setting", making(f"{text}, unknown=1")
    yield "an unknown axis", making(f"nt.Axis('unknown')[3], {text}")
    yield "an unknown parameter in init", making(f"{text}, init={{'W9.b': torch.nn.init.zeros_}}")
    yield "a wrong init", making(f"{text}, init=3")
    yield "a dtype of whole numbers", making(text.replace("torch.float64", "torch.int64"))
    inner = [m.start() for m in re.finditer(r"dict\(", text)]
    if inner:
        at = choices.of(inner) + len("dict(")
        comma = "" if text[at] == ")" else ", "
        yield "an unknown setting of a bundle", making(f"{text[:at]}unknown=1{comma}{text[at:]}")
    for part in drawn.root.parts:
        stem = re.sub(rf", {part.name}=(\d+|\w+)(?=,|$)", "", text)
        if part.kind in ("stack", "stacked") and stem != text and f"{part.name}=" not in stem:
            if part.kind == "stack" or part.name not in text.replace(f"{part.name}=", ""):
                yield "a stack without a count", making(stem)
            yield "a stack of a negative count", making(f"{stem}, {part.name}=-1")
            yield "a stack of half a layer", making(f"{stem}, {part.name}=1.5")
            yield "a stack of a text", making(f"{stem}, {part.name}='2'")
            if part.kind == "stack":
                yield "a stack of numbers", making(f"{stem}, {part.name}=[1, 2]")
                yield "a stack of torch", making(f"{stem}, {part.name}=[torch.nn.Linear(2, 2)]")
        if part.kind in ("bundle", "absent") and f", {part.name}=" not in text:
            yield "a bundle of a number", making(f"{text}, {part.name}=3")
            yield "a bundle of torch", making(f"{text}, {part.name}=torch.nn.Linear(2, 2)")
            yield "a bundle of a tensor", making(f"{text}, {part.name}=nt.ones(emb[2])")
        if part.kind == "parameter":
            yield "a parameter at its making", making(f"{text}, {part.name}=True")
        if part.kind == "optional" and f"{part.name}=" not in text:
            yield "an option of a text", making(f"{text}, {part.name}='yes'")
    needed = [a for path, (axes, _, kind) in case.leaves.items() if kind != "lift" for a in axes]
    own = [a for a in needed if re.search(rf"\b{a.replace(chr(39), '_')}\[\d+\], ", text)]
    direct = [
        a
        for p in drawn.root.parts
        if p.kind in ("parameter", "state")
        for a in p.axes
        if re.search(rf"\b{a}\[\d+\], ", text)
    ]
    if own and direct:
        gone = re.sub(rf"\b{choices.of(direct)}\[\d+\], ", "", text, count=1)
        yield "an axis without a size", making(gone)


def called_wrongly(case: Any, model: Any) -> Iterator[Wrong]:
    drawn = case.drawn
    choices = Choices(drawn.seed + 1)
    given = case.named(case.data())
    yield "no arguments", lambda: model()
    yield "too many arguments", lambda: model(*given, given[0], given[0], 1, 2, 3)
    yield "an unknown keyword", lambda: model(*given, unknown=1)
    yield "data of torch", lambda: model(*[x for x, _ in case.data()])
    yield "an array of numpy", lambda: model(*[x.numpy() for x, _ in case.data()])
    yield "nothing", lambda: model(*[None for _ in given])
    if case.leaves:
        yield "numpy for torch", lambda: model(*[X.to("numpy") for X in given])
    axis = "seq" if drawn.integer else "emb"
    lacking = [nt.sum[axis](X) for X in given]
    yield "an axis too few", lambda: model(*lacking)
    yield "an axis of another name", lambda: model(*[X[nt.Axis(axis) >> "other"] for X in given])
    if drawn.integer:
        yield "real numbers for whole ones", lambda: model(*[X + 0.5 for X in given])
        yield "an index beyond its axis", lambda: model(*[X + 100 for X in given])
    elif any("emb" in axes and n > 1 for axes, n in emb_sizes(case)):
        wide = [nt.concat["emb"](X, X, X) for X in given]
        yield "another size", lambda: model(*wide)
        yield "a shape of another size", lambda: model.shape(*wide)
    yield "a formula that it does not hold", lambda: model.call(other, *given)
    yield "a derivative by nobody", lambda: nt.derivative(case.root, by="nobody.W")(*given)
    yield "no formula", lambda: model.call(3, *given)
    yield from as_function(case, choices, given)


def emb_sizes(case: Any) -> list[tuple[tuple[str, ...], int]]:
    """List the formula's own parameters over emb, with its size."""
    return [
        (axes, shape[axes.index("emb")])
        for path, (axes, shape, kind) in case.leaves.items()
        if "." not in path and "emb" in axes
    ]


unheard = nt.Axis("unheard")


@nt.formula
def other(X: nt.R[unheard], *, nobody: nt.R[unheard]) -> nt.R[unheard]:
    return X * nobody


def as_function(case: Any, choices: Choices, given: Any) -> Iterator[Wrong]:
    """Call the formula with what stands after the star given wrongly."""
    from tests.laws import structures

    drawn = case.drawn
    if drawn.root.holds("lift") or structures.replaced(drawn.made) or structures.early(drawn.made):
        return
    values = case.values(drawn.made, lambda p: case.numbers[p].clone(), "torch")
    places = list(reached(drawn.made, values))
    call = lambda v: case.root(*given, **v)
    tensors = [(path, kind) for path, kind in places if kind in ("parameter", "state", "count")]
    if tensors:
        for path, kind in choices.some(tensors, 1, 2):
            name = "a state" if kind != "parameter" else "a parameter"
            data = at(values, path)
            yield f"{name} left out", lambda p=path: call(without(values, p))
            yield f"{name} that is None", lambda p=path: call(put(values, p, None))
            yield f"{name} of torch", lambda p=path, x=data: call(put(values, p, x.data))
            yield f"{name} in a list", lambda p=path: call(put(values, p, [1.0]))
            yield f"{name} that is a text", lambda p=path: call(put(values, p, "W"))
            yield f"{name} of numpy", lambda p=path, x=data: call(put(values, p, x.to("numpy")))
            if data.axes:
                new = data[nt.Axis(data.axes[0]) >> "unheard"]
                yield f"{name} over another axis", lambda p=path, x=new: call(put(values, p, x))
                less = nt.sum[data.axes[0]](data)
                yield f"{name} with an axis less", lambda p=path, x=less: call(put(values, p, x))
    dicts = [path for path, kind in places if kind == "bundle"]
    stacks = [path for path, kind in places if kind == "stack"]
    for path in choices.some(dicts, 0, 1):
        extra = {**at(values, path), "unheard": given[0]}
        yield "a bundle with one more", lambda p=path, x=extra: call(put(values, p, x))
        yield "a bundle that is None", lambda p=path: call(put(values, p, None, bundle=True))
        yield "a bundle that is a tensor", lambda p=path: call(put(values, p, given[0]))
        yield "a bundle that is a list", lambda p=path: call(put(values, p, [1]))
        yield "a bundle that is a text", lambda p=path: call(put(values, p, "att"))
        strange = torch.nn.Linear(1, 1)
        yield "a bundle of torch", lambda p=path: call(put(values, p, strange))
    for path in choices.some(stacks, 0, 1):
        yield "a stack that is a number", lambda p=path: call(put(values, p, 3))
        yield "a stack that is None", lambda p=path: call(put(values, p, None))
        yield "a stack that is a dict", lambda p=path: call(put(values, p, {"W": given[0]}))
        yield "a stack of tensors", lambda p=path: call(put(values, p, [given[0]]))
        yield "a stack of texts", lambda p=path: call(put(values, p, ["W"]))
        yield "a stack that is left out", lambda p=path: call(without(values, p))


def reached(made: Any, values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, str]]:
    """List the places in the values of a plain call, and what stands there."""
    for part in made.form.parts:
        held, own = made.parts.get(part.name), (*path, part.name)
        if isinstance(held, list):
            yield own, "stack"
            for i, layer in enumerate(held):
                yield from reached(layer, values[part.name][i], (*own, i))
        elif part.form is not None and held is not None:
            if part.kind == "bundle":
                yield own, "bundle"
            yield from reached(held, values[part.name], own)
        elif held and part.kind != "lift":
            yield own, part.kind


def at(values: Any, path: tuple[Any, ...]) -> Any:
    for word in path:
        values = values[word]
    return values


def put(values: Any, path: tuple[Any, ...], new: Any, bundle: bool = False) -> Any:
    first, *rest = path
    found = list(values) if isinstance(values, list) else dict(values)
    found[first] = put(values[first], tuple(rest), new) if rest else new
    return found


def without(values: Any, path: tuple[Any, ...]) -> Any:
    first, *rest = path
    if rest:
        found = list(values) if isinstance(values, list) else dict(values)
        found[first] = without(values[first], tuple(rest))
        return found
    return {name: value for name, value in values.items() if name != first}


def changed_wrongly(case: Any) -> Iterator[Wrong]:
    """Change a module after its making, or fill it from a file of something else."""
    choices = Choices(case.drawn.seed + 2)
    given = case.named(case.data())
    own = [p for p, (_, shape, kind) in case.leaves.items() if kind == "parameter" and shape]
    if not own:
        return
    path = choices.of(own)
    owner, _, name = path.rpartition(".")
    axes, shape, _ = case.leaves[path]

    def call(change: Callable[[Any], None]) -> Callable[[], Any]:
        def run() -> Any:
            model = case.module()
            if not case.drawn.root.states:
                model(*given)
            change(model.get_submodule(owner))
            return model(*given)

        return run

    bare = torch.nn.Parameter(torch.zeros((2, *shape), dtype=torch.float64))
    yield "a parameter of one more axis", call(lambda m: setattr(m, name, bare))
    yield "a parameter that is gone", call(lambda m: delattr(m, name))
    yield "a parameter that became None", call(lambda m: setattr(m, name, None))
    named = nt.zeros(*[nt.Axis(a)[n] for a, n in zip(axes, shape, strict=True)], backend="torch")
    yield "a parameter that is named", call(lambda m: setattr(m, name, named))
    if owner and not owner.split(".")[-1].isdigit():
        above, _, last = owner.rpartition(".")
        wrong = lambda m: setattr(m.get_submodule(above), last, other.module("unheard[2]"))

        def strange() -> Any:
            model = case.module()
            wrong(model)
            return model(*given)

        yield "a bundle of another formula", strange
    elif owner:
        above, _, last = owner.rpartition(".")

        def other_layer(layer: Any) -> Callable[[], Any]:
            def run() -> Any:
                model = case.module()
                if not case.drawn.root.states:
                    model(*given)
                model.get_submodule(above)[int(last)] = layer
                return model(*given)

            return run

        yield "a layer of torch", other_layer(torch.nn.Linear(1, 1))
        yield "a layer of another formula", other_layer(other.module("unheard[2]"))
    yield from files(case, path)


def files(case: Any, path: str) -> Iterator[Wrong]:
    numbers = {p: x.clone() for p, x in case.numbers.items()}
    wrong = {
        "a file with one tensor less": {p: x for p, x in numbers.items() if p != path},
        "a file with one tensor more": {**numbers, "unheard.W": torch.zeros(2)},
        "a file of another size": {
            **numbers,
            path: torch.zeros([n + 1 for n in numbers[path].shape]),
        },
        "a file of another rank": {**numbers, path: torch.zeros(1, *numbers[path].shape)},
    }
    for name, state in wrong.items():

        def load(state: Any = state) -> Any:
            model = case.module()
            before = copy.deepcopy(model.state_dict())
            with tempfile.TemporaryDirectory() as folder:
                file = str(Path(folder) / "model.pt")
                torch.save(state, file)
                try:
                    found = nt.load(model, file)
                finally:
                    for key, x in model.state_dict().items():
                        if not torch.equal(x, before[key]):
                            raise RuntimeError(f"{key} has changed")
            return found

        yield name, load
