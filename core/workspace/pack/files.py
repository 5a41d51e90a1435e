"""Write evidence packs, open them and check them."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from core.errors import BadInput, DocumentError
from core.files.safe_files import new_file
from core.ingest.source_files import open_source
from core.models.reader import SMALL
from core.progress import TaskContext
from core.store.store import Store
from core.text.translation import tr
from core.types import Answer, Check
from core.workspace.pack.annotations import as_annotations
from core.workspace.pack.contents import Contents, gather
from core.workspace.pack.graph_picture import graph_picture
from core.workspace.pack.page import as_page
from core.workspace.pack.page_images import page_images
from core.workspace.pack.record import as_record
from core.workspace.pack.seal import PAGE, RECORD, check_seal, sealed

LARGEST = 200_000_000  # bytes of a pack
MOST_FILES = 500
_NAME = re.compile(r"(?:[a-z]+/)?[a-z0-9][a-z0-9-]*\.[a-z]+")  # no way out of a folder, no name of a device
_ENTRY = b"PK\x01\x02"  # begins each entry of the directory
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a ZIP can tell
_READABLE = 0o100644 << 16


def zipped(files: Mapping[str, bytes]) -> bytes:
    """By name, without compression: the same files are the same bytes with every version of every library."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.create_system, entry.external_attr = (
                3,
                _READABLE,
            )  # as on Unix, also where it is written on Windows
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def unzipped(path: Path) -> dict[str, bytes]:
    """The files of a pack, by name.

    Raises BadInput for what is no ZIP as `zipped` makes it: one that is damaged, has anything before, between or behind
    its files, is compressed (a bomb), or has names that a pack never has; DocumentError for what is no file, OSError.
    """
    with open_source(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise _refused(tr("it has more than {size} MB", size=LARGEST // 1_000_000))
    if data.count(_ENTRY) > MOST_FILES:  # each would be read into memory before it can be looked at
        raise _refused(tr("it has more than {count} files", count=MOST_FILES))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            for entry in entries:
                if not _NAME.fullmatch(entry.filename):
                    raise _refused(tr("a file in it is called {name}", name=ascii(entry.filename)))
                if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > len(data):
                    raise _refused(tr("{name} is compressed", name=entry.filename))
            if sum(entry.file_size for entry in entries) > len(data):
                raise _refused(tr("its files lie over each other"))
            files = {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
        raise _refused(tr("its ZIP is damaged, or it is none")) from error
    if zipped(files) != data:
        raise _refused(tr("its ZIP was written by another program, or something was put into it"))
    return files


def _refused(why: str) -> BadInput:
    return BadInput(
        tr("This is no evidence pack as Clew wrote it: {why}.", why=why),
        tr("Get a new copy from who made it."),
    )


# ------------------------------------------------------------ verifying


_NAMED = 3  # of what differs


def check_pack(source: Path, keys: Collection[str] = ()) -> list[Check]:
    """`keys`: fingerprints of keys that are known beside the person's own. Raises BadInput where there is no file."""
    files, unreadable = _opened(source)
    return [unreadable] if unreadable else check_seal(files, keys)


def compare_pack(source: Path, store: Store, folder: Path | None) -> list[Check]:
    """Documents and passages of a pack that is whole, held against a workspace and the folder it was read from.

    Raises BadInput where it cannot be read at all.
    """
    files, _ = _opened(source)
    try:
        record = json.loads(files[RECORD])
        packed = {str(each["id"]): (str(each["path"]), str(each["sha256"])) for each in record["documents"]}
        texts = {str(each["id"]): (str(each["document"]), str(each["text"])) for each in record["passages"]}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            tr("The pack does not tell what it holds."), tr("Get a new copy from who made it.")
        ) from error
    now = {document.id: document for document in store.documents.some(packed)}
    changed = [path for id, (path, sha256) in packed.items() if id not in now or now[id].sha256 != sha256]
    there = {
        stored.passage.id: stored.passage.text for id in now for stored in store.passages.of_document(id)
    }
    gone = [path for id, (path, text) in texts.items() if there.get(id) != text]
    remedy = tr("The pack shows what was there when it was made; ask again to see what is there now.")
    checks = [
        _check(
            "documents", changed, tr("all {count} are in the workspace as packed", count=len(packed)), remedy
        ),
        _check("passages", gone, tr("all {count} are in the workspace as packed", count=len(texts)), remedy),
    ]
    if folder is not None:
        other = [
            path
            for id, (path, sha256) in packed.items()
            if id not in now or not _on_disk(folder, now[id].file, sha256)
        ]
        checks.append(
            _check(
                "originals", other, tr("all {count} are in the folder as packed", count=len(packed)), remedy
            )
        )
    return checks


def _opened(source: Path) -> tuple[Mapping[str, bytes], Check | None]:
    try:
        return unzipped(source), None
    except BadInput as error:
        return {}, Check("zip", False, 1, error.message, error.remedy)
    except (OSError, DocumentError) as error:
        raise BadInput(
            tr("{path} cannot be read.", path=source), tr("Name a pack that clew ask --pack wrote.")
        ) from error


def _check(name: str, differing: Iterable[str], sound: str, remedy: str) -> Check:
    paths = sorted(set(differing))
    if not paths:
        return Check(name, True, 0, sound)
    listing = ", ".join(paths[:_NAMED])
    if len(paths) > _NAMED:
        listing = tr("{paths} and {count} more", paths=listing, count=len(paths) - _NAMED)
    return Check(name, False, len(paths), tr("changed or gone since: {paths}", paths=listing), remedy)


def _on_disk(folder: Path, file: str, sha256: str) -> bool:
    """`file` is what the workspace calls it, not the pack: that may have come from anybody."""
    try:
        with open_source(folder / file, folder) as opened:
            found = hashlib.sha256()
            while part := opened.read(1 << 20):
                found.update(part)
            return found.hexdigest() == sha256
    except (OSError, ValueError, DocumentError):
        return False


# ------------------------------------------------------------ writing


ANNOTATIONS, PICTURE = "annotations.jsonld", "graph.svg"


def write_pack(
    store: Store,
    folder: Path | None,
    answer: Answer,
    target: Path,
    context: TaskContext,
    moment: str = "",
    replace: bool = False,
    model_digest: Callable[[str], str] = lambda _: "",
    reader: Path = SMALL.weights,
) -> None:
    """The same answer gives the same bytes at one machine. `folder` holds the documents; `moment`: moment, ISO 8601.

    Raises BadInput for a file that is there and not to be replaced, and where a passage of the answer is gone since;
    WorkspaceError where the file cannot be written; Cancelled.
    """
    context.report("pack", 0, 0)
    with new_file(target, replace) as temp_path:
        data = _packed(store, folder, gather(store, answer, moment, model_digest, reader), context)
        context.check()
        temp_path.write_bytes(data)


def _packed(store: Store, folder: Path | None, contents: Contents, context: TaskContext) -> bytes:
    images = page_images(store, folder, contents, context)
    picture = graph_picture(contents)
    files = {each.file: each.passage.text.encode("utf-8", "surrogatepass") for each in contents.passages}
    files |= {image.file: image.png for image in images}
    files |= {PICTURE: picture.encode()} if picture else {}
    files[ANNOTATIONS] = as_annotations(contents)
    files[RECORD] = as_record(contents, images)
    files[PAGE] = as_page(contents, images, picture)
    data = zipped(sealed(files))
    if len(data) > LARGEST:
        raise BadInput(
            tr("The pack would have more than {size} MB.", size=LARGEST // 1_000_000),
            tr("Ask for fewer passages."),
        )
    return data
