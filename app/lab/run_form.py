"""What a run is to do: which questions, how many, by which compositions."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QRect, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QPushButton, QWidget

from app.lab.question_source import QuestionSource
from app.lab.state import LabState
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.buttons import fold_button, push_button
from app.widgets.fields import line_edit
from app.widgets.layout import STRETCH, column, row
from app.widgets.row_list import RowDelegate
from app.widgets.table import AnyIndex
from core.text.escape_controls import escape_controls
from core.types import LabWish

_NAME = Qt.ItemDataRole.UserRole


class RunForm(QWidget):
    """Signal: changed(), when `why_not` may say something else."""

    changed = Signal()

    def __init__(self, state: LabState, button: QPushButton, parent: QWidget | None = None) -> None:
        """`button` stands at the end of its line."""
        super().__init__(parent)
        self._state = state
        self.asked = QuestionSource(state)
        self.checks = CompositionChecks()
        self.which = fold_button(tr("Compositions"), self.checks)
        self.which.setAccessibleName(tr("Which compositions run"))
        self.line = row(self.asked, self.which, STRETCH, button)
        column(self.line, self.checks, spacing=theme.GRID, on=self)
        self.asked.changed.connect(self.changed)
        self.checks.changed.connect(self._show_which)
        state.setup_changed.connect(self._on_setup)
        self._on_setup()

    @property
    def wish(self) -> LabWish:
        """As the form stands."""
        return LabWish(self.asked.questions, self.asked.count.value(), self.checks.names())

    def set_able(self, able: bool) -> None:
        """Whether it can be changed; the button does not belong to it."""
        self.asked.set_able(able)
        for widget in (self.which, self.checks):
            widget.setEnabled(able)

    def why_not(self) -> str:
        """Why a run would have nothing to do; "" where it has."""
        return self.asked.why_not() if self.checks.names() else tr("Check a composition first.")

    def _on_setup(self) -> None:
        self.checks.show_compositions(self._state)
        self._show_which()

    def _show_which(self) -> None:
        chosen, all_ = len(self.checks.names()), self.checks.total
        self.which.setText(tr("{chosen} of {all} compositions", chosen=chosen, all=all_))
        self.changed.emit()


class _CheckRow(RowDelegate):
    """A box that is checked or not, in colours that are seen in each theme, and words."""

    HEIGHT = 24

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        checked = Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
        side = theme.px(16)
        place = QRect(box.left() + 4, box.center().y() - side // 2, side, side)
        icon = theme.icon("check-square", "accent") if checked else theme.icon("square", "strong_border")
        icon.paint(painter, place)
        paint_text(painter, box.adjusted(side + 12, 0, -4, 0), index.data())


class CompositionChecks(QWidget):
    """A list to check what runs, with a field that filters it. What needs a language model is not checked at first.
    Signal: changed()."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plain: frozenset[str] = frozenset()
        self._filling = False
        self._items = QStandardItemModel(self)
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self._items)
        self._proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.filter = line_edit(tr("Filter by name or source"), clear=True)
        self.filter.textChanged.connect(self._proxy.setFilterFixedString)
        self.list = QListView()
        self.list.setAccessibleName(tr("Compositions to run"))
        self.list.setModel(self._proxy)
        self.list.setItemDelegate(_CheckRow(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._items.itemChanged.connect(self._on_item)
        every = push_button(tr("All that need no model"), self.check_plain, kind="link")
        none = push_button(tr("None"), lambda: self.check(()), kind="link")
        column(row((self.filter, 1), every, none), self.list, spacing=theme.GRID, on=self)
        theme.follow(self, lambda: self.list.setFixedHeight(theme.px(132)))

    @property
    def total(self) -> int:
        return self._items.rowCount()

    def names(self) -> tuple[str, ...]:
        """Those that are checked."""
        every = (self._items.item(at) for at in range(self.total))
        return tuple(item.data(_NAME) for item in every if item.checkState() == Qt.CheckState.Checked)

    def show_compositions(self, state: LabState) -> None:
        """What was checked stays so."""
        known = {self._items.item(at).data(_NAME) for at in range(self.total)}
        checked = set(self.names())
        self._plain = frozenset(each.name for each in state.setup.compositions if not each.needs_model)
        self._filling = True
        self._items.clear()
        for each in state.setup.compositions:
            needs = tr("needs a language model") if each.needs_model else ""
            words = tr(" \u00b7 ").join(filter(None, (each.name, each.source, needs)))
            item = QStandardItem(escape_controls(words))
            item.setData(each.name, _NAME)
            item.setToolTip(tooltip(each.differs or each.source))
            item.setCheckable(True)
            on = each.name in checked if each.name in known else not each.needs_model
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self._items.appendRow(item)
        self._filling = False

    def check_plain(self) -> None:
        """All that need no language model."""
        self.check(self._plain)

    def check(self, names: Collection[str]) -> None:
        """These and no others."""
        self._filling = True
        for at in range(self.total):
            item = self._items.item(at)
            on = item.data(_NAME) in names
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self._filling = False
        self.changed.emit()

    def _on_item(self, _: QStandardItem) -> None:
        if not self._filling:
            self.changed.emit()
