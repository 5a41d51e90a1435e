"""Answers by a real, tiny model: poor as they are, nothing that the passages do not carry is cited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import Config, ModelConfig
from core.progress import TaskContext
from core.types import Verdict
from core.workspace import Workspace
from tests.real_peer import Peer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("socket_enabled")]
TEXTS = {
    "star": "Otto Kask commands the Northern Star. The Northern Star was built in Gdynia in 1998.",
    "ilves": "Marta Ilves founded Ilves Shipping in Tallinn. Ilves Shipping owns the Northern Star.",
}


@pytest.fixture
def workspace(real_ollama: Peer, models: Models, tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "folder").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "folder" / f"{name}.txt").write_text(text, encoding="utf-8")
    told = ModelConfig(host=real_ollama.url, model=real_ollama.model, max_output=40)
    config = Config()
    # It ranks the facts, too: one more call of a few tokens.
    retrieval = replace(config.retrieval, fact_reranker=f"ollama:{real_ollama.model}", fact_candidates=4)
    config = replace(config, models=told, control=replace(config.control, rounds=0), retrieval=retrieval)
    opened = Workspace.open(tmp_path / "workspace", create=True, config=config, models=models)
    opened.index(tmp_path / "folder", TaskContext())
    yield opened
    opened.close()


def test_a_real_model_answers_or_abstains_and_every_citation_stands(
    workspace: Workspace, real_ollama: Peer
) -> None:
    heard: list[str] = []
    answer = workspace.ask(
        "Who commands the Northern Star?",
        TaskContext(),
        "lab:walk",
        generator=f"ollama:{real_ollama.model}",
        on_text=heard.append,
    )
    assert "".join(heard).strip(), "it was streamed"
    assert answer.usage.calls >= 1 and answer.usage.tokens_out > 0
    assert len(answer.trace.rounds) in (1, 2), "its own, and quotes in its place"
    told, *_ = [stage.detail for stage in answer.trace.stages if stage.name == "facts"]
    assert "chosen by ollama:" in told or "not reranked: " in told
    assert answer.abstained == (not answer.text)
    texts = set(TEXTS.values())
    for citation in answer.citations:
        assert any(citation.quote in text for text in texts)
    carried = [claim for claim in answer.claims if claim.verdict is Verdict.SUPPORTED]
    assert all(0 <= at < len(answer.citations) for claim in carried for at in claim.citations)
    assert all(claim.citations for claim in carried)
    if not answer.abstained:
        assert carried
