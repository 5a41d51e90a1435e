"""Chats and interviews of many layouts are read as turns; what only looks like them is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import ChunkingConfig
from core.ingest.chunking import SentenceChunker
from core.ingest.conversation import apart
from core.ingest.loaders import DocumentLoader
from core.models.minilm import WordPieceTokenizer
from core.types import Block, BlockKind

CAMEL = """RosaLindqvist: Did the pump arrive at the lock house?
TomasAdeyemi: It did, on Tuesday. I signed for it myself.
RosaLindqvist: And the old one?
TomasAdeyemi: Rosa, you sold it, remember?
RosaLindqvist: Right. Thank you."""
IRC = """--- Log opened Tue May 04 2021
[9:58] * wren (n=wren@host.example.org) has joined #mill
[10:01] <wren> morning, is the build fixed?
[10:02] <okra_> wren: not yet, i am on it
[10:02] <wren> ok
[10:03] * okra_ sighs
[10:04] <okra_> which branch did you use?"""
WHATSAPP = """13/05/2021, 12:03 - Messages are encrypted.
13/05/2021, 12:04 - Ines Duarte: Are we still meeting?
13/05/2021, 12:06 - +351 912 345 678: yes, at my place
and bring the maps
14/05/2021, 08:10 - Ines Duarte: I left them with you
14/05/2021, 08:11 - +351 912 345 678: oh"""
SLACK = """Ines Duarte  10:03 AM
Could you look at the invoice?
Karl Voss  10:05 AM
I did. It is wrong.
Twice, in fact.
Ines Duarte  1:15 PM
Who wrote it?
Karl Voss  1:16 PM
We did"""
HEARING = """HEARING OF THE HARBOUR COMMITTEE

    Mr. SMITH. Thank you. Did the company tell you about the crane?
    Ms. DE VRIES. It did not. I learned of it from the papers.
And then I wrote to them.
    Mr. SMITH. When was that?
    Ms. DE VRIES. In June, I believe."""
GERMAN = """Interview mit der Müllerin

