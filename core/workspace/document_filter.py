"""Which documents a person means: words, and what the documents say of themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.types import Document

_TERM = re.compile(r'(?:(?P<field>[a-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>\S+))', re.IGNORECASE)

_FIELDS: Mapping[str, Callable[[Document], str]] = {
    "author": lambda document: document.author or "",
    "from": lambda document: document.author or "",
    "title": lambda document: document.title,
    "path": lambda document: document.path,
    "type": lambda document: f"{document.media_type} {document.path.rpartition('.')[2]}",
    "date": lambda document: document.date or "",
    "state": lambda document: document.state.value,
}


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """`lund author:"Karen Lund" type:pdf after:2021-05 before:2021-07`; every term must hold.

    A word is sought in title, path, author and date; `after` and `before` take the begin of an ISO
    date, both inclusive, and let no document without a date through. A field that there is none of is
    sought as a word. Letter case does not matter.
    """

    terms: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> DocumentFilter:
        """Never fails: whatever is typed is sought."""
        terms = []
        for match in _TERM.finditer(text.lower()):
            field, value = (
                match["field"] or "",
                match["phrase"] if match["phrase"] is not None else match["word"],
            )
            if field in (*_FIELDS, "after", "before"):
                terms.append((field, value))
            else:
                terms.append(("", f"{field}:{value}" if field else value))
        return cls(tuple(terms))

    def matches(self, document: Document) -> bool:
        return all(_holds(document, field, value) for field, value in self.terms)


def _holds(document: Document, field: str, value: str) -> bool:
    date = (document.date or "")[:10]
    if field == "after":
        return bool(date) and date[: len(value)] >= value
    if field == "before":
        return bool(date) and date[: len(value)] <= value
    if field:
        return value in _FIELDS[field](document).lower()
    return value in f"{document.title}\n{document.path}\n{document.author or ''}\n{date}".lower()
