"""What should have been found is led back to the stage that lost it; changes are tried for real, and nothing stays."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput, Untrusted
from core.progress import Cancelled, Progress, TaskContext
from core.types import Miss, MissChange, MissMark, MissStage, NameChange, StepState
from core.workspace import Workspace
from tests.conftest import copied, indexed_once, written

pytestmark = pytest.mark.long

MENU = "".join(f'<li><a href="/{at}">Grey Petrel section {at}</a></li>' for at in range(12))
PROSE = (
    "The harbour of Setúbal was closed for three days after the storm, and no ship could leave its berth. "
    * 4
)
SHIPS = "Ada Bora Cora Dana Edda Fama Gala Hera Iris Juno Kara Lena Mara Nora".split()
TEXTS = {
    "captain.txt": "Lucian Dragomir commanded the Grey Petrel. The Grey Petrel sailed from Antwerp in March 2021.",
    "payment.txt": "The Old Lady of Antwerp was paid EUR 412,000 for her voyage. She was paid by Calder Reach Trading.",
    "visit.html": f"<html><body>{MENU}<article><h1>Visit</h1><p>{PROSE}</p></article></body></html>",
    "broken.pdf": "",
    "prices.csv": "Ship,Price\nAda,120\nBora,340\nCora,560\n",
    **{
        f"voyage {name}.txt": f"The {name} sailed from Antwerp to Lagos. The voyage of the {name} was paid for by "
        f"{name} Shipping. The Grey Petrel was seen from the {name} that day; what its voyage cost is not known."
        for name in SHIPS
    },
}
CAPTAIN = "Who commanded the Grey Petrel?"
FAR = "How much was paid for the voyage of the Grey Petrel?"


@pytest.fixture(scope="module")
def created(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed_once(tmp_path_factory, "misses", models, lambda place: written(place / "papers", TEXTS))


@pytest.fixture
def workspace(created: Path, models: Models, tmp_path: Path) -> Iterator[Workspace]:
    place = copied(created, tmp_path / "workspace")
    with Workspace.open(place, models=models) as opened:
        yield opened


def why(workspace: Workspace, question: str, document: str = "", quote: str = "", **how: object) -> Miss:
    return workspace.misses.why(question, MissMark(document=document, quote=quote), TaskContext(), **how)  # type: ignore[arg-type]


def test_an_answer_that_rests_on_it_missed_nothing(workspace: Workspace) -> None:
    found = why(workspace, CAPTAIN, "captain.txt", "Dragomir commanded")
    assert (found.lost, found.answer and found.answer.text) == (None, "Lucian Dragomir")
    assert StepState.LOST not in [step.state for step in found.steps]
    assert workspace.misses.changes(found) == []


def test_words_of_the_cited_sentence_that_are_not_the_answer(workspace: Workspace) -> None:
    found = why(workspace, CAPTAIN, "captain.txt", "commanded the Grey Petrel")
    assert (found.lost, found.words) == (MissStage.READER, "The reader took other words of it.")
    step = next(step for step in found.steps if step.stage is MissStage.READER)
    assert step.state is StepState.LOST and "“Lucian Dragomir”" in step.words
    trials = workspace.misses.try_all(found, TaskContext())
    assert trials and "cited" not in {trial.outcome for trial in trials}, (
        "it is cited already, for other words"
    )


def test_words_are_found_as_they_stand_in_the_file(workspace: Workspace) -> None:
    row = why(workspace, FAR, "prices.csv", "| Bora | 340 |")
    assert row.quote.replace("\n", " ") == "Bora; Price: 340" and row.passage_id
    assert why(workspace, FAR, "", "Bora, 340").document == "prices.csv"
    apart = why(workspace, FAR, "prices.csv", "340, Bora")
    assert [step.figure for step in apart.steps if step.state is StepState.LOST] == ["not in the text"]


@pytest.mark.parametrize(
    ("document", "quote", "stage", "figure"),
    [
        ("broken.pdf", "", MissStage.FILE, "not read"),
        ("../outside.txt", "", MissStage.FILE, "not there"),
        ("late.txt", "", MissStage.FILE, "not indexed"),
        ("", "no such words anywhere", MissStage.FILE, "in no document"),
        ("captain.txt", "no such words", MissStage.PASSAGE, "not in the text"),
        ("visit.html", "Grey Petrel section 7", MissStage.PASSAGE, "in no passage"),
    ],
)
def test_before_it_could_be_found(
    workspace: Workspace, document: str, quote: str, stage: MissStage, figure: str
) -> None:
    folder = workspace.folder
    assert folder is not None
    for name in ("late.txt", ".hidden.txt", "../outside.txt"):
        (folder / name).write_text("Later.")
    if not (folder / "link.txt").is_symlink():
        (folder / "link.txt").symlink_to(folder.parent / "outside.txt")
    found = why(workspace, CAPTAIN, document, quote)
    assert (found.lost, found.steps[-1].figure, found.answer) == (stage, figure, None)


def test_a_document_that_was_taken_out(workspace: Workspace) -> None:
    [document] = workspace.documents.find(["captain.txt"])
    workspace.documents.remove([document.id], TaskContext())
    found = why(workspace, CAPTAIN, "captain.txt")
    assert (found.lost, found.steps[-1].figure, found.again) == (MissStage.FILE, "taken out", "captain.txt")
    [trial] = workspace.misses.try_all(found, TaskContext())
    assert trial.outcome == "read"


def test_no_document_is_near_enough(workspace: Workspace) -> None:
    found = why(workspace, "how do mitochondria make energy", "captain.txt")
    assert found.lost is MissStage.GATE
    assert any(change.settings == ("control.gate=0",) for change in workspace.misses.changes(found))


def test_lost_by_the_search_and_its_ranks_are_those_of_the_answer(workspace: Workspace) -> None:
    found = why(workspace, FAR, "payment.txt")
    assert found.lost in {
        MissStage.WORDS,
        MissStage.MEANING,
        MissStage.SEEDS,
        MissStage.WALK,
        MissStage.JOIN,
        MissStage.CUT,
    }
    assert found.ranks.joined is not None and found.ranks.joined > found.ranks.read
    answer = workspace.ask(FAR, TaskContext())
    for hit in answer.trace.hits:
        mark = MissMark(passage_id=hit.passage_id)
        assert workspace.misses.why(FAR, mark, TaskContext()).ranks.joined == hit.rank


def test_a_name_for_one_trial_brings_it_nearer_and_is_gone_then(workspace: Workspace) -> None:
    """The question calls the ship as one document alone does not."""
    before = workspace.status().digest
    found = why(workspace, FAR, "payment.txt")
    ids = workspace.names.entity_ids()
    lady = next(id for name, id in ids.items() if "old lady" in name)
    change = MissChange("named", names=NameChange("alias", (lady,), "Grey Petrel"))
    trial = workspace.misses.try_change(found, change, TaskContext())
    assert trial.rank is not None and trial.rank_before is not None and trial.rank < trial.rank_before
    assert workspace.status().digest == before
    assert why(workspace, FAR, "payment.txt").ranks == found.ranks


def test_changes_are_reported_one_by_one_and_can_be_stopped(workspace: Workspace) -> None:
    found = why(workspace, FAR, "payment.txt")
    reported: list[str] = []
    trials = workspace.misses.try_all(found, TaskContext(), lambda trial: reported.append(trial.change.words))
    assert (
        reported
        == [trial.change.words for trial in trials]
        == [each.words for each in workspace.misses.changes(found)]
    )
    assert {trial.outcome for trial in trials} <= {"cited", "read", "nearer", "same", "further"}
    deeper = next((trial for trial in trials if trial.change.k), None)
    assert deeper is None or deeper.outcome in {"cited", "read"}
    assert workspace.misses.try_all(found, TaskContext(), longest=0.0) == []
    news: list[Progress] = []
    with pytest.raises(Cancelled):
        workspace.misses.try_all(found, TaskContext(news.append, lambda: bool(news)))


def test_below_the_bar_and_a_lower_one_would_have_reported_it(workspace: Workspace) -> None:
    settings = [
        "answer.min_probability=0.99",
        "answer.sure=0.99",
        "control.relevance=0",
        "control.grounding=0",
        "control.rounds=0",
    ]
    workspace.keep_settings(settings)
    found = why(workspace, CAPTAIN, "captain.txt", "commanded the Grey Petrel")
    assert found.lost is MissStage.BAR
    first = workspace.misses.changes(found)[0]
    assert first.settings[0].startswith("answer.min_probability=")
    assert workspace.misses.try_change(found, first, TaskContext()).outcome == "cited"


def test_what_a_change_does_to_pins(workspace: Workspace) -> None:
    workspace.pins.add(CAPTAIN, TaskContext())
    none = workspace.misses.effect_on_pins(MissChange("", settings=("retrieval.rrf_k=20",)), TaskContext())
    assert (none.total, none.affected, none.same) == (1, (), 1)
    bar = MissChange("", settings=("answer.min_probability=1", "answer.sure=1"))
    worse = workspace.misses.effect_on_pins(bar, TaskContext())
    assert (worse.count("worse"), worse.same) == (1, 0)
    for effect in (none, worse):
        reported = sum(effect.count(outcome) for outcome in ("better", "worse", "changed", "same"))
        assert reported + effect.same == effect.total, "no pinned question goes untold"
    with pytest.raises(BadInput):
        workspace.misses.effect_on_pins(MissChange("", k=20), TaskContext())
    assert workspace.pins.runs() == []


def test_stored_settings_hold_when_it_is_opened_again_and_can_be_taken_back(
    workspace: Workspace, models: Models
) -> None:
    before = workspace.misses.keep(MissChange("", settings=("answer.min_probability=0.5",)))
    workspace.keep_settings(["control.rounds=0"])
    with Workspace.open(workspace.path, models=models, read_only=True) as again:
        assert (again.config.answer.min_probability, again.config.control.rounds) == (0.5, 0)
    workspace.keep_settings(before, instead=True)
    assert (workspace.config.answer.min_probability, workspace.config.control.rounds) == (0.22, 2)
    with pytest.raises(BadInput):
        workspace.keep_settings(["reading.max_seconds=5"])


def test_nothing_is_stored_or_read_again_where_it_is_not_trusted(
    created: Path, models: Models, tmp_path: Path
) -> None:
    place = shutil.copytree(created, tmp_path / "received")
    with Workspace.open(place, models=models) as opened:
        assert not opened.trusted
        found = why(opened, CAPTAIN, "broken.pdf")
        with pytest.raises(Untrusted):
            opened.misses.try_all(found, TaskContext())
        with pytest.raises(Untrusted):
            opened.misses.keep(MissChange("", settings=("answer.min_probability=0.5",)))


@pytest.mark.usefixtures("lent_models")
def test_on_the_command_line(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(workspace.path)
    assert main(["ask", place, FAR, "--explain", "payment.txt", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["lost"] and reported["steps"][0]["stage"] == "file" and reported["trials"]
    words = ["--explain", "text:Dragomir commanded"]
    assert main(["ask", place, CAPTAIN, *words]) == 0
    assert "nothing was missed" in capsys.readouterr().out
    assert main(["ask", place, CAPTAIN, *words, "--explain", "captain.txt", "--json"]) == 0
    mark = json.loads(capsys.readouterr().out)["mark"]
    assert (mark["document"], mark["quote"]) == ("captain.txt", "Dragomir commanded")
    passage = ["--explain", f"passage:{reported['passage_id']}"]
    assert main(["ask", place, FAR, *passage, "--no-try", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["passage_id"], found["trials"]) == (reported["passage_id"], [])
    assert main(["ask", place, FAR, "--explain", "payment.txt", "--keep", "99"]) == 1
    assert "There is no change 99" in capsys.readouterr().err
    settings = [each["change"]["settings"] for each in reported["trials"]]
    number = next(at for at, changed in enumerate(settings, start=1) if changed)
    assert main(["ask", place, FAR, "--explain", "payment.txt", "--keep", str(number)]) == 0
    assert "it holds for this workspace" in capsys.readouterr().out
    assert main(["ask", place, CAPTAIN, "--explain", "text: "]) == 1
    for wrong in (
        ["--keep", "1"],
        ["--no-try"],
        [*passage, *words],
        [*words, *passage],
        [*words, *words],
        [*words, "--propose"],
    ):
        assert main(["ask", place, CAPTAIN, *wrong]) == 2, wrong
