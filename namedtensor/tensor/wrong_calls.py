"""Calls that do not fit a public function: answered in our words, after Python has refused them.

A right call only costs one more frame: nothing is checked before it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from namedtensor.axes import made_up, parse_axes, shown, typed_axes
from namedtensor.errors import KindError, NamedTensorError, caller_frame, caller_variables, nearest
from namedtensor.primitives import Operation
from namedtensor.primitives.origins import origin_of
from namedtensor.shape import spaced
from namedtensor.tensor.apply import apply, apply_two
from namedtensor.tensor.held import Held
from namedtensor.tensor.labels import caller_labels

if TYPE_CHECKING:
    from namedtensor.tensor.named import NamedTensor

Module = TypeVar("Module", bound=type)

_NOTHING: Any = type("Nothing", (), {"__repr__": lambda _: "nothing"})()
_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_LISTS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

#: What other libraries call the axes of a call, and what they call arguments that have other names here.
AXES = frozenset({"dim", "dims", "axis", "axes"})
_WORDS = {
    "input": "X x a arr array data self tensor logits",
    "low": "min a_min min_val minval minimum",
    "high": "max a_max max_val maxval maximum",
    "slope": "negative_slope alpha",
    "shift": "shifts",
    "factor": "scale_factor scale",
    "value": "constant_values fill_value",
    "columns": "cols",
    "carry": "init initial h0",
    "step": "f fn func function body",
    "by": "argnums argnum wrt",
    "targets": "dtype device",
    "axes": "names",
    "sequences": "xs sequence",
    "descending": "reverse",
}
_OURS = {word: ours for ours, words in _WORDS.items() for word in words.split()}
_KEPT = "what is reduced is gone, and other tensors lift over it"
_NEW = "no operation changes a tensor, each makes a new one"
_MOVED = "numbers are moved and scaled after they are drawn: 2 * X + 1"
_WHY = {
    **dict.fromkeys(("mean", "std", "loc", "scale", "low", "high"), _MOVED),
    "keepdim": _KEPT,
    "keepdims": _KEPT,
    "out": _NEW,
    "inplace": _NEW,
    "copy": _NEW,
}
#: What is written for an argument that a function does not take, by the function's name and the argument's
#: other names; "" is one too many without a name. {call} is the call without it, and {x} what was given.
_ROOT = "nt.sum{axes}(nt.abs({whole}) ** {x}) ** (1 / {x})"
_DRAWN = "normal uniform gumbel laplace"
_WRITTEN = {
    (function, word): form
    for functions, words, form in (
        ("log", ("", "base"), "{call} / nt.log({x})"),
        ("norm", ("", "p", "ord"), _ROOT),
        ("round", ("", "decimals", "ndigits", "digits"), "nt.round({X} * 10**{x}) / 10**{x}"),
        ("softmax log_softmax", ("temperature", "temp", "tau", "T"), "{f}({X} / {x})"),
        ("tensor", ("requires_grad",), '{call}.to("torch").requires_grad_()'),
        ("zeros ones full " + _DRAWN, ("requires_grad",), '{call}.to("torch").requires_grad_()'),
        (_DRAWN, ("mean", "loc"), "{x} + {call}"),
        (_DRAWN, ("std", "scale"), "{x} * {call}"),
        (_DRAWN, ("seed", "rng", "key"), "{f}({every}, generator=np.random.default_rng({x}))"),
    )
    for function in functions.split()
    for word in words
}
#: In how many lines the end of a call is looked for.
MOST_LINES = 20
#: Arguments that are set afterwards here: by X.to(...).
_AFTER = frozenset({"dtype", "device", "backend"})


class Typed(NamedTuple):
    """A call as it was typed: what was called, and its arguments."""

    what: str
    places: list[str]
    named: dict[str, str]

    def __str__(self) -> str:
        named = [f"{name}={text}" for name, text in self.named.items()]
        return f"{self.what}({', '.join([*self.places, *named])})"


# ------------------------------------------------------------------------- where calls come in


def one_operand(
    function: Callable[..., Any],
    written: str,
    op: object,
    X: object = _NOTHING,
    *more: object,
    **unknown: object,
) -> Any:
    """Call a function of one operand that acts on axes."""
    if more or unknown or X is _NOTHING:
        given = more if X is _NOTHING else (X, *more)
        return any_operands(function, written, op, *given, **unknown)
    return function(op, X)


def applied(
    function: Callable[..., Any],
    written: str,
    op: Operation,
    X: object = _NOTHING,
    *more: object,
    **unknown: object,
) -> Any:
    """Call a function that applies an operation to its operand and does nothing else."""
    if more or unknown or X is _NOTHING:
        return one_operand(function, written, op, X, *more, **unknown)
    return apply(op, X)


def only_applies(function: FunctionType) -> bool:
    """Say whether a function of an operation and one operand only applies the one to the other."""
    code = function.__code__
    return code.co_code == _applies.__code__.co_code and code.co_names == ("apply",)


def _applies(op: Operation, X: object) -> NamedTensor:
    return apply(op, X)


def _applies_its_own(X: object) -> NamedTensor:
    return apply(_OWN, X)


def _applies_its_two(X: Any, Y: Any) -> NamedTensor:
    return apply(_OWN, X, Y)


_OWN: Any = None


def any_operands(
    function: Callable[..., Any], written: str, op: object, *operands: object, **named: object
) -> Any:
    """Call a function that acts on axes."""
    try:
        return function(op, *operands, **named)
    except TypeError as error:
        if not _refused(error):
            raise
    raise wrong_call(function, written, operands, named, (op,))


def answering(function: FunctionType, written: str) -> Callable[..., Any]:
    """Wrap a method so that a call which does not fit its signature raises our own error."""

    def call(*operands: object, **named: object) -> Any:
        try:
            return function(*operands, **named)
        except TypeError as error:
            if not _refused(error):
                raise
        raise wrong_call(function, written, operands[1:], named, operands[:1])

    return functools.update_wrapper(call, function)


class Plain:
    """A public function that takes no axes in brackets; what does not fit it raises our own error."""

    def __getitem__(self, axes: object) -> NoReturn:
        raise wrong_brackets(self, axes)

    def __reduce__(self) -> str:
        return self.__name__  # found by name in the module that defines it

    def __repr__(self) -> str:
        return f"nt.{self.__name__}({_taken(inspect.signature(self).parameters.values())})"

    if TYPE_CHECKING:
        __name__: str

        def __call__(self, *operands: Any, **named: Any) -> Any: ...


def plain(function: FunctionType, looks_at_its_caller: bool = False) -> Plain:
    """Make a public function. It has a class of its own, so that a call takes no step more."""
    op, code = _OWN, function.__code__

    def call(_: Plain, *operands: object, **named: object) -> Any:
        try:
            return function(*operands, **named)
        except TypeError as error:
            if not _refused(error):
                raise
        raise wrong_call(function, function.__name__, operands, named)

    def one(_: Plain, X: object = _NOTHING, *more: object, **unknown: object) -> Any:
        if more or unknown or X is _NOTHING:
            return call(_, *(more if X is _NOTHING else (X, *more)), **unknown)
        return function(X)

    def own(_: Plain, X: object = _NOTHING, *more: object, **unknown: object) -> Any:
        if more or unknown or X is _NOTHING:
            return one(_, X, *more, **unknown)
        return apply(op, X)

    def own_two(
        _: Plain, X: Any = _NOTHING, Y: Any = _NOTHING, *more: object, **unknown: object
    ) -> Any:
        if more or unknown or Y is _NOTHING:
            given = [x for x in (X, Y, *more) if x is not _NOTHING]
            return call(_, *given, **unknown)
        return apply_two(op, X, Y)

    best: Any = call
    alone = code.co_varnames[: code.co_argcount] == ("X",) and not function.__defaults__
    if alone and not code.co_kwonlyargcount and not code.co_flags & _MORE:
        best = one
    for template, short in ((_applies_its_own, own), (_applies_its_two, own_two)):
        if code.co_code == template.__code__.co_code and code.co_names[0] == "apply":
            best, op = short, function.__globals__[code.co_names[1]]
    best = staticmethod(function) if looks_at_its_caller else best
    made: Plain = type(Plain.__name__, (Plain,), {"__call__": best})()
    functools.update_wrapper(made, function)
    return made


def answer_for(scope: MutableMapping[str, Any], but: Sequence[str] = ()) -> None:
    """Make public functions of those of a module, also in the modules that define them.

    Those in `but` look at the frame that calls them.
    """
    for name, function in list(scope.items()):
        if type(function) is not FunctionType or name.startswith("_"):
            continue
        room = vars(sys.modules[function.__module__])
        made = scope[name] = plain(function, name in but)
        if room.get(name) is function:
            room[name] = made


def answer_for_methods(owner: type, written: str, *names: str) -> None:
    """Wrap methods of a class by `answering`; `written` is how a call is written, with {} for the name."""
    for name in names:
        setattr(owner, name, answering(vars(owner)[name], written.format(name)))


def answered(owner: Module) -> Module:
    """Wrap the call of a class of torch modules, and its public methods, by `answering`."""
    for name, function in list(vars(owner).items()):
        if type(function) is FunctionType and not name.startswith("_"):
            written = f"{owner.__name__}(...)" + ("" if name == "forward" else f".{name}")
            setattr(owner, name, answering(function, written))
    return owner


def call_passed(
    function: Callable[..., Any],
    given: Sequence[object],
    refusal: Callable[[str], NamedTensorError],
    named: Mapping[str, object] = {},
) -> Any:
    """Call a function that was passed; raise `refusal(why)` if it does not take what it is given."""
    try:
        return function(*given, **named)
    except TypeError as error:
        why = misfit(function, given, named) if _refused(error) else ""
        if not why:
            raise
    raise refusal(why)


def misfit(
    function: Callable[..., Any], given: Sequence[object], named: Mapping[str, object] = {}
) -> str:
    """Say why a function does not take what it is given, or nothing if it may."""
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):  # no signature is known
        return ""
    try:
        takes.bind(*given, **named)
    except TypeError as why:
        return f"it takes {takes}: {why}"
    return ""


def _refused(error: TypeError) -> bool:
    """Say whether Python itself refused a call, so that nothing inside of the function ran."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


