"""HTTP calls to an Ollama server: streamed replies within bounds, its version and its models."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx
import ollama

from core.config import ModelConfig
from core.errors import BadInput, ModelFault, ModelSilent
from core.models.hosts import permitted
from core.models.ollama.faults import (
    FAULTS,
    NoAddress,
    NoSuchModel,
    NotOllama,
    Unreachable,
    ended_early,
    explained,
    no_address,
    not_ollama,
    packed,
    silent,
    stalled,
    too_long,
    unavailable,
)
from core.progress import TaskContext
from core.types import Finish, ModelInfo

KEEP_ALIVE = 600.0  # seconds that the server keeps the model in memory
_SEED = 7  # of the model's choices, so that runs repeat
_POLL = 0.05  # seconds between two looks at whether to stop
_LONGEST_WAIT = 30.0  # seconds between two tries
_CHUNK_CHARACTERS = 64  # a token is never that long; what is longer counts as several
_T = TypeVar("_T")
_ERROR = 65_536  # bytes that are read of the words of a refusal
_MEGABYTE = 1_000_000
_TOKEN = 1_024  # bytes of a streamed line that holds one token, a few times over


@dataclass(frozen=True, slots=True)
class Bounds:
    """Most bytes of a whole reply, and of a line of it."""

    total: int
    line: int


ANSWER = Bounds(4 * _MEGABYTE, 4 * _MEGABYTE)  # of thousands of models, or of a model with its licences


def stream_bounds(tokens: int) -> Bounds:
    """Return the bounds for a reply of so many tokens."""
    return Bounds(_MEGABYTE + _TOKEN * tokens, _MEGABYTE)


def bound_response(bounds: Bounds, host: str) -> Callable[[httpx.Response], Awaitable[None]]:
    """Return a response hook of httpx. What it lets through raises ModelFault where it grows beyond `bounds`.

    Compressed replies are refused unread: none is asked for, and a kilobyte of them can hold gigabytes.
    """

    async def hook(response: httpx.Response) -> None:
        if response.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise packed(host)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        if response.is_success:
            response.stream = _Bounded(response.stream, bounds, host)
        else:
            response.stream = _Beginning(response.stream)

    return hook


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, bounds: Bounds, host: str) -> None:
        self._stream, self._bounds, self._host = stream, bounds, host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = line = 0
        async for part in self._stream:
            end = part.rfind(b"\n") + 1
            total, line = total + len(part), len(part) - end + (0 if end else line)
            if total > self._bounds.total or line > self._bounds.line:
                raise too_long(self._host, min(total, self._bounds.total))
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Beginning(httpx.AsyncByteStream):
    """Of a refusal only the beginning is told."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _ERROR
        async for part in self._stream:
            yield part[:left]
            left -= len(part)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


@dataclass(frozen=True, slots=True)
class Call:
    """What goes on the wire."""

    messages: tuple[Mapping[str, str], ...]
    window: int  # num_ctx
    max_tokens: int  # num_predict
    schema: Mapping[str, Any] | None = None  # JSON schema for `format`
    think: bool | None = False  # None: the server is not told


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; counts are 0 where the server tells none."""

    text: str
    thinking: str
    finish: Finish
    tokens_in: int
    tokens_out: int
    seconds: float
    first_token_seconds: float


def client(config: ModelConfig, bounds: Bounds) -> ollama.AsyncClient:
    """Open a client that talks only to the configured host: no proxy of the environment, no redirect.

    Every connection is opened here. Replies that grow beyond their bounds raise ModelFault. Raises HostNotAllowed for
    another machine before it is allowed, NoAddress.
    """
    try:
        host = permitted(config.host)
    except BadInput as error:
        raise no_address(config.host) from error
    return ollama.AsyncClient(
        host,
        follow_redirects=False,
        trust_env=False,
        timeout=httpx.Timeout(None, connect=config.connect_seconds),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound_response(bounds, config.host)]},
        # Reading the certificates takes 50 ms, and plain http needs none.
        verify=not host.startswith("http://"),
    )


def asked(
    config: ModelConfig,
    question: Callable[[ollama.AsyncClient], Awaitable[_T]],
    seconds: float,
    context: TaskContext,
) -> _T:
    """Return the answer to a short question such as which models there are. Raises ModelFault, Cancelled."""

    async def ask() -> _T:
        async with client(config, ANSWER) as opened:
            return await _awaited(question(opened), seconds, context)

    try:
        return _run(ask())
    except TimeoutError as error:
        raise silent(config.host, seconds) from error
    except FAULTS as error:
        raise explained(error, config.host, config.model) from error


def streamed(config: ModelConfig, call: Call, context: TaskContext, on_piece: Callable[[str], None]) -> Reply:
    """Return a reply; `on_piece` gets each piece of its text. Raises ModelFault, Cancelled."""
    return _run(_stream(config, call, context, on_piece))


def waited(seconds: float, context: TaskContext) -> None:
    """Wait before a call is tried again, ready to stop. Raises Cancelled."""
    end = time.monotonic() + min(seconds, _LONGEST_WAIT)
    while (left := end - time.monotonic()) > 0:
        context.check()
        time.sleep(min(_POLL, left))


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run in a loop of its own: callers are plain threads, and what is closed with the loop cannot leak."""
    return asyncio.run(work)


