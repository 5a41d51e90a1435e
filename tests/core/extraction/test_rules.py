"""The extractor as a whole: mentions, offsets, order, cancelling, odd texts."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import ModelUnavailable
from core.extraction.names import normalise
from core.extraction.rules import WINDOW, RulesExtractor
from core.progress import Cancelled, TaskContext
from core.types import Extraction, Passage, Sentence

from .conftest import Read


def assert_sound(text: str, extraction: Extraction) -> None:
    """Offsets lie in the text, strings are clean, named ends of triples are mentions."""
    for mention in extraction.mentions:
        assert 0 <= mention.start <= mention.end <= len(text)
        assert normalise(mention.text)
    for triple in extraction.triples:
        assert 0 <= triple.start < triple.end <= len(text)
        assert 0 < triple.confidence <= 1
        assert triple.subject == triple.subject.strip() != ""
        assert triple.object == triple.object.strip() != ""
        assert "\n" not in triple.subject + triple.object


def test_mentions_carry_label_and_place(read: Read) -> None:
    text = 'In 1974 Peter Jones wrote "The Long Voyage" in Bergen.'
    extraction = read(text)
    labels = {mention.text: mention.label for mention in extraction.mentions}
    assert labels["Peter Jones"] == "PERSON"
    assert labels["The Long Voyage" if "The Long Voyage" in labels else "Long Voyage"] == "WORK"
    assert labels["1974"] == "DATE"
    assert labels["Bergen"] == "GPE"
    for mention in extraction.mentions:
        assert mention.text in text[mention.start : mention.end]


def test_title_is_a_mention_with_and_without_its_bracket(read: Read) -> None:
    absent = read("It rained.", "Get Low (song)").mentions
    assert {(m.text, m.start, m.end) for m in absent} >= {("Get Low", 0, 0), ("Get Low (song)", 0, 0)}
    text = 'Later, "Get Low" is a song.'
    present = {m.text: m for m in read(text, "Get Low (song)").mentions}
    assert "Get Low" in text[present["Get Low"].start : present["Get Low"].end]


def test_a_title_that_the_first_sentence_says_to_be_something_is_a_name(read: Read) -> None:
    text = "Awake is the third studio album by Otto Kask. It was made in Bergen."
    labels = {m.text: m.label for m in read(text, "Awake (Otto Kask album)").mentions}
    assert labels["Awake"] == labels["Awake (Otto Kask album)"] == "WORK"


def test_a_surname_is_a_mention_of_the_full_name(read: Read) -> None:
    text = "Peter Hansen founded a line. Hansen died in Bergen."
    places = [m.start for m in read(text).mentions if m.text == "Peter Hansen"]
    assert places == [0, text.rindex("Hansen")]


def test_evidence_is_the_sentence(read: Read) -> None:
    text = "It rained. Anders Brandvold founded Northwind Lines in Bergen. It rained again."
    triple = next(t for t in read(text).triples if t.object == "Northwind Lines")
    assert text[triple.start : triple.end] == "Anders Brandvold founded Northwind Lines in Bergen."


def test_known_sentence_borders_stay(extractor: RulesExtractor) -> None:
    text = "Carmel Zerafin directs Petrel Shipholding Ltd. Brandvold Lines owns the shares"
    cut = text.index("Brandvold")
    borders = (Sentence(0, cut - 1), Sentence(cut, len(text)))
    passage = Passage("p", "d", 0, "Register", text, 0, len(text), sentences=borders)
    extraction = next(iter(extractor.extract([passage], TaskContext())))
    triple = next(t for t in extraction.triples if t.subject == "Carmel Zerafin")
    assert text[triple.start : triple.end].rstrip(" ") == text[: cut - 1]


def test_one_extraction_a_passage_in_order(extractor: RulesExtractor) -> None:
    texts = ["Oslo is in Norway.", "", "Rome is in Italy. " * (WINDOW // 6), "   ", "Paris is in France."]
    passages = [Passage(str(i), "d", i, "Places", text, 0, len(text)) for i, text in enumerate(texts)]
    extractions = list(extractor.extract(passages, TaskContext()))
    assert len(extractions) == len(texts)
    for passage, extraction in zip(passages, extractions, strict=True):
        assert all(triple.passage_id == passage.id for triple in extraction.triples)
        assert_sound(passage.text, extraction)
    assert [("Oslo" in str(e), "Rome" in str(e), "Paris" in str(e)) for e in extractions] == [
        (True, False, False), (False, False, False), (False, True, False), (False, False, False), (False, False, True)
    ]  # fmt: skip
    assert max(m.start for m in extractions[2].mentions) > 2 * WINDOW  # the last window was read too


def test_stops_when_asked(extractor: RulesExtractor) -> None:
    passages = [Passage(str(i), "d", i, "", "Oslo is in Norway.", 0, 18) for i in range(5)]
    with pytest.raises(Cancelled):
        list(extractor.extract(passages, TaskContext(cancelled=lambda: True)))


def test_a_missing_model_is_named() -> None:
    with pytest.raises(ModelUnavailable, match="no_such_model"):
        list(RulesExtractor("no_such_model").extract([Passage("p", "d", 0, "", "x", 0, 1)], TaskContext()))


ODD = {
    "one word": "x" * 20_000,
    "brackets": "(" * 800 + ")" * 10,
    "quotes": '"A ' * 600,
    "fields": "A: b; " * 250,
    "lines": "Key: value\n" * 150,
    "table": "1 2 3 4.5 | 6,7 % €\t" * 60,
    "blank": "\n\n\n \t \n",
    "signs": "Ω≈ç√ 東京 \u200b\ufeff 😀 e\u0301 \x00\x01 \x7f" * 30,
    "list": "A, B, C, D, " * 150,
}


@pytest.mark.long
@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_neither_fail_nor_hang(read: Read, kind: str) -> None:
    for title in ("*+?(", ODD[kind][:200]):
        assert_sound(ODD[kind], read(ODD[kind], title))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(
        st.sampled_from([*"()\"'“”.,;:-–|\n ", "Anna Berg", "born 5 May 1930", "is", "a film", "of", "Ltd.", "(1999)",
                         "EUR 5,000", "Name: Anna", "Get Low", "``", "''", "He", "do", "Vale", "[1]"]),
        max_size=30,
    ).map(" ".join),
    title=st.sampled_from(["", "Get Low", "Anna Berg", "Vale do", "Is It (film)", "(", "Anna, 1st of Berg"]),
)  # fmt: skip
def test_any_mixture_is_read_soundly(read: Read, text: str, title: str) -> None:
    assert_sound(text, read(text, title))
