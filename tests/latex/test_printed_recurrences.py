"""Scans are printed as recurrences."""

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.latex.rendering import rendered

seq, emb = axes("seq emb")


def rows(f):
    text = f.latex("underset")
    rendered(text)
    return [line.removesuffix(" \\\\") for line in text.splitlines()[3:-1]]


def test_a_scan_is_printed_as_its_start_its_step_and_what_is_kept():
    @formula
    def sums(X: R[seq, emb], h: R[emb]) -> R[seq, emb]:
        H_all = nt.scan[seq](lambda s, x: nt.tanh(s) + x, h, X)
        return 2 * H_all

    assert rows(sums)[0:] == [
        r"\text{sums}(X, h) &= 2 H",  # H_all would have two scripts below it, which nobody reads
        r"H_{\text{seq}:0} &= h",
        r"H_{\text{seq}:t} &= \tanh H_{\text{seq}:t - 1} + X_{\text{seq}:t}",
    ]


def test_the_last_carry_and_what_is_emitted_backwards():
    @formula
    def both(X: R[seq, emb]) -> tuple[R[emb], R[seq, emb]]:
        return nt.scan[seq](
            lambda s, x: s + x, 0.0, X, reverse=True, emit=lambda s, x: nt.exp(s) * x
        )

    assert rows(both) == [
        r"s_{|\text{seq}| + 1} &= 0.0",
        r"s_{t} &= s_{t + 1} + X_{\text{seq}:t}",
        r"H &= s_{1}",
        r"S_{\text{seq}:t} &= \exp s_{t} \odot X_{\text{seq}:t}",
    ]


def test_an_associative_scan_starts_with_the_first_element():
    @formula
    def products(X: R[seq, emb]) -> R[seq, emb]:
        return nt.associative_scan[seq](lambda x, y: x * y, X)

    assert rows(products)[-3:] == [
        r"x_{1} &= X_{\text{seq}:1}",
        r"x_{t} &= x_{t - 1} \odot X_{\text{seq}:t}",
        r"H_{\text{seq}:t} &= x_{t}",
    ]
