"""The other names of an entity, why they are its own, and what can be made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.look import theme
from app.look.translation import tr
from app.session.session import Session
from app.widgets.buttons import block, push_button
from app.widgets.flow import flow
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, clear, column
from core.types import Entity, NameChange, NameMerge


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name that belongs to an entity of another name, and why."""

    id: str
    name: str
    reason: str


def other_names(entity: Entity, merges: Sequence[NameMerge]) -> list[OtherName]:
    """Each other name once, the surest first, with the reason that ties it to the entity's own name.

    A name that hangs on another of its names says on which.
    """
    direct: dict[str, OtherName] = {}
    behind: dict[str, OtherName] = {}
    for merge in merges:
        ends = ((merge.one_id, merge.one, merge.other), (merge.other_id, merge.other, merge.one))
        own = entity.id in (merge.one_id, merge.other_id)
        for id, name, partner in ends:
            as_partner = tr("as {name}: {reason}", name=partner, reason=merge.reason)
            if own and id != entity.id:
                direct.setdefault(id, OtherName(id, name, merge.reason))
            elif not own:
                behind.setdefault(id, OtherName(id, name, as_partner))
    return [*direct.values(), *(found for id, found in behind.items() if id not in direct)]


class EntityNames(QWidget):
    """A part of the entity's card."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._entity: Entity | None = None
        self._others: list[OtherName] = []
        self.labels: list[PlainLabel] = []
        self.apart: list[QPushButton] = []  # one for each label
        self.acts: list[QPushButton] = []
        self._rows, acts = column(spacing=theme.GRID), QWidget()
        self._buttons = flow(acts)
        for id, words in (
            ("rename", tr("Rename")), ("retype", tr("Kind")), ("alias", tr("Other name")),
            ("merge", tr("Merge")), ("split", tr("Split")),
        ):  # fmt: skip
            self._offer(f"entity.{id}", words)
        column(self._rows, acts, spacing=theme.GRID, margins=(8, theme.GRID), on=self)
        session.blocked_changed.connect(self._show_blocked)

    def _offer(self, id: str, words: str) -> None:
        button = push_button(words, lambda: self._session.commands.run(id), kind="link", name=id)
        self.acts.append(button)
        self._buttons.addWidget(button)

    def show_names(self, entity: Entity, merges: Sequence[NameMerge]) -> None:
        self._entity, self._others = entity, other_names(entity, merges)
        clear(self._rows)
        self.labels, self.apart = [], []
        for other in self._others:
            self._add(other)
        self._show_blocked()

    def fit(self, width: int) -> int:
        """Take the height that the names need at a width; returns it."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = (
            layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height()
        )
        self.setFixedHeight(height)
        return height

    def _add(self, other: OtherName) -> None:
        row = QWidget()
        words = tr("Also: {name} ({reason})", name=other.name, reason=other.reason)
        label = PlainLabel(words, wrap=True, selectable=True)
        # A name of one long word is cut off rather than making the card's inside wider than the card.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        label.setSizePolicy(policy)
        button = push_button(tr("Keep apart"), partial(self._keep_apart, other), kind="link")
        button.setAccessibleName(tr("Keep {name} apart", name=other.name))
        column(label, (button, LEFT), spacing=0, on=row)
        self._rows.addWidget(row)
        row.show()  # at once: what is hidden has no height
        QWidget.setTabOrder(self.apart[-1] if self.apart else self, button)
        self.labels.append(label)
        self.apart.append(button)

    def _keep_apart(self, other: OtherName) -> None:
        if self._entity is not None:
            self._session.name_change_wanted.emit(NameChange("part", (self._entity.id, other.id)))

    def _show_blocked(self) -> None:
        """Enable the actions and say what they do, or say why they are off."""
        reason, commands = self._session.blocked, self._session.commands
        for button, other in zip(self.apart, self._others, strict=True):
            says = tr("Shows what changes when “{name}” is an entity of its own again", name=other.name)
            block(button, reason, says)
        for button in self.acts:
            known = button.objectName() in commands
            button.setVisible(known)
            if known:
                block(button, reason, commands.tip(button.objectName()))
                button.setAccessibleName(commands[button.objectName()].name.rstrip("."))
