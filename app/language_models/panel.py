"""The models panel: the server, its models, who writes the answers, and what a model is worth here."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QGridLayout, QWidget

from app.language_models import operations as model_operations
from app.language_models.cards import CheckResult, HostQuestion, ModelStart
from app.language_models.words import PRIVACY, models_table, reader_words, server_words
from app.look import theme
from app.look.translation import tr
from app.session.language_server import QUOTES, ServerState, look_for_models, model_of, writer_of, writes
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit, progress_bar
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.table import RECORD_ROLE, TraceTable
from core.errors import CoreError, ModelUnavailable
from core.progress import Progress
from core.types import ModelCheck, ModelInfo

TWO_COLUMNS = 760  # the width from which the measurement stands beside the models


class ModelsPanel(QWidget):
    """Nothing is asked of the server before the panel is seen."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: dict[str, ModelCheck | CoreError] = {}  # by model, until the workspace is closed
        self._trying = ""  # the model that is measured now
        self._in_front = False
        self.state, self.state_icon = (
            PlainLabel(wrap=True, selectable=True),
            Icon("circle-dashed", "muted", 16),
        )
        look = partial(look_for_models, session, again=True)
        self.again = push_button(tr(" Look again"), lambda: look(), icon="arrows-clockwise")
        self.host = line_edit("", tr("Address of the language model server"))
        theme.follow(self.host, self._fit_host)
        self.host.setToolTip(tr("Where Ollama answers, for all your workspaces. Enter asks there"))
        self.start = ModelStart()
        self.table = TraceTable(models_table(self), "modelsTable")
        self.table.setAccessibleName(tr("Models"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.writer, self.reader = (PlainLabel(wrap=True, selectable=True) for _ in range(2))
        self.use = push_button(tr("Use for answers"), self._use)
        tip = tr("Let no model write: answers are sentences of your documents, word for word")
        self.quotes = push_button(
            tr("Quotes, no model"), lambda: session.language.set_writer(QUOTES), tip=tip
        )
        tip = tr("Let no model extract: names and facts are found by grammar and patterns")
        self.rules = push_button(tr("Rules only"), lambda: model_operations.offer_rules(session), tip=tip)
        self.try_button = push_button(tr("Try on three passages"), self._on_try)
        self.progress = progress_bar(tr("Trying a model"))
        self.news = PlainLabel(kind="small", wrap=True, selectable=True)
        self.result = CheckResult()
        self.choice = QWidget()
        self.choice.hide()
        self.entrance: QWidget = self.again
        self._lay_out()
        self._connect()
        self._show()

    # ------------------------------------------------------------ building

    def _fit_host(self) -> None:
        self.host.setMinimumWidth(theme.px(140))
        self.host.setMaximumWidth(theme.px(260))

    def _lay_out(self) -> None:
        self.question = HostQuestion()
        privacy = PlainLabel(PRIVACY, "small", wrap=True, selectable=True)
        self._grid = QGridLayout()
        self._grid.setSpacing(theme.GROUPS)
        acts = row(self.use, self.try_button, STRETCH)
        chosen = (row((self.writer, 1), self.quotes), row((self.reader, 1), self.rules))
        column(self.table, acts, self.progress, self.news, *chosen, on=self.choice)
        area = PanelScroll(
            *(
                row(self.state_icon, (self.state, 1), self.again),
                row((self.host, 2), (privacy, 3)),
                theme.GRID,
            ),
            *(
                self.question,
                theme.WITHIN,
                row((self.start, 3), STRETCH),
            ),  # lines of a length that reads well
            *(self._grid, STRETCH),
            spacing=theme.GRID,
        )
        self._place(1)
        column(area, on=self)

    def _connect(self) -> None:
        session = self._session
        language = session.language
        language.changed.connect(self._show)
        language.writer_changed.connect(self._show_choice)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._on_closed)
        self.host.returnPressed.connect(self._on_host)
        self.question.decided.connect(partial(model_operations.allow_host, session))
        session.blocked_changed.connect(self._show_reader)
        self.result.begin.connect(partial(model_operations.offer_reading, session))
        self.table.selectionModel().currentChanged.connect(self._show_choice)
        self.table.doubleClicked.connect(lambda _: self._use())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._trying:
            model_operations.stop_trying(self._session)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.isWindow():
            self.set_in_front(True)

    def set_in_front(self, front: bool) -> None:
        """Set whether one sees it: then it looks which models there are."""
        self._in_front = front
        if front:
            look_for_models(self._session)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(2 if self.width() >= theme.px(TWO_COLUMNS) else 1)

    def _place(self, columns: int) -> None:
        for widget in (self.choice, self.result):
            self._grid.removeWidget(widget)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(self.choice, 0, 0, top)
        self._grid.addWidget(self.result, 0 if columns == 2 else 1, columns - 1, top)
        self._grid.setColumnStretch(0, 4)
        self._grid.setColumnStretch(1, 5 if columns == 2 else 0)

    # ------------------------------------------------------------ the server

    def _on_opened(self, _: object) -> None:
        self.host.setModified(False)
        self._show_host()
        if self._in_front:
            look_for_models(self._session)

    def _on_closed(self) -> None:
        self._found.clear()
        self._ended()

    def _show(self, _: object = None) -> None:
        """Show what is known of the server; the table keeps its row."""
        language = self._session.language
        self._show_host()
        words, icon, role = self._state()
        self.state.setText(words)
        self.state_icon.show_icon(icon, role)
        models = language.server.models if language.server is not None else ()
        before = self.chosen
        if language.state is not ServerState.CHECKING:
            self.table.set_records(models)
            wanted = before.name if before is not None else model_of(language.writer)
            names = [model.name for model in models]
            if models:
                self.table.setCurrentIndex(
                    self.table.model().index(names.index(wanted) if wanted in names else 0, 0)
                )
            self._show_start(models)
        self._show_choice()

    def _on_host(self) -> None:
        self.host.setModified(False)
        self._found.clear()  # it may have other models of these names
        model_operations.set_host(self._session, self.host.text())

    def _show_host(self) -> None:
        """Show where the server is asked for."""
        host = self._session.language.host
        if not self.host.isModified() and host is not None:
            self.host.setText(host.address)
        self.question.show_host(host)

    def _show_start(self, models: tuple[ModelInfo, ...]) -> None:
        language = self._session.language
        error = language.error
        if error is not None and not isinstance(error, ModelUnavailable):
            self.start.show_fault(f"{error.message} {error.remedy}".strip())
        elif language.state is ServerState.THERE:
            self.start.show_no_model()
        else:
            self.start.show_calm()
        allowed = language.host is not None and language.host.allowed
        self.start.setVisible(allowed and language.state is not ServerState.UNKNOWN and not models)
        appeared = bool(models) and self.choice.isHidden()
        self.choice.setVisible(bool(models))
        self.entrance = self.table if models else self.again
        if appeared and self.again.hasFocus():
            self.table.setFocus()  # who opened the panel by its key came for the models
        self._show_reader()

    def _state(self) -> tuple[str, str, str]:
        """Return the state of the server: words, icon, colour."""
        language, workspace = self._session.language, self._session.workspace
        host = language.host.words if language.host is not None else ""
        if workspace is not None and not workspace.trusted:
            return tr("No model is asked: this workspace is not trusted yet."), "circle-dashed", "muted"
        if language.host is not None and not language.host.allowed:
            return tr("Nobody is asked yet at {host}", host=host), "circle-dashed", "muted"
        if language.state is ServerState.THERE and language.server is not None:
            return server_words(language.server, host), "check-circle", "ok"
        if language.state is ServerState.GONE:
            return tr("No language model server answers at {host}", host=host), "circle-dashed", "muted"
        is_checking = language.state is ServerState.CHECKING
        words = tr("Asking {host}\u2026", host=host) if is_checking else tr("Server: {host}", host=host)
        return words, "circle-dashed", "muted"

    # ------------------------------------------------------------ the choice

    @property
    def chosen(self) -> ModelInfo | None:
        """Return the model of the current row."""
        index = self.table.currentIndex()
        return index.data(RECORD_ROLE) if index.isValid() else None

    def _show_choice(self, *_: object) -> None:
        model, writer = self.chosen, model_of(self._session.language.writer)
        able = model is not None and writes(model)
        own = model is not None and model.name == writer
        self.writer.setText(
            tr("Answers are written by {model}.", model=self._session.language.name_with_host(writer))
            if writer
            else tr("Answers are quotes only.")
        )
        self.use.setEnabled(able and not own)
        self.use.setToolTip("" if able else tr("This model writes no text"))
        self.quotes.setEnabled(bool(writer))
        self.try_button.setText(tr("Stop") if self._trying else tr("Try on three passages"))
        self.try_button.setEnabled(bool(self._trying) or able)
        self.try_button.setToolTip(
            tr("Give the trial up (Esc)")
            if self._trying
            else tr("Measure it on three passages of this workspace and estimate the whole; changes nothing")
        )
        for widget in (self.progress, self.news):
            widget.setVisible(bool(self._trying))
        found = self._found.get(model.name) if model is not None else None
        self.result.setVisible(found is not None)
        if isinstance(found, ModelCheck):
            self.result.show_check(found)
        elif model is not None and found is not None:
            self.result.show_failure(model.name, found)

    def _show_reader(self) -> None:
        """Show who finds the facts, and whether that can be changed now."""
        session = self._session
        if session.workspace is None:
            return
        extractor = session.workspace.language_models.extractor
        self.reader.setText(reader_words(extractor, session.language.name_with_host))
        self.rules.setEnabled(":" in extractor and not session.blocked)
        self.result.set_blocked(session.blocked)

    def _use(self) -> None:
        if self.chosen is not None and writes(self.chosen):
            self._session.language.set_writer(writer_of(self.chosen.name))

    # ------------------------------------------------------------ trying

    def _on_try(self) -> None:
        if self._trying:
            model_operations.stop_trying(self._session)
        elif self.chosen is not None:
            self._try(self.chosen.name)

    def _try(self, name: str) -> None:
        self._trying = name
        self.progress.setRange(0, 0)
        self.news.setText(tr("{model}: loading\u2026", model=name))
        self._show_choice()
        keep = partial(self._found.__setitem__, name)
        model_operations.try_model(self._session, name, keep, keep, self._on_progress, self._ended)

    def _on_progress(self, progress: Progress) -> None:
        self.progress.setRange(0, progress.total)
        self.progress.setValue(progress.done)
        step = tr(
            "{model}: step {done} of {total}", model=self._trying, done=progress.done, total=progress.total
        )
        detail = progress.detail
        self.news.setText(tr("{step}: {detail}", step=step, detail=detail) if detail else step)

    def _ended(self) -> None:
        self._trying = ""
        self._show_choice()


PANEL = PanelSpec("models", tr("Models"), Area.BOTTOM, ModelsPanel, least=300)
