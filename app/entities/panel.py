"""Entities: all names in a table; and as a person wants them, renamed, of another kind, merged and split, where what
that changes is seen before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget
from shiboken6 import isValid
from superqt.utils import qdebounced

from app.entities.commands import FORM, LIST, entity_commands, form_commands, list_commands
from app.entities.confirming import ModelDecides
from app.entities.form import ChangeForm
from app.entities.name_list import NameList
from app.entities.preview import ChangePreview
from app.entities.suggestions import MOST, Suggestions, pair_of
from app.entities.wording import (
    ChangeEffects,
    Difference,
    Draft,
    begin_draft,
    compute_effects,
    done_words,
    hint_words,
)
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.changes import Following
from app.session.decisions import Look
from app.session.panels import Area, PanelSpec
from app.session.session import Message, Session
from app.session.tasks import ASKING_NAMES, Lane
from app.session.warming import warm
from app.widgets.fields import Segments
from app.widgets.layout import STRETCH, column, line, row
from core.errors import CoreError
from core.progress import Progress, TaskContext
from core.types import AffectedPin, Changed, NameChange, NameMerge, ReviewAct, SearchResult

if TYPE_CHECKING:
    from core.workspace import Workspace

REST = 150  # milliseconds: what changes is looked at where one stays, not where one passes by
SLOW = 300  # milliseconds, after which it is said that one has to wait
PATIENCE = 600  # milliseconds more before pinned questions are asked
NAMES, CHANGES = "names", "changes"
CHOICES = 7  # entities that are offered at once
LEAST, LOW, WIDE = 620, 480, 1000  # pixels


class EntitiesPanel(QWidget):
    """Two pages: all names, and suggestions of what may be one or the form of a change, beside it what would change."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._previewed: NameChange | None = None  # the change whose preview stands there
        self._eager = False  # it is to be made as soon as it was seen
        self._applying = False
        self._from: QWidget | None = None  # had the keyboard before the form
        self.model_decides, self.form, self.preview = ModelDecides(session), ChangeForm(), ChangePreview()
        self.suggestions = Suggestions(self.model_decides)
        self.left, self.split = QStackedWidget(), QSplitter(handleWidth=1, childrenCollapsible=False)
        self.names, self.pages = NameList(session), QStackedWidget()
        self.tabs = Segments({NAMES: tr("Names"), CHANGES: tr("Changes")}, self.turn_to)
        self._before_form = NAMES  # the page that is shown again after the form
        self._lay_out()
        self._look_soon = qdebounced(self._look, REST, parent=self)
        self._slow = QTimer(self, interval=SLOW, singleShot=True)
        self._slow.timeout.connect(partial(self.preview.say, tr("Looking at what changes..."), busy=True))
        self._pins_soon = qdebounced(self._read_pins, PATIENCE, parent=self)
        commands = session.commands
        commands.add(self, *entity_commands(session, self))
        commands.add(self, *form_commands(self), scoped=True)
        commands.add(self.suggestions, *list_commands(self, session), scoped=True)
        self._on_form, self._on_list = (self.preview.add_commands(commands, ids) for ids in (FORM, LIST))
        self._following = Following(self, session, _suggested, self._show, concerns=self._concerns, pause=250)
        self._connect()
        self._offer()

    def _lay_out(self) -> None:
        self.left.addWidget(self.suggestions)
        self.left.addWidget(self.form)
        self.split.addWidget(self.left)
        self.split.addWidget(self.preview)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 1)
        theme.follow(self, lambda: self.left.setMinimumHeight(theme.px(80)))
        self.pages.addWidget(self.names)
        self.pages.addWidget(self.split)
        shares = zip(self.names.tools, (4, 4, 4, 0), strict=True)
        head = row(self.tabs, *shares, STRETCH, spacing=theme.GRID, margins=(12, theme.GRID))
        column(head, line(), (self.pages, 1), spacing=0, on=self)
        self.turn_to(NAMES)

    def _connect(self) -> None:
        session, form = self._session, self.form
        self.suggestions.moved.connect(self._on_meant)
        self.suggestions.list.activated.connect(self.show_pair)
        self.preview.why.returnPressed.connect(self._on_why)
        form.changed.connect(self._on_meant)
        form.wanted.connect(self._search)
        form.entered.connect(self.apply)
        form.closed.connect(self._close)
        session.name_change_wanted.connect(self.begin)
        session.names_wanted.connect(self.show_names)
        session.changes.published.connect(self._on_changed)
        session.asking.connect(self._drop_pins)  # it must not wait for them
        session.blocked_changed.connect(self._on_blocked)
        session.workspace_closed.connect(self._clear)

    @property
    def entrance(self) -> QWidget:
        if self.page == NAMES:
            return self.names.entrance
        if self.form.draft is None:
            return self.suggestions.list
        return self.form.entrance or self.preview.why

    # ------------------------------------------------------------ pages

    @property
    def page(self) -> str:
        return NAMES if self.pages.currentWidget() is self.names else CHANGES

    def turn_to(self, page: str) -> None:
        self.tabs.buttons[page].setChecked(True)
        self.pages.setCurrentWidget(self.names if page == NAMES else self.split)
        for part in self.names.tools:
            part.setVisible(page == NAMES)

    def come(self, page: str) -> None:
        """Show the panel with a page of it in front."""
        self.turn_to(page)
        self._session.commands.run("panel.entities")

    def show_names(self, place: str) -> None:
        """Show the names of a place on the map, as `NameList.show_place`."""
        self.come(NAMES)
        self.names.show_place(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What changes stands beside the form where there is more room than below it."""
        super().resizeEvent(event)
        is_wide = self.width() >= theme.px(LEAST if self.height() < theme.px(LOW) else WIDE)
        along = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if along != self.split.orientation() or event.oldSize().isEmpty():
            self.split.setOrientation(along)
            self.split.setSizes([1000, 1000])

    # ------------------------------------------------------------ suggestions

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._following.again()

    def _concerns(self, changed: Changed) -> bool:
        return self.isVisible() and bool(changed.names or changed.entities)

    def _show(self, merges: list[NameMerge]) -> None:
        self.suggestions.show_merges(merges)

    def show_pair(self) -> None:
        """Select the first of the two."""
        if (merge := self.suggestions.current()) is not None:
            operations.select_entity(self._session, merge.one_id)

    def decide(self, kind: str) -> None:
        """On the current pair, which is gone from the list at once."""
        if (merge := self.suggestions.take()) is None:
            return
        change = NameChange(kind, pair_of(merge))

        def failed(_: CoreError) -> None:
            self.suggestions.put_back(pair_of(merge))
            self.preview.why.setText(self.preview.why.text() or why)
            self._following.again()

        def done(act_id: str) -> None:
            self.suggestions.put_back(pair_of(merge))
            self._notify(change, [merge.one, merge.other], act_id)

        why = self.preview.take_why()
        self._make(change, why, done, failed)

    def undo(self) -> None:
        if "decisions.undo" in self._session.commands:
            self._session.commands.run("decisions.undo")

    def _on_why(self) -> None:
        if self.form.draft is not None:
            self.apply()
        else:
            self.suggestions.list.setFocus()

    # ------------------------------------------------------------ the form

    def begin(self, change: NameChange) -> None:
        """Show the form of a change, with what is known of it."""
        session, workspace = self._session, self._session.workspace
        if workspace is None:
            return

        def done(draft: Draft) -> None:
            here = QApplication.focusWidget()
            if here is not None and not self.isAncestorOf(here):
                self._from = here
            if self.form.draft is None:
                self._before_form = self.page
            self.turn_to(CHANGES)
            self._applying = self._eager = False
            self.left.setCurrentWidget(self.form)
            self.form.begin(draft)
            self._offer()
            if "panel.entities" in session.commands:
                session.commands.run("panel.entities")
            self.entrance.setFocus(Qt.FocusReason.OtherFocusReason)
            self.form.name.selectAll()

        self._tasks.start("draft", lambda context: begin_draft(workspace, change, context), done)

    def _search(self, text: str) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return

        def done(found: list[SearchResult]) -> None:
            none = partial(self.preview.say, tr("No other entity is called so."))
            self.form.show_found(text, found, none)

        self._tasks.start("other", lambda _: workspace.search(text, CHOICES, ("entity",)), done)

    def _close(self) -> None:
        """Back to the suggestions, and to where the keyboard was before."""
        self._applying = self._eager = False
        self.preview.why.clear()
        self.left.setCurrentWidget(self.suggestions)
        self.turn_to(self._before_form)
        self._offer()
        self._on_meant()
        before, self._from = self._from, None
        inside = self.isAncestorOf(QApplication.focusWidget() or self)
        if inside or QApplication.focusWidget() is None:
            if before is None or not isValid(before) or not (before.isVisible() and before.isEnabled()):
                before = self.entrance  # a card that was filled anew has other buttons
            before.setFocus()

    def _offer(self) -> None:
        """The buttons of what is seen."""
        self.preview.offer(self._on_list if self.form.draft is None else self._on_form)

    def _clear(self) -> None:
        self._tasks.drop("pins")
        self.form.give_up()
        self.suggestions.clear()

    # ------------------------------------------------------------ what would change

    def meant(self) -> NameChange | None:
        """Return the change that the form says, or the merge of the pair that is the current one."""
        if self.form.draft is not None:
            return self.form.change
        merge = self.suggestions.current()
        return NameChange("merge", pair_of(merge)) if merge is not None else None

    def _on_meant(self) -> None:
        change = self.meant()
        if self._previewed is not None and change == self._previewed:
            return
        self._previewed, self._eager = None, False
        self._slow.stop()
        self._drop_pins()
        self._session.decisions.look(None)
        draft = self.form.draft
        if change is not None:
            self._look_soon()
        else:
            self.preview.say(hint_words(draft.change) if draft is not None else "")

    def _on_changed(self, changed: Changed) -> None:
        """What stands there may be wrong by now."""
        if self._previewed is not None and (
            changed.everything or changed.names or changed.facts or changed.entities
        ):
            self._previewed = None
            self._drop_pins()
            self._look_soon()

    def _on_blocked(self) -> None:
        if self._previewed is None and not self._session.tasks.busy(ASKING_NAMES):
            self._look_soon()

    def _look(self) -> None:
        change, workspace = self.meant(), self._session.workspace
        if change is None or workspace is None or self._applying or not (self.isVisible() or self._eager):
            return
        if self._session.tasks.busy(ASKING_NAMES):  # it writes, so nothing can be tried out
            self._slow.stop()
            self.preview.say(self._session.blocked)
        elif self._previewed != change:
            self.preview.busy.show()
            self._slow.start()
            look = Look(
                lambda workspace, _: compute_effects(workspace, change), self._show_preview, self._refuse
            )
            self._session.decisions.look(look)

    def _show_preview(self, preview: ChangeEffects) -> None:
        if preview.change != self.meant():
            return
        self._previewed = preview.change
        self._slow.stop()
        self.preview.show_preview(preview)
        if self._eager:
            self.apply()
        else:
            self._pins_soon()

    def _refuse(self, error: CoreError) -> None:
        self._eager = self._applying = False
        self._slow.stop()
        self.preview.refuse(error)

    def _drop_pins(self, _: object = None) -> None:
        self._pins_soon.cancel()
        self._tasks.drop("pins")
        self.preview.busy.hide()

    def _read_pins(self) -> None:
        """Ask them before and after, which takes seconds, and stops where it is no longer wanted."""
        change, workspace = self._previewed, self._session.workspace
        if change is None or workspace is None or not self.isVisible():
            return

        def work(context: TaskContext) -> tuple[AffectedPin, ...] | None:
            count = len(workspace.pins.all())
            if not count:
                return None
            context.report("pins", 0, count)
            warm(workspace, context)
            return workspace.names.affected_pins(change, context)

        def done(pins: tuple[AffectedPin, ...] | None) -> None:
            self.preview.busy.hide()
            if pins is not None:
                self.preview.show_pins(_pins_words(len(pins)), [_pin_row(pin) for pin in pins])

        def failed(error: CoreError) -> None:
            self.preview.busy.hide()
            self.preview.show_pins(error.message)

        self.preview.busy.show()
        self._tasks.start("pins", work, done, failed=failed, lane=Lane.MODEL, progress=self._say_asking)

    def _say_asking(self, progress: Progress) -> None:
        if progress.stage == "pins":
            count = progress.total
            self.preview.show_pins(
                trn("Looking at {count} pinned question...", "Looking at {count} pinned questions...", count)
            )

    # ------------------------------------------------------------ deciding

    def why_not_apply(self) -> str:
        if self.form.draft is None:
            return tr("Nothing is to be changed.")
        if self.form.change is None:
            return hint_words(self.form.draft.change)
        return self._session.blocked

    def apply(self) -> None:
        """Make the change once it was seen what it changes; until then the words stay where they are."""
        change, draft = self.form.change, self.form.draft
        if draft is None or self._applying:
            return
        if reason := self.why_not_apply():
            self.preview.say(reason)
            return
        if change is None or change != self._previewed:
            self._eager = True
            self._look()
            return

        def done(act_id: str) -> None:
            self._notify(change, list(draft.names), act_id)
            if self.form.draft is draft:
                self.form.give_up()

        self._applying, self._eager = True, False
        self._drop_pins()
        self.preview.busy.show()
        self._make(change, self.preview.why.text().strip(), done, self._refuse, in_place=True)

    def _make(
        self,
        change: NameChange,
        why: str,
        done: Callable[[str], None],
        failed: Callable[[CoreError], None],
        in_place: bool = False,
    ) -> None:
        def write(workspace: Workspace, context: TaskContext) -> str:
            return workspace.names.change(change, context, why)

        self._session.decisions.add(write, done, failed, self, in_place)

    def _notify(self, change: NameChange, names: list[str], act_id: str) -> None:
        undo = partial(self._undo_act, act_id)
        self._session.message_posted.emit(Message(done_words(change, names), "info", "", tr("Undo"), undo))

    def _undo_act(self, act_id: str) -> None:
        def done(_: ReviewAct | None) -> None:
            self._session.notify(tr("That is undone."))

        self._session.decisions.turn(True, act_id, done, lambda _: None, self)


def _suggested(workspace: Workspace, _: Changed, __: TaskContext) -> list[NameMerge]:
    return workspace.names.suggestions(MOST)


def _pins_words(count: int) -> str:
    if not count:
        return tr("No pinned question is answered otherwise")
    return trn(
        "{count} pinned question is answered otherwise",
        "{count} pinned questions are answered otherwise",
        count,
    )


def _pin_row(pin: AffectedPin) -> Difference:
    before, now = pin.change.before, pin.change.now
    question, after = now.question, now.answer or tr("not told")
    was = (before.answer if before is not None else "") or tr("not told")
    if "answer" not in pin.parts:
        return Difference(
            tr("{question} {answer}", question=question, answer=was),
            tr("The same answer by another way or from other passages"),
        )
    return Difference(tr("{question} {answer}", question=question, answer=was), after)


PANEL = PanelSpec("entities", tr("Entities"), Area.BOTTOM, EntitiesPanel)
