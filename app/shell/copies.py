"""The same commands copy every table and list of the window: that which has the keyboard, or had it last."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.look.translation import tr
from app.session.commands import Command
from app.widgets.copying import Form, copy, copyable

_WORDS = {
    Form.TEXT: (tr("Copy the &rows"), "Ctrl+C"),
    Form.MARKDOWN: (tr("Copy the rows as &Markdown"), "Ctrl+Shift+M"),
    Form.CSV: (tr("Copy the rows as CS&V"), "Ctrl+Shift+V"),
}


class Copies:
    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._last: QWidget | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        window.destroyed.connect(lambda: application.focusChanged.disconnect(self._on_focus))

    def commands(self) -> tuple[Command, ...]:
        return tuple(
            # Ctrl+C belongs to whatever has the keyboard: a table copies rows by it, a text its words.
            Command(f"table.{form.value}", words, partial(self._copy, form), keys, why_not=self._why_not,
                    bound=form is not Form.TEXT)
            for form, (words, keys) in _WORDS.items()
        )  # fmt: skip

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        found = copyable(now)
        if found is not None and found.window() is self._window:
            self._last = found

    def _table(self) -> QWidget | None:
        return (
            self._last if self._last is not None and isValid(self._last) and self._last.isVisible() else None
        )

    def _why_not(self) -> str:
        return "" if self._table() else tr("Click into a table or list first.")

    def _copy(self, form: Form) -> None:
        if (table := self._table()) is not None:
            copy(table, form)
