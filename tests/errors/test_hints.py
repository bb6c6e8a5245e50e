"""A hint is a promise: typed as it stands it parses, every name in it exists, and the fault is gone.

A hint's code stands between backticks. It is typed in the place of what the carets mark; code that begins
with a name and a bracket may stand in that name's place, code that goes on where a half product ends in the place
of the half, and a method's arguments go with it. Of several, one gives what the author meant.
"""

import ast
import linecache
import re

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.mistakes import MISTAKES, Mistake

SIZES = {"seq": 5, "seq'": 3, "emb": 4, "emb'": 4, "hid": 6, "key": 7, "val": 2, "batch": 8}
SIZES |= {"chans": 3, "height": 5, "width": 9, "out": 4, "vocab": 10}
NAMES = {name: axes(name) for name in SIZES if name.isidentifier()}
NAMES |= {"seq_": axes("seq'"), "emb_": axes("emb'"), "nt": nt}


def declared(mistake):
    found = {}
    for part in mistake.given.split(", "):
        name, _, names = part.partition(": ")
        found[name] = axes(names) if " " in names else (axes(names),)
    return found


def arguments(mistake):
    generator = np.random.default_rng(0)
    return {
        name: nt.tensor(
            generator.uniform(0.5, 1.5, [a.size or SIZES[a.name] for a in own]),
            *[a.name for a in own],
        )
        for name, own in declared(mistake).items()
    }


def source_of(mistake, body):
    lines = body.split("\n")
    lines[-1] = lines[-1] if lines[-1].startswith("return ") else f"return {lines[-1]}"
    names = {n: " ".join(a.name for a in own) for n, own in declared(mistake).items()}
    given = ", ".join([f'{name}: R["{own}"]' for name, own in names.items()])
    result = f' -> R["{mistake.result}"]' if mistake.result else ""
    return f"def f({given}){result}:\n" + "".join([f"    {line}\n" for line in lines])


def run(mistake, body):
    """Run a body as a formula that stands in a file."""
    source = source_of(mistake, body)
    file = f"<mistake {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {**NAMES, "R": R, "__name__": "notes"}
    exec(compile(source, file, "exec"), scope)
    if not mistake.result:
        scope["f"].__annotations__.pop("return", None)
    return formula(scope["f"])(**arguments(mistake))


def codes(hint):
    """Give the code of a hint: what stands between backticks."""
    return re.findall(r"`([^`]+)`", hint)


def typed(mistake, error):
    """Type each code of a hint where it may stand, and give the bodies that come out."""
    marked = error.places[0][1].text if error.places else mistake.wrong
    for code in codes(error.hint):
        yield mistake.wrong.replace(marked, code, 1)
        yield re.sub(re.escape(marked) + r"\([^()]*\)", lambda _, code=code: code, mistake.wrong)
        yield mistake.wrong.replace(code.rpartition(" @ ")[0] or marked, code, 1)
        head = re.match(r"(\w+)\[", code)
        if head:
            yield re.sub(rf"\b{head[1]}\b", lambda _, code=code: code, mistake.wrong, count=1)
            yield re.sub(rf"(.*)\b{head[1]}\b", rf"\g<1>{code}", mistake.wrong, count=1, flags=re.S)


def names_in(code):
    return {part.id for part in ast.walk(ast.parse(code)) if isinstance(part, ast.Name)}


def fault_of(mistake):
    with pytest.raises(nt.NamedTensorError) as caught:
        run(mistake, mistake.wrong)
    return caught.value


def cured(mistake, error):
    """Say whether one of the bodies that the hint leads to gives the right result."""
    right = run(mistake, mistake.right)
    for body in typed(mistake, error):
        try:
            nt.testing.assert_close(run(mistake, body), right)
        except (nt.NamedTensorError, AssertionError, SyntaxError, NameError, TypeError):
            continue
        return True
    return False


def test_there_are_eighty_mistakes():
    assert len({m.what for m in MISTAKES}) == len(MISTAKES) >= 80
    assert len({(m.given, m.wrong, m.result) for m in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.what)
def test_a_hint_typed_as_it_stands_cures_the_fault(mistake):
    error = fault_of(mistake)
    known = {*NAMES, *declared(mistake), *re.findall(r"(\w+) = ", mistake.wrong)}
    assert codes(error.hint), f"no code in the hint: {error.hint}"
    for code in codes(error.hint):
        assert names_in(code) <= known
    assert cured(mistake, error), str(error)


def test_a_hint_that_does_not_cure_is_seen():
    mistake = Mistake("", "X: seq emb, W: emb hid", "X @ hid @ W", "X @ emb @ W")
    error = fault_of(mistake)
    error.hint = "`X @ seq @ W`"
    assert not cured(mistake, error)
    error.hint = "`X @ emb @ W`"
    assert cured(mistake, error)
