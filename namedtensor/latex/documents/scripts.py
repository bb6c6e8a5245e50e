"""Names with scripts: how they are told apart, and which member of a series one names.

The text of a name is its key: W^{1}, d_{model}, X^{l-1}. Where l has a number, X^{l-1} is X^{2}.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Binary,
    Expression,
    Items,
    Letter,
    Number,
    Scripts,
    Text,
    Unary,
)
from namedtensor.latex.walk import all_of, put

#: What index letters stand for: a number, or None where it is known only when a formula runs.
Indices = Mapping[str, int | None]

_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


def fold(expression: Expression | None, indices: Indices) -> int | None:
    """Compute a whole number from index letters; None where one of them has no number."""
    if isinstance(expression, Number):
        return expression.value if isinstance(expression.value, int) else None
    if isinstance(expression, Letter):
        return indices.get(expression.text)
    if isinstance(expression, AxisSize):
        return indices.get(f"|{expression.axis.name}|")
    if isinstance(expression, Scripts):
        name = key(expression)
        return None if name is None else indices.get(name)
    if isinstance(expression, Items) and len(expression.parts) == 1:
        return fold(expression.parts[0], indices)
    if isinstance(expression, Unary) and expression.op == "-":
        inner = fold(expression.operand, indices)
        return None if inner is None else -inner
    if isinstance(expression, Binary) and expression.op in _COMPUTE:
        left, right = fold(expression.left, indices), fold(expression.right, indices)
        return None if left is None or right is None else _COMPUTE[expression.op](left, right)
    return None


def key(name: Expression, indices: Indices | None = None) -> str | None:
    """Give the text by which a name is known; None for what is no name.

    >>> from namedtensor.latex.source import Span
    >>> at = Span(0, 0)
    >>> before = Binary(at, "-", Letter(at, "l"), Number(at, 1))
    >>> key(Scripts(at, Letter(at, "X"), sup=before)), key(Scripts(at, Letter(at, "X"), sup=before), {"l": 3})
    ('X^{l-1}', 'X^{2}')
    """
    if isinstance(name, Letter):
        return name.text
    return _scripted(name, key(name.base), indices or {}) if isinstance(name, Scripts) else None


def _scripted(name: Scripts, base: str | None, indices: Indices) -> str | None:
    """Put the text of a name's scripts behind that of its base."""
    text = None if base is None else base + "'" * name.primes
    for mark, script in (("_", name.sub), ("^", name.sup)):
        if script is not None and text is not None:
            inner = written(script, indices)
            text = None if inner is None else f"{text}{mark}{{{inner}}}"
    return text


def written(part: Expression, indices: Indices) -> str | None:
    """Give the text of a script or a size; None for what is no sum or product of names."""
    number = fold(part, indices)
    if number is not None:
        return str(number)
    if isinstance(part, (Letter, Text)):
        return part.text
    if isinstance(part, Number):
        return str(part.value)
    if isinstance(part, AxisName):
        return part.name
    if isinstance(part, AxisSize):
        return f"|{part.axis.name}|"
    if isinstance(part, Scripts):
        return _scripted(part, written(part.base, indices), indices)
    if isinstance(part, Binary):
        sides = [written(part.left, indices), written(part.right, indices)]
        sign = "" if part.op == "*" else part.op
    elif isinstance(part, Items):
        sides = [written(p, indices) for p in part.parts]
        sign = ","
    else:
        return None
    return None if None in sides else sign.join([s for s in sides if s is not None])


def stem(name: Expression) -> str | None:
    """Give the text of a name without its scripts: W of W^{1}."""
    while isinstance(name, Scripts):
        name = name.base
    return name.text if isinstance(name, Letter) else None


def primes_of(name: Expression) -> int:
    """Count the primes of a name: h' is another letter than h."""
    found = 0
    while isinstance(name, Scripts):
        found += name.primes
        name = name.base
    return found


def letters_in(part: Expression | None) -> tuple[str, ...]:
    """List the small letters in a script, any of which may be an index.

    >>> from namedtensor.latex.source import Span
    >>> letters_in(Letter(Span(0, 1), "l")), letters_in(Letter(Span(0, 1), "Q"))
    (('l',), ())
    """
    if part is None:
        return ()
    found = [p.text for p in all_of(Letter, part) if p.style == "letter"]
    return tuple(dict.fromkeys([t for t in found if _counts(t) and t.islower()]))


