"""What is told where people, organisations or places are asked for: those named most, each with a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.material import Places
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Token
from core.retrieval.corpus import Corpus
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.statements import is_statement
from core.text.translation import tr
from core.types import Citation, CommunityReport, DatedFact

MOST = 10  # names
_LOOK = 5 * MOST  # of the names that lead their communities: whose mentions are counted
_READ = 20  # passages of each name
_FIRST = 12  # characters before a name with which a sentence begins: "The master of"
_EARLY = 60  # characters of a sentence before it comes to the name
_FACTS = 3  # more in one sentence make it no better
_LONG = 320  # characters of a sentence that is read at a glance
_SMALL = frozenset(
    "a an and at by de del der des di do du for in la le of on or the to und van von y".split()
)
_WORD = re.compile(r"[^\W_]+")
_HEADING = re.compile(r"\d+(?:\.\d+)+\.?(?:\s|$)")  # "4.5.2 Retrieval Performance", taken for a name
_ONE_OF_MANY = re.compile(r"\b(?:an?|any|each|every|such|another|no)\s+[\"'“‘(]?$", re.IGNORECASE)
_SIGN = re.compile(r"[^A-Z]*[\[\](){}=_.\d][^A-Z]*|[a-z]{1,2}")  # "entity_id", "json.dumps", "pp"
_OFTEN = 0.1  # least share of the mentions with such a word before them
_BEFORE = 12  # characters before a name that hold it


@dataclass(frozen=True, slots=True)
class Kind:
    """What is asked for: labels of spaCy, and how the list of names begins."""

    labels: frozenset[str]
    begin: str


_PEOPLE = Kind(frozenset({"PERSON"}), tr("The people named most"))
_ORGANISATIONS = Kind(frozenset({"ORG"}), tr("The organisations named most"))
_PLACES = Kind(frozenset({"GPE", "LOC", "FAC"}), tr("The places named most"))
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys("people person individual character player actor figure man woman".split(), _PEOPLE),
    **dict.fromkeys(
        "company organisation organization firm institution party agency".split(), _ORGANISATIONS
    ),
    **dict.fromkeys("place country city location port region town state".split(), _PLACES),
}
_LISTS = frozenset({"list", "overview", "name", "summary"})  # "a list of all the people" asks for people
# Words that narrow nothing: "the main people that appear in these documents" are all of them.
_PLAIN = (
    frozenset(_KINDS)
    | _LISTS
    | frozenset(
        "main key important central big large great major most more frequent prominent leading principal notable "
        "relevant different various other many appear occur come turn crop mention cover involve feature be have do "
        "give show tell play take role part kind".split()
    )
)
# Lemmas of what names stand in: such words narrow nothing either.
_HOLDING = frozenset(
    "document file text paper report article contract agreement letter email e-mail mail case record interview diary "
    "journal log register ledger invoice study publication source page story book message post manual minute "
    "chapter note transcript corpus collection archive dataset database library material folder everything".split()
)
_OPEN = frozenset(("NOUN", "PROPN", "ADJ", "VERB"))  # parts of speech
_ALONE = {QuestionType.WHO: _PEOPLE, QuestionType.WHERE: _PLACES}


@dataclass(frozen=True, slots=True)
class Point:
    """One sentence of an answer about all documents.

    `citation` has the community below whose title it stands, where it stands below one; `score` is 0 to 1.
    """

    citation: Citation
    score: float


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that leads a community, and how often it is named."""

    key: int
    id: str
    name: str
    community: int | None  # None where nobody asked for one
    count: int
    common: bool  # made of words that are no names


def asked_kind(question: ParsedQuestion) -> Kind | None:
    """The kind of names that the question asks for; None for any other question.

    Also where it says more of them ("who owes money", "where do the theories disagree"): who is named most answers
    something else.
    """
    if narrows(question):
        return None
    if question.focus in _KINDS:
        return _KINDS[question.focus]
    if not question.focus:
        return _ALONE.get(question.type)
    if question.focus in _LISTS:
        return next((_KINDS[t.lemma.lower()] for t in question.tokens if t.lemma.lower() in _KINDS), None)
    return None


