"""Let a result take the memory of an operand that nobody reads again: numpy would ask for new memory.

Only temporary results are written over, never arguments or what is kept.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from namedtensor.axes import shown

if TYPE_CHECKING:
    from namedtensor.plans.emitter import Emitter, Value

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}


def reuse_memory(emit: Emitter, ending: str) -> None:
    """Rewrite the lines x = y / z as x = divide(y, z, out=y), where y is of no more use."""
    statements = [*_assignments(emit)]
    uses = Counter(_names("\n".join([*emit.lines, ending])))
    fresh: set[str] = set()
    for line, name, code in statements:
        result = emit.bound.get(name)
        if result is None or not _is_float(result):
            continue
        operands, word = _operation(emit, code)
        if isinstance(code, ast.BinOp) or word is not None:
            fresh.add(name)
        if word is None:
            continue
        # a name stands once where it is made; all other places must be in this line
        inside = Counter(_names(ast.unparse(code)))
        dead = [
            n
            for n in operands
            if n in fresh and uses[n] == 1 + inside[n] and emit.bound[n].axes == result.axes
        ]
        if dead:
            place = emit.lines.index(line)
            emit.lines[place : place + 1] = _written(emit, name, code, word, dead[0])


def _assignments(emit: Emitter) -> Iterator[tuple[str, str, ast.expr]]:
    """Read the lines that give a result a name."""
    for line in emit.lines:
        name, equals, _ = line.partition(" = ")
        if equals and name in emit.bound:
            (statement,) = ast.parse(line).body
            if isinstance(statement, ast.Assign):
                yield line, name, statement.value


def _names(code: str) -> Iterator[str]:
    return (n.id for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name))


def _is_float(value: Value) -> bool:
    return value.strong and value.type.kind == "float" and bool(value.axes)


def _operation(emit: Emitter, code: ast.expr) -> tuple[list[str], str | None]:
    """Give the operands whose memory a line may write to, and the word that does it."""
    if isinstance(code, ast.BinOp):
        named = [o.id for o in (code.left, code.right) if isinstance(o, ast.Name)]
        return named, _OPERATORS.get(type(code.op))
    if not isinstance(code, ast.Call) or code.keywords or not code.args:
        return [], None
    if isinstance(code.func, ast.Name):
        function: Any = emit.backend.function(code.func.id)
        takes_room = isinstance(function, np.ufunc) and function.nin == 1
        if takes_room or code.func.id in emit.backend.module.TAKE_ROOM:
            named = [o.id for o in code.args[:1] if isinstance(o, ast.Name)]
            return named, code.func.id
    return [], None


def _written(emit: Emitter, name: str, code: ast.expr, word: str, room: str) -> list[str]:
    """Write a line that computes into `room`; what must be looked at first gets a name."""
    comment = " ".join(map(shown, emit.bound[name].axes))
    before = []
    if isinstance(code, ast.BinOp):
        arguments = [ast.unparse(code.left), ast.unparse(code.right)]
        place = 1 if arguments[0] == room else 0
        if not _is_number(emit, arguments[place]):
            if not arguments[place].isidentifier():
                other = emit.fresh("other")
                before.append(f"{other} = {arguments[place]}")
                arguments[place] = other
            room = emit.call("room", room, arguments[place])
    else:
        assert isinstance(code, ast.Call)
        arguments = [ast.unparse(a) for a in code.args]
    return [*before, f"{name} = {emit.use(word)}({', '.join(arguments)}, out={room})  # {comment}"]


def _is_number(emit: Emitter, code: str) -> bool:
    """Say whether code is a Python number, which leaves an array its dtype."""
    return emit.bound[code].type.host if code in emit.bound else not [*_names(code)]
