"""What refused.tex holds that is set aside, and what is refused when it is called."""

from __future__ import annotations

from .entry import Entry

ENTRIES: list[Entry] = []

#: A part of the text -> why it is set aside.
ASIDE = {
    "a = x^": "its axes have no names",
    "b = ": "its axes have no names",
    "c = ": "its axes have no names",
    "p \\propto": "it states nothing that can be computed",
    "\\theta \\sim": "it states nothing that can be computed",
    "\\forall": "it states nothing that can be computed",
    "\\text{area}": "it states nothing that can be computed",
}

#: A name -> the axes of its argument, and the first and the last line of the refusal.
REFUSED = {
    "limit": (
        "seq[3]",
        "error[not-notation]: lim_{n -> infty} (... + ...)^n is no operation on named tensors: "
        "lim has no meaning here",
        "",
    ),
    "inverse": (
        "row[2] col[2]",
        "error[not-notation]: A^{-1} may be the inverse of a matrix, and does not say which axes "
        "are its rows and columns",
        "hint: write inv_{row,col} for the inverse, or 1/X for the inverse of each number",
    ),
}
