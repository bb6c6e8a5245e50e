"""One law for models: a drawn structure gives what positional torch gives, whichever way it runs.

`python -m tests.laws.structures 0 1000` counts what becomes of structures 0 to 999; a third number says how
many failures of each kind are shown, and words after it name the ways to go (all by turns, if none is).
"""

from __future__ import annotations

import copy
import io
import itertools
import linecache
import pickle
import re
import sys
import tempfile
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, Z, formula
from namedtensor.formula.bundle import Bundle
from tests.laws import positional
from tests.laws.agreement import Disagreement
from tests.laws.misused import misused
from tests.laws.positional import Held, P, Together
from tests.laws.structure_drafts import AXES, Made, Structure, structure

_serial = itertools.count()


def library_words() -> dict[str, Any]:
    axes = {n: nt.Axis(n.replace("_", "'")) for n in AXES.split()}
    return {
        **axes,
        "nt": nt,
        "R": R,
        "Z": Z,
        "formula": formula,
        "checkpoint": checkpoint,
        "torch": torch,
    }


class Case:
    """A structure with its numbers: a module of it, and the same held by positional torch."""

    def __init__(self, drawn: Structure) -> None:
        self.drawn = drawn
        self.name = f"drawn_structure_{next(_serial)}"
        self.home = types.ModuleType(self.name)
        sys.modules[self.name] = self.home
        self.scope = vars(self.home)
        self.scope |= library_words()
        linecache.cache[self.name] = (len(drawn.text), None, drawn.text.splitlines(True), self.name)
        exec(compile(drawn.text, self.name, "exec", dont_inherit=True), self.scope)
        self.root = self.scope[drawn.root.name]
        self.second = positional.words(AXES)
        exec(compile(drawn.text, self.name, "exec", dont_inherit=True), self.second)
        self.leaves = self._leaves()
        self.numbers = self.some(drawn.seed)

    def close(self) -> None:
        del sys.modules[self.name], linecache.cache[self.name]

    # ------------------------------------------------------------------------------------ numbers

    def _leaves(self) -> dict[str, tuple[tuple[str, ...], tuple[int, ...], str]]:
        """The axes, sizes and kind of each parameter and state; what is tied stands once."""
        found: dict[str, tuple[tuple[str, ...], tuple[int, ...], str]] = {}
        self.first: dict[Any, str] = {}
        for path, made, part in self.drawn.made.leaves():
            known = (id(made), part.name)
            if known in self.first:
                continue
            self.first[known] = path
            if part.kind == "lift":
                n = made.sizes["emb"]
                found[f"{path}.weight"] = ("", ""), (n, n), "lift"
                found[f"{path}.bias"] = ("",), (n,), "lift"
            else:
                found[path] = (
                    tuple(axis(a) for a in made.axes_of(part)),
                    made.shape_of(part),
                    part.kind,
                )
        return found

    def some(self, seed: int) -> dict[str, torch.Tensor]:
        """Draw numbers for all of it."""
        rng = np.random.Generator(np.random.PCG64(seed))
        return {
            path: torch.zeros(shape, dtype=torch.int64)
            if kind == "count"
            else torch.from_numpy(np.asarray(rng.uniform(-0.8, 0.8, shape)))
            for path, (_, shape, kind) in self.leaves.items()
        }

    def data(self, seed: int = 0) -> list[tuple[torch.Tensor, tuple[str, ...]]]:
        """Draw the arguments: torch tensors with their axes, stored in some order."""
        rng = np.random.Generator(np.random.PCG64(7 * self.drawn.seed + seed))
        found = []
        for given in self.drawn.given():
            shape, axes = [n for _, n in given], tuple([axis(a) for a, _ in given])
            if self.drawn.integer:
                numbers = rng.integers(0, self.drawn.made.sizes["vocab"], shape)
            else:
                numbers = np.asarray(rng.uniform(-1.0, 1.0, shape))
            found.append((torch.from_numpy(np.asarray(numbers)), axes))
        return found

    # ------------------------------------------------------------------------------ both readings

    def module(self, numbers: dict[str, torch.Tensor] | None = None) -> Any:
        scope = dict(self.scope)
        exec(compile(self.drawn.build, self.name + ".build", "exec", dont_inherit=True), scope)
        model = scope["model"]
        fill(model, self.numbers if numbers is None else numbers)
        return model

    def twin(self, numbers: dict[str, torch.Tensor] | None = None) -> Held:
        """Hold copies of the numbers by positional torch."""
        self.arrays = {
            path: x.detach()
            .clone()
            .requires_grad_(x.is_floating_point() and kind_is_own(self.leaves[path][2]))
            for path, x in (self.numbers if numbers is None else numbers).items()
        }
        frozen: set[int] = set()
        paths = dict(self.drawn.made.every())
        for path in self.drawn.modes:
            frozen |= {id(m) for _, m in paths[path].every()}
        held: dict[int, Held] = {}
        return self._held(self.drawn.made, frozen, held)

    def _held(self, made: Made, frozen: set[int], known: dict[int, Held]) -> Held:
        if id(made) in known:
            return known[id(made)]
        values: dict[str, Any] = {}
        for part in made.form.parts:
            inner = made.parts.get(part.name)
            path = self.first.get((id(made), part.name), "")
            if isinstance(inner, Made):
                values[part.name] = self._held(inner, frozen, known)
            elif isinstance(inner, list):
                values[part.name] = [self._held(x, frozen, known) for x in inner]
            elif part.kind == "lift":
                weight, bias = self.arrays[f"{path}.weight"], self.arrays[f"{path}.bias"]
                linear = lambda x, w=weight, b=bias: torch.nn.functional.linear(x, w, b)
                values[part.name] = positional.lifted(linear, "emb")
            elif inner:
                values[part.name] = P(self.arrays[path], self.leaves[path][0])
            elif part.kind in ("optional", "absent"):
                values[part.name] = None
        form, mode = self.second[made.form.name], id(made) not in frozen
        if made.axis and made.axis in [p.name for p in made.form.parts]:
            raise AssertionError("an axis and a parameter of one name")
        found = Held(form, values, dict(made.settings), mode)
        if made.axis:
            found = Together(form, values, made.axis, made.count, dict(made.settings))
            found.training = mode
        known[id(made)] = found
        return found

    def states(self, held: Held) -> dict[str, P]:
        """Find the states of the twin by path."""
        found = {}
        for path, made, part in self.drawn.made.leaves():
            if part.kind in ("state", "count") and self.first[id(made), part.name] == path:
                found[path] = reached(held, path)
        return found

    def run_twin(self, held: Held, given: Any) -> tuple[torch.Tensor, ...]:
        """Call the twin; states are kept without gradients. Gives P's."""
        result = held(*[P(x, axes) for x, axes in given])
        detach(held)
        return result if isinstance(result, tuple) else (result,)

    def named(self, given: Any, library: str = "torch") -> list[Any]:
        return [nt.tensor(x if library == "torch" else x.numpy(), *axes) for x, axes in given]

    def values(self, made: Made, get: Callable[[str], Any], library: str) -> dict[str, Any]:
        """Give what a plain call takes after the star: named tensors, dicts, lists of dicts."""
        found: dict[str, Any] = dict(made.settings)
        for part in made.form.parts:
            inner = made.parts.get(part.name)
            if isinstance(inner, Made):
                found[part.name] = self.values(inner, get, library)
            elif isinstance(inner, list):
                found[part.name] = [self.values(x, get, library) for x in inner]
            elif inner and part.kind != "lift":
                path = self.first[id(made), part.name]
                data = get(path)
                data = data.detach().numpy() if library == "numpy" else data
                found[part.name] = nt.tensor(data, *self.leaves[path][0])
        return found


