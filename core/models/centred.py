"""An encoder of the person's own, with what all its vectors have in common taken off.

Cosines of many encoders lie close together (those of E5 between .7 and 1), so that no threshold fits two of them. With
the mean taken off, unrelated texts are near 0 whatever the encoder (Mu and Viswanath 2018, All-but-the-Top).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from core.models.minilm import Vectors
from core.progress import TaskContext
from core.protocols import Spans, Tokenizer

# Of many subjects and some languages. The mean is taken over them, so a change makes other vectors: raise VERSION then.
VERSION = "1"
_STATEMENTS = (
    "The bridge was closed for repairs after the flood.",
    "Please find the signed contract attached to this message.",
    "She studied chemistry in Vienna before the war.",
    "Press and hold the power button for five seconds.",
    "Revenue rose by four per cent in the third quarter.",
    "The committee will meet again next Tuesday.",
    "Add the flour slowly and stir until it is smooth.",
    "The patient was given two tablets a day.",
    "Birds of this species nest on steep cliffs.",
    "He opened the door and looked down the empty street.",
    "Der Antrag muss bis Ende März eingereicht werden.",
    "Die Maschine wird jeden Morgen gereinigt.",
    "Le train part de la gare à huit heures.",
    "Les récoltes ont souffert de la sécheresse.",
    "El alcalde inauguró la nueva biblioteca.",
    "La casa fu costruita nel Settecento.",
    "Договор вступает в силу со дня подписания.",
    "会议将于下周一上午举行。",
    "この川は北の海に流れている。",
    "وصل الوفد إلى العاصمة مساء أمس.",
)
_QUESTIONS = (
    "Who signed the contract?",
    "When was the bridge built?",
    "How do I reset the device?",
    "Which city did she move to after the war?",
    "What was the revenue in the third quarter?",
    "Why was the meeting postponed?",
    "Where does the river rise?",
    "How many tablets should be taken?",
    "What is this report about?",
    "Is the museum open on Sundays?",
    "Wann muss der Antrag eingereicht werden?",
    "Wer hat die Maschine gebaut?",
    "À quelle heure part le train ?",
    "Qui a écrit cette lettre ?",
    "¿Dónde está la biblioteca?",
    "Quando fu costruita la casa?",
    "Когда вступает в силу договор?",
    "会议什么时候举行？",
    "この川はどこへ流れますか。",
    "متى وصل الوفد؟",
)
_LEAST = 1e-3  # length that is left of a vector of which nothing but the common part is known


class TextEncoder(Protocol):
    """Turns texts into vectors, (n_texts, dimension), of whatever length; questions may be read in another way."""

    name: str  # with a fingerprint of all that its vectors depend on
    dimension: int
    max_tokens: int  # of a passage
    tokenizer: Tokenizer

    def encode(self, texts: Sequence[str], context: TaskContext, *, question: bool) -> Vectors: ...


class CentredEncoder:
    """See `Encoder`. A sentence is encoded by itself: not every encoder's vector is the mean of its tokens."""

    def __init__(self, encoder: TextEncoder, context: TaskContext) -> None:
        """Encode forty short texts. Raises what encoding raises."""
        self._encoder = encoder
        self.name = encoder.name
        self.dimension = encoder.dimension
        self.max_tokens = encoder.max_tokens
        self.tokenizer = encoder.tokenizer
        self._common = {
            question: _unit(encoder.encode(texts, context, question=question)).mean(0)
            for question, texts in ((False, _STATEMENTS), (True, _QUESTIONS))
        }

    def embed(self, texts: Sequence[str], context: TaskContext) -> Vectors:
        """Return unit vectors, shape (n_texts, dimension)."""
        return self._embed(texts, context, question=False)

    def embed_question(self, question: str) -> Vectors:
        """Return unit vector, shape (dimension,)."""
        return np.asarray(self._embed([question], TaskContext(), question=True)[0], dtype=np.float32)

    def embed_spans(self, texts: Sequence[Spans], context: TaskContext) -> tuple[Vectors, list[Vectors]]:
        """Return vectors of the texts, (n_texts, dimension), and of each text's spans, (n_spans, dimension) each."""
        spans = [item.text[start:end] for item in texts for start, end in item.spans]
        vectors = self.embed([*(item.text for item in texts), *spans], context)
        ends = np.cumsum([len(item.spans) for item in texts[:-1]], dtype=np.int64)
        return vectors[: len(texts)], np.split(vectors[len(texts) :], ends)

    def _embed(self, texts: Sequence[str], context: TaskContext, *, question: bool) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = _unit(self._encoder.encode(texts, context, question=question))
        own = vectors - self._common[question]
        known = np.linalg.norm(own, axis=1, keepdims=True) > _LEAST
        return _unit(np.where(known, own, vectors))


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
