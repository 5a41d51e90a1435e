"""A question, analysed once for everything that looks for passages, and the shapes of what ranks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion
from core.index.lexical import searched_words
from core.progress import TaskContext
from core.protocols import Embedder
from core.retrieval.corpus import Corpus
from core.retrieval.seeds import PassedOver, names_in_question, restore_capitals
from core.types import Hit, Retrieval

Parse = Callable[[str], ParsedQuestion]


@dataclass(frozen=True, eq=False)
class Query:
    """A question over one snapshot; what costs time is worked out at first use, once.

    `words` are those that are searched for. `entities` maps rows of the entities that the question names to the words
    that name them; `passed_over` are words that might have named something.
    """

    text: str
    parse: Parse
    embed: Callable[[str], NDArray[np.float32]]
    words: tuple[str, ...]
    entities: Mapping[int, str]
    passed_over: tuple[PassedOver, ...] = ()
    written: str = ""  # the question with its names as the documents write them

    @cached_property
    def parsed(self) -> ParsedQuestion:
        return self.parse(self.written or self.text)

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        """A unit vector, (d,). Raises ModelUnavailable."""
        return self.embed(self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """Keys of the names that the parser found, whether an entity bears them or not."""
        return tuple(name.key for name in self.parsed.names)


def analyse(text: str, corpus: Corpus, parse: Parse, embedder: Embedder) -> Query:
    """Return the question with everything that is known of it before anything is searched for."""
    passed_over: list[PassedOver] = []
    entities = names_in_question(text, corpus, passed_over)
    words = tuple(searched_words(text))
    written = restore_capitals(text, entities, corpus)
    return Query(text, parse, embedder.embed_question, words, entities, tuple(passed_over), written)


class Retriever(Protocol):
    """Ranks passages for a question; `k` is clamped to the corpus, scores never rise with rank."""

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval: ...


@dataclass(frozen=True, slots=True)
class Signals:
    """What a second stage knew of each candidate when it chose it: values by passage id, in the order of `names`."""

    names: tuple[str, ...] = ()
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


class SecondStage(Protocol):
    """Reorders the hits of a first stage."""

    def reorder(
        self, query: Query, hits: Sequence[Hit], k: int, context: TaskContext
    ) -> tuple[tuple[Hit, ...], Signals]:
        """Return the k best hits, whose scores never rise, and the signals that decided, if the stage knows any."""
        ...
