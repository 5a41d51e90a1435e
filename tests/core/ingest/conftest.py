"""Makers of files as fixtures, folders with other permissions, and the tokenizer."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from core.models.minilm import WordPieceTokenizer
from tests.data_makers.office_files import make_docx, make_pdf, make_pptx, make_xlsx, zipped


@pytest.fixture(scope="session")
def pdf() -> Callable[..., bytes]:
    return make_pdf


@pytest.fixture(scope="session")
def docx() -> Callable[..., bytes]:
    return make_docx


@pytest.fixture(scope="session")
def xlsx() -> Callable[..., bytes]:
    return make_xlsx


@pytest.fixture(scope="session")
def pptx() -> Callable[..., bytes]:
    return make_pptx


@pytest.fixture(scope="session")
def archive() -> Callable[[dict[str, str]], bytes]:
    return zipped


@pytest.fixture(scope="session")
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own are for their owner only."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for place in [folder, *folder.rglob("*")]:
        if place.is_dir() and not place.is_symlink():
            place.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def ordinary_user() -> Callable[[], AbstractContextManager[None]]:
    """Within it permissions count, even when the tests run as root."""

    @contextmanager
    def lowered() -> Iterator[None]:
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield
        finally:
            if root:
                os.seteuid(0)

    return lowered
