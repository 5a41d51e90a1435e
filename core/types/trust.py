"""Where texts go, whom a workspace belongs to, and which documents are private."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.text.translation import tr


@dataclass(frozen=True, slots=True)
class ModelHost:
    """Where language models answer."""

    address: str  # "http://gpu.example:11434"
    here: bool  # this machine, by its own words: 127.0.0.0/8, ::1 or localhost
    allowed: bool  # the person let texts be sent there; always so `here`

    @property
    def place(self) -> str:
        """Without the scheme: "gpu.example:11434"."""
        return self.address.partition("://")[2]

    @property
    def words(self) -> str:
        """The address, and whether it is another machine."""
        return self.address if self.here else tr("{address} (not this machine)", address=self.address)

    @property
    def elsewhere(self) -> str:
        """What stands beside a model: "at gpu.example:11434 (not this machine)"; "" where it is here."""
        return "" if self.here else tr("at {place} (not this machine)", place=self.place)

    def model_label(self, model: str) -> str:
        """A model with its host: "qwen3 at gpu.example:11434 (not this machine)"; alone where that is here."""
        return f"{model} {self.elsewhere}".rstrip()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a workspace comes from, as far as the person's own notes tell, and what it names."""

    path: str
    trusted: bool
    known_at: str  # where it was before, or what it is a copy of; "" for one that is not known
    moved: bool  # it is no longer at `known_at`
    folder: str  # what would be read; "" for none yet
    extractor: str  # what would read it: "rules", "ollama:MODEL", "mixed:MODEL"
    settings: tuple[
        str, ...
    ]  # by which it would be read and answer, where not the defaults: "reading.follow_links=True"
    older: bool  # its schema is that of an older Clew

    @property
    def words(self) -> str:
        """Why it is not trusted."""
        if not self.known_at:
            return tr("This workspace was made elsewhere, or by an older Clew.")
        if self.moved:
            return tr("This workspace was at {place}.", place=self.known_at)
        return tr("This workspace is a copy of {place}.", place=self.known_at)

    @property
    def refusal(self) -> str:
        """What is said where something was asked of it."""
        if not self.known_at:
            return tr(
                "The workspace {path} is not trusted yet: it was made elsewhere, or by an older Clew. "
                "Nothing was done.",
                path=self.path,
            )
        if self.moved:
            return tr(
                "The workspace {path} is not trusted yet: it was at {place}. Nothing was done.",
                path=self.path,
                place=self.known_at,
            )
        return tr(
            "The workspace {path} is not trusted yet: it is a copy of {place}. Nothing was done.",
            path=self.path,
            place=self.known_at,
        )


class PrivateReason(StrEnum):
    """Why a document is private: its own mark, that of a folder, its content, or what stood at its path before."""

    MARK = "mark"
    FOLDER = "folder"
    CONTENT = "content"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class PrivateDocument:
    """A private document; `source` is the path of the mark, or of the document that it copies."""

    id: str
    path: str
    reason: PrivateReason
    source: str
