"""The style file's macros for pages that show LaTeX with KaTeX or MathJax."""

from __future__ import annotations

#: Macros for katex.render(..., {macros}) or MathJax's tex.macros: what is printed with
#: dialect="macros" then shows as with namedtensor.sty.
KATEX_MACROS = {
    r"\name": r"\mathsf{\vphantom{fg}#1}",
    r"\ndef": r"\gdef#1{\name{#2}}",
    r"\nbin": r"\mathbin{\underset{\substack{#1}}{\vphantom{fg}#2}}",
    r"\ndot": r"\nbin{#1}{\odot}",
    r"\ncat": r"\nbin{#1}{\oplus}",
    r"\nsum": r"\sum\limits_{\substack{#1}}",
    r"\nfun": r"\mathop{\underset{\substack{#1}}{\vphantom{fg}\operatorname{#2}}}",
}
