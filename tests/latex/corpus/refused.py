"""What refused.tex holds that is set aside, and what is refused when it is called."""

from __future__ import annotations

from .entry import Entry

ENTRIES: list[Entry] = []

#: A part of the text -> why it is set aside.
ASIDE = {
    "a = x^": "its axes have no names",
    "b = ": "it speaks of nothing that the notation speaks of",
    "c = ": "it speaks of nothing that the notation speaks of",
    "p \\propto": "it uses x as other notations do, without names of axes",
    "\\theta \\sim": "it says how something is distributed",
    "\\exists": "cannot be read: \\exists is beyond the notation",
    "\\text{area}": "it uses x as other notations do, without names of axes",
}

#: The parts of these that say what a name is, of a tensor that is declared.
TOLD = ["a = x^", "p \\propto", "\\text{area}"]

#: A name -> the axes of its argument, what the refusal says, and its hint.
REFUSED = {
    "limit": (
        "seq[3]",
        "error[not-notation]: lim_{n -> infty} (1 + ...)^n is no operation on named tensors: "
        "lim has no meaning here",
        "",
    ),
    "inverse": (
        "row[2] col[2]",
        "error[not-notation]: A^{-1} may be the inverse of a matrix, and does not say which axes "
        "are its rows and columns",
        r"hint: write \underset{\text{row}, \text{col}}{\text{inv}} A for the inverse, or "
        "1 / A for that of each number",
    ),
}
