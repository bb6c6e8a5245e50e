"""The first sentences of each section, which the search box shows below what it finds.

A browser refuses to pages from files what Sphinx would fetch to show them; a script it may load.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

MOST = 200  # letters
SECTION = re.compile(
    r'<section[^>]* id="([^"]+)">\s*<h(\d)>.*?</h\2>\s*(?:<p>(.*?)</p>)?', re.DOTALL
)
SCRIPT = """
new MutationObserver(() => {
  for (const found of document.querySelectorAll("#search-results li:not(.excerpted)")) {
    found.classList.add("excerpted");
    const link = found.querySelector("a");
    const words = link && excerpts[link.getAttribute("href").replace(/[?][^#]*/, "")];
    if (!words) continue;
    const shown = document.createElement("p");
    shown.className = "context";
    shown.textContent = words;
    found.append(shown);
  }
}).observe(document.getElementById("search-results"), { childList: true, subtree: true });
"""


def excerpts(html: Path) -> dict[str, str]:
    """Give the first words of each page and of each of its sections, by their addresses."""
    found: dict[str, str] = {}
    for file in sorted(html.rglob("*.html")):
        page = file.relative_to(html).as_posix()
        for anchor, _, paragraph in SECTION.findall(file.read_text(encoding="utf-8")):
            if paragraph and "<math" not in paragraph:
                words = " ".join(unescape(re.sub(r"<[^>]*>", "", paragraph)).split())
                short = words if len(words) <= MOST else words[:MOST].rsplit(" ", 1)[0] + " …"
                found.setdefault(page, short)
                found[f"{page}#{anchor}"] = short
    return found


def _load(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    if page == "search":
        app.add_js_file("excerpts.js", loading_method="defer")


def _write(app: Sphinx, failed: Exception | None) -> None:
    if failed is None:
        words = json.dumps(excerpts(Path(app.outdir)), ensure_ascii=False)
        script = Path(app.outdir) / "_static" / "excerpts.js"
        script.write_text(f"const excerpts = {words};{SCRIPT}", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx when to load the excerpts, and when to write them."""
    app.connect("html-page-context", _load)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
