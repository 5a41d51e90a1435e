"""Pictures of the pages that are seen, asked for one after the other: rough ones first, then sharp ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QRectF, Signal
from PySide6.QtGui import QImage

from app.session.session import Session
from app.session.tasks import Lane
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Document

if TYPE_CHECKING:
    from core.workspace.page_pictures import PagePictures

BUDGET = 160_000_000  # bytes of pictures that are kept
FULL_PAGE_PIXELS = 6_000_000  # pixels up to which a page is drawn whole
PATIENCE_MS = 800  # for a page that nobody looks at any more
Clip = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Wish:
    """A page, from 1, at so many pixels a point; `clip` in pixels of the whole page, None for all of it.

    `rough`: any picture of it will do.
    """

    number: int
    scale: float
    clip: Clip | None = None
    rough: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """What was drawn: `part` is what it shows of the page, in shares of its width and height."""

    wish: Wish
    image: QImage
    part: QRectF

    def fulfils(self, wish: Wish) -> bool:
        if wish.rough:
            return self.wish.clip is None
        if abs(self.wish.scale - wish.scale) > 1e-6:
            return False
        have, want = self.wish.clip, wish.clip
        if have is None or want is None:
            return have is None
        return have[0] <= want[0] and have[1] <= want[1] and have[2] >= want[2] and have[3] >= want[3]


class PageShelf(QObject):
    """Signals: opened(sizes of the pages); refused(CoreError) for all of the document; arrived(number of a page)."""

    opened = Signal(object)
    refused = Signal(object)
    arrived = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._drawer: PagePictures | None = None
        self._document: Document | None = None
        self._pictures: dict[
            int, list[Picture]
        ] = {}  # by page, the one that came last comes last; pages so, too
        self._wishes: Sequence[Wish] = ()
        self._asked: Wish | None = None
        self._since = QElapsedTimer()
        self.failed: dict[int, CoreError] = {}

    def open(self, document: Document) -> None:
        """Drop what there is, and begin to open another document."""
        self.close()
        workspace = self._session.workspace
        if workspace is None:
            return
        if self._drawer is None:
            self._drawer = workspace.page_pictures()
        drawer, self._document = self._drawer, document
        self._tasks.start(
            "pages",
            lambda context: drawer.open(document, context).tolist(),
            self.opened.emit,
            failed=self.refused.emit,
            lane=Lane.PAGES,
        )

    def close(self) -> None:
        """No document any more; who draws waits for the next one."""
        self._tasks.drop("pages")
        self._document, self._asked, self._wishes = None, None, ()
        self._pictures.clear()
        self.failed.clear()

    def end(self) -> None:
        """As `close`, and the process that draws ends."""
        self.close()
        drawer, self._drawer = self._drawer, None
        if drawer is not None:
            self._tasks.start("end", lambda _: drawer.close(), lane=Lane.PAGES)

    def pictures(self, number: int) -> Sequence[Picture]:
        """Return those of a page, the best one last."""
        return self._pictures.get(number, ())

    def want(self, wishes: Sequence[Wish]) -> None:
        """These in this order, in place of what was wanted before."""
        self._wishes = wishes
        if self._asked is None:
            self._next()
        elif self._since.hasExpired(PATIENCE_MS) and self._asked.number not in {one.number for one in wishes}:
            self._tasks.drop("pages")
            self._next()

    def _next(self) -> None:
        drawer, document = self._drawer, self._document
        missing = (one for one in self._wishes if one.number not in self.failed and not self._has(one))
        self._asked = wish = next(missing, None)
        if wish is None or drawer is None or document is None:
            return

        def work(context: TaskContext) -> Picture:
            drawn = drawer.draw(document, wish.number, wish.scale, wish.clip, context)
            (left, top, right, bottom), (width, height) = drawn.clip, drawn.size
            high, wide = bottom - top, right - left
            image = QImage(drawn.pixels, wide, high, 4 * wide, QImage.Format.Format_RGB32).copy()
            part = QRectF(left / width, top / height, wide / width, high / height)
            return Picture(wish, image, part)

        self._since.start()
        self._tasks.start("pages", work, self._on_drawn, failed=self._on_failed, lane=Lane.PAGES)

    def _has(self, wish: Wish) -> bool:
        return any(picture.fulfils(wish) for picture in self.pictures(wish.number))

    def _on_drawn(self, picture: Picture) -> None:
        number = picture.wish.number
        backdrop = [one for one in self._pictures.pop(number, []) if one.wish.clip is None][-1:]
        # A sharp whole page replaces all; a part lies upon the last whole one.
        self._pictures[number] = [picture] if picture.wish.clip is None else [*backdrop, picture]
        self._let_go()
        self._asked = None
        self.arrived.emit(number)
        if self._asked is None:
            self._next()

    def _on_failed(self, error: CoreError) -> None:
        if self._asked is not None:
            number, self._asked = self._asked.number, None
            self.failed[number] = error
            self.arrived.emit(number)
            if self._asked is None:
                self._next()

    def _let_go(self) -> None:
        """Of what came first, where there is more than enough; never of what is wanted."""
        wanted = {wish.number for wish in self._wishes}
        size = sum(one.image.sizeInBytes() for pictures in self._pictures.values() for one in pictures)
        for number in [number for number in self._pictures if number not in wanted]:
            if size <= BUDGET:
                return
            size -= sum(one.image.sizeInBytes() for one in self._pictures.pop(number))
