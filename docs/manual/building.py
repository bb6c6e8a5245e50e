"""Build the manual into a folder, and say what is wrong with it."""

from __future__ import annotations

import io
import os
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

from docs.manual import checks, pages, reference

HERE = Path(__file__).parent
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def build(folder: Path) -> list[str]:
    """Lay the sources out and build them; give what Sphinx warns of, or else what the checks find."""
    source, html = folder / "source", folder / "html"
    results = (pages.ROOT / "benchmarks" / "RESULTS.md").read_text()
    pages.lay_out(
        source, reference.pages(), {"goals that were missed": reference.missed_goals(results)}
    )
    return make_html(folder) or [
        *checks.broken_links(html),
        *checks.fetched_from_elsewhere(html),
        *checks.red_formulas(html),
        *checks.found_by_searching(html, reference.places()),
    ]


def make_html(folder: Path) -> list[str]:
    """Let Sphinx make html/ of source/; give its warnings."""
    settings = folder / "ipython" / "profile_default" / "ipython_kernel_config.py"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("c = get_config()\nc.IPKernelApp.log_level = 40\n")
    # code of pages runs without the reader's own settings
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    shutil.rmtree(folder / "html", ignore_errors=True)  # pages that are no more
    warnings = io.StringIO()
    app = Sphinx(
        srcdir=folder / "source",
        confdir=HERE,
        outdir=folder / "html",
        doctreedir=folder / "doctrees",
        buildername="html",
        status=None,
        warning=warnings,
        freshenv=True,
    )
    app.build(force_all=True)
    return [line for line in COLOUR.sub("", warnings.getvalue()).splitlines() if line]
