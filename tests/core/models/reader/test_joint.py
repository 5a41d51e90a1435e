"""Spans of several passages compete and agree; what only repeats the question is no answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.answering.joint import SIGNALS, Ranked, is_decided, proposals
from core.models.reader import PassageRead, SpanRead
from core.models.reader_examples import KINDS, Kind

TEXTS = ("Ann sailed from Tromsø in May.", "In May Ann sailed. She came from Tromsø.", "Bo stayed in Oslo?")


def read(text: str, *words: tuple[str, float], kind: Kind = Kind.SPAN, relevance: float = 0.9) -> PassageRead:
    kinds = np.full(len(KINDS), 0.02)
    kinds[KINDS.index(kind)] = 0.9
    spans = []
    for each, margin in words:
        start = text.index(each)
        spans.append(SpanRead(start, start + len(each), margin, 0.5, 0.5))
    return PassageRead(kinds, relevance, tuple(spans), ())


def ranked(*texts: str) -> list[Ranked]:
    return [Ranked(text, place, 1 / place) for place, text in enumerate(texts, start=1)]


def test_passages_that_say_the_same_are_one_answer() -> None:
    reads = [read(TEXTS[0], ("Tromsø", 3.0), ("May", 1.0)), read(TEXTS[1], ("Tromsø", 4.0))]
    first, second = proposals("Where did Ann sail from?", ranked(*TEXTS[:2]), reads)
    assert (first.text, [place.passage for place in first.places]) == ("Tromsø", [1, 0])
    assert first.signals[SIGNALS.index("agreement")] > second.signals[SIGNALS.index("agreement")]


def test_an_answer_neither_repeats_the_question_nor_asks() -> None:
    reads = [read(TEXTS[0], ("Ann", 9.0), ("Tromsø", 1.0)), read(TEXTS[2], ("Bo stayed in Oslo?", 8.0))]
    found = proposals("Where did Ann sail?", ranked(TEXTS[0], TEXTS[2]), reads)
    assert [each.text for each in found] == ["Tromsø"]
    choice = proposals("Was it Ann or Bo?", ranked(TEXTS[0]), [read(TEXTS[0], ("Ann", 2.0))])
    assert [each.text for each in choice] == ["Ann"], "one of two may repeat the question"
    assert proposals("Who?", [], []) == []


def test_yes_and_no_come_with_what_decides() -> None:
    reads = [read(TEXTS[0], ("Ann sailed from Tromsø", 2.0), kind=Kind.YES)]
    found = {each.text: each for each in proposals("Did Ann leave Tromsø?", ranked(TEXTS[0]), reads)}
    assert found["yes"].signals[0] > found["no"].signals[0]
    place = found["yes"].places[0]
    assert TEXTS[0][place.start : place.end] == "Ann sailed from Tromsø"


def test_a_list_holds_the_members_of_all_passages_that_are_as_sure() -> None:
    texts = ("The Anna, the Brise and the Clio lie here.", "The Dora and the Anna came.", "The Emma sank.")
    names = (("Anna", "Brise", "Clio"), ("Dora", "Anna"), ("Emma",))
    reads = [
        replace(
            read(text, (found[0], margin), kind=Kind.SEVERAL),
            runs=tuple((text.index(name), text.index(name) + 4 + (name == "Brise")) for name in found),
        )
        for text, found, margin in zip(texts, names, (5.0, 4.0, 1.0), strict=True)
    ]
    best, *_ = proposals("Which ships?", ranked(*texts), reads)
    assert (best.text, best.kind) == ("Anna, the Brise, Clio and Dora", Kind.SEVERAL)
    assert [place.passage for place in best.places] == [0, 0, 0, 1]


def test_what_ranks_below_is_read_where_it_may_add() -> None:
    telling, silent = read(TEXTS[0], ("Tromsø", 4.0)), read(TEXTS[2], ("Bo", -1.0), kind=Kind.NONE)
    assert is_decided([silent, telling]) and not is_decided([silent]) and not is_decided([])
    assert not is_decided([read(TEXTS[0], ("Tromsø", 2.0))]), "that is no more than likely"
    assert not is_decided([telling], several=True)
    assert not is_decided([read(TEXTS[0], ("Ann sailed", 4.0), kind=Kind.YES)])
    assert not is_decided([read(TEXTS[0], ("Ann", 4.0), kind=Kind.SEVERAL)])
