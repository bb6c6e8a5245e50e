"""Choose the identifiers of a Python module: for axes, sizes, indices, and parts without a name."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping

from namedtensor.axes import BOUND, shown
from namedtensor.formula import Formula

#: The names of this package that a module imports, unless its document uses the name itself.
OURS = ("R", "Z", "B", "axes", "formula")
WIDTH = 100


class Names:
    """Choose identifiers, each for one thing only.

    `document` are the names that the module will define, `local` the names of arguments and parts,
    `named` the names of axes, and `functions` the name that each formula has in the module.
    """

    def __init__(
        self,
        document: Iterable[str],
        local: Iterable[str] = (),
        named: Iterable[str] = (),
        functions: Mapping[Formula, str] | None = None,
    ) -> None:
        self.functions = dict(functions or {})
        self.named = set(named)
        self.bound: dict[str, str] = {}
        self.document = set(document)
        self.own = {*self.document, *local}
        self.package = next(n for n in ("nt", "namedtensor", "nt_") if n not in self.own)
        self.taken = {*self.own, *OURS, self.package, *dir(builtins), *keyword.kwlist}
        self.axes: dict[str, str] = {}
        self.sizes: dict[str, str] = {}
        self.letters: set[str] = set()
        self.imported: set[str] = set()

    def function(self, formula: Formula) -> str:
        """Name a formula."""
        return self.functions.get(formula, formula.name)

    def ours(self, name: str) -> str:
        """Name something of this package: R, or nt.R if the document defines an R itself."""
        if name in OURS and name not in self.document:
            self.imported.add(name)
            return name
        self.imported.add(self.package)
        return f"{self.package}.{name}"

    def builtin(self, name: str) -> str:
        """Name a builtin of Python: abs, or builtins.abs if the document defines an abs itself."""
        if name not in self.own:
            return name
        self.imported.add("builtins")
        return f"builtins.{name}"

    def axis(self, name: str) -> str:
        """Name an axis: seq' is seq_, and emb* is emb_star."""
        name = self._of_index(name) if BOUND in name else name
        found = self.axes.get(name)
        if found is None:
            stem = name.rstrip("'*")
            if stem != name:
                self.axis(stem)
            wanted = stem + name[len(stem) :].replace("'", "_").replace("*", "_star")
            found = self.axes[name] = self._free(wanted, f"{stem}_axis{wanted[len(stem) :]}")
        return found

    def size(self, name: str) -> str:
        """Name a size of declarations: n in R[seq[n]]."""
        if name not in self.sizes:
            word = re.sub(r"\W+", "_", re.sub("[{}]", "", name)).strip("_")  # c_{l-1} is c_l_1
            word = word if word[:1].isalpha() else f"size_{word}"
            self.sizes[name] = self._free(word, f"{word}_size")
        return self.sizes[name]

    def begin(self) -> None:
        """Begin another formula; its sums over an index may use the same letters as those before."""
        self.bound.clear()

    def _of_index(self, name: str) -> str:
        """Name the axis of a sum's index: i, or i2 where i is an axis already."""
        if name not in self.bound:
            letter, number = shown(name), 1
            axis = letter
            while axis in self.named or axis in self.bound.values():
                number += 1
                axis = f"{letter}{number}"
            self.bound[name] = axis
        return self.bound[name]

    def part(self) -> str:
        """Name a part that has no name of its own."""
        number = 1
        while f"part{number}" in self.taken:
            number += 1
        return self._free(f"part{number}", "")

    def index(self, used: Iterable[str]) -> str:
        """Name an index of a tensor that is defined by its elements: i, j, k, ..."""
        busy = {*used, *(self.taken - self.letters)}
        letter = next(w for w in _letters() if w not in busy)
        self.letters.add(letter)
        self.taken.add(letter)
        return letter

    def _free(self, wanted: str, otherwise: str) -> str:
        name = wanted if wanted not in self.taken else otherwise
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def declarations(self) -> list[str]:
        """Write the lines that make the axes, and the names of sizes."""
        plain = {name: text for name, text in self.axes.items() if name.isidentifier()}
        lines, names = [], list(plain)
        while names:
            count = len(names)
            while count > 1 and len(self._line(names[:count], plain)) > WIDTH:
                count -= 1
            lines.append(self._line(names[:count], plain))
            names = names[count:]
        for name, text in self.axes.items():
            if name not in plain:
                lines.append(f"{text} = {self._again(name)}")
        if self.sizes:
            words = self.sizes.values()
            lines.append(f'{", ".join(words)} = {self.ours("sizes")}("{" ".join(words)}")')
        return lines

    def _again(self, name: str) -> str:
        stem = name.rstrip("'*")
        marks = name[len(stem) :]
        return self.axes[stem] + "".join(".prime" if mark == "'" else ".star" for mark in marks)

    def _line(self, names: list[str], texts: dict[str, str]) -> str:
        return f'{", ".join(texts[n] for n in names)} = {self.ours("axes")}("{" ".join(names)}")'


def _letters() -> Iterable[str]:
    yield from "ijklmnpq"
    number = 1
    while True:
        yield f"i{number}"
        number += 1
