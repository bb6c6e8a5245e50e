"""Unusual style: string axes only, no axis objects, contraction through the function, class namespace."""

import namedtensor as nt


class Block:
    """Formulas live in a class as static functions."""

    @staticmethod
    def scores(q, k):
        return nt.dot["key"](q, k) / nt.sqrt(nt.Axis("key").size if False else 8.0)


@nt.formula
def attend(Q: nt.R["tgt key"], K: nt.R["src key"], V: nt.R["src val"]) -> nt.R["tgt val"]:
    w = nt.softmax["src"](Block.scores(Q, K))
    return nt.dot["src"](w, V)
