"""Keep what emitted code builds from sizes alone: masks, encodings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.compilers import keep

#: For how many sizes one constant is kept; the oldest is forgotten first.
MANY = 8
#: Constants of more bytes than this are not kept.
LARGE = 1 << 24


class Kept:
    """A cached function of sizes and of an array `like` the result.

    `usable(like)` says whether the array is plain, and not a compiler's or a transform's, so that results may
    be kept; `as_like` gives numbers the dtype and device of an array; `apart` computes outside of modes, such
    as torch's inference mode, that would make the result unusable in other calls; `state` gives what else the
    result depends on.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        usable: Callable[[Any], bool],
        as_like: Callable[[Any, Any], Any],
        apart: Callable[[Callable[[], Any]], Any],
        state: Callable[[], Any],
    ) -> None:
        self.make = make
        self.usable = usable
        self.as_like = as_like
        self.apart = apart
        self.state = state
        self.found: dict[Any, Any] = {}

    def __call__(self, *given: Any) -> Any:
        like = given[-1]
        if not self.usable(like):
            return self.make(*given)
        key = (*given[:-1], getattr(like, "device", None), self.state())
        result = self.found.get(key)
        return self._kept(key, given, None) if result is None else result

    def like(self, *given: Any) -> Any:
        """Give the constant in the dtype and on the device of `like`."""
        like = given[-1]
        if not self.usable(like):
            return self.as_like(self.make(*given), like)
        key = (*given[:-1], like.dtype, like.device, self.state())
        result = self.found.get(key)
        return self._kept(key, given, like) if result is None else result

    def _kept(self, key: Any, given: tuple[Any, ...], like: Any) -> Any:
        result = self.apart(lambda: self._made(given, like))
        if result.nbytes <= LARGE and self.usable(result):
            result = keep(self.found, key, result, MANY)
        return result

    def _made(self, given: tuple[Any, ...], like: Any) -> Any:
        result = self.make(*given)
        return result if like is None else self.as_like(result, like)
