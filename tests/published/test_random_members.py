"""Members of the families drawn at random: values, gradients, caches of every kind, and decoding."""

import math
import random

import pytest
import torch

import namedtensor as nt
from tests.errors.check import check
from tests.published import positional
from transformer_named.decoding import beam_search, greedy, log_probability, sample
from transformer_named.encoder_decoder import EncoderDecoder as Documents
from transformer_named.encoder_decoder import Sizes
from transformer_named.published.models import Cache, EncoderDecoder, Transformer, generate

#: So many kinds of members are made.
pytestmark = pytest.mark.filterwarnings("ignore:.* was planned 64 times")

SMALL = dict(vocab=7, emb=6, hid=5, kv=2, key=2, layers=1, dtype=torch.float64)
POSITIONS = ["learned", "rotary", "sinusoidal", "sinusoidal halves"]
IDS = torch.tensor([[3, 1, 4, 1, 5, 2], [6, 2, 6, 5, 0, 3]])


def drawn(dice, reads):
    """Choose every argument; `reads` makes it those of an EncoderDecoder."""
    positions = dice.choice(POSITIONS)
    a = dict(
        vocab=dice.choice([3, 5, 7]),
        emb=dice.choice([1, 2, 3, 4, 5]),
        hid=dice.choice([1, 3]),
        kv=dice.choice([1, 2]),
        group=dice.choice([1, 2, 3]),
        key=dice.choice([2, 4] if positions == "rotary" else [1, 3]),
        layers=dice.choice([0, 1, 1, 2]),
        positions=positions,
        places=14,
        first=dice.choice([0, 2]),
        kinds=dice.choice([0, 2]),
        norm=dice.choice(["layer", "rms"]),
        pre=dice.random() < 0.5,
        normed=dice.random() < 0.7,
        network=dice.choice(["plain", "gated"]),
        activation=dice.choice(["gelu", "gelu_tanh", "relu", "silu"]),
        bias=dice.random() < 0.5,
        scale=dice.random() < 0.5,
        tied=dice.random() < 0.5,
        biased=dice.random() < 0.5,
        eps=dice.choice([1e-12, 1e-5, 1e-3]),
        base=dice.choice([1e4, 50.0]),
    )
    if reads:
        return a | dict(padding=dice.choice([0, 1]), shared=dice.random() < 0.5)
    return a | dict(scores=True, causal=None)


def built(a, seed=0):
    torch.manual_seed(seed)
    made = (EncoderDecoder if "shared" in a else Transformer)(**{"dtype": torch.float64, **a})
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(0.7 * torch.randn_like(parameter))
    return made.eval()


def weights(model):
    return dict(model.named_parameters(remove_duplicate=False))


def words(dice, rows, places, ids):
    return torch.tensor([[dice.choice(ids) for _ in range(places)] for _ in range(rows)])


def whole(model, *ids):
    if len(ids) == 1:
        return model(nt.tensor(*ids, "batch seq'")).torch("batch", "seq'", "vocab")
    source, target = ids
    found = model(nt.tensor(source, "batch src"), nt.tensor(target, "batch seq"))
    return found.torch("batch", "seq", "vocab")


def in_parts(model, dice, room, *ids):
    """Read the last text through a cache, in parts of any lengths."""
    decoder, cache, found, at = model, Cache(room), [], 0
    if len(ids) == 2:
        source = nt.tensor(ids[0], "batch src")
        decoder, cache = model.decoder, model.start(model.encode(source), source, room=room)
    while at < ids[-1].shape[1]:
        count = dice.randint(1, ids[-1].shape[1] - at)
        part = nt.tensor(ids[-1][:, at : at + count], "batch seq'")
        found.append(decoder(part, cache=cache).torch("batch", "seq'", "vocab"))
        at += count
    return torch.cat(found, 1)


def same(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-9)


def greedy_by_hand(a, model, row, end, length, begin=None):
    """Go on with one text that has no padding, by the twin, without a cache."""
    fill, said = a.get("padding"), []
    while len(said) < length:
        given = [row] if begin is None else [row, [begin]]
        given[-1] = [*given[-1], *said]
        with torch.no_grad():
            Z = positional.member(a, weights(model), *[torch.tensor([x]) for x in given])[0, -1]
        if fill is not None:
            Z[fill] = -math.inf
        if int(Z.argmax()) == end:
            break
        said.append(int(Z.argmax()))
    return said


