"""Renames between the parts of a pattern do not hide it, and cost no computation."""

import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.primitives import Type, argument, table
from namedtensor.primitives.node import apply_node
from tests.kernels.formulas import key, plain, seq, seq_, val
from tests.kernels.test_kernels_are_formulas import unfused

head, emb, hid, ax, bx = axes("head emb hid ax bx")


def draw(*shapes):
    generator = torch.Generator().manual_seed(0)
    return [nt.normal(s, generator=generator, dtype=torch.float64, backend="torch") for s in shapes]


def rename(node, **pairs):
    return apply_node(table()["rename"](tuple(pairs.items())), (node,))


def leaf(name, *names):
    return argument(name, Type(tuple((n, 3) for n in names)))


def test_a_formula_within_a_formula_is_recognised():
    @formula
    def heads(X: R[seq_, emb], K: R[head, key, seq], V: R[head, seq, val], WQ: R[head, key, emb],
              WO: R[head, val, emb], b: R[emb]) -> R[seq_, emb]:  # fmt: skip
        return WO @ (head, val) @ plain(WQ @ emb @ X, K, V) + b

    drawn = draw("seq'[5] emb[6] batch[2]", "head[2] key[4] seq[5] batch[2]",
                 "head[2] seq[5] val[3] batch[2]", "head[2] key[4] emb[6]",
                 "head[2] val[3] emb[6]", "emb[6]")  # fmt: skip
    text = nt.explain(heads, *drawn)
    assert "  attention: " in text
    assert "  linear: " in text
    assert "~" not in text
    nt.testing.assert_close(heads(*drawn), unfused(heads)(*drawn), rtol=1e-10)


def test_a_transposed_convolution_whose_result_is_renamed_and_joined_is_recognised():
    @formula
    def up(X: R[ax, seq], W: R[ax, bx, key], b: R[bx]) -> R[bx, seq]:
        return nt.overlap_add[seq, key](W @ ax @ X, stride=2, padding=1) + b

    @formula
    def joined(X: R[ax, seq], W: R[ax, bx, key], b: R[bx]) -> R[ax, seq]:
        Y = up(X, W, b)[bx >> ax]
        return nt.concat[ax](Y, nt.relu(Y))

    drawn = draw("ax[3] seq[5] batch[2]", "ax[3] bx[2] key[4]", "bx[2]")
    assert "  transposed_convolution: " in nt.explain(joined, *drawn)
    nt.testing.assert_close(joined(*drawn), unfused(joined)(*drawn), rtol=1e-10)


def test_a_rename_between_softmax_and_contraction_does_not_hide_attention():
    @formula
    def renamed(Q: R[key, seq_], K: R[key, seq], V: R[ax, val]) -> R[seq_, val]:
        return V @ ax @ nt.softmax[seq](Q @ key @ K)[seq >> ax]

    drawn = draw("key[4] seq'[5] batch[2]", "key[4] seq[6] batch[2]", "ax[6] val[3] batch[2]")
    assert "  attention: " in nt.explain(renamed, *drawn)
    nt.testing.assert_close(renamed(*drawn), unfused(renamed)(*drawn), rtol=1e-10)


def test_what_two_names_share_is_computed_once():
    @formula
    def gram(X: R[seq, emb], W: R[hid, emb]) -> R[seq_, seq]:
        H = nt.relu(W @ emb @ X)
        return H[seq >> seq_] @ hid @ H

    drawn = draw("seq[5] emb[6]", "hid[4] emb[6]")
    assert gram.code(*drawn).count("relu(") == 1
    nt.testing.assert_close(gram(*drawn), unfused(gram)(*drawn), rtol=1e-10)


def test_renames_there_and_back_vanish():
    X = leaf("X", "ax")
    (found,) = push_renames(
        [rename(apply_node(table()["exp"].plain, (rename(X, ax="bx"),)), bx="ax")]
    )
    assert found is apply_node(table()["exp"].plain, (X,))


def test_a_summed_axis_is_not_captured_by_a_new_name():
    A, B = leaf("A", "ax", "bx"), leaf("B", "bx")
    product = apply_node(table()["dot"](("bx",)), (A, B))
    (found,) = push_renames([rename(product, ax="bx")])
    assert found.name == "rename"
    assert found.type.names == ("bx",)


def test_axes_that_change_places_keep_their_numbers():
    @formula
    def turned(X: R[seq, seq_]) -> R[seq, seq_]:
        return nt.exp(nt.softmax[seq](X)[seq >> seq_, seq_ >> seq] + X)[seq >> seq_, seq_ >> seq]

    drawn = draw("seq[4] seq'[4] batch[2]")
    nt.testing.assert_close(turned(*drawn), unfused(turned)(*drawn), rtol=1e-12)


def test_dropout_that_is_renamed_is_drawn_once():
    @formula
    def dropped(X: R[seq]) -> R[seq]:
        Y = nt.dropout(X, 0.5)
        return Y[seq >> seq_][seq_ >> seq] - Y

    (X,) = draw("seq[50]")
    nt.testing.assert_same(dropped(X), 0 * X)


def test_a_renamed_causal_mask_is_still_the_kernels_own():
    causal = nt.define[ax, bx](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))

    @formula
    def two(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], S: R[ax, bx]) -> R[seq_, val]:
        Y = V @ seq @ nt.softmax[seq](Q @ key @ K + causal[ax >> seq_, bx >> seq])
        return Y + nt.sum[ax, bx](nt.exp(S + causal))

    drawn = draw("key[4] seq'[5]", "key[4] seq[5]", "seq[5] val[3]", "ax[3] bx[3]")
    assert "is_causal=True" in two.code(*drawn)
    nt.testing.assert_close(two(*drawn), unfused(two)(*drawn), rtol=1e-10)
