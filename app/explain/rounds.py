"""The rounds of the loop that checks an answer: what was asked, what held, why not, what came next."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from app.answers.claims import LOOKS, by_words, claim_tip, doubt_words
from app.answers.wording import duration, route_name
from app.look import theme
from app.look.counting import listed
from app.look.translation import tr
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import TOP, column, drop, grid
from core.types import Round, Validation, Verdict

# The parts of the check in words. Others are shown as they are.
CHECKS = {"relevance": tr("Relevance"), "grounding": tr("Grounding"), "resolution": tr("Resolution")}
TIPS = {
    "relevance": tr("Is a sentence of the passages near to the question in meaning?"),
    "grounding": tr(
        "Does what is asked stand where the answer is quoted? Of a written answer: does a passage carry it?"
    ),
    "resolution": tr("Is the answer of the kind that is asked for, and told rather than not?"),
}


class RoundList(QWidget):
    """One card a round, in order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("roundList")
        self.setAccessibleName(tr("Rounds of the check"))
        self.cards: list[RoundCard] = []
        self._column = column(on=self)

    def show_rounds(self, rounds: tuple[Round, ...]) -> None:
        """Replace what is shown."""
        drop(self._column, self.cards)
        self.cards = [RoundCard(entry, self) for entry in rounds]
        for card in self.cards:
            self._column.addWidget(card)


class RoundCard(QFrame):
    """Question and route, the three parts of the check, what followed."""

    def __init__(self, attempt: Round, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.round = attempt
        words = tr(
            "Round {number}  \u00b7  {route}  \u00b7  {time}",
            number=attempt.number,
            route=route_name(attempt.route),
            time=duration(attempt.seconds),
        )
        self.head = _text(words, "small")
        self.question = PlainLabel(attempt.question, wrap=True, selectable=True, bold=True)
        self.answer = _text(attempt.answer or tr("No answer was found."))
        self.outcome, self.claims = _text(outcome_words(attempt)), self._claims()
        column(
            *(
                self.head,
                self.question,
                self.claims if attempt.claims else self.answer,
                self._checks(),
                self.outcome,
            ),
            spacing=theme.GRID,
            margins=(12, theme.WITHIN),
            on=self,
        )
        self.setAccessibleName(round_words(attempt))

    def _claims(self) -> QGridLayout:
        """The sentences of the answer, each with its sign; empty where they were not judged one by one."""
        lines = []
        for claim in self.round.claims:
            look, supported = LOOKS[claim.verdict], claim.verdict is Verdict.SUPPORTED
            words = claim.text if supported else f"{claim.text} {doubt_words(claim)}"
            lines.append((Icon(look.icon, look.role, 16), _text(words, tip=claim_tip(claim))))
        return grid(lines, across=theme.WITHIN, wide=1, place=TOP)

    def _checks(self) -> QGridLayout:
        lines = []
        for check in self.round.validations:
            icon = Icon("check-circle", "ok", 16) if check.passed else Icon("x-circle", "error", 16)
            words = _describe_check(check)
            name = PlainLabel(words, selectable=True, tip=TIPS.get(check.name, ""))
            score = PlainLabel(f"{check.score:.2f}", "muted", selectable=True)
            lines.append((icon, name, score, _text(f"{check.words} ({by_words(check.by)})", "muted")))
        return grid(lines, across=theme.WITHIN, wide=3, place=TOP)


def check_name(check: Validation) -> str:
    """A part of the check in words; others keep their letters."""
    return CHECKS.get(check.name, check.name.capitalize())


def _describe_check(check: Validation) -> str:
    name = check_name(check)
    return tr("{check} holds", check=name) if check.passed else tr("{check} fails", check=name)


def outcome_words(attempt: Round) -> str:
    """Why the round was not enough and what was asked next; or that it holds."""
    if not attempt.failure:
        return tr("The answer holds.")
    failed = CHECKS.get(attempt.failure, attempt.failure.capitalize())
    if not attempt.rewrite:
        return tr("{check} fails. Nothing was left to try.", check=failed)
    return tr("{check} fails. Next: {rewrite}.", check=failed, rewrite=attempt.rewrite.rstrip("."))


def round_words(attempt: Round) -> str:
    """The whole round in one line, for a screen reader."""
    checks = listed(
        tr("{check} with {score}", check=_describe_check(check), score=f"{check.score:.2f}")
        for check in attempt.validations
    )
    return tr(
        "Round {number}, {route}: {question} {checks}. {outcome}",
        number=attempt.number,
        route=route_name(attempt.route),
        question=attempt.question,
        checks=checks,
        outcome=outcome_words(attempt),
    )


def _text(words: str, kind: str = "", tip: str = "") -> PlainLabel:
    return PlainLabel(words, kind, wrap=True, selectable=True, tip=tip)
