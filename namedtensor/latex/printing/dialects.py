"""The dialects of the notation: with the macros of namedtensor.sty, or in plain LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from namedtensor.axes import shown
from namedtensor.errors import KindError
from namedtensor.latex.printing.names import DIALECTS, axis_letters, axis_macro

REALS = r"\mathbb{R}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one dialect writes axes, and operators with axes below them.

    `spelled` holds the LaTeX that a document itself uses for an axis.
    """

    name: str
    seen: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)

    @property
    def macros(self) -> bool:
        return self.name != "underset"

    def axis(self, name: str) -> str:
        if name in self.spelled:
            return self.spelled[name]
        own = self.aliases.get(name, shown(name))
        self.seen[own] = None
        return axis_letters(own, self.name)

    def tell_apart(self, names: Iterable[str]) -> None:
        """Give each internal axis, such as that of a bound index, a free name that can be written."""
        taken = {name for name in names if name == shown(name)}
        for name in sorted(set(names) - taken):
            own = shown(name)
            while own in taken:
                stem = own.rstrip("*")
                own = f"{stem}'{own[len(stem) :]}"
            taken.add(own)
            self.aliases[name] = own

    def preamble(self) -> list[str]:
        r"""Define a macro for each axis that was written: \ndef{\seq}{seq}."""
        words = dict.fromkeys([w for w in map(axis_macro, self.seen) if w])
        return [rf"\ndef{{\{w}}}{{{w}}}" for w in words] if self.name == "ndef" else []

    def below(self, axes: Iterable[str]) -> str:
        """Write the axes that stand below an operator."""
        return (r" \\ " if self.macros else ", ").join(map(self.axis, axes))

    def function(self, word: str, axes: Sequence[str], command: bool = False) -> str:
        r"""Write a function's name with its axes: \nfun{\name{seq}}{softmax}."""
        upright = f"\\{word}" if command else rf"\text{{{word}}}"
        if not axes:
            return upright
        if self.macros:
            return rf"\nfun{{{self.below(axes)}}}{{{word}}}"
        return rf"\underset{{{self.below(axes)}}}{{{upright}}}"

    def dot(self, axes: Sequence[str]) -> str:
        if self.macros:
            return rf"\ndot{{{self.below(axes)}}}"
        return rf"\underset{{{self.below(axes)}}}{{\cdot}}"

    def large(self, word: str, axes: Sequence[str]) -> str:
        if self.macros and word == "sum":
            return rf"\nsum{{{self.below(axes)}}}"
        return rf"\{word}_{{{', '.join(map(self.axis, axes))}}}"

    def at(self, axis: str, index: str) -> str:
        """Write one index, seq(i) or seq:i."""
        return f"{self.axis(axis)}({index})" if self.macros else f"{self.axis(axis)}:{index}"

    def sized(self, axis: str, size: str | None) -> str:
        """Write an axis with its size, emb[n] or emb:n."""
        if not size:
            return self.axis(axis)
        return f"{self.axis(axis)}[{size}]" if self.macros else f"{self.axis(axis)}:{size}"

    def renamed(self, tensor: str, before: str, after: str) -> str:
        """Write a renaming: [X]_{a -> b}."""
        arrow = f"{self.axis(before)} \\rightarrow {self.axis(after)}"
        return f"{tensor}_{{{arrow}}}" if self.macros else f"[{tensor}]_{{{arrow}}}"

    def space(self, base: str, axes: Sequence[tuple[str, str | None]]) -> str:
        """Write a set of tensors, base^{axes}."""
        if not axes:
            return base
        times = r" \times " if self.macros else ", "
        return f"{base}^{{{times.join([self.sized(*axis) for axis in axes])}}}"


def dialect_in(text: str, spelled: dict[str, str]) -> Dialect:
    r"""Give the dialect in which a document is written.

    >>> dialect_in("\\underset", {}).function("softmax", ["seq"])
    '\\underset{\\text{seq}}{\\text{softmax}}'
    """
    style = any(word in text for word in ("\\name", "\\ndef", "\\ndot"))
    plain = "\\underset" in text or ("\\text{" in text and not style)
    return Dialect("underset" if plain else "macros", spelled=spelled)


def dialect_of(name: str) -> Dialect:
    """Find a dialect by its name."""
    if name not in DIALECTS:
        raise KindError(
            f"latex({name!r})",
            f"there is no dialect {name!r}",
            hint='"macros" or "ndef" for the style file, "underset" for plain LaTeX',
        )
    return Dialect(name)


# --------------------------------------------------------------------------------------- for pages


#: Macros for katex.render(..., {macros}) or MathJax's tex.macros: with them, a page shows the text of
#: dialect="macros" as namedtensor.sty does.
KATEX_MACROS = {
    r"\name": r"\mathsf{\vphantom{fg}#1}",
    r"\ndef": r"\gdef#1{\name{#2}}",
    r"\nbin": r"\mathbin{\underset{\substack{#1}}{\vphantom{fg}#2}}",
    r"\ndot": r"\nbin{#1}{\odot}",
    r"\ncat": r"\nbin{#1}{\oplus}",
    r"\nsum": r"\sum\limits_{\substack{#1}}",
    r"\nfun": r"\mathop{\underset{\substack{#1}}{\vphantom{fg}\operatorname{#2}}}",
}
