"""Who may not see a document finds no word of it: in no answer, no export, no byte of what is read for them."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from core.answering.models import Models
from core.cli import group, main
from core.errors import BadInput, Untrusted, WorkspaceError
from core.progress import TaskContext
from core.store.cutting import COPIED
from core.store.schema import migrate
from core.types import Document, MissMark, Scope
from core.types.private import PrivateMark
from core.workspace import Workspace
from core.workspace.review import ANY

# Each text has a name, a verb and a ship that no other has; all share the harbour.
TEXTS = {
    "a.txt": "Anselm Quorvik founded the Zephyrine in Tallinn in 1998. Anselm Quorvik detested herrings. "
    "The Zephyrine sailed to Bergen on 3 May 2001.",
    "b.txt": "Berenike Oltmann commands the Halcyonide. Berenike Oltmann scuttled a dinghy in Tallinn. "
    "The Halcyonide sailed to Bergen on 4 June 2002.",
    "c.txt": "Casimir Dreyvold owns the Marigoldine. Casimir Dreyvold embezzled guilders in Tallinn. "
    "The Marigoldine sailed to Bergen on 5 July 2003.",
    "d.txt": "Dorothea Ekblad hired Fridolin Gantz in Tallinn. Dorothea Ekblad bequeathed a lighthouse. "
    "Fridolin Gantz sailed to Bergen on 6 August 2004.",
}
OWN = {
    "a.txt": ("Anselm", "Quorvik", "Zephyrine", "herring"),
    "b.txt": ("Berenike", "Oltmann", "Halcyonide", "scuttled", "dinghy"),
    "c.txt": ("Casimir", "Dreyvold", "Marigoldine", "embezzled", "guilders"),
    "d.txt": ("Dorothea", "Ekblad", "Fridolin", "Gantz", "bequeathed", "lighthouse"),
}
NOT_COPIED = {
    # made anew of what is copied
    *("layout", "synonyms", "name_cells", "name_grid", "name_blocks", "merges", "signs", "touched_entities"),
    *(
        "touched_facts",
        "touched_documents",
        "touched_names",
        "touched_words",
        "touched_communities",
        "lower_counts",
    ),
    *("names_to_link", "communities", "community_members", "community_reports", "communities_to_tell"),
    *("community_titles", "passages_text", "passage_senses", "grouped_documents", "graph_updates"),
    *("decisions", "review_acts", "review_items", "undone_acts", "stated_triples"),  # carried over
    # what people wrote, asked or judged, and what else may hold words of any document
    *(
        "entity_overrides",
        "split_mentions",
        "judged_answers",
        "judged_places",
        "judged_explanations",
        "judged_links",
        "pinned_questions",
    ),
    *(
        "pinned_places",
        "pin_evidence",
        "pin_runs",
        "pin_results",
        "recent_evidence",
        "asked_questions",
        "replies",
    ),
    *("excluded", "private_marks", "private_places", "profiles", "document_choices"),
    *("private_texts", "private_prints", "private_contents", "private_releases", "private_unchecked"),
    "settings",  # by name
    *("snapshot_log", "snapshot_points", "snapshot_changes"),  # of a snapshot that is kept
    *("lines", "repeated_lines", "touched_lines"),  # for cutting passages anew, which none of these does
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    place = tmp_path_factory.mktemp("private")
    (place / "papers").mkdir()
    for name, text in TEXTS.items():
        (place / "papers" / name).write_text(text, encoding="utf-8")
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(place / "papers", TaskContext())
        opened.private.set_profile("guest")
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A folder `papers` and its workspace `w`, with a profile `guest` and nothing private."""
    shutil.copytree(made, tmp_path / "p")
    Workspace.trust(tmp_path / "p" / "w")
    return tmp_path / "p"


def marked(place: Path, paths: Sequence[str], name: str = "private") -> Path:
    with Workspace.open(place / "w") as opened:
        opened.private.mark(paths, name)
    return place / "w"


def seen(place: Path, models: Models, profile: str = "guest") -> set[str]:
    with Workspace.open(place / "w", profile=profile, models=models) as opened:
        return {document.path for document in opened.documents.all()}


def index(place: Path, models: Models) -> None:
    with Workspace.open(place / "w", models=models) as opened:
        opened.index(place / "papers", TaskContext(), digest=False)


def told(text: str, hidden: Sequence[str]) -> list[str]:
    return [word for path in hidden for word in OWN[path] if word.casefold() in text.casefold()]


