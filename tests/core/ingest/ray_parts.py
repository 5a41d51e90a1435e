"""Extractors that nodes of a Ray cluster import: one that a passage kills, one of another version."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence

from core.progress import TaskContext
from core.types import ExtractedMention, Extraction, Passage


class Deadly:
    """Tells a passage's first word, and dies of passages that say so."""

    name = "deadly"
    version = "1"

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        for passage in passages:
            if "deadly" in passage.text:
                os.kill(os.getpid(), signal.SIGKILL)
            word = passage.text.partition(" ")[0]
            yield Extraction((ExtractedMention(word, "NOUN", 0, len(word)),), ())


class Newer(Deadly):
    version = "2"
