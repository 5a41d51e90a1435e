"""A cross-encoder of the person's own as the second stage: a real one, tiny and untrained, made here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import Config, RetrievalConfig
from core.errors import ModelUnavailable
from core.models.cross_encoder import load_cross_encoder
from core.progress import TaskContext
from core.retrieval.rerank import CrossEncoderStage
from core.retrieval.selection.model import SHIPPED, load_model, save_model
from core.text.sentences import sentences
from core.types import Hit, Passage
from core.types.kinds import stable_id
from core.workspace import Workspace
from tests.core.retrieval.queries import query

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] who what wrote the song road film star otto kask was born in a ."
TEXTS = {
    "p1": ("Star", "Otto Kask wrote the song."),
    "p2": ("Road", "The road was in a film."),
    "p3": ("Otto Kask", "Otto Kask was born in the road."),
    "p4": ("", ""),
    "p5": ("Film", "The star was born . " * 400),
}
HITS = tuple(Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate(TEXTS, 1))
QUESTION = "Who wrote the song?"


def texts(ids: Sequence[str]) -> list[tuple[str, str]]:
    return [TEXTS[passage] for passage in ids]


def make(folder: Path, labels: int = 1, complete: bool = True) -> Path:
    """A BERT of one layer; without a scoring layer when it is not `complete`."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

    folder.mkdir()
    words = WORDS.split()
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(3)
    settings = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        initializer_range=0.5,  # else all scores are nearly the same
    )
    settings.num_labels = labels
    model = BertForSequenceClassification(settings) if complete else BertModel(settings)
    model.save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("models") / "tiny")


@pytest.mark.long
def test_the_order_is_that_of_the_model_itself(folder: Path) -> None:
    """Against transformers without sentence-transformers, one pair at a time."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    logits = {}
    for passage, (title, text) in TEXTS.items():
        pair = tokenizer(QUESTION, f"{title}\n{text}", truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            logits[passage] = float(model(**pair).logits[0, 0])
    found = CrossEncoderStage(folder, texts).reorder(query(QUESTION), HITS, 5, TaskContext())[0]
    assert [hit.passage_id for hit in found] == sorted(TEXTS, key=lambda passage: -logits[passage])
    assert [hit.passage_id for hit in found] != list(TEXTS)
    wanted = [1 / (1 + np.exp(-logits[hit.passage_id])) for hit in found]
    np.testing.assert_allclose([hit.score for hit in found], wanted, atol=1e-4)
    assert [hit.rank for hit in found] == [1, 2, 3, 4, 5]


def test_any_question_gets_an_order(folder: Path) -> None:
    for question in ("?!", "🦊", "who " * 500):
        found = CrossEncoderStage(folder, texts).reorder(query(question), HITS, 5, TaskContext())[0]
        assert {hit.passage_id for hit in found} == set(TEXTS)
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_folders_that_will_not_do_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"nowhere.* not there.*retrieval\.reranker"):
        load_cross_encoder(tmp_path / "nowhere")
    with pytest.raises(ModelUnavailable, match="2 scores"):
        load_cross_encoder(make(tmp_path / "two", labels=2))
    with pytest.raises(ModelUnavailable, match="another kind"):
        load_cross_encoder(make(tmp_path / "encoder", complete=False))
    broken = make(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:100])
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        load_cross_encoder(broken)
    (broken / "model.safetensors").unlink()
    (broken / "pytorch_model.bin").write_bytes(b"weights that could carry code")
    with pytest.raises(ModelUnavailable, match="safetensors"):
        load_cross_encoder(broken)
    wrong = make(tmp_path / "wrong")
    settings = json.loads((wrong / "config.json").read_text(encoding="utf-8"))
    for text in (json.dumps({**settings, "hidden_size": 32}), "{", "[]", "{}"):
        (wrong / "config.json").write_text(text, encoding="utf-8")
        with pytest.raises(ModelUnavailable):
            load_cross_encoder(wrong)


@pytest.fixture(scope="module")
def indexed(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reranked") / "w"
    opened = Workspace.open(path, create=True, models=models)
    rows = [
        Passage(p, stable_id("document", p), 0, title, text, 0, len(text), None, tuple(sentences(text)))
        for p, (title, text) in list(TEXTS.items())[:3]
    ]
    opened.index_passages(rows, TaskContext())
    opened.close()
    return path


def ranked(path: Path, models: Models, route: str, retrieval: RetrievalConfig) -> list[str]:
    opened = Workspace.open(path, config=replace(Config(), retrieval=retrieval), models=models)
    try:
        _, found = opened.retrieve(QUESTION, TaskContext(), route, 3)
    finally:
        opened.close()
    return [hit.passage_id for hit in found.hits]


def test_a_workspace_uses_the_one_that_is_set(indexed: Path, folder: Path, models: Models) -> None:
    wish = RetrievalConfig(reranker=str(folder))
    alone = ranked(indexed, models, "graph", replace(wish, second_stage=False))
    hits = [Hit(passage, 1.0, rank) for rank, passage in enumerate(alone, 1)]
    again = CrossEncoderStage(folder, texts).reorder(query(QUESTION), hits, 3, TaskContext())[0]
    assert ranked(indexed, models, "graph", wish) == [hit.passage_id for hit in again]
    gone = RetrievalConfig(reranker=str(folder / "gone"))
    with pytest.raises(ModelUnavailable, match="gone"):
        ranked(indexed, models, "graph", gone)
    assert ranked(indexed, models, "dense", gone), "it has no second stage"


def test_a_model_that_was_trained_takes_the_place_of_the_shipped_one(
    indexed: Path, models: Models, tmp_path: Path
) -> None:
    shipped = load_model(SHIPPED)
    same, other = tmp_path / "same.safetensors", tmp_path / "other.safetensors"
    save_model(shipped, same)
    save_model(replace(shipped, direct=-shipped.direct, out_weight=-shipped.out_weight), other)
    wish = RetrievalConfig()
    before = ranked(indexed, models, "graph", wish)
    assert ranked(indexed, models, "graph", replace(wish, reranker=str(same))) == before
    assert ranked(indexed, models, "graph", replace(wish, reranker=str(other))) != before
    with pytest.raises(ModelUnavailable, match="gone"):
        ranked(indexed, models, "graph", replace(wish, reranker=str(tmp_path / "gone.safetensors")))
