"""Keys are not renamed in self attention by hand."""

import namedtensor as nt
from namedtensor import R, axes, formula

node, feat, head, hk = axes("node feat head hk")
node_ = node.prime


@formula
def talk(
    X: R[node, feat],
    *,
    WQ: R[head, hk, feat],
    WK: R[head, hk, feat],
    WV: R[head, hk, feat],
    WO: R[head, hk, feat],
) -> R[node, feat]:
    Q = WQ @ feat @ X
    K = WK @ feat @ X
    V = WV @ feat @ X
    A = nt.softmax[node](Q @ hk @ K / nt.sqrt(abs(hk)))  # fault
    return WO @ (head, hk) @ (A * V)
