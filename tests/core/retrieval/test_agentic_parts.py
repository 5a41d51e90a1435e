"""Bridges, trails, coverage and damage on graphs made by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from core.config import AgenticConfig
from core.graph.build import Edges, build_graph
from core.progress import TaskContext
from core.retrieval.agentic.coverage import of_facts, of_texts
from core.retrieval.agentic.facts import FactWords
from core.retrieval.agentic.needs import Named, Needs, Relation
from core.retrieval.agentic.retriever import EarlyStages, Evidence
from core.retrieval.agentic.trail import Taken, Trail, bridges
from core.retrieval.fact_graph import FactGraph, fact_graph
from core.retrieval.ppr import WalkRetriever, rank_by_entities, top_passages
from core.store.facts import FactColumns
from core.workspace import Workspace


def edges(n: int, facts: list[tuple[int, int]], strengths: list[float] | None = None) -> FactGraph:
    """Fact `i` has key 100 + i."""
    ends = np.array(facts, dtype=np.int64).reshape(-1, 2)
    weights = np.array(strengths or [1.0] * len(facts))
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    graph = build_graph(np.arange(n), np.zeros(0, np.int64), Edges(ends, weights), none, none)
    columns = FactColumns(np.arange(100, 100 + len(facts)), ends[:, 0], ends[:, 1], weights)
    return fact_graph(graph, columns, ["PERSON"] * n)


def between(graph: FactGraph, seeds: list[int], **caps: int) -> dict[int, tuple[tuple[int, ...], ...]]:
    config = AgenticConfig(**caps)
    return {found.row: found.paths for found in bridges(graph, seeds, config, TaskContext())}


# ---------------------------------------------------------------- edges and bridges


def test_facts_stand_at_both_ends_strongest_first() -> None:
    made = edges(3, [(0, 1), (2, 0), (1, 1)], [1.0, 2.0, 5.0])
    places = made.of(0, 10)
    assert made.keys[places].tolist() == [101, 100]
    assert made.others[places].tolist() == [2, 1]
    assert made.keys[made.of(0, 1)].tolist() == [101]
    assert made.degree(1) == 1, "a fact from an entity to itself leads nowhere"


def test_paths_run_from_the_seed_and_are_shortest() -> None:
    made = edges(6, [(0, 1), (1, 2), (0, 3), (3, 2), (2, 4), (0, 5), (5, 1)])
    found = between(made, [0, 4], hops=2, paths=2)
    assert set(found[2]) == {(100, 101), (102, 103), (104,)}
    assert len(between(made, [0, 4], hops=2, paths=1)[2]) == 2  # one a seed


def test_two_of_three_seeds_are_enough() -> None:
    made = edges(6, [(0, 3), (1, 3), (2, 4), (4, 5)])
    assert 3 in between(made, [0, 1, 2], hops=1)
    assert between(made, [2], hops=2) == {}


def test_nothing_goes_through_a_hub_and_caps_hold() -> None:
    hub = [(0, 1), (1, 2)] + [(1, at) for at in range(3, 40)]
    made = edges(40, hub)
    assert 2 not in between(made, [0, 2], hops=2, facts=5) or between(made, [0, 2], hops=2, facts=5)[2] == ()
    assert set(between(made, [0, 2], hops=1, facts=5)) == {1}
    assert len(between(made, list(range(3, 40)), hops=2, bridges=4)) == 4
    assert len(between(made, [0, 2], hops=2, reached=2)) <= 3


def test_the_nearest_bridge_comes_first_and_of_two_as_near_that_of_fewer_facts() -> None:
    """Between 0 and 1: by 2 over two facts, as by 3, which has a further one, and by 4 over three."""
    facts = [(0, 3), (3, 1), (3, 6), (0, 2), (2, 1), (0, 4), (4, 5), (5, 1)]
    graph = edges(7, facts)
    found = bridges(graph, [0, 1], AgenticConfig(hops=2, bridges=2), TaskContext())
    assert [(bridge.row, bridge.length) for bridge in found] == [(2, 2), (3, 2)]


def test_evidence_belongs_to_the_stage_that_found_it_first() -> None:
    evidence = Evidence()
    for stage, passage, fact in (("local", "p", "one"), ("bridge", "q", "one"), ("bridge", "p", "two")):
        evidence.add(stage, passage, [fact])
    assert evidence.order == ["p", "q"] and evidence.stages == {"p": "local", "q": "bridge"}
    assert evidence.facts == {"p": ["one", "two"], "q": ["one"]}


def test_passages_of_telling_facts_go_first_where_the_walk_ranks_them_high() -> None:
    walk = [f"p{at}" for at in range(12)]
    early = EarlyStages("", ("p11", "p9", "p2"))
    assert early.merge(walk) == ["p9", "p2", *(f"p{at}" for at in (0, 1, 3, 4, 5, 6, 7, 8, 10, 11))]
    assert EarlyStages("local", ("p11", "p9")).merge(walk) == ["p11", "p9"]


# ---------------------------------------------------------------- coverage

FILM, PERSON, TOWN, DATE = 0, 1, 2, 3
LABELS = ("WORK", "PERSON", "GPE", "DATE")
TEXT = {"p1": "the salt road was directed by marta ilves", "p2": "marta ilves was born in haapsalu"}
DIRECTOR = Relation("director", frozenset({"direct"}), ("PERSON",))
BORN = Relation("bear", frozenset({"born"}))
ROAD = Named("The Salt Road", "salt road")


def taken(source: int, target: int, page: str) -> Taken:
    return Taken(
        FactWords(source * 10 + target, "", frozenset(), frozenset(), "", (page,)), source, target, 1.0
    )


def text(page: str) -> str:
    return TEXT[page]


def test_a_chain_is_covered_when_every_relation_is_told_and_the_end_fits() -> None:
    needs = Needs((ROAD,), (ROAD,), (DIRECTOR,), (BORN,), ("GPE", "LOC"))
    half = Trail("salt road", (PERSON,), frozenset({0}), (taken(FILM, PERSON, "p1"),))
    found = of_facts(needs, [half], text, LABELS)
    assert (found.names, found.relations, found.answer, found.least) == (1.0, 0.5, 0.0, 0.0)
    assert found.open == ("bear", "an answer (GPE/LOC)")
    whole = Trail("salt road", (TOWN,), frozenset({0, 1}), (*half.taken, taken(PERSON, TOWN, "p2")), (TOWN,))
    assert of_facts(needs, [whole], text, LABELS).least == 1.0
    dated = Trail("salt road", (DATE,), frozenset({0, 1}), whole.taken, (DATE,))
    assert of_facts(needs, [dated], text, LABELS).answer == 0.0, "a date is no place"


def test_trails_do_not_lend_each_other_relations() -> None:
    other = Named("Otto Kask", "otto kask")
    needs = Needs((ROAD, other), (ROAD, other), (), (DIRECTOR, BORN), ())
    one = Trail("salt road", (PERSON,), frozenset({0}), (taken(FILM, PERSON, "p1"),), (PERSON,))
    two = Trail("otto kask", (TOWN,), frozenset({1}), (taken(PERSON, TOWN, "p2"),), (TOWN,))
    assert of_facts(needs, [one, two], text, LABELS).relations == 0.5


def test_a_comparison_wants_the_relation_of_each() -> None:
    other = Named("Otto Kask", "otto kask")
    needs = Needs((ROAD, other), (ROAD, other), (), (BORN,), ("DATE",), each=True)
    pages = {"p1": "the salt road", "p2": "otto kask"}
    one = Trail("salt road", (DATE,), frozenset({0}), (taken(FILM, DATE, "p1"),), (DATE,))
    two = Trail("otto kask", (DATE,), frozenset({0}), (taken(PERSON, DATE, "p2"),), (DATE,))
    half = of_facts(needs, [one, Trail("otto kask", (PERSON,))], pages.__getitem__, LABELS)
    assert (half.relations, half.answer) == (0.5, 0.5)
    assert of_facts(needs, [one, two], pages.__getitem__, LABELS).least == 1.0


def test_text_covers_what_it_holds() -> None:
    needs = Needs((ROAD,), (ROAD,), (DIRECTOR,), (BORN,), ("GPE",))
    texts = [(words, frozenset(words.replace("directed", "direct").split())) for words in TEXT.values()]
    assert of_texts(needs, texts, ["GPE"]).least == 1.0
    assert of_texts(needs, texts[:1], ["GPE"]).relations == 0.5
    assert of_texts(needs, texts, ["DATE"]).answer == 0.0
    assert of_texts(Needs((ROAD,)), [], ()).least == of_facts(Needs(), [], text, LABELS).least == 0.0


def test_passages_are_mapped_back_from_the_heaviest_nodes(sample_workspace: Workspace) -> None:
    """A2RAG eq. 12: the union of the passages that name the heaviest nodes, and no other."""
    asker = sample_workspace.retrieval.asker()
    corpus, n, most = asker.view.corpus, asker.view.corpus.graph.n_entities, 7
    question = "Who owns the Grey Petrel?"
    found, walk = WalkRetriever(corpus, asker.config.retrieval).walk(
        asker.rankings.analyse(question), 500, TaskContext()
    )
    hits = top_passages(corpus, rank_by_entities(corpus, walk, most), 500)
    heaviest = {corpus.entity_ids.rows[id]: mass for id, mass in list(found.heat.items())[:most]}
    expected = Counter[str]()
    for row, mass in heaviest.items():
        for node in corpus.graph.adjacency[row].indices.tolist():
            if node >= n:
                expected[corpus.passage_ids[node - n]] += mass
    assert {hit.passage_id for hit in hits} == expected.keys() and len(expected) > 3
    order = [expected[hit.passage_id] for hit in hits]
    assert order == pytest.approx(sorted(order, reverse=True))
