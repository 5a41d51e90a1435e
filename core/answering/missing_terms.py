"""Look up what a question names in the whole index, so that a refusal says only what was looked for.

Names, numbers and quoted words come from the parse; in languages that it does not read, from capitals. They are
looked for as the index cuts its text into words, in whatever order, joining and grouping of digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion
from core.extraction.question_names import QUOTED, Name, Token
from core.index.lexical import STOP_WORDS, either, name_query, number_query, phrase
from core.ingest.language import language_of, language_shares
from core.store.passages import PassageFilter
from core.store.store import Store
from core.text.dates import find_dates
from core.text.translation import both, tr, trn
from core.text.translation import either as either_of
from core.types import Answer

_STATED = 0.6  # probability from which on a literal answer is not looked into
_NUMBER = re.compile(r"\d[\d.,]*\d")
_CODE = re.compile(r"(?<!\w)(?=[^\s\d]*\d)(?=\S*[A-Z])\w+(?:[-/.]\w+)*")  # "AM-2021-0417"
_SERIAL = re.compile(r"(?<![\w.,/-])\d+(?:[-/]\d+)+(?![\w/-]|[.,]\d)")  # "20-4471"
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DIGITS = 4  # from which on a code is surely no word that documents write otherwise, such as "F16"
_CASELESS = re.compile(
    r"[\u0590-\u1fff\u2e80-\ud7ff]+(?: [\u0590-\u1fff\u2e80-\ud7ff]+)*"
)  # scripts without capitals
_NAMING = frozenset(("PROPN", "NOUN", "ADJ", "NUM", "X"))  # parts of speech of which names are made
_SAYING = frozenset(("PROPN", "NOUN", "ADJ", "NUM", "VERB"))
_ASKING = frozenset("who whom whose when where which what how why".split())  # that no other language has
_LEAST = 0.1  # probability of English from which on a few words may be English
_LISTED, _WORDS = 3, 5  # names or documents, and words, that a refusal tells
_FIRST = 5  # passages whose language is looked at where that of no document is known
_INITIALS = 2  # letters: so few may stand for anything


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What of a question stands in some passage and what in none, as the question writes it."""

    present_names: tuple[str, ...]
    absent_names: tuple[str, ...]
    present_words: tuple[str, ...]  # nouns, verbs, adjectives and numbers, those of names as well
    absent_words: tuple[str, ...]

    @property
    def named_in_vain(self) -> bool:
        """Return whether nothing that the question names stands anywhere."""
        return bool(self.absent_names) and not self.present_names


class MissingTerms:
    """Says in words what the passages of one snapshot lack, so that a question has no answer."""

    def __init__(
        self,
        store: Store,
        passages: NDArray[np.int64],
        inside: PassageFilter | None,
        documents: NDArray[np.int64] | None,
    ) -> None:
        """`passages` and `documents` are keys; `inside` and `documents` are None where the question has no scope."""
        self._store = store
        self._first = passages[:_FIRST].tolist()
        self._inside = inside
        self._documents = documents

    def refusal(self, question: ParsedQuestion, missing: str) -> str:
        """Return what is missing, between the names that no passage holds and what was not read."""
        names = missing_names(self.look_up(question), self._inside is not None)
        return sentences(names, missing, self._losses())

    def nothing_found(self, question: ParsedQuestion) -> str:
        """Return why only the words of a question were looked up: no document is about it."""
        return sentences(nothing_found(self.look_up(question), self._inside is not None), self._losses())

    def reason_to_look(self, question: ParsedQuestion) -> str:
        """Return why passages may answer a question that is far from all documents in meaning; "" for nothing."""
        return reason_to_look(self._store, question, partial(self.look_up, question), self._first)

    def refuse_unknown_names(self, question: ParsedQuestion, answer: Answer) -> Answer:
        """Return the answer, withdrawn where the question names a code that no passage holds, or, for an answer that is
        only possible or that no sentence states, anything by a name that none holds: of another it is none."""
        answer = refuse_unknown_code(self._store, question, answer, self._inside)
        is_stated = not answer.guess and answer.literal is not False and answer.confidence >= _STATED
        if answer.abstained or is_stated or not in_english(question):
            return answer
        absent = (name for name in self.look_up(question).absent_names if not any(map(str.isdigit, name)))
        return answer.withdrawn(alternatives=answer.alternatives) if any(absent) else answer

    def look_up(self, question: ParsedQuestion) -> LookedUp:
        """Return what of the question stands in the passages."""
        return look_up(self._store, question, self._inside)

    def _losses(self) -> str:
        documents = None if self._documents is None else np.unique(self._documents).tolist()
        return losses(self._store, documents)


