"""The rounds of the loop that checks an answer: what was asked, what held, why not, what came next."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from app.answers.claims import LOOKS, by_words, claim_tip, doubt_words
from app.answers.wording import duration, route_name
from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from core.types import Round, Validation, Verdict

# The parts of the check in words. Others are shown as they are.
CHECKS = {"relevance": "Relevance", "grounding": "Grounding", "resolution": "Resolution"}
TIPS = {
    "relevance": "Do the passages speak of what the question names?",
    "grounding": "Does a passage carry every sentence of the answer?",
    "resolution": "Is the question answered, with enough support?",
}


class RoundList(QWidget):
    """One card a round, in order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("roundList")
        self.setAccessibleName("Rounds of the check")
        self.cards: list[RoundCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.WITHIN)

    def show_rounds(self, rounds: tuple[Round, ...]) -> None:
        """Replace what is shown."""
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [RoundCard(told, self) for told in rounds]
        for card in self.cards:
            self._column.addWidget(card)


class RoundCard(QFrame):
    """Question and route, the three parts of the check, what followed."""

    def __init__(self, told: Round, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.told = told
        self.head = _label("small")
        self.head.setText(
            f"Round {told.number}  \u00b7  {route_name(told.route)}  \u00b7  {duration(told.seconds)}"
        )
        self.question = _label("")
        theme.wear(self.question, weight=QFont.Weight.DemiBold)
        self.question.setText(told.question)
        self.answer = _label("", self)
        self.answer.setText(told.answer or "No answer was found.")
        self.outcome = _label("")
        self.outcome.setText(outcome_words(told))
        self._icons: list[tuple[PlainLabel, str, str]] = []  # with the name and the colour's role of each
        column = QVBoxLayout(self)
        column.setContentsMargins(12, theme.WITHIN, 12, theme.WITHIN)
        column.setSpacing(theme.GRID)
        for label in (self.head, self.question):
            column.addWidget(label)
        self.claims = self._claims()
        if self.claims.count():
            column.addLayout(self.claims)
        else:
            column.addWidget(self.answer)
        self.answer.setVisible(not told.claims)
        column.addLayout(self._checks())
        column.addWidget(self.outcome)
        self.setAccessibleName(round_words(told))
        self._restyle()
        theme.notifier().changed.connect(self._restyle)

    def _claims(self) -> QGridLayout:
        """The sentences of the answer, each with its sign; empty where they were not judged one by one."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.WITHIN)
        grid.setVerticalSpacing(theme.GRID)
        grid.setColumnStretch(1, 1)
        for row, claim in enumerate(self.told.claims):
            look, icon, text = LOOKS[claim.verdict], PlainLabel(), _label("")
            icon.setFixedSize(16, 16)
            self._icons.append((icon, look.icon, look.role))
            supported = claim.verdict is Verdict.SUPPORTED
            text.setText(claim.text if supported else f"{claim.text} {doubt_words(claim)}")
            text.setToolTip(tooltip(claim_tip(claim)))
            for at, label in enumerate((icon, text)):
                grid.addWidget(label, row, at, Qt.AlignmentFlag.AlignTop)
        return grid

    def _checks(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.WITHIN)
        grid.setVerticalSpacing(theme.GRID)
        grid.setColumnStretch(3, 1)
        top = Qt.AlignmentFlag.AlignTop
        for row, check in enumerate(self.told.validations):
            icon, name, score, words = PlainLabel(), _label(""), _label("muted"), _label("muted")
            icon.setFixedSize(16, 16)
            self._icons.append((icon, *(("check-circle", "ok") if check.passed else ("x-circle", "error"))))
            name.setText(f"{_name(check)} {'holds' if check.passed else 'fails'}")
            name.setWordWrap(False)
            name.setToolTip(tooltip(TIPS.get(check.name, "")))
            score.setText(f"{check.score:.2f}")
            score.setWordWrap(False)
            words.setText(f"{check.words} ({by_words(check.by)})")
            for at, label in enumerate((icon, name, score, words)):
                grid.addWidget(label, row, at, top)
        return grid

    def _restyle(self, _: object = None) -> None:
        for label, name, role in self._icons:
            label.setPixmap(theme.icon(name, role).pixmap(16, 16))


def _name(check: Validation) -> str:
    return CHECKS.get(check.name, check.name.capitalize())


def outcome_words(told: Round) -> str:
    """Why the round was not enough and what was asked next; or that it holds."""
    if not told.failure:
        return "The answer holds."
    failed = CHECKS.get(told.failure, told.failure.capitalize())
    following = f"Next: {told.rewrite.rstrip('.')}." if told.rewrite else "Nothing was left to try."
    return f"{failed} fails. {following}"


def round_words(told: Round) -> str:
    """The whole round in one line, for a screen reader."""
    checks = ", ".join(
        f"{_name(check)} {'holds' if check.passed else 'fails'} with {check.score:.2f}"
        for check in told.validations
    )
    return f"Round {told.number}, {route_name(told.route)}: {told.question} {checks}. {outcome_words(told)}"


def _label(kind: str, parent: QWidget | None = None) -> PlainLabel:
    return PlainLabel(kind=kind, parent=parent, wrap=True, selectable=True)
