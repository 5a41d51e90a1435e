"""Small valid files that hold what has a reader of its own: charts, notes, comments, forms, merged cells, exports."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

from docx import Document
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from tests.core.ingest.test_old_office import box, doc, ppt
from tests.data_makers import office_files, round_trip_files

TEXT = "Ida Berg sold the Gull to Tern Lines on 4 May 2021 for EUR 12,500."


def _saved(file: object) -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def workbook() -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Catches"
    sheet.append(["Catches of 2021"])
    sheet.append(["Port", "Landed", "Share", "Day"])
    for number in range(1, 6):
        sheet.append([f"Port {number}", number * 1234.5, number / 40, f"2021-05-0{number}"])
        sheet.cell(number + 2, 2).number_format = "#,##0.00 [$€-407]"
        sheet.cell(number + 2, 3).number_format = "0.0%"
    sheet.append(["Total", "=SUM(B3:B7)"])
    sheet.merge_cells("A1:D1")
    sheet["A3"].comment = Comment("Checked by Ida.", "Bo Kask")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=2, max_row=7), titles_from_data=True)
    sheet.add_chart(chart, "F2")
    book.create_sheet("Notes")["B3"] = TEXT
    return _saved(book)


def document() -> bytes:
    file = Document()
    file.add_heading("Sale of the Gull", 1)
    file.add_paragraph(TEXT)
    file.add_paragraph("First", style="List Number")
    file.add_paragraph("Second", style="List Number 2")
    table = file.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Merged"
    table.cell(2, 2).text = "412"
    run = file.add_paragraph("A remark ").add_run("here")
    file.add_comment(run, "Really?", "Bo Kask", "BK")
    file.sections[0].footer.paragraphs[0].text = "Page of the sale"
    return _saved(file)


def slides() -> bytes:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "The Gull"
    slide.placeholders[1].text = TEXT
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["2021", "2022"]
    data.add_series("Cod", (9.1, None))  # type: ignore[no-untyped-call]
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(5), Inches(4), data)
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(3), Inches(1)).table
    table.cell(0, 0).text = "Port"
    slide.notes_slide.notes_text_frame.text = "Spoken words."
    return _saved(show)


def form() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=0)
    for number in range(3):
        canvas.drawString(72, 800, f"Running head {number}")
        for line in range(12):
            canvas.drawString(72, 760 - 14 * line, f"{line + 1} {TEXT}")
        for row in range(4):
            canvas.grid([72, 172, 272], [300, 320, 340, 360, 380])
            canvas.drawString(76, 305 + 20 * row, f"Port {row}")
            canvas.drawString(176, 305 + 20 * row, str(row * 100))
        canvas.acroForm.textfield(name=f"ship{number}", value="Gull", x=72, y=200, tooltip="Ship")
        canvas.acroForm.checkbox(name=f"paid{number}", checked=True, x=72, y=150)
        canvas.textAnnotation("A remark", [72, 500, 90, 520])
        canvas.bookmarkPage(f"p{number}")
        canvas.addOutlineEntry(f"Part {number}", f"p{number}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


RESTRUCTURED = """\
======
Report
======

:Author: Ida Berg
:Date: 4 May 2021

.. |gull| replace:: Grey Gull

Ports
=====

The |gull| came [1]_. See `here <https://x.example>`_ and :ref:`ports`.

.. [1] A note.

.. list-table:: Ports
   :header-rows: 1

   * - Port
     - Tons
   * - Oslo
     - 12

+------+------+
| a    | b    |
+======+======+
| c    | d    |
+------+------+

#. One
#. Two

