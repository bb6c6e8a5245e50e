"""The learning rate over the budget."""


def rate_factor(fraction: float, warmup: float) -> float:
    """Rise in a line to 1 over the warm-up, then fall in a line to 0 at the end of the budget.

        factor(t) = t / w               for t < w
                  = (1 - t) / (1 - w)   from there on

    It hangs on the fraction of the budget alone, so a budget of time and one of steps share it.

    >>> [rate_factor(t, warmup=0.2) for t in (0.0, 0.1, 0.2, 0.6, 1.0)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    if fraction < warmup:
        return fraction / warmup
    return (1 - fraction) / (1 - warmup)
