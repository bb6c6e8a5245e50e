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
# # A Transformer, formula by formula
#
# *Named Tensors: Transformer* is one page of formulas that describes a whole decoder-only
# Transformer: every axis has a name, and each operation says below itself which axes it touches.
# After this notebook you can
#
# 1. **read each formula of a Transformer** and say which axes it uses up, keeps and makes,
# 2. **write it in Python**, where it runs, and check it against the same thing by position, in plain torch,
# 3. **find slips in formulas as they were published**, by the axes alone, and mend them.
#
# The page contains a handful of slips, as pages of formulas do. Names make them visible: an axis
# turns up that nobody uses, or is used where nobody has it. We mend each one, and let the library
# find it first. You need to know the notation, which [another notebook](notation.ipynb) tells in twenty minutes, and to
# have seen a Transformer. Exercises are at the end, with solutions.

# %%
import inspect
import math
import re
from contextlib import contextmanager

import torch

import namedtensor as nt
from namedtensor import R, formula
from namedtensor.testing import assert_close
from transformer_named.named_tensors import (
    FFN,
    MHA,
    M,
    P,
    att,
    embed,
    layer,
    lnorm,
    output,
    transformer,
)

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)

# %% [markdown]
# The formulas live in `transformer_named`, and `show` prints them as they stand there. Where a mistake
# is the point of a cell, `refused` catches its error and prints it.


# %%
def show(thing):
    """Print the source of a formula, without its docstring: the equation stands above it."""
    source = inspect.getsource(thing).strip()
    print(re.sub(r'\n    """.*?"""\n*', "\n", source, flags=re.DOTALL))


@contextmanager
def refused():
    """Print the error that the cell is about; complain if there is none."""
    try:
        yield
    except nt.NamedTensorError as error:
        print(f"{type(error).__name__}: {error}")
    else:
        raise AssertionError("this should have been refused")


# %% [markdown]
# ## Axes have names, and no order
#
# The page uses these axes. `seq'`, written `seq_` in Python, is a second copy of `seq`: in attention
# the positions that *ask* run over `seq'` and those that *answer* over `seq`.
#
# | axis | size on the page | here | runs over |
# |---|---|---|---|
# | `seq`, `seq'` | $n$ | 4 | positions in the sentence |
# | `emb` | $d_{\text{model}}$ | 6 | features of a position |
# | `hid` | $d_{\text{ff}}$ | 8 | hidden units |
# | `head` | $h$ | 2 | attention heads |
# | `key` | $d_k$ | 3 | features of queries and keys |
# | `val` | $d_v$ | 5 | features of values |
# | `vocab` | $b$ | 7 | words |
#
# All sizes differ on purpose: an axis in the wrong place cannot fit by luck.

# %%
seq, emb, hid, key, val, head, vocab = nt.axes("seq emb hid key val head vocab")
seq_ = seq.prime
seq_

# %% [markdown]
# Name the axes of an array, and it is a named tensor. Nothing is copied.

# %%
X = nt.tensor(torch.randn(4, 6), seq, emb)
X

# %% [markdown]
# How the numbers lie in memory has no meaning any more: a tensor stored the other way round is the
# same tensor. To leave, you say in which order you want the axes.

# %%
Y = nt.tensor(X.torch(emb, seq).contiguous(), emb, seq)
assert X.shape == Y.shape
assert nt.all[...](X == Y)
X.torch(seq, emb).shape, X.torch(emb, seq).shape

# %% [markdown]
# Three spellings cover the notation:
#
# - an operator with an axis below it is infix: $W \underset{\text{emb}}{\cdot} X$ is `W @ emb @ X`;
# - a function with an axis below it is prefix: $\underset{\text{seq}}{\text{softmax}}\, X$ is `nt.softmax[seq](X)`;
# - a subscript is postfix: $[X]_{\text{seq} \rightarrow \text{seq}'}$ is `X[seq >> seq_]`.
#
# Axes that an operation does not name pass through: it is *lifted* over them.

