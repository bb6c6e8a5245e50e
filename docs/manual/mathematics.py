"""Formulas of the manual: KaTeX makes MathML of them while the pages are built.

A page needs no script, no font and no network to show them, and a formula that KaTeX refuses is a
warning, which stops the build. KaTeX itself comes with sphinxcontrib-katex.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import quickjs
import sphinxcontrib
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from docs.manual.native import native
from namedtensor.latex.printing.printer import KATEX_MACROS

KATEX = next(
    p / "katex.min.js" for p in map(Path, sphinxcontrib.__path__) if (p / "katex.min.js").exists()
)
FORMULA = "formula"

logger = logging.getLogger(__name__)


@cache
def _renderer() -> Any:
    context = quickjs.Context()
    context.eval(KATEX.read_text(encoding="utf-8"))
    context.eval(
        "function render(text, options) { return katex.renderToString(text, JSON.parse(options)); }"
    )
    return context.get("render")


def rendered(
    latex: str,
    macros: dict[str, str] = KATEX_MACROS,
    output: str = "htmlAndMathml",
    display: bool = True,
) -> str:
    """Give the HTML of a formula; raises quickjs.JSException where KaTeX refuses it."""
    text = latex.strip().removeprefix("$$").removesuffix("$$")
    options = {
        "displayMode": display,
        "throwOnError": True,
        "strict": "error",
        "macros": macros,
        "output": output,
    }
    html: str = _renderer()(text, json.dumps(options))
    return html


def _visit(display: bool) -> Any:
    def visit(translator: Any, node: nodes.Element) -> None:
        tag = "div" if display else "span"
        try:
            html = rendered(node.astext(), output="mathml", display=display)
            html = native(html)
        except quickjs.JSException as error:
            said = str(error).splitlines()[0]
            logger.warning(f"KaTeX refuses {node.astext()!r}: {said}", location=node, type=FORMULA)
            html = translator.encode(node.astext())
        translator.body.append(f'<{tag} class="{FORMULA}">{html}</{tag}>')
        raise nodes.SkipNode

    return visit


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx how formulas become HTML."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(_visit(False), None), block_renderers=(_visit(True), None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