@pytest.mark.parametrize("seed", range(6))
def test_a_member_drawn_at_random_is_its_positional_twin_and_decodes_alike(seed):
    dice = random.Random(seed)
    reads = seed % 2 == 0
    a = drawn(dice, reads)
    model, fill = built(a, seed), a.get("padding")
    ids = [i for i in range(a["vocab"]) if i != fill]
    rows = [[dice.choice(ids) for _ in range(dice.choice([1, 3]))] for _ in range(2)]
    most = max(map(len, rows))
    text = words(dice, 2, dice.choice([1, 2, 5]), ids)
    padded = torch.tensor([row + [fill] * (most - len(row)) for row in rows]) if reads else None
    given = [padded, text] if reads else [text]

    found, wanted = whole(model, *given), positional.member(a, weights(model), *given)
    same(found, wanted)
    parameters, to = list(model.parameters()), torch.randn_like(wanted)
    for one, other in zip(
        *[
            torch.autograd.grad((Z * to).sum(), parameters, materialize_grads=True)
            for Z in (found, wanted)
        ],
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-8)

    with torch.no_grad():
        for room in (None, text.shape[1] + 1):
            same(in_parts(model, dice, room, *given), wanted)

    if not reads:  # padding on the left: an id that no text has
        fill = a["padding"] = model.padding = dice.choice(range(a["vocab"]))
        ids.remove(fill)
        rows = [[i if i != fill else ids[0] for i in row] for row in rows]
        padded = torch.tensor([[fill] * (most - len(row)) + row for row in rows])
    begin, end = (dice.choice(ids) if reads else None), dice.choice(ids)
    outputs = [greedy_by_hand(a, model, row, end, 4, begin) for row in rows]
    how = dict(end=end, max_length=4) | (dict(begin=begin) if reads else {})
    source = nt.tensor(padded, "batch src")
    beams = []
    for room in (None, most + 5):
        assert greedy(model, source, room=room, **how) == outputs
        assert sample(model, source, room=room, top_k=1, **how) == outputs
        assert beam_search(model, source, room=room, beams=1, **how) == outputs
        beams.append(
            beam_search(model, source, room=room, beams=3, scores=True, length_penalty=0.0, **how)
        )
    assert beams[0][0] == beams[1][0]
    assert beams[0][1] == pytest.approx(beams[1][1])
    longest = max(map(len, beams[0][0]))
    target = [output + [fill] * (longest - len(output)) for output in beams[0][0]]
    target = nt.tensor(torch.tensor(target, dtype=torch.int64).reshape(2, longest), "batch seq")
    how.pop("max_length")
    scores = log_probability(model, source, target, **how)
    assert scores.torch("batch").tolist() == pytest.approx(beams[0][1])


def test_the_twin_sees_a_wrong_number():
    a = drawn(random.Random(3), False) | {k: v for k, v in SMALL.items() if k != "dtype"}
    a |= dict(positions="sinusoidal", pre=True, normed=True, norm="rms")
    model = built(a)
    before = whole(model, IDS)
    same(positional.member(a, weights(model), IDS), before)
    for other in (
        dict(scale=not a["scale"]),
        dict(norm="layer"),
        dict(causal=False),
        dict(base=9.0),
    ):
        with pytest.raises(AssertionError):
            same(positional.member(a | other, weights(model), IDS), before)


# ---------------------------------------------------------------------------- what each class was


@torch.no_grad()
@pytest.mark.parametrize("room", [None, 6])
def test_no_word_of_a_later_part_sees_those_after_it(room):
    model, cache = built(SMALL), Cache(room)
    parts = [model(nt.tensor(IDS[:, i : i + 3], "batch seq'"), cache=cache) for i in (0, 3)]
    same(torch.cat([Z.torch("batch", "seq'", "vocab") for Z in parts], 1), whole(model, IDS))


@torch.no_grad()
@pytest.mark.parametrize("room", [None, 4])
def test_one_text_is_gone_on_with_in_several_ways(room):
    model, cache = built(SMALL), Cache(room)
    model(nt.tensor(IDS[0, :3], "seq'"), cache=cache)
    found = model(nt.tensor(IDS[:, 3:4], "batch seq'"), cache=cache)
    texts = torch.cat([IDS[:1, :3].expand(2, -1), IDS[:, 3:4]], 1)
    same(found.torch("batch", "seq'", "vocab"), whole(model, texts)[:, 3:])


