"""Decodes text whose encoding nobody wrote down, and letters of the font Symbol."""

from __future__ import annotations

import codecs
import contextlib
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import BadInput
from core.ingest.language import language_shares
from core.text.translation import tr
from core.types import Notice, NoticeKind

_LATIN_1 = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœß"
# Letters beside a to z, in lower case. Of a language that is not here every letter of its encoding is taken.
_LETTERS: Mapping[str, frozenset[str]] = {
    code: frozenset(letters)
    for codes, letters in {
        "en": _LATIN_1, "de lb": "äöüßéèàë", "fr br oc": "àâæçéèêëîïôœùûüÿñ", "es gl an": "áéíñóúüïç",
        "it": "àèéìíîòóùú", "pt": "àáâãçéêíóôõúü", "nl af": "éèëïöüóáíúê", "sv": "åäöéàü", "fi": "äöåšž",
        "nb nn no da": "æøåéèêóòôäöü", "is fo": "áðéíóúýþæöø", "ca": "àçèéíïòóúü", "eu": "ñçü", "sq": "çë",
        "ga": "áéíóú", "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű",
        "hr bs sl": "čćđšž", "ro": "ăâîșşțţ", "tr": "çğıöşüâîûi̇", "az": "çəğıöşü", "et": "äõöüšž",
        "lv": "āčēģīķļņšūž", "lt": "ąčęėįšųūž", "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
        "bg": "абвгдежзийклмнопрстуфхцчшщъьюя", "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
        "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
    }.items()
    for code in codes.split()
}  # fmt: skip
_LOUD = 0.9  # how plausible capitals alone are, beside a reading in small letters
_WORD = re.compile(r"[^\W\d_]+")
_UNPLACED = re.compile(r"[\x80-\x9f\ufffd\ue000-\uf8ff]")  # controls and what no font has
# A sign between two letters, but for apostrophes, dashes and the like; signs that stand before no word; a dash in one.
_WITHIN = re.compile(
    r"[×÷†‡‰¬¦¤ªº](?=[^\W\d_])|(?<=[^\W\d_])[¹²³](?=[^\W\d_])|(?<![lL])·(?=[^\W\d_])"
    r"|(?<=[^\W\d_])[^\w\s\x00-\x7f’‘ʼ‐‑–—…·\xad](?=[^\W\d_])|(?<=[a-zß-ÿ])[–—](?=[a-zß-ÿ])"
)
_DRAWN = re.compile(r"[\u2500-\u25ff](?=[^\W\d_])|(?<=[^\W\d_])[\u2500-\u25ff]")
_OPENING = re.compile(r"(?<=[^\W\d_])[„‚«‹¿¡](?=\s|\Z)|[€£¥¢](?=[^\W\d_])")
# Accents without a letter, and a Chinese sign alone within a word of others.
_STRAY = re.compile(r"[¨´¸¯ˇ˛˙˝˚˘÷‰∙∞≈≡√ⁿ](?<=[^\W\d_].)|(?<=[A-Za-z])[\u3000-\u9fff](?![\u3000-\u9fff])")
_QUOTES = (re.compile("[„“”]"), re.compile("‘"))  # which stand in pairs
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")  # words, of which Chinese has no marks
_GREEK = re.compile(r"(?<![ά-ώ])[α-ω]{5,}(?![ά-ώ])|ς(?=[ά-ώ])")  # long and without an accent
_CONSONANTS = "бвгджзйклмнпрстфхцчшщъь"
_CYRILLIC = re.compile(
    rf"(?<![А-яЁё])[{_CONSONANTS.upper()}]?[{_CONSONANTS}]{{3,}}(?![а-яё])|[{_CONSONANTS}]{{6,}}"
)
_ARABIC_ODDITIES = re.compile(
    "[ةى](?=[\u0621-\u064a])|(?<![\u0621-\u0652])[\u064b-\u0652]"
)  # a last letter, and vowel marks
# Points without a letter, more of them than one has, and a last letter within a word.
_HEBREW = re.compile("(?<![\u05b0-\u05c7א-ת])[\u05b0-\u05c7]|[\u05b0-\u05c7]{3,}|[ךםןףץ](?=[א-ת])")
# Vowels and tones without a consonant, and figures within a word.
_THAI = re.compile(
    "(?<![ก-ฮ\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e33-\u0e3a\u0e47-\u0e4e]|[เ-ไ](?![ก-ฮ])"
    "|[๐-๙](?=[ก-ฮ])|(?<=[ก-ฮ])[๐-๙]"
)
_RUN = re.compile(r"([^\W\d_\x00-\x7f])\1{3,}")
_SCRIPTS = (
    (0x24F, 0),
    (0x36F, 0),
    (0x3FF, 1),
    (0x52F, 2),
    (0x5FF, 3),
    (0x77F, 4),
    (0xE7F, 5),
)  # last letters