# ------------------------------------------------------------------------------- what is said


def wrong_call(
    function: Callable[..., Any],
    written: str,
    operands: Sequence[object],
    named: Mapping[str, object],
    before: Sequence[object] = (),
) -> KindError:
    """Make the error of a call that does not fit a function's signature, with the call that would.

    The first `before` arguments are not typed between the parentheses.
    """
    parameters = list(inspect.signature(function).parameters.values())[len(before) :]
    typed = typed_call(written, operands, named)
    doc = None if "(...)" in written else function.__doc__ or ""
    right, why = _mended(parameters, typed, (*before, *operands), word_of(written), doc)
    right = _written(parameters, typed, word_of(written), right)
    shapes = [
        (label, spaced(X.sizes))
        for label, X in zip(caller_labels([*before, *operands]), [*before, *operands], strict=True)
        if isinstance(X, Held)
    ]
    call = str(typed._replace(what=typed.what.removeprefix("nt.")))
    return KindError(call, f"{why}; it takes ({_taken(parameters)})", shapes, f"`{right}`")


def wrong_brackets(function: Plain, axes: object) -> KindError:
    """Make the error of brackets after a function that takes none, with the call that is meant."""
    name = function.__name__
    inside = typed_axes([repr(axis) for axis in parse_axes(axes)]) if are_axes(axes) else ""
    inside = inside.removeprefix("(").removesuffix(")")
    typed, call = Typed(f"nt.{name}", [], {}), f"{name}[{inside or '...'}]"
    found = typed_brackets()
    if found is not None and word_of(ast.unparse(found[0])) == name:
        part, around = found
        typed, inside = typed._replace(what=ast.unparse(part.value)), ""
        if are_axes(axes):
            inside = ", ".join(_parts(ast.unparse(part.slice)) or [ast.unparse(part.slice)])
        call = ast.unparse(part)
        if around is not None:
            call = ast.unparse(around)
            typed = _typed(around)._replace(what=typed.what)
    parameters = list(inspect.signature(function).parameters.values())
    own = [p for p in parameters if p.name.startswith(("axes", "axis"))][:1]
    own = own or [p for p in parameters if p.name == "names" and len(parameters) == 1]
    if own and inside and not typed.named.keys() & {own[0].name}:
        place = min(parameters.index(own[0]), len(typed.places))
        typed.places.insert(place, inside)
    right, _ = _mended(parameters, typed, (), name, function.__doc__ or "")
    why = f"{name} takes {'its axes between the parentheses' if own else 'no axes'}"
    why += f"; it takes ({_taken(parameters)})"
    return KindError(call.removeprefix("nt."), why, hint=f"`{right}`")


