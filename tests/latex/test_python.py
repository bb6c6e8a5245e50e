"""Formulas are written as Python that makes the same trees again."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.errors import NamedTensorError, TraceError
from namedtensor.latex import read
from namedtensor.latex.python import python_of
from namedtensor.testing import assert_close
from tests.laws.evaluate import back, other_names, renamed, space, with_signature
from tests.laws.table import TABLE
from transformer_named import named_tensors as model

seq, emb, hid, key, val, head, vocab, kernel = axes("seq emb hid key val head vocab kernel")
seq_ = seq.prime


def again(*formulas):
    """Write formulas as a module and run it."""
    names = {"__name__": "again"}
    exec(python_of(formulas), names)
    return names


def tree(formula):
    return formula.written().results


def made_of(row, example):
    """Make a formula of a row's call."""
    apart = other_names(example)
    places = [i for i, _ in example.tensors()]

    def body(*given):
        operands = list(example.operands)
        for i, X in zip(places, given, strict=True):
            operands[i] = X[back(apart[i])] if apart[i] else X
        return row.call(*operands, **example.settings)

    spaces = {f"X{i}": space(renamed(example.operands[i], apart[i]), ()) for i in places}
    return nt.formula(with_signature(body, spaces, None))


@pytest.mark.parametrize("row", TABLE.values(), ids=list(TABLE))
@settings(max_examples=6)
@given(data=st.data())
def test_every_operation_is_read_back_as_it_was_written(row, data):
    example = data.draw(row.example)
    if not any(example.tensors()):
        return
    made = made_of(row, example)
    try:
        wanted = tree(made)
    except TraceError:  # asks for the number of a size
        return
    assert tree(again(made)["written"]) == wanted


# ------------------------------------------------------------------------- one inside another

OPERATORS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a // b,
    lambda a, b: a % b,
    lambda a, b: a**b,
    lambda a, b: -a,
    lambda a, b: abs(a),
    lambda a, b: a @ emb @ b,
    lambda a, b: a @ (seq, emb) @ b,
    lambda a, b: nt.dot[seq](a, b, a),
    lambda a, b: nt.where((a < b) & nt.logical_not(a == 0), a, b),
    lambda a, b: nt.where((a <= b) | (b != 1) ^ (a > 2), nt.where(a >= 0, b, 1), a),
    lambda a, b: a[seq >> seq_],
    lambda a, b: a[seq_ >> seq],
    lambda a, b: a[seq(0)] + b[emb[1:]],
    lambda a, b: a + nt.sum[emb](b) * abs(emb),
    lambda a, b: nt.softmax[seq](a - 1) ** 2.5,
    lambda a, b: a + nt.define[seq, emb](lambda i, j: nt.where(i < j, 1e-7, -nt.inf)),
    lambda a, b: a * nt.iota(emb) + nt.define[emb](lambda i: i % 2 == 0),
    lambda a, b: (a + b) * (a + b) + a,
    lambda a, b: nt.maximum(a, -2) - (-b),
    lambda a, b: 2**-a + (-1) ** a + (-3.5) * b,
    lambda a, b: a[emb[: abs(emb) // 2]] - nt.sqrt(abs(emb) - 1),
    lambda a, b: nt.dropout(a, 0.5) * b,
]


def nested(seed, depth):
    """Make a formula whose body is some operations, one inside another."""

    @formula
    def some(X: R[seq, emb], Y: R[emb], I: Z[seq], *, W: R[emb, seq_]):
        rng = Random(seed)

        def part(left):
            if left == 0:
                return rng.choice([X, Y, I, W, X, Y, 2, 0.5, abs(emb), abs(seq_) - 1])
            try:
                return rng.choice(OPERATORS)(part(left - 1), part(rng.randrange(left)))
            except (NamedTensorError, TypeError, ArithmeticError):
                return X

        return X + part(depth)

    return some


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), depth=st.integers(1, 6))
def test_operations_one_inside_another_are_read_back(seed, depth):
    made = nested(seed, depth)
    text = python_of([made])
    assert max(map(len, text.splitlines())) <= 100
    back = again(made)["some"]
    assert python_of([back]) == text
    if "dropout" not in text:
        assert tree(back) == tree(made)


