r"""Indices of indices alone, k_{ij} = 2 (i - 1) + j, that stand in other indices: x_{k_{ij}}."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

x = np.random.default_rng(1).normal(size=6)
table = np.array([[0, 5], [2, 2], [4, 1]])
HEAD = r"Let $x \in \mathbb{R}^{\text{obs}:N}$. "
OVER = r"z_{\text{row}(i),\text{col}(j)} = x_{\text{obs}(k_{ij})}, \quad i=1,\ldots,3, \; j = 1,2"

RIGHT = {
    rf"$$k_{{ij}} = 2(i-1) + j$$ $${OVER}$$": (x.reshape(3, 2), "row col"),
    rf"Let $k_{{ij}} = 2(i-1) + j$. $${OVER}$$": (x.reshape(3, 2), "row col"),
    r"$$k_{ij} = i + j - 1$$ $$z = \sum_{i=1}^2 \sum_{j=1}^2 x_{k_{ij}}$$": (
        x[0] + 2 * x[1] + x[2],
        "",
    ),
    r"$$k_i = 2i - 1$$ $$z = \sum_{i=1}^3 x_{k_i}$$": (x[::2].sum(), ""),
    r"$$z_{\text{obs}(i)} = x_{\text{obs}(r_i)}$$ where $r_i = N - i + 1$.": (x[::-1], "obs"),
    r"$$r(i) = N - i + 1$$ $$z_{\text{obs}(i)} = x_{\text{obs}(r(i))}$$": (x[::-1], "obs"),
    r"Let $k \in [N]^{\text{row}:n, \text{col}:m}$. $$z_{ij} = x_{k_{ij}}$$": (x[table], "row col"),
    r"Let $k \in [N]^{\text{row}:n, \text{col}:m}$. $$z_i = \sum_{j=1}^m x_{k_{ij}}$$": (
        x[table].sum(1),
        "row",
    ),
}


@pytest.mark.parametrize("text", RIGHT)
def test_an_index_is_what_its_definition_says(text):
    document = read(HEAD + text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    formula = document["z"]
    given = {"x": tensor(x, "obs"), "k": tensor(table, "row col")}
    wanted, axes = RIGHT[text]
    found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
    np.testing.assert_allclose(found.numpy(axes), wanted)


@pytest.mark.parametrize("start", ["N - i + 2", "N - i"])
def test_an_index_that_is_one_too_far_is_found(start):
    text = rf"$$z_{{\text{{obs}}(i)}} = x_{{\text{{obs}}(r_i)}}$$ where $r_i = {start}$."
    found = [f.code for f in read(HEAD + text).check() if f.severity == "error"]
    assert found == ["index-range"]


def test_an_index_that_is_kept_within_bounds_is_replaced_too():
    text = r"""Let $R \in \mathbb{R}^{\text{off}:2c+1}$ and $q \in \mathbb{R}^{\text{seq}:n}$.
