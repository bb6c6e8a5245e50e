"""Message passing on a dense graph."""

import namedtensor as nt
from namedtensor import R, axes, formula

node, feat, out = axes("node feat out")
source = node.prime


@formula
def layer(X: R[node, feat], A: R[node, source], *, W: R[feat, out], b: R[out]) -> R[node, out]:
    messages = X @ feat @ W
    degree = nt.sum[source](A)
    gathered = A @ source @ messages  # fault
    return nt.relu(gathered / degree + b)
