"""Before a model reads a corpus: what that will take, told from passages that it has read."""

from __future__ import annotations

from core.extraction.language_model import ModelExtractor
from core.extraction.prompts import VERSION, entity_prompt, triple_prompt
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.store.store import Store
from core.types import Estimate, Passage, Usage

STAGE = "estimate"
_SAMPLE = 3  # passages
_FEW = 12  # passages that need no word before they are read


def report_estimate(
    store: Store, model: LanguageModel, named: str, everything: bool, context: TaskContext
) -> None:
    """Report time and tokens as the detail of the stage "estimate"; nothing where few passages are left.

    Where the model, `named` in words, has read nothing yet it reads three passages first, whose replies are kept.
    Where it does not read `everything`, but what rules read badly, that is the most. Raises ModelUnavailable,
    Cancelled.
    """
    left = store.replies.count_unread(model.name, VERSION)
    if left <= _FEW:
        return
    read, usage, _ = store.replies.usage(model.name, VERSION)
    if read < _SAMPLE:
        _read_some(store, model, context)
        read, usage, _ = store.replies.usage(model.name, VERSION)
        left = store.replies.count_unread(model.name, VERSION)
    if not read:
        words = (
            f"In {_SAMPLE} passages {named} told no fact that they hold. To see what it says, stop and look."
        )
    else:
        told = estimate(model, usage, read, left)
        words = (
            f"{named} has {left:,} passages to read: {'about' if everything else 'at most'} "
            f"{told.tokens_in + told.tokens_out:,} tokens and {span(told.seconds)}, one call at a time."
        )
    context.report(STAGE, 1, 1, words)


def _read_some(store: Store, model: LanguageModel, context: TaskContext) -> None:
    """Passages of a quarter, half and three quarters of the corpus by length: such as most are."""
    by_length = sorted(store.passages.lengths(), key=lambda row: (row[1], row[0]))
    keys = [by_length[len(by_length) * part // (_SAMPLE + 1)][0] for part in range(1, _SAMPLE + 1)]
    passages = [stored.passage for stored in store.passages.by_keys(sorted(set(keys)))]
    context.report("trial", 0, len(passages))
    for number, _ in enumerate(ModelExtractor(model, store.replies).extract(passages, _silent(context)), 1):
        context.report("trial", number, len(passages))


def _silent(context: TaskContext) -> TaskContext:
    """Stops as `context` does and tells nothing."""

    def stopped() -> bool:
        context.check()
        return False

    return TaskContext(cancelled=stopped)


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
