"""The manual builds without a warning, and what is wrong with a manual is seen."""

import re
import subprocess
import sys

import pytest

import namedtensor as nt
from docs.manual import checks, faults, pages, reference
from docs.manual.excerpts import excerpts
from docs.manual.mathematics import native, rendered
from docs.manual.samples import OPERATORS
from namedtensor.formula.rewrite import RULES
from tests.project.interpreter import ROOT


def test_the_manual_builds_with_nothing_to_say(tmp_path):
    """In a process of its own: Sphinx changes what it is imported into."""
    built = subprocess.run(
        [sys.executable, "-m", "docs.manual", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.stdout.split() == [str(tmp_path / "html" / "index.html")], built.stderr
    assert built.returncode == 0


PAGE = """# A page

$$X^2^3$$

[a link](gone.md) and $\\mathbb{R}$

```{code-cell}
1 / 0
```
"""
BUILD = """
import sys
from pathlib import Path
from docs.manual.building import make_html
print(*make_html(Path(sys.argv[1])), sep="\\n")
"""


def test_a_red_formula_a_link_to_no_page_and_code_that_raises_are_seen(tmp_path):
    (tmp_path / "source").mkdir()
    head = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n"
    (tmp_path / "source" / "index.md").write_text(head + PAGE)
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert (
        "KaTeX refuses 'X^2^3': ParseError: KaTeX parse error: Double superscript" in built.stdout
    )
    assert "gone.md" in built.stdout
    assert "Executing notebook failed" in built.stdout


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
        three_html="<p>$$\\begin{aligned} X</p><pre>$$X$$</pre><p>\\text{emb} costs 5 $</p>",
    )
    assert list(checks.red_formulas(folder)) == [
        "one.html: 1 formulas of 2 have no MathML",
        "three.html: 2 formulas were refused",
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


def test_the_search_box_shows_first_sentences(tmp_path):
    page = (
        '<section id="top"><h1>A</h1><p>First <b>words</b> &amp; more.</p>'
        '<section class="x" id="one">\n<h2>B</h2>'
        '<p>Second.</p></section><section id="two"><h2>C</h2><pre>code</pre></section></section>'
    )
    found = excerpts(html(tmp_path, one_html=page))
    assert found == {
        "one.html": "First words & more.",
        "one.html#top": "First words & more.",
        "one.html#one": "Second.",
    }


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


def test_pages_link_to_files_of_the_repository_without_the_manual():
    """As they are read where nothing is built: no link leads to a page that only the manual has."""
    taken = pages.sources()
    for origin in taken:
        if origin.endswith(".md"):
            pages.with_links((ROOT / origin).read_text(), origin, taken)


def test_a_link_to_no_file_is_refused():
    with pytest.raises(pages.LinkError) as raised:
        pages.with_links("[`it`](gone.md)", "docs/a.md", PLACES)
    assert str(raised.value) == "docs/a.md: [`it`](gone.md) leads to no file"


def shown(latex: str) -> str:
    return native(rendered(latex, output="mathml"))


def test_letters_of_spaces_are_characters():
    assert "<mi>ℝ</mi>" in shown(r"X \in \mathbb{R}")


def test_axes_stand_under_what_names_them():
    """Browsers lay nothing out inside of <mi> and <mo>, where KaTeX puts it."""
    mathml = shown(r"\nfun{\name{seq}}{softmax} X \ndot{\name{key}} Y'")
    assert re.search(r'<munder>.*softmax.*<mi mathvariant="sans-serif">seq</mi>.*</munder>', mathml)
    assert not re.search(r"<(mi|mo)[^>]*><", mathml)
    assert "phantom" not in mathml


def test_columns_of_an_equation_are_aligned():
    mathml = shown(r"\begin{aligned} X &= 1 \\ YY &= 2 \end{aligned}")
    assert re.findall("text-align:-webkit-(right|left)", mathml) == ["right", "left"] * 2


# ------------------------------------------------------------------------------- the reference


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return reference.pages()


def test_every_public_name_has_its_place(written):
    names = reference.public_names()
    errors = {
        n for n, t in names.items() if isinstance(t, type) and issubclass(t, nt.NamedTensorError)
    }
    places = reference.places()
    assert set(places) == set(names) - errors
    for name, page in places.items():
        assert re.search(rf"^## {name}$", written[f"reference/{page}.md"], re.M), name
    for name in names:
        assert f"[`{name}`](" in written["reference/all.md"]


def test_no_entry_is_empty(written):
    for page, text in written.items():
        for heading, body in re.findall(r"^##+ ([^\n]*)\n(.*?)(?=^##|\Z)", text, re.M | re.S):
            assert re.search(r"\w{3}", re.sub(r"^`[^`\n]*`$", "", body, flags=re.M)), (
                f"{page}: {heading}"
            )


def test_an_operation_has_its_type_its_latex_its_code_its_errors_and_an_example():
    entry = reference.operation("softmax")
    for part in (
        "softmax_ax : R^ax -> R^ax",
        r"\nfun{\name{seq}}{softmax} X",
        "return softmax(X, 0)",
        "[AxisMissingError](../../errors.md#axismissingerror)",
        "bool → float",
        '>>> nt.softmax["seq"]',
    ):
        assert part in entry


def test_every_operator_stands_with_what_it_refuses(written):
    page = written["reference/operators.md"]
    assert page.count("Refused, with") == page.count("\n## ") == len(OPERATORS)
    assert "AxisClashError: X[seq >> emb]: X would have two axes emb" in page


def test_every_rule_stands_with_its_formula(written):
    sections = re.findall(r"^## (\w+)\n.*?^\$\$", written["reference/kernels.md"], re.M | re.S)
    assert sections == [rule.name for rule in RULES]


def test_what_a_page_leaves_to_be_filled_is_filled(written, tmp_path):
    pages.lay_out(tmp_path, written, {"goals that were missed": "| X | a |"})
    performance = (tmp_path / "performance.md").read_text()
    assert "| X | a |" in performance
    assert "<!--" not in performance


def test_what_refuses_numbers_of_a_kind_says_so():
    entry = reference.operation("max")
    assert "complex is refused ([KindError](../../errors.md#kinderror))" in entry


def test_every_class_of_errors_has_its_cause_and_its_cure():
    page = (ROOT / "docs" / "errors.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    kinds = {k for k in vars(nt) if k.endswith("Error")} | {nt.latex.LatexError.__name__}
    assert set(sections) == kinds
    for kind, text in sections.items():
        assert "**Cause.**" in text, kind
        assert "**Cure.**" in text, kind
        assert re.search(rf"^namedtensor\.[\w.]*{kind}: ", text, re.M), kind


def test_every_code_of_a_finding_has_its_cure():
    listed = {*faults.CURES, *faults.READING, *faults.PYTHON, *faults.RUNNING}
    assert listed == faults.codes_of_the_package()
    assert len(listed) == sum(
        map(len, (faults.CURES, faults.READING, faults.PYTHON, faults.RUNNING))
    )
    page = faults.page()
    assert all(f"`{code}`" in page for code in listed)
    assert faults.PAGE.read_text() == page, "write it again: python -m docs.manual.faults"


def test_codes_are_found_where_findings_are_made():
    assert {"axis-missing", "unused", "syntax-end", "limit-input", "trace", "nonsense"} <= (
        faults.codes_of_the_package()
    )


@pytest.mark.parametrize("code", [c for c, f in faults.READING.items() if f.example])
def test_an_example_of_what_cannot_be_read_has_that_finding(code):
    document = nt.latex.read(f"${faults.READING[code].example}$", "notes.md")
    assert [finding.code for finding in document.findings] == [code]
