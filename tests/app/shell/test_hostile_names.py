"""The whole window on a folder of hostile names: every tooltip, label, button, action and row shows letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.answers.text_objects import MarkedLabel
from app.graph.entity_card import EntityCard
from app.look.plain_text import tooltip
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.errors import BadInput
from core.progress import Progress
from core.text.escape_controls import escape_controls
from core.types import Document
from tests.app.one_window import ONE_WINDOW
from tests.data_makers.hostile_names import FOLDER, IMAGE, STEERING, TURNED

ROLE = Qt.ItemDataRole
SHORTCUT = re.compile(r"(A|AT)(?<!&)&(?!&)(B|T)")


def rich(tip: str) -> bool:
    """Whether Qt would draw more of a tooltip than letters and our own line breaks."""
    if not QtGui.Qt.mightBeRichText(tip):
        return False
    inside = tip.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "")
    return not (tip.startswith("<qt>") and tip.endswith("</qt>")) or "<" in inside or ">" in inside


def columns(model: QAbstractItemModel, parent: QModelIndex) -> int:
    return 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)


def indexes(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(min(model.rowCount(parent), 50)):
        for column in range(columns(model, parent)):
            index = model.index(row, column, parent)
            yield index
            if not column:
                yield from indexes(model, index)


def tips(window: QWidget) -> set[str]:
    """All tooltips: those that widgets, actions and rows hold, and those shown where the mouse rests."""
    found = {widget.toolTip() for widget in [window, *window.findChildren(QWidget)]}
    found |= {action.toolTip() for action in window.findChildren(QAction) if action.toolTip() != bare(action)}
    for view in window.findChildren(QAbstractItemView):
        model = view.model()
        found |= {str(index.data(ROLE.ToolTipRole) or "") for index in indexes(model, QModelIndex())}
        heads = range(columns(model, QModelIndex()))
        found |= {
            str(model.headerData(at, Qt.Orientation.Horizontal, ROLE.ToolTipRole) or "") for at in heads
        }
    own = [widget for widget in window.findChildren(QWidget) if has_own_tips(widget) and widget.isVisible()]
    for widget in own:
        found |= set(pointed(widget))
    return found - {""}


def bare(action: QAction) -> str:
    """What Qt makes the tooltip of an action that has none; no menu shows it."""
    return re.sub("&(.)", r"\1", action.text()).removesuffix("...")


def has_own_tips(widget: QWidget) -> bool:
    ours = (kind for kind in type(widget).mro() if kind.__module__.startswith("app."))
    return isinstance(widget, QAbstractItemView) or any(
        vars(kind).keys() & {"event", "viewportEvent"} for kind in ours
    )


def pointed(widget: QWidget) -> Iterator[str]:
    """What is shown while the mouse rests here and there."""
    target = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    for x in range(10, min(target.width(), 400), 60):
        for y in range(6, min(target.height(), 300), 20):
            at = QPoint(x, y)
            QApplication.sendEvent(target, QHelpEvent(QEvent.Type.ToolTip, at, target.mapToGlobal(at)))
            yield QToolTip.text()


def labels_of(window: QWidget) -> list[QLabel]:
    tip = "qtooltip_label"  # Qt's own; what it is given is among the tooltips
    return [label for label in window.findChildren(QLabel) if label.objectName() != tip]


def texts(window: QWidget) -> set[str]:
    """All that is read: labels, buttons, actions, rows, titles. The text of documents is not among them."""
    labels = [label for label in labels_of(window) if not isinstance(label, MarkedLabel)]
    parts: list[QObject] = [*labels, *window.findChildren(QAbstractButton), *window.findChildren(QAction)]
    found = {part.text() for part in parts} | {window.windowTitle()}  # type: ignore[attr-defined]
    for view in window.findChildren(QAbstractItemView):
        for index in indexes(view.model(), QModelIndex()):
            found |= {str(index.data(role) or "") for role in (ROLE.DisplayRole, ROLE.AccessibleTextRole)}
    return found


def check(window: QWidget) -> None:
    """No mark-up, no shortcut made of a name, nothing unseen."""
    shown = tips(window)
    assert [tip for tip in shown if rich(tip)] == []
    assert [
        label.text() for label in labels_of(window) if label.textFormat() is not Qt.TextFormat.PlainText
    ] == []
    assert [words for words in shown | texts(window) if escape_controls(words, keep="\n\t") != words] == []
    pressed = [*window.findChildren(QAbstractButton), *window.findChildren(QAction)]
    assert [part.text() for part in pressed if SHORTCUT.search(part.text())] == []


preferences, session, window, calm = ONE_WINDOW


@pytest.fixture(scope="module")
def bench(
    request: pytest.FixtureRequest, window: MainWindow, session: Session, hostile_path: Path
) -> Workbench:
    """The workbench, on the workspace of hostile names, at its own place."""
    window.preferences.remember(hostile_path, hostile_path.parent / FOLDER, None)
    operations.open_workspace(session, hostile_path)
    qtbot = QtBot(request)
    qtbot.waitUntil(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 0)
    workbench = window.workbench
    assert workbench is not None
    qtbot.waitUntil(lambda: workbench.library.model.total > 0)
    return workbench


def documents(session: Session) -> dict[str, Document]:
    assert session.workspace is not None
    return {document.path: document for document in session.workspace.documents.all()}


def test_the_start_page(window: MainWindow, hostile_path: Path) -> None:
    window.preferences.remember(hostile_path, hostile_path.parent / FOLDER, None)
    window.start.set_recents(window.preferences.recents())
    window.workspace_menu.aboutToShow.emit()
    assert any("<i>&&\\nx" in action.text() for action in window.workspace_menu.actions())
    (row,) = window.start.rows
    assert r"papers <i>&\nx" in [label.text() for label in row.findChildren(QLabel)]
    check(window)


def test_the_workbench(qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session) -> None:
    window.workspace_menu.aboutToShow.emit()
    assert window.top.workspace.text().startswith("papers <i>&&")
    assert window.windowTitle() == r"papers <i>&\nx - Clew"
    for path in (TURNED, STEERING, "letter.eml"):
        operations.select_document(session, documents(session)[path].id)
        qtbot.waitUntil(lambda path=path: bench.reader.header.path.text() == escape_controls(path))  # type: ignore[misc]
        check(window)
    bench.library.table.selectAll()
    bench.library.foot.set_taken_out(list(documents(session)))
    check(bench.library.foot.menu())
    check(bench.library.row_menu())


@pytest.mark.long
def test_answers_entities_and_communities(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    with qtbot.waitSignal(session.answered, timeout=60_000):
        operations.ask(session, "Who hired Ines Holm?")
    bench.focus(bench.explain)
    qtbot.waitUntil(lambda: len(bench.evidence.cards) > 1)
    check(window)
    assert session.workspace is not None
    view = session.workspace.graph.view()
    operations.select_entity(
        session, next(id for id, name in zip(view.ids, view.names, strict=True) if name == "AT&T Trading")
    )
    qtbot.waitUntil(bench.graph.card.isVisible)
    card: EntityCard = bench.graph.card
    assert card.name.text() == "AT&T Trading"
    bench.communities.show_as("treemap")
    window.top.search.setFocus()
    qtbot.keyClicks(window.top.search, "img")
    qtbot.waitUntil(lambda: window.top.search.open, timeout=10_000)
    check(window)


def test_messages_and_the_status_line(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    for path in (TURNED, STEERING, f"{IMAGE}.txt"):
        window.status.set_progress(Progress("read", 1, 3, path * 4))
        session.notify_error(BadInput(f"{path} is gone.", f"It was {path}."))
        window.status.set_watch("Watching", f"Last read: {path}", window.windowIcon())
        check(window)
    bench.library.table.selectAll()
    bench.library.remove_selected()
    qtbot.waitUntil(bench.library.removal.isVisible, timeout=10_000)
    check(window)


def test_a_tooltip_keeps_every_letter(qtbot: QtBot) -> None:
    """As Qt reads it; a space is as wide where it may not break."""
    for words in ("two  spaces   three", "<b>&amp;&lt;</b> & \"'", f"{IMAGE}\nsecond line"):
        page = QtGui.QTextDocument()
        page.setHtml(tooltip(words))
        assert page.toPlainText().replace("\u2028", "\n") == words


def test_what_would_be_rich_is_noticed(qtbot: QtBot) -> None:
    """The walk itself: one guessing label, tooltip, shortcut or unseen mark and it fails."""
    page = QWidget()
    qtbot.addWidget(page)
    check(page)
    for make in hostile_widgets():
        part = make(page)
        with pytest.raises(AssertionError):
            check(page)
        part.setParent(None)
    check(page)


def hostile_widgets() -> Iterable:  # type: ignore[type-arg]
    def tipped(page: QWidget) -> QWidget:
        part = QWidget(page)
        part.setToolTip(f"<qt>{IMAGE}</qt>")
        return part

    def plain(page: QWidget) -> QWidget:
        part = QLabel("a\u202eb", page)
        part.setTextFormat(Qt.TextFormat.PlainText)
        return part

    from PySide6.QtWidgets import QPushButton

    return [tipped, plain, lambda page: QLabel("<b>", page), lambda page: QPushButton("A&B", page)]
