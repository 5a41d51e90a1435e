"""Widgets side by side that wrap like words."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy, QWidget
from superqt import QFlowLayout

from app.look import theme


def flow(on: QWidget, *parts: QWidget) -> QFlowLayout:
    """As the layout of this widget."""
    layout = QFlowLayout(on)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(theme.GRID)
    layout.setVerticalSpacing(theme.GRID)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    on.setSizePolicy(policy)
    for part in parts:
        layout.addWidget(part)
    return layout
