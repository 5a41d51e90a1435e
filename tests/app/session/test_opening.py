"""Opening a document's own file: inside the folder only, and never a program without a word."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.session.opening import kind_of_file, open_original
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.progress import TaskContext
from core.types import Document, State
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW, press_offer
from tests.conftest import written

PDF, OLE = b"%PDF-1.7", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = b"PK\x03\x04"

preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")


@pytest.mark.parametrize(
    ("names", "head", "kind"),
    [
        ("Report.pdf x.pdf. notes.txt a.md Übersicht.HTML letter.eml sheet.csv scan.tiff x.epub", b"Dear", "document"),
        ("a.docx b.xlsx c.pptx d.odt e.zip f.epub", ZIP, "document"),
        ("mail.msg", OLE, "document"),
        # Windows
        ("a.exe b.BAT c.cmd d.com e.scr f.pif g.js h.jse i.vbs j.vbe k.wsf l.wsh", b"", "program"),
        ("a.ps1 b.msi c.msp d.hta e.cpl", b"", "program"),
        ("a.lnk b.url c.reg d.jar e.chm f.application g.appref-ms h.settingcontent-ms i.iso j.vhd", b"", "program"),
        ("invoice.pdf.exe x.exe. x.EXE..", b"", "program"),
        ("invoice\u202efdp.exe", b"", "program"),
        # macOS
        ("a.app b.command c.terminal d.tool e.workflow f.scpt g.pkg h.dmg", b"", "program"),
        ("a.webloc b.inetloc c.fileloc", b"", "program"),
        # Linux
        ("a.desktop b.AppImage c.run d.sh e.py f.pl", b"", "program"),
        # by what they are, whatever they are called
        ("report.pdf notes", b"MZ\x90", "program"),
        ("report.pdf notes", b"\x7fELF", "program"),
        ("report.pdf notes", b"\xcf\xfa\xed\xfe", "program"),
        ("notes.txt notes", b"#!/bin/sh", "program"),
        ("a.docm b.xlsm c.pptm d.doc e.xls f.ppt", ZIP, "macros"),
        ("letter.rtf letter.csv letter.docx", OLE, "macros"),
        ("letter.rtf table.csv", ZIP, "unknown"),
        ("README x.foo", b"text", "unknown"),
    ],
)  # fmt: skip
def test_what_a_file_is(names: str, head: bytes, kind: str) -> None:
    found = {name: kind_of_file(name, head) for name in names.split(" ")}
    assert found == dict.fromkeys(found, kind)


def test_the_mark_of_a_program_counts_where_the_name_says_nothing() -> None:
    """On disks of another system every file may carry it."""
    assert kind_of_file("report.pdf", PDF, executable=True) == "document"
    assert kind_of_file("report", b"echo", executable=True) == "program"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was handed to the system."""
    files: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: files.append(QUrl(url).toLocalFile()) or True
    )
    yield files


@pytest.fixture(scope="module")
def indexed_folder(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of its own beside it."""
    folder = written(tmp_path_factory.mktemp("opening") / "papers", {"a.txt": "Ines Holm lives in Bergen."})
    workspace = Workspace.open(folder.parent / "workspace", create=True, models=models)
    workspace.index(folder, TaskContext(), digest=False)
    workspace.close()
    return folder


@pytest.fixture
def place(window: MainWindow, session: Session, indexed_folder: Path) -> Iterator[Path]:
    """The folder of the open workspace."""
    session.set_workspace(Workspace.open(indexed_folder.parent / "workspace", read_only=True))
    yield indexed_folder
    for each in indexed_folder.iterdir():
        if each.name != "a.txt":
            each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
    (indexed_folder.parent / "secret.pdf").unlink(missing_ok=True)


def document(path: str, file: str = "") -> Document:
    return Document("1", path, "", 0, path, "", state=State.DONE, file=file or path)


def test_a_document_is_opened_at_once(place: Path, session: Session, opened: list[str]) -> None:
    (place / "a & b.pdf").write_bytes(PDF)
    open_original(session, document("a & b.pdf"))
    assert opened == [str(place / "a & b.pdf")]


def test_a_program_is_asked_about_by_its_true_name(
    qtbot: QtBot, window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    name = "invoice\u202efdp.command"
    (place / name).write_bytes(b"rm -rf ~")
    open_original(session, document(name))
    assert opened == []
    assert window.messages.text() == r"“invoice\u202efdp.command” is a program. Opening it runs it."
    press_offer(qtbot, window)
    assert opened == [str(place / name)]


def test_consent_is_for_what_was_asked_about(
    qtbot: QtBot, window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    (place / "report.docm").write_bytes(ZIP)
    open_original(session, document("report.docm"))
    assert "may hold macros" in window.messages.text()
    (place / "report.docm").write_bytes(b"MZ")
    press_offer(qtbot, window)
    assert opened == [] and "is a program" in window.messages.text()


def test_a_part_opens_the_file_that_holds_it(
    window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    (place / "all.zip").write_bytes(ZIP)
    open_original(session, document("all.zip/inside/run.sh", "all.zip"))
    assert opened == [str(place / "all.zip")] and "lies in all.zip" in window.messages.text()


def test_nothing_outside_the_folder_is_opened(
    window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    (place.parent / "secret.pdf").write_bytes(PDF)
    (place / "link.pdf").symlink_to("../secret.pdf")
    (place / "linked").symlink_to("..")
    for path in ("../secret.pdf", "link.pdf", "linked/secret.pdf", "/etc/passwd"):
        open_original(session, document(path))
        assert opened == [] and "lies outside the workspace's folder" in window.messages.text()
        window.messages.dismiss()


def test_a_link_within_the_folder_is_judged_by_its_target(
    window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    (place / "run.sh").write_text("x", encoding="utf-8")
    (place / "report.pdf").symlink_to("run.sh")
    open_original(session, document("report.pdf"))
    assert opened == [] and "“run.sh” is a program" in window.messages.text()


def test_what_is_no_regular_file_is_not_opened(
    window: MainWindow, place: Path, session: Session, opened: list[str]
) -> None:
    os.mkfifo(place / "pipe.pdf")
    (place / "folder.app").mkdir()
    (place / "circle.pdf").symlink_to("circle.pdf")
    for path, told in (
        ("pipe.pdf", "no regular file"),
        ("folder.app", "no regular file"),
        ("circle.pdf", "no longer where"),
        ("gone.pdf", "no longer where"),
        ("a\0b.pdf", "no longer where"),
    ):
        open_original(session, replace(document("x"), path=path, file=path))
        assert opened == [] and told in window.messages.text()