def look_up(store: Store, question: ParsedQuestion, inside: PassageFilter | None = None) -> LookedUp:
    """Return what stands in the passages, of all or `inside`, of what the question names."""
    inflected = not in_english(question)
    names, numbers = _named(question, inflected)
    terms = {name: name_query(name, inflected) for name in names}
    terms |= {number: number_query(number) for number in numbers}
    words = {token.text: _word_query(token) for token in _words(question)}
    present, absent = _split_by_presence(store, terms, inside)
    return LookedUp(present, absent, *_split_by_presence(store, words, inside))


def refuse_unknown_code(
    store: Store, question: ParsedQuestion, answer: Answer, inside: PassageFilter | None = None
) -> Answer:
    """Return the answer, withdrawn where the question names a code that no passage holds: of another it is none."""
    codes = [question.text[start:end] for start, end in _codes(question.text)]
    queries = {code: name_query(code) for code in codes if sum(map(str.isdigit, code)) >= _DIGITS}
    unknown = queries and not answer.abstained and _split_by_presence(store, queries, inside)[1]
    return answer.withdrawn() if unknown else answer


def missing_names(found: LookedUp, scoped: bool) -> str:
    """Return the names and numbers that no document holds, `scoped`: no passage in scope, in words; "" for none."""
    if not found.absent_names:
        return ""
    names = either_of([f"“{name}”" for name in found.absent_names[:_LISTED]])
    if scoped:
        return tr("Nothing in the scope holds {names}.", names=names)
    return tr("No document holds {names}: check how it is written.", names=names)


def nothing_found(found: LookedUp, scoped: bool) -> str:
    """Return why nothing was looked for but the question's words, and what to do, in words."""
    words = either_of([f"“{word}”" for word in found.absent_words[:_WORDS]])
    advice = tr("Ask about what is in them, or choose a route yourself.")
    if scoped:
        advice = tr("Clear the scope, or choose a route yourself.")
    if named := missing_names(found, scoped):
        about = tr("Nothing is near to the question in meaning, either.")
    elif scoped:
        about = tr("Nothing in the scope is about this: no passage holds {words}.", words=words)
    else:
        about = tr("No document of this workspace is about this: none holds {words}.", words=words)
    return sentences(named, about, advice)


def losses(store: Store, documents: Sequence[int] | None = None) -> str:
    """Return what was not read of all documents, or of those of these keys, in words; "" for nothing."""
    parts, failed = store.documents.losses(documents)
    lost = trn(
        "{count} part was not read, of {documents}.",
        "{count} parts were not read, of {documents}.",
        sum(parts.values()),
        documents=_some(list(parts)),
    )
    unread = trn(
        "{count} document could not be read: {documents}.",
        "{count} documents could not be read: {documents}.",
        len(failed),
        documents=_some(failed),
    )
    return sentences(lost if parts else "", unread if failed else "")


def reason_to_look(
    store: Store, question: ParsedQuestion, looked_up: Callable[[], LookedUp], first: Sequence[int]
) -> str:
    """Return why passages may tell of a question that is far from all documents in meaning, in words; "" for nothing.

    `first` are keys of the passages whose language is looked at where that of no document is known.
    """
    if not in_english(question) or not _mostly_english(store, first):
        return tr("the encoder does not know the language")
    found = looked_up()
    if found.named_in_vain:
        return ""
    for word in (*found.present_names, *found.present_words):
        return tr("“{word}” stands there", word=word)
    return "" if found.absent_words else tr("no word of it can be looked up")


def sentences(*parts: str) -> str:
    """Return those that say something, behind each other."""
    return " ".join(filter(None, parts))


@lru_cache(maxsize=64)
def in_english(question: ParsedQuestion) -> bool:
    """Return whether the parse and the encoder, which are made for English, can say anything of the question."""
    asking = question.tokens[question.question_token].text.lower() if question.question_token >= 0 else ""
    return asking in _ASKING or written_in_english(question.text)


