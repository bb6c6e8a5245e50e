"""Rules about what axes mean: faults that are legal or not, and legal programs that look like them.

The first 30 faults were written before the rules. As first met, the rules found 27 of them, and warned of
one legal program (Sinkhorn's).
"""

from pathlib import Path

import pytest

from namedtensor.check import meaning
from namedtensor.check.checking import Checker
from namedtensor.check.documents import look_at
from namedtensor.check.formulas import check_program
from namedtensor.check.meaning import MEANINGS
from namedtensor.check.pieces import program_in
from namedtensor.latex import read

HERE = Path(__file__).parent
FAULTS = sorted((HERE / "faults").glob("*.py"))
LEGAL = sorted((HERE / "legal").glob("*.py"))
#: What these name is known where they run: a table of functions, a class, a factory's results.
IMPORTED = {"41_acts_by_name", "42_only_strings", "45_made_by_a_factory"}


def findings(path: Path, text: str = "", imports: bool = False):
    report = check_program(program_in(str(path), text or path.read_text()), imports)
    assert not report.refused
    assert not report.unchecked
    assert report.formulas
    return report.findings


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_a_fault_is_seen_where_it_is_written(path):
    found = findings(path)
    lines = [i for i, line in enumerate(path.read_text().splitlines(), 1) if "# fault" in line]
    assert min(abs(f.line - line) for f in found for line in lines) <= 1
    assert len(found) == 1


@pytest.mark.parametrize("path", LEGAL, ids=lambda path: path.stem)
def test_a_legal_program_has_no_findings(path):
    assert findings(path, imports=path.stem in IMPORTED) == []


def test_every_rule_is_shown_by_a_fault():
    found = {f.code for path in FAULTS for f in findings(path)}
    assert set(MEANINGS) <= found


def test_without_the_rules_the_faults_stay_unseen(monkeypatch):
    monkeypatch.setattr(meaning, "RULES", ())
    assert len([path for path in FAULTS if findings(path)]) == 7


@pytest.mark.parametrize(
    ("comment", "silent"), [("", True), ("softmax-unmet", True), ("unused", False)]
)
def test_a_warning_is_silenced_by_a_comment(comment, silent):
    path = FAULTS[0]
    text = path.read_text().replace("# fault", f"# axes: ok {comment}")
    assert (findings(path, text) == []) == silent


def test_a_comment_on_the_line_before_silences_too():
    path = FAULTS[0]
    text = path.read_text().replace(
        "    A = ", "    # axes: ok softmax-unmet, over queries on purpose\n    A = "
    )
    assert findings(path, text) == []


def test_a_rule_speaks_once_also_where_a_formula_is_called_by_others():
    path = FAULTS[0]
    more = """

@formula
def twice(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return att(Q, K, V) + att(Q, K, V)
"""
    (found,) = findings(path, path.read_text() + more)
    assert found.line == 12


def test_an_argument_that_one_choice_uses_is_used():
    text = """
import namedtensor as nt
from namedtensor import R, axes, formula
seq = axes("seq")

@formula
def f(X: R[seq], Y: R[seq], both: bool = False) -> R[seq]:
    return X + Y if both else X
"""
    assert findings(Path("f.py"), text) == []


DOCUMENT = r"""
$$\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{key}} & K &\in \mathbb{R}^{\text{seq}, \text{key}} \\
V &\in \mathbb{R}^{\text{seq}, \text{val}} \\
\text{att}(Q, K, V) &= V \underset{\text{seq}}{\cdot} \underset{AXIS}{\text{softmax}}
  \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|SIZE|}} \right)
\end{aligned}$$
"""


@pytest.mark.parametrize(
    ("axis", "size", "codes"),
    [
        (r"\text{seq}", r"\text{key}", []),
        (r"\text{seq}'", r"\text{key}", ["softmax-unmet"]),
        (r"\text{seq}", r"\text{val}", ["scale-axis"]),
    ],
)
def test_the_rules_read_documents_too(axis, size, codes):
    text = DOCUMENT.replace("AXIS", axis).replace("SIZE", size)
    with Checker() as checker:
        found = checker.check("notes.md", text).findings
    assert [f.code for f in found] == codes
    for finding in found:
        shown = finding.source.text[finding.span.start : finding.span.end]
        assert axis in shown if codes == ["softmax-unmet"] else size in shown


def test_axes_that_no_declaration_gives_forget_no_prime():
    text = r"""
$$
\text{att}(q, K, V) = V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}}
  \left( q \underset{\text{key}}{\cdot} K \right)DECLARED
$$
"""
    declared = ", ".join(rf"{x} \in \mathbb{{R}}^{{\text{{seq}}, \text{{key}}}}" for x in "qK")
    for given, codes in (("", []), (r", \quad " + declared, ["prime-forgotten"])):
        document = read(text.replace("DECLARED", given), "notes.md")
        assert document.inferred("att") == ({"V"} if given else {"q", "K", "V"})
        assert [f.code for f in look_at(document)[0]] == codes


