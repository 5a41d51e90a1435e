"""A document's own file, handed to the program that the system has for it."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.look.translation import tr
from app.session.file_kinds import Kind, kind_of_file
from app.session.session import Message
from core.errors import DocumentError
from core.text.escape_controls import escape_controls

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Document

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


def open_original(session: Session, document: Document, accepted: Kind = "document") -> None:
    """Open the file, or ask first where it is more than a document. Only ever at a person's press.

    accepted: the kind of file to which the person said yes.
    """
    workspace = session.workspace
    if workspace is None:
        return
    try:
        file = located(workspace.folder, document)
        kind = kind_of_path(file)
    except DocumentError as error:
        session.tell_error(error)
        return
    if kind not in ("document", accepted):
        words, remedy = _WARNINGS[kind]
        act = partial(open_original, session, document, kind)
        session.told.emit(
            Message(words.format(file=escape_controls(file.name)), "warning", remedy, tr("Open anyway"), act)
        )
    elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(file))):
        none = tr("No program on this computer opens {file}.", file=escape_controls(file.name))
        lies = tr("It lies in {folder}.", folder=escape_controls(str(file.parent)))
        session.tell_error(DocumentError(none, lies))
    elif document.file not in ("", document.path):
        inner, outer = escape_controls(document.path), escape_controls(document.file)
        session.tell(tr("{document} lies in {file}, which was opened.", document=inner, file=outer))


def located(folder: Path | None, document: Document) -> Path:
    """Where the file, or the one that holds it, truly lies. Raises DocumentError unless that is inside the folder."""
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
    """The kind of a file of this system. Raises DocumentError where it is no regular file or cannot be read."""
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
