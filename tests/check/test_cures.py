"""Mends of Python: certain ones alone, where they stand; typed in, the finding is gone and none is new."""

import json
from pathlib import Path

import pytest

from namedtensor.check.cures import with_mends
from namedtensor.check.formulas import check_program
from namedtensor.check.pieces import program_in
from tests.check.test_python_files import ATT, FAULTY, HEAD, block, notebook

HERE = Path(__file__).parent


def findings(name, text):
    program = program_in(name, text)
    return with_mends(program, check_program(program, False).findings)


def mended(name, text):
    """Make all mends, and give the text; of a notebook, that of its cells."""
    program = program_in(name, text)
    texts = {piece.source.name: piece.source.text for piece in program.pieces}
    found = [f for f in findings(name, text) if f.mend is not None]
    for finding in sorted(found, key=lambda f: f.mend.span.start, reverse=True):
        before = texts[finding.source.name]
        start, end = finding.mend.span.start, finding.mend.span.end
        texts[finding.source.name] = before[:start] + finding.mend.text + before[end:]
    return "\n".join(texts.values())


def body(code, signature="Q: R[key, seq_], K: R[key, seq], V: R[seq, val]", gives="R[seq_, val]"):
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    return HEAD + f"@formula\ndef f({signature}) -> {gives}:\n{lines}"


CERTAIN = [
    ("Q @ val @ K", "Q @ key @ K"),
    ('Q @ "val" @ K', "Q @ key @ K"),
    ("(Q @ val @ K)", "(Q @ key @ K)"),
]


@pytest.mark.parametrize(("wrong", "right"), CERTAIN)
def test_the_axis_that_both_share_is_put_in(wrong, right):
    text = body(f"return V @ seq @ nt.softmax[seq]({wrong} / nt.sqrt(abs(key)))")
    assert mended("a.py", text) == text.replace(wrong, right)


def test_of_several_axes_the_one_that_gives_what_is_declared():
    text = body(
        "return W @ val @ Z",
        "Z: R[seq, key, layer], W: R[key, layer, emb]",
        "R[seq, layer, emb]",
    )
    assert mended("a.py", text) == text.replace("@ val @", "@ key @")


def test_none_where_several_axes_fit():
    text = body("return nt.sum[val](Z)", "Z: R[seq, key]", "R").replace(" -> R:", ":")
    (finding,) = findings("a.py", text)
    assert "`nt.sum[seq](Z)` or `nt.sum[key](Z)`" in finding.hint
    assert finding.mend is None


def test_none_where_the_hint_renames_what_may_be_right():
    """The mean is over the wrong axis; the dot, which fails, is right."""
    (finding,) = findings("a.py", (HERE / "faults" / "20_pooled_over_features.py").read_text())
    assert "`" in finding.hint
    assert finding.mend is None


def test_none_where_the_formula_has_another_fault_then():
    text = (HERE / "strangers" / "13_graph.py").read_text()
    (finding,) = findings("a.py", text)
    assert "`A @ node @ messages`" in finding.hint
    assert finding.mend is None


def test_none_for_what_is_legal_and_rarely_meant():
    for path in sorted((HERE / "faults").glob("*.py")):
        found = findings("a.py", path.read_text())
        assert all(f.mend is None for f in found if f.severity == "warning")


def test_two_faults_of_one_body_are_mended_each_by_itself():
    text = body(
        "A = Q @ val @ K\nB = nt.sum[key](V)\nreturn B * nt.softmax[seq](A)",
        gives="R[seq, seq_]",
    )
    assert [f.mend.text if f.mend else "" for f in findings("a.py", text)].count("key") == 1


@pytest.mark.parametrize(
    "before", ["'😀 字 𝔸'; ", '"""é"""; ', "Ö = 1; ", "print('字'); x = (1,\n        '😀'); "]
)
def test_places_count_characters(before):
    text = HEAD + "# 😀 字\n" + FAULTY.replace("    return", f"    {before}return")
    assert mended("a.py", text) == text.replace("@ val @", "@ key @")


def test_an_expression_on_several_lines_is_changed_where_it_differs():
    text = HEAD + FAULTY.replace("Q @ val @ K", "Q\n        @ val  # the wrong one\n        @ K")
    assert mended("a.py", text) == text.replace("@ val  #", "@ key  #")


def test_mends_of_cells_and_blocks_stand_in_their_own_text():
    assert mended("a.ipynb", notebook(HEAD, FAULTY)) == HEAD + "\n" + ATT
    text = "# 😀\n\n" + block(HEAD, FAULTY)
    assert mended("a.md", text) == text.replace("@ val @", "@ key @")
    lines = "1. A list\n\n" + "".join(f"   {x}\n" for x in block(HEAD, FAULTY).splitlines())
    assert mended("a.md", lines) == lines.replace("@ val @", "@ key @")


def test_a_formula_inside_a_function_is_mended():
    text = (
        HEAD
        + "def make():\n"
        + "".join(f"    {x}\n" for x in FAULTY.splitlines())
        + "    return att\n"
    )
    assert mended("a.py", text) == text.replace("@ val @", "@ key @")


def test_arguments_in_another_order_are_certain():
    text = (
        HEAD
        + "@formula\ndef step(h: R[hid], x: R[emb], *, U: R[hid, key]) -> R[key, emb]:\n"
        + "    return U @ hid @ h * x\n\n\n"
        + "@formula\ndef run(h: R[hid], x: R[emb], *, cell: step) -> R[key, emb]:\n"
        + "    return cell(x, h)\n"
    )
    (finding,) = findings("a.py", text)
    assert "`cell(h, x)`" in finding.hint
    assert mended("a.py", text) == text.replace("cell(x, h)", "cell(h, x)")


@pytest.mark.parametrize(
    "path",
    [p for folder in ("faults", "strangers") for p in sorted((HERE / folder).glob("*.*"))],
    ids=lambda path: path.stem,
)
def test_a_mend_takes_its_finding_away_and_brings_none(path):
    text = path.read_text()
    found = findings(path.name, text) if path.suffix != ".tex" else []
    for finding in found:
        if finding.mend is not None:
            start, end = finding.mend.span.start, finding.mend.span.end
            old = finding.source.text
            new = old[:start] + finding.mend.text + old[end:]
            if path.suffix == ".ipynb":
                data = json.loads(text)
                for cell in data["cells"]:
                    cell["source"] = new if "".join(cell["source"]) == old else cell["source"]
                after = findings(path.name, json.dumps(data))
            else:
                after = findings(path.name, new)
            assert len(after) == len(found) - 1
