"""How soon a page of a long PDF is seen: `clew research bench page`.

A document of 500 dense pages is opened in the reader, at the size that it has in a window of 1440 by 900; then it is
jumped about in, and read page by page with a pause. A page counts as seen once it was painted sharply.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench_window import Turns, turn

from core.research.benches.harness import Arguments, Figure, Figures

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.reader.panel import ReaderPanel
    from app.session.session import Session

PAGES, JUMPS, STEPS = 500, 60, 60
PAUSE_S, PATIENCE_MS, LOOK_MS = 0.25, 20_000, 2
WORDS = (
    "harbour copper vessel charter invoice owner surveyor cargo letter account master clause freight".split()
)


def page(arguments: Arguments) -> Figures:
    """Milliseconds until a page is seen, and what the window's thread was held for."""
    from PySide6.QtWidgets import QApplication

    from app.look import theme
    from app.session.session import Session

    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        place = Path(name)
        _build_workspace(place)
        app, session = QApplication(sys.argv[:1]), Session()
        theme.apply(app, "light")
        panel = _reader(app, session, place)
        first = _opened(session, panel)
        turns = Turns()
        session.selection.clear()
        panel.side.clear()
        panel._opened = None
        again = _opened(session, panel)
        rng = random.Random(7)
        jumps = [_painted_after(panel, lambda: panel.go_to_page(rng.randint(2, PAGES))) for _ in range(JUMPS)]
        panel.go_to_page(100)
        steps, ready = list[float](), 0
        for _ in range(STEPS):
            turn(app, PAUSE_S)
            ready += _sharp(panel, panel.side.pages.number + 1)
            steps.append(_painted_after(panel, lambda: panel.turn_page(1)))
        longest = turns.worst
        session.close()
    ordered = sorted(jumps)
    return {
        "first_page_ms": Figure(first * 1000, "ms", goal="with the start of the process that draws"),
        "open_ms": Figure(again * 1000, "ms", goal="at most 150 ms"),
        "jump_median_ms": Figure(statistics.median(jumps) * 1000, "ms", goal="at most 150 ms"),
        "jump_95_ms": Figure(ordered[int(0.95 * len(ordered))] * 1000, "ms", goal="at most 150 ms"),
        "jump_slowest_ms": Figure(ordered[-1] * 1000, "ms", goal="at most 150 ms"),
        "turn_median_ms": Figure(statistics.median(steps) * 1000, "ms", goal="at once"),
        "next_ready": Figure(ready / STEPS, "share", goal="1: the next page is there before it is turned to"),
        "thread_held_ms": Figure(longest, "ms of CPU time", goal="at most 50 ms"),
    }


def _build_workspace(place: Path) -> None:
    """A workspace of one document of PAGES pages, read but not indexed."""
    from core.config import ChunkingConfig
    from core.ingest.chunking import SentenceChunker
    from core.ingest.folder import read_folder
    from core.ingest.loaders import DocumentLoader
    from core.models.minilm import WordPieceTokenizer
    from core.progress import TaskContext
    from core.workspace import Workspace
    from tests.data_makers.office_files import make_pdf

    rng, folder = random.Random(3), place / "papers"
    folder.mkdir()
    pages = [[" ".join(rng.choices(WORDS, k=12)) + "." for _ in range(50)] for _ in range(PAGES)]
    (folder / "book.pdf").write_bytes(make_pdf(pages))
    opened = Workspace.open(place / "workspace", create=True)
    chunker = SentenceChunker(ChunkingConfig(), WordPieceTokenizer())
    read_folder(folder, opened._store, DocumentLoader(), chunker, TaskContext(), lambda _: None)
    opened._store.settings.set("folder", str(folder))
    opened.close()


def _reader(app: QApplication, session: Session, place: Path) -> ReaderPanel:
    from app.reader.panel import ReaderPanel
    from core.workspace import Workspace

    session.set_workspace(Workspace.open(place / "workspace"))
    panel = ReaderPanel(session)
    panel.resize(790, 820)
    panel.show()
    panel.show_as("look")
    app.processEvents()
    return panel


def _opened(session: Session, panel: ReaderPanel) -> float:
    from app.session import operations

    assert session.workspace is not None
    document = session.workspace.documents.all()[0]
    return _painted_after(panel, lambda: operations.select_document(session, document.id))


def _painted_after(panel: ReaderPanel, act: Callable[[], object]) -> float:
    """Seconds until the page to which `act` leads is painted sharply."""
    from PySide6.QtCore import QEventLoop, QTimer

    pages, loop = panel.side.pages, QEventLoop()
    look = QTimer(interval=LOOK_MS)
    look.timeout.connect(lambda: loop.quit() if _sharp(panel, pages.number) else None)
    QTimer.singleShot(PATIENCE_MS, loop.quit)
    begin = time.perf_counter()
    act()
    look.start()
    if not _sharp(panel, pages.number):
        loop.exec()
    if not _sharp(panel, pages.number):
        raise RuntimeError("A page was not drawn.")
    pages.viewport().repaint()
    return time.perf_counter() - begin


def _sharp(panel: ReaderPanel, number: int) -> bool:
    pages = panel.side.pages
    if not pages.ready or not 1 <= number <= pages.count:
        return False
    scale = pages._scale(number)
    return any(abs(picture.wish.scale - scale) < 1e-6 for picture in pages.shelf.pictures(number))
