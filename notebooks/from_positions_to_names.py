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
# # From einsum, einops and positional torch to names
#
# Fifteen snippets as they stand in real code, each beside the same thing by name. After this notebook you can
#
# 1. **read positional code** and say which axis each number and letter means,
# 2. **write it by name**, and check that both give the same numbers,
# 3. **go back**: `.code` prints the positional code that a formula becomes.
#
# Every pair is compared when the notebook runs.

# %%
import math

import einops
import torch
import torch.nn.functional as F

import namedtensor as nt
from namedtensor import R, formula

torch.manual_seed(0)
batch, seq, emb, hid, key, val, head, layer, vocab, chans, height, width, kernel = nt.axes(
    "batch seq emb hid key val head layer vocab chans height width kernel"
)
seq_ = seq.prime

x = torch.randn(2, 5, 6)  # batch, seq, emb: a comment that nothing checks
X = nt.tensor(x, batch, seq, emb)  # the same, said once


def same(named, order, positional):
    """Complain unless a named tensor has these numbers in this order of axes."""
    torch.testing.assert_close(named.torch(order), positional)


# %% [markdown]
# ## Sums, means, softmax: `dim=`
#
# **1. A mean over positions.** `dim=1` is the second axis of whatever comes in.

# %%
same(nt.mean[seq](X), "batch emb", x.mean(dim=1))

# %% [markdown]
# **2. A softmax over the last axis.** `dim=-1` is right as long as nobody moves it.

# %%
same(nt.softmax[emb](X), "batch seq emb", x.softmax(dim=-1))

# %% [markdown]
# **3. Keeping a dimension so that it broadcasts.** Names broadcast by themselves: `keepdim` has no counterpart.

# %%
same(X - nt.mean[emb](X), "batch seq emb", x - x.mean(dim=-1, keepdim=True))

# %% [markdown]
# ## Products: `@`, `bmm`, `einsum`
#
# **4. A linear map.** `@` takes the last axis of the left and the last but one of the right operand. The axis
# between two `@` is the one that goes away:

# %%
w = torch.randn(6, 8)
W = nt.tensor(w, emb, hid)
same(W @ emb @ X, "batch seq hid", x @ w)
same(W @ emb @ X, "batch seq hid", torch.einsum("bse,eh->bsh", x, w))

# %% [markdown]
# **5. A Gram matrix.** The second copy of an axis has a prime, in place of a second letter.

# %%
gram = torch.einsum("bie,bje->bij", x, x)
same(X[seq >> seq_] @ emb @ X, "batch seq' seq", gram)

# %% [markdown]
# **6. A product of three.** The order of multiplication is found, as `torch.einsum` and `opt_einsum` do.

# %%
u, v = torch.randn(3, 6), torch.randn(4, 5)
U, V = nt.tensor(u, "row emb"), nt.tensor(v, "col seq")
same(nt.dot[emb, seq](U, X, V), "batch row col", torch.einsum("re,bse,cs->brc", u, x, v))

# %% [markdown]
# **7. A trace and a diagonal.** A letter that stands twice in one operand of `einsum` is a diagonal: a trap when it
# is a slip. By name it has a name.

# %%
a = torch.randn(2, 4, 4)
A = nt.tensor(a, "batch row col")
same(nt.trace["row", "col"](A), "batch", torch.einsum("bii->b", a))
same(nt.diag["row", "col"](A), "batch row", torch.einsum("bii->bi", a))

# %% [markdown]
# ## Reshaping: `view`, `transpose`, einops
#
# **8. Splitting heads.** `view` and `transpose` say sizes and places; einops says names that live for one call;
# named axes keep theirs.

# %%
q = torch.randn(2, 5, 12)
Q = nt.tensor(q, batch, seq, layer)
by_view = q.view(2, 5, 3, 4).transpose(1, 2)
by_einops = einops.rearrange(q, "b s (h k) -> b h s k", h=3)
split = Q[layer >> (head[3], key[4])]
same(split, "batch head seq key", by_view)
same(
    Q.rearrange("batch seq (head key) -> batch head seq key", head=3),
    "batch head seq key",
    by_einops,
)

# %% [markdown]
# **9. Joining them again.** `contiguous()` is nobody's business by name.

# %%
joined = by_view.transpose(1, 2).contiguous().view(2, 5, 12)
same(split[(head, key) >> layer], "batch seq layer", joined)

# %% [markdown]
# **10. Patches of an image.** The pattern of a vision Transformer:

