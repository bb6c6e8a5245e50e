"""Names in Python and in the notation: W1 is W^1, d_model is d_{model}, seq' is \\text{seq}'.

| Python | LaTeX | |
|---|---|---|
| `X`, `gamma` | `X`, `\\gamma` | a letter |
| `W1`, `gamma2`, `WQ`, `bQ` | `W^1`, `\\gamma^2`, `W^Q`, `b^Q` | a letter with a superscript |
| `d_k`, `d_model`, `norm_S` | `d_k`, `d_{\\text{model}}`, `\\text{norm}_S` | a subscript |
| `mha`, `norm1`, `self_attention` | `\\text{mha}`, `\\text{norm1}`, `\\text{self-attention}` | a word |
| `yhat`, `xbar1` | `\\hat{y}`, `\\bar{x}^1` | a letter with an accent or in another style |
| `X_`, `lambda_`, `P__E`, `h_t__l` | `X'`, `\\lambda`, `P^E`, `h_t^l` | primes, keywords, other scripts |

`parts` takes a Python identifier apart, and `joined` undoes it; LaTeX is written and read by parts.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from namedtensor.axes import shown
from namedtensor.latex.reading.words import LETTERS, is_prose
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import Expression, Letter, Number, Scripts

#: The ways to write the notation: with the macros of namedtensor.sty, with these and one more macro for
#: each axis, or in plain LaTeX.
DIALECTS = ("macros", "ndef", "underset")

#: Words that cannot name macros, because LaTeX has commands of these names.
_COMMANDS = frozenset(
    "in to of text name exp log sin cos tan max min sum prod frac sqrt left right begin end cdot odot"
    " det dim arg gcd inf sup lim ker deg hom mod bmod top not neg land lor leq geq neq circ star ast"
    " times over quad hat bar vec tilde dot big int def par box rm bf it sf tt em lower raise".split()
)

#: Accents and styles of letters, by the ending of the Python name: yhat is \\hat{y}.
DRESSES = {
    "hat": "hat",
    "tilde": "tilde",
    "bar": "bar",
    "vec": "vec",
    "back": "overleftarrow",
    "cal": "mathcal",
    "bold": "mathbf",
}

_DRESSED = re.compile(rf"({'|'.join(sorted(LETTERS))}|[A-Za-z])({'|'.join(DRESSES)})")
_NUMBERED = re.compile(r"([A-Za-z]|[A-Za-z]{2,}?)(\d+)")
_WEIGHT = re.compile(r"(W|[a-z])([A-Z])|(W)([a-z])")
_AXIS = re.compile(r"(.*?)(?:_(\d+|[^\W\d_]))?('*)(\**)")


@dataclass(frozen=True, slots=True)
class Parts:
    """A name taken apart; `word` says that the base is an upright word, not the letter of that name."""

    base: str
    sup: str = ""
    sub: str = ""
    primes: int = 0
    word: bool = False


def parts(identifier: str) -> Parts:
    """Take a Python identifier apart.

    >>> parts("WQ_k")
    Parts(base='W', sup='Q', sub='k', primes=0, word=False)
    """
    stem = identifier.rstrip("_")
    if not stem or stem.startswith("_"):
        return Parts(identifier, word=True)
    primes = len(identifier) - len(stem) - (keyword.iskeyword(stem) and stem != identifier)
    rest, _, sup = stem.partition("__")
    word = rest.startswith("text_") and rest != "text_"
    if word:
        rest = rest.removeprefix("text_")
    base, sub = _subscript(rest, word)
    if not word and not sup:
        base, sup = _superscript(base)
    return Parts(base, sup, sub, primes, word or not _is_letter(base))


def _subscript(text: str, word: bool) -> tuple[str, str]:
    head, _, sub = text.partition("_")
    if sub and not word and (_is_letter(head) or _superscript(head)[1]):
        return head, sub
    head, _, sub = text.rpartition("_")
    return (head, sub) if head and (len(sub) == 1 or sub.isdecimal()) else (text, "")


def _superscript(text: str) -> tuple[str, str]:
    numbered = _NUMBERED.fullmatch(text)
    if numbered and _is_letter(numbered[1]):
        return numbered[1], numbered[2]
    weight = _WEIGHT.fullmatch(text)
    if weight:
        base, sup = [g for g in weight.groups() if g]
        return base, sup
    if text[-1:].isupper() and text[:-1] in LETTERS:
        return text[:-1], text[-1]
    return text, ""


def _is_letter(text: str) -> bool:
    single = len(text) == 1 and text.isascii() and text.isalpha()
    return single or text in LETTERS or _DRESSED.fullmatch(text) is not None


def joined(name: Parts) -> str | None:
    """Give the Python identifier of a name; None where it has none."""
    sub = f"_{name.sub}" if name.sub else ""
    forms = [
        f"{name.base}{name.sup}{sub}",
        f"{name.base}{sub}__{name.sup}" if name.sup else f"{name.base}{sub}",
        f"text_{name.base}{sub}__{name.sup}" if name.sup else f"text_{name.base}{sub}",
    ]
    for form in forms:
        text = form + "_" * (name.primes + keyword.iskeyword(form))
        if text.isidentifier() and parts(text) == name:
            return text
    return None


# ------------------------------------------------------------------------------ to and from LaTeX


def letters(identifier: str) -> str:
    """Write a Python identifier in the notation.

    >>> print(letters("W1"), letters("d_model"), letters("gamma"), letters("mha"))
    W^1 d_{\\text{model}} \\gamma \\text{mha}
    """
    name = parts(identifier)
    base = _word(name.base) if name.word else _script(name.base)
    sub = f"_{_braced(_script(name.sub))}" if name.sub else ""
    sup = f"^{_braced(_script(name.sup))}" if name.sup else ""
    return base + sub + "'" * name.primes + sup


def _script(text: str) -> str:
    if text in LETTERS:
        return f"\\{text}"
    dressed = _DRESSED.fullmatch(text)
    if dressed:
        return f"\\{DRESSES[dressed[2]]}{{{_script(dressed[1])}}}"
    plain = text.isascii() and (text.isdecimal() or (len(text) == 1 and text.isalpha()))
    return text if plain else _word(text)


def _word(text: str) -> str:
    text = text.replace("_", "-")
    # \text{given} would be read as a word between two statements
    return f"\\{'operatorname' if is_prose(text) else 'text'}{{{text}}}"


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def identifier(expression: Expression) -> str | None:
    """Give the Python identifier of a name; None where it has none, as W^{l-1}.

    >>> from namedtensor.latex.source import Span
    >>> at = Span(0, 0)
    >>> identifier(Scripts(at, Letter(at, "W"), sup=Number(at, 1)))
    'W1'
    """
    if isinstance(expression, Letter):
        return joined(_base(expression))
    if not isinstance(expression, Scripts) or not isinstance(expression.base, Letter):
        return None
    base = _base(expression.base)
    sub, sup = _script_text(expression.sub), _script_text(expression.sup)
    if sub is None or sup is None:
        return None
    return joined(Parts(base.base, sup, sub, expression.primes, base.word))


def named(text: str, at: Span) -> Letter | Scripts:
    """Give the LaTeX tree of a Python identifier, W^1 for W1, with a place in the source.

    >>> identifier(named("W1", Span(0, 0)))
    'W1'
    """
    name = parts(text)
    base = Letter(at, name.base, "word" if name.word else "letter")
    sub, sup = [_named_script(script, at) for script in (name.sub, name.sup)]
    if sub is None and sup is None and not name.primes:
        return base
    return Scripts(at, base, sub, sup, name.primes)


def _named_script(text: str, at: Span) -> Expression | None:
    if not text:
        return None
    return Number(at, int(text)) if text.isdecimal() else Letter(at, text, "word")


def _base(letter: Letter) -> Parts:
    text = _plain(letter.text)
    return Parts(text, word=letter.style == "word" or not _is_letter(text))


def _script_text(script: Expression | None) -> str | None:
    if script is None:
        return ""
    if isinstance(script, Number):
        return str(script.value) if isinstance(script.value, int) and script.value >= 0 else None
    return _plain(script.text) if isinstance(script, Letter) else None


def _plain(text: str) -> str:
    return re.sub(r"\\_|[\s-]", "_", text)


# ------------------------------------------------------------------------------------------- axes


def axis_macro(name: str) -> str | None:
    """Give the macro name of an axis, seq (as \\seq) for seq and seq'; None where it can have none."""
    stem = name.rstrip("*'").partition("_")[0]
    plain = stem.isascii() and stem.isalpha() and stem not in LETTERS | _COMMANDS
    return stem if plain and _AXIS.fullmatch(name)[1] == stem else None  # type: ignore[index]


def axis_letters(name: str, dialect: str = "macros") -> str:
    """Write an axis: \\name{seq}' for the style file, \\text{seq}' in plain LaTeX.

    >>> print(axis_letters("seq'"), axis_letters("hidden_1", "underset"), axis_letters("emb*"))
    \\name{seq}' \\text{hidden}_1 \\name{emb}^*
    """
    found = _AXIS.fullmatch(shown(name))
    assert found is not None
    stem, sub, primes, stars = found.groups()
    command = "text" if dialect == "underset" else "name"
    text = f"\\{command}{{{stem.replace('_', chr(92) + '_')}}}"
    if dialect == "ndef" and axis_macro(shown(name)):
        text = f"\\{stem}"
    if sub:
        text += f"_{_braced(sub)}"
    return text + primes + (f"^{_braced(stars)}" if stars else "")
