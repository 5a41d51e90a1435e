"""Reports that were written by other rules are written again, once, and nothing that somebody else wrote is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.answering.reports import extractive, material, naming, writing
from core.answering.reports.writing import write_changed, write_reports
from core.config import ModelConfig
from core.models.ollama.model import OllamaModel
from core.progress import Cancelled, TaskContext
from core.store.store import Store
from core.types import Written
from tests.core.answering.reports.dividing import divide
from tests.core.answering.reports.test_written import GROUP, TEXTS, number_of, reply, report
from tests.ollama_server import ScriptedServer

CONTEXT = TaskContext()


@pytest.fixture
def store(indexed: Callable[[Mapping[str, str]], Store]) -> Store:
    store = indexed(TEXTS)
    divide(store, GROUP)
    return store


@pytest.fixture
def other_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def change() -> None:
        for place in (material, writing):
            monkeypatch.setattr(place, "VERSION", "another")
        for place in (extractive, naming):
            monkeypatch.setattr(place, "title_of", lambda *_: "By other rules")

    return change


def test_an_index_run_writes_them_again_though_no_document_changed(
    store: Store, other_rules: Callable[[], None]
) -> None:
    write_reports(store, CONTEXT)
    before = report(store)
    assert write_changed(store, CONTEXT) is None
    other_rules()
    with pytest.raises(Cancelled):
        write_changed(store, TaskContext(cancelled=lambda: True))
    assert report(store) == before
    assert write_changed(store, CONTEXT) == Written(written=2), "a run that was stopped goes on"
    assert report(store).title == "By other rules" != before.title
    assert write_changed(store, CONTEXT) is None


def test_what_a_model_wrote_stays_and_is_marked(
    store: Store, ollama: ScriptedServer, other_rules: Callable[[], None]
) -> None:
    model = OllamaModel(ModelConfig(host=ollama.url, model=ollama.model, retries=0))
    ollama.answer = lambda body: reply(
        "The Northern Gannet", ("Ines Holm commands the Northern Gannet.", [number_of(body, "Holm commands")])
    )
    write_reports(store, CONTEXT, model=model)
    assert not report(store).stale
    other_rules()
    assert write_changed(store, CONTEXT) == Written(stale=2)
    found = report(store)
    assert (found.written_by, found.stale, found.title) == (model.name, True, "The Northern Gannet")
    assert found.statements[0].text == "Ines Holm commands the Northern Gannet."
    assert write_changed(store, CONTEXT) is None
    # The model writes it again when a person says so.
    assert write_reports(store, CONTEXT, model=model) == Written(written=2, by_model=2)
    assert not report(store).stale