.. math:: \\frac{a}{b}
"""
MAIL = (
    b"From: Ida Berg <ida@x.example>\r\nTo: Bo Kask <bo@x.example>, =?utf-8?q?J=C3=B8rn?= <j@x.example>\r\n"
    b"Date: Tue, 4 May 2021 10:00:00 +0200\r\nSubject: The Gull\r\nReferences: <1@x> <2@x>\r\n"
    b"Message-ID: <3@x>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n"
    b"Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\nSold=20it.\r\n\r\nOn 3 May 2021, Bo wrote:\r\n> Sell it.\r\n"
    b"--a\r\nContent-Type: text/html\r\n\r\n<table><tr><td>Port<td>12</table><p>Sold it for 12.\r\n--a--\r\n--m\r\n"
    b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Meet\r\nDTSTART;TZID=Europe/Oslo:"
    b"20210504T100000\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n--m\r\nContent-Type: "
    b"application/octet-stream; name*0*=utf-8''a%20b; name*1=.csv\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    b"UG9ydCxUb25zCk9zbG8sMTIK\r\n--m--\r\n"
)
PAGE = (
    "<!doctype html><html><head><title>Ports</title><meta charset=utf-8><meta name=date content=2021-05-04></head>"
    "<body><nav>Home</nav><h1>Ports</h1>"
    "<ol reversed start=5><li value=9>Oslo<li>Bergen</ol><table><caption>Tons</caption>"
    "<tr><th colspan=2>A<th rowspan=2>B<tr><td>1<td>2<tr><td>3<td>4<td>5</table><p>40<sup>5</sup> "
    "<math><mfrac><mi>a</mi>"
    "<mi>b</mi></mfrac></math><img alt='A ship' width=300 height=200><svg><text>Drawn</text></svg><form>Name: <input "
    "value=Ida><select><option selected>Cod</select><textarea>Words</textarea></form><canvas></canvas>"
    "<p hidden>Not shown<p>Text&nbsp;&euro;&#x1F600; of the page.</body></html>"
)
WHATSAPP = (
    "[04/05/2021, 10:15:02] Ida Berg: Did you sell it?\n[04/05/2021, 10:16:40] Bo Kask: Yes, I did.\n"
    "\u200e[04/05/2021, 10:17:01] Ida Berg: \u200eimage omitted\n[05/05/2021, 09:00:00] Bo Kask: And you?\n"
    "[05/05/2021, 09:01:00] Ida Berg: Me too.\n"
)


def _slack() -> bytes:
    stamps = {"ts": "1620115200.000100", "thread_ts": "1620115200.000100"}
    listed = [
        {"type": "message", "user": "U1", "text": "<@U2> sold <https://x.example|it>", **stamps,
         "user_profile": {"real_name": "Ida Berg"}, "reactions": [{"name": "ok", "users": ["U2"], "count": 1}]},
        {"type": "message", "user": "U2", "text": "yes", "ts": "1620115300.000100", "files": [{"name": "a.pdf"}],
         "blocks": [{"type": "rich_text", "elements": []}], "edited": {"ts": "1620115310.0"}},
        {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1620115400.0", "text": "joined"},
    ]  # fmt: skip
    return json.dumps(listed).encode()


def _telegram() -> bytes:
    messages = [
        {"id": 1, "type": "message", "date": "2021-05-04T10:00:00", "from": "Ida", "from_id": "user1",
         "text": ["Hello ", {"type": "bold", "text": "Bo"}]},
        {"id": 2, "type": "service", "date": "2021-05-04T10:01:00", "actor": "Bo", "action": "pin_message"},
        {"id": 3, "type": "message", "date": "2021-05-04T10:02:00", "from": "Bo", "from_id": "user2", "text": "Yes?",
         "reply_to_message_id": 1, "file": "a.pdf"},
    ]  # fmt: skip
    return json.dumps({"name": "Port", "type": "private_group", "id": 1, "messages": messages}).encode()


RICH: dict[str, Callable[[], bytes]] = {
    "rich.xlsx": workbook,
    "rich.docx": document,
    "rich.pptx": slides,
    "form.pdf": form,
    "rich.rst": RESTRUCTURED.encode,
    "rich.eml": lambda: MAIL,
    "rich.html": PAGE.encode,
    "whatsapp.txt": WHATSAPP.encode,
    "slack.json": _slack,
    "telegram.json": _telegram,
    "old.doc": lambda: doc(TEXT * 3),
    "old.ppt": lambda: ppt(box(TEXT)),
    "old.xls": lambda: round_trip_files.old_xls(TEXT),
    "plain.pdf": lambda: office_files.make_pdf([[TEXT] * 3, ["Port   12", "Total  12"]]),
}
