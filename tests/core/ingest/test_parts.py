"""Archives, messages and mailboxes give each document in them; bombs and broken members cost themselves only."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.ingest.sources import LONGEST, PartNames
from core.types import LoadedDocument, LoadedPart

Make = Callable[..., bytes]
Content = dict[str, bytes | str]
Read = Callable[..., dict[str, LoadedPart]]


def zipped(content: Content) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(content: Content, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in content.items():
            raw = data.encode() if isinstance(data, str) else data
            item = tarfile.TarInfo(name)
            item.size = len(raw)
            archive.addfile(item, io.BytesIO(raw))
    return buffer.getvalue()


@pytest.fixture
def parts(tmp_path: Path) -> Read:
    """Parts of a file by name."""

    def read(name: str, data: bytes, **settings: int) -> dict[str, LoadedPart]:
        path = tmp_path / name
        path.write_bytes(data)
        found = DocumentLoader(ReadingConfig(**settings)).parts(path)  # type: ignore[arg-type]
        assert len({part.name for part in found}) == len(found)
        assert all((part.document is None) == bool(part.reason) for part in found)
        return {part.name: part for part in found}

    return read


def document(part: LoadedPart) -> LoadedDocument:
    assert part.document is not None, part.reason
    return part.document


def message(subject: str = "The ship", body: str = "Sold.", **headers: str) -> EmailMessage:
    mail_ = EmailMessage()
    mail_["From"] = "Ida Holm <ida@vest.example>"
    mail_["To"] = "Bo <bo@gull.example>"
    mail_["Date"] = "Tue, 4 May 2021 10:00:00 +0200"
    mail_["Subject"] = subject
    for name, value in headers.items():
        mail_[name.replace("_", "-")] = value
    mail_.set_content(body)
    return mail_


# ---------------------------------------------------------------- archives


TEXTS: Content = {"a.txt": "The first.", "inner/b.txt": "The second."}


@pytest.mark.parametrize(("name", "data"), [
    ("a.zip", zipped(TEXTS)),
    ("a.tar.gz", tarred(TEXTS, "w:gz")),
    ("a.tar.xz", tarred(TEXTS, "w:xz")),
    ("a.without", tarred(TEXTS, "w:gz")),
])  # fmt: skip
def test_each_member_is_a_document(parts: Read, name: str, data: bytes) -> None:
    found = parts(name, data)
    assert {name: document(part).text for name, part in found.items()} == {
        "a.txt": "The first.",
        "inner/b.txt": "The second.",
    }
    assert document(found["a.txt"]).title == "A"
    assert document(parts("notes.txt.gz", bz2.compress(b"Words."))["notes.txt"]).text == "Words."


def test_archives_within_archives(parts: Read) -> None:
    data = zipped({"deepest.txt": "Words."})
    for number in range(6):
        data = zipped({f"{number}.zip": data, f"{number}.txt": "On the way."})
    found = parts("a.zip", data)
    assert document(found["5.zip/4.zip/3.zip/2.txt"]).text == "On the way."
    assert "archives or messages deep" in found["5.zip/4.zip/3.zip/2.zip"].reason


def test_hidden_members_links_and_folders_are_left_out(parts: Read) -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("folder/", "")
        for name in ("__MACOSX/a.txt", ".git/b.txt", "c/.hidden", "~$d.docx", "Thumbs.db", "e.txt"):
            archive.writestr(name, "Words.")
    assert list(parts("a.zip", buffer.getvalue())) == ["e.txt"]


def test_links_pipes_and_devices_of_a_tar_archive_are_left_out(parts: Read) -> None:
    buffer = io.BytesIO(tarred({"e.txt": "Words."}))
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE):
            item = tarfile.TarInfo(f"{kind.decode()}.txt")
            item.type, item.linkname = kind, "/etc/passwd"
            archive.addfile(item)
    assert list(parts("a.tar", buffer.getvalue())) == ["e.txt"]


def test_names_that_lead_out_become_harmless(parts: Read) -> None:
    hostile = {"../../etc/a.txt": "1 a.", "/etc/a.txt": "2 b.", "C:\\x\\b.txt": "3 c.", "etc/a.txt": "4 d."}
    found = parts("a.zip", zipped(dict(hostile)))
    assert {name: document(part).text for name, part in found.items()} == {
        "etc/a.txt": "1 a.",
        "etc/a.txt (2)": "2 b.",
        "x/b.txt": "3 c.",
        "etc/a.txt (3)": "4 d.",
    }


def test_a_locked_or_damaged_member_costs_itself_only(parts: Read) -> None:
    data = bytearray(
        zipped({"locked.txt": "Secret.", "broken.txt": "Words. " * 50, "c.txt": "Read.", "d.txt": ""})
    )
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1  # the flag that tells of a password
    data[data.index(b"broken.txt") + 12] ^= 0xFF
    found = parts("a.zip", bytes(data))
    assert found["locked.txt"].reason == "The file is protected by a password."
    assert found["broken.txt"].reason == "The archive is damaged or incomplete."
    assert document(found["c.txt"]).text == "Read."
    assert found["d.txt"].reason == "The file is empty."


def test_what_was_read_of_a_cut_archive_stays(parts: Read) -> None:
    data = tarred({"a.txt": "Words. " * 2000, "b.txt": "More. " * 2000})
    found = parts("a.tar", data[:18_000])
    assert document(found["a.txt"]).text.startswith("Words.")
    assert found["unread parts"].reason == "The archive is damaged or incomplete."


def test_a_bomb_is_refused(parts: Read) -> None:
    zeros = bytes(3_000_000)
    bomb = zipped({f"{number:02d}.txt": zeros for number in range(20)})
    found = parts("a.zip", bomb, max_file_mb=4)
    assert "unpacks to more than 20 MB" in found["unread parts"].reason
    assert len(found) == 7
    assert (
        "limit is 2 MB"
        in parts("b.zip", zipped({"a.txt": zeros, "b.txt": "Words."}), max_file_mb=2)["a.txt"].reason
    )
    with pytest.raises(DocumentError, match="limit is 2 MB"):
        parts("c.txt.gz", gzip.compress(zeros), max_file_mb=2)
    ratio = parts("d.tgz", gzip.compress(tarred({"a.txt": "Words.", "b.txt": bytes(101_000_000)}), 6))
    assert "200 times its size" in ratio["unread parts"].reason


def test_an_archive_of_nothing_but_files_without_end(parts: Read) -> None:
    found = parts("a.zip", zipped({f"{number}.bin": b"\0\1\2" for number in range(10_005)}))
    assert len(found) == 102
    assert "more than 10,000 files" in found["unread parts"].reason
    assert found["more unread parts 1"].reason.startswith("9,900 more parts: This is not text")


@given(st.lists(st.text(max_size=300), max_size=12))
def test_part_names_are_unique_harmless_and_stable(raw: list[str]) -> None:
    names_once, again = PartNames(), PartNames()
    names = [names_once.take("outer.zip", name) for name in raw]
    assert names == [again.take("outer.zip", name) for name in raw]
    assert len(set(names)) == len(names)
    for name in names:
        assert len(name) <= LONGEST + 6
        assert name.startswith("outer.zip/") and not name.endswith("/")
        assert not {"", ".", ".."} & set(name.split("/"))
        name.encode()


# ---------------------------------------------------------------- e-mail


def test_a_message_and_its_attachments(parts: Read, pdf: Make) -> None:
    mail = message(
        Cc="Cy <cy@gull.example>", Message_ID="<3@x>", In_Reply_To="<2@x>", References="<1@x> <2@x>"
    )
    mail.add_attachment(
        pdf([["The contract."]]), maintype="application", subtype="pdf", filename="../contract.pdf"
    )
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="sums.csv")
    mail.add_attachment(
        zipped({"c.txt": "Packed."}), maintype="application", subtype="zip", filename="more.zip"
    )
    mail.add_attachment(message("Re: The ship / price", "Attached words."))
    found = parts("a.eml", mail.as_bytes())
    assert list(found) == ["", "contract.pdf", "sums.csv", "more.zip/c.txt", "Re: The ship - price.eml"]
    own = document(found[""])
    assert own.metadata == (
        ("sender", "Ida Holm <ida@vest.example>"),
        ("recipients", "Bo <bo@gull.example>"),
        ("cc", "Cy <cy@gull.example>"),
        ("message_id", "<3@x>"),
        ("in_reply_to", "<2@x>"),
        ("thread", "<1@x>"),
    )
    assert (own.date, own.author) == ("2021-05-04T10:00:00+02:00", "Ida Holm")
    assert "Attachments: ../contract.pdf, sums.csv, more.zip" in own.text
    attached = document(found["contract.pdf"])
    assert attached.text == "The contract." and dict(attached.metadata) == {
        "sender": "Ida Holm <ida@vest.example>",
        "sent": "2021-05-04T10:00:00+02:00",
        "attached_to": "<3@x>",
        "thread": "<1@x>",
    }
    assert dict(document(found["more.zip/c.txt"]).metadata)["attached_to"] == "<3@x>"
    inner = document(found["Re: The ship - price.eml"])
    assert inner.text.endswith("Attached words.") and dict(inner.metadata)["thread"] == "the ship / price"


def test_pictures_in_the_body_and_signatures_are_no_attachments(parts: Read) -> None:
    mail = message(body="Words.")
    mail.add_alternative("<p>Words.<img src='cid:logo'></p>", subtype="html")
    page = mail.get_payload()[1]  # type: ignore[index]
    page.add_related(b"\x89PNG", maintype="image", subtype="png", cid="<logo>")  # type: ignore[union-attr]
    mail.add_attachment(b"sig", maintype="application", subtype="pgp-signature", filename="signature.asc")
    assert list(parts("a.eml", mail.as_bytes())) == [""]


@pytest.mark.parametrize(("headers", "thread"), [
    ({"References": "<1@x>\n <2@x>", "In_Reply_To": "<2@x>", "Message_ID": "<3@x>"}, "<1@x>"),
    ({"In_Reply_To": "<2@x>", "Message_ID": "<3@x>"}, "<2@x>"),
    ({}, "the ship"),
])  # fmt: skip
def test_the_thread_of_a_message(parts: Read, headers: dict[str, str], thread: str) -> None:
    raw = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in headers.items())
    mail = f"From: a@b.example\nSubject: RE: Fwd: The  Ship\n{raw}\nWords.\n"
    assert dict(document(parts("a.eml", mail.encode())[""]).metadata)["thread"] == thread


def test_each_message_of_a_mailbox_is_a_document(parts: Read) -> None:
    second = message("The ship/price")
    second.add_attachment("Words.", filename="notes.txt")
    mails = [message("The ship"), second, message("The ship"), message("")]
    box = b"".join(b"From x@y.example Tue May  4 10:00:00 2021\n" + mail.as_bytes() + b"\n" for mail in mails)
    found = parts("a.mbox", box)
    names = [
        "0001 The ship",
        "0002 The ship-price",
        "0002 The ship-price/notes.txt",
        "0003 The ship",
        "0004 no subject",
    ]
    assert list(found) == names
    assert document(found["0001 The ship"]).title == "The ship"
    assert document(found["0002 The ship-price/notes.txt"]).text == "Words."


def test_messages_within_messages_end(parts: Read) -> None:
    mail = message("0")
    for number in range(1, 9):
        outer = message(str(number))
        outer.add_attachment(mail)
        mail = outer
    found = parts("a.eml", mail.as_bytes())
    assert list(found) == ["", "7.eml", "7.eml/6.eml", "7.eml/6.eml/5.eml", "7.eml/6.eml/5.eml/4.eml"]
    assert "archives or messages deep" in found["7.eml/6.eml/5.eml/4.eml"].reason


def test_parts_nested_beyond_sense(parts: Read) -> None:
    head = "From: a@b.example\nSubject: x\n"
    nested = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3000))
    with pytest.raises(DocumentError, match="nested too deeply"):
        parts("a.eml", (head + nested + "Content-Type: text/plain\n\nWords.\n").encode())
