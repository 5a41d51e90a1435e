"""What share of gold triples the extractor joins. See docs/extraction.md."""

from __future__ import annotations

from pathlib import Path

from core.extraction.extractors import rules_extractor
from core.progress import TaskContext
from core.research.benches.extraction_score import score_extraction
from core.research.benches.figures import Figure


def run(dataset: Path, context: TaskContext) -> dict[str, Figure]:
    """Score the rules on a question set whose questions carry gold triples."""
    score = score_extraction(dataset, rules_extractor(), context)
    return {
        "gold triples joined": Figure(
            score.joined, "share", score.possible, "as near to the bound as can be"
        ),
        "joined by exact names": Figure(score.exact, "share"),
        "both ends occur in the passage": Figure(score.possible, "share"),
        "triples a passage": Figure(score.triples_per_passage, ""),
        "gold triples": Figure(score.gold, ""),
    }
