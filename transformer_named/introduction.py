"""Document 003, An introduction of Transformer. Translation from a domain X to a domain Y.

| axis | size | what it runs over |
|---|---|---|
| `seq` | T_x, or |K| | positions of the source x; elements of K and V |
| `seq'` | T_y | positions of the target y; those that ask |
| `emb` | d | features of a position; `emb'` after W_v |
| `key` | 1 or d_k | features of W_q q and W_k k |
| `hid` | d_ff | hidden units |
| `vocab`, `vocab'` | | words of the domain X, words of the domain Y |

Where the document and the published model differ, `form` chooses: "literal" is the document,
"published" is Attention Is All You Need. The layers come bare, as the recursions have them, and in
the settings v1 and v2, which add the shortcuts, norms and dropout that the recursions leave out.
"""

from typing import Any

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from transformer_named.choice import FORMS, chosen
from transformer_named.formulated import LayerNorm as LayerNorm
from transformer_named.placement import around

seq, emb, key, hid, vocab = axes("seq emb key hid vocab")
seq_, emb_, vocab_ = seq.prime, emb.prime, vocab.prime

#: The norm placement of each setting: v2 has a shortcut that links input to output, v1 has none.
SETTINGS = {"v1": "post", "v2": "pre"}

#: S_t = (s_1, ..., s_t): position t sees itself and what came before; 0 there, -inf elsewhere.
S_t = nt.define[seq_, seq](lambda t, i: nt.where(i <= t, 0.0, -nt.inf))


@formula
def padding(x: Z[seq], pad: int = 0) -> R[seq]:
    """Close the positions that only fill up a batch of sequences of different lengths.

        padding(x)_{seq(i)} = -inf if x_i = pad, 0 otherwise

    Source: document 003, Problem Formulation: every x has its own length T_x. It has no formula.
    """
    return nt.where(x == pad, -nt.inf, 0.0)


@formula
def attention_weights(
    q: R[emb],
    K: R[seq, emb],
    M: R[seq] = None,
    form: str = "literal",
    *,
    Wq: R[key, emb],
    Wk: R[key, emb],
) -> R[seq]:
    """Weigh the elements of K for a query.

        literal:    alpha_i proportional to exp(sum_key (Wq ._emb q + Wk ._emb k_i))
        published:  alpha_i proportional to exp((Wq ._emb q) ._key (Wk ._emb k_i) / sqrt(d_k))
        with alpha_i >= 0 and sum_seq alpha = 1

    Source: document 003, Attention Model. M, where there is one, is added inside exp.
    Departs: exp must be of one number, so the literal form sums over key; with key[1] it is the
    document's formula. There Wq q is the same for every i and cancels: the query has no say.
    The published form multiplies instead.
    """
    asked, offered = Wq @ emb @ q, Wk @ emb @ K
    if chosen("form", form, FORMS) == "literal":
        score = nt.sum[key](asked + offered)
    else:
        score = asked @ key @ offered / nt.sqrt(abs(key))
    if M is not None:
        score = score + M
    return nt.softmax[seq](score)


@formula
def phi_A(
    q: R[emb],
    K: R[seq, emb],
    V: R[seq, emb],
    M: R[seq] = None,
    form: str = "literal",
    *,
    Wq: R[key, emb],
    Wk: R[key, emb],
    Wv: R[emb_, emb],
) -> R[emb]:
    """Average the values of a query.

        phi_A(q, K, V) = sum_{i=1}^{|V|} alpha_i Wv v_i

    Source: document 003, Attention Model. `form` is attention_weights'.
    """
    alpha = attention_weights(q, K, M, form=form, Wq=Wq, Wk=Wk)
    return (alpha @ seq @ (Wv @ emb @ V))[emb_ >> emb]


