"""How facts under review, and decisions on them, are said to people."""

from __future__ import annotations

from datetime import datetime

from app.look.translation import tr, trn
from core.types import CandidateFact, Fact, ReviewAct

_VERBS = {
    "approve": tr("approved"),
    "reject": tr("rejected"),
    "reopen": tr("opened again"),
    "edit": tr("edited"),
    "add": tr("added"),
    "note": tr("noted"),
    "rename": tr("renamed"),
    "retype": tr("changed the kind"),
    "alias": tr("added a name"),
    "merge": tr("merged"),
    "part": tr("kept apart"),
    "split": tr("split"),
    "propose": tr("proposed"),
    "same": tr("joined names"),
    "different": tr("kept names apart"),
    "leave": tr("left names to the rules"),
    "run": tr("decided on names"),
    "undo": tr("undid"),
    "redo": tr("did again"),
}


def verb_words(act: ReviewAct) -> str:
    return _VERBS.get(act.verb, act.verb)


def act_subject(act: ReviewAct) -> str:
    """On what it decided; of an act that turned another one, what that had done."""
    subject, more = act.subject, act.items - 1
    if more > 0:
        subject = trn("{first} and {count} more", "{first} and {count} more", more, first=subject)
    if not act.about:
        return subject
    if not act.about_verb:  # which a joined log did not bring
        return tr("an earlier decision")
    return tr("{verb}: {subject}", verb=_VERBS.get(act.about_verb, act.about_verb), subject=subject)


# By state: in words, its icon, the role of its colour.
STATES = {
    "open": (tr("waiting"), "circle-dashed", "muted"),
    "approved": (tr("approved"), "check-circle", "ok"),
    "rejected": (tr("rejected"), "x-circle", "error"),
    "disputed": (tr("disputed"), "scales", "warn"),
}
_PROPOSERS = {"rules": tr("the rules"), "answer": tr("a verified answer"), "import": tr("an import"),
               "person": tr("a person")}  # fmt: skip


def fact_words(fact: Fact) -> str:
    return tr(
        "{subject} – {predicate} – {object}",
        subject=fact.subject, predicate=fact.put_predicate, object=fact.object,
    )  # fmt: skip


def proposers_words(candidate: CandidateFact) -> str:
    return tr(", ").join(_PROPOSERS.get(one, one) for one in candidate.proposers)


def proposer_words(proposer: str) -> str:
    return _PROPOSERS.get(proposer, proposer)


def known_words(facts: int) -> str:
    """Of an end of a fact, which has so many others."""
    return trn("known, {count} other fact", "known, {count} other facts", facts) if facts else tr("new")


def turned_words(act: ReviewAct, undo: bool) -> str:
    action, what = verb_words(act), act_subject(act)
    if undo:
        return tr("Undone: {said} ({what})", said=action, what=what)
    return tr("Done again: {said} ({what})", said=action, what=what)


def note_words(act: ReviewAct) -> str:
    moment = datetime.fromisoformat(act.created).astimezone()
    return tr("{person}, {when}: {text}", person=act.person, when=f"{moment:%Y-%m-%d %H:%M}", text=act.why)