def axis(name: str) -> str:
    return name.replace("_", "'")


def kind_is_own(kind: str) -> bool:
    return kind not in ("state", "count")


def fill(model: Any, numbers: dict[str, torch.Tensor]) -> None:
    with torch.no_grad():
        held = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        if set(held) != set(numbers):
            raise Disagreement("paths", f"{sorted(held)}\nwanted {sorted(numbers)}")
        for path, x in numbers.items():
            if held[path].shape != x.shape:
                raise Disagreement("sizes", f"{path}: {held[path].shape} for {x.shape}")
            held[path].copy_(x)


def reached(held: Any, path: str) -> Any:
    for word in path.split("."):
        held = held[int(word)] if isinstance(held, list) else held.values[word]
    return held


def detach(held: Held) -> None:
    for name, X in held.values.items():
        if isinstance(X, Held):
            detach(X)
        elif isinstance(X, list):
            for layer in X:
                detach(layer)
        elif name in held.form.states:
            held.values[name] = P(X.data.detach(), X.axes)


# ---------------------------------------------------------------------------------------- compare


def same(found: Any, wanted: Any, what: str, loose: float = 1e-7) -> None:
    """Hold results to those of the twin."""
    parts = found if isinstance(found, tuple) else (found,)
    if len(parts) != len(wanted):
        raise Disagreement(f"{what}: results", f"{len(parts)} for {len(wanted)}")
    for Y, other in zip(parts, wanted, strict=True):
        if set(Y.axes) != set(other.axes):
            raise Disagreement(f"{what}: axes", f"{Y.axes} for {other.axes}")
        close(torch.as_tensor(Y.numpy(*other.axes)), other.data, what, loose)


