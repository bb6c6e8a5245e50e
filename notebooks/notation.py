# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The notation in twenty minutes
#
# After this notebook you can
#
# 1. **read** a formula in the named tensor notation of
#    [Chiang, Rush and Barak](https://arxiv.org/abs/2102.13196), and say which axes its result has,
# 2. **write** it in Python, where it runs,
# 3. **tell** what a function does to a tensor that has more axes than the function needs,
# 4. **see** it: as numbers with their axes, as a diagram, as an equation.
#
# You need to know what a matrix product is. Exercises are at the end, with solutions.

# %%
import numpy as np

import namedtensor as nt
from namedtensor import R, formula

# %% [markdown]
# ## 1. A tensor is a map from records to numbers
#
# An *axis* is a name, such as `height`. An *index* is an axis with a number, $\text{height}(2)$, and a *record* has
# one index for each axis. A named tensor gives a number for each record; its axes have no order.

# %%
height, width = nt.axes("height width")
A = nt.tensor([[3, 1, 4], [1, 5, 9], [2, 6, 5]], height, width)
A

# %% [markdown]
# In the paper, $A \in \mathbb{R}^{\text{height}[3] \times \text{width}[3]}$. Its shape is a set of axes with sizes:

# %%
assert A.shape == nt.Shape("width[3] height[3]")
A.shape

# %% [markdown]
# A record picks a number; a part of a record leaves the other axes. (Python counts from 0, the paper from 1.)

# %%
A[height(0), width(2)], A[height(0)]

# %% [markdown]
# The same numbers, looked at the other way round, are the same tensor:

# %%
nt.show(A, rows=width, columns=height)

# %% [markdown]
# ## 2. Pointwise operations match axes by name
#
# $A + x$ adds the numbers at equal indices. An axis that only one operand has is *lifted* over: the other operand
# is used for each of its indices.

# %%
x = nt.tensor([10, 20, 30], height)
y = nt.tensor([100, 200, 300], width)
A + x

# %%
x + y  # no axis in common: one number for each pair

# %% [markdown]
# By position, `A + x` would have added along the *last* axis, whichever that is. By name there is nothing to guess,
# and `x + y` needs no `[:, None]`.
#
# ## 3. Functions name the axes that they touch
#
# $$\underset{\text{height}}{\text{max}}\, A \qquad \sum_{\text{width}} A \qquad \underset{\text{width}}{\text{softmax}}\, A$$
#
# A reduction uses its axis up; softmax keeps it. What is not named passes through.

# %%
nt.max[height](A)

# %%
nt.sum[width](A)

# %%
nt.softmax[width](A)

# %% [markdown]
# With both axes named there is one number: $\sum_{\text{height}, \text{width}} A$.

# %%
nt.sum[height, width](A)

# %% [markdown]
# ## 4. Contraction
#
# The most frequent operation multiplies and sums over a shared axis:
#
# $$A \underset{\text{width}}{\cdot} y = \sum_{\text{width}} A \odot y$$
#
# The axis under the dot is gone afterwards; all others stay. This is the inner product, the product of a matrix and a
# vector, and that of two matrices, depending on which axes the operands have.

# %%
A @ width @ y

# %%
assert (A @ width @ y == nt.sum[width](A * y)).numpy().all()

# %% [markdown]
# A typo is an error, and the error says what is there:

# %%
key = nt.axes("key")
try:
    A @ key @ y
except nt.AxisMissingError as error:
    print(error)

# %% [markdown]
# ## 5. Renaming
#
# The second copy of an axis has a prime. $[A]_{\text{width} \rightarrow \text{width}'}$ has `width'` in place of `width`, so
# that a tensor can meet itself: the inner products of all columns with all columns are
#
# $$A \underset{\text{height}}{\cdot} [A]_{\text{width} \rightarrow \text{width}'}$$

# %%
width_ = width.prime
A @ height @ A[width >> width_]

# %% [markdown]
# Several axes can become one, and one several: $A_{(\text{height}, \text{width}) \rightarrow \text{layer}}$.

# %%
layer = nt.axes("layer")
A[(height, width) >> layer]

# %% [markdown]
# ## 6. Tensors given by their elements
#
# $$M_{\text{height}(i), \text{width}(j)} = \begin{cases} 1 & j \leq i \\ 0 & \text{otherwise} \end{cases}$$

# %%
M = nt.define[height, width](lambda i, j: nt.where(j <= i, 1, 0))
A * M  # it takes its sizes from what it meets

# %% [markdown]
# ## 7. Formulas
#
# A formula declares the axes of its arguments: what *one* item needs, and no more. Attention for one query is
#
# $$\text{att}(q, K, V) = V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}} \left( q \underset{\text{key}}{\cdot} K \right)$$

# %%
seq, val = nt.axes("seq val")


@formula
def att(q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val]:
    """One query asks all positions."""
    return V @ seq @ nt.softmax[seq](q @ key @ K)


att

# %% [markdown]
# Every further axis passes through. Two heads and five queries need no new formula:

# %%
q = nt.normal("head[2] query[5] key[3]")
K, V = nt.normal("head[2] seq[4] key[3]"), nt.normal("head[2] seq[4] val[6]")
att(q, K, V).shape

# %% [markdown]
# The same as a picture. Follow a line: `key` closes at the first dot, `seq` at the second, and `val` goes through.

# %%
nt.diagram(att)

# %% [markdown]
# And as numbers, with words where you like them:

# %%
words = "the cat sat down".split()
weights = nt.softmax[seq](q @ key @ K)
nt.show(weights, rows="query", columns=seq, by="head", labels={seq: words})

# %% [markdown]
# The names are gone before anything runs. This is what is computed:

# %%
print(att.code(q, K, V))

# %% [markdown]
# ## Exercises
#
# Use `A`, `x` and `y` from above.
#
# - **a.** The mean of each column of `A`, that is, for each `width`.
# - **b.** `A` with each row divided by its sum.
# - **c.** The squared length of `x`: $x \underset{\text{height}}{\cdot} x$.
# - **d.** $x^T A y$ as one contraction of three tensors.
# - **e.** The distances between all pairs of rows of `A`, over `height` and `height'`.
# - **f.** Which axes has `att(q, K, V)` for `q` over `batch key`, `K` over `seq key` and `V` over `batch seq val`? Ask `att.shape`.

# %% [markdown]
# ## Solutions

# %%
a = nt.mean[height](A)
b = A / nt.sum[width](A)
c = x @ height @ x
d = nt.dot[height, width](x, A, y)
e = nt.norm[width](A[height >> height.prime] - A)
f = att.shape("batch key", "seq key", "batch seq val")

numbers = np.array([[3, 1, 4], [1, 5, 9], [2, 6, 5]])
np.testing.assert_allclose(a.numpy(), numbers.mean(0))
np.testing.assert_allclose(b.numpy(height, width), numbers / numbers.sum(1, keepdims=True))
assert c.item() == 1400
assert d.item() == np.array([10, 20, 30]) @ numbers @ np.array([100, 200, 300])
np.testing.assert_allclose(
    e.numpy("height", "height'"), np.linalg.norm(numbers[:, None] - numbers[None], axis=2)
)
assert f == "batch val"
e
