"""The chips of a scope: what they say, and what keys and clicks do with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.ask.scope_row import ONE_BY_ONE, parts_of
from app.session import operations
from app.session.scope import ask_about
from app.session.session import Session
from core.types import Scope, ScopeCoverage, ScopePart
from core.workspace import Workspace
from tests.app.conftest import end
from tests.app.panel_case import exposed
from tests.waiting import wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def session(qtbot: QtBot, sample_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    opened = Session()
    monkeypatch.setattr(sample_workspace, "close", lambda: None)  # it is everybody's
    opened.set_workspace(sample_workspace)
    yield opened
    end(opened)


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> AskPanel:
    return exposed(AskPanel(session), qtbot, 380, 900)


def entity(session: Session, name: str) -> str:
    assert session.workspace is not None
    return session.workspace.search(name, 1, ("entity",))[0].id


def words(panel: AskPanel) -> list[str]:
    return [chip.words.text() for chip in panel.scope.chips]


def test_no_scope_is_not_seen(panel: AskPanel) -> None:
    assert not panel.scope.isVisible() and panel.scope.chips == []


def test_chips_are_named_and_tell_how_much_is_in_scope(session: Session, panel: AskPanel) -> None:
    workspace = session.workspace
    assert workspace is not None
    document = workspace.documents.all()[0]
    scope = Scope(
        entities=(entity(session, "Grey Petrel"),), documents=(document.id,), since="2021-03", until="2021-06"
    )
    session.scope.set(scope)
    assert panel.scope.isVisible() and len(panel.scope.chips) == 3, "at once, before the names are read"
    wait_until_landed(session.tasks)
    assert words(panel) == ["Grey Petrel", Path(document.path).name, "2021-03 to 2021-06"]
    found = workspace.retrieval.restrict_to(scope)
    assert panel.scope.figure.text() == f"{found.taken} of {found.count} passages"
    tip = panel.scope.chips[0].toolTip()
    assert f"{found.parts[0].passages} passages" in tip and f"{found.taken} of {found.count}" in tip


def test_a_click_takes_one_out_and_the_keyboard_stays(
    session: Session, panel: AskPanel, qtbot: QtBot
) -> None:
    names = ("Grey Petrel", "Calder Reach Trading", "Tobias Renwick")
    ids = tuple(entity(session, name) for name in names)
    session.scope.set(Scope(entities=ids))
    wait_until_landed(session.tasks)
    qtbot.mouseClick(panel.scope.chips[1].close_button, LEFT)
    assert session.scope.current.entities == (ids[0], ids[2])
    panel.scope.clear_button.setFocus()
    qtbot.keyClick(panel.scope.clear_button, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is panel.scope.chips[0].close_button
    qtbot.keyClick(panel.scope.chips[0].close_button, Qt.Key.Key_Delete)
    assert session.scope.current.entities == (ids[2],)
    assert QApplication.focusWidget() is panel.scope.chips[0].close_button
    qtbot.keyClick(panel.scope.chips[0].close_button, Qt.Key.Key_Space)
    assert session.scope.current.all and not panel.scope.isVisible()


def test_clear_takes_all_out(session: Session, panel: AskPanel, qtbot: QtBot) -> None:
    session.scope.set(Scope(documents=("gone",), communities=(1,), since="2020"))
    qtbot.mouseClick(panel.scope.clear_button, LEFT)
    assert session.scope.current.all and not panel.scope.isVisible()
    assert session.commands["ask.everywhere"].why_not()


def test_what_is_gone_says_so(session: Session, panel: AskPanel) -> None:
    session.scope.set(Scope(entities=("gone",)))
    wait_until_landed(session.tasks)
    assert panel.scope.chips[0].part.gone == "no longer in the workspace"
    assert "no longer in the workspace" in panel.scope.chips[0].toolTip()
    assert panel.scope.figure.text() == "no passage: nothing will be found"


def test_many_entities_are_one_chip_and_a_path_another() -> None:
    many = tuple(f"e{at}" for at in range(ONE_BY_ONE + 1))
    found = ScopeCoverage(tuple(ScopePart("entity", id, id.upper(), 2) for id in (*many, "a", "b")), 5, 9)
    one, other = parts_of(Scope(entities=("a", *many, "b")), ("a", "b"), found)
    assert (one.kind, one.words, one.full_words) == ("path", "A to B", "A \u2192 B")
    assert one.without.entities == many
    assert (other.kind, other.words) == ("entity", "6 entities")
    assert "E3" in other.full_words and other.without.entities == ("a", "b")
    documents = tuple(f"d{at}" for at in range(30))
    [together] = parts_of(Scope(documents=documents), (), None)
    assert together.words == "30 documents" and together.full_words.endswith("10 more")
    assert together.without.all
    few = parts_of(Scope(entities=many[:ONE_BY_ONE]), (), found)
    assert [part.words for part in few] == [id.upper() for id in many[:ONE_BY_ONE]]


def test_this_is_what_is_selected(session: Session, panel: AskPanel) -> None:
    assert session.commands["ask.about"].why_not()
    ship, workspace = entity(session, "Grey Petrel"), session.workspace
    assert workspace is not None
    operations.select_entity(session, ship)
    session.commands.run("ask.about")
    assert session.scope.current == Scope(entities=(ship,))
    session.scope.clear()
    community = workspace.graph.communities()[0].id
    operations.select_community(session, community)
    session.commands.run("ask.about")
    assert session.scope.current == Scope(communities=(community,))
    session.scope.clear()
    document = workspace.documents.all()[2].id
    operations.select_document(session, document)
    session.commands.run("ask.about")
    assert session.scope.current == Scope(documents=(document,))
    session.scope.clear()
    passage = workspace.retrieval.asker().view.corpus.passage_ids[0]
    operations.select_passage(session, passage)
    session.commands.run("ask.about")
    wait_until_landed(session.tasks)
    assert session.scope.current == Scope(documents=(workspace.passages.get(passage).document_id,))


def test_what_is_gathered_comes_before_what_is_selected(session: Session, panel: AskPanel) -> None:
    ids = tuple(entity(session, name) for name in ("Grey Petrel", "Tobias Renwick"))
    operations.select_entity(session, ids[0])
    session.chosen.set(ids)
    session.commands.run("ask.about")
    assert session.scope.current.entities == ids


def test_a_chain_that_is_drawn_is_a_path(session: Session, panel: AskPanel) -> None:
    ids = tuple(entity(session, name) for name in ("Grey Petrel", "Calder Reach Trading"))
    operations.select_passage(session, "any", "any document")
    session.overlay.change(path=ids)
    session.commands.run("ask.about")
    assert session.scope.path == session.scope.current.entities == ids
    assert [chip.part.kind for chip in panel.scope.chips] == ["path"]


def test_asking_about_more_adds_and_the_dates_stay(session: Session) -> None:
    session.scope.change(since="2021")
    ask_about(session, Scope(documents=("one",)))
    ask_about(session, Scope(documents=("two", "one")))
    assert session.scope.current == Scope(documents=("one", "two"), since="2021")


def test_the_answer_is_kept_to_it_and_says_so(session: Session, panel: AskPanel, qtbot: QtBot) -> None:
    workspace = session.workspace
    assert workspace is not None
    document = next(
        each for each in workspace.documents.all() if "Grey Petrel" in workspace.documents.text(each.id)
    )
    session.scope.set(Scope(documents=(document.id,)))
    panel.box.setFocus()
    qtbot.keyClicks(panel.box, "Who owns the Grey Petrel?")
    with qtbot.waitSignal(session.answered, timeout=200_000):
        qtbot.keyClick(panel.box, Qt.Key.Key_Return)
    answer = session.answer
    assert answer is not None and {each.passage.document_id for each in answer.evidence} == {document.id}
    assert panel.answer.scope.isVisible()
    assert document.path in panel.answer.scope.text() and "passages" in panel.answer.scope.text()
    panel.copy_answer()
    assert document.path in QApplication.clipboard().text().splitlines()[1]
    session.scope.clear()
    with qtbot.waitSignal(session.answered, timeout=200_000):
        panel.box.submit()
    assert not panel.answer.scope.isVisible()
