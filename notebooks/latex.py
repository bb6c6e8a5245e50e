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
# # A formula in LaTeX is a program
#
# In the named tensor notation every axis has a name, and an operation says below itself which axes it
# touches. That is enough to check a formula like code, and to run it. After this notebook you can
#
# 1. **run a cell of LaTeX**, which becomes a function,
# 2. **read what is said of a mistake in the axes**, with a caret below it,
# 3. **write a model with dots**, $X^1, \ldots, X^L$, with a length of your choice,
# 4. **go back**: print Python as LaTeX, and LaTeX as Python.

# %%
import numpy as np
import torch

import namedtensor as nt
from namedtensor.testing import assert_close

# %load_ext namedtensor

# %% [markdown]
# ## 1. A cell of LaTeX
#
# First come the declarations: which axes each letter has. Then attention, as in *Named Tensors:
# Transformer*. Below the cell stands what was understood, printed from the expression that will run.

# %%
# %%named
# Q \in \mathbb{R}^{\text{seq}', \text{key}} \\
# K \in \mathbb{R}^{\text{seq}, \text{key}} \\
# V \in \mathbb{R}^{\text{seq}, \text{val}} \\
# \text{att}(Q, K, V) = V \underset{\text{seq}}{\cdot}
#   \underset{\text{seq}}{\text{softmax}} \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{key}|}} \right)

# %% [markdown]
# `att` is a formula now, like one written in Python. It takes named tensors; axes that it does not name,
# such as `batch` and `head`, pass through:

# %%
torch.manual_seed(0)
Q = nt.normal("batch[2] head[8] seq'[3] key[64]", backend="torch")
K = nt.normal("batch[2] head[8] seq[5] key[64]", backend="torch")
V = nt.normal("batch[2] head[8] seq[5] val[32]", backend="torch")
att(Q, K, V).shape

# %% [markdown]
# Names are erased before anything runs, and the formula is recognised as the kernel that it is:

# %%
print(att.code(Q, K, V))

# %% [markdown]
# The same numbers as torch's own function gives:

# %%
by_position = torch.nn.functional.scaled_dot_product_attention(
    Q.torch("batch", "head", "seq'", "key"),
    K.torch("batch", "head", "seq", "key"),
    V.torch("batch", "head", "seq", "val"),
)
assert_close(att(Q, K, V), nt.tensor(by_position, "batch head seq' val"))

# %% [markdown]
# ## 2. A mistake in the axes
#
# Layer normalisation, with an axis where there is none. The mean is taken over `hid`, which $X$ lacks; the
# caret stands below it, and the rest of the cell still works.

# %%
# %%named
# X \in \mathbb{R}^{\text{emb}} \\
# \text{length}(X) = \sqrt{\sum_{\text{emb}} X \odot X} \\
# \text{center}(X) = X - \underset{\text{hid}}{\text{mean}} X

# %%
length(nt.tensor(np.array([3.0, 4.0]), "emb"))

# %% [markdown]
# A subtler one: $b$ is declared over `hid`, which the contraction has used up. Each part is fine by itself.
# By name, the sum would have `emb` and `hid`; positional code cannot tell the two apart where their sizes are equal,
# and adds the numbers of one axis to those of the other.

# %%
# %%named
# X \in \mathbb{R}^{\text{emb}} \\
# W^1 \in \mathbb{R}^{\text{emb}, \text{hid}} \\
# W^2 \in \mathbb{R}^{\text{hid}, \text{emb}} \\
# b \in \mathbb{R}^{\text{hid}} \\
# \text{FFN}(X; W, b) = W^2 \underset{\text{hid}}{\cdot} \text{ReLU}(W^1 \underset{\text{emb}}{\cdot} X) + b

# %% [markdown]
# ## 3. A model with dots
#
# What follows the semicolon are parameters. Dots stand for a length that is chosen behind `%%named`. This
# cell is Markdown: a formula and, in a block of its own, the model that is made of it.

