"""How questions go is kept by a real workspace, without a word of them; added up against a slow count by hand."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.__main__ import main
from core.answering.models import Models
from core.answering.reliability import wilson
from core.errors import WorkspaceError
from core.progress import TaskContext
from core.types import Answer, AskedQuestion, Stage
from core.workspace import Workspace
from core.workspace.answer_statistics import ENOUGH, all_together, asked_question, summarised
from tests.conftest import copied, written

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Who founded Calder Reach Trading?"
ASKED = AskedQuestion("2026-09-03T10:00:00+00:00", "graph", False, False, "answer", 0.6, 1.5, 700, 3, 2)


@pytest.fixture
def workspace(names_path: Path, tmp_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(copied(names_path, tmp_path / "workspace"), models=models)
    yield opened
    opened.close()


def kept(workspace: Workspace) -> list[AskedQuestion]:
    return workspace._store.monitoring.questions()


def asked(workspace: Workspace, question: str = QUESTION, **how: str) -> Answer:
    answer = workspace.ask(question, TaskContext(), **how)
    workspace.monitoring.note(answer)
    return answer


# ------------------------------------------------------------ what is kept


def test_a_question_leaves_a_row_and_no_word(workspace: Workspace) -> None:
    answer = asked(workspace)
    (row,) = kept(workspace)
    assert (row.route, row.forced, row.own) == (answer.trace.route.name, False, False)
    assert row.seconds == answer.trace.seconds and row.score == answer.trace.route.complexity.score
    assert row.kind == ("refusal" if answer.abstained else "guess" if answer.guess else "answer")
    assert row.documents == len({each.passage.document_id for each in answer.evidence}) > 0
    assert 1 <= row.communities <= len(answer.evidence)
    words = sum(len(each.passage.text.split()) for each in answer.evidence)
    assert words <= row.tokens <= 4 * words
    (columns,) = workspace._store.database.connection().execute(
        "SELECT count(*) FROM pragma_table_info('asked_questions') WHERE type = 'TEXT'"
    ).fetchone()  # fmt: skip
    assert columns == 3, "moment, route and kind: no place for words"


def test_routes_that_a_person_chose_are_told_apart(workspace: Workspace) -> None:
    asked(workspace, route="dense")
    asked(workspace, "Which river flows through the capital of Peru?")
    first, second = kept(workspace)
    assert (first.route, first.forced) == ("dense", True)
    assert (second.kind, second.forced) == ("refusal", False)


def test_the_gate_tables_and_the_adopted_composition_have_their_names(workspace: Workspace) -> None:
    answer = workspace.ask(QUESTION, TaskContext())
    route = answer.trace.route
    shut = replace(answer, evidence=(), citations=(), abstained=True, trace=replace(answer.trace, hits=()))
    assert asked_question(shut).route == "none"
    own = replace(answer, trace=replace(answer.trace, route=replace(route, name="lab:mine")))
    assert asked_question(own).own
    table = replace(answer.trace, stages=(*answer.trace.stages, Stage("table", 0.1)))
    assert asked_question(replace(answer, trace=table)).route == "table"
    forced = replace(own, trace=replace(own.trace, route=replace(own.trace.route, forced=True)))
    assert not asked_question(forced).own


def test_it_can_be_turned_off_forgotten_and_brought_back(workspace: Workspace) -> None:
    asked(workspace)
    workspace.monitoring.keep(False)
    assert not workspace.monitoring.keeps
    asked(workspace)
    assert len(kept(workspace)) == 1
    workspace.monitoring.keep(True)
    before = workspace.monitoring.forget()
    assert kept(workspace) == [] and len(before) == 1
    workspace.monitoring.put(before)
    assert kept(workspace) == before


def test_off_stays_off_for_the_next_who_opens_it(workspace: Workspace) -> None:
    workspace.monitoring.keep(False)
    again = Workspace.open(workspace.path, read_only=True)
    try:
        assert not again.monitoring.keeps
    finally:
        again.close()


def test_where_nothing_can_be_written_nothing_fails(workspace: Workspace, models: Models) -> None:
    answer = workspace.ask(QUESTION, TaskContext())
    reader = Workspace.open(workspace.path, read_only=True, models=models)
    try:
        reader.monitoring.note(answer)
        assert reader.monitoring.questions().all.count == 0
    finally:
        reader.close()
    with workspace._store.database.transaction():
        other = Workspace.open(workspace.path, models=models)
        other.monitoring.note(answer)  # another one writes: given up after a moment
        other.close()
    assert kept(workspace) == []


def test_a_folder_that_may_only_be_read(
    workspace: Workspace, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = workspace.ask(QUESTION, TaskContext())
    workspace.close()
    before = (workspace.path / "clew.db").read_bytes()
    monkeypatch.setattr("core.store.database.writable", lambda _: False)
    reader = Workspace.open(workspace.path, models=models)
    try:
        reader.monitoring.note(answer)
        assert reader.read_only and reader.monitoring.questions().all.count == 0
    finally:
        reader.close()
    assert (workspace.path / "clew.db").read_bytes() == before


def test_what_is_not_trusted_keeps_nothing(names_path: Path, tmp_path: Path, models: Models) -> None:
    place = Path(shutil.copytree(names_path, tmp_path / "from elsewhere"))
    opened = Workspace.open(place, models=models)
    try:
        assert not opened.trusted
        opened.monitoring.note(opened.ask(QUESTION, TaskContext()))
        assert kept(opened) == []
    finally:
        opened.close()


@pytest.mark.long
def test_two_processes_keep_theirs(workspace: Workspace) -> None:
    script = (
        "import sys; from pathlib import Path; from core.workspace import Workspace; from core.types import *\n"
        "w = Workspace.open(Path(sys.argv[1]))\n"
        "for n in range(40): w._store.monitoring.put([AskedQuestion('2026-09-03T10:00:00+00:00', 'graph', False, False,"
        " 'answer', 0.5, 1.0, n, 1, 1)])\n"
    )
    command = [sys.executable, "-c", script, str(workspace.path)]
    running = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) for _ in range(2)]
    for each in running:
        assert each.wait(120) == 0, each.stderr and each.stderr.read()
        assert each.stderr is not None
        each.stderr.close()
    assert sorted(row.tokens for row in kept(workspace)) == sorted([*range(40), *range(40)])


# ------------------------------------------------------------ added up


def questions(count: int, seed: int = 1) -> list[AskedQuestion]:
    draw, begin = random.Random(seed), datetime(2026, 9, 1, 12, tzinfo=UTC)
    return [
        replace(
            ASKED,
            made=(begin + timedelta(hours=5 * n)).isoformat(),
            route=draw.choice(["graph", "graph", "dense", "fusion"]),
            kind=draw.choice(["answer", "guess", "refusal"]),
            seconds=draw.random() * 3,
            documents=draw.randrange(4),
            forced=draw.random() < 0.2,
        )
        for n in range(count)
    ]


def test_sums_are_those_counted_by_hand() -> None:
    rows = questions(101)
    found = all_together(rows)
    ordered = sorted(row.seconds for row in rows)
    assert found.median == ordered[50]
    assert found.slow == next(s for s in ordered if sum(o <= s for o in ordered) >= 0.95 * 101)
    assert found.refused == pytest.approx(sum(row.kind == "refusal" for row in rows) / 101)
    assert found.share("graph") == pytest.approx(sum(row.route == "graph" for row in rows) / 101)
    assert found.share("none of them") == 0 and sum(count for _, count in found.routes) == 101
    based = [row.documents for row in rows if row.documents]
    assert found.documents == pytest.approx(sum(based) / len(based))


@pytest.mark.parametrize("by", ["day", "week"])
def test_each_question_is_in_the_bucket_of_its_day(by: str) -> None:
    rows = questions(60)
    found = summarised(rows, "week" if by == "week" else "day")
    days = [datetime.fromisoformat(row.made).astimezone().date() for row in rows]
    if by == "week":
        days = [day - timedelta(days=day.weekday()) for day in days]
    assert [(one.begin, one.count) for one in found.over_time] == [
        (day.isoformat(), days.count(day)) for day in sorted(set(days))
    ]
    assert found.all.count == 60 and found.all.begin == "2026-09-01"


def test_one_way_for_nearly_all_is_told() -> None:
    free = [replace(ASKED, route="graph")] * 17 + [replace(ASKED, route="dense")] * 3
    chosen = [replace(ASKED, route="lexical", forced=True), replace(ASKED, route="none")] * 20
    found = summarised([*free, *chosen], "day")
    assert (found.one_sided, found.one_sided_share) == ("graph", 0.85)
    assert summarised(free[:16] + free[17:] * 2, "day").one_sided == "", "16 of 22 are not"
    assert summarised(free[: ENOUGH - 1], "day").one_sided == "", "too few to tell"
    assert summarised([], "day").all.count == 0


@pytest.mark.parametrize(("hits", "of"), [(0, 0), (0, 5), (5, 5), (9, 10), (50, 100)])
def test_the_interval_holds_where_the_share_is_two_errors_away(hits: int, of: int) -> None:
    low, high = wilson(hits, of)
    if not of:
        assert (low, high) == (0, 1)
        return
    # Wilson's bounds are the shares p whose distance to what was seen is just 1.96 standard errors of p.
    inside = [p / 10_000 for p in range(10_001) if abs(hits / of - p / 10_000) ** 2 * of
              <= 1.96**2 * (p / 10_000) * (1 - p / 10_000) + 1e-12]  # fmt: skip
    assert (min(inside), max(inside)) == pytest.approx((low, high), abs=2e-4)


# ------------------------------------------------------------ links and drift


def test_a_sample_shows_names_in_their_sentences(workspace: Workspace) -> None:
    sample = workspace.monitoring.sample(seed=4)
    assert sample.mentions and sample == workspace.monitoring.sample(seed=4)
    for mention in sample.mentions:
        text = workspace.documents.text(mention.document_id)
        start, end = mention.mark
        assert text[slice(*mention.place)] == mention.sentence[start:end] != ""
        assert mention.sentence in text and mention.document in ("a.txt", "b.txt", "c.txt")
        assert workspace.graph.entity(mention.entity_id).name == mention.entity
    assert any("Tobias" in m.entity and m.others for m in sample.mentions)
    workspace.monitoring.judge(sample.mentions[0], "wrong")
    again = workspace.monitoring.sample(seed=4)
    assert again.mentions[0].verdict == "wrong" and (again.right, again.wrong) == (0, 1)
    assert workspace.monitoring.recounted(sample).wrong == 1


@pytest.mark.long
def test_drift_follows_what_the_engine_did(tmp_path: Path, models: Models) -> None:
    texts = {f"{n:02}.txt": f"Ada Holm{n} founded Reach{n} Trading in Bergen. Reach{n} Trading owns the Gannet{n}."
             for n in range(40)}  # fmt: skip
    folder = written(tmp_path / "papers", texts)
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    try:
        opened.index(folder, TaskContext(), digest=False)
        first = opened.monitoring.drift()
        assert first.known and first.share == 0 and first.facts_changed == 0
        assert [one.anew for one in first.updates] == [True]
        (folder / "00.txt").write_text(texts["00.txt"].replace("Bergen", "Riga"))
        opened.index(folder, TaskContext(), digest=False)
        small = opened.monitoring.drift()
        assert (small.added, small.changed, small.removed) == (0, 1, 0) and small.share == pytest.approx(
            1 / 40
        )
        assert not small.updates[0].anew and 0 < small.updates[0].share <= small.limit
        assert small.facts_changed == small.updates[0].changed
        for n in range(40, 56):
            (folder / f"{n}.txt").write_text(
                f"Bo Strand{n} founded Mills{n} in Riga. Mills{n} owns the Petrel{n}."
            )
        opened.index(folder, TaskContext(), digest=False)
        large = opened.monitoring.drift()
        assert large.updates[0].anew and large.updates[0].share > large.limit
        assert (large.share, large.facts_changed) == (0, 0)
    finally:
        opened.close()


# ------------------------------------------------------------ the command line


def test_status_tells_it_in_two_lines(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(workspace.path)
    main(["status", path])
    assert "questions" not in capsys.readouterr().out
    workspace.monitoring.put([replace(ASKED, seconds=s) for s in (1.0, 2.0, 4.0)])
    workspace.monitoring.put([replace(ASKED, route="dense", kind="refusal")])
    main(["status", path])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "questions    4 since 2026-09-03: graph 75%, dense 25%" in lines
    assert "latency      median 1.75 s, 95 % within 4.00 s; 25% not told, 0% guesses" in lines
    main(["status", path, "--json"])
    found = json.loads(capsys.readouterr().out)["monitoring"]
    assert found["questions"] == 4 and found["routes"] == {"graph": 0.75, "dense": 0.25}
    assert (found["median_seconds"], found["p95_seconds"], found["not_told"]) == (1.75, 4.0, 0.25)


def test_ask_keeps_its_question(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    main(["ask", str(workspace.path), QUESTION])
    assert len(kept(workspace)) == 1
    main(["ask", str(workspace.path), QUESTION, "--set", "monitoring.keep=false"])
    assert len(kept(workspace)) == 1 and "Tobias" in capsys.readouterr().out


def test_judging_needs_a_place_to_write(workspace: Workspace) -> None:
    (mention, *_) = workspace.monitoring.sample().mentions
    reader = Workspace.open(workspace.path, read_only=True)
    try:
        with pytest.raises(WorkspaceError, match="read-only"):
            reader.monitoring.judge(mention, "right")
    finally:
        reader.close()
