"""One parsed window of a passage -> its mentions and triples."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.extraction.asides import aside_names, read_aside
from core.extraction.clauses import Found, clause_triples
from core.extraction.descriptions import description_triples
from core.extraction.mentions import VALUES, Name, find_names, title_names
from core.extraction.names import normalise
from core.extraction.owners import Owners
from core.extraction.phrases import Endpoint, Phrases
from core.extraction.reading import Aside, Reading
from core.extraction.references import References, Topic, find_topic, relabelled
from core.types import ExtractedMention, Extraction, Passage, Triple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

ALIAS = 0.85
_UNBORN = frozenset({"GPE", "LOC", "NORP", "FAC", "EVENT"})
_GAP = frozenset(" \t\n\"'”“’,.(")


def extract_window(doc: Doc, reading: Reading, passage: Passage, offset: int) -> Extraction:
    """Mentions and triples of the window that starts at `offset` of the passage."""
    titles = title_names(passage.title)
    title = titles[0] if titles else ""
    opening = passage.ordinal == 0 and offset == 0
    spans = reading.spans(doc)
    names = find_names(doc, reading, spans, title)
    topic = find_topic(doc, reading.text, names, title, opening)
    names = relabelled(names, topic)
    references = References(doc, names, topic, reading if opening else None)
    phrases = Phrases(doc, reading.source, spans, names, references.stands_for)
    owners = Owners(phrases, topic)

    window = _Window(doc, spans, passage.id, offset)
    for found in clause_triples(doc, phrases, owners):
        window.add(found)
    for found in description_triples(doc, phrases, owners):
        window.add(found)
    for alias, anchor in references.aliases:
        target = Endpoint(topic.name.text, topic.name) if topic else None
        if target is not None:
            window.add(Found(Endpoint(alias.text, alias), "also known as", target, anchor, ALIAS))
    ends = [name.end for name in names]
    aside_mentions: list[Name] = []
    for aside in reading.asides:
        said: list[Name] = []
        for found, name in _aside_triples(doc, aside, names, ends, reading, references, topic):
            window.add(found, (aside.source_start, aside.source_end))
            said.append(name)
        aside_mentions += said + [
            name for name in aside_names(aside) if not any(n.start < name.end and name.start < n.end for n in said)
        ]
    mentions = _mentions(names, aside_mentions, references, titles, topic.name.label if topic else "WORK", offset)
    return Extraction(mentions, tuple(window.triples.values()))


class _Window:
    """Collects triples; of two that say the same the surer stays."""

    def __init__(self, doc: Doc, spans: list[tuple[int, int, str]], passage_id: str, offset: int) -> None:
        self._doc, self._spans, self._passage_id, self._offset = doc, spans, passage_id, offset
        self._sentences = {}
        for sentence in doc.sents if len(doc) else ():
            for i in range(sentence.start, sentence.end):
                self._sentences[i] = (spans[sentence.start][0], spans[sentence.end - 1][1])
        self.triples: dict[tuple[str, str, str], Triple] = {}

    def add(self, found: Found, evidence: tuple[int, int] | None = None) -> None:
        one, other = normalise(found.subject.text), normalise(found.object.text)
        if not one or not other or one == other or found.subject.value:
            return
        if f" {one} " in f" {other} " and not found.object.named:
            return
        start, end = self._sentences[found.anchor]
        if evidence is not None:
            start, end = min(start, evidence[0]), max(end, evidence[1])
        triple = Triple(
            found.subject.text,
            found.predicate,
            found.object.text,
            self._passage_id,
            start + self._offset,
            end + self._offset,
            round(min(found.confidence, 1.0), 3),
        )
        key = (one, found.predicate, other)
        known = self.triples.get(key)
        if known is None or known.confidence < triple.confidence:
            self.triples[key] = triple


def _names_again(token: Token) -> bool:
    """Whether the name stands in an alias or an apposition, not as some other person."""
    while token.dep_ in {"compound", "appos", "conj"}:
        token = token.head
    return token.dep_ == "pobj" and token.head.lower_ in {"as", "in", "by"} or token.dep_ in {"nsubj", "oprd", "dobj"}


def _aside_triples(
    doc: Doc,
    aside: Aside,
    names: list[Name],
    ends: list[int],
    reading: Reading,
    references: References,
    topic: Topic | None,
) -> Iterator[tuple[Found, Name]]:
    """Triples of the name that stands directly before the bracket."""
    at = bisect_right(ends, aside.source_start) - 1
    if at < 0:
        return
    name = names[at]
    if name.label in VALUES or name.label == "NORP" or set(reading.source[name.end : aside.source_start]) - _GAP:
        return
    point = references.stands_for.get(name.last)
    owner = point.name if point is not None and point.name is not None else name
    before_verb = topic is not None and topic.kind == "person" and name.last < references.opening_root
    if topic is not None and before_verb and (owner.label in _UNBORN or _names_again(doc[name.last])):
        owner = topic.name  # "John Ince, also known as John E. Ince, (1878 - 1947) was"
    is_topic = topic is not None and owner.text == topic.name.text
    if is_topic and topic is not None and topic.kind:
        person: bool | None = topic.kind == "person"
    else:
        person = {"PERSON": True, "WORK": False, "WORK_OF_ART": False}.get(owner.label)
    for said in read_aside(aside, person):
        target = Endpoint(said.name.text, said.name)
        yield Found(Endpoint(owner.text, owner), said.predicate, target, name.last, said.confidence), said.name


def _mentions(
    names: list[Name], asides: list[Name], references: References, titles: tuple[str, ...], label: str, offset: int
) -> tuple[ExtractedMention, ...]:
    """All names once, short ones under the full name they stand for, and the titles."""
    mentions: list[ExtractedMention] = []
    aliases = {name.last for name, _ in references.aliases}
    for name in names:
        mention = name.mention(offset)
        point = references.stands_for.get(name.last)
        if point is not None:
            mentions.append(ExtractedMention(point.text, name.label, mention.start, mention.end))
            if name.last not in aliases:
                continue
        mentions.append(mention)
    mentions += [name.mention(offset) for name in asides]
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    known = {}
    for mention in mentions:
        known.setdefault(mention.text, mention)
    first = [
        ExtractedMention(title, known[titles[0]].label, known[titles[0]].start, known[titles[0]].end)
        if titles[0] in known
        else ExtractedMention(title, label, 0, 0)
        for title in titles
        if offset == 0 and title not in known
    ]
    return tuple(dict.fromkeys([*first, *mentions]))
