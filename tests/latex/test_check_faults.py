"""Each faulty variant gives the findings that are written beside it, word for word, and no others."""

from pathlib import Path

import pytest

from namedtensor.latex import read
from namedtensor.latex.check.codes import CODES
from tests.latex.fault_cases import Case, cases, found_in

CASES = cases()
PRINTED = Path(__file__).with_name("faults_printed.txt")


def printed(case: Case) -> str:
    """Print the findings of a case, as `namedtensor check` does."""
    return "\n\n".join([str(finding) for finding in read(case.text, "a.md").check()])


def printed_before() -> dict[str, str]:
    """Read what each case printed when its words were last looked at."""
    _, *parts = ("\n" + PRINTED.read_text()).split("\n=== ")
    pairs = [part.partition("\n") for part in parts]
    return {title: text.rstrip("\n") for title, _, text in pairs}


def test_there_are_at_least_sixty_faulty_variants_over_both_dialects():
    assert len(CASES) >= 60
    assert sum("\\underset" in case.text or "\\text{" in case.text for case in CASES) >= 25
    assert sum("\\name" in case.text or "\\ndef" in case.text for case in CASES) >= 25
    assert len({case.title for case in CASES}) == len(CASES)


def test_every_rule_has_a_faulty_variant_that_it_finds():
    found = {code for case in CASES for _, code, _, _ in case.wanted}
    assert set(CODES) - found == set()
    assert {code for code in found if not code.startswith("syntax-")} == set(CODES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_fault_is_found_where_it_is_made_and_once(case: Case):
    assert found_in(case.text) == list(case.wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_finding_says_what_is_wrong_in_these_words(case: Case):
    assert printed(case) == printed_before()[case.title]


def rewrite() -> None:
    """Write down what all cases print now: python -m tests.latex.test_check_faults; then read it."""
    texts = [f"=== {case.title}\n{printed(case)}\n" for case in CASES]
    PRINTED.write_text("What the faulty variants of faults.txt print.\n\n" + "\n".join(texts))


if __name__ == "__main__":
    rewrite()


@pytest.mark.parametrize(
    "chain", [r"Y = \sum_{\text{seq}, \text{emb}} X", r"Y = 2 \sum_{\text{seq}, \text{emb}} X = Z"]
)
def test_a_number_made_of_a_tensor_is_held_to_the_declaration_of_its_name(chain):
    text = (
        r"$X \in \mathbb{R}^{\text{seq}, \text{emb}}$, $Y, Z \in \mathbb{R}^{\text{seq}}$"
        f"\n\n$${chain}$$\n"
    )
    (finding,) = [f for f in read(text).check() if f.code == "declared-shape"][:1]
    assert (finding.line, finding.severity) == (3, "error")
    assert finding.message.endswith("lacks seq")
    for filled in ("0", r"\frac{c}{|\text{seq}|}"):
        assert read(text.replace(chain, f"Y = {filled}") + r"with $c \in \mathbb{R}$").check() == []
