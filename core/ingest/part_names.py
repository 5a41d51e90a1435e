"""Names of the parts of a file: harmless, unique within the file, the same each time it is read."""

from __future__ import annotations

import hashlib
import re

from core.ingest.cleaning import one_line

LONGEST = 200  # characters of a whole name
LONGEST_STEP = 100  # of one step between slashes
DRIVE = re.compile(r"^[A-Za-z]:")


class PartNames:
    """Gives out the names of one file's parts."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, inside: str, raw: str) -> str:
        """A name for what lies within the part `inside` ("" is the file itself) under the name `raw`.

        Never absolute, never with "..", at most LONGEST characters; a second part of one name
        becomes "name (2)".
        """
        steps = [shortened(step, LONGEST_STEP) for step in harmless(raw)] or ["part"]
        path = "/".join([inside, *steps] if inside else steps)
        name = path = shortened(path, LONGEST)
        number = 1
        while name in self._taken:
            number += 1
            name = f"{path} ({number})"
        self._taken.add(name)
        return name


def harmless(raw: str) -> list[str]:
    """The steps of a path, without those that lead out of it: "../x\\y" -> ["x", "y"]."""
    path = DRIVE.sub("", raw.replace("\\", "/"))
    steps = (one_line(step).strip() for step in path.split("/"))
    return [step for step in steps if step.strip(". ")]


def shortened(name: str, longest: int) -> str:
    """`name`, its middle replaced by a hash of it when it is too long; beginning and suffix stay."""
    if len(name) <= longest:
        return name
    mark = f"~{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:10]}~"
    end = name[-20:].rsplit("/", 1)[-1]
    return name[: longest - len(mark) - len(end)].rstrip("/ ") + mark + end
