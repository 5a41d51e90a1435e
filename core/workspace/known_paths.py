"""Which document or folder of a workspace a path means, however a person writes it."""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from core.errors import BadInput
from core.text.translation import either, tr

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
