"""What a process loads: the engine without Qt, the window without the heavy models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "spacy", "sentence_transformers", "transformers", "stanza", "superqt")

WITHOUT_QT = """
import importlib, pkgutil, sys

class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph", "qtawesome", "qtpy", "superqt", "app"):
            raise ImportError(f"{name} is not for the engine")

sys.meta_path.insert(0, NoQt())
import core
for module in pkgutil.walk_packages(core.__path__, "core."):
    importlib.import_module(module.name)
from core.cli import main
folder, workspace = sys.argv[1:]
assert main(["index", folder, "--workspace", workspace, "--json"]) == 0
assert main(["ask", workspace, "Who commands the Northern Star?"]) == 0
"""


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_the_engine_works_where_there_is_no_qt(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("Otto Kask commands the Northern Star.\n", encoding="utf-8")
    found = run(WITHOUT_QT, str(tmp_path / "papers"), str(tmp_path / "workspace"))
    assert found.returncode == 0, found.stderr
    assert "Otto Kask" in found.stdout


@pytest.mark.parametrize("module", ["app.shell.start", "app.__main__", "core.cli", "core.workspace"])
def test_nothing_heavy_is_on_the_way_to_the_first_window(module: str) -> None:
    found = run(f"import json, sys, {module}; print(json.dumps([n for n in {HEAVY} if n in sys.modules]))")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == []


def test_the_command_line_imports_no_qt() -> None:
    program = (
        "import sys, app.__main__ as m; code = m.main(['--help']); sys.exit(code or 'PySide6' in sys.modules)"
    )
    found = run(program)
    assert found.returncode == 0, found.stderr
    assert "Usage" in found.stdout
