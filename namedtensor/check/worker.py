"""The process that reads Python: it takes files as lines of JSON, and answers each with a report.

It runs in the project's interpreter. What the files print goes nowhere, and nothing is read from
a terminal.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

from namedtensor.check.cures import with_mends
from namedtensor.check.formulas import Report, check_program
from namedtensor.check.pieces import UnreadableError, program_in


def serve() -> None:
    """Answer requests until there are no more."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    sys.argv = sys.argv[:1]
    warnings.simplefilter("ignore")
    for line in requests:
        asked = json.loads(line)
        replies.write(json.dumps(answer(asked)) + "\n")
        replies.flush()


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Check one file."""
    try:
        program = program_in(asked["file"], asked["text"])
        report = check_program(program, asked["imports"])
        report.findings = with_mends(program, report.findings)
    except UnreadableError as error:
        report = Report(asked["file"], refused=str(error))
    except RecursionError:
        report = Report(asked["file"], refused=f"{asked['file']}: is nested too deeply")
    data: dict[str, Any] = {
        "formulas": report.formulas,
        "unchecked": report.unchecked,
        "unreached": report.unreached,
        "refused": report.refused,
        "findings": [
            {
                "severity": f.severity,
                "code": f.code,
                "message": f.message,
                "source": f.source.name,
                "span": [f.span.start, f.span.end],
                "shapes": f.shapes,
                "hint": f.hint,
                "mend": f.mend and [f.mend.span.start, f.mend.span.end, f.mend.text],
                "calls": f.calls,
            }
            for f in report.findings
        ],
    }
    if asked.get("parts"):
        data["parts"] = [[p.source.name, p.span.start, p.span.end, p.shape] for p in report.parts]
    return data


if __name__ == "__main__":
    serve()
