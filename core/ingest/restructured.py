"""Reads reStructuredText: its words without its marks, as headings, items, tables, code and notes.

By hand and line by line, for Sphinx's roles and directives too: what is not known keeps its text. Nothing is included
from other files, and raw HTML is read as a page is.
"""

from __future__ import annotations

import csv
import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.ingest.cleaning import clean, joined_lines, one_line
from core.ingest.flow import Flow, Part, table_part
from core.ingest.markup import html_parts
from core.ingest.package import Stated
from core.ingest.reading import Reading
from core.types import BlockKind

DEEPEST = 30  # blocks within each other; what lies deeper is one paragraph
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+")
_DIRECTIVE = re.compile(
    r"\.\. (?:\|(?P<name>[^|\n]{1,100})\| )?(?P<kind>[\w:+.-]{1,60}?) ?::(?:\s+(?P<argument>.*)|$)"
)
_NOTE = re.compile(r"\.\. \[(?P<name>[#*]?[\w.:+-]*)\](?:\s+(?P<text>.*)|$)")
_TARGET = re.compile(r"\.\. _(?:`[^`]*`|[^:`]*):|__ ")
_BULLET = re.compile(r"[-*+•‣⁃](?: +|$)")
_NUMBER = re.compile(r"\(?(?:\d{1,4}|[A-Za-z]|[ivxlcdm]{1,8}|[IVXLCDM]{1,8}|#)[.)](?: +|$)")
_FIELD = re.compile(r":(?![:\s`])((?:[^:\n\\`]|\\.|:(?=\S)(?!`)){1,200}):(?:\s+(.*)|$)")
_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?: +=+)+")
_SPANNED = re.compile(r"-+(?: +-+)*")
_INLINE = re.compile(
    r"\\(?P<escaped>\s|.)|``(?P<literal>[^`\n](?:[^`]|`(?!`)){0,2000})``"
    r"|(?::[\w:+.-]{1,60}:)?`(?P<text>[^`]{1,2000})`(?::[\w:+.-]{1,60}:|__?(?!\w))?"
    r"|\*\*(?P<strong>[^\s*][^*]{0,1000})\*\*|(?<![\w*])\*(?P<stress>[^\s*][^*]{0,1000})\*(?!\w)"
    r"|\|(?P<name>[^\s|][^|\n]{0,100})\|_{0,2}|\[(?P<note>[#*]?[\w.:+-]*)\]_|(?P<word>(?<!\w)[\w.+-]{0,100}\w)__?(?!\w)"
)
_RULED = re.compile(r"\+[-=]+\+")
_WIDEST = 200  # columns of a table that is drawn
_LONGEST_RULE = 5_000  # characters of its lines
LONGEST_SUBSTITUTE = 200  # characters of what stands for a name, which may come any number of times
_LABEL = re.compile(r"(?s)(.+?)\s*<[^<>]+>\Z")
_CODE = frozenset(
    "code code-block sourcecode parsed-literal highlight-block prompt doctest testcode productionlist".split()
)
# Directives without words for the reader, and those whose name is one.
_SILENT = frozenset(
    "include contents sectnum section-numbering index highlight role default-role meta currentmodule tabularcolumns "
    "literalinclude title target-notes".split()
)  # fmt: skip
_FOR_PROGRAMS = frozenset("only ifconfig container class rst-class cssclass".split())  # their arguments are

_LABELLED = frozenset(
    "attention caution danger error hint important note tip warning seealso todo versionadded versionchanged "
    "deprecated versionremoved".split()
)  # fmt: skip
_SIGNS = re.compile(r"^\.\. (?:[\w:+-]+::|_[^:\n]+:)|:[\w:+-]+:`[^`\n]+`", re.MULTILINE)
_SURE = re.compile(r"^\.\. (?:\|[^|\n]+\| )?[\w:+-]+::(?: |$)", re.MULTILINE)
_SAMPLE = 100_000  # characters by which a text is judged


