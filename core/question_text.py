"""The words of a question as they are read."""

from __future__ import annotations

from core.errors import BadInput

LONGEST_QUESTION = 2_000  # characters


def checked(question: str) -> str:
    """The question without outer white space. Raises BadInput when it is empty or too long."""
    clean = " ".join(question.split())
    if not clean:
        raise BadInput("The question is empty.", "Type what you want to know.")
    if len(clean) > LONGEST_QUESTION:
        raise BadInput(
            f"The question has {len(clean):,} characters; at most {LONGEST_QUESTION:,} are read.",
            "Shorten it to what you want to know.",
        )
    return clean
