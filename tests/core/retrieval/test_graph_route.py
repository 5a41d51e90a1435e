"""The graph route over small corpora whose facts are given, so that every stage's end is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import AgenticConfig
from core.errors import WorkspaceError
from core.progress import Cancelled, TaskContext
from core.research.external_triples import ExternalExtractor, ExternalPassage, ExternalTriples
from core.retrieval.routes import ROUTES
from core.text.sentences import sentences
from core.types import Passage, Retrieval
from core.types.kinds import stable_id
from core.workspace import Workspace

# Title: text, names, triples.
TEXTS: dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, str, str], ...]]] = {
    "The Salt Road": (
        "The Salt Road is a film of 1971 directed by Marta Ilves. It was shot in Tallinn.",
        ("The Salt Road", "Marta Ilves", "Tallinn"),
        (("The Salt Road", "directed by", "Marta Ilves"), ("The Salt Road", "shot in", "Tallinn")),
    ),
    "Marta Ilves": (
        "Marta Ilves was an Estonian director. She was born in Haapsalu on 4 May 1930.",
        ("Marta Ilves", "Haapsalu"),
        (("Marta Ilves", "born in", "Haapsalu"), ("Marta Ilves", "born on", "4 May 1930")),
    ),
    "Haapsalu": (
        "Haapsalu is a seaside town in Estonia. It is known for its mud baths.",
        ("Haapsalu", "Estonia"),
        (("Haapsalu", "town in", "Estonia"),),
    ),
    "Anna Berg": (
        "Anna Berg is an accountant who keeps the books of the Dunmore Trust.",
        ("Anna Berg", "Dunmore Trust"),
        (("Anna Berg", "keeps the books of", "Dunmore Trust"),),
    ),
    "Bent Coll": (
        "Bent Coll, a ship broker, signed for the Dunmore Trust in Oslo.",
        ("Bent Coll", "Dunmore Trust", "Oslo"),
        (("Bent Coll", "signed for", "Dunmore Trust"), ("Bent Coll", "signed in", "Oslo")),
    ),
    "Ida Roos": (
        "Ida Roos has been the doctor of Bent Coll for years.",
        ("Ida Roos", "Bent Coll"),
        (("Ida Roos", "doctor of", "Bent Coll"),),
    ),
    "Grain prices": ("Grain prices rose by four percent in March. Traders expect a calm summer.", (), ()),
    "Lost letter": ("A letter about the wreck of the Grey Petrel was found in a drawer.", (), ()),
}
LOCAL = "Who is the director of The Salt Road?"
BRIDGE = "Where was the director of The Salt Road born?"
JOIN = "Anna Berg and Bent Coll both work for which trust?"
NONE = "What do traders expect of the weather?"


def passage(title: str) -> Passage:
    text = TEXTS[title][0]
    key = stable_id("passage", title)
    document = stable_id("document", key)
    return Passage(key, document, 0, title, text, 0, len(text), None, tuple(sentences(text)))


def build_workspace(path: Path, models: Models) -> Workspace:
    opened = Workspace.open(path, create=True, models=models)
    given = {passage(t).id: ExternalPassage(names, triples) for t, (_, names, triples) in TEXTS.items()}
    extractor = ExternalExtractor(ExternalTriples(given, 0, "made"))
    opened.index_passages([passage(title) for title in TEXTS], TaskContext(), extractor)
    return opened


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    opened = build_workspace(tmp_path_factory.mktemp("agentic") / "w", models)
    yield opened
    opened.close()


def retrieved(workspace: Workspace, question: str, k: int = 5) -> Retrieval:
    return workspace.retrieve(question, TaskContext(), "graph", k)[1]


def titles(workspace: Workspace, found: Retrieval) -> list[str]:
    return [workspace.passages.get(hit.passage_id).title for hit in found.hits]


def detail(found: Retrieval, stage: str) -> str:
    (told,) = [each.detail for each in found.stages if each.name == stage]
    return told


def ran(found: Retrieval) -> list[str]:
    return [stage.name for stage in found.stages if stage.name in ("local", "bridge", "global")]


# ---------------------------------------------------------------- stages


def test_one_fact_ends_at_the_local_stage(workspace: Workspace) -> None:
    found = retrieved(workspace, LOCAL)
    assert (found.ended, ran(found)) == ("local", ["local"])
    assert titles(workspace, found)[0] == "The Salt Road"
    brought = found.brought[found.hits[0].passage_id]
    assert brought.stage == "local"
    assert "The Salt Road directed by Marta Ilves" in brought.facts
    assert "The Salt Road" in brought.nodes
    assert "relations 1.00" in detail(found, "local") and "enough" in detail(found, "local")


def test_the_second_step_begins_at_the_name_that_the_first_found(workspace: Workspace) -> None:
    found = retrieved(workspace, BRIDGE)
    assert (found.ended, ran(found)) == ("bridge", ["local", "bridge"])
    assert set(titles(workspace, found)[:2]) == {"The Salt Road", "Marta Ilves"}
    second = found.brought[passage("Marta Ilves").id]
    assert "Marta Ilves born in Haapsalu" in second.facts
    assert "open: bear" in detail(found, "local"), "the local stage says why it went on"


def test_the_node_between_two_seeds_is_found(workspace: Workspace) -> None:
    found = retrieved(workspace, JOIN)
    assert "bridge" in ran(found)
    for title in ("Anna Berg", "Bent Coll"):
        assert "Dunmore Trust" in found.brought[passage(title).id].nodes
    assert {"Anna Berg", "Bent Coll"} == set(titles(workspace, found)[:2])


def test_a_question_that_no_fact_covers_goes_through_all_stages(workspace: Workspace) -> None:
    found = retrieved(workspace, NONE)
    assert ran(found) == ["local", "bridge", "global"]
    assert found.ended in ("global", "fail")
    assert titles(workspace, found)[0] == "Grain prices"
    assert found.heat
    assert "goes on" in detail(found, "bridge")


def test_a_name_that_extraction_lost_is_found_in_the_text(workspace: Workspace) -> None:
    found = retrieved(workspace, "What was found about the Grey Petrel?")
    letter = passage("Lost letter").id
    assert "Grey Petrel (in the text)" in found.brought[letter].nodes
    assert found.hits[0].passage_id == letter
    assert "no entity for Grey Petrel" in detail(found, "align")


def test_a_name_that_is_nearly_spelled_is_aligned(workspace: Workspace) -> None:
    found = retrieved(workspace, "Where was Marta Ilvess born?")
    assert "0 entities by name, 1 nearly" in detail(found, "align")
    assert [seed.name for seed in found.seeds] == ["Marta Ilves"]
    assert found.ended == "local"
    far = retrieved(workspace, "Where was Marta Kaplinski born?")
    assert "0 entities by name, 0 nearly" in detail(far, "align"), "half a name is no match"
    assert all(seed.reason == "in a sentence near the question" for seed in far.seeds)


def test_a_relation_in_other_words_is_aligned_by_meaning(workspace: Workspace, models: Models) -> None:
    question = "Who is the physician of Bent Coll?"
    found = retrieved(workspace, question)
    assert "relations 1.00" in detail(found, "local")
    assert found.ended == "local"
    letters = ["agentic.related=1"]
    with Workspace.open(workspace.path, read_only=True, settings=letters, models=models) as opened:
        assert "relations 0.00" in detail(retrieved(opened, question), "local")


def test_without_relation_seeds_kinds_single_out_the_fact_that_tells(
    workspace: Workspace, models: Models
) -> None:
    """A director is a person, and Tallinn is none."""
    assert retrieved(workspace, LOCAL).ended == "local"
    nodes = ["agentic.relations=false"]
    with Workspace.open(workspace.path, read_only=True, settings=nodes, models=models) as opened:
        found = retrieved(opened, LOCAL)
        assert "relations: none" in detail(found, "align")
        assert found.ended == "local" and found.brought
        assert [fact for one in found.brought.values() for fact in one.facts] == [
            "The Salt Road directed by Marta Ilves"
        ]


@pytest.mark.long
def test_an_answer_shows_the_provenance(workspace: Workspace, models: Models) -> None:
    # In one round: the next one asks for where she was born by her name.
    with Workspace.open(workspace.path, models=models, settings=["control.rounds=0"]) as once:
        answer = once.ask(BRIDGE, TaskContext(), "graph")
    whys = {evidence.passage.title: evidence.why for evidence in answer.evidence}
    why = whys["Marta Ilves"]
    assert why is not None and why.brought is not None
    assert "Marta Ilves born in Haapsalu" in why.brought.facts
    assert "bridge" in [stage.name for stage in answer.trace.stages]


def test_the_walk_reaches_the_second_hop(workspace: Workspace) -> None:
    """The director's own passage does not name the film; the graph leads there."""
    _, found = workspace.retrieve(BRIDGE, TaskContext(), "lab:walk", 3)
    names = titles(workspace, found)
    assert {"The Salt Road", "Marta Ilves"} < set(names) and "Grain prices" not in names
    assert sum(seed.weight for seed in found.seeds) <= 1.0 + 1e-9
    assert all(0 < mass <= 1 for mass in found.heat.values())
    hottest = workspace.graph.entity(max(found.heat, key=lambda entity: found.heat[entity])).name
    assert hottest == "The Salt Road"