# %% [markdown]
# ## FFN
#
# As published:
#
# $$\begin{aligned}
# X &\in \mathbb{R}^{\text{emb}:d_{\text{model}}} \\
# W^1 &\in \mathbb{R}^{\text{emb}:d_{\text{model}}, \text{hid}:d_{\text{ff}}} & b^1 &\in \mathbb{R}^{\text{hid}:d_{\text{ff}}} \\
# W^2 &\in \mathbb{R}^{\text{hid}:d_{\text{ff}}, \text{emb}:d_{\text{model}}} & b^2 &\in \mathbb{R}^{\text{hid}:d_{\text{ff}}} \\
# \text{FFN}(X; W, b) &= W^2 \underset{\text{hid}}{\cdot} \text{ReLU}(W^1 \underset{\text{emb}}{\cdot} X + b^1) + b^2
# \end{aligned}$$
#
# Follow the axes from the inside. $W^1 \cdot X$ uses up `emb` and has `hid`; adding $b^1$ keeps it
# so. $W^2 \cdot \ldots$ uses up `hid` and has `emb`. Then $b^2$ is added, which is declared over
# `hid`: the sum has `emb` *and* `hid`, and the network returns a matrix for each position instead of a
# vector.
#
# Written down as published, it does not get past the door. `shape` asks for the shape of the result,
# without any numbers:


# %%
@formula
def published_FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[hid]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


with refused():
    published_FFN.shape("seq[4] emb[6]")

# %% [markdown]
# Every error reads like this one: the call and what is wrong, all the shapes, and what to do.
# Of the two ways out, one is what the authors meant. Mended:
#
# $$b^2 \in \mathbb{R}^{\text{emb}:d_{\text{model}}}$$

# %%
show(FFN)

# %% [markdown]
# What stands before the semicolon in $\text{FFN}(X; W, b)$ stands before the star in Python. What comes
# after it is what a network learns, so it can become the parameters of a torch module, one for each
# letter:

# %%
ffn = FFN.module(emb[6], hid[8])
{name: tuple(parameter.shape) for name, parameter in ffn.named_parameters()}

# %%
ffn(X)

# %% [markdown]
# The formula says what happens to *one* position; `seq` was not in it, so it passed through. By
# position:


# %%
def positional_FFN(X, ffn):
    return torch.relu(X @ ffn.W1 + ffn.b1) @ ffn.W2 + ffn.b2


torch.testing.assert_close(ffn(X).torch(seq, emb), positional_FFN(X.torch(seq, emb), ffn))

# %% [markdown]
# One more axis changes nothing. Here are three sentences at once, and each is treated as if it were
# alone:

# %%
batch = nt.axes("batch")
many = nt.stack[batch](X, 2 * X, -X)
assert_close(ffn(many)[batch(1)], ffn(2 * X))
ffn(many).shape

# %% [markdown]
# ## Masked attention
#
# As published, and right as it stands:
#
# $$\begin{aligned}
# Q &\in \mathbb{R}^{\text{key}:d_k, \text{seq}':n}, K \in \mathbb{R}^{\text{key}:d_k, \text{seq}:n} \\
# V &\in \mathbb{R}^{\text{seq}:n, \text{val}:d_v}, M \in \mathbb{R}^{\text{seq}, \text{seq}'} \\
# \text{att}(Q, K, V, M) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}} \left(\frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{d_k}} + M \right)
# \end{aligned}$$

# %%
show(att)

# %% [markdown]
# `abs(key)` is $|\text{key}|$, the size of the axis at this call: $d_k$ needs no variable.
#
# The mask comes from the next block of the page. It is given by its elements:
#
# $$M_{\text{seq}':i, \text{seq}:j} = \begin{cases} 0 & j \leq i \\ -\infty & \text{otherwise} \end{cases}$$
#
# In Python that is `nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))`. It has no size
# and holds no numbers:

# %%
M

# %% [markdown]
# It takes its sizes from what it meets. Added to zeros, it shows itself: each position of `seq'` sees
# itself and what came before. (The page counts from 1 and Python from 0; for $j \leq i$ it is all the
# same.)

# %%
M + nt.zeros(seq_[4], seq[4])

# %% [markdown]
# Four positions ask, and four answer:

# %%
Q = nt.tensor(torch.randn(4, 3), seq_, key)
K = nt.tensor(torch.randn(4, 3), seq, key)
V = nt.tensor(torch.randn(4, 5), seq, val)

weights = nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key[3])) + M)
words = "the cat sat down".split()
nt.show(weights, rows=seq_, columns=seq, labels={seq: words, seq_: words})

# %% [markdown]
# These are the weights that attention gives to the answers, with words at both axes. Each row sums to 1, because softmax has
# `seq` below it. By position one writes `softmax(..., dim=-1)` and hopes that the last axis is the one
# that answers. Now the whole formula:

# %%
att(Q, K, V, M)


# %%
def positional_att(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -math.inf).softmax(-1) @ V


