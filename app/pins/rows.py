"""The table of pinned questions: what is expected of each, what the last run gave, and what that changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.answers.wording import NO_ANSWER, POSSIBLE, route_name
from app.look.counting import listed
from app.look.translation import tr, trn
from app.widgets.table import Column, RecordTable
from core.types import Pin, PinChange, PinComparison, PinResult, SinceRun, Tuning

# The worst first, as the column sorts them.
OUTCOMES = {
    "worse": tr("\u25bc worse"),
    "better": tr("\u25b2 better"),
    "changed": tr("\u25c6 changed"),
    "new": tr("first run"),
    "same": tr("same"),
    "": tr("not run yet"),
}
_TUNED = {
    "retrieval.lexical_weight": tr("weight of words"),
    "retrieval.graph_weight": tr("weight of the graph"),
    "routing.low": tr("lower threshold"),
    "routing.high": tr("upper threshold"),
    "answer.sure": tr("bar of an answer"),
}
_SEPARATOR = "  \u00b7  "
_WHAT = {"answer": tr("answer"), "recall": tr("recall"), "rank": tr("rank")}


@dataclass(frozen=True, slots=True)
class PinRow:
    """A pinned question; `change` is None where no run has asked it yet."""

    pin: Pin
    change: PinChange | None
    gone: int = 0  # expected passages that stand in no document any more

    @property
    def outcome(self) -> str:
        return self.change.outcome if self.change else ""


def pin_rows(pins: Sequence[Pin], found: PinComparison | None, gone: Mapping[str, int]) -> tuple[PinRow, ...]:
    """Return the oldest first."""
    changes = {change.now.pin_id: change for change in found.changes} if found else {}
    return tuple(PinRow(pin, changes.get(pin.id), gone.get(pin.id, 0)) for pin in pins)


def pins_table(parent: QObject | None = None) -> RecordTable:
    order = list(OUTCOMES)
    return RecordTable(
        (
            Column(tr("Question"), lambda row: row.pin.question, share=1.8),
            Column(
                tr("Change"),
                change_words,
                lambda row: order.index(row.outcome),
                share=1.3,
                tip=tr("From the run before to the last one; worse where answer, recall or rank is"),
            ),
            Column(tr("Route"), _stepping(lambda result: route_name(result.route)), width=130, needs=620),
            Column(
                tr("Best rank"),
                _stepping(_rank),
                lambda row: row.change.now.best_rank or 99 if row.change else 100,
                number=True,
                width=92,
                needs=420,
                tip=tr("Of the expected passages, the first one's place among the ten best"),
            ),
            Column(
                tr("Recall"),
                _stepping(_recall),
                lambda row: -1.0 if row.change is None else row.change.now.recall or 0.0,
                number=True,
                width=104,
                needs=520,
                tip=tr("Share of the expected passages among the first five"),
            ),
            Column(tr("Answer"), _stepping(_answer_words), share=1.2),
            Column(tr("Expected"), _expected, needs=760),
        ),
        parent,
    )


def change_words(row: PinRow) -> str:
    """`\u25bc worse: recall, rank`."""
    words = OUTCOMES[row.outcome]
    if row.change is None or not (what := row.change.losses or row.change.gains):
        return words
    return tr("{outcome}: {what}", outcome=words, what=", ".join(_WHAT[each] for each in what))


def sums_words(found: PinComparison) -> str:
    """Of a run: how many questions, what changed, and the recall."""
    parts = [trn("{count} pinned question", "{count} pinned questions", len(found.changes))]
    parts += [
        tr("{count} {outcome}", count=count, outcome=words)
        for outcome, words in OUTCOMES.items()
        if outcome and (count := found.count(outcome))
    ]
    recalls = [run.recall for run in (found.before, found.now) if run is not None and run.recall is not None]
    if recalls:
        steps = " \u2192 ".join(dict.fromkeys(f"{recall:.2f}" for recall in recalls))
        parts.append(tr("mean recall {recall}", recall=steps))
    return _SEPARATOR.join(parts)


def tuning_words(found: Tuning) -> str:
    """Return what a person's questions would change, and what that is worth; or that nothing would."""
    if not found.settings:
        return tr("Nothing to change: no other weights or thresholds find more of what you expect.")
    change = tr("{name} {before} \u2192 {now}")
    changes = listed(change.format(name=_TUNED[s.name], before=s.before, now=s.now) for s in found.settings)
    if found.tuned_recall == found.recall and found.bar is not None:
        return trn(
            "{changes}: of {count} judged answer {now} would be shown as answers, {right} right ({before} now).",
            "{changes}: of {count} judged answers {now} would be shown as answers, {right} right ({before} now).",
            found.bar.judged,
            changes=changes,
            now=found.bar.count_now,
            right=found.bar.right_now,
            before=found.bar.count_before,
        )
    return tr(
        "{changes}: expected passages among the first five {before} \u2192 {now} ({left_out} when each question is "
        "left out of the fit).",
        changes=changes,
        before=f"{found.recall:.2f}",
        now=f"{found.tuned_recall:.2f}",
        left_out=f"{found.left_out_recall:.2f}",
    )


