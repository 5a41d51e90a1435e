"""Decides on facts, undoes it and does it again. Each act is one transaction, so a kill loses that act at most."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from core.errors import BadInput
from core.files.personal import read_personal
from core.review.naming import apply_to_names, items_of
from core.review.reanchor_decisions import restate
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
from core.text.translation import tr
from core.types import NameChange, ReviewAct

RUN = "run"  # verb of several acts that were turned as one; no act of the log has it
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
        items = [ReviewItem(fact_subject(id), outcome, {"words": text}) for id, text in words.items()]
        act = store.review_log.add(VERBS[outcome], items, reviewer(), why)
        apply(store, [item.subject for item in items])
    return act


def decide_on_names(store: Store, one: str, other: str, verdict: str, why: str = "", person: str = "",
                    run: str = "") -> str:  # fmt: skip
    """Have two names, by their normal forms, be one entity ("same"), two ("different") or what the rules say ("").

    `person` decides, the reviewer where there is none; what is decided in one `run` can be undone at once.
    """
    subject = names_subject(one, other)
    with store.database.transaction():
        outcome = verdict or LEAVE
        item = ReviewItem(subject, outcome, {"words": f"{one} / {other}", **({"run": run} if run else {})})
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
    """Undo an act, or a run by its id; "" for the last act that holds, with its run. None where there is none."""
    log = store.review_log
    return _turn(store, UNDO, act_id, lambda: log.run_of(log.last()))


def redo(store: Store, act_id: str = "") -> ReviewAct | None:
    """Do an undone act again; "" for the one undone last since somebody decided anything, with those that were undone
    with it. None where there is none."""
    log = store.review_log
    return _turn(store, REDO, act_id, lambda: log.undone_with(log.next()))


def _turn(store: Store, verb: str, act_id: str, last: Callable[[], list[str]]) -> ReviewAct | None:
    log = store.review_log
    ids = last() if not act_id else [act_id] if log.act(act_id) else log.of_run(act_id)
    acts = [
        act for act in map(log.act, ids) if act is not None and not act.about and act.undone is (verb == REDO)
    ]
    if not acts:
        if not act_id:
            return None
        raise BadInput(
            tr("There is nothing to undo in that.")
            if verb == UNDO
            else tr("There is nothing to redo in that."),
            tr("Choose an act of the log."),
        )
    with store.database.transaction():
        log.turn(verb, [act.id for act in acts], reviewer())
        apply(store, [subject for act in acts for subject in log.subjects(act.id)])
    return acts[0] if len(acts) == 1 else replace(acts[0], verb=RUN, items=len(acts))


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
