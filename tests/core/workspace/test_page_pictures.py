"""Pages as pictures: what is drawn, and what a file can do to who draws it."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.page_drawer import MOST_PIXELS
from core.progress import TaskContext
from core.types import Document, PagePicture, State
from core.workspace import page_pictures
from core.workspace.page_pictures import PagePictures
from tests.data_makers.office_files import make_pdf

LINES = [["The Grey Petrel called at Antwerp."], ["A second page."]]
LOCK = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (%s) /U (%s) >> /ID [(a) (a)] " % (
    b"o" * 32,
    b"u" * 32,
)


@pytest.fixture(scope="module")
def running() -> Iterator[PagePictures]:
    created = PagePictures(None, ReadingConfig())
    yield created
    created.close()


@pytest.fixture
def pictures(running: PagePictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PagePictures:
    """One process for all tests that leave it alive, since it takes half a second to start."""
    monkeypatch.setattr(running, "_folder", tmp_path)
    return running


def put(folder: Path, data: bytes, name: str = "a.pdf", part: str = "") -> Document:
    (folder / name).write_bytes(data)
    path = f"{name}/{part}" if part else name
    sha256 = hashlib.sha256(data).hexdigest()
    return Document("id", path, sha256, len(data), "A", "application/pdf", state=State.DONE, file=name)


def pixels(picture: PagePicture) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    left, top, right, bottom = picture.clip
    return np.frombuffer(picture.pixels, np.uint8).reshape(bottom - top, right - left, 4)[:, :, :3]


def refusal(pictures: PagePictures, document: Document) -> str:
    with pytest.raises(DocumentError) as caught:
        pictures.open(document, TaskContext())
    assert caught.value.remedy
    return caught.value.message


def test_a_page_is_drawn_as_large_as_it_is_asked_for(pictures: PagePictures, tmp_path: Path) -> None:
    document = put(tmp_path, make_pdf(LINES))
    assert pictures.open(document, TaskContext()).tolist() == [[595, 842], [595, 842]]
    complete = pictures.draw(document, 1, 2.0, None, TaskContext())
    assert complete.size == (1190, 1684) and pixels(complete).shape == (1684, 1190, 3)
    ink = pixels(complete).min(axis=2) < 128
    assert ink[80:140, 100:].any() and not ink[200:].any(), "one line of text near the top"


def test_a_part_of_a_page_is_the_same_part_of_its_picture(pictures: PagePictures, tmp_path: Path) -> None:
    document = put(tmp_path, make_pdf(LINES))
    complete = pixels(pictures.draw(document, 1, 2.0, None, TaskContext()))
    part = pictures.draw(document, 1, 2.0, (100, 60, 500, 200), TaskContext())
    assert part.clip == (100, 60, 500, 200)
    assert (pixels(part) == complete[60:200, 100:500]).all()


@pytest.mark.parametrize(("turn", "size"), [(0, [500, 200]), (90, [200, 500])])
def test_turned_and_cropped_pages(
    pictures: PagePictures, tmp_path: Path, turn: int, size: list[float]
) -> None:
    box = b"/MediaBox [0 0 595 842]"
    data = make_pdf(LINES).replace(
        box, b"/MediaBox [0 0 595 842] /CropBox [50 600 550 800] /Rotate %d" % turn
    )
    document = put(tmp_path, data)
    assert pictures.open(document, TaskContext())[0].tolist() == size
    assert (pixels(pictures.draw(document, 1, 1.0, None, TaskContext())) < 128).any()


@pytest.mark.parametrize("side", [b"1e30", b"-5"])
def test_pages_of_senseless_size_cost_no_memory(pictures: PagePictures, tmp_path: Path, side: bytes) -> None:
    data = make_pdf(LINES).replace(b"/MediaBox [0 0 595 842]", b"/MediaBox [0 0 %s %s]" % (side, side))
    document = put(tmp_path, data)
    assert np.isfinite(pictures.open(document, TaskContext())).all()
    picture = pictures.draw(document, 1, 1.0, None, TaskContext())
    assert len(picture.pixels) <= 4 * MOST_PIXELS


def test_what_lies_in_an_archive_is_drawn(pictures: PagePictures, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("other.txt", "Words.")
        archive.writestr("inner/b.pdf", make_pdf(LINES))
    document = put(tmp_path, packed.getvalue(), "a.zip", "inner/b.pdf")
    assert len(pictures.open(document, TaskContext())) == 2
    assert "damaged" in refusal(pictures, put(tmp_path, packed.getvalue(), "a.zip", "inner/c.pdf"))


def test_a_file_that_is_gone_or_another_one_is_reported(pictures: PagePictures, tmp_path: Path) -> None:
    document = put(tmp_path, make_pdf(LINES))
    pictures.open(document, TaskContext())
    (tmp_path / "a.pdf").write_bytes(make_pdf([["Other words."]]))
    assert "has changed" in refusal(pictures, document)
    (tmp_path / "a.pdf").unlink()
    assert "no longer" in refusal(pictures, document)


@pytest.mark.parametrize("name", ["../outside.pdf", "/etc/passwd", "folder"])
def test_nothing_outside_of_the_folder_is_opened(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    (inside / "folder").mkdir(parents=True)
    outside = put(tmp_path, make_pdf(LINES), "outside.pdf")
    pictures = PagePictures(inside, ReadingConfig())
    document = Document("id", name, outside.sha256, 1, "A", "application/pdf", file=name)
    assert refusal(pictures, document)
    (inside / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    linked = Document("id", "link.pdf", outside.sha256, 1, "A", "application/pdf", file="link.pdf")
    assert "link" in refusal(pictures, linked)


@pytest.mark.parametrize(
    "data",
    [
        make_pdf(LINES)[:300],
        make_pdf(LINES).replace(b"/Size", LOCK + b"/Size"),
        make_pdf(LINES)
        .replace(b"/Type /Pages /Kids", b"/Type /Pages /Lids")
        .replace(b"/Count 2", b"/Count 0"),
    ],
    ids=["cut", "locked", "pageless"],
)
def test_broken_files_are_reported_and_the_next_one_is_drawn(
    pictures: PagePictures, tmp_path: Path, data: bytes
) -> None:
    document = put(tmp_path, data)
    try:
        assert not pictures.open(document, TaskContext()).any()
    except DocumentError as error:
        assert "damaged" in error.message
    good = put(tmp_path, make_pdf(LINES), "b.pdf")
    assert pictures.draw(good, 2, 0.5, None, TaskContext()).number == 2


def bomb() -> bytes:
    """The second page draws itself a thousand million times; the first is a page as any."""
    data = make_pdf(LINES)
    forms = b""
    for level in range(9):
        calls = b"/F Do " * 10 if level < 8 else b"0 0 500 500 re f "
        inner = b"/Resources << /XObject << /F %d 0 R >> >> " % (901 + level) if level < 8 else b""
        forms += (
            b"%d 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 600 900] %s/Length %d >>\nstream\n%s\n"
            % (900 + level, inner, len(calls), calls)
        )
        forms += b"endstream\nendobj\n"
    stream = b"/F Do"
    forms += b"920 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(stream), stream)
    data = data.replace(b"/Contents 7 0 R", b"/Contents 920 0 R /Resources << /XObject << /F 900 0 R >> >>")
    return data.replace(b"xref\n", forms + b"xerf\n")  # without a table objects are looked for


@pytest.mark.long
def test_a_page_that_takes_for_ever_is_abandoned(
    pictures: PagePictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = put(tmp_path, bomb())
    assert pictures.draw(document, 1, 1.0, None, TaskContext()).number == 1
    monkeypatch.setattr(page_pictures, "DRAW_SECONDS", 1)
    with pytest.raises(DocumentError, match="longer than 1 second"):
        pictures.draw(document, 2, 1.0, None, TaskContext())
    monkeypatch.setattr(page_pictures, "DRAW_SECONDS", 20)
    assert pictures.draw(document, 1, 1.0, None, TaskContext()).number == 1, "another process draws the next"


@pytest.mark.long
def test_a_crash_costs_one_page(pictures: PagePictures, tmp_path: Path) -> None:
    document = put(tmp_path, bomb())
    pictures.open(document, TaskContext())

    def crash() -> bool:
        assert pictures._drawer is not None
        pictures._drawer._process.kill()
        return False

    with pytest.raises(DocumentError, match="crashes"):
        pictures.draw(document, 2, 1.0, None, TaskContext(cancelled=crash))
    assert pictures.draw(document, 1, 1.0, None, TaskContext()).number == 1