def are_axes(found: object) -> bool:
    try:
        return bool(parse_axes(found))
    except NamedTensorError:
        return False


def _taken(parameters: Iterable[inspect.Parameter]) -> str:
    return ", ".join([str(p.replace(annotation=p.empty)) for p in parameters])


def word_of(written: str) -> str:
    """Give the name of what is called.

    >>> word_of("nt.softmax[seq]"), word_of("X.at[seq(0)].set"), word_of("Decoder(...)")
    ('softmax', 'set', 'Decoder')
    """
    written = written.removesuffix("(...)")
    return re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]", "", written).rpartition(".")[2]


def typed_call(written: str, operands: Sequence[object], named: Mapping[str, object]) -> Typed:
    """Read the caller's own words for a call; where no source tells them, names of variables."""
    # a module is called by the name of any variable
    found = _in_source(caller_frame(), "" if written.endswith("(...)") else word_of(written))
    if (
        found is not None
        and len(found.places) == len(operands)
        and found.named.keys() == named.keys()
    ):
        return found
    values = [*operands, *named.values()]
    words = [
        word if isinstance(x, Held) else said_of(x)
        for word, x in zip(caller_labels(values), values, strict=True)
    ]
    places, rest = words[: len(operands)], words[len(operands) :]
    own = written.startswith("X.") or "(...)" in written
    what = written if own else f"nt.{quoted(written)}"
    return Typed(what, places, dict(zip(named, rest, strict=True)))


