"""Families of published models: hub files that the tests write, positional twins, caches."""

import copy
import pickle

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import namedtensor as nt
from tests.errors.check import check
from transformer_named.published.formulas import Layers, angles, half, rotate, seq_
from transformer_named.published.models import Cache, Transformer, generate
from transformer_named.published.names import BERT, GPT2, LLAMA, LLAMA_GGUF, untied

# so many kinds of members are made
pytestmark = pytest.mark.filterwarnings("ignore:.* was planned 64 times")

SMALL = dict(vocab=11, emb=12, hid=20, layers=2)
BERT_SIZES = dict(**SMALL, kv=3, key=4, places=16, kinds=2, pre=False, scores=False, eps=1e-12)
GPT2_SIZES = dict(**SMALL, kv=3, key=4, places=16, activation="gelu_tanh")
LLAMA_SIZES = dict(
    **SMALL,
    kv=2,
    group=3,
    key=4,
    positions="rotary",
    norm="rms",
    network="gated",
    activation="silu",
    bias=False,
)
IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 0]])


def linear(state, name, out, inside, bias=True, turned=False):
    state[f"{name}.weight"] = torch.randn(*((inside, out) if turned else (out, inside)))
    if bias:
        state[f"{name}.bias"] = torch.randn(out)


def norm(state, name, bias=True):
    state[f"{name}.weight"] = torch.randn(12)
    if bias:
        state[f"{name}.bias"] = torch.randn(12)


@pytest.fixture
def bert():
    state = {
        f"embeddings.{n}_embeddings.weight": torch.randn(k, 12)
        for n, k in (("word", 11), ("position", 16), ("token_type", 2))
    }
    norm(state, "embeddings.LayerNorm")
    for i in range(2):
        at = f"encoder.layer.{i}"
        for name in ("query", "key", "value"):
            linear(state, f"{at}.attention.self.{name}", 12, 12)
        linear(state, f"{at}.attention.output.dense", 12, 12)
        linear(state, f"{at}.intermediate.dense", 20, 12)
        linear(state, f"{at}.output.dense", 12, 20)
        norm(state, f"{at}.attention.output.LayerNorm")
        norm(state, f"{at}.output.LayerNorm")
    return state


@pytest.fixture
def gpt2():
    state = {"wte.weight": torch.randn(11, 12), "wpe.weight": torch.randn(16, 12)}
    norm(state, "ln_f")
    for i in range(2):
        norm(state, f"h.{i}.ln_1")
        norm(state, f"h.{i}.ln_2")
        linear(state, f"h.{i}.attn.c_attn", 36, 12, turned=True)
        linear(state, f"h.{i}.attn.c_proj", 12, 12, turned=True)
        linear(state, f"h.{i}.mlp.c_fc", 20, 12, turned=True)
        linear(state, f"h.{i}.mlp.c_proj", 12, 20, turned=True)
    return state


@pytest.fixture
def llama():
    state = {"model.embed_tokens.weight": torch.randn(11, 12)}
    norm(state, "model.norm", bias=False)
    for i in range(2):
        at = f"model.layers.{i}"
        norm(state, f"{at}.input_layernorm", bias=False)
        norm(state, f"{at}.post_attention_layernorm", bias=False)
        sizes = {"q_proj": (24, 12), "k_proj": (8, 12), "v_proj": (8, 12), "o_proj": (12, 24)}
        for name, (out, inside) in sizes.items():
            linear(state, f"{at}.self_attn.{name}", out, inside, bias=False)
        for name, (out, inside) in dict(
            gate_proj=(20, 12), up_proj=(20, 12), down_proj=(12, 20)
        ).items():
            linear(state, f"{at}.mlp.{name}", out, inside, bias=False)
    return state


# ------------------------------------------------------------------------------- positional twins


def heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def attended(q, k, v, **how):
    return F.scaled_dot_product_attention(q, k, v, **how).transpose(1, 2).flatten(2)


