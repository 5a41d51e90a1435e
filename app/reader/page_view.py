"""The pages as they look, below each other: marked, searched and copied by the places of their words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.reader import page_paint
from app.reader.document import OpenDocument
from app.reader.page_layout import EDGE, GAP, PageLayout, Place, within
from app.reader.page_paint import PageContents
from app.reader.page_pictures import FULL_PAGE_PIXELS, Clip, PageShelf, Wish
from app.reader.text import READ_AT, Mark
from app.session.session import Session
from app.widgets.accessible import Part, Role, Spoken, announce, speak
from app.widgets.copying import plain_data
from core.errors import CoreError
from core.types import Mention

STEP = 1.2  # of the zoom
ROUGH = 0.25  # of the sharp scale
TILE = 256  # pixels: parts of large pages begin and end at multiples
LINE = 48  # pixels that an arrow scrolls
REACH = 12.0  # points from a word within which a selection goes on to it
SETTLE_MS = 60  # after the last change of zoom until pages are drawn for it


class PageView(QAbstractScrollArea):
    """Signals: entity_chosen(entity id) by click or Enter; entity_pointed(entity id or ""); page_changed(number) of the
    page that one is taken to read; refused(CoreError) where the file cannot be drawn; zoomed() after each change of
    the zoom; menu_wanted(point of the screen).
    """

    entity_chosen = Signal(str)
    entity_pointed = Signal(str)
    page_changed = Signal(int)
    refused = Signal(object)
    zoomed = Signal()
    menu_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        spoken = Spoken(Role.List, self._spoken_names, lambda: self._name)
        speak(self, spoken)
        self.setAccessibleName(tr("Pages of the document"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.shelf = PageShelf(session, self)
        self.shelf.opened.connect(self._on_opened)
        self.shelf.refused.connect(self.refused)
        self.shelf.arrived.connect(lambda _: self.viewport().update())
        self.layout_ = PageLayout()
        self.fit = "width"  # "width", "page" or "" for a zoom that was chosen
        self._contents: PageContents | None = None
        self._ready = False  # whether the sizes of its pages are known
        self._sought: int | None = None  # a place to show once they are
        self._marks: tuple[Mark, ...] = ()
        self._entity = ""
        self._number = 0  # of the page that one reads
        self._anchor, self._caret = 0, 0  # of the selection, in the document's text
        self._dragging = False
        self._pointed = ""
        self._name = -1  # among the names of the page, that which the keyboard is at
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.notifier().changed.connect(self._repaint)

    # ------------------------------------------------------------ content

    @property
    def ready(self) -> bool:
        """Return whether its pages are there, drawn or not."""
        return self._ready

    @property
    def count(self) -> int:
        return len(self.layout_.sizes)

    @property
    def number(self) -> int:
        """Of the page that one reads; 0 for none."""
        return self._number

    @property
    def recognised(self) -> bool:
        """Return whether the page that one reads is a picture whose words were recognised."""
        return self._contents is not None and self._number in self._contents.opened.recognised

    def show_document(self, opened: OpenDocument) -> None:
        """Begin anew with a document, at its top."""
        self.clear()
        self._contents = PageContents(opened)
        self.shelf.open(opened.document)

    def renew(self, opened: OpenDocument) -> None:
        """What was read of the same file again: the pictures stay."""
        self._contents = PageContents(opened)
        self.set_marks(self._marks, self._entity)

    def clear(self) -> None:
        self.shelf.close()
        self._settle.stop()
        self._contents, self._ready, self._sought, self._marks = None, False, None, ()
        self._number, self._anchor, self._caret, self._name, self._pointed = 0, 0, 0, -1, ""
        self._set_layout(PageLayout())

    def _on_opened(self, sizes: list[list[float]]) -> None:
        self._ready = True
        self._set_layout(PageLayout([(width, height) for width, height in sizes], self.layout_.zoom))
        self._fit_again()
        self.verticalScrollBar().setValue(0)
        self._number = 0
        if self._sought is not None:
            self.reveal(self._sought)
        self._on_scrolled()
        self.zoomed.emit()

    def set_marks(self, marks: tuple[Mark, ...], entity_id: str) -> None:
        """Set places that stand out, and an entity that does wherever it is named."""
        self._marks, self._entity = marks, entity_id
        if self._contents is not None:
            self._contents.set_marks(marks)
        self.viewport().update()

    def reveal(self, place: int) -> None:
        """Scroll so that a character is in sight; later, where the pages are not there yet."""
        if self._contents is None:
            return
        if not self._ready:
            self._sought = place
            return
        self._sought = None
        box = self._contents.place_of(place)
        if box is None or not 1 <= box.page <= self.count:
            return
        on = page_paint.on_screen(box, self.layout_.place(box.page))
        self.verticalScrollBar().setValue(round(on.top() - READ_AT * self.viewport().height()))
        bar, wide = self.horizontalScrollBar(), self.viewport().width()
        if not bar.value() <= on.left() <= bar.value() + wide - EDGE:
            bar.setValue(round(on.left() - EDGE))
        self._on_scrolled()

    def show_page(self, number: int) -> None:
        """Bring the top of a page to the top."""
        if 1 <= number <= self.count:
            self.verticalScrollBar().setValue(round(self.layout_.place(number).top - GAP / 2))
            self._update_page(number)  # a short last one cannot be scrolled to the top

    def marked_words(self) -> tuple[int, str]:
        """Return what the person marked, in the document's own text, and where it begins."""
        start, end = sorted((self._anchor, self._caret))
        return start, self._contents.opened.text[start:end] if self._contents is not None else ""

    # ------------------------------------------------------------ zoom

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Larger or smaller; what is at a point of the view, its middle by default, stays there."""
        self.fit = ""
        self._zoom_to(within(self.layout_.zoom * factor), at)

    def set_fit(self, fit: str) -> None:
        """ "width" or "page": kept when the view changes its size."""
        self.fit = fit
        self._fit_again()

    def _fit_again(self) -> None:
        if not self.count or not self.fit:
            return
        wide, high = self.viewport().width(), self.viewport().height()
        tall = high if self.fit == "page" else 0
        zoom = self.layout_.zoom_to(wide, tall, max(self._number, 1))
        self._zoom_to(zoom, QPointF(wide / 2, 0))

    def _zoom_to(self, zoom: float, at: QPointF | None) -> None:
        old, bar, across = self.layout_, self.verticalScrollBar(), self.horizontalScrollBar()
        at = at or QPointF(self.viewport().width() / 2, self.viewport().height() / 2)
        if not old.sizes or abs(zoom - old.zoom) < 1e-9:
            return
        x, y = at.x() + across.value(), at.y() + bar.value()
        number = old.page_at(y)
        before = old.place(number)
        self._set_layout(PageLayout(old.sizes, zoom))
        after = self.layout_.place(number)
        grown = after.scale / before.scale
        bar.setValue(round(after.top + (y - before.top) * grown - at.y()))
        across.setValue(round(after.left + (x - before.left) * grown - at.x()))
        self._settle.start()
        self.zoomed.emit()

    def _set_layout(self, layout: PageLayout) -> None:
        room = self.viewport().width()
        self.layout_ = PageLayout(layout.sizes, layout.zoom, room)
        self.verticalScrollBar().setRange(0, max(round(self.layout_.height - self.viewport().height()), 0))
        self.verticalScrollBar().setPageStep(self.viewport().height())
        self.verticalScrollBar().setSingleStep(LINE)
        self.horizontalScrollBar().setRange(0, max(round(self.layout_.width - room), 0))
        self.horizontalScrollBar().setPageStep(room)
        self.horizontalScrollBar().setSingleStep(LINE)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_layout(self.layout_)
        self._fit_again()
        self._settle.start()

    # ------------------------------------------------------------ what is seen

    def _visible_pages(self) -> range:
        top = self.verticalScrollBar().value()
        return self.layout_.between(top, top + self.viewport().height() - 1)

    def _on_scrolled(self, *_: object) -> None:
        self.viewport().update()
        if self.count:
            bar = self.verticalScrollBar()
            share = 0.95 if bar.value() >= bar.maximum() and bar.maximum() else READ_AT
            self._update_page(self.layout_.page_at(bar.value() + share * self.viewport().height()))
            self._ask()

    def _update_page(self, number: int) -> None:
        if number != self._number:
            self._number, self._name = number, -1
            self.page_changed.emit(number)

    def _ask(self) -> None:
        """Those that are seen, rough and then sharp, then the next one and the one before."""
        if not self.isVisible() or not self._ready:
            return
        visible = self._visible_pages()
        wishes = [Wish(number, self._scale(number) * ROUGH, None, rough=True) for number in visible]
        wishes += [Wish(number, self._scale(number), self._clip(number)) for number in visible]
        for number in (visible.stop, visible.start - 1):
            if 1 <= number <= self.count:
                fits = self._pixels(number) <= FULL_PAGE_PIXELS
                wishes.append(Wish(number, self._scale(number) * (1 if fits else ROUGH), None, not fits))
        self.shelf.want(wishes)

    def _scale(self, number: int) -> float:
        """Pixels of the screen that a point of a page takes."""
        return self.layout_.place(number).scale * self.devicePixelRatioF()

    def _pixels(self, number: int) -> float:
        place = self.layout_.place(number)
        return place.width * place.height * self.devicePixelRatioF() ** 2

    def _clip(self, number: int) -> Clip | None:
        """Return what is to be drawn of a page that is seen: all of it, unless it is very large."""
        if self._pixels(number) <= FULL_PAGE_PIXELS:
            return None
        place, ratio = self.layout_.place(number), self.devicePixelRatioF()
        left = (self.horizontalScrollBar().value() - place.left) * ratio
        top = (self.verticalScrollBar().value() - place.top) * ratio
        wide, high = self.viewport().width() * ratio, self.viewport().height() * ratio
        return (
            max(int(left // TILE) * TILE, 0),
            max(int(top // TILE) * TILE, 0),
            min(-int(-(left + wide) // TILE) * TILE, round(place.width * ratio)),
            min(-int(-(top + high) // TILE) * TILE, round(place.height * ratio)),
        )

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._settle.start()

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    # ------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), theme.current().color("window"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.translate(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())
        if not self._ready and self._contents is not None:
            painter.setPen(theme.current().color("muted"))
            painter.setFont(theme.font(theme.BODY))
            words = tr("Opening the pages...")
            painter.drawText(self.viewport().rect(), int(Qt.AlignmentFlag.AlignCenter), words)
        for number in self._visible_pages():
            self._paint_page(painter, number, self.layout_.place(number))
        painter.end()

    def _paint_page(self, painter: QPainter, number: int, place: Place) -> None:
        page_paint.paint_paper(painter, place)
        # Where the picture stands for itself it is not smoothed: its pixels are those of the screen.
        left, top = round(place.left), round(place.top)
        for picture in self.shelf.pictures(number):
            part = picture.part
            page_rect = QRectF(left, top, round(place.width), round(place.height))
            target = QRectF(
                page_rect.left() + part.left() * page_rect.width(),
                page_rect.top() + part.top() * page_rect.height(),
                part.width() * page_rect.width(),
                part.height() * page_rect.height(),
            )
            painter.drawImage(target, picture.image)
        if number in self.shelf.failed:
            self._paint_failure(painter, place, self.shelf.failed[number])
        elif self._contents is not None:
            self._paint_contents(painter, number, place, self._contents)
        page_paint.dim(painter, place)

    def _paint_contents(self, painter: QPainter, number: int, place: Place, contents: PageContents) -> None:
        page_paint.paint_cells(painter, contents.cells(number), place)
        for kind, boxes in contents.marks(number):
            page_paint.paint_bar(painter, kind, boxes, contents.margin(number), place)
            page_paint.paint_mark(painter, kind, boxes, place)
        names = contents.names(number)
        for mention, boxes in names:
            if mention.entity_id == self._entity:
                page_paint.paint_mark(painter, "entity", boxes, place)
            else:
                page_paint.paint_names(painter, boxes, place)
        if self._anchor != self._caret:
            lines = contents.lines(*sorted((self._anchor, self._caret)))
            page_paint.paint_selection(painter, [box for box in lines if box.page == number], place)
        if number == self._number and 0 <= self._name < len(names) and self.hasFocus():
            for box in names[self._name][1]:
                rect = page_paint.on_screen(box, place, 2.0)
                page_paint.frame(painter, rect, page_paint.PAPER.color("accent"), 2.0)

    def _paint_failure(self, painter: QPainter, place: Place, error: CoreError) -> None:
        painter.setPen(page_paint.PAPER.color("muted"))
        painter.setFont(theme.font(theme.BODY))
        inner = QRectF(place.left, place.top, place.width, place.height).adjusted(24, 24, -24, -24)
        words = f"{error.message}\n{error.remedy}"
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), words)

    # ------------------------------------------------------------ the mouse

    def point_of(self, place: int) -> QPointF:
        """Return where a character is drawn, in the viewport."""
        box = self._contents.place_of(place) if self._contents is not None else None
        if box is None:
            return QPointF(-1, -1)
        on = page_paint.on_screen(box, self.layout_.place(box.page))
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return QPointF(on.left() + 1 - across, on.center().y() - down)

    def _on_page(self, point: QPointF) -> tuple[int, float, float]:
        """Return the page at a point of the viewport, 0 for none, and the point on it."""
        x, y = point.x() + self.horizontalScrollBar().value(), point.y() + self.verticalScrollBar().value()
        number = self.layout_.page_at(y)
        if not number:
            return 0, 0.0, 0.0
        place = self.layout_.place(number)
        return number, (x - place.left) / place.scale, (y - place.top) / place.scale

    def _character(self, point: QPointF, reach: float = 0.0) -> int | None:
        number, x, y = self._on_page(point)
        if not number or self._contents is None or self._contents.opened.placed is None:
            return None
        return self._contents.opened.placed.character_at(number, x, y, reach)

    def mention_under(self, point: QPointF) -> Mention | None:
        place = self._character(point)
        return None if place is None or self._contents is None else self._contents.opened.mention_at(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            place = self._character(event.position(), REACH)
            self._dragging = place is not None
            if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier or place is None:
                self._anchor = place or 0
            self._caret = place if place is not None else self._anchor
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.buttons() & Qt.MouseButton.LeftButton:
            place = self._character(event.position(), 4_000.0)
            if place is not None and place != self._caret:
                self._caret = place
                self.viewport().update()
            return
        mention = self.mention_under(event.position())
        over = self._character(event.position()) is not None
        shape = Qt.CursorShape.IBeamCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if mention else shape)
        self._point_at(mention.entity_id if mention else "")

    def _point_at(self, entity_id: str) -> None:
        if entity_id != self._pointed:
            self._pointed = entity_id
            self.entity_pointed.emit(entity_id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._dragging = False
        mention = self.mention_under(event.position())
        if mention is not None and self._anchor == self._caret:
            self.entity_chosen.emit(mention.entity_id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        number, x, y = self._on_page(event.position())
        placed = self._contents.opened.placed if self._contents is not None else None
        if number and placed is not None and (word := placed.word_at(number, x, y)) is not None:
            self._anchor, self._caret = word
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(STEP ** (event.angleDelta().y() / 120), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            words = self._tip(QPointF(event.pos()))  # type: ignore[attr-defined]
            QToolTip.showText(event.globalPos(), tooltip(words), self)  # type: ignore[attr-defined]
            return True
        if event.type() == QEvent.Type.Leave:
            self._point_at("")
        return super().viewportEvent(event)

    def _tip(self, point: QPointF) -> str:
        """Return a name that can be clicked; on a picture the word that was recognised."""
        number, x, y = self._on_page(point)
        if not number or self._contents is None:
            return ""
        opened = self._contents.opened
        if (mention := self.mention_under(point)) is not None:
            name = " ".join(opened.text[mention.start : mention.end].split())
            return tr("{name}: click to select it", name=name)
        word = opened.placed.word_at(number, x, y) if opened.placed is not None else None
        if word is not None and number in opened.recognised:
            return tr("Recognised in the picture: {word}", word=opened.text[word[0] : word[1]])
        return ""

    # ------------------------------------------------------------ keys

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._zoom_of(event) is not None:  # type: ignore[arg-type]
            event.accept()  # here they mean the page, elsewhere the size of text
            return True
        return super().event(event)

    def _zoom_of(self, event: QKeyEvent) -> int | None:
        """+1, -1 or 0 for the width, where the keys are those of the zoom."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return None
        keys = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1, Qt.Key.Key_0: 0}
        return keys.get(Qt.Key(event.key()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, key = self.verticalScrollBar(), event.key()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if (way := self._zoom_of(event)) is not None:
            self.zoom_by(STEP**way) if way else self.set_fit("width")
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll) and self._contents is not None:
            self._anchor, self._caret = 0, len(self._contents.opened.text)
            self.viewport().update()
        elif control and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self._step_name(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._name >= 0 and self._contents is not None:
            self.entity_chosen.emit(self._contents.names(self._number)[self._name][0].entity_id)
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif key == Qt.Key.Key_Space:
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            bar.setValue(bar.value() + (-1 if back else 1) * (bar.pageStep() - LINE))
        else:
            super().keyPressEvent(event)

    def _step_name(self, way: int) -> None:
        """To the next name of the page or the one before, as one hears it."""
        names = self._contents.names(self._number) if self._contents is not None else ()
        if not names:
            return
        self._name = (
            (self._name + way) % len(names) if self._name >= 0 else (0 if way > 0 else len(names) - 1)
        )
        announce(self, self._spoken_names()[self._name].name)
        box = names[self._name][1][0]
        on = page_paint.on_screen(box, self.layout_.place(self._number))
        bar, number, name = self.verticalScrollBar(), self._number, self._name
        if not bar.value() + EDGE <= on.top() <= bar.value() + self.viewport().height() - 2 * EDGE:
            bar.setValue(round(on.top() - READ_AT * self.viewport().height()))
        self._update_page(number)
        self._name = name
        self.viewport().update()

    def _spoken_names(self) -> list[Part]:
        if self._contents is None or not self._number:
            return []
        text = self._contents.opened.text
        return [
            Part(" ".join(text[mention.start : mention.end].split()))
            for mention, _ in self._contents.names(self._number)
        ]

    def copy(self) -> None:
        """The document's own text, and plain."""
        _, words = self.marked_words()
        if words:
            QGuiApplication.clipboard().setMimeData(plain_data(words))
