"""Words of scripts without spaces are found, however short, beside those of all others."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.lexical import match_all, match_query
from core.progress import TaskContext
from core.store.checks.rule import Encoding
from core.store.store import Store
from core.store.verify import verify
from core.text.search_words import searchable, words_of

PASSAGES = {
    "harbour": "港の灯台は明治三十年に建てられ、いまも船を導いている。",
    "cat": "隣の家には白い猫がいる。",
    "last": "庭で見たのは犬",
    "tea": "茶商把新茶运到汉口，再由商船送往伦敦。",
    "bridge": "这座石桥建于一四一二年，横跨清水河。",
    "market": "ตลาดน้ำเปิดทุกวันเสาร์และอาทิตย์ ชาวบ้านพายเรือขายผลไม้",
    "temple": "วัดเก่าแก่แห่งนี้สร้างเมื่อสามร้อยปีก่อน",
    "train": "기차는 부산에서 아침 여섯 시에 떠난다.",
    "mixed": "社内のサーバーはＬｉｎｕｘで動き、バックアップは2024年3月にRotterdamへ移した。",
    "latin": "The naïve café in Łódź sells coffee, not tea.",
    "hindi": "नदी के किनारे एक पुराना मंदिर है।",
}


def filled(folder: Path) -> Store:
    store = Store(folder, "m", 4, create=True)
    with store.database.transaction() as connection:
        insert(connection)
    return store


def insert(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO documents (key, id, path, sha256, size, modified_ns, title, media_type, pages, state)"
        " VALUES (1, 'd', 'd.txt', '', 0, 0, 'd', 'text/plain', 0, 'done')"
    )
    connection.executemany(
        'INSERT INTO passages (id, document_key, ordinal, title, text, start, "end")'
        " VALUES (?, 1, ?, '', ?, 0, 9)",
        [(name, at, text) for at, (name, text) in enumerate(PASSAGES.items())],
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(filled(tmp_path)) as found:
        yield found


def found_by(store: Store, match: str) -> list[str]:
    ids = dict(store.passages.ids())
    return [ids[key] for key, _ in store.passages.search(match, 20)]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("猫", "cat"),
        ("犬", "last"),  # the last sign of a run begins no pair
        ("灯台", "harbour"),
        ("灯台はいつ建てられましたか？", "harbour"),
        ("石桥", "bridge"),
        ("商船把茶叶送到哪里？", "tea"),
        ("ตลาดน้ำ", "market"),
        ("วัดนี้สร้างเมื่อไร", "temple"),
        ("부산", "train"),
        ("기차가 언제 떠나나요?", "train"),
        ("Linux", "mixed"),
        ("ﾊﾞｯｸｱｯﾌﾟ", "mixed"),
        ("Rotterdam 移した", "mixed"),
        ("cafe Lódz", "latin"),
        ("cafe\u0301", "latin"),
        ("मंदिर", "hindi"),
    ],
)
def test_the_passage_is_found_first(store: Store, question: str, first: str) -> None:
    assert found_by(store, match_query(question))[0] == first


def test_signs_that_stand_nowhere_find_nothing(store: Store) -> None:
    assert found_by(store, match_query("鯨")) == []
    assert found_by(store, match_all("白い犬")) == []
    assert found_by(store, match_all("白い猫")) == ["cat"]


def test_other_scripts_are_searched_as_they_stand() -> None:
    text = "Don't_x — naïve, 3.5 m² of Łódź; Ολυμπία и Москва"
    assert searchable(text) == text
    assert words_of(text) == ["Don", "t_x", "naïve", "3", "5", "m²", "of", "Łódź", "Ολυμπία", "и", "Москва"]


def test_a_passage_that_goes_leaves_no_word(store: Store) -> None:
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM passages WHERE id IN ('cat', 'mixed', 'market')")
    assert found_by(store, match_query("猫 Linux ตลาดน้ำ")) == []
    checks = verify(store.database, Encoding("m", 4, frozenset()), TaskContext())
    words = next(check for check in checks if check.name == "words of the full-text index")
    assert words.ok, words.detail


@given(
    st.text(st.sampled_from([bytes([n]).decode("cp1252", "ignore") or " " for n in range(256)]), max_size=60)
)
def test_the_short_way_of_latin_texts_finds_the_same_words(text: str) -> None:
    assert words_of(f"{text} \u6e2f") == [*words_of(text), "\u6e2f"]
