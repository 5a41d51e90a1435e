"""Of a mail all that programs show is read: the richer wording, what only the other says, every text, events."""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.types import LoadedDocument, LoadedPart, NoticeKind
from tests.data_makers.compound_files import msg

Read = Callable[[bytes], Mapping[str, LoadedPart]]
HEAD = "From: Tove Lang <tove@quay.example>\nTo: Ivo <ivo@quay.example>\nSubject: Berth\n"
TABLE = (
    "<html><body><p>Berth 31 is let to the barque Halse from 2 June 2024.</p>"
    "<table><tr><th>Due</th><th>Tenant</th></tr>"
    "<tr><td>310 crowns</td><td>Oda Rusk</td></tr></table></body></html>"
)
INVITATION = r"""BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Keel laying\, second part
DTSTART;TZID=Europe/Oslo:20240603T101500
DTEND;TZID=Europe/Oslo:20240603T113000
RRULE:FREQ=WEEKLY;UNTIL=20240630T000000Z
LOCATION:Slip 4
ORGANIZER;CN="Lang, Tove":mailto:tove@quay.example
ATTENDEE;CN=Ivo Brand;PARTSTAT=ACCEPTED:mailto:ivo@quay.example
ATTENDEE;CN=Oda
  Rusk:mailto:oda@quay.example
DESCRIPTION:Bring boots.\nAnd plans.
BEGIN:VALARM
DESCRIPTION:beep
END:VALARM
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def parts(data: bytes) -> Mapping[str, LoadedPart]:
        path = tmp_path / ("a.msg" if data[:4] == b"\xd0\xcf\x11\xe0" else "a.eml")
        path.write_bytes(data)
        return {part.name: part for part in DocumentLoader().parts(path)}

    return parts


def document(parts: Mapping[str, LoadedPart], name: str = "") -> LoadedDocument:
    found = parts[name].document
    assert found is not None, parts[name].reason
    return found


def multipart(kind: str, *parts: str, head: str = HEAD) -> bytes:
    inner = "".join(f"--B\n{part}\n" for part in parts)
    return f"{head}Content-Type: multipart/{kind}; boundary=B\n\n{inner}--B--\n".encode()


def plain(text: str, more: str = "") -> str:
    return f"Content-Type: text/plain; charset=utf-8{more}\n\n{text}"


def page(text: str) -> str:
    return f"Content-Type: text/html; charset=utf-8\n\n{text}"


@pytest.mark.parametrize("note", [
    "",
    "Your reader shows no pages.",
    "votre logiciel ne montre pas les pages.",
])  # fmt: skip
def test_a_note_about_programs_is_no_wording(read: Read, note: str) -> None:
    found = document(read(multipart("alternative", plain(note), page(TABLE))))
    assert found.text.endswith("from 2 June 2024.\n\nDue: 310 crowns; Tenant: Oda Rusk.")
    assert [table.columns for table in found.tables] == [("Due", "Tenant")]
    (table,) = found.tables
    assert [found.text[start:end] for _, _, start, end in table.cells] == ["310 crowns", "Oda Rusk"]
    assert not found.notices


@pytest.mark.parametrize(("first", "second", "present", "absent", "notices"), [
    # The same words: the plain text is read, for its marks of quotation.
    ("The berth is let.\n\n> Is it?", "<p>The berth is let.</p><blockquote>Is it?</blockquote>", ["Is it?"], ["> "],
     []),
    ("Berth 31 is let to the barque Halse from 2 June 2024.\n\nDue Tenant\n310 crowns Oda Rusk", TABLE,
     ["Due: 310 crowns; Tenant"], ["Due Tenant"], []),
    ("Come on Monday at 9 to shed 4.", "<p>Come on Friday at 11 to shed 7.</p>", ["Monday at 9", "Friday at 11"], [],
     []),
    ("The barque is sold. Her mate stays ashore with us until the autumn.", "<p>Pictures below.</p>",
     ["Her mate stays"], ["Pictures"], []),
    ("The ledger lies with Gudrun.", TABLE, ["Due: 310 crowns"], ["Gudrun"], [NoticeKind.ALTERNATIVE]),
])  # fmt: skip
def test_two_wordings(
    read: Read, first: str, second: str, present: list[str], absent: list[str], notices: list[NoticeKind]
) -> None:
    found = document(read(multipart("alternative", plain(first), page(second))))
    assert [words for words in present if words not in found.text] == []
    assert [words for words in absent if words in found.text] == []
    assert [notice.kind for notice in found.notices] == notices


def test_wordings_within_other_parts(read: Read) -> None:
    inner = "Content-Type: multipart/alternative; boundary=C\n\n--C\n" + plain("See below.")
    inner += "\n--C\nContent-Type: multipart/related; boundary=D\n\n--D\n" + page(TABLE)
    inner += "\n--D\nContent-Type: image/png\nContent-ID: <x>\n\nabc\n--D--\n--C--\n"
    signature = "Content-Type: application/pgp-signature; name=s.asc\n\nxx"
    found = read(multipart("signed", inner, signature))
    assert list(found) == [""] and "Due: 310 crowns" in document(found).text


def test_every_text_of_a_mail_is_read_and_every_file_found(read: Read) -> None:
    csv = "Content-Type: text/csv; name=a.csv\nContent-Disposition: inline; filename=a.csv\n\na,b\n1,2"
    found = read(multipart("mixed", plain("Before."), csv, plain("After."), page("<p>Last.</p>")))
    assert list(found) == ["", "a.csv"]
    assert document(found).text.endswith("Before.\n\nAfter.\n\nLast.")
    # As Apple's program nests them.
    rich = (
        "Content-Type: multipart/mixed; boundary=C\n\n--C\n" + page("<p>One.</p>") + f"\n--C\n{csv}\n--C--\n"
    )
    assert list(read(multipart("alternative", plain("One."), rich))) == ["", "a.csv"]


def test_reports_name_what_failed(read: Read) -> None:
    status = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.quay.example\n\n"
    status += (
        "Final-Recipient: rfc822; odd@far.example\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no such user\n"
    )
    returned = (
        "Content-Type: text/rfc822-headers\n\nFrom: Ivo <ivo@quay.example>\nSubject: The keel\nReceived: x\n"
    )
    text = document(read(multipart("report", plain("It failed."), status, returned))).text
    assert "It failed.\n\nReporting-MTA" in text and "Diagnostic-Code: smtp; 550 no such user" in text
    assert "Subject: The keel" in text and "Received" not in text
    message = "Content-Type: message/rfc822\n\nSubject: The keel\n\nIt is laid."
    assert list(read(multipart("report", plain("It failed."), message))) == ["", "The keel.eml"]


def test_what_only_outlook_unpacks_is_a_notice(read: Read) -> None:
    packed = "Content-Type: application/ms-tnef; name=winmail.dat\nContent-Disposition: attachment\n\nx"
    (notice,) = document(read(multipart("mixed", plain("Words."), packed))).notices
    assert (notice.kind, notice.count, notice.detail) == (NoticeKind.OTHER, 1, "winmail.dat")


def test_invitations(read: Read, tmp_path: Path) -> None:
    event = f"Content-Type: text/calendar; method=REQUEST; charset=utf-8\n\n{INVITATION}"
    text = document(
        read(multipart("alternative", plain("Please come."), page("<p>Please come.</p>"), event))
    ).text
    expected = (
        "Event: Keel laying, second part\nWhen: 3 June 2024, 10:15 to 11:30 (Europe/Oslo)\n"
        'Repeats: weekly, until 30 June 2024\nWhere: Slip 4\nOrganiser: "Lang, Tove" <tove@quay.example>\n'
        "Attendees: Ivo Brand <ivo@quay.example> (accepted), Oda Rusk <oda@quay.example>\n\nBring boots.\nAnd plans."
    )
    assert text.endswith(f"Please come.\n\n{expected}")
    (tmp_path / "keel.ics").write_text(INVITATION.replace("REQUEST", "CANCEL"), encoding="utf-8")
    (part,) = DocumentLoader().parts(tmp_path / "keel.ics")
    assert part.document is not None and "Status: cancelled" in part.document.text


@pytest.mark.parametrize(("lines", "when"), [
    ("DTSTART;VALUE=DATE:20240603\nDTEND;VALUE=DATE:20240606", "3 June 2024 to 5 June 2024"),
    ("DTSTART:20240603T230000Z\nDTEND:20240604T010000Z", "3 June 2024, 23:00 to 4 June 2024, 01:00 UTC"),
    ("DTSTART:soon", "soon"),
])  # fmt: skip
def test_times_of_events(read: Read, lines: str, when: str) -> None:
    event = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR"
    text = document(read(f"{HEAD}Content-Type: text/calendar\n\n{event}".encode())).text
    assert text.endswith(f"\n\nWhen: {when}")


@pytest.mark.parametrize(("head", "body", "expected"), [
    ("charset=utf-8\nContent-Transfer-Encoding: base64", encodebytes("Kaffe på Åsgård.".encode()),
     "Kaffe på Åsgård."),
    ("charset=us-ascii", "Kaffe på Åsgård.".encode(), "Kaffe på Åsgård."),
    ("charset=iso-8859-1", "Paid: 40 € – by “Bo”.".encode("cp1252"), "Paid: 40 € – by “Bo”."),
    ("charset=x-unknown\nContent-Transfer-Encoding: odd", "Åse paid 40 €.".encode(), "Åse paid 40 €."),
    ("format=flowed; delsp=yes", b"The water \nfall.\n-- \nIvo", "The waterfall.\n\n--\nIvo"),
])  # fmt: skip
def test_how_a_text_is_encoded(read: Read, head: str, body: bytes, expected: str) -> None:
    data = f"{HEAD}Content-Type: text/plain; {head}\n\n".encode() + body
    assert document(read(data)).text.partition("Subject: Berth\n\n")[2] == expected


@pytest.mark.parametrize(("raw", "expected"), [
    ("From: Jörg Groß <j@quay.example>\n".encode("cp1252"), "From: Jörg Groß <j@quay.example>"),
    (b"From: =?utf-8?Q?Gro=C3=9F=2C_J=C3?=\n =?utf-8?Q?=B6rg?= <j@quay.example>\n",
     'From: "Groß, Jörg" <j@quay.example>'),
    (b"From: =?koi8-r?B?8NLJ18XU?= <j@quay.example>\n", "From: Привет <j@quay.example>"),
    (b"From: =?utf-8?B?%%%?= <j@quay.example>\n", "From: "),
])  # fmt: skip
def test_letters_of_header_lines(read: Read, raw: bytes, expected: str) -> None:
    data = raw + b"Subject: x\nContent-Type: text/plain; charset=windows-1252\n\nWords.\n"
    assert document(read(data)).text.startswith(expected)


def test_wordings_of_outlook(read: Read) -> None:
    found = document(
        read(msg({0x37: "Berth", 0x1000: "Shown as a page only."}, binaries={0x1013: TABLE.encode()}))
    )
    assert found.text == (
        "Subject: Berth\n\nBerth 31 is let to the barque Halse from 2 June 2024.\n\nDue: 310 crowns; Tenant: Oda Rusk."
    )
    assert len(found.tables) == 1
