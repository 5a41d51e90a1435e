"""Compositions on the same questions: rows are saved, resumed and reported."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import CapConfig, Config, ModelConfig
from core.errors import BadInput
from core.lab.figures import kinds, summarised
from core.lab.rows import LabRow, read_run
from core.progress import Cancelled, TaskContext
from core.research.datasets import EvalQuestion, Quote
from core.research.lab_run import run
from core.retrieval.compositions import shipped_compositions
from core.retrieval.subgraph.extraction import Importance
from core.retrieval.subgraph.subgraph import Asked, Subgraph
from core.workspace import Workspace
from tests.ollama_server import Reply, ScriptedServer

NAMES = ("no-12", "no-1", "graph")
CHOSEN = {name: shipped_compositions()[name] for name in NAMES}


@pytest.fixture(scope="module")
def questions(sample_workspace: Workspace) -> list[EvalQuestion]:
    """Return questions of names, each with the document of its passage."""
    corpus = sample_workspace.retrieval.asker().view.corpus
    document = sample_workspace.passages.get(corpus.passage_ids[0]).document_id
    path = next(each.path for each in sample_workspace.documents.all() if each.id == document)
    named = [name for name in list(corpus.entity_names)[:40] if name[0].isupper() and " " in name][:3]
    return [
        EvalQuestion(f"q{at}", f"Who met {name}?", (name,), frozenset((path,)), "kind")
        for at, name in enumerate(named)
    ]


def without_cost(row: LabRow) -> LabRow:
    return replace(row, seconds={}, shared=0, peak=None)


def test_rows_are_saved_and_a_run_resumes(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    out = tmp_path / "run.jsonl"
    rows = run(sample_workspace, questions, CHOSEN, out, TaskContext())
    assert [(row.composition, row.question) for row in rows] == [
        (name, each.id) for name in NAMES for each in questions
    ]
    parallel = run(sample_workspace, questions, CHOSEN, tmp_path / "two.jsonl", TaskContext(), jobs=2)
    assert list(map(without_cost, parallel)) == list(map(without_cost, rows))
    assert all(row.peak is None for row in parallel), "which of two at once held it, nobody knows"
    assert read_run(out) == sorted(rows, key=lambda row: (row.question, NAMES.index(row.composition)))
    lines = out.read_text().splitlines(keepends=True)
    # Stopped in the middle of a row: what was whole stays, the rest is run again.
    out.write_text("".join(lines[:4]) + lines[4][:30])
    again = run(sample_workspace, questions, CHOSEN, out, TaskContext())
    assert list(map(without_cost, again)) == list(map(without_cost, rows))
    assert out.read_text().startswith("".join(lines[:4])) and len(read_run(out)) == len(rows)


def test_shared_modules_run_once(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    rows = run(sample_workspace, questions, CHOSEN, tmp_path / "run.jsonl", TaskContext())
    first, second, route = (next(row for row in rows if row.composition == name) for name in NAMES)
    assert first.shared == 0 and second.shared == 2, "seeds and subgraph"
    assert second.seconds["subgraph"] == first.seconds["subgraph"] > 0
    assert (first.entities, first.facts) == (second.entities, second.facts)
    stages = {"align", "local", "second stage"}  # further ones where these do not suffice
    assert {*stages, "all"} <= set(route.seconds) and not route.paths
    assert route.seconds["all"] >= sum(route.seconds[stage] for stage in stages) > 0


def test_questions_are_grouped_by_kind_and_hops(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    two = replace(questions[1], supporting=questions[1].supporting | {"other.txt"}, kind="two")
    rows = run(sample_workspace, [questions[0], two], CHOSEN, tmp_path / "run.jsonl", TaskContext())
    assert kinds(rows) == [questions[0].kind, "two", "1 hop", "2 hops"]
    assert [each.questions for each in summarised(rows, "2 hops")] == [1] * len(CHOSEN)
    assert kinds([row for row in rows if row.kind == "two"]) == []


def test_a_run_under_other_settings_is_another_run(
    sample_path: Path, models: Models, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    out, damped = tmp_path / "run.jsonl", ("retrieval.damping=0.3",)
    with Workspace.open(sample_path, models=models) as plain:
        run(plain, questions[:1], CHOSEN, out, TaskContext())
    with (
        Workspace.open(sample_path, models=models, settings=damped) as other,
        pytest.raises(BadInput, match="run of other questions"),
    ):
        run(other, questions[:1], CHOSEN, out, TaskContext())


def asking(ollama: ScriptedServer, calls: int = 0) -> Config:
    """Return settings with this model and a cap on its calls for a question; 0: no cap."""
    model = ModelConfig(host=ollama.url, model=ollama.model, retries=0)
    return replace(Config(), models=model, caps=CapConfig(calls=calls))


def test_tokens_of_scoring_are_as_the_server_counts_and_shared_as_it_is(
    sample_path: Path,
    models: Models,
    ollama: ScriptedServer,
    questions: list[EvalQuestion],
    tmp_path: Path,
) -> None:
    """Both prune by the model: the cost is reported for both, and paid once."""
    ollama.answer = lambda body: Reply('{"chosen": [1, 2]}', tokens_in=1_000)
    config = asking(ollama)
    chosen = {name: shipped_compositions()[name] for name in ("no-11", "no-4", "no-12")}
    with Workspace.open(sample_path, config=config, models=models) as opened:
        rows = run(opened, questions, chosen, tmp_path / "run.jsonl", TaskContext())
    assert len(ollama.chats) == len(questions)
    wrote = len('{"chosen": [1, 2]}') // 4
    for one, other, none in (rows[at :: len(questions)] for at in range(len(questions))):
        assert one.scored_tokens == other.scored_tokens == 1_000 + wrote
        assert other.shared > one.shared and none.scored_tokens == 0
    pruned, _, unpruned = summarised(rows)
    assert (pruned.scored_tokens, unpruned.scored_tokens) == (1_000 + wrote, 0)


def test_a_reply_of_no_use_is_paid_for_as_well(
    sample_path: Path,
    models: Models,
    ollama: ScriptedServer,
    questions: list[EvalQuestion],
    tmp_path: Path,
) -> None:
    ollama.answer = lambda body: Reply("no json at all", tokens_in=1_000)
    config = asking(ollama)
    with Workspace.open(sample_path, config=config, models=models) as opened:
        (row,) = run(
            opened,
            questions[:1],
            {"no-11": shipped_compositions()["no-11"]},
            tmp_path / "r.jsonl",
            TaskContext(),
        )
    assert row.scored_tokens > 100, "estimated"


@pytest.mark.long
def test_the_readers_tokens_are_those_of_the_pairs_that_it_read(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    chosen = {name: shipped_compositions()[name] for name in ("one-way-reading", "one-way-words")}
    rows = run(sample_workspace, questions[:1], chosen, tmp_path / "run.jsonl", TaskContext())
    # At most 64 candidates are read, each with the question: some ten to a hundred tokens.
    assert 64 * 100 > rows[0].scored_tokens > 10 and rows[1].scored_tokens == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the peak")
def test_a_modules_peak_is_reported_when_it_was_cached_too(
    sample_workspace: Workspace,
    questions: list[EvalQuestion],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    extract = Importance.extract

    def costly(self: Importance, asked: Asked, context: TaskContext) -> Subgraph:
        assert np.ones(50_000_000, dtype=np.uint8).all()
        return extract(self, asked, context)

    monkeypatch.setattr(Importance, "extract", costly)
    run(sample_workspace, questions, CHOSEN, tmp_path / "warm.jsonl", TaskContext())
    rows = run(sample_workspace, questions, CHOSEN, tmp_path / "run.jsonl", TaskContext())
    peaks = {each.composition: each.peak for each in summarised(rows)}
    assert min(peaks["no-12"] or 0, peaks["no-1"] or 0) > 40_000_000 > (peaks["graph"] or 0)


def test_rows_of_before_there_was_memory_are_read(tmp_path: Path) -> None:
    record = asdict(lab_row("a", "1", 1.0))
    del record["scored_tokens"], record["peak"]
    lines = ({"format": "clew-lab-1"}, {"digest": "x", **record})
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (row,) = read_run(tmp_path / "old.jsonl")
    assert (row.scored_tokens, row.peak) == (0, None)
    assert summarised([row])[0].peak is None


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


def lab_row(composition: str, question: str, recall: float, kind: str = "one") -> LabRow:
    measures = {"recall@5": recall} | ({"reach": 1.0} if recall else {})
    return LabRow(
        composition, question, f"{question}?", kind, {"all": recall}, 0, 1, 2, 3, (), "", 0.0, 5, measures
    )


def test_figures_are_means_over_the_questions_that_all_answered() -> None:
    rows = [
        lab_row("a", "1", 1.0),
        lab_row("a", "2", 0.0),
        lab_row("a", "3", 0.0),
        lab_row("b", "1", 1.0),
        lab_row("b", "2", 1.0),
    ]
    first, second = summarised(rows)
    assert (first.questions, first.figures["recall@5"], second.figures["recall@5"]) == (2, 0.5, 1.0)
    assert first.figures["reach"] == 1.0, "of the questions that have the figure"
    assert first.against == 1.0 and second.against > 0.05
    assert first.sure.low == 0.0 and first.sure.high == 1.0 and second.sure.low == second.sure.high == 1.0
    assert summarised(rows, "other") == []


def test_a_question_without_gold_is_no_question_that_was_failed() -> None:
    rows = [lab_row("a", "1", 1.0), replace(lab_row("a", "2", 1.0), measures={"right": 0.0})]
    (summary,) = summarised(rows)
    assert (summary.questions, summary.figures["recall@5"], summary.figures["right"]) == (2, 1.0, 0.0)
    assert summary.sure.low == summary.sure.high == 1.0


def test_quotes_are_found_where_they_stand(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    one = questions[0]
    (path,) = one.supporting
    passages = sample_workspace.retrieval.asker().view.corpus.passage_ids
    text = sample_workspace.passages.get(passages[0]).text.split("\n")[0]
    asked = [
        replace(one, quotes=(Quote(path, text),)),
        replace(one, id="other", quotes=(Quote(path, "stands nowhere at all"),)),
    ]
    found = run(sample_workspace, asked, {"no-12": CHOSEN["no-12"]}, tmp_path / "r.jsonl", TaskContext())
    wanted = [any(text in sample_workspace.passages.get(id).text for id in row.passages[:5]) for row in found]
    assert found[0].measures["quote recall@5"] == float(wanted[0])
    assert found[1].measures["quote recall@5"] == 0.0
    assert found[0].measures["recall@5"] == found[1].measures["recall@5"]


def test_many_questions_separate_two_compositions() -> None:
    chance = np.random.default_rng(2)
    rows = [lab_row("a", str(at), float(chance.random() < 0.4)) for at in range(200)]
    rows += [lab_row("b", str(at), 1.0) for at in range(200)]
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
    result = CliRunner().invoke(group, [*wanted, "--out", str(out), "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)["compositions"]
    assert [each["composition"] for each in found] == ["no-12", "graph"]
    output = CliRunner().invoke(group, ["lab", "report", str(out)], catch_exceptions=False).stdout
    assert all(
        column in output for column in ("recall@5", "no-12", "milliseconds", "scored tokens", "peak MB")
    )
    assert "hipporag-2" in CliRunner().invoke(group, ["lab", "list"], catch_exceptions=False).stdout


def test_a_question_over_the_caps_is_one_that_failed(
    sample_path: Path,
    models: Models,
    ollama: ScriptedServer,
    questions: list[EvalQuestion],
    tmp_path: Path,
) -> None:
    """A beam asks the model step by step: with one call allowed the second is refused, and the run goes on."""
    ollama.answer = lambda body: Reply('{"chosen": [1, 2]}')
    config = asking(ollama, calls=1)
    chosen = {name: shipped_compositions()[name] for name in ("no-9", "no-12")}
    with Workspace.open(sample_path, config=config, models=models) as opened:
        rows = run(opened, questions, chosen, tmp_path / "run.jsonl", TaskContext())
    failed, found = summarised(rows)
    assert failed.failed == len(questions) and "cap of 1 calls" in failed.fault
    assert failed.figures["recall@5"] == 0.0
    assert not found.failed and found.figures["recall@5"] > 0
    assert len(read_run(tmp_path / "run.jsonl")) == 2 * len(questions)
