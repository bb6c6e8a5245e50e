"""Random formulas, for the law that reading what is printed gives the same tree.

A `Grower` is asked for values of any shape: it draws an operation, grows its operands, and applies
the public operation to them. What an operation refuses is replaced by a leaf.
"""

import math
from contextlib import suppress

import namedtensor as nt
from namedtensor import B, R, Z, axes
from namedtensor.errors import NamedTensorError
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import read_signature
from namedtensor.formula.written import name_part
from namedtensor.primitives import table
from tests.laws.rows.elementwise import functions

seq, seq_, emb, hid, head, key_1, val = axes("seq seq' emb hid head_key key_1 val")

NAMES = ["Q", "K", "mu", "sigma2", "scores", "d_k", "T_", "yhat", "W_model"]
NUMBERS = [2, 3, 0.5, 1.0, 0.0, -1, -2.5, 1e-05, 2.5e-07, 1e12, math.inf, -math.inf, math.pi, 10000]

ONE = [getattr(nt, name) for name in functions(1) if not table()[name].traits.stepped]
ONE += [nt.sign, nt.floor, nt.ceil, nt.round, nt.trunc]
TESTS = [nt.isnan, nt.isinf, nt.isfinite]
TOP = [nt.maxk, nt.mink, nt.argmaxk, nt.argmink, nt.argmaxk_index, nt.argmink_index]
TWO = [getattr(nt, name) for name in functions(2) if not name.startswith("logical_")]
ALONG = [
    *(nt.softmax, nt.log_softmax, nt.cumsum, nt.cumprod, nt.flip, nt.argmax, nt.argmin),
    *(nt.sort, nt.argsort, nt.standardize, nt.cummax, nt.cummin, nt.logcumsumexp),
]
REDUCE = [
    *(nt.sum, nt.sum, nt.mean, nt.var, nt.std, nt.max, nt.min, nt.prod, nt.norm, nt.logsumexp),
    *(nt.nansum, nt.nanmean, nt.median),
    *(nt.argmax_index, nt.argmin_index),
]
MATRIX = [nt.det, nt.inv, nt.trace, nt.cholesky, nt.pinv, nt.slogdet, nt.matrix_exp]


