"""Whether a pack is as it was written, and whether the documents of a workspace still are as it shows them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from core.errors import BadInput, DocumentError
from core.ingest.source_files import open_source
from core.store.store import Store
from core.text.translation import tr
from core.types import Check
from core.workspace.pack.archive import unzipped
from core.workspace.pack.seal import RECORD, check_seal

_NAMED = 3  # of what differs


def check_pack(source: Path, keys: Collection[str] = ()) -> list[Check]:
    """`keys`: fingerprints of keys that are known beside the person's own. Raises BadInput where there is no file."""
    files, unreadable = _opened(source)
    return [unreadable] if unreadable else check_seal(files, keys)


def compare_pack(source: Path, store: Store, folder: Path | None) -> list[Check]:
    """Documents and passages of a pack that is whole, held against a workspace and the folder it was read from.

    Raises BadInput where it cannot be read at all.
    """
    files, _ = _opened(source)
    try:
        record = json.loads(files[RECORD])
        packed = {str(each["id"]): (str(each["path"]), str(each["sha256"])) for each in record["documents"]}
        texts = {str(each["id"]): (str(each["document"]), str(each["text"])) for each in record["passages"]}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            tr("The pack does not tell what it holds."), tr("Get a new copy from who made it.")
        ) from error
    now = {document.id: document for document in store.documents.some(packed)}
    changed = [path for id, (path, sha256) in packed.items() if id not in now or now[id].sha256 != sha256]
    there = {
        stored.passage.id: stored.passage.text for id in now for stored in store.passages.of_document(id)
    }
    gone = [path for id, (path, text) in texts.items() if there.get(id) != text]
    remedy = tr("The pack shows what was there when it was made; ask again to see what is there now.")
    checks = [
        _check(
            "documents", changed, tr("all {count} are in the workspace as packed", count=len(packed)), remedy
        ),
        _check("passages", gone, tr("all {count} are in the workspace as packed", count=len(texts)), remedy),
    ]
    if folder is not None:
        other = [
            path
            for id, (path, sha256) in packed.items()
            if id not in now or not _on_disk(folder, now[id].file, sha256)
        ]
        checks.append(
            _check(
                "originals", other, tr("all {count} are in the folder as packed", count=len(packed)), remedy
            )
        )
    return checks


def _opened(source: Path) -> tuple[Mapping[str, bytes], Check | None]:
    try:
        return unzipped(source), None
    except BadInput as error:
        return {}, Check("zip", False, 1, error.message, error.remedy)
    except (OSError, DocumentError) as error:
        raise BadInput(
            tr("{path} cannot be read.", path=source), tr("Name a pack that clew ask --pack wrote.")
        ) from error


def _check(name: str, differing: Iterable[str], sound: str, remedy: str) -> Check:
    paths = sorted(set(differing))
    if not paths:
        return Check(name, True, 0, sound)
    listing = ", ".join(paths[:_NAMED])
    if len(paths) > _NAMED:
        listing = tr("{paths} and {count} more", paths=listing, count=len(paths) - _NAMED)
    return Check(name, False, len(paths), tr("changed or gone since: {paths}", paths=listing), remedy)


def _on_disk(folder: Path, file: str, sha256: str) -> bool:
    """`file` is what the workspace calls it, not the pack: that may have come from anybody."""
    try:
        with open_source(folder / file, folder) as opened:
            found = hashlib.sha256()
            while part := opened.read(1 << 20):
                found.update(part)
            return found.hexdigest() == sha256
    except (OSError, ValueError, DocumentError):
        return False
