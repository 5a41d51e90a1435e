"""Questions that were answered, added up: routes over time, latency, abstention, diversity of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import numpy as np

from core.models.prompt import estimate
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
    evidence_tokens = sum(estimate(each.passage.text) for each in answer.evidence)
    return AskedQuestion(
        datetime.now(UTC).isoformat("T", "seconds"),
        route,
        trace.route.forced,
        route.startswith(_OWN) and not trace.route.forced,
        kind,
        trace.route.complexity.score,
        trace.seconds,
        evidence_tokens + answer.usage.tokens_in,
        0,
        len(answer.communities),
    )


def summarised(questions: Sequence[AskedQuestion], by: By) -> Monitoring:
    """All together and by the days, or weeks from Monday on, on which any was asked, in local time."""
    buckets: dict[date, list[AskedQuestion]] = {}
    for asked in questions:
        day = _day(asked)
        begin = day - timedelta(days=day.weekday()) if by == "week" else day
        buckets.setdefault(begin, []).append(asked)
    parts = tuple(together(buckets[begin], begin) for begin in sorted(buckets))
    found = Monitoring(all_together(questions), parts)
    free = [q.route for q in questions if not q.forced and q.route not in (NOT_SOUGHT, TABLE)]
    if len(free) < ENOUGH:
        return found
    (route, count), *_ = Counter(free).most_common(1)
    share = count / len(free)
    return replace(found, one_sided=route, one_sided_share=share) if share > ONE_SIDED else found


def all_together(questions: Sequence[AskedQuestion]) -> AskedTogether:
    """What holds of all, from the day of the first on."""
    if not questions:
        return AskedTogether("")
    return together(questions, _day(min(questions, key=lambda asked: asked.made)))


def together(questions: Sequence[AskedQuestion], begin: date) -> AskedTogether:
    """What holds of these questions, of which there is at least one, together."""
    seconds = np.array([asked.seconds for asked in questions])
    based = [asked for asked in questions if asked.documents] or questions
    kinds, count = Counter([asked.kind for asked in questions]), len(questions)
    routes = sorted(
        Counter([asked.route for asked in questions]).items(), key=lambda pair: (-pair[1], pair[0])
    )
    return AskedTogether(
        begin.isoformat(),
        count,
        tuple(routes),
        float(np.median(seconds)),
        # A value that occurred: between two answers there is none that anybody waited for.
        float(np.percentile(seconds, 95, method="inverted_cdf")),
        kinds["refusal"] / count,
        kinds["guess"] / count,
        sum([asked.own for asked in questions]) / count,
        sum([asked.forced for asked in questions]) / count,
        sum([asked.tokens for asked in questions]) / count,
        sum([asked.documents for asked in based]) / len(based),
        sum([asked.communities for asked in based]) / len(based),
        sum([asked.score for asked in questions]) / count,
    )


def _day(asked: AskedQuestion) -> date:
    """In local time."""
    return datetime.fromisoformat(asked.made).astimezone().date()
