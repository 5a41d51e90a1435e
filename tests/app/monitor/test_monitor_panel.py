"""The monitor over a real workspace: bars and their table, names judged by keys, what changed, and what to do first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme
from app.monitor.panel import DRIFT, LINKS, QUESTIONS, MonitorPanel
from app.monitor.plot import _ROUTES, paint_route
from app.monitor.words import accuracy_words, drift_advice, drift_words
from app.session import operations
from app.session.session import Message
from app.widgets.copying import Form, copy
from core.types import AskedQuestion, Drift, GraphUpdate, LinkedMention, LinkingSample
from tests.app.panel_case import QUESTION, Case, exposed
from tests.waiting import process_events

ASKED = AskedQuestion("2026-09-03T10:00:00+00:00", "graph", False, False, "answer", 0.6, 1.5, 700, 3, 2)
ROWS = (
    ASKED,
    replace(ASKED, route="dense", seconds=0.5),
    replace(ASKED, made="2026-09-10T10:00:00+00:00", kind="refusal", route="none", documents=0),
    replace(ASKED, made="2026-09-11T10:00:00+00:00", kind="guess"),
)


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> MonitorPanel:
    found = exposed(MonitorPanel(case.session), qtbot, 1100, 520)
    found.set_in_front(True)
    settle(found, qtbot)
    return found


def settle(panel: MonitorPanel, qtbot: QtBot) -> None:
    def quiet() -> bool:
        return not (panel._tasks.busy("read") or panel.links._tasks.busy("sample"))

    qtbot.waitUntil(quiet)
    process_events()


def keep(panel: MonitorPanel, case: Case, qtbot: QtBot, rows: Sequence[AskedQuestion] = ROWS) -> None:
    case.workspace._store.monitoring.put(rows)
    case.session.noted.emit()
    settle(panel, qtbot)


def cells(panel: MonitorPanel, column: int) -> list[str]:
    model = panel.questions.table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


# ------------------------------------------------------------ questions


def test_it_says_what_to_do_first(panel: MonitorPanel, case: Case) -> None:
    assert panel.view == QUESTIONS and panel.questions.empty.isVisible()
    assert "Ask a question" in panel.questions.empty._line.text()
    assert case.session.commands["monitor.forget"].why_not() == "Nothing is kept of questions."


def test_an_asked_question_comes_by_itself(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    with qtbot.waitSignal(case.session.noted):
        operations.ask(case.session, QUESTION)
    settle(panel, qtbot)
    assert [bucket.count for bucket in panel.questions.plot.buckets] == [1]
    assert panel.questions.sums.text().startswith("1 question since") and panel.questions.plot.isVisible()


def test_judged_explanations_are_counted(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    label = panel.questions.explanations
    assert not label.isVisible()
    first, second, *_ = case.answer.evidence
    for evidence, verdict in ((first, "yes"), (second, "no")):
        case.workspace.answers.judge_explanation(case.answer, evidence, verdict)
    keep(panel, case, qtbot, ())
    assert label.isVisible() and label.text().startswith(
        "50 % of 2 judged explanations support their answers"
    )
    for evidence in (first, second):
        case.workspace.answers.judge_explanation(case.answer, evidence, "")
    keep(panel, case, qtbot, ())
    assert not label.isVisible()


def test_bars_table_and_legend_say_the_same(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    keep(panel, case, qtbot)
    assert cells(panel, 0) == ["11 September 2026", "10 September 2026", "3 September 2026"]
    assert cells(panel, 2) == ["Graph 100 %", "Nothing about it 100 %", "Dense 50 %, Graph 50 %"]
    assert "25 % not told" in panel.questions.sums.text() and "25 % guesses" in panel.questions.sums.text()
    panel.by.setCurrentIndex(1)
    panel.by.activated.emit(1)
    settle(panel, qtbot)
    assert cells(panel, 0) == ["7 September 2026", "31 August 2026"], "weeks begin on Monday"


def test_bars_are_walked_by_keys_with_the_table(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    keep(panel, case, qtbot)
    plot, table = panel.questions.plot, panel.questions.table
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert plot._bars.chosen == 0 and table.currentIndex().row() == 2, "the oldest is below"
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert table.currentIndex().row() == 1
    table.selectRow(0)
    assert plot._bars.chosen == 2
    parts = plot._parts()
    assert parts[2].chosen and parts[0].name == "3 September 2026"
    assert parts[0].words == "3 September 2026: 2 questions, Dense 50 %, Graph 50 %"
    assert plot.rect().contains(parts[0].rect) and parts[0].rect.right() < parts[1].rect.left()
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=parts[1].rect.center())
    assert plot._bars.chosen == 1


@pytest.mark.parametrize("look", ["light", "dark", "contrast"])
def test_routes_differ_without_colour(look: theme.Mode) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, look)
    seen = set()
    for route in (*_ROUTES[:8], "lab:mine"):
        picture = QImage(24, 24, QImage.Format.Format_ARGB32)
        painter = QPainter(picture)
        paint_route(painter, QRectF(0, 0, 24, 24), route)
        painter.end()
        corner = picture.pixel(0, 0)
        shape = tuple(picture.pixel(x, y) == corner for x in range(24) for y in range(24))
        seen.add(min(shape, tuple(not each for each in shape)))
    theme.apply(app, "light")
    assert len(seen) >= 8, "eight patterns before any comes again"


def test_what_is_kept_is_turned_off_forgotten_and_kept_again(
    panel: MonitorPanel, case: Case, qtbot: QtBot
) -> None:
    keep(panel, case, qtbot)
    assert panel.keep.isChecked()
    qtbot.mouseClick(panel.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not case.workspace.monitoring.keeps)
    settle(panel, qtbot)
    assert not panel.keep.isChecked()
    told: list[Message] = []
    case.session.told.connect(told.append)
    panel.forget()
    qtbot.waitUntil(lambda: told != [])
    settle(panel, qtbot)
    assert panel.questions.empty.isVisible() and told[-1].text == "4 questions forgotten."
    assert "Turn it on" in panel.questions.empty._line.text()
    act = told[-1].act
    assert act is not None
    act()
    qtbot.waitUntil(lambda: bool(panel.questions.plot.buckets))
    assert len(case.workspace._store.monitoring.questions()) == 4


def test_one_way_for_all_is_told_with_what_to_do(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    keep(panel, case, qtbot)
    assert not panel.questions.warning.isVisible()
    keep(panel, case, qtbot, [ASKED] * 30)
    assert panel.questions.warning.isVisible() and "lab" in panel.questions.warning.text()


def test_tables_are_copied(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    keep(panel, case, qtbot)
    copy(panel.questions.table, Form.CSV)
    assert "11 September 2026,1,Graph 100 %" in QGuiApplication.clipboard().text()
    panel.turn_to(LINKS)
    copy(panel.links.list, Form.TEXT)
    assert "Tobias Renwick" in QGuiApplication.clipboard().text()


# ------------------------------------------------------------ names


@pytest.fixture
def links(panel: MonitorPanel, qtbot: QtBot) -> MonitorPanel:
    panel.turn_to(LINKS)
    qtbot.waitUntil(lambda: bool(panel.links.sample.mentions))
    panel.links.list.setFocus()
    return panel


def verdicts(panel: MonitorPanel) -> list[str]:
    return [mention.verdict for mention in panel.links.sample.mentions]


def counted(panel: MonitorPanel) -> tuple[int, int]:
    return panel.links.sample.right, panel.links.sample.wrong


def test_names_are_judged_by_keys_and_taken_back(links: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    view = links.links
    total = len(view.sample.mentions)
    assert total >= 4 and view.list.currentIndex().row() == 0 and "None is judged yet" in view.sums.text()
    case.session.commands.run("monitor.right")
    case.session.commands.run("monitor.wrong")
    assert verdicts(links)[:3] == ["right", "wrong", ""] and view.list.currentIndex().row() == 2
    qtbot.waitUntil(lambda: counted(links) == (1, 1))
    assert view.sums.text() == "50 % right of 2 judged links, between 9 % and 91 % with 95 % confidence"
    case.session.commands.run("monitor.undo")
    assert verdicts(links)[:2] == ["right", ""] and view.list.currentIndex().row() == 1
    qtbot.waitUntil(lambda: counted(links) == (1, 0))
    view.read()
    settle(links, qtbot)
    assert verdicts(links)[:2] == ["right", ""], "as it is kept"
    keys = {id: case.session.commands.keys(f"monitor.{id}") for id in ("right", "wrong", "undo")}
    assert keys == {"right": "Y", "wrong": "N", "undo": "U"}


def test_a_name_is_shown_where_it_stands(links: MonitorPanel, case: Case) -> None:
    view = links.links
    view._go_to(1)
    mention = view.sample.mentions[1]
    selected = case.session.selection.current
    assert selected is not None and (selected.start, selected.end) == mention.place
    start, end = mention.place
    assert case.text(mention.document_id)[start:end] == mention.sentence[slice(*mention.mark)]
    view._show_entity()
    selected = case.session.selection.current
    assert selected is not None and selected.id == mention.entity_id


def test_others_are_drawn(links: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    before = [mention.place for mention in links.links.sample.mentions]
    links.links.draw_others()
    settle(links, qtbot)
    after = [mention.place for mention in links.links.sample.mentions]
    assert sorted(before) == sorted(after) and before != after, "there are few names: all, in another order"


def test_where_nothing_may_be_written_nobody_judges(
    links: MonitorPanel, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(case.session), "shut", "The workspace is read-only.")
    case.session.blocked_changed.emit()
    assert not links.links.right.isEnabled() and not links.keep.isEnabled()
    assert case.session.commands["monitor.right"].why_not() == "The workspace is read-only."


def test_a_row_tells_all_to_who_hears_it(links: MonitorPanel) -> None:
    view = links.links
    said = view.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    mention = view.sample.mentions[0]
    assert mention.sentence.strip() in said and mention.entity in said and "not judged" in said
    assert view.list.accessibleName() and links.questions.plot.accessibleName()
    assert links.questions.table.accessibleName() and links.drift.table.accessibleName()


# ------------------------------------------------------------ what changed


def test_drift_is_told_with_what_to_do(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    panel.turn_to(DRIFT)
    assert "was not kept then" in panel.drift.words.text() and not panel.drift.advice.isVisible()
    rows = case.workspace._store.monitoring
    rows.note_update(20, 20, True)
    case.workspace._store.documents.remove([case.letter.id])
    rows.note_update(1, 20, False)
    panel.refresh()
    settle(panel, qtbot)
    assert "0 came, 0 changed, 1 went" in panel.drift.words.text() and panel.drift.advice.isVisible()
    model = panel.drift.table.model()
    assert [model.index(row, 3).data() for row in range(2)] == [
        "only what changed moved",
        "\u25c6 communities and map made anew",
    ]


def test_a_closed_workspace_leaves_nothing_behind(panel: MonitorPanel, case: Case, qtbot: QtBot) -> None:
    keep(panel, case, qtbot)
    case.session.close_workspace()
    assert panel.questions.plot.buckets == () and panel.links.sample.mentions == ()
    assert panel.questions.empty.isVisible()


def test_words() -> None:
    update = GraphUpdate("2026-09-03T10:00:00+00:00", 1, 50, False)
    small = Drift(0.1, 20, 1, 0, 0, 1, 50, True, (update,))
    assert drift_advice(small) == "" and "5 % of the documents" in drift_words(small)
    assert "made anew" in drift_words(replace(small, known=False))
    mention = LinkedMention(
        "p", "d", "a.txt", 0, (0, 3), "Ada came.", (0, 3), "e", "Ada Holm", "PERSON", ("Ada",)
    )
    sample = LinkingSample(1, (mention,), 9, 1, 0.596, 0.982)
    assert (
        accuracy_words(sample) == "90 % right of 10 judged links, between 60 % and 98 % with 95 % confidence"
    )