# %%
# %%named L=3
# The feed-forward network
#
# $$\begin{aligned}
# X &\in \mathbb{R}^{\text{emb}} \\
# W^1 &\in \mathbb{R}^{\text{emb}, \text{hid}} & b^1 &\in \mathbb{R}^{\text{hid}} \\
# W^2 &\in \mathbb{R}^{\text{hid}, \text{emb}} & b^2 &\in \mathbb{R}^{\text{emb}} \\
# \text{FFN}(X; W, b) &= W^2 \underset{\text{hid}}{\cdot} \text{ReLU}(W^1 \underset{\text{emb}}{\cdot} X + b^1) + b^2
# \end{aligned}$$
#
# is applied $L$ times, with a residual connection around each:
#
# $$\begin{aligned}
# X^0 &\in \mathbb{R}^{\text{emb}} \\
# X^1 &= \text{FFN}^1(X^0) + X^0 \\
# &\vdots \\
# X^L &= \text{FFN}^L(X^{L-1}) + X^{L-1}
# \end{aligned}$$

# %% [markdown]
# The whole model is a torch module, each layer with parameters of its own:

# %%
model = X__L.module("emb[16] hid[64]")
{name: tuple(parameter.shape) for name, parameter in model.named_parameters()}

# %%
X = nt.normal("batch[4] emb[16]", backend="torch")
model(X).shape

# %% [markdown]
# ## 4. The way back
#
# A formula written in Python prints as the equation. This one is from `transformer_named`; a notebook shows
# it rendered:

# %%
from transformer_named.named_tensors import MHA

MHA

# %% [markdown]
# And a document prints as a Python module, in our own notation:

# %%
document = nt.latex.read(
    r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{emb}} & \gamma, \beta &\in \mathbb{R}^{\text{emb}} \\
\text{lnorm}(X; \gamma, \beta) &= \frac{X - \underset{\text{emb}}{\text{mean}} X}
  {\sqrt{\underset{\text{emb}}{\text{var}} X + \epsilon}} \odot \gamma + \beta
\end{aligned}$$
"""
)
print(document.python())

# %% [markdown]
# ## Exercises
#
# - **a.** Write a cell that defines the cosine of $Q$ and $K$ over `key`: their dot, divided by the length of each. Which axes
#   does it have for $Q$ over `seq'` and $K$ over `seq`?
# - **b.** This line has a fault: $\text{total}(V) = \sum_{\text{key}} V$. Write it below a declaration of $V$, let the cell
#   find it, and mend it.
# - **c.** How many parameters has the model of part 3, and how many with `L=6`? Guess, then change the first line of its cell, and ask
#   `nt.summary(X__L.module("emb[16] hid[64]")).count`.

# %% [markdown]
# ## Solutions
#
# **a.** A formula says what one pair needs, which is `key` alone; `seq'` and `seq` pass through.

# %%
# %%named
# Q, K \in \mathbb{R}^{\text{key}} \\
# \text{cosine}(Q, K) = \frac{Q \underset{\text{key}}{\cdot} K}
#   {\sqrt{Q \underset{\text{key}}{\cdot} Q} \sqrt{K \underset{\text{key}}{\cdot} K}}

# %%
assert cosine.shape("seq' key", "seq key") == nt.Shape("seq' seq")

# %% [markdown]
# **b.** $V$ has no `key`; a sum over `seq` or over `val` is meant:

# %%
# %%named
# V \in \mathbb{R}^{\text{seq}, \text{val}} \\
# \text{total}(V) = \sum_{\text{seq}} V

# %% [markdown]
# **c.** Each layer has as many as one network: three times as many here, six times as many with `L=6`.

# %%
one = nt.summary(FFN.module("emb[16] hid[64]")).count
assert nt.summary(model).count == 3 * one
3 * one, 6 * one
