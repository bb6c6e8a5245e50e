"""Examples put together for a DataLoader."""

import functools
import pickle
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import namedtensor as nt
from namedtensor import axes
from tests.errors.check import check

batch, seq, emb = axes("batch seq emb")


class Pairs(Dataset):
    """Sentences of growing length, with a label each."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        return {"ids": nt.tensor(torch.arange(i + 1), seq), "label": i, "text": "x" * i}


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_named_tensors_get_a_new_axis(library, count):
    rows = [nt.full("seq[3] emb[2]", float(i)).to(library) for i in range(count)]
    found = nt.collate[batch](rows)
    assert found.shape == nt.Shape(f"batch[{count}] seq[3] emb[2]")
    assert found.axes[0] == "batch"
    assert found.numpy(batch, seq, emb)[:, 0, 0].tolist() == list(range(count))
    assert found.layout.backend.name == library


def test_dicts_tuples_numbers_and_text_keep_their_structure():
    class Point(NamedTuple):
        x: nt.NamedTensor
        y: float

    rows = [
        {
            "p": Point(nt.ones("emb[2]", backend="torch"), 0.5 * i),
            "n": (i, np.float32(i)),
            "t": str(i),
            "none": None,
        }
        for i in range(3)
    ]
    found = nt.collate["batch"](rows)
    assert isinstance(found["p"], Point)
    assert found["p"].x.shape == nt.Shape("batch[3] emb[2]")
    assert found["p"].y.torch(batch).tolist() == [0.0, 0.5, 1.0]
    assert found["n"][0].torch(batch).dtype == torch.int64
    assert found["n"][1].torch(batch).dtype == torch.float32
    assert found["t"] == ["0", "1", "2"]
    assert found["none"] == [None] * 3


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([1, 2], torch.int64),
        ([True, False], torch.bool),
        ([True, 2], torch.int64),
        ([1, 2.5], torch.float64),
        ([np.float64(1), 2], torch.float64),
        ([torch.tensor(1), 2], torch.int64),
        ([2, torch.tensor(1)], torch.int64),
        ([torch.tensor(1), torch.tensor(2.5)], torch.float32),
        ([torch.tensor(1.0, requires_grad=True), 2.0], torch.float32),
    ],
)
def test_numbers_of_several_kinds_are_put_together(numbers, dtype):
    found = nt.collate["batch"]([{"y": number} for number in numbers])["y"].torch(batch)
    assert found.tolist() == [torch.as_tensor(number).item() for number in numbers]
    assert found.dtype == dtype
    assert found.requires_grad == any(getattr(number, "requires_grad", False) for number in numbers)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_padding_fills_to_the_longest_and_masks_say_where(library):
    rows = [nt.full(f"seq[{n}] emb[2]", float(n)).to(library) for n in (2, 4, 1)]
    found, masks = nt.collate[batch](rows, pad={seq: -1.0}, mask=True)
    assert found.numpy(batch, seq, emb)[:, :, 1].tolist() == [
        [2, 2, -1, -1],
        [4, 4, 4, 4],
        [1, -1, -1, -1],
    ]
    assert masks[seq].numpy(batch, seq).sum(1).tolist() == [2, 4, 1]
    assert masks["seq"].kind == "bool"
    assert masks[seq].layout.backend.name == library
    assert list(masks) == ["seq"]


def test_equal_sizes_have_masks_that_are_all_true():
    rows = [nt.ones("seq[2]")] * 2
    found, masks = nt.collate[batch](rows, pad={seq: 0}, mask=True)
    assert found.shape == nt.Shape("batch[2] seq[2]")
    assert masks[seq].numpy(batch, seq).all()
    assert nt.collate[batch](rows, mask=True)[1] == {}


def test_each_name_may_have_its_own_number_and_every_tensor_the_same_length():
    rows = [
        {"ids": nt.tensor(list(range(n)), seq), "labels": nt.tensor(list(range(n)), seq)}
        for n in (1, 3)
    ]
    found = nt.collate[batch](rows, pad={seq: {"ids": 0, "labels": -100}})
    assert found["ids"].numpy(batch, seq).tolist() == [[0, 0, 0], [0, 1, 2]]
    assert found["labels"].numpy(batch, seq).tolist() == [[0, -100, -100], [0, 1, 2]]


def test_two_axes_may_be_padded():
    rows = [nt.ones("seq[2] emb[3]"), nt.ones("seq[3] emb[1]")]
    found = nt.collate[batch](rows, pad={"seq": 0, "emb": 0})
    assert found.numpy(batch, seq, emb).sum((1, 2)).tolist() == [6, 3]


def test_tensors_stored_in_another_order_are_put_together_by_name():
    X = nt.tensor(np.arange(6.0).reshape(2, 3), "seq emb")
    Y = nt.tensor(X.numpy(emb, seq).copy(), "emb seq")
    found = nt.collate[batch]([X, Y])
    assert (found[batch(0)].numpy(seq, emb) == found[batch(1)].numpy(seq, emb)).all()


def test_gradients_flow_to_the_examples():
    rows = [nt.tensor(torch.ones(n, requires_grad=True), seq) for n in (2, 3)]
    nt.sum[...](nt.collate[batch](rows, pad={seq: 0.0})).backward()
    assert rows[0].grad.torch(seq).tolist() == [1, 1]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_data_loader_takes_it_with_and_without_workers(workers):
    collate = functools.partial(nt.collate[batch], pad={seq: 0}, mask=True)
    loader = DataLoader(Pairs(), batch_size=2, collate_fn=collate, num_workers=workers)
    sizes = [(found["ids"].shape, masks[seq].shape) for found, masks in loader]
    assert sizes[1] == (nt.Shape("batch[2] seq[4]"), nt.Shape("batch[2] seq[4]"))
    assert sizes[2][0] == nt.Shape("batch[1] seq[5]")


def test_it_is_pickled_by_its_axis():
    again = pickle.loads(pickle.dumps(functools.partial(nt.collate[batch], pad={seq: 0})))
    assert again([nt.ones("seq[2]"), nt.ones("seq[1]")]).shape == nt.Shape("batch[2] seq[2]")
    assert pickle.loads(pickle.dumps(nt.collate)) is nt.collate


X = nt.ones("seq[3] emb[2]")


def bytes_(n):
    """Give an example of so many small numbers."""
    return nt.tensor(torch.ones(n, dtype=torch.uint8), seq)


CASES = [
    (
        lambda: nt.collate([X]),
        nt.AxisMissingError,
        """
