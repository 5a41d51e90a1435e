"""One parsed window of a passage -> its mentions and triples."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.extraction.asides import aside_names, read_aside
from core.extraction.assertion import assertion_of
from core.extraction.clauses import PLACES, Found, clause_subjects, clause_triples, complements
from core.extraction.descriptions import description_triples
from core.extraction.mentions import find_names, title_names
from core.extraction.names import Name, normalise
from core.extraction.owners import Owners
from core.extraction.phrases import (
    COMMON_SUBJECT,
    ITSELF,
    NO_PROSE,
    NO_YEAR,
    VALUE_SUBJECT,
    Endpoint,
    Phrases,
    RejectedTriple,
    Rejections,
    conjuncts,
)
from core.extraction.phrases import UNSURE as TOO_UNSURE
from core.extraction.reading import Aside, Reading
from core.extraction.references import References
from core.extraction.topic import SUBJECTS, Topic, find_topic, relabelled
from core.text.predicates import family_of, same_voice
from core.types import ExtractedMention, Extraction, Passage, Triple
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

ALIAS = 0.85
VAGUE_VERB, VAGUE_NOUN = 0.7, 0.6  # factors for predicates of no family
_WHERE = frozenset("in at near on from of off along".split())
_YEAR = re.compile(r"\d{3}")
FLOOR, UNSURE = 0.5, 0.3  # confidence: less sure is no fact, or not worth a look
_UNBORN = frozenset({"GPE", "ORG", "LOC", "NORP", "FAC", "EVENT"})
_CLOSERS = " \t\n\"'”’»)]"
_CELLS = re.compile(
    r";\s*[-+]?[$€£]?\d[\d.,]*%?\s*;"
)  # a figure alone: a row of a table without names of columns
_GAP = frozenset(" \t\n\"'”“’,.(")
DEEP = 0.4  # confidence of a triple with a name deep below its verb: no fact before a person looked at it
_STEPS = 3  # nouns between the verb and the name
_MOST_WORDS = 7  # of a predicate; a longer one is no relation but the sentence


@dataclass(frozen=True, slots=True)
class Analysis:
    """What of a parsed window its triples are built from. `offset`: where it starts in the passage."""

    doc: Doc
    reading: Reading
    offset: int
    spans: list[tuple[int, int, str]]  # of each token: source start and end, kind
    titles: tuple[str, ...]
    names: list[Name]
    topic: Topic | None
    references: References
    phrases: Phrases
    owners: Owners


def extract_window(
    doc: Doc, reading: Reading, passage: Passage, offset: int, unsure: bool = False
) -> Extraction:
    """Return the mentions and triples of the window that starts at `offset` of the passage.

    `unsure`: with those that are too unsure to be facts.
    """
    return read_off(analysed(doc, reading, passage, offset), passage.id, unsure)


def analysed(
    doc: Doc, reading: Reading, passage: Passage, offset: int, rejected: Rejections | None = None
) -> Analysis:
    """Return names, topic and what pronouns stand for; `rejected` is told what is no name."""
    titles = title_names(passage.title)
    title = titles[0] if titles else ""
    opening = passage.ordinal == 0 and offset == 0
    spans = reading.spans(doc)
    names = find_names(doc, reading, spans, title, rejected)
    topic = find_topic(doc, reading, names, title, opening)
    names = relabelled(names, topic)
    references = References(doc, names, topic)
    phrases = Phrases(doc, reading.source, spans, names, references.stands_for, references.spoken)
    return Analysis(
        doc, reading, offset, spans, titles, names, topic, references, phrases, Owners(phrases, topic)
    )


def read_off(
    window: Analysis, passage_id: str, unsure: bool = False, rejected: Rejections | None = None
) -> Extraction:
    """Return the mentions and triples; `rejected` is told what was built and is no fact."""
    doc, reading, offset, names = window.doc, window.reading, window.offset, window.names
    topic, references, phrases, owners = window.topic, window.references, window.phrases, window.owners
    triples = _Triples(doc, window.spans, passage_id, offset, UNSURE if unsure else FLOOR, rejected)
    for found in clause_triples(doc, phrases, owners):
        triples.add(found)
    for found in description_triples(doc, phrases, owners):
        triples.add(found)
    for found in deep_triples(doc, phrases, owners) if unsure else ():
        triples.add(found)
    unparsed = _read_asides(doc, reading, names, references, topic, triples)
    unparsed += [Name(one.written, "PERSON", one.start, one.end) for one in reading.inverted]
    taken = [(name.start, name.end) for name in [*names, *unparsed]]
    unparsed += [
        Name(one.text, one.label, one.start, one.end)
        for one in reading.identifiers
        if not any(start <= one.start and one.end <= end for start, end in taken)
    ]
    if topic is not None:
        for alias, anchor in references.aliases:
            target = Endpoint(topic.name.text, topic.name)
            predicate = "also known as"
            triples.add(Found(Endpoint(alias.text, alias), predicate, target, anchor, ALIAS))
    # A title that the text does not bear out is a name only if it is one elsewhere.
    label = topic.name.label if topic is not None else "NOUN"
    titles = window.titles if offset == 0 else ()
    mentions = _mentions(names, unparsed, references, titles, label, offset, reading.source)
    return Extraction(mentions, tuple(triples.found.values()))


def _read_asides(
    doc: Doc,
    reading: Reading,
    names: list[Name],
    references: References,
    topic: Topic | None,
    triples: _Triples,
) -> list[Name]:
    """Add what the brackets say; return their names."""
    ends = [name.end for name in names]
    unparsed: list[Name] = []
    for aside in reading.asides:
        unparsed += aside_names(aside)
        at = bisect_right(ends, aside.source_start) - 1
        if at < 0 or set(reading.source[names[at].end : aside.source_start]) - _GAP:
            continue
        named: list[Name] = []
        for found, name in _aside_triples(doc, aside, names[at], references, topic):
            triples.add(found, (aside.source_start, aside.source_end))
            named.append(name)
        unparsed = [
            n for n in unparsed if not any(s.start < n.end and n.start < s.end for s in named)
        ] + named
    return unparsed


class _Triples:
    """Collects triples; of two that say the same the surer stays."""

    def __init__(
        self,
        doc: Doc,
        spans: list[tuple[int, int, str]],
        passage_id: str,
        offset: int,
        floor: float,
        rejected: Rejections | None,
    ) -> None:
        self._doc = doc
        self._passage_id, self._offset, self._floor, self._rejected = passage_id, offset, floor, rejected
        self._sentences: dict[int, tuple[int, int]] = {}  # token -> source span of its sentence
        for sentence in doc.sents if len(doc) else ():
            if not _states(sentence):
                continue
            for i in range(sentence.start, sentence.end):
                self._sentences[i] = (spans[sentence.start][0], spans[sentence.end - 1][1])
        self.found: dict[tuple[str, ...], Triple] = {}

    def add(self, found: Found, evidence: tuple[int, int] | None = None) -> None:
        """`evidence`: source span of an aside; a found triple without anchor rests on it alone."""
        one, other = normalise(found.subject.text), normalise(found.object.text)
        sentence = self._sentences.get(found.anchor)
        if self._rejected is not None:
            self._rejected.anchors.add(found.anchor)
        if not one or not other or one == other:
            return self._reject(found, evidence, ITSELF)
        if found.subject.value or not found.subject.named:
            return self._reject(found, evidence, VALUE_SUBJECT if found.subject.value else COMMON_SUBJECT)
        if found.object.label == "DATE" and not _YEAR.search(found.object.text):
            # "on Monday", "19 December": of which year, the sentence alone does not tell
            return self._reject(found, evidence, NO_YEAR)
        found = replace(found, confidence=found.confidence * self._weight(found))
        if found.confidence < self._floor:
            # both stand in the passage, and the walk goes through it
            return self._reject(found, evidence, TOO_UNSURE)
        if sentence is None and evidence is None:
            return self._reject(found, evidence, NO_PROSE)
        start, end = sentence or evidence or (0, 0)
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
            assertion=found.assertion.mark,
            source=found.assertion.source,
        )
        key = (*same_voice(one, found.predicate, other), triple.assertion, triple.source)
        known = self.found.get(key)
        if known is None or known.confidence < triple.confidence:
            self.found[key] = triple
        return None

    def _weight(self, found: Found) -> float:
        """Return the factor for a predicate of no family, which says little; a noun in a place says where it is."""
        if found.assertion.mark or family_of(found.predicate):
            return 1.0
        if self._doc[found.anchor].tag_[:2] == "VB":
            return VAGUE_VERB
        placed = found.object.label in PLACES and found.predicate.split()[-1] in _WHERE
        return 1.0 if placed else VAGUE_NOUN

    def _reject(self, found: Found, evidence: tuple[int, int] | None, reason: str) -> None:
        if self._rejected is not None:
            span = self._sentences.get(found.anchor) or evidence
            ends = (found.subject, found.predicate, found.object)
            self._rejected.triples.append(RejectedTriple(*ends, found.confidence, span, reason))


def _states(sentence: Span) -> bool:
    """Return whether it is a sentence that states something: a finite verb with a subject, a full stop, no question."""
    last = next((token for token in reversed(sentence) if token.text.strip(_CLOSERS)), None)
    words = [token for token in sentence if token.is_alpha]
    if 2 * sum(token.is_upper for token in words) > len(words):
        return False  # a heading
    if _CELLS.search(sentence.text):
        return False
    if last is None or last.text[-1] not in ".!:;…" or sentence.root.tag_[:2] not in {"VB", "MD"}:
        return False
    return any(child.dep_ in SUBJECTS for child in sentence.root.children)


def _names_again(token: Token) -> bool:
    """Return whether the name stands in an alias or an apposition, not as some other person."""
    while token.dep_ in {"compound", "appos", "conj"}:
        token = token.head
    return (
        token.dep_ == "pobj"
        and token.head.lower_ in {"as", "in", "by"}
        or token.dep_ in {"nsubj", "oprd", "dobj"}
    )


def _aside_triples(
    doc: Doc,
    aside: Aside,
    name: Name,
    references: References,
    topic: Topic | None,
) -> Iterator[tuple[Found, Name]]:
    """Yield the triples of the name that stands directly before the bracket."""
    if name.label in VALUES or name.label == "NORP":
        return
    point = references.stands_for.get(name.last)
    owner = point.name if point is not None and point.name is not None else name
    before_verb = topic is not None and topic.kind == "person" and topic.opening is not None
    before_verb = (
        before_verb and topic is not None and topic.opening is not None and name.last < topic.opening.root
    )
    if topic is not None and before_verb and (owner.label in _UNBORN or _names_again(doc[name.last])):
        owner = topic.name  # "John Ince, also known as John E. Ince, (1878 - 1947) was"
    is_topic = topic is not None and owner.text == topic.name.text
    if is_topic and topic is not None and topic.kind:
        person: bool | None = topic.kind == "person"
    else:
        person = {"PERSON": True, "WORK": False, "WORK_OF_ART": False}.get(owner.label)
    for item in read_aside(aside, person, name.text):
        target = Endpoint(item.name.text, item.name)
        yield (
            Found(Endpoint(owner.text, owner), item.predicate, target, name.last, item.confidence),
            item.name,
        )


def _find_span(title: str, source: str) -> tuple[int, int]:
    """Return where the title stands in the text; (0, 0) where it does not."""
    at = source.find(title)
    return (at, at + len(title)) if at >= 0 else (0, 0)


def _mentions(
    names: list[Name],
    unparsed: list[Name],
    references: References,
    titles: tuple[str, ...],
    label: str,
    offset: int,
    source: str,
) -> tuple[ExtractedMention, ...]:
    """Return all names once, short ones under the full name they stand for, and the titles."""
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
    mentions += [name.mention(offset) for name in unparsed]
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    known: dict[str, ExtractedMention] = {}
    for mention in mentions:
        known.setdefault(mention.text, mention)
    first = [
        ExtractedMention(title, known[titles[0]].label, known[titles[0]].start, known[titles[0]].end)
        if titles[0] in known
        else ExtractedMention(title, label, *_find_span(title, source))
        for title in titles
        if title not in known
    ]
    return tuple(dict.fromkeys([*first, *mentions]))


def deep_triples(doc: Doc, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """Yield the words on the way through the tree from a verb's subject to a name below its complements:
    "wrote report on collapse of"."""
    for verb in doc:
        if verb.tag_[:2] != "VB":
            continue
        subjects, _ = clause_subjects(verb, phrases, owners)
        if subjects and not assertion_of(verb).plain:
            continue
        for complement in complements(verb) if subjects else ():
            for predicate, point in _below(complement.token, complement.predicate, phrases, _STEPS):
                # A date or an amount that deep says something of its noun, not of the subject.
                if len(predicate.split()) <= _MOST_WORDS and not point.value:
                    for subject, prefix in subjects:
                        yield Found(subject, prefix + predicate, point, verb.i, DEEP)


def _below(token: Token, words: str, phrases: Phrases, steps: int) -> Iterator[tuple[str, Endpoint]]:
    """(predicate, name) of each name in the phrase of a noun that is none itself."""
    for noun in conjuncts(token):
        if (point := phrases.endpoint(noun)) is not None and point.named:
            yield words, point
        elif steps and phrases.common(noun):
            so_far = f"{words} {noun.lower_}"
            for child in noun.children:
                if child.dep_ == "poss":
                    yield from _below(child, f"{so_far} of", phrases, 0)
                elif child.dep_ == "prep":
                    for target in child.children:
                        if target.dep_ == "pobj":
                            yield from _below(target, f"{so_far} {child.lower_}", phrases, steps - 1)
                elif child.dep_ == "acl" and child.tag_ in {"VBN", "VBG"}:
                    for inner in complements(child):
                        yield from _below(inner.token, f"{so_far} {inner.predicate}", phrases, steps - 1)