def asked_words(done: int, total: int) -> str:
    return trn("{done} of {count} question asked", "{done} of {count} questions asked", total, done=done)


def run_words(found: PinComparison, baseline: int | None) -> str:
    """Return which run this is, what it is compared with, and a line for each setting that differs."""
    now, before = found.now.number, found.before.number if found.before else None
    if before is None:
        headline = tr("Run {now}", now=now)
    elif baseline is None:
        headline = tr("Run {now}, compared with run {before}, the one before", now=now, before=before)
    elif now == before:
        headline = tr("Run {now} is the baseline", now=now)
    else:
        headline = tr("Run {now}, compared with run {before}, the baseline", now=now, before=before)
    return "\n".join((headline, *_steps(found.settings)))


def gone_words(count: int) -> str:
    """`\u26a0 2 expected passages are gone`; "" for none."""
    text = trn("\u26a0 {count} expected passage is gone", "\u26a0 {count} expected passages are gone", count)
    return text if count else ""


def since_words(since: SinceRun | None) -> str:
    """Return what changed since the last run; "" for nothing."""
    if not since:
        return ""
    changes = [tr("documents, facts or names changed")] if since.content else []
    changes += _steps(since.settings)
    if since.unasked:
        changes.append(
            trn("{count} question was not asked yet", "{count} questions were not asked yet", since.unasked)
        )
    return tr("Since run {number}: {changes}", number=since.number, changes=_SEPARATOR.join(changes))


def _steps(settings: Sequence[tuple[str, str, str]]) -> list[str]:
    return [f"{name}: {old or tr('default')} \u2192 {new or tr('default')}" for name, old, new in settings]


def _stepping(words_of: Callable[[PinResult], str]) -> Callable[[PinRow], str]:
    """Return what it was and is; once where both are the same."""

    def words(row: PinRow) -> str:
        if row.change is None:
            return ""
        now = words_of(row.change.now)
        before = words_of(row.change.before) if row.change.before else now
        return now if before == now else f"{before} \u2192 {now}"

    return words


def _rank(result: PinResult) -> str:
    return str(result.best_rank or tr("none")) if result.ranks else ""


def _recall(result: PinResult) -> str:
    return "" if result.recall is None else f"{result.recall:.2f}"


def _answer_words(result: PinResult) -> str:
    if result.kind == "refusal":
        return NO_ANSWER
    answer = " ".join(result.answer.split())
    return tr("{state}: {answer}", state=POSSIBLE, answer=answer) if result.kind == "guess" else answer


def _expected(row: PinRow) -> str:
    pin = row.pin
    answer = " ".join(pin.right_answer.split()) if pin.right_answer or pin.places else NO_ANSWER
    if not row.gone:
        return answer
    lost = gone_words(row.gone)
    return tr("{lost}; {answer}", lost=lost, answer=answer) if answer else lost
