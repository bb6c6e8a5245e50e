"""Ten documents with a wrong axis: each to be mended until its formula is the one that is asked for.

A puzzle has its task, the text that the page shows, a wrong answer, which must fail, and a right one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Puzzle:
    """A document to mend: `wrong` and `right` are what takes the place of `faulty` in `text`."""

    title: str
    task: str
    name: str
    text: str
    faulty: str
    wrong: str
    right: str

    def answered(self, answer: str) -> str:
        """Give the text with an answer in it."""
        assert self.text.count(self.faulty) == 1
        return self.text.replace(self.faulty, answer)


def _aligned(*lines: str) -> str:
    rows = " \\\\\n".join(lines)
    return f"$$\\begin{{aligned}}\n{rows}\n\\end{{aligned}}$$\n"


PUZZLES = (
    Puzzle(
        "The dot",
        "A word has a vector over emb. W scores every word of vocab: contract the axis that both have.",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{emb}}",
            r"W &\in \mathbb{R}^{\text{vocab}, \text{emb}}",
            r"f(X; W) &= W \underset{\text{vocab}}{\cdot} X",
        ),
        r"W \underset{\text{vocab}}{\cdot} X",
        r"W X",
        r"W \underset{\text{emb}}{\cdot} X",
    ),
    Puzzle(
        "The bias",
        "A linear layer from emb to hid. Its bias is added to the result: which axis has it?",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{emb}} & W &\in \mathbb{R}^{\text{emb}, \text{hid}}",
            r"b &\in \mathbb{R}^{\text{emb}}",
            r"f(X; W, b) &= W \underset{\text{emb}}{\cdot} X + b",
        ),
        r"b &\in \mathbb{R}^{\text{emb}}",
        r"b &\in \mathbb{R}^{\text{seq}}",
        r"b &\in \mathbb{R}^{\text{hid}}",
    ),
    Puzzle(
        "The mean of a sentence",
        "Average the word vectors of a sentence, and score its classes.",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{seq}, \text{emb}}",
            r"W &\in \mathbb{R}^{\text{class}, \text{emb}}",
            r"f(X; W) &= W \underset{\text{emb}}{\cdot} \underset{\text{emb}}{\text{mean}}(X)",
        ),
        r"\underset{\text{emb}}{\text{mean}}(X)",
        r"\underset{\text{class}}{\text{mean}}(X)",
        r"\underset{\text{seq}}{\text{mean}}(X)",
    ),
    Puzzle(
        "The way back",
        "A feed-forward network gives back the axis emb, so that its result can be added to X.",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{emb}}",
            r"V &\in \mathbb{R}^{\text{emb}, \text{hid}} & W &\in \mathbb{R}^{\text{hid}, \text{emb}}",
            r"f(X; V, W) &= X + W \underset{\text{emb}}{\cdot} "
            r"\text{relu}(V \underset{\text{emb}}{\cdot} X)",
        ),
        r"W \underset{\text{emb}}{\cdot} \text{relu}",
        r"W \underset{\text{seq}}{\cdot} \text{relu}",
        r"W \underset{\text{hid}}{\cdot} \text{relu}",
    ),
    Puzzle(
        "The weights",
        "Attention: each query seq' weighs all of seq, and takes the mean of V with these weights.",
        "f",
        _aligned(
            r"Q &\in \mathbb{R}^{\text{seq}', \text{key}} & K &\in \mathbb{R}^{\text{seq}, \text{key}}",
            r"V &\in \mathbb{R}^{\text{seq}, \text{val}}",
            r"f(Q, K, V) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}'}{\text{softmax}}"
            r"(Q \underset{\text{key}}{\cdot} K)",
        ),
        r"\underset{\text{seq}'}{\text{softmax}}",
        r"\underset{\text{key}}{\text{softmax}}",
        r"\underset{\text{seq}}{\text{softmax}}",
    ),
    Puzzle(
        "The scale",
        "Scores are sums over key: divide them by the root of how many terms they add up.",
        "f",
        _aligned(
            r"Q &\in \mathbb{R}^{\text{seq}', \text{key}} & K &\in \mathbb{R}^{\text{seq}, \text{key}}",
            r"V &\in \mathbb{R}^{\text{seq}, \text{val}}",
            r"f(Q, K, V) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}}"
            r"\left(\frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{seq}|}}\right)",
        ),
        r"\sqrt{|\text{seq}|}",
        r"|\text{key}|",
        r"\sqrt{|\text{key}|}",
    ),
    Puzzle(
        "The heads",
        "Each head has its own values. Bring all of them together: nothing of head may be left.",
        "f",
        _aligned(
            r"Y &\in \mathbb{R}^{\text{head}, \text{val}}",
            r"W &\in \mathbb{R}^{\text{head}, \text{val}, \text{emb}}",
            r"f(Y; W) &= W \underset{\text{val}}{\cdot} Y",
        ),
        r"W \underset{\text{val}}{\cdot} Y",
        r"W \underset{\text{head}}{\cdot} Y",
        r"W \underset{\text{head}, \text{val}}{\cdot} Y",
    ),
    Puzzle(
        "The norm",
        "Each word's vector gets mean 0 and variance 1 over emb: both statistics are over one axis.",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{seq}, \text{emb}}",
            r"f(X) &= \frac{X - \underset{\text{emb}}{\text{mean}}(X)}"
            r"{\sqrt{\underset{\text{seq}}{\text{var}}(X) + 10^{-5}}}",
        ),
        r"\underset{\text{seq}}{\text{var}}(X)",
        r"\underset{\text{emb}}{\text{mean}}(X)",
        r"\underset{\text{emb}}{\text{var}}(X)",
    ),
    Puzzle(
        "Look at yourself",
        "Self-attention: queries and keys are of the same words, so the axis of queries needs a name of its "
        "own: seq'.",
        "f",
        _aligned(
            r"X &\in \mathbb{R}^{\text{seq}, \text{key}}",
            r"f(X) &= X \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}}"
            r"(X_{\text{seq} \to \text{key}'} \underset{\text{key}}{\cdot} X)",
        ),
        r"X_{\text{seq} \to \text{key}'} \underset",
        r"X_{\text{key} \to \text{seq}'} \underset",
        r"X_{\text{seq} \to \text{seq}'} \underset",
    ),
    Puzzle(
        "The mask",
        "A word of seq' sees itself and what came before it: M is 0 there, and minus infinity elsewhere.",
        "f",
        _aligned(
            r"S &\in \mathbb{R}^{\text{seq}', \text{seq}} & V &\in \mathbb{R}^{\text{seq}, \text{val}}",
            r"M &\in \mathbb{R}^{\text{seq}', \text{seq}}",
            r"M_{\text{seq}'(i), \text{seq}(j)} &= \begin{cases} 0 & i \leq j \\"
            r" -\infty & \text{otherwise} \end{cases}",
            r"f(S, V) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}}(S + M)",
        ),
        r"i \leq j",
        r"i < j",
        r"j \leq i",
    ),
)
