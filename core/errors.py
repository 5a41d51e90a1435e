"""Errors that people are told about; anything else is a bug and flies."""

from __future__ import annotations

from core.text.translation import tr


class CoreError(Exception):
    """A known failure: `message` says what happened, `remedy` what to do about it."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class BadInput(CoreError):
    """What the person gave cannot be used: an empty question, a missing folder."""


class WorkspaceError(CoreError):
    """The workspace cannot be opened or written."""


class Untrusted(WorkspaceError):
    """A workspace that came from elsewhere, before the person said that it is theirs."""


class NothingIndexed(WorkspaceError):
    """The workspace holds no passages yet. The remedy names a command; the window names its own way."""

    def __init__(self, first: str = "") -> None:
        super().__init__(
            tr("The workspace holds no passages yet."),
            tr("{first}: clew index FOLDER --workspace WORKSPACE", first=first or tr("Index a folder first")),
        )


class DocumentError(CoreError):
    """A document cannot be read; the others go on. `raw`: what its reader said, word for word."""

    def __init__(self, message: str, remedy: str = "", raw: str = "") -> None:
        super().__init__(message, remedy)
        self.raw = raw


class ModelUnavailable(CoreError):
    """A model or an optional part is missing."""


class HostNotAllowed(ModelUnavailable):
    """A host that is not this machine, before the person allowed that texts are sent there."""


class ModelFault(CoreError):
    """A language model's server failed, or what it said is of no use.

    `passing`: the same call may succeed later. `prompt` and `raw` are for the quarantine, word for word.
    """

    def __init__(
        self, message: str, remedy: str = "", *, passing: bool = False, prompt: str = "", raw: str = ""
    ) -> None:
        super().__init__(message, remedy)
        self.passing = passing
        self.prompt = prompt
        self.raw = raw


class ModelSilent(ModelFault):
    """A server took a call, and nothing came in time."""


class BadReply(ModelFault):
    """The model answered, but not in the form that was asked for, or with nothing."""


class PromptTooLong(ModelFault):
    """What must be in the prompt does not fit into the context window."""


class CapReached(ModelFault):
    """The calls, tokens or seconds that were allowed are used up."""
