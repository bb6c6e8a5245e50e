"""Read the HTML of the manual again: links, formulas, what a page fetches, and the index of its search box.

Each check takes the folder of the HTML and gives a line for each fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import quickjs

from docs.manual.mathematics import FORMULA

#: What stands in these is no text for readers, or stands as it is typed.
QUOTED = {"pre", "code", "script", "style", "annotation"}
LATEX = re.compile(r"\$\$|\\(begin|text|mathbb|underset)\{")

#: Attributes with which a page fetches something when it is opened.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


@dataclass
class Page(HTMLParser):
    """What one page has: anchors, links, what it fetches, and its formulas."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    formulas: int = 0
    shown: int = 0
    refused: int = 0
    quoted: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = {name: value or "" for name, value in attrs}
        self.anchors.add(had.get("id", ""))
        if tag == "a" and "href" in had:
            self.links.append(had["href"])
        if tag in FETCHED and FETCHED[tag] in had:
            self.fetched.append(had[FETCHED[tag]])
        self.quoted += tag in QUOTED
        words = had.get("class", "").split()
        self.formulas += FORMULA in words
        self.shown += tag == "math"
        self.refused += "katex-error" in words or "math" in words or tag == "merror"

    def handle_endtag(self, tag: str) -> None:
        self.quoted -= tag in QUOTED

    def handle_data(self, data: str) -> None:
        self.refused += not self.quoted and LATEX.search(data) is not None


@cache
def read(file: Path) -> Page:
    """Read one page of HTML."""
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def pages(html: Path) -> Iterator[tuple[str, Page]]:
    """Give each page with its name."""
    for file in sorted(html.rglob("*.html")):
        yield file.relative_to(html).as_posix(), read(file)


def broken_links(html: Path) -> Iterator[str]:
    """Find links and pictures of the manual that lead nowhere."""
    for name, page in pages(html):
        for link in dict.fromkeys([*page.links, *page.fetched]):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            file = (html / name).parent / unquote(parts.path) if parts.path else html / name
            if not file.exists():
                yield f"{name}: {link} leads to no file"
            elif (
                parts.fragment
                and file.suffix == ".html"
                and unquote(parts.fragment) not in read(file.resolve()).anchors
            ):
                yield f"{name}: {link} leads to no place of the page"


def fetched_from_elsewhere(html: Path) -> Iterator[str]:
    """Find what a page would fetch from the network."""
    for name, page in pages(html):
        for link in page.fetched:
            if re.match(r"(https?:)?//", link):
                yield f"{name}: fetches {link}"
    for file in sorted(html.rglob("*.css")):
        for link in re.findall(
            r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)", file.read_text()
        ):
            yield f"{file.relative_to(html).as_posix()}: fetches {link}"


def red_formulas(html: Path) -> Iterator[str]:
    """Find formulas that do not show as formulas."""
    for name, page in pages(html):
        if page.refused:
            yield f"{name}: {page.refused} formulas were refused"
        if page.shown < page.formulas:
            yield f"{name}: {page.formulas - page.shown} formulas of {page.formulas} have no MathML"


def found_by_searching(html: Path, words: Iterable[str]) -> Iterator[str]:
    """Find words that the search box does not know.

    Its index is a script that each browser may load from a file, as the page of the search box does.
    """
    page = (html / "search.html").read_text(encoding="utf-8")
    if 'src="searchindex.js"' not in page:
        yield "search.html: loads no index"
        return
    context = quickjs.Context()
    context.eval("var index; var Search = { setIndex: function (given) { index = given; } };")
    context.eval((html / "searchindex.js").read_text(encoding="utf-8"))
    index = json.loads(context.eval("JSON.stringify(index)"))
    known = {**index["terms"], **index["titleterms"], **index["alltitles"]}
    lower = {word.lower() for word in known}
    for word in words:
        if word.lower() not in lower:
            yield f"searchindex.js: does not know {word}"
