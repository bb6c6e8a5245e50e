"""A reader of the code blocks in a Markdown page.

```python blocks run as programs, ```pycon blocks as doctests that must print what the page shows;
all in one namespace, in the page's order, as a reader at a prompt would run them. A ```markdown or
```latex block is written to the file that the text before it names last, as `notes.md`; so is a
```python block whose first line is the name of its file, as `# two.py`. A ```diff block changes the
file that was written last; a ```console block runs commands of ours and torchrun, which must print
what the page shows. Blocks tagged otherwise (```text, ```bash) are only shown.
"""

import ast
import contextlib
import doctest
import io
import itertools
import linecache
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from namedtensor.command import main
from tests.project.interpreter import ROOT

FENCE = re.compile(r"^```(?P<tag>[^\n`]*)\n(?P<source>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w-]+\.(?:md|tex|py|sty))`")
NAMED = re.compile(r"# ([\w-]+\.py)\n")
FILES = ("markdown", "latex", "diff")
RUN = ("python", "pycon", "console", *FILES)


def namedtensor(words: list[str], settings: dict[str, str]) -> str:
    """Run our command in this process."""
    assert not settings
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(words)
    return out.getvalue()


def torchrun(words: list[str], settings: dict[str, str]) -> str:
    """Run torch's starter of processes, one thread in each; show its complaint if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **settings},
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


RUNS = {"namedtensor": namedtensor, "torchrun": torchrun}


@dataclass(frozen=True)
class Block:
    """One block of code, with its tag and the line of the page on which its code begins."""

    line: int
    tag: str
    source: str
    file: str = ""


def blocks_of(page: str) -> list[Block]:
    """Read the blocks of a page that are meant to run."""
    blocks = []
    for match in FENCE.finditer(page):
        tag = match["tag"].strip()
        if tag in RUN:
            line = page.count("\n", 0, match.start("source")) + 1
            if tag == "diff":
                names = [block.file for block in blocks if block.tag in FILES]
            else:
                names = FILE.findall(page, 0, match.start()) if tag in FILES else []
            if tag == "python" and (named := NAMED.match(match["source"])):
                names = [named[1]]
            blocks.append(Block(line, tag, match["source"], *names[-1:]))
    return blocks


@dataclass
class Session:
    """A namespace in which the blocks of one page run, each once and in order."""

    name: str
    blocks: list[Block]
    names: dict = field(default_factory=lambda: {"__name__": "__main__"})
    done: int = 0
    folder: Path = Path()

    def __post_init__(self) -> None:
        """Let errors and steps show the lines of the page, as they do those of a notebook's cells."""
        lines: list[str] = []
        for block in self.blocks:
            lines += ["\n"] * (block.line - 1 - len(lines)) + block.source.splitlines(keepends=True)
        linecache.cache[self.name] = (0, None, lines, self.name)

    def run_through(self, number: int) -> None:
        """Run the blocks up to this one that have not run yet."""
        while self.done <= number:
            block = self.blocks[self.done]
            self.done += 1
            with contextlib.chdir(self.folder):
                if block.tag in FILES or block.file:
                    self._write(block)
                elif block.tag == "console":
                    self._command(block)
                elif block.tag == "pycon":
                    self._talk(block)
                else:
                    self._execute(block)

    def _write(self, block: Block) -> None:
        """Write a file, or put the + lines of a diff in place of its - lines."""
        assert block.file, f"line {block.line}: no file is named before this block"
        file = Path(block.file)
        if block.tag != "diff":
            file.write_text(block.source)
            return
        lines = block.source.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] != "+")
        after = "".join(line[1:] for line in lines if line[0] != "-")
        assert file.read_text().count(before) == 1, f"{file} has no such lines:\n{before}"
        file.write_text(file.read_text().replace(before, after))

    def _command(self, block: Block) -> None:
        """Run the lines that begin with $; what they print follows each."""
        _, *commands = ("\n" + block.source).split("\n$ ")
        for command in commands:
            line, _, wanted = command.partition("\n")
            words = shlex.split(line)
            settings = list(itertools.takewhile(lambda word: "=" in word, words))
            program, *words = words[len(settings) :]
            assert program in RUNS, f"line {block.line}: {program} is not run here"
            said = RUNS[program](words, dict(setting.split("=", 1) for setting in settings))
            assert said.rstrip("\n") == wanted.rstrip("\n"), said

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
