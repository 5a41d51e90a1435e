"""What the stages have found so far: facts and nodes, and the passages that they are mapped back to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Evidence:
    """Grows from stage to stage and is never taken back (A2RAG III-C.4: monotonic)."""

    order: list[str] = field(default_factory=list)  # passage ids, as they were found
    facts: dict[str, list[str]] = field(default_factory=dict)  # facts in words, by passage id
    nodes: dict[str, list[str]] = field(default_factory=dict)  # entity names, by passage id
    stages: dict[str, str] = field(default_factory=dict)  # the stage that found it first, by passage id

    def add(self, stage: str, passage: str, facts: Iterable[str] = (), nodes: Iterable[str] = ()) -> None:
        """A passage, with what led to it."""
        if passage not in self.stages:
            self.stages[passage] = stage
            self.order.append(passage)
        for kept, new in ((self.facts, facts), (self.nodes, nodes)):
            held = kept.setdefault(passage, [])
            held.extend(item for item in dict.fromkeys(new) if item not in held)
