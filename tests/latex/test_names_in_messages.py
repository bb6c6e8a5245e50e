"""Messages name what a document writes: the letter of an index, and never what tells it from others."""

from pathlib import Path

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.axes import BOUND
from namedtensor.latex import LatexError, read, read_file

HERE = Path(__file__).parent
ROW = r"X \in \mathbb{R}^{\text{k}:n, \text{m}} \\ y_{\text{k}(i)} = "
FAULTY = [
    (
        ROW + r"\sum_{\text{q}} X_{\text{k}(i)}",
        [(r"X_{\text{k}(i)}", "i[n] m")],
        r"write an axis that it has: \text{m}",
    ),
    (
        ROW + r"\underset{\text{k}}{\text{softmax}} (X_{\text{k}(i)} + i)",
        [(r"X_{\text{k}(i)} + i", "i[n] m")],
        r"write an axis that it has: \text{m}",
    ),
    (
        ROW + r"X_{\text{k}(i)} \underset{\text{k}}{\cdot} X_{\text{k}(i)}",
        [(r"X_{\text{k}(i)}", "i[n] m")],
        r"both have m: X_{\text{k}(i)} \underset{\text{m}}{\cdot} X_{\text{k}(i)}",
    ),
    (
        ROW + r"[X_{\text{k}(i)}]_{\text{k} \to \text{q}}",
        [(r"X_{\text{k}(i)}", "i[n] m")],
        r"write an axis that it has: \text{m}",
    ),
    (
        ROW + r"\sum_{\text{q}} \sum_{\text{m}} X_{\text{k}(i)}",
        [(r"\sum_{\text{m}} X_{\text{k}(i)}", "i[n]")],
        "all its axes are used up already; leave the function out, or act earlier",
    ),
    (
        ROW + r"f(X_{\text{k}(i)}) \\ f(Z) = \sum_{\text{q}} Z",
        [("Z", "i[n] m")],
        r"write an axis that it has: \text{m}",
    ),
]


@pytest.mark.parametrize(("text", "shapes", "hint"), FAULTY)
def test_a_fault_beside_an_index_names_its_letter(
    text: str, shapes: list[tuple[str, str]], hint: str
) -> None:
    (fault,) = read(f"$${text}$$").check()
    assert fault.severity == "error"
    assert (list(fault.shapes), fault.hint) == (shapes, hint)
    assert BOUND not in str(fault)


@pytest.mark.parametrize("text", [text for text, _, _ in FAULTY])
def test_so_does_the_error_of_a_call(text: str) -> None:
    X = nt.tensor(np.ones((2, 3)), "k m")
    with pytest.raises(LatexError) as refused:
        read(f"$${text}$$")["y"](X)
    assert BOUND not in str(refused.value)


@pytest.mark.parametrize("name", ["faulty_encoder.md", "mended_encoder.md", "plain_matrices.md"])
def test_no_finding_of_a_text_met_in_the_wild_shows_an_inner_name(name: str) -> None:
    assert [str(f) for f in read_file(HERE / name).check() if BOUND in str(f)] == []
