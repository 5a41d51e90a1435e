"""Decides on facts, undoes it and does it again. Each act is one transaction, so a kill loses that act at most."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Sequence

from core.errors import BadInput
from core.personal import read_personal
from core.review.naming import apply_to_names, items_of
from core.review.placing import restate
from core.review.weighing import fact_state
from core.store.review_log import (
    LEAVE,
    REDO,
    UNDO,
    ReviewItem,
    fact_of,
    fact_subject,
    names_of,
    names_subject,
)
from core.store.store import Store
from core.translation import tr
from core.types import NameChange, ReviewAct

VERBS = {"approved": "approve", "rejected": "reject", "open": "reopen"}


def reviewer() -> str:
    """Who decides: the name in the person's settings, else that of their account."""
    name = str(read_personal("person").get("name", "")).strip()
    try:
        return name or getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return ""


def decide_on_facts(store: Store, fact_ids: Sequence[str], outcome: str, why: str = "") -> str:
    """Have the facts be "approved", "rejected" or "open" again; id of the act. Raises BadInput."""
    if outcome not in VERBS:
        raise BadInput(
            tr("There is no decision {name}.", name=repr(outcome)),
            tr("Choose one of: {choices}.", choices=", ".join(VERBS)),
        )
    words = store.candidates.words_of(fact_ids)
    if not fact_ids or len(words) < len(set(fact_ids)):
        raise BadInput(tr("This fact is no longer in the workspace."), tr("Choose another one."))
    with store.database.transaction():
        items = [ReviewItem(fact_subject(id), outcome, {"words": said}) for id, said in words.items()]
        act = store.review_log.add(VERBS[outcome], items, reviewer(), why)
        apply(store, [item.subject for item in items])
    return act


def decide_on_names(store: Store, one: str, other: str, verdict: str, why: str = "", person: str = "") -> str:
    """Have two names, by their normal forms, be one entity ("same"), two ("different") or what the rules say ("").

    `person` decides, the reviewer where there is none.
    """
    subject = names_subject(one, other)
    with store.database.transaction():
        outcome = verdict or LEAVE
        item = ReviewItem(subject, outcome, {"words": f"{one} / {other}"})
        act = store.review_log.add(outcome, [item], person or reviewer(), why)
        apply(store, [subject])
    return act


def change_names(store: Store, change: NameChange, why: str = "") -> str:
    """Make this of entities and their names; id of the act. Raises BadInput."""
    items = items_of(store, change)
    with store.database.transaction():
        act = store.review_log.add(change.kind, items, reviewer(), why)
        apply(store, [item.subject for item in items])
    return act


def undo(store: Store, act_id: str = "") -> ReviewAct | None:
    """Undo an act, or the last one that holds; None where there is none."""
    return _turn(store, UNDO, act_id or store.review_log.last(), undone=False)


def redo(store: Store, act_id: str = "") -> ReviewAct | None:
    """Do an undone act again, or the one undone last since somebody decided anything; None where there is none."""
    return _turn(store, REDO, act_id or store.review_log.next(), undone=True)


def _turn(store: Store, verb: str, act_id: str, undone: bool) -> ReviewAct | None:
    act = store.review_log.act(act_id) if act_id else None
    if act is None or act.about or act.undone is not undone:
        if not act_id:
            return None
        raise BadInput(
            tr("There is nothing to undo in that.")
            if verb == UNDO
            else tr("There is nothing to redo in that."),
            tr("Choose an act of the log."),
        )
    with store.database.transaction():
        store.review_log.add(verb, (), reviewer(), about=act_id)
        apply(store, store.review_log.subjects(act_id))
    return act


def apply(store: Store, subjects: Iterable[str]) -> None:
    """Have the workspace show what holds on these subjects."""
    subjects = list(subjects)
    facts = [id for subject in subjects if (id := fact_of(subject))]
    restate(store, facts)
    store.candidates.set_states({id: fact_state(store, id) for id in facts})
    for subject in subjects:
        if names := names_of(subject):
            outcome = store.review_log.outcome(subject) or ""
            store.resolution.decide(*names, "" if outcome == LEAVE else outcome)
    apply_to_names(store, subjects)
    store.settings.touch()
