"""Tell what a definition says from what is true of things that are defined elsewhere.

A_{height(1), width(3)} = 4 states a fact of A, and so does \\sigma(A) = [...] where \\sigma is defined
for every x: nothing is defined by them.
"""

from __future__ import annotations

from collections.abc import Sequence

from namedtensor.latex.reading.spoken import head_of, key_of
from namedtensor.latex.reading.words import FUNCTIONS
from namedtensor.latex.syntax import (
    At,
    Call,
    Constraint,
    Declaration,
    Definition,
    Indexed,
    Relation,
    Statement,
)
from namedtensor.latex.walk import letters_of


def with_facts(statements: Sequence[Statement]) -> list[Statement]:
    """Give the statements, with the facts among them as constraints.

    >>> from namedtensor.latex.reading.reader import statements_of
    >>> from namedtensor.latex.source import Source
    >>> [fact] = statements_of(Source(r"$$A_{\\name{height}(1)} = 4$$")).statements
    >>> type(fact).__name__
    'Constraint'
    """
    elements = {head_of(s.target) for s in statements if isinstance(s, Definition) and _general(s)}
    given: set[tuple[int, str]] = set()
    functions: set[str] = set()
    for statement in statements:
        if isinstance(statement, Declaration):
            given |= {(statement.section, key_of(name)) for name in statement.names}
        elif isinstance(statement, Definition) and isinstance(statement.target, Call):
            if not _of_given(statement, given):
                functions.add(key_of(statement.target.function))
        elif isinstance(statement, Definition):
            given.add((statement.section, key_of(statement.target)))
    return [_fact(s) if _is_fact(s, elements, given, functions) else s for s in statements]


def _is_fact(
    statement: Statement,
    elements: set[str],
    given: set[tuple[int, str]],
    functions: set[str],
) -> bool:
    if not isinstance(statement, Definition) or statement.op != "=":
        return False
    target = statement.target
    if isinstance(target, Indexed):
        return not _general(statement) and head_of(target) not in elements
    if isinstance(target, Call):
        return key_of(target.function) in functions and _of_given(statement, given)
    return False


def _general(definition: Definition) -> bool:
    """Say whether an element is defined at an index that may be anything."""
    target = definition.target
    if not isinstance(target, Indexed):
        return False
    return any(any(letters_of(item.at)) for item in target.items if isinstance(item, At))


def _of_given(definition: Definition, given: set[tuple[int, str]]) -> bool:
    """Say whether a function is applied to names that are given, and gives numbers alone."""
    target = definition.target
    if not isinstance(target, Call):
        return False
    arguments = (*target.arguments, *target.parameters)
    if not all((definition.section, key_of(each)) in given for each in arguments):
        return False
    return all(letter.text in FUNCTIONS for letter in letters_of(definition.body))


def _fact(statement: Statement) -> Statement:
    assert isinstance(statement, Definition)
    said = tuple((statement.op, each) for each in (statement.body, *statement.chain))
    relation = Relation(statement.span, statement.target, said)
    return Constraint(statement.span, relation, statement.block, statement.section)
