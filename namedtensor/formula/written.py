"""A formula as it is written: its expression with the names that its body gives to parts of it.

Printers read this. Calls of other formulas are kept, where running a formula takes their bodies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from namedtensor.errors import KindError, TraceError, kind_of_thing
from namedtensor.formula.bundle import Bundle
from namedtensor.formula.lifting import Leaf
from namedtensor.formula.signature import Parameter, Signature
from namedtensor.operations.lifting import nobody
from namedtensor.primitives import Node, Type, number, size_of
from namedtensor.primitives.node import make_node, operands_first
from namedtensor.primitives.notation import Special
from namedtensor.primitives.origins import Origins, border, noted_in
from namedtensor.primitives.primitive import Primitive, primitive
from namedtensor.tensor import SymbolicTensor, symbol
from namedtensor.tensor.resize import resize, without_found_sizes

if TYPE_CHECKING:
    from namedtensor.formula.declared import Declared


@dataclass(frozen=True, slots=True)
class DerivedFrom:
    """What a formula is the derivative of, and by which paths.

    A differential has `changes`, the names of its arguments that are changes; `of` is what the
    formula that is derived is itself derived from.
    """

    name: str
    by: tuple[str, ...]
    changes: tuple[str, ...] = ()
    of: DerivedFrom | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """What a module holds for a bundle: its formula, and by name its settings and what its bundles hold.

    None stands for what is left out, and a list for a stack.
    """

    formula: Declared
    known: Mapping[str, Any]


@dataclass(slots=True)
class Written:
    """A formula's signature, the trees of its results, and the names inside.

    `locals` are the names that the body gives to parts of the results, in the order in which they
    were given; `called` are the formulas that its `call` nodes name; `counted` are the stacks whose
    number of layers was given, `left_out` what may be left out and is; `origins` says where the body
    writes each part. `derived` says of whom the formula is the derivative, and by what. `title` is its
    name with the words that choose its form. `leaves` are the tensors that it takes, also those in
    bundles.
    """

    name: str
    signature: Signature
    results: tuple[Node, ...] = ()
    locals: dict[str, Node] = field(default_factory=dict)
    called: dict[str, Any] = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins, kw_only=True)
    derived: DerivedFrom | None = field(default=None, kw_only=True)
    counted: frozenset[str] = field(default=frozenset(), kw_only=True)
    left_out: frozenset[str] = field(default=frozenset(), kw_only=True)
    title: str = field(default="", kw_only=True)
    leaves: list[Leaf] = field(default_factory=list, kw_only=True)

    @property
    def changes(self) -> dict[str, str]:
        """The names of changes, with what they are changes of: dX of X."""
        derived = self.derived
        found: dict[str, str] = {}
        while derived is not None:
            found |= dict(zip(derived.changes, derived.by, strict=False))
            derived = derived.of
        return found


#: So many layers has a stack where their number is not given: what all do can be told from what some do.
LAYERS = 3

#: What is being written while a body runs to be read, and not to be run.
_writing: ContextVar[Written | None] = ContextVar("writing", default=None)


def _refuse(*_: Any) -> Any:
    raise TypeError("a kept call is read, and never run")


#: call(name, paths, settings, place): a formula's name, the paths of its operands in its signature,
#: its settings that are not at their defaults, and which of its results this is.
CALL: Primitive = primitive(
    "call",
    _refuse,
    _refuse,
    write=lambda op, labels: f"{op.params[0]}({', '.join(labels)})",
    notation=Special("call"),
)


def writing() -> bool:
    """Say whether a body runs only to be read, not to compute."""
    return _writing.get() is not None


@contextmanager
def calls_taken_in() -> Iterator[None]:
    """Inline the bodies of called formulas, also while a body runs only to be read."""
    token = _writing.set(None)
    try:
        yield
    finally:
        _writing.reset(token)


@contextmanager
def names_kept(function: Callable[..., Any]) -> Iterator[None]:
    """Keep the names that a function gives to parts, where the body that runs it is being read."""
    written = _writing.get()
    with calls_taken_in():
        if written is None:
            yield
        else:
            with _names_of_locals(function, written):
                yield


def name_part(name: str, value: Any) -> None:
    """Remember the name that a body gives to a part, where the body is being read."""
    written = _writing.get()
    if written is not None and isinstance(value, SymbolicTensor):
        written.locals[name] = value.node


def kept_call(
    formula: Declared, values: dict[str, Any], leaves: Sequence[Leaf], run: Callable[[], Any]
) -> Any:
    """Give the result of a call as a node that names the formula; `run` finds its type."""
    written = _writing.get()
    assert written is not None
    written.called[formula.name] = formula
    paths, operands = [], []
    for path, value in _operands(formula, values, leaves):
        paths.append(path)
        operands.append(value)
    with calls_taken_in():
        result = run()
    settings = tuple(
        [
            (p.name, values[p.name])
            for p in formula.signature.parameters
            if p.setting and values[p.name] != p.default
        ]
    )
    parts = result if isinstance(result, tuple) else (result,)
    nodes = [
        SymbolicTensor(
            make_node(
                CALL(formula.name, tuple(paths), settings, place), tuple(operands), part.node.type
            )
        )
        for place, part in enumerate(parts)
    ]
    return tuple(nodes) if isinstance(result, tuple) else nodes[0]


def passed(node: Node, formula: Declared) -> tuple[list[Node | str], list[Node | str]]:
    """Give what a kept call passes before and after the semicolon: parts, and paths of whole bundles."""
    _, paths, _, _ = node.operation.params
    values = dict(zip(paths, node.operands, strict=True))
    before: list[Node | str] = []
    after: list[Node | str] = []
    for parameter in formula.signature.parameters:
        if not parameter.setting:
            (after if parameter.after else before).extend(_passed(parameter, values))
    names = {p.name for p in formula.signature.after if not p.setting}
    whole = whole_bundle(values, names)
    return before, [whole] if whole else after


def _passed(parameter: Parameter, values: dict[str, Node]) -> list[Node | str]:
    """List the operands of one parameter: itself, or the members of a bundle."""
    if parameter.bundle is None:
        return [values[parameter.name]] if parameter.name in values else []
    inner = {
        path.removeprefix(f"{parameter.name}."): node
        for path, node in values.items()
        if path.startswith(f"{parameter.name}.")
    }
    whole = whole_bundle(inner, {path.partition(".")[0] for path in inner})
    return [whole] if whole else list(inner.values())


def whole_bundle(values: dict[str, Node], names: set[str]) -> str:
    """Give the path of the bundle whose members these parameters are, each under its own name."""
    owners = set()
    for path, node in values.items():
        if path.partition(".")[0] in names:
            whole = str(node.operation.params[0]) if node.name == "argument" else ""
            owners.add(whole.removesuffix(f".{path}") if whole.endswith(f".{path}") else "")
    return owners.pop() if len(owners) == 1 else ""


def _operands(
    formula: Declared, values: dict[str, Any], leaves: Sequence[Leaf]
) -> Iterator[tuple[str, Node]]:
    """Give the operands of a call by their paths: tensors, and numbers where tensors may stand."""
    tensors = {leaf.path: leaf.tensor for leaf in leaves}
    for parameter in formula.signature.parameters:
        value = values[parameter.name]
        if parameter.bundle is not None:
            for path, tensor in tensors.items():
                if path.startswith(f"{parameter.name}."):
                    yield path, tensor.node
        elif parameter.name in tensors:
            tensor = tensors[parameter.name]
            if not isinstance(tensor, SymbolicTensor):
                raise TraceError(
                    f"{formula.name}(...)",
                    f"{parameter.name} is a tensor with data, which a formula cannot be written with",
                    hint="pass it as an argument of the formula that is written",
                )
            yield parameter.name, without_found_sizes(tensor.node)
        elif not parameter.setting and value is not None:
            yield parameter.name, number(value)


def titled(formula: Declared, settings: Iterable[tuple[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Add to a formula's name its settings that are words or numbers, which choose its form; give the others.

    Only what is not at its default is added: norm_p=1.5. The whole is a word: f_rms has no subscript.
    """
    given = {n: v for n, v in settings if n in formula.signature.python.parameters}
    words = {n: v for n, v in given.items() if isinstance(v, str) and v.isidentifier()}
    numbers = {n: v for n, v in given.items() if type(v) in (bool, int, float)}
    words |= {n: f"{n}={v}" for n, v in numbers.items() if formula.signature[n].setting}
    changed = [word for n, word in words.items() if given[n] != formula.signature[n].default]
    title = "_".join([f"text_{formula.name}", *changed]) if changed else formula.name
    return title, {n: v for n, v in given.items() if n not in words}


