"""Replies that have no end, or none worth waiting for: what a model's server may send by mistake or malice."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from enum import StrEnum
from http.server import BaseHTTPRequestHandler


class Flood(StrEnum):
    """What a call can be answered with."""

    LINE = "one line without end"
    LINES = "lines without end that say nothing"
    ERROR = "an error whose words have no end"
    HEADERS = "headers without end"
    GZIP = "a compressed reply that is a gigabyte"
    BRACKETS = "a list in a list in a list"
    NUMBER = "a number of a hundred thousand digits"


class Floods(dict[str, Flood]):
    """By the path of the call; `taken` counts the bytes that callers took."""

    taken = 0

    def pour(self, handler: BaseHTTPRequestHandler) -> None:
        """Send until the caller goes, or the gigabyte is over."""
        flood = self[handler.path]
        first, part, times = _FLOODS[flood]()
        handler.close_connection = True
        if flood is Flood.HEADERS:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        else:
            handler.send_response(500 if flood is Flood.ERROR else 200)
            if flood is Flood.GZIP:
                handler.send_header("Content-Encoding", "gzip")
            handler.end_headers()
        handler.wfile.write(first)
        for _ in range(times):
            handler.wfile.write(part)
            self.taken += len(part)


_CHUNK = 65_536
_FLOODS: dict[Flood, Callable[[], tuple[bytes, bytes, int]]] = {  # what comes first, and then so many times
    Flood.LINE: lambda: (b'{"version": "', b"v" * _CHUNK, 2**30 // _CHUNK),
    Flood.LINES: lambda: (b"", b'{"message": {"role": "assistant", "content": ""}}\n' * 1_000, 20_000),
    Flood.ERROR: lambda: (b"", b"so sorry " * 8_000, 14_000),
    Flood.HEADERS: lambda: (b"", b"X-More: of this\r\n" * 4_000, 16_000),
    Flood.GZIP: lambda: (gzip.compress(b" " * 2**24) * 64, b"", 0),
    Flood.BRACKETS: lambda: (b"[" * 900_000 + b"\n", b"", 0),
    Flood.NUMBER: lambda: (b'{"version": ' + b"7" * 100_000 + b"}\n", b"", 0),
}
