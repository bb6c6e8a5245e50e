"""Windows with strides, paddings and dilations: what a formula says of them, and what torch computes."""

import pickle

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close, assert_same

batch, chans, out, height, width, kh, kw, seq, kernel = axes(
    "batch chans out height width kh kw seq kernel"
)


def image(backend="torch"):
    generator = np.random.default_rng(0)
    X = nt.normal("batch[2] chans[3] height[7] width[8]", generator=generator, dtype="float64")
    return X.to(backend)


@formula
def conv(
    X: R[chans, height, width], *, W: R[out, chans, kh, kw], b: R[out]
) -> R[out, height, width]:
    return W @ (chans, kh, kw) @ nt.unroll[height, kh, width, kw](X, stride=2, padding=1) + b


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_a_window_that_a_parameter_declares_needs_no_size(backend):
    W = nt.normal(
        "out[4] chans[3] kh[3] kw[2]", dtype="float64", generator=np.random.default_rng(1)
    )
    b = nt.normal("out[4]", dtype="float64", generator=np.random.default_rng(2))
    found = conv(image(backend), W=W.to(backend), b=b.to(backend))
    expected = F.conv2d(
        image().torch(batch, chans, height, width),
        W.to("torch").torch(out, chans, kh, kw),
        b.to("torch").data,
        stride=2,
        padding=1,
    )
    assert found.shape == nt.Shape("batch[2] out[4] height[4] width[5]")
    assert_close(found.to("torch"), nt.tensor(expected, batch, out, height, width), rtol=1e-10)
    assert conv.shape(
        "batch[2] chans[3] height[7] width[8]", W="out[4] chans[3] kh[3] kw[2]", b="out[4]"
    ) == nt.Shape("batch[2] out[4] height[4] width[5]")


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize(
    "spelled",
    [
        lambda X: nt.unroll[(height, kh[3]), (width, kw[2])](X, stride=(2, 1), padding=((0, 1), 2)),
        lambda X: nt.unroll["height kh[3] width kw[2]"](
            X, stride={"height": 2}, padding={height: (0, 1), width: 2}
        ),
        lambda X: nt.unroll[width, kw[2]](
            nt.unroll[height, kh[3]](X, stride=2, padding=(0, 1)), padding=2
        ),
        lambda X: nt.unroll[width, kw[2]](
            nt.unroll[height, kh[3]](nt.pad[height](nt.pad[width](X, 2, 2), 0, 1))
        )[height[::2]],
        lambda X: nt.pool[height, kh[3], width, kw[2]](
            X, stride={height: 2, width: 1}, padding={height: (0, 1), width: (2, 2)}
        ),
    ],
)
def test_several_axes_are_seen_at_once_however_it_is_written(spelled, backend):
    X = image(backend)
    expected = nt.unroll[(height, kh[3]), (width, kw[2])](
        X, stride=(2, 1), padding={height: (0, 1), width: 2}
    )
    assert_same(spelled(X), expected)


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("dilation", [1, 2])
def test_same_gives_as_many_windows_as_strides_and_one_more_record_after(n, stride, dilation):
    for k in (1, 2, 3, 4):
        X = nt.tensor(np.arange(1, n + 1), seq)
        found = nt.unroll[seq, kernel[k]](X, stride=stride, padding="same", dilation=dilation)
        assert found.size(seq) == -(-n // stride)
        whole = max((found.size(seq) - 1) * stride + (k - 1) * dilation + 1 - n, 0)
        assert_same(found, nt.unroll[seq, kernel[k]](
            X, stride=stride, padding=(whole // 2, whole - whole // 2), dilation=dilation
        ))  # fmt: skip
        adjoint = nt.overlap_add[seq, kernel](
            found, stride=stride, padding="same", dilation=dilation, size=n
        )
        assert adjoint.size(seq) == n


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_same_in_a_formula_is_right_for_all_sizes(backend):
    @formula
    def smooth(X: R[seq], w: R[kernel]) -> R[seq]:
        return w @ kernel @ nt.unroll[seq, kernel](X, stride=2, padding="same")

    for n in (1, 4, 7):
        X, w = nt.ones(seq[n], backend=backend), nt.ones(kernel[3], backend=backend)
        assert_close(
            smooth(X, w), nt.sum[kernel](nt.unroll[seq, kernel[3]](X, stride=2, padding="same"))
        )
        assert smooth(X, w).size(seq) == -(-n // 2)


def test_the_greatest_of_windows_padded_with_minus_infinity_is_max_pooling():
    X = image()
    found = nt.max[kh, kw](
        nt.pool[(height, kh[3]), (width, kw[3])](X, stride=2, padding=1, value=-nt.inf)
    )
    expected = F.max_pool2d(X.torch(batch, chans, height, width), 3, 2, 1)
    assert_same(found, nt.tensor(expected, batch, chans, height, width))


@pytest.mark.parametrize("crop", [0, 1])
def test_windows_that_are_added_up_are_a_transposed_convolution(crop):
    Y = nt.tensor(torch.randn(2, 3, 5, dtype=torch.float64), batch, chans, seq)
    W = nt.tensor(torch.randn(3, 4, 3, dtype=torch.float64), chans, out, kernel)
    found = nt.overlap_add[seq, kernel](
        W @ chans @ Y, stride=2, padding=crop, size=11 - 2 * crop + 1
    )
    expected = F.conv_transpose1d(Y.data, W.data, stride=2, padding=crop, output_padding=1)
    assert_close(found, nt.tensor(expected, batch, out, seq), rtol=1e-10)


def test_the_gradient_by_records_that_no_window_shows_is_0():
    @formula
    def total(X: R[seq]) -> R:
        return nt.sum[seq, kernel](nt.unroll[seq, kernel[2]](X, stride=3))

    found = nt.grad(total)(nt.tensor(np.ones(6), seq))
    assert found.numpy().tolist() == [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_strides_are_printed_and_read_again():
    text = r"\nfun{\name{seq} \\ \name{kernel}}{unroll}(X, 3, 2, 1)"

    @formula
    def windows(X: R[seq]) -> R[seq, kernel]:
        return nt.unroll[seq, kernel[3]](X, stride=2)

    assert text in windows.latex()
    document = nt.latex.read(f"$X \\in \\mathbb{{R}}^{{\\name{{seq}}}}$\n\n$f(X) = {text}$")
    X = nt.tensor(np.arange(7.0), seq)
    assert_same(document["f"](X), windows(X))
    assert "nt.unroll[seq, kernel[3]](X, stride=2, dilation=1)" in document.python()


def test_windows_are_pickled_by_their_names():
    assert pickle.loads(pickle.dumps(nt.unroll)) is nt.unroll


@pytest.mark.parametrize("linear", [False, True])
def test_upsampling_is_torch_s_interpolation(linear):
    X = image()
    found = nt.upsample[height, width](X, {height: 2, "width": 3}, linear=linear)
    expected = F.interpolate(
        X.torch(batch, chans, height, width),
        scale_factor=(2, 3),
        mode="bilinear" if linear else "nearest",
    )
    assert_close(found, nt.tensor(expected, batch, chans, height, width), rtol=1e-10)
    assert_close(nt.upsample["height"](X.to("numpy"), 2, linear=linear).to("torch"),
                 nt.upsample[height](X, 2, linear=linear), rtol=1e-10)  # fmt: skip


def test_upsampling_by_1_changes_nothing_beside_infinite_numbers():
    X = nt.tensor([1.0, -np.inf, 2.0], seq)
    for library in ("numpy", "torch"):
        assert_same(nt.upsample[seq](X.to(library), 1, linear=True), X.to(library))


def test_upsampling_in_a_formula_runs_on_torch_s_kernel_and_is_printed():
    @formula
    def larger(X: R[height, width]) -> R[height, width]:
        return nt.upsample[height, width](X, 2)

    assert larger.code(image()).count("upsample(X, (2, 3), 2, False)") == 1
    assert r"\nfun{\name{height} \\ \name{width}}{upsample}(X, 2)" in larger.latex()
    assert larger(image()).shape == nt.Shape("batch[2] chans[3] height[14] width[16]")
