"""How text of documents is put before a language model: as data, between marks that it cannot contain."""

from __future__ import annotations

from core.types.identity import stable_id


def wrap_untrusted(what: str, text: str, *of: str) -> str:
    """`text` between marks with a number that it cannot hold, for it is a hash of it (or of `of`, what holds it)."""
    begin, end = untrusted_marks(what, *(of or (text,)))
    return f"{begin}\n{text}\n{end}"


def untrusted_marks(what: str, *of: str) -> tuple[str, str]:
    """The marks alone, for texts `of` that stand between them one by one."""
    number = stable_id("mark", *of)
    return f"<{what} {number}>", f"</{what} {number}>"
