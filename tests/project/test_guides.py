"""The blocks of the guides run, each guide in a folder of its own."""

import pytest

from tests.project.interpreter import ROOT
from tests.project.pages import Session, blocks_of

DOCS = ROOT / "docs"
# The guides to checking are run by the tests of the checkers.
NAMES = ("errors.md", "latex.md", "steps.md", "weights.md", "training.md", "faq.md", "tutorial.md")
GUIDES = [DOCS / name for name in NAMES] + sorted(DOCS.glob("howto/*.md"))


# torch itself calls these when inductor is first used
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_blocks_of_a_guide_run(guide, tmp_path):
    blocks = blocks_of(guide.read_text())
    assert blocks
    Session(guide.name, blocks, folder=tmp_path).run_through(len(blocks) - 1)
