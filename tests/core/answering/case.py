"""A small case written for these tests, made into candidates by the real spaCy and a bag of words."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate
from core.answering.comprehension import Comprehension
from core.answering.extractive import ExtractiveGenerator, apply_thresholds
from core.config import AnswerConfig
from core.extraction.question import parse_question
from core.models.spacy_model import load
from core.progress import TaskContext
from core.text.stems import words
from core.types import Answer, Complexity, ExtractedMention, Hit, Page, Passage, Retrieval, Route, Sentence

COMPREHENSION = Comprehension()
ROUTE = Route("fusion", Complexity(0.5, 0.35, 0.65, ()))

DOCUMENTS = {
    "Northern Lights": "Northern Lights is a 1931 Norwegian drama film directed by Einar Voss. It stars Liv Aas.",
    "Einar Voss": (
        "Einar Voss (4 March 1890 – 17 August 1957) was a Norwegian film director. "
        "He was born in Bergen. Voss died in Oslo."
    ),
    "Last Harbour": "Last Harbour is a 1948 Danish film directed by Karen Lund and produced by Emil Friis.",
    "Karen Lund": "Karen Lund (12 May 1901 – 3 June 1980) was a Danish film director. She studied in Aarhus.",
    "Ledger": (
        "The Halcyon lost 26 containers of tin on 9 May 1922. "
        "Norden Bank paid $12,500 to Karen Lund in October 1950."
    ),
    "Senet": "Senet is a board game from Egypt.",
    "Taxa": "Taxa is a German board game by Uwe Brandt.",
}


def vector(text: str) -> NDArray[np.float32]:
    """A unit vector of 384 hashed stems: shared words give a cosine, without a model."""
    values = np.zeros(384, dtype=np.float32)
    for word in words(text):
        values[zlib.crc32(word.stem.encode()) % 384] += 1.0
    norm = float(np.linalg.norm(values))
    return values / norm if norm else values


def candidate(
    title: str, text: str, rank: int = 1, start: int = 0, page: int | None = None, pages: Sequence[Page] = ()
) -> Candidate:
    """A passage that begins at `start` of its document, cut and read by spaCy."""
    doc = load()(text)
    sentences = tuple(Sentence(s.start_char, s.end_char) for s in doc.sents)
    mentions = tuple(ExtractedMention(e.text, e.label_, e.start_char, e.end_char) for e in doc.ents)
    passage = Passage(f"p-{title}", f"d-{title}", 0, title, text, start, start + len(text), page, sentences)
    vectors = np.stack([vector(text[s.start : s.end]) for s in sentences])
    return Candidate(
        Hit(passage.id, 1.0 / rank, rank), passage, f"{title}.txt", vectors, mentions, tuple(pages)
    )


def case(*titles: str) -> list[Candidate]:
    """Candidates of these documents in this order; all when none is named."""
    return [candidate(t, DOCUMENTS[t], rank + 1) for rank, t in enumerate(titles or DOCUMENTS)]


def ask(question: str, candidates: Sequence[Candidate], config: AnswerConfig | None = None) -> Answer:
    parsed = parse_question(question, load())
    config = config or AnswerConfig()
    generator = ExtractiveGenerator(config, COMPREHENSION)
    found = generator.answer(parsed, vector(question), Retrieval(()), ROUTE, candidates, TaskContext())
    return apply_thresholds(found, config)
