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
    table = Embed.module(vocab[37_000], emb[512]).E
    E = nt.tensor(table, vocab, emb)
    ids = torch.randint(37_000, (8, 128))
    x = nt.tensor(ids, batch, seq)
    torch.testing.assert_close(Embed(x, E=E).torch(batch, seq, emb), embedding(ids, table))

    def ours() -> None:
        table.grad = None
        Embed(x, E=E).data.sum().backward()

    def theirs() -> None:
        table.grad = None
        embedding(ids, table).sum().backward()

    both = compare_runs(ours, theirs, settings.seconds(6))
    with torch.no_grad():
        forward = compare_runs(
            lambda: Embed(x, E=E), lambda: embedding(ids, table), settings.seconds(4)
        )
    what = "E @ vocab @ one_hot(x) / F.embedding, "
    return [Row(f"{what}forward", forward, 1.1), Row(f"{what}forward and backward", both, 1.1)]
