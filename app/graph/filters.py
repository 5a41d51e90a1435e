"""The filter of the graph: the form that asks for it, and a chip for each reason why not all is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSpinBox, QToolButton, QWidget
from superqt.utils import qdebounced

from app.answers.communities_model import name_of
from app.graph.drawing import FullGraph
from app.graph.edge_facts import line_icon
from app.graph.scene import LiveScene
from app.graph.shapes import GraphShaping, kinds, state_words
from app.look import theme
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.fields import ChoiceBox, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, column, drop, flow, grid, row
from core.types import EDGE_KINDS, EDGES_CALLED, GraphColumns, GraphFilter
from core.types.edges import BEFORE, CITATION, HIERARCHY

PATIENCE = 250  # milliseconds after the last key
MOST_COMMUNITIES = 500  # communities of the list
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
STATES = ("open", "approved", "disputed")
EDGE_TIPS = {
    BEFORE: tr(
        "What an entity's dated facts lead to, one after the other. An arrow leads to what came later."
    ),
    HIERARCHY: tr("Parts, subsidiaries, property, reports and members. An arrow leads to what stands above."),
    CITATION: tr("Documents that name each other in a list of references. An arrow leads to what is cited."),
}
MOST_CHIPS = 6  # chips of one kind
_LONGEST = 180  # pixels of a name in a chip
T = TypeVar("T")
Chip = tuple[str, Callable[[], object]]  # its words, and what takes it away


class FilterForm(QWidget):
    """Follows the shape, and changes it."""

    def __init__(self, shaping: GraphShaping, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shaping = shaping
        self._base: FullGraph | None = None
        self._columns: GraphColumns | None = None
        self._sent: tuple[object, ...] = ()  # what was typed last, as it was asked for
        self._kinds, self.kinds = QWidget(), list[QToolButton]()
        self._kind_flow = flow(self._kinds)
        self.community, self.document = _choice(tr("Community")), _choice(tr("Document"))
        for box, part in ((self.community, "communities"), (self.document, "documents")):
            box.activated.connect(partial(self._choose, box, part))
        self.degree = _number(tr("Least links of an entity"), 9999)
        self.probability = _number(tr("Least probability of a fact, per cent"), 100, " %")
        self.since, self.until = (line_edit(tr("any"), name) for name in (tr("From"), tr("Until")))
        for changed in (self.degree.valueChanged, self.probability.valueChanged, self.since.textChanged,
                        self.until.textChanged):  # fmt: skip
            changed.connect(qdebounced(self._ask, PATIENCE, parent=self))
        self._states = QWidget()
        self.states = {state: _toggle() for state in STATES}
        flow(self._states, *self.states.values())
        for state, button in self.states.items():
            button.clicked.connect(partial(self._turn, button, "states", (state,)))
        self._edges = QWidget()
        self.edges = {kind: _toggle() for kind in EDGE_KINDS}
        self.facts_only = _toggle(tr("Facts alone"))
        set_tip(
            self.facts_only, tr("Without links between what only stands together, more often than by chance.")
        )
        self.facts_only.clicked.connect(lambda on: self._shaping.filter(facts_only=on))
        flow(self._edges, self.facts_only, *self.edges.values())
        for kind, button in self.edges.items():
            button.clicked.connect(partial(self._turn, button, "edges", (kind,)))
            set_tip(button, EDGE_TIPS[kind])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.follow(self._edges, self._draw_lines)
        lines = (
            (PlainLabel(tr("Community")), self.community),
            (PlainLabel(tr("Document")), self.document),
            (PlainLabel(tr("Links, at least")), self.degree),
            (PlainLabel(tr("Probability, at least")), self.probability),
        )
        dates = QWidget()
        row((self.since, 1), PlainLabel(tr("to")), (self.until, 1), on=dates)
        fields = grid((*lines, (PlainLabel(tr("Dates")), dates)), across=8, down=6, wide=1)
        parts = (PlainLabel(tr("Types"), "section"), self._kinds, fields)
        followed = (PlainLabel(tr("Links"), "section"), self._edges)
        column(*parts, PlainLabel(tr("Facts by review"), "section"), self._states, *followed, on=self)
        shaping.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the shape as it is now, and what there is to choose from."""
        if not self.isVisibleTo(self.window()):
            return
        base, columns, wanted = self._shaping.base, self._shaping.columns, self._shaping.shape.filter
        if base is not self._base:
            self._base = base
            self._fill_kinds()
            self._fill(self.community, _communities(base))
        if columns is not self._columns:
            self._columns = columns
            self._fill(self.document, _documents(columns))
            self._count_states()
            self._count_edges()
        for button in self.kinds:
            button.setChecked(bool(set(button.property("labels")) & set(wanted.labels)))
        for state, button in self.states.items():
            button.setChecked(state in wanted.states)
        for kind, button in self.edges.items():
            button.setChecked(kind in wanted.edges)
        self.facts_only.setChecked(wanted.facts_only)
        if _typed(wanted) != self._sent:  # else what is being typed stays as it is
            self._sent = _typed(wanted)
            fields = ((self.degree, wanted.degree), (self.probability, round(wanted.probability * 100)))
            for box, value in fields:
                with QSignalBlocker(box):
                    box.setValue(value)
            for field, date in ((self.since, wanted.since), (self.until, wanted.until)):
                with QSignalBlocker(field):
                    field.setText(date)

    def _fill_kinds(self) -> None:
        drop(self._kind_flow, self.kinds)
        for kind in kinds(self._base.view.labels if self._base is not None else ()):
            button = _toggle(tr("{kind} {count}", kind=kind.words, count=kind.count))
            button.setProperty("labels", kind.labels)
            button.clicked.connect(partial(self._turn, button, "labels", kind.labels))
            self.kinds.append(button)
            self._kind_flow.addWidget(button)
        for one, other in pairwise((*self.kinds, self.community)):
            QWidget.setTabOrder(one, other)

    def _count_states(self) -> None:
        from core.types.review import STATES as ROWS

        columns = self._columns
        for state, button in self.states.items():
            count = int((columns.state == ROWS.index(state)).sum()) if columns is not None else 0
            words = state_words(state)
            button.setText(tr("{state} {count}", state=words, count=count) if columns is not None else words)

    def _draw_lines(self) -> None:
        """Draw a sample of each kind on its button."""
        for number, button in enumerate(self.edges.values()):
            button.setIcon(line_icon(number))
            button.setIconSize(QSize(theme.px(28), theme.px(12)))

    def _count_edges(self) -> None:
        columns = self._columns
        for row_, (kind, button) in enumerate(self.edges.items()):
            count = int((columns.derived_kinds == row_).sum()) if columns is not None else 0
            words = tr(EDGES_CALLED[kind])
            button.setText(tr("{kind} {count}", kind=words, count=count) if columns is not None else words)
            button.setEnabled(columns is None or count > 0 or button.isChecked())

    def _fill(self, box: ChoiceBox, rows: list[tuple[str, object]]) -> None:
        with QSignalBlocker(box):
            box.clear()
            box.addItem(tr("Choose..."), None)
            for words, value in rows:
                box.addItem(words, value)

    # ------------------------------------------------------------ what is asked

    def _choose(self, box: ChoiceBox, part: str, _: int = 0) -> None:
        value, before = box.currentData(), getattr(self._shaping.shape.filter, part)
        box.setCurrentIndex(0)
        if value is not None and value not in before:
            self._shaping.filter(**{part: (*before, value)})

    def _turn(self, button: QToolButton, part: str, values: tuple[str, ...]) -> None:
        others = tuple(one for one in getattr(self._shaping.shape.filter, part) if one not in values)
        self._shaping.filter(**{part: (*others, *values) if button.isChecked() else others})

    def _ask(self) -> None:
        parts: dict[str, Any] = {
            "degree": self.degree.value(), "probability": self.probability.value() / 100,
        }  # fmt: skip
        for name, field in (("since", self.since), ("until", self.until)):
            date = _date(field)
            if date or not field.text().strip():  # what is no date yet asks for nothing new
                parts[name] = date
        wanted = replace(self._shaping.shape.filter, **parts)
        self._sent = _typed(wanted)
        self._shaping.change(filter=wanted)


