"""Make the sample's binary documents from the sources beside this file.

    python packaging/sample/make.py            write them into resources/sample
    python packaging/sample/make.py FOLDER     write them elsewhere

Needs python-docx, openpyxl, python-pptx and reportlab; neither Clew nor its tests do.
The same sources and tools give the same bytes.
"""

from __future__ import annotations

import codecs
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from epub import write_epub
from office import write_docx, write_pptx, write_xlsx
from pdf import write_pdf
from source import Source, read_source

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "resources" / "sample"


def write_text(source: Source, path: Path) -> None:
    """Write plain text in the encoding that the source names (UTF-16 with its mark)."""
    little = source.encoding == "utf-16"  # the bare name would follow the machine's byte order
    data = (
        codecs.BOM_UTF16_LE + source.body.encode("utf-16-le")
        if little
        else source.body.encode(source.encoding)
    )
    path.write_bytes(data)


WRITERS: dict[str, Callable[[Source, Path], None]] = {
    ".pdf": write_pdf,
    ".docx": write_docx,
    ".xlsx": write_xlsx,
    ".pptx": write_pptx,
    ".epub": write_epub,
    ".txt": write_text,
}
ZIPPED = {".docx", ".xlsx", ".pptx", ".epub"}


def steady(source: Source, path: Path) -> None:
    """Write a zipped document again with the document's date in place of now."""
    moment = (source.date.year, source.date.month, source.date.day, 12, 0, 0)
    with zipfile.ZipFile(path) as archive:
        parts = [(part.filename, archive.read(part), part.compress_type) for part in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, compression in parts:
            if name == "docProps/core.xml":  # openpyxl writes the time of saving here
                stamp = f"{source.date.isoformat()}T12:00:00Z".encode()
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + stamp, data)
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = compression
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)


def main(target: Path) -> None:
    """Make every document under `target`, in the folders of the sources."""
    folder = HERE / "sources"
    for origin in sorted(folder.rglob("*.md")):
        path = target / origin.relative_to(folder).with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        source = read_source(origin)
        WRITERS[path.suffix](source, path)
        if path.suffix in ZIPPED:
            steady(source, path)
        print(f"{path.stat().st_size:8,d} bytes  {path.relative_to(target)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TARGET)
