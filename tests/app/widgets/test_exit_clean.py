"""A process that has painted or copied must end cleanly.

Painting must neither leak references to True nor end in an abort (PySide6 6.12 does on Python 3.11). What was
copied must not be an object of Python's: the offscreen clipboard is freed after the interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

PROGRAM = """
import sys
import numpy as np
from PySide6.QtWidgets import QApplication
from app.look import theme
from app.graph.canvas.canvas import GraphCanvas

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
    canvas.focusProxy().look_at(frame / 100, 0.0, 80.0 + frame, animate=False)
    canvas.focusProxy().viewport().repaint()
print("fell by", before - sys.getrefcount(True))
"""

COPYING = """
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from app.look import theme
from app.answers.answer_text import AnswerText
from app.reader.document import OpenDocument, Window
from app.reader.text import ReaderText

app = QApplication([])
theme.apply(app, "dark")
reader = ReaderText()
reader.show_window(OpenDocument(None, "Who sank her?"), Window(0, 13, "Who sank her?"), 0)
answer = AnswerText()
answer.setPlainText("Nobody knows.")
for text in (reader, answer) if "{last}" == "answer" else (answer, reader):
    text.selectAll()
    text.copy()
print(QGuiApplication.clipboard().text(), QGuiApplication.clipboard().mimeData().formats())
"""


def test_two_hundred_frames_then_a_clean_exit() -> None:
    run = ended(PROGRAM)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[-1]) <= 100, run.stdout


@pytest.mark.parametrize(("last", "copied"), [("reader", "Who sank her?"), ("answer", "Nobody knows.")])
def test_copying_then_a_clean_exit(last: str, copied: str) -> None:
    run = ended(COPYING.replace("{last}", last))
    assert (run.returncode, run.stdout) == (0, f"{copied} ['text/plain']\n"), run.stderr


def ended(program: str) -> subprocess.CompletedProcess[str]:
    """A process of its own that ran the program to its end."""
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
    )
