"""One law for programs: every way to run one gives the same numbers, the same kind, or the same error.

The ways are eager numpy and torch, a formula of each, the formula without kernels, with axes that it
does not declare, again with other sizes, under vmap and compiled, and the paper's definitions.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

import namedtensor as nt
from namedtensor import Axis, B, R, Z
from namedtensor.testing import RecordTensor
from namedtensor.testing import definitions as D
from namedtensor.testing.recurrence import recurrence
from tests.laws import programs
from tests.laws.draft import EPSILON, Program, kind_of

SPACES = {"R": R, "Z": Z, "B": B}

#: What a program's text may say.
WORDS: dict[str, Any] = {"nt": nt, "A": Axis, "R": R, "Z": Z, "B": B}
#: How its functions hold the parameters of others: as they stand, and where they are formulas.
EAGER: dict[str, Any] = {"bound": functools.partial, "each": lambda layer: None}
FORMULAS: dict[str, Any] = {
    "bound": lambda layer, **given: given,
    "each": lambda layer: nt.each[layer],
}
ORACLE: dict[str, Any] = {"D": D, "inf": math.inf, "recurrence": recurrence}


class Disagreement(AssertionError):
    """Two ways of running a program differ; `kind` says how, so that shrinking keeps to one fault."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind


# ------------------------------------------------------------------------------------------- text


def axes_of(sizes: Any, hidden: Any = ()) -> str:
    names = [repr(a) for a in sizes if a not in hidden]
    return f"[{', '.join(names)}]" if names else ""


def letter(kind: str, seed: int) -> str:
    """Write the space of whole numbers and truth values as such, or as R, which holds them too."""
    return {"int": "Z", "bool": "B"}.get(kind, "R") if seed % 2 else "R"


def written(program: Program, head: str = "") -> str:
    """Write a program as Python: a formula's function, and perhaps one for a part of it."""
    if program.source:
        return program.source.replace("@made\n", f"{head}\n" if head else "")
    group = grouped(program)
    before: list[str] = []
    body: list[str] = []
    inside: list[str] = []
    for i, step in enumerate(program.steps):
        line = f"    t{i} = {step.text.format(*map(program.name, step.operands))}"
        if group and i in group[0]:
            inside.append(line)
            if i == group[2]:
                body.append(f"    t{i} = inner({', '.join(map(program.name, group[1]))})")
        else:
            body.append(line)
    if group:
        known = {program.name(v): program.known(v).sizes for v in group[1]}
        shut = group[3]
        result = axes_of(program.steps[group[2]].known.sizes, shut)
        given = ", ".join(f"{name}: R{axes_of(sizes, shut)}" for name, sizes in known.items())
        before = [
            head,
            f"def inner({given}) -> R{result}:",
            *inside,
            f"    return t{group[2]}",
            "",
            "",
        ]
    results = [program.known(r).sizes for r in program.results]
    arrows = [f"R{axes_of(sizes, program.hidden)}" for sizes in results]
    arrow = arrows[0] if len(arrows) == 1 else f"tuple[{', '.join(arrows)}]"
    given = []
    for i, X in enumerate(program.inputs):
        if X.after and "*" not in given:
            given.append("*")
        given.append(
            f"{program.name(i)}: {letter(X.kind, X.seed)}{axes_of(X.axes, program.hidden)}"
        )
    arrow = f" -> {arrow}" if not program.faulty else ""
    lines = [
        *before,
        head,
        f"def program({', '.join(given)}){arrow}:",
        *body,
        f"    return {', '.join(map(program.name, program.results))}",
    ]
    return "\n".join(line for line in lines if line or not head).lstrip("\n") + "\n"


