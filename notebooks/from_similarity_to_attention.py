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
# # From similarity to attention
#
# After this notebook you can
#
# 1. **say what each position sees** in a recurrent network, in a convolution and in attention, and draw it,
# 2. **derive attention** from the similarity of a query with its keys,
# 3. **tell v1 from v2**: where the norm stands, and how gradients travel under each placement, plotted.
#
# The formulas are those of `transformer_named`: documents 003 and 004 in their own letters.

# %%
import matplotlib.pyplot as plt
import torch

import namedtensor as nt
from transformer_named import introduction
from transformer_named.attention_notes import CNN, RNN

torch.manual_seed(0)
seq, emb, key, hid = nt.axes("seq emb key hid")
seq_ = seq.prime
words = "the cat sat on the warm mat".split()
X = nt.tensor(torch.randn(len(words), 6), seq, emb)

# %% [markdown]
# ## 1. What each position sees
#
# A position sees another if its result depends on it. That is a derivative: `nt.derivative` gives a tensor with the
# axes of the result and, starred, those of the input. We take its length over the features, so that one number is left
# for each pair: *how much does the result at* `seq` *change with the input at* `seq*`?


# %%
def seen(f, out):
    """Give how much the result at each position depends on the input at each other."""
    return nt.norm[out, emb.star](nt.derivative(f)(X))


def picture(dependence):
    return nt.show(dependence, rows=seq, columns=seq.star, labels={seq: words, seq.star: words})


# %% [markdown]
# **A recurrent network** reads one word after the other. Each position sees what came before it, and the further
# back, the less:

# %%
RNN

# %%
W, U = nt.tensor(0.4 * torch.randn(6, 5), emb, hid), nt.tensor(0.5 * torch.eye(5), hid, hid.prime)
start = nt.tensor(torch.zeros(5), hid)
by_rnn = seen(lambda X: RNN(X, start, W=W, U=U), hid)
picture(by_rnn)

# %% [markdown]
# **A convolution** sees its neighbours, all at once and none further away:

# %%
CNN

# %%
W3, b = nt.tensor(torch.randn(3, 6, 5), "kernel emb hid"), nt.tensor(torch.ones(5), hid)
by_cnn = seen(lambda X: CNN(X, W=W3, b=b), hid)
picture(by_cnn)

# %% [markdown]
# **Attention** sees everything in one step, and chooses. It starts from a similarity: the dot of a query with each key,
# made positive and summing to 1.

# %%
WQ, WK = nt.tensor(torch.randn(6, 4), emb, key), nt.tensor(torch.randn(6, 4), emb, key)
similarity = (WQ @ emb @ X[seq >> seq_]) @ key @ (WK @ emb @ X)
nt.show(similarity, rows=seq_, columns=seq, labels={seq: words, seq_: words})

# %%
weights = nt.softmax[seq](similarity / 2.0)
nt.show(weights, rows=seq_, columns=seq, labels={seq: words, seq_: words})


# %%
def attend(X):
    scores = (WQ @ emb @ X[seq >> seq_]) @ key @ (WK @ emb @ X)
    return (nt.softmax[seq](scores / 2.0) @ seq @ X)[seq_ >> seq]


by_attention = nt.norm[emb, emb.star](nt.derivative(attend)(X))
picture(by_attention)

# %% [markdown]
# The three in numbers: how many pairs depend on each other at all?

# %%
counts = {
    name: int((d.torch(seq, seq.star) > 1e-9).sum())
    for name, d in (("RNN", by_rnn), ("CNN", by_cnn), ("attention", by_attention))
}
assert counts == {"RNN": 28, "CNN": 19, "attention": 49}
counts

# %% [markdown]
# ## 2. v1 and v2: where the norm stands
#
# Document 003 has two settings of the same layer, which adds what a function $F$ makes of $H$ to $H$ itself. In v1 the norm
# stands after the sum, so that every gradient must pass through every norm; in v2 it stands before $F$, and the sums are a
# way from the end to the beginning that nothing interrupts.
#
# $$\text{v1:}\quad H \leftarrow \text{LN}(H + F(H)) \qquad\qquad \text{v2:}\quad H \leftarrow H + F(\text{LN}(H))$$
#
# We stack 24 layers of each and look at the gradient that arrives at every layer.

# %%
DEPTH = 24
sizes = nt.axes("emb[16] emb'[16] key[8] hid[32]")


def gradients(setting, depth=DEPTH):
    """Give the length of the loss's gradient at the input of each layer."""
    torch.manual_seed(1)
    layers = [introduction.encoder_layer.module(*sizes, setting=setting) for _ in range(depth)]
    H = nt.tensor(torch.randn(8, 16), seq, emb)
    held = []
    for layer in layers:
        data = H.torch(seq, emb).detach().requires_grad_() if not held else H.torch(seq, emb)
        data.requires_grad_() if data.is_leaf else data.retain_grad()
        held.append(data)
        H = layer(nt.tensor(data, seq, emb))
    target = torch.randn(8, 16)
    ((H.torch(seq, emb) - target) ** 2).mean().backward()
    return [float(data.grad.norm()) for data in held]


by_setting = {setting: gradients(setting) for setting in ("v1", "v2")}
figure, place = plt.subplots(figsize=(6, 3))
for setting, lengths in by_setting.items():
    place.semilogy(range(1, DEPTH + 1), lengths, marker=".", label=setting)
place.set_xlabel("layer")
place.set_ylabel("length of the gradient")
place.legend()
place.set_title("The gradient at the input of each layer")
plt.show()

# %% [markdown]
# From the last layer back to the first, how much of the gradient is left?

# %%
left = {setting: round(lengths[0] / lengths[-1], 4) for setting, lengths in by_setting.items()}
assert left["v1"] < 0.5 < left["v2"]
left

# %% [markdown]
# Under v1 every norm divides by the length of the sum, and what arrives at the first layer is a fraction of what left
# the last; under v2 the shortcut adds to it on the way down. [Xiong et al.](https://arxiv.org/abs/2002.04745) trace
# to this that v1 needs a warm-up of the learning rate, and v2 does not.
#
# ## Exercises
#
# - **a.** Draw what each position sees in *two* convolutions, one after the other (the second with `hid` in and out).
# - **b.** Mask the attention so that each position sees itself and what came before. How many pairs are left?
# - **c.** What becomes of the gradients of v1 with 4 layers instead of 24? (`gradients("v1", 4)`)

# %% [markdown]
# ## Solutions
#
# **a.** Two neighbours to each side: the second convolution sees what the first has seen.

# %%
again = nt.tensor(torch.randn(3, 5, 5), "kernel emb hid")
twice = seen(lambda X: CNN(CNN(X, W=W3, b=b)[hid >> emb], W=again, b=b), hid)
assert int((twice.torch(seq, seq.star) > 1e-9).sum()) == 29
picture(twice)

# %% [markdown]
# **b.** A half and the diagonal, as many as the recurrent network has:

# %%
M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def attend_back(X):
    scores = (WQ @ emb @ X[seq >> seq_]) @ key @ (WK @ emb @ X)
    return (nt.softmax[seq](scores / 2.0 + M) @ seq @ X)[seq_ >> seq]


back = nt.norm[emb, emb.star](nt.derivative(attend_back)(X))
assert int((back.torch(seq, seq.star) > 1e-9).sum()) == 28
picture(back)

# %% [markdown]
# **c.** With few norms on the way, nothing is lost: as much arrives at the first layer as at the last.

# %%
shallow = gradients("v1", 4)
assert shallow[0] / shallow[-1] > 0.9
round(shallow[0] / shallow[-1], 2)
