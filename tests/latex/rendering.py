"""KaTeX inside Python: says whether a formula renders, and how."""

import json
from functools import cache
from pathlib import Path

import pytest
import quickjs

from namedtensor.latex.printing.printer import KATEX_MACROS

#: The script comes with a package for Sphinx, of which nothing else is needed.
sphinxcontrib = pytest.importorskip("sphinxcontrib")
KATEX = next((Path(p) / "katex.min.js" for p in sphinxcontrib.__path__), Path("katex.min.js"))
if not KATEX.exists():
    pytest.skip("sphinxcontrib-katex is not installed", allow_module_level=True)


@cache
def _renderer():
    context = quickjs.Context()
    context.eval(KATEX.read_text(encoding="utf-8"))
    context.eval(
        "function render(text, macros) {"
        " return katex.renderToString(text, {displayMode: true, throwOnError: true,"
        " strict: 'error', macros: JSON.parse(macros)}); }"
    )
    return context.get("render")


def rendered(latex, macros=KATEX_MACROS):
    """Give the HTML of a printed block; raises quickjs.JSException where KaTeX refuses it."""
    text = latex.strip().removeprefix("$$").removesuffix("$$")
    return _renderer()(text, json.dumps(macros))
