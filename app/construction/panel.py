"""How the workspace came to be: its events told along a time line, and the passage in question taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QSlider, QSplitter, QStackedLayout, QWidget

from app.construction.anatomy_view import AnatomyView
from app.construction.events import EventList
from app.construction.player import SPEEDS, Player
from app.construction.words import built_words, event_words, order_words
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.session.overlay import Course, Present
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.empty_state import EmptyState
from app.widgets.layout import column, row
from core.errors import CoreError
from core.types import Changed, Construction, Event

if TYPE_CHECKING:
    from core.workspace import Workspace

_TASK = "construction"
_BREAKPOINT = 720  # pixels of width from which the passage stands beside the events, and not below
_NONE_YET = tr("Nothing was built yet")
_READ_FIRST = tr("Index a folder: the order in which its graph came is told here.")


class ConstructionPanel(QWidget):
    """While it is in front and told to less than its end, graphs draw what there was by then."""

    stays = True  # what is chosen in it is read elsewhere; its own tab stays in front

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.events: Construction | None = None
        self._course: Course | None = None
        self._front, self._stale = False, True
        self.player = Player(self)
        self.play = tool_button("play", tr("Play"), role="accent")
        self.back = tool_button("skip-back", tr("The passage before"))
        self.forward = tool_button("skip-forward", tr("The next passage"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("How much of the workspace was built"))
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        self.speed.addItems([speed.words for speed in SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(self.player.speed))
        self.whole = push_button(tr("Whole graph"), self.leave, kind="quiet")
        self.built, self.moment = ElidedLabel(end=True), ElidedLabel(kind="muted", end=True)
        self.list, self.anatomy = EventList(), AnatomyView(session)
        self.empty = EmptyState("film-strip", _NONE_YET, _READ_FIRST)
        self._lay_out()
        self._connect()
        self.entrance = self.slider

    def _lay_out(self) -> None:
        content = QWidget()
        bar = row(
            self.back, self.play, self.forward, (self.slider, 1), self.speed, self.whole, spacing=theme.GRID
        )
        captions = row((self.built, 3), (self.moment, 2), spacing=theme.GROUPS)
        self.parts = QSplitter(Qt.Orientation.Horizontal)
        self.parts.setChildrenCollapsible(False)
        for part in (self.list, self.anatomy):
            self.parts.addWidget(part)
        self.parts.setStretchFactor(0, 2)
        self.parts.setStretchFactor(1, 3)
        margins = (theme.WITHIN, theme.GRID, theme.WITHIN, 0)
        column(bar, captions, (self.parts, 1), spacing=theme.GRID, margins=margins, on=content)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(content)
        theme.follow(self, self._fit)

    def _fit(self) -> None:
        """Low and narrow, so that this panel, shown or not, takes no room from the others."""
        self.speed.setMinimumWidth(theme.px(96))
        self.list.setMinimumHeight(theme.px(24))
        self.anatomy.setMinimumHeight(theme.px(48))
        self.empty.setMinimumHeight(theme.px(96))

    def _connect(self) -> None:
        session, player = self._session, self.player
        session.commands.add(self, *self._commands(), scoped=True)
        for button, act in ((self.play, "play"), (self.back, "back"), (self.forward, "next")):
            session.commands.press(button, f"construction.{act}")
        player.moved.connect(self._on_moved)
        player.played.connect(self._on_played)
        self.slider.valueChanged.connect(self._on_slid)
        self.speed.activated.connect(lambda at: player.set_speed(SPEEDS[at]))
        self.list.reached.connect(lambda at: player.go(at + 1))
        self.list.chosen.connect(self._choose)
        session.workspace_opened.connect(self._renew)
        session.workspace_closed.connect(self._forget)
        session.changes.told.connect(self._on_changed)
        session.asking.connect(self.leave)
        session.selection.changed.connect(self._on_selection)

    def _commands(self) -> tuple[Command, ...]:
        def nothing() -> str:
            return "" if self.events is not None and len(self.events) else tr("Nothing was built yet.")

        go = self.player
        return (
            Command("construction.play", tr("Play the construction, or pause"), go.toggle, "Alt+P", why_not=nothing),
            Command("construction.back", tr("The passage before"), lambda: go.step(-1), "Alt+PgUp", why_not=nothing),
            Command("construction.next", tr("The next passage"), lambda: go.step(1), "Alt+PgDown", why_not=nothing),
            Command("construction.leave", tr("Show the whole graph"), self.leave, "Esc", bound=False),  # not shown
        )  # fmt: skip

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= theme.px(_BREAKPOINT)
        self.moment.setVisible(wide)
        self.parts.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    # ------------------------------------------------------------ reading

    def set_in_front(self, front: bool) -> None:
        """Behind another panel it reads nothing, and draws nothing upon the graph."""
        self._front = front
        if not front:
            self.player.pause()
            self._session.overlay.change(present=None)
        elif self._stale:
            self._read()
        else:
            self._draw()

    def _renew(self, _: object = None) -> None:
        self._stale = True
        if self._front:
            self._read()

    def _on_changed(self, changed: Changed) -> None:
        if changed.everything or changed.entities or changed.names or changed.facts:
            self._renew()

    def _read(self) -> None:
        workspace = self._session.workspace
        if workspace is not None:
            self._stale = False
            self._tasks.start(_TASK, lambda _: _read_construction(workspace), self._show, failed=self._fail)

    def _fail(self, error: CoreError) -> None:
        self._stale = True
        self.empty.set_text(error.message, error.remedy)
        self._stack.setCurrentIndex(0)

    def _show(self, told: tuple[Construction, Course]) -> None:
        """What was read, at the place where it was told to before, if that was not the end."""
        before, upto = self.events, self.player.upto
        self.events, self._course = told
        ended = before is None or upto >= len(before)
        self.player.follow(self.events)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self.events))
        self.slider.setPageStep(max(len(self.events) // 20, 1))
        self.slider.blockSignals(False)
        set_tip(self.built, order_words(self.events))
        self.list.show_events(self.events)
        self._stack.setCurrentIndex(1 if len(self.events) else 0)
        self.player.go(len(self.events) if ended else upto)

    def _forget(self) -> None:
        self._tasks.drop(_TASK)
        self.player.follow(None)
        self.events = self._course = None
        self._stale = True
        self.list.show_events(None)
        self.anatomy.forget()
        self.empty.set_text(_NONE_YET, _READ_FIRST)
        self._stack.setCurrentIndex(0)

    # ------------------------------------------------------------ telling

    def _on_slid(self, upto: int) -> None:
        self.player.go(upto)

    def _on_moved(self, upto: int) -> None:
        if self.events is None:
            return
        self.slider.blockSignals(True)
        self.slider.setValue(upto)
        self.slider.blockSignals(False)
        built = self.events.built(upto)
        self.built.setText(built_words(built))
        last = self.events.before(upto - 1) if upto else -1
        words = event_words(self.events, last) if last >= 0 else tr("Before the first passage")
        self.moment.setText(words)
        self.whole.setEnabled(upto < len(self.events))
        self.list.go(upto)
        self._draw()

    def _draw(self) -> None:
        """Have graphs show what there is at this moment; all of it at the end."""
        events, course, upto = self.events, self._course, self.player.upto
        present = None
        if self._front and events is not None and course is not None and upto < len(events):
            now, before = events.built(upto), events.built(events.before(upto - 1) if upto else 0)
            present = Present(course, now.names, now.facts, before.names, before.facts)
        if present is not None or self._session.overlay.current.present is not None:
            self._session.overlay.change(present=present)

    def _on_played(self, playing: bool) -> None:
        self.play.setIcon(theme.icon("pause" if playing else "play", "accent"))

    def leave(self, _: object = None) -> None:
        """All of the graph again."""
        self.player.pause()
        if self.events is not None:
            self.player.go(len(self.events))

    # ------------------------------------------------------------ choosing

    def _choose(self, at: int) -> None:
        """See an event everywhere, and the passage that brought it here."""
        events, session = self.events, self._session
        if events is None:
            return
        kind, which = Event(int(events.kinds[at])), int(events.rows[at])
        if (passage := events.passage_of(at)) >= 0:
            self.anatomy.show_passage(events.passage_ids[passage])
        if kind is Event.PASSAGE:
            operations.select_passage(session, events.passage_ids[which])
        elif kind is Event.FACT:
            operations.select_fact(session, events.fact_ids[which])
        elif kind is not Event.ACT:
            pairs = {Event.NAME: which, Event.MERGE: events.merges[which, 0] if len(events.merges) else 0,
                     Event.SYNONYM: events.synonyms[which, 0] if len(events.synonyms) else 0}  # fmt: skip
            operations.select_entity(session, events.name_ids[int(events.heads[int(pairs[kind])])])

    def _on_selection(self, selected: Selected | None) -> None:
        """A passage that is chosen anywhere is taken apart here, while this is looked at."""
        if not self._front or selected is None or selected.kind not in ("passage", "citation"):
            return
        workspace, start, end = self._session.workspace, selected.start, selected.end
        if workspace is None or not selected.has_place:
            self.anatomy.show_passage(selected.id)
            return

        def placed(first: int) -> None:
            self.anatomy.show_passage(selected.id, start - first, end - first)

        get = workspace.passages.get
        self._tasks.start("place", lambda _: get(selected.id).start, placed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.whole.isEnabled():
            self.leave()
        else:
            super().keyPressEvent(event)


def _read_construction(workspace: Workspace) -> tuple[Construction, Course]:
    """The events, and their course by the ids of entities as they are told now."""
    events = workspace.construction.events()
    ids = tuple(events.name_ids[head] for head in events.heads.tolist())
    return events, Course(ids, np.ascontiguousarray(events.ends))


PANEL = PanelSpec(
    "construction",
    tr("Construction"),
    Area.BOTTOM,
    ConstructionPanel,
    least=320,
    keys="Ctrl+Shift+B",
    everyday=False,
)
