"""KaTeX inside Python: says whether a formula renders, and how."""

import pytest

pytest.importorskip("sphinxcontrib.katex")

from docs.manual import mathematics


def rendered(text, *macros):
    """Render each block of a text: a formula stands after those that it calls."""
    return "\n".join(mathematics.rendered(block, *macros) for block in text.split("\n\n"))
