"""Our encoder against sentence-transformers, the slow and obvious one."""

from __future__ import annotations

import numpy as np
import pytest

from core.models import Models
from core.progress import Cancelled, TaskContext
from core.providers.minilm import MiniLMEncoder, Spans, model_folder

TEXTS = [
    "The Northern Star was built in Gdansk.",
    "",
    "Ships\nOtto Kask commands the vessel. It left port on 4 May 1930 with copper and grain.",
    "Straße, naïve café, 東京, 🚢",
    "word " * 600,
]


@pytest.fixture(scope="module")
def encoder(models: Models) -> MiniLMEncoder:
    return models.encoder()


@pytest.fixture(scope="module")
def oracle() -> np.ndarray:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder()), device="cpu")
    return np.asarray(model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False))


def test_vectors_are_those_of_sentence_transformers(encoder: MiniLMEncoder, oracle: np.ndarray) -> None:
    questions = np.stack([encoder.embed_question(text) for text in TEXTS])
    assert (questions * oracle).sum(axis=1).min() > 0.99999
    bulk = encoder.embed(TEXTS, TaskContext())
    assert (bulk * oracle).sum(axis=1).min() > 0.9995
    assert np.allclose(np.linalg.norm(bulk, axis=1), 1.0, atol=1e-4)


def test_few_texts_are_encoded_as_many_are() -> None:
    """numpy until torch would have been imported by now, torch from then on: the same vectors."""
    encoder = MiniLMEncoder()
    few = encoder.embed(TEXTS[:4], TaskContext())
    for _ in range(12):
        encoder.embed(TEXTS, TaskContext())
    many = encoder.embed(TEXTS[:4], TaskContext())
    assert type(encoder._much).__name__ == "TorchForward"
    assert (few * many).sum(axis=1).min() > 0.9995
    assert np.allclose(encoder.embed_question(TEXTS[0]), few[0], atol=1e-5)


def test_a_span_over_the_whole_text_is_near_its_vector(encoder: MiniLMEncoder) -> None:
    text = TEXTS[2]
    cut = text.index("It left")
    vectors, spans = encoder.embed_spans([Spans(text, ((0, cut), (cut, len(text))))], TaskContext())
    assert spans[0].shape == (2, 384)
    # Both halves together are the text, up to the special tokens.
    joined = spans[0].mean(axis=0)
    assert float(joined @ vectors[0]) / float(np.linalg.norm(joined)) > 0.97
    assert float(spans[0][0] @ spans[0][1]) < 0.98


def test_spans_beyond_the_window_get_the_texts_vector(encoder: MiniLMEncoder) -> None:
    text = TEXTS[4]
    vectors, spans = encoder.embed_spans([Spans(text, ((2500, 2600),))], TaskContext())
    assert np.allclose(spans[0][0], vectors[0], atol=1e-5)


def test_order_is_kept_though_lengths_are_sorted(encoder: MiniLMEncoder) -> None:
    together = encoder.embed(TEXTS, TaskContext())
    for at, text in enumerate(TEXTS):
        assert float(together[at] @ encoder.embed([text], TaskContext())[0]) > 0.9995


def test_nothing_gives_nothing_and_stop_stops(encoder: MiniLMEncoder) -> None:
    assert encoder.embed([], TaskContext()).shape == (0, 384)
    with pytest.raises(Cancelled):
        encoder.embed(TEXTS, TaskContext(cancelled=lambda: True))