@torch.no_grad()
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("room", [None, 4])
def test_a_cache_of_another_batch_is_refused_and_keeps_what_it_has(rows, room):
    model, cache = built(SMALL), Cache(room)
    model(nt.tensor(IDS[:, :3], "batch seq'"), cache=cache)
    with pytest.raises(nt.AxisSizeError, match=f"axis batch is {rows} in X and 2 in K"):
        model(nt.tensor(IDS[:1, 3:4].expand(rows, -1), "batch seq'"), cache=cache)
    found = model(nt.tensor(IDS[:, 3:4], "batch seq'"), cache=cache)
    same(found.torch("batch", "seq'", "vocab"), whole(model, IDS[:, :4])[:, 3:])


def test_a_decoder_of_another_text_says_that_none_is_given():
    model = Transformer(**SMALL, cross=True)
    for cache in (None, Cache()):
        check(
            lambda cache=cache: model(nt.tensor(IDS[0, :2], "seq'"), cache=cache),
            nt.NamedTensorError,
            """
Transformer(..., cross=True)(I): its layers read another text, and none is given
  X : seq'[2] emb[6]
hint: EncoderDecoder(...)(source, target), whose `start` reads the other text
""".strip(),
        )
    for own in ("cross", "scores"):
        with pytest.raises(TypeError, match=f"EncoderDecoder chooses {own} of each side"):
            EncoderDecoder(**SMALL, **{own: True})


def test_a_rotation_of_an_odd_number_of_features_is_refused_at_once():
    check(
        lambda: Transformer(**{**SMALL, "key": 3}, positions="rotary"),
        nt.AxisSizeError,
        """
Transformer(positions='rotary', key=3): rotations turn pairs of features, and key is odd
hint: key=4
""".strip(),
    )
    with pytest.raises(ValueError, match=r"activation is .* not 'tanh'"):
        Transformer(**SMALL, activation="tanh")


def test_gradients_are_wanted_between_the_words_that_are_generated():
    model = built(SMALL)
    found = generate(model, [1, 2], 3)
    next(found)
    assert torch.is_grad_enabled()
    assert not next(model.words.parameters()).grad


@pytest.mark.parametrize("positions", ["rotary", "sinusoidal"])
def test_a_model_learns_after_it_ran_in_inference_mode(positions):
    model = Transformer(**{**SMALL, "key": 10}, positions=positions, base=77.0)
    with torch.inference_mode():
        whole(model, IDS)
    whole(model, IDS).sum().backward()
    assert model.layers[0].ask.heads.WQ.grad.abs().max() > 0


@pytest.mark.parametrize(
    ("positions", "layers"),
    [("rotary", 1), pytest.param("sinusoidal halves", 0, marks=pytest.mark.long)],
)
def test_a_new_member_compiles_in_one_graph_and_takes_longer_texts(positions, layers):
    model = built(SMALL | dict(positions=positions, base=78.0, layers=layers))
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    for length in (3, 6):
        same(whole(compiled, IDS[:, :length]), whole(model, IDS[:, :length]))


@pytest.mark.long
@pytest.mark.parametrize("room", [None, 6])
@torch.no_grad()
def test_reading_in_parts_compiles_in_one_graph(room):
    model = built(SMALL | dict(positions="rotary", base=79.0, layers=2))

    def read():
        cache = Cache(room)
        parts = [nt.tensor(IDS[:, i : i + 3], "batch seq'") for i in (0, 3)]
        return torch.cat(
            [model(part, cache=cache).torch("batch", "seq'", "vocab") for part in parts], 1
        )

    same(torch.compile(read, backend="eager", fullgraph=True)(), whole(model, IDS))


@torch.no_grad()
@pytest.mark.parametrize("room", [None, 4])
def test_all_texts_of_a_cache_are_gone_on_with_by_one_word(room):
    model, cache = built(SMALL), Cache(room)
    model(nt.tensor(IDS[:, :3], "batch seq'"), cache=cache)
    found = model(nt.tensor(IDS[0, 3:4], "seq'"), cache=cache)
    texts = torch.cat([IDS[:, :3], IDS[:1, 3:4].expand(2, -1)], 1)
    same(found.torch("batch", "seq'", "vocab"), whole(model, texts)[:, 3:])


def test_gradients_go_through_a_cache_that_grows():
    model = built(SMALL | dict(layers=2))
    parameters = list(model.parameters())
    for one, other in zip(
        *[
            torch.autograd.grad(Z.square().sum(), parameters)
            for Z in (in_parts(model, random.Random(1), None, IDS), whole(model, IDS))
        ],
        strict=True,
    ):
        torch.testing.assert_close(one, other)


