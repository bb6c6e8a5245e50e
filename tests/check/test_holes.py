"""Each fault of a body is told in one run: what one fault spoils is left out, and the rest is looked at."""

import pytest

from namedtensor.check.formulas import check_program
from namedtensor.check.pieces import program_in
from tests.check.test_python_files import HEAD

GIVEN = "Q: R[key, seq_], K: R[key, seq], V: R[seq, val], X: R[emb], *, W: R[emb, hid]"


def lines_of(body: str, after: str = "") -> list[tuple[int, str]]:
    """Check a formula with this body; give the line and the marked text of each error."""
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"# %%\n{HEAD}@formula\ndef f({GIVEN}):\n{indented}{after}"
    found = check_program(program_in("a.py", text), True).findings
    first = HEAD.count("\n") + 4
    return [(f.line - first, f.source.text[f.span.start : f.span.end]) for f in found]


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ("A = Q @ val @ K\nreturn nt.sum[hid](X)", ["Q @ val @ K", "nt.sum[hid](X)"]),
        ("return (Q @ val @ K) + (W @ hid @ X)", ["Q @ val @ K", "W @ hid @ X"]),
        ("A = Q @ val @ K\nreturn A + W @ hid @ X", ["Q @ val @ K", "W @ hid @ X"]),
        (
            "A = Q @ val @ K\nif A.size(key) > 2:\n    X = X * 2\nB = W @ hid @ X\nreturn V @ emb @ K",
            ["Q @ val @ K", "V @ emb @ K"],
        ),
        (
            "for _ in range(3):\n    X = X + Q @ val @ K\n    W = nt.sum[seq](W)\nreturn X",
            ["Q @ val @ K", "nt.sum[seq](W)"],
        ),
        (
            "return nt.concat[seq](nt.mean[hid](V), nt.mean[emb](V))",
            ["nt.mean[hid](V)", "nt.mean[emb](V)"],
        ),
        ("A, B = Q @ val @ K, X @ hid @ W\nreturn A + B", ["Q @ val @ K", "X @ hid @ W"]),
        (
            "A: object = Q @ val @ K\nA += nt.sum[hid](X)\nreturn A",
            ["Q @ val @ K", "nt.sum[hid](X)"],
        ),
    ],
)
def test_independent_faults_are_told_in_one_run(body, marked):
    assert [text for _, text in lines_of(body)] == marked


@pytest.mark.parametrize(
    "body",
    [
        "A = Q @ val @ K\nB = nt.softmax[hid](A)\nreturn nt.sum[hid](B)",
        "parts = []\nparts.append(Q @ val @ K)\nparts.append(V)\nreturn nt.concat[seq](*parts)",
        "kept = {}\nkept['a'] = Q @ val @ K\nreturn kept['a'] @ hid @ kept['b']",
        "def inner(x):\n    return x @ hid @ A\nA = Q @ val @ K\nreturn inner(X)",
        "inner = lambda x: x @ hid @ A\nA = Q @ val @ K\nreturn inner(X)",
        "try:\n    A = Q @ val @ K\nexcept KeyError:\n    A = X\nreturn nt.sum[hid](A)",
        "return nt.sum[hid](Q @ val @ K)",
        "return [nt.sum[seq](x) for x in [Q @ val @ K]][0]",
        "A = Q @ val @ K\nwhile A is not None:\n    return X\nreturn nt.sum[hid](A)",
    ],
)
def test_what_comes_of_a_fault_is_no_further_fault(body):
    assert [text for _, text in lines_of(body)] == ["Q @ val @ K"]


def test_lines_and_columns_are_those_of_the_file_also_behind_letters_of_many_bytes():
    body = 'name = "数学"; A = Q @ val @ K\nreturn ("é" and X) + nt.sum[hid](X)'
    assert lines_of(body) == [(0, "Q @ val @ K"), (1, "nt.sum[hid](X)")]


def test_a_formula_s_fault_hides_none_of_the_formula_that_calls_it():
    after = (
        f"\n@formula\ndef g({GIVEN}):\n    A = f(Q, K, V, X, W=W)\n    return A + nt.sum[hid](X)\n"
    )
    found = lines_of("return Q @ val @ K", after)
    assert [text for _, text in found] == ["Q @ val @ K", "nt.sum[hid](X)"]


def test_names_from_around_a_formula_are_known_behind_a_fault():
    text = f"# %%\n{HEAD}" + (
        "def make(over, size=4):\n"
        "    @formula\n"
        "    def f(X: R[emb], Y: R[seq]):\n"
        "        A = nt.sum[over](X)\n"
        "        return nt.sum[hid](Y) * size\n"
        "    return f\n\n"
        "f = make(key)\n"
    )
    found = check_program(program_in("a.py", text), True).findings
    assert [f.source.text[f.span.start : f.span.end] for f in found] == [
        "nt.sum[over](X)",
        "nt.sum[hid](Y)",
    ]


@pytest.mark.parametrize(
    ("result", "body", "marked", "words"),
    [
        ("seq, emb", "X + C", "X + C", "hid where X has emb"),
        (
            "emb",
            "nt.sum[seq](X) + nt.std[seq](X) * D",
            "nt.std[seq](X) * D",
            "seq was used up",
        ),
        ("hid", "X @ emb @ Y", "X @ emb @ Y", "both operands have seq"),
        ("seq, emb", "nt.relu(nt.max[seq](X))", "nt.max[seq](X)", "seq is used up here"),
        ("seq, emb", "X * 2 + E[emb(I)]", "X * 2 + E[emb(I)]", "is indexed away"),
    ],
)
def test_a_result_of_other_axes_is_told_where_it_got_them(result, body, marked, words):
    given = "X: R[seq, emb], Y: R[hid, seq, emb], C: R[seq, hid], D: R[seq], E: R[hid, emb], I: nt.Z[seq]"
    text = f"{HEAD}@formula\ndef f({given}) -> R[{result}]:\n    return {body}\n"
    (found,) = check_program(program_in("a.py", text), False).findings[:1]
    assert found.source.text[found.span.start : found.span.end] == marked
    assert words in found.message + found.hint
    assert found.code == "result-shape"
