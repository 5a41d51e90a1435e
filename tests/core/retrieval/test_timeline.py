"""What is told in a range of dates: made texts, and the sample against a computation one passage at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.retrieval.timeline import passages_between
from core.store.store import Store
from core.text.dates import day_span, find_dates, iso, named_days
from core.types import GraphFilter, GraphShape, InTime, Passage, Sentence
from core.workspace import Workspace

RANGES = [("2021", "2021"), ("2021-03", "2021-07-09"), ("", "2019"), ("2020", "")]


def day(year: int, month: int, number: int) -> int:
    return date(year, month, number).toordinal()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2021", (2021, 1, 1), (2021, 12, 31)),
        ("2020-02", (2020, 2, 1), (2020, 2, 29)),
        ("2021-07-08", (2021, 7, 8), (2021, 7, 8)),
        ("2021-01-08T18:42:11+01:00", (2021, 1, 8), (2021, 1, 8)),
    ],
)
def test_a_year_and_a_month_are_all_of_their_days(
    text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert day_span(text) == (day(*first), day(*last))


@pytest.mark.parametrize(
    "text", ["", "2021-13", "2021-02-30", "0000", "20210708", "2021-7-8", "14:02", "20213"]
)
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    assert day_span(text) is None


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("4 May 1930", (1930, 5, 4), (1930, 5, 4)),
        ("the early 1930s", (1930, 1, 1), (1939, 12, 31)),
        ("1938-1940", (1938, 1, 1), (1940, 12, 31)),
        ("five seasons between 2006 and 2010", (2006, 1, 1), (2010, 12, 31)),
    ],
)
def test_decades_and_spans_of_years_are_read(
    name: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert named_days(name) == (day(*first), day(*last))


TEXTS = {
    "told": "Otto Kask commanded the Northern Star in May 1930. Ines Holm bought the Calder Reach on 4 June 1962.",
    "silent": "Tobias Renwick hired Greta Lund in Bergen.",
}


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    """Two passages, of which the second tells no date."""
    with Workspace.open(tmp_path_factory.mktemp("dated") / "workspace", create=True, models=models) as opened:
        passages = []
        for name, text in TEXTS.items():
            cut = text.find(". ") + 1 or len(text)
            spans = [
                span for span in (Sentence(0, cut), Sentence(cut + 1, len(text))) if span.start < span.end
            ]
            passages.append(Passage(name, name, 0, name.title(), text, 0, len(text), None, tuple(spans)))
        opened.index_passages(passages, TaskContext())
        yield opened


def named(workspace: Workspace, found: InTime) -> set[str]:
    return {workspace.graph.entity(id).name for id in found.entity_ids}


def test_a_fact_is_of_the_dates_of_its_own_sentence(created: Workspace) -> None:
    early, late = (named(created, created.timeline.inside(year, year)) for year in ("1930", "1962-06-04"))
    assert {"Otto Kask", "Northern Star"} <= early
    assert {"Ines Holm", "Calder Reach"} <= late
    assert not early & {"Ines Holm", "Calder Reach"}
    assert not late & {"Otto Kask", "Northern Star"}
    assert not named(created, created.timeline.inside("1931", "1962-06-03"))


def test_what_has_no_date_is_in_no_range_and_is_counted(created: Workspace) -> None:
    everything = created.timeline.inside("1000", "2200")
    assert not named(created, everything) & {"Tobias Renwick", "Greta Lund", "Bergen"}
    timeline = created.timeline.columns()
    assert timeline.undated_facts == len(timeline.ends) - int(everything.facts.sum()) > 0


def test_a_document_dates_what_tells_no_date(created: Workspace) -> None:
    """And only that: its other passages keep to what they tell."""
    before = created.timeline.columns()
    store: Store = created._store
    with store.database.transaction() as connection:
        connection.execute("UPDATE documents SET date = '1999-12-31T10:00:00'")
    store.settings.touch()
    assert created.timeline.columns() is not before
    assert len(passages_between(store, "1999-12", "2000")) == 1
    found = named(created, created.timeline.inside("1999-12-31", ""))
    assert {"Tobias Renwick", "Greta Lund"} <= found
    assert not found & {"Otto Kask", "Ines Holm"}


@pytest.mark.parametrize(("since", "until"), [("soon", ""), ("", "2021-02-31"), ("21", "")])
def test_a_range_of_no_date_is_refused(created: Workspace, since: str, until: str) -> None:
    with pytest.raises(BadInput, match="no date"):
        created.timeline.inside(since, until)


@pytest.fixture(scope="module")
def store(sample_path: Path) -> Iterator[Store]:
    opened = Store(sample_path, "made", 384, read_only=True)
    yield opened
    opened.close()


@pytest.mark.parametrize(("since", "until"), RANGES)
def test_the_graph_that_keeps_to_a_range_has_just_these_pairs(
    sample_workspace: Workspace, store: Store, since: str, until: str
) -> None:
    graph = sample_workspace.graph
    view = graph.view()
    complete, columns = graph.foldable(view, graph.communities()), graph.columns(view, TaskContext())
    left, _ = graph.shaped(complete, GraphShape(GraphFilter(since=since, until=until)), columns)
    ids, nodes = left.view.ids, frozenset(view.ids)
    expected = {pair for pair in slow_pairs(store, since, until) if pair <= nodes}
    assert {frozenset((ids[a], ids[b])) for a, b in left.view.edges.tolist()} == expected


# ------------------------------------------------------------ one at a time


def dates_of(store: Store, passage: int) -> list[tuple[int, tuple[int, int]]]:
    """(start, days) of the names of dates in a passage."""
    rows = store.database.connection().execute(
        "SELECT m.start, e.name FROM mentions m JOIN entities e ON e.key = m.entity_key"
        " WHERE e.label = 'DATE' AND m.passage_key = ?",
        (passage,),
    )
    return [(start, days) for start, name in rows if (days := named_days(name))]


def meets(days: tuple[int, int], since: str, until: str) -> bool:
    first = day_span(since) if since else None
    last = day_span(until) if until else None
    return (first is None or days[1] >= first[0]) and (last is None or days[0] <= last[1])


def slow_passages(store: Store, since: str, until: str) -> set[int]:
    found = set()
    for key, document, path, title, stated, start, end in store.database.connection().execute(
        'SELECT p.key, d.key, d.path, d.title, d.date, p.start, p."end" FROM passages p JOIN documents d'
        " ON d.key = p.document_key"
    ):
        days = [days for _, days in dates_of(store, key)]
        if not days:
            times = store.database.connection().execute(
                'SELECT time FROM blocks WHERE document_key = ? AND start < ? AND "end" > ?',
                (document, end, start),
            )
            days = [spoken for (time,) in times if (spoken := day_span(time))]
        reported = [day_span(iso(title[slice(*span)])) for span in find_dates(title)]
        reported += [day_span(path.rpartition("/")[2][:10]), day_span((stated or "")[:10])]
        days = days or [created for created in reported if created][:1]
        if any(meets(each, since, until) for each in days):
            found.add(key)
    return found


def slow_pairs(store: Store, since: str, until: str) -> set[frozenset[str]]:
    connection, found, passages = store.database.connection(), set(), slow_passages(store, since, until)
    for passage, start, end, subject, object_, one, other in connection.execute(
        'SELECT t.passage_key, t.start, t."end", sn.name, on_.name, s.id, o.id FROM triples t'
        " JOIN facts f ON f.key = t.fact_key JOIN entities sn ON sn.key = f.subject_key"
        " JOIN entities on_ ON on_.key = f.object_key"
        " JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
        " JOIN entities o ON o.key = coalesce(on_.head_key, on_.key) WHERE s.key <> o.key"
    ).fetchall():
        labels = dict(
            connection.execute("SELECT name, label FROM entities WHERE name IN (?, ?)", (subject, object_))
        )
        at_end = [
            days for name in (object_, subject) if labels.get(name) == "DATE" and (days := named_days(name))
        ][:1]
        dates = dates_of(store, passage)
        own = [days for at, days in dates if start <= at < end]
        spans = connection.execute(
            'SELECT start, "end" FROM sentences WHERE passage_key = ? AND start <= ? ORDER BY start DESC',
            (passage, start),
        ).fetchone()
        spoken = [days for at, days in dates if spans and spans[0] <= at < spans[1]]
        reported = at_end or own or spoken
        if any(meets(each, since, until) for each in reported) or (not reported and passage in passages):
            found.add(frozenset((one, other)))
    return found
