"""The beam of an answer as rows of a list: a line a level, and below it the communities that stayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.look.translation import tr
from core.types import Beam, Community

ROOT = QModelIndex()
BEAM_ROLE = Qt.ItemDataRole.UserRole
AnyIndex = QModelIndex | QPersistentModelIndex


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


class BeamModel(QAbstractListModel):
    """BEAM_ROLE gives the BeamRow; the display text is one line for copying and for screen readers."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._beam: tuple[Beam, ...] = ()
        self._rows: tuple[BeamRow, ...] = ()

    def set_beam(self, beam: tuple[Beam, ...]) -> None:
        """Replace the rows; titles come with `set_communities`."""
        self.beginResetModel()
        self._beam, self._rows = beam, beam_rows(beam, {})
        self.endResetModel()

    def set_communities(self, communities: Sequence[Community]) -> None:
        """Give the rows their titles and colours; the rows stay the same, and so does what is selected."""
        self._rows = beam_rows(self._beam, {community.id: community for community in communities})
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def row_of(self, community: int) -> int:
        """The first row of a community; -1 where it is in none."""
        return next((at for at, row in enumerate(self._rows) if row.community == community), -1)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if index.isValid() and self._rows[index.row()].community is None:
            return Qt.ItemFlag.NoItemFlags  # a level is no community: the keyboard passes it by
        return super().flags(index)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == BEAM_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.words if row.community is None else f"{row.words}\t{row.score:.2f}"
        return None