$$e_{\text{seq}'(i), \text{seq}(j)} = q_{\text{seq}(i)} R_{\text{off}(o(i, j))}, \qquad
o(i, j) = \max(-c, \min(c, j - i)) + c + 1$$"""
    document, R, q = read(text), np.arange(3.0), np.array([1.0, 2.0, 3.0])
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["e"](R=tensor(R, "off"), q=tensor(q, "seq"))
    steps = np.clip(np.arange(3) - np.arange(3)[:, None], -1, 1) + 1
    np.testing.assert_allclose(found.numpy("seq' seq"), q[:, None] * R[steps])


@pytest.mark.parametrize(
    "said",
    [
        r"$c_i = i - 2 (r_i - 1)$ and $r_i = \lceil i/2 \rceil$",
        r"$r_i = \lceil i/2 \rceil$, $c_i = i - 2 (r_i - 1)$",
    ],
)
def test_an_index_may_be_made_of_another_one(said):
    text = (
        r"Let $X \in \mathbb{R}^{\text{row}:3, \text{col}:2}$. $$z_{\text{obs}(i)} = "
        rf"X_{{\text{{row}}(r_i), \text{{col}}(c_i)}}, \quad i = 1, \ldots, 6$$ where {said}."
    )
    found = read(text)["z"](tensor(x.reshape(3, 2), "row", "col"))
    np.testing.assert_allclose(found.numpy("obs"), x)


def test_the_power_of_a_size_is_computed_from_it():
    text = (
        r"Let $y \in \mathbb{R}^{\text{tok}:M^2}$, $t \in \mathbb{R}^{\text{dy}:2M-1}$. "
        r"$$y_{\text{tok}(i)} = i + t_{\text{dy}(1)}$$"
    )
    assert read(text)["y"](tensor(x[:5], "dy")).size("tok") == 9


FRAMES = r"$$F_{\text{frame}(m), \text{time}(n)} = x_{\text{obs}((m-1) H + n)}, \qquad m, n = 1, \ldots, 2$$"


@pytest.mark.parametrize(
    "said", [r"$H \in \mathbb{Z}$", r"$H \in \mathbb{N}$", "two frames lie $H$ apart"]
)
def test_a_number_that_multiplies_an_index_is_no_index_itself(said):
    document = read(f"{HEAD} Here {said}. {FRAMES}")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document["F"](tensor(x, "obs"), H=3)
    np.testing.assert_allclose(found.numpy("frame time"), x.reshape(2, 3)[:, :2])


@pytest.mark.parametrize(("odd", "codes"), [("(i+1)/2", []), ("i/2", ["index-type"])])
def test_half_of_what_is_even_is_a_whole_number(odd, codes):
    text = (
        r"Let $y \in \mathbb{R}^{\text{twice}:2N}$. $$y_{\text{twice}(i)} = \begin{cases} "
        rf"x_{{\text{{obs}}({odd})}} & i \text{{ odd}} \\ "
        r"-x_{\text{obs}(i/2)} & i \text{ even} \end{cases}$$"
    )
    document = read(HEAD + text)
    assert [f.code for f in document.check() if f.severity != "note"] == codes
    if not codes:
        found = document["y"](tensor(x, "obs")).numpy("twice")
        np.testing.assert_allclose(found, np.stack([x, -x], 1).ravel())


BELOW = r"\sum_{j=1}^{N} \mathbb{1}[x_{\text{obs}(j)} < x_{\text{obs}(i)}]"
RANKS = x.argsort().argsort()


@pytest.mark.parametrize(
    "said",
    [
        rf"$$r_{{\text{{obs}}(i)}} = 1 + {BELOW}$$ $$z_{{\text{{obs}}(i)}} = x_{{\text{{obs}}(r_i)}}$$",
        rf"$$r_i = 1 + {BELOW}, \quad i = 1, \ldots, N$$ $$z_{{\text{{obs}}(i)}} = x_{{\text{{obs}}(r_i)}}$$",
        r"$$z_{\text{obs}(i)} = x_{\text{obs}(r_{\text{obs}(i)})}$$ "
        rf"where $r_{{\text{{obs}}(i)}} = 1 + {BELOW}$.",
    ],
)
def test_ranks_and_counts_that_a_formula_makes_count_from_one(said):
    document = read(HEAD + said)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    np.testing.assert_allclose(document["z"](tensor(x, "obs")).numpy("obs"), x[RANKS])


def test_what_is_made_of_indices_in_data_counts_as_they_do():
    text = r"Let $k \in \{0, \ldots, N - 1\}^{\text{row}}$. $$z = x_{\text{obs}(m)}$$ where $m = k + 0 k$."
    found = read(HEAD + text)["z"](x=tensor(x, "obs"), k=tensor(table[:, 0], "row"))
    np.testing.assert_allclose(found.numpy("row"), x[table[:, 0]])


i, k = np.array([0, 1, 2]), np.array([2, 1, 0])
LONG = 10 * np.arange(1.0, 9)
PLACE = r"_{\text{byte}(i)}"
#: What an index is computed from, counted from 1.
WHOLE = {
    "1 + x@": 2 + i,
    "x@ + 1": 2 + i,
    "x@ + y@": 2 + i + k,
    "2 x@ - 1": 2 * i + 1,
    r"1 + (3 x@) \bmod 4": 1 + 3 * (i + 1) % 4,
    r"(x@ + y@) \bmod 3 + 1": 1 + (i + k + 2) % 3,
}


@pytest.mark.parametrize("body", WHOLE)
@pytest.mark.parametrize(
    "text",
    [
        rf"$$ e{PLACE} = T_{{\text{{bucket}}(BODY@)}} $$",
        rf"$$ h{PLACE} = BODY@ $$ $$ e{PLACE} = T_{{\text{{bucket}}(h{PLACE})}} $$",
        rf"$$ h = BODY $$ $$ e{PLACE} = T_{{\text{{bucket}}(h{PLACE})}} $$",
        r"$$ h = BODY $$ $$ e = T_{\text{bucket}(h)} $$",
    ],
)
def test_what_is_computed_from_indices_counts_from_1_however_it_is_defined(text, body):
    text = text.replace("BODY@", body.replace("@", PLACE)).replace("BODY", body.replace("@", ""))
    document = read(
        rf"Let $T \in \mathbb{{R}}^{{\text{{bucket}}}}$ and $x, y \in [9]^{{\text{{byte}}:n}}$. {text}"
    )
    given = {"T": tensor(LONG, "bucket"), "x": tensor(i, "byte"), "y": tensor(k, "byte")}
    for name, wanted in (("e", LONG[WHOLE[body] - 1]), ("h", WHOLE[body])):
        if name in document:
            found = document[name]
            own = {p.name: given[p.name] for p in found.signature.parameters}
            np.testing.assert_allclose(found(**own).numpy("byte"), wanted)


def test_elements_that_are_indices_take_the_size_of_an_axis_that_only_numbers_them():
    document = read(
        r"""Let $T \in \mathbb{R}^{\text{gram}:G, \text{bucket}:3}$ and $x \in [9]^{\text{byte}:n}$.
$$ h_{\text{gram}(g), \text{byte}(i)} = 1 + (\sum_{j=1}^{g} j \, x_{\text{byte}(i)}) \bmod 3 $$
$$ e_{\text{byte}(i)}
= \sum_{g=1}^{G} T_{\text{gram}(g), \text{bucket}(h_{\text{gram}(g), \text{byte}(i)})} $$"""
    )
    assert document.check() == []
    T, x = np.arange(6.0).reshape(2, 3), np.array([0, 3, 4])
    found = document["e"](T=tensor(T, "gram bucket"), x=tensor(x, "byte"))
    wanted = T[0, (x + 1) % 3] + T[1, 3 * (x + 1) % 3]
    np.testing.assert_allclose(found.numpy("byte"), wanted)


def test_an_axis_that_a_declared_tensor_lacks_is_reported_whatever_indexes_it():
    text = r"""## In
Let $x \in [9]^{\text{byte}:n}$.
## Embed
Let $E \in \mathbb{R}^{\text{vocab}, \text{emb}}$ and $T \in \mathbb{R}^{\text{bucket}, \text{emb}}$.
$$ e_{\text{byte}(i)} = E_{\text{AX}(x_{\text{byte}(i)})} + T_{\text{bucket}(1)} $$"""
    assert read(text.replace("AX", "vocab")).check() == []
    (error,) = read(text.replace("AX", "bucket")).check()
    assert (error.severity, error.code) == ("error", "axis-missing")
