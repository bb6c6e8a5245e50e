"""The playground in CPython: what the page is told, and what its puzzles accept.

`tests.playground_page` tries it in a browser.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from docs.playground import building
from docs.playground.__main__ import server
from docs.playground.answer import answer, checked, defined, drawn, graded, python
from docs.playground.building import BuildError
from docs.playground.puzzles import PUZZLES
from namedtensor.latex import read
from tests.latex.fixtures import SOME_OR_ALL, fixtures, said_of
from tests.playground_page import compare, ungraded

every_puzzle = pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.title)
DOT = PUZZLES[0]


def verdict(puzzle, text: str) -> list[str]:
    return graded(text, puzzle.name, puzzle.answered(puzzle.right))


def test_there_are_ten_puzzles():
    assert len({puzzle.title for puzzle in PUZZLES}) == 10


@every_puzzle
def test_the_document_of_a_puzzle_is_to_be_mended(puzzle):
    assert verdict(puzzle, puzzle.text) != []


@every_puzzle
def test_a_wrong_answer_fails(puzzle):
    assert verdict(puzzle, puzzle.answered(puzzle.wrong)) != []


@every_puzzle
def test_the_right_answer_passes(puzzle):
    assert verdict(puzzle, puzzle.answered(puzzle.right)) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("f(X; W)", "g(X; W)", "f is not defined"),
        ("vocab}, ", "word}, ", "W has other axes: R[word, emb], and not R[vocab, emb]"),
        (
            "W \\underset{\\text{emb}}{\\cdot} X",
            "2 W \\underset{\\text{emb}}{\\cdot} X",
            "no finding",
        ),
        ("f(X; W)", "f(W, X)", "f takes other arguments"),
    ],
)
def test_an_answer_that_is_another_formula_is_told_why(old, new, reason):
    text = DOT.answered(DOT.right)
    (said,) = verdict(DOT, text.replace(old, new))
    assert said.startswith(reason)


def test_another_spelling_of_the_right_formula_passes():
    text = DOT.answered(r"X \underset{\text{emb}}{\cdot} W")
    assert verdict(DOT, text) == []


def test_a_finding_has_its_place_as_javascript_counts():
    text = "𝔸𝔹\n\n" + DOT.text
    (finding,) = checked(text, "typed.md")["findings"]
    start, end = finding["place"]
    shown = text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
    assert shown == DOT.faulty
    assert finding["printed"].startswith("typed.md:6:12: error[axis-missing]")


def test_what_is_found_is_counted_in_a_line():
    assert checked(DOT.text, "typed.md")["summary"] == "1 file checked, 3 statements read: 1 error"


def test_each_part_of_a_formula_has_its_shape_and_its_place():
    text = PUZZLES[4].answered(PUZZLES[4].right)
    assert defined(text, "typed.md") == [
        "f(Q: R[seq', key], K: R[seq, key], V: R[seq, val]) -> R[seq', val]"
    ]
    formula = drawn(text, "typed.md", 0)
    assert {part["shape"] for part in formula["parts"]} == {"val seq'", "seq' seq"}
    assert all(" ".join(text[slice(*p["place"])].split()) == p["text"] for p in formula["parts"])
    assert formula["diagram"].startswith("<svg")


@SOME_OR_ALL
def test_documents_are_drawn_and_written_as_python(every):
    for name, text in fixtures(every):
        assert python(text, name) == said_of(text, name)["python"]
        for place in range(len(defined(text, name))):
            assert {"diagram", "not_drawn"} & set(drawn(text, name, place))


def test_a_document_is_read_once_for_all_that_is_asked_of_it(monkeypatch):
    from docs.playground import answer as module

    times: list[str] = []

    def counting(text, name, **kept):
        times.append(name)
        return read(text, name, **kept)

    monkeypatch.setattr(module, "read", counting)
    text = DOT.answered(DOT.right) + "\n"
    checked(text, "typed.md")
    graded(text, DOT.name, DOT.answered(DOT.right))
    drawn(text, "typed.md", 0)
    python(text, "typed.md")
    assert times.count("typed.md") == 1


def test_the_page_asks_in_json():
    asked = {"kind": "check", "text": DOT.text, "name": "typed.md"}
    assert json.loads(answer(json.dumps(asked)))["findings"][0]["code"] == "axis-missing"
    mathml = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi mathvariant="double-struck">R</mi></math>'
    (laid,) = json.loads(answer(json.dumps({"kind": "lay out", "formulas": [mathml]})))
    assert "ℝ" in laid


def test_a_package_with_another_checksum_is_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(building, "FETCHED", tmp_path)
    archive = tmp_path / f"pyodide-{building.PYODIDE}.tgz"
    archive.write_bytes(b"another")
    with pytest.raises(BuildError, match="has another checksum than the one known here"):
        building.fetched()
    assert not archive.exists()


def test_a_program_that_does_not_end_is_named(monkeypatch):
    monkeypatch.setattr(building, "LONGEST", 0.5)
    with pytest.raises(BuildError, match=r"did not end in 0\.5 s"):
        building.run(sys.executable, "-c", "import time; time.sleep(60)")


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(building.shutil, "which", lambda tool: None)
    with pytest.raises(BuildError, match="the playground needs node, which is not installed"):
        building.build(tmp_path)


def test_the_page_is_served_to_this_machine_alone(tmp_path: Path):
    with server(tmp_path, 0) as serving:
        assert serving.server_address[0] == "127.0.0.1"


def test_the_page_asks_for_nothing_from_elsewhere():
    for path in building.PAGE.iterdir():
        assert re.findall(r"https?://", path.read_text()) == []


class Stand:
    """A page without a browser: it answers as the worker does, by `told`."""

    def __init__(self, told=answer):
        self.told = told
        self.text = ""
        self.puzzle = DOT

    def value(self, script):
        if found := re.search(r"await ask\((.*)\); return", script):
            return json.loads(self.told(found[1])), 1.0
        if found := re.search(r"children\[(\d+)\]", script):
            self.puzzle = PUZZLES[int(found[1])]
        if found := re.search(r"text.value = (.*); text.dispatchEvent", script):
            self.text = json.loads(found[1])
            return 1.0
        right = self.puzzle.answered(self.puzzle.right)
        asked = {"kind": "grade", "text": self.text, "name": self.puzzle.name, "right": right}
        return "Not yet" if json.loads(self.told(json.dumps(asked))) else "Mended."


def test_a_page_that_says_the_same_has_no_faults():
    other, times = compare(Stand(), 40)
    assert other == []
    assert len(times) > 5
    assert ungraded(Stand()) == []


def test_a_page_that_hides_findings_or_praises_all_is_told():
    def mute(asked: str) -> str:
        found = json.loads(answer(asked))
        return json.dumps(found | {"findings": []} if "findings" in found else found)

    def praise(asked: str) -> str:
        return "[]"

    said = {name: said_of(text, name)["findings"] for name, text in list(fixtures())[::40]}
    assert compare(Stand(mute), 40)[0] == [name for name, findings in said.items() if findings]
    assert len(ungraded(Stand(praise))) == 20
