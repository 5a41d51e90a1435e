"""A mark follows what a document says, however its file is called or packed, and is found however a path is written."""

from __future__ import annotations

import shutil
import unicodedata
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.store.private import text_prints
from core.types.trust import PrivateReason
from core.workspace import Workspace
from tests.conftest import written

LEASE = (
    "Ragnhild Osterby rents the boathouse at Kvalvik from Torleif Munkvold.",
    "The rent is 8,400 crowns a quarter, due on the first day of the quarter.",
    "Repairs of the slipway are borne by Torleif Munkvold alone.",
    "The agreement ends on 30 September 2027 unless both extend it in writing.",
)
SALARY = (
    "Henrik Sandvig earns 61,200 crowns a year in the cooperage.",
    "His contract was renewed by Gudrun Falk on 4 May 2022.",
    "A bonus of 3,000 crowns was refused to him in December.",
)
OTHER = (
    "The ferry to Kvalvik runs twice a day in summer and once in winter.",
    "Tickets are sold at the quay by Ottar Lien.",
    "Dogs travel free of charge on all crossings.",
)
FOOTER = (
    "This message is intended for its addressee alone and may not be passed on to anybody else.",
    "If it reached you by mistake, delete it and tell the sender by telephone.",
)


def _text(*sentences: str) -> str:
    return " ".join(sentences) + "\n"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    place = tmp_path_factory.mktemp("content")
    papers = written(
        place / "papers",
        {"lease.txt": _text(*LEASE), "ferry.txt": _text(*OTHER), "Løn Café.txt": _text(*SALARY)},
    )
    (papers / "board").mkdir()
    (papers / "board" / "minutes.txt").write_text(
        "The board met in Kvalvik and chose Ottar Lien.\n", encoding="utf-8"
    )
    _box(papers)
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(papers, TaskContext())
    return place


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Path:
    """A copy of the folder and the workspace, which was indexed before anything was private."""
    shutil.copytree(template, tmp_path / "p")
    Workspace.trust(tmp_path / "p" / "w")
    return tmp_path / "p"


def _box(papers: Path) -> None:
    with zipfile.ZipFile(papers / "box.zip", "w") as archive:
        archive.writestr("sealed.txt", "Sigrun Aasen keeps the only key of the customs shed at Kvalvik.\n")
        archive.writestr("open.txt", "The customs shed is painted red.\n")


def _index(place: Path, models: Models) -> None:
    with Workspace.open(place / "w", models=models) as opened:
        opened.index(place / "papers", TaskContext(), digest=False)


def _mark(place: Path, *paths: str) -> None:
    with Workspace.open(place / "w") as opened:
        opened.private.mark(paths)


def _private(place: Path) -> dict[str, PrivateReason]:
    with Workspace.open(place / "w", read_only=True) as opened:
        return {each.path: each.reason for each in opened.private.documents()}


def _copies(papers: Path) -> set[str]:
    """Write the lease edited, in other lines and letters, packed, attached, quoted, in another Unicode form."""
    (papers / "z.txt").write_text(_text("Draft of spring.", *LEASE[:3], "Nothing else is agreed."), "utf-8")
    (papers / "lines.md").write_text("\n\n".join(sentence.upper() for sentence in LEASE), encoding="utf-8")
    with zipfile.ZipFile(papers / "old.zip", "w") as archive:
        archive.writestr("2024/contract.txt", _text(*LEASE))
        archive.writestr("2024/ferry.txt", _text(*OTHER))
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@kvalvik.example", "b@kvalvik.example", "Papers"
    message.set_content("Please find the paper that you asked for last week.\n")
    message.add_attachment(_text(*LEASE).encode(), maintype="text", subtype="plain", filename="paper.txt")
    (papers / "letter.eml").write_bytes(message.as_bytes())
    points = [f"Point {at} of the agenda concerns the quay and its lamps." for at in range(20)]
    (papers / "agenda.txt").write_text(_text(*points, *LEASE), encoding="utf-8")
    (papers / "nfd.txt").write_text(unicodedata.normalize("NFD", _text(*SALARY, *LEASE)), encoding="utf-8")
    return {"z.txt", "lines.md", "old.zip/2024/contract.txt", "letter.eml/paper.txt", "agenda.txt", "nfd.txt"}


@pytest.mark.parametrize("marked_first", [True, False])
def test_copies_are_private(marked_first: bool, place: Path, models: Models) -> None:
    if marked_first:
        _mark(place, "lease.txt")
    copies = _copies(place / "papers")
    _index(place, models)
    if not marked_first:
        _mark(place, "lease.txt")
    assert _private(place) == {
        "lease.txt": PrivateReason.MARK, **dict.fromkeys(copies, PrivateReason.CONTENT)
    }  # fmt: skip
    with Workspace.open(place / "w", models=models) as opened, opened.public_part(TaskContext()) as part:
        assert not copies & {document.path for document in part.documents.all()}