def test_an_empty_workspace_names_the_remedy(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, create=True) as empty:
        for route in ROUTES:
            with pytest.raises(WorkspaceError, match="clew index"):
                empty.retrieve(LOCAL, TaskContext(), route, 3)


# ---------------------------------------------------------------- bounds


def test_the_same_question_gives_the_same_evidence(workspace: Workspace, models: Models) -> None:
    again = workspace.retrieval.asker_over(None)
    for question in (LOCAL, BRIDGE, JOIN, NONE):
        first = retrieved(workspace, question)
        _, other = again.retrieve(question, "graph", 5, TaskContext())
        assert (first.hits, first.brought, first.ended) == (other.hits, other.brought, other.ended)
        assert first.brought and all(each.facts or each.nodes for each in first.brought.values())


def test_every_cap_may_be_as_low_as_it_says(models: Models, workspace: Workspace) -> None:
    spans = {each.name: each.metadata["span"] for each in fields(AgenticConfig)}
    lowest = [f"agentic.{name}={span[0]:g}" for name, span in spans.items() if span is not None]
    for settings in (lowest, *([one] for one in lowest[::3])):
        with Workspace.open(workspace.path, read_only=True, settings=settings, models=models) as opened:
            for question in (LOCAL, BRIDGE, NONE):
                found = retrieved(opened, question)
                assert 1 <= len(found.hits) <= 5
                assert ran(found) == ["local", "bridge", "global"][: len(ran(found))]


