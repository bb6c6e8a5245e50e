"""A model that is called with too few arguments, or too many, says so in our words."""

import pytest
import torch

import namedtensor as nt
from transformer_named import encoder_decoder, formulated
from transformer_named.published import models

SIZES = dict(vocab=5, emb=4, hid=4, kv=1, key=2, layers=1)
S = nt.ones("batch[1] src[3]", dtype="int64", backend="torch")
T = nt.ones("batch[1] seq[2]", dtype="int64", backend="torch")
X = nt.ones("emb[4]", backend="torch")

ours = encoder_decoder.EncoderDecoder(encoder_decoder.Sizes(5, 5)).eval()
published = models.EncoderDecoder(**SIZES).eval()
decoder = models.Transformer(**SIZES).eval()
ffn = formulated.FFN.module("emb[4] hid[5]")

FFN = "hint: FFN(X: R[emb]; W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]"
CASES = {
    "too few": (
        lambda: ours(S),
        """
ours(S): EncoderDecoder needs target; it takes (source, target)
  S : batch[1] src[3]
hint: `ours(S, target)`
""",
    ),
    "none": (
        lambda: published(),
        """
published(): EncoderDecoder needs source and target; it takes (source, target)
hint: `published(source, target)`
""",
    ),
    "too many": (
        lambda: ours(S, T, T),
        """
ours(S, T, T): EncoderDecoder takes 2 arguments without a name, and 3 are given; it takes (source, target)
  S : batch[1] src[3]
  T : batch[1] seq[2]
  T : batch[1] seq[2]
hint: `ours(S, T)`
""",
    ),
    "an unknown name": (
        lambda: decoder(J=S),
        """
decoder(J=S): Transformer has no argument J; it takes (I, M=None, K=None, cache=None)
hint: `decoder(I)`
""",
    ),
    "a method": (
        lambda: ours.step(S),
        """
ours.step(S): step needs cache; it takes (token, cache)
  S : batch[1] src[3]
hint: `ours.step(S, cache)`
""",
    ),
    "a module of a formula": (
        lambda: ffn(X, X),
        f"""
FFN(...): too many positional arguments
  X : emb[4]
  X : emb[4]
{FFN}
""",
    ),
    "a module of a formula without its argument": (
        lambda: ffn(),
        f"""
FFN(...): missing a required argument: 'X'
{FFN}
""",
    ),
}


@pytest.mark.parametrize(("call", "said"), CASES.values(), ids=CASES)
def test_it_is_told_in_our_words(call, said):
    with pytest.raises(nt.NamedTensorError) as told:
        call()
    assert str(told.value) == said.strip()


def test_a_wrong_call_inside_of_a_model_is_its_own():
    class Nothing(torch.nn.Module):
        def forward(self):
            return None

    model = models.Transformer(**SIZES)
    model.words = Nothing()
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        model(nt.ones("seq'[2]", dtype="int64", backend="torch"))


@pytest.mark.parametrize("model", [ours, published], ids=["ours", "published"])
def test_models_whose_calls_are_answered_are_one_graph(model):
    torch._dynamo.reset()
    found = torch.compile(model, fullgraph=True, backend="eager")(S, T)
    nt.testing.assert_close(found, model(S, T), rtol=1e-5)
