"""One call of each operation, from which the reference writes its LaTeX and its code.

A call is text. Its letters are the arguments of a formula, declared with their axes in `LETTERS`. Only
calls that `usual` does not guess from the signature are listed.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import namedtensor as nt

#: The arguments, the space and the axes of each.
LETTERS = {
    "X": "R[seq, emb]",
    "Y": "R[seq, emb]",
    "Q": "R[seq_, key]",
    "K": "R[seq, key]",
    "h": "R[emb]",
    "A": "R[row, col]",
    "L": "R[row, col]",
    "B": "R[row]",
    "E": "R[vocab, emb]",
    "I": "Z[seq]",
    "P": "R[seq, vocab]",
    "S": "R[seq, kernel]",
    "M": "B[seq]",
    "Z": "R[seq]",
    "C": "B[seq, emb]",
}
SIZES = {
    "seq": 6, "seq'": 5, "emb": 4, "key": 3, "row": 3, "col": 3, "vocab": 7, "kernel": 3
}  # fmt: skip

#: Calls that signatures do not tell. None: no formula has LaTeX for it, since it asks for numbers.
LISTED: dict[str, str | None] = {
    "dot": "nt.dot[key](Q, K)",
    "where": "nt.where(C, X, Y)",
    "cases": "nt.cases((X, X > 0), (-X, X < 0), 0)",
    "clip": "nt.clip(X, 0, 1)",
    "lerp": "nt.lerp(X, Y, 0.5)",
    "all": "nt.all[seq](C)",
    "any": "nt.any[seq](C)",
    "count": "nt.count[seq](C)",
    "logical_and": "nt.logical_and(C, X > 0)",
    "logical_or": "nt.logical_or(C, X > 0)",
    "logical_xor": "nt.logical_xor(C, X > 0)",
    "logical_not": "nt.logical_not(C)",
    "quantile": "nt.quantile[seq](X, 0.9)",
    "roll": "nt.roll[seq](X, 1)",
    "dropout": "nt.dropout(X, 0.1)",
    "maxk": "nt.maxk[seq, k[2]](X)",
    "mink": "nt.mink[seq, k[2]](X)",
    "argmaxk": "nt.argmaxk[seq, k[2]](X)",
    "argmink": "nt.argmink[seq, k[2]](X)",
    "argmaxk_index": "nt.argmaxk_index[seq, k[2]](X)",
    "argmink_index": "nt.argmink_index[seq, k[2]](X)",
    "dispatch": "nt.dispatch[seq, slot[2]](M)[0]",
    "eig": "nt.eig[row, col, value](A)[0]",
    "eigh": "nt.eigh[row, col, value](A)[0]",
    "eigvalsh": "nt.eigvalsh[row, col, value](A)",
    "qr": "nt.qr[row, col, value](A)[0]",
    "svd": "nt.svd[row, col, value](A)[1]",
    "svdvals": "nt.svdvals[row, col, value](A)",
    "nonzero": None,
    "unique": None,
    "index": "nt.index[vocab](E, I)",
    "scatter": "nt.scatter[seq, vocab[7]](X, I)",
    "define": "X + nt.define[seq](lambda i: i / 2)",
    "eye": "X @ seq @ nt.eye(seq, seq_[6])",
    "iota": "X + nt.iota(seq)",
    "from_front": "nt.from_front(I)",
    "one_hot": "nt.one_hot(I, vocab[7])",
    "concat": "nt.concat[seq](X, Y)",
    "stack": "nt.stack[head](X, Y)",
    "split": None,
    "unstack": None,
    "lift": 'nt.lift(np.cumsum, "seq -> seq")(Z)',
    "scan": "nt.scan[seq](lambda h, x: nt.tanh(h + x), h, X)",
    "fold": "nt.fold[seq](lambda h, x: nt.tanh(h + x), h, X)",
    "associative_scan": "nt.associative_scan[seq](lambda a, b: a * b, X)",
    "unroll": "nt.unroll[seq, kernel[3]](X)",
    "pool": "nt.max[kernel](nt.pool[seq, kernel[2]](X))",
    "overlap_add": "nt.overlap_add[seq, kernel](S)",
    "pad": "nt.pad[seq](X, 1, 1)",
    "upsample": "nt.upsample[seq](X, 2)",
    "full": "X + nt.full(seq[6], 0.5)",
    "ones": "X + nt.ones(seq[6])",
    "zeros": "X + nt.zeros(seq[6])",
    "cast": 'nt.cast(X, "float32")',
    "categorical": None,
    "choice": None,
    "permutation": "X[seq(nt.permutation(seq[6]))]",
    "randint": "nt.randint(0, 10, seq[6])",
    "training": "nt.dropout(X, 0.1) if nt.training() else X",
    "update": None,
}

#: What operators and brackets say: a sentence, a call, and one that is refused.
OPERATORS = {
    "Arithmetic": (
        "Add, subtract, multiply, divide, raise to a power, take the remainder: on the axes that both have, "
        "lifted over all others. A size of 1 is not repeated.",
        "(X + h) * Y / 2 - X ** 2 % 3",
        "X + nt.ones(seq[7])",
    ),
    "Comparison and logic": (
        "Compare numbers, `< <= > >= == !=`, and combine what is true: `&` and, `|` or, `^` either, `~` not.",
        "(X > 0) & ~(X == Y)",
        "X & Y",
    ),
    "Contraction": (
        "Multiply, and sum over the axes between two @. Several stand in brackets: `W @ (head, val) @ Y`. "
        "Of more operands: `nt.dot[key](A, B, C)`.",
        "Q @ key @ K",
        "Q @ seq @ K",
    ),
    "Renaming": (
        "Give an axis another name; several at once swap.",
        "X[seq >> seq_]",
        "X[seq >> emb]",
    ),
    "Merging": (
        "Make one axis of several; the last varies fastest.",
        "X[(seq, emb) >> layer]",
        "X[(seq, key) >> layer]",
    ),
    "Splitting": (
        "Make several axes of one; one size may be left out.",
        "X[seq >> (head[2], slot)]",
        "X[seq >> (head[4], slot)]",
    ),
    "Indexing": (
        "Pick one record, counting from 0; negative indices count from the end. Other axes stay.",
        "X[seq(0), emb(-1)]",
        "X[seq(6)]",
    ),
    "Indexing by a tensor": (
        "Pick by whole numbers that have axes themselves: an embedding, a lookup, a gather.",
        "E[vocab(I)]",
        "E[vocab(Z)]",
    ),
    "Slicing": (
        "Keep a range of an axis, with a step.",
        "X[seq[1:5:2]]",
        "X[key[1:3]]",
    ),
    "Updating": (
        "Give the tensor with other numbers at some records; add does so in place of set.",
        "X.at[seq(0)].set(0.0)",
        "X.at[seq(9)].set(0.0)",
    ),
    "Patterns": (
        "Rearrange by a pattern of einops.",
        'X.rearrange("(head slot) emb -> head slot emb", head=2)',
        'X.rearrange("seq key -> key seq")',
    ),
}


@dataclass(frozen=True)
class Sample:
    """A call as a formula, with arguments for it."""

    call: str
    formula: Any
    plain: Any
    arguments: dict[str, np.ndarray[Any, Any]]
    axes: dict[str, str]

    def on(self, library: str) -> list[Any]:
        """Give the arguments as named tensors of numpy or torch."""
        if library == "torch":
            import torch

            return [nt.tensor(torch.tensor(a), self.axes[n]) for n, a in self.arguments.items()]
        return [nt.tensor(a, self.axes[n]) for n, a in self.arguments.items()]


def usual(name: str) -> str:
    """Guess a call from the signature: axes by what its operands are called."""
    entry = getattr(nt, name)
    given = [
        p.name
        for p in inspect.signature(entry).parameters.values()
        if p.default is p.empty and p.kind is not p.VAR_POSITIONAL
    ]
    if entry.__module__.endswith("random"):
        numbers = [{"rate": "1.5", "shape": "2.0"}.get(p, "0.5") for p in given]
        return f"X + nt.{name}({', '.join([*numbers, 'seq[6]'])})"
    brackets = ""
    if isinstance(entry, type(nt.softmax)):
        brackets = "[row, col]" if given[0] in "AL" else "[seq]"
    return f"nt.{name}{brackets}({', '.join(given)})"


def sample(name: str) -> Sample | None:
    """Make the formula of an operation's call; None where none can hold it."""
    call = LISTED.get(name, "") if name in LISTED else usual(name)
    return None if call is None else made(call)


