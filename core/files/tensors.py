"""Weights on the disk: safetensors files with a format of their own, as the router and the recogniser keep them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def read_tensors(path: Path, format_: str) -> tuple[dict[str, str], dict[str, NDArray[np.floating]]]:
    """What the file says of itself, and its tensors by name.

    Raises ValueError where it is missing, broken, or says that it is of another format.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        metadata, tensors = metadata_of(path), load_file(path)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    if metadata.get("format") != format_:
        raise ValueError(f"{path.name} is not of the format {format_}")
    return metadata, tensors


def metadata_of(path: Path) -> dict[str, str]:
    """What a safetensors file says of itself, {} when nothing. Raises OSError, SafetensorError."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return dict(file.metadata() or {})


def pack_tensors(tensors: Mapping[str, NDArray[np.float32]], metadata: Mapping[str, str]) -> bytes:
    """A safetensors file; the same bytes for the same content, which the library's order of metadata is not."""
    from safetensors.numpy import save

    written = save(dict(tensors), dict(metadata))
    end = 8 + int.from_bytes(written[:8], "little")  # the header's length stands before it
    header = json.loads(written[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # what follows is aligned
    return len(text).to_bytes(8, "little") + text + written[end:]