expected = positional_att(Q.torch(seq_, key), K.torch(seq, key), V.torch(seq, val))
torch.testing.assert_close(att(Q, K, V, M).torch(seq_, val), expected)

# %% [markdown]
# The formula as a picture: each axis is a line of one colour. `key` and `seq` close where they are contracted, a bar
# marks the axis of the softmax, and what runs as one kernel is framed.

# %%
nt.diagram(att)

# %% [markdown]
# ### Many heads for free
#
# Give the queries a `head`, or a `batch` too, and the same formula does multi-head attention. Each
# argument may have the axes it likes, in any order of storage:

# %%
heads = nt.tensor(torch.randn(2, 3, 4), head, key, seq_)
att(heads, K, V, M)

# %% [markdown]
# ### What the names became
#
# Names are gone before a number is computed. A formula is read once, recognised, and turned into
# positional code. This is what ran above: sizes are compared, and then one fused kernel does
# everything. There is no mask left, `is_causal` skips the masked half.

# %%
code = att.code(Q, K, V, M)
assert "is_causal=True" in code
print(code)

# %% [markdown]
# ## Multi-headed self-attention
#
# As published:
#
# $$\begin{aligned}
# W^Q &\in \mathbb{R}^{\text{head}:h, \text{emb}:d_{\text{model}}, \text{key}:d_k} \\
# W^K &\in \mathbb{R}^{\text{head}:h, \text{emb}:d_{\text{model}}, \text{key}:d_k} \\
# W^V &\in \mathbb{R}^{\text{head}:h, \text{emb}:d_{\text{model}}, \text{val}:d_k} \\
# W^O &\in \mathbb{R}^{\text{head}:h, \text{val}:d_k, \text{emb}:d_{\text{model}}} \\
# X &\in \mathbb{R}^{\text{seq}:n, \text{emb}:d_{\text{model}}} \\
# \text{MHA}(X; W) &= \left[W^O \underset{\text{head}, \text{val}}{\cdot} \text{att}(Q, K, V, M) \right]_{\text{seq}' \rightarrow \text{seq}} \\
# Q &= W^Q \underset{\text{emb}}{\cdot} [X]_{\text{seq} \rightarrow \text{seq}'} \\
# K &= W^K \underset{\text{emb}}{\cdot} X \\
# V &= W^V \underset{\text{emb}}{\cdot} X \\
# M_{\text{seq}':i, \text{seq}:j} &= \begin{cases} 0 & j \leq i \\ -\infty & \text{otherwise} \end{cases}
# \end{aligned}$$
#
# Two things to mend. $W^V$ gives `val` the size $d_k$, while `att` declares $\text{val}:d_v$: the two
# meet only if $d_k = d_v$. And $M$ is never declared here; its elements say that it lies in
# $\mathbb{R}^{\text{seq}', \text{seq}}$, which is what `att` wants. Mended:
#
# $$\begin{aligned}
# W^V &\in \mathbb{R}^{\text{head}:h, \text{emb}:d_{\text{model}}, \text{val}:d_v} \\
# W^O &\in \mathbb{R}^{\text{head}:h, \text{val}:d_v, \text{emb}:d_{\text{model}}} \\
# M &\in \mathbb{R}^{\text{seq}':n, \text{seq}:n}
# \end{aligned}$$
#
# The brackets rename axes. Without the first pair, $Q$ would have `seq` where `att` wants `seq'`, and
# each position could only ask itself.

# %%
show(MHA)

# %%
nt.diagram(MHA)

# %% [markdown]
# `head` occurs in no line of `att`, and still each head attends on its own: it is in $Q$, $K$ and $V$,
# so it passes through, until $W^O$ sums over it.

# %%
mha = MHA.module(head[2], emb[6], key[3], val[5])
mha(X)


# %%
def positional_MHA(X, mha):
    Q = torch.einsum("...se,hek->...hsk", X, mha.WQ)
    K = torch.einsum("...se,hek->...hsk", X, mha.WK)
    V = torch.einsum("...se,hev->...hsv", X, mha.WV)
    return torch.einsum("hve,...hsv->...se", mha.WO, positional_att(Q, K, V))


torch.testing.assert_close(mha(X).torch(seq, emb), positional_MHA(X.torch(seq, emb), mha))

# %% [markdown]
# What if one forgets the first pair of brackets? The result lacks the axis that was never made:


# %%
@formula
def forgetful(X: R[seq, emb], *, WQ: R[emb, key], WK: R[emb, key]) -> R[seq, seq_]:
    Q = WQ @ emb @ X
    K = WK @ emb @ X
    return nt.softmax[seq](Q @ key @ K)


