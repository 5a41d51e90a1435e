"""Who writes a community's report: a quiet button where a model is at hand, progress and stop while it writes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.communities.report import RULES
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session.language_server import QUOTES, model_of, writer_of
from app.session.session import Level, Session
from app.session.tasks import WRITING_REPORTS, Lane
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.layout import STRETCH, column, row
from core.errors import WorkspaceError
from core.progress import Progress, TaskContext
from core.types import CommunityReport

if TYPE_CHECKING:
    from core.types import Written


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which reports: those of these communities, of a level, or of all. `again`: also what is up to date."""

    only: Collection[int] | None = None
    level: int | None = None
    again: bool = False


def write_reports(
    session: Session,
    writer: str,
    wanted: Wanted,
    progress: Callable[[Progress], None],
    ended: Callable[[], None],
) -> None:
    """Write in the background; `writer` is QUOTES or `writer_of` a model. What was written stays at a stop."""
    workspace = session.workspace
    if workspace is None:
        return
    if session.blocked:
        session.notify_error(WorkspaceError(session.blocked, session.shut_remedy))
        ended()
        return

    def work(context: TaskContext) -> Written:
        return workspace.reports.write(
            context, writer, level=wanted.level, again=wanted.again, only=wanted.only
        )

    def done(written: Written) -> None:
        session.notify(*outcome_words(written, writer))

    session.tasks.start(WRITING_REPORTS, work, done, progress=progress, ended=ended, lane=Lane.SERVER)


def stop_writing(session: Session) -> None:
    """Stop; the reports that are written by then stay."""
    session.tasks.cancel(WRITING_REPORTS)


def outcome_words(written: Written, writer: str) -> tuple[str, Level]:
    """Return what came of it, in one line, and the level of the message."""
    count, model = written.written, model_of(writer)
    if not count:
        return tr("Every report is up to date."), "info"
    level: Level = "success"
    if writer == QUOTES:
        return trn(
            "The report is quoted from the documents again.",
            "{count} reports are quoted from the documents again.",
            count,
        ), "info"
    if not written.by_model:
        level = "warning"
        words = trn(
            "{model} wrote nothing that the documents carry; the one by rules stands.",
            "{model} wrote nothing that the documents carry; the rules' stand.",
            count,
            model=model,
        )
    elif written.by_model < count:
        words = trn(
            "{count} of {total} reports is written by {model}.",
            "{count} of {total} reports are written by {model}.",
            written.by_model,
            total=count,
            model=model,
        )
    else:
        words = trn(
            "The report is written by {model}.", "{count} reports are written by {model}.", count, model=model
        )
    if not (dropped := written.model.uncarried):
        return words, level
    statements = trn("{count} statement", "{count} statements", written.model.statements)
    more = trn(
        "{count} of {statements} was dropped: no passage carries it.",
        "{count} of {statements} were dropped: no passage carries them.",
        dropped,
        statements=statements,
    )
    return tr("{first} {rest}", first=words, rest=more), level


_WIDEST = 150  # pixels of a model's name on the button


