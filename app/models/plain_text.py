"""Text of documents, on its way to places where Qt would guess whether it is rich text."""

from __future__ import annotations

from html import escape


def tooltip(text: str) -> str:
    """A tooltip that shows `text` letter by letter and wraps its lines.

    Qt guesses rich text in tooltips; here every sign of mark-up is escaped before it can.
    """
    lines = "<br>".join(escape(line) for line in text.splitlines())
    return f"<qt>{lines}</qt>" if text else ""