def grouped(program: Program) -> tuple[range, list[int], int, frozenset[str]] | None:
    """Give the steps of the inner formula, what it takes, what it gives, and what it lifts over.

    A formula takes one size for one name, and this one gives one tensor: other parts stay outside.
    """
    if program.inner is None:
        return None
    n = len(program.inputs)
    steps = range(*program.inner)
    values = [n + i for i in steps]
    taken = dict.fromkeys(v for i in steps for v in program.steps[i].operands if v not in values)
    later = [v for i, step in enumerate(program.steps) if i not in steps for v in step.operands]
    given = [v for v in values if v in later or v in program.results]
    sizes: dict[str, int] = {}
    for v in taken:
        for axis, size in program.known(v).sizes.items():
            if sizes.setdefault(axis, size) != size:
                return None
    if len(given) != 1 or not taken:
        return None
    named = frozenset().union(*[program.steps[i].named for i in steps])
    if program.faulty or "..." in named:
        return None
    if named & program.hidden:
        return None
    shut = frozenset(a for a in sizes if a not in named) if program.inner[0] % 2 else frozenset()
    shut |= program.hidden  # what the outer formula does not declare, the inner one cannot name
    return steps, list(taken), given[0] - n, shut


def by_definition(program: Program) -> str:
    """Write a program in the oracle's words."""
    names = ", ".join(program.name(i) for i in range(len(program.inputs)))
    lines = [f"def program({names}):"]
    for i, step in enumerate(program.steps):
        lines.append(f"    t{i} = {step.define.format(*map(program.name, step.operands))}")
    lines.append(f"    return {', '.join(map(program.name, program.results))}")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------- running


@dataclass(slots=True)
class Numbers:
    """One result: positional numbers with the axes in order of their names, and what holds them."""

    axes: tuple[str, ...]
    array: Any
    kind: str
    dtype: str


@dataclass(slots=True)
class Refused:
    """The class of an error and its text."""

    name: str
    text: str


Outcome = list[Numbers] | Refused


def outcome(call: Callable[[], Any], way: str) -> Outcome:
    """Run, and give the numbers or our error; another's error is a disagreement of its own."""
    try:
        found = call()
    except nt.NamedTensorError as error:
        return Refused(type(error).__name__, str(error))
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        raise Disagreement(
            f"foreign {type(error).__name__}", f"{way} raises {type(error).__name__}: {first}"
        ) from error
    return [numbers(X) for X in (found if isinstance(found, tuple) else (found,))]


def numbers(X: Any) -> Numbers:
    """Read a result: its numbers are a float, a whole number, a truth value or complex in numpy."""
    data = X.data
    if isinstance(data, torch.Tensor):
        dtype = str(data.dtype).removeprefix("torch.")
        data = data.detach().resolve_conj().resolve_neg()
        array = (data.double() if data.dtype is torch.bfloat16 else data).numpy()
    else:
        dtype, array = str(data.dtype), data
    if kind_of(dtype).removeprefix("u") != X.kind:
        raise Disagreement("kind of numbers", f"a result holds {X.kind} numbers in {dtype}")
    axes = X.axes
    if len(axes) > 1:
        order = sorted(range(len(axes)), key=axes.__getitem__)
        array, axes = array.transpose(order), tuple([axes[i] for i in order])
    return Numbers(axes, array, X.kind, dtype)


def to_torch(array: Any, dtype: str) -> torch.Tensor:
    """Give torch the same memory where it can have it."""
    if any(s < 0 for s in array.strides):
        array = array.copy()
    if not array.flags.writeable:  # spread over an axis: numpy marks it, torch cannot
        whole = torch.from_numpy(array[:1].copy()).expand(array.shape)
    else:
        whole = torch.from_numpy(array)
    return whole.to(torch.bfloat16) if dtype == "bfloat16" else whole


