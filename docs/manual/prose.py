"""Docstrings as Markdown: text, formulas, what is raised, examples.

A docstring of ours is a line that says what is computed, formulas that stand indented, sentences,
`Raises:` and an example. Words of code in sentences carry no marks; they become text in which nothing of
Markdown is read.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any

import namedtensor as nt

MARKS = re.compile(r"([\\*_\[\]<>|$~#{}])")
TICKS = re.compile(r"(`[^`]+`)")
ERRORS = re.compile(r"\b[A-Z]\w+Error\b")


def plain(text: str, errors: str = "") -> str:
    """Write a sentence so that Markdown shows it as it is; `errors` is the page that errors are linked to.

    >>> plain("V_{row} is `X[a]`, a*b")
    'V\\\\_\\\\{row\\\\} is `X[a]`, a\\\\*b'
    """
    parts = TICKS.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = MARKS.sub(r"\\\1", parts[i])
        if errors:
            parts[i] = ERRORS.sub(lambda m: linked(m[0], errors), parts[i])
    return "".join(parts)


def linked(name: str, page: str) -> str:
    """Link one of our errors to its place on the page of errors."""
    return f"[{name}]({page}#{name.lower()})" if hasattr(nt, name) else name


def markdown(docstring: str, errors: str = "") -> str:
    """Write a docstring as Markdown."""
    blocks = [[block] for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring)) if block]
    parts: list[tuple[str, str]] = []
    for [block] in blocks:
        if block.startswith((">>>", "...")):
            parts.append(("pycon", block))
        elif block.startswith("    "):
            code = re.match(r"\s*(@|def |return |with |for )", block)
            parts.append(("python" if code else "text", textwrap.dedent(block)))
        elif re.search("->| = ", block) and not block.endswith((".", ":")):
            parts.append(("text", block))
        elif parts and parts[-1][0] == "pycon":  # a blank line inside of an example
            parts[-1] = ("pycon", f"{parts[-1][1]}\n\n{block}")
        else:
            parts.append(("", block))
    return "\n\n".join(written(kind, text, errors) for kind, text in parts)


def written(kind: str, text: str, errors: str) -> str:
    """Write one paragraph, or one block of code."""
    if kind:
        kept = "\n".join(
            line for line in text.splitlines() if line != ">>> import namedtensor as nt"
        )
        return fenced(kind, kept)
    if text.startswith("|"):  # a table is Markdown already
        return text
    lines = " ".join(text.split())
    return re.sub(r"(^| )((?:Raises|Source|Departs):)", r"\1**\2**", plain(lines, errors))


def fenced(kind: str, text: str) -> str:
    """Write a block of code."""
    return f"```{kind}\n{text.strip(chr(10))}\n```"


def doc_of(thing: Any) -> str:
    """Give what is said of a class, a function or an instance, but what Python says of its own kinds."""
    own = inspect.getdoc(thing) or ""
    kind = type(thing)
    builtin = kind.__module__ == "builtins" and kind not in (type, type(doc_of))
    return "" if builtin and own == inspect.getdoc(kind) else own
