"""What the answerers are asked."""

from __future__ import annotations

from dataclasses import dataclass

from core.extraction.question import ParsedQuestion
from core.protocols import OnText


@dataclass(frozen=True, slots=True)
class Request:
    """A question, and how it is to be answered.

    `route` is the one that the person chose, "" for none. `k` passages are displayed. `generator` is "extractive" or
    "ollama:MODEL"; `on_text` receives what a model writes.
    """

    question: ParsedQuestion
    route: str
    k: int
    generator: str
    on_text: OnText | None = None
