"""What can be done with an entity, from anywhere, and with what is listed and typed in the panel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.entities.confirming import confirm_command
from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session
from core.types import NameChange

if TYPE_CHECKING:
    from app.entities.panel import EntitiesPanel

FORM = ("entities.apply", "entities.cancel")
LIST = ("entities.merge", "entities.apart", "entities.skip", "entities.undo")


def entity_commands(session: Session, panel: EntitiesPanel) -> tuple[Command, ...]:
    """On the selected entity; each shows first what it would change."""

    def why_not() -> str:
        now = session.selection.current
        chosen = now is not None and now.kind == "entity"
        return session.blocked or (
            "" if chosen else tr("Select an entity first, in the graph or by the search box.")
        )

    def begin(kind: str) -> None:
        if (now := session.selection.current) is not None:
            session.name_change_wanted.emit(NameChange(kind, (now.id,)))

    entries = (
        ("rename", tr("&Rename the entity..."), "F2", "pencil-simple"),
        ("retype", tr("Change the &kind of the entity..."), "Shift+F2", "tag"),
        ("alias", tr("Add an&other name to the entity..."), "Ctrl+F2", "plus"),
        ("merge", tr("&Merge the entity with another..."), "Ctrl+J", "git-merge"),
        ("split", tr("&Split the entity..."), "Ctrl+U", "scissors"),
    )
    names, pairs = (partial(panel.come, page) for page in ("names", "changes"))
    return (
        *(
            Command(f"entity.{kind}", words, partial(begin, kind), keys, icon, why_not)
            for kind, words, keys, icon in entries
        ),
        Command("entity.names", tr("&Table of all names"), names, "Alt+Shift+N", "list"),
        Command("entity.suggestions", tr("&Names that may be one entity"), pairs, "Ctrl+M", "users-three"),
        confirm_command(session),
    )


def form_commands(panel: EntitiesPanel) -> tuple[Command, ...]:
    return (
        Command("entities.apply", tr("Apply"), panel.apply, "Ctrl+Return", "check", panel.why_not_apply),
        Command("entities.cancel", tr("Cancel"), panel.form.give_up, "Esc", "x", bound=False),  # not shown
    )


def list_commands(panel: EntitiesPanel, session: Session) -> tuple[Command, ...]:
    listed = panel.suggestions

    def none() -> str:
        return "" if listed.current() is not None else tr("No pair of names is chosen.")

    def blocked() -> str:
        return session.blocked or none()

    merge, apart, undo = partial(panel.decide, "merge"), partial(panel.decide, "part"), panel.undo
    after, before = partial(listed.step, 1), partial(listed.step, -1)
    return (
        Command("entities.merge", tr("They are one: merge"), merge, "M", "git-merge", blocked),
        Command("entities.apart", tr("Keep apart"), apart, "D", "arrows-out-line-horizontal", blocked),
        Command("entities.skip", tr("Skip"), listed.skip, "S", "skip-forward", none),
        Command("entities.undo", tr("Undo"), undo, "U", "arrow-counter-clockwise", lambda: session.blocked),
        Command("entities.next", tr("Next pair"), after, "J", "caret-down", none),
        Command("entities.before", tr("Pair before"), before, "K", "caret-up", none),
        Command("entities.why", tr("Say why"), panel.preview.why.setFocus, "W", "chat-circle-dots", none),
        Command(
            "entities.show",
            tr("Show in the graph"),
            panel.show_pair,
            "Return",  # not shown
            "share-network",
            none,
            bound=False,
        ),
    )
