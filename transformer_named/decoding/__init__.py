"""Decoding: from a model's probabilities of the next token to whole outputs.

P(y | x) = prod_t P(y_t | x, y_1 ... y_{t-1}), with y_0 = begin and the last token = end
(document 000, Definition and Prediction). Ids are integers. 0 is padding, in sources and outputs, and is
never chosen, unless the model has another id for it. Every output is a list of ids without begin, end
and padding. A decoder-only model continues a text: x is that text, and y_0 its last token.

    batch   one for each source          vocab   the target's ids
    src     places of the source         beam    hypotheses kept for one source
    seq     places of the output

A model is any object with `step`, and with `encode` and `start`, or `begin` (see `decoding.model`). Nothing
here depends on positions of axes: a beam is one more axis that the model's step lifts over.
"""

from transformer_named.decoding.beam import beam_search as beam_search
from transformer_named.decoding.cache import Cache as Cache
from transformer_named.decoding.sampling import greedy as greedy
from transformer_named.decoding.sampling import sample as sample
from transformer_named.decoding.scoring import log_probability as log_probability
