"""Questions that were answered, added up: routes over time, latency, abstention, diversity of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import numpy as np

from core.providers.prompt import estimate
from core.types import Answer, AskedQuestion, AskedTogether, Monitoring

By = Literal["day", "week"]
ONE_SIDED = 0.8  # share of one route from which on people are told (triple-layer 7.1.3)
ENOUGH = 20  # questions that it takes to tell
NOT_SOUGHT = "none"  # the gate found that no document is about it
TABLE = "table"  # computed from the cells of a table
_OWN = "lab:"


def asked_question(answer: Answer) -> AskedQuestion:
    """How it went, without a word of it, made now; documents and communities of its evidence are not counted yet."""
    trace = answer.trace
    route = trace.route.name
    if any(stage.name == "table" for stage in trace.stages) and not trace.route.forced:
        route = TABLE
    elif not (trace.hits or answer.citations or answer.evidence):
        route = NOT_SOUGHT
    kind = "refusal" if answer.abstained else "guess" if answer.guess else "answer"
    shown = sum(estimate(each.passage.text) for each in answer.evidence)
    return AskedQuestion(
        datetime.now(UTC).isoformat("T", "seconds"),
        route,
        trace.route.forced,
        route.startswith(_OWN) and not trace.route.forced,
        kind,
        trace.route.complexity.score,
        trace.seconds,
        shown + answer.usage.tokens_in,
        0,
        len(answer.communities),
    )


def summarised(questions: Sequence[AskedQuestion], by: By) -> Monitoring:
    """All together and by the days, or weeks from Monday on, on which any was asked, in local time."""
    buckets: dict[date, list[AskedQuestion]] = {}
    for asked in questions:
        buckets.setdefault(_begin(asked, by), []).append(asked)
    days = sorted(buckets)
    first = min((_begin(asked, "day") for asked in questions), default=None)
    found = Monitoring(
        together(questions, first.isoformat() if first else ""),
        tuple(together(buckets[day], day.isoformat()) for day in days),
    )
    free = [q.route for q in questions if not q.forced and q.route not in (NOT_SOUGHT, TABLE)]
    if len(free) < ENOUGH:
        return found
    (route, count), *_ = Counter(free).most_common(1)
    share = count / len(free)
    return replace(found, one_sided=route, one_sided_share=share) if share > ONE_SIDED else found


def together(questions: Sequence[AskedQuestion], begin: str) -> AskedTogether:
    """What holds of these questions together."""
    if not questions:
        return AskedTogether(begin)
    seconds = np.array([asked.seconds for asked in questions])
    based = [asked for asked in questions if asked.documents] or questions
    # A value that occurred: between two answers there is none that anybody waited for.
    slow = float(np.percentile(seconds, 95, method="inverted_cdf"))
    routes = sorted(Counter(asked.route for asked in questions).items(), key=lambda pair: (-pair[1], pair[0]))
    return AskedTogether(
        begin,
        len(questions),
        tuple(routes),
        float(np.median(seconds)),
        slow,
        _mean([asked.kind == "refusal" for asked in questions]),
        _mean([asked.kind == "guess" for asked in questions]),
        _mean([asked.own for asked in questions]),
        _mean([asked.forced for asked in questions]),
        _mean([asked.tokens for asked in questions]),
        _mean([asked.documents for asked in based]),
        _mean([asked.communities for asked in based]),
        _mean([asked.score for asked in questions]),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(np.array(values, dtype=np.float64)))


def _begin(asked: AskedQuestion, by: By) -> date:
    """The first day, in local time."""
    day = datetime.fromisoformat(asked.made).astimezone().date()
    return day - timedelta(days=day.weekday()) if by == "week" else day
