"""What is slow to import is imported by those who need it, and by nobody else."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.long


def loaded(code: str) -> set[str]:
    """Top modules in a fresh interpreter after `code`."""
    tell = "import sys; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}"], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.splitlines()[-1].split())


def test_opening_a_workspace_imports_nothing_that_asks() -> None:
    modules = loaded("import core.workspace, core.workspace.indexing")
    assert not modules & {
        "core.answering.ask",
        "core.answering.writers",
        "core.retrieval.composed",
        "scipy",
        "torch",
        "spacy",
        "igraph",
    }


def test_a_question_is_read_and_encoded_without_torch() -> None:
    modules = loaded(
        "from core.answering.models import Models; from core.progress import TaskContext; Models().load(TaskContext())"
    )
    assert "spacy" in modules
    assert "torch" not in modules


def test_torch_can_be_imported_after_spacy() -> None:
    modules = loaded(
        "from core.models.spacy_model import load; nlp = load(); import torch; assert torch.ones(2).sum() == 2;"
        " assert [e.text for e in nlp('Anna moved to Berlin.').ents]"
    )
    assert {"torch", "spacy"} <= modules


def test_torch_can_be_imported_while_another_thread_imports_spacy() -> None:
    modules = loaded(
        "import threading, time\nfrom core.models.spacy_model import import_spacy, importing\n"
        "thread = threading.Thread(target=import_spacy)\nthread.start()\n"
        "while not importing.locked(): time.sleep(0.001)\n"
        "import core.models.minilm_torch\nthread.join()"
    )
    assert {"torch", "spacy"} <= modules


@pytest.mark.parametrize("command", [["status", "--help"], ["index", "--help"]])
def test_help_is_told_without_the_engine(command: list[str]) -> None:
    modules = loaded(f"from core.cli import main; main({command!r})")
    assert not modules & {"core.workspace", "numpy", "spacy", "torch"}