def asks_for_all(question: ParsedQuestion) -> bool:
    """Whether people, organisations or places are asked for, several, and nothing says which."""
    several = {
        t.lemma.lower() for t in question.tokens if t.lemma == "people" or t.text.lower() != t.lemma.lower()
    }
    return asked_kind(question) is not None and of_kind(several)


def of_kind(lemmas: Set[str]) -> bool:
    """Whether a word for people, organisations or places is among these."""
    return any(lemma in _KINDS for lemma in lemmas)


def narrows(question: ParsedQuestion, besides: Set[str] = frozenset()) -> bool:
    """Whether a word says more than that all is asked for; those `besides` do not."""
    return any(_says_which(token, besides) for token in question.tokens)


def _says_which(token: Token, besides: Set[str]) -> bool:
    words = {token.lemma.lower(), token.text.lower()}
    if token.pos not in _OPEN or words & _PLAIN or words & besides:
        return False
    return token.pos not in ("NOUN", "PROPN") or not words & _HOLDING


def most_named(store: Store, kind: Kind, level: int, sizes: Mapping[int, int]) -> list[Named]:
    """Of the entities that lead the communities of a level those that are named most, at most `MOST`.

    A name that is made of common words ("Licence", "Covered Software") comes after all proper ones: what
    looks for names takes what a contract defines for one. Signs of code, abbreviations and headings are none.
    `sizes` are entities by community.
    """
    weights: dict[str, tuple[float, int]] = {}
    for community, id, name, share in store.reports.key_entities(level, kind.labels):
        if _SIGN.fullmatch(name) or is_heading(name):
            continue
        weights[id] = max(weights.get(id, (0.0, 0)), (share * sizes.get(community, 1), community))
    order = sorted(weights, key=lambda id: (-weights[id][0], id))
    found = store.entities.heads_among(order, kind.labels, _LOOK)
    counts = store.contents.mention_counts(key for _, key, _ in found)
    common = common_names(store, {key: name for _, key, name in found})
    named = [
        Named(key, id, name, weights[id][1], counts.get(key, 0), key in common) for id, key, name in found
    ]
    return sorted(named, key=lambda one: (one.common, -one.count, one.name))[:MOST]


def is_heading(name: str) -> bool:
    """Whether it begins with the number of a section, as a heading that was taken for a name does."""
    return _HEADING.match(name) is not None


def most_named_here(store: Store, kind: Kind, corpus: Corpus) -> list[Named]:
    """The same for some passages of a workspace, whose communities nobody made: those that most of them name."""
    rows = [at for at, label in enumerate(corpus.entity_labels) if label in kind.labels]
    order = sorted(rows, key=lambda at: (-corpus.entity_passages[at], corpus.entity_names[at]))
    names = {
        int(corpus.graph.entity_keys[at]): at
        for at in order[:_LOOK]
        if corpus.entity_passages[at]
        and not _SIGN.fullmatch(corpus.entity_names[at])
        and not is_heading(corpus.entity_names[at])
    }
    common = common_names(store, {key: corpus.entity_names[at] for key, at in names.items()})
    named = [
        Named(
            key,
            corpus.entity_ids[at],
            corpus.entity_names[at],
            None,
            int(corpus.entity_passages[at]),
            key in common,
        )
        for key, at in names.items()
    ]
    return sorted(named, key=lambda one: (one.common, -one.count, one.name))[:MOST]


