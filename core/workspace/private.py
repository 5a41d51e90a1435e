"""What is private, and who may see it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.errors import BadInput
from core.opening import Opened
from core.profiles import check_name, forget, profile_of
from core.translation import tr
from core.types.private import GUEST, OWNER, PRIVATE, PrivateMark, Profile


class PrivateApi:
    """`workspace.private`. Safe from every thread; what is private can be said while another indexes.

    What changes it raises WorkspaceError where nothing can be written, and for who does not see all, and Untrusted.
    """

    def __init__(self, opened: Opened) -> None:
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

    def mark(self, paths: Iterable[str], name: str = PRIVATE) -> list[PrivateMark]:
        """Keep documents, or folders with all that lies in them, private; by their paths, "" for all. What is new.

        There need not be anything there yet. Where there is no profile there is one from now on, which sees none of it.
        Raises BadInput for a name that is none.
        """
        self._check()
        check_name(name)
        known = set(self.marks())
        new = [mark for mark in (PrivateMark(_normal(path), name) for path in paths) if mark not in known]
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

        What lies in a private folder stays private with it.
        """
        self._check()
        names = [name] if name else sorted({mark.name for mark in self.marks()})
        places = [_normal(path) for path in paths]
        gone = [PrivateMark(path, name) for path in places for name in names]
        held = {mark for mark in self.marks() if any(_below(mark.path, path) for path in places)}
        by_id = self.names()
        paths_of = {document.id: document.path for document in self._opened.store.documents.some(by_id)}
        held |= {
            PrivateMark(paths_of[id], each)
            for id, of in by_id.items()
            for each in of
            if paths_of[id] in places
        }
        self._private.unmark(gone)
        return sorted((mark for mark in held if mark.name in names), key=lambda mark: (mark.path, mark.name))

    def again(self, marks: Iterable[PrivateMark]) -> None:
        """What `unmark` took away."""
        self._check()
        self._private.mark(marks)

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


def _normal(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts)


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
