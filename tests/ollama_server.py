"""A server that speaks Ollama's protocol, says what a test wants and fails as a test wants.

    with ScriptedServer() as server:
        server.say("The answer.", Fault.STALL)       # the next chats, in order; then `server.answer(body)`
        model = OllamaModel(ModelConfig(host=server.url, model=server.model))
        ...
        assert server.chats[0]["options"]["num_ctx"] == 4096

Bound to 127.0.0.1 at a free port. Only /api/chat fails at a fault; the other calls answer truly.
"""

from __future__ import annotations

import json
import random
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.data_makers.floods import Floods

Body = dict[str, Any]


class Fault(StrEnum):
    """What a chat can do wrong."""

    RESET = "the connection is reset without an answer"
    HANG = "nothing comes, ever"
    STALL = "it stalls in mid-stream"
    DROP = "the connection breaks in mid-stream"
    CUT = "the stream ends in good order, but before its end"
    NO_MODEL = "404: there is no such model"
    NO_THINK = "400: the model does not support thinking"
    ERROR = "500"
    BUSY = "503"
    MEMORY = "500: the model does not fit into memory"
    ERROR_LINE = "an error in mid-stream"
    NO_OLLAMA = "a page of another server"
    REDIRECT = "it sends the caller elsewhere"
    BROKEN_JSON = "JSON that nobody can mend"
    WRONG_SCHEMA = "JSON of another form"
    EMPTY = "an empty answer"
    ENDLESS = "it never stops talking, whatever num_predict says"
    THINKING = "it thinks aloud before the answer"
    THINKING_FIELD = "it thinks in the field for that"
    ONLY_THINKING = "it thinks until its tokens run out"
    TRUNCATED = "it reads only the end of the prompt"
    TOO_LONG = "it refuses a prompt that is longer than its context"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer in full: what it says, how it ends, what it counts."""

    text: str
    thinking: str = ""
    done_reason: str = "stop"
    tokens_in: int | None = None  # None: a token for each four characters of the prompt
    piece: int = 8  # characters a chunk
    delay: float = 0.0  # seconds before each chunk


class ScriptedServer:
    """See the module. `answer` makes the text of a chat for which nothing is scripted."""

    def __init__(
        self,
        model: str = "scripted:1b",
        context: int = 8_192,
        capabilities: Sequence[str] = ("completion",),
        answer: Callable[[Body], str | Reply | Fault] | None = None,
        dimension: int = 384,
    ) -> None:
        self.model = model
        self.context = context
        self.capabilities = list(capabilities)
        self.answer = answer or (lambda body: scripted(body))
        self.dimension = dimension  # of embeddings
        self.digest = "5c" * 32
        self.on_processor = False  # where the model is loaded
        # Vectors of texts, or a status and the words of a refusal.
        self.embed: Callable[[list[str]], list[list[float]] | tuple[int, str]] = self._alike
        self.version = "0.13.0"
        self.elsewhere = "http://192.0.2.1:9/"  # where REDIRECT sends callers
        self.reads = 300  # tokens of a prompt that TRUNCATED reads, and TOO_LONG takes
        self.connections = 0  # that were opened, whatever was said over them
        self.floods = Floods()
        self.gone = 0  # callers that left before the answer was complete
        self.requests: list[tuple[str, Body]] = []
        self._script: list[str | Reply | Fault] = []
        self._random: tuple[random.Random, float, tuple[Fault, ...]] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._port = 0

    def __enter__(self) -> ScriptedServer:
        self.listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def chats(self) -> list[Body]:
        """Bodies of the chats so far."""
        return [body for path, body in self.requests if path == "/api/chat"]

    def _alike(self, texts: list[str]) -> list[list[float]]:
        return [[0.5] * self.dimension for _ in texts]

    def say(self, *replies: str | Reply | Fault) -> None:
        """What the next chats get, in order."""
        self._script.extend(replies)

    @property
    def silent(self) -> bool:
        """Whether one of the next chats gets no answer, or no end of it."""
        return any(reply in (Fault.HANG, Fault.STALL) for reply in self._script)

    def fail(self, share: float, seed: int, faults: Sequence[Fault]) -> None:
        """From now on this share of the chats fails, each in one of these ways."""
        self._random = (random.Random(seed), share, tuple(faults)) if share else None

    def listen(self) -> None:
        """Take calls, at the same address as before."""
        self._closing.clear()
        handler = type("Handler", (_Handler,), {"scripted": self})
        self._server = _Server(("127.0.0.1", self._port), handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def refuse(self) -> None:
        """Take no calls any more; whoever waits is dropped."""
        self._closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def take(self, body: Body) -> str | Reply | Fault:
        """What this chat gets."""
        with self._lock:
            if self._script:
                return self._script.pop(0)
            if self._random is not None:
                chance, share, faults = self._random
                if chance.random() < share:
                    return chance.choice(faults)
        return self.answer(body)


def scripted(body: Body) -> str:
    """An answer that fits the schema that was asked for, or a sentence."""
    return json.dumps(_example(body["format"], body["format"])) if body.get("format") else "It is so."


def _example(schema: Body, root: Body) -> Any:
    if "$ref" in schema:
        return _example(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _example(part, root) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "integer": 1, "number": 1.0, "boolean": True}.get(str(kind), "word")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that hangs up is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        self.scripted.connections += 1
        super().setup()

    def log_message(self, format: str, *words: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.scripted.requests.append((self.path, {}))
        if self.path in self.scripted.floods:
            self.scripted.floods.pour(self)
        elif self.path == "/api/version":
            self._json({"version": self.scripted.version})
        elif self.path == "/api/ps":
            size = 0 if self.scripted.on_processor else 1_300_000_000
            self._json({"models": [{"model": self.scripted.model, "size_vram": size}]})
        elif self.path == "/api/tags":
            self._json(
                {
                    "models": [
                        {"model": self.scripted.model, "size": 1_300_000_000, "digest": self.scripted.digest}
                    ]
                }
            )
        else:
            self._json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.scripted.requests.append((self.path, body))
        known = body.get("model") == self.scripted.model
        if self.path in self.scripted.floods:
            self.scripted.floods.pour(self)
        elif not known:
            self._json({"error": f"model '{body.get('model')}' not found"}, 404)
        elif self.path == "/api/show":
            self._json(
                {
                    "details": {"family": "llama", "parameter_size": "1.2B", "quantization_level": "Q4_K_M"},
                    "model_info": {"llama.context_length": self.scripted.context},
                    "capabilities": self.scripted.capabilities,
                }
            )
        elif self.path == "/api/embed":
            inputs = body["input"] if isinstance(body["input"], list) else [body["input"]]
            found = self.scripted.embed(inputs)
            self._json(
                {"error": found[1]} if isinstance(found, tuple) else {"embeddings": found}, *_code(found)
            )
        elif self.path == "/api/chat":
            self._chat(body)
        else:
            self._json({"error": "not found"}, 404)

    def _chat(self, body: Body) -> None:
        chosen = self.scripted.take(body)
        if not isinstance(chosen, Fault):
            self._stream(chosen if isinstance(chosen, Reply) else Reply(chosen), body)
        elif chosen in _REFUSED:
            code, reply, headers = _REFUSED[chosen]
            self._json(
                reply, code, {**headers, "Location": self.scripted.elsewhere} if code == 307 else headers
            )
        elif chosen is Fault.NO_OLLAMA:
            self._plain(b"<html>Welcome to another server!</html>\n")
        elif chosen is Fault.RESET:
            self._reset()
        elif chosen is Fault.HANG:
            self._wait()
        else:
            self._faulty(chosen, body)

    def _faulty(self, fault: Fault, body: Body) -> None:
        answer = self.scripted.answer(body)
        whole = answer.text if isinstance(answer, Reply) else answer
        prompt = sum(len(message["content"]) for message in body["messages"]) // 4
        replies = {
            Fault.BROKEN_JSON: Reply("{'entities': [name: " + whole[:20]),
            Fault.WRONG_SCHEMA: Reply('{"people": 3}'),
            Fault.EMPTY: Reply(""),
            Fault.THINKING: Reply(f"<think>\nIs it {{so}}? I think so.\n</think>\n\n{whole}"),
            Fault.THINKING_FIELD: Reply(whole, thinking="Is it so? I think so."),
            Fault.ONLY_THINKING: Reply("<think>" + "Hm, is it so? " * 20, done_reason="length"),
            Fault.TRUNCATED: Reply(whole, tokens_in=min(prompt, self.scripted.reads)),
        }
        if fault is Fault.TOO_LONG and prompt <= self.scripted.reads:
            self._stream(Reply(whole), body)
            return
        if fault in replies:
            self._stream(replies[fault], body)
            return
        self._begin()
        if fault is Fault.TOO_LONG:
            size = f"({self.scripted.reads} tokens)"
            words = f"request ({prompt} tokens) exceeds the available context size {size}, try increasing it"
            self._chunk({"error": words})
            self._end()
            return
        if fault is Fault.ENDLESS:
            while not self.scripted._closing.is_set():
                self._chunk({"message": {"role": "assistant", "content": "and so on "}, "done": False})
            return
        for piece in _pieces(whole[: len(whole) // 2] or "It ", 8):
            self._chunk({"message": {"role": "assistant", "content": piece}, "done": False})
        if fault is Fault.STALL:
            self._wait()
        elif fault is Fault.DROP:
            self._drop()
        elif fault is Fault.ERROR_LINE:
            self._chunk({"error": "an error was encountered while running the model: unexpected EOF"})
            self._end()
        elif fault is Fault.CUT:
            self._end()

    def _stream(self, reply: Reply, body: Body) -> None:
        prompt = sum(len(message["content"]) for message in body["messages"])
        self._begin()
        for field, text in (("thinking", reply.thinking), ("content", reply.text)):
            for piece in _pieces(text, reply.piece):
                if reply.delay and self.scripted._closing.wait(reply.delay):
                    return
                message = {"role": "assistant", "content": "", field: piece}
                self._chunk({"message": message, "done": False})
        counted = prompt // 4 if reply.tokens_in is None else reply.tokens_in
        self._chunk(
            {
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": reply.done_reason,
                "prompt_eval_count": counted,
                "eval_count": max(1, len(reply.text) // 4),
            }
        )
        self._end()

    # ------------------------------------------------------------ the wire

    def _json(self, reply: Body, code: int = 200, headers: Body | None = None) -> None:
        self._plain(json.dumps(reply).encode(), code, {"Content-Type": "application/json", **(headers or {})})

    def _plain(self, data: bytes, code: int = 200, headers: Body | None = None) -> None:
        self.send_response(code)
        for name, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, part: Body) -> None:
        data = json.dumps(part).encode() + b"\n"
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        except OSError:
            self._left()
            raise

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _wait(self) -> None:
        """Say nothing until the caller or the server goes."""
        while not self.scripted._closing.wait(0.02):
            if select.select([self.connection], [], [], 0)[0]:
                self._left()
                break
        self.close_connection = True

    def _left(self) -> None:
        with self.scripted._lock:
            self.scripted.gone += 1

    def _drop(self) -> None:
        """Close before the end: unlike a reset, this cannot overtake what was sent before it."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


_REFUSED: dict[Fault, tuple[int, Body, Body]] = {
    Fault.NO_MODEL: (404, {"error": "model 'scripted:1b' not found"}, {}),
    Fault.NO_THINK: (400, {"error": '"scripted:1b" does not support thinking'}, {}),
    Fault.ERROR: (500, {"error": "llama runner process has terminated: exit status 2"}, {}),
    Fault.BUSY: (503, {"error": "server busy, please try again. maximum pending requests exceeded"}, {}),
    Fault.MEMORY: (
        500,
        {"error": "model requires more system memory (9.4 GiB) than is available (3.1 GiB)"},
        {},
    ),
    Fault.REDIRECT: (307, {}, {}),
}


def _code(found: object) -> tuple[int, ...]:
    return found[:1] if isinstance(found, tuple) else ()


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