def close(found: torch.Tensor, wanted: torch.Tensor, what: str, loose: float = 1e-7) -> None:
    if found.shape != wanted.shape:
        raise Disagreement(f"{what}: sizes", f"{tuple(found.shape)} for {tuple(wanted.shape)}")
    found, wanted = found.detach().double(), wanted.detach().double()
    if not torch.allclose(found, wanted, rtol=loose, atol=loose, equal_nan=True):
        raise Disagreement(what, f"{found}\nwanted {wanted}")


def total(parts: Any) -> torch.Tensor:
    parts = parts if isinstance(parts, tuple) else (parts,)
    arrays = [Y.torch() if isinstance(Y, nt.NamedTensor) and not Y.axes else Y.data for Y in parts]
    return sum([(x * x + x).sum() for x in arrays])  # type: ignore[return-value]


def gradients(case: Case, loss: torch.Tensor, held: dict[str, torch.Tensor], xs: Any = ()) -> Any:
    """Give the gradient of each parameter by path, and of the arguments; 0 where there is none."""
    names = [p for p, (_, _, kind) in case.leaves.items() if kind_is_own(kind)]
    own = [held[n] for n in names] + list(xs)
    if not own or not loss.requires_grad:
        return {n: torch.zeros_like(x) for n, x in zip([*names, *range(len(xs))], own, strict=True)}
    found = torch.autograd.grad(loss, own, allow_unused=True)
    return {
        n: torch.zeros_like(x) if g is None else g
        for n, x, g in zip([*names, *range(len(xs))], own, found, strict=True)
    }


def hold_gradients(case: Case, model: Any, twin: Held, given: Any, what: str) -> None:
    """Run both once, and compare results and gradients."""
    arrays = dict(case.arrays)
    xs = [x.clone().requires_grad_(x.is_floating_point()) for x, _ in given]
    own = [x.detach().clone().requires_grad_(x.requires_grad) for x in xs]
    wanted = case.run_twin(twin, [(x, axes) for x, (_, axes) in zip(own, given, strict=True)])
    found = model(*[nt.tensor(x, *axes) for x, (_, axes) in zip(xs, given, strict=True)])
    same(found, wanted, what)
    floats = [x for x in xs if x.requires_grad]
    mine = gradients(case, total(found), dict(model.named_parameters()), floats)
    theirs = gradients(case, total(wanted), arrays, [x for x in own if x.requires_grad])
    for name, g in theirs.items():
        close(mine[name], g, f"{what}: gradient", 1e-6)


def hold_states(case: Case, model: Any, twin: Held, what: str) -> None:
    held = dict(model.named_buffers())
    for path, X in case.states(twin).items():
        close(held[path], X.data, f"{what}: state")
        if held[path].requires_grad or held[path].dtype != case.numbers[path].dtype:
            raise Disagreement(f"{what}: state kept", f"{path} {held[path].dtype}")


# ------------------------------------------------------------------------------------------- ways


def as_module(case: Case) -> None:
    """Train for three steps, evaluate, and train once more."""
    model, twin = case.module(), case.twin()
    for step in range(3):
        hold_gradients(case, model, twin, case.data(step), f"module, step {min(step, 1)}")
        hold_states(case, model, twin, "module")
    model.eval()
    switch(twin, False)
    same(model(*case.named(case.data(5))), case.run_twin(twin, case.data(5)), "module in eval")
    hold_states(case, model, twin, "module in eval")
    model.train()
    switch(twin, True)
    same(model(*case.named(case.data(6))), case.run_twin(twin, case.data(6)), "module in train")
    hold_states(case, model, twin, "module in train")


def switch(held: Held, mode: bool) -> None:
    held.training = mode
    for X in held.values.values():
        for inner in X if isinstance(X, list) else [X]:
            if isinstance(inner, Held):
                switch(inner, mode)


def unset(held: Held) -> Held:
    """Give all the mode of the caller, as dicts have it."""
    switch(held, None)  # type: ignore[arg-type]
    return held