def quoted(written: str) -> str:
    """Write the axes in brackets as a text unless they are variables of the caller."""
    name, _, inside = written.partition("[")
    axes = inside.removesuffix("]").replace(",", "").split()
    scope = caller_variables()
    if not axes or all([axis in scope for axis in axes]):
        return written
    return f'{name}["{" ".join(axes)}"]'


def said_of(x: Any) -> str:
    """Write an argument that is not a tensor: its text if it is short, or else its type."""
    if hasattr(x, "prime"):
        text = shown(x.name) if x.size is None else f"{shown(x.name)}[{x.size}]"
        return text if x.name.isidentifier() else f'"{text}"'
    name = getattr(x, "__name__", None)
    if isinstance(name, str) and name.isidentifier():
        return name
    text = repr(x)
    return text if len(text) < 40 and "<" not in text and "\n" not in text else "..."


def _in_source(frame: FrameType | None, word: str) -> Typed | None:
    """Read the call of a function at the place where a frame stands."""
    if frame is None:
        return None
    text = origin_of(frame.f_code, frame.f_lasti).text
    try:
        call = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call):
        return None
    what = ast.unparse(call.func)
    if word and word_of(what) != word:
        return None
    starred = any([isinstance(part, ast.Starred) for part in call.args])
    if starred or any([part.arg is None for part in call.keywords]):
        return None
    return _typed(call)


def _typed(call: ast.Call) -> Typed:
    named = {str(part.arg): ast.unparse(part.value) for part in call.keywords}
    return Typed(ast.unparse(call.func), [ast.unparse(part) for part in call.args], named)