class Grower:
    """Grows expressions on the arguments of one formula; `random` draws."""

    def __init__(self, random, given, called):
        self.random = random
        self.given = given
        self.called = called
        self.pool = []

    def draw(self, choices):
        return choices[self.random.randrange(len(choices))]

    def leaf(self):
        if self.pool and self.random.randrange(3) == 0:
            return self.draw(self.pool)
        return self.draw(self.given)

    def grow(self, depth):
        """Give a named tensor; an operation that is refused gives a leaf instead."""
        if depth == 0:
            return self.leaf()
        with suppress(NamedTensorError, ZeroDivisionError):
            value = self.draw(GROWN)(self, depth - 1)
            if isinstance(value, nt.NamedTensor) and len(value.axes) <= 5:
                return value
        return self.leaf()

    def tensor(self, depth):
        """Give a tensor with axes."""
        for _ in range(4):
            value = self.grow(depth)
            if value.axes:
                return value
        return self.given[0]

    def operand(self, depth):
        """Give a tensor, a number or a size."""
        which = self.random.randrange(8)
        if which == 0:
            return self.draw(NUMBERS)
        return self.size() if which == 1 else self.grow(depth)

    def size(self):
        size = self.given[0].size(self.draw([seq, emb]))
        return self.draw([size, size - 1, size * 2, 2 * size, size // 2, nt.sqrt(size)])

    def axis(self, X):
        return self.draw(axes(" ".join(X.axes)) if len(X.axes) > 1 else [axes(X.axes[0])])

    def condition(self, depth):
        X, Y = self.grow(depth), self.operand(depth)
        which = self.random.randrange(12)
        if which == 11:
            return nt.isclose(X, Y)
        if which == 10:
            return self.draw(TESTS)(X)
        if which < 6:
            return self.draw([X > Y, X < Y, X >= Y, X <= Y, X == Y, X != Y])
        if which == 6:
            return ~self.condition(0)
        if which == 7:
            return self.condition(0) & self.condition(0)
        return self.condition(0) | self.condition(0) if which == 8 else self.condition(0) ^ (X > Y)

    def defined(self, sized=False):
        """Give an index-defined tensor, and an argument with its axes."""

        def rule(*indices):
            i, j = self.draw(indices), self.draw(indices)
            wave = nt.sin((i + 1) / 10000 ** (j / self.given[0].size(emb)))
            return self.draw(
                [
                    nt.where(i <= j, 0.0, -nt.inf),
                    nt.where(i % 2 == 0, wave, nt.cos(j / 2)),
                    nt.where((i == 0) | (j > 3), i - 1, j * 2),
                    -nt.abs(i - j),
                    i + 2,
                    i,
                    nt.where(i == j, 1, 0),
                ]
            )

        X = self.draw([X for X in self.given if X.axes])
        own = [axes(a)[X.size(a)] if sized else axes(a) for a in X.axes[:2]]
        return X, nt.define[own](rule)


def arithmetic(grow, depth):
    X, Y = grow.grow(depth), grow.operand(depth)
    if grow.random.randrange(4) == 0:
        X, Y = Y, X
    which = grow.random.randrange(12)
    if which < 3:
        return X + Y
    if which < 5:
        return X - Y
    if which < 8:
        return X * Y
    if which == 8:
        return X / Y
    return -grow.grow(depth) if which == 9 else X // Y if which == 10 else X % Y


def power(grow, depth):
    X = grow.grow(depth)
    Y = grow.draw([2, 3, 0.5, -1, grow.operand(0)])
    return X**Y if grow.random.randrange(4) else grow.draw([2, 10000, 0.5]) ** X


def contraction(grow, depth):
    X, Y = grow.tensor(depth), grow.tensor(depth)
    shared = [a for a in X.axes if a in Y.axes]
    grow.random.shuffle(shared)
    count = grow.random.randrange(len(shared) + 1)
    if count and grow.random.randrange(6) == 0:
        return nt.dot[shared[:count]](X, Y, grow.tensor(depth))
    return nt.dot[shared[:count]](X, Y)


def one(grow, depth):
    return grow.draw(ONE)(grow.grow(depth))


def two(grow, depth):
    return grow.draw(TWO)(grow.grow(depth), grow.operand(depth))


def along(grow, depth):
    X = grow.tensor(depth)
    function = grow.draw(ALONG)
    if function in (nt.sort, nt.argsort):
        return function[grow.axis(X)](X, descending=grow.draw([True, False]))
    return function[grow.axis(X)](X)


def reduction(grow, depth):
    X = grow.tensor(depth)
    function = grow.draw(REDUCE)
    names = list(X.axes)
    grow.random.shuffle(names)
    single = function in (nt.argmax_index, nt.argmin_index)
    return function[names[: 1 if single else 1 + grow.random.randrange(len(names))]](X)


def truth(grow, depth):
    C = grow.condition(depth)
    if not C.axes or grow.random.randrange(3) == 0:
        return nt.where(C, grow.operand(depth), grow.operand(depth))
    return grow.draw([nt.any, nt.all, nt.count])[grow.axis(C)](C)


def choice(grow, depth):
    first, second = grow.condition(depth), grow.condition(0)
    X, Y, W = grow.operand(depth), grow.grow(depth), grow.operand(0)
    return grow.draw([nt.where(first, X, Y), nt.cases((X, first), (Y, second), W)])


def renaming(grow, depth):
    X = grow.tensor(depth)
    before = grow.axis(X)
    free = [a for a in (seq_, hid, head, key_1, val, before.star) if a.name not in X.axes]
    return X[before >> grow.draw(free)]


def reshaping(grow, depth):
    X = grow.tensor(depth)
    if len(X.axes) > 1 and grow.random.randrange(2):
        first, second = X.axes[:2]
        return X[(first, second) >> val]
    return X[grow.axis(X) >> (head[2], val)]


def indexing(grow, depth):
    X, I = grow.tensor(depth), next(v for v in grow.given if v.kind == "int")
    ax = grow.axis(X)
    size = X.size(ax)
    sliced = getattr(getattr(size, "node", None), "name", "size") != "size"
    last = 2 if size is None or sliced else size - 1
    which = grow.random.randrange(7)
    if which < 3:
        return X[ax(grow.draw([0, 1, 3, -1, last]))]
    if which == 3:
        return X[ax(I)]
    bounds = [slice(2, None), slice(None, 3), slice(1, 4), slice(None, None, 2), slice(1, None, 2)]
    return X[ax[grow.draw([*bounds, slice(None, -1), slice(None, last), slice(0, 5, 2)])]]


def joining(grow, depth):
    X = grow.tensor(depth)
    ax = grow.axis(X)
    return nt.concat[ax](X, X) if grow.random.randrange(2) else nt.stack[val](X, grow.grow(depth))


def windows(grow, depth):
    X = grow.tensor(depth)
    ax = grow.axis(X)
    which = grow.random.randrange(6)
    if which == 5:
        return nt.upsample[ax](X, 2, grow.draw([False, True]))
    if which < 2:
        return (nt.unroll, nt.pool)[which][ax, key_1[2]](X)
    if which == 2:
        return grow.draw(TOP)[ax, key_1[2]](X)
    return nt.roll[ax](X, 1) if which == 3 else nt.pad[ax](X, 1, 2, 0)


def matrices(grow, depth):
    X = grow.draw([v for v in grow.given if len(v.axes) > 1])
    row, col = X.axes[:2]
    square = X @ nt.axes(col) @ X[nt.axes(row) >> val]
    which = grow.random.randrange(13)
    if which > 8:
        factors = (nt.eigh, nt.eig, nt.svd, nt.qr)[which - 9][row, val, hid](square)
        return nt.abs(grow.draw(factors))
    if which < 3:
        kept = grow.draw([hid, row]) if which == 0 else hid
        return (nt.diag, nt.eigvalsh, nt.svdvals)[which][row, val, kept](square)
    if which == 3:
        B = grow.draw([v for v in grow.given if row in v.axes])
        if grow.random.randrange(2):
            return nt.solve_triangular[row, val](square, B, upper=grow.draw([False, True]))
        return nt.solve[row, val](square, B)
    return grow.draw(MATRIX)[row, val](square)


def casting(grow, depth):
    X = grow.tensor(depth)
    return nt.cast(X, grow.draw(["float32", "int64", "bool"])) * 1.0


def update(grow, depth):
    X, I = grow.tensor(depth), next(v for v in grow.given if v.kind == "int")
    ax = grow.axis(X)
    index = I + 1 if grow.random.randrange(2) else I
    bounds = [slice(1, None), slice(None, 3), slice(None, -1), slice(0, 5, 2), slice(None, None)]
    places = [ax(grow.draw([0, 2, -1])), ax(index), ax[grow.draw(bounds)]]
    at = [grow.draw(places)]
    if len(X.axes) > 1 and grow.random.randrange(3) == 0:
        other = next(a for a in X.axes if a != ax.name)
        at.insert(grow.random.randrange(2), axes(other)(grow.draw([0, 1])))
    value = grow.draw([0.0, 2.0, grow.given[-1]])
    return getattr(X.at[tuple(at)], grow.draw(["set", "add", "multiply", "min", "max"]))(value)


def scattering(grow, depth):
    X, I = grow.tensor(depth), next(v for v in grow.given if v.kind == "int")
    if grow.random.randrange(2):
        return nt.scatter[seq, val[3]](X, I)
    ax, kernel = grow.axis(X), next(a for a in (*X.axes[::-1], "val"))
    X = X if kernel != ax.name else nt.stack[val](X, X)
    steps = grow.draw([{}, {"stride": 2}, {"padding": (1, 0)}, {"stride": 2, "dilation": 2}])
    return nt.overlap_add[ax, "val" if kernel == ax.name else kernel](X, **steps)


def one_hot(grow, depth):
    I = next(v for v in grow.given if v.kind == "int")
    return nt.one_hot(I, val[grow.draw([3, 5])])


def defined(grow, depth):
    X, P = grow.defined()
    if grow.random.randrange(3) == 0:
        X, P = grow.defined(sized=True)
        grow.pool.append(P)
    return grow.draw([X + P, X * P, nt.where(P > 0, X, 0.0)])


def gathered(grow, depth):
    X = grow.tensor(depth)
    ax = grow.axis(X)
    window = axes("seq key_1")
    own = [window[0][grow.given[0].size(seq)], window[1][3]]
    rules = [lambda i, j: i + j, lambda i, j: i * 2 + j, lambda i, j: nt.abs(i - j)]
    return grow.draw([X[ax(nt.define[own](grow.draw(rules)))], X[ax[[0, 2]]]])


def called(grow, depth):
    X = grow.given[0]
    return grow.called(grow.draw([X, X * 2, nt.exp(X)]), W=grow.given[1])


def named(grow, depth):
    value = grow.grow(depth)
    grow.pool.append(value)
    name_part(grow.draw(NAMES), value)
    return value


GROWN = [
    *[arithmetic] * 8,
    *[contraction] * 3,
    *[one] * 4,
    *[reduction] * 3,
    *[along] * 2,
    *[truth, choice, renaming, indexing, power] * 2,
    *[two] * 2,
    *[reshaping, joining, windows, matrices, casting, one_hot, gathered, called],
    *[defined, named] * 2,
    update,
    scattering,
]


@nt.formula
def g(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, hid]:
    return X @ emb @ W


def random_formula(random, depth=4):
    """Make a formula whose body is grown by a source of random choices."""

    def f(
        X: R[seq, emb],
        b1: R[emb],
        c: R,
        I: Z[seq],
        m: B[seq],
        *,
        W1: R[emb, hid],
        gamma: R[seq, emb],
        WQ_k: R[key_1, emb],
    ):
        grow = Grower(random, [X, W1, b1, gamma, WQ_k, I, c], g)
        value = grow.grow(depth)
        for _ in range(3):
            if value.node.operands:
                break
            value = grow.grow(depth)
        return value + 0.25 * X if not value.node.operands else value

    f.names_parts = True
    return Formula(f, read_signature(f, globals()))
