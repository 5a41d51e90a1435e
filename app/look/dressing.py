"""Another style sheet for the whole application, a few widgets at a time: all at once would hold the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

PORTION = 100  # widgets
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished


def dress(app: QApplication, bare: Callable[[], str]) -> Iterator[None]:
    """Take the style sheet off, call `bare` for the other one, and put that on; the event loop may turn at each yield.

    Qt leaves widgets alone that are not polished yet, so each is told that it is not, and later polished by itself.
    """
    windows = [window for window in app.topLevelWidgets() if window.updatesEnabled()]
    for window in windows:  # nobody sees them half dressed
        window.setUpdatesEnabled(False)
    widgets = [widget for widget in app.allWidgets() if widget.testAttribute(_POLISHED)]
    yield from _each(widgets, _undress)
    # Qt takes a sheet off and puts another on in less than half the time of exchanging two.
    app.setStyleSheet("")
    yield
    app.setStyleSheet(bare())
    yield
    yield from _each(widgets, _polish)
    for window in filter(isValid, windows):
        window.setUpdatesEnabled(True)


def _each(widgets: list[QWidget], act: Callable[[QWidget], None]) -> Iterator[None]:
    for start in range(0, len(widgets), PORTION):
        for widget in filter(isValid, widgets[start : start + PORTION]):
            act(widget)
        yield


def _undress(widget: QWidget) -> None:
    widget.style().unpolish(widget)
    widget.setAttribute(_POLISHED, False)


def _polish(widget: QWidget) -> None:
    if not widget.testAttribute(_POLISHED):  # who was shown meanwhile is
        widget.setAttribute(_POLISHED, True)
        widget.style().polish(widget)
        QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
