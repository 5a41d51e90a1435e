"""Each file that cannot be read gives a reason that people understand and a remedy; none hangs."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.text.sentences import sentences

LOCKED = Path(__file__).parents[2] / "data" / "locked.pdf"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
Make = Callable[..., bytes]


def refusal(path: Path, loader: DocumentLoader | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        (loader or DocumentLoader()).load(path)
    error = caught.value
    assert error.remedy and "\n" not in str(error) and len(str(error)) < 250
    assert "Error" not in str(error) and "pdfium" not in str(error).lower()
    return error.message


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["a.pdf", "a"])
def test_zero_bytes(tmp_path: Path, name: str) -> None:
    assert refusal(put(tmp_path, name, b"")) == "The file is empty."


def test_pdf_cut_before_its_first_object_and_pdf_in_name_only(tmp_path: Path, pdf: Make) -> None:
    assert refusal(put(tmp_path, "a.pdf", pdf([["A page."]])[:60])) == "The PDF is damaged or incomplete."
    assert refusal(put(tmp_path, "b.pdf", b"this is no PDF at all")) == "The PDF is damaged or incomplete."


def test_locked_files(tmp_path: Path) -> None:
    assert refusal(LOCKED) == "The PDF is protected by a password."
    package = OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    assert refusal(put(tmp_path, "a.docx", package)) == "The file is protected by a password."


def test_pictures_need_ocr(tmp_path: Path, pdf: Make) -> None:
    assert refusal(put(tmp_path, "blank.pdf", pdf([[], []]))) == "The file holds no text."
    for name, content in {
        "a.png": PNG,
        "b.jpg": b"\xff\xd8\xff\xe0" + bytes(20),
        "c.txt": b"GIF89a" + bytes(9),
    }.items():
        assert "picture" in refusal(put(tmp_path, name, content))


def test_unknown_binary_sound_and_archives(tmp_path: Path, archive: Make) -> None:
    assert "not text" in refusal(put(tmp_path, "a.bin", bytes(range(256)) * 20))
    assert "not text" in refusal(put(tmp_path, "a.txt", b"\x7fELF\2\1\1" + bytes(500)))
    assert "sound or video" in refusal(put(tmp_path, "a.mp3", b"ID3\4" + bytes(50)))
    assert "archive" in refusal(put(tmp_path, "a.zip", archive({})))
    assert "archive" in refusal(put(tmp_path, "a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(50)))
    assert "archive" in refusal(put(tmp_path, "a.tar.gz", b"\x1f\x8b\x08" + bytes(50)))
    assert "kind of file" in refusal(put(tmp_path, "a.dat", OLE + bytes(2000)))


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx"])
def test_damaged_office_files(tmp_path: Path, docx: Make, xlsx: Make, pptx: Make, kind: str) -> None:
    content_ = {
        "docx": docx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>" * 50),
        "xlsx": xlsx({"Sheet": [["a", "b"]] * 50}),
        "pptx": pptx([("Title", "Text", "Notes")] * 5),
    }[kind]
    assert "damaged" in refusal(put(tmp_path, f"cut.{kind}", content_[: len(content_) // 2]))
    assert "damaged" in refusal(put(tmp_path, f"tail.{kind}", content_[:-30]))


def test_files_that_hold_no_words(tmp_path: Path, docx: Make) -> None:
    assert refusal(put(tmp_path, "a.txt", b" \n\t\r\n ")) == "The file holds no text."
    assert refusal(put(tmp_path, "a.html", b"<html><script>x()</script></html>")) == "The file holds no text."
    assert refusal(put(tmp_path, "a.docx", docx("<w:p/>"))) == "The file holds no text."


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(3_000_000)  # sparse: no disk is used
    reason = refusal(path, DocumentLoader(ReadingConfig(max_file_mb=2)))
    assert reason == "The file has 3 MB; the limit is 2 MB."


def test_not_a_plain_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")  # opening it would wait for ever
    assert refusal(tmp_path / "pipe.txt") == "This is not a file."
    assert refusal(tmp_path) == "This is not a file."
    assert "disappeared" in refusal(tmp_path / "gone.txt")


def test_no_permission(open_folder: Path, ordinary_user: Callable[[], AbstractContextManager[None]]) -> None:
    path = put(open_folder, "secret.txt", b"secret")
    path.chmod(0)
    with ordinary_user():
        assert refusal(path) == "You have no permission to read the file."


def test_five_megabytes_on_one_line(tmp_path: Path) -> None:
    path = put(tmp_path, "one line.txt", b"the ship sails on and on " * 200_000)
    document = DocumentLoader().load(path)
    found = sentences(document.text)
    assert len(document.text) == 4_999_999 and len(found) >= 5_000


def test_lines_that_go_on_far_to_the_right_are_no_endless_header(tmp_path: Path) -> None:
    text = "Topic: one\nComment: two\n" + "           which goes on\n" * 14 + "Closed: yes\n\n  Kurt  [ 0]\n"
    path = put(tmp_path, "vote.txt", text.encode())
    assert "Kurt" in DocumentLoader().load(path).text
