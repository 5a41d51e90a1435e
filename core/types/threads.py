"""Threads: questions that follow each other, and how a follow-up was completed from what came before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.types.answers import Answer


class FollowKind(StrEnum):
    """How a question relates to those before it in its thread."""

    FIRST = "first"  # nothing comes before it
    OWN = "own"  # a complete question on the same subject
    COMPLETED = "completed"
    NEW_SUBJECT = "new subject"  # a complete question that shares no word with the thread
    UNCLEAR = "unclear"  # it needs something before it, and nothing there fits


@dataclass(frozen=True, slots=True)
class Completion:
    """A question as typed and as it is asked; `words`: what was replaced and by what, ("she", "Ines Duarte").

    `passages` are ids of those the answer before rests on, the best first, where the question was completed.
    """

    original: str
    question: str
    kind: FollowKind
    words: tuple[tuple[str, str], ...] = ()
    model: str = ""  # that completed it; "" where rules did
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a thread remembers of one question: as typed, as asked, and its short answer ("" where there was none)."""

    original: str
    question: str
    answer: str
    words: tuple[tuple[str, str], ...] = ()
    passages: tuple[str, ...] = ()
    number: int = 0  # in its thread, from 1
    created: str = ""  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class Thread:
    """`id` counts threads of a workspace from 1; the name is that of its first question until a person gives one."""

    id: int
    name: str
    created: str
    turns: int


@dataclass(frozen=True, slots=True)
class ThreadAnswer:
    """An answer with how its question was completed, and the thread that it belongs to (0: none could be stored)."""

    answer: Answer
    completion: Completion
    thread: int = 0
    turns: tuple[Turn, ...] = ()
    number: int = 0  # of the turn whose answer this is
