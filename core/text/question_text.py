"""The words of a question as they are read."""

from __future__ import annotations

from core.errors import BadInput
from core.text.translation import tr

LONGEST_QUESTION = 2_000  # characters


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
