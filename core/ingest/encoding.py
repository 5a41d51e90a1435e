"""The vectors that are kept of passages, made here or on another machine."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import CoreError, ModelFault
from core.models.minilm import Vectors
from core.progress import Cancelled, TaskContext
from core.protocols import Encoder, Spans
from core.text.translation import tr
from core.types import Passage, context_line


@dataclass(frozen=True, slots=True)
class EncodingFault:
    """Why a passage has no vectors, and what the fault said."""

    reason: str
    raw: str


Encoded = tuple[Vectors, Vectors] | EncodingFault  # of the passage, (dimension,), and of its sentences


def passage_spans(passage: Passage) -> Spans:
    """The passage as it is encoded: title and headings, newline, text."""
    context = context_line(passage.title, passage.headings)
    shift = len(context) + 1
    return Spans(
        f"{context}\n{passage.text}",
        tuple((s.start + shift, s.end + shift) for s in passage.sentences),
    )


def encode_each(encoder: Encoder, texts: Sequence[Spans], context: TaskContext) -> list[Encoded]:
    """Vectors of each text, in order; what the encoder stumbles over is told in their place.

    Raises CoreError for what concerns all texts, such as a model that is missing.
    """
    try:
        text_vectors, sentences = encoder.embed_spans(texts, context)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is told and costs one passage
        if isinstance(error, CoreError) and not isinstance(error, ModelFault):
            raise
        if len(texts) == 1:
            words = tr(
                "The passage could not be encoded ({kind}: {error}).",
                kind=type(error).__name__,
                error=error,
            )
            return [EncodingFault(words, traceback.format_exc())]
        return [found for text in texts for found in encode_each(encoder, [text], context)]
    return list(zip(text_vectors, sentences, strict=True))
