"""The time line of an answer: one line a stage, its bar where it lies in the whole time."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.answers.wording import duration
from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.types import Stage

ROW = 40  # height of a stage, pixels
BAR = 6
TIME = 64  # room for the seconds

# The names that the engine gives its stages, in words. Others are shown as they are.
STAGE_WORDS = {
    "loading models": tr("Load the models"),
    "preparing": tr("Is a table or a theme asked for"),
    "gate": tr("Is any document near"),
    "route": tr("Choose the route"),
    "encode": tr("Encode the question"),
    "dense": tr("Nearest in meaning"),
    "lexical": tr("Nearest in words"),
    "seeds": tr("Find the seeds"),
    "graph": tr("Walk over the graph"),
    "join": tr("Join words, meaning and graph"),
    "hybrid": tr("Add nearness and paths"),
    "align": tr("Align names and relations"),
    "local": tr("Look around the seeds"),
    "bridge": tr("Look between and beyond them"),
    "global": tr("Walk over the whole graph"),
    "scope": tr("All documents?"),
    "map": tr("Read the reports"),
    "reduce": tr("Choose statements"),
    "beam": tr("Down the communities"),
    "passages": tr("Passages of entities"),
    "second stage": tr("Choose the best anew"),
    "read": tr("Read the passages"),
    "answer": tr("Choose the sentences"),
    "explain": tr("Say why each was found"),
    "checks": tr("Check the answer"),
    "next question": tr("Find what to ask next"),
    "round": tr("Ask again"),
}


def stage_words(name: str) -> str:
    """A stage as people read it; an unknown name keeps its letters."""
    return STAGE_WORDS.get(name, name[:1].upper() + name[1:])


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage and where it lies: `begin` and `share` are parts of the whole time, 0..1."""

    stage: Stage
    words: str
    begin: float
    share: float


def stage_rows(stages: tuple[Stage, ...], seconds: float) -> tuple[StageRow, ...]:
    """Stages one after the other; time that none of them names is left at the end."""
    whole = max(seconds, sum(stage.seconds for stage in stages), 1e-9)
    rows, passed = [], 0.0
    for stage in stages:
        rows.append(StageRow(stage, stage_words(stage.name), passed / whole, stage.seconds / whole))
        passed += stage.seconds
    return tuple(rows)


class StageDelegate(RowDelegate):
    """Name and time in the first line, the bar between them; the detail below, muted."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row: StageRow = index.data(RECORD_ROLE)
        return QSize(120, theme.px(ROW if row.stage.detail else ROW - 16))

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        row: StageRow = index.data(RECORD_ROLE)
        area = QRectF(box).adjusted(theme.WITHIN, 0, -theme.WITHIN, 0)
        first = QRectF(area.left(), area.top() + 4, area.width(), theme.px(20))
        name = QRectF(first)
        name.setWidth(min(self._names_wide(index), area.width() * 0.45))
        paint_text(painter, name, row.words)
        paint_text(painter, first, duration(row.stage.seconds), place=Qt.AlignmentFlag.AlignRight)
        left = name.right() + theme.GROUPS
        track = QRectF(left, first.center().y() - BAR / 2, area.right() - theme.px(TIME) - left, BAR)
        self._paint_bar(painter, track, row)
        if row.stage.detail:
            below = QRectF(area.left(), first.bottom() - 2, area.width(), theme.px(16))
            paint_text(painter, below, " ".join(row.stage.detail.split()), "muted", theme.SMALL)

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
        names = (model.index(at, 0).data(RECORD_ROLE).words for at in range(model.rowCount()))
        return float(max(metrics.horizontalAdvance(name) for name in names))


def stage_list() -> RowList:
    """Fill it with `stage_rows`."""
    columns = (
        Column("", lambda row: row.words),
        Column("", lambda row: duration(row.stage.seconds)),
        Column("", lambda row: row.stage.detail),
    )
    name = tr("Stages of the answer")
    return RowList("stageList", name, columns, StageDelegate, _told, below=theme.WITHIN)


def _told(row: StageRow) -> str:
    words = tr(
        "{stage} ({name}): {time}, {share} of the whole",
        stage=row.words,
        name=row.stage.name,
        time=duration(row.stage.seconds),
        share=f"{row.share:.0%}",
    )
    return f"{words}\n{row.stage.detail}".strip()
