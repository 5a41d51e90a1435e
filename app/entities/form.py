"""What a person makes of an entity: another name, another kind, one with another, or two of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from app.entities.mentions import MentionPicker
from app.entities.wording import Draft, kinds, title_words
from app.look import theme
from app.look.translation import tr
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.result_box import ResultBox
from core.types import NameChange, SearchResult

_TYPED = ("rename", "alias", "split")
_LABEL = Qt.ItemDataRole.UserRole


class ChangeForm(QWidget):
    """In place of the suggestions.

    Signals: changed() when something else is meant; wanted(text) when entities are to be looked up, answer with
    `show_found`; entered() when Enter is pressed in a field; closed() by Esc.
    """

    changed = Signal()
    wanted = Signal(str)
    entered = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.draft: Draft | None = None
        self.title = PlainLabel(kind="heading", wrap=True)
        self.name, self.box = line_edit(tr("Name")), ResultBox()
        self.box.setPlaceholderText(tr("Which entity is the same?"))
        self.box.setAccessibleName(tr("The entity that is the same"))
        self.kinds, self.mentions = QListWidget(), MentionPicker()
        self.kinds.setAccessibleName(tr("Kind"))
        self.kinds.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for words, label in kinds():
            item = QListWidgetItem(words, self.kinds)
            item.setData(_LABEL, label)
        self._fill = PlainLabel()  # keeps the others at the top
        column(
            self.title, self.name, self.box, (self.kinds, 1), (self.mentions, 1), (self._fill, 1),
            margins=(theme.GROUPS, theme.WITHIN, theme.GROUPS, theme.WITHIN), on=self,
        )  # fmt: skip
        self.name.textEdited.connect(self.changed)
        self.name.returnPressed.connect(self.entered)
        self.kinds.currentItemChanged.connect(self._on_typed)
        self.mentions.changed.connect(self.changed)
        self.box.wanted.connect(self.wanted)
        self.box.chosen.connect(self._choose)
        self.box.cancelled.connect(self.give_up)

    @property
    def change(self) -> NameChange | None:
        """Return what is meant; None where something is missing."""
        if self.draft is None:
            return None
        change = self.draft.change
        if change.kind in _TYPED:
            change = replace(change, value=self.name.text().strip())
        elif change.kind == "retype" and (item := self.kinds.currentItem()) is not None:
            change = replace(change, value=item.data(_LABEL))
        if change.kind == "split":
            change = replace(change, passage_ids=self.mentions.chosen)
        return change if self._is_complete(change) else None

    def _is_complete(self, change: NameChange) -> bool:
        assert self.draft is not None
        entity = self.draft.entities[0]
        if change.kind in ("merge", "part"):
            return len(change.entity_ids) > 1
        same = {"rename": entity.name, "retype": entity.label}.get(change.kind, "")
        return change.value not in ("", same) and (change.kind != "split" or bool(change.passage_ids))

    def begin(self, draft: Draft) -> None:
        kind, entity = draft.change.kind, draft.entities[0]
        self.draft = None  # nothing is meant before all fields are right
        self.box.clear()
        self.name.setText(entity.name if kind == "rename" else draft.change.value)
        self.name.setPlaceholderText(tr("Who is meant there: the judge") if kind == "split" else tr("Name"))
        self.name.setAccessibleName(tr("Who is meant there") if kind == "split" else tr("Name"))
        for part, is_visible in (
            (self.name, kind in _TYPED), (self.box, kind == "merge"), (self.kinds, kind == "retype"),
            (self.mentions, kind == "split"), (self._fill, kind not in ("retype", "split")),
        ):  # fmt: skip
            part.setVisible(is_visible)
        if kind == "retype":
            labels = [self.kinds.item(row).data(_LABEL) for row in range(self.kinds.count())]
            self.kinds.setCurrentRow(
                labels.index(entity.label) if entity.label in labels else len(labels) - 1
            )
        self.mentions.show_mentions(draft.mentions)
        self._show(draft)

    def _show(self, draft: Draft) -> None:
        self.draft = draft
        self.title.setText(title_words(draft.change, list(draft.names)))
        self.changed.emit()

    @property
    def entrance(self) -> QWidget | None:
        """None where there is nothing to fill in."""
        kind = self.draft.change.kind if self.draft is not None else "part"
        fields: dict[str, QWidget | None] = {
            "merge": self.box, "retype": self.kinds, "split": self.mentions.list, "part": None,
        }  # fmt: skip
        return fields.get(kind, self.name)

    def _on_typed(self, *_: object) -> None:
        if self.draft is not None:
            self.changed.emit()

    def _choose(self, found: SearchResult) -> None:
        """The other entity; another choice takes its place."""
        if (draft := self.draft) is not None:
            change = replace(draft.change, entity_ids=(draft.change.entity_ids[0], found.id))
            self._show(replace(draft, change=change, names=(draft.names[0], found.title)))
            self.box.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_found(self, text: str, found: Sequence[SearchResult], none: Callable[[], object]) -> None:
        mine = self.draft.entities[0].id if self.draft is not None else ""
        others = [one for one in found if one.kind == "entity" and one.id != mine]
        self.box.show_results(text, others)
        if not others:
            none()

    def give_up(self) -> None:
        if self.draft is not None:
            self.draft = None
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        else:
            super().keyPressEvent(event)