class Runs:
    """One program with its numbers, ready to run on any way."""

    def __init__(self, program: Program, spread: bool = False, sizes: Any = None) -> None:
        self.program = program
        self.spread = spread
        self.arrays = programs.arrays(program, spread, sizes)
        if spread and program.dtype == "bfloat16":
            self.arrays = [
                torch.from_numpy(a.copy()).bfloat16().float().numpy()
                if X.dtype == "bfloat16"
                else a
                for X, a in zip(program.inputs, self.arrays, strict=True)
            ]
        self._code = compile(written(program, "@made"), "<program>", "exec")
        self.eager = self.made(lambda function: function, EAGER)

    def named(self, library: str) -> list[Any]:
        return [
            nt.tensor(a if library == "numpy" else to_torch(a, X.dtype), *X.axes)
            for X, a in zip(self.program.inputs, self.arrays, strict=True)
        ]

    def call(self, function: Any, given: Sequence[Any]) -> Any:
        """Call with parameters by name, as they stand after the star."""
        inputs = self.program.inputs
        before = [X for X, own in zip(given, inputs, strict=True) if not own.after]
        after = {
            self.program.name(i): X
            for i, (X, own) in enumerate(zip(given, inputs, strict=True))
            if own.after
        }
        return function(*before, **after)

    def made(self, made: Callable[[Any], Any], words: dict[str, Any]) -> Any:
        """Make the program and its parts of the functions of its text."""
        scope = {**WORDS, **words, "made": made}
        exec(self._code, scope)
        return scope["program"]

    def formula(self, **how: Any) -> Any:
        """Make a formula of the program, of its parts too."""
        return self.made(functools.partial(nt.formula, **how), FORMULAS)

    def mixed(self, **how: Any) -> Any:
        """Make formulas of the parts of a program, which itself stays as it is."""
        made = functools.partial(nt.formula, **how)
        return self.made(lambda f: f if f.__name__ == "program" else made(f), FORMULAS)


# -------------------------------------------------------------------------------------- comparing


def same(
    program: Program,
    found: Outcome,
    expected: Outcome,
    way: str,
    scale: float = 1.0,
    other: bool = False,
) -> None:
    """Raise Disagreement unless two outcomes agree as far as rounding lets them."""
    if isinstance(found, Refused) or isinstance(expected, Refused):
        mine = found.name if isinstance(found, Refused) else "a result"
        theirs = expected.name if isinstance(expected, Refused) else "a result"
        # sizes are checked before a number is read, so that of two faults a formula may find the other
        if mine != theirs and not (other and "a result" not in (mine, theirs)):
            texts = [x.text for x in (found, expected) if isinstance(x, Refused)]
            raise Disagreement(f"{mine} for {theirs}", f"{way}\n" + "\n".join(texts))
        return
    if len(found) != len(expected):
        raise Disagreement("count", f"{way}: {len(found)} results for {len(expected)}")
    for place, (a, b) in enumerate(zip(found, expected, strict=True)):
        known = program.known(program.results[place])
        shapes = [dict(zip(x.axes, x.array.shape, strict=True)) for x in (a, b)]
        if shapes[0] != shapes[1]:
            raise Disagreement("shape", f"{way}: {shapes[0]} for {shapes[1]}")
        if a.kind != b.kind:
            raise Disagreement("kind", f"{way}: {a.kind} for {b.kind}")
        error = known.error
        if other and b.array.size:
            # numbers that are exact at the sizes drawn need not be at others
            error += float(np.max(np.abs(b.array), where=np.isfinite(b.array), initial=1.0))
        bound = scale * 4 * error * EPSILON[program.dtype]
        differ(program, a.array, b.array, bound, f"{way}, result {place}")


def differ(program: Program, a: Any, b: Any, bound: float, way: str, kind: str = "numbers") -> None:
    """Raise Disagreement where numbers lie further apart than a bound; nan is at home with nan."""
    if a.size == 0:
        return
    if a.dtype.kind in "bi" and b.dtype.kind in "bi":
        near = a == b
    else:
        near = (np.abs(a - b) <= bound + 1e-30) | (a == b) | ((a != a) & (b != b))
    if nan_somewhere(program):
        near |= (a != a) | (b != b)
        near |= any(w in step.text for w in FORGETS_NAN for step in program.steps)
    if not near.all():
        first = tuple(int(i) for i in np.argwhere(~near)[0])
        raise Disagreement(
            kind, f"{way}: {a[first]!r} for {b[first]!r} at {first}, bound {bound:.1e}"
        )


