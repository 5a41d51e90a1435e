"""What a change would change: entities, facts, communities, documents and pinned questions, before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStackedWidget, QStyleOptionViewItem, QWidget

from app.entities.wording import ChangeEffects, Difference, nothing_words
from app.look import theme
from app.look.counting import listed
from app.look.painting import paint_text
from app.look.translation import tr, trn
from app.session.commands import Commands
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, flow
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.errors import CoreError

MOST = 50  # facts that are listed
NAMED = 6  # documents and communities that are named
LINE, PAD = 20, 4
_COLUMNS = (
    Column(tr("Before"), attrgetter("before")),
    Column(tr("After"), attrgetter("after")),
    Column(tr("Note"), attrgetter("note")),
)


class _DifferenceRow(RowDelegate):
    """What it was above what it is; a sign says which line is which."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row: Difference = index.data(RECORD_ROLE)
        return QSize(120, theme.px(LINE * (bool(row.before) + bool(row.after)) + 2 * PAD))

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        row: Difference = index.data(RECORD_ROLE)
        line = QRect(box.left() + 4, box.top() + theme.px(PAD), box.width() - 8, theme.px(LINE))
        for words, sign, role in ((row.before, "minus", "muted"), (row.after, "plus", "text")):
            if not words:
                continue
            side = theme.px(12)
            spot = QRect(line.left(), line.center().y() - side // 2, side, side)
            theme.icon(sign, "error" if sign == "minus" else "ok").paint(painter, spot)
            text = line.adjusted(side + theme.WITHIN, 0, 0, 0)
            if row.note and sign == "plus":
                text.setWidth(int(text.width() * 0.7))
            taken = paint_text(painter, text, words, role)
            if row.note and sign == "plus":
                note = QRect(
                    text.left() + taken + theme.WITHIN,
                    line.top(),
                    line.right() - text.left() - taken,
                    line.height(),
                )
                paint_text(painter, note, row.note, "muted", theme.SMALL)
            line.translate(0, line.height())


def _describe_difference(row: Difference) -> str:
    return "\n".join(filter(None, (row.before, row.after, row.note)))


class _Rows(QWidget):
    """A heading, rows below it, and how many more there are."""

    def __init__(self, name: str, accessible: str) -> None:
        super().__init__()
        self.heading = PlainLabel(kind="section")
        self.list = RowList(name, accessible, _COLUMNS, _DifferenceRow, _describe_difference)
        self.more = PlainLabel(kind="small")
        column(self.heading, self.list, self.more, spacing=2, on=self)
        self.hide()

    def show_rows(self, heading: str, rows: Sequence[Difference]) -> None:
        self.heading.setText(heading)
        self.list.set_records(tuple(rows[:MOST]))
        self.list.setVisible(bool(rows))
        more = len(rows) - MOST
        self.more.setText(trn("and {count} more", "and {count} more", more) if more > 0 else "")
        self.more.setVisible(more > 0)
        self.show()


class ChangePreview(QWidget):
    """Beside the form and the suggestions; `why` is kept with the decision."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = PlainLabel(wrap=True, selectable=True)
        self.busy = progress_bar(tr("Looking at what changes"))
        policy = self.busy.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing jumps
        self.busy.setSizePolicy(policy)
        self.entities = _Rows("changedEntities", tr("Entities that change"))
        self.facts = _Rows("changedFacts", tr("Facts that change"))
        self.pins = _Rows("changedPins", tr("Pinned questions whose answers change"))
        self.communities, self.documents = (
            PlainLabel(kind="small", wrap=True, selectable=True) for _ in range(2)
        )
        self.area = PanelScroll(
            self.state, self.entities, self.facts, self.communities, self.documents, self.pins, STRETCH
        )
        self.why = line_edit(tr("Why? (kept with the decision)"), tr("Why you decide so"))
        self.buttons: dict[str, QPushButton] = {}
        self._foot, self._pages = QStackedWidget(), list[QWidget]()
        foot = column(self.why, self._foot, margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN))
        column(self.busy, (self.area, 1), foot, spacing=0, on=self)
        self.say("")

    def add_commands(self, commands: Commands, ids: Sequence[str]) -> int:
        """Return a button for each; the first one is what is done most. Their number, for `offer`."""
        page = QWidget()
        self._pages.append(page)
        buttons = flow(page)
        for id in ids:
            words = tr("{command}  {keys}", command=commands[id].name, keys=commands.keys(id))
            button = push_button(words, kind="primary" if id == ids[0] else "")
            commands.press(button, id)
            self.buttons[id] = button
            buttons.addWidget(button)
        return self._foot.addWidget(page)

    def offer(self, number: int) -> None:
        """These buttons are seen."""
        self._foot.setCurrentIndex(number)
        for at, page in enumerate(self._pages):  # what is behind asks for no room
            policy = page.sizePolicy()
            policy.setVerticalPolicy(
                QSizePolicy.Policy.Minimum if at == number else QSizePolicy.Policy.Ignored
            )
            page.setSizePolicy(policy)

    def take_why(self) -> str:
        why = self.why.text().strip()
        self.why.clear()
        return why

    # ------------------------------------------------------------ what is said

    def say(self, words: str, busy: bool = False) -> None:
        """In place of a preview."""
        self._state(words, "muted")
        self.busy.setVisible(busy)
        for part in (self.entities, self.facts, self.pins, self.communities, self.documents):
            part.hide()

    def refuse(self, error: CoreError) -> None:
        """Why it cannot be done, and what to do about it."""
        self.say("")
        self._state("\n".join(filter(None, (error.message, error.remedy))), "error")

    def _state(self, words: str, kind: str) -> None:
        self.state.setText(words)
        self.state.setProperty("kind", kind)
        self.state.style().polish(self.state)
        self.state.setVisible(bool(words))

    def show_preview(self, preview: ChangeEffects) -> None:
        self.say(nothing_words(preview.change) if preview.nothing else "")
        if preview.entities:
            self.entities.show_rows(tr("Entities"), preview.entities)
        count = len(preview.facts)
        if count:
            self.facts.show_rows(trn("{count} fact changes", "{count} facts change", count), preview.facts)
        self.communities.setText(_communities(preview))
        self.documents.setText(_documents(preview))
        for label in (self.communities, self.documents):
            label.setVisible(bool(label.text()) and not preview.nothing)

    def show_pins(self, heading: str, rows: Sequence[Difference] = ()) -> None:
        self.pins.show_rows(heading, rows)


def _communities(preview: ChangeEffects) -> str:
    count = len(preview.communities) + preview.untitled
    if not count:
        return ""
    if not preview.communities:
        return trn("In {count} community", "In {count} communities", count)
    return trn(
        "In {count} community: {titles}",
        "In {count} communities: {titles}",
        count,
        titles=_some(preview.communities),
    )


def _documents(preview: ChangeEffects) -> str:
    count, titles = len(preview.documents), _some(preview.documents)
    return (
        trn("In {count} document: {titles}", "In {count} documents: {titles}", count, titles=titles)
        if count
        else ""
    )


def _some(titles: Sequence[str]) -> str:
    more = len(titles) - NAMED
    visible = titles[:NAMED]
    return listed((*visible, trn("{count} more", "{count} more", more)) if more > 0 else visible)
