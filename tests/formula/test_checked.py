"""Positional functions and torch modules, checked by the names of their axes."""

import copy
import pickle
import threading

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.errors.check import check


@nt.checked("batch seq emb, emb hid -> batch seq hid")
def project(x, w, scale=1.0):
    return x @ w * scale


@nt.checked("batch emb -> batch hid")
class Net(torch.nn.Module):
    def __init__(self, wide=5):
        super().__init__()
        self.inner = torch.nn.Linear(3, wide)

    def forward(self, x):
        return self.inner(x)


LIBRARIES = [np.ones, torch.ones]


@pytest.mark.parametrize("ones", LIBRARIES)
def test_what_fits_passes_and_keeps_its_value(ones):
    found = project(ones((2, 3, 4)), ones((4, 5)), scale=2.0)
    assert found.shape == (2, 3, 5)
    assert float(found[0, 0, 0]) == 8.0
    assert project(x=ones((2, 3, 4)), w=ones((4, 5))).shape == (2, 3, 5)


@pytest.mark.parametrize("ones", LIBRARIES)
def test_one_name_is_one_size(ones):
    check(
        lambda: project(ones((2, 3, 4)), ones((6, 5))),
        nt.AxisSizeError,
        """
project(x, w): axis emb is 4 in x and 6 in w
  x : batch[2] seq[3] emb[4]
  w : emb[6] hid[5]
hint: pass tensors of one size, or give the axis of w its own name in the pattern: emb'
""".strip(),
    )


def test_the_count_of_axes_is_held():
    check(
        lambda: project(np.ones((2, 4)), np.ones((4, 5))),
        nt.AxisMissingError,
        """
project(x, w): x has 2 axes, and the pattern says batch seq emb
  x : sizes (2, 4)
  w : emb[4] hid[5]
hint: name each axis of it, in its order
""".strip(),
    )


def test_what_is_no_array_is_named():
    check(
        lambda: project([1.0], np.ones((4, 5))),
        nt.BackendError,
        """
project(x, w): x is a list, and the pattern says batch seq emb
  w : emb[4] hid[5]
hint: pass an array or a tensor
""".strip(),
    )


def test_results_are_held_too():
    @nt.checked("seq emb -> emb")
    def wrong(x):
        return x.sum(1)

    check(
        lambda: wrong(np.ones((2, 3))),
        nt.AxisSizeError,
        """
wrong(x): axis emb is 3 in x and 2 in the result
  x          : seq[2] emb[3]
  the result : emb[2]
hint: pass tensors of one size, or give the axis of the result its own name in the pattern: emb'
""".strip(),
    )

    @nt.checked("seq emb -> seq, emb")
    def both(x):
        return x.sum(1), x.sum(0)

    assert [r.shape for r in both(np.ones((2, 3)))] == [(2,), (3,)]

    @nt.checked("seq emb -> seq, emb")
    def one(x):
        return x.sum(1)

    check(
        lambda: one(np.ones((2, 3))),
        nt.AxisNameError,
        """
one(x): it gave one result, and the pattern names 2
hint: one group of axes for each result, with commas between
""".strip(),
    )


def test_a_name_means_one_size_in_the_calls_that_a_call_makes():
    @nt.checked("batch hid -> batch hid")
    def inner(y):
        return y

    @nt.checked("batch seq emb -> batch emb")
    def outer(x, cut=False):
        return inner(x.sum(1)[: 1 if cut else None])

    assert outer(np.ones((2, 3, 4))).shape == (2, 4)
    check(
        lambda: outer(np.ones((2, 3, 4)), cut=True),
        nt.AxisSizeError,
        """
inner(y): axis batch is 2 in x and 1 in y
  y : batch[1] hid[4]
hint: pass tensors of one size, or give the axis of y its own name in the pattern: batch'
""".strip(),
    )
    assert inner(np.ones((7, 4))).shape == (7, 4)


def test_what_an_inner_call_names_ends_with_it():
    @nt.checked("row col -> col row")
    def turned(x):
        return x.T

    @nt.checked("batch emb -> batch emb")
    def outer(x):
        return turned(turned(x))

    assert outer(np.ones((2, 3))).shape == (2, 3)


def test_sizes_may_be_stated_and_names_repeated():
    @nt.checked("row[3] row, -> ")
    def trace(x, scale):
        return float(np.trace(x)) * scale

    assert trace(np.eye(3), 2.0) == 6.0
    with pytest.raises(nt.AxisSizeError, match="axis row is 3 in the pattern and 2 in x"):
        trace(np.eye(2), 2.0)
    with pytest.raises(nt.AxisSizeError, match="axis row is 3 in the pattern and 4 in x"):
        trace(np.ones((3, 4)), 2.0)


def test_an_argument_that_may_be_none_may_be_none():
    @nt.checked("seq, seq -> seq")
    def masked(x, mask=None):
        return x if mask is None else x * mask

    assert masked(np.ones(3)).shape == masked(np.ones(3), None).shape == (3,)
    with pytest.raises(nt.AxisSizeError):
        masked(np.ones(3), np.ones(4))
    with pytest.raises(nt.BackendError, match="x is None"):
        masked(None)


