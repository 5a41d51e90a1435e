"""Fields to type in, and bars of what runs, each said in one expression."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QProgressBar


def line_edit(placeholder: str, name: str = "", clear: bool = False) -> QLineEdit:
    """Its accessible name is what stands in it while it is empty, if no other is given."""
    field = QLineEdit(placeholderText=placeholder, clearButtonEnabled=clear)
    field.setAccessibleName(name or placeholder)
    return field


def progress_bar(name: str = "") -> QProgressBar:
    """Without figures; it moves to and fro until it is told how far things are."""
    bar = QProgressBar(minimum=0, maximum=0, textVisible=False)
    bar.setAccessibleName(name)
    return bar
