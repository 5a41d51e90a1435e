"""Cleaning keeps words, is done once, and no text makes it slow."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.cleaning import clean
from core.ingest.dating import iso_date, title_of
from core.ingest.layout import paged_text, unwrapped

texts = st.text(max_size=300)


@given(texts)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once == unicodedata.normalize("NFC", once)
    assert "\n\n\n" not in once
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t" for c in once)


@given(
    st.text(
        st.characters(
            exclude_categories=("Cc", "Cs"),
            exclude_characters="\u202d\u202e\u2028\u2029\ufeff\ufff9\ufffa\ufffb\ufffe\uffff",
        ),
        max_size=300,
    )
)
def test_letters_and_spaces_survive(text: str) -> None:
    assert clean(text) == unicodedata.normalize("NFC", text).strip()


@given(
    st.lists(
        st.text(st.characters(categories=("L", "P", "Zs"), include_characters="\n-"), max_size=200),
        max_size=5,
    )
)
def test_pages_lie_where_they_say(raw: list[str]) -> None:
    text, pages, _ = paged_text(list(enumerate(raw, 1)))
    assert [page.number for page in pages] == list(range(1, len(raw) + 1))
    last = 0
    for page in pages:
        assert last <= page.start <= page.end <= len(text)
        assert not text[last : page.start].strip()
        last = page.end
    assert last == len(text)


@given(texts)
def test_unwrapping_moves_only_white_space(text: str) -> None:
    cleaned = clean(text)
    assert unwrapped(cleaned).split() == cleaned.split()


@pytest.mark.parametrize(("stated", "date"), [
    ("2021-05-04T10:20:30.5+02:00", "2021-05-04T10:20:30+02:00"),
    ("D:20210504102030", "2021-05-04T10:20:30"),
    ("4 May 2021", "2021-05-04"),
    ("Tue, 4 May 2021 10:00:00 GMT", "2021-05-04T10:00:00+00:00"),
    ("0001-01-01", None),
    ("soon", None),
])  # fmt: skip
def test_dates(stated: str, date: str | None) -> None:
    assert iso_date(stated) == date


@given(texts, texts, st.text(min_size=1, max_size=40))
def test_there_is_always_a_title(metadata: str, heading: str, name: str) -> None:
    title = title_of(metadata, heading, name)
    assert title.strip() and "\n" not in title and len(title) <= 160


def test_a_list_of_names_written_surname_first_keeps_its_lines() -> None:
    names = "OKONEDO-BRIGHT, Constance (chair)\nvon Aldenhoven, Maximilian\nde Matos, Iva\nSt. Clair, Rosamund Ines"
    assert unwrapped(names).replace("\n\n", "\n") == names


BEFORE, AFTER = "It is told in all its length on the pages that are found at ", " and was read there by all."


@pytest.mark.parametrize(("line", "following", "joined"), [
    ("https://doi.org/10.1038/", "s41586-020-2649-2", "https://doi.org/10.1038/s41586-020-2649-2"),
    ("doi:10.1016/j.", "jmb.2004.05.023", "doi:10.1016/j.jmb.2004.05.023"),
    ("http://quay.example/a?berth=", "7&tide=high", "http://quay.example/a?berth=7&tide=high"),
    ("https://quay.example/", "together", "https://quay.example/ together"),
    ("https://quay.example.", "Together", "https://quay.example. Together"),
    ("the berth and/", "or quay-side", "the berth and/ or quay-side"),
])  # fmt: skip
def test_an_address_that_a_line_break_cut_is_joined(line: str, following: str, joined: str) -> None:
    assert unwrapped(f"{BEFORE}{line}\n{following}{AFTER}") == f"{BEFORE}{joined}{AFTER}"
