"""Formulas are read into trees: each way to write something, in both dialects."""

import pytest

from namedtensor.latex.reading.macros import Macros
from namedtensor.latex.reading.reader import parse_expression
from tests.latex.trees import (
    DOTS,
    act,
    all_of,
    at,
    ax,
    bars,
    big,
    both,
    call,
    cases,
    d,
    dot,
    down,
    floor,
    items,
    logic,
    matrix,
    neg,
    num,
    of,
    op,
    prime,
    rel,
    renamed,
    root,
    says,
    size,
    space,
    text,
    under,
    up,
    word,
)


def read(written):
    return parse_expression(written, Macros())


def prod(left, right):
    return op("*", left, right)


SAME = {
    "a contraction": (
        dot("emb", "A", "B"),
        r"A \underset{\text{emb}}{\cdot} B",
        r"A \ndot{\name{emb}} B",
        r"A \ndot\name{emb} B",
        r"A \ndot{emb} B",
        r"A \mathbin{\underset{\text{emb}}{\cdot}} B",
        r"A \mathbin{\underset{\substack{\name{emb}}}{\odot}} B",
        r"A \nbin{\name{emb}}{\odot} B",
        r"A \nbin{\name{emb}}{\cdot} B",
        r"{A} \mathbin{{\underset{{\text{emb}}}{{\cdot}}}} {B}",
        r"A \underset{\mathsf{emb}}{\boldsymbol{\cdot}} B",
        r"A \underset{\textsf{emb}}{\bullet} B",
        r"A \underset{\mathrm{emb}}{·} B",
        r"(A \ndot{\name{emb}} B)",
        r"\left[ A \ndot{\name{emb}} B \right]",
        r"\Bigl\{ A \ndot{\name{emb}} B \Bigr\}",
        r"\boxed{A \ndot{\name{emb}} B}",
        r"\textcolor{red}{A} \ndot{\name{emb}} \underbrace{B}_{\text{the weights}}",
    ),
    "a contraction over two axes": (
        dot("heads val", "A", "B"),
        r"A \underset{\text{heads}, \text{val}}{\cdot} B",
        r"A \ndot{\name{heads} \\ \name{val}} B",
        r"A \ndot{heads,val} B",
        r"A \underset{\substack{\text{heads} \\ \text{val}}}{\cdot} B",
        r"A \underset{\text{heads} \times \text{val}}{\cdot} B",
        r"A \ndot{\name{heads,val}} B",
    ),
    "an outer product": (dot("", "A", "B"), r"A \ndot{} B", r"A \nbin{}{\odot} B"),
    "a softmax": (
        act("softmax", "X", "seq"),
        r"\underset{\text{seq}}{\text{softmax}} X",
        r"\nfun{\name{seq}}{softmax} X",
        r"\nfun{seq}{softmax} X",
        r"\nfun{\name{seq}}{\text{softmax}} X",
        r"\operatorname*{softmax}_{\name{seq}} X",
        r"\operatorname{softmax}_{\text{seq}} X",
        r"\mathop{\underset{\text{seq}}{\mathrm{softmax}}} X",
        r"\mathop{\mathrm{softmax}}_{\text{seq}} X",
        r"\mathop{\mathrm{softmax}}\limits_{\text{seq}} X",
        r"\text{softmax}_\text{seq} X",
        r"{\nfun{\name{seq}}{softmax}} X",
    ),
    "a softmax of brackets": (
        call("softmax", "X", axes="seq"),
        r"\underset{\text{seq}}{\text{softmax}}(X)",
        r"\nfun{\name{seq}}{softmax} \left( X \right)",
        r"\text{softmax}_{\text{seq}} \big(X\big)",
        r"\nfun{\name{seq}}{softmax} \{X\}",
    ),
    "a function over two axes": (
        act("unroll", "X", "seq kernel"),
        r"\nfun{\name{seq} \\ \name{kernel}}{unroll} X",
        r"\underset{\text{seq}, \text{kernel}}{\text{unroll}} X",
    ),
    "a one-hot maximum": (
        act("argmax", "X", "seq"),
        r"\nfun{\name{seq}}{argmax} X",
        r"\nfun{\name{seq}}{\arg\max} X",
        r"\operatorname*{arg\,max}_{\name{seq}} X",
        r"\arg\max_{\text{seq}} X",
        r"\underset{\text{seq}}{\arg\max} X",
    ),
    "a sum over an axis": (
        big("sum", "X", "vocab"),
        r"\sum_{\text{vocab}} X",
        r"\nsum{\name{vocab}} X",
        r"\nsum{vocab} X",
        r"\sum\limits_{\name{vocab}} X",
        r"\underset{\text{vocab}}{\sum} X",
        r"\mathop{\sum}_{\text{vocab}} X",
        r"∑_{\text{vocab}} X",
    ),
    "a sum over an index": (
        big("sum", at("X", seq="i"), lower=rel("i", "=", 1), upper="n"),
        r"\sum_{i=1}^{n} X_{\text{seq}:i}",
        r"\sum^n_{i = 1} X_{\name{seq}(i)}",
        r"\sum_{i = 1}^n X_{\name{seq}(i)}",
    ),
    "a renaming": (
        renamed("X", ("seq", "seq'")),
        r"[X]_{\text{seq} \rightarrow \text{seq}'}",
        r"X_{\text{seq} \to \text{seq}'}",
        r"X_{\name{seq}\rightarrow\name{seq}'}",
        r"\left[X\right]_{\name{seq}\rightarrow\name{seq'}}",
        r"[X]_{\name{seq} → \name{seq}^\prime}",
    ),
    "a reshaping": (
        renamed("A", ("height width", "layer")),
        r"A_{(\name{height},\name{width})\rightarrow\name{layer}}",
        r"A_{\text{height}, \text{width} \rightarrow \text{layer}}",
    ),
    "an element": (
        at("M", seq_="i", seq="j"),
        r"M_{\text{seq}':i, \text{seq}:j}",
        r"M_{\name{seq}'(i), \name{seq}(j)}",
        r"M_{\name{seq'}(i), \name{seq}(j)}",
        r"[M]_{\text{seq}'=i, \text{seq}=j}",
        r"M_{\text{seq}'{:}i, \text{seq}{:}j}",
    ),
    "the size of an axis": (
        size("key"),
        r"|\name{key}|",
        r"|\text{key}|",
        r"\left|\text{key}\right|",
        r"\lvert\name{key}\rvert",
        r"|\mathsf{key}|",
    ),
    "a half": (op("/", 1, 2), r"\frac12", r"\frac{1}{2}", r"\tfrac 1 2", r"\dfrac1{2}", "1/2"),
    "a name of two italics": (of("kh*"), "kh", "{kh}"),
    "a product of two letters": (prod("k", "h"), "k h", r"k\,h", "{k}{h}", "k{h}"),
    "a matrix with axes": (
        matrix((3, 1), (1, 5), row="height", column="width"),
        r"\nmatrix{\name{height}}{\name{width}}{3 & 1 \\ 1 & 5}",
        r"\namedmatrix{\name{height}}{\name{width}}{3 & 1 \\[1ex] 1 & 5}",
        r"\name{height} \, \begin{array}[b]{@{}c@{}} \name{width} \\"
        r" \begin{bmatrix} 3 & 1 \\ 1 & 5 \end{bmatrix} \end{array}",
    ),
    "cases": (
        cases((0, rel("j", "<=", "i")), (neg("infty"), None)),
        r"\begin{cases} 0 & j \leq i \\ -\infty & \text{otherwise} \end{cases}",
        r"\begin{cases} 0, & \text{if } j \le i, \\ -\infty, & \text{else}. \end{cases}",
        r"\left\{ \begin{array}{ll} 0 & j \leq i \\ -\infty & \text{o.w.} \end{array} \right.",
        r"\begin{dcases} 0 & \text{if $j \leq i$} \\ -\infty \end{dcases}",
    ),
}


