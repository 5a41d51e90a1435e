"""Before a model reads a corpus: what that will take, told from passages that it has read."""

from __future__ import annotations

from core.extraction.language_model import ModelExtractor
from core.extraction.prompts import VERSION, entity_prompt, triple_prompt
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.store.store import Store
from core.text.translation import tr, trn
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
        words = tr(
            "In {count} passages {model} told no fact that they hold. To see what it says, stop and look.",
            count=_SAMPLE,
            model=named,
        )
    else:
        cost = estimate(model, usage, read, left)
        tokens, time = cost.tokens_in + cost.tokens_out, span(cost.seconds)
        words = (
            trn(
                "{model} has {count} passage to read: about {tokens} tokens and {time}, one call at a time.",
                "{model} has {count} passages to read: about {tokens} tokens and {time}, one call at a time.",
                left,
                model=named,
                tokens=tokens,
                time=time,
            )
            if everything
            else trn(
                "{model} has {count} passage to read: at most {tokens} tokens and {time}, one call at a time.",
                "{model} has {count} passages to read: at most {tokens} tokens and {time}, one call at a time.",
                left,
                model=named,
                tokens=tokens,
                time=time,
            )
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
        return tr("{seconds} s", seconds=f"{seconds:.0f}")
    if seconds < 5400:
        return tr("{minutes} min", minutes=f"{seconds / 60:.0f}")
    return tr("{hours} h", hours=f"{seconds / 3600:.1f}")
