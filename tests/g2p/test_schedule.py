from hypothesis import given
from hypothesis import strategies as st

from transformer_named.g2p.schedule import rate_factor

fractions = st.floats(0, 1)
warmups = st.floats(0, 0.9)


@given(fractions, warmups)
def test_the_factor_stays_between_0_and_1(fraction, warmup):
    assert 0 <= rate_factor(fraction, warmup) <= 1


@given(warmups)
def test_the_peak_is_at_the_end_of_the_warmup_and_the_end_is_0(warmup):
    assert rate_factor(warmup, warmup) == 1
    assert rate_factor(1.0, warmup) == 0
