"""What a document says when it is asked for what it cannot give: the full texts."""

import inspect
from pathlib import Path

import pytest

import namedtensor as nt
from tests.errors.operands import STATES

DECLARED = r"$X \in \mathbb{R}^{\text{a}}$, $W^1, W^2 \in \mathbb{R}^{\text{a}}$, "


def said(text, ask, **numbers):
    document = nt.latex.read(DECLARED + text, "notes.md")
    if numbers:
        document = document.bind(**numbers)
    with pytest.raises(nt.NamedTensorError) as error:
        ask(document)
    return str(error.value)


X = nt.ones("a[2]")


def test_a_name_that_is_nowhere_brings_the_nearest_and_the_list():
    found = said(r"$\text{att}(X) = \exp X$, $f(X) = \exp X$", lambda d: d["atn"])
    assert found == (
        "notes.md:1:71: error[undefined]: the document defines no atn; did you mean att?\n"
        r"1 | thbb{R}^{\text{a}}$, $W^1, W^2 \in \mathbb{R}^{\text{a}}$, $\text{att}(X) = \exp X$,"
        r" $f(X) = \exp X$"
        "\n  |                                                             ^^^^^^^^^^\n"
        "hint: it defines att, f"
    )


def test_capitals_are_no_hindrance_to_the_guess():
    assert "no mha; did you mean MHA?" in said(
        r"$\text{MHA}(X) = \exp X$, $\text{mlp}(X) = \exp X$", lambda d: d["mha"]
    )


def test_a_document_without_definitions_says_how_one_is_written():
    assert said("", lambda d: d["f"]) == (
        "notes.md:1:1: error[undefined]: the document defines no f\n"
        r"1 | $X \in \mathbb{R}^{\text{a}}$, $W^1, W^2 \in \mathbb{R}^{\text{a}}$, "
        "\n  | ^\n"
        "hint: a definition is written f(X) = ..."
    )


def test_an_argument_without_a_declaration_has_the_axes_that_the_body_acts_along():
    document = nt.latex.read(r"$f(Z) = \sum_{\text{a}} Z$")
    assert repr(document["f"]) == "f(Z: R[a]) -> R"


def message(text, ask, **numbers):
    """Give the first line and the hint, without the place."""
    lines = said(text, ask, **numbers).split("\n")
    return lines[0].split(": ", 1)[1], lines[-1]


def test_a_call_without_its_parameters_says_which_are_missing():
    text = r"$\text{layer}(X; W^1, W^2) = W^1 + W^2 + X$, $g(X) = \exp \text{layer}(X; W^1)$"
    assert message(text, lambda d: d["g"](X, W1=X)) == (
        "error[arguments]: layer(X; W^1): layer needs its parameter W^{2}, and is called without",
        "hint: write layer(...; W^{1}, W^{2}), or layer^{1}(...) for parameters of its own",
    )


def test_a_layer_that_is_called_without_its_parameters_takes_the_declared_ones():
    layer = r"$\text{layer}(X; W) = W^1 + X$, "
    once = nt.latex.read(DECLARED + layer + r"$g(X) = 2 \text{layer}(X)$")
    twice = nt.latex.read(DECLARED + layer + r"$g(X) = \text{layer}(\text{layer}(X))$")
    assert [f.severity for f in once.check() if f.code == "parameters-missing"] == ["note"]
    assert [f.severity for f in twice.check() if f.code == "parameters-missing"] == ["warning"]
    assert (once["g"](X, W1=X).numpy() == 4).all()
    assert (twice["g"](X, W1=X).numpy() == 3).all()


def test_a_function_that_is_a_letter_takes_the_declared_parameters():
    document = nt.latex.read(DECLARED + r"$f(X; W) = W^1 + X$, $g(X) = f(f(X))$")
    (note,) = [f for f in document.check() if f.code == "parameters-missing"]
    assert note.severity == "note"
    assert repr(document["g"]) == "g(X: R[a]; W1: R[a]) -> R[a]"
    assert (document["g"](X, W1=X).numpy() == 3).all()


