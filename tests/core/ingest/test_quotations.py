"""Quoted words belong to whom a mail quotes, whatever program and language quotes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.ingest.quotations import find_quotations, read_quotations
from core.types import Block, BlockKind

REPLY = """I agree with you.

On Thu, 22 Aug 2002 at 10:00, Mary Jones
<mary@example.org> wrote:
> Shall we go to Sines?
>
> On Wed, 21 Aug 2002, Bob Smith wrote:
> > The ferry is late.
>
> Bring a coat.

Fine with me.

-- 
Bob Smith, harbour office
"""  # noqa: W291  a signature begins with two hyphens and a space
LEADS = {
    "On Thu, Aug 22, 2002 at 07:27:52AM -0700, Marc Perkel wrote:": "Marc Perkel",
    "Le 22 août 2002 à 10:00, Zoé Petit <zoe@example.fr> a écrit :": "Zoé Petit <zoe@example.fr>",
    "Am 22.08.2002 um 10:00 schrieb Anna Berg:": "Anna Berg",
    "Anna Berg <anna@example.de> schrieb am Do. 22. Aug. 2002 um 10:00:": "Anna Berg <anna@example.de>",
    "2021年5月4日 10:00 王小明 <wang@example.cn> 写道：": "王小明 <wang@example.cn>",
}
HEADS = {
    "outlook": "-----Ursprüngliche Nachricht-----\nVon: Anna Berg [mailto:anna@example.de]\n"
    "Gesendet: Donnerstag, 22. August 2002 19:58\nAn: Bob Smith\nBetreff: Boot",
    "new outlook": "________________________________\nDe : Anna Berg <anna@example.fr>\n"
    "Envoyé : jeudi 22 août 2002 19:58\nÀ : Bob Smith\nObjet : Bateau",
    "without a rule": "From: Anna Berg\nSent: Thursday, August 22, 2002 19:58\nTo: Bob Smith\nSubject: Boat",
    "forwarded": "---------- Forwarded message ---------\nFrom: Anna Berg <anna@example.org>\n"
    "Date: Thu, 22 Aug 2002 at 19:58\nSubject: Boat\nTo: Bob Smith",
}


def quoted_parts(text: str, blocks: tuple[Block, ...]) -> list[tuple[int, str, str]]:
    """(level, speaker, last line) of each quotation."""
    quoted = [block for block in blocks if block.kind is BlockKind.QUOTATION]
    return [(b.level, b.speaker, text[b.start : b.end].rpartition("\n")[2]) for b in quoted]


def test_levels_have_their_authors() -> None:
    reading = read_quotations(REPLY)
    assert ">" not in reading.text.replace("example.org>", "")
    assert sorted(quoted_parts(reading.text, reading.blocks)) == [
        (1, "Mary Jones <mary@example.org>", "Bring a coat."),
        (2, "Bob Smith", "The ferry is late."),
    ]
    note = next(block for block in reading.blocks if block.kind is BlockKind.NOTE)
    assert reading.text[note.start : note.end] == "--\nBob Smith, harbour office"
    assert next(b.time for b in reading.blocks if b.level == 1) == "2002-08-22T10:00"


@pytest.mark.parametrize("lead", LEADS)
def test_who_wrote_in_many_languages(lead: str) -> None:
    reading = read_quotations(f"Hello.\n\n{lead}\n> The words.\n\nMine again.")
    assert quoted_parts(reading.text, reading.blocks) == [(1, LEADS[lead], "The words.")]


@pytest.mark.parametrize("head", HEADS)
def test_messages_are_quoted_in_full(head: str) -> None:
    reading = read_quotations(f"See below.\n\n{HEADS[head]}\n\nThe boat has come.\n\nAnna")
    ((level, speaker, last),) = quoted_parts(reading.text, reading.blocks)
    assert (level, speaker.partition(" <")[0].partition(" [")[0], last) == (1, "Anna Berg", "Anna")
    assert next(b for b in reading.blocks if b.speaker).addressee == "Bob Smith"
    assert next(b for b in reading.blocks if b.speaker).time == "2002-08-22T19:58"


@pytest.mark.parametrize("text", [
    "We need:\n- oars\n- a sail",
    "From: Oslo\nTo: Bergen\nPrice: 40",
    "As I said:\n\nwait.",
    "1 > 0 and 2 > 1",
])  # fmt: skip
def test_own_words_stay_own(text: str) -> None:
    assert quoted_parts(text, read_quotations(text).blocks) == []


def test_html_has_no_marks() -> None:
    text = "I agree.\n\nOn 22 Aug 2002 at 10:00, Mary Jones <mary@example.org> wrote:\n\nShall we go?"
    assert quoted_parts(text, find_quotations(text)) == [(1, "Mary Jones <mary@example.org>", "Shall we go?")]


def test_a_message_is_a_turn_of_its_sender(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"  # known by its header lines, not by its name
    path.write_text(
        "From: Bob Smith <bob@example.org>\nTo: mary@example.org\nDate: Fri, 23 Aug 2002 09:00:00 +0000\n"
        f"Subject: Sines\n\n{REPLY}"
    )
    document = DocumentLoader().load(path)
    turn = document.blocks[0]
    assert (turn.kind, turn.speaker, turn.addressee) == (
        BlockKind.TURN,
        "Bob Smith <bob@example.org>",
        "mary@example.org",
    )
    assert (turn.start, turn.end, turn.time[:10]) == (0, len(document.text), "2002-08-23")
    assert all(turn.start <= block.start < block.end <= turn.end for block in document.blocks)
