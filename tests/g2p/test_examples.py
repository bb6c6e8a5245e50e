import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_named.g2p.examples import Examples, Order, encode, fingerprint, mix
from transformer_named.g2p.symbols import phonemes_of

DICTIONARY = {
    "a": (("AH",), ("EY",)),
    "cab": (("K", "AE", "B"),),
    "w": (("D", "AH", "B"),),
}


def test_each_pronunciation_is_a_row():
    examples = encode(["a", "cab"], DICTIONARY)
    assert examples.spellings.tolist() == [[1, 0, 0], [1, 0, 0], [3, 1, 2]]
    spoken = [phonemes_of(row) for row in examples.pronunciations.tolist()]
    assert spoken == [("AH",), ("EY",), ("K", "AE", "B")]
    assert examples.letters.tolist() == [1, 1, 3]
    assert examples.phonemes.tolist() == [3, 3, 5]


def test_a_batch_is_cut_behind_its_longest_row():
    examples = encode(["a", "cab", "w"], DICTIONARY)
    source, target = examples.batch(torch.tensor([0, 3]))
    assert source.tolist() == [[1], [23]]
    assert target.shape == (2, 5)
    assert source.dtype == target.dtype == torch.int64


def test_columns_are_rounded_up_to_a_multiple():
    examples = encode(["a", "cab", "w"], DICTIONARY)
    for multiple, shape in ((2, (2, 2)), (3, (2, 3)), (8, (2, 3))):
        source, target = examples.batch(torch.tensor([0, 3]), multiple=multiple)
        assert source.shape == shape
        assert source[:, 1:].eq(0).all()
        assert target.shape == (2, 5)


def test_the_fingerprint_hangs_on_words_and_pronunciations():
    known = fingerprint(["a"], DICTIONARY)
    assert fingerprint(["a"], DICTIONARY) == known
    assert fingerprint(["w"], DICTIONARY) != known
    assert fingerprint(["a"], {"a": (("AH",),)}) != known


def examples_of(letters):
    count = len(letters)
    return Examples(
        torch.zeros(count, 30), torch.zeros(count, 30), torch.tensor(letters), torch.ones(count), ""
    )


sizes = st.lists(st.integers(1, 30), min_size=1, max_size=60)


@given(sizes, st.integers(1, 9), st.integers(0, 3))
def test_an_epoch_holds_every_row_once(letters, batch, epoch):
    order = Order(examples_of(letters), batch, seed=1)
    steps = range(epoch * order.steps_per_epoch, (epoch + 1) * order.steps_per_epoch)
    rows = torch.cat([order.rows(step) for step in steps])
    assert sorted(rows.tolist()) == list(range(len(letters)))


def test_rows_hang_on_seed_and_step_alone():
    examples = examples_of(list(range(1, 31)) * 5)
    straight = Order(examples, 8, seed=1)
    all_steps = [straight.rows(step).tolist() for step in range(60)]
    jumping = Order(examples, 8, seed=1)
    for step in (59, 3, 40, 3, 0):
        assert jumping.rows(step).tolist() == all_steps[step]
    other = Order(examples, 8, seed=2)
    assert [other.rows(step).tolist() for step in range(60)] != all_steps


def test_a_batch_holds_rows_of_similar_sizes():
    letters = torch.randint(1, 31, (4000,)).tolist()
    order = Order(examples_of(letters), 50, seed=0)
    spreads = []
    for step in range(order.steps_per_epoch):
        sizes_of_step = [letters[row] for row in order.rows(step).tolist()]
        spreads.append(max(sizes_of_step) - min(sizes_of_step))
    assert sum(spreads) / len(spreads) < 2


def test_seeds_differ_by_seed_purpose_and_count():
    seeds = {mix(s, p, c) for s in range(3) for p in ("epoch", "step") for c in range(3)}
    assert len(seeds) == 18
    assert all(0 <= seed < 2**63 for seed in seeds)
