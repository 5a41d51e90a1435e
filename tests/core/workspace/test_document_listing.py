"""Which documents are listed and in which order, held against plain sorting and filtering of all of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from core.store.settings import MINILM
from core.store.store import Store
from core.types import Document, Passage, State
from core.workspace.document_listing import (
    DATE,
    KIND,
    NAME,
    PAGES,
    PASSAGES,
    REASON,
    STATE,
    DocumentFilter,
    kind_of,
    listed,
)


def natural(text: str) -> list[tuple[str, int]]:
    """Texts and the numbers behind them."""
    return [(word, int(number or -1)) for word, number in re.findall(r"(\D*)(\d*)", text.lower())]


RANKS = {State.FAILED: 0, State.DONE: 1, State.PENDING: 3}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    created = Store(tmp_path_factory.mktemp("listing"), MINILM.model, MINILM.dimension, create=True)
    draw = random.Random(5)
    for number in range(60):
        path = f"{draw.choice('ab')}/Note {draw.randint(1, 30)}-{number}.{draw.choice(['md', 'pdf', ''])}"
        state = draw.choice([*State])
        document = Document(
            f"d{number:02}", path, "", 1, draw.choice(["", f"Title {number}", "Same"]), "text/plain",
            date=draw.choice([None, "2021-05-04", "1999"]), author=draw.choice([None, "Ada Lund"]),
            pages=draw.randint(0, 12), state=state, reason="broken" if state is State.FAILED else "",
        )  # fmt: skip
        count = 0 if state is State.FAILED else draw.randint(0, 3)
        passages = [
            Passage(f"p{number}-{at}", document.id, at, "", f"Text {number} {at}.", 0, 9)
            for at in range(count)
        ]
        created.documents.put_read(document, "Text.", (), passages)
        if count == 3:
            with created.database.transaction() as connection:
                connection.execute(
                    "UPDATE stages SET state = 'failed' WHERE passage_key IN"
                    " (SELECT key FROM passages WHERE id = ?) AND stage = 'embed'",
                    (f"p{number}-1",),
                )
    yield created
    created.close()


def rank(store: Store, document: Document, column: int, failed: set[str]) -> object:
    if column == NAME:
        return natural(document.title or document.path.rpartition("/")[2])
    if column == STATE:
        return 2 if document.state is State.DONE and document.id in failed else RANKS[document.state]
    if column == PAGES:
        return document.pages
    if column == PASSAGES:
        return store.passages.counts([document.id]).get(document.id, 0)
    if column == KIND:
        return natural(kind_of(document.path, document.media_type))
    return (document.date or "") if column == DATE else natural(document.reason)


@pytest.mark.parametrize("column", [NAME, STATE, PAGES, PASSAGES, KIND, DATE, REASON])
@pytest.mark.parametrize(
    ("text", "failed_only", "descending"),
    [
        ("", False, False),
        ("note a", True, True),
        ("author:lund type:pdf", False, True),
        ("after:2000", True, False),
    ],
)
def test_it_is_what_sorting_all_of_them_gives(
    store: Store, column: int, descending: bool, text: str, failed_only: bool
) -> None:
    every = store.documents.all()
    in_part = {failure.document_id for failure in store.failures.all() if failure.passage_id}
    failed = {each.id for each in every if each.state is State.FAILED} | in_part
    assert in_part and in_part != failed
    wanted = DocumentFilter.parse(text)
    stored = [each for each in every if wanted.matches(each) and (not failed_only or each.id in failed)]
    stored.sort(
        key=lambda each: (rank(store, each, column, failed), natural(each.path)),  # type: ignore[arg-type,return-value]
        reverse=descending,
    )
    found = listed(store, wanted, failed_only, column, descending)
    assert found.ids == tuple(each.id for each in stored)
    unread = sum(each.state is State.FAILED for each in every)
    assert (found.total, found.failed, found.unread) == (len(every), len(failed), unread)


def test_rows_are_those_that_are_asked_for_in_their_order(store: Store) -> None:
    every = {each.id: each for each in store.documents.all()}
    rows = store.documents.rows(["d07", "gone", "d03"])
    assert [row.document for row in rows] == [every["d07"], every["d03"]]
    for row in store.documents.rows(list(every)):
        assert row.passages == store.passages.counts([row.document.id]).get(row.document.id, 0)
        reported = store.failures.all([row.document.id])
        assert row.failed == sum(bool(failure.passage_id) for failure in reported)


LETTERS = [
    Document(
        "1", "post/a.pdf", "", 1, "Charter party", "application/pdf", date="2021-05-04", author="Karen Lund"
    ),
    Document(
        "2", "post/b.eml", "", 1, "Re: bunkers", "message/rfc822", date="2021-07-09T10:00", author="Ivo Maras"
    ),
    Document("3", "ledger.xlsx", "", 1, "Ledger of Karen's", "sheet"),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", "123"),
        ("karen", "13"),
        ("KAREN lund", "1"),
        ("author:karen", "1"),
        ('author:"karen lund" type:pdf', "1"),
        ("from:maras", "2"),
        ("type:xlsx", "3"),
        ("after:2021-05", "12"),
        ("after:2021-05-05", "2"),
        ("before:2021-05", "1"),
        ("after:2021-05 before:2021-06", "1"),
        ("path:post bunkers", "2"),
        ("re:", "2"),
        ("colour:blue", ""),
        ('"', ""),
        ("state:pending", "123"),
    ],
)
def test_what_is_typed_is_what_is_found(text: str, ids: str) -> None:
    wanted = DocumentFilter.parse(text)
    assert "".join(document.id for document in LETTERS if wanted.matches(document)) == ids
