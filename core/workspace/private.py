"""What is private: finding the paths that words name, marking documents and folders, and taking marks back."""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from core.errors import BadInput
from core.store.settings import path_from_text
from core.text.translation import either, tr
from core.types.trust import PrivateDocument, PrivateReason
from core.workspace.handle import WorkspaceHandle

_NEAREST = 3  # paths that are proposed


class KnownPaths:
    """Paths of documents, and the folders above them; of the indexed `folder`, where it is known."""

    def __init__(self, paths: Iterable[str], folder: Path | None) -> None:
        self._paths = {"": None} | dict.fromkeys(each for path in paths for each in _with_folders(path))
        self._folder = folder

    def find(self, text: str) -> str:
        """Return the path that is meant, "" for all documents; it may be that of a file that is yet to be indexed.

        Relative, absolute or with `..`; if none is written just so, the only one that differs in its Unicode form, then
        in letter case and spaces. Raises BadInput for none, and for several.
        """
        written = list(dict.fromkeys(self._written(text)))
        for path in written:
            if path in self._paths:
                return path
        for alike in (_composed, _folded):
            if len(found := self._alike(written, alike)) == 1:
                return found[0]
            if found:
                raise BadInput(
                    tr("{path} may be {paths}.", path=text, paths=either(found[:_NEAREST])),
                    tr("Write it just as clew documents lists it."),
                )
        for path in written:
            if self._folder is not None and path and os.path.lexists(self._folder / path):
                return path
        raise BadInput(tr("The workspace has no document or folder {path}.", path=text), self._advice(text))

    def _written(self, text: str) -> Iterator[str]:
        """The ways to read it: from the folder, and where it leads on this disk."""
        if os.sep != "/":
            text = text.replace(os.sep, "/")
        if not posixpath.isabs(text):
            path = posixpath.normpath(text)
            if path == "." or not path.startswith(".."):
                yield "" if path == "." else path
        if self._folder is None:
            return
        for start in (self._folder, Path.cwd()):
            try:
                place = Path(os.path.normpath(start / Path(text).expanduser()))
                folders = (self._folder, self._folder.resolve())
                for way, folder in ((way, folder) for way in (place, place.resolve()) for folder in folders):
                    if way.is_relative_to(folder):
                        path = way.relative_to(folder).as_posix()
                        yield "" if path == "." else path
            except (OSError, ValueError, RuntimeError):  # a path that no disk knows: too long, a loop, a NUL
                continue

    def _alike(self, written: Iterable[str], alike: Callable[[str], str]) -> list[str]:
        by_form = defaultdict(list)
        for path in self._paths:
            by_form[alike(path)].append(path)
        return list(dict.fromkeys(path for each in written if each for path in by_form.get(alike(each), ())))

    def _advice(self, text: str) -> str:
        names = {_folded(path): path for path in self._paths if path}
        wanted = _folded(text)
        near = (
            get_close_matches(wanted, names, _NEAREST)
            or [form for form in names if posixpath.basename(form) == posixpath.basename(wanted)][:_NEAREST]
        )
        if near:
            return tr("Did you mean {paths}?", paths=either([names[form] for form in near]))
        return tr("To list the documents: clew documents WORKSPACE")


def _with_folders(path: str) -> Iterator[str]:
    yield path
    while path := posixpath.dirname(path):
        yield path


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _folded(path: str) -> str:
    """Letter case, Unicode forms and spaces at the ends of its parts evened out."""
    parts = unicodedata.normalize("NFKC", path).casefold().split("/")
    return "/".join(" ".join(part.split()) for part in parts)


# ------------------------------------------------------------ API


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
