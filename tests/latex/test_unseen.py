"""The documents of tests/latex/unseen: their faults are found, and nothing else is; their formulas run."""

import pytest

from .unseen.counting import ALL, report

#: What is legal all the same, or not followed yet, by document: faults missed and formulas refused.
SHORT = {
    "gaussian_process.md": (1, 0),
    "preferences.tex": (1, 0),
    "slot_attention.md": (0, 1),
}


@pytest.mark.parametrize("unseen", ALL, ids=lambda unseen: unseen.file)
def test_the_faults_of_a_document_are_found_and_its_formulas_run(unseen):
    counts, lines = report(unseen)
    missed, refused = SHORT.get(unseen.file, (0, 0))
    assert counts["found"] == counts["faults"] - missed, lines
    assert counts["right"] == counts["formulas"] - refused, lines
    assert (counts["false"], counts["wrong"]) == (0, 0), lines
