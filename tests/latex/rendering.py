"""KaTeX inside Python: says whether a formula renders, and how."""

import pytest

pytest.importorskip("sphinxcontrib.katex")

from docs.manual.mathematics import rendered as rendered
