"""Commands that only say how a formula looks, and spellings that mean the same."""

from __future__ import annotations

#: Commands that vanish.
SPACES = frozenset(
    (
        "\\, \\; \\: \\! \\> \\/ \\- ~ \\thinspace \\medspace \\thickspace \\negthinspace \\enspace"
        " \\negmedspace \\negthickspace \\hfill \\hfil \\hskip \\hss \\null \\mathstrut \\strut"
        " \\displaystyle \\textstyle \\scriptstyle \\scriptscriptstyle \\limits \\nolimits"
        " \\displaylimits \\notag \\nonumber \\allowbreak \\nobreak \\break \\hline \\noindent"
        " \\centering \\relax \\par \\newline \\small \\footnotesize \\scriptsize \\tiny \\normalsize"
        " \\large \\Large \\toprule \\midrule \\bottomrule \\protect \\namedtensorstrut \\bfseries"
        " \\itshape \\unskip \\ignorespaces \\smallskip \\medskip \\bigskip \\qedhere \\qed \\kern"
        " \\addlinespace \\arraycolsep \\mathchoice \\allowdisplaybreaks \\displaybreak"
    ).split(" ")
) | {"\\ ", "\\\n", "\\\t"}

#: Commands that vanish with so many arguments.
VANISHING = {
    "\\label": 1,
    "\\tag": 1,
    "\\tag*": 1,
    "\\hspace": 1,
    "\\hspace*": 1,
    "\\vspace": 1,
    "\\vspace*": 1,
    "\\vphantom": 1,
    "\\hphantom": 1,
    "\\phantom": 1,
    "\\color": 1,
    "\\rule": 2,
    "\\ref": 1,
    "\\eqref": 1,
    "\\cite": 1,
    "\\citep": 1,
    "\\footnote": 1,
    "\\setlength": 2,
    "\\definecolor": 3,
    "\\usepackage": 1,
    "\\shortintertext": 1,
    "\\intertext": 1,
    "\\cline": 1,
    "\\require": 1,
    "\\setcounter": 2,
    "\\htmlId": 1,
}

#: Text between rows: the row before ends there, with a mark of its own or without.
PARTING = frozenset(("\\intertext", "\\shortintertext"))

#: Commands that vanish with so many arguments, and leave what stands in the braces of the next.
OPEN = {
    "\\mathbin": 0,
    "\\mathop": 0,
    "\\mathrel": 0,
    "\\mathopen": 0,
    "\\mathclose": 0,
    "\\mathpunct": 0,
    "\\mathinner": 0,
    "\\ensuremath": 0,
    "\\boxed": 0,
    "\\fbox": 0,
    "\\mathmakebox": 0,
    "\\textcolor": 1,
    "\\colorbox": 1,
}

#: Commands that vanish with so many arguments, and leave the next one in its braces.
WRAPPING = {
    "\\smash": 0,
    "\\mathrlap": 0,
    "\\mathllap": 0,
    "\\mathclap": 0,
    "\\cancel": 0,
    "\\underline": 0,
    "\\overline": 0,
    "\\underbrace": 0,
    "\\overbrace": 0,
    "\\htmlClass": 1,
    "\\htmlData": 1,
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
    "\\vec": "vec",
    "\\overrightarrow": "vec",
    "\\dot": "dot",
    "\\ddot": "ddot",
    "\\check": "check",
    "\\breve": "breve",
    "\\mathring": "ring",
}

ALIASES = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\cfrac": "\\frac",
    "\\nicefrac": "\\frac",
    "\\sfrac": "\\frac",
    "\\le": "\\leq",
    "\\leqslant": "\\leq",
    "\\ge": "\\geq",
    "\\geqslant": "\\geq",
    "\\ne": "\\neq",
    "\\to": "\\rightarrow",
    "\\rarr": "\\rightarrow",
    "\\longrightarrow": "\\rightarrow",
    "\\xrightarrow": "\\rightarrow",
    "\\gets": "\\leftarrow",
    "\\larr": "\\leftarrow",
    "\\longleftarrow": "\\leftarrow",
    "\\longmapsto": "\\mapsto",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\lbrack": "[",
    "\\rbrack": "]",
    "\\lparen": "(",
    "\\rparen": ")",
    "\\colon": ":",
    "\\coloneqq": ":=",
    "\\coloneq": ":=",
    "\\triangleq": ":=",
    "\\defeq": ":=",
    "\\vert": "|",
    "\\Vert": "\\|",
    "\\dots": "\\ldots",
    "\\cdots": "\\ldots",
    "\\dotsc": "\\ldots",
    "\\dotsb": "\\ldots",
    "\\dotso": "\\ldots",
    "\\land": "\\wedge",
    "\\lor": "\\vee",
    "\\prime": "'",
    "\\lt": "<",
    "\\gt": ">",
    "\\ast": "*",
    "\\bigstar": "\\star",
    "\\stackrel": "\\overset",
    "\\tbinom": "\\binom",
    "\\dbinom": "\\binom",
    "\\owns": "\\ni",
    "\\smallsetminus": "\\setminus",
    "\\backslash": "\\setminus",
    "\\intercal": "\\top",
    "\\namedmatrix": "\\nmatrix",
    "\\isin": "\\in",
    "\\infin": "\\infty",
}

#: What \\not makes of the relation after it.
NEGATED = {"=": "\\neq", "\\in": "\\notin", "\\equiv": "\\neq"}

BARS = {"|": ("\\lvert", "\\rvert"), "\\|": ("\\lVert", "\\rVert")}
ANGLES = {"<": "\\langle", ">": "\\rangle"}
