"""Facts decided by the keyboard alone: the next one is there at once, what is written follows, all can be undone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.review.panel import ReviewPanel
from app.review.queue_model import PAGE, marked_words, read_page
from app.session import operations
from app.session.session import Message, Session
from app.session.tasks import KEEPING
from core.errors import WorkspaceError
from core.progress import TaskContext
from core.types import FactFilter
from core.workspace import Workspace
from core.workspace.review import ReviewApi
from tests.app.review.conftest import press

CTRL = Qt.KeyboardModifier.ControlModifier


def opened(session: Session) -> Workspace:
    assert session.workspace is not None
    return session.workspace


def current(desk: ReviewPanel) -> str:
    now = desk.queue.current()
    return now.id if now is not None else ""


def listed(desk: ReviewPanel) -> list[str]:
    model = desk.queue.model
    return [model.row(at).id for at in range(model.rowCount())]


def state(session: Session, fact_id: str) -> str:
    return opened(session).review.fact(fact_id).state


def written(qtbot: QtBot, desk: ReviewPanel) -> None:
    qtbot.waitUntil(lambda: not desk.queue.decider.pending, timeout=20_000)


def test_one_key_decides_and_the_next_is_there(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids = listed(desk)
    assert len(ids) > 5 and current(desk) == ids[0]
    press(qtbot, desk, "a")
    assert current(desk) == ids[1] and listed(desk) == ids[1:]
    press(qtbot, desk, "r")
    assert current(desk) == ids[2]
    assert desk.queue.list.hasFocus()
    written(qtbot, desk)
    assert [state(session, id) for id in ids[:3]] == ["approved", "rejected", "open"]
    assert ids[1] not in {fact.id for fact in all_facts(session)} and ids[0] in {
        fact.id for fact in all_facts(session)
    }


def all_facts(session: Session) -> list:  # type: ignore[type-arg]
    workspace = opened(session)
    return [
        fact for entity in workspace.graph.entities(100) for fact in workspace.graph.facts_of(entity.id, 100)
    ]


def test_next_before_and_skip(qtbot: QtBot, desk: ReviewPanel) -> None:
    ids = listed(desk)
    press(qtbot, desk, "jj")
    assert current(desk) == ids[2]
    press(qtbot, desk, "k")
    qtbot.keyClick(desk.queue.list, Qt.Key.Key_Down)
    assert current(desk) == ids[2]
    press(qtbot, desk, "s")
    assert current(desk) == ids[3] and listed(desk)[-1] == ids[2]


def test_undo_and_redo(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids = listed(desk)
    press(qtbot, desk, "ara")
    press(qtbot, desk, "uu")
    assert current(desk) == ids[1] and listed(desk)[:2] == ids[1:3]
    written(qtbot, desk)
    assert [state(session, id) for id in ids[:3]] == ["approved", "open", "open"]
    press(qtbot, desk, "U")
    assert current(desk) == ids[2]
    written(qtbot, desk)
    assert [state(session, id) for id in ids[:3]] == ["approved", "rejected", "open"]


def test_what_was_decided_before_can_be_undone(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids = listed(desk)
    opened(session).review.decide([ids[2]], "rejected")  # as in an earlier session
    qtbot.waitUntil(lambda: ids[2] not in listed(desk))
    press(qtbot, desk, "u")
    qtbot.waitUntil(lambda: current(desk) == ids[2])
    press(qtbot, desk, "U")
    qtbot.waitUntil(lambda: ids[2] not in listed(desk))
    assert state(session, ids[2]) == "rejected"


def test_what_cannot_be_written_comes_back(
    qtbot: QtBot, desk: ReviewPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Message] = []
    session.message_posted.connect(said.append)
    ids = listed(desk)

    def refuse(*_: object) -> str:
        raise WorkspaceError("The disk is full.", "Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(ReviewApi, "decide", refuse)
        press(qtbot, desk, "a")
        assert current(desk) == ids[1]
        qtbot.waitUntil(lambda: bool(said))
    assert current(desk) == ids[0] and listed(desk) == ids
    assert (said[0].text, said[0].remedy) == ("The disk is full.", "Make room.")
    press(qtbot, desk, "ru")  # what was refused is not what is undone
    written(qtbot, desk)
    assert state(session, ids[0]) == "open" and current(desk) == ids[0]


def test_all_that_match_after_a_preview(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids, queue = listed(desk), desk.queue
    qtbot.keyClick(queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, desk, "a")
    qtbot.waitUntil(lambda: queue.side.currentWidget() is queue.bulk)
    assert queue.bulk.question.text() == f"Approve {len(ids)} facts?"
    assert queue.bulk.which.model().rowCount() == len(ids) and not queue.bulk.more.isVisible()
    qtbot.keyClick(queue.bulk.decide, Qt.Key.Key_Escape)
    assert queue.list.hasFocus() and set(listed(desk)) == set(ids)
    qtbot.keyClick(queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, desk, "r")
    qtbot.waitUntil(lambda: queue.side.currentWidget() is queue.bulk)
    qtbot.keyClick(queue.bulk.decide, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: queue.model.rowCount() == 0)
    assert {state(session, id) for id in ids} == {"rejected"}
    assert queue.side.currentWidget() is queue.empty and queue.list.hasFocus()
    press(qtbot, desk, "u")
    qtbot.waitUntil(lambda: set(listed(desk)) == set(ids))


def test_filters(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    queue, ids = desk.queue, listed(desk)
    press(qtbot, desk, "a")
    written(qtbot, desk)
    qtbot.mouseClick(queue.filters.states["approved"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: listed(desk) == ids[:1])
    qtbot.mouseClick(queue.filters.states[""], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: set(listed(desk)) == set(ids))
    queue.list.setFocus()
    qtbot.keyClick(queue.list, Qt.Key.Key_F, CTRL)
    assert queue.filters.words.hasFocus()
    qtbot.keyClicks(queue.filters.words, "renwick")  # letters that mean something in the list
    assert queue.filters.words.text() == "renwick"
    expected = {c.fact.id for c in opened(session).review.queue(FactFilter("", words="renwick"))}
    qtbot.waitUntil(lambda: set(listed(desk)) == expected)
    assert 0 < len(expected) < len(ids)
    now = queue.current()
    assert now is not None and now.passage is not None
    queue.filters.more.click()
    qtbot.waitUntil(lambda: bool(_menus(desk)))
    menu = _menus(desk)[0]
    next(action for action in menu.actions() if action.text().startswith("in ")).trigger()
    menu.close()
    assert len(queue.filters.chips) == 1
    both = FactFilter("", document_id=now.passage.document_id, words="renwick")
    qtbot.waitUntil(lambda: set(listed(desk)) == {c.fact.id for c in opened(session).review.queue(both)})
    qtbot.mouseClick(queue.filters.chips[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: set(listed(desk)) == expected)


def test_the_numbers_of_the_filter_are_those_of_the_list(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    queue = desk.queue
    press(qtbot, desk, "a")
    written(qtbot, desk)
    queue.filters.words.setText("renwick")
    wanted = FactFilter(words="renwick")
    number = opened(session).review.count(wanted)
    qtbot.waitUntil(lambda: queue.filters.states["open"].text().endswith(f" {number}"))
    qtbot.waitUntil(lambda: len(listed(desk)) == number)
    press(qtbot, desk, "r")
    assert queue.filters.states["open"].text().endswith(f" {number - 1}")


def _menus(desk: ReviewPanel) -> list[QMenu]:
    return desk.queue.filters.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)


def test_the_reader_opens_at_the_sentence_and_the_keyboard_stays(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    assert session.selection.current is None, "opening a workspace selects nothing"
    press(qtbot, desk, "j")
    now = desk.queue.current()
    assert now is not None
    qtbot.waitUntil(lambda: session.selection.current == now.place)
    assert now.place is not None and desk.queue.list.hasFocus()
    text = opened(session).documents.text(now.place.document_id)
    assert " ".join(text[now.place.start : now.place.end].split()) == now.sentence


def test_a_row_and_its_card_say_what_is_known(desk: ReviewPanel, session: Session) -> None:
    queue = desk.queue
    now = queue.current()
    assert now is not None
    fact = now.candidate.fact
    spoken = str(queue.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert all(words in spoken for words in (fact.subject, fact.object, "waiting", "the rules", now.sentence))
    assert [now.sentence[a:b] for a, b in marked_words(now)]
    assert now.sentence in " ".join(queue.card.text.marked().split())
    assert queue.card.subject_known.text().startswith("known") or queue.card.subject_known.text() == "new"
    queue.card.subject.click()
    assert session.selection.current is not None
    assert session.selection.current.id == fact.subject_id


def test_decisions_beyond_a_page_are_all_written(
    qtbot: QtBot, busy_desk: ReviewPanel, session: Session
) -> None:
    model, decided = busy_desk.queue.model, []
    assert model.rowCount() == PAGE
    for number in range(PAGE + 10):
        if not current(busy_desk):  # the next page is on its way
            qtbot.waitUntil(lambda: bool(current(busy_desk)))
        decided.append(current(busy_desk))
        press(qtbot, busy_desk, "ar"[number % 2])
    written(qtbot, busy_desk)
    assert len(set(decided)) == PAGE + 10
    for at, verdict in enumerate(("approved", "rejected")):
        assert {state(session, id) for id in decided[at::2]} == {verdict}
    left = {row.id for row in read_page(opened(session), FactFilter(), 2_000)}
    assert set(listed(busy_desk)) <= left and not left & set(decided)


def test_pages_come_as_one_scrolls(qtbot: QtBot, busy_desk: ReviewPanel, session: Session) -> None:
    model, view = busy_desk.queue.model, busy_desk.queue.list
    before = model.rowCount()
    assert before == PAGE
    view.scrollToBottom()
    qtbot.waitUntil(lambda: model.rowCount() >= 2 * PAGE)
    ids = listed(busy_desk)
    assert len(set(ids)) == len(ids)
    first = [c.fact.id for c in opened(session).review.queue(FactFilter(), len(ids))]
    assert ids == first


def test_communities_follow_when_the_decisions_rest(
    qtbot: QtBot, busy_desk: ReviewPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[int] = []
    settle = ReviewApi.settle

    def counted(self: ReviewApi, context: object) -> None:
        settle(self, context)  # type: ignore[arg-type]
        settled.append(1)

    monkeypatch.setattr(ReviewApi, "settle", counted)
    press(qtbot, busy_desk, "rrrrr")
    written(qtbot, busy_desk)
    assert not settled
    qtbot.waitUntil(lambda: bool(settled), timeout=30_000)
    qtbot.waitUntil(lambda: not session.tasks.busy(KEEPING))
    assert len(settled) == 1


def test_nothing_is_lost_when_the_workspace_closes(
    qtbot: QtBot, busy_desk: ReviewPanel, session: Session
) -> None:
    workspace = opened(session)
    path, ids = workspace.path, listed(busy_desk)[:20]
    press(qtbot, busy_desk, "a" * 20)
    session.close_workspace()
    assert busy_desk.queue.model.rowCount() == 0
    session.wait_until_closed(path, TaskContext())
    with Workspace.open(path) as again:
        assert {again.review.fact(id).state for id in ids} == {"approved"}


def test_why_not_is_stated(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    said: list[str] = []
    session.commands.refused.connect(said.append)
    session.set_written_by("being indexed by process 4711 since 14:02")
    before = listed(desk)
    press(qtbot, desk, "a")
    assert listed(desk) == before and "4711" in said[0]


def test_facts_of_an_answer_come_earlier(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    def priorities() -> dict[str, float]:
        return {one.fact.id: one.priority for one in opened(session).review.queue(FactFilter(""), 1000)}

    before = priorities()
    with qtbot.waitSignal(session.answered, timeout=60_000):
        operations.ask(session, "Where was Tobias Renwick arrested?")
    qtbot.waitUntil(lambda: priorities() != before)
    after = priorities()
    assert all(after[id] >= before[id] for id in before)
