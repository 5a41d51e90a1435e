"""What the sentences behind a verified answer tell waits for a person; before that it changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput
from core.progress import TaskContext
from core.review.attach_support import attach_support
from core.types import (
    POLICIES,
    Answer,
    CandidateFact,
    Citation,
    Claim,
    Complexity,
    FactFilter,
    FactWords,
    Policy,
    Round,
    Route,
    Trace,
    Verdict,
)
from core.workspace import Workspace
from tests.conftest import NAMES
from tests.core.review.conftest import Settled, broken, counting

ASKED = "Who founded Calder Reach Trading?"
PAID = "Calder Reach Trading paid the price from an account with Moselle Credit Bank."
TEXT = f"{PAID} Ines Holm wrote a report on the loss of the Northern Gannet. She painted the harbour."
TEXTS = {**NAMES, "d.txt": TEXT}
PAYMENT = ("Calder Reach Trading", "paid price from account with", "Moselle Credit Bank")
NOW = TaskContext()


@pytest.fixture
def names_path(indexed_path: Path) -> Path:
    """With a document of which indexing leaves something to be read."""
    return indexed_path


@pytest.fixture
def papers(folder: Path) -> Path:
    return folder


def answered(workspace: Workspace, quote: str = PAID, text: str = "Moselle Credit Bank") -> Answer:
    """A verified answer that cites the quote."""
    (document,) = [d for d in workspace.documents.all() if d.path in ("d.txt", "e.txt")]
    (passage,) = workspace.passages.of_document(document.id)
    start = passage.start + passage.text.index(quote)
    citation = Citation(passage.id, document.id, document.path, "", None, start, start + len(quote), quote)
    route = Route("dense", Complexity(0.5, 0.25, 0.5, ()))
    trace = Trace(ASKED, route, (), (), {}, (), 0.0, (Round(1, ASKED, "dense", text, ()),))
    return Answer(text, (quote,), (citation,), (), trace, confidence=0.9)


def proposed(workspace: Workspace, answer: Answer | None = None) -> list[str]:
    answer = answer or answered(workspace)
    return workspace.review.propose(ASKED, workspace.review.facts_in(answer, NOW))


def waiting(workspace: Workspace, state: str = "open") -> list[CandidateFact]:
    return workspace.review.queue(FactFilter(state, proposer="answer"))


def test_it_waits_with_its_sentence_and_its_question_and_changes_nothing_that_counts(
    workspace: Workspace, papers: Path, settled: Settled
) -> None:
    begin, facts, revision = settled(), counting(workspace), workspace._store.settings.revision()
    derived = workspace.status().derived_digest
    assert len(proposed(workspace)) == 1
    (found,) = waiting(workspace)
    fact = found.fact
    assert (fact.subject, fact.predicate, fact.object) == PAYMENT
    assert (found.state, found.counts) == ("open", False)
    assert (found.proposers, found.questions) == (("answer",), (ASKED,))
    assert 0 < found.probability < 1 and found.priority > 0, "it is weighed like all others"
    triple = fact.triples[0]
    assert workspace.passages.get(triple.passage_id).text[triple.start : triple.end] == PAID
    assert counting(workspace) == facts
    assert workspace._store.settings.revision() == revision, "questions go on with what they have read"
    assert not workspace.status().unfinished and workspace.status().derived_digest == derived
    (act,) = workspace.review.log()
    assert (act.verb, act.why, act.subject) == ("propose", ASKED, " ".join(PAYMENT))
    assert broken(workspace) == {}
    workspace.review.undo(act.id)
    assert settled() == begin


@pytest.mark.parametrize("counts", POLICIES)
def test_under_every_policy_it_counts_once_it_is_approved(
    workspace: Workspace, papers: Path, settled: Settled, counts: str
) -> None:
    workspace.review.set_policy(Policy(counts, 0.1), NOW)
    (id,) = proposed(workspace)
    settled()
    workspace.review.set_policy(Policy(counts, 0.0), NOW)
    assert not workspace.review.fact(id).counts
    workspace.review.decide([id], "approved")
    settled()
    assert PAYMENT in counting(workspace)
    workspace.review.undo()
    settled()
    assert PAYMENT not in counting(workspace) and workspace.review.fact(id).state == "open"
    workspace.review.redo()
    workspace.review.decide([id], "open")
    assert not workspace.review.fact(id).counts


def test_an_answer_rests_on_nothing_that_waits(workspace: Workspace, papers: Path) -> None:
    answer = answered(workspace)
    before = attach_support(workspace._store, answer)
    (id,) = proposed(workspace, answer)
    assert attach_support(workspace._store, answer) == before
    workspace.review.decide([id], "approved")
    assert attach_support(workspace._store, answer).rests_on == ("approved",)


def test_it_is_proposed_once_whatever_became_of_it(workspace: Workspace, papers: Path) -> None:
    (id,) = proposed(workspace)
    assert proposed(workspace) == []
    workspace.review.decide([id], "rejected")
    assert proposed(workspace) == []
    workspace.review.undo()
    workspace.review.undo(workspace.review.log(-1)[-1].id)
    assert waiting(workspace, "") == [], "the proposal itself is undone"
    assert proposed(workspace) == []
    workspace.review.redo(workspace.review.log(-1)[-1].id)
    assert [found.fact.id for found in waiting(workspace)] == [id]


def test_what_indexing_found_is_not_proposed_nor_what_names_nothing(
    workspace: Workspace, papers: Path
) -> None:
    quote = "Ines Holm wrote a report on the loss of the Northern Gannet."
    answer = answered(workspace, quote, "Ines Holm")
    (fact,) = workspace.review.facts_in(answer, NOW)
    assert fact.words == "Ines Holm wrote report on loss of Northern Gannet"
    words = FactWords(fact.subject, "told of", fact.object)
    document = answer.citations[0].document_id
    workspace.review.add(document, quote, words)
    assert workspace.review.facts_in(answer, NOW) == [], "the names are joined there by now"
    assert (
        workspace.review.facts_in(answered(workspace, "She painted the harbour.", "the harbour"), NOW) == []
    )
    junk = replace(fact, subject="She"), replace(fact, predicate="in"), replace(fact, object="loss")
    assert workspace.review.propose(ASKED, [*junk, replace(fact, object="Ines")]) == []
    unrelated = replace(
        answered(workspace, quote, "harbour"), trace=replace(answer.trace, question="Who painted?")
    )
    assert workspace.review.facts_in(unrelated, NOW) == []


def failed(answer: Answer) -> Answer:
    (only,) = answer.trace.rounds
    return replace(answer, trace=replace(answer.trace, rounds=(replace(only, failure="grounding"),)))


NOT_VERIFIED: dict[str, Callable[[Answer], Answer]] = {
    "it failed": failed,
    "a guess": lambda answer: replace(answer, guess=True),
    "no answer": lambda answer: replace(answer, abstained=True),
    "no citation": lambda answer: replace(answer, citations=()),
    "not carried": lambda answer: replace(answer, claims=(Claim("It paid.", Verdict.ABSENT, ()),)),
    "gone": lambda answer: replace(answer, citations=(replace(answer.citations[0], passage_id="gone"),)),
    "other words": lambda answer: replace(answer, citations=(replace(answer.citations[0], quote="It was."),)),
}


def test_only_what_is_verified_proposes_anything(workspace: Workspace, papers: Path) -> None:
    answer = answered(workspace)
    wrong = {what for what, change in NOT_VERIFIED.items() if proposed(workspace, change(answer))}
    assert (wrong, workspace.review.log()) == (set(), [])
    text = "It paid from an account with Moselle Credit Bank."
    carried = replace(answered(workspace, text=text), claims=(Claim(text, Verdict.SUPPORTED, (0,)),))
    assert len(proposed(workspace, carried)) == 1


def test_what_a_person_says_of_the_answer_comes_first(workspace: Workspace, papers: Path) -> None:
    answer = answered(workspace)
    workspace.answers.judge(answer, "wrong")
    assert proposed(workspace, answer) == []
    guess = replace(answer, guess=True)
    workspace.answers.judge(guess, "right")
    assert len(proposed(workspace, guess)) == 1


@pytest.mark.parametrize(
    ("change", "state"), [("extracted again", "open"), ("moved", "approved"), ("other words", "rejected")]
)
def test_it_outlives_indexing(
    workspace: Workspace, papers: Path, settled: Settled, change: str, state: str
) -> None:
    (id,) = proposed(workspace)
    workspace.review.decide([id], state)
    if change == "moved":
        (papers / "d.txt").rename(papers / "e.txt")
    elif change == "other words":
        (papers / "d.txt").write_text(f"It rained. {TEXT}", encoding="utf-8")
    else:
        workspace._store.passages.reset("extract")
    workspace.index(papers, NOW)
    settled()
    found = workspace.review.fact(id)
    assert (found.state, found.counts) == (state, state == "approved")
    assert workspace.review.without_subject() == []


def test_it_goes_with_its_document_and_comes_back_with_it(
    workspace: Workspace, papers: Path, settled: Settled
) -> None:
    proposed(workspace)
    begin = settled()
    shutil.move(papers / "d.txt", papers.parent / "d.txt")
    workspace.index(papers, NOW)
    assert waiting(workspace) == [] and workspace.review.without_subject() == []
    assert broken(workspace) == {}
    shutil.move(papers.parent / "d.txt", papers / "d.txt")
    workspace.index(papers, NOW)
    assert settled() == begin


def test_logs_are_joined_without_a_dispute_and_none_makes_it_count(
    workspace: Workspace, papers: Path, tmp_path: Path
) -> None:
    (id,) = proposed(workspace)
    workspace.review.export_log(tmp_path / "proposed.json", TaskContext())
    workspace.review.undo(workspace.review.log()[0].id)
    with Workspace.open(tmp_path / "other", create=True) as other:
        other.index(papers, NOW)
        other.review.replay(tmp_path / "proposed.json")
        assert [(c.fact.id, c.counts, c.questions) for c in waiting(other)] == [(id, False, (ASKED,))]
        other.review.decide([id], "approved")
        other.review.export_log(tmp_path / "approved.json", TaskContext())
    workspace.review.replay(tmp_path / "approved.json")
    assert workspace.review.states().get("disputed") is None
    text = (tmp_path / "proposed.json").read_text(encoding="utf-8")
    assert '"proposer": "answer"' in text
    (tmp_path / "bad.json").write_text(
        text.replace('"proposer": "answer"', '"proposer": "rules"'), encoding="utf-8"
    )
    with pytest.raises(BadInput, match="does not know"):
        workspace.review.replay(tmp_path / "bad.json")
