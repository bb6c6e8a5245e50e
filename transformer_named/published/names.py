"""What our parameters are called in files of published models, and over which axes they are stored."""

from collections.abc import Mapping
from typing import Any

#: all-MiniLM-L6-v2, bert-base-uncased and their like; put prefix="bert." before where files have it.
BERT = {
    "words.E": "embeddings.word_embeddings.weight: vocab emb",
    "places.P": "embeddings.position_embeddings.weight: place emb",
    "kinds.T": "embeddings.token_type_embeddings.weight: kind emb",
    "norm.{n}": "embeddings.LayerNorm.{n}: emb",
    "layers.{l}.ask.heads.WQ": "encoder.layer.{l}.attention.self.query.weight: (kv group key) emb",
    "layers.{l}.ask.heads.bQ": "encoder.layer.{l}.attention.self.query.bias: (kv group key)",
    "layers.{l}.ask.heads.WK": "encoder.layer.{l}.attention.self.key.weight: (kv key) emb",
    "layers.{l}.ask.heads.bK": "encoder.layer.{l}.attention.self.key.bias: (kv key)",
    "layers.{l}.ask.heads.WV": "encoder.layer.{l}.attention.self.value.weight: (kv val) emb",
    "layers.{l}.ask.heads.bV": "encoder.layer.{l}.attention.self.value.bias: (kv val)",
    "layers.{l}.answer.together.WO": "encoder.layer.{l}.attention.output.dense.weight: emb (kv group val)",
    "layers.{l}.answer.together.bO": "encoder.layer.{l}.attention.output.dense.bias: emb",
    "layers.{l}.answer.norm1.{n}": "encoder.layer.{l}.attention.output.LayerNorm.{n}: emb",
    "layers.{l}.answer.network.W1": "encoder.layer.{l}.intermediate.dense.weight: hid emb",
    "layers.{l}.answer.network.b1": "encoder.layer.{l}.intermediate.dense.bias: hid",
    "layers.{l}.answer.network.W2": "encoder.layer.{l}.output.dense.weight: emb hid",
    "layers.{l}.answer.network.b2": "encoder.layer.{l}.output.dense.bias: emb",
    "layers.{l}.answer.norm2.{n}": "encoder.layer.{l}.output.LayerNorm.{n}: emb",
    "n": {"gamma": "weight", "beta": "bias"},
}

#: gpt2 and its sizes: one tensor for queries, keys and values, and matrices stored input first.
GPT2 = {
    "words.E": "wte.weight: vocab emb",
    "places.P": "wpe.weight: place emb",
    "norm.{n}": "ln_f.{n}: emb",
    "layers.{l}.ask.norm.{n}": "h.{l}.ln_1.{n}: emb",
    (
        "layers.{l}.ask.heads.WQ",
        "layers.{l}.ask.heads.WK",
        "layers.{l}.ask.heads.WV",
    ): "h.{l}.attn.c_attn.weight: emb (kv group key + kv key + kv val)",
    (
        "layers.{l}.ask.heads.bQ",
        "layers.{l}.ask.heads.bK",
        "layers.{l}.ask.heads.bV",
    ): "h.{l}.attn.c_attn.bias: (kv group key + kv key + kv val)",
    "layers.{l}.answer.together.WO": "h.{l}.attn.c_proj.weight: (kv group val) emb",
    "layers.{l}.answer.together.bO": "h.{l}.attn.c_proj.bias: emb",
    "layers.{l}.answer.norm.{n}": "h.{l}.ln_2.{n}: emb",
    "layers.{l}.answer.network.W1": "h.{l}.mlp.c_fc.weight: emb hid",
    "layers.{l}.answer.network.b1": "h.{l}.mlp.c_fc.bias: hid",
    "layers.{l}.answer.network.W2": "h.{l}.mlp.c_proj.weight: hid emb",
    "layers.{l}.answer.network.b2": "h.{l}.mlp.c_proj.bias: emb",
    "n": {"gamma": "weight", "beta": "bias"},
}

#: Llama, SmolLM, Mistral and their like, as the hub stores them: rotations pair halves.
LLAMA = {
    "words.E": "model.embed_tokens.weight: vocab emb",
    "norm.gamma": "model.norm.weight: emb",
    "layers.{l}.ask.norm.gamma": "model.layers.{l}.input_layernorm.weight: emb",
    "layers.{l}.ask.heads.WQ": "model.layers.{l}.self_attn.q_proj.weight: (kv group key) emb",
    "layers.{l}.ask.heads.WK": "model.layers.{l}.self_attn.k_proj.weight: (kv key) emb",
    "layers.{l}.ask.heads.WV": "model.layers.{l}.self_attn.v_proj.weight: (kv val) emb",
    "layers.{l}.answer.together.WO": "model.layers.{l}.self_attn.o_proj.weight: emb (kv group val)",
    "layers.{l}.answer.norm.gamma": "model.layers.{l}.post_attention_layernorm.weight: emb",
    "layers.{l}.answer.network.W1": "model.layers.{l}.mlp.gate_proj.weight: hid emb",
    "layers.{l}.answer.network.W3": "model.layers.{l}.mlp.up_proj.weight: hid emb",
    "layers.{l}.answer.network.W2": "model.layers.{l}.mlp.down_proj.weight: emb hid",
}

