r"""What a document says and nobody reads is said: an equation that is set aside leaves a note."""

import re

import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

DECLARED = (
    r"Let $X \in \mathbb{R}^{\text{pos}}$, $W \in \mathbb{R}^{\text{pos}, \text{hid}}$." "\n\n"
)

#: Equations that cannot be read, and what a part of each is.
UNREADABLE = [
    (r"$$ g(x) = X \mystery x $$", "g(x)"),
    (r"$$ Y = \mystery{X} $$", "Y"),
    (r"$$ \mystery = 2 X $$", r"\mystery"),
    (r"$$ Y := X \mystery 2 $$", "Y"),
    (r"$$ Y \equiv X \mystery 2 $$", "Y"),
    (r"$$ Y \triangleq X \mystery 2 $$", "Y"),
    (r"$$ Y \overset{\text{def}}{=} X \mystery 2 $$", "Y"),
    (r"$$ Y \leftarrow X \mystery 2 $$", "Y"),
    (r"$$ Y_{ij} = X_i \mystery X_j $$", "Y_{ij}"),
    (r"$$ (Y, Z) = \mystery X $$", "(Y, Z)"),
    (r"$$ Y = Z = \mystery X $$", "Y"),
    (r"$$ \dot{x} = \mystery X $$", r"\dot{x}"),
    (r"$$ c = 4 \mystery $$", "c"),
    (r"\[ Y = X \mystery \]", "Y"),
    (r"\begin{equation*} Y = X \mystery \end{equation*}", "Y"),
    (r"\begin{equation}\label{eq:a} Y = X \mystery \end{equation}", "Y"),
    (r"\begin{multline} Y = X \\ + X \mystery \end{multline}", "Y"),
    (r"\begin{equation}\begin{split} Y &= X \\ &\quad + \mystery X \end{split}\end{equation}", "Y"),
    (r"\begin{itemize}\item $$ Y = X \mystery $$\end{itemize}", "Y"),
    (r"Words.\footnote{Here \[ Y = X \mystery \] is it.}", "Y"),
    (r"$$ \text{Let } Y = X \mystery $$", "Y"),
    (r"$$ \text{where } Y = X \mystery $$", "Y"),
    (r"$$ Y = X \mystery \tag{3} $$", "Y"),
    (r"$$ Y = X \mystery. $$", "Y"),
    (r"$$ Y == 2 X $$", "Y"),
    (r"$$ Y \mathrel{+}= X $$", "Y"),
    (r"$$ Y = (2 X $$", "Y"),
    (r"$$ Y = \frac{X} $$", "Y"),
    ("```math\nY = X \\mystery\n```", "Y"),
    (r"We have $Y = X \mystery$ here.", "Y"),
    ("| a | b |\n|---|---|\n| $Z = 2 X$ | $Y = X \\mystery$ |\n", "Y"),
]

#: Equations that can be read and say something of a tensor, which the notation does not say.
OTHERWISE = [
    (r"$$ Y_i = X_{\max} $$", "without names of axes"),
    (r"$C = 2 X$ $$ L = C_{\max} $$", "without names of axes"),
    (r"$$ Y = \int_0^1 X \, dt $$", "without names of axes"),
    (r"$$ f(u) = X^\dagger u $$", "without names of axes"),
    (r"$$ Y = X_1 + \dots + X_n $$", "without names of axes"),
    (r"$$ Y_1, Y_2 = X $$", "without names of axes"),
    (r"$$ Y = X^\top X $$", "its axes have no names"),
    (r"$$ Y = 2 X \implies Z = 3 X $$", "without names of axes"),
]


#: Mathematics that defines nothing, or nothing of what is declared.
QUIET = [
    r"$$ a \leq b \leq c \mystery $$",
    r"$$ c = 4 $$",
    r"$$ Y = \text{something} $$",
    r"$$ a = b^\top b $$",
    r"$$ \hat{z} \sim \mathcal{N}(0, 1) $$",
    r"$$ z \propto z $$",
    r"$$ \frac{dy}{dt} = 3 y $$",
    r"We have $q = r \mystery$ here.",
]

#: Definitions as they are written.
READ = [
    r"$$ Y := 2 X $$",
    r"$$ Y \equiv 2 X $$",
    r"$$ Y \triangleq 2 X $$",
    r"$$ Y \overset{\text{def}}{=} 2 X $$",
    r"$$ 2 X =: Y $$",
    r"$$ Y = 2 X \quad Z = 3 X $$",
    r"$$ Y = 2 X, Z = 3 X $$",
    r"$$ Y = 2 X \text{ and } Z = 3 X $$",
    r"$$ Y = 2 Z \text{ where } Z = 3 X $$",
    r"$$ \text{Let } Y = 2 X $$",
    r"$$ Y = 2 X \tag{3} $$",
    r"$$ Y = 2 X; $$",
    r"$$ Y = 2 X \qquad (1) $$",
    r"$$ Y = 2 X \qquad \text{(the double)} $$",
    r"Words.\footnote{Here $Y = 2 X$ is it, and \[ Z = 3 X \] too.}",
    r"\begin{itemize}\item \[ Y = 2 X \] \end{itemize}",
    "| a | b |\n|---|---|\n| $Y = 2 X$ | $Z = 3 X$ |\n",
    r"\begin{multline} Y = X \\ + X \end{multline}",
    r"\begin{equation}\begin{split} Y &= X \\ &\quad + X \end{split}\end{equation}",
    r"\begin{equation}\label{eq:a} Y = 2 X. \end{equation}",
]

