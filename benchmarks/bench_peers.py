"""One tiny contraction by axis name, here and in other libraries.

`pip install '.[peers]'` installs them. X[seq 3, emb 4] and W[emb 4, hid 5] have their names before
the clock starts, wherever a library keeps names. Ours runs on torch, and on numpy against those
whose arrays are numpy's. jax is waited for.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import namedtensor as nt
from benchmarks.pairwise import Program, compare_bursts
from benchmarks.settings import Settings
from benchmarks.table import Line, Row, Skipped, number
from namedtensor import axes

THREADS = 1

seq, emb, hid = axes("seq emb hid")

x = np.arange(12, dtype=np.float32).reshape(3, 4)
w = np.arange(20, dtype=np.float32).reshape(4, 5)
x_torch, w_torch = torch.from_numpy(x), torch.from_numpy(w)


def with_xarray(xr: Any) -> Program:
    X, W = xr.DataArray(x, dims=("seq", "emb")), xr.DataArray(w, dims=("emb", "hid"))
    return lambda: xr.dot(X, W, dim="emb")


def with_penzai(pz: Any) -> Program:
    jnp = importlib.import_module("jax.numpy")
    X = pz.nx.wrap(jnp.asarray(x), "seq", "emb")
    W = pz.nx.wrap(jnp.asarray(w), "emb", "hid")
    dot = pz.nx.nmap(jnp.dot)
    return lambda: dot(X.untag("emb"), W.untag("emb")).unwrap("seq", "hid").block_until_ready()


def with_coordax(cx: Any) -> Program:
    jnp = importlib.import_module("jax.numpy")
    X = cx.field(jnp.asarray(x), "seq", "emb")
    W = cx.field(jnp.asarray(w), "emb", "hid")
    dot = cx.cmap(jnp.dot)
    return lambda: dot(X.untag("emb"), W.untag("emb")).data.block_until_ready()


def with_dims(functorch: Any) -> Program:
    seq, emb, hid = functorch.dims(3)
    X, W = x_torch[seq, emb], w_torch[emb, hid]
    return lambda: (X * W).sum(emb).order(seq, hid)


def with_einx(einx: Any) -> Program:
    return lambda: einx.dot("seq emb, emb hid -> seq hid", x_torch, w_torch)


def with_einops(einops: Any) -> Program:
    return lambda: einops.einsum(x_torch, w_torch, "seq emb, emb hid -> seq hid")


def with_quimb(qtn: Any) -> Program:
    X, W = qtn.Tensor(x, inds=("seq", "emb")), qtn.Tensor(w, inds=("emb", "hid"))
    return lambda: (X @ W).data


@dataclass(frozen=True)
class Peer:
    name: str
    module: str
    times_faster: int
    contraction: Callable[[Any], Program]
    ours_on: str = "torch"


PEERS = [
    Peer("xarray", "xarray", 20, with_xarray, "numpy"),
    Peer("penzai", "penzai.pz", 20, with_penzai),
    Peer("coordax", "coordax", 20, with_coordax),
    Peer("functorch.dim", "functorch.dim", 20, with_dims),
    Peer("einx.dot", "einx", 5, with_einx),
    Peer("einops.einsum", "einops", 3, with_einops),
    Peer("quimb", "quimb.tensor", 3, with_quimb, "numpy"),
]


def line(peer: Peer, seconds: float) -> Line:
    goal = 1 / peer.times_faster
    what = f"X @ emb @ W on {peer.ours_on} / {peer.name}, {peer.times_faster}x faster"
    try:
        theirs = peer.contraction(importlib.import_module(peer.module))
    except ImportError as error:
        return Skipped(what, str(error).splitlines()[0], f"at most {number(goal)}")
    np.testing.assert_allclose(np.asarray(theirs()), x @ w)
    X, W = nt.tensor(x, seq, emb), nt.tensor(w, emb, hid)
    if peer.ours_on == "torch":
        X, W = nt.tensor(x_torch, seq, emb), nt.tensor(w_torch, emb, hid)
    comparison = compare_bursts(lambda: X @ emb @ W, theirs, seconds)
    return Row(what, comparison, goal, fastest=True)


def rows(settings: Settings) -> list[Line]:
    return [line(peer, settings.seconds(2)) for peer in PEERS]
