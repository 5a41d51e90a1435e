"""Saved pages, as HTML and as Markdown: what they say is typed, what stands around it is boilerplate."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.ingest.markdown import is_markdown, read_markdown
from core.ingest.markup import read_html
from core.ingest.reading import Reading
from core.types import BlockKind

STORY = (
    "The Grey Petrel left Setúbal on the fourth of May with a crew of nine and a cargo of salt, and nobody on the "
    "quay, her owner among them, expected that she would be back within the week. Her captain told the court so."
)
MENU = "".join(
    f"*   [{name}](https://a.example/{name})\n" for name in ("Home", "News", "Sport", "Weather", "Shop")
)
PAGE = f"""# The Grey Petrel

[![Image 1: Harbour News](https://a.example/logo.png)](https://a.example/)

{MENU}
[Skip](https://a.example/#main)[Log in](https://a.example/login)

The Grey Petrel
===============

![Image 2: The Petrel at her berth in Setúbal, in 1931](https://a.example/petrel.jpg)

{STORY}

*   Owner: Vestmar AS
*   Built: 1898

## The *trial*

{STORY} It is told by [Dragomir](https://b.example/dragomir "A captain") in <https://c.example/book>.

> {STORY}

| Ship | Price |
|------|------:|
| Gull | 1,000 |

[![Image 3: Pear](https://a.example/pear.png)

### Ten pears that changed the world

By Someone Else](https://a.example/pears)

[Imprint](https://a.example/i) [Privacy](https://a.example/p) [Terms](https://a.example/t)
"""


def kinds(reading: Reading) -> list[tuple[BlockKind, int, str]]:
    return [(b.kind, b.level, reading.text[b.start : b.end]) for b in reading.blocks]


def unread(reading: Reading) -> str:
    return "\n".join(words for kind, _, words in kinds(reading) if kind is BlockKind.BOILERPLATE)


def test_a_saved_page_in_markdown() -> None:
    reading = read_markdown(PAGE)
    assert "](" not in reading.text and "a.example" not in reading.text and "**" not in reading.text
    assert "It is told by Dragomir in https://c.example/book." in reading.text
    found = kinds(reading)
    assert (BlockKind.HEADING, 2, "The trial") in found
    assert (BlockKind.ITEM, 0, "- Owner: Vestmar AS") in found
    assert (BlockKind.QUOTATION, 1, STORY) in found
    assert (BlockKind.TABLE, 0, "Ship: Gull; Price: 1,000.") in found
    assert (
        BlockKind.CAPTION,
        0,
        "Image 2: The Petrel at her berth in Setúbal, in 1931",
    ) not in found  # a picture's name
    for words in ("Harbour News", "Weather", "Log in", "Ten pears", "Someone Else", "Privacy"):
        assert words in unread(reading)
    for words in (STORY, "Vestmar", "1,000"):
        assert words not in unread(reading)


def test_a_page_of_nothing_but_links_keeps_them() -> None:
    reading = read_markdown(f"# Index of ships\n\n{MENU}\n{MENU}")
    assert unread(reading) == ""
    assert reading.text.count("Weather") == 2


@pytest.mark.parametrize(("written", "read"), [
    ('A [link](https://a.example/b_(c) "Title") here', "A link here"),
    ("A [link][1] here\n\n[1]: https://a.example 'Title'", "A link here"),
    ("A [[nested](https://a.example/1)](https://a.example/2) one", "A nested one"),
    ("A [ ] bracket\\] and \\*stars\\* and 2 \\_ 3", "A [ ] bracket] and *stars* and 2 _ 3"),
    ("- [x] done\n- [ ] open", "- [x] done\n- [ ] open"),
    ("Fish &amp; chips<br>at <b>noon</b> for <your name>", "Fish & chips\nat noon for <your name>"),
    ("Said[^a] so.\n\n[^a]: In May.", "Said[a] so.\n\n[a] In May."),
])  # fmt: skip
def test_marks_of_markdown(written: str, read: str) -> None:
    assert read_markdown(written).text == read


def test_html_says_what_its_parts_are() -> None:
    menu = "".join(f'<div><a href="{n}">Page {n}</a></div>' for n in range(9))
    reading = read_html(
        f"<body><div>{menu}</div><main><h1>The Petrel</h1><p>{STORY}<ul><li><p>Nine men</p></li></ul>"
        f"<h2>The trial</h2><blockquote><p>{STORY}</p></blockquote><pre>a  b</pre>"
        f"<figure><figcaption>At her berth</figcaption></figure><p>{STORY}</p></main><footer>{STORY}</footer>"
    )
    found = kinds(reading)
    assert (BlockKind.HEADING, 1, "The Petrel") in found
    assert (BlockKind.HEADING, 2, "The trial") in found
    assert (BlockKind.ITEM, 0, "- Nine men") in found
    assert (BlockKind.QUOTATION, 1, STORY) in found
    assert (BlockKind.CODE, 0, "a  b") in found
    assert (BlockKind.CAPTION, 0, "At her berth") in found
    assert "Page 7" in unread(reading) and unread(reading).endswith(STORY)
    assert unread(reading).count(STORY) == 1


PORTS = "<table><tr><th>Day<th>Port<tr><td>Monday<td>Oslo<tr><td>Friday<td>Bergen</table>"
LINES = "Day: Monday; Port: Oslo.", "Day: Friday; Port: Bergen."
BOATS = "<table><tr><th>Boat<th>Owner<th>Calls<tr><td>Skarv<td>Ada Moe<td>none"


@pytest.mark.parametrize(("page", "lines"), [
    # Records, one of which has a small table in its cell.
    (f"{BOATS}<tr><td>Terne<td>Bo Lie<td>{PORTS}</table>", ("Boat: Skarv; Owner: Ada Moe; Calls: none.",
     f"Boat: Terne; Owner: Bo Lie; Calls: {' '.join(LINES)}")),
    (f"<table><tr><td>Menu<td>{PORTS}</table>", ("Menu", *LINES)),
    (f"<table><tr><th>North<th>South<tr><td>{PORTS}<td>{PORTS}</table>", ("North", "South", *LINES, *LINES)),
    (f"{BOATS}<tr><td>Terne<td>Bo Lie<td><table><tr><td>At<td>{PORTS}</table></table>", ("Skarv", "At", *LINES)),
])  # fmt: skip
def test_a_table_within_a_table(page: str, lines: tuple[str, ...]) -> None:
    found = read_html(page).text.split("\n")
    assert [line for line in found if line in lines] == list(lines)


@pytest.mark.parametrize(("text", "is_so"), [
    (PAGE, True),
    (f"# The Petrel\n\n{STORY}\n", True),
    (f"{STORY}\n\n- one\n- two\n", False),
    ("# Copyright 2020\n\nimport os\n\nvalue = a[0](b)\n\n# Another remark\nprint(value)\n", False),
    ("10:00 INFO [main](a) started\n10:01 WARN [main](b) slow\n" * 20, False),
])  # fmt: skip
def test_markdown_that_does_not_say_so(tmp_path: Path, text: str, is_so: bool) -> None:
    assert is_markdown(text.strip()) is is_so
    (tmp_path / "page.txt").write_text(text)
    found = DocumentLoader().load(tmp_path / "page.txt").media_type
    assert (found == "text/markdown") is is_so


def test_short_lines_without_links_are_notes_however_many() -> None:
    """Minutes are lists of a few words each, far from any whole sentence."""
    lines = [f"- Item {number} was carried" for number in range(40)]
    text = "\n".join([STORY * 2, "", "## Report", "", *lines, "", "## Close", "", *lines, "", STORY])
    assert unread(read_markdown(text)) == ""
    assert "Weather" in unread(read_markdown(f"{STORY * 2}\n\n{MENU}"))