def test_a_class_of_modules_is_checked():
    assert Net()(torch.ones(2, 3)).shape == (2, 5)
    with pytest.raises(nt.AxisMissingError, match="Net\\(x\\): x has 3 axes"):
        Net()(torch.ones(2, 2, 3))
    again = pickle.loads(pickle.dumps(Net()))
    with pytest.raises(nt.AxisMissingError):
        again(torch.ones(3))


def test_a_module_that_is_there_is_checked_and_so_are_its_copies():
    plain = torch.nn.Linear(3, 5)
    module = nt.checked("batch emb -> batch hid")(plain)
    assert module is plain
    assert set(module.state_dict()) == {"weight", "bias"}
    for one in (module, copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert one(torch.ones(2, 3)).shape == (2, 5)
        with pytest.raises(nt.AxisMissingError, match="Linear\\(input\\): input has 1 axis"):
            one(torch.ones(3))
    other = copy.deepcopy(module)
    torch.nn.init.zeros_(other.weight)
    torch.nn.init.zeros_(other.bias)
    assert other(torch.ones(2, 3)).abs().sum() == 0


def test_methods_are_checked():
    class Model:
        @nt.checked("seq -> seq")
        def run(self, x):
            return x * 2

    assert Model().run(np.ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(nt.AxisMissingError, match="run\\(x\\)"):
        Model().run(np.ones((3, 3)))


def test_checks_are_turned_off_and_on():
    wrong = np.ones((4, 4)), np.ones((4, 5))
    with nt.checks(False):
        assert project(*wrong).shape == (4, 5)
        with nt.checks(True), pytest.raises(nt.AxisMissingError):
            project(*wrong)
        assert project(*wrong).shape == (4, 5)
    with pytest.raises(nt.AxisMissingError):
        project(*wrong)
    nt.checks(False)
    try:
        assert project(*wrong).shape == (4, 5)
    finally:
        nt.checks(True)


def test_an_error_in_the_function_leaves_no_names_behind():
    @nt.checked("seq")
    def fails(x):
        raise ZeroDivisionError

    for n in (2, 3):
        with pytest.raises(ZeroDivisionError):
            fails(np.ones(n))
    assert project(np.ones((1, 5, 4)), np.ones((4, 5))).shape == (1, 5, 5)


def test_threads_bind_their_own_names():
    started, found = threading.Barrier(2), []

    @nt.checked("seq -> seq")
    def meets(x):
        started.wait(5)
        return inner(x)

    @nt.checked("seq -> seq")
    def inner(x):
        return x

    threads = [threading.Thread(target=lambda n=n: found.append(meets(np.ones(n)))) for n in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(x) for x in found) == [2, 3]


def test_annotations_of_others_and_signatures_are_left_alone():
    assert project.__name__ == "project"
    assert list(project.__wrapped__.__code__.co_varnames) == ["x", "w", "scale"]
    assert pickle.loads(pickle.dumps(project)) is project


def test_what_is_checked_runs_compiled():
    compiled = torch.compile(project, backend="eager", fullgraph=True)
    assert compiled(torch.ones(2, 3, 4), torch.ones(4, 5)).shape == (2, 3, 5)
    net = torch.compile(
        nt.checked("batch emb -> batch emb")(Net(3)), backend="eager", fullgraph=True
    )
    assert net(torch.ones(2, 3)).shape == (2, 3)
    with pytest.raises(nt.AxisSizeError, match="axis emb is 4 in x and 6 in w"):
        torch.compile(project, backend="eager")(torch.ones(2, 3, 4), torch.ones(6, 5))


def test_gradients_and_vmap_pass():
    x = torch.ones(2, 3, 4, requires_grad=True)
    project(x, torch.ones(4, 5)).sum().backward()
    assert x.grad.shape == x.shape
    found = torch.vmap(project, in_dims=(0, None))(torch.ones(7, 2, 3, 4), torch.ones(4, 5))
    assert found.shape == (7, 2, 3, 5)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nt.checked(3), nt.AxisNameError, "a pattern is a string, and this is an int"),
        (
            lambda: nt.checked("seq[2], seq[3]"),
            nt.AxisSizeError,
            "axis seq is 2 and 3 in the pattern",
        ),
        (
            lambda: nt.checked("seq")(3),
            nt.KindError,
            "this is an int, and functions and torch modules",
        ),
        (lambda: nt.checked("2x -> y"), nt.AxisNameError, "cannot read axes"),
    ],
)
def test_patterns_and_what_is_decorated_are_held(make, error, text):
    with pytest.raises(error, match=text.replace("[", "\\[")):
        make()


def test_more_groups_than_arguments_are_refused_where_the_function_is_defined():
    def alone(x):
        return x

    check(
        lambda: nt.checked("seq emb, emb hid -> seq hid")(alone),
        nt.AxisNameError,
        """
checked('seq emb, emb hid -> seq hid'): the pattern has axes for 2 arguments, and alone(x) takes 1
hint: give one group of axes for each argument, with commas between
""".strip(),
    )
    assert nt.checked("-> seq")(lambda: np.ones(2))().shape == (2,)
    assert nt.checked("seq, seq -> seq")(lambda *x: x[0])(np.ones(2), np.ones(2)).shape == (2,)
