"""Names, titles and texts of somebody who means harm: mark-up, shortcuts, controls, turned directions."""

from __future__ import annotations

from pathlib import Path

IMAGE = "<img src=file:///x>"
TURNED = "invoice\u202efdp.txt"  # shown as "invoicetxt.pdf"
STEERING = "a\x1b]0;owned\x07\x9b31m\nNot read: b\tc&lt;.md"
LONG = f"{'n' * 100}/{'o' * 120}/{'p' * 90}.txt"
PLACE = "<b>A&B\u202e\x1b[31m"  # the folder in which folder and workspace lie
FOLDER = "papers <i>&\nx"

TEXTS = {
    TURNED: "Tobias Renwick founded AT&T Trading in Limassol. AT&T Trading owns the Northern Gannet.",
    "<img src=file:/x>.html": "<html><head><title>&lt;img src=file:///x&gt; A&amp;B</title><meta name='author' "
    "content='&lt;b&gt;Ines&lt;/b&gt;'></head><body><h1>&lt;img src=file:///x&gt;</h1><p>&lt;img src=file:///x&gt; "
    "Ines Holm commands the Northern Gannet. Tobias Renwick hired Ines Holm.</p></body></html>",
    STEERING: "# <b>Letter</b> & \x1b[31m\n\nLucian Dragomir met Tobias Renwick in Antwerp.",
    "letter.eml": 'From: "<b>A&B</b>" <a@b.c>\nSubject: <img src=file:///x> =1+1\nMessage-ID: <1@x>\n'
    "Date: Mon, 1 Mar 2021 10:00:00 +0000\n\nOriel Nominees <i>owns</i> AT&T Trading.\n",
    LONG: "Brandvold Lines dismissed Lucian Dragomir in July 2021.",
    "<b>broken<b>&\u202e.pdf": "",
}


def hostile_folder(place: Path) -> Path:
    """A folder of TEXTS, deep in `place`."""
    folder = place / PLACE / FOLDER
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
