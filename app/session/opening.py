"""A document's own file, handed to the program that the system has for it."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.look.translation import tr
from app.session.session import Message
from core.errors import DocumentError
from core.text.escape_controls import escape_controls

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Document

Kind = Literal["document", "program", "macros", "unknown"]

_PROGRAMS = frozenset(
    # Windows: programs, scripts, installers, links and settings that run or start another thing, disk images
    ".exe .com .bat .cmd .scr .pif .cpl .msc .msi .msp .mst .msix .msixbundle .appx .appxbundle .appinstaller"
    " .js .jse .vb .vbe .vbs .wsf .wsh .wsc .sct .ps1 .psm1 .psd1 .hta .jar .jnlp .chm .hlp .inf .reg .dll .ocx .sys"
    " .lnk .url .scf .rdp .application .appref-ms .gadget .diagcab .settingcontent-ms .library-ms .search-ms .theme"
    " .iso .img .vhd .vhdx .xll .wll .iqy .slk"
    # macOS
    " .app .command .terminal .tool .workflow .action .scpt .scptd .applescript .pkg .mpkg .dmg .webloc .inetloc"
    " .fileloc .prefpane .mobileconfig .dylib .bundle .plugin"
    # Linux
    " .desktop .appimage .run .bin .elf .so .out .deb .rpm .snap .flatpak .flatpakref .service"
    " .sh .bash .zsh .ksh .csh .fish .py .pyw .pyc .pyz .pl .rb .php .lua .tcl .awk .ps".split()
)
# Office files that may hold macros, by their name; the binary formats before 2007 all may.
_MACROS = frozenset(
    ".docm .dotm .xlsm .xltm .xlam .xlsb .pptm .potm .ppsm .ppam .sldm .doc .dot .xls .xlt .xla .ppt .pot .pps"
    " .mdb .accdb .accde".split()
)
_TEXTS = frozenset(
    ".txt .text .md .markdown .rst .tex .log .csv .tsv .json .xml .html .htm .xhtml .eml .mbox .ics .vcf .srt"
    " .rtf".split()
)
_DOCUMENTS = _TEXTS | frozenset(
    ".pdf .docx .dotx .xlsx .xltx .pptx .potx .ppsx .odt .ott .ods .ots .odp .otp .odg .epub .msg .djvu"
    " .png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic .mp3 .m4a .ogg .flac .wav .mp4 .mov .mkv .webm .avi"
    " .zip .tar .gz .tgz .bz2 .xz".split()
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RUN = (
    b"MZ", b"\x7fELF", b"#!", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)  # fmt: skip
_HEAD = 64  # bytes that tell a program
_NOT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)  # for who writes into a pipe
_WARNINGS: dict[Kind, tuple[str, str]] = {
    "program": (tr("\u201c{file}\u201d is a program."), tr("Opening it runs it.")),
    "macros": (tr("\u201c{file}\u201d may hold macros."), tr("Opening it may run them.")),
    "unknown": (
        tr("Clew does not know what kind of file \u201c{file}\u201d is."),
        tr("Opening it may run it."),
    ),
}


def kind_of_file(name: str, head: bytes, executable: bool = False) -> Kind:
    """Return the kind of a file, by its name on any system, its first bytes, and its executable mark.

    Only what is known to be shown and not run is a document: whoever names a file chooses its ending.
    """
    name = name.rstrip(". ").lower()  # Windows drops them
    suffix = "." + name.rpartition(".")[2] if "." in name else ""
    if suffix in _PROGRAMS or head.startswith(_RUN):
        return "program"
    # Office goes by the content: a text that is none is opened as what it is.
    if suffix in _MACROS or (head.startswith(_OLE) and suffix != ".msg"):
        return "macros"
    if suffix in _DOCUMENTS and not (suffix in _TEXTS and head.startswith(b"PK\x03\x04")):
        return "document"
    return "program" if executable else "unknown"


def open_original(session: Session, document: Document, accepted: Kind = "document") -> None:
    """Open the file, or ask first where it is more than a document. Only ever at a person's request.

    accepted: the kind of file to which the person said yes.
    """
    workspace = session.workspace
    if workspace is None:
        return
    try:
        file = located(workspace.folder, document)
        kind = kind_of_path(file)
    except DocumentError as error:
        session.notify_error(error)
        return
    if kind not in ("document", accepted):
        words, remedy = _WARNINGS[kind]
        act = partial(open_original, session, document, kind)
        session.message_posted.emit(
            Message(words.format(file=escape_controls(file.name)), "warning", remedy, tr("Open anyway"), act)
        )
    elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(file))):
        none = tr("No program on this computer opens {file}.", file=escape_controls(file.name))
        lies = tr("It lies in {folder}.", folder=escape_controls(str(file.parent)))
        session.notify_error(DocumentError(none, lies))
    elif document.file not in ("", document.path):
        inner, outer = escape_controls(document.path), escape_controls(document.file)
        session.notify(tr("{document} lies in {file}, which was opened.", document=inner, file=outer))


def located(folder: Path | None, document: Document) -> Path:
    """Return where the file, or its archive, lies. Raise DocumentError where that is outside the folder."""
    name = escape_controls(document.path)
    try:
        root = folder.resolve(strict=True) if folder is not None else None
        file = root and (root / (document.file or document.path)).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # links in a circle are a RuntimeError, a NUL is a ValueError
        root = file = None
    if root is None or file is None:
        raise DocumentError(
            tr("{document} is no longer where it was read.", document=name),
            tr("Put it back, or index its folder again."),
        )
    if not file.is_relative_to(root):
        raise DocumentError(
            tr(
                "{document} lies outside the workspace's folder, at {place}.",
                document=name,
                place=escape_controls(str(file)),
            ),
            tr("It is not opened from here. Open it in your file manager if you know it."),
        )
    return file


def kind_of_path(file: Path) -> Kind:
    """Return the kind of a file here. Raise DocumentError where it is not regular or cannot be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | _NOT_WAITING)
        try:
            mode = os.fstat(descriptor).st_mode
            head = os.read(descriptor, _HEAD) if stat.S_ISREG(mode) else None
        finally:
            os.close(descriptor)
    except OSError as error:
        raise DocumentError(
            tr("{file} cannot be read: {reason}.", file=escape_controls(file.name), reason=error.strerror),
            tr("Look at its permissions."),
        ) from error
    if head is None:
        words = tr("{file} is no regular file.", file=escape_controls(file.name))
        raise DocumentError(words, tr("See what stands there now."))
    return kind_of_file(file.name, head, os.name == "posix" and bool(mode & 0o111))
