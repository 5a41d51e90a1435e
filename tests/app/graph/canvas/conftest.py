"""Widgets are tested in a real Qt application without a screen."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    """A star (hub, west, east, north, south) and a pair (far, away) beside it."""
    widget = GraphCanvas()
    qtbot.addWidget(widget)
    widget.resize(800, 600)
    widget.show()
    names = ["Hub Shipping", "West Bank", "East Bank", "North", "South", "Far Away", "Away"]
    widget.set_graph(
        ["hub", "west", "east", "north", "south", "far", "away"],
        names,
        np.array([0, 0, 0, 1, 1, 2, 2]),
        np.array([4, 1, 1, 1, 1, 1, 1]),
        np.array([[0, 0], [-2, 0], [2, 0], [0, 2], [0, -2], [5, 3], [5, 2]], np.float32),
        np.array([[0, 1], [0, 2], [0, 3], [0, 4], [5, 6]]),
    )
    widget.settle()
    return widget
