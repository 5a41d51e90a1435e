"""Explain: how the last answer came about, why passages stand where they stand, what other settings would do,
two ways side by side, and what was missed. One tab each; only the one in front reads and computes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QStackedLayout, QWidget

from app.explain.files import TraceFiles, choose_open, choose_save, opened_words
from app.explain.live import LiveRanking
from app.explain.missed import Missed
from app.explain.ranks import Ranks
from app.explain.side_by_side import SideBySideTab
from app.explain.tab import Subject, Tab
from app.explain.tables import labels_of
from app.explain.timeline import Timeline
from app.explain.what_if import WhatIf
from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import WrappingSegments, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, grid, row
from app.widgets.notices import Banner
from core.progress import TaskContext
from core.types import Answer, SavedTrace, Trace, TraceComparison
from core.types.stages import DistilledPiece

TIMELINE, RANKS, WHAT_IF, SIDES, MISSED = "timeline", "ranks", "what_if", "sides", "missed"
# Pixels at 100 % from which on the tools stand beside the tabs, and all of the head in one line.
_ROOMY, _WIDE = 600, 1000
_FILTER = 200  # pixels at 100 %, at most


class ExplainPanel(QWidget):
    """Five tabs over one subject: the last answer, or a trace from a file."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._front = True
        self.subject: Subject | None = None  # what is explained
        self._last: Subject | None = None  # the last answer, also while a file is explained
        self._before: Subject | None = None  # the answer before it
        self._named: Subject | None = None  # whose passages have, or are getting, their names
        self.live, self.files = LiveRanking(session, self), TraceFiles(session, self)
        self.timeline, self.ranks = Timeline(session), Ranks(self.live)
        self.what_if, self.sides, self.missed = (
            WhatIf(session, self.live),
            SideBySideTab(session),
            Missed(session),
        )
        self.tabs: dict[str, Tab] = {
            TIMELINE: self.timeline, RANKS: self.ranks, WHAT_IF: self.what_if, SIDES: self.sides,
            MISSED: self.missed,
        }  # fmt: skip
        session.commands.add(self, *self._tab_commands(), *self._file_commands())
        self._add_head()
        self._lay_out()
        self._connect()
        self.turn_to(TIMELINE)

    def _tab_commands(self) -> tuple[Command, ...]:
        texts = {
            TIMELINE: (tr("Timeline of the answer"), "Ctrl+7"),
            RANKS: (tr("Ranks: why each passage has its rank"), ""),
            WHAT_IF: (tr("What if settings were different"), "Alt+Shift+D"),
            SIDES: (tr("Two ways side by side"), "Alt+Shift+C"),
            MISSED: (tr("Why something was missed"), "Alt+Shift+M"),
        }
        return tuple(
            Command(f"explain.{tab}", words, partial(self.come, tab), keys)
            for tab, (words, keys) in texts.items()
        )

    def _file_commands(self) -> tuple[Command, ...]:
        def nothing() -> str:
            return "" if self.subject else tr("Ask a question first, or open a trace.")

        def alone() -> str:
            other = self._before if self._is_last else self._last
            return nothing() or ("" if other else tr("There is no answer before this one."))

        tips = (
            tr("Save this trace as a file, with the names of its passages"),
            tr("Look at a saved trace, of this or another Clew"),
            tr("What changed from the answer before: stages, seeds, ranks, weights"),
            tr("What changed from a saved trace to this one"),
        )
        save, opened, before, compare = tips
        return (
            Command("trace.open", tr("Open a &trace..."), self.choose_open, icon="folder-open", tip=opened),
            Command(
                "trace.save", tr("Save the trac&e..."), self.choose_save, "", "floppy-disk", nothing, tip=save
            ),
            Command(
                "trace.before",
                tr("Compare with the answer &before"),
                self.compare_before,
                why_not=alone,
                tip=before,
            ),
            Command(
                "trace.with",
                tr("Compare &with a trace..."),
                self.choose_comparison,
                why_not=nothing,
                tip=compare,
            ),
        )

    def _add_head(self) -> None:
        """The tabs, the question, the filter and what can be done with the trace."""
        words = {
            TIMELINE: tr("Timeline"), RANKS: tr("Ranks"), WHAT_IF: tr("What if"), SIDES: tr("Side by side"),
            MISSED: tr("Missed"),
        }  # fmt: skip
        self._segments = WrappingSegments(words, self.turn_to)
        self.question = ElidedLabel(end=True)
        theme.wear(self.question, weight=QFont.Weight.DemiBold)
        self.filter = line_edit(tr("Filter"), tr("Filter the tables"), clear=True)
        self.filter.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.follow(self.filter, lambda: self.filter.setMaximumWidth(theme.px(_FILTER)))
        tip = tr("Copy the whole trace, with the heat of every entity, as JSON")
        self.copy_button = tool_button("brackets-curly", tip, self.copy)
        self.copy_button.setAccessibleName(tr("Copy as JSON"))
        commands, menu, ids = self._session.commands, QMenu(self), ("trace.before", "trace.with")
        menu.addActions([commands.action(id) for id in ids])
        menu.setToolTipsVisible(True)
        commands.explain_in(menu, ids)
        self.open_button, self.save_button = tool_button("folder-open"), tool_button("floppy-disk")
        for button, id in ((self.open_button, "trace.open"), (self.save_button, "trace.save")):
            button.setAccessibleName(commands[id].name)
            commands.press(button, id)
        self.compare_button = tool_button("arrows-left-right", tr("Compare with another trace"))
        attach_menu(self.compare_button, menu)

    def _lay_out(self) -> None:
        self._room: tuple[bool, bool] | None = (
            None  # whether the head is in one line, and has its tools in the first
        )
        self._tools, self._asked = QWidget(), QWidget()
        tools = (self.open_button, self.compare_button, self.save_button, self.copy_button)
        row(*tools, spacing=theme.GRID, on=self._tools)
        row((self.question, 3), (self.filter, 1), on=self._asked)
        self._head = grid(across=theme.WITHIN, down=theme.WITHIN, wide=1)
        self._head.setContentsMargins(theme.GROUPS, theme.WITHIN, theme.GROUPS, 0)
        self.back_button = push_button(tr("Back to the last answer"), self.go_back)
        self.banner = Banner("file-text", self.back_button, Qt.AlignmentFlag.AlignVCenter)
        self.source = PlainLabel(wrap=True, selectable=True)
        self.banner.column.addWidget(self.source)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        for each in self.tabs.values():
            self._stack.addWidget(each)
            each.turned.connect(self._show_head)
        for part in (self._segments, self._asked, self._tools):
            part.setParent(self)  # before the pages, so that Tab reaches them first
        column(self._head, self.banner, (pages, 1), spacing=theme.GRID, on=self)
        self._place_head()

    def _connect(self) -> None:
        session = self._session
        session.answered.connect(self._on_answered)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        session.selection.changed.connect(self._on_selected)
        self.filter.textChanged.connect(lambda words: self.tab.filter(words))
        self.files.opened.connect(self.show_opened)
        self.files.compared.connect(self._on_compared)
        for each in (self.timeline, self.ranks, self.what_if, self.sides):
            each.chosen.connect(self._on_chosen)
        self.sides.left.connect(partial(self.come, TIMELINE))
        self.missed.begun.connect(self._on_begun)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_head()

    def _place_head(self) -> None:
        """Tabs, question, filter and tools in one line; or question and filter below; or the tools there, too."""
        wide, roomy = (self.width() >= theme.px(each) for each in (_WIDE, _ROOMY))
        if (wide, roomy) == self._room:
            return
        self._room = wide, roomy
        self._head.addWidget(self._segments, 0, 0, 1, 1 if roomy else 3)
        self._head.addWidget(self._asked, int(not wide), int(wide), 1, 1 if wide else 3 if roomy else 2)
        self._head.addWidget(self._tools, int(not roomy), 2)
        tabs, tools = self.buttons[-1], (self.open_button, self.copy_button)
        if roomy and not wide:
            self.setTabOrder(tabs, tools[0])
            self.setTabOrder(tools[-1], self.filter)
        else:
            self.setTabOrder(tabs, self.filter)
            self.setTabOrder(self.filter, tools[0])

    # ------------------------------------------------------------ tabs

    @property
    def tab(self) -> Tab:
        """Return the one in front of the others."""
        tab = self._stack.currentWidget()
        assert isinstance(tab, Tab)
        return tab

    @property
    def stays(self) -> bool:
        return self.tab.stays

    @property
    def entrance(self) -> QWidget:
        """Return where the keyboard enters: what is explained, else the tabs."""
        at = self._stack.currentIndex()
        return self.tab.entrance if self.subject or self.tab is self.sides else self.buttons[at]

    @property
    def buttons(self) -> list[QWidget]:
        return list(self._segments.buttons.values())

    def turn_to(self, tab: str) -> None:
        """One of TIMELINE, RANKS, WHAT_IF, SIDES, MISSED."""
        self._stack.setCurrentWidget(self.tabs[tab])
        self._segments.buttons[tab].setChecked(True)
        self._refresh()
        self.tab.filter(self.filter.text())

    def come(self, tab: str) -> None:
        """Bring a tab to the front of the window, with the keyboard."""
        self.turn_to(tab)
        if "panel.explain" in self._session.commands:
            self._session.commands.run("panel.explain")

    def set_in_front(self, front: bool) -> None:
        """Behind another panel nothing is read or computed."""
        self._front = front
        self._refresh()

    def _refresh(self) -> None:
        for each in self.tabs.values():
            each.front = self._front and each is self.tab
        if self._front:
            self.tab.explain(self.subject)
            self.tab.show_selected(self._session.selection.current)
            self._name_passages()
        self._show_head()

    def _show_head(self) -> None:
        """Show the question where the tab does not show it itself, the filter where there is a table."""
        asked = self.subject is not None
        self.question.setVisible(asked and not self.tab.asks)
        self.filter.setVisible(asked and self.tab.filtered)
        self._asked.setVisible(not (self.question.isHidden() and self.filter.isHidden()))

    def _on_selected(self, selected: Selected | None) -> None:
        if self._front:
            self.tab.show_selected(selected)

    # ------------------------------------------------------------ the subject

    def _on_answered(self, answer: Answer) -> None:
        self._before = self._last
        self._last = Subject(answer.trace, labels_of(answer.evidence), answer)
        self._show(self._last)

    def clear(self, _: object = None) -> None:
        """Show that nothing was asked."""
        self._last = self._before = None
        self.files.forget()
        self.live.forget()
        self._show(None)
        for each in self.tabs.values():
            each.explain(None)

    def show_opened(self, saved: SavedTrace, source: Path) -> None:
        """Explain the trace of a file, marked as such."""
        self._show(Subject(saved.trace, dict(saved.trace.passages), saved=saved))
        self.source.setText(opened_words(saved, source))
        self.back_button.setText(tr("Back to the last answer") if self._last else tr("Close"))
        self.banner.show()
        self.come(TIMELINE)

    def go_back(self) -> None:
        """From a trace that was opened to that of the last answer."""
        self._show(self._last)

    @property
    def _is_last(self) -> bool:
        return self.subject is self._last

    def _show(self, subject: Subject | None) -> None:
        self.subject = subject
        self.banner.setVisible(False)
        self.question.setText(subject.trace.question if subject is not None else "")
        self.copy_button.setEnabled(subject is not None)
        self._refresh()

    def _name_passages(self) -> None:
        subject, workspace = self.subject, self._session.workspace
        if subject is self._named or workspace is None:
            return
        self._named = subject
        self._tasks.drop("names")
        if subject is None or subject.answer is None:
            return

        def done(trace: Trace) -> None:
            subject.labels.update(trace.passages)
            for each in self.tabs.values():
                each.renew_names()

        self._tasks.start("names", lambda _: workspace.traces.named(subject.trace), done)

    def _on_begun(self) -> None:
        if not self._is_last:
            self.go_back()
        self.come(MISSED)

    # ------------------------------------------------------------ from here to elsewhere

    def _on_chosen(self, record: Any) -> None:
        """Select what a row is about, where it still exists; rows about nothing lead nowhere."""
        session, workspace = self._session, self._session.workspace
        entity = str(getattr(record, "entity_id", ""))
        passage = str(getattr(record, "passage_id", "") or next(iter(getattr(record, "passage_ids", ())), ""))
        if workspace is None or not (entity or passage):
            return
        go = partial(
            operations.select_entity if entity else operations.select_passage, session, entity or passage
        )
        if isinstance(record, DistilledPiece):
            go = partial(operations.select_place, session, passage, record.start, record.end)
        if self._is_last:
            go()
            return

        def look(_: TaskContext) -> None:  # raises where it is gone, which is said in words
            workspace.graph.entity(entity) if entity else workspace.passages.get(passage)

        self._tasks.start("go", look, lambda _: go())

    # ------------------------------------------------------------ files

    def copy(self) -> None:
        """Put the trace on the clipboard as JSON."""
        if self.subject is not None:
            self.files.copy(self.subject)

    def choose_save(self) -> None:
        if self.subject is not None:
            choose_save(self, self.subject.trace.question, partial(self.files.save, self.subject))

    def choose_open(self) -> None:
        choose_open(self, tr("Open a trace"), self.files.open)

    def choose_comparison(self) -> None:
        choose_open(self, tr("Compare with a trace"), self.compare_file)

    def compare_file(self, source: Path) -> None:
        if self.subject is not None:
            self.files.compare(source, self.subject)

    def compare_before(self) -> None:
        """With the answer before; a trace that was opened comes before the last answer."""
        before, after = (self._before, self._last) if self._is_last else (self.subject, self._last)
        if before is not None and after is not None:
            self.files.compare(before, after)

    def _on_compared(self, found: TraceComparison) -> None:
        self.sides.show_comparison(found)
        self.come(SIDES)


PANEL = PanelSpec("explain", tr("Explain"), Area.BOTTOM, ExplainPanel, least=300, keys="Alt+Shift+E")
