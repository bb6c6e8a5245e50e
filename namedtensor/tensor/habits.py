"""What users of positional arrays type by habit, and what to type instead: X.T, X.reshape, X.sum()."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.axes import Axis, either, parse_axes, primed, shown, typed_axes
from namedtensor.backends import get_backend
from namedtensor.backends.lazy import np
from namedtensor.errors import HabitError, NamedTensorError, caller_variables, nearest
from namedtensor.plans import layout_of
from namedtensor.primitives import table
from namedtensor.shape import shapes
from namedtensor.tensor.labels import caller_labels
from namedtensor.tensor.protocols import Called
from namedtensor.tensor.torch_refusals import taken_by_torch
from namedtensor.tensor.wrong_calls import Plain

if TYPE_CHECKING:
    from namedtensor.tensor.named import NamedTensor

_NO_ORDER = "axes have no order, so that nothing is transposed"
_BY_NAME = "axes are merged and split by name"
_GIVE_ORDER = "axes have no order until you give one"
_LIFTED = "an axis that a tensor lacks needs no place: operations lift over it"
_DROPPED = "an axis of size 1 is dropped by its index"

_ROWS = (
    ("T mT H transpose permute swapaxes swapdims movedim t", _NO_ORDER, "order"),
    ("reshape view flatten unflatten ravel resize", _BY_NAME, "merge"),
    ("unsqueeze expand expand_as repeat broadcast_to", _LIFTED, "lift"),
    ("squeeze", _DROPPED, "index"),
    ("tolist flat", _GIVE_ORDER, "list"),
    ("ndim dim", "axes are named, not counted", "count"),
    ("numel nelement", "a shape knows how many records it has", "records"),
    ("dims names shape_names", "axes are a tensor's own", "axes"),
    ("clone copy", "no operation changes a named tensor, so that nobody needs a copy", "itself"),
    (
        "contiguous is_contiguous stride",
        "how numbers are stored is no part of a named tensor",
        "itself",
    ),
    (
        "astype float double half bfloat16 long int bool type type_as",
        "a dtype is given by name",
        "cast",
    ),
    ("cuda cpu", "a device is given by name", "device"),
    ("dot matmul mm bmm mv", "a contraction names its axes between the operands", "dot"),
    ("masked_fill masked_fill_ where", "a choice by a condition is nt.where", "where"),
    (
        "gather index_select take take_along_dim",
        "an index stands in brackets, beside its axis",
        "pick",
    ),
    (
        "scatter scatter_ scatter_add scatter_add_ scatter_reduce index_add index_add_ index_copy",
        "an update names its records by their axes, and makes a new tensor",
        "put",
    ),
    (
        "register_hook retain_grad register_post_accumulate_grad_hook is_leaf grad_fn",
        "torch keeps what it records in its own tensor, which holds the numbers",
        "data",
    ),
    ("is_cuda get_device", "a tensor knows its device", "device_of"),
    ("fill fill_ zero_", "no operation changes a named tensor, each makes a new one", "filled"),
    ("tofile dump dumps data_ptr storage", _GIVE_ORDER, "array"),
    ("is_floating_point is_complex", "a dtype has a kind, which is a word", "kind"),
)
#: Functions of functions, and of data without names: what is written here.
_NO_OPERATIONS = {
    word: hint
    for words, hint in (
        ("array asarray as_tensor from_numpy Tensor", '`nt.tensor([[1.0, 2.0]], "seq emb")`'),
        ("jacobian jacrev jacfwd", "nt.derivative(f)(X)"),
        ("hessian", "nt.derivative(nt.grad(f))(X)"),
        ("jvp", "nt.differential(f)(X, dX)"),
        ("vmap", "none is needed: formulas and operations lift over further axes"),
        ("compile jit", "torch.compile(f)"),
        ("no_grad enable_grad inference_mode", "`with torch.no_grad(): ...`"),
        ("autocast", '`with torch.autocast("cpu"): ...`'),
        ("float32", '`X.to("float32")`'),
        ("float64 double", '`X.to("float64")`'),
        ("float16 half", '`X.to("float16")`'),
        ("bfloat16", '`X.to("bfloat16")`'),
        ("int64 long", '`X.to("int64")`'),
        ("int32", '`X.to("int32")`'),
        ("equal array_equal", "`nt.all[...](X == Y)`"),
        ("module", "f.module(...), with f a formula and the sizes of its axes"),
        ("manual_seed seed", "torch.manual_seed(0), or generator=np.random.default_rng(0)"),
    )
    for word in words.split()
}
#: A method of numpy's arrays and torch's tensors: why it is none of ours, and a form of the hint.
_METHODS = {word: (why, form) for words, why, form in _ROWS for word in words.split()}
_DTYPES = {
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int64",
    "bool": "bool",
}


def habit(X: NamedTensor, word: str) -> HabitError:
    """Make the error of an attribute that named tensors do not have.

    For names with two underscores, which protocols ask for, it has no hint.
    """
    (label,) = caller_labels([X])
    said = shapes(X)
    known = _METHODS.get(word)
    asked = taken_by_torch(X)
    if asked:
        why = known[0] if known is not None else f"a named tensor has no {word}"
        return HabitError(f"X.{word}", why, said, asked)
    if known is not None:
        return HabitError(f"X.{word}", known[0], said, _hint(X.axes, known[1], word, label))
    why = "operations are functions"
    codes = _codes("split" if word == "chunk" else word, X, label)
    if codes:
        if "[" in codes[0]:
            why = "functions name the axes they act on"
        return HabitError(f"X.{word}", why, said, either(codes))
    known_here = in_our_words(word, [X], Called()) if word in _FUNCTIONS else None
    if known_here:
        return HabitError(f"X.{word}", why, said, f"`{known_here}`")
    public = vars(sys.modules["namedtensor"]).get(word)
    if public is not None and _operates(public):
        return HabitError(
            f"X.{word}", why, said, f"nt.{word}, which takes {inspect.signature(public)}"
        )
    if word.endswith("_"):
        first = typed_axes(X.axes[:1]) if X.axes else "seq"
        why = "no operation changes a named tensor, each makes a new one"
        return HabitError(
            f"X.{word}", why, said, f"`{label}.at[{first}(0)].set(0.0)`, or `{label} + {label}`"
        )
    guess = nearest(word, _ATTRIBUTES, 0.7)
    hint = f"did you mean X.{guess}?" if guess else "operations are functions: dir(nt) lists them"
    return HabitError(f"X.{word}", f"a named tensor has no {word}", said, hint)


def assigned(X: NamedTensor, word: str) -> HabitError:
    """Make the error of an assignment to an attribute."""
    (label,) = caller_labels([X])
    torch = "" if X.layout.backend.name == "torch" else '.to("torch")'
    axis = shown(X.axes[0]) if X.axes else "seq"
    forms = {
        "requires_grad": f"{label} = {label}{torch}.requires_grad_()",
        "grad": f"{label}.data.grad = None" if not torch else "X.grad",
        "dtype": f'{label} = {label}.to("float32")',
        "device": f'{label} = {label}.to("cpu")',
        "kind": f'{label} = {label}.to("float32")',
        **dict.fromkeys(
            ("axes", "shape", "sizes", "reading_order"),
            f"{label} = {primed(label, axis)}" if X.axes else f"{label}.axes",
        ),
    }
    other = f"{label} = nt.tensor({', '.join([f'{label}.data', *map(repr, X.axes)])})"
    return HabitError(
        f"X.{word} = ...",
        "named tensors are values, and what is asked of one is not assigned",
        shapes(X),
        f"`{forms.get(word, other)}`",
    )


def shifted(X: NamedTensor, sign: str, other: object) -> HabitError:
    """Make the error of X >> axes, which renames, and of X >> 2, which shifts binary digits."""
    (label,) = caller_labels([X])
    power = "//" if sign == ">>" else "*"
    if type(other) is int and other >= 0:
        why, hint = "binary digits are not shifted", f"`{label} {power} {2**other}`"
    else:
        why = "a renaming stands in brackets"
        try:
            after = parse_axes(other)
        except NamedTensorError:
            after = ()
        pairs = [f"{shown(a)} -> {shown(b.name)}" for a, b in zip(X.axes, after, strict=False)]
        known = ", ".join(pairs) or "seq -> row"
        hint = f'`{label}["{known}"]`'
    return HabitError(f"X {sign} ...", why, shapes(X), hint)


#: Forms of hints that show how, and do not give what the call gives.
_EXAMPLES = frozenset("dot where pick put kind".split())
#: What people ask a named tensor for.
_ATTRIBUTES = """at axes backward data detach device dtype grad item kind numpy rearrange requires_grad shape
 size sizes to torch""".split()


def _codes(word: str, X: NamedTensor, label: str) -> list[str]:
    """Write the calls of the operation of this name that run on tensors such as X."""
    public, entry = vars(sys.modules["namedtensor"]).get(word), table().get(word)
    if entry is None or (public is not None and not _operates(public)):
        return []
    symbol = entry.traits.symbol
    if public is None or isinstance(public, Plain):
        tried = [[f"{label} {symbol} Y"]] if symbol and len(symbol) < 3 else []
        given = [label, f"{label}, Y", f"{label} > 0", f"{label} > 0, Y > 0"]
        tried += [[f"nt.{word}({operands})"] for operands in given]
    else:
        more = re.search(r"X(, {.*})\)$", _FUNCTIONS.get(word, ""))
        tried = [[], []]
        for axis, size in X.sizes:
            halves = repr([int(size) // 2, int(size) - int(size) // 2])
            rest = _filled(more[1], {"sizes": halves}) if more else ""
            tried[0].append(f"nt.{word}[{_typed(axis)}]({label}{rest})")
            tried[1].append(f"nt.{word}[{_typed(axis)}]({label} > 0)")
        if takes_any(public):
            tried[0].append(f"nt.{word}[...]({label})")
            tried[1].append(f"nt.{word}[...]({label} > 0)")
    found = [[code for code in way if _runs(code, X, label)] for way in tried]
    return next(filter(None, found), [])


def _runs(code: str, X: NamedTensor, label: str) -> bool:
    """Say whether a call runs on a tensor such as X, of zeros, where that is soon seen."""
    if hasattr(X, "node"):
        return f"[{label}" not in code and " > 0" not in code
    if X.shape.count > 4096:
        return True
    sizes = [int(size) for _, size in X.sizes]
    like = type(X)(np.zeros(sizes, X.kind), layout_of(X.axes, X.kind, get_backend("numpy")))
    axes = {_typed(axis): Axis(axis) for axis in X.axes}
    try:
        with np.errstate(all="ignore"):
            eval(code, {"nt": sys.modules["namedtensor"], "Y": like, **axes, label: like})
    except (NamedTensorError, SyntaxError, ValueError, TypeError, AttributeError, ArithmeticError):
        return False
    return True


def _hint(axes: tuple[str, ...], form: str, word: str, label: str) -> str:
    names = [shown(axis) for axis in axes]
    axis = names[-1] if names else "seq"
    if form == "order":
        array = ", ".join(
            [name if name.isidentifier() else f'"{name}"' for name in reversed(names)]
        )
        return (
            f"leave it out, `{label}`; an array in an order is `{label}.numpy({array})`, and another name "
            f"for an axis `{primed(label, axis)}`"
        )
    if form == "merge" and len(names) > 1:
        return f'{label}["({", ".join(names)}) -> layer"]'
    if form == "merge":
        return f'{label}["{axis} -> (head[1], {axis}\')"]'
    if form == "index":
        return f"{label}[{names[0] if names else 'seq'}(0)]"
    first = _typed(axes[0]) if axes else "seq"
    forms = {
        "lift": f"{label} + Y",
        "list": f"{label}.numpy({', '.join([n if n.isidentifier() else repr(n) for n in names])}).tolist()",
        "count": f"len({label}.axes)",
        "axes": f"{label}.axes",
        "itself": f"leave it out, `{label}`",
        "records": f"{label}.shape.count",
        "cast": f'{label}.to("{_DTYPES.get(word, "float32")}")',
        "device": f'{label}.to("{word}")',
        "dot": f"{label} @ {typed_axes([axis])} @ Y",
        "kind": f'{label}.kind == "float"',
        "pick": f"`{label}[{first}(0)]`, with 0 or with named integers",
        "put": f"`{label}.at[{first}(0)].add(1.0)`, with 0 or with named integers",
        "where": f"nt.where({label} > 0, 0.0, {label})",
        "data": f"{label}.data.{word}",
        "device_of": f"{label}.device",
        "filled": f"{label} = 0 * {label}",
        "array": f"{label}.numpy({', '.join([n if n.isidentifier() else repr(n) for n in names])})",
    }
    return forms[form]


#: Functions of torch and numpy that have another name here, or are written out: a form for each. {a} are the
#: axes that the call acts on, {s} the one that X and Y share, {c} the first of X that Y lacks, {n} one for a
#: new axis, {w} windows; what the call was given stands by torch's word for it, with what it is otherwise.
_PRODUCT = "X @ {s} @ Y"
_ROWS_OF_FUNCTIONS = (
    ("linear matmul mm bmm mv dot inner vdot", _PRODUCT),
    ("einsum", "X @ {summed} @ Y"),
    ("layer_norm group_norm instance_norm batch_norm", "nt.standardize[{a}](X{near})"),
    ("rms_norm", "X / nt.sqrt(nt.mean[{a}](X * X){above})"),
    ("normalize", "X / nt.norm[{a}](X)"),
    ("cosine_similarity", "X @ {a} @ Y / (nt.norm[{a}](X) * nt.norm[{a}](Y))"),
    ("pairwise_distance", "nt.norm[{a}](X - Y)"),
    ("cross_entropy", "{mean}(-nt.log_softmax[{c}](X)[{c}(Y)])"),
    ("nll_loss nll_loss_nd", "{mean}(-X[{c}(Y)])"),
    ("mse_loss", "{mean}((X - Y) * (X - Y))"),
    ("l1_loss", "{mean}(nt.abs(X - Y))"),
    (
        "smooth_l1_loss huber_loss",
        "{mean}(nt.where(nt.abs(X - Y) < 1, 0.5 * (X - Y) ** 2, nt.abs(X - Y) - 0.5))",
    ),
    ("binary_cross_entropy", "{mean}(-Y * nt.log(X) - (1 - Y) * nt.log(1 - X))"),
    ("binary_cross_entropy_with_logits", "{mean}(nt.softplus(X) - X * Y)"),
    ("embedding", "Y[{f}(X)]"),
    ("cat concat concatenate vstack hstack", "nt.concat[{a}]({every})"),
    ("stack", 'nt.stack["{n}"]({every})'),
    ("dropout", "nt.dropout(X, {p:0.5})"),
    ("conv1d conv2d conv3d", "Y @ ({s}, {kernels}) @ nt.unroll[{w}](X{moves})"),
    ("max_pool1d max_pool2d max_pool3d", "nt.max[{kernels}](nt.pool[{w}](X{moves}))"),
    ("avg_pool1d avg_pool2d avg_pool3d", "nt.mean[{kernels}](nt.pool[{w}](X{moves}))"),
    ("interpolate", "nt.upsample[{places}](X, {scale_factor:2})"),
    (
        "scaled_dot_product_attention",
        "Z @ {queried} @ nt.softmax[{queried}](X @ {s} @ Y / nt.sqrt(X.size({s})))",
    ),
    ("one_hot", "nt.one_hot(X, {counted})"),
    ("zeros_like", "0 * X"),
    ("amax", "nt.max[{a}](X)"),
    ("amin", "nt.min[{a}](X)"),
    ("var", "nt.var[{a}](X){freed}"),
    ("std", "nt.std[{a}](X){freed_root}"),
    ("topk", 'nt.maxk[{a}, "{n}[{k:2}]"](X)'),
    ("gather take take_along_axis take_along_dim index_select", "X[{by}(Y)]"),
    ("masked_fill", "nt.where(Y, {value:0}, X)"),
    ("outer ger", "X * Y"),
    ("remainder", "X % Y"),
    ("floor_divide", "X // Y"),
    ("fmod", "X - Y * nt.trunc(X / Y)"),
    ("frac", "X - nt.trunc(X)"),
    ("randn_like", "nt.normal(X.shape, dtype=X.dtype)"),
    ("segment_sum scatter_sum", 'nt.scatter[{a}, "{n}[5]"](X, Y)'),
    (
        "segment_max scatter_max",
        'nt.full("{n}[5]", -nt.inf, dtype=X.dtype).at[nt.axes("{n}")(Y)].max(X)',
    ),
    ("randn", 'nt.normal("{a}[5]")'),
    ("rand", 'nt.uniform("{a}[5]")'),
    ("arange", 'nt.iota("{a}[5]")'),
    ("linspace", 'nt.iota("{a}[5]") / 4'),
    ("ones_like", "0 * X + 1"),
    ("allclose", "nt.all[...](nt.abs(X - Y) <= {atol:1e-08} + {rtol:1e-05} * nt.abs(Y))"),
    ("isclose", "nt.abs(X - Y) <= {atol:1e-08} + {rtol:1e-05} * nt.abs(Y)"),
    ("argmax", "nt.argmax_index[{a}](X)"),
    ("argmin", "nt.argmin_index[{a}](X)"),
    ("clamp clip", "nt.clip(X, {ends:0, 1})"),
    ("silu swish", "nt.silu(X)"),
    ("roll", "nt.roll[{a}](X, {shift:1})"),
    ("pad", "nt.pad[{a}](X, {before:1}, {after:1}{filled})"),
    ("split chunk", "nt.split[{a}](X, {sizes})"),
    ("equal array_equal", "nt.all[...](X == Y)"),
    ("full_like", "0 * X + {fill_value:1.0}"),
    ("linalg_norm vector_norm linalg_vector_norm", "nt.norm[{a}](X)"),
    ("backward", "X.backward()"),
    ("shape", "X.shape"),
    ("size", "X.shape.count"),
    ("unbind", "nt.unstack[{a}](X)"),
)
_FUNCTIONS = {word: form for words, form in _ROWS_OF_FUNCTIONS for word in words.split()}
#: The same, where a second operand has no names: how to name it.
_UNNAMED = {
    "linear": 'X @ {a} @ nt.tensor({weight}, "{n} {a}")',
    "embedding": 'nt.tensor({weight}, "{n} {m}")[nt.axes("{n}")(X)]',
    "cross_entropy": '{mean}(-nt.log_softmax[{a}](X)[{a}(nt.tensor({target}, "{r}"))])',
    "conv1d conv2d conv3d": 'nt.tensor({weight}, "{n} {contracted} {own}") @ ({contracted}, {kernels}) @ '
    "nt.unroll[{w}](X{moves})",
}
_UNNAMED = {word: form for words, form in _UNNAMED.items() for word in words.split()}
#: What norms act on, by the place of an axis, where the call says nothing.
_NORMED: dict[str, Callable[[int], bool]] = {
    "batch_norm": lambda place: place != 1,
    "instance_norm": lambda place: place > 1,
    "group_norm": lambda place: place > 0,
}


#: What libraries call the places of axes; along which place functions join that do not ask for one.
_PLACES = ("dim", "dims", "axis")
_JOINED = {"vstack": 0, "hstack": 1}
#: What a function is outside of training; "" where it depends on what was kept.
_WITHOUT_TRAINING = {"dropout": "X", "batch_norm": ""}
#: Functions of torch whose numbers differ from those of numpy's and our functions of the same name.
_OTHERWISE = frozenset(("median", "nanmedian"))
#: What stands in a form for arguments of other names.
_ARGUMENTS = {
    "a": "dim dims axis normalized_shape num_groups",
    "by": "dim axis",
    "n": "dim axis",
    "mean": "reduction",
    "summed": "equation",
    "near": "eps",
    "above": "eps",
    "w": "kernel_size",
    "moves": "stride padding dilation",
    "before": "pad",
    "filled": "value",
    "counted": "num_classes",
    "sizes": "split_size_or_sections chunks dim",
    "ends": "min max a_min a_max",
    "shift": "shifts",
    "freed": "correction unbiased ddof",
    "freed_root": "correction unbiased ddof",
}
_STANDS_FOR = {word: names.split() for word, names in _ARGUMENTS.items()}
#: Arguments that change no number of a result, or only in what order and where it is stored.
_ALIKE = frozenset(
    "inplace out keepdim keepdims _stacklevel stable sorted kind momentum training".split()
)


def in_our_words(word: str, operands: list[Any], call: Called | None = None) -> str | None:
    """Write a function of torch or numpy in our notation, for operands that the caller calls X, Y and Z.

    `call` is how it was called, where that is known. What is written gives the numbers of that call: where a
    form has no place for what was chosen, nothing is written. None: nothing is.
    """
    if not operands:
        return None
    labels = caller_labels(operands) if call is not None else ("X", "Y", "Z")
    call = call or Called()
    form = None if call.library == "torch" and word in _OTHERWISE else _form(word, operands, call)
    found = form and _filled(
        _labelled(form, labels), _words_of(word, operands, labels, call.given), call.given
    )
    if not found and word in _METHODS and _METHODS[word][1] not in _EXAMPLES and operands[0].axes:
        found = _hint(operands[0].axes, _METHODS[word][1], word, labels[0])
    return found or None


def _form(word: str, operands: list[Any], call: Called) -> str:
    """Choose a form in which each operand and each argument that was chosen has its place."""
    form = _FUNCTIONS.get(word)
    several = form is not None and re.search(r"\b[YZ]\b", form)
    if form is not None and len(operands) == 1 and (word in _UNNAMED or several):
        form = _UNNAMED.get(word, "")
    if form and call.given.get("training") is False and word in _WITHOUT_TRAINING:
        form = _WITHOUT_TRAINING[word]
        return form if call.chosen <= {"training", "p"} | _ALIKE else ""
    if form:
        form += _affine(word, operands, call.given)
    if form is None:
        form = _of_table(word, len(operands), call)
    placed = set(re.findall(r"{(\w+)", form))
    for name in tuple(placed):
        placed.update(_STANDS_FOR.get(name, ()))
    if word in _NORMED and call.given.get("num_groups", 1) != 1:
        return ""
    running = {"running_mean", "running_var"} if call.given.get("training") else set()
    if not call.chosen <= placed | _ALIKE | running:
        return ""
    if not call.library:
        return form
    return form if "every" in placed or set("XYZ"[: len(operands)]) <= set(form) else ""


def _affine(word: str, operands: list[Any], given: Mapping[str, Any]) -> str:
    """Write the gain and the shift of a layer, as they are given: named, bare, or not at all."""
    normed = word in _NORMED or word in ("layer_norm", "rms_norm")
    if (not normed and word not in ("linear", "conv1d", "conv2d", "conv3d")) or not operands[
        0
    ].axes:
        return ""
    signs = {"weight": " * ", "bias": " + "} if normed else {"bias": " + "}
    own, named, found = operands[0].axes, list("YZ" if normed else "Z"), ""
    new = next(a for a in ("hid", "new", "other") if a not in own)
    axis = new if not normed else shown(own[1] if word in _NORMED and len(own) > 1 else own[-1])
    for name, sign in signs.items():
        value = given.get(name)
        if any(value is X for X in operands):
            found += sign + (named.pop(0) if named else "Z")
        elif value is not None and hasattr(value, "shape"):
            found += f'{sign}nt.tensor({{{name}}}, "{axis}")'
    return found


def _labelled(form: str, labels: Sequence[str]) -> str:
    """Put the caller's own names in the places of X, Y and Z."""
    known = dict(zip("XYZ", labels, strict=False))
    return re.sub(r"(?<!{)\b[XYZ]\b", lambda found: known.get(found[0], found[0]), form)


