"""Entities renamed, of another kind, with another name, merged and split by keys: first it is seen what changes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from core.errors import WorkspaceError
from core.types import NameChange, NameMerge
from core.workspace.names import NamesApi
from tests.app.entities.conftest import Desk

SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


def test_renamed_after_a_look_and_undone(desk: Desk) -> None:
    before = desk.workspace.status().digest
    desk.select("Ines Holm")
    desk.open("F2")
    assert desk.form.name.text() == desk.form.name.selectedText() == "Ines Holm"
    desk.type("Ines Maria Holm")
    desk.seen()
    assert desk.differences() == [
        ("Ines Holm (person, in 2 passages)", "Ines Maria Holm (person, in 2 passages)")
    ]
    assert len(desk.facts()) == 2 and all("Ines Maria Holm" in after for _, after in desk.facts())
    assert "2 documents" in desk.preview.documents.text()
    assert "Ines Holm" in desk.names(), "nothing is changed yet"
    desk.apply()
    assert "Ines Maria Holm" in desk.names() and "Ines Holm" not in desk.names()
    desk.until(lambda: desk.bench.graph.card.name.text() == "Ines Maria Holm")
    desk.undo(lambda: "Ines Holm" in desk.names())
    assert desk.told[-1].text.startswith("Undone: renamed")
    desk.until(lambda: desk.bench.graph.card.name.text() == "Ines Holm")
    assert desk.workspace.status().digest == before


def test_another_kind_with_its_reason(desk: Desk) -> None:
    desk.select("Northern Gannet")
    label = desk.entity("Northern Gannet").label
    desk.open("Shift+F2")
    desk.type("person" if label != "PERSON" else "product")
    desk.seen()
    desk.preview.why.setFocus()
    desk.type("it is told of as one")
    desk.apply()
    assert desk.entity("Northern Gannet").label != label
    assert desk.workspace.review.log(1)[0].why == "it is told of as one"
    desk.undo(lambda: desk.entity("Northern Gannet").label == label)


def test_another_name_is_found_by_the_search(desk: Desk) -> None:
    desk.select("Ines Holm")
    desk.open("Ctrl+F2")
    desk.type("the captain")
    desk.seen()
    assert "by this name" in desk.preview.state.text()
    desk.apply()
    assert desk.workspace.names.aliases_of(desk.entity("Ines Holm").id) == ["captain"]
    desk.undo(lambda: desk.workspace.names.aliases_of(desk.entity("Ines Holm").id) == [])


def test_merged_with_another_that_is_looked_for(desk: Desk) -> None:
    desk.select("Tobias Renwick")
    desk.open("Ctrl+J")
    desk.type("Ines")
    desk.until(lambda: desk.form.box.open)
    desk.press("Return")
    desk.seen()
    assert sum(bool(after) for _, after in desk.differences()) == 1 and len(desk.differences()) == 2
    desk.apply()
    assert not {"Tobias Renwick", "Ines Holm"} <= desk.names()
    desk.undo(lambda: {"Tobias Renwick", "Ines Holm"} <= desk.names())


def suggested(monkeypatch: pytest.MonkeyPatch, desk: Desk, *pairs: tuple[str, str]) -> None:
    """As if the rules had nearly merged these; what was decided on is not suggested any more."""
    ids = {name: desk.entity(name).id for pair in pairs for name in pair}

    def suggestions(api: NamesApi, limit: int = 50) -> list[NameMerge]:
        there = {entity.name for entity in desk.workspace.graph.entities()}
        decided = {act.subject for act in desk.workspace.review.log(20) if not (act.about or act.undone)}
        return [
            NameMerge(ids[one], one, ids[other], other, "meaning", "near in meaning (cosine 0.81)", 0.81)
            for one, other in pairs
            if {one, other} <= there and not any(one.casefold() in said for said in decided)
        ]

    monkeypatch.setattr(NamesApi, "suggestions", suggestions)
    desk.panel._following.again()


def test_suggestions_are_decided_by_single_keys(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = desk.panel.suggestions
    pairs = [
        ("Tobias Renwick", "Ines Holm"),
        ("Limassol", "Bergen"),
        ("Northern Gannet", "Calder Reach Trading"),
    ]
    suggested(monkeypatch, desk, *pairs)
    desk.session.commands.run("panel.entities")
    desk.until(lambda: listed.model.rowCount() == 3 and listed.list.hasFocus())
    assert listed.head.text() == "3 pairs of names may be one entity"
    desk.seen()
    assert len(desk.differences()) == 2
    desk.press("S")
    assert [merge.one for merge in listed._merges] == ["Limassol", "Northern Gannet", "Tobias Renwick"]
    desk.press("D")
    assert [merge.one for merge in listed._merges] == ["Northern Gannet", "Tobias Renwick"]
    desk.press("J", "M")
    assert [merge.one for merge in listed._merges] == ["Northern Gannet"] and listed.list.hasFocus()
    desk.until(lambda: len(desk.told) == 2 and not desk.session.tasks.busy("keeping"))
    assert [message.text for message in desk.told] == [
        "“Limassol” and “Bergen” are two entities.",
        "“Tobias Renwick” and “Ines Holm” are one entity.",
    ]
    assert not {"Tobias Renwick", "Ines Holm"} <= desk.names()
    desk.press("U")
    desk.until(lambda: {"Tobias Renwick", "Ines Holm"} <= desk.names() and listed.model.rowCount() == 2)


def test_a_suggestion_that_is_refused_comes_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    suggested(monkeypatch, desk, ("Limassol", "Bergen"))

    def refuse(*_: object) -> str:
        raise WorkspaceError("The disk is full.", "Make room.")

    monkeypatch.setattr(NamesApi, "change", refuse)
    desk.session.commands.run("panel.entities")
    desk.until(lambda: desk.panel.suggestions.current() is not None)
    desk.press("W")
    desk.type("one town")
    desk.press("Return", "M")
    desk.until(lambda: bool(desk.told))
    assert desk.told[-1].text == "The disk is full."
    desk.until(lambda: desk.panel.suggestions.current() is not None)
    assert desk.preview.why.text() == "one town"


def dragged(desk: Desk, one: str, other: str, *, shift: bool = True) -> QPoint:
    """A node over another one, the button still pressed; where."""
    canvas = desk.bench.graph.canvas
    canvas.fit(animate=False)
    canvas.settle()
    arrays, view = canvas._arrays, canvas._view
    spots = view.camera().to_screen(arrays.xy)
    begin, end = (QPoint(*map(round, spots[arrays.names.index(name)].tolist())) for name in (one, other))
    keys = SHIFT if shift else Qt.KeyboardModifier.NoModifier
    desk.qtbot.mousePress(view.viewport(), LEFT, keys, begin)

    def move(spot: QPoint) -> bool:
        place = QPointF(view.viewport().mapToGlobal(spot))
        event = QMouseEvent(QEvent.Type.MouseMove, QPointF(spot), place, Qt.MouseButton.NoButton, LEFT, keys)
        QApplication.sendEvent(view.viewport(), event)
        return canvas._card.isVisible() or not shift

    move((begin + end) / 2)
    desk.until(lambda: move(end))  # moves that follow too fast are dropped
    return end


def test_a_node_dragged_onto_another_shows_what_merging_them_changes(desk: Desk) -> None:
    canvas = desk.bench.graph.canvas
    end = dragged(desk, "Ines Holm", "Northern Gannet")
    assert canvas._card.text().startswith("Northern Gannet\nLet go to see"), "it is said what that means"
    desk.qtbot.mouseRelease(canvas._view.viewport(), LEFT, SHIFT, end)
    desk.until(lambda: desk.form.draft is not None)
    assert desk.form.change is not None and desk.form.change.kind == "merge"
    desk.seen()
    assert {"Ines Holm", "Northern Gannet"} <= desk.names(), "nothing is merged yet"
    desk.apply()
    assert not {"Ines Holm", "Northern Gannet"} <= desk.names()
    desk.undo(lambda: {"Ines Holm", "Northern Gannet"} <= desk.names())


def test_a_drag_without_shift_or_given_up_merges_nothing(desk: Desk) -> None:
    canvas, wanted = desk.bench.graph.canvas, []
    desk.session.name_change_wanted.connect(wanted.append)
    end = dragged(desk, "Ines Holm", "Northern Gannet", shift=False)
    desk.qtbot.mouseRelease(canvas._view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, end)
    end = dragged(desk, "Ines Holm", "Northern Gannet")
    desk.qtbot.keyClick(canvas._view, Qt.Key.Key_Escape)
    assert not canvas._card.isVisible()
    desk.qtbot.mouseRelease(canvas._view.viewport(), LEFT, SHIFT, end)
    assert not wanted


def test_split_by_passages_that_are_chosen_with_the_space_bar(desk: Desk) -> None:
    desk.select("Tobias Renwick")
    desk.open("Ctrl+U")
    picker = desk.form.mentions
    assert len(picker.model.rows) == 2 and picker.list.hasFocus()
    row = picker.model.rows[1]
    assert [row.sentence[slice(*mark)] for mark in row.marks] == ["Tobias Renwick"]
    assert "passages in which" in desk.preview.state.text()
    desk.press("Down", "Space")
    assert picker.chosen == (row.passage_id,) and picker.count.text() == "1 of 2 passages chosen"
    desk.form.name.setFocus()
    desk.type("the clerk")
    desk.seen()
    assert [bool(before) for before, _ in desk.differences()][:2] == [True, False]
    desk.apply()
    assert "Tobias Renwick (the clerk)" in desk.names()
    desk.undo(lambda: "Tobias Renwick (the clerk)" not in desk.names())


def test_all_and_none_are_those_that_the_filter_leaves(desk: Desk) -> None:
    desk.select("Tobias Renwick")
    desk.open("Ctrl+U")
    picker = desk.form.mentions
    picker.filter.setText("hired")
    assert picker.proxy.rowCount() == 1
    picker.all.click()
    assert len(picker.chosen) == 1
    picker.filter.clear()
    picker.none.click()
    assert not picker.chosen


def test_what_is_refused_is_told_in_place_and_the_words_stay(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.select("Ines Holm")
    desk.open("F2")
    desk.type("...")
    desk.until(lambda: "letters or digits" in desk.preview.state.text())
    assert desk.preview.state.property("kind") == "error" and desk.form.name.text() == "..."
    desk.press("Ctrl+A")
    desk.type("Ines Maria")
    desk.seen()

    def busy(*_: object) -> str:
        raise WorkspaceError("The workspace is being indexed by process 4711.", "Wait until it has finished.")

    with monkeypatch.context() as patch:
        patch.setattr(NamesApi, "change", busy)
        desk.press("Ctrl+Return")
        desk.until(lambda: "4711" in desk.preview.state.text())
    assert desk.form.name.text() == "Ines Maria" and not desk.told and desk.form.isVisible()
    desk.session.set_written_by("being indexed by process 4711 since 14:02")
    desk.press("Ctrl+Return")
    assert "4711" in desk.told[-1].text
    desk.session.set_written_by("")
    desk.apply()
    assert "Ines Maria" in desk.names()


def test_escape_in_the_middle_changes_nothing(desk: Desk) -> None:
    desk.select("Ines Holm")
    desk.bench.graph.canvas.setFocus()
    desk.open("F2")
    desk.type("Somebody")
    desk.press("Escape")
    assert desk.form.draft is None and "Ines Holm" in desk.names() and not desk.told
    assert desk.bench.graph.canvas.isAncestorOf(desk.focus), "the keyboard is where it was"
    assert not desk.workspace.review.log()


def test_a_change_before_it_was_seen_is_made_when_it_is(desk: Desk) -> None:
    desk.select("Ines Holm")
    desk.open("F2")
    desk.type("Ines Maria")
    assert desk.panel._previewed is None
    desk.apply()
    assert "Ines Maria" in desk.names()


def test_commands_need_a_selected_entity(desk: Desk) -> None:
    for act in ("rename", "retype", "alias", "merge", "split"):
        assert desk.session.commands[f"entity.{act}"].why_not().startswith("Select an entity first")
    desk.select("Ines Holm")
    assert not desk.session.commands["entity.split"].why_not()
    desk.session.set_written_by("being indexed by process 4711 since 14:02")
    assert "4711" in desk.session.commands["entity.split"].why_not()


def test_what_is_decided_elsewhere_is_looked_at_again(desk: Desk) -> None:
    desk.select("Ines Holm")
    desk.open("F2")
    desk.type("Ines Maria")
    desk.seen()
    desk.session.decisions.add(
        lambda workspace, context: workspace.names.change(
            NameChange("retype", (desk.entity("Ines Holm").id,), "ORG"), context
        ),
        lambda _: None,
        lambda _: None,
        desk.panel.form,
    )
    desk.until(lambda: "organisation" in desk.differences()[0][0])
