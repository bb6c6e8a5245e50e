"""The benchmarks compare fairly, and their table says what was measured."""

import doctest

import benchmarks.table
from benchmarks.bench_import import compare_imports
from benchmarks.pairwise import Comparison, compare
from benchmarks.table import Row, table


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


def test_the_examples_of_the_table_hold():
    assert doctest.testmod(benchmarks.table).failed == 0


def test_importing_the_language_costs_at_most_half_as_much_again_as_numpy():
    comparison = compare_imports(pairs=7)
    assert min(comparison.ours) <= 1.5 * min(comparison.theirs)
