"""Texts from which a language model chooses by number: the prompt, the length of the reply, and what it may say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.models.prompt import wrap_untrusted
from core.types import Message, Role

_TOKENS_A_NUMBER = 6  # with its comma and the blanks that small models like


def numbered(rules: str, called: str, question: str, texts: Sequence[str]) -> tuple[Message, ...]:
    """The rules, the texts between marks that none of them holds, numbered from 1, then the question. `called`: what
    each is. The last texts are left out first where the window is too small."""
    messages = (
        Message(Role.USER, f"[{number}]\n{wrap_untrusted(called, text)}", f"{called} {number}", number)
        for number, text in enumerate(texts, start=1)
    )
    return (
        Message(Role.SYSTEM, rules, "the instructions"),
        *messages,
        Message(Role.USER, wrap_untrusted("question", question), "the question"),
    )


def reply_tokens(count: int) -> int:
    """Of a reply that names all of so many texts."""
    return _TOKENS_A_NUMBER * count + 20


def chosen(numbers: Iterable[int], count: int) -> list[int]:
    """Places from 0 of what was chosen, in order; what is numbered beyond the texts, or twice, is left out."""
    return list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= count))
