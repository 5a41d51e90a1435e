"""Words and thoughts in turn, with a model that says what it was told to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from core.errors import BadReply
from core.progress import Cancelled, TaskContext
from core.protocols import LanguageModel
from core.retrieval.ircot import IRCoTRetriever
from core.retrieval.query import Query
from core.retrieval.ranking import numbered
from core.types import Generation, Message, Retrieval, Stage
from tests.core.retrieval.queries import query

CONTEXT = TaskContext()
QUESTION = "Who built the ship that Otto Kask owned?"
FOUND = {
    QUESTION: ["kask", "pier", "ship", "tide"],
    "Otto Kask owned the Grey Petrel.": ["petrel", "kask"],
    "Mira Sand built the Grey Petrel.": ["sand", "petrel"],
}


class Words:
    """Finds what it holds for a question, and for others nothing."""

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        context.check()
        hits = numbered((id, 1.0) for id in FOUND.get(query.text, [])[:k])
        return Retrieval(hits, (Stage("lexical", 0.0),))


class Thinking:
    name = "scripted"

    def __init__(self, *said: str) -> None:
        self._said = list(said)
        self.prompts: list[Sequence[Message]] = []

    def generate(self, messages: Sequence[Message], context: TaskContext, *, max_tokens: int) -> Generation:
        context.check()
        assert max_tokens > 0
        self.prompts.append(messages)
        text = self._said.pop(0)
        if not text:
            raise BadReply("empty", "", raw="")
        return Generation(text, 10, 5, 0.0)


def found(model: Thinking, k: int = 10, context: TaskContext = CONTEXT) -> Retrieval:
    def texts(ids: Sequence[str]) -> list[tuple[str, str]]:
        return [(id.title(), f"All of {id}.") for id in ids]

    retriever = IRCoTRetriever(Words(), query, texts, lambda: cast(LanguageModel, model))
    return retriever.retrieve(query(QUESTION), k, context)


def test_each_thought_is_looked_for_until_the_answer_is_told() -> None:
    model = Thinking(
        "Otto Kask owned the Grey Petrel. And more that is not heard.",
        "Mira Sand built the Grey Petrel.\nSo the answer",
        "So the answer is: Mira Sand.",
        "never asked for",
    )
    got = found(model)
    # First of each step, then second of each; what stood there already is not told again.
    assert [hit.passage_id for hit in got.hits] == ["kask", "petrel", "sand", "pier", "ship", "tide"]
    assert [hit.rank for hit in got.hits] == [1, 2, 3, 4, 5, 6]
    assert [stage.name for stage in got.stages] == ["lexical", "thoughts"]
    assert got.stages[-1].detail == "3 thoughts"
    assert [len(prompt) for prompt in model.prompts] == [6, 7, 8], "rules, passages so far, question"
    assert "Mira Sand built" in model.prompts[2][-1].text and "not heard" not in model.prompts[1][-1].text
    assert found(Thinking("So the answer is: tea."), 2).hits == numbered([("kask", 1.0), ("pier", 0.5)])


def test_it_ends_after_four_thoughts_or_where_nothing_is_said() -> None:
    model = Thinking(*["Nothing is known of that."] * 9)
    assert found(model).stages[-1].detail == "4 thoughts" and len(model.prompts) == 4
    silent = Thinking("")
    assert [hit.passage_id for hit in found(silent).hits] == FOUND[QUESTION]
    assert found(Thinking("   ")).stages[-1].detail == "0 thoughts"


def test_it_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        found(Thinking("x"), context=TaskContext(cancelled=lambda: True))
