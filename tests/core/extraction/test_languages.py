"""Each passage is read in its language: facts where there is a grammar, names alone elsewhere."""

from __future__ import annotations

import pytest

from core.extraction.extractors import rules_extractor
from core.ingest.language import language_of, main_language, with_languages
from core.progress import TaskContext
from core.types import FACTS_READ_IN, Extraction, Passage

TEXTS = {
    "en": "The council of the town met on Monday and decided to close the old bridge for at least two years.",
    "fr": "Le conseil municipal s'est réuni lundi et a décidé de fermer le vieux pont pendant au moins deux ans.",
    "de": "Der Gemeinderat hat am Montag getagt und beschlossen, die alte Brücke für zwei Jahre zu schließen.",
    "ja": "町議会は月曜日に開かれ、古い橋を少なくとも二年間閉鎖することを決定した。",
}


def passage(text: str, language: str = "") -> Passage:
    return Passage(f"p{text[:9]}", "d", 0, "Notes", text, 0, len(text), language=language)


def read(text: str, language: str) -> Extraction:
    return next(rules_extractor().extract([passage(text, language)], TaskContext()))


def test_a_language_is_recognised_and_a_passage_without_words_goes_by_the_rest() -> None:
    assert [language_of(text)[0] for text in TEXTS.values()] == list(TEXTS)
    found = with_languages([passage(TEXTS["de"]), passage("12 / 14"), passage(TEXTS["fr"])])
    assert [p.language for p in found] == ["de", found[1].language, "fr"]
    assert found[1].language == main_language([found[0], found[2]])
    assert with_languages([passage("12 / 14")])[0].language == ""


@pytest.mark.long
def test_french_facts_join_names_and_no_pronoun() -> None:
    text = (
        "Marie Dupont, maire de Villeneuve, a été élue par le Parti Socialiste. "
        "La société Altéa est située à Paris. Il a quitté Renault pour rejoindre Peugeot."
    )
    found = read(text, "fr")
    facts = {(t.subject, t.predicate, t.object) for t in found.triples}
    assert ("Marie Dupont", "maire de", "Villeneuve") in facts
    assert ("Altéa", "est située à", "Paris") in facts
    assert not any(subject == "Il" for subject, _, _ in facts)
    assert all(text[m.start : m.end] == m.text for m in found.mentions)


FRENCH = {
    "Marie Dupont n'a pas quitté Renault.": ("denied", ""),
    "Ni Marie Dupont ni son frère n'ont rejoint Renault.": ("denied", ""),
    "La rumeur selon laquelle Marie Dupont a travaillé chez Renault est fausse.": ("denied", ""),
    "Luc Perrin dément que Marie Dupont ait rejoint Renault.": ("possible", ""),
    "Si Marie Dupont avait rejoint Renault, son frère aurait protesté.": ("conditional", ""),
    "Marie Dupont aurait rejoint Renault.": ("possible", ""),
    "Selon Luc Morel, Marie Dupont a rejoint Renault.": ("reported", "Luc Morel"),
    "Luc Morel sait que Marie Dupont a rejoint Renault.": ("", ""),
}


@pytest.mark.long
def test_what_is_not_put_as_so_is_marked_in_french() -> None:
    passages = [passage(text, "fr") for text in FRENCH]
    found = rules_extractor().extract(passages, TaskContext())
    for (text, put), extraction in zip(FRENCH.items(), found, strict=True):
        facts = [t for t in extraction.triples if (t.subject, t.object) == ("Marie Dupont", "Renault")]
        assert [(t.assertion, t.source) for t in facts] == [put], text


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("de", "Der Antrag der Deutschen Bahn AG liegt vor. Jeder kennt den ADAC.", {"Deutschen Bahn AG", "ADAC"}),
        ("es", "El presidente Pedro Sánchez viajó a Buenos Aires.", {"Pedro Sánchez", "Buenos Aires"}),
        ("ja", "彼は「東京物語」とソニーの話をした。", {"東京物語", "ソニー"}),
    ],
)  # fmt: skip
def test_other_languages_give_names_and_never_facts(language: str, text: str, names: set[str]) -> None:
    found = read(text, language)
    assert {m.text for m in found.mentions} == names
    assert not found.triples and language not in FACTS_READ_IN