def plausibility(text: str, languages: Collection[str]) -> float:
    """Return from 0 to 1 how far a text is written as one of these languages (ISO 639) writes."""
    foreign = [character for character in text if character > "\x7f"]
    if not foreign:
        return 1.0
    misplaced = _misplaced(text) / len(foreign)
    if misplaced >= 0.5:
        return 0.0
    letters = [letter for character in foreign for letter in character.lower() if letter.isalpha()]
    score = known = 0.0
    for code, share in language_shares(text).items():
        own = _LETTERS.get(code)
        known += share if own or code in languages else 0
        if code in languages:
            score += share * _fit(letters, own)
    loud = _LOUD if letters and text == text.upper() != text.lower() else 1.0
    return score / known * loud * (1 - 2 * misplaced) if known else 0.0


def _fit(letters: Sequence[str], own: frozenset[str] | None) -> float:
    """Share of letters beyond a to z that a language has; signs alone say nothing of one with other letters."""
    if not letters:
        return 1.0 if own and not own.isdisjoint("éöçš") else 0.0
    return sum(letter in own for letter in letters) / len(letters) if own else 1.0


def _misplaced(text: str) -> int:
    """Return how many characters stand where none of their kind does."""
    count = sum(
        len(pattern.findall(text))
        for pattern in (_UNPLACED, _WITHIN, _DRAWN, _OPENING, _STRAY, _ARABIC_ODDITIES)
    )
    count += sum(
        len(found[0])
        for pattern in (_RUN, _GREEK, _CYRILLIC, _HEBREW, _THAI)
        for found in pattern.finditer(text)
    )
    count += 2 * len(_SPACED.findall(text)) + len(_QUOTES[0].findall(text)) % 2
    count += max(0, len(_QUOTES[1].findall(text)) - text.count("’"))
    for found in _WORD.finditer(text):
        word = found[0]
        if not word.isascii() and not (_usual_case(word) and _one_script(word)):
            count += sum(character > "\x7f" for character in word)
    return count


def _usual_case(word: str) -> bool:
    rest = word[1:]
    return (
        rest == rest.lower() or word == word.upper() or word.replace("ß", "") == word.replace("ß", "").upper()
    )


def _one_script(word: str) -> bool:
    """Whether all letters are of one script; a to z may stand beside Chinese, Japanese and Korean signs."""
    scripts = {_script(ord(character)) for character in word}
    return len(scripts) == 1 or (scripts == {0, 6} and all(c.isascii() or ord(c) > 0xE7F for c in word))


def _script(code: int) -> int:
    if 0x1E00 <= code <= 0x1EFF:
        return 0
    return next((script for last, script in _SCRIPTS if code <= last), 6)


# ------------------------------------------------------------ encodings


