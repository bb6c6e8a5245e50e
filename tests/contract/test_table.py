"""Every row of the contract's table, compared with positional numpy."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import axes
from namedtensor.testing import assert_close, assert_same

batch, seq, emb, hid, key, val, head, vocab = axes("batch seq emb hid key val head vocab")
row, col, kernel, k, layer, height, width = axes("row col kernel k layer height width")
seq_ = seq.prime

# ----------------------------------------------------------------------------------- contraction


def test_two_tensors_contract_over_an_axis(draw):
    (W, w), (X, x) = draw("emb[4] hid[5]"), draw("seq[3] emb[4]")
    expected = nt.tensor(np.einsum("eh,se->sh", w, x), seq, hid)
    assert_close((W @ emb @ X).to("numpy"), expected)
    assert_close((W @ "emb" @ X).to("numpy"), expected)
    assert_close((W @ emb[4] @ X).to("numpy"), expected)


def test_two_tensors_contract_over_several_axes(draw):
    (W, w), (Y, y) = draw("head[2] val[3] emb[4]"), draw("val[3] head[2] seq[5]")
    expected = nt.tensor(np.einsum("hve,vhs->es", w, y), emb, seq)
    assert_close((W @ (head, val) @ Y).to("numpy"), expected)
    assert_close((W @ "head val" @ Y).to("numpy"), expected)


def test_any_number_of_tensors_contract(draw):
    (A, a), (B, b), (C, c) = draw("emb[4] seq[3]"), draw("emb[4] hid[5]"), draw("hid[5] emb[4]")
    expected = nt.tensor(np.einsum("es,eh,he->s", a, b, c), seq)
    assert_close(nt.dot[emb, hid](A, B, C).to("numpy"), expected)


def test_a_shared_axis_that_is_not_under_the_dot_stays(draw):
    (A, a), (B, b) = draw("batch[2] emb[4]"), draw("emb[4] batch[2]")
    expected = nt.tensor(np.einsum("be,eb->b", a, b), batch)
    assert_close((A @ emb @ B).to("numpy"), expected)


# ----------------------------------------------------------------------------------- elementwise


def test_operators_lift_by_name(draw):
    (X, x), (b, c) = draw("seq[3] emb[4]"), draw("emb[4]")
    assert_close((X + b).to("numpy"), nt.tensor(x + c, seq, emb))
    assert_close((b - X).to("numpy"), nt.tensor(c - x, seq, emb))
    assert_close((X * b).to("numpy"), nt.tensor(x * c, seq, emb))
    assert_close((X / b).to("numpy"), nt.tensor(x / c, seq, emb))
    assert_close((2.0 - X).to("numpy"), nt.tensor(2.0 - x, seq, emb))
    assert_close((X**2).to("numpy"), nt.tensor(x**2, seq, emb))
    assert_close((-X).to("numpy"), nt.tensor(-x, seq, emb))
    assert_close(abs(X).to("numpy"), nt.tensor(np.abs(x), seq, emb))


def test_operands_without_a_shared_axis_span_both(draw):
    (x, a), (y, b) = draw("seq[3]"), draw("emb[4]")
    assert_close((x * y).to("numpy"), nt.tensor(np.outer(a, b), seq, emb))


def test_functions_and_choices_are_elementwise(draw):
    X, x = draw("seq[3] emb[4]")
    assert_close(nt.relu(X).to("numpy"), nt.tensor(np.maximum(x, 0), seq, emb))
    assert_close(nt.exp(X).to("numpy"), nt.tensor(np.exp(x), seq, emb))
    assert_close(nt.where(X > 0, X, 0.0).to("numpy"), nt.tensor(np.where(x > 0, x, 0), seq, emb))
    assert_close(nt.maximum(X, 0.5).to("numpy"), nt.tensor(np.maximum(x, 0.5), seq, emb))
    assert_close(nt.clip(X, -1.0, 1.0).to("numpy"), nt.tensor(np.clip(x, -1, 1), seq, emb))


def test_comparisons_give_truth_values(draw):
    X, x = draw("seq[3] emb[4]")
    assert_same((X > 0).to("numpy"), nt.tensor(x > 0, seq, emb))
    assert_same(((X > 0) & ~(X > 1)).to("numpy"), nt.tensor((x > 0) & (x <= 1), seq, emb))
    assert_same(((X <= 0) | (X >= 1)).to("numpy"), nt.tensor((x <= 0) | (x >= 1), seq, emb))


# ------------------------------------------------------------------------ functions with axes under


def test_softmax_is_over_the_axes_under_it(draw):
    X, x = draw("seq[3] emb[4]")
    weight = np.exp(x)
    assert_close(
        nt.softmax[seq](X).to("numpy"), nt.tensor(weight / weight.sum(0, keepdims=True), seq, emb)
    )
    assert_close(nt.softmax["seq emb"](X).to("numpy"), nt.tensor(weight / weight.sum(), seq, emb))


@pytest.mark.parametrize(
    ("name", "positional"),
    [
        ("sum", np.sum),
        ("mean", np.mean),
        ("var", np.var),
        ("std", np.std),
        ("min", np.min),
        ("max", np.max),
        ("prod", np.prod),
        ("norm", lambda x, axis: np.sqrt((x * x).sum(axis))),
        ("logsumexp", lambda x, axis: np.log(np.exp(x).sum(axis))),
    ],
)
def test_reductions_use_up_the_axes_under_them(draw, name, positional):
    X, x = draw("batch[2] seq[3] emb[4]")
    reduction = getattr(nt, name)
    assert_close(reduction[seq](X).to("numpy"), nt.tensor(positional(x, axis=1), batch, emb))
    assert_close(reduction[emb, seq](X).to("numpy"), nt.tensor(positional(x, axis=(1, 2)), batch))
    assert_close(reduction[...](X).to("numpy"), nt.tensor(positional(x, axis=(0, 1, 2))))


def test_standardize_shifts_and_scales(draw):
    X, x = draw("seq[3] emb[4]")
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    assert_close(nt.standardize[emb](X).to("numpy"), nt.tensor(expected, seq, emb))
    exact = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    assert_close(nt.standardize[emb](X, eps=0.0).to("numpy"), nt.tensor(exact, seq, emb))


def test_argmax_is_one_hot_and_its_index_a_number(draw):
    X, x = draw("seq[3] emb[4]")
    hot = np.eye(4, dtype=int)[x.argmax(1)]
    assert_same(nt.argmax[emb](X).to("numpy"), nt.tensor(hot, seq, emb))
    assert_same(
        nt.argmin[emb](X).to("numpy"), nt.tensor(np.eye(4, dtype=int)[x.argmin(1)], seq, emb)
    )
    assert_same(nt.argmax_index[emb](X).to("numpy"), nt.tensor(x.argmax(1), seq))
    assert_same(nt.argmin_index["emb"](X).to("numpy"), nt.tensor(x.argmin(1), seq))


def test_argmax_over_two_axes_marks_one_record(draw):
    X, x = draw("seq[3] emb[4]")
    assert_same(nt.argmax[seq, emb](X).to("numpy"), nt.tensor((x == x.max()).astype(int), seq, emb))


def test_running_sums_and_sorting_keep_the_axis(draw):
    X, x = draw("seq[3] emb[4]")
    assert_close(nt.cumsum[emb](X).to("numpy"), nt.tensor(x.cumsum(1), seq, emb))
    assert_close(nt.cumprod[seq](X).to("numpy"), nt.tensor(x.cumprod(0), seq, emb))
    assert_close(nt.sort[emb](X).to("numpy"), nt.tensor(np.sort(x, 1), seq, emb))
    falling = nt.tensor(-np.sort(-x, 1), seq, emb)
    assert_close(nt.sort[emb](X, descending=True).to("numpy"), falling)
    assert_same(nt.argsort[emb](X).to("numpy"), nt.tensor(np.argsort(x, 1), seq, emb))
    assert_close(nt.flip[emb](X).to("numpy"), nt.tensor(x[:, ::-1].copy(), seq, emb))
    assert_close(nt.roll[emb](X, 1).to("numpy"), nt.tensor(np.roll(x, 1, 1), seq, emb))


# ------------------------------------------------------------------------------- rename, reshape


def test_axes_are_renamed(draw):
    X, x = draw("seq[3] emb[4]")
    assert_same(X[seq >> seq_].to("numpy"), nt.tensor(x, "seq' emb"))
    assert_same(X["seq -> seq'"].to("numpy"), nt.tensor(x, "seq' emb"))
    assert_same(X[seq >> emb, emb >> seq].to("numpy"), nt.tensor(x, emb, seq))
    assert_same(X["seq -> emb, emb -> seq"].to("numpy"), nt.tensor(x, emb, seq))


def test_axes_are_merged_and_split(draw):
    X, x = draw("height[28] width[27] batch[2]")
    flat = x.reshape(28 * 27, 2)
    merged = X[(height, width) >> layer]
    assert_same(merged.to("numpy"), nt.tensor(flat, layer, batch))
    assert_same(X["(height, width) -> layer"].to("numpy"), nt.tensor(flat, layer, batch))
    assert_same(merged[layer >> (height[28], width[27])], X)
    assert_same(merged[layer >> (height[28], width)], X)
    assert_same(merged["layer -> (height, width[27])"], X)


def test_merging_does_not_depend_on_how_axes_are_stored(draw):
    X, x = draw("width[3] batch[2] height[4]")
    expected = nt.tensor(x.transpose(2, 0, 1).reshape(12, 2), layer, batch)
    assert_same(X[(height, width) >> layer].to("numpy"), expected)


# -------------------------------------------------------------------------------------- indexing


def test_records_index_all_or_some_axes(draw):
    X, x = draw("seq[3] emb[4]")
    assert X[seq(0), emb(3)].item() == x[0, 3]
    assert_same(X[emb(-1)].to("numpy"), nt.tensor(x[:, -1], seq))
    assert_same(X["seq(2)"].to("numpy"), nt.tensor(x[2], emb))
    assert_same(X["emb(1), seq(2)"].to("numpy"), nt.tensor(x[2, 1]))


def test_ranges_keep_their_axis(draw):
    X, x = draw("seq[7] emb[4]")
    assert_same(X[seq[2:5]].to("numpy"), nt.tensor(x[2:5], seq, emb))
    assert_same(X["seq[2:5]"].to("numpy"), nt.tensor(x[2:5], seq, emb))
    assert_same(X[seq[2:5], emb(1)].to("numpy"), nt.tensor(x[2:5, 1], seq))


def test_an_integer_tensor_looks_up(draw, library):
    E, e = draw("vocab[9] emb[4]")
    i = np.array([[1, 8, 1], [0, 2, 3]])
    I = nt.tensor(i, batch, seq).to(library)
    expected = nt.tensor(e[i], batch, seq, emb)
    assert_same(E[vocab(I)].to("numpy"), expected)
    assert_same(nt.index[vocab](E, I).to("numpy"), expected)
    assert_same(nt.index["vocab"](E, I).to("numpy"), expected)


def test_an_integer_tensor_takes_along_a_shared_axis(draw, library):
    X, x = draw("seq[3] emb[4]")
    i = np.array([3, 0, 2])
    I = nt.tensor(i, seq).to(library)
    assert_same(X[emb(I)].to("numpy"), nt.tensor(x[np.arange(3), i], seq))


# ------------------------------------------------------------------------------------ definitions


def test_a_mask_is_defined_by_its_indices(draw):
    M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    X, x = draw("seq[3] seq'[3]")
    expected = nt.tensor(x.T + np.where(np.tri(3) > 0, 0.0, -np.inf), seq_, seq)
    assert_same((X + M).to("numpy"), expected)


def test_a_definition_with_sizes_gives_its_numbers():
    M = nt.define[seq_[3], seq[3]](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    assert np.array_equal(M.numpy(seq_, seq), np.where(np.tri(3) > 0, 0.0, -np.inf))


def test_cases_take_the_first_row_that_holds():
    X = nt.define[seq[5]](lambda i: nt.cases((10, i < 1), (20, i < 3), 30))
    assert X.numpy().tolist() == [10, 20, 20, 30, 30]


def test_the_identity_contracts_to_a_renaming(draw):
    X, x = draw("seq[3] emb[4]")
    assert_close((nt.eye(seq, seq_[3]) @ seq @ X).to("numpy"), nt.tensor(x, "seq' emb"))
    assert np.array_equal(nt.eye("seq[2] seq'[2]").numpy(seq, seq_), np.eye(2))


def test_an_identity_without_sizes_takes_those_that_it_meets(draw):
    X, x = draw("seq[3] seq'[3]")
    assert_close((nt.eye(seq, seq_) * X).to("numpy"), nt.tensor(np.eye(3) * x, "seq seq'"))


def test_one_hot_marks_an_index(library):
    I = nt.tensor(np.array([2, 0]), seq).to(library)
    hot = nt.one_hot(I, vocab[3])
    assert np.array_equal(hot.numpy(seq, vocab), [[0, 0, 1], [1, 0, 0]])
    assert np.array_equal(nt.one_hot(I, "vocab[3]").numpy(seq, vocab), hot.numpy(seq, vocab))


def test_iota_counts_from_zero():
    assert nt.iota(seq[3]).numpy().tolist() == [0, 1, 2]
    assert nt.iota("seq[3]").torch(seq).tolist() == [0, 1, 2]


# ---------------------------------------------------------------------------------------- windows


def test_unroll_slides_a_window(draw):
    X, x = draw("seq[5] emb[2]")
    expected = np.lib.stride_tricks.sliding_window_view(x, 3, axis=0)
    unrolled = nt.unroll[seq, kernel[3]](X)
    assert_same(unrolled.to("numpy"), nt.tensor(expected, seq, emb, kernel))
    assert_same(nt.unroll["seq kernel[3]"](X), unrolled)


def test_pool_cuts_windows_side_by_side(draw):
    X, x = draw("seq[6] emb[2]")
    expected = nt.tensor(x.reshape(3, 2, 2), seq, kernel, emb)
    assert_same(nt.pool[seq, kernel[2]](X).to("numpy"), expected)


# --------------------------------------------------------------------------------------- ordering


def test_the_greatest_numbers_are_chosen(draw):
    X, x = draw("seq[3] emb[6]")
    order = np.argsort(-x, 1)[:, :5]
    values = nt.tensor(np.take_along_axis(x, order, 1), seq, k)
    assert_same(nt.maxk[emb, k[5]](X).to("numpy"), values)
    assert_same(nt.maxk["emb k[5]"](X).to("numpy"), values)
    hot = nt.tensor(np.eye(6, dtype=int)[order], seq, k, emb)
    assert_same(nt.argmaxk[emb, k[5]](X).to("numpy"), hot)
    assert_same(nt.argmaxk_index[emb, k[5]](X).to("numpy"), nt.tensor(order, seq, k))


def test_the_smallest_numbers_are_chosen(draw):
    X, x = draw("seq[3] emb[6]")
    order = np.argsort(x, 1)[:, :2]
    assert_same(
        nt.mink[emb, k[2]](X).to("numpy"), nt.tensor(np.take_along_axis(x, order, 1), seq, k)
    )
    hot = nt.tensor(np.eye(6, dtype=int)[order], seq, k, emb)
    assert_same(nt.argmink[emb, k[2]](X).to("numpy"), hot)
    assert_same(nt.argmink_index[emb, k[2]](X).to("numpy"), nt.tensor(order, seq, k))


def test_a_one_hot_choice_contracts_to_the_chosen_numbers(draw):
    X, _ = draw("seq[3] emb[6]")
    assert_close(nt.argmaxk[emb, k[2]](X) @ emb @ X, nt.maxk[emb, k[2]](X))
    assert_close(nt.argmax[emb](X) @ emb @ X, nt.max[emb](X))


# --------------------------------------------------------------------------------------- matrices


def test_determinant_and_inverse_name_rows_and_columns(draw):
    A, a = draw("batch[2] row[3] col[3]")
    assert_close(nt.det[row, col](A).to("numpy"), nt.tensor(np.linalg.det(a), batch))
    inverse = nt.tensor(np.linalg.inv(a), batch, row, col)
    assert_close(nt.inv[row, col](A).to("numpy"), inverse)
    assert_close(nt.inv["row col"](A).to("numpy"), inverse)


def test_rows_and_columns_may_be_stored_anywhere(draw):
    A, a = draw("col[3] batch[2] row[3]")
    assert_close(
        nt.inv[row, col](A).to("numpy"),
        nt.tensor(np.linalg.inv(a.transpose(1, 2, 0)), batch, row, col),
    )


def test_diagonal_trace_and_solution(draw):
    (A, a), (B, b) = draw("row[3] col[3]"), draw("row[3] seq[2]")
    assert_close(nt.diag[row, col](A).to("numpy"), nt.tensor(np.diag(a), row))
    assert_close(nt.diag[row, col, k](A).to("numpy"), nt.tensor(np.diag(a), k))
    assert_close(nt.trace[row, col](A).to("numpy"), nt.tensor(np.trace(a)))
    assert_close(nt.solve[row, col](A, B).to("numpy"), nt.tensor(np.linalg.solve(a, b), col, seq))


# ---------------------------------------------------------------------------------------- joining


def test_tensors_join_end_to_end_and_come_apart(draw):
    (A, a), (B, b) = draw("seq[2] emb[4]"), draw("emb[4] seq[3]")
    joined = nt.concat[seq](A, B)
    assert_same(joined.to("numpy"), nt.tensor(np.concatenate([a, b.T]), seq, emb))
    first, second = nt.split[seq](joined, (2, 3))
    assert_same(first, A)
    assert_same(second, B)


def test_joined_tensors_lift_over_what_one_of_them_lacks(draw):
    (A, a), (B, b) = draw("seq[2] emb[4]"), draw("seq[1]")
    expected = np.concatenate([a, np.broadcast_to(b[:, None], (1, 4))])
    assert_same(nt.concat[seq](A, B).to("numpy"), nt.tensor(expected, seq, emb))


def test_tensors_stack_along_a_new_axis_and_come_apart(draw):
    (A, a), (B, b) = draw("seq[2] emb[4]"), draw("emb[4] seq[2]")
    stacked = nt.stack[head](A, B)
    assert_same(stacked.to("numpy"), nt.tensor(np.stack([a, b.T]), head, seq, emb))
    assert_same(nt.stack["head"]([A, B]), stacked)
    first, second = nt.unstack[head](stacked)
    assert_same(first, A)
    assert_same(second, B)


# ------------------------------------------------------------------------- recurrence and lifting


def test_scan_gives_every_state_of_a_recurrence(draw):
    (X, x), (h0, start) = draw("seq[4] hid[3] batch[2]"), draw("hid[3]")
    states, state = [], start[:, None]
    for number in x:
        state = np.tanh(state + number)
        states.append(state)
    found = nt.scan[seq](lambda h, x: nt.tanh(h + x), h0, X)
    assert_close(found.to("numpy"), nt.tensor(np.stack(states), seq, hid, batch))


def test_a_positional_function_is_lifted(draw):
    A, a = draw("row[3] batch[2] col[3]")
    inverse = nt.lift(np.linalg.inv, "row col -> row col")
    expected = nt.tensor(np.linalg.inv(a.transpose(1, 0, 2)), batch, row, col)
    assert_close(inverse(A.to("numpy")), expected)


def test_a_lifted_function_of_torch_runs_under_vmap(draw):
    import torch

    A, a = draw("row[3] batch[2] col[3]")
    inverse = nt.lift(torch.linalg.inv, "row col -> row col")
    expected = nt.tensor(np.linalg.inv(a.transpose(1, 0, 2)), batch, row, col)
    assert_close(inverse(A.to("torch")).to("numpy"), expected)


def test_a_lifted_function_may_take_and_give_several(draw):
    (A, a), (B, b) = draw("row[3] batch[2]"), draw("col[4] batch[2]")
    outer = nt.lift(lambda x, y: (x[:, None] * y, x + 1), "row, col -> row col, row")
    product, more = outer(A, B)
    assert_close(product.to("numpy"), nt.tensor(np.einsum("rb,cb->brc", a, b), batch, row, col))
    assert_close(more.to("numpy"), nt.tensor(a + 1, row, batch))


def test_einops_patterns_name_axes(draw):
    X, x = draw("batch[2] layer[12] seq[3]")
    split = X.rearrange("batch (head key) seq -> batch head key seq", head=4)
    assert_same(split.to("numpy"), nt.tensor(x.reshape(2, 4, 3, 3), batch, head, key, seq))
    back = split.rearrange("head key -> (head key)")
    assert_same(back.to("numpy"), nt.tensor(x, "batch head_key seq"))


def test_unique_lists_distinct_numbers_on_numpy_and_torch():
    for library in ("numpy", "torch"):
        X = nt.tensor([[3.0, 1.0], [1.0, 3.0]], "seq emb").to(library)
        found = nt.unique["value"](X)
        assert found.numpy("value").tolist() == [1.0, 3.0]
        assert str(found.layout.backend) == library
    assert nt.unique["value"](nt.iota("seq[3]") // 2).numpy().tolist() == [0, 1]


REDUCTIONS = "sum prod mean var std norm logsumexp nansum nanmean max min median".split()


@pytest.mark.parametrize("name", [*REDUCTIONS, "any", "all", "count"])
def test_a_full_reduction_is_spelled_with_dots(name):
    reduce = getattr(nt, name)
    X = nt.tensor([[1.0, 2.0], [3.0, 4.0]], "seq emb")
    X = X > 2 if name in ("any", "all", "count") else X
    for library in ("numpy", "torch"):
        every = reduce["seq emb"](X.to(library))
        assert reduce[...](X.to(library)).item() == every.item()
        assert (
            reduce[...](every > 0 if X.kind == "bool" and every.kind != "bool" else every).axes
            == ()
        )


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_places_of_a_mask_over_several_axes_pick_its_numbers(library):
    x = np.arange(24.0).reshape(2, 3, 4) % 7
    X = nt.tensor(x, "batch seq emb").to(library)
    I, J, K = nt.nonzero["seq", "emb", "batch", "found"](X > 3)
    picked = X[nt.Axis("seq")(I), nt.Axis("emb")(J), nt.Axis("batch")(K)]
    np.testing.assert_array_equal(picked.numpy(), np.moveaxis(x, 0, 2)[np.moveaxis(x, 0, 2) > 3])
    (none,) = nt.nonzero["seq", "found"](nt.zeros("seq[3]").to(library))
    assert none.size("found") == 0
    assert nt.nonzero["seq", "found"](X[nt.Axis("batch")(0), nt.Axis("emb")(1)])[0].kind == "int"


def test_an_ellipsis_of_a_pattern_stands_for_the_axes_that_pass_through():
    X = nt.tensor(np.arange(24.0).reshape(2, 3, 4), "batch seq head_key")
    pattern = "... (head key) -> ... key head"
    assert_same(X.rearrange(pattern, head=2), X.rearrange("(head key) -> key head", head=2))
