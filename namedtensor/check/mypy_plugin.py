"""The plugin of mypy, plugins = ["namedtensor.check.mypy_plugin"]: R[seq, emb] is a named tensor.

Without it mypy takes R[...] for Any: a misspelt parameter is found, and a tensor of a wrong type is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mypy.nodes import FuncDef, NameExpr
from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.types import AnyType, CallableType, NoneType, Type, TypeOfAny, UnboundType, UnionType

_SPACES = {f"namedtensor.formula.signature.{name}" for name in ("R", "Z", "B", "State")}


_BUNDLES = {
    "namedtensor.formula.signature.one": "namedtensor.formula.bundle.Bundle",
    "namedtensor.formula.signature.each": "namedtensor.formula.bundle.Stack",
    "namedtensor.operations.lifting.lift": "namedtensor.operations.lifting.Lifted",
}


class NamedTensorPlugin(Plugin):
    """Give declarations of axes the type NamedTensor, and those of bundles what can be called."""

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        if fullname in _SPACES:
            return _tensor
        if fullname in _BUNDLES:
            return partial(_bundle, _BUNDLES[fullname])
        return None


def _bundle(name: str, context: AnalyzeTypeContext) -> Type:
    """A bundle in the body; a call may give it as a module or a dict."""
    return UnionType([context.api.named_type(name, []), AnyType(TypeOfAny.explicit)])


def _tensor(context: AnalyzeTypeContext) -> Type:
    """A named tensor; or None where that is its default, or anything where a body also gives states."""
    tensor: Type = context.api.named_type("namedtensor.tensor.named.NamedTensor", [])
    written = context.type
    function = _function(context)
    declared = None if function is None else function.unanalyzed_type
    if function is None or not isinstance(declared, CallableType):
        return tensor
    if _same(written, declared.ret_type):
        states = [note for note in declared.arg_types if _is_state(note)]
        return UnionType([tensor, AnyType(TypeOfAny.explicit)]) if states else tensor
    for argument in function.arguments:
        default = argument.initializer
        if _same(written, argument.type_annotation) and isinstance(default, NameExpr):
            return UnionType([tensor, NoneType()]) if default.name == "None" else tensor
    return tensor


def _same(one: Type, other: Type | None) -> bool:
    """Say whether two types stand at one place: mypy copies them."""
    return other is not None and (one.line, one.column) == (other.line, other.column)


def _function(context: AnalyzeTypeContext) -> FuncDef | None:
    """Give the function in whose signature a type stands, which mypy keeps to itself."""
    statement = getattr(getattr(context.api, "api", None), "statement", None)
    return statement if isinstance(statement, FuncDef) else None


def _is_state(note: Type) -> bool:
    return isinstance(note, UnboundType) and note.name.rpartition(".")[2] == "State"


def plugin(version: str) -> type[Plugin]:
    return NamedTensorPlugin