QUESTION = "Who sailed to Bergen, and what happened in Tallinn?"
COMMANDS = (
    *(("ask", "{w}", QUESTION, "--route", route) for route in ("auto", "lexical", "dense", "fusion", "graph",
      "lab:hybrid", "lab:hierarchical", "global")),
    ("ask", "{w}", "What are the main themes?", "--json"),
    ("ask", "{w}", "Who are the key people?", "--json"),
    ("ask", "{w}", "What happened when?", "--route", "global"),
    ("ask", "{w}", QUESTION, "--explain", "text:sailed to Bergen"),
    ("ask", "{w}", QUESTION, "--explain", "{hidden}"),
    ("status", "{w}", "--json"),
    ("documents", "{w}", "--json"),
    ("names", "show", "{w}", "Bergen"),
    ("names", "list", "{w}", "--json"),
    ("review", "list", "{w}"),
    ("review", "log", "{w}"),
    ("pins", "list", "{w}"),
    ("reports", "{w}"),
    ("verify", "{w}"),
    ("export", "{w}", "{out}/g.json"),
    ("export", "{w}", "{out}/g.graphml"),
    ("export", "{w}", "{out}/g.gexf"),
    ("export", "{w}", "{out}/g.db"),
    ("backup", "{w}", "{out}/copy"),
    ("ask", "{w}", QUESTION, "--pack", "{out}/pack.zip", "--trace", "{out}/trace.json"),
    ("settings", "{w}"),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_no_command_tells_a_word_of_what_is_private(
    seed: int, place: Path, tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    hidden = chance.sample(sorted(TEXTS), chance.randint(1, 3))
    workspace = marked(place, hidden)
    with Workspace.open(workspace, models=models) as opened:  # the owner leaves traces of them everywhere
        for path in hidden:
            answer = opened.ask(f"Who is {OWN[path][0]} {OWN[path][1]}?", TaskContext())
            opened.answers.judge(answer, "wrong", OWN[path][0])
            opened.pins.pin(answer, None, OWN[path][0])
        queue = opened.review.queue(ANY)
        opened.review.decide([each.fact.id for each in queue[:2]], "rejected", f"as {OWN[hidden[0]][0]} says")
    (tmp_path / "out").mkdir()
    codes = {}
    for command in COMMANDS:
        arguments = [part.format(w=workspace, out=tmp_path / "out", hidden=hidden[0]) for part in command]
        codes[command] = main([*arguments, "--profile", "guest"])
        printed = capsys.readouterr()
        words = told(printed.out + printed.err, hidden)
        # A question's own words come back; what was asked here names nobody.
        assert words == [], (command, words, printed.out)
    refused = {command for command, code in codes.items() if code}
    assert all(command[0] == "reports" or "--explain" in command for command in refused)
    files = [*(tmp_path / "out").rglob("*"), *(workspace / "derived" / "profiles").rglob("*")]
    assert {"g.json", "g.db", "pack.zip", "clew.db"} <= {file.name for file in files}
    for file in files:
        if file.is_file():
            assert told(file.read_bytes().decode("latin-1"), hidden) == [], file


def titles(opened: Workspace) -> list[str]:
    return [opened.reports.get(community.id).title for community in opened.graph.communities()]


def test_it_is_the_workspace_that_never_had_them(place: Path, tmp_path: Path, models: Models) -> None:
    marked(place, ["b.txt", "d.txt"])
    (place / "papers" / "b.txt").unlink()
    (place / "papers" / "d.txt").unlink()
    with Workspace.open(tmp_path / "fresh", create=True, models=models) as fresh:
        expected = fresh.index(place / "papers", TaskContext())
        reports = titles(fresh)
        with Workspace.open(place / "w", profile="guest", models=models) as cut:
            status = cut.status()
            assert status.digest == expected.digest
            assert status.communities == expected.communities
            assert titles(cut) == reports
            one, other = (each.ask(QUESTION, TaskContext(), "graph") for each in (cut, fresh))
    assert one.text == other.text
    assert [each.hit.passage_id for each in one.evidence] == [each.hit.passage_id for each in other.evidence]


def test_names_and_search_and_graph_hold_nobody_of_them(place: Path, models: Models) -> None:
    marked(place, ["b.txt"])
    with Workspace.open(place / "w", profile="guest", models=models) as cut:
        assert cut.search("Berenike") == []
        assert [found.title for found in cut.search("Anselm", kinds=("entity",))] == ["Anselm Quorvik"]
        drawn = cut.graph.entities()
        assert told(" ".join(entity.name for entity in drawn), ["b.txt"]) == []
    with Workspace.open(place / "w", models=models) as whole:
        assert [found.title for found in whole.search("Berenike", kinds=("entity",))] == ["Berenike Oltmann"]


def test_a_mark_is_seen_by_those_who_see_it(place: Path, models: Models) -> None:
    marked(place, ["a.txt"], "hr")
    marked(place, ["b.txt"], "law")
    marked(place, ["c.txt"], "hr")
    marked(place, ["c.txt"], "law")
    with Workspace.open(place / "w") as opened:
        opened.private.set_profile("staff", ["hr"])
        opened.private.set_profile("board", ["hr", "law"])
    assert seen(place, models) == {"d.txt"}
    assert seen(place, models, "staff") == {"a.txt", "d.txt"}  # c.txt needs both
    assert seen(place, models, "board") == set(TEXTS)


def test_everything_may_be_private(place: Path, models: Models, capsys: pytest.CaptureFixture[str]) -> None:
    marked(place, ["."])
    assert seen(place, models) == set()
    assert main(["ask", str(place / "w"), QUESTION, "--profile", "guest"]) == 1
    assert main(["status", str(place / "w"), "--profile", "guest"]) == 0
    assert told(capsys.readouterr().out, sorted(TEXTS)) == []


@pytest.mark.long
def test_what_is_renamed_rewritten_or_swapped_stays_private(place: Path, models: Models) -> None:
    marked(place, ["a.txt"])
    papers = place / "papers"
    (papers / "a.txt").rename(papers / "z.txt")
    index(place, models)
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}
    (papers / "z.txt").write_text(TEXTS["a.txt"] + " Anselm Quorvik left.", encoding="utf-8")
    index(place, models)
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}
    for old, new in (("z.txt", "~"), ("b.txt", "z.txt"), ("~", "b.txt")):  # swapped: in doubt both are
        (papers / old).rename(papers / new)
    index(place, models)
    assert seen(place, models) == {"c.txt", "d.txt"}
    shutil.copyfile(papers / "b.txt", papers / "copy.txt")  # the private text under another name
    index(place, models)
    assert seen(place, models) == {"c.txt", "d.txt"}