async def _stream(
    config: ModelConfig, call: Call, context: TaskContext, on_piece: Callable[[str], None]
) -> Reply:
    begin = time.monotonic()
    text, thinking = [], []
    first, tokens = 0.0, 0
    last: ollama.ChatResponse | None = None
    most = 2 * call.max_tokens + 64  # servers have been seen to ignore num_predict
    async with (
        client(config, stream_bounds(most)) as opened,
        contextlib.aclosing(_chunks(opened, config, call)) as chunks,
    ):
        while last is None:
            limit = config.token_seconds if tokens else config.first_token_seconds
            try:
                chunk = await _awaited(anext(chunks, None), limit, context)
            except TimeoutError as error:
                raise stalled(limit, tokens) from error
            if chunk is None:
                raise ended_early(tokens)
            first = first or time.monotonic() - begin
            piece, thought = (_clean(part or "") for part in (chunk.message.content, chunk.message.thinking))
            tokens += sum(-(-len(part) // _CHUNK_CHARACTERS) for part in (piece, thought))
            thinking.append(thought)
            text.append(piece)
            if piece:
                on_piece(piece)
            if chunk.done or tokens > most:
                last = chunk
    # Some servers say that they stopped though the reply is as long as it may be.
    ended = last.done and last.done_reason != "length" and tokens < call.max_tokens
    return Reply(
        "".join(text),
        "".join(thinking),
        Finish.STOP if ended else Finish.LENGTH,
        last.prompt_eval_count or 0,
        last.eval_count or tokens,
        time.monotonic() - begin,
        first,
    )


async def _chunks(
    opened: ollama.AsyncClient, config: ModelConfig, call: Call
) -> AsyncGenerator[ollama.ChatResponse]:
    """What the server sends; its faults in words."""
    try:
        stream = await opened.chat(
            model=config.model,
            messages=call.messages,
            stream=True,
            format=dict(call.schema) if call.schema is not None else None,
            think=call.think,
            keep_alive=KEEP_ALIVE,
            options={
                "num_ctx": call.window,
                "num_predict": call.max_tokens,
                "temperature": config.temperature,
                "seed": _SEED,
            },
        )
        async for chunk in stream:
            yield chunk
    except FAULTS as error:
        raise explained(error, config.host, config.model) from error


async def _awaited(work: Awaitable[_T], seconds: float, context: TaskContext) -> _T:
    """The result within `seconds`. Raises TimeoutError, and Cancelled as soon as that is asked for."""
    task = asyncio.ensure_future(work)
    deadline = time.monotonic() + seconds
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_POLL)
            before = time.monotonic()
            context.check()
            # The check waits while the person pauses: that is no fault of the server's.
            deadline += time.monotonic() - before
            if not task.done() and time.monotonic() > deadline:
                raise TimeoutError
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=1.0)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that nothing is logged: it is told what comes first


