"""Ask a worker process about Python files, with a time limit."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from namedtensor.check.formulas import Part, Report
from namedtensor.check.pieces import Program
from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source, Span

#: The time limit for one file, in seconds.
LIMIT = 60.0


def default_python() -> str:
    """Give the interpreter of the environment that is active, or that which runs this."""
    active = os.environ.get("VIRTUAL_ENV")
    for name in ("bin/python", "Scripts/python.exe"):
        if active and os.path.exists(os.path.join(active, name)):
            return os.path.join(active, name)
    return sys.executable


class Worker:
    """A process that checks files one after another; it is restarted after a file that takes too long."""

    def __init__(self, python: str = "", limit: float = LIMIT) -> None:
        self.python = python or default_python()
        self.limit = limit
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.Queue[str] = queue.Queue()

    def check(
        self, program: Program, text: str, imports: bool = True, parts: bool = False
    ) -> Report:
        """Check the Python of one file.

        The file is refused, with the reason, where the worker dies or is not done in time.
        """
        asked = {"file": program.file, "text": text, "imports": imports, "parts": parts}
        try:
            process = self._started()
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it has ended, and its last line says so
                process.stdin.write(json.dumps(asked) + "\n")
                process.stdin.flush()
            line = self.lines.get(timeout=self.limit)
        except queue.Empty:
            self.close()
            why = f"{program.file}: its import takes longer than {self.limit:g} seconds"
            return Report(program.file, refused=why)
        except OSError as error:
            self.close()
            return Report(program.file, refused=f"{self.python}: {error.strerror or error}")
        if not line:
            self.close()
            why = f"{program.file}: the process that imports it ended"
            if not self._has_package():
                why = f"{self.python}: has no package namedtensor; choose another with --python"
            return Report(program.file, refused=why)
        return _report(program, json.loads(line))

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            self.lines = queue.Queue()
            self.process = subprocess.Popen(
                [self.python, "-m", "namedtensor.check.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env=self._environment(),
            )
            threading.Thread(target=_pump, args=(self.process, self.lines), daemon=True).start()
        return self.process

    def _environment(self) -> dict[str, str]:
        """Let our own interpreter find this very package, wherever it was imported from."""
        found = dict(os.environ)
        if self.python == sys.executable:
            here = str(Path(__file__).resolve().parents[2])
            found["PYTHONPATH"] = os.pathsep.join(
                [here, *found.get("PYTHONPATH", "").split(os.pathsep)]
            )
        return found

    def _has_package(self) -> bool:
        asked = [self.python, "-c", "import namedtensor.check.worker"]
        return (
            subprocess.run(
                asked, capture_output=True, check=False, env=self._environment()
            ).returncode
            == 0
        )

    def close(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pump(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    """Put the answers of a process into a queue, and an empty line when it ends."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line)
    except ValueError:
        pass
    lines.put("")


def _mend(given: list[Any] | None) -> Mend | None:
    return Mend(Span(given[0], given[1]), given[2]) if given else None


def _report(program: Program, data: dict[str, Any]) -> Report:
    """Read an answer."""
    sources: dict[str, Source] = {piece.source.name: piece.source for piece in program.pieces}
    report = Report(program.file, formulas=data["formulas"], refused=data["refused"])
    report.unchecked = [(name, why) for name, why in data["unchecked"]]
    report.unreached = [(place, why) for place, why in data["unreached"]]
    for found in data["findings"]:
        report.findings.append(
            Finding(
                found["severity"],
                found["code"],
                found["message"],
                sources[found["source"]],
                Span(*found["span"]),
                tuple([(label, shape) for label, shape in found["shapes"]]),
                found["hint"],
                _mend(found.get("mend")),
                calls=tuple(found["calls"]),
            )
        )
    report.parts = [
        Part(sources[name], Span(start, end), shape)
        for name, start, end, shape in data.get("parts", [])
    ]
    return report