@pytest.mark.long
def test_a_document_that_went_and_comes_back_is_private_still(place: Path, models: Models) -> None:
    marked(place, ["a.txt"])
    (place / "papers" / "a.txt").unlink()
    index(place, models)
    (place / "papers" / "new.txt").write_text(TEXTS["a.txt"], encoding="utf-8")
    index(place, models)
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}


@pytest.mark.long
def test_a_folder_is_private_with_what_comes_into_it_and_what_it_is_called(
    place: Path, models: Models
) -> None:
    papers = place / "papers"
    (papers / "inner").mkdir()
    index(place, models)
    marked(place, ["inner/"])  # nothing lies in it yet
    assert seen(place, models) == set(TEXTS)
    (papers / "a.txt").rename(papers / "inner" / "a.txt")
    (papers / "inner.txt").write_text("Tallinn is a harbour.", encoding="utf-8")  # beside it, not in it
    index(place, models)
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt", "inner.txt"}
    (papers / "inner").rename(papers / "outer")
    index(place, models)
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt", "inner.txt"}


@pytest.mark.long
def test_one_document_of_an_archive_is_private_by_itself(place: Path, models: Models) -> None:
    papers = place / "papers"
    with zipfile.ZipFile(papers / "box.zip", "w") as archive:
        archive.writestr("one.txt", "Ottokar Wendlin moored in Tallinn.")
        archive.writestr("two.txt", "Ludmila Harnisch moored in Bergen.")
    index(place, models)
    marked(place, ["box.zip/one.txt"])
    assert seen(place, models) == {*TEXTS, "box.zip/two.txt"}
    (papers / "box.zip").rename(papers / "crate.zip")
    index(place, models)
    assert seen(place, models) == {*TEXTS, "crate.zip/two.txt"}


def test_unmarking_and_undoing_it(place: Path, models: Models) -> None:
    marked(place, ["a.txt", "b.txt"])
    with Workspace.open(place / "w", models=models) as opened:
        gone = opened.private.unmark(["a.txt"])
        assert gone == [PrivateMark("a.txt")]
        assert seen(place, models) == {"a.txt", "c.txt", "d.txt"}
        opened.private.again(gone)
        assert seen(place, models) == {"c.txt", "d.txt"}
        opened.private.mark([""], "all")
        opened.private.unmark(["a.txt"], "all")
        assert len(opened.private.names()) == 4  # what lies in a private folder stays private


def test_a_mark_that_is_withdrawn_leaves_those_before_it(place: Path, models: Models) -> None:
    (place / "papers" / "inner").mkdir()
    index(place, models)
    marked(place, ["inner"])  # nothing lies in it yet
    with Workspace.open(place / "w", models=models) as opened:
        new = opened.private.mark(["a.txt"])
        opened.private.withdraw(new)
        assert opened.private.marks() == [PrivateMark("inner")]
        assert not opened.private.names()


@pytest.mark.long
def test_what_is_private_by_what_it_held_stays_so_when_its_own_mark_is_withdrawn(
    place: Path, models: Models
) -> None:
    marked(place, ["a.txt"])
    (place / "papers" / "a.txt").rename(place / "papers" / "z.txt")
    index(place, models)
    with Workspace.open(place / "w", models=models) as opened:
        opened.private.withdraw(opened.private.mark(["z.txt", "b.txt"]))
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}


