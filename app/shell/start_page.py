"""The first thing one sees: three doors, the workspaces opened before, and one line on privacy."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.look import theme
from app.look.brand import Mark
from app.look.counting import counted
from app.look.plain_text import places, tooltip
from app.session.preferences import Recent
from app.widgets.elided_label import ElidedLabel
from app.widgets.plain_label import PlainLabel
from core.visible import visible

WIDTH = 840  # of the column, pixels


class Card(QAbstractButton):
    """A button that looks like a card: hairline border, accent when hovered or focused."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.notifier().changed.connect(self._restyle)

    def _restyle(self, _: object) -> None:
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's name
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self.update()
        super().leaveEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        now = theme.current()
        lit = self.underMouse() or self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(now.color("accent" if lit else "border"), 1))
        painter.setBrush(now.color("accent_soft" if self.isDown() else "surface"))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.RADIUS, theme.RADIUS
        )
        painter.end()


def _label(text: str, kind: str = "", wrap: bool = False) -> PlainLabel:
    label = PlainLabel(text, kind, wrap=wrap)
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return label


class Picture(PlainLabel):
    """An icon as a label, which follows the theme."""

    def __init__(self, name: str, side: int, role: str = "accent") -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._icon, self._side = theme.icon(name, role), side
        theme.follow(self, self._restyle)

    def _restyle(self) -> None:
        side = theme.px(self._side)
        self.setPixmap(self._icon.pixmap(QSize(side, side), self.devicePixelRatioF()))


class Door(Card):
    """One of the three ways in."""

    def __init__(self, icon: str, title: str, words: str, keys: str) -> None:
        super().__init__()
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(148)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(4)
        top = QHBoxLayout()
        top.addWidget(Picture(icon, 28))
        top.addStretch()
        top.addWidget(_label(keys, "small"), alignment=Qt.AlignmentFlag.AlignTop)
        layout.addLayout(top)
        layout.addSpacing(4)
        layout.addWidget(_label(title, "heading", wrap=True))
        layout.addWidget(_label(words, "muted", wrap=True))
        layout.addStretch()


class RecentRow(Card):
    """A workspace opened before: name, folder, counts, when. A missing one says so."""

    removed = Signal(str)

    def __init__(self, recent: Recent) -> None:
        super().__init__()
        self.recent = recent
        missing = recent.missing
        theme.follow(self, lambda: self.setFixedHeight(theme.px(52)))
        self.setAccessibleName(visible(recent.name))
        self.setToolTip(tooltip(places(recent.folder, recent.path)))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 8, 4)
        layout.setSpacing(12)
        layout.addWidget(Picture("warning" if missing else "folder", 20, "warn" if missing else "muted"))
        names = QVBoxLayout()
        names.setSpacing(0)
        name = _label(visible(recent.name))
        theme.wear(name, weight=QFont.Weight.DemiBold)
        names.addWidget(name)
        path = ElidedLabel(recent.folder or recent.path, "small")
        path.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        names.addWidget(path)
        layout.addLayout(names, 1)
        counts = QVBoxLayout()
        counts.setSpacing(0)
        right = Qt.AlignmentFlag.AlignRight
        counts.addWidget(
            _label("Missing: moved or deleted" if missing else counts_of(recent)), alignment=right
        )
        counts.addWidget(_label(when(recent.opened), "small"), alignment=right)
        layout.addLayout(counts)
        self.remove_button = QToolButton(self)
        self.remove_button.setIcon(theme.icon("x", "muted"))
        self.remove_button.setToolTip("Take it off this list; the workspace itself is not touched")
        self.remove_button.setAccessibleName(f"Take {visible(recent.name)} off the list")
        self.remove_button.clicked.connect(lambda: self.removed.emit(recent.path))
        layout.addWidget(self.remove_button)


def counts_of(recent: Recent) -> str:
    """The counts in words."""
    if not recent.documents:
        return "not indexed yet"
    words = ", ".join(
        (
            counted(recent.documents, "document"),
            counted(recent.passages, "passage"),
            counted(recent.entities, "entity"),
        )
    )
    return words + (f", {recent.failed:,} failed" if recent.failed else "")