def nan_somewhere(program: Program) -> bool:
    """Say whether one way may give nan where another gives a number.

    A row of nothing but -inf has no softmax, and torch's attention gives 0; a norm may multiply its mean
    by an infinite weight; a lookup reads its own records, and a product with one-hot vectors adds
    0 times infinity from others, as does a chain of products in another order; torch's gelu of
    infinity is nan in float32, and so is the imaginary part of a complex number that an infinite
    real one is added to (docs/decisions.md). Linear upsampling gives a neighbour the weight 0, or what
    rounding leaves of it.
    """
    texts = [step.text for step in program.steps]
    masks = program.special or any("-nt.inf" in text for text in texts)
    if masks and any("softmax" in text or "nt.exp" in text for text in texts):
        return True
    words = ("standardize", "one_hot", "gelu", "complex", "1j", "linear=True")
    if program.special and sum([_products(text) for text in texts]) > 1:
        return True
    complex_ = any("complex" in X.dtype for X in program.inputs)
    return program.special and (complex_ or any(w in text for w in words for text in texts))


def _products(text: str) -> int:
    """Count the products of a step, each of two tensors."""
    return text.rpartition("](")[2].count(",") if "nt.dot" in text else "@" in text


#: What makes other numbers of nan: where one way has it and another does not, nothing can be said.
FORGETS_NAN = (
    "nan",
    "isfinite",
    "isinf",
    "where",
    "sort",
    "arg",
    "top",
    "sign",
    "<",
    ">",
    "==",
    "!=",
)


def part_of(dtype: str) -> str:
    """Give the dtype of the parts of a complex number, and any other as it is."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def same_dtype(program: Program, found: Outcome, expected: Outcome, way: str) -> None:
    """Raise Disagreement unless the dtypes are alike.

    Real numbers of whole numbers take the data's dtype in a formula, which knows all of it (complex numbers
    have the dtype of their parts); an operation alone has the library's choice, a wider one on numpy
    and perhaps a narrower one on torch.
    """
    if isinstance(found, Refused) or isinstance(expected, Refused):
        return
    given = {part_of(X.dtype) for X in program.inputs}
    if "bfloat16" in given:  # which numpy holds in float32
        given.add("float32")
    if any([", float)" in step.text for step in program.steps]):  # nt.cast(X, float)
        given.add("float64")
    for a, b in zip(found, expected, strict=True):
        real = a.kind == b.kind and a.kind in ("float", "complex") and part_of(a.dtype) in given
        if a.dtype != b.dtype and not real:
            raise Disagreement("dtype", f"{way}: {a.dtype} for {b.dtype}")


# ---------------------------------------------------------------------------------------- the law

#: Formulas: the library, and whether kernels are looked for. Each program has some of them, in turn.
TRACED = (("torch", True), ("numpy", True), ("torch", False), ("numpy", False))
TURNS = (TRACED[:2], TRACED[2:3], TRACED[:1], TRACED[1::2])
#: How often a way is tried that costs more: once in so many programs, so that all of them meet.
OFTEN = {
    "lifting": 2,
    "wide": 2,
    "other": 3,
    "gradient": 5,
    "oracle": 7,
    "untraced": 11,
    "compiled": 5003,
}


def hold(program: Program, seed: int, every: bool = False, compiled: bool = False) -> list[str]:
    """Raise Disagreement unless all ways to run a program agree; give the ways that were tried."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _hold(program, seed, every, compiled)


