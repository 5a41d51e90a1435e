"""Speakers and correspondents are entities under names that people read."""

from __future__ import annotations

from core.extraction.speakers import is_person, named_addresses, readable_name, with_speakers
from core.types import Block, BlockKind, ExtractedMention, Extraction, Passage, Triple

NAMES = {
    "MaryJones": "Mary Jones",
    "RonaldMcDonald": "Ronald McDonald",
    "JONES, Mary": "Mary Jones",
    "mary.jones@example.org": "Mary Jones",
    '"Jones, Mary" <mj@example.org>': "Mary Jones",
    "mj@example.org (Mary Jones)": "Mary Jones",
    "list@example.org [mailto:list@example.org] On Behalf Of Mary Jones": "Mary Jones",
    "info@example.org": "info@example.org",
    "Mr. Marc Dalton (Pitt Meadows)": "Mr. Marc Dalton",
    "王小明": "王小明",
}
TALK = "MaryJones: Peter, I met Anna Berg.\n\nokra_: Mary left me.\n\n* wren has joined\n\n"
BLOCKS = (
    Block(BlockKind.TURN, 0, 36, 0, "MaryJones", "PeterSmith"),
    Block(BlockKind.TURN, 36, 57, 0, "okra_"),
    Block(BlockKind.EVENT, 57, 75),
)


def test_names_are_readable_and_nicks_are_no_people() -> None:
    assert {name: readable_name(name) for name in NAMES} == NAMES
    assert {name: readable_name(name) for name in NAMES.values()} == {name: name for name in NAMES.values()}
    names = ("Mary Jones", "王小明", "okra_", "GavinH2", "The Chair", "Q")
    assert [name for name in names if is_person(name)] == ["Mary Jones", "王小明"]


def passage(text: str, blocks: tuple[Block, ...]) -> Passage:
    return Passage("p", "d", 0, "Talk", text, 0, len(text), blocks=blocks)


def test_turns_give_mentions_and_facts() -> None:
    found = Extraction(
        tuple(
            ExtractedMention(name, label, TALK.index(name), TALK.index(name) + len(name))
            for name, label in (
                ("MaryJones", "ORG"),
                ("Anna Berg", "PERSON"),
                ("Mary ", "ORG"),
                ("wren", "ORG"),
            )
        ),
        (
            Triple("I", "met", "Anna Berg", "p", 18, 34, 0.8),
            Triple("Mary", "left", "me", "p", 43, 56, 0.8),
            Triple("wren", "joined", "mill", "p", 57, 74, 0.8),
        ),
    )
    result = with_speakers(passage(TALK, BLOCKS), found)
    assert {(m.text, m.label, TALK[m.start : m.end]) for m in result.mentions} == {
        ("Mary Jones", "PERSON", "MaryJones"),
        ("okra_", "OTHER", "okra_"),
        ("Peter Smith", "PERSON", ""),
        ("Anna Berg", "PERSON", "Anna Berg"),
        ("Mary Jones", "PERSON", "Mary "),
    }
    assert [(t.subject, t.predicate, t.object) for t in result.triples] == [
        ("Mary Jones", "met", "Anna Berg"),
        ("Mary Jones", "left", "okra_"),
        ("Mary Jones", "wrote to", "Peter Smith"),
    ]
    assert TALK[result.triples[-1].start : result.triples[-1].end] == "MaryJones: Peter, I met Anna Berg."


def test_a_mail_says_who_wrote_to_whom() -> None:
    text = "From: Bob Smith <bob@example.org>\nTo: Mary Jones <mary@example.org>, Ali Reza\nDate: 4 May 2021\n\nHello."
    head = text.index("\n\n")
    ends = ("Bob Smith <bob@example.org>", "Mary Jones <mary@example.org>, ali@example.org")
    blocks = (Block(BlockKind.TURN, 0, len(text), 0, *ends), Block(BlockKind.NOTE, 0, head))
    result = with_speakers(passage(text, blocks), Extraction((), ()))
    assert [(t.subject, t.object) for t in result.triples] == [
        ("Bob Smith", "Mary Jones"),
        ("Bob Smith", "ali@example.org"),
    ]
    assert all(text[t.start : t.end].endswith("4 May 2021") for t in result.triples)
    assert ("Mary Jones", text.index("Mary")) in {(m.text, m.start) for m in result.mentions}


def test_addresses_get_the_names_that_other_lines_give() -> None:
    blocks = [
        Block(BlockKind.TURN, 0, 9, 0, "bob@example.org", "Mary Jones <MARY@example.org>"),
        Block(BlockKind.QUOTATION, 3, 9, 1, "<mary@example.org>"),
    ]
    speakers = [block.speaker for block in named_addresses(blocks)]
    assert speakers == ["bob@example.org", "Mary Jones <MARY@example.org>"]


def test_a_label_that_runs_into_a_name_is_the_speaker() -> None:
    text = "[00:12:04] Mrs Quist: Correct. Ole Berg left.\n"
    block = Block(BlockKind.TURN, 0, len(text), 0, "Mrs Quist")
    end = text.index(". Ole")
    glued = ExtractedMention("00:12:04] Mrs Quist: Correct", "WORK", 1, end)
    fact = Triple("Mrs Quist: Correct", "left", "mill", "p", 11, end, 0.8)
    result = with_speakers(passage(text, (block,)), Extraction((glued,), (fact,)))
    assert {m.text for m in result.mentions} == {"Mrs Quist"}
    assert {(t.subject, t.object) for t in result.triples} == {("Mrs Quist", "mill")}
