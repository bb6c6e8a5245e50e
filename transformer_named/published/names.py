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


def untied(names: Mapping[Any, Any], head: str = "lm_head.weight") -> dict[Any, Any]:
    """Add the scores' own matrix to the names of a model that does not tie it to its words."""
    return {**names, "scores.E": f"{head}: vocab emb"}
