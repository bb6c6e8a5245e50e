"""Each faulty variant gives the findings that are written beside it, and no others."""

import pytest

from tests.latex.fault_cases import Case, cases, found_in

CASES = cases()


def test_there_are_at_least_sixty_faulty_variants_over_both_dialects():
    assert len(CASES) >= 60
    assert sum("\\underset" in case.text or "\\text{" in case.text for case in CASES) >= 25
    assert sum("\\name" in case.text or "\\ndef" in case.text for case in CASES) >= 25
    assert len({case.title for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_fault_is_found_where_it_is_made_and_once(case: Case):
    assert found_in(case.text) == sorted(case.wanted, key=_rank)


def _rank(wanted: tuple[str, str, int, str]) -> tuple[int, int]:
    severity, _, line, _ = wanted
    return ("error", "warning", "note").index(severity), line
