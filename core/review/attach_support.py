"""What an answer rests on: facts that somebody approved, facts that nobody looked at yet, or words alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.store.store import Store
from core.text.translation import tr, trn
from core.types import Answer, Citation, Claim

APPROVED, UNREVIEWED = "approved", "unreviewed"


def attach_support(store: Store, answer: Answer) -> Answer:
    """The answer with what each of its sentences rests on; where only approved facts count, without the others.

    A sentence rests on the facts that were read from the place it cites.
    """
    rests = tuple(_rests_on(store, citation) for citation in answer.citations)
    answer = replace(answer, rests_on=rests, rests_words=_words(rests))
    if store.candidates.policy().counts != APPROVED:
        return answer
    others = tuple(other for other in answer.alternatives if _rests_on(store, other.citation) == APPROVED)
    answer = replace(answer, alternatives=others)
    if answer.abstained or not answer.citations:
        return answer
    keep = [at for at, what in enumerate(rests) if what == APPROVED]
    if not keep:
        missing = tr(
            "Only approved facts count, and no sentence that would answer this holds one."
            " Approve facts, or let others count."
        )
        return replace(answer.withdrawn(missing), left_out=len(rests))
    if len(keep) == len(rests):
        return answer
    place = {at: number for number, at in enumerate(keep)}
    claims = tuple(
        replace(claim, citations=tuple(place[at] for at in claim.citations if at in place))
        for claim in answer.claims
        if not claim.citations or any(at in place for at in claim.citations)
    )
    sentences = tuple(s for at, s in enumerate(answer.sentences) if at in place)
    return replace(
        answer,
        text=_text_left(answer, claims, [answer.citations[at].quote for at in keep], sentences),
        lead="",
        listed=(),
        sentences=sentences,
        citations=tuple(answer.citations[at] for at in keep),
        claims=claims,
        rests_on=tuple(rests[at] for at in keep),
        left_out=len(rests) - len(keep),
        rests_words=trn(
            "{kept} of {count} cited sentence remains: the other rests on nothing approved",
            "{kept} of {count} cited sentences remain: the others rest on nothing approved",
            len(rests),
            kept=len(keep),
        ),
    )


def _text_left(
    answer: Answer, claims: Sequence[Claim], quotes: Sequence[str], sentences: Sequence[str]
) -> str:
    """A model's text without the claims that went; a short answer where a quote that is left holds it."""
    if answer.claims and answer.text == " ".join(claim.text for claim in answer.claims):
        return " ".join(claim.text for claim in claims)
    if any(answer.text.casefold() in quote.casefold() for quote in quotes):
        return answer.text
    return next(iter((*sentences, *quotes)))


def _words(rests: Sequence[str]) -> str:
    """For people; "" where no fact was read from any of the places."""
    approved = sum(what == APPROVED for what in rests)
    if not any(rests):
        return ""
    if not approved:
        return tr("Rests on facts that nobody has reviewed")
    if approved == len(rests):
        return tr("Rests on approved facts")
    return trn(
        "{approved} of {count} cited sentence rests on approved facts",
        "{approved} of {count} cited sentences rest on approved facts",
        len(rests),
        approved=approved,
    )


def _rests_on(store: Store, citation: Citation) -> str:
    """approved, unreviewed, or "" where no fact was read from the place, or rejected ones alone."""
    states = store.candidates.states_at(citation.document_id, citation.start, citation.end)
    if APPROVED in states:
        return APPROVED
    return UNREVIEWED if states & {"open", "disputed"} else ""
