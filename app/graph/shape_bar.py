"""What of the graph is shown, in numbers, and a chip for each reason why not all of it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton, QWidget

from app.answers.communities_model import name_of
from app.graph.live_scene import LiveScene
from app.graph.shaping import GraphShaping
from app.graph.tints import kinds, state_words
from app.graph.whole import WholeGraph
from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.flow import flow
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, drop, row
from core.types import EDGES_CALLED, GraphFilter

MOST = 6  # chips of one kind
_LONGEST = 180  # pixels of a name in a chip
T = TypeVar("T")
Chip = tuple[str, Callable[[], object]]  # its words, and what takes it away


def share_words(live: LiveScene) -> str:
    """How much of the graph passes; "" where there is none."""
    base, graph = live.now.base, live.now.whole
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
        self._said: list[str] = []
        self._chips = QWidget()
        self._flow = flow(self._chips)
        self.share.setContentsMargins(0, 4, 0, 0)
        row((self.share, TOP), (self._chips, 1), (self.clear, TOP), margins=(12, 0, 8, 4), on=self)
        self.hide()
        shaping.changed.connect(self.refresh)
        live.redrawn.connect(self.refresh)

    def describe(self) -> None:
        """Once the commands are there."""
        self._session.commands.press(self.clear, "graph.clear")

    def refresh(self) -> None:
        chips = list(self._reasons())
        self.share.setText(share_words(self._live))
        self.setVisible(bool(chips))
        if [words for words, _ in chips] == self._said:
            return
        self._said = [words for words, _ in chips]
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
        names = {id: name_of(known) if (known := base.get(id)) else gone for id in wanted.communities[:MOST]}
        many = trn("{count} community", "{count} communities", len(wanted.communities))
        for words, ids in _few(wanted.communities, names, many):
            yield words, partial(take, communities=_without(wanted.communities, ids))
        if wanted.degree:
            words = trn("At least {count} link", "At least {count} links", wanted.degree)
            yield words, partial(take, degree=0)
        yield from self._of_facts(wanted)
        if hidden := shaping.shape.hidden:
            yield trn("{count} hidden", "{count} hidden", len(hidden)), shaping.show_hidden

    def _labels(self, base: WholeGraph, wanted: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        asked = [kind for kind in kinds(base.view.labels) if set(kind.labels) & set(wanted)] if wanted else []
        if len(asked) > MOST:
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
        names = {id: titles.get(id, tr("A document")) for id in wanted.documents[:MOST]}
        many = trn("{count} document", "{count} documents", len(wanted.documents))
        for words, ids in _few(wanted.documents, names, many):
            yield words, partial(take, documents=_without(wanted.documents, ids))
        for state in wanted.states:
            yield state_words(state), partial(take, states=_without(wanted.states, (state,)))
        for kind in wanted.edges:
            words = tr("Links: {kind}", kind=tr(EDGES_CALLED[kind]))
            yield words, partial(take, edges=_without(wanted.edges, (kind,)))


def _few(values: tuple[T, ...], names: Mapping[T, str], many: str) -> Iterator[tuple[str, tuple[T, ...]]]:
    """Each by its name, or all by one: more chips than a person reads are none."""
    if len(values) > MOST:
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
