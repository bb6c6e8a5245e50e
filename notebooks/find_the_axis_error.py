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
# # Find the axis error
#
# Ten formulas, five in Python and five in LaTeX, each with one fault in its axes. After this notebook you can
#
# 1. **read an axis error**: which call, which axis, whose shapes, what to type,
# 2. **mend it**, and know which of two ways out is meant,
# 3. **tell what names cannot find**: two of the ten run without any complaint and compute something else.
#
# Every fault comes from a paper, a lecture or working code. Mend the cell, run it again, and its last line
# tells whether you are right: it compares with the same thing written by position. The solutions are at the
# end.

# %%
import numpy as np

import namedtensor as nt
from namedtensor import R, formula

seq, emb, hid, key, val, head, vocab = nt.axes("seq emb hid key val head vocab")
seq_ = seq.prime
rng = np.random.default_rng(0)
sizes = {"seq": 4, "seq'": 4, "emb": 6, "hid": 8, "key": 3, "val": 5, "head": 2, "vocab": 7}


def drawn(*axes):
    """Draw a tensor of these axes."""
    names = [axis.name for axis in axes]
    return nt.tensor(rng.normal(size=[sizes[name] for name in names]), *names)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# %% [markdown]
# `grade` calls a formula and compares. It is strict: the axes must be right and every number too.

# %%
grades = {}


def grade(number, f, *given, by_position, order):
    """Say whether a formula gives the axes and numbers that it should; give its error if it has one."""
    grades[number] = False
    try:
        found = f(*given)
    except nt.NamedTensorError as error:
        print(error)
        return
    if set(found.axes) != set(order.split()):
        print(f"{number}: the result has the axes {found.shape}, and it should have {order}")
    elif not np.allclose(found.numpy(order), by_position):
        print(f"{number}: the axes are right, and the numbers are not")
    else:
        grades[number] = True
        print(f"{number}: right")


def grade_latex(number, text, name, *given, by_position, order):
    """Check a document, show its findings, then grade its formula."""
    document = nt.latex.read(text)
    findings = document.check()
    if findings:
        grades[number] = False
        print(*findings, sep="\n")
    else:
        grade(number, document[name], *given, by_position=by_position, order=order)


# %% [markdown]
# ## Python
#
# ### 1. A bias
#
# A feed-forward network maps `emb` to `hid` and back. Read the error: what is declared does not fit what is
# given. Which of the two is right? (Ask what the result would be: `FFN.shape(b2="hid")`.)

# %%
X, W1, b1, W2 = drawn(seq, emb), drawn(emb, hid), drawn(hid), drawn(hid, emb)
b2 = drawn(emb)
feed_forward = (
    np.maximum(X.numpy(seq, emb) @ W1.numpy(emb, hid) + b1.numpy(), 0) @ W2.numpy(hid, emb)
    + b2.numpy()
)


@formula
def FFN(X: R[emb], W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[hid]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


grade(1, FFN, X, W1, b1, W2, b2, by_position=feed_forward, order="seq emb")

# %% [markdown]
# ### 2. A projection
#
# Which axis do `W` and `X` share?

# %%
W = drawn(emb, key)


@formula
def queries(X: R[emb], W: R[emb, key]) -> R[key]:
    return W @ key @ X


grade(2, queries, X, W, by_position=X.numpy(seq, emb) @ W.numpy(emb, key), order="seq key")

# %% [markdown]
# ### 3. Attention that sums to 1 the wrong way
#
# This one runs. The weights that a position of `seq'` gives to all of `seq` must sum to 1; what sums to 1
# here?

# %%
Q, K, V = drawn(seq_, key), drawn(seq, key), drawn(seq, val)
scores = Q.numpy("seq' key") @ K.numpy("seq key").T / np.sqrt(3)
attended = softmax(scores, 1) @ V.numpy("seq val")


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq_](Q @ key @ K / nt.sqrt(abs(key)))


grade(3, att, Q, K, V, by_position=attended, order="seq' val")

# %% [markdown]
# ### 4. A normalisation
#
# This one runs too. Layer normalisation makes the features of *each position* have mean 0 and variance 1.

# %%
x = X.numpy(seq, emb)
normed = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


@formula
def lnorm(X: R[seq, emb]) -> R[seq, emb]:
    return (X - nt.mean[seq](X)) / nt.sqrt(nt.var[seq](X) + 1e-5)


grade(4, lnorm, X, by_position=normed, order="seq emb")

# %% [markdown]
# ### 5. Everyone asks only himself
#
# Self-attention asks with a copy of the positions. Without it, there is one `seq` where there should be two.

# %%
WQ, WK = drawn(emb, key), drawn(emb, key)
asked, answered = x @ WQ.numpy(emb, key), x @ WK.numpy(emb, key)


@formula
def scores_of(X: R[seq, emb], WQ: R[emb, key], WK: R[emb, key]) -> R[seq_, seq]:
    Q = WQ @ emb @ X
    K = WK @ emb @ X
    return Q @ key @ K


grade(5, scores_of, X, WQ, WK, by_position=asked @ answered.T, order="seq' seq")

# %% [markdown]
# ## LaTeX
#
# A document is checked as code is; the caret stands below the fault.
#
# ### 6. The wrong axis under the dot

# %%
attention = r"""
$$\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{key}} \\
K &\in \mathbb{R}^{\text{seq}, \text{key}} \\
V &\in \mathbb{R}^{\text{seq}, \text{val}} \\
\text{att}(Q, K, V) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}}
  \left( \frac{Q \underset{\text{val}}{\cdot} K}{\sqrt{|\text{key}|}} \right)
\end{aligned}$$
"""
grade_latex(6, attention, "att", Q, K, V, by_position=attended, order="seq' val")

