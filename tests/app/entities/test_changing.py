"""Entities renamed, of another kind, with another name, merged and split by keys: first it is seen what changes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from core.errors import WorkspaceError
from core.types import NameChange, NameMerge
from core.workspace.names import NamesApi
from tests.app.entities.conftest import Desk
from tests.app.graph.mouse import card_of, move, place, surface_of, view_of
from tests.app.one_window import ONE_WINDOW

SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton

preferences, session, window, calm = ONE_WINDOW


def test_each_change_is_visible_before_it_is_created_and_is_undone(desk: Desk) -> None:
    before = desk.workspace.status().digest

    desk.select("Ines Holm")
    desk.open("F2")
    assert desk.form.name.text() == desk.form.name.selectedText() == "Ines Holm"
    desk.type("Ines Maria")
    desk.press("Escape")
    assert desk.form.draft is None and not desk.workspace.review.log(), "given up, it changes nothing"
    desk.open("F2")
    desk.type("Ines Maria Holm")
    desk.wait_for_preview()
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
    desk.until(lambda: desk.bench.graph.card.name.text() == "Ines Holm")
    assert desk.workspace.status().digest == before

    desk.open("Ctrl+F2")
    desk.type("the captain")
    desk.wait_for_preview()
    desk.apply()
    assert desk.workspace.names.aliases_of(desk.entity("Ines Holm").id) == ["captain"]
    desk.undo(lambda: desk.workspace.names.aliases_of(desk.entity("Ines Holm").id) == [])

    desk.select("Northern Gannet")
    label = desk.entity("Northern Gannet").label
    desk.open("Shift+F2")
    desk.type("person" if label != "PERSON" else "product")
    desk.wait_for_preview()
    desk.preview.why.setFocus()
    desk.type("the letter calls it one")
    desk.apply()
    assert desk.entity("Northern Gannet").label != label
    assert desk.workspace.review.log(1)[0].why == "the letter calls it one"
    desk.undo(lambda: desk.entity("Northern Gannet").label == label)

    desk.select("Tobias Renwick")
    desk.open("Ctrl+J")
    desk.type("Ines")
    desk.until(lambda: desk.form.box.open)
    desk.press("Return")
    desk.wait_for_preview()
    assert sum(bool(after) for _, after in desk.differences()) == 1 and len(desk.differences()) == 2
    desk.apply()
    assert not {"Tobias Renwick", "Ines Holm"} <= desk.names()
    desk.undo(lambda: {"Tobias Renwick", "Ines Holm"} <= desk.names())
    assert desk.workspace.status().digest == before


def suggested(monkeypatch: pytest.MonkeyPatch, desk: Desk, *pairs: tuple[str, str]) -> None:
    """As if the rules had nearly merged these; what was decided on is not suggested any more."""
    ids = {name: desk.entity(name).id for pair in pairs for name in pair}

    def suggestions(api: NamesApi, limit: int = 50) -> list[NameMerge]:
        there = {entity.name for entity in desk.workspace.graph.entities()}
        decided = {act.subject for act in desk.workspace.review.log(20) if not (act.about or act.undone)}
        return [
            NameMerge(ids[one], one, ids[other], other, "meaning", "near in meaning (cosine 0.81)", 0.81)
            for one, other in pairs
            if {one, other} <= there and not any(one.casefold() in spoken for spoken in decided)
        ]

    monkeypatch.setattr(NamesApi, "suggestions", suggestions)
    desk.panel.hide()
    desk.panel.show()


def listed_names(desk: Desk) -> list[str]:
    """The first name of each suggestion."""
    model = desk.panel.suggestions.model
    return [model.index(row, 0).data().split("  =  ")[0] for row in range(model.rowCount())]


def test_suggestions_are_decided_by_single_keys(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = desk.panel.suggestions
    pairs = [
        ("Tobias Renwick", "Ines Holm"),
        ("Limassol", "Bergen"),
        ("Northern Gannet", "Calder Reach Trading"),
    ]
    suggested(monkeypatch, desk, *pairs)
    desk.session.commands.run("entity.suggestions")
    desk.until(lambda: listed.model.rowCount() == 3 and listed.list.hasFocus())
    assert listed.head.text() == "3 pairs of names may be one entity"
    desk.wait_for_preview()
    assert len(desk.differences()) == 2
    desk.press("S")
    assert listed_names(desk) == ["Limassol", "Northern Gannet", "Tobias Renwick"]
    desk.press("D")
    assert listed_names(desk) == ["Northern Gannet", "Tobias Renwick"]
    desk.press("J", "M")
    assert listed_names(desk) == ["Northern Gannet"] and listed.list.hasFocus()
    desk.until(lambda: len(desk.messages) == 2 and not desk.session.tasks.busy("keeping"))
    assert not {"Tobias Renwick", "Ines Holm"} <= desk.names()
    desk.press("U")
    desk.until(lambda: {"Tobias Renwick", "Ines Holm"} <= desk.names() and listed.model.rowCount() == 2)


def test_a_suggestion_that_is_refused_comes_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    suggested(monkeypatch, desk, ("Limassol", "Bergen"))

    def refuse(*_: object) -> str:
        raise WorkspaceError("The disk is full.", "Make room.")

    monkeypatch.setattr(NamesApi, "change", refuse)
    desk.session.commands.run("entity.suggestions")
    desk.until(lambda: desk.panel.suggestions.current() is not None)
    desk.press("W")
    desk.type("one town")
    desk.press("Return", "M")
    desk.until(lambda: bool(desk.messages))
    assert desk.messages[-1].text == "The disk is full."
    desk.until(lambda: desk.panel.suggestions.current() is not None)
    assert desk.preview.why.text() == "one town"


def dragged(desk: Desk, one: str, other: str, *, shift: bool = True) -> QPoint:
    """A node over another one, the button still pressed; where."""
    canvas = desk.bench.graph.canvas
    canvas.fit(animate=False)
    canvas.settle()
    begin, end = (place(canvas, desk.entity(name).id) for name in (one, other))
    keys = SHIFT if shift else Qt.KeyboardModifier.NoModifier
    desk.qtbot.mousePress(surface_of(canvas), LEFT, keys, begin)
    for spot in ((begin + end) / 2, end):
        move(canvas, spot, LEFT, keys)
    return end


def test_a_node_dragged_onto_another_with_shift_shows_what_merging_them_changes(desk: Desk) -> None:
    canvas, wanted = desk.bench.graph.canvas, []
    desk.session.name_change_wanted.connect(wanted.append)
    end = dragged(desk, "Ines Holm", "Northern Gannet", shift=False)
    desk.qtbot.mouseRelease(surface_of(canvas), LEFT, Qt.KeyboardModifier.NoModifier, end)
    end = dragged(desk, "Ines Holm", "Northern Gannet")
    desk.qtbot.keyClick(view_of(canvas), Qt.Key.Key_Escape)
    assert not card_of(canvas).isVisible()
    desk.qtbot.mouseRelease(surface_of(canvas), LEFT, SHIFT, end)
    assert not wanted, "without Shift, or given up, it merges nothing"

    end = dragged(desk, "Ines Holm", "Northern Gannet")
    assert card_of(canvas).text().startswith("Northern Gannet\n")
    desk.qtbot.mouseRelease(surface_of(canvas), LEFT, SHIFT, end)
    desk.until(lambda: desk.form.draft is not None)
    assert desk.form.change is not None and desk.form.change.kind == "merge"
    desk.wait_for_preview()
    assert {"Ines Holm", "Northern Gannet"} <= desk.names(), "nothing is merged yet"
    desk.apply()
    assert not {"Ines Holm", "Northern Gannet"} <= desk.names()
    desk.undo(lambda: {"Ines Holm", "Northern Gannet"} <= desk.names())


def test_split_by_passages_that_are_chosen_with_the_space_bar(desk: Desk) -> None:
    desk.select("Tobias Renwick")
    desk.open("Ctrl+U")
    picker = desk.form.mentions
    assert len(picker.model.rows) == 2 and picker.list.hasFocus()
    row = picker.model.rows[1]
    assert [row.sentence[slice(*mark)] for mark in row.marks] == ["Tobias Renwick"]
    picker.filter.setText("hired")
    picker.all.click()
    assert len(picker.chosen) == 1, "all that the filter leaves"
    picker.filter.clear()
    picker.none.click()
    assert not picker.chosen
    picker.list.setFocus()
    picker.list.setCurrentIndex(picker.list.model().index(0, 0))
    desk.press("Down", "Space")
    assert picker.chosen == (row.passage_id,) and picker.count.text() == "1 of 2 passages chosen"
    desk.form.name.setFocus()
    desk.type("the clerk")
    desk.wait_for_preview()
    assert [bool(before) for before, _ in desk.differences()][:2] == [True, False]
    desk.apply()
    assert "Tobias Renwick (the clerk)" in desk.names()
    desk.undo(lambda: "Tobias Renwick (the clerk)" not in desk.names())


def test_what_is_refused_is_reported_in_place_and_the_words_stay(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.select("Ines Holm")
    desk.open("F2")
    desk.type("...")
    desk.until(lambda: "letters or digits" in desk.preview.state.text())
    assert desk.preview.state.property("kind") == "error" and desk.form.name.text() == "..."
    desk.press("Ctrl+A")
    desk.type("Ines Maria")
    desk.wait_for_preview()

    def busy(*_: object) -> str:
        raise WorkspaceError("The workspace is being indexed by process 4711.", "Wait until it has finished.")

    with monkeypatch.context() as patch:
        patch.setattr(NamesApi, "change", busy)
        desk.press("Ctrl+Return")
        desk.until(lambda: "4711" in desk.preview.state.text())
    assert desk.form.name.text() == "Ines Maria" and not desk.messages and desk.form.isVisible()
    desk.session.set_written_by("being indexed by process 4711 since 14:02")
    desk.press("Ctrl+Return")
    assert "4711" in desk.messages[-1].text
    desk.session.set_written_by("")
    desk.apply()
    assert "Ines Maria" in desk.names()


def test_what_is_decided_elsewhere_is_previewed_again(desk: Desk) -> None:
    desk.select("Ines Holm")
    desk.open("F2")
    desk.type("Ines Maria")
    desk.wait_for_preview()
    desk.session.decisions.add(
        lambda workspace, context: workspace.names.change(
            NameChange("retype", (desk.entity("Ines Holm").id,), "ORG"), context
        ),
        lambda _: None,
        lambda _: None,
        desk.panel.form,
    )
    desk.until(lambda: "organisation" in desk.differences()[0][0])
