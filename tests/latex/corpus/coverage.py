"""What a document shows of the notation: kinds of syntax, ways to write, subjects."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterator
from typing import Any

from namedtensor.latex import syntax

#: An operand with axes under it is a fault; scripts of prose and matrices without names are set aside.
NEVER = {"Under", "Text", "Matrix"}

KINDS = [
    kind.__name__
    for union in (syntax.Expression, syntax.Statement)
    for kind in typing.get_args(union)
    if kind.__name__ not in NEVER
]

#: Values of a field by which nodes of a kind differ, as "Kind.field=value".
VALUES = [
    *[f"Binary.op={op}" for op in ("+", "-", "*", "/", "odot", "mod")],
    *[f"Relation.op={op}" for op in ("=", "!=", "<", "<=", ">", "in")],
    *[f"Logic.op={op}" for op in ("and", "or")],
    *[f"Big.op={op}" for op in ("sum", "prod", "max")],
    *[f"Derivative.op={op}" for op in ("partial", "nabla")],
    *[f"Definition.op={op}" for op in ("=", "<-")],
    *[f"Floor.op={op}" for op in ("floor", "ceil")],
    *[f"Is.what={what}" for what in ("odd", "even")],
    *[f"Space.base={base}" for base in ("R", "{0,1}", "[0,1]", "[n]")],
    *[f"Bars.double={double}" for double in (True, False)],
]

#: Ways in which nodes are put together.
SHAPES = {
    "a contraction over no axis": lambda n: _is(n, "Contract") and not n.axes,
    "a contraction over one axis": lambda n: _is(n, "Contract") and len(n.axes) == 1,
    "a contraction over several axes": lambda n: _is(n, "Contract") and len(n.axes) > 1,
    "a function with axes and brackets": lambda n: _is(n, "Call") and n.axes and n.bracket,
    "a function with axes and without brackets": lambda n: (
        _is(n, "Call") and n.axes and not n.bracket
    ),
    "a call with parameters": lambda n: _is(n, "Call") and n.parameters,
    "a tensor before brackets": lambda n: (
        _is(n, "Call") and getattr(n.function, "text", "") == "W" and n.bracket == "("
    ),
    "an index that is a number": lambda n: _is(n, "At") and _is(n.at, "Number"),
    "an index that is a size": lambda n: _is(n, "At") and _is(n.at, "AxisSize"),
    "a sum over an index": lambda n: _is(n, "Big") and n.upper is not None,
    "a root with a degree": lambda n: _is(n, "Root") and n.degree is not None,
    "a norm over an axis": lambda n: _is(n, "Bars") and n.axes,
    "a row of cases with words": lambda n: _is(n, "Case") and n.condition is None,
    "a renaming": lambda n: _is(n, "Renaming") and len(n.before) == len(n.after) == 1,
    "a merge": lambda n: _is(n, "Renaming") and len(n.before) > len(n.after),
    "a split": lambda n: _is(n, "Renaming") and len(n.before) < len(n.after),
    "two renamings at once": lambda n: (
        _is(n, "Indexed") and len(n.items) > 1 and all(_is(i, "Renaming") for i in n.items)
    ),
    "an index that is computed": lambda n: _is(n, "At") and _is(n.at, "Binary"),
    "an axis with a prime": lambda n: _is(n, "AxisName") and n.name.endswith("'"),
    "an axis with two primes": lambda n: _is(n, "AxisName") and n.name.endswith("''"),
    "an axis with a star": lambda n: _is(n, "AxisName") and n.name.endswith("*"),
    "an axis with a number": lambda n: _is(n, "AxisName") and n.name.endswith("_1"),
    "an axis with its size": lambda n: _is(n, "SizedAxis") and n.size is not None,
    "a size that is computed": lambda n: _is(n, "SizedAxis") and _is(n.size, "Binary"),
    "a space without axes": lambda n: _is(n, "Space") and not n.axes,
    "a declaration of several names": lambda n: _is(n, "Declaration") and len(n.names) > 1,
    "a definition by elements": lambda n: _is(n, "Definition") and _is(n.target, "Indexed"),
    "a chain": lambda n: _is(n, "Definition") and n.chain,
    "a power": lambda n: _is(n, "Scripts") and _is(n.sup, "Number") and not _is(n.base, "Letter"),
    "a member of a series": lambda n: _is(n, "Scripts") and _is(n.sup, "Binary"),
}

#: Ways to write, found in the text.
WRITINGS = {
    "inline dollars": r"[^$\\]\$[^$\n]+\$[^$]",
    "display dollars": r"\$\$",
    "inline parentheses": r"\\\(",
    "display brackets": r"\\\[",
    **{
        f"environment {name}": re.escape(f"\\begin{{{name}}}")
        for name in (
            *("equation", "align", "align*", "aligned", "gather", "gather*", "multline", "split"),
            *("subequations", "cases", "verbatim", "theorem", "bmatrix"),
        )
    },
    "\\newcommand": r"\\newcommand\{\\\w+\}\{",
    "\\newcommand with arguments": r"\\newcommand\{\\\w+\}\[\d\]\{",
    "\\newcommand with a default": r"\\newcommand\{\\\w+\}\[\d\]\[",
    "\\newcommand without braces": r"\\newcommand\\\w+\{",
    "\\newcommand inside of formulas": r"\$\$ *\\newcommand",
    "\\renewcommand": r"\\renewcommand",
    "\\def": r"\\def\\\w+\{",
    "\\def with arguments": r"\\def\\\w+#1",
    "\\DeclareMathOperator": r"\\DeclareMathOperator\{",
    "\\DeclareMathOperator*": r"\\DeclareMathOperator\*\{",
    "\\ndef": r"\\ndef\{",
    "\\name": r"\\name\{",
    "\\ndot with braces": r"\\ndot\{\\",
    "\\ndot without braces": r"\\ndot\\\w",
    "\\ndot over nothing": r"\\ndot\{\}",
    "\\nfun": r"\\nfun\{",
    "\\nfun over two rows": r"\\nfun\{[^}]*\\\\[^}]*\}",
    "\\nsum": r"\\nsum",
    "\\nbin": r"\\nbin\{",
    "\\underset": r"\\underset",
    "\\substack": r"\\substack",
    "\\operatorname*": r"\\operatorname\*",
    "\\limits": r"\\limits",
    "\\mathsf axes": r"\\mathsf\{",
    "\\frac without braces": r"\\t?frac\d\w",
    "sized brackets": r"\\[bB]ig[lr]?",
    "\\left and \\right": r"\\left.*\\right",
    "a signature over two rows": r"\\\\\s*&\\rightarrow",
    "a full stop after a formula": r"\.\s*(\$\$|\\\]|\\end)",
    "a space between rows": r"\\\\\[\d",
    "a comment": r"(?m)[^\\]%",
    "\\iffalse": r"\\iffalse",
    "\\intertext": r"\\intertext",
    "\\label and \\ref": r"\\label.*(?s:.*)\\(eq)?ref",
    "\\tag": r"\\tag",
    "\\notag": r"\\notag",
    "\\vdots": r"\\vdots",
    "\\vdotswithin": r"\\vdotswithin",
    "\\ldots": r"\\ldots",
    "a note in a second column": r"&&\s*\\text",
    "accents": r"\\(hat|bar|tilde)\{",
    "bold letters": r"\\mathbf\{",
    "front matter": r"^---",
    "a comment of HTML": r"<!--",
    "an escaped dollar": r"\\\$",
}

FEATURES = [*KINDS, *VALUES, *SHAPES, *WRITINGS]


def features_of(document: Any) -> set[str]:
    """Give all that a document shows."""
    text = document.source.text
    found = {name for name, pattern in WRITINGS.items() if re.search(pattern, text)}
    for view in document.statements:
        for node in nodes(view.syntax):
            kind = type(node).__name__
            found.add(kind)
            found |= {f"{kind}.{f.name}={getattr(node, f.name)}" for f in dataclasses.fields(node)}
            if isinstance(node, syntax.Relation):
                found |= {f"Relation.op={op}" for op, _ in node.rest}
            found |= {name for name, holds in SHAPES.items() if holds(node)}
    return found


def nodes(part: Any) -> Iterator[Any]:
    """Walk through all parts of a statement."""
    if isinstance(part, tuple):
        for member in part:
            yield from nodes(member)
    elif dataclasses.is_dataclass(part) and type(part).__module__ == syntax.__name__:
        yield part
        for field in dataclasses.fields(part):
            yield from nodes(getattr(part, field.name))


def _is(node: Any, kind: str) -> bool:
    return type(node).__name__ == kind


#: What issue and findings list, and a formula of the corpus that shows it.
SUBJECTS = {
    "feed-forward": "FFN",
    "logistic regression": "p",
    "gated linear units": "SwiGLU",
    "fully connected families": "FullConn",
    "residual chains": "twice",
    "recurrent": "h",
    "recurrent by index": "H",
    "gated recurrent": "GRU",
    "long short-term memory": "LSTM",
    "attention": "att",
    "attention with a causal mask": "causal",
    "attention with a padding mask": "padded",
    "attention with an additive mask": "masked",
    "attention in a window": "window",
    "multi-head attention": "MHA",
    "linear attention": "linatt",
    "graph attention": "GAT",
    "convolution": "Conv1d",
    "convolution by index": "ConvByIndex",
    "convolution in two dimensions": "Conv2d",
    "max pooling": "MaxPool2d",
    "average pooling": "AvgPool2d",
    "batch normalisation": "BatchNorm",
    "instance normalisation": "InstanceNorm",
    "layer normalisation": "LayerNorm",
    "group normalisation": "GroupNorm",
    "root mean square": "RMSNorm",
    "bag of words": "bow",
    "embedding": "embed",
    "position encoding": "place",
    "cross entropy": "nll",
    "k-means": "step",
    "beam search": "scores",
    "marginal distributions": "left",
    "conditional distributions": "given",
    "joint distributions": "joint",
    "Bayes' rule": "Bayes",
    "the chain rule": "markov",
    "entropy": "H",
    "divergence": "KL",
    "multivariate normal": "normal",
    "mixture of normals": "mixture",
    "hidden Markov model": "forward",
    "Kalman filter": "cov",
    "LeNet": "O",
    "Transformer": "O",
    "squeeze and excite": "SE",
    "one-hot indexing": "hot",
    "indexing": "chosen",
    "concatenation": "after",
    "stacking": "pair",
    "merging": "flat",
    "splitting": "heads",
    "Jacobians": "J",
    "gradient of softmax": "S",
    "gradients": "g",
    "updates": "theta",
    "series by dots": "xL",
    "cosine similarity": "cosine",
    "covariance": "cov",
    "principal components": "project",
    "bilinear forms": "form",
    "distance matrices": "D",
    "ridge regression": "ridge",
}