#: What stands in no display.
INLINE = re.compile(r"(?<!\$)\$(?!\$)")


def notes(text: str, name: str = "notes.md") -> list[str]:
    """Give what is said of a document, all of it notes that something is set aside."""
    found = read(text, name).check()
    assert {(f.severity, f.code) for f in found} <= {("note", "not-notation")}
    return [str(f) for f in found]


@pytest.mark.parametrize(("text", "name"), UNREADABLE)
def test_an_equation_that_cannot_be_read_leaves_a_note(text, name):
    (note,) = notes(DECLARED + text)
    place, line, caret, hint = note.split("\n")
    assert "note[not-notation]: set aside: cannot be read: " in place
    assert name in line
    assert caret.strip(" |^") == ""
    assert hint.startswith("hint: ")


@pytest.mark.parametrize("text", [text for text, _ in UNREADABLE if not INLINE.search(text)])
def test_in_a_display_it_does_so_beside_no_declaration_too(text):
    assert len(notes(text)) == 1


@pytest.mark.parametrize(("text", "why"), OTHERWISE)
def test_an_equation_of_a_tensor_without_its_axes_leaves_a_note(text, why):
    (note,) = notes(DECLARED + text)
    assert "set aside: " in note
    assert why in note.split("\n")[0]
    assert "hint: write it in the notation" in note


def test_what_is_asked_for_says_why_it_was_set_aside():
    with pytest.raises(LatexError, match=r"Y is set aside: cannot be read: \\mystery is not known"):
        read(DECLARED + r"$$ Y = X \mystery $$")["Y"]


def test_the_readable_lines_of_a_display_are_read():
    text = (
        DECLARED + r"$$\begin{aligned} Y &= 2 X \\ Z &= X \mystery 3 \\ V &= Y + X \end{aligned}$$"
    )
    assert read(text).names == ("Y", "V")
    (note,) = notes(text)
    assert r"Z &= X \mystery 3" in note


def test_an_old_array_is_read_line_by_line():
    text = DECLARED + r"$$\begin{array}{rcl} Y &=& 2 X \\ Z &=& X \mystery \end{array}$$"
    assert read(text).names == ("Y",)
    assert len(notes(text)) == 1


@pytest.mark.parametrize("text", QUIET)
def test_mathematics_that_says_nothing_of_tensors_is_listed_in_silence(text):
    document = read(DECLARED + text, "notes.md")
    assert document.check() == []
    assert document.names == ()
    (aside,) = document.asides
    assert aside.syntax.why


@pytest.mark.parametrize("text", READ)
def test_definitions_in_all_spellings_are_read_without_a_word(text):
    document = read(DECLARED + text, "notes.md")
    assert document.check() == []
    assert document.names in (("Y",), ("Y", "Z"))


def test_a_comment_silences_the_note():
    text = DECLARED + "<!-- named: ok not-notation -->\n$$ Y = X \\mystery $$"
    assert read(text, "notes.md").check() == []


def test_a_tensor_of_another_section_is_another_letter():
    text = r"""
## Names
Let $X \in \mathbb{R}^{\text{pos}}$.

## Matrices
$$ Y = X^\top X $$"""
    assert notes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        r"$$ Y = 2 Z \footnote{where $Z = 3 X$} $$",
        r"\begin{align} Y &= 2 Z \\ \intertext{where $Z = 3 X$ and} V &= Y \end{align}",
        r"\begin{align*} Y &= 2 Z \\ \shortintertext{with $Z = 3 X$,} V &= Y \end{align*}",
    ],
)
def test_mathematics_in_the_words_of_a_display_is_read(text):
    document = read(DECLARED + text)
    assert document.check() == []
    found = document["Y"](tensor([1.0, 2.0], "pos"))
    assert found.numpy("pos").tolist() == [6, 12]


@pytest.mark.parametrize("command", ["footnote", "intertext", "shortintertext"])
def test_what_cannot_be_read_in_the_words_of_a_display_leaves_a_note(command):
    text = rf"\begin{{align}} Y &= 2 X \\ \{command}{{where $Z = X \mystery$}} V &= Y \end{{align}}"
    (note,) = notes(DECLARED + text)
    assert r"Z = X \mystery" in note
