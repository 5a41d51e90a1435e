"""What a sentence denies, supposes or reports is heard in languages that are not parsed, clause by clause."""

from __future__ import annotations

import pytest

from core.answering.stance_by_words import stance_by_words
from core.types.knowledge import DENIED

# Language, who-question, sentence, answer in it, and whether the sentence says it plainly.
_WHO = [
    ("de", "Wer hat den Kran repariert?", "Holger Pech hat den Kran nicht repariert.", "Holger Pech", False),
    ("de", "Wer unterschrieb den Vertrag?",
     "Nicht Holger Pech, sondern Ilse Rau unterschrieb den Vertrag.", "Holger Pech", False),
    ("de", "Wer hat die Uhr gestohlen?", "Es trifft nicht zu, dass Ilse Rau die Uhr gestohlen hat.", "Ilse Rau", False),
    ("de", "Wer hat die Uhr gestohlen?",
     "Die Firma bestreitet, dass Ilse Rau die Uhr gestohlen hat.", "Ilse Rau", False),
    ("de", "Wer hat die Uhr gestohlen?",
     "Die Behauptung, dass Ilse Rau die Uhr gestohlen hat, ist falsch.", "Ilse Rau", False),
    ("de", "Wer kaufte den Acker?", "Bruno Zell, der nie heiratete, kaufte den Acker.", "Bruno Zell", True),
    ("de", "Wer kaufte den Acker?", "Hätte Bruno Zell geerbt, hätte er den Acker gekauft.", "Bruno Zell", False),
    ("de", "Wer verließ das Lokal?", "Bruno Zell verließ das Lokal, ohne die Zeche zu zahlen.", "Bruno Zell", True),
    ("de", "Wer hat die Zeche gezahlt?",
     "Bruno Zell verließ das Lokal, ohne die Zeche zu zahlen.", "Bruno Zell", False),
    ("fr", "Qui a signé le bail ?", "Odile Caron n'a pas signé le bail.", "Odile Caron", False),
    ("fr", "Qui a signé le bail ?", "Odile Caron n'a pas hésité à signer le bail.", "Odile Caron", True),
    ("fr", "Qui a acheté le four ?",
     "Ce n'est pas Odile Caron mais Guy Morel qui a acheté le four.", "Guy Morel", True),
    ("es", "¿Quién reparó la grúa?", "No fue Teresa Gil sino Raúl Soto quien reparó la grúa.", "Teresa Gil", False),
    ("es", "¿Quién robó el reloj?", "Teresa Gil supuestamente robó el reloj.", "Teresa Gil", False),
    ("it", "Chi ha firmato l'atto?",
     "Non solo Ugo Ferri ha firmato l'atto, ma lo ha anche scritto.", "Ugo Ferri", True),
    ("it", "Chi ha firmato l'atto?",
     "Se Ugo Ferri avesse firmato l'atto, la banca avrebbe pagato.", "Ugo Ferri", False),
    ("ru", "Кто подписал договор?", "Анна Белова подписала договор, хотя никто не верил.", "Анна Белова", True),
    ("zh", "谁签了合同？", "李明没有签合同。", "李明", False),
    ("ja", "誰が契約に署名しましたか？", "田中は契約に署名しませんでした。", "田中", False),
    ("ko", "누가 계약서에 서명했습니까?", "김민수는 계약서에 서명하지 않았다.", "김민수", False),
    ("ar", "من وقع العقد؟", "لم يوقع كريم حداد العقد.", "كريم حداد", False),
    ("de", "Warum verkaufte Bruno Zell den Acker?",
     "Bruno Zell verkaufte ihn, weil die Ernte nicht reichte.", "die Ernte nicht reichte", True),
]  # fmt: skip

# Language, question that is answered by yes or no, sentence, and the right answer; "" where neither is right.
_POLAR = [
    ("de", "Hat Holger Pech den Kran repariert?", "Holger Pech hat den Kran nie repariert.", "No"),
    ("de", "Hat Holger Pech den Kran repariert?", "Holger Pech sollte den Kran reparieren.", ""),
    ("fr", "Odile Caron a-t-elle signé le bail ?", "Odile Caron n'a pas signé le bail.", "No"),
    ("es", "¿Firmó Teresa Gil el acta?", "No fue Teresa Gil quien firmó el acta.", "No"),
    ("es", "¿Firmó Teresa Gil el acta?", "Teresa Gil firmó el acta, que nadie leyó.", "Yes"),
    ("", "Hat Holger Pech den Kran repariert?", "Holger Pech hat den Kran nie repariert.", "No"),
]


@pytest.mark.parametrize(("language", "question", "sentence", "answer", "plain"), _WHO)
def test_who_is_named_only_by_a_clause_that_is_so(
    language: str, question: str, sentence: str, answer: str, plain: bool
) -> None:
    start = sentence.index(answer)
    found = stance_by_words(question, sentence, language, (start, start + len(answer)))
    assert (found is None) == plain
    assert found is None or found.against


@pytest.mark.parametrize(("language", "question", "sentence", "right"), _POLAR)
def test_yes_and_no_follow_the_denial(language: str, question: str, sentence: str, right: str) -> None:
    found = stance_by_words(question, sentence, language)
    verdict = "Yes" if found is None else "No" if found.assertion.mark == DENIED else ""
    assert verdict == right


def test_a_language_without_a_grammar_and_endless_sentences_decide_nothing() -> None:
    assert stance_by_words("Hvem kjøpte båten?", "Kari kjøpte ikke båten.", "no") is None
    assert stance_by_words("Wer kam?", "nicht " * 10_000, "de") is None
    assert stance_by_words("", "", "de") is None
