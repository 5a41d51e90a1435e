"""The lab: a question flowing through a composition, compositions compared on many questions, one of them adopted."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCompleter,
    QSizePolicy,
    QStackedLayout,
    QWidget,
)

from app.lab.compare_view import CompareView
from app.lab.flow_view import FlowView
from app.lab.integrate_view import IntegrateView
from app.lab.questions_view import QuestionsView
from app.lab.state import LabState
from app.look import theme
from app.look.plain_text import set_tip, tooltip
from app.look.translation import tr
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.fields import ChoiceBox, Segments, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, flow, row
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import LabComposition

FLOW, COMPARE, QUESTIONS, INTEGRATE = "flow", "compare", "questions", "integrate"
_ADOPT = tr("Ask the questions of this workspace by this composition from now on. It can be undone.")
_WITHDRAW = tr("Let the score choose each question's route again")


class LabPanel(QWidget):
    """Three views over one choice of a composition, and one of the integrators."""

    stays = True  # in front while passages are chosen in it

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._front = False
        self.state = LabState(session, self)
        self.picker = CompositionPicker(self.state)
        self.own = PlainLabel(kind="small")
        self.adopt_button, self.withdraw_button = push_button(), push_button(kind="quiet")
        self.copy_button = tool_button("copy", tr("Copy as TOML, to change it and keep it"))
        self.flow = FlowView(session, self.state)
        self.compare = CompareView(session, self.state)
        self.questions = QuestionsView(session, self.state)
        self.integrate = IntegrateView(session, self.state)
        self.views = {
            FLOW: self.flow, COMPARE: self.compare, QUESTIONS: self.questions, INTEGRATE: self.integrate,
        }  # fmt: skip
        self._lay_out()
        self._connect()
        self.entrance = self.picker
        self.turn_to(FLOW)
        self._show_own()

    def _lay_out(self) -> None:
        words = {
            FLOW: tr("Flow"),
            COMPARE: tr("Compare"),
            QUESTIONS: tr("Questions"),
            INTEGRATE: tr("Integrate"),
        }
        segments = Segments(words, self.turn_to)
        self.tabs = segments.buttons
        buttons = (self.own, self.adopt_button, self.withdraw_button, self.copy_button)
        self._composition = QWidget()
        row((self.picker, 1), *buttons, on=self._composition)
        policy = self._composition.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._composition.setSizePolicy(policy)
        head = QWidget()
        flow(head, segments, self._composition).setHorizontalSpacing(theme.WITHIN)
        margins = (theme.GROUPS, theme.WITHIN, theme.GROUPS, 0)
        container = QWidget()
        self._stack = QStackedLayout(container)
        for each in self.views.values():
            self._stack.addWidget(each)
        column(column(head, margins=margins), (container, 1), spacing=0, on=self)

    def _connect(self) -> None:
        session, state = self._session, self.state
        state.setup_changed.connect(self._show_own)
        state.chosen_changed.connect(self._show_own)
        session.blocked_changed.connect(self._show_own)
        session.commands.add(self, *self._commands(), scoped=True)
        for button, id in (
            (self.flow.run_button, "lab.follow"),
            (self.adopt_button, "lab.adopt"),
            (self.withdraw_button, "lab.withdraw"),
        ):
            button.setText(session.commands[id].name)
            session.commands.press(button, id)
        self.copy_button.clicked.connect(lambda: session.commands.run("lab.copy"))

    def _commands(self) -> tuple[Command, ...]:
        state, compare = self.state, self.compare

        def unchosen() -> str:
            return "" if state.chosen else tr("Choose a composition first.")

        def adopted() -> str:
            same = tr("It is the workspace's own already.") if state.chosen == state.setup.adopted else ""
            return unchosen() or same or self._session.shut

        def withdrawable() -> str:
            none = "" if state.setup.adopted else tr("No composition is adopted.")
            return none or self._session.shut

        return (
            Command("lab.follow", tr("Follow"), self.flow.follow, why_not=self.flow.why_not,
                    tip=tr("Send the question through the composition, module by module")),
            Command("lab.run", tr("Run compositions on questions"), compare.begin, why_not=compare.why_not),
            Command("lab.go_on", tr("Go on with the run"), state.go_on, why_not=compare.why_not_on),
            Command("lab.adopt", tr("Adopt"), lambda: state.adopt(state.chosen), why_not=adopted, tip=_ADOPT),
            Command("lab.withdraw", tr("Withdraw"), lambda: state.adopt(""), why_not=withdrawable, tip=_WITHDRAW),
            Command("lab.copy", tr("Copy as TOML"), self.copy, why_not=unchosen),
            Command("lab.flow", tr("Flow of a question"), partial(self.turn_to, FLOW), "Ctrl+Alt+1"),
            Command("lab.compare", tr("Compositions compared"), partial(self.turn_to, COMPARE), "Ctrl+Alt+2"),
            Command("lab.questions", tr("Question by question"), partial(self.turn_to, QUESTIONS), "Ctrl+Alt+3"),
            Command("lab.integrate", tr("Integrators"), partial(self.turn_to, INTEGRATE), "Ctrl+Alt+4"),
            Command("lab.train", tr("Train an integrator"), self.integrate.begin, why_not=self.integrate.why_not),
        )  # fmt: skip

    # ------------------------------------------------------------ views

    @property
    def view(self) -> str:
        return next(name for name, each in self.views.items() if each is self._stack.currentWidget())

    def turn_to(self, view: str, _: bool = False) -> None:
        """One of FLOW, COMPARE, QUESTIONS, INTEGRATE."""
        self._stack.setCurrentWidget(self.views[view])
        self._composition.setVisible(view != INTEGRATE)
        self.tabs[view].setChecked(True)

    def set_in_front(self, front: bool) -> None:
        """Set whether one sees it: what there is is read only then."""
        if front and not self._front:
            self.state.wake()
        self._front = front

    # ------------------------------------------------------------ the workspace's own

    def _show_own(self) -> None:
        state, shut = self.state, self._session.shut
        own, chosen = state.setup.adopted, state.chosen
        same = bool(own) and own == chosen
        self.own.setText(tr("\u2713 Adopted") if same else tr("Adopted: {name}", name=own) if own else "")
        self.own.setVisible(bool(own))
        self.adopt_button.setVisible(not same)
        self.adopt_button.setEnabled(bool(chosen) and not shut)
        self.withdraw_button.setVisible(same)
        self.withdraw_button.setEnabled(not shut)
        self.copy_button.setEnabled(bool(chosen))
        if shut:
            set_tip(self.adopt_button, shut)

    def copy(self) -> None:
        """The chosen composition on the clipboard, as `workspace.compositions` reads it."""
        workspace, name = self._session.workspace, self.state.chosen
        if workspace is None or not name:
            return

        def work(_: TaskContext) -> str:
            return workspace.compositions.text(name)

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._session.notify(tr("{name} is on the clipboard as TOML.", name=name), "success")

        self._tasks.start("copy", work, done)


class CompositionPicker(ChoiceBox):
    """A list that is searched by typing: name, source, and whether it needs a language model."""

    def __init__(self, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Composition"), 12, parent)
        self._state = state
        self._field = line_edit(tr("Composition"))
        self.setEditable(True)
        self.setLineEdit(self._field)
        self.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setMaxVisibleItems(16)
        self.setCompleter(completer)
        self.activated.connect(lambda at: state.choose(self.itemData(at)))
        self._field.editingFinished.connect(self._show_chosen)
        state.setup_changed.connect(self._fill)
        state.chosen_changed.connect(self._show_chosen)
        self._fill()

    def _fill(self) -> None:
        self.clear()
        for each in self._state.setup.compositions:
            self.addItem(escape_controls(picker_words(each)), each.name)
            tip = tooltip("\n".join(filter(None, (each.source, each.differs))))
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.setEnabled(bool(self.count()))
        self._show_chosen()

    def _show_chosen(self) -> None:
        at = self.findData(self._state.chosen)
        self.setCurrentIndex(at)
        self.setEditText(self.itemText(at) if at >= 0 else "")
        self._field.setCursorPosition(0)


def picker_words(each: LabComposition) -> str:
    """`no-12 · LEGO-GraphRAG, table 2, No. 12`."""
    needs = tr("needs a language model") if each.needs_model else ""
    own = tr("this workspace's") if each.own else ""
    return tr(" \u00b7 ").join(filter(None, (each.name, each.source or each.group, own, needs)))


PANEL = PanelSpec("lab", tr("Lab"), Area.BOTTOM, LabPanel, least=420, keys="Alt+Shift+L", everyday=False)
