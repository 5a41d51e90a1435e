"""What a reader hands to the loader, before titles are chosen."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Boxes, Page, Region


@dataclass(frozen=True, slots=True)
class Reading:
    """Cleaned text of a file and what the file says of itself; empty where it says nothing."""

    text: str
    pages: tuple[Page, ...] = ()
    title: str = ""  # as its metadata has it, sensible or not
    heading: str = ""  # its first heading
    date: str = ""  # in whatever form the file has it
    author: str = ""
    regions: tuple[Region, ...] = ()
    boxes: Boxes | None = None
    metadata: tuple[tuple[str, str], ...] = ()