def test_a_call_with_too_many_arguments_says_how_many_there_are():
    text = r"$f(X) = \exp X$, $g(X) = f(X, X)$"
    assert message(text, lambda d: d["g"](X)) == (
        "error[arguments]: f(X, X): f takes 1 argument(s), X, and is given 2",
        "hint: write f(X)",
    )


def test_a_bundle_whose_members_are_declared_nowhere_says_so():
    text = r"$f(X; W) = W^1 + W^2 + X$, $g(X; V) = \exp f(X; V)$, $V^2 \in \mathbb{R}^{\text{a}}$"
    assert message(text, lambda d: d["g"](X, V2=X)) == (
        "error[arguments]: V is to hold V^1, which is not declared",
        "hint: declare V^1, which stands for W^{1} here",
    )


def test_a_setting_that_the_function_lacks_is_refused():
    text = r"$f(X) = \exp X$, $g(X) = f(X, \epsilon = 0.5)$"
    assert message(text, lambda d: d["g"](X))[0] == "error[arguments]: f has no setting epsilon"


def test_an_update_of_what_has_no_value_is_refused():
    text = r"$$Y \leftarrow \sum_{\text{a}} Y$$"
    assert message(text, lambda d: d["Y"]()) == (
        "error[undefined]: Y is updated, and has no value before",
        "hint: declare it, or define it first: Y = ...",
    )


def test_a_size_that_no_argument_has_is_to_be_chosen():
    text = r"$P_{\text{b}:i} = \exp(i / d_k)$, $P \in \mathbb{R}^{\text{b}:d_k}$"
    assert message(text, lambda d: d["P"]()) == (
        "error[unbound]: d_{k} is the size of an axis that nothing here has",
        'hint: choose it: document.bind(d_k=64)["P"]',
    )


SERIES = r"""
$$\begin{aligned}
f(X) &= \exp X \\
X^1 &= f(X) \\
&\vdots \\
X^L &= f(X^{L-1})
\end{aligned}$$
"""


def test_a_series_waits_for_its_length():
    assert message(SERIES, lambda d: d["X^L"](X)) == (
        "error[unbound]: X^{l} needs a number for L",
        'hint: choose it: document.bind(L=2)["X^{L}"]',
    )
    assert message(SERIES, lambda d: d["X^l"](X)) == (
        "error[unbound]: X^{l} needs a number for L",
        'hint: choose it: document.bind(L=2)["X^{l}"]',
    )


def test_a_recurrence_without_a_range_waits_for_its_length():
    text = r"$h^t = \exp h^{t-1} + X$, $h^0 = X$"
    assert message(text, lambda d: d["h"](X)) == (
        "error[unbound]: h^{t} needs a number for t",
        'hint: choose it: document.bind(t=2)["h^{t}"]',
    )


def test_only_numbers_of_the_document_can_be_bound():
    text = r"$Y \in \mathbb{R}^{\text{b}:d_k, \text{c}:n}$"
    assert said(text, lambda d: d.bind(d_m=3)) == (
        "document.bind(d_m=3): notes.md has no size or number d_m\nhint: did you mean d_k?"
    )
    assert said(text, lambda d: d.bind(zeta=3)).endswith("\nhint: it has a, d_k, n")
    assert said("", lambda d: d.bind(zeta=3)).endswith("\nhint: it has a")


@pytest.mark.parametrize("value", [2.5, -1, True])
def test_a_size_is_bound_to_a_whole_number(value):
    text = r"$Y \in \mathbb{R}^{\text{b}:n}$"
    assert said(text, lambda d: d.bind(n=value)) == (
        f"document.bind(n={value!r}): a size or a length is a whole number, 0 or more\n"
        "hint: document.bind(n=64)"
    )


