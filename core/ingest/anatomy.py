"""One passage taken apart by the extractor that reads passages of its language, run on it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from core.extraction.aligning import align
from core.extraction.clauses import Complement, clause_subjects, complements
from core.extraction.extractors import known_extractor
from core.extraction.french import WINDOW, extracted
from core.extraction.inverted_names import recogniser
from core.extraction.names import LONGEST_NAME, normalise
from core.extraction.phrases import ITSELF, TOO_LONG, TOO_SHORT, Endpoint, Rejections
from core.extraction.prompts import EntitiesReply, TriplesReply, read_entities, read_triples
from core.extraction.records import DocumentRecords, with_records
from core.extraction.rules import ENGLISH, WrittenNames, windows
from core.extraction.speakers import with_speakers
from core.extraction.topic import SUBJECTS
from core.extraction.triples import Analysis, analysed, read_off
from core.ingest.extraction_input import PlainPassage, extraction_input, plain_passage, put_back
from core.progress import TaskContext
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.translation import mark, tr
from core.types import (
    Anatomy,
    Extraction,
    ModelReply,
    ParsedSentence,
    ParsedToken,
    Passage,
    Reference,
    Rejected,
    Triple,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

FRENCH = "fr"
_Item = TypeVar("_Item", ParsedToken, Reference, Rejected)
IN_NOTES = mark("it stands in the lines of a mail's head, a signature or a notice of the conversation")
IN_ROWS = mark("it stands in a row of a table, which is read by its columns")
NO_ANTECEDENT = mark("a pronoun that stands for no name here")
NEGATED = mark("denied, or said with words that are not read")
_CLAUSES_UP = 4  # to that of the subject
PRONOUNS = frozenset({"PRP", "PRP$"})

SUBJECT_PRONOUN = mark("its subject is a pronoun that stands for no name here")
SUBJECT_COMMON = mark("its subject is no name")
NO_SUBJECT = mark("its subject is missing")
OBJECT_PRONOUN = mark("its object is a pronoun that stands for no name here")
OBJECT_GENERIC = mark("its object says nothing by itself")
OBJECT_COMMON = mark("its object is no name")
NO_OBJECT = mark("nothing follows the verb that it could be joined to")
Span = tuple[int, int]
Parsers = Callable[[str], "Language"]  # the pipeline of a language


@dataclass(slots=True)
class _Read:
    """What came of one passage so far; offsets in the text that was parsed."""

    extraction: Extraction = field(default_factory=lambda: Extraction((), ()))
    sentences: list[ParsedSentence] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def anatomy(store: Store, passage_id: str, parser: Parsers) -> Anatomy:
    """`parser` gives the pipeline of a language, "en" or "fr". Raises BadInput where the passage is gone."""
    stored = store.passages.get(passage_id)
    extractor = store.settings.get("extractor")
    name = known_extractor(extractor)
    kind = name.partition(":")[0]
    read_as = extraction_input(stored)
    replies, model_result = _replies(store, read_as, name) if kind != "rules" else ((), None)
    plain = plain_passage(read_as)
    by_rules = model_result is None or kind == "mixed"
    read, grammar = _read(plain.passage, parser) if by_rules else (_Read(), "")
    if model_result is not None:
        read.extraction = _together(read.extraction, model_result)
    rejected = [_placed(one, plain) for one in read.rejected]
    extraction, later = _settled(store, stored, plain, read.extraction)
    faults = store.failures.all([stored.passage.document_id])
    fault = next((f for f in faults if f.passage_id == passage_id and f.stage == "extract"), None)
    return Anatomy(
        passage=stored.passage,
        extractor=extractor,
        grammar=grammar,
        sentences=_sentences(stored.passage, read.sentences, plain),
        mentions=extraction.mentions,
        references=tuple(_placed(one, plain) for one in read.references),
        triples=extraction.triples,
        rejected=tuple(sorted([*rejected, *later], key=lambda one: (one.start, one.end, one.kind))),
        replies=replies,
        failure=fault.reason if fault is not None else "",
        raw=fault.raw if fault is not None else "",
        matches_store=_words(extraction.triples) == store.statements.extracted_triples(passage_id),
    )


def _words(triples: Sequence[Triple]) -> set[tuple[str, str, str]]:
    return {(triple.subject, triple.predicate, triple.object) for triple in triples}


# ------------------------------------------------------------ by grammar


def _read(passage: Passage, parser: Parsers) -> tuple[_Read, str]:
    """What the rules make of a plain passage, and which grammar they had."""
    language = passage.language or ENGLISH
    if language == ENGLISH:
        return _english(passage, parser(ENGLISH)), ENGLISH
    if language == FRENCH:
        return _french(passage, parser(FRENCH)), FRENCH
    names = WrittenNames(lambda asked: recogniser(parser(ENGLISH))(asked))
    return _Read(next(names.extract([passage], TaskContext()))), ""


def _english(passage: Passage, nlp: Language) -> _Read:
    read, parts = _Read(), []
    for doc, (_, offset, reading) in nlp.pipe(windows([passage], nlp), as_tuples=True):
        noted = Rejections()
        window = analysed(doc, reading, passage, offset, noted)
        parts.append(read_off(window, passage.id, rejected=noted))
        spans = [(start + offset, end + offset) for start, end, _ in window.spans]
        read.sentences += _parsed(doc, spans, passage.text)
        read.references += _references(window, spans, passage.text)
        read.rejected += _rejected(window, noted, spans, passage.text)
    mentions = dict.fromkeys(mention for part in parts for mention in part.mentions)
    read.extraction = Extraction(
        tuple(mentions), tuple(dict.fromkeys(t for part in parts for t in part.triples))
    )
    return read


def _references(window: Analysis, spans: Sequence[Span], text: str) -> Iterator[Reference]:
    for token, point in sorted(window.references.stands_for.items()):
        own = next((name for name in window.names if name.first <= token <= name.last), None)
        start, end = (spans[own.first][0], spans[own.last][1]) if own is not None else spans[token]
        if text[start:end] != point.text:
            yield Reference(text[start:end], point.text, start, end)


def _rejected(window: Analysis, noted: Rejections, spans: Sequence[Span], text: str) -> Iterator[Rejected]:
    offset, name_spans = window.offset, [(name.start, name.end) for name in window.names]
    for start, end, reason in dict.fromkeys(noted.names):
        if not any(a <= start and end <= b for a, b in name_spans):  # taken after all, by another rule
            words = " ".join(text[start + offset : end + offset].split())
            yield Rejected("name", words, tr(reason), start + offset, end + offset)
    for token in window.doc:
        if token.tag_ in PRONOUNS and token.i not in window.references.stands_for:
            yield Rejected("reference", token.text, tr(NO_ANTECEDENT), *spans[token.i])
    for one in dict.fromkeys(noted.triples):
        start, end = one.span or (0, 0)
        words = f"{one.subject.text} / {one.predicate} / {one.object.text}"
        yield Rejected("triple", words, tr(one.reason), start + offset, end + offset)
    for verb, words, reason in refused_clauses(window, noted.anchors):
        yield Rejected("triple", words, tr(reason), *spans[verb.i])


def _parsed(doc: Doc, spans: Sequence[Span], text: str) -> Iterator[ParsedSentence]:
    for sentence in doc.sents:
        visible = [
            token for token in sentence if not token.is_space and spans[token.i][1] > spans[token.i][0]
        ]
        at = {token.i: place for place, token in enumerate(visible)}
        tokens = []
        for place, token in enumerate(visible):
            head = token.head
            while head.i not in at and head.head.i != head.i:
                head = head.head
            words = " ".join(text[slice(*spans[token.i])].split())  # what was masked has its own words again
            lemma = token.lemma_ if token.text == words else words
            pos = token.pos_ or token.tag_
            tokens.append(ParsedToken(words, lemma, pos, token.dep_, at.get(head.i, place), *spans[token.i]))
        if tokens:
            yield ParsedSentence(tokens[0].start, tokens[-1].end, tuple(tokens))


def _french(passage: Passage, nlp: Language) -> _Read:
    doc = nlp(passage.text[:WINDOW])
    extraction = extracted(doc, passage.id, recogniser(nlp))
    spans = [(token.idx, token.idx + len(token)) for token in doc]
    mention_spans = {(mention.start, mention.end) for mention in extraction.mentions}
    rejected = [
        Rejected("name", entity.text, tr(TOO_SHORT), entity.start_char, entity.end_char)
        for entity in doc.ents
        if not any(entity.start_char < end and start < entity.end_char for start, end in mention_spans)
    ]
    for token in doc:
        if token.dep_ == "advmod" and token.lower_ in {"ne", "n'", "pas", "jamais"}:
            verb = token.head
            rejected.append(Rejected("triple", verb.text, tr(NEGATED), *spans[verb.i]))
    return _Read(extraction, list(_parsed(doc, spans, passage.text)), [], rejected)


# ------------------------------------------------------------ clauses without a triple, by the tests that build triples


def refused_clauses(window: Analysis, anchors: set[int]) -> Iterator[tuple[Token, str, str]]:
    """(verb, clause in words, reason) of each verb that is no token of `anchors`, from which triples were built."""
    for verb in window.doc:
        if verb.tag_[:2] != "VB" or verb.i in anchors or verb.dep_ in {"aux", "auxpass"}:
            continue
        subject, found = _subject(verb), list(complements(verb))
        points, _ = clause_subjects(verb, window.phrases, window.owners)
        if not points:
            yield verb, _clause_words(window, verb, subject, found[:1]), _why_no_subject(subject)
        elif not found:
            yield verb, _clause_words(window, verb, subject, []), NO_OBJECT
        else:
            for complement in found:
                reason = _why_no_object(window, complement.token)
                yield verb, _clause_words(window, verb, subject, [complement], points[0][0]), reason


def _subject(verb: Token) -> Token | None:
    for _ in range(_CLAUSES_UP):
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:
            return own[0]
        verb = verb.head
    return None


def _why_no_subject(subject: Token | None) -> str:
    if subject is None:
        return NO_SUBJECT
    return SUBJECT_PRONOUN if subject.tag_ in PRONOUNS else SUBJECT_COMMON


def _why_no_object(window: Analysis, token: Token) -> str:
    if token.tag_ in PRONOUNS:
        return OBJECT_PRONOUN
    return OBJECT_COMMON if window.phrases.endpoint(token) is not None else OBJECT_GENERIC


def _clause_words(
    window: Analysis,
    verb: Token,
    subject: Token | None,
    found: list[Complement],
    point: Endpoint | None = None,
) -> str:
    """Subject, predicate and object as far as the clause has them."""

    def phrase(token: Token) -> str:
        own = window.phrases.endpoint(token)
        return own.text if own is not None else window.phrases.noun_phrase(token)

    first = point.text if point is not None else phrase(subject) if subject is not None else "?"
    predicate = found[0].predicate if found else verb.lower_
    return " / ".join([first, predicate, *(phrase(each.token) for each in found)])


# ------------------------------------------------------------ by a language model


def _replies(
    store: Store, passage: Passage, extractor: str
) -> tuple[tuple[ModelReply, ...], Extraction | None]:
    """What language models said of the passage, with what was dropped; what is left of the extractor's own model, None
    where that said nothing."""
    found: list[ModelReply] = []
    by_step: dict[str, EntitiesReply | TriplesReply] = {}
    model = extractor.partition(":")[2]
    for step, name, _, text in store.replies.of_passage(passage.id):
        reply = read_entities(text) if step == "entities" else read_triples(text)
        if isinstance(reply, EntitiesReply):
            dropped = align(passage, reply.entities, ()).dropped
        else:
            dropped = align(passage, (), reply.triples).dropped if reply is not None else ()
        kind = "name" if step == "entities" else "triple"
        rejected = tuple(Rejected(kind, words, tr(reason), 0, 0) for words, reason in dropped)
        found.append(ModelReply(step, name, text, rejected))
        if reply is not None and name.partition(":")[2] == model:
            by_step[step] = reply
    if not by_step:
        return tuple(found), None
    entities, triples = by_step.get("entities"), by_step.get("triples")
    aligned = align(
        passage,
        entities.entities if isinstance(entities, EntitiesReply) else (),
        triples.triples if isinstance(triples, TriplesReply) else (),
    )
    return tuple(found), aligned.extraction


def _together(rules: Extraction, model: Extraction) -> Extraction:
    return Extraction(
        tuple(dict.fromkeys([*rules.mentions, *model.mentions])),
        tuple(dict.fromkeys([*rules.triples, *model.triples])),
    )


# ------------------------------------------------------------ what indexing makes of it


def _settled(
    store: Store, stored: StoredPassage, plain: PlainPassage, extraction: Extraction
) -> tuple[Extraction, list[Rejected]]:
    """As `core.ingest.pipeline` goes on: speakers, rows of tables, names told apart; and what that drops."""
    before = put_back(extraction, plain)
    spoken = put_back(with_speakers(plain.passage, extraction), plain)
    document = stored.passage.document_id
    tables = [table for _, table in store.documents.tables([document])]
    records = DocumentRecords(tables, store.documents.text(document) if tables else "")
    enriched = with_records(stored.passage, spoken, records)
    dropped = [*_gone(before, spoken, tr(IN_NOTES)), *_gone(spoken, enriched, tr(IN_ROWS))]
    mentions = []
    for mention in enriched.mentions:
        key = normalise(mention.text)
        if key and len(key) <= LONGEST_NAME:
            mentions.append(mention)
        else:
            reason = tr(TOO_LONG) if key else tr(TOO_SHORT)
            dropped.append(Rejected("name", mention.text, reason, mention.start, mention.end))
    triples = []
    for triple in enriched.triples:
        ends = normalise(triple.subject), normalise(triple.object)
        if ends[0] != ends[1] and all(end and len(end) <= LONGEST_NAME for end in ends):
            triples.append(triple)
        else:
            dropped.append(_as_rejected(triple, tr(ITSELF)))
    return Extraction(tuple(mentions), tuple(triples)), dropped


def _gone(before: Extraction, after: Extraction, reason: str) -> Iterator[Rejected]:
    """What a step left out; what it only calls by another name is still there."""
    mention_spans: set[Span] = {(mention.start, mention.end) for mention in after.mentions}
    for mention in before.mentions:
        if mention.end > mention.start and (mention.start, mention.end) not in mention_spans:
            yield Rejected("name", mention.text, reason, mention.start, mention.end)
    triple_keys = {(triple.predicate, triple.start, triple.end) for triple in after.triples}
    for triple in before.triples:
        if (triple.predicate, triple.start, triple.end) not in triple_keys:
            yield _as_rejected(triple, reason)


def _as_rejected(triple: Triple, reason: str) -> Rejected:
    words = f"{triple.subject} / {triple.predicate} / {triple.object}"
    return Rejected("triple", words, reason, triple.start, triple.end)


# ------------------------------------------------------------ places


def _sentences(
    passage: Passage, parsed: Sequence[ParsedSentence], plain: PlainPassage
) -> tuple[ParsedSentence, ...]:
    """Those of the parser, at their places in the stored passage; the passage's own where nothing was parsed."""
    if not parsed:
        return tuple(ParsedSentence(one.start, one.end) for one in passage.sentences)
    return tuple(
        ParsedSentence(*plain.stored(one.start, one.end), tuple(_placed(t, plain) for t in one.tokens))
        for one in parsed
    )


def _placed(item: _Item, plain: PlainPassage) -> _Item:
    start, end = plain.stored(item.start, item.end)
    return replace(item, start=start, end=end)
