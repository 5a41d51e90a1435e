"""Reads Markdown: its words without its marks, tables as rows, title and date from its front matter."""

from __future__ import annotations

import re

from core.ingest.cleaning import clean
from core.ingest.conversation import apart
from core.ingest.layout import unwrapped
from core.ingest.reading import Reading
from core.ingest.tables import table_text

FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
FIELD = re.compile(r"^(title|date|created|author|authors)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
FENCE = re.compile(r"(?:```|~~~)")
HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*")
UNDERLINE = re.compile(r"(?:={2,}|-{2,})")
RULE = re.compile(r"(?:\*\s?){3,}|(?:-\s?){3,}|(?:_\s?){3,}")
ROW_BORDER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
BAR = re.compile(r"(?<!\\)\|")
QUOTE = re.compile(r"\A(?:>\s?)+")
BULLET = re.compile(r"\A[*+]\s+")
# The marks of links, pictures, code and emphasis; the words between them are the first group.
INLINE = (
    re.compile(
        r"!?\[([^\[\]\n]{0,500})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"\n]{0,200}\")?\)|\[[^\[\]\n]{0,200}\])"
    ),
    re.compile(r"`{1,2}([^`\n]{1,500})`{1,2}"),
    re.compile(r"\*{1,3}(?=\S)([^*\n]{1,1000})(?<=\S)\*{1,3}"),
    re.compile(r"(?<!\w)_{1,3}(?=\S)([^_\n]{1,1000})(?<=\S)_{1,3}(?!\w)"),
    re.compile(r"<(https?://[^<>\s]{1,2000})>"),
    re.compile(r"\\([!-/:-@\[-`{-~])"),
)


def read_markdown(text: str) -> Reading:
    """Plain text; title, date and author from the front matter, heading from the first heading."""
    text = apart(clean(text))
    fields: dict[str, str] = {}
    front = FRONT_MATTER.match(text)
    if front:
        for name, value in FIELD.findall(front[1]):
            fields.setdefault(name.lower(), value.strip().strip("\"'[]"))
        text = text[front.end() :]
    blocks, heading = _blocks(text.split("\n"))
    body = clean("\n".join(([front[1], ""] if front else []) + blocks))
    return Reading(
        text=unwrapped(body),
        title=fields.get("title", ""),
        heading=heading,
        date=fields.get("date", fields.get("created", "")),
        author=fields.get("author", fields.get("authors", "")),
    )


def _blocks(lines: list[str]) -> tuple[list[str], str]:
    """The lines without their marks, blank lines around headings and tables; the first heading."""
    plain: list[str] = []
    rows: list[list[str]] = []
    heading = ""
    fenced = False
    for line in [*lines, ""]:
        if not fenced and line.startswith("|"):
            if not ROW_BORDER.fullmatch(line):
                rows.append([_inline(cell) for cell in BAR.split(line.strip().strip("|"))])
            continue
        if rows:
            plain += ["", table_text(rows), ""]
            rows = []
        if FENCE.match(line):
            fenced = not fenced
            plain.append("")
        elif fenced:
            plain.append(line)
        elif found := HEADING.fullmatch(line):
            title = _inline(found[1])
            heading = heading or title
            plain += ["", title, ""]
        elif UNDERLINE.fullmatch(line) and plain and plain[-1]:
            heading = heading or plain[-1]
            plain.append("")
        elif RULE.fullmatch(line):
            plain.append("")
        else:
            plain.append(_inline(BULLET.sub("- ", QUOTE.sub("", line))))
    return plain, heading


def _inline(line: str) -> str:
    for mark in INLINE:
        line = mark.sub(r"\1", line)
    return line.strip()