with refused():
    forgetful.shape("seq[4] emb[6]")

# %% [markdown]
# ## Layer norm
#
# As published:
#
# $$\begin{aligned}
# X &\in \mathbb{R}^{\text{emb}:d_{\text{model}}} & \gamma, \beta &\in \mathbb{R}^{\text{emb}:d_{\text{model}}} \\
# \text{lnorm}(X; \gamma, \beta) &= \frac{X \underset{\text{emb}}{-} \text{mean}(X)}{\sqrt{\text{var}(X) + \epsilon}} \odot \gamma + \beta
# \end{aligned}$$
#
# Here `emb` has slipped below the minus. A difference is taken element by element and needs no axis; a
# mean without one does not say what it averages:

# %%
with refused():
    X - nt.mean(X)

# %% [markdown]
# It cannot know which of the two is meant. The signature can: `lnorm` is a function of one position, so
# it is `emb`. Mended:
#
# $$\text{lnorm}(X; \gamma, \beta) = \frac{X - \underset{\text{emb}}{\text{mean}}(X)}{\sqrt{\underset{\text{emb}}{\text{var}}(X) + \epsilon}} \odot \gamma + \beta$$

# %%
show(lnorm)

# %% [markdown]
# Each position gets mean 0 and variance 1 (less a trace of $\epsilon$):

# %%
norm = lnorm.module(emb[6])
nt.mean[emb](norm(X)).numpy().round(9), nt.var[emb](norm(X)).numpy().round(4)


# %%
def positional_lnorm(X, norm):
    return torch.nn.functional.layer_norm(X, norm.gamma.shape, norm.gamma, norm.beta, 1e-5)


torch.testing.assert_close(norm(X).torch(seq, emb), positional_lnorm(X.torch(seq, emb), norm))

# %% [markdown]
# ## Words and their positions
#
# As published:
#
# $$\begin{aligned}
# X &\in \{0, 1\}^{\text{seq}:n, \text{vocab}:b} & \sum_{\text{vocab}} X &= 1 \\
# E &\in \mathbb{R}^{\text{vocab} \times v, \text{emb}:d_{\text{model}}} \\
# \text{embed}(X; E) &= (E \underset{\text{vocab}}{\cdot} X) \sqrt{d_{\text{model}}} + P \\
# P &\in \mathbb{R}^{\text{seq}:n, \text{hidden}:d_{\text{model}}} \\
# P_{\text{hidden}:i, \text{seq}:p} &= \begin{cases} \sin((p-1)/10000^{(i-1)/d_{\text{model}}}) & i \text{ odd} \\ \cos((p-1)/10000^{(i-2)/d_{\text{model}}}) & i \text{ even} \end{cases}
# \end{aligned}$$
#
# Two slips. An axis is written $\text{vocab}:b$, and $\text{vocab} \times v$ is none. And $P$ runs over
# `hidden`, an axis that occurs nowhere else, but is added to something with `emb`. Nothing connects
# the two, so the sum would have both, a matrix for each word:

# %%
hidden = nt.axes("hidden")
(X + P(seq, hidden[6])).shape

# %% [markdown]
# Said once in a signature, it is caught:


# %%
@formula
def published_embed(X: R[seq, vocab], *, E: R[vocab, emb]) -> R[seq, emb]:
    return (E @ vocab @ X) * nt.sqrt(abs(emb)) + P(seq, hidden[6])


with refused():
    published_embed.shape("seq[4] vocab[7]", E="vocab[7] emb[6]")

# %% [markdown]
# Mended:
#
# $$\begin{aligned}
# E &\in \mathbb{R}^{\text{vocab}:b, \text{emb}:d_{\text{model}}} \\
# P &\in \mathbb{R}^{\text{seq}:n, \text{emb}:d_{\text{model}}} \\
# P_{\text{emb}:i, \text{seq}:p} &= \begin{cases} \sin((p-1)/10000^{(i-1)/d_{\text{model}}}) & i \text{ odd} \\ \cos((p-1)/10000^{(i-2)/d_{\text{model}}}) & i \text{ even} \end{cases}
# \end{aligned}$$
#
# Python counts from 0, so $p-1$ is `p`, and an odd $i$ is an even `i`.

# %%
show(P)

# %%
P(seq[4], emb[6])

# %% [markdown]
# From one pair of features to the next the waves get longer. Now the words. $X$ has a single 1 for each
# position, which is how a lookup in $E$ becomes a contraction.

