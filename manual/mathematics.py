"""Formulas of the manual: KaTeX makes MathML of them while the pages are built.

A page needs no script, no font and no network to show them, and a formula that KaTeX refuses is a
warning, which stops the build. KaTeX itself comes with sphinxcontrib-katex.
"""

from __future__ import annotations

import json
import re
import unicodedata
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import quickjs
import sphinxcontrib
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

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


#: Letters that MathML Core shows only where they are characters of their own; other variants are styles.
LETTERS = {"double-struck": "DOUBLE-STRUCK", "script": "SCRIPT", "fraktur": "FRAKTUR"}
BLACK_LETTER = {"FRAKTUR": "BLACK-LETTER"}  # as Unicode calls those that it had first
VARIANT = re.compile(r'<(m[a-z]+) mathvariant="(double-struck|script|fraktur)">([^<]*)<')


def with_letters(mathml: str) -> str:
    """Write letters of a variant as the characters that Unicode has for them.

    >>> with_letters('<mi mathvariant="double-struck">R</mi>')
    '<mi>ℝ</mi>'
    """

    def one(letter: str, style: str) -> str:
        case = "CAPITAL" if letter.isupper() else "SMALL"
        old = BLACK_LETTER.get(style, style)
        for name in (
            f"{old} {case} {letter.upper()}",
            f"MATHEMATICAL {style} {case} {letter.upper()}",
        ):
            with suppress(KeyError):
                return unicodedata.lookup(name)
        return letter

    return VARIANT.sub(
        lambda m: f"<{m[1]}>" + "".join(one(c, LETTERS[m[2]]) for c in m[3]) + "<", mathml
    )


def _visit(display: bool) -> Any:
    def visit(translator: Any, node: nodes.Element) -> None:
        tag = "div" if display else "span"
        try:
            html = rendered(node.astext(), output="mathml", display=display)
            html = with_letters(html)
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
