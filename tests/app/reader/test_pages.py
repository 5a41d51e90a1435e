"""Pages as they look: drawn as they come into sight, marked, searched, copied and turned."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme
from app.reader.page_layout import EDGE, GAP, MOST_SIDE, WIDEST_FIT, ZOOMS, PageLayout
from app.reader.page_view import PageView
from app.reader.panel import ReaderPanel
from app.session.selection import Selected
from app.session.session import Session
from core.errors import DocumentError
from core.types import Document
from core.types.kinds import stable_id
from core.workspace.page_pictures import PagePictures
from tests.app.panel_case import hover
from tests.app.pixels import colors_of
from tests.app.reader.conftest import BOOK, Opening, drawn
from tests.processes import alive, children
from tests.waiting import process_events

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
PETREL = stable_id("entity", "grey petrel")


def cite(session: Session, document: Document, words: str, nth: int = 0) -> tuple[int, int]:
    """Choose words of a document as a citation is chosen."""
    assert session.workspace is not None
    text, start = session.workspace.documents.text(document.id), -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    passages = session.workspace.passages.of_document(document.id)
    passage = next(one for one in passages if one.start <= start < one.end)
    session.selection.select(Selected("citation", passage.id, start, start + len(words), document.id))
    return start, start + len(words)


def in_sight(view: PageView, place: int) -> bool:
    point = view.point_of(place)
    return 0 <= point.y() <= view.viewport().height() and 0 <= point.x() <= view.viewport().width()


# ---------------------------------------------------------------- where pages lie


def test_pages_lie_below_each_other() -> None:
    layout = PageLayout([(600, 800), (300, 400), (0, 0), (90_000, 90_000)], 0.5, 1000)
    places = [layout.place(number) for number in range(1, 5)]
    for one, next_ in pairwise(places):
        assert next_.top == pytest.approx(one.bottom + GAP)
    assert places[1].left == (layout.width - 150) / 2 if layout.width > 1000 else (1000 - 150) / 2
    assert places[3].width == MOST_SIDE * 0.5, "larger pages are shown smaller"
    assert layout.height == pytest.approx(places[-1].bottom + EDGE)
    assert layout.page_at(-10) == 1 and layout.page_at(1e9) == 4 and PageLayout().page_at(5) == 0
    assert list(layout.between(places[1].top, places[2].top)) == [2, 3]


def test_zoom_fits_width_and_page() -> None:
    layout = PageLayout([(600, 800)] * 3)
    wide = PageLayout(layout.sizes, layout.zoom_to(1000))
    assert wide.width == pytest.approx(1000)
    full = PageLayout(layout.sizes, layout.zoom_to(1000, 400, 2))
    assert full.place(2).height <= 400
    assert layout.zoom_to(1) == ZOOMS[0]
    assert layout.zoom_to(5000) == WIDEST_FIT, "not as large as a very wide view"


# ---------------------------------------------------------------- drawing


def test_a_long_document_is_drawn_where_it_is_visible(reading: ReaderPanel, open_document: Opening) -> None:
    open_document("book.pdf")
    pages = reading.side.pages
    assert pages.isVisible() and not reading.text.isVisible()
    assert pages.count == BOOK and reading.header.page.text() == f"of {BOOK}"
    inside = [number for number in range(1, BOOK + 1) if pages.shelf.pictures(number)]
    assert inside and max(inside) <= 4, "only what is seen, and the next"
    color = colors_of(pages.viewport())
    place = pages.layout_.place(1)
    ink = [
        color(int(place.left + x), int(place.top + y)).lightness()
        for x in range(50, int(place.width / 2), 3)
        for y in range(50, 130, 3)
    ]
    assert min(ink) < 120 and max(ink) == 255, "black on white"


def test_a_number_leads_to_its_page(reading: ReaderPanel, open_document: Opening, qtbot: QtBot) -> None:
    open_document("book.pdf")
    field = reading.header.number
    for typed, number in (("121", 121), ("9999", BOOK), ("0", 1), ("x", 1)):
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert reading.side.pages.number == number
    reading.go_to_page(110)
    assert reading.side.pages.number == 110
    qtbot.waitUntil(lambda: drawn(reading.side.pages), timeout=10_000)


def test_a_citation_is_marked_where_it_stands(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    document = open_document("book.pdf")
    start, _ = cite(session, document, "On day 114 the Grey Petrel lay at berth 114.")
    pages = reading.side.pages
    qtbot.waitUntil(lambda: pages.number == 114 and drawn(pages), timeout=10_000)
    assert in_sight(pages, start)
    point, color = pages.point_of(start), colors_of(pages.viewport())
    around = [color(int(point.x()) + x, int(point.y()) + y) for x in range(-1, 60) for y in range(-6, 6)]
    assert theme.LIGHT.color("mark") in around, "as with a highlighter"
    next_to = [color(int(point.x()) - x, int(point.y())) for x in range(2, 40)]
    assert theme.LIGHT.color("accent") in next_to, "and a bar in the margin"


# ---------------------------------------------------------------- names, words, finding


def test_a_name_is_clicked_and_stands_out(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    open_document("book.pdf")
    pages, text = reading.side.pages, reading.opened.text  # type: ignore[union-attr]
    spot = pages.point_of(text.index("Grey Petrel") + 2).toPoint()
    with qtbot.waitSignal(session.pointed_at):
        hover(pages.viewport(), spot)
    qtbot.mouseClick(pages.viewport(), LEFT, pos=spot)
    assert session.selection.current == Selected("entity", PETREL)
    process_events()
    color = colors_of(pages.viewport())
    assert theme.LIGHT.color("accent") in [color(spot.x(), spot.y() + y) for y in range(20)]


def test_names_are_reached_by_keys(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    open_document("letter.pdf")
    pages = reading.side.pages
    pages.setFocus()
    qtbot.keyClick(pages, Qt.Key.Key_Right, CONTROL)
    qtbot.keyClick(pages, Qt.Key.Key_Return)
    assert session.selection.current == Selected("entity", stable_id("entity", "oriel nominees"))


def test_words_are_marked_and_copied(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    open_document("letter.pdf")
    pages, text = reading.side.pages, reading.opened.text  # type: ignore[union-attr]
    start, end = text.index("holds"), text.index("We act") + len("We act")
    first, last = pages.point_of(start).toPoint(), pages.point_of(end - 3).toPoint()
    qtbot.mousePress(pages.viewport(), LEFT, pos=first)
    QTest.mouseMove(pages.viewport(), last + QPoint(40, 0))
    qtbot.mouseRelease(pages.viewport(), LEFT, pos=last)
    marked = pages.marked_words()[1]
    assert marked.startswith("holds the shares.") and "We" in marked
    pages.setFocus()
    qtbot.keyClick(pages, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == marked
    assert not QGuiApplication.clipboard().mimeData().hasHtml()
    qtbot.mouseDClick(pages.viewport(), LEFT, pos=first + QPoint(4, 0))
    assert pages.marked_words() == (start, "holds")
    assert not session.commands["reader.state"].why_not(), "they can become a fact"


def test_finding_goes_from_page_to_page(reading: ReaderPanel, open_document: Opening, qtbot: QtBot) -> None:
    open_document("book.pdf")
    pages = reading.side.pages
    pages.setFocus()
    qtbot.keyClick(pages, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(reading.find_bar.field, "berth 12")
    qtbot.waitUntil(lambda: reading.find_bar.count.text() == "1 of 11")
    assert pages.number == 12
    qtbot.keyClick(reading.find_bar.field, Qt.Key.Key_Return)
    assert pages.number == 120
    qtbot.keyClick(reading.find_bar.field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is pages


# ---------------------------------------------------------------- zoom


def test_zoom_by_keys_and_wheel_keeps_the_place(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot
) -> None:
    open_document("book.pdf")
    pages = reading.side.pages
    reading.go_to_page(40)
    pages.setFocus()
    before = pages.layout_.zoom
    qtbot.keyClick(pages, Qt.Key.Key_Plus, CONTROL)
    assert pages.layout_.zoom == pytest.approx(before * 1.2) and pages.number == 40
    assert theme.text_size() == 100, "the size of text is not meant here"
    turn = QWheelEvent(
        QPointF(100, 100), pages.mapToGlobal(QPointF(100, 100)), QPoint(), QPoint(0, -240),
        Qt.MouseButton.NoButton, CONTROL, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(pages.viewport(), turn)
    assert pages.layout_.zoom == pytest.approx(before / 1.2) and pages.number == 40
    qtbot.mouseClick(reading.side.bar.page, LEFT)
    assert pages.layout_.place(40).height <= pages.viewport().height()
    qtbot.keyClick(pages, Qt.Key.Key_0, CONTROL)
    assert pages.layout_.zoom == pytest.approx(before)


def test_large_pages_are_drawn_where_they_are_visible(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot
) -> None:
    open_document("letter.pdf")
    pages = reading.side.pages
    for _ in range(12):
        pages.zoom_by(1.2)
    qtbot.waitUntil(lambda: drawn(pages), timeout=10_000)
    best = pages.shelf.pictures(1)[-1]
    assert best.wish.clip is not None and best.part.height() < 0.6


# ---------------------------------------------------------------- what may go wrong


def test_a_file_that_is_gone_leaves_its_text(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    workspace = session.workspace
    assert workspace is not None
    workspace._store.settings.set("folder", str(tmp_path))
    document = workspace.documents.find(["letter.pdf"])[0]
    session.selection.select(Selected("document", document.id))
    qtbot.waitUntil(lambda: reading.refusal.isVisible())
    assert "no longer where it was read" in reading.refusal.text()
    assert reading.text.isVisible() and "Oriel Nominees" in reading.text.toPlainText()
    assert not reading.side.isVisible() and reading.header.switch.buttons["text"].isChecked()
    open_document("mail.eml")
    assert not reading.refusal.isVisible()


def test_a_page_that_cannot_be_drawn_says_so(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PagePictures.draw

    def draw(self: PagePictures, document: Document, number: int, *rest: object) -> object:
        if number == 2:
            raise DocumentError("It crashes the program that draws it.", "Its text is kept.")
        return real(self, document, number, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(PagePictures, "draw", draw)
    open_document("book.pdf")
    pages = reading.side.pages
    reading.go_to_page(2)
    qtbot.waitUntil(lambda: 2 in pages.shelf.failed)
    reading.go_to_page(3)
    qtbot.waitUntil(lambda: drawn(pages))
    assert list(pages.shelf.failed) == [2], "the others go on"


def test_the_choice_is_reported_and_both_stand_next_to_each_other(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot
) -> None:
    open_document("book.pdf")
    switch = reading.header.switch
    with qtbot.waitSignal(reading.look_chosen) as chosen:
        qtbot.mouseClick(switch.buttons["both"], LEFT)
    assert chosen.args == ["both"]
    assert reading.text.isVisible() and reading.side.isVisible()
    reading.resize(500, 400)
    assert (
        not reading.text.isVisible() and reading.side.isVisible() and not switch.buttons["both"].isVisible()
    )
    reading.side.pages.setFocus()
    qtbot.keyClick(reading.side.pages, Qt.Key.Key_F6)
    assert reading.text.isVisible() and not reading.side.isVisible()
    assert QApplication.focusWidget() is reading.text


def test_closing_the_workspace_ends_the_process(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    before = set(children(os.getpid()))
    open_document("letter.pdf")
    drawing = set(children(os.getpid())) - before
    assert drawing
    session.close_workspace()
    qtbot.waitUntil(lambda: not any(map(alive, drawing)))
    assert reading.empty.isVisible()
