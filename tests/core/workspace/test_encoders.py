"""A workspace under an encoder of the person's own: what it is made with, and what is refused."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import Config, ModelConfig
from core.errors import BadInput, CoreError, ModelUnavailable
from core.progress import Cancelled, Progress, TaskContext
from core.workspace import Workspace
from tests.ollama_server import ScriptedServer
from tests.tiny_encoder import DIMENSION, make_encoder

TEXTS = {
    "ferry.txt": "The ferry Calder Reach was built by Otto Kask in Bergen. It sails to Aberdeen every Monday. "
    * 4,
    "mill.txt": "Ada Lind bought the old mill near Tartu. Her brother Jonas Berg repaired its roof.",
}
QUESTION = "Who built the ferry Calder Reach?"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("models") / "tiny")


def of_folder(encoder: Path) -> str:
    return f"models.encoder=folder:{encoder}"


def index(path: Path, folder: Path, models: Models, *settings: str) -> None:
    with Workspace.open(path, create=True, models=models) as opened:
        opened.index(folder, TaskContext(), settings=settings)


@pytest.fixture(scope="module")
def created(encoder: Path, models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that was made with the folder's encoder. For reading only."""
    place = tmp_path_factory.mktemp("made")
    papers = place / "papers"
    papers.mkdir()
    for name, text in TEXTS.items():
        (papers / name).write_text(text, encoding="utf-8")
    index(place / "w", papers, models, of_folder(encoder))
    return place / "w"


@pytest.mark.long
def test_vectors_windows_and_answers_are_by_the_encoder(created: Path, models: Models) -> None:
    with Workspace.open(created, models=models) as opened:
        assert opened.encoder.model.startswith("tiny ")
        assert opened.encoder.dimension == DIMENSION
        vectors = opened.passages.vectors()
        passages = [p for d in opened.documents.all() for p in opened.passages.of_document(d.id)]
        assert vectors.keys() == {p.id for p in passages}
        assert {v.shape for v in vectors.values()} == {(DIMENSION,)}
        assert len(passages) > len(TEXTS)
        for route in ("auto", "graph", "lab:hierarchical"):
            answer = opened.ask(QUESTION, TaskContext(), route)
            assert answer.evidence, route
        assert opened.ask(QUESTION, TaskContext()).trace.route.complexity.source == "equal"
        opened.retrieval.prepare_meaning(TaskContext())
        assert opened.search("mill roof")
        assert all(check.ok for check in opened.verify(TaskContext()))


@pytest.mark.long
def test_another_encoder_is_refused_in_words(created: Path, models: Models, tmp_path: Path) -> None:
    place = shutil.copytree(created, tmp_path / "w")
    Workspace.trust(place)
    for settings in (["models.encoder=minilm"], [of_folder(make_encoder(tmp_path / "tiny", seed=9))]):
        with Workspace.open(place, models=models, settings=settings) as opened:
            with pytest.raises(BadInput, match=r"made with the encoder tiny .*20 dimensions") as reported:
                opened.ask(QUESTION, TaskContext())
            assert (
                "new workspace" in reported.value.remedy and "models.encoder=folder:" in reported.value.remedy
            )
            before = opened.status().digest
            with pytest.raises(BadInput, match="made with the encoder tiny"):
                opened.index(created.parent / "papers", TaskContext(), settings=settings)
            assert opened.status().digest == before
    # And the reverse, for a workspace that was made before there was a choice.
    index(tmp_path / "old", created.parent / "papers", models)
    with (
        Workspace.open(tmp_path / "old", models=models, settings=settings) as opened,
        pytest.raises(BadInput, match="made with the encoder all-MiniLM-L6-v2"),
    ):
        opened.ask(QUESTION, TaskContext())


def test_the_same_encoder_at_another_place_will_do(
    created: Path, encoder: Path, tmp_path: Path, models: Models
) -> None:
    place = shutil.copytree(created, tmp_path / "w")
    Workspace.trust(place)
    moved = shutil.copytree(encoder, tmp_path / "tiny")
    index(place, created.parent / "papers", models, of_folder(moved))
    with Workspace.open(place, models=models) as opened:
        assert opened.encoder.choice.encoder == f"folder:{moved}"
    shutil.rmtree(moved)
    with Workspace.open(place, models=Models()) as opened, pytest.raises(ModelUnavailable, match="not there"):
        opened.ask(QUESTION, TaskContext())


def test_what_is_no_encoder_is_refused_before_anything_is_read(
    folder: Path, tmp_path: Path, models: Models
) -> None:
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        for name in ("e5", "minilm:x", "folder:/nowhere", "folder:", "ollama:"):
            with pytest.raises(CoreError) as refused:
                opened.index(folder, TaskContext(), settings=[f"models.encoder={name}"])
            assert refused.value.remedy
        assert opened.counts().documents == 0
        opened.index(folder, TaskContext())  # and nothing is kept of it
        assert opened.encoder.model == "all-MiniLM-L6-v2"


# ---------------------------------------------------------------- Ollama


