"""Published encoder-decoders: hub files that the tests write, positional twins, decoding with caches."""

import math

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import namedtensor as nt
from tests.errors.check import check
from tests.published.test_families import attended, heads, linear, norm
from transformer_named.decoding import beam_search, greedy, log_probability, sample
from transformer_named.published.models import EncoderDecoder, Transformer, generate
from transformer_named.published.names import BART, MARIAN

# so many kinds of members are made
pytestmark = pytest.mark.filterwarnings("ignore:.* was planned 64 times")

SIZES = dict(vocab=11, emb=12, hid=20, layers=2, kv=3, key=4, pre=False, biased=True, padding=1)
BART_SIZES = dict(**SIZES, places=18, first=2)
MARIAN_SIZES = dict(
    **SIZES, positions="sinusoidal halves", normed=False, activation="silu", scale=True
)
SOURCE = torch.tensor([[3, 8, 4, 9, 5], [9, 2, 6, 1, 1]])
TARGET = torch.tensor([[2, 7, 6, 3], [2, 4, 8, 8]])


def hub_file(bart):
    state = {"model.shared.weight": torch.randn(11, 12), "final_logits_bias": torch.randn(1, 11)}
    for side in ("encoder", "decoder"):
        if bart:
            state[f"model.{side}.embed_positions.weight"] = torch.randn(18, 12)
            norm(state, f"model.{side}.layernorm_embedding")
        for i in range(2):
            at = f"model.{side}.layers.{i}"
            for part in ("self_attn", "encoder_attn")[: 1 + (side == "decoder")]:
                for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(state, f"{at}.{part}.{name}", 12, 12)
                norm(state, f"{at}.{part}_layer_norm")
            linear(state, f"{at}.fc1", 20, 12)
            linear(state, f"{at}.fc2", 12, 20)
            norm(state, f"{at}.final_layer_norm")
    return state


def waves(count):
    angle = torch.arange(count)[:, None] / 10000.0 ** (2 * torch.arange(6).double() / 12)
    return torch.cat([angle.sin(), angle.cos()], -1)


def twin(w, source, target, bart):
    def lin(x, name):
        return F.linear(x, w[f"model.{name}.weight"], w[f"model.{name}.bias"])

    def ln(x, name):
        return F.layer_norm(x, (12,), w[f"model.{name}.weight"], w[f"model.{name}.bias"], 1e-5)

    def attention(x, z, name, **how):
        q, k, v = [heads(lin(y, f"{name}.{n}_proj"), 3) for y, n in ((x, "q"), (z, "k"), (z, "v"))]
        return lin(attended(q, k, v, **how), f"{name}.out_proj")

    def embedded(ids, side):
        x = w["model.shared.weight"][ids]
        if not bart:
            return x * math.sqrt(12) + waves(ids.shape[1])
        x = x + w[f"model.{side}.embed_positions.weight"][2 : 2 + ids.shape[1]]
        return ln(x, f"{side}.layernorm_embedding")

    def network(x, at):
        act = F.gelu if bart else F.silu
        return ln(x + lin(act(lin(x, f"{at}.fc1")), f"{at}.fc2"), f"{at}.final_layer_norm")

    open_ = (source != 1)[:, None, None]
    z, y = embedded(source, "encoder"), embedded(target, "decoder")
    for i in range(2):
        at = f"encoder.layers.{i}"
        z = ln(
            z + attention(z, z, f"{at}.self_attn", attn_mask=open_), f"{at}.self_attn_layer_norm"
        )
        z = network(z, at)
    for i in range(2):
        at = f"decoder.layers.{i}"
        y = ln(y + attention(y, y, f"{at}.self_attn", is_causal=True), f"{at}.self_attn_layer_norm")
        read = attention(y, z, f"{at}.encoder_attn", attn_mask=open_)
        y = network(ln(y + read, f"{at}.encoder_attn_layer_norm"), at)
    return y @ w["model.shared.weight"].T + w["final_logits_bias"]


def named(source, target):
    return nt.tensor(source, "batch src"), nt.tensor(target, "batch seq")


@pytest.fixture(params=["bart", "marian"])
def model(request, tmp_path):
    torch.manual_seed(0)
    bart = request.param == "bart"
    state = hub_file(bart)
    save_file(state, tmp_path / "model.safetensors")
    made = EncoderDecoder(**(BART_SIZES if bart else MARIAN_SIZES), dtype=torch.float64).eval()
    names = BART if bart else MARIAN
    found = nt.load(made, tmp_path / "model.safetensors", names)
    assert (found.unused, found.unfilled) == ((), ())
    nt.save(made, tmp_path / "again.safetensors", names, dtype=torch.float32)
    again = load_file(tmp_path / "again.safetensors")
    assert all(torch.equal(again[name], data) for name, data in state.items())
    made.twin = lambda x, y: twin({n: d.double() for n, d in state.items()}, x, y, bart)
    return made


