"""What the detail of a stage shows: tables under headings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.widgets.table import Column


@dataclass(frozen=True, slots=True)
class Section:
    """A table under a heading; `note` stands between them. Records with a `passage_id` or `entity_id` lead there."""

    title: str
    columns: tuple[Column, ...]
    records: tuple[Any, ...]
    note: str = ""
