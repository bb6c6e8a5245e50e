"""The whole systems of the documents are formulas: they have a shape, steps, an equation, and modules."""

import pytest
import torch

import namedtensor as nt
from namedtensor.primitives.node import operands_first
from tests.latex.rendering import rendered
from tests.models.agreement import CLOSE, randomize
from transformer_named import forward_pass, introduction, named_tensors, the_transformer
from transformer_named.models import (
    FormulatedTransformer,
    IntroductionTransformer,
    NamedTensorsTransformer,
    TheTransformer,
)

MODEL = {"d_model": 8, "d_ff": 9, "d_k": 5, "d_v": 4, "h": 3}
WORDS = nt.tensor(torch.tensor([3, 1, 4, 1, 5]), "seq")
SAID = nt.tensor(torch.tensor([0, 9, 2, 6]), "seq'")
X = nt.normal("seq[5] emb[8]", backend="torch", dtype="float64")
Y = nt.normal("seq'[4] emb[8]", backend="torch", dtype="float64")

SYSTEMS = {
    "001": (
        named_tensors.transformer,
        lambda **given: NamedTensorsTransformer(b=11, L=3, **MODEL, **given),
        (nt.one_hot(WORDS, "vocab[11]"),),
    ),
    "000": (
        forward_pass.transformer_scores,
        lambda **given: FormulatedTransformer(s=11, N=3, **MODEL, **given),
        (WORDS, SAID),
    ),
    "002": (
        the_transformer.transformer,
        lambda **given: TheTransformer(d=8, d_ff=9, d_k=5, d_v=4, h=3, N=3, **given),
        (X, Y),
    ),
    "003": (
        introduction.translation_scores,
        lambda **given: IntroductionTransformer(
            source=11, target=10, d=8, d_ff=9, d_k=5, L=3, **given
        ),
        (WORDS, SAID),
    ),
}


@pytest.fixture(params=SYSTEMS)
def system(request):
    f, make, given = SYSTEMS[request.param]
    return f, randomize(make(dtype=torch.float64)), given


def values_of(module):
    return {n: v for n, v in module.named_values().items() if v is not None}


def test_a_system_has_its_shape_without_data(system):
    f, module, given = system
    found = module(*given)
    shapes = [x.shape if x.kind == "float" else nt.Z[x.shape] for x in given]
    assert module.shape(*shapes) == found.shape
    assert f.shape(*shapes, **values_of(module)) == found.shape


def test_a_plain_call_of_a_system_is_its_module_s(system):
    f, module, given = system
    settings = module.settings
    found = f(*given, **settings, **module.named_values())
    torch.testing.assert_close(found.data, module(*given).data, **CLOSE)


def test_the_steps_of_a_system_fold_its_layers(system):
    _, module, given = system
    table = module.steps(*given)
    assert {part.times for row in table.rows for part in (row, *row.rows)} == {1, 3}


def test_a_system_is_printed_as_recursions(system):
    f, module, _ = system
    for text in (f.latex("underset"), module.latex("underset")):
        rendered(text)
        assert r"\ldots, " in text or f is the_transformer.transformer
        assert r"\text{layers-" not in text


def lines(formula):
    *_, text = formula.latex("underset").split("\n\n")  # after the formulas that it calls
    return [line.removesuffix(" \\\\") for line in text.splitlines()[1:-1]]


def test_document_001_prints_its_series():
    assert lines(named_tensors.transformer)[1:] == [
        r"\text{transformer}(I; \text{embed}, \text{layers}, \text{output}) "
        r"&= \text{output}(X^L; \text{output})",
        r"X^0 &= \text{embed}(I; \text{embed})",
        r"X^l &= \text{layer}(X^{l - 1}; \text{layers}^l), \quad l = 1, \ldots, L",
    ]


def test_document_000_prints_its_forward_pass():
    assert lines(forward_pass.transformer_scores)[2:] == [
        r"\text{transformer-scores}(x, y; \text{embedding}, \text{encoder}, \text{decoder}) "
        r"&= \text{scores}(Y^N; \text{embedding})",
        r"Y^0 &= [\text{Embedding}([y]_{\text{seq}' \rightarrow \text{seq}}; \text{embedding})]"
        r"_{\text{seq} \rightarrow \text{seq}'}",
        r"Y^k &= \text{DecoderLayer}(Y^{k - 1}, X^L; \text{decoder}^k), \quad k = 1, \ldots, N",
        r"X^0 &= \text{Embedding}(x; \text{embedding})",
        r"X^l &= \text{EncoderLayer}(X^{l - 1}; \text{encoder}^l), \quad l = 1, \ldots, L",
    ]


def test_document_003_prints_its_recursions():
    found = lines(introduction.translation_scores)
    assert (
        r"H^l &= \text{encoder-layer}(H^{l - 1}, M; \text{encoder}^l), \quad l = 1, \ldots, L"
        in found
    )
    assert (
        r"S^m &= \text{decoder-layer}(S^{m - 1}, H^L, M; \text{decoder}^m), \quad m = 1, \ldots, K"
        in found
    )


def called(formula, found, **settings):
    """List the texts of a formula after those that it calls, with the settings that it gives."""
    written = formula.written(**settings)
    for node in operands_first(written.results):
        if node.name == "call":
            name, _, given, _ = node.operation.params
            called(written.called[name], found, **dict(given))
    found.setdefault(formula.name, formula.latex("underset", **settings).split("\n\n")[-1])
    return found


@pytest.mark.parametrize(
    ("f", "make", "given", "numbers"),
    [
        (*SYSTEMS["001"], {"L": 3}),
        (*SYSTEMS["000"], {"L": 3, "N": 3}),
        (*SYSTEMS["003"], {"L": 3, "K": 3}),
        (
            the_transformer.encoder,
            lambda **given: SYSTEMS["002"][1](**given).encoder,
            (X, nt.zeros("seq[5]", backend="torch", dtype="float64")),
            {"L": 3},
        ),
    ],
    ids=["001", "000", "003", "002 encoder"],
)
def test_a_system_that_is_printed_is_read_again_and_gives_the_same(f, make, given, numbers):
    module = randomize(make(dtype=torch.float64))
    text = "\n\n".join(called(f, {}).values())
    again = nt.latex.read(text).bind(**numbers)[f.name]
    held = {}
    for name in again.parameter_names:
        head, _, number = name.partition("__")
        found = module.named_values()[head]
        held[name] = found[int(number) - 1] if number else found
    torch.testing.assert_close(again(*given, **held).data, module(*given).data, **CLOSE)