@cache
def made(call: str) -> Sample:
    """Make the formula of a call."""
    used = [letter for letter in LETTERS if letter in _names(call)]
    code = (
        f"@nt.formula\ndef f({', '.join(f'{letter}: {LETTERS[letter]}' for letter in used)}):\n"
        f"    return {call}\n"
        f"plain = lambda {', '.join(used)}: {call}\n"
    )
    names: dict[str, Any] = {"nt": nt, "np": np, "R": nt.R, "Z": nt.Z, "B": nt.B}
    for axis in "seq emb key row col vocab kernel head k slot value layer".split():
        names[axis] = nt.axes(axis)
    names["seq_"] = names["seq"].prime
    exec(compile(code, call, "exec"), names)
    drawn = np.random.default_rng(0)
    arguments, axes = {}, {}
    for letter in used:
        space, listed = LETTERS[letter].rstrip("]").split("[")
        axes[letter] = listed.replace(",", "").replace("seq_", "seq'")
        shape = [SIZES[axis] for axis in axes[letter].split()]
        numbers = drawn.uniform(0.1, 0.9, shape)
        if letter in "AL":
            numbers = numbers @ numbers.T + np.eye(len(numbers))
        arguments[letter] = {"R": numbers, "Z": drawn.integers(0, 7, shape), "B": numbers > 0.5}[
            space
        ]
    return Sample(call, names["f"], names["plain"], arguments, axes)


def _names(call: str) -> set[str]:
    import ast

    return {n.id for n in ast.walk(ast.parse(call)) if isinstance(n, ast.Name)}
