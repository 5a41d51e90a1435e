"""Our encoder against sentence-transformers, the slow and obvious one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from core.answering.models import Models
from core.models.minilm import MiniLMEncoder, model_folder
from core.models.minilm_torch import PRECISIONS, TorchForward, best_precision
from core.progress import Cancelled, TaskContext
from core.protocols import Spans

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


@pytest.mark.long
def test_vectors_are_those_of_sentence_transformers(models: Models, oracle: np.ndarray) -> None:
    questions = np.stack([models.encoder().embed_question(text) for text in TEXTS])
    assert (questions * oracle).sum(axis=1).min() > 0.99999
    for precision, least in {"": 0.99999, "float32": 0.99999, "bfloat16": 0.9995}.items():
        bulk = models.encoder(precision).embed(TEXTS, TaskContext())
        assert (bulk * oracle).sum(axis=1).min() > least
        assert np.allclose(np.linalg.norm(bulk, axis=1), 1.0, atol=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_vector_of_a_text_does_not_depend_on_its_company(models: Models, precision: str) -> None:
    """To the bit: alone or among others, in any order, on one core or on all."""
    encoder = models.encoder(precision)
    texts = [f"Ship {at} left port {'with copper and grain ' * (at % 7)}" for at in range(8)] + TEXTS[:4]
    together, _ = encoder.embed_spans([Spans(text, ((0, 4),)) for text in texts], TaskContext())
    order = np.random.default_rng(0).permutation(len(texts))
    for threads in (1, 2):
        forward = TorchForward(model_folder() / "model.safetensors", precision)
        forward._threads = threads
        other = copy.copy(encoder)
        other._forward = forward
        for rows in np.split(order, [1, 5]):
            vectors, spans = other.embed_spans([Spans(texts[row], ((0, 4),)) for row in rows], TaskContext())
            assert np.array_equal(vectors, together[rows])
            assert np.array_equal(
                spans[0], other.embed_spans([Spans(texts[rows[0]], ((0, 4),))], TaskContext())[1][0]
            )


def test_the_precision_follows_from_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    for features, wanted in (({"avx512_bf16": True}, "bfloat16"), ({"avx2": True}, "float32")):
        monkeypatch.setattr("torch.cpu.get_capabilities", lambda features=features: features)
        assert best_precision() == wanted


def test_spans_beyond_the_window_get_the_texts_vector(encoder: MiniLMEncoder) -> None:
    text = TEXTS[4]
    vectors, spans = encoder.embed_spans([Spans(text, ((2500, 2600),))], TaskContext())
    assert np.allclose(spans[0][0], vectors[0], atol=1e-5)


def test_nothing_gives_nothing_and_stop_stops(encoder: MiniLMEncoder) -> None:
    assert encoder.embed([], TaskContext()).shape == (0, 384)
    with pytest.raises(Cancelled):
        encoder.embed(TEXTS, TaskContext(cancelled=lambda: True))