# ---------------------------------------------------------------------------- formulas together


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def project(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def halves(X: R[emb]) -> tuple[R, R[emb]]:
    return nt.sum[emb](X), X / 2


M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def body(*formulas):
    """Give the module without its first lines."""
    return python_of(formulas).partition("\n\n\n")[2]


def test_a_module_imports_what_it_uses_and_makes_its_axes():
    assert python_of([att]) == (
        '"""Formulas in the named tensor notation."""\n'
        "\n"
        "import namedtensor as nt\n"
        "from namedtensor import R, axes, formula\n"
        "\n"
        'key, seq, val = axes("key seq val")\n'
        "seq_ = seq.prime\n"
        "\n"
        "\n"
        "@formula\n"
        "def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:\n"
        "    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)\n"
    )


def test_parts_with_a_name_get_a_line_and_masks_stand_in_the_module():
    @formula
    def self_attention(X: R[seq, key]) -> R[seq, key]:
        Q = X[seq >> seq_]
        return att(Q, X, X[key >> val], M)[val >> key, seq_ >> seq]

    assert python_of([self_attention, att]).endswith(
        "M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))\n"
        "\n"
        "\n"
        "@formula\n"
        "def self_attention(X: R[seq, key]) -> R[seq, key]:\n"
        "    Q = X[seq >> seq_]\n"
        "    return att(Q, X, X[key >> val], M)[val >> key, seq_ >> seq]\n"
    )
    names = again(self_attention)
    X = nt.normal("seq[3] key[2]", generator=np.random.default_rng(0))
    assert nt.max["seq key"](abs(names["self_attention"](X) - self_attention(X))).item() == 0


def test_the_same_name_for_other_things_stays_in_its_formula():
    @formula
    def one(X: R[seq]) -> R[seq]:
        N = nt.define[seq](lambda i: i % 2)
        return X + N

    @formula
    def two(X: R[seq]) -> R[seq]:
        N = nt.define[seq](lambda i: i % 3)
        return X * N

    text = python_of([one, two])
    assert "    N = nt.define[seq](lambda i: i % 3)\n" in text
    assert "    N = nt.define[seq](lambda i: i % 2)\n" in text
    assert tree(again(one, two)["two"]) == tree(two)


def test_the_parameters_of_a_formula_are_a_bundle():
    @formula
    def twice(X: R[emb], *, first: project, second: project, W: R[emb, hid]) -> R[hid]:
        return first(X) + project(X, W=W, b=second.b) + project(X, W=second.W, b=second.b)

    assert body(twice).endswith(
        "def twice(X: R[emb], *, first: project, second: project, W: R[emb, hid]) -> R[hid]:\n"
        "    return first(X) + project(X, W=W, b=second.b) + second(X)\n"
    )
    assert tree(again(twice)["twice"]) == tree(twice)


def test_a_bundle_may_hold_bundles():
    @formula
    def twice(X: R[emb], *, first: project) -> R[emb]:
        return first(X)[hid >> emb]

    @formula
    def more(X: R[emb], *, whole: twice, W: R[emb, hid]) -> R[emb]:
        left = twice(X, first=dict(W=W, b=whole.first.b))
        return left + whole(X) + twice(X, first=whole.first) * whole.first.W.size(emb)

    text = body(more)
    assert "    left = twice(X, first=dict(W=W, b=whole.first.b))\n" in text
    assert tree(again(more)["more"]) == tree(more)


def test_axes_that_derivatives_make_have_names_of_their_own():
    @formula
    def flat(X: R[emb, hid]) -> R:
        return nt.sum["emb_hid"](nt.tanh(X.rearrange("emb hid -> (emb hid)")))

    @formula
    def inverse(X: R[emb, hid]) -> R:
        return nt.sum[emb, hid](nt.inv[emb, hid](X))

    X = nt.tensor([[2.0, 1.0], [0.5, 3.0]], "emb hid")
    for made in (nt.grad(flat, "X"), nt.grad(inverse, "X")):
        assert_close(again(made)[made.name](X), made(X))


def test_formulas_with_several_results():
    @formula
    def swapped(X: R[emb]) -> tuple[R[emb], R]:
        total, half = halves(X)
        return half * 2, total

    assert body(swapped).endswith(
        "def halves(X: R[emb]) -> tuple[R, R[emb]]:\n"
        "    return nt.sum[emb](X), X / 2\n"
        "\n"
        "\n"
        "@formula\n"
        "def swapped(X: R[emb]) -> tuple[R[emb], R]:\n"
        "    half = halves(X)[1]\n"
        "    return half * 2, halves(X)[0]\n"
    )
    assert tree(again(swapped)["swapped"]) == tree(swapped)


def test_numbers_stand_where_tensors_may_and_missing_ones_are_left_out():
    @formula
    def scaled(X: R[emb], s: R = 2.0, M: R[emb] = None) -> R[emb]:
        return X * s if M is None else X * s + M

    @formula
    def both(X: R[emb]) -> R[emb]:
        return scaled(X, 0.5) + scaled(X, M=X)

    assert body(both).endswith("    return scaled(X, 0.5) + scaled(X, 2.0, X)\n")


def test_names_of_the_document_come_before_ours():
    @formula
    def R_(R: Z[seq], sum: B[seq], seq_: nt.R[seq_]) -> nt.R[seq, seq_]:
        return nt.where(sum, R, 1) * seq_

    R_.name = "R"
    text = python_of([R_])
    assert text == (
        '"""Formulas in the named tensor notation."""\n'
        "\n"
        "import namedtensor as nt\n"
        "from namedtensor import B, Z, axes, formula\n"
        "\n"
        'seq = axes("seq")\n'
        "seq_axis_ = seq.prime\n"
        "\n"
        "\n"
        "@formula\n"
        "def R(R: Z[seq], sum: B[seq], seq_: nt.R[seq_axis_]) -> nt.R[seq, seq_axis_]:\n"
        "    return nt.where(sum, R, 1) * seq_\n"
    )
    assert tree(again(R_)["R"]) == tree(R_)


def test_names_of_the_document_come_before_python_s_own():
    @formula
    def abs_(X: R[emb], float: R[seq], eps: float = 0.5) -> R[emb, seq]:
        return X * abs(emb) + eps * float

    abs_.name = "abs"

    @formula
    def tuple_(X: R[emb], dict: R[emb], *, both: project) -> tuple[R[emb], R[hid]]:
        return abs(X) * complex(0, 1), project(X, W=both.W, b=nt.sum[emb](dict) * both.b)

    tuple_.name = "tuple"
    text = python_of([abs_, tuple_])
    assert "import builtins\n\nimport namedtensor as nt\n" in text
    assert "eps: builtins.float = 0.5) -> R[emb, seq]:\n    return X * builtins.abs(emb) +" in text
    assert ") -> builtins.tuple[R[emb], R[hid]]:\n" in text
    for name, made in (("abs", abs_), ("tuple", tuple_)):
        assert tree(again(abs_, tuple_)[name]) == tree(made)


def test_axes_that_python_cannot_spell_get_another_name():
    lam, starred = axes("lambda"), axes("emb'*")

    @formula
    def f(X: R[lam, starred]) -> R[starred]:
        return nt.sum[lam](X)

    assert 'lambda_axis, emb = axes("lambda emb")\nemb__star = emb.prime.star\n' in python_of([f])
    assert tree(again(f)["f"]) == tree(f)


def test_a_long_row_of_axes_is_broken():
    many = axes(" ".join(f"axis_number_{i}" for i in range(12)))

    @formula
    def f(X: R[many]) -> R:
        return nt.sum[many](X)

    lines = [line for line in python_of([f]).splitlines() if " = axes(" in line]
    assert len(lines) == 4
    assert max(map(len, lines)) <= 100
    assert tree(again(f)["f"]) == tree(f)


def test_sizes_with_names_of_their_own_are_declared():
    n, m = nt.sizes("n project")

    @formula
    def both(X: R[seq[n], emb], Y: R[seq[m], emb]) -> R[seq, emb]:
        return nt.concat[seq](X, Y) * abs(seq) / Y.size(seq)

    text = python_of([both, project])
    assert (
        'seq, emb, hid = axes("seq emb hid")\nn, project_size = nt.sizes("n project_size")\n'
        in text
    )
    assert "def both(X: R[seq[n], emb], Y: R[seq[project_size], emb]) -> R[seq, emb]:\n" in text
    assert "    return nt.concat[seq](X, Y) * abs(seq) / Y.size(seq)\n" in text
    assert tree(again(both, project)["both"]) == tree(both)


def test_deep_and_shared_parts_are_written_in_lines_of_their_own():
    @formula
    def deep(X: R[seq, emb]) -> R[seq, emb]:
        for _ in range(300):
            X = nt.relu(X) + 1
        return X

    @formula
    def deep_in_its_indices(X: R[seq, emb]) -> R[seq, emb]:
        place = nt.iota(seq)
        for _ in range(150):
            place = nt.sin(place) + 1
        return X * place

    @formula
    def shared(X: R[seq, emb]) -> R[seq, emb]:
        place = nt.iota(seq)
        for _ in range(40):
            X, place = X + X, place + 1
        return X - place

    for made in (deep, deep_in_its_indices, shared):
        assert tree(again(made)[made.name]) == tree(made)
        assert len(python_of([made])) < 20_000


def test_the_formulas_of_the_models_are_read_back():
    names = again(model.layer, model.embed, model.output)
    for name in ("FFN", "att", "MHA", "lnorm", "layer", "embed", "output"):
        assert tree(names[name]) == tree(getattr(model, name))
        assert repr(names[name].signature.results) == repr(getattr(model, name).signature.results)


def test_of_two_formulas_of_one_name_the_last_keeps_it():
    first = project

    @formula
    def project_(X: R[emb], *, inner: first) -> R[hid]:
        return inner(X) + first(X, W=inner.W, b=inner.b * 2)

    project_.name = "project"
    names = again(first, project_)
    assert tree(names["project_2"]) == tree(first)
    assert "def project(X: R[emb], *, inner: project_2) -> R[hid]:\n" in python_of([project_])
    X, W, b = nt.ones("emb[2]"), nt.ones("emb[2] hid[3]"), nt.ones("hid[3]")
    inner = {"W": W, "b": b}
    assert_close(names["project"](X, inner=inner), project_(X, inner=inner))


def test_numbers_that_are_settings_stay_settings():
    @formula
    def f(X: R[emb], *, norm: model.lnorm) -> R[emb]:
        return norm(X, eps=0.5) + norm(X)

    assert body(f) == (
        "@formula\n"
        "def lnorm(X: R[emb], eps: float = 1e-05, *, gamma: R[emb], beta: R[emb]) -> R[emb]:\n"
        "    return (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + eps) * gamma + beta\n"
        "\n"
        "\n"
        "@formula\n"
        "def f(X: R[emb], *, norm: lnorm) -> R[emb]:\n"
        "    return norm(X, eps=0.5) + norm(X)\n"
    )
    assert tree(again(f)["f"]) == tree(f)


def test_a_setting_at_which_the_body_looks_has_its_default():
    @formula
    def power(X: R[emb], times: int = 2) -> R[emb]:
        for _ in range(times):
            X = X * X
        return X

    @formula
    def f(X: R[emb]) -> R[emb]:
        return power(X, times=3)

    assert body(power).endswith("def power(X: R[emb]) -> R[emb]:\n    return X * X * (X * X)\n")
    with pytest.raises(NamedTensorError) as caught:
        python_of([f])
    assert str(caught.value) == (
        "power(..., times=3): times is a setting at which the body looks, and power is written for "
        "its default\n"
        "hint: make times an argument of power"
    )


def test_a_result_that_is_not_declared_is_found():
    @formula
    def f(X: R[seq, emb]):
        return nt.sum[emb](X)

    assert "def f(X: R[seq, emb]) -> R[seq]:\n" in python_of([f])


@formula
def scaled(X: R[emb], *, g: R[emb]) -> R[emb]:
    return X * g


def test_formulas_that_cannot_be_written_are_left_out_where_errors_are_collected():
    @formula
    def bad(X: R[seq]) -> R[seq]:
        return nt.sum[emb](X)

    @formula
    def worse(X: R[seq]) -> R[seq]:
        return bad(X) + 1

    with pytest.raises(NamedTensorError):
        python_of([bad, project])
    failed = []
    assert python_of([bad, worse, project], failed) == python_of([project])
    assert [str(error).splitlines()[0] for error in failed] == [
        "sum[emb](X): X has no axis emb",
        "sum[emb](X): X has no axis emb",
    ]


def test_a_formula_with_a_stack_is_refused():
    @formula
    def deep(X: R[emb], *, layers: nt.each[scaled]) -> R[emb]:
        for layer in layers:
            X = layer(X)
        return X

    with pytest.raises(NamedTensorError, match="layers is a stack of any number of layers"):
        python_of([deep])


def test_a_bundle_that_may_be_left_out_is_one_there_too():
    @formula
    def ended(X: R[emb], *, end: scaled = None) -> R[emb]:
        return X if end is None else end(X)

    assert "def ended(X: R[emb], *, end: scaled = None) -> R[emb]:\n" in python_of([ended])


def test_a_tensor_that_its_indices_define_is_a_constant():
    @formula
    def N() -> R[seq_, seq]:
        return nt.define[seq_, seq](lambda i, j: i - j)

    text = python_of([N, project])
    assert "\n\n\nN = nt.define[seq_, seq](lambda i, j: i - j)\n\n\n@formula\n" in text
    assert again(N)["N"].node is tree(N)[0]
    assert "formula" not in python_of([N]).partition("\n")[2]


# ------------------------------------------------------------------------------- recurrences


def test_a_recurrence_is_a_scan_for_every_length():
    hid_ = hid.prime

    @formula
    def rnn(X: R[seq, emb], h: R[hid], *, W: R[emb, hid], U: R[hid, hid_]) -> R[seq, hid]:
        def step(h, x):
            return nt.tanh(W @ emb @ x + U @ hid_ @ h[hid >> hid_])

        return nt.scan[seq](step, h, X) * 2

    text = python_of([rnn])
    assert text.endswith(
        "    return nt.scan[seq](lambda h, x: nt.tanh(W @ emb @ x + U @ hid_ @ h[hid >> hid_]), h, X) * 2\n"
    ), text
    back = again(rnn)["rnn"]
    h, W, U = nt.ones("hid[3]"), nt.normal("emb[2] hid[3]"), nt.normal("hid[3] hid'[3]")
    for length in (1, 2, 5):
        X = nt.normal(f"seq[{length}] emb[2]")
        assert_close(back(X, h, W=W, U=U), rnn(X, h, W=W, U=U))


def test_a_recurrence_of_two_sequences_from_a_number():
    @formula
    def sums(X: R[seq, emb], Y: R[seq]) -> R[seq, emb]:
        return nt.scan[seq](lambda total, x, y: total + x * y, 0.0, X, Y)

    assert "nt.scan[seq](lambda total, x, y: total + x * y, 0.0, X, Y)" in python_of([sums])


def test_all_forms_of_a_recurrence_are_read_back():
    @formula
    def several(X: R[seq, emb], x: R[emb]) -> tuple[R[seq, emb], R[emb], R[seq, emb], R[emb]]:
        A, B = nt.scan[seq](lambda s, y: (s[0] + x, s[1] * s[0] + y), (x, 1.0), X)
        last, E = nt.scan[seq](
            lambda s, x: s + x, 0.0, X, emit=lambda s, x: nt.exp(s) * x, reverse=True
        )
        return A, last, B * E, nt.fold[seq](lambda s, y: s * x + y, x, X)

    back, X, x = again(several)["several"], nt.normal("seq[4] emb[2]"), nt.normal("emb[2]")
    for found, wanted in zip(back(X, x), several(X, x), strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize(
    "body",
    [
        lambda X: X * int(abs(seq)),
        lambda X: nt.stack[seq](*[X[seq(i)] * i for i in range(int(abs(seq)))]),
    ],
)
def test_what_depends_on_a_length_otherwise_is_refused(body):
    @formula
    def f(X: R[seq]) -> R[seq]:
        return body(X)

    with pytest.raises(TraceError) as caught:
        python_of([f])
    assert "Python asks for the number of a size that is open here" in str(caught.value)


def test_a_number_alone_is_a_constant():
    document = read(r"$X \in \mathbb{R}^{\text{seq}}$, $a = \frac{1}{2}$, $f(X) = a X$")
    assert python_of([document["a"], document["f"]]) == (
        '"""Formulas in the named tensor notation."""\n\n'
        "from namedtensor import R, axes, formula\n\n"
        'seq = axes("seq")\n\n\n'
        "a = 0.5\n\n\n"
        "@formula\n"
        "def f(X: R[seq]) -> R[seq]:\n"
        "    return 0.5 * X\n"
    )
