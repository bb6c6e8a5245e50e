"""What only a GPU can show: CUDA graphs, and FlexAttention as it runs there."""

import pytest
import torch

import namedtensor as nt
from tests.kernels.formulas import ROWS
from tests.kernels.test_kernels_are_formulas import arguments, gradients, unfused
from tests.torch_whole.model import Model, words
from transformer_named.named_tensors import M, att

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

# single precision against double
CLOSE = dict(rtol=1e-3, atol=1e-4)


@pytest.fixture(autouse=True)
def nothing_compiled_and_no_digit_dropped(monkeypatch):
    """Let no product be of TF32, which torch allows to convolutions and recurrent cells on a GPU."""
    torch.compiler.reset()
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


def on_card(drawn):
    """Give arguments on the GPU in single precision, recording gradients where they did."""
    return {
        name: nt.tensor(
            X.data.detach().to("cuda", torch.float32 if X.kind == "float" else X.data.dtype),
            *X.axes,
        ).requires_grad_()
        if X.requires_grad
        else X.to("cuda")
        for name, X in drawn.items()
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_kernel_gives_on_the_gpu_what_its_formula_says(row):
    drawn = arguments(row.formula, {}, torch.Generator().manual_seed(0))
    expected = unfused(row.formula)(**drawn)
    wanted = gradients(expected, drawn)
    moved = on_card(drawn)
    found = row.formula(**moved)
    axes = sorted(expected.axes)
    torch.testing.assert_close(
        found.torch(*axes).cpu().double(), expected.torch(*axes).double(), **CLOSE
    )
    weights = torch.linspace(-1.0, 2.0, found.data.numel(), device="cuda")
    (found.torch(*axes).reshape(-1) * weights).sum().backward()
    for name, gradient in wanted.items():
        torch.testing.assert_close(moved[name].data.grad.cpu().double(), gradient, **CLOSE)


# torch itself calls torch.jit.script_method when inductor is first used
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_a_model_compiles_for_the_gpu(mode):
    model, x = Model(layers=1).cuda(), words().to("cuda")
    with torch.no_grad():
        expected = model(x)
        compiled = torch.compile(model, fullgraph=True, mode=mode)
        for _ in range(3):  # a CUDA graph is recorded, then replayed
            found = compiled(x).torch(*expected.axes).clone()
    torch.testing.assert_close(found, expected.torch(*expected.axes), **CLOSE)


def test_half_precision_attention_runs_fused():
    Q, K, V = (
        nt.normal(axes, backend="torch", device="cuda", dtype=torch.bfloat16)
        for axes in (
            "head[4] seq'[128] key[64]",
            "head[4] seq[128] key[64]",
            "head[4] seq[128] val[64]",
        )
    )
    assert "attention" in att.code(Q, K, V, M)
    found = att(Q, K, V, M)
    expected = unfused(att)(*[X.to(torch.float32) for X in (Q, K, V)], M)
    torch.testing.assert_close(
        found.torch("head", "seq'", "val").float(),
        expected.torch("head", "seq'", "val"),
        rtol=3e-2,
        atol=3e-2,
    )
