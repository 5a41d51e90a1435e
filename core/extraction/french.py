"""French passages: spaCy's names, and triples along the relations of Universal Dependencies."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from core.errors import ModelUnavailable
from core.progress import TaskContext
from core.text.dates import find_dates
from core.translation import tr
from core.types import ExtractedMention, Extraction, Passage, Triple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

LABELS = {"PER": "PERSON", "LOC": "LOC", "ORG": "ORG", "MISC": "OTHER"}
UNUSED = ["lemmatizer", "attribute_ruler", "morphologizer"]
BATCH = 64
WINDOW = 8_000  # characters of a passage that are parsed
LONGEST_PREDICATE = 8  # words
_YEAR = re.compile(r"(?<=\ben )\d{4}\b")
_SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
_OBJECTS = ("obj", "obl:agent", "obl:arg", "obl:mod", "obl", "iobj")
_WITHIN = frozenset(
    {"flat:name", "flat:foreign", "appos", "amod", "nmod"}
)  # where a common noun bears its name


class FrenchExtractor:
    """Facts between two names, or a name and a date; pronouns take part in none. Deterministic."""

    name = "rules"
    version = "1"

    def __init__(self, model: str = "fr_core_news_md", prepare: Callable[[], None] | None = None) -> None:
        """`prepare` is called once, before spaCy is imported."""
        self._model = model
        self._prepare = prepare
        self._nlp: Language | None = None

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """One Extraction a passage, in order. Raises ModelUnavailable, and Cancelled through `context`."""
        texts = [passage.text[:WINDOW] for passage in passages]
        docs = self._language().pipe(texts, batch_size=BATCH)
        for number, (doc, passage) in enumerate(zip(docs, passages, strict=True), start=1):
            context.report("extract", number, len(passages))
            yield extracted(doc, passage.id)

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


def extracted(doc: Doc, passage_id: str) -> Extraction:
    """Names and dates of a parsed passage, and the triples between them."""
    mentions = [mention for entity in doc.ents if (mention := _mention(entity))]
    spans = [*find_dates(doc.text), *(found.span() for found in _YEAR.finditer(doc.text))]
    dates = [ExtractedMention(doc.text[start:end], "DATE", start, end) for start, end in sorted(spans)]
    by_token = _by_token(doc, [*dates, *mentions])
    triples: dict[tuple[str, str, str], Triple] = {}
    for token in doc:
        for subject, predicate, thing in _relations(token, by_token):
            if subject.text != thing.text and subject.label != "DATE":
                key = subject.text, predicate, thing.text
                sentence = token.sent
                triples.setdefault(key, Triple(*key, passage_id, *_evidence(sentence), 0.7))
    return Extraction((*mentions, *dates), tuple(triples.values()))


def _mention(entity: Span) -> ExtractedMention | None:
    """Without the article before it; None for what has no capital or digit."""
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
        negated = any(c.dep_ == "advmod" and c.lower_ in {"ne", "n'", "pas", "jamais"} for c in children)
        copula = [c for c in children if c.dep_ == "cop"]
        helpers = [c for c in children if c.dep_.startswith("aux")]
        for child in [] if negated else children:
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


def _name(token: Token, names: dict[int, ExtractedMention]) -> ExtractedMention | None:
    """The name that a noun is, or that stands beside it ("la société Altéa")."""
    if token.i in names:
        return names[token.i]
    beside = [c for c in token.children if c.dep_ in _WITHIN and c.i in names and c.i == token.i + 1]
    return names[beside[0].i] if beside else None


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