def named_points(
    store: Store, named: Sequence[Named], passages: Sequence[int] | None = None
) -> list[tuple[Named, Point]]:
    """A sentence for each of them: one that tells, of which it is the subject, that comes to it early.

    The score is the share of its mentions among all of theirs. Who stands in no sentence is left out. No sentence is
    told twice: who stands only in what is told of others shares the point of one of them. Nothing is told but of
    `passages`, where these are given.
    """
    contents = store.contents
    keys = [one.key for one in named]
    mentions = contents.mentions(keys, _READ, passages)
    mentions = mentions[~store.reference_lists.inside(mentions[:, 1], mentions[:, 2])]
    places = Places(contents, mentions[:, 1].tolist())
    rows = places.at(mentions[:, 1], mentions[:, 2])
    fact_counts = _subjects(store, keys, places)
    total = max(1, sum(one.count for one in named))
    points: list[tuple[Named, Point]] = []
    used: dict[int, Point] = {}
    for one in named:
        mine = (mentions[:, 0] == one.key) & (rows >= 0)
        best = _best(places, rows[mine], mentions[mine], fact_counts.get(one.key, {}), used.keys())
        if best is not None:
            citation = replace(places.spoken(best, 0.0).citation, community=one.community)
            used[int(places.spots[best])] = point = Point(citation, one.count / total)
            points.append((one, point))
        else:
            shared = (used[spot] for spot in places.spots[rows[mine]].tolist() if spot in used)
            points += [(one, point) for point in islice(shared, 1)]
    return points


def _best(
    places: Places,
    rows: NDArray[np.int64],
    mentions: NDArray[np.int64],
    fact_counts: Mapping[int, int],
    used: Set[int],
) -> int | None:
    """The sentence that tells most of a name, the first of equals."""
    best: tuple[tuple[int, ...], int] | None = None
    for row, (_, _, start, _) in zip(rows.tolist(), mentions.tolist(), strict=True):
        if int(places.spots[row]) in used:
            continue
        text = places.text(row)
        before = start - places.start(row)
        facts = min(fact_counts.get(row, 0), _FACTS)
        early = (before <= _EARLY) + (before <= _FIRST)
        worth = (places.is_statement(row), len(text) <= _LONG, facts > 0, early, facts)
        if best is None or worth > best[0]:
            best = worth, row
    return None if best is None else best[1]


def _subjects(store: Store, keys: Sequence[int], places: Places) -> dict[int, Counter[int]]:
    """How many facts each sentence (row) tells whose subject the entity is, by its key."""
    owners = store.contents.names(keys)
    facts = {fact.key: owners[fact.subject] for fact in store.contents.facts(owners)}
    evidence, _ = store.contents.evidence(facts)
    rows = places.at(evidence[:, 1], evidence[:, 2])
    found: dict[int, Counter[int]] = {}
    for row, fact in zip(rows.tolist(), evidence[:, 0].tolist(), strict=True):
        if row >= 0:
            found.setdefault(facts[fact], Counter())[row] += 1
    return found


def common_names(store: Store, names: Mapping[int, str]) -> set[int]:
    """Those of which every word also stands in small letters in the passages that name them, or that are
    one of many: "an Application", "each Contributor"."""
    mentions = store.contents.mentions(names, _READ)
    texts = {row.key: row.text for row in store.contents.passages(np.unique(mentions[:, 1]).tolist())}
    found = set()
    for key, name in names.items():
        mine = mentions[mentions[:, 0] == key].tolist()
        before = [texts[p][max(0, start - _BEFORE) : start] for _, p, start, _ in mine if p in texts]
        many = sum(_ONE_OF_MANY.search(words) is not None for words in before)
        own = [texts[p] for p in dict.fromkeys(p for _, p, _, _ in mine) if p in texts]
        words = [word for word in _WORD.findall(name) if len(word) > 1 and word.casefold() not in _SMALL]
        if many >= max(1.0, _OFTEN * len(before)) or all(_in_small_letters(word, own) for word in words):
            found.add(key)
    return found


def _in_small_letters(word: str, texts: Iterable[str]) -> bool:
    stem = word.casefold().removesuffix("s")
    if not stem.isalpha():
        return True  # a number makes no name
    small = re.compile(rf"(?<!\w){re.escape(stem)}s?(?!\w)")
    return any(small.search(text) for text in texts)


