"""The syntax tree of the notation: what a formula says, before its names are looked up.

Every part keeps the span where it was written; two parts are equal when they say the same,
wherever they stand. Names are looked up, and shapes found, by `evaluate`.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from namedtensor.latex.source import Span, unchanging


class Walked:
    """Room for what `walk` has found inside a part: a part is asked for the same thing many times."""

    __slots__ = ("within",)

    within: dict[Any, Any]


@unchanging
class Part(Walked):
    """A part of a formula, and where it was written."""

    span: Span = field(compare=False)


# --------------------------------------------------------------------------------------- axes


@unchanging
class AxisName(Part):
    """An axis as a formula names it: emb, seq', hidden_1, emb*."""

    name: str


@unchanging
class SizedAxis(Part):
    """An axis of a space with its size: emb:d_model, \\emb[512], or emb alone."""

    axis: AxisName
    size: Expression | None


@unchanging
class Space(Part):
    """A set of tensors. `base` is R, Z, N, C, {0,1}, [0,1] or [n].

    [n] keeps its n in `bound`, and so does {0, ..., n-1}, which is of Z.
    """

    base: str
    axes: tuple[SizedAxis, ...]
    bound: Expression | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its axes."""
        return tuple([sized.axis.name for sized in self.axes])


# --------------------------------------------------------------------------------------- leaves


@unchanging
class Number(Part):
    value: int | float


@unchanging
class Letter(Part):
    """A name without its scripts. `text` has no backslash: W, gamma, FFN, ell.

    `style` is letter for italics and Greek, word for upright names (\\text, \\mathrm,
    \\operatorname, \\exp). Italics written without a space (`kh`) are one letter `kh`, which its
    reader splits where only k and h are names.
    """

    text: str
    style: str = "letter"


@unchanging
class Text(Part):
    """Prose inside a formula: `otherwise`, `odd`, `if`."""

    text: str


@unchanging
class AxisSize(Part):
    """The size of an axis: |key|."""

    axis: AxisName


@unchanging
class Dots(Part):
    """`...` between members of a list, as in l = 1, ..., L."""


# --------------------------------------------------------------------------------------- parts


@unchanging
class Scripts(Part):
    """A base with scripts whose meaning its reader decides: W^1, X^2, h_t, d_{model}, X^{l-1}, f'."""

    base: Expression
    sub: Expression | None = None
    sup: Expression | None = None
    primes: int = 0


@unchanging
class At(Part):
    """One named index: seq:i, \\seq(i+j-1)."""

    axis: AxisName
    at: Expression


@unchanging
class Renaming(Part):
    """One renaming or reshaping: seq -> seq', (height, width) -> layer, a -> (b, c)."""

    before: tuple[SizedAxis, ...]
    after: tuple[SizedAxis, ...]


@unchanging
class Indexed(Part):
    """A tensor with named indices or renamings below it."""

    base: Expression
    items: tuple[At | Renaming, ...]

    @property
    def indices(self) -> tuple[At, ...]:
        """The items that are indices, and no renamings."""
        return tuple([item for item in self.items if isinstance(item, At)])


@unchanging
class Contract(Part):
    """A product contracted over axes; over none, \\ndot{}, it is the outer, elementwise product."""

    left: Expression
    right: Expression
    axes: tuple[AxisName, ...]


@unchanging
class Binary(Part):
    """`op` is + - * / (juxtaposition and \\cdot are *), odot, times, circ, cup, cap, setminus, mod, or
    the name of an \\nbin such as star. `axes` stand under it; `how` tells juxtaposed, cdot, frac, ...
    """

    op: str
    left: Expression
    right: Expression
    axes: tuple[AxisName, ...] = ()
    how: str = field(default="", compare=False)


@unchanging
class Unary(Part):
    """`op` is - or + or not."""

    op: str
    operand: Expression


@unchanging
class Under(Part):
    """An operand with axes under it, which says nothing in the notation."""

    operand: Expression
    axes: tuple[AxisName, ...]


@unchanging
class Call(Part):
    """A function of arguments: f(X; W, b), softmax_seq X, exp x.

    `bracket` is ( or [ where arguments stand in brackets, and empty where one follows without.
    W(X + b) is a Call too: its reader knows that W is a tensor, and multiplies.
    """

    function: Expression
    axes: tuple[AxisName, ...]
    arguments: tuple[Expression, ...]
    parameters: tuple[Expression, ...] = ()
    bracket: str = "("


