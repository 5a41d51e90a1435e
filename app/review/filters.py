"""Which facts are listed: by state, words, document, entity, predicate and proposer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QMenu, QPushButton, QToolButton, QWidget
from superqt.utils import qdebounced

from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr
from app.review.wording import STATES, proposer_words
from app.widgets.buttons import push_button, tool_button
from app.widgets.fields import line_edit
from app.widgets.layout import column, drop, flow, grid
from core.types import FactFilter

PATIENCE = 200  # milliseconds after the last letter
STATES_FROM, WORDS_FROM = 480, 800  # pixels: a button for each state, the words beside them
MOST = 30  # predicates of the menu


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be asked for now. `places`: (words, what of the filter, its value) of the fact that is current."""

    predicates: Sequence[tuple[str, int]]
    proposers: Sequence[tuple[str, int]]
    places: Sequence[tuple[str, str, str]]
    families: Sequence[tuple[str, int]] = ()


class FilterBar(QWidget):
    """Signals: changed() when other facts are wanted; choices_wanted() before the menu opens, see `open_menu`."""

    changed = Signal()
    choices_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wanted = FactFilter()
        self._chip_words: dict[str, str] = {}  # how a chip says a value, by the field of the filter
        self.words = line_edit(tr("Filter by words"), tr("Filter by words of the fact"), clear=True)
        self.words.addAction(theme.icon("funnel", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.words.textChanged.connect(qdebounced(self._on_words, PATIENCE, parent=self))
        tip = tr("By document, entity, predicate or who proposed it")
        self.more = tool_button("sliders", tip, self.choices_wanted, text=tr("Filter by..."))
        self.more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.states, self._group = self._state_buttons(), QButtonGroup(self)
        self.chips: list[QPushButton] = []
        self._chips = QWidget()
        self._flow, self._all_states = flow(self._chips), QWidget()
        flow(self._all_states, *self.states.values())
        self.state = push_button(kind="quiet", tip=tr("Which facts are listed"))
        self.state.setAccessibleName(tr("Which facts are listed"))
        self.state.setMenu(QMenu(self.state))
        self.state.menu().aboutToShow.connect(self._list_states)
        self.undo = tool_button("arrow-counter-clockwise", text=tr("Undo"))
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard to the list
        for state, button in self.states.items():
            self._group.addButton(button)
            button.clicked.connect(partial(self._set, "state", state))
        self.states["open"].setChecked(True)
        self._asked, self._shape = grid(across=theme.GRID), (True, False)  # neither of those that there are
        column(self._asked, self._chips, spacing=theme.GRID, margins=(12, theme.GRID), on=self)
        self._chips.hide()
        theme.follow(self, self._arrange)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Where there is little room, the words have a line of their own; where there is less, states are in a menu."""
        shape = roomy, states = self.width() >= theme.px(WORDS_FROM), self.width() >= theme.px(STATES_FROM)
        if shape == self._shape:
            return
        self._shape = shape
        style = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon if states else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        for button in (self.undo, self.more):
            button.setToolButtonStyle(style)
        self._asked.addWidget(self._all_states, 0, 0)
        self._asked.addWidget(self.state, 0, 0, Qt.AlignmentFlag.AlignLeft)
        self._asked.addWidget(self.undo, 0, 1 if roomy else 3)
        self._asked.addWidget(self.words, *((0, 2) if roomy else (1, 0)))
        self._asked.addWidget(self.more, 0 if roomy else 1, 3)
        self.words.setPlaceholderText(tr("Filter by words") if states else tr("Filter"))
        self._all_states.setVisible(states)
        self.state.setVisible(not states)
        self._asked.setColumnStretch(0, 7)
        self._asked.setColumnStretch(2, 3 if roomy else 0)

    def _list_states(self) -> None:
        menu = self.state.menu()
        menu.clear()
        for state, button in self.states.items():
            if not button.isHidden():
                action = menu.addAction(button.icon(), button.text(), button.click)
                action.setCheckable(True)
                action.setChecked(self.wanted.state == state)

    def _state_buttons(self) -> dict[str, QToolButton]:
        """ "" for all states."""
        looks = {**STATES, "": (tr("all"), "list", "muted")}
        buttons = {}
        for state, (words, icon, role) in looks.items():
            buttons[state] = tool_button(icon, text=words, role=role, checkable=True)
            buttons[state].setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return buttons

    def show_counts(self, counts: dict[str, int]) -> None:
        """Show how many facts match in each state."""
        for state, button in self.states.items():
            count = counts.get(state, 0) if state else sum(counts.values())
            words = STATES[state][0] if state else tr("all")
            button.setText(tr("{state} {count}", state=words, count=count))
            button.setVisible(bool(count) or state in ("open", "") or button.isChecked())
        self.state.setText(self.states[self.wanted.state].text())

    @property
    def narrow(self) -> bool:
        """Return whether more is asked of a fact than its state."""
        return replace(self.wanted, state="") != FactFilter("")

    def clear(self) -> None:
        """All that waits."""
        self._chip_words.clear()
        self.words.clear()
        self.states["open"].setChecked(True)
        self._want(FactFilter())

    def open_menu(self, choices: Choices) -> None:
        self.menu(choices).popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def menu(self, choices: Choices) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, field, value in choices.places:
            menu.addAction(button_words(words)).triggered.connect(partial(self._choose, field, value, words))
        menu.addSeparator()
        families, predicates = menu.addMenu(tr("Kind of relation")), menu.addMenu(tr("Predicate"))
        proposers = menu.addMenu(tr("Proposed by"))
        for name, count in choices.families:
            words = tr("{name}   {count}", name=tr(name), count=count)
            label = tr("relation: {name}", name=tr(name))
            families.addAction(button_words(words)).triggered.connect(
                partial(self._choose, "family", name, label)
            )
        for name, count in choices.predicates[:MOST]:
            words = tr("{name}   {count}", name=name, count=count)
            label = tr("predicate: {name}", name=name)
            predicates.addAction(button_words(words)).triggered.connect(
                partial(self._choose, "predicate", name, label)
            )
        for name, count in choices.proposers:
            words = tr("{name}   {count}", name=proposer_words(name), count=count)
            proposers.addAction(button_words(words)).triggered.connect(partial(self.choose_proposer, name))
        return menu

    def choose_proposer(self, name: str, _: bool = False) -> None:
        self._choose("proposer", name, tr("proposed by {proposer}", proposer=proposer_words(name)))

    def _choose(self, field: str, value: str, words: str, _: bool = False) -> None:
        self._chip_words[field] = words
        self._set(field, value)

    def _set(self, field: str, value: str, _: bool = False) -> None:
        self._want(replace(self.wanted, **{field: value}))

    def _on_words(self) -> None:
        self._set("words", " ".join(self.words.text().split()))

    def _want(self, wanted: FactFilter) -> None:
        if wanted == self.wanted:
            return
        self.wanted = wanted
        self.state.setText(self.states[wanted.state].text())
        drop(self._flow, self.chips)
        for field in ("document_id", "entity_id", "family", "predicate", "proposer"):
            if getattr(wanted, field):
                chip = push_button(button_words(self._chip_words[field]), icon="x", tip=tr("Any again"))
                chip.clicked.connect(partial(self._set, field, ""))
                self.chips.append(chip)
                self._flow.addWidget(chip)
        self._chips.setVisible(bool(self.chips))
        self.changed.emit()
