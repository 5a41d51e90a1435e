"""What is private, and who may see it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from core.errors import BadInput
from core.store.settings import path_from_text
from core.text.translation import tr
from core.types.private import (
    GUEST,
    OWNER,
    PRIVATE,
    PrivateDocument,
    PrivateMark,
    PrivateReason,
    Profile,
)
from core.workspace.handle import WorkspaceHandle
from core.workspace.known_paths import KnownPaths
from core.workspace.profiles import check_name, forget, profile_of


def describe_reason(document: PrivateDocument) -> str:
    """Return why a document is private, in words; for people, not yet safe to show as it stands."""
    name, source = document.name, document.source or tr("all documents")
    if document.reason is PrivateReason.MARK:
        return tr("private by its own mark ({name})", name=name)
    if document.reason is PrivateReason.FOLDER:
        return tr("private with {path} ({name})", path=source, name=name)
    if document.reason is PrivateReason.CONTENT:
        return tr("private by its content, that of {path} ({name})", path=source, name=name)
    return tr("private by its place, where a private document stood ({name})", name=name)


class PrivateApi:
    """`workspace.private`. Safe from every thread; what is private can be said while another indexes.

    What changes it raises WorkspaceError where nothing can be written, and for who does not see all, and Untrusted.
    """

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._opened = opened
        self._private = opened.store.private

    def _check(self) -> None:
        self._opened.check_trusted()
        self._opened.check_owner()

    def marks(self) -> list[PrivateMark]:
        return self._private.marks()

    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Of each private document, by its id, the names of the marks that make it so."""
        return self._private.names()

    def documents(self) -> list[PrivateDocument]:
        """Each private document by path and mark, and why it is private."""
        return self._private.documents()

    def mark(self, paths: Iterable[str], name: str = PRIVATE) -> list[PrivateMark]:
        """Keep documents, or folders with all that lies in them, private; by their paths, "" for all. What is new.

        A folder need not hold anything yet. Where there is no profile there is one from now on, which sees none of it.
        Raises BadInput for a name that is none, and for a path where nothing is, which changes nothing.
        """
        self._check()
        check_name(name)
        known = set(self.marks())
        found = dict.fromkeys(PrivateMark(path, name) for path in self._find(paths))
        new = [mark for mark in found if mark not in known]
        self._private.mark(new)
        if not self.profiles():
            self._private.put_profile(Profile(GUEST))
        return new

    def withdraw(self, marks: Iterable[PrivateMark]) -> None:
        """Undo `mark`, which gave these: what was private before it stays private."""
        self._check()
        self._private.withdraw(marks)

    def unmark(self, paths: Collection[str], name: str = "") -> list[PrivateMark]:
        """Keep what lies there private no longer, by this name or by all; what it was marked with, to undo it.

        What lies in a private folder stays private with it. Raises BadInput for a path where nothing is.
        """
        self._check()
        names = [name] if name else sorted({mark.name for mark in self.marks()})
        places = self._find(paths)
        gone = [PrivateMark(path, name) for path in places for name in names]
        marks = {mark for mark in self.marks() if any(_below(mark.path, path) for path in places)}
        by_id = self.names()
        paths_of = {document.id: document.path for document in self._opened.store.documents.some(by_id)}
        marks |= {
            PrivateMark(paths_of[id], each)
            for id, of in by_id.items()
            for each in of
            if paths_of[id] in places
        }
        self._private.unmark(gone)
        return sorted((mark for mark in marks if mark.name in names), key=lambda mark: (mark.path, mark.name))

    def again(self, marks: Iterable[PrivateMark]) -> None:
        """What `unmark` took away."""
        self._check()
        self._private.mark(list(marks))

    def _find(self, paths: Iterable[str]) -> list[str]:
        """The paths of the documents, folders and marks that are meant."""
        paths = list(paths)
        marked = [mark.path for mark in self.marks()]
        known = KnownPaths([*self._opened.store.documents.paths(), *marked], self._folder)
        return [known.find(path) for path in paths]

    @property
    def _folder(self) -> Path | None:
        stored = self._opened.store.settings.get("folder")
        return path_from_text(stored) if stored else None

    # ------------------------------------------------------------ who sees it

    def profiles(self) -> list[Profile]:
        """By their names; the owner, who sees all, is none of them."""
        return self._private.profiles()

    def set_profile(self, name: str, sees: Sequence[str] = ()) -> None:
        """Make a profile, or have it see what is private by these marks and no others. Raises BadInput."""
        self._check()
        if check_name(name) == OWNER:
            raise BadInput(tr("The owner sees all."), tr("Choose another name."))
        for each in sees:
            check_name(each)
        self._private.put_profile(Profile(name, tuple(sees)))

    def remove_profile(self, name: str) -> Profile:
        """It, as it was; what it was given to see goes with it. Raises BadInput where there is none of that name."""
        self._check()
        profile = profile_of(self._opened.store, name)
        self._private.drop_profile(name)
        forget(self._opened.path, name)
        return profile


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
