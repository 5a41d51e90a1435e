"""Messages that Outlook saved: headers, body in its three forms, attachments as documents, hostile ones bounded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.config import ReadingConfig
from core.ingest.loaders import DocumentLoader
from core.ingest.outlook import unpacked_rtf
from core.types import LoadedDocument, LoadedPart
from tests.data_makers.compound_files import attachment, compound, message, msg

SUBJECT, BODY, SENDER, ADDRESS, ID, ANSWERED, HEADERS = 0x37, 0x1000, 0x0C1A, 0x5D01, 0x1035, 0x1042, 0x007D
SENT = datetime(2021, 5, 4, 10, 0, tzinfo=UTC)
WORDS = {
    SUBJECT: "RE: The ship",
    BODY: "Sold on Friday.\r\n",
    SENDER: "Ida Holm",
    ADDRESS: "ida@vest.example",
}
Make = Callable[..., bytes]


@pytest.fixture
def parts(tmp_path: Path) -> Callable[[bytes], dict[str, LoadedPart]]:
    """Parts of a message by name."""

    def read(data: bytes) -> dict[str, LoadedPart]:
        path = tmp_path / "a.msg"
        path.write_bytes(data)
        return {part.name: part for part in DocumentLoader().parts(path)}

    return read


def document(part: LoadedPart) -> LoadedDocument:
    assert part.document is not None, part.reason
    return part.document


Read = Callable[[bytes], dict[str, LoadedPart]]


def test_headers_and_body(parts: Read) -> None:
    people = [
        (1, "Bo Lund", "bo@gull.example"),
        (2, "'cy@gull.example'", "cy@gull.example"),
        (1, "Di", "/O=EX/CN=DI"),
    ]
    found = document(
        parts(msg({**WORDS, ID: "<2@vest>", ANSWERED: "<1@gull>"}, sent=SENT, recipients=people))[""]
    )
    assert found.text == (
        "From: Ida Holm <ida@vest.example>\nTo: Bo Lund <bo@gull.example>, Di\nCc: cy@gull.example\n"
        "Date: 4 May 2021, 10:00\nSubject: RE: The ship\n\nSold on Friday."
    )
    assert (found.title, found.author, found.media_type) == (
        "RE: The ship",
        "Ida Holm",
        "application/vnd.ms-outlook",
    )
    assert (found.date or "").startswith("2021-05-04T10:00")
    details = dict(found.metadata)
    assert (details["message_id"], details["in_reply_to"], details["thread"]) == (
        "<2@vest>",
        "<1@gull>",
        "<1@gull>",
    )


def test_what_was_sent_counts_more_than_what_outlook_noted(parts: Read) -> None:
    lines = "From: Ida <ida@vest.example>\r\nDate: Tue, 4 May 2021 10:00:00 +0200\r\n"
    lines += "References: <0@gull> <1@gull>\r\n\r\n"
    found = document(parts(msg({**WORDS, HEADERS: lines}))[""])
    assert "From: Ida <ida@vest.example>\nDate: 4 May 2021, 10:00\nSubject: RE: The ship" in found.text
    assert dict(found.metadata)["thread"] == "<0@gull>"


@pytest.mark.parametrize("body", [
    {0x1013: b"<html><meta charset=windows-1252><p>Sold in <b>M\xfcnchen</b>.</p></html>"},
    {0x1009: struct.pack("<II4sI", 0, 80, b"MELA", 0) + rb"{\rtf1\ansi\ansicpg1252 Sold in M\'fcnchen.\par}"},
])  # fmt: skip
def test_a_body_that_is_no_plain_text(parts: Read, body: dict[int, bytes]) -> None:
    assert (
        document(parts(msg({SUBJECT: "Ship"}, binaries=body))[""]).text == "Subject: Ship\n\nSold in München."
    )


def test_texts_of_one_byte_a_letter(parts: Read) -> None:
    data_ = msg({**WORDS, BODY: "Продано в пятницу."}, recipients=[(1, "Ирина", "")], narrow=1251)
    text = document(parts(data_)[""]).text
    assert text.endswith("Продано в пятницу.") and "To: Ирина" in text


def test_attachments_are_documents(parts: Read, pdf: Make, xlsx: Make) -> None:
    inner = message({SUBJECT: "Offer", BODY: "Ten ships."}, attached=[attachment("deck.txt", b"A deck.")])
    attached = [
        attachment("contract.pdf", pdf([["The contract."]])),
        attachment("../../Ledger.xlsx", xlsx({"Sheet": [["Payer", "Vest AS"]]})),
        attachment("", inner),
        attachment("logo.png", b"\x89PNG" + bytes(20), kind="image/png", within="logo@1"),
        attachment("smime.p7s", b"signed", kind="application/pkcs7-signature"),
        attachment("empty.txt", b" "),
        attachment("photo.png", b"\x89PNG" + bytes(20), kind="image/png"),
    ]
    found = parts(msg({**WORDS, ID: "<1@vest>"}, sent=SENT, attached=attached))
    assert list(found) == [
        "", "contract.pdf", "Ledger.xlsx", "Offer.msg", "Offer.msg/deck.txt", "photo.png",
    ]  # fmt: skip
    assert document(found["contract.pdf"]).pages and document(found["Ledger.xlsx"]).regions
    assert document(found["Offer.msg"]).text == "Subject: Offer\nAttachments: deck.txt\n\nTen ships."
    assert document(found["Offer.msg/deck.txt"]).text == "A deck."
    assert "picture" in found["photo.png"].reason
    assert (
        "Attachments: contract.pdf, ../../Ledger.xlsx, Offer.msg, empty.txt, photo.png"
        in document(found[""]).text
    )
    details = dict(document(found["contract.pdf"]).metadata)
    assert details["attached_to"] == "<1@vest>" and details["sent"].startswith("2021-05-04")
    assert details["sender"] == "Ida Holm <ida@vest.example>"


def test_packed_rtf() -> None:
    """The examples of [MS-OXRTFCP] 3.1 and 3.2."""
    one = "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    assert unpacked_rtf(bytes.fromhex(one)) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    two = "1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0"
    assert unpacked_rtf(bytes.fromhex(two)) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    assert unpacked_rtf(b"") == unpacked_rtf(b"?" * 40) == b""
    for end in range(len(one) // 2):
        assert len(unpacked_rtf(bytes.fromhex(one)[:end])) <= 43


def test_an_attachment_that_lies_everywhere_is_not_read_for_ever(tmp_path: Path) -> None:
    """61 attachments of 0.4 MB that are one and the same place in the file."""
    large = attachment("a.txt", b"Words and words.\n" * 25_000)
    tree = message(WORDS, attached=[large, *[attachment("b.txt", bytes(5000))] * 60], head=32)
    data = bytearray(compound(tree))
    stream = "__substg1.0_37010102".encode("utf-16-le")
    places = [at for at in range(0, len(data), 128) if data[at:].startswith(stream)]
    assert len(places) == 61
    first = max(places, key=lambda at: int.from_bytes(data[at + 120 : at + 128], "little"))
    for at in places:
        data[at + 116 : at + 128] = data[first + 116 : first + 128]
    path = tmp_path / "a.msg"
    path.write_bytes(data)
    found = DocumentLoader(ReadingConfig(max_file_mb=1)).parts(path)
    assert len(found) < 20 and "holds more text than is read" in found[-1].reason
