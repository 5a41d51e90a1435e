"""Where one is in a tree: a button for each step from the top."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme as look
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.buttons import PaintedButton

_HEIGHT, _SIDE, _BETWEEN = 26, 5, 12
_LEAST = 26  # pixels of a step that gives its room to others


class Crumb(PaintedButton):
    """One step, shortened in the middle; the last one is where one is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.words, self.last = "", False  # not `text`: Qt would make shortcuts of its ampersands

    def _face(self) -> QFont:
        return look.font(look.BODY, QFont.Weight.DemiBold if self.last else QFont.Weight.Normal)

    def show_step(self, words: str, last: bool) -> None:
        """Stand for this step from now on."""
        self.last = last
        self.words = " ".join(words.split())
        self.setAccessibleName(self.words)
        self.setAccessibleDescription(tr("Where you are") if last else tr("Goes back up"))
        self.update()

    def wanted(self) -> int:
        """Return the width at which nothing is cut."""
        return QFontMetrics(self._face()).horizontalAdvance(self.words) + 2 * _SIDE + 2

    def sizeHint(self) -> QSize:
        return QSize(self.wanted(), look.px(_HEIGHT))

    def visible_text(self) -> str:
        """Return what is seen at the present width."""
        metrics = QFontMetrics(self._face())
        return metrics.elidedText(self.words, Qt.TextElideMode.ElideMiddle, self.width() - 2 * _SIDE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.update_tip()

    def update_tip(self) -> None:
        """The whole words as a tooltip, where they are cut."""
        cut = self.visible_text() != self.words
        self.setToolTip(tooltip(self.words) if cut else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        if self.underMouse() or self.hasFocus() or self.isDown():
            box = self.rect().adjusted(0, 1, 0, -1)
            rounded(painter, box, "accent" if self.hasFocus() else "", "accent_soft", 4)
        role, middle = "text" if self.last else "accent", Qt.AlignmentFlag.AlignCenter
        paint_text(
            painter, self.rect(), self.visible_text(), role, weight=self._face().weight(), place=middle
        )


class Breadcrumb(QWidget):
    """`All > Harbours of the north > Tallinn`. `went` carries the id of the step, None for the top."""

    went = Signal(object)

    def __init__(self, top: str = tr("All"), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top = top
        self._ids: list[int | None] = [None]
        self._crumbs: list[Crumb] = []
        self.setAccessibleName(tr("Where you are"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_path(())
        look.follow(self, self._arrange)

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Return the buttons that are seen, the top first."""
        return self._crumbs[: len(self._ids)]

    def set_path(self, steps: Sequence[tuple[int, str]]) -> None:
        """Id and words of each step below the top, the nearest to the top first."""
        self._ids = [None, *(step[0] for step in steps)]
        words = [self._top, *(step[1] for step in steps)]
        while len(self._crumbs) < len(words):
            self._add()
        for at, crumb in enumerate(self._crumbs):
            if at < len(words):
                crumb.show_step(words[at], at == len(words) - 1)
            elif crumb.hasFocus():
                self._crumbs[len(words) - 1].setFocus()
            crumb.setVisible(at < len(words))
        self._arrange()

    def _add(self) -> None:
        crumb, at = Crumb(self), len(self._crumbs)
        crumb.clicked.connect(lambda: self.went.emit(self._ids[at]))
        if self._crumbs:
            QWidget.setTabOrder(self._crumbs[-1], crumb)
        self._crumbs.append(crumb)

    # ------------------------------------------------------------ room

    def minimumSizeHint(self) -> QSize:
        return QSize(80, look.px(_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        self.setFixedHeight(look.px(_HEIGHT))
        crumbs = self.crumbs
        room = self.width() - _BETWEEN * (len(crumbs) - 1)
        left = 0
        for crumb, wide in zip(crumbs, shared([crumb.wanted() for crumb in crumbs], room), strict=True):
            crumb.setGeometry(QRect(left, 0, wide, self.height()))
            crumb.update_tip()
            left += wide + _BETWEEN
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for crumb in self.crumbs[1:]:
            sign = QRect(crumb.x() - _BETWEEN, 0, _BETWEEN, self.height())
            paint_text(painter, sign, "\u203a", "muted", place=Qt.AlignmentFlag.AlignCenter)


def shared(wanted: Sequence[int], room: int) -> list[int]:
    """Widths that fit the room: what is short stays whole, the long ones give the same to each."""
    if sum(wanted) <= room:
        return list(wanted)
    low, high = _LEAST, max(wanted)
    while low < high:  # the widest cap that fits
        cap = (low + high + 1) // 2
        if sum(min(width, cap) for width in wanted) <= room:
            low = cap
        else:
            high = cap - 1
    return [min(width, low) for width in wanted]
