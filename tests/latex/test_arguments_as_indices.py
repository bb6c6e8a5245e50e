"""Arguments that are declared nowhere and choose elements are indices, and none counts from the end."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import IndexRangeError, NamedTensorError
from namedtensor.latex import read
from tests.latex.calling import called, same

POS = r"$x \in \mathbb{R}^{\text{pos}}$"
TABLE = r"$W \in \mathbb{R}^{\text{vocab} \times \text{emb}}$"
OF = r"$$m(c) = x_{\text{pos}(c)}^2$$"
x = nt.tensor(np.array([10.0, 20.0, 30.0, 40.0]), "pos")
W = nt.tensor(np.arange(12.0).reshape(3, 4), "vocab emb")
X = nt.tensor(np.array([1.0, 2.0, 0.0, 1.0]), "emb")


def indices(*numbers: int) -> nt.NamedTensor:
    return nt.tensor(np.array(numbers), "seq")


@pytest.mark.parametrize("dot", [r"\ndot{emb}", r"\underset{\text{emb}}{\cdot}"])
@pytest.mark.parametrize("declared", ["", r" and $X \in \mathbb{R}^{\text{emb}}$"])
def test_what_picks_from_a_table_has_none_of_its_axes(dot: str, declared: str) -> None:
    text = rf"{TABLE}{declared}. $$f(X, k) = X {dot} W_{{\text{{vocab}}(k)}}$$"
    given = {"X": X, "W": W}
    scores = W.numpy("vocab", "emb") @ X.numpy()
    same(called(text, "f", {**given, "k": nt.tensor(1)}), scores[1])
    same(called(text, "f", {**given, "k": indices(2, 0)}), scores[[2, 0]], "seq")


def test_a_number_and_a_tensor_of_one_number_choose_the_same() -> None:
    for given in (2, nt.tensor(2)):
        same(called(f"{POS}. {OF}", "m", {"c": given, "x": x}), 900.0)
    same(called(f"{POS}. {OF}", "m", {"c": indices(0, 3), "x": x}), [100.0, 1600.0], "seq")


@pytest.mark.parametrize("declared", ["", r", $c \in [n]$"])
@pytest.mark.parametrize(("at", "wanted"), [("3", 900.0), ("1", 100.0), ("2 + 2", 1600.0)])
def test_a_call_with_a_number_counts_from_one(declared: str, at: str, wanted: float) -> None:
    same(called(f"{POS}{declared}. {OF} $$y = m({at})$$", "y", {"x": x}), wanted)


@pytest.mark.parametrize("declared", ["", r", $c \in [n]$"])
def test_a_sum_over_calls_counts_from_one(declared: str) -> None:
    text = rf"{POS}{declared}. {OF} $$y = \sum_{{i=1}}^{{3}} m(i)$$"
    same(called(text, "y", {"x": x}), 1400.0)


def test_what_hands_an_index_on_takes_one() -> None:
    text = f"{POS}. {OF} $$g(k) = 2 m(k) + 1$$"
    same(called(text, "g", {"k": indices(1, 0), "x": x}), [801.0, 201.0], "seq")


WHOLE = ["", r", $k \in \mathbb{N}$", r", $k \in \mathbb{Z}$"]
LAGS = [
    r"\sum_{t=k+1}^{|\text{pos}|} x_{\text{pos}(t)} x_{\text{pos}(t-k)}",
    r"\sum_{t=1}^{|\text{pos}|-k} x_{\text{pos}(t)} x_{\text{pos}(t+k)}",
]


@pytest.mark.parametrize("declared", WHOLE)
@pytest.mark.parametrize("lag", LAGS)
@pytest.mark.parametrize("k", [1, nt.tensor(1)])
def test_a_distance_between_indices_is_a_number(declared: str, lag: str, k: object) -> None:
    formula = read(f"{POS}{declared}. $$r(k) = {lag}$$")["r"]
    same(formula(k=k, x=x), 2000.0)


@pytest.mark.parametrize("declared", ["", r", $k \in \mathbb{Z}$", r", $k \in [n]$"])
@pytest.mark.parametrize("k", [1, nt.tensor(1)])
def test_whole_numbers_alone_count_as_data_does(declared: str, k: object) -> None:
    formula = read(rf"{POS}{declared}. $$r(k) = x_{{\text{{pos}}(k)}}$$")["r"]
    same(formula(k=k, x=x), 20.0)


def test_what_acts_along_an_axis_and_chooses_nothing_is_no_index() -> None:
    text = rf"{TABLE}. $$f(X, k) = X \ndot{{emb}} W - k$$"
    (_, k, _) = read(text)["f"].signature.parameters
    assert "Z" not in str(k.space)


# ------------------------------------------------------------------------ before the first element


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("at", "fine", "wanted", "beyond"),
    [
        ("k - 1", [1, 3], [10.0, 30.0], [0, 2]),
        ("k - 2", [2, 3], [10.0, 20.0], [2, 1]),
        (r"|\text{pos}| - k", [0, 2], [30.0, 10.0], [3]),
        (r"2 - k", [0], [10.0], [1]),
    ],
)
def test_data_before_the_first_element_is_refused(
    kind: str, at: str, fine: list[int], wanted: list[float], beyond: list[int]
) -> None:
    formula = read(rf"{POS}, $k \in [n]$. $$y = x_{{\text{{pos}}({at})}}$$")["y"]
    given = [nt.tensor(np.array(k), "seq") for k in (fine, beyond)]
    data = x
    if kind == "torch":
        data, *given = [t.to("torch") for t in (x, *given)]
    same(formula(x=data, k=given[0]), wanted, "seq")
    with pytest.raises(
        NamedTensorError, match=r"index -\d+ .*lies outside axis pos, which is 4 in x"
    ):
        formula(x=data, k=given[1])


@pytest.mark.parametrize("k", [0, nt.tensor(0)])
def test_one_number_before_the_first_element_is_refused(k: object) -> None:
    formula = read(rf"{POS}, $k \in [n]$. $$y = x_{{\text{{pos}}(k-1)}}$$")["y"]
    with pytest.raises(NamedTensorError, match="lies outside axis pos"):
        formula(x=x, k=k)
    same(formula(x=x, k=2), 20.0)


def test_what_a_call_puts_before_the_first_element_is_refused() -> None:
    text = rf"{POS}, $k \in [n]$. {OF} $$y = m(k - 1)$$"
    same(called(text, "y", {"x": x, "k": indices(1, 2)}), [100.0, 400.0], "seq")
    with pytest.raises(NamedTensorError, match="lies outside axis pos"):
        called(text, "y", {"x": x, "k": indices(0, 2)})


def test_what_moves_back_inside_is_taken() -> None:
    text = rf"{POS}, $c, k \in [n]$. $$m(c) = x_{{\text{{pos}}(c+1)}}$$ $$y = m(k - 1)$$"
    same(called(text, "y", {"x": x, "k": indices(0, 2)}), [10.0, 30.0], "seq")


def test_an_update_before_the_first_element_is_refused() -> None:
    text = rf"{POS}, $k \in [n]$. $$x_{{\text{{pos}}(k-1)}} \gets 0$$ $$y = 2 x$$"
    same(called(text, "y", {"x": x, "k": nt.tensor(1)}), [0.0, 40.0, 60.0, 80.0], "pos")
    with pytest.raises(NamedTensorError, match="lies outside axis pos"):
        called(text, "y", {"x": x, "k": nt.tensor(0)})


def test_such_an_index_prints_and_reads_back_as_it_is_written() -> None:
    document = read(rf"{POS}, $k \in [n]$. $$y = x_{{\text{{pos}}(k-1)}}$$")
    printed = document["y"].latex()
    assert "k - 1" in printed
    assert "front" not in printed


def test_python_asks_for_it() -> None:
    picked = x[nt.Axis("pos")(nt.from_front(indices(2, 0)))]
    same(picked, [30.0, 10.0], "seq")
    with pytest.raises(IndexRangeError, match=r"index -1 in .* lies outside"):
        nt.index["pos"](x, nt.from_front(indices(-1)))