def plain(case: Case, library: str = "torch", mode: bool = True) -> None:
    """Call the formula with bundles as dicts and lists."""
    drawn = case.drawn
    if drawn.root.holds("lift"):
        return
    if any(m.form is not p.form for m in made_of(drawn) for p in m.form.parts if False):
        return
    if replaced(drawn.made):
        return  # a dict holds what is declared
    if early(drawn.made):
        return  # and no settings before the star
    if library == "numpy" and "checkpoint(" in drawn.text:
        return
    twin = unset(case.twin())
    given = case.data()
    with positional.mode(mode):
        wanted = case.run_twin(twin, given)
    held = {p: x.detach() for p, x in case.numbers.items()}
    values = case.values(drawn.made, held.__getitem__, library)
    with nt.training(mode):
        for _ in range(2):
            found = case.root(*case.named(given, library), **values)
            what = f"plain call on {library}"
            if drawn.root.states:
                *found, new = found
                same(tuple(found), wanted, what)
                hold_new(case, new, twin, what)
            else:
                same(found, wanted, what)


def hold_new(case: Case, new: Any, twin: Held, what: str) -> None:
    states = case.states(twin)
    every = {p for p, _, part in case.drawn.made.leaves() if part.kind in ("state", "count")}
    if set(new) != every:
        raise Disagreement(f"{what}: names of states", f"{sorted(new)} for {sorted(every)}")
    for path, X in states.items():
        close(torch.as_tensor(new[path].numpy(*X.axes)), X.data, f"{what}: new state")


def made_of(drawn: Structure) -> list[Made]:
    return [m for _, m in drawn.made.every()]


def tied(drawn: Structure) -> bool:
    every = made_of(drawn)
    return len({id(m) for m in every}) < len(every)


def replaced(made: Made) -> bool:
    """Say whether some bundle holds another formula than the declared one."""
    for part in made.form.parts:
        held = made.parts.get(part.name)
        for inner in held if isinstance(held, list) else [held]:
            if isinstance(inner, Made) and (inner.form is not part.form or replaced(inner)):
                return True
    return False


def early(root: Made) -> bool:
    """Say whether a bundle was made with a setting that stands before the star."""
    return any(
        p.name in made.settings and not p.late
        for path, made in root.every()
        if path
        for p in made.form.parts
    )


def on_numpy(case: Case) -> None:
    plain(case, "numpy")


def plain_in_eval(case: Case) -> None:
    plain(case, "torch", False)


def with_modules(case: Case) -> None:
    """Call the formula with the module's own bundles."""
    model, twin = case.module(), case.twin()
    given = case.data()
    wanted = case.run_twin(twin, given)
    values = {**model.settings, **model.named_values()}
    found = case.root(*case.named(given), **values)
    if case.drawn.root.states:
        *found, new = found
        same(tuple(found), wanted, "call with modules")
        hold_new(case, new, twin, "call with modules")
        for path, x in model.named_buffers():
            close(x, case.numbers[path], "call with modules: stored")
    else:
        same(found, wanted, "call with modules")


def on_data(case: Case) -> None:
    """Run all bodies on data."""
    model, twin = case.module(), case.twin()
    with nt.debug():
        for step in range(2):
            hold_gradients(case, model, twin, case.data(step), "debug")
            hold_states(case, model, twin, "debug")


def copies(case: Case, kind: str) -> None:
    """Copy a module that has run, and run the copy; the first one stays as it is."""
    model, twin = case.module(), case.twin()
    model(*case.named(case.data()))
    case.run_twin(twin, case.data())
    before = {n: x.detach().clone() for n, x in model.state_dict().items()}
    again = COPIES[kind](case, model)
    for n, x in again.state_dict().items():
        close(x, before[n], f"{kind}: numbers")
    modes = [m.training for m in again.modules()]
    if kind in ("deepcopy", "pickle") and modes != [m.training for m in model.modules()]:
        raise Disagreement(f"{kind}: modes", "")
    if kind not in ("deepcopy", "pickle") and case.drawn.modes:
        pass
    for step in (1, 2):
        hold_gradients(case, again, twin, case.data(step), kind)
        hold_states(case, again, twin, kind)
    for n, x in model.state_dict().items():
        close(x, before[n], f"{kind}: of the first")


def _by_state_dict(case: Case, model: Any) -> Any:
    again = case.module(case.some(99))
    again.load_state_dict(model.state_dict())
    return again


def _by_file(suffix: str) -> Any:
    def load(case: Case, model: Any) -> Any:
        again = case.module(case.some(99))
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / f"model{suffix}")
            nt.save(model, path)
            nt.load(again, path)
        return again

    return load


