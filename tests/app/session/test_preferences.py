"""What the window remembers."""

from __future__ import annotations

from pathlib import Path

from app.session.preferences import DATABASE, RECENT, Preferences, default_workspace
from core.types import Status

COUNTS = Status(3, 30, 40, 50, 60, 7, 1, 0, "")


def test_recents_come_back_from_the_file_with_their_counts(tmp_path: Path) -> None:
    first = Preferences(tmp_path / "s.ini")
    first.remember(tmp_path / "a", tmp_path / "papers", COUNTS)
    first.remember(tmp_path / "b", None, None)
    first.sync()
    again = Preferences(tmp_path / "s.ini").recents()
    assert [Path(r.path).name for r in again] == ["b", "a"]
    assert (again[1].documents, again[1].failed, again[1].name) == (3, 1, "papers")


def test_counts_and_folder_are_kept_when_not_told_again(tmp_path: Path, preferences: Preferences) -> None:
    preferences.remember(tmp_path / "a", tmp_path / "papers", COUNTS)
    preferences.remember(tmp_path / "a", None, None)
    (only,) = preferences.recents()
    assert only.passages == 30 and only.folder == str(tmp_path / "papers")


def test_the_list_has_an_end(tmp_path: Path, preferences: Preferences) -> None:
    for number in range(RECENT + 5):
        preferences.remember(tmp_path / str(number), None, None)
    assert len(preferences.recents()) == RECENT


def test_missing_is_seen(tmp_path: Path, preferences: Preferences) -> None:
    preferences.remember(tmp_path, None, None)
    assert preferences.recents()[0].missing
    (tmp_path / DATABASE).touch()
    assert not preferences.recents()[0].missing


def test_a_damaged_list_is_an_empty_list(preferences: Preferences) -> None:
    preferences._settings.setValue("recent", "{not json")
    assert preferences.recents() == []
    preferences._settings.setValue("recent", '[1, {"no": "path"}]')
    assert preferences.recents() == []


def test_the_same_folder_has_the_same_workspace_and_another_has_another(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y" / "x").mkdir(parents=True)
    assert default_workspace(tmp_path / "x") == default_workspace(tmp_path / "y" / ".." / "x")
    assert default_workspace(tmp_path / "x") != default_workspace(tmp_path / "y" / "x")
