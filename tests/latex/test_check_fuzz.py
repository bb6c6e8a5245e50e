"""No document crashes the check: real ones, whose words, signs and pieces are left out, doubled or exchanged.

`make fuzz` runs this for as long as it is told.
"""

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from namedtensor.check.documents import look_at
from namedtensor.latex import read
from tests.latex.corpus.subjects import DOCUMENTS
from tests.latex.unseen.counting import ALL

ENCODERS = Path(__file__).parent.glob("*_encoder.md")
TEXTS = [(path.name, path.read_text("utf-8")) for path in [*DOCUMENTS, *sorted(ENCODERS)]]
TEXTS += [(unseen.file, unseen.text) for unseen in ALL if not unseen.beside]

#: The words of a formula: axes, commands, letters, numbers, signs, and the ends of rows and paragraphs.
WORDS = re.compile(
    r"\\(?:text|name)\{[a-z]+\}'?|\\[a-zA-Z]+|\\\\|[A-Za-z]|\d+|[{}()\[\],;:=&+\-*/^_]|\n\n"
)
AXIS = re.compile(r"\\(?:text|name)\{[a-z]+\}'?")


@st.composite
def changed(draw):
    """Draw a document, and change it in a few places."""
    name, text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        pattern = draw(st.sampled_from([WORDS, AXIS]))
        words = list(pattern.finditer(text))
        if len(words) < 2:
            continue
        places = st.integers(0, len(words) - 1)
        at = draw(places)
        one, other = words[at], words[draw(places)]
        far = words[min(len(words) - 1, at + draw(st.integers(1, 12)))]
        text = draw(
            st.sampled_from(
                [
                    text[: one.start()] + text[one.end() :],
                    text[: one.start()] + other[0] + text[one.end() :],
                    text[: one.start()] + other[0] + text[one.start() :],
                    text[: one.start()] + text[far.start() :],
                    text[: far.start()] + text[one.start() :],
                ]
            )
        )
    return name, text


@settings(deadline=None, max_examples=40)
@given(changed())
def test_what_was_changed_in_a_document_is_checked_or_refused(given):
    name, text = given
    document = read(text, name)
    for finding in [*document.check(), *look_at(document)[0]]:
        assert str(finding)
