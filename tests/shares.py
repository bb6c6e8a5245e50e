"""Shares of a parameter's values: each check takes some, and `make check-long` the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """Take the first so many values."""
    return [
        pytest.param(value, marks=[pytest.mark.long] * (at >= count))
        for at, value in enumerate(values)
    ]


def one_in(count: int, values: Iterable[Any]) -> list[Any]:
    """Take one of so many values, in their order."""
    return [
        pytest.param(value, marks=[pytest.mark.long] * (at % count > 0))
        for at, value in enumerate(values)
    ]