Frage: Seit wann leben Sie hier?
Müller: Seit vierzig Jahren. Mein Vater kam aus Emden.
Frage: Und die Mühle?
Müller: Die haben wir 1980 gekauft."""
ZOOM = """12:03:11 From Mary Jones to Everyone: can you hear me?
12:03:20 From Ali Reza to Mary Jones: I can
12:04:01 From Mary Jones to Everyone: good, let us begin
12:05:00 From Ali Reza to Everyone: who takes notes?"""
CHATS = {
    "camel": (CAMEL, ["RosaLindqvist", "TomasAdeyemi"], 5),
    "irc": (IRC, ["wren", "okra_"], 5),
    "whatsapp": (WHATSAPP, ["Ines Duarte", "+351 912 345 678"], 4),
    "slack": (SLACK, ["Ines Duarte", "Karl Voss"], 4),
    "hearing": (HEARING, ["Mr. SMITH", "Ms. DE VRIES"], 4),
    "german": (GERMAN, ["Frage", "Müller"], 4),
    "zoom": (ZOOM, ["Mary Jones", "Ali Reza"], 4),
    "markdown": (CAMEL.replace("RosaLindqvist:", "**Rosa:**").replace("TomasAdeyemi:", "**Tomas:**"), ["Rosa",
     "Tomas"], 5),
}  # fmt: skip
RECORD = "Name: Person {n}\nPhone: 555 010{n}\nNote: Ask whether you may call."
RECIPE = """Serves: 4
Ingredients: flour, eggs
Method: Beat the eggs. Do you like them soft? Take less.
Note: You may add salt."""
MANUAL = ["Turn the wheel until the lamp is lit, then wait for the bell."] * 9
NO_CHATS = {
    "glossary": "\n".join(f"{word}: a part that you turn by hand." for word in ("Axle", "Beam", "Cog", "Dam")),
    "records": "\n".join(RECORD.format(n=n) for n in range(6)),
    "recipe": RECIPE,
    "log": "\n".join(f"2021-05-04 12:0{n}:11 {('INFO', 'ERROR')[n % 2]}: you cannot open {n}" for n in range(9)),
    "manual": "\n\n".join([*MANUAL, *["Note: You must wait."] * 3, *["Warning: Do not touch it."] * 2]),
    "prose": "He said: I will not go. She said: then stay.\n\n" * 8,
}  # fmt: skip


def read(tmp_path: Path, text: str, name: str = "talk.txt") -> tuple[str, tuple[Block, ...]]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    document = DocumentLoader().load(path)
    return document.text, document.blocks


@pytest.mark.parametrize("kind", CHATS)
def test_who_says_what(tmp_path: Path, kind: str) -> None:
    text, speakers, number = CHATS[kind]
    found, blocks = read(tmp_path, text, "talk.md" if kind == "markdown" else "talk.txt")
    spoken = [block for block in blocks if block.kind is BlockKind.TURN]
    assert list(dict.fromkeys(block.speaker for block in spoken)) == speakers
    assert len(spoken) == number
    assert all(block.speaker in found[block.start : block.end] for block in spoken)


@pytest.mark.parametrize("kind", NO_CHATS)
def test_what_is_no_conversation(tmp_path: Path, kind: str) -> None:
    assert [b for b in read(tmp_path, NO_CHATS[kind])[1] if b.kind is BlockKind.TURN] == []


def test_lines_of_nothing_but_unseen_characters_are_empty() -> None:
    assert apart("one\n\u200b\n\u200e\ntwo") == "one\n\u200b\n\u200e\ntwo"


def test_when_and_to_whom(tmp_path: Path) -> None:
    _, irc = read(tmp_path, IRC)
    assert [(b.kind, b.speaker, b.addressee, b.time) for b in irc][:3] == [
        (BlockKind.EVENT, "", "", "2021-05-04T09:58"),
        (BlockKind.TURN, "wren", "", "2021-05-04T10:01"),
        (BlockKind.TURN, "okra_", "wren", "2021-05-04T10:02"),
    ]
    _, camel = read(tmp_path, CAMEL, "2021-06-01 lock.txt")
    assert [b.addressee for b in camel] == ["", "", "", "RosaLindqvist", ""]
    _, phone = read(tmp_path, WHATSAPP)
    assert [b.time for b in phone if b.speaker == "Ines Duarte"] == ["2021-05-13T12:04", "2021-05-14T08:10"]
    assert [b.time for b in read(tmp_path, SLACK)[1]] == ["10:03", "10:05", "13:15", "13:16"]
    assert [b.addressee for b in read(tmp_path, ZOOM)[1]][:2] == ["Everyone", "Mary Jones"]


def test_a_chat_in_a_table(tmp_path: Path) -> None:
    spoken = [
        ("Ines", "Is it you?"),
        ("Karl", "Yes, I came early."),
        ("Ines", "Where are you?"),
        ("Karl", "At the lock."),
    ]
    table = "Date;Author;Message\n" + "\n".join(
        f"2021-05-04 10:0{n};{who};{what}" for n, (who, what) in enumerate(spoken)
    )
    text, blocks = read(tmp_path, table, "talk.csv")
    assert [(b.speaker, b.time) for b in blocks][3] == ("Karl", "2021-05-04T10:03")
    assert "At the lock." in text
    owners = "Author;Message\n" + "\n".join(f"Person {n};A box of nails" for n in range(9))
    assert read(tmp_path, owners, "boxes.csv")[1] == ()


def test_a_passage_names_who_speaks(tmp_path: Path, tokenizer: WordPieceTokenizer) -> None:
    long = CAMEL.replace("I signed", "The crate was heavy and its lid was loose. " * 12 + "I signed")
    path = tmp_path / "talk.txt"
    path.write_text(long)
    document = DocumentLoader().load(path)
    passages = SentenceChunker(ChunkingConfig(80, 0), tokenizer).passages("d", document)
    assert all(tokenizer.counts([f"{' '.join(p.headings)} {p.text}"])[0] <= 80 for p in passages)
    cut = next(p for p in passages if p.text.startswith("The crate"))
    assert cut.headings == ("Tomas Adeyemi",)
    assert passages[0].headings[0].startswith("Rosa Lindqvist")


def test_passages_break_between_turns(tmp_path: Path, tokenizer: WordPieceTokenizer) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(CAMEL + "\n" + CAMEL)
    document = DocumentLoader().load(path)
    passages = SentenceChunker(ChunkingConfig(60, 1), tokenizer).passages("d", document)
    assert len(passages) > 2
    assert {p.start for p in passages} <= {block.start for block in document.blocks}


def test_a_passage_names_the_day(tmp_path: Path, tokenizer: WordPieceTokenizer) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("Session of 1:47 pm on 18 May, 2023\n\n" + CAMEL + "\n" + CAMEL)
    document = DocumentLoader().load(path)
    passages = SentenceChunker(ChunkingConfig(60, 1), tokenizer).passages("d", document)
    assert [p.headings[:1] for p in passages[1:]] == [("18 May 2023",)] * (len(passages) - 1)
