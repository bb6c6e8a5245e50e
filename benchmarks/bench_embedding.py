"""An embedding written as a product with one-hot vectors, against F.embedding.

Vocabulary 37,000, 512 wide, 8 lines of 128 ids; backward fills a gradient of the whole table.
"""

import torch
from torch.nn.functional import embedding

import namedtensor as nt
from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Row
from namedtensor import R, Z, axes, formula

batch, seq, emb, vocab = axes("batch seq emb vocab")


@formula
def Embed(x: Z, *, E: R[vocab, emb]) -> R[emb]:
    return E @ vocab @ nt.one_hot(x, vocab)


def rows(settings: Settings) -> list[Row]:
    module = Embed.module(vocab[37_000], emb[512])
    ids = torch.randint(37_000, (8, 128))
    x = nt.tensor(ids, batch, seq)
    torch.testing.assert_close(module(x).torch(batch, seq, emb), embedding(ids, module.E))

    def ours() -> None:
        module.E.grad = None
        module(x).data.sum().backward()

    def theirs() -> None:
        module.E.grad = None
        embedding(ids, module.E).sum().backward()

    both = compare_runs(ours, theirs, settings.seconds(6))
    with torch.no_grad():
        forward = compare_runs(
            lambda: module(x), lambda: embedding(ids, module.E), settings.seconds(4)
        )
    what = "E @ vocab @ one_hot(x) / F.embedding, "
    return [Row(f"{what}forward", forward, 1.1), Row(f"{what}forward and backward", both, 1.1)]
