"""The communities whose reports an answer about all documents rests on: a press selects one everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from superqt import QFlowLayout

from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop
from core.types import CitedCommunity


class CommunityRow(QWidget):
    """`Rests on:` and a chip a community. Signal: chosen(id of the community)."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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


class CommunityChip(RowButton):
    """Icon and title in a rounded box; a long title is cut and told by the tooltip."""

    HEIGHT, MOST, PAD, ICON = 24, 160, 8, 14

    def __init__(self, community: CitedCommunity, parent: QWidget | None = None, widest: int = MOST) -> None:
        super().__init__(parent)
        self._widest = widest  # pixels
        self.community = community
        self._title = " ".join(community.title.split())
        self.setObjectName(f"community{community.id}")
        self.setAccessibleName(tr("Community {title}", title=self._title))
        tip = tr("{title}\nCommunity of level {level}: show it", title=self._title, level=community.level)
        set_tip(self, tip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's names, here and below
        text = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(self._title)
        wanted = text + 2 * self.PAD + self.ICON + theme.GRID + 2
        return QSize(min(wanted, theme.px(self._widest)), theme.px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(min(self.sizeHint().width(), 80), theme.px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = smooth(self)
        outline = "accent" if self.current or self.hasFocus() else "border"
        ground = "accent_soft" if self.current or self.underMouse() else "raised"
        rounded(painter, self.rect(), outline, ground, self.height() / 2)
        icon = QRect(self.PAD, (self.height() - self.ICON) // 2, self.ICON, self.ICON)
        theme.icon("circles-three", "accent").paint(painter, icon)
        room = self.rect().adjusted(self.PAD + self.ICON + theme.GRID, 0, 1 - self.PAD, 0)
        paint_text(painter, room, self._title, size=theme.SMALL)
