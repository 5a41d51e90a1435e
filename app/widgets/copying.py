"""Rows on their way to the clipboard: as text with tabs, Markdown or CSV, from where they may go into a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QMimeData, QStringListModel
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from core.text.escape_controls import spreadsheet_cell

_MARKED = re.compile(r"([\\|`*_\[\]<>#~])")  # what Markdown would read as something else


class Form(Enum):
    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Rows:
    """`headings` are none, or as many as the cells of each row."""

    headings: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


class _Setting:
    harmless = True


def set_harmless(wanted: bool) -> None:
    """Set whether cells that a spreadsheet would run are copied as text; the person's setting."""
    _Setting.harmless = wanted


def written(rows: Rows, form: Form) -> str:
    """Without a line break at its end."""
    lines = [rows.headings, *rows.cells] if rows.headings else list(rows.cells)
    if form is Form.MARKDOWN:
        return _markdown(rows)
    cells = [[spreadsheet_cell(text, _Setting.harmless) for text in line] for line in lines]
    if form is Form.TEXT:
        return "\n".join(map("\t".join, cells))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(cells)
    return out.getvalue().removesuffix("\n")


def _markdown(rows: Rows) -> str:
    wide = max(map(len, rows.cells), default=len(rows.headings))
    headings = rows.headings or ("",) * wide
    lines = [headings, ("---",) * len(headings)]
    body = [
        [_MARKED.sub(r"\\\1", spreadsheet_cell(text, harmless=False)) for text in line] for line in rows.cells
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (*lines, *body))


class CopyKeys:
    """Before a view's class: Ctrl+C copies its rows as text."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if not (event.matches(QKeySequence.StandardKey.Copy) and copy(self, Form.TEXT)):  # type: ignore[arg-type]
            super().keyPressEvent(event)  # type: ignore[misc]


def make_copyable(view: QWidget, rows: Callable[[], Rows]) -> None:
    """The commands copy these rows while the view has the keyboard."""
    view.rows_to_copy = rows  # type: ignore[attr-defined]


def copyable(widget: QWidget | None) -> QWidget | None:
    """Return the nearest of a widget and what is around it whose rows can be copied."""
    while widget is not None and not hasattr(widget, "rows_to_copy"):
        widget = widget.parentWidget()
    return widget


def copy(view: QWidget, form: Form) -> bool:
    """Return whether there were rows."""
    rows: Rows = view.rows_to_copy()  # type: ignore[attr-defined]
    if rows.cells:
        QGuiApplication.clipboard().setText(written(rows, form))
    return bool(rows.cells)


def plain_data(text: str) -> QMimeData:
    """Return the text, in no other format than plain.

    Made by Qt, not in Python: the clipboard of some platforms (offscreen) is freed after the interpreter is
    gone, and freeing an object of Python's is a crash by then.
    """
    model = QStringListModel([""])
    data = model.mimeData([model.index(0)])
    data.clear()
    data.setText(text)
    return data


def chosen_rows(view: QAbstractItemView) -> Sequence[int]:
    """Return the numbers of the selected rows, of all where none is."""
    chosen = sorted({index.row() for index in view.selectedIndexes()})
    return chosen or range(view.model().rowCount())
