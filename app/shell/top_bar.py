"""The top bar: the mark, the workspace, the one search box, how far indexing is, light or dark."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from app.look import theme
from app.look.brand import Mark
from app.look.plain_text import button_words, tooltip
from app.shell.search_box import SearchBox
from app.widgets.plain_label import PlainLabel
from core.visible import visible


class TopBar(QWidget):
    """`theme_wanted` and `indexing_wanted` fire when the buttons are pressed."""

    theme_wanted = Signal()
    indexing_wanted = Signal()
    back_wanted = Signal()
    forward_wanted = Signal()

    def __init__(self, workspace_menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        name = PlainLabel("Clew", "heading")
        self.workspace = QPushButton("No workspace")
        self.workspace.setMenu(workspace_menu)
        self.workspace.setToolTip("Open, close or change the workspace")
        self.search = SearchBox()
        self.back = self._button("arrow-left", "Back  Alt+Left", self.back_wanted)
        self.forward = self._button("arrow-right", "Forward  Alt+Right", self.forward_wanted)
        self.indexing = QPushButton()
        self.indexing.setProperty("kind", "quiet")
        self.indexing.setToolTip("How far the present stage of indexing is. Press to pause or go on")
        self.indexing.clicked.connect(self.indexing_wanted)
        self.models = PlainLabel(kind="small")
        self.theme = self._button("moon", "", self.theme_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 4, 0)
        row.setSpacing(8)
        row.addWidget(Mark(24))
        row.addWidget(name)
        row.addSpacing(8)
        row.addWidget(self.workspace)
        row.addStretch(1)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.search, 6)
        row.addStretch(1)
        row.addWidget(self.models)
        row.addWidget(self.indexing)
        row.addWidget(self.theme)
        self.set_share(None, "")
        theme.follow(self, self._on_theme)

    def _button(self, icon: str, words: str, signal: object) -> QToolButton:
        button = QToolButton()
        button.setIcon(theme.icon(icon))
        theme.follow(button, lambda: button.setIconSize(QSize(theme.px(18), theme.px(18))))
        button.setToolTip(tooltip(words))
        button.setAccessibleName(words.split("  ")[0])
        button.clicked.connect(signal)
        return button

    def set_workspace(self, name: str, tip: str = "") -> None:
        """The name of the open workspace, or "" for none."""
        metrics = self.workspace.fontMetrics()
        shown = metrics.elidedText(visible(name) or "No workspace", Qt.TextElideMode.ElideMiddle, theme.px(200))
        self.workspace.setText(button_words(shown))
        self.workspace.setToolTip(tooltip(tip or "Open, close or change the workspace"))
        for part in (self.search, self.back, self.forward):
            part.setVisible(bool(name))

    def set_share(self, share: float | None, words: str) -> None:
        """How far indexing is, 0 to 1; None with words: running, not known how far; "" hides it."""
        self.indexing.setVisible(bool(words))
        self.indexing.setText(f"{words} {share:.0%}" if share is not None else words)

    def set_models(self, words: str) -> None:
        """Whether the models are loaded, in words."""
        self.models.setText(words)

    def _on_theme(self) -> None:
        self.workspace.setMaximumWidth(theme.px(260))
        self.search.setMaximumWidth(theme.px(640))
        dark = theme.current().dark
        self.theme.setIcon(theme.icon("sun" if dark else "moon"))
        words = "Change to light" if dark else "Change to dark"
        self.theme.setToolTip(tooltip(f"{words}  Ctrl+Shift+D"))
        self.theme.setAccessibleName(words)
