"""What can be wrong with a formula that no operation of the library would notice."""

from __future__ import annotations

from namedtensor.errors import AxisMissingError, NamedTensorError


class UndefinedError(NamedTensorError):
    """A name stands for nothing."""


class NoAxisError(AxisMissingError):
    """A function acts along axes, and none is named."""


class ArgumentsError(NamedTensorError):
    """A function is given too few arguments, too many, or arguments of the wrong sort."""


class NotNotationError(NamedTensorError):
    """A formula says something to which the named tensor notation gives no meaning."""