def typed_brackets() -> tuple[ast.Subscript, ast.Call | None] | None:
    """Read the brackets that the caller's code is at, and the call that they are part of."""
    frame = caller_frame()
    if frame is None:
        return None
    place = origin_of(frame.f_code, frame.f_lasti)
    try:
        part = ast.parse(f"({place.text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(part, ast.Subscript):
        return None
    after = "".join(linecache.getlines(place.file)[place.end_line - 1 :][:MOST_LINES])
    after = after[place.end_column :]
    for end in re.finditer(r"\)", after) if after.startswith("(") else ():
        with suppress(SyntaxError, ValueError):
            call = ast.parse(f"({place.text}{after[: end.end()]})", mode="eval").body
            return part, call if isinstance(call, ast.Call) else None
    return part, None


def typed_operands() -> tuple[str, list[str]] | None:
    """Give the text of a call with brackets that the caller's code is at, and of each operand."""
    part, call = typed_brackets() or (None, None)
    if part is None:
        return None
    given = [*call.args, *call.keywords] if call is not None else []
    return ast.unparse(call or part).removeprefix("nt."), [ast.unparse(x) for x in given]


def _mended(
    parameters: Sequence[inspect.Parameter],
    typed: Typed,
    operands: Sequence[Any],
    name: str,
    doc: str | None,
) -> tuple[str, str]:
    """Write the call that fits, and say why the other did not.

    Without a docstring that may have examples, arguments that are left out are written by their names.
    """
    several = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), None)
    by_place = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    own = [p.name for p in parameters if p.kind not in _LISTS]
    places, named, more, after, why = list(typed.places), {}, list[str](), "", ""
    if len(places) > len(by_place) and several is None:
        takes = "no argument" if not by_place else f"{len(by_place)} argument"
        why = (
            f"{name} takes {takes}{'s'[: len(by_place) > 1]} without a name, and {len(places)} "
            f"{'are' if len(places) > 1 else 'is'} given"
        )
        places = _fewer(places, by_place)
    while several == "axes" and by_place and places and len(places) <= len(by_place):
        if not re.fullmatch(r"\w+\[.*\]|['\"].*['\"]", places[0]):
            break
        more.append(places.pop(0))  # axes stand behind what goes by place
    filled = by_place[: len(places)]
    for word, text in typed.named.items():
        if word in own and word not in filled:
            named[word] = text
            continue
        why = why or _why_not(word, name, word in own, "[" in typed.what)
        free = [n for n in own if n not in filled and n not in typed.named and n not in named]
        ours = _ours(word, text, free, several)
        if ours == several and ours is not None:
            more.append(_as_axes(word, text) if several == "axes" else text)
        elif ours is not None:
            named[ours] = text
        elif word in _AFTER:
            after += f".to({text})"
    needed = [
        p.name
        for p in parameters
        if p.kind not in _LISTS and p.default is p.empty and p.name not in (*filled, *named)
    ]
    if needed:
        why = why or f"{name} needs {' and '.join(needed)}"
    examples = [] if doc is None else list(_examples(name, by_place, doc))
    if needed and examples and examples[0].whole.startswith(f"{typed}"[:-1]):
        return examples[0].whole, why
    if needed and places and len(parts := _parts(places[-1])) == len(needed) + 1:
        places, needed = [*places[:-1], *parts], []
    filling = functools.partial(_filling, operands=operands, examples=examples)
    fill: Callable[[str], str] = str if doc is None else filling
    while needed and needed[0] == dict(enumerate(by_place)).get(len(places)):
        places.append(fill(needed.pop(0)))
    named |= {word: fill(word) for word in needed}
    while more and len(places) < len(by_place) and by_place[len(places)] in named:
        places.append(named.pop(by_place[len(places)]))
    return str(Typed(typed.what, [*places, *more], named)) + after, why


def _written(parameters: Sequence[inspect.Parameter], typed: Typed, name: str, call: str) -> str:
    """Write what an argument that the function does not take stands for, if that is known."""
    own = [p.name for p in parameters if p.kind not in _LISTS]
    extra = [(word, text) for word, text in typed.named.items() if word not in own]
    if len(own) == len(parameters):
        extra += [("", text) for text in typed.places[len(own) :]]
    ((word, x),) = extra if len(extra) == 1 else (("?", ""),)
    form = _WRITTEN.get((name, word))
    if form is None or not typed.places or x == "False":
        return call
    if form is _ROOT and x in ("1", "1.0"):
        form = "nt.sum{axes}(nt.abs({whole}))"
    if form is _ROOT and x.endswith("inf"):
        form = "nt.max{axes}(nt.abs({whole}))"
    first = typed.places[0]
    return form.format(
        call=call,
        f=typed.what,
        x=x,
        whole=first,
        X=first if re.fullmatch(r"[\w.]+(\[[^\[\]]*\])?", first) else f"({first})",
        axes=typed.what[typed.what.find("[") :] if "[" in typed.what else "",
        every=", ".join(typed.places),
    )


def _fewer(places: list[str], by_place: list[str]) -> list[str]:
    """Leave out arguments that there are too many of: texts of axes become one, and a range its size."""
    if by_place == ["names"] and all([place[:1] in "'\"" for place in places]):
        return ['"' + " ".join([place[1:-1] for place in places]) + '"']
    if by_place == ["axis"] and places[-1].isdigit():
        return [f'"seq[{places[-1]}]"']
    return places[: len(by_place)]