@formula
def F_N(x: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    """Apply the non-linear layer: FC1, ReLU, FC2.

        F_N(x) = max(x ._emb W1 + b1, 0) ._hid W2 + b2

    Source: document 003, Encoder.
    """
    return nt.maximum(x @ emb @ W1 + b1, 0.0) @ hid @ W2 + b2


@formula
def self_attention(
    H: R[seq, emb], M: R[seq] = None, form: str = "literal", *, F_S: phi_A
) -> R[seq, emb]:
    """Let every h_i attend to all of H.

        F_S(h_i, H, H) for every i

    Source: document 003, Encoder. H runs over seq.
    """
    return F_S(H[seq >> seq_], H, H, M, form=form)[seq_ >> seq]


@formula
def past_attention(S: R[seq_, emb], form: str = "literal", *, F_S: phi_A) -> R[seq_, emb]:
    """Let every s_t attend to S_t, itself and what came before.

        F_S(s_t, S_t, S_t) for every t

    Source: document 003, Decoder. S runs over seq'.
    """
    H = S[seq_ >> seq]
    return F_S(S, H, H, S_t, form=form)


@formula
def phi_E(
    H: R[seq, emb], M: R[seq] = None, form: str = "literal", *, F_S: phi_A, F_N: F_N
) -> R[seq, emb]:
    """Take one step of the encoder's recursion, bare as the document has it.

        phi_E^l(h_i^{l-1}, H^{l-1}) = F_N(F_S(h_i^{l-1}, H^{l-1}, H^{l-1}))

    Source: document 003, Encoder.
    Departs: the document's h_t inside F_S is read as h_i.
    """
    return F_N(self_attention(H, M, form, F_S=F_S))


@formula
def phi_D(
    S: R[seq_, emb],
    H: R[seq, emb],
    M: R[seq] = None,
    form: str = "literal",
    *,
    F_S: phi_A,
    F_C: phi_A,
    F_N: F_N,
) -> R[seq_, emb]:
    """Take one step of the decoder's recursion over H = H^L, bare as the document has it.

        phi_D^l(s_t^{l-1}, S_t^{l-1}, H^L)
            = F_N(F_C(F_S(s_t^{l-1}, S_t^{l-1}, S_t^{l-1}), H^L, H^L))

    Source: document 003, Decoder.
    """
    S = past_attention(S, form, F_S=F_S)
    return F_N(F_C(S, H, H, M, form=form))


@formula
def encoder_layer(
    H: R[seq, emb],
    M: R[seq] = None,
    setting: str = "v1",
    form: str = "published",
    p: float = 0.0,
    eps: float = 1e-5,
    *,
    F_S: phi_A,
    norm_S: LayerNorm,
    F_N: F_N,
    norm_N: LayerNorm,
) -> R[seq, emb]:
    """Take one step of the encoder in the setting v1 or v2, with dropout of probability p.

        v1:  H <- LN(H + dropout(F_S(H, H, H)));  H <- LN(H + dropout(F_N(H)))
        v2:  H <- H + dropout(F_S(LN(H), LN(H), LN(H)));  H <- H + dropout(F_N(LN(H)))

    Source: document 003, Transformer v1 and Transformer v2.
    """
    placement = SETTINGS[chosen("setting", setting, tuple(SETTINGS))]

    def attend(H: Any) -> Any:
        return nt.dropout(self_attention(H, M, form, F_S=F_S), p)

    def connect(H: Any) -> Any:
        return nt.dropout(F_N(H), p)

    H = around(attend, lambda H: norm_S(H, eps=eps), H, placement)
    return around(connect, lambda H: norm_N(H, eps=eps), H, placement)


@formula
def decoder_layer(
    S: R[seq_, emb],
    H: R[seq, emb],
    M: R[seq] = None,
    setting: str = "v1",
    form: str = "published",
    p: float = 0.0,
    eps: float = 1e-5,
    *,
    F_S: phi_A,
    norm_S: LayerNorm,
    F_C: phi_A,
    norm_C: LayerNorm,
    F_N: F_N,
    norm_N: LayerNorm,
) -> R[seq_, emb]:
    """Take one step of the decoder in the setting v1 or v2, with dropout of probability p.

        v1:  S <- LN(S + dropout(f(S)))   for f = F_S, then F_C over H = H^L, then F_N
        v2:  S <- S + dropout(f(LN(S)))

    Source: document 003, Transformer v1 and Transformer v2, which shows the encoder only.
    """
    placement = SETTINGS[chosen("setting", setting, tuple(SETTINGS))]

    def attend(S: Any) -> Any:
        return nt.dropout(past_attention(S, form, F_S=F_S), p)

    def consult(S: Any) -> Any:
        return nt.dropout(F_C(S, H, H, M, form=form), p)

    def connect(S: Any) -> Any:
        return nt.dropout(F_N(S), p)

    S = around(attend, lambda S: norm_S(S, eps=eps), S, placement)
    S = around(consult, lambda S: norm_C(S, eps=eps), S, placement)
    return around(connect, lambda S: norm_N(S, eps=eps), S, placement)


@formula
def source_embedding(x: Z[seq], *, E: R[vocab, emb]) -> R[seq, emb]:
    """Map the words of the source to representations.

        H^0 = one_hot(x) ._vocab E

    Source: document 003, Encoder: "through embedding matrix".
    Departs: not from the document, which has no positions; without them the encoder cannot tell
    one order of the words from another.
    """
    return nt.one_hot(x, vocab) @ vocab @ E


@formula
def target_embedding(y: Z[seq_], *, E: R[vocab_, emb]) -> R[seq_, emb]:
    """Map the words of the target to representations.

        S^0 = one_hot(y) ._vocab' E

    Source: document 003, Decoder: "the embeddings of y's".
    """
    return nt.one_hot(y, vocab_) @ vocab_ @ E


@formula
def word_scores(s: R[emb], *, W: R[vocab_, emb]) -> R[vocab_]:
    """Score the words that may come next; their softmax over vocab' are the probabilities.

        W ._emb s_t^L

    Source: document 003, Decoder: "s_t^L will be fed into a softmax layer".
    """
    return W @ emb @ s


@formula
def translation_loss(Y: R[seq_, vocab_], y: Z[seq_], pad: int = 0) -> R:
    """Average the negative log-probability of the target's words, padding left out.

        -1/n sum_{t: y_t != pad} log softmax_vocab'(Y)_{seq'(t), vocab'(y_t)}
        n = |{t: y_t != pad}|

    Source: document 003, Problem Formulation; it has no formula. The caller aligns Y and y.
    """
    surprise = -(nt.one_hot(y, vocab_) @ vocab_ @ nt.log_softmax[vocab_](Y))
    return nt.sum[seq_](nt.where(y == pad, 0.0, surprise)) / nt.count[seq_](y != pad)


@formula
def translation_scores(
    x: Z[seq],
    y: Z[seq_],
    setting: str = "v1",
    form: str = "published",
    p: float = 0.0,
    eps: float = 1e-5,
    pad: int = 0,
    *,
    source: source_embedding,
    encoder: nt.each[encoder_layer],
    encoder_norm: LayerNorm = None,
    target: target_embedding,
    decoder: nt.each[decoder_layer],
    decoder_norm: LayerNorm = None,
    output: word_scores,
) -> R[seq_, vocab_]:
    """Score the words of a translation y of x; both may be padded at their end.

        H^l = phi_E^l(H^{l-1}), l in [L];  S^l = phi_D^l(S^{l-1}, H^L), l in [L];  W ._emb S^L

    Source: document 003, Encoder, Decoder, Transformer v1 and Transformer v2. Padding at the end of y
    is in nobody's past.
    Departs: `encoder_norm` and `decoder_norm` end the stacks of the published v2; the document speaks
    of layers only.
    """
    M = padding(x, pad=pad)
    H = source(x)
    for layer in encoder:
        H = layer(H, M, setting=setting, form=form, p=p, eps=eps)
    Z = H if encoder_norm is None else encoder_norm(H, eps=eps)
    S = target(y)
    for layer in decoder:
        S = layer(S, Z, M, setting=setting, form=form, p=p, eps=eps)
    return output(S if decoder_norm is None else decoder_norm(S, eps=eps))


@formula
def training_loss(x: Z[seq], y: Z[seq_], pad: int = 0, *, model: translation_scores) -> R:
    """Average the negative log-probability of y's words after its first, padding left out.

    Source: document 003, Problem Formulation; it has no formula.
    """
    return translation_loss(model(x, y[seq_[:-1]], pad=pad), y[seq_[1:]], pad=pad)
