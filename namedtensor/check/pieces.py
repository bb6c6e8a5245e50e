"""The Python that a file holds: a module, the cells of a notebook, the blocks of a document."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from namedtensor.latex.source import Source

#: Documents whose formulas are LaTeX; those of Markdown may have blocks of Python too.
DOCUMENTS = frozenset(".md .markdown .mdx .rmd .qmd .tex .latex .ltx .sty .cls .txt .rst".split())
MARKDOWN = frozenset(".md .markdown".split())
PYTHON = frozenset(".py .ipynb".split())

#: What is looked for in folders.
FOUND = frozenset(".md .markdown .mdx .rmd .qmd .tex .latex .ltx".split()) | PYTHON

#: Folders that hold no files of the user's.
_SKIPPED = frozenset("__pycache__ node_modules site-packages venv build dist".split())

#: What declares axes.
_SPACES = frozenset("RZB")

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *\{?\.?(?P<language>[\w-]*)")
_CELL = re.compile(r"^# ?%%", re.M)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some code of a file. It stands on the same lines as in `source`, `shift` columns to the left."""

    source: Source
    code: str
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """All code of a file: with `whole` a module that is imported, else pieces run as far as is needed."""

    file: str
    pieces: tuple[Piece, ...]
    whole: bool


class UnreadableError(Exception):
    """A file that holds no Python that can be read; its text says why."""


def program_in(file: str, text: str) -> Program:
    """Find the Python of a file.

    Raises: UnreadableError where the file is no notebook, or its code is no Python.
    """
    suffix = Path(file).suffix
    if suffix == ".ipynb":
        return Program(file, tuple(_cells(file, text)), False)
    if suffix in MARKDOWN:
        return Program(file, tuple(_blocks(Source(text, file))), False)
    source = Source(text, file)
    parse(source, text)
    return Program(file, (Piece(source, text),), _CELL.search(text) is None)


def parse(source: Source, code: str) -> ast.Module:
    """Parse code, and say in one line why it is no Python."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise UnreadableError(f"{source.name}:{error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"{source.name}: {error or 'nested too deeply'}") from None


def _cells(file: str, text: str) -> Iterator[Piece]:
    """Give the code cells of a notebook; what is meant for IPython is left out of their code."""
    try:
        cells = json.loads(text)["cells"]
        given = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (ValueError, KeyError, TypeError):
        raise UnreadableError(f"{file}: is no notebook") from None
    for number, (kind, code) in enumerate(given, 1):
        if kind != "code" or code.lstrip().startswith("%%"):
            continue
        source = Source(code, f"{file}:cell {number}")
        plain = re.sub(r"^( *)(?:[%!?].*|.*\?)$", r"\1pass", code, flags=re.M)
        parse(source, plain)
        yield Piece(source, plain)


def _blocks(source: Source) -> Iterator[Piece]:
    """Give the blocks of Python in a Markdown text; a block that does not parse is skipped."""
    lines = source.text.split("\n")
    opened: re.Match[str] | None = None
    start = 0
    for number, line in enumerate(lines):
        if opened is None:
            opened = _FENCE.match(line)
            start = number + 1
        elif line.strip().startswith(opened["fence"]) and not line.strip().strip("`~"):
            indent = len(opened["indent"])
            inside = [text[indent:] for text in lines[start:number]]
            code = "\n" * start + "\n".join(inside)
            if opened["language"] in ("python", "py", "python3"):
                try:
                    parse(source, code)
                    yield Piece(source, code, indent)
                except UnreadableError:
                    pass
            opened = None


def is_candidate(program: Program) -> bool:
    """Say whether a file may define a formula or an axis: others need not be run."""
    return any(_uses_names(ast.parse(piece.code)) for piece in program.pieces)


def _uses_names(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            if any(alias.name.partition(".")[0] == "namedtensor" for alias in node.names):
                return True
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] == "namedtensor":
                return True
        elif isinstance(node, ast.FunctionDef) and any(map(is_formula, node.decorator_list)):
            return True
    return False


def is_formula(decorator: ast.expr) -> bool:
    """Say whether a decorator makes a formula: formula, nt.formula, formula(trace=False)."""
    return _last(decorator.func if isinstance(decorator, ast.Call) else decorator) == "formula"


def is_positional(function: ast.FunctionDef) -> bool:
    """Say whether a function is positional code that is held to a pattern: @nt.checked("seq emb -> seq")."""
    calls = [d.func for d in function.decorator_list if isinstance(d, ast.Call)]
    return any(_last(made) == "checked" for made in calls)


def declares_axes(function: ast.FunctionDef) -> bool:
    """Say whether a function that is no formula declares spaces for what it takes or gives."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    declared = any(map(_is_space, [function.returns, *[a.annotation for a in given]]))
    return declared and not any(map(is_formula, function.decorator_list))


def _is_space(annotation: ast.expr | None) -> bool:
    """Say whether an annotation is a space with axes: R[seq, emb], nt.Z[seq]."""
    return isinstance(annotation, ast.Subscript) and _last(annotation.value) in _SPACES


def _last(named: ast.expr) -> str:
    """Give the last word of a name: checked of nt.checked."""
    return str(getattr(named, "attr", getattr(named, "id", "")))


def files_below(folder: Path) -> list[str]:
    """List the files of a folder that can be checked, hidden folders and caches left out."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in _SKIPPED:
            continue
        if path.is_dir() and not path.is_symlink() and not (path / "pyvenv.cfg").exists():
            found += files_below(path)
        elif path.suffix.lower() in FOUND and path.is_file():
            found.append(str(path))
    return found
