"""What the next question is kept to: a chip a part, each with a button that takes it out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import column, drop, flow, row
from core.progress import TaskContext
from core.text.translation import markn
from core.types import Changed, Scope, ScopeCoverage, ScopePart

ONE_BY_ONE = 5  # of a kind that have a chip each; more have one together
_LISTED = 20  # names in a tooltip
_WIDEST = 190  # pixels of a title
_ICONS = {
    "entity": "circle",
    "path": "path",
    "document": "file-text",
    "community": "circles-three",
    "dates": "calendar-blank",
}


_TOGETHER = {
    "entity": markn("{count} entity", "{count} entities"),
    "community": markn("{count} community", "{count} communities"),
    "document": markn("{count} document", "{count} documents"),
}
# Before the names are read.
_UNREAD = {
    "entity": tr("Entity"),
    "community": tr("Community"),
    "document": tr("Document"),
    "dates": tr("Dates"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A chip: its kind, its words, what they stand for in full, why it adds nothing, and the scope without it."""

    kind: str
    words: str
    full_words: str
    without: Scope
    gone: str = ""


def parts_of(scope: Scope, path: tuple[str, ...], found: ScopeCoverage | None) -> tuple[Part, ...]:
    """Return the chips of a scope, named by what was `found`; as long as nothing is, by their kind."""
    known = {(part.part, part.id): part for part in found.parts} if found is not None else {}
    single = tuple(id for id in scope.entities if id not in path)
    chips: list[Part] = []
    if path:
        names = [_named("entity", id, known) for id in path]
        ends = tr("{first} to {last}", first=names[0], last=names[-1])
        chips.append(Part("path", ends, " \u2192 ".join(names), replace(scope, entities=single)))
    for kind, field, ids in (
        ("entity", "entities", single),
        ("community", "communities", tuple(map(str, scope.communities))),
        ("document", "documents", scope.documents),
    ):
        if len(ids) > ONE_BY_ONE:
            names = [_named(kind, id, known) for id in ids[:_LISTED]]
            more = len(ids) - len(names)
            names += [trn("{count} more", "{count} more", more)] if more else []
            words = trn(*_TOGETHER[kind], len(ids))
            chips.append(Part(kind, words, "\n".join(names), _without(scope, field, ids)))
            continue
        for id in ids:
            words, part = _named(kind, id, known), known.get((kind, id))
            details = (_count(part), part.rejected) if part is not None else (words, "")
            words = words.rpartition("/")[2] if kind == "document" else words
            chips.append(Part(kind, words, details[0], _without(scope, field, (id,)), details[1]))
    if scope.dated:
        words, part = _named("dates", "", known), known.get(("dates", ""))
        count_text = _count(part) if part is not None else words
        chips.append(Part("dates", words, count_text, replace(scope, since="", until="")))
    return tuple(chips)


def _named(kind: str, id: str, known: Mapping[tuple[str, str], ScopePart]) -> str:
    part = known.get((kind, id))
    return part.name if part is not None else _UNREAD[kind]


def _without(scope: Scope, field: str, gone: Collection[str]) -> Scope:
    remaining: dict[str, Any] = {field: tuple(id for id in getattr(scope, field) if str(id) not in gone)}
    return replace(scope, **remaining)


def _count(part: ScopePart) -> str:
    return trn("{name}: {count} passage", "{name}: {count} passages", part.passages, name=part.name)


class ScopeRow(QWidget):
    """Seen while there is a scope."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("The next question is kept to"))
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._found: ScopeCoverage | None = None
        self.chips: list[ScopeChip] = []
        self.figure = PlainLabel(kind="small")
        self.clear_button = push_button(tr("Clear"), kind="link")
        self._chips = QWidget()
        self._flow = flow(self._chips)
        head = row(PlainLabel(tr("Only in:"), "small"), (self.figure, 1), self.clear_button)
        column(head, self._chips, spacing=theme.GRID, on=self)
        session.scope.changed.connect(self._on_scope)
        session.workspace_opened.connect(self._on_scope)
        session.changes.published.connect(self._on_changed)
        self._on_scope()

    def _on_changed(self, _: Changed) -> None:
        if not self._session.scope.current.all:
            self._read()

    def _on_scope(self, _: object = None) -> None:
        """Show the parts by their kind at once, and by their names when these were read."""
        scope = self._session.scope.current
        self.setVisible(not scope.all)
        if scope.all:
            self._tasks.drop("scope")
            self._found = None
            self._show()
        else:
            self._show()
            self._read()

    def _read(self) -> None:
        workspace, scope = self._session.workspace, self._session.scope.current
        if workspace is None:
            return

        def work(_: TaskContext) -> ScopeCoverage:
            return workspace.retrieval.restrict_to(scope)

        def done(found: ScopeCoverage) -> None:
            self._found = found
            self._show()

        self._tasks.start("scope", work, done)

    def _show(self) -> None:
        scope, found = self._session.scope.current, self._found
        had = next((at for at, chip in enumerate(self.chips) if chip.close_button.hasFocus()), -1)
        drop(self._flow, self.chips)
        words = _figure(found) if found is not None else ""
        self.figure.setText(words)
        for part in parts_of(scope, self._session.scope.path, found):
            chip = ScopeChip(part, words, self._take_out, self._chips)
            self.chips.append(chip)
            self._flow.addWidget(chip)
            chip.show()
        for before, after in pairwise([self.clear_button, *(chip.close_button for chip in self.chips)]):
            QWidget.setTabOrder(before, after)
        if had >= 0 and self.chips:  # the keyboard stays among them
            self.chips[min(had, len(self.chips) - 1)].close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._chips.updateGeometry()

    def _take_out(self, part: Part) -> None:
        self._session.scope.set(part.without)


def _figure(found: ScopeCoverage) -> str:
    if not found.taken:
        return tr("no passage: nothing will be found")
    return trn(
        "{taken} of {count} passage", "{taken} of {count} passages", found.count, taken=f"{found.taken:,}"
    )


class ScopeChip(QWidget):
    """Icon, words and a button, in a rounded box; Delete takes it out, too."""

    def __init__(self, part: Part, figure: str, act: Callable[[Part], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.part, self._act = part, act
        self.words = ElidedLabel(part.words, "small", end=True)
        theme.follow(self.words, lambda: self.words.setMaximumWidth(theme.px(_WIDEST)))
        tip = tr("Take {name} out of the scope", name=part.words)
        self.close_button = tool_button("x", tip, self.take_out, side=18)
        icon, role = ("warning-circle", "warn") if part.gone else (_ICONS[part.kind], "accent")
        row(
            Icon(icon, role, 14),
            self.words,
            self.close_button,
            spacing=theme.GRID,
            margins=(8, 1, 3, 1),
            on=self,
        )
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(part.words)
        full_tip = "\n".join(
            filter(None, (part.full_words, part.gone, figure and tr("In scope: {figure}", figure=figure)))
        )
        for each in (self, self.words):
            set_tip(each, full_tip)

    def take_out(self) -> None:
        self._act(self.part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take_out()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        outline = "accent" if self.close_button.hasFocus() else "border"
        rounded(smooth(self), self.rect(), outline, "accent_soft", self.height() / 2)
