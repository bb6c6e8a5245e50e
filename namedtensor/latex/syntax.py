"""The syntax tree of the notation: what a formula says, before its names are looked up.

Every part keeps the span where it was written; two parts are equal when they say the same,
wherever they stand. Names are looked up, and shapes found, by `evaluate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from namedtensor.latex.source import Span

# --------------------------------------------------------------------------------------- axes


@dataclass(frozen=True, slots=True)
class AxisName:
    """An axis as a formula names it: emb, seq', hidden_1, emb*."""

    span: Span = field(compare=False)
    name: str


@dataclass(frozen=True, slots=True)
class SizedAxis:
    """An axis of a space with its size: emb:d_model, \\emb[512], or emb alone."""

    span: Span = field(compare=False)
    axis: AxisName
    size: Expression | None


@dataclass(frozen=True, slots=True)
class Space:
    """A set of tensors. `base` is R, Z, N, C, {0,1}, [0,1] or [n]; [n] keeps its n in `bound`."""

    span: Span = field(compare=False)
    base: str
    axes: tuple[SizedAxis, ...]
    bound: Expression | None = None


# --------------------------------------------------------------------------------------- leaves


@dataclass(frozen=True, slots=True)
class Number:
    span: Span = field(compare=False)
    value: int | float


@dataclass(frozen=True, slots=True)
class Letter:
    """A name without its scripts. `text` has no backslash: W, gamma, FFN, ell.

    `style` is letter for italics and Greek, word for upright names (\\text, \\mathrm,
    \\operatorname, \\exp). Italics written without a space (`kh`) are one letter `kh`, which its
    reader splits where only k and h are names.
    """

    span: Span = field(compare=False)
    text: str
    style: str = "letter"


@dataclass(frozen=True, slots=True)
class Text:
    """Prose inside a formula: `otherwise`, `odd`, `if`."""

    span: Span = field(compare=False)
    text: str


@dataclass(frozen=True, slots=True)
class AxisSize:
    """The size of an axis: |key|."""

    span: Span = field(compare=False)
    axis: AxisName


@dataclass(frozen=True, slots=True)
class Dots:
    """`...` between members of a list, as in l = 1, ..., L."""

    span: Span = field(compare=False)


# --------------------------------------------------------------------------------------- parts


@dataclass(frozen=True, slots=True)
class Scripts:
    """A base with scripts whose meaning its reader decides: W^1, X^2, h_t, d_{model}, X^{l-1}, f'."""

    span: Span = field(compare=False)
    base: Expression
    sub: Expression | None = None
    sup: Expression | None = None
    primes: int = 0


@dataclass(frozen=True, slots=True)
class At:
    """One named index: seq:i, \\seq(i+j-1)."""

    span: Span = field(compare=False)
    axis: AxisName
    at: Expression