collate(examples): the new axis is not named
hint: nt.collate[batch](examples)
""",
    ),
    (
        lambda: nt.collate[batch]([]),
        nt.AxisSizeError,
        """
collate[batch](...): there are no examples
hint: drop_last=True, or a batch that is not empty
""",
    ),
    (
        lambda: nt.collate[batch]([{"x": X}, {"x": nt.ones("seq[4] emb[2]")}]),
        nt.AxisSizeError,
        """
collate[batch](...): axis seq is 3 in x of example 0 and 4 in x of example 1
  x of example 0 : seq[3] emb[2]
  x of example 1 : seq[4] emb[2]
hint: nt.collate[batch](examples, pad={seq: 0})
""",
    ),
    (
        lambda: nt.collate[batch]([X, nt.ones("seq[3]")]),
        nt.AxisMissingError,
        """
collate[batch](...): example 1 has no axis emb, which example 0 has
  example 0 : seq[3] emb[2]
  example 1 : seq[3]
hint: give every example the same axes
""",
    ),
    (
        lambda: nt.collate[seq]([X, X]),
        nt.AxisClashError,
        """
collate[seq](...): example 0 has an axis seq already
  example 0 : seq[3] emb[2]
hint: rename it, X["seq -> seq'"], or collate[other]
""",
    ),
    (
        lambda: nt.collate[batch]([X, X.to("float32")]),
        nt.KindError,
        """
collate[batch](...): example 0 holds float64, and example 1 float32
  example 0 : seq[3] emb[2]
  example 1 : seq[3] emb[2]
hint: give every example one dtype: X.to("float32")
""",
    ),
    (
        lambda: nt.collate[batch]([{"x": X, "y": 1}, {"x": X}]),
        nt.KindError,
        """
collate[batch](...): example 0 is a dict of x, y, and example 1 a dict of x
hint: give every example the same parts
""",
    ),
    (
        lambda: nt.collate[batch]([(X, 1), (X, X)]),
        nt.KindError,
        """
collate[batch](...): [1] of example 0 is an int, and [1] of example 1 a named tensor
hint: give every example the same parts
""",
    ),
    (
        lambda: nt.collate[batch]([X, 3]),
        nt.KindError,
        """
collate[batch](...): example 0 is a named tensor, and example 1 an int
hint: give every example the same parts
""",
    ),
    (
        lambda: nt.collate[batch]([np.ones(3)]),
        nt.BackendError,
        """
collate[batch](...): example 0 is an ndarray, and its axes have no names
hint: name its axes: nt.tensor(x, "ax")
""",
    ),
    (
        lambda: nt.collate[batch]([object()]),
        nt.BackendError,
        """
collate[batch](...): example 0 is an object, and named tensors, numbers, dicts and tuples are put together
hint: give a named tensor: nt.ones("ax[4]")
""",
    ),
    (
        lambda: nt.collate[batch](
            [nt.ones("seq[1]", dtype="int64"), nt.ones("seq[2]", dtype="int64")], pad={seq: 0.5}
        ),
        nt.KindError,
        """
collate[batch](...): X holds int64 numbers, and is padded with 0.5
  example 0 : seq[1]
hint: pad it with one of its own numbers
""",
    ),
    (
        lambda: nt.collate[batch]([X, X], pad={"key": 0}),
        nt.AxisMissingError,
        """
collate[batch](...): no example has the axis key that pad names
hint: leave it out of pad: key
""",
    ),
    (
        lambda: nt.collate[batch]([{"a": X, "b": nt.ones("seq[4]")}], pad={seq: 0}),
        nt.AxisSizeError,
        """
collate[batch](...): axis seq is 3 in a and 4 in b of example 0
hint: rename one of them, and pad both: seq'
""",
    ),
    (
        lambda: nt.collate[batch]([{"a": X}, {"a": nt.ones("seq[4] emb[2]")}], pad={seq: {"b": 0}}),
        nt.AxisNameError,
        """
collate[batch](...): pad has no number for seq of a
hint: pad={seq: {'a': 0}}
""",
    ),
    (
        lambda: nt.collate[batch]([X, nt.ones("seq[4] emb[1]")], pad={seq: 0, emb: 1}),
        nt.KindError,
        """
collate[batch](...): X is padded along several axes with 0 and 1
hint: give them one number
""",
    ),
    (
        lambda: nt.collate[batch]([*map(bytes_, (1, 2))], pad={seq: -1}),
        nt.KindError,
        """
collate[batch](...): X holds uint8 numbers, and is padded with -1
  example 0 : seq[1]
hint: pad it with one of its own numbers
""",
    ),
    (
        lambda: nt.collate[batch]([1, 2**70]),
        nt.KindError,
        """
collate[batch](...): X has a whole number beyond 64 bits
hint: give real numbers: float(x)
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_what_does_not_fit_is_said_in_words(call, error, text):
    check(call, error, text.strip())
