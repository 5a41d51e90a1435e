"""Bring the store's documents in line with a folder: only what changed is read again.

What many documents repeat is cut out of their passages.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from pathlib import Path, PurePath

from core.errors import DocumentError
from core.ingest import media
from core.ingest.cleaning import one_line
from core.ingest.dating import readable_name
from core.ingest.language import main_language, with_languages
from core.ingest.reading import Blocks, in_order
from core.ingest.reading_replies import raw_of
from core.ingest.scan import FoundFile, scan
from core.ingest.source_files import open_source
from core.progress import TaskContext
from core.protocols import Chunker, Loader, LoaderAhead
from core.store.documents import ReadDocument
from core.store.files import FileChoices, StoredFile, choices_of_file
from core.store.passages import Reusable
from core.store.store import Store
from core.text.translation import tr
from core.types import Block, BlockKind, Document, LoadedDocument, LoadedPart, NoticeKind, State
from core.types.kinds import stable_id

OFTEN = 4  # documents, of one author one
REPEATED = 1  # the level of boilerplate that the other documents tell; what the page itself tells has level 0
MOST = 0.5  # share of a page's text; where more repeats, the page is a version of another
CONTENT = frozenset({BlockKind.TABLE, BlockKind.CODE})
LINE = re.compile(r"\S(?:[^\n]*\S)?")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    hash: int | None  # None: it is no furniture, whatever repeats
    around: bool  # boilerplate by what the page itself tells


def line_hashes(document: LoadedDocument) -> Set[int]:
    """Hashes of the lines that are boilerplate if other documents have them."""
    return {line.hash for line in _lines(document) if line.hash is not None}


def repeated_blocks(document: LoadedDocument, repeated: Set[int]) -> tuple[Block, ...]:
    """The lines with these hashes that are boilerplate."""
    lines = list(_lines(document))
    mail = document.media_type == media.MAIL
    found: list[_Line] = []
    at = 0
    for furniture, run in groupby(lines, key=lambda line: line.around or line.hash in repeated):
        part = list(run)
        at += len(part)
        edge = at == len(lines) or (at == len(part) and not mail)
        if furniture and (edge or any(line.around for line in part)):
            found += (line for line in part if not line.around)
    own = sum(line.end - line.start for line in lines if not line.around)
    most = own - 1 if mail else MOST * own
    if sum(line.end - line.start for line in found) > most:
        return ()
    return tuple(Block(BlockKind.BOILERPLATE, line.start, line.end, REPEATED) for line in found)


def settle_repetition(store: Store, chunker: Chunker, context: TaskContext) -> None:
    """Cut the passages anew of documents in which other lines repeat than before. Raises Cancelled."""
    documents = store.lines.refresh(OFTEN)
    for number, id in enumerate(documents):
        document = store.documents.get(id)
        context.report("compare", number, len(documents), document.path)
        text = store.documents.text(id)
        before = tuple(store.documents.blocks(id, 0, len(text)))
        own = tuple(block for block in before if not _by_others(block))
        pages = tuple(store.documents.pages(id))
        loaded = LoadedDocument(text, document.title, document.media_type, pages=pages, blocks=own)
        # The outer one first, where a line is a block of its own.
        blocks = in_order((*repeated_blocks(loaded, store.lines.repeated(id)), *own))
        with store.database.transaction() as connection:
            if blocks != before:
                loaded = LoadedDocument(text, document.title, document.media_type, pages=pages, blocks=blocks)
                passages = with_languages(chunker.passages(id, loaded), loaded)
                store.documents.rechunk(connection, id, blocks, passages, main_language(passages))
            store.lines.settled(connection, id)


def _by_others(block: Block) -> bool:
    return block.kind is BlockKind.BOILERPLATE and block.level == REPEATED


def _lines(document: LoadedDocument) -> Iterator[_Line]:
    """The lines of a saved page or a mail; of other documents none."""
    if document.media_type != media.MAIL and not any(
        block.kind is BlockKind.BOILERPLATE for block in document.blocks
    ):
        return
    blocks = Blocks(document.blocks)
    turns = {block.start for block in document.blocks if block.kind is BlockKind.TURN}
    # What stands above a mail says who wrote it to whom, so it is neither the mail's text nor furniture.
    notes = (b.end for b in document.blocks if b.kind is BlockKind.NOTE and b.start == 0)
    for match in LINE.finditer(document.text, next(notes, 0)):
        start, end = match.span()
        within = blocks.within(start, end)
        spans_line = all(block.start == 0 and block.end == end - start for block in within)
        around = any(block.kind is BlockKind.BOILERPLATE for block in within)
        content = start in turns or not spans_line or any(block.kind in CONTENT for block in within)
        yield _Line(start, end, None if around or content else _hash(match[0]), around)


def _hash(line: str) -> int:
    words = one_line(line).casefold().encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=8).digest(), signed=True)


# ------------------------------------------------------------ folder


_BLOCK = 1 << 20
_SETTLED_SECONDS = 2.0  # a file written so recently may be written again within the clock's grain
OnDocument = Callable[[Document], None]


@dataclass(frozen=True, slots=True)
class _Scan:
    """A file of the folder beside what the store knows of it. `digest` is "" where it cannot be opened."""

    file: FoundFile
    digest: str
    signature: str
    fault: DocumentError | None = None


def read_folder(
    folder: Path,
    store: Store,
    loader: Loader,
    chunker: Chunker,
    context: TaskContext,
    notify: OnDocument,
    begin: Callable[[int], None] | None = None,
    follow_links: bool = False,
) -> None:
    """Read new and changed files, move renamed ones, forget deleted and excluded ones.

    What is the same is told by content, not by name or date: a file whose status changed is hashed.
    A file that another version of loader or chunker read is read again, its unchanged passages keeping
    their work. A file that cannot be read becomes a failed document with its reason, and the rest goes
    on; so does a link out of the folder, unless `follow_links`. `begin` is told how many files are to be
    read, if any, before anything is changed; what it raises leaves the store as it was. Raises BadInput
    when the folder itself cannot be used.
    """
    reader = f"{loader.version}, {chunker.version}"
    excluded = store.files.excluded()
    files = [file for file in scan(folder, context, follow_links) if file.relative not in excluded]
    inside = None if follow_links else folder.resolve()
    snapshots = _look_at_changed(files, inside, store, reader, context)
    known = store.files.all()
    changed = [path for path, now in snapshots.items() if not _same(now, known.get(path), reader)]
    if begin is not None and (count := len(changed) if known else len(files)):
        begin(count)
    if moves := _matched(snapshots, known, {file.relative for file in files}):
        store.files.move(moves)
        store.documents.drop_passages(_titled_by_name(moves))
        known = store.files.all()
    gone = [known[path].key for path in known.keys() - {file.relative for file in files}]
    pool = store.documents.reusable(gone) if gone else Reusable()
    choices = store.choices.all()
    ahead = loader if isinstance(loader, LoaderAhead) else None
    if ahead is not None:
        ahead.expect([file.path for file in files if _to_read(file, snapshots, known, reader)], inside)
    for number, file in enumerate(files):
        context.report("read", number, len(files), file.relative, ahead.shares() if ahead else ())
        old = known.get(file.relative)
        if _unchanged(file, old, reader):
            continue
        now = snapshots.get(file.relative) or _look(file, inside)
        if old is not None and _same(now, old, reader):
            store.files.set_signature(old.key, now.signature)
            continue
        own = choices_of_file(choices, file.relative)
        for document in _read(now, inside, store, loader, chunker, reader, pool, excluded, own):
            notify(document)
    store.files.remove(gone)
    settle_repetition(store, chunker, context)
    context.report("read", len(files), len(files))


def _look_at_changed(
    files: Sequence[FoundFile], inside: Path | None, store: Store, reader: str, context: TaskContext
) -> dict[str, _Scan]:
    """Hash every file that is new or changed, where one of them may be a known file under another name."""
    known = store.files.all()
    if not known:
        return {}
    changed = [file for file in files if not _unchanged(file, known.get(file.relative), reader)]
    snapshots: dict[str, _Scan] = {}
    for number, file in enumerate(changed):
        context.report("compare", number, len(changed), file.relative)
        snapshots[file.relative] = _look(file, inside)
    return snapshots


def _unchanged(file: FoundFile, old: StoredFile | None, reader: str) -> bool:
    return (
        old is not None and old.reader == reader and old.signature != "" and old.signature == file.signature
    )


def _same(now: _Scan, old: StoredFile | None, reader: str) -> bool:
    """Whether it is what was read before, though its date may be another."""
    return old is not None and now.digest != "" and (old.sha256, old.reader) == (now.digest, reader)


def _to_read(
    file: FoundFile, scans: Mapping[str, _Scan], known: Mapping[str, StoredFile], reader: str
) -> bool:
    """Whether its content will be read, as far as can be told before it is looked at."""
    old, now = known.get(file.relative), scans.get(file.relative)
    return not (file.reason or _unchanged(file, old, reader) or (now is not None and _same(now, old, reader)))


def _matched(
    scans: Mapping[str, _Scan], known: Mapping[str, StoredFile], present: Set[str]
) -> dict[str, str]:
    """Old path to new path of files whose content moved, each used once, in the order of their paths."""
    # A changed file's old content may lie elsewhere now: logs that are rotated, two names swapped.
    left = [
        path
        for path, old in known.items()
        if path not in present or (path in scans and scans[path].digest != old.sha256)
    ]
    by_content: dict[str, list[str]] = {}
    for path in sorted(left, reverse=True):
        if known[path].sha256:
            by_content.setdefault(known[path].sha256, []).append(path)
    moves: dict[str, str] = {}
    for path in sorted(scans):
        same = path in known and known[path].sha256 == scans[path].digest
        if not same and by_content.get(scans[path].digest):
            moves[by_content[scans[path].digest].pop()] = path
    return moves


def _titled_by_name(moves: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """New paths, each with a title under which passages there are read otherwise than before the move.

    A title that is the file's name counts for less; see `extraction_input`.
    """
    for old, new in moves.items():
        names = {readable_name(PurePath(path).name) for path in (old, new)}
        if len(names) == 2:
            yield from ((new, name) for name in sorted(names))


def _look(file: FoundFile, inside: Path | None) -> _Scan:
    """Hash the file, unless it cannot be opened."""
    if file.reason:
        return _Scan(file, "", file.signature, DocumentError(file.reason, file.remedy))
    try:
        digest = _sha256(file.path, inside)
    except DocumentError as error:
        return _Scan(file, "", "", error)
    settled = time.time() - file.modified_ns / 1e9 > _SETTLED_SECONDS
    return _Scan(file, digest, file.signature if settled else "")


def _read(
    file_scan: _Scan,
    inside: Path | None,
    store: Store,
    loader: Loader,
    chunker: Chunker,
    reader: str,
    pool: Reusable,
    excluded: Set[str],
    choices: FileChoices,
) -> list[Document]:
    """Read a file and store its documents, all in one transaction."""
    parts: tuple[LoadedPart, ...]
    encodings = {
        path.removeprefix(file_scan.file.relative).removeprefix("/"): each
        for path, each in choices.encodings.items()
    }
    if file_scan.fault is not None:
        parts = (_failed(file_scan.fault),)
    else:
        try:
            parts = loader.parts(file_scan.file.path, inside, encodings)
        except DocumentError as error:
            parts = (_failed(error),)
    read = [_document(file_scan, part, chunker, choices) for part in parts]
    read = [item for item in read if item.document.path not in excluded]
    with store.database.transaction() as connection:
        key = store.files.put(
            connection, file_scan.file.relative, file_scan.digest, file_scan.signature, reader
        )
        store.documents.put(connection, key, read, pool)
    return [item.document for item in read]


def _failed(error: DocumentError) -> LoadedPart:
    return LoadedPart("", None, error.message, error.remedy, raw_of(error))


def _document(file_scan: _Scan, part: LoadedPart, chunker: Chunker, choices: FileChoices) -> ReadDocument:
    path = f"{file_scan.file.relative}/{part.name}" if part.name else file_scan.file.relative
    document = Document(
        id=stable_id("document", path),
        path=path,
        sha256=file_scan.digest,
        size=file_scan.file.size,
        title=path.rpartition("/")[2],
        media_type="",
        modified_ns=file_scan.file.modified_ns,
        file=file_scan.file.relative,
    )
    loaded = part.document
    if loaded is None:
        document = replace(document, state=State.FAILED, reason=part.reason, remedy=part.remedy)
        return ReadDocument(document, raw=part.raw)
    if date := choices.dates.get(path):
        notices = tuple(notice for notice in loaded.notices if notice.kind is not NoticeKind.DATE)
        loaded = replace(loaded, date=date, notices=notices)
    document = replace(
        document,
        title=loaded.title,
        media_type=loaded.media_type,
        date=loaded.date,
        author=loaded.author,
        pages=len(loaded.pages),
    )
    passages = with_languages(chunker.passages(document.id, loaded), loaded)
    return ReadDocument(
        replace(document, language=main_language(passages)), loaded, passages, lines=line_hashes(loaded)
    )


def _sha256(path: Path, inside: Path | None) -> str:
    digest = hashlib.sha256()
    try:
        with open_source(path, inside) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DocumentError(
            tr("The file cannot be opened ({strerror}).", strerror=error.strerror),
            tr("Check that it is still there and may be read."),
        ) from error
    return digest.hexdigest()
