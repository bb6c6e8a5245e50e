"""A formula as it is written: calls and names are kept."""

import cProfile
import operator

import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named import named_tensors as model

seq, emb, hid = axes("seq emb hid")


def test_a_call_of_a_formula_is_kept():
    written = model.MHA.written()
    (call,) = [n for n in _nodes(written.results[0]) if n.name == "call"]
    assert call.operation.params == ("att", ("Q", "K", "V", "M"), (), 0)
    assert written.called == {"att": model.att}


def test_a_kept_call_takes_its_open_sizes_from_what_it_meets():
    @formula
    def wave(x: R):
        return nt.sin(x * nt.iota(emb))

    @formula
    def f(x: R, w: R[emb]) -> R:
        return w @ emb @ wave(x)

    (call,) = [n for n in _nodes(f.written().results[0]) if n.name == "call"]
    assert str(call.type) == "emb"
    assert [size is None for _, size in call.type.axes] == [False]
    x, w = nt.ones("seq[2]"), nt.ones("emb[3]")
    assert f(x, w).axes == ("seq",)


def test_a_run_takes_the_body_in():
    Q = nt.ones("seq'[3] key[2]")
    K, V = nt.ones("seq[3] key[2]"), nt.ones("seq[3] val[2]")
    assert "call" not in model.att.code(Q, K, V, model.M)


def test_parts_keep_the_names_of_the_body():
    written = model.MHA.written()
    assert list(written.locals) == ["M", "Q", "K", "V"]
    (call,) = [n for n in _nodes(written.results[0]) if n.name == "call"]
    assert call.operands == tuple(written.locals[name] for name in "QKVM")


def test_a_name_that_is_no_part_of_the_result_is_left_out():
    @formula
    def f(X: R[seq]) -> R[seq]:
        unused = X * 2  # noqa: F841 (what is not used is the point)
        used = X + 1
        return used * used

    assert list(f.written().locals) == ["used"]


def test_an_index_defined_part_keeps_its_name_where_it_takes_sizes():
    @formula
    def f(X: R[seq, emb]) -> R[seq, emb]:
        upper = nt.define[seq, emb](lambda i, j: nt.where(j >= i, 1.0, 0.0))
        return X * upper

    written = f.written()
    assert list(written.locals) == ["upper"]
    assert written.locals["upper"] is written.results[0].operands[1]


def test_one_name_has_one_size_among_the_arguments():
    (result,) = model.att.written().results
    nodes = [n for n in _nodes(result) if n.name == "argument"]
    sizes = {n.type.size("seq") for n in nodes if n.type.has("seq")}
    assert len(sizes) == 1


def test_a_formula_is_written_the_same_each_time():
    assert model.layer.written().results[0] is model.layer.written().results[0]


def test_settings_away_from_their_defaults_are_kept():
    @formula
    def f(X: R[emb], *, norm: model.lnorm) -> R[emb]:
        return norm(X, eps=0.5)

    assert f.written().results[0].operation.params[2] == (("eps", 0.5),)


def test_a_bundle_is_written_by_its_paths():
    calls = [n for n in _nodes(model.layer.written().results[0]) if n.name == "call"]
    call = next(n for n in calls if n.operation.params[0] == "FFN")
    assert call.operation.params[1] == ("X", "W1", "b1", "W2", "b2")
    assert [o.operation.params[0] for o in call.operands[1:]] == [
        "ffn.W1",
        "ffn.b1",
        "ffn.W2",
        "ffn.b2",
    ]


def test_a_setting_is_given_by_name():
    @formula
    def f(X: R[seq], k: int) -> R[seq]:
        return X**k

    assert f.written(k=3).results[0].operands[1].value == 3


def test_what_says_its_own_names_is_not_looked_into():
    from namedtensor.formula.written import name_part

    @formula
    def f(X: R[seq]) -> R[seq]:
        hidden = X + 1
        name_part("Y", hidden)
        return hidden * 2

    f.function.names_parts = True
    assert list(f.written().locals) == ["Y"]


@pytest.mark.parametrize("name", ["FFN", "att", "MHA", "lnorm", "embed", "layer", "output"])
def test_writing_leaves_running_alone(name):
    formula_ = getattr(model, name)
    before = len(formula_.plans)
    formula_.written()
    assert len(formula_.plans) == before


def _nodes(node):
    found, pending = {}, [node]
    while pending:
        part = pending.pop()
        if id(part) not in found:
            found[id(part)] = part
            pending += part.operands
    return list(found.values())


def test_a_profile_goes_on_while_a_formula_is_written():
    def doubled(X: R[seq]) -> R[seq]:
        Y = X * 2.0
        return nt.relu(Y)

    profile = cProfile.Profile()
    profile.enable()
    formula(doubled).latex()
    operator.index(1)
    profile.disable()
    assert any("operator.index" in str(entry.code) for entry in profile.getstats())
