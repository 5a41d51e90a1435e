"""What each list counts: shares that sum to one, moved by what the lists show; files that cannot serve."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.config import RoutingConfig
from core.extraction.question import ParsedQuestion
from core.retrieval.fusion import LISTS
from core.retrieval.query import Query
from core.retrieval.routing.weighing import EQUAL, SHIPPED, Weigher, WeightModel, Weights, read, write
from core.retrieval.selection.wording import Wording
from core.types import Hit
from tests.core.retrieval.queries import query

Parse = Callable[[str], ParsedQuestion]
TEXTS = {
    "minutes": (
        "Minutes of June",
        "The zinc tariff of Port Vell was raised to nine pence after the second reading.",
    ),
    "weather": ("Minutes of July", "The weather was fair and the members met in the garden."),
    "dinner": ("Minutes of May", "Dinner was served at eight and the members went home."),
    "roof": ("Minutes of March", "The roof of the hall was mended by the members."),
}
QUESTION = "What was the zinc tariff of Port Vell raised to after the second reading?"
HOSTILE = ["", "誰がこの船を所有していますか?", "(" * 2000, "\x00\x07 who\u202e?"]


def texts(ids: Sequence[str]) -> list[tuple[str, str]]:
    return [TEXTS[key] for key in ids]


def holding(words: Sequence[str]) -> list[int]:
    return [sum(word in f"{title} {text}".lower() for title, text in TEXTS.values()) for word in words]


def query_of(parse: Parse, text: str) -> Query:
    return replace(query(text), parse=parse)


def weigher(
    model: WeightModel, early: WeightModel | None = None, low: float = RoutingConfig().low
) -> Weigher:
    wording = Wording(texts)
    config = RoutingConfig(low=low)
    return Weigher(Weights(model, early), config, wording, holding, len(TEXTS), {})


def constant(*shares: float) -> WeightModel:
    """Weighs so whatever is asked."""
    return WeightModel((), np.zeros(0), np.ones(0), np.zeros((3, 0)), np.log(shares))


def hits(scores: Mapping[str, float]) -> tuple[Hit, ...]:
    return tuple(Hit(key, score, rank) for rank, (key, score) in enumerate(scores.items(), start=1))


NOISE = hits({"dinner": 0.26, "roof": 0.25, "weather": 0.25, "minutes": 0.24})
FOUND = hits({"minutes": 9.0, "roof": 1.0, "weather": 0.9, "dinner": 0.8})
EMPTY: dict[str, tuple[Hit, ...]] = dict.fromkeys(LISTS, ())
CASES = {
    "words found it": {"lexical": FOUND, "dense": NOISE, "graph": NOISE},
    "one list only": {**EMPTY, "dense": NOISE},
    "nothing found": EMPTY,
}


@pytest.mark.parametrize("case", CASES)
def test_weights_sum_to_one_whatever_is_asked(parse: Parse, case: str) -> None:
    judge = weigher(read(SHIPPED).full)
    for question in (QUESTION, *HOSTILE):
        found = judge(query_of(parse, question), CASES[case])
        assert tuple(found.weights) == LISTS
        assert sum(found.weights.values()) == pytest.approx(1.0)
        assert min(found.weights.values()) >= 0.0
        assert 0.0 < found.score < 1.0 and found.low < found.high
        assert all(np.isfinite(feature.contribution) and feature.words for feature in found.features)


def test_words_lead_where_the_graph_found_noise(parse: Parse) -> None:
    """The list by words holds the rare words at its top, far ahead; the graph's holds none of them."""
    asked_query = query_of(parse, QUESTION)
    judge = weigher(read(SHIPPED).full)
    found = judge(asked_query, CASES["words found it"])
    assert found.weights["lexical"] == max(found.weights.values())
    turned = judge(asked_query, {"lexical": NOISE, "dense": NOISE, "graph": FOUND})
    assert turned.score > found.score, "the graph gains where the graph found it"


def test_the_graph_stands_alone_from_the_high_share_on() -> None:
    model = constant(0.2, 0.2, 0.6)
    assert model.weights(np.zeros(0), 0.7).tolist() == pytest.approx([0.2, 0.2, 0.6])
    assert model.weights(np.zeros(0), 0.6 - 1e-9).tolist() == [0.0, 0.0, 1.0]


def test_contributions_tell_what_moved_the_graphs_share(parse: Parse) -> None:
    asked_query = query_of(parse, QUESTION)
    names = ("graph_first", "lexical_first")
    push = np.array([[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]])
    model = WeightModel(names, np.array([0.5, 0.5]), np.array([0.5, 0.5]), push, np.zeros(3))
    judge = weigher(model)
    moved = {f.name: f.contribution for f in judge(asked_query, CASES["words found it"]).features}
    assert moved["graph_first"] < 0.0 and moved["lexical_first"] < 0.0
    lists = {**EMPTY, "graph": FOUND}
    assert {f.name: f.contribution for f in judge(asked_query, lists).features}["graph_first"] > 0.0


