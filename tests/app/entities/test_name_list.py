"""The table of all names by keys: what is picked in it is chosen everywhere, and what is chosen elsewhere is picked."""

from __future__ import annotations

import csv
import io
from dataclasses import fields, replace

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from app.entities.name_list import NameList, NameModel
from core.progress import TaskContext
from core.types import NameChange, NameRow
from core.workspace import NAME_COLUMNS
from core.workspace.graph import GraphApi
from core.workspace.names import NamesApi
from tests.app.entities.conftest import Desk
from tests.app.one_window import ONE_WINDOW

preferences, session, window, calm = ONE_WINDOW


@pytest.fixture
def names(desk: Desk) -> NameList:
    """The table in front, with the keyboard in it."""
    listed = desk.panel.names
    listed.show_place("")
    desk.session.commands.run("entity.names")
    desk.until(lambda: listed.model.rowCount() > 0 and listed.view.hasFocus())
    return listed


def listed_names(names: NameList) -> list[str]:
    return [names.model.index(row, 0).data() for row in range(names.model.rowCount())]


def heading(names: NameList) -> str:
    return names.model.headerData(0, Qt.Orientation.Horizontal)


def picked(names: NameList) -> list[str]:
    return [index.data() for index in names.view.selectionModel().selectedRows(0)]


def test_it_lists_what_the_engine_counts_the_most_mentioned_first(desk: Desk, names: NameList) -> None:
    rows = {row.name: row for row in desk.workspace.names.table(TaskContext())}
    assert sorted(listed_names(names)) == sorted(rows) and len(rows) > 5
    counts = [rows[name].mentions for name in listed_names(names)]
    assert counts == sorted(counts, reverse=True)
    assert heading(names) == f"Name ({len(rows)})"
    cells = {name: names.model.index(0, at).data() for at, name in enumerate(NAME_COLUMNS)}
    first = rows[cells["name"]]
    assert (cells["kind"], cells["mentions"]) == (first.kind, f"{first.mentions:,}")
    assert cells["on_map"] == "on the map" and cells["review"] == "waiting"


def test_enter_selects_the_entity_and_picking_chooses_several(desk: Desk, names: NameList) -> None:
    first, second, third = listed_names(names)[:3]
    desk.press("Home", "Return")
    desk.until(lambda: desk.session.selection.current is not None)
    assert desk.session.selection.current.id == desk.entity(first).id
    desk.until(lambda: desk.bench.graph.card.name.text() == first)
    desk.press("Down", "Shift+Down")
    ids = (desk.entity(second).id, desk.entity(third).id)
    assert desk.session.chosen.current == ids == desk.bench.graph.live.now.chosen
    assert picked(names) == [second, third]
    desk.press("Ctrl+Up", "Ctrl+Up", "Ctrl+Space")
    assert set(desk.session.chosen.current) == {desk.entity(first).id, *ids}
    desk.press("Ctrl+Space")
    assert set(desk.session.chosen.current) == set(ids)
    desk.press("Ctrl+A")
    assert len(desk.session.chosen.current) == names.model.rowCount()


def test_what_is_chosen_on_the_graph_is_picked(desk: Desk, names: NameList) -> None:
    ids = [desk.entity(name).id for name in ("Ines Holm", "Tobias Renwick")]
    desk.session.chosen.set(ids)
    assert sorted(picked(names)) == ["Ines Holm", "Tobias Renwick"]
    desk.session.chosen.clear()
    assert picked(names) == []
    desk.select("Northern Gannet")
    assert picked(names) == ["Northern Gannet"] and not desk.session.chosen.current, (
        "it is selected, not chosen"
    )


def test_the_filter_hides_what_is_chosen_and_keeps_it(desk: Desk, names: NameList) -> None:
    ines, tobias = desk.entity("Ines Holm").id, desk.entity("Tobias Renwick").id
    desk.session.chosen.set([ines])
    names.filter.setFocus()
    desk.type("TOBÍAS")
    desk.until(lambda: listed_names(names) == ["Tobias Renwick"])
    assert picked(names) == [] and desk.session.chosen.current == (ines,)
    assert heading(names).startswith("Name (1 of ")
    desk.press("Return")
    assert names.view.hasFocus()
    index = names.model.index(0, 0)
    names.view.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
    desk.press("Ctrl+Space")
    assert desk.session.chosen.current == (ines, tobias), "added to what is hidden"
    names.filter.clear()
    desk.until(lambda: names.model.rowCount() > 1)
    assert sorted(picked(names)) == ["Ines Holm", "Tobias Renwick"]


