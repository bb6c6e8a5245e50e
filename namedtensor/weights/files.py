"""Where weights come from and go to: state dicts, safetensors files, torch's files.

A file is read from its front. Every length is checked against the size of the file before it is used, so that
a truncated, broken or hostile file is refused at once and without filling memory.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from namedtensor.backends.lazy import np
from namedtensor.errors import BackendError, KindError, WeightsError, first_line, kind_of_thing
from namedtensor.tensor import NamedTensor

#: The most bytes of a list of tensors, some 100,000 of them. Longer lists take seconds to read.
LONGEST_LIST = 8 << 20
_SAFETENSORS = (".safetensors", ".sft")
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
_ZIP, _PICKLE = b"PK\x03\x04", b"\x80"


class Source:
    """Tensors by name, read one at a time, and the axes of those whose file names them."""

    def __init__(self, name: str, held: Mapping[str, Any], axes: Mapping[str, Any]) -> None:
        self.name = name
        self.held = held
        self.axes = axes

    def named(self, key: str) -> bool:
        """Say whether the source has this tensor as a named tensor, whose axes need not be given."""
        return isinstance(self.held[key], NamedTensor)

    def __contains__(self, key: str) -> bool:
        return key in self.held

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def sizes(self, call: str, key: str) -> tuple[int, ...]:
        return tuple(self.tensor(call, key).shape)

    def tensor(self, call: str, key: str) -> Any:
        """Give a tensor of torch, as it is stored."""
        import torch

        data = self.held[key]
        if isinstance(data, NamedTensor):
            data = data.data  # in its own order, which `axes` gives
        if not isinstance(data, torch.Tensor) and hasattr(data, "__array__"):
            data = _of_numpy(call, key, np.asarray(data))
        if (
            not isinstance(data, torch.Tensor)
            or data.layout is not torch.strided
            or data.is_quantized
        ):
            raise KindError(
                call,
                f"{key} is {kind_of_thing(data)}, and not a dense tensor",
                hint="leave it out of the names",
            )
        if data.is_meta:
            raise WeightsError(
                call,
                f'{key} is on the device "meta", and has no numbers',
                hint="give a source that has numbers, or leave it out of the names",
            )
        return data.detach()


def _of_numpy(call: str, key: str, array: Any) -> Any:
    """Make a torch tensor; an array that is reversed, read-only or in another byte order is copied first."""
    import torch

    try:
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        kept = native.flags.writeable and all([step >= 0 for step in native.strides])
        return torch.as_tensor(native if kept else native.copy())
    except (TypeError, ValueError):
        raise KindError(
            call,
            f"{key} is an array of {array.dtype}, which torch does not have",
            hint="convert it first, as its numbers are meant: x.astype(float)",
        ) from None


class _Safetensors(Source):
    """A safetensors file that is open: its tensors are views of the file in memory."""

    def __init__(self, name: str, file: Any) -> None:
        told = (file.metadata() or {}).get("axes", "{}")
        super().__init__(name, dict.fromkeys(file.keys()), _axes_of_text(told))
        self.file = file

    def sizes(self, call: str, key: str) -> tuple[int, ...]:
        return tuple(self.file.get_slice(key).get_shape())

    def tensor(self, call: str, key: str) -> Any:
        return self.file.get_tensor(key)


def open_source(call: str, source: Any) -> Source:
    """Open a state dict or a file; the first bytes of a file tell its kind."""
    if isinstance(source, Mapping):
        named = {key: X.axes for key, X in source.items() if isinstance(X, NamedTensor)}
        return Source("the state dict", source, {**_axes_of_state(source), **named})
    if not isinstance(source, (str, os.PathLike)):
        raise BackendError(
            call,
            f"the source is {kind_of_thing(source)}",
            hint='a state dict, or a file: "model.safetensors", "model.pt"',
        )
    path = Path(source)
    try:
        with path.open("rb") as file:
            start = file.read(9)
            length = os.fstat(file.fileno()).st_size
    except OSError as error:
        _refuse(
            call, path, f"cannot be opened: {error.strerror or error}", "give the path of a file"
        )
    # the length of a list of tensors, in eight bytes before its {, may begin as a pickle does
    pickled = start.startswith(_PICKLE) and start[4:] != b"\0\0\0\0{"
    of_torch = pickled or start.startswith(_ZIP)
    if path.suffix in _SAFETENSORS and of_torch:
        _refuse(
            call,
            path,
            "is a pickle or a file of torch, under the name of a safetensors file",
            "if you trust it, name it model.pt; it is read without running anything in it",
        )
    if pickled:
        _refuse(
            call,
            path,
            "is a bare pickle, or a file of torch from before 1.6, and is not read",
            "write it again with torch.save, or as a safetensors file",
        )
    if start.startswith(_ZIP):
        return _open_torch(call, path)
    if path.suffix in _TORCH:
        _refuse(
            call, path, "is no file of torch", "write it with torch.save(module.state_dict(), path)"
        )
    return _open_safetensors(call, path, start[:8], length)


def _open_safetensors(call: str, path: Path, start: bytes, length: int) -> Source:
    listed = int.from_bytes(start, "little") if len(start) == 8 else 0
    if len(start) < 8 or listed + 8 > length:
        _refuse(
            call,
            path,
            f"has {length} bytes, and its list of tensors alone would have {listed}"
            if len(start) == 8
            else f"has {length} bytes, and a safetensors file has at least 8",
            "it is cut off or no safetensors file: get it again",
        )
    if listed > LONGEST_LIST:
        _refuse(
            call,
            path,
            f"lists its tensors in {listed} bytes, and {LONGEST_LIST} are read at most",
            "part it into several files, or give a state dict",
        )
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise _needs_safetensors(call) from None
    try:
        file = safe_open(str(path), framework="pt")
    except (SafetensorError, OSError, ValueError) as error:
        _refuse(
            call,
            path,
            f"cannot be read: {first_line(error)}",
            "it is cut off or broken: get it again",
        )
    return _Safetensors(path.name, file)


def _open_torch(call: str, path: Path) -> Source:
    import torch

    parts = _hold_zip(call, path)
    try:
        held = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:
        _refuse(
            call,
            path,
            f"cannot be read without running what is in it: {first_line(error)}",
            "write it again with torch.save(module.state_dict(), path)",
        )
    if not isinstance(held, Mapping):
        _refuse(
            call,
            path,
            f"holds {kind_of_thing(held)}, and no state dict",
            "write it again with torch.save(module.state_dict(), path)",
        )
    # torch maps the file and trusts the lengths in the pickle
    flat = [data for data in held.values() if isinstance(data, torch.Tensor)]
    dense = [data.untyped_storage() for data in flat if data.layout is torch.strided]
    told = Counter({s.data_ptr(): s.nbytes() for s in dense if s.nbytes()}.values())
    if told - Counter(parts):
        _refuse(
            call, path, "tells more numbers of a tensor than it has", "it is broken: get it again"
        )
    return Source(path.name, held, _axes_of_state(held))


def _hold_zip(call: str, path: Path) -> list[int]:
    """Give the lengths of an archive's parts; refuse one that is packed or has a very long pickle."""
    import zipfile

    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        file.seek(max(length - 65557 - 100, 0))
        end = file.read()
    directory = _directory(end)
    if directory > LONGEST_LIST:
        _refuse(
            call,
            path,
            f"lists its parts in {directory} bytes, and {LONGEST_LIST} are read at most",
            "part it",
        )
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as error:
        _refuse(
            call,
            path,
            f"cannot be read: {first_line(error)}",
            "it is cut off or broken: get it again",
        )
    packed = [part for part in parts if part.compress_type != zipfile.ZIP_STORED]
    if packed or sum([part.file_size for part in parts]) > length:
        _refuse(
            call,
            path,
            "is packed, which a file that torch wrote never is",
            "write it again with torch.save(module.state_dict(), path)",
        )
    longest = max([part.file_size for part in parts if part.filename.endswith(".pkl")], default=0)
    if longest > LONGEST_LIST // 2:
        _refuse(
            call,
            path,
            f"lists its tensors in {longest} bytes, and {LONGEST_LIST // 2} are read at most",
            "write it as a safetensors file, or give a state dict",
        )
    return [part.file_size for part in parts]


