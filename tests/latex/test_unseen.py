"""The documents of tests/latex/unseen: their faults are found, and nothing else is; their formulas run."""

import pytest

from .unseen.counting import ALL, report

#: What is legal all the same, or not followed yet, by document: faults missed, formulas refused, and
#: false errors.
SHORT = {
    "gaussian_process.md": (1, 0, 0),
    "preferences.tex": (1, 0, 0),
    "latent_paths.tex": (1, 0, 0),
    "excitation.tex": (0, 1, 0),
    "grouped_heads.tex": (0, 1, 1),
    "films.md": (0, 1, 0),
    "codes.md": (0, 1, 0),
    "separation.md": (0, 2, 0),
    "barycentre.tex": (0, 1, 0),
}


@pytest.mark.parametrize("unseen", ALL, ids=lambda unseen: unseen.file)
def test_the_faults_of_a_document_are_found_and_its_formulas_run(unseen):
    counts, lines = report(unseen)
    missed, refused, false = SHORT.get(unseen.file, (0, 0, 0))
    assert counts["found"] == counts["faults"] - missed, lines
    assert counts["right"] == counts["formulas"] - refused, lines
    assert (counts["false"], counts["wrong"]) == (false, 0), lines
