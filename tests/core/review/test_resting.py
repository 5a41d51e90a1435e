"""What an answer rests on, and what is left of it where only approved facts count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import BadInput
from core.progress import TaskContext
from core.review.attach_support import attach_support
from core.types import (
    Alternative,
    Answer,
    CandidateFact,
    Citation,
    Claim,
    Complexity,
    FactFilter,
    Policy,
    Route,
    Trace,
    Verdict,
)
from core.workspace import Workspace

COMPLEXITY = Complexity(0.5, 0.25, 0.5, ())


@pytest.fixture
def facts(workspace: Workspace) -> list[CandidateFact]:
    """Facts that were read from different sentences."""
    found = {}
    for candidate in workspace.review.queue(FactFilter("")):
        triple = candidate.fact.triples[0]
        found.setdefault((triple.passage_id, triple.start), candidate)
    assert len(found) >= 2
    return list(found.values())[:2]


def answer_from(workspace: Workspace, facts: list[CandidateFact]) -> Answer:
    """A sentence from the place of each fact."""
    citations = []
    for candidate in facts:
        triple = candidate.fact.triples[0]
        passage = workspace.passages.get(triple.passage_id)
        start, end = passage.start + triple.start, passage.start + triple.end
        quote = passage.text[triple.start : triple.end]
        citations.append(Citation(passage.id, passage.document_id, "", "", None, start, end, quote))
    quotes = tuple(citation.quote for citation in citations)
    trace = Trace("Who?", Route("graph", COMPLEXITY), (), (), {}, (), 0.0)
    return Answer(quotes[0], quotes, tuple(citations), (), trace)


def test_it_rests_on_what_was_read_from_the_places_it_cites(
    workspace: Workspace, facts: list[CandidateFact]
) -> None:
    answer = answer_from(workspace, facts)
    store = workspace._store
    assert attach_support(store, answer).rests_words == "Rests on facts that nobody has reviewed"
    workspace.review.decide([facts[0].fact.id], "approved")
    half = attach_support(store, answer)
    assert half.rests_on == ("approved", "unreviewed") and half.citations == answer.citations
    assert half.rests_words == "1 of 2 cited sentences rest on approved facts"
    workspace.review.decide([facts[1].fact.id], "approved")
    assert attach_support(store, answer).rests_words == "Rests on approved facts"
    nowhere = replace(answer, citations=tuple(replace(c, document_id="gone") for c in answer.citations))
    assert attach_support(store, nowhere).rests_words == ""


def test_where_only_approved_facts_count_the_rest_is_left_out(
    workspace: Workspace, facts: list[CandidateFact]
) -> None:
    answer = answer_from(workspace, facts)
    workspace.review.decide([facts[1].fact.id], "approved")
    workspace.review.set_policy(Policy("approved"), TaskContext())
    left = attach_support(workspace._store, answer)
    assert left.citations == answer.citations[1:] and left.sentences == answer.sentences[1:]
    assert (left.text, left.left_out) == (answer.sentences[1], 1)
    assert left.rests_words == "1 of 2 cited sentences remain: the others rest on nothing approved"
    short = attach_support(workspace._store, replace(answer, sentences=()))
    assert short.text == answer.citations[1].quote, "an answer without sentences still quotes"
    word = answer.citations[1].quote.split()[0]
    assert attach_support(workspace._store, replace(answer, text=word)).text == word, (
        "what is left still says it"
    )
    claims = tuple(Claim(s, Verdict.SUPPORTED, (at,), "", "") for at, s in enumerate(answer.sentences))
    model = replace(answer, text=" ".join(answer.sentences), claims=claims)
    assert attach_support(workspace._store, model).text == answer.sentences[1], (
        "of a model's text nothing else stays"
    )
    others = tuple(Alternative(c.quote, 0.5, c) for c in answer.citations)
    for which in (answer, replace(answer, abstained=True), replace(answer, citations=answer.citations[1:])):
        others_left = attach_support(workspace._store, replace(which, alternatives=others)).alternatives
        assert others_left == others[1:], "other readings rest on approved facts, too"
    workspace.review.undo()
    nothing = attach_support(workspace._store, answer)
    assert nothing.abstained and nothing.left_out == 2 and not nothing.citations
    assert "Only approved facts count" in nothing.missing


def test_where_none_is_approved_asking_says_so(workspace: Workspace) -> None:
    workspace.review.set_policy(Policy("approved"), TaskContext())
    with pytest.raises(BadInput, match="none is approved yet"):
        workspace.ask("Who owns the ship?", TaskContext())
    assert not workspace.graph.communities() and not workspace.graph.view().names


def test_nothing_but_approved_facts_is_listed_or_reported(
    workspace: Workspace, facts: list[CandidateFact]
) -> None:
    every, context = workspace.graph.communities(), TaskContext()
    reports = {community.id: workspace.reports.get(community.id) for community in every}
    fact = facts[0].fact
    workspace.review.decide([fact.id], "approved")
    workspace.review.set_policy(Policy("approved"), context)
    ends = {fact.subject_id, fact.object_id}
    listed = workspace.graph.communities()
    assert listed and {id for community in listed for id in community.entity_ids} <= ends
    for community in listed:
        report = workspace.reports.get(community.id)
        assert {entity.entity_id for entity in report.entities} <= ends
        assert {row.fact_id for row in report.facts} <= {fact.id}
    for letters in (fact.subject, *(candidate.fact.object for candidate in facts), "a"):
        for found in workspace.search(letters, 30):
            if found.kind in ("entity", "community", "fact"):
                known = {"entity": ends, "community": {str(c.id) for c in listed}, "fact": {fact.id}}
                assert found.id in known[found.kind]
            if found.kind == "passage":
                assert found.id in {triple.passage_id for triple in fact.triples}
    workspace.review.set_policy(Policy("all"), context)
    assert {c.id: workspace.reports.get(c.id) for c in workspace.graph.communities()} == reports
