"""The stages of an answer as rows of a list, each with its place on the time line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.answers.wording import duration
from app.look.translation import tr
from core.types import Stage

ROOT = QModelIndex()
STAGE_ROLE = Qt.ItemDataRole.UserRole

# The names that the engine gives its stages, in words. Others are shown as they are.
STAGE_WORDS = {
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


class StagesModel(QAbstractListModel):
    """STAGE_ROLE gives the StageRow; the display text is one line for copying and for screen readers."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[StageRow, ...] = ()

    def set_stages(self, stages: tuple[Stage, ...], seconds: float) -> None:
        self.beginResetModel()
        self._rows = stage_rows(stages, seconds)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == STAGE_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return "\t".join((row.words, duration(row.stage.seconds), row.stage.detail)).rstrip()
        return None