@dataclass(frozen=True, slots=True)
class Renaming:
    """One renaming or reshaping: seq -> seq', (height, width) -> layer, a -> (b, c)."""

    span: Span = field(compare=False)
    before: tuple[SizedAxis, ...]
    after: tuple[SizedAxis, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """A tensor with named indices or renamings below it."""

    span: Span = field(compare=False)
    base: Expression
    items: tuple[At | Renaming, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """A product contracted over axes; over none, \\ndot{}, it is the outer, elementwise product."""

    span: Span = field(compare=False)
    left: Expression
    right: Expression
    axes: tuple[AxisName, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` is + - * / (juxtaposition and \\cdot are *), odot, times, circ, cup, cap, setminus, mod, or
    the name of an \\nbin such as star. `axes` stand under it; `how` tells juxtaposed, cdot, frac, ...
    """

    span: Span = field(compare=False)
    op: str
    left: Expression
    right: Expression
    axes: tuple[AxisName, ...] = ()
    how: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`op` is - or + or not."""

    span: Span = field(compare=False)
    op: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Under:
    """An operand with axes under it, which says nothing in the notation."""

    span: Span = field(compare=False)
    operand: Expression
    axes: tuple[AxisName, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of arguments: f(X; W, b), softmax_seq X, exp x.

    `bracket` is ( or [ where arguments stand in brackets, and empty where one follows without.
    W(X + b) is a Call too: its reader knows that W is a tensor, and multiplies.
    """

    span: Span = field(compare=False)
    function: Expression
    axes: tuple[AxisName, ...]
    arguments: tuple[Expression, ...]
    parameters: tuple[Expression, ...] = ()
    bracket: str = "("


@dataclass(frozen=True, slots=True)
class Big:
    """A sum, prod, lim, max, min, argmax, bigcup, ... over axes, or over an index from `lower` to `upper`.

    \\sum_{vocab} X has axes; \\sum_{i=1}^{n} has the Relation i = 1 as lower, and n as upper;
    \\sum_{i} and \\sum_{i \\in [n]} have it as lower alone. \\ncat{ax} is a Big `concat`.
    """

    span: Span = field(compare=False)
    op: str
    axes: tuple[AxisName, ...]
    lower: Expression | None
    upper: Expression | None
    body: Expression


@dataclass(frozen=True, slots=True)
class Root:
    span: Span = field(compare=False)
    operand: Expression
    degree: Expression | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """|x|, or ||x|| where `double`; `axes` are those written below the bars' end."""

    span: Span = field(compare=False)
    operand: Expression
    double: bool = False
    axes: tuple[AxisName, ...] = ()


@dataclass(frozen=True, slots=True)
class Floor:
    """`op` is floor or ceil."""

    span: Span = field(compare=False)
    op: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Case:
    """One row of cases; no condition means otherwise."""

    span: Span = field(compare=False)
    value: Expression
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Cases:
    span: Span = field(compare=False)
    rows: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain of relations: a = b, i <= j < n. Operators: = != < <= > >= in notin <- -> ~ propto ..."""

    span: Span = field(compare=False)
    first: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Logic:
    """`op` is and or or; prose between relations (`i odd and j > 1`) counts."""

    span: Span = field(compare=False)
    op: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """A condition in words: i odd, i even."""

    span: Span = field(compare=False)
    subject: Expression
    what: str


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of `of` by `by`: \\frac{\\partial Y}{\\partial X}. `op` is partial, d or nabla."""

    span: Span = field(compare=False)
    op: str
    of: Expression
    by: Expression | None


@dataclass(frozen=True, slots=True)
class Items:
    """Things listed: (a, b) with bracket (, {a, b} with {, [a, b] with [, bare a, b with none."""

    span: Span = field(compare=False)
    parts: tuple[Expression, ...]
    bracket: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of cells: a positional matrix, or cells with axes for its rows and columns.

    With a column axis alone it is one row of cells over that axis, with a row axis alone one column.
    """

    span: Span = field(compare=False)
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


@dataclass(frozen=True, slots=True)
class Declaration:
    """W^1, W^2 \\in R^{...}."""

    span: Span = field(compare=False)
    names: tuple[Expression, ...]
    space: Space
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Signature:
    """f : R^a x R^b -> R^c."""

    span: Span = field(compare=False)
    name: Expression
    domain: tuple[Space, ...]
    codomain: Space
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """target = body. `op` is = or <- (an update).

    The target is a name (Letter, Scripts), a Call (f(X; W) = ...), or an Indexed
    (P_{seq(p), emb(i)} = ...). A chain a = b = c has the further members in `chain`.
    """

    span: Span = field(compare=False)
    target: Expression
    body: Expression
    op: str = "="
    chain: tuple[Expression, ...] = ()
    condition: Expression | None = None
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A relation that defines nothing: |key| = |val|, sum_vocab X = 1, l = 1, ..., L, j <= i."""

    span: Span = field(compare=False)
    relation: Expression
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Induction:
    """A row of dots: the definitions before and after it are members of one series."""

    span: Span = field(compare=False)
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that is not named notation, set aside; `why` says so."""

    span: Span = field(compare=False)
    text: str
    why: str
    block: int = field(default=0, compare=False)
    section: int = field(default=0, compare=False)


Statement = Declaration | Signature | Definition | Constraint | Induction | Aside
