"""What a module is given is used, or refused: bundles, initial values, axes, state dicts."""

import copy
import io
import warnings
from collections.abc import Callable
from typing import Optional, Union

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.nn import module
from tests.errors.check import case, check

emb, hid, seq = axes("emb hid seq")


@formula
def lin(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def biased(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def turned(X: R[emb], *, W: R[hid, emb]) -> R[hid]:
    return W @ emb @ X


@formula
def model(X: R[emb], *, a: lin) -> R[hid]:
    return nt.relu(a(X))


X = nt.tensor(torch.arange(4.0), emb)


# ---------------------------------------------------------------------------------------- bundles


def replaced():
    m = model.module(emb[4], hid[3])
    m.a = biased.module(emb[4], hid[3])


def passed():
    model(X, a=biased.module(emb[4], hid[3]))


def listed():
    @formula
    def stack(X: R[emb], *, layers: list[lin]) -> R[emb]:
        return X

    return stack


def declared(note):
    def given(X, *, W):
        return X

    given.__annotations__ = {"X": R[emb], "W": note}
    return lambda: formula(given)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (R[emb] | None, "W: R[emb]"),
        (nt.State[R[emb]] | None, "W: State[R[emb]]"),
        (Optional[nt.State[R[emb]]], "W: State[R[emb]]"),  # noqa: UP045
        (Union[R, float], "W: R"),  # noqa: UP007
        (Callable[[R[emb]], R[emb]], "W"),
        (dict[str, int], "W"),
        (type(lin), "W"),
        (module.FormulaModule, "W"),
    ],
)
def test_what_may_be_left_out_is_declared_and_functions_are_settings(note, said):
    assert repr(declared(note)()) == f"given(X: R[emb]; {said})"


def test_a_bundle_that_may_be_left_out_is_written_as_types_are():
    for note in (lin | None, Optional[lin], nt.one[lin] | None):  # noqa: UP045
        f = declared(note)()
        assert f.signature["W"].bundle is lin


@formula
def loose(X: R[emb], *, net: torch.nn.Module = None) -> R[emb]:
    return X if net is None else nt.lift(net, "emb -> emb")(X)


