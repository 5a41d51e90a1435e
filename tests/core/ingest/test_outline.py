"""Blocks reach passages: headings as their path, boilerplate not at all, turns with who speaks."""

from __future__ import annotations

from core.config import ChunkingConfig
from core.ingest.chunking import SentenceChunker
from core.ingest.reading import Outline, in_order
from core.models.minilm import WordPieceTokenizer
from core.types import Block, BlockKind, LoadedDocument, Passage

TEXT = """Handbook

Home | About | Contact

Setting up

Disks

Choose the disk first. Then wait.

Network

The cable comes last.

Share this page

Use

Press the red button."""


def block(kind: BlockKind, words: str, level: int = 0) -> Block:
    start = TEXT.index(words)
    return Block(kind, start, start + len(words), level)


BLOCKS = in_order(
    [
        block(BlockKind.HEADING, "Use", 2),
        block(BlockKind.HEADING, "Handbook", 1),
        block(BlockKind.HEADING, "Setting up", 2),
        block(BlockKind.HEADING, "Disks", 3),
        block(BlockKind.HEADING, "Network", 3),
        block(BlockKind.BOILERPLATE, "Home | About | Contact"),
        block(BlockKind.BOILERPLATE, "Share this page"),
    ]
)


def test_a_path_holds_the_headings_above_and_not_the_title() -> None:
    outline = Outline(TEXT, BLOCKS, "Handbook")
    assert outline.path(TEXT.index("cable")) == ("Setting up", "Network")
    assert outline.path(TEXT.index("Network")) == ("Setting up",)
    assert outline.path(TEXT.index("red")) == ("Use",)
    assert outline.path(0) == ()
    assert Outline(TEXT, BLOCKS, "Other").path(TEXT.index("red")) == ("Handbook", "Use")


def passages(tokenizer: WordPieceTokenizer, max_tokens: int) -> list[Passage]:
    document = LoadedDocument(TEXT, "Handbook", "text/html", blocks=BLOCKS)
    return SentenceChunker(ChunkingConfig(max_tokens, 0), tokenizer).passages("d", document)


def test_boilerplate_is_in_no_passage_and_all_else_is(tokenizer: WordPieceTokenizer) -> None:
    found_passages = passages(tokenizer, 60)
    assert all(TEXT[p.start : p.end] == p.text for p in found_passages)
    words = " ".join(p.text for p in found_passages)
    assert "Contact" not in words
    assert "Share" not in words
    for part in ("Handbook", "Setting up", "Then wait.", "The cable comes last.", "red button."):
        assert part in words


def test_a_passage_knows_where_it_stands_and_what_its_parts_are(tokenizer: WordPieceTokenizer) -> None:
    last = passages(tokenizer, 60)[-1]
    assert last.text.startswith("Use")
    assert last.headings == ()
    assert last.blocks == (Block(BlockKind.HEADING, 0, 3, 2),)
    found = next(p for p in passages(tokenizer, 60) if "cable" in p.text)
    assert found.headings == Outline(TEXT, BLOCKS, "Handbook").path(found.start)
    assert [(b.kind, found.text[b.start : b.end]) for b in found.blocks if b.level == 3] == [
        (BlockKind.HEADING, name) for name in ("Disks", "Network") if name in found.text
    ]
    stored = TEXT.replace("cable", "cable " * 40)
    long = SentenceChunker(ChunkingConfig(40, 0), tokenizer).passages(
        "d", LoadedDocument(stored, "Handbook", "text/html", blocks=BLOCKS[:6])
    )
    assert any(p.headings == ("Setting up", "Network") for p in long)