def hashed(texts: list[str]) -> list[list[float]]:
    """Vectors that depend on the text alone."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) for text in texts]
    return [np.random.default_rng(seed).normal(1.0, 0.5, DIMENSION).tolist() for seed in seeds]


@pytest.fixture
def server(ollama: ScriptedServer) -> ScriptedServer:
    ollama.embed = hashed
    return ollama


def opened_with(path: Path, server: ScriptedServer, models: Models, **settings: object) -> Workspace:
    quick = ModelConfig(
        host=server.url, encoder=f"ollama:{server.model}", retry_wait=0.01, retries=1, first_token_seconds=5.0
    )
    config = replace(Config(), models=replace(quick, **settings))  # type: ignore[arg-type]
    return Workspace.open(path, create=True, models=models, config=config)


@pytest.fixture
def workspace(tmp_path: Path, server: ScriptedServer, models: Models) -> Iterator[Workspace]:
    with opened_with(
        tmp_path / "w", server, models, passage_prefix="passage:", question_prefix="query:"
    ) as found:
        yield found


def sent(server: ScriptedServer) -> list[list[str]]:
    return [body["input"] for path, body in server.requests if path == "/api/embed"]


@pytest.mark.long
def test_a_server_encodes_in_batches_with_prefixes(
    workspace: Workspace, folder: Path, server: ScriptedServer
) -> None:
    workspace.index(folder, TaskContext())
    assert workspace.encoder.dimension == DIMENSION
    assert workspace.encoder.model.startswith(f"ollama:{server.model} 5c5c")
    assert max(map(len, sent(server))) <= 16
    assert any(
        text.startswith("passage: ") and "Ada Lind" in text for batch in sent(server) for text in batch
    )
    assert workspace.ask(QUESTION, TaskContext()).evidence
    assert sent(server)[-1] == [f"query: {QUESTION}"] or [f"query: {QUESTION}"] in sent(server)


def test_a_model_that_is_not_pulled_and_a_host_that_is_down_are_reported(
    tmp_path: Path, folder: Path, server: ScriptedServer, models: Models
) -> None:
    with opened_with(tmp_path / "w", server, models, encoder="ollama:absent") as opened:
        with pytest.raises(ModelUnavailable, match="absent") as reported:
            opened.index(folder, TaskContext())
        assert "ollama pull absent" in reported.value.remedy
    server.refuse()
    with (
        opened_with(tmp_path / "w", server, models) as opened,
        pytest.raises(ModelUnavailable, match="does not answer"),
    ):
        opened.index(folder, TaskContext())


def test_a_host_that_goes_down_while_indexing_leaves_what_was_done(
    workspace: Workspace, tmp_path: Path, server: ScriptedServer
) -> None:
    papers = tmp_path / "many"
    papers.mkdir()
    for i in range(40):
        (papers / f"{i:02}.txt").write_text(
            f"Letter {i} by Ada Lind tells of ship number {i}.", encoding="utf-8"
        )

    def leave(progress: Progress) -> None:
        if progress.stage == "index" and progress.done >= 8:
            server.refuse()

    with pytest.raises(ModelUnavailable, match="does not answer"):
        workspace.index(papers, TaskContext(leave, interval=0.0))
    done = len(workspace.passages.vectors())
    assert 0 < done < 40
    server.listen()
    assert workspace.index(papers, TaskContext()).pending == 0
    assert len(workspace.passages.vectors()) == 40


def test_a_server_that_answers_otherwise_is_reported(
    workspace: Workspace, folder: Path, server: ScriptedServer
) -> None:
    workspace.index(folder, TaskContext())
    for wrong, words in (
        (lambda texts: [[1.0, 2.0]] * len(texts), "2 numbers, and of 20 before"),
        (lambda texts: [[float("1e39")] * DIMENSION] * len(texts), "no vectors"),
        (lambda texts: hashed(texts)[1:], "no vectors"),
        (lambda texts: [[]] * len(texts), "no vectors"),
    ):
        server.embed = wrong
        with pytest.raises(ModelUnavailable, match=words):
            workspace.ask(f"{QUESTION} {words}", TaskContext())


def test_words_are_found_while_the_host_is_down_and_a_swapped_model_is_refused(
    workspace: Workspace, folder: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    workspace.index(folder, TaskContext())
    server.refuse()
    assert any("mill" in found.detail for found in workspace.search("old mill near", kinds=["passage"]))
    server.listen()
    server.digest = "77" * 32
    settings = {"passage_prefix": "passage:", "question_prefix": "query:"}
    with (
        opened_with(tmp_path / "w", server, Models(), **settings) as opened,
        pytest.raises(BadInput, match="made with the encoder ollama:"),
    ):
        opened.ask(QUESTION, TaskContext())


def test_encoding_is_stopped_while_the_server_waits(
    workspace: Workspace, folder: Path, server: ScriptedServer
) -> None:
    workspace.index(folder, TaskContext())
    waiting = threading.Event()
    server.embed = lambda texts: (waiting.wait(20), hashed(texts))[1]
    (folder / "new.txt").write_text("Ivo Saar sold the boat.", encoding="utf-8")

    try:
        with pytest.raises(Cancelled):
            workspace.index(
                folder, TaskContext(cancelled=lambda: any("Ivo" in t for b in sent(server) for t in b))
            )
    finally:
        waiting.set()
