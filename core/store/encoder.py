"""Which encoder the vectors of a workspace were made by, as it is kept among its settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from core.files.safe_files import WRONG_SHAPE, parse_json
from core.store.settings import Settings

_SETTING = "encoder"
_LARGEST = 65_536  # dimensions


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """How an encoder is chosen: "minilm", "folder:PATH" or "ollama:MODEL", and what is put before a text; "" for what
    its folder says."""

    encoder: str = ""
    question_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True)
class KeptEncoder:
    """`model`: name and fingerprint, under which vectors of `dimension` numbers are kept."""

    choice: EncoderChoice
    model: str
    dimension: int


MINILM = KeptEncoder(EncoderChoice("minilm"), "all-MiniLM-L6-v2", 384)


def kept_encoder(settings: Settings, default: KeptEncoder = MINILM) -> KeptEncoder:
    """What `keep_encoder` kept; `default` where nothing was, or what was cannot be read."""
    try:
        found: Any = parse_json(settings.get(_SETTING))
        encoder = KeptEncoder(EncoderChoice(**found["choice"]), str(found["model"]), int(found["dimension"]))
    except WRONG_SHAPE:
        return default
    return encoder if 0 < encoder.dimension <= _LARGEST else default


def keep_encoder(settings: Settings, encoder: KeptEncoder) -> None:
    """The vectors that are made from now on are of this one."""
    if kept_encoder(settings) != encoder:
        settings.set(_SETTING, json.dumps(asdict(encoder)))
