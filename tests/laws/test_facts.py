"""What a formula says of itself agrees with what it gives: shapes, steps, diagrams, of drawn programs."""

import numpy as np
import pytest

import namedtensor as nt
from tests.laws import agreement, programs

FIRST, EACH = 700_000, 6
seq = nt.axes("seq")


def said(seed):
    """Give a drawn program's numbers, its formula and what it gives; None where it is refused."""
    program = programs.program(seed)
    runs = agreement.Runs(program)
    given, f = runs.named("numpy" if seed % 2 else "torch"), runs.formula()
    with np.errstate(all="ignore"):
        try:
            result = runs.call(f, given)
        except nt.NamedTensorError:
            return None
    return runs, given, f, result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("block", range(10))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_said_is_what_is_given(block):
    found = [s for i in range(EACH) if (s := said(FIRST + EACH * block + i)) is not None]
    assert found
    for runs, given, f, results in found:
        shapes = runs.call(f.shape, given)
        shapes = shapes if isinstance(shapes, tuple) else (shapes,)
        sizes = [{axis.name: axis.size for axis in shape} for shape in shapes]
        assert sizes == [dict(result.sizes) for result in results]
        if all(X.kind == "float" for X in given):
            open_ = runs.call(f.shape, [" ".join(X.axes) for X in given])
            open_ = open_ if isinstance(open_, tuple) else (open_,)
            assert [set(shape.names) for shape in open_] == [set(s) for s in sizes]
        steps = runs.call(lambda *a, f=f, **k: nt.steps(f, *a, **k), given)
        assert str(steps).startswith(f"{f.name}: ")
        diagram = runs.call(lambda *a, f=f, **k: nt.diagram(f, *a, **k), given)
        assert repr(diagram).startswith(f"Diagram({f.name}(")
        assert runs.call(lambda *a, f=f, **k: nt.explain(f, *a, **k), given).startswith(f.name)


def test_shapes_of_tensors_have_their_kinds():
    @nt.formula
    def chosen(X: nt.R[seq], P: nt.R[seq]) -> nt.R[seq]:
        return nt.where(P, X, 0.0)

    X = nt.tensor([1.0, 2.0], "seq")
    assert str(chosen.shape(X, X > 1)) == "seq[2]"
    assert "seq[2]" in str(nt.steps(chosen, X, X > 1))
    assert repr(nt.diagram(chosen, X, X > 1)).startswith("Diagram(chosen(X, P)")
    with pytest.raises(nt.KindError, match="bool is needed"):
        chosen.shape(X, X)
