"""The part of Formula that its arguments, bundles and traces use: what it declares, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from namedtensor.formula.signature import Signature


class Declared(Protocol):
    """A formula, as its arguments, its bundles and its trace see it."""

    name: str
    number: str
    signature: Signature
    derived: Any
    body: Any
    arguments: Any

    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def parameters_after(self) -> tuple[str, ...]: ...
    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    def __call__(self, *args: Any, **named: Any) -> Any: ...
    def run_in_place(self, given: Any) -> Any: ...
    def call_layer(
        self, args: Sequence[Any], named: Mapping[str, Any], mode: bool | None
    ) -> Any: ...
    def call_alike(self, bundle: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any: ...
