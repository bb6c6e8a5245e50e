"""MathML that browsers lay out, made of what KaTeX writes: the manual and the playground show it."""

from __future__ import annotations

import itertools
import unicodedata
from contextlib import suppress
from xml.etree import ElementTree

#: Letters that browsers show only where they are characters of their own; other variants are styles.
LETTERS = {"double-struck": "DOUBLE-STRUCK", "script": "SCRIPT", "fraktur": "FRAKTUR"}
BLACK_LETTER = {"FRAKTUR": "BLACK-LETTER"}  # as Unicode calls those that it had first
MATHML = "http://www.w3.org/1998/Math/MathML"
APPLIED = "\u2061"  # stands unseen between a function and what it is applied to
ElementTree.register_namespace("", MATHML)


def native(mathml: str) -> str:
    """Make MathML that browsers lay out of what KaTeX writes for readers of screens.

    Browsers take letters alone in <mi> and <mo>, know no columnalign and no variants, and put no space
    after a function.

    >>> native(f'<math xmlns="{MATHML}"><mi mathvariant="double-struck">R</mi></math>')
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>ℝ</mi></math>'
    """
    start, end = mathml.index("<math"), mathml.index("</math>") + len("</math>")
    tree = ElementTree.fromstring(mathml[start:end])
    for part in list(tree.iter()):
        kind = part.tag.removeprefix(f"{{{MATHML}}}")
        if kind in ("mi", "mo") and len(part):
            _hold(part)
        elif kind in ("mi", "mtext", "mn") and (style := part.get("mathvariant", "")) in LETTERS:
            part.text = "".join(letter(c, LETTERS[style]) for c in part.text or "")
            del part.attrib["mathvariant"]
        elif kind == "mtable":
            _align(part)
        elif kind == "msup" and "".join(part[1].itertext()).strip("′") == "":
            part.tag = f"{{{MATHML}}}mrow"  # a prime is raised by itself
        for inner in list(part):  # \\vphantom, which keeps lines of one height in HTML
            if inner.tag.endswith("mpadded") and inner.get("width") == "0px":
                part.remove(inner)
    for part in list(tree.iter()):
        _join_words(part)
        _space_functions(part)
    return ElementTree.tostring(tree, encoding="unicode")


def letter(character: str, style: str) -> str:
    """Give the character that Unicode has for a letter of a style; the letter, where it has none.

    >>> letter("R", "DOUBLE-STRUCK"), letter("L", "SCRIPT"), letter("a", "FRAKTUR")
    ('ℝ', 'ℒ', '𝔞')
    """
    case = "CAPITAL" if character.isupper() else "SMALL"
    old = BLACK_LETTER.get(style, style)
    for name in (f"{old} {case} {character}", f"MATHEMATICAL {style} {case} {character}"):
        with suppress(KeyError):
            return unicodedata.lookup(name.upper())
    return character


def _hold(part: ElementTree.Element) -> None:
    """Make a row of what holds parts, with the space that an operator has around it."""
    space = (
        part.get("lspace") if part.tag.endswith("mo") and part[0].get("lspace") is None else None
    )
    part.tag = f"{{{MATHML}}}mrow"
    part.attrib.clear()
    if space is not None:
        part.set("style", f"padding:0 {space}")
        for sign in part.iter(f"{{{MATHML}}}mo"):
            if not len(sign):
                sign.attrib.update(lspace="0", rspace="0")


def _align(table: ElementTree.Element) -> None:
    """Give each cell the alignment of its column, and the space beside it."""
    sides = table.get("columnalign", "center").split()
    spaces = table.get("columnspacing", "1em").split()
    for row in table:
        for i, cell in enumerate(row):
            side = sides[min(i, len(sides) - 1)]
            before = spaces[min(i - 1, len(spaces) - 1)] if i else "0em"
            cell.set("style", f"text-align:-webkit-{side};padding:0.3ex 0 0.3ex {before}")


def _join_words(part: ElementTree.Element) -> None:
    """Make one word of letters of one variant that stand side by side."""
    for before, after in itertools.pairwise(list(part)[::-1]):
        variant = before.get("mathvariant")
        alike = before.tag == after.tag == f"{{{MATHML}}}mi" and variant == after.get("mathvariant")
        if alike and variant in ("sans-serif", "monospace", "bold", "normal", "italic"):
            after.text = (after.text or "") + (before.text or "")
            part.remove(before)


def _space_functions(part: ElementTree.Element) -> None:
    """Put a thin space between a function and an argument without brackets."""
    if not part.tag.endswith("mrow"):
        return
    for before, after in itertools.pairwise(list(part)):
        follows = "".join(after.itertext())
        if _is_function(before) and follows[:1] not in ("(", "[", ""):
            space = ElementTree.Element(f"{{{MATHML}}}mspace", width="0.17em")
            part.insert(list(part).index(after), space)


def _is_function(part: ElementTree.Element) -> bool:
    """Say whether a part is a function without its argument: a word, or a word over its axes."""
    if APPLIED in "".join(part.itertext()):
        return True
    under = next(part.iter(f"{{{MATHML}}}munder"), None)
    word = "" if under is None else "".join(under[0].itertext())
    whole = "".join(part.itertext())
    return len(word) > 1 and word.isalpha() and whole.startswith(word) and _only(part, under)


def _only(part: ElementTree.Element, inner: ElementTree.Element | None) -> bool:
    """Say whether rows hold one part and nothing else."""
    return part is inner or (len(part) == 1 and _only(part[0], inner))
