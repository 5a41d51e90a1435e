"""The table of compositions: read, refused in words, and every one of it at work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answering.models import Models
from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.protocols import LanguageModel
from core.retrieval.composed import ComposedRetriever, compose
from core.retrieval.compositions import (
    SCORERS,
    Composition,
    MappingPart,
    PathsPart,
    PruningPart,
    SubgraphPart,
    as_toml,
    read_compositions,
    shipped_compositions,
    varied,
)
from core.retrieval.path_ranking import Memo
from core.retrieval.query import Query
from core.retrieval.routes import LAB, ROUTES
from core.retrieval.scoring.text_scorers import Chosen
from core.types import Generation, Scope, Structured
from core.workspace import Workspace

Compose = Callable[..., ComposedRetriever]
QUESTION = "Who owns the Grey Petrel?"
CONTEXT = TaskContext()
TABLE = shipped_compositions()
ALONE = sorted(name for name, each in TABLE.items() if not each.needs_model)


@pytest.mark.long
@pytest.mark.parametrize("name", ALONE)
def test_every_composition_without_a_model_ranks(sample_workspace: Workspace, name: str) -> None:
    route, found = sample_workspace.retrieve(QUESTION, CONTEXT, LAB + name, 5)
    assert route == LAB + name
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4, 5]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.passage_id for hit in found.hits}) == 5
    assert found.stages and all(stage.seconds >= 0 for stage in found.stages)
    assert all(0 < heat <= 1 for heat in found.heat.values())
    with pytest.raises(Cancelled):
        sample_workspace.retrieve(QUESTION, TaskContext(cancelled=lambda: True), LAB + name, 3)


class Scripted:
    """A language model that always chooses the first three."""

    name = "scripted"

    def structured(
        self, messages: object, record: type[Chosen], *_: object, **__: object
    ) -> Structured[Chosen]:
        return Structured(record((1, 2, 3)), Generation("", 0, 0, 0.0))

    def generate(self, *_: object, **__: object) -> Generation:
        return Generation("So the answer is: Otto Kask.", 0, 0, 0.0)


@pytest.fixture(scope="module")
def scripted(sample_workspace: Workspace) -> Compose:
    """With a model, and a reader that reads nothing."""
    asker = sample_workspace.retrieval.asker()
    models = replace(
        asker.rankings.models,
        relevance=lambda question, texts: np.array([1.0 / (1 + len(text)) for text in texts]),
        language_model=lambda name: cast(LanguageModel, Scripted()),
        model_name="scripted",
    )
    return partial(compose, asker.view, models, asker.config)


@pytest.fixture(scope="module")
def query(sample_workspace: Workspace) -> Query:
    return sample_workspace.retrieval.asker().rankings.analyse(QUESTION)


@pytest.mark.parametrize("name", sorted(TABLE.keys() - set(ALONE)))
def test_with_a_model_they_rank(
    scripted: Compose, query: Query, name: str, sample_workspace: Workspace
) -> None:
    with pytest.raises(BadInput, match="language model"):
        sample_workspace.retrieve(QUESTION, CONTEXT, LAB + name, 3)
    found = scripted(TABLE[name]).retrieve(query, 5, CONTEXT)
    assert len(found.hits) == 5
    assert found.heat or "thoughts" in TABLE[name].rank


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_combination_runs(scripted: Compose, query: Query, scorer: str) -> None:
    memo, sizes = Memo(), Counter[str]()
    every = product(
        ("none", "walk", "hops", "importance"),
        ("none", "nodes", "edges", "triples"),
        ("enumerated", "shortest", "one-way", "beam"),
    )
    for extraction, component, paths in list(every)[SCORERS.index(scorer) :: len(SCORERS) + 1]:
        composed = Composition(
            subgraph=SubgraphPart(extraction, most=50),
            pruning=PruningPart(component, scorer, most=20),
            paths=PathsPart(paths, scorer=scorer, most=10, longest=2),
        )
        retriever = scripted(composed, memo)
        found = retriever.trace_paths(query, CONTEXT)
        assert found
        seeds = len(found.asked.seeds)
        assert extraction == "none" or len(found.subgraph.entities) <= 50
        assert component != "nodes" or len(found.subgraph.entities) <= 20 + seeds
        assert component != "triples" or len(found.subgraph.facts) <= 20
        assert len(found.paths) <= 10
        assert set(found.paths.facts[found.paths.facts >= 0].tolist()) <= set(found.subgraph.facts.tolist())
        assert len(retriever.retrieve(query, 3, CONTEXT).hits) == 3
        sizes[paths] += len(found.paths)
    assert all(sizes.values())


def test_an_answer_comes_along_a_composition(sample_workspace: Workspace) -> None:
    answer = sample_workspace.ask("Where was Tobias Renwick arrested?", CONTEXT, "lab:no-12")
    assert answer.trace.route.name == "lab:no-12"
    assert answer.citations
    assert {"seeds", "subgraph", "paths", "passages"} <= {stage.name for stage in answer.trace.stages}


@pytest.mark.parametrize("name", ["no-12", "microsoft-local", "paths-staged"])
def test_a_composition_keeps_to_a_scope(sample_workspace: Workspace, name: str) -> None:
    _, everywhere = sample_workspace.retrieve(QUESTION, CONTEXT, LAB + name, 50)
    documents = sorted({sample_workspace.passages.get(hit.passage_id).document_id for hit in everywhere.hits})
    scope = Scope(documents=tuple(documents[:2]))
    _, inside = sample_workspace.retrieve(QUESTION, CONTEXT, LAB + name, 50, scope)
    found = {sample_workspace.passages.get(hit.passage_id).document_id for hit in inside.hits}
    assert found == set(documents[:2])


def test_a_question_that_names_nothing_is_ranked_by_meaning(sample_workspace: Workspace) -> None:
    asker = sample_workspace.retrieval.asker()
    config = replace(asker.config, retrieval=replace(asker.config.retrieval, top_facts=0))
    retriever = compose(asker.view, asker.rankings.models, config, TABLE["no-12"])
    found = retriever.retrieve(asker.rankings.analyse("xyzzy"), 5, CONTEXT)
    _, dense = sample_workspace.retrieve("xyzzy", CONTEXT, "dense", 5)
    assert not found.seeds and not found.heat
    assert [hit.passage_id for hit in found.hits] == [hit.passage_id for hit in dense.hits]


def test_a_whole_route_is_that_route(sample_workspace: Workspace) -> None:
    for name in ROUTES:
        _, one = sample_workspace.retrieve(QUESTION, CONTEXT, name, 5)
        _, other = sample_workspace.retrieve(QUESTION, CONTEXT, LAB + name, 5)
        assert one.hits == other.hits


def test_lists_that_count_alike_are_joined_by_reciprocal_ranks(
    query: Query, sample_workspace: Workspace
) -> None:
    asker = sample_workspace.retrieval.asker()
    wide = asker.config.retrieval.candidates
    lists = [
        sample_workspace.retrieve(QUESTION, CONTEXT, route, wide)[1].hits
        for route in ("lexical", "lab:no-12")
    ]
    scores = Counter[str]()
    for hits in lists:
        for hit in hits:
            scores[hit.passage_id] += 0.5 / (asker.config.retrieval.rrf_k + hit.rank)
    mine = read_compositions("[mine]\nrank = ['words', 'no-12']\nsettings = ['retrieval.crowding=1']", "")[
        "mine"
    ]
    found = asker.rankings.compose(mine).retrieve(query, 10, CONTEXT)
    assert [hit.score for hit in found.hits] == pytest.approx(sorted(scores.values(), reverse=True)[:10])
    assert all(hit.score == pytest.approx(scores[hit.passage_id]) for hit in found.hits)
    assert found.complexity is None and found.ranks[found.hits[0].passage_id].keys() <= {"words", "no-12"}
    assert found.heat, "of the paths"


def test_the_instances_of_the_paper() -> None:
    assert {f"no-{number}" for number in range(1, 16)} <= set(TABLE)
    instances = [TABLE[f"no-{number}"] for number in range(1, 16)]
    plain = [replace(each, group="", source="", differs="") for each in instances]
    assert all(one != other for one, other in combinations(plain, 2))
    for number, each in enumerate(instances, 1):
        assert each.group == ("I" if number == 1 else "II" if number < 10 else "III" if number < 12 else "IV")
        assert (each.pruning.kind != "none") == (each.group in ("II", "III"))
        assert (each.paths.kind in ("one-way", "beam")) == (each.group in ("II", "IV"))
    assert all(each.source and each.differs for each in TABLE.values() if each.group == "published")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a", "cannot be read"),
        ("[a]\nseed = 3", "'seed' cannot stand here"),
        ("[a]\nseeds = 0", "from 1 to 1,000"),
        ("[a]\nsubgraph = { kind = 'magic' }", "none, walk, hops, importance"),
        ("[a]\nsubgraph = { damping = nan }", "0.99"),
        ("[a]\npaths = { scorer = 'words', whidth = 3 }", "'whidth' cannot stand here"),
        ("[a]\nsettings = ['retrieval.nothing=1']", "no setting"),
        ("[a]\nsettings = ['retrieval.reranker=/etc']", "retrieval.reranker cannot be set here"),
        ("[a]\nrank = ['psychic']", "document-words"),
        ("[a]\nrank = ['words', 'words']", "none of them twice"),
        ("[a]\nrank = ['a']", "a.rank cannot be"),
        ("[a]\nrank = ['words', 'meaning']\njoin = 'weighed'", "three"),
    ],
)
def test_a_table_that_is_wrong_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_compositions(text, "mine.toml")
    assert said in f"{refused.value} {refused.value.remedy}"


def test_a_composition_that_there_is_none_of_is_refused(sample_workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="no-12"):
        sample_workspace.ask(QUESTION, CONTEXT, "lab:psychic")
    with pytest.raises(BadInput):
        sample_workspace.retrieve(QUESTION, CONTEXT, "lab:", 3)


def test_one_thing_of_a_composition_is_changed() -> None:
    twelve = TABLE["no-12"]
    assert varied(twelve, "paths.most=8") == replace(twelve, paths=replace(twelve.paths, most=8))
    assert varied(twelve, "paths.kind=beam") == replace(twelve, paths=replace(twelve.paths, kind="beam"))
    assert varied(twelve, "second_stage=true") == replace(twelve, second_stage=True)
    assert varied(TABLE["graph"], "seeds=3") == replace(TABLE["graph"], seeds=3)


@pytest.mark.parametrize("change", ["paths.most=0", "paths.best=8", "rank=3", ""])
def test_a_change_that_cannot_be_is_refused(change: str) -> None:
    with pytest.raises(BadInput):
        varied(TABLE["no-12"], change)


def test_what_is_shipped_can_be_written_and_read() -> None:
    for name, composition in TABLE.items():
        assert read_compositions(as_toml(name, composition), "") == {name: composition}


@settings(max_examples=20)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=40),
    st.floats(0, 100),
    st.integers(1, 99),
)
def test_every_composition_can_be_written_and_read(words: str, weight: float, most: int) -> None:
    mine = Composition(differs=words, mapping=MappingPart(dense=weight), paths=PathsPart(most=most))
    assert read_compositions(as_toml("a-1", mine), "") == {"a-1": mine}


def test_a_workspace_keeps_compositions_as_routes(sample_copy: Path, models: Models, tmp_path: Path) -> None:
    with Workspace.open(sample_copy, models=models) as opened:
        text = opened.compositions.text("no-12").replace("no-12", "mine") + "seeds = 1\n"
        assert opened.compositions.keep(text) == ("mine",)
        assert opened.compositions.all()["mine"].seeds == 1
        _, found = opened.retrieve(QUESTION, CONTEXT, "lab:mine", 3)
        assert len(found.seeds) == 1
        opened.compositions.keep(text.replace("seeds = 1", "seeds = 2"))
        assert len(opened.retrieve(QUESTION, CONTEXT, "lab:mine", 3)[1].seeds) == 2
        with pytest.raises(BadInput, match="no-12"):
            opened.compositions.keep("[no-12]")
        assert "mine" in opened.compositions.text()
        opened.pins.pin(opened.ask(QUESTION, CONTEXT, "lab:mine"))
        opened.pins.export_pins(tmp_path / "pins.jsonl")
        assert opened.pins.import_pins(tmp_path / "pins.jsonl")
