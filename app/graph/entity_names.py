"""The other names of an entity, why they are its own, and how to keep them apart or to add one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.graph import name_decisions
from app.graph.name_decisions import NamePair
from app.look import theme
from app.look.translation import tr
from app.session.session import Session
from app.session.tasks import KEEPING
from app.widgets.buttons import block, push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, clear, column
from app.widgets.result_box import ResultBox
from core.types import Entity, NameMerge, SearchResult

CHOICES = 6  # entities that are offered at once
HOW = tr("Enter makes the two one, Esc gives up.")


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
    """A part of the entity's card. `resized` fires when it needs another height."""

    resized = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._entity: Entity | None = None
        self._others: list[OtherName] = []
        self.labels: list[PlainLabel] = []
        self.apart: list[QPushButton] = []  # one for each label
        self.same = push_button(tr("Same as..."), self._open_or_close, kind="link")
        self.box = ResultBox()
        self.box.setPlaceholderText(tr("Which entity is the same?"))
        self.box.setAccessibleName(tr("The entity that is the same"))
        self.box.setToolTip(tr("Type a part of its name. Enter makes the two one, Esc gives up."))
        self.hint = _small(HOW)
        self._rows = column(spacing=theme.GRID)
        parts = (self._rows, (self.same, LEFT), self.box, self.hint)
        column(*parts, spacing=theme.GRID, margins=(8, theme.GRID), on=self)
        self.box.wanted.connect(self._search)
        self.box.chosen.connect(self._join)
        self.box.given_up.connect(self._give_up)
        session.blocked_changed.connect(self._show_blocked)
        session.tasks.busy_changed.connect(self._on_busy)
        self._close()

    def show_names(self, entity: Entity, merges: Sequence[NameMerge]) -> None:
        """Fill. What the person types stays while the entity does."""
        if self._entity is None or self._entity.id != entity.id:
            self._close()
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
        QWidget.setTabOrder(self.apart[-1] if self.apart else self, button)
        self.labels.append(label)
        self.apart.append(button)

    # ------------------------------------------------------------ deciding

    def _pair(self, other_id: str, other: str) -> NamePair | None:
        mine = self._entity
        return NamePair(mine.id, mine.name, other_id, other) if mine is not None else None

    def _keep_apart(self, other: OtherName) -> None:
        if (pair := self._pair(other.id, other.name)) is not None:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            name_decisions.keep_apart(self._session, pair)

    def _join(self, chosen: SearchResult) -> None:
        pair = self._pair(chosen.id, chosen.title)
        self._close()
        self.resized.emit()
        if pair is not None:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            name_decisions.join(self._session, pair)

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == KEEPING:
            self._show_blocked()
            self.hint.setText(tr("Bringing the graph in step..."))
            self.hint.setVisible(busy)
            self.resized.emit()

    def _show_blocked(self) -> None:
        """Enable the actions and say what they do, or say why they are off."""
        busy = self._session.tasks.busy(KEEPING)
        reason = self._session.blocked or (tr("Another change is at work.") if busy else "")
        mine = self._entity.name if self._entity is not None else ""
        for button, other in zip(self.apart, self._others, strict=True):
            says = tr(
                "Makes “{name}” an entity of its own again, and keeps it so in later runs", name=other.name
            )
            block(button, reason, says)
        says = tr("Find another entity that is the same as “{name}”, and make the two one", name=mine)
        block(self.same, reason, f"{says}  {self._session.commands.keys('graph.same')}".rstrip())
        if reason and not self.box.isHidden():
            self._close()
            self.resized.emit()
        elif not reason and self.hasFocus():
            self.same.setFocus(Qt.FocusReason.OtherFocusReason)

    # ------------------------------------------------------------ finding the other one

    def choose_same(self) -> None:
        """Let the person choose the entity that is the same, or go on choosing it."""
        if self.box.isHidden() and self.same.isEnabled():
            self._open_or_close()
        elif not self.box.isHidden():
            self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _open_or_close(self) -> None:
        if not self.box.isHidden():
            self._give_up()
            return
        self.box.show()
        self.hint.setText(HOW)
        self.hint.show()
        self.resized.emit()
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)

    def _give_up(self) -> None:
        self._close()
        self.resized.emit()
        self.same.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close(self) -> None:
        if self.box.hasFocus():
            self.setFocus(
                Qt.FocusReason.OtherFocusReason
            )  # else Qt would go on, and scroll, to the next line
        self.box.close_results()
        self.box.clear()
        self.box.hide()
        self.hint.hide()

    def _search(self, text: str) -> None:
        workspace, mine = self._session.workspace, self._entity
        if workspace is None or mine is None:
            return

        def done(found: list[SearchResult]) -> None:
            others = [row for row in found if row.kind == "entity" and row.id != mine.id][:CHOICES]
            self.hint.setText(HOW if others else tr("No other entity is called so."))
            self.box.show_results(text, others)

        self._tasks.start("other entity", lambda _: workspace.search(text, CHOICES + 1, ("entity",)), done)


def _small(words: str) -> PlainLabel:
    return PlainLabel(words, "small", wrap=True)
