"""Calls between formulas: what is called, and what it is given after the semicolon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.documents.inputs import Input, Linked
from namedtensor.latex.documents.scopes import Defined, Meaning, Names, Place, rename_stem
from namedtensor.latex.documents.scripts import Indices, fold, key, stem
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.syntax import Call, Expression, Letter, Scripts

if TYPE_CHECKING:
    from namedtensor.latex.documents.reach import Linker


def find_callee(
    linker: Linker, call: Call, place: Place, indices: Indices
) -> tuple[Linked, bool] | None:
    """Find the formula that a call is of, and say whether the call's name owns its parameters.

    MHA^1(X) and LayerNorm^l(X) own theirs; MHA(X; W) is given them.
    """
    meaning = find_function(linker.names, call.function, place, indices)
    if meaning is None or meaning.defined is None:
        return None
    word = call.function.text if isinstance(call.function, Letter) and call.axes else ""
    if word and not own_axes(meaning.defined) and word_of(word) is not None:
        return None  # a word with axes below it is everybody's
    callee = linker.linked(meaning.defined, meaning.indices)
    return callee, owns(meaning, call, callee, indices)


def own_axes(defined: Defined) -> tuple[str, ...]:
    """List the axes that stand below a function's name where it is defined."""
    return () if defined.call is None else tuple([a.name for a in defined.call.axes])


def find_function(names: Names, name: Expression, place: Place, indices: Indices) -> Meaning | None:
    """Find the function that a name is of: f, a member f_k of a family, or MHA for MHA^1."""
    meaning = names.function(name, place, indices)
    if meaning is None and isinstance(name, Scripts):
        return names.function(name.base, place, indices)
    return meaning


def owns(meaning: Meaning, call: Call, callee: Linked, indices: Indices) -> bool:
    """Say whether a call names its own copy of a function's parameters."""
    if call.parameters or meaning.defined is None:
        return False
    if key(call.function, indices) != meaning.key:
        return True
    return bool(meaning.defined.letters) and any(
        i.listed is not None and not (i.declared is not None and i.declared.letters)
        for i in callee.after
    )


def by_letter(found: Input, given: bool) -> bool:
    """Say whether a call leaves a parameter to its letter, which stands for the same everywhere.

    That is one that is not listed, or W^1 of f^1(X) where the function is f^l(X; W^l).
    """
    family = found.declared is not None and bool(found.declared.letters) and not found.along
    return found.listed is None or (family and not given)


def meaning_of(found: Input, linked: Linked) -> Meaning:
    """Give what an input's letter means, for another formula that takes it too."""
    assert found.declared is not None
    numbers = {t: v for t, v in linked.indices.items() if t in found.declared.letters}
    indices = dict.fromkeys(found.along) if found.along else numbers
    return Meaning("input", found.key, found.declared, None, indices)


def passed_on(found: Input, given: Expression, callee: Linked) -> Expression | None:
    """Give the caller's name for a member of a bundle: V^1 for W^1 where W is given V."""
    if found.key in callee.listed or not isinstance(given, (Letter, Scripts)):
        return None
    return rename_stem(found.name, given)


def is_bundle_name(
    linker: Linker, linked: Linked, call: Call, place: Place, indices: Indices
) -> bool:
    """Say whether MHA(X; mha) names all parameters of MHA by an own parameter that is declared nowhere.

    layer(X; layers^l) names those of one layer, by its number.
    """
    if len(call.parameters) != 1 or not isinstance(call.parameters[0], (Letter, Scripts)):
        return False
    name = call.parameters[0]
    text = key(name, indices)
    meaning = linker.names.look(name, place, indices)
    member = isinstance(name, Scripts) and name.sub is None and fold(name.sup, indices) is not None
    listed = text in linked.listed or (member and stem(name) in linked.listed)
    if not listed or (meaning is not None and meaning.kind != "function"):
        return False
    return not linker.names.has_members(name)
