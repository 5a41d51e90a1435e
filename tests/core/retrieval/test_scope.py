"""A question that is kept to a scope: nothing from outside is found, cited or quoted, by whatever route."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.ask import Asker
from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.retrieval.routes import GLOBAL, ROUTES
from core.retrieval.timeline import passages_between
from core.types import FactFilter, MissMark, MissStage, Policy, SavedTrace, Scope
from core.workspace import Workspace
from tests.conftest import written

QUESTIONS = (
    "Who owns the Grey Petrel?",
    "How much did the Moselle Credit Bank lend?",
    "Who are the people in these documents?",
    "Give me a timeline of what happened.",
    "What are these documents about?",
    "What did Helena Brandvold do in Antwerp?",
)


@pytest.fixture(scope="module")
def asker(sample_workspace: Workspace) -> Asker:
    return sample_workspace.retrieval.asker()


@pytest.fixture(scope="module")
def scopes(sample_workspace: Workspace) -> dict[str, Scope]:
    w = sample_workspace
    documents = [document.id for document in w.documents.all()]
    cited = {citation.document_id for citation in w.ask(QUESTIONS[1], TaskContext()).citations}
    documents.sort(key=lambda id: id in cited)  # whether the answer is in scope is known
    ship = w.search("Grey Petrel", 1, ("entity",))[0].id
    community = w.search("Grey Petrel", 1, ("community",))[0].id
    return {
        "one document": Scope(documents=(documents[0],)),
        "two documents": Scope(documents=(documents[1], documents[4])),
        "an entity": Scope(entities=(ship,)),
        "a community": Scope(communities=(int(community),)),
        "a range": Scope(since="2021-03", until="2021-06"),
        "a document and a range": Scope(documents=tuple(documents[2:7]), since="2021"),
    }


def inside(asker: Asker, scope: Scope) -> set[str]:
    return set(asker.restrict_to(scope).view.corpus.passage_ids)


def passages_in(record: object) -> Iterator[str]:
    """Every passage that a record speaks of, however deep."""
    if is_dataclass(record):
        for field in fields(record):
            value = getattr(record, field.name)
            if field.name == "passage_id":
                yield value
            elif field.name == "passage_ids":
                yield from value
            else:
                yield from passages_in(value)
    elif isinstance(record, dict):
        yield from (id for value in record.values() for id in passages_in(value))
    elif isinstance(record, tuple | list):
        yield from (id for value in record for id in passages_in(value))


def entities_named(workspace: Workspace, scope: Scope) -> set[int]:
    """By SQL of its own: passage keys that name an entity, by any of its names."""
    connection = workspace._store.database.connection()
    return {
        key
        for (key,) in connection.execute(
            "SELECT m.passage_key FROM mentions m JOIN entities e ON e.key = m.entity_key"
            " LEFT JOIN entities h ON h.key = e.head_key WHERE coalesce(h.id, e.id) = ?",
            (scope.entities[0],),
        )
    }


# ------------------------------------------------------------ what is in scope


def test_a_scope_is_the_passages_that_it_says(
    sample_workspace: Workspace, asker: Asker, scopes: dict[str, Scope]
) -> None:
    documents = {d.id: d.path for d in sample_workspace.documents.all()}
    owners = {id: sample_workspace.passages.get(id).document_id for id in asker.view.corpus.passage_ids}
    wanted = scopes["two documents"].documents
    assert inside(asker, scopes["two documents"]) == {id for id, own in owners.items() if own in wanted}
    stored = asker.restrict_to(scopes["an entity"]).view.corpus.graph.passage_keys.tolist()
    assert set(stored) == entities_named(sample_workspace, scopes["an entity"])
    both = replace(scopes["one document"], entities=scopes["an entity"].entities)
    assert inside(asker, both) == inside(asker, scopes["one document"]) | inside(asker, scopes["an entity"])
    in_range = set(passages_between(sample_workspace._store, "2021-03", "2021-06").tolist())
    assert set(asker.restrict_to(scopes["a range"]).view.corpus.graph.passage_keys.tolist()) == in_range
    assert 0 < len(in_range) < len(owners)
    dated = replace(both, since="2021-03", until="2021-06")
    assert inside(asker, dated) == inside(asker, both) & inside(asker, scopes["a range"])
    found = sample_workspace.retrieval.restrict_to(both)
    assert [part.part for part in found.parts] == ["entity", "document"]
    assert found.parts[1].name == documents[both.documents[0]]
    assert (found.taken, found.count) == (len(inside(asker, both)), len(owners))


def test_a_community_is_the_passages_that_name_its_members(
    sample_workspace: Workspace, asker: Asker, scopes: dict[str, Scope]
) -> None:
    [community] = scopes["a community"].communities
    members = sample_workspace._store.communities.entities([community])[community]
    keys = set()
    connection = sample_workspace._store.database.connection()
    for member in members:
        keys |= {
            key
            for (key,) in connection.execute(
                "SELECT m.passage_key FROM mentions m JOIN entities e ON e.key = m.entity_key"
                " WHERE coalesce(e.head_key, e.key) = ?",
                (member,),
            )
        }
    assert keys == set(asker.restrict_to(scopes["a community"]).view.corpus.graph.passage_keys.tolist())


# ------------------------------------------------------------ rankings, against ranking all


@pytest.mark.parametrize("name", ["one document", "an entity", "a range"])
def test_dense_and_lexical_rank_as_among_all(
    asker: Asker, scopes: dict[str, Scope], name: str, question: str = QUESTIONS[0]
) -> None:
    """Exactly those that come first of all passages once the others are taken out, with the same scores."""
    context, stored = TaskContext(), asker.restrict_to(scopes[name])
    every, those = len(asker.view.corpus.passage_ids), inside(asker, scopes[name])
    for route in ("dense", "lexical"):
        all_ranked = asker.retrieve(question, route, every, context)[1].hits
        expected = [(h.passage_id, h.score) for h in all_ranked if h.passage_id in those]
        for k in (1, 3, every):
            found = stored.retrieve(question, route, k, context)[1].hits
            assert [hit.passage_id for hit in found] == [id for id, _ in expected[:k]]
            assert [hit.score for hit in found] == pytest.approx([s for _, s in expected[:k]], abs=1e-5)


def weights_inside(asker: Asker, passages: set[int]) -> np.ndarray:
    """Of all nodes, without the evidence for facts that stands in other passages; (n, n)."""
    graph, store = asker.view.corpus.graph, asker._store
    weights = graph.adjacency.toarray().astype(float)
    facts = store.facts.columns()
    ends = {
        int(key): np.searchsorted(graph.entity_keys, (subject, object_)).tolist()
        for key, subject, object_ in zip(facts.keys, facts.subjects, facts.objects, strict=True)
    }
    rows = store.database.connection().execute("SELECT fact_key, passage_key, confidence FROM triples")
    for key, passage, confidence in rows:
        if passage not in passages and key in ends:
            subject, object_ = ends[key]
            if subject != object_:
                weights[subject, object_] -= confidence
                weights[object_, subject] -= confidence
    return weights


@pytest.mark.parametrize("name", ["one document", "an entity", "a range"])
def test_the_walk_is_that_of_the_graph_without_the_other_passages(
    asker: Asker, scopes: dict[str, Scope], name: str
) -> None:
    stored, damping = asker.restrict_to(scopes[name]), asker.config.retrieval.damping
    everything, corpus = asker.view.corpus, stored.view.corpus
    weights = weights_inside(asker, set(corpus.graph.passage_keys.tolist()))
    nodes = [everything.entity_ids.index(id) for id in corpus.entity_ids]
    nodes += [len(everything.entity_ids) + everything.passage_ids.index(id) for id in corpus.passage_ids]
    weights = weights[np.ix_(nodes, nodes)]
    np.testing.assert_allclose(corpus.graph.adjacency.toarray(), weights, atol=1e-5)
    n = corpus.graph.n_entities
    assert weights[:n, n:].any(axis=1).all()  # each entity is mentioned
    session = stored.rankings.open_ranking_session(QUESTIONS[0], "graph", TaskContext())
    ranking = session.rank(stored.config.retrieval, stored._config.routing, TaskContext())
    sums = weights.sum(axis=0)
    share = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    # What comes to a node without edges goes back to where the walk starts.
    share[:, sums == 0] = ranking.restart[:, None]
    exact = np.linalg.solve(np.eye(len(nodes)) - damping * share, (1 - damping) * ranking.restart)
    np.testing.assert_allclose(ranking.mass, exact / exact.sum(), atol=2e-3)
    order = [corpus.passage_ids[row] for row in np.argsort(-ranking.mass[n:], kind="stable")]
    merged = session.early.merge(order)
    assert [hit.passage_id for hit in ranking.candidates] == merged[: len(ranking.candidates)]


@pytest.mark.long
@pytest.mark.parametrize("route", ["auto", *sorted(ROUTES), GLOBAL])
def test_every_answer_tells_only_of_its_scope(
    sample_workspace: Workspace, asker: Asker, scopes: dict[str, Scope], route: str
) -> None:
    for question, (name, scope) in zip(QUESTIONS, scopes.items(), strict=True):
        try:
            answer = sample_workspace.ask(question, TaskContext(), route, scope=scope)
        except BadInput as refused:
            assert route == GLOBAL and "scope" in str(refused)
            continue
        assert set(passages_in(answer)) <= inside(asker, scope), (question, name)
        assert answer.trace.scope == scope
        assert answer.trace.stages[0].name == "scope"
        assert answer.trace.coverage is not None and answer.trace.coverage.taken == len(inside(asker, scope))


# ------------------------------------------------------------ nothing in scope, gone ids, hostile ones


@pytest.mark.parametrize("hostile", ["nobody", "'; DROP TABLE passages; --\x00%"])
def test_what_is_gone_is_named(sample_workspace: Workspace, scopes: dict[str, Scope], hostile: str) -> None:
    alone = Scope(entities=(hostile,), documents=(hostile,))
    answer = sample_workspace.ask(QUESTIONS[0], TaskContext(), scope=alone)
    assert answer.abstained and not answer.evidence
    assert "No passage is in the scope" in answer.missing and "clear it" in answer.missing
    assert answer.trace.coverage is not None
    assert [part.rejected for part in answer.trace.coverage.parts] == ["no longer in the workspace"] * 2
    adjacent = replace(scopes["one document"], entities=(hostile,))
    # A forced route: the scope knows nothing of the ship, and the gate shuts otherwise.
    answer = sample_workspace.ask(QUESTIONS[0], TaskContext(), "dense", scope=adjacent)
    assert answer.evidence
    assert "no longer in the workspace" in answer.trace.coverage.words


# ------------------------------------------------------------ tables


def test_a_table_is_computed_only_where_all_of_it_is_in_scope(models: Models, tmp_path: Path) -> None:
    rows = "".join(f"Ship {at},{at * 10}\n" for at in range(1, 40))
    texts = {
        "tolls.csv": f"Ship,Toll\n{rows}",
        "note.txt": "Ship 7 was seen in Bergen. Nothing is known of its toll.",
    }
    with Workspace.open(tmp_path / "w", create=True, models=models) as w:
        w.index(written(tmp_path / "papers", texts), TaskContext())
        asked = "What is the sum of Toll?"
        assert w.ask(asked, TaskContext()).text
        ids = {d.path: d.id for d in w.documents.all()}
        complete = w.ask(asked, TaskContext(), scope=Scope(documents=(ids["tolls.csv"],)))
        assert "7800" in complete.text.replace(",", "")
        assert "table" in [stage.name for stage in complete.trace.stages]
        without = w.ask(asked, TaskContext(), scope=Scope(documents=(ids["note.txt"],)))
        assert "table" not in [stage.name for stage in without.trace.stages]
        assert "7800" not in without.text.replace(",", "")


# ------------------------------------------------------------ approved facts only


def test_words_are_searched_among_all_that_may_be_found(models: Models, tmp_path: Path) -> None:
    """A list of so many is filled though better passages may not be found."""
    texts = {f"{at}.txt": f"The harbour of Bergen. Ship {at} lies there." for at in range(30)}
    texts["last.txt"] = (
        "In the harbour, far from here and long ago, Tobias Renwick founded Calder Reach Trading."
    )
    with Workspace.open(tmp_path / "w", create=True, models=models) as w:
        w.index(written(tmp_path / "papers", texts), TaskContext())
        facts = w.review.queue(FactFilter(), limit=200)
        reported = next(each for each in facts if "Renwick" in each.fact.subject)
        w.review.decide([reported.fact.id], "approved")
        w.review.set_policy(Policy("approved"), TaskContext())
        found = w.retrieve("harbour of Bergen", TaskContext(), "lexical", 1)[1].hits
        assert [w.passages.get(hit.passage_id).title for hit in found] == ["Last"]


# ------------------------------------------------------------ who asks again


@pytest.mark.long
def test_a_miss_outside_of_the_scope_is_called_so(
    sample_workspace: Workspace, asker: Asker, scopes: dict[str, Scope]
) -> None:
    w, scope = sample_workspace, scopes["one document"]
    free = w.ask(QUESTIONS[1], TaskContext())
    outside = next(c.passage_id for c in free.citations if c.passage_id not in inside(asker, scope))
    miss = w.misses.why(QUESTIONS[1], MissMark(passage_id=outside), TaskContext(), scope=scope)
    assert miss.lost is MissStage.SCOPE and "Only this was looked in" in miss.reason
    [change] = w.misses.changes(miss)
    trial = w.misses.try_change(miss, change, TaskContext())
    assert trial.outcome == "cited"
    within = next(iter(inside(asker, scope)))
    other = w.misses.why(QUESTIONS[1], MissMark(passage_id=within), TaskContext(), scope=scope)
    assert other.lost is not MissStage.SCOPE
    assert MissStage.SCOPE in [step.stage for step in other.steps]


def test_a_trace_keeps_its_scope(
    sample_workspace: Workspace, scopes: dict[str, Scope], tmp_path: Path
) -> None:
    answer = sample_workspace.ask(QUESTIONS[0], TaskContext(), scope=scopes["a document and a range"])
    saved = sample_workspace.traces.of(answer)
    sample_workspace.write_trace(saved, tmp_path / "trace.json", TaskContext())
    again: SavedTrace = sample_workspace.traces.read(tmp_path / "trace.json")
    assert again.trace.scope == scopes["a document and a range"]
    assert again.trace.coverage == answer.trace.coverage
    older = json.loads((tmp_path / "trace.json").read_text("utf-8"))
    del older["scope"]
    (tmp_path / "older.json").write_text(json.dumps(older), "utf-8")
    assert sample_workspace.traces.read(tmp_path / "older.json").trace.scope.all


# ------------------------------------------------------------ command line


@pytest.mark.usefixtures("lent_models")
def test_the_command_line_keeps_to_a_scope(sample_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = json.loads(_run(capsys, "documents", str(sample_path), "--json"))["documents"]
    path = paths[0]["path"]
    asked = ("ask", str(sample_path), QUESTIONS[0], "--in", path, "--in", "entity:grey petrel", "--json")
    reported = json.loads(_run(capsys, *asked))
    assert reported["scope"]["passages"] < reported["scope"]["of"]
    assert [part["part"] for part in reported["scope"]["parts"]] == ["entity", "document"]
    assert reported["stages"][0]["name"] == "scope"
    plain = _run(capsys, "ask", str(sample_path), QUESTIONS[0], "--since", "2021-03", "--until", "2021-04")
    assert "Looked in " in plain and "2021-03 to 2021-04" in plain
    assert json.loads(_run(capsys, "ask", str(sample_path), QUESTIONS[0], "--json"))["scope"] is None


@pytest.mark.parametrize("where", ["entity:Nobody at all", "no such file.pdf", "community:x"])
def test_the_command_line_says_what_there_is_not(
    sample_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    assert main(["ask", str(sample_path), QUESTIONS[0], "--in", where]) == 1
    reported = capsys.readouterr().err
    assert where.removeprefix("entity:") in reported


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert main(list(args)) == 0
    return capsys.readouterr().out
