"""Decides on facts and names, puts facts right in a person's words, undoes it and does it again.

Each act is one transaction, so a kill loses that act at most.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from core.errors import BadInput
from core.files.personal import read_personal
from core.review.naming import apply_to_names, items_of
from core.review.reanchor_decisions import ends_in, find, restate
from core.review.weighing import fact_state, set_states
from core.store.review_log import (
    LEAVE,
    NOTED,
    REDO,
    UNDO,
    ReviewItem,
    fact_of,
    fact_subject,
    names_of,
    names_subject,
    note_subject,
)
from core.store.statements import Source, detail_of
from core.store.store import Store
from core.text.translation import tr
from core.types import FactWords, NameChange, ReviewAct, StatedFact
from core.types.kinds import NOUN

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
    if len(store.candidates.words_of(facts)) < len(set(facts)):  # what a text says in the other voice by now
        voices = {id: other for id, other in store.facts.other_voices().items() if other in set(facts)}
        set_states(store, voices, voices)
    for subject in subjects:
        if names := names_of(subject):
            outcome = store.review_log.outcome(subject) or ""
            store.resolution.decide(*names, "" if outcome == LEAVE else outcome)
    apply_to_names(store, subjects)
    store.settings.touch()


PERSON = "person"  # who proposes what a person states
_OTHER = "OTHER"  # label of a name of which nothing else is known
_LONGEST_NOTE = 20_000  # characters
_LONGEST_QUOTE = 4_000
_GONE = tr("Choose another one.")


def correct(store: Store, fact_id: str, words: FactWords, *, reverse: bool = False, why: str = "") -> str:
    """Reject a fact and approve it in other words, or in the other direction; id of the act. Raises BadInput.

    It rests on the same quote, the surest. Where only the date is another one the fact itself is approved.
    """
    fact = store.candidates.get(fact_id).fact
    if not fact.triples:
        raise BadInput(tr("This fact is no longer in the workspace."), _GONE)
    surest = fact.triples[0]
    # An entity is shown by one of its names, and the fact is between the very names that its text has.
    unchanged = ("", fact.subject), ("", fact.object)
    words = replace(
        words,
        subject=surest.subject if words.subject in unchanged[0] else words.subject,
        predicate=words.predicate or fact.predicate,
        object=surest.object if words.object in unchanged[1] else words.object,
    )
    words = words.turned if reverse else words
    passage = store.passages.get(surest.passage_id).passage
    source = store.statements.source(passage.document_id)
    if source is None:
        raise BadInput(tr("This document is no longer in the workspace."), _GONE)
    start, end = (surest.start, surest.end) if surest.end > surest.start else (0, len(passage.text))
    spot = passage.start + start, passage.start + min(end, start + _LONGEST_QUOTE)
    new, item = _stated(store, source, spot, words)
    old = [ReviewItem(fact_subject(fact_id), "rejected", {"words": _words(store, fact_id)})]
    items = [*(old if new != fact_id else []), item]
    if new == fact_id and not words.date:
        raise BadInput(
            tr("Nothing of this fact would change."),
            tr("Change a name, the words between them, or the date."),
        )
    return _add(store, "edit", items, why)


def state(
    store: Store, document_id: str, quote: str, words: FactWords, *, near: int = 0, why: str = ""
) -> str:
    """Approve a fact that a document states in `quote`, the place nearest to `near`; id of the act. Raises BadInput."""
    source = store.statements.source(document_id)
    if source is None:
        raise BadInput(tr("This document is no longer in the workspace."), _GONE)
    spot = find(source.text, quote, near)
    if spot is None or spot[1] - spot[0] > _LONGEST_QUOTE:
        raise BadInput(
            tr("The document does not hold this quote."),
            tr("Copy at most {count} characters of its text.", count=_LONGEST_QUOTE),
        )
    _, item = _stated(store, source, spot, words)
    return _add(store, "add", [item], why)


def note(store: Store, kind: str, id: str, text: str) -> str:
    """Keep a note on a "fact" or an "entity"; id of the act. Raises BadInput."""
    if not text.strip() or len(text) > _LONGEST_NOTE:
        raise BadInput(
            tr("A note needs words."), tr("Write at most {count} characters.", count=_LONGEST_NOTE)
        )
    entity = kind == "entity"
    words = store.entities.get(id).name if entity else _words(store, store.candidates.get(id).fact.id)
    with store.database.transaction():
        item = ReviewItem(note_subject(kind, id), NOTED, {"words": words})
        act = store.review_log.add("note", [item], reviewer(), text.strip())
        store.settings.touch()
    return act


def _stated(store: Store, source: Source, spot: tuple[int, int], words: FactWords) -> tuple[str, ReviewItem]:
    """The fact's id, and what is to be kept of the statement."""
    fact = StatedFact(
        words.subject, words.predicate, words.object, words.subject_label, words.object_label,
        source.text[spot[0] : spot[1]], source.path, source.sha256, *spot, words.date, PERSON,
    )  # fmt: skip
    ends = ends_in(store, source.key, fact)
    if store.statements.passage_at(source.key, *spot) is None:
        raise BadInput(tr("No passage holds this quote."), tr("Mark other words of the document."))
    fact = replace(
        fact,
        subject_label=fact.subject_label or known_label(store, ends.subject) or _OTHER,
        object_label=fact.object_label or known_label(store, ends.object) or _OTHER,
    )
    return ends.fact_id, ReviewItem(
        fact_subject(ends.fact_id), "approved", {"words": fact.words, **detail_of(fact)}
    )


def known_label(store: Store, normal: str) -> str:
    """Of a name by its normal form; "" where nothing is known of it but that it is a noun."""
    known = store.statements.label(normal)
    return "" if known == NOUN else known


def _words(store: Store, fact_id: str) -> str:
    return store.candidates.words_of([fact_id]).get(fact_id, "")


def _add(store: Store, verb: str, items: list[ReviewItem], why: str) -> str:
    with store.database.transaction():
        act = store.review_log.add(verb, items, reviewer(), why)
        apply(store, [item.subject for item in items])
    return act
