"""Tells what a file is: by its first bytes where they say so, else by its name."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import PurePath

from core.errors import DocumentError
from core.text.translation import tr

OFFICE = "application/vnd.openxmlformats-officedocument."
PDF = "application/pdf"
HTML = "text/html"
MAIL = "message/rfc822"
CSV = "text/csv"
MARKDOWN = "text/markdown"
RST = "text/x-rst"
PLAIN = "text/plain"
DOCX = OFFICE + "wordprocessingml.document"
XLSX = OFFICE + "spreadsheetml.sheet"
PPTX = OFFICE + "presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
RTF = "application/rtf"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
ZIP = "application/zip"
TAR = "application/x-tar"
GZIP = "application/gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
CONTAINERS = frozenset({MAIL, MSG, ZIP, TAR, GZIP, BZIP2, XZ})  # files that hold documents

TEXT_BY_SUFFIX = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".eml": MAIL,
    ".mbox": MAIL,
    ".csv": CSV,
    ".tsv": CSV,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".rst": RST,
    ".rest": RST,
}
OLD_OFFICE = {".doc": DOC, ".dot": DOC, ".xls": XLS, ".xlt": XLS, ".ppt": PPT, ".pps": PPT, ".msg": MSG}
# The header lines of a message, and the line before the first of several, in files that go by another name.
HEADER = re.compile(rb"(?:[A-Z][\w-]{1,40}:[ \t][^\r\n]*(?:\r?\n[ \t][^\r\n]*){0,99}\r?\n){3,99}\r?\n")
MAILBOX = re.compile(rb"From \S+@\S+ +[^\r\n]{10,60}\d{4}\r?\n(?=[A-Z][\w-]{1,40}: )")
MOST_HEADERS = 20_000  # bytes
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM", b"\0\0\x01\0")
SOUNDS = (b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"\xff\xfb", b"\xff\xf3")
ARCHIVES = ((b"PK\x05\x06", ZIP), (b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\xfd7zXZ", XZ))
FOREIGN_ARCHIVES = {b"Rar!": "RAR", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "Zstandard", b"MSCF": "CAB"}
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
LOCKED = DocumentError(
    tr("The file is protected by a password."), tr("Save a copy without the password and index again.")
)


def has_encoding(kind: str) -> bool:
    """Whether a person may know better in which encoding files of this type are written; "" are those not known."""
    return not kind or kind.startswith("text/") or kind in {MAIL, MSG}


def media_type(name: str, data: bytes) -> str:
    """The MIME type; an empty string when only decoding can tell text from binary.

    Raises DocumentError for pictures, sound, locked files and archives that Clew cannot unpack.
    """
    suffix = PurePath(name).suffix.lower()
    if data.startswith(b"%PDF-"):
        return PDF
    if _is_picture(data):
        raise DocumentError(
            tr("This is a picture; its words, if any, need OCR."),
            tr("Turn it into a PDF with text in an OCR program."),
        )
    if data.startswith(SOUNDS) or data[4:8] == b"ftyp" or data[8:12] in {b"WAVE", b"AVI "}:
        raise DocumentError(
            tr("This is sound or video; it holds no text."), tr("Add a transcript to the folder.")
        )
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data)
    if archive := _archive(suffix, data):
        return archive
    if data.startswith(OLE):
        return _old_office(suffix, data)
    if data.startswith(b"{\\rtf"):
        return RTF
    # Readers bear up to 1 kB before a PDF; texts may speak of PDF.
    if b"%PDF-" in data[:1024] and suffix not in {*TEXT_BY_SUFFIX, ".txt"}:
        return PDF
    if suffix == ".pdf":
        raise DocumentError(
            tr("The PDF is damaged or incomplete."),
            tr("Open it in its own program; if that works, save it again, else get a new copy."),
        )
    if suffix in {"", ".txt"} and _is_mail(data[:MOST_HEADERS]):
        return MAIL
    return TEXT_BY_SUFFIX.get(suffix, "")


def _is_mail(data: bytes) -> bool:
    """Whether a text begins with the header lines of a message: who, when, and to whom or about what."""
    if MAILBOX.match(data):
        return True
    header = HEADER.match(data)
    named = {line.partition(b":")[0].lower() for line in header[0].splitlines()} if header else set()
    return {b"from", b"date"} <= named and bool({b"to", b"subject", b"message-id"} & named)


def _is_picture(data: bytes) -> bool:
    if data.startswith(b"BM") and b"\0" not in data[:64]:
        return False  # a text that begins with the letters BM
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    heif = data[4:8] == b"ftyp" and data[8:12] in {b"heic", b"heix", b"mif1", b"avif"}
    return webp or heif or data.startswith(PICTURES)


def _archive(suffix: str, data: bytes) -> str:
    """Archives that are no office files, or an empty string."""
    for start, kind in FOREIGN_ARCHIVES.items():
        if data.startswith(start):
            raise DocumentError(
                tr("This is a {kind} archive; Clew unpacks zip, tar, gzip, bzip2 and xz.", kind=kind),
                tr("Unpack it into the folder and index again."),
            )
    if data[257:262] == b"ustar" or (
        suffix == ".tar" and data[:1] not in {b"", b"\0"} and len(data) % 512 == 0
    ):
        return TAR
    return next((kind for start, kind in ARCHIVES if data.startswith(start)), "")


def _zipped(data: bytes) -> str:
    """Office Open XML, OpenDocument and EPUB by what lies in the archive, else a zip archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            locked = any(item.flag_bits & 1 for item in archive.infolist())
            stated = _beginning(archive, "mimetype", 100).decode("ascii", "replace").strip()
            manifest = _beginning(archive, "META-INF/manifest.xml", 1_000_000)
    except (
        zipfile.BadZipFile,
        KeyError,
        EOFError,
        NotImplementedError,
        OSError,
        ValueError,
        zlib.error,
    ) as error:
        raise DocumentError(
            tr("The file is damaged or incomplete."),
            tr("Open it in its own program; if that works, save it again, else get a new copy."),
        ) from error
    kind = stated if stated in {ODT, ODS, ODP, EPUB} else ZIP
    for part, found in (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX)):
        if "[Content_Types].xml" in names and any(name.startswith(part) for name in names):
            kind = found
            break
    if kind != ZIP and (locked or b"encryption-data" in manifest):
        raise LOCKED
    return kind


def _beginning(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """The first bytes of a member; none where there is no such member or it is locked."""
    if name not in archive.namelist() or archive.getinfo(name).flag_bits & 1:
        return b""
    with archive.open(name) as file:
        return file.read(size)


def _old_office(suffix: str, data: bytes) -> str:
    """The compound files of Office 97 to 2003 and of Outlook; locked new ones look the same."""
    if ENCRYPTED_PACKAGE in data:
        raise LOCKED
    if suffix in OLD_OFFICE:
        return OLD_OFFICE[suffix]
    raise DocumentError(
        tr("Clew cannot read this kind of file."), tr("Save it as PDF, DOCX or plain text and index again.")
    )
