"""`workspace.lab`: a question through a composition, the workspace's own composition, runs that are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput, NothingIndexed
from core.lab.rows import FORMAT, LabRow, as_line
from core.progress import Cancelled, TaskContext
from core.retrieval.compositions import shipped_compositions
from core.types import LabWish
from core.workspace import Workspace

QUESTION = "Where was Tobias Renwick arrested?"
ROW = LabRow("no-1", "q1", "Who?", "made", {"all": 0.1}, 0, 1, 2, 3, ("p",), "x", 0.5, 9, {"recall@5": 1.0})


@pytest.fixture
def workspace(sample_copy: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(sample_copy, models=models)
    yield opened
    opened.close()


# ---------------------------------------------------------------- flow


@pytest.mark.parametrize("name", ["no-2", "paths-staged"])
def test_a_flow_is_what_the_composition_itself_finds(sample_workspace: Workspace, name: str) -> None:
    flow = sample_workspace.lab.flow(name, QUESTION, TaskContext())
    asker = sample_workspace.retrieval.asker()
    retriever, query = asker.rankings.compose(shipped_compositions()[name]), asker.rankings.analyse(QUESTION)
    composed = retriever.trace_paths(query, TaskContext())
    retrieval = retriever.retrieve(query, 10, TaskContext())
    assert composed is not None
    assert [each.passage_id for each in flow.passages] == [hit.passage_id for hit in retrieval.hits]
    assert [step.module for step in flow.steps] == [stage.name for stage in retrieval.stages]
    assert flow.found == len(composed.paths)
    ids = asker.view.corpus.entity_ids
    for found, path in zip(flow.paths, composed.paths, strict=False):
        assert found.path.entity_ids == tuple(ids[row] for row in path.entities)
        for step, (one, other) in zip(
            found.path.steps, zip(found.path.entity_ids, found.path.entity_ids[1:], strict=False), strict=True
        ):
            assert {step.subject_id, step.object_id} == {one, other}
    heats = {step.module: step.heat for step in flow.steps}
    assert set(heats["seeds"]) == {seed.entity_id for seed in composed.seeds}
    for heat in heats.values():
        assert len(heat) <= 400 and all(0 < value <= 1 for value in heat.values())
    if "pruning" in heats:
        stored = {ids[int(row)] for row in composed.subgraph.entities}
        assert set(heats["pruning"]) == stored
        before = {ids[int(row)] for row in _unpruned(sample_workspace, name)}
        assert set(heats["subgraph"]) <= before and len(before) > len(stored)


def _unpruned(workspace: Workspace, name: str) -> list[int]:
    """Rows of the subgraph before pruning, by running the composition that has none."""
    composition = shipped_compositions()[name]
    plain = replace(composition, pruning=type(composition.pruning)())
    asker = workspace.retrieval.asker()
    found = asker.rankings.compose(plain).trace_paths(asker.rankings.analyse(QUESTION), TaskContext())
    assert found is not None
    return [int(row) for row in found.subgraph.entities]


def test_what_cannot_flow_says_why(sample_workspace: Workspace, tmp_path: Path, models: Models) -> None:
    lab, context = sample_workspace.lab, TaskContext()
    with pytest.raises(BadInput, match="needs a language model"):
        lab.flow("no-3", QUESTION, context)
    with pytest.raises(BadInput, match="no composition"):
        lab.flow("no-99", QUESTION, context)
    for question in ("", "  ", "x" * 100_000):
        with pytest.raises(BadInput):
            lab.flow("no-1", question, context)
    with pytest.raises(Cancelled):
        lab.flow("no-1", QUESTION, TaskContext(cancelled=lambda: True))
    with (
        Workspace.open(tmp_path / "empty", create=True, models=models) as empty,
        pytest.raises(NothingIndexed),
    ):
        empty.lab.flow("no-1", QUESTION, context)


# ---------------------------------------------------------------- the workspace's own


def test_what_was_adopted_stays_until_it_is_withdrawn(workspace: Workspace) -> None:
    workspace.compositions.keep("[mine]\nrank = ['words']\n")
    workspace.lab.adopt("mine")
    with pytest.raises(BadInput, match="adopted"):
        workspace.compositions.keep("[other]\n")
    assert workspace.ask(QUESTION, TaskContext()).trace.route.name == "lab:mine"
    workspace.lab.adopt("")
    assert workspace.compositions.keep("[other]\n") == ("other",)


def test_auto_asks_by_the_adopted_composition(workspace: Workspace) -> None:
    lab, context = workspace.lab, TaskContext()
    assert lab.adopted == "" and lab.adopt("no-12") == "" and lab.adopted == "no-12"
    answer, chosen = workspace.ask(QUESTION, context), workspace.ask(QUESTION, context, "lab:no-12")
    route = answer.trace.route
    assert (route.name, route.forced) == ("lab:no-12", False)
    assert chosen.trace.route.forced
    assert [each.hit for each in answer.evidence] == [each.hit for each in chosen.evidence]
    reported = next(stage.detail for stage in answer.trace.stages if stage.name == "route")
    assert "this workspace's own" in reported
    assert workspace.retrieve(QUESTION, context)[0] == "lab:no-12"
    # A route that the person chooses stays theirs, and all documents are asked as before.
    assert workspace.ask(QUESTION, context, "dense").trace.route.name == "dense"
    assert workspace.ask("What are these documents about?", context).trace.route.name == "global"
    with pytest.raises(BadInput, match="cannot be laid open"):
        workspace.retrieval.open_ranking_session(QUESTION, context)
    assert lab.adopt("fusion") == "no-12"
    joined = workspace.ask(QUESTION, context).trace.route
    assert (joined.name, joined.forced) == ("lab:fusion", False)
    assert lab.adopt("") == "fusion"
    assert not workspace.ask(QUESTION, context).trace.route.name.startswith("lab:")


# ---------------------------------------------------------------- runs


def begun(workspace: Workspace, rows: int = 0, **head: object) -> Path:
    path = workspace.lab.begin(LabWish("made", 5, ("no-1",)))
    stamp = {"format": FORMAT, "revision": workspace.revision, "questions": "x", **head}
    lines = [as_line("d", replace(ROW, question=f"q{at}")) for at in range(rows)]
    path.write_text(json.dumps(stamp) + "\n" + "".join(lines))
    return path


def test_runs_are_listed_with_what_is_wrong_with_them(workspace: Workspace, tmp_path: Path) -> None:
    assert workspace.lab.runs() == []
    good, old = begun(workspace, 2), begun(workspace, revision=-1)
    folder = good.parent
    (folder / "torn.jsonl").write_text('{"format": "clew-l')
    (folder / "none.jsonl").write_bytes(b"\xff\xfe\x00")
    (folder / "other.jsonl").write_text('["something else"]\n')
    (folder / "notes.txt").write_text("no run")
    (tmp_path / "outside").write_text(good.read_text())
    (folder / "link.jsonl").symlink_to(tmp_path / "outside")
    os.utime(old, (1, 1))
    found = {run.path.name: run for run in workspace.lab.runs()}
    assert set(found) == {good.name, old.name, "torn.jsonl", "none.jsonl", "other.jsonl", "link.jsonl"}
    assert found[good.name].wish == LabWish("made", 5, ("no-1",)) and not found[good.name].outdated
    assert found[old.name].outdated and not found[old.name].fault
    for name in ("torn", "none", "other", "link"):
        assert found[f"{name}.jsonl"].fault
    assert next(iter(found)) == good.name  # the newest that can be read
    workspace.lab.remove(found[good.name])
    assert not good.exists() and good.name not in {run.path.name for run in workspace.lab.runs()}
    with pytest.raises(BadInput):
        workspace.lab.remove(replace(found[old.name], path=tmp_path / "outside"))
    assert (tmp_path / "outside").exists()


def test_rows_are_read_as_they_come(workspace: Workspace, tmp_path: Path) -> None:
    reading = workspace.lab.reading(tmp_path / "later.jsonl")
    assert reading.more() == 0 and reading.rows == []
    path = begun(workspace, 1)
    reading = workspace.lab.reading(path)
    assert reading.more() == 1 and reading.more() == 0
    line = as_line("d", replace(ROW, question="other"))
    with path.open("a") as file:
        file.write(line[:20])
        file.flush()
        assert reading.more() == 0 and reading.torn == 0  # it is being written
        file.write(line[20:])
        file.flush()
        assert reading.more() == 1
        file.write("{}\nnot json\n" + as_line("d", replace(ROW, question="other", answer="new")))
        file.flush()
    assert reading.more() == 1 and reading.torn == 2
    assert [(row.question, row.answer) for row in reading.rows] == [("q0", "x"), ("other", "new")]
    # Begun anew: what was read is of no use.
    path.write_text(path.read_text().split("\n")[0] + "\n")
    assert reading.more() == 0 and reading.rows == []
    path.write_text("something else\n")
    with pytest.raises(BadInput):
        workspace.lab.reading(path).more()


def test_figures_are_of_questions_that_all_answered(workspace: Workspace) -> None:
    rows = [replace(ROW, question=q, composition=c) for q in ("a", "b") for c in ("no-1", "no-2")][:3]
    assert [(each.composition, each.questions) for each in workspace.lab.figures(rows)] == [
        ("no-1", 1),
        ("no-2", 1),
    ]
    assert workspace.lab.kinds(rows) == [] and workspace.lab.figures([]) == []