def _clean(text: str) -> str:
    """Replace half a character, which a broken server may send, as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


NOT_FOUND = 404
_VERSION = 100  # characters
QUICK = 5.0  # seconds for an answer that needs no model


def version(config: ModelConfig, context: TaskContext) -> str:
    """Return the server's version; "" where it does not tell. Raises ModelFault."""

    async def ask(client: ollama.AsyncClient) -> str:
        # The client has no call for it.
        reply = await client._client.get("/api/version")
        if reply.status_code == NOT_FOUND:
            return ""
        reply.raise_for_status()
        found = reply.json()
        return str(found.get("version", ""))[:_VERSION] if isinstance(found, dict) else ""

    return asked(config, ask, QUICK, context)


def models(config: ModelConfig, context: TaskContext) -> list[ModelInfo]:
    """Return every model of the server with its context, by name. Raises ModelFault."""
    listed = asked(config, lambda client: client.list(), QUICK, context)
    found = []
    for model in sorted(listed.models, key=lambda model: model.model or ""):
        name = model.model or ""
        known = _info(name, model.details)
        info = show(replace(config, model=name), context)
        found.append(
            replace(
                info,
                size=int(model.size or 0),
                digest=model.digest or "",
                family=info.family or known.family,
                parameters=info.parameters or known.parameters,
                quantisation=info.quantisation or known.quantisation,
            )
        )
    return found


def digest(config: ModelConfig, context: TaskContext, seconds: float = QUICK) -> str:
    """Return the hash that distinguishes `config.model` from a later model of that name; "" where none is told.

    Raises ModelFault.
    """
    named = (config.model, f"{config.model}:latest")
    listed = asked(config, lambda client: client.list(), seconds, context).models
    return next(
        ((model.digest or "").removeprefix("sha256:") for model in listed if model.model in named), ""
    )


def on_processor(config: ModelConfig, context: TaskContext) -> bool:
    """Return whether `config.model` runs on a processor, as one that is not loaded may. Raises ModelFault."""
    named = (config.model, f"{config.model}:latest")
    loaded = asked(config, lambda client: client.ps(), QUICK, context).models
    return not any(model.size_vram for model in loaded if model.model in named)


def embeddings(config: ModelConfig, texts: Sequence[str], context: TaskContext) -> Sequence[Sequence[float]]:
    """Return vectors as the server gives them, not looked at. Raises ModelFault, Cancelled."""

    async def ask(client: ollama.AsyncClient) -> ollama.EmbedResponse:
        return await client.embed(model=config.model, input=texts, keep_alive=KEEP_ALIVE)

    return asked(config, ask, config.first_token_seconds, context).embeddings


def find(config: ModelConfig, context: TaskContext) -> None:
    """Look for `config.model` with two quick calls. Raises ModelUnavailable where all to it would fail, Cancelled.

    A server that is there and does not tell what the model is may still serve it.
    """
    server_version = None
    try:
        server_version = version(config, context)
        with suppress(ModelSilent):  # it lives, and may be busy
            show(config, context)
    except (Unreachable, ModelSilent, NotOllama, NoSuchModel, NoAddress) as fault:
        raise unavailable(fault) from fault
    except ModelFault as fault:
        if server_version == "" and not fault.passing:  # it knows neither of the calls
            raise unavailable(not_ollama(fault, config.host)) from fault


def show(config: ModelConfig, context: TaskContext) -> ModelInfo:
    """Return what `config.model` is; size and digest are told by `models` only. Raises ModelFault."""
    response = asked(config, lambda client: client.show(config.model), QUICK, context)
    info = _info(config.model, response.details)
    return replace(
        info,
        context=_context_length(response.modelinfo or {}),
        capabilities=tuple(str(name) for name in response.capabilities or ()),
    )


def _info(name: str, details: Any) -> ModelInfo:
    return ModelInfo(
        name,
        family=str(getattr(details, "family", None) or ""),
        parameters=str(getattr(details, "parameter_size", None) or ""),
        quantisation=str(getattr(details, "quantization_level", None) or ""),
    )


def _context_length(info: Mapping[str, Any]) -> int:
    """Return the value of "llama.context_length" and its like; 0 where it is not told."""
    lengths = [
        value
        for name, value in info.items()
        if name.endswith(".context_length") and isinstance(value, int) and value > 0
    ]
    return min(lengths, default=0)