def _parts(text: str) -> list[str]:
    """Write the parts of a tuple of numbers one by one."""
    try:
        found = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    return [ast.unparse(part) for part in found.elts] if isinstance(found, ast.Tuple) else []


def _as_axes(word: str, text: str) -> str:
    """Write axes with their sizes for seq=3, or for size=(3, 4)."""
    if word in ("size", "shape"):
        return f'"{made_up(_parts(text) or [text])}"'
    return f'"{word}[{text}]"' if text.isdigit() else text


def _why_not(word: str, name: str, twice: bool, bracketed: bool) -> str:
    if twice:
        return f"{word} is given twice"
    if word in AXES and bracketed:
        return f"the axes of {name} stand in its brackets, and {word} is none of its arguments"
    told = f", since {_WHY[word]}" if word in _WHY else ""
    return f"{name} has no argument {word}{told}"


def _ours(word: str, text: str, free: Sequence[str], several: str | None) -> str | None:
    """Find the parameter that a word of another library means."""
    ours = _OURS.get(word, word if word == several else None)
    if ours in free or (ours is not None and ours == several):
        return ours
    if ours == "input" and free:
        return free[0]
    if several == "axes" and word not in _WHY and (text.isdigit() or word in ("size", "shape")):
        return several if word != "seed" else None
    return nearest(word, free) if len(word) > 2 and word not in AXES else None


class _Example(NamedTuple):
    """A call in a docstring: all of it, and what it gives for parameters that are plain values."""

    whole: str
    plain: dict[str, str]


def _examples(name: str, by_place: Sequence[str], doc: str) -> Iterator[_Example]:
    """Read the calls of a function in the examples of its docstring."""
    for line in re.findall(r"^\s*(?:>>>|\.\.\.) @?(.*)$", doc, re.MULTILINE):
        try:
            calls = [part for part in ast.walk(ast.parse(line)) if isinstance(part, ast.Call)]
        except SyntaxError:
            continue
        for call in calls:
            what = ast.unparse(call.func)
            if word_of(what) != name:
                continue
            given = [*zip(by_place, call.args, strict=False)]
            given += [(str(part.arg), part.value) for part in call.keywords]
            plain = {
                parameter: ast.unparse(value)
                for parameter, value in given
                if all([isinstance(part, _PLAIN) for part in ast.walk(value)])
            }
            whole = ast.unparse(call)
            yield _Example(whole if what.startswith(("nt.", "X.")) else f"nt.{whole}", plain)


_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.unaryop, ast.expr_context)
#: What stands for a parameter that is left out, where no example tells and no variable fits.
_STANDS = {
    "options": 'lambda name, axes: {"weight_decay": 0.1}',
    "source": '"model.pt"',
    "target": '"model.pt"',
    "Y": "0.0",
    "weight": "0.5",
}
#: What a variable has that can stand for a parameter.
_HAVE = {"f": "latex", "formula": "latex", "module": "named_parameters"}


def _filling(parameter: str, operands: Sequence[Any], examples: Sequence[_Example]) -> str:
    """Write something for a parameter that was left out."""
    if parameter == "p":  # a share that is left out, and not all of it
        return "0.1"
    plain = [found.plain[parameter] for found in examples if parameter in found.plain]
    axes = next((X.axes for X in operands if isinstance(X, Held)), ())
    if plain and (parameter != "axis" or "[" in plain[0] or not axes):
        return plain[0]
    if parameter == "axis":
        return typed_axes(axes[:1]) if axes else "seq"
    if parameter in _STANDS:
        return _STANDS[parameter]
    scope = {w: x for w, x in caller_variables().items() if not w.startswith("_") and w != "nt"}
    if isinstance(scope.get(parameter), Held):
        return parameter
    has = _HAVE.get(parameter, "")
    if has:
        return next((w for w, x in scope.items() if hasattr(x, has)), parameter)
    others = [
        w for w, x in scope.items() if isinstance(x, Held) and all(x is not y for y in operands)
    ]
    fitting = [w for w in others if set(scope[w].axes) & set(axes)] if axes else others
    return next(iter(fitting), parameter)
