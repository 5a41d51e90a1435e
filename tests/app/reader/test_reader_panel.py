"""Reading: the place that was asked for, pages, names, finding, very long documents."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme
from app.reader.document import LONG_LINE, PIECE, REACH, STRIDE, OpenDocument, find_all, window, window_around
from app.reader.panel import ReaderPanel
from app.reader.text import ReaderText
from app.session import operations
from app.session.selection import Selected
from app.session.session import Message
from core.progress import Cancelled, TaskContext
from core.types import Document, Mention, Page, State
from core.types.kinds import stable_id
from tests.app.panel_case import LETTER, Case, hover
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
DOCUMENT = Document("d", "a.txt", "", 0, "A", "text/plain", state=State.DONE)


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> ReaderPanel:
    widget = ReaderPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(600, 260)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answer = case.answer
    case.session.commands.bind(widget)
    return widget


def open_citation(panel: ReaderPanel, case: Case, qtbot: QtBot, at: int = 0) -> None:
    operations.select_citation(case.session, case.answer.citations[at])
    wait_until_landed(case.session.tasks)


def marked(view: ReaderText, kind: str) -> list[str]:
    """What is drawn as marked, read back from Qt's own selections."""
    pieces = []
    for mark in view.marks:
        if mark.kind == kind:
            cursor = QTextCursor(view.document())
            cursor.setPosition(view.position_of(mark.start))
            cursor.setPosition(view.position_of(mark.end), QTextCursor.MoveMode.KeepAnchor)
            pieces.append(cursor.selectedText())
    return pieces


