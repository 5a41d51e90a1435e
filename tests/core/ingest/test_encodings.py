"""Text is decoded right without being told how it was encoded."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.ingest.encodings import decode as decoded
from core.ingest.encodings import encoding_named, plausible_readings
from core.types import Notice, NoticeKind


def decode(data: bytes, declared: str = "") -> str | None:
    found = decoded(data, declared)
    return None if found is None else found.text


GERMAN = "Die Grüße aus Köln kosteten 5 €: „schön“, sagte er.\nZweite Zeile\n" * 3
RUSSIAN = "Судно вышло из порта в полдень.\nЭто было утром, и никто не видел.\n" * 3
JAPANESE = "船は朝に港を出た。\n誰も見なかった と言う。\n" * 3


@pytest.mark.parametrize("text", [GERMAN, JAPANESE])
@pytest.mark.parametrize(("mark", "encoding"), [
    (b"", "utf-8"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (b"", "utf-16-be"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
])  # fmt: skip
def test_unicode_with_and_without_marks(text: str, mark: bytes, encoding: str) -> None:
    assert decode(mark + text.encode(encoding)) == text


def test_windows_quotes_and_unassigned_bytes() -> None:
    assert decode("“5 €” – he said".encode("cp1252")) == "“5 €” – he said"
    assert decode(b"caf\xe9 \x81 end") == "café \x81 end"


def test_what_is_declared_is_believed_when_it_fits() -> None:
    assert decode(RUSSIAN.encode("koi8-r"), "koi8-r") == RUSSIAN
    assert decode("Grüße".encode(), "ascii") == "Grüße"
    assert decode("Grüße".encode(), "no-such-code") == "Grüße"
    assert decode(codecs.BOM_UTF8 + "Grüße".encode(), "latin-1") == "Grüße"


def test_many_nuls_are_no_text() -> None:
    assert decode(b"Anna Berg.\0\0\n" * 100) is None
    assert decode("Größe, Maß.\0\n".encode("cp1252") * 100) is None  # high bytes and NULs: binary


def test_binary_is_no_text() -> None:
    noise = random.Random(7).randbytes(20_000)
    assert decode(noise) is None
    assert decode(bytes(5000)) is None
    assert decode(noise.replace(b"\0", b"\1")) is None
    assert decode(b"\x7fELF" + bytes(60) + b"text" * 100) is None


@given(st.binary(max_size=400))
def test_any_bytes_give_text_or_none(data: bytes) -> None:
    text = decode(data)
    assert text is None or isinstance(text, str)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=200))
def test_utf8_survives(text: str) -> None:
    assert decode(text.encode()) == text.removeprefix("\ufeff")


@pytest.mark.parametrize(("text", "encodings"), [
    ("Совет города собрался в понедельник и решил закрыть старый мост.", "cp1251 koi8_r cp866 iso8859_5"),
    ("Rada miasta zebrała się w poniedziałek i postanowiła zamknąć stary most.", "cp1250 iso8859_2"),
    ("町議会は月曜日に開かれ、古い橋を閉鎖することを決定した。", "cp932 euc_jp"),
    ("市议会周一开会，决定将旧桥关闭至少两年。", "gb18030"),
    ("اجتمع مجلس المدينة يوم الاثنين وقرر إغلاق الجسر القديم.", "cp1256 iso8859_6"),
    ("Сторож Щукин закрыл склад до пятницы.", "koi8_r cp1251 cp866"),
    ("город;счёт\nОмск;120\nТомск;75\n", "koi8_r cp1251"),
    ("כל המפתחות נמצאים אצל שומר הלילה של המחסן.", "cp1255 iso8859_8"),
    ("Der Gemeinderat hat beschlossen, die alte Brücke zu schließen.", "cp1252"),
])  # fmt: skip
def test_older_encodings_are_recognised_by_the_language(text: str, encodings: str) -> None:
    page = f"{text}\n" * 3
    for encoding in encodings.split():
        assert decode(page.encode(encoding)) == page, encoding


# Every one of these alone, as a file of one line.
LINES = {
    "cp1252 cp850 mac_roman": ("Frau Häußler überwies die Miete für März nach Mühlhausen.",
     "L'été dernier, Hélène a vendu sa maison à Orléans.", "Grüße", "Zoë Brontë and René sold the bakery in Leeds."),
    "cp437": ("┌──────┐\n│ Mühle │\n└──────┘\nDie Mühle gehört Herrn Schäfer.",),
    "cp1250 iso8859_2 cp852": ("Wczoraj Zośka kupiła świeży chleb i trochę mleka w sklepie.",
     "Včera večer přišel můj bratr domů velmi pozdě."),
    "cp1251 koi8_r cp866 iso8859_5 mac_cyrillic": ("Анна Ильина продала дом в Казани и уехала к сестре.",
     "Счётная палата"),
    "cp1255": ("רחל מכרה את הבית בחיפה בשנה שעברה",),
    "cp1256": ("باعت ليلى البيت في الإسكندرية العام الماضي.",),
    "cp932": ("番号,部署,担当\n鈴木一郎,営業部,大阪\n", "昨日、母と一緒に市場へ行きました。"),
    "gb18030": ("昨天我和妈妈一起去市场买菜。",),
    "big5": ("昨天我和媽媽一起去市場買菜。",),
    "iso2022_jp": ("昨日、母と一緒に市場へ行きました。",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "text"),
    [(name, text) for names, texts in LINES.items() for name in names.split() for text in texts],
)
def test_one_line_is_enough_and_a_guess_has_a_notice(encoding: str, text: str) -> None:
    found = decoded(text.encode(encoding))
    assert found is not None and found.text == text
    assert found.notices == (Notice(NoticeKind.ENCODING, detail=found.encoding),)


def test_a_person_knows_better_than_marks_and_guesses() -> None:
    found = decoded("Mühle".encode("cp850"), "utf-8", chosen="cp437")
    assert found is not None and (found.text, found.notices) == ("Mühle", ())
    assert encoding_named(" Latin-1 ") == "iso8859-1"
    for name in ("base64", "none of these", "idna", ""):
        with pytest.raises(BadInput, match="no encoding"):
            encoding_named(name)


def test_readings_are_offered_with_the_right_one_first() -> None:
    line = "Herr Schäfer verkauft die Mühle."
    names = [name for name, text in plausible_readings(line.encode("cp850")) if text == line]
    assert plausible_readings(line.encode("cp850"))[0] == ("cp850", line)
    assert "cp437" in names


def test_a_long_text_is_judged_by_lines_from_all_over_it() -> None:
    plain = "The accounts of the mill are kept in the office.\n" * 3000
    text = plain + "Herr Schäfer verkaufte die Mühle in Köln an Frau Groß.\n" + plain
    for encoding in ("cp1252", "cp850", "mac_roman"):
        assert decode(text.encode(encoding)) == text