def test_one_letter_stands_once_among_the_arguments():
    text = r"$f(X, X) = \sum_{\text{a}} X$"
    assert message(text, lambda d: d["f"]) == (
        "error[repeated]: X stands twice among the arguments of f",
        "hint: give each argument a letter of its own",
    )


@pytest.mark.parametrize(
    "text",
    [
        r"$f(X) = \exp f(X)$",
        r"$f(X) = \exp g(X)$, $g(X) = 2 f(X)$",
        r"$f = 2 g$, $g = \sum_{\text{a}} f$",
    ],
)
def test_what_is_defined_by_itself_is_refused(text):
    assert message(text, lambda d: d["f"].shape()) == (
        "error[circular]: f is defined by itself",
        "hint: a recurrence counts its steps: h^t = f(h^{t-1}), with h^0 given",
    )


def test_a_formula_that_takes_the_parameters_of_itself_is_refused():
    text = (Path(__file__).parent / "corpus" / "transformer_macros.tex").read_text()
    told = r"W^O &\in \R^{\heads\times\val\times\layer}"
    assert told in text
    document = nt.latex.read(text.replace(told, told + " x"), "a.tex")  # which cannot be read
    assert [f.code for f in document.check()] == ["syntax-unexpected"]
    circular = [m for _, m in document.made() if "defined by itself" in str(m)]
    assert {str(m).partition("\n")[0] for m in circular} == {
        "a.tex:12:1: error[circular]: SelfAtt is defined by itself"
    }


FAMILY = r"$f_k(X) = X^k + k$, $k = 1, \ldots, 3$"


def test_a_family_is_not_called():
    assert said(FAMILY, lambda d: d["f"](X)) == (
        "f_{k}(...): this is a family of formulas, and a call is of one of them\n"
        'hint: choose it by its index: document["f"][1] for k = 1'
    )


def test_a_family_is_indexed_by_whole_numbers_in_its_range():
    assert said(FAMILY, lambda d: d["f"]["a"]) == (
        "f_{k}[...]: a member is chosen by a whole number, and not by a str\n"
        "hint: f_{k} has the index k: [1] for k = 1"
    )
    assert said(FAMILY, lambda d: d["f"][1, 2]) == (
        "f_{k}[1, 2]: f_{k} has the index k, and 2 are given\nhint: one whole number for each"
    )
    assert said(FAMILY, lambda d: d["f"][4]) == (
        "f_{k}[4]: k runs from 1 to 3, and 4 is outside\n"
        "hint: the document counts from its first number"
    )
    assert "k runs from 1 to 3, and 0 is outside" in said(FAMILY, lambda d: d["f"][0])


def test_formulas_numbered_one_by_one_are_asked_for_by_those_numbers():
    text = r"$f_1(X) = \exp X$, $f_3(X) = 2 \exp X$"
    assert said(text, lambda d: d["f"][2]) == "f[2]: f is defined for 1, 3\nhint: f[1]"


def test_an_error_of_the_body_names_the_place_and_shows_no_steps_of_the_evaluator():
    document = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = 2 \sum_{\text{b}} X$", "notes.md"
    )
    with pytest.raises(nt.latex.LatexError) as error:
        document["f"](X)
    assert str(error.value).split("\n")[0] == (
        "notes.md:1:42: error[axis-missing]: sum_b X: X has no axis b"
    )
    assert error.value.finding.code == "axis-missing"
    steps = [str(entry.path) for entry in error.traceback]
    assert not [path for path in steps if "evaluate" in path or "arithmetic" in path]


def test_an_error_of_a_called_formula_names_its_own_place():
    document = nt.latex.read(
        "$X \\in \\mathbb{R}^{\\text{a}}$, $f(X) = 2 \\sum_{\\text{b}} X$\n\n$g(X) = 1 + f(X)$",
        "notes.md",
    )
    with pytest.raises(nt.latex.LatexError, match=r"^notes.md:1:42: error\[axis-missing\]"):
        document["g"](X)


