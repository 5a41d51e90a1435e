"""The beam of lab:hierarchical: level by level, how many were looked at, and who stayed with what score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from app.look import theme
from app.look.painting import paint_share, paint_text
from app.look.translation import tr
from app.session.selection import Selected
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.types import Beam, Community

BAR, DOT = 6, 8
NUMBER = 40  # room for a score


@dataclass(frozen=True, slots=True)
class BeamRow:
    """A level (`community` None, `words` tell it) or a community in it.

    `share` is the score as a part of the best one of all levels, 0..1; `colour` is the number of the top
    community that holds it, -1 while it is not known.
    """

    words: str
    community: int | None = None
    score: float = 0.0
    share: float = 0.0
    colour: int = -1


def beam_rows(beam: Sequence[Beam], communities: Mapping[int, Community]) -> tuple[BeamRow, ...]:
    """Level by level in the order searched; one that is not among `communities` is told by its number."""
    best = max((score for step in beam for _, score in step.chosen), default=0.0)
    rows: list[BeamRow] = []
    for at, step in enumerate(beam):
        rows.append(BeamRow(level_words(step, top=not at)))
        for id, score in step.chosen:
            known = communities.get(id)
            share = min(max(score / best, 0.0), 1.0) if best > 0 else 0.0
            title = " ".join(known.label.split()) if known else ""
            colour = known.colour if known else -1
            rows.append(BeamRow(title or tr("Community {number}", number=str(id)), id, score, share, colour))
    return tuple(rows)


def level_words(step: Beam, top: bool) -> str:
    """`Level 2: 9 looked at inside these, 3 stayed`."""
    looked, stayed = step.considered, len(step.chosen)
    if top:
        return tr("Top level: {looked} looked at, {stayed} stayed", looked=looked, stayed=stayed)
    return tr(
        "Level {level}: {looked} looked at inside these, {stayed} stayed",
        level=step.level,
        looked=looked,
        stayed=stayed,
    )


class BeamDelegate(RowDelegate):
    """A level in small letters; a community with its colour, its title, its bar and its score."""

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        row: BeamRow = index.data(RECORD_ROLE)
        area = QRectF(box).adjusted(theme.WITHIN, 0, -theme.WITHIN, 0)
        if row.community is None:
            paint_text(painter, area, row.words, "muted", theme.SMALL)
            return
        colour, ring = theme.community_mark(row.colour)
        dot = QRectF(area.left() + theme.WITHIN, area.center().y() - DOT / 2, DOT, DOT)
        painter.setPen(QPen(colour, 2) if ring else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if ring else colour)
        painter.drawEllipse(dot)
        left, bars = dot.right() + theme.WITHIN, max(48.0, area.width() * 0.25)
        track = QRectF(area.right() - theme.px(NUMBER) - bars, area.center().y() - BAR / 2, bars, BAR)
        room = QRectF(left, area.top(), track.left() - left - theme.WITHIN, area.height())
        paint_text(painter, room, row.words)
        paint_text(painter, area, f"{row.score:.2f}", place=Qt.AlignmentFlag.AlignRight)
        paint_share(painter, track, row.share, BAR)


class BeamList(RowList):
    """Signal: chosen(id of a community) by click or Enter."""

    chosen = Signal(int)

    def __init__(self) -> None:
        columns = (
            Column("", lambda row: row.words),
            Column("", lambda row: "" if row.community is None else f"{row.score:.2f}"),
        )
        name = tr("Communities that the search went down through")
        # A level is no community: the keyboard passes it by.
        super().__init__(
            "beamList", name, columns, BeamDelegate, _describe_row, lambda row: row.community is not None
        )
        self._beam: tuple[Beam, ...] = ()
        self.clicked.connect(self._choose)

    def show_beam(self, beam: tuple[Beam, ...]) -> None:
        """Replace what is shown; titles and colours come with `set_communities`."""
        self._beam = beam
        self.set_records(beam_rows(beam, {}))

    def set_communities(self, communities: list[Community]) -> None:
        self.records.renew(beam_rows(self._beam, {community.id: community for community in communities}))

    def show_current(self, selected: Selected | None) -> None:
        """Mark the community that is selected, wherever it was selected."""
        community = int(selected.id) if selected is not None and selected.kind == "community" else -1
        rows = [self.model().index(at, 0) for at in range(self.model().rowCount())]
        matches = [index for index in rows if index.data(RECORD_ROLE).community == community]
        if self.currentIndex() in matches:
            return
        if matches:
            self.setCurrentIndex(matches[0])
        else:
            self.clearSelection()

    def _choose(self, index: QModelIndex) -> None:
        row: BeamRow | None = index.data(RECORD_ROLE) if index.isValid() else None
        if row is not None and row.community is not None:
            self.chosen.emit(row.community)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)


def _describe_row(row: BeamRow) -> str:
    if row.community is None:
        return row.words
    return tr(
        "{community}\nScore {score}: nearness of the question to the community and to the sentences of its report, "
        "more where it holds a name of the question",
        community=row.words,
        score=f"{row.score:.3f}",
    )