def test_kinds_and_orders(desk: Desk, names: NameList) -> None:
    rows = desk.workspace.names.table(TaskContext())
    kinds = {names.kind.itemData(at) for at in range(names.kind.count())}
    assert kinds == {"", *(row.kind for row in rows)}
    names.kind.setFocus()
    desk.type("Person")
    desk.until(
        lambda: sorted(listed_names(names)) == sorted(row.name for row in rows if row.kind == "person")
    )
    menu: QMenu = names.menu()
    (action,) = [action for action in menu.actions() if action.text() == "Sort by Name"]
    action.trigger()
    desk.until(lambda: listed_names(names) == sorted(listed_names(names), key=str.casefold))
    header = names.view.horizontalHeader()
    assert (header.sortIndicatorSection(), header.sortIndicatorOrder()) == (0, Qt.SortOrder.AscendingOrder)
    orders = [action.text() for action in menu.actions() if action.text().startswith("Sort by ")]
    assert orders == [f"Sort by {each.title}" for each in names.model.columns]
    menu.close()


def test_rows_are_copied_as_csv(desk: Desk, names: NameList) -> None:
    desk.press("Down", "Ctrl+Shift+V")
    head, *lines = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert head[0] == "Name" and len(head) == len(NAME_COLUMNS)
    assert [line[0] for line in lines] == picked(names) and len(lines) == 1


def test_names_that_stand_alone_are_counted_and_listed(
    desk: Desk, names: NameList, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, table = desk.bench.graph, NamesApi.table
    assert graph.alone.isHidden()
    lonely = desk.entity("Bergen").id

    def with_lonely(api: NamesApi, context: TaskContext) -> list[NameRow]:
        rows = table(api, context)
        return [replace(row, on_map="alone") if row.id == lonely else row for row in rows]

    monkeypatch.setattr(NamesApi, "table", with_lonely)
    monkeypatch.setattr(GraphApi, "count_nodes", lambda api: len(api.view().ids) + 1)
    graph.refresh()
    names._following.again()
    desk.until(lambda: not graph.alone.isHidden())
    assert graph.alone.text() == "1 more stands alone"
    desk.session.commands.run("entity.suggestions")
    graph.alone.setFocus()
    desk.press("Space")
    desk.until(lambda: listed_names(names) == ["Bergen"] and names.view.hasFocus())
    desk.select("Ines Holm")
    graph.expand_selected()
    desk.until(lambda: graph.live.now.near is not None)
    assert graph.alone.isHidden(), "a neighbourhood leaves out much else"
    graph.show_full_graph()
    desk.until(lambda: not graph.alone.isHidden())


def test_it_is_read_only_while_it_is_in_front(
    desk: Desk, names: NameList, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    table = NamesApi.table

    def counting(api: NamesApi, context: TaskContext) -> list[NameRow]:
        reads.append(1)
        return table(api, context)

    monkeypatch.setattr(NamesApi, "table", counting)
    desk.session.commands.run("entity.suggestions")
    desk.workspace.names.rename(desk.entity("Bergen").id, "Bergen Town", TaskContext())
    desk.until(lambda: names._stale and not names._following._timer.isActive())
    assert not reads and "Bergen Town" not in listed_names(names)
    desk.session.commands.run("entity.names")
    desk.until(lambda: "Bergen Town" in listed_names(names))
    assert len(reads) == 1


def test_a_form_is_on_the_other_page_and_leads_back(desk: Desk, names: NameList) -> None:
    desk.press("Home", "Return")
    desk.until(lambda: desk.session.selection.current is not None)
    desk.open("F2")
    assert desk.panel.page == "changes" and not desk.panel.names.isVisible()
    desk.press("Escape")
    desk.until(lambda: desk.panel.page == "names" and names.view.hasFocus())
    desk.session.name_change_wanted.emit(NameChange("rename", (desk.session.selection.current.id,)))
    desk.until(lambda: desk.form.draft is not None)
    desk.form.give_up()


def test_names_of_any_kind_stand_as_they_are_written() -> None:
    empty = {each.name: 0 if each.type == "int" else "" for each in fields(NameRow)}
    some = ("a\u202eb\x1b[31m\nc", "\u05d3\u05df \u05d1\u05df", "n" * 5_000, "<b>bold</b>", "=1+1")
    model = NameModel()
    rows = [NameRow(**{**empty, "id": name, "name": name, "on_map": "none"}) for name in some]  # type: ignore[arg-type]
    model.set_rows(rows, {row.id: at for at, row in enumerate(rows)}, len(rows))
    cells = [model.index(at, 0).data() for at in range(len(some))]
    assert cells[0] == "a\\u202eb\\x1b[31m\\nc" and cells[1:] == list(some[1:])
    assert model.index(0, len(NAME_COLUMNS) - 1).data() == "not on the map"
