"""States of formulas, updated wrongly or where nothing can keep them."""

import numpy as np
import pytest
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, Z, formula
from tests.errors.check import case, check
from tests.errors.operands import emb, seq

x = nt.tensor(np.arange(4.0), emb)
X = nt.tensor(np.arange(12.0).reshape(3, 4), seq, emb)


@formula
def ema(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    new = 0.5 * m + 0.5 * X
    return X - new, nt.update(m=new)


@formula
def count(X: R[emb], *, seen: nt.State[Z]) -> R[emb]:
    return X, nt.update(seen=seen + 1)


@formula
def calls(X: R[emb], *, m: R[emb]) -> R[emb]:
    return ema(X, m=m)


@formula
def steps(X: R[seq, emb], h: R[emb], *, norm: ema) -> R[seq, emb]:
    return nt.scan[seq](lambda h, x: norm(h) + x, h, X)


def updating(**updates):
    """Run a body that updates its states, or other names, with what is made of its argument."""

    @formula
    def body(
        X: R[emb], *, mean: nt.State[R[emb]], seen: nt.State[Z], scale: nt.State[R[emb]] = None
    ) -> R[emb]:
        return X, nt.update(**{name: make(X) for name, make in updates.items()})

    return lambda: body(x, mean=x, seen=nt.tensor(0))


def stateless():
    @formula
    def body(X: R[emb]) -> R[emb]:
        return X, nt.update(mean=X)

    return body(x)


def run_again_after_its_update():
    module = ema.module(emb[4])
    Y = checkpoint(
        lambda x: module(nt.tensor(x, emb)).data ** 2,
        torch.ones(4, requires_grad=True),
        use_reentrant=False,
    )
    Y.sum().backward()


def one_state_for_many():
    module = ema.module(emb[4])
    return torch.vmap(lambda x: module(nt.tensor(x, emb)).data)(torch.ones(3, 4))


@formula
def noisy(X: R[emb], *, W: R[emb]) -> R[emb]:
    return X * W + nt.normal(emb)


def noise_for_many_that_are_not_told_how_to_draw():
    module = noisy.module(emb[4])
    return torch.vmap(lambda x: module(nt.tensor(x, emb)).data)(torch.ones(3, 4))


@formula
def sized(X: R[emb]) -> R[emb, seq]:
    return X + nt.normal(seq[5])


def noise_of_a_known_size_for_many():
    return torch.vmap(lambda x: sized(nt.tensor(x, emb)).data)(torch.ones(3, 4))


def closes_over_a_counting_module():
    norm = count.module()

    @formula
    def body(X: R[emb]) -> R[emb]:
        return norm(X)

    return body(x.to("torch"))


CASES = [
    case(
        "an update of no state, with one of a similar name",
        updating(man=lambda X: X),
        nt.AxisNameError,
        """
body(X, mean, seen): the body updates man, and body has no state of that name
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: did you mean mean?
""",
    ),
    case(
        "an update of another size",
        updating(mean=lambda X: X[emb[:3]]),
        nt.AxisSizeError,
        """
body(X, mean, seen): the update of mean has emb[3], and mean has emb[4]
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: a state keeps its sizes: leave records out, or pad them, until they are 4
""",
    ),
    case(
        "an update of no state",
        updating(other=lambda X: X),
        nt.AxisNameError,
        """
body(X, mean, seen): the body updates other, and body has no state of that name
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: its states are mean, seen, scale
""",
    ),
    case(
        "an update in a body without states",
        stateless,
        nt.AxisNameError,
        """
body(X): the body updates mean, and body has no state of that name
  X : emb[4]   declared R[emb]
hint: declare it after the *: mean: nt.State[R[...]]
""",
    ),
    case(
        "an update of a state that was not given",
        updating(scale=lambda X: X),
        nt.NamedTensorError,
        """
body(X, mean, seen): the body updates scale, which was not given
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: give it: scale=..., or update it only where it is not None
""",
    ),
    case(
        "an update with no tensor",
        updating(mean=lambda X: "new"),
        nt.KindError,
        """
body(X, mean, seen): the body updates mean with 'new', which is no named tensor
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: nt.update(mean=X) with X in R[emb]
""",
    ),
    case(
        "an update with more axes",
        lambda: ema(X, m=x),
        nt.AxisClashError,
        """
ema(X, m): the update of m has an axis seq too, and m is declared R[emb]
  X : seq[3] emb[4]   declared R[emb]
  m : emb[4]   declared R[emb]
hint: one state serves all of seq: declare seq in the argument that has it, and average over it in the body; \
or, as a cache does, keep one for each: m: nt.State[R[seq, emb]]
""",
    ),
    case(
        "an update with fewer axes",
        updating(mean=lambda X: nt.sum[emb](X)),
        nt.AxisMissingError,
        """
body(X, mean, seen): the update of mean lacks emb, and mean is declared R[emb]
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: give one for each emb
""",
    ),
    case(
        "an update of another kind",
        updating(seen=lambda X: nt.sum[emb](X)),
        nt.KindError,
        """
body(X, mean, seen): the update of seen holds float numbers, and seen holds int numbers
  X    : emb[4]   declared R[emb]
  mean : emb[4]   declared R[emb]
  seen : () a single number   declared Z
hint: nt.cast(..., int), or declare what seen holds
""",
    ),
    case(
        "an update of what is no state of the caller",
        lambda: calls(x, m=x),
        nt.TraceError,
        """
ema(...): ema updates its state m, and what calls gives for it is no state
  File "test_states.py", line N, in calls
    return ema(X, m=m)
           ^^^^^^^^^^^
hint: declare it in calls, after the *: m: nt.State[...], or the bundle of ema
""",
    ),
    case(
        "an update in a step of a recurrence",
        lambda: steps(X, x, norm={"m": x}),
        nt.TraceError,
        """
ema(...): the step of a recurrence runs once, on symbols, and ema updates its state m there
  File "test_states.py", line N, in steps
    return nt.scan[seq](lambda h, x: norm(h) + x, h, X)
                                     ^^^^^^^
hint: carry it: nt.scan[seq](step, (h, state), X)
""",
    ),
    case(
        "an update in a module that a body closes over",
        closes_over_a_counting_module,
        nt.TraceError,
        """
count.module(...)(...): it updates seen, and is a module that is no argument of the formula
  File "test_states.py", line N, in body
    return norm(X)
           ^^^^^^^
hint: declare it after the *, as in name: count, and give the module there
""",
    ),
    case(
        "a checkpoint whose result depends on what it updates",
        run_again_after_its_update,
        nt.BackendError,
        """
ema.module(...)(...): a checkpoint runs it again, its result depends on m, and that has been updated since
hint: leave it out of the checkpoint, or let the result depend on what is given
""",
    ),
    case(
        "one state for many examples under vmap",
        one_state_for_many,
        nt.BackendError,
        """
ema.module(...)(...): torch cannot store m in place here: vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being called inside the PyTorch framework, please file a bug report instead
hint: give the buffers to torch.func.functional_call, stacked where it is under vmap, or call the module in eval()
""",
    ),
    case(
        "noise under vmap that is not told how to draw",
        noise_for_many_that_are_not_told_how_to_draw,
        nt.BackendError,
        """
noisy(...): torch refuses what it computes: vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of vmap
hint: torch.func.vmap(f, randomness="different") draws for each
""",
    ),
    case(
        "noise of a known size under vmap that is not told how to draw",
        noise_of_a_known_size_for_many,
        nt.BackendError,
        """
sized(...): torch refuses what it computes: vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of vmap
hint: torch.func.vmap(f, randomness="different") draws for each
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
