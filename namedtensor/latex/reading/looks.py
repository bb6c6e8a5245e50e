"""Commands that only say how a formula looks, and spellings that mean the same."""

from __future__ import annotations

#: Commands that vanish.
SPACES = frozenset(
    (
        "\\, \\; \\: \\! \\> \\/ \\- ~ \\thinspace \\medspace \\thickspace \\negthinspace \\enspace"
        " \\negmedspace \\negthickspace \\hss \\null \\mathstrut \\strut"
        " \\displaystyle \\textstyle \\scriptstyle \\scriptscriptstyle \\limits \\nolimits"
        " \\displaylimits \\notag \\nonumber \\allowbreak \\nobreak \\break \\hline \\noindent"
        " \\centering \\relax \\par \\newline \\small \\footnotesize \\scriptsize \\tiny \\normalsize"
        " \\large \\Large \\toprule \\midrule \\bottomrule \\protect \\namedtensorstrut \\bfseries"
        " \\itshape \\unskip \\ignorespaces \\smallskip \\medskip \\bigskip \\qedhere \\qed"
        " \\addlinespace \\arraycolsep \\mathchoice \\allowdisplaybreaks \\displaybreak \\blacksquare"
        " \\qedsymbol"
    ).split(" ")
) | {"\\ ", "\\\n", "\\\t"}

#: Signs that end a proof behind a gap or a full stop, and are letters elsewhere.
ENDING = frozenset(("\\square", "\\Box"))

#: Commands that vanish with so many arguments.
VANISHING = {
    **dict.fromkeys(
        (
            "\\label \\tag \\tag* \\vspace \\vspace* \\vphantom \\hphantom"
            " \\phantom \\color \\ref \\eqref \\cite \\citep \\footnote \\usepackage"
            " \\shortintertext \\intertext \\cline \\require \\htmlId"
        ).split(),
        1,
    ),
    **dict.fromkeys("\\rule \\setlength \\setcounter".split(), 2),
    "\\definecolor": 3,
}

#: Commands of a space whose length follows, in braces or without.
LENGTHS = frozenset("\\hspace \\hspace* \\hskip \\kern \\mskip \\mkern".split())

#: Units of length, each with how many of them are as wide as a gap between formulas.
UNITS = {"em": 1, "ex": 2, "pt": 10, "mu": 18, "mm": 4, "cm": 0.4, "in": 0.2}

#: Commands behind which the number of an equation stands.
NUMBERING = frozenset(("\\eqno", "\\leqno"))

#: Text between rows: the row before ends there, with a mark of its own or without.
PARTING = frozenset(("\\intertext", "\\shortintertext"))

#: Commands that vanish with so many arguments, and leave what stands in the braces of the next.
OPEN = {
    **dict.fromkeys(
        (
            "\\mathbin \\mathop \\mathrel \\mathopen \\mathclose \\mathpunct \\mathinner"
            " \\ensuremath \\boxed \\fbox \\mathmakebox \\substack"
        ).split(),
        0,
    ),
    **dict.fromkeys("\\textcolor \\colorbox".split(), 1),
}

#: Commands that vanish with so many arguments, and leave the next one in its braces.
WRAPPING = {
    **dict.fromkeys(
        (
            "\\smash \\mathrlap \\mathllap \\mathclap \\cancel \\underline \\underbrace \\overbrace"
        ).split(),
        0,
    ),
    **dict.fromkeys("\\htmlClass \\htmlData".split(), 1),
}

#: What changes the font up to the end of its group, as the command that does so with an argument.
SWITCHES = {
    "\\cal": "\\mathcal",
    "\\bf": "\\mathbf",
    "\\rm": "\\mathrm",
    "\\sf": "\\mathsf",
    "\\it": "\\mathit",
    "\\tt": "\\mathtt",
}

#: After one of these and its argument a script is a note.
NOTED = frozenset(("\\underbrace", "\\overbrace"))

SIZES = frozenset(
    f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
) | {"\\left", "\\right", "\\middle"}

#: Commands whose argument is a word.
WORDS = {
    "\\name": "axis",
    "\\operatorname": "function",
    "\\operatorname*": "function",
    **dict.fromkeys(
        (
            "\\text \\mathrm \\textrm \\mathsf \\textsf \\textit \\mathit \\texttt \\mathtt \\textbf"
            " \\textsc \\mbox \\hbox \\textnormal \\textup \\emph \\mathnormal"
        ).split(),
        "word",
    ),
}

#: Letters in a special dress are names of their own: \\hat{y} is yhat.
DRESSES = {
    "\\mathbf": "bold",
    "\\boldsymbol": "bold",
    "\\bm": "bold",
    "\\pmb": "bold",
    "\\mathcal": "cal",
    "\\mathscr": "scr",
    "\\mathfrak": "frak",
    "\\hat": "hat",
    "\\widehat": "hat",
    "\\tilde": "tilde",
    "\\widetilde": "tilde",
    "\\bar": "bar",
    "\\overline": "bar",
    "\\vec": "vec",
    "\\overrightarrow": "vec",
    "\\overleftarrow": "back",
    "\\dot": "dot",
    "\\ddot": "ddot",
    "\\check": "check",
    "\\breve": "breve",
    "\\mathring": "ring",
}

#: Dresses that are fonts: over more than a letter they say nothing.
FONTS = frozenset(("bold", "cal", "scr", "frak"))

ALIASES = {
    spelling: meant
    for meant, spellings in {
        "\\quad": "\\hfill \\hfil \\dotfill",
        "\\frac": "\\dfrac \\tfrac \\cfrac \\nicefrac \\sfrac",
        "\\leq": "\\le \\leqslant",
        "\\geq": "\\ge \\geqslant",
        "\\neq": "\\ne",
        "\\rightarrow": "\\to \\rarr \\longrightarrow \\xrightarrow",
        "\\leftarrow": "\\gets \\larr \\longleftarrow",
        "\\mapsto": "\\longmapsto",
        "\\{": "\\lbrace",
        "\\}": "\\rbrace",
        "[": "\\lbrack",
        "]": "\\rbrack",
        "(": "\\lparen",
        ")": "\\rparen",
        ":": "\\colon",
        ":=": "\\coloneqq \\coloneq \\triangleq \\defeq",
        "=:": "\\eqqcolon \\eqcolon",
        "|": "\\vert",
        "\\|": "\\Vert \\parallel",
        "\\ldots": "\\dots \\cdots \\dotsc \\dotsb \\dotso",
        "\\wedge": "\\land",
        "\\vee": "\\lor",
        "'": "\\prime",
        "<": "\\lt",
        ">": "\\gt",
        "*": "\\ast",
        "\\star": "\\bigstar",
        "\\overset": "\\stackrel",
        "\\binom": "\\tbinom \\dbinom",
        "\\ni": "\\owns",
        "\\setminus": "\\smallsetminus \\backslash",
        "\\top": "\\intercal",
        "\\nmatrix": "\\namedmatrix",
        "\\in": "\\isin",
        "\\infty": "\\infin",
    }.items()
    for spelling in spellings.split()
}

#: What \\not makes of the relation after it.
NEGATED = {"=": "\\neq", "\\in": "\\notin", "\\equiv": "\\neq"}

BARS = {"|": ("\\lvert", "\\rvert"), "\\|": ("\\lVert", "\\rVert")}
ANGLES = {"<": "\\langle", ">": "\\rangle"}