def _hold(program: Program, seed: int, every: bool, compiled: bool) -> list[str]:
    due = lambda way: every or seed % OFTEN[way] == 0
    runs = Runs(program)
    before = [a.tobytes() for a in runs.arrays]
    given = {library: runs.named(library) for library in ("numpy", "torch")}
    expected = outcome(lambda: runs.call(runs.eager, given["numpy"]), "eager numpy")
    unchanged(runs, before)
    if isinstance(expected, Refused) and not program.faulty:
        raise Disagreement(f"refused {expected.name}", f"eager numpy\n{expected.text}")
    if isinstance(expected, list) and program.faulty:
        raise Disagreement("accepted", f"eager numpy takes {program.steps[-1].text}")
    if isinstance(expected, list):
        for place, result in zip(program.results, expected, strict=True):
            known = program.known(place)
            shape = dict(zip(result.axes, result.array.shape, strict=True))
            if shape != known.sizes:
                raise Disagreement(
                    "contract's shape", f"eager numpy gives {shape} for {known.sizes}"
                )
            if result.kind != known.kind:
                raise Disagreement(
                    "contract's kind", f"eager numpy gives {result.kind} for {known.kind}"
                )
    eager = {"numpy": expected}
    eager["torch"] = outcome(lambda: runs.call(runs.eager, given["torch"]), "eager torch")
    if refuses_two_dtypes(eager["torch"]):
        return ["numpy"]
    same(program, eager["torch"], expected, "eager torch for eager numpy")
    tried = ["numpy", "torch"]
    formulas = {}
    for library, fuse in TRACED if every else TURNS[seed % 4]:
        made = formulas[library, fuse] = runs.formula(fuse=fuse)
        way = f"formula on {library}{'' if fuse else ' with fuse=False'}"
        found = outcome(lambda made=made, library=library: runs.call(made, given[library]), way)
        same(program, found, eager[library], f"{way} for eager {library}")
        same_dtype(program, found, eager[library], f"{way} for eager {library}")
        tried.append(way)
    if due("untraced"):
        found = outcome(lambda: runs.call(runs.formula(trace=False), given["numpy"]), "untraced")
        same(program, found, expected, "untraced formula on numpy")
        same_dtype(program, found, expected, "untraced formula on numpy")
        tried.append("untraced")
    if due("other") and program.dtype == "float64":
        other_sizes(program, formulas)
        tried.append("other sizes")
    if isinstance(expected, list):
        if due("oracle") and not program.special:  # Python orders nan as it comes
            same(program, oracle(program, runs), expected, "the definitions for eager numpy")
            tried.append("oracle")
        if due("lifting") and program.hidden:
            under_vmap(program, runs, given["torch"], eager["torch"])
            among_its_own_names(program, runs, given["torch"], eager["torch"])
            tried += ["vmap", "hygiene"]
        if due("wide"):
            over_another(program, runs, seed)
            tried.append("another axis")
        if due("gradient") and program.dtype in ("float64", "float32") and not program.special:
            gradients(program)
            tried.append("gradient")
        if compiled:
            under_compile(program, runs, given["torch"], eager["torch"])
            tried.append("compiled")
    unchanged(runs, before)
    return tried


def unchanged(runs: Runs, before: Sequence[bytes]) -> None:
    """Raise Disagreement where an input's numbers are no more what they were."""
    for i, (a, old) in enumerate(zip(runs.arrays, before, strict=True)):
        if a.tobytes() != old:
            name = runs.program.name(i)
            raise Disagreement("changed", f"{name} has other numbers after it was used")


#: Other sizes for the sizes drawn.
OTHER = {2: 3, 3: 2, 4: 3, 1: 2, 0: 0}


def other_sizes(program: Program, formulas: dict[tuple[str, bool], Any]) -> None:
    """A plan is for all sizes: call the same formulas with tensors of other sizes."""
    runs = Runs(program, sizes=OTHER)
    for (library, fuse), made in formulas.items():
        given = runs.named(library)
        way = f"formula on {library}, fuse={fuse}, again with other sizes"
        expected = outcome(
            lambda given=given: runs.call(runs.eager, given), f"eager {library}, other sizes"
        )
        found = outcome(lambda made=made, given=given: runs.call(made, given), way)
        if isinstance(found, Refused) and "one name has one size in a formula" in found.text:
            # the formula inside holds its arguments to that, which a plain function does not
            anew = runs.formula(fuse=fuse)
            expected = outcome(lambda made=anew, given=given: runs.call(made, given), "anew")
        same(program, found, expected, f"{way} for eager {library}", scale=64.0, other=True)
        same_dtype(program, found, expected, way)