def test_the_branch_of_a_document_that_keeps_its_heads_is_seen():
    text = r"""$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
V &\in \mathbb{R}^{\text{head}, \text{emb}, \text{val}} \\
O &\in \mathbb{R}^{\text{head}, \text{val}, \text{emb}} \\
\text{layer}(X; V, O) &= X + O \underset{AXES}{\cdot} \tanh(V \underset{\text{emb}}{\cdot} X)
\end{aligned}$$"""
    for axes, codes in ((r"\text{head}, \text{val}", []), (r"\text{val}", ["residual-axis"])):
        found = look_at(read(text.replace("AXES", axes), "notes.md"))[0]
        assert [(f.code, f.line) for f in found] == [(code, 5) for code in codes]


def test_the_correct_documents_have_no_warnings():
    folder = Path(__file__).parents[1] / "latex"
    warned = [
        (path.name, finding.code)
        for path in (*sorted((folder / "corpus").iterdir()), folder / "mended_encoder.md")
        if path.suffix in (".md", ".tex") and path.name != "README.md"
        for finding in look_at(read(path.read_text(), str(path)))[0]
        if finding.severity != "note"
    ]
    assert warned == []


HEAD = r"""$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} & Y &\in \mathbb{R}^{\text{seq}', \text{emb}} \\
W^Q, W^K &\in \mathbb{R}^{\text{emb}, \text{key}} & q &\in \mathbb{R}^{\text{class}} \\
k, c &\in \mathbb{R}^{\text{knot}} & t &\in \mathbb{R}^{\text{time}} \\
G &\in \mathbb{R}^{\text{node}, \text{class}} \\
U, V &\in \mathbb{R}^{\text{time}, \text{group}, \text{class}} \\
\mu &\in \mathbb{R} & P &\in \mathbb{R}^{\text{class}, \text{key}} \\
FORMULA
\end{aligned}$$"""
SCALED = r"""A &= \underset{\text{seq}}{\text{softmax}} \left( SCALE
(W^K \underset{\text{emb}}{\cdot} X) \underset{\text{key}}{\cdot}
(W^Q \underset{\text{emb}}{\cdot} Y) \right)"""


@pytest.mark.parametrize(
    "formula",
    [
        SCALED.replace("SCALE", r"\frac{1}{\sqrt{|\text{key}|}}"),
        SCALED.replace("SCALE", r"|\text{key}|^{-1/2}"),
        SCALED.replace("SCALE", r"-\frac{2}{\sqrt{|\text{key}|}}"),
        r"\text{scaled}(G) &= q \odot \frac{G}{\sum_{\text{node}} G}",
        r"\text{hat}(t; k) &= \max(0, 1 - |t - k|) \\ "
        r"\text{curve}(t; k, c) &= c \underset{\text{knot}}{\cdot} \text{hat}(t; k)",
        # a mean is taken off and added again
        r"m &= \frac{1}{|\text{seq}|} \sum_{\text{seq}} X \\ "
        r"Z &= (X - m) \underset{\text{emb}}{\cdot} W^Q \\ "
        r"R &= m + Z \underset{\text{key}}{\cdot} W^Q",
        # what was counted over nodes is summed over classes
        r"N &= G \underset{\text{node}}{\cdot} [G]_{\text{class} \rightarrow \text{class}'} \\ "
        r"e &= \frac{1}{|\text{node}|} \sum_{\text{class}, \text{class}'} N",
        # two biases, one found from the other, beside what has the axes of both
        r"a &= \underset{\text{node}}{\text{mean}} G \\ b &= \underset{\text{class}}{\text{mean}} (G - a) \\ "
        r"H &= \mu + b + a + G",
        # entropies and divergences of independent variables add up
        r"p &= \underset{\text{class}}{\text{softmax}} U \\ "
        r"h &= -\sum_{\text{group}, \text{class}} p \odot \log p",
        r"p &= \underset{\text{class}}{\text{softmax}} U \\ "
        r"r &= \underset{\text{class}}{\text{softmax}} V \\ "
        r"\ell(p, r) &= -\sum_{\text{group}, \text{class}} p \odot \log(r + 0.01) \\ L &= \ell(p, r)",
        # the derivative of a softmax along a change of its scores, for each weight
        r"p &= \underset{\text{key}}{\text{softmax}} (X \underset{\text{emb}}{\cdot} W^Q) \\ "
        r"h &= X \underset{\text{seq}}{\cdot} (p \odot (d - p \underset{\text{key}}{\cdot} d)) \\ "
        r"d &= X \underset{\text{emb}}{\cdot} W^K",
        # differences of all pairs, which two formulas on are normalised
        r"m &\in \mathbb{R}^{\text{item}, \text{emb}} \\ d &= X - m \\ s(X; m) &= \sum_{\text{emb}} d^2 \\ "
        r"p(X; m) &= \underset{\text{item}}{\text{softmax}} (-s(X; m))",
        # counts are shared out
        r"S(G; P) &= \sum_{\text{class}} G \odot \frac{G \odot P}{\sum_{\text{key}} G \odot P}",
    ],
)
def test_what_only_looks_like_a_slip_in_a_document_is_none(formula):
    document = read(HEAD.replace("FORMULA", formula), "notes.md")
    assert [str(f) for f in [*document.check(), *look_at(document)[0]]] == []


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        (SCALED.replace("SCALE", r"\frac{1}{\sqrt{|\text{seq}|}}"), "scale-axis"),
        (SCALED.replace("SCALE", r"|\text{seq}|^{-1/2}"), "scale-axis"),
        (r"\text{hat}(t; k) &= \max(0, 1 - |t - k|)", "axis-lifted"),
        (
            r"p &= \underset{\text{class}}{\text{softmax}} U \\ "
            r"h &= \sum_{\text{group}, \text{class}} p \odot V",
            "softmax-unmet",
        ),
    ],
)
def test_what_looks_nearly_alike_and_is_a_slip_is_one(formula, code):
    found = look_at(read(HEAD.replace("FORMULA", formula), "notes.md"))[0]
    assert [f.code for f in found] == [code]