def when(stamp: str, now: datetime | None = None) -> str:
    """A moment in words: today 14:02, yesterday 9:10, 3 March 2025."""
    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    today = (now or datetime.now()).date()
    clock = f"{then.hour}:{then.minute:02d}"
    if then.date() == today:
        return f"today {clock}"
    if then.date() == today - timedelta(days=1):
        return f"yesterday {clock}"
    return f"{then.day} {then:%B} {then.year}"


class StartPage(QWidget):
    """Signals say what the person wants; the window does it."""

    sample_wanted = Signal()
    folder_wanted = Signal()
    workspace_wanted = Signal()
    recent_wanted = Signal(str)
    recent_removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[RecentRow] = []
        self._lists = QVBoxLayout()
        self._lists.setSpacing(8)
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy_words = _label("", "muted")
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addStretch(2)
        column.addLayout(self._header())
        column.addSpacing(theme.AROUND)
        column.addLayout(self._doors())
        column.addSpacing(12)
        column.addWidget(_label("Or drop a folder anywhere on this window.", "muted"))
        column.addSpacing(8)
        column.addWidget(self._busy_words)
        column.addWidget(self._busy)
        column.addSpacing(theme.GROUPS)
        column.addLayout(self._lists)
        column.addStretch(3)
        column.addSpacing(theme.WITHIN)
        column.addLayout(self._privacy())
        page = QWidget()
        theme.follow(page, lambda: page.setMaximumWidth(theme.px(WIDTH)))
        page.setLayout(column)
        outer = QHBoxLayout()
        outer.setContentsMargins(theme.AROUND, theme.AROUND, theme.AROUND, theme.GROUPS)
        outer.addStretch(1)
        outer.addWidget(page, 100)
        outer.addStretch(1)
        inside = QWidget()
        inside.setLayout(outer)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        self.set_busy("")

    def _header(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(Mark(48))
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(_label("Clew", "title"))
        words.addWidget(_label("Find, check and defend answers in your own documents.", "muted"))
        row.addLayout(words)
        row.addStretch()
        return row

    def _doors(self) -> QHBoxLayout:
        sample = "One invented case in some thirty documents, ready in a minute."
        folder = "PDF, Word, Excel, e-mail, web pages, text. Clew reads them and never changes them."
        self.sample = Door("compass", "Explore the sample", sample, "Ctrl+E")
        self.folder = Door("folder-open", "Open a folder", folder, "Ctrl+O")
        self.workspace = Door(
            "share-network",
            "Open a workspace",
            "Go on with a folder that was indexed before.",
            "Ctrl+Shift+O",
        )
        self.sample.clicked.connect(self.sample_wanted)
        self.folder.clicked.connect(self.folder_wanted)
        self.workspace.clicked.connect(self.workspace_wanted)
        row = QHBoxLayout()
        row.setSpacing(theme.GROUPS)
        for door in (self.sample, self.folder, self.workspace):
            row.addWidget(door, 1)
        return row

    def _privacy(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch()
        row.addWidget(Picture("lock-simple", 16, "muted"))
        row.addWidget(_label("Nothing leaves this machine.", "muted"))
        row.addStretch()
        return row

    def set_recents(self, recents: list[Recent]) -> None:
        """Show the workspaces opened before, the last one first."""
        while (item := self._lists.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = []
        if not recents:
            return
        self._lists.addWidget(_label("Opened before", "heading"))
        for recent in recents:
            row = RecentRow(recent)
            row.clicked.connect(lambda _=False, path=recent.path: self.recent_wanted.emit(path))
            row.removed.connect(self.recent_removed)
            self.rows.append(row)
            self._lists.addWidget(row)

    def set_busy(self, words: str) -> None:
        """A sign of life while a workspace is opened; empty words end it."""
        self._busy_words.setText(words)
        self._busy_words.setVisible(bool(words))
        self._busy.setVisible(bool(words))
        for part in (self.sample, self.folder, self.workspace, *self.rows):
            part.setEnabled(not words)
