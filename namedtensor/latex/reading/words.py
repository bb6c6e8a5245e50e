"""What the commands and words of mathematics are to its reader."""

from __future__ import annotations

import re

from namedtensor.primitives.notation import CUP, DOT, JUXTAPOSED, SUM

#: Words that act on what follows them, with or without brackets.
FUNCTIONS = frozenset(
    (
        "exp log ln sin cos tan sinh cosh tanh arcsin arccos arctan cot sec csc softmax softmin"
        " logsoftmax relu ReLU GELU gelu sigmoid sigm swish SiLU silu ELU softplus mean var std sum"
        " prod max min argmax argmin maxk argmaxk norm standardize logsumexp det inv tr trace diag"
        " rank sgn sign abs clip round floor ceil log1p expm1 erfc concat cat stack"
        " unroll pool sort argsort cumsum transpose dropout erf logit onehot one_hot any all median sup inf"
        " arg lim limsup liminf Pr gcd dim ker hom deg lg Re Im E expectation Var Cov Pr KL ! (!)"
    ).split()
)

#: Letters that are functions before an argument, unless the document defines them.
APPLIED = {"sigma": "sigmoid", "Gamma": "gamma-function"}

#: Those of which documents say what they mean along axes: 1/n or 1/(n - 1), with an epsilon or without.
VARYING = frozenset("norm standardize var std".split())

#: What a sign and a command are called as functions: names that no document can give.
FACTORIAL, BINOMIAL = "!", "(!)"

#: Words for what random variables have: along no axes, no one can compute it from a tensor.
MOMENTS = frozenset("E V P Var Cov Pr KL".split())

#: What random variables are distributed by, where nothing else has the name: N(0, 1), Bern(p).
LAWS = frozenset(
    (
        "Ncal Ucal Normal Uniform Unif Bernoulli Bern Categorical Dirichlet Dir Poisson Pois"
        " Multinomial Mult Binomial Bin Laplace Wishart InvGamma Exponential"
    ).split()
)

#: Commands that are such words.
WORD_COMMANDS = {
    f"\\{word}": word
    for word in (
        "exp log ln sin cos tan sinh cosh tanh arcsin arccos arctan cot sec csc max min argmax argmin det"
        " sup inf arg gcd dim ker hom deg lg Pr softmax sigmoid"
    ).split()
}

#: Big operators: what they reach over follows them.
BIG = {
    **{
        f"\\{word}": word
        for word in (
            "sum prod lim limsup liminf bigcup bigcap bigoplus bigotimes bigodot bigvee"
            " bigwedge int coprod"
        ).split()
    },
    "\\nsum": "sum",
    "\\ncat": "concat",
}

#: Words that reach over an index, where they have one below.
CHOOSING = frozenset("max min argmax argmin sup inf lim".split())

#: Signs between two operands: how tightly they bind, and what they are in the tree.
INFIX = {
    "+": (SUM, "+"),
    "-": (SUM, "-"),
    "\\pm": (SUM, "pm"),
    "\\oplus": (SUM, "oplus"),
    "\\cdot": (DOT, "*"),
    "*": (DOT, "*"),
    "\\odot": (DOT, "odot"),
    "\\bullet": (DOT, "*"),
    "\\circ": (DOT, "circ"),
    "\\star": (DOT, "star"),
    "\\otimes": (DOT, "otimes"),
    "\\bmod": (DOT, "mod"),
    "\\times": (DOT, "times"),
    "\\cup": (CUP, "cup"),
    "\\cap": (CUP, "cap"),
    "\\setminus": (CUP, "setminus"),
    "/": (JUXTAPOSED, "/"),
    "\\div": (JUXTAPOSED, "/"),
}

#: Signs of products, below which the axes may stand that are contracted: A \\cdot_{emb} B.
PRODUCTS = frozenset("\\cdot \\odot \\bullet \\times \\star \\otimes".split())

RELATIONS = {
    "=": "=",
    "<": "<",
    ">": ">",
    ":=": ":=",
    "=:": "=:",
    "\\leq": "<=",
    "\\geq": ">=",
    "\\neq": "!=",
    "\\in": "in",
    "\\notin": "notin",
    "\\leftarrow": "<-",
    "\\rightarrow": "->",
    "\\mapsto": "mapsto",
    "\\sim": "~",
    "\\propto": "propto",
    "\\approx": "approx",
    "\\equiv": "equiv",
    "\\simeq": "simeq",
    "\\cong": "cong",
    "\\subset": "subset",
    "\\subseteq": "subseteq",
    "\\supset": "supset",
    "\\supseteq": "supseteq",
    "\\ll": "<<",
    "\\gg": ">>",
    "\\Rightarrow": "implies",
    "\\implies": "implies",
    "\\Longrightarrow": "implies",
    "\\Leftrightarrow": "iff",
    "\\iff": "iff",
    "\\Longleftrightarrow": "iff",
    "\\leftrightarrow": "iff",
    "\\perp": "perp",
    "\\doteq": "=",
    "\\ni": "ni",
    "\\mid": "mid",
}

