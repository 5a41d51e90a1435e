"""When what a workspace tells was: dates of facts, passages and documents, and what of it lies in a range.

timeline = timeline_of(store)
keys = passages_between(store, "1936", "1938-06")
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.store.store import Store
from core.text.dates import WrittenDate, day_span, iso, month_first_of, named_days, written_date
from core.text.translation import tr
from core.types import DayRows, InTime, Timeline

_FAR = 1 << 32  # more than any offset
_NEVER = -1  # the first day of what is no date
_FIRST, _LAST = 0, 1 << 24  # days before and behind all
_SPAN = np.int64(_LAST)  # more days than any date is long
_NO_CODE = np.int64(np.iinfo(np.int64).max)  # of no date

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_cache: WeakKeyDictionary[Store, tuple[int, Timeline]] = WeakKeyDictionary()
_reading = threading.Lock()


def timeline_of(store: Store) -> Timeline:
    """The timeline of the workspace as it stands; one that was read before is at hand until the content changes.

    Reads all names, facts and passages' places once: a second or two for 100,000 passages, so not on a window's thread.
    """
    with _reading:
        revision = store.settings.revision()
        known = _cache.get(store)
        if known is None or known[0] != revision:
            known = _cache[store] = (revision, store.database.retry_read(lambda: _Reading(store).timeline()))
        return known[1]


def passages_between(store: Store, since: str, until: str) -> Ints:
    """Keys, ascending, of passages that tell of a day in the range; of those that tell no date, where their turns were
    said or their documents made in it. A passage of no date at all is in no range.

    ISO 8601 with or without month and day, both inclusive, "" for open. Raises BadInput for other words.
    """
    timeline = timeline_of(store)
    return timeline.passage_keys[
        _dated_mask(timeline.passage_days, bounds(since, until), len(timeline.passage_keys))
    ]


def undated_documents(store: Store, passages: Ints) -> int:
    """Return how many documents of these passages, by key, have no date at all, and so are in no range."""
    timeline = timeline_of(store)
    inside = np.isin(timeline.passage_keys, passages)
    dated = np.zeros(len(inside), dtype=bool)
    dated[timeline.passage_days.rows] = True
    documents = timeline.passage_documents
    return len(np.setdiff1d(documents[inside], documents[dated]))


def facts_between(store: Store, keys: Ints, since: str, until: str) -> Mask:
    """Which of the facts with these keys are told in a range, as for `inside`."""
    found = inside(timeline_of(store), since, until)
    known = found.timeline.fact_keys[found.facts]  # ascending
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    in_range: Mask = known[at] == keys
    return in_range


def inside(timeline: Timeline, since: str, until: str) -> InTime:
    """What is told in a range, as for `passages_between`. Raises BadInput."""
    days = bounds(since, until)
    passages = _dated_mask(timeline.passage_days, days, len(timeline.passage_keys))
    facts = _dated_mask(timeline.fact_days, days, len(timeline.ends))
    fact, passage = timeline.loose.T
    facts[fact[passages[passage]]] = True
    entities = np.zeros(len(timeline.entity_ids), dtype=bool)
    entities[timeline.ends[facts].ravel()] = True
    entity, passage = timeline.lonely.T
    entities[entity[passages[passage]]] = True
    return InTime(since, until, days, entities, facts, passages, timeline)


def bounds(since: str, until: str) -> tuple[int, int]:
    """First and last day of a range, both inclusive. Raises BadInput for what is no date."""
    found = [day_span(date) if date else (_FIRST, _LAST) for date in (since, until)]
    for date, days in zip((since, until), found, strict=True):
        if days is None:
            raise BadInput(
                tr("{date} is no date.", date=date), tr("Write a year, 2021-05 for a month, or 2021-05-04.")
            )
    (first, _), (_, last) = (days or (_FIRST, _LAST) for days in found)
    return first, last


def entity_days(timeline: Timeline) -> Ints:
    """Return the days of the earliest and of the latest date of each entity, (e, 2, 2): the first and the last day of
    each, 0 where it has none. They are the dates by which `inside` finds it: those of its facts, or, where it is in no
    fact, of the passages that name it."""
    found = np.zeros((len(timeline.entity_ids), 2, 2), np.int64)
    for at, sign in enumerate((1, -1)):

        def codes(days: DayRows, sign: int = sign) -> Ints:
            """Return one number a date; the least is the outermost, and of two of these the shorter."""
            return sign * (days.first if sign > 0 else days.last) * _SPAN + (days.last - days.first)

        passages = _least(
            len(timeline.passage_keys), timeline.passage_days.rows, codes(timeline.passage_days)
        )
        facts = _least(len(timeline.ends), timeline.fact_days.rows, codes(timeline.fact_days))
        np.minimum.at(facts, timeline.loose[:, 0], passages[timeline.loose[:, 1]])
        best = _least(len(found), timeline.ends.ravel(), np.repeat(facts, 2))
        np.minimum.at(best, timeline.lonely[:, 0], passages[timeline.lonely[:, 1]])
        known = best < _NO_CODE
        bound, length = np.divmod(best[known], _SPAN)
        first = bound if sign > 0 else -bound - length
        found[known, at] = np.stack([first, first + length], axis=1)
    return found


def _least(count: int, rows: NDArray[np.int32], codes: Ints) -> Ints:
    found = np.full(count, _NO_CODE)
    np.minimum.at(found, rows, codes)
    return found


def _dated_mask(days: DayRows, within: tuple[int, int], count: int) -> Mask:
    """Which of `count` things have a date in the range."""
    found = np.zeros(count, dtype=bool)
    found[days.rows[(days.first <= within[1]) & (days.last >= within[0])]] = True
    return found


class _Reading:
    """One reading of the store. Dates are rows of `_days`, (n, 2), first and last day."""

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.columns
        self._documents = rows.documents()
        self._passages, self._facts = rows.passages(), rows.fact_ends()
        names = store.contents.dates()
        self._days = {key: days for key, name in names.items() if (days := named_days(name))}
        self._years = {key for key in self._days if len(iso(names[key])) == 4}
        self._mentions = self._dated(rows.date_mentions(), names)
        triples = rows.triples()
        known = np.isin(triples[:, 0], self._facts[:, 0])
        self._triples = triples[known]

    def _dated(self, mentions: Ints, names: Mapping[int, str]) -> Ints:
        """(passage, start, first day, last day) of mentions of dates, by passage and start.

        Of 04/05/2021 day and month are told apart by the other dates of the same document.
        """
        days = _days_of(self._days.get(name, _NO_DAYS) for name in mentions[:, 1].tolist())
        for at, own in self._by_usage(mentions, names):
            days[at] = own
        years = np.isin(mentions[:, 1], list(self._years)) & (mentions[:, 3] == 1)
        good = (days[:, 0] != _NEVER) & ~years
        found: Ints = np.concatenate([mentions[:, [0, 2]], days], axis=1)[good]
        return found

    def _by_usage(self, mentions: Ints, names: Mapping[int, str]) -> Iterator[tuple[int, tuple[int, int]]]:
        """(row, days) of mentions in which day and month may change places."""
        dates = {key: date for key, name in names.items() if (date := written_date(name))}
        unsure = np.isin(mentions[:, 1], [key for key, date in dates.items() if date.unsure])
        if not unsure.any():
            return
        telling = np.isin(
            mentions[:, 1], [key for key, date in dates.items() if date.month_first is not None]
        )
        documents = self._passages[np.searchsorted(self._passages[:, 0], mentions[:, 0]), 1]
        evidence: defaultdict[int, list[WrittenDate]] = defaultdict(list)
        for document, name in zip(documents[telling].tolist(), mentions[telling, 1].tolist(), strict=True):
            evidence[document].append(dates[name])
        usage = {document: month_first_of(each) for document, each in evidence.items()}
        for at in np.flatnonzero(unsure).tolist():
            name = int(mentions[at, 1])
            self._days.pop(name, None)  # a fact with it is of the day that its own document means
            yield at, dates[name].days(usage.get(int(documents[at]))) or _NO_DAYS

    def timeline(self) -> Timeline:
        facts, loose = self._date_facts()
        passages = self._of_passages()
        entities, ids = self._entities()
        ends = np.searchsorted(entities, self._facts[:, 3:])
        lonely = self._lonely(entities, ends)
        documents = _days_of(day_span(date) or _NO_DAYS for *_, date in self._documents)
        dated_docs = np.flatnonzero(documents[:, 0] != _NEVER)
        dated = np.zeros(len(self._passages), dtype=bool)
        dated[passages.rows] = True
        telling = np.zeros(len(self._facts), dtype=bool)
        telling[facts.rows] = True
        telling[loose[dated[loose[:, 1]], 0]] = True
        return Timeline(
            entity_ids=ids,
            fact_keys=self._facts[:, 0],
            ends=ends.astype(np.int32),
            fact_days=facts,
            loose=loose.astype(np.int32),
            passage_keys=self._passages[:, 0],
            passage_days=passages,
            document_ids=tuple(row[1] for row in self._documents),
            document_days=_day_rows(dated_docs, documents[dated_docs]),
            lonely=lonely.astype(np.int32),
            undated_facts=int((~telling).sum()),
            passage_documents=self._passages[:, 1],
        )

    def _entities(self) -> tuple[Ints, tuple[str, ...]]:
        """Keys of all entities, ascending, and their ids."""
        rows = self._store.entities.rows()
        return np.array([row.key for row in rows], np.int64), tuple(row.id for row in rows)

    def _date_facts(self) -> tuple[DayRows, Ints]:
        """The dates of facts, and (fact, passage) where a triple's words and sentence tell none.

        A fact with a date at an end is of that date; else of those in the words that it was read from, else of those
        in their sentence.
        """
        fact_rows = np.searchsorted(self._facts[:, 0], self._triples[:, 0])
        ends = [
            _days_of(self._days.get(key, _NO_DAYS) for key in self._facts[:, at].tolist()) for at in (2, 1)
        ]
        own = np.where(ends[0][:, :1] != _NEVER, *ends)
        at_end = np.flatnonzero(own[:, 0] != _NEVER)
        passage, start, end = self._triples[:, 1], self._triples[:, 2], self._triples[:, 3]
        begin, stop = self._sentences(passage, start)
        open_ = own[fact_rows, 0] == _NEVER
        words = self._between(passage, start, end) * open_[:, None]
        sentence = self._between(passage, begin, stop) * (open_ & (words[:, 0] == words[:, 1]))[:, None]
        which, at = _spread(np.where(words[:, :1] < words[:, 1:], words, sentence))
        facts = np.concatenate([at_end, fact_rows[which]])
        days = np.concatenate([own[at_end], self._mentions[at, 2:]])
        loose = open_.copy()
        loose[which] = False
        passage_rows = np.searchsorted(self._passages[:, 0], passage[loose])
        return _day_rows(facts, days), _unique(fact_rows[loose], passage_rows)

    def _between(self, passage: Ints, start: Ints, end: Ints) -> Ints:
        """First and behind the last of the mentions of dates that begin in these spans, (n, 2)."""
        places = self._mentions[:, 0] * _FAR + self._mentions[:, 1]
        return np.stack([np.searchsorted(places, passage * _FAR + at) for at in (start, end)], axis=1)

    def _sentences(self, passage: Ints, start: Ints) -> tuple[Ints, Ints]:
        """Begin of the sentence in which each place lies, and of the next."""
        sentences = self._store.passages.sentence_starts()
        places = np.append(sentences[:, 0] * _FAR + sentences[:, 1], np.iinfo(np.int64).max)
        at = np.searchsorted(places, passage * _FAR + start, "right")
        begin = np.append(places, 0)[at - 1]
        following = places[np.minimum(at, len(places) - 1)]
        same = begin // _FAR == passage
        last = following // _FAR != passage
        return np.where(same, begin % _FAR, 0), np.where(last, _FAR - 1, following % _FAR)

    def _of_passages(self) -> DayRows:
        keys, documents = self._passages[:, 0], self._passages[:, 1]
        rows = [np.searchsorted(keys, self._mentions[:, 0])]
        days = [self._mentions[:, 2:]]
        silent = np.ones(len(keys), dtype=bool)
        silent[rows[0]] = False
        which, turn_days = self._turns(silent)
        rows.append(which)
        days.append(turn_days)
        silent[which] = False
        days_of = {key: day_span(date) or _NO_DAYS for key, *_, date in self._documents}
        rest = np.flatnonzero(silent)
        own = _days_of(days_of.get(key, _NO_DAYS) for key in documents[rest].tolist())
        good = own[:, 0] != _NEVER
        return _day_rows(np.concatenate([*rows, rest[good]]), np.concatenate([*days, own[good]]))

    def _turns(self, wanted: Mask) -> tuple[Ints, Ints]:
        """Rows of those passages, and the days on which turns that they hold were said."""
        places, times = self._store.columns.turns()
        days = _days_of(day_span(time) or _NO_DAYS for time in times)
        good = days[:, 0] != _NEVER
        places, days = places[good], days[good]
        begins = places[:, 0] * _FAR + places[:, 1]
        rows = np.flatnonzero(wanted)
        _, document, start, end = self._passages[rows].T
        first = np.searchsorted(begins, document * _FAR + start, "right") - 1
        before = np.maximum(first, 0)  # the turn that goes on where the passage begins
        if len(places):
            over = (places[before, 0] != document) | (places[before, 2] <= start) | (first < 0)
            first = np.where(over, first + 1, first)
        span = np.stack([np.maximum(first, 0), np.searchsorted(begins, document * _FAR + end)], axis=1)
        which, at = _spread(span)
        return rows[which], days[at]

    def _lonely(self, entities: Ints, ends: Ints) -> Ints:
        """Rows (entity, passage) of those in no fact and the passages that name them."""
        named = self._store.columns.passage_entities()
        rows = np.searchsorted(entities, named[:, 1])
        tied = np.zeros(len(entities), dtype=bool)
        tied[ends.ravel()] = True
        alone = ~tied[rows]
        passages = np.searchsorted(self._passages[:, 0], named[alone, 0])
        return np.stack([rows[alone], passages], axis=1)


_NO_DAYS = (_NEVER, _NEVER)


def _days_of(days: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(days), dtype=np.int64).reshape(-1, 2)


def _spread(spans: Ints) -> tuple[Ints, Ints]:
    """Every number in the spans [first, last), (n, 2): (of which span, number)."""
    counts = np.maximum(spans[:, 1] - spans[:, 0], 0)
    which = np.repeat(np.arange(len(spans)), counts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, spans[which, 0] + within


def _day_rows(rows: Ints, days: Ints) -> DayRows:
    """Each date of each thing once."""
    row, first, last = _unique(rows, days[:, 0], days[:, 1]).T.astype(np.int32)
    return DayRows(row, first, last)


def _unique(*columns: Ints) -> Ints:
    table = np.stack(columns, axis=1)
    return np.unique(table, axis=0) if len(table) else table
