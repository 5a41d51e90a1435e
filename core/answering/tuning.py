"""Weights of the lists, thresholds and the bar of an answer, fitted to the questions of one person.

EA-GraphRAG 3.3 tunes its thresholds on accuracy; here on the places that the person expects, each question judged by
settings that were chosen without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.answering.rankings import Rankings
from core.config import Config, RoutingConfig, with_settings
from core.errors import BadInput
from core.progress import TaskContext
from core.store.store import Store
from core.text.translation import tr
from core.types import Complexity, JudgedAnswer, JudgedPlace, TunedBar, TunedSetting, Tuning
from core.types.pins import RECALL_AT

LEAST = 8  # questions with expected places; fewer say nothing
_LEAST_ANSWERS = 20  # judged ones, for the bar of an answer
_LEAST_ABOVE = 10
_PRECISION = 0.85  # of what is shown as an answer
_BARS = tuple(round(0.3 + 0.05 * step, 2) for step in range(13))
_LOWS, _HIGHS, _FACTORS = (0.0, 0.2, 0.35, 0.5, 0.8), (0.5, 0.75, 1.0), (0.25, 0.5, 1.0, 2.0, 4.0)
_FACTOR_NAMES = ("retrieval.lexical_weight", "retrieval.graph_weight")  # against the list by meaning
_HEAVIEST = 100.0  # of a list
_RANK_SHARE = 0.1  # of a reciprocal rank beside the recall: higher up is better among equals
_COST = 0.004  # of each setting that is changed
_DEPTH = 10
_NET = 2  # questions that must be better, more than worse, by settings chosen without them


@dataclass(frozen=True, slots=True)
class TuningQuestion:
    """A question, and the passages that hold each expected place: ids, one set a place."""

    text: str
    places: tuple[frozenset[str], ...]


def questions_of(store: Store) -> tuple[list[TuningQuestion], int]:
    """Return pinned questions, then those whose answer was judged right, with places that still exist.

    The number is that of the pinned ones.
    """
    found: dict[str, TuningQuestion] = {}
    for pin in store.pins.all():
        _add(store, found, pin.question, pin.places if pin.route == "auto" else ())
    pinned = len(found)
    for judged in store.judged_answers.all():
        _add(store, found, judged.question, judged.places if judged.right and judged.answer else ())
    return list(found.values()), pinned


def _add(
    store: Store, found: dict[str, TuningQuestion], question: str, expected: Sequence[JudgedPlace]
) -> None:
    places = tuple(ids for place in expected if (ids := store.pins.located(place)[1]))
    key = " ".join(question.split()).casefold()
    if places and key not in found:
        found[key] = TuningQuestion(question, places)


def tune(store: Store, rankings: Rankings, config: Config, context: TaskContext) -> Tuning:
    """Return the settings by which the person's questions find most of what they expect, and what they change.

    Raises BadInput where too few questions say what they expect; Cancelled.
    """
    questions, pinned = questions_of(store)
    if len(questions) < LEAST:
        raise BadInput(
            tr(
                "{count} of your questions say which passages they expect; {least} are needed.",
                count=len(questions),
                least=LEAST,
            ),
            tr("Pin more with: clew pins add; or, in the window, pin answers or judge them as right."),
        )
    tried = list(_variants(config))
    scores, recalls = np.empty((len(tried), len(questions))), np.empty((len(tried), len(questions)))
    for at, question in enumerate(questions):
        context.report("questions", at, len(questions))
        query = rankings.analyse(question.text)
        lists = rankings.lists(query, context)
        weighed: dict[RoutingConfig, Complexity] = {}
        for row, (_, variant) in enumerate(tried):
            if variant.routing not in weighed:
                weighed[variant.routing] = rankings.weigh_under(query, lists, variant.routing)
            ids = rankings.join_under(lists, weighed[variant.routing], variant.retrieval, _DEPTH)
            ranks = _ranks(question, ids)
            recalls[row, at] = np.mean([rank <= RECALL_AT for rank in ranks])
            scores[row, at] = recalls[row, at] + _RANK_SHARE / min(ranks)
    costs = _COST * np.array([len(lines) for lines, _ in tried])
    chosen, left_out = _choose(scores, costs)
    without = recalls[left_out, np.arange(len(questions))]
    if (without > recalls[0]).sum() - (without < recalls[0]).sum() < _NET:
        chosen = 0  # what was gained is not gained on questions that took no part
    bar = _bar(store.judged_answers.all(), config.answer.sure)
    lines = [*tried[chosen][0], *([f"answer.sure={bar.now:g}"] if bar and bar.now != bar.before else [])]
    return Tuning(
        pinned,
        len(questions) - pinned,
        _named(config, lines),
        float(recalls[0].mean()),
        float(recalls[chosen].mean()),
        float(without.mean()),
        tuple(q.text for q, a, b in zip(questions, recalls[0], recalls[chosen], strict=True) if b > a),
        tuple(q.text for q, a, b in zip(questions, recalls[0], recalls[chosen], strict=True) if b < a),
        bar,
    )


def _named(config: Config, lines: Sequence[str]) -> tuple[TunedSetting, ...]:
    pairs = (line.split("=") for line in lines)
    return tuple(TunedSetting(name, f"{_value(config, name):g}", value) for name, value in pairs)


def _variants(config: Config) -> Iterator[tuple[list[str], Config]]:
    """Yield the settings as they are, then every other combination with the lines that lead there."""
    yield [], config
    now = {name: _value(config, name) for name in (*_FACTOR_NAMES, "routing.low", "routing.high")}
    known = set[tuple[str, ...]]()
    pairs = [(low, high) for low, high in product(_LOWS, _HIGHS) if low <= high]
    pairs = list(dict.fromkeys([(now["routing.low"], now["routing.high"]), *pairs]))
    for (low, high), factors in product(pairs, product(_FACTORS, repeat=len(_FACTOR_NAMES))):
        wanted = {
            name: min(_HEAVIEST, now[name] * factor)
            for name, factor in zip(_FACTOR_NAMES, factors, strict=True)
        }
        wanted |= {"routing.low": low, "routing.high": high}
        lines = tuple(f"{name}={value:g}" for name, value in wanted.items() if value != now[name])
        if lines and lines not in known:
            known.add(lines)
            yield list(lines), with_settings(config, lines)


def _value(config: Config, name: str) -> float:
    part, _, field = name.partition(".")
    return float(getattr(getattr(config, part), field))


def _ranks(question: TuningQuestion, ids: Sequence[str]) -> list[float]:
    """Return the rank of the first passage that holds each place, from 1; infinity where none does."""
    return [
        next((float(rank) for rank, id in enumerate(ids, start=1) if id in place), float("inf"))
        for place in question.places
    ]


def _choose(scores: NDArray[np.float64], costs: NDArray[np.float64]) -> tuple[int, NDArray[np.int64]]:
    """Return the best row of `scores`, (variants, questions), and for each question the best without it.

    The first of equals wins: the settings as they are, else the fewest changes.
    """
    total, count = scores.sum(1), scores.shape[1]
    best = int(np.argmax(total / count - costs))
    without = (total[:, None] - scores) / max(1, count - 1) - costs[:, None]
    return best, np.argmax(without, axis=0)


def _bar(judged: Sequence[JudgedAnswer], now: float) -> TunedBar | None:
    """Return the lowest bar above which judged answers are right often enough; None where too few were judged."""
    answers = [(each.probability, each.right) for each in judged if each.answer]
    if len(answers) < _LEAST_ANSWERS:
        return None

    def above(bar: float) -> tuple[int, int]:
        above_bar = [right for probability, right in answers if probability >= bar]
        return len(above_bar), sum(above_bar)

    def holds(bar: float) -> bool:
        count, right = above(bar)
        # One more wrong one is counted: a bar is chosen where it happens to hold.
        return count >= _LEAST_ABOVE and right >= _PRECISION * (count + 1)

    bar = next((bar for bar in _BARS if holds(bar)), now)
    return TunedBar(len(answers), now, bar, *above(now), *above(bar))
