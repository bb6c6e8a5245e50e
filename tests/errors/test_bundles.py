"""Bundles and stacks of them, given and called wrongly."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import case, check
from tests.errors.operands import emb

hid = axes("hid")
x = nt.tensor(np.arange(4.0, dtype="float32"), emb)


@formula
def layer(X: R[emb], *, W: R[emb]) -> R[emb]:
    return X * W


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def tracked(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    return X - m, nt.update(m=m + 1)


@formula
def deep(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
    return layers[2](X)


@formula
def network(X: R[emb], *, W: R[emb, hid], b: R[hid], U: R[hid, emb]) -> R[emb]:
    return U @ hid @ (W @ emb @ X + b)


@formula
def networks(X: R[emb], *, g: R[emb], layers: nt.each[network], last: layer) -> R[emb]:
    for layer in layers:
        X = layer(X)
    return last(X) * g


WIDE = networks.module(emb[4], layers=[network.module(emb[4], hid[n]) for n in (2, 3, 4, 5)])


@formula
def by_name(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
    return layers["last"](X)


@formula
def called(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
    return layers(X)


@formula
def two(X: R[emb], *, first: tracked, second: tracked) -> R[emb]:
    return second(first(X))


@formula
def held(X: R[emb], *, c: layer) -> R[emb]:
    return c(X)


@formula
def biased(X: R[emb], *, W: R[emb], b: R[emb] = None) -> R[emb]:
    return X * W if b is None else X * W + b


LAYERS = [{"W": x}, {"W": x}]


def one_module_twice():
    norm = tracked.module(emb[4])
    return two.module(first=norm, second=norm)


def stacked(layer):
    @formula
    def body(X: R[emb], *, layers: nt.each[layer, "stacked"]) -> R[emb]:
        return layers(X)

    return body


CASES = [
    case(
        "a stack that is called",
        lambda: called(x, layers=LAYERS),
        nt.BackendError,
        """
layers(...): a stack of 2 bundles is called, and each of them can be
  File "test_bundles.py", line N, in called
    return layers(X)
           ^^^^^^^^^
hint: for layer in layers: X = layer(X); or declare layers: nt.each[layer, 'stacked']
""",
    ),
    case(
        "a layer beyond the last",
        lambda: deep(x, layers=LAYERS),
        nt.IndexRangeError,
        """
layers[2]: the stack has 2 bundles, and 2 is asked for
  File "test_bundles.py", line N, in deep
    return layers[2](X)
           ^^^^^^^^^
hint: one of 0, ..., 1; len(layers) counts them
""",
    ),
    case(
        "a layer by its name",
        lambda: by_name(x, layers=LAYERS),
        nt.KindError,
        """
layers['last']: a stack is indexed by a whole number or a slice, not by a str
  File "test_bundles.py", line N, in by_name
    return layers["last"](X)
           ^^^^^^^^^^^^^^
hint: layers[0], or for layer in layers: X = layer(X)
""",
    ),
    case(
        "a model of more parameters than one reads",
        lambda: WIDE(nt.ones("emb[3]", backend="torch")),
        nt.AxisSizeError,
        """
networks(X, g, layers, last): axis emb is 3 in X and 4 in g
  X      : emb[3]   declared R[emb]
  g      : emb[4]   declared R[emb]
  layers : 12 parameters
  last   : 1 parameter
hint: one name has one size in a formula: make the module with emb[3], or give X emb[4]
""",
    ),
    case(
        "a stack that is a number",
        lambda: deep(x, layers=3),
        nt.BackendError,
        """
layers: each[layer]: layers is an int, and a stack is a list of bundles of layer
hint: [layer.module(...), ...], or a list of dicts with W
""",
    ),
    case(
        "stacked layers that give something else",
        lambda: stacked(project),
        nt.NamedTensorError,
        """
nt.each[project, "stacked"]: project gives R[hid] and takes R[emb]; each layer takes what the one before gives
hint: nt.each[project], and a loop over the layers in the body
""",
    ),
    case(
        "stacked layers with a state",
        lambda: stacked(tracked),
        nt.NamedTensorError,
        """
nt.each[..., "stacked"]: m: m is a state, and the layers of a scan cannot update it
hint: leave "stacked" out: nt.each[layer]
""",
    ),
    case(
        "a bundle that is a number",
        lambda: held.module(emb[4], c=3),
        nt.KindError,
        """
held.module(...): c is an int, and holds the parameters of layer
hint: a formula's module, a formula of the same arguments, or c=dict(...) with its settings
""",
    ),
    case(
        "a bundle of another formula",
        lambda: held.module(emb[4], c=project),
        nt.BackendError,
        """
held.module(...): c is a bundle of layer, and project has other arguments or results
  layer   : layer(X: R[emb]; W: R[emb]) -> R[emb]
  project : project(X: R[emb]; W: R[emb, hid]) -> R[hid]
hint: declare project with the arguments of layer
""",
    ),
    case(
        "a module with states that is given twice",
        one_module_twice,
        nt.BackendError,
        """
two.module(...): second and first are one module, which has states: each would update its own copy
hint: hold it once, and call it twice in the body
""",
    ),
    case(
        "an optional parameter that is asked for by a number",
        lambda: biased.module(emb[4], b=3),
        nt.KindError,
        """
biased.module(...): b is an int, and the parameter is made or left out
hint: b=True makes it; init={'b': ...} fills it
""",
    ),
    case(
        "a module that runs no formula",
        lambda: layer.module(emb[4]).call("layer", x),
        nt.KindError,
        """
layer.module(...).call(a str): a formula is run with the module's parameters
hint: module.call(recall, Q, K, V) with recall a formula
""",
    ),
    case(
        "a formula whose parameters a module lacks",
        lambda: layer.module(emb[4]).call(tracked, x),
        nt.BackendError,
        """
layer.module(...).call(tracked, ...): tracked declares m, and the module holds W
hint: give it: call(tracked, ..., m=...)
""",
    ),
    case(
        "a formula whose parameters have other axes in the module",
        lambda: layer.module(emb[4]).call(project, x),
        nt.AxisMissingError,
        """
layer.module(...).call(project, ...): W is R[emb] in the module, and project declares R[emb, hid]
hint: give it: call(project, ..., W=...)
""",
    ),
    case(
        "options of a parameter that are a number",
        lambda: nt.parameters(layer.module(emb[4]), lambda name, axes: 0.1),
        nt.KindError,
        """
parameters(module, options): options gave 0.1 for W, and an optimiser takes options by name
hint: lambda name, axes: {"weight_decay": 0.1}, or None to leave it out
""",
    ),
    case(
        "options of parameters that are a dict",
        lambda: nt.parameters(layer.module(emb[4]), {"lr": 0.1}),
        nt.KindError,
        """
parameters(module, options): options is a dict, and not a function of a parameter's name and axes
hint: lambda name, axes: {"weight_decay": 0.1}
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
