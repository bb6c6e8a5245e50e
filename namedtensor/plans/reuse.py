"""Write a result into the memory of an operand that is not read again: numpy would allocate new memory.

Only temporary results are overwritten, never arguments or kept constants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

from namedtensor.backends.lazy import np
from namedtensor.plans.code import (
    Apply,
    Code,
    Infix,
    Literal,
    Name,
    Statement,
    Step,
    Word,
    codes_in,
    names_in,
)

if TYPE_CHECKING:
    from namedtensor.plans.emitter import Emitter

_OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


def reuse_memory(emit: Emitter) -> None:
    """Turn a step x = y / z, if y is not read again, into x = divide(y, z, out=y)."""
    steps = {s.name: s for s in emit.body if isinstance(s, Step)}
    uses = Counter(names_in(codes_in(emit.body)))
    fresh: set[str] = set()
    body: list[Statement] = []
    for step in emit.body:
        if not (isinstance(step, Step) and _is_float(step)):
            body.append(step)
            continue
        operands, word = _operation(emit, step.code)
        if isinstance(step.code, Infix) or word is not None:
            fresh.add(step.name)
        inside = Counter(names_in([step.code]))
        # all other places of a name that is read must be in this step
        dead = [
            n
            for n in operands
            if n in fresh and uses[n] == inside[n] and steps[n].axes == step.axes
        ]
        body += _written(emit, steps, step, word, dead[0]) if word and dead else [step]
    emit.body = body


def _is_float(step: Step) -> bool:
    type_ = step.type
    strong = type_ is not None and not (type_.weak or type_.host)
    return strong and type_ is not None and type_.kind == "float" and bool(step.axes)


def _operation(emit: Emitter, code: Code) -> tuple[Sequence[str], str | None]:
    """Give the operands whose memory a step may overwrite, and the function that does it."""
    match code:
        case Infix(symbol, (a, b)):
            return [x.name for x in (a, b) if isinstance(x, Name)], _OPERATORS.get(symbol)
        case Apply(Word(word), (first, *_), ()):
            function: Any = emit.backend.function(word)
            if _takes_room(function):
                return [first.name] if isinstance(first, Name) else [], word
    return [], None


def _takes_room(function: Any) -> bool:
    """Say whether a function takes the array to write to: numpy's of one operand, or ours."""
    if isinstance(function, np.ufunc):
        return function.nin == 1
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    return "out" in code.co_varnames[: code.co_argcount]


def _written(
    emit: Emitter, steps: dict[str, Step], step: Step, word: str, room: str
) -> list[Statement]:
    """Compute a step into `room`; operands that must be inspected first get names."""
    before: list[Statement] = []
    memory: Code = Name(room)
    if isinstance(step.code, Apply):
        arguments = list(step.code.arguments)
    else:
        assert isinstance(step.code, Infix)
        arguments = list(step.code.operands)
        place = 1 if arguments[0] == memory else 0
        if not _is_number(steps, arguments[place]):
            if not isinstance(arguments[place], Name):
                other = emit.fresh("other")
                before.append(Step(other, arguments[place]))
                arguments[place] = Name(other)
            memory = emit.call("room", memory, arguments[place])
    return [*before, replace(step, code=emit.call(word, *arguments, out=memory))]


def _is_number(steps: dict[str, Step], code: Code) -> bool:
    """Say whether code is a Python number, which leaves an array its dtype."""
    type_ = steps[code.name].type if isinstance(code, Name) and code.name in steps else None
    return isinstance(code, Literal) or (type_ is not None and type_.host)
