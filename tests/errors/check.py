"""Compare an error with its class and its full text."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import namedtensor as nt


def case(what: str, call: Callable[[], Any], error: type[nt.NamedTensorError], text: str) -> Any:
    """Say what is wrong, with the call, the class of its error, and the error's text."""
    return pytest.param(call, error, text.strip("\n"), id=what)


def check(call: Callable[[], Any], error: type[nt.NamedTensorError], text: str) -> None:
    """The call fails with just this error: its class, and all of its text.

    Files stand without their folders, and lines of bodies without their numbers: both move.
    """
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    said = re.sub(r'File ".*/([^/"]+)", line \d+', r'File "\1", line N', str(caught.value))
    said = re.sub(r"called in (\w+), line \d+", r"called in \1, line N", said)
    assert said == text
    assert type(caught.value) is error
