"""torch modules made from signatures."""

from typing import TYPE_CHECKING, NoReturn

if not TYPE_CHECKING:

    def __getattr__(word: str) -> NoReturn:
        from namedtensor.errors import HabitError

        if word[0] == "_":
            raise AttributeError(f"module {__name__} has no attribute {word}")
        raise HabitError(
            f"nt.nn.{word}",
            f"namedtensor.nn has no {word}: a layer is a formula",
            hint="write it, as the tutorial does, or hold a module of torch as a parameter, net: "
            f'nt.lift["seq emb -> seq hid"], and give it: f.module(net=torch.nn.{word}(...))',
        )
