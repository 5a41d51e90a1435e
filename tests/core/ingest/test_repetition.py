"""Lines that stand around the text of many saved pages or mails are in no passage, however the folder came about."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from core.answering.models import Models
from core.ingest.folder import line_hashes, repeated_blocks
from core.ingest.loaders import DocumentLoader
from core.progress import TaskContext
from core.types import BlockKind, LoadedDocument
from core.workspace import Workspace

MENU = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("Home", "Ports", "Ships", "Crews"))
PANEL = (
    "<h2>Your choice of cookies</h2><p>We and our partners keep cookies in your browser, so that this page works, "
    "and so that we learn how many people read it.</p><p>Confirm my choices</p>"
)
CLAUSE = "This report may be copied by anybody who names the harbour office as its source."
PORTS = ("Bergen", "Aalborg", "Lisbon", "Tallinn", "Gdynia")


def page(port: str, panel: str = PANEL) -> str:
    read_text = (
        f"The harbour of {port} was dredged again in the spring, and ships of nine metres may enter it. The pilots of "
        f"{port} meet them off the lighthouse. Whoever comes at night waits for the morning, as the council of {port} "
        f"has ordered it. The fees of {port} are paid at the office on the quay, which opens at eight."
    )
    return (
        f"<html><body><nav><ul>{MENU}</ul></nav><h1>{port}</h1><p>{read_text}</p><p>{CLAUSE}</p>"
        f"<p>Nobody in {port} remembers a winter as long as this one, in which the ice lay until April, and when the "
        f"ferries stayed away.</p>{panel}</body></html>"
    )


def letter(sender: str, words: str, end: str) -> bytes:
    message = EmailMessage()
    message["From"] = f"{sender} <{sender.lower().replace(' ', '.')}@example.org>"
    message["Subject"] = f"About the {words.split()[-1]}"
    message["Date"] = "Tue, 04 May 2021 10:00:00 +0000"
    message.set_content(f"Dear all,\n\n{words}\n\n{end}\n")
    return message.as_bytes()


FOOTER = "You get this because you are on the list of pilots.\n\nLeave it at lists.example.org"


def load(folder: Path, name: str, data: bytes) -> LoadedDocument:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return DocumentLoader().load(folder / name)


def cut(document: LoadedDocument, others: LoadedDocument) -> list[str]:
    """What is boilerplate of `document` where all that `others` say repeats."""
    return [document.text[b.start : b.end] for b in repeated_blocks(document, line_hashes(others))]


def test_of_a_page_what_repeats_around_its_text_is_cut(tmp_path: Path) -> None:
    one, other = (load(tmp_path, f"{port}.html", page(port).encode()) for port in PORTS[:2])
    found = cut(one, other)
    assert found == ["Your choice of cookies", *(p[:-4] for p in PANEL.split("<p>")[1:])]
    assert CLAUSE in one.text, "what repeats within the text belongs to it"


def test_a_version_of_another_page_loses_nothing(tmp_path: Path) -> None:
    one = load(tmp_path, "one.html", page("Bergen").encode())
    other = load(tmp_path, "other.html", page("Bergen").replace("until April", "until May").encode())
    assert cut(one, other) == []


def test_of_a_mail_its_end_is_cut_and_never_all_of_it(tmp_path: Path) -> None:
    one = load(tmp_path, "a.eml", letter("Ida Holm", "The ice is gone.", FOOTER))
    other = load(tmp_path, "b.eml", letter("Per Dahl", "Nobody saw the ferry.", FOOTER))
    assert cut(one, other) == FOOTER.split("\n\n")
    assert cut(one, one) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    for at, port in enumerate(PORTS):
        (folder / f"{port}.html").write_text(page(port), encoding="utf-8")
        words = f"The pilots of {port} saw the ferry."
        (folder / f"{at}.eml").write_bytes(letter(f"Ida {port}", words, FOOTER))
        (folder / f"own {at}.eml").write_bytes(
            letter("Per Dahl", words, "Per Dahl\nPilot, telephone 5550101")
        )
    return folder


def read(workspace: Workspace) -> tuple[str, str]:
    """The digest, and all that lies in passages."""
    passages = [
        passage.text
        for document in workspace.documents.all()
        for passage in workspace.passages.of_document(document.id)
    ]
    return workspace.status().digest, "\n".join(passages)


@pytest.mark.long
def test_a_folder_read_in_parts_ends_like_one_that_is_read_at_once(
    folder: Path, tmp_path: Path, models: Models
) -> None:
    complete = Workspace.open(tmp_path / "whole", create=True, models=models)
    complete.index(folder, TaskContext())
    _, read_text = read(complete)
    assert "cookies" not in read_text
    assert "list of pilots" not in read_text
    assert read_text.count("5550101") == 5, "what one person signs with is told by no other"
    assert read_text.count(CLAUSE) == 5
    document = next(d for d in complete.documents.all() if d.path == "Bergen.html")
    blocks = complete.documents.blocks(document.id, 0, 10_000)
    text = complete.documents.text(document.id)
    assert "Confirm my choices" in {
        text[b.start : b.end] for b in blocks if b.kind is BlockKind.BOILERPLATE
    }, "the reader shows it"

    parts = Workspace.open(tmp_path / "parts", create=True, models=models)
    away = tmp_path / "away"
    away.mkdir()
    later = [folder / name for name in ("Bergen.html", "Gdynia.html", "3.eml", "4.eml")]
    for path in later:
        path.rename(away / path.name)
    parts.index(folder, TaskContext())
    assert "cookies" in read(parts)[1], "three pages are too few"
    for path in later:
        (away / path.name).rename(path)
    parts.index(folder, TaskContext())
    assert read(parts) == read(complete)

    for path in later:
        path.unlink()
    parts.index(folder, TaskContext())
    few = Workspace.open(tmp_path / "few", create=True, models=models)
    few.index(folder, TaskContext())
    assert read(parts) == read(few)
    assert "cookies" in read(few)[1]
    for workspace in (complete, parts, few):
        workspace.close()
