"""nt.explain says where a kernel takes another path for these sizes, this dtype or this device."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.backends import torch_attention

seq, head, key, val = axes("seq head key val")
seq_ = seq.prime
near = nt.define[seq_, seq](lambda i, j: nt.where((j <= i) & (i - j < 3), 0.0, -nt.inf))


@formula
def attend(
    Q: R[seq_, key], K: R[seq, key], V: R[seq, val], near: R[seq_, seq] = None, p: float = 0.0
) -> R[seq_, val]:
    scores = Q @ key @ K / nt.sqrt(abs(key))
    weights = nt.softmax[seq](scores if near is None else scores + near)
    return (nt.dropout(weights, p) if p else weights) @ seq @ V


def operands(n: int, width: int = 16, values: int = 16) -> list[nt.NamedTensor]:
    shapes = (seq_[n], key[width]), (seq[n], key[width]), (seq[n], val[values])
    return [nt.zeros(head[2], *shape, backend="torch") for shape in shapes]


@pytest.mark.parametrize(
    ("sizes", "settings", "said"),
    [
        ((8,), {}, None),
        (
            (8, 16, 4),
            {},
            "with all scores at once: on cpu, torch's kernel takes values as wide as keys "
            "(they are 4 and 16 wide)",
        ),
        (
            (8,),
            {"p": 0.1},
            "with all scores at once: on cpu, torch's kernel takes no dropout",
        ),
        ((8,), {"near": near}, "with its mask built, since 8 x 8 scores are few"),
        (
            (600,),
            {"near": near},
            "in blocks of queries, each with its part of the mask: FlexAttention takes data on CUDA "
            "(they are on cpu)",
        ),
    ],
)
def test_the_path_is_said(sizes, settings, said):
    text = nt.explain(attend, *operands(*sizes), **settings)
    assert "  attention: " in text
    found = [line for line in text.splitlines() if line.startswith("  attention runs ")]
    assert found == ([] if said is None else [f"  attention runs {said}"])


@pytest.mark.parametrize(
    ("widths", "dtype", "device", "dropped", "lacks"),
    [
        ((16, 16), torch.float32, "cuda", False, ""),
        ((16, 16), torch.float64, "cuda", False, "float32, bfloat16 or float16 (they are torch.float64)"),
        ((8, 16), torch.float32, "cuda", False, "16 features or more (they are 8)"),
        ((16, 16), torch.float32, "cuda", True, "no dropout"),
        ((16, 16), torch.float32, "cpu", False, "data on CUDA (they are on cpu)"),
    ],
)  # fmt: skip
def test_what_flex_attention_lacks_is_said(widths, dtype, device, dropped, lacks):
    said = torch_attention.path_by_index(1000, 1000, widths, dtype, torch.device(device), dropped)
    assert said.endswith(f": FlexAttention takes {lacks}" if lacks else "where it is used")


@pytest.mark.filterwarnings("ignore:.*:UserWarning")  # torch says why in warnings
@pytest.mark.parametrize(
    ("values", "p", "fused"), [(16, 0.0, True), (4, 0.0, False), (16, 0.1, False)]
)
def test_torch_s_own_kernel_takes_what_we_say(values, p, fused):
    q, k, v = (X.data for X in operands(8, values=values))
    four = [x.unsqueeze(0) for x in (q, k, v)]
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        if fused:
            torch.nn.functional.scaled_dot_product_attention(*four, dropout_p=p)
            return
        with pytest.raises(RuntimeError):
            torch.nn.functional.scaled_dot_product_attention(*four, dropout_p=p)


@pytest.mark.parametrize("order", ["head batch", "batch head"])
@pytest.mark.parametrize(
    "over", ["seq", "seq' seq", "head seq", "batch seq", "batch seq' seq", "batch head seq' seq"]
)
def test_a_mask_over_any_axes_goes_to_torch_s_own_kernel(over, order, monkeypatch):
    """Torch takes masks of two axes or of four there, and computes all scores at once for others."""

    @formula
    def masked(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq]) -> R[val]:
        return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)

    sizes = {"batch": 3, "head": 2, "seq'": 5, "seq": 7, "key": 4, "val": 4}

    def drawn(axes):
        shape = " ".join(f"{name}[{sizes[name]}]" for name in axes.split())
        return nt.normal(shape, backend="torch", generator=torch.Generator().manual_seed(0))

    given = [drawn(f"{order} {rest}") for rest in ("seq' key", "seq key", "seq val")]
    kernel, called = torch.nn.functional.scaled_dot_product_attention, []

    def fused(*operands, **options):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            called.append(kernel(*operands, **options))
        return called[-1]

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", fused)
    found = masked(*given, drawn(over))
    assert len(called) == 1
    written = nt.Formula(masked.function, masked.signature, fuse=False)
    nt.testing.assert_close(found, written(*given, drawn(over)), rtol=1e-4, atol=1e-5)
