"""What belongs to the person at this machine and to no workspace: settings, what is trusted, a secret.

Each is a small file in the person's configuration folder, readable by its owner only.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

_SECRET = "secret"
_SECRET_BYTES = 32
_LARGEST = 1 << 20  # bytes; ours are some hundred


def personal_folder() -> Path:
    """Where the files lie; it may not exist yet."""
    return platformdirs.user_config_path("clew", appauthor=False)


def read_personal(name: str) -> dict[str, Any]:
    """What was written under `name`; {} where nothing was, or it cannot be read: nothing is taken for granted then."""
    try:
        with open(personal_folder() / f"{name}.json", "rb") as file:
            found = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_personal(name: str, value: dict[str, Any]) -> None:
    """Whole or not at all. Raises OSError where the folder cannot be written."""
    folder = _own_folder()
    part, path = tempfile.mkstemp(prefix=f".{name}-", dir=folder)  # readable by its owner only
    try:
        with open(part, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
        os.replace(path, folder / f"{name}.json")
    except BaseException:
        with contextlib.suppress(OSError):
            Path(path).unlink()
        raise


@functools.cache
def machine_secret() -> bytes:
    """32 random bytes, made once for this person at this machine; of this process only where none can be kept."""
    try:
        path = _own_folder() / _SECRET
        with contextlib.suppress(FileExistsError):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "wb") as new:
                new.write(secrets.token_bytes(_SECRET_BYTES))
        found = path.read_bytes()
    except OSError:
        found = b""
    # Too short: another process is writing it at this very moment, or the disk was full.
    return found if len(found) == _SECRET_BYTES else secrets.token_bytes(_SECRET_BYTES)


def _own_folder() -> Path:
    folder = personal_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder
