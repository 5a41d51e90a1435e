"""Names in a passage: named entities, runs of proper nouns, quoted works and the document's title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.names import clean, normalise, strip_edges, without_disambiguation
from core.types import ExtractedMention

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PROPER = frozenset({"NNP", "NNPS"})
# Small words that join proper nouns into one name when a proper noun follows.
JOINTS = frozenset("of de da di do du del della der den van von la le el al bin ibn y & -".split())
VAGUE = frozenset({"ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "TIME", "DATE", "MONEY"})
MAX_NAME_TOKENS = 12
_QUOTED = re.compile(r"[\"“]\s*([A-Z0-9¿¡'][^\"“”\n]{0,80}?)\s*[\"”]")


@dataclass(frozen=True, slots=True)
class Name:
    """A mention with its tokens: `first` to `last`, both inclusive; offsets in the parsed text."""

    text: str
    label: str
    start: int
    end: int
    first: int
    last: int

    def mention(self, offset: int) -> ExtractedMention:
        return ExtractedMention(self.text, self.label, self.start + offset, self.end + offset)


def title_names(title: str) -> tuple[str, ...]:
    """The title as given and without its bracketed disambiguation, if it has one."""
    title = " ".join(title.split())
    if not normalise(title):
        return ()
    plain = without_disambiguation(title)
    return (plain,) if plain == title else (plain, title)


def find_names(doc: Doc, title: str) -> list[Name]:
    """Names of the parsed text in order, none overlapping another.

    Longest knowledge first: the title, then quoted works, then named entities, then proper nouns.
    """
    taken = [False] * len(doc)
    names: list[Name] = []
    for first, last, label in _title_spans(doc, title):
        _take(doc, first, last, label, taken, names, title)
    for first, last in _quoted_spans(doc):
        _take(doc, first, last, "WORK", taken, names)
    for entity in doc.ents:
        if entity.label_ in VAGUE and not any(c.isdigit() for c in entity.text):
            continue
        _take(doc, entity.start, entity.end - 1, entity.label_, taken, names)
    for first, last in _proper_runs(doc, taken):
        _take(doc, first, last, "OTHER", taken, names)
    names.sort(key=lambda name: name.first)
    return names


def _take(
    doc: Doc, first: int, last: int, label: str, taken: list[bool], names: list[Name], text: str = ""
) -> None:
    """Adds the name unless its tokens are taken or nothing of it is left once cleaned."""
    while first <= last and (doc[first].tag_ == "DT" or not _has_letter_or_digit(doc[first])) and not text:
        first += 1
    while last >= first and (doc[last].tag_ == "POS" or not _has_letter_or_digit(doc[last])) and not text:
        last -= 1
    if first > last or last - first >= MAX_NAME_TOKENS or any(taken[first : last + 1]):
        return
    start, end = doc[first].idx, doc[last].idx + len(doc[last])
    name = text or clean(doc.text[start:end])
    if not normalise(name) or len(normalise(name)) < 2:
        return
    taken[first : last + 1] = [True] * (last + 1 - first)
    names.append(Name(name, label, start, end, first, last))


def _has_letter_or_digit(token: Token) -> bool:
    return any(c.isalnum() for c in token.text)


def _title_spans(doc: Doc, title: str) -> list[tuple[int, int, str]]:
    """Token spans where the title stands in the text, with the label that spaCy gives them or WORK."""
    spans: list[tuple[int, int, str]] = []
    if not strip_edges(title):
        return spans
    for found in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", doc.text):
        span = doc.char_span(found.start(), found.end(), alignment_mode="expand")
        if span is not None:
            spans.append((span.start, span.end - 1, title_label(doc, span.start, span.end - 1)))
    return spans


def title_label(doc: Doc, first: int, last: int) -> str:
    """The label of the entity that covers most of the span, else WORK."""
    for token in doc[first : last + 1]:
        if token.ent_type_ and token.ent_type_ not in VAGUE:
            return str(token.ent_type_)
    return "WORK"


def _quoted_spans(doc: Doc) -> list[tuple[int, int]]:
    """Quotations short enough, and capitalised enough, to be the name of a work."""
    spans = []
    for found in _QUOTED.finditer(doc.text):
        words = found.group(1).split()
        capitals = sum(word[0].isupper() or word[0].isdigit() for word in words)
        if len(words) > 8 or 2 * capitals < len(words):
            continue
        span = doc.char_span(found.start(1), found.end(1), alignment_mode="expand")
        if span is not None:
            spans.append((span.start, span.end - 1))
    return spans


def _proper_runs(doc: Doc, taken: list[bool]) -> list[tuple[int, int]]:
    """Runs of proper nouns outside other names; joints such as "of" only between proper nouns."""
    runs: list[tuple[int, int]] = []
    first = -1
    last = -1
    for i, token in enumerate(doc):
        if not taken[i] and token.tag_ in PROPER and token.text[0].isalnum():
            if first < 0:
                first = i
            last = i
        elif first >= 0 and not (not taken[i] and i == last + 1 and token.lower_ in JOINTS):
            runs.append((first, last))
            first = -1
    if first >= 0:
        runs.append((first, last))
    return runs
