"""Names and text of others, on their way to places where Qt reads more than letters out of them."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QWidget

from app.look.translation import tr
from core.text.escape_controls import escape_controls


def tooltip(text: str) -> str:
    """Return a tooltip that shows `text` letter by letter and wraps its lines.

    Qt guesses rich text in tooltips; here every sign of mark-up is escaped before it can.
    """
    lines = "<br>".join(escape(escape_controls(line)).replace("  ", " &nbsp;") for line in text.split("\n"))
    return f"<qt>{lines}</qt>" if text else ""


def set_tip(widget: QWidget, words: str) -> None:
    """Set a widget's tooltip, of which a screen reader is told the words without their mark-up."""
    widget.setToolTip(tooltip(words))
    widget.setAccessibleDescription(words)


def places(folder: object, workspace: object) -> str:
    """Return where a workspace lies and whose it is, a line each."""
    lies = escape_controls(str(folder)) if folder else tr("not known")
    return tr(
        "Folder: {folder}\nWorkspace: {workspace}", folder=lies, workspace=escape_controls(str(workspace))
    )


def button_words(text: str) -> str:
    """Return what a button or an action shows as `text`: its "&" is no shortcut, its tab no second column."""
    return escape_controls(text).replace("&", "&&")


def window_title(name: str) -> str:
    """Return the window's title for a workspace; "[*]" would be Qt's place for a mark of change."""
    return f"{escape_controls(name).replace('[*]', '[*][*]')} - Clew"
