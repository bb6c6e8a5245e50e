"""Choices that a formula offers by name: its form, its setting, its placement."""

from collections.abc import Sequence


def chosen(what: str, given: str, choices: Sequence[str]) -> str:
    """Return the choice; for an unknown one, raise an error that lists the choices.

    Raises: ValueError where the choice is not one of those offered.

    >>> chosen("form", "literal", ("literal", "published"))
    'literal'
    """
    if given not in choices:
        offered = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
        raise ValueError(f"{what} is {offered}, not {given!r}")
    return given


#: The two forms of a formula: as the document prints it, or as the published model has it.
FORMS = ("literal", "published")