# %%
image = torch.randn(2, 3, 8, 8)
I = nt.tensor(image, batch, chans, height, width)
patches = einops.rearrange(image, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
h, w, p, q = nt.axes("h w p q")
named = I[height >> (h[2], p[4])][width >> (w[2], q[4])][(h, w) >> seq][(p, q, chans) >> emb]
same(named, "batch seq emb", patches)

# %% [markdown]
# ## Indexing: `gather`, `index_select`, masks
#
# **11. An embedding.**

# %%
table, words = torch.randn(7, 6), torch.tensor([[1, 2, 3], [4, 5, 6]])
E, w_ = nt.tensor(table, vocab, emb), nt.tensor(words, batch, seq)
same(E[vocab(w_)], "batch seq emb", table[words])

# %% [markdown]
# **12. The score of each right word.** `gather` needs an index with as many axes as the data, hence `unsqueeze` and
# `squeeze`; an index by name lifts over all others.

# %%
scores, target = torch.randn(2, 5, 7), torch.randint(7, (2, 5))
S, T = nt.tensor(scores, batch, seq, vocab), nt.tensor(target, batch, seq)
picked = scores.gather(-1, target.unsqueeze(-1)).squeeze(-1)
same(S[vocab(T)], "batch seq", picked)

# %% [markdown]
# **13. A padding mask.** Count the `None`: each stands for an axis that the reader must guess.

# %%
lengths = torch.tensor([3, 5])
mask = torch.arange(5)[None, :] < lengths[:, None]
L = nt.tensor(lengths, batch)
same(nt.iota(seq[5]) < L, "batch seq", mask)
masked = x.masked_fill(~mask[:, :, None], 0.0)
same(nt.where(nt.iota(seq[5]) < L, X, 0.0), "batch seq emb", masked)

# %% [markdown]
# ## Whole layers
#
# **14. Attention.** By position, as it is often written:


# %%
def positional_attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return F.softmax(scores, dim=-1) @ v


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    """Attention."""
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 6)
Q, K, V = (
    nt.tensor(q, batch, head, seq_, key),
    nt.tensor(k, batch, head, seq, key),
    nt.tensor(v, batch, head, seq, val),
)
same(att(Q, K, V), "batch head seq' val", positional_attention(q, k, v))

# %% [markdown]
# The formula becomes positional code again, with the kernel that you would have had to know:

# %%
print(att.code(Q, K, V))

# %%
nt.diagram(att)

# %% [markdown]
# **15. A convolution.** `F.conv1d` knows the order *batch, channels, length*; the formula knows the names.

# %%
signal, filters = torch.randn(2, 3, 10), torch.randn(4, 3, 3)


@formula
def conv(X: R[chans, seq], *, W: R["chans'", chans, kernel]) -> R["chans'", seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel](X)


C, W = nt.tensor(signal, batch, chans, seq), nt.tensor(filters, "chans' chans kernel")
same(conv(C, W=W), "batch chans' seq", F.conv1d(signal, filters))
print(conv.code(C, W=W))

# %% [markdown]
# ## Exercises
#
# Write by name, and check with `same`:
#
# **a.** `torch.einsum("bse,bte->st", x, x)`. **b.** `x.flatten(1, 2)`. **c.** `x.cumsum(1)[:, -1]`. **d.** `x / x.norm(dim=2, keepdim=True)`.
#
# And the other way: what does **e.** `torch.einsum("bhqk,bkhd->bqhd", p, v)` mean?

# %% [markdown]
# ## Solutions

# %%
same(X[seq >> seq_] @ (batch, emb) @ X, "seq' seq", torch.einsum("bse,bte->st", x, x))
same(X[(seq, emb) >> layer], "batch layer", x.flatten(1, 2))
same(nt.sum[seq](X), "batch emb", x.cumsum(1)[:, -1])
same(X / nt.norm[emb](X), "batch seq emb", x / x.norm(dim=2, keepdim=True))

# %% [markdown]
# **e.** The second half of attention: `P @ seq @ V`, with `P` over batch, head, seq' and seq, and `V` over batch, seq,
# head and val. The letters `q` and `d` were seq' and val, and nothing said so.

# %%
p, v = torch.rand(2, 3, 5, 7), torch.randn(2, 7, 3, 6)
P, V = nt.tensor(p, batch, head, seq_, seq), nt.tensor(v, batch, seq, head, val)
same(P @ seq @ V, "batch seq' head val", torch.einsum("bhqk,bkhd->bqhd", p, v))
