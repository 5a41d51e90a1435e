"""What can be done with the open document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.reader.panel import ReaderPanel


def reader_commands(panel: ReaderPanel, session: Session) -> tuple[Command, ...]:
    def closed() -> str:
        return "" if panel.opened is not None else tr("No document is open.")

    def unmarked() -> str:
        nothing = tr("Mark the words in the document that say it.")
        return closed() or ("" if panel.marked_words()[1].strip() else nothing) or session.blocked

    def unmissed() -> str:
        nothing = tr("Mark the words in the document that should have been found.")
        unasked = "" if session.answer is not None else tr("Ask a question first.")
        return closed() or unasked or ("" if panel.marked_words()[1].strip() else nothing)

    step, turn = panel.step_match, panel.turn_page
    return (
        Command("reader.find", tr("Find in the document"), panel.find_bar.open_bar, "Ctrl+F", why_not=closed),
        Command("reader.next", tr("Next match in the document"), lambda: step(1), "F3", why_not=closed),
        Command(
            "reader.last",
            tr("Match before in the document"),
            lambda: step(-1),
            "Shift+F3",
            why_not=closed,
        ),
        Command("reader.before", tr("Page before"), lambda: turn(-1), "Ctrl+PgUp", why_not=closed),
        Command("reader.after", tr("Next page"), lambda: turn(1), "Ctrl+PgDown", why_not=closed),
        Command(
            "reader.citation-after",
            tr("Next citation of the answer"),
            partial(panel.citations.step, 1),
            "F4",
            why_not=panel.citations.why_not,
        ),
        Command(
            "reader.citation-before",
            tr("Citation before in the answer"),
            partial(panel.citations.step, -1),
            "Shift+F4",
            why_not=panel.citations.why_not,
        ),
        Command("reader.look", tr("Text or document as it looks"), panel.turn_look, "F6", why_not=closed),
        Command(
            "reader.quotes",
            tr("Show or fold quoted words"),
            panel.text.turn_quotations,
            "F7",
            why_not=closed,
        ),
        Command("reader.state", tr("New fact from the marked words..."), panel.state, why_not=unmarked),
        Command(
            "reader.missed", tr("These words should have been found"), panel.report_missed, why_not=unmissed
        ),
    )
