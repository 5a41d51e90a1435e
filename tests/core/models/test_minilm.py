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
    texts = [f"Ship {at} left port {'with copper and grain ' * (at % 7)}" for at in range(14)] + TEXTS[:4]
    together, _ = encoder.embed_spans([Spans(text, ((0, 4),)) for text in texts], TaskContext())
    order = np.random.default_rng(0).permutation(len(texts))
    for threads in (1, 2):
        forward = TorchForward(model_folder() / "model.safetensors", precision)
        forward._threads = threads
        other = copy.copy(encoder)
        other._forward = forward
        for rows in np.split(order, [1, 3, 8]):
            vectors, spans = other.embed_spans([Spans(texts[row], ((0, 4),)) for row in rows], TaskContext())
            assert np.array_equal(vectors, together[rows])
            assert np.array_equal(
                spans[0], other.embed_spans([Spans(texts[rows[0]], ((0, 4),))], TaskContext())[1][0]
            )


def test_the_precision_follows_from_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    for features, wanted in (({"avx512_bf16": True}, "bfloat16"), ({"avx2": True}, "float32")):
        monkeypatch.setattr("torch.cpu.get_capabilities", lambda features=features: features)
        assert best_precision() == wanted


def test_bfloat16_of_another_machine_is_read_in_full_precision_here(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cpu.get_capabilities", dict)
    forward = TorchForward(model_folder() / "model.safetensors", "bfloat16")
    ids = [np.array([101, 2040, 102])]
    assert np.array_equal(forward.states(ids)[0], models.encoder("float32")._forward.states(ids)[0])


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


def test_nothing_gives_nothing_and_stop_stops(encoder: MiniLMEncoder) -> None:
    assert encoder.embed([], TaskContext()).shape == (0, 384)
    with pytest.raises(Cancelled):
        encoder.embed(TEXTS, TaskContext(cancelled=lambda: True))


def test_quick_attention_is_as_near_to_the_exact_one_as_that_of_the_encoder() -> None:
    import torch

    from core.models.minilm_torch import _attention, quick_attention

    chance = torch.Generator().manual_seed(3)
    asked, key, value = (torch.randn(2, 12, 70, 32, generator=chance) * 2 for _ in range(3))
    exact = torch.nn.functional.scaled_dot_product_attention(asked, key, value)
    halves = [each.bfloat16() for each in (asked, key, value)]
    own, encoders = (act(*halves).float() - exact for act in (quick_attention, _attention))
    assert own.abs().mean() < 1.2 * encoders.abs().mean() < 0.02
    huge = quick_attention(halves[0] * 100, halves[1] * 100, halves[2])
    assert torch.isfinite(huge).all()
