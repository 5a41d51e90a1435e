"""What is read of the passages that were found, and what is not."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.comprehension import Comprehension
from core.models.reader import SMALL, UNREAD, PassageRead, Reader, ReaderPassage

TELLING = ReaderPassage("Log", "Ann sailed from Tromsø on 4 May 1911.")
SILENT = [ReaderPassage("Stores", f"Cask {number} holds salted herring.") for number in range(7)]


class Watched(Reader):
    def __init__(self) -> None:
        super().__init__(SMALL.weights)
        self.passages: list[ReaderPassage] = []

    def read(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageRead]:
        self.passages += passages
        return super().read(question, passages)


def test_passages_below_one_that_tells_are_not_read() -> None:
    reader = Watched()
    passages = [TELLING, *SILENT]
    found = Comprehension(reader=reader).understand(
        "Where did Ann sail from?", passages, [1.0] * len(passages)
    )
    assert found.answers[0][0].text == "Tromsø"
    assert reader.passages == passages[:4]
    assert [read is UNREAD for read in found.reads] == [False] * 4 + [True] * 4


def test_where_none_tells_all_are_read() -> None:
    reader = Watched()
    passages = [*SILENT, TELLING]
    found = Comprehension(reader=reader).understand(
        "Where did Ann sail from?", passages, [1.0] * len(passages)
    )
    assert reader.passages == passages and not any(read is UNREAD for read in found.reads)
    assert found.answers[0][0].text == "Tromsø"