def test_marked_while_another_indexes(place: Path, models: Models) -> None:
    """It waits for nobody but the transaction in flight, and holds at once."""
    with Workspace.open(place / "w", models=models) as indexing, indexing._writing("indexed"):
        marked(place, ["a.txt"])
        assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}


def test_a_profile_changes_nothing(place: Path, models: Models) -> None:
    workspace = marked(place, ["a.txt"])
    with Workspace.open(workspace, profile="guest", models=models) as cut:
        assert (cut.profile, cut.read_only) == ("guest", True)
        for act in (
            lambda: cut.private.unmark(["a.txt"]),
            lambda: cut.index(place / "papers", TaskContext()),
            lambda: cut.documents.remove([cut.documents.all()[0].id], TaskContext()),
            lambda: cut.watch(place / "papers", lambda news: None, TaskContext()),
        ):
            with pytest.raises(WorkspaceError, match="only reads"):
                act()
        with pytest.raises(WorkspaceError):
            cut.answers.judge(cut.ask(QUESTION, TaskContext()), "right")
        (hidden,) = [d.id for d in _all(workspace) if d.path == "a.txt"]
        assert cut.documents.text(hidden) == ""
        miss = cut.misses.why(QUESTION, MissMark(document="a.txt", quote="detested herrings"), TaskContext())
        assert (miss.steps[0].figure, cut.misses.changes(miss)) == (
            "not there",
            [],
        )  # the file is, in the folder
        assert cut.folder is not None and cut.folder.name == "papers"
        answer = cut.ask(QUESTION, TaskContext(), scope=Scope(documents=(hidden,)))
        assert answer.abstained and not answer.evidence
    with pytest.raises(BadInput, match="no profile"):
        Workspace.open(workspace, profile="nobody")


def _all(workspace: Path) -> list[Document]:
    with Workspace.open(workspace, read_only=True) as opened:
        return opened.documents.all()


def test_what_profiles_saw_goes_when_it_is_private_now(place: Path, models: Models) -> None:
    assert seen(place, models) == set(TEXTS)
    workspace = marked(place, ["a.txt"])
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}
    for file in (workspace / "derived" / "profiles").rglob("*"):
        assert not file.is_file() or told(file.read_bytes().decode("latin-1"), ["a.txt"]) == []
    before = sorted((workspace / "derived" / "profiles" / "guest").iterdir())
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}
    assert sorted((workspace / "derived" / "profiles" / "guest").iterdir()) == before  # not made twice


def test_what_else_lies_there_hinders_nobody_and_all_goes_with_the_profile(
    place: Path, models: Models
) -> None:
    assert seen(place, models) == set(TEXTS)
    profiles = place / "w" / "derived" / "profiles"
    (profiles / "guest" / ".DS_Store").write_bytes(b"of a file manager")
    marked(place, ["a.txt"])
    assert seen(place, models) == {"b.txt", "c.txt", "d.txt"}
    with Workspace.open(place / "w") as opened:
        opened.private.remove_profile("guest")
    assert list(profiles.iterdir()) == []


def test_decisions_hold_as_far_as_they_are_of_what_is_seen(place: Path, models: Models) -> None:
    with Workspace.open(place / "w", models=models) as opened:
        opened.review.decide(opened.review.ids(ANY), "rejected", "because of Berenike")
        opened.private.mark(["b.txt"])
        whole = opened.counts().facts
    with Workspace.open(place / "w", profile="guest", models=models) as cut:
        assert whole == 0
        assert cut.counts().facts == 0
        assert [act.why for act in cut.review.log()] == [""]


def test_an_untrusted_workspace_has_no_profiles(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "w", tmp_path / "stranger")
    with pytest.raises(Untrusted):
        Workspace.open(tmp_path / "stranger", profile="guest")


def test_every_command_with_a_workspace_takes_a_profile() -> None:
    """But those about the workspace as such."""

    def commands(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
        below = command.commands.items() if isinstance(command, click.Group) else ()
        return [(path, command), *(each for name, own in below for each in commands(own, f"{path} {name}"))]

    for path, command in commands(group, ""):
        names = {parameter.name for parameter in command.params}
        about = path.split()[:1] in (["private"], ["trust"])
        assert ("profile" in names) == (
            "workspace" in {p.name for p in command.params if isinstance(p, click.Argument)} and not about
        ) or about, path


def test_of_each_table_it_is_known_whether_a_profile_gets_it() -> None:
    """Who adds a table says whether its rows are of documents, to be copied, or left out: it is left out till then."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {name for (name,) in rows if not name.startswith("passages_text_")}
    assert tables == COPIED | NOT_COPIED
    assert not COPIED & NOT_COPIED
