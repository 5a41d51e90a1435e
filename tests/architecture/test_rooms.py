"""The rule between rooms, held by import-linter; the contracts themselves are held to the rooms that exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRONT_DOOR = {"cli", "workspace", "types", "errors", "progress", "config"}  # what app may import


def contracts() -> list[dict[str, list[str]]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, list[str]]] = settings["tool"]["importlinter"]["contracts"]
    return found


def placed() -> list[str]:
    """Rooms on all floors, from the top down."""
    return re.split(r" [|:] ", " | ".join(contracts()[0]["layers"]))


def rooms() -> set[str]:
    """Names right below core."""
    return {
        path.stem
        for path in (ROOT / "core").iterdir()
        if path.stem != "__init__" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_keep_the_contracts() -> None:
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout + found.stderr


BROKEN = {  # a line in a module, and what is said of it
    "core/store/__init__.py": ("import core.graph", "core.store is not allowed to import core.graph"),
    "core/graph/__init__.py": ("import core.models", "core.graph is not allowed to import core.models"),
    "core/types/reading.py": ("import PySide6", "core is not allowed to import PySide6"),
    "app/shell/__init__.py": ("import core.store", "app is not allowed to import core.store"),
    "app/widgets/__init__.py": ("import app.session", "app.widgets is not allowed to import app.session"),
    "app/ask/__init__.py": ("import app.graph", "app.ask is not allowed to import app.graph"),
    "app/look/__init__.py": ("import core.types", "app.look is not allowed to import core"),
}


def test_every_broken_rule_is_noticed(tmp_path: Path) -> None:
    for name in ["app", "core", *placed()]:
        place = tmp_path / name.replace(".", "/")
        if (ROOT / name.replace(".", "/")).is_dir():
            place.mkdir(parents=True, exist_ok=True)
            place = place / "__init__"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.with_suffix(".py").touch()
    assert lint(tmp_path).returncode == 0
    for room, (line, _) in BROKEN.items():
        (tmp_path / room).write_text(line + "\n", encoding="utf-8")
    found = lint(tmp_path)
    assert found.returncode == 1
    assert [words for _, words in BROKEN.values() if words not in found.stdout] == []


def test_every_room_has_its_place() -> None:
    doors = contracts()[-1]
    assert rooms() == {name.removeprefix("core.") for name in placed() if name.startswith("core.")}
    assert rooms() - FRONT_DOOR == {name.removeprefix("core.") for name in doors["forbidden_modules"]}
