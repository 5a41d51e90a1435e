"""The window: top bar, messages, start page or workbench, status line. What it does is in operations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QToolBar,
    QWidget,
)

from app.library.watching import Watching
from app.look import theme
from app.look.painting import app_icon
from app.look.plain_text import places, window_title
from app.look.translation import tr
from app.session import operations
from app.session.changes import Following, OtherWriters
from app.session.errors import BugDialog, ErrorHandler
from app.session.indexing import IndexingState
from app.session.preferences import Preferences
from app.session.session import Session
from app.session.tasks import ASKING
from app.session.warming import IdleTimer, prepare_questions
from app.shell.indexing_news import IndexingNews, WatchStatus, pending_words
from app.shell.message_bar import Messages, ReadOnlyBanner
from app.shell.start_page import StartPage
from app.shell.status_line import StatusLine
from app.shell.top_bar import TopBar
from app.shell.window_commands import Copies, window_commands
from app.widgets.accessible import name_buttons
from app.widgets.copying import set_harmless
from app.widgets.fields import choose_file
from app.widgets.layout import column
from core.errors import CoreError
from core.types import Changed, SearchResult, Status

if TYPE_CHECKING:
    from app.shell.workbench import Workbench
    from core.workspace import Workspace

COMMANDS = 3  # that the search box finds beside what the workspace holds
COUNTS_MS = 2000  # between two looks at the store's counts while indexing runs


class MainWindow(QMainWindow):
    """One window, one workspace."""

    def __init__(
        self, session: Session, preferences: Preferences, handler: ErrorHandler | None = None
    ) -> None:
        super().__init__()
        self.session, self.preferences = session, preferences
        self.workbench: Workbench | None = None
        self._bugs: BugDialog | None = None
        self._closing = False
        self._has_checked_pending = False
        self.setWindowTitle(tr("Clew"))
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 600)
        self.workspace_menu = QMenu(tr("&Workspace"), self)
        self.workspace_menu.aboutToShow.connect(self._fill_recents)
        self.watching, self._others = Watching(session, preferences), OtherWriters(session)
        self.copies, commands = Copies(self), session.commands
        commands.add(self, *window_commands(self))
        self.top, self.start = TopBar(self.workspace_menu, commands), StartPage(commands)
        self.status, self.stack = StatusLine(commands), QStackedWidget()
        self.stack.addWidget(self.start)
        set_harmless(preferences.harmless_cells)
        self._build()
        name_buttons(self)
        self._fill_menus()
        commands.bind(self)
        IndexingNews(session, self.status, self.top)
        WatchStatus(self.watching, self.status, commands)
        self._connect(handler or ErrorHandler(self))
        self._counts = Following(
            self, session, lambda workspace, *_: workspace.counts(), self._show_counts, concerns=self._counted
        )
        self._counts_timer = QTimer(self, interval=COUNTS_MS)
        self._counts_timer.timeout.connect(self._counts.again)
        self._idle = IdleTimer(self, session.tasks.reading)
        self._idle.came.connect(self._prepare_questions)
        session.changes.published.connect(self._on_changed)
        self._on_closed()
        self._on_history()
        self._restore_geometry()

    # ------------------------------------------------------------ building

    def _build(self) -> None:
        bar = QToolBar(tr("Top bar"))
        bar.setObjectName("top-bar")
        bar.setMovable(False)
        bar.toggleViewAction().setEnabled(False)
        bar.addWidget(self.top)
        self.bar = bar
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.addToolBar(bar)
        middle, self.messages = QWidget(), Messages(self.session)
        self._banners = column(ReadOnlyBanner(self.session), spacing=0)
        column(self._banners, self.messages, (self.stack, 1), spacing=0, on=middle)
        self.setCentralWidget(middle)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addPermanentWidget(self.status, 1)
        self.statusBar().setContentsMargins(0, 0, 0, 0)

    def _connect(self, handler: ErrorHandler) -> None:
        session = self.session
        handler.known.connect(session.notify_error)
        handler.bug.connect(self.show_bug)
        session.tasks.crashed.connect(handler.take)
        session.tasks.busy_changed.connect(self._on_busy)
        session.workspace_opening.connect(self._on_opening)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._on_closed)
        session.indexing_changed.connect(self._on_indexing)
        session.folder_wanted.connect(self.choose_folder)
        session.policy.changed.connect(lambda: self.status.set_approved(session.policy.approved_only))
        self.start.recent_wanted.connect(lambda path: operations.open_workspace(session, Path(path)))
        self.start.recent_removed.connect(self._forget)
        self.top.search.wanted.connect(self._search)
        self.top.search.chosen.connect(self._go_to)
        self.top.search.asked.connect(self._ask)
        session.selection.history_changed.connect(self._on_history)
        session.proposals.wanted = self.preferences.proposes
        session.language.set_writer(self.preferences.writer)
        session.language.writer_changed.connect(partial(setattr, self.preferences, "writer"))

    def _restore_geometry(self) -> None:
        saved = self.preferences.bytes_of("geometry")
        if saved.isEmpty() or not self.restoreGeometry(saved):
            self.resize(QSize(1440, 900).boundedTo(self.screen().availableSize()))

    def _fill_menus(self) -> None:
        from app.shell.menus import fill

        fill(self)

    def _fill_recents(self) -> None:
        from app.shell.menus import fill_recents

        fill_recents(self)

    # ------------------------------------------------------------ the person's choices

    def choose_folder(self) -> None:
        """Ask for a folder and index it."""
        chosen = QFileDialog.getExistingDirectory(self, tr("Open a folder with documents"), str(Path.home()))
        if chosen:
            operations.open_folder(self.session, Path(chosen))

    def choose_export(self) -> None:
        """Ask for a file, and write the graph to it."""
        kinds = ";;".join(f"{words} (*{ending})" for ending, words in operations.EXPORTS.items())
        export = partial(operations.export, self.session)
        dialog = choose_file(self, tr("Export the graph"), kinds, export, "graphml")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(chosen[:-1].rpartition(".")[2]))

    def choose_workspace(self) -> None:
        """Ask for a workspace and open it."""
        recents = self.preferences.recents()
        start = Path(recents[0].path).parent if recents else Path.home()
        chosen = QFileDialog.getExistingDirectory(
            self, tr("Open a workspace (a folder with clew.db)"), str(start)
        )
        if chosen:
            operations.open_workspace(self.session, Path(chosen))

    def toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""
        self.set_theme("light" if theme.current().dark else "dark")

    def set_theme(self, mode: theme.Mode) -> None:
        """Apply a theme and remember it."""
        theme.change(_app(), mode)
        self.preferences.theme = mode

    def set_text_size(self, percent: int) -> None:
        """Show all text at this percentage of its normal size, and remember it."""
        theme.change(_app(), theme.mode(), percent)
        self.preferences.text_size = percent

    def toggle_pause(self) -> None:
        """Pause or resume indexing."""
        if self.session.indexing.state is IndexingState.PAUSED:
            operations.resume_indexing(self.session)
        else:
            operations.pause_indexing(self.session)

    def focus_search(self) -> None:
        """Focus the search box, with its words selected."""
        if self.workbench is not None and self.session.workspace is not None:
            self.top.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.top.search.selectAll()

    def focus_question(self) -> None:
        """Focus the question."""
        if self.workbench is not None:
            self.workbench.focus(self.workbench.ask)

    def show_failed(self) -> None:
        """Show the library with only the documents that could not be read."""
        if self.workbench is None:
            return
        if not self.workbench.library.failed_documents and not self.session.indexing.running:
            self.session.notify(tr("Every document could be read."))
            return
        self.workbench.focus(self.workbench.library)
        self.workbench.library.show_failed()

    def escape(self) -> None:
        """Handle Esc: cancel the running question, else clear the selection."""
        if self.session.tasks.busy(ASKING):
            operations.stop_asking(self.session)
        else:
            self.session.selection.clear()

    def _ask(self, question: str) -> None:
        if self.workbench is not None:
            self.workbench.docks["ask"].show()
        operations.ask(self.session, question)

    def _search(self, text: str) -> None:
        workspace = self.session.workspace
        if workspace is not None:
            box = self.top.search

            def done(found: list[SearchResult]) -> None:
                from app.shell.palette import find_commands

                box.show_results(text, [*found, *find_commands(self.session.commands, text)[:COMMANDS]])

            self.session.tasks.start("search", lambda _: workspace.search(text, 11), done)

    def _go_to(self, result: SearchResult) -> None:
        if result.kind == "command":
            self.session.commands.run(result.id)
        elif result.kind == "community" and self.workbench is not None:
            self.workbench.show_community(int(result.id))
        else:
            operations.select_found(self.session, result.kind, result.id)

    def _forget(self, path: str) -> None:
        self.preferences.forget(path)
        self.start.set_recents(self.preferences.recents())

    # ------------------------------------------------------------ news

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == "open":
            self.start.set_busy(tr("Opening the workspace...") if busy else "")
        elif group == "models":
            self.top.set_models(tr("loading models...") if busy else "")

    def _on_opening(self) -> None:
        if self.workbench is None:
            from app.shell.perspectives import Perspectives
            from app.shell.trust_banner import TrustBanner
            from app.shell.workbench import Workbench  # the canvas and its libraries: after the first window

            self._banners.addWidget(TrustBanner(self.session))
            self.workbench = Workbench(self.session)
            self.workbench.library.failures_counted.connect(self.status.set_failed)
            self.workbench.communities.show_as(self.preferences.communities)
            self.workbench.communities.view_changed.connect(partial(setattr, self.preferences, "communities"))
            self.workbench.graph.set_folds(self.preferences.folded)
            self.workbench.graph.folds_chosen.connect(partial(setattr, self.preferences, "folded"))
            self.workbench.graph.time.set_wanted(self.preferences.time_band)
            self.workbench.graph.time.wanted_changed.connect(partial(setattr, self.preferences, "time_band"))
            self.workbench.reader.show_as(self.preferences.reader)
            self.workbench.reader.look_chosen.connect(partial(setattr, self.preferences, "reader"))
            name_buttons(self.workbench)
            self.stack.addWidget(self.workbench)
            self.stack.setCurrentWidget(self.workbench)
            if not self.workbench.restore(self.preferences.bytes_of("docks")):
                self.workbench.arrange()
            self.perspectives = Perspectives(self.workbench, self.session, self.preferences)
            self.perspectives.changed.connect(self._fill_menus)
            self._fill_menus()
        self.stack.setCurrentWidget(self.workbench)
        self.statusBar().show()

    def _on_opened(self, workspace: Workspace) -> None:
        self._has_checked_pending = False
        folder = self.session.folder
        name = folder.name if folder else workspace.path.name
        self._show_name(name, workspace.path)
        self.preferences.remember(workspace.path, folder, None)
        self._idle.wait()

    def _show_name(self, name: str, workspace: Path) -> None:
        self.top.set_workspace(name, places(self.session.folder, workspace))
        self.setWindowTitle(window_title(name))

    def _on_closed(self) -> None:
        self._counts_timer.stop()
        self._idle.stop()
        self.status.clear()
        self.top.set_workspace("")
        self.top.set_share(None, "")
        self.setWindowTitle(tr("Clew"))
        self.start.set_recents(self.preferences.recents())
        self.stack.setCurrentWidget(self.start)
        self.statusBar().hide()
        self.start.sample.setFocus()

    def _prepare_questions(self) -> None:
        if not self.session.indexing.running:  # two cores: the indexing process has them first
            prepare_questions(self.session)

    def _on_changed(self, _: Changed) -> None:
        if not self.session.indexing.running:
            self._idle.wait()

    def _on_indexing(self, state: IndexingState) -> None:
        if state is IndexingState.RUNNING:
            self._counts_timer.start()
            folder, workspace = self.session.indexing.folder, self.session.workspace
            if folder is not None and workspace is not None:
                self._show_name(folder.name, workspace.path)
                self.preferences.remember(workspace.path, folder, None)
        elif state is IndexingState.IDLE:
            self._counts_timer.stop()
            self._idle.wait()

    def _on_history(self) -> None:
        self.top.back.setEnabled(self.session.selection.can_go_back)
        self.top.forward.setEnabled(self.session.selection.can_go_forward)

    def _counted(self, changed: Changed) -> bool:
        """Return whether a change affects the counts; while indexing runs they are refreshed on a timer."""
        changes = changed.documents or changed.entities or changed.facts
        return bool(changes) and not self.session.indexing.running

    def _show_counts(self, counts: Status) -> None:
        workspace = self.session.workspace
        if workspace is None:
            return
        self.status.set_counts(counts)
        self.preferences.remember(workspace.path, None, counts)
        if counts.pending and not self._has_checked_pending and not self.session.indexing.running:
            again = partial(operations.index_again, self.session)
            left = CoreError(tr("Indexing was not finished."), pending_words(counts))
            operations.offer(self.session, left, tr("Go on"), again, "info")
        self._has_checked_pending = True

    def show_bug(self, text: str) -> None:
        """Show a bug without blocking the window; further ones join the open report."""
        if self._bugs is not None:
            self._bugs.add(text)
            return
        self._bugs = BugDialog(text, self)
        self._bugs.destroyed.connect(self._forget_bugs)
        self._bugs.show()

    def _forget_bugs(self) -> None:
        self._bugs = None

    # ------------------------------------------------------------ Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.escape()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        if _dropped_folder(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        folder = _dropped_folder(event)
        if folder is not None:
            event.acceptProposedAction()
            operations.open_folder(self.session, folder)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        if not self._closing:
            self._closing = True
            self.preferences.keep_bytes("geometry", self.saveGeometry())
            if self.workbench is not None:
                self.preferences.keep_bytes("docks", self.workbench.saved())
            self.preferences.sync()
            self._idle.stop()
            self.hide()  # at once; the indexing process may need a moment for its batch
            self.session.close()
        super().closeEvent(event)


def _app() -> QApplication:
    return cast(QApplication, QApplication.instance())


def _dropped_folder(event: QDropEvent) -> Path | None:
    """Return the first folder among what is dragged."""
    for url in event.mimeData().urls():
        path = Path(url.toLocalFile())
        if url.isLocalFile() and path.is_dir():
            return path
    return None
