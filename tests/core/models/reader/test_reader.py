"""What the reader takes for words that answer."""

from __future__ import annotations

import numpy as np
import pytest

from core.models import minilm_numpy as network_numpy
from core.models import reader as reading
from core.models import reader_network as network
from core.models.reader import SMALL, Reader, ReaderPassage, _Sentences
from core.models.reader_encoding import PairEncoder

TEXT = "Meetings\nThe TSC meets in a call. Each year, the TSC elects a chair. Mr. Smith chairs it."


@pytest.mark.parametrize(
    ("words", "torn"),
    [
        ("The TSC meets in a call. Each year, the TSC", True),
        ("in a call. Each year, the TSC elects a chair.", True),
        ("Each year, the TSC elects a chair. Mr. Smith chairs it.", False),  # sentences in full
        ("Meetings\nThe TSC", False),  # no stop lies between
        ("Mr. Smith", False),  # an abbreviation ends nothing
    ],
)
def test_an_answer_does_not_run_over_a_full_stop_into_part_of_a_sentence(words: str, torn: bool) -> None:
    start = TEXT.index(words)
    assert _Sentences(TEXT).torn(start, start + len(words)) is torn


PASSAGES = [
    ReaderPassage("Ships", "The Petrel was built in Bergen in 1974. She carried salt."),
    ReaderPassage("", "Nobody knows who built the Auk."),
    ReaderPassage("Long", "The Tern carried coal to many ports. " * 60 + "The Petrel was sold in 1980."),
]
QUESTION = "When was the Petrel built?"


def pairs() -> list[reading.Pair]:
    encoder = PairEncoder()
    texts = encoder.texts([each.text for each in PASSAGES])
    return [
        pair
        for each, text in zip(PASSAGES, texts, strict=True)
        for pair in encoder.pairs(QUESTION, each.title, text)
    ]


def test_numpy_reads_what_torch_reads() -> None:
    few = network_numpy.NumpyNetwork(SMALL.weights)
    for pair, wanted in zip(pairs(), network.read(network.load(SMALL.weights), pairs()), strict=True):
        found = few.read(pair)
        for name in ("start", "end", "inside", "kind", "relevance", "support"):
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=2e-3)


def test_a_reading_does_not_depend_on_its_company_and_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(SMALL.weights)
    reader.warm()
    together = reader.read(QUESTION, PASSAGES)
    monkeypatch.setattr(reading, "_cores", lambda: 1)
    for passage, read in zip(PASSAGES, together, strict=True):
        other = Reader(SMALL.weights)
        other.warm()
        (alone,) = other.read(QUESTION, [passage])
        assert [(each.start, each.end) for each in alone.spans] == [
            (each.start, each.end) for each in read.spans
        ]
        # Where sums are taken in another order the last digits differ.
        assert np.allclose(alone.kinds, read.kinds, atol=1e-6)
    monkeypatch.setattr(Reader, "_window_scores", lambda self, asked, passages: 1 / 0)
    again = reader.read(QUESTION, [PASSAGES[1], PASSAGES[0], PASSAGES[1]])
    assert all(one is other for one, other in zip(again, (together[i] for i in (1, 0, 1)), strict=True))
