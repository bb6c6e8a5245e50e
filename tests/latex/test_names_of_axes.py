"""What an axis can be called in a document, and what is said of the rest."""

import pytest

import namedtensor as nt


def document(axis: str) -> nt.latex.Document:
    return nt.latex.read(
        rf"""$$\begin{{aligned}}
X &\in \mathbb{{R}}^{{{axis} \times \text{{emb}}}} \\
f(X) &= \underset{{{axis}}}{{\text{{softmax}}}} X
\end{{aligned}}$$""",
        "notes.md",
    )


@pytest.mark.parametrize(
    ("axis", "name"),
    [
        (r"\text{seq}", "seq"),
        (r"\text{d-model}", "d_model"),
        (r"\text{seq len}", "seq_len"),
        (r"\text{d–model}", "d_model"),
        (r"\text{seq-len}'", "seq_len'"),
        (r"\text{h\_d}", "h_d"),
        (r"\text{α}", "α"),
    ],
)
def test_words_that_are_joined_by_a_blank_or_a_hyphen_are_one_name(axis, name):
    found = document(axis)
    assert found.check() == []
    f = found["f"]
    assert sorted(f(nt.ones(f"{name}[2] emb[3]")).axes) == sorted([name, "emb"])
    again = nt.latex.read(f.latex(), "notes.md")
    assert str(again["f"]) == str(f)


@pytest.mark.parametrize("name", ["2d", "x.y", "a/b", "k:v", "seqR=", "a'b"])
def test_what_no_axis_can_be_called_is_an_error_where_it_stands(name):
    found = document(rf"\text{{{name}}}")
    assert {f.code for f in found.check()} == {"syntax-axis"}
    assert found.check()[0].message == f"an axis cannot be named {name}"
    assert [made for _, made in found.made() if isinstance(made, nt.Formula)] == []


def test_what_has_no_meaning_in_the_notation_is_said_to_be_unchecked():
    found = nt.latex.read(
        r"""$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq} \times \text{emb}} \\
f(X) &= \underset{\text{emb}}{\text{softmax}} X^{-1} + \lim_{n} X
\end{aligned}$$"""
    ).check()
    assert [(f.severity, f.code) for f in found] == [("note", "not-notation")] * 2
    assert "X^{-1} may be the inverse of a matrix" in found[0].message