# -------------------------------------------------------------------------------------- decoding


def test_a_beam_without_an_end_gives_as_many_ids_as_are_asked_for():
    model, text = built(SMALL), nt.tensor(IDS, "batch src")
    for end in (-1, 7):
        outputs, scores = beam_search(
            model, text, end=end, max_length=3, beams=1, length_penalty=0.0, scores=True
        )
        assert outputs == greedy(model, text, end=end, max_length=3)
        for row, output, score in zip(IDS.tolist(), outputs, scores, strict=True):
            with torch.no_grad():
                Z = whole(model, torch.tensor([row + output]))[0].log_softmax(-1)
            gained = [Z[5 + i, word].item() for i, word in enumerate(output)]
            assert score == pytest.approx(sum(gained))
        assert beam_search(model, text, end=end, max_length=0) == [[], []]


READER = SMALL | dict(padding=0, shared=True)


@pytest.mark.parametrize("search", [greedy, sample, beam_search])
def test_what_cannot_be_read_is_told(search):
    decoder, reader = built(SMALL), built(READER)
    decoder.padding = 0
    told = [
        (decoder, IDS[0], "src", nt.AxisMissingError, 'hint: nt.stack["batch"](source)'),
        (decoder, IDS, "batch seq", nt.AxisMissingError, 'hint: source["seq -> src"]'),
        (reader, IDS[:, :0], "batch src", nt.IndexRangeError, "one id at least"),
        (decoder, IDS[:, :0], "batch src", nt.IndexRangeError, "one id at least"),
        (reader, IDS * 0, "batch src", nt.IndexRangeError, "one has only padding, 0"),
        (decoder, IDS * 0, "batch src", nt.NamedTensorError, "or a text has no word"),
        (decoder, IDS[:, [4, 0]], "batch src", None, ""),
        (decoder, IDS[:, [0, 4]], "batch src", nt.NamedTensorError, "0, stands after a word"),
    ]
    for model, ids, axes, kind, text in told:
        how = dict(end=1, max_length=2) | (dict(begin=2) if model is reader else {})
        if kind is None:
            search(model, nt.tensor(ids, axes), **how)
            continue
        with pytest.raises(kind) as error:
            search(model, nt.tensor(ids, axes), **how)
        assert text in str(error.value)
    with pytest.raises(ValueError, match="max_length is 0 or more"):
        search(decoder, nt.tensor(IDS[:, :3], "batch src"), end=1, max_length=-1)
    with pytest.raises(nt.IndexRangeError, match="room for 0 places"):
        search(decoder, nt.tensor(IDS[:, :3], "batch src"), end=1, room=-3)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("model", [Transformer, EncoderDecoder])
def test_a_member_prints_what_it_has_and_the_text_can_be_read(model, bias):
    how = dict(bias=bias, norm="rms", network="gated", activation="silu", positions="rotary")
    text = model(**SMALL | how).latex()
    assert nt.latex.read(text).check() == []
    assert text.count("Norm-rms}(X; \\gamma) &=") == 1
    assert ("b^Q" in text, "b^1" in text) == (bias, bias)
    assert "beta" not in text
    assert "W^3" in text


@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name in ("vocab", "emb", "hid", "kv", "group", "key") for size in (0, -1)]
    + [(name, -1) for name in ("layers", "places", "first", "kinds")]
    + [("layers", 1.5), ("layers", True), ("emb", "8"), ("kinds", None)],
)
def test_sizes_that_no_model_can_have_are_refused(name, size):
    with pytest.raises(nt.AxisSizeError, match=f"{name} is a whole number") as error:
        Transformer(**SMALL | {name: size})
    _, _, hint = str(error.value).rpartition("hint: ")
    Transformer(**SMALL | eval(f"dict({hint})"))


def test_a_model_without_layers_has_no_attention_to_show():
    sizes = dict(source=7, target=7, emb=4, hid=4, head=1, key=1, val=1, dropout=0.0)
    source, target = nt.tensor(IDS, "batch src"), nt.tensor(IDS, "batch seq")
    with pytest.raises(nt.NamedTensorError, match="has no layers"):
        Documents(Sizes(**sizes, layers=0)).attention(source, target)
    assert Documents(Sizes(**sizes, layers=1)).attention(source, target).size("src") == 6
