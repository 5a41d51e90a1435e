"""The rounds of the loop that checks an answer, and the beam of lab:hierarchical level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from app.answers.claims import LOOKS, by_words, claim_tip, doubt_words
from app.answers.wording import duration, route_name
from app.look import theme
from app.look.counting import listed
from app.look.painting import paint_share, paint_text
from app.look.translation import tr
from app.session.selection import Selected
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import TOP, column, drop, grid
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.types import Beam, Community, Round, Validation, Verdict

BAR, DOT = 6, 8
NUMBER = 40  # room for a score


@dataclass(frozen=True, slots=True)
class BeamRow:
    """A level (`community` None, `words` tell it) or a community in it.

    `share` is the score as a part of the best one of all levels, 0..1; `colour` is the number of the top
    community that holds it, -1 while it is not known.
    """

    words: str
    community: int | None = None
    score: float = 0.0
    share: float = 0.0
    colour: int = -1


def beam_rows(beam: Sequence[Beam], communities: Mapping[int, Community]) -> tuple[BeamRow, ...]:
    """Level by level in the order searched; one that is not among `communities` is told by its number."""
    best = max((score for step in beam for _, score in step.chosen), default=0.0)
    rows: list[BeamRow] = []
    for at, step in enumerate(beam):
        rows.append(BeamRow(level_words(step, top=not at)))
        for id, score in step.chosen:
            known = communities.get(id)
            share = min(max(score / best, 0.0), 1.0) if best > 0 else 0.0
            title = " ".join(known.label.split()) if known else ""
            colour = known.colour if known else -1
            rows.append(BeamRow(title or tr("Community {number}", number=str(id)), id, score, share, colour))
    return tuple(rows)


def level_words(step: Beam, top: bool) -> str:
    """`Level 2: 9 looked at inside these, 3 stayed`."""
    looked, stayed = step.considered, len(step.chosen)
    if top:
        return tr("Top level: {looked} looked at, {stayed} stayed", looked=looked, stayed=stayed)
    return tr(
        "Level {level}: {looked} looked at inside these, {stayed} stayed",
        level=step.level,
        looked=looked,
        stayed=stayed,
    )


class BeamDelegate(RowDelegate):
    """A level in small letters; a community with its colour, its title, its bar and its score."""

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        row: BeamRow = index.data(RECORD_ROLE)
        area = QRectF(box).adjusted(theme.WITHIN, 0, -theme.WITHIN, 0)
        if row.community is None:
            paint_text(painter, area, row.words, "muted", theme.SMALL)
            return
        colour, ring = theme.community_mark(row.colour)
        dot = QRectF(area.left() + theme.WITHIN, area.center().y() - DOT / 2, DOT, DOT)
        painter.setPen(QPen(colour, 2) if ring else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if ring else colour)
        painter.drawEllipse(dot)
        left, bars = dot.right() + theme.WITHIN, max(48.0, area.width() * 0.25)
        track = QRectF(area.right() - theme.px(NUMBER) - bars, area.center().y() - BAR / 2, bars, BAR)
        room = QRectF(left, area.top(), track.left() - left - theme.WITHIN, area.height())
        paint_text(painter, room, row.words)
        paint_text(painter, area, f"{row.score:.2f}", place=Qt.AlignmentFlag.AlignRight)
        paint_share(painter, track, row.share, BAR)


class BeamList(RowList):
    """Signal: chosen(id of a community) by click or Enter."""

    chosen = Signal(int)

    def __init__(self) -> None:
        columns = (
            Column("", lambda row: row.words),
            Column("", lambda row: "" if row.community is None else f"{row.score:.2f}"),
        )
        name = tr("Communities that the search went down through")
        # A level is no community: the keyboard passes it by.
        super().__init__(
            "beamList", name, columns, BeamDelegate, _describe_row, lambda row: row.community is not None
        )
        self._beam: tuple[Beam, ...] = ()
        self.clicked.connect(self._choose)

    def show_beam(self, beam: tuple[Beam, ...]) -> None:
        """Replace what is shown; titles and colours come with `set_communities`."""
        self._beam = beam
        self.set_records(beam_rows(beam, {}))

    def set_communities(self, communities: list[Community]) -> None:
        self.records.renew(beam_rows(self._beam, {community.id: community for community in communities}))

    def show_current(self, selected: Selected | None) -> None:
        """Mark the community that is selected, wherever it was selected."""
        community = int(selected.id) if selected is not None and selected.kind == "community" else -1
        rows = [self.model().index(at, 0) for at in range(self.model().rowCount())]
        matches = [index for index in rows if index.data(RECORD_ROLE).community == community]
        if self.currentIndex() in matches:
            return
        if matches:
            self.setCurrentIndex(matches[0])
        else:
            self.clearSelection()

    def _choose(self, index: QModelIndex) -> None:
        row: BeamRow | None = index.data(RECORD_ROLE) if index.isValid() else None
        if row is not None and row.community is not None:
            self.chosen.emit(row.community)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)


def _describe_row(row: BeamRow) -> str:
    if row.community is None:
        return row.words
    return tr(
        "{community}\nScore {score}: nearness of the question to the community and to the sentences of its report, "
        "more where it holds a name of the question",
        community=row.words,
        score=f"{row.score:.3f}",
    )


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
    """Return a part of the check in words; others keep their letters."""
    return CHECKS.get(check.name, check.name.capitalize())


def _describe_check(check: Validation) -> str:
    name = check_name(check)
    return tr("{check} holds", check=name) if check.passed else tr("{check} fails", check=name)


def outcome_words(attempt: Round) -> str:
    """Return why the round was not enough and what was asked next; or that it holds."""
    if not attempt.failure:
        return tr("The answer holds.")
    failed = CHECKS.get(attempt.failure, attempt.failure.capitalize())
    if not attempt.rewrite:
        return tr("{check} fails. Nothing was left to try.", check=failed)
    return tr("{check} fails. Next: {rewrite}.", check=failed, rewrite=attempt.rewrite.rstrip("."))


def round_words(attempt: Round) -> str:
    """Return the whole round in one line, for a screen reader."""
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
