"""Eighty mistakes as their authors make them: the body that is wrong, the arguments, and the body that is right.

Each body is the text of a formula's `return`, or several lines; arguments are declared with their axes.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """`wrong` and `right` are bodies; `given` declares the arguments, as in X: seq emb."""

    what: str
    given: str
    wrong: str
    right: str
    result: str = ""


ATTENTION = "Q: key seq', K: key seq, V: seq val"
SCORES = "S: seq' seq, V: seq val"
LAYER = "X: seq emb, W: emb hid, U: hid emb, b: hid, c: emb"
SELF = "X: seq emb, P: emb key, T: emb key, V: seq val"
BATCH = "X: batch seq emb, W: emb hid, g: emb, M: batch seq"
IMAGE = "X: chans height width, W: out chans, b: out"
CLASSES = "Z: batch vocab, E: vocab emb, X: batch emb"

MISTAKES = [
    # ------------------------------------------------ contraction over an axis that an operand lacks
    Mistake("contract over keys' axis", ATTENTION, "Q @ seq @ K", "Q @ key @ K"),
    Mistake("contract over queries' axis", ATTENTION, 'Q @ "seq\'" @ K', "Q @ key @ K"),
    Mistake("contract values over val", SCORES, "S @ val @ V", "S @ seq @ V"),
    Mistake("contract values over seq'", SCORES, 'S @ "seq\'" @ V', "S @ seq @ V"),
    Mistake("the values' axis of another order", SCORES, 'V @ "seq\'" @ S', "V @ seq @ S"),
    Mistake("contract over the output axis", LAYER, "X @ hid @ W", "X @ emb @ W"),
    Mistake("contract over positions", LAYER, "X @ seq @ W", "X @ emb @ W"),
    Mistake("second matrix over emb", LAYER, "b @ emb @ U", "b @ hid @ U"),
    Mistake("bias over the wrong axis", LAYER, "c @ hid @ W", "c @ emb @ W"),
    Mistake("batch product over batch", BATCH, "X @ batch @ W", "X @ emb @ W"),
    Mistake("batch product over hid", BATCH, "X @ hid @ W", "X @ emb @ W"),
    Mistake("one by one convolution over out", IMAGE, "W @ out @ X", "W @ chans @ X"),
    Mistake("one by one convolution over height", IMAGE, "W @ height @ X", "W @ chans @ X"),
    Mistake("one by one convolution over width", IMAGE, "X @ width @ W", "X @ chans @ W"),
    Mistake("classes over emb", CLASSES, "Z @ emb @ E", "Z @ vocab @ E"),
    Mistake("classes over batch", CLASSES, "Z @ batch @ E", "Z @ vocab @ E"),
    Mistake("embeddings over vocab", CLASSES, "X @ vocab @ E", "X @ emb @ E"),
    Mistake("embeddings over batch", CLASSES, "E @ batch @ X", "E @ emb @ X"),
    Mistake("product by dot", ATTENTION, "nt.dot[seq](Q, K)", "nt.dot[key](Q, K)"),
    # ------------------------------------------------ the same inside of a longer expression
    Mistake(
        "scores in a softmax",
        ATTENTION,
        "nt.softmax[seq](Q @ seq @ K)",
        "nt.softmax[seq](Q @ key @ K)",
    ),
    Mistake(
        "weights with values",
        ATTENTION,
        "nt.softmax[seq](Q @ key @ K) @ key @ V",
        "nt.softmax[seq](Q @ key @ K) @ seq @ V",
    ),
    Mistake(
        "weights with values over val",
        ATTENTION,
        "nt.softmax[seq](Q @ key @ K) @ val @ V",
        "nt.softmax[seq](Q @ key @ K) @ seq @ V",
    ),
    Mistake(
        "values first",
        ATTENTION,
        "V @ key @ nt.softmax[seq](Q @ key @ K)",
        "V @ seq @ nt.softmax[seq](Q @ key @ K)",
    ),
    Mistake(
        "hidden layer",
        LAYER,
        "nt.relu(X @ emb @ W + b) @ emb @ U",
        "nt.relu(X @ emb @ W + b) @ hid @ U",
    ),
    Mistake(
        "hidden layer over seq",
        LAYER,
        "nt.relu(X @ emb @ W + b) @ seq @ U",
        "nt.relu(X @ emb @ W + b) @ hid @ U",
    ),
    Mistake(
        "first of two layers",
        LAYER,
        "nt.relu(X @ hid @ W) @ hid @ U",
        "nt.relu(X @ emb @ W) @ hid @ U",
    ),
    Mistake("gated features", BATCH, "(X * g) @ batch @ W", "(X * g) @ emb @ W"),
    Mistake(
        "features after a mean", BATCH, "nt.mean[seq](X) @ seq @ W", "nt.mean[seq](X) @ emb @ W"
    ),
    Mistake(
        "a name and then a product",
        LAYER,
        "H = nt.tanh(X @ emb @ W)\nreturn H @ emb @ U",
        "H = nt.tanh(X @ emb @ W)\nreturn H @ hid @ U",
    ),
    # ------------------------------------------------ misspelled names
    Mistake("a misspelled contraction", LAYER, 'X @ "ebm" @ W', "X @ emb @ W"),
    Mistake("a misspelled hidden axis", LAYER, 'b @ "hidd" @ U', "b @ hid @ U"),
    Mistake("a misspelled sum", LAYER, 'nt.sum["sq"](X)', "nt.sum[seq](X)"),
    Mistake("a misspelled softmax", SCORES, 'nt.softmax["seqq"](V)', "nt.softmax[seq](V)"),
    Mistake("a misspelled mean", BATCH, 'nt.mean["bacth"](X)', "nt.mean[batch](X)"),
    Mistake("a misspelled rename", LAYER, 'X["sep -> key"]', "X[seq >> key]"),
    Mistake("a misspelled height", IMAGE, 'nt.max["heigth"](X)', "nt.max[height](X)"),
    Mistake(
        "a misspelled vocabulary", CLASSES, 'nt.log_softmax["vocb"](Z)', "nt.log_softmax[vocab](Z)"
    ),
    Mistake("a capital letter", LAYER, 'nt.sum["Emb"](X)', "nt.sum[emb](X)"),
    Mistake("a plural", BATCH, 'X @ "embs" @ W', "X @ emb @ W"),
    # ------------------------------------------------ a function along an axis that is not there
    Mistake(
        "softmax over a contracted axis",
        ATTENTION,
        "nt.softmax[key](Q @ key @ K)",
        "nt.softmax[seq](Q @ key @ K)",
    ),
    Mistake("softmax over val", SCORES, "nt.softmax[val](S)", "nt.softmax[seq](S)"),
    Mistake("softmax of scores over emb", CLASSES, "nt.softmax[emb](Z)", "nt.softmax[vocab](Z)"),
    Mistake(
        "log_softmax of scores over emb",
        CLASSES,
        "nt.log_softmax[emb](Z)",
        "nt.log_softmax[vocab](Z)",
    ),
    Mistake(
        "mean over features that are gone",
        LAYER,
        "nt.mean[emb](X @ emb @ W)",
        "nt.mean[hid](X @ emb @ W)",
    ),
    Mistake("sum over an axis of the weights", LAYER, "nt.sum[hid](X)", "nt.sum[emb](X)"),
    Mistake(
        "standardize after the product",
        LAYER,
        "nt.standardize[emb](X @ emb @ W)",
        "nt.standardize[hid](X @ emb @ W)",
    ),
    Mistake("maximum over channels of weights", IMAGE, "nt.max[chans](b)", "nt.max[out](b)"),
    Mistake("argmax over classes", CLASSES, "nt.argmax_index[vocab](X)", "nt.argmax_index[emb](X)"),
    Mistake("cumulative sum", LAYER, "nt.cumsum[hid](X)", "nt.cumsum[seq](X)"),
    Mistake("a norm over positions of a vector", LAYER, "nt.norm[seq](c)", "nt.norm[emb](c)"),
    Mistake("sort over an axis of another", LAYER, "nt.sort[hid](c)", "nt.sort[emb](c)"),
    Mistake("a variance over hidden units", LAYER, "nt.var[hid](X)", "nt.var[emb](X)"),
    Mistake("two axes, one not there", LAYER, "nt.sum[seq, hid](X)", "nt.sum[seq, emb](X)"),
    # ------------------------------------------------ indexing and renaming what is not there
    Mistake("index an axis of another", LAYER, "X[hid(0)]", "X[emb(0)]"),
    Mistake("the first position of weights", LAYER, "W[seq(0)]", "W[emb(0)]"),
    Mistake("slice an axis of another", LAYER, "X[hid[:2]]", "X[emb[:2]]"),
    Mistake("rename what is not there", LAYER, "c[hid >> key]", "c[emb >> key]"),
    Mistake("rename an axis of another", ATTENTION, "V[key >> emb]", "V[val >> emb]"),
    Mistake("rename onto an axis that exists", LAYER, "X[seq >> emb]", "X[seq >> emb_]"),
    Mistake("rename onto the keys' axis", LAYER, "W[emb >> hid]", 'W["emb -> hid\'"]'),
    Mistake(
        "join axes that are not there",
        IMAGE,
        "X[(height, out) >> key]",
        "X[(height, width) >> key]",
    ),
    # ------------------------------------------------ a forgotten seq >> seq_
    Mistake(
        "self-attention without a prime",
        SELF,
        "Q = X @ emb @ P\nK = X @ emb @ T\nreturn V @ seq @ nt.softmax[seq](Q @ key @ K)",
        'Q = X["seq -> seq\'"] @ emb @ P\nK = X @ emb @ T\nreturn V @ seq @ nt.softmax[seq](Q @ key @ K)',
        "seq' val",
    ),
    Mistake(
        "scores without a prime",
        SELF,
        "return (X @ emb @ P) @ key @ (X @ emb @ T)",
        'return (X["seq -> seq\'"] @ emb @ P) @ key @ (X @ emb @ T)',
        "seq' seq",
    ),
    Mistake(
        "a product of a matrix with itself",
        SELF,
        "return X @ emb @ X",
        'return X["seq -> seq\'"] @ emb @ X',
        "seq' seq",
    ),
    Mistake(
        "distances between positions",
        SELF,
        "D = X - X\nreturn nt.sum[emb](D * D)",
        'D = X["seq -> seq\'"] - X\nreturn nt.sum[emb](D * D)',
        "seq' seq",
    ),
    Mistake(
        "an outer product of a vector",
        "x: emb",
        "return x * x",
        'return x["emb -> emb\'"] * x',
        "emb' emb",
    ),
    Mistake(
        "covariance of features",
        SELF,
        "return nt.mean[seq](X * X)",
        'return nt.mean[seq](X["emb -> emb\'"] * X)',
        "emb' emb",
    ),
    # ------------------------------------------------ results that are not as declared
    Mistake("a forgotten sum", LAYER, "return X * c", "return nt.sum[emb](X * c)", "seq"),
    Mistake("a forgotten mean", BATCH, "return X * g", "return nt.sum[batch](X * g)", "seq emb"),
    Mistake(
        "the name that the product gives",
        LAYER,
        "return X @ emb @ W",
        "return (X @ emb @ W)[hid >> key]",
        "seq key",
    ),
    Mistake(
        "scores that are declared by val",
        ATTENTION,
        "return Q @ key @ K",
        "return (Q @ key @ K)[seq >> val]",
        "seq' val",
    ),
    # ------------------------------------------------ sizes
    Mistake("a difference of neighbours", LAYER, "X[seq[1:]] - X", "X[seq[1:]] - X[seq[:4]]"),
    Mistake("a sum with a cut", LAYER, "X + X[seq[:3]]", "X[seq[:3]] + X[seq[:3]]"),
    Mistake("an axis of size 1", LAYER, "X - X[seq[0:1]]", "X - X[seq[0:1]][seq(0)]"),
    Mistake("an axis of size 1 first", LAYER, "X[seq[:1]] * X", "X[seq[:1]][seq(0)] * X"),
    Mistake("keys of two sizes", ATTENTION, "K * K[key[:4]]", "K[key[:4]] * K[key[:4]]"),
    # ------------------------------------------------ numbers and half products
    Mistake("half a contraction", LAYER, "X @ emb", "X @ emb @ W"),
    Mistake("half a contraction in a sum", LAYER, "(X @ emb) * 2.0", "(X @ emb @ W) * 2.0"),
    Mistake("a position as in numpy", LAYER, "X[0]", "X[seq(0)]"),
    Mistake("a slice as in numpy", LAYER, "X[:2]", "X[seq[:2]]"),
    Mistake("a sum as in numpy", LAYER, "X.sum(seq)", "nt.sum[seq](X)"),
    Mistake("a mean as in numpy", LAYER, "X.mean(emb)", "nt.mean[emb](X)"),
    Mistake("a transpose as in numpy", LAYER, "X.T @ emb @ W", "X @ emb @ W"),
    Mistake("a matrix product as in numpy", LAYER, "X @ W", "X @ emb @ W"),
]