def _by_torch_file(case: Case, model: Any) -> Any:
    again = case.module(case.some(99))
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    again.load_state_dict(torch.load(file, weights_only=True))
    return again


COPIES: dict[str, Callable[[Case, Any], Any]] = {
    "deepcopy": lambda case, model: copy.deepcopy(model),
    "pickle": lambda case, model: pickle.loads(pickle.dumps(model)),
    "state dict": _by_state_dict,
    "torch file": _by_torch_file,
    "safetensors": _by_file(".safetensors"),
    "pt": _by_file(".pt"),
}


def functional(case: Case) -> None:
    """Run with other numbers by functional_call."""
    model = case.module()
    model(*case.named(case.data()))
    numbers = case.some(case.drawn.seed + 1)
    twin = case.twin(numbers)
    given = {
        p: x.clone().requires_grad_(kind_is_own(case.leaves[p][2])) for p, x in numbers.items()
    }
    wanted = case.run_twin(twin, case.data())
    found = torch.func.functional_call(model, given, tuple(case.named(case.data())))
    same(found, wanted, "functional_call")
    mine = gradients(case, total(found), given)
    for name, g in gradients(case, total(wanted), case.arrays).items():
        close(mine[name], g, "functional_call: gradient", 1e-6)
    for path, X in case.states(twin).items():
        close(given[path], X.data, "functional_call: state")
    for path, x in case.numbers.items():
        held = model.state_dict()
        if tied(case.drawn):
            break  # torch does not put back what is held twice
        if case.leaves[path][2] not in ("state", "count"):
            close(held[path], x, "functional_call: own")


def mapped(case: Case) -> None:
    """Run two models at once by vmap over their stacked numbers."""
    if case.drawn.modes:
        return
    several = [case.numbers, case.some(case.drawn.seed + 1)]
    models = [case.module(n) for n in several]
    model = case.module()
    wanted, states = [], []
    for numbers in several:
        twin = case.twin(numbers)
        wanted.append(case.run_twin(twin, case.data()))
        states.append(case.states(twin))
    params, buffers = torch.func.stack_module_state(models)
    order = [Y.axes for Y in wanted[0]]
    given = case.named(case.data())

    def run(params: Any, buffers: Any) -> Any:
        found = torch.func.functional_call(model, (params, buffers), tuple(given))
        parts = found if isinstance(found, tuple) else (found,)
        return tuple(Y.torch(*axes) for Y, axes in zip(parts, order, strict=True))

    if not params and not buffers:
        return
    found = torch.vmap(run, randomness="different")(params, buffers)
    for i, one in enumerate(wanted):
        for x, Y in zip(found, one, strict=True):
            close(x[i], Y.data, "vmap")
        for path, X in states[i].items():
            close(buffers[path][i], X.data, "vmap: state")


def widened(case: Case) -> None:
    """Give parameters one more axis, which passes through: two models at once."""
    drawn = case.drawn
    if drawn.root.holds("lift", "state", "count", "stacked") or replaced(drawn.made):
        return
    if early(drawn.made):
        return
    several = [case.numbers, case.some(drawn.seed + 1)]
    if not case.numbers:
        return
    every = {
        p: nt.tensor(torch.stack([n[p] for n in several]), "model", *case.leaves[p][0])
        for p in case.numbers
    }
    values = case.values(drawn.made, lambda p: every[p].data[0], "torch")
    values = _with(case, drawn.made, values, every)
    found = case.root(*case.named(case.data()), **values)
    for i, numbers in enumerate(several):
        wanted = case.run_twin(unset(case.twin(numbers)), case.data())
        parts = found if isinstance(found, tuple) else (found,)
        parts = tuple(Y[nt.Axis("model")(i)] if "model" in Y.axes else Y for Y in parts)
        same(parts, wanted, "one more axis")


def _with(case: Case, made: Made, values: Any, every: Any) -> Any:
    found = dict(values)
    for part in made.form.parts:
        inner = made.parts.get(part.name)
        if isinstance(inner, Made):
            found[part.name] = _with(case, inner, values[part.name], every)
        elif isinstance(inner, list):
            found[part.name] = [
                _with(case, x, v, every) for x, v in zip(inner, values[part.name], strict=True)
            ]
        elif inner:
            found[part.name] = every[case.first[id(made), part.name]]
    return found


def other_call(case: Case) -> None:
    """Run the formula itself, and one that calls it, through module.call."""
    model, twin = case.module(), case.twin()
    wanted = case.run_twin(twin, case.data())
    same(model.call(case.root, *case.named(case.data())), wanted, "module.call")
    hold_states(case, model, twin, "module.call")


