"""The manual builds without a warning, and what is wrong with a manual is seen."""

import subprocess
import sys

import pytest

pytest.importorskip("furo")
pytest.importorskip("myst_nb")

from manual import checks, pages
from manual.mathematics import rendered, with_letters
from tests.project.interpreter import ROOT


def test_the_manual_builds_with_nothing_to_say(tmp_path):
    """In a process of its own: Sphinx changes what it is imported into."""
    built = subprocess.run(
        [sys.executable, "-m", "manual", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert built.stdout.split() == [str(tmp_path / "html" / "index.html")], built.stderr
    assert built.returncode == 0


def html(tmp_path, **files: str):
    """Write a little manual."""
    for name, text in files.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    checks.read.cache_clear()
    return tmp_path


def test_links_that_lead_nowhere_are_seen(tmp_path):
    folder = html(
        tmp_path,
        one_html='<a href="two.html#there">a</a><a href="two.html#gone">b</a><a href="https://x.org/">c</a>',
        two_html='<p id="there"><a href="three.html">d</a><img src="gone.svg"></p>',
    )
    assert list(checks.broken_links(folder)) == [
        "one.html: two.html#gone leads to no place of the page",
        "two.html: three.html leads to no file",
        "two.html: gone.svg leads to no file",
    ]


def test_what_is_fetched_from_elsewhere_is_seen(tmp_path):
    folder = html(
        tmp_path,
        one_html='<script src="https://x.org/a.js"></script><a href="https://x.org/">fine</a>',
        two_css='@import "//x.org/b.css"; p { background: url(c.png) }',
    )
    assert list(checks.fetched_from_elsewhere(folder)) == [
        "one.html: fetches https://x.org/a.js",
        "two.css: fetches //x.org/b.css",
    ]


def test_formulas_that_do_not_show_are_seen(tmp_path):
    folder = html(
        tmp_path,
        one_html='<div class="formula"><math></math></div><div class="formula">X^2^3</div>',
        two_html='<span class="katex-error">X^</span>',
    )
    assert list(checks.red_formulas(folder)) == [
        "one.html: 1 formulas of 2 have no MathML",
        "two.html: 1 formulas were refused",
    ]


def test_words_that_the_search_box_does_not_know_are_seen(tmp_path):
    script = '<script src="searchindex.js"></script>'
    index = 'Search.setIndex({"terms":{"softmax":0},"titleterms":{},"alltitles":{"The table":[]}})'
    folder = html(tmp_path, search_html=script, searchindex_js=index)
    words = ["softmax", "the table", "nosuchword"]
    assert list(checks.found_by_searching(folder, words)) == [
        "searchindex.js: does not know nosuchword"
    ]
    html(tmp_path, search_html="")
    assert list(checks.found_by_searching(folder, [])) == ["search.html: loads no index"]


PLACES = {"docs/a.md": "a.md", "notebooks/n.ipynb": "lectures/n.ipynb", "README.md": "start.md"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[n](../notebooks/n.ipynb#part)", "[n](lectures/n.ipynb#part)"),
        ("[`n` it](../README.md)", "[`n` it](start.md)"),
        ("[tests](../tests/check)", "tests (`tests/check`)"),
        ("[x](https://x.org) [y](#here)", "[x](https://x.org) [y](#here)"),
        (
            "`[x](gone.md)` and\n```\n[x](gone.md)\n```",
            "`[x](gone.md)` and\n```\n[x](gone.md)\n```",
        ),
        ("softmax[emb](X)", "softmax\\[emb](X)"),
    ],
)
def test_links_lead_from_the_page_s_place_in_the_manual(text, wanted):
    assert pages.with_links(text, "docs/a.md", PLACES) == wanted


def test_a_link_to_no_file_is_refused():
    with pytest.raises(pages.LinkError) as raised:
        pages.with_links("[`it`](gone.md)", "docs/a.md", PLACES)
    assert str(raised.value) == "docs/a.md: [`it`](gone.md) leads to no file"


def test_letters_of_spaces_are_characters():
    shown = with_letters(rendered(r"X \in \mathbb{R}^{\mathsf{seq}}", output="mathml"))
    assert "<mi>ℝ</mi>" in shown
    assert "double-struck" not in shown
