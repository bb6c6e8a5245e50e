"""Where the norm of a sub-layer stands: one choice in one place, for every stack.

| placement | formula | source |
|---|---|---|
| `between` | norm(f(X)) + X | document 001 |
| `post` | norm(X + f(X)) | Attention Is All You Need; documents 000, 002; v1 of 003 |
| `pre` | X + f(norm(X)) | v2 of document 003 |
"""

from collections.abc import Callable
from typing import Any

from transformer_named.choice import chosen

PLACEMENTS = ("between", "post", "pre")

Function = Callable[[Any], Any]


def around(f: Function, norm: Function, X: Any, placement: str, residual: Any = None) -> Any:
    """Apply a sub-layer with its residual connection and its norm.

        between: norm(f(X)) + R,  post: norm(R + f(X)),  pre: R + f(norm(X)),  with R = X

    Source: the table above. `residual` gives an R other than X.

    >>> around(lambda X: 2 * X, lambda X: X + 1, 10, "between")
    31
    """
    R = X if residual is None else residual
    chosen("placement", placement, PLACEMENTS)
    if placement == "between":
        return norm(f(X)) + R
    if placement == "post":
        return norm(R + f(X))
    return R + f(norm(X))


def open_ended(placement: str) -> bool:
    """Say whether a stack of this placement leaves its sum unnormalised and so needs a last norm.

    >>> open_ended("pre"), open_ended("post")
    (True, False)
    """
    return chosen("placement", placement, PLACEMENTS) == "pre"
