"""Decodes text whose encoding nobody wrote down."""

from __future__ import annotations

import codecs
import re
import unicodedata

from core.ingest.language import likelihood

SAMPLE = 65_536  # bytes looked at to tell text from binary
FEW = 0.1  # NULs in a text, of its bytes; UTF-16 of Western letters has half
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SURE = 0.5  # probability below which nothing is concluded
_READ = 2_000  # bytes
_CENTRAL = frozenset("pl cs sk hu hr sl ro bs".split())
# Each with the languages that are written in it; charset-normalizer, which counts letters, took Polish, French and
# Japanese of one sentence for others.
_OLDER = (
    ("cp1252", frozenset("en fr de es it pt nl sv no nn da fi is ca gl eu af ga sq lb br oc".split())),
    ("cp1250", _CENTRAL),
    ("iso8859_2", _CENTRAL),
    ("cp1251", frozenset("ru uk bg sr be mk kk".split())),
    ("koi8_r", frozenset({"ru"})),
    ("koi8_u", frozenset({"uk"})),
    ("cp866", frozenset({"ru", "be"})),
    ("iso8859_5", frozenset("ru bg sr mk".split())),
    ("cp1253", frozenset({"el"})),
    ("cp1254", frozenset({"tr", "az"})),
    ("cp1255", frozenset({"he"})),
    ("cp1257", frozenset({"lt", "lv", "et"})),
    ("cp932", frozenset({"ja"})),
    ("euc_jp", frozenset({"ja"})),
    ("cp949", frozenset({"ko"})),
    ("gb18030", frozenset({"zh", "wuu", "yue"})),
    ("big5", frozenset({"zh", "wuu", "yue"})),
    ("cp1256", frozenset("ar ary arz fa ur".split())),
)
CONTROL = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27})
MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def decode(data: bytes, declared: str = "") -> str | None:
    """The text of `data`, or None when it is no text. `declared` is tried after byte order marks.

    UTF-8, UTF-16 and UTF-32 with marks, UTF-16 without one, UTF-8 (also with a few NULs), else the older
    encoding in which it reads best as one of the languages that are written in it; Windows-1252 where none does.
    """
    for mark, name in BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    sample = data[:SAMPLE]
    if b"\0" in sample:
        few = sample.count(0) <= FEW * len(sample)
        # ASCII with a few NULs can be read as rare Chinese; what is UTF-16 is hardly ASCII byte by byte.
        if not (few and sample.isascii()) and (name := _utf16(sample)):
            return data.decode(name, "replace")
        return _without_nuls(data) if few else None
    if _is_binary(sample):
        return None
    if declared:
        try:
            return data.decode(declared)
        except (LookupError, UnicodeDecodeError):
            pass  # a wrong declaration: judge by the bytes
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _older(data) or _windows(data)


def _is_binary(sample: bytes) -> bool:
    return len(sample.translate(None, CONTROL)) < 0.98 * len(sample)


def _without_nuls(data: bytes) -> str | None:
    """UTF-8 without the NULs that broken exports have; None for anything else, as binary files have some."""
    kept = data.replace(b"\0", b"")
    try:
        return None if _is_binary(kept[:SAMPLE]) else kept.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _utf16(sample: bytes) -> str:
    """Name of the UTF-16 that `sample` is written in without a mark, or an empty string."""
    sample = sample[: len(sample) // 2 * 2]
    best, name = 0.95, ""
    for candidate in ("utf-16-le", "utf-16-be"):
        # The sample may end inside a pair of surrogates.
        text = codecs.getincrementaldecoder(candidate)("replace").decode(sample)
        if not text or not any(character in " \n" for character in text):
            continue
        good = sum(1 for c in text if c in "\t\n\r" or unicodedata.category(c)[0] in "LNPZSM")
        ordinary = sum(1 for c in text if c in " \n\r\t" or c.isascii())
        score = good / len(text) + ordinary / len(text) / 100  # of two readable ones, the plainer
        if "\ufffd" not in text and score > best:
            best, name = score, candidate
    return name


def _damaged_utf8(data: bytes) -> str:
    """UTF-8 with a few bad bytes (a cut end, a pasted word), or an empty string."""
    good = sum(1 for _ in MULTIBYTE.finditer(data))
    bad = len(re.findall(rb"[\x80-\xff]", MULTIBYTE.sub(b"", data)))
    return data.decode("utf-8", "replace") if good >= 10 * bad else ""


def _older(data: bytes) -> str:
    """The text in the older encoding that makes it a language it is used for, or an empty string."""
    # What is ASCII reads alike in all of them.
    lines = b"\n".join(line for line in data[:SAMPLE].split(b"\n") if not line.isascii())[:_READ]
    best, encoding = (_SURE, 0.0), ""
    for name, languages in _OLDER:
        try:
            text = codecs.getincrementaldecoder(name)().decode(lines)
            odd = sum(unicodedata.category(c)[0] in "SMC" and not c.isascii() for c in text)
            if (
                name == "cp949"
            ):  # Korean as it is written now has next to none of these; Chinese read so has many
                odd += sum("\u4e00" <= c <= "\u9fff" for c in text)
            reads = round(likelihood(text, languages), 2), -odd / max(1, len(text))
            if reads > best and data.decode(name):
                best, encoding = reads, name
        except UnicodeDecodeError:
            continue
    return data.decode(encoding) if encoding else ""


def _windows(data: bytes) -> str:
    """Windows-1252; its five unassigned bytes as Latin-1 has them."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in data)
