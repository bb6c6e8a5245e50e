"""The pages of the manual: where each comes from, and links that fit where it stands in the manual.

A link to a file that is a page leads to the page. A link to another file of the repository becomes
the file's name: the manual is read where the repository may not be.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]

#: Files outside of docs/ that are pages, and what they are called there.
ELSEWHERE = {
    "README.md": "start.md",
    "benchmarks/RESULTS.md": "results.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
}
#: Code of which the manual has a page; elsewhere one reads the code.
TOLD = {"namedtensor/formula/rewrite": "reference/kernels.md"}
PICTURES = (".svg", ".png")
CODE = re.compile(r"(^(`{3,}|~{3,}).*?^\2[`~]*[ ]*$|(?<!`)(`+)(?!`).+?(?<!`)\3(?!`))", re.M | re.S)
LINK = re.compile(r"(\w?)(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


class LinkError(ValueError):
    """A page links to what is not there."""


def sources() -> dict[str, str]:
    """Map each file of the repository that the manual takes as it is to its place in the manual."""
    docs = ROOT / "docs"
    found = {
        file.relative_to(ROOT).as_posix(): file.relative_to(docs).as_posix()
        for file in sorted(docs.rglob("*"))
        if file.suffix in (".md", *PICTURES) and file.parent != docs / "pictures"
    }
    pictures = sorted((docs / "pictures").glob("*.svg"))
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    return {
        **found,
        **{f"docs/pictures/{p.name}": f"pictures/{p.name}" for p in pictures},
        **{f"notebooks/{n.name}": f"lectures/{n.name}" for n in notebooks},
        **ELSEWHERE,
    }


def with_links(text: str, origin: str, places: dict[str, str], root: Path = ROOT) -> str:
    """Let the links of a page lead from its place in the manual.

    Raises: LinkError where a link leads to no file of the repository.
    """
    home = PurePosixPath(places[origin]).parent
    code: list[str] = []  # a link's words may be code: it is put aside while links are sought

    def aside(match: re.Match[str]) -> str:
        code.append(match[0])
        return f"\0{len(code) - 1}\0"

    def back(text: str) -> str:
        return re.sub("\0(\\d+)\0", lambda match: code[int(match[1])], text)

    def target(match: re.Match[str]) -> str:
        word, picture, words, link = match.groups()
        if word:  # softmax[emb](X) in a sentence is no link
            return f"{word}\\[{words}]({link})"
        if re.match(r"[a-z]+:|#", link):
            return match[0]
        path, mark, part = link.partition("#")
        file = os.path.normpath(PurePosixPath(origin).parent / path)
        if file in places:
            to = os.path.relpath(places[file], home).replace(os.sep, "/")
            return f"{picture}[{words}]({to}{mark}{part})"
        if not (root / file).exists():
            raise LinkError(f"{origin}: [{back(words)}]({link}) leads to no file")
        return words if file in back(words) else f"{words} (`{file}`)"

    return back(LINK.sub(target, CODE.sub(aside, text)))


def lay_out(into: Path, written: dict[str, str], filled: dict[str, str]) -> None:
    """Copy all sources to their places, and write pages that are made; what is in step is left alone.

    `filled` has what stands where a page has a comment of that name.
    """
    taken = sources()
    places = {**taken, **{f"docs/{place}": place for place in written}, **TOLD}
    for origin, place in taken.items():
        file = ROOT / origin
        if file.suffix in PICTURES:
            _put(into / place, file.read_bytes())
        elif file.suffix == ".ipynb":
            notebook = json.loads(file.read_text())
            # a cell that begins with %%named is no Python
            notebook["metadata"]["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    text = "".join(cell["source"])
                    cell["source"] = with_links(text, origin, places).splitlines(keepends=True)
            _put(into / place, json.dumps(notebook).encode())
        else:
            text = file.read_text()
            for name, content in filled.items():
                text = text.replace(f"<!-- {name} -->", content)
            _put(into / place, with_links(text, origin, places).encode())
    for place, text in written.items():
        _put(into / place, text.encode())
    kept = {into / place for place in places.values()}
    for file in into.rglob("*"):
        if file.is_file() and file not in kept:
            file.unlink()


def _put(file: Path, content: bytes) -> None:
    if not file.exists() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
