"""Hundreds of words that stand only outside of a scope: none is in anything that a question of the scope returns."""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.retrieval.routes import GLOBAL, ROUTES
from core.text.jsonable import to_jsonable
from core.types import Answer, MissMark, Scope
from core.workspace import Workspace
from tests.conftest import written

pytestmark = pytest.mark.long

CANARIES = 400
PER_FILE = 25
QUESTIONS = (
    "Who repaired the lighthouse at Varde?",
    "When was Mirja Solheim hired, and by whom?",
    "What did Mirja Solheim do after Aksel Brun left the harbour board?",
    "Who are the key people?",
    "What are the main themes of these documents?",
    "Give me a timeline of the events.",
    "What is the sum of the Fee?",
    "What does clause 2 say about the pilots?",
)
# All share people, a place and a trade, so that walks, chains and communities lead from one to the other.
SHARED = ("Mirja Solheim", "Aksel Brun", "Varde", "the Harbour Board of Varde")


def _canaries(chance: random.Random) -> list[str]:
    """Capitalised words of letters that no document has otherwise."""
    found: dict[str, None] = {}
    while len(found) < CANARIES:
        found["".join(chance.choice("bdfgklmnprstvz") + chance.choice("aiou") for _ in range(5)).title()] = (
            None
        )
    return list(found)


@pytest.fixture(scope="module")
def canaries() -> list[str]:
    return _canaries(random.Random(7))


