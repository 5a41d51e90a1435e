"""The sample's EPUB: a booklet of a few chapters, written with the standard library."""

from __future__ import annotations

import zipfile
from html import escape
from pathlib import Path

from source import Source

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en">
<head><title>{title}</title></head>
<body>{body}</body>
</html>
"""


def _package(source: Source, chapters: int) -> str:
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(chapters))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">clew-sample-history</dc:identifier>
<dc:title>{escape(source.title)}</dc:title>
<dc:creator>{escape(source.author)}</dc:creator>
<dc:date>{source.date.isoformat()}</dc:date>
<dc:language>en</dc:language>
<meta property="dcterms:modified">{source.date.isoformat()}T12:00:00Z</meta>
</metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>
<spine>{spine}</spine>
</package>
"""


def write_epub(source: Source, path: Path) -> None:
    """Write an EPUB 3; every `# ` of the source is a chapter."""
    chapters = source.parts("title")
    files = {"META-INF/container.xml": CONTAINER, "OEBPS/content.opf": _package(source, len(chapters))}
    links = "".join(
        f'<li><a href="c{n}.xhtml">{escape(name)}</a></li>' for n, (name, _) in enumerate(chapters)
    )
    nav = f'<nav epub:type="toc"><ol>{links}</ol></nav>'
    files["OEBPS/nav.xhtml"] = PAGE.format(title="Contents", body=nav)
    for number, (name, blocks) in enumerate(chapters):
        text = "".join(f"<p>{escape(line)}</p>\n" for block in blocks for line in block.lines)
        body = f"<h1>{escape(name)}</h1>\n{text}"
        files[f"OEBPS/c{number}.xhtml"] = PAGE.format(title=escape(name), body=body)
    with zipfile.ZipFile(path, "w") as archive:
        # The format wants this file first and stored plainly.
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            archive.writestr(name, text, zipfile.ZIP_DEFLATED)
