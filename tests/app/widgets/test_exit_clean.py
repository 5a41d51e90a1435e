"""Painting must neither leak references to True nor end in an abort (PySide6 6.12 does on Python 3.11)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
import numpy as np
from PySide6.QtWidgets import QApplication
from app import theme
from app.widgets.graph_canvas import GraphCanvas

app = QApplication([])
theme.apply(app, "dark")
canvas = GraphCanvas()
canvas.resize(600, 400)
canvas.show()
rng = np.random.default_rng(0)
names = [f"Entity {i}" for i in range(200)]
canvas.set_graph(names, names, rng.integers(0, 12, 200), rng.integers(1, 9, 200), rng.normal(0, 1, (200, 2)),
                 rng.integers(0, 200, (300, 2)))
canvas.set_heat({name: 1.0 + i for i, name in enumerate(names[:50])})
canvas.select(names[3])
canvas.settle()
before = sys.getrefcount(True)
for frame in range(200):
    canvas._view.look_at(frame / 100, 0.0, 80.0 + frame, animate=False)
    canvas._view.viewport().repaint()
print("fell by", before - sys.getrefcount(True))
"""


def test_two_hundred_frames_then_a_clean_exit() -> None:
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(root)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[-1]) <= 100, run.stdout
