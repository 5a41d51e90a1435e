"""A small invented case in a real workspace, and the answer to one question over it.

The store, the session, its threads and the panels are real; only the answer is written by hand, so
that a test knows every figure in it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.session.session import Session
from core.progress import TaskContext
from core.store.entities import NewMention
from core.store.store import Store
from core.types import (
    Answer,
    Citation,
    Complexity,
    Document,
    Evidence,
    Feature,
    Hit,
    Page,
    Passage,
    Route,
    Seed,
    Sentence,
    Stage,
    State,
    Trace,
)
from core.types.kinds import stable_id
from core.workspace import Workspace

QUESTION = "Who owned the company that chartered the ship?"
LETTER = (
    "Oriel Nominees \U0001f6a2 Ltd\r\nDouglas, 2 September 2021\r\n\r\n"
    "We hold the shares as nominee. We were instructed by a solicitor.\r\n",
    "The person for whom we hold the shares is Tobias Renwick, of London. "
    "He has paid our fee from an account at Moselle Credit Bank.\r\n",
    "We shall not act for Mr Renwick any longer. <b>Yours faithfully</b>\r\n",
)
CHARTER = "Charter party. The charterer of the Grey Petrel is Calder Reach Trading Ltd. The freight is EUR 412,000.\n"
REGISTER = (
    "All shares of Calder Reach Trading Ltd are held by Oriel Nominees Ltd. <i>No owner</i> is named.\n"
)
NAMES = {
    "Tobias Renwick": "PERSON",
    "Moselle Credit Bank": "ORG",
    "Calder Reach Trading Ltd": "ORG",
    "Grey Petrel": "WORK",
}
FEATURES = (
    Feature("bridging_nouns", 2.0, 2.5, "unnamed step: company"),
    Feature("relative_clauses", 1.0, 1.2, "one relative clause"),
    Feature("length", -0.5, -0.4, "short question"),
    Feature("passive", 0.0, 0.0, "active"),
)


Shown = TypeVar("Shown", bound=QWidget)


def exposed(widget: Shown, qtbot: QtBot, width: int, height: int) -> Shown:
    """As a window of this size, once it is on the screen."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def hover(widget: QWidget, place: QPoint) -> None:
    """Move the pointer over a place of a widget that follows it.

    The event goes to the widget itself: moving the cursor of the screen, as QTest does, is lost now and then where
    other windows of the test process lie at the same place.
    """
    assert widget.hasMouseTracking() and widget.rect().contains(place)
    none, point = Qt.MouseButton.NoButton, QPointF(place)
    keys = Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(QEvent.Type.MouseMove, point, widget.mapToGlobal(point), none, none, keys)
    QApplication.sendEvent(widget, move)


class ScriptedWorkspace(Workspace):
    """A real workspace whose `ask` gives a written answer without models; it waits while `gate` is closed."""

    gate: threading.Event
    written: Answer
    asked: list[tuple[str, str]]

    @property
    def models_loaded(self) -> bool:
        return True

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5, **how: Any) -> Answer:
        self.asked.append((question, route))
        if "on_ranked" in how:
            first = self.written.evidence[:1]
            ranked = replace(self.written, text="", sentences=(), citations=(), evidence=first)
            how["on_ranked"](replace(ranked, abstained=True))
        while not self.gate.wait(0.01):
            context.check()
        name = self.written.trace.route.name if route == "auto" else route
        way = replace(self.written.trace.route, name=name, forced=route != "auto")
        return replace(self.written, trace=replace(self.written.trace, question=question, route=way))


@dataclass(frozen=True, slots=True)
class Case:
    """The open workspace and what is in it."""

    workspace: ScriptedWorkspace
    session: Session
    answer: Answer
    letter: Document
    folder: Path

    def text(self, document_id: str) -> str:
        return self.workspace.documents.text(document_id)


def _put(store: Store, path: str, title: str, parts: tuple[str, ...], paged: bool) -> Document:
    """A document with a passage a part, its names as mentions."""
    text, starts = "".join(parts), [sum(len(part) for part in parts[:at]) for at in range(len(parts))]
    pages = [Page(at + 1, start, start + len(parts[at])) for at, start in enumerate(starts)] if paged else []
    document = Document(
        id=stable_id("document", path),
        path=path,
        sha256=stable_id("text", text),
        size=len(text),
        title=title,
        media_type="text/plain",
        date="2021-09-02",
        author="A. Clerk",
        pages=len(pages),
        state=State.DONE,
    )
    passages = [
        Passage(
            id=stable_id("passage", path, str(at)),
            document_id=document.id,
            ordinal=at,
            title=title,
            text=part.rstrip(),
            start=starts[at],
            end=starts[at] + len(part.rstrip()),
            page=at + 1 if paged else None,
        )
        for at, part in enumerate(parts)
    ]
    store.documents.put_read(document, text, pages, passages)
    _put_names(store, document)
    return document