def _words_of(
    word: str, operands: list[Any], labels: Sequence[str], given: Mapping[str, Any]
) -> dict[str, str | None]:
    """Find the axes that a form names, in the order in which X stores its own, and plain arguments."""
    axes = [X.axes for X in operands]
    own, other = axes[0], axes[1] if len(axes) > 1 else ()
    names = [a for a in own if a not in other]
    shared = [a for a in own if a in other]
    new = [a for a in ("hid", "kernel", "vocab", "new", "other") if all([a not in x for x in axes])]
    places = [_JOINED[word]] if given and word in _JOINED else _dims(given)
    acted = [own[i] for i in places if -len(own) <= i < len(own)] or list(own[-1:])
    if word in _NORMED:
        acted = [a for i, a in enumerate(own) if _NORMED[word](i)] or acted
    if word == "vstack" and len(own) < 2:  # which makes an axis
        acted = []
    whole = _acts_on_all(word, given)
    by = (acted if _dims(given) else names)[-1:]
    queried = [a for a in other if len(axes) > 2 and a in axes[2] and a not in own]
    found: dict[str, str | None] = {
        "a": whole or ", ".join(map(_typed, acted)) or None,
        "s": _typed(shared[-1]) if shared else None,
        "c": _typed(names[-1]) if names else None,
        "by": _typed(by[0]) if by else None,
        "f": _typed(other[0]) if other else None,
        "r": " ".join(map(shown, own[:-1])) or None,
        "n": new[0],
        "m": new[1],
        "queried": _typed(queried[-1]) if queried else None,
        "places": ", ".join(map(_typed, own[2:])) or None,
    }
    for name, value in given.items():
        if isinstance(value, (bool, int, float)) and (name, value) != ("num_classes", -1):
            found[name] = repr(
                int(value) if value == int(value) and name == "scale_factor" else value
            )
        elif name in ("weight", "target", "bias") and hasattr(value, "shape"):
            found[name] = _held_as(value, name)
    found |= _windows(word, operands, given, new)
    found["summed"] = _summed(axes, given) if given else found["s"]
    found["every"] = ", ".join(labels[: len(operands)])
    found["counted"] = f'nt.axes("{new[0]}")[int(nt.max[...]({labels[0]})) + 1]'
    if "num_classes" in found:
        found["counted"] = f'"{new[0]}[{found["num_classes"]}]"'
    found["shift"] = found.get("shift", found.get("shifts"))
    found["mean"] = {"sum": "nt.sum[...]", "none": ""}.get(
        given.get("reduction", ""), "nt.mean[...]"
    )
    eps = given.get("eps")
    found["near"] = f", {eps!r}" if eps not in (None, 1e-05) else ""
    found["above"] = f" + {eps!r}" if eps else ""
    found |= _freed(operands[0], own if whole else acted, given)
    ends = [
        next((given[n] for n in (f"a_{n}", n) if _is_number(given.get(n))), None)
        for n in ("min", "max")
    ]
    if any(end is not None for end in ends):
        named = [
            f"{n}={end!r}" for n, end in zip(("low", "high"), ends, strict=True) if end is not None
        ]
        found["ends"] = ", ".join(named) if len(named) == 1 else ", ".join(map(repr, ends))
    value = given.get("value")
    found["filled"] = f", {value!r}" if _is_number(value) and value else ""
    pad, size = given.get("pad"), given.get("split_size_or_sections")
    if isinstance(pad, (tuple, list)) and len(pad) == 2:
        found["before"], found["after"] = map(repr, pad)
    chunks = given.get("chunks")
    if isinstance(chunks, int) and chunks > 0 and acted:
        size = -(-int(operands[0].size(acted[-1])) // chunks) or 1
    if isinstance(size, int) and size > 0 and acted:
        count = int(operands[0].size(acted[-1]))
        found["sizes"] = repr([min(size, count - i) for i in range(0, count, size)])
    return found


def _summed(axes: Sequence[tuple[str, ...]], given: Mapping[str, Any]) -> str | None:
    """Write the axes that an equation of einsum sums over, where both operands have them by one letter."""
    left, arrow, right = str(given.get("equation", "")).replace(" ", "").partition("->")
    parts = left.split(",")
    if not arrow or [len(part) for part in parts] != [len(own) for own in axes]:
        return None
    pairs = {
        pair for part, own in zip(parts, axes, strict=True) for pair in zip(part, own, strict=True)
    }
    known = dict(pairs)
    gone = [letter for letter in known if letter not in right]
    one = len(pairs) == len(known) == len(set(known.values()))
    if not one or not gone or not all([letter in part for letter in gone for part in parts]):
        return None
    names = ", ".join([_typed(known[letter]) for letter in sorted(gone, key=parts[0].index)])
    return names if len(gone) == 1 else f"({names})"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _acts_on_all(word: str, given: Mapping[str, Any]) -> str:
    """Write the axes of a call that names no places: all of them, where a function reduces those."""
    if not given or any(given.get(name) is not None for name in _PLACES):
        return ""
    entry = table().get(word)
    reduces = entry is not None and (word[:3] == "arg" or entry.traits.reduces((("ax",),)))
    return "..." if reduces or any(name in given for name in _PLACES) else ""


def _freed(X: NamedTensor, axes: Sequence[str], given: Mapping[str, Any]) -> dict[str, str | None]:
    """Write the factors between a variance that divides by less than |ax|, and its root, and ours."""
    less = given.get("correction", given.get("ddof", 1 if "input" in given else 0))
    less = int(given["unbiased"]) if "unbiased" in given else less
    count = math.prod([int(X.size(axis)) for axis in axes])
    if not given or not less:
        return {"freed": "", "freed_root": ""}
    if not _is_number(less) or count <= less:
        return {}
    ratio = f"{count} / {count - less}"
    return {"freed": f" * {ratio}", "freed_root": f" * nt.sqrt({ratio})"}


def _typed(axis: str) -> str:
    return typed_axes([axis])


def _dims(given: Mapping[str, Any]) -> list[int]:
    """Give the places of axes that a call names."""
    found = next((given[name] for name in _PLACES if name in given), None)
    if isinstance(given.get("normalized_shape"), (tuple, list)):
        found = range(-len(given["normalized_shape"]), 0)
    parts = [found] if type(found) is int else found
    return [i for i in parts if type(i) is int] if isinstance(parts, (list, tuple, range)) else []


def _windows(
    word: str, operands: list[Any], given: Mapping[str, Any], new: list[str]
) -> dict[str, str | None]:
    """Write the windows of a convolution or a pool over the last axes of X, and how they move."""
    count, own = int(word[-2]) if word[-2:] in ("1d", "2d", "3d") else 0, operands[0].axes
    if not count or len(own) < count + 1:
        return {}
    places = own[-count:]
    if len(operands) > 1:
        kernels = list(operands[1].axes[-count:])
        sizes = [operands[1].size(a) for a in kernels]
    else:
        kernels = ["kernel"] if count == 1 else ["kd", "kh", "kw"][-count:]
        wide = given.get(
            "kernel_size", getattr(given.get("weight"), "shape", (2,) * count)[-count:]
        )
        sizes = list(wide) if isinstance(wide, (tuple, list)) else [wide] * count
    moves = []
    for name, usual in (
        ("stride", sizes[0] if "pool" in word else 1),
        ("padding", 0),
        ("dilation", 1),
    ):
        move = given.get(name) or usual
        if isinstance(move, (tuple, list)):
            move = move[0] if len(set(move)) == 1 else tuple(move)
        if move != usual:
            moves.append(f", {name}={move!r}")
    if "max_pool" in word and "padding" in "".join(moves):
        moves.append(", value=-nt.inf")
    windows = [
        f'{_typed(a)}, "{shown(k)}[{n}]"' for a, k, n in zip(places, kernels, sizes, strict=True)
    ]
    return {
        "w": ", ".join(windows),
        "kernels": ", ".join([_typed(k) if len(operands) > 1 else f'"{k}"' for k in kernels]),
        "moves": "".join(moves),
        "contracted": shown(own[-count - 1]),
        "own": " ".join(kernels),
    }


def _held_as(value: Any, word: str) -> str:
    """Find what the caller calls a bare array: a variable, or a parameter of a module."""
    for name, thing in caller_variables().items():
        if thing is value:
            return name
        listed = None if isinstance(thing, type) else getattr(thing, "named_parameters", None)
        for path, data in listed() if listed is not None else ():
            if data is value:
                plain = all([part.isidentifier() for part in path.split(".")])
                return f"{name}.{path}" if plain else f'{name}.get_parameter("{path}")'
    return word


def _of_table(word: str, count: int, call: Called) -> str:
    """Write a call of the public function of this name, or the operator, with places for what was chosen."""
    entry = table().get(word)
    ours = vars(sys.modules["namedtensor"])
    public, given = ours.get(word), call.given
    labels = list("XYZ"[:count])
    if entry is not None and entry.traits.symbol and count == 2:
        return f"X {entry.traits.symbol} Y"
    if entry is not None and entry.traits.folds in ours and count == 2:
        return f"nt.{entry.traits.folds}(X, Y)"
    if public is None or not callable(public) or not _operates(public):
        return ""
    every = inspect.signature(public).parameters.values()
    if any([p.name.startswith("axes") for p in every]):
        return ""  # it makes a tensor of axes
    if count > 1 and not any([p.kind is p.VAR_POSITIONAL for p in every]):
        positional = [p for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
        if count > len(positional):
            return ""
    needed = [p for p in every if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    plain = [n for n, v in given.items() if _is_number(v) and n not in _PLACES and n not in _ALIKE]
    for parameter in needed[count:]:
        name = parameter.name if parameter.name in plain else next(iter(plain), None)
        if name is None:
            return ""
        plain.remove(name)
        labels.append(f"{{{name}}}")
    theirs = {"slope": "negative_slope"}
    for p in every:
        name = theirs.get(p.name, p.name)
        if p.default is not p.empty and _is_number(given.get(name)) and given[name] != p.default:
            labels.append(f"{p.name}={{{name}}}")
    listed = ", ".join(labels)
    if public is None or isinstance(public, Plain):
        return f"nt.{word}({listed})"
    if _acts_on_all(word, given) and not (
        takes_any(public) and entry is not None and entry.traits.reduces((("ax",),))
    ):
        return ""
    return f"nt.{word}[{{a}}]({listed})" if takes(public, 1) else ""


def takes(public: Any, count: int) -> bool:
    """Say whether a function accepts `count` axes."""
    try:
        public[tuple([f"ax{i}" for i in range(count)])]
    except NamedTensorError:
        return False
    return True


def takes_any(public: Any) -> bool:
    """Say whether a function accepts any number of axes."""
    return takes(public, 1) and takes(public, 2)


def _operates(public: object) -> bool:
    """Say whether a public name is an operation, and not a door to files such as nt.save."""
    return str(getattr(public, "__module__", "")).startswith("namedtensor.operations")


def not_public(word: str) -> HabitError:
    """Make the error of a name that the package does not have, such as nt.arange."""
    hint = in_place_of(word) or _NO_OPERATIONS.get(word, "")
    if not hint:
        guess = nearest(word, dir(sys.modules["namedtensor"]), 0.6)
        hint = f"did you mean nt.{guess}?" if guess else "dir(nt) lists what there is"
        if word[0].isupper() and not guess:
            hint = "a layer is a formula, which you write: @nt.formula; a module of torch can be a parameter "
            hint += f'of one, net: nt.lift["seq emb -> seq hid"], and f.module(net=torch.nn.{word}(...))'
    return HabitError(f"nt.{word}", f"namedtensor has no {word}", hint=hint)


def in_place_of(word: str) -> str:
    """Write what a function of torch or numpy is here, on an X of seq and emb and a Y of emb and hid."""
    from namedtensor.tensor.named import tensor

    X, Y = tensor([[0.0]], "seq emb"), tensor([[0.0]], "emb hid")
    return in_our_words(word, [X, Y]) or in_our_words(word, [X]) or ""


def _filled(
    form: str, words: Mapping[str, str | None], given: Mapping[str, Any] | None = None
) -> str:
    """Put axes and numbers in their places, or give nothing where one is not known.

    What a place has otherwise stands there only if the call says nothing of it.
    """
    missing = False

    def fill(found: re.Match[str]) -> str:
        nonlocal missing
        value = words.get(found[1])
        if value is None and not (given and found[1] in given):
            value = found[2]
        missing = missing or value is None
        return value or ""

    text = re.sub(r"{(\w+)(?::([^}]*))?}", fill, form)
    for name in re.findall(r"\bnt\.(\w+)\[{a}\]", form) if words.get("a") else ():
        acted = str(words["a"])
        count = 2 if acted == "..." else acted.count(", ") + 1
        missing = missing or not takes(getattr(sys.modules["namedtensor"], name), count)
    return "" if missing else text