def _typed(wanted: GraphFilter) -> tuple[object, ...]:
    return wanted.degree, wanted.probability, wanted.since, wanted.until


def _communities(base: FullGraph | None) -> list[tuple[str, object]]:
    """Return those of the top level, the largest first."""
    tops = sorted(base.tops.values(), key=lambda each: -len(each.entity_ids)) if base is not None else []
    return [
        (tr("{name} ({count})", name=name_of(each), count=len(each.entity_ids)), each.id)
        for each in tops[:MOST_COMMUNITIES]
        if len(each.entity_ids) > 1
    ]


def _documents(columns: GraphColumns | None) -> list[tuple[str, object]]:
    """Return those with facts, by title."""
    if columns is None:
        return []
    rows = zip(columns.document_titles, columns.document_ids, columns.document_facts.tolist(), strict=True)
    entries = sorted((title.casefold(), title, id, facts) for title, id, facts in rows if facts)
    return [(tr("{name} ({count})", name=title, count=facts), id) for _, title, id, facts in entries]


class _Choice(ChoiceBox):
    """Whose list opens by the arrows: one that is passed on the way is not chosen."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.showPopup()
        else:
            super().keyPressEvent(event)


def _choice(name: str) -> ChoiceBox:
    box = _Choice(name, 12)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box


def _number(name: str, most: int, unit: str = "") -> QSpinBox:
    box = QSpinBox(maximum=most, suffix=unit)
    box.setSpecialValueText(tr("any"))
    box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # the arrows of the keyboard do the same
    box.setAccessibleName(name)
    return box


def _toggle(words: str = "") -> QToolButton:
    button = tool_button(text=words, checkable=True)
    button.setProperty("kind", "toggle")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _date(field: QLineEdit) -> str:
    """Return the typed date, "" for none."""
    text = field.text().strip()
    return text if _DATE.fullmatch(text) else ""


def share_words(live: LiveScene) -> str:
    """Return how much of the graph passes; "" where there is none."""
    base, graph = live.now.base, live.now.full_graph
    if base is None or graph is None:
        return ""
    entities = trn(
        "{part} of {count} entity", "{part} of {count} entities", len(base.view.ids),
        part=f"{len(graph.view.ids):,}",
    )  # fmt: skip
    links = trn(
        "{part} of {count} link", "{part} of {count} links", len(base.view.edges),
        part=f"{len(graph.view.edges):,}",
    )  # fmt: skip
    return tr("{entities}, {links}", entities=entities, links=links)


class ShapeBar(QWidget):
    """Hidden where the graph is as it was read."""

    def __init__(
        self, session: Session, shaping: GraphShaping, live: LiveScene, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._shaping, self._live = session, shaping, live
        self.share = PlainLabel(kind="small")
        self.clear = push_button(tr("Clear"), kind="link")
        self.chips: list[QToolButton] = []
        self._chip_words: list[str] = []
        self._chips = QWidget()
        self._flow = flow(self._chips)
        self.share.setContentsMargins(0, 4, 0, 0)
        row((self.share, TOP), (self._chips, 1), (self.clear, TOP), margins=(12, 0, 8, 4), on=self)
        self.hide()
        shaping.changed.connect(self.refresh)
        live.redrawn.connect(self.refresh)

    def refresh(self) -> None:
        chips = list(self._reasons())
        self.share.setText(share_words(self._live))
        self.setVisible(bool(chips))
        if [words for words, _ in chips] == self._chip_words:
            return
        self._chip_words = [words for words, _ in chips]
        drop(self._flow, self.chips)
        for words, let_go in chips:
            act = partial(_do, let_go)
            short = QFontMetrics(self.font()).elidedText(
                words, Qt.TextElideMode.ElideMiddle, theme.px(_LONGEST)
            )
            chip = tool_button("x", tr("{what}: let go", what=words), act, text=button_words(short))
            chip.setProperty("kind", "toggle")
            chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            chip.setAccessibleName(tr("Let go: {what}", what=words))
            self.chips.append(chip)
            self._flow.addWidget(chip)

    def _reasons(self) -> Iterator[Chip]:
        shaping, base = self._shaping, self._shaping.base
        if base is None:
            return
        wanted, take = shaping.shape.filter, shaping.filter
        for words, labels in self._labels(base, wanted.labels):
            yield words, partial(take, labels=_without(wanted.labels, labels))
        gone = tr("A community that is gone")
        names = {
            id: name_of(known) if (known := base.get(id)) else gone for id in wanted.communities[:MOST_CHIPS]
        }
        many = trn("{count} community", "{count} communities", len(wanted.communities))
        for words, ids in _few(wanted.communities, names, many):
            yield words, partial(take, communities=_without(wanted.communities, ids))
        if wanted.degree:
            words = trn("At least {count} link", "At least {count} links", wanted.degree)
            yield words, partial(take, degree=0)
        yield from self._of_facts(wanted)
        if hidden := shaping.shape.hidden:
            yield trn("{count} hidden", "{count} hidden", len(hidden)), shaping.show_hidden

    def _labels(self, base: FullGraph, wanted: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        asked = [kind for kind in kinds(base.view.labels) if set(kind.labels) & set(wanted)] if wanted else []
        if len(asked) > MOST_CHIPS:
            yield trn("{count} type", "{count} types", len(asked)), wanted
        else:
            yield from ((kind.words, kind.labels) for kind in asked)

    def _of_facts(self, wanted: GraphFilter) -> Iterator[Chip]:
        take, scope = self._shaping.filter, self._session.scope
        if wanted.probability:
            words = tr("Probability from {share} %", share=round(wanted.probability * 100))
            yield words, partial(take, probability=0.0)
        if wanted.since or wanted.until:
            yield span_words(wanted.since, wanted.until), partial(take, since="", until="")
        if scope.current.dated:
            words = tr("Time: {span}", span=span_words(scope.current.since, scope.current.until))
            yield words, partial(scope.change, since="", until="")
        columns = self._shaping.columns
        titles = dict(zip(columns.document_ids, columns.document_titles, strict=True)) if columns else {}
        names = {id: titles.get(id, tr("A document")) for id in wanted.documents[:MOST_CHIPS]}
        many = trn("{count} document", "{count} documents", len(wanted.documents))
        for words, ids in _few(wanted.documents, names, many):
            yield words, partial(take, documents=_without(wanted.documents, ids))
        for state in wanted.states:
            yield state_words(state), partial(take, states=_without(wanted.states, (state,)))
        if wanted.facts_only:
            yield tr("Facts alone"), partial(take, facts_only=False)
        for kind in wanted.edges:
            words = tr("Links: {kind}", kind=tr(EDGES_CALLED[kind]))
            yield words, partial(take, edges=_without(wanted.edges, (kind,)))


def _few(values: tuple[T, ...], names: Mapping[T, str], many: str) -> Iterator[tuple[str, tuple[T, ...]]]:
    """Yield each value by its name, or all under one: many chips are never read."""
    if len(values) > MOST_CHIPS:
        yield many, values
    else:
        yield from ((names[value], (value,)) for value in values)


def _do(act: Callable[[], object], _: bool = False) -> None:
    act()


def span_words(since: str, until: str) -> str:
    if since and until:
        return tr("{since} to {until}", since=since, until=until)
    return tr("From {since}", since=since) if since else tr("Until {until}", until=until)


def _without(values: tuple[T, ...], gone: tuple[T, ...]) -> tuple[T, ...]:
    rest = frozenset(gone)
    return tuple(value for value in values if value not in rest)
