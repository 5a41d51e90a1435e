"""What an answer rests on: facts that somebody approved, facts that nobody looked at yet, or words alone."""

from __future__ import annotations

from dataclasses import replace

from core.store.store import Store
from core.types import Answer, Citation

APPROVED, UNREVIEWED = "approved", "unreviewed"
_NOTHING = (
    "Only approved facts count, and no sentence that would answer this holds one."
    " Approve facts, or let others count."
)


def rested(store: Store, answer: Answer) -> Answer:
    """The answer with what each of its sentences rests on; where only approved facts count, without the others.

    A sentence rests on the facts that were read from the place it cites.
    """
    rests = tuple(_rests_on(store, citation) for citation in answer.citations)
    if store.candidates.policy().counts != APPROVED or answer.abstained or not answer.citations:
        return replace(answer, rests_on=rests)
    keep = [at for at, what in enumerate(rests) if what == APPROVED]
    if not keep:
        return replace(
            answer, text="", sentences=(), citations=(), claims=(), alternatives=(), guess=False,
            abstained=True, missing=_NOTHING, left_out=len(rests),
        )  # fmt: skip
    if len(keep) == len(rests):
        return replace(answer, rests_on=rests)
    place = {at: number for number, at in enumerate(keep)}
    claims = tuple(
        replace(claim, citations=tuple(place[at] for at in claim.citations if at in place))
        for claim in answer.claims
        if not claim.citations or any(at in place for at in claim.citations)
    )
    sentences = tuple(s for at, s in enumerate(answer.sentences) if at in place or at >= len(rests))
    return replace(
        answer,
        text=answer.text if 0 in place else sentences[0],
        sentences=sentences,
        citations=tuple(answer.citations[at] for at in keep),
        claims=claims,
        rests_on=tuple(rests[at] for at in keep),
        left_out=len(rests) - len(keep),
    )


def _rests_on(store: Store, citation: Citation) -> str:
    """approved, unreviewed, or "" where no fact was read from the place, or rejected ones alone."""
    states = store.candidates.states_at(citation.document_id, citation.start, citation.end)
    if APPROVED in states:
        return APPROVED
    return UNREVIEWED if states & {"open", "disputed"} else ""
