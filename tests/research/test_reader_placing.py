"""Questions with their answer sentence: its place, and the words that the reader finds in it."""

from __future__ import annotations

from typing import Any, cast

from core.models.reader import SMALL, Reader
from core.models.reader_examples import Example, Kind
from core.research.reader_data.convert import placed, sentence_questions

SENTENCES = [
    "the ark ( a boat ) left oslo .",
    "it carried `` salt '' to tromso in 1922 .",
    "its master was ann lund .",
    "it carried `` salt '' to tromso in 1922 .",
]
QUESTIONS = ["what left oslo ?", "when did it carry salt ?", "who was its master ?", "where did it go ?"]


class Clones:
    def read(self, name: str, path: str) -> str:
        return "\n".join(SENTENCES if "src" in path else QUESTIONS)


def test_each_question_has_its_sentence_among_those_around_it() -> None:
    found = list(sentence_questions(cast(Any, Clones())))
    assert [each["question"] for each in found] == [question.replace(" ?", "?") for question in QUESTIONS]
    for each in found:
        (answer,) = cast(list[dict[str, Any]], each["answers"])
        text = str(each["text"])
        assert text[answer["start"] :].startswith(answer["text"])
        assert "master was ann lund." in text and "ark (a boat)" in text, "the sentences around it"
    first, again = (cast(Any, found[at]["answers"])[0]["text"] for at in (1, 3))
    assert first == again == 'it carried "salt" to tromso in 1922.'


def test_the_words_are_found_in_the_sentence_alone_or_the_question_is_left_out() -> None:
    text = "The Auk left Oslo in 1899. The Petrel was built in Gdynia in 1922. Ann Lund was her master."
    start = text.index("The Petrel")
    spans = ((start, text.index(" Ann Lund")),)
    example = Example(
        "1", "In which year was the Petrel built?", "", text, spans, Kind.SENTENCES, "sentences"
    )
    span = placed(example, Reader(SMALL.weights), 0.1)
    assert span is not None
    assert text[start + span.start : start + span.end] == "1922"
    assert placed(example, Reader(SMALL.weights), 1.01) is None
