"""Compositions run side by side: rows that are kept, gone on with, and told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput
from core.evaluation.datasets import EvalQuestion
from core.evaluation.lab_run import run
from core.lab.figures import summarised
from core.lab.rows import LabRow, read_run
from core.progress import Cancelled, TaskContext
from core.retrieval.compositions import shipped_compositions
from core.workspace import Workspace

NAMES = ("no-12", "no-1", "graph")
CHOSEN = {name: shipped_compositions()[name] for name in NAMES}


@pytest.fixture(scope="module")
def questions(sample_workspace: Workspace) -> list[EvalQuestion]:
    """Of names, each with the document that holds the passage it was taken from."""
    corpus = sample_workspace.retrieval.asker().parts.corpus
    document = sample_workspace.passages.get(corpus.passage_ids[0]).document_id
    path = next(each.path for each in sample_workspace.documents.all() if each.id == document)
    named = [name for name in list(corpus.entity_names)[:40] if name[0].isupper() and " " in name][:3]
    return [
        EvalQuestion(f"q{at}", f"Who met {name}?", (name,), frozenset((path,)), "kind")
        for at, name in enumerate(named)
    ]


def test_rows_are_kept_and_gone_on_with(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    out = tmp_path / "run.jsonl"
    rows = run(sample_workspace, questions, CHOSEN, out, TaskContext())
    assert [(row.composition, row.question) for row in rows] == [
        (name, each.id) for name in NAMES for each in questions
    ]
    beside = run(sample_workspace, questions, CHOSEN, tmp_path / "two.jsonl", TaskContext(), jobs=2)
    assert [replace(row, seconds={}, shared=0) for row in beside] == [
        replace(row, seconds={}, shared=0) for row in rows
    ]
    assert read_run(out) == sorted(rows, key=lambda row: (row.question, NAMES.index(row.composition)))
    lines = out.read_text().splitlines(keepends=True)
    # Stopped in the middle of a row: what was whole stays, the rest is run again.
    out.write_text("".join(lines[:4]) + lines[4][:30])
    again = run(sample_workspace, questions, CHOSEN, out, TaskContext())
    assert [replace(row, seconds={}, shared=0) for row in again] == [
        replace(row, seconds={}, shared=0) for row in rows
    ]
    assert out.read_text().startswith("".join(lines[:4])) and len(read_run(out)) == len(rows)


def test_what_two_share_is_made_once(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    rows = run(sample_workspace, questions, CHOSEN, tmp_path / "run.jsonl", TaskContext())
    first, second, route = (next(row for row in rows if row.composition == name) for name in NAMES)
    assert first.shared == 0 and second.shared == 2, "seeds and subgraph"
    assert second.seconds["subgraph"] == first.seconds["subgraph"] > 0
    assert (first.entities, first.facts) == (second.entities, second.facts)
    assert set(route.seconds) == {"all"} and not route.paths


def test_a_changed_composition_and_other_questions(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    out = tmp_path / "run.jsonl"
    one = {"no-1": CHOSEN["no-1"]}
    run(sample_workspace, questions, one, out, TaskContext())
    changed = {"no-1": replace(CHOSEN["no-1"], seeds=1)}
    rows = run(sample_workspace, questions, changed, out, TaskContext())
    assert len(out.read_text().splitlines()) == 1 + 2 * len(questions), "run anew, not taken from before"
    assert len(rows) == len(questions)
    with pytest.raises(BadInput, match="other questions"):
        run(sample_workspace, questions[1:], one, out, TaskContext())


def test_cancelled_at_once(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    with pytest.raises(Cancelled):
        run(sample_workspace, questions, CHOSEN, tmp_path / "run.jsonl", TaskContext(cancelled=lambda: True))


@pytest.mark.parametrize(
    "text", ["", "{}\n", "[1]\n", '{"format": "clew-lab-1"}\n{"digest": "x"}\n', "\x00\n"]
)
def test_what_is_no_run_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(BadInput):
        read_run(tmp_path / "run.jsonl")
    with pytest.raises(BadInput):
        read_run(tmp_path / "none.jsonl")


def made(composition: str, question: str, recall: float, kind: str = "one") -> LabRow:
    measures = {"recall@5": recall} | ({"reach": 1.0} if recall else {})
    return LabRow(
        composition, question, f"{question}?", kind, {"all": recall}, 0, 1, 2, 3, (), "", 0.0, 5, measures
    )


def test_figures_are_means_over_the_questions_that_all_answered() -> None:
    rows = [
        made("a", "1", 1.0),
        made("a", "2", 0.0),
        made("a", "3", 0.0),
        made("b", "1", 1.0),
        made("b", "2", 1.0),
    ]
    first, second = summarised(rows)
    assert (first.questions, first.figures["recall@5"], second.figures["recall@5"]) == (2, 0.5, 1.0)
    assert first.figures["reach"] == 1.0, "of the questions that have the figure"
    assert first.against == 1.0 and second.against > 0.05
    assert first.sure.low == 0.0 and first.sure.high == 1.0 and second.sure.low == second.sure.high == 1.0
    assert summarised(rows, "other") == []


def test_many_questions_tell_two_apart() -> None:
    chance = np.random.default_rng(2)
    rows = [made("a", str(at), float(chance.random() < 0.4)) for at in range(200)]
    rows += [made("b", str(at), 1.0) for at in range(200)]
    assert summarised(rows)[1].against < 0.01


def test_the_command(sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path) -> None:
    from click.testing import CliRunner

    from core.cli import group

    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        "".join(
            json.dumps(
                {"id": q.id, "question": q.question, "answers": q.answers, "gold": sorted(q.supporting)}
            )
            + "\n"
            for q in questions
        )
    )
    wanted = [
        "lab",
        "run",
        str(sample_workspace.path),
        "--questions",
        str(asked),
        "--instances",
        "no-12,graph",
    ]
    out = tmp_path / "run.jsonl"
    told = CliRunner().invoke(group, [*wanted, "--out", str(out), "--json"], catch_exceptions=False)
    found = json.loads(told.stdout)["compositions"]
    assert [each["composition"] for each in found] == ["no-12", "graph"]
    shown = CliRunner().invoke(group, ["lab", "report", str(out)], catch_exceptions=False).stdout
    assert "recall@5" in shown and "no-12" in shown and "paths ms" in shown
    assert "hipporag-2" in CliRunner().invoke(group, ["lab", "list"], catch_exceptions=False).stdout
