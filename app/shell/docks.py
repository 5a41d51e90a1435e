"""A panel's place in the workbench: it can be moved, split, put behind another as a tab, floated and hidden."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSizePolicy, QWidget

from app.look import theme
from app.look.translation import tr
from app.session.panels import PanelSpec
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, row

_TITLE = 34  # pixels


class _Title(QWidget):
    """The panel's name and a button that hides it. Dragging moves the dock, a double click floats it."""

    def __init__(self, dock: QDockWidget, name: str, least: int) -> None:
        super().__init__(dock)
        self._least = least
        hide = tool_button(
            "x", tr("Hide {panel}; the View menu brings it back", panel=name), dock.hide, side=24
        )
        hide.setAutoRaise(True)
        hide.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        hide.setAccessibleName(tr("Hide {panel}", panel=name))
        row(PlainLabel(name, "caps"), STRETCH, hide, spacing=4, margins=(12, 0, 4, 0), on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tall = True
        theme.follow(self, self._fit)

    def set_tall(self, tall: bool) -> None:
        """Beside others it has no height, though its parts would claim theirs."""
        self._tall = tall
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._height())
        self.updateGeometry()  # the least width follows the size of text, too

    def _height(self) -> int:
        return theme.px(_TITLE) if self._tall else 0

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        # A dock is never narrower than its title, shown or not; a least width of the panel would hide what it needs.
        return QSize(max(super().minimumSizeHint().width(), theme.px(self._least)), self._height())


class PanelDock(QDockWidget):
    def __init__(self, spec: PanelSpec, panel: QWidget, bench: QMainWindow) -> None:
        super().__init__(spec.title, bench)
        self.setObjectName(f"dock-{spec.id}")
        self.setWidget(panel)
        self._bench = bench
        self._front = False
        self._settling = QTimer(self, interval=0, singleShot=True)
        self._settling.timeout.connect(self._settle)
        self.visibilityChanged.connect(self._on_visible)
        self.toggleViewAction().triggered.connect(self._on_wanted)
        self._title = _Title(self, spec.title, spec.least)
        self.setTitleBarWidget(self._title)

    @property
    def placed(self) -> bool:
        """Whether it has a place in the workbench, also behind another."""
        return self.toggleViewAction().isChecked()

    def come(self) -> None:
        """Show it, in front of those that share its place."""
        self.show()
        self.raise_()

    def _on_wanted(self, placed: bool) -> None:
        """The menu only gives it its tab back."""
        if placed:
            self.come()

    def _on_visible(self, front: bool) -> None:
        self._front = front
        self._settling.start()

    def _settle(self) -> None:
        # Qt only moves the docks behind another out of sight: no event tells what they hold.
        if (notify := getattr(self.widget(), "set_in_front", None)) is not None:
            notify(self._front)

    def fit_title(self) -> None:
        """Beside others its tab says its name already."""
        neighbours = [each for each in self._bench.tabifiedDockWidgets(self) if not each.isHidden()]
        tabbed = bool(neighbours) and not self.isFloating()
        self._title.set_tall(not tabbed)
