"""What is certain is mended, in rounds; what is not stays as it is."""

from pathlib import Path

from namedtensor.latex import read
from namedtensor.latex.check.mending import diff, mend_all, mended
from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source, Span


def whole(text: str) -> str:
    return mend_all(read(text), read)


def test_a_misspelt_axis_under_a_dot_is_mended():
    text = r"""$$\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{key}} & K &\in \mathbb{R}^{\text{seq}, \text{key}} \\
f(Q, K) &= Q \underset{\text{kye}}{\cdot} K
\end{aligned}$$"""
    assert whole(text) == text.replace("kye", "key")


def test_a_declaration_is_mended_and_then_the_elements_that_disagree_with_it():
    text = (Path(__file__).parent / "faulty_encoder.md").read_text()
    assert whole(text) == text.replace("hidden", "emb")


def test_an_axis_that_several_may_stand_for_is_left():
    text = r"""\begin{align*}
X &\in \mathbb{R}^{\name{seq} \times \name{emb}} \\
f(X) &= \nsum{\name{word}} X
\end{align*}"""
    assert whole(text) == text


def test_a_name_that_is_used_twice_is_no_slip():
    text = r"""\begin{align*}
Q &\in \mathbb{R}^{\name{key}} & K &\in \mathbb{R}^{\name{key}} & V &\in \mathbb{R}^{\name{kez}} \\
f(Q, K) &= Q \ndot{\name{kez}} K
\end{align*}"""
    assert whole(text) == text


def test_mends_that_overlap_wait_for_the_next_round():
    source = Source("abcdef")

    def finding(start: int, end: int, text: str) -> Finding:
        span = Span(start, end)
        return Finding("error", "axis-name", "", source, span, mend=Mend(span, text))

    findings = [finding(3, 5, "X"), finding(0, 2, "Y"), finding(4, 6, "Z"), finding(0, 2, "Y")]
    assert mended(source.text, findings) == "YcXf"


def test_nothing_mended_is_an_empty_diff():
    assert diff("a.md", "one\n", "one\n") == ""


def test_a_last_line_without_an_end_is_shown_as_one():
    assert diff("a.md", "one", "two") == (
        "--- a.md\n+++ a.md (mended)\n@@ -1 +1 @@\n"
        "-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n"
    )
