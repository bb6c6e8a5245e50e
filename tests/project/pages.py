"""A reader of the code blocks in a Markdown page.

```python blocks run as programs, ```pycon blocks as doctests that must print what the page shows;
all in one namespace, in the page's order, as a reader at a prompt would run them. Blocks tagged
otherwise (```text, ```bash) are only shown.
"""

import ast
import doctest
import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(?P<tag>[^\n`]*)\n(?P<source>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
RUN = ("python", "pycon")


@dataclass(frozen=True)
class Block:
    """One block of code, with its tag and the line of the page on which its code begins."""

    line: int
    tag: str
    source: str


def blocks_of(page: str) -> list[Block]:
    """Read the blocks of a page that are meant to run."""
    return [
        Block(page.count("\n", 0, match.start("source")) + 1, match["tag"].strip(), match["source"])
        for match in FENCE.finditer(page)
        if match["tag"].strip() in RUN
    ]


@dataclass
class Session:
    """A namespace in which the blocks of one page run, each once and in order."""

    name: str
    blocks: list[Block]
    names: dict = field(default_factory=lambda: {"__name__": "__main__"})
    done: int = 0

    def run_through(self, number: int) -> None:
        """Run the blocks up to this one that have not run yet."""
        while self.done <= number:
            block = self.blocks[self.done]
            self.done += 1
            if block.tag == "pycon":
                self._talk(block)
            else:
                self._execute(block)

    def _execute(self, block: Block) -> None:
        tree = ast.parse(block.source, self.name)
        ast.increment_lineno(tree, block.line - 1)
        exec(compile(tree, self.name, "exec"), self.names)

    def _talk(self, block: Block) -> None:
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        parser = doctest.DocTestParser()
        test = parser.get_doctest(block.source, {}, self.name, self.name, block.line - 1)
        test.globs = self.names
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=options)
        result = runner.run(test, out=report.append, clear_globs=False)
        assert result.failed == 0, "".join(report)