@border
def write(
    formula: Declared,
    settings: dict[str, Any],
    given: Mapping[str, int] | None = None,
    *,
    whole: bool = False,
    mode: bool = True,
    origins: Origins | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Written:
    """Run a formula's body on the symbols that its signature declares, and keep what it says.

    A body that asks for the mode is written as it is in training, unless told. A setting of None leaves
    a parameter out; what is known of a bundle's stands in a dict. `given` are sizes of axes that are
    known; with `whole`, the bodies of the formulas that it calls are taken in. `origins` is the table to
    note in, for who wants what was noted before a body failed. `kinds` are those of arguments that are
    declared R, by their paths: real numbers unless told.
    """
    table = Origins() if origins is None else origins
    counted = frozenset(
        [p.name for p in formula.signature.parameters if p.stack and p.name in settings]
    )
    written = Written(
        formula.name,
        formula.signature,
        counted=counted,
        origins=table,
        derived=formula.derived,
        title=titled(formula, settings.items())[0],
    )
    leaves = written.leaves
    sizes: dict[Any, Any] = dict(given or {})
    values = {
        p.name: _declared(formula, p, p.name, settings, leaves, sizes, kinds or {})
        for p in formula.signature.parameters
    }
    written.left_out = frozenset(
        [
            p.name
            for p in formula.signature.parameters
            if p.after and not p.setting and values[p.name] is None
        ]
    )
    token = _writing.set(None if whole else written)
    try:
        with _names_of_locals(formula.function, written), noted_in(written.origins):
            result, _ = formula.body.inline(values, leaves, mode)
    finally:
        _writing.reset(token)
    parts = result if isinstance(result, tuple) else (result,)
    for part in parts:
        if not isinstance(part, SymbolicTensor):
            raise TraceError(
                f"{formula.name}(...)",
                f"the body returned {kind_of_thing(part)} with data, which cannot be written",
                hint="return what the formula computes from its arguments",
            )
    written.results = tuple([part.node for part in parts])
    written.locals = _inside(written)
    return written


def _declared(
    formula: Declared,
    parameter: Parameter,
    path: str,
    settings: Mapping[str, Any],
    leaves: list[Leaf],
    sizes: dict[Any, Any],
    kinds: Mapping[str, str],
) -> Any:
    """Make the symbol of an argument as it is declared; one name has one size among the arguments."""
    if parameter.stack:
        layer = replace(parameter, stack=False)
        count = settings.get(parameter.name, LAYERS)
        held = [{}] * count if isinstance(count, int) else [{layer.name: one} for one in count]
        return [
            _declared(formula, layer, f"{path}.{i}", known, leaves, sizes, kinds)
            for i, known in enumerate(held)
        ]
    told = settings.get(parameter.name)
    if parameter.optional and (told is None or told is False):
        return None
    if parameter.bundle is not None:
        inner = told.formula if isinstance(told, Holding) else parameter.bundle
        parts: Any = told.known if isinstance(told, Holding) else told
        parts = parts if isinstance(parts, Mapping) else {}
        own: dict[Any, Any] = {n: size for n, size in sizes.items() if isinstance(size, int)}
        found = {
            p.name: _declared(inner, p, f"{path}.{p.name}", parts, leaves, own, kinds)
            for p in inner.signature.parameters
            if p.after
        }
        early = {n: v for n, v in parts.items() if n not in found}
        return Bundle(inner, found, None, early) if isinstance(told, Holding) else found
    if parameter.lift is not None and parameter.name not in settings:
        return parameter.lift(parameter.name, nobody)
    if parameter.space is None or parameter.name in settings:
        value = settings.get(parameter.name, parameter.default)
        if value is parameter.default is formula.signature.python.empty:
            raise KindError(
                f"{formula.name}.latex()",
                f"{parameter.name} is a setting without a default, and the formula depends on it",
                hint=f"{formula.name}.latex({parameter.name}=...)",
            )
        return value
    axes = []
    for place, axis in enumerate(parameter.space.axes):
        size = axis.size if isinstance(axis.size, int) else size_of(path, axis.name, place)
        key = parameter.space.size_key(axis.name) or axis.name
        axes.append((axis.name, sizes.setdefault(key, size)))
    kind = kinds.get(path) or (
        "float" if parameter.space.letter == "R" else parameter.space.kinds[0]
    )
    leaves.append(Leaf(path, parameter.space, symbol(path, Type(tuple(axes), kind))))
    return leaves[-1].tensor


@contextmanager
def _names_of_locals(function: Callable[..., Any], written: Written) -> Iterator[None]:
    """Collect the names of index-defined tensors that a function uses, and of its locals."""
    code = getattr(function, "__code__", None)
    if code is None or getattr(function, "names_parts", False):
        yield  # what is not Python's own says its names with name_part
        return
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, SymbolicTensor):
            written.locals[name] = value.node

    def look(frame: Any, event: str, result: Any) -> None:
        if event == "return" and frame.f_code is code:
            for name, value in frame.f_locals.items():
                if isinstance(value, SymbolicTensor):
                    written.locals.setdefault(name, value.node)

    before: Any = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        if hasattr(before, "enable"):  # cProfile.Profile is no function, and sets itself
            before.enable()
        else:
            sys.setprofile(before)


def _inside(written: Written) -> dict[str, Node]:
    """Keep the names of parts of the results that are neither arguments nor the results themselves."""
    reached = set(operands_first(written.results))
    arguments = {p.name for p in written.signature.parameters}
    found = {}
    for name, node in written.locals.items():
        part = node if node in reached else _with_sizes(node, reached)
        if name not in arguments and part is not None and part not in written.results:
            found[name] = part
    return {name: node for name, node in found.items() if node.operands}


def _with_sizes(node: Node, reached: set[Node]) -> Node | None:
    """Find the part that an index-defined tensor became where it met the sizes of others."""
    if not any(size is None for _, size in node.type.axes):
        return None
    for part in reached:
        sizes = dict(part.type.axes)
        same = part.name == node.name and set(sizes) == set(node.type.names)
        if same and resize(node, sizes) is part:
            return part
    return None
