"""A document is dated by its title or its first lines before its name and its metadata; odd headings are no titles."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from core.ingest.dating import title_of
from core.ingest.loaders import DocumentLoader
from core.types import LoadedDocument, Notice, NoticeKind


def load(folder: Path, name: str, text: str, encoding: str = "utf-8") -> LoadedDocument:
    (folder / name).write_bytes(text.encode(encoding))
    return DocumentLoader().load(folder / name)


@pytest.mark.parametrize(("name", "text", "date"), [
    ("letter.txt", "Holm & Daughters\nTromsø, 14 June 2016\n\nDear Mr Lind,\n\nit burned in 1990.", "2016-06-14"),
    ("brief.txt", "Holm KG\nGraz, den 2. Februar 2012\n\nSehr geehrte Frau Lind,", "2012-02-02"),
    ("memo.txt", "To: all\nDate: 07.08.2019\n\nThe mill is shut.", "2019-08-07"),
    ("akt.txt", "Акт осмотра\n\nг. Псков, 7 августа 2019 г.\n\nМельница закрыта.", "2019-08-07"),
    ("記録.txt", "点検記録\n\n日付：2019年8月7日\n\n水車は止まった。", "2019-08-07"),
    ("bill.txt", "INVOICE 20\nInvoice date: 14/02/2018\nDue date: 01/03/2018\n\nOne millstone.", "2018-02-14"),
    ("ordine.txt", "Ordine del podestà\nTrento, lì 9 luglio 1921\n\nIl mulino resta chiuso.", "1921-07-09"),
    ("20140611_mill.txt", "Notes on the mill\n\nIt burned in 1990.", "2014-06-11"),
    ("form.txt", "Application\nDate of birth: 3 May 1951\n\nI apply for the mill.", None),
    ("usage.txt", "Mill log\n\n04/05/2018\n\nThe wheel broke on 23/04/2018.", "2018-05-04"),
    ("unsure.txt", "Mill log\n\n04/05/2018\n\nThe wheel broke.", "2018"),
    ("life.txt", "Eva Holm (4 May 1901 – 2 June 1980) was a miller in Bergen.", None),
    ("form.txt", "Name: Eva Holm\nBorn: 4 May 1901\nDate of birth of the child: 5 June 1930", None),
    ("due.txt", "The bill\n\nPay before 4 May 2021\n\nThank you for it.", None),
    ("late.txt", "The mill\n\n" + "It is old. " * 300 + "\n\n4 May 2021\n", None),
])  # fmt: skip
def test_what_dates_a_document(tmp_path: Path, name: str, text: str, date: str | None) -> None:
    assert load(tmp_path, name, text).date == date


@pytest.mark.parametrize(("stated", "own", "date", "notice"), [
    ("2024-01-05", "11 March 2009", "2009-03-11", "2024-01-05"),
    ("2009-09-05", "11 March 2009", "2009-03-11", ""),
    ("2024-01-05", "", "2024-01-05", ""),
])  # fmt: skip
def test_a_file_that_is_of_another_year_has_a_notice(
    tmp_path: Path, stated: str, own: str, date: str, notice: str
) -> None:
    page = (
        f'<html><head><meta name="dcterms.date" content="{stated}"></head><body>'
        f"<h1>The mill is sold</h1><p>{own}</p><p>It was sold to Eva Holm by her aunt.</p></body></html>"
    )
    found = load(tmp_path, "page.html", page)
    assert found.date == date
    assert found.notices == ((Notice(NoticeKind.DATE, detail=notice),) if notice else ())


@pytest.mark.parametrize(("heading", "text", "title"), [
    ("Report 77", "This report is about mills.", "Old mill"),
    ("Ariane 5", "Ariane 5 flew in 1996.", "Ariane 5"),
    ("Chapter XII", "In this chapter", "Old mill"),
    ("Page 3 of 12", "", "Old mill"),
    ("14 June 2016", "", "Old mill"),
    ("STRICTLY CONFIDENTIAL", "", "Old mill"),
    ("Draft Treaty", "", "Draft Treaty"),
    ("3 Men at a Mill", "", "3 Men at a Mill"),
    ("of the mill,", "", "Old mill"),
    ("Mill Notes 12", "Mill Notes 12\na\nMill Notes 13\nb\nMill Notes 14\nc\nMill Notes 15\n", "Old mill"),
])  # fmt: skip
def test_a_heading_that_names_nothing_is_no_title(heading: str, text: str, title: str) -> None:
    assert title_of("", heading, "old_mill.txt", text) == title


def test_an_encoding_is_chosen_for_each_part(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "box.zip", "w") as box:
        for name in ("one.txt", "two.txt"):
            box.writestr(name, "Die Mühle gehört Herrn Schäfer.".encode("cp850"))
    chosen = {"two.txt": "cp437"}
    one, two = DocumentLoader().parts(tmp_path / "box.zip", encodings=chosen)
    assert one.document is not None and two.document is not None
    assert one.document.text == two.document.text
    assert [len(part.document.notices) for part in (one, two) if part.document] == [1, 0]
