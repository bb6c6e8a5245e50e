"""A low-rank change of a weight."""

from namedtensor import R, axes, formula

d_in, d_out, rank = axes("d_in d_out rank")


@formula
def lora(
    x: R[d_in], W: R[d_in, d_out], alpha: float = 16.0, *, A: R[d_in, rank], B: R[rank, d_out]
) -> R[d_out]:
    low = A @ d_in @ x
    return W @ d_in @ x + alpha / abs(d_in) * (B @ rank @ low)  # fault
