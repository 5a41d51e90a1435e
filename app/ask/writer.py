"""Who writes the answers, chosen in a small menu; and what a model has written before it is checked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from app.look import theme
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session.language_server import (
    QUOTES,
    ServerState,
    look_for_models,
    model_of,
    writer_of,
    writer_words,
)
from app.session.session import Session
from app.widgets.buttons import attach_menu
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from core.types import Answer

NEWS = {
    ServerState.CHECKING: tr("Looking for models\u2026"),
    ServerState.GONE: tr("No language model server answers"),
}


class WriterButton(QToolButton):
    """The choice, and a way to the models panel; `place` stands below it, where texts leave this machine.

    Signal: models_wanted().
    """

    models_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.place = ElidedLabel(kind="small")
        self.place.set_margins(28, 0, 0, 0)  # below the words of the button
        self.choices = QMenu(self)
        self.choices.setToolTipsVisible(True)
        self.choices.aboutToShow.connect(self._on_open)
        attach_menu(self, self.choices)
        session.connect_model_state(self._fill)
        self._fill()

    def _on_open(self) -> None:
        # A server that did not answer before may be there by now.
        look_for_models(self._session)

    def _fill(self, _: object = None) -> None:
        language = self._session.language
        chosen = self._session.writer
        model = model_of(chosen)
        words = self._words(chosen)
        self.place.setText(language.elsewhere)
        self.place.setVisible(bool(model and language.elsewhere))
        elided = self.fontMetrics().elidedText(writer_words(chosen), Qt.TextElideMode.ElideMiddle, 220)
        self.setText(f" {button_words(elided)}  \u25be")
        self.setIcon(theme.icon("pen-nib" if model else "quotes", "muted"))
        self.setAccessibleName(tr("Who writes the answer: {writer}", writer=words))
        self.setEnabled(self._session.trusted)
        tip = (
            tr(
                "{writer} writes the answer from the passages found; each sentence is checked against them",
                writer=words,
            )
            if model
            else tr(
                "The answer is made of sentences of your documents, word for word. Press to let a model write"
            )
        )
        set_tip(self, tip if self._session.trusted else self._session.shut)
        self.choices.clear()
        group = QActionGroup(self.choices)
        self._offer(group, QUOTES)
        names = [found.name for found in language.models]
        if model and model not in names:
            names.insert(0, model)
        for name in names:
            self._offer(group, writer_of(name))
        if language.host is not None and not language.host.allowed:
            words = tr("Nobody is asked yet at {host}", host=language.host.words)
            self.choices.addAction(words).setEnabled(False)
        elif language.state in NEWS:
            self.choices.addAction(NEWS[language.state]).setEnabled(False)
        self.choices.addSeparator()
        self.choices.addAction(tr("Language models\u2026")).triggered.connect(self.models_wanted)

    def _words(self, writer: str) -> str:
        """Return who writes, with the host where that is not this machine."""
        model = model_of(writer)
        return self._session.language.name_with_host(model) if model else writer_words(writer)

    def _offer(self, group: QActionGroup, writer: str) -> None:
        action = QAction(button_words(self._words(writer)), group)
        action.setData(writer)
        action.setCheckable(True)
        action.setChecked(writer == self._session.writer)
        action.triggered.connect(lambda: self._session.language.set_writer(writer))
        self.choices.addAction(action)


class Draft(QFrame):
    """Who writes, and what so far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ""
        self.setObjectName("draft")
        self.setProperty("kind", "card")
        self.who = PlainLabel(kind="small", wrap=True)
        self.text = PlainLabel(wrap=True, selectable=True, prose=True)
        self.text.setAccessibleName(tr("Answer being written"))
        column(self.who, self.text, margins=12, on=self)

    def begin(self, model: str) -> None:
        """Nothing is written yet."""
        self._model = model
        self.show_written("")

    def show_waiting(self, seconds: int, longest: float) -> None:
        """So many seconds have passed without a word of the model; after `longest` quotes stand in its place."""
        self.who.setText(
            tr(
                "{model} has not begun yet: {seconds} s of at most {longest} s.",
                model=self._model,
                seconds=seconds,
                longest=f"{longest:g}",
            )
        )

    def show_reading(self, answer: Answer) -> None:
        """The passages of `answer` are found, and not read yet."""
        count = len(answer.evidence)
        self.who.setText(
            trn(
                "{count} passage found. Reading it\u2026", "{count} passages found. Reading them\u2026", count
            )
        )
        self._show_text(answer.text and tr("So far: {answer}", answer=answer.text))

    def show_written(self, text: str) -> None:
        """Show what the model has written so far."""
        self.who.setText(
            tr(
                "{model} is writing. Each sentence is held against the passages before the answer stands.",
                model=self._model,
            )
        )
        self._show_text(text)

    def _show_text(self, text: str) -> None:
        self.text.setText(text)
        self.text.setVisible(bool(text))
