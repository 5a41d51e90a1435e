"""Texts of others as parts of a page or a picture: what they hold is letters there, whatever it would mean."""

from __future__ import annotations

import re
from html import escape

from core.text.escape_controls import escape_controls

_NOT_XML = re.compile("[\ufffe\uffff]")  # what `visible` leaves that no XML file may hold


def escape_markup(text: object) -> str:
    """As text or as an attribute's value; controls and marks of direction are seen, line ends and tabs are kept."""
    return escape(_NOT_XML.sub("\ufffd", escape_controls(str(text), keep="\n\t")))
