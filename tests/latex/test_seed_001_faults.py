"""An encoder with every fault of a text met in the wild, and its mended text, which has none."""

from pathlib import Path

import pytest

from namedtensor.latex import read_file
from namedtensor.latex.findings import Finding

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    return read_file(HERE / "faulty_encoder.md").check()


def marked(finding: Finding) -> tuple[str, str, int, str]:
    text = finding.source.text[finding.span.start : finding.span.end]
    return finding.severity, finding.code, finding.line, text


@pytest.mark.parametrize(
    "fault",
    [
        # FFN: b^2 is declared over hid
        ("error", "axis-returns", 11, "b^2"),
        # MHA: V has val:d_k, att declares val:d_v; M is declared only for att
        ("warning", "axis-size", 30, "V"),
        ("note", "undeclared", 34, "M"),
        # lnorm: emb under the minus, mean and var without an axis
        ("error", "axis-under-sign", 41, r"\text{emb}"),
        ("error", "no-axis", 41, r"\text{mean}"),
        ("error", "no-axis", 41, r"\text{var}"),
        # embed: E over vocab x v, P over hidden
        ("error", "axis-name", 48, "v"),
        ("error", "axis-alone", 50, r"\text{hidden}"),
        # Transformer: X for I, the contraction over vocab, emb under X^L, softmax, W, parameters
        ("warning", "undeclared", 57, "X"),
        (
            "error",
            "axis-missing",
            64,
            r"W \underset{\text{vocab}}{\cdot} \underset{\text{emb}}{X^L}",
        ),
        ("error", "axis-under-operand", 64, r"\underset{\text{emb}}{X^L}"),
        ("error", "no-axis", 64, r"\text{softmax}"),
        ("error", "undefined", 64, "W"),
        ("warning", "parameters-missing", 58, r"\text{embed}(I)"),
        ("warning", "parameters-missing", 59, r"\text{lnorm}(\text{MHA}(X^0))"),
        ("warning", "parameters-missing", 59, r"\text{MHA}(X^0)"),
        ("warning", "parameters-missing", 60, r"\text{FFN}(T^1)"),
    ],
)
def test_a_fault_of_the_seed_is_found(findings: list[Finding], fault: tuple[str, str, int, str]):
    assert [marked(f) for f in findings].count(fault) == 1


def test_nothing_else_is_reported(findings: list[Finding]):
    assert len(findings) == 17


def test_what_only_the_dots_reach_is_no_fault(findings: list[Finding]):
    assert not [f for f in findings if marked(f)[3] == "X^{L-1}" or f.message.startswith("X^{L-1}")]


def test_findings_stand_with_the_worst_first(findings: list[Finding]):
    assert [f.rank for f in findings] == sorted(f.rank for f in findings)
    assert [f.severity for f in findings] == ["error"] * 10 + ["warning"] * 6 + ["note"]


def test_the_mended_seed_has_no_findings_at_all():
    assert read_file(HERE / "mended_encoder.md").check() == []