def groups(case: Case) -> None:
    """Every parameter is in one group, once, and has its axes."""
    model = case.module()
    seen: dict[str, Any] = {}

    def options(name: str, axes: Any) -> dict[str, float]:
        seen[name] = axes
        return {"weight_decay": float(len(axes or ()))}

    found = nt.parameters(model, options)
    ids = [id(p) for g in found for p in g["params"]]
    if sorted(ids) != sorted([id(p) for p in model.parameters()]):
        raise Disagreement("parameters", f"{len(ids)} in groups, {len(list(model.parameters()))}")
    for path, (axes, _, kind) in case.leaves.items():
        if kind in ("parameter", "optional") and seen[path] != axes:
            raise Disagreement("parameters: axes", f"{path} {seen[path]} for {axes}")
        if kind != "lift" and model.axes[path] != axes:
            raise Disagreement("axes", f"{path} {model.axes[path]} for {axes}")
    own = {p: s for p, (_, s, k) in case.leaves.items() if kind_is_own(k)}
    count = sum([int(np.prod(s)) for s in own.values()])
    summary = nt.summary(model)
    rows = sum([row.count for row in summary.rows])
    if (summary.count, rows, summary.bytes) != (count, count, 8 * count):
        raise Disagreement("summary", f"{summary.count}, {rows} for {count}\n{summary}")
    if not str(summary) or not model._repr_html_() or not repr(model):
        raise Disagreement("summary: text", "")


def asked(case: Case) -> None:
    """The shape, the code, the steps and the explanation speak of what runs."""
    model = case.module()
    given = case.named(case.data())
    found = copy.deepcopy(model)(*given)
    parts = found if isinstance(found, tuple) else (found,)
    shape = model.shape(*given)
    shapes = shape if isinstance(shape, tuple) else (shape,)
    if tuple(shapes) != tuple(Y.shape for Y in parts):
        raise Disagreement("shape", f"{shape} for {[Y.shape for Y in parts]}")
    bare = [
        " ".join(f"{a}[{n}]" for a, n in zip(axes, x.shape, strict=True)) for x, axes in case.data()
    ]
    again = model.shape(*bare)
    if again != shape:
        raise Disagreement("shape of texts", f"{again} for {shape}")
    before = {n: x.clone() for n, x in model.named_buffers()}
    steps = model.steps(*given)
    if steps.error is not None:
        raise Disagreement("steps", str(steps.error))
    for f in ("flops", "multiply_adds", "bytes"):
        whole, sum_ = getattr(steps, f), sum([getattr(r, f) or 0 for r in steps.rows])
        if whole is None or whole != sum_:
            raise Disagreement(f"steps: {f}", f"{whole} for {sum_}")
        for _, row in steps.every():
            own = sum([getattr(r, f) or 0 for r in row.rows])
            if row.rows and row.times == 1 and "lambda" not in row.text and getattr(row, f) != own:
                raise Disagreement(
                    f"steps: {f} of a row", f"{row.text} {getattr(row, f)} for {own}"
                )
    texts = model.steps(*bare)
    if (texts.flops, texts.multiply_adds, texts.bytes) != (
        steps.flops,
        steps.multiply_adds,
        texts.bytes,
    ):
        raise Disagreement("steps of texts", f"{texts.flops} for {steps.flops}\n{texts}\n{steps}")
    hold_flops(case, model, steps, given)
    if not str(steps) or not steps._repr_html_() or not steps.latex():
        raise Disagreement("steps: text", "")
    if not nt.explain(model, *given).startswith(case.root.name):
        raise Disagreement("explain", nt.explain(model, *given))
    compile(model.code(*given), "<code>", "exec")
    for n, x in model.named_buffers():
        close(x, before[n], "asking: states")


def hold_flops(case: Case, model: Any, steps: Any, given: Any) -> None:
    """The multiply-adds are those of the twin, as it is written."""
    if "checkpoint(" in case.drawn.text:
        return
    twin = case.twin()
    positional.MULTIPLIED[0] = 0
    case.run_twin(twin, case.data())
    if positional.MULTIPLIED[0] != steps.multiply_adds:
        raise Disagreement(
            "multiply-adds",
            f"{steps.multiply_adds}, of the twin {positional.MULTIPLIED[0]}\n{steps}",
        )


