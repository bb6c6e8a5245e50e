"""Read the tables of a page back, as a person would: which number stands at which record."""

import re
from html.parser import HTMLParser

VOID = {"br", "hr", "img"}


class Reader(HTMLParser):
    """Collect each table as its caption and its rows of (tag, role, text), and watch the nesting."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.tables: list[tuple[str, list]] = []

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        self.open.append(tag)
        given = dict(attributes)
        if tag == "table":
            self.tables.append(("", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][1][-1].append([tag, given.get("class", ""), ""])

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][1][-1][-1][2] += text
        elif self.open and self.open[-1] == "caption":
            caption, rows = self.tables[-1]
            self.tables[-1] = (caption + text, rows)


def read(page: str) -> list[tuple[str, list]]:
    """Give the tables of a page, whose tags must all be closed in order."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, f"left open: {reader.open}"
    return reader.tables


def numbers(page: str) -> dict[frozenset, str]:
    """Give the number, as written, at each record that a page shows."""
    found = {}
    for caption, rows in read(page):
        outer = re.findall(r"([\w']+)\((\d+)\)", caption)
        axes = [text for row in rows for _, role, text in row if role == "axis"]
        columns = [text for _, role, text in rows[1] if role == "column"]
        for row in rows[2:]:
            labels = [text for _, role, text in row if role == "row"]
            cells = [text for tag, _, text in row if tag == "td"]
            for column, cell in zip(columns, cells, strict=True):
                if "…" not in (column, *labels):
                    inner = zip(axes[1:] + axes[:1], [*labels, column], strict=True)
                    place = frozenset((axis, int(i)) for axis, i in [*outer, *inner])
                    assert place not in found, f"two numbers at {sorted(place)}"
                    found[place] = cell
    return found
