"""The first thing one sees: three doors, the workspaces opened before, and one line on privacy."""

from __future__ import annotations

from datetime import datetime

from humanize import naturalday
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from app.look import theme
from app.look.counting import calendar_day
from app.look.painting import Mark, rounded, smooth
from app.look.plain_text import places, set_tip
from app.look.translation import tr, trn
from app.session.commands import Commands
from app.session.preferences import Recent
from app.widgets.buttons import PaintedButton, tool_button
from app.widgets.fields import progress_bar
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import RIGHT, STRETCH, TOP, Stretch, column, drop, row
from core.text.escape_controls import escape_controls

PATH_ROOM = 380  # pixels of the path of a workspace, at every size of text
WIDTH = 840  # of the column, pixels
PRIVACY = tr("Nothing leaves this machine.")
DOORS = (
    (
        tr("Explore the sample"),
        tr("One invented case in some thirty documents, ready in a minute."),
        "workspace.sample",
    ),
    (
        tr("Open a folder"),
        tr("PDF, Word, Excel, e-mail, web pages, text. Clew reads them and never changes them."),
        "workspace.folder",
    ),
    (tr("Open a workspace"), tr("Go on with a folder that was indexed before."), "workspace.open"),
)


class Card(PaintedButton):
    """A button that looks like a card: hairline border, accent when hovered or focused."""

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        lit = self.underMouse() or self.hasFocus()
        ground = "accent_soft" if self.isDown() else "surface"
        rounded(smooth(self), self.rect(), "accent" if lit else "border", ground)


class Door(Card):
    """One of the three ways in."""

    def __init__(self, title: str, words: str, id: str, commands: Commands) -> None:
        super().__init__()
        commands.press(self, id, title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(148)
        keys = PlainLabel(commands.keys(id), "small")
        top = row(Icon(commands[id].icon, "accent", 28), STRETCH, (keys, TOP))
        labels = (PlainLabel(title, "heading", wrap=True), PlainLabel(words, "muted", wrap=True))
        column(top, 4, *labels, STRETCH, spacing=4, margins=(16, 16, 16, 12), on=self)
        self.pass_the_mouse()


class RecentRow(Card):
    """A workspace opened before: name, folder, counts, when. A missing one says so."""

    removed = Signal(str)

    def __init__(self, recent: Recent) -> None:
        super().__init__()
        self.recent = recent
        missing, name = recent.missing, escape_controls(recent.name)
        theme.follow(self, lambda: self.setFixedHeight(theme.px(52)))
        self.setAccessibleName(name)
        set_tip(self, places(recent.folder, recent.path))
        path = PlainLabel(kind="small")
        theme.follow(path, lambda: path.setText(_short(recent.folder or recent.path)))
        counts = PlainLabel(tr("Missing: moved or deleted") if missing else counts_of(recent))
        opened = PlainLabel(when(recent.opened), "small")
        self.remove_button = tool_button(
            "x", tr("Take it off this list; the workspace itself is not touched")
        )
        self.remove_button.setAccessibleName(tr("Take {name} off the list", name=name))
        self.remove_button.clicked.connect(lambda: self.removed.emit(recent.path))
        row(
            Icon("warning", "warn", 20) if missing else Icon("folder", "muted", 20),
            column(PlainLabel(name, bold=True), path, spacing=0),
            STRETCH,
            column((counts, RIGHT), (opened, RIGHT), spacing=0),
            self.remove_button,
            spacing=12,
            margins=(12, 4, 8, 4),
            on=self,
        )
        self.pass_the_mouse()


def _short(path: str) -> str:
    metrics = QFontMetrics(theme.font(theme.SMALL))
    return metrics.elidedText(escape_controls(path), Qt.TextElideMode.ElideMiddle, PATH_ROOM)


def counts_of(recent: Recent) -> str:
    """Return the counts in words."""
    if not recent.documents:
        return tr("not indexed yet")
    counts = {
        "documents": trn("{count} document", "{count} documents", recent.documents),
        "passages": trn("{count} passage", "{count} passages", recent.passages),
        "entities": trn("{count} entity", "{count} entities", recent.entities),
    }
    if recent.failed:
        return tr("{documents}, {passages}, {entities}, {failed} failed", failed=recent.failed, **counts)
    return tr("{documents}, {passages}, {entities}", **counts)


def when(stamp: str) -> str:
    """Return a moment in words: today 14:02, yesterday 9:10, 3 March 2025."""
    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    near = naturalday(then.date(), "")  # "" but for yesterday and today
    return f"{near} {then.hour}:{then.minute:02d}" if near else calendar_day(then)


class StartPage(QWidget):
    """The doors are commands; signals say what is wanted of a workspace opened before, by its path."""

    recent_wanted = Signal(str)
    recent_removed = Signal(str)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.rows: list[RecentRow] = []
        self._recents = PlainLabel(tr("Opened before"), "heading")
        self._lists = column(self._recents)
        self._busy = progress_bar()
        self._busy_words = PlainLabel(kind="muted")
        self.sample, self.folder, self.workspace = (Door(*spec, commands) for spec in DOORS)
        page = QWidget()
        theme.follow(page, lambda: page.setMaximumWidth(theme.px(WIDTH)))
        column(
            *(Stretch(2), _header(), theme.AROUND),
            *(row((self.sample, 1), (self.folder, 1), (self.workspace, 1), spacing=theme.GROUPS), 12),
            *(PlainLabel(tr("Or drop a folder anywhere on this window."), "muted"), 8),
            *(self._busy_words, self._busy, theme.GROUPS, self._lists, Stretch(3), theme.WITHIN),
            row(STRETCH, Icon("lock-simple", "muted", 16), PlainLabel(PRIVACY, "muted"), STRETCH),
            spacing=0,
            margins=9,
            on=page,
        )
        inside = QWidget()
        margins = (theme.AROUND, theme.AROUND, theme.AROUND, theme.GROUPS)
        row(STRETCH, (page, 100), STRETCH, margins=margins, on=inside)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        column(area, on=self)
        self.set_recents([])
        self.set_busy("")

    def set_recents(self, recents: list[Recent]) -> None:
        """Show the workspaces opened before, the last one first."""
        drop(self._lists, self.rows)
        self._recents.setVisible(bool(recents))
        for recent in recents:
            row = RecentRow(recent)
            row.clicked.connect(lambda _=False, path=recent.path: self.recent_wanted.emit(path))
            row.removed.connect(self.recent_removed)
            self.rows.append(row)
            self._lists.addWidget(row)

    def set_busy(self, words: str) -> None:
        """Show that a workspace is being opened; empty words end it."""
        self._busy_words.setText(words)
        self._busy_words.setVisible(bool(words))
        self._busy.setVisible(bool(words))
        for part in (self.sample, self.folder, self.workspace, *self.rows):
            part.setEnabled(not words)


def _header() -> QHBoxLayout:
    words = tr("Find, check and defend answers in your own documents.")
    title_column = column(PlainLabel(tr("Clew"), "title"), PlainLabel(words, "muted"), spacing=4)
    return row(Mark(48), title_column, STRETCH, spacing=16)
