"""Candidates: ranked passages with everything that an answer takes from them, and citations of their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.types import Citation, Evidence, ExtractedMention, Hit, Page, Passage, PathStep, Region, Sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidate:
    """One passage that may hold the answer.

    `vectors`: unit vectors of the sentences, float32, shape (len(passage.sentences), d).
    `mentions`: offsets in the passage's text. `pages` of the document, () when it has none or they
    are not known; then a citation takes the passage's own page.
    """

    hit: Hit
    passage: Passage
    document: str  # path relative to the folder
    vectors: NDArray[np.float32]
    mentions: tuple[ExtractedMention, ...] = ()
    pages: tuple[Page, ...] = ()
    date: str = ""  # of the document, ISO 8601, as it states it


def cite(candidate: Candidate, sentence: Sentence) -> Citation:
    """The place of a passage's sentence in its document; the quote is the document's own text."""
    passage = candidate.passage
    start, end = _trimmed(passage.text, sentence)
    return Citation(
        passage_id=passage.id,
        document_id=passage.document_id,
        document=candidate.document,
        title=passage.title,
        page=_page(candidate, passage.start + start),
        start=passage.start + start,
        end=passage.start + end,
        quote=passage.text[start:end],
    )


def cite_step(candidate: Candidate, step: PathStep) -> Citation:
    """The sentence that a fact of a path was read from."""
    return cite(candidate, sentence_at(candidate, step.start, step.end))


def sentence_at(candidate: Candidate, start: int, end: int) -> Sentence:
    """The sentence of the passage that words of it lie in, or all that they touch."""
    touched = [each for each in candidate.passage.sentences if each.start < end and start < each.end]
    return Sentence(touched[0].start, touched[-1].end) if touched else Sentence(start, end)


def as_evidence(candidate: Candidate, sentence: Sentence | None) -> Evidence:
    """The passage as it is shown, with its best sentence marked."""
    return Evidence(candidate.hit, candidate.passage, candidate.document, sentence)


def place_of(regions: Sequence[Region], start: int, end: int) -> str:
    """What people call the span: one cell, a run of cells of one sheet, or the narrowest region around it."""
    within = sorted((r for r in regions if start <= r.start and r.end <= end), key=lambda r: (r.start, r.end))
    cells = [region.name for region in within if "!" in region.name]
    if cells:
        sheet, _, first = cells[0].rpartition("!")
        last_sheet, _, last = cells[-1].rpartition("!")
        return cells[0] if len(cells) == 1 or last_sheet != sheet else f"{sheet}!{first}:{last}"
    around = [region for region in regions if region.start <= start and end <= region.end]
    return min(around, key=lambda r: r.end - r.start).name if around else ""


def _trimmed(text: str, sentence: Sentence) -> tuple[int, int]:
    start, end = sentence.start, min(sentence.end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _page(candidate: Candidate, at: int) -> int | None:
    """The page that holds the offset of the document; the passage's page when pages are not known."""
    return next((p.number for p in candidate.pages if p.start <= at < p.end), candidate.passage.page)
