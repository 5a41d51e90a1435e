"""What the queue can do, by single keys while it has the keyboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.review.queue import QueueView


def turning_commands(view: QueueView, session: Session) -> tuple[Command, ...]:
    """For the whole window: of all that people decide, on facts, names and entities, in the order of the log."""

    def shut() -> str:
        return session.blocked if session.workspace is not None else tr("No workspace is open.")

    undo, redo = view.decider.undo, view.decider.redo
    return (
        Command(
            "decisions.undo", tr("&Undo the last decision"), undo, "Ctrl+Z", "arrow-counter-clockwise", shut
        ),
        Command("decisions.redo", tr("&Do it again"), redo, "Ctrl+Shift+Z", "arrow-clockwise", shut),
    )


def queue_commands(view: QueueView, session: Session) -> tuple[Command, ...]:
    def none() -> str:
        return "" if view.current() is not None else tr("No fact is chosen.")

    def blocked() -> str:
        return session.blocked or none()

    def shut() -> str:
        return session.blocked if session.workspace is not None else tr("No workspace is open.")

    approve, reject = partial(view.decide, "approved"), partial(view.decide, "rejected")
    after, before, decider = partial(view.step, 1), partial(view.step, -1), view.decider
    edit, note = view.edit, view.write_note
    say_why, find = view.card.write_why, view.filters.words.setFocus
    return (
        Command("review.approve", tr("Approve"), approve, "A", "check-circle", blocked),
        Command("review.reject", tr("Reject"), reject, "R", "x-circle", blocked),
        Command("review.skip", tr("Skip"), view.skip, "S", "skip-forward", none),
        Command("review.undo", tr("Undo"), decider.undo, "U", "arrow-counter-clockwise", shut),
        Command("review.redo", tr("Do again"), decider.redo, "Shift+U", "arrow-clockwise", shut),
        Command("review.next", tr("Next fact"), after, "J", "caret-down", none),
        Command("review.before", tr("Fact before"), before, "K", "caret-up", none),
        Command("review.all", tr("Choose all that match"), view.choose_all, "Ctrl+A", "checks", none),
        Command("review.why", tr("Say why"), say_why, "W", "chat-circle-dots", none),
        Command("review.edit", tr("Edit"), edit, "E", "pencil-simple", blocked),
        Command("review.note", tr("Add a note"), note, "N", "note-pencil", blocked),
        Command("review.find", tr("Filter the facts"), find, "Ctrl+F", "funnel"),
    )
