"""A published decoder by its formulas, against a positional twin by hand; and collating examples.

The decoder has the sizes of SmolLM2-135M with drawn weights, in float32; both write keys and values into
caches in place, here after 256 words. The twin holds q, k and v as one matrix, gate and up as another, and a
table of angles. A small encoder-decoder, 128 wide with 3 + 3 layers, adds the 17th token to one sentence; its
twin is that of the table encoder_decoder. Examples are dicts of 128 x 64 numbers and a label; theirs are
collated by default_collate.
"""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import default_collate

import namedtensor as nt
from benchmarks.bench_encoder_decoder import WORDS, decoding
from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from transformer_named.encoder_decoder import Sizes
from transformer_named.published.formulas import seq_
from transformer_named.published.models import Cache, Transformer
from transformer_named.published.names import LLAMA
from transformer_named.published.smollm import decoder

THREADS = 1
SIZES = dict(vocab=49152, emb=576, hid=1536, kv=3, group=3, key=64, layers=30, base=100000.0)
LENGTH = 256
SMALL = Sizes(WORDS, WORDS, emb=128, hid=512, head=4, key=32, val=32, layers=3, dropout=0.1)


class Twin:
    """The decoder in positional torch, one sentence at a time."""

    def __init__(self, model: Transformer) -> None:
        w: dict[str, Tensor] = {}
        nt.save(model, w, LLAMA)
        self.E, self.norm = w["model.embed_tokens.weight"], w["model.norm.weight"]
        self.layers = []
        for i in range(len(model.layers)):
            at = f"model.layers.{i}"
            qkv = torch.cat([w[f"{at}.self_attn.{n}_proj.weight"] for n in "qkv"])
            gate = torch.cat([w[f"{at}.mlp.{n}_proj.weight"] for n in ("gate", "up")])
            rest = [w[f"{at}.{n}.weight"] for n in ("self_attn.o_proj", "mlp.down_proj")]
            norms = [w[f"{at}.{n}_layernorm.weight"] for n in ("input", "post_attention")]
            self.layers.append((qkv, gate, *rest, *norms))
        angle = torch.arange(2 * LENGTH)[:, None] * 100000.0 ** (
            -torch.arange(0, 64, 2).double() / 64
        )
        self.cos, self.sin = [
            f(torch.cat([angle, angle], -1)).float() for f in (torch.cos, torch.sin)
        ]
        self.caches = [torch.empty(2, 3, 2 * LENGTH, 64) for _ in self.layers]

    def rotate(self, x: Tensor, start: int) -> Tensor:
        C, S = [table[start : start + x.shape[1]] for table in (self.cos, self.sin)]
        return x * C + torch.cat([-x[..., 32:], x[..., :32]], -1) * S

    def __call__(self, ids: Tensor, start: int) -> Tensor:
        n = len(ids)
        x = self.E[ids]
        for cache, (qkv, gate, out, down, norm1, norm2) in zip(
            self.caches, self.layers, strict=True
        ):
            q, k, v = F.linear(F.rms_norm(x, (576,), norm1, 1e-5), qkv).split([576, 192, 192], -1)
            q, k, v = [y.view(n, -1, 64).transpose(0, 1) for y in (q, k, v)]
            cache[0, :, start : start + n] = self.rotate(k, start)
            cache[1, :, start : start + n] = v
            k, v = cache[:, :, : start + n]
            y = F.scaled_dot_product_attention(
                self.rotate(q, start)[None], k[None], v[None], is_causal=n > 1, enable_gqa=True
            )
            x = x + F.linear(y[0].transpose(0, 1).reshape(n, 576), out)
            a, b = F.linear(F.rms_norm(x, (576,), norm2, 1e-5), gate).chunk(2, -1)
            x = x + F.linear(F.silu(a) * b, down)
        return F.linear(F.rms_norm(x, (576,), self.norm, 1e-5), self.E)


def rows(settings: Settings) -> Iterator[Line]:
    model = decoder(**SIZES)
    twin = Twin(model)
    ids = torch.randint(49152, (LENGTH,))
    words, word = nt.tensor(ids, seq_), nt.tensor(ids[:1], seq_)

    def prefill() -> Tensor:
        return model(words, cache=Cache(2 * LENGTH)).torch("seq'", "vocab")

    with torch.no_grad():
        torch.testing.assert_close(prefill(), twin(ids, 0), rtol=1e-3, atol=1e-3)
        cache = Cache(2 * LENGTH)
        model(words, cache=cache)

        def step() -> Tensor:
            cache.length = LENGTH
            return model(word, cache=cache).torch("seq'", "vocab")

        torch.testing.assert_close(step(), twin(ids[:1], LENGTH), rtol=1e-3, atol=1e-3)
        both = compare_runs(step, lambda: twin(ids[:1], LENGTH), settings.seconds(6))
        yield Row("one more word after 256, 135 million parameters / a positional twin", both, 1.05)
        both = compare_runs(prefill, lambda: twin(ids, 0), settings.seconds(6))
        yield Row("reading 256 words / a positional twin", both, 1.05)
    what = "one more token of an encoder-decoder, 128 wide / a positional twin"
    yield decoding(what, SMALL, 1.3, settings.seconds(6))
    plain = [{"x": torch.randn(128, 64), "y": i} for i in range(64)]
    named = [{"x": nt.tensor(e["x"], "seq emb"), "y": e["y"]} for e in plain]
    both = compare_runs(
        lambda: nt.collate["batch"](named), lambda: default_collate(plain), settings.seconds(2)
    )
    yield Row("nt.collate[batch] of 64 examples / default_collate", both, 1.3)
