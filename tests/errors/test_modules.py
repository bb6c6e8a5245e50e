"""Modules made and called wrongly."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import case, check
from tests.errors.operands import STATES, emb

hid = axes("hid")
x = nt.tensor(np.arange(4.0), emb)
W = nt.ones("emb[4] hid[5]")


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def taken(X: R[emb], *, formula: R[emb]) -> R[emb]:
    return X * formula


def with_another_tensor() -> nt.NamedTensor:
    module = project.module(emb[4], hid[5])
    module.W = torch.nn.Parameter(torch.ones(4))
    found: nt.NamedTensor = module(nt.ones("emb[4]", backend="torch"))
    return found


@formula
def scaled(X: R[emb], *, g: R[emb]) -> R[emb]:
    return X * g


@formula
def shifted(X: R[emb], *, b: R[emb]) -> R[emb]:
    return X + b


@formula
def plain(X: R[emb]) -> R[emb]:
    return X


@formula
def looking(X: R[emb], *, part: scaled) -> R[emb]:
    return X * part.g


@formula
def deep(X: R[emb], *, layers: nt.each[scaled, "stacked"]) -> R[emb]:  # noqa: F821
    return layers(X)


@formula
def lifting(X: R[emb], *, f: nt.lift["emb -> emb"]) -> R[emb]:
    return f(X)


def deleted() -> nt.NamedTensor:
    module = scaled.module(emb[4])
    del module.g
    found: nt.NamedTensor = module(nt.ones("emb[4]", backend="torch"))
    return found


CASES = [
    case(
        "a state dict of a module of another size",
        lambda: project.module(emb[4], hid[5]).load_state_dict(
            project.module(emb[4], hid[6]).state_dict()
        ),
        nt.AxisSizeError,
        """
project.module(...).load_state_dict(...): axis hid is 6 in W of the state dict and 5 in the module
  W : emb[4] hid[5]
hint: make the module with hid[6]
""",
    ),
    case(
        "sizes in a dict",
        lambda: project.module({"emb": 4, "hid": 5}),
        nt.AxisNameError,
        """
axes({...}): a dict has no axes; sizes stand in square brackets
hint: "emb[4] hid[5]"
""",
    ),
    case(
        "sizes as settings",
        lambda: project.module(emb=4, hid=5),
        nt.AxisNameError,
        """
project.module(...): project has no setting emb
hint: emb is an axis: project.module(emb[4], hid[5])
""",
    ),
    case(
        "a size beside a module that has another",
        lambda: looking.module(emb[5], part=scaled.module(emb[4])),
        nt.AxisSizeError,
        """
looking.module(emb[5]): axis emb is 4 in part.g, and no parameter takes 5
  part.g : emb[4]
hint: leave emb[5] out: what was made or declared with a size keeps it
""",
    ),
    case(
        "a module of torch for a bundle",
        lambda: looking.module(emb[5], part=torch.nn.Linear(4, 4)),
        nt.KindError,
        """
looking.module(...): part is a Linear, and holds the parameters of scaled
hint: part: nt.lift["emb -> emb"] declares a module of torch
""",
    ),
    case(
        "sizes without axes",
        lambda: project.module(4, 2),
        nt.AxisNameError,
        """
project.module(4, 2): sizes are those of axes, which have names
hint: `project.module('emb[4] hid[2]')`
""",
    ),
    case(
        "two sizes of one axis",
        lambda: project.module(emb[4], emb[3], hid[2]),
        nt.AxisNameError,
        """
project.module(emb[4], emb[3], hid[2]): emb is named twice
hint: name it once; "emb'" is a second copy
""",
    ),
    case(
        "an initialiser of nothing",
        lambda: project.module(emb[4], hid[2], init={"W": lambda: 0}),
        nt.KindError,
        """
project.module(...): init['W'] is given the tensor to fill, and it takes (): too many positional arguments
hint: init={'W': torch.nn.init.zeros_}
""",
    ),
    case(
        "options by the name alone",
        lambda: nt.parameters(project.module(emb[4], hid[2]), lambda name: {}),
        nt.KindError,
        """