#: Derivatives that are refused: of a step that draws or of no steps, and, over further axes, of a loop whose
#: step has a loop.
NOT_DERIVED = ("scan has no rule", "cannot compute it: ")


def derived(case: Case) -> None:
    """A derivative by a path is that of the twin."""
    drawn = case.drawn
    paths = [p for p, (_, _, k) in case.leaves.items() if k in ("parameter", "optional")]
    if not paths or drawn.root.holds("lift") or "checkpoint(" in drawn.text:
        return
    path = paths[drawn.seed % len(paths)]
    model, twin = case.module(), case.twin()
    arrays = case.arrays
    wanted = case.run_twin(twin, case.data())[0]
    loss = wanted.data.sum()
    if len(drawn.root.results) > 1 or replaced(drawn.made) or tied(drawn):
        return  # a path goes by what is declared, and by one place
    g = (
        torch.autograd.grad(loss, arrays[path], allow_unused=True)[0]
        if loss.requires_grad
        else None
    )
    g = torch.zeros_like(arrays[path]) if g is None else g
    values = {**model.settings, **model.named_values()}
    try:
        found = nt.derivative(case.root, by=path)(*case.named(case.data()), **values)
    except nt.NamedTensorError as error:
        if any(said in str(error) for said in NOT_DERIVED):
            return
        raise
    axes = case.leaves[path][0]
    rest = [a for a in found.axes if a not in [f"{x}*" for x in axes]]
    data = nt.sum[tuple(rest)](found) if rest else found
    close(data.torch(*[f"{x}*" for x in axes]), g, "derivative by a path", 1e-6)


def unread(drawn: Structure) -> bool:
    """Say whether what is printed of a call is not read: of one with settings or several results."""
    settings = re.search(
        r"\w\([^()]*(=|, (?!X\b))[^()]*\)$", "\n".join(drawn.text.splitlines()), re.M
    )
    inner = [f for f in drawn.forms if f is not drawn.root]
    read = any(p.read for f in drawn.forms for p in f.parts)
    return bool(settings) or read or any(len(f.results) > 1 for f in inner)


def printed(case: Case) -> None:
    """What is printed is read without a finding, gives the same numbers, and so does its Python."""
    drawn = case.drawn
    if drawn.root.holds("lift", "stacked") or "checkpoint(" in drawn.text or drawn.modes:
        return
    if any(p.kind == "stack" for f in drawn.forms if f is not drawn.root for p in f.parts):
        return  # the length of a stack within is a letter
    if any(m.settings for m in made_of(drawn)) or unread(drawn):
        return
    if replaced(drawn.made) or any(not list(m.leaves()) for m in made_of(drawn)[1:]):
        return  # another formula's layers are printed once, and a bundle of nothing is not printed
    model, twin = case.module(), case.twin()
    given = case.data()
    wanted = case.run_twin(twin, given)
    for dialect in ("underset", "macros"):
        text = model.latex(dialect)
        document = nt.latex.read(text)
        found = [f for f in (*document.findings, *document.check()) if f.severity != "note"]
        if found:
            raise Disagreement(f"printed: {found[0].code}", f"{found[0]}\n{text}")
        again = document[case.root.name]
        try:
            result = again(**printed_values(case, model, again, given))
            same(result, wanted, "printed")
        except Exception as error:
            kind = getattr(error, "kind", f"printed: {type(error).__name__}")
            raise Disagreement(kind, f"{error}\n{text}") from error


def printed_values(case: Case, model: Any, again: Any, given: Any) -> dict[str, Any]:
    """Give what a formula that was read takes: the layers of a stack one by one."""
    held = {**dict(zip("XY", case.named(given), strict=False)), **given_parts(model)}
    for name, value in list(held.items()):
        if isinstance(value, list):
            held |= {f"{name}__{i + 1}": layer for i, layer in enumerate(value)}
    names = [p.name for p in again.signature.parameters]
    missing = [n for n in names if n not in held]
    if missing:
        raise Disagreement("printed: names", f"{missing} of {names}, and {list(held)}")
    return {n: held[n] for n in names}


def given_parts(module: Any) -> dict[str, Any]:
    """Give what a module holds, without what is left out: a formula that was read knows nothing of it."""
    found = {}
    for name, value in module.named_values().items():
        if isinstance(value, list):
            found[name] = [given_parts(layer) for layer in value]
        elif hasattr(value, "named_values"):
            found[name] = given_parts(value)
        elif isinstance(value, Bundle):
            found[name] = {n: v for n, v in value._values.items() if v is not None}
        elif isinstance(value, nt.NamedTensor):
            found[name] = value
    return found