class ReportWriter(QWidget):
    """Never asks for models itself: it offers the one that writes answers, else one that is known."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._report: CommunityReport | None = None
        self._writing = ""  # who writes now
        self.button = tool_button("pen-nib", act=self._write_this, text=tr("Write"))
        self.button.setStyleSheet(
            "QToolButton { padding: 2px 4px 2px 0; }"
        )  # its words stand below the title's
        self.more = tool_button(words=tr("Write more reports, or go back to quotes"))
        self.more.setText("\u25be")
        self.more.setAccessibleName(tr("Write more reports"))
        self.choices = QMenu(self)
        attach_menu(self.more, self.choices, "QToolButton { padding: 2px 4px; }")
        self.place = ElidedLabel(kind="small")  # of the model, where that is not this machine
        self.news = ElidedLabel(kind="small")
        tip = tr("Stop. The reports that are written by now are kept")
        self.stop = push_button(tr("Stop"), partial(stop_writing, session), tip=tip)
        offering = row(self.button, self.more, STRETCH, spacing=0)
        column(offering, self.place, row((self.news, 1), self.stop), spacing=0, on=self)
        session.connect_model_state(self._show)
        self._show()

    def show_report(self, report: CommunityReport | None) -> None:
        """Show the report that is shown now; None for none."""
        self._report = report
        self._show()

    def _named(self, model: str) -> str:
        """Return a model with its host where that is not this machine; "" for none."""
        return self._session.language.name_with_host(model) if model else ""

    @property
    def model(self) -> str:
        """Return the model that is offered; "" where none is known."""
        language = self._session.language
        known = [model.name for model in language.models]
        return model_of(language.writer) or (known[0] if known else "")

    # ------------------------------------------------------------ acts

    def _write_this(self) -> None:
        if self._report is not None and self.model:
            # Asked for by hand: also where nothing changed.
            self._write(writer_of(self.model), Wanted(only=(self._report.community_id,), again=True))

    def _write(self, writer: str, wanted: Wanted) -> None:
        if self._writing:
            return
        self._writing = writer
        self.news.setText(tr("{writer}: reading…", writer=self._named(model_of(writer)) or tr("The rules")))
        write_reports(self._session, writer, wanted, self._on_progress, self._ended)
        self._show()

    def _on_progress(self, progress: Progress) -> None:
        by = self._named(model_of(self._writing))
        if progress.total == 1:
            words = tr("Writing the report with {model}…", model=by) if by else tr("Writing the report…")
        else:
            at, of = min(progress.done + 1, progress.total), progress.total
            words = (
                tr("Writing report {at} of {of} with {model}…", at=at, of=of, model=by)
                if by
                else tr("Writing report {at} of {of}…", at=at, of=of)
            )
        self.news.setText(words)

    def _ended(self) -> None:
        self._writing = ""
        self._show()

    # ------------------------------------------------------------ sight

    def _show(self, _: object = None) -> None:
        report, model = self._report, self.model
        if self._writing and not self._session.tasks.busy(WRITING_REPORTS):
            self._writing = ""  # dropped with its workspace
        running = bool(self._writing)
        for part in (self.news, self.stop):
            part.setVisible(running)
        offered = report is not None and bool(model) and not running
        self.place.hide()
        for button in (self.button, self.more):
            button.setVisible(offered)
        self.setVisible(running or offered)
        if report is None or not offered:
            return
        again = report.written_by == writer_of(model)
        named = self._named(model)
        self.place.setText(self._session.language.elsewhere)
        self.place.setVisible(named != model)
        elided = self.fontMetrics().elidedText(model, Qt.TextElideMode.ElideMiddle, _WIDEST)
        words = tr("Write again with {model}") if again else tr("Write with {model}")
        self.button.setText(" " + words.format(model=button_words(elided)))
        name = tr("Write this report again with {model}") if again else tr("Write this report with {model}")
        self.button.setAccessibleName(name.format(model=named))
        blocked = self._session.blocked
        for button in (self.button, self.more):
            button.setEnabled(not blocked)
        words = tr(
            "{model} tells in its own words what this community is about. "
            "What the cited passages do not carry is dropped",
            model=named,
        )
        set_tip(self.button, blocked or words)
        self._fill(report, writer_of(model))

    def _fill(self, report: CommunityReport, writer: str) -> None:
        """The menu: more reports at once, and the way back to quotes."""
        self.choices.clear()
        offers = [
            (
                tr("Write all reports of level {level}", level=str(report.level)),
                writer,
                Wanted(level=report.level),
            ),
            (tr("Write all reports"), writer, Wanted()),
        ]
        if report.written_by != RULES:
            offers.append((tr("Back to quotes"), QUOTES, Wanted(only=(report.community_id,), again=True)))
        for words, by, wanted in offers:
            self.choices.addAction(words).triggered.connect(partial(self._write, by, wanted))