# %%
words = "the cat sat on a mat .".split()
I = nt.one_hot(nt.tensor(torch.tensor([0, 1, 2, 3]), seq), vocab[len(words)])
I

# %%
assert nt.all[...](nt.sum[vocab](I) == 1)
show(embed)

# %%
embedding = embed.module(vocab[7], emb[6])
embedding(I)


# %%
def positional_embed(words, embedding):
    n, d = len(words), embedding.E.shape[1]
    p = torch.arange(n)[:, None]
    i = torch.arange(0, d, 2)
    P = torch.zeros(n, d)
    P[:, 0::2] = torch.sin(p / 10000 ** (i / d))
    P[:, 1::2] = torch.cos(p / 10000 ** (i / d))
    return torch.nn.functional.embedding(words, embedding.E) * math.sqrt(d) + P


expected = positional_embed(torch.tensor([0, 1, 2, 3]), embedding)
torch.testing.assert_close(embedding(I).torch(seq, emb), expected)

# %% [markdown]
# ## The whole Transformer
#
# As published:
#
# $$\begin{aligned}
# I &\in \{0, 1\}^{\text{seq}:n, \text{vocab}:b} & \sum_{\text{vocab}} X &= 1 \\
# X^0 &= \text{embed}(I) \\
# T^1 &= \text{lnorm}(\text{MHA}(X^0)) + X^0 \\
# X^1 &= \text{lnorm}(\text{FFN}(T^1)) + T^1 \\
# &\vdots \\
# T^L &= \text{lnorm}(\text{MHA}(X^{L-1})) + X^{L-1} \\
# X^L &= \text{lnorm}(\text{FFN}(T^L)) + T^L \\
# O &= \text{softmax}(W \underset{\text{vocab}}{\cdot} \underset{\text{emb}}{X^L})
# \end{aligned}$$
#
# The last line contracts over `vocab`, which $X^L$ does not have. Its axes were `seq` and `emb` all along:

# %%
W = nt.tensor(torch.randn(7, 6), vocab, emb)
with refused():
    W @ vocab @ X

# %% [markdown]
# Put `emb` below the dot instead of below $X^L$, and it fits. `vocab` then belongs below the softmax,
# which has no axis on the page: $O$ is to give probabilities of words. Three smaller things: $W$ is
# never declared, the functions have lost their parameters (each layer has its own), and it is $I$ that
# sums to 1, as no $X$ is in sight. Mended:
#
# $$\begin{aligned}
# I &\in \{0, 1\}^{\text{seq}:n, \text{vocab}:b} & \sum_{\text{vocab}} I &= 1 \\
# W &\in \mathbb{R}^{\text{vocab}:b, \text{emb}:d_{\text{model}}} \\
# X^0 &= \text{embed}(I; E) \\
# T^l &= \text{lnorm}(\text{MHA}(X^{l-1}; W^l); \gamma^l, \beta^l) + X^{l-1} & l &= 1, \ldots, L \\
# X^l &= \text{lnorm}(\text{FFN}(T^l; V^l, b^l); \eta^l, \delta^l) + T^l \\
# O &= \underset{\text{vocab}}{\text{softmax}}(W \underset{\text{emb}}{\cdot} X^L)
# \end{aligned}$$
#
# In Python a formula can take the parameters of another, all under one name: `mha: MHA`.

# %%
show(layer)

# %% [markdown]
# Where the norm stands is a choice. This page puts it between the sub-layer and the sum; the
# published Transformer puts it after the sum, which is `placement="post"`.

# %%
show(output)

# %%
show(transformer)

# %% [markdown]
# As an equation, the loop over the layers is the series that the document writes with dots:

# %%
transformer

# %% [markdown]
# Two layers, and the words *the cat sat on* go in. For each position out come the probabilities of the
# word that follows it:

# %%
sizes = vocab[7], emb[6], hid[8], head[2], key[3], val[5]
model = transformer.module(*sizes, embed=embedding, layers=2)
O = model(I)
O


# %%
def positional_transformer(words, model):
    X = positional_embed(words, model.embed)
    for step in model.layers:
        T = positional_lnorm(positional_MHA(X, step.mha), step.mha_norm) + X
        X = positional_lnorm(positional_FFN(T, step.ffn), step.ffn_norm) + T
    return torch.softmax(X @ model.output.W.T, -1)


expected = positional_transformer(torch.tensor([0, 1, 2, 3]), model)
torch.testing.assert_close(O.torch(seq, vocab), expected)

# %% [markdown]
# Does the mask do its work? Change the last word, and only the last position may notice:

