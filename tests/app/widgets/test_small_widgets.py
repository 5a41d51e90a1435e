"""Message bar, progress strip, elided label, empty state, heat bar."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.graph.canvas.controls import HeatBar
from app.look import theme
from app.shell import message_bar
from app.shell.message_bar import MessageBar
from app.widgets.elided_label import ElidedLabel
from app.widgets.notices import EmptyState
from tests.app.pixels import colors_of


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageBar]:
    host = QWidget()
    qtbot.addWidget(host)
    widget = MessageBar(host)
    host.resize(600, 80)
    host.show()
    yield widget  # the host must live as long


def test_news_goes_by_itself(bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_bar, "INFO_MS", 50)
    bar.info("Done.")
    assert bar.isVisible() and bar.text() == "Done."
    qtbot.waitUntil(lambda: not bar.isVisible())


def test_errors_stay_and_are_not_pushed_away(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "INFO_MS", 1)
    bar.info("Something.")
    bar.error("The folder is gone.", "Choose another.")
    bar.info("News.")
    later = QTimer(bar, interval=20, singleShot=True)
    with qtbot.waitSignal(later.timeout):  # news would be gone by then
        later.start()
    assert bar.isVisible() and bar.text() == "The folder is gone. Choose another."
    assert bar.accessibleName().startswith("Error")
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    bar.info("News.")
    assert bar.text() == "News."


def test_the_remedy_is_a_button(bar: MessageBar, qtbot: QtBot) -> None:
    done: list[str] = []
    bar.error("No.", "Try.", "Try again", lambda: done.append("again"))
    button = next(child for child in bar.findChildren(QPushButton) if child.text() == "Try again")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["again"] and not bar.isVisible()


def test_messages_are_plain_text(bar: MessageBar) -> None:
    bar.error("<a href='x'>no link</a>")
    assert all(
        label.textFormat() == Qt.TextFormat.PlainText for label in bar.findChildren(QLabel) if label.text()
    )


def test_paths_are_shortened_in_the_middle(qtbot: QtBot) -> None:
    label = ElidedLabel("/a/very/long/path/with/<b>markup</b>/in/it/report-2021.pdf")
    qtbot.addWidget(label)
    label.resize(180, 20)
    label.show()
    assert label.visible_text().startswith("/a/") and label.visible_text().endswith("2021.pdf")
    assert "…" in label.visible_text()
    assert "&lt;b&gt;" in label.toolTip(), "a name cannot become markup"
    label.resize(900, 20)
    assert label.visible_text() == label.text() and label.toolTip() == ""


def test_what_an_empty_state_says_is_plain_text(qtbot: QtBot) -> None:
    page = EmptyState("folder-open", "Nothing is open", "Choose a folder.")
    qtbot.addWidget(page)
    page.resize(400, 300)
    page.show()
    page.set_text("<i>Other</i>")
    assert any(label.text() == "<i>Other</i>" for label in page.findChildren(QLabel))
    assert all(
        label.textFormat() == Qt.TextFormat.PlainText for label in page.findChildren(QLabel) if label.text()
    )


def test_heat_bar_numbers_and_colours(qtbot: QtBot) -> None:
    bar = HeatBar()
    qtbot.addWidget(bar)
    bar.resize(bar.sizeHint())
    bar.set_range(0.001, 0.1, "PageRank")
    assert "0.0010" in bar.accessibleName() and "0.10" in bar.accessibleName()
    color = colors_of(bar)
    left, right = color(18, 31), color(bar.width() - 18, 31)
    for visible, value in ((left, 0.0), (right, 1.0)):
        wanted = theme.LIGHT.heat_color(value)
        assert abs(visible.lightness() - wanted.lightness()) < 25


@pytest.mark.parametrize("kind", ["", "fact", "small"])
def test_a_shortened_text_ends_with_its_dots_at_every_size(
    qtbot: QtBot, qapp: QApplication, kind: str
) -> None:
    label = ElidedLabel(
        "Brandvold Lines suspended its director on 14 September 2021, and more", kind, end=True
    )
    qtbot.addWidget(label)
    label.setFixedWidth(240)
    label.show()
    room = 240 - (8 if kind == "fact" else 0)  # its line and the room beside it, of the style sheet
    for percent in (100, 200):
        theme.apply(qapp, "light", percent)
        qtbot.waitUntil(lambda: label.fontMetrics().horizontalAdvance(label.visible_text()) <= room)
        assert label.visible_text().endswith("…")