@torch.no_grad()
def test_a_published_encoder_decoder_is_a_member(model):
    found = model(*named(SOURCE, TARGET)).torch("batch", "seq", "vocab")
    torch.testing.assert_close(found, model.twin(SOURCE, TARGET), rtol=1e-9, atol=1e-9)


@torch.no_grad()
def test_padding_of_the_source_changes_nothing(model):
    found = model(*named(SOURCE[1:, :3], TARGET[1:])).torch("batch", "seq", "vocab")
    whole = model(*named(SOURCE, TARGET)).torch("batch", "seq", "vocab")[1:]
    torch.testing.assert_close(found, whole, rtol=1e-9, atol=1e-9)


def greedy_by_hand(model, row, length):
    said = [2]
    with torch.no_grad():
        while len(said) <= length:
            scores = model.twin(torch.tensor([row]), torch.tensor([said]))[0, -1]
            scores[1] = -math.inf
            said.append(int(scores.argmax()))
            if said[-1] == 0:
                break
    return [i for i in said[1:] if i != 0]


@pytest.mark.parametrize("room", [None, 6])
def test_greedy_outputs_are_those_of_the_whole(model, room):
    source = nt.tensor(SOURCE, "batch src")
    found = greedy(model, source, begin=2, end=0, max_length=6, room=room)
    wanted = [[i for i in row.tolist() if i != 1] for row in SOURCE]
    assert found == [greedy_by_hand(model, row, 6) for row in wanted]


@pytest.mark.parametrize("room", [None, 4])
def test_a_beam_finds_the_best_of_all_outputs(model, room):
    source = nt.tensor(SOURCE, "batch src")
    outputs, scores = beam_search(
        model,
        source,
        begin=2,
        end=0,
        max_length=2,
        beams=111,
        length_penalty=0.0,
        scores=True,
        room=room,
    )
    ids = range(2, 11)
    every = [[], *[[i] for i in ids], *[[i, j] for i in ids for j in ids]]
    with torch.no_grad():
        for row, output, score in zip(SOURCE, outputs, scores, strict=True):
            total = {}
            for said in every:
                logits = model.twin(row[None], torch.tensor([[2, *said]]))[0].log_softmax(-1)
                total[tuple(said)] = sum(logits[k, i].item() for k, i in enumerate([*said, 0]))
            best = max(total, key=total.get)
            assert tuple(output) == best
            assert score == pytest.approx(total[best])


def test_what_outputs_begin_with_is_asked_for(model):
    with pytest.raises(ValueError, match="outputs begin with an id: begin=1"):
        greedy(model, nt.tensor(SOURCE, "batch src"), end=0)


def test_log_probabilities_are_differentiable(model):
    model.padding = 0
    source, target = named(SOURCE, torch.tensor([[7, 6, 0], [4, 0, 0]]))
    found = log_probability(model, source, target, begin=2, end=10)
    nt.sum["batch"](found).data.backward()
    assert model.decoder.layers[0].tell.WK.grad.abs().max() > 0


# ------------------------------------------------------------------------------------ decoders alone


@pytest.fixture(params=["learned", "rotary", "sinusoidal"])
def decoder(request):
    torch.manual_seed(1)
    sizes = dict(vocab=7, emb=12, hid=20, layers=2, kv=3, key=4, places=16)
    made = Transformer(**sizes, positions=request.param, dtype=torch.float64).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, 0.0, 0.7)
    return made


PROMPT = torch.tensor([[3, 0, 4], [5, 2, 6]])


@torch.no_grad()
def following(decoder, said):
    ids = nt.tensor(torch.tensor(said), "seq'")
    return decoder(ids).torch("seq'", "vocab")[-1]


def continued(decoder, said, length, end):
    found = []
    while len(found) < length:
        found.append(int(following(decoder, [*said, *found]).argmax()))
        if found[-1] == end:
            return found[:-1]
    return found


@pytest.mark.parametrize("room", [None, 8])
@pytest.mark.parametrize("end", [1, 0])
def test_a_decoder_goes_on_with_each_text_of_a_batch(decoder, room, end):
    found = greedy(decoder, nt.tensor(PROMPT, "batch src"), end=end, max_length=6, room=room)
    assert found == [continued(decoder, row.tolist(), 6, end) for row in PROMPT]