def test_a_citation_opens_marked_and_in_sight(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    assert panel.empty.isVisible()
    open_citation(panel, case, qtbot)
    assert panel.header.title.text() == "Letter of Oriel Nominees"
    assert panel.header.path.text() == "letters/Nominee letter.pdf"
    assert "2021-09-02" in panel.header.about.text()
    assert "A. Clerk" in panel.header.about.text()
    assert panel.header.page.text() == "page 2 of 3"
    quote = case.answer.citations[0].quote
    assert marked(panel.text, "cited") == [quote], "an emoji and CRLF before it do not shift the mark"
    drawn = [selection.cursor.selectedText() for selection in panel.text.extraSelections()]
    assert quote in drawn
    spot = panel.text.point_of(case.answer.citations[0].start)
    assert 0 <= spot.y() <= panel.text.viewport().height()


def test_text_is_displayed_as_it_is(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    open_citation(panel, case, qtbot)
    assert "<b>Yours faithfully</b>" in panel.text.toPlainText()
    panel.text.selectAll()
    panel.text.copy()
    assert QGuiApplication.clipboard().text() == "".join(LETTER)
    assert not QGuiApplication.clipboard().mimeData().hasHtml()


def test_a_passage_is_barred_and_its_best_sentence_marked(
    panel: ReaderPanel, case: Case, qtbot: QtBot
) -> None:
    evidence = case.answer.evidence[3]
    operations.select_passage(case.session, evidence.passage.id)
    qtbot.waitUntil(lambda: bool(panel.text.marks))
    assert marked(panel.text, "cited") == ["We hold the shares as nominee."]
    passage = next(mark for mark in panel.text.marks if mark.kind == "passage")
    assert (passage.start, passage.end) == (evidence.passage.start, evidence.passage.end)


def test_pages_are_turned_by_buttons_and_keys(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    operations.select_document(case.session, case.letter.id)
    qtbot.waitUntil(lambda: panel.opened is not None)
    assert panel.header.page.text() == "page 1 of 3" and panel.text.verticalScrollBar().value() == 0
    assert not panel.header.before.isEnabled()
    qtbot.mouseClick(panel.header.after, LEFT)
    assert panel.header.page.text() == "page 2 of 3"
    panel.text.setFocus()
    qtbot.keyClick(panel.text, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert panel.header.page.text() == "page 3 of 3"
    assert not panel.header.after.isEnabled()
    qtbot.keyClick(panel.text, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert panel.header.page.text() == "page 2 of 3"


def test_names_are_underlined_and_a_click_selects(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    open_citation(panel, case, qtbot)
    at = case.text(case.letter.id).index("Moselle Credit Bank")
    underlined = QTextCursor(panel.text.document())
    underlined.setPosition(panel.text.position_of(at + 2))
    assert underlined.charFormat().underlineStyle().name == "DotLine"
    panel.resize(600, 700)
    with qtbot.waitSignal(case.session.pointed_at) as news:
        hover(panel.text.viewport(), panel.text.point_of(at + 3).toPoint())
    assert news.args == [Selected("entity", stable_id("entity", "moselle credit bank"))]
    with qtbot.waitSignal(case.session.selection.changed):
        qtbot.mouseClick(panel.text.viewport(), LEFT, pos=panel.text.point_of(at + 3).toPoint())
    entity = stable_id("entity", "moselle credit bank")
    assert case.session.selection.current == Selected("entity", entity)
    assert marked(panel.text, "entity") == ["Moselle Credit Bank"]
    assert panel.header.title.text() == "Letter of Oriel Nominees", "the document stays open"


def test_enter_selects_the_name_at_the_caret(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    open_citation(panel, case, qtbot)
    cursor = panel.text.textCursor()
    cursor.setPosition(panel.text.position_of(case.text(case.letter.id).index("Tobias Renwick") + 1))
    panel.text.setTextCursor(cursor)
    qtbot.keyClick(panel.text, Qt.Key.Key_Return)
    assert case.session.selection.current == Selected("entity", stable_id("entity", "tobias renwick"))


def test_finding_walks_from_place_to_place(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    operations.select_document(case.session, case.letter.id)
    qtbot.waitUntil(lambda: panel.opened is not None)
    panel.text.setFocus()
    qtbot.keyClick(panel.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert panel.find_bar.field.hasFocus()
    qtbot.keyClicks(panel.find_bar.field, "RENWICK")
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "1 of 2")
    assert marked(panel.text, "found-here") == ["Renwick"]
    first = panel.text.marks[-1].start
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return)
    assert panel.find_bar.count.text() == "2 of 2"
    assert panel.text.marks[-1].start > first
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return)
    assert panel.find_bar.count.text() == "1 of 2", "after the last comes the first"
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert panel.find_bar.count.text() == "2 of 2"
    panel.find_bar.field.clear()
    qtbot.keyClicks(panel.find_bar.field, "Atlantis")
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "Not found")
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Escape)
    assert not panel.find_bar.isVisible()
    assert marked(panel.text, "found") == []
    assert panel.text.hasFocus()


def test_the_original_opens_only_by_a_press(
    panel: ReaderPanel, case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def remember(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", remember)
    file = case.folder / case.letter.path
    file.parent.mkdir(parents=True)
    file.write_text("letter", encoding="utf-8")
    open_citation(panel, case, qtbot)
    assert opened == []
    qtbot.mouseClick(panel.header.external, LEFT)
    assert opened == [str(file)]
    file.unlink()
    with qtbot.waitSignal(case.session.message_posted) as news:
        qtbot.mouseClick(panel.header.external, LEFT)
    message: Message = news.args[0]
    assert "letters/Nominee letter.pdf" in message.text and message.remedy


def test_a_document_that_is_gone_is_reported(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    with qtbot.waitSignal(case.session.message_posted) as news:
        operations.select_document(case.session, "gone")
    assert news.args is not None
    assert news.args[0].level == "error"


def test_another_theme_keeps_place_and_marks(
    panel: ReaderPanel, case: Case, qtbot: QtBot, qapp: QApplication
) -> None:
    open_citation(panel, case, qtbot)
    before = panel.text.verticalScrollBar().value()
    theme.apply(qapp, "dark")
    assert marked(panel.text, "cited") == [case.answer.citations[0].quote]
    assert len(panel.text.extraSelections()) == 1
    assert abs(panel.text.verticalScrollBar().value() - before) < 40
    assert panel.text.extraSelections()[0].format.background().color().name() == theme.DARK.mark


def put_long(case: Case, text: str) -> Document:
    """A document of one passage in the store."""
    document = replace(
        case.letter, id=stable_id("document", "long.txt"), path="long.txt", title="Long", pages=0
    )
    case.workspace._store.documents.put_read(document, text, (), ())
    return document


def test_megabytes_on_one_line_do_not_freeze_the_window(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    text = "x" * 2_000_000 + "Tobias Renwick paid." + "y" * 2_000_000
    document = put_long(case, text)
    before = time.thread_time()
    case.session.selection.select(Selected("citation", "", 2_000_000, 2_000_020, document.id))
    qtbot.waitUntil(lambda: bool(panel.text.marks), timeout=20_000)
    process_events()
    assert marked(panel.text, "cited") == ["Tobias Renwick paid."]
    assert len(panel.text.toPlainText()) < 2 * REACH + 200
    # Laid out as one line, Qt alone computes for seconds.
    assert time.thread_time() - before < 1.0


def test_more_of_a_long_document_comes_at_a_press(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    text = "".join(f"Line {at} of the long document.\n" for at in range(20_000))
    document = put_long(case, text)
    middle = text.index("Line 10000 ")
    case.session.selection.select(Selected("citation", "", middle, middle + 10, document.id))
    qtbot.waitUntil(lambda: bool(panel.text.marks))
    displayed = panel.text.text_window
    assert (displayed.start, displayed.end) == (middle - REACH, middle + 10 + REACH)
    assert panel.text.filling and not panel.later.isVisible()
    qtbot.waitUntil(lambda: not panel.text.filling)
    bar = panel.text.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert panel.later.isVisible()
    read = panel.text.toPlainText().splitlines()[-2]
    qtbot.mouseClick(panel.later, LEFT)
    assert panel.text.text_window.end == displayed.end + REACH
    assert not panel.later.isVisible()
    qtbot.waitUntil(lambda: not panel.text.filling)
    assert read in panel.text.toPlainText()
    assert bar.value() < bar.maximum(), "one stays where one was"
    bar.setValue(0)
    assert panel.earlier.isVisible()
    displayed = panel.text.text_window
    qtbot.mouseClick(panel.earlier, LEFT)
    assert panel.text.text_window.start == displayed.start - REACH


def test_a_long_text_comes_piece_by_piece_and_what_is_read_stays(
    panel: ReaderPanel, case: Case, qtbot: QtBot
) -> None:
    """Signs of two units, names across lines and pages come out as if all had been filled at once."""
    text = "".join(f"Line {at} \U0001f6a2 of the long document.\r\n" for at in range(4_000))
    middle = text.index("Line 2000 ")
    pages = tuple(Page(at + 1, at * 30_000, (at + 1) * 30_000) for at in range(4))
    names = tuple(Mention("e", "p", at, at + 40) for at in range(7, len(text) - 40, 90))
    opened = OpenDocument(DOCUMENT, text, pages, names)
    view, full = panel.text, ReaderText()
    qtbot.addWidget(full)
    panel._stack.setCurrentIndex(1)
    view.show_window(opened, window_around(opened, middle, middle), middle)
    view.reveal(middle)
    assert view.filling and len(view.toPlainText()) < 4 * PIECE
    visible = view.point_of(middle)
    assert 0 < visible.y() < view.viewport().height()
    with qtbot.waitSignal(view.filled):
        pass
    assert (view.point_of(middle) - visible).manhattanLength() <= 3
    full.resize(view.size())
    full.show_window(opened, view.text_window, view.text_window.start)
    qtbot.waitUntil(lambda: not full.filling)
    assert view.toHtml() == full.toHtml() and view.toPlainText() == view.text_window.text
    far = view.text_window.end - 10
    view.show_window(opened, view.text_window, middle)
    view.reveal(far)
    assert 0 <= view.point_of(far).y() <= view.viewport().height(), "a place that had not come yet"
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    displayed = view.text_window
    for _ in range(2):
        assert view.createMimeDataFromSelection().text() == text[displayed.start : displayed.end]
        qtbot.waitUntil(lambda: not view.filling)
    assert len(view.textCursor().selectedText()) == len(displayed.text)
    for key, place in ((Qt.Key.Key_Home, displayed.start), (Qt.Key.Key_End, displayed.end)):
        view.show_window(opened, displayed, middle)
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
        for _ in range(2):
            assert view._place_of(view.textCursor().position()) == place
            assert 0 <= view.point_of(place).y() <= view.viewport().height()
            qtbot.waitUntil(lambda: not view.filling)


def test_a_find_far_away_is_brought_in(panel: ReaderPanel, case: Case, qtbot: QtBot) -> None:
    document = put_long(case, "word " * 40_000 + "needle " + "word " * 40_000)
    operations.select_document(case.session, document.id)
    qtbot.waitUntil(lambda: panel.opened is not None)
    panel.find_bar.open_bar()
    qtbot.keyClicks(panel.find_bar.field, "needle")
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "1 of 1")
    assert marked(panel.text, "found-here") == ["needle"]


# ---------------------------------------------------------------- without a window


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "a\r\nb\rc\x0cd\u2029e\x00f",
        "\U0001f6a2 ship \U0001f6a2\U0001f6a2 end",
        "long " * LONG_LINE,
        "\U0001f6a2" * (3 * LONG_LINE),
        "lone \ud800 surrogate",
    ],
)
def test_places_survive_the_way_to_qt_and_back(text: str, qtbot: QtBot) -> None:
    """Against Qt itself: the character at each place is the one that Qt shows there."""
    opened = OpenDocument(DOCUMENT, text, (Page(1, 0, 3), Page(2, 3, len(text))))
    displayed = window(opened, 0, len(text))
    view = ReaderText()
    qtbot.addWidget(view)
    view.show_window(opened, displayed, 0)
    qtbot.waitUntil(lambda: not view.filling)
    for place in range(0, len(text), max(1, len(text) // 500)):
        position = displayed.to_qt(place)
        assert displayed.from_qt(position) == place
        if text[place].isalnum() or text[place] == "\U0001f6a2":
            cursor = QTextCursor(view.document())
            cursor.setPosition(position)
            cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
            assert cursor.selectedText() == text[place]


def test_the_shortest_name_that_covers_a_place_wins() -> None:
    mentions = (Mention("outer", "p", 0, 20), Mention("inner", "p", 5, 10), Mention("title", "p", 7, 7))
    opened = OpenDocument(DOCUMENT, "x" * 40, (), mentions)
    found = [opened.mention_at(place) for place in (0, 5, 9, 10, 20)]
    assert [mention.entity_id if mention else "" for mention in found] == [
        "outer",
        "inner",
        "inner",
        "outer",
        "",
    ]


def test_finding_spans_white_space_and_strides() -> None:
    context = TaskContext()
    text = "Tobias\n  renwick " + "x" * 99_978 + "Tobias Renwick" + " tobias  RENWICK"
    assert [
        text[start:end].split()[0].casefold() for start, end in find_all(text, "tobias renwick", context)
    ] == ["tobias"] * 3
    behind = "x" * (STRIDE + 5) + "Tobias Renwick"
    assert find_all(behind, "tobias renwick", context) == [(STRIDE + 5, len(behind))]
    assert find_all(text, "  ", context) == []
    assert find_all("a.c abc", "a.c", context) == [(0, 3)], "no sign has a meaning of its own"
    with pytest.raises(Cancelled):
        find_all(text, "tobias", TaskContext(cancelled=lambda: True))
