"""Marks lie where Python says, whatever Qt counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QFont, QTextCursor
from pytestqt.qtbot import QtBot

from app import theme
from app.widgets.marked_text import MarkedText

TEXTS = st.text(st.sampled_from("ab \n\té€한🚢🧵𝒳"), max_size=60)


@pytest.fixture
def view(qtbot: QtBot) -> MarkedText:
    widget = MarkedText()
    qtbot.addWidget(widget)
    widget.resize(300, 120)
    widget.show()
    return widget


def test_marks_after_emoji(view: MarkedText) -> None:
    text = "🚢🚢 The MV Halden 🧵 left 𝒳 Gdansk."
    view.set_text(text)
    start = text.index("Halden")
    view.mark([(start, start + 6)], "entity")
    view.mark([(text.index("left"), len(text)), (0, 2)], "citation")
    assert view.marked("entity") == ["Halden"]
    assert view.marked("citation") == ["left 𝒳 Gdansk.", "🚢🚢"]


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, data=st.data())
def test_offsets_round_trip(text: str, data: st.DataObject) -> None:
    view = MarkedText()
    view.set_text(text)
    at = data.draw(st.integers(0, len(text)))
    wide = len(text[:at].encode("utf-16-le")) // 2
    assert view.to_utf16(at) == wide
    assert view.from_utf16(wide) == at
    end = data.draw(st.integers(at, len(text)))
    view.mark([(at, end)], "citation")
    assert view.marked("citation") == ([text[at:end]] if end > at else [])
    view.deleteLater()


def test_windows_line_ends_keep_offsets(view: MarkedText) -> None:
    text = "one\r\ntwo\rthree\u2028four\x0cfive"
    view.set_text(text)
    for word in ("two", "three", "four", "five"):
        start = text.index(word)
        view.mark([(start, start + len(word))], "citation")
        assert view.marked("citation") == [word]


def test_markup_is_text(view: MarkedText) -> None:
    view.set_text("<b>not bold</b> <img src='file:///x.png'>")
    assert view.toPlainText() == "<b>not bold</b> <img src='file:///x.png'>"


def test_kinds_look_different_and_marks_are_replaced(view: MarkedText) -> None:
    view.set_text("one two three")
    view.mark([(0, 3)], "citation")
    view.mark([(4, 7)], "entity")
    soft, strong = view.extraSelections()
    assert strong.format.background().color().name() == theme.LIGHT.mark  # type: ignore[attr-defined]
    assert strong.format.fontWeight() == QFont.Weight.DemiBold  # type: ignore[attr-defined]
    assert soft.format.underlineStyle() != 0 and soft.format.background().style().value == 0  # type: ignore[attr-defined]
    view.mark([(8, 13)], "citation")
    assert view.marked("citation") == ["three"] and view.marked("entity") == ["two"]
    view.set_text("other")
    assert view.extraSelections() == []


def test_scroll_to_brings_into_view(view: MarkedText) -> None:
    text = "🚢 line\n" * 300 + "the place"
    view.set_text(text)
    view.scroll_to(text.index("the place"))
    cursor = QTextCursor(view.document())
    cursor.setPosition(view.to_utf16(text.index("the place")))
    assert view.rect().contains(view.cursorRect(cursor).center())


def test_ranges_beyond_the_end_are_clipped(view: MarkedText) -> None:
    view.set_text("short")
    view.mark([(3, 99), (50, 60)], "citation")
    assert view.marked("citation") == ["rt", ""]


def test_selection_in_code_points(view: MarkedText) -> None:
    view.set_text("🚢🚢abc")
    cursor = QTextCursor(view.document())
    cursor.setPosition(4)
    cursor.setPosition(6, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.selected_range() == (2, 4)
    assert view.isReadOnly()
