"""The records that cross room borders: frozen, without behaviour, named as on screen.

Offsets (`start`, `end`) are counted in characters (Python code points), half open, and always
refer to the text of the record that is named: a passage's offsets lie in its document's text, a
mention's and a triple's in its passage's text, a citation's in its document's text.
"""

from core.types.answers import (
    Answer,
    Brought,
    Citation,
    Complexity,
    Evidence,
    Feature,
    Hit,
    PathStep,
    Retrieval,
    Route,
    Seed,
    Stage,
    Trace,
    Why,
)
from core.types.health import Backup, Check
from core.types.knowledge import (
    Community,
    Entity,
    ExtractedMention,
    Extraction,
    Fact,
    Mention,
    NameMerge,
    Triple,
)
from core.types.reading import (
    Boxes,
    Document,
    LoadedDocument,
    LoadedPart,
    Page,
    Passage,
    Region,
    Sentence,
    State,
)
from core.types.views import Failure, GraphView, Growth, Removal, SearchResult, Spot, Status
from core.types.watching import Changes, WatchNews, WatchState

__all__ = [
    "Answer",
    "Backup",
    "Boxes",
    "Brought",
    "Changes",
    "Check",
    "Citation",
    "Community",
    "Complexity",
    "Document",
    "Entity",
    "Evidence",
    "ExtractedMention",
    "Extraction",
    "Fact",
    "Failure",
    "Feature",
    "GraphView",
    "Growth",
    "Hit",
    "LoadedDocument",
    "LoadedPart",
    "Mention",
    "NameMerge",
    "Page",
    "Passage",
    "PathStep",
    "Region",
    "Removal",
    "Retrieval",
    "Route",
    "SearchResult",
    "Seed",
    "Sentence",
    "Spot",
    "Stage",
    "State",
    "Status",
    "Trace",
    "Triple",
    "WatchNews",
    "WatchState",
    "Why",
]