def is_restructured(text: str) -> bool:
    """Whether a text that does not say so is surely reStructuredText: by its directives among other marks of it."""
    sample = text[:_SAMPLE]
    return _SURE.search(sample) is not None and len(_SIGNS.findall(sample)) > 2


def read_restructured(text: str) -> Reading:
    """Plain text with typed blocks; date and author from the first field list, heading from the first section."""
    lines = [line.rstrip() for line in clean_lines(text)]
    plain = _Reader({})
    reader = _Reader({name: plain.inline(words) for name, words in _substitutions(lines)})
    reader.blocks(lines, 0)
    flow = Flow()
    for part in reader.parts:
        flow.add(part)
    stated = reader.stated
    return flow.reading(Stated(stated.get("title", ""), stated.get("date", ""), stated.get("author", "")))


def clean_lines(text: str) -> list[str]:
    return text.expandtabs(8).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _substitutions(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, words) of `.. |name| replace:: words`; of a picture, the text that stands for it."""
    for at, line in enumerate(lines):
        found = _DIRECTIVE.match(line.lstrip()) if "|" in line else None
        if found and found["name"]:
            body = _body(lines, at + 1, _indent(line) + 1)[0]
            alt = next((one.partition(":alt:")[2].strip() for one in body if ":alt:" in one), "")
            text = " ".join([found["argument"] or "", *map(str.strip, body)]).strip()
            words = text if found["kind"] in {"replace", "unicode", "date"} else alt
            yield found["name"], words[:LONGEST_SUBSTITUTE]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _body(lines: Sequence[str], at: int, least: int) -> tuple[list[str], int]:
    """The lines from `at` that are indented by `least` or more, and blank ones between them, without the indentation
    that all have; where they end."""
    end = last = at
    while end < len(lines) and (not lines[end] or _indent(lines[end]) >= least):
        end += 1
        if lines[end - 1]:
            last = end
    body = list(lines[at:last])
    common = min((_indent(line) for line in body if line), default=0)
    return [line[common:] for line in body], last


@dataclass(slots=True)
class _Reader:
    """Takes blocks one by one."""

    names: Mapping[str, str]  # substitutions
    parts: list[Part] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    _at_head: bool = True  # nothing but a title stood yet
    _levels: list[tuple[str, bool]] = field(default_factory=list)  # how headings are drawn, the outer first
    _numbers: dict[int, int] = field(default_factory=dict)  # by depth, that of the item before

    def blocks(self, lines: Sequence[str], depth: int) -> None:
        """All blocks of these lines, which begin at the margin."""
        if depth > DEEPEST:
            self._paragraph([line.strip() for line in lines])
            return
        at = 0
        self._numbers.pop(depth, None)
        while at < len(lines):
            if lines[at] and not _NUMBER.match(lines[at]):
                self._numbers.pop(depth, None)
            at = self._block(lines, at, depth) if lines[at] else at + 1

    def _block(self, lines: Sequence[str], at: int, depth: int) -> int:
        """The block that begins at a line; where the next one may."""
        line = lines[at]
        self._at_head &= depth > 0 or line[0] in ":." or _RULE.match(line) is not None or not self.parts
        if line[0] == " ":
            body, end = _body(lines, at, 1)
            self.blocks(body, depth + 1)
            return end
        if line == ".." or line.startswith((".. ", "__ ")):
            return self._explicit(lines, at, depth)
        if _GRID.fullmatch(line):
            return self._grid(lines, at)
        if _SIMPLE.fullmatch(line) and (end := self._simple(lines, at)):
            return end
        if end := self._section(lines, at):
            return end
        if mark := self._mark(lines, at):
            return self._item(lines, at, mark, depth)
        if found := _FIELD.match(line):
            return self._field(lines, at, found, depth)
        if line.startswith(">>> "):
            end = next((n for n in range(at, len(lines)) if not lines[n]), len(lines))
            self._add("\n".join(lines[at:end]), BlockKind.CODE)
            return end
        return self._text(lines, at, depth)

    def _section(self, lines: Sequence[str], at: int) -> int:
        """A heading, or the rule between two parts; 0 where there is none."""
        line = lines[at]
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if rule := _RULE.fullmatch(line):
            under = lines[at + 2] if at + 2 < len(lines) else ""
            if below and under == line and len(line) >= len(below.strip()) - 2:
                self._heading(below, rule[1], over=True)
                return at + 3
            return at + 1 if len(line) >= 4 and not below else 0
        if (
            (rule := _RULE.fullmatch(below))
            and len(below) >= max(2, min(len(line) - 2, 40))
            and line[0] != "|"
        ):
            self._heading(line, rule[1], over=False)
            return at + 2
        return 0

    def _heading(self, text: str, sign: str, over: bool) -> None:
        if (sign, over) not in self._levels:
            self._levels.append((sign, over))
        words = joined_lines(self.inline(text.strip()))
        self.parts.append(Part(words, BlockKind.HEADING, min(self._levels.index((sign, over)) + 1, 6)))

    def _mark(self, lines: Sequence[str], at: int) -> re.Match[str] | None:
        """What a list item begins with: what follows it is set in, blank, or an item, too."""
        if bullet := _BULLET.match(lines[at]):
            return bullet
        number = _NUMBER.match(lines[at])
        below = lines[at + 1] if at + 1 < len(lines) else ""
        return number if number and (not below or below[0] == " " or _NUMBER.match(below)) else None

    def _item(self, lines: Sequence[str], at: int, mark: re.Match[str], depth: int) -> int:
        body, end = _body(lines, at + 1, 1)
        first = len(self.parts)
        sign = mark[0].strip().replace("#", str(self._numbers.get(depth, 0) + 1))
        if digits := re.search(r"\d+", sign):
            self._numbers[depth] = int(digits[0])
        self.blocks([lines[at][mark.end() :], *body], depth + 1)
        lead = "- " if _BULLET.match(mark[0]) else f"{sign} "
        if first < len(self.parts) and self.parts[first].kind is None:
            self.parts[first] = Part(lead + joined_lines(self.parts[first].text), BlockKind.ITEM)
        return max(end, at + 1)

    def _field(self, lines: Sequence[str], at: int, found: re.Match[str], depth: int) -> int:
        body, end = _body(lines, at + 1, 1)
        name, text = self.inline(found[1]), found[2] or ""
        first = len(self.parts)
        self.blocks([text, *body], depth + 1)
        label = name[:1].upper() + name[1:]
        if first < len(self.parts) and self.parts[first].kind is None:
            value = self.parts[first].text
            self.parts[first] = Part(f"{label}: {value}")
            if self._at_head:
                self.stated.setdefault(name.lower(), one_line(value).strip("$ "))
        elif first == len(self.parts):
            self._add(label)
        return max(end, at + 1)

    def _text(self, lines: Sequence[str], at: int, depth: int) -> int:
        """A paragraph, with the literal text or the definition that is set in below it."""
        end = at + 1
        while end < len(lines) and lines[end] and lines[end][0] != " ":
            end += 1
        paragraph = list(lines[at:end])
        if end < len(lines) and lines[end] and end == at + 1 and not paragraph[0].endswith("::"):
            body, end = _body(lines, end, 1)  # a term, and what it means
            self._paragraph(paragraph)
            self.blocks(body, depth + 1)
            return end
        if not paragraph[-1].endswith("::"):
            self._paragraph(paragraph)
            return end
        paragraph[-1] = paragraph[-1][:-2].rstrip() + (
            "" if paragraph[-1] == "::" or paragraph[-1].endswith(" ::") else ":"
        )
        self._paragraph(paragraph)
        body, after = _body(lines, end, 1)
        self._add("\n".join(body), BlockKind.CODE)
        return max(after, end)

    def _paragraph(self, lines: Sequence[str]) -> None:
        broken = all(line.startswith("|") for line in lines)
        text = "\n".join(line[1:].strip() if broken else line for line in lines)
        words = self.inline(text)
        self.parts += [Part(clean(words if broken else joined_lines(words)))] if words.strip() else []

    def _add(self, text: str, kind: BlockKind | None = None) -> None:
        if words := clean(text):
            self.parts.append(Part(words, kind))

    # ------------------------------------------------------------ explicit markup

    def _explicit(self, lines: Sequence[str], at: int, depth: int) -> int:
        line = lines[at]
        body, end = _body(lines, at + 1, 1)
        if _TARGET.match(line):
            return max(end, at + 1)
        if found := _NOTE.match(line):
            first = len(self.parts)
            self.blocks([found["text"] or "", *body], depth + 1)
            lead = f"[{found['name'].lstrip('#*') or '*'}] "
            for number, part in enumerate(self.parts[first:], first):
                self.parts[number] = Part((lead if number == first else "") + part.text, BlockKind.NOTE)
        elif (found := _DIRECTIVE.match(line)) and not found["name"]:
            self._directive(found["kind"].lower(), found["argument"] or "", body, depth)
        return max(end, at + 1)  # else a comment, or a substitution that was read before

    def _directive(self, kind: str, argument: str, body: list[str], depth: int) -> None:
        options: dict[str, str] = {}
        at = 0
        while at < len(body) and body[at]:  # the argument goes on, then options
            if found := _FIELD.match(body[at]):
                options[found[1].lower()] = found[2] or ""
            elif options or kind in _CODE or kind in _LABELLED or not argument or kind.endswith("table"):
                break
            else:
                argument += f" {body[at].strip()}"
            at += 1
        rest = body[at:]
        argument = "" if kind in _FOR_PROGRAMS else argument
        if caption := options.get("caption", ""):
            self._add(self.inline(caption), BlockKind.CAPTION)
        if kind == "toctree":
            named = (_LABEL.match(line.strip()) for line in rest)
            self._add("\n".join(found[1] for found in named if found))
        elif kind in _SILENT:
            return
        elif kind == "raw":
            self.parts += html_parts("\n".join(rest)) if "html" in argument.lower() else []
        elif kind in _CODE:
            self._add("\n".join(rest), BlockKind.CODE)
        elif kind == "math":
            self._add("\n".join(filter(None, (argument, *rest))))
        elif kind in {"image", "figure"}:
            self._add(self.inline(options.get("alt", "")), BlockKind.CAPTION)
            self.blocks(rest, depth + 1)
        elif kind in {"table", "list-table", "csv-table"}:
            self._add(self.inline(argument), BlockKind.CAPTION)
            self._table(kind, options, rest, depth)
        else:
            label = kind.capitalize() if kind in _LABELLED else ""
            if label and kind not in {"versionadded", "versionchanged", "deprecated", "versionremoved"}:
                rest, argument = [argument, *rest], ""
            first = len(self.parts)
            lead = " ".join(filter(None, (label, self.inline(argument)))) if label else self.inline(argument)
            if not label:
                self._add(lead)
            self.blocks(rest, depth + 1)
            if label and first < len(self.parts) and self.parts[first].kind is None:
                self.parts[first] = Part(f"{lead}: {self.parts[first].text}")
            elif label:
                self.parts.insert(first, Part(clean(lead)))

    # ------------------------------------------------------------ tables

    def _table(self, kind: str, options: Mapping[str, str], body: list[str], depth: int) -> None:
        if kind == "csv-table":
            delimiter = {"tab": "\t", "space": " "}.get(
                options.get("delim", ","), options.get("delim", ",")[:1] or ","
            )
            lines = [*filter(None, (options.get("header", ""),)), *filter(None, body)]
            try:
                self._rows(list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True)))
            except (csv.Error, TypeError):
                self._paragraph(lines)
        elif kind == "list-table":
            self._rows(list(_listed(body)))
        else:
            self.blocks(body, depth + 1)

    def _rows(self, rows: Sequence[Sequence[str]]) -> None:
        words = [[joined_lines(self.inline(cell)) for cell in row] for row in rows]
        if any(any(row) for row in words):
            self.parts.append(table_part(words))

    def _grid(self, lines: Sequence[str], at: int) -> int:
        end = at
        while end < len(lines) and lines[end][:1] in {"+", "|"}:
            end += 1
        self._rows(_grid_rows(lines[at:end]))
        return end

    def _simple(self, lines: Sequence[str], at: int) -> int:
        """A table under rules of "="; 0 where the last rule is missing."""
        starts = [found.start() for found in re.finditer(r"=+", lines[at])]
        rules = [at]
        end = at + 1
        while end < len(lines):
            if _SIMPLE.fullmatch(lines[end]):
                rules.append(end)
                if len(rules) == 3 or end + 1 >= len(lines) or not lines[end + 1]:
                    break
            end += 1
        if len(rules) < 2:
            return 0
        rows: list[list[str]] = []
        for line in lines[at + 1 : rules[-1]]:
            if not line or _SIMPLE.fullmatch(line) or _SPANNED.fullmatch(line):
                continue
            cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
            if cells[0] or not rows:
                rows.append(cells)
            else:
                rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        self._rows(rows)
        return rules[-1] + 1

    def inline(self, text: str) -> str:
        """The words of a run of text without its marks."""
        return _INLINE.sub(self._words, text) if any(sign in text for sign in "`*|_\\") else text

    def _words(self, found: re.Match[str]) -> str:
        if (escaped := found["escaped"]) is not None:
            return "" if escaped.isspace() else escaped
        if found["name"] is not None:
            return self.names.get(found["name"], found[0])
        if found["note"] is not None:
            return f"[{found['note'].lstrip('#*') or '*'}]"
        if found["text"] is not None:
            text = found["text"]
            if label := _LABEL.match(text):
                return label[1]
            return text.rpartition(".")[2] if text[0] == "~" else text.lstrip("!")
        return str(
            next(found[name] for name in ("literal", "strong", "stress", "word") if found[name] is not None)
        )


def _listed(body: Sequence[str]) -> Iterator[list[str]]:
    """Rows of a table that is written as a list of lists."""
    row: list[str] = []
    for line in body:
        if line.startswith("* "):
            if row:
                yield row
            row, line = [], f"  {line[2:]}"
        inner = line.strip()
        if line[:4].strip() == "-" and _indent(line) <= 3:
            row.append(inner[1:].strip())
        elif row and inner:
            row[-1] += f" {inner}"
    if row:
        yield row


def _grid_rows(lines: Sequence[str]) -> list[list[str]]:
    """Rows of a table that is drawn. A cell over several rows stands in each of them, one over columns in the first."""
    width = max(map(len, lines))
    ruled = [_RULED.search(line) is not None for line in lines]
    drawn = [line for line, rule in zip(lines, ruled, strict=True) if rule]
    borders = sorted({at for line in drawn for at, sign in enumerate(line) if sign == "+"})
    if len(borders) > _WIDEST or width > _LONGEST_RULE:
        return [[line.strip("+|")] for line, rule in zip(lines, ruled, strict=True) if not rule]
    cells: dict[
        int, tuple[int, list[str]]
    ] = {}  # that go on, by where they begin: where they end, their lines
    rows: list[list[list[str] | None]] = []
    for number, line in enumerate(lines):
        line = line.ljust(width)
        if ruled[number]:
            ended = [begin for begin, (end, _) in cells.items() if not line[begin + 1 : end].strip("-=+")]
            for begin in ended:
                del cells[begin]
            if number + 1 >= len(lines):
                break
            below = lines[number + 1].ljust(width)
            for begin, end in itertools.pairwise(at for at in borders if below[at] in "|+"):
                if not any(first <= begin < last for first, (last, _) in cells.items()):
                    cells[begin] = (end, [])
            row: list[list[str] | None] = [None] * max(1, len(borders) - 1)
            for begin, (_, words) in cells.items():
                row[min(bisect_right(borders, begin) - 1, len(row) - 1)] = words
            rows.append(row)
        for begin, (end, words) in cells.items():
            text = line[begin + 1 : end].strip()
            if text.strip("-=+"):
                words.append(text)
    return [[" ".join(cell) if cell else "" for cell in row] for row in rows]