ATTENTION = r"""
Let $Q \in \mathbb{R}^{\mathsf{seq'} \times \mathsf{key}}$,
$K \in \mathbb{R}^{\mathsf{seq} \times \mathsf{key}}$ and
$V \in \mathbb{R}^{\mathsf{seq} \times \mathsf{val}}$.
$$Y = \nfun{\mathsf{seq'}}{softmax} (Q \ndot{\mathsf{key}} K) \ndot{\mathsf{seq}} V$$
"""


def test_what_axes_mean_is_said_when_it_is_asked_for():
    document = read(ATTENTION)
    assert not document.check()
    said = document.check(meaning=True)
    assert [finding.code for finding in said] == ["softmax-unmet"]
    with Checker() as checker:
        assert [str(f) for f in checker.check("<text>", ATTENTION).findings] == [
            str(f) for f in said
        ]


SHARED = r"""$m \in \mathbb{R}^{\text{comp}, \text{dim}}$, $a, w \in \mathbb{R}^{\text{comp}}$,
$Z \in \mathbb{R}^{\text{obs}:n, \text{dim}}$, $V \in \mathbb{R}^{\text{obs}:n, \text{val}}$ and
a number $\delta > 0$, $S \in \mathbb{R}^{\text{obs}:n, \text{obs}'}$.
$$Y = FORMULA$$"""
CHOSEN = r"\underset{\text{comp}}{\text{softmax}}(Z \underset{\text{dim}}{\cdot} m"
OVER = r") \underset{\text{obs}}{\cdot}"


@pytest.mark.parametrize(
    ("formula", "codes"),
    [
        # chances of actions in each state, and of queries for each key
        (
            r"\left( \underset{\text{val}}{\text{softmax}} V \right) \underset{\text{obs}}{\cdot} Z",
            [],
        ),
        (
            r"\left( \underset{\text{obs}'}{\text{softmax}} S \right) \underset{\text{obs}}{\cdot} Z",
            ["softmax-unmet"],
        ),
        # what so many records share, and what is no mean of anything along them
        (r"\underset{\text{obs}}{\text{mean}} Z + \frac{1}{n} \sum_{\text{comp}} w^2", []),
        (r"V + \sqrt{\frac{\sum_{\text{comp}} (w \log w - w) + \log \frac{1}{\delta}}{2 n}}", []),
        (r"\frac{1}{n} \sum_{\text{dim}} Z", ["scale-axis"]),
        # statistics of a mixture, which scores with a term of each component show
        (
            rf"{CHOSEN} + a{OVER} Z",
            [],
        ),
        (
            rf"{CHOSEN} - a{OVER} Z",
            [],
        ),
        (
            rf"{CHOSEN} + a{OVER} V",
            ["softmax-unmet"],
        ),
        (
            rf"{CHOSEN}{OVER} Z",
            ["softmax-unmet"],
        ),
    ],
)
def test_what_records_share_and_what_components_hold_of_them(formula, codes):
    document = read(SHARED.replace("FORMULA", formula), "notes.md")
    assert document.check() == []
    assert [f.code for f in look_at(document)[0]] == codes
