"""A language model decides on names: only where one is chosen, told what came of it, stopped by the same command."""

from __future__ import annotations

import threading

import pytest

from core.progress import TaskContext
from core.types import Confirmed
from core.workspace.names import NamesApi
from tests.app.entities.conftest import Desk

COMMAND = "entity.confirm"


def test_it_needs_a_model(desk: Desk) -> None:
    assert "Choose a language model" in desk.session.commands[COMMAND].why_not()
    desk.session.language.set_writer("ollama:scripted:1b")
    assert desk.session.commands[COMMAND].why_not() == ""


def test_what_came_of_it_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def confirm(api: NamesApi, generator: str, context: TaskContext, most: int = 50) -> Confirmed:
        asked.append(generator)
        return Confirmed(4, 2, 1, 1, 0)

    monkeypatch.setattr(NamesApi, "confirm", confirm)
    desk.session.language.set_writer("ollama:scripted:1b")
    desk.session.commands.run(COMMAND)
    desk.until(lambda: len(desk.told) == 2)
    assert asked == ["ollama:scripted:1b"]
    assert desk.told[-1].text == (
        "scripted:1b was asked about 4 pairs of names: 2 merged, 1 kept apart, 1 left to you."
    )


def test_pressed_again_it_stops(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def confirm(api: NamesApi, generator: str, context: TaskContext, most: int = 50) -> Confirmed:
        begun.set()
        try:
            while True:
                context.report("names", 0, 1)
                stopped.wait(0.01)
        finally:
            stopped.set()

    monkeypatch.setattr(NamesApi, "confirm", confirm)
    desk.session.language.set_writer("ollama:scripted:1b")
    desk.session.commands.run(COMMAND)
    desk.until(begun.is_set)
    assert "asked about names" in desk.session.blocked
    assert desk.session.commands[COMMAND].why_not() == ""
    desk.session.commands.run(COMMAND)
    desk.until(stopped.is_set)
    desk.until(lambda: desk.session.blocked == "")
