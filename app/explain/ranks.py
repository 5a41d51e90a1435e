"""The ranks: the passages as ranked, and why the selected one stands where it stands, in every ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.explain.live import LiveRanking
from app.explain.tab import FROM_FILE, Subject, Tab, passage_of
from app.explain.tables import (
    Section,
    SectionView,
    document_column,
    move_words,
    ranking_columns,
    seed_columns,
    title_of,
)
from app.look import theme
from app.look.translation import tr
from app.session.selection import Selected
from app.widgets.fields import ChoiceBox
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, drop, row
from app.widgets.table import Column
from core.errors import CoreError
from core.text.escape_controls import escape_controls
from core.types import ListRank, PassageLabel, RankingRecord

_TWO_COLUMNS = 700  # pixels at 100 % from which on the reasons stand beside the passages
_RANK = 72  # pixels
_LONGEST = 48  # letters of a title to choose from
_SELECT = tr("Select a passage to see why it has its rank.")


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """One ranking: where the passage stands in it, and another one. `ends`: where each stands at the end."""

    own: ListRank
    other: ListRank | None = None
    left_out: bool = False
    ends: tuple[int | None, int | None] = (None, None)

    def rank(self, other: bool = False) -> str:
        """`4`, `7 ▼ 3` where leaving something out costs three places, a dash where it is not in it."""
        place, end = (self.other, self.ends[1]) if other else (self.own, self.ends[0])
        if place is None or place.rank is None:
            return "\u2013"
        if not self.left_out or end is None or place.rank == end:
            return str(place.rank)
        return f"{place.rank} {move_words(end, place.rank)}"


def place_rows(own: RankingRecord, other: RankingRecord | None = None) -> tuple[PlaceRow, ...]:
    """Return all rankings of one passage, those of another one with it where they have the same name."""
    others = {place.part: place for place in (*other.places, *other.without)} if other is not None else {}
    ends = (own.rank, other.rank if other is not None else None)
    return (
        *(PlaceRow(place, others.get(place.part)) for place in own.places),
        *(PlaceRow(place, others.get(place.part), True, ends) for place in own.without),
    )


class Ranks(Tab):
    """Signal: chosen(record of a table)."""

    chosen = Signal(object)
    stays = True

    def __init__(self, live: LiveRanking) -> None:
        words = tr("Ask a question to see the passages that it finds, and why each has its rank.")
        super().__init__("list-numbers", tr("No ranking yet"), words)
        self._live = live
        self._labels: dict[str, PassageLabel] = {}
        self._own = self._other = ""  # passages that are explained
        columns = (*ranking_columns(self._labels), document_column(self._labels))
        self._hits = SectionView(Section(tr("Passages, as ranked"), columns, ()), "hitsTable")
        self._seeds = SectionView(Section(tr("Seeds"), seed_columns(), ()), "seedsTable")
        self.hits, self.seeds = self._hits.table, self._seeds.table
        self.no_hits = PlainLabel(tr("This answer ranks no passages."), "muted", wrap=True)
        self.no_seeds = PlainLabel(tr("No seeds: no walk over the graph was made."), "muted", wrap=True)
        self.title = PlainLabel(wrap=True, selectable=True, bold=True)
        self.reasons = PlainLabel(_SELECT, "small", wrap=True, selectable=True)
        self.choice = ChoiceBox(tr("Compare with another passage"))
        self._places: list[SectionView] = []
        self._lay_out()
        for table in (self.hits, self.seeds):
            table.chosen.connect(self.chosen)
        self.choice.activated.connect(lambda at: self._read(self._own, self.choice.itemData(at)))
        live.opened.connect(lambda: self._read(self._own))
        live.refused.connect(self._on_refused)
        live.explained.connect(self._on_explained)
        self.entrance = self.hits

    def _lay_out(self) -> None:
        passages, why = QWidget(), QWidget()
        column(self._hits, self.no_hits, STRETCH, spacing=theme.GRID, on=passages)
        self._heading = PlainLabel(tr("Why it has this rank"), "caps")
        self._why = column(self._heading, self.title, self.reasons, self.choice)
        column(self._why, column(self._seeds, self.no_seeds), STRETCH, spacing=theme.GROUPS, on=why)
        self._halves = row((passages, 1), (why, 1), spacing=theme.GROUPS)
        column(PanelScroll(self._halves, STRETCH), on=self.page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(_TWO_COLUMNS)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._halves.setDirection(way)

    @property
    def table(self) -> SectionView | None:
        """Return the rank in every ranking, once it was read."""
        return self._places[0] if self._places else None

    # ------------------------------------------------------------ the ranking

    def explain(self, subject: Subject | None) -> None:
        """Show its passages and seeds; lay its question open, so that a passage can be explained."""
        if subject is not self.subject:
            self.subject, self._own = subject, ""
            self._show_tables()
        if subject is not None and subject.answer is not None:
            self._live.open_question(subject.answer)

    def _show_tables(self) -> None:
        self._labels.clear()
        self._show_reasons("", "" if self.subject is None or self.subject.answer else FROM_FILE[1])
        if self.subject is None:
            self.show_nothing()
            return
        self._labels |= self.subject.labels
        trace = self.subject.trace
        self.hits.set_records(trace.hits)
        self.seeds.set_records(trace.seeds)
        for view, words, records in (
            (self._hits, self.no_hits, trace.hits),
            (self._seeds, self.no_seeds, trace.seeds),
        ):
            view.table.setVisible(bool(records))
            words.setVisible(not records)
        self.show_page()

    def renew_names(self) -> None:
        if self.subject is not None:
            self._labels |= self.subject.labels
            self._hits.renew()

    def filter(self, words: str) -> None:
        for table in (self.hits, self.seeds):
            table.set_filter(words)

    # ------------------------------------------------------------ one passage

    def show_selected(self, selected: Selected | None) -> None:
        """Say why the selected passage stands where it stands; what is no passage leaves what was said."""
        passage_id = passage_of(selected)
        self.hits.select_passage(passage_id)
        if passage_id and passage_id != self._own:
            self._read(passage_id)

    def _read(self, own: str, other: str = "") -> None:
        if self.subject is None or self.subject.answer is None or not (self.front and own):
            return
        self._own, self._other = own, other
        if self._live.error is not None:
            self._on_refused(self._live.error)
            return
        if not other:
            self._show_reasons(title_of(own, self._labels), tr("Ranking it again..."))
        self._live.explain([own, other] if other else [own])

    def _show_reasons(self, title: str, words: str) -> None:
        drop(self._why, self._places)
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.reasons.setText(words or _SELECT)
        ranked = self.subject is None or bool(self.subject.trace.hits)
        for label in (self._heading, self.reasons):
            label.setVisible(bool(words) or ranked)
        self.choice.hide()

    def _on_refused(self, error: CoreError) -> None:
        self._show_reasons("", " ".join(filter(None, (error.message, error.remedy))))

    def _on_explained(self, found: tuple[list[RankingRecord | None], Mapping[str, str]]) -> None:
        (own, *others), titles = found
        if not self.front or self.subject is None:
            return
        labels = self._labels
        title = title_of(self._own, labels) if self._own in labels else titles.get(self._own, "")
        if own is None:
            self._show_reasons(title, tr("This passage is not in the index any more."))
            return
        self._show_reasons(title, "\n".join(f"\u2022 {words}" for words in self._reasons(own)))
        self._fill_choice()
        numbers = [self._number(each) for each in (own, *others)]
        records = place_rows(own, others[0] if others else None)
        view = SectionView(Section(tr("Its rank in every ranking"), _columns(numbers), records), "places")
        self._why.addWidget(view)
        view.show()
        self._places.append(view)

    def _reasons(self, own: RankingRecord) -> list[str]:
        words = list(own.reasons)
        if own.rank == 1:
            words = [tr("Nothing stands above it.")]
        elif not words:
            words = [tr("What stands above it is ahead in all that counts, by little.")]
        if own.rank is None:
            words.insert(0, tr("Asked now, it is not among the first passages."))
        elif own.rank != self._ranks().get(self._own):
            words.insert(0, tr("Asked now, it stands at number {rank}.", rank=own.rank))
        return words

    def _ranks(self) -> dict[str, int]:
        hits = self.subject.trace.hits if self.subject is not None else ()
        return {hit.passage_id: hit.rank for hit in hits}

    def _number(self, record: RankingRecord | None) -> str:
        rank = (self._ranks().get(record.passage_id) or record.rank) if record is not None else None
        return tr("No. {rank}", rank=rank or "\u2013")

    def _fill_choice(self) -> None:
        self.choice.clear()
        self.choice.addItem(tr("Compare with..."), "")
        for id, rank in self._ranks().items():
            if id != self._own:
                title = " ".join(escape_controls(title_of(id, self._labels)).split())
                short = title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "\u2026"
                self.choice.addItem(f"{rank}  {short}", id)
        self.choice.setCurrentIndex(max(0, self.choice.findData(self._other)))
        self.choice.show()


def _columns(numbers: list[str]) -> tuple[Column, ...]:
    """One of each passage that is explained, `No. 3`."""
    tip = tr(
        "From 1; an arrow: places that it would gain or lose without that part. A dash: it is not found there."
    )

    def part(row: PlaceRow) -> str:
        place = row.own
        return tr("{ranking} ({note})", ranking=place.part, note=place.note) if place.note else place.part

    own, *others = numbers
    columns = [Column(tr("Ranked by"), part), _rank_column(own, tip, False)]
    return (*columns, *(_rank_column(each, tip, True) for each in others))


def _rank_column(title: str, tip: str, other: bool) -> Column:
    def rank(row: PlaceRow) -> int:
        place = row.other if other else row.own
        return (place.rank if place is not None else None) or 1 << 30

    return Column(title, lambda row: row.rank(other), rank, True, tip, _RANK)
