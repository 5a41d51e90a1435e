"""How the events of a construction are said to people."""

from __future__ import annotations

from datetime import datetime

from app.answers.act_words import act_subject, verb_words
from app.look.translation import tr, trn
from core.types import Built, Construction, Event

ICONS = {
    Event.PASSAGE: "article",
    Event.NAME: "circle",
    Event.FACT: "arrow-right",
    Event.MERGE: "git-merge",
    Event.SYNONYM: "link",
    Event.ACT: "user",
}


def event_words(events: Construction, at: int) -> str:
    """What came then."""
    kind, row = Event(int(events.kinds[at])), int(events.rows[at])
    if kind is Event.PASSAGE:
        return events.passage_titles[row] or tr("A passage without a title")
    if kind is Event.NAME:
        return events.names[row]
    if kind is Event.FACT:
        subject, object_ = (events.names[end] for end in events.ends[row].tolist())
        predicate = events.predicates[row]
        return tr("{subject}, {predicate}, {object}", subject=subject, predicate=predicate, object=object_)
    if kind is Event.MERGE:
        name, into = (events.names[end] for end in events.merges[row].tolist())
        return tr("merged: {name} into {into}", name=name, into=into)
    if kind is Event.SYNONYM:
        one, other = (events.names[end] for end in events.synonyms[row].tolist())
        return tr("near in meaning: {one} and {other}", one=one, other=other)
    act = events.acts[row]
    return tr("{verb}: {subject}", verb=verb_words(act), subject=act_subject(act))


def why_words(events: Construction, at: int) -> str:
    """What is told beside it; "" for nothing."""
    kind, row = Event(int(events.kinds[at])), int(events.rows[at])
    if kind is Event.PASSAGE:
        return tr("passage {number}", number=row + 1)
    if kind is Event.MERGE:
        return events.merge_reasons[row]
    if kind is Event.SYNONYM:
        return tr("cosine {value}", value=f"{float(events.cosines[row]):.2f}")
    if kind is Event.ACT:
        act = events.acts[row]
        act_time = datetime.fromisoformat(act.made).astimezone()
        return tr("{person}, {when}", person=act.person, when=f"{act_time:%Y-%m-%d %H:%M}")
    return ""


def built_words(built: Built) -> str:
    """What there is at a moment."""
    parts = [
        trn("{count} passage", "{count} passages", built.passages),
        trn("{count} entity", "{count} entities", built.entities),
        trn("{count} fact", "{count} facts", built.facts),
        trn("{count} merge", "{count} merges", built.merges),
    ]
    if built.synonyms:
        parts.append(trn("{count} synonym", "{count} synonyms", built.synonyms))
    if built.acts:
        parts.append(trn("{count} decision", "{count} decisions", built.acts))
    return "  ·  ".join(parts)


def order_words(events: Construction) -> str:
    """What of the order is known, and what is not kept."""
    known = tr(
        "Passages stand in the order in which they were first read, names and facts with the first passage that holds"
        " them now, decisions with their times. When names were merged or found near in meaning is not kept: they stand"
        " behind the passages."
    )
    if not events.extracted_again:
        return known
    again = trn(
        "{count} passage was read again after later ones.",
        "{count} passages were read again after later ones.",
        events.extracted_again,
    )
    return tr("{known} {again}", known=known, again=again)
