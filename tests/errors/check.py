"""Compare an error with its class and its full text."""

from collections.abc import Callable
from typing import Any

import pytest

import namedtensor as nt


def case(what: str, call: Callable[[], Any], error: type[nt.NamedTensorError], text: str) -> Any:
    """Say what is wrong, with the call, the class of its error, and the error's text."""
    return pytest.param(call, error, text.strip("\n"), id=what)


def check(call: Callable[[], Any], error: type[nt.NamedTensorError], text: str) -> None:
    """The call fails with just this error: its class, and all of its text."""
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    assert str(caught.value) == text
    assert type(caught.value) is error
