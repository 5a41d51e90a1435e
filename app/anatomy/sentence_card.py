"""One sentence of a passage: its names, its facts, what was rejected and why, and its parse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr
from app.widgets.buttons import fold_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.text.escape_controls import escape_controls
from core.types import Anatomy, ExtractedMention, ParsedSentence, Reference, Rejected, Triple, kind_words

MOST_CHIPS = 24
_KINDS = {"name": tr("no name"), "triple": tr("no fact"), "reference": tr("no reference")}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A fact that was taken, a word that stands for a name, or what was rejected. `start`, `end` in the passage."""

    words: str
    detail: str
    icon: str
    struck: bool
    start: int
    end: int


def fact_outcome(triple: Triple) -> Outcome:
    words = tr("{subject}, {predicate}, {object}",
               subject=triple.subject, predicate=triple.put_predicate, object=triple.object)  # fmt: skip
    value = f"{triple.confidence:.2f}"
    if triple.assertion:
        detail = tr("not stated as a fact and does not count, confidence {value}", value=value)
        return Outcome(words, detail, "circle-dashed", False, triple.start, triple.end)
    detail = tr("fact, confidence {value}", value=value)
    return Outcome(words, detail, "check", False, triple.start, triple.end)


def reference_outcome(one: Reference) -> Outcome:
    words = tr("“{word}” stands for {name}", word=one.text, name=one.name)
    return Outcome(words, "", "arrow-bend-up-left", False, one.start, one.end)


def rejected_outcome(one: Rejected) -> Outcome:
    words = one.words.replace(" / ", tr(", "))
    detail = tr("{kind}: {reason}", kind=_KINDS.get(one.kind, one.kind), reason=one.reason)
    return Outcome(words, detail, "x", True, one.start, one.end)


@dataclass(frozen=True, slots=True)
class SentenceParts:
    """What of an anatomy belongs to one sentence."""

    sentence: ParsedSentence
    text: str
    mentions: tuple[ExtractedMention, ...]
    outcomes: tuple[Outcome, ...]


def sentence_parts(anatomy: Anatomy) -> tuple[list[SentenceParts], SentenceParts | None]:
    """By sentence; and what has no place in any of them, such as a title that the text does not hold."""
    starts = [sentence.start for sentence in anatomy.sentences]

    def home(start: int, end: int) -> int:
        if end <= start or not starts or start < starts[0]:
            return -1
        return next(at for at in range(len(starts) - 1, -1, -1) if starts[at] <= start)

    found: dict[int, tuple[list[ExtractedMention], list[Outcome]]] = {
        at: ([], []) for at in range(-1, len(starts))
    }
    for mention in anatomy.mentions:
        found[home(mention.start, mention.end)][0].append(mention)
    outcomes = (
        *map(fact_outcome, anatomy.triples),
        *map(reference_outcome, anatomy.references),
        *map(rejected_outcome, anatomy.rejected),
    )
    for outcome in outcomes:
        found[home(outcome.start, outcome.end)][1].append(outcome)
    parts = [
        SentenceParts(
            each, " ".join(anatomy.passage.text[each.start : each.end].split()),
            tuple(found[at][0]), tuple(found[at][1]),
        )
        for at, each in enumerate(anatomy.sentences)
    ]  # fmt: skip
    lost = found[-1]
    apart = SentenceParts(
        ParsedSentence(0, 0), tr("Without a place in the text"), tuple(lost[0]), tuple(lost[1])
    )
    return parts, apart if lost[0] or lost[1] else None


class _OutcomeDelegate(RowDelegate):
    """Sign, words (struck through where they were rejected), and why."""

    HEIGHT = 22

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        outcome: Outcome = index.data(RECORD_ROLE)
        icon = theme.px(14)
        role = "muted" if outcome.struck else "ok" if outcome.icon == "check" else "text"
        theme.icon(outcome.icon, role).paint(
            painter, box.left() + 2, box.center().y() - icon // 2, icon, icon
        )
        line = box.adjusted(icon + theme.WITHIN, 0, -theme.GRID, 0)
        face = theme.font()
        face.setStrikeOut(outcome.struck)
        painter.setFont(face)
        painter.setPen(theme.current().color("muted" if outcome.struck else "text"))
        metrics = painter.fontMetrics()
        reserved = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(outcome.detail) + theme.GROUPS + 4
        room = line.width() - (min(reserved, line.width() // 2) if outcome.detail else 0)
        words = metrics.elidedText(escape_controls(outcome.words), Qt.TextElideMode.ElideRight, room)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)
        rest = line.adjusted(metrics.horizontalAdvance(words) + theme.GROUPS, 0, 0, 0)
        paint_text(painter, rest, escape_controls(outcome.detail), "muted", theme.SMALL)


def _outcome_list(outcomes: Sequence[Outcome]) -> RowList:
    columns = (
        Column("", lambda one: one.words),
        Column("", lambda one: one.detail),
    )
    row_list = RowList(
        "outcomes", tr("Facts, and what was rejected"), columns, _OutcomeDelegate, _describe_outcome
    )
    row_list.set_records(tuple(outcomes))
    return row_list


def _describe_outcome(outcome: Outcome) -> str:
    if not outcome.detail:
        return outcome.words
    return tr("{words} ({why})", words=outcome.words, why=outcome.detail)


class SentenceCard(QWidget):
    """`chosen(start, end)`: a fact, or what was rejected, at its place in the passage."""

    chosen = Signal(int, int)

    def __init__(self, parts: SentenceParts, opened: bool = False) -> None:
        super().__init__()
        self.parts = parts
        self.text = PlainLabel(parts.text, wrap=True, selectable=True, prose=True)
        theme.wear(self.text, weight=QFont.Weight.DemiBold)
        self.outcomes = _outcome_list(parts.outcomes) if parts.outcomes else None
        if self.outcomes is not None:
            self.outcomes.clicked.connect(self._on_chosen)
            self.outcomes.activated.connect(self._on_chosen)
        self.chips = _chips(parts.mentions) if parts.mentions else None
        self._parse = QWidget()
        self._drawn = False
        self.fold = fold_button(tr("Parse"), self._parse)
        self.fold.setProperty("kind", "fold")
        self.fold.setAccessibleName(tr("Parse of: {sentence}", sentence=parts.text[:80]))
        self.fold.toggled.connect(self._draw)
        column(on=self._parse)
        widgets = (self.text, self.chips, self.outcomes, self.fold, self._parse)
        column(*widgets, spacing=theme.GRID, on=self)
        parsed = len(parts.sentence.tokens) > 1  # a word alone has no arcs
        self.fold.setVisible(parsed)
        self.fold.setChecked(opened and parsed)

    def _draw(self, wanted: bool) -> None:
        """The arcs, when they are looked at first."""
        if wanted and not self._drawn:
            from app.anatomy.arcs import arcs

            self._drawn = True
            layout = self._parse.layout()
            assert layout is not None
            layout.addWidget(arcs(self.parts.sentence))

    def _on_chosen(self, index: AnyIndex) -> None:
        outcome: Outcome = index.data(RECORD_ROLE)
        if outcome.end > outcome.start:
            self.chosen.emit(outcome.start, outcome.end)


def _chips(mentions: Iterable[ExtractedMention]) -> QWidget:
    from app.widgets.layout import flow  # slow to import

    container = QWidget()
    once = list(dict.fromkeys((mention.text, kind_words(mention.label)) for mention in mentions))
    chips = [
        PlainLabel(tr("{name}  ·  {kind}", name=name, kind=kind), "chip", selectable=True)
        for name, kind in once[:MOST_CHIPS]
    ]
    flow(container, *chips)
    return container
