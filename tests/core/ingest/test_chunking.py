"""Passages: whole sentences, true offsets, nothing lost, never beyond the encoder's window."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.config import ChunkingConfig
from core.errors import BadInput
from core.ingest.chunking import SentenceChunker
from core.models.minilm import WordPieceTokenizer
from core.types import LoadedDocument, Page, Passage

PROSE = "The Grey Petrel left Walvis Bay in the morning. Nobody saw her leave the harbour that day. "


def chunk(
    text: str,
    tokenizer: WordPieceTokenizer,
    max_tokens: int = 200,
    overlap: int = 1,
    title: str = "The ship",
    **more: object,
) -> list[Passage]:
    document = replace(LoadedDocument(text, title, "text/plain"), **more)
    return SentenceChunker(ChunkingConfig(max_tokens=max_tokens, overlap=overlap), tokenizer).passages(
        "d", document
    )


letters = st.characters(exclude_categories=("Cs", "Cc"))
texts = st.one_of(
    st.text(st.one_of(letters, st.sampled_from("\n\t .")), max_size=400),
    st.lists(
        st.one_of(
            st.sampled_from(
                ["Mr.", "Vestmar", "sold.", "It", "\n", "\n\n", "漢字", "https://a.b/c?d=e&f=g", "한국어"]
            ),
            st.integers(1, 900).map(lambda n: "w" * n),
            st.integers(1, 300).map(lambda n: "漢" * n),
            st.integers(1, 300).map(lambda n: "a-" * n),
        ),
        max_size=120,
    ).map(" ".join),
)


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=texts,
    max_tokens=st.integers(32, 256),
    overlap=st.integers(0, 3),
    title=st.text(letters, max_size=80),
)
def test_promises_for_any_text(
    tokenizer: WordPieceTokenizer, text: str, max_tokens: int, overlap: int, title: str
) -> None:
    passages = chunk(text, tokenizer, max_tokens, overlap, title)
    covered: set[int] = set()
    for ordinal, passage in enumerate(passages):
        assert passage.ordinal == ordinal
        assert passage.text == text[passage.start : passage.end] != ""
        assert tokenizer.count(f"{passage.title}\n{passage.text}") <= max_tokens
        last = 0
        for sentence in passage.sentences:
            assert last <= sentence.start < sentence.end <= len(passage.text)
            assert not passage.text[last : sentence.start].strip()
            last = sentence.end
        assert last == len(passage.text)
        covered.update(range(passage.start, passage.end))
    assert all(at in covered for at, character in enumerate(text) if not character.isspace())
    assert [p.start for p in passages] == sorted({p.start for p in passages})
    assert len({passage.id for passage in passages}) == len(passages)


def test_passages_are_full_and_repeat_one_sentence(tokenizer: WordPieceTokenizer) -> None:
    passages = chunk(PROSE * 60, tokenizer)
    sizes = [tokenizer.count(f"{p.title}\n{p.text}") for p in passages]
    assert all(size > 170 for size in sizes[:-1])
    for before, after in pairwise(passages):
        assert before.start < after.start < before.end
        assert before.text.endswith(after.text[: after.sentences[0].end])
    apart = chunk(PROSE * 60, tokenizer, overlap=0)
    assert all(before.end < after.start for before, after in pairwise(apart))


def test_a_page_that_is_full_enough_ends_the_passage(tokenizer: WordPieceTokenizer) -> None:
    first, second = (PROSE * 6).strip(), (PROSE * 3).strip()
    pages = (Page(1, 0, len(first)), Page(2, len(first) + 2, len(first) + 2 + len(second)))
    passages = chunk(f"{first}\n\n{second}", tokenizer, pages=pages)
    assert [(p.page, p.text) for p in passages] == [(1, first), (2, second)]


def test_a_nearly_empty_page_joins_the_next(tokenizer: WordPieceTokenizer) -> None:
    pages = (Page(1, 0, 9), Page(2, 9, 9), Page(3, 11, 11 + len(PROSE)))
    passages = chunk(f"The cover\n\n{PROSE}", tokenizer, pages=pages)
    assert [p.page for p in passages] == [1]


def test_paragraphs_stay_together_and_headings_with_them(tokenizer: WordPieceTokenizer) -> None:
    paragraph = (PROSE * 3).strip()
    text = "\n\n".join(
        ["First part", paragraph, "Second part", paragraph, "Third part", paragraph, "Fourth", paragraph]
    )
    passages = chunk(text, tokenizer, overlap=0)
    assert len(passages) > 1
    for passage in passages:
        assert text[: passage.start].endswith("\n\n") or passage.start == 0
        assert passage.text.endswith("day.")


def test_a_title_that_is_too_long_is_cut(tokenizer: WordPieceTokenizer) -> None:
    title = "An account of everything that ever happened on the ship " * 8
    passages = chunk(PROSE * 20, tokenizer, title=title)
    assert title.startswith(passages[0].title)
    assert 0 < tokenizer.count(passages[0].title) <= 52
    assert len(passages[0].sentences) > 5


def test_nothing_to_read_gives_no_passage(tokenizer: WordPieceTokenizer) -> None:
    assert chunk("", tokenizer) == chunk(" \n\n\t ", tokenizer) == []


@pytest.mark.parametrize(("max_tokens", "overlap"), [(31, 1), (200, -1)])
def test_settings_that_cannot_work_are_refused(
    tokenizer: WordPieceTokenizer, max_tokens: int, overlap: int
) -> None:
    with pytest.raises(BadInput) as caught:
        SentenceChunker(ChunkingConfig(max_tokens=max_tokens, overlap=overlap), tokenizer)
    assert caught.value.remedy
