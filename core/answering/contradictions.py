"""Find pairs of sentences of two documents that give different values for one thing: a date, time, amount or person."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from scipy.sparse import csr_matrix

from core.answering.candidates import Candidate, cite
from core.answering.conflicts import Value, value_of
from core.answering.passage_reader import read_candidates
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.retrieval.ranking import by_rank
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.dates import read_dates
from core.text.statements import is_statement
from core.text.stems import content_stems, stem
from core.types import BlockKind, Citation, Contradiction, Sentence

_CLOCK = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?![\d:]|[.,]\d)|\.(?P<dotted>[0-5]\d)(?=\s?[ap]\.?m\b))"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?"
)
_FULL_NAME = re.compile(r"\b[A-Z][a-zà-ÿ’'-]+ [A-Z][a-zà-ÿ’'-]+\b")  # where the parser saw no name at all
_YEAR = re.compile(
    r"(?<=\b(?:[Ii]n|of|by) )(?:1[5-9]|20)\d\d(?![\w/-]|[.,:]\d)"
    r"|(?<![\w.,:/-])(?:1[5-9]|20)\d\d(?![\w/-]|[.,:]\d|\s[a-z])"
)
_AMOUNT = re.compile(
    r"(?<![\w.,:/-])(?:(?P<before>[€$£]|[A-Z]{3}\s)\s?)?"
    r"(?P<number>\d{1,3}(?:[,'’\u00a0 ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"(?P<scale>\s(?:million|billion|thousand))?(?:\s?(?P<unit>[%€$£]|[a-z]{1,20}[²³]?))?(?![\w/-]|[.,]\d)"
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9}  # behind a sum with its currency before it
_BLANKS = re.compile(r"[\s'’]")
_UNITLESS = frozenset(
    "a an and are as at be below but by for from had has have he in is it its no not of on or our she so that the "
    "their then there they this to under upon was we were when which while who with you above after before until "
    "between x".split()
)
# What tells two things of a kind apart: "valve V-203", "the second floor".
_NUMBERED = re.compile(
    r"\b(?:[A-Z]+-?\d+|\d+\.\d+(?!\d)|first|second|third|fourth|fifth|sixth|north|south|east|west|upper|lower|left|"
    r"right|port|starboard|inner|outer|front|rear)\b",
    re.IGNORECASE,
)
_OF_A_KIND = 0.5  # share of the words of a title that two documents of a kind have in common
_WORDS = (5, 60)  # of a sentence that is looked at
_ALIKE, _SERIES = (
    0.85,
    3,
)  # share of words of what all documents of a kind say, and so many of these tell nothing
_NEIGHBOURS = 30  # of each value that are looked at
_BLOCK = 256  # rows of weights that are held at a time
_COMMON = 200  # sentences with a word, beyond which it is not compared
_PARSED = 2_000  # pairs, the likeliest first, of which the grammar is looked at
_UNREAD = {BlockKind.TABLE, BlockKind.HEADING, BlockKind.CODE, BlockKind.BOILERPLATE, BlockKind.CAPTION}
# Logistic regression, fitted on forty contradictions that were planted in three folders.
_SHARE, _WEIGHT, _BIAS = 2.6, 2.2, 1.5
_MUCH, _MOST = 15.0, 2.0  # weight of shared words that counts once, and how often it counts at most
_LEAST = 0.85  # score, that is a likelihood of 0.7


@dataclass(frozen=True, slots=True)
class _Statement:
    """A value that a sentence gives, and its offsets in the sentence."""

    passage: int  # place among the passages that are looked at
    sentence: Sentence
    text: str
    value: Value
    start: int
    end: int

    @property
    def parsed_start(self) -> int:
        """Where the value stands once blanks are single, as they are in a parse."""
        return len(" ".join(f"{self.text[: self.start]}x".split())) - 1

    @property
    def remainder(self) -> str:
        """The sentence without the value."""
        return f"{self.text[: self.start]} {self.text[self.end :]}"


def find_contradictions(
    store: Store, parse: Callable[[str], ParsedQuestion], context: TaskContext, most: int
) -> list[Contradiction]:
    """Return the likeliest pairs, at most `most`, each sentence in one pair. Raises Cancelled.

    A pair is of two documents, and neither holds the value of the other. It is as likely as they share words beside
    the values, rare words counting more; their values hang on one verb. What every document of a kind says of
    itself ("The meeting closed at 9.40") makes none.
    """
    passages = [
        each for document in store.documents.all() for each in store.passages.of_document(document.id)
    ]
    statements = list(_values(store, passages, context))
    used: set[tuple[int, int]] = set()
    found: list[tuple[_Statement, _Statement, float]] = []
    for likelihood, one, other in _pairs(statements, passages, context)[:_PARSED]:
        context.check()
        if len(found) == most:
            break
        places = {(statements[at].passage, statements[at].sentence.start) for at in (one, other)}
        if not places & used and _share_clause(statements[one], statements[other], parse):
            used |= places
            found.append((statements[one], statements[other], likelihood))
    return _cited(store, passages, found)


def _values(store: Store, passages: Sequence[StoredPassage], context: TaskContext) -> Iterator[_Statement]:
    known: set[tuple[str, int]] = set()  # passages overlap
    for at, stored in enumerate(passages):
        context.check()
        passage = stored.passage
        mentions = store.entities.mentions_of_passage(stored.key)
        persons = [(each.start, each.end) for each in mentions if each.label == "PERSON"]
        named = [(each.start, each.end) for each in mentions]
        persons += [m.span() for m in _FULL_NAME.finditer(passage.text) if not _overlaps(m.span(), named)]
        for sentence in passage.sentences:
            text = passage.text[sentence.start : sentence.end]
            place = passage.document_id, passage.start + sentence.start
            if place in known or not _WORDS[0] <= len(text.split()) <= _WORDS[1] or not is_statement(text):
                continue
            known.add(place)
            if any(
                b.kind in _UNREAD and b.start < sentence.end and sentence.start < b.end
                for b in passage.blocks
            ):
                continue
            for value, start, end in read_values(text):
                yield _Statement(at, sentence, text, value, start, end)
            for start, end in persons:
                if sentence.start <= start and end <= sentence.end:
                    value = Value("name", normalise(passage.text[start:end]))
                    if value.text:
                        yield _Statement(
                            at, sentence, text, value, start - sentence.start, end - sentence.start
                        )


def read_values(text: str) -> Iterator[tuple[Value, int, int]]:
    """Yield dates, times of day and amounts with a unit, with their offsets."""
    taken = []
    for date in read_dates(text):
        taken.append((date.start, date.end))
        if value := date.iso():
            yield Value("date", value), date.start, date.end
    for match in _CLOCK.finditer(text):
        if not _overlaps(match.span(), taken):
            taken.append(match.span())
            hour = int(match["hour"])
            hour = hour % 12 + (12 if match["half"] == "p" else 0) if match["half"] else hour
            yield Value("time", f"{hour:02}:{match['minute'] or match['dotted']}"), *match.span()
    for match in _YEAR.finditer(text):
        if not _overlaps(match.span(), taken):
            taken.append(match.span())
            yield Value("date", match[0]), *match.span()
    for match in _AMOUNT.finditer(text):
        unit, before = match["unit"] or "", (match["before"] or "").strip()
        if _overlaps(match.span("number"), taken) or not (before or unit) or unit in _UNITLESS and not before:
            continue
        known = value_of(f"{re.sub(_BLANKS, '', match['number'])} {before or unit}")
        if known is None:
            continue
        scale = _SCALES.get((match["scale"] or "").strip(), 1.0)
        last = "scale" if match["scale"] else "number"
        if before and unit in _SHORT_SCALES:
            scale, last = _SHORT_SCALES[unit], "unit"
        start = match.start("before") if before else match.start("number")
        yield Value(known.unit, f"{float(known.text) * scale:.15g}"), start, match.end(last)


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


def _pairs(
    statements: Sequence[_Statement], passages: Sequence[StoredPassage], context: TaskContext
) -> list[tuple[float, int, int]]:
    """Return the likelihood and the places of values that contradict each other, the likeliest first."""
    ids = [passages[each.passage].passage.document_id for each in statements]
    documents = np.unique(ids, return_inverse=True)[1]
    values_of: defaultdict[tuple[int, int], list[Value]] = defaultdict(list)
    for each in statements:
        values_of[each.passage, each.sentence.start].append(each.value)
    found: dict[tuple[int, int], float] = {}
    recurring_rows: set[int] = set()
    for row, near, score, share in _near_statements(statements, documents, context):
        others = [
            at
            for at in near
            if statements[at].value.contradicts(statements[row].value)
            and not _holds(
                values_of[statements[at].passage, statements[at].sentence.start], statements[row].value
            )
            and not _holds(
                values_of[statements[row].passage, statements[row].sentence.start], statements[at].value
            )
            and not _is_apart(statements[row], statements[at], passages, values_of)
        ]
        if len({documents[at] for at in others if share[at] >= _ALIKE}) >= _SERIES:
            recurring_rows.add(row)
        found |= {(min(row, at), max(row, at)): score[at] for at in others}
    return sorted(
        (
            (1.0 / (1.0 + math.exp(-score)), *pair)
            for pair, score in found.items()
            if not recurring_rows & {*pair}
        ),
        key=lambda each: (-each[0], _distance(statements[each[1]], statements[each[2]]), *each[1:]),
    )


def _distance(one: _Statement, other: _Statement) -> int:
    """Return how many letters the values differ by: of pairs that are as likely, slips come first."""
    return Levenshtein.distance(one.value.text, other.value.text)


def _near_statements(
    statements: Sequence[_Statement], documents: NDArray[np.int64], context: TaskContext
) -> Iterator[tuple[int, list[int], dict[int, float], dict[int, float]]]:
    """Yield each statement's place with those of other documents that share most words with it, the most first; their
    scores, and the share of the words of both."""
    stems = [sorted(content_stems(each.remainder)) for each in statements]
    counts = Counter(word for own in stems for word in own)
    n = len(statements)
    weights = {word: math.log1p(n / count) for word, count in counts.items()}
    own = np.array([sum(weights[word] for word in each) for each in stems])
    common = max(_COMMON, n // 100)  # what every other sentence has tells nothing, and would fill the product
    columns = {
        word: at for at, word in enumerate(sorted(w for w, count in counts.items() if count <= common))
    }
    rare = [[word for word in each if word in columns] for each in stems]
    matrix = csr_matrix(
        (
            [math.sqrt(weights[word]) for each in rare for word in each],
            [columns[word] for each in rare for word in each],
            np.concatenate([[0], np.cumsum([len(each) for each in rare])]),
        ),
        shape=(n, len(columns)),
    )
    for begin in range(0, n, _BLOCK):
        context.check()
        block = (matrix[begin : begin + _BLOCK] @ matrix.T).tocsr()
        for at in range(block.shape[0]):
            row, inside = begin + at, slice(block.indptr[at], block.indptr[at + 1])
            near, weight = block.indices[inside], block.data[inside]
            ratio = weight / np.maximum(own[near], own[row])
            score = _SHARE * ratio + _WEIGHT * np.minimum(weight / _MUCH, _MOST) - _BIAS
            able = np.flatnonzero((score >= _LEAST) & (documents[near] != documents[row]))
            order = able[np.lexsort((near[able], -score[able]))][:_NEIGHBOURS]
            chosen = near[order].tolist()
            yield (
                row,
                chosen,
                dict(zip(chosen, score[order], strict=True)),
                dict(zip(chosen, ratio[order], strict=True)),
            )


def _holds(values: Sequence[Value], wanted: Value) -> bool:
    return any(value.unit == wanted.unit and not value.contradicts(wanted) for value in values)


def _share_clause(one: _Statement, other: _Statement, parse: Callable[[str], ParsedQuestion]) -> bool:
    """Whether the verbs that govern the values are the same, and of the same subject where both name one; where there
    is no verb, whether the sentences share a word that is no name."""
    parsed = [parse(each.text) for each in (one, other)]
    verbs, subjects = zip(
        *(_clause_of(own, each.parsed_start) for own, each in zip(parsed, (one, other), strict=True)),
        strict=True,
    )
    if not all(verbs):
        words = [{stem(lemma) for lemma in own.content} for own in parsed]
        return bool(words[0] & words[1])
    return verbs[0] == verbs[1] and (not all(subjects) or bool(subjects[0] & subjects[1]))


def _clause_of(parsed: ParsedQuestion, at: int) -> tuple[str, frozenset[str]]:
    """Return the stem of the verb above the token at a place, "" for none, and those of its subject, a noun."""
    tokens = parsed.tokens
    place = next((number for number, token in enumerate(tokens) if token.end > at), -1)
    while place >= 0 and tokens[place].pos not in ("VERB", "AUX"):
        place = tokens[place].head if tokens[place].head != place else -1
    if place < 0:
        return "", frozenset()
    heads = {
        n for n, token in enumerate(tokens) if token.head == place and token.dep in ("nsubj", "nsubjpass")
    }
    inside = {n for n, token in enumerate(tokens) if token.head in heads and token.dep == "compound"} | heads
    named = (stem(tokens[n].lemma) for n in inside if tokens[n].pos in ("NOUN", "PROPN"))
    return stem(tokens[place].lemma), frozenset(named)


def _is_apart(
    one: _Statement,
    other: _Statement,
    passages: Sequence[StoredPassage],
    values_of: Mapping[tuple[int, int], Sequence[Value]],
) -> bool:
    """Whether they speak of different things: with other values besides, of things with other numbers, or each of its
    own document, of two of a kind."""
    others = [
        [value for value in values_of[each.passage, each.sentence.start] if value != each.value]
        for each in (one, other)
    ]
    for unit in {value.unit for value in others[0]} & {value.unit for value in others[1]}:
        same = [[value for value in each if value.unit == unit] for each in others]
        if unit != "name" and not any(_holds(same[1], value) for value in same[0]):
            return True
    dates = [[value for value in each if value.unit == "date"] for each in others]
    numbered = [{word.casefold() for word in _NUMBERED.findall(each.remainder)} for each in (one, other)]
    if all(numbered) and not numbered[0] & numbered[1]:
        return True
    if any(_holds(dates[1], date) for date in dates[0]):
        return False
    return _title_overlap(passages[one.passage], passages[other.passage]) >= _OF_A_KIND


def _title_overlap(one: StoredPassage, other: StoredPassage) -> float:
    """Return the share of words that the shorter of two titles has of the other, of documents of a kind."""
    words = [content_stems(f"{each.passage.title} {PurePosixPath(each.path).stem}") for each in (one, other)]
    words = [frozenset(word for word in own if not any(map(str.isdigit, word))) for own in words]
    return len(words[0] & words[1]) / max(1, min(map(len, words)))


def _cited(
    store: Store, passages: Sequence[StoredPassage], found: Sequence[tuple[_Statement, _Statement, float]]
) -> list[Contradiction]:
    ids = dict.fromkeys(passages[each.passage].passage.id for *both, _ in found for each in both)
    by_id: dict[str, Candidate] = {
        candidate.passage.id: candidate for candidate in read_candidates(store, by_rank(ids))[0]
    }

    def citation(each: _Statement) -> Citation:
        candidate = by_id[passages[each.passage].passage.id]
        lead = len(each.text) - len(each.text.lstrip())
        marked = each.start - lead, each.end - lead
        return replace(cite(candidate, each.sentence), marked=marked, date=candidate.date[:10])

    return [Contradiction(citation(one), citation(other), likelihood) for one, other, likelihood in found]
