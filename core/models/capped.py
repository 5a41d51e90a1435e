"""A language model with a cap on calls, tokens and seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from core.config import CapConfig
from core.errors import BadReply, CapReached
from core.progress import Cancelled, TaskContext
from core.protocols import LanguageModel
from core.text.translation import mark, tr
from core.types import Generation, Message, Structured, Usage
from core.types.cost import spend

_Record = TypeVar("_Record")
_REMEDY = tr("Set caps.calls, caps.tokens or caps.seconds higher, or ask a narrower question.")


class Budget:
    """What one question may cost and has cost, whoever asks a model for it. Safe from several threads."""

    def __init__(self, caps: CapConfig) -> None:
        self.caps = caps
        self._lock = threading.Lock()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """What was used so far; time is that spent in calls."""
        return self._usage

    def left(self) -> int:
        """Return the tokens that are left; 0 where there is no cap. Raises CapReached."""
        used, caps = self._usage, self.caps
        for words, spent, most in (
            (mark("The cap of {most} calls for one question is reached."), used.calls, caps.calls),
            (
                mark("The cap of {most} tokens for one question is reached."),
                used.tokens_in + used.tokens_out,
                caps.tokens,
            ),
            (mark("The cap of {most} seconds for one question is reached."), used.seconds, caps.seconds),
        ):
            if most and spent >= most:
                raise CapReached(tr(words, most=f"{most:,g}"), _REMEDY)
        return caps.tokens - used.tokens_in - used.tokens_out if caps.tokens else 0

    def add(self, found: Generation | None, seconds: float) -> None:
        """Add a call that took `seconds`; None where it ended without a reply."""
        with self._lock:
            used = self._usage
            self._usage = Usage(
                used.calls + (found.calls if found else 1),
                used.tokens_in + (found.tokens_in if found else 0),
                used.tokens_out + (found.tokens_out if found else 0),
                used.seconds + seconds,
                used.first_words or (found.first_token_seconds if found else 0.0),
            )


_budget: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budgeted(caps: CapConfig) -> Iterator[Budget]:
    """Share one budget for all that this thread asks models for within."""
    budget = Budget(caps)
    token = _budget.set(budget)
    try:
        yield budget
    finally:
        _budget.reset(token)


def current_budget(caps: CapConfig) -> Budget:
    """Return the budget that this thread is within, else a new one."""
    return _budget.get() or Budget(caps)


class CappedModel:
    """Hands calls on while there is something left in the budget.

    A call is refused once a cap is reached, is given no more tokens than are left, and is stopped when
    the time is over: CapReached each time.
    """

    def __init__(self, model: LanguageModel, budget: Budget) -> None:
        self.name = model.name
        self._model = model
        self._budget = budget

    @property
    def window(self) -> int:
        return self._model.window

    def count(self, text: str) -> int:
        return self._model.count(text)

    def generate(
        self,
        messages: Sequence[Message],
        context: TaskContext,
        *,
        max_tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """See `LanguageModel`."""
        return self._spend(
            lambda inner, most: self._model.generate(messages, inner, max_tokens=most, on_text=on_text),
            lambda found: found,
            max_tokens,
            context,
        )

    def structured(
        self,
        messages: Sequence[Message],
        record: type[_Record],
        context: TaskContext,
        *,
        max_tokens: int = 0,
    ) -> Structured[_Record]:
        """See `LanguageModel`."""
        return self._spend(
            lambda inner, most: self._model.structured(messages, record, inner, max_tokens=most),
            lambda found: found.generation,
            max_tokens,
            context,
        )

    def _spend(
        self,
        call: Callable[[TaskContext, int], _Record],
        generation: Callable[[_Record], Generation],
        max_tokens: int,
        context: TaskContext,
    ) -> _Record:
        budget, caps = self._budget, self._budget.caps
        left = budget.left()
        begin = time.monotonic()

        def over() -> bool:
            context.check()
            return bool(caps.seconds) and time.monotonic() - begin > caps.seconds - budget.usage.seconds

        most = min(max_tokens or left, left) if left else max_tokens
        found = None
        try:
            found = call(TaskContext(cancelled=over), most)
        except Cancelled:
            context.check()
            raise CapReached(
                tr(
                    "The model was stopped after {seconds} s, the cap for one question.",
                    seconds=f"{caps.seconds:g}",
                ),
                _REMEDY,
            ) from None
        except BadReply as fault:
            # What was said in vain was paid for as well; a fault does not tell its tokens.
            spend(self.count(fault.prompt) + self.count(fault.raw))
            raise
        finally:
            budget.add(generation(found) if found is not None else None, time.monotonic() - begin)
        wrote = generation(found)
        spend(wrote.tokens_in + wrote.tokens_out)
        return found