@pytest.mark.parametrize(
    ("score", "words", "name"),
    [
        (0.35, 0.5, "dense"),
        (0.2, 0.6, "lexical"),
        (0.36, 0.9, "fusion"),
        (0.49, 0.5, "fusion"),
        (0.5, 0.5, "graph"),
    ],
)
def test_routes_are_named_for_what_counts_most(parse: Parse, score: float, words: float, name: str) -> None:
    judge = weigher(constant((1 - score) * words, (1 - score) * (1 - words), score))
    assert judge.route(judge(query_of(parse, QUESTION), EMPTY)).name == name


def test_a_model_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = read(SHIPPED)
    notes = write(tmp_path / "new" / "own.safetensors", written, {"measure": "recall"})
    assert json.loads(notes.read_text(encoding="utf-8")) == {"measure": "recall"}
    again = read(tmp_path / "new" / "own.safetensors")
    assert written.early is not None and again.early is not None
    for one, other in ((again.full, written.full), (again.early, written.early)):
        assert one.names == other.names
        assert np.array_equal(one.push, other.push) and np.array_equal(one.mean, other.mean)
    write(tmp_path / "one.safetensors", Weights(written.full), {})
    assert read(tmp_path / "one.safetensors").early is None


@pytest.mark.parametrize("broken", ["missing", "cut", "nan", "shape"])
def test_without_a_sound_file_all_lists_count_the_same(broken: str, tmp_path: Path, parse: Parse) -> None:
    file = tmp_path / "weights.safetensors"
    model = read(SHIPPED).full
    push = model.push.copy()
    push[0, 0] = np.nan
    if broken == "cut":
        file.write_bytes(SHIPPED.read_bytes()[:-100])
    elif broken == "nan":
        write(file, Weights(WeightModel(model.names, model.mean, model.scale, push, model.bias)), {})
    elif broken == "shape":
        write(
            file, Weights(WeightModel(model.names[1:], model.mean, model.scale, model.push, model.bias)), {}
        )
    read_back = read(file)
    assert read_back.full is EQUAL and read_back.early is None
    found = weigher(read_back.full)(query_of(parse, QUESTION), CASES["words found it"])
    assert (found.source, list(found.weights.values())) == ("equal", pytest.approx([1 / 3] * 3))


def test_the_graph_is_spared_at_or_below_the_low_threshold(parse: Parse) -> None:
    """What words and meaning show decides it, whatever the graph found; they keep what they count to each other."""
    asked_query = query_of(parse, QUESTION)
    full, early = constant(0.1, 0.1, 0.8), constant(0.6, 0.2, 0.2)
    lists = CASES["words found it"]
    judge = weigher(full, early, low=0.2)
    spared = judge.enough(asked_query, lists)
    assert spared is not None and spared.score == pytest.approx(0.2)
    assert spared.weights == pytest.approx({"lexical": 0.75, "dense": 0.25, "graph": 0.0})
    assert judge.sparing(asked_query, lists) == spared == judge.enough(asked_query, {**lists, "graph": FOUND})
    assert judge.route(spared).name == "lexical"
    assert weigher(full, early, low=spared.score).enough(asked_query, lists) is not None, "at the bar itself"
    asked = weigher(full, early, low=0.19)
    assert asked.enough(asked_query, lists) is None
    assert asked.sparing(asked_query, lists) == asked(asked_query, lists)


def test_from_the_high_share_on_words_and_meaning_decide_for_the_graph_alone(parse: Parse) -> None:
    """What all lists would tell (here that the graph counts little) is not asked for then."""
    asked_query = query_of(parse, QUESTION)
    full, early = constant(0.5, 0.4, 0.1), constant(0.2, 0.2, 0.6)
    lists = CASES["words found it"]
    certain = weigher(full, early, low=0.35).enough(asked_query, lists)
    assert certain is not None and certain.score == pytest.approx(0.6)
    assert certain.weights == {"lexical": 0.0, "dense": 0.0, "graph": 1.0}
    unsure = weigher(full, early, low=0.35).under(RoutingConfig(low=0.35, high=0.61))
    assert unsure.enough(asked_query, lists) is None and unsure.sparing(
        asked_query, lists
    ).score == pytest.approx(0.1)


def test_the_graph_is_asked_where_nothing_else_found_or_nothing_was_learned(parse: Parse) -> None:
    full, early = constant(0.1, 0.1, 0.8), constant(0.6, 0.3, 0.1)
    assert weigher(full, early).enough(QUESTION, {**EMPTY, "graph": FOUND}) is None
    assert weigher(full).enough(QUESTION, CASES["words found it"]) is None
