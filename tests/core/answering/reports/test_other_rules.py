"""Reports that were written by other rules are told anew, once, and nothing that somebody else wrote is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from core.answering.reports import extractive, material, writing
from core.answering.reports.material import InnerFact, Material, Member, Spoken
from core.answering.reports.writing import write_changed, write_reports
from core.config import ModelConfig
from core.models.ollama.model import OllamaModel
from core.progress import Cancelled, TaskContext
from core.store.reports import _packed
from core.store.store import Store
from core.text.statements import is_statement
from core.types import Citation, DocumentShare, Written
from tests.core.answering.reports.dividing import divide
from tests.core.answering.reports.test_written import GROUP, TEXTS, number_of, reply, report
from tests.ollama_server import ScriptedServer

CONTEXT = TaskContext()
# Raise `VERSION` in core/answering/reports/material.py where this changes: reports that are there must be told anew.
RECORDED = {"3": "7273"}


@pytest.fixture
def store(indexed: Callable[[Mapping[str, str]], Store]) -> Store:
    made = indexed(TEXTS)
    divide(made, GROUP)
    return made


@pytest.fixture
def other_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def change() -> None:
        for place in (material, writing):
            monkeypatch.setattr(place, "VERSION", "another")
        monkeypatch.setattr(extractive, "title_of", lambda *_: "By other rules")

    return change


def test_an_index_run_tells_them_anew_though_no_document_changed(
    store: Store, other_rules: Callable[[], None]
) -> None:
    write_reports(store, CONTEXT)
    before = report(store)
    assert write_changed(store, CONTEXT) is None
    other_rules()
    assert write_changed(store, CONTEXT) == Written(written=2)
    assert report(store).title == "By other rules" != before.title
    assert write_changed(store, CONTEXT) is None


def test_a_run_that_was_stopped_goes_on(store: Store, other_rules: Callable[[], None]) -> None:
    write_reports(store, CONTEXT)
    other_rules()
    with pytest.raises(Cancelled):
        write_changed(store, TaskContext(cancelled=lambda: True))
    assert report(store).title != "By other rules"
    write_changed(store, CONTEXT)
    assert report(store).title == "By other rules"


def test_what_a_model_wrote_is_kept_and_marked(
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


LINES = (
    "Otto Kask commands the Northern Star.",
    "Figure 1: The star.",
    "- Points of the agenda",
    "It sails from Riga.",
)


def test_other_rules_have_another_version() -> None:
    """What is written of the same material, by version."""
    places = [
        Citation("p", "d", "d.txt", "Log", None, at * 50, at * 50 + len(line), line)
        for at, line in enumerate(LINES)
    ]
    made = Material(
        community_id=1,
        level=1,
        members=(
            Member("e1", "Otto Kask", "PERSON", 0.4),
            Member("e2", "Northern Star", "PRODUCT", 0.4),
            Member("e3", "Riga", "GPE", 0.2),
            Member("e4", "Ada Poe", "PERSON", 0.0, cited=True),
        ),
        facts=(InnerFact("f1", "Otto Kask commands Northern Star", 1.0, 0.8, 0, "1902"),),
        sentences=tuple(Spoken(place, place.quote, 0.5, 1, at) for at, place in enumerate(places)),
        candidates=4,
        documents=(DocumentShare("d", "Log", 1),),
        source="",
        tokens=(8, 6, 6, 6),
        vectors=np.eye(4, dtype=np.float32),
    )
    told = [*map(is_statement, LINES), json.loads(_packed(extractive.write(made)))]
    found = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:4]
    assert {material.VERSION: found} == RECORDED
