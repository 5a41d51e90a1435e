"""A built wheel holds all that a checkout holds: the sample, the migrations, the word lists."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("app", "core", "resources")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def test_a_wheel_is_complete_and_finds_its_sample(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in PARTS:
        shutil.copytree(ROOT / name, source / name, ignore=LEFT_OUT)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    wanted = {
        path.relative_to(source).as_posix()
        for name in PARTS
        for path in (source / name).rglob("*")
        if path.is_file()
    }
    build = [*"-m pip wheel --quiet --no-deps --no-build-isolation -w".split(), str(tmp_path), str(source)]
    built = subprocess.run([sys.executable, *build], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    wheel = next(tmp_path.glob("clew-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "installed")
    assert wanted - names == set()
    program = "import app.session.preferences as p, core.store.schema as s; print(p.sample_folder(), s.migrations())"
    found = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.startswith(str(tmp_path / "installed" / "resources" / "sample"))
    assert "CREATE TABLE" in found.stdout
