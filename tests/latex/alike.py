"""Trees that are the same but for the names of the leaves inside of steps, which LaTeX does not say."""

from namedtensor.operations.step_trees import Step
from namedtensor.primitives.node import ARGUMENT


def alike(a, b, names=None):
    """Say whether two trees are the same; `names` are those of the first one's leaves in the second."""
    names = {} if names is None else names
    pending, seen = [(a, b)], set()
    while pending:
        a, b = pair = pending.pop()
        if pair in seen:
            continue
        seen.add(pair)
        if a.operation.primitive is not b.operation.primitive:
            return False
        for place, (p, q) in enumerate(zip(a.operation.params, b.operation.params, strict=True)):
            word = place == 0 or a.operation.primitive is ARGUMENT
            if isinstance(p, Step) and isinstance(q, Step):
                if not _steps(p, q, names):
                    return False
            elif (names.get(p, p) if word else p) != q:
                return False
        if len(a.operands) != len(b.operands):
            return False
        pending += zip(a.operands, b.operands, strict=True)
    return True


def _steps(p, q, names):
    if (p.carries, p.sequences) != (q.carries, q.sequences) or len(p.results) != len(q.results):
        return False
    inner = dict(names)
    for x, y in zip(p.leaves, q.leaves, strict=True):
        inner |= zip(x.operation.params, y.operation.params, strict=True)
    return all(alike(x, y, inner) for x, y in zip(p.results, q.results, strict=True))
