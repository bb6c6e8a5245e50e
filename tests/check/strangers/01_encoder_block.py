"""An encoder block as one reads it in a blog post."""

import namedtensor as nt
from namedtensor import R, axes, formula

tokens, model, hidden, heads, feat = axes("tokens model hidden heads feat")
queries = tokens.prime


@formula
def mlp(x: R[model], *, up: R[model, hidden], down: R[hidden, model], b: R[model]) -> R[model]:
    return down @ hidden @ nt.gelu(up @ model @ x) + b


@formula
def attend(
    x: R[tokens, model],
    *,
    wq: R[model, heads, feat],
    wk: R[model, heads, feat],
    wv: R[model, heads, feat],
    wo: R[heads, feat, model],
) -> R[tokens, model]:
    q = (wq @ model @ x)[tokens >> queries]
    k = wk @ model @ x
    v = wv @ model @ x
    a = nt.softmax[tokens](q @ feat @ k / nt.sqrt(abs(feat)))
    out = a @ queries @ v  # fault
    return (wo @ (heads, feat) @ out)[queries >> tokens]


@formula
def block(x: R[tokens, model], *, attention: attend, ff: mlp) -> R[tokens, model]:
    x = x + attention(nt.standardize[model](x))
    return x + ff(nt.standardize[model](x))