@pytest.mark.parametrize(
    ("tree", "written"), [(tree, each) for tree, *forms in SAME.values() for each in forms]
)
def test_ways_to_write_one_thing_give_one_tree(tree, written):
    assert read(written) == tree


BINDING = {
    # what binds tighter
    r"W \ndot{a} X + b": op("+", dot("a", "W", "X"), "b"),
    r"A \ndot{a} B \ndot{b} C": dot("b", dot("a", "A", "B"), "C"),
    r"Q \ndot{k} K / \sqrt{d}": dot("k", "Q", op("/", "K", root("d"))),
    r"a b / c d": prod(op("/", prod("a", "b"), "c"), "d"),
    r"\text{softmax} X \odot Y": op("odot", act("softmax", "X"), "Y"),
    r"\nfun{a}{softmax} X \ndot{b} Y": dot("b", act("softmax", "X", "a"), "Y"),
    r"\nfun{a}{softmax} \alpha X": act("softmax", prod("alpha", "X"), "a"),
    r"\nfun{a}{softmax} \frac{Q}{2} \ndot{b} V": dot(
        "b", act("softmax", op("/", "Q", 2), "a"), "V"
    ),
    r"\nsum{a} X \odot Y": big("sum", op("odot", "X", "Y"), "a"),
    r"\nsum{a} X \ndot{b} Y + Z": op("+", big("sum", dot("b", "X", "Y"), "a"), "Z"),
    r"\nsum{a} (X - \nfun{a}{mean} X)^2": big(
        "sum", up(op("-", "X", act("mean", "X", "a")), 2), "a"
    ),
    r"\frac{1}{|\name{a}|} \nsum{a} X": prod(op("/", 1, size("a")), big("sum", "X", "a")),
    r"\sum_i \sum_j X_{\name{a}(i)}": big("sum", big("sum", at("X", a="i"), lower="j"), lower="i"),
    r"-a \odot b": op("odot", neg("a"), "b"),
    r"-a b": neg(prod("a", "b")),
    r"a - -b": op("-", "a", neg("b")),
    r"\exp -x": act("exp", neg("x")),
    r"\exp(x) y": prod(call("exp", "x"), "y"),
    r"2 \exp x y": prod(2, act("exp", prod("x", "y"))),
    r"\sin^2 x": act(up("sin", 2), "x"),
    r"\log_2 x": act(down("log", 2), "x"),
    r"\partial X \odot Y": op("odot", d("X"), "Y"),
    r"\partial (U + V)": d(op("+", "U", "V")),
    r"a + 2 \times 3 - 1": op("-", op("+", "a", op("times", 2, 3)), 1),
    r"A \cup B \cap C": op("cap", op("cup", "A", "B"), "C"),
    r"a = b + 1 < c": rel("a", "=", op("+", "b", 1), "<", "c"),
    r"i \text{ odd and } j > 1": logic("and", says("i", "odd"), rel("j", ">", 1)),
    r"i \text{ is even} \lor j = 2 \lor k < 1": logic(
        "or", says("i", "even"), rel("j", "=", 2), rel("k", "<", 1)
    ),
    r"\text{if}": text("if"),
    # scripts
    "W^1": up("W", 1),
    "X^{L-1}": up("X", op("-", "L", 1)),
    "W^{l,Q}": up("W", items("", "l", "Q")),
    "h_t^l": both("h", "t", "l"),
    "h^l_t": both("h", "t", "l"),
    "h^{(t)}": up("h", "t"),
    "X'": prime("X"),
    "X''": prime("X", 2),
    r"X^{\prime\prime}": prime("X", 2),
    "X'^2": prime("X", 1, 2),
    r"d_{\text{model}}": down("d", of("model")),
    r"A^\top": up("A", "top"),
    "A^{-1}": up("A", neg(1)),
    "A^*": up("A", "**"),
    "x_{1:n}": down("x", text("1:n")),
    "x^10": prod(up("x", 1), 0),
    "x^{10}": up("x", 10),
    r"(\gamma_{\name{a} \rightarrow \name{b}})^3": up(renamed("gamma", ("a", "b")), 3),
    r"\gamma_{\name{a} \rightarrow \name{b}}^3": renamed(up("gamma", 3), ("a", "b")),
    r"W^1_{\name{a}(i)}": at(up("W", 1), a="i"),
    r"\text{LayerNorm}^{1'}(X)": call(up("LayerNorm", prime(1)), "X"),
    r"\hat{y}": of("yhat*"),
    r"\bar x^2": up("xbar*", 2),
    r"\mathbf{W}\mathbf x": prod("Wbold*", "xbold*"),
    r"\hat{\mathbf{x}}": of("xboldhat*"),
    r"\hat\mathbf{x}": of("xboldhat*"),
    r"\mathcal L": of("Lcal*"),
    r"{\cal N}(x; \mu)": call("Ncal*", "x", parameters=["mu"]),
    r"\tilde\alpha": of("alphatilde*"),
    # indices and renamings
    r"X_{\name{seq}(i+j-1), \name{kernel}(j)}": at(
        "X", seq=op("-", op("+", "i", "j"), 1), kernel="j"
    ),
    r"P_{\name{seq}(I_{\name{sub}(k)})}": at("P", seq=at("I", sub="k")),
    r"A_{\name{a} \rightarrow \name{b}, \name{c} \rightarrow \name{d}}": renamed(
        "A", ("a", "b"), ("c", "d")
    ),
    r"A_{\name{l} \rightarrow (\name{h}[28], \name{w}[28])}": renamed(
        "A", ("l", {"h": 28, "w": 28})
    ),
    r"A_{\text{l} \rightarrow (\text{h}:2, \text{w})}": renamed("A", ("l", {"h": 2, "w": None})),
    r"\text{f}(X)_{\name{a}\rightarrow\name{b}}": renamed(call(word("f"), "X"), ("a", "b")),
    r"I_{\name{ax}, \name{ax}'}": down("I", items("", *ax("ax ax'"))),
    # calls
    r"\text{FFN}(X; W, b)": call("FFN", "X", parameters=["W", "b"]),
    r"W(X + b)": call("W", op("+", "X", "b")),
    r"f'(U)": call(prime("f"), "U"),
    r"\text{lnorm}(X, \text{eps} = 0.5; \gamma)": call(
        "lnorm", "X", rel("eps", "=", 0.5), parameters=["gamma"]
    ),
    r"p(x \mid y)": call("p", rel("x", "mid", "y")),
    r"p(x|y)": call("p", rel("x", "mid", "y")),
    r"\max(0, X)": call("max", 0, "X"),
    r"\max\{0, X\}": call("max", 0, "X"),
    r"\max_{i \in [n]} X_{\name{a}(i)}": big(
        "max", at("X", a="i"), lower=rel("i", "in", space("[n]", bound="n"))
    ),
    r"\max_{i=1}^{3} X_{\name{a}(i)}": big("max", at("X", a="i"), lower=rel("i", "=", 1), upper=3),
    r"\lim_{\alpha \rightarrow \infty} \nfun{a}{softmax} \alpha X": big(
        "lim",
        act("softmax", prod("alpha", "X"), "a"),
        lower=rel("alpha", "->", "infty"),
    ),
    r"\nfun{a}{norm_p} X": act(down("norm", "p"), "X", "a"),
    r"\nfun{a, b}{det}(\Sigma)": call("det", "Sigma", axes="a b"),
    r"\nfun{d1}{sum} X": act("sum", "X", "d1"),
    r"\text{max-k}(X)": call("max-k", "X"),
    # operators with axes below
    r"X \underset{\text{emb}}{-} Y": op("-", "X", "Y", "emb"),
    r"X \nbin{\name{a}}{\star} Y": op("star", "X", "Y", "a"),
    r"X \ncat{\name{a}} Y": op("concat", "X", "Y", "a"),
    r"\ncat{\name{a}} X": big("concat", "X", "a"),
    r"\underset{\text{emb}}{X^L}": under("emb", up("X", "L")),
    r"a \underset{\text{def}}{=} b": rel("a", "=", "b"),
    r"a \overset{\text{def}}{=} b": rel("a", "=", "b"),
    # bars
    "|X|": bars("X"),
    "|a||b|": prod(bars("a"), bars("b")),
    r"2|x|": prod(2, bars("x")),
    r"|X \ndot{a} |Y||": bars(dot("a", "X", bars("Y"))),
    r"\|X\|": bars("X", double=True),
    r"\lVert X \rVert_{\name{a}}": bars("X", double=True, axes="a"),
    r"\left\| X \right\|_{\text{a}}": bars("X", double=True, axes="a"),
    r"|\name{hidden}_{12}|": size("hidden_12"),
    r"|\text{seq}'^*|": size("seq'*"),
    r"\lfloor x / 2 \rfloor": floor("floor", op("/", "x", 2)),
    r"\left\lceil x \right\rceil": floor("ceil", "x"),
    # the rest
    r"\sqrt[3]{x}": root("x", 3),
    r"\sqrt x": root("x"),
    r"\frac{\partial Y}{\partial X^*}": d("Y", up("X", "**")),
    r"\nabla_X f": d("f", "X", "nabla"),
    "10{,}000": num(10000),
    r"10\,000": num(10000),
    r"1{\,}200\,000": num(1200000),
    "0{,}25": num(0.25),
    "2.5e-3": num(0.0025),
    r"\num{1e4}": num(10000),
    ".5": num(0.5),
    "1.50": num(1.5),
    r"1, 2, \ldots, n": items("", 1, 2, DOTS, "n"),
    "1, ..., n": items("", 1, DOTS, "n"),
    "(a, b)": items("(", "a", "b"),
    r"\{0, 1\}": items("{", 0, 1),
    "[0, 1]": items("[", 0, 1),
    "[i = j]": rel("i", "=", "j"),
    r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}": matrix((1, 2), (3, 4)),
    r"\mathbb{R}^{\name{a}[2]}": space("R", {"a": 2}),
    r"a \not= b": rel("a", "!=", "b"),
    r"a ≤ b": rel("a", "<=", "b"),
}


