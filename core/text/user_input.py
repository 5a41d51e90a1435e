"""What a person typed, checked: a question, the name of an entry of a table."""

from __future__ import annotations

from typing import TypeVar

from core.errors import BadInput
from core.text.translation import tr

LONGEST_QUESTION = 2_000  # characters
_T = TypeVar("_T")


def checked(question: str) -> str:
    """The question without outer white space. Raises BadInput when it is empty or too long."""
    # Lone surrogates stand in arguments that are no UTF-8.
    clean = " ".join(question.encode("utf-8", "replace").decode().split())
    if not clean:
        raise BadInput(tr("The question is empty."), tr("Type what you want to know."))
    if len(clean) > LONGEST_QUESTION:
        raise BadInput(
            tr(
                "The question has {count} characters; at most {longest_question} are read.",
                count=len(clean),
                longest_question=LONGEST_QUESTION,
            ),
            tr("Shorten it to what you want to know."),
        )
    return clean


def choose(what: str, name: str, table: dict[str, _T]) -> _T:
    """The entry `name` of a table. Raises BadInput that names the choices."""
    if name not in table:
        raise BadInput(
            tr("There is no {what} called {name}.", what=tr(what), name=repr(name)),
            tr("Choose one of: {names}.", names=", ".join(sorted(table))),
        )
    return table[name]
