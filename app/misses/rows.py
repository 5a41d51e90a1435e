"""The table of changes that were tried, and what one of them does to the pinned questions, in words."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.answers.wording import NOT_TOLD, duration, percent
from app.look.translation import tr, trn
from app.widgets.table import Column, RecordTable
from core.types import Answer, MissPins, MissTrial

# The best first, as the column sorts them.
OUTCOMES = {
    "cited": tr("\u25b2 the answer rests on it"),
    "read": tr("\u25b2 read"),
    "nearer": tr("\u2191 nearer"),
    "same": tr("= the same"),
    "further": tr("\u2193 further away"),
    "failed": tr("\u2717 could not be tried"),
}
_PINS = {
    "better": tr("{count} better"),
    "worse": tr("{count} worse"),
    "changed": tr("{count} changed"),
    "same": tr("{count} the same from other passages"),
}


def trials_table(parent: QObject | None = None) -> RecordTable:
    order = list(OUTCOMES)
    return RecordTable(
        (
            Column(tr("Change"), lambda trial: trial.change.words, share=1.6),
            Column(tr("What came of it"), _outcome, lambda trial: order.index(trial.outcome), width=190),
            Column(
                tr("Place"),
                _ranks,
                lambda trial: trial.rank or 10**9,
                number=True,
                width=110,
                tip=tr("Of the passage, before and with the change"),
            ),
            Column(tr("Answer"), lambda trial: said(trial.answer) or trial.words, share=1.4, needs=560),
            Column(
                tr("Time"),
                lambda trial: duration(trial.seconds),
                lambda trial: trial.seconds,
                number=True,
                width=76,
                needs=760,
            ),
        ),
        parent,
    )


def said(answer: Answer | None) -> str:
    """The answer in one line with its probability; "" for none."""
    if answer is None:
        return ""
    text = NOT_TOLD if answer.abstained else " ".join(answer.text.split())
    return tr("{answer} ({share})", answer=text, share=percent(answer.confidence))


def best_words(trials: list[MissTrial]) -> str:
    """How many were tried, and how many would have kept it."""
    hits = sum(trial.outcome in ("cited", "read") for trial in trials)
    tried = trn("{count} change tried", "{count} changes tried", len(trials))
    would = trn("{count} would have kept it", "{count} would have kept it", hits)
    return tr("{tried}, {would}", tried=tried, would=would)


def pins_words(found: MissPins) -> str:
    """What a change does to the pinned questions, with those that get worse."""
    if not found.total:
        return tr("No question is pinned: nothing tells what else this would change.")
    parts = [words.format(count=count) for name, words in _PINS.items() if (count := found.count(name))]
    parts.append(tr("{count} the same", count=found.same))
    summary = trn("Of {count} pinned question: {sums}.", "Of {count} pinned questions: {sums}.", found.total,
               sums=tr(", ").join(parts))  # fmt: skip
    worse = [pin.change.now.question for pin in found.affected if pin.change.outcome == "worse"]
    return "\n".join((summary, *(tr("\u25bc worse: {question}", question=question) for question in worse)))


def _outcome(trial: MissTrial) -> str:
    return OUTCOMES[trial.outcome]


def _ranks(trial: MissTrial) -> str:
    before, now = (f"{rank:,}" if rank is not None else "\u2013" for rank in (trial.rank_before, trial.rank))
    return before if before == now else f"{before} \u2192 {now}"
