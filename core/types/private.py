"""What a person keeps private, and who may see it."""

from __future__ import annotations

from dataclasses import dataclass

OWNER = "owner"  # the profile that sees all
GUEST = "guest"  # the profile that there is when something was marked
PRIVATE = "private"  # what a mark is called where nobody says otherwise


@dataclass(frozen=True, slots=True)
class PrivateMark:
    """A document, or a folder with all that lies in it, by its path in the workspace; "" is every document."""

    path: str
    name: str = PRIVATE


@dataclass(frozen=True, slots=True)
class Profile:
    """Somebody who sees what is not private, and what is by these marks alone."""

    name: str
    sees: tuple[str, ...] = ()
