"""French passages: spaCy's names, and triples along the relations of Universal Dependencies."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from core.errors import ModelUnavailable
from core.extraction.clause_takers import PLAIN, Takes, put
from core.extraction.inverted_names import Recognise, inverted_names, recogniser, with_inverted
from core.progress import TaskContext
from core.text.dates import find_dates
from core.text.translation import tr
from core.types import Assertion, ExtractedMention, Extraction, Modality, Passage, Triple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

LABELS = {"PER": "PERSON", "LOC": "LOC", "ORG": "ORG", "MISC": "OTHER"}
UNUSED = ["lemmatizer", "attribute_ruler"]
BATCH = 64
WINDOW = 8_000  # characters of a passage that are parsed
LONGEST_PREDICATE = 8  # words
_YEAR = re.compile(r"(?<=\ben )\d{4}\b")
_SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
_OBJECTS = ("obj", "obl:agent", "obl:arg", "obl:mod", "obl", "iobj")
_NEGATIONS = frozenset({"ne", "n'", "n’"})
_STEPS = 6  # clauses above a clause that are looked at
# What words make of the clause that they take, by how they begin: no lemmas are read. Others report it.
_TAKES = {
    Takes.FAILS: tuple("ni faux fauss démen réfut contest inexact infond invent mensong erron".split()),
    Takes.DOUBTS: ("dout", "improbable"),
    Takes.HOLDS: tuple("sai sav su vrai exact établi prouv confirm montr constat découv appr".split()),
    Takes.POSSIBLE: ("possible", "probable", "espèr", "espér", "crai", "suppos", "soupçonn", "sembl"),
    Takes.PLANNED: ("veu", "voul", "souhait", "demand", "exig", "ordonn"),
}
_WITHIN = frozenset(
    {"flat:name", "flat:foreign", "appos", "amod", "nmod"}
)  # where a common noun bears its name


class FrenchExtractor:
    """Facts between two names, or a name and a date; pronouns take part in none. Deterministic."""

    name = "rules"
    version = "3"

    def __init__(self, model: str = "fr_core_news_md", prepare: Callable[[], None] | None = None) -> None:
        """`prepare` is called once, before spaCy is imported."""
        self._model = model
        self._prepare = prepare
        self._nlp: Language | None = None

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order. Raises ModelUnavailable, and Cancelled through `context`."""
        texts = [passage.text[:WINDOW] for passage in passages]
        nlp = self._language()
        docs, recognise = nlp.pipe(texts, batch_size=BATCH), recogniser(nlp)
        for number, (doc, passage) in enumerate(zip(docs, passages, strict=True), start=1):
            context.report("extract", number, len(passages))
            yield extracted(doc, passage.id, recognise)

    def _language(self) -> Language:
        if self._nlp is None:
            if self._prepare is not None:
                self._prepare()
            try:
                self._nlp = importlib.import_module(self._model).load(exclude=UNUSED)
            except (ImportError, OSError) as error:
                raise ModelUnavailable(
                    tr("The French model {model} cannot be loaded.", model=self._model),
                    tr("Install Clew's packages again."),
                ) from error
        return self._nlp


def extracted(doc: Doc, passage_id: str, recognise: Recognise | None = None) -> Extraction:
    """Return the names, dates and triples of a parsed passage; `recognise` as for `inverted_names`."""
    inverted = inverted_names(doc.text, recognise)
    mentions = with_inverted([found for entity in doc.ents if (found := _mention(entity))], inverted)
    spans = [*find_dates(doc.text), *(found.span() for found in _YEAR.finditer(doc.text))]
    dates = [ExtractedMention(doc.text[start:end], "DATE", start, end) for start, end in sorted(spans)]
    written = {(one.start, one.written) for one in inverted}
    by_token = _by_token(doc, [*dates, *(m for m in mentions if (m.start, m.text) not in written)])
    triples: dict[tuple[str, ...], Triple] = {}
    for token in doc:
        for subject, predicate, thing in _relations(token, by_token):
            if subject.text != thing.text and subject.label != "DATE":
                spo = subject.text, predicate, thing.text
                how = _assertion(token)
                triples.setdefault(
                    (*spo, how.mark, how.source),
                    Triple(
                        *spo, passage_id, *_evidence(token.sent), 0.7, assertion=how.mark, source=how.source
                    ),
                )
    return Extraction((*mentions, *dates), tuple(triples.values()))


def _mention(entity: Span) -> ExtractedMention | None:
    """Return the mention without the article before it; None for what has no capital or digit."""
    tokens = list(entity)
    while tokens and not any(c.isupper() or c.isdigit() for c in tokens[0].text):
        tokens.pop(0)
    if not tokens or entity.label_ not in LABELS or "\n" in entity.text:
        return None
    start, end = tokens[0].idx, entity.end_char
    return ExtractedMention(entity.doc.text[start:end], LABELS[entity.label_], start, end)