def _directory(end: bytes) -> int:
    """Give the length of an archive's list of parts, as the end of its file says."""
    place = end.rfind(b"PK\x05\x06")
    found = int.from_bytes(end[place + 12 : place + 16], "little") if place >= 0 else 0
    wide = end.rfind(b"PK\x06\x06")
    if found == 0xFFFFFFFF and wide >= 0:
        found = int.from_bytes(end[wide + 40 : wide + 48], "little")
    return found


def _refuse(call: str, path: Path, why: str, hint: str) -> NoReturn:
    raise WeightsError(call, f"{path.name} {why}", hint=hint) from None


def _needs_safetensors(call: str) -> BackendError:
    return BackendError(
        call, "safetensors is not installed", hint='pip install "namedtensor-notation[weights]"'
    )


# ---------------------------------------------------------------------------------------------- axes


def _axes_of_state(state: Any) -> dict[str, tuple[str, ...]]:
    """Read the axes that the state dict of a formula's module holds beside its tensors."""
    found = {}
    for prefix, told in (getattr(state, "_metadata", None) or {}).items():
        for name, axes in (told.get("axes", {}) if isinstance(told, Mapping) else {}).items():
            found[f"{prefix}.{name}" if prefix else name] = tuple(axes)
    return found


def _axes_of_text(text: str) -> dict[str, tuple[str, ...]]:
    """Read the axes that save wrote into a safetensors file."""
    try:
        told = json.loads(text)
        return {str(name): tuple(map(str, axes.split())) for name, axes in told.items()}
    except (ValueError, AttributeError, RecursionError):
        return {}


