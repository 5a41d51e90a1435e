"""`bootstrap.py test`, and with it `.ci/run`, passes only when every test was really run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.long

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
# What these plugins do is not the point, and each takes its time to be imported, three times a run.
INI = "[pytest]\naddopts = -p no:anyio -p no:hypothesispytest -p no:pytest-qt -p no:socket {}\n"
TESTS = "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n"


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file over a project of two tests that pass, with this Python."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    spec = importlib.util.spec_from_file_location("bootstrap", PACKAGING / "bootstrap.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_both.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(INI.format(""))
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path)
    monkeypatch.setattr(module, "python", lambda: sys.executable)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    return module


def test_the_environment_cannot_leave_tests_out(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--co -k nothing")
    monkeypatch.setenv("PYTEST_PLUGINS", "nothing_of_the_kind")
    assert bootstrap.full_suite() == 0
    assert "2 passed" in capfd.readouterr().out


def test_a_run_that_left_tests_out_does_not_pass(
    bootstrap: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    (bootstrap.ROOT / "pytest.ini").write_text(INI.format("--deselect tests/test_both.py::test_two"))
    assert bootstrap.full_suite() == 1
    assert "and there are at least 2" in capfd.readouterr().out


def test_a_failure_is_a_failure(bootstrap: ModuleType) -> None:
    (bootstrap.ROOT / "tests" / "test_both.py").write_text(f"{TESTS}    assert False\n")
    assert bootstrap.full_suite() == 1
