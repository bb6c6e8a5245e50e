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
# # The formulated Transformer, from its parameters to its attention
#
# After this notebook you can
#
# 1. **read a model's parameter table**: every letter with its axes, sizes and share,
# 2. **follow a forward pass** formula by formula, with the shape of each step,
# 3. **train** a Transformer that pronounces English words, and look at what it attends to.
#
# The formulas are those of *The Formulated Transformer* (document 000), in its own letters.

# %%
import contextlib
import io
import tempfile
from pathlib import Path

import torch

import namedtensor as nt
from transformer_named import formulated, forward_pass
from transformer_named.formulated import FFN, Attention, MultiHead
from transformer_named.g2p.corpus import load_corpus
from transformer_named.g2p.evaluation import pronounce
from transformer_named.g2p.examples import pad
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.run import train
from transformer_named.g2p.settings import PRESETS
from transformer_named.g2p.symbols import phoneme_ids, spelling_ids
from transformer_named.models import FormulatedTransformer

_ = torch.manual_seed(0)

# %% [markdown]
# ## 1. What the model is made of
#
# Scaled dot-product attention, many heads of it, a feed-forward network and a norm:

# %%
Attention

# %%
MultiHead

# %% [markdown]
# As a module, every letter after the star is a parameter:

# %%
mha = MultiHead.module("emb[64] head[4] key[16] val[16]")
mha

# %% [markdown]
# The whole model of the document, in small: how many numbers, and where are they? What occurs in several layers stands
# once, with their number; its count and its share are those of all of them together.

# %%
model = FormulatedTransformer(s=32, d_model=64, d_ff=256, d_k=16, d_v=16, h=4, N=2)
summary = nt.summary(model)
summary

# %% [markdown]
# ## 2. A forward pass, step by step
#
# `nt.steps` lists every written sub-expression with its shape, the axes that it uses up, and what it costs:

# %%
nt.steps(
    FFN,
    "seq[10] emb[64]",
    W1="emb[64] hid[256]",
    b1="hid[256]",
    W2="hid[256] emb[64]",
    b2="emb[64]",
)

# %%
nt.diagram(FFN)

# %% [markdown]
# The model takes symbols and gives a score for each next symbol. No shape was written down, and each axis of the result
# has a name:

# %%
seq, vocab = formulated.seq, formulated.vocab
x = nt.tensor(torch.tensor([3, 1, 4, 1, 5]), seq)
y = nt.tensor(torch.tensor([0, 9, 2, 6]), seq.prime)
forward_pass.Transformer(x, y, model=model).shape

# %% [markdown]
# ## 3. Training
#
# The task: from the letters of an English word to its sounds, learnt from the words of CMUdict, a pronouncing dictionary.
# This notebook trains half a minute, which is enough to see something; `make demo` trains 150 seconds and tells how
# good the model is.

# %%
SECONDS = 30.0
corpus = load_corpus(None, None)
len(corpus.split.train), corpus.dictionary["transformer"]

# %%
folder = RunFolder(Path(tempfile.mkdtemp()))
with contextlib.redirect_stderr(io.StringIO()):
    speller, training = train(
        PRESETS["small"].with_given({"seconds": SECONDS}), corpus, folder, validation_words=0
    )
losses = [entry.loss for entry in training.log.entries]
assert losses[-1] < losses[0]
f"loss {losses[0]:.2f} -> {losses[-1]:.2f}"

# %% [markdown]
# It has never seen these words:

# %%
words = sorted(corpus.split.test, key=len)[2000:2006]
spoken = pronounce(speller, words, device="cpu")
for word in words:
    print(
        f"{word:10} {' '.join(spoken[word]):28} (CMUdict: {' '.join(corpus.dictionary[word][0])})"
    )

# %% [markdown]
# ## 4. Attention of real words
#
# Each row is the step that says a sound; the columns are the letters. Where a word is spelt as it is spoken, attention
# walks down the diagonal. (A map says where a head looks, not why: heads differ, and one that looks elsewhere is no fault.)

# %%
word = "transformer"
sounds = pronounce(speller, [word], device="cpu")[word]
source, target = pad([spelling_ids(word)]).long(), torch.tensor([phoneme_ids(sounds)[:-1]])
with torch.no_grad():
    weights = speller.attention(source, target)
letter, sound, head = nt.axes("letter sound head")
A = nt.tensor(weights[0], head, sound, letter)
shown = nt.show(
    A, rows=sound, columns=letter, by=head, labels={letter: list(word), sound: [*sounds, "end"]}
)
shown

# %% [markdown]
# Averaged over the heads; the words stay at their axes:

# %%
mean = shown.then(nt.mean[head])
mean

# %% [markdown]
# The same for a paper, as a figure of matplotlib; `mean.figure().savefig("attention.pdf")` writes it:

# %%
# %matplotlib inline
mean.figure()

# %% [markdown]
# ## Exercises
#
# - **a.** How many parameters has `MultiHead` with 8 heads of half the size, `key[8] val[8]`? Guess, then ask.
# - **b.** Which letter does each sound look at most, on average over the heads? (`nt.argmax_index`)
# - **c.** `FFN` has `hid[256]` here. Which share of the model's parameters would all `FFN` have with `d_ff=512`?
#   (`nt.summary(model).rows`)
#
# ## Solutions
#
# **a.** As many: each matrix has `head[8] x key[8]` in place of `head[4] x key[16]`.

# %%
eight = MultiHead.module("emb[64] head[8] key[8] val[8]")
assert nt.summary(eight).count == nt.summary(mha).count

# %% [markdown]
# **b.** Most sounds look at a letter that spells them; after so short a training some look beside it:

# %%
most = nt.argmax_index[letter](mean.tensor)
[f"{s}: {word[int(i)]}" for s, i in zip([*sounds, "end"], most.numpy(sound), strict=True)]

# %% [markdown]
# **c.** Nearly three quarters, since nothing else grows:

# %%
wider = nt.summary(FormulatedTransformer(s=32, d_model=64, d_ff=512, d_k=16, d_v=16, h=4, N=2))
of_ffn = sum(row.count for row in wider.rows if row.formula == "FFN")
assert 0.7 < of_ffn / wider.count < 0.75
f"{of_ffn / wider.count:.1%}"
