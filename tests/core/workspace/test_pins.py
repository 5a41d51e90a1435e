"""Pinned questions outlive re-indexing and moved files, and a run tells what got better and worse."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.config import with_settings
from core.errors import BadInput
from core.progress import Cancelled, Progress, TaskContext
from core.store.entities import NewMention
from core.store.store import Store
from core.types import Answer, Citation, Complexity, Document, Hit, Page, Passage, Policy, Route, State, Trace
from core.types.kinds import stable_id
from core.workspace import Workspace

SHIP, MASTER = "Calder Reach chartered the Grey Petrel. ", "Lucian Dragomir commanded the Grey Petrel. "
WEATHER = "It rained on Tuesday. "
QUESTION = "Who commanded the Grey Petrel?"


def put(store: Store, path: str, *parts: str, sha256: str = "") -> list[Passage]:
    """A document with a passage a part."""
    text, id = "".join(parts), stable_id("document", path)
    sha256 = sha256 or stable_id("text", text)
    starts = [sum(map(len, parts[:at])) for at in range(len(parts))]
    document = Document(
        id=id,
        path=path,
        sha256=sha256,
        size=len(text),
        title=path,
        media_type="text/plain",
        pages=0,
        state=State.DONE,
    )
    passages = [
        Passage(
            stable_id("passage", path, part),
            id,
            at,
            path,
            part.rstrip(),
            start,
            start + len(part.rstrip()),
            None,
        )
        for at, (part, start) in enumerate(zip(parts, starts, strict=True))
    ]
    pages: list[Page] = []
    store.documents.put_read(document, text, pages, passages)
    return passages


def name(store: Store, passage: Passage, surface: str) -> str:
    """Have the passage name an entity; its id."""
    key = next(
        stored.key
        for stored in store.passages.of_document(passage.document_id)
        if stored.passage.id == passage.id
    )
    at = passage.text.index(surface)
    mention = NewMention(key, surface.casefold(), surface, "PERSON", at, at + len(surface))
    with store.database.transaction() as connection:
        rows = store.entities.ensure(connection, [(mention.normal, surface, "PERSON")])
        store.entities.add_mentions(connection, [mention], rows)
    return stable_id("entity", surface.casefold())


@dataclass
class Desk:
    """A workspace of two documents whose answers are written by the test."""

    workspace: Workspace
    passages: list[Passage]
    stated: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.workspace._store

    def say(
        self, text: str, *ranked: Passage, question: str = QUESTION, route: str = "fusion", **how: Any
    ) -> Answer:
        """From now on this is answered, with passages in this order; the first is cited."""
        cited = tuple(
            Citation(p.id, p.document_id, p.title, p.title, None, p.start, p.end, p.text) for p in ranked[:1]
        )
        hits = tuple(Hit(passage.id, 1 / rank, rank) for rank, passage in enumerate(ranked, 1))
        trace = Trace(question, Route(route, Complexity(0.5, 0.3, 0.7, ())), (), (), {}, hits, 0.0)
        self.stated[question] = Answer(text, (text,), cited, (), trace, confidence=0.8, **how)
        return self.stated[question]

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5, **_: Any) -> Answer:
        context.check()
        self.asked.append((question, route, k))
        return self.stated[question]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    built: list[Desk] = []
    monkeypatch.setattr(Workspace, "ask", lambda _, *passed, **named: built[0].ask(*passed, **named))
    workspace = Workspace.open(tmp_path / "workspace", create=True)
    passages = put(workspace._store, "ship.txt", SHIP, MASTER) + put(workspace._store, "sky.txt", WEATHER)
    built.append(Desk(workspace, passages))
    return built[0]


def run(desk: Desk) -> Any:
    return desk.workspace.pins.run(TaskContext())


def test_an_answer_is_pinned_with_what_it_cites(desk: Desk) -> None:
    ship, master, _ = desk.passages
    pin = desk.workspace.pins.pin(desk.say("Lucian Dragomir", master, ship))
    assert (pin.question, pin.right_answer, pin.route) == (QUESTION, "Lucian Dragomir", "auto")
    assert [(place.document, place.quote, place.state) for place in pin.places] == [
        ("ship.txt", master.text, "same")
    ]
    other = desk.workspace.pins.pin(desk.say("Ines Holm", question="who  commanded the grey PETREL?"))
    assert desk.workspace.pins.all() == [other] and other.id == pin.id and other.right_answer == "Ines Holm"
    (remaining,) = desk.workspace.pins.all()
    desk.workspace.pins.unpin([pin.id])
    assert desk.workspace.pins.all() == []
    desk.workspace.pins.put([remaining])
    assert desk.workspace.pins.all() == [remaining]


def test_a_run_tells_route_ranks_recall_and_answer(desk: Desk) -> None:
    ship, master, sky = desk.passages
    desk.workspace.pins.pin(desk.say("Lucian Dragomir", master, ship))
    first = run(desk)
    assert desk.asked == [(QUESTION, "auto", 10)] and first.before is None
    (result,) = first.now.results
    assert (result.route, result.ranks, result.recall, result.correct) == ("fusion", (1,), 1.0, 1.0)
    assert first.changes[0].outcome == "new" and run(desk).changes[0].outcome == "same"
    desk.say("Calder Reach", sky, ship, master, route="graph")
    worse = run(desk)
    (change,) = worse.changes
    assert (change.outcome, change.losses, change.gains) == ("worse", ("answer", "rank"), ())
    assert (change.before.route, change.now.route, change.now.best_rank) == ("fusion", "graph", 3)
    desk.say("Lucian Dragomir", guess=True)
    (change,) = run(desk).changes
    assert (change.now.correct, change.now.ranks, change.now.recall) == (0.5, (None,), 0.0)
    assert change.gains == ("answer",) and change.losses == ("recall", "rank") and change.outcome == "worse"
    desk.say("Captain Lucian Dragomir", master)
    (change,) = run(desk).changes
    assert change.outcome == "better" and change.gains == ("answer", "recall", "rank")
    numbers = [each.number for each in desk.workspace.pins.runs()]
    assert numbers == [5, 4, 3, 2, 1]
    assert desk.workspace.pins.compare(1, 5).changes[0].outcome == "changed", "in words, and nothing else"
    assert desk.workspace.pins.run(TaskContext(), baseline=3).changes[0].gains == ("answer", "rank")
    with pytest.raises(BadInput, match="no run 99"):
        desk.workspace.pins.compare(1, 99)


def test_not_to_answer_can_be_right(desk: Desk) -> None:
    desk.workspace.pins.pin(desk.say("", abstained=True))
    assert run(desk).now.results[0].correct == 1.0
    desk.say("Tuesday", desk.passages[2])
    (change,) = run(desk).changes
    assert change.now.correct == 0.0 and change.losses == ("answer",) and change.now.recall is None


def test_a_place_is_found_again_by_content(desk: Desk) -> None:
    """Moved, cut into other passages, re-wrapped in a file that changed; gone, it is told as not found."""
    store, (_, master, _) = desk.store, desk.passages
    desk.workspace.pins.pin(desk.say("Lucian Dragomir", master))
    (place,) = desk.workspace.pins.all()[0].places
    store.files.exclude([])  # nothing
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM documents WHERE path = 'ship.txt'")
    assert (
        store.pins.located(place)[1] == frozenset() and desk.workspace.pins.all()[0].places[0].state == "gone"
    )
    (moved,) = put(store, "old/ship.txt", SHIP + MASTER, sha256=place.sha256)
    assert desk.workspace.pins.all()[0].places[0].state == "moved"
    now, stored = store.pins.located(place)
    assert stored == {moved.id} and now.document == "old/ship.txt"
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM documents")
    before, wrapped = put(
        store, "ship.txt", "News. ", MASTER.replace(" commanded ", "\ncommanded "), sha256="other"
    )
    now, stored = store.pins.located(place)
    assert stored == {wrapped.id} and before.id not in stored and now.start == len("News. ")
    assert desk.workspace.pins.all()[0].places[0].state == "changed"


def test_which_pins_a_decision_touches(desk: Desk) -> None:
    ship, master, sky = desk.passages
    dragomir, rain = name(desk.store, master, "Lucian Dragomir"), name(desk.store, sky, "Tuesday")
    one = desk.workspace.pins.pin(desk.say("Lucian Dragomir", master, ship))
    two = desk.workspace.pins.pin(desk.say("Tuesday", sky, question="When did it rain?"))
    api = desk.workspace.pins
    assert api.affected_by([dragomir]) == [one] and api.affected_by([rain]) == [two]
    assert api.affected_by([rain, dragomir]) == [one, two] and api.affected_by() == []
    desk.say("Lucian Dragomir", sky)  # from now on it rests on another passage
    run(desk)
    assert api.affected_by([dragomir]) == [] and len(api.affected_by([rain])) == 2
    assert api.affected_by(["nobody"], ["nothing"]) == []


def test_a_run_is_stored_complete_or_not_at_all(desk: Desk) -> None:
    with pytest.raises(BadInput, match="No question is pinned"):
        run(desk)
    for question in ("One?", "Two?", "Three?"):
        desk.workspace.pins.pin(desk.say("Yes", desk.passages[0], question=question))
    reported: list[tuple[int, int]] = []

    def progress(news: Progress) -> None:
        reported.append((news.done, news.total))

    context = TaskContext(progress, lambda: len(desk.asked) == 2)
    with pytest.raises(Cancelled):
        desk.workspace.pins.run(context)
    assert reported[0] == (0, 3) and desk.workspace.pins.runs() == []
    assert [question for question, *_ in desk.asked] == ["One?", "Two?"], (
        "in the order in which they were pinned"
    )


# ------------------------------------------------------------ files


def test_pins_come_back_from_a_file(desk: Desk, tmp_path: Path) -> None:
    master = desk.passages[1]
    pin = desk.workspace.pins.pin(desk.say("Lucian Dragomir", master))
    assert desk.workspace.pins.export_pins(tmp_path / "pins.jsonl") == 1
    with pytest.raises(BadInput, match="exists already"):
        desk.workspace.pins.export_pins(tmp_path / "pins.jsonl")
    desk.workspace.pins.unpin([pin.id])
    assert desk.workspace.pins.import_pins(tmp_path / "pins.jsonl") == (1, 0)
    (again,) = desk.workspace.pins.all()
    assert replace(again, created=pin.created) == pin


def test_words_of_a_document_that_is_taken_out_are_in_no_file(desk: Desk, tmp_path: Path) -> None:
    """The file can be read again, and a pin that rested on them alone does not become one of silence."""
    pins, master = desk.workspace.pins, desk.passages[1]
    pins.pin(desk.say("Lucian Dragomir", master))
    pins.pin(desk.say("", master, question="And who owned it?"), right_answer="")
    desk.store.files.exclude([master.document_id])
    assert pins.export_pins(tmp_path / "pins.jsonl") == 1
    pins.replace([])
    assert pins.import_pins(tmp_path / "pins.jsonl") == (1, 0)
    (pin,) = pins.all()
    assert (pin.question, pin.right_answer, pin.places) == (QUESTION, "Lucian Dragomir", ())


def test_quotes_of_a_file_are_looked_for_in_all_documents(desk: Desk, tmp_path: Path) -> None:
    lines = [
        {
            "question": QUESTION,
            "answer": "Lucian Dragomir",
            "quotes": ["commanded the Grey Petrel", "no such words"],
        },
        {"question": "Who sank it?"},
    ]
    file = tmp_path / "pins.jsonl"
    file.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert desk.workspace.pins.import_pins(file) == (2, 1)
    found = {pin.question: pin for pin in desk.workspace.pins.all()}
    first, lost = found[QUESTION].places
    assert first.document == lost.document == "" and desk.store.pins.located(lost)[1] == frozenset()
    copy = put(desk.store, "copy.txt", "A copy. " + MASTER)
    assert desk.store.pins.located(first)[1] == {desk.passages[1].id, copy[0].id}, "wherever it stands"
    assert found["Who sank it?"].places == () and found["Who sank it?"].right_answer == ""


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"answer": "no question"}',
        '{"question": "Q?", "answer": 5}',
        '{"question": "Q?", "quotes": [""]}',
        '{"question": "Q?", "route": "sideways"}',
        '{"question": "Q?", "run": "rm -rf"}',
        json.dumps({"question": "Q?", "answer": "x" * 20_001}),
    ],
)
def test_nothing_in_a_file_is_trusted(desk: Desk, tmp_path: Path, line: str) -> None:
    file = tmp_path / "pins.jsonl"
    file.write_text('{"question": "Fine?"}\n' + line, encoding="utf-8")
    with pytest.raises(BadInput):
        desk.workspace.pins.import_pins(file)
    assert desk.workspace.pins.all() == [], "all lines or none"
    file.write_text("\n \n", encoding="utf-8")
    with pytest.raises(BadInput, match="holds no question"):
        desk.workspace.pins.import_pins(file)


# ------------------------------------------------------------ baseline, passages, what changed since


def test_runs_are_compared_with_the_stored_baseline(desk: Desk) -> None:
    pins, (ship, master, _) = desk.workspace.pins, desk.passages
    assert pins.baseline() is None and pins.latest() is None
    pins.pin(desk.say("Lucian Dragomir", master, ship))
    run(desk)
    pins.keep_baseline(1)
    desk.say("Calder Reach", ship, master)
    for _ in range(2):
        found = run(desk)
        assert found.before.number == 1 and found.changes[0].losses == ("answer", "rank")
    assert pins.latest() == found and pins.baseline() == 1
    assert pins.run(TaskContext(), baseline=3).changes[0].outcome == "same", "what is named counts more"
    with pytest.raises(BadInput, match="no run 9"):
        pins.keep_baseline(9)
    pins.keep_baseline(None)
    assert run(desk).before.number == 4 and pins.baseline() is None


def test_what_changed_since_the_last_run(desk: Desk) -> None:
    pins = desk.workspace.pins
    assert pins.since_run() is None
    pins.pin(desk.say("Lucian Dragomir", desk.passages[1]))
    run(desk)
    assert not pins.since_run()
    pins.pin(desk.say("Yes", desk.passages[0], question="Is it?"))
    since = pins.since_run()
    assert since and (since.content, since.settings, since.unasked) == (False, (), 1)
    run(desk)
    desk.workspace.review.set_policy(Policy("approved"), TaskContext())
    since = pins.since_run()
    assert since and since.content and since.settings == (("facts", "all", "approved"),)
    run(desk)
    desk.workspace.config = with_settings(desk.workspace.config, ["routing.low=0.1"])
    since = pins.since_run()
    assert since and not since.content and [name for name, *_ in since.settings] == ["routing.low"]


def test_passages_that_are_expected_and_others_that_the_answer_rests_on(desk: Desk) -> None:
    pins, (ship, master, sky) = desk.workspace.pins, desk.passages
    pin = pins.pin(desk.say("Lucian Dragomir", master, ship))

    def reported() -> list[tuple[str, bool, bool | None]]:
        (pin,) = pins.all()
        return [(each.place.quote, each.expected, each.found) for each in pins.passages(pin)]

    assert reported() == [(master.text, True, True), (ship.text, False, True)]
    words = pins.place_of(sky.id, 3, 9)
    assert words.quote == "rained" and words.document == "sky.txt"
    pins.put([replace(pin, places=(words, pins.place_of(ship.id)))])
    assert reported() == [("rained", True, False), (ship.text, True, True), (master.text, False, True)]
    assert pins.gone() == {}
    with desk.store.database.transaction() as connection:
        connection.execute("DELETE FROM documents WHERE path = 'sky.txt'")
    assert pins.gone() == {pin.id: 1}
    lost = pins.passages(pins.all()[0])[0]
    assert (lost.passage_id, lost.place.quote, lost.found) == ("", "rained", False)
    assert run(desk).now.results[0].ranks == (None, 2)


# ------------------------------------------------------------ the command


def reported(capsys: pytest.CaptureFixture[str], code: int, *words: object) -> str:
    assert main(["pins", *map(str, words)]) == code
    return capsys.readouterr().out


def test_the_command_from_pin_to_loss(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, (ship, master, sky) = desk.workspace.path, desk.passages
    desk.workspace.close()
    assert "No question is pinned yet" in reported(capsys, 0, "list", place)
    desk.say("Lucian Dragomir", master, ship)
    pin = json.loads(reported(capsys, 0, "add", place, QUESTION, "--json"))
    assert pin["right_answer"] == "Lucian Dragomir" and len(pin["places"]) == 1
    assert "1 questions: 0 worse, 0 better, 0 changed, 1 new, 0 same" in reported(capsys, 0, "run", place)
    desk.say("Calder Reach", ship, sky, master, route="graph")
    displayed = reported(capsys, 1, "run", place, "--fail-on-loss")
    for words in (
        "fusion \u2192 graph",
        "1 \u2192 3",
        "Dragomir \u2192 Calder",
        "worse: answer, rank",
        "1 worse",
    ):
        assert words.split()[0] in displayed, (words, displayed)
    found = json.loads(reported(capsys, 1, "compare", place, 1, 2, "--fail-on-loss", "--json"))
    assert found["sums"]["worse"] == 1 and found["questions"][0]["now"]["best_rank"] == 3
    assert json.loads(reported(capsys, 0, "run", place, "--json"))["sums"]["same"] == 1
    assert json.loads(reported(capsys, 0, "list", place, "--json"))["baseline"] is None
    assert json.loads(reported(capsys, 0, "baseline", place, 2, "--json")) == {"baseline": 2}
    assert "compared with run 1" in reported(capsys, 0, "baseline", place, 1)
    assert json.loads(reported(capsys, 0, "run", place, "--json"))["before"]["number"] == 1
    listed = json.loads(reported(capsys, 0, "list", place, "--json"))
    assert (listed["baseline"], listed["gone"], listed["changed_since_run"]) == (1, {}, False)
    assert "with the one before" in reported(capsys, 0, "baseline", place, "none")
    assert QUESTION in reported(capsys, 0, "list", place)
    file = tmp_path / "pins.jsonl"
    assert json.loads(reported(capsys, 0, "export", place, file, "--json")) == {"written": 1}
    assert "Unpinned 1" in reported(capsys, 0, "remove", place, pin["id"])
    assert (
        "No pinned question" in json.loads(reported(capsys, 1, "remove", place, pin["id"], "--json"))["error"]
    )
    assert "Pinned 1 questions; 0 of" in reported(capsys, 0, "import", place, file)
