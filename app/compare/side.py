"""One side of a comparison: how the question is asked there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QFileDialog, QSpinBox, QWidget

from app.answers.wording import ROUTE_MEANING, route_name
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.session.language_server import QUOTES, writer_of, writer_words
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row

_MOST = 50  # passages
_BREAKPOINT = 320  # pixels at 100 % from which on settings and writer stand beside each other


@dataclass(frozen=True, slots=True)
class Way:
    """How a question is asked; `workspace` None: the open one."""

    route: str
    k: int
    writer: str
    settings: tuple[str, ...]
    workspace: Path | None


class SideForm(QWidget):
    """Route, passages, who writes, settings, workspace."""

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._place: Path | None = None
        self.setAccessibleName(name)
        self.route = QComboBox()
        self.route.setAccessibleName(tr("Route of {side}", side=name))
        self.route.addItem(tr("Auto"), "auto")
        self.route.setItemData(0, tr("the score chooses"), Qt.ItemDataRole.ToolTipRole)
        for route, meaning in ROUTE_MEANING.items():
            self.route.addItem(route_name(route), route)
            self.route.setItemData(self.route.count() - 1, meaning, Qt.ItemDataRole.ToolTipRole)
        self.k = QSpinBox(minimum=1, maximum=_MOST, value=10)
        set_tip(self.k, tr("Passages that are ranked"))
        self.k.setAccessibleName(tr("Passages of {side}", side=name))
        self.writer = QComboBox()
        self.writer.setAccessibleName(tr("Who writes {side}", side=name))
        self.settings = line_edit(tr("Settings"), tr("Settings of {side}", side=name), clear=True)
        words = tr("Settings that hold for this side only, as NAME=VALUE: retrieval.damping=0.5")
        set_tip(self.settings, words)
        tip = tr("Ask another workspace, opened for reading only")
        self.choose = tool_button("folder-open", tip, self.choose_workspace, text="")
        self.choose.setAccessibleName(tr("Workspace of {side}", side=name))
        self.here = tool_button("x", tr("Ask the open workspace again"), lambda: self.set_workspace(None))
        self.place = PlainLabel(kind="small")
        for box in (self.route, self.writer):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(4)
        self.k.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # the arrows of the keyboard do the same
        self.settings.setMinimumWidth(60)
        self._how = row((self.settings, 1), (self.writer, 1))
        column(
            row(PlainLabel(name, "heading"), (self.route, 1), self.k, self.choose),
            self._how,
            row((self.place, 1), self.here),
            STRETCH,
            spacing=theme.GRID,
            on=self,
        )
        session.language.changed.connect(self.fill)
        self.fill()
        self.set_workspace(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(_BREAKPOINT)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._how.setDirection(way)

    def fill(self, _: object = None) -> None:
        """The models that there are."""
        chosen = self.writer.currentData()
        self.writer.clear()
        self.writer.addItem(writer_words(QUOTES), QUOTES)
        for found in self._session.language.models if self._session.trusted else ():
            self.writer.addItem(writer_words(writer_of(found.name)), writer_of(found.name))
        self.writer.setCurrentIndex(max(0, self.writer.findData(chosen)))

    def choose_workspace(self) -> None:
        """Ask for the folder of another workspace."""
        dialog = QFileDialog(self, tr("Workspace to compare with"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda place: self.set_workspace(Path(place)))
        dialog.open()

    def set_workspace(self, place: Path | None) -> None:
        self._place = place
        words = tr("Asks {name}, for reading only", name=place.name) if place else ""
        self.place.setText(words)
        for part in (self.place, self.here):
            part.setVisible(place is not None)

    def set_route(self, route: str) -> None:
        self.route.setCurrentIndex(max(0, self.route.findData(route)))

    @property
    def way(self) -> Way:
        """As it is chosen now. Raises ValueError where a quotation mark of the settings is not closed."""
        settings = tuple(shlex.split(self.settings.text()))
        return Way(self.route.currentData(), self.k.value(), self.writer.currentData(), settings, self._place)
