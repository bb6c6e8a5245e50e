"""`A @ ax @ B` in code that no formula holds, under torch.compile."""

import functools
import operator
import subprocess
import sys
import textwrap
import types

import pytest
import torch

import namedtensor as nt
from namedtensor import axes
from namedtensor.tensor.torch_matmul import TABLE, add_row
from tests.torch_whole.test_compile import Counting

seq, emb, hid, key, val = axes("seq emb hid key val")
seq_ = seq.prime
torch_2_13 = pytest.mark.skipif(
    not torch.__version__.startswith("2.13."), reason="later versions read @ by themselves"
)


def attention(Q, K, V):
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(Q.size(key)))


def operands(n):
    Q = nt.normal(seq_[n], key[8], backend="torch")
    K = nt.normal(seq[n], key[8], backend="torch")
    V = nt.normal(seq[n], val[4], backend="torch")
    return Q, K, V


@pytest.fixture(autouse=True)
def nothing_compiled():
    torch.compiler.reset()


def test_attention_written_with_at_is_one_graph():
    backend = Counting()
    compiled = torch.compile(attention, fullgraph=True, backend=backend)
    calls = [operands(5) for _ in range(3)]
    found = [compiled(*given) for given in calls]
    for given, result in zip(calls, found, strict=True):
        nt.testing.assert_close(result, attention(*given))
    assert backend.count == 1


def test_one_graph_serves_every_length():
    backend = Counting()
    compiled = torch.compile(attention, fullgraph=True, backend=backend, dynamic=True)
    calls = [operands(n) for n in (5, 7, 11)]
    found = [compiled(*given) for given in calls]
    for given, result in zip(calls, found, strict=True):
        nt.testing.assert_close(result, attention(*given))
    assert backend.count == 1


def test_several_axes_contract_at_once():
    X, W = (
        nt.normal("seq[3] emb[4] hid[2]", backend="torch"),
        nt.normal("emb[4] hid[2] val[5]", backend="torch"),
    )

    def f(X, W):
        return W @ (emb, hid) @ X

    nt.testing.assert_close(torch.compile(f, fullgraph=True, backend="eager")(X, W), f(X, W))


def test_gradients_agree():
    given = [nt.tensor(X.data.requires_grad_(), *X.axes) for X in operands(5)]
    nt.sum[...](attention(*given)).backward()
    wanted = [X.data.grad.clone() for X in given]
    for X in given:
        X.data.grad = None
    compiled = torch.compile(attention, fullgraph=True, backend="aot_eager")
    nt.sum[...](compiled(*given)).backward()
    for X, grad in zip(given, wanted, strict=True):
        torch.testing.assert_close(X.data.grad, grad)


FRESH = """
    import dataclasses, sys
    import torch
    import namedtensor as nt
    before = list(sys.meta_path)
    A, B = nt.tensor(torch.ones(2), "emb"), nt.tensor(torch.ones(2), "emb")
    {early}
    compiled = torch.compile(lambda A, B: A @ "emb" @ B, fullgraph=True, backend="eager")
    assert sys.meta_path == before, sys.meta_path
    assert compiled(A, B).item() == 2.0
    assert not dataclasses.is_dataclass(A)
"""
BEFORE = """class Other:
        def __matmul__(self, other): return other
    torch.compile(lambda X: X @ "emb", backend="eager")(Other())"""


@pytest.mark.parametrize(
    "early",
    [
        "",
        pytest.param(BEFORE, marks=pytest.mark.long),
        pytest.param("import torch._dynamo", marks=pytest.mark.long),
        pytest.param("A @ 'emb' @ B", marks=pytest.mark.long),
    ],
)
def test_it_is_read_whatever_was_done_before(early):
    program = textwrap.dedent(FRESH.replace("{early}", early))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@torch_2_13
def test_nothing_is_added_before_a_named_tensor_is_compiled():
    program = """
        import operator, torch, torch._dynamo.variables.builtin as builtin
        import namedtensor as nt
        A = nt.tensor(torch.ones(2), "emb")
        assert operator.matmul not in builtin.BuiltinVariable._binops()
        torch.compile(lambda A: A @ "emb" @ A, backend="eager")(A)
        assert operator.matmul in builtin.BuiltinVariable._binops()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@torch_2_13
def test_torch_s_private_table_is_where_it_was():
    import torch._dynamo.variables.builtin as builtin

    assert builtin.__name__ == TABLE
    names, in_place = builtin.BuiltinVariable._binops()[operator.pow]
    assert names == ["__pow__", "__rpow__", "__ipow__"]
    assert in_place is operator.ipow
    assert hasattr(builtin.BuiltinVariable._binop_handlers, "cache_clear")
    assert isinstance(builtin.BuiltinVariable.call_function_handler_cache, dict)


PARTS = ["BuiltinVariable", "_binops", "_binop_handlers", "call_function_handler_cache"]


@pytest.mark.parametrize("gone", [*PARTS, "operator.pow"])
def test_where_the_table_has_moved_nothing_happens(gone):
    table = {} if gone == "operator.pow" else {operator.pow: ([], None)}
    before = dict(table)
    variable = types.SimpleNamespace(
        _binops=lambda: table,
        _binop_handlers=functools.cache(dict),
        call_function_handler_cache={},
    )
    module = types.SimpleNamespace(BuiltinVariable=variable)
    if gone == "BuiltinVariable":
        del module.BuiltinVariable
    elif gone != "operator.pow":
        delattr(variable, gone)
    add_row(module)
    assert table == before
