"""How text of documents is put before a language model: as data, between marks that it cannot contain."""

from __future__ import annotations

from core.identity import stable_id


def marked(what: str, text: str, *of: str) -> str:
    """`text` between marks with a number that it cannot hold, for it is a hash of it (or of `of`, what holds it)."""
    number = stable_id("mark", *(of or (text,)))
    return f"<{what} {number}>\n{text}\n</{what} {number}>"
