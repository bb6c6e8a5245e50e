"""The index of findings: each code with its cause, as the checkers give it, and its cure.

    python -m docs.manual.faults        # writes docs/findings.md again

A code whose rule has no sentence for its cause gets one here, with an example.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import namedtensor
from docs.manual.prose import plain
from namedtensor.check.meaning import MEANINGS
from namedtensor.latex.check.codes import CODES

PAGE = Path(__file__).parents[1] / "findings.md"

#: The cure for each rule whose module has the sentence for its cause.
CURES = {
    "axis-missing": "name an axis that all operands have; the hint lists them",
    "axis-returns": "declare the second operand over axes that the first still has, or contract over others",
    "axis-alone": "write the right axis in the declaration; if it is right, use it in a second place",
    "axis-clash": "rename one of the two first, most often by a prime",
    "axis-size": "declare both with one letter, or say that the letters are equal",
    "axis-name": "write the axis with its size, seq:n",
    "axis-under-operand": "write the axes under the dot or under the function",
    "axis-under-sign": "leave the axes out: + and - match operands on the axes that both have",
    "no-axis": "write the axes under the function",
    "reach": "put brackets around the part that is raised to the power, or around the first sum",
    "meaning": "use another letter for one of the two meanings, or define the function",
    "undefined": "declare or define the name, or correct its spelling",
    "undeclared": "declare it in this section, or in a section around it",
    "declared-shape": "change the declaration or the formula; both shapes are shown",
    "result-shape": "change the signature or the body; both shapes are shown",
    "series-shape": "give the first member the shape of the result of each step",
    "arguments": "give as many arguments as the definition has",
    "parameters-missing": "write the parameters after the semicolon, f(X; W)",
    "index-type": "index by whole numbers, and by an index of that axis",
    "index-range": "documents count from 1 unless they say otherwise; Python from 0",
    "near-duplicate": "spell both alike, or choose names that differ more",
    "repeated": "leave the second one out, or rename it",
    "constraint": "change the equation between the sizes, or the sizes",
    "nan": "look for a division by 0, or for infinity minus infinity",
    "refused": "the finding says what the operation needs",
    "softmax-unmet": "normalise over the axis that is contracted",
    "softmax-twice": "leave one of the two out",
    "softmax-constant": "add a term that differs along the axis, or leave the term out",
    "scale-axis": "divide by the size of the axis that was contracted",
    "statistic-axis": "take mean and variance over the same axes",
    "mask-swapped": "exchange the two indices of the mask's condition",
    "mask-multiplied": "add the mask to the scores",
    "prime-forgotten": "rename one side first, X[seq >> seq_]",
    "axis-lifted": "declare the parameter over axes that the arguments have",
    "axis-brought-back": "declare the parameter over the axes that the other operand still has",
    "residual-axis": "project back to the input's axis before adding",
    "size-unequal": "give both sizes one name in the declarations",
    "loss-axes": "reduce the loss over all axes, nt.mean[...]",
    "unused": "use the argument, or remove it from the signature",
}


@dataclass(frozen=True)
class Fault:
    """A code whose cause is written here: the cause, the cure, and a formula with this fault."""

    cause: str
    cure: str
    example: str = ""


#: The faults that the reader of documents reports.
READING = {
    "syntax-unbalanced": Fault(
        "a bracket, a bar or an environment has no partner",
        "close or open it",
        r"Y = (A \ndot{seq} B",
    ),
    "syntax-end": Fault(
        "the formula ends where something should follow",
        "write what is missing",
        r"Y = A \ndot{seq}",
    ),
    "syntax-unexpected": Fault(
        "a sign is in a place where it has no meaning",
        "remove it, or write its operand",
        r"Y = A \ndot{seq} / B",
    ),
    "syntax-command": Fault(
        "a command is not known to the notation, and the document does not define it",
        r"define it with `\newcommand`, or give its file as `--preamble`",
        r"Y = A \ndot{seq} \foo",
    ),
    "syntax-argument": Fault(
        "a command or a bracket lacks its argument, or has too many",
        "give one",
        r"Y = A \ndot{seq} \text",
    ),
    "syntax-axis": Fault(
        "there is something else in the place of an axis", "name an axis", r"Y = A \ndot{1} B"
    ),
    "syntax-index": Fault(
        "an axis has no index", "write seq(i), or seq:i", r"Y = M_{\text{seq}':i, \text{key}}"
    ),
    "syntax-set": Fault(
        "a counted set is not written as an index with a condition",
        r"write `\#\{ i : X_{\text{ax}(i)} > 0 \}`",
        r"Y = X \ndot{seq} \#\{X\}",
    ),
    "syntax-rename": Fault(
        "a renaming lacks one side",
        "write the axis, an arrow, and its new name",
        r"Y = X_{\name{a} \rightarrow}",
    ),
    "syntax-space": Fault(
        "after the sign of membership there is no space",
        r"write `\mathbb{R}` with its axes",
        r"f : \mathbb{R}^{\name{a}} \to X",
    ),
    "syntax-signature": Fault(
        "a signature has several spaces after its arrow",
        "give it one",
        r"f : \mathbb{R}^{\name{a}} \to \mathbb{R} \times \mathbb{R}^{\name{b}}",
    ),
    "syntax-environment": Fault(
        "an environment cannot stand in a formula",
        "use cases, aligned or a matrix",
        r"Y = \begin{tabular} A \ndot{seq} B \end{tabular}",
    ),
    "syntax-case": Fault(
        "a definition is given piece by piece, and not all of its pieces can be read",
        "write it with `\\begin{cases}`",
        r"f(X) = X \ndot{seq} X \text{ otherwise}",
    ),
    "syntax-macro": Fault(
        "a definition of a macro is not complete",
        "close its braces",
        r"Y = A \ndot{seq} B \newcommand{\by}",
    ),
    "limit-expansion": Fault(
        "a macro expands without end", "see whether its definition uses itself", r"\def\a{\a}\a"
    ),
    "limit-nesting": Fault("brackets are nested too deeply", "name a part, and use its name"),
    "limit-size": Fault(
        "a document or a formula has more parts than can be read", "split it into several"
    ),
    "limit-input": Fault(
        "a file that the document includes is not read",
        "check its path; a file above the document's folder is not read",
    ),
}
#: The faults that only Python files can have.
PYTHON = {
    "kind": Fault(
        "numbers of another kind are needed",
        "compare the numbers, or convert them by nt.cast; see [KindError](errors.md#kinderror)",
    ),
    "trace": Fault(
        "a body asks for numbers while it is traced", "see [TraceError](errors.md#traceerror)"
    ),
    "body-raises": Fault(
        "a body raises an exception of Python or of another library",
        "correct the body; the message is that of the exception",
    ),
    "unreadable": Fault(
        "the editor's server cannot read the file", "correct what the message says"
    ),
}
#: The faults that stop a document when it is run: the codes of LatexError.
RUNNING = {
    "circular": Fault("definitions use each other", "define one of them without the other"),
    "unbound": Fault(
        "a length, such as L, has no number", "write document.bind(L=6), or declare the length"
    ),
    "not-notation": Fault(
        "a definition uses something that the notation does not have",
        "write it in the notation, or pass the value",
    ),
    "nonsense": Fault("a part of a formula has no value", "the finding says why"),
}


def codes_of_the_package() -> set[str]:
    """Find every code in the sources, in each place that makes a finding, a fault or a remark."""
    makers = {"Finding": 1, "Fault": 0, "Remark": 0}
    found = {*CODES, *MEANINGS}
    for file in Path(namedtensor.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            for text in _codes(node, makers):
                if re.fullmatch(r"[a-z]+(-[a-z]+)*", text):
                    found.add(text)
    return found - {"aside"}


def _codes(node: ast.AST, makers: dict[str, int]) -> list[str]:
    """Give the codes that a part of a source names."""
    if isinstance(node, ast.AnnAssign | ast.Assign):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
        if [t.id for t in targets if isinstance(t, ast.Name)] != ["CODES"] or node.value is None:
            return []
        tables = [n for n in ast.walk(node.value) if isinstance(n, ast.Dict | ast.Tuple)]
        values = [v for t in tables for v in (t.values if isinstance(t, ast.Dict) else t.elts)]
        return [v.value for v in values if isinstance(v, ast.Constant) and " " not in str(v.value)]
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    given = [k.value for k in node.keywords if k.arg == "code"]
    if name in makers:
        given += node.args[makers[name] : makers[name] + 1]
    elif name == "next" and "CODES" in ast.unparse(node.args[0]):  # the code of what fits no other
        given += node.args[1:]
    elif name in ("error", "add") and len(node.args) > 2:
        given += node.args[: 2 if name == "add" else 1]
    said = [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return [text for text in said if text not in ("error", "warning", "note", "builtins")]


def page() -> str:
    """Write the index of findings."""
    rules = [
        f"| [`{code}`](checking.md#{code}) | {plain(cause)} | {plain(CURES[code])} |"
        for code, cause in CODES.items()
    ]
    meanings = [
        f"| `{code}` | {plain(cause)} | {plain(CURES[code])} |" for code, cause in MEANINGS.items()
    ]
    head = "| Code | Cause | Cure |\n|---|---|---|"
    return "\n\n".join(
        [
            "# Findings",
            "`namedtensor check`, editors, `%%named` and documents that are run give findings: a place, "
            "a code, the cause, the shapes, and a hint. [The guide](checking.md) shows how to run the "
            "check and how to silence a rule; [errors of calls](errors.md) have a page of their own.",
            "## Rules of documents and of Python",
            "Each code links to an example and to what the check prints for it.",
            "\n".join([head, *rules]),
            "## What axes mean",
            "These are warnings: such axes are legal, but rarely meant. [The guide](checking.md#python) has "
            "examples.",
            "\n".join([head, *meanings]),
            "## What cannot be read",
            "\n".join([head, *_rows(READING)]),
            "## In Python files",
            "\n".join([head, *_rows(PYTHON)]),
            "## In documents that are run",
            "\n".join([head, *_rows(RUNNING)]),
            "",
        ]
    )


def _rows(faults: dict[str, Fault]) -> list[str]:
    rows = []
    for code, fault in faults.items():
        cure = fault.cure if "](" in fault.cure else plain(fault.cure)
        shown = f" Example: `{fault.example}`." if fault.example else ""
        rows.append(f"| `{code}` | {plain(fault.cause)}.{shown} | {cure} |".replace(".. ", ". "))
    return rows


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
