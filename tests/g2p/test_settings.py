import pytest

from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.settings import PRESETS, Settings


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("emb", 0, "--emb is 0; it must be at least 1"),
        ("emb", 7, "--emb is 7; it must be even, half sines and half cosines"),
        ("layers", -1, "--layers is -1; it must be at least 1"),
        ("steps", 0, "--steps is 0; it must be at least 1"),
        ("threads", 0, "--threads is 0; it must be at least 1"),
        ("seconds", 0.0, "--seconds is 0.0; it must be a number above 0"),
        ("seconds", float("nan"), "--seconds is nan; it must be a number above 0"),
        ("learning_rate", -1.0, "--learning-rate is -1.0; it must be a number above 0"),
        ("learning_rate", float("inf"), "--learning-rate is inf; it must be a number above 0"),
        ("dropout", 1.0, "--dropout is 1.0; it must be at least 0 and below 1"),
        ("weight_decay", -0.1, "--weight-decay is -0.1; it must be at least 0"),
        ("precision", "fp8", "--precision is 'fp8'; it is one of float32, bf16"),
        ("placement", "mid", "--placement is 'mid'; it is one of between, post, pre"),
    ],
)
def test_values_out_of_range_are_refused(name, value, why):
    with pytest.raises(G2PError) as error:
        Settings().with_given({name: value})
    assert str(error.value) == why


def test_two_budgets_or_none_are_refused():
    for steps, seconds in ((10, 10.0), (None, None)):
        with pytest.raises(G2PError) as error:
            Settings(steps=steps, seconds=seconds)
        assert str(error.value) == ("the budget is either --steps or --seconds; give one of them")


def test_a_given_budget_replaces_the_other_kind():
    assert Settings().with_given({"steps": 5}).seconds is None
    assert Settings(steps=5, seconds=None).with_given({"seconds": 5.0}).steps is None


def test_the_used_budget_is_a_fraction():
    by_steps, by_time = Settings().with_given({"steps": 10}), Settings(seconds=50.0)
    assert by_steps.fraction(5, seconds=999.0) == 0.5
    assert by_time.fraction(step=999, seconds=25.0) == 0.5
    assert by_time.fraction(step=1, seconds=60.0) == 1.0
    assert by_steps.left(4, seconds=8.0) == 12.0
    assert by_time.left(4, seconds=60.0) == 0.0


def test_the_large_preset_is_for_a_gpu():
    assert (PRESETS["large"].device, PRESETS["large"].precision) == ("cuda", "bf16")