def oracle(program: Program, runs: Runs) -> Outcome:
    """Run the definitions on records."""
    scope = dict(ORACLE)
    exec(compile(by_definition(program), "<definitions>", "exec"), scope)
    found = scope["program"](
        *[records(X.axes, a) for X, a in zip(program.inputs, runs.arrays, strict=True)]
    )
    results = found if isinstance(found, tuple) else (found,)
    return [
        of_records(T, program.known(place).kind)
        for T, place in zip(results, program.results, strict=True)
    ]


def records(axes: Sequence[str], array: Any) -> RecordTensor:
    entries = {
        frozenset(zip(axes, at, strict=True)): number
        for at, number in zip(np.ndindex(array.shape), array.ravel().tolist(), strict=True)
    }
    return RecordTensor(dict(zip(axes, array.shape, strict=True)), entries)


def of_records(T: RecordTensor, kind: str) -> Numbers:
    axes = tuple(sorted(T.shape))
    dtype = {"bool": bool, "int": np.int64, "float": float, "complex": complex}[kind]
    array = np.empty([T.shape[a] for a in axes], dtype=dtype)
    for record, number in T.entries.items():
        at = dict(record)
        array[tuple([at[a] for a in axes])] = number
    return Numbers(axes, array, kind, str(array.dtype))


def under_vmap(program: Program, runs: Runs, given: Sequence[Any], expected: Outcome) -> None:
    """torch.func.vmap over an axis that the formula lifts over gives what lifting gives."""
    axis = sorted(program.hidden)[0]
    values = range(len(program.inputs) + len(program.steps))
    if not all(program.known(v).records for v in values):
        return  # torch's own vmap indexes no empty tensors
    if not any(axis in X.axes for X in given):
        return
    made = runs.formula()
    orders: list[tuple[str, ...]] = []

    def positional(*data: Any) -> Any:
        named = [
            nt.tensor(x, *[a for a in X.axes if a != axis])
            for x, X in zip(data, given, strict=True)
        ]
        found = runs.call(made, named)
        results = found if isinstance(found, tuple) else (found,)
        orders[:] = [tuple(sorted(Y.axes)) for Y in results]
        return tuple([Y.torch(*order) for Y, order in zip(results, orders, strict=True)])

    places = tuple([X.axes.index(axis) if axis in X.axes else None for X in given])
    if any(axis not in program.known(r).sizes for r in program.results):
        return

    def mapped() -> Any:
        found = torch.func.vmap(positional, in_dims=places)(*[X.data for X in given])
        return tuple([nt.tensor(y, axis, *order) for y, order in zip(found, orders, strict=True)])

    found = outcome(mapped, "a formula under vmap")
    if refuses_two_dtypes(found):  # with the axis they were multiplied and added up
        return
    same(program, found, expected, f"a formula under vmap over {axis} for eager torch")


def among_its_own_names(
    program: Program, runs: Runs, given: Sequence[Any], expected: Outcome
) -> None:
    """An axis that a formula lifts over may have a name that its body uses for another."""
    axis = sorted(program.hidden)[0]
    taken = {a for X in program.inputs for a in X.axes}
    taken |= {a for r in program.results for a in program.known(r).sizes}
    own = sorted(program.named - taken)
    if not own or isinstance(expected, Refused):
        return
    name = own[0]
    renamed = lambda axes: tuple([name if a == axis else a for a in axes])
    inputs = [nt.tensor(X.data, *renamed(X.axes)) for X in given]
    found = outcome(lambda: runs.call(runs.formula(), inputs), f"formula lifted over {name}")
    wanted = []
    for Y in expected:
        axes = renamed(Y.axes)
        order = sorted(range(len(axes)), key=axes.__getitem__)
        wanted.append(Numbers(tuple(sorted(axes)), Y.array.transpose(order), Y.kind, Y.dtype))
    same(program, found, wanted, f"formula lifted over {name}, which its body uses, for {axis}")