@formula
def without_star(X: R[emb], W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def forgetful(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    nt.update(m=X)
    return X - m


@formula
def half(X: R[emb], *, a: lin, B: R[seq]) -> R[hid, seq]:
    return a(X) * B


def test_a_formula_without_parameters_is_a_module():
    assert not list(without_star.module().parameters())
    assert loose.module(net=torch.nn.ReLU())(X).shape == X.shape


CASES = [
    case(
        "a torch module for a setting",
        lambda: loose.module(net=torch.nn.Linear(4, 4)),
        nt.BackendError,
        """
loose.module(...): net is a setting, and given a Linear whose parameters the module would not hold
hint: declare it after the *: net: nt.lift["seq -> seq"], and give it: loose.module(..., net=net)
""",
    ),
    case(
        "a formula's module for a setting, in a list",
        lambda: loose.module(net=[lin.module(emb[4], hid[3])]),
        nt.BackendError,
        """
loose.module(...): net is a setting, and given a FormulaModule whose parameters the module would not hold
hint: declare it after the *: net: lin
""",
    ),
    case(
        "sizes of parameters that stand before the star",
        lambda: without_star.module(emb[4], hid[3]),
        nt.AxisNameError,
        """
without_star.module(emb[4], hid[3]): without_star has no parameters, and nothing takes these sizes
  X : R[emb]
  W : R[emb, hid]
  b : R[hid]
hint: parameters stand after a star: def without_star(X: R[emb], *, W: R[emb, hid], b: R[hid]); without any: \
without_star.module()
""",
    ),
    case(
        "an update that is not returned",
        lambda: forgetful.module(emb[4])(X),
        nt.NamedTensorError,
        """
forgetful(X, m): the body makes an update of its states, and does not return it
  X : emb[4]   declared R[emb]
  m : emb[4]   declared R[emb]
hint: return Y, nt.update(...): the update stands last
""",
    ),
    case(
        "a tensor that is no parameter",
        lambda: setattr(lin.module(emb[4], hid[3]), "W", torch.zeros(4, 3)),
        nt.KindError,
        """
lin.module(...).W = X: X is a Tensor, and W is stored as a Parameter of torch
  W : R[emb, hid]
hint: model.W = torch.nn.Parameter(X)
""",
    ),
    case(
        "a number for a parameter",
        lambda: setattr(lin.module(emb[4], hid[3]), "W", 3),
        nt.KindError,
        """
lin.module(...).W = X: X is an int, and W is stored as a tensor of torch
  W : R[emb, hid]
hint: torch.nn.init.constant_(model.W, 3)
""",
    ),
    case(
        "a plain state dict of other sizes",
        lambda: lin.module(emb[4], hid[3]).load_state_dict({"W": torch.zeros(3, 4)}),
        nt.AxisSizeError,
        """
lin.module(...).load_state_dict(...): axis emb is 3 in W of the state dict and 4 in the module
  W : emb[4] hid[3]
hint: make the module with emb[3]
""",
    ),
    case(
        "a plain state dict of other axes",
        lambda: lin.module(emb[4], hid[3]).load_state_dict({"W": torch.zeros(3)}),
        nt.AxisNameError,
        """
lin.module(...).load_state_dict(...): W of the state dict has sizes (3,), and W is declared R[emb, hid]
  W : emb[4] hid[3]
hint: give a tensor of sizes (4, 3)
""",
    ),
    case(
        "a state dict of arrays",
        lambda: lin.module(emb[4], hid[3]).load_state_dict({"W": np.zeros((4, 3))}),
        nt.KindError,
        """
lin.module(...).load_state_dict(...): W of the state dict is an ndarray, and no tensor
  W : R[emb, hid]
hint: state["W"] = torch.as_tensor(state["W"])
""",
    ),
    case(
        "a bundle without a size, beside sizes that it does not declare",
        lambda: half.module(hid[3], seq[2]),
        nt.AxisSizeError,
        """
lin.module(...): axis emb of the parameter W has no size
  W : R[emb, hid]
hint: lin.module(emb[512], hid[3])
""",
    ),
    case(
        "a bundle that is another formula's module",
        replaced,
        nt.BackendError,
        """
model.module(...).a = biased.module(...): a holds the parameters of lin, and biased has others
hint: declare it so, a: biased, or give it lin.module(...)
""",
    ),
    case(
        "an argument that is another formula's module",
        passed,
        nt.BackendError,
        """
a: lin: a is a module of biased, which has other parameters
hint: lin.module(...), or a dict with W
""",
    ),
    case(
        "a list of bundles",
        listed,
        nt.AxisNameError,
        """
@formula stack: layers: list[lin] is no bundle, and a setting has no parameters
hint: name each of them: layers1: lin, layers2: lin
""",
    ),
    case(
        "a list of tensors",
        declared(list[R[emb]]),
        nt.AxisNameError,
        """
@formula given: W: list[R[emb]] is no space, and a setting has no axes
hint: name each of them: W1: R[emb], W2: R[emb]
""",
    ),
    case(
        "bundles within a dict",
        declared(dict[str, list[nt.one[lin]]]),
        nt.AxisNameError,
        """
@formula given: W: dict[str, list[one[lin]]] is no bundle, and a setting has no parameters
hint: name each of them: W1: lin, W2: lin
""",
    ),
    case(
        "axes without their space",
        declared((emb, hid)),
        nt.AxisNameError,
        """
@formula given: W: emb, hid is no space, and a setting has no axes
hint: W: R[emb, hid]
""",
    ),
    case(
        "a module for its formula",
        declared(lin.module("emb[4] hid[3]")),
        nt.AxisNameError,
        """
@formula given: W: lin.module(...) is no bundle, and a setting has no parameters
hint: W: lin
""",
    ),
    case(
        "an initial value that is nothing",
        lambda: lin.module(emb[4], hid[3], init={"W": lambda W: None}),
        nt.KindError,
        """
lin.module(...): init['W'] gave nothing, and has not filled the tensor that it is given
hint: fill it in place, init={'W': torch.nn.init.zeros_}, or give its numbers
""",
    ),
    case(
        "a misspelt axis",
        lambda: lin.module("emb[8] hid[8] hdi[4]"),
        nt.AxisNameError,
        """
lin.module(emb[8], hid[8], hdi[4]): lin declares no axis hdi
hint: did you mean hid?
""",
    ),
    case(
        "an axis of another formula",
        lambda: lin.module("emb[8] hid[8] vocab[4]"),
        nt.AxisNameError,
        """
lin.module(emb[8], hid[8], vocab[4]): lin declares no axis vocab
hint: leave it out; lin has emb, hid
""",
    ),
    case(
        "initial values that are no numbers",
        lambda: lin.module(emb[4], hid[3], init={"W": lambda W: "zeros"}),
        nt.KindError,
        """
lin.module(...): init['W'] gave a str, and W is filled with numbers
hint: fill the tensor that it is given, or give one of its shape
""",
    ),
    case(
        "initial values with other axes",
        lambda: lin.module(emb[4], hid[3], init={"W": lambda W: nt.ones("emb[4] seq[3]")}),
        nt.AxisMissingError,
        """
lin.module(...): init['W'] gave emb[4] seq[3], and W has emb[4] hid[3]
hint: fill the tensor that it is given, or give one of its shape
""",
    ),
    case(
        "initial values of another size",
        lambda: lin.module(emb[4], hid[3], init={"W": lambda W: np.ones((4, 2))}),
        nt.AxisSizeError,
        """
lin.module(...): init['W'] gave sizes (4, 2), and W has (4, 3)
hint: fill the tensor that it is given, or give one of its shape
""",
    ),
    case(
        "a state of other axes",
        lambda: turned.module(emb[4], hid[4]).load_state_dict(
            wide.module(emb[4], seq[4]).state_dict()
        ),
        nt.AxisMissingError,
        """
turned.module(...).load_state_dict(...): W is stored over emb, seq, and declared R[hid, emb]
hint: rename what is stored: nt.tensor(state["W"], "emb seq")["seq -> hid"].torch("hid emb")
""",
    ),
]


@formula
def wide(X: R[emb], *, W: R[emb, seq]) -> R[seq]:
    return W @ emb @ X


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_a_refused_bundle_changes_nothing():
    m = model.module(emb[4], hid[3])
    before = m.a
    with pytest.raises(nt.BackendError):
        m.a = biased.module(emb[4], hid[3])
    assert m.a is before
    m.a = lin.module(emb[4], hid[3])
    assert torch.equal(m(X).torch(hid), model(X, a=m.a).torch(hid))


@pytest.mark.parametrize(
    "sizes", ["emb[5] hid[3]", "hid[9]"], ids=["beside a size that fits", "alone"]
)
def test_a_size_that_no_parameter_takes_is_refused(sizes):
    made = lin.module(emb[4], hid[3])
    with pytest.raises(
        nt.AxisSizeError,
        match=r"in a\.W, and no parameter takes [59]\n  a\.W : emb\[4\] hid\[3\]\nhint: leave",
    ):
        model.module(sizes, a=made)
    assert model.module(emb[4], hid[3], a=made).a is made


def test_a_size_fits_where_one_of_the_parameters_has_it():
    @formula
    def both(X: R[emb], *, a: lin, b: lin) -> R[hid]:
        return a(X) + b(X)

    found = both.module(emb[4], hid[3], a=lin.module(emb[7], hid[3]))
    assert (found.a.W.shape, found.b.W.shape) == ((7, 3), (4, 3))


def test_a_declared_size_is_kept():
    @formula
    def fixed(X: R[emb[4]], *, W: R[emb[4], hid]) -> R[hid]:
        return W @ emb @ X

    with pytest.raises(nt.AxisSizeError, match="axis emb is 4 in W, and no parameter takes 5"):
        fixed.module(emb[5], hid[3])


def test_axes_of_arguments_and_results_may_be_named_too():
    @formula
    def over(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, hid]:
        return W @ emb @ X

    assert over.module(seq[5], emb[4], hid[3]).W.shape == (4, 3)


# ----------------------------------------------------------------------------------------- init=


@pytest.mark.parametrize(
    "fill",
    [
        lambda W: nt.tensor(np.arange(12.0).reshape(3, 4), hid, emb),
        lambda W: nt.tensor(torch.arange(12.0).reshape(3, 4), hid, emb),
        lambda W: np.arange(12.0).reshape(3, 4).T,
        lambda W: torch.arange(12.0).reshape(3, 4).T,
        lambda W: W.copy_(torch.arange(12.0).reshape(3, 4).T),
        lambda W: setattr(W, "data", torch.arange(12.0).reshape(3, 4).T),
        lambda W: np.arange(12.0).reshape(3, 4).T.tolist(),
    ],
)
def test_what_an_initialiser_gives_is_taken(fill):
    made = lin.module(emb[4], hid[3], init={"W": fill})
    assert made.W.detach().tolist() == np.arange(12.0).reshape(3, 4).T.tolist()


def test_an_initialiser_may_give_one_number():
    made = lin.module(emb[4], hid[3], init={"W": lambda W: 0.5})
    assert (made.W == 0.5).all()


# ------------------------------------------------------------------------------------ state dicts


def stored(module):
    """Write a state dict to a file's bytes and read it again, as a checkpoint does."""
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("way", [stored, lambda module: module.state_dict(), copy.deepcopy])
def test_a_square_weight_is_loaded_by_its_names(way):
    old, new = lin.module(emb[4], hid[4]), turned.module(emb[4], hid[4])
    state = way(old)
    new.load_state_dict(state if isinstance(state, dict) else state.state_dict())
    assert torch.equal(new.W, old.W.T)
    # the matrices are stored in other orders, and libraries add up in another order for each
    torch.testing.assert_close(new(X).torch(hid), old(X).torch(hid))


def test_axes_are_known_inside_bundles_and_other_modules():
    @formula
    def over(X: R[emb], *, a: turned) -> R[hid]:
        return a(X)

    @formula
    def under(X: R[emb], *, a: lin) -> R[hid]:
        return a(X)

    old = torch.nn.Sequential(under.module(emb[4], hid[4]))
    new = torch.nn.Sequential(over.module(emb[4], hid[4]))
    new.load_state_dict(stored(old))
    assert torch.equal(new[0].a.W, old[0].a.W.T)


def test_a_plain_state_dict_is_taken_in_declared_order_and_says_so_once(monkeypatch):
    monkeypatch.setattr(module, "_said", set())
    new = turned.module(emb[4], hid[4])
    plain = {"W": torch.arange(16.0).reshape(4, 4)}
    with pytest.warns(UserWarning, match="names no axes") as told:
        new.load_state_dict(plain)
    assert str(told[0].message) == (
        "the state dict names no axes: W, of sizes (4, 4), is taken in declared order, R[hid, emb]. A dict "
        "made of a state dict has lost them: copy.deepcopy(state) keeps them, and named tensors are read by "
        "their names"
    )
    assert torch.equal(new.W, plain["W"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new.load_state_dict(plain)
    with pytest.warns(
        UserWarning, match="names no axes"
    ):  # another formula's parameters are other ones
        lin.module(emb[4], hid[4]).load_state_dict(plain)


def test_the_cures_of_a_plain_state_dict_keep_the_axes():
    old, new = lin.module(emb[4], hid[4]), turned.module(emb[4], hid[4])
    new.load_state_dict(copy.deepcopy(old.state_dict()))
    assert torch.equal(new.W, old.W.T)
    new.load_state_dict({"W": nt.tensor(2 * old.W.detach(), emb, hid)})
    assert torch.equal(new.W, 2 * old.W.T)


def test_a_plain_state_dict_whose_sizes_differ_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        turned.module(emb[4], hid[3]).load_state_dict({"W": torch.zeros(3, 4)})


# ------------------------------------------------------------------- what a held module is not asked


@formula
def dropped(X: R[emb], *, W: R[emb, hid], drop: float = 0.0) -> R[hid]:
    return nt.dropout(W @ emb @ X, drop)


@formula
def several(X: R[emb], *, parts: nt.each[dropped]) -> R[hid]:
    found = parts[0](X)
    for part in parts[1:]:
        found = found + part(X)
    return found


HOOKS = {
    "register_forward_hook": lambda part: part.register_forward_hook(lambda m, i, o: o * 0),
    "register_forward_pre_hook": lambda part: part.register_forward_pre_hook(lambda m, i: None),
    "register_full_backward_hook": lambda part: part.register_full_backward_hook(
        lambda m, i, o: None
    ),
    "register_full_backward_pre_hook": lambda part: part.register_full_backward_pre_hook(
        lambda m, o: None
    ),
    "forward": lambda part: setattr(part, "forward", lambda X: X * 0),
}


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_of_a_module_that_is_held_says_that_it_does_not_run_there(name):
    whole = several.module(emb[4], hid[3], parts=2)
    with pytest.warns(UserWarning, match=rf"dropped.*{name}.*several holds this module"):
        HOOKS[name](whole.parts[1])


def test_a_hook_of_a_layer_that_came_later_says_so_too():
    whole = several.module(emb[4], hid[3], parts=2)
    whole.parts.append(dropped.module(emb[4], hid[3]))
    whole(X)
    with pytest.warns(UserWarning, match="several holds this module"):
        HOOKS["register_forward_hook"](whole.parts[2])


def test_a_backward_hook_says_that_torch_never_calls_it_for_named_results():
    part = dropped.module(emb[4], hid[3])
    for name in ("register_full_backward_hook", "register_full_backward_pre_hook"):
        with pytest.warns(UserWarning, match="it never runs"):
            HOOKS[name](part)


@pytest.mark.parametrize("name", [name for name in HOOKS if name != "forward"])
@pytest.mark.filterwarnings("ignore:.*it never runs")
def test_a_module_with_a_hook_that_comes_to_be_held_says_so(name):
    part = dropped.module(emb[4], hid[3])
    HOOKS[name](part)
    with pytest.warns(UserWarning, match=rf"{name}.*several holds this module"):
        several.module(parts=[part])


def test_a_hook_of_the_module_that_is_called_runs_without_a_word():
    whole = several.module(emb[4], hid[3], parts=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole.register_forward_hook(lambda m, i, o: o * 0)
    assert not whole(X).torch(hid).any()


def test_a_setting_that_is_assigned_to_a_layer_counts():
    whole = several.module(emb[4], hid[3], parts=2)
    whole(X)
    for part in whole.parts:
        part.drop = 1.0
    assert whole.parts[0].drop == 1.0
    assert not whole(X).torch(hid).any()
    whole.eval()
    assert whole(X).torch(hid).any()
    alone = dropped.module(emb[4], hid[3])
    alone.drop = 1.0
    assert not alone(X).torch(hid).any()
    assert not copy.deepcopy(alone)(X).torch(hid).any()
