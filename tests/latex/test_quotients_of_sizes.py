r"""Quotients of sizes in indices and ranges, x_{emb(i + |emb|/2)}: whole numbers, or refused when it runs."""

import numpy as np
import pytest

from namedtensor import AxisSizeError, tensor
from namedtensor.latex import LatexError, read

x = np.arange(6.0)
HEAD = r"Let $x \in \mathbb{R}^{\mathsf{emb}}$, and let its size $L = |\mathsf{emb}|$ be even. "
I, N = r"\mathsf{emb}(i)", r"|\mathsf{emb}|"

HALVES = {
    rf"$$y_{{{I}}} = \begin{{cases}} -x_{{\mathsf{{emb}}(i + L/2)}} & i \le L/2 \\ "
    r"x_{\mathsf{emb}(i - L/2)} & \text{otherwise} \end{cases}$$": ([-3, -4, -5, 0, 1, 2], "emb"),
    rf"$$y_{{\mathsf{{half}}(i)}} = x_{{\mathsf{{emb}}(i+{N}/2)}}, \quad i = 1, \dots, {N}/2$$": (
        [3, 4, 5],
        "half",
    ),
    rf"$$y = \sum_{{i=1}}^{{{N}/2}} x_{{\mathsf{{emb}}(2i)}}$$": (9, ()),
    rf"$$y_{{\mathsf{{block}}(i), \mathsf{{half}}(l)}} = x_{{\mathsf{{emb}}((i-1) {N}/2 + l)}}, \quad "
    rf"i = 1, 2, \quad l = 1, \dots, {N}/2$$": ([[0, 1, 2], [3, 4, 5]], "block half"),
    rf"$$y = x_{{\mathsf{{emb}}(\frac{{{N}}}{{2}})}}$$": (2, ()),
}


@pytest.mark.parametrize("text", HALVES)
def test_a_quotient_of_sizes_is_whole_or_refused_when_it_runs(text):
    document = read(HEAD + text)
    assert not document.check()
    wanted, axes = HALVES[text]
    np.testing.assert_allclose(document["y"](x=tensor(x, "emb")).numpy(axes), wanted)
    odd = tensor(np.arange(7.0), "emb")
    with pytest.raises(LatexError, match="7 does not divide by 2 to a whole number"):
        document["y"](x=odd)
    np.testing.assert_allclose(document["y"](x=tensor(x, "emb")).numpy(axes), wanted)


def test_a_quotient_of_known_sizes_that_is_not_whole_is_a_finding():
    text = r"Let $x \in \mathbb{R}^{\mathsf{emb}[7]}$. $$m = x_{\mathsf{emb}(|\mathsf{emb}|/2)}$$"
    (found,) = read(text).check()
    assert (found.severity, found.code) == ("error", "index-type")


def test_a_quotient_of_data_is_no_index():
    text = (
        r"Let $k \in [6]$ and $x \in \mathbb{R}^{\mathsf{emb}[6]}$. $$m = x_{\mathsf{emb}(k/2)}$$"
    )
    (found,) = read(text).check()
    assert (found.severity, found.code) == ("error", "index-type")
    assert not read(text.replace("k/2", r"\lfloor k/2 \rfloor")).check()


def test_what_is_rounded_need_not_be_whole():
    document = read(HEAD + rf"$$y = x_{{\mathsf{{emb}}(\lceil {N}/2 \rceil)}}$$")
    assert document["y"](x=tensor(np.arange(7.0), "emb")).item() == 3


NAMED = (
    r"Let $x \in \mathbb{R}^{\mathsf{emb}:L}$, and let $K = SIZE$. $$y_{\mathsf{part}(i)} = BODY$$"
)


@pytest.mark.parametrize(
    ("size", "body", "wanted"),
    [
        ("L / 2", r"x_{\mathsf{emb}(i + K)}, \quad i = 1, \dots, K", [3, 4, 5]),
        (
            r"\frac{L}{3} + 1",
            r"x_{\mathsf{emb}(i)} x_{\mathsf{emb}(K)}, \quad i \in [K]",
            [0, 2, 4],
        ),
        (
            "(L - 2)/2 + 1",
            r"\sum_{j=1}^{2} x_{\mathsf{emb}(2(i-1)+j)} \quad (i = 1, \dots, K)",
            [1, 5, 9],
        ),
    ],
)
def test_a_name_of_a_quotient_of_sizes_is_whole_in_ranges_and_indices(size, body, wanted):
    document = read(NAMED.replace("SIZE", size).replace("BODY", body))
    assert not document.check()
    np.testing.assert_allclose(document["y"](x=tensor(x, "emb")).numpy("part"), wanted)
    with pytest.raises((LatexError, AxisSizeError)):
        document["y"](x=tensor(np.arange(7.0), "emb"))


def test_a_quotient_of_lengths_that_nothing_tells_is_checked():
    document = read(
        r"Let $x \in \mathbb{R}^{\mathsf{emb}:L}$ and $M \in \mathbb{N}$. $$h_{\mathsf{win}(n)} = "
        r"x_{\mathsf{emb}((n - 1) M/2 + 1)}, \quad n = 1, \dots, 2L/M$$"
    )
    assert not document.check()
    np.testing.assert_allclose(document["h"](x=tensor(x, "emb"), M=4).numpy("win"), [0, 2, 4])


HALVES_OF = (
    r"Let $x \in \mathbb{R}^{\mathsf{freq}:F}$. SAID $$y_{\mathsf{emb}(i)} = \begin{cases} "
    r"\sin x_{\mathsf{freq}(i)} & i \le F \\ "
    r"\cos x_{\mathsf{freq}(i - F)} & \text{otherwise} \end{cases}$$ BEHIND"
)


@pytest.mark.parametrize(
    ("said", "behind"),
    [
        (r"Let $|\mathsf{emb}| = 2F$.", ""),
        ("", r"so $|\mathsf{emb}| = 2F$."),
        ("", r"Here $|\mathsf{emb}| = 2|\mathsf{freq}|$."),
    ],
)
def test_an_index_that_runs_past_the_axis_it_is_used_on_takes_the_stated_size(said, behind):
    document = read(HALVES_OF.replace("SAID", said).replace("BEHIND", behind))
    wanted = np.concatenate([np.sin(x), np.cos(x)])
    np.testing.assert_allclose(document["y"](tensor(x, "freq")).numpy("emb"), wanted)


def test_an_index_that_runs_past_the_axis_it_is_used_on_is_not_cut_short():
    document = read(HALVES_OF.replace("SAID", "").replace("BEHIND", ""))
    with pytest.raises(LatexError, match="nothing says how long emb is"):
        document["y"](tensor(x, "freq"))
    assert document.bind(emb=12)["y"](tensor(x, "freq")).size("emb") == 12


def test_a_declared_size_that_is_said_to_be_a_quotient_is_whole():
    document = read(
        r"Let $x \in \mathbb{R}^{\mathsf{emb}:L}$ and $p \in \mathbb{R}^{\mathsf{patch}:N, \mathsf{step}:P}$ "
        r"with $N = L / P$. $$p_{\mathsf{patch}(i), \mathsf{step}(j)} = x_{\mathsf{emb}(P(i-1)+j)}$$"
    )
    found = document.bind(P=3)["p"](x=tensor(x, "emb"))
    np.testing.assert_allclose(found.numpy("patch step"), x.reshape(2, 3))
    with pytest.raises(LatexError, match="does not divide by 4"):
        document.bind(P=4)["p"](x=tensor(x, "emb"))
