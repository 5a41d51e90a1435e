"""The ZIP of a pack: one way to write it, byte for byte, so that whatever else is read was changed by somebody."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

from core.errors import BadInput
from core.ingest.source_files import open_source
from core.text.translation import tr

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
