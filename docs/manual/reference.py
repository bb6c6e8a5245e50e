"""The reference, written from what the code says of itself: docstrings, the primitive table, and calls.

Operations stand in groups, as the paper's sections do, one page a group; of each its docstring, its LaTeX
and its positional code as a formula's call gives them, and the kinds of numbers that it takes. Other public
names follow in pages of their own.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

import namedtensor as nt
from docs.manual.prose import doc_of, fenced, linked, markdown, plain
from docs.manual.samples import LISTED, OPERATORS, Sample, made, sample, usual
from namedtensor.errors import NamedTensorError
from namedtensor.formula.rewrite import RULES
from namedtensor.primitives import table

#: Pages of operations in the paper's order: title, and the modules whose functions they hold.
OPERATIONS = {
    "elementwise": ("Elementwise operations", "elementwise"),
    "contraction": ("Contraction", "contraction"),
    "reductions": ("Reductions", "reductions"),
    "vectors": ("Vectors to vectors", "vectors"),
    "indexing": ("Indexing", "indexing"),
    "index_defined": ("Tensors defined by their indices", "index_defined"),
    "ordering": ("Ordering", "ordering"),
    "joining": ("Joining", "joining"),
    "matrices": ("Matrices", "matrices"),
    "windows": ("Windows", "windows"),
    "recurrence": ("Recurrence", "recurrence"),
    "lifting": ("Lifting positional functions", "lifting"),
    "creation": ("New tensors", "creation"),
    "random": ("Random tensors", "random"),
    "training": ("Training and states", "training"),
}

#: Pages of all other names: title, one sentence, and the names. A dot leads to a part of the package.
NAMES = {
    "tensors": (
        "Axes, shapes and tensors",
        "What everything else is made of.",
        "axes Axis sizes Shape tensor NamedTensor inf pi",
    ),
    "formulas": (
        "Formulas",
        "A function with declared axes: what follows its star are parameters. `nt.checked` holds positional "
        "code to axes.",
        "formula Formula R Z B State one each checked checks",
    ),
    "derivatives": (
        "Derivatives",
        "Of formulas they are formulas; of other functions of named tensors, functions.",
        "grad derivative differential",
    ),
    "modules": (
        "Modules and weights",
        "A formula's `.module(...)` is a `torch.nn.Module`; these go with it.",
        "nn.module.FormulaModule parameters collate load save weights.Loaded",
    ),
    "displays": (
        "Displays and explanations",
        "Each shows text at a prompt and HTML in a notebook.",
        "show display.show.Shown diagram display.diagram.Diagram steps Steps formula.steps.Row explain "
        "summary Summary debug",
    ),
    "documents": (
        "Documents in LaTeX",
        "`nt.latex` reads, checks and runs Markdown and LaTeX; [the guide](../latex.md) shows it at work.",
        "latex.read latex.read_file latex.Document latex.Finding",
    ),
    "oracle": (
        "The oracle",
        "`nt.testing` executes the paper's definitions literally, over records: slow, and meant to be "
        "obviously right.",
        "testing.assert_same testing.assert_close testing.from_named testing.to_named testing.lift "
        "testing.partial testing.record testing.records",
    ),
}

#: What users ask of the classes; their other methods are the package's own.
MEMBERS = {
    "Axis": "prime star",
    "Shape": "names size count compatible orthogonal",
    "NamedTensor": "shape size sizes axes dtype device kind numpy torch rearrange to item at detach "
    "requires_grad requires_grad_ backward grad",
    "Formula": "shape code latex module parameter_names",
    "FormulaModule": "axes shape code latex call steps",
    "Shown": "then svg figure",
    "Diagram": "svg",
    "Steps": "every text latex",
    "Summary": "text latex",
    "Document": "check names formulas bind latex python statements asides counts",
}
ERRORS = "../errors.md"
_TRACEBACK = "Traceback (most recent call last):"
KINDS = {"bool": np.bool_, "int": np.int64, "float": np.float64, "complex": np.complex128}
LIBRARIES = ("numpy", "torch")


def public_names() -> dict[str, Any]:
    """Give every public name of the package with what it stands for."""
    given = {name: getattr(nt, name) for name in dir(nt) if not name.startswith("_")}
    return {name: thing for name, thing in given.items() if not isinstance(thing, ModuleType)}


def operations_of(page: str) -> list[str]:
    """List the public operations of a page, in the order in which their file has them."""
    module = f"namedtensor.operations.{OPERATIONS[page][1]}"
    found = [
        name
        for name, thing in public_names().items()
        if getattr(thing, "__module__", None) == module and callable(thing)
    ]
    return sorted(found, key=lambda name: _line(getattr(nt, name)))


def _line(thing: Any) -> int:
    code = getattr(inspect.unwrap(getattr(thing, "function", thing)), "__code__", None)
    return code.co_firstlineno if code else 0


def pages() -> dict[str, str]:
    """Write all pages of the reference, by their places in the manual."""
    written = {"reference/operations.md": contents()}
    for page in OPERATIONS:
        written[f"reference/operations/{page}.md"] = operation_page(page)
    for page in NAMES:
        written[f"reference/{page}.md"] = names_page(page)
    written["reference/operators.md"] = operators_page()
    written["reference/command.md"] = command_page()
    written["reference/kernels.md"] = kernels_page()
    written["reference/all.md"] = every_name()
    return written


def places() -> dict[str, str]:
    """Say on which page of the reference each public name stands."""
    found = {name: f"operations/{page}" for page in OPERATIONS for name in operations_of(page)}
    for page, (_, _, names) in NAMES.items():
        found |= {name: page for name in names.split() if "." not in name}
    return found


# ------------------------------------------------------------------------------------- operations


def contents() -> str:
    """Write the page that lists the groups of operations."""
    rows = [
        f"- [{title}](operations/{page}.md): "
        + ", ".join(
            f"[`{name}`](operations/{page}.md#{anchor(name)})" for name in operations_of(page)
        )
        for page, (title, _) in OPERATIONS.items()
    ]
    entries = "\n".join(f"operations/{page}" for page in OPERATIONS)
    return "\n".join(
        [
            "# Operations",
            "",
            "Every operation with its formula, its type, its LaTeX, the positional code that it becomes, its "
            "errors and an example. [Operators and brackets](operators.md) have a page of their own.",
            "",
            *rows,
            "",
            "```{toctree}\n:hidden:\n",
            entries,
            "```",
            "",
        ]
    )


def operators_page() -> str:
    """Write the page of operators and brackets, with a call of each that is refused."""
    parts = [
        "# Operators and brackets",
        "What the notation writes between tensors and below them. Axes may be strings everywhere: "
        '`W @ "emb" @ X`, `X["seq -> seq\'"]`.',
    ]
    for title, (said, call, refused) in OPERATORS.items():
        good, bad = made(call), made(refused)
        parts += [f"## {title}", said, *_equation(good), *_code(good)]
        try:
            bad.plain(*bad.on("numpy"))
        except NamedTensorError as error:
            kind = type(error).__name__
            parts.append(f"Refused, with {linked(kind, ERRORS)}:")
            parts.append(
                fenced("pycon", f">>> {refused}\n{_TRACEBACK}\nnamedtensor.errors.{kind}: {error}")
            )
    return "\n\n".join(parts) + "\n"


def anchor(name: str) -> str:
    """Give the place of a name on its page."""
    return name.rpartition(".")[2].lower()


def operation_page(page: str) -> str:
    """Write the page of one group."""
    title, module = OPERATIONS[page]
    said = inspect.getdoc(getattr(nt.operations, module)) or ""
    entries = [operation(name) for name in operations_of(page)]
    return "\n\n".join([f"# {title}", markdown(said, f"../{ERRORS}"), *entries]) + "\n"


def operation(name: str) -> str:
    """Write the entry of one operation."""
    said = markdown(doc_of(getattr(nt, name)), f"../{ERRORS}")
    head, _, rest = said.partition("\n\n")
    body, mark, example = rest.partition("```pycon")
    call = sample(name)
    parts = [f"## {name}", head, f"`{signature(name)}`", body.strip()]
    if call is not None:
        parts += [*_equation(call), *_code(call), *_kinds(name, call)]
    parts.append(mark + example)
    return "\n\n".join(part for part in parts if part)


def signature(name: str) -> str:
    """Write how a function is called.

    >>> signature("standardize"), signature("exp")
    ('nt.standardize[seq](X, eps=1e-05)', 'nt.exp(X)')
    """
    thing = getattr(nt, name)
    given = []
    for p in inspect.signature(thing).parameters.values():
        text = str(p.replace(annotation=p.empty))
        given.append(text)
        if p.kind is p.KEYWORD_ONLY and not any(part.startswith("*") for part in given):
            given.insert(-1, "*")
    call = LISTED.get(name) or (usual(name) if type(thing).__name__ == "AxisFunction" else "")
    named = re.match(rf"nt\.{name}(\[[^(]*\])\(", call)
    brackets = (
        named[1]
        if named
        else "[axes]"
        if type(thing).__name__ in ("AxisFunction", "Collate")
        else ""
    )
    return f"nt.{name}{brackets}({', '.join(given)})"


def _equation(call: Sample) -> Iterator[str]:
    """Give a call and its LaTeX."""
    yield f"`{call.call}` in LaTeX:"
    yield call.formula.latex("macros")


def _code(call: Sample) -> Iterator[str]:
    """Give the positional code, once where both libraries have the same."""
    codes = {library: call.formula.code(*call.on(library)).strip() for library in LIBRARIES}
    if len(set(codes.values())) == 1:
        yield "It becomes, on numpy and torch alike:"
        yield fenced("python", codes["numpy"])
        return
    for library, code in codes.items():
        yield f"It becomes, on {library}:"
        yield fenced("python", code)


def _kinds(name: str, call: Sample) -> Iterator[str]:
    """Say which kinds of numbers the operands may hold, by calling."""
    said = [f"{kind} {found}" for kind in KINDS if (found := outcome(call, kind))]
    rule = table().get(name)
    derivable = rule and (rule.slopes or rule.differential or rule.transpose)
    if said:
        yield f"Numbers: {'; '.join(said)}." + (" It has a derivative." if derivable else "")


def outcome(call: Sample, kind: str) -> str:
    """Say what a call makes of arguments of a kind: the kind of its result, or the error that refuses it."""
    floats = [n for n, a in call.arguments.items() if a.dtype.kind == "f"]
    if not floats:
        return ""
    arguments = [
        nt.tensor((np.round(a * 2) if kind == "int" else a).astype(KINDS[kind]), call.axes[n])
        if n in floats
        else nt.tensor(a, call.axes[n])
        for n, a in call.arguments.items()
    ]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"→ {call.plain(*arguments).kind}"
    except NamedTensorError as error:
        return f"is refused ([{type(error).__name__}](../{ERRORS}#{type(error).__name__.lower()}))"


# ------------------------------------------------------------------------------- all other names


def names_page(page: str) -> str:
    """Write a page of names that are no operations."""
    title, said, names = NAMES[page]
    entries = [entry(name) for name in names.split()]
    return "\n\n".join([f"# {title}", said, *entries]) + "\n"


def found(name: str) -> Any:
    """Find what a dotted name of the package stands for."""
    import importlib

    path, _, last = name.rpartition(".")
    home = importlib.import_module(f"namedtensor.{path}") if path else nt
    return getattr(home, last)


def entry(name: str) -> str:
    """Write the entry of a function, a class with its methods, or a constant."""
    thing = found(name)
    said = markdown(doc_of(thing), ERRORS)
    if isinstance(thing, float):
        said = f"The number {thing}, for formulas."
    parts = [f"## {name.rpartition('.')[2]}", said]
    if isinstance(thing, type):
        for member in MEMBERS.get(thing.__name__, "").split():
            parts += [method(thing, member)]
    elif callable(thing):
        parts.insert(1, f"`nt.{_called(name, thing)}`")
    return "\n\n".join(part for part in parts if part)


def _called(name: str, thing: Any) -> str:
    if "." not in name:
        return signature(name).removeprefix("nt.")
    given = inspect.signature(thing).parameters.values()
    return f"{name}({', '.join(str(p.replace(annotation=p.empty)) for p in given)})"


def method(owner: type, name: str) -> str:
    """Write a method or a property of a class."""
    thing = inspect.getattr_static(owner, name)
    call = ""
    if callable(getattr(owner, name)):
        given = list(inspect.signature(getattr(owner, name)).parameters.values())
        call = (
            f"({', '.join(str(p.replace(annotation=p.empty)) for p in given if p.name != 'self')})"
        )
    said = markdown(inspect.getdoc(thing) or "", ERRORS)
    return f"### {owner.__name__}.{name}\n\n`.{name}{call}`\n\n{said}"


def command_page() -> str:
    """Write the page of the command line: the help of each job."""
    from namedtensor.command.program import parser

    whole = parser()
    jobs = next(a for a in whole._actions if a.dest == "job")
    parts = ["# The command `namedtensor`", fenced("text", whole.format_help())]
    for name, job in (jobs.choices or {}).items():
        parts += [f"## namedtensor {name}", fenced("text", job.format_help())]
    return "\n\n".join(parts) + "\n"


def kernels_page() -> str:
    """Write the rules that find kernels: each with its formula as code and as LaTeX."""
    parts = [
        "# Kernels and plainer forms",
        "Each rule is a formula, which is found in other orders, under other names and with further axes. "
        "[How a formula becomes a kernel](../kernels.md) shows them at work; `nt.explain` says which fired.",
    ]
    for rule in RULES:
        # names of axes stand as strings where the annotations are text
        code = inspect.getsource(rule.written)
        parts += [f"## {rule.name}", f"On {' and '.join(rule.libraries)}.", fenced("python", code)]
        parts.append(rule.pattern.latex("macros"))
    return "\n\n".join(parts) + "\n"


def missed_goals(results: str) -> str:
    """List the rows of the tables of results whose goals were missed.

    >>> row = "| X | 2 us | 1 us | 2.00 (1 to 3) | at most 1.50 | missed |"
    >>> missed_goals(f"<!-- a -->\\n{row}\\n<!-- /a -->").splitlines()[-1]
    '| X | a | 2 us | 1 us | 2.00 | at most 1.50 |'
    """
    rows = ["| What | Table | Ours | Theirs | Ratio | Goal |", "|---|---|---|---|---|---|"]
    for table_, text in re.findall(r"<!-- (\w+) -->\n(.*?)<!-- /\1 -->", results, re.S):
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split(" |")]
            if line.startswith("| ") and cells[-1] == "missed":
                what, ours, theirs, ratio, goal, _ = cells
                row = [what, table_, ours, theirs, ratio.partition(" (")[0], goal]
                rows.append(f"| {' | '.join(row)} |")
    return "\n".join(rows)


def every_name() -> str:
    """Write the list of all public names."""
    rows = ["# All names", "", "| Name | What it is |", "|---|---|"]
    at = places()
    for name, thing in sorted(public_names().items(), key=lambda item: item[0].lower()):
        if isinstance(thing, type) and issubclass(thing, NamedTensorError):
            where = f"{ERRORS}#{name.lower()}"
        else:
            where = f"{at[name]}.md#{anchor(name)}"
        said = re.sub(r"\s+", " ", doc_of(thing).partition("\n")[0])
        rows.append(f"| [`{name}`]({where}) | {plain(said).replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"