parameters(module, options): options is given a parameter's name and its axes, and it takes (name): too many positional arguments
hint: lambda name, axes: {"weight_decay": 0.1}
""",
    ),
    case(
        "checks that are neither on nor off",
        lambda: nt.checks("no"),
        nt.KindError,
        """
checks(...): on is True or False, and a str is given
hint: on=True or on=False
""",
    ),
    case(
        "one size for two axes",
        lambda: project.module(8),
        nt.AxisNameError,
        """
project.module(8): sizes are those of axes, which have names
hint: `project.module('emb[4] hid[4]')`
""",
    ),
    *[
        case(
            f"a formula asked for its {word}",
            lambda word=word: getattr(project, word),
            nt.HabitError,
            f"""
project.{word}: a formula holds no numbers, and its module does
hint: `project.module('emb[4] hid[4]').{word}`
""",
        )
        for word in ("parameters", "to", "eval", "state_dict", "W")
    ],
    case(
        "a formula of a misspelt word",
        lambda: project.latx(),
        nt.HabitError,
        """
project.latx: a formula has no latx
hint: did you mean project.latex?
""",
    ),
    case(
        "a formula of a word of nobody",
        lambda: project.weather,
        nt.HabitError,
        """
project.weather: a formula has no weather
hint: `dir(project)` lists what it has
""",
    ),
    case(
        "a module whose parameter was deleted",
        deleted,
        nt.BackendError,
        """
scaled.module(...): it holds no g any more
  g : R[emb]
hint: model.g = torch.nn.Parameter(data)
""",
    ),
    case(
        "a parameter of a bundle that another formula has not",
        lambda: looking.module(emb[4], part=shifted)(nt.ones("emb[4]", backend="torch")),
        nt.HabitError,
        """
shifted.g: the bundle of shifted(X: R[emb]; b: R[emb]) -> R[emb] has no parameter g
  File "test_modules.py", line N, in looking
    return X * part.g
               ^^^^^^
hint: it has b
""",
    ),
    case(
        "a module of one layer for all of a stack",
        lambda: deep.module(emb[4], "layers[2]", layers=scaled.module(emb[4])),
        nt.BackendError,
        """
deep.module(...): layers holds all layers of a stack along layers, and a module of scaled holds one
hint: give a formula, or the settings in a dict; load_state_dict brings numbers
""",
    ),
    case(
        "a module of a stack for one layer",
        lambda: looking.module(emb[4], part=deep.module(emb[4], layers=2).layers),
        nt.BackendError,
        """
looking.module(...): part holds one layer, and the module of scaled holds a stack of them
hint: give a formula, or the settings in a dict; load_state_dict brings numbers
""",
    ),
    case(
        "layers without parameters",
        lambda: plain.stacked("layers"),
        nt.NamedTensorError,
        """
nt.each[plain, "stacked"]: plain holds no parameters, and how many layers there are is the size of their axis
hint: nt.each[plain], and a loop over the layers in the body
""",
    ),
    case(
        "data of numpy for a torch module",
        lambda: lifting(x, f=torch.nn.Linear(4, 4)),
        nt.BackendError,
        """
f(X): f is a torch module, and X has data of numpy
hint: X.to("torch")
""",
    ),
    case(
        "a parameter with a name that a module has given away",
        lambda: taken.module(emb[4]),
        nt.AxisNameError,
        """
taken.module(...): a module has something else called formula
hint: give the parameter another name, such as formula_
""",
    ),
    case(
        "a module whose parameter was replaced by one of other axes",
        with_another_tensor,
        nt.AxisNameError,
        """
project.module(...): its parameter W has sizes (4,)
  W : R[emb, hid]
hint: put a tensor there that has the declared axes, in their order
""",
    ),
    case(
        "a module without a size",
        lambda: project.module(emb[4]),
        nt.AxisSizeError,
        """
project.module(...): axis hid of the parameter W has no size
  W : R[emb, hid]
hint: project.module(emb[4], hid[512])
""",
    ),
    case(
        "a module with an axis without size",
        lambda: project.module(emb[4], hid),
        nt.AxisSizeError,
        """
project.module(hid): hid has no size
hint: give it one: hid[512]
""",
    ),
    case(
        "a module whose init names no parameter",
        lambda: project.module(emb[4], hid[5], init={"V": torch.nn.init.zeros_}),
        nt.AxisNameError,
        """