def bert_twin(w, ids, mask):
    def lin(x, name):
        return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def ln(x, name):
        return F.layer_norm(x, (12,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)

    e = "embeddings"
    x = w[f"{e}.word_embeddings.weight"][ids] + w[f"{e}.position_embeddings.weight"][: ids.shape[1]]
    x = ln(x + w[f"{e}.token_type_embeddings.weight"][0], f"{e}.LayerNorm")
    for i in range(2):
        at = f"encoder.layer.{i}"
        q, k, v = [heads(lin(x, f"{at}.attention.self.{n}"), 3) for n in ("query", "key", "value")]
        y = lin(attended(q, k, v, attn_mask=mask[:, None, None]), f"{at}.attention.output.dense")
        x = ln(x + y, f"{at}.attention.output.LayerNorm")
        y = lin(F.gelu(lin(x, f"{at}.intermediate.dense")), f"{at}.output.dense")
        x = ln(x + y, f"{at}.output.LayerNorm")
    return x


def gpt2_twin(w, ids):
    def lin(x, name):
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    def ln(x, name):
        return F.layer_norm(x, (12,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-5)

    x = w["wte.weight"][ids] + w["wpe.weight"][: ids.shape[1]]
    for i in range(2):
        q, k, v = [
            heads(y, 3) for y in lin(ln(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(12, -1)
        ]
        x = x + lin(attended(q, k, v, is_causal=True), f"h.{i}.attn.c_proj")
        y = F.gelu(lin(ln(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
        x = x + lin(y, f"h.{i}.mlp.c_proj")
    return ln(x, "ln_f") @ w["wte.weight"].T


def turned(x):
    frequency = 10000.0 ** (-torch.arange(0, 4, 2, dtype=torch.float64) / 4)
    angle = torch.arange(x.shape[2])[:, None] * frequency
    c, s = torch.cat([angle, angle], -1).cos(), torch.cat([angle, angle], -1).sin()
    return (x * c + torch.cat([-x[..., 2:], x[..., :2]], -1) * s).to(x.dtype)


def llama_twin(w, ids):
    def lin(x, name):
        return F.linear(x, w[f"model.{name}.weight"])

    def rms(x, name):
        return F.rms_norm(x, (12,), w[f"model.{name}.weight"], 1e-5)

    x = w["model.embed_tokens.weight"][ids]
    for i in range(2):
        at, y = f"layers.{i}", rms(x, f"layers.{i}.input_layernorm")
        q = turned(heads(lin(y, f"{at}.self_attn.q_proj"), 6))
        k = turned(heads(lin(y, f"{at}.self_attn.k_proj"), 2)).repeat_interleave(3, 1)
        v = heads(lin(y, f"{at}.self_attn.v_proj"), 2).repeat_interleave(3, 1)
        x = x + lin(attended(q, k, v, is_causal=True), f"{at}.self_attn.o_proj")
        y = rms(x, f"{at}.post_attention_layernorm")
        y = F.silu(lin(y, f"{at}.mlp.gate_proj")) * lin(y, f"{at}.mlp.up_proj")
        x = x + lin(y, f"{at}.mlp.down_proj")
    return rms(x, "norm") @ w["model.embed_tokens.weight"].T


def filled(sizes, state, names, folder, **more):
    """Write a hub file, load it wholly, and hold that saving gives it back."""
    save_file(state, folder / "model.safetensors")
    model = Transformer(**sizes, dtype=torch.float64, **more).eval()
    found = nt.load(model, folder / "model.safetensors", names)
    assert (found.unused, found.unfilled) == ((), ())
    nt.save(model, folder / "again.safetensors", names, dtype=torch.float32)
    again = load_file(folder / "again.safetensors")
    assert set(again) == set(state)
    assert all(torch.equal(again[name], data) for name, data in state.items())
    return model, {name: data.double() for name, data in state.items()}


def words():
    return nt.tensor(IDS, "batch seq'")


def close(found, wanted, *order):
    torch.testing.assert_close(found.torch(*order), wanted, rtol=1e-9, atol=1e-9)


@torch.no_grad()
def test_a_bert_is_a_member(bert, tmp_path):
    model, w = filled(BERT_SIZES, bert, BERT, tmp_path)
    mask = torch.zeros(2, 5, dtype=torch.float64)
    mask[1, 3:] = -torch.inf
    found = model(words(), nt.tensor(mask, "batch seq"))
    close(found, bert_twin(w, IDS, mask), "batch", "seq'", "emb")


@torch.no_grad()
def test_a_bert_under_a_prefix_is_read_too(bert):
    model = Transformer(**BERT_SIZES)
    state = {f"bert.{name}": data for name, data in bert.items()} | {"cls.bias": torch.zeros(3)}
    assert nt.load(model, state, BERT, strict=False, prefix="bert.").unused == ("cls.bias",)


@torch.no_grad()
def test_a_gpt2_is_a_member(gpt2, tmp_path):
    model, w = filled(GPT2_SIZES, gpt2, GPT2, tmp_path)
    close(model(words()), gpt2_twin(w, IDS), "batch", "seq'", "vocab")


@torch.no_grad()
def test_a_llama_is_a_member(llama, tmp_path):
    model, w = filled(LLAMA_SIZES, llama, LLAMA, tmp_path)
    close(model(words()), llama_twin(w, IDS), "batch", "seq'", "vocab")


@torch.no_grad()
def test_a_llama_that_is_not_tied_has_its_own_scores(llama, tmp_path):
    llama["lm_head.weight"] = torch.randn(11, 12)
    model, w = filled(LLAMA_SIZES, llama, untied(LLAMA), tmp_path, tied=False)
    wanted = llama_twin({**w, "model.embed_tokens.weight": w["model.embed_tokens.weight"]}, IDS)
    tied = Transformer(**LLAMA_SIZES, dtype=torch.float64)
    nt.load(tied, w, LLAMA, strict=False)
    close(tied(words()), wanted, "batch", "seq'", "vocab")
    assert (model(words()).torch("batch", "seq'", "vocab") - wanted).abs().max() > 0.1


@torch.no_grad()
def test_rows_of_a_gguf_file_are_put_in_order(llama):
    keys = {"q_proj": ("attn_q", 6), "k_proj": ("attn_k", 2)}
    plain = {
        "v_proj": "attn_v",
        "o_proj": "attn_output",
        "gate_proj": "ffn_gate",
        "up_proj": "ffn_up",
    }
    plain |= {
        "down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    state = {}
    for name, data in llama.items():
        part = name.split(".")[-2]
        at = f"blk.{name.split('.')[2]}"
        if part in keys:
            new, count = keys[part]
            rows = data.reshape(count, 2, 2, 12).transpose(1, 2).reshape(data.shape)
            state[f"{at}.{new}.weight"] = rows
        elif part in plain:
            state[f"{at}.{plain[part]}.weight"] = data
        else:
            state[{"embed_tokens": "token_embd.weight", "norm": "output_norm.weight"}[part]] = data
    one, other = [Transformer(**LLAMA_SIZES, dtype=torch.float64) for _ in range(2)]
    nt.load(one, llama, LLAMA)
    nt.load(other, state, LLAMA_GGUF)
    close(other(words()), one(words()).torch("batch", "seq'", "vocab"), "batch", "seq'", "vocab")


# ---------------------------------------------------------------------------------------- decoding


@pytest.fixture
def decoder():
    return Transformer(**LLAMA_SIZES, dtype=torch.float64).eval()


@torch.no_grad()
@pytest.mark.parametrize("room", [None, 5])
@pytest.mark.parametrize("sizes", [LLAMA_SIZES, GPT2_SIZES], ids=["rotary", "learned"])
def test_steps_with_a_cache_give_what_the_whole_gives(sizes, room):
    decoder = Transformer(**sizes, dtype=torch.float64).eval()
    whole = decoder(words()).torch("batch", "seq'", "vocab")
    cache = Cache(room)
    parts = [decoder(nt.tensor(IDS[:, :2], "batch seq'"), cache=cache)]
    parts += [decoder(nt.tensor(IDS[:, i : i + 1], "batch seq'"), cache=cache) for i in range(2, 5)]
    close(nt.concat[seq_](*parts), whole, "batch", "seq'", "vocab")


def test_greedy_words_are_those_of_the_whole(decoder):
    found = [list(generate(decoder, [3, 1], 6, room=room)) for room in (None, 8)]
    assert found[0] == found[1]
    ids = [3, 1]
    for _ in range(6):
        scores = decoder(nt.tensor(torch.tensor(ids), seq_)).torch("seq'", "vocab")
        ids.append(int(scores[-1].argmax()))
    assert ids[2:] == found[0]
    assert list(generate(decoder, [3, 1], 6, end=found[0][0])) == []


@torch.no_grad()
def test_a_long_text_by_learned_places_makes_no_plan_for_each_word():
    model = Transformer(**{**GPT2_SIZES, "places": 80}).eval()
    before = Layers.planned
    words = generate(model, [1, 2], 70, room=80)
    assert len(list(words)) == 70
    assert Layers.planned - before <= 2  # of the prompt, and of one word more


def test_a_cache_that_is_full_and_a_text_that_is_too_long_are_refused(decoder):
    check(
        lambda: decoder(words(), cache=Cache(room=3)),
        nt.IndexRangeError,
        """
cache.add(...): the cache has room for 3 places, 0 are taken, and 5 come
hint: make a longer one: room=5
""".strip(),
    )
    short = Transformer(**{**GPT2_SIZES, "places": 4})
    with pytest.raises(nt.IndexRangeError, match="place"):
        short(words())


@torch.no_grad()
def test_models_are_copied_and_pickled(decoder):
    for other in (copy.deepcopy(decoder), pickle.loads(pickle.dumps(decoder))):
        close(
            other(words()),
            decoder(words()).torch("batch", "seq'", "vocab"),
            "batch",
            "seq'",
            "vocab",
        )


# ---------------------------------------------------------------------------------------- rotation


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_rotation_is_that_of_positional_code(dtype):
    x = torch.randn(2, 3, 7, 4, dtype=torch.float64).to(dtype)
    angle = angles()
    C, S = [
        nt.tensor(
            torch.as_tensor(f(angle)(seq_[7], half[2]).numpy(seq_, half)).to(dtype), seq_, half
        )
        for f in (nt.cos, nt.sin)
    ]
    found = rotate(nt.tensor(x, "batch head seq' key"), C, S).torch("batch", "head", "seq'", "key")
    wanted = turned(x.double()).to(dtype)
    assert found.dtype == dtype
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(found, wanted, rtol=4 * eps, atol=8 * eps)


def test_scores_of_turned_features_depend_on_distance_alone():
    Q, K = [nt.tensor(torch.randn(8, dtype=torch.float64), "key") for _ in range(2)]
    C, S = [f(angles())(seq_[20], half[4]).to("torch") for f in (nt.cos, nt.sin)]
    q, k = [rotate(X, C, S) for X in (Q, K)]
    found = (q @ "key" @ k["seq' -> seq"]).torch("seq'", "seq")
    for apart in range(-5, 6):
        diagonal = found.diagonal(apart)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal))


def test_layers_at_once_give_what_layers_one_by_one_give(decoder):
    with torch.no_grad():
        cache, other = Cache(8), Cache(8)
        for part in (slice(0, 3), slice(3, 4), slice(4, 5)):
            found = decoder(words()[seq_[part]], cache=cache)
            one_by_one = decoder.states(words()[seq_[part]], cache=other)[-1]
            expected = decoder.scores(decoder.norm(one_by_one) if decoder.norm else one_by_one)
            close(found, expected.torch("batch", "seq'", "vocab"), "batch", "seq'", "vocab")
    assert len(cache.held) == 1


@torch.no_grad()
def test_what_torch_runs_at_a_layer_s_call_runs(decoder):
    seen = []
    before = decoder(words())
    handle = decoder.layers[1].register_forward_hook(lambda *what: seen.append(what[0]))
    during = decoder(words())
    handle.remove()
    assert seen == [decoder.layers[1]]
    close(during, before.torch("batch", "seq'", "vocab"), "batch", "seq'", "vocab")
    decoder(words())
    assert len(seen) == 1


def test_a_cache_made_without_gradients_is_gone_on_with_under_them_and_back(decoder):
    with torch.no_grad():
        whole = decoder(words())
        cache = Cache(8)
        decoder(words()[seq_[:2]], cache=cache)
    scores = decoder(words()[seq_[2:4]], cache=cache)
    assert len(cache.held) == len(decoder.layers)
    gradients = torch.autograd.grad(
        nt.sum[...](scores * scores).torch(), list(decoder.layers[0].parameters())
    )
    assert all(torch.isfinite(g).all() and g.abs().sum() > 0 for g in gradients)
    with torch.no_grad():
        last = decoder(words()[seq_[4:]], cache=cache)
    found = nt.concat[seq_](scores.detach(), last)
    close(found, whole[seq_[2:]].torch("batch", "seq'", "vocab"), "batch", "seq'", "vocab")
