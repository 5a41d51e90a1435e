"""What `bootstrap.py` finds missing on a machine, and what it does about it."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).resolve().parents[2] / "packaging" / "machine.py"
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="installs on Linux only")


@pytest.fixture
def machine() -> ModuleType:
    spec = importlib.util.spec_from_file_location("machine", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_the_tests_need_tesseract_and_the_demo_does_not(machine: ModuleType, programs: Path) -> None:
    assert "tesseract-ocr" in machine.system_packages(ready=True, tests=True)
    assert "tesseract-ocr" not in machine.system_packages(ready=True)
    put(programs / "tesseract", "exit 0")
    assert "tesseract-ocr" not in machine.system_packages(ready=True, tests=True)


def test_root_on_debian_has_it_installed(
    machine: ModuleType, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    program = programs / "tesseract"
    put(
        programs / "apt-get",
        f'echo "$@" >>"{log}"\ncase "$*" in *install*) echo "#!/bin/sh" >"{program}"; /bin/chmod +x "{program}";; esac',
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert machine.install_system_packages(["tesseract-ocr"]) == []
    assert log.read_text().splitlines() == [
        "-q update",
        "-q install -y --no-install-recommends tesseract-ocr",
    ]


def test_what_cannot_be_installed_is_named(
    machine: ModuleType, programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for user, script, words in (
        (0, "", "Install with your system's package manager: tesseract."),
        (1000, "exit 0", "Run: sudo apt-get install tesseract-ocr"),
        (0, "echo 'no network' >&2; exit 100", "failed: no network"),
    ):
        if script:
            put(programs / "apt-get", script)
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert machine.install_system_packages(["tesseract-ocr"]) == ["tesseract-ocr"]
        assert words in capsys.readouterr().out
