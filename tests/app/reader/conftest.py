"""A workspace of documents that can be shown as they look, read without models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.reader.page_view import PageView
from app.reader.panel import ReaderPanel
from app.session import operations
from app.session.session import Session
from core.config import ChunkingConfig
from core.ingest.chunking import SentenceChunker
from core.ingest.folder import read_folder
from core.ingest.loaders import DocumentLoader
from core.models.minilm import WordPieceTokenizer
from core.progress import TaskContext
from core.store.entities import NewMention
from core.types import Document
from core.workspace import Workspace
from tests.conftest import copied, workspace_made_once
from tests.data_makers.office_files import make_pdf, make_pptx, make_xlsx
from tests.waiting import wait_until_landed

NAMES = {"Grey Petrel": "WORK", "Oriel Nominees": "ORG"}
QUOTED = "\n".join(f"> Line {n} of what was written before, word by word." for n in range(1, 13))
MAIL = f"""From: Ida Holm <ida@example.org>
To: Bo Gull <bo@example.org>
Date: Tue, 04 May 2021 10:00:00 +0200
Subject: The ship
Message-ID: <1@example.org>

Dear Bo, the Grey Petrel sails tomorrow.

On 3 May 2021, Bo Gull wrote:
{QUOTED}

Ida
"""
BOOK = 130  # pages


def page(number: int) -> list[str]:
    return [
        f"Chapter {number}",
        f"On day {number} the Grey Petrel lay at berth {number}.",
        "Nothing happened.",
    ]


def _folder(place: Path) -> Path:
    place.mkdir()
    (place / "book.pdf").write_bytes(make_pdf([page(number) for number in range(1, BOOK + 1)]))
    (place / "letter.pdf").write_bytes(
        make_pdf([["Oriel Nominees holds the shares.", "We act for Oriel Nominees."], ["Yours faithfully."]])
    )
    (place / "mail.eml").write_text(MAIL)
    rows: list[list[str | int]] = [["Payer", "Ship", "Amount"]]
    rows += [[f"Payer {n}", "Grey Petrel" if n % 2 else "Quiet Fulmar", 1000 + n] for n in range(1, 80)]
    sheets = {"Payments": rows, "Notes": [["Row", "Remark"], [7, "Wrong ship"], [9, "Paid twice"]]}
    (place / "ledger.xlsx").write_bytes(make_xlsx(sheets))
    slides = [("The case", "Two losses", "Begin slowly."), ("The ship", "The Grey Petrel", "")]
    (place / "talk.pptx").write_bytes(make_pptx(slides))
    return place


@pytest.fixture(scope="session")
def looks_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace, closed, beside its folder. For reading only."""

    def make(place: Path) -> Path:
        opened = Workspace.open(place / "workspace", create=True)
        folder, store = _folder(place / "papers"), opened._store
        chunker = SentenceChunker(ChunkingConfig(), WordPieceTokenizer())
        read_folder(folder, store, DocumentLoader(), chunker, TaskContext(), lambda _: None)
        mentions = [
            NewMention(stored.key, name.casefold(), name, label, at, at + len(name))
            for document in opened.documents.all()
            for stored in store.passages.of_document(document.id)
            for name, label in NAMES.items()
            if (at := stored.passage.text.find(name)) >= 0
        ]
        with store.database.transaction() as connection:
            keys = store.entities.ensure(connection, [(m.normal, m.surface, m.label) for m in mentions])
            store.entities.add_mentions(connection, mentions, keys)
        store.settings.set("folder", str(folder))
        opened.close()
        return place / "workspace"

    return workspace_made_once(tmp_path_factory, "looks", make)


@pytest.fixture
def reading(looks_path: Path, tmp_path: Path, session: Session, qtbot: QtBot) -> Iterator[ReaderPanel]:
    """The reader over a copy of it, wide enough for two views beside each other."""
    workspace = Workspace.open(copied(looks_path, tmp_path / "workspace"))
    session.set_workspace(workspace)
    panel = ReaderPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1000, 640)
    with qtbot.waitExposed(panel):
        panel.show()
    session.commands.bind(panel)
    panel.show_as("look")
    yield panel
    panel.clear()
    wait_until_landed(session.tasks)


Opening = Callable[[str], Document]


@pytest.fixture
def open_document(reading: ReaderPanel, session: Session, qtbot: QtBot) -> Opening:
    """Opens one by its name, and waits until its pages are there."""

    def opened(name: str) -> Document:
        assert session.workspace is not None
        document = session.workspace.documents.find([name])[0]
        operations.select_document(session, document.id)
        qtbot.waitUntil(lambda: reading.opened is not None and reading.opened.document == document)
        if document.media_type == "application/pdf":
            qtbot.waitUntil(lambda: drawn(reading.side.pages), timeout=20_000)
        return document

    return opened


def drawn(view: PageView) -> bool:
    """Whether the page that one reads is there sharply."""
    if not view.ready:
        return False
    sharp = view._scale(view.number)
    return view.number in view.shelf.failed or any(
        abs(picture.wish.scale - sharp) < 1e-6 for picture in view.shelf.pictures(view.number)
    )
