"""What an answer rests on, and what is left of it where only approved facts count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.progress import TaskContext
from core.review.resting import rested
from core.types import Answer, CandidateFact, Citation, Complexity, FactFilter, Policy, Route, Trace
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
    assert rested(store, answer).rests_words == "Rests on facts that nobody has reviewed"
    workspace.review.decide([facts[0].fact.id], "approved")
    half = rested(store, answer)
    assert half.rests_on == ("approved", "unreviewed") and half.citations == answer.citations
    assert half.rests_words == "1 of 2 cited sentences rest on approved facts"
    workspace.review.decide([facts[1].fact.id], "approved")
    assert rested(store, answer).rests_words == "Rests on approved facts"
    nowhere = replace(answer, citations=tuple(replace(c, document_id="gone") for c in answer.citations))
    assert rested(store, nowhere).rests_words == ""


def test_where_only_approved_facts_count_the_rest_is_left_out_and_told(
    workspace: Workspace, facts: list[CandidateFact]
) -> None:
    answer = answer_from(workspace, facts)
    workspace.review.decide([facts[1].fact.id], "approved")
    workspace.review.set_policy(Policy("approved"), TaskContext())
    left = rested(workspace._store, answer)
    assert left.citations == answer.citations[1:] and left.sentences == answer.sentences[1:]
    assert (left.text, left.left_out) == (answer.sentences[1], 1)
    assert left.rests_words == "1 of 2 cited sentences remain: the others rest on nothing approved"
    short = rested(workspace._store, replace(answer, sentences=()))
    assert short.text == answer.citations[1].quote, "an answer without sentences still quotes"
    workspace.review.undo()
    nothing = rested(workspace._store, answer)
    assert nothing.abstained and nothing.left_out == 2 and not nothing.citations
    assert "Only approved facts count" in nothing.missing