def test_what_is_taken_out_of_an_archive_is_private(place: Path, models: Models) -> None:
    _mark(place, "box.zip/sealed.txt")
    with zipfile.ZipFile(place / "papers" / "box.zip") as archive:
        archive.extract("sealed.txt", place / "papers" / "board")
    (place / "papers" / "box.zip").unlink()
    _index(place, models)
    assert _private(place) == {"board/sealed.txt": PrivateReason.CONTENT}


def test_a_person_says_otherwise_and_it_stays_so(
    place: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    papers = place / "papers"
    _mark(place, "lease.txt")
    shutil.copyfile(papers / "lease.txt", papers / "copy.txt")
    (papers / "edited.txt").write_text(_text(*LEASE[1:]), encoding="utf-8")
    _index(place, models)
    assert set(_private(place)) == {"lease.txt", "copy.txt", "edited.txt"}
    assert main(["private", "list", str(place / "w")]) == 0
    printed = capsys.readouterr().out
    assert "edited.txt: private by its content, that of lease.txt" in printed
    assert "lease.txt: private by its own mark" in printed
    with Workspace.open(place / "w") as opened:
        opened.private.unmark(["copy.txt", "edited.txt"])
    assert set(_private(place)) == {"lease.txt"}
    (papers / "edited.txt").write_text(_text(*LEASE[1:], "It was read aloud."), encoding="utf-8")
    (papers / "lease.txt").write_text(_text(*LEASE, "Signed."), encoding="utf-8")
    _index(place, models)
    assert set(_private(place)) == {"lease.txt"}
    _mark(place, "edited.txt")  # and says so again
    assert _private(place)["edited.txt"] is PrivateReason.MARK


def test_others_are_not_private_for_a_footer_or_a_word(place: Path, models: Models) -> None:
    papers = place / "papers"
    for at, sentences in enumerate(
        [LEASE, OTHER[:1], OTHER[1:], SALARY[:1], SALARY[1:], ("No.",), ("Yes.",)]
    ):
        (papers / f"mail {at}.txt").write_text(_text(*sentences, *FOOTER), encoding="utf-8")
    (papers / "quoting.txt").write_text(_text(LEASE[0], *OTHER), encoding="utf-8")
    _index(place, models)
    _mark(place, "mail 0.txt")
    assert set(_private(place)) == {"mail 0.txt", "lease.txt"}


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        (("Two words\nand more.", "two  words\n\n\nAND more."), True),
        (("Ångström", "A\u030angstro\u0308m"), True),
        (("one\ntwo", "two\none"), False),
        (("", "\n \n"), True),
        (("\ud800 lone", "\ud800  lone"), True),
    ],
)
def test_prints_are_of_what_is_stated(texts: tuple[str, str], alike: bool) -> None:
    one, other = map(text_prints, texts)
    assert (one.digest == other.digest) is alike


# ------------------------------------------------------------ paths


def test_a_path_is_found_as_people_write_it(place: Path, template: Path) -> None:
    papers = template / "papers"  # the folder that was indexed
    written_as = {
        "./board/../lease.txt": "lease.txt",
        str(papers / "board" / ".." / "lease.txt"): "lease.txt",
        f"../{papers.name}/lease.txt": "lease.txt",
        " LEASE.TXT ": "lease.txt",
        unicodedata.normalize("NFD", "løn café.TXT"): "Løn Café.txt",
        "Board/": "board",
        "BOX.zip/Sealed.txt": "box.zip/sealed.txt",
        str(papers): "",
        ".": "",
    }
    with Workspace.open(place / "w") as opened:
        for path, found in written_as.items():
            opened.private.mark([path])
            assert opened.private.marks() == [found]
            opened.private.unmark([path])
            assert opened.private.marks() == []


@pytest.mark.parametrize("command", ["mark", "unmark"])
def test_what_is_not_there_is_an_error(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for paths, words in (
        (["leese.txt"], "lease.txt"),
        (["lease.txt", "minutes.txt"], "board/minutes.txt"),
        (["../../elsewhere.txt"], "clew documents"),
        (["a" * 5000], "clew documents"),
        (["\x00"], "clew documents"),
    ):
        assert main(["private", command, str(place / "w"), *paths]) == 1
        printed = capsys.readouterr()
        assert words in printed.err and printed.out == ""
    assert _private(place) == {}


def test_unmarking_what_is_not_marked_is_an_error(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["private", "unmark", str(place / "w"), "lease.txt"]) == 1
    printed = capsys.readouterr()
    assert "private" in printed.err and printed.out == ""


def test_several_that_are_alike_are_named(place: Path, models: Models) -> None:
    (place / "papers" / "Lease.TXT").write_text(_text(*OTHER[:1]), encoding="utf-8")
    if len({path.name for path in (place / "papers").glob("[lL]ease*")}) < 2:
        return  # a disk that knows no letter case
    _index(place, models)
    with Workspace.open(place / "w") as opened:
        with pytest.raises(BadInput, match=r"lease\.txt"):
            opened.private.mark(["LEASE.TXT"])
        opened.private.mark(["Lease.TXT"])
        assert opened.private.marks() == ["Lease.TXT"]
