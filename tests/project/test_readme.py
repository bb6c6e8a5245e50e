"""Every Python block of the README runs, in order, and the reader that runs them can fail."""

import pytest

from tests.project.interpreter import ROOT
from tests.project.pages import Session, blocks_of

README = (ROOT / "README.md").read_text()
BLOCKS = blocks_of(README)


@pytest.fixture(scope="module")
def session():
    return Session("README.md", BLOCKS)


@pytest.mark.parametrize(
    "number", range(len(BLOCKS)), ids=[f"line {block.line}" for block in BLOCKS]
)
def test_the_block_runs(session, number):
    session.run_through(number)


def test_attention_as_a_formula_comes_first_and_the_two_commands_next():
    start, formula, demo, test = (
        README.index(words) for words in ("# ", "@formula", "make demo", "make test")
    )
    assert start < formula < demo < test
    assert "def att" in BLOCKS[0].source


def test_blocks_share_their_names_and_other_tags_are_only_shown():
    page = "```python\nx = 2\n```\n```bash\nrm x\n```\n```pycon\n>>> x\n2\n```\n"
    assert [(block.line, block.tag) for block in blocks_of(page)] == [(2, "python"), (8, "pycon")]
    Session("page", blocks_of(page)).run_through(1)


def test_a_block_that_raises_is_seen_with_its_line_on_the_page():
    page = "words\n\n```python\nx = 1\nx.y\n```\n"
    with pytest.raises(AttributeError) as raised:
        Session("page", blocks_of(page)).run_through(0)
    assert raised.traceback[-1].lineno + 1 == 5


def test_a_block_that_prints_something_else_is_seen():
    page = "```pycon\n>>> 1 + 1\n3\n```\n"
    with pytest.raises(AssertionError, match="Expected:\n    3\nGot:\n    2"):
        Session("page", blocks_of(page)).run_through(0)
