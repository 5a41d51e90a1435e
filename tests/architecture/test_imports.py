"""What a process loads: the engine without Qt, a start without what is slow, and each of these once it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"torch", "spacy", "sentence_transformers", "transformers", "stanza", "superqt"}
QT = {"PySide6", "shiboken6", "pyqtgraph", "qtawesome", "qtpy", "app"}
ASKING = {"core.answering.ask", "core.answering.writers", "core.retrieval.composed", "scipy", "igraph"}
SENTENCE = "The Petrel was built in Bergen in 1974."
READING = f"""
import sys
from core.answering.models import Models
from core.models import reader
from core.progress import TaskContext

models = Models()
models.load(TaskContext())
passage = reader.ReaderPassage("Ships", {SENTENCE!r})
found = reader.Reader(reader.SMALL.weights)
(read,) = found.read("When was the Petrel built?", [passage])
assert passage.text[read.spans[0].start : read.spans[0].end] == "1974", read
assert not {"torch", "PySide6"} & sys.modules.keys()
found.read("Where?", [reader.ReaderPassage("", str(number)) for number in range(50)])
assert "torch" in sys.modules
# It was imported after spaCy, and both go on working.
assert [name.text for name in models.parse("Who hired Anna Berg?").names] == ["Anna Berg"]
"""


def loaded(code: str) -> set[str]:
    """Return the modules of a fresh interpreter after `code`."""
    report = "import sys; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import app.shell.start, app.__main__", HEAVY),
        ("import core.cli, core.workspace.indexing, core.extraction.rules", HEAVY | QT | ASKING),
        ("from core.cli import main; main(['index', '--help'])", HEAVY | QT | {"core.workspace", "numpy"}),
        ("import app.__main__ as window; window.main(['--help'])", HEAVY | {"PySide6"}),
    ],
)
def test_a_start_loads_nothing_that_it_does_not_need(code: str, absent: set[str]) -> None:
    assert loaded(code) & absent == set()


def test_a_question_is_read_without_torch_and_many_passages_with_it() -> None:
    assert {"spacy", "torch"} <= loaded(READING)


def test_torch_can_be_imported_while_another_thread_imports_spacy() -> None:
    modules = loaded(
        "import threading, time\nfrom core.models.spacy_model import import_spacy, importing\n"
        "thread = threading.Thread(target=import_spacy)\nthread.start()\n"
        "while not importing.locked(): time.sleep(0.001)\n"
        "import core.models.minilm_torch\nthread.join()"
    )
    assert {"torch", "spacy"} <= modules
