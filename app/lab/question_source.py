"""Which questions are asked, and how many: made from facts, pinned, judged, or of a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QSpinBox, QWidget

from app.lab.state import LabState
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.fields import ChoiceBox
from app.widgets.labels import PlainLabel
from app.widgets.layout import row

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
        self.place = PlainLabel(kind="small", name="labFile")
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
        """Whether it can be changed."""
        self.source.setEnabled(able)
        self.count.setEnabled(able)

    def why_not(self) -> str:
        """Why there would be nothing to ask; "" where there is."""
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
