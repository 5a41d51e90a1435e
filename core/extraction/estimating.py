"""What reading a corpus with a model will come to, from what reading a few passages came to."""

from __future__ import annotations

from core.extraction.prompts import entity_prompt, triple_prompt
from core.protocols import LanguageModel
from core.types import Estimate, Passage, Usage


def estimate(
    model: LanguageModel, usage: Usage, read: int, passages: int, share: float = 1.0, faster: float = 1.0
) -> Estimate:
    """Both steps on `passages`, when `read` passages took `usage`.

    The passages are `share` times as long as those that were read; what does not grow with them is the
    instructions. `faster` is the gain by several calls at a time, at least 1.
    """
    read = max(1, read)
    empty = Passage("", "", 0, "", "", 0, 0)
    prompts = (*entity_prompt(empty), *triple_prompt(empty, ()))
    fixed = min(usage.tokens_in / read, sum(model.count(message.text) for message in prompts))
    tokens_in = fixed + (usage.tokens_in / read - fixed) * share
    return Estimate(
        passages,
        round(passages * tokens_in),
        round(passages * usage.tokens_out / read * share),
        passages * usage.seconds / read * share / max(1.0, faster),
    )


def span(seconds: float) -> str:
    """Seconds, minutes or hours, to the figure that matters."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
