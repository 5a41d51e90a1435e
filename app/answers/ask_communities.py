"""The communities whose reports an answer about all documents rests on: a press selects one everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from superqt import QFlowLayout

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop
from app.widgets.row_button import PaintedButton
from core.types import CitedCommunity


class CommunityRow(QWidget):
    """`Rests on:` and a chip a community. Signal: chosen(id of the community)."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("communityRow")
        self.setAccessibleName(tr("Communities that the answer rests on"))
        self.chips: list[CommunityChip] = []
        self._chips = QWidget()
        self._flow = QFlowLayout(self._chips)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._flow.setHorizontalSpacing(theme.GRID)
        self._flow.setVerticalSpacing(theme.GRID)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._chips.setSizePolicy(policy)
        column(PlainLabel(tr("Rests on:"), "small"), self._chips, spacing=theme.GRID, on=self)

    def show_communities(self, communities: Sequence[CitedCommunity]) -> None:
        """Replace what is shown; without any the row is not seen."""
        drop(self._flow, self.chips)
        self.chips = [CommunityChip(community, self._chips) for community in communities]
        for chip in self.chips:
            chip.clicked.connect(lambda _, chip=chip: self.chosen.emit(chip.community.id))
            self._flow.addWidget(chip)
        self.setVisible(bool(self.chips))

    def set_current(self, community: int | None) -> None:
        """Fill the chip of the selected community; None: of none."""
        for chip in self.chips:
            chip.set_current(chip.community.id == community)


class CommunityChip(PaintedButton):
    """Icon and title in a rounded box; a long title is cut and told by the tooltip."""

    HEIGHT, MOST, PAD, ICON = 24, 160, 8, 14

    def __init__(self, community: CitedCommunity, parent: QWidget | None = None, widest: int = MOST) -> None:
        super().__init__(parent)
        self._widest = widest  # pixels
        self.community = community
        self._current = False
        self._title = " ".join(community.title.split())
        self.setObjectName(f"community{community.id}")
        self.setAccessibleName(tr("Community {title}", title=self._title))
        tip = tr("{title}\nCommunity of level {level}: show it", title=self._title, level=community.level)
        self.setToolTip(tooltip(tip))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_current(self, current: bool) -> None:
        self._current = current
        self.update()

    @property
    def current(self) -> bool:
        return self._current

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's names, here and below
        text = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(self._title)
        wanted = text + 2 * self.PAD + self.ICON + theme.GRID + 2
        return QSize(min(wanted, theme.px(self._widest)), theme.px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(min(self.sizeHint().width(), 80), theme.px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        colors, painter = theme.current(), smooth(self)
        outline = "accent" if self._current or self.hasFocus() else "border"
        ground = "accent_soft" if self._current or self.underMouse() else "raised"
        rounded(painter, self.rect(), outline, ground, self.height() / 2)
        icon = QRect(self.PAD, (self.height() - self.ICON) // 2, self.ICON, self.ICON)
        theme.icon("circles-three", "accent").paint(painter, icon)
        left = self.PAD + self.ICON + theme.GRID
        room = QRectF(left, 0, self.width() - left - self.PAD, self.height())
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(colors.color("text"))
        title = painter.fontMetrics().elidedText(
            self._title, Qt.TextElideMode.ElideRight, int(room.width()) + 1
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title)
        painter.end()