@pytest.fixture(scope="module")
def workspace(
    tmp_path_factory: pytest.TempPathFactory, models: Models, canaries: list[str]
) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("canaries")
    texts = {
        "2019-03-04 lighthouse.txt": "2019-03-04\n\nMirja Solheim repaired the lighthouse at Varde on 4 March 2019. "
        "Aksel Brun hired Mirja Solheim on 2 January 2019. Aksel Brun left the Harbour Board of Varde in May 2019.\n",
        "2020-06-01 pilots.txt": "2020-06-01\n\n1. The pilots of Varde report to the Harbour Board of Varde.\n\n"
        "2. The pilots are paid by Mirja Solheim on 1 June 2020.\n",
        "fees.csv": "Ship,Fee\nPetronel,10\nWanderer,20\nKestrel,30\n",
    }
    for number, first in enumerate(range(0, CANARIES, PER_FILE)):
        words = iter(canaries[first : first + PER_FILE])
        sentences = [
            f"{next(words)} {next(words)} met {SHARED[number % 2]} in Varde on {number % 28 + 1} July 2021. "
            f"{SHARED[(number + turn) % 2]} sold the {next(words)} to {next(words)} Trading of {next(words)}."
            for turn in range(PER_FILE // 5)
        ]
        if number % 4 == 3:
            names = re.findall(r"\w+", " ".join(canaries[first : first + PER_FILE]))
            rows = "\n".join(f"{name},{at + 1}" for at, name in enumerate(names))
            texts[f"{number}.csv"] = f"Ship,Fee\n{rows}\n"
        elif number % 4 == 2:
            texts[f"{number}.txt"] = "\n\n".join(
                f"{at}. {text}" for at, text in enumerate(sentences, start=1)
            )
        else:
            texts[f"{number}.txt"] = f"2021-07-{number % 28 + 1:02}\n\n" + " ".join(sentences)
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(written(place / "papers", texts), TaskContext())
        yield opened


@pytest.fixture(scope="module")
def scopes(workspace: Workspace) -> dict[str, Scope]:
    ids = {document.path: document.id for document in workspace.documents.all()}
    board = workspace.search("Harbour Board", 1, ("entity",))[0].id
    communities = {
        each.id: workspace.retrieval.restrict_to(Scope(communities=(each.id,))).taken
        for each in workspace.graph.communities()
    }
    return {
        "a document": Scope(documents=(ids["2019-03-04 lighthouse.txt"],)),
        "documents": Scope(documents=(ids["2020-06-01 pilots.txt"], ids["fees.csv"])),
        "an entity": Scope(entities=(board,)),
        "a community": Scope(communities=(min(communities, key=lambda id: communities[id]),)),
        "a time": Scope(until="2020-12-31"),
    }


class Outside:
    """What no answer of a scope may hold: ids and canaries, read from the database without the scope's own code."""

    def __init__(self, workspace: Workspace, scope: Scope, canaries: list[str]) -> None:
        connection = workspace._store.database.connection()
        self.inside = set(workspace.retrieval.asker().restrict_to(scope).view.corpus.passage_ids)
        passages = list(connection.execute("SELECT key, id, title, text, document_key FROM passages"))
        keys = {row[0] for row in passages if row[1] in self.inside}
        text = " ".join(f"{row[2]} {row[3]}" for row in passages if row[0] in keys)
        self.words = {word for word in canaries if word not in text}
        documents = {row[4] for row in passages if row[0] in keys}
        heads = dict(connection.execute("SELECT key, coalesce(head_key, key) FROM entities"))
        mentioned = {
            heads[entity]
            for entity, passage in connection.execute("SELECT entity_key, passage_key FROM mentions")
            if passage in keys
        }
        facts_inside = {
            fact
            for fact, passage in connection.execute("SELECT fact_key, passage_key FROM triples")
            if passage in keys
        }
        rows = dict(connection.execute("SELECT key, id FROM entities"))
        self.entities = {rows[key] for key in mentioned}
        self.ids = {row[1] for row in passages if row[0] not in keys}
        self.ids |= {id for key, id in rows.items() if heads[key] not in mentioned}
        self.ids |= {
            id for key, id in connection.execute("SELECT key, id FROM documents") if key not in documents
        }
        self.ids |= {
            id
            for key, id in connection.execute("SELECT key, id FROM candidate_facts")
            if key not in facts_inside
        }

    def found_in(self, text: str) -> set[str]:
        words = {word.casefold(): word for word in self.words}
        return {words[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in words} | (
            self.ids & set(re.findall(r"[0-9a-f]{8,}", text))
        )


@pytest.mark.parametrize("name", ["a document", "documents", "an entity", "a community", "a time"])
def test_no_answer_holds_anything_of_outside(
    workspace: Workspace, scopes: dict[str, Scope], canaries: list[str], name: str
) -> None:
    scope = scopes[name]
    outside = Outside(workspace, scope, canaries)
    assert len(outside.words) >= (CANARIES // 2 if name in ("an entity", "a community") else CANARIES)
    routes = ("auto", *ROUTES, GLOBAL)
    for number, question in enumerate(QUESTIONS, start=list(scopes).index(name)):
        route = routes[number % len(routes)]
        try:
            answer = workspace.ask(question, TaskContext(), route, scope=scope)
        except BadInput:
            assert route == GLOBAL
            continue
        assert outside.found_in(_everything(workspace, answer)) == set(), question
        assert set(answer.trace.heat) <= outside.entities, question
        assert set(workspace.retrieval.heat(question, TaskContext(), scope)) <= outside.entities


@pytest.mark.parametrize("name", ["a document", "an entity", "a time"])
def test_no_pack_ranking_or_diagnosis_holds_anything_of_outside(
    workspace: Workspace, scopes: dict[str, Scope], canaries: list[str], name: str, tmp_path: Path
) -> None:
    scope = scopes[name]
    outside = Outside(workspace, scope, canaries)
    for number, question in enumerate(QUESTIONS[:3]):
        answer = workspace.ask(question, TaskContext(), "graph", scope=scope)
        workspace.pack(answer, tmp_path / f"{number}.zip", TaskContext())
        with zipfile.ZipFile(tmp_path / f"{number}.zip") as pack:
            for member in pack.namelist():
                assert outside.found_in(pack.read(member).decode("utf-8", "replace")) == set(), member
        session = workspace.retrieval.open_ranking_session(question, TaskContext(), scope=scope)
        ranking = session.rank(TaskContext())
        rows_of_ranking = [
            to_jsonable(row) for rows in (ranking.hits, ranking.candidates, ranking.seeds) for row in rows
        ]
        assert outside.found_in(json.dumps(rows_of_ranking, default=str)) == set()
        passage = sorted(outside.inside)[0]
        miss = workspace.misses.why(question, MissMark(passage_id=passage), TaskContext(), scope=scope)
        assert outside.found_in(json.dumps(to_jsonable(miss), default=str)) == set()


def _everything(workspace: Workspace, answer: Answer) -> str:
    """The answer, its trace and the file of that, as text."""
    saved = workspace.traces.as_json(workspace.traces.of(answer))
    return json.dumps(to_jsonable(answer), default=str, ensure_ascii=False) + saved