def _tell_axes(state: Any, tensors: Iterable[str], axes: Mapping[str, Iterable[str]]) -> None:
    """Write the axes of these tensors into a state dict's metadata, as a formula's module does."""
    told = state.__dict__.setdefault("_metadata", OrderedDict())
    for key in tensors:
        prefix, _, name = key.rpartition(".")
        own = told.setdefault(prefix, {}).setdefault("axes", {})
        own.pop(name, None)
        if key in axes:
            own[name] = list(axes[key])


# ------------------------------------------------------------------------------------------ writing


def write(
    call: str, target: Any, tensors: dict[str, Any], axes: Mapping[str, Iterable[str]]
) -> None:
    """Fill a dict, or write a file: all of it or, where that fails, nothing."""
    if isinstance(target, dict):
        target.update(tensors)
        if hasattr(target, "__dict__"):  # an OrderedDict, such as a state dict that told other axes
            _tell_axes(target, tensors, axes)
        return
    if not isinstance(target, (str, os.PathLike)) or Path(target).suffix not in (
        *_SAFETENSORS,
        *_TORCH,
    ):
        shown = (
            Path(target).name if isinstance(target, (str, os.PathLike)) else kind_of_thing(target)
        )
        raise BackendError(
            call,
            f"the target is {shown}",
            hint='a dict, or a file: "model.safetensors", "model.pt"',
        )
    path = Path(target)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    except OSError as error:
        raise WeightsError(
            call,
            f"{path.name} cannot be written: {error.strerror}",
            hint="give a path in a folder that is there and may be written",
        ) from None
    os.close(handle)
    try:
        if path.suffix in _TORCH:
            import torch

            state = OrderedDict(tensors)
            _tell_axes(state, tensors, axes)
            torch.save(state, name)
        else:
            try:
                from safetensors.torch import save_file
            except ImportError:
                raise _needs_safetensors(call) from None
            told = {key: " ".join(names) for key, names in axes.items()}
            save_file(tensors, name, metadata={"format": "pt", "axes": json.dumps(told)})
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
