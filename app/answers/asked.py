"""Which question, by which route, found the passages of an answer: the loop may have asked in other words."""

from __future__ import annotations

from app.answers.wording import GLOBAL
from core.types import Answer


def asked_of(answer: Answer) -> tuple[str, str]:
    """Question and route, "auto" where Clew chose it."""
    trace = answer.trace
    done = next((done for done in reversed(trace.rounds) if done.answer == answer.text), None)
    if trace.route.forced or trace.route.name == GLOBAL:
        return (done.question if done else trace.question), trace.route.name
    if done is None or done.number == 1:
        return trace.question, "auto"
    return done.question, done.route if done.route == "graph" else "auto"
