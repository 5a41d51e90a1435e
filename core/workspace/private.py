"""What is private: marking documents and folders, and taking marks back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from core.store.settings import path_from_text
from core.text.translation import tr
from core.types.trust import PrivateDocument, PrivateReason
from core.workspace.handle import WorkspaceHandle
from core.workspace.known_paths import KnownPaths


def describe_reason(document: PrivateDocument) -> str:
    """Return why a document is private, in words for people; its control characters are not escaped yet."""
    source = document.source or tr("all documents")
    if document.reason is PrivateReason.MARK:
        return tr("private by its own mark")
    if document.reason is PrivateReason.FOLDER:
        return tr("private with {path}", path=source)
    if document.reason is PrivateReason.CONTENT:
        return tr("private by its content, that of {path}", path=source)
    return tr("private by its place, where a private document stood")


class PrivateApi:
    """`workspace.private`. Safe from every thread; marks can be made while another process indexes.

    Whatever changes marks raises WorkspaceError where nothing can be written, and Untrusted. Marks are paths of
    documents, or of folders with all that lies in them; "" is everything.
    """

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._opened = opened
        self._private = opened.store.private

    def marks(self) -> list[str]:
        """Return the marked paths, in their order."""
        return self._private.marks()

    def documents(self) -> list[PrivateDocument]:
        """Return each private document by its path, and why it is private."""
        return self._private.documents()

    def mark(self, paths: Iterable[str]) -> list[str]:
        """Make documents, or folders with all that lies in them, private, and return the new marks.

        A folder need not hold anything yet. Raises BadInput for a path where nothing is, which changes nothing.
        """
        self._opened.check_trusted()
        known = set(self.marks())
        new = [path for path in dict.fromkeys(self._find(paths)) if path not in known]
        self._private.mark(new)
        return new

    def withdraw(self, marks: Iterable[str]) -> None:
        """Undo `mark`, which returned these: what was private before it stays private."""
        self._opened.check_trusted()
        self._private.withdraw(marks)

    def unmark(self, paths: Collection[str]) -> list[str]:
        """Make what lies there private no longer, and return the marks that undo it.

        What lies in a private folder stays private with it. Raises BadInput for a path where nothing is.
        """
        self._opened.check_trusted()
        places = self._find(paths)
        marks = {mark for mark in self.marks() if any(_is_below(mark, path) for path in places)}
        marks |= {document.path for document in self.documents() if document.path in places}
        self._private.unmark(places)
        return sorted(marks)

    def restore(self, marks: Iterable[str]) -> None:
        """Undo `unmark`, which returned these."""
        self._opened.check_trusted()
        self._private.mark(list(marks))

    def _find(self, paths: Iterable[str]) -> list[str]:
        """Return the paths of the documents, folders and marks that are meant."""
        stored = self._opened.store.settings.get("folder")
        folder: Path | None = path_from_text(stored) if stored else None
        known = KnownPaths([*self._opened.store.documents.paths(), *self.marks()], folder)
        return [known.find(path) for path in paths]


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