def _put_names(store: Store, document: Document) -> None:
    mentions = [
        NewMention(stored.key, name.casefold(), name, label, at, at + len(name))
        for stored in store.passages.of_document(document.id)
        for name, label in NAMES.items()
        if (at := stored.passage.text.find(name)) >= 0
    ]
    with store.database.transaction() as connection:
        rows = store.entities.ensure(connection, [(m.normal, m.surface, m.label) for m in mentions])
        store.entities.add_mentions(connection, mentions, rows)


def _evidence(workspace: Workspace, document: Document, quote: str, rank: int, score: float) -> Evidence:
    """The passage that holds a quote, with the quote as its best sentence."""
    for passage in workspace.passages.of_document(document.id):
        at = passage.text.find(quote)
        if at >= 0:
            hit = Hit(passage.id, score, rank)
            return Evidence(hit, passage, document.path, Sentence(at, at + len(quote)))
    raise AssertionError(f"no passage holds {quote!r}")


def _cite(evidence: Evidence) -> Citation:
    passage, sentence = evidence.passage, evidence.sentence
    assert sentence is not None
    return Citation(
        passage_id=passage.id,
        document_id=passage.document_id,
        document=evidence.document,
        title=passage.title,
        page=passage.page,
        start=passage.start + sentence.start,
        end=passage.start + sentence.end,
        quote=passage.text[sentence.start : sentence.end],
    )


def _answer(evidence: tuple[Evidence, ...]) -> Answer:
    citations = tuple(_cite(row) for row in evidence[:3])
    seeds = (
        Seed(stable_id("entity", "grey petrel"), "Grey Petrel", 0.75, "named in the question"),
        Seed(
            stable_id("entity", "calder reach trading ltd"),
            "Calder Reach Trading Ltd",
            0.25,
            "fact: charters",
        ),
    )
    trace = Trace(
        question=QUESTION,
        route=Route("graph", Complexity(0.83, 0.35, 0.65, FEATURES)),
        stages=(
            Stage("route", 0.0021, "graph, complexity 0.83"),
            Stage("seeds", 0.0043, "2 entities"),
            Stage("graph", 0.0124, "31 steps, 1,204 nodes"),
            Stage("answer", 0.0384, "support 0.81"),
        ),
        seeds=seeds,
        heat={seed.entity_id: seed.weight for seed in seeds},
        hits=tuple(row.hit for row in evidence),
        seconds=0.0572,
    )
    quotes = tuple(citation.quote for citation in citations)
    return Answer("Tobias Renwick", quotes, citations, evidence, trace, confidence=0.81)


def open_workspace(place: Path) -> tuple[ScriptedWorkspace, Document, Path]:
    """The workspace, the paged letter in it, and the folder that it says it was read from."""
    folder = place / "papers"
    folder.mkdir()
    workspace = ScriptedWorkspace.open(place / "workspace", create=True)
    assert isinstance(workspace, ScriptedWorkspace)
    store = workspace._store
    letter = _put(store, "letters/Nominee letter.pdf", "Letter of Oriel Nominees", LETTER, paged=True)
    charter = _put(store, "ships/Charter party.txt", "Charter party", (CHARTER,), paged=False)
    register = _put(store, "registers/Extract.html", "Register extract", (REGISTER,), paged=False)
    store.settings.set("folder", str(folder))
    evidence = (
        _evidence(
            workspace, letter, "The person for whom we hold the shares is Tobias Renwick, of London.", 1, 0.09
        ),
        _evidence(
            workspace,
            register,
            "All shares of Calder Reach Trading Ltd are held by Oriel Nominees Ltd.",
            2,
            0.06,
        ),
        _evidence(
            workspace, charter, "The charterer of the Grey Petrel is Calder Reach Trading Ltd.", 3, 0.045
        ),
        _evidence(workspace, letter, "We hold the shares as nominee.", 4, 0.009),
    )
    workspace.gate, workspace.asked, workspace.written = threading.Event(), [], _answer(evidence)
    workspace.gate.set()
    return workspace, letter, folder