def test_caps_hold_back_what_is_brought(models: Models, workspace: Workspace) -> None:
    tight = ["agentic.facts=1", "agentic.passages=1", "agentic.bridges=0"]
    with Workspace.open(workspace.path, read_only=True, settings=tight, models=models) as opened:
        found = retrieved(opened, JOIN)
        assert "0 bridges" in detail(found, "bridge")
        assert sum(each.stage == "local" for each in found.brought.values()) <= 2


@pytest.mark.parametrize("after", [0, 3])
def test_it_stops_where_it_is_asked_to(workspace: Workspace, after: int) -> None:
    left = iter(range(after))
    stop = TaskContext(cancelled=lambda: next(left, None) is None)
    with pytest.raises(Cancelled):
        workspace.retrieve("Who paid Anna Berg and Bent Coll for The Salt Road?", stop, "graph", 3)


@pytest.mark.parametrize(
    "question",
    [
        "?",
        '"" OR "Salt" NEAR(',
        "Who is \"the director\" of 'The Salt Road'; DROP TABLE facts; --?",
        "Marta " * 300,
        "\u202eMarta Ilves\u202c \U0001f600\x00?",
        "玛尔塔在哪里出生?",
    ],
)
def test_hostile_questions_are_only_words(workspace: Workspace, question: str) -> None:
    found = retrieved(workspace, question)
    assert 1 <= len(found.hits) <= 5
    assert found.ended in ("local", "bridge", "global", "fail")
    assert workspace.counts().facts == 9
