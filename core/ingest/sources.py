"""Finds and names the documents within a file: itself, or members of archives and messages, to any mix."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import PurePath

from core.errors import DocumentError
from core.ingest import media
from core.ingest.archives import Budget, Spent, members
from core.ingest.chat_exports import DIRECTORIES, SiblingReader
from core.ingest.cleaning import one_line
from core.ingest.mail import Attached, Letter, envelope, is_mailbox, mailbox, read_letter
from core.ingest.mime import parsed
from core.ingest.outlook import outlook_message
from core.ingest.reading import Reading
from core.text.translation import tr

DEPTH = 4  # archives and messages within each other
EMPTY = DocumentError(tr("The file is empty."), tr("Get a new copy, or delete it."))
DEEPER = DocumentError(
    tr("It lies more than {depth} archives or messages deep.", depth=DEPTH),
    tr("Unpack the outer ones into the folder."),
)
Metadata = tuple[tuple[str, str], ...]
ReadFile = Callable[[str, str, bytes, SiblingReader, str], tuple[str, Reading]]


@dataclass(frozen=True, slots=True)
class Source:
    """A document that can be read. `read` gives (media type, reading) or raises DocumentError; it is given the encoding
    that a person chose, "" for none."""

    name: str  # of the part
    file: str  # name of the file, for its title
    read: Callable[[str], tuple[str, Reading]]
    metadata: Metadata = ()  # from what it lies in


def alone(name: str) -> bytes:
    """Beside a file that nothing is known of around it."""
    return b""


@dataclass(frozen=True, slots=True)
class _Place:
    """Something found, before it is known what it is; `read_sibling` opens the files around it."""

    name: str
    file: str
    data: bytes
    depth: int = 0
    metadata: Metadata = ()
    read_sibling: SiblingReader = alone


class Walk:
    """One walk through one file.

    `read_file` reads a plain file of (name, media type, content, what lies beside it, encoding).
    `began` hears the key of what is opened or read next: the part's name, with "/" at the end where it is opened to
    look for more.
    Parts and containers whose keys are in `done` are passed over.
    """

    def __init__(
        self,
        read_file: ReadFile,
        max_file_mb: int,
        done: frozenset[str] = frozenset(),
        began: Callable[[str], None] | None = None,
    ) -> None:
        self._read_file = read_file
        self._max_file_mb = max_file_mb
        self._done = done
        self._began = began or _nobody
        self._names = PartNames()

    def sources(self, file: str, data: bytes, read_sibling: SiblingReader = alone) -> Iterator[Source]:
        """The documents in order; `read_sibling` gives the files around this one.

        Raises DocumentError when the file itself cannot be opened.
        """
        self._budget = Budget(len(data), self._max_file_mb)
        opened = False
        try:
            for source in self._open(_Place("", file, data, read_sibling=read_sibling)):
                opened = True
                if source.name not in self._done:
                    self._began(source.name)
                    yield source
        except DocumentError as error:
            if not opened:
                raise
            yield _refused(self._names.take("", "unread parts"), file, error)

    def _open(self, place: _Place) -> Iterator[Source]:
        if not place.data:
            raise EMPTY
        kind = media.media_type(place.file, place.data)
        if kind not in media.CONTAINERS:
            read = partial(self._read_file, place.file, kind, place.data, place.read_sibling)
            yield Source(place.name, place.file, read, place.metadata)
            return
        key = place.name + "/"
        if key in self._done:
            return
        if place.depth >= DEPTH:
            raise DEEPER
        self._began(key)
        if kind == media.MSG:
            found = self._message(place.name, place, outlook_message(place.data))
        elif kind != media.MAIL:
            found = self._archive(place, kind)
        elif is_mailbox(place.data):
            found = self._mailbox(place)
        else:
            found = self._message(place.name, place, parsed(place.data))
        for source in found:
            yield source
            self._began(key)  # what follows is unpacking again

    def _inner(self, place: _Place) -> Iterator[Source]:
        """As `_open`; what cannot be opened is one source that says so."""
        opened = False
        try:
            for source in self._open(place):
                opened = True
                yield source
        except Spent:
            raise
        except DocumentError as error:
            name = self._names.take(place.name, "unread parts") if opened else place.name
            yield _refused(name, place.file, error)

    def _archive(self, place: _Place, kind: str) -> Iterator[Source]:
        empty = True
        around = _Around(kind, place, self._max_file_mb)
        for member in members(kind, place.file, place.data, self._budget):
            empty = False
            name = self._names.take(place.name, member.name)
            file = PurePath(name).name
            if member.error is not None:
                yield _refused(name, file, member.error)
                continue
            lookup = partial(around.read_sibling, member.name)
            yield from self._inner(_Place(name, file, member.data, place.depth + 1, place.metadata, lookup))
        if empty:
            raise DocumentError(tr("The archive holds no files."), tr("Get a new copy, or delete it."))

    def _mailbox(self, place: _Place) -> Iterator[Source]:
        number = 0
        for number, data in enumerate(mailbox(place.data), 1):
            self._budget.part()
            message = parsed(data)
            subject = envelope(message).subject[:80].replace("/", "-") or "no subject"
            name = self._names.take(place.name, f"{number:04d} {subject}")
            yield from self._message(name, place, message)
        if not number:
            raise DocumentError(tr("The mailbox holds no messages."), tr("Get a new copy, or delete it."))

    def _message(self, name: str, place: _Place, letter: Letter) -> Iterator[Source]:
        """The message, then what is attached to it."""
        yield Source(name, place.file, partial(_read_message, letter), place.metadata)
        about = envelope(letter).for_attachments()
        for attached in letter.attachments():
            self._budget.part()
            yield from self._attached(name, place, attached, about)

    def _attached(self, name: str, place: _Place, attached: Attached, about: Metadata) -> Iterator[Source]:
        own = self._names.take(name, attached.name)
        file = PurePath(own).name
        if isinstance(attached.content, bytes):
            # Attachments of a compound file may all lie at one place in it.
            self._budget.unpacked(len(attached.content))
            yield from self._inner(_Place(own, file, attached.content, place.depth + 1, about))
        elif place.depth + 1 >= DEPTH:
            yield _refused(own, file, DEEPER)
        else:
            inner = _Place(own, file, b"", place.depth + 1, about)
            yield from self._message(own, inner, attached.content)


class _Around:
    """The files of an archive that others refer to, read when one of these is asked for."""

    def __init__(self, kind: str, place: _Place, max_file_mb: int) -> None:
        self._kind, self._place, self._max_file_mb = kind, place, max_file_mb

    def read_sibling(self, member: str, name: str) -> bytes:
        return self._files.get(posixpath.normpath(posixpath.join(posixpath.dirname(member), name)), b"")

    @cached_property
    def _files(self) -> dict[str, bytes]:
        budget = Budget(len(self._place.data), self._max_file_mb)
        found = {}
        try:
            for member in members(self._kind, self._place.file, self._place.data, budget):
                if posixpath.basename(member.name) in DIRECTORIES:
                    found[posixpath.normpath(member.name)] = member.data
        except DocumentError:
            pass  # what could be read by then counts; the walk itself tells the fault
        return found


def part_of(data: bytes, file: str, part: str, max_file_mb: int) -> bytes:
    """The content of a part of a file, such as what is attached to a message; "" is the file itself.

    b"" where there is none of that name. Raises DocumentError for a file that cannot be opened.
    """
    found: list[bytes] = []

    def keep(_: str, kind: str, content: bytes, __: SiblingReader, ___: str) -> tuple[str, Reading]:
        found.append(content)
        return kind, Reading("")

    for source in Walk(keep, max_file_mb).sources(file, data):
        if source.name == part:
            source.read("")
            break
    return found[-1] if found else b""


def _read_message(letter: Letter, encoding: str) -> tuple[str, Reading]:
    return letter.media_type, read_letter(letter, encoding)


def _refused(name: str, file: str, error: DocumentError) -> Source:
    def refuse(encoding: str) -> tuple[str, Reading]:
        raise error

    return Source(name, file, refuse)


def _nobody(key: str) -> None:
    """Nobody listens."""


LONGEST = 200  # characters of a whole name
LONGEST_STEP = 100  # of one step between slashes
DRIVE = re.compile(r"^[A-Za-z]:")


class PartNames:
    """Gives out the names of one file's parts."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, inside: str, raw: str) -> str:
        """A name for what lies within the part `inside` ("" is the file itself) under the name `raw`.

        Never absolute, never with "..", at most LONGEST characters; a second part of one name
        becomes "name (2)".
        """
        steps = [shortened(step, LONGEST_STEP) for step in harmless(raw)] or ["part"]
        path = "/".join([inside, *steps] if inside else steps)
        name = path = shortened(path, LONGEST)
        number = 1
        while name in self._taken:
            number += 1
            name = f"{path} ({number})"
        self._taken.add(name)
        return name


def harmless(raw: str) -> list[str]:
    """The steps of a path, without those that lead out of it: "../x\\y" -> ["x", "y"]."""
    path = DRIVE.sub("", raw.replace("\\", "/"))
    steps = (one_line(step).strip() for step in path.split("/"))
    return [step for step in steps if step.strip(". ")]


def shortened(name: str, longest: int) -> str:
    """`name`, its middle replaced by a hash of it when it is too long; beginning and suffix stay."""
    if len(name) <= longest:
        return name
    mark = f"~{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:10]}~"
    end = name[-20:].rsplit("/", 1)[-1]
    return name[: longest - len(mark) - len(end)].rstrip("/ ") + mark + end
