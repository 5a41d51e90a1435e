"""No word of a private document is in an export, a pack, a copy to give away, or a request to another machine."""

from __future__ import annotations

import contextlib
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput, CoreError, Untrusted, WorkspaceError
from core.models.hosts import allow, set_own_host
from core.progress import TaskContext
from core.store.workspace_files import WriterLock
from core.types import MissMark, Scope
from core.workspace import Workspace
from core.workspace.review import ANY
from tests.conftest import written
from tests.ollama_server import ScriptedServer

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


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    place = tmp_path_factory.mktemp("private")
    written(place / "papers", TEXTS)
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(place / "papers", TaskContext())
    return place


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Path:
    """A folder `papers` and its workspace `w`, with nothing private."""
    shutil.copytree(template, tmp_path / "p")
    Workspace.trust(tmp_path / "p" / "w")
    return tmp_path / "p"


def marked(place: Path, paths: Sequence[str]) -> Path:
    with Workspace.open(place / "w") as opened:
        opened.private.mark(paths)
    return place / "w"


@contextlib.contextmanager
def public_part(place: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(place / "w", models=models) as opened, opened.public_part(TaskContext()) as part:
        yield part


def public(place: Path, models: Models) -> set[str]:
    with public_part(place, models) as part:
        return {document.path for document in part.documents.all()}


def index(place: Path, models: Models) -> None:
    with Workspace.open(place / "w", models=models) as opened:
        opened.index(place / "papers", TaskContext(), digest=False)


def words_of(text: str, hidden: Sequence[str]) -> list[str]:
    return [word for path in hidden for word in OWN[path] if word.casefold() in text.casefold()]


QUESTION = "Who sailed to Bergen, and what happened in Tallinn?"
EXPORTS = (
    ("export", "{w}", "{out}/g.json"),
    ("export", "{w}", "{out}/g.graphml"),
    ("export", "{w}", "{out}/g.gexf"),
    ("export", "{w}", "{out}/g.db"),
    ("pins", "export", "{w}", "{out}/pins.jsonl"),
    ("review", "export", "{w}", "{out}/log.json"),
    ("backup", "{w}", "{out}/copy", "--without-private"),
)
COMMANDS = (
    *(("ask", "{w}", QUESTION, "--route", route) for route in ("auto", "graph", "lab:hierarchical", "global")),
    ("ask", "{w}", "Who are the key people?", "--json"),
    ("ask", "{w}", QUESTION, "--explain", "{hidden}"),
    ("documents", "{w}", "--json"),
    ("names", "list", "{w}", "--json"),
    ("review", "log", "{w}"),
    ("pins", "list", "{w}"),
    ("reports", "{w}"),
    ("verify", "{w}"),
    ("settings", "{w}"),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.usefixtures("lent_models")
def test_no_export_and_no_copy_has_a_word_of_what_is_private(
    place: Path, tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = ["b.txt", "d.txt"]
    workspace, out = marked(place, hidden), tmp_path / "out"
    out.mkdir()
    with Workspace.open(workspace, models=models) as opened:  # the owner leaves traces of them everywhere
        for path in hidden:
            answer = opened.ask(f"Who is {OWN[path][0]} {OWN[path][1]}?", TaskContext())
            assert words_of(answer.text, hidden)  # at this machine everything is seen
            opened.answers.judge(answer, "wrong", OWN[path][0])
            opened.pins.pin(answer, None, OWN[path][0])
        queue = opened.review.queue(ANY)
        opened.review.decide([each.fact.id for each in queue[:2]], "rejected", f"as {OWN[hidden[0]][0]} says")
        answer = opened.ask(QUESTION, TaskContext())
        opened.pack(answer, out / "window.zip", TaskContext())
        opened.write_trace(opened.traces.of(answer), out / "window.json", TaskContext())

    def run(command: Sequence[str], on: Path) -> int:
        code = main([part.format(w=on, out=out, hidden=hidden[0]) for part in command])
        printed = capsys.readouterr()
        words = words_of(printed.out + printed.err, hidden)
        # A question's own words come back; what was asked here names nobody.
        assert words == [], (command, words, printed.out)
        return code

    files_of_answer = ("--pack", str(out / "pack.zip"), "--trace", str(out / "trace.json"))
    assert main(["ask", str(workspace), QUESTION, *files_of_answer]) == 0
    capsys.readouterr()  # what is printed at this machine holds everything
    assert [command for command in EXPORTS if run(command, workspace)] == []
    Workspace.trust(out / "copy")
    refused = [command for command in COMMANDS if run(command, out / "copy")]
    assert all(command[0] == "reports" or "--explain" in command for command in refused)  # found nothing
    files = [
        file for file in (*out.rglob("*"), *(workspace / "derived" / "public").rglob("*")) if file.is_file()
    ]
    names = {file.name for file in files}
    assert {"g.json", "g.db", "pack.zip", "trace.json", "window.zip", "log.json", "clew.db"} <= names
    for file in files:
        assert words_of(_content(file), hidden) == [], file


def _content(file: Path) -> str:
    """Return the bytes of a file, and those of its members where it is a ZIP, which packs them."""
    data = file.read_bytes()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as pack:
            data += b"".join(pack.read(member) for member in pack.namelist())
    return data.decode("latin-1")


@pytest.fixture
def foreign(ollama: ScriptedServer) -> str:
    """The scripted server by an address that is not this machine, and that the person allowed."""
    return allow(set_own_host(ollama.url.replace("127.0.0.1", "0.0.0.0")).address).address


def test_a_model_on_another_machine_gets_the_public_part(
    place: Path, models: Models, ollama: ScriptedServer, foreign: str
) -> None:
    ollama.answer = lambda _: "The Zephyrine sailed to Bergen [1]."
    with Workspace.open(marked(place, ["b.txt"]), models=models) as opened:
        answer = opened.ask(QUESTION, TaskContext(), generator=f"ollama:{ollama.model}")
        assert words_of(repr(answer), ["b.txt"]) == []
        assert ollama.chats and words_of(repr(ollama.chats), ["b.txt"]) == []
        assert words_of(repr(ollama.chats), ["a.txt", "c.txt"])
        opened.ask("Who commands the Halcyonide?", TaskContext(), generator=f"ollama:{ollama.model}")
        assert "Berenike" not in repr(ollama.chats)
        set_own_host(ollama.url)
    with Workspace.open(place / "w", models=models) as opened:  # at this machine it reads everything
        opened.ask("Who commands the Halcyonide?", TaskContext(), generator=f"ollama:{ollama.model}")
        assert "Berenike" in repr(ollama.chats)


def test_nothing_of_the_documents_is_sent_elsewhere_to_build_the_graph(
    place: Path, models: Models, ollama: ScriptedServer, foreign: str
) -> None:
    marked(place, ["b.txt"])
    model = f"ollama:{ollama.model}"
    (place / "papers" / "b.txt").write_text(TEXTS["b.txt"] + " Berenike Oltmann left.", encoding="utf-8")
    with Workspace.open(place / "w", models=models) as opened:
        community = opened.graph.communities()[0].id
        acts: dict[str, Callable[[], object]] = {
            "extraction": lambda: opened.index(place / "papers", TaskContext(), extractor=model),
            "reports": lambda: opened.reports.write(
                TaskContext(), generator=model, only=[community], again=True
            ),
            "trial": lambda: opened.language_models.compare(ollama.model, 3, TaskContext()),
            "encoder": lambda: opened.ask(QUESTION, TaskContext(), settings=[f"models.encoder={model}"]),
        }
        for name, act in acts.items():
            with pytest.raises(CoreError) as refused:
                act()
            assert "not this machine" in refused.value.message or name == "encoder", name
        with pytest.raises(BadInput, match="cluster"):
            opened.index(place / "papers", TaskContext(), executor="ray:127.0.0.1:6379")
    assert ollama.chats == []


def titles(opened: Workspace) -> list[str]:
    return [opened.reports.get(community.id).title for community in opened.graph.communities()]


def test_it_is_the_workspace_that_never_had_them(place: Path, tmp_path: Path, models: Models) -> None:
    marked(place, ["b.txt", "d.txt"])
    (place / "papers" / "b.txt").unlink()
    (place / "papers" / "d.txt").unlink()
    with Workspace.open(tmp_path / "fresh", create=True, models=models) as fresh:
        expected = fresh.index(place / "papers", TaskContext())
        reports = titles(fresh)
        with public_part(place, models) as part:
            status = part.status()
            assert status.digest == expected.digest
            assert status.communities == expected.communities
            assert titles(part) == reports
            one, other = (each.ask(QUESTION, TaskContext(), "graph") for each in (part, fresh))
    assert one.text == other.text
    assert [each.hit.passage_id for each in one.evidence] == [each.hit.passage_id for each in other.evidence]


def test_what_is_renamed_or_swapped_stays_private(place: Path, models: Models) -> None:
    marked(place, ["a.txt"])
    papers = place / "papers"
    (papers / "a.txt").rename(papers / "z.txt")
    index(place, models)
    assert public(place, models) == {"b.txt", "c.txt", "d.txt"}
    for old, new in (("z.txt", "~"), ("b.txt", "z.txt"), ("~", "b.txt")):  # swapped: in doubt both are
        (papers / old).rename(papers / new)
    index(place, models)
    assert public(place, models) == {"c.txt", "d.txt"}


def test_a_document_that_went_and_comes_back_is_private_still(place: Path, models: Models) -> None:
    marked(place, ["a.txt"])
    (place / "papers" / "a.txt").unlink()
    index(place, models)
    (place / "papers" / "new.txt").write_text(TEXTS["a.txt"], encoding="utf-8")
    index(place, models)
    assert public(place, models) == {"b.txt", "c.txt", "d.txt"}


def test_a_folder_is_private_with_what_comes_into_it_and_what_it_is_called(
    place: Path, models: Models
) -> None:
    papers = place / "papers"
    (papers / "inner").mkdir()
    index(place, models)
    marked(place, ["inner/"])  # nothing lies in it yet
    assert public(place, models) == set(TEXTS)
    (papers / "a.txt").rename(papers / "inner" / "a.txt")
    (papers / "inner.txt").write_text("Tallinn is a harbour.", encoding="utf-8")  # beside it, not in it
    index(place, models)
    assert public(place, models) == {"b.txt", "c.txt", "d.txt", "inner.txt"}
    (papers / "inner").rename(papers / "outer")
    index(place, models)
    assert public(place, models) == {"b.txt", "c.txt", "d.txt", "inner.txt"}


def test_unmarking_and_undoing_it(place: Path, models: Models) -> None:
    marked(place, ["a.txt", "b.txt"])
    with Workspace.open(place / "w", models=models) as opened:
        gone = opened.private.unmark(["a.txt"])
        assert gone == ["a.txt"]
        assert public(place, models) == {"a.txt", "c.txt", "d.txt"}
        opened.private.restore(gone)
        assert public(place, models) == {"c.txt", "d.txt"}
        opened.private.mark([""])
        opened.private.unmark(["a.txt"])
        assert len(opened.private.documents()) == 4  # what lies in a private folder stays private


@pytest.mark.usefixtures("lent_models")
def test_everything_is_private_at_once_while_another_process_indexes(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], models: Models
) -> None:
    with WriterLock(place / "w"):
        marked(place, ["."])
        assert public(place, models) == set()
    assert main(["ask", str(place / "w"), QUESTION, "--pack", str(tmp_path / "pack.zip")]) == 1
    assert not (tmp_path / "pack.zip").exists()
    capsys.readouterr()  # the answer, which is seen at this machine
    assert main(["export", str(place / "w"), str(tmp_path / "g.json")]) == 0
    printed = capsys.readouterr()
    exported = (tmp_path / "g.json").read_text("utf-8")
    assert words_of(printed.out + printed.err + exported, sorted(TEXTS)) == []


def test_one_document_of_an_archive_is_private_by_itself(tmp_path: Path, models: Models) -> None:
    papers = written(tmp_path / "papers", {"c.txt": TEXTS["c.txt"]})
    with zipfile.ZipFile(papers / "box.zip", "w") as archive:
        for name in ("a.txt", "b.txt"):
            archive.writestr(name, TEXTS[name])
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        for archive_name in ("box.zip", "crate.zip"):
            (papers / "box.zip").rename(papers / archive_name)
            opened.index(papers, TaskContext(), digest=False)
            if archive_name == "box.zip":
                opened.private.mark(["box.zip/a.txt"])
            assert public(tmp_path, models) == {"c.txt", f"{archive_name}/b.txt"}


def test_what_was_public_goes_when_it_is_private_now(place: Path, models: Models) -> None:
    marked(place, ["d.txt"])
    assert public(place, models) == {"a.txt", "b.txt", "c.txt"}
    parts = place / "w" / "derived" / "public"
    (parts / ".DS_Store").write_bytes(b"of a file manager")
    marked(place, ["a.txt"])
    assert public(place, models) == {"b.txt", "c.txt"}
    files = [file for file in parts.rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert words_of(file.read_bytes().decode("latin-1"), ["a.txt", "d.txt"]) == []
    before = sorted(parts.iterdir())
    assert public(place, models) == {"b.txt", "c.txt"}
    assert sorted(parts.iterdir()) == before  # not built twice


def test_it_is_read_only_and_has_nothing_of_private_documents(place: Path, models: Models) -> None:
    marked(place, ["a.txt"])
    with Workspace.open(place / "w", models=models) as opened:
        (hidden,) = [document.id for document in opened.documents.all() if document.path == "a.txt"]
    with public_part(place, models) as part:
        assert part.read_only
        with pytest.raises(WorkspaceError):
            part.documents.remove([part.documents.all()[0].id], TaskContext())
        assert part.documents.text(hidden) == ""
        miss = part.misses.why(QUESTION, MissMark(document="a.txt", quote="detested herrings"), TaskContext())
        # The file is there, in the folder.
        assert (miss.steps[0].figure, part.misses.changes(miss)) == ("not there", [])
        assert part.folder is not None and part.folder.name == "papers"
        answer = part.ask(QUESTION, TaskContext(), scope=Scope(documents=(hidden,)))
        assert answer.abstained and not answer.evidence


def test_nothing_is_exported_from_an_untrusted_workspace_with_marks(place: Path, tmp_path: Path) -> None:
    marked(place, ["a.txt"])
    shutil.copytree(place / "w", tmp_path / "stranger")
    with Workspace.open(tmp_path / "stranger") as opened, pytest.raises(Untrusted):
        opened.export(tmp_path / "g.json", TaskContext())


def test_decisions_hold_as_far_as_they_are_of_what_is_visible(place: Path, models: Models) -> None:
    with Workspace.open(place / "w", models=models) as opened:
        opened.review.decide(opened.review.ids(ANY), "rejected", "because of Berenike")
        opened.private.mark(["b.txt"])
        complete = opened.counts().facts
    with public_part(place, models) as part:
        assert complete == 0
        assert part.counts().facts == 0
        assert [act.why for act in part.review.log()] == [""]
