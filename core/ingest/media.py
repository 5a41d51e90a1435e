"""Tells what a file is: by its first bytes where they say so, else by its name."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePath

from core.errors import DocumentError

OFFICE = "application/vnd.openxmlformats-officedocument."
PDF = "application/pdf"
HTML = "text/html"
MAIL = "message/rfc822"
CSV = "text/csv"
MARKDOWN = "text/markdown"
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
}
OLD_OFFICE = {".doc": DOC, ".dot": DOC, ".xls": XLS, ".xlt": XLS, ".ppt": PPT, ".pps": PPT, ".msg": MSG}
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM", b"\0\0\x01\0")
SOUNDS = (b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"\xff\xfb", b"\xff\xf3")
ARCHIVES = (b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PK\x05\x06")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
LOCKED = DocumentError(
    "The file is protected by a password.", "Save a copy without the password and index again."
)


def media_type(name: str, data: bytes) -> str:
    """The MIME type; an empty string when only decoding can tell text from binary.

    Raises DocumentError for pictures, sound, archives and locked files.
    """
    suffix = PurePath(name).suffix.lower()
    if b"%PDF-" in data[:1024]:
        return PDF
    if _is_picture(data):
        raise DocumentError(
            "This is a picture; its words, if any, need OCR.",
            "Turn it into a PDF with text in an OCR program.",
        )
    if data.startswith(SOUNDS) or data[4:8] == b"ftyp" or data[8:12] in {b"WAVE", b"AVI "}:
        raise DocumentError("This is sound or video; it holds no text.", "Add a transcript to the folder.")
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data)
    if data.startswith(ARCHIVES):
        raise DocumentError("This is an archive.", "Unpack it into the folder and index again.")
    if data.startswith(OLE):
        return _old_office(suffix, data)
    if data.startswith(b"{\\rtf"):
        return RTF
    if suffix == ".pdf":
        raise DocumentError(
            "The PDF is damaged or incomplete.",
            "Open it in its own program; if that works, save it again, else get a new copy.",
        )
    return TEXT_BY_SUFFIX.get(suffix, "")


def _is_picture(data: bytes) -> bool:
    if data.startswith(b"BM") and b"\0" not in data[:64]:
        return False  # a text that begins with the letters BM
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    heif = data[4:8] == b"ftyp" and data[8:12] in {b"heic", b"heix", b"mif1", b"avif"}
    return webp or heif or data.startswith(PICTURES)


def _zipped(data: bytes) -> str:
    """Office Open XML, OpenDocument and EPUB by what lies in the archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            if any(item.flag_bits & 1 for item in archive.infolist()):
                raise LOCKED
            stated = (
                archive.read("mimetype")[:100].decode("ascii", "replace").strip()
                if "mimetype" in names
                else ""
            )
            manifest = archive.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in names else b""
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise DocumentError(
            "The file is damaged or incomplete.",
            "Open it in its own program; if that works, save it again, else get a new copy.",
        ) from error
    if b"encryption-data" in manifest:
        raise LOCKED
    for part, found in (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX)):
        if "[Content_Types].xml" in names and any(name.startswith(part) for name in names):
            return found
    if stated in {ODT, ODS, ODP, EPUB}:
        return stated
    raise DocumentError("This is an archive.", "Unpack it into the folder and index again.")


def _old_office(suffix: str, data: bytes) -> str:
    """The compound files of Office 97 to 2003 and of Outlook; locked new ones look the same."""
    if ENCRYPTED_PACKAGE in data:
        raise LOCKED
    if suffix in OLD_OFFICE:
        return OLD_OFFICE[suffix]
    raise DocumentError(
        "Clew cannot read this kind of file.", "Save it as PDF, DOCX or plain text and index again."
    )
