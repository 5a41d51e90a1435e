"""An encoder in a folder of the person's own: a real one, tiny and untrained, made here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelUnavailable
from core.models.centred import CentredEncoder
from core.models.folder_encoder import FolderEncoder
from core.progress import TaskContext
from core.protocols import Spans
from tests.tiny_encoder import DIMENSION, make_encoder

TEXTS = ["The ferry leaves at noon.", "Ada Lind owns a mill.", "Prices fell in May.", "", "Rain is expected."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("models") / "tiny")


def test_vectors_are_those_of_sentence_transformers_with_its_prompts(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model, encoder = SentenceTransformer(str(folder), device="cpu"), FolderEncoder(folder)
    for question, name in ((False, "passage"), (True, "query")):
        wanted = model.encode(TEXTS, prompt_name=name)
        found = encoder.encode(TEXTS, TaskContext(), question=question)
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert encoder.dimension == DIMENSION


def test_sentences_have_vectors_of_their_own(folder: Path) -> None:
    encoder = CentredEncoder(FolderEncoder(folder), TaskContext())
    text = f"{TEXTS[0]} {TEXTS[1]}"
    first = len(TEXTS[0])
    spans = ((0, first), (first + 1, len(text)))
    vectors, parts = encoder.embed_spans([Spans(text, spans), Spans(TEXTS[2], ())], TaskContext())
    np.testing.assert_allclose(vectors, encoder.embed([text, TEXTS[2]], TaskContext()), atol=1e-5)
    np.testing.assert_allclose(parts[0], encoder.embed(TEXTS[:2], TaskContext()), atol=1e-5)
    assert parts[1].shape == (0, DIMENSION)
    assert encoder.embed([], TaskContext()).shape == (0, DIMENSION)


def test_the_fingerprint_tells_weights_apart_and_not_places(folder: Path, tmp_path: Path) -> None:
    same = shutil.copytree(folder, tmp_path / "tiny")
    assert FolderEncoder(same).name == FolderEncoder(folder).name
    assert FolderEncoder(make_encoder(tmp_path / "other" / "tiny", seed=4)).name != FolderEncoder(folder).name
    assert FolderEncoder(folder, "ask:", "read:").name != FolderEncoder(folder).name, (
        "prefixes change vectors"
    )


def modules(change: Callable[[list[dict[str, str]]], object]) -> Callable[[Path], None]:
    def act(place: Path) -> None:
        parts = json.loads((place / "modules.json").read_text(encoding="utf-8"))
        change(parts)
        (place / "modules.json").write_text(json.dumps(parts), encoding="utf-8")

    return act


def pickled(place: Path) -> None:
    next(place.rglob("*.safetensors")).rename(place / "pytorch_model.bin")


def cut_off(place: Path) -> None:
    weights = next(place.rglob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:100])


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda place: shutil.rmtree(place), "is not there"),
        (lambda place: (place / "modules.json").unlink(), "no modules.json"),
        (lambda place: (place / "modules.json").write_text("[3]"), "cannot be read"),
        (modules(lambda parts: parts[1].update(type="custom_code.Pooling")), "does not run"),
        (modules(lambda parts: parts[1].update(path="../elsewhere")), "outside"),
        (pickled, "no weights in safetensors"),
        (cut_off, "cannot be read"),
    ],
)
def test_folders_that_will_not_do_are_refused(
    folder: Path, tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    place = shutil.copytree(folder, tmp_path / "harmed")
    harm(place)
    with pytest.raises(ModelUnavailable, match=words) as refused:
        FolderEncoder(place)
    assert "models.encoder" in refused.value.remedy