def _relations(
    token: Token, names: dict[int, ExtractedMention]
) -> Iterator[tuple[ExtractedMention, str, ExtractedMention]]:
    children = list(token.children)
    subject = next((found for c in children if c.dep_ in _SUBJECTS and (found := _name(c, names))), None)
    if subject is not None:
        copula = [c for c in children if c.dep_ == "cop"]
        helpers = [c for c in children if c.dep_.startswith("aux")]
        for child in children:
            if any(case.lower_ == "selon" for case in _case(child)):
                continue  # who says so is no part of what is said
            if copula and child.dep_ == "nmod" and (thing := _name(child, names)):
                yield subject, _words([*copula, *_phrase(token), *_case(child)]), thing
            elif not copula and child.dep_ in _OBJECTS and (thing := _name(child, names)):
                yield subject, _words([*helpers, token, *_case(child)]), thing
    if token.dep_ == "appos" and (head := _name(token.head, names)) and token.i not in names:
        for child in children:
            if child.dep_ == "nmod" and (thing := _name(child, names)):
                yield head, _words([*_phrase(token), *_case(child)]), thing
    if token.dep_ == "acl" and (head := _name(token.head, names)):
        for child in children:
            if child.dep_ in {"obl:agent", "obl:mod", "obl:arg"} and (thing := _name(child, names)):
                yield head, _words([token, *_case(child)]), thing


def _assertion(verb: Token, steps: int = _STEPS) -> Assertion:
    """Return how the sentence puts the clause of a verb, or of the noun or adjective that "est" says."""
    outer, own = _context(verb, steps), _own(verb)
    return Assertion(
        outer.denied != own.denied,
        outer.modality if outer.modality is not Modality.ACTUAL else own.modality,
        outer.reported or own.reported,
        outer.source or own.source,
    )


def _own(verb: Token) -> Assertion:
    children = list(verb.children)
    only = any(c.lower_ in {"que", "qu'"} and c.i > verb.i for t in children for c in (t, *t.children))
    denied = any(c.lower_ in _NEGATIONS for c in children) and not only  # "ne ... que": nothing but
    moods = {mood for word in (verb, *children) if word is verb or word.dep_[:3] in {"aux", "cop"}
             for mood in (*word.morph.get("Mood", []), *word.morph.get("Tense", []))}  # fmt: skip
    modality = Modality.ACTUAL
    if "Cnd" in moods or (
        "Sub" in moods and verb.dep_[:3] == "acl"
    ):  # "dément que X ait ...", taken for a name
        modality = Modality.POSSIBLE
    elif "Fut" in moods:
        modality = Modality.PLANNED
    if any(c.dep_ == "mark" and c.lower_ in {"si", "s'"} for c in children):
        modality = Modality.CONDITIONAL
    source = next((_source(c) for c in children if any(case.lower_ == "selon" for case in _case(c))), None)
    return Assertion(denied, modality, source is not None, source or "")


def _context(verb: Token, steps: int) -> Assertion:
    """Return what the clause above makes of a clause."""
    head = verb.head
    if not steps or head.i == verb.i:
        return PLAIN
    if verb.dep_ == "conj":
        return _context(head, steps - 1)
    if verb.dep_ in {"ccomp", "csubj"}:
        subject = next((c for c in head.children if c.dep_ == "nsubj"), None)
        return put(_takes(head), _assertion(head, steps - 1), _source(subject) if subject is not None else "")
    through = any(c.lower_ in {"laquelle", "lequel"} for c in verb.children)
    if verb.dep_ in {"acl", "acl:relcl"} and (through or any(c.lower_ == "que" for c in verb.children)):
        verdict = head.head if head.dep_ in {"nsubj", "nsubj:pass", "obj"} else head
        if through or verdict is not head:
            kind = _takes(verdict)
            return put(kind if kind in {Takes.FAILS, Takes.DOUBTS} else Takes.REPORTED, PLAIN, "")
    return PLAIN


def _takes(word: Token) -> Takes:
    found = (kind for kind, roots in _TAKES.items() if word.lower_.startswith(roots))
    return next(found, Takes.REPORTED)


def _source(noun: Token) -> str:
    """Return who says it, without the preposition."""
    if noun.morph.get("PronType", []):
        return ""
    words = [t for t in noun.subtree if t.dep_ not in {"case", "punct"}]
    return " ".join(word.text for word in words[:LONGEST_PREDICATE]) if words else ""


def _name(token: Token, names: dict[int, ExtractedMention]) -> ExtractedMention | None:
    """Return the name that a noun is, or that stands beside it ("la société Altéa")."""
    if token.i in names:
        return names[token.i]
    neighbours = [c for c in token.children if c.dep_ in _WITHIN and c.i in names and c.i == token.i + 1]
    return names[neighbours[0].i] if neighbours else None


def _phrase(noun: Token) -> list[Token]:
    return [c for c in noun.children if c.dep_ in {"det", "amod", "nummod"} and c.i < noun.i] + [noun]


def _case(token: Token) -> list[Token]:
    return [c for c in token.children if c.dep_ == "case"]


def _words(tokens: Sequence[Token]) -> str:
    ordered = sorted(dict.fromkeys(tokens), key=lambda token: token.i)
    words = " ".join(token.lower_ for token in ordered[:LONGEST_PREDICATE])
    return words.replace("' ", "'")


def _by_token(doc: Doc, mentions: Sequence[ExtractedMention]) -> dict[int, ExtractedMention]:
    found: dict[int, ExtractedMention] = {}
    for mention in mentions:
        span = doc.char_span(mention.start, mention.end, alignment_mode="expand")
        for token in span or ():
            found[token.i] = mention
    return found


def _evidence(sentence: Span) -> tuple[int, int]:
    return sentence.start_char, sentence.start_char + len(sentence.text.rstrip())
