"""Every member of the published families in positional torch, from the papers' definitions alone.

`a` has the arguments of `Transformer` or `EncoderDecoder`, `w` the parameters by name.
"""

import math

import torch
import torch.nn.functional as F

FLOAT = torch.float64
ACTIVATIONS = {
    "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": lambda x: x.clamp(min=0),
    "silu": lambda x: x * torch.sigmoid(x),
}


def norm(a, w, at, x):
    if f"{at}.gamma" not in w:
        return x
    if a["norm"] == "layer":
        x = x - x.mean(-1, keepdim=True)
    x = x / torch.sqrt((x**2).mean(-1, keepdim=True) + a["eps"]) * w[f"{at}.gamma"]
    return x + w[f"{at}.beta"] if f"{at}.beta" in w else x


def linear(w, x, name, equation, bias=None):
    y = torch.einsum(equation, x, w[name])
    return y + w[bias] if bias in w else y


def sinusoids(a, places, width):
    """Marian: the sines of all pairs come first; an odd width has one sine more."""
    found = torch.zeros(places, width, dtype=FLOAT)
    sines = (width + 1) // 2
    for place in range(places):
        for column in range(width):
            if a["positions"] == "sinusoidal":
                pair, f = divmod(column, 2)
            else:
                pair, f = (column, 0) if column < sines else (column - sines, 1)
            angle = (place + a["first"]) / a["base"] ** (2 * pair / width)
            found[place, column] = math.cos(angle) if f else math.sin(angle)
    return found


def turned(a, x):
    """Batch, places, ..., features: a pair of features is a complex number, times e^{i angle}."""
    places, pairs = x.shape[1], x.shape[-1] // 2
    rate = torch.tensor([a["base"] ** (-i / pairs) for i in range(pairs)], dtype=FLOAT)
    angle = torch.arange(places, dtype=FLOAT)[:, None] * rate
    turn = torch.polar(torch.ones_like(angle), angle)
    turn = turn.view(1, places, *[1] * (x.ndim - 3), pairs)
    z = torch.complex(x[..., :pairs], x[..., pairs:]) * turn
    return torch.cat([z.real, z.imag], -1)


def attention(w, q, k, v, mask, at):
    scores = torch.einsum("bikgd,bjkd->bkgij", q, k) / math.sqrt(q.shape[-1]) + mask
    y = torch.einsum("bkgij,bjkv->bikgv", scores.softmax(-1), v)
    return linear(w, y, f"{at}.together.WO", "bikgv,ekgv->bie", f"{at}.together.bO")


def network(a, w, x, at):
    h = ACTIVATIONS[a["activation"]](linear(w, x, f"{at}.W1", "bie,he->bih", f"{at}.b1"))
    if a["network"] == "gated":
        h = h * linear(w, x, f"{at}.W3", "bie,he->bih")
    return linear(w, h, f"{at}.W2", "bih,eh->bie", f"{at}.b2")


def side(a, w, ids, causal, closed, memory=None, memory_closed=None):
    """Run one side; `closed`, batch by places, is -inf at places that nobody sees."""
    places = ids.shape[1]
    x = w["words.E"][ids] * (math.sqrt(a["emb"]) if a["scale"] else 1)
    if a["positions"] == "learned":
        x = x + w["places.P"][a["first"] : a["first"] + places]
    elif a["positions"] != "rotary":
        x = x + sinusoids(a, places, a["emb"])
    if a["kinds"]:
        x = x + w["kinds.T"][0]
    if not a["pre"]:
        x = norm(a, w, "norm", x)
    mask = torch.full((places, places), -math.inf, dtype=FLOAT).triu(1) if causal else 0.0
    mask = mask + closed[:, None, None, None]
    for number in range(a["layers"]):
        at = f"layers.{number}"
        y, ask = norm(a, w, f"{at}.ask.norm", x), f"{at}.ask.heads"
        q = linear(w, y, f"{ask}.WQ", "bie,kgde->bikgd", f"{ask}.bQ")
        k = linear(w, y, f"{ask}.WK", "bie,kde->bikd", f"{ask}.bK")
        v = linear(w, y, f"{ask}.WV", "bie,kde->bikd", f"{ask}.bV")
        if a["positions"] == "rotary":
            q, k = turned(a, q), turned(a, k)
        x = norm(a, w, f"{at}.answer.norm1", x + attention(w, q, k, v, mask, f"{at}.answer"))
        last = f"{at}.answer"
        if memory is not None:
            last, y = f"{at}.reply", norm(a, w, f"{at}.consult.norm", x)
            q = linear(w, y, f"{at}.consult.WQ", "bie,kgde->bikgd", f"{at}.consult.bQ")
            k = linear(w, memory, f"{at}.tell.WK", "bie,kde->bikd", f"{at}.tell.bK")
            v = linear(w, memory, f"{at}.tell.WV", "bie,kde->bikd", f"{at}.tell.bV")
            read = attention(w, q, k, v, memory_closed[:, None, None, None], last)
            x = norm(a, w, f"{last}.norm1", x + read)
        y = network(a, w, norm(a, w, f"{last}.norm", x), f"{last}.network")
        x = norm(a, w, f"{last}.norm2", x + y)
    if a["pre"]:
        x = norm(a, w, "norm", x)
    if "scores.E" not in w:
        return x
    return linear(w, x, "scores.E", "bie,ve->biv", "scores.b")


def member(a, w, *ids):
    """Give the states or the scores of a Transformer for ids, or the scores of an EncoderDecoder."""
    if len(ids) == 1:
        causal = a["scores"] if a["causal"] is None else a["causal"]
        return side(a, w, ids[0], causal, torch.zeros(ids[0].shape, dtype=FLOAT))
    source, target = ids
    closed = torch.where(source == a["padding"], -math.inf, 0.0).to(FLOAT)
    parts = [
        {n.removeprefix(f"{at}."): p for n, p in w.items() if n.startswith(f"{at}.")}
        for at in ("encoder", "decoder")
    ]
    z = side(a, parts[0], source, False, closed)
    return side(a, parts[1], target, True, torch.zeros(target.shape, dtype=FLOAT), z, closed)
