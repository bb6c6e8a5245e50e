"""All rules, in the order in which they look at a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from namedtensor.latex.check.annotations import check_annotations
from namedtensor.latex.check.checker import Checker
from namedtensor.latex.check.constraints import check_constraints, is_size_equation, learn_sizes
from namedtensor.latex.check.declarations import check_declarations
from namedtensor.latex.check.report import Report
from namedtensor.latex.check.spelling import check_near_duplicates, check_repeated
from namedtensor.latex.findings import Finding
from namedtensor.latex.scopes import Names, Place
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import Constraint, Definition, Expression, Statement


def check_statements(
    source: Source,
    statements: Sequence[Statement],
    findings: Iterable[Finding],
    silenced: Callable[[str, int], bool],
) -> list[Finding]:
    """Check what was read of a document; `findings` are those of its reader."""
    report = Report(source, silenced)
    report.keep(findings)
    names = Names(statements)
    checker = Checker(source, names, report)
    for statement in statements:
        check_repeated(statement, report)
        _annotations(checker, statement)
    learn_sizes(checker)
    check_declarations(checker)
    for defined in names.definitions:
        if not is_size_equation(checker, defined.statement):
            checker.value_of(defined)
    check_constraints(checker)
    check_near_duplicates(statements, report, [])
    return report.findings


def _annotations(checker: Checker, statement: Statement) -> None:
    place = Place(0, statement.block, statement.section)

    def defined(name: Expression) -> bool:
        return checker.names.function(name, place, {}) is not None

    bodies: list[Expression] = []
    if isinstance(statement, Definition):
        bodies = [statement.body, *statement.chain]
    elif isinstance(statement, Constraint):
        bodies = [statement.relation]
    for body in bodies:
        check_annotations(body, checker.report, checker.dialect, defined)