def test_a_wrong_call_from_python_is_answered_as_of_a_python_formula():
    document = nt.latex.read(DECLARED + r"$f(X; W) = W^1 + X$", "notes.md")
    with pytest.raises(
        nt.AxisMissingError, match=r"^f\(X, W1\): X has no axis a, which f declares"
    ):
        document["f"](nt.ones("b[2]"), W1=X)


def test_an_error_survives_pickling():
    import pickle

    document = nt.latex.read("", "notes.md")
    with pytest.raises(nt.latex.LatexError) as error:
        document["f"]
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_an_axis_that_a_declaration_names_twice_is_refused_where_it_runs():
    text = r"$Y \in \mathbb{R}^{\text{b}, \text{b}}$, $f(Y) = \sum_{\text{b}} Y$"
    assert message(text, lambda d: d["f"]) == (
        "error[repeated]: Y is declared over the axis b twice; axes are a set",
        "hint: call the second one b', or leave it out",
    )


@pytest.mark.parametrize(
    "body", [r"\text{softmax}", r"\underset{\text{a}}{\text{softmax}}", r"\exp", "g"]
)
def test_a_function_without_its_argument_is_no_result(body):
    text = rf"$g(X) = \exp X$, $f(X) = {body}$"
    document = nt.latex.read(DECLARED + text, "notes.md")
    (found,) = document.check()
    assert found.message.endswith("is a function, and stands here without arguments")
    code, hint = message(text, lambda d: d["f"](nt.ones("a[2]")))
    assert code == "error[arguments]: f gives a function, which stands there without arguments"
    assert hint == r"hint: apply it: \text{softmax}(X)"


@pytest.mark.parametrize("steps", [1, 2])
def test_a_recurrence_whose_sizes_differ_at_the_next_step_is_refused_in_words(steps):
    """Of one step a bare Mismatch of the plan came through."""
    h = nt.latex.read(STATES)["h"]
    x, h0 = nt.ones(f"t[{steps}] emb[1]"), nt.ones("state[2]")
    with pytest.raises(nt.NamedTensorError, match=r"h0 : state|state is 2"):
        h(x, h0, A=nt.ones("state[2] state'[3]"), B=nt.ones("emb[1] state'[3]"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            "100",
            "bind(seq=...): a size or a length is a whole number, 0 or more, and a str is given",
        ),
        (
            [4],
            "bind(seq=...): a size or a length is a whole number, 0 or more, and a list is given",
        ),
        (
            X,
            "bind(seq=...): a size or a length is a whole number, 0 or more, and a NamedTensor is given",
        ),
        (-1, "bind(seq=-1): a size or a length is a whole number, 0 or more"),
    ],
)
def test_a_bound_number_that_is_none_is_not_printed(value, text):
    document = nt.latex.read(r"$Q \in \mathbb{R}^{\text{seq}}$ $$f(Q) = Q$$", "notes.md")
    with pytest.raises(nt.NamedTensorError) as caught:
        document.bind(seq=value)
    assert str(caught.value) == f"document.{text}\nhint: document.bind(seq=64)"


def test_a_small_number_is_a_number():
    text = r"$X \in \mathbb{R}^{\text{a}}$ $$f(X) = \frac{X}{\sum_{\text{a}} X + \epsilon}$$"
    document = nt.latex.read(text, "notes.md")
    with pytest.raises(nt.NamedTensorError) as caught:
        document.bind(epsilon="little")
    assert str(caught.value) == (
        "document.bind(epsilon=...): this is a number, and a str is given\n"
        "hint: document.bind(epsilon=1e-6)"
    )


def test_the_signature_of_a_formula_has_its_names_and_spaces():
    text = r"$Q \in \mathbb{R}^{\text{seq}}$ $$f(Q; a) = a Q$$"
    f = nt.latex.read(text, "notes.md")["f"]
    assert str(inspect.signature(f)) == "(Q: R[seq], *, a: R)"
