"""A plan is steps held as data: they are asked, changed and, last of all, printed as the source that runs."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.plans import Plan
from namedtensor.plans.code import (
    Apply,
    Attribute,
    Code,
    Infix,
    Literal,
    Name,
    Prefix,
    Subscript,
    code_of,
    names_in,
    printed,
    replaced,
)
from namedtensor.primitives.node import operands_first

seq, emb, hid, key, val = axes("seq emb hid key val")
seq_ = seq.prime

#: Where the package lies.
ROOT = Path(nt.__file__).parents[1]

# ------------------------------------------------------------------------------------ printing

SYMBOLS = ["and", "==", "<", "|", "^", "&", "+", "-", "*", "//", "@", "**"]


def bracketed(code: Code) -> str:
    """Print an expression with brackets around every part."""
    match code:
        case Infix(symbol, (a, b)):
            return f"({bracketed(a)} {symbol} {bracketed(b)})"
        case Prefix(symbol, operand):
            return f"({symbol}{bracketed(operand)})"
        case Subscript(owner, (index,)):
            return f"({bracketed(owner)})[{bracketed(index)}]"
        case Literal(value):
            return f"({value})"
    return printed(code)


def _larger(inner: st.SearchStrategy[Code]) -> st.SearchStrategy[Code]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.builds(Infix, st.sampled_from(SYMBOLS), pairs),
        st.builds(Prefix, st.sampled_from("-~"), inner),
        st.builds(Subscript, inner, st.tuples(inner)),
    )


LEAVES = st.builds(Name, st.sampled_from("abc")) | st.builds(
    Literal, st.sampled_from([2, -1, -0.5])
)


@given(st.recursive(LEAVES, _larger, max_leaves=8))
def test_printed_code_means_what_the_data_says(code: Code) -> None:
    def tree(text: str) -> str:
        return ast.dump(ast.parse(text, mode="eval"))

    assert tree(printed(code)) == tree(bracketed(code))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (Infix("*", (Name("a"), Name("b"), Name("c"))), "a * b * c"),
        (Infix("//", (Name("b"), Infix("*", (Name("h"), Name("k"))))), "b // (h * k)"),
        (Infix("**", (Infix("**", (Name("a"), Name("b"))), Literal(-1))), "(a ** b) ** -1"),
        (Infix("**", (Literal(-2.0), Name("b"))), "(-2.0) ** b"),
        (Prefix("-", Infix("**", (Name("a"), Literal(2)))), "-a ** 2"),
        (Subscript(Infix("+", (Name("a"), Name("b"))), (Literal(0), Name("i"))), "(a + b)[0, i]"),
        (Attribute(Prefix("-", Name("a")), "shape"), "(-a).shape"),
        (Apply(Name("f"), (code_of((1, (2,), ())),), (("out", Name("x")),)), "f((1, (2,), ()), out=x)"),
        (code_of([float("inf"), -1e-05, None, True, "a b"]), "[float('inf'), -1e-05, None, True, 'a b']"),
    ],
)  # fmt: skip
def test_an_expression_is_printed_as_python_is_written(code: Code, text: str) -> None:
    assert printed(code) == text
    ast.parse(text)


def test_locals_are_found_and_replaced_everywhere() -> None:
    x, y = Name("x"), Name("y")
    code = Apply(
        Attribute(x, "f"), (Subscript(x, (y,)), code_of((x, 1))), (("out", Prefix("-", x)),)
    )
    assert names_in([code]) == ["x", "x", "y", "x", "x"]
    changed = replaced(code, {"x": Infix("+", (y, y))})
    assert printed(changed) == "(y + y).f((y + y)[y], (y + y, 1), out=-(y + y))"


# --------------------------------------------------------------------------------------- steps


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def layer(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return nt.relu(X @ emb @ W / 3.0)


def plan_of(f: nt.Formula) -> Plan:
    """Give the one plan that a formula keeps."""
    (((_, plan),),) = f.plans.values()
    return plan


def test_a_plan_tells_its_steps() -> None:
    drawn = [nt.ones(s) for s in ("seq'[5] key[2]", "seq[3] key[2]", "seq[3] val[4]")]
    att.plans.clear()
    att(*drawn)
    steps = plan_of(att).steps
    told = [(s.word, s.operands, s.axes) for s in steps if s.axes]
    assert told == [
        ("@", ("Q", "K"), ("seq'", "seq")),
        ("divide", ("dot_", "sqrt_"), ("seq'", "seq")),
        ("softmax", ("quotient",), ("seq'", "seq")),
        ("@", ("softmax_", "V"), ("seq'", "val")),
    ]
    assert [str(size) for size in steps[0].sizes] == ["seq'", "seq"]
    assert [s.node.name for s in steps] == ["dot", "sqrt", "div", "softmax", "dot"]
    assert all(s.node in operands_first(plan_of(att).nodes) for s in steps)


def test_a_step_belongs_to_the_part_whose_sizes_it_needs() -> None:
    """What a size needs is computed in the middle of a lowering, and is a part of its own."""

    @formula
    def windows(X: R[seq]) -> R[seq, emb]:
        return nt.unroll[seq, emb[2]](X[seq[1:]])

    windows(nt.ones(seq[5]))
    assert [(s.word, s.node.name) for s in plan_of(windows).steps][-1] == ("windows", "unroll")


def test_memory_is_reused_by_changing_steps() -> None:
    layer.plans.clear()
    layer(nt.ones("seq[2] emb[3]"), W=nt.ones("emb[3] hid[4]"))
    steps = plan_of(layer).steps
    assert [s.word for s in steps] == ["@", "divide", "relu"]
    assert [dict(s.code.named) for s in steps[1:]] == [{"out": Name(s.name)} for s in steps[:2]]


def test_nothing_reads_printed_source() -> None:
    rooms = ["primitives", "plans", "operations", "formula/rewrite"]
    files = [file for room in rooms for file in (ROOT / "namedtensor" / room).glob("*.py")]
    assert len(files) > 40
    for file in files:
        imported = {
            alias.name
            for part in ast.walk(ast.parse(file.read_text()))
            if isinstance(part, ast.Import)
            for alias in part.names
        }
        assert not imported & {"ast", "tokenize"}, file
