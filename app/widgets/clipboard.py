"""Text on its way to the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QStringListModel


def plain_data(text: str) -> QMimeData:
    """The text, in no other format than plain.

    Made by Qt, not in Python: the clipboard of some platforms (offscreen) is freed after the interpreter is
    gone, and freeing an object of Python's is a crash by then.
    """
    model = QStringListModel([""])
    data = model.mimeData([model.index(0)])
    data.clear()
    data.setText(text)
    return data
