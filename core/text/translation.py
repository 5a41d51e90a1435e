"""Words in the person's language: `tr` for a text, `trn` where a number decides the form of the words.

A text is a whole sentence or label with {named} places for what it tells of, never put together from pieces, since
another language has another order. Catalogues are GNU gettext's, `resources/locale/LANGUAGE/LC_MESSAGES/clew.mo`; the
language is that of the system (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) when the program starts.
"""

from __future__ import annotations

import functools
import gettext
from collections.abc import Sequence

from core.files import RESOURCES

DOMAIN = "clew"
catalogue: gettext.NullTranslations = gettext.translation(DOMAIN, RESOURCES / "locale", fallback=True)


def tr(text: str, /, **values: object) -> str:
    """The text in the person's language, with its {named} places filled in; whole numbers get their separators."""
    return _filled(catalogue.gettext(text), values)


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """As `tr`, in the form that the language has for this number: "{count} document", "{count} documents"."""
    return _filled(catalogue.ngettext(one, many, count), {"count": count, **values})


def mark(text: str) -> str:
    """The text as it is: one that is kept or compared in English, and goes through `tr` where it is shown."""
    return text


def markn(one: str, many: str) -> tuple[str, str]:
    """As `mark`, for both forms of what goes through `trn`."""
    return one, many


def either(parts: Sequence[str]) -> str:
    """Choices in words: "mass or volume or density"."""
    return functools.reduce(
        lambda first, last: tr("{first} or {last}", first=first, last=last), parts or ("",)
    )


def both(parts: Sequence[str]) -> str:
    """What holds together, in words: "mass and volume and density"."""
    return functools.reduce(
        lambda first, last: tr("{first} and {last}", first=first, last=last), parts or ("",)
    )


def join_words(parts: Sequence[str]) -> str:
    """Return a list in words: "mass, volume and density"."""
    *before, last = parts or ("",)
    return both([tr(", ").join(before), last]) if before else last


def _filled(text: str, values: dict[str, object]) -> str:
    if not values:
        return text
    return text.format(
        **{name: f"{value:,}" if type(value) is int else value for name, value in values.items()}
    )
