"""Dates are read where they stand, in numbers and in words, and told from what looks like them."""

from __future__ import annotations

import pytest

from core.text.dates import cell_date, find_dates, month_first_of, named_days, read_dates, written_date
from tests.core.retrieval.test_timeline import day
from tests.growth import assert_linear

IN_NUMBERS = [
    ("Köln, den 07.11.2024", "07.11.2024", "2024-11-07"),
    ("signed on 30/09/2018 at noon", "30/09/2018", "2018-09-30"),
    ("vom 24.02.16 an", "24.02.16", "2016-02-24"),
    ("gekündigt zum 1.4.23.", "1.4.23", "2023-04-01"),
    ("backup 2020-02-29T23:59:59.5+01:00 done", "2020-02-29T23:59:59.5+01:00", "2020-02-29"),
    ("am 5. 6. 2011 in Wien", "5. 6. 2011", "2011-06-05"),
    ("on 02/03/2020 or so", "02/03/2020", "2020"),
    ("工場は2016年11月3日に閉鎖。", "2016年11月3日", "2016-11-03"),
    ("成立于 2016 年 11 月", "2016 年 11 月", "2016-11"),
]
IN_WORDS = [
    ("paid 04 Feb 09 in cash", "04 Feb 09", "2009-02-04"),
    ("entre el 3 y el 5 de julio de 2011", "3 y el 5 de julio de 2011", "2011-07"),
    ("am 21. Februar 2013 verkauft", "21. Februar 2013", "2013-02-21"),
    ("le 1er août 2007", "1er août 2007", "2007-08-01"),
    ("el 8 de enero de 2022 salió", "8 de enero de 2022", "2022-01-08"),
    ("открыт 9 ноября 1987 г.", "9 ноября 1987", "1987-11-09"),
    ("افتتح في 9 نوفمبر 1987", "9 نوفمبر 1987", "1987-11-09"),
    ("on September 22nd, 1999, they", "September 22nd, 1999", "1999-09-22"),
    ("seit Mai 2008", "Mai 2008", "2008-05"),
    ("JUNE 12, 2003", "JUNE 12, 2003", "2003-06-12"),
    ("[17/Apr/2011:10:11:12 +0200]", "17/Apr/2011", "2011-04-17"),
    ("class of June '96", "June '96", "1996-06"),
    ("from 11-14 August 2016", "11-14 August 2016", "2016-08"),
    ("du 29 mars au 2 avril 2018", "29 mars au 2 avril 2018", "2018"),
]
NONE = [
    "see section 4.2.11 of the manual",
    "version 2.10.2021 of the program",
    "the host 10.12.20.21 answers",
    "a third, 1/3, and a half",
    "you may 2,000 times",
    "open 24/7/365",
    "31.04.2020 is no day",
    "invoice 2020-15-40",
    "the march 1990 of the men",
    "Ergebnis 3:2",
    "2016年13月 gibt es nicht",
    "март и 2 мая",
]


@pytest.mark.parametrize(("text", "words", "iso"), [*IN_NUMBERS, *IN_WORDS])
def test_a_date_is_found_in_its_words(text: str, words: str, iso: str) -> None:
    (date,) = read_dates(text)
    assert text[date.start : date.end] == words
    assert date.iso() == iso


@pytest.mark.parametrize("text", NONE)
def test_what_looks_like_a_date_is_none(text: str) -> None:
    assert find_dates(text) == []


def test_two_dates_with_their_years_are_no_range() -> None:
    text = "Ruth Dahl (2 March 1899 – 30.11.1971)"
    assert [text[slice(*span)] for span in find_dates(text)] == ["2 March 1899", "30.11.1971"]


@pytest.mark.parametrize(
    ("texts", "month_first", "read"),
    [
        (["05/06/2020", "17/06/2020"], False, "2020-06-05"),
        (["05/06/2020", "06/17/2020"], True, "2020-05-06"),
        (["05/06/2020", "17.06.2020"], None, "2020"),  # points say nothing of strokes
        (["05/06/2020", "17/06/2020", "06/17/2020"], None, "2020"),
        (["05/06/2020"], None, "2020"),
    ],
)
def test_the_usage_of_a_document_tells_day_and_month_apart(
    texts: list[str], month_first: bool | None, read: str
) -> None:
    dates = [date for text in texts for date in read_dates(text)]
    assert month_first_of(dates) is month_first
    assert dates[0].unsure and dates[0].iso(month_first) == read


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("11-14 August 2016", (2016, 8, 11), (2016, 8, 14)),
        ("03.-05.05.2019", (2019, 5, 3), (2019, 5, 5)),
        ("02/03/2020", (2020, 1, 1), (2020, 12, 31)),
        ("24.02.16", (2016, 2, 24), (2016, 2, 24)),
    ],
)
def test_a_range_is_of_all_its_days(
    name: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert named_days(name) == (day(*first), day(*last))


@pytest.mark.parametrize(
    ("cell", "month_first", "iso"),
    [
        ("20190804", None, "2019-08-04"), ("08-2019", None, "2019-08"), ("4-Aug-19", None, "2019-08-04"),
        ("04/08/19 10:15 PM", False, "2019-08-04"), ("04/08/19", None, "2019"), ("aug 4 2019", None, "2019-08-04"),
        ("4.8.19", None, "2019-08-04"), ("2019", None, ""), ("4.8", None, ""), ("12,50", None, ""),
        ("4 and 5 August 2019", None, ""), ("around 4 August 2019", None, ""), ("99999999", None, ""),
    ],
)  # fmt: skip
def test_a_cell_is_a_date_or_none(cell: str, month_first: bool | None, iso: str) -> None:
    assert cell_date(cell, month_first) == iso


@pytest.mark.parametrize(("figures", "year"), [("00", 2000), ("39", 2039), ("40", 1940), ("99", 1999)])
def test_two_figures_are_of_the_nearer_century(figures: str, year: int) -> None:
    date = written_date(f"on 13.12.{figures}")
    assert date is not None and date.year == year


@pytest.mark.parametrize("piece", ["1/1/", "March 3-", "may "])
def test_time_grows_with_the_length_of_the_text_alone(piece: str) -> None:
    assert_linear(find_dates, 40_000 * piece)