@pytest.mark.parametrize("room", [None, 6])
def test_a_beam_of_a_decoder_finds_the_best_of_all(decoder, room):
    outputs, scores = beam_search(
        decoder,
        nt.tensor(PROMPT, "batch src"),
        end=1,
        max_length=2,
        beams=43,
        length_penalty=0.0,
        scores=True,
        room=room,
    )
    ids = [i for i in range(7) if i != 1]
    every = [[], *[[i] for i in ids], *[[i, j] for i in ids for j in ids]]
    for row, output, score in zip(PROMPT.tolist(), outputs, scores, strict=True):
        total = {}
        for said in every:
            steps = enumerate([*said, 1])
            gained = [
                following(decoder, [*row, *said[:k]]).log_softmax(-1)[i].item() for k, i in steps
            ]
            total[tuple(said)] = sum(gained)
        assert tuple(output) == max(total, key=total.get)
        assert score == pytest.approx(max(total.values()))


@pytest.mark.parametrize("how", [{}, {"top_k": 3}, {"top_p": 0.7}, {"top_k": 4, "top_p": 0.8}])
def test_a_decoder_draws_from_its_probabilities(decoder, how):
    prompt = nt.tensor(PROMPT[:1].expand(4000, -1), "batch src")
    drawn = [
        sample(
            decoder,
            prompt,
            end=7,
            max_length=1,
            temperature=0.8,
            generator=torch.Generator().manual_seed(0),
            **how,
        )
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    share = torch.bincount(torch.tensor(drawn[0])[:, 0], minlength=7) / 4000
    wanted = (following(decoder, PROMPT[0].tolist()) / 0.8).softmax(-1)
    order = wanted.argsort(descending=True)
    kept = order[: how.get("top_k", 7)]
    inside = torch.zeros(7, dtype=torch.bool)
    inside[kept] = True
    wanted = torch.where(inside, wanted, 0.0)
    wanted = wanted / wanted.sum()
    before = wanted[order].cumsum(0) - wanted[order]
    wanted[order[before >= how.get("top_p", 2.0)]] = 0.0
    torch.testing.assert_close(share.double(), wanted / wanted.sum(), rtol=0, atol=0.03)


def test_numbers_out_of_range_are_refused(decoder):
    for how in ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}):
        with pytest.raises(
            ValueError, match="temperature is 0 or more, top_k is 1 or more, top_p is"
        ):
            sample(decoder, nt.tensor(PROMPT, "batch src"), end=1, **how)


def test_a_room_that_is_too_small_is_told(decoder):
    check(
        lambda: greedy(decoder, nt.tensor(PROMPT, "batch src"), end=7, max_length=9, room=5),
        nt.IndexRangeError,
        """
cache.add(...): the cache has room for 5 places, 5 are taken, and 1 come
hint: make a longer one: room=6
""".strip(),
    )
    assert decoder.training is False


def test_choices_that_a_family_does_not_have_are_refused():
    sizes = dict(vocab=7, emb=12, hid=20, layers=1, kv=3, key=4)
    for name, wrong in (("positions", "absolute"), ("norm", "batch"), ("network", "moe")):
        with pytest.raises(ValueError, match=f"{name} is .* not '{wrong}'"):
            Transformer(**sizes, **{name: wrong})
    with pytest.raises(ValueError, match="activation is"):
        Transformer(**sizes, activation="tanh")(nt.tensor(torch.tensor([1, 2]), "seq'"))


@torch.no_grad()
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("pre", [True, False])
@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("network", ["plain", "gated"])
@pytest.mark.parametrize("positions", ["learned", "rotary", "sinusoidal", "sinusoidal halves"])
def test_every_choice_goes_with_every_other(bias, pre, norm, network, positions):
    choices = dict(bias=bias, pre=pre, norm=norm, network=network, positions=positions)
    made = EncoderDecoder(vocab=7, emb=12, hid=8, layers=1, kv=2, group=2, key=4, **choices).eval()
    names = [name.rpartition(".")[2] for name, _ in made.named_parameters()]
    assert ("bQ" in names, "beta" in names, "W3" in names) == (
        bias,
        norm == "layer",
        network == "gated",
    )
    source, target = named(SOURCE % 7, TARGET % 7)
    whole = made(source, target).torch("batch", "seq", "vocab")
    cache = made.start(made.encode(source), source, room=4)
    for k in range(4):
        step, cache = made.step(target[nt.axes("seq")(k)], cache)
        torch.testing.assert_close(step.torch("batch", "vocab"), whole[:, k], rtol=1e-4, atol=1e-5)


def test_a_text_is_gone_on_with_word_by_word(decoder):
    likeliest = list(generate(decoder, [3, 0, 4], 5))
    assert likeliest == continued(decoder, [3, 0, 4], 5, 7)
    assert list(generate(decoder, [3, 0, 4], 5, temperature=1.0, top_k=1, room=8)) == likeliest
    drawn = [
        list(
            generate(
                decoder, [3], 9, temperature=2.0, generator=torch.Generator().manual_seed(seed)
            )
        )
        for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
