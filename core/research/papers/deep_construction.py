"""Checks of Deep GraphRAG 2.1.1: every edge has a description; every pair of names compared, and what a model says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig
from core.extraction.aligning import align
from core.extraction.prompts import TripleReply
from core.ingest.linking import Linker
from core.progress import TaskContext
from core.research.papers.check import expect_equal
from core.review.name_suggestions import SameReply, candidates, confirm
from core.store.facts import Evidence, describe_fact
from core.store.store import Store
from core.text.sentences import sentences
from core.types import Generation, Message, Passage, Structured

_TAU = 0.95
_WORDS = (
    "amber",
    "birch",
    "cedar",
    "dune",
    "elm",
    "fern",
    "gorse",
    "heath",
    "iris",
    "juniper",
    "kelp",
    "larch",
)
_LABELS = ("ORG", "PERSON")


class _Discriminator:
    """Says that two names are one where their letters together are even in number."""

    name = "given"

    def structured(
        self,
        messages: Sequence[Message],
        record: type[Any],
        context: TaskContext,
        *,
        max_tokens: int = 0,
    ) -> Structured[Any]:
        one, other = (message.text.split("\n")[1].casefold() for message in messages[1:])
        return Structured(SameReply("yes" if _same(one, other) else "no"), Generation("", 1, 1, 0.0))


def _same(one: str, other: str) -> bool:
    return (len(one.split(" (")[0]) + len(other.split(" (")[0])) % 2 == 0


def resolution() -> None:
    """Check that exactly the pairs of one kind above tau are given to the discriminator, and that its verdicts
    hold.
    """
    random = np.random.default_rng(5)
    vectors = 1 + 0.35 * random.standard_normal((len(_WORDS), 6)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    near = [
        tuple(sorted((_WORDS[a], _WORDS[b])))
        for a, b in combinations(range(len(_WORDS)), 2)
        if a % 2 == b % 2 and float(vectors[a].astype(float) @ vectors[b].astype(float)) > _TAU
    ]
    with _store(vectors) as store:
        found = [tuple(sorted((pair.one[0], pair.other[0]))) for pair in candidates(store)]
        expect_equal(sorted(found), sorted(near), "pairs above tau")
        outcome = confirm(store, _Discriminator(), 100, TaskContext(), "run")  # type: ignore[arg-type]
        same = [pair for pair in near if _same(*pair)]
        expect_equal((outcome.merged, outcome.separate), (len(same), len(near) - len(same)), "verdicts")
        for one, other in near:
            verdict = store.resolution.decided(one)[other]
            expect_equal(verdict, "same" if _same(one, other) else "different", f"{one} and {other}")


def descriptions() -> None:
    """Check that every edge a model described has its words if the passage carries them, and every other one a
    sentence.
    """
    text = "Ada Lind was born in Oslo. Otto Kask hired Ada Lind, who lived in Oslo, in 1904."
    places = tuple(sentences(text))
    passage = Passage("p", "d", 0, "Letters", text, 0, len(text), None, places)
    replies = [
        TripleReply("Ada Lind", "was born in", "Oslo", "Ada Lind was born in the city of Oslo."),
        TripleReply("Otto Kask", "hired", "Ada Lind", "Otto Kask dismissed Ada Lind in 1905."),
        TripleReply("Ada Lind", "lived in", "Oslo"),
    ]
    expected = [
        "Ada Lind was born in the city of Oslo.",
        text[places[1].start :],
        text[places[0].start : places[0].end],
    ]
    triples = align(passage, (), replies).extraction.triples
    expect_equal(len(triples), len(replies), "edges")
    for triple, words in zip(triples, expected, strict=True):
        evidence = Evidence(text[triple.start : triple.end], triple.confidence, triple.description)
        expect_equal(describe_fact([evidence]), words.strip(), f"the description of {triple.predicate}")


@contextmanager
def _store(vectors: NDArray[np.float32]) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), "given", vectors.shape[1], create=True)
        try:
            with store.database.transaction() as connection:
                names = [(word, word.title(), _LABELS[at % 2]) for at, word in enumerate(_WORDS)]
                rows = store.entities.ensure(connection, names)
                own = [(rows[word].key, vectors[at]) for at, word in enumerate(_WORDS)]
                store.embeddings.put(connection, "entity", own)
            Linker(store, GraphConfig(synonymy_neighbours=20)).link(
                np.zeros(0, dtype=np.int64), TaskContext()
            )
            yield store
        finally:
            store.close()
