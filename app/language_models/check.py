"""What a model proved to be worth on three passages of this corpus."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.language_models.words import check_rows
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.buttons import push_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import LEFT, TOP, clear, column, grid, row
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
        self.heading = PlainLabel(kind="caps", wrap=True, selectable=True)
        self.icon = Icon("info", "muted", 20)
        self.recommendation = PlainLabel(wrap=True, selectable=True, bold=True)
        self._rows = QWidget()
        self._grid = grid(wide=1, on=self._rows)
        tip = tr("The rules read first; the model reads the passages in which they find few facts")
        self.read_all = push_button(tr("Read everything"), partial(self._on_begin, "ollama"))
        words = tr("Read only where rules find little")
        self.read_some = push_button(words, partial(self._on_begin, "mixed"), tip=tip)
        acts = column(
            (self.read_all, LEFT), (self.read_some, LEFT)
        )  # one above the other: the panel may be narrow
        self._check: ModelCheck | None = None
        advice = row((self.icon, TOP), (self.recommendation, 1))
        column(self.heading, advice, acts, self._rows, margins=12, on=self)

    def show_check(self, check: ModelCheck) -> None:
        """Lay a measurement open."""
        count = check.trial.passages
        tried = trn(
            "{name}, tried on {count} passage",
            "{name}, tried on {count} passages",
            count,
            name=check.model.name,
        )
        self.heading.setText(tried)
        self.icon.show_icon(*("check-circle", "ok") if check.trial.triples else ("warning-circle", "warn"))
        self.recommendation.setText(check.recommendation)
        self._check = check
        self._fill(check_rows(check))
        best = check.extractor.partition(":")[0]
        for button, kind in ((self.read_all, "ollama"), (self.read_some, "mixed")):
            button.setVisible(bool(best))  # a model that tells no fact is of no use here
            theme.set_kind(button, "primary" if kind == best else "")

    def set_blocked(self, words: str) -> None:
        """Why nothing can be read now, "" where it can."""
        for button in (self.read_all, self.read_some):
            button.setEnabled(not words)
        set_tip(self.read_all, words or tr("Extract names and facts anew with this model"))

    def _on_begin(self, kind: str) -> None:
        if self._check is not None:
            self.begin.emit(self._check, f"{kind}:{self._check.model.name}")

    def show_failure(self, model: str, error: CoreError) -> None:
        """Say why there is nothing to show, and what to do."""
        self.heading.setText(tr("{name}, not measured", name=model))
        self.icon.show_icon("warning-circle", "warn")
        self.recommendation.setText(f"{error.message} {error.remedy}".strip())
        self._check = None
        self._fill(())
        for button in (self.read_all, self.read_some):
            button.hide()

    def _fill(self, rows: tuple[tuple[str, str], ...]) -> None:
        clear(self._grid)
        for at, (name, line) in enumerate(rows):
            self._grid.addWidget(PlainLabel(name, "muted", selectable=True), at, 0, TOP)
            self._grid.addWidget(PlainLabel(line, wrap=True, selectable=True), at, 1, TOP)
        self._rows.setVisible(bool(rows))