def saved(case: Case) -> None:
    """Run inside of a checkpoint, which runs the body again in the backward pass."""
    model, twin = case.module(), case.twin()
    given = case.data()
    wanted = case.run_twin(twin, given)
    xs = [x.clone().requires_grad_(x.is_floating_point()) for x, _ in given]
    named = [nt.tensor(x, *axes) for x, (_, axes) in zip(xs, given, strict=True)]
    try:
        found = checkpoint(model, *named, use_reentrant=False)
        same(found, wanted, "checkpoint")
        mine = gradients(case, total(found), dict(model.named_parameters()))
    except nt.BackendError as error:
        if "has been updated since" in str(error):
            return
        raise
    for name, g in gradients(case, total(wanted), case.arrays).items():
        close(mine[name], g, "checkpoint: gradient", 1e-6)
    hold_states(case, model, twin, "checkpoint")


def compiled(case: Case) -> None:
    """Compile the module whole."""
    model, twin = case.module(), case.twin()
    torch._dynamo.reset()
    run = torch.compile(model, fullgraph="checkpoint(" not in case.drawn.text, backend="aot_eager")
    for step in range(2):
        given = case.data(step)
        wanted = case.run_twin(twin, given)
        same(run(*case.named(given)), wanted, "compiled")
        hold_states(case, model, twin, "compiled")
    torch._dynamo.reset()


def exported(case: Case) -> None:
    """Export the module, and run what came of it."""
    model = case.module()
    model.eval()
    twin = case.twin()
    switch(twin, False)
    given = case.named(case.data())
    program = torch.export.export(model, tuple(given))
    same(program.module()(*given), case.run_twin(twin, case.data()), "exported")


WAYS: dict[str, Callable[[Case], None]] = {
    "plain": plain,
    "numpy": on_numpy,
    "plain in eval": plain_in_eval,
    "modules": with_modules,
    "debug": on_data,
    **{kind: (lambda case, kind=kind: copies(case, kind)) for kind in COPIES},
    "functional": functional,
    "vmap": mapped,
    "widened": widened,
    "call": other_call,
    "groups": groups,
    "asked": asked,
    "derived": derived,
    "printed": printed,
    "misused": misused,
    "checkpoint": saved,
}
#: Warnings that are said rightly: plans for each call, files without names, torch about vmap.
EXPECTED = (".*was planned.*", ".*names no axes.*", ".*performance drop.*")
SLOW = {"compiled": compiled, "exported": exported}


def chosen(drawn: Structure) -> list[str]:
    """Give three of the ways, which go round with a structure's number."""
    names = list(WAYS)
    return [names[(drawn.seed + 7 * i) % len(names)] for i in range(3)]


def hold(drawn: Structure, ways: Sequence[str] = ()) -> None:
    """Raise Disagreement, or whatever else is met, unless a structure gives what its twin gives."""
    case = Case(drawn)
    wanted = ways or chosen(drawn)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for expected in EXPECTED:
                warnings.filterwarnings("ignore", message=expected)
            for way, run in {"module": as_module, **WAYS, **SLOW}.items():
                if way == "module" or way in wanted:
                    try:
                        run(case)
                    except Exception as error:
                        error.way = way  # type: ignore[attr-defined]
                        raise
    finally:
        case.close()


if __name__ == "__main__":  # python -m tests.laws.structures 0 1000
    words = sys.argv[1:]
    first, number = int(words[0]), int(words[1])
    shown = int(words[2]) if len(words) > 2 else 2
    counts: Counter[str] = Counter()
    met: dict[str, list[tuple[int, str]]] = {}
    for seed in range(first, first + number):
        drawn = structure(seed)
        try:
            hold(drawn, words[3:])
            counts["holds"] += 1
        except Exception as error:
            kinds = getattr(error, "kinds", None) or [
                getattr(error, "kind", type(error).__name__ + " " + str(error).split(":")[0][:60])
            ]
            where = "".join(traceback.format_exception(error)[-5:])
            for kind in [f"{getattr(error, 'way', '')}: {kind}" for kind in kinds]:
                counts[kind] += 1
                text = f"## {seed} {kind}\n{drawn.text}\n{drawn.build}\n{drawn.given()}\n{where}"
                met.setdefault(kind, []).append((len(drawn.text), text))
    for found in met.values():
        for _, text in sorted(found)[:shown]:
            print(text[:5000])
    print(f"structures {first} to {first + number - 1}")
    for kind, n in counts.most_common():
        print(f"{n:6,}  {kind}")