BRACKETS = {
    "(": ")",
    "[": "]",
    "\\{": "\\}",
    "\\langle": "\\rangle",
    "\\lfloor": "\\rfloor",
    "\\lceil": "\\rceil",
    "\\lvert": "\\rvert",
    "\\lVert": "\\rVert",
}
CLOSING = frozenset(BRACKETS.values())

#: What brackets do that round: up or down, or to the nearest where they do not match.
ROUNDING = {
    ("\\lfloor", "\\rfloor"): "floor",
    ("\\lceil", "\\rceil"): "ceil",
    ("\\lfloor", "\\rceil"): "round",
    ("\\lceil", "\\rfloor"): "round",
}

#: Greek letters by the sign that a keyboard may give.
GREEK_SIGNS = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        (
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma"
            " tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
        ).split(),
        strict=True,
    )
)

#: Letters that LaTeX spells by a command.
LETTERS = frozenset(GREEK_SIGNS.values()).union(
    "varepsilon vartheta varkappa varpi varrho varsigma varphi Upsilon ell".split()
)

#: Letters of small numbers, which a formula may use without a declaration.
SMALL = frozenset(("epsilon", "varepsilon"))

#: Commands that are names: those letters, letters that LaTeX lacks, and other signs.
NAMES = frozenset(
    "\\" + word
    for word in (
        *LETTERS,
        *"omicron Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi digamma".split(),
        *"infty top bot hbar imath jmath emptyset varnothing aleph wp square Box triangle".split(),
    )
)

#: Signs that may stand alone as a script: W^*, A^\\top.
ALONE = frozenset(
    "* + - \\top \\star \\dagger \\ddagger \\circ \\perp \\pm \\bot \\bullet \\times".split()
)

BASES = {
    spelling: meant
    for meant, spellings in {
        "R": "\\R \\reals \\Reals \\RR",
        "N": "\\N \\natnums \\NN",
        "Z": "\\Z \\ZZ",
        "C": "\\Complex \\cnums \\CC",
    }.items()
    for spelling in spellings.split()
}

#: Prose that parts one statement from another, or says when it holds.
JOINING = frozenset(
    (
        "where if for and or with when such that s.t. s.t st otherwise else let then while given thus"
        " hence subject unless whenever o.w o.w. ow"
    ).split()
)

#: Words after which the condition of a definition stands.
WHEN = frozenset("if for when forall whenever unless while".split())

#: How prose ends after which stands what does not hold.
DENYING = re.compile(
    r"\b(?:unless|false that|(?:except|not|never)(?: (?:when|if|for|where|at|the case that))?)[ .,;:]*$",
    re.IGNORECASE,
)

PARITY = {"odd": "odd", "even": "even", "is odd": "odd", "is even": "even"}


#: Statistics along axes: a power behind their argument's bracket belongs to the argument.
STATISTICS = frozenset("mean var std sum prod max min median any all".split())

#: Words that act along axes and keep them.
KEEPING = frozenset(
    "softmax softmin logsoftmax standardize standardise normalize normalise cumsum sort".split()
)


def parity(text: str) -> str:
    """Give odd or even where a text says so, or nothing."""
    return PARITY.get(text.lower().strip(" .,;"), "")


def denies(text: str) -> bool:
    """Say whether what stands behind prose does not hold: "unless", "if not", "except when"."""
    return DENYING.search(text) is not None


def is_prose(text: str) -> bool:
    """Say whether a text in a formula is prose, rather than the name of something.

    >>> is_prose("otherwise"), is_prose("if j is even"), is_prose("FFN")
    (True, True, False)
    """
    lower = text.lower().strip()
    if lower.strip(" .,;:()") in JOINING or parity(lower):
        return True
    if " " in lower or lower[-1:] in (".", ",", ":", ";", ")"):
        return True
    return not any(letter.isalnum() for letter in text)


#: What the signs between listed members do with all of them.
FOLDS = {"+": "sum", "*": "prod", "odot": "prod"}
