"""`clew doctor`: is everything there that Clew needs, and what to do where it is not."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import json_option, setting_option
from core.cli.output import print_json, say
from core.errors import CoreError

if TYPE_CHECKING:
    from core.config import ModelConfig

_QUICK = 2.0  # seconds for Ollama to take the call
_NAMED = 5  # models told by name
Check = tuple[bool, str, str]  # ok, detail, remedy
_SETUP = "Run: python3 packaging/bootstrap.py demo"


@click.command()
@setting_option
@json_option
def doctor(settings: tuple[str, ...], as_json: bool) -> int:
    """Check that every part Clew needs is installed. The exit code is 1 if one is missing."""
    from core.models.hosts import own_config

    config = own_config(settings).models
    checks = [_run(name, check) for name, check in CHECKS.items()]
    if config.encoder:
        checks.append(_run("chosen encoder", lambda: _chosen_encoder(config)))
    checks.append(_run("reader", lambda: _reader(config)))
    checks.append(_run("language models", lambda: _language_models(config)))
    if as_json:
        print_json({"checks": checks})
    else:
        for check in checks:
            say(f"{'ok  ' if check['ok'] else 'FAIL'}  {check['name']}: {check['detail']}")
            if not check["ok"]:
                say(f"      {check['remedy']}")
    return 0 if all(check["ok"] or check["name"] in OPTIONAL for check in checks) else 1


def _run(name: str, check: Callable[[], Check]) -> dict[str, object]:
    try:
        ok, detail, remedy = check()
    except CoreError as error:
        ok, detail, remedy = False, error.message, error.remedy or _SETUP
    except (ImportError, OSError) as error:
        ok, detail, remedy = False, str(error), _SETUP
    return {"name": name, "ok": ok, "detail": detail, "remedy": "" if ok else remedy}


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return sys.version_info >= (3, 11), f"Python {version}", "Install Python 3.11 or newer."


def _sqlite() -> Check:
    with sqlite3.connect(":memory:") as connection:
        options = {row[0] for row in connection.execute("PRAGMA compile_options")}
    ok = "ENABLE_FTS5" in options and sqlite3.sqlite_version_info >= (3, 37)
    return ok, f"SQLite {sqlite3.sqlite_version}", "Use a Python whose SQLite is 3.37 or newer with FTS5."


def _encoder() -> Check:
    from core.answering.models import Models
    from core.store.settings import MINILM

    vector = Models().embed_question("Is the encoder there?")
    return len(vector) == MINILM.dimension, f"{MINILM.model}, {MINILM.dimension} dimensions", _SETUP


def _chosen_encoder(config: ModelConfig) -> Check:
    from core.answering.models import Models, encoder_chosen

    found = Models().encoder("", encoder_chosen(config), config)
    return True, f"{found.name}, {found.dimension} dimensions, {found.max_tokens:,} tokens of a passage", ""


def _reader(config: ModelConfig) -> Check:
    from core.models.reader import SMALL, Reader, reader_files

    files = reader_files(config.reader)
    Reader(files.weights).warm()
    absent = config.reader == "large" and files == SMALL
    words = "small, since all-mpnet-base-v2 is not installed" if absent else files.weights.stem
    return not absent, words, _SETUP


def _language() -> Check:
    from core.models.spacy_model import load

    nlp = load()
    return True, f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}", _SETUP


def _documents() -> Check:
    return True, f"kreuzberg {metadata.version('kreuzberg')}", _SETUP


def _scans() -> Check:
    from core.ingest.ocr import installed

    if not installed():
        return (
            False,
            "Tesseract is not installed; scanned pages are listed as needing OCR",
            "On Debian or Ubuntu: sudo apt install tesseract-ocr, then index again",
        )
    return True, "Tesseract", ""


def _hnsw() -> Check:
    try:
        import hnswlib  # noqa: F401
    except ImportError:
        return (
            False,
            "not installed; search is exact, which is slower on large corpora",
            ("Install a C++ compiler and Python's headers, then: pip install hnswlib"),
        )
    return True, f"hnswlib {metadata.version('hnswlib')}", ""


def _communities() -> Check:
    import leidenalg  # noqa: F401

    return True, f"leidenalg {metadata.version('leidenalg')}, igraph {metadata.version('igraph')}", _SETUP


def _window() -> Check:
    # Only whether it is installed: the command line never imports Qt.
    return True, f"PySide6 {metadata.version('PySide6-Essentials')}", _SETUP


def _folder() -> Check:
    import platformdirs

    place = Path(platformdirs.user_data_dir("clew"))
    place.mkdir(parents=True, exist_ok=True)
    probe = place / ".probe"
    probe.write_bytes(b"")
    probe.unlink()
    return True, str(place), "Make this folder writable."


def _language_models(config: ModelConfig) -> Check:
    from core.models.hosts import host_at
    from core.progress import TaskContext
    from core.workspace.preflight import model_server

    quick = replace(config, connect_seconds=min(config.connect_seconds, _QUICK))
    server = model_server(quick, TaskContext())
    names = ", ".join(model.name for model in server.models[:_NAMED])
    more = f" and {len(server.models) - _NAMED} more" if len(server.models) > _NAMED else ""
    found = f"Ollama {server.version} at {host_at(server.host).words}: {names or 'no model'}{more}"
    return bool(server.models), found, "Get a model, for example: ollama pull llama3.2:3b"


CHECKS: dict[str, Callable[[], Check]] = {
    "python": _python,
    "sqlite": _sqlite,
    "encoder": _encoder,
    "language": _language,
    "documents": _documents,
    "scanned pages": _scans,
    "vector index": _hnsw,
    "communities": _communities,
    "window": _window,
    "data folder": _folder,
}
OPTIONAL = frozenset({"scanned pages", "vector index", "language models"})
