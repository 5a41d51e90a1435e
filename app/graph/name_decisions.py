"""Verbs on the names of an entity: keep two apart, say that two are one; each can be taken back at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.look.translation import tr
from app.session.session import Message, Session
from app.session.tasks import KEEPING, Lane
from core.errors import BadInput, WorkspaceError
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class NamePair:
    """Two names, each by the id that is made of it and as people read it."""

    one_id: str
    one: str
    other_id: str
    other: str


def keep_apart(session: Session, pair: NamePair) -> None:
    """Say that two names are two entities, whatever the rules find. Offers to undo it."""
    _decide(session, pair, together=False)


def join(session: Session, pair: NamePair) -> None:
    """Say that two names are one entity. Offers to undo it."""
    _decide(session, pair, together=True)


def _decide(session: Session, pair: NamePair, together: bool) -> None:
    workspace = _free(session)
    if workspace is None:
        return

    def work(context: TaskContext) -> tuple[bool, bool]:
        before = _together(workspace, pair)
        workspace.names.decide(pair.one_id, pair.other_id, "same" if together else "different", context)
        return before, _together(workspace, pair)

    def done(found: tuple[bool, bool]) -> None:
        before, now = found
        undo = partial(_undo, session, pair, before)
        keeps = (
            tr("Later runs keep to it.")
            if now == together
            else tr("Other decisions on these names hold against it.")
        )
        session.told.emit(Message(_said(pair, now), "info", keeps, tr("Undo"), undo))

    # Names may have to be encoded again: that is for the thread of the models.
    session.tasks.start(KEEPING, work, done, lane=Lane.MODEL)


def _undo(session: Session, pair: NamePair, before: bool) -> None:
    """Leave two names to the rules again; where these see it otherwise than it was before, say it for them."""
    workspace = _free(session)
    if workspace is None:
        return

    def work(context: TaskContext) -> bool:
        workspace.names.decide(pair.one_id, pair.other_id, "", context)
        if _together(workspace, pair) != before:  # somebody had decided before, against the rules
            workspace.names.decide(pair.one_id, pair.other_id, "same" if before else "different", context)
        return _together(workspace, pair)

    def done(now: bool) -> None:
        session.tell(_said(pair, now, again=True))

    session.tasks.start(KEEPING, work, done, lane=Lane.MODEL)


def _free(session: Session) -> Workspace | None:
    """The workspace, if it can be changed now; else says why not."""
    if session.blocked:
        session.tell_error(WorkspaceError(session.blocked))
    elif session.tasks.busy(KEEPING):
        session.tell_error(BadInput(tr("Another change is at work."), tr("Try again when it has ended.")))
    else:
        return session.workspace
    return None


def _together(workspace: Workspace, pair: NamePair) -> bool:
    return workspace.graph.entity(pair.one_id).id == workspace.graph.entity(pair.other_id).id


def _said(pair: NamePair, together: bool, again: bool = False) -> str:
    other, one = pair.other, pair.one
    if together and again:
        return tr("“{other}” and “{one}” are one entity again.", other=other, one=one)
    if together:
        return tr("“{other}” and “{one}” are one entity.", other=other, one=one)
    if again:
        return tr("“{other}” and “{one}” are two entities again.", other=other, one=one)
    return tr("“{other}” and “{one}” are two entities.", other=other, one=one)