project.module(...): init names V, which is no parameter
hint: the parameters are W
""",
    ),
    case(
        "a module whose init names a parameter of a module that was given",
        lambda: looking.module(part=scaled.module(emb[4]), init={"*.g": torch.nn.init.zeros_}),
        nt.AxisNameError,
        """
looking.module(...): init names *.g, and part.g came with a module that was given
hint: give init where that module is made
""",
    ),
    case(
        "a module whose init is no function",
        lambda: project.module(emb[4], hid[5], init={"W": 3}),
        nt.KindError,
        """
project.module(...): init['W'] is an int, and not a function that fills a tensor
hint: init={'W': torch.nn.init.zeros_}
""",
    ),
    case(
        "a module whose init is no dict",
        lambda: project.module(emb[4], hid[5], init=torch.nn.init.zeros_),
        nt.KindError,
        """
project.module(...): init is a function, and not a dict from parameters to functions
hint: init={"*": torch.nn.init.zeros_}
""",
    ),
    case(
        "a module whose init gives another size",
        lambda: project.module(emb[4], hid[5], init={"W": lambda data: torch.ones(3)}),
        nt.AxisSizeError,
        """
project.module(...): init['W'] gave sizes (3,), and W has (4, 5)
hint: fill the tensor that it is given, or give one of its shape
""",
    ),
    case(
        "a module with an unknown setting",
        lambda: project.module(emb[4], hid[5], rate=0.5),
        nt.AxisNameError,
        """
project.module(...): project has no setting rate
hint: project(X: R[emb]; W: R[emb, hid]) -> R[hid]
""",
    ),
    case(
        "a module of whole numbers",
        lambda: project.module(emb[4], hid[5], dtype=torch.int64),
        nt.KindError,
        """
project.module(...): parameters hold real numbers, and dtype is torch.int64
hint: dtype=torch.float32
""",
    ),
    case(
        "a module called with numpy data",
        lambda: project.module(emb[4], hid[5])(x),
        nt.BackendError,
        """
project(X, W): X is a numpy tensor and W a torch tensor; data never changes library by itself
  X : emb[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: convert one of them: X.to("torch")
""",
    ),
    case(
        "a module called with another dtype",
        lambda: project.module(emb[4], hid[5])(x.to("torch")),
        nt.KindError,
        """
dot[emb](W, X): W is torch.float32, X is torch.float64
  W : emb[4] hid[5]
  X : emb[4]
  File "test_modules.py", line N, in project
    return W @ emb @ X
           ^^^^^^^^^^^
hint: give both one dtype: X.to(torch.float32)
""",
    ),
    case(
        "a module called with a bare tensor",
        lambda: project.module(emb[4], hid[5])(torch.ones(4)),
        nt.BackendError,
        """
project(..., X, ...): X is a Tensor, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, emb)
""",
    ),
    case(
        "a named tensor as a parameter",
        lambda: setattr(project.module("emb[2] hid[3]"), "W", nt.zeros("hid[3] emb[2]")),
        nt.KindError,
        """
project.module(...).W = X: X is a named tensor, and W is stored as a tensor of torch
  X : hid[3] emb[2]
  W : R[emb, hid]
hint: model.W = torch.nn.Parameter(X.torch("emb", "hid"))
""",
    ),
    case(
        "a module derived by the name of a parameter",
        lambda: nt.grad(project.module("emb[2] hid[3]"), "W"),
        nt.AxisNameError,
        """
grad(project.module(...), 'W'): a call of a module is given arguments alone, by their places, and no W
hint: derive its formula: nt.grad(project, by='W')(X, **model.named_values())
""",
    ),
    case(
        "a recurrence of one step that would change its sizes at the next",
        lambda: nt.latex.read(STATES)["h"](
            nt.ones("t[1] emb[1]"),
            nt.ones("state[2]"),
            A=nt.ones("state[2] state'[3]"),
            B=nt.ones("emb[1] state'[3]"),
        ),
        nt.AxisSizeError,
        """
h(...): sizes differ that are one for any number of steps
  x  : t[1] emb[1]
  h0 : state[2]
  A  : state[2] state'[3]
  B  : emb[1] state'[3]
hint: h.code(...) shows which sizes are compared
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
