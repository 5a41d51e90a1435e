"""The beam of the hierarchical route: level by level, how many were looked at, and who stayed with what score."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.session.selection import Selected
from app.trace.beam import BEAM_ROLE, BeamModel, BeamRow
from app.widgets.row_list import RowList, paint_focus
from core.types import Beam, Community

ROW, BAR, DOT = 26, 6, 8
NUMBER = 40  # room for a score
AnyIndex = QModelIndex | QPersistentModelIndex


class BeamDelegate(QStyledItemDelegate):
    """A level in small letters; a community with its colour, its title, its bar and its score."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(120, theme.px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: BeamRow = index.data(BEAM_ROLE)
        colors = theme.current()
        area = QRectF(option.rect).adjusted(theme.WITHIN, 0, -theme.WITHIN, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colors.color("accent_soft"))
        if row.community is None:
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(colors.color("muted"))
            words = painter.fontMetrics().elidedText(
                row.words, Qt.TextElideMode.ElideRight, int(area.width())
            )
            painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)
        else:
            self._paint_community(painter, area, row)
        if row.community is not None:
            paint_focus(painter, option)
        painter.restore()

    def _paint_community(self, painter: QPainter, area: QRectF, row: BeamRow) -> None:
        colors = theme.current()
        colour, ring = colors.community_mark(row.colour)
        dot = QRectF(area.left() + theme.WITHIN, area.center().y() - DOT / 2, DOT, DOT)
        painter.setPen(QPen(colour, 2) if ring else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if ring else colour)
        painter.drawEllipse(dot)
        left = dot.right() + theme.WITHIN
        bars = max(48.0, area.width() * 0.25)
        track = QRectF(area.right() - theme.px(NUMBER) - bars, area.center().y() - BAR / 2, bars, BAR)
        room = QRectF(left, area.top(), track.left() - left - theme.WITHIN, area.height())
        painter.setFont(theme.font())
        painter.setPen(colors.color("text"))
        title = painter.fontMetrics().elidedText(row.words, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title)
        number = QRectF(area.right() - theme.px(NUMBER), area.top(), theme.px(NUMBER), area.height())
        middle_right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(number, middle_right, f"{row.score:.2f}")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.color("border"))
        painter.drawRoundedRect(track, BAR / 2, BAR / 2)
        painter.setBrush(colors.color("accent"))
        filled = QRectF(track)
        filled.setWidth(max(row.share * track.width(), BAR))
        painter.drawRoundedRect(filled, BAR / 2, BAR / 2)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return super().helpEvent(event, view, option, index)
        row: BeamRow = index.data(BEAM_ROLE)
        told = row.words
        if row.community is not None:
            told += "\n" + tr(
                "Score {score}: nearness of the question to the community and to the sentences of its report, "
                "more where it holds a name of the question",
                score=f"{row.score:.3f}",
            )
        QToolTip.showText(event.globalPos(), tooltip(told), view)
        return True


class BeamList(RowList):
    """As tall as its rows. Signal: chosen(id of a community) by click or Enter. Ctrl+C copies."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("beamList", tr("Communities that the search went down through"), parent)
        self.setItemDelegate(BeamDelegate(self))
        self._rows = BeamModel(self)
        self.setModel(self._rows)
        self.clicked.connect(self._choose)
        theme.follow(self, self._fit)

    def show_beam(self, beam: tuple[Beam, ...]) -> None:
        """Replace what is shown; the titles follow."""
        self._rows.set_beam(beam)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._rows.rowCount() * theme.px(ROW) + 2)

    def set_communities(self, communities: list[Community]) -> None:
        """Tell the rows by titles."""
        self._rows.set_communities(communities)

    def show_current(self, selected: Selected | None) -> None:
        """Mark the community that is selected, wherever it was selected."""
        community = int(selected.id) if selected is not None and selected.kind == "community" else -1
        current = self.currentIndex().data(BEAM_ROLE) if self.currentIndex().isValid() else None
        if current is not None and current.community == community:
            return
        at = self._rows.row_of(community)
        if at >= 0:
            self.setCurrentIndex(self._rows.index(at))
        else:
            self.clearSelection()

    def _choose(self, index: QModelIndex) -> None:
        row: BeamRow | None = index.data(BEAM_ROLE) if index.isValid() else None
        if row is not None and row.community is not None:
            self.chosen.emit(row.community)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)
