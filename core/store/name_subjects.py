"""Subjects of decisions on what an entity is called ("entity-name NORMAL") or is ("entity-type NORMAL"), and on whom
mentions mean ('mention ["NORMAL","HASH"]', by the text of their passage)."""

from __future__ import annotations

import json
from typing import Any

from core.files.safe_files import parse_json

NAME, LABEL, _MENTION = "entity-name ", "entity-type ", "mention "
_FIELDS = {NAME: "name", LABEL: "label"}


def mention_subject(normal: str, passage: str) -> str:
    """Of the mentions of a name in passages of this text, by its hash."""
    return _MENTION + json.dumps([normal, passage], ensure_ascii=False, separators=(",", ":"))


def override_of(subject: str) -> tuple[str, str] | None:
    """Name and field that are decided on; None where it is something else."""
    for prefix, field in _FIELDS.items():
        if subject.startswith(prefix) and subject != prefix:
            return subject.removeprefix(prefix), field
    return None


def mention_of(subject: str) -> tuple[str, str] | None:
    """Name and hash of the passage; None where it is something else. Raises ValueError for no mention."""
    if not subject.startswith(_MENTION):
        return None
    try:
        names: Any = parse_json(subject.removeprefix(_MENTION))
        normal, passage = names
    except TypeError as error:
        raise ValueError(f"{subject[:80]!r} names nothing") from error
    if mention_subject(str(normal), str(passage)) != subject:
        raise ValueError(f"{subject[:80]!r} is no mention")
    return str(normal), str(passage)
