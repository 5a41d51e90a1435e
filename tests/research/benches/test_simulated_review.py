"""The simulated reviewer decides by gold, and what is measured is what the store holds afterwards."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.progress import TaskContext
from core.research.benches.docred import Article
from core.research.benches.simulated_review import Review, verdict
from core.research.synthetic.workspace import made_workspace
from core.review.weighing import take_in
from core.store.store import Store
from core.types import Fact, FactFilter, Passage, Triple

ARTICLE = Article(
    Passage("p", "d", 0, "", "", 0, 0), (("Anna Berg",), ("Oslo",), ("Acme Lines",)), frozenset({(0, 1)})
)


def fact(*ends: tuple[str, str]) -> Fact:
    triples = tuple(Triple(one, "met", other, "p", 0, 1, 0.9) for one, other in ends)
    return Fact("f", "s", "met", "o", 0.9, "", "", triples)


def test_gold_judges_facts_between_its_names() -> None:
    articles = {"p": ARTICLE}
    assert verdict(fact(("Oslo", "Anna Berg")), articles) is True
    assert verdict(fact(("Oslo", "Acme Lines")), articles) is False
    assert verdict(fact(("Oslo", "the river")), articles) is None
    assert verdict(fact(("Oslo", "the river"), ("Anna Berg", "Oslo")), articles) is True


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = made_workspace(tmp_path, 60, TaskContext())
    take_in(made)
    return made


@pytest.mark.parametrize("queued", [True, False])
def test_decisions_raise_the_precision(store: Store, queued: bool) -> None:
    candidates = store.candidates
    facts = candidates.read(candidates.keys_of(candidates.ids(FactFilter(state=""))))
    articles = {}
    for one in facts:
        triple = one.fact.triples[0]
        known = articles.get(triple.passage_id, ARTICLE)
        names = known.names if known is not ARTICLE else ()
        names = (*names, (triple.subject,), (triple.object,))
        pairs = known.related if known is not ARTICLE else frozenset()
        if one.fact.predicate in ("met", "hired", "paid", "visited"):
            pairs |= {(len(names) - 2, len(names) - 1)}
        articles[triple.passage_id] = Article(ARTICLE.passage, names, pairs)
    review = Review(store, articles, random.Random(1))
    found = dict(review.decide(queued, (0, 60)))
    states = candidates.states(FactFilter(state=""))
    assert states["approved"] + states["rejected"] == 60
    assert found[0].errors == 0 and found[0].recall == found[60].recall == 1.0
    assert found[60].errors == states["rejected"] > 0
    assert found[60].precision > found[0].precision
    store.close()
