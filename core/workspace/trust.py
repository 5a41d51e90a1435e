"""Which workspaces are the person's own: by ids in them, at their place, noted outside of them.

A workspace that was copied, moved, received, or comes from a backup has no note for its place. What is noted lies
in the person's own folder, a small file for each place, so that other people and machines have notes of their own.
"""

from __future__ import annotations

import hashlib
import secrets
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from core.config import changed, saved_config
from core.errors import Untrusted, WorkspaceError
from core.extraction.extractors import known_extractor
from core.files.faults import explained
from core.files.personal import personal_folder, read_personal, write_personal
from core.store.database import Database
from core.store.settings import ASKING, CHOSEN, Settings
from core.store.store import FILE
from core.text.translation import tr
from core.types import Origin

_IDS = "id"  # among the settings of a workspace: one for each place and person where it is trusted
_MOST = 32  # of them
_NOTE = "workspace-"  # what the names of notes begin with


def origin_of(path: Path) -> Origin | None:
    """Where the workspace in a folder comes from; None where there is none yet. Changes nothing.

    Raises WorkspaceError for one that cannot be read.
    """
    database = path / FILE
    if not database.exists() or not database.stat().st_size:
        return None
    opened = Database(database, read_only=True, any_version=True)
    try:
        settings = Settings(opened)
        if not settings.there():
            return None
        ids, folder, extractor = (_escape(settings.get(name)) for name in (_IDS, "folder", "extractor"))
        lines = [line for name in (CHOSEN, ASKING) for line in settings.get(name).splitlines()]
        chosen = tuple(changed(saved_config(lines)))
    finally:
        opened.close()
    note = read_personal(_note(path))
    trusted = note.get("id") in ids.split() if ids else bool(note.get("making"))
    known_at = "" if trusted else next(_places(ids.split()), "")
    moved = bool(known_at) and not (Path(known_at) / FILE).exists()
    named = (folder, known_extractor(extractor), chosen)
    return Origin(_place(path), trusted, known_at, moved, *named, older=not opened.is_current)


def begin_making(path: Path) -> None:
    """Note that a workspace is made here now: whatever kills this process, it is no stranger afterwards."""
    _write(path, {"making": True})


def end_making(path: Path, settings: Settings) -> None:
    """Give a workspace that was made here its id, unless it has one."""
    if read_personal(_note(path)).get("making"):
        _write(path, {"id": settings.put_first(_IDS, _new_id()).split()[0]})


def trust(path: Path) -> None:
    """Take the workspace for the person's own, at this place; it is brought up to date.

    It gets an id of its own for that: those who had it before do not know by which it is trusted here, and those
    who share its place keep theirs. Raises WorkspaceError.
    """
    database = Database(path / FILE)
    try:
        if database.read_only:
            raise WorkspaceError(
                tr("The workspace {path} cannot be written.", path=path),
                tr("Copy it to a place where you may write, then trust it."),
            )
        settings, id = Settings(database), _new_id()
        settings.set(_IDS, " ".join([*settings.get(_IDS).split()[1 - _MOST :], id]))
    finally:
        database.close()
    _write(path, {"id": id})


def untrusted(origin: Origin) -> Untrusted:
    """What is told where something would be done in a workspace that is not trusted."""
    words = origin.refusal
    if origin.older:
        older = tr(
            "An older Clew made it, so it would have to be changed to be read. It names the folder {folder}, "
            "read by {extractor}.",
            folder=origin.folder or tr("(none)"),
            extractor=origin.extractor,
        )
        words = f"{words} {older}"
    return Untrusted(
        words,
        tr("To see what it names, and to trust it: clew trust {path}", path=shlex.quote(str(origin.path))),
    )


def _places(ids: Collection[str]) -> Iterator[str]:
    """Where the workspace of one of these ids was trusted."""
    for file in sorted(personal_folder().glob(f"{_NOTE}*.json")):
        note = read_personal(file.stem)
        if note.get("id") in ids:
            yield str(note.get("path", ""))


def _write(path: Path, note: dict[str, Any]) -> None:
    with explained(personal_folder()):
        write_personal(_note(path), {"path": _place(path), **note})


def _note(path: Path) -> str:
    return _NOTE + hashlib.sha256(_place(path).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _place(path: Path) -> str:
    return str(path.expanduser().resolve())


def _escape(text: str) -> str:
    """What a stranger wrote, on one line and without signs that change how it is read."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _new_id() -> str:
    return secrets.token_hex(16)