SAMPLE = 65_536  # bytes looked at to tell text from binary
FEW = 0.1  # NULs in a text, of its bytes; UTF-16 of Western letters has half
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_READ = 2_000  # bytes by which an encoding is judged
_LINES = 200  # of those that are not ASCII, from all over a text
_WESTERN = frozenset("en fr de es it pt nl sv no nb nn da fi is fo ca gl eu af ga sq lb br oc an".split())
_CENTRAL = frozenset("pl cs sk hu hr sl ro bs de".split())
_RUSSIAN = frozenset("ru uk bg sr be mk kk".split())
_CHINESE = frozenset("zh wuu yue".split())
_ARABIC = frozenset("ar ary arz fa ur".split())
# Each with how usual it is among those that are written alike, and the languages that are written in it.
_OLDER = (
    ("cp1252", 1.0, _WESTERN),
    ("cp1250", 0.6, _CENTRAL),
    ("iso8859_2", 0.55, _CENTRAL),
    ("cp1251", 1.0, _RUSSIAN),
    ("koi8_r", 0.99, _RUSSIAN),
    ("koi8_u", 0.95, _RUSSIAN),
    ("cp866", 0.99, _RUSSIAN),
    ("iso8859_5", 0.95, _RUSSIAN),
    ("mac_cyrillic", 0.98, _RUSSIAN),
    ("cp1253", 0.99, frozenset({"el"})),
    ("cp1254", 0.6, frozenset({"tr", "az"})),
    ("cp1255", 0.99, frozenset({"he"})),
    ("cp1257", 0.5, frozenset({"lt", "lv", "et"})),
    ("cp850", 0.9, _WESTERN),
    ("cp852", 0.3, _CENTRAL),
    ("cp437", 0.75, _WESTERN),
    ("mac_roman", 0.75, _WESTERN),
    ("mac_latin2", 0.3, _CENTRAL),
    ("cp737", 0.95, frozenset({"el"})),
    ("cp862", 0.95, frozenset({"he"})),
    ("cp932", 1.0, frozenset({"ja"}) | _CHINESE),
    ("euc_jp", 1.0, frozenset({"ja"})),
    ("cp949", 1.01, frozenset({"ko"})),
    ("gb18030", 0.99, _CHINESE),
    ("big5", 0.99, _CHINESE),
    ("cp1256", 0.99, _ARABIC),
    ("iso8859_6", 0.95, _ARABIC),
    ("cp874", 0.95, frozenset({"th"})),
    ("cp857", 0.5, frozenset({"tr", "az"})),
    ("cp860", 0.3, frozenset({"pt"})),
    ("cp861", 0.3, frozenset({"is", "fo"})),
    ("cp865", 0.3, frozenset("da no nb nn".split())),
    ("cp775", 0.3, frozenset({"lt", "lv", "et"})),
    ("iso8859_16", 0.3, frozenset({"ro"})),
)
# First bytes of the signs that most texts are made of; the rest of the table holds rare ones.
_COMMON = {
    "cp932": (*range(0x81, 0x85), *range(0x88, 0x98)),
    "euc_jp": (*range(0xA1, 0xA6), *range(0xB0, 0xD0)),
    "cp949": (*range(0xA1, 0xA4), *range(0xB0, 0xC9)),
    "gb18030": (*range(0xA1, 0xA4), *range(0xB0, 0xD8)),
    "big5": range(0xA1, 0xC7),
}
# What most Korean syllables are; Chinese and Japanese signs, read as Korean, are hardly ever one of these.
_KOREAN = frozenset(
    "이가다는의을에고하지도은로서사한인기리자대정시어나해일아수부장과있주전제그원라상성보경조국구중신진만위동관소스비"
)
_USUAL_KOREAN = 0.15  # share of them, at least
_OF_PROGRAMS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"})
_FEWEST = 0.1  # plausibility of the best reading, below which the text is taken for Windows-1252
CONTROL = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27})
MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_SYMBOL_LOW = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_SYMBOL_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_SYMBOL_LETTERS: dict[int, str] = dict(
    zip([*range(0x20, 0x7F), *range(0xA0, 0xFF)], _SYMBOL_LOW + _SYMBOL_HIGH, strict=True)
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and the encoding that it was read in, as Python names it; `guessed` where only the bytes tell."""

    text: str
    encoding: str
    guessed: bool = False

    @property
    def notices(self) -> tuple[Notice, ...]:
        return (Notice(NoticeKind.ENCODING, detail=self.encoding),) if self.guessed else ()


def decode(data: bytes, declared: str = "", chosen: str = "") -> Decoded | None:
    """The text of `data`, or None when it is no text. `declared` is tried after byte order marks; `chosen`, which a
    person said, before everything.

    UTF-8, UTF-16 and UTF-32 with marks, UTF-16 without one, UTF-8 (also with a few NULs), else the older
    encoding in which it reads best as one of the languages that are written in it; Windows-1252 where none does.
    """
    if chosen:
        return Decoded(data.decode(chosen, "replace").removeprefix("\ufeff"), chosen)
    for mark, name in BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(name, "replace"), name)
    sample = data[:SAMPLE]
    if b"\0" in sample:
        few = sample.count(0) <= FEW * len(sample)
        # ASCII with a few NULs can be read as rare Chinese; what is UTF-16 is hardly ASCII byte by byte.
        if not (few and sample.isascii()) and (name := _utf16(sample)):
            return Decoded(data.decode(name, "replace"), name, guessed=True)
        text = _without_nuls(data) if few else None
        return None if text is None else Decoded(text, "utf-8")
    if _is_binary(sample):
        return None
    if declared:
        try:
            return Decoded(data.decode(declared), declared)
        except (LookupError, UnicodeDecodeError):
            pass  # a wrong declaration: judge by the bytes
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _older(data) or Decoded(_windows(data), "cp1252", guessed=True)
    # Japanese mail in seven bits changes its tables by escapes.
    return (_seven_bits(data) if "\x1b$" in text else None) or Decoded(text, "utf-8")


def encoding_named(name: str) -> str:
    """Return the encoding that a person means, as Python names it. Raises BadInput for none, or one of no text."""
    try:
        found = codecs.lookup(name.strip())
        if found.name in _OF_PROGRAMS:
            raise LookupError(found.name)
        b"a".decode(found.name, "replace")  # which refuses what is no encoding of text
    except (LookupError, ValueError) as error:
        raise BadInput(
            tr("{name} is no encoding of text.", name=name),
            tr("Write for example utf-8, cp1252, cp850 or koi8-r."),
        ) from error
    return found.name


def _is_binary(sample: bytes) -> bool:
    return len(sample.translate(None, CONTROL)) < 0.98 * len(sample)


def _without_nuls(data: bytes) -> str | None:
    """UTF-8 without the NULs that broken exports have; None for anything else, as binary files have some."""
    stripped = data.replace(b"\0", b"")
    try:
        return None if _is_binary(stripped[:SAMPLE]) else stripped.decode("utf-8")
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


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few bad bytes (a cut end, a pasted word)."""
    good = sum(1 for _ in MULTIBYTE.finditer(data))
    bad = len(re.findall(rb"[\x80-\xff]", MULTIBYTE.sub(b"", data)))
    return Decoded(data.decode("utf-8", "replace"), "utf-8", guessed=True) if good >= 10 * bad else None


def _seven_bits(data: bytes) -> Decoded | None:
    try:
        return Decoded(data.decode("iso2022_jp_ext"), "iso2022_jp_ext", guessed=True)
    except UnicodeDecodeError:
        return None


def _older(data: bytes) -> Decoded | None:
    """The text in the older encoding in which it is most plausible as a language that is written in it."""
    # What is ASCII reads alike in all of them.
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(line[:_READ] for line in lines[:: max(1, len(lines) // _LINES)])[:_READ]
    for score, name, _ in sorted(_readings(sample), key=lambda reading: -reading[0]):
        if score < _FEWEST:
            break
        with contextlib.suppress(UnicodeDecodeError):
            return Decoded(data.decode(name), name, guessed=True)
    return None


def _readings(sample: bytes) -> Iterator[tuple[float, str, str]]:
    """(plausibility, encoding, text) of each older encoding that has all of these bytes, the more usual first."""
    for name, usual, languages in _OLDER:
        try:
            # The sample may end inside a sign.
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        yield usual * plausibility(text, languages) * _common(text, name), name, text


def plausible_readings(line: bytes) -> list[tuple[str, str]]:
    """Return (encoding, text) of a line in those encodings that have its bytes, the more plausible first."""
    found = [(score, name, text) for score, name, text in _readings(line)]
    with contextlib.suppress(UnicodeDecodeError):
        found.append((1.0, "utf-8", line.decode("utf-8")))
    return [(name, text) for _, name, text in sorted(found, key=lambda reading: -reading[0])]


def _common(text: str, name: str) -> float:
    """Share of the signs of more than a byte that are common in the language; 1 for encodings without such signs."""
    if name not in _COMMON:
        return 1.0
    signs = [sign for sign in text if not sign.isascii()]
    if name == "cp949" and sum(sign in _KOREAN for sign in signs) < _USUAL_KOREAN * len(signs):
        return 0.5
    first = [sign.encode(name, "replace") for sign in signs]
    return sum(len(each) == 2 and each[0] in _COMMON[name] for each in first) / max(1, len(first))


def _windows(data: bytes) -> str:
    """Windows-1252; its five unassigned bytes as Latin-1 has them."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in data)


def symbol_letter(font: str, code: int) -> str:
    """The letter at `code` (or 0xF000 above it) of a font; other fonts' private letters stay as they are."""
    if font.lower() == "symbol":
        return _SYMBOL_LETTERS.get(code & 0xFF, "\ufffd")
    return chr(code) if 0 < code < 0x110000 else "\ufffd"