MOST_DATES = 16  # dates
_MOSTLY = 0.5  # least share of the passages whose documents have a date
_LENGTHS = (4, 7, 10)  # of a date in ISO 8601: its year, its month, its day
_FEWEST = 3  # periods
_FEWEST_EVENTS = 5
_FEWEST_WORDS = 2  # of letters, in a sentence that says what happened
_DATE_WORD = re.compile(r"[^\W\d_]{2,}")
_EVENTS = frozenset("timeline chronology".split())
_CHANGES = frozenset("change development develop evolution evolve history trend".split())

_PERIODS = frozenset("day week month year decade century period time event happen".split())


def asks_for_times(question: ParsedQuestion) -> bool:
    """Whether it asks for what happened, or what changed."""
    return not (_EVENTS | _CHANGES).isdisjoint(_lemmas(question))


def asks_for_all_times(question: ParsedQuestion) -> bool:
    """Whether it asks for these of everything: nothing says of what."""
    besides = _EVENTS | _CHANGES | _PERIODS
    return asks_for_times(question) and not narrows(question, besides) and not of_kind(_lemmas(question))


def asks_for_events(question: ParsedQuestion) -> bool:
    return not _EVENTS.isdisjoint(_lemmas(question))


def _lemmas(question: ParsedQuestion) -> set[str]:
    return {
        form for token in question.tokens for form in (token.lemma.lower(), token.text.lower().rstrip("s"))
    }


def in_periods(
    passages: Sequence[StoredPassage], dates: Mapping[str, str | None]
) -> list[tuple[str, NDArray[np.int64]]]:
    """Years, months or days with the numbers of the passages whose documents are of them, by date; none where hardly
    any has one. `dates` are those of documents, by id.

    Of more than `MOST_DATES` periods of a length the next longer ones are taken, of more years those with the most
    passages.
    """
    of = [(dates.get(each.passage.document_id) or "")[:10] for each in passages]
    if sum(map(bool, of)) < _MOSTLY * len(of):
        return []
    for length in reversed(_LENGTHS):
        counts = Counter(date[:length] for date in of if date)
        if len(counts) <= MOST_DATES or length == _LENGTHS[0]:
            break
    if len(counts) < _FEWEST:
        return []
    periods = sorted(period for period, _ in counts.most_common(MOST_DATES))
    return [(p, np.array([at for at, date in enumerate(of) if date[:length] == p])) for p in periods]


def dated_points(reports: Sequence[CommunityReport]) -> list[tuple[str, Point]]:
    """(date, sentence) of each of these reports in turn, then all by date; none where hardly any has a date."""
    queues = [_ranked(report) for report in reports]
    facts: dict[tuple[str, int], DatedFact] = {}
    while len(facts) < MOST_DATES and any(queues):
        for queue in queues:
            while queue and len(facts) < MOST_DATES:
                fact = queue.pop(0)
                place = (fact.citation.document_id, fact.citation.start)
                if place not in facts:
                    facts[place] = fact
                    break
    if len(facts) < _FEWEST_EVENTS:
        return []
    order = sorted(facts.values(), key=lambda fact: (fact.date, fact.citation.start))
    return [(fact.date, Point(fact.citation, 1.0 / len(order))) for fact in order]


def _ranked(report: CommunityReport) -> list[DatedFact]:
    """The dated facts of a report whose sentence says the year and something besides ("A. (2018)." does not),
    those that are whole sentences first, of these those that its statements tell."""
    dated = [
        fact
        for fact in report.timeline
        if fact.date[:4] in fact.citation.quote
        and len(_DATE_WORD.findall(fact.citation.quote)) >= _FEWEST_WORDS
    ]
    stated = {(c.document_id, c.start) for s in report.statements for c in s.citations}
    return sorted(
        dated,
        key=lambda d: (
            not is_statement(d.citation.quote),
            (d.citation.document_id, d.citation.start) not in stated,
        ),
    )
