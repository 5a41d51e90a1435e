"""One sentence a pattern, read by the real pipeline."""

import pytest

from core.types import Extraction

from .conftest import Read


def found(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(t.subject, t.predicate, t.object) for t in extraction.triples if not t.assertion}


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Peter Jones founded Northwind Lines.", ("Peter Jones", "founded", "Northwind Lines")),
        ("Peter Jones, the director of Acme Corporation, resigned.",
         ("Peter Jones", "director of", "Acme Corporation")),
        ("The film director Peter Jones lives in Paris.", ("Peter Jones", "is", "film director")),
        ("Peter Jones is the brother of Mary Jones, who founded Acme Corporation.",
         ("Mary Jones", "founded", "Acme Corporation")),
        ("Peter Jones lives in Oslo. His father was Charles Jones.",
         ("Charles Jones", "father of", "Peter Jones")),
        ("The harbour police arrested Peter Jones on 8 November 2021.",
         ("Peter Jones", "arrested on", "8 November 2021")),
        ("Anna Berg sold the house to Otto Kask in 1987.", ("Anna Berg", "sold house to", "Otto Kask")),
        ("The letter which Anna Berg received from Otto Kask was lost.",
         ("Anna Berg", "received letter from", "Otto Kask")),
    ],
)  # fmt: skip
def test_a_pattern_gives_its_triple(read: Read, text: str, triple: tuple[str, str, str]) -> None:
    assert triple in found(read(text))


def test_one_statement_in_two_voices_is_one_fact(read: Read) -> None:
    active, passive = (
        "Acme Corporation acquired Northwind Lines.",
        "Northwind Lines was acquired by Acme Corporation.",
    )
    for text in (f"{active} {passive}", f"{passive} {active}"):
        assert len([triple for triple in found(read(text)) if triple[1] in ("acquired", "acquired by")]) == 1
    both = found(read("Peter Jones hired Mary Jones. Peter Jones was hired by Mary Jones."))
    assert {triple[1] for triple in both} == {"hired", "hired by"}, "each hired the other"


@pytest.mark.parametrize(
    ("title", "text", "triple"),
    [
        ("Josh Duhamel", "Joshua David Duhamel( born November 14, 1972) is an American actor.",
         ("Josh Duhamel", "born on", "November 14, 1972")),
        ("Rudolf Meinert", "Rudolf Meinert was a producer. Meinert was born in Vienna.",
         ("Rudolf Meinert", "born in", "Vienna")),
        ("Carl Boese", "Carl Boese( 26 August 1887 – 6 July 1958) was a German film director.",
         ("Carl Boese", "died on", "6 July 1958")),
        ("Tropic Holiday", "Tropic Holiday is a musical film. The film stars Bob Burns.",
         ("Tropic Holiday", "stars", "Bob Burns")),
        ("Tropic Holiday", "Tropic Holiday is a musical film. The music was composed by Ray Noble.",
         ("Tropic Holiday", "music composed by", "Ray Noble")),
        ("Condé Nast", "Condé Nast is a media company. It was founded by Condé Montrose Nast.",
         ("Condé Nast", "founded by", "Condé Montrose Nast")),
        ("Syria in figures", "The Central Bureau of Statistics (CBS) is in Damascus.",
         ("Central Bureau of Statistics", "also known as", "CBS")),
    ],
)  # fmt: skip
def test_titles_and_brackets_are_resolved(
    read: Read, title: str, text: str, triple: tuple[str, str, str]
) -> None:
    assert triple in found(read(text, title))


def test_a_missing_person_has_not_died(read: Read) -> None:
    text = "Anna Berg (born 29 November 1970 – missing since 6 January 1994) is a singer."
    predicates = {t.predicate for t in read(text, "Anna Berg").triples}
    assert "born on" in predicates
    assert "died on" not in predicates
