"""Contractions of contractions are done in the cheapest order; names summed inside stay inside."""

import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.kernels.formulas import emb, hid, three, vocab
from tests.kernels.test_kernels_are_formulas import unfused

ax, bx = axes("ax bx")


def draw(*shapes, backend="torch"):
    generator = torch.Generator().manual_seed(0)
    drawn = [
        nt.normal(s, generator=generator, dtype=torch.float64, backend="torch") for s in shapes
    ]
    return drawn if backend == "torch" else [X.to(backend) for X in drawn]


def test_a_vector_goes_first():
    for backend in ("torch", "numpy"):
        drawn = draw("emb[30] hid[20]", "hid[20] vocab[40]", "vocab[40]", backend=backend)
        code = three.code(*drawn)
        assert code.index("B @ unsqueeze(C, -1)") < code.index("A @ ")
        assert "A @ B" in unfused(three).code(*drawn)
        nt.testing.assert_close(three(*drawn), unfused(three)(*drawn), rtol=1e-10)


def test_a_small_gain_at_the_first_sizes_leaves_the_order_as_written():
    drawn = draw("emb[4] hid[3]", "hid[3] vocab[2]", "vocab[2] batch[3]")
    assert "A @ B" in three.code(*drawn)


def test_an_axis_that_is_summed_inside_and_kept_outside_is_no_chain():
    @formula
    def twice(A: R[ax, bx], B: R[ax], C: R[ax, bx]) -> R[ax]:
        return A @ ax @ B @ bx @ C

    drawn = draw("ax[3] bx[4]", "ax[3]", "ax[3] bx[4]")
    assert "  chain: " not in nt.explain(twice, *drawn)
    nt.testing.assert_close(twice(*drawn), unfused(twice)(*drawn), rtol=1e-10)


def test_two_inner_sums_over_one_name_stay_apart():
    @formula
    def both(A: R[emb, ax], B: R[ax, hid], C: R[hid, ax], D: R[ax, vocab]) -> R[emb, vocab]:
        return (A @ ax @ B) @ hid @ (C @ ax @ D)

    drawn = draw("emb[3] ax[4]", "ax[4] hid[5]", "hid[5] ax[4]", "ax[4] vocab[2]")
    nt.testing.assert_close(both(*drawn), unfused(both)(*drawn), rtol=1e-10)


def test_what_is_used_twice_is_computed_once():
    @formula
    def reused(A: R[emb, hid], B: R[hid, vocab], C: R[vocab]) -> R[emb]:
        H = A @ hid @ B
        return H @ vocab @ C * nt.sum[vocab](H)

    drawn = draw("emb[30] hid[20]", "hid[20] vocab[40]", "vocab[40]")
    assert "  chain: " not in nt.explain(reused, *drawn)
    assert reused.code(*drawn).count("@") == 2
    nt.testing.assert_close(reused(*drawn), unfused(reused)(*drawn), rtol=1e-10)
