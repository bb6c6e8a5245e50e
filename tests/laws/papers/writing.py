"""Write a drawn document as Markdown or LaTeX, in the plain dialect, with macros, or with both mixed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.laws.papers.tree import (
    Along,
    Apply,
    Binary,
    Block,
    Call,
    Cases,
    Declare,
    Define,
    Dot,
    Element,
    Elements,
    Expr,
    Index,
    Layer,
    Letter,
    Number,
    Paper,
    Power,
    Reduce,
    Rename,
    Section,
    Size,
    Softmax,
    Statement,
)

GREEK = (
    "alpha beta gamma delta eta theta kappa lambda mu nu xi rho tau phi psi omega"
    " Gamma Omega Theta Lambda Phi Psi"
)
FUNCTIONS = {"relu": r"\text{ReLU}", "sigma": r"\sigma", "abs": ""}

SUM, REACH, PRODUCT, APPLIED, ATOM = range(5)


class Writer:
    """Spell expressions: each gives its text and how tightly it holds together."""

    def __init__(self, paper: Paper, seed: int) -> None:
        self.paper = paper
        self.choose = random.Random(seed)
        self.shown = {
            s.name: s for b in blocks(paper) for s in b.statements if not isinstance(s, Declare)
        }

    # names

    def letter(self, name: str) -> str:
        name = self.paper.rename.get(name, name)
        base, mark, script = name.partition("^")
        if base in GREEK.split() or base == "ell":
            base = "\\" + base
        elif len(base) > 1:
            base = rf"\text{{{base}}}"
        return f"{base}^{script}" if mark else base

    def axis(self, axis: str, *, macro: bool | None = None) -> str:
        base = axis.rstrip("'")
        primes = axis[len(base) :]
        dialect = self.paper.dialect
        if dialect == "ndef":
            return f"\\{base}{primes}"
        if dialect == "macros":
            return rf"\name{{{base}}}{primes}"
        return rf"\text{{{base}}}{primes}"

    def axes(self, axes: Sequence[str]) -> str:
        mark = ", " if self.paper.dialect == "plain" else r" \\ "
        return mark.join(map(self.axis, axes))

    def space(self, axes: Sequence[str], sized: bool = False) -> str:
        if not axes:
            return r"\mathbb{R}"
        plain = self.paper.dialect == "plain"
        words = []
        for a in axes:
            size = f"n_{{{a.rstrip(chr(39))}}}" if sized else ""
            words.append(
                self.axis(a) + (f":{size}" if size and plain else f"[{size}]" if size else "")
            )
        mark = ", " if plain else r" \times "
        return rf"\mathbb{{R}}^{{{mark.join(words)}}}"

    def place(self, axis: str, text: str) -> str:
        if self.paper.dialect == "plain":
            return f"{self.axis(axis)}:{text}"
        return f"{self.axis(axis)}({text})"

    def operator(self, word: str, axes: Sequence[str]) -> str:
        if word == "sum":
            if self.paper.dialect == "plain":
                return rf"\sum_{{{self.axes(axes)}}}"
            return rf"\nsum{{{self.axes(axes)}}}"
        if self.paper.dialect == "plain":
            head = rf"\{word}" if word in ("max", "min") else rf"\text{{{word}}}"
            return rf"\underset{{{self.axes(axes)}}}{{{head}}}"
        return rf"\nfun{{{self.axes(axes)}}}{{{word}}}"

    # expressions

    def bare(self, e: Expr) -> str:
        return self.write(e)[0]

    def at(self, e: Expr, level: int) -> str:
        text, own = self.write(e)
        return text if own >= level else self.bracket(text)

    def bracket(self, text: str) -> str:
        big = r"\frac" in text or r"\sum" in text
        return rf"\left( {text} \right)" if big else f"({text})"

    def write(self, e: Expr) -> tuple[str, int]:
        return getattr(self, "of_" + type(e).__name__.lower())(e)  # type: ignore[no-any-return]

    def of_number(self, e: Number) -> tuple[str, int]:
        return (f"{e.value:g}", ATOM) if e.value >= 0 else (f"{e.value:g}", SUM)

    def of_letter(self, e: Letter) -> tuple[str, int]:
        return self.letter(e.name), ATOM

    def of_index(self, e: Index) -> tuple[str, int]:
        name = e.name
        if name.startswith("|"):
            name = f"|{self.axis(name.strip('|'))}|"
        if not e.plus:
            return name, ATOM
        return f"{name}{e.plus:+d}", SUM

    def of_size(self, e: Size) -> tuple[str, int]:
        return f"|{self.axis(e.axis)}|", ATOM

    def of_binary(self, e: Binary) -> tuple[str, int]:
        if e.op == "/":
            if self.choose.random() < 0.8:
                return rf"\frac{{{self.bare(e.left)}}}{{{self.bare(e.right)}}}", ATOM
            return f"{self.at(e.left, ATOM)} / {self.at(e.right, ATOM)}", PRODUCT
        if e.op == "*":
            if isinstance(e.left, (Number, Index, Size)) or not e.left.axes:
                right = self.at(e.right, ATOM)
                left = self.at(e.left, ATOM)
                if isinstance(e.left, Number) and not right[0].isdigit():
                    return rf"{left} {right}", APPLIED
                return rf"{left} \odot {right}", PRODUCT
            return rf"{self.at(e.left, APPLIED)} \odot {self.at(e.right, APPLIED)}", PRODUCT
        left = self.at(e.left, SUM)
        return f"{left} {e.op} {self.at(e.right, REACH)}", SUM

    def of_dot(self, e: Dot) -> tuple[str, int]:
        left, right = self.at(e.left, APPLIED), self.at(e.right, APPLIED)
        if self.paper.dialect == "plain":
            return rf"{left} \underset{{{self.axes(e.over)}}}{{\cdot}} {right}", PRODUCT
        return rf"{left} \ndot{{{self.axes(e.over)}}} {right}", PRODUCT

    def of_reduce(self, e: Reduce) -> tuple[str, int]:
        head = self.operator(e.op, e.over)
        if e.op == "sum":
            return f"{head} {self.at(e.body, PRODUCT)}", REACH
        if isinstance(e.body, Power) and not isinstance(e.body.body, Letter):
            return f"{head} {self.bare(e.body)}", REACH
        if isinstance(e.body, Letter) and self.choose.random() < 0.3:
            return f"{head} {self.bare(e.body)}", REACH
        return f"{head} {self.bracket(self.bare(e.body))}", APPLIED

    def of_softmax(self, e: Softmax) -> tuple[str, int]:
        head = self.operator("softmax", (e.over,))
        return f"{head} {self.bracket(self.bare(e.body))}", APPLIED

    def of_apply(self, e: Apply) -> tuple[str, int]:
        text = self.bare(e.body)
        if e.op == "abs":
            return f"|{text}|", ATOM
        if e.op == "sqrt":
            return rf"\sqrt{{{text}}}", ATOM
        if e.op == "exp" and self.choose.random() < 0.3:
            return f"e^{{{text}}}", ATOM
        return f"{FUNCTIONS.get(e.op, chr(92) + e.op)}{self.bracket(text)}", APPLIED

    def of_power(self, e: Power) -> tuple[str, int]:
        if isinstance(e.body, Letter) and "^" not in e.body.name:
            return f"{self.bare(e.body)}^{e.exponent}", ATOM
        if isinstance(e.body, Apply) and e.body.op not in ("abs", "sqrt", "exp"):
            return f"{self.bare(e.body)}^{e.exponent}", ATOM
        return f"{self.bracket(self.bare(e.body))}^{e.exponent}", ATOM

    def of_rename(self, e: Rename) -> tuple[str, int]:
        arrow = rf"{self.axis(e.old)} \rightarrow {self.axis(e.new)}"
        plain = isinstance(e.body, Letter) and "^" not in e.body.name
        if plain and self.paper.dialect != "plain":
            return rf"{self.bare(e.body)}_{{{arrow}}}", ATOM
        return rf"\left[ {self.bare(e.body)} \right]_{{{arrow}}}", ATOM

    def of_element(self, e: Element) -> tuple[str, int]:
        places = ", ".join(self.place(axis, self.bare(p)) for axis, p in e.places)
        body = self.bare(e.body)
        if not isinstance(e.body, Letter) or "^" in e.body.name:
            body = rf"\left[ {body} \right]"
        return f"{body}_{{{places}}}", ATOM

    def of_layer(self, e: Layer) -> tuple[str, int]:
        place = self.bare(e.place)
        return f"{self.letter(e.name)}^{place if len(place) == 1 else '{' + place + '}'}", ATOM

    def of_cases(self, e: Cases) -> tuple[str, int]:
        left, relation, right = e.condition
        return (
            rf"\begin{{cases}} {self.bare(e.then)} & \text{{if }} "
            rf"{self.bare(left)} {relation} {self.bare(right)} \\ "
            rf"{self.bare(e.otherwise)} & \text{{otherwise}} \end{{cases}}",
            SUM,
        )

    def of_call(self, e: Call) -> tuple[str, int]:
        head = self.letter(e.function)
        [first, *_] = e.arguments
        if e.composed and isinstance(first, Call):
            inner = ", ".join(map(self.bare, first.arguments))
            return rf"({head} \circ {self.letter(first.function)})({inner})", ATOM
        text = ", ".join(map(self.bare, e.arguments))
        if e.parameters:
            text += "; " + ", ".join(map(self.bare, e.parameters))
        if r"\frac" in text or r"\sum" in text:
            return rf"{head}\left( {text} \right)", ATOM
        return f"{head}({text})", ATOM

    # statements: each gives rows, left and right of the relation

    def rows(self, s: Statement) -> list[tuple[str, str]]:
        if isinstance(s, Declare):
            letters = ", ".join(self.letter(x) + ("^l" if s.family else "") for x in s.letters)
            return [(letters, rf"\in {self.space(s.axes, s.sized)}")]
        name = self.letter(s.name)
        if isinstance(s, Define):
            if s.arguments is None:
                return [(name, f"= {self.bare(s.body)}")]
            found = []
            if s.arrow:
                spaces = r" \times ".join(self.space(sorted(g or ())) for g in s.given)
                found.append(
                    (name, rf"\colon {spaces} \rightarrow {self.space(sorted(s.body.axes))}")
                )
            inner = ", ".join(map(self.letter, s.arguments))
            if s.parameters:
                inner += "; " + ", ".join(map(self.letter, s.parameters))
            return [*found, (f"{name}({inner})", f"= {self.bare(s.body)}")]
        if isinstance(s, Elements):
            places = ", ".join(self.place(a, i) for a, i in s.indices)
            return [(f"{name}_{{{places}}}", f"= {self.bare(s.body)}")]
        if isinstance(s, Along):
            edge = "1" if s.first else "0"
            if s.backwards:
                edge = f"|{self.axis(s.axis)}|" + ("" if s.first else "+1")
            here = f"{name}_{{{self.place(s.axis, s.index)}}}"
            return [
                (f"{name}_{{{self.place(s.axis, edge)}}}", f"= {self.bare(s.start)}"),
                (here, f"= {self.bare(s.step)}"),
            ]
        first = (f"{name}^0", f"= {self.bare(s.start)}")
        step = f"= {self.bare(s.step)}"
        if self.choose.random() < 0.5:
            step += rf", \quad {s.index} = 1, \ldots, {s.last}"
        else:
            step += rf", \quad \text{{for }} {s.index} = 1, \dots, {s.last}"
        return [first, (f"{name}^{s.index}", step)]

    def block(self, block: Block) -> str:
        spoken = [s for s in block.statements if isinstance(s, Declare)]
        if block.style == "prose":
            words = []
            for s in spoken:
                [(left, right)] = self.rows(s)
                words.append(f"${left} {right}$")
            text = self.choose.choice(["Let ", "We are given ", "Here ", "Data: "])
            rest = [
                row for s in block.statements if not isinstance(s, Declare) for row in self.rows(s)
            ]
            return text + " and ".join(words) + "." + self.display(rest, "aligned")
        if block.style == "where":
            main, *rest = block.statements
            clauses = [f"${left} {right}$" for s in rest for left, right in self.rows(s)]
            text = self.display(self.rows(main), "aligned")
            return text + ("\nwhere " + " and ".join(clauses) + "." if clauses else "")
        return self.display([row for s in block.statements for row in self.rows(s)], block.style)

    def display(self, rows: Sequence[tuple[str, str]], style: str) -> str:
        if not rows:
            return ""
        tex = self.paper.host == "tex"
        if style == "apart":
            return "\n\n".join(f"$$ {left} {right} $$" for left, right in rows)
        if len(rows) == 1 and self.choose.random() < 0.5:
            [(left, right)] = rows
            return f"\n\\[ {left} {right} \\]\n" if tex else f"\n$${left} {right}$$\n"
        if style == "gather":
            body = " \\\\\n".join(f"{left} {right}" for left, right in rows)
            return f"\n\\begin{{gather}}\n{body}\n\\end{{gather}}\n"
        body = " \\\\\n".join(f"{left} &{right}" for left, right in rows)
        if tex:
            return f"\n\\begin{{align}}\n{body}\n\\end{{align}}\n"
        return f"\n$$\\begin{{aligned}}\n{body}\n\\end{{aligned}}$$\n"

    def heading(self, section: Section) -> str:
        if self.paper.host == "tex":
            return "\\" + "sub" * (section.level - 1) + rf"section{{{section.title}}}"
        return "#" * section.level + " " + section.title

    def paper_text(self) -> str:
        found = []
        axes = sorted({a.rstrip("'") for a in self.paper.sizes})
        tex = self.paper.host == "tex"
        if tex:
            found.append("\\documentclass{article}\n\\usepackage{amsmath,namedtensor}")
        if self.paper.dialect == "ndef":
            defs = " ".join(rf"\ndef{{\{a}}}{{{a}}}" for a in axes)
            found.append(defs if tex else f"$${defs}$$")
        if tex:
            found.append("\\begin{document}")
        for section in self.paper.sections:
            found.append(self.heading(section))
            for block in section.blocks:
                if self.choose.random() < 0.4:
                    found.append(self.choose.choice(PROSE))
                found.append(self.block(block))
        if tex:
            found.append("\\end{document}")
        return "\n\n".join(found) + "\n"


PROSE = [
    "The next step is the usual one.",
    "We follow the earlier work here, which had the same idea.",
    "As before, nothing depends on the order of the records.",
    "This is what the table below compares.",
    "Note that the weights are shared.",
    "In practice this is cheap.",
]


def blocks(paper: Paper) -> list[Block]:
    return [b for s in paper.sections for b in s.blocks]


def written(paper: Paper, seed: int) -> str:
    return Writer(paper, seed).paper_text()