#: The same models in GGUF files, whose rotations pair neighbours: rows of q and k are put in our order.
LLAMA_GGUF = {
    "words.E": "token_embd.weight: vocab emb",
    "norm.gamma": "output_norm.weight: emb",
    "layers.{l}.ask.norm.gamma": "blk.{l}.attn_norm.weight: emb",
    "layers.{l}.ask.heads.WQ: kv group emb (two[2] half)": "blk.{l}.attn_q.weight: (kv group half two) emb",
    "layers.{l}.ask.heads.WK: kv emb (two[2] half)": "blk.{l}.attn_k.weight: (kv half two) emb",
    "layers.{l}.ask.heads.WV": "blk.{l}.attn_v.weight: (kv val) emb",
    "layers.{l}.answer.together.WO": "blk.{l}.attn_output.weight: emb (kv group val)",
    "layers.{l}.answer.norm.gamma": "blk.{l}.ffn_norm.weight: emb",
    "layers.{l}.answer.network.W1": "blk.{l}.ffn_gate.weight: hid emb",
    "layers.{l}.answer.network.W3": "blk.{l}.ffn_up.weight: hid emb",
    "layers.{l}.answer.network.W2": "blk.{l}.ffn_down.weight: emb hid",
}


#: One side's layers of BART, Marian and their like.
_SIDES = {
    "{side}.layers.{l}.ask.heads.WQ": "model.{side}.layers.{l}.self_attn.q_proj.weight: (kv group key) emb",
    "{side}.layers.{l}.ask.heads.bQ": "model.{side}.layers.{l}.self_attn.q_proj.bias: (kv group key)",
    "{side}.layers.{l}.ask.heads.WK": "model.{side}.layers.{l}.self_attn.k_proj.weight: (kv key) emb",
    "{side}.layers.{l}.ask.heads.bK": "model.{side}.layers.{l}.self_attn.k_proj.bias: (kv key)",
    "{side}.layers.{l}.ask.heads.WV": "model.{side}.layers.{l}.self_attn.v_proj.weight: (kv val) emb",
    "{side}.layers.{l}.ask.heads.bV": "model.{side}.layers.{l}.self_attn.v_proj.bias: (kv val)",
    "{side}.layers.{l}.answer.together.WO": (
        "model.{side}.layers.{l}.self_attn.out_proj.weight: emb (kv group val)"
    ),
    "{side}.layers.{l}.answer.together.bO": "model.{side}.layers.{l}.self_attn.out_proj.bias: emb",
    "{side}.layers.{l}.answer.norm1.{n}": "model.{side}.layers.{l}.self_attn_layer_norm.{n}: emb",
    "decoder.layers.{l}.consult.WQ": (
        "model.decoder.layers.{l}.encoder_attn.q_proj.weight: (kv group key) emb"
    ),
    "decoder.layers.{l}.consult.bQ": "model.decoder.layers.{l}.encoder_attn.q_proj.bias: (kv group key)",
    "decoder.layers.{l}.tell.WK": "model.decoder.layers.{l}.encoder_attn.k_proj.weight: (kv key) emb",
    "decoder.layers.{l}.tell.bK": "model.decoder.layers.{l}.encoder_attn.k_proj.bias: (kv key)",
    "decoder.layers.{l}.tell.WV": "model.decoder.layers.{l}.encoder_attn.v_proj.weight: (kv val) emb",
    "decoder.layers.{l}.tell.bV": "model.decoder.layers.{l}.encoder_attn.v_proj.bias: (kv val)",
    "decoder.layers.{l}.reply.together.WO": (
        "model.decoder.layers.{l}.encoder_attn.out_proj.weight: emb (kv group val)"
    ),
    "decoder.layers.{l}.reply.together.bO": "model.decoder.layers.{l}.encoder_attn.out_proj.bias: emb",
    "decoder.layers.{l}.reply.norm1.{n}": "model.decoder.layers.{l}.encoder_attn_layer_norm.{n}: emb",
    "{last}.network.W1": "{last}.fc1.weight: hid emb",
    "{last}.network.b1": "{last}.fc1.bias: hid",
    "{last}.network.W2": "{last}.fc2.weight: emb hid",
    "{last}.network.b2": "{last}.fc2.bias: emb",
    "{last}.norm2.{n}": "{last}.final_layer_norm.{n}: emb",
    "side": {"encoder": "encoder", "decoder": "decoder"},
    "n": {"gamma": "weight", "beta": "bias"},
}
#: The part of a layer that has the network: the last of each side.
_LAST = {"encoder": "answer", "decoder": "reply"}


def _with_networks(names: Mapping[Any, Any]) -> dict[Any, Any]:
    """Write out {last} for each side: the part of its layers that holds the network."""
    found: dict[Any, Any] = {}
    for ours, theirs in names.items():
        for side, part in _LAST.items() if "{last}" in ours else [("", "")]:
            key = ours.replace("{last}", f"{side}.layers.{{l}}.{part}")
            is_text = isinstance(theirs, str)
            found[key] = (
                theirs.replace("{last}", f"model.{side}.layers.{{l}}") if is_text else theirs
            )
    return found


#: opus-mt and other Marian models: sinusoids, one table of words, and a bias of the scores.
MARIAN = _with_networks(
    {
        "encoder.words.E": "model.shared.weight: vocab emb",
        "decoder.scores.b": "final_logits_bias: 1 vocab",
        **_SIDES,
    }
)

#: bart-base and its sizes: tables of positions, whose first two rows are unused, and norms after the words.
BART = {
    **MARIAN,
    "{side}.places.P": "model.{side}.embed_positions.weight: place emb",
    "{side}.norm.{n}": "model.{side}.layernorm_embedding.{n}: emb",
}


def untied(names: Mapping[Any, Any], head: str = "lm_head.weight") -> dict[Any, Any]:
    """Add the name of the scores' matrix, for a model whose scores do not read the table of its words."""
    return {**names, "scores.E": f"{head}: vocab emb"}