def _counts(text: str) -> bool:
    """Say whether a letter may count members, as k, k' and ell do."""
    plain = text.rstrip("'")
    return plain == "ell" or (len(plain) == 1 and plain.isalpha())


def script_letters(name: Expression) -> tuple[str, ...]:
    """List the small letters in the scripts of a name."""
    if not isinstance(name, Scripts):
        return ()
    return tuple(dict.fromkeys([*letters_in(name.sub), *letters_in(name.sup)]))


def match(
    pattern: Expression, name: Expression, letters: tuple[str, ...], indices: Indices
) -> dict[str, int | None] | None:
    """Say for which index letters a pattern such as X^{l} is the name; None where it never is.

    A letter whose number is not known yet gets None.
    """
    if not isinstance(pattern, Scripts) or not isinstance(name, Scripts):
        return None
    if pattern.primes != name.primes or key(pattern.base) != key(name.base):
        return None
    found: dict[str, int | None] = {}
    for own, given in ((pattern.sub, name.sub), (pattern.sup, name.sup)):
        if (own is None) != (given is None):
            return None
        if own is None or given is None:
            continue
        if not _match_script(own, given, letters, indices, found):
            return None
    return found


def _match_script(
    own: Expression,
    given: Expression,
    letters: tuple[str, ...],
    indices: Indices,
    found: dict[str, int | None],
) -> bool:
    if isinstance(own, Items) and isinstance(given, Items) and len(own.parts) == len(given.parts):
        pairs = zip(own.parts, given.parts, strict=True)
        return all(_match_script(o, g, letters, indices, found) for o, g in pairs)
    inner = [t for t in letters_in(own) if t in letters]
    if not inner:
        return written(own, {}) == written(given, indices)
    if len(inner) > 1 or (isinstance(own, Scripts) != isinstance(given, Scripts)):
        return False
    if isinstance(own, Scripts) and isinstance(given, Scripts):
        same = own.primes == given.primes and own.sub == given.sub and own.sup == given.sup
        return same and _match_script(own.base, given.base, letters, indices, found)
    return _solve(own, given, inner[0], indices, found)


def _solve(
    own: Expression, given: Expression, letter: str, indices: Indices, found: dict[str, int | None]
) -> bool:
    """Find the letter's number from t + 1 = 5; t is taken to have the factor 1."""
    value = fold(given, indices)
    if value is not None:
        start = fold(own, {letter: 0})
        value = None if start is None else value - start
        if start is None or fold(own, {letter: value}) is None:
            return False
    elif not _open(given, indices):
        return False
    if letter in found and found[letter] != value:
        return False
    found[letter] = value
    return True


def _open(given: Expression, indices: Indices) -> bool:
    """Say whether a script may become a number when a formula runs, because it is built of letters."""
    texts = [p.text for p in all_of(Letter, given) if p.style == "letter"]
    return bool(texts) and all(t in indices or _counts(t) for t in texts)


def numbered(name: Any, indices: Indices) -> Any:
    """Write the numbers of index letters in a name's scripts: gamma^1 for gamma^l."""

    def change(part: Any) -> Any:
        if isinstance(part, (Letter, Binary)):
            number = fold(part, indices)
            return None if number is None else Number(part.span, number)
        return None

    if not isinstance(name, Scripts):
        return name
    return replace(
        name,
        base=numbered(name.base, indices),
        sub=put(name.sub, change),
        sup=put(name.sup, change),
    )


def without_letters(name: Any, letters: Collection[str]) -> Any:
    """Leave index letters out of a name: W^Q of W^{l,Q}, x of x^t."""
    if not isinstance(name, Scripts):
        return name

    def left(script: Expression | None) -> Expression | None:
        if isinstance(script, Items):
            kept = tuple([p for p in script.parts if not (set(letters_in(p)) & set(letters))])
            return None if not kept else kept[0] if len(kept) == 1 else replace(script, parts=kept)
        return None if set(letters_in(script)) & set(letters) else script

    sub, sup = left(name.sub), left(name.sup)
    if sub is None and sup is None and not name.primes:
        return name.base
    return replace(name, sub=sub, sup=sup)
