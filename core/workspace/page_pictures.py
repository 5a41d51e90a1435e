"""Pages of PDF documents as they look, drawn in a process of its own: a hang or a crash costs one page."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.page_drawer import Clip, Draw, Open, serve
from core.ingest.process_limits import end_child
from core.ingest.source_files import open_source
from core.progress import TaskContext
from core.text.translation import tr
from core.types import Document, PagePicture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPEN_SECONDS, DRAW_SECONDS = 20, 10
POLL_SECONDS = 0.05
TEXT_STAYS = tr("Its text is kept as it was read.")


class PagePictures:
    """Draws one document after the other; the process starts with the first and lives until `close`.

    Not for two threads at once.
    """

    def __init__(
        self, folder: Path | None, config: ReadingConfig, check_trusted: Callable[[], None] = lambda: None
    ) -> None:
        """`folder` is the one that was indexed; `check_trusted` raises before a file of it is opened."""
        self._folder, self._config, self._check_trusted = folder, config, check_trusted
        self._drawer: _Drawer | None = None
        self._open: Document | None = None  # in the process that runs

    def open(self, document: Document, context: TaskContext) -> NDArray[np.float32]:
        """Width and height of each page in points, (n, 2), as they are shown; 0 for a page that is damaged.

        Raises DocumentError where the file is gone, is another one by now or cannot be drawn, Untrusted, Cancelled.
        """
        self._check_trusted()
        data = self._content(document)
        part = document.path[len(document.file) + 1 :]
        file, self._open = PurePosixPath(document.file).name, None
        sizes: NDArray[np.float32] = self._ask(Open(data, file, part, OPEN_SECONDS), context)
        self._open = document
        return sizes

    def draw(
        self, document: Document, number: int, scale: float, clip: Clip | None, context: TaskContext
    ) -> PagePicture:
        """A page, from 1, at `scale` pixels a point; `clip` in pixels of the whole page at that scale, None for all.

        Raises as `open` does; a page that ended its process is told, and the next one is drawn by another.
        """
        if self._open != document:
            self.open(document, context)
        picture: PagePicture = self._ask(Draw(number, scale, clip, DRAW_SECONDS), context)
        return picture

    def close(self) -> None:
        """End the process; the next document starts another."""
        drawer, self._drawer, self._open = self._drawer, None, None
        if drawer is not None:
            drawer.kill()

    def _ask(self, question: Open | Draw, context: TaskContext) -> Any:
        if self._drawer is None or not self._drawer.alive():
            self.close()
            self._drawer = _Drawer(self._config)
        try:
            reply = self._drawer.ask(question, context)
        except BaseException:
            self.close()  # in the middle of a page it is of no use to anybody
            raise
        if isinstance(reply, DocumentError):
            raise reply
        return reply

    def _content(self, document: Document) -> bytes:
        """The file's bytes, if they are those that were read."""
        most = self._config.max_file_mb * 1_000_000
        inside = PurePosixPath(document.file)
        if self._folder is None or inside.is_absolute() or ".." in inside.parts or not document.file:
            raise _gone(document)
        try:
            with open_source(
                self._folder / document.file, None if self._config.follow_links else self._folder
            ) as file:
                data = file.read(most + 1)
        except (OSError, ValueError) as error:
            raise _gone(document) from error
        if hashlib.sha256(data).hexdigest() != document.sha256:
            raise DocumentError(
                tr("The file has changed since it was read, so its pages may be others now."), TEXT_STAYS
            )
        return data


def _gone(document: Document) -> DocumentError:
    return DocumentError(tr("The file is no longer where it was read."), TEXT_STAYS)


class _Drawer:
    """The running process, seen from outside."""

    def __init__(self, config: ReadingConfig) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._connection, theirs = spawning.Pipe()
        arguments = (theirs, config.max_file_mb, config.max_memory_mb, os.getpid())
        # daemon: ends with this process even when nobody calls close.
        self._process = spawning.Process(target=serve, args=arguments, name="clew pages", daemon=True)
        self._process.start()
        theirs.close()

    def alive(self) -> bool:
        return self._process.is_alive()

    def ask(self, question: Open | Draw, context: TaskContext) -> object:
        """The reply, which may be a DocumentError. Raises DocumentError where it hangs or crashes, Cancelled."""
        try:
            self._connection.send(question)
            ends = time.monotonic() + question.seconds
            while not self._connection.poll(POLL_SECONDS):
                context.check()
                if time.monotonic() > ends:
                    raise DocumentError(
                        tr("Drawing took longer than {seconds} seconds.", seconds=question.seconds),
                        TEXT_STAYS,
                    )
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise DocumentError(tr("It crashes the program that draws it."), TEXT_STAYS) from error

    def kill(self) -> None:
        end_child(self._process)
        self._connection.close()
