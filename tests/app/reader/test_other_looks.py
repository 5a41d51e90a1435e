"""Mail as mail, sheets as cells, slides as cards; and from one citation to the next."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.look import theme
from app.reader.document import numbers_of
from app.reader.panel import ReaderPanel
from app.reader.sheet_view import letters, sheets
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.copying import Form, copy, written
from core.types import Region
from core.types.kinds import stable_id
from tests.app.panel_case import Case, hover
from tests.app.pixels import colors_of
from tests.app.reader.conftest import Opening
from tests.app.reader.test_pages import cite
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton


# ---------------------------------------------------------------- mail


def visible_lines(reading: ReaderPanel) -> list[str]:
    line, found = reading.text.document().firstBlock(), []
    while line.isValid():
        if line.isVisible():
            found.append(line.text())
        line = line.next()
    return found


def test_mail_has_a_head_and_folds_what_it_quotes(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot
) -> None:
    open_document("mail.eml")
    assert reading.header.switch.buttons["look"].text() == "Mail"
    assert not reading.header.switch.buttons["both"].isVisible()
    lines = visible_lines(reading)
    assert any("Ida Holm" in line for line in lines) and any("sails tomorrow" in line for line in lines)
    assert not any("Line 9 of" in line for line in lines), "quoted words are folded"
    reading.text.setFocus()
    qtbot.keyClick(reading.text, Qt.Key.Key_F7)
    assert any("Line 9 of" in line for line in visible_lines(reading))
    qtbot.keyClick(reading.text, Qt.Key.Key_F7)
    assert not any("Line 9 of" in line for line in visible_lines(reading))


def test_a_citation_in_quoted_words_unfolds_them(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    document = open_document("mail.eml")
    start, _ = cite(session, document, "Line 9 of what was written before")
    qtbot.waitUntil(lambda: bool(reading.text.marks))
    process_events()
    assert any("Line 9 of" in line for line in visible_lines(reading))
    assert 0 <= reading.text.point_of(start).y() <= reading.text.viewport().height()


def test_all_of_a_mail_is_copied_as_it_is(reading: ReaderPanel, open_document: Opening, qtbot: QtBot) -> None:
    open_document("mail.eml")
    reading.text.selectAll()
    assert reading.opened is not None
    assert reading.text.marked_words() == (0, reading.opened.text)


# ---------------------------------------------------------------- slides


def test_each_slide_is_a_card(reading: ReaderPanel, open_document: Opening, qtbot: QtBot) -> None:
    open_document("talk.pptx")
    assert reading.opened is not None
    cards = [reading.text.box_of(page.start, page.end) for page in reading.opened.pages]
    assert all(card is not None for card in cards)
    first, second = cards
    assert first is not None and second is not None and second.top() - first.bottom() >= 60
    color = colors_of(reading.text.viewport())
    middle = int(first.center().y())
    assert color(int(first.right()) - 6, middle) == theme.current().color("raised"), "on a card"
    qtbot.mouseClick(reading.header.switch.buttons["text"], LEFT)
    process_events()
    assert colors_of(reading.text.viewport())(int(first.right()) - 6, middle) != theme.current().color(
        "raised"
    )


# ---------------------------------------------------------------- sheets


def test_a_sheet_is_cells_with_the_cited_one_marked(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    document = open_document("ledger.xlsx")
    sheet = reading.side.sheet
    assert sheet.isVisible() and reading.header.switch.buttons["look"].text() == "Sheet"
    assert [sheet.tabs.tabText(at) for at in range(sheet.tabs.count())] == ["Payments", "Notes"]
    assert sheet.model.sheet.columns == ("Payer", "Ship", "Amount")
    assert sheet.model.headerData(0, Qt.Orientation.Vertical) == "2", "as the file numbers its rows"
    cite(session, document, "1070")
    qtbot.waitUntil(lambda: sheet.grid.currentIndex().data() == "1070")
    cell = sheet.grid.visualRect(sheet.grid.currentIndex())
    assert sheet.grid.viewport().rect().contains(cell.center())
    mark = theme.current().color("mark")
    qtbot.waitUntil(lambda: colors_of(sheet.grid.viewport())(cell.left() + 6, cell.center().y()) == mark)
    hover(sheet.grid.viewport(), cell.center())  # the pointer takes the mark from no cell
    process_events()
    assert colors_of(sheet.grid.viewport())(cell.left() + 6, cell.center().y()) == mark
    cite(session, document, "Paid twice")
    qtbot.waitUntil(
        lambda: sheet.tabs.currentIndex() == 1 and sheet.grid.currentIndex().data() == "Paid twice"
    )


def test_a_cell_with_a_name_is_clicked_or_entered(
    reading: ReaderPanel, open_document: Opening, session: Session, qtbot: QtBot
) -> None:
    open_document("ledger.xlsx")
    grid = reading.side.sheet.grid
    named = next(row for row in range(9) if reading.side.sheet.model.mention(row, 1) is not None)
    index = grid.model().index(named, 1)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=grid.visualRect(index).center())
    petrel = Selected("entity", stable_id("entity", "grey petrel"))
    assert session.selection.current == petrel
    session.selection.clear()
    QTest.keyClick(grid, Qt.Key.Key_Return)
    assert session.selection.current == petrel


def test_cells_are_copied_with_their_headings(
    reading: ReaderPanel, open_document: Opening, qtbot: QtBot
) -> None:
    open_document("ledger.xlsx")
    grid = reading.side.sheet.grid
    grid.setCurrentIndex(grid.model().index(0, 0))
    assert copy(grid, Form.CSV)
    assert written(grid.rows_to_copy(), Form.CSV) == "Payer,Ship,Amount\nPayer 1,Grey Petrel,1001"


def test_finding_goes_from_cell_to_cell(reading: ReaderPanel, open_document: Opening, qtbot: QtBot) -> None:
    open_document("ledger.xlsx")
    reading.find_bar.open_bar()
    qtbot.keyClicks(reading.find_bar.field, "payer 4")
    qtbot.waitUntil(lambda: reading.find_bar.count.text() == "1 of 11")
    assert reading.side.sheet.grid.currentIndex().data() == "Payer 4"


def test_cells_by_their_names() -> None:
    found = sheets(
        (), [Region(0, 50, "S"), Region(3, 5, "S!AB7"), Region(9, 12, "S!A2"), Region(0, 1, "odd!")]
    )
    assert len(found) == 1
    assert found[0].rows == (2, 7) and len(found[0].columns) == 28 and found[0].columns[27] == "AB"
    assert found[0].cells == {(1, 27): (3, 5), (0, 0): (9, 12)}
    assert found[0].cell_at(10) == (0, 0) and found[0].cell_at(99) is None
    assert [letters(column) for column in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


@pytest.mark.parametrize(
    ("ranges", "numbers"), [("1-3, 7", {1, 2, 3, 7}), ("", set()), ("5", {5}), ("x, 9-8, 99999999", set())]
)
def test_numbers_of_recognised_pages(ranges: str, numbers: set[int]) -> None:
    assert numbers_of(ranges) == numbers


# ---------------------------------------------------------------- citations


def test_from_citation_to_citation(case: Case, qtbot: QtBot) -> None:
    panel = ReaderPanel(case.session)
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    with qtbot.waitExposed(panel):
        panel.show()
    case.session.commands.bind(panel)
    assert not panel.citations.isVisible()
    assert case.session.commands["reader.citation-after"].why_not()
    case.session.answer = case.answer
    case.session.answered.emit(case.answer)
    case.session.selection.select(Selected("document", case.letter.id))
    qtbot.waitUntil(lambda: panel.opened is not None)
    assert panel.citations.isVisible() and panel.citations.place.text() == ""
    panel.text.setFocus()
    for wanted in (1, 2, 3, 1):
        qtbot.keyClick(panel.text, Qt.Key.Key_F4)
        assert panel.citations.place.text() == f"{wanted} of 3"
        assert panel.citations.place.accessibleName() == f"citation {wanted} of 3"
    qtbot.mouseClick(panel.citations.before, LEFT)
    qtbot.waitUntil(lambda: panel.opened is not None and panel.opened.document.title == "Charter party")
    assert panel.citations.place.text() == "3 of 3"