# %% [markdown]
# ### 7. A declaration that does not fit
#
# As it was published.

# %%
published = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{emb}} \\
A &\in \mathbb{R}^{\text{emb}, \text{hid}} & a &\in \mathbb{R}^{\text{hid}} \\
B &\in \mathbb{R}^{\text{hid}, \text{emb}} & b &\in \mathbb{R}^{\text{hid}} \\
\text{FFN}(X, A, a, B, b) &= B \underset{\text{hid}}{\cdot} \text{ReLU}(A \underset{\text{emb}}{\cdot} X + a) + b
\end{aligned}$$
"""
grade_latex(7, published, "FFN", X, W1, b1, W2, b2, by_position=feed_forward, order="seq emb")

# %% [markdown]
# ### 8. A mean over an axis that is not there

# %%
centred = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{emb}} \\
\text{center}(X) &= X - \underset{\text{hid}}{\text{mean}} X
\end{aligned}$$
"""
grade_latex(8, centred, "center", X, by_position=x - x.mean(1, keepdims=True), order="seq emb")

# %% [markdown]
# ### 9. A softmax over nothing
#
# By position one would write `dim=-1` and hope.

# %%
Z = drawn(seq, vocab)
predicted = r"""
$$\begin{aligned}
Z &\in \mathbb{R}^{\text{vocab}} \\
\text{predict}(Z) &= \text{softmax}(Z)
\end{aligned}$$
"""
grade_latex(
    9, predicted, "predict", Z, by_position=softmax(Z.numpy(seq, vocab), 1), order="seq vocab"
)

# %% [markdown]
# ### 10. The output layer
#
# As it was published, but for the softmax: the contraction is over `vocab`, which $X$ does not have.

# %%
U = drawn(vocab, emb)
output = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{emb}} \\
U &\in \mathbb{R}^{\text{vocab}, \text{emb}} \\
\text{output}(X, U) &= U \underset{\text{vocab}}{\cdot} X
\end{aligned}$$
"""
grade_latex(10, output, "output", X, U, by_position=x @ U.numpy(emb, vocab), order="seq vocab")

# %%
print(f"{sum(grades.values())} of {len(grades)} right")

# %% [markdown]
# ## Solutions
#
# Try first! Each solution is graded by the same tests.
#
# **1.** $b^2$ is added to a tensor of `emb`, so it has `emb`. (One could also drop the second contraction, but
# then the result would not be an `emb`.)


# %%
@formula
def FFN(X: R[emb], W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


grade(1, FFN, X, W1, b1, W2, b2, by_position=feed_forward, order="seq emb")

# %% [markdown]
# **2.** The axis under the dot is the one that goes away: `emb`.


# %%
@formula
def queries(X: R[emb], W: R[emb, key]) -> R[key]:
    return W @ emb @ X


grade(2, queries, X, W, by_position=X.numpy(seq, emb) @ W.numpy(emb, key), order="seq key")

# %% [markdown]
# **3.** The weights over `seq` sum to 1, and `seq` is what the values are summed over. Names cannot know which of
# two axes is meant, but they say it where you can read it. A picture helps: each row must sum to 1.


# %%
@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


grade(3, att, Q, K, V, by_position=attended, order="seq' val")
nt.show(nt.softmax[seq](Q @ key @ K / np.sqrt(3)), rows=seq_, columns=seq)

# %% [markdown]
# **4.** Over the features of a position, which is `emb`. Declared as `R[emb]`, the formula could not even see
# `seq`, and the fault would be an error: say no more than a formula needs.


# %%
@formula
def lnorm(X: R[emb]) -> R[emb]:
    return (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 1e-5)


grade(4, lnorm, X, by_position=normed, order="seq emb")

# %% [markdown]
# **5.** Rename the positions that ask.


# %%
@formula
def scores_of(X: R[seq, emb], WQ: R[emb, key], WK: R[emb, key]) -> R[seq_, seq]:
    Q = WQ @ emb @ X[seq >> seq_]
    K = WK @ emb @ X
    return Q @ key @ K


grade(5, scores_of, X, WQ, WK, by_position=asked @ answered.T, order="seq' seq")

# %% [markdown]
# **6** to **10.** `key` under the dot; $b$ over `emb`; the mean over `emb`; `vocab` under the softmax; `emb` under
# the dot.

# %%
right = r"\underset{\text{emb}}{\cdot}"
mended = attention.replace(r"Q \underset{\text{val}}{\cdot}", r"Q \underset{\text{key}}{\cdot}")
grade_latex(6, mended, "att", Q, K, V, by_position=attended, order="seq' val")
mended = published.replace(r"b &\in \mathbb{R}^{\text{hid}}", r"b &\in \mathbb{R}^{\text{emb}}")
grade_latex(7, mended, "FFN", X, W1, b1, W2, b2, by_position=feed_forward, order="seq emb")
mended = centred.replace("hid", "emb")
grade_latex(8, mended, "center", X, by_position=x - x.mean(1, keepdims=True), order="seq emb")
mended = predicted.replace(r"\text{softmax}", r"\underset{\text{vocab}}{\text{softmax}}")
grade_latex(9, mended, "predict", Z, by_position=softmax(Z.numpy(seq, vocab), 1), order="seq vocab")
mended = output.replace(r"\underset{\text{vocab}}{\cdot}", right)
grade_latex(10, mended, "output", X, U, by_position=x @ U.numpy(emb, vocab), order="seq vocab")

# %%
assert len(grades) == 10
assert all(grades.values())
