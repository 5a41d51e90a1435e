"""Who gave a passage or an entity its share of the walk: a bar a seed; pointed at, its heat alone is seen."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.answers.wording import percent
from app.look import theme
from app.look.painting import paint_share, paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop
from app.widgets.row_button import RowButton
from core.text.escape_controls import escape_controls
from core.types import Attributed, Source

SHOWN = 8


class SourceBar(RowButton):
    """`Anna Kask  61 %` over a bar."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self._name, share = escape_controls(source.name), percent(source.share)
        self.setCheckable(True)
        self.setAccessibleName(tr("{seed}: {share}", seed=self._name, share=share))
        set_tip(
            self,
            tr("{seed} gave {share}: {reason}.\nPoint at it to see its heat alone; press to keep that.",
               seed=self._name, share=share, reason=source.reason),
        )  # fmt: skip
        theme.follow(self, self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(18) + 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.current = self.isChecked()
        super().paintEvent(event)
        painter, high = smooth(self), theme.px(18)
        box = QRectF(6, 2, self.width() - 12, high)
        right = Qt.AlignmentFlag.AlignRight
        share = percent(self.source.share)
        taken = painter.fontMetrics().horizontalAdvance(share) + theme.WITHIN
        paint_text(painter, box, share, "text", theme.SMALL, QFont.Weight.DemiBold, right)
        paint_text(painter, box.adjusted(0, 0, -taken, 0), self._name, "text", theme.SMALL)
        paint_share(painter, QRectF(6, high + 3, self.width() - 12, 4), self.source.share, 2)


class SourceList(QWidget):
    """Signal: seen(entity id of a seed, "" for passages, None for all together) whose heat alone is wanted."""

    seen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.said = PlainLabel(kind="small", wrap=True)
        self.bars: list[SourceBar] = []
        self._column = column(self.said, spacing=2, on=self)
        self.show_nothing()

    def show_nothing(self) -> None:
        drop(self._column, self.bars)
        self.said.setText(tr("Select a passage or an entity: who gave it its share of the walk stands here."))

    def show_sources(self, name: str, found: Attributed | None) -> None:
        """Of what is called `name`."""
        drop(self._column, self.bars)
        if found is None or not found.sources:
            self.said.setText(tr("The walk leaves nothing at \u201c{name}\u201d.", name=name))
            return
        mass = f"{found.mass * 100:.2g}"
        words = tr("\u201c{name}\u201d holds {mass} % of the walk, given by:", name=name, mass=mass)
        self.said.setText(words)
        for source in found.sources[:SHOWN]:
            bar = SourceBar(source)
            bar.pointed.connect(lambda lit, bar=bar: self._on_pointed(bar, lit))
            bar.toggled.connect(lambda on, bar=bar: self._on_toggled(bar, on))
            self._column.addWidget(bar)
            self.bars.append(bar)

    @property
    def kept(self) -> SourceBar | None:
        """The one whose heat stays."""
        return next((bar for bar in self.bars if bar.isChecked()), None)

    def _on_pointed(self, bar: SourceBar, lit: bool) -> None:
        wanted = bar if lit else self.kept
        self.seen.emit(wanted.source.entity_id if wanted is not None else None)

    def _on_toggled(self, bar: SourceBar, on: bool) -> None:
        for other in self.bars if on else ():
            if other is not bar:
                other.setChecked(False)
        self.seen.emit(bar.source.entity_id if on else None)
