"""SmolLM2-135M: a Llama of thirty layers, read from a GGUF file with its tokenizer."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

import namedtensor as nt
from transformer_named.published.models import Transformer
from transformer_named.published.names import LLAMA_GGUF, untied


class File(Mapping[str, np.ndarray]):
    """The tensors of a GGUF file by name, each made of its quantized blocks when it is asked for."""

    def __init__(self, path: Path) -> None:
        import gguf

        self.gguf = gguf
        self.reader = gguf.GGUFReader(str(path))
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}
        self.last: tuple[str, Any] = "", None

    def __getitem__(self, name: str) -> np.ndarray:
        if self.last[0] != name:
            tensor = self.tensors[name]
            self.last = name, self.gguf.dequantize(tensor.data, tensor.tensor_type)
        found: np.ndarray = self.last[1]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def told(self, name: str) -> Any:
        """Give an entry of the file's description by its name, or None."""
        field = self.reader.fields.get(name)
        return None if field is None else field.contents()


def read(path: Path) -> File:
    """Open a GGUF file."""
    return File(path)


def load(file: File) -> Transformer:
    """Make the decoder that a GGUF file of a Llama describes, with its weights."""

    def told(name: str) -> Any:
        return file.told(f"llama.{name}")

    kv = int(told("attention.head_count_kv"))
    tied = "output.weight" not in file
    model = decoder(
        vocab=int(told("vocab_size")),
        emb=int(told("embedding_length")),
        hid=int(told("feed_forward_length")),
        kv=kv,
        group=int(told("attention.head_count")) // kv,
        key=int(told("rope.dimension_count")),
        layers=int(told("block_count")),
        eps=float(told("attention.layer_norm_rms_epsilon")),
        base=float(told("rope.freq_base")),
        tied=tied,
        device="meta",
    )
    nt.load(model, file, LLAMA_GGUF if tied else untied(LLAMA_GGUF, "output.weight"), device="cpu")
    return model


def decoder(**sizes: Any) -> Transformer:
    """Make a Llama, without weights."""
    model = Transformer(
        positions="rotary", norm="rms", network="gated", activation="silu", bias=False, **sizes
    )
    return model.eval()


def tokenizer_of(file: File) -> tuple[Any, int]:
    """Make the tokenizer of the file, which merges pairs of bytes, and give the id of the end."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    words = {word: number for number, word in enumerate(file.told("tokenizer.ggml.tokens"))}
    merges = [tuple(pair.split(" ")) for pair in file.told("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(words, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, int(file.told("tokenizer.ggml.eos_token_id"))


def scores(model: Transformer, ids: list[int]) -> Any:
    """Score every next word of each place, in R[seq', vocab]."""
    with torch.no_grad():
        return model(nt.tensor(torch.tensor(ids), "seq'"))
