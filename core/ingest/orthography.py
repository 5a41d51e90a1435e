"""Says how plausible a decoded text is as the writing of a language: by its letters, and by how they stand in words.

What is decoded wrong has symbols and capitals within words, letters of two scripts in one word, or letters that the
language does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from core.ingest.language import language_shares

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
_ARABIC = re.compile(
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
        len(pattern.findall(text)) for pattern in (_UNPLACED, _WITHIN, _DRAWN, _OPENING, _STRAY, _ARABIC)
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
