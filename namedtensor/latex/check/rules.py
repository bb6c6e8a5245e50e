"""Check a document by all rules, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.errors import NamedTensorError
from namedtensor.latex.check.annotations import (
    check_annotations,
    check_italics,
    check_near_duplicates,
    check_repeated,
)
from namedtensor.latex.check.checker import Checker
from namedtensor.latex.check.compare import (
    check_declarations,
    check_elements,
    check_letters,
    check_recurrences,
)
from namedtensor.latex.check.constraints import check_constraints, learn_sizes
from namedtensor.latex.check.meanings import check_meanings
from namedtensor.latex.check.numbers import check_numbers
from namedtensor.latex.check.report import Report
from namedtensor.latex.check.steps import check_steps
from namedtensor.latex.documents.scopes import Defined
from namedtensor.latex.documents.scripts import fold
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.syntax import (
    AxisSize,
    Call,
    Constraint,
    Definition,
    Expression,
    Statement,
)
from namedtensor.latex.walk import all_of

if TYPE_CHECKING:
    from namedtensor.latex.documents.document import Document


def check(document: Document) -> list[Finding]:
    """Check a document, and give all findings, with those of its reader."""
    reading, names = document.reading, document.definitions
    statements = reading.statements
    report = Report(reading.source, lambda code, line: (line, code) in reading.silenced)
    report.keep(reading.findings)
    checker = Checker(reading.source, names, document.library.linker, report)
    for statement in statements:
        check_repeated(statement, report)
    learn_sizes(checker)
    check_declarations(checker)
    # functions first: the definitions that they use are evaluated with their arguments
    alone: list[Defined] = []
    for defined in sorted(names.definitions, key=lambda d: d.kind != "function"):
        if defined.kind == "function" or id(defined) not in checker.reached:
            alone.append(defined)
        if id(defined) not in checker.reached and not names.gives_size(defined.statement):
            checker.value_of(defined)
    for defined in alone:
        _known_sizes(checker, defined)
    check_elements(checker)
    check_recurrences(checker)
    check_steps(checker)
    check_letters(checker, statements)
    check_constraints(checker)
    check_meanings(checker, reading.shorthand)
    for statement in statements:
        _annotations(checker, statement)
    check_near_duplicates(statements, report)
    check_italics(statements, report)
    check_numbers(document, checker)
    return report.findings


def _known_sizes(checker: Checker, defined: Defined) -> None:
    """Report |ax| in a formula if no input has the axis ax, and the document does not state |ax|."""
    sizes = all_of(AxisSize, defined.body)
    if not sizes or defined.kind not in ("function", "value"):
        return
    try:
        inputs = checker.linker.linked(defined).inputs
    except NamedTensorError:
        return
    spaces = [i.space for i in inputs if i.space is not None]
    if len(spaces) < len(inputs) or not spaces:
        return  # an undeclared input has the axes that each call gives it
    known = {a.axis.name for space in spaces for a in space.axes}
    if not known:  # all inputs are numbers: any axis of the document may be meant
        known = {
            a.axis.name
            for group in checker.names.declared.values()
            for d in group
            for a in d.space.axes
        }
    known |= {axis for i in inputs for axis in i.along}
    known |= {a.axis.name for _, a in checker.names.sized if fold(a.size, {}) is not None}
    known |= {name for name, _, _ in checker.names.stated_sizes}
    makers = [c for c in all_of(Call, defined.body) if head_of(c.function) in ("onehot", "one_hot")]
    known |= {axis.name for call in makers for axis in call.axes}
    for size in sizes:
        axis = size.axis.name
        if not {axis, axis.rstrip("'")} & known and not checker.report.any_in(size.span):
            checker.report.error(
                "axis-missing",
                size.span,
                f"{checker.report.text(size.span)} is a size that nothing has which "
                f"{checker.report.text(defined.name.span)} takes",
                hint="say the size of an axis of its arguments, or state what it is: "
                f"{checker.report.text(size.span)} = 4",
            )


def _annotations(checker: Checker, statement: Statement) -> None:
    bodies: list[Expression] = []
    if isinstance(statement, Definition):
        bodies = [statement.body, *statement.chain]
    elif isinstance(statement, Constraint):
        bodies = [statement.relation]
    for body in bodies:
        check_annotations(body, checker.report, checker.dialect)
