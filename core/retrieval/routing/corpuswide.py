"""Whether a question is about all documents at once: what it names speaks against it, else a trained model decides.

Plain retrieval finds passages that are near a question; "What are the main themes?" is near none of them and is
answered from the reports of communities. Idea: triple-layer GraphRAG 4.5.1; the model is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import Name, ParsedQuestion, QuestionType
from core.retrieval.routing.corpuswide_model import shipped
from core.text.translation import tr

BROAD = "broad"
SPECIFIC = "specific"

_NAMED = frozenset("PERSON ORG GPE LOC FAC EVENT PRODUCT LAW WORK_OF_ART".split())
_ONE_VALUE = {
    QuestionType.WHEN: tr("asks for one date"),
    QuestionType.HOW_MANY: tr("asks for a number"),
}


@dataclass(frozen=True, slots=True)
class CorpusWide:
    """`reason` is for people. `breadth` is "broad" where the whole is asked for (reports of the top level tell it)
    and "specific" where one kind of thing or one subject is (a finer level)."""

    recognised: bool
    reason: str
    breadth: str = SPECIFIC


def corpus_wide(parsed: ParsedQuestion, vector: NDArray[np.floating]) -> CorpusWide:
    """Judge a question by its parse and its unit vector, (d,). Never raises on odd text."""
    if against := in_particular(parsed):
        return CorpusWide(False, against)
    model = shipped()
    if model is None or len(vector) != model.dimension:
        return CorpusWide(
            False, tr("is judged by nothing: the model of such questions does not fit the encoder")
        )
    sure, broad = model.probabilities(parsed, vector)
    rounded = int(sure * 100) / 100  # rounded down: 0.999 is not certain
    if sure <= model.threshold:
        return CorpusWide(
            False, tr("is worded like questions about one thing ({sure})", sure=f"{rounded:.2f}")
        )
    return CorpusWide(
        True,
        tr("worded like questions about all documents ({sure})", sure=f"{rounded:.2f}"),
        BROAD if broad > 0.5 else SPECIFIC,
    )


def in_particular(parsed: ParsedQuestion) -> str:
    """What the question asks for in particular, in words; "" where nothing shows it."""
    if not any(token.text[:1].isalpha() for token in parsed.tokens):
        return tr("asks nothing")
    if parsed.type in _ONE_VALUE:
        return _ONE_VALUE[parsed.type]
    if parsed.text.isupper():
        return ""  # capitals tell no names
    return next(
        (tr("names {names}", names=name.text) for name in parsed.names if name.quoted or _is_sure(name)), ""
    )


def _is_sure(name: Name) -> bool:
    """Whether a name is no mistake: "Summarise", where it opens the question, is easily taken for a person."""
    return name.label in _NAMED and (name.first > 0 or name.last - name.first > 1)