def written_in_english(text: str) -> bool:
    """Return whether a text, of a few words maybe, is English rather than not."""
    return language_of(text)[0] == "en" or language_shares(text).get("en", 0.0) >= _LEAST


def _mostly_english(store: Store, first: Sequence[int]) -> bool:
    """Return whether the encoder, which is made for English, can tell what most documents are about."""
    counts = store.documents.languages()
    if known := sum(count for code, count in counts.items() if code):
        return 2 * counts.get("en", 0) >= known
    return written_in_english(" ".join(stored.passage.text for stored in store.passages.by_keys(first)))


def _some(paths: Sequence[str]) -> str:
    """Return the first documents by name, and how many more there are."""
    named = list(paths[:_LISTED])
    if more := len(paths) - len(named):
        named.append(trn("{count} more", "{count} more", more))
    return both(named)


def _split_by_presence(
    store: Store, queries: dict[str, str], inside: PassageFilter | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the keys by whether some passage matches their query."""
    asked = {term: query for term, query in queries.items() if query}
    counts = store.passages.holding(list(asked.values()), inside, most=1)
    found = dict(zip(asked, counts, strict=True))
    return tuple(term for term in asked if found[term]), tuple(term for term in asked if not found[term])


def _named(question: ParsedQuestion, foreign: bool) -> tuple[list[str], list[str]]:
    """Return names and codes, and numbers, as written: no verb, and no word that has its capital from the beginning.

    Of a date, which documents may write otherwise, only the year is looked for.
    """
    text = question.text
    dates, codes = find_dates(text), _codes(text)
    taken = [*dates, *codes]
    names = [text[start:end] for start, end in codes]
    for name in question.names:
        if name.quoted or not (text.isupper() or any(a < name.end and name.start < b for a, b in taken)):
            names.append(_as_named(question, name, foreign))
    numbers = [found for start, end in dates for found in re.findall(r"\d{4}", text[start:end])[:1]]
    for start, end in taken:
        text = text[:start] + " " * (end - start) + text[end:]
    names += [match.group(match.lastindex or 0) for match in QUOTED.finditer(question.text)]
    if not foreign:
        names += [match.group() for match in _CASELESS.finditer(question.text)]
    names = list(dict.fromkeys(filter(None, names)))
    numbers += [number for number in _NUMBER.findall(text) if not any(number in name for name in names)]
    return names, numbers


def _codes(text: str) -> list[tuple[int, int]]:
    """Return where codes stand: letters with digits, or digits that "-" or "/" joins and that are no years."""
    serials = [
        match.span()
        for match in _SERIAL.finditer(text)
        if any(
            len(part) >= _DIGITS and not _YEAR.fullmatch(part) for part in re.findall(r"\d+", match.group())
        )
    ]
    return [*(match.span() for match in _CODE.finditer(text)), *serials]


def _word_query(token: Token) -> str:
    if token.text[:1].isdigit():
        return number_query(token.text)
    return either(list(filter(None, (phrase(token.text), phrase(token.lemma)))))


def _as_named(question: ParsedQuestion, name: Name, foreign: bool) -> str:
    """Return the part of a name that is surely one, "" for none."""
    if name.quoted:
        return name.text
    if len(name.text) <= _INITIALS:
        return ""
    tokens = list(question.tokens[name.first : name.last])
    alone = all(token in tokens or not token.text.isalnum() for token in question.tokens)
    if name.first == 0 and not alone and (foreign or tokens[0].pos not in ("PROPN", "NOUN", "NUM")):
        tokens = tokens[1:]
    while tokens and not _is_capital(tokens[0]):
        tokens = tokens[1:]
    if not tokens or not (foreign or any(token.pos in _NAMING for token in tokens)):
        return ""
    if len(tokens) == 1 and tokens[0].start == 0 and tokens[0].pos != "PROPN":
        return ""
    return question.text[tokens[0].start : name.end]


def _is_capital(token: Token) -> bool:
    return token.text[:1].isupper() or token.text[:1].isdigit()


def _words(question: ParsedQuestion) -> Sequence[Token]:
    """Return the words that say what is asked for, each once."""
    named = {at for name in question.names for at in range(name.first, name.last)}
    return [
        token
        for at, token in enumerate(question.tokens)
        if token.pos in _SAYING
        and (at in named or token.lemma in question.content)
        and at != question.question_token
        and token.text.lower() not in STOP_WORDS
    ]
