"""Every kind of file gives clean text, true pages, a sensible title, a date and an author."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.ingest.scan import relative_name
from core.types import LoadedDocument

Make = Callable[..., bytes]
Load = Callable[..., LoadedDocument]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def put(name: str, content: bytes | str) -> LoadedDocument:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        document = DocumentLoader().load(path)
        assert document.text == unicodedata.normalize("NFC", document.text).strip() != ""
        assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in document.text)
        for before, after in zip((None, *document.pages), document.pages, strict=False):
            assert 0 <= after.start <= after.end <= len(document.text)
            assert before is None or (before.number < after.number and before.end <= after.start)
        return document

    return put


def pages_of(document: LoadedDocument) -> list[str]:
    return [document.text[page.start : page.end] for page in document.pages]


# ---------------------------------------------------------------- PDF


def test_pdf_has_pages_title_date_and_author(load: Load, pdf: Make) -> None:
    data = pdf([["First page. It has a café."], [], ["Third page (the last)."]], title="The audit of Vestmar")
    document = load("a.pdf", data)
    assert (document.title, document.date, document.author, document.media_type) == (
        "The audit of Vestmar",
        "2021-05-04T10:00:00+00:00",
        "Ida Holm",
        "application/pdf",
    )
    assert pages_of(document) == ["First page. It has a café.", "", "Third page (the last)."]


def test_a_sentence_runs_on_over_the_page_break_and_page_numbers_go(load: Load, pdf: Make) -> None:
    head = "Report of the harbour office"
    pages = [
        [head, "The ship left the harbour in the morning and nobody saw that it", "Page 1 of 3"],
        [head, "carried the copper that had been stolen from the warehouse before.", "Page 2 of 3"],
        [head, "The trial is over.", "Page 3 of 3"],
    ]
    document = load("a.pdf", pdf(pages))
    # The head stands once, so that it is found.
    assert pages_of(document) == [f"{head}\n\n{pages[0][1]}", pages[1][1], pages[2][1]]
    assert f"{head}\n\n{pages[0][1]} {pages[1][1]}\n\n{pages[2][1]}" == document.text


# ---------------------------------------------------------------- office


def test_docx(load: Load, docx: Make) -> None:
    def paragraph(text: str, style: str = "") -> str:
        properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"

    rows = [("Ship", "Price"), ("Gull", "1,000")]
    table = "".join(
        "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>" for row in rows
    )
    body = paragraph("Loan", "Heading1") + paragraph("Vest lends. Gull pays.") + f"<w:tbl>{table}</w:tbl>"
    document = load("a.docx", docx(body + paragraph("Signed in Vestmar.")))
    assert document.text.split("\n\n") == [
        "Loan",
        "Vest lends. Gull pays.",
        "Ship: Gull; Price: 1,000.",
        "Signed in Vestmar.",
    ]
    assert (document.title, document.date, document.author) == ("Loan contract", "2021-05-04", "Ida Holm")


# ---------------------------------------------------------------- web and mail


def test_html(load: Load) -> None:
    page = """<!DOCTYPE html><html><head><title>The &amp; news</title><meta name="author" content="Ida Holm">
    <meta property="article:published_time" content="2021-03-04T00:00:00Z"><style>p{}</style></head><body>
    <nav>Home</nav><script>alert("no")</script><h1>Ship   lost</h1><p>The <b>Gull</b> sank &mdash;
    at night.<p>Nobody<br>swam.<ul><li>one<li>two</ul>
    <table><tr><th>Ship<th>Built<tr><td>Gull<td>1998</table>
    <table><tr><th>Owner</th><td>Vest AS</td></tr><tr><th>Flag</th><td>Malta</td></tr></table></body></html>"""
    document = load("a.html", page)
    assert document.text == (
        "Home\n\nShip lost\n\nThe Gull sank — at night.\n\nNobody\nswam.\n- one\n- two\n\nShip: Gull; Built: 1998.\n\n"
        "Owner: Vest AS.\nFlag: Malta."
    )
    assert (document.title, document.date, document.author) == ("The & news", "2021-03-04", "Ida Holm")


def test_mail(load: Load) -> None:
    mail = EmailMessage()
    mail["From"] = "Ida Hölm <ida@vest.example>"
    mail["To"] = "Bo <bo@gull.example>, Cy <cy@gull.example>"
    mail["Date"] = "Tue, 4 May 2021 10:00:00 +0200"
    mail["Subject"] = "The ship – and its price"
    mail.set_content("Dear Bo,\n\nthe ship is sold.\n\n> Is it\n> sold?\n\nIda\n")
    mail.add_alternative("<p>Not this.</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="contract.pdf")
    document = load("a.eml", mail.as_bytes())
    assert document.text == (
        "From: Ida Hölm <ida@vest.example>\nTo: Bo <bo@gull.example>, Cy <cy@gull.example>\n"
        "Date: 4 May 2021, 10:00\nSubject: The ship – and its price\nAttachments: contract.pdf\n\n"
        "Dear Bo,\n\nthe ship is sold.\n\nIs it\nsold?\n\nIda"
    )
    assert document.title == "The ship – and its price"
    assert (document.date, document.author) == ("2021-05-04T10:00:00+02:00", "Ida Hölm")


# ---------------------------------------------------------------- text


def test_text_is_cleaned(load: Load) -> None:
    raw = "Cafe\u0301 noir\r\nbreaks\x0c\x07here  \t\r\n\xa0\r\n\r\n\r\nno\u202eoverrides\u202c\ufeff"
    assert load("a.txt", raw).text == "Café noir\nbreaks\nhere\n\nnooverrides\u202c"


def test_lines_broken_at_a_margin_are_joined(load: Load) -> None:
    text = (
        "The harbour office opened an investigation in the spring, and the\n"
        "Vestmar police joined it in summer. They asked for every paper that\n"
        "the clerks had kept.\n"
        "- a point\n"
        "- another\n\n"
        "Yours\nIda Holm\n"
    )
    assert load("a.txt", text).text == (
        "The harbour office opened an investigation in the spring, and the Vestmar police joined it in summer. "
        "They asked for every paper that the clerks had kept.\n- a point\n- another\n\nYours\nIda Holm"
    )


def test_markdown(load: Load) -> None:
    text = (
        "---\ntitle: Notes on Vest\ndate: 2021-03-04\nauthor: Ida Holm\n---\n\n# The *first* heading\n\n"
        "Some **bold** words, `code`, snake_case_names, 2 * 3 * 4 and a [link](https://a.example/b_c).\n\n"
        "* point\n\n| Ship | Price |\n|---|--:|\n| Gull | 1,000 |\n\n```\n# not a heading\n```\n> quoted\n"
    )
    document = load("a.md", text)
    assert document.text == (
        "title: Notes on Vest\ndate: 2021-03-04\nauthor: Ida Holm\n\nThe first heading\n\n"
        "Some bold words, code, snake_case_names, 2 * 3 * 4 and a link.\n- point\n\nShip: Gull; Price: 1,000.\n\n"
        "# not a heading\n\nquoted"
    )
    assert (document.title, document.date, document.author) == ("Notes on Vest", "2021-03-04", "Ida Holm")
    assert load("b.md", "Text first\n\nUnder *lined*\n=======\n").title == "Under lined"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_csv_with_any_separator(load: Load, separator: str) -> None:
    rows = [["Payer", "Amount", "Note"], ["Vest AS", "1250", '"a\nb"'], ["Gull", "", "paid."]]
    document = load("cash_book.csv", "\r\n".join(separator.join(row) for row in rows))
    assert document.text == "Cash book\nPayer: Vest AS; Amount: 1250; Note: a b.\nPayer: Gull; Note: paid."
    assert document.media_type == "text/csv"


@pytest.mark.skipif(os.name == "nt", reason="names there are UTF-16")
def test_a_name_that_is_no_utf8_is_written_as_the_lists_of_files_do(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff\xfeutf.txt"))
    path.write_text("Ole Hansen was the mate of the Northern Star.", encoding="utf-8")
    assert relative_name(path, tmp_path) == "bad\\xff\\xfeutf.txt"
    assert DocumentLoader().load(path).title == "Bad\\xff\\xfeutf"


@pytest.mark.parametrize(("metadata", "name", "title"), [
    ("Microsoft Word - final_v2.docx", "board-minutes_2021-03-04.pdf", "Board minutes 2021-03-04"),
    ("Document1", "loan.pdf", "Loan"),
    ("Microsoft Word - Loan of the ship", "x.pdf", "Loan of the ship"),
])  # fmt: skip
def test_titles_that_programs_wrote_are_passed_over(
    load: Load, pdf: Make, metadata: str, name: str, title: str
) -> None:
    assert load(name, pdf([["a line that is no heading."]], title=metadata)).title == title


def test_the_suffix_may_lie(load: Load, pdf: Make, docx: Make) -> None:
    assert load("a.txt", pdf([["A page of a PDF."]])).media_type == "application/pdf"
    assert load("b.pdf.bak", docx("<w:p><w:r><w:t>Word.</w:t></w:r></w:p>")).text == "Word."
