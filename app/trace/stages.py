"""The stages of an answer as rows of a list, each with its place on the time line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.answers.wording import duration
from core.types import Stage

ROOT = QModelIndex()
STAGE_ROLE = Qt.ItemDataRole.UserRole

# The names that the engine gives its stages, in words. Others are shown as they are.
STAGE_WORDS = {
    "gate": "Is any document near",
    "route": "Choose the route",
    "encode": "Encode the question",
    "dense": "Nearest in meaning",
    "lexical": "Nearest in words",
    "seeds": "Find the seeds",
    "graph": "Walk over the graph",
    "join": "Join words, meaning and graph",
    "hybrid": "Add nearness and paths",
    "align": "Align names and relations",
    "local": "Look around the seeds",
    "bridge": "Look between and beyond them",
    "global": "Walk over the whole graph",
    "scope": "All documents?",
    "map": "Read the reports",
    "reduce": "Choose statements",
    "beam": "Down the communities",
    "passages": "Passages of entities",
    "second stage": "Choose the best anew",
    "read": "Read the passages",
    "answer": "Choose the sentences",
    "explain": "Say why each was found",
    "round": "Ask again",
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