@pytest.mark.parametrize("written", BINDING)
def test_a_formula_is_read_as_its_tree(written):
    assert read(written) == BINDING[written]


SPACES = {
    r"\mathbb{R}^{\text{emb}:d, \text{seq}}": space("R", {"emb": "d", "seq": None}),
    r"\mathbb R^{\name{emb}[512] \times \name{seq}}": space("R", {"emb": 512, "seq": None}),
    r"\R^{\name{emb}}": space("R", "emb"),
    r"\reals^{{\name{emb}:d}}": space("R", {"emb": "d"}),
    r"ℝ^{\text{seq}×\text{emb}}": space("R", "seq emb"),
    r"\mathbb{R}": space("R"),
    r"\mathbb{R}^\emptyset": space("R"),
    r"\mathbb{R}_{\geq 0}^{\name{a}}": space("R", "a"),
    r"\mathbb{Z}^{\name{a}'}": space("Z", "a'"),
    r"\{0, 1\}^{\text{seq}:n}": space("{0,1}", {"seq": "n"}),
    r"[0, 1]^{\text{seq}:n}": space("[0,1]", {"seq": "n"}),
    r"[n]^{\name{seq}}": space("[n]", "seq", "n"),
    r"[n]^\name{seq}": space("[n]", "seq", "n"),
    r"[n]": space("[n]", bound="n"),
    r"\{1, \ldots, n\}": space("[n]", bound="n"),
    r"\mathbb{R}^{\text{vocab} \times v, \text{emb}:d}": space(
        "R", {"vocab": None, "v": None, "emb": "d"}
    ),
    r"\mathbb{R}^{\name{seq}[n-|\name{kernel}|+1]}": space(
        "R", {"seq": op("+", op("-", "n", size("kernel")), 1)}
    ),
    r"\mathbb{R}^{\name{hidden}_1 \times \name{emb}^*}": space("R", "hidden_1 emb*"),
    r"\{1\}": items("{", 1),
}


@pytest.mark.parametrize("written", SPACES)
def test_a_set_of_tensors_is_read(written):
    assert read(r"X \in " + written) == rel("X", "in", SPACES[written])


def test_a_tree_differs_where_formulas_differ():
    """The comparison that these tests hang on can fail."""
    assert read(r"A \ndot{a} B") != read(r"A \ndot{b} B")
    assert read("a b") != read("ab")
    assert read("a - b - c") != read("a - (b - c)")
    assert all_of([1]) != all_of([2])
