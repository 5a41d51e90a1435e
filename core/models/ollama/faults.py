"""What goes wrong between Clew and Ollama, in words, and whether it can pass."""

from __future__ import annotations

import re

import httpx
import ollama

from core.errors import CoreError, ModelFault, ModelSilent, ModelUnavailable, PromptTooLong
from core.text.translation import tr

_START = tr("Start it (ollama serve), or say where it runs: clew models host ADDRESS")
_RESTART = tr("Start it anew; what was done so far is kept.")
_AGAIN = tr("What was done so far is kept; try it again.")
_OTHER = tr("Check models.host; another program may listen there.")
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST = 300  # characters of a server's words that are told
# How httpx begins to tell of a connection that was closed too early; of no other reply that breaks the protocol.
_CLOSED = ("Server disconnected", "peer closed connection")
# What the client raises where the server or the network is at fault, and lines that are no reply of Ollama's
# (ValueErrors of JSON, UTF-8, pydantic and long numbers; a RecursionError of deep brackets).
FAULTS = (
    ollama.ResponseError,
    ollama.RequestError,
    httpx.HTTPError,
    httpx.InvalidURL,
    OSError,
    ValueError,
    RecursionError,
    AttributeError,
)


class Unreachable(ModelFault):
    """Nobody takes calls at the host."""


class NotOllama(ModelFault):
    """What answers at the host speaks another language; `raw` is what its reader made of it."""


class NoSuchModel(ModelFault):
    """The server does not know the model."""


class NoAddress(ModelFault):
    """The configured host cannot be read."""


class NoThinking(ModelFault):
    """The server refuses the `think` setting for this model."""


class WindowExceeded(PromptTooLong):
    """The server refuses a prompt for its length; `window` is what it says it has, 0 where it does not."""

    def __init__(self, message: str, remedy: str, window: int) -> None:
        super().__init__(message, remedy)
        self.window = window


def explained(error: Exception, host: str, model: str) -> ModelFault:
    """Return the fault in words."""
    if isinstance(error, ModelFault):
        return error
    if isinstance(error, ollama.ResponseError):
        return _answered(error.error, error.status_code, model)
    if isinstance(error, httpx.HTTPStatusError):
        return _answered(error.response.reason_phrase, error.response.status_code, model)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return no_address(host)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | ConnectionRefusedError):
        return Unreachable(tr("Ollama does not answer at {host}.", host=host), _START, passing=True)
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return ModelFault(
            tr("Ollama at {host} took too long to take a call.", host=host), _AGAIN, passing=True
        )
    if isinstance(error, ConnectionError) and not error.errno:
        # The client's own words for a connection that could not be made.
        return Unreachable(tr("Ollama does not answer at {host}.", host=host), _START, passing=True)
    if isinstance(error, httpx.RemoteProtocolError) and not str(error).startswith(_CLOSED):
        return not_ollama(error, host)
    if isinstance(error, httpx.HTTPError | OSError):
        return ModelFault(
            tr("Ollama broke the connection in the middle of a reply."),
            _AGAIN,
            passing=True,
            raw=_short(error),
        )
    return not_ollama(error, host)


def not_ollama(error: Exception, host: str) -> NotOllama:
    """Return the fault of an address where another program listens."""
    return NotOllama(
        tr("{host} answers, but not as Ollama does: what listens there is no Ollama.", host=host),
        tr("Say where Ollama runs: clew models host ADDRESS"),
        passing=True,
        raw=_short(error),
    )


def no_address(host: str) -> NoAddress:
    """Return the fault in words."""
    return NoAddress(
        tr("{host} is no address of a server.", host=repr(host)),
        tr("Give models.host as http://127.0.0.1:11434."),
    )


def stalled(seconds: float, tokens: int) -> ModelFault:
    """Return the fault of a server whose token did not come in time."""
    if tokens:
        return ModelFault(
            tr(
                "The model stalled: nothing came for {seconds} s after {tokens} tokens.",
                seconds=f"{seconds:g}",
                tokens=tokens,
            ),
            _AGAIN,
            passing=True,
        )
    return ModelSilent(
        tr("The model did not begin to answer within {seconds} s.", seconds=f"{seconds:g}"),
        tr("Set models.first_token_seconds higher, or choose a smaller model."),
        passing=True,
    )


def silent(host: str, seconds: float) -> ModelFault:
    """Return the fault of a server that took a question that needs no model, and did not answer."""
    return ModelSilent(
        tr("Ollama at {host} did not answer within {seconds} s.", host=host, seconds=f"{seconds:g}"),
        _RESTART,
        passing=True,
    )


def too_long(host: str, size: int) -> ModelFault:
    """Return the fault of a reply, or a line of it, that does not end."""
    return ModelFault(
        tr("{host} sent a reply without end; Clew stopped reading after {size} bytes.", host=host, size=size),
        _OTHER,
    )


def packed(host: str) -> ModelFault:
    """Return the fault of a reply in a form that was not asked for."""
    return ModelFault(tr("{host} sent a compressed reply, which Clew asks nobody for.", host=host), _OTHER)


def ended_early(tokens: int) -> ModelFault:
    """Return the fault of a stream that ended without the last word."""
    return ModelFault(
        tr("Ollama broke off in the middle of a reply, after {tokens} tokens.", tokens=tokens),
        _AGAIN,
        passing=True,
    )


def unavailable(fault: ModelFault) -> CoreError:
    """Return the fault that concerns every call to come: the server is gone, the model is not there."""
    found = ModelUnavailable(fault.message, fault.remedy)
    found.__cause__ = fault
    return found


def _answered(words: str, code: int, model: str) -> ModelFault:
    cause = _short(words).rstrip(".")
    low = cause.lower()
    if code == 404 and "model" in low:
        return NoSuchModel(
            tr("Ollama has no model called {model}.", model=model),
            tr("Choose one of those that `clew models` lists, or: ollama pull {model}", model=model),
        )
    if code == 400 and "think" in low:
        return NoThinking(tr("Ollama refuses the think setting for {model}: {said}", model=model, said=cause))
    if "context" in low and "exceed" in low:
        # "request (2096 tokens) exceeds the available context size (2048 tokens), try increasing it"
        size = re.search(r"context\D*(\d+)", low)
        return WindowExceeded(
            tr("The prompt does not fit into the window that the server has: {said}.", said=cause),
            tr("Give the server a larger context (OLLAMA_CONTEXT_LENGTH), or set models.window lower."),
            int(size.group(1)) if size else 0,
        )
    if "memory" in low and code in (-1, 500):
        return ModelFault(
            tr("The model {model} does not fit into memory: {said}.", model=model, said=cause),
            tr("Choose a smaller model or window (models.window)."),
        )
    if 300 <= code < 400:
        return ModelFault(
            tr(
                "Ollama's host wants to send calls elsewhere (status {code}); Clew does not follow.",
                code=code,
            ),
            tr("Set models.host to the server itself."),
        )
    status = tr("status {code}", code=code) if code > 0 else tr("in mid-reply")
    if code < 0 or code in _PASSING:
        return ModelFault(
            tr("Ollama failed ({status}): {said}.", status=status, said=cause), _AGAIN, passing=True
        )
    return ModelFault(
        tr("Ollama refused the call ({status}): {said}.", status=status, said=cause),
        tr("Check models.host and the model, see: clew doctor"),
    )


def _short(what: object) -> str:
    """Return one line of at most some hundred characters: servers put whole pages into their errors."""
    words = " ".join(str(what).split()) or type(what).__name__
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "..."