TWO_DTYPES = "give both one dtype"


def refuses_two_dtypes(found: Outcome) -> bool:
    """torch multiplies no matrices of two dtypes, and numpy does."""
    return isinstance(found, Refused) and TWO_DTYPES in found.text


def over_another(program: Program, runs: Runs, seed: int) -> None:
    """An axis that nothing knows passes through: each of its indices gives what a call alone gives."""
    inputs = [replace(X, seed=X.seed + 7000) for X in program.inputs]
    second = Runs(replace(program, inputs=tuple(inputs)))
    library = ("numpy", "torch")[seed // 2 % 2]
    one, two = runs.named(library), second.named(library)
    widened = [i for i in range(len(one)) if seed >> (2 + i) & 1] or [seed % len(one)]
    two = [two[i] if i in widened else X for i, X in enumerate(one)]
    expected = [
        outcome(lambda given=given: runs.call(runs.eager, given), f"eager {library}")
        for given in (one, two)
    ]
    if any(isinstance(found, Refused) for found in expected):
        return
    given = [nt.stack["wide"](X, two[i]) if i in widened else X for i, X in enumerate(one)]
    made = runs.formula(fuse=seed % 3 > 0)
    found = outcome(lambda: runs.call(made, given), "lifted over another axis")
    if refuses_two_dtypes(found):  # alone they were vectors, which torch multiplies and adds up
        return
    way = (
        f"formula on {library} lifted over another axis of {', '.join(map(program.name, widened))}"
    )
    for place, wanted in enumerate(expected):
        part = found if isinstance(found, Refused) else [at_index(Y, "wide", place) for Y in found]
        same(program, part, wanted, f"{way}, index {place}, for eager {library}")


def at_index(Y: Numbers, axis: str, place: int) -> Numbers:
    """Give a result at one index of an axis, if it has it."""
    if axis not in Y.axes:
        return Y
    where = Y.axes.index(axis)
    axes = tuple([a for a in Y.axes if a != axis])
    return Numbers(axes, Y.array.take(place, where), Y.kind, Y.dtype)


def under_compile(program: Program, runs: Runs, given: Sequence[Any], expected: Outcome) -> None:
    """torch.compile reads the whole formula as one graph."""
    torch._dynamo.reset()
    made = runs.formula()
    compiled = torch.compile(
        lambda *data: runs.call(made, data), backend="aot_eager", fullgraph=True
    )
    found = outcome(lambda: compiled(*given), "compiled")
    same(program, found, expected, "compiled formula for eager torch")
    same_dtype(program, found, expected, "compiled formula for eager torch")


# -------------------------------------------------------------------------------------- gradients

#: How far the finite differences go.
STEP = 1e-5


def gradients(program: Program) -> None:
    """torch's gradient of a formula is that of the eager program, and that of finite differences.

    The numbers are drawn from the whole range, where nothing is equal, so that there is a gradient. A
    jump may still be near: a difference counts where three draws of the numbers show it.
    """
    floats = [i for i, X in enumerate(program.inputs) if X.kind == "float"]
    smooth = [r for r in program.results if program.known(r).kind == "float"]
    if not floats or not smooth:
        return
    failure: Disagreement | None = None
    for turn in range(3):
        try:
            _gradients(program, floats, turn)
        except Disagreement as error:
            failure = error
        else:
            return
    assert failure is not None
    raise failure


def _gradients(program: Program, floats: list[int], turn: int) -> None:
    inputs = tuple(replace(X, seed=X.seed + 5000 * turn) for X in program.inputs)
    runs = Runs(replace(program, inputs=inputs), spread=True)
    found = {}
    for way in ("eager", "formula", "fuse=False"):
        function = runs.eager if way == "eager" else runs.formula(fuse=way == "formula")
        found[way] = torch_gradient(runs, function, floats, way)
    exact = program.dtype == "float64" and all(runs.arrays[i].dtype == np.float64 for i in floats)
    # a gradient sums over all results: its rounding is that of the numbers, a thousand times over
    relative = 1e-7 if exact else 2e-2
    for way in ("formula", "fuse=False"):
        for i, a, b in zip(floats, found[way], found["eager"], strict=True):
            bound = relative * (1.0 + float(np.nanmax(np.abs(b), initial=0.0)))
            name = program.name(i)
            differ(program, a, b, bound, f"{name} by a {way} for eager torch", "gradient")
    if exact and not program.kinks and not nan_somewhere(program):
        rng = np.random.default_rng(turn)
        directions = [rng.uniform(-1, 1, runs.arrays[i].shape) for i in floats]
        # what is shared or spread has one number in several places: move every array on its own
        expected = (
            moved(runs, floats, directions, STEP) - moved(runs, floats, directions, -STEP)
        ) / (2 * STEP)
        along = sum(float((g * d).sum()) for g, d in zip(found["eager"], directions, strict=True))
        scale = 1.0 + abs(expected) + sum(float(np.abs(g).sum()) for g in found["eager"])
        if not abs(along - expected) <= 1e-4 * scale and math.isfinite(expected):
            raise Disagreement(
                "gradient", f"eager torch gives {along} along a direction, differences {expected}"
            )


def torch_gradient(runs: Runs, function: Any, floats: list[int], way: str) -> list[Any]:
    given = []
    for i, (X, a) in enumerate(zip(runs.program.inputs, runs.arrays, strict=True)):
        data = to_torch(a, X.dtype)
        if i in floats:
            data = data.clone().requires_grad_()
        given.append(nt.tensor(data, *X.axes))
    try:
        found = runs.call(function, given)
        results = found if isinstance(found, tuple) else (found,)
        total = weighted(
            [(Y.axes, Y.torch(*sorted(Y.axes))) for Y in results if Y.kind == "float"], torch
        )
        if total is None or not total.requires_grad:
            return [np.zeros(runs.arrays[i].shape) for i in floats]
        total.backward()
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        # of what holds nothing torch multiplies two dtypes, but not for a gradient
        if TWO_DTYPES in str(error) or "isFloatingType(grad" in str(error):
            return [np.zeros(runs.arrays[i].shape) for i in floats]
        raise Disagreement(f"gradient raises {type(error).__name__}", f"{way}: {first}") from error
    return [
        np.zeros(runs.arrays[i].shape)
        if given[i].data.grad is None
        else given[i].data.grad.double().numpy()
        for i in floats
    ]


def weighted(results: list[tuple[Any, Any]], library: Any) -> Any:
    """Sum all numbers with weights that tell them apart."""
    total = None
    for _, numbers_ in results:
        weights = np.cos(np.arange(math.prod(numbers_.shape)) + 0.5).reshape(tuple(numbers_.shape))
        own = weights if library is np else torch.from_numpy(weights).to(numbers_.dtype)
        part = (numbers_ * own).sum()
        total = part if total is None else total + part
    return total


def moved(runs: Runs, floats: list[int], directions: list[Any], far: float) -> float:
    """The weighted sum where the inputs are moved along the directions."""
    arrays = list(runs.arrays)
    for i, d in zip(floats, directions, strict=True):
        arrays[i] = arrays[i] + far * d
    given = [nt.tensor(a, *X.axes) for X, a in zip(runs.program.inputs, arrays, strict=True)]
    found = runs.call(runs.eager, given)
    results = found if isinstance(found, tuple) else (found,)
    total = weighted([(Y.axes, Y.numpy(*sorted(Y.axes))) for Y in results if Y.kind == "float"], np)
    return float(total)