@unchanging
class Big(Part):
    """A sum, prod, lim, max, min, argmax, bigcup, ... over axes, or over an index from `lower` to `upper`.

    \\sum_{vocab} X has axes; \\sum_{i=1}^{n} has the Relation i = 1 as lower, and n as upper;
    \\sum_{i} and \\sum_{i \\in [n]} have it as lower alone. \\ncat{ax} is a Big `concat`.
    """

    op: str
    axes: tuple[AxisName, ...]
    lower: Expression | None
    upper: Expression | None
    body: Expression


@unchanging
class Root(Part):
    operand: Expression
    degree: Expression | None = None


@unchanging
class Bars(Part):
    """|x|, or ||x|| where `double`; `axes` are those written below the bars' end."""

    operand: Expression
    double: bool = False
    axes: tuple[AxisName, ...] = ()


@unchanging
class Floor(Part):
    """`op` is floor, ceil or round."""

    op: str
    operand: Expression


@unchanging
class Case(Part):
    """One row of cases; no condition means otherwise."""

    value: Expression
    condition: Expression | None


@unchanging
class Cases(Part):
    rows: tuple[Case, ...]


@unchanging
class Relation(Part):
    """A chain of relations: a = b, i <= j < n. Operators: = != < <= > >= in notin <- -> ~ propto ..."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]

    @property
    def ops(self) -> tuple[str, ...]:
        """The operators between the parts."""
        return tuple([op for op, _ in self.rest])


@unchanging
class Logic(Part):
    """`op` is and or or; prose between relations (`i odd and j > 1`) counts."""

    op: str
    parts: tuple[Expression, ...]


@unchanging
class Is(Part):
    """A condition in words: i odd, i even."""

    subject: Expression
    what: str


@unchanging
class Derivative(Part):
    """The derivative of `of` by `by`: \\frac{\\partial Y}{\\partial X}. `op` is partial, d or nabla.

    That of a number is `plain` if it has the axes of X without stars.
    """

    op: str
    of: Expression
    by: Expression | None
    plain: bool = False


@unchanging
class Items(Part):
    """Things listed: (a, b) with bracket (, {a, b} with {, [a, b] with [, bare a, b with none."""

    parts: tuple[Expression, ...]
    bracket: str


@unchanging
class Matrix(Part):
    """Rows of cells: a positional matrix, or cells with axes for its rows and columns.

    With a column axis alone it is one row of cells over that axis, with a row axis alone one column.
    """

    rows: tuple[tuple[Expression, ...], ...]
    row: AxisName | None = None
    column: AxisName | None = None


Expression = (
    Number
    | Letter
    | Text
    | AxisName
    | AxisSize
    | Dots
    | Space
    | Scripts
    | Indexed
    | Contract
    | Binary
    | Unary
    | Under
    | Call
    | Big
    | Root
    | Bars
    | Floor
    | Cases
    | Relation
    | Logic
    | Is
    | Derivative
    | Items
    | Matrix
)

# ------------------------------------------------------------------------------------- statements


@unchanging
class Said(Part):
    """A statement: the block and the section in which it stands."""

    block: int = field(default=0, compare=False, kw_only=True)
    section: int = field(default=0, compare=False, kw_only=True)


@unchanging
class Declaration(Said):
    """W^1, W^2 \\in R^{...}."""

    names: tuple[Expression, ...]
    space: Space


@unchanging
class Signature(Said):
    """f : R^a x R^b -> R^c."""

    name: Expression
    domain: tuple[Space, ...]
    codomain: Space


@unchanging
class Definition(Said):
    """target = body. `op` is = or <- (an update).

    The target is a name (Letter, Scripts), a Call (f(X; W) = ...), or an Indexed
    (P_{seq(p), emb(i)} = ...). A chain a = b = c has the further members in `chain`. `derives` is the
    derivative that the target is a name of.
    """

    target: Expression
    body: Expression
    op: str = "="
    chain: tuple[Expression, ...] = ()
    condition: Expression | None = None
    derives: Expression | None = None


@unchanging
class Constraint(Said):
    """A relation that defines nothing: |key| = |val|, sum_vocab X = 1, l = 1, ..., L, j <= i."""

    relation: Expression


@unchanging
class Induction(Said):
    """A row of dots: the definitions before and after it are members of one series."""


@unchanging
class Aside(Said):
    """Something that is not named notation, set aside; `why` says so, `hint` what to do about it."""

    text: str
    why: str
    hint: str = ""


Statement = Declaration | Signature | Definition | Constraint | Induction | Aside
