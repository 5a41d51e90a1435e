"""No reply is longer than it can rightly be: bytes are counted as they come, before anything is made of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import httpx

from core.models.ollama.faults import packed, too_long

_ERROR = 65_536  # bytes that are read of the words of a refusal
_MEGABYTE = 1_000_000
_TOKEN = 1_024  # bytes of a streamed line that holds one token, a few times over


@dataclass(frozen=True, slots=True)
class Bounds:
    """Most bytes of a whole reply, and of a line of it."""

    whole: int
    line: int


ANSWER = Bounds(4 * _MEGABYTE, 4 * _MEGABYTE)  # of thousands of models, or of a model with its licences


def of_stream(tokens: int) -> Bounds:
    """For a reply of so many tokens."""
    return Bounds(_MEGABYTE + _TOKEN * tokens, _MEGABYTE)


def bounded(bounds: Bounds, host: str) -> Callable[[httpx.Response], Awaitable[None]]:
    """A response hook of httpx. What it lets through raises ModelFault where it grows beyond `bounds`.

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
            if total > self._bounds.whole or line > self._bounds.line:
                raise too_long(self._host, min(total, self._bounds.whole))
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
