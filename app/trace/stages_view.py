"""The time line of an answer: one line a stage, its bar where it lies in the whole time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.answers.wording import duration
from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.trace.stages import STAGE_ROLE, StageRow, StagesModel
from app.widgets.row_list import RowList, paint_focus
from core.types import Trace

ROW = 40  # height of a stage, pixels
BAR = 6
TIME = 64  # room for the seconds
AnyIndex = QModelIndex | QPersistentModelIndex


class StageDelegate(QStyledItemDelegate):
    """Name and time in the first line, the bar between them; the detail below, muted."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row: StageRow = index.data(STAGE_ROLE)
        return QSize(120, theme.px(ROW if row.stage.detail else ROW - 16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: StageRow = index.data(STAGE_ROLE)
        colors = theme.current()
        area = QRectF(option.rect).adjusted(theme.WITHIN, 0, -theme.WITHIN, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colors.color("accent_soft"))
        name_wide = min(self._names_wide(index), area.width() * 0.45)
        first = QRectF(area.left(), area.top() + 4, area.width(), theme.px(20))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(theme.font())
        painter.setPen(colors.color("text"))
        name = painter.fontMetrics().elidedText(row.words, Qt.TextElideMode.ElideRight, int(name_wide))
        painter.drawText(first, middle | int(Qt.AlignmentFlag.AlignLeft), name)
        painter.drawText(first, middle | int(Qt.AlignmentFlag.AlignRight), duration(row.stage.seconds))
        left = area.left() + name_wide + theme.GROUPS
        self._paint_bar(
            painter,
            QRectF(left, first.center().y() - BAR / 2, area.right() - theme.px(TIME) - left, BAR),
            row,
        )
        if row.stage.detail:
            below = QRectF(area.left(), first.bottom() - 2, area.width(), theme.px(16))
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(colors.color("muted"))
            detail = " ".join(row.stage.detail.split())
            detail = painter.fontMetrics().elidedText(detail, Qt.TextElideMode.ElideRight, int(below.width()))
            painter.drawText(below, middle | int(Qt.AlignmentFlag.AlignLeft), detail)
        paint_focus(painter, option)
        painter.restore()

    def _paint_bar(self, painter: QPainter, track: QRectF, row: StageRow) -> None:
        if track.width() < 24:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().color("border"))
        painter.drawRoundedRect(QRectF(track.left(), track.center().y() - 0.5, track.width(), 1), 0, 0)
        painter.setBrush(theme.current().color("accent"))
        wide = max(row.share * track.width(), 2.0)  # the shortest stage can still be seen
        left = min(track.left() + row.begin * track.width(), track.right() - wide)
        painter.drawRoundedRect(QRectF(left, track.top(), wide, BAR), min(wide, BAR) / 2, min(wide, BAR) / 2)

    def _names_wide(self, index: AnyIndex) -> float:
        metrics, model = QFontMetrics(theme.font()), index.model()
        names = (model.index(at, 0).data(STAGE_ROLE).words for at in range(model.rowCount()))
        return float(max(metrics.horizontalAdvance(name) for name in names))

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return super().helpEvent(event, view, option, index)
        row: StageRow = index.data(STAGE_ROLE)
        words = tr(
            "{stage} ({name}): {time}, {share} of the whole",
            stage=row.words,
            name=row.stage.name,
            time=duration(row.stage.seconds),
            share=f"{row.share:.0%}",
        )
        QToolTip.showText(event.globalPos(), tooltip(f"{words}\n{row.stage.detail}".strip()), view)
        return True


class StageList(RowList):
    """As tall as its stages; Ctrl+C copies the selected ones."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("stageList", tr("Stages of the answer"), parent)
        self.setItemDelegate(StageDelegate(self))
        self._stages = StagesModel(self)
        self.setModel(self._stages)
        theme.follow(self, self._fit)

    def show_trace(self, trace: Trace) -> None:
        self._stages.set_stages(trace.stages, trace.seconds)
        self._fit()

    def _fit(self) -> None:
        rows = (self.sizeHintForRow(row) for row in range(self._stages.rowCount()))
        self.setFixedHeight(sum(rows) + 2 + theme.WITHIN)
