"""Reads RTF: kreuzberg 4.10 loses tabs, line breaks with what follows, signs beyond 16 bits. RTF 1.9.1."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from core.errors import DocumentError
from core.ingest.drawings import described, may_hold_text
from core.ingest.encodings import symbol_letter
from core.ingest.equations import raised
from core.ingest.flow import Flow, comment_lead
from core.ingest.package import NESTED, Stated
from core.ingest.reading import Reading
from core.ingest.running_lines import PAGE_NUMBER
from core.text.translation import tr
from core.types import NoticeKind

TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)"
)
LETTERS = {
    "tab": "\t", "line": "\n", "softline": "\n", "emdash": "—", "endash": "–", "emspace": "\u2003",
    "enspace": "\u2002", "qmspace": "\u2005", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "zwj": "\u200d", "zwnj": "\u200c", "zwbo": "\u200b", "zwnbo": "\u2060",
    "ltrmark": "\u200e", "rtlmark": "\u200f", "~": "\xa0", "-": "\xad", "_": "\u2011", "\t": "\t",
    "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
TABLE_WORDS = frozenset({"cell", "row", "nestcell"})
PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column", "\n", "\r"})
# Groups without text of the document; those that begin with "\*" and are not known are silent, too.
SILENT = frozenset(
    "colortbl stylesheet pict objdata nonshppict shprslt fldinst listtable listoverridetable revtbl rsidtbl "
    "themedata datastore xmlnstbl filetbl sp upr nonesttables info atnid generator mmathPr bkmkstart bkmkend".split()
)
STATED = frozenset({"title", "author", "creatim"})
KNOWN = frozenset(
    {"ud", "shpinst", "annotation", "atnauthor", "ffl", "objclass"}
)  # text all the same after "\*"
ANYWHERE = frozenset({*STATED, "ffl", "sn", "sv"})  # read within groups that are silent, too
MARGINS = {
    f"{kind}{which}": kind.capitalize() for kind in ("header", "footer") for which in ("", "l", "r", "f")
}
# What a group of its own collects, told elsewhere.
COLLECTED = frozenset(
    [
        *"footnote shptxt annotation atnauthor listtext pntext fonttbl ffl objclass sn sv".split(),
        *STATED,
        *MARGINS,
    ]
)
SYMBOLS = "symbols"
PAGES = {
    0: "cp1252", 2: SYMBOLS, 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp437",
}  # fmt: skip
CHECK_BOX, DROP_DOWN = 1, 2  # kinds of fields of a form
UNCHANGED = 25  # the state of a field that has the one that it began with
TWIPS = 20  # in a point
PICTURE = "Picture"
DEEPEST = 10_000  # groups within each other
CREATED = re.compile(r"yr(\d+)mo(\d+)dy(\d+)(?:hr(\d+))?(?:min(\d+))?")


def read_rtf(data: bytes) -> Reading:
    """Paragraphs, points and tables in order; notes after their paragraph, headers and footers last.

    Raises DocumentError when it is nested too deeply.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise DocumentError(
            tr("The document is damaged or incomplete."), tr("Get a new copy, or save it again as DOCX.")
        )
    parser = _Parser()
    parser.feed(data)
    return parser.reading()


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds until a group ends."""

    silent: bool = False
    collects: str = ""  # the word that sends its text elsewhere
    starts: bool = False  # whether it is this group that ends the collecting
    width: int = 1  # letters that stand for one \\u, for older programs
    font: int = -1
    deleted: bool = False
    hidden: bool = False
    raised: bool = False
    replaced: bool = False  # whether it says the same for older programs
    in_table: bool = False
    heading: int = 0  # its level, from 1


@dataclass(slots=True)
class _Font:
    page: str
    name: str = ""


class _Parser:
    def __init__(self) -> None:
        self._flow = Flow()
        self._group = _Group()
        self._outer: list[_Group] = []
        self._text: list[str] = []  # of the paragraph, cell or collecting group
        self._texts: list[list[str]] = []  # of those around
        self._bytes = bytearray()  # letters of one code page that are not decoded yet
        self._page = "cp1252"
        self._fonts: dict[int, _Font] = {}
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._label: str | None = None  # of the item that begins, "" for a bullet
        self._starred = False
        self._unread = False  # whether the run that is hidden was counted
        self._field: dict[str, int] = {}  # of a form: what its words say
        self._choices: list[str] = []  # of a field of a form
        self._picture: dict[str, int] = {}  # its sides
        self._named = ""  # the property of a shape whose value comes next
        self._skip = 0
        self._hanging: list[tuple[str, str, str]] = []  # (name, lead, text), told after the block
        self._marks = self._comments = 0
        self._found: dict[str, str] = {}
        self._margins: dict[str, dict[str, None]] = {"Header": {}, "Footer": {}}

    def feed(self, data: bytes) -> None:
        at = 0
        while match := TOKEN.search(data, at):
            at = match.end()
            if match["brace"]:
                self._brace(match["brace"] == b"{")
            elif match["word"]:
                number = int(match["number"]) if match["number"] else None
                if match["word"] == b"bin":
                    at += max(0, number or 0)
                else:
                    self._word(match["word"].decode(), number)
            elif match["sign"]:
                self._sign(match["sign"].decode("latin-1"))
            else:
                self._letters(bytes.fromhex(match["hex"].decode()) if match["hex"] else match["text"])

    def reading(self) -> Reading:
        while self._outer:  # a file that was cut off
            self._brace(opens=False)
        self._paragraph()
        self._table()
        self._hang()
        for kind, lines in self._margins.items():
            self._flow.note(kind, "", "\n".join(lines))
        date = CREATED.match(self._found.get("creatim", ""))
        stated = Stated(
            self._found.get("title", ""),
            "{}-{:0>2}-{:0>2} {:0>2}:{:0>2}".format(*date.groups("0")) if date else "",
            self._found.get("author", ""),
        )
        return self._flow.reading(stated)

    # ------------------------------------------------------------ groups

    def _brace(self, opens: bool) -> None:
        self._decode()
        self._skip = 0
        self._starred = False
        if opens:
            if len(self._outer) >= DEEPEST:
                raise NESTED
            self._outer.append(self._group)
            self._group = replace(self._group, starts=False)
        elif self._outer:
            inner, self._group = self._group, self._outer.pop()
            if inner.starts:
                text = self._taken()
                self._text = self._texts.pop()
                self._collected(inner.collects, text)

    def _begin(self, word: str) -> None:
        """From here to the end of the group text goes elsewhere."""
        if word == "footnote":
            self._marks += 1
            self._text.append(f"[{self._marks}]")
        self._texts.append(self._text)
        self._text = []
        self._group = replace(self._group, collects=word, starts=True, silent=False)

    def _collected(self, word: str, text: str) -> None:
        if word in STATED:
            self._found.setdefault(word, text)
        elif word in MARGINS:
            lines = (line for line in text.split("\n") if not PAGE_NUMBER.fullmatch(line.strip().lower()))
            self._margins[MARGINS[word]].update(dict.fromkeys(lines))
        elif word == "shptxt":
            self._hanging.append(("", "", text))
        elif word == "footnote":
            self._hanging.append((f"Footnote {self._marks}", f"[{self._marks}] ", text))
        elif word == "atnauthor":
            self._found["comment by"] = text.strip()
        elif word == "annotation":
            self._comments += 1
            author = self._found.pop("comment by", "")
            self._hanging.append((f"Comment {self._comments}", comment_lead(author), text))
        elif word in {"listtext", "pntext"}:
            label = text.strip() if any(letter.isalnum() for letter in text) else ""
            if self._group.in_table or self._group.collects:
                self._text.append(f"{label} " if label else "")
            else:
                self._label = label
        elif word == "ffl":
            self._choices.append(text.strip())
        elif word == "objclass":
            self._flow.notice(NoticeKind.OTHER, detail=text)
        elif word == "sn":
            self._named = text.strip()
        elif word == "sv" and self._named == "wzDescription" and (words := described(text)):
            self._hanging.append((PICTURE, "", words))

    # ------------------------------------------------------------ words and letters

    def _word(self, word: str, number: int | None) -> None:
        self._decode()
        self._skip = 0
        starred, self._starred = self._starred, False
        if word == "ud":
            self._group = replace(self._group, silent=False)
        elif word == "formfield":
            self._field, self._choices = {}, []
        elif word == "fldrslt":
            self._emit(self._form_value())
        elif (starred and word not in KNOWN) or word in SILENT:
            if word == "moMath" and not self._group.silent:
                self._flow.notice(NoticeKind.OTHER, detail="equation")
            self._picture = {}
            replaced = self._group.replaced or word == "nonshppict"
            self._group = replace(self._group, silent=True, replaced=replaced)
        elif word in COLLECTED and (word in ANYWHERE or not self._group.silent):
            self._begin(word)
        elif word in LETTERS:
            self._emit(LETTERS[word])
        elif word == "u" and number is not None:
            self._emit(chr(number % 0x10000))
            self._skip = self._group.width
        elif word in PARAGRAPH_ENDS:
            self._paragraph()
        elif word in TABLE_WORDS:
            self._table_word(word)
        else:
            self._property(word, number)

    def _sign(self, sign: str) -> None:
        self._decode()
        if self._skip:
            self._skip -= 1
        elif sign == "*":
            self._starred = True
        elif sign in PARAGRAPH_ENDS:
            self._paragraph()
        elif sign in LETTERS:
            self._emit(LETTERS[sign])

    def _letters(self, raw: bytes) -> None:
        skipped = min(self._skip, len(raw))
        self._skip -= skipped
        if not self._group.silent:
            self._bytes += raw[skipped:]

    def _decode(self) -> None:
        """Turn what was met of a code page into letters, by the font that holds for it."""
        if not self._bytes:
            return
        raw = bytes(self._bytes)
        self._bytes.clear()
        font = self._fonts.get(self._group.font, _Font(self._page))
        if self._group.collects == "fonttbl":
            font.name += raw.decode("latin-1").partition(";")[0]
        elif font.page == SYMBOLS:
            self._emit("".join(symbol_letter(font.name, 0xF000 | code) for code in raw))
        else:
            self._emit(raw.decode(font.page, "replace"))

    def _property(self, word: str, number: int | None) -> None:
        if word == "ansicpg" and number is not None:
            self._page = _code_page(number)
        elif word == "f" and number is not None:
            self._group = replace(self._group, font=number)
            if self._group.collects == "fonttbl":
                self._fonts[number] = _Font(self._page)
        elif word == "fcharset" and self._group.font in self._fonts:
            self._fonts[self._group.font].page = PAGES.get(number or 0, self._page)
        elif word == "uc" and number is not None:
            self._group = replace(self._group, width=max(0, number))
        elif word == "deleted":
            self._group = replace(self._group, deleted=number != 0)
        elif word == "v":
            self._group = replace(self._group, hidden=number != 0)
            self._unread = False
        elif word in {"super", "up"}:
            self._group = replace(self._group, raised=number != 0)
        elif word in {"sub", "dn", "nosupersub"}:
            self._group = replace(self._group, raised=False)
        elif word == "plain":
            self._group = replace(self._group, deleted=False, hidden=False, raised=False)
        elif word in {"fftype", "ffres", "ffdefres"} and number is not None:
            self._field[word] = number
        elif word in {"picwgoal", "pichgoal"} and number is not None and not self._group.replaced:
            self._picture[word] = number
            if len(self._picture) == 2 and may_hold_text(
                *(self._picture[side] / TWIPS for side in ("picwgoal", "pichgoal"))
            ):
                self._flow.notice(NoticeKind.PICTURE)
        elif word == "intbl":
            self._group = replace(self._group, in_table=True)
        elif word == "outlinelevel":
            self._group = replace(self._group, heading=1 + (number or 0))
        elif word == "pard":
            self._group = replace(self._group, in_table=False, heading=0)
        elif self._group.collects == "creatim" and number is not None:
            self._emit(f"{word}{number}")

    def _emit(self, text: str) -> None:
        if self._group.silent or self._group.deleted:
            return
        if not self._group.hidden:
            self._text.append(raised("".join(self._text[-8:]), text) if self._group.raised else text)
        elif not self._unread and text.strip():
            self._unread = True
            self._flow.notice(NoticeKind.HIDDEN)

    def _form_value(self) -> str:
        """What a box to tick or a list to choose from shows; the text of other fields stands in the document."""
        field, self._field = self._field, {}
        state = field.get("ffres", UNCHANGED)
        state = field.get("ffdefres", 0) if state == UNCHANGED else state
        if field.get("fftype") == CHECK_BOX:
            return "☒" if state else "☐"
        chosen = field.get("fftype") == DROP_DOWN and 0 <= state < len(self._choices)
        return self._choices[state] if chosen else ""

    # ------------------------------------------------------------ blocks

    def _taken(self) -> str:
        """What was collected, halves of letters beyond 16 bits put together."""
        self._decode()
        text, self._text = "".join(self._text), []
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _paragraph(self) -> None:
        if self._group.silent:
            return
        if self._group.collects or self._group.in_table:
            self._text.append("\n")
            return
        text = self._taken()
        if text.strip():
            self._table()
        label, self._label = self._label, None
        if self._group.heading:
            self._flow.title(text, self._group.heading, label or "")
        elif label is not None:
            self._flow.point(text, label)
        else:
            self._flow.paragraph(text)
        self._hang()

    def _table_word(self, word: str) -> None:
        if self._group.silent:
            return
        if word == "nestcell" or self._group.collects:
            self._text.append("\n")
        elif word == "cell":
            self._cells.append(self._taken())
        elif self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _table(self) -> None:
        """Tell the table that has ended."""
        rows = [*self._rows, self._cells] if self._cells else self._rows
        self._rows, self._cells = [], []
        self._flow.table(rows)

    def _hang(self) -> None:
        hanging, self._hanging = self._hanging, []
        for name, lead, text in hanging:
            if name == PICTURE:
                self._flow.caption(text)
            elif name:
                self._flow.note(name, lead, text)
            else:
                self._flow.paragraph(text)


def _code_page(number: int) -> str:
    name = {65001: "utf-8", 10000: "mac_roman"}.get(number, f"cp{number}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
