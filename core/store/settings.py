"""Named values of a workspace: its folder, its extractor, its revision, and the encoder that made its vectors."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from core.files.safe_files import WRONG_SHAPE, parse_json
from core.store.database import Tables

CHOSEN = "chosen"  # settings that indexing keeps, a line each
ASKING = "asking"  # settings of asking that a person keeps, a line each
COMPOSITIONS = "compositions"  # ways of retrieving that a person composed, a text in TOML
CHANGED = "facts_changed"  # facts that changed since communities and places were made anew
OWN_ROUTE = "own_route"  # lab:NAME, the composition that "auto" asks by; "" where the score chooses


_URI = "file://"


def path_as_text(path: Path) -> str:
    """Return an absolute path as a database can hold it: as it is, or as a URI where its bytes are no UTF-8."""
    text = str(path)
    return path.as_uri() if any("\ud800" <= letter <= "\udfff" for letter in text) else text


def path_from_text(text: str) -> Path:
    """Return the path that `path_as_text` wrote."""
    return (
        Path(os.fsdecode(unquote_to_bytes(text.removeprefix(_URI)))) if text.startswith(_URI) else Path(text)
    )


class Settings(Tables):
    def get(self, name: str, default: str = "") -> str:
        row = self._select_one("SELECT value FROM settings WHERE name = ?", (name,))
        return str(row[0]) if row else default

    def set(self, name: str, value: str) -> None:
        self._write("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))

    def put_first(self, name: str, value: str) -> str:
        """Set what nobody set yet; what is set now."""
        self._write("INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)", (name, value))
        return self.get(name)

    def there(self) -> bool:
        """Whether the file has its tables: a first run may have been killed before it made them."""
        sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'settings'"
        return bool(self._select_one(sql)[0])

    def revision(self) -> int:
        """Grows with every change of the content; derived files are stamped with it."""
        return int(self.get("revision", "0"))

    def touch(self) -> None:
        """Say that the content changed."""
        self._write(
            "INSERT INTO settings (name, value) VALUES ('revision', '1')"
            " ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
        )


_ENCODER = "encoder"
_LARGEST = 65_536  # dimensions


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """How an encoder is chosen: "minilm", "folder:PATH" or "ollama:MODEL", and what is put before a text; "" for what
    its folder says."""

    encoder: str = ""
    question_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True)
class EncoderRecord:
    """`model`: name and fingerprint, under which vectors of `dimension` numbers are kept."""

    choice: EncoderChoice
    model: str
    dimension: int


MINILM = EncoderRecord(EncoderChoice("minilm"), "all-MiniLM-L6-v2", 384)


def read_encoder(settings: Settings, default: EncoderRecord = MINILM) -> EncoderRecord:
    """What `write_encoder` kept; `default` where nothing was, or what was cannot be read."""
    try:
        found: Any = parse_json(settings.get(_ENCODER))
        encoder = EncoderRecord(
            EncoderChoice(**found["choice"]), str(found["model"]), int(found["dimension"])
        )
    except WRONG_SHAPE:
        return default
    return encoder if 0 < encoder.dimension <= _LARGEST else default


def write_encoder(settings: Settings, encoder: EncoderRecord) -> None:
    """The vectors that are made from now on are of this one."""
    if read_encoder(settings) != encoder:
        settings.set(_ENCODER, json.dumps(asdict(encoder)))
