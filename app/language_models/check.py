"""What a model proved to be worth on three passages of this corpus."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.language_models.words import check_rows
from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from core.errors import CoreError
from core.types import ModelCheck


class CheckResult(QFrame):
    """The recommendation in words, then the figures behind it; or why nothing could be measured.

    Signal begin(ModelCheck, extractor): the person wants the documents read with the model.
    """

    begin = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkResult")
        self.setProperty("kind", "card")
        self.heading = _label("section")
        self.icon = PlainLabel()
        self.recommendation = _label("")
        theme.wear(self.recommendation, weight=QFont.Weight.DemiBold)
        self._rows = QWidget()
        self._grid = QGridLayout(self._rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GROUPS)
        self._grid.setVerticalSpacing(theme.GRID)
        self._grid.setColumnStretch(1, 1)
        self.read_all = QPushButton("Read everything")
        self.read_some = QPushButton("Read only where rules find little")
        self.read_some.setToolTip(
            tooltip("The rules read first; the model reads the passages in which they find few facts")
        )
        acts = QVBoxLayout()  # one above the other: the panel may be narrow
        acts.setSpacing(theme.WITHIN)
        for button, kind in ((self.read_all, "ollama"), (self.read_some, "mixed")):
            acts.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            button.clicked.connect(partial(self._on_begin, kind))
        self._check: ModelCheck | None = None
        told = QHBoxLayout()
        told.setSpacing(theme.WITHIN)
        told.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        told.addWidget(self.recommendation, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(theme.WITHIN)
        column.addWidget(self.heading)
        column.addLayout(told)
        column.addLayout(acts)
        column.addWidget(self._rows)
        self._look = ("info", "muted")
        theme.notifier().changed.connect(self._restyle)

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What the table says: a name and a line each."""
        items = (self._grid.itemAt(at) for at in range(self._grid.count()))
        labels = (item.widget() for item in items if item is not None)
        texts = [label.text() for label in labels if isinstance(label, PlainLabel)]
        return list(zip(texts[::2], texts[1::2], strict=True))

    def show_check(self, check: ModelCheck) -> None:
        """Lay a measurement open."""
        self.heading.setText(f"{check.model.name}, TRIED ON {check.trial.passages} PASSAGES")
        self._tell(
            "check-circle" if check.trial.triples else "warning-circle",
            "ok" if check.trial.triples else "warn",
        )
        self.recommendation.setText(check.recommendation)
        self._check = check
        self._fill(check_rows(check))
        best = check.extractor.partition(":")[0]
        for button, kind in ((self.read_all, "ollama"), (self.read_some, "mixed")):
            button.setVisible(bool(best))  # a model that tells no fact is of no use here
            button.setProperty("kind", "primary" if kind == best else "")
            button.style().unpolish(button)
            button.style().polish(button)

    def set_blocked(self, words: str) -> None:
        """Why nothing can be read now, "" where it can."""
        for button in (self.read_all, self.read_some):
            button.setEnabled(not words)
        self.read_all.setToolTip(tooltip(words or "Extract names and facts anew with this model"))

    def _on_begin(self, kind: str) -> None:
        if self._check is not None:
            self.begin.emit(self._check, f"{kind}:{self._check.model.name}")

    def show_failure(self, model: str, error: CoreError) -> None:
        """Say why there is nothing to show, and what to do."""
        self.heading.setText(f"{model}, NOT MEASURED")
        self._tell("warning-circle", "warn")
        self.recommendation.setText(f"{error.message} {error.remedy}".strip())
        self._check = None
        self._fill(())
        for button in (self.read_all, self.read_some):
            button.hide()

    def _tell(self, icon: str, role: str) -> None:
        self._look = (icon, role)
        self._restyle()

    def _restyle(self, _: object = None) -> None:
        self.icon.setPixmap(theme.icon(*self._look).pixmap(20, 20))

    def _fill(self, rows: tuple[tuple[str, str], ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, (name, line) in enumerate(rows):
            for column, (kind, words) in enumerate((("muted", name), ("", line))):
                label = _label(kind)
                label.setText(words)
                label.setWordWrap(column == 1)
                self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        self._rows.setVisible(bool(rows))


def _label(kind: str) -> PlainLabel:
    return PlainLabel(kind=kind, wrap=True, selectable=True)
