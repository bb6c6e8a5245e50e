"""The benchmarks compare fairly, and their table says what was measured."""

import doctest

import pytest

import benchmarks.results
import benchmarks.table
from benchmarks.bench_import import seconds_to_import
from benchmarks.pairwise import Comparison, compare, compare_bursts
from benchmarks.results import replaced, written
from benchmarks.table import Measure, Row, Skipped, table


def test_ours_and_theirs_take_turns_in_going_first():
    asked = []
    compare(lambda: asked.append("ours") or 1.0, lambda: asked.append("theirs") or 1.0, 2, warm=0)
    assert asked == ["theirs", "ours", "ours", "theirs"]


def test_one_slow_pair_does_not_move_the_ratio():
    comparison = compare(iter([1.0, 2.0, 2.0, 2.0, 9.0]).__next__, lambda: 1.0, pairs=4)
    assert comparison.ratio == 2.0
    assert comparison.spread == (2.0, 7.25)


def test_the_table_shows_times_ratio_goal_and_verdict():
    rows = [
        Row("slow", Comparison([2.0, 2.0], [1.0, 1.0]), goal=1.5),
        Row("fast", Comparison([2e-6, 2e-6], [4e-6, 4e-6]), goal=1.5),
    ]
    assert table(rows).splitlines()[2:] == [
        "| slow | 2 s | 1 s | 2.00 (2.00 to 2.00) | at most 1.50 | missed |",
        "| fast | 2 us | 4 us | 0.50 (0.50 to 0.50) | at most 1.50 | met |",
    ]


def test_tiny_programs_are_judged_by_their_fastest_bursts():
    row = Row("tiny", Comparison([2.0, 2.0, 9.0], [1.0, 2.0, 2.0]), goal=2.0, fastest=True)
    assert row.met
    assert row.cells()[3] == "2.00 (1.00 to 4.50)"


def test_tiny_programs_run_in_bursts_of_many():
    runs = {"ours": 0, "theirs": 0}
    count = lambda name: runs.update({name: runs[name] + 1})
    comparison = compare_bursts(lambda: count("ours"), lambda: count("theirs"), seconds=0.0)
    assert len(comparison.ours) == len(comparison.theirs) == 7
    assert min(runs.values()) > 7


def test_the_table_says_what_is_no_ratio_and_what_was_skipped():
    rows = [
        Measure("memory", "9 MiB", "linear", met=True),
        Skipped("far away", "no GPU here", "at most 1.00"),
    ]
    assert table(rows).splitlines()[2:] == [
        "| memory | 9 MiB |  |  | linear | met |",
        "| far away |  |  |  | at most 1.00 | skipped: no GPU here |",
    ]


def test_a_table_replaces_the_one_between_its_markers_and_no_other(tmp_path):
    file = tmp_path / "RESULTS.md"
    file.write_text("# Results\n<!-- a -->old<!-- /a -->\n<!-- b -->kept<!-- /b -->\n")
    for _ in range(2):
        written(file, "a", "new\n", "a machine")
        written(file, "c", "added\n", "a machine")
    page = file.read_text()
    assert "old" not in page
    assert page.startswith("# Results\n<!-- a -->\nnew\n\n")
    assert page.count("<!-- c -->") == page.count("added") == page.count("kept") == 1


def test_a_marker_that_is_never_closed_is_refused_before_anything_is_lost():
    with pytest.raises(ValueError) as caught:
        replaced("<!-- a -->much more", "a", "new")
    assert str(caught.value) == "<!-- a --> has no <!-- /a -->"


@pytest.mark.parametrize("module", [benchmarks.table, benchmarks.results])
def test_the_examples_of_the_table_hold(module):
    assert doctest.testmod(module).failed == 0


def test_an_import_is_timed_in_a_fresh_interpreter(tmp_path):
    assert 0 < seconds_to_import("textwrap", str(tmp_path)) < float("inf")
