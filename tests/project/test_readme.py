"""Every Python block of the README runs, in order, and the reader that runs them can fail."""

import re

import pytest

from tests.project.interpreter import ROOT
from tests.project.pages import Session, blocks_of

README = (ROOT / "README.md").read_text()
BLOCKS = blocks_of(README)

# Axes and tensors under the letters that the README's table uses.
LETTERS = """
import torch
import namedtensor as nt

seq, emb, hid, key, val, head, vocab = nt.axes("seq emb hid key val head vocab")
height, width, layer, kernel, kh, kw = nt.axes("height width layer kernel kh kw")
seq_ = seq.prime
X = A = B = C = nt.tensor(torch.ones(7, 4), seq, emb)
b = gamma = nt.ones(emb[4], backend="torch")
W = nt.ones(emb[4], head[2], val[5], backend="torch")
Y = nt.ones(seq[7], head[2], val[5], backend="torch")
P = nt.ones(height[28], width[28])
L = nt.ones(layer[784])
E = nt.ones(vocab[10], emb[4])
I = nt.randint(0, 10, seq[5])
M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
f = lambda X: X * X
loss = lambda X, W: nt.sum[...](W @ emb @ X)
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return Session("README.md", BLOCKS, folder=tmp_path_factory.mktemp("readme"))


@pytest.mark.parametrize(
    "number", range(len(BLOCKS)), ids=[f"line {block.line}" for block in BLOCKS]
)
def test_the_block_runs(session, number):
    session.run_through(number)


def codes_in_table(page: str) -> list[str]:
    """Read the code in the second column of the tables of a page."""
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row[1])]


@pytest.mark.parametrize("code", codes_in_table(README))
def test_the_code_in_the_table_runs(code):
    names = {}
    exec(LETTERS, names)
    eval(code, names)


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


NOTES = "Write `notes.md`:\n```markdown\none\ntwo\n```\n"


def test_files_are_written_where_the_page_names_them_and_changed_by_what_differs(tmp_path):
    blocks = blocks_of(NOTES + "```diff\n one\n-two\n+three\n```\n")
    Session("page", blocks, folder=tmp_path).run_through(1)
    assert (tmp_path / "notes.md").read_text() == "one\nthree\n"


def test_a_change_of_lines_that_are_not_there_is_seen(tmp_path):
    blocks = blocks_of(NOTES + "```diff\n-four\n+three\n```\n")
    with pytest.raises(AssertionError, match=r"notes\.md has no such lines:\nfour"):
        Session("page", blocks, folder=tmp_path).run_through(1)


def test_a_command_that_prints_something_else_is_seen():
    shown = "namedtensor: nowhere.md: No such file or directory"
    page = f"```console\n$ namedtensor python nowhere.md\n{shown}\n```\n"
    Session("page", blocks_of(page)).run_through(0)
    with pytest.raises(AssertionError):
        Session("page", blocks_of(page.replace("No such", "One such"))).run_through(0)


SCRIPT = "```python\n# two.py\nprint('two')\n```\n```console\n$ A=b torchrun two.py\ntwo\n```\n"


def test_a_program_that_names_its_file_is_written_and_torchrun_runs_it(tmp_path):
    Session("page", blocks_of(SCRIPT), folder=tmp_path).run_through(1)
    assert (tmp_path / "two.py").read_text() == "# two.py\nprint('two')\n"
    for other in ("print('three')", "1 / 0"):
        wrong = blocks_of(SCRIPT.replace("print('two')", other))
        with pytest.raises(AssertionError):
            Session("page", wrong, folder=tmp_path).run_through(1)


def test_a_file_without_a_name_and_a_command_that_is_not_ours_are_seen():
    with pytest.raises(AssertionError, match="line 2: no file is named before this block"):
        Session("page", blocks_of("```markdown\none\n```\n")).run_through(0)
    with pytest.raises(AssertionError, match="line 2: rm is not run here"):
        Session("page", blocks_of("```console\n$ rm x\n```\n")).run_through(0)
