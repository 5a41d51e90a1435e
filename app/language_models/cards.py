"""What the models panel shows beside its table: how to begin, whether a host may be asked, what a model is worth."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.language_models.words import CALM, COMMANDS, NO_MODEL, START, check_rows
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.buttons import push_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import LEFT, TOP, clear, column, grid, row
from core.errors import CoreError
from core.types import ModelCheck, ModelHost


class ModelStart(QWidget):
    """A calm word, and the commands to begin with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = PlainLabel(wrap=True, selectable=True)
        self.how = PlainLabel(kind="muted", wrap=True, selectable=True)
        self.commands = PlainLabel(kind="chip", selectable=True)
        theme.follow(self.commands, lambda: self.commands.setFont(theme.mono_font()))
        self.commands.setAccessibleName(tr("Commands"))
        column(self.words, self.how, (self.commands, LEFT), on=self)
        by = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        for label in (self.words, self.how, self.commands):
            label.setTextInteractionFlags(by)

    def show_calm(self) -> None:
        """There is no server."""
        self._say(CALM, START, COMMANDS)

    def show_no_model(self) -> None:
        """There is a server with nothing in it."""
        self._say(CALM, NO_MODEL, COMMANDS.splitlines()[1])

    def show_fault(self, words: str) -> None:
        """There is something else at this address."""
        self._say(words, "", "")

    def _say(self, words: str, how: str, commands: str) -> None:
        for label, text in ((self.words, words), (self.how, how), (self.commands, commands)):
            label.setText(text)
            label.setVisible(bool(text))


class HostQuestion(QFrame):
    """Not seen where models answer on this machine. Signal: decided(bool), whether it is allowed."""

    decided = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._icon, self._host = Icon("shield-warning", "warn", 20), ModelHost("", here=True, allowed=True)
        self.words, self.meaning = PlainLabel(wrap=True), PlainLabel(kind="muted", wrap=True)
        self.button = push_button("", lambda: self.decided.emit(not self._host.allowed))
        words = column(self.words, self.meaning, spacing=theme.GRID)
        row(
            (self._icon, TOP),
            (words, 1),
            (self.button, TOP),
            spacing=theme.WITHIN + theme.GRID,
            margins=12,
            on=self,
        )
        self.hide()

    def show_host(self, host: ModelHost | None) -> None:
        """Show where models are asked for now."""
        self.setVisible(host is not None and not host.here)
        if host is None or host.here:
            return
        self._host = host
        self.words.setText(tr("{place} is not this machine.", place=host.place))
        self.meaning.setText(
            tr("Texts of your documents may be sent to it: where a model writes, reads or is tried.")
            if host.allowed
            else tr(
                "Texts of your documents would be sent to {address}. "
                "Clew opens no connection to it before you allow it.",
                address=host.address,
            )
        )
        self.button.setText(tr("Allow it no more") if host.allowed else tr("Allow this host"))
        self._icon.show_icon("globe-simple" if host.allowed else "shield-warning", "warn")


class CheckResult(QFrame):
    """The recommendation in words, then the figures behind it; or why nothing could be measured.

    Signal begin(ModelCheck, extractor): the person wants the documents read with the model.
    """

    begin = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        """Set why nothing can be read now, "" where it can."""
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
