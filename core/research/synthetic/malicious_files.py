"""Known attacks of a file on its reader, each made by a function of its own."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
HEAD = (
    "From: ida@vest.example\nTo: bo@gull.example\nSubject: The ship\nDate: Tue, 4 May 2021 10:00:00 +0200\n"
)
LAUGHS = (
    "<!DOCTYPE x [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
    + "]>"
)
STOLEN = "<!DOCTYPE x [<!ENTITY stolen SYSTEM 'file:///etc/passwd'>]>"


def zipped(parts: dict[str, bytes], level: int = 9) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def docx(document: bytes, more: Mapping[str, bytes] | None = None) -> bytes:
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return zipped(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{PACKAGE}content-types"><Default Extension="rels" '
                f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>'
            ).encode(),
            "_rels/.rels": (
                f'<Relationships xmlns="{PACKAGE}relationships"><Relationship Id="r" '
                f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
            ).encode(),
            "word/document.xml": document,
            **(more or {}),
        }
    )


def _body(content: str, head: str = "") -> bytes:
    return f'<?xml version="1.0"?>{head}<w:document xmlns:w="{WORD}"><w:body>{content}</w:body></w:document>'.encode()


# ---------------------------------------------------------------- bombs


def zip_bomb() -> bytes:
    """Return archives nested five deep, sixteen each: terabytes of zeros from some kilobytes."""
    data = zipped({"0.txt": bytes(20_000_000)})
    for _ in range(5):
        data = zipped({f"{number}.zip": data for number in range(16)})
    return data


def flat_bomb() -> bytes:
    return zipped({f"{number}.txt": bytes(100_000_000) for number in range(12)})


def docx_bomb() -> bytes:
    paragraph = "<w:p><w:r><w:t>The ship sails on and on.</w:t></w:r></w:p>"
    return docx(_body(paragraph * 3_000_000))


def gzip_bomb() -> bytes:
    """Return one gigabyte of zeros, packed in consecutive members."""
    return gzip.compress(bytes(50_000_000), 9, mtime=0) * 20


def tar_bomb() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for number in range(3):
            item = tarfile.TarInfo(f"{number}.txt")
            item.size = 150_000_000
            archive.addfile(item, io.BytesIO(bytes(item.size)))
    return gzip.compress(buffer.getvalue(), 6, mtime=0)


def many_members() -> bytes:
    return zipped({f"{number}.txt": b"\0\1" for number in range(30_000)}, 1)


def laughing_docx() -> bytes:
    return docx(_body("<w:p><w:r><w:t>&a11;</w:t></w:r></w:p>", LAUGHS))


def stealing_docx() -> bytes:
    return docx(_body("<w:p><w:r><w:t>It says: &stolen;</w:t></w:r></w:p>", STOLEN))


def laughing_slides() -> bytes:
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "ppt/presentation.xml": f"<?xml version='1.0'?>{LAUGHS}<x>&a11;</x>".encode(),
        }
    )


def zip_that_climbs() -> bytes:
    names = (
        "../../../climbed.txt",
        "/tmp/climbed.txt",
        "C:\\climbed.txt",
        "a/../../b.txt",
        "\0.txt",
        "." * 300,
    )
    return zipped(dict.fromkeys(names, b"The ship was sold in March 2021."))


# ---------------------------------------------------------------- depth


def deep_zip() -> bytes:
    data = zipped({"deepest.txt": b"Words."})
    for _ in range(200):
        data = zipped({"inner.zip": data, "on the way.txt": b"The ship was sold."})
    return data


def deep_html() -> bytes:
    return b"<html><body>" + b"<div><b>" * 300_000 + b"The ship was sold." + b"</b></div>" * 300_000


def deep_tables() -> bytes:
    return b"<html><body>" + b"<table><tr><td>" * 20_000 + b"The ship was sold."


def deep_docx() -> bytes:
    return docx(_body("<w:tbl><w:tr><w:tc>" * 100_000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 100_000))


def deep_rtf() -> bytes:
    return b"{\\rtf1 " + b"{\\b " * 500_000 + b"The ship." + b"}" * 500_000 + b"}"


def deep_parts() -> bytes:
    nested = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(20_000))
    return (HEAD + nested + "Content-Type: text/plain\n\nWords.\n").encode()


def deep_messages() -> bytes:
    return (HEAD + ("Content-Type: message/rfc822\n\n" + HEAD) * 5_000 + "\nWords.\n").encode()


def deep_pdf() -> bytes:
    """Return a PDF with deeply nested pages and an endless array."""
    tree = "".join(
        f"{n} 0 obj\n<< /Type /Pages /Kids [{n + 1} 0 R] /Count 1 >>\nendobj\n" for n in range(2, 20_000)
    )
    return f"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /X {'[' * 100_000} >>\nendobj\n{tree}".encode()


def deep_markdown() -> bytes:
    return b"> " * 200_000 + b"words\n" + b"[" * 100_000 + b"*_" * 100_000


# ---------------------------------------------------------------- length


def long_pdf(pages: int = 50_000) -> bytes:
    """Return a PDF of many pages with the same word."""
    content = b"BT /F1 11 Tf 60 780 Td (Gull.) Tj ET"
    kids = b" ".join(b"%d 0 R" % number for number in range(5, pages + 5))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>"
    )
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        stream(b"", content),
        *[page] * pages,
    )


def huge_page() -> bytes:
    """Return a page of a thousand kilometres with a picture that claims four thousand million pixels."""
    picture = b"/Type /XObject /Subtype /Image /Width 65535 /Height 65535 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99999999 99999999] /Contents 5 0 R "
        b"/Resources << /XObject << /I 4 0 R >> >> >>",
        stream(picture, b"abc"),
        stream(b"", b"99999999 0 0 99999999 0 0 cm /I Do"),
    )


def stream(about: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (about, len(content), content)


def pdf(*objects: bytes) -> bytes:
    parts, offsets, length = [b"%PDF-1.4\n"], [], 9
    for number, content in enumerate(objects, 1):
        offsets.append(length)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        length += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table)
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, length))
    return b"".join(parts)


def wide_csv() -> bytes:
    return b"name;" * 10_000 + b"\n" + b"1;" * 10_000


def quoted_csv() -> bytes:
    """Return a quote that is opened and never closed, over megabytes."""
    return b'a,b\n1,"' + b"the ship\n" * 5_000


def long_line() -> bytes:
    return b"x" * 30_000_000


def stacked_accents() -> bytes:
    return ("Z" + "\u0301\u0327\u0335" * 300_000 + " ship").encode()


def endless_mailbox() -> bytes:
    return b"From a@b.example Tue May  4 10:00:00 2021\n\n" * 100_000


def noise() -> bytes:
    return random.Random(1).randbytes(5_000_000)


# ---------------------------------------------------------------- places


def _sparse(folder: Path) -> None:
    """Write a gigabyte of text that takes no room on the disk."""
    with (folder / "sparse.txt").open("wb") as file:
        file.write(b"The ship sails on.\n")
        file.truncate(1_000_000_000)


def _small_sparse(folder: Path) -> None:
    """Write the largest file that may still be read."""
    with (folder / "sparse within the limit.txt").open("wb") as file:
        file.write(b"The ship sails on.\n")
        file.truncate(199_000_000)


def _loops(folder: Path) -> None:
    loop = folder / "loop"
    loop.mkdir()
    (loop / "up").symlink_to(folder)
    (loop / "here").symlink_to(".")
    (loop / "self.txt").symlink_to("self.txt")
    (loop / "a.txt").symlink_to("b.txt")
    (loop / "b.txt").symlink_to("a.txt")
    (loop / "nowhere.txt").symlink_to("nowhere at all")


def _deep_folders(folder: Path) -> None:
    place = folder / "deep"
    for _ in range(100):
        place = place / "deeper"
    place.mkdir(parents=True)
    (place / "a.txt").write_bytes(b"The ship was sold in March 2021.")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")


def _socket(folder: Path) -> None:
    os.mknod(folder / "socket.txt", stat.S_IFSOCK | 0o600)


def _device(folder: Path) -> None:
    (folder / "zero.txt").symlink_to("/dev/zero")


FILES: dict[str, Callable[[], bytes]] = {
    "bomb of zips.zip": zip_bomb,
    "flat bomb.zip": flat_bomb,
    "bomb.docx": docx_bomb,
    "bomb.txt.gz": gzip_bomb,
    "bomb.tgz": tar_bomb,
    "many members.zip": many_members,
    "laughing.docx": laughing_docx,
    "stealing.docx": stealing_docx,
    "laughing.pptx": laughing_slides,
    "climbing.zip": zip_that_climbs,
    "deep.zip": deep_zip,
    "deep.html": deep_html,
    "deep tables.html": deep_tables,
    "deep.docx": deep_docx,
    "deep.rtf": deep_rtf,
    "deep parts.eml": deep_parts,
    "deep messages.eml": deep_messages,
    "deep.pdf": deep_pdf,
    "deep.md": deep_markdown,
    "fifty thousand pages.pdf": long_pdf,
    "wide.csv": wide_csv,
    "quoted.csv": quoted_csv,
    "long line.txt": long_line,
    "accents.txt": stacked_accents,
    "endless.mbox": endless_mailbox,
    "noise.bin": noise,
    "noise.pdf": lambda: b"%PDF-1.7\n" + noise(),
    "noise.docx": lambda: b"PK\x03\x04" + noise(),
    "noise.doc": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise(),
    "noise.eml": lambda: HEAD.encode() + noise(),
    "huge page.pdf": huge_page,
}
PLACES: tuple[Callable[[Path], None], ...] = (
    _sparse,
    _small_sparse,
    _loops,
    _deep_folders,
    _pipe,
    _socket,
    _device,
)
