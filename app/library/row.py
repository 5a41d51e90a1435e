"""A row of the library: state, title, and a quieter second line."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.library.documents_model import COLOUR, DETAIL, Index
from app.look import theme
from app.widgets.row_list import paint_focus

ROW = 46  # pixels


class TwoLines(QStyledItemDelegate):
    """State icon, title, and a quieter second line; the reason of a failure in the colour of errors."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        return QSize(120, theme.px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        now = theme.current()
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, now.color("accent_soft"))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), now.color("accent"))
        icon = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(icon, QIcon):
            icon.paint(painter, QRect(box.left() + 10, box.top() + 6, 16, 16))
        text = box.adjusted(34, 5, -8, -5)
        top, bottom = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
        face, small = theme.font(), theme.font(theme.SMALL)
        painter.setFont(face)
        painter.setPen(now.color("text"))
        title = str(index.data())
        right = Qt.TextElideMode.ElideRight
        painter.drawText(text, top, QFontMetrics(face).elidedText(title, right, text.width()))
        painter.setFont(small)
        painter.setPen(now.color(str(index.data(COLOUR))))
        detail = QFontMetrics(small).elidedText(index.data(DETAIL), right, text.width())
        painter.drawText(text, bottom, detail)
        paint_focus(painter, option)
        painter.restore()
