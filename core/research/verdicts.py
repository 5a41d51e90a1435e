"""Asks again what people judged: which right answers still come, and which wrong ones are mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.errors import BadInput
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.calibration import Calibration, Confidence, calibration
from core.text.answer_score import exact_match, f1
from core.types import Answer, Citation, JudgedAnswer, JudgedExplanation, JudgedPlace
from core.workspace import Workspace

SAME = 0.5  # least F1 of two texts that are one answer, as for gold answers


class Outcome(StrEnum):
    """What became of a judged answer. A guess is no answer; to be silent again where that was right is to be right."""

    STILL_RIGHT = "still right"
    MENDED = "mended"  # a wrong one: now the right one that the person gave
    REPEATED = "repeated"  # a wrong one
    OTHER = "another answer"
    GUESSED = "only guessed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A judged answer and the one that comes now. `exact`, `f1`: of both texts; `place`: whether they cite the same."""

    judged: JudgedAnswer
    outcome: Outcome
    now: str  # "" where refused
    probability: float
    exact: float
    f1: float
    place: bool


@dataclass(frozen=True, slots=True)
class VerdictReport:
    """`outcomes` by verdict and outcome; `exact`, `f1` and `place` are means over the answers judged right."""

    rows: tuple[VerdictRow, ...]
    outcomes: dict[str, dict[str, int]]
    exact: float
    f1: float
    place: float
    lost: dict[
        str, str
    ]  # documents that judged answers cite and that are not as they were: changed, moved or gone
    calibration: Calibration
    explanations: tuple[JudgedExplanation, ...] = ()  # as they were judged


def ask_again(workspace: Workspace, context: TaskContext) -> VerdictReport:
    """Each question that was judged, by the route that a person had chosen for it or `auto`.

    Raises BadInput where nothing was judged.
    """
    judged = workspace.answers.judged()
    if not judged:
        raise BadInput(
            "No answer of this workspace was judged yet.", "Press Right or Wrong below answers in the window."
        )
    workspace.load_models(context)
    groups: dict[tuple[str, str], list[JudgedAnswer]] = {}
    for one in judged:
        groups.setdefault((one.question, one.route if one.forced else "auto"), []).append(one)
    rows: list[VerdictRow] = []
    found: list[Confidence] = []
    for number, ((question, route), group) in enumerate(groups.items(), start=1):
        context.report("questions", number, len(groups))
        answer = workspace.ask(question, context, route)
        hashes = {
            cited.document_id: workspace.documents.get(cited.document_id).sha256 for cited in answer.citations
        }
        places = [(cited, hashes[cited.document_id]) for cited in answer.citations]
        rows += [_row(one, answer, places) for one in group]
        found.append(_confidence(group, answer))
    report = summarise_verdicts(rows, found)
    return replace(report, explanations=tuple(workspace.answers.explanations()))


def summarise_verdicts(rows: Sequence[VerdictRow], found: Sequence[Confidence]) -> VerdictReport:
    """Counts and means of the rows, calibration of what was answered again."""
    outcomes = Counter((_verdict(row.judged), row.outcome.value) for row in rows)
    right = [row for row in rows if row.judged.right]
    places = (place for row in rows for place in row.judged.places)
    return VerdictReport(
        tuple(rows),
        {
            verdict: {
                outcome: count for (side, outcome), count in sorted(outcomes.items()) if side == verdict
            }
            for verdict in ("right", "wrong")
        },
        mean([row.exact for row in right]),
        mean([row.f1 for row in right]),
        mean([float(row.place) for row in right]),
        {place.document: place.state for place in places if place.state != "same"},
        calibration(found),
    )


def _verdict(judged: JudgedAnswer) -> str:
    return "right" if judged.right else "wrong"


def _row(judged: JudgedAnswer, answer: Answer, places: Sequence[tuple[Citation, str]]) -> VerdictRow:
    exact, score = _alike(answer.text, judged.answer)
    same = any(same_place(place, *now) for place in judged.places for now in places)
    outcome = outcome_of(judged, answer)
    return VerdictRow(judged, outcome, answer.text, answer.confidence, exact, score, same)


def outcome_of(judged: JudgedAnswer, answer: Answer) -> Outcome:
    """What became of a judged answer, by the words of the one that comes now."""
    if answer.abstained or answer.guess:
        silent = not judged.answer
        if silent:
            return Outcome.STILL_RIGHT if judged.right else Outcome.REPEATED
        return Outcome.GUESSED if answer.guess else Outcome.REFUSED
    again = _alike(answer.text, judged.answer)[1]
    if judged.right:
        return Outcome.STILL_RIGHT if again >= SAME else Outcome.OTHER
    mended = _alike(answer.text, judged.right_answer)[1] if judged.right_answer else 0.0
    if max(again, mended) < SAME:
        return Outcome.OTHER
    return Outcome.MENDED if mended > again else Outcome.REPEATED


def same_place(place: JudgedPlace, cited: Citation, sha256: str) -> bool:
    """Whether two spans of the same content overlap, or one quotes the other where the content changed."""
    if place.sha256 == sha256:
        return place.start < cited.end and cited.start < place.end
    old, new = " ".join(place.quote.split()), " ".join(cited.quote.split())
    return place.document == cited.document and bool(old and new) and (old in new or new in old)


def _confidence(group: Sequence[JudgedAnswer], answer: Answer) -> Confidence:
    """Of one question, by all that was said of its answers: the right ones are gold, the wrong ones are known."""
    golds = [one.answer if one.right else one.right_answer for one in group]
    texts = [gold for gold in golds if gold]
    untold = any(one.right and not one.answer for one in group)  # not to answer was right
    right: bool | None = None
    if not answer.abstained:
        if texts or untold:
            right = any(_alike(answer.text, gold)[1] >= SAME for gold in texts)
        elif any(_alike(answer.text, one.answer)[1] >= SAME for one in group):
            right = False
    return Confidence(answer.confidence, bool(texts) or not untold, right)


def _alike(one: str, other: str) -> tuple[float, float]:
    """Exact match and F1; two silences are alike."""
    if not one or not other:
        return (float(one == other),) * 2
    return exact_match(one, other), f1(one, other)
