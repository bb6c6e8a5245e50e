"""Turn the hints of operations, which are in Python, into the LaTeX of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable

from namedtensor.latex.printing.names import axis_letters
from namedtensor.latex.reading.words import BIG, LETTERS

_AXIS = r"[^\W\d]\w*[*']*"
_AXES = rf"{_AXIS}(?:(?:, ?| ){_AXIS})*"

#: Spellings that only Python has.
_PYTHON = re.compile(r"\bnt\.|>>|\.size\(|\w\[[\w\"]| @ ")


def in_notation(hint: str, names: Iterable[tuple[str, str]] = ()) -> str:
    r"""Write a hint in LaTeX; "" if only Python can do what the hint says.

    `names` are the words for operands, each with the text of the operand in the document.

    >>> print(in_notation("rename the axis of V that you mean: V[val >> key]"))
    rename the axis of V that you mean: V_{\text{val} \rightarrow \text{key}}
    >>> print(in_notation("nt.softmax[seq](alpha) or sum_{seq} X", [("alpha", r"\alpha")]))
    \underset{\text{seq}}{\text{softmax}}(\alpha) or \sum_{\text{seq}} X
    >>> print(in_notation("select: A[seq[:3]] @ \"seq emb\" @ B"))
    select: \underset{\text{seq}}{\text{until}}(A, 3) \underset{\text{seq}, \text{emb}}{\cdot} B
    """
    if "document" in hint:
        return hint  # documents are used from Python, so this hint stays in Python
    for pattern, written in _WRITTEN:
        hint = re.sub(pattern, written, hint)
    for word, text in names:
        if word != text:
            place = (
                rf"(?<![\w\\^_{{]){re.escape(word)}(?=\]?_\{{)|(?<=[(|]){re.escape(word)}(?=[,)|])"
            )
            hint = re.sub(place, text.replace("\\", "\\\\"), hint)
    return "" if _PYTHON.search(hint) else hint


def text_axes(names: Iterable[str]) -> str:
    r"""Write axes in LaTeX: \text{seq}, \text{emb}'."""
    return ", ".join([axis_letters(name, "underset") for name in names])


def _listed(axes: str) -> str:
    return text_axes(re.findall(_AXIS, axes))


def _size(found: re.Match[str]) -> str:
    axis, size = found[1], found[2] or "5"
    if len(axis) == 1:
        return rf"say how far it runs, {axis} = 1, \ldots, {size}"
    return f"state it, |{_listed(axis)}| = {size}"


def _first(found: re.Match[str]) -> str:
    return rf"\underset{{{_listed(found[2])}}}{{\text{{until}}}}({_name(found[1])}, {found[3]})"


def _word(found: re.Match[str]) -> str:
    """Write nt.softmax[seq] or softmax_{seq} in LaTeX, with the axes below the word, sum or norm."""
    word, axes = found[1], _listed(found[2])
    if word.startswith("||"):
        return rf"\|{word[2:-2]}\|_{{{axes}}}"
    if f"\\{word}" in BIG:
        return rf"\{word}_{{{axes}}}"
    return rf"\underset{{{axes}}}{{\text{{{word}}}}}"


def _renamed(found: re.Match[str]) -> str:
    name, before, after = _name(found[1]), *[_side(found[n]) for n in (2, 3)]
    return rf"{name}_{{{before} \rightarrow {after}}}"


def _side(axes: str) -> str:
    return re.sub(rf"({_AXIS})(?:\[(\w+)\])?", _sized, axes)


def _sized(found: re.Match[str]) -> str:
    return _listed(found[1]) + (f":{found[2]}" if found[2] else "")


def _name(word: str) -> str:
    if "_" in word:
        return f"[{word}]"  # this name has a subscript already
    return f"\\{word}" if word in LETTERS else word


def _element(found: re.Match[str]) -> str:
    items = re.sub(rf"({_AXIS})[(:]((?:[^(),]|\([^()]*\))+)\)?", _item, found[2])
    return f"{_name(found[1])}_{{{items}}}"


def _item(found: re.Match[str]) -> str:
    return f"{_listed(found[1])}({found[2]})"


_SIDES = r"([^][\"{}]+?(?:\[\w+\][^][\"{}]*)?) (?:>>|->) ([^][\"{}]+?(?:\[\w+\][^][\"{}]*)?)"
_TENSOR = r"((?:[^\W\d][\w^']*|\([^()]*\))?)"

#: Spellings of hints, and how each is written in LaTeX.
_WRITTEN = (
    (r"`", ""),
    (rf"give it one(?: where the tensor is defined)?[,:] ({_AXIS})\[(\d+)\]", _size),
    (rf"declare it, or ask a tensor: X\.size\(({_AXIS})()\)", _size),
    (rf" @ [(\"]?({_AXES})[)\"]? @ ", lambda m: rf" \underset{{{_listed(m[1])}}}{{\cdot}} "),
    (rf"{_TENSOR}\[\"?{_SIDES}\"?\]", _renamed),
    (rf"{_TENSOR}_\{{{_SIDES}\}}", _renamed),
    (rf"{_TENSOR}\[({_AXIS})\[:(\d+)\]\]", _first),
    (rf"\bnt\.(\w+)\[\"?({_AXES})\[(\d+)\]\"?\]\((\w+)\)", r"nt.\1[\2](\4, \3)"),
    (rf"\bnt\.(\w+)\[\"?({_AXES})\"?\]", _word),
    (r"\bnt\.(\w+)", r"\1"),
    (rf"({_AXIS}) >> (\([^()]*\))", lambda m: rf"{_listed(m[1])} \rightarrow {_side(m[2])}"),
    (r" <- ", r" \\leftarrow "),
    (rf"(\|\|.+?\|\||[^\W\d][\w-]+)_\{{({_AXES})\}}", _word),
    (r"(?<!\\)\b(sum|prod)_(?=\{)", r"\\\1_"),
    (rf"{_TENSOR}_\{{({_AXIS}[(:][^{{}}]*)\}}", _element),
)
