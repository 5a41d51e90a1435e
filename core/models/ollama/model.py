"""A language model that Ollama serves."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from core.config import ModelConfig
from core.errors import BadReply, ModelFault, ModelSilent, PromptTooLong
from core.models.json_reply import Read, read_reply, schema_of
from core.models.ollama.faults import (
    NoSuchModel,
    NoThinking,
    NotOllama,
    Unreachable,
    WindowExceeded,
    unavailable,
)
from core.models.ollama.stream import Call, Reply, show, streamed, version, waited
from core.models.prompt import Packed, TokenCount, pack, rendered
from core.progress import TaskContext
from core.text.translation import tr
from core.types import Finish, Generation, LeftOut, Message, ModelInfo, Role, Structured

_Record = TypeVar("_Record")
_CUT_BELOW = 0.75  # tokens counted a word: every tokenizer makes at least one of a word
_QUOTED = 2_000  # characters of a bad reply that the model is shown again


_OPEN = re.compile(r"\s*<(think|thinking|thought)>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<thought>")
_CLOSE = re.compile(r"</(think|thinking|thought)>\s*", re.IGNORECASE)


class ThinkingFilter:
    """Takes a reply piece by piece; gives the pieces that belong to the answer.

    Only a tag at the very beginning opens: further on it is text, perhaps quoted from a document.
    `may_begin_inside` is for models that are known to think: templates may have opened the tag in the
    prompt, and then a closing tag alone says that everything before it was thinking.
    """

    def __init__(self, may_begin_inside: bool = False) -> None:
        self._raw = ""
        self._inside: bool | None = None  # None: too little was read to know
        self._may_begin_inside = may_begin_inside
        self.thinking = ""
        self.text = ""
        self.restarted = False  # what was given out as answer proved to be thinking

    def feed(self, piece: str) -> str:
        """Return what of the answer came in with this piece; "" while the model thinks."""
        self._raw += piece
        if self._inside is None:
            self._inside = self._opened()
            if self._inside is None:
                return ""
        if self._inside:
            return self._leave()
        if self._may_begin_inside and (end := _CLOSE.search(self._raw)):
            self._may_begin_inside = False
            self.thinking, self.text = self._raw[: end.start()].strip(), ""
            self._raw = self._raw[end.end() :]
            self.restarted = True
        new = self._raw[len(self.text) :]
        self.text += new
        return new

    def close(self) -> str:
        """Finish the reply; return what was still held back of the answer."""
        if self._inside is None:
            self._inside = False
            self.text = self._raw
            return self.text
        if self._inside:
            self.thinking = _OPEN.sub("", self._raw, count=1).strip()
        return ""

    def _opened(self) -> bool | None:
        begin = self._raw.lstrip()
        if _OPEN.match(begin):
            return True
        undecided = not begin or any(tag.startswith(begin.lower()) for tag in _TAGS)
        return None if undecided else False

    def _leave(self) -> str:
        end = _CLOSE.search(self._raw)
        if end is None:
            return ""
        self.thinking = _OPEN.sub("", self._raw[: end.start()], count=1).strip()
        self._raw = self._raw[end.end() :]
        self._inside, self._may_begin_inside = False, False
        self.text = self._raw
        return self.text


class OllamaModel:
    """`config.model` at `config.host`. Thread-safe; what it learns of the model is kept.

    The window on the wire (`num_ctx`) is the configured one, or the model's own where that is smaller.
    Where the server proves to have less, by cutting or refusing a prompt, prompts are packed to that.
    """

    def __init__(self, config: ModelConfig) -> None:
        """Configure the model; contact nobody yet."""
        self.name = f"ollama:{config.model}"
        self._config = config
        self._count = TokenCount()
        self._lock = threading.Lock()
        self._info: ModelInfo | None = None
        self._window = self._limit = config.window
        self._think: bool | None = False

    @property
    def window(self) -> int:
        return self._window

    def count(self, text: str) -> int:
        """Return the tokens of a text, rather too many than too few."""
        return self._count(text)

    def generate(
        self,
        messages: Sequence[Message],
        context: TaskContext,
        *,
        max_tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """Generate as `LanguageModel` says. An empty reply is a BadReply."""
        found, packed = self._call(messages, context, max_tokens, None, on_text)
        if not found.text:
            raise _empty(found, packed)
        return found

    def structured(
        self,
        messages: Sequence[Message],
        record: type[_Record],
        context: TaskContext,
        *,
        max_tokens: int = 0,
    ) -> Structured[_Record]:
        """See `LanguageModel`."""
        schema = schema_of(record)
        first, packed = self._call(messages, context, max_tokens, schema, None)
        read = _read(first, record)
        if read.value is not None:
            return Structured(read.value, first, read.repairs)
        again = [*messages, *_complaint(first, read)]
        second, packed = self._call(again, context, max_tokens, schema, None)
        read = _read(second, record)
        total = _summed(first, second)
        if read.value is not None:
            return Structured(read.value, total, read.repairs, asked_again=True)
        raise BadReply(
            tr(
                "The model's reply cannot be read, also when it was asked again: {problem}.",
                problem=_problem(second, read),
            ),
            tr("Try a larger model, or the rules."),
            prompt=rendered(packed.messages),
            raw=second.text or second.thinking,
        )

    # ------------------------------------------------------------ calls

    def _call(
        self,
        messages: Sequence[Message],
        context: TaskContext,
        max_tokens: int,
        schema: Mapping[str, Any] | None,
        on_text: Callable[[str], None] | None,
    ) -> tuple[Generation, Packed]:
        """Return a reply and the prompt as it was sent; once more, packed tighter, where the server cut the prompt."""
        self._prepare(context)
        for last in (False, True):
            most = max(1, min(max_tokens or self._config.max_output, self._limit // 2))
            packed = pack(messages, self._limit - most, self._count)
            try:
                reply, calls = self._patient(packed, most, schema, context, on_text)
            except WindowExceeded as fault:
                fault.prompt = rendered(packed.messages)
                if last or not 0 < fault.window < self._limit:
                    raise
                self._limit = fault.window
                continue
            except ModelFault as fault:
                fault.prompt = fault.prompt or rendered(packed.messages)
                raise
            self._count.learn(packed.tokens, reply.tokens_in)
            if not self._was_cut(packed, reply):
                return self._generation(reply, packed.left_out, packed.tokens, calls), packed
            if last:
                raise PromptTooLong(
                    tr(
                        "Ollama cut the prompt: it read {tokens_in} of about {tokens} tokens.",
                        tokens_in=reply.tokens_in,
                        tokens=packed.tokens,
                    ),
                    tr(
                        "Give the server a larger context (OLLAMA_CONTEXT_LENGTH), or set models.window lower."
                    ),
                    prompt=rendered(packed.messages),
                )
            # `num_ctx` itself stays: a new one would have the server load the model anew.
            self._limit = min(self._limit, reply.tokens_in)
        raise AssertionError("unreachable")

    def _patient(
        self,
        packed: Packed,
        most: int,
        schema: Mapping[str, Any] | None,
        context: TaskContext,
        on_text: Callable[[str], None] | None,
    ) -> tuple[Reply, int]:
        """Return a reply and the number of calls that it took: faults that can pass are given time to."""
        tries, wait = 0, self._config.retry_wait
        while True:
            context.check()
            tries += 1
            call = Call(_on_wire(packed), self._window, most, schema, self._think)
            try:
                return self._once(call, context, on_text), tries
            except NoThinking:
                if call.think is None:
                    raise
                self._think = None
            except ModelFault as fault:
                retries = self._config.retries
                most_tries = (
                    min(retries, self._config.silent_retries) if isinstance(fault, ModelSilent) else retries
                )
                if not fault.passing or tries > most_tries:
                    self._raise_unavailable(fault, context)
                    raise
                waited(wait, context)
                wait *= 2

    def _once(self, call: Call, context: TaskContext, on_text: Callable[[str], None] | None) -> Reply:
        thinks = self._info is not None and "thinking" in self._info.capabilities
        thinking_filter = ThinkingFilter(may_begin_inside=thinks)
        begun = False

        def hear(piece: str) -> None:
            nonlocal begun
            new = thinking_filter.feed(piece)
            if on_text is None:
                return
            if thinking_filter.restarted:
                thinking_filter.restarted = False
                on_text("")
            if new and (begun or new.strip()):
                begun = True
                on_text(new)

        try:
            reply = streamed(self._config, call, context, hear)
        except ModelFault:
            if begun and on_text is not None:
                on_text("")
            raise
        rest = thinking_filter.close()
        if rest.strip() and on_text is not None:
            on_text(rest)
        thinking = "\n".join(part for part in (reply.thinking.strip(), thinking_filter.thinking) if part)
        return replace(reply, text=thinking_filter.text.strip(), thinking=thinking)

    def _raise_unavailable(self, fault: ModelFault, context: TaskContext) -> None:
        """Raise ModelUnavailable where every other call would fail as well; returns where it was only this one."""
        try:
            if isinstance(fault, Unreachable | ModelSilent | NotOllama):
                version(self._config, context)
            elif isinstance(fault, NoSuchModel):
                show(self._config, context)
        except (Unreachable, ModelSilent, NotOllama, NoSuchModel) as still:
            raise unavailable(fault) from still
        except ModelFault:
            return

    def _prepare(self, context: TaskContext) -> None:
        """Learn once what the model is; a server that does not tell is asked without that knowledge."""
        with self._lock:
            if self._info is not None:
                return
            try:
                self._info = show(self._config, context)
            except NoSuchModel as fault:
                raise unavailable(fault) from fault
            except (Unreachable, ModelSilent):
                return
            except ModelFault:
                self._info = ModelInfo(self._config.model)
            if 0 < self._info.context < self._window:
                self._window = self._limit = self._info.context

    def _was_cut(self, packed: Packed, reply: Reply) -> bool:
        """Return whether the server read less than it was sent: fewer tokens than words, or all that there is room
        for."""
        words = sum(len(text.split()) for _, text in packed.messages)
        return 0 < reply.tokens_in < _CUT_BELOW * words or reply.tokens_in >= self._window

    def _generation(self, reply: Reply, left: tuple[LeftOut, ...], estimated: int, calls: int) -> Generation:
        return Generation(
            reply.text,
            reply.tokens_in or estimated,
            reply.tokens_out,
            reply.seconds,
            reply.first_token_seconds,
            self._config.model,
            reply.finish,
            reply.thinking,
            left,
            calls,
        )


def _on_wire(packed: Packed) -> tuple[Mapping[str, str], ...]:
    return tuple({"role": role.value, "content": text} for role, text in packed.messages)


def _read(generation: Generation, record: type[_Record]) -> Read[_Record]:
    return read_reply(generation.text, record, generation.finish is Finish.STOP)


def _problem(generation: Generation, read: Read[Any]) -> str:
    if generation.finish is Finish.LENGTH:
        if not generation.text and generation.thinking:
            return "the model thought until its tokens ran out"
        return f"it was cut off after {generation.tokens_out:,} tokens ({read.problem})"
    return read.problem


def _complaint(generation: Generation, read: Read[Any]) -> list[Message]:
    """Return what the model is told when it is asked once more."""
    words = f"That reply cannot be used: {_problem(generation, read)}."  # not shown
    ask = "Reply again, with nothing but valid JSON of the form that was asked for."
    if generation.finish is Finish.LENGTH:
        ask += " Be much shorter, and repeat nothing."
    bad = Message(Role.ASSISTANT, generation.text[:_QUOTED] or "(nothing)", "the reply that was refused", 1)
    return [bad, Message(Role.USER, f"{words} {ask}")]


def _summed(first: Generation, second: Generation) -> Generation:
    return replace(
        second,
        tokens_in=first.tokens_in + second.tokens_in,
        tokens_out=first.tokens_out + second.tokens_out,
        seconds=first.seconds + second.seconds,
        first_token_seconds=first.first_token_seconds,
        calls=first.calls + second.calls,
        left_out=tuple(dict.fromkeys([*first.left_out, *second.left_out])),
    )


def _empty(found: Generation, packed: Packed) -> BadReply:
    if found.thinking:
        words = tr("The model thought until its tokens ran out, and gave no answer.")
    else:
        words = tr("The model gave an empty answer.")
    return BadReply(
        words,
        tr("Try another model, or set models.max_output higher."),
        prompt=rendered(packed.messages),
        raw=found.thinking,
    )
