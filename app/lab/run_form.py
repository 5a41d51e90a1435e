"""What a run is to do: which questions, from where, how many, by which compositions."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from PySide6.QtCore import QRect, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QListView, QPushButton, QSpinBox, QWidget

from app.lab.state import LabState
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import set_tip, tooltip
from app.look.translation import tr, trn
from app.widgets.buttons import fold_button, push_button
from app.widgets.fields import ChoiceBox, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from app.widgets.row_list import RowDelegate
from app.widgets.table import AnyIndex
from core.text.escape_controls import escape_controls
from core.types import LabWish

GENERATED, PINS, VERDICTS, FILE = "made", "pins", "verdicts", "file"
_FEW = 40  # questions, until another number is typed


class QuestionSource(QWidget):
    """Signal: changed(), when `why_not` may say something else."""

    changed = Signal()

    def __init__(self, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.file: Path | None = None
        self.source = ChoiceBox(tr("Questions from"), 14)
        words = {
            GENERATED: tr("Made from facts"), PINS: tr("Pinned questions"), VERDICTS: tr("Judged answers"),
            FILE: tr("A file..."),
        }  # fmt: skip
        for name, label in words.items():
            self.source.addItem(label, name)
        self.count = QSpinBox(minimum=1, maximum=5_000, value=_FEW)
        self.count.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.count.setAccessibleName(tr("Number of questions"))
        set_tip(self.count, tr("Questions of each kind, at most"))
        self.place = PlainLabel(kind="small")
        row(PlainLabel(tr("Questions")), self.source, self.count, self.place, on=self)
        self.source.currentIndexChanged.connect(self._on_source)
        state.setup_changed.connect(self._on_setup)
        self._show_file()
        self._on_setup()

    @property
    def questions(self) -> str:
        """As a run is told: pins, verdicts, made, or the path of a file."""
        source = self.source.currentData()
        return str(self.file) if source == FILE else str(source)

    def set_able(self, able: bool) -> None:
        """Set whether it can be changed."""
        self.source.setEnabled(able)
        self.count.setEnabled(able)

    def why_not(self) -> str:
        """Return why there would be nothing to ask; "" where there is."""
        setup, source = self._state.setup, self.source.currentData()
        if source == PINS and not setup.pins:
            return tr("No question is pinned yet. Pin questions, or let Clew make some from its facts.")
        if source == VERDICTS and not setup.verdicts:
            return tr("No answer was judged yet. Judge answers, or let Clew make questions from its facts.")
        if source == GENERATED and not setup.facts:
            return tr(
                "There are no facts to make questions from. Index documents, pin questions or give a file."
            )
        if source == FILE and self.file is None:
            return tr("Choose a file of questions first.")
        return ""

    def _on_source(self) -> None:
        if self.source.currentData() == FILE:
            self.choose_file()
        self._show_file()
        self.changed.emit()

    def choose_file(self) -> None:
        """A file of questions, as `clew research eval` reads it."""
        dialog = QFileDialog(self, tr("File of questions"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Questions (*.jsonl)"), tr("All files (*)")])
        dialog.fileSelected.connect(self.take_file)
        dialog.open()

    def take_file(self, path: str) -> None:
        self.file = Path(path)
        self._show_file()
        self.changed.emit()

    def _show_file(self) -> None:
        of_file = self.source.currentData() == FILE
        self.place.setText(self.file.name if self.file is not None and of_file else "")
        self.place.setVisible(of_file and self.file is not None)
        if self.file is not None:
            set_tip(self.place, str(self.file))

    def _on_setup(self) -> None:
        setup = self._state.setup
        for at, count in ((PINS, setup.pins), (VERDICTS, setup.verdicts)):
            words = trn("{count} question", "{count} questions", count)
            self.source.setItemData(self.source.findData(at), words, Qt.ItemDataRole.ToolTipRole)
        self.changed.emit()


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
        """Set whether it can be changed; the button does not belong to it."""
        self.asked.set_able(able)
        for widget in (self.which, self.checks):
            widget.setEnabled(able)

    def why_not(self) -> str:
        """Return why a run would have nothing to do; "" where it has."""
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
        """Return those that are checked."""
        every = (self._items.item(at) for at in range(self.total))
        return tuple(item.data(_NAME) for item in every if item.checkState() == Qt.CheckState.Checked)

    def show_compositions(self, state: LabState) -> None:
        """Show these; what was checked stays so."""
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