# %%
changed = nt.one_hot(nt.tensor(torch.tensor([0, 1, 2, 6]), seq), vocab[7])
difference = model(changed) - O
nt.max[vocab](nt.abs(difference))

# %%
assert nt.max[...](nt.abs(difference[seq[:3]])) < 1e-12

# %% [markdown]
# ## It learns
#
# Everything above is plain torch below the names, so gradients flow and optimisers work. Teach it one
# sentence: after each word, the next.

# %%
sentence = nt.tensor(torch.arange(7), seq)
asked = nt.one_hot(sentence[seq[:-1]], vocab[7])
answers = nt.one_hot(sentence[seq[1:]], vocab[7])
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for _ in range(60):
    O = model(asked)
    loss = -nt.mean[seq](nt.log(O @ vocab @ answers))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

said = nt.argmax_index[vocab](model(asked))
print("the", *[words[i] for i in said.torch(seq)])

# %%
assert nt.all[...](said == sentence[seq[1:]])

# %% [markdown]
# ## What the names found
#
# | formula | as published | mended | how one sees it |
# |---|---|---|---|
# | FFN | $b^2$ over `hid` | over `emb` | the result gains an axis |
# | att, MHA | $W^V$ gives $\text{val}:d_k$, att takes $\text{val}:d_v$ | $d_v$ | one axis, two sizes |
# | MHA | $M$ undeclared | $M \in \mathbb{R}^{\text{seq}', \text{seq}}$ | from its indices |
# | lnorm | `emb` below the minus | below mean and var | a mean over nothing |
# | embed | $\text{vocab} \times v$ | $\text{vocab}:b$ | no such axis |
# | embed | $P$ over `hidden` | over `emb` | an axis that occurs nowhere else |
# | Transformer | $\sum_{\text{vocab}} X = 1$ | $I$ | no $X$ in sight |
# | Transformer | contraction over `vocab`, `emb` below $X^L$ | contraction over `emb` | $X^L$ has no `vocab` |
# | Transformer | softmax of no axis | over `vocab` | $O$ gives probabilities of words |
# | Transformer | $W$ undeclared, functions without parameters | declared and bound | |
#
# One place looks suspicious and is right: nothing defines $X^{L-1}$ by that name. It is reached through
# the dots.

# %% [markdown]
# ## Exercises
#
# - **a.** Which axes has `MHA(X)` for `X` over `batch[3] seq[4] emb[6]`? Guess, then ask `MHA.shape`.
# - **b.** Write `near`, a mask under which each position sees itself and the one before it, and nothing else. Which
#   weights does softmax give where all scores are equal?
# - **c.** Write `rms`, the norm of later models, which subtracts no mean:
#   $\text{rms}(X; \gamma) = \frac{X}{\sqrt{\underset{\text{emb}}{\text{mean}}(X \odot X) + \epsilon}} \odot \gamma$.
#   Compare with `torch.nn.functional.rms_norm`.
# - **d.** Attend with zeros in place of the mask `M`, and change the values `V` of the last position. Which positions notice?

# %% [markdown]
# ## Solutions
#
# **a.** `batch` passes through; `seq'` and `head` come and go inside.

# %%
assert MHA.shape("batch[3] seq[4] emb[6]") == nt.Shape("batch[3] seq[4] emb[6]")

# %% [markdown]
# **b.** The first position sees one, with weight 1, and all others two, with weight a half each:

# %%
near = nt.define[seq_, seq](lambda i, j: nt.where((j <= i) & (j >= i - 1), 0.0, -nt.inf))
nt.softmax[seq](near + nt.zeros(seq_[4], seq[4]))


# %% [markdown]
# **c.** The formula, and the same by position:


# %%
@formula
def rms(X: R[emb], *, gamma: R[emb]) -> R[emb]:
    return X / nt.sqrt(nt.mean[emb](X * X) + 1e-5) * gamma


gamma = nt.tensor(torch.randn(6), emb)
by_position = torch.nn.functional.rms_norm(X.torch(seq, emb), (6,), gamma.torch(emb), 1e-5)
torch.testing.assert_close(rms(X, gamma=gamma).torch(seq, emb), by_position)

# %% [markdown]
# **d.** All of them:

# %%
none = nt.zeros(seq_[4], seq[4], backend="torch")
difference = att(Q, K, V.at[seq(3)].add(1.0), none) - att(Q, K, V, none)
assert nt.all[...](nt.norm[val](difference) > 0)
nt.norm[val](difference)
