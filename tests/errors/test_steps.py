"""Steps and summaries of what has none."""

import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check


def many(*tensors):
    return tensors[0]


CASES = [
    case(
        "steps of what computes nothing",
        lambda: nt.steps(3),
        nt.KindError,
        """
steps(an int): an int computes nothing
hint: give a formula, a module, or a function of named tensors: nt.steps(f, X)
""",
    ),
    case(
        "steps of a function of any number of arguments",
        lambda: nt.steps(many, "seq[3]"),
        nt.AxisNameError,
        """
steps(many, ...): *tensors may be any number of arguments, and steps need their names
hint: give a function that names them: nt.steps(lambda X, Y: many(X, Y), ...)
""",
    ),
    case(
        "steps of a function with too few arguments",
        lambda: nt.steps(lambda X, Y: X + Y, "seq[3]"),
        nt.NamedTensorError,
        """
steps(<lambda>, ...): missing a required argument: 'Y'
hint: <lambda>(X, Y)
""",
    ),
    case(
        "steps of a torch module that holds no formula",
        lambda: nt.steps(torch.nn.Linear(5, 8), torch.ones(2, 5)),
        nt.KindError,
        """
steps(a Linear): a Linear holds no module of a formula
hint: make one: ffn.module(emb[512], hid[2048])
""",
    ),
    case(
        "a summary of what holds nothing",
        lambda: nt.summary(3),
        nt.KindError,
        """
summary(an int): an int holds no parameters
hint: give a torch module, such as f.module(...)
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
