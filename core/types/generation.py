"""What a language model is asked and replies, and how an answer was checked (A2RAG III-B)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar


class Role(StrEnum):
    """Who speaks in a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Finish(StrEnum):
    """Why a model stopped."""

    STOP = "stop"  # it was done
    LENGTH = "length"  # the most tokens were reached: the text is cut off


@dataclass(frozen=True, slots=True)
class Message:
    """One part of a prompt. Neighbours of one role are joined by a blank line into one message.

    `priority` 0 must be in the prompt. What is above may be left out where the context window is too
    small: the highest number first, and of one number the last in order first.
    """

    role: Role
    text: str
    name: str = ""  # what it is, so that it can be told when it is left out: "passage 3"
    priority: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a prompt that did not fit into the context window."""

    name: str
    tokens: int  # as estimated


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to a model came to."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    first_words: float = 0.0  # seconds until the first call began to answer, loading of the model included


@dataclass(frozen=True, slots=True)
class Generation:
    """A reply. `text` is without what the model thought aloud, which is in `thinking`."""

    text: str
    tokens_in: int  # as the server counts, else as estimated
    tokens_out: int
    seconds: float
    first_token_seconds: float = 0.0  # until the first sign of life, loading of the model included
    model: str = ""
    finish: Finish = Finish.STOP
    thinking: str = ""
    left_out: tuple[LeftOut, ...] = ()
    calls: int = 1  # more than one where a fault passed or the model was asked again


_Record = TypeVar("_Record", covariant=True)


@dataclass(frozen=True, slots=True)
class Structured(Generic[_Record]):
    """A reply read as a record of the type that was asked for, valid against its JSON schema.

    `generation` holds the raw text of the last call; its tokens and seconds are sums over all calls.
    """

    value: _Record
    generation: Generation
    repairs: tuple[str, ...] = ()  # what was mended in the JSON, in words: "code fence", "trailing comma"
    asked_again: bool = False


class Verdict(StrEnum):
    """What the passages say to a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, and what the passages say to it.

    `citations` are places in the answer's citations, from 0; () for what no passage carries.
    """

    text: str
    verdict: Verdict
    citations: tuple[int, ...] = ()
    words: str = ""  # why, for people
    by: str = "heuristic"  # or the model that judged


@dataclass(frozen=True, slots=True)
class Validation:
    """One part of the Triple-Check. A2RAG III-B, eq. 2 to 4."""

    name: str  # relevance, grounding, resolution
    passed: bool
    score: float  # 0 to 1
    words: str  # what was looked at, for people
    by: str = "heuristic"  # or the model that judged


@dataclass(frozen=True, slots=True)
class Round:
    """One time round the loop: what was asked, what came of it, why it was not enough and what followed."""

    number: int  # from 1
    question: str
    route: str
    answer: str  # "" where none was found
    validations: tuple[Validation, ...]
    failure: str = ""  # the first part that failed; "" where the answer holds
    rewrite: str = ""  # what is tried next, for people
    seconds: float = 0.0
    claims: tuple[Claim, ...] = ()  # of the answer, one a sentence, where each was judged
