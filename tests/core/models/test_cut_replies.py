"""Replies that a model was cut off in: what is whole of a list is kept, anything else is asked for again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.progress import TaskContext
from tests.core.models.test_ollama import QUESTION, Person, model
from tests.ollama_server import Reply, ScriptedServer


@dataclass(frozen=True)
class Crew:
    ship: str
    people: tuple[Person, ...] = ()


@pytest.mark.parametrize(
    ("cut", "people"),
    [
        (
            '{"ship": "Star", "people": [{"name": "Otto"}, {"name": "Ada", "ships": ["Star"]}, {"na',
            ("Otto", "Ada"),
        ),
        ('{"ship": "Star", "people": [{"name": "Otto"}, {"name": "Ada"}', ("Otto", "Ada")),
        ('{"ship": "Star", "people": [{"name": "Otto"}, {"name": "A } ] \\" d', ("Otto",)),
        ('Sure! {"ship": "Star", "people": [{"name": "Otto"},', ("Otto",)),
    ],
)
def test_of_a_list_that_was_cut_off_the_whole_items_are_kept(
    ollama: ScriptedServer, cut: str, people: tuple[str, ...]
) -> None:
    ollama.say(Reply(cut, done_reason="length"))
    found = model(ollama).structured(QUESTION, Crew, TaskContext())
    assert tuple(person.name for person in found.value.people) == people
    assert found.value.ship == "Star"
    assert found.repairs[-1] == "cut off, its whole items kept" and not found.asked_again


@pytest.mark.parametrize(
    "reply",
    [
        Reply('{"people": [{"name": "Otto"}], "sh', done_reason="length"),
        Reply('{"ship": "Star", "people": [{"name": "Ot', done_reason="length"),
        Reply('{"ship": "Star", "people": [{"ships": ["Star"]}, {"na', done_reason="length"),
    ],
)
def test_a_reply_cut_off_before_anything_whole_is_asked_again(ollama: ScriptedServer, reply: Reply) -> None:
    ollama.say(reply, '{"ship": "Star"}')
    assert model(ollama).structured(QUESTION, Crew, TaskContext()).asked_again
