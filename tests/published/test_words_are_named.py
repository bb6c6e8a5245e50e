"""A published model that is given words along another axis says so, and what to type."""

import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from transformer_named.published.models import EncoderDecoder, Transformer

SIZES = {"vocab": 10, "emb": 8, "hid": 16, "kv": 2, "key": 4, "layers": 1}
model, both = Transformer(**SIZES), EncoderDecoder(**SIZES)
ids = torch.tensor([[1, 2, 3]])
I = nt.tensor(ids, "batch seq")
source, target = nt.tensor(ids, "batch src"), nt.tensor(ids, "batch seq")
word = nt.tensor(torch.tensor(3))

CASES = [
    case(
        "words along seq",
        lambda: model(I),
        nt.AxisMissingError,
        """
Transformer(...)(I): I has no axis seq', along which its words stand
  I : batch[1] seq[3]
hint: rename the axis of its words: I["seq -> seq'"]
""",
    ),
    case(
        "one word",
        lambda: model(word),
        nt.AxisMissingError,
        """
Transformer(...)(I): I has no axis seq', along which its words stand
  I : () a single number
hint: one word stands along it too: nt.stack["seq'"](I)
""",
    ),
    case(
        "a bare tensor",
        lambda: model(ids),
        nt.BackendError,
        """
Transformer(...)(I): I is a Tensor, and not a named tensor of words along seq'
hint: name its axes, of which seq' is that of the words: nt.tensor(I, "batch seq'")
""",
    ),
    case(
        "a prompt along seq",
        lambda: model.begin(I),
        nt.AxisMissingError,
        """
model.begin(prompt): prompt has no axis src, along which its words stand
  prompt : batch[1] seq[3]
hint: rename the axis of its words: prompt["seq -> src"]
""",
    ),
    case(
        "a step with words along an axis",
        lambda: model.step(I, model.begin(source)[1]),
        nt.AxisClashError,
        """
model.step(token, cache): token has an axis seq, and a step takes the next word of each text
  token : batch[1] seq[3]
hint: take one of them: token["seq(-1)"]
""",
    ),
    case(
        "a source along seq",
        lambda: both(target, target),
        nt.AxisMissingError,
        """
EncoderDecoder(...)(source, target): source has no axis src, along which its words stand
  source : batch[1] seq[3]
hint: rename the axis of its words: source["seq -> src"]
""",
    ),
    case(
        "a target along seq'",
        lambda: both(source, target["seq -> seq'"]),
        nt.AxisMissingError,
        """
EncoderDecoder(...)(source, target): target has no axis seq, along which its words stand
  target : batch[1] seq'[3]
hint: rename the axis of its words: target["seq' -> seq"]
""",
    ),
    case(
        "a memory that is none",
        lambda: both.start(target, source),
        nt.AxisMissingError,
        """
EncoderDecoder(...).start(memory, source): memory has no axis src, along which its words stand
  memory : batch[1] seq[3]
hint: rename the axis of its words: memory["seq -> src"]
""",
    ),
    case(
        "a bare source",
        lambda: both.encode(ids),
        nt.BackendError,
        """
EncoderDecoder(...).encode(source): source is a Tensor, and not a named tensor of words along src
hint: name its axes, of which src is that of the words: nt.tensor(source, "batch src")
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_what_the_hints_say_runs():
    prompt, memory = I, both.encode(source)
    assert model(I["seq -> seq'"]).size("vocab") == 10
    assert model(nt.stack["seq'"](word)).size("vocab") == 10
    assert model(nt.tensor(ids, "batch seq'")).size("vocab") == 10
    token, cache = model.begin(prompt["seq -> src"])
    assert model.step(token, cache)[0].axes == ("batch", "vocab")
    assert both(target["seq -> src"], target).size("seq") == 3
    assert len(both.start(memory, source).memory) == 1
